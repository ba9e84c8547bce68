"""Extraction on the sites and corpora at hand, all ways over the same pages.

A row holds word F1 (macro by site), the share of pages of .95 or more and of less than .5,
precision, recall and F of 4-grams as the article-extraction benchmark counts them (its data is
``scrapinghub_aeb``), right titles, days and authors (word F1 of .8), the share answered by a
template, of the wrong ones of these (F1 below .8) the share with a confidence below .8, and CPU
time in multiples of one bare lxml parse: totals over totals, median and 90th percentile. A page is
a whole item and is taken by all ways before the next one comes.

``alone`` is one page without a site, ``site`` after learning from up to 8 other unlabelled pages,
``learning`` what learning cost a page. The models that ship have seen the truth of most sites: a
row says of how many (``seen``). With --unseen each site and corpus is read by a set of models that
has not seen its fold; sets that are missing are built first (python -m benchmarks models)."""

from __future__ import annotations

import importlib
import json
import re
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree

import sitecrawl
from benchmarks import harness, model_sets
from benchmarks.harness import Example, mean, same_day, site_names, word_f1
from sitecrawl.dom.encoding import decode
from sitecrawl.dom.parse import parse
from sitecrawl.extract.single import Extraction, methods
from sitecrawl.items.article import Article

LEARNED, SCORED = 8, 20
FLOORS = Path(__file__).with_name("floors.json")
CORPORA = "daniel zh_blogs netease_2015 scrapinghub_aeb fundus crawl_to_the_future wcxb harvest_forum".split()
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]|&#(?:0|[1-8]|1[1-2]|1[4-9]|2\d|3[01]);")


class Answer(NamedTuple):
    """What a way found on a page; None where it does not give a field."""

    text: str
    title: str | None = None
    day: str | None = None
    by_template: bool | None = None
    authors: list[str] | None = None
    confidence: float | None = None


Call = Callable[[Example], Answer]


@dataclass
class Tally:
    """What one way of extraction reached, by site, and the seconds of CPU that it and the bare
    parse took for each page."""

    f1: dict[str, list[float]] = field(default_factory=partial(defaultdict, list))
    texts: list[tuple[str, str]] = field(default_factory=list)
    title: list[bool] = field(default_factory=list)
    day: list[bool] = field(default_factory=list)
    by_template: list[bool | None] = field(default_factory=list)
    authors: list[float] = field(default_factory=list)
    doubted: list[bool] = field(default_factory=list)
    seconds: list[tuple[float, float]] = field(default_factory=list)

    def add(self, example: Example, call: Call, bare: float) -> None:
        found: list[Answer] = []
        self.seconds.append((harness.spent(lambda: found.append(call(example))), bare))
        answer = found[0]
        self.f1[example.site].append(word_f1(example.text, answer.text))
        self.texts.append((example.text, answer.text))
        self.by_template.append(answer.by_template)
        if (
            people := example.truth.get("authors") or example.truth.get("author")
        ) and answer.authors is not None:
            self.authors.append(
                word_f1(
                    " ".join([people] if isinstance(people, str) else people),
                    " ".join(answer.authors),
                )
                >= 0.8
            )
        if answer.confidence is not None and answer.by_template and self.f1[example.site][-1] < 0.8:
            self.doubted.append(answer.confidence < 0.8)
        if example.title and answer.title is not None:
            self.title.append(word_f1(example.title, answer.title) >= 0.8)
        if example.date and answer.day is not None:
            self.day.append(same_day(example.date, answer.day))

    def join(self, other: Tally) -> None:
        """Add what the same way reached on other pages."""
        for site, values in other.f1.items():
            self.f1[site] += values
        for name in ("texts", "title", "day", "by_template", "authors", "doubted", "seconds"):
            getattr(self, name).extend(getattr(other, name))

    def row(self) -> dict[str, float | None]:
        pages = [value for values in self.f1.values() for value in values]
        grams = zip("prf", ngram_summary(self.texts), strict=True)
        quality = {
            "f1": mean(map(statistics.fmean, self.f1.values())),
            "ge95": mean(value >= 0.95 for value in pages),
            "lt50": mean(value < 0.5 for value in pages),
            **{f"gram4_{name}": round(one, 4) for name, one in grams},
            "title": mean(self.title),
            "date": mean(self.day),
            "authors": mean(self.authors),
            "template": mean(self.by_template),
            "wrong_doubted": mean(self.doubted),
        }
        ours, bare = (sum(each) for each in zip(*self.seconds, strict=True))
        ratios = sorted(one / parse for one, parse in self.seconds)
        cost = {
            "x_parse": ours / bare,
            "x_median": statistics.median(ratios),
            "x_p90": ratios[int(0.9 * len(ratios))],
        }
        return (quality if pages else {}) | {name: round(value, 1) for name, value in cost.items()}


def ngram_summary(pages: Iterable[tuple[str, str]], size: int = 4) -> tuple[float, float, float]:
    """Figures over (truth, answer) pairs as the article-extraction benchmark sums them up.
    Precision is the mean over pages with an answer, recall the mean over pages with a truth, F that
    of the two means."""
    precision, recall = [], []
    for pair in pages:
        want, have = (_ngrams(text, size) for text in pair)
        same = sum((want & have).values())
        precision += [same / sum(have.values())] if have else []
        recall += [same / sum(want.values())] if want else []
    means = statistics.fmean(precision or [0.0]), statistics.fmean(recall or [0.0])
    return *means, 2 * means[0] * means[1] / max(1e-9, sum(means))


