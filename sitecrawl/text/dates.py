"""Dates as pages write them, in ISO 8601. Regular expressions only: linear time, no guess of what is not written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache

from sitecrawl.text.months import MONTHS
from sitecrawl.text.weekdays import WEEKDAYS

_YEAR = r"(?P<y>(?:19[89]|20[0-9])\d)"
_NUMERIC = re.compile(rf"(?<!\d){_YEAR}(?P<s>[-/.\u2010-\u2013])(?P<m>\d{{1,2}})(?P=s)(?P<d>\d{{1,2}})(?!\d)")
_CJK = re.compile(
    rf"(?<!\d){_YEAR}\s?[\u5e74\ub144]\s?(?P<m>\d{{1,2}})\s?[\u6708\uc6d4]\s?(?P<d>\d{{1,2}})\s?[\u65e5\u53f7\uc77c]?"
)
_COMPACT = re.compile(rf"^\s*{_YEAR}(?P<m>[01]\d)(?P<d>[0-3]\d)(?:\d{{6}})?\s*$")
_DAY_FIRST = re.compile(rf"(?<!\d)(?P<d>\d{{1,2}})\s?(?P<s>[./-])\s?(?P<m>\d{{1,2}})\s?(?P=s)\s?{_YEAR}(?!\d)")
_DAY_MONTH = re.compile(
    rf"(?<!\d)(?P<d>[0-3]?\d)(?:st|nd|rd|th|er|\.|\u00ba|\u00aa)?[\s/-]{{0,3}}(?:de |of |d['\u2019])?(?P<name>[^\W\d_]{{3,12}})[.,]?[\s/-]{{0,3}}(?:de |del )?,?\s?{_YEAR}(?!\d)",
    re.I,
)
_MONTH_DAY = re.compile(
    rf"(?P<name>[^\W\d_]{{3,12}})\.?\s{{1,3}}(?P<d>[0-3]?\d)(?:st|nd|rd|th)?,?\s{{1,3}}(?:at\s)?{_YEAR}(?!\d)", re.I
)
_TIME = re.compile(
    r"[T\s,@|\u00b7\u2014-]{0,4}(?:\(?[^\W\d_]{1,10}\.?\)?[\s,]{1,2})?(?P<h>[0-2]?\d)[:\u6642\u65f6\uc2dc\uff1a]\s?(?P<min>[0-5]\d)(?:[:\u5206\ubd84](?P<sec>[0-5]\d))?"
    r"(?:\.\d{1,9})?\s?(?P<half>[ap]\.?m\b)?\s?(?P<zone>Z\b|GMT\b|UTC\b|[+-]\d{2}:?\d{2}(?!\d))?",
    re.I,
)
_SHORT = re.compile(r"(?<![\d./])(?P<d>\d{1,2})(?P<s>[./])(?P<m>\d{1,2})(?P=s)(?P<y>\d{2})(?![\d./]\d|\d)")
_SHORT_LINE, _CENTURY = 80, 80
_YEARS = re.compile(r"(?=(?:19[89]|20[0-9])\d)")
_BEFORE, _AFTER = 40, 24
"""Characters of the longest date before its year, and from the year on with what must not follow it."""
_MARKS = " ,|·•–—-"
"""What parts a date from what stands beside it."""
_SPAN = 400
"""Characters of a string that are searched."""


def parse_date(text: str | None, month_first: bool = False) -> str | None:
    """The first date written in ``text`` as ISO 8601, with time and zone where they follow it; None without one.

    ``month_first`` reads 3/4/2020 and 3-4-2020 as March, the fourth.

    >>> parse_date("发布时间：2019年7月5日 10:30")
    '2019-07-05T10:30:00'
    >>> parse_date("Posted on July 5th, 2019 by Ann"), parse_date("Fri, 05 Jul 2019 10:30:00 +0800")
    ('2019-07-05', '2019-07-05T10:30:00+08:00')
    """
    if not text:
        return None
    found = find_date(text[:_SPAN], month_first)
    return found[0] if found else None


def writes_month_first(texts: Iterable[str]) -> bool:
    """Whether some of ``texts`` can only be read month first, none only day first.

    >>> writes_month_first(["04-06-2019, 9 AM", "04-16-2019"]), writes_month_first(["04/06/2019", "16/04/2019"])
    (True, False)
    """
    pairs = [(int(match["d"]), int(match["m"])) for text in texts for match in _DAY_FIRST.finditer(text[:_SPAN])]
    return any(second > 12 for _, second in pairs) and all(first <= 12 for first, _ in pairs)


def parse_short_date(text: str) -> str | None:
    """The date in a short line that writes years by two digits; only where nothing but a date can be meant.

    >>> parse_short_date("29.01.19 13:45"), parse_short_date("5/28/09"), parse_short_date("version 1.2.19.4")
    ('2019-01-29T13:45:00', '2009-05-28', None)
    """
    match = _SHORT.search(text) if len(text) <= _SHORT_LINE else None
    if match is None:
        return None
    day, month, year = int(match["d"]), int(match["m"]), int(match["y"])
    day, month = (month, day) if month > 12 and match["s"] == "/" else (day, month)
    try:
        return date(year + (1900 if year >= _CENTURY else 2000), month, day).isoformat() + _clock(text, match.end())[0]
    except ValueError:
        return None


@lru_cache(maxsize=4_000)
def find_date(text: str, month_first: bool = False) -> tuple[str, int, int] | None:
    """ISO form, start and end of the first date in ``text``."""
    years = [match.start() for match in _YEARS.finditer(text)]
    if not years:
        return None
    best: tuple[int, int, str] | None = None
    start, stop = max(0, years[0] - _BEFORE), years[-1] + _AFTER
    for pattern in _plausible(text, years):
        for match in pattern.finditer(text, start, stop) if pattern is not _COMPACT else pattern.finditer(text):
            day = _day(match, month_first)
            if day:
                if best is None or match.start() < best[0]:
                    best = (match.start(), match.end(), day)
                break
    if best is None:
        return None
    clock, end = _clock(text, best[1])
    return best[2] + clock, best[0], end


def beside_date(line: str) -> tuple[str, str]:
    """What a line says before its first date, without the day of the week, and behind it; all of a line without a date.

    >>> beside_date("by Ann, Fri, 6 May 2024 | 3 answers"), beside_date("by Bo")
    (('by Ann', '3 answers'), ('by Bo', ''))
    """
    found = find_date(line)
    if not found:
        return line, ""
    before = line[: found[1]].split()
    if before and before[-1].strip(".,").casefold() in WEEKDAYS:
        before.pop()
    return " ".join(before).strip(_MARKS), line[found[2] :].strip(_MARKS)


def _plausible(text: str, years: list[int]) -> list[re.Pattern[str]]:
    """The patterns that can match where years start at ``years``, told by what stands beside these."""
    after = {text[year + 4 : year + 5] for year in years}
    before = {text[max(0, year - 2) : year] for year in years}
    found = [_NUMERIC] if not after.isdisjoint("-/.\u2010\u2011\u2012\u2013") else []
    if "\u5e74" in text or "\ub144" in text:
        found.append(_CJK)
    if len(text.strip()) in (8, 14):
        found.append(_COMPACT)
    if years[-1] >= 4:
        found.append(_DAY_MONTH)
        if any(chars[-1:].isspace() for chars in before):
            found.append(_MONTH_DAY)
        if any("/" in chars or "." in chars or "-" in chars for chars in before):
            found.append(_DAY_FIRST)
    return found


def _day(match: re.Match[str], month_first: bool) -> str | None:
    parts = match.groupdict()
    name = parts.get("name")
    month = MONTHS.get(name.casefold(), 0) if name else int(parts["m"])
    day = int(parts["d"])
    if match.re is _DAY_FIRST and (month > 12 or (month_first and day <= 12 and parts["s"] in "/-")):
        month, day = day, month
    try:
        return date(int(parts["y"]), month, day).isoformat()
    except ValueError:
        return None


def _clock(text: str, start: int) -> tuple[str, int]:
    match = _TIME.match(text, start)
    if match is None:
        return "", start
    hour = int(match["h"])
    half = (match["half"] or "").casefold().replace(".", "")
    if half == "pm" and hour < 12:
        hour += 12
    elif half == "am" and hour == 12:
        hour = 0
    if hour > 23:
        return "", start
    return f"T{hour:02d}:{match['min']}:{match['sec'] or '00'}{_zone(match['zone'])}", match.end()


def _zone(zone: str | None) -> str:
    if not zone:
        return ""
    if zone[0] not in "+-":
        return "Z"
    return f"{zone[:3]}:{zone[-2:]}"
