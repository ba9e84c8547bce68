"""Comments and posts as records."""

from __future__ import annotations

import re
from typing import Any

import pytest
from lxml import etree, html

from sitecrawl import extract
from sitecrawl.dom.align import Names
from sitecrawl.dom.document import Document
from sitecrawl.dom.tree import Flat, flatten, string_of
from sitecrawl.extract.single import Extraction
from sitecrawl.items.article import Comment
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.address import text_of
from sitecrawl.templates.aligned_pages import align_pages
from sitecrawl.templates.comments.comment_records import induce_records
from sitecrawl.templates.comments.read_records import read_opener, read_records, without_date
from sitecrawl.templates.comments.record_parts import parts_of
from sitecrawl.templates.comments.rows import may_show_comments
from sitecrawl.templates.induction.induce import induce
from sitecrawl.templates.signs import Signs
from sitecrawl.templates.template import Body, Field, Records, Template
from tests.pages import article_page
from tests.templates.forums import COMMENTS, THREADS, Post, posts, thread_page
from tests.templates.samples import sample

NAMES = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus")


def with_below(html: str, number: int = 1) -> str:
    """An article with more below it."""
    return article_page(number).replace('<div class="side">', f'{html}<div class="side">')


def with_comments(number: int, count: int) -> str:
    comments = "".join(
        f'<li class="comment"><p class="by">Written by <b class="author">{NAMES[k]}</b> on 2024-06-{k + 1:02d} 10:0{k}</p>'
        f'<div class="comment-text"><p>I have been to district {number * 9 + k} myself, and it was rather nice, number {k}.</p></div></li>'
        for k in range(count)
    )
    return with_below(f'<ol class="comments">{comments}</ol>', number)


def learn(samples: list[Extraction]) -> Records | None:
    names = Names([one.page.document for one in samples])
    return induce_records(align_pages(samples), names)


def test_comments_have_author_date_and_text() -> None:
    records = learn([sample(with_comments(n, 2 + n % 3)) for n in range(5)])
    assert records is not None
    found = read_records(records, sample(with_comments(20, 3)).page.root)
    assert [comment.author for comment in found] == ["Ann", "Bo", "Cy"]
    assert [comment.datePublished for comment in found] == [
        f"2024-06-0{k + 1}T10:0{k}:00" for k in range(3)
    ]
    assert found[1].text == "I have been to district 181 myself, and it was rather nice, number 1."
    assert read_records(records, sample(article_page(3)).page.root) == []


@pytest.mark.parametrize("label", ["3 Kommentare", "全部评论 3", "Comentários", "3 yorum"])
@pytest.mark.parametrize(
    "comment",
    [
        "<div class='k-7f'><p><b class='k-u'>{0}</b> <i class='k-w'>{2} hours ago</i></p><div class='k-x'>{1}</div></div>",
        "<dl class=r><dt>{0} <span>{2} days ago</span></dt><dd>{1}</dd></dl>",
    ],
)
def test_a_label_of_comments_names_what_stands_below_it(comment: str, label: str) -> None:
    said = "The district {} is rather nice, all in all, but we came too late to see it."
    rows = "".join(comment.format(NAMES[at], said.format(at), at + 2) for at in range(3))
    found = extract(with_below(f"<section><h3>{label}</h3>{rows}</section>"), "http://a.example/b")
    assert [one.text for one in found.comments] == [said.format(at) for at in range(3)]


def test_a_comment_is_all_its_paragraphs_where_no_element_holds_its_text() -> None:
    parts = ("", "<p>Second.</p>", "<ul><li>Third</li></ul>", "<p class='votes'>3 votes</p>")
    comments = "".join(
        f"<li class='comment'><b class='author'>{NAMES[k]}</b> <i>2024-06-0{k + 1} 10:00</i>{'<blockquote>First.</blockquote>' * (k == 1)}"
        f"<p>I have been to district {k} myself, and it was rather nice, all in all.</p>{part}</li>"
        for k, part in enumerate(parts)
    )
    one = sample(with_below(f'<ol class="comments">{comments}</ol>'))
    records = learn([one])
    assert records is not None
    said = "I have been to district {} myself, and it was rather nice, all in all."
    first, second, third, fourth = (
        comment.text for comment in read_records(records, one.page.root)
    )
    assert (first, second) == (said.format(0), f"First.\n{said.format(1)}\nSecond.")
    assert (third, fourth) == (f"{said.format(2)}\nThird", said.format(3))


