"""Dates as pages write them, in ISO 8601. Regular expressions only: linear time, no guess of what
is not written. Dates of the Gregorian calendar come first; the Buddhist, Persian and Islamic
calendars, Japanese eras and the years of the Republic are read in text of those scripts that holds
no Gregorian date."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate
from typing import NamedTuple

from sitecrawl.limits import cached
from sitecrawl.resources import table_beside
from sitecrawl.text import calendar_names
from sitecrawl.text.caseless import Caseless

_SECONDS = 10  # digits of the seconds from 2001 to 2286
_UNIX_TIME = re.compile(r"[1-9][0-9]{9}(?:[0-9]{3})?")
YEAR = re.compile(r"(?:19[89]|20[0-4])\d")  # a year that a page of news may be of
_GREGORIAN = r"(?:19[89]|20[0-9])\d"
_YEAR = rf"(?P<y>{_GREGORIAN})"
_NUMERIC = re.compile(
    rf"(?<!\d){_YEAR}(?P<s>[-/.\u2010-\u2013]|\.\s)(?P<m>\d{{1,2}})(?P=s)(?P<d>\d{{1,2}})(?!\d)(?:\.(?!\w))?"
)  # also 2026. 3. 1. (Korean)
_ASIDE = r"(?:[(\uff08][^)\uff09]{1,8}[)\uff09])?"  # the same year in another count, in brackets
_CJK = re.compile(
    rf"(?<!\d){_YEAR}\s?(?:{_ASIDE}|[)\uff09])\s?[\u5e74\ub144]\s?{_ASIDE}[)\uff09]?\s?(?P<m>\d{{1,2}})\s?[\u6708\uc6d4]\s?(?P<d>\d{{1,2}})\s?[\u65e5\u53f7\u865f\uc77c]?"
)
_COMPACT = re.compile(  # 20260301, 20260301083000, 20260301T0830+0100
    rf"^\s*{_YEAR}(?P<m>[01]\d)(?P<d>[0-3]\d)(?:(?:T|(?=\d{{6}}\s*$))(?P<h>[0-2]\d)(?P<min>[0-5]\d)(?P<sec>[0-5]\d)?(?P<zone>Z|[+-]\d{{4}})?Z?)?\s*$"
)
_NAME = r"(?:(?P<name>[^\W\d_]{3,12}|[一二三四五六七八九十]月)|(?<!\d)(?P<m>1[0-2]|0?[1-9])\s?[\u6708\uc6d4])"
_WORD = r"[^\W\d_][^\s\d,;:|/()\u060c-]"
_WIDE_NAME = rf"(?P<name>{_WORD}{{1,13}}(?:\s{_WORD}{{1,9}})?)"
"""A name in scripts that write vowels as marks, which are no letters to a regular expression, or
months as two words."""
_WIDE = re.compile("[\u0530-\u18ff]")
"""Characters of these scripts: Armenian to Mongolian, without Latin, Greek, Cyrillic and the
scripts of East Asia."""


def _day_first(year: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<!\d)(?P<d>\d{{1,2}})\s?(?P<s>[./-])\s?(?P<m>\d{{1,2}})\s?(?P=s)\s?(?P<y>{year})(?!\d)"
    )


def _day_month(year: str, name: str, *, between: str = "") -> re.Pattern[str]:
    return re.compile(
        rf"(?<!\d)(?P<d>[0-3]?\d)(?:st|nd|rd|th|er|(?P<dot>\.)|[\u00ba\u00aa\u00b0])?[\s/-]{{0,3}}(?:de |of |d['\u2019])?{name}[.,\u060c]?"
        rf"{between}[\s/-]{{0,3}}(?:de |del )?,?\s?(?P<y>{year})(?!\d)",
        re.I,
    )


def _month_day(year: str, name: str) -> re.Pattern[str]:
    return re.compile(
        rf"{name}\.?\s{{1,3}}(?P<d>[0-3]?\d)(?:st|nd|rd|th)?(?:[,\u060c]\s{{0,3}}|\s{{1,3}})(?:at\s|{_UNIX_CLOCK})?(?P<y>{year})(?!\d)",
        re.I,
    )


_UNIX_CLOCK = r"(?-i:(?P<h>[0-2]\d):(?P<min>[0-5]\d)(?::(?P<sec>[0-5]\d))?\s(?:(?P<zone>[A-Z]{1,5}|[+-]\d{4})\s)?)"
"""What ``date`` prints on Unix before the year: ``Tue Dec 4 21:16:37 CET 2007``."""
_BETWEEN = rf"(?:\s?/\s?{_WORD}{{1,13}})?(?:\s?(?:\u0e1e\.?\u0e28|\u0e04\.?\u0e28)\.?)?"
"""What may stand before the year: the month's other name, the name of the era in Thai."""
_DAY_FIRST, _DAY_MONTH = _day_first(_GREGORIAN), _day_month(_GREGORIAN, _NAME)
_MONTH_DAY = _month_day(_GREGORIAN, _NAME)
_WIDE_DAY_MONTH = _day_month(_GREGORIAN, _WIDE_NAME, between=_BETWEEN)
_WIDE_MONTH_DAY = _month_day(_GREGORIAN, _WIDE_NAME)
_YEAR_FIRST = re.compile(
    rf"(?<!\d){_YEAR}\.?(?:\s?m\.|\s(?:met\u0173|gada|\u0436\u044b\u043b\u0493\u044b|\u0436\.))?[\s/-]{{1,2}}"
    rf"(?:{_NAME}\.?[\s-]{{1,2}}(?P<d>\d{{1,2}})|(?P<day>\d{{1,2}})\.?\s{{1,2}}(?P<behind>[^\W\d_]{{3,12}}))(?![\d:])(?!,?\s{{1,3}}{_GREGORIAN})",
    re.I,
)
"""Hungarian, Lithuanian, Latvian, Kazakh."""
_NUMBERED = re.compile(
    rf"(?<!\d)(?P<d>\d{{1,2}})\s(?:th\u00e1ng|thg)\s(?P<m>\d{{1,2}})(?:,\s?|\s)(?:n\u0103m\s)?{_YEAR}(?!\d)",
    re.I,
)
"""Vietnamese."""
_FORMS = (_NUMERIC, _YEAR_FIRST, _CJK, _COMPACT, _DAY_MONTH, _MONTH_DAY, _NUMBERED, _DAY_FIRST)
_WIDE_FORMS = (_WIDE_DAY_MONTH, _WIDE_MONTH_DAY, *_FORMS)
"""The forms of Gregorian dates; of several at one place the first counts."""
_ERA = re.compile(
    r"(?P<era>\u4ee4\u548c|\u5e73\u6210|\u662d\u548c|\u6c11\u570b|\u6c11\u56fd|(?<![^\W\d_])[RHS])?"
    rf"\s?(?P<y>(?(era)(?:\u5143|\d{{1,3}})|(?<!\d)1[0-4]\d))\s?\u5e74\s?{_ASIDE}\s?(?P<m>\d{{1,2}})\s?\u6708\s?(?P<d>\d{{1,2}})\s?\u65e5"
)
_REPUBLIC = r"(?<![\d.])(?P<y>1[0-4]\d)(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})(?![\d.])"
_ROC = re.compile(rf"(?<=[\u65e5\u671f\u9593][:\uff1a])\s?{_REPUBLIC}")
"""A year of the Republic of China in figures alone, behind a label as 發布日期."""
_HAN = "〇一二三四五六七八九"
_HAN_DATE = re.compile(
    r"(?P<y>[〇○零一二三四五六七八九]{4})年(?P<m>[一二三四五六七八九十]{1,2})月(?P<d>[一二三四五六七八九十]{1,3})[日号號]"
)
_HAN_MONTH = re.compile(
    "(十?[一二三四五六七八九]|十)月$"
)  # at the end of a name, since no blank stands before it
_NOON = r"\u4e0a\u5348|\u4e0b\u5348|\u5348\u524d|\u5348\u5f8c|\uc624\uc804|\uc624\ud6c4"
_TIME = re.compile(
    rf"(?:\s(?:\u0433|\u0440)(?:\.|\u043e\u0434\u0430|\u043e\u043a\u0443),?)?[T\s,;@|/\u00b7\u2022\u2013\u2014-]{{0,4}}"
    rf"(?:[(\uff08]\w[)\uff09]|\(?(?!{_NOON})(?:a las?|alle ore|[^\W\d_]{{1,10}})\.?\)?[\s,]{{1,2}}|\((?=\d))?(?:(?P<noon>{_NOON})\s?)?"
    r"(?P<h>[0-2]?\d)(?:\s?h\s?|\.(?=\d\d\s?(?:Uhr|[ap]\.?m\b))|[:\u6642\u65f6\u70b9\u9ede\uc2dc\uff1a](?!\s?\d\d\s?min(?:s|ut\w*)?\b))\s?(?P<min>[0-5]\d)(?:[:\u5206\ubd84](?P<sec>[0-5]\d))?"
    r"(?:\.\d{1,9})?\s?(?P<half>[ap]\.?m\b)?\s?\(?(?P<zone>Z\b|(?:GMT|UTC)(?:\s?[+-]\d{1,2}(?::?\d{2})?)?\b|[+-]\d{2}:?\d{2}(?!\d))?",
    re.I,
)
CLOCK = r"\d{1,2}[:.h]\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?"
"""A time of day as lines of text show it, for expressions that look beside it."""
_MINUTE = re.compile(r"\d:[0-5]\d")
_OFFSET = re.compile(r"([+-])(0?\d|1[0-4]):?([0-5]\d)?$")  # of a zone
_AFTERNOON = ("下午", "午後", "오후")
_ZEROS = "\u0660\u06f0\u0966\u09e6\u0a66\u0ae6\u0b66\u0be6\u0c66\u0ce6\u0d66\u0e50\u0ed0\u1040\u17e0\uff10"
"""The digit 0 of the scripts that have digits of their own, Arabic to Khmer, and of full width."""
_PLAIN = {
    ord(zero) + digit: ord("0") + digit for zero in _ZEROS for digit in range(10)
} | dict.fromkeys(map(ord, "\u200e\u200f"), " ")
"""Digits of other scripts as ASCII, and marks of direction as blanks: a text keeps its length."""
_OTHER_FORMS = re.compile("[\u0600-\u06ff\u0e00-\u0e7f年日期間" + "".join(map(chr, _PLAIN)) + "]")
"""Characters that indicate other digits, another calendar or another count of years."""
_SHORT = re.compile(
    r"(?<![\d./])(?P<d>\d{1,2})(?P<s>[./])(?P<m>\d{1,2})(?P=s)(?P<y>\d{2})(?![\d./]\d|\d)"
)
_SHORT_NAMED = re.compile(
    r"(?<![\w./-])(?P<d>\d{1,2})[-/\s](?P<name>[^\W\d_]{3,9})\.?(?:[-/]|\s['\u2019])(?P<y>\d{2})(?![\w:/-])"
)
_SHORT_LAST = re.compile(
    r"(?<![\w./-])(?P<d>\d{1,2})\s(?P<name>[^\W\d_]{3,9})\.?\s(?P<y>\d{2})(?=\s?(?:$|[|\u00b7(]|[,\s-]{0,3}\d\d?[:h]\d\d))"
)
"""``5 Jul 19`` at the end of a line, or before a time."""
_SHORT_THAI = re.compile(
    r"(?<!\d)(?P<d>\d{1,2})\s(?P<name>[\u0e00-\u0e4f.]{4,14})\s(?P<y>[5-9]\d)(?![\d:.])"
)
_BEFORE_YEAR = 40  # characters of the longest form before its year
_FROM_YEAR = 24  # characters from the year on, with what must follow
_YEARS = re.compile(rf"(?={_GREGORIAN})")
_US_CLOCK = re.compile(
    r"[\s,;|@\u2013-]{0,4}(?:at\s)?\d{1,2}:\d\d(?::\d\d)?\s?[ap]\.?m\.?,?\s\(?"
    r"(?:[ECMP][SD]?T|AK[SD]T|HS?T)\b",
    re.I,
)
"""A time of day with a zone of North America, where the month comes before the day."""
_URL_DAY = re.compile(
    r"[/_-][a-z]{0,2}((?:19[89]|20[0-4])\d)[/-]?([01]\d)[/-]?([0-3]\d)(?=[/_.t]|(?<!/\d\d)-|$)"
)
"""A day in a URL; ``/2011/10/20-years-later`` has year and month only."""
_URL_MONTH = re.compile(r"/((?:19[89]|20[0-4])\d)[/-](0?[1-9]|1[0-2])(?=[/_.-]|$)")
_OTHER_YEAR = re.compile(
    r"(?![0-9])\d{2}|1[34]\d\d|25[2-9]\d|令和|平成|昭和|民[國国]|[RHS][\d元]|[日期間]\s?[:：]\s?1[0-4]\d|[〇○零一二三四五六七八九]{4}年|1[0-4]\d年"
)
"""A year that is not written in ASCII digits of the Gregorian calendar."""
_BUDDHIST = 50  # from here on, two digits of a year on Thai pages are of the Buddhist calendar
_SHORT_FORMS = (_SHORT, _SHORT_NAMED, _SHORT_LAST, _SHORT_THAI)
_LAST_WORD = re.compile(r"([^\W\d_]{3,})\.?[\s,(]{0,3}$")  # the word before a date
_FIRST_WORD = re.compile(r"[\s,(]{0,3}([^\W\d_]{3,})")
_MARKS = " ,|·•–—-"  # characters that separate a date from its neighbours
_TABLE = table_beside(
    __file__
)  # words by what they tell, in the forms of all languages that are known
ANNOUNCED = Caseless("|".join(_TABLE["announced"]))
"""Words that announce the date of publication."""
BESIDE = Caseless("|".join(_TABLE["beside"]))
"""Words before the day on which somebody registered in a forum, or on which its last post came."""
_SAID_BEHIND = Caseless("|".join((*_TABLE["announced"], *_TABLE["behind"])))
"""Words of publication, also those that tell it only behind the day of a text."""
CHANGED = Caseless("|".join(_TABLE["changed"]))
"""Words that announce the date of a change."""
_SEARCHED = 400  # characters of a text that are searched for a date
_COLONS = (":", "：")
_CLAUSE = 80  # characters behind a date in which a verb may announce it
_SENTENCE_END = re.compile(r"[.!?]\s|[。！？|]")
_BEHIND = re.compile(r"[^|\u00b7\u2022;,/\uff0f\d\u3002]{0,24}")
"""What may stand behind a date and tell what it is the date of."""
_WORDS = {what: "|".join(words) for what, words in (_TABLE | _TABLE["units"]).items()}
_UNIT = "|".join(f"(?P<{unit}>{_WORDS[unit]})" for unit in _TABLE["units"])
"""Words for spans of time; those that are ``vague`` name no day, or are too short to matter."""
_SPAN_OF_TIME = re.compile(rf"(\d+\s?|\w+\s)(?:{_UNIT})")
_ANY_UNIT = re.sub(r"\?P<\w+>", "?:", _UNIT)
_HOUR = rf"{CLOCK}(?!\s?[-–~]\s?\d)"
_LAST_HOUR = re.compile(f"{_HOUR}$")
_YESTERDAY = re.compile(f"{_WORDS['yesterday']}|昨")
_MOST_DIGITS = 4  # of the number of units since a day
_RELATIVE = re.compile(
    rf"\b(?:(?:\d{{1,4}}\s(?:{_ANY_UNIT})\w*,?\s(?:(?:and|et|y|e|og|och|и)\s)?){{0,2}}\w{{1,4}}\s(?:{_ANY_UNIT})\w*\.?\s(?:{_WORDS['ago']})\b"
    rf"|(?:{_WORDS['since']})\s\w+\s(?:{_ANY_UNIT})|(?:{_WORDS['yesterday']}|{_WORDS['today']})\b[^\d]{{1,6}}{_HOUR})"
    rf"|\d(?<!\d\d)\d{{0,3}}\s?(?:{_WORDS['joined']})|(?:[昨今前]天|[昨今]日)\s?{_HOUR}"
)
"""``3 weeks ago``, ``gestern, 10:30``, in lower case, which takes half the time of an expression
that ignores case."""


