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
from sitecrawl.dom.linked_data import linked_text
from sitecrawl.dom.page import MODIFIED_META, PUBLISHED_META, Metadata, Page, is_forum
from sitecrawl.limits import LIMITS
from sitecrawl.text.chars import line_of
from sitecrawl.text.dates import (
    ANNOUNCED,
    CHANGED,
    beside_date,
    find_date,
    find_publication,
    has_relative,
    is_world_time,
    may_be_next_day,
    may_hold_date,
    parse_date,
    parse_short_date,
    writes_month_first,
)

_URL_DATE = re.compile(
    r"[/_-][a-z]{0,2}((?:19[89]|20[0-4])\d)[/-]?([01]\d)[/-]?([0-3]\d)(?=[/_.]|(?<!/\d\d)-|$)"
)
"""A date in a URL; ``/2011/10/20-years-later`` has year and month only."""
_LABEL = re.compile(
    rf"{ANNOUNCED.pattern}|입력|(?<![\u4e00-\u9fff])(?:时间|日期)|\bdate\b|\bon\b", re.I
)
_FOOT = BITS["foot"] | ZONE["footer"]
_FOREIGN_REGIONS = ASIDE & ~(
    _FOOT | HIDDEN
)  # an article may have a foot, and hidden marks, of its own
_OTHER_TIME = re.compile(
    r"\d[:.h]\d\d|\d{4}"
)  # another hour or year beside a date, as of an event that lasts
_DATE_LINE = 120  # most characters of a line that consists of a date, its time and short additions
_PROSE = re.compile(r".{26}(?:\w{3}\.|[。！？；])$")
"""A line that ends like prose; "5. srpnja 2019." and "10 a.m." do not."""


@dataclass(frozen=True, slots=True)
class Dated:
    """ISO date, the text it was read from, its origin, a score, and its element, if any."""

    value: str
    raw: str
    origin: str
    score: float
    node: etree._Element | None = None


def find_published(page: Page, headline: int, *, reach: int = 4) -> Dated | None:
    """The best candidate for the date of publication; ``headline`` is the number of the headline's
    block, or -1. A date in text is not returned if there is a relative time in one of ``reach``
    blocks from the headline's on."""
    best, dates = None, list[Dated]()
    for most, candidates in _SOURCES:
        if best is not None and best.score >= most and len(page.document.blocks):
            break
        dates += candidates(page, headline)
        best = max(dates, key=attrgetter("score"), default=None)
    if best is None or best.score < -1.0:
        return None  # the day of a side box or a comment, or one that prose mentions
    if best.origin == "text" and best.score < _BEST_URL:
        below = (
            range(headline, min(headline + reach, len(page.document.blocks)))
            if headline >= 0
            else ()
        )
        if find_relative(_block_line(page, at) for at in below) is not None:
            return None
    if best.score > _BEST_URL and best.origin != "text":
        best = _as_printed(page, best, headline=headline)
    is_day_first = best.origin == "text" and parse_date(best.raw) == best.value
    swapped = parse_date(best.raw, True) if is_day_first else None
    if swapped and swapped != best.value and writes_month_first(page.document.blocks.texts):
        best = replace(best, value=swapped)
    return best


