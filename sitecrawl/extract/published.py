"""The date of publication: every date on the page, scored by its source and its place. Scores are
ranks without a unit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from operator import attrgetter
from typing import NamedTuple

from lxml import etree

from sitecrawl.dom.blocks import ASIDE, BITS, HIDDEN, ZONE
from sitecrawl.dom.class_names import names_one_of, words_of
from sitecrawl.dom.linked_data import linked_text, linked_time
from sitecrawl.dom.page import MODIFIED_META, PUBLISHED_META, Metadata, Page
from sitecrawl.limits import LIMITS
from sitecrawl.resources import table_beside
from sitecrawl.text.chars import line_of, word_count
from sitecrawl.text.dates import (
    ANNOUNCED,
    BESIDE,
    CHANGED,
    CLOCK,
    FoundDate,
    beside_date,
    calendar_of,
    find_date,
    find_day_in_url,
    find_publication,
    find_unix_time,
    has_relative,
    is_announced_behind,
    is_world_time,
    may_be_next_day,
    may_be_world_day,
    may_hold_date,
    month_in_url,
    order_of_numbers,
    parse_date,
    parse_short_date,
)

_TABLE: dict[str, list[str]] = table_beside(__file__)
_RANKS = {name: rank for rank, name in enumerate(PUBLISHED_META)}
_PUBLISHED_LIKE = re.compile(_TABLE["published_like"][0])
"""A name of a ``meta`` element that speaks of a publication and of a date."""
_CREATED = frozenset(_TABLE["created"])
_MONTH_FIRST = re.compile("|".join(_TABLE["month_first"]), re.I)
_REGION = re.compile(r"^[a-z]{2,3}[-_](?:[a-z]{4}[-_])?[a-z]{2}\b", re.I)
_CHANGE_NAMES = re.compile("|".join(_TABLE["change_names"]), re.I)
_THIS_TEXT = re.compile("|".join(_TABLE["this_text"]), re.I)
_CAPTIONS = frozenset(("caption", "captions", "figcaption"))
_names_quotation = names_one_of(words_of("quotations") | _CAPTIONS)
_LABEL = re.compile(
    rf"{ANNOUNCED.pattern}|입력|(?<![\u4e00-\u9fff])(?:时间|日期)|\bdate\b|\bon\b", re.I
)
_LINKED = ("datePublished", "coverageStartTime", "dateCreated")  # in JSON-LD
_QUOTES = ("blockquote", "figcaption", "q")
_TEASERS = ("article", "li")
_WHOLE_DATES = {"abbr": ("title",)}  # attributes that hold them, in microformats
_DIGIT = re.compile(r"\d")
_LINKED_SHARE = 0.8  # of the characters of a block that links to another article
_HEAD = BITS["head"] | ZONE["header"]
_FOOT = BITS["foot"] | ZONE["footer"]
_FOREIGN_REGIONS = ASIDE & ~(
    _FOOT | HIDDEN
)  # an article may have a foot, and hidden marks, of its own
_OTHER_TIME = re.compile(rf"{CLOCK}|\d{{4}}")
"""Another hour or year beside a date, as of an event that lasts."""
_LEAST_SCORE = -1.0  # less have the day of a side box or a comment, and one that prose mentions
_LOSS_OF_CHANGE = 0.4  # of the score of the day of a change
_MENTION = 20  # characters of prose before a day that it mentions
_LABEL_CHARS = 30  # before a date, in which words may tell what it is the date of
_DATE_LINE = 120  # most characters of a line that consists of a date, its time and short additions
_PROSE = re.compile(r".{26}(?:\w{3}\.|[。！？；])$")
"""A line that ends like prose; "5. srpnja 2019." and "10 a.m." do not."""


@dataclass(frozen=True, slots=True)
class Dated:
    """ISO date, the text it was read from, its origin, a score, and its element, if any. ``other``
    is the date with day and month exchanged, if its text does not decide. ``is_created``: the
    metadata say when the record was made, which may be an import."""

    value: str
    raw: str
    origin: str
    score: float
    node: etree._Element | None = None
    other: str = ""
    is_created: bool = False


def find_published(page: Page, headline: int, *, reach: int = 4) -> Dated | None:
    """The best candidate for the date of publication; ``headline`` is the number of the headline's
    block, or -1. A date in text is not returned if there is a relative time in one of ``reach``
    blocks from the headline's on."""
    best = _best_of_sources(page, headline)
    if best is None or best.score < _LEAST_SCORE:
        return None
    if best.origin == "text" and best.score < _BEST_URL and headline >= 0:
        below = range(headline, min(headline + reach, len(page.document.blocks)))
        if find_relative(_block_line(page, at) for at in below) is not None:
            return None
    best = _in_order(page, best)
    if best.score > _BEST_URL and best.origin != "text":
        best = _as_printed(page, best, headline=headline)
    return best


