"""Day, author and headline: how many pages have the right one, a wrong one, and none, for ours and
for other tools on the same pages.

Only pages whose truth names the field count, and authors whose names stand on the page. ``alone`` is one page without a site, ``site`` after
learning from up to 8 other unlabelled pages of the site; trafilatura gives all three fields,
htmldate the day. A day is right if it is the same day, a headline with a word F1 of .8 or more,
authors if they have the same words, in any order. ``share`` is the share of right pages, macro by
site. The last rows are of all data together. --errors FILE writes each answer that is not right, to
look at."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import unescape
from typing import Any, NamedTuple

from lxml import etree

import sitecrawl
from benchmarks import harness
from benchmarks.extraction import LEARNED, SCORED
from benchmarks.harness import Example, mean, same_day, site_names, tokens, word_f1
from sitecrawl.dom.encoding import decode
from sitecrawl.items.article import Article

FIELDS = ("day", "author", "headline")
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_LINK = re.compile(
    r"""(?:href|src|srcset|data-[\w-]+)\s*=\s*(?:"[^"]*"|'[^']*')|https?://\S+""", re.I
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


class Facts(NamedTuple):
    """What is told of a page: an ISO date, names, a headline; each empty where it is not told, None
    where a tool does not tell this field at all."""

    day: str | None = None
    author: str | None = None
    headline: str | None = None


Call = Callable[[Example], Facts]


@dataclass
class Count:
    """Pages with a right and a wrong answer and with none, and the right ones by site."""

    right: int = 0
    wrong: int = 0
    missing: int = 0
    by_site: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))

    def add(self, outcome: str, site: str) -> None:
        setattr(self, outcome, getattr(self, outcome) + 1)
        self.by_site[site].append(outcome == "right")

    def join(self, other: Count) -> None:
        """Add the same field's counts on other pages."""
        self.right += other.right
        self.wrong += other.wrong
        self.missing += other.missing
        for site, values in other.by_site.items():
            self.by_site[site] += values

    @property
    def share(self) -> float | None:
        return mean(mean(values) for values in self.by_site.values())


Counts = dict[tuple[str, str], Count]
"""Counts by way and field."""


def truth_of(example: Example) -> Facts:
    """What is known of a page. Some truths hold the address of a profile in place of a name, or a
    name that an export of the site knew and the page does not tell: they name nobody. Days of some
    corpora are texts as a page prints them, which no tool returns: they count only in ISO 8601."""
    people = example.truth.get("authors") or example.truth.get("author") or ""
    names = people if isinstance(people, str) else " ".join(people)
    is_address = "/" in names and " " not in names
    if is_address or not _stands_on_page(names, example):
        names = ""
    day = example.date if example.date and _ISO.match(example.date) else ""
    return Facts(day, names, example.title or "")


def _stands_on_page(names: str, example: Example) -> bool:
    """Whether every word of some names is anywhere in the HTML of a page but in addresses, as the
    login in the address of a profile is."""
    if not names:
        return False
    html = _LINK.sub(" ", unescape(decode(example.body)[0])).casefold()
    return all(word in html for word in words_of_names(names))


def words_of_names(names: str) -> Counter[str]:
    """The words of names, without those that join them."""
    return Counter(word for word in tokens(names) if word not in ("and", "und", "et"))


def outcome_of(name: str, want: str, have: str) -> str:
    """``right``, ``wrong`` or ``missing``: what the answer ``have`` is for a field."""
    if not have.strip():
        return "missing"
    is_right = {
        "day": same_day(want, have),
        "author": words_of_names(want) == words_of_names(have),
        "headline": word_f1(want, have) >= 0.8,
    }
    return "right" if is_right[name] else "wrong"


def _ours(article: Article) -> Facts:
    names = " ".join(one["name"] for one in article.authors)
    return Facts(article.datePublished or "", names, article.headline or "")


def alone(example: Example) -> Facts:
    """Ours, from the page alone."""
    return _ours(sitecrawl.extract(html=example.body, url=example.url))


def by_site(pages: list[Example]) -> Call:
    """Ours, with a model that has learned from some pages of the site."""
    model = sitecrawl.SiteModel()
    model.learn([(page.url, page.body) for page in pages])
    return lambda example: _ours(model.extract(html=example.body, url=example.url))


