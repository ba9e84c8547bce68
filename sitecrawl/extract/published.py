"""The date of publication: every date on the page, scored by its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date

from lxml import etree

from sitecrawl.dom.blocks import ASIDE, BITS, bits_above
from sitecrawl.dom.page import Metadata, linked_text
from sitecrawl.dom.tree import Tree
from sitecrawl.extract.features import View
from sitecrawl.limits import LIMITS
from sitecrawl.text.chars import fold
from sitecrawl.text.dates import find_date, is_world_time, parse_date

PUBLISHED_META = (
    "article:published_time", "datepublished", "og:article:published_time", "og:published_time", "publishdate", "pubdate",
    "publish_date", "publish-date", "article.published", "parsely-pub-date", "sailthru.date", "dc.date.issued", "dc.date",
    "dcterms.created", "dcterms.date", "dcterms.issued", "date", "article_date_original", "publication_date", "cxenseparse:recs:publishtime", "weibo: article:create_at",
)  # fmt: skip
MODIFIED_META = (
    "article:modified_time",
    "og:updated_time",
    "datemodified",
    "last-modified",
    "dcterms.modified",
    "revised",
    "lastmod",
)
_YEAR = re.compile(r"(?:19[89]|20[0-4])\d")
_URL_DATE = re.compile(r"[/_-][a-z]{0,2}((?:19[89]|20[0-4])\d)[/-]?([01]\d)[/-]?([0-3]\d)(?=[/_.-]|$)")
_LABEL = re.compile(
    r"发布|发表|发文|时间|日期|posted|publish|erstellt|veröffentlicht|publié|publicad|pubblicat|опубликован|投稿|公開日|작성|입력|\bdate\b|\bon\b",
    re.I,
)
_CHANGED = re.compile(
    r"更新|修改|updat|modif|edited|aktualisiert|geändert|mis à jour|aggiornat|actualizad|обновл|изменен|最終|last", re.I
)
_MOST, _LONGEST = 6.0, 120
"""Upper bound of the score of a date in the text, and of the characters of a date with its time."""
_OPENING = 60
"""Characters of a date's parent in which a word may say that it is the date of a change."""
_BELOW = 6
"""Blocks from the headline on in which the page prints the day of its article."""
_RUNS = 12
"""Runs of text in such a line that are read."""
_COPYRIGHT = re.compile(r"©|copyright|\(c\)|版权|备案", re.I)


@dataclass(frozen=True, slots=True)
class Dated:
    """ISO date, the text it was read from, its origin, a score, and the element it stands in, if any."""

    value: str
    raw: str
    origin: str
    score: float
    node: etree._Element | None = None


def find_published(view: View, headline: int) -> Dated | None:
    """The best candidate for the date of publication; ``headline`` is the number of the headline's block, or -1."""
    best: Dated | None = None
    for most, candidates in _WAYS:
        if best is not None and best.score >= most and len(view.blocks):
            break
        best = max([*([best] if best else []), *candidates(view, headline)], key=_score, default=None)
    return _as_printed(view, headline, best) if best is not None and is_world_time(best.value) else best


def _as_printed(view: View, headline: int, dated: Dated) -> Dated:
    """``dated``, a stamp in universal time or without any; or the day before or after, where a line below the headline prints that.

    Lines with both days are ignored: the other day is mostly that of a change.
    """
    lines = range(max(0, headline), min(headline + _BELOW, len(view.blocks)))
    printed = [
        one
        for at in lines
        if len(text := view.blocks.texts[at]) < _LONGEST and not text.endswith((".", "。"))
        for one in _dates_in(view, at)
    ]
    days = {_day(one) for one in printed}
    near = [one for one in printed if abs((_day(one) - _day(dated)).days) == 1]
    return replace(near[0], score=dated.score) if near and _day(dated) not in days else dated


def _dates_in(view: View, at: int) -> Iterator[Dated]:
    """The first date of every run of text in a block: names and other dates stand beside them without a blank."""
    start, node = int(view.blocks.start[at]), view.tree.nodes[int(view.blocks.owner[at])]
    for chunk in view.tree.chunks[start : min(int(view.blocks.stop[at]), start + _RUNS)]:
        hit = find_date(chunk[:_LONGEST], False)
        if hit is not None:
            yield Dated(hit[0], chunk[hit[1] : hit[2]], "text", 0.0, node)


def _day(dated: Dated) -> date:
    return date.fromisoformat(dated.value[:10])


def find_modified(meta: Metadata) -> str | None:
    """The date of the last change, from metadata only."""
    return parse_date(modified_raw(meta))


def modified_raw(meta: Metadata) -> str | None:
    """The text from which the date of the last change is read; None where there is none."""
    given = (linked_text(meta.linked.get("dateModified")), meta.first(*MODIFIED_META))
    return next((raw for raw in given if raw and parse_date(raw)), None)