def _best_of_sources(page: Page, headline: int) -> Dated | None:
    best: Dated | None = None
    dates = list[Dated]()
    for most, candidates in _SOURCES:
        if best is not None and best.score >= most and len(page.document.blocks):
            break
        dates += candidates(page, headline)
        best = max(dates, key=attrgetter("score"), default=None)
    return best


def _in_order(page: Page, dated: Dated) -> Dated:
    """``dated`` with day and month in the order that other facts of the page show, if its text
    leaves the order open."""
    if not dated.other:
        return dated
    readings = dated.value, dated.other
    for witness in (_named_day, _month_of_url, _not_after_change):
        day = witness(page, readings)
        if day:
            other = next(reading for reading in readings if reading != day)
            return replace(dated, value=day, other=other)
    if _writes_month_first(page):
        read = parse_date(dated.raw, True) or parse_short_date(dated.raw, True)
        return replace(dated, value=read or dated.value)
    return dated


def _named_day(page: Page, readings: tuple[str, str]) -> str | None:
    """That of two readings whose day metadata or the URL name in a form that leaves nothing
    open."""
    meta = page.metadata
    linked = [linked_time(meta.linked.get(name)) for name in _LINKED]
    given = (*linked, *map(meta.meta.get, (*PUBLISHED_META, *MODIFIED_META)))
    found = [find_date(raw) for raw in given if raw]
    named = {one.value[:10] for one in found if one is not None and not one.other}
    in_url = find_day_in_url(page.url)
    if in_url is not None:
        named.add(in_url.value)
    days = [reading for reading in readings if reading[:10] in named]
    return days[0] if days else None


def _month_of_url(page: Page, readings: tuple[str, str]) -> str | None:
    """That of two readings that is in the month that folders of the URL name."""
    month = month_in_url(page.url)
    days = [reading for reading in readings if month and reading.startswith(month)]
    return days[0] if days else None


def _not_after_change(page: Page, readings: tuple[str, str]) -> str | None:
    """That of two readings that is not later than the last change, if only one is."""
    changed = parse_date(modified_raw(page.metadata))
    days = [reading for reading in readings if changed and reading[:10] <= changed[:10]]
    return days[0] if len(days) == 1 else None


def _writes_month_first(page: Page) -> bool:
    """Whether the page writes the month before the day: other dates on it decide, else its
    language."""
    order = order_of_numbers(page.document.blocks.texts)
    return _MONTH_FIRST.match(_region_of(page)) is not None if order is None else order


def _region_of(page: Page) -> str:
    """The language of a page with its country, as ``en-US``: the first name that has one, else the
    first."""
    meta = page.metadata
    in_meta = [meta.meta.get(name) or "" for name in ("og:locale", "content-language", "language")]
    given = [meta.language, *in_meta, linked_text(meta.linked.get("inLanguage")) or ""]
    named = [name.strip() for name in given if name.strip()]
    regions = [name for name in named if _REGION.search(name)]
    return (regions or named or [""])[0]


