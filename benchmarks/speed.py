"""CPU time in multiples of one bare lxml parse of the same bytes: every site, every page once, other extractors beside it.

Each page is taken by all steps before the next one comes, so that whatever slows the machine slows all of them. Totals over totals, median and
90th percentile of the pages; ``fallback`` is the share of the pages that no template answers. A page is a whole item: all fields, HTML and Markdown.
With --crawls whole crawls of so many sites are added: CPU of a page fetched, start of the process included. Pages are new to the process, as in
a crawl; the first site warms up and is not counted.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import sitecrawl
from benchmarks import crawl, extraction, harness
from benchmarks.harness import Example, bare_parse, mean, section_pages, site_examples, site_names, spent

LEARNED, SCORED, SECTIONS = 6, 4, 3
"""Pages of a site that are learned from, extracted, and whose links are classified."""
_LIMITING = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


@dataclass
class Cost:
    """Seconds of one step and of the bare parse of the same pages."""

    ours: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        ratios = sorted(ours / bare for ours, bare in zip(self.ours, self.bare, strict=True))
        return {
            "pages": len(ratios),
            "total": round(sum(self.ours) / sum(self.bare), 2),
            "median": round(statistics.median(ratios), 2),
            "p90": round(ratios[int(0.9 * len(ratios))], 2),
            "ms": round(1e3 * statistics.fmean(self.ours), 2),
        }


def whole(article: sitecrawl.Article) -> sitecrawl.Article:
    """Read all of an item: every field, HTML and Markdown."""
    article.to_dict()
    if article.body is not None:
        _ = article.body.html, article.body.markdown
    return article


def measure(names: list[str], peers: dict[str, extraction.Call]) -> tuple[dict[str, Cost], float]:
    """Costs by step, and the share of the pages that no template answers."""
    costs, answered = defaultdict[str, Cost](Cost), list[bool]()
    for number, name in enumerate(names):
        pages = site_examples(name)[: LEARNED + SCORED]
        cut = min(LEARNED, len(pages) // 2)
        given, model = [(page.url, page.body) for page in pages[:cut]], sitecrawl.SiteModel()
        learning = spent(lambda model=model, given=given: model.learn(given))  # type: ignore[misc]
        found: dict[str, Cost] = defaultdict(Cost)
        if given:
            _add(found["learning"], learning / cut, statistics.fmean(_bare(body) for _, body in given))
        for page in pages[cut:]:
            _page(page, model, steps=found, peers=peers)
            if number:
                answered.append(model.extract(html=page.body, url=page.url).provenance.method == "template")
        for url, body in section_pages(name)[:SECTIONS]:
            bare = _bare(body)
            _add(found["links"], spent(lambda url=url, body=body: sitecrawl.classify_links(html=body, url=url)), bare)  # type: ignore[misc]
        for step, cost in found.items() if number else ():
            costs[step].ours += cost.ours
            costs[step].bare += cost.bare
    return costs, 1 - float(mean(answered) or 0)


def _page(
    page: Example, model: sitecrawl.SiteModel, *, steps: dict[str, Cost], peers: dict[str, extraction.Call]
) -> None:
    """All steps on one article page."""
    html, url = page.body, page.url
    calls: dict[str, Callable[[], object]] = {
        "single page": lambda: whole(sitecrawl.extract(html=html, url=url)),
        "with its site": lambda: whole(model.extract(html=html, url=url)),
        **{name: lambda call=call: call(page) for name, call in peers.items()},  # type: ignore[misc]
    }
    bare = _bare(html)
    for step, call in calls.items():
        _add(steps[step], spent(call), bare)


def _add(cost: Cost, ours: float, bare: float) -> None:
    cost.ours.append(ours)
    cost.bare.append(bare)


def _bare(body: bytes) -> float:
    """The yardstick: the quickest of three parses."""
    return min(bare_parse(body) for _ in range(3))


def main(arguments: list[str]) -> int:
    options = harness.with_sites(__doc__)
    options.add_argument("--peers", action="store_true", help="trafilatura, readability, resiliparse on the same pages")
    options.add_argument("--crawls", type=int, default=0, help="number of sites to crawl as well")
    args = options.parse_args(arguments)
    if any(
        name in os.environ for name in _LIMITING
    ):  # a user's process has BLAS threads as they are: measure in such a one
        for name in _LIMITING:
            os.environ.pop(name, None)
        os.execv(sys.executable, [sys.executable, "-m", "benchmarks", "speed", *arguments])
    names = site_names(args.sites)
    costs, fallback = measure(names, extraction.peers() if args.peers else {})
    table = harness.Table("step")
    for step, cost in costs.items():
        table.add(step, **cost.row())
    print(f"fallback: {fallback:.3f} of the article pages are answered by no template")
    for name in sorted(names, key=harness.order)[: args.crawls]:
        _, _, figures = crawl.by_command(name)
        table.add(f"crawl of {name}", **figures)
    for module in ("sitecrawl", "scrapy.cmdline"):
        best = min(harness.run(["-c", f"import {module}"]).cpu for _ in range(3))
        print(f"import {module}: {best:.2f} s of CPU, the start of Python included")
    return 0
