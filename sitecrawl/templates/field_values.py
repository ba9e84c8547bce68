"""Values of a template's fields on a page: read from a source, without prefix and suffix, and after
a printed label where there is one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from functools import lru_cache

from lxml import etree

from sitecrawl.dom.page import Page, linked_text, listed_behind
from sitecrawl.dom.render import absolute
from sitecrawl.limits import cached
from sitecrawl.templates.address import URL, find, text_of
from sitecrawl.templates.template import Field
from sitecrawl.text.chars import unescaped
from sitecrawl.text.dates import (
    ANNOUNCED,
    CHANGED,
    find_publication,
    is_world_time,
    may_be_next_day,
    parse_date,
)
from sitecrawl.text.names import clean_names, squeeze

MARKS = "-|–—_·»«:~•/\\<>｜,，"  # separators between a title and the site's name
_BREAK = re.compile(r"\s*(?:[|｜•·│]|\s[/-]\s)\s*")  # characters that end a value after a label
_URL_DATE = re.compile(r"/t?((?:19[89]|20[0-4])\d)[/-]?([01]\d)[/-]?([0-3]\d)(?=[/_.t-]|$)")


def read(source: str, page: Page, *, longest: int = 400) -> str | None:
    """The first ``longest`` characters of the value of ``source`` on ``page``; None if it is
    missing, empty, or (for elements) ambiguous."""
    if source == URL:
        match = _URL_DATE.search(page.url)
        return "-".join(match.groups()) if match else None
    if source.startswith("json-ld:"):
        return linked_text(page.metadata.linked.get(source[8:])) if page.metadata.linked else None
    found = find(source, page.root)
    if len(found) != 1 and not (found and isinstance(found[0], str)):
        return None
    value = text_of(found[0], longest)
    return (value if is_printed(source) else unescaped(value)) or None


def is_printed(source: str) -> bool:
    """Whether a source is visible text, not an attribute, an element of the head, or a URL."""
    return (
        source.startswith(("/", "id("))
        and "/@" not in source
        and not source.startswith("/html/head/")
    )


def printed_day(rule: Field, page: Page, *, value: str, source: str) -> str | None:
    """The printed date that replaces ``value`` (ISO 8601, read from ``source``); None if there is
    none, or if the day of ``value`` is printed, too. It may differ by one day if ``value`` is in
    UTC, or may be another day in other time zones. It may be any earlier day after a word for
    publication, because ``value`` may be the time of an import. The day of a change is not used."""
    if is_printed(source):
        return None
    day = date.fromisoformat(value[:10])
    lines = (read(printed, page) or "" for printed in rule.sources if is_printed(printed))
    found = [(line, hit[0]) for line in lines if (hit := find_publication(line, rule.month_first))]
    days = {text: date.fromisoformat(text[:10]) for _, text in found}
    shifts = [-1] * is_world_time(value) + [1] * (is_world_time(value) or may_be_next_day(value))
    others = (
        (line, text)
        for line, text in found
        if (parse_date(line, not rule.month_first) or "")[:10] != value[:10]
    )
    announced = {
        text for line, text in others if ANNOUNCED.search(line) and not CHANGED.search(line)
    }
    changes = {text for line, text in found if CHANGED.search(line) and not ANNOUNCED.search(line)}
    near = [
        text
        for text, other in days.items()
        if (other - day).days in shifts or (text in announced and other < day)
    ]
    return (
        next((text for text in near if text not in changes), None)
        if day not in days.values()
        else None
    )


def people_of(value: str | None, source: str, *, page: Page) -> list[str]:
    """Names in ``value``, which was read from ``source``, and in the elements behind it that
    continue its list of names."""
    nodes = find(source, page.root) if value and is_printed(source) else []
    return clean_names([value or "", *(text for node in nodes[:1] for text in listed_behind(node))])


def value_of(
    rule: Field, page: Page, *, good: Callable[[str | None], object] = bool
) -> tuple[str | None, str]:
    """The value and the source of the first source whose value is ``good``."""
    for source, ends in rule.sources.items():
        value = cut(after(read(source, page), rule.label, stops=rule.stops), ends)
        if good(value):
            return value, source
    return None, ""


def cut(value: str | None, ends: tuple[str, str]) -> str | None:
    """``value`` without a known prefix and suffix. If neither matches, the names in them are
    removed with the separators beside these names.

    >>> cut("A bridge - The Example", ("", " - The Example")), cut("The Example: Bees", ("", " - The Example"))
    ('A bridge', 'Bees')
    """
    if not value:
        return None
    left = value.removeprefix(ends[0]).removesuffix(ends[1])
    if left is value and any(ends):
        for end in ends:
            left = _named(end.strip(MARKS + " ")).sub("", left)
    return left.strip() or None


@lru_cache(maxsize=1_000)
def _named(name: str) -> re.Pattern[str]:
    """Matches ``name`` alone, or at either end of a title with any separator."""
    known, marks = re.escape(name), rf"\s*[{re.escape(MARKS)}]{{1,3}}\s*"
    return re.compile(rf"^{known}(?:{marks}|$)|{marks}{known}$" if name else r"(?!)", re.I)


def after(text: str | None, label: str, *, stops: Sequence[str] = ()) -> str | None:
    """The text after ``label``, up to the next label in ``stops`` or a separator; the whole text if
    there is no label.

    >>> after("来源：示例日报 阅读：12", "来源", stops=["阅读"])
    '示例日报'
    """
    if not label or not text:
        return text
    found = re.search(rf"(?<!\w){re.escape(label)}\s*[:：]", text) or re.search(
        rf"{re.escape(label)}\s*[:：]", text
    )
    if found is None:
        return None
    rest = text[found.end() :].lstrip()
    ends = [
        match.start() for stop in stops if (match := re.search(rf"{re.escape(stop)}\s*[:：]", rest))
    ]
    return _BREAK.split(rest[: min(ends, default=len(rest))])[0].strip(" ,;，；。") or None


@cached(4_096)
def likeness(one: str | None, other: str | None) -> float:
    """Similarity of two headlines, 0..1: 1 if their letters and digits are equal, less if one
    contains the other."""
    a, b = squeeze(one or ""), squeeze(other or "")
    if not a or not b:
        return 0.0
    short, long = sorted((a, b), key=len)
    return 1.0 if a == b else len(short) / len(long) * 0.9 if short in long else 0.0


def read_links(rule: Field, page: Page) -> list[tuple[str, str | None]]:
    """Text and URL of the links that the first source with any finds."""
    for source in rule.sources:
        nodes = [node for node in find(source, page.root) if isinstance(node, etree._Element)]
        found = [
            (text_of(node).strip("# "), absolute(node.get("href") or "", page.base_url))
            for node in nodes
        ]
        if any(text for text, _ in found):
            return [(text, url) for text, url in found if text]
    return []