@dataclass(frozen=True, slots=True)
class _Printed:
    """A date near the headline: the line around it, the line ``before`` it and behind it, the
    number of its block."""

    found: FoundDate
    raw: str
    line: str
    before: str
    behind: str
    at: int

    @property
    def is_changed(self) -> bool:
        """Whether the words beside it say that it is the day of a change."""
        before = self.before[-_LABEL_CHARS:]
        if ANNOUNCED.search(before):
            return False
        is_other = CHANGED.search(before) or BESIDE.search(before)
        return is_other is not None or CHANGED.search(self.behind[:4]) is not None

    @property
    def is_announced(self) -> bool:
        return ANNOUNCED.search(self.line) is not None and CHANGED.search(self.line) is None

    @property
    def is_alone(self) -> bool:
        return _is_alone(self.before, f"{self.before} {self.behind}")


def _as_printed(page: Page, dated: Dated, *, headline: int) -> Dated:
    """``dated``, or another day printed near the headline or named in the URL, if no line near the
    headline prints the day of ``dated``.

    The printed day may be the one before or after, if ``dated`` has no time or a time in UTC; the
    day after, if ``dated`` is that day in other time zones; an earlier day below the headline after
    a word for a date, since ``dated`` may be the time of an import; any day below the headline, if
    ``dated`` says only when the record was made. In the last three cases it must stand alone. In a
    line that announces the publication it may be any earlier day, or the day after. The day of a
    change is never used, and confirms nothing."""
    day = date.fromisoformat(dated.value[:10])
    near = list[Dated]()
    for printed in _printed_near(page, headline):
        if printed.is_changed:
            continue
        value = _reading_near(page, printed, day=day)
        apart = (date.fromisoformat(value[:10]) - day).days
        if apart == 0:
            return dated
        if _may_replace(dated, printed, apart=apart, headline=headline):
            node = page.document.nodes[int(page.document.blocks.owner[printed.at])]
            near.append(Dated(value, printed.raw, "text", dated.score, node))
    return near[0] if near else _as_in_url(page, dated)


def _printed_near(
    page: Page, headline: int, *, reach: int = 6, runs: int = 12
) -> Iterator[_Printed]:
    """The first date of each of the first ``runs`` runs of text in short lines around the
    headline, up to ``reach`` blocks below it. Lines above it count in the box of the headline
    only."""
    document = page.document
    blocks = document.blocks
    calendar = _calendar(page)
    first = max(0, headline - _ABOVE if headline >= 0 else headline)
    for at in range(first, min(headline + reach, len(blocks))):
        text = blocks.texts[at]
        if len(text) >= _DATE_LINE or _PROSE.search(text) or not _DIGIT.search(text):
            continue
        if headline >= 0 and _is_apart(page, at, headline=headline):
            continue
        start = int(blocks.start[at])
        for chunk in document.chunks[start : min(int(blocks.stop[at]), start + runs)]:
            hit = find_publication(chunk[:_DATE_LINE], calendar=calendar)
            if hit is None or _is_of_others(page, at, headline=headline):
                continue
            if at == headline and _has_words_beside(chunk):
                continue  # a day that the headline names
            raw = chunk[hit.start : hit.end]
            before, _, behind = text.partition(raw)
            yield _Printed(hit, raw, text, before, behind, at)


def _is_apart(page: Page, at: int, *, headline: int) -> bool:
    """Whether a block is in a menu or a side box, or above the headline in a head or foot of the
    page, that the headline is not in."""
    owners = page.document.blocks.owner
    above = page.document.above
    own = int(above[owners[at]]) & ~int(above[owners[headline]])
    return bool(own & (ASIDE | _HEAD if at < headline else _FOREIGN_REGIONS))


def _has_words_beside(text: str, *, most_words: int = 2) -> bool:
    """Whether a text has more than ``most_words`` words beside its date."""
    return word_count(" ".join(beside_date(text))) > most_words


def _is_of_others(page: Page, at: int, *, headline: int) -> bool:
    """Whether a block quotes, is a caption, or is a link to another article."""
    blocks = page.document.blocks
    if _is_quoted(page, int(blocks.owner[at]), headline=headline):
        return True
    if at == headline or blocks.link_chars[at] < _LINKED_SHARE * blocks.chars[at]:
        return False
    return _has_words_beside(blocks.texts[at])