def test_comments_with_a_day_without_a_year_and_links_to_profiles_are_found() -> None:
    """Neither was a sign: such days are no dates, and an at sign was no word for somebody's own
    page."""

    def page(number: int, count: int) -> str:
        comments = "".join(
            f'<div class="comment" id="comment-{k}"><div class="head"><a href="/@{NAMES[k].lower()}{k}">{NAMES[k]}</a> <a href="#comment-{k}">Oct {k + 3}</a></div>'
            f"<div><p>I have been to district {number * 9 + k}, and it was nice.</p></div><button>Reply</button></div>"
            for k in range(count)
        )
        return with_below(comments, number)

    records = learn([sample(page(n, 2 + n % 3)) for n in range(5)])
    assert records is not None
    found = read_records(records, sample(page(20, 3)).page.root)
    assert [comment.author for comment in found] == ["Ann", "Bo", "Cy"]
    assert found[1].text == "I have been to district 181, and it was nice."


def test_one_page_is_enough_where_there_is_no_doubt() -> None:
    records = learn([sample(with_comments(1, 4))])
    assert records is not None
    assert len(read_records(records, sample(with_comments(2, 7)).page.root)) == 7


@pytest.mark.parametrize("counts", [(0, 5, 0, 1, 1, 0, 0, 0), (0, 0, 0, 2, 0, 0, 3, 0)])
def test_comments_are_found_by_name_where_most_pages_have_none(counts: tuple[int, ...]) -> None:
    """A template learned anew from eight pages lost the comments that it had from four: names on
    less than half of the pages were not used."""

    said = {
        '<ol class="comments">': '<div class="comments"><ul>',
        "</ol>": "</ul></div>",
        'Written by <b class="author">': '<b class="who">',
        "</b> on ": "</b> <span>",
        '</p><div class="comment-text">': '</span></p><div class="said">',
    }

    def page(number: int, count: int) -> Extraction:
        text = with_comments(number, count)
        for old, new in said.items():
            text = text.replace(old, new)
        return sample(text)

    records = learn([page(number, count) for number, count in enumerate(counts)])
    assert records is not None
    found = read_records(records, page(20, 3).page.root)
    assert [(comment.author, comment.datePublished) for comment in found] == [
        (NAMES[k], f"2024-06-0{k + 1}T10:0{k}:00") for k in range(3)
    ]


def test_teasers_of_other_articles_are_no_comments() -> None:
    teasers = "".join(
        f'<article class="post"><time>2024-05-{k + 1:02d}</time><h4><a href="/{k}">Another story about something else, number {k}</a></h4></article>'
        for k in range(4)
    )
    assert (
        learn(
            [
                sample(
                    article_page(n).replace(
                        '<div class="side">', f'<div class="more">{teasers}</div><div class="side">'
                    )
                )
                for n in range(5)
            ]
        )
        is None
    )


def test_excerpts_of_related_stories_are_no_comments() -> None:
    """Each has a class that posts have, too, an author, a day, twenty words, and a title that links
    to another page."""
    excerpt = "In which the council hears the fishermen for the first time since the harbour was closed to them, and says nothing at all."
    related = "".join(
        f"<div class='related-post'><h3><a href='/story/{at}'>The harbour, part {at} of the story</a></h3>"
        f"<a class='author' href='/people/{at}'>{NAMES[at]}</a> <time>2024-05-0{at + 1}</time><p>{excerpt} {at}</p></div>"
        for at in range(3)
    )
    page = with_below(f'<div class="below">{related}</div>')
    assert learn([sample(page)]) is None


CARDS = {
    "link and excerpt": '<li><a href="/story/{0}"><img src="/{0}.jpg"></a><a href="/story/{0}">{1}</a><p>{2}</p>'
    '<p><a href="/author/{3}">{3}</a> 2024-05-1{0}</p></li>',
    "boxes named as posts": '<div class="post-item"><h3><a href="/story/{0}">{1}</a></h3><p>{2}</p>'
    '<p><span class="name">{3}</span> <time>2024-05-1{0}</time></p></div>',
    "covered by a link": '<div class="tile"><p>{1}</p><p>{2}</p><p><span class="author">{3}</span> <time>2024-05-1{0}</time></p>'
    '<a href="/story/{0}" aria-label="{1}"></a></div>',
    "articles": '<article><h4><a href="/story/{0}">{1}</a></h4><span class="author">{3}</span> <time>2024-05-1{0}</time></article>',
}
STORY = "A story about the harbour, part"
TEASER = "In which the council hears the fishermen for the first time since the harbour was closed to them, part"


@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize("card", CARDS)
def test_cards_with_author_and_day_do_not_hide_the_comments(card: str, above: bool) -> None:
    """They have more of what comments have than the comments, which are a list without a name."""
    cards = [
        CARDS[card].format(at, f"{STORY} {at}", f"{TEASER} {at}.", NAMES[at]) for at in range(4)
    ]

    def page(number: int, count: int) -> str:
        said = "".join(
            f"<li>{STYLES[0].format(p.author, p.iso[:10], p.text)}</li>"
            for p in posts(number, count)
        )
        both = [f"<div class='more'>{''.join(cards)}</div>", f"<ul class='talk'>{said}</ul>"]
        return article_page(number).replace(
            '<div class="side">', "".join(both[:: 1 if above else -1]) + "<div>"
        )

    model = SiteModel()
    model.learn([(f"http://news.example/{n}.html", page(n, 3 + n % 3)) for n in range(8)])
    for number in (21, 22, 23):
        found = model.extract(
            html=page(number, 4), url=f"http://news.example/{number}.html"
        ).comments
        assert [comment.text for comment in found] == [post.text for post in posts(number, 4)]
    model = SiteModel()
    model.learn([(f"http://news.example/{n}.html", page(n, 0)) for n in range(8)])
    assert not model.extract(html=page(30, 0), url="http://news.example/30.html").comments


