"""Names of classes and ids as found on open pages, and what they tell: whole words only."""

from __future__ import annotations

import pytest

import sitecrawl
from sitecrawl.dom.blocks import BITS, hint_bits
from sitecrawl.dom.class_names import (
    HINTS,
    REGIONS,
    names_one_of,
    words_in,
    words_of,
    words_of_picture,
)
from sitecrawl.links.regions import REGION_BIT, _named

TOLD = {
    "comment": "antwort huifu respuestas comments comment-list commentlist comment_body postCommentForm reply-link "
    "disqus_thread vcard-comment respond gitalk-container valine waline kommentare comentarios "
    "commentaires reactie pinglun liuyan yorumlar guestbook comment-123 recentcomments yourcomment",
    "nav": "nav navbar-nav mainnav main-nav navMenu site-navigation seitennavigation hauptmenu "
    "topmenu rightmenulist breadcrumbs breadCrumb bread-crumb pager pagination page-prev "
    "nextpostslink prevlink skip-link toolbar tab-item quicktabs daohang dangqianweizhi gnav topicpath",
    "side": "sidebar sideBar side-bar leftsidelist aside widget widget_text textwidget recentposts "
    "related-posts relatedPosts popular blogroll archive-list tuijian read-more more-link "
    "trending hot rank-list teaser seitenleiste randspalte xiangguan",
    "share": "share share-buttons sharedaddy socialbox social-icons addthis_toolbox bdsharebuttonbox "
    "qrcode qr-code twitter-share newsletter newsletter-box subscribe sign-up donate weixin teilen "
    "compartir fenxiang",
    "meta": "meta entry-meta postmetadata author authorbox post-author byline byLine date datetime "
    "post_date info infobox tag tags taglist tag-list tags-links category category-list cat_label "
    "categories source viewcount view-count published laiyuan riqi zuozhe auteur",
    "foot": "footer footerleft prefooter foot copyright copyRight cookie-banner cookiebanner "
    "popup pop-up modal-body ad ads ad-slot promo sponsored license legal disclaimer "
    "banner rodape fussbereich stopka dibu",
    "head": "header topheader header-top masthead logo sitelogo brand search searchform search-box "
    "login topbar top-bar navbar-brand kopfzeile cabecalho toubu sousuo",
    "content": "content maincontent main-content article articlecontent post postbody post-body "
    "entry-content hentry story body text zhengwen neirong single page TRS_Editor vsb_content "
    "markdown-body prose hauptinhalt inhalt beitrag contenido conteudo tresc",
    "title": "title entry-title pagetitle newstitle headline head-line heading biaoti subject "
    "subtitle sub-title widget-title",
    "code": "code codeblock highlight highlighter-rouge syntaxhighlighter prettyprint prism code-box",
    "gutter": "gutter lineno line-number linenumbers anchor permalink headerlink sr-only "
    "screen-reader-text visually-hidden visuallyhidden mw-editsection-like-edit-section edit-link "
    "noprint copy-btn",
    "toc": "toc toc-list table-of-contents TableOfContents catalog outline mulu",
    "forum": "posting list-posting kmsg post thread threadlist topic topictitle forumline message postmessage_4711 floor "
    "quote viewtopic normalthread_99",
    "signature": "signature sig avatar user-avatar username user_name profile bio poster gravatar "
    "vcard memberlist",
    "caption": "caption wp-caption figure image imagebox gallery photo thumbnail thumb slide "
    "slideshow media-body",
    "summary": "summary excerpt entry-summary lead intro deck standfirst description subhead "
    "perex vorspann chapo zhaiyao",
}
"""For each hint names that give it."""
UNTOLD = {
    "comment": "commentary responsive table-responsive corresponding responsibility no-comments "
    "hide-comments category-komentare-fotbal",
    "nav": "__next __nuxt navarra tag-navarra navarro navigator preview unavailable keytab "
    "coronavirus extended crumble nextgen nextcloud stable table tablet has-nav no-menu "
    "peer-data-[menu=open] md:nav",
    "side": "presidente category-presidente inside outside considerations residence relative "
    "position-relative grails trail cloudtrail falsos no-sidebar has-sidebar nosidebar hassidebar "
    "format-aside group-[.sidebar] lg:sidebar w-(--sidebar-width) group/sidebar",
    "share": "shareware likely unlike unfollow tag-shareware alike",
    "meta": "country county accounts resource resources validate stage vintage heritage "
    "tag-hack category-events category-42 tag-7 discount runtime preview overview "
    "counterfeit timetable",
    "foot": "football foot-note footnote footnotes promotor node-promoted node-sticky unlicensed "
    "adapter headad1f9 css-1ad4f legalize",
    "head": "research elasticsearch catalogo headless has-header no-header technology psychologie",
    "content": "context texture sentry country history storyboard postal postgresql compost "
    "type-post menu-item-type-page text-center text-muted has-text-align-left "
    "robots-nocontent content-center mainland",
    "title": "entitled no-title untitled",
    "code": "barcode qr-code qrcode postcode vscode decode encode shortcode",
    "gutter": "anchorage headline-news",
    "toc": "stock protocol autocomplete no-toc",
    "forum": "postgresql compost type-post postal threadsafe",
    "signature": "favorites byuser frankfurt biology",
    "caption": "imagine format-image has-post-thumbnail tag-photoshop photosynthesis multimedial",
    "summary": "misleading leading-6 deckhand introspection",
}
"""For each hint names that contain its letters and do not give it."""
UTILITIES = (
    "[&_.newsletter]:hidden peer-data-[popup=open] hover:text-main bg-(--header-bg) w-1/2 "
    "group/comment data-[side=left]:p-2 @container/main before:content-[''] supports-[nav]:flex "
    "pt-header ml-sidebar z-popup min-h-footer -mt-nav scroll-mt-header"
)
"""Names of utility frameworks: conditions and styles."""