def _is_quoted(page: Page, element: int, *, headline: int, levels: int = 12) -> bool:
    """Whether an element is in a quotation, a caption or a teaser, at most ``levels`` above it, that
    does not hold the headline."""
    document = page.document
    own = int(document.blocks.owner[headline]) if headline >= 0 else -1
    for _ in range(levels):
        if element <= 0 or element <= own < document.ends[element]:
            break
        if document.tags[element] in _QUOTES or _names_quotation(document.names[element]):
            return True
        if headline >= 0 and document.tags[element] in _TEASERS and _is_teaser(page, element):
            return True
        element = document.parents[element]
    return False


def _is_teaser(page: Page, element: int) -> bool:
    """Whether the first heading in an element leads to another page."""
    heading = page.document.heading_in(element)
    return heading > 0 and bool(page.leading[page.document.block_at(heading)])


def _reading_near(page: Page, printed: _Printed, *, day: date) -> str:
    """The reading of a printed date that is at most a day apart from ``day``, else the one in the
    order that the page has."""
    found = printed.found
    if not found.other:
        return found.value
    for value in (found.value, found.other):
        if abs((date.fromisoformat(value[:10]) - day).days) <= 1:
            return value
    if _writes_month_first(page):
        return parse_date(printed.raw, True) or found.value
    return found.value


def _may_replace(dated: Dated, printed: _Printed, *, apart: int, headline: int) -> bool:
    """Whether a printed date, some days ``apart``, is the day of ``dated`` as readers see it."""
    if abs(apart) == 1 and is_world_time(dated.value):
        return True
    if printed.is_announced and apart <= 1:
        return True
    if not printed.is_alone:
        return False
    if apart == 1 and may_be_next_day(dated.value):
        return True
    if printed.at <= headline:
        return False
    if apart < -1 and _LABEL.search(printed.before):
        return True
    return dated.is_created and headline >= 0 and printed.at <= headline + _BESIDE


def _as_in_url(page: Page, dated: Dated) -> Dated:
    """``dated`` with the day of the URL, if that is the same time in another zone."""
    found = find_day_in_url(page.url)
    if found is None or not may_be_world_day(dated.value, found.value):
        return dated
    return replace(dated, value=found.value)


def _is_alone(before: str, rest: str, *, longest: int = 60) -> bool:
    """Whether a date is nearly alone in its text: no other day or hour, as events have, and no
    label such as "Deadline:" ``before`` it."""
    is_labelled = before.rstrip().endswith((":", "：")) and not _LABEL.search(before)
    return not is_labelled and len(rest) <= longest and not _OTHER_TIME.search(rest)


def find_relative(near: Iterable[str], *, most_chars: int = 80) -> str | None:
    """The first short line of those ``near`` the headline that contains a relative time such as "3
    hours ago"."""
    return next((text for text in near if len(text) <= most_chars and has_relative(text)), None)


def modified_raw(meta: Metadata) -> str | None:
    """The text from which the date of the last change is read, or None."""
    given = (linked_text(meta.linked.get("dateModified")), *map(meta.meta.get, MODIFIED_META))
    return next((raw for raw in given if raw and parse_date(raw)), None)


def _from_metadata(page: Page, headline: int) -> list[Dated]:
    """Dates of the metadata, of two ranks: when a text was published, and when its record was
    made."""
    meta = page.metadata
    found = list[Dated]()
    for name in _LINKED:
        if name not in meta.linked:
            continue
        is_created = name == "dateCreated"
        score = 8.8 if is_created else 10.0
        raw = linked_time(meta.linked[name]) or ""
        found += _dated_metadata(raw, "json-ld", score=score, is_created=is_created)
    names = sorted(meta.meta.keys() & _RANKS.keys(), key=_RANKS.__getitem__)
    if not names and not found:
        names = list(filter(_PUBLISHED_LIKE.search, meta.meta))
    for name in names:
        raw = meta.meta[name]
        is_created = name in _CREATED
        score = 8.6 if is_created else 9.0
        found += _dated_metadata(raw, "meta", score=score, is_created=is_created)
    return found