def test_the_same_cards_on_each_page_are_no_comments() -> None:
    """A theme may name articles and cards as forums name posts; then the first is the article
    itself, and the titles recur from page to page."""
    cards = "".join(
        f"<article class='post'><h4><a href='/story/{at}'>{STORY} {at}</a></h4><a href='/author/ann'>Ann</a> <time>2024-05-1{at}</time> "
        f"<p>{TEASER} {at}.</p></article>"
        for at in range(3)
    )
    pages = [
        f"<html><body><article class='post'>{page[page.index('<h1>') : page.index('</body>')]}</article>{cards}</body></html>"
        for page in map(article_page, range(6))
    ]
    assert learn([sample(page) for page in pages]) is None


def test_boxes_of_a_layout_are_no_comments() -> None:
    """One of two holds the whole article, and both have a day and a link to somebody."""
    by = "<p><a class='author' href='/people/5'>Ann Onym</a> <time>2024-05-05</time></p>"
    text = "".join(
        f"<p>The council heard the fishermen, and said nothing at all, at meeting {at}.</p>"
        for at in range(9)
    )
    for box in ("<div>", "<div class='super'>"):
        page = f"<html><body><main>{box}<b>Issue 7</b>{by}</div>{box}<h1>The harbour is closed</h1>{by}{text}</div></main></body></html>"
        assert learn([sample(page)]) is None


@pytest.mark.parametrize("box", ["<div>", "<div class='super'>"])
def test_posts_are_no_layout_where_the_extractor_takes_one_of_them_for_the_body(box: str) -> None:
    """It keeps the third of five, so that the first has no word of the body, and the third all."""
    by = "<p><a class='author' href='/people/{0.user}'>{0.author}</a> <time>{0.iso}</time></p>"
    rows = "".join(f"{box}{by.format(post)}<p>{post.text}</p></div>" for post in posts(1, 5))
    pages = align_pages([sample(f"<html><body><h1>A bridge</h1><main>{rows}</main></body></html>")])
    pages[0].keep[["Number 103" not in text for text in pages[0].blocks.texts]] = 0.0
    records = induce_records(pages, Names([pages[0].page.document]))
    assert records is not None
    assert [found.text for found in read_records(records, pages[0].page.root)] == [
        post.text for post in posts(1, 5)[1:]
    ]


def test_teasers_with_authors_below_a_thread_are_no_posts() -> None:
    teasers = "".join(
        f'<div class="post-item"><a class="author" href="/user/{k}">{NAMES[k]}</a> <span class="date">2024-05-{k + 1:02d}</span>'
        f'<div><a href="/t/{k}">Another thread about something else, number {k}</a></div><p>What is it about, and who knows how it ends?</p></div>'
        for k in range(6)
    )
    page = thread_page("xenforo", 3, 5).replace(
        '<div class="footer">', f'<div class="more">{teasers}</div><div class="footer">'
    )
    records = learn([sample(page)])
    assert records is not None
    check(read_records(records, sample(page).page.root), posts(3, 5)[1:])


def test_comments_of_program_text_are_no_comments() -> None:
    code = "".join(
        f'<span class="comment">// step {k}: the value of what was read before</span>\n'
        for k in range(8)
    )
    assert (
        learn(
            [sample(article_page(n).replace("</p>", f"</p><pre>{code}</pre>", 1)) for n in range(4)]
        )
        is None
    )


@pytest.mark.parametrize(
    "tag", ["blockquote class='pull-quote'", "p class='quote-text'", "p class='post-text'"]
)
def test_quotations_in_an_article_are_no_comments(tag: str) -> None:
    """A quotation has an author too, and a class name that posts of forums have."""
    said = "We have been to district {} ourselves, and it was rather nice, though we waited long for it."
    quoted = "".join(
        f"<{tag}>{said.format(k)}<cite>{NAMES[k]}</cite></{tag.split()[0]}>" for k in range(4)
    )
    one = sample(with_below(f"<section>{quoted}</section>"))
    assert learn([one]) is None