@dataclass(frozen=True, slots=True)
class _Calendar:
    """Another calendar: in text with ``script`` or on pages in ``language``, by ``patterns``, with
    names of ``months``; ``day`` gives the Gregorian date."""

    language: str
    script: re.Pattern[str]
    patterns: tuple[re.Pattern[str], ...]
    months: Mapping[str, int]
    day: Callable[[int, int, int], date]


def _patterns(year: str) -> tuple[re.Pattern[str], ...]:
    numeric = re.compile(
        rf"(?<!\d)(?P<y>{year})(?P<s>[-/.])(?P<m>\d{{1,2}})(?P=s)(?P<d>\d{{1,2}})(?!\d)"
    )
    return (
        numeric,
        _day_first(year),
        _day_month(year, _WIDE_NAME, between=_BETWEEN),
        _month_day(year, _WIDE_NAME),
    )


def _of_jalali(year: int, month: int, day: int) -> date:
    """Gregorian date of a Persian one, by the cycle of 33 years, which is right from 1343 to 1472.

    >>> _of_jalali(1398, 4, 14), _of_jalali(1403, 12, 30)
    (datetime.date(2019, 7, 5), datetime.date(2025, 3, 20))
    """
    last = 31 if month <= 6 else 30 if month < 12 or (8 * year + 29) % 33 < 8 else 29
    if not (1 <= month <= 12 and 1 <= day <= last):
        raise ValueError
    years = 365 * (year - 1398) + (8 * year + 21) // 33 - (8 * 1398 + 21) // 33
    return date(2019, 3, 21) + timedelta(years + 31 * (month - 1) - max(0, month - 7) + day - 1)


