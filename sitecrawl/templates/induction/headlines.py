"""The headline's sources, and what of them is the site's name: decided by the values of all pages together."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from sitecrawl.dom.align import Names, addresses_of
from sitecrawl.items.kinds import HeadlineGuess
from sitecrawl.templates.address import is_address
from sitecrawl.templates.field_values import MARKS, cut, read
from sitecrawl.templates.sheet import Sheet
from sitecrawl.text.names import squeeze

HEAD_SOURCES = (
    '/html/head/meta[@property="og:title"]/@content',
    '/html/head/meta[@name="twitter:title"]/@content',
    '/html/head/meta[@name="ArticleTitle"]/@content',
    "/html/head/title",
    "//head/title",
    "json-ld:headline",
)
_HEADINGS = ("h1", "h2", "h3")
_GUESS = 0.6
"""Weight of the extractor's own headline against the best source of the other kind (head or page)."""
_COMMON = 0.5
"""Share of the pages, two at least, on which a text is nobody's headline."""
_FAINT = 0.02
"""Probability from which a text is tried as the headline of all pages."""
_LEAST = 0.55
_BETWEEN = re.compile(r"\s+[-–—|·•»«:/~>]{1,3}\s+|:\s+|\s*[|_｜»«]+\s*")
"""What stands between the parts of a title."""
_SEVERAL = 0.25
"""Share of the pages, two at least, whose titles must have a name for it to be the site's."""


@dataclass(slots=True)
class Spoken:
    """A source with its value on every page; ``prefix`` and ``suffix`` are what all values share and is not headline."""

    source: str
    values: list[str | None]
    prefix: str = ""
    suffix: str = ""
    score: float = 0.0


@dataclass(slots=True)
class Choice:
    """The sources of a field, best first, what is cut off their values, and their agreement 0..1."""

    sources: list[str] = field(default_factory=list)
    cuts: list[tuple[str, str]] = field(default_factory=list)
    score: float = 0.0


def headline_of(sheets: Sequence[Sheet], names: Names) -> Choice:
    """Sources of the headline; none when no source varies and agrees with the others."""
    guesses = _guesses(sheets)
    spoken = [_spoken(source, sheets, guesses) for source in _candidates(sheets, guesses, names)]
    spoken = [one for one in spoken if _varies(one.values)]
    for one in spoken:
        seconds = [_agreement(one, other) for other in spoken if _in_head(other.source) != _in_head(one.source)]
        present = sum(value is not None for value in one.values) / len(sheets)
        one.score = (1 - _GUESS) * max(seconds, default=0.0) + _GUESS * _belief(one, guesses)
        one.score = 0.7 * one.score + 0.3 * present
    best = sorted(spoken, key=lambda one: (-round(one.score, 2), _cost(one.source)))
    kept = [one for one in best if one.score >= max(_LEAST, best[0].score - 0.15)][:4]
    return Choice(
        [one.source for one in kept], [(one.prefix, one.suffix) for one in kept], kept[0].score if kept else 0.0
    )


def _guesses(sheets: Sequence[Sheet]) -> list[list[HeadlineGuess]]:
    """What may be the headline of each page, without the texts that many pages have: those name the site or the section."""
    found = [sheet.sample.guess.headlines for sheet in sheets]
    count = Counter(short for one in found for short in {squeeze(guess.text or "") for guess in one})
    many = max(2, _COMMON * len(sheets))
    return [[guess for guess in one if count[squeeze(guess.text or "")] < many] for one in found]


def _candidates(sheets: Sequence[Sheet], guesses: Sequence[Sequence[HeadlineGuess]], names: Names) -> list[str]:
    found: dict[str, None] = dict.fromkeys(HEAD_SOURCES)
    for sheet, likely in list(zip(sheets, guesses, strict=True))[:4]:
        nodes = [*(guess.node for guess in likely if guess.score > _FAINT), *sheet.page.root.iter("h1")]
        for node in [node for node in nodes if node is not None][:4]:
            found |= dict.fromkeys(filter(is_address, addresses_of(node, names)))
    return list(found)