@pytest.mark.parametrize("tag", ["p", "blockquote"])
def test_paragraphs_and_quotations_that_are_called_comments_are_comments(tag: str) -> None:
    said = "We have been to district {} ourselves, and it was rather nice."
    comments = "".join(
        f"<{tag} class='comment'>{said.format(k)}</{tag}><p class='by'>Posted by {name} on 2024-06-{k + 1:02d} 10:00</p>"
        for k, name in enumerate(NAMES)
    )
    one = sample(with_below(comments))
    records = learn([one])
    assert records is not None
    assert [comment.text for comment in read_records(records, one.page.root)] == [
        said.format(k) for k in range(7)
    ]


def test_comments_are_all_that_have_the_common_name_where_every_other_one_has_a_second_name() -> (
    None
):
    said = "I have been to district {} myself, and it was rather nice, though we all waited long for the harbour and its bridge."
    texts = [said.format(k) if k % 2 == 0 else f"Me too, {k} times." for k in range(7)]
    comments = "".join(
        f"<li class='comment {('thread-even', 'thread-odd')[k % 2]}'><b class='author'>{NAMES[k]}</b> <i>2024-06-0{k + 1} 10:00</i><p>{text}</p></li>"
        for k, text in enumerate(texts)
    )
    one = sample(with_below(f'<ol class="list">{comments}</ol>'))
    records = learn([one])
    assert records is not None
    assert [comment.text for comment in read_records(records, one.page.root)] == texts


def test_parts_of_an_article_are_no_comments_where_it_is_called_a_post() -> None:
    days = "".join(
        f"<div>{what} <i>2024-05-0{k}</i> at the harbour</div>"
        for k, what in ((2, "Written on"), (3, "Changed on"))
    )
    one = sample(
        article_page(1).replace(
            '<div class="text">', f'<div id="post-meta">{days}</div><div class="text">'
        )
    )
    assert learn([one]) is None


@pytest.mark.costs(4.0)
def test_a_thread_of_many_levels_takes_little_work() -> None:
    """Each record holds all below it: all of them were searched for the author, the date and the
    text of each."""
    said = "<div class=answers><div class=comment><b class=author>Ann</b> <time>2024-06-01</time><p>I think so, too, {}."
    page = f"<h1>A thread of answers</h1>{''.join(map(said.format, range(900)))}"
    comments = extract(page, "http://example.com/a").comments or []
    assert [comment.text for comment in comments] == [
        f"I think so, too, {number}." for number in range(len(comments))
    ]
    assert len(comments) > 400


def test_pages_without_repetition_have_no_records() -> None:
    assert learn([sample(article_page(n)) for n in range(4)]) is None


ROW = "<div><b>{0}</b> <i>2024-06-0{0} 10:15</i><p>{1}</p></div>"
SAID = "I have been there myself, and it was rather nice."
SINGLE_PAGES = [
    # what stands on the page, is it a forum or are elements named comments, may it show comments
    ("<i>2024-06-01</i><p>An article.</p>", False, False),
    (f"<div><i>2024-06-01</i></div><p>{SAID}</p><div><i>2024-06-02</i></div>", False, False),
    (f"<div><i>2024-06-01</i></div><p>{SAID}</p><div><i>2024-06-02</i></div>", True, True),
    ("".join(ROW.format(number, SAID) for number in (1, 2, 3)), False, True),
    ("".join(ROW.format(number, f"<a href=/a>{SAID}</a>") for number in (1, 2, 3)), True, False),
    ("".join(ROW.format(number, "") for number in (1, 2, 3)), True, False),
    (f"<noscript>{''.join(ROW.format(number, SAID) for number in (1, 2))}</noscript>", False, True),
]


@pytest.mark.parametrize(("body", "is_named", "wanted"), SINGLE_PAGES)
def test_a_single_page_may_show_comments(body: str, is_named: bool, wanted: bool) -> None:
    document = Document(html.fromstring(f"<html><body><h1>Title</h1>{body}</body></html>"))
    assert may_show_comments(Signs(document), is_named=is_named) is wanted


def test_a_byline_without_its_date() -> None:
    assert without_date("王小明 2019年7月5日 10:30 发表") == "王小明 发表"


def commented_page(layout: str, number: int, count: int) -> str:
    section = COMMENTS[layout](posts(number, count))
    return with_below(section, number)


def check(found: list[Comment], wanted: list[Post]) -> None:
    assert [comment.author for comment in found] == [post.author for post in wanted]
    assert [(comment.datePublished or "")[:16] for comment in found] == [
        post.iso[:16] for post in wanted
    ]
    for comment, post in zip(found, wanted, strict=True):
        assert comment.text.startswith(post.text)
        assert len(comment.text) < len(post.text) + 60


@pytest.mark.parametrize("layout", THREADS)
@pytest.mark.parametrize("pages", [1, 6])
def test_replies_of_well_known_forums(layout: str, pages: int) -> None:
    records = learn([sample(thread_page(layout, n, 4 + n % 4)) for n in range(1, 1 + pages)])
    assert records is not None
    assert records.skip_first
    check(read_records(records, sample(thread_page(layout, 9, 6)).page.root), posts(9, 6)[1:])
    opener = read_opener(records, sample(thread_page(layout, 9, 6)).page.root)
    assert opener is not None
    check([opener], posts(9, 6)[:1])