_MONTH_STARTS = list(
    accumulate(29 + int(long) for long in "".join(_TABLE["long_hijri_months"].values()))
)
"""Days from 1410 to the end of each month of Umm al-Qura, up to 1450; the table has a 1 for a month
of 30 days and a 0 for one of 29."""


def _of_hijri(year: int, month: int, day: int) -> date:
    """Gregorian date of an Islamic one, by the calendar of Umm al-Qura.

    >>> _of_hijri(1440, 11, 2), _of_hijri(1445, 9, 1)
    (datetime.date(2019, 7, 5), datetime.date(2024, 3, 11))
    """
    number = 12 * (year - 1410) + month - 1
    start = _MONTH_STARTS[number - 1] if number else 0
    if not (1 <= month <= 12 and 1 <= day <= _MONTH_STARTS[number] - start):
        raise ValueError
    return date(1989, 8, 2) + timedelta(start + day - 1)


_THAI = re.compile("[\u0e00-\u0e7f]")
_ARABIC = re.compile("[\u0600-\u06ff]")
_PERSIAN = re.compile("[\u067e\u0686\u0698\u06a9\u06af\u06cc]")
"""Letters of Persian that Arabic does not have."""
_CALENDAR_YEAR = re.compile(r"(?<!\d)(?:25[2-9]\d|1[34]\d\d|1[0-4]\d[-/.])(?!\d{4})")
_NOWHERE = re.compile(r"(?!)")
_CALENDARS = (
    _Calendar(
        "th",
        _THAI,
        _patterns(r"25[2-9]\d"),
        calendar_names.MONTHS,
        lambda year, month, day: date(year - 543, month, day),
    ),
    _Calendar(
        "fa",
        _ARABIC,
        _patterns(r"(?:13[6-9]|140)\d"),
        calendar_names.JALALI_MONTHS,
        _of_jalali,
    ),
    _Calendar(
        "zh-tw",
        _NOWHERE,
        (re.compile(_REPUBLIC),),
        {},
        lambda year, month, day: date(year + 1911, month, day),
    ),
    _Calendar("ar", _ARABIC, _patterns(r"14[1-4]\d"), calendar_names.HIJRI_MONTHS, _of_hijri),
)
"""A year that several calendars share is read in the calendar in which it is a recent year."""


