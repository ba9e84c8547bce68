"""A synthetic news site of any size, made on the fly: listing pages of twenty teasers, and articles
of which no two are alike."""

from __future__ import annotations

from sitecrawl.extras.demo import headline, paragraphs

TEASERS = 20


def article(number: int) -> str:
    """An article like no other of the site."""
    prose = "".join(
        f"<p>Report {number}, part {at}. {text}</p>"
        for at, text in enumerate(paragraphs(number, 6))
    )
    title = f"{headline(number)}, case {number}"
    by = f'<div class="by">2026-01-{number % 28 + 1:02d} by Jun Okabe</div>'
    return _page(title, f'<h1>{title}</h1>{by}<div class="text">{prose}</div>')


def listing(number: int, pages: int) -> str:
    """A listing page: twenty teasers and the way to the next of ``pages``."""
    teaser = '<div class="teaser"><h2><a href="{}">{}, case {}</a></h2></div>'
    numbers = range(number * TEASERS, (number + 1) * TEASERS)
    teasers = "".join(teaser.format(path(n), headline(n), n) for n in numbers)
    more = (
        f'<div class="pager"><a href="/page/{number + 1}/" rel="next">Older</a></div>'
        if number + 1 < pages
        else ""
    )
    return _page("All reports", f"<h1>All reports</h1>{teasers}{more}")


def path(number: int) -> str:
    """Path of an article."""
    return f"/story/{number}-{'-'.join(headline(number).casefold().split())}.html"


def numbered(asked: str) -> tuple[str, int]:
    """The kind (``story``, ``page``, else empty) and the number of the page that a path leads to;
    the front page is the first listing."""
    kind, _, rest = asked[1:].partition("/")
    number = rest.partition("-")[0].strip("/")
    if asked == "/":
        return "page", 0
    return (kind, int(number)) if number.isdecimal() and kind in ("story", "page") else ("", 0)


def _page(title: str, content: str) -> str:
    menu = '<div class="nav"><a href="/">Front page</a> <a href="/about.html">About us</a></div>'
    head = f"<!DOCTYPE html><html lang=en><head><title>{title} - Gazette</title></head>"
    return f"{head}<body>{menu}<div id=main>{content}</div></body></html>"