@pytest.mark.parametrize("layout", THREADS)
def test_a_thread_has_author_and_day_of_its_first_post(layout: str) -> None:
    site = SiteModel()
    site.learn([(f"http://forum.example/{n}", thread_page(layout, n, 4)) for n in range(1, 9)])
    thread = site.extract(thread_page(layout, 9, 4), "http://forum.example/9")
    assert [author["name"] for author in thread.authors] == [posts(9, 4)[0].author]
    assert (thread.datePublished or "")[:10] == posts(9, 4)[0].iso[:10]
    assert [comment.author for comment in thread.comments] == [
        post.author for post in posts(9, 4)[1:]
    ]


@pytest.mark.parametrize("layout", COMMENTS)
@pytest.mark.parametrize("pages", [1, 6])
def test_comments_below_an_article(layout: str, pages: int) -> None:
    records = learn([sample(commented_page(layout, n, 4 + n % 4)) for n in range(1, 1 + pages)])
    assert records is not None
    assert not records.skip_first
    check(read_records(records, sample(commented_page(layout, 9, 6)).page.root), posts(9, 6))
    assert read_opener(records, sample(commented_page(layout, 9, 6)).page.root) is None


def test_replies_to_replies_keep_to_themselves() -> None:
    def document(thread: int, depth: int) -> str:
        inner = ""
        for post in reversed(posts(thread, depth)):
            one = (
                COMMENTS["wordpress"]([post])
                .partition('<ol class="comment-list">')[2]
                .partition("</ol>")[0]
            )
            inner = one.removesuffix("</li>") + f'<ol class="children">{inner}</ol></li>'
        return article_page(thread).replace(
            '<div class="side">', f'<ol class="comment-list">{inner}</ol><div class="side">'
        )

    records = learn([sample(document(n, 3 + n % 3)) for n in range(1, 6)])
    assert records is not None
    check(read_records(records, sample(document(9, 5)).page.root), posts(9, 5))


def test_records_outlive_their_document() -> None:
    records = learn([sample(thread_page("two_rows", n, 5)) for n in range(1, 5)])
    assert records is not None
    assert any("sibling::" in address for address in records.author)
    again = Template.from_dict(
        Template("talk.example", "thread", Body(["/html/body"]), records=records).to_dict()
    )
    assert again.records == records


def test_dates_of_a_site_that_writes_the_month_first() -> None:
    def page(thread: int) -> str:
        rows = (
            f'<li class="post"><a href="/members/{post.user}">{post.author}</a> <span>06-{post.day + 8:02d}-2023, 10:{post.number:02d} AM</span><p>{post.text}</p></li>'
            for post in posts(thread, 9)
        )
        return f"<html><head><title>Bridge {thread}</title></head><body><h1>Bridge {thread}</h1><ol>{''.join(rows)}</ol></body></html>"

    records = learn([sample(page(n)) for n in range(1, 4)])
    assert records is not None
    found = read_records(records, sample(page(9)).page.root)
    assert [comment.datePublished for comment in found] == [
        f"2023-06-{n + 10:02d}T10:{n:02d}:00" for n in range(2, 10)
    ]


def asked(number: int, count: int, section: str) -> tuple[str, str]:
    """A page whose text is answered by comments; its breadcrumbs lead to ``section``."""
    opening = " ".join(post.text for post in posts(number, 4))
    page = f"""<html><head><title>Bridge number {number} - Talk</title></head><body><div class="breadcrumb"><a href="/">Home</a> <a href="/{section}/index.html">Bridges</a></div>
<div class="main"><h2>Bridge number {number}</h2><div class="article"><span class="submitted">Submitted by Ann on {number + 1} June 2023 - 09:00</span><p>{opening}</p></div>
{COMMENTS["drupal"](posts(number, count))}</div><div class="footer">Powered by a system. <a href="/imprint">Imprint</a></div></body></html>"""
    return f"http://talk.example/node/{number}", page


@pytest.mark.parametrize(("section", "kind"), [("forum", "thread"), ("blog", "article")])
def test_comments_in_a_forum_are_the_thread_and_below_an_article_no_part_of_it(
    section: str, kind: str
) -> None:
    site = SiteModel()
    site.learn([asked(number, 3 + number % 4, section) for number in range(1, 8)])
    article = site.extract(*reversed(asked(12, 5, section)))
    assert article.provenance.method == "template"
    assert site.templates[0].kind == kind
    check(article.comments, posts(12, 5))
    replies = [post.text in article.articleBody for post in posts(12, 5)[4:]]
    assert all(replies) if kind == "thread" else not any(replies)
    assert posts(12, 4)[0].text in article.articleBody


