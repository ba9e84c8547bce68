"""What each rule of single-page extraction is worth. Every switch replaces one function or constant
by one that does nothing. All pages of the sample are extracted as they are and with each switch,
and the table shows what changes: word F1 (macro by site) on the sites and on each group of corpora,
right headlines, right days, and the number of bodies that differ. A rule that is worth less than
.001 on sites that it was not made for is to be deleted."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from benchmarks import extraction, model_sets
from benchmarks.harness import (
    SITES,
    Example,
    Table,
    asked,
    corpus_examples,
    site_examples,
    site_names,
)

NEVER = re.compile(r"(?!)")
CORPORA = {
    "news": "scrapinghub_aeb fundus daniel crawl_to_the_future",
    "web": "wcxb",
    "chinese": "zh_blogs netease_2015",
}
"""Corpora by the group whose column they share; one page of each of their sites is read, or as many
as of an open site where they hold few."""
FEW_SITES = 10

SWITCHES: dict[str, tuple[tuple[str, Any], ...]] = {
    "comments below an article": (("belonging.without_comments", lambda view, kept, *rest: kept),),
    "lone paragraphs": (("ensemble.with_lone_paragraph", lambda view, scores, kept: kept),),
    "forums by their URL": (("ensemble.is_forum", lambda page: False),),
    "smoothing": (("ensemble.smoothed", lambda scores: scores),),
    "lower threshold and comments": (
        ("single.revise_body", lambda view, selection, dated: selection),
    ),
    "confirmed heading": (("headline.confirmed_heading", lambda page, titles, **known: -1),),
    "printed day": (("published._as_printed", lambda view, dated, headline: dated),),
    "label before a date": (("published._LABEL", NEVER),),
    "dates in metadata": (("published._from_metadata", lambda view, headline: []),),
    "dates in time elements": (("published._from_time", lambda view, headline: []),),
    "dates in text": (("published._from_text", lambda view, headline: []),),
    "dates in the URL": (("published._from_url", lambda view, headline: []),),
    "first run of a block": (("candidates._RUNS", 1),),
}
"""Switch to the names below ``sitecrawl.extract`` that it replaces, each with what takes its
place."""


@contextmanager
def switched_off(name: str) -> Iterator[None]:
    """Runs the block with the switch ``name`` off; "" switches nothing off."""
    with ExitStack() as patches:
        for target, value in SWITCHES.get(name, ()):
            room, attribute = target.rsplit(".", 1)
            module: Any = importlib.import_module(f"sitecrawl.extract.{room}")
            if attribute.startswith(
                "_from_"
            ):  # the table of sources holds the functions themselves
                own = getattr(module, attribute)
                sources = tuple(
                    (most, value if source is own else source) for most, source in module._SOURCES
                )
                patches.enter_context(patch.object(module, "_SOURCES", sources))
            patches.enter_context(patch.object(module, attribute, value))
        yield


def sample(sites: list[str], pages: int) -> Iterator[tuple[str, dict[str, list[Example]]]]:
    """Groups of data and the pages of their sites that are read."""
    yield "sites", {name: site_examples(name)[:pages] for name in sites}
    for group, names in CORPORA.items():
        found = [corpus_examples(name) for name in names.split()]
        yield (
            group,
            {site: of[site][: pages if len(of) < FEW_SITES else 1] for of in found for site in of},
        )


def without(switch: str) -> extraction.Call:
    """Extraction of a single page with a switch off."""

    def call(example: Example) -> extraction.Answer:
        with switched_off(switch):
            return extraction.alone("ensemble")(example)

    return call


def main(arguments: list[str]) -> None:
    switches = ",".join(SWITCHES), "names, separated by commas"
    pages = 4, "pages of a site; corpora are always read"
    args = asked(__doc__, arguments, sites=SITES, switches=switches, pages=pages)
    ways = {name: without(name) for name in ("", *args.switches.split(","))}
    for group, examples in sample(site_names(args.sites), args.pages):
        names = site_names(args.sites) if group == "sites" else CORPORA[group].split()
        seen = model_sets.marks_of(names)
        table, tallies = Table("switched off"), extraction.tallied(examples, ways)
        whole, rows = tallies[""], {name: tallies[name].row() for name in ways}
        for name, row in rows.items():
            base = rows[""] if name else {}
            worth = {
                key: round((row[key] or 0) - (base.get(key) or 0), 4)
                for key in ("f1", "title", "date")
            }
            changed = sum(
                one != other for one, other in zip(tallies[name].texts, whole.texts, strict=True)
            )
            table.add(name or "nothing", data=group, **worth, changed=changed, **seen)
