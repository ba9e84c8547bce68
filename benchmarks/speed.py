"""What a page costs, in CPU time of one bare lxml parse of it: ``python -m benchmarks.speed [peers|growth|memory] [--sites A,B] [--svg FILE]``.

Medians of interleaved rounds in one process, with the variables that limit BLAS unset, as a user runs it. ``peers`` adds other extractors on the
same article pages. ``growth`` needs no data: pages of 10 kB to 5 MB and of 10 to 100,000 links, and the slope of the cost on logarithmic axes,
where 1 is linear; ``--svg`` draws it. ``memory`` needs none either: the peak of a page of 20 MB, and a process that has seen up to 10,000 pages,
without Python's collector of cycles, so that what is not freed at once would add up.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import statistics
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import log10
from pathlib import Path

import numpy as np
from lxml import etree

from benchmarks.corpora import DATA, order, rows, site_examples, site_file, site_meta, site_names
from benchmarks.crawl import installed
from benchmarks.extraction import peers
from benchmarks.templates import page as article_page
from sitecrawl.dom.page import Page
from sitecrawl.extract.single import extract_page
from sitecrawl.items.article import Article
from sitecrawl.links.classify import Profile, classify
from sitecrawl.site.inputs import page_of_html
from sitecrawl.site.model import SiteModel

_LIMITING = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
_FREED = "SITECRAWL_SPEED_FREED"
"""Set in the process that measures: a module that limits BLAS when it is imported must not start one process after the other."""
_LEARNED, _SCORED, _SECTIONS = 8, 4, 3
"""Pages of a site that are learned from, extracted, and whose links are classified."""
_KIND = {"article": "article", "section": "listing", "other": "other"}
_IMPORT = "import time; begin = time.process_time(); import {}; print(time.process_time() - begin)"

Given = tuple[str, bytes]


@dataclass
class Site:
    """Pages of one site as (URL, body), its model and the evidence of its links."""

    name: str
    learned: list[Given] = field(default_factory=list)
    articles: list[Given] = field(default_factory=list)
    sections: list[Given] = field(default_factory=list)
    answered: list[Given] = field(default_factory=list)
    """The articles that a template answers; the others cost what a single page does."""
    model: SiteModel = field(default_factory=SiteModel)
    profile: Profile = field(default_factory=Profile)


def site_of(name: str) -> Site:
    """A site at hand, its templates learned, and the links of its section pages as if each were fetched."""
    host = f"http://{site_meta(name)['host']}"
    known = [(one.url, one.body) for one in site_examples(name)[: _LEARNED + _SCORED]]
    paths = dict.fromkeys(row["page"] for row in rows(DATA / "sites" / name / "links.jsonl"))
    files = [(path, site_file(name, path)) for path in sorted(paths, key=order)[:_SECTIONS]]
    sections = [(f"{host}/{path.lstrip('/')}", file.read_bytes()) for path, file in files if file is not None]
    site = Site(name, known[:_LEARNED], known[_LEARNED:], sections)
    site.model.learn(site.learned)
    site.answered = [it for it in site.articles if site.model.extract(it[1], it[0]).provenance.method == "template"]
    for url, body in sections:
        for link in classify(page_of_html(body, url)):
            if link.url.startswith("http"):
                site.profile.record(link.url, link.group, _KIND[link.label], link.guess)
    return site


def whole(article: Article) -> None:
    """Read all of an item: every field, HTML and Markdown."""
    article.to_dict()
    if article.body is not None:
        _ = article.body.html, article.body.markdown


def bare(given: Given) -> None:
    """Parse with lxml and nothing else: the yardstick."""
    etree.fromstring(given[1] or b"<p>", parser=etree.HTMLParser(huge_tree=True, encoding="utf-8"))


Step = Callable[[Site], float]


def timed(call: Callable[[Given], object], pages: Sequence[Given]) -> float:
    """Seconds of CPU for ``call`` on every page, the threads that it wakes included."""
    begin = time.process_time()
    for given in pages:
        call(given)
    return time.process_time() - begin


STEPS: dict[str, tuple[str, Step]] = {
    "body, single page": (
        "articles",
        lambda site: timed(lambda it: extract_page(page_of_html(it[1], it[0])).article.articleBody, site.articles),
    ),
    "whole item, single page": (
        "articles",
        lambda site: timed(lambda it: whole(extract_page(page_of_html(it[1], it[0])).article), site.articles),
    ),
    "body by template": (
        "answered",
        lambda site: timed(lambda it: site.model.extract(it[1], it[0]).articleBody, site.answered),
    ),
    "whole item by template": (
        "answered",
        lambda site: timed(lambda it: whole(site.model.extract(it[1], it[0])), site.answered),
    ),
    "links": ("sections", lambda site: timed(lambda it: classify(page_of_html(it[1], it[0])), site.sections)),
    "links of a known site": (
        "sections",
        lambda site: timed(lambda it: classify(page_of_html(it[1], it[0]), profile=site.profile), site.sections),
    ),
}
"""What is measured, and on which pages of a site."""


def with_peers() -> dict[str, tuple[str, Step]]:
    """The steps, and the other extractors that are installed."""

    def step(call: Callable[..., object]) -> Step:
        return lambda site: sum(timed(lambda _, one=one: call(one), [("", b"")]) for one in scored(site.name))

    return STEPS | {name: ("articles", step(call)) for name, call in peers().items()}


def scored(name: str) -> list[object]:
    """The article pages of a site that peers read."""
    return list(site_examples(name)[_LEARNED : _LEARNED + _SCORED])


def medians(sites: Sequence[Site], steps: dict[str, tuple[str, Step]], rounds: int) -> dict[str, float]:
    """Times a bare parse of the same pages, median of the rounds; one round warms up."""
    found: dict[str, list[float]] = {name: [] for name in steps}
    for number in range(rounds + 1):
        spent, parsed = dict.fromkeys(steps, 0.0), dict.fromkeys(("articles", "answered", "sections"), 0.0)
        for site in sites:
            for kind in parsed:
                parsed[kind] += timed(bare, getattr(site, kind))
            for name, (_, step) in steps.items():
                spent[name] += step(site)
        for name, (kind, _) in steps.items() if number else ():
            found[name].append(spent[name] / parsed[kind])
    return {name: statistics.median(values) for name, values in found.items()}


def pages(options: argparse.Namespace) -> None:
    """Print the table of steps, then learning in milliseconds and the start."""
    names = options.sites.split(",") if options.sites else site_names()[:12]
    sites = [site for site in map(site_of, names) if site.articles and site.sections]
    steps = with_peers() if options.what == "peers" else STEPS
    kilobytes = statistics.median(len(body) for site in sites for _, body in site.articles) / 1000
    print(
        f"{len(sites)} sites, {sum(len(site.answered) for site in sites)} of {sum(len(site.articles) for site in sites)} article pages answered by template, {kilobytes:.0f} kB (median); x CPU of a bare lxml parse of the page"
    )
    for name, ratio in medians(sites, steps, options.rounds).items():
        print(f"{name:28} {ratio:6.1f}")
    print(f"{'learning, ms a page':28} {statistics.median(learning(sites) for _ in range(options.rounds)):6.1f}")
    for module in ("sitecrawl", "scrapy.cmdline"):
        print(f"{f'import {module}, s':28} {imported(module, options.rounds):6.2f}")


def learning(sites: Sequence[Site]) -> float:
    """Milliseconds to learn a page."""
    spent = sum(timed(lambda _, site=site: SiteModel().learn(site.learned), [("", b"")]) for site in sites)
    return 1e3 * spent / sum(len(site.learned) for site in sites)


def imported(module: str, rounds: int) -> float:
    """Seconds of CPU that an import takes in a fresh interpreter, median; its modules are compiled."""
    line = [sys.executable, "-c", _IMPORT.format(module)]
    runs = [subprocess.run(line, check=True, capture_output=True, env=installed()) for _ in range(rounds + 1)]
    return statistics.median(float(run.stdout) for run in runs[1:])


def _links(count: int) -> bytes:
    rows = (f'<li><a href="/story/{at}-a-link.html">A link of the list, number {at}</a></li>' for at in range(count))
    return f"<html><body><h1>Stories</h1><ul>{''.join(rows)}</ul>".encode()


SERIES: dict[str, tuple[Callable[[int], bytes], tuple[int, ...], Callable[[Given], object]]] = {
    "whole item by kB of the page": (
        lambda kilobytes: article_page(1, max(1, kilobytes * 1000 // len(article_page(1, 100)) * 100)).encode(),
        (10, 50, 200, 1000, 5000),
        lambda it: whole(extract_page(page_of_html(it[1], it[0])).article),
    ),
    "links by links of the page": (
        _links,
        (10, 100, 1000, 10_000, 100_000),
        lambda it: classify(page_of_html(it[1], it[0])),
    ),
}


def growth(options: argparse.Namespace) -> None:
    """Print milliseconds as pages grow, and the slope over the three largest sizes."""
    drawn = {}
    for name, (make, sizes, call) in SERIES.items():
        points = []
        for size in sizes:
            given = [("http://news.example/story/1.html", make(size))]
            timed(call, given)
            points.append((size, 1e3 * statistics.median(timed(call, given) for _ in range(options.rounds))))
        slope = float(np.polyfit(*np.log10(points[-3:]).T, 1)[0])
        print(f"{name}: " + ", ".join(f"{size}: {spent:.1f} ms" for size, spent in points) + f"; slope {slope:.2f}")
        drawn[f"{name} (slope {slope:.2f})"] = points
    if options.svg:
        Path(options.svg).write_text(picture(drawn, "kB or links of the page"), encoding="utf8")


_LARGE, _SEEN = 20_000_000, (100, 1_000, 10_000)
"""Bytes of the large page, and numbers of pages after which a process is looked at."""


def memory(_: argparse.Namespace) -> None:
    """Print megabytes: of a process before and after one large page, and of one that takes in page after page as a crawl does."""
    gc.collect()
    gc.disable()
    model, pages = SiteModel(), list[weakref.ref[Page]]()
    for number in range(1, _SEEN[-1] + 1):
        page = page_of_html(article_page(number, 10), f"http://news.example/story/{number}.html")
        pages.append(weakref.ref(page))
        found = model.observe_page(page, 0.95).article
        if found is not None:
            whole(found)
        del page, found
        if number in _SEEN:
            alive = sum(one() is not None for one in pages)
            print(f"{number:6} pages seen: {resident():4.0f} MB, {alive} pages in memory")
    before, body = resident(), article_page(1, _LARGE // len(article_page(1, 100)) * 100).encode()
    whole(extract_page(page_of_html(body, "http://news.example/large.html")).article)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"a page of {len(body) / 1e6:.0f} MB: {peak:4.0f} MB at most, {peak - before:.0f} MB of them for it")


def resident() -> float:
    """Megabytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