LISTS = {
    "named list": ('<ul id="comments">', "li", "</ul>"),
    "list with a class": ('<ul class="commentlist">', "li", "</ul>"),
    "list without a name": ("<ul>", "li", "</ul>"),
    "boxes without a name": ("<div>", "div", "</div>"),
}
STYLES = (
    "<b>{0}</b> <span>{1} 10:15</span><p>{2}</p>",
    '<div><a href="/user/{0}">{0}</a> <time>{1} 10:15</time></div><div>{2}</div>',
    "<cite>{0}</cite> says: <small>{1} 10:15</small><p>{2}</p>",
)


def discussed_page(number: int, place: str, style: str) -> tuple[str, list[str]]:
    """An article with up to six comments below it that have no class, and their texts."""
    start, tag, end = LISTS[place]
    said = [post for post in posts(number, 1 + number % 7)[1:] if post.text]
    records = "".join(
        f"<{tag}>{style.format(one.author, one.iso[:10], one.text)}</{tag}>" for one in said
    )
    page = article_page(number).replace("</body>", f"{start}{records}{end}</body>")
    return page, [one.text for one in said]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("place", LISTS)
def test_comments_without_a_name_are_read_and_are_no_body(place: str, style: str) -> None:
    model = SiteModel()
    model.learn(
        [(f"http://news.example/{n}.html", discussed_page(n, place, style)[0]) for n in range(8)]
    )
    for number in range(20, 34):
        source, wanted = discussed_page(number, place, style)
        article = model.extract(html=source, url=f"http://news.example/{number}.html")
        assert [comment.text for comment in article.comments] == wanted
        assert "district" in article.articleBody
        assert not any(text in article.articleBody for text in wanted)


def test_comments_with_class_names_that_say_nothing_are_found_by_day_author_and_words() -> None:
    row = '<div class="x7k"><p><a class="u1" href="/user/{0}">{0}</a> <span class="d2">{1}</span></p><div class="b3">{2}</div></div>'

    def page(number: int, count: int) -> str:
        texts = [f"{post.text} {post.text}" for post in posts(number, count)]
        said = [
            row.format(p.author, p.iso[:10], text)
            for p, text in zip(posts(number, count), texts, strict=True)
        ]
        return article_page(number).replace(
            "</body>", f"<h3>{count} comments</h3>{''.join(said)}</body>"
        )

    model = SiteModel()
    model.learn([(f"http://news.example/{n}.html", page(n, 2 + n % 3)) for n in range(8)])
    found = model.extract(html=page(20, 4), url="http://news.example/20.html").comments
    assert [(one.author, one.datePublished) for one in found] == [
        (p.author, p.iso[:10]) for p in posts(20, 4)
    ]


def test_comments_below_the_text_in_a_box_that_is_left_out_are_not_lost() -> None:
    """Where they are many, a rule without a name is not trusted to cut them from the body; but the
    box around them is cut by its name."""
    row = "<dt>{0} ({1} 10:15)</dt><dd><p>{2}</p></dd>"

    def page(number: int, count: int) -> tuple[str, list[str]]:
        texts = [
            f"{post.text} {post.text[:-1]}, and once more, and so it was."
            for post in posts(number, count)
        ]
        said = [
            row.format(p.author, p.iso[:10], text)
            for p, text in zip(posts(number, count), texts, strict=True)
        ]
        html, below = article_page(number), f"<dl class='said'>{''.join(said)}</dl>" if said else ""
        prose = re.search('<div class="text">(.*?)</div>', html, re.S)
        assert prose
        return html.replace(prose[0], f"{prose[1]}{below}").replace(
            '<div id="main">', '<div class="page">'
        ), texts

    model = SiteModel()
    model.learn(
        [
            (f"http://news.example/{n}.html", page(n, k)[0])
            for n, k in enumerate((5, 0, 2, 7, 1, 3, 4, 0))
        ]
    )
    for number in (20, 21, 22, 23):
        html, wanted = page(number, number - 14)
        article = model.extract(html=html, url=f"http://news.example/{number}.html")
        assert [comment.text for comment in article.comments] == wanted
        assert not any(text in article.articleBody for text in wanted)


@pytest.mark.parametrize(
    "style",
    [
        "<h4>{0}</h4><small>{1} 10:15</small><blockquote>{2}</blockquote>",
        '<img src="/p.png" alt=""><b>{0}</b><time datetime="{1}T10:15">{1} 10:15</time><div>{2}</div>',
    ],
)
def test_a_name_beside_the_date_is_the_authors_where_nothing_else_tells_it(style: str) -> None:
    model = SiteModel()
    model.learn(
        [
            (f"http://news.example/{n}.html", discussed_page(n, "named list", style)[0])
            for n in range(2, 10)
        ]
    )
    for number in (23, 24, 25):
        source, wanted = discussed_page(number, "named list", style)
        found = model.extract(html=source, url=f"http://news.example/{number}.html").comments
        assert [(one.author, one.text) for one in found] == [
            (post.author, post.text) for post in posts(number, 1 + number % 7)[1:]
        ]
        assert len(found) == len(wanted) > 1


