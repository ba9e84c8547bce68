"""Pages of a synthetic news site, written for the tests."""

from __future__ import annotations

from collections.abc import Iterable

TOPICS = (
    "harbour",
    "library",
    "tram line",
    "market hall",
    "school",
    "river park",
    "observatory",
    "theatre",
    "airport",
)

NAVIGATION = """<ul class="nav"><li><a href="/">Home</a></li><li><a href="/politics/">Politics</a></li>
<li><a href="/sport/">Sport</a></li><li><a href="/about.html">About us</a></li></ul>"""

FOOTER = """<div class="footer"><p>Subscribe to our newsletter and never miss a story.</p>
<p>Copyright 2024 The Example. All rights reserved.</p></div>"""


def article_page(number: int) -> str:
    """One article page; the texts differ by ``number``."""
    topic = TOPICS[number % len(TOPICS)]
    paragraphs = "\n".join(
        f"<p>This is the {order} paragraph of story {number}, which tells at some length how the {topic} was planned, "
        f"who paid for it, and why residents of district {number * 7 + 1} had to wait so long for it to be finished.</p>"
        for order in ("first", "second", "third", "fourth")[: 3 + number % 2]
    )
    return f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<title>Harbour bridge number {number} opens to cyclists - The Example</title></head><body>{NAVIGATION}
<div id="main"><h1>Harbour bridge number {number} opens to cyclists</h1>
<p class="meta">Published <span class="date">2024-05-{number % 27 + 1:02d} 08:30</span> by <a class="author" href="/staff/">Ann Onym {number}</a></p>
<div class="text">{paragraphs}</div>
<div class="share"><a href="#">Share</a> <a href="#">Print</a></div></div>
<div class="side"><h3>Most read</h3><ul><li><a href="/2024/04/z-1.html">An older story that many people have read</a></li>
<li><a href="/2024/04/z-2.html">Another older story that people still like</a></li></ul></div>{FOOTER}</body></html>"""


def listing_page(numbers: Iterable[int]) -> str:
    """A section page with a teaser for every article."""
    teasers = "\n".join(
        f'<div class="teaser"><h2><a href="/2024/05/a-{n}.html">Harbour bridge number {n} opens to cyclists</a></h2>'
        f'<span class="date">2024-05-{n % 27 + 1:02d}</span><p>How the {TOPICS[n % len(TOPICS)]} was planned and paid for.</p></div>'
        for n in numbers
    )
    return f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>City - The Example</title></head><body>{NAVIGATION}
<div id="main"><h1>City</h1>{teasers}<div class="pager"><a href="/city/page/2/" rel="next">Older stories</a></div></div>{FOOTER}</body></html>"""