def _spoken(source: str, sheets: Sequence[Sheet], guesses: Sequence[Sequence[HeadlineGuess]]) -> Spoken:
    values = [read(source, sheet.page) for sheet in sheets]
    ends = ("", "")
    if _in_head(source):
        ends = affixes([value for value in values if value])
        ends = ends if any(ends) else site_names(values, [one[0].text if one else None for one in guesses])
    return Spoken(source, [cut(value, ends) for value in values], *ends)


def affixes(values: Sequence[str]) -> tuple[str, str]:
    """Prefix and suffix that all values share, cut where a word ends in punctuation.

    >>> affixes(["A - The Example", "Bees - The Example", "Cats - The Example"])
    ('', ' - The Example')
    """
    if len(set(values)) < 2:
        return "", ""
    prefix = _shared(values)
    suffix = _shared([value[::-1] for value in values])
    return _to_mark(prefix), _to_mark(suffix)[::-1]


def site_names(values: Sequence[str | None], guesses: Sequence[str | None]) -> tuple[str, str]:
    """Prefix and suffix that several titles have and that the extractor leaves out of most of these.

    >>> site_names(["Bees -- Example", "Example: Ants", "Wasps"], ["Bees", "Ants", "Wasps"])
    ('Example: ', ' -- Example')
    """
    found: defaultdict[str, list[tuple[str, str, bool]]] = defaultdict(list)
    for value, guess in zip(values, guesses, strict=True):
        for prefix, suffix in _end_parts(value or ""):
            name = squeeze(prefix or suffix)
            found[name].append((prefix, suffix, name not in squeeze(guess or "")))
    least = max(2, _SEVERAL * len(values))
    named = [
        ends
        for name, ends in found.items()
        if name and len(ends) >= least and 2 * sum(end[2] for end in ends) >= len(ends)
    ]
    best = max(named, key=len, default=[])
    return next((end[0] for end in best if end[0]), ""), next((end[1] for end in best if end[1]), "")


def _end_parts(title: str) -> list[tuple[str, str]]:
    """The first part of ``title`` as a prefix and the last as a suffix, with the marks between them and the rest."""
    marks = list(_BETWEEN.finditer(title))
    return [(title[: marks[0].end()], ""), ("", title[marks[-1].start() :])] if marks else []


def _shared(values: Sequence[str]) -> str:
    """The longest start that all values have: that of the least and the greatest."""
    low, high = min(values), max(values)
    at = next((number for number, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    return low[:at]


def _to_mark(shared: str) -> str:
    """The longest part of ``shared`` that ends in a mark between title and name, blanks around it taken in."""
    at = max((shared.rfind(mark) for mark in MARKS), default=-1)
    if at < 0:
        return ""
    end = at + 1
    while end < len(shared) and shared[end] == " ":
        end += 1
    return shared[:end] if end - at <= 2 and any(char.isalnum() for char in shared[:end]) else ""


def _in_head(source: str) -> bool:
    return source.startswith(("/html/head", "//head", "json-ld"))


def _varies(values: Sequence[str | None]) -> bool:
    given = [value for value in values if value]
    return len(given) >= 0.5 * len(values) and len(set(given)) > 0.6 * len(given)


def _agreement(one: Spoken, other: Spoken) -> float:
    return sum(likeness(a, b) for a, b in zip(one.values, other.values, strict=True)) / len(one.values)


def _belief(one: Spoken, guesses: Sequence[Sequence[HeadlineGuess]]) -> float:
    """How probable a source's values are, by what the extractor thinks of each page's texts; 0..1."""
    found = 0.0
    for value, likely in zip(one.values, guesses, strict=True):
        total = sum(guess.score for guess in likely)
        found += sum(guess.score * likeness(value, guess.text) for guess in likely) / total if total else 0.0
    return found / len(one.values)


def likeness(one: str | None, other: str | None) -> float:
    """How alike two headlines are, 0..1: 1 when letters and digits are the same, less when one holds the other."""
    a, b = squeeze(one or ""), squeeze(other or "")
    if not a or not b:
        return 0.0
    short, long = sorted((a, b), key=len)
    return 1.0 if a == b else len(short) / len(long) * 0.9 if short in long else 0.0


def _cost(source: str) -> int:
    """Order of equally good sources: elements of the page, then the head, then what must be decoded."""
    return 3 if source.startswith("json-ld") else 2 if source.startswith("//") else 1 if "/head/" in source else 0
