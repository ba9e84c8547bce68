"""What readers of Markdown find in a page's Markdown that its clean HTML does not hold, and random
trees of elements to look for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from urllib.parse import unquote

import markdown
from hypothesis import strategies as st
from lxml import etree
from markdown_it import MarkdownIt

from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content
from sitecrawl.dom.tree import CELLS, HEADINGS
from sitecrawl.text.chars import without_controls

READERS: dict[str, Callable[[str], str]] = {
    "markdown-it": MarkdownIt("commonmark", {"html": True}).enable("table").render,
    "Python-Markdown": lambda text: markdown.markdown(text, extensions=["fenced_code", "tables"]),
}
_LISTS = ("ul", "ol", "li")
_TABLES = ("table", "thead", "tbody", "tr", *CELLS)
_ORIGINS: dict[str, tuple[str, ...]] = {
    # marks side by side run together: which of the two is read is not told
    **dict.fromkeys(("em", "strong"), ("em", "i", "b", "strong")),
    "code": ("code", "kbd", "samp", "pre"),
    **dict.fromkeys(_LISTS, _LISTS),
    **dict.fromkeys(_TABLES, ("tr",)),
}
"""Elements of clean HTML that are written as an element of another name."""
_OF_LAYOUT = ("html", "body", "p")  # what every text is put into
_HARMLESS = {
    "markdown-it": frozenset[str](),
    # it knows no fence and no list of two blanks within an item: the lines of code are read as text
    # there, in which there is no tag and no link, and text that stands deep is read as code
    "Python-Markdown": frozenset(
        ("br", "code", "em", "hr", "pre", "strong", "blockquote", *HEADINGS, *_LISTS, *_TABLES)
    ),
}
"""Elements that a reader may find where it reads a part of CommonMark in its own way: they look
different, and neither load nor run anything."""
_ATTRIBUTES = frozenset(("href", "src", "alt", "class", "start"))


def foreign(html: str, base_url: str = "http://e.example/") -> list[str]:
    """Elements, attributes and URLs that a reader of the Markdown of a page finds, and that the
    clean HTML of the page lacks, with the name of the reader."""
    content = Content([parse(html).root], base_url=base_url)
    clean = _tree(content.html)
    kept = {str(node.tag) for node in clean.iter(etree.Element)}
    urls = set(_urls(clean))
    found: list[str] = []
    for name, reader in READERS.items():
        shown = _tree(reader(content.markdown))
        for node in shown.iter(etree.Element):
            tag = str(node.tag)
            is_known = not kept.isdisjoint(_ORIGINS.get(tag, (tag,)))
            if not is_known and tag not in _OF_LAYOUT and tag not in _HARMLESS[name]:
                found.append(f"{name}: <{tag}>")
            found += [
                f"{name}: {tag} {key}" for key in map(str, node.attrib) if key not in _ATTRIBUTES
            ]
        found += [f"{name}: {url}" for url in _urls(shown) if url not in urls]
    return found


def _tree(html: str) -> etree._Element:
    return etree.fromstring(f"<html><body>{html}</body></html>", etree.HTMLParser(huge_tree=True))


def _urls(root: etree._Element) -> Iterator[str]:
    """The URLs of links and pictures, as far as two ways to encode them are the same."""
    for node in root.iter(etree.Element):
        for name in ("href", "src"):
            url = node.get(name)
            if url is not None:
                yield without_controls(unquote(url)).strip()


# ---- random trees
_EVIL = "<img src=x onerror=alert(1)>"
_TEXTS = st.lists(
    st.sampled_from((
        *"<>&;![](){}:*_~`#-+=|\\/\"'$.@1a \n\t", "  \n", "    ", "``", "```", "~~", "~~~", "---", "===", "|---|", "-|-", "1. ", "2) ", "# ", "- ", "> ", ": ",
        "img src=x onerror=alert(1)", "script", "javascript:alert(1)", "http://t.example/", "x@y.example", "&lt;", "&#60;", "lt;", "colon;", _EVIL, "\n<script>x\n",
        "</script>", "<!--", "-->", "<?php", "?>", "<![CDATA[", "]]>", "<!DOCTYPE x>", "<div>", "\n</div>", "<pre>", "</pre>", "<textarea>", "<title>", "<b>", "<br/>",
        "[a]: javascript:x", "[a]", "[^1]: x", "[x](javascript:y)", "![x](http://t.example/)", "[x][a]", "<http://t.example/>", "<javascript:x>", "<1@y.example>", "$x_1", "{1}$", "$$",
        "\x7f", "\x80", "\x85", "\u2028", "\u200b", "\ufffe", "\r", "\x0c", "\u3000", "\u0661. ", "\\|", "`|`", "\\`",
    )),
    min_size=1, max_size=5,
).map("".join)  # fmt: skip
_URLS = st.sampled_from((
    "http://e.example/a", "/b", "c.png", "javascript:alert(1)", "java\tscript:alert(1)", "java\x7fscript:alert(1)", "javascript&colon;alert(1)", "&#106;avascript:x", "data:text/html,x",
    "http://e.example/)](javascript:x)", "http://e.example/ \"onclick=x\"", "http://e.example/<img>", "mailto:x@e.example", "http://e.example/?a&lt;b|c`d`\\*_e_*", "//t.example", "#x", "?a=1&amp;b", "",
))  # fmt: skip
_LANGUAGES = st.sampled_from(("python", "c++", "x\n<script>alert(1)</script>", "x`y", "a b", "\x7f", "{.x onload=y}", "<b>"))  # fmt: skip
_BOXES = (
    "p div span b strong i em s del code code code kbd samp sub sup a ul ol li li dl dt dd blockquote h1 h2 table tr td th section center font q u details figure summary caption tbody noscript"
).split()
_OPENINGS = st.one_of(
    st.sampled_from(_BOXES).map(lambda tag: f"<{tag}>"),
    st.builds(
        lambda url, title: f'<a href="{escape(url)}" title="{escape(title)}">', _URLS, _TEXTS
    ),
    st.builds(lambda name: f'<pre data-lang="{escape(name)}">', _LANGUAGES),
    st.sampled_from(("<pre>", "<pre><code>", "<ol start=7>", "<td colspan=2>", "<td rowspan=2>")),
)
_VOIDS = st.one_of(
    st.sampled_from(("<br>", "<hr>", "<!-- x -->", "<wbr>")),
    st.builds(lambda url, alt: f'<img src="{escape(url)}" alt="{escape(alt)}">', _URLS, _TEXTS),
    st.builds(lambda url, title: f'<iframe src="{escape(url)}" title="{escape(title)}"></iframe>', _URLS, _TEXTS),
)  # fmt: skip
_CLOSINGS = st.sampled_from(("a", "pre", "li", "table", "tr", "td", *_BOXES)).map(
    lambda tag: f"</{tag}>"
)
TREES = st.lists(
    st.one_of(_TEXTS.map(escape), _TEXTS.map(escape), _OPENINGS, _OPENINGS, _VOIDS, _CLOSINGS),
    max_size=16,
).map("".join)
"""HTML of elements within one another with texts, titles and addresses made to be read as markup."""
BASES = st.sampled_from(("http://e.example/", ""))