def _as_printed(
    page: Page, dated: Dated, *, headline: int, reach: int = 6, runs: int = 12
) -> Dated:
    """``dated``, or another day printed near the headline, if no line there prints the day of
    ``dated``.

    The printed day may be the one before or after, if ``dated`` has no time or a time in UTC; the
    day after, if ``dated`` is that day in other time zones; an earlier day below the headline after
    a word for a date, since ``dated`` may be the time of an import. In the last two cases it must
    stand alone. In a line that announces the publication it may be any earlier day, or the day
    after. The day of a change is never used. The first date is read of each of the first ``runs``
    runs of text in ``reach`` blocks."""
    day, near, is_world = (
        date.fromisoformat(dated.value[:10]),
        list[Dated](),
        is_world_time(dated.value),
    )
    for at in range(max(0, headline), min(headline + reach, len(page.document.blocks))):
        text, start = page.document.blocks.texts[at], int(page.document.blocks.start[at])
        if len(text) >= _DATE_LINE or _PROSE.search(text):
            continue
        is_announced = ANNOUNCED.search(text) and not CHANGED.search(text)
        for chunk in page.document.chunks[
            start : min(int(page.document.blocks.stop[at]), start + runs)
        ]:
            hit = find_publication(chunk[:_DATE_LINE])
            if hit is None:
                continue
            apart = (date.fromisoformat(hit[0][:10]) - day).days
            if apart == 0:
                return dated
            before, _, rest = text.partition(chunk[hit[1] : hit[2]])
            is_earlier = apart < -1 and at > headline and _LABEL.search(before)
            is_possible = is_earlier or (apart == 1 and may_be_next_day(dated.value))
            is_alone = is_possible and _is_alone(before, f"{before} {rest}")
            is_changed = CHANGED.search(before[-30:]) and not ANNOUNCED.search(before[-30:])
            if not is_changed and (
                is_alone or (is_world and abs(apart) == 1) or (is_announced and apart <= 1)
            ):
                node = page.document.nodes[int(page.document.blocks.owner[at])]
                near.append(Dated(hit[0], chunk[hit[1] : hit[2]], "text", dated.score, node))
    return near[0] if near else dated


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
    meta = page.metadata
    linked = (linked_text(meta.linked.get(name)) for name in ("datePublished", "dateCreated"))
    given = (("json-ld", linked, 10.0), ("meta", map(meta.meta.get, PUBLISHED_META), 9.0))
    dates = (
        (parse_date(raw), raw or "", origin, score) for origin, raws, score in given for raw in raws
    )
    return [Dated(value, raw, origin, score) for value, raw, origin, score in dates if value]


def _from_time(page: Page, headline: int) -> list[Dated]:
    """Dates of ``time`` elements and of those marked ``itemprop=datePublished``."""
    document, found = page.document, list[Dated]()
    props = document.attributes["itemprop"]
    marked = {number for number, prop in props.items() if prop in ("datePublished", "dateCreated")}
    for number in sorted(marked.union(document.tagged("time")))[: LIMITS.dates]:
        node = document.nodes[number]
        raw = node.get("datetime") or node.get("content") or document.text(number)
        value = parse_date(raw)
        if value is not None:
            score = (7.5 if props.get(number) == "datePublished" else 6.0) + _place(
                page, number, headline=headline
            )
            before = (
                document.chunks[document.first[number] - 1][-30:] if document.first[number] else ""
            )
            score -= 0.4 * bool(CHANGED.search(before) and not ANNOUNCED.search(before))
            found.append(Dated(value, raw, "time", score, node))
    return found


def _place(page: Page, element: int, *, headline: int, reach: int = 4, sides: int = ASIDE) -> float:
    """Bonus or penalty for the place of an element. It falls with the distance from the headline,
    and in the regions at its ``sides``. Comments and boxes more than ``reach`` blocks from the
    headline of an article are penalised so much that they never win. A region that contains the
    headline is no side region, whatever its name ("no-sidebar")."""
    above, at = page.document.bits_around(element), page.document.block_at(element)
    meta, distance = 0.5 * bool(above & BITS["meta"]), at - headline
    if headline < 0:
        return (
            meta
            - 4.0 * bool(above & ASIDE)
            - min(3.0, 6.0 * at / max(1, len(page.document.blocks)))
        )
    aside = above & sides & ~int(page.document.above[page.document.blocks.owner[headline]])
    is_foreign = aside & _FOREIGN_REGIONS and abs(distance) > reach and not is_forum(page)
    loss = 9.0 if is_foreign else 4.0 * bool(aside)
    return meta - loss - min(3.0, 0.15 * distance if distance >= 0 else 0.3 * -distance)


_OPENING = 300  # characters of a block that are searched for a date
_ABOVE = 2  # blocks above the headline that are near it
_BELOW = 4  # and below it


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
        dated = _date_in_block(page, block.at, place=block.place, chars=_OPENING)
        if dated is None:
            continue
        # of equal scores the first block on the page counts
        if best is None or (-dated.score, block.at) < (-best.score, best_at):
            best = dated
            best_at = block.at
    return [best] if best else []