class FoundDate(NamedTuple):
    """A date in a text: ISO 8601, where it begins and ends, and the ``other`` date that the same
    numbers are with day and month exchanged; empty if the text itself decides."""

    value: str
    start: int
    end: int
    other: str = ""


def calendar_of(language: str, sample: str) -> str:
    """The language of a page if it has a calendar beside the Gregorian one, else an empty text. The
    script of a ``sample`` of its text comes before the ``language`` that the page names.

    >>> calendar_of("en", "ท่าเรือเก่าเปิดอีกครั้ง"), calendar_of("fa-IR", ""), calendar_of("de", "Hafen")
    ('th', 'fa', '')
    """
    if not sample.isascii():
        if _THAI.search(sample):
            return "th"
        if _ARABIC.search(sample):
            return "fa" if _PERSIAN.search(sample) else "ar"
    named = language[:2].casefold()
    if named == "zh":
        is_traditional = re.match("zh[-_](?:tw|hant)", language, re.I) is not None
        return "zh-tw" if is_traditional else ""
    return named if named in ("th", "fa", "ar") else ""


def find_day_in_url(url: str) -> FoundDate | None:
    """The day that a URL names, and where.

    >>> find_day_in_url("http://example.org/2019/07/05/bridge")
    FoundDate(value='2019-07-05', start=18, end=29, other='')
    """
    match = _URL_DAY.search(url)
    day = parse_date("-".join(match.groups())) if match else None
    return FoundDate(day, match.start(), match.end()) if match and day else None


def month_in_url(url: str) -> str:
    """Year and month that folders of a URL name; empty without them.

    >>> month_in_url("http://example.org/2019/7/bridge"), month_in_url("http://example.org/2019/bridge")
    ('2019-07', '')
    """
    match = _URL_MONTH.search(url)
    return f"{match[1]}-{match[2]:0>2}" if match else ""