NAMES_OF_ELEMENTS = re.compile(
    r' (?:class|id|itemprop|itemtype|data-[\w-]+|rel|role)="[^"]*"| itemscope'
)


def nameless(page: str) -> str:
    return NAMES_OF_ELEMENTS.sub("", page)


@pytest.mark.parametrize("layout", [name for name in THREADS if name != "bbpress"])
def test_forums_without_a_name_are_read_by_their_tags(layout: str) -> None:
    records = learn([sample(nameless(thread_page(layout, n, 4 + n % 4))) for n in range(1, 7)])
    assert records is not None
    assert "@" not in records.unit
    assert records.skip_first
    found = read_records(records, sample(nameless(thread_page(layout, 9, 6))).page.root)
    wanted = posts(9, 6)[1:]
    assert [(comment.datePublished or "")[:10] for comment in found] == [
        post.iso[:10] for post in wanted
    ]
    assert all(
        comment.text.startswith(post.text) for comment, post in zip(found, wanted, strict=True)
    )


@pytest.mark.parametrize("layout", COMMENTS)
def test_comments_without_a_name_are_told_from_the_article(layout: str) -> None:
    records = learn([sample(nameless(commented_page(layout, n, 4 + n % 4))) for n in range(1, 7)])
    assert records is not None
    assert not records.skip_first
    found = read_records(records, sample(nameless(commented_page(layout, 9, 6))).page.root)
    assert all(
        comment.text.startswith(post.text) for comment, post in zip(found, posts(9, 6), strict=True)
    )


def simple_thread(number: int, count: int, style: str = STYLES[1]) -> str:
    """A thread of items without a name, an advertisement after the first."""
    rows = [f"<li>{style.format(p.author, p.iso[:10], p.text)}</li>" for p in posts(number, count)]
    rows.insert(
        1,
        "<li><span><a href='/shop'>Paint for bridges, half price until the end of the month</a></span></li>",
    )
    return f"<html><head><title>Thread {number}</title></head><body><h1>Thread {number}</h1><div><ol>{''.join(rows)}</ol></div></body></html>"


def test_an_advertisement_between_posts_is_none() -> None:
    records = learn([sample(simple_thread(n, 5)) for n in range(1, 7)])
    assert records is not None
    found = read_records(records, sample(simple_thread(9, 5)).page.root)
    assert [comment.text for comment in found] == [post.text for post in posts(9, 5)[1:]]


@pytest.mark.parametrize("replies", [2, 5])
def test_the_opening_post_before_the_list_of_replies_leaves_the_first_reply_a_reply(
    replies: int,
) -> None:
    """A thread without names: the question in a box of its own, the answers in a list below it."""
    opener, *answers = posts(4, replies + 1)
    rows = [
        f"<div>{STYLES[1].format(post.author, post.iso[:10], post.text)}</div>"
        for post in (opener, *answers)
    ]
    page = f"<html><head><title>Thread</title></head><body><h1>Thread</h1><main><section>{rows[0]}</section><ul>"
    page += "".join(f"<li>{row}</li>" for row in rows[1:]) + "</ul></main></body></html>"
    records = learn([sample(page)])
    assert records is not None
    found = read_records(records, sample(page).page.root)
    assert [comment.author for comment in found] == [post.author for post in answers]


@pytest.mark.costs(1)
def test_elements_of_one_name_and_ever_new_tags_cost_nothing() -> None:
    lines = "<p>Ann on 3 May 2020</p><p>four words stand here now</p><p>Bo on 4 May 2020</p>"
    found = sample(lines + "".join(f"<x{n} class=comment>a</x{n}>" for n in range(16_000)))
    assert learn([found]) is None


def test_answers_to_answers_without_a_name_are_found_at_every_depth() -> None:
    def document(thread: int, depth: int) -> str:
        inner = ""
        for post in reversed(posts(thread, depth)):
            inner = f"<div><form>{STYLES[1].format(post.author, post.iso[:10], post.text)}</form><div>{inner}</div></div>"
        return f"<html><head><title>Thread {thread}</title></head><body><h1>Thread {thread}</h1><main><div>{inner}</div></main></body></html>"

    records = learn([sample(document(n, 5)) for n in range(1, 7)])
    assert records is not None
    found = read_records(records, sample(document(9, 6)).page.root)
    assert [comment.text for comment in found][-5:] == [post.text for post in posts(9, 6)[1:]]


def test_posts_that_only_readers_without_scripts_see_are_found_without_a_name() -> None:
    page = nameless(thread_page("discourse", 4, 5))
    assert "<noscript" in page
    records = learn([sample(page)])
    assert records is not None
    assert [one.author for one in read_records(records, sample(page).page.root)][-1] == posts(4, 5)[
        -1
    ].author


