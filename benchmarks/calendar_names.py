"""Writes the month and weekday names of ``sitecrawl/text/calendar_names.json`` from Babel's CLDR
data, a language a line. A language that CLDR does not know needs no script: add a line to
``more_months`` there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from babel import Locale, UnknownLocaleError, localedata

from benchmarks.harness import asked
from sitecrawl.text import calendar_names

TABLE = Path(calendar_names.__file__).with_suffix(".json")

LANGUAGES = (
    "af am ar ar_DZ ar_SY ast az be bg bn bs ca cs cy da de de_AT el en eo es et eu fa fi fil fo fr fy ga gl gu he hi hr "
    "hu hy id is it ka kk km kn ky lb lo lt lv mk ml mr ms my nb ne nl nn or pa pl ps pt pt_PT ro ru si sk sl sq sr "
    "sr_Latn sv sw ta te th tk tr uk ur uz uz_Cyrl"
).split()
"""Languages whose pages write months as words; those that write numbers (Chinese, Japanese, Korean,
Vietnamese) need none."""
_PARTICLE = re.compile(r"^(?:de |d['’]|di )")
_LEFT_OUT = re.compile(r"[.\u0970\u0610-\u061a\u064b-\u065f\u0670\u200c-\u200f]")
_NO_NAME = re.compile(r"\d|^[a-z\u00c0-\u052f]{,2}$")


def names(values: Iterable[str]) -> list[str]:
    """Spellings of one name, casefolded, without dots and vowel signs; blanks within a name are
    underscores."""
    folded = (
        _PARTICLE.sub("", _LEFT_OUT.sub("", value.casefold())).strip().replace(" ", "_")
        for value in values
    )
    return sorted(
        {name for name in folded if not _NO_NAME.search(name)}, key=lambda name: (-len(name), name)
    )


def months(locale: Locale) -> list[list[str]]:
    """Names of the twelve months: both cases, wide and abbreviated."""
    tables = [
        locale.months[use][width]
        for use in ("format", "stand-alone")
        for width in ("wide", "abbreviated")
    ]
    return [names(table[number] for table in tables) for number in range(1, 13)]


def weekdays(locale: Locale) -> list[str]:
    """Full names of the seven days; abbreviations of two letters are words and names of people in
    other languages."""
    tables = [locale.days[use]["wide"] for use in ("format", "stand-alone")]
    return [name for number in range(7) for name in names(table[number] for table in tables)]


def main(arguments: list[str]) -> None:
    asked(__doc__, arguments)
    table = json.loads(TABLE.read_text(encoding="utf8"))
    table["months"], table["weekdays"] = {}, {}
    for language in LANGUAGES:
        try:
            # Babel writes names of one locale into the root that the next one inherits from
            localedata._cache.clear()
            locale = Locale.parse(language)
        except UnknownLocaleError:
            print(f"{language}: unknown to this Babel")
            continue
        table["months"][language] = "|".join(" ".join(spellings) for spellings in months(locale))
        table["weekdays"][language] = " ".join(weekdays(locale))
    TABLE.write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", encoding="utf8")