def is_world_time(value: str) -> bool:
    """Whether an ISO date is a day without a time, or says that its time is universal: the page may
    print the day before or after.

    >>> [is_world_time(value) for value in ("2024-05-01", "2024-05-01T23:30:00Z", "2024-05-01T23:30:00+02:00")]
    [True, True, False]
    """
    return len(value) == len("2024-05-01") or value.endswith(("Z", "+00:00"))


def may_be_world_day(value: str, day: str) -> bool:
    """Whether a time in UTC may be the time of ``day``, one day before or after, in another zone.

    >>> [may_be_world_day("2024-05-01T02:25:00Z", day) for day in ("2024-04-30", "2024-05-02", "2024-05-01")]
    [True, False, False]
    """
    if not value.endswith(("Z", "+00:00")):
        return False
    moment = datetime.fromisoformat(value)
    apart = (date.fromisoformat(day) - moment.date()).days
    # zones reach from 12 hours behind UTC to 14 hours before it
    return (apart == -1 and moment.hour < 12) or (apart == 1 and moment.hour >= 10)


def may_be_next_day(value: str) -> bool:
    """Whether a time in ISO 8601 may belong to the next day: it does in UTC, or with its offset
    added twice. Without a zone any zone is tried.

    >>> [may_be_next_day(f"2024-05-01T{rest}") for rest in ("15:00:00+09:00", "15:00:00-08:00", "22:00:00-05:00", "15:00:00")]
    [True, False, True, True]
    """
    if "T" not in value:
        return False
    moment = datetime.fromisoformat(value)
    shift = moment.utcoffset()
    return moment.hour + (14 if shift is None else abs(shift.total_seconds()) / 3600) >= 24


def parse_date(text: str | None, month_first: bool = False, *, calendar: str = "") -> str | None:
    """The first date written in ``text`` as ISO 8601, with time and zone where they follow it; None
    without one.

    ``month_first`` reads 3/4/2020 and 3-4-2020 as March, the fourth. A day of the week beside such
    a date decides first. ``calendar`` is that of the page (:func:`calendar_of`).

    >>> parse_date("发布时间：2019年7月5日 10:30")
    '2019-07-05T10:30:00'
    >>> parse_date("Posted on July 5th, 2019 by Ann"), parse_date("Fri, 05 Jul 2019 10:30:00 +0800")
    ('2019-07-05', '2019-07-05T10:30:00+08:00')
    >>> parse_date("Tue, 03/11/2014"), parse_date("Mon, 03/11/2014"), parse_date("03/11/2014")
    ('2014-03-11', '2014-11-03', '2014-11-03')
    """
    if not text:
        return None
    found = find_date_on(text[:_SEARCHED], month_first, calendar=calendar)
    return found.value if found else None


def find_publication(
    text: str, month_first: bool = False, *, calendar: str = "", reach: int = 30
) -> FoundDate | None:
    """As :func:`find_date`, at the beginning of ``text``. The second date within ``reach``
    characters replaces the first one in two cases: the first is that of a change and the second is
    not later; the first follows another label and the second a word for publication.

    >>> [find_publication(text)[0] for text in ("Updated: 6 May 2024 | Published: 4 May 2024", "Updated 6 May 2024, Meeting 9 May 2024")]
    ['2024-05-04', '2024-05-06']
    >>> find_publication("成文日期：2024-03-01 发布日期：2024-03-05")[0]
    '2024-03-05'
    >>> find_publication("2024年5月6日更新／2024年5月4日公開")[0]
    '2024-05-04'
    """
    text = text[:_SEARCHED]
    hit = find_date_on(text, month_first, calendar=calendar)
    if hit is None:
        return None
    label = text[max(0, hit.start - reach) : hit.start]
    if not _may_be_replaced(text, hit, label=label):
        return hit
    rest = text[hit.end :]
    other = find_date_on(rest, month_first, calendar=calendar)
    if other is None or other.start > reach or not _is_better(hit, other, label=label, rest=rest):
        return hit
    return other._replace(start=hit.end + other.start, end=hit.end + other.end)


def _may_be_replaced(text: str, found: FoundDate, *, label: str) -> bool:
    """Whether the ``label`` before a date, or the text behind it, may say that it is the date of
    something else."""
    if CHANGED.search(label):
        return True
    if ANNOUNCED.search(label):
        return False
    return label.rstrip().endswith(_COLONS) or CHANGED.search(text, found.end) is not None


def _is_better(found: FoundDate, other: FoundDate, *, label: str, rest: str) -> bool:
    """Whether the ``other`` of two dates is that of the publication. ``label`` stands before the
    first one, ``rest`` behind it."""
    between = rest[: other.start]
    is_later = other.value[:10] > found.value[:10]
    is_announced = ANNOUNCED.search(between) is not None
    if CHANGED.search(label):
        is_bare = re.search(r"[^\W\d_]{4}", between) is None
        return not is_later and not CHANGED.search(between) and (is_announced or is_bare)
    if label.rstrip().endswith(_COLONS):
        return is_announced and not CHANGED.search(between)
    return not is_later and _is_changed_behind(rest, other)


def _is_changed_behind(rest: str, other: FoundDate) -> bool:
    """Whether the words behind two dates say that the first is of a change and the second is none.
    ``rest`` is the text behind the first, in which the ``other`` stands. Words between two dates
    belong to the first one only if words stand behind the second, too."""
    between = rest[: other.start]
    behind = _BEHIND.match(rest, other.end)
    announces = behind is not None and ANNOUNCED.search(behind[0]) is not None
    is_label = between.rstrip().endswith(_COLONS)
    return announces and not is_label and CHANGED.search(between) is not None