def _score(dated: Dated) -> float:
    return dated.score


def _from_metadata(view: View, headline: int) -> list[Dated]:
    meta, found = view.page.metadata, []
    for origin, raw, score in (
        ("json-ld", linked_text(meta.linked.get("datePublished")) or linked_text(meta.linked.get("dateCreated")), 10.0),
        ("meta", meta.first(*PUBLISHED_META), 9.0),
    ):
        value = parse_date(raw)
        if value and raw:
            found.append(Dated(value, raw, origin, score))
    return found


def _from_time(view: View, headline: int) -> list[Dated]:
    """``time`` elements and those marked ``itemprop=datePublished``."""
    found = []
    for number, prop in _marked(view):
        node = view.tree.nodes[number]
        raw = node.get("datetime") or node.get("content") or view.tree.text(number)
        value = parse_date(raw)
        if value is None:
            continue
        score = 7.5 if prop == "datePublished" else 6.0
        score += _place(view, number, headline)
        names = f"{node.get('class') or ''} {prop or ''}"
        score -= (
            2.0
            if _CHANGED.search(names) or _CHANGED.search(_opening(view.tree, max(0, view.tree.parents[number])))
            else 0.0
        )
        found.append(Dated(value, raw, "time", score, node))
    return found


def _opening(tree: Tree, element: int) -> str:
    """The first characters of an element's text; a list may hold thousands of dates."""
    first = tree.first[element]
    chunks = tree.chunks[first : min(tree.last[element], first + _OPENING)]
    return fold(" ".join(chunks))[:_OPENING]


def _marked(view: View) -> list[tuple[int, str | None]]:
    """Numbers of the elements that are or are marked as dates, and their ``itemprop``."""
    props, tags = view.tree.attributes["itemprop"], view.tree.tags
    found = [number for number, prop in props.items() if prop in ("datePublished", "dateCreated")]
    if "time" in tags:
        found = sorted({*found, *(number for number, tag in enumerate(tags) if tag == "time")})
    return [(number, props.get(number)) for number in found[: LIMITS.dates]]


def _place(view: View, element: int, headline: int) -> float:
    """Bonus or penalty for the place of an element: positive near the headline, negative in a side region."""
    above = bits_above(view.tree, view.layout, element)
    score = -4.0 if above & ASIDE else 0.0
    score += 0.5 if above & BITS["meta"] else 0.0
    at = int(view.blocks.start.searchsorted(view.tree.first[element], side="right")) - 1
    if headline < 0:
        score -= min(3.0, 6.0 * at / max(1, len(view.blocks)))
    else:
        distance = at - headline
        score -= min(3.0, 0.15 * distance if distance >= 0 else 0.3 * -distance)
    return score


def _from_text(view: View, headline: int) -> list[Dated]:
    """Dates at the start of blocks, scored by the words before them and by how little else the block says.

    The most promising blocks are read first, so that the others may be skipped.
    """
    promising = []
    for at, text in enumerate(view.blocks.texts):
        start = text[:300]
        if ("20" in start or "19" in start) and _YEAR.search(start) and not _COPYRIGHT.search(start[:60]):
            place = _place(view, int(view.blocks.owner[at]), headline)
            promising.append((-_MOST - place + min(3.0, (len(text) - _LONGEST) / 60), at, place))
    best: tuple[float, int, Dated] | None = None
    for loss, at, place in sorted(promising)[: LIMITS.dates]:
        if best is not None and loss > best[0]:
            break
        dated = _in_block(view, at, place)
        if dated is not None and (best is None or (-dated.score, at) < best[:2]):
            best = (-dated.score, at, dated)
    return [best[2]] if best else []


def _in_block(view: View, at: int, place: float) -> Dated | None:
    text = view.blocks.texts[at]
    hit = find_date(text[:300], False)
    if hit is None:
        return None
    value, begin, end = hit
    before = text[max(0, begin - 30) : begin]
    score = 4.0 + place
    score += 1.0 if _LABEL.search(before) else 0.0
    score -= 1.5 if _CHANGED.search(before) else 0.0
    score -= min(3.0, (len(text) - (end - begin)) / 60)
    score += 0.3 if "T" in value else 0.0
    return Dated(value, text[begin:end], "text", score, view.tree.nodes[int(view.blocks.owner[at])])


def _from_url(view: View, headline: int) -> list[Dated]:
    match = _URL_DATE.search(view.page.url)
    value = parse_date("-".join(match.groups())) if match else None
    return [Dated(value, match[0], "url", 4.2)] if match and value else []


_WAYS: tuple[tuple[float, Callable[[View, int], list[Dated]]], ...] = (
    (10.0, _from_metadata),
    (8.5, _from_time),
    (_MOST, _from_text),
    (4.2, _from_url),
)
"""Sources of dates, each with the upper bound of its scores on a page with text: sources that cannot win are not read."""