def picture(series: dict[str, list[tuple[int, float]]], along: str) -> str:
    """An SVG of the series on logarithmic axes, ``along`` what they grow with; a grey line shows what is linear."""
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 620 360" font-family="sans-serif" font-size="12">']
    parts.append(
        '<rect width="620" height="360" fill="white"/><path d="M60 320H600M60 320V20" stroke="#333" fill="none"/>'
    )
    for power in range(6):
        parts.append(f'<text x="{60 + 100 * power}" y="338" text-anchor="middle">{10**power:,}</text>')
        parts.append(f'<text x="54" y="{324 - 60 * power}" text-anchor="end">{10**power:,}</text>')
    parts.append('<path d="M60 320L560 20" stroke="#bbb" stroke-dasharray="4"/>')
    parts.append(f'<text x="330" y="354" text-anchor="middle">{along}; upwards: milliseconds of CPU</text>')
    for number, (name, points) in enumerate(series.items()):
        colour = ("#1f6f8b", "#b5542c")[number % 2]
        line = " ".join(f"{60 + 100 * log10(size):.1f},{320 - 60 * log10(max(1, spent)):.1f}" for size, spent in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="80" y="{36 + 18 * number}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>\n"])


def main() -> int:
    """Measure in a process of its own where a variable limits BLAS."""
    if any(name in os.environ for name in _LIMITING) and _FREED not in os.environ:
        free = {name: value for name, value in os.environ.items() if name not in _LIMITING} | {_FREED: "1"}
        return subprocess.run(
            [sys.executable, "-m", "benchmarks.speed", *sys.argv[1:]], env=free, check=False
        ).returncode
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="pages", choices=("pages", "peers", "growth", "memory"))
    parser.add_argument("--sites", default="", help="names of sites (default: the first twelve at hand)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--svg", default="", help="file that growth draws its plot to")
    options = parser.parse_args()
    {"growth": growth, "memory": memory}.get(options.what, pages)(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