def _rows(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(hint, name) for hint, names in table.items() for name in names.split()]


@pytest.mark.parametrize(("hint", "name"), _rows(TOLD))
def test_a_name_tells_what_its_words_say(hint: str, name: str) -> None:
    assert hint_bits(name) & BITS[hint], words_in(name)


@pytest.mark.parametrize(("hint", "name"), _rows(UNTOLD))
def test_letters_inside_a_word_tell_nothing(hint: str, name: str) -> None:
    assert not hint_bits(name) & BITS[hint], words_in(name)


@pytest.mark.parametrize("name", UTILITIES.split())
def test_names_of_utility_frameworks_tell_nothing(name: str) -> None:
    assert words_in(name) == ()


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ("post-7 post type-post hentry category-media tag-author", ("post", "post", "hentry")),
        ("node node-type-story node-promoted tag-search", ("node", "node", "node")),
        ("post tag-comments tag-media", ("post",)),
        ("card rubrik-kommentar", ("card",)),
        ("tag-cloud category-list", ("tagcloud", "category", "list")),
        ("format-gallery status-publish", ()),
        ("view-mode-teaser", ()),
        ("Header_nav__3xY1z", ("header", "nav")),
        ("x" * 300, ()),
        ("nav " + "x " * 300, ("nav",)),
    ],
)
def test_values_beside_a_word_are_no_words(names: str, words: tuple[str, ...]) -> None:
    """What WordPress and Drupal store as classes are the names of tags, of formats and states."""
    assert words_in(names) == words


@pytest.mark.parametrize(
    ("name", "regions"),
    [
        ("side-nav", {"side", "nav"}),
        ("weizhi", {"crumb"}),
        ("list-item", {"main", "entry"}),
        ("tag-navarra", set()),
        ("tagcloud", {"tags"}),
        ("__next", set()),
    ],
)
def test_links_read_the_same_words(name: str, regions: set[str]) -> None:
    named = {region for region, bit in REGION_BIT.items() if _named(name) & bit}
    assert named == regions


def test_the_order_of_hints_and_regions_is_that_of_the_models() -> None:
    assert list(BITS) == list(HINTS)
    assert (HINTS[0], HINTS[-1]) == ("comment", "summary")
    assert list(REGION_BIT)[:22] == list(REGIONS)
    assert (REGIONS[0], REGIONS[-1]) == ("nav", "skip")


