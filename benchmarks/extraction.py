"""Extraction figures on the sites and corpora at hand: ``python -m benchmarks.extraction [--peers] [--methods] [--gate]``.

Every row is one run over the same pages: word F1 (macro by site), share of pages >= .95 and < .5, longest common
substring of characters P/R/F as in the papers of the densities and longest common subsequence of words P/R/F (means by page),
P/R/F of 4-grams as the article-extraction benchmark has it (its data is
`scrapinghub_aeb`), right titles and days, and CPU time as a multiple of one bare lxml parse. ``alone`` is one page without a
site, ``site`` after learning from up to 8 other unlabelled pages. The models that ship have seen the truth of all sites; with ``--unseen``
the block and headline models are first trained anew without those of ``--sites``. ``block_rules`` is block density with one rule for a
cluster of the site's pages; ``--thresholds`` adds rows for other likenesses that make pages one cluster.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

import sitecrawl
from benchmarks import train_blocks, train_headline
from benchmarks.block_data import labelled_pages
from benchmarks.corpora import Example, corpus_examples, corpus_names, site_examples, site_names
from benchmarks.metrics import ngram_summary, same_day, sequence_prf, substring_prf, word_f1
from sitecrawl.dom.align import signature
from sitecrawl.dom.encoding import decode
from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content
from sitecrawl.extract import ensemble, headline
from sitecrawl.extract.features import view_of
from sitecrawl.extract.methods.block_density import (
    BestBlock,
    Rule,
    best_block,
    cluster_rule,
    extract_block_density,
    extract_by_rule,
)
from sitecrawl.extract.single import METHODS, extract_page
from sitecrawl.items.article import Article
from sitecrawl.templates.cluster import THRESHOLD, group

LEARNED, SCORED = 8, 20
THRESHOLDS = (THRESHOLD, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
"""Likeness that makes pages one cluster: the one in use, and others."""
FLOORS = Path(__file__).with_name("floors.json")
CORPORA = (
    "daniel",
    "zh_blogs",
    "netease_2015",
    "scrapinghub_aeb",
    "fundus",
    "crawl_to_the_future",
    "wcxb",
    "harvest_forum",
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]|&#(?:0|[1-8]|1[1-2]|1[4-9]|2\d|3[01]);")
Call = Callable[[Example], tuple[str, str | None, str | None]]


@dataclass
class Tally:
    """What one way of extraction reached, by site."""

    f1: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    substring: list[tuple[float, float, float]] = field(default_factory=list)
    lcs: list[tuple[float, float, float]] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)
    title: list[bool] = field(default_factory=list)
    day: list[bool] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, example: Example, call: Call) -> None:
        begin = time.process_time()
        text, title, day = call(example)
        self.seconds += time.process_time() - begin
        self.f1[example.site].append(word_f1(example.text, text))
        self.substring.append(substring_prf(example.text, text))
        self.lcs.append(sequence_prf(example.text, text))
        self.texts.append((example.text, text))
        if example.title and title is not None:
            self.title.append(word_f1(example.title, title) >= 0.8)
        if example.date and day is not None:
            self.day.append(same_day(example.date, day))

    def row(self, parse_seconds: float) -> dict[str, float | None]:
        pages = [value for values in self.f1.values() for value in values]
        return {
            "f1": _mean(statistics.fmean(values) for values in self.f1.values()),
            "ge95": _mean(value >= 0.95 for value in pages),
            "lt50": _mean(value < 0.5 for value in pages),
            **{f"sub_{name}": _mean(one[at] for one in self.substring) for at, name in enumerate("prf")},
            **{f"lcs_{name}": _mean(one[at] for one in self.lcs) for at, name in enumerate("prf")},
            **{f"gram4_{name}": round(one, 4) for name, one in zip("prf", ngram_summary(self.texts), strict=True)},
            "title": _mean(self.title),
            "date": _mean(self.day),
            "x_parse": round(self.seconds / max(parse_seconds, 1e-9), 1),
        }


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return round(statistics.fmean(found), 4) if found else None


def _answer(article: Article) -> tuple[str, str | None, str | None]:
    return article.articleBody, article.headline or "", article.datePublished or ""


def alone(method: str) -> Call:
    return lambda example: _answer(extract_page(parse(example.body, example.url), method).article)


def clustered(examples: list[Example], threshold: float) -> Call:
    """Block density by one rule a cluster of the pages (Wang 2018, section 5.2, Algorithm 2); pages without a rule answer alone."""
    pages = [parse(example.body, example.url) for example in examples]
    best: list[BestBlock] = [best_block(view_of(page)) for page in pages]
    rules: dict[str, Rule | None] = {}
    for members in group([signature(page.root) for page in pages], threshold):
        rule = cluster_rule([best[at] for at in members])
        rules |= {examples[at].key: rule for at in members}

    def call(example: Example) -> tuple[str, None, None]:
        view, rule = view_of(parse(example.body, example.url)), rules[example.key]
        found = extract_by_rule(view, rule) if rule else extract_block_density(view)
        return Content(found.nodes, found.skip, example.url, found.mute).text, None, None

    return call


def measure(
    groups: dict[str, list[Example]], ways: dict[str, Call], thresholds: Sequence[float] = ()
) -> dict[str, dict[str, float | None]]:
    """Rows by way; the way ``site`` is added where pages are left to learn from, and rules by cluster for each of ``thresholds``."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    bare = 0.0
    for examples in groups.values():
        cut = min(LEARNED, len(examples) // 2) if len(examples) >= 5 else 0
        model = sitecrawl.SiteModel()
        model.learn([(example.url, example.body) for example in examples[:cut]])
        whole = examples[: cut + SCORED]
        rules = {f"block_rules {threshold:.2f}": clustered(whole, threshold) for threshold in thresholds}
        calls = {
            **ways,
            **rules,
            "site": lambda example, model=model: _answer(model.extract(example.body, example.url)),
        }
        for example in examples[cut : cut + SCORED]:
            bare += _bare_parse(example.body)
            for name, call in calls.items():
                tallies[name].add(example, call)
    return {name: tally.row(bare) for name, tally in tallies.items()}


def _bare_parse(body: bytes) -> float:
    begin = time.process_time()
    try:
        etree.fromstring(body, parser=etree.HTMLParser(huge_tree=True, encoding="utf-8"))
    except etree.XMLSyntaxError:
        return 0.0
    return time.process_time() - begin


def peers() -> dict[str, Call]:
    """Other extractors, from the peers extra, fed with text that is decoded as ours; those not installed are named and left out."""
    known = {
        "trafilatura": lambda module, html: module.extract(html, favor_precision=True, include_comments=False) or "",
        "readability": lambda module, html: "".join(etree.HTML(module.Document(html).summary()).itertext()),
        "resiliparse.extract.html2text": lambda module, html: module.extract_plain_text(html, main_content=True),
    }
    found: dict[str, Call] = {}
    for name, call in known.items():
        try:
            module = importlib.import_module(name)
        except ImportError:
            print(f"{name} is not installed: pip install sitecrawl[peers]", file=sys.stderr)
            continue
        found[name.partition(".")[0]] = lambda example, call=call, module=module: (
            _peer(call, module, example),
            None,
            None,
        )
    return found


def _peer(call: Callable[[object, str], str], module: object, example: Example) -> str:
    """A peer's text; a page it cannot read counts as an empty answer."""
    try:
        return call(module, _CONTROL.sub(" ", decode(example.body)[0]))
    except (ValueError, etree.LxmlError):
        return ""


def gate(row: dict[str, float | None]) -> int:
    """1 when a figure of the open sites fell below its floor, after naming it."""
    floors = json.loads(FLOORS.read_text(encoding="utf8"))["site"]
    low = {name: (row[name], floor) for name, floor in floors.items() if (row[name] or 0) < floor}
    for name, (have, floor) in low.items():
        print(f"gate: {name} is {have}, its floor is {floor}", file=sys.stderr)
    return int(bool(low))


def forget(sites: set[str]) -> None:
    """Answer from now on by models that have not seen ``sites``."""
    names = [name for name in (*site_names(), *corpus_names()) if name not in sites]
    print(f"training without {len(sites)} sites ...", file=sys.stderr)
    blocks = train_blocks.fit(*train_blocks.table(list(labelled_pages(names)))[:3])
    titles = train_headline.fit(train_headline.weigh(list(train_headline.choices(names))))
    ensemble.default_model = lambda: blocks
    headline.headline_model = lambda: titles


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", action="store_true", help="measure other tools on the same pages")
    parser.add_argument("--methods", action="store_true", help="measure every extractor")
    parser.add_argument("--thresholds", action="store_true", help="rules by cluster for other thresholds as well")
    parser.add_argument("--gate", action="store_true", help="fail below the floors of benchmarks/floors.json")
    parser.add_argument("--unseen", action="store_true", help="first train models without the --sites; takes minutes")
    parser.add_argument("--sites", default="", help="names of sites, with commas (default: all, then the corpora)")
    args = parser.parse_args()
    if args.unseen:
        forget(set(args.sites.split(",")))
    ways: dict[str, Call] = {name: alone(name) for name in (METHODS if args.methods else METHODS[:1])}
    ways |= peers() if args.peers else {}
    names = args.sites.split(",") if args.sites else site_names()
    if not names:
        print("no sites: unpack the data and set SITECRAWL_DATA", file=sys.stderr)
        return 2
    thresholds = THRESHOLDS if args.thresholds else THRESHOLDS[:1] if args.methods else ()
    rows = measure({name: site_examples(name) for name in names}, ways, thresholds)
    _print("sites", rows)
    for corpus in () if args.sites or args.gate else CORPORA:
        _print(corpus, measure(corpus_examples(corpus), ways, thresholds))
    return gate(rows["site"]) if args.gate else 0


def _print(data: str, rows: dict[str, dict[str, float | None]]) -> None:
    for name, row in rows.items():
        print(f"{data:20} {name:18} " + " ".join(f"{key} {value}" for key, value in row.items()), flush=True)


if __name__ == "__main__":
    sys.exit(main())
