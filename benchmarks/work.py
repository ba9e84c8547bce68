"""What pages made to cost do cost, and what a long crawl keeps in memory. Needs no data. ``growth``
doubles the size of each shape and prints by how much the CPU time of every step grows: work in the
square of a page's size shows as a factor of four. ``budget`` makes each shape as large as a
download may be and prints CPU time, memory and whether the page says that it was cut; each shape
runs in a process of its own. ``memory`` crawls a synthetic site of ten thousand pages and prints
the resident memory of the crawl."""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.harness import Table, apart, asked, peak, resident, spent
from sitecrawl.dom.align import signature
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.extract.single import Extraction
from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import classify
from sitecrawl.site.model import SiteModel
from tests.crawl.runner import command, send, served
from tests.synthetic import TEASERS, article, listing, numbered

URL = "http://example.com/story/1.html"
_PROSE = "Some words of a paragraph, which says little, but says it at length. "
_SMALL = 250_000  # characters of the smaller page of a pair
_LEAST = 0.3  # seconds of CPU below which a factor says nothing
_FACTOR = 2.8
"""Growth of the work above which it is taken to be worse than linear: twice the size, and room for
caches and noise."""
_SECONDS, _MEGABYTES = 2.0, 300.0
"""What parsing any page may cost; extracting it and classifying its links may each cost as many
seconds again."""


