"""The tree says what a browser shows: generated pages, read by the parser of the HTML standard and
by ours."""

from __future__ import annotations

import html5lib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from sitecrawl.dom.lines import break_lines
from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content
from sitecrawl.dom.restore import restore
from sitecrawl.dom.tree import by_tag
from sitecrawl.limits import Meter

WORDS = st.sampled_from(["one", "two three", "four, five.", "six &amp; seven", "8", "中文"])
SECTIONS = st.sampled_from("header main article nav section aside footer figure details".split())
INLINES = st.sampled_from("a b i em span strong code small".split())
BLOCKS = st.sampled_from("div blockquote center form".split())
HEADINGS = st.sampled_from(["h1", "h2"])
VOIDS = st.sampled_from(
    [
        "<br>",
        "<hr>",
        "<img src=a>",
        "<!-- x -->",
        "<script>var x = '<p>';</script>",
        "<style>p{}</style>",
    ]
)


def joined(parts: st.SearchStrategy[str], most: int = 4) -> st.SearchStrategy[str]:
    return st.lists(parts, max_size=most).map("".join)


def wrapped(tags: st.SearchStrategy[str], inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(tags, inner).map(lambda pair: f"<{pair[0]} class=c>{pair[1]}</{pair[0]}>")


PHRASING = st.one_of(WORDS, VOIDS.filter(lambda tag: tag != "<hr>"), wrapped(INLINES, WORDS))
LINE = joined(PHRASING, 3)
DRAWING = st.sampled_from(
    [
        "<svg><title>icon</title><path d=m0></path></svg>",
        "<svg><g><title>icon</title><path></g></svg>",
        "<svg><foreignObject><div>in</div></foreignObject></svg>",
        "<svg><path><p>out</p></svg>",
        "<math><mi>x</mi></math>",
    ]
)
UNSEEN = st.sampled_from(
    [
        "<noscript><img src=a>on</noscript>",
        "<template>later</template>",
        "<textarea><p>field</textarea>",
    ]
)


def unclosed(outer: str, *inner: str) -> st.SearchStrategy[str]:
    """A list or table whose items are not closed."""
    items = st.lists(
        st.tuples(st.sampled_from(inner), LINE).map(lambda pair: f"<{pair[0]}>{pair[1]}"),
        min_size=1,
        max_size=3,
    )
    return items.map(lambda parts: f"<{outer}>{''.join(parts)}</{outer}>")


LISTS = st.one_of(
    unclosed("ul", "li"),
    unclosed("ol", "li"),
    unclosed("dl", "dt", "dd"),
    unclosed("select", "option"),
    st.lists(unclosed("tr", "td", "th"), min_size=1, max_size=2).map(
        lambda rows: f"<table>{''.join(rows)}</table>"
    ),
    st.lists(LINE, min_size=1, max_size=3).map(
        lambda cells: "<table><tr><td>" + "<td>".join(cells) + "</table>"
    ),
)
PARAGRAPHS = st.one_of(LINE.map(lambda line: f"<p>{line}</p>"), LINE.map(lambda line: f"<p>{line}"))
FLOW = st.recursive(
    st.one_of(LINE, PARAGRAPHS, LISTS, DRAWING, UNSEEN, wrapped(HEADINGS, LINE)),
    lambda inner: st.one_of(wrapped(SECTIONS, joined(inner)), wrapped(BLOCKS, joined(inner))),
    max_leaves=8,
)
HEAD = joined(
    st.one_of(
        st.sampled_from(
            [
                "<meta charset=utf-8>",
                "<link rel=x href=y>",
                "<style>p{}</style>",
                "<script>1</script>",
                "<base href=/>",
            ]
        ),
        st.sampled_from(["<title>The title</title>", "<title>Other &amp; more</title>", "\n"]),
        st.sampled_from(
            ["<noscript><link rel=x></noscript>", "<noscript><img src=a></noscript>", "<!-- x -->"]
        ),
    )
)
OPENINGS = st.sampled_from(["", "<html>", "<html lang=en>", "<html><head>", "<head>"])
MIDDLES = st.sampled_from(["", "</head>", "</head><body>", "<body class=b>"])
ENDINGS = st.sampled_from(["", "</body></html>", "</html>"])
PAGES = st.tuples(
    st.just("<!doctype html>"), OPENINGS, HEAD, MIDDLES, joined(FLOW, 5), ENDINGS
).map("".join)


def of_the_standard(html: str) -> tuple[str, str]:
    """Title and visible text by html5lib (with scripts on, as in a browser), rendered as ours
    are."""
    parser = html5lib.HTMLParser(html5lib.getTreeBuilder("lxml"), namespaceHTMLElements=False)
    root = parser.parse(html, scripting=True).getroot()
    title = next(root.iter("title"), None)
    etree.strip_tags(root, etree.Comment)
    for node in root.iter(etree.Element):
        node.tag = etree.QName(node).localname.casefold()
    restore(root, by_tag(root.iter("*")), source=html.encode(), meter=Meter())
    break_lines(root, html.encode(), meter=Meter())
    return " ".join((title.text or "").split()) if title is not None else "", Content([root]).text


@given(PAGES)
@settings(max_examples=200, deadline=None)
def test_title_and_text_are_those_of_the_standard(html: str) -> None:
    page = parse(html)
    assert (page.metadata.title, Content([page.root]).text) == of_the_standard(html)


BODIES = {
    "<header><h1>One</h1></header><main><p>two</main>": ["One", "two"],
    "<main>one</main>": ["one"],
    "<article>one<h1>two</h1></article><footer>three</footer>": ["one", "two", "three"],
    "<nav>one</nav><p>two": ["one", "two"],
    "<section>one</section>two<div>three</div>": ["one", "two", "three"],
    "<x-card>one</x-card><aside>two</aside>": ["one", "two"],
}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize(
    "head", ["<title>t</title>", "<head><title>t</title>", "<html><title>t</title><meta name=a>"]
)
def test_a_body_that_is_not_opened_is_none_the_less_there(head: str, body: str) -> None:
    page = parse(f"<!doctype html>{head}{body}")
    assert page.document.chunks == BODIES[body]
    assert page.metadata.title == "t"
    assert all(
        page.document.parents[owner] > 0 or page.document.tags[owner] == "body"
        for owner in page.document.owners
    )


def test_links_and_scripts_behind_the_first_element_follow_it_into_the_body() -> None:
    page = parse(
        "<head><title>t</title><main>one</main><meta name=a content=b></head><body class=c>two"
    )
    assert [node.tag for node in page.root.iter()] == [
        "html",
        "head",
        "title",
        "body",
        "main",
        "meta",
    ]
    assert page.document.chunks == ["one", "two"]
    assert page.metadata.meta == {"a": "b"}


def test_a_paragraph_ends_where_a_section_begins() -> None:
    page = parse(
        "<p id=a>one <b>two</b><figure>three</figure> four<main>five<p>six<aside>seven</aside></main>eight</p> nine"
    )
    assert [str(node.tag) for node in page.root.find("body")] == ["p", "figure", "main"]
    assert [node.get("id") for node in page.root.iter("p")] == ["a", None]
    assert Content([page.root]).text.splitlines() == [
        "one two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight nine",
    ]


def test_the_title_of_a_drawing_is_not_that_of_the_page() -> None:
    assert (
        parse("<svg><g><title>icon</title></g></svg><title>The page</title><p>x").metadata.title
        == "The page"
    )
    assert parse("<body><svg><title>icon</title></svg><p>x").metadata.title == ""
    assert (
        parse("<head><title>The page</title></head><svg><title>icon</title></svg>").metadata.title
        == "The page"
    )


def test_a_drawing_that_is_not_closed_hides_nothing() -> None:
    page = parse(
        "<body><h1>one</h1><svg><g><text>no</text><path><div>two<svg><path></svg></div><p>three"
    )
    assert page.document.chunks == ["one", "two", "three"]
    page = parse(
        "<svg><foreignobject><p>no<svg><p>yes</svg></foreignobject><desc><p>no</desc></svg>one"
    )
    assert page.document.chunks == ["one"]


def test_a_noscript_in_the_head_opens_no_body() -> None:
    page = parse(
        "<head><noscript><img src=a></noscript><meta name=a content=b><title>t</title></head><p>one"
    )
    assert [node.tag for node in page.root.find("head")] == ["noscript", "meta", "title"]
    assert page.document.chunks == ["one"]
