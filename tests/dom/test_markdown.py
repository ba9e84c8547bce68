"""Markdown reads like the page, and no reader of Markdown finds markup in it that the page did not
have."""

from __future__ import annotations

import re
from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from benchmarks.live_markup import READERS, foreign
from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content

EVIL = "<img src=x onerror=alert(1)>"
VECTORS = [
    f"<p>{escape(EVIL)}</p>",
    "<p><span>&lt;</span>img src=x onerror=alert(1)&gt;</p>",
    "<p>&lt;<b>img src=x onerror=alert(1)&gt;</b></p>",
    "<p>&amp;lt;script&amp;gt;alert(1)&amp;lt;/script&amp;gt;</p>",
    "<p>[click](javascript:alert(1))</p>",
    "<p>![click](javascript:alert(1))</p>",
    "<p>&lt;javascript:alert(1)&gt;</p>",
    "<p>[a]: javascript:alert(1)</p><p>[a]</p>",
    '<a href="javascript:alert(1)">a</a>',
    '<a href="java&#9;script:alert(1)">a</a>',
    '<a href=" &#1;javascript:alert(1)">a</a>',
    '<a href="data:text/html,<script>alert(1)</script>">a</a>',
    '<a href="vbscript:x">a</a><img src="data:image/svg+xml,<svg onload=alert(1)>">',
    '<a href="http://e.example/)](javascript:alert(1)">a</a>',
    '<a href="http://e.example/ &quot;onclick=alert(1)&quot;">a</a>',
    '<a href="http://e.example/" title="&quot; onclick=&quot;alert(1)">a</a>',
    '<a href="http://e.example/">](javascript:alert(1))</a>',
    '<a href="http://e.example/a">a</a>(javascript:alert(1))',
    '<img src="http://e.example/a.png" alt="](javascript:alert(1))">',
    f'<img src="http://e.example/a.png" alt="{escape(EVIL)}">',
    f'<img src="http://e.example/a.png" title="{escape(EVIL)}">',
    f"<p>`</p><p>{escape(EVIL)}</p><p>`</p>",
    f"<p>\\`{escape(EVIL)}\\`</p>",
    f"<table><tr><td>{escape(EVIL)}|[x](javascript:alert(1))</td><td>b</td></tr></table>",
    f"<ul><li>{escape(EVIL)}<ul><li>[x](javascript:alert(1))</li></ul></li></ul>",
    f"<blockquote>&gt; {escape(EVIL)}</blockquote>",
    f"<h1>{escape(EVIL)}\n# [x](javascript:alert(1))</h1>",
    f"<p>a<br>{escape(EVIL)}<br>===<br>- [x](javascript:alert(1))</p>",
    f'<iframe src="http://e.example/v" title="{escape(EVIL)}](javascript:alert(1))"></iframe>',
    '<script src="http://e.example/x.js"></script><video src="javascript:alert(1)"></video>',
    "<p>&lt;!-- </p><p>--&gt; &lt;?php ?&gt; &lt;![CDATA[ x ]]&gt;</p>",
]


def rendered(html: str, base_url: str = "http://example.com/") -> str:
    return Content([parse(html).root], base_url=base_url).markdown


def live(html: str) -> list[str]:
    """What in rendered Markdown could run or was not meant to be an element."""
    root = etree.fromstring(f"<html><body>{html}</body></html>", etree.HTMLParser())
    found = []
    for node in root.iter(etree.Element):
        found += [name for name in node.attrib if name.startswith("on")]
        urls = [value for name, value in node.items() if name in ("href", "src")]
        found += [
            url
            for url in urls
            if ":" in url.split("/")[0] and not url.startswith(("http:", "https:", "mailto:"))
        ]
        found += (
            [str(node.tag)]
            if node.tag in ("script", "iframe", "svg", "style", "object", "form")
            else []
        )
        found += (
            ["img without a picture"]
            if node.tag == "img" and "e.example" not in node.get("src", "e.example")
            else []
        )
    return found


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("base_url", ["http://example.com/", ""])
@pytest.mark.parametrize("html", VECTORS)
def test_no_vector_is_live(html: str, base_url: str, reader: str) -> None:
    assert live(READERS[reader](rendered(html, base_url))) == []
    assert live(Content([parse(html).root], base_url=base_url).html) == []


@given(st.text(alphabet="<>![]()`*_~#-+=.1|\\&;:/ax \n", max_size=60))
@settings(max_examples=300, deadline=None)
def test_a_paragraph_reads_as_it_stands_on_the_page(text: str) -> None:
    html = READERS["markdown-it"](rendered(f"<p>{escape(text)}</p>"))
    root = etree.fromstring(f"<html><body>{html}</body></html>", etree.HTMLParser())
    assert " ".join("".join(root.itertext()).split()) == " ".join(text.split())
    assert {node.tag for node in root.iter()} <= {"html", "body", "p"}
    assert live(READERS["Python-Markdown"](rendered(f"<p>{escape(text)}</p>"))) == []