def _trafilatura(module: Any, html: str, url: str) -> Facts:
    found = module.extract_metadata(html, default_url=url, date_config={"original_date": True})
    return Facts(found.date or "", found.author or "", found.title or "")


def _htmldate(module: Any, html: str, url: str) -> Facts:
    return Facts(day=module.find_date(html, url=url, original_date=True) or "")


_PEERS: dict[str, Callable[[Any, str, str], Facts]] = {
    "trafilatura": _trafilatura,
    "htmldate": _htmldate,
}


def peers() -> dict[str, Call]:
    """Other tools, from the peers extra, fed with text that is decoded as ours; those not installed
    are named and left out."""
    found: dict[str, Call] = {}
    for name, call in _PEERS.items():
        try:
            module = importlib.import_module(name)
        except ImportError:
            print(f"{name} is not installed: pip install '.[peers]'", file=sys.stderr)
            continue
        found[name] = _peer(call, module)
    return found


def _peer(call: Callable[[Any, str, str], Facts], module: Any) -> Call:
    """A peer's facts; a page that it cannot read counts as one without an answer."""

    def facts(example: Example) -> Facts:
        html = _CONTROL.sub(" ", decode(example.body)[0])
        try:
            return call(module, html, example.url)
        except (AttributeError, ValueError, etree.LxmlError):
            return Facts("", "", "")

    return facts


def _groups(name: str) -> Iterator[tuple[list[Example], list[Example]]]:
    """The pages of each site of a corpus, or of one site: those to learn from, those to ask."""
    for pages in harness.examples(name).values():
        cut = min(LEARNED, len(pages) // 2) if len(pages) >= 5 else 0
        asked = [page for page in pages[cut : cut + SCORED] if any(truth_of(page))]
        if asked:
            yield pages[:cut], asked


def counted(name: str, others: dict[str, Call], errors: list[dict[str, str]]) -> Counts:
    """Counts of all ways on the pages of a site or a corpus; ``errors`` gets what is not right."""
    counts = defaultdict[tuple[str, str], Count](Count)
    for learned, asked in _groups(name):
        ways = {"alone": alone, "site": by_site(learned) if learned else alone, **others}
        for page in asked:
            truth = truth_of(page)
            for way, call in ways.items():
                facts = call(page)
                for what, want, have in zip(FIELDS, truth, facts, strict=True):
                    if not want or have is None:
                        continue
                    outcome = outcome_of(what, want, have)
                    counts[way, what].add(outcome, page.site)
                    if outcome != "right":
                        told = {"way": way, "field": what, "want": want, "have": have}
                        errors.append(
                            {"data": name, "url": page.url, "file": str(page.file), **told}
                        )
    return counts


def _print(table: harness.Table, data: str, counts: Counts) -> None:
    for (way, what), count in sorted(counts.items(), key=lambda item: FIELDS.index(item[0][1])):
        figures = {"right": count.right, "wrong": count.wrong, "missing": count.missing}
        table.add(data, field=what, way=way, **figures, share=count.share)


def main(arguments: list[str]) -> int:
    args = harness.asked(
        *(__doc__, arguments),
        data=("all", "all, or names of sites and corpora with commas (default: all)"),
        errors=("", "a file for the answers that are not right, as JSON lines"),
        ours=(False, "ours alone, without other tools"),
    )
    sites = site_names()
    names = [*sites, *harness.corpus_names()] if args.data == "all" else args.data.split(",")
    if not names:
        print("no sites: unpack the data and set SITECRAWL_DATA", file=sys.stderr)
        return 2

    others = {} if args.ours else peers()
    table = harness.Table("data")
    parts = defaultdict[str, Counts](dict)
    errors = list[dict[str, str]]()
    for name in names:
        found = counted(name, others, errors)
        for part in ("sites" if name in sites else name, "all"):
            for key, count in found.items():
                parts[part].setdefault(key, Count()).join(count)
    for part in sorted(parts, key=lambda part: part == "all"):
        _print(table, part, parts[part])
    if args.errors:
        with open(args.errors, "w", encoding="utf8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in errors)
    return 0
