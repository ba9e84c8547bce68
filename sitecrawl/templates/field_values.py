"""Values of a template's fields on a page: read from a source, without prefix and suffix, and after
a printed label where there is one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from functools import lru_cache

from lxml import etree

from sitecrawl.dom.linked_data import linked_people, linked_text
from sitecrawl.dom.page import Page, listed_behind
from sitecrawl.dom.render import absolute
from sitecrawl.limits import cached
from sitecrawl.templates.address import URL, find_on, text_of
from sitecrawl.templates.template import Field
from sitecrawl.text.caseless import Caseless
from sitecrawl.text.chars import unescaped
from sitecrawl.text.dates import (
    ANNOUNCED,
    CHANGED,
    FoundDate,
    find_day_in_url,
    find_publication,
    is_world_time,
    may_be_next_day,
    may_be_world_day,
)
from sitecrawl.text.names import clean_names, squeeze

MARKS = "-|–—_·»«:~•/\\<>｜,，"  # separators between a title and the site's name
_BREAK = re.compile(r"\s*(?:[|｜•·│]|\s[/-]\s)\s*")  # characters that end a value after a label
_LONGEST = 400  # characters of a value
_MOST_METAS = 10  # meta elements that name an author


def read(source: str, page: Page) -> str | None:
    """The first ``_LONGEST`` characters of the value of ``source`` on ``page``; None if it is
    missing, empty, or (for elements) ambiguous."""
    if source == URL:
        in_url = find_day_in_url(page.url)
        return in_url.value if in_url else None
    if source.startswith("json-ld:"):
        linked = page.metadata.linked
        return linked_text(linked.get(source[8:])) if linked else None
    found = find_on(source, page)
    if len(found) != 1 and not (found and isinstance(found[0], str)):
        return None
    value = text_of(found[0], _LONGEST)
    return (value if is_printed(source) else unescaped(value)) or None


def is_printed(source: str) -> bool:
    """Whether a source is visible text, not an attribute, an element of the head, or a URL."""
    return (
        source.startswith(("/", "id("))
        and "/@" not in source
        and not source.startswith("/html/head/")
    )


def printed_day(
    rule: Field,
    page: Page,
    *,
    value: str,
    source: str,
) -> str | None:
    """The printed date, or the day of the URL, that replaces ``value`` (ISO 8601, read from
    ``source``); None if there is none, or if the day of ``value`` is printed, too. A printed day
    may differ by one day if ``value`` is in UTC, or may be another day in other time zones. It may
    be any earlier day after a word for publication, because ``value`` may be the time of an import.
    The day of a change is not used, and confirms nothing. The day of the URL must be the same time
    in another zone."""
    if is_printed(source):
        return None
    day = date.fromisoformat(value[:10])
    near = _near_days(value)
    found = list[str]()
    for line, hit in _printed_dates(rule, page):
        said = _said(line)
        if said is CHANGED:
            continue
        if value[:10] in (hit.value[:10], hit.other[:10]):
            return None
        shift = (date.fromisoformat(hit.value[:10]) - day).days
        if shift in near or (said is ANNOUNCED and shift < 0):
            found.append(hit.value)
    if found:
        return found[0]
    in_url = find_day_in_url(page.url)
    if in_url is not None and may_be_world_day(value, in_url.value):
        return in_url.value
    return None


def _printed_dates(rule: Field, page: Page) -> list[tuple[str, FoundDate]]:
    """The printed lines that hold a date, and the date of each."""
    found = list[tuple[str, FoundDate]]()
    for source in filter(is_printed, rule.sources):
        line = read(source, page) or ""
        hit = find_publication(line, rule.month_first, calendar=rule.calendar)
        if hit is not None:
            found.append((line, hit))
    return found


def _said(line: str) -> Caseless | None:
    """What a line says of its date: when the text was published, or changed; None without such a
    word, and with both."""
    said = [words for words in (ANNOUNCED, CHANGED) if words.search(line)]
    return said[0] if len(said) == 1 else None


def _near_days(value: str) -> tuple[int, ...]:
    """How many days later the same time may be elsewhere."""
    if is_world_time(value):
        return (-1, 1)
    return (1,) if may_be_next_day(value) else ()


def people_of(
    value: str | None,
    source: str,
    *,
    page: Page,
) -> list[str]:
    """Names in ``value``, which was read from ``source``, and the others that ``source`` gives: in
    the elements behind it that continue its list of names, in further meta elements, in JSON-LD."""
    if source.startswith("json-ld:"):
        people, organisations = linked_people(page.metadata.linked.get(source[8:]))
        return clean_names(people or organisations)
    texts = [value or ""]
    found = find_on(source, page) if value else []
    if is_printed(source):
        for node in found[:1]:
            texts += listed_behind(node)
    else:
        texts += [unescaped(text_of(one, _LONGEST)) for one in found[1:_MOST_METAS]]
    return clean_names(texts)


def value_of(
    rule: Field,
    page: Page,
    *,
    good: Callable[[str | None], object] = bool,
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
    if not name:
        return re.compile(r"(?!)")
    known = re.escape(name)
    marks = rf"\s*[{re.escape(MARKS)}]{{1,3}}\s*"
    return re.compile(rf"^{known}(?:{marks}|$)|{marks}{known}$", re.I)


def after(
    text: str | None,
    label: str,
    *,
    stops: Sequence[str] = (),
) -> str | None:
    """The text after ``label``, up to the next label in ``stops`` or a separator; the whole text if
    there is no label.

    >>> after("来源：示例日报 阅读：12", "来源", stops=["阅读"])
    '示例日报'
    """
    if not label or not text:
        return text
    known = rf"{re.escape(label)}\s*[:：]"
    found = re.search(rf"(?<!\w){known}", text) or re.search(known, text)
    if found is None:
        return None
    rest = text[found.end() :].lstrip()
    end = len(rest)
    for stop in stops:
        match = re.search(rf"{re.escape(stop)}\s*[:：]", rest)
        if match:
            end = min(end, match.start())
    return _BREAK.split(rest[:end])[0].strip(" ,;，；。") or None


@cached(4_096)
def likeness(one: str | None, other: str | None) -> float:
    """Similarity of two headlines, 0..1: 1 if their letters and digits are equal, less if one
    contains the other."""
    short, long = sorted((squeeze(one or ""), squeeze(other or "")), key=len)
    if not short:
        return 0.0
    if short == long:
        return 1.0
    return len(short) / len(long) * 0.9 if short in long else 0.0


def read_links(rule: Field, page: Page) -> list[tuple[str, str | None]]:
    """Text and URL of the links that the first source with any finds."""
    for source in rule.sources:
        nodes = [node for node in find_on(source, page) if isinstance(node, etree._Element)]
        found = list[tuple[str, str | None]]()
        for node in nodes:
            text = text_of(node).strip("# ")
            if text:
                found.append((text, absolute(node.get("href") or "", page.base_url)))
        if found:
            return found
    return []