@pytest.mark.parametrize(
    "when", ["3 weeks ago", "vor 2 Stunden", "hace 5 días", "Gestern, 10:30", "5分钟前"]
)
def test_times_told_from_now_stand_where_dates_stand(when: str) -> None:
    node = html.fromstring(f"<div><b>Ann</b> <i>{when}</i><p>It was a long way home</p></div>")
    assert Signs(Document(node)).dated[0]


def test_prose_with_numbers_is_no_time() -> None:
    node = html.fromstring("<div><p>It took 3 weeks and 5 days of work</p></div>")
    assert not Signs(Document(node)).dated[0]


def test_a_thread_is_read_by_its_tags_alone() -> None:
    def page(number: int) -> str:
        rows = "".join(
            f"<li>{STYLES[1].format(p.author, p.iso[:10], p.text)}</li>" for p in posts(number, 5)
        )
        return f"<html><head><title>Thread {number}</title></head><body><h1>Thread {number}</h1><div><ol>{rows}</ol></div></body></html>"

    records = learn([sample(page(n)) for n in range(1, 7)])
    assert records is not None
    assert records.unit.endswith("/li")
    assert records.skip_first
    assert len(read_records(records, sample(page(9)).page.root)) == 4


def test_what_some_pages_have_is_optional_and_further_pages_decide() -> None:
    template = induce([sample(with_comments(n, n % 3)) for n in range(6)])
    assert template is not None
    assert template.optional == ["comments"]
    assert Template.from_dict(template.to_dict()).optional == ["comments"]
    always = induce([sample(with_comments(n, 2 + n % 3)) for n in range(6)])
    assert always is not None
    assert always.optional == []


@pytest.mark.parametrize("layout", THREADS)
def test_signs_of_an_element_are_those_of_the_elements_within(layout: str) -> None:
    document = sample(thread_page(layout, 3, 4)).page.document
    alone = Signs(document)
    counted = {
        kind: alone.count(getattr(alone, kind)).tolist() for kind in ("lines", "times", "authors")
    }
    assert any(map(any, counted.values()))
    for counts in counted.values():
        own = [
            count - sum(counts[child] for child in document.children(at))
            for at, count in enumerate(counts)
        ]
        assert set(own) <= {0, 1}
    for at, node in enumerate(document.nodes):
        assert alone.text(at)[0] == text_of(node)[:400]
        dated = 0 < counted["lines"][at] <= 3 or 0 < counted["times"][at] <= 4
        assert alone.dated[at] == dated


def replies(depth: int) -> str:
    opened = "".join(
        f'<div class="comment"><b>User {n}</b> <i>2024-06-01 10:0{n % 10}</i><p>I say {n}, and no more.</p>'
        for n in range(depth)
    )
    return f'<div id="comments">{opened}{"</div>" * depth}</div>'


def test_replies_in_replies_are_each_rendered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = list[int]()

    def counted(*given: Any) -> Flat:
        flat = flatten(*given)
        sizes.append(len(flat.nodes))
        return flat

    monkeypatch.setattr("sitecrawl.templates.comments.read_records.flatten", counted)
    records = Records(
        '//div[contains(concat(" ", @class, " "), " comment ")]', author=[".//b"], date=[".//i"]
    )
    found = read_records(records, sample(replies(100)).page.root)
    assert [one.text for one in found] == [f"I say {n}, and no more." for n in range(100)]
    assert sum(sizes) < 6 * 100


def test_text_of_a_part_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[object]()

    def counted(node: etree._Element) -> str:
        asked.append(node)
        return string_of(node)

    monkeypatch.setattr("sitecrawl.templates.comments.record_parts.string_of", counted)
    document = Document(
        html.document_fromstring(
            f'<div><p class="a">x{"<b>y</b>" * 50}</p>{"<p class=a>z</p>" * 50}</div>'
        )
    )
    units = [(document, document.tags.index("div"))]
    assert parts_of(units, Names([document]))
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize("layout", THREADS)
def test_the_day_of_a_thread_is_not_that_of_a_reply(layout: str) -> None:
    """The template reads the day where the last reply is named."""

    def page_of(number: int) -> str:
        newest = f"<p class=newest>{20 + number % 9} Jun 2023, 11:0{number}</p>"
        return str(thread_page(layout, number, 4)).replace("</body>", f"{newest}</body>")

    site = SiteModel()
    site.learn([(f"http://forum.example/{n}", page_of(n)) for n in range(1, 9)])
    (template,) = site.templates
    place = '//p[contains(concat(" ", @class, " "), " newest ")]'
    template.fields["datePublished"] = Field({place: ("", "")})
    thread = site.extract(page_of(9), "http://forum.example/9")
    assert (thread.datePublished or "")[:10] == posts(9, 4)[0].iso[:10]