def _ngrams(text: str, size: int) -> Counter[tuple[str, ...]]:
    found = re.findall(r"\w+", text)
    size = min(size, max(1, len(found)))
    return Counter(tuple(found[at : at + size]) for at in range(len(found) - size + 1))


def _answer(article: Article) -> Answer:
    """An answer of ours; all of the item is read, for its cost."""
    article.to_dict()
    _ = article.articleBodyHtml, article.articleBodyMarkdown
    by_template = article.provenance.method == "template"
    told = (
        article.headline or "",
        article.datePublished or "",
        by_template,
        [one["name"] for one in article.authors],
    )
    return Answer(article.articleBody, *told, article.provenance.confidence)


def alone(method: str) -> Call:
    """A method of extraction on a page alone."""
    return lambda example: _answer(Extraction(parse(example.body, example.url), method).article)


def tallied(groups: dict[str, list[Example]], ways: dict[str, Call]) -> dict[str, Tally]:
    """Tallies by way; ``site`` and ``learning`` are added, learned from the first pages of a site
    where there are enough of them."""
    tallies = defaultdict[str, Tally](Tally)
    for pages in groups.values():
        cut = min(LEARNED, len(pages) // 2) if len(pages) >= 5 else 0
        given, model = [(page.url, page.body) for page in pages[:cut]], sitecrawl.SiteModel()
        learning = harness.spent(partial(model.learn, given))
        if given:
            tallies["learning"].seconds.append(
                (learning, sum(harness.bare_parse(body) for _, body in given))
            )
        by_site = {
            "site": lambda page, model=model: _answer(model.extract(html=page.body, url=page.url))
        }
        for page in pages[cut : cut + SCORED]:
            bare = min(harness.bare_parse(page.body) for _ in range(3))
            for name, call in (ways | by_site).items():
                tallies[name].add(page, call, bare)
    return tallies


def peers() -> dict[str, Call]:
    """Other extractors, from the peers extra, fed with text that is decoded as ours; those not
    installed are named and left out."""
    known: dict[str, Callable[[Any, str], str]] = {
        "trafilatura": lambda module, html: (
            module.extract(html, favor_precision=True, include_comments=False) or ""
        ),
        "readability": lambda module, html: "".join(
            etree.HTML(module.Document(html).summary()).itertext()
        ),
        "resiliparse.extract.html2text": lambda module, html: module.extract_plain_text(
            html, main_content=True
        ),
    }
    found: dict[str, Call] = {}
    for name, call in known.items():
        try:
            module = importlib.import_module(name)
        except ImportError:
            print(f"{name} is not installed: pip install '.[peers]'", file=sys.stderr)
            continue
        found[name.partition(".")[0]] = _peer(call, module)
    return found


def _peer(call: Callable[[Any, str], str], module: Any) -> Call:
    """A peer's text; a page it cannot read counts as an empty answer."""

    def text(example: Example) -> Answer:
        try:
            return Answer(call(module, _CONTROL.sub(" ", decode(example.body)[0])))
        except (ValueError, etree.LxmlError):
            return Answer("")

    return text


def gate(row: dict[str, float | None]) -> int:
    """1 when a figure of the sites fell below its floor, after naming it."""
    floors = json.loads(FLOORS.read_text(encoding="utf8"))["site"]
    low = {name: (row[name], floor) for name, floor in floors.items() if (row[name] or 0) < floor}
    for name, (have, floor) in low.items():
        print(f"gate: {name} is {have}, its floor is {floor}", file=sys.stderr)
    return int(bool(low))


class Asked(NamedTuple):
    """Ways of extraction to measure: every method or the first, and other tools besides."""

    methods: bool
    peers: bool

    @property
    def ways(self) -> dict[str, Call]:
        names = methods() if self.methods else methods()[:1]
        found = {name: alone(name) for name in names}
        return found | peers() if self.peers else found


def tallied_names(names: list[str], asked: Asked) -> dict[str, Tally]:
    """Tallies by way over the pages of some sites and corpora."""
    groups: dict[str, list[Example]] = {}
    for name in names:
        groups |= harness.examples(name)
    return tallied(groups, asked.ways)


def unseen_tallies(names: list[str], asked: Asked) -> dict[str, Tally]:
    """The same, each name by a set of models that has not seen it."""
    whole = defaultdict[str, Tally](Tally)
    for process, held in model_sets.by_folds(names):
        for way, tally in process.submit(tallied_names, held, asked).result().items():
            whole[way].join(tally)
    return dict(whole)


def main(arguments: list[str]) -> int:
    args = harness.asked(
        *(__doc__, arguments),
        sites=harness.SITES,
        peers=(False, "measure other tools on the same pages"),
        methods=(False, "measure every extractor"),
        gate=(False, "fail below the floors of benchmarks/floors.json"),
        unseen=(False, "by sets of models that have not seen the fold of a site"),
    )
    names = site_names(args.sites)
    if not names:
        print("no sites: unpack the data and set SITECRAWL_DATA", file=sys.stderr)
        return 2
    asked = Asked(args.methods, args.peers)
    table, groups = harness.Table("data"), {"sites": names}
    if args.sites == "all" and not args.gate:
        groups |= {corpus: [corpus] for corpus in CORPORA}
    tally_of = unseen_tallies if args.unseen else tallied_names
    for data, held in groups.items():
        found = {way: tally.row() for way, tally in tally_of(held, asked).items()}
        seen = {} if args.unseen else model_sets.marks_of(held)
        for way, row in found.items():
            table.add(data, way=way, **row, **seen)
        if args.gate:
            return gate(found["site"])
    return 0