def _dated_metadata(raw: str, origin: str, *, score: float, is_created: bool) -> list[Dated]:
    hit = find_date(raw[:_OPENING]) or find_unix_time(raw) if raw else None
    if hit is None:
        return []
    return [Dated(hit.value, raw, origin, score, other=hit.other, is_created=is_created)]


def _from_time(page: Page, headline: int) -> list[Dated]:
    """Dates of ``time`` elements and of those marked ``itemprop=datePublished``."""
    document, found = page.document, list[Dated]()
    props = document.attributes["itemprop"]
    marked = {number for number, prop in props.items() if prop in ("datePublished", "dateCreated")}
    for number in sorted(marked.union(document.tagged("time"), document.tagged("abbr")))[
        : LIMITS.dates
    ]:
        dated = _of_time(page, number, prop=props.get(number, ""))
        if dated is None or _is_quoted(page, number, headline=headline):
            continue
        place = _place(page, number, headline=headline)
        found.append(replace(dated, score=dated.score + place))
    return found


def _of_time(page: Page, number: int, *, prop: str) -> Dated | None:
    """The date of an element, with a score that leaves out its place. If it is that of a change,
    the text of the element may print an earlier one beside it."""
    document = page.document
    node = document.nodes[number]
    text = document.text(number)
    names = _WHOLE_DATES.get(document.tags[number], ("datetime", "content"))
    raw = next(filter(None, map(node.get, names)), text)
    hit = find_date(raw[:_OPENING]) or find_unix_time(raw)
    first = document.first[number]
    before = document.chunks[first - 1][-_LABEL_CHARS:] if first else ""
    if hit is None or BESIDE.search(before):
        return None
    is_changed = prop == "dateModified" or _tells_change(before, document.names[number])
    if is_changed or CHANGED.search(text):
        printed = find_publication(text[:_DATE_LINE])
        if printed is not None and printed.value[:10] < hit.value[:10]:
            raw = text[printed.start : printed.end]
            return Dated(printed.value, raw, "time", 6.0, node, printed.other)
    score = 7.5 if prop == "datePublished" else 6.0
    if is_changed:
        score -= _LOSS_OF_CHANGE
    return Dated(hit.value, raw, "time", score, node, hit.other)


def _tells_change(before: str, names: str) -> bool:
    """Whether the text before an element or its names say that it holds the day of a change."""
    if _CHANGE_NAMES.search(names) and not ANNOUNCED.search(names):
        return True
    return CHANGED.search(before) is not None and not ANNOUNCED.search(before)


def _place(page: Page, element: int, *, headline: int, reach: int = 4, sides: int = ASIDE) -> float:
    """Bonus or penalty for the place of an element. It falls with the distance from the headline,
    and in the regions at its ``sides``. Comments and boxes more than ``reach`` blocks from the
    headline of an article are penalised so much that they never win. A region that contains the
    headline is no side region, whatever its name ("no-sidebar")."""
    document = page.document
    above = document.bits_around(element)
    at = document.block_at(element)
    worth = 0.5 if above & BITS["meta"] else 0.0
    if headline < 0:
        if above & ASIDE:
            worth -= _LOSS_ASIDE
        return worth - min(3.0, 6.0 * at / max(1, len(document.blocks)))
    distance = at - headline
    aside = above & sides & ~int(document.above[document.blocks.owner[headline]])
    if aside & _FOREIGN_REGIONS and abs(distance) > reach and not page.is_forum:
        worth -= _LOSS_OF_OTHERS
    elif aside:
        worth -= _LOSS_ASIDE
    return worth - min(3.0, 0.15 * distance if distance >= 0 else 0.3 * -distance)


_LOSS_ASIDE = 4.0  # of the score of a date in a side region
_LOSS_OF_OTHERS = 9.0  # and far from the headline, so that it never wins
_OPENING = 300  # characters of a block that are searched for a date
_ABOVE = 2  # blocks above the headline that are near it
_BELOW = 4  # and below it
_BESIDE = 3  # blocks below the headline in which the day of publication stands by itself