def _repeated(part: str) -> Callable[[int], str]:
    """A page of ``size`` characters made of one part; ``@`` in it is a number that grows."""
    if "@" not in part:
        return lambda size: f"<html><body>{part * (size // len(part))}"
    return lambda size: (
        "<html><body>"
        + "".join(part.replace("@", str(at)) for at in range(size // (len(part) + 4)))
    )


def _nested(part: str, inside: str, depth: int = 900) -> Callable[[int], str]:
    """Elements within one another around repeated content."""
    return lambda size: (
        f"<html><body>{part * depth}{inside * ((size - len(part) * depth) // len(inside))}"
    )


def _classes(count: int) -> Callable[[int], str]:
    """Paragraphs with ``count`` classes each, every paragraph with others."""
    rows = "".join(f"c@-{at:x} " for at in range(count))
    return _repeated(f"<p class='{rows}'>x</p>")


def _long(before: str, part: str, after: str = "") -> Callable[[int], str]:
    """A page of one part without end between two texts; ``@`` in it is a number that grows."""
    return lambda size: f"<html><body>{before}{_repeated(part)(size)[len('<html><body>') :]}{after}"


SHAPES: dict[str, Callable[[int], str]] = {
    "paragraphs": _repeated(f"<p>{_PROSE}</p>"),
    "paragraphs like no other": _repeated(f"<p>{_PROSE} @</p>"),
    "paragraphs of a megabyte": _repeated(f"<p>@ {_PROSE * 13_000}</p>"),
    "tiny paragraphs": _repeated("<p>x"),
    "divisions with ids": _repeated("<div id=x@>word @ of text</div>"),
    "divisions with classes": _repeated("<div class='c@ text'>word @ of text</div>"),
    "5 classes on each paragraph": _classes(5),
    "100 classes on each paragraph": _classes(100),
    "a class without end": _long("<p class='", "c@ ", "'>x"),
    "one long class": _long("<p class='", "c", f"'>{_PROSE}"),
    "one long attribute": _long("<p title='", "a b ", f"'>{_PROSE}"),
    "one long style": _long("<p style='", "display: ", f"'>{_PROSE}"),
    "attributes without end": _long("<p ", "a@=1 ", ">x"),
    "200 attributes each": _repeated("<p " + " ".join(f"a{at}=1" for at in range(200)) + ">x</p>"),
    "links": _repeated('<li><a href="/story/@-a-link.html">A link of the list, number @</a></li>'),
    "links in one line": _repeated("<a href=/@>@</a> "),
    "links to one page": _repeated("<a href=/a>text @</a>"),
    "links with one text": _repeated("<h2><a href=/a/@>The same words</a></h2>"),
    "links in paths of their own": _repeated("<x@><a href=/a/@>Words of link @</a></x@>"),
    "links in classes of their own": _repeated("<div class=k@><a href=/a/@>Words of link @</a></div>"),
    "one long link": _long("<a href='/", "a/", "'>x</a>"),
    "one long query": _long("<a href='/?", "a=1&", "'>x</a>"),
    "one long number": lambda size: f"<html><body><a href='/{'1-' * (size // 2)}'>{'2026-01-' * (size // 8)}</a>",
    "a long link text": _long("<a href=/a>", _PROSE, "</a>"),
    "pages by number": _repeated("<a href='?page=@'>@</a>"),
    "images": _repeated("<p><img src=/i@.jpg alt='picture @'><figcaption>Picture @</figcaption></p>"),
    "pictures named in text": _long("<i >", ".jpg "),
    "headings": _repeated("<h2>Heading number @</h2>"),
    "headings like the title": lambda size: "<title>The one title</title>" + "<h1>The one title</h1>" * (size // 23),
    "a long heading": _long("<h1>", "word "),
    "a long title": lambda size: "<title>" + "word " * (size // 5) + "</title><h1>" + "word " * 50,
    "dates": _repeated("<time datetime=2026-01-15T10:@>15 January 2026</time>\n"),
    "dates in text": _repeated("<p>Published on 15 January 2026, 10:@, by Ann</p>"),
    "digits": _long("<p>", "2026-"),
    "authors": _repeated("<span class=author>Ann Onym @</span>\n"),
    "by-lines": _repeated("<p class=byline>By Ann Onym @</p>"),
    "comments": _repeated(
        "<div class=comment><b class=author>Ann @</b><i class=date>2026-01-15</i><p>Words of comment @, some.</p></div>"
    ),
    "table rows": _repeated("<tr><td>cell @</td><td>value @</td></tr>"),
    "tables": _repeated("<table><tr><td>cell @</td></tr></table>"),
    "a wide row": lambda size: "<table><tr>" + "<td>c</td>" * (size // 10),
    "list items": _repeated("<ul><li>Entry number @</li></ul>"),
    "text between breaks": _repeated("some words of text<br>"),
    "text between marks": _repeated("some <b>words</b> of <i>text</i> "),
    "metadata": _repeated("<meta property=article:tag content='tag @'>"),
    "JSON-LD blocks": _repeated('<script type="application/ld+json">{"@": [{"a": 1}]}</script>'),
    "one JSON-LD block": _long('<script type="application/ld+json">{"@graph": [', '{"name": "Thing"},', "{}]}</script>"),
    "breadcrumbs": _repeated("<div class=breadcrumb><p>not a link</p></div>"),
    "entities": _repeated("&amp;&#20013;&hellip;"),
    "broken entities": _repeated("&amp&#x;&#99999999;"),
    "open tags": _repeated("<b><i><p>"),
    "closing tags": _repeated("</p></div>"),
    "half tags": _repeated("<p <a href="),
    "comments of markup": _repeated("<!-- <p> --"),
    "angle brackets": _repeated("< <"),
    "sections in open paragraphs": _nested("<p><section>", f"<p>{_PROSE}</p>"),
    "html in drawings": _nested("<svg><p>", f"<p>{_PROSE}</p>"),
    "noscript in noscript": _nested("<noscript>", f"<p>{_PROSE}</p>"),
    "quotes in quotes": _nested("<blockquote>", f"<p>{_PROSE}</p>"),
    "lists in lists": _nested("<ul><li>", f"<p>{_PROSE}</p>"),
    "tables in tables": _nested("<table><tr><td>", f"<p>{_PROSE}</p>", 600),
    "marks in marks": _nested("<b><i>", f"{_PROSE}<br>"),
    "articles in articles": _nested("<article class='post comment body'>", f"<p>{_PROSE}</p>"),
    "links in links": _nested("<span class=nav><div>", "<a href=/a>text of a link</a> "),
    "deep branches": _repeated("<div>" * 40 + "<p>Words</p>" + "</div>" * 40),
    "CJK": _repeated("<p>经过几个月的讨论，市议会同意拨款，施工在当周就开始了。</p>"),
    "punctuation": _repeated("<p>,.;:!?,.;:!?</p>"),
    "blanks": _repeated("<p> \n\t </p>"),
    "control characters": _repeated("<p>\x01\x02\x1e\x1f</p>"),
    "markup of Markdown": _repeated("<p>*_[`](<!--|~~#</p>"),
    "backticks": _repeated("<code>`</code>``"),
    "preformatted lines": _nested("<pre>", "line of code;\n", 1),
    "coloured code": _nested("<pre>", "<span class=k>if</span> <a href=/@>x</a> ", 1),
}  # fmt: skip


def _views(page: Page) -> None:
    """The flat views that every room works on."""
    assert len(page.document.blocks) <= len(page.document.chunks)
    signature(page.root)
    _ = page.metadata, page.base_url


def _render(page: Page) -> None:
    article = Extraction(page).article
    _ = article.articleBody, article.articleBodyHtml, article.articleBodyMarkdown


def _learn(html: str) -> None:
    """Four pages of one template, with what stands around the shape."""
    model = SiteModel("example.com")
    for number in range(4):
        head = (
            f"<html><body><h1>Report {number} of the day</h1><div class=text>"
            + f"<p>{_PROSE}{number}</p>" * 5
        )
        url = f"http://example.com/story/{number}.html"
        model.observe(html=head + html.removeprefix("<html><body>"), url=url, promise=0.9)
    model.settle()
    model.to_dict()


def _steps(html: str, *, learn: bool = True) -> dict[str, float]:
    """Seconds of CPU of every step that a page goes through."""
    pages: list[Page] = []
    found = {"parse": spent(lambda: pages.append(parse(html, URL)))}
    steps: dict[str, Callable[[Page], object]] = {
        "views": _views,
        "links": classify,
        "extract": _render,
    }
    found |= {name: spent(partial(step, pages[0])) for name, step in steps.items()}
    return found | ({"learn": spent(lambda: _learn(html))} if learn else {})


def growth(name: str) -> dict[str, Any]:
    """The size of a shape, by how much all steps grow when it doubles, and those that grow faster
    than ``_FACTOR``."""
    make, size = SHAPES[name], _SMALL
    _steps(make(1000), learn=False)
    least = _steps(make(size))
    while sum(least.values()) < _LEAST and size < LIMITS.body_bytes // 8:
        size *= 2
        least = _steps(make(size))
    more = _steps(make(2 * size))
    factors = {
        step: seconds / max(least[step], _LEAST / 4)
        for step, seconds in more.items()
        if seconds > _LEAST
    }
    worse = {step: round(it, 1) for step, it in factors.items() if it > _FACTOR}
    total = sum(more.values()) / max(1e-9, sum(least.values()))
    return {"failed": bool(worse), "megabytes": size / 1e6, "all": round(total, 1), **worse}


def budget(name: str) -> dict[str, Any]:
    """Seconds and megabytes of a shape as large as a download, and whether the page was cut."""
    _steps(SHAPES[name](1000), learn=False)
    html, before, pages = SHAPES[name](LIMITS.body_bytes), peak(), list[Page]()
    parsed = spent(lambda: (pages.append(parse(html, URL)), _views(pages[0])))
    used, page = peak() - before, pages[0]
    cost = {
        "parse": parsed,
        "links": spent(lambda: classify(page)),
        "extract": spent(lambda: _render(page)),
    }
    failed = max(cost.values()) > _SECONDS or used > _MEGABYTES
    memory = {"megabytes": round(used), "megabytes_all": round(peak() - before)}
    return {
        "failed": failed,
        **{step: round(it, 2) for step, it in cost.items()},
        **memory,
        "cut": page.is_cut,
    }


_MEASURES = {"growth": growth, "budget": budget}


def shapes(args: argparse.Namespace) -> int:
    """A table; 1 when a shape is over the budget, grows faster than its size, or breaks its
    process."""
    table = Table("shape")
    for name in (name for name in SHAPES if args.only in name):
        table.add(name, **(apart(_MEASURES[args.what], name) or {"failed": True, "broken": True}))
    failed = sum(row["failed"] for row in table.found)
    print(f"{failed} of the shapes fail")
    return int(failed > 0)


def memory(args: argparse.Namespace) -> int:
    """Resident memory of a crawl at every thousandth page, from page 2,000 on with models and
    caches filled."""
    listings, requests, crawls = (
        args.pages // (TEASERS + 1),
        count(1),
        list[subprocess.Popen[bytes]](),
    )
    seen: list[float] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        kind, number = numbered(handler.path)
        text = (
            article(number)
            if kind == "story"
            else listing(number, listings)
            if kind and number < listings
            else ""
        )
        send(handler, 200 if text else 404, text.encode())
        if (pages := next(requests)) % 1_000 == 0:
            seen.append(resident(crawls[0].pid))
            print(f"{pages:6} pages  {seen[-1]:7.1f} MB", flush=True)

    with served({"*": answer}) as site, tempfile.TemporaryDirectory() as folder:
        crawls.append(
            subprocess.Popen(
                command(f"{site.url}/", Path(folder) / "out.jsonl"), stderr=subprocess.PIPE
            )
        )
        print(crawls[0].communicate()[1].decode().strip())
    if len(seen) > 2:
        print(f"growth from 2000 pages on: {seen[-1] - seen[1]:.1f} MB; most {max(seen):.1f} MB")
    return crawls[0].returncode


def main(arguments: list[str]) -> int:
    only, pages = ("", "a part of the name of a shape"), (10_000, "pages of the site of memory")
    args = asked(__doc__, arguments, what=[*_MEASURES, "memory"], only=only, pages=pages)
    return memory(args) if args.what == "memory" else shapes(args)
