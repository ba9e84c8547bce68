"""What a page costs, ours and other extractors, in multiples of one bare lxml parse of the same
bytes: every page is taken by all ways before the next one comes, so that a busy machine slows all.

``alone`` is a whole item of one page, ``template`` one of a site that has learned from up to 8 other
pages, ``links`` the labels of a listing page. The peers (pip install '.[peers]') give the text of a
page only, decoded as ours; trafilatura is measured in its fast mode as well. A row holds the total
over all pages, the median and the 90th percentile of pages.
With --markdown the rows are those of the table in README."""

from __future__ import annotations

import importlib
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any

from lxml import etree

import sitecrawl
from benchmarks import harness
from benchmarks.extraction import LEARNED
from benchmarks.harness import Example, site_names
from sitecrawl.dom.encoding import decode

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")  # which peers that use lxml refuse
SCORED = 6  # pages of a site that are measured
LISTINGS = 3  # and listing pages
OURS = {
    "alone": "sitecrawl, whole item of one page",
    "template": "sitecrawl, whole item by template",
    "links": "sitecrawl, links of a listing page",
}
Read = Callable[[str], object]
Costs = dict[str, list[tuple[float, float]]]


def _trafilatura(module: Any, html: str) -> object:
    return module.extract(html, include_comments=False)


def _trafilatura_fast(module: Any, html: str) -> object:
    return module.extract(html, include_comments=False, fast=True)


def _readability(module: Any, html: str) -> object:
    return module.Document(html).summary()


def _justext(module: Any, html: str) -> object:
    return module.justext(html, module.get_stoplist("English"))


def _resiliparse(module: Any, html: str) -> object:
    return module.extract_plain_text(html, main_content=True)


PEERS: dict[str, tuple[str, Callable[[Any, str], object]]] = {
    "trafilatura": ("trafilatura", _trafilatura),
    "trafilatura, fast mode": ("trafilatura", _trafilatura_fast),
    "readability-lxml": ("readability", _readability),
    "justext": ("justext", _justext),
    "resiliparse": ("resiliparse.extract.html2text", _resiliparse),
}


def peers() -> dict[str, Read]:
    """The other extractors by name; those that are not installed are named and left out."""
    found: dict[str, Read] = {}
    for name, (place, read) in PEERS.items():
        try:
            found[name] = partial(read, importlib.import_module(place))
        except ImportError:
            print(f"{name} is not installed: pip install '.[peers]'", file=sys.stderr)
    return found


def _attempt(read: Read, html: str) -> None:
    """Let a peer read a page; one that it cannot read costs what it took to say so."""
    try:
        read(html)
    except (ValueError, etree.LxmlError):
        return


def _item(page: Example, site: sitecrawl.SiteModel | None = None) -> None:
    if site is None:
        sitecrawl.extract(html=page.body, url=page.url).to_dict()
    else:
        site.extract(html=page.body, url=page.url).to_dict()


def _bare(body: bytes) -> float:
    return min(harness.bare_parse(body) for _ in range(3))


def measure(name: str, costs: Costs, *, others: dict[str, Read]) -> None:
    """Add the pages of a site to ``costs``: by way, seconds of CPU and those of the bare parse."""
    pages = harness.site_examples(name)
    cut = min(LEARNED, len(pages) // 2)
    site = sitecrawl.SiteModel()
    site.learn([sitecrawl.RawPage(page.body, page.url) for page in pages[:cut]])
    for page in pages[cut : cut + SCORED]:
        bare = _bare(page.body)
        html = _CONTROL.sub(" ", decode(page.body)[0])
        ways: dict[str, Callable[[], object]] = {
            "alone": partial(_item, page),
            "template": partial(_item, page, site),
        }
        ways |= {other: partial(_attempt, read, html) for other, read in others.items()}
        for way, call in ways.items():
            costs[way].append((harness.spent(call), bare))
    listings = dict.fromkeys(row["page"] for row in harness.site_rows(name, "links"))
    for path in list(listings)[:LISTINGS]:
        file = harness.site_file(name, path)
        if file is not None:
            body, url = file.read_bytes(), harness.page_url(name, path)
            call = partial(sitecrawl.classify_links, html=body, url=url)
            costs["links"].append((harness.spent(call), _bare(body)))


def row_of(costs: list[tuple[float, float]]) -> dict[str, float]:
    """Multiples of a bare parse: of all pages together, and of single ones."""
    seconds = sum(cost for cost, _ in costs)
    bare = sum(parse for _, parse in costs)
    ratios = sorted(cost / parse for cost, parse in costs)
    return {
        "pages": len(costs),
        "x_parse": round(seconds / bare, 1),
        "x_median": round(statistics.median(ratios), 1),
        "x_p90": round(ratios[int(0.9 * len(ratios))], 1),
    }


def main(arguments: list[str]) -> int:
    """The table; 2 without sites."""
    args = harness.asked(
        *(__doc__, arguments),
        sites=harness.SITES,
        markdown=(False, "print the table of README"),
    )
    names = site_names(args.sites)
    if not names:
        print("no sites: unpack the data and set SITECRAWL_DATA", file=sys.stderr)
        return 2
    others = peers()
    measure(names[0], defaultdict(list), others=others)  # models and caches are filled
    costs: Costs = defaultdict(list)
    for name in names:
        measure(name, costs, others=others)
    if args.markdown:
        print("| what a page costs, x a bare parse | all pages | median | 90th percentile |")
        print("|---|---|---|---|")
    table = None if args.markdown else harness.Table("way")
    for way in (*OURS, *others):
        row = row_of(costs[way])
        if table is None:
            figures = " | ".join(str(row[name]) for name in ("x_parse", "x_median", "x_p90"))
            print(f"| {OURS.get(way, f'{way}, text')} | {figures} |")
        else:
            table.add(way, **row)
    return 0
