"""URL statistics: the one ledger of what the pages of each URL pattern of a site turned out to be."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field

from sitecrawl.crawl.records import RequestContext
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import NO_GUESS, Profile
from sitecrawl.urls.pattern import url_folder, url_pattern

ENOUGH = 8
"""Pages of a URL pattern from which its kind is known without a look at a link."""
MIXED = 0.05
"""Share of the other kind among the pages of a pattern up to which its kind is known."""
_PRIOR = 4.0
"""Pages of a pattern that weigh as much as what a link promises."""
_ALIKE = 0.2
"""Weight of a page that looks like an article where its link promised none: three in a row are believed."""
_ECHOES = 6
"""Pages of a pattern that repeat a text from which it is one that answers everything with the same page."""


@dataclass(slots=True)
class PatternCounts:
    """Pages of one pattern: ``articles``, ``others``, ``alike`` (others that look like articles), and those whose text was
    that of other pages (``echoes``) or their own."""

    articles: int = 0
    others: int = 0
    alike: int = 0
    echoes: int = 0
    own: int = 0

    @property
    def met(self) -> int:
        """Pages that answered."""
        return self.articles + self.others


@dataclass(slots=True)
class UrlStats:
    """Counts by pattern and by family of patterns; ``evidence`` corrects the link model on this site.

    The share of articles among the pages of a pattern is estimated as a posterior with shrinkage: a page's promise, then
    its family, then its pattern (the mean of a Beta distribution, each level the prior of the next).
    """

    evidence: Profile
    patterns: dict[str, PatternCounts] = field(default_factory=dict)
    families: dict[str, PatternCounts] = field(default_factory=dict)
    tried: Counter[str] = field(default_factory=Counter)
    """Article pages under way on trial, by pattern."""

    def record(self, context: RequestContext, url: str, kind: PageKind, alike: bool = False) -> None:
        """A page was fetched and is of ``kind``; ``url`` is where it was found in the end. ``alike``: it looks like an article
        although it was promised as anything else, so it teaches nothing about links."""
        self.count(context.url, kind, alike)
        if context.group and not alike:
            self.evidence.record(url, context.group, _evidence_kind(kind), context.guess or NO_GUESS)

    def count(self, url: str, kind: PageKind, alike: bool = False) -> None:
        """A page of ``kind`` was met under a URL."""
        for counts in self.counts_of(url):
            counts.articles += kind.is_article
            counts.others += not kind.is_article
            counts.alike += alike

    def disown(self, url: str) -> None:
        """A page that was counted as one that looks like an article is none."""
        for counts in self.counts_of(url):
            counts.alike = max(0, counts.alike - 1)

    @property
    def articles(self) -> int:
        """Articles met."""
        return sum(counts.articles for counts in self.families.values())

    def kept(self) -> str:
        """The counts of the pages that answered as JSON, for :meth:`restore`."""
        levels = (self.patterns, self.families)
        return json.dumps(
            [{name: [c.articles, c.others, c.alike] for name, c in level.items() if c.met} for level in levels]
        )

    def restore(self, kept: str | None) -> None:
        """Take up the counts that an earlier run kept. Those that cannot be read are counted anew by what is fetched."""
        try:
            for level, found in zip((self.patterns, self.families), json.loads(kept or "[]"), strict=False):
                level.update((name, PatternCounts(*map(int, counts))) for name, counts in found.items())
        except (ValueError, TypeError, AttributeError):
            self.patterns.clear()
            self.families.clear()

    def echo(self, url: str, repeats: bool) -> None:
        """A page repeated the text of others, or had one of its own."""
        counts = self.counts_of(url)[0]
        counts.echoes += repeats
        counts.own += not repeats

    def of_pattern(self, url: str) -> PatternCounts:
        """The counts of a URL's pattern."""
        return self.patterns.get(url_pattern(url)) or PatternCounts()

    def article_share(self, url: str, promise: float) -> float:
        """Probability, 0..1, that a page is an article, by its promise and what pages of its family and pattern were."""
        share = promise
        for counts in (self.families.get(url_folder(url)), self.patterns.get(url_pattern(url))):
            if counts is not None:
                share = (_PRIOR * share + counts.articles + _ALIKE * counts.alike) / (_PRIOR + counts.met)
        return share

    def answers_all(self, url: str) -> bool:
        """Whether pages of a URL's pattern repeat one text."""
        counts = self.of_pattern(url)
        return counts.echoes >= max(_ECHOES, counts.own)

    def are_articles(self, url: str) -> bool:
        """Whether the pages of a URL's pattern are known to be articles."""
        counts = self.of_pattern(url)
        return counts.articles >= ENOUGH and counts.others <= MIXED * counts.articles

    def are_others(self, url: str) -> bool:
        """Whether the pages of a URL's pattern are known to be none."""
        counts = self.of_pattern(url)
        others = counts.others - counts.alike
        return others >= ENOUGH and counts.articles + counts.alike <= MIXED * others

    def is_article_family(self, url: str) -> bool:
        """Whether nearly all pages of a URL's family were articles, and there were enough to tell."""
        counts = self.families.get(url_folder(url)) or PatternCounts()
        return counts.articles >= ENOUGH and counts.others <= MIXED * counts.articles

    def counts_of(self, url: str) -> tuple[PatternCounts, PatternCounts]:
        """The counts of a URL's pattern and of its family, to be added to."""
        return _entry(self.patterns, url_pattern(url)), _entry(self.families, url_folder(url))


def _entry(ledger: dict[str, PatternCounts], name: str) -> PatternCounts:
    found = ledger.get(name)
    if found is None:
        found = ledger[name] = PatternCounts()
        if len(ledger) > LIMITS.url_patterns:
            del ledger[next(iter(ledger))]
    return found


def _evidence_kind(kind: PageKind) -> str:
    """A page's kind in the words of the link evidence."""
    return "article" if kind.is_article else str(kind)