def is_announced_behind(text: str, end: int) -> bool:
    """Whether the rest of the sentence behind a date says that a text was published then, as German
    does: "am 14. Dezember 2015 von Ann veröffentlicht".

    >>> is_announced_behind("am 14.12.2015 um 14:48 von Ann veröffentlicht und abgelegt.", 13)
    True
    """
    rest = text[end : end + _CLAUSE]
    stop = _SENTENCE_END.search(rest)
    return _SAID_BEHIND.search(rest[: stop.start()] if stop else rest) is not None


def order_of_numbers(texts: Iterable[str]) -> bool | None:
    """Whether dates of three numbers begin with the month: True if at least one of ``texts`` can
    only be read so and none only day first, False if one can only be read day first, else None.

    >>> order_of_numbers(["04-06-2019, 9 AM", "04-16-2019"]), order_of_numbers(["04/06/2019", "16/04/2019"])
    (True, False)
    """
    order: bool | None = None
    for text in texts:
        for match in _DAY_FIRST.finditer(text[:_SEARCHED]):
            if int(match["d"]) > 12:
                return False
            if int(match["m"]) > 12:
                order = True
    return order


def writes_month_first(texts: Iterable[str]) -> bool:
    """Whether at least one of ``texts`` can only be read month first, and none only day first."""
    return order_of_numbers(texts) is True


def may_hold_date(text: str, *, most_chars: int = 80, calendar: str = "") -> bool:
    """Whether a text shows a year of any calendar, or is a line of at most ``most_chars`` with a
    short or relative date: a cheap test. ``calendar`` is that of the page."""
    if ("20" in text or "19" in text) and YEAR.search(text):
        return True
    if calendar and _CALENDAR_YEAR.search(text):
        return True
    if not text.isascii() and _OTHER_FORMS.search(text) and _OTHER_YEAR.search(text):
        return True
    return len(text) <= most_chars and any(
        form.search(text.lower()) for form in (*_SHORT_FORMS, _RELATIVE)
    )


def shows_date(text: str) -> bool:
    """Whether a text shows a year of the Gregorian calendar, and a date.

    >>> shows_date("Posted on 6 May 2024"), shows_date("Founded in 2024")
    (True, False)
    """
    return YEAR.search(text) is not None and find_date(text) is not None


def has_relative(text: str) -> bool:
    """Whether a text has a time relative to now, which sites print in place of a date;
    :func:`resolve_relative` reads it.

    >>> has_relative("Gestern, 10:30"), has_relative("3 weeks ago"), has_relative("Yesterday")
    (True, True, False)
    """
    return _RELATIVE.search(text.lower()) is not None


def parse_short_date(
    text: str,
    month_first: bool = False,
    *,
    calendar: str = "",
    most_chars: int = 80,
    century: int = 80,
) -> str | None:
    """The date in a line of at most ``most_chars`` with a two-digit year, if it can mean nothing
    else; from ``century`` on it is 19xx. ``month_first`` reads 3/4/20 as March, the fourth;
    ``calendar`` is that of the page (:func:`calendar_of`).

    >>> parse_short_date("Hull, 29.01.19 13:45"), parse_short_date("5/28/09"), parse_short_date("05-Jul-19")
    ('2019-01-29T13:45:00', '2009-05-28', '2019-07-05')
    """
    found = (form.search(text) for form in _SHORT_FORMS) if len(text) <= most_chars else ()
    match = next(filter(None, found), None)
    if match is None:
        return None
    year, month, day = _numbers(match, calendar_names.MONTHS)
    is_thai = match.re is _SHORT_THAI or (calendar == "th" and year >= _BUDDHIST)
    if is_thai:
        year -= 43  # 2562 is 2019
    is_exchanged = month > 12 or (month_first and day <= 12)
    if is_exchanged and "/" in match[0]:
        day, month = month, day
    with suppress(ValueError):
        return (
            date(year + (1900 if year >= century else 2000), month, day).isoformat()
            + _clock(text, match.end())[0]
        )
    return None


def resolve_relative(text: str, moment: str) -> str | None:
    """The date of a text like "3 hours ago" that was fetched at ``moment`` (ISO 8601); None if it
    names no day.

    >>> [resolve_relative(text, "2026-03-10T12:00:00") for text in ("1 week 2 days ago", "Yesterday at 3:15 pm", "few days ago")]
    ['2026-03-01', '2026-03-09T15:15:00', None]
    """
    found = _RELATIVE.search(text.lower())
    if found is None:
        return None
    now = datetime.fromisoformat(moment).replace(microsecond=0)
    hour = _LAST_HOUR.search(found[0])
    if hour is not None:
        clock, _ = _clock(re.sub(r"[h.](?=\d)", ":", hour[0]), 0)
        day = (now - timedelta(_days_back(found[0]))).date()
        return f"{day}{clock}" if clock else None
    return _before(now, found[0])


def _days_back(phrase: str) -> int:
    """How many days ago the day is that a phrase names."""
    if phrase.startswith("前天"):
        return 2
    return 1 if _YESTERDAY.match(phrase) else 0


