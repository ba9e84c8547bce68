"""Text, clean HTML and Markdown of a node."""

from __future__ import annotations

from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content

PAGE = """<div class="x" onclick="evil()"><h2>Head</h2><p>One <b>bold</b><br>two &amp; <a href="/a" class="c">three</a>
four<script>evil()</script></p><ul><li>a</li><li>b</li></ul><pre>x = 1
  y = 2</pre><table><tr><td>c1</td><td>c2</td></tr></table><p class="drop">away</p>
<a href="javascript:evil()">link</a><img src="i.png" onerror="evil()"></div>"""


def content(html: str = PAGE) -> Content:
    root = parse(html, "http://example.com/dir/").root
    drop = root.xpath("//p[@class='drop']")
    return Content(root.xpath("//body/*"), frozenset(drop), "http://example.com/dir/")  # type: ignore[arg-type]


def test_text_has_a_paragraph_a_line() -> None:
    assert content().text.splitlines() == [
        "Head",
        "One bold",
        "two & three four",
        "a",
        "b",
        "x = 1",
        "  y = 2",
        "c1 c2",
        "link",
    ]


def test_html_is_clean() -> None:
    html = content().html
    assert "<h2>Head</h2>" in html
    assert '<a href="http://example.com/a">three</a>' in html
    assert '<img src="http://example.com/dir/i.png">' in html
    for evil in ("script", "evil", "onclick", "class", "away", "javascript"):
        assert evil not in html


def test_markdown() -> None:
    markdown = content().markdown
    assert "## Head" in markdown
    assert "[three](http://example.com/a)" in markdown
    assert "away" not in markdown


def test_escapes_survive_a_round_trip() -> None:
    html = content("<p>1 &lt; 2 &amp; <a href='/?a=1&amp;b=\"2\"'>x</a></p>").html
    assert (
        html == '<p>1 &lt; 2 &amp; <a href="http://example.com/?a=1&amp;b=&quot;2&quot;">x</a></p>'
    )


def test_muted_text_is_left_out_but_not_its_children() -> None:
    root = parse("<div>loose<p>kept</p>tail</div>").root
    div = root.find(".//div")
    assert Content([div], mute=frozenset([div])).text == "kept"


def test_deep_trees_do_not_recurse() -> None:
    deep = Content([parse("<div>" * 1500 + "bottom").root])
    assert deep.text == "bottom"
    assert "bottom" in deep.html


def test_a_cell_that_is_left_out_keeps_its_place() -> None:
    root = parse(
        "<table><tr><td class='drop' colspan='2'>a</td><td>b</td><td>c</td></tr></table>"
    ).root
    table = Content(root.xpath("//table"), frozenset(root.xpath("//td[@class='drop']")))  # type: ignore[arg-type]
    assert table.html == '<table><tr><td colspan="2"></td><td>b</td><td>c</td></tr></table>'
    assert table.text == "b c"


def test_what_is_embedded_becomes_a_link() -> None:
    html = """<p>See<iframe src="//video.example/e/1?a=1&amp;b" title="A film"><p>x</p></iframe>now</p>
<video><source src="javascript:evil()"><source src="v.mp4"></video><iframe src="javascript:evil()"></iframe>
<iframe src="https://count.example/" width="1"></iframe><p class="drop"><audio src="a.mp3"></audio></p>"""
    found = content(html)
    assert '<p>See<a href="http://video.example/e/1?a=1&amp;b">A film</a>now</p>' in found.html
    assert '<a href="http://example.com/dir/v.mp4">http://example.com/dir/v.mp4</a>' in found.html
    assert found.html.count("<a ") == 2
    assert found.text == "Seenow"


def test_numbers_that_are_none_are_left_out() -> None:
    found = content(
        '<ol start="²"><li>a</li></ol><ol start="4"><li>b</li></ol><table><tr><th colspan="²">c</th></tr></table>'
    )
    assert "4. b" in found.markdown
    assert "²" not in found.html
