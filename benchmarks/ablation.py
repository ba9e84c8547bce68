"""What each rule of single-page extraction is worth.

Every switch replaces one function or constant by one that does nothing. All pages of the sample are extracted once as they are and once with
each switch, and the table shows what changes: word F1 (macro by site) on the sites and on each group of corpora, right headlines, right days,
and the number of answers that differ. A rule that is worth less than .001 on sites that it was not made for is to be deleted.
"""

from __future__ import annotations

import copy
import importlib
import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from benchmarks.harness import Example, corpus_examples, same_day, site_examples, site_names, with_sites, word_f1
from sitecrawl.dom.parse import parse
from sitecrawl.extract.features import View, view_of
from sitecrawl.extract.single import Landmarks, extract_around

NEVER = re.compile(r"(?!)")
CORPORA = {
    "news": ("scrapinghub_aeb", "fundus", "daniel", "crawl_to_the_future"),
    "web": ("wcxb",),
    "chinese": ("zh_blogs", "netease_2015"),
}
"""Corpora by the group whose column they share; one page of each of their sites is read, or as many as of an open site where they hold few."""
RIGHT_TITLE = 0.8
"""Word F1 from which a headline is right, as in the other benchmarks."""
FEW_SITES = 10


def _keep(view: View, kept: Any, *rest: Any) -> Any:
    return kept


SWITCHES: dict[str, tuple[tuple[str, Any], ...]] = {
    "comments below an article": (("ensemble.without_comments", _keep),),
    "lone paragraphs": (("ensemble.with_lone_paragraph", lambda view, scores, kept: kept),),
    "forums by their URL": (("ensemble.is_forum", lambda page: False),),
    "smoothing": (("ensemble.smoothed", lambda scores: scores),),
    "lower threshold and comments": (("single.revise_body", lambda view, selection: selection),),
    "confirmed heading": (("headline.confirmed_heading", lambda view, titles: -1),),
    "printed day": (("published._as_printed", lambda view, dated, headline: dated),),
    "label before a date": (("published._LABEL", NEVER),),
    "dates in metadata": (("published._from_metadata", lambda view, headline: []),),
    "dates in time elements": (("published._from_time", lambda view, headline: []),),
    "dates in text": (("published._from_text", lambda view, headline: []),),
    "dates in the URL": (("published._from_url", lambda view, headline: []),),
    "first run of a block": (("candidates._RUNS", 1),),
}
"""Switch to the names below ``sitecrawl.extract`` that it replaces, each with what takes its place."""


class Answer(NamedTuple):
    """One extracted page: word F1 of the body, whether headline and day are right (None where the truth has none), and the answer itself."""

    f1: float
    title: bool | None
    day: bool | None
    said: tuple[str, str | None, str | None]


@contextmanager
def switched_off(name: str) -> Iterator[None]:
    """Runs the block with the switch ``name`` off; "" switches nothing off."""
    undo = []
    for target, value in SWITCHES.get(name, ()):
        room, attribute = target.rsplit(".", 1)
        module: Any = importlib.import_module(f"sitecrawl.extract.{room}")
        undo.append((module, attribute, getattr(module, attribute)))
        if attribute.startswith("_from_"):  # the table of sources holds the functions themselves
            sources, own = module._SOURCES, getattr(module, attribute)
            undo.append((module, "_SOURCES", sources))
            module._SOURCES = tuple((most, value if source is own else source) for most, source in sources)
        setattr(module, attribute, value)
    try:
        yield
    finally:
        for module, attribute, value in reversed(undo):
            setattr(module, attribute, value)


def sample(sites: list[str], pages: int) -> Iterator[tuple[str, Example]]:
    """Group and example of every page that is read."""
    for name in sites:
        yield from (("sites", example) for example in site_examples(name)[:pages])
    for group, names in CORPORA.items():
        for name in names:
            found = corpus_examples(name)
            for examples in found.values():
                yield from ((group, example) for example in examples[: pages if len(found) < FEW_SITES else 1])


def answers(example: Example, switches: Iterable[str]) -> dict[str, Answer]:
    """The answer for a page with each of the ``switches`` off; it is parsed, and an unchanged body is compared with the truth, once."""
    page = parse(example.body, example.url)
    shared, scores, found = view_of(page), dict[str, float](), dict[str, Answer]()
    for name in switches:
        marks = Landmarks(page)
        marks.view = copy.copy(shared)
        marks.view.scored = {}
        with switched_off(name):
            article = extract_around(marks).article
            body, title, day = article.articleBody, article.headline, article.datePublished
        scores.setdefault(body, word_f1(example.text, body) if body not in scores else 0.0)
        found[name] = Answer(
            scores[body],
            word_f1(example.title, title or "") >= RIGHT_TITLE if example.title else None,
            same_day(example.date, day or "") if example.date else None,
            (body, title, day),
        )
    return found


def main(arguments: list[str]) -> None:
    options = with_sites(__doc__)
    options.add_argument("--switches", default=",".join(SWITCHES), help="names of switches, separated by commas")
    options.add_argument("--pages", type=int, default=4, help="pages of each site; the corpora are always read")
    args = options.parse_args(arguments)
    switches = ["", *args.switches.split(",")]
    columns: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    changed = dict.fromkeys(switches, 0)
    for group, example in sample(site_names(args.sites), args.pages):
        found = answers(example, switches)
        for name, answer in found.items():
            columns[name, group][example.site].append(answer.f1)
            for field in ("title", "day"):
                if getattr(answer, field) is not None:
                    columns[name, field][example.site].append(float(getattr(answer, field)))
            changed[name] += answer.said != found[""].said
    shown = ["sites", *CORPORA, "title", "day"]
    mean = {key: statistics.fmean(map(statistics.fmean, by_site.values())) for key, by_site in columns.items()}
    print(f"{'switched off':28}" + "".join(f"{name:>9}" for name in [*shown, "changed"]))
    for name in switches:
        values = [mean.get((name, column), 0.0) - (mean.get(("", column), 0.0) if name else 0.0) for column in shown]
        print(f"{name or 'nothing':28}" + "".join(f"{value:9.4f}" for value in values) + f"{changed[name]:9}")