def _dated_blocks(page: Page, headline: int) -> Iterator[_DatedBlock]:
    """Blocks that may hold a date."""
    tips = _blocks_with_tips(page)
    near = range(headline - _ABOVE, headline + _BELOW + 1) if headline >= 0 else range(0)
    for at, text in enumerate(page.document.blocks.texts):
        start = text[:_OPENING]
        if at not in near and at not in tips and not _may_show_year(start):
            continue
        is_short = len(text) < _DATE_LINE
        is_near = is_short and at in near
        if is_near:
            start = _block_line(page, at)
        has_tip = is_short and at in tips
        most_chars = 80 if is_near and at != headline else 0
        if has_tip or may_hold_date(start, most_chars=most_chars):
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


def _may_show_year(text: str) -> bool:
    """A cheap test: most texts show no year."""
    return "20" in text or "19" in text or not text.isascii()


def _is_date(title: str) -> bool:
    """Whether a tool tip is a date and nothing else: others name what a link leads to."""
    return may_hold_date(title) and not any(beside_date(title))


def _block_line(page: Page, at: int) -> str:
    """The text of a short block; if it has no date, its runs of text joined with blanks."""
    text, runs = (
        page.document.blocks.texts[at],
        page.document.chunks[
            int(page.document.blocks.start[at]) : int(page.document.blocks.stop[at])
        ],
    )
    return text if len(runs) < 2 or find_date(text, False) else line_of(runs)


def _cell_before(page: Page, at: int, *, longest: int = 12) -> str:
    """The text of the block before a block, if both are cells of one row and it is short enough for
    a label."""
    owners, document = page.document.blocks.owner, page.document
    is_row = at > 0 and document.parents[int(owners[at - 1])] == document.parents[int(owners[at])]
    text = page.document.blocks.texts[at - 1] if is_row else ""
    return text if len(text) <= longest else ""


def _date_in_block(page: Page, at: int, *, place: float, chars: int) -> Dated | None:
    """The first date of a block. It scores higher with a time, in a short block, and after a word
    that announces it, which may be in the cell before."""
    text = page.document.blocks.texts[at]
    text = _block_line(page, at) if len(text) < _DATE_LINE else text
    start, owner = text[:chars], int(page.document.blocks.owner[at])
    hit = find_publication(start)
    if hit is None:
        value, origin = parse_short_date(start) or "", "text"
        is_relative = has_relative(start)
        if (
            not value or is_relative
        ):  # forums put the whole date into the tool tip of "yesterday" or "3 d"
            owners = page.document.owners[
                int(page.document.blocks.start[at]) : int(page.document.blocks.stop[at])
            ]
            titles = (page.document.nodes[number].get("title") or "" for number in owners)
            start = next(
                (title for title in titles if (parse_date if is_relative else _is_date)(title)), ""
            )
            value, origin = parse_date(start) or "", "time"
        return (
            Dated(value, start, origin, 3.5 + place, page.document.nodes[owner]) if value else None
        )
    value, begin, end = hit
    if begin >= 20 and _PROSE.search(text) and not ANNOUNCED.search(text[:end]):
        return None  # a day that a sentence mentions
    label = text[max(0, begin - 30) : begin] or _cell_before(page, at)
    labelled = 2.0 if ANNOUNCED.search(label) else 1.0 * (_LABEL.search(label) is not None)
    changed = CHANGED.search(label + text[begin : end + 4]) is not None
    score = (
        4.0
        + place
        + labelled
        + 0.3 * ("T" in value)
        - 0.4 * changed
        - 1.0 * (_PROSE.search(text) is not None)
    )
    score -= min(3.0, (len(text) - (end - begin)) / 60)
    return Dated(value, text[begin:end], "text", min(_BEST_TEXT, score), page.document.nodes[owner])


def _from_url(page: Page, headline: int) -> list[Dated]:
    match = _URL_DATE.search(page.url)
    value = parse_date("-".join(match.groups())) if match else None
    return [Dated(value, match[0], "url", _BEST_URL)] if match and value else []


_BEST_TEXT, _BEST_URL = 6.0, 4.2  # most that a date in text, or in the URL, can score
_SOURCES: tuple[tuple[float, Callable[[Page, int], list[Dated]]], ...] = (
    (10.0, _from_metadata),
    (8.5, _from_time),
    (_BEST_TEXT, _from_text),
    (_BEST_URL, _from_url),
)
"""Sources of dates, each with an upper bound of its scores on a page with text; sources that cannot
win are not read."""