def test_lists_quotes_and_code() -> None:
    html = """<ul><li>a<ul><li>b<li>c<p>d</ul><li>e</ul><ol start=4><li>x<li><p>y<p>z</ol>
<blockquote><p>q<p>r</blockquote><pre>if x:\n    ```</pre><p>Wow!<a href="/l">li<b>nk</b></a> <code>a`b</code><hr>"""
    assert rendered(html) == (
        "- a\n  - b\n  - c\n\n    d\n- e\n\n4. x\n5. y\n\n   z\n\n> q\n>\n> r\n\n````\nif x:\n    ```\n````\n\n"
        "Wow\\![li**nk**](http://example.com/l) `` a`b ``\n\n---"
    )


def test_tables_of_data_are_tables_and_tables_of_layout_are_not() -> None:
    data = "<table><tr><th>a|b<th>c<tr><td>1<br>2<td><tr><td><b>3</b><td>4</table>"
    assert rendered(data) == "| a\\|b | c |\n| --- | --- |\n| 1 2 |  |\n| **3** | 4 |"
    assert (
        rendered("<table><tr><td><p>one<p>two<td><h2>three</h2></table>")
        == "one\n\ntwo\n\n## three"
    )


def test_cells_over_several_rows_keep_the_columns() -> None:
    rows = "<tr><th>Team<th>Day<th>Points</tr><tr><td rowspan=2>Reds<td>Mon<td>3</tr><tr><td>Tue<td>1</tr>"
    rows += "<tr><td>Blues<td colspan=2 rowspan=2>off</tr><tr><td>Greens</tr>"
    found = parse(f"<table>{rows}</table><table><tr><td>a<td>b</tr></table>").root
    lines = Content([found]).markdown.split("\n")
    assert lines[2:7] == [
        "| Reds | Mon | 3 |",
        "|  | Tue | 1 |",
        "| Blues | off |  |",
        "| Greens |  |  |",
        "",
    ]
    assert lines[7] == "| a | b |"


@pytest.mark.parametrize("cell", ["<ul><li>x<li>y</ul>", "<table><tr><td>x<td>y</tr></table>z"])
def test_a_row_of_layout_ends_a_table_of_data(cell: str) -> None:
    """A row right below other text is no row of a table to a reader of Markdown."""
    root = parse(
        f"<table><tr><td>1<td>2</tr><tr><td>w<td>{cell}</tr><tr><td>3<td>4</tr></table>"
    ).root
    html = READERS["markdown-it"](Content([root]).markdown)
    assert re.findall("<t[hd]>([0-9])</t[hd]>", html) == ["1", "2", "3", "4"]


def test_a_link_around_blocks_is_a_link_in_each() -> None:
    assert rendered('<a href="/l"><h2>one</h2>two</a> three') == (
        "## [one](http://example.com/l)\n\n[two](http://example.com/l) three"
    )


@pytest.mark.parametrize(
    "tag", ["b", "a href=/x", "ul><li", "blockquote", "table><tr><td", "div", "ol><li><p", "code"]
)
@pytest.mark.costs(2)
def test_depth_costs_neither_the_stack_nor_the_square(tag: str) -> None:
    found = rendered(f"<{tag}>" * 600 + "<p>Some words of a paragraph.</p>" * 5_000)
    assert found.count("Some words of a paragraph.") == 5_000
    assert len(found) < 600_000


def test_cells_that_take_many_rows_and_columns_do_not_multiply() -> None:
    group = "<tr>" + "<td colspan=99 rowspan=99>x" * 90 + "<tr><td>y" * 98
    assert len(rendered(f"<table>{group * 50}</table>")) < 5_000_000


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>H<sub>2</sub>O, m<sup>2</sup></p>", "H<sub>2</sub>O, m<sup>2</sup>"),
        ("<dl><dt>Length<dd>120 m<dt>Width<dd><p>12 m<p>or 13</dl>", "Length\n: 120 m\n\nWidth\n\n12 m\n\nor 13"),
        ("<details><summary>Why?</summary><p>Rust.</p></details>", "Why?\n\nRust."),
        ("<table><tr><th>a<th colspan=2>b<tr><td>1<td>2<td>3</table>", "| a | b |  |\n| --- | --- | --- |\n| 1 | 2 | 3 |"),
        ("<table><tr><th>a<th>b<tr><td><p>Sum</p><td><div>3</div></table>", "| a | b |\n| --- | --- |\n| Sum | 3 |"),
        ("<table><thead><tr><th>a<th>b<tbody><tr><td>1<td>2<tfoot><tr><td>3<td>4</table>",
         "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"),
        ("<p>$x_1 * y_2$ and $5 or *6", "$x_1 * y_2$ and $5 or \\*6"),
    ],
)  # fmt: skip
def test_what_markdown_has_no_mark_for_is_kept(html: str, markdown: str) -> None:
    assert rendered(html) == markdown