def _before(now: datetime, phrase: str) -> str | None:
    """The moment, or the day, that is some spans of time before ``now``."""
    spans = {str(span.lastgroup): span[1].strip() for span in _SPAN_OF_TIME.finditer(phrase)}
    if "vague" in spans or spans.keys() <= {"weeks"}:
        return None
    counts = dict[str, int]()
    for unit, count in spans.items():
        number = "1" if count in _TABLE["one"] else count
        if not number.isdecimal() or len(number) > _MOST_DIGITS:
            return None
        counts[unit] = int(number)
    past = now - timedelta(**counts)
    return past.isoformat() if counts.keys() - {"weeks", "days"} else past.date().isoformat()


@cached(4_000)
def find_date(text: str, month_first: bool = False) -> FoundDate | None:
    """The first date in ``text``."""
    is_other = not text.isascii() and _OTHER_FORMS.search(text) is not None
    plain = text.translate(_PLAIN) if is_other else text
    best = _gregorian(plain, month_first)
    if best is None and is_other:
        best = _of_other_calendars(plain, text) or _of_eras(plain)
    if best is None or "T" in best.value:
        return best
    return _with_clock(plain, best)


@cached(1_000)
def _find_in_calendar(text: str, language: str) -> FoundDate | None:
    """The first date in ``text`` in the calendar of a language."""
    plain = text if text.isascii() else text.translate(_PLAIN)
    found = _of_other_calendars(plain, text, language=language)
    return _with_clock(plain, found) if found else None


def _with_clock(text: str, found: FoundDate) -> FoundDate:
    """A day with the time that stands behind it."""
    clock, end = _clock(text, found.end)
    other = found.other + clock if found.other else ""
    return FoundDate(found.value + clock, found.start, end, other)


def find_unix_time(text: str) -> FoundDate | None:
    """The moment of a text that is nothing but a number of seconds, or of milliseconds, since 1970;
    None if that is no year of news.

    >>> find_unix_time("1688551800"), find_unix_time("20230705")
    (FoundDate(value='2023-07-05T10:10:00Z', start=0, end=10, other=''), None)
    """
    if _UNIX_TIME.fullmatch(text) is None:
        return None
    moment = datetime.fromtimestamp(int(text[:_SECONDS]), UTC)
    value = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    return FoundDate(value, 0, len(text)) if YEAR.match(value) else None


def tells_minute(text: str) -> bool:
    """Whether a text holds a time of day, beside a date of any form.

    >>> tells_minute("12 May, 9:05"), tells_minute("3:2")
    (True, False)
    """
    return _MINUTE.search(text) is not None


def find_date_on(text: str, month_first: bool = False, *, calendar: str) -> FoundDate | None:
    """The first date in ``text`` on a page with a ``calendar`` (:func:`calendar_of`)."""
    found = find_date(text, month_first)
    if found is None and calendar:
        found = _find_in_calendar(text, calendar)
    return found


def _gregorian(text: str, month_first: bool) -> FoundDate | None:
    """The first Gregorian date."""
    if "19" not in text and "20" not in text:
        return None
    years = [match.start() for match in _YEARS.finditer(text)]
    if not years:
        return None
    start = max(0, years[0] - _BEFORE_YEAR)
    stop = years[-1] + _FROM_YEAR
    best: FoundDate | None = None
    for pattern in _forms_in(text):
        # a compact date is the whole text
        part = (0, len(text)) if pattern is _COMPACT else (start, stop)
        for match in pattern.finditer(text, *part):
            if best is not None and match.start() >= best.start:
                break
            best = _read(match, month_first) or best
        if best is not None and best.start == start:  # no form is before it
            break
    return best


def _forms_in(text: str) -> tuple[re.Pattern[str], ...]:
    """The forms of the dates that a text in its script may hold."""
    return _FORMS if text.isascii() or not _WIDE.search(text) else _WIDE_FORMS


def _of_other_calendars(text: str, written: str, *, language: str = "") -> FoundDate | None:
    """The first date of another calendar; ``written`` is the text with its own digits, which show
    its script, ``language`` that of the page."""
    for calendar in _CALENDARS:
        if calendar.language != language and not calendar.script.search(written):
            continue
        for pattern in calendar.patterns:
            for match in pattern.finditer(text):
                with suppress(ValueError):
                    day = calendar.day(*_numbers(match, calendar.months))
                    return FoundDate(day.isoformat(), match.start(), match.end())
    return None


def _of_eras(text: str) -> FoundDate | None:
    """The first date with a year of a Japanese era, of the Republic of China, or in Chinese
    numerals."""
    era = _ROC.search(text) or ("年" in text and _ERA.search(text))
    han = "年" in text and _HAN_DATE.search(text)
    if era:
        first = calendar_names.ERAS[era.groupdict().get("era") or "民國"]
        year, month, day = (
            first + (1 if era["y"] == "元" else int(era["y"])),
            int(era["m"]),
            int(era["d"]),
        )
    elif han:
        year = int("".join(str(max(0, _HAN.find(char))) for char in han["y"]))
        month, day = _han_number(han["m"]), _han_number(han["d"])
    match = era or han
    if match:
        with suppress(ValueError):
            return FoundDate(date(year, month, day).isoformat(), match.start(), match.end())
    return None


def _han_number(text: str) -> int:
    """A number below 100 in Chinese numerals.

    >>> _han_number("十"), _han_number("二十五"), _han_number("七")
    (10, 25, 7)
    """
    tens, ten, ones = text.rpartition("十")
    return (10 * (_HAN.find(tens) if tens else 1) if ten else 0) + (_HAN.find(ones) if ones else 0)


