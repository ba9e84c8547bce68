"""Families of copies: a forum may show a whole thread under the URL of each of its posts, or a post
alone that stands whole in its thread. The pages of such a family have the headlines of the pages of
another family, and what they say stands there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sitecrawl.crawl.site_state import PageFamilyStore, WithheldItem, WrittenItems, is_of_run
from sitecrawl.items.sameness import ArticleFacts, share_of
from sitecrawl.site.judge import Decider, FamilyVerdict
from sitecrawl.site.page_families import PageFamily
from sitecrawl.urls.canonical import url_key

_MOST = 0.8  # of a family's pages that have the headline of a page of another family
_EACH = 1.25  # pages for each headline from which they may be posts alone of one thread
_FEW = 9  # headlines that prove nothing: pages may have the name of the site as theirs
_COMPARED = 12  # withheld items whose texts are compared
_TELLING = 0.75  # of these whose text stands in the other page
_WHOLE = 0.7  # of a text that stands there: a template and the extractor read pages differently


@dataclass(frozen=True, slots=True)
class CopiedFamilies:
    """Finds the families whose pages show what written pages show. Of two such families, that of
    the copies is the one that the judge takes for articles less. What is stored at the end of a
    crawl is asked, so that no order of answers matters."""

    store: PageFamilyStore

    def verdicts(
        self, families: list[PageFamily], verdicts: Mapping[str, FamilyVerdict]
    ) -> dict[str, FamilyVerdict]:
        """The verdicts on families of copies, by name. ``verdicts`` are those without the others."""
        found = dict[str, FamilyVerdict]()
        named = {family.name: family for family in families}
        shared = self.store.shared_headlines()
        for name, (pages, headlines) in sorted(shared.items()):
            family, verdict = named[name], verdicts[name]
            may_be_copies = verdict.written and verdict.by is not Decider.USER
            if not may_be_copies or headlines <= _FEW or pages < _MOST * family.pages:
                continue
            original = named.get(
                self._original(name, verdicts, are_several=pages >= _EACH * headlines)
            )
            if original is None:
                continue
            if family.mean < original.mean:  # else the other one is that of the copies
                why = f"{pages} of {family.pages} show what pages of {original.name} show"
                found[name] = FamilyVerdict(False, why, doubtful=True, copy_of=original.name)
        return found

    def no_copies(self, name: str) -> list[WithheldItem]:
        """The withheld items of a family of copies that are none: they have a day, and a headline
        that no page of another family has. Posts alone may have headlines of their own."""
        pages, headlines = self.store.shared_headlines()[name]
        if pages >= _EACH * headlines:
            return []
        dated = [each for each in self.store.withheld(name) if each.item["datePublished"]]
        elsewhere = self.store.titled_elsewhere
        return [each for each in dated if not elsewhere(each.item["headline"] or "", name)[0]]

    def _original(
        self, name: str, verdicts: Mapping[str, FamilyVerdict], *, are_several: bool
    ) -> str:
        """The written family in which most of the compared texts of a family stand; else empty."""
        compared = [*self.store.withheld(name, most=_COMPARED)]
        found = [self._whole(copy, name, are_several=are_several) for copy in compared]
        written = [of for of in found if of and verdicts[of].written]
        if not compared or len(written) < _TELLING * len(compared):
            return ""
        return max(sorted(set(written)), key=written.count)

    def _whole(self, copy: WithheldItem, name: str, *, are_several: bool) -> str:
        """The other family that holds the text of an item; else empty. A page that this run did not
        meet has moved: the item is the article itself, at its new address."""
        key, family = self.store.titled_elsewhere(copy.item["headline"], name)
        if not key or not is_of_run(self.store.at, key):
            return ""
        other = self.store.item(key) or WrittenItems(self.store.at).latest(key)
        is_copy = other is not None and _is_copy(copy.item, other, are_several=are_several)
        return family if is_copy else ""


def _is_copy(item: Mapping[str, Any], other: Mapping[str, Any], *, are_several: bool) -> bool:
    """Whether the text of an item stands in another one, and is all of it with the same day and
    authors, or one of several in it, or says no day: as on a page to send an article, or to answer
    it. A page that calls itself the canonical one is no copy."""
    own, whole = item["articleBody"], other["articleBody"]
    if share_of(own, whole) < _WHOLE:
        return False
    named = item["canonicalUrl"]
    is_own = bool(named) and url_key(named) == url_key(item["url"])
    facts, known = ArticleFacts.of(item), ArticleFacts.of(other)
    is_excerpt = bool(known.day) and not facts.day
    is_same = facts.is_same(known) and share_of(whole, own) >= _WHOLE
    return are_several or (not is_own and (is_same or is_excerpt))