@pytest.mark.parametrize(
    ("group", "right", "wrong"),
    [
        (
            "persons",
            "author post-author commentAuthor authorposton username user_name nickname vcard fn",
            "authority authorized picnic cornick infn creatore displays membership",
        ),
        ("by-lines", "author authors byline byLine post-byline", "authorise authorisation"),
        (
            "breadcrumbs",
            "breadcrumb bread-crumb breadcrumbs crumbs",
            "crumble crumbly has-breadcrumbs",
        ),
        (
            "edit links",
            "edit-link mw-editsection editthis",
            "credit-link accredit-section meredith",
        ),
        (
            "times",
            "date post-date postdate posttime timestamp posted-on",
            "timely candidate timetable",
        ),
        ("small pictures", "avatar wp-smiley emoji icon favicon", "avatarium iconic semiotics"),
        (
            "names in records",
            "comment-author username user_name who by nickname",
            "whole byte wholesale filename rename-x authority",
        ),
        (
            "facts of persons",
            "join-date user-title badge signature stats role",
            "lifetime joinery discount static parole candidate entitled",
        ),
        ("dates of something else", "joined last-edit modified updated", "credit blast editorial"),
        ("highlighters", "hljs chroma src-python sh_java", "chromatic srcset"),
        (
            "trails",
            "breadcrumb path weizhi fil-d-ariane Brotkrumen-Navigation",
            "crumble pathology",
        ),
        ("captions", "wp-caption-text imageCaption figcaption", "captioned no-caption recaption"),
        ("kickers", "article__kicker kickerText eyebrow pre-title", "nutkickers title prefix"),
        ("quotations", "quote bbcode_quote quotetitle quoteBox", "quotient misquote"),
        ("code", "sourceCode codehilite highlight-source", "barcode postcode decode encode"),
    ],
)
def test_rooms_ask_for_groups_of_words(group: str, right: str, wrong: str) -> None:
    test = names_one_of(words_of(group))
    assert [name for name in right.split() if not test(name)] == []
    assert [name for name in wrong.split() if test(name)] == []


def test_a_picture_is_told_by_its_class_and_its_url() -> None:
    icons = words_of("small pictures")
    assert words_of_picture("", "https://a.example/avatar/7.png") & icons
    assert words_of_picture("wp-smiley", "") & icons
    assert not words_of_picture("wide", "https://a.example/iconic-avatarium.jpg") & icons


ARTICLE = """<html><head><title>Ferry returns to the lower quay</title></head><body>
<header><a href="/">Home</a><a href="/news/">News</a></header><div{names}>
<h1>Ferry returns to the lower quay</h1>
<p><span class="author">Ada Lorne</span> | <span>July 24, 2017 - 18:55</span></p>
<p>The ferry that had been out of service since March sailed from the lower quay on Monday, with
some two hundred people on board and a band on the upper deck.</p>
<p>It will call at both piers every hour until the end of September, and every second hour after
that, as long as the river is free of ice.</p>
<p>Repairs to its hull, which the town had put off twice, took eleven weeks.</p></div>
<footer><p>All rights are with the town.</p></footer></body></html>"""


@pytest.mark.parametrize(
    "names",
    [
        'id="__next"',
        'id="__nuxt" class="nextcloud"',
        'class="node node-promoted node-sticky"',
        'class="type-post category-presidente tag-navarra tag-cookies"',
        'class="format-aside"',
        'class="rubrique-navette mot-commentateur"',
        'class="[&_.newsletter]:hidden before:content-[x]"',
        'class="peer-data-[popup=open]:blur group/sidebar w-(--sidebar-width)"',
        'class="has-sidebar no-comments hide-footer"',
        'class="commentary-2017 presidents footballers"',
        'class="css-1ad4f9 sc-2toc7"',
        'class="layout sidebar-position-left menu-bottom"',
        'id="content-sidebar-wrap"',
        'class="l-nav-open popup-ready"',
    ],
)
def test_names_that_tell_nothing_change_nothing(names: str) -> None:
    plain, named = (
        sitecrawl.extract(ARTICLE.replace("{names}", given), "http://quay.example/2017/ferry")
        for given in ("", f" {names}")
    )
    assert named.headline == "Ferry returns to the lower quay"
    assert (named.headline, named.datePublished, named.authors, named.articleBody) == (
        plain.headline,
        plain.datePublished,
        plain.authors,
        plain.articleBody,
    )


def test_an_unknown_group_is_an_error() -> None:
    with pytest.raises(KeyError):
        words_of("no such group")
