"""Names of classes and ids as found on open pages, and what they tell: whole words only."""

from __future__ import annotations

import pytest

from sitecrawl.dom.blocks import BITS, hint_bits
from sitecrawl.dom.class_names import HINTS, REGIONS, words_in, words_of
from sitecrawl.links.regions import REGION_BIT, _named

TOLD = {
    "comment": "comments comment-list commentlist comment_body postCommentForm reply-link "
    "disqus_thread vcard-comment respond gitalk-container valine waline kommentare comentarios "
    "commentaires reactie pinglun liuyan yorumlar guestbook comment-123 recentcomments yourcomment",
    "nav": "nav navbar-nav mainnav main-nav navMenu site-navigation seitennavigation hauptmenu "
    "topmenu rightmenulist breadcrumbs breadCrumb bread-crumb pager pagination page-prev "
    "nextpostslink prevlink skip-link toolbar tab-item quicktabs daohang dangqianweizhi",
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
    "forum": "post thread threadlist topic topictitle forumline message postmessage_4711 floor "
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
    "group/comment data-[side=left]:p-2 @container/main before:content-[''] supports-[nav]:flex"
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


def test_an_unknown_group_is_an_error() -> None:
    with pytest.raises(KeyError):
        words_of("no such group")