FOREIGN = {
    "a line in code": f"<p><code>x<br>{escape('<script>alert(1)</script>')}</code></p>",
    "a line in kbd": f"<p><kbd>x<br>{escape('<div>')}</kbd></p>",
    "spans side by side": f"<p><code>x</code><code>a` {escape(EVIL)} ` b</code></p>",
    "a language": "<pre data-lang='x\n<script>alert(1)</script>'>x</pre>",
    "a language that ends the fence": f"<pre data-lang='x`\n```\n{escape(EVIL)}'>x</pre>",
    "code in an item": "<ul><li>a<pre>x\n\n&lt;img src=x onerror=alert(1)></pre></ul>",
    "a link in code in an item": "<ul><li>a<pre>x\n\n[x](javascript:alert(1))</pre></ul>",
    "code in a quote": "<blockquote><pre>a\n\n&lt;img src=x onerror=alert(1)></pre></blockquote>",
    "a carriage return in code": "<ul><li>x<pre>a&#13;&lt;script>alert(1)&lt;/script></pre></ul>",
    "a control in a tag": "<p>&lt;\x7fimg src=x onerror=alert(1)></p>",
    "a control in a fence": "<pre>``\x7f`\n```\x7f`\n&lt;img src=x onerror=alert(1)></pre>",
    "a control at a line": "<p>\x7f- a<br>\x7f# b</p>",
    "an exclamation mark": "<p><a>!</a><a href='http://x.example/y'>z</a></p>",
    "an exclamation mark and a player": "!<iframe src='http://e.example/a' title='x'></iframe>",
    "a mail address": "<p>&lt;1@b.example></p>",
    "a picture in a formula": "<p><a href='http://x.example/'>$x_1 ![$</a></p>",
    "an entity in an address": "<a href='javascript&amp;colon;alert(1)'>a</a>",
    "a control in an address": "<a href='java\x7fscript:alert(1)'>a</a>",
    "a heading of others": "<p>#tag</p>",
    "a list of others": "<p>\u0661. tag</p>",
    "a rule of a table": "<p>a | b<br>|---|---|</p>",
    "another rule of a table": "<p>a|b<br>:-|-:</p>",
    "a rule in a definition": "<p>\\|<dd>\\|",
    "a rule below a text": "<li>a<ol><hr></ol>",
    "marks in marks": "<i><em>a",
    "a player in a link": "<a href='http://e.example/_a_'><iframe src='http://e.example/b'></iframe></a>",
}


@pytest.mark.parametrize("base_url", ["http://e.example/", ""])
@pytest.mark.parametrize("name", FOREIGN)
def test_no_reader_finds_what_the_page_lacks(name: str, base_url: str) -> None:
    assert foreign(FOREIGN[name], base_url) == []


def test_what_is_removed_makes_no_scheme() -> None:
    root = parse("<a href='java\x7fscript:alert(1)'>a</a>").root
    assert Content([root], base_url="").html == "<a>a</a>"


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        ("c++", "c++"),
        ("c#", "c#"),
        ("asp.net", "asp.net"),
        ("a b", ""),
        ("x\n<b>", ""),
        ("{.x}", ""),
    ],
)
def test_a_language_is_a_name_or_nothing(language: str, shown: str) -> None:
    content = Content([parse(f"<pre data-lang='{language}'>x</pre>").root])
    assert content.markdown == f"```{shown}\nx\n```"
    assert content.html == (f'<pre class="language-{shown}">x</pre>' if shown else "<pre>x</pre>")


def test_code_in_an_item_that_could_be_read_as_markup_stands_between_the_items() -> None:
    html = "<ol><li>one<pre>&lt;a></pre>rest<li>two<pre>b</pre><li><pre>&lt;c></pre><li>four</ol>"
    assert rendered(html) == (
        "1. one\n\n```\n<a>\n```\n\nrest\n2. two\n\n   ```\n   b\n   ```\n\n```\n<c>\n```\n\n4. four"
    )


def test_a_line_that_begins_with_struck_text_is_struck() -> None:
    assert rendered("<p><s>old</s> new</p>") == "~~old~~ new"
