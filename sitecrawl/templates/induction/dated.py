"""The date's sources: every place that gives a date on most pages, judged by all pages together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of
from sitecrawl.templates.address import URL, is_address
from sitecrawl.templates.field_values import is_printed, read_day
from sitecrawl.templates.induction.headlines import Choice
from sitecrawl.templates.sheet import Sheet
from sitecrawl.text.dates import parse_date

META = (
    "article:published_time", "datePublished", "og:published_time", "publishdate", "PubDate", "pubdate", "publish-date",
    "parsely-pub-date", "sailthru.date", "DC.date.issued", "DC.Date", "dc.date", "dcterms.created", "dcterms.date", "date",
    "publication_date", "og:article:published_time",
)  # fmt: skip
_CHANGED = ("modif", "updat", "edit", "change")
_LONGEST = 120
"""Characters of the longest text in which a date is looked for."""
_MOST = 60
_GUESS = 1.5
_LEAST = 0.6


@dataclass(slots=True)
class Told:
    """A source with the day it gives on every page."""

    source: str
    days: list[str | None]
    prior: float = 0.0
    score: float = 0.0


def date_of(sheets: Sequence[Sheet], names: Names) -> Choice:
    """Sources of the date of publication, best first."""
    told = [_told(source, sheets) for source in _candidates(sheets, names)]
    told = [one for one in told if _believable(one.days, len(sheets))]
    guess = [_day(sheet.sample.guess.article.datePublished) for sheet in sheets]
    for one in told:
        one.score = _score(one, told, guess)
    told.sort(key=lambda one: (-round(one.score, 2), _cost(one.source)))
    kept = [one for one in told if one.score >= max(_LEAST, told[0].score - 0.3) and _follows(one, told[0])][:3]
    kept += [one for one in told if kept and one not in kept and _prints(one, kept[0])][:1]
    return Choice([one.source for one in kept], [("", "")] * len(kept), kept[0].score if kept else 0.0)


def _day(value: str | None) -> str | None:
    return value[:10] if value else None


def _candidates(sheets: Sequence[Sheet], names: Names) -> list[str]:
    found: Counter[str] = Counter()
    for key in META:
        attribute = "property" if ":" in key else "name"
        found[f'/html/head/meta[@{attribute}="{key}"]/@content'] += len(sheets)
    for source in ("json-ld:datePublished", "json-ld:dateCreated", URL, '//meta[@itemprop="datePublished"]/@content',
                   '//time[@itemprop="datePublished"]/@datetime', "//time[@pubdate]/@datetime"):  # fmt: skip
        found[source] += len(sheets)
    for sheet in sheets[:5]:
        found.update(dict.fromkeys(_places(sheet, names), 1))
    return [source for source, _ in found.most_common(len(META) + 6 + _MOST)]


def _places(sheet: Sheet, names: Names) -> Iterator[str]:
    """Addresses of the elements whose short text, or ``datetime``, is a date."""
    for node, end in islice(_dated(sheet), 12):
        for address in addresses_of(node, names):
            for source in (address + end, address):
                if is_address(source):
                    yield source


def _dated(sheet: Sheet) -> Iterator[tuple[etree._Element, str]]:
    guessed = sheet.sample.guess.nodes.get("datePublished")
    if guessed is not None:
        yield guessed, "/@datetime" if guessed.get("datetime") else ""
    tree = sheet.page.tree
    for number, chunk in enumerate(tree.chunks):
        if len(chunk) <= _LONGEST and any(map(str.isdigit, chunk)) and parse_date(chunk):
            node = tree.nodes[tree.owners[number]]
            yield node, ("/@datetime" if node.get("datetime") else "")


def _told(source: str, sheets: Sequence[Sheet]) -> Told:
    if source.startswith("/html/head/") and not any(sheet.find(source) for sheet in sheets[:2]):
        return Told(source, [])
    prior = 0.5 if source.startswith(("json-ld", "/html/head/meta", "//meta", "//time[")) else 0.0
    prior -= 0.6 * any(word in source.casefold() for word in _CHANGED)
    return Told(source, [_day(read_day(source, sheet.page)) for sheet in sheets], prior)


def _believable(days: Sequence[str | None], pages: int) -> bool:
    """Given on two pages or more; a field may be optional."""
    return sum(day is not None for day in days) >= max(2, 0.2 * pages)


def _score(one: Told, told: Sequence[Told], guess: Sequence[str | None]) -> float:
    """Presence, agreement with the guess and with the other places, priority of what is written for machines."""
    given = [day for day in one.days if day]
    present = len(given) / len(one.days)
    others = {tuple(other.days) for other in told if other.days != one.days}
    agree = max((_same(one.days, days) for days in others), default=0.0)
    constant = len(given) > 2 and len(set(given)) == 1
    return 0.5 * present + _GUESS * _same(one.days, guess) + 0.3 * agree + one.prior - 0.8 * constant


def _same(days: Sequence[str | None], other: Sequence[str | None]) -> float:
    """Share of the pages where both say something, the same, damped when they are few."""
    both = [(a, b) for a, b in zip(days, other, strict=True) if a and b]
    return sum(a == b for a, b in both) / (len(both) + 0.5) if both else 0.0


def _follows(one: Told, best: Told) -> bool:
    """Whether a second source never contradicts the best one by much."""
    both = [(a, b) for a, b in zip(one.days, best.days, strict=True) if a and b]
    return not both or sum(a == b for a, b in both) >= 0.8 * len(both)


def _prints(one: Told, best: Told) -> bool:
    """Whether a source is text that readers see, and gives the best one's day or the day before or after on every page."""
    both = [(date.fromisoformat(a), date.fromisoformat(b)) for a, b in zip(one.days, best.days, strict=True) if a and b]
    near = all(abs((a - b).days) <= 1 for a, b in both)
    return is_printed(one.source) and near and len(both) >= max(2, 0.6 * len(one.days))


def _cost(source: str) -> int:
    return 3 if source.startswith("json-ld") else 2 if source.startswith("//") else 1 if source == URL else 0
