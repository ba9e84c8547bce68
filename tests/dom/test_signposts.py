"""What stands within a text and is no part of it. Each case: the elements beside two paragraphs,
and what is left of their text."""

from __future__ import annotations

import pytest

from sitecrawl import extract
from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content

URL = "http://news.example/a.html"
PROSE = "The bridge over the river was opened on Monday after four years of work, and many people came to see it."
LINES = [f"{PROSE} They were {number}00." for number in range(1, 5)]
SECTIONS = "".join(f'<h2 id="s{number}">Part {number}</h2><p>{PROSE}</p>' for number in range(3))
LINKS = "".join(f'<li><a href="#s{number}">Part {number}</a></li>' for number in range(3))
LEFT = {
    "a link that edits": ('<h3>Past<span class="mw-editsection">[<a href="/e">edit</a>]</span></h3>', "Past"),
    "a link that credits": ('<h3>Past <span class="credit-link">by us</span></h3>', "Past by us"),
    "a sign that links": ('<h3>Past<a class="headerlink" href="#past">¶</a></h3>', "Past"),
    "a heading that is a link": ('<h3><a href="#past">What was before the bridge was built</a></h3>', "What was before the bridge was built"),
    "screen readers": ('<h2 class="screen-reader-text">Post navigation</h2><p>Go<span class="sr-only"> (new tab)</span></p>', "Go"),
    "a clipped text": ('<p style="position:absolute;clip:rect(1px,1px,1px,1px)">Skip</p><p style="left:-9999px">Skip</p>', ""),
    "a hidden part of a line": ('<p>So<span style="display:none">7 Q/ w</span> it is</p>', "So it is"),
    "a style in capitals": ('<p>So<SPAN STYLE="DISPLAY: none">7 Q/ w</SPAN> it is</p>', "So it is"),
    "a hidden sentence": ('<p><span style="display:none">More of it was said.</span></p>', "More of it was said."),
    "a hidden block": ('<p style="visibility: hidden">Fades in</p>', "Fades in"),
    "furigana": ("<p><ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>を読む</p>", "漢字を読む"),
}  # fmt: skip


@pytest.mark.parametrize("case", LEFT)
def test_signposts_are_no_text(case: str) -> None:
    given, left = LEFT[case]
    page = parse(f"<body><p>{PROSE}</p>{given}{SECTIONS}</body>", URL)
    content = Content([page.root], base_url=URL)
    around = [PROSE, *(f"Part {number}\n{PROSE}" for number in range(3))]
    if left is None:
        assert "Part 0" in content.text.split(PROSE)[1]
    else:
        assert content.text == "\n".join([around[0], *filter(None, [left]), *around[1:]])
        for word in left.split():
            assert word in content.html
            assert word.strip("[]") in content.markdown


def test_a_hidden_heading_and_furigana() -> None:
    heading = '<h1 class="visually-hidden">The <ruby>漢字<rt>かんじ</rt></ruby> of the bridge</h1>'
    found = extract(
        html=f"<title>x</title>{heading}" + "".join(f"<p>{line}</p>" for line in LINES), url=URL
    )
    assert found.headline == "The 漢字 of the bridge"
    assert found.articleBody == "\n".join(LINES)


def test_work_is_linear_on_many_links() -> None:
    content = Content(
        [parse("<h1>" * 500 + "<ul>" + '<li><a href="#x">1</a></li>' * 5_000, URL).root],
        base_url=URL,
    )
    assert content.text.count("1") == 5_000


JUNK = ("& Q* 3 k( f", "I1! o0 Z~ n.", "7 g! f~ I1)", "w w, & Q: x9")


@pytest.mark.parametrize(
    ("piece", "head"),
    [
        ('<font class="jammer">{}</font>', ""),
        ('<span class="x7f">{}</span>', ""),
        ('<span class="hd">{}</span>', "<style>.hd{{font-size:0;color:#fff}}</style>"),
    ],
)
def test_junk_against_copying_is_no_text(piece: str, head: str) -> None:
    lines = [f"{line}{piece.format(junk)}<br>" for line, junk in zip(LINES, JUNK, strict=True)]
    page = parse(f"<head>{head.format()}</head><body><div>{''.join(lines)}</div></body>", URL)
    assert Content([page.root], base_url=URL).text == "\n".join(LINES)


def test_formulas_are_text() -> None:
    formulas = "".join(f"<p>{PROSE} <span class=m>f(x) = a * {n} & b</span></p>" for n in range(4))
    page = parse(f"<body>{formulas}</body>", URL)
    assert Content([page.root], base_url=URL).text.count("f(x) = a") == 4


@pytest.mark.parametrize(
    ("note", "links"),
    [
        ("<span class=h1>, opens new tab</span>", 1),
        ("<small>(öffnet in neuem Fenster)</small>", 1),
        ("<span>（在新窗口打开）</span>", 1),
        ("<i class=q>(s'ouvre ailleurs)</i>", 2),
    ],
)
def test_what_a_link_says_of_its_window_is_no_text(note: str, links: int) -> None:
    link = f'<a href="/b" target="_blank"><b>the readings</b>{note}</a>'
    lines = "".join(f"<p>He compared {link} with pictures.</p>" for _ in range(links))
    page = parse(f"<body>{lines}</body>", URL)
    content = Content([page.root], base_url=URL)
    assert content.text == "\n".join(["He compared the readings with pictures."] * links)