class _DatedBlock(NamedTuple):
    """A block that may hold the date; ``loss`` is how far it must stay below the best score."""

    loss: float
    at: int
    place: float


def _from_text(page: Page, headline: int) -> list[Dated]:
    """A list of the best date in the beginning of a block, or of a short block whose tool tip is a
    date. Blocks whose dates could score highest are read first."""
    best: Dated | None = None
    best_at = 0
    for block in sorted(_dated_blocks(page, headline))[: LIMITS.dates]:
        if best is not None and block.loss > -best.score:
            break
        dated = _date_in_block(page, block.at, place=block.place)
        if dated is None or _is_of_others(page, block.at, headline=headline):
            continue
        # of equal scores the first block on the page counts
        if best is None or (-dated.score, block.at) < (-best.score, best_at):
            best = dated
            best_at = block.at
    return [best] if best else []


def _dated_blocks(page: Page, headline: int) -> Iterator[_DatedBlock]:
    """Blocks that may hold a date."""
    tips = _blocks_with_tips(page)
    calendar = _calendar(page)
    near = range(headline - _ABOVE, headline + _BELOW + 1) if headline >= 0 else range(0)
    for at, text in enumerate(page.document.blocks.texts):
        start = text[:_OPENING]
        if at not in near and at not in tips and not calendar and not _may_show_year(start):
            continue
        is_short = len(text) < _DATE_LINE
        is_near = is_short and at in near
        if is_near:
            start = _block_line(page, at)
        has_tip = is_short and at in tips
        most_chars = 80 if is_near and at != headline else 0
        if has_tip or may_hold_date(start, most_chars=most_chars, calendar=calendar):
            yield _rated(page, at, headline=headline, is_near=is_near)


def _rated(page: Page, at: int, *, headline: int, is_near: bool) -> _DatedBlock:
    """A block with its place, and how far its date stays below the best score at least."""
    blocks = page.document.blocks
    text = blocks.texts[at]
    # the line below a headline may be its foot
    sides = ASIDE & ~_FOOT if is_near and at > headline else ASIDE
    place = _place(page, int(blocks.owner[at]), headline=headline, sides=sides)
    if is_near and _PROSE.search(text) is None:
        place += 1.0
    length = min(3.0, (len(text) - _DATE_LINE) / 60)
    return _DatedBlock(length - _BEST_TEXT - place, at, place)


def _blocks_with_tips(page: Page) -> set[int]:
    """Blocks in which an element begins whose tool tip is a date."""
    titles = page.document.attributes["title"].items()
    dated = [at for at, title in titles if len(title) < _DATE_LINE and _is_date(title)]
    return set(map(page.document.block_at, dated))


def _calendar(page: Page) -> str:
    """The calendar that the page may use beside the Gregorian one."""
    return calendar_of(page.metadata.language, page.metadata.title)


def _may_show_year(text: str) -> bool:
    """A cheap test: most texts show no year."""
    return "20" in text or "19" in text or not text.isascii()


def _is_date(title: str) -> bool:
    """Whether a tool tip is a date and nothing else: others name what a link leads to."""
    return may_hold_date(title) and not any(beside_date(title))


def _block_line(page: Page, at: int) -> str:
    """The text of a short block; if it has no date, its runs of text joined with blanks."""
    blocks = page.document.blocks
    text = blocks.texts[at]
    runs = page.document.chunks[int(blocks.start[at]) : int(blocks.stop[at])]
    return text if len(runs) < 2 or find_date(text, False) else line_of(runs)


def _cell_before(page: Page, at: int, *, longest: int = 20) -> str:
    """The text of the block before a block, if both are cells of one row and it is short enough for
    a label."""
    document = page.document
    blocks = document.blocks
    if at == 0 or len(blocks.texts[at - 1]) > longest or _DIGIT.search(blocks.texts[at - 1]):
        return ""
    row, own = (document.parents[int(blocks.owner[one])] for one in (at - 1, at))
    return blocks.texts[at - 1] if row == own else ""


