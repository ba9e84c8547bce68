"""Synthetic article pages of one template, and nine redesigns of it."""

from __future__ import annotations

import re
from collections.abc import Callable

_TOPICS = "harbour library tram market school park observatory theatre airport bridge museum station".split()


def page(number: int, size: int = 6) -> str:
    """A synthetic article page with ``size`` paragraphs; about six elements a paragraph and thirty
    of page chrome."""
    topic = _TOPICS[number % len(_TOPICS)]
    prose = "".join(
        f"<p>Paragraph {k} of story {number}: how the <b>{topic}</b> of <a href='/d/{k}'>district {k * 7 + number}</a> came to be, "
        f"who <i>paid</i> for it, and why people number {number * 31 + k} had to wait <em>so</em> long for it.</p>"
        for k in range(size + number % 3)
    )
    links = "".join(
        f"<li><a href='/{number + k}.html'>Older story about the {_TOPICS[(number + k) % 12]} {k}</a></li>"
        for k in range(5)
    )
    return f"""<html lang="en"><head><title>The {topic} story {number} - The Example</title></head><body>
<div id="top" class="header"><a href="/">The Example</a><ul class="nav"><li><a href="/a/">Politics</a></li><li><a href="/b/">Sport</a></li></ul></div>
<div id="page" class="wrap"><div class="story"><h1 class="headline">The {topic} story {number}</h1>
<div class="byline">Published <span class="date">2024-{number % 12 + 1:02d}-{number % 28 + 1:02d}</span> by <span class="author">Ann Onym</span></div>
<div class="text">{prose}</div><div class="share"><a href="#">Share</a> <a href="#">Print</a></div></div>
<div class="side"><h3>Most read</h3><ul>{links}</ul></div></div>
<div class="footer"><p>Subscribe to our newsletter and never miss a story.</p><p>Copyright The Example.</p></div></body></html>"""


def body_of(number: int) -> str:
    """The text that an extractor should find on ``page(number)``."""
    inner = page(number).split('<div class="text">')[1].split("</div>")[0]
    return re.sub(r"<[^>]+>", "", inner.replace("</p>", "\n"))


_MENU = "".join(f"<li><a href='/m/{n}/'>{topic} and {_TOPICS[(n + n // 12) % 12]} news</a></li>"
                for n, topic in enumerate(_TOPICS * 4))  # fmt: skip
_NOTICE = "".join(f"<p>We and our {n} partners keep the {topic} cookies of your visit, and ask for your consent.</p>"
                  for n, topic in enumerate(_TOPICS))  # fmt: skip


REDESIGNS: dict[str, Callable[[str], str]] = {
    "renamed classes": lambda html: re.sub(r'class="(\w+)"', r'class="n-\1-x"', html),
    "wrapped containers": lambda html: html.replace('<div class="text">', '<section class="outer"><div class="inner"><div class="prose">')
    .replace('</div><div class="share">', '</div></div></section><div class="share">'),
    "moved blocks": lambda html: re.sub(r'(?s)(<div class="side">.*?</ul></div>)</div>', r"</div>", html)
    .replace('<div id="page" class="wrap">', '<div id="page" class="wrap">' + "<div class='left'><h3>Topics</h3></div>"),
    "swapped order": lambda html: re.sub(r'(?s)(<h1.*?</h1>\s*)(<div class="byline">.*?</div>)', r"\2\1", html),
    "all renamed, table layout": lambda html: re.sub(r'class="(\w+)"', r'class="t-\1"', html).replace('id="page"', 'id="sheet"')
    .replace('<div class="t-text">', '<table><tr><td class="t-main">').replace('</div><div class="t-share">', '</td></tr></table><div class="t-share">'),
    "body id now holds navigation": lambda html: html.replace('<div class="text">', '<div class="text"><a href="/a/">Politics</a> <a href="/b/">Sport</a></div><div class="copy">'),
    "a long menu in the body's place": lambda html: html.replace('<div class="text">', f'<div class="text"><ul>{_MENU}</ul></div><div class="copy">'),
    "a notice in the body's place": lambda html: html.replace('<div class="text">', f'<div class="text">{_NOTICE}</div><div class="copy">'),
    "half the text elsewhere": lambda html: re.sub(r'<div class="text">((?:<p>.*?</p>){4})', r'<div class="text">\1</div><div class="copy">', html),
}  # fmt: skip
