"""Month and weekday names by language, casefolded, from ``calendar_names.json``: a language is a
line there and nothing anywhere else.

``months`` and ``weekdays`` are what ``python -m benchmarks calendar_names`` writes from Babel's
CLDR data. Spellings that pages use and CLDR lacks stand in ``more_months``; ``more_weekdays`` are
abbreviations that pages write before a date (those of the other languages look like parts of
people's names). ``jalali`` is the solar calendar of Iran and Afghanistan, ``hijri`` the Islamic
calendar. A line has twelve months separated by ``|``, each with its spellings (nominative,
genitive, abbreviation) separated by blanks; a blank within a name is written as an underscore."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sitecrawl.limits import cached
from sitecrawl.resources import table_beside

_TABLE = table_beside(__file__)
_MONTHS: dict[str, str] = _TABLE["months"]
_CONTESTED = {"lip": 7, "lis": 11, "listopad": 11, "listopada": 11}
"""Names that mean one month in Polish and Czech and another in Croatian, with the Polish and Czech
month."""
AFTER_ORDINAL = {"lip": 6, "lis": 10, "listopada": 10}
"""The same names with the Croatian month: only Croatian writes an ordinal before them, as in ``5.
listopada``."""
_MARKS = re.compile(r"[.\u0610-\u061a\u064b-\u065f\u0670\u0970\u200c-\u200f]")
_LETTERS = str.maketrans("يىك", "ییک")


def fold_name(name: str) -> str:
    """A name as the tables write it: casefolded, without dots and vowel signs, Arabic letters as in
    Persian.

    >>> fold_name("Sept."), fold_name("ก.ค."), fold_name("تشرين  الأول")
    ('sept', 'กค', 'تشرین_الأول')
    """
    name = name.casefold()
    return (
        name
        if name.isascii() and name.isalpha()
        else "_".join(_MARKS.sub("", name).translate(_LETTERS).split())
    )


def _numbered(lines: Mapping[str, str]) -> dict[str, int]:
    """Name to month number, without names that mean different months in different languages."""
    found: dict[str, set[int]] = {}
    for line in lines.values():
        for number, names in enumerate(line.split("|"), 1):
            for name in names.split():
                found.setdefault(fold_name(name.replace("_", " ")), set()).add(number)
    return {name: min(numbers) for name, numbers in found.items() if len(numbers) == 1}


MONTHS = _numbered(_MONTHS) | _numbered(_TABLE["more_months"]) | _CONTESTED
"""Casefolded month name (:func:`fold_name`) to its number, 1..12."""
JALALI_MONTHS = _numbered(
    _TABLE["jalali"]
)  # the same for the solar calendar of Iran and Afghanistan
HIJRI_MONTHS = _numbered(_TABLE["hijri"])  # the same for the Islamic calendar
ERAS: dict[str, int] = _TABLE[
    "eras"
]  # the year before the first one of a Japanese era, and of the Republic of China
ZONES: dict[str, int] = _TABLE["zones"]
"""Hours from UTC: the zones of RFC 822 and those of Europe, without CST: it is China's on as many
pages as America's."""
WEEKDAYS = frozenset(
    map(fold_name, " ".join([*_TABLE["weekdays"].values(), _TABLE["more_weekdays"]]).split())
)
"""Casefolded names of the days of the week, and the commonest abbreviations."""


@cached(1_000)
def weekdays_named(word: str) -> frozenset[int]:
    """Days of the week, 0 for Monday, that ``word`` names or abbreviates in any language; three
    letters at least.

    >>> sorted(weekdays_named("Tue")), sorted(weekdays_named("ter")), sorted(weekdays_named("Do")), sorted(weekdays_named("mar."))
    ([1], [1], [], [1])
    """
    start = fold_name(word)
    lines = [line.split() for line in _TABLE["weekdays"].values()] if len(start) > 2 else []
    whole = [names for names in lines if len(names) % 7 == 0]  # as many spellings of each day
    return frozenset(
        at * 7 // len(names)
        for names in whole
        for at, name in enumerate(names)
        if name.startswith(start)
    )