def _date_in_block(page: Page, at: int, *, place: float) -> Dated | None:
    """The first date of a block. It scores higher with a time, in a short block, and after a word
    that announces it, which may be in the cell before."""
    text = page.document.blocks.texts[at]
    if len(text) < _DATE_LINE:
        text = _block_line(page, at)
    start = text[:_OPENING]
    hit = find_publication(start, calendar=_calendar(page))
    if hit is None:
        return _short_date_in_block(page, at, line=start, place=place)
    owner = int(page.document.blocks.owner[at])
    is_signed = _is_signed(page, hit, owner=owner, text=text)
    is_prose = _PROSE.search(text) is not None
    is_announced = is_signed or ANNOUNCED.search(text[: hit.end]) is not None
    if hit.start >= _MENTION and is_prose and not is_announced:
        return None  # a day that a sentence mentions
    label = text[max(0, hit.start - _LABEL_CHARS) : hit.start] or _cell_before(page, at)
    beside = BESIDE.search(label)
    if beside is not None and not ANNOUNCED.search(label, beside.end()):
        return None
    score = 4.0 + place + (2.0 if is_signed else _worth_of(label))
    if "T" in hit.value:
        score += 0.3
    if CHANGED.search(label + text[hit.start : hit.end + 4]):
        score -= _LOSS_OF_CHANGE
    if is_prose:
        score -= 1.0
    score -= min(3.0, (len(text) - (hit.end - hit.start)) / 60)
    node = page.document.nodes[owner]
    raw = text[hit.start : hit.end]
    return Dated(hit.value, raw, "text", min(_BEST_TEXT, score), node, hit.other)


def _worth_of(label: str) -> float:
    """What the words before a date add to its score."""
    if ANNOUNCED.search(label):
        return 2.0
    return 1.0 if _LABEL.search(label) else 0.0


def _short_date_in_block(page: Page, at: int, *, line: str, place: float) -> Dated | None:
    """The date of a block whose ``line`` has a year of two digits, or whose tool tip is a date:
    forums put the whole date into the tip of "yesterday" or "3 d"."""
    blocks = page.document.blocks
    node = page.document.nodes[int(blocks.owner[at])]
    score = 3.5 + place
    is_relative = has_relative(line)
    calendar = _calendar(page)
    value = parse_short_date(line, calendar=calendar)
    if value and not is_relative:
        other = parse_short_date(line, True, calendar=calendar) or value
        return Dated(value, line, "text", score, node, other if other != value else "")
    owners = page.document.owners[int(blocks.start[at]) : int(blocks.stop[at])]
    is_tip = parse_date if is_relative else _is_date
    for number in owners:
        tip = page.document.nodes[number].get("title") or ""
        if is_tip(tip):
            value = parse_date(tip)
            return Dated(value, tip, "time", score, node) if value else None
    return None


def _is_signed(page: Page, found: FoundDate, *, owner: int, text: str) -> bool:
    """Whether a sentence tells behind a date that the text was published then, in a box for facts
    about the article, with the time of day, or of "this article": prose tells the days of other
    texts, too."""
    is_fact = "T" in found.value or int(page.document.above[owner]) & BITS["meta"]
    is_own = bool(is_fact) or _THIS_TEXT.search(text[: found.start]) is not None
    return is_own and is_announced_behind(text, found.end)


def _from_url(page: Page, headline: int) -> list[Dated]:
    found = find_day_in_url(page.url)
    if found is None:
        return []
    return [Dated(found.value, page.url[found.start : found.end], "url", _BEST_URL)]


_BEST_TEXT, _BEST_URL = 6.0, 4.2  # most that a date in text, or in the URL, can score
_SOURCES: tuple[tuple[float, Callable[[Page, int], list[Dated]]], ...] = (
    (10.0, _from_metadata),
    (8.5, _from_time),
    (_BEST_TEXT, _from_text),
    (_BEST_URL, _from_url),
)
"""Sources of dates, each with an upper bound of its scores on a page with text; sources that cannot
win are not read."""