def beside_date(line: str) -> tuple[str, str]:
    """The text of a line before its first date (without the weekday) and after it; the whole line
    when it has no date.

    >>> beside_date("by Ann, Fri, 6 May 2024 | 3 answers"), beside_date("by Bo")
    (('by Ann', '3 answers'), ('by Bo', ''))
    """
    found = find_date(line)
    if not found:
        return line, ""
    before = line[: found[1]].split()
    if before and calendar_names.fold_name(before[-1].strip(".,\u060c")) in calendar_names.WEEKDAYS:
        before.pop()
    return " ".join(before).strip(_MARKS), line[found[2] :].strip(_MARKS)


def _numbers(match: re.Match[str], months: Mapping[str, int]) -> tuple[int, int, int]:
    """Year, month and day as they are written, the month with one of the names of ``months`` (0 for
    any other) or as a number."""
    parts = match.groupdict()
    month = int(parts["m"]) if parts.get("m") else _month(parts, months)
    return int(parts["y"]), month, int(parts.get("d") or parts["day"])


def _month(parts: Mapping[str, str | None], months: Mapping[str, int]) -> int:
    """Number of the month that a match names, 0 for none."""
    name = parts.get("name") or parts.get("behind") or ""
    folded = calendar_names.fold_name(name)
    if (
        parts.get("dot")
        and folded in calendar_names.AFTER_ORDINAL
        and months is calendar_names.MONTHS
    ):
        return calendar_names.AFTER_ORDINAL[folded]
    found = months.get(folded)
    if found or folded.isascii():
        return found or 0
    if han := _HAN_MONTH.search(name):
        return _han_number(han[1])
    words = [calendar_names.fold_name(word) for word in name.replace("\u200c", " ").split()]
    return next(
        (
            months[word]
            for word in (words[0], words[-1], words[0].removeprefix("\u05d1"))
            if word in months
        ),
        0,
    )


def _read(match: re.Match[str], month_first: bool) -> FoundDate | None:
    """The date that a match names; None if no calendar has it."""
    year, month, day = _numbers(match, calendar_names.MONTHS)
    is_open = False
    if match.re is _DAY_FIRST:
        order = _order(match)
        is_open = order is None
        is_american = is_open and _US_CLOCK.match(match.string, match.end()) is not None
        if order or (is_open and (month_first or is_american)):
            month, day = day, month
    try:
        found = date(year, month, day).isoformat()
    except ValueError:
        return None
    # both numbers are below 13 where the order is open
    other = date(year, day, month).isoformat() if is_open else ""
    hour = match.groupdict().get("h")
    if hour is not None and int(hour) < 24:
        found += f"T{match['h']}:{match['min']}:{match['sec'] or '00'}{_zone(match['zone'])}"
    return FoundDate(found, match.start(), match.end(), other)


def _order(match: re.Match[str]) -> bool | None:
    """Whether a date of three numbers begins with the month: a number above 12, the printed day of
    the week and the sign between the numbers decide; None if they do not."""
    first, second, year = int(match["d"]), int(match["m"]), int(match["y"])
    if first > 12 or second > 12 or not first or not second:
        return second > 12
    if first == second:
        return False
    weekdays = calendar_names.weekdays_named(_word_beside(match))
    is_day_first = date(year, second, first).weekday() in weekdays
    is_month_first = date(year, first, second).weekday() in weekdays
    if is_day_first != is_month_first:
        return is_month_first
    return None if match["s"] in "/-" else False


def _word_beside(match: re.Match[str], *, reach: int = 20) -> str:
    """The word right before a date, else the one right behind it, within ``reach`` characters."""
    text = match.string
    before = _LAST_WORD.search(text, max(0, match.start() - reach), match.start())
    after = None if before else _FIRST_WORD.match(text, match.end(), match.end() + reach)
    return found[1] if (found := before or after) else ""


def _clock(text: str, start: int) -> tuple[str, int]:
    """The time of day at ``start``, as ``T10:30:00+08:00``, and where it ends; empty if there is
    none."""
    match = _TIME.match(text, start)
    if match is None:
        return "", start
    hour = _hour(match)
    if hour > 23:
        return "", start
    clock = f"{hour:02d}:{match['min']}"
    seconds = match["sec"] or "00"
    zone = match["zone"] or ""
    # the end of an event looks as a zone does: 19:30-22:00
    is_span = zone.startswith("-") and ":" in zone and zone[1:] > clock
    if is_span and not match["sec"] and match[0][0] != "T":
        zone = ""
    return f"T{clock}:{seconds}{_zone(zone)}", match.end()


def _hour(match: re.Match[str]) -> int:
    """The hour of a time, of 24."""
    hour = int(match["h"])
    if match["half"] is None and match["noon"] is None:
        return hour
    is_afternoon = match["noon"] in _AFTERNOON or (match["half"] or "")[:1] in ("p", "P")
    if is_afternoon:
        return hour + 12 if hour < 12 else hour
    return 0 if hour == 12 else hour


def _zone(zone: str | None) -> str:
    """Offset from UTC in ISO 8601; empty for an unknown zone name.

    >>> _zone("+0530"), _zone("GMT+7"), _zone("UTC"), _zone("CEST"), _zone("CST")
    ('+05:30', '+07:00', 'Z', '+02:00', '')
    """
    offset = _OFFSET.search(zone or "")
    if offset is not None:
        return f"{offset[1]}{offset[2]:0>2}:{offset[3] or '00'}"
    name = (zone or "").upper()
    if name in calendar_names.ZONES:
        return f"{calendar_names.ZONES[name]:+03d}:00"
    return "Z" if name in ("Z", "GMT", "UTC", "UT") else ""
