"""Whether the items of a page family may leave: at once where the page is beyond doubt, else when the family is judged at the end of the crawl."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sitecrawl.crawl.family_store import FamilyStore, WithheldItem
from sitecrawl.crawl.records import ArticlePage
from sitecrawl.items.kinds import PageKind
from sitecrawl.site.content_type import kind_of_type
from sitecrawl.site.page_families import (
    FamilyEvidence,
    FamilyVerdict,
    Fate,
    PageFamily,
    Say,
    article_log_odds,
    family_name,
    judge_families,
    type_in,
)
from sitecrawl.urls.pattern import url_pattern


@dataclass(frozen=True, slots=True)
class FamilyGate:
    """Decides by the families of a site which items leave. ``kinds`` are those asked for, ``said`` is what a person said of families."""

    store: FamilyStore
    kinds: Collection[PageKind]
    said: Mapping[str, Say]

    def describe(self, page: ArticlePage, item: Mapping[str, Any]) -> FamilyEvidence:
        """What a page and its item say of their family."""
        named = kind_of_type(page.type)
        dated = bool(item["datePublished"])
        log_odds = None
        if page.headline is not None:
            printed = item["provenance"]["fields"].get("datePublished", "") not in ("", "url")
            log_odds = article_log_odds(
                promise=page.promise, headline=page.headline, confidence=page.confidence, printed=printed
            )
        name = family_name(url_pattern(page.url), page.type, dated=dated)
        kind = page.kind if named in (None, PageKind.ARTICLE) else named
        return FamilyEvidence(name, kind, dated, item["headline"] or "", log_odds)

    def lets_go(self, page: FamilyEvidence, *, sure: float = 2.0, enough: int = 4) -> bool:
        """Whether an item leaves at once: a person said so, the site calls the page an article, or its log-odds, or those of ``enough``
        pages of its family, are ``sure``. On 54 sites 7,609 of 7,923 such pages were articles."""
        if word := self.said.get(page.family):
            return word is Say.KEEP
        named = kind_of_type(type_in(page.family))
        if named is not None:
            return named in self.kinds
        if page.log_odds is not None:
            return page.log_odds >= sure
        family = self.store.family(page.family)
        return family is not None and family.weighed >= enough and family.mean >= sure

    def judged(self) -> Iterator[tuple[PageFamily, FamilyVerdict]]:
        """Every family of the site and the verdict on it, by name."""
        families = self.store.families()
        verdicts = judge_families(families, kinds=self.kinds, said=self.said)
        for family in families:
            yield family, verdicts[family.name]

    def released(self) -> Iterator[WithheldItem]:
        """The withheld items of the families that leave."""
        for family, verdict in self.judged():
            if family.withheld and verdict.fate is Fate.LEAVES:
                yield from self.store.withheld(family.name)
