"""Why the crawl wrote no item for a page that it took for an article: the reason, since when, and
what to type."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from shlex import quote
from typing import Any

from sitecrawl.crawl.records import WaitKind
from sitecrawl.crawl.site_state import NO_DAY, OLDER
from sitecrawl.crawl.store import CrawlStore
from sitecrawl.items.feed_items import body_digest
from sitecrawl.site.model import SiteModel
from sitecrawl.site.page_families import Choice
from sitecrawl.urls.canonical import url_key

_WAITS = {
    WaitKind.TEMPLATE: "for a template of its kind",
    WaitKind.PARTS: "for the other parts of its article",
    WaitKind.TEXT: "for others like it, since its text does not match its link",
    WaitKind.LOOKALIKE: "for others like it, since its link did not look like that of an article",
}


@dataclass(frozen=True, slots=True)
class Unwritten:
    """Why there is no item: one sentence, when the page was read (ISO 8601, empty if unknown), and
    what to type."""

    reason: str
    since: str = ""
    remedy: str = ""

    @property
    def sentence(self) -> str:
        since = f" (read on {self.since[:10]})" if self.since else ""
        remedy = f" To change that: {self.remedy}" if self.remedy else ""
        return f"No item was written: {self.reason}{since}.{remedy}"


def why_unwritten(state: CrawlStore, key: str, *, model: SiteModel) -> Unwritten | None:
    """The reason that the state of the site tells; None if it tells none."""
    for rule in (_withheld, _waits, _too_old):
        for found in rule(state, key, model=model):
            return found
    return None


def _withheld(state: CrawlStore, key: str, *, model: SiteModel) -> Iterator[Unwritten]:
    item = state.families.item(key)
    if item is None:
        return
    seen = (item.get("metadata") or {}).get("dateDownloaded") or ""
    family = (item.get("provenance") or {}).get("family") or ""
    site = quote(state.site)
    if model.choices.get(family) is Choice.KEEP:
        reason = "it is withheld until the next crawl, since you keep its page family"
        yield Unwritten(
            reason, seen, f"sitecrawl families {site} --keep {quote(family)} -o FILE.jsonl"
        )
        return
    by_you = " by you" if model.choices.get(family) is Choice.DROP else ""
    reason = f"it was left out with its page family{by_you}, {family}"
    yield Unwritten(reason, seen, f"sitecrawl families {site} --keep {quote(family)}")


def _waits(state: CrawlStore, key: str, *, model: SiteModel) -> Iterator[Unwritten]:
    kind = state.waiting.kind_of(key)
    if kind is not None:
        waiting = state.waiting.get(key)
        seen = waiting.record.fetched if waiting else ""
        remedy = "run the crawl again; it continues"
        yield Unwritten(f"it waits {_WAITS[kind]}", seen, remedy)


def _too_old(state: CrawlStore, key: str, *, model: SiteModel) -> Iterator[Unwritten]:
    known = state.pages.asked_for(key)
    became = known[1] if known else ""
    if became == NO_DAY:
        yield Unwritten("it has no day to compare with since=", "", "crawl without --since")
    elif became.startswith(OLDER):
        day = became.removeprefix(OLDER)
        yield Unwritten(f"it is older than since={day}", "", "crawl with an earlier --since DAY")


def why_copied(state: CrawlStore, item: dict[str, Any]) -> Unwritten | None:
    """The same of a page that was read now: its article was written under another URL."""
    canonical = item.get("canonicalUrl") or ""
    original = state.items.latest(url_key(canonical)) if canonical else None
    same = state.items.original(body_digest(item))
    original = original or (state.items.latest(same.key) if same else None)
    if original is None or original["url"] == item["url"]:
        return None
    seen = (original.get("metadata") or {}).get("dateDownloaded") or ""
    reason = f"its article was written under another URL, {original['url']}"
    return Unwritten(reason, seen, f"sitecrawl why {quote(original['url'])}")
