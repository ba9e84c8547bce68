"""Why a link got its label: the terms of the SVM's margin, grouped under a few names, each
explained by a sentence about the page."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from sitecrawl.crawl.url_stats import ENOUGH, MIXED
from sitecrawl.items.kinds import LinkLabel
from sitecrawl.links.classify import LABELS, Link, Profile, links_of
from sitecrawl.links.facts import PageFacts
from sitecrawl.links.link_features import FEATURES, Targets, target_features
from sitecrawl.links.link_model import STACKED, LinkModel, stack, standardise
from sitecrawl.links.regions import REGIONS
from sitecrawl.links.url_facts import URL_FEATURES
from sitecrawl.resources import table_beside, text_template
from sitecrawl.text.chars import printable
from sitecrawl.urls.canonical import url_key

_TABLE = table_beside(
    __file__
)  # words for features of links; the named reasons with their features
_NOUNS: dict[str, str] = _TABLE["nouns"]


@dataclass(frozen=True)
class LinkFacts:
    """One link of a page: ``found`` are the indices of its occurrences, ``target`` is its row in
    the features (-1: not a page of the site)."""

    facts: PageFacts
    targets: Targets
    links: list[Link]
    found: list[int]

    @property
    def link(self) -> Link:
        return self.links[self.found[0]]

    @property
    def target(self) -> int:
        return int(self.targets.of_link[self.found[0]])

    @cached_property
    def values(self) -> dict[str, float]:
        """Features by name. Those of the URL are absolute, not differences from the page's mean.
        All regions around the link are included."""
        row = self.targets.matrix[self.target].tolist()
        own = self.targets.facts[self.target].values
        regions = {
            f"in_{name}": float(self.column("mask") >> bit & 1) for bit, name in enumerate(REGIONS)
        }
        return (
            regions
            | dict(zip(FEATURES, row, strict=True))
            | dict(zip(URL_FEATURES, own, strict=True))
        )

    def column(self, name: str) -> int:
        """A count of this link, from the facts of its page."""
        return int(self.facts.column(name)[self.found[0]])

    @property
    def same_place(self) -> list[Link]:
        """Links with the same tag path."""
        return [other for other in self.links if other.group == self.link.group]

    @property
    def same_pattern(self) -> list[Link]:
        """Links whose URLs have the same pattern, one for each page that they lead to."""
        own, facts = self.targets.facts[self.target].pattern, self.targets.facts
        pairs = zip(self.targets.first, facts, strict=True)
        return [self.links[int(first)] for first, other in pairs if other.pattern == own]


@dataclass(frozen=True, slots=True)
class Reason:
    """One feature of one target: its value and what it added to the margin of a label (negative:
    spoke against)."""

    name: str
    value: float
    weight: float


def reasons(model: LinkModel, targets: Targets, *, target: int, label: int) -> list[Reason]:
    """Reasons for (positive) and against (negative) ``label`` (0 article, 1 section), strongest
    first; with the bias they add up to the margin."""
    matrix, stage, names = targets.matrix, model.first, FEATURES
    if model.second is not None:
        matrix, stage, names = stack(targets, model.first.margins(matrix)), model.second, STACKED
    row = matrix[target : target + 1]
    parts = standardise(row, mean=stage.mean, scale=stage.scale)[0] * stage.weights[:, label]
    order = np.argsort(-np.abs(parts)).tolist()
    return [Reason(names[n], float(row[0, n]), float(parts[n])) for n in order if parts[n]]


def find_link(
    url: str, facts: PageFacts, *, model: LinkModel, profile: Profile
) -> LinkFacts | None:
    """The link to ``url`` on a page, labelled as in a crawl of the site; a link with another
    spelling of it if there is none; else None."""
    found = [n for n, other in enumerate(facts.urls) if other == url]
    found = found or [n for n, other in enumerate(facts.urls) if url_key(other) == url_key(url)]
    if not found:
        return None
    targets = target_features(facts)
    return LinkFacts(facts, targets, links_of(facts, targets, model=model, profile=profile), found)


def link_known(facts: LinkFacts, model: LinkModel, *, profile: Profile) -> dict[str, Any]:
    """What is known of a link, as data; ``sentences`` turns it into text."""
    link, group = facts.link, facts.same_place
    known: dict[str, Any] = {
        "url": link.url,
        "page": facts.facts.url,
        "label": str(link.label),
        "score": round(link.score, 4),
        "pagination": link.pagination,
        "scores": {str(name): round(score, 4) for name, score in link.scores.items()},
        "guess": {
            str(name): round(score, 4) for name, score in zip(LABELS, link.guess, strict=True)
        },
        "occurrences": len(facts.found),
        "text": link.text,
        "group": {
            "path": link.group,
            "links": len(group),
            "articles": sum(one.label == "article" for one in group),
        },
        "seen": None,
        "reasons": None,
    }
    if facts.target < 0:
        rule = _sentence("no_page", link, printable(urlsplit(link.url).scheme))
        return known | {"sentences": [f"Other, by rule: {rule}"]}
    head = LABELS.index(LinkLabel.SECTION if link.label is LinkLabel.SECTION else LinkLabel.ARTICLE)
    ranked = reasons(model, facts.targets, target=facts.target, label=head)
    seen = profile.outcomes(link.url, link.group)
    sentences = [*_why(facts, ranked), *_evidence(link, seen)]
    return known | {"seen": seen, "reasons": _numbers(ranked, head), "sentences": sentences}


def _numbers(ranked: Sequence[Reason], head: int, *, shown: int = 8) -> dict[str, Any]:
    """The ``shown`` features with the greatest weights for and against a label, and the weight of
    each named reason."""
    numbers: dict[str, Any] = {"of": str(LABELS[head])}
    numbers["named"] = {name: round(weight, 4) for name, weight in gathered(ranked).items()}
    for side, sign in (("for", 1), ("against", -1)):
        chosen = [one for one in ranked if one.weight * sign > 0][:shown]
        numbers[side] = [
            {"feature": it.name, "value": float(it.value), "weight": float(it.weight)}
            for it in chosen
        ]
    return numbers


def gathered(ranked: Sequence[Reason]) -> dict[str, float]:
    """The contribution of each named reason to the margin, strongest first."""
    found: defaultdict[str, float] = defaultdict(float)
    for one in ranked:
        found[
            next(name for name, pattern in _TABLE["reasons"].items() if re.match(pattern, one.name))
        ] += one.weight
    return dict(sorted(found.items(), key=lambda item: -abs(item[1])))


def _why(
    facts: LinkFacts, ranked: Sequence[Reason], *, most: int = 4, slight: float = 0.12
) -> Iterator[str]:
    """The label, then the strongest reasons for it and half as many against it, without those below
    ``slight`` of the strongest. The margin is that of the article (or section) label, so what
    speaks against an article speaks for ``other``."""
    label = facts.link.label
    kind = (
        f"{_NOUNS[label]} link".capitalize()
        if label is not LinkLabel.OTHER
        else _NOUNS[label].capitalize()
    )
    which = " (another part of a listing)" if facts.link.pagination else ""
    yield f"{kind}{which}, {percent(facts.link.score)} sure."
    sign = -1 if label is LinkLabel.OTHER else 1
    named = {name: sign * weight for name, weight in gathered(ranked).items()}
    least = slight * max((abs(weight) for weight in named.values()), default=0.0)
    for title, side, count in (("Why", 1, most), ("But", -1, most // 2)):
        chosen = [name for name, weight in named.items() if weight * side > least][:count]
        for number, name in enumerate(chosen):
            yield f"{'  and' if number else f'{title}:'} {_sentence(name, facts, side)}"


def _evidence(link: Link, seen: dict[str, tuple[int, int, int]]) -> Iterator[str]:
    """What the fetched pages of the crawl add to the model's guess."""
    if not seen:
        return
    level, counts = next(iter(seen.items()))
    names = {
        "article": "articles",
        "section": "listing pages",
        "other": "neither articles nor listing pages",
    }
    count = counts[LABELS.index(link.label)]
    times = "times" if sum(counts) > 1 else "time"
    yield f"{_TABLE['levels'][level]} were {names[link.label]} {count} of {sum(counts)} {times} when the site was crawled."
    before, score = max(zip(LABELS, link.guess, strict=True), key=lambda pair: pair[1])
    if before is not link.label:
        yield f"That changed the label: the model alone took the link for {_NOUNS[before]}, {percent(score)} sure."
    articles, *others = seen.get("pattern", (0, 0, 0))
    if (
        link.label is not LinkLabel.ARTICLE
        and articles >= ENOUGH
        and sum(others) <= MIXED * articles
    ):
        yield "A crawl of the site opens it as an article all the same, since nearly all pages of this shape were."


def _sentence(name: str, *shown: object) -> str:
    """A sentence of the template for a named reason; it gets the link, and whether the reason
    speaks for (1) or against (-1) the label."""
    return " ".join(str(getattr(_sentences(), name)(*shown)).split())


@cache
def _sentences() -> Any:
    counts = {"count": lambda value: round(math.expm1(value))}  # such features are log(1 + count)
    made = text_template("sitecrawl.extras.explain", "why_link.txt")
    return made.make_module({"table": _TABLE, "nouns": _NOUNS, **counts})


def percent(share: float) -> str:
    """A probability in whole percent, never 0 or 100.

    >>> percent(0.9971), percent(0.4), percent(0.0)
    ('more than 99 %', '40 %', 'less than 1 %')
    """
    if share > 0.99:
        return "more than 99 %"
    return "less than 1 %" if share < 0.01 else f"{100 * share:.0f} %"
