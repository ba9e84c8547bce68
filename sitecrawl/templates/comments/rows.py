"""Whether a page may show comments or posts: a cheap test of its dates and authors, before any
repeated elements are compared."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Sequence
from itertools import islice, pairwise

from sitecrawl.limits import LIMITS
from sitecrawl.templates.signs import NUMBER, Signs
from sitecrawl.text.chars import word_count

_LEAST_WORDS = 4  # words between two signs of records; with fewer there is no text
_TEXTS = 100  # texts behind a sign that are read for the words of its record
_Row = tuple[int, int]  # the numbers of two elements that show a date, or an author


def may_hold_records(signs: Signs) -> bool:
    """Whether a page may hold records: two dates or two authors with the same name (without names,
    the same tags), with like elements around them, and with words outside links between them. Those
    in ``noscript`` count without these tests, because the tree lacks their texts."""
    for places in (signs.dates, signs.authors):
        if any(_has_words(signs, row) for row in _rows(signs, places)):
            return True
        if _are_hidden(signs, places):
            return True
    return False


def may_show_comments(signs: Signs, *, is_named: bool) -> bool:
    """Whether a page shows two records by itself. There must be text between two pairs of dates or
    authors, besides other dates and names: the date above an article and the one at its end are
    one pair. One pair is enough on a page that ``is_named`` a forum, or has elements that are named
    comments. Of 165 open pages with comments this loses those of none."""
    fewest = 1 if is_named else 2
    bylines = frozenset((*signs.dates, *signs.authors))
    found = 0
    for places in (signs.dates, signs.authors):
        if _are_hidden(signs, places):
            return True
        for row in _rows(signs, places):
            if _has_words(signs, row, skip=bylines):
                found += 1
            if found == fewest:
                return True
    return False


def _rows(signs: Signs, places: Sequence[int]) -> Iterator[_Row]:
    """Neighbours of those with the same name that have like elements around them."""
    if len(places) < 2:
        return
    document = signs.document
    names = document.attributes["class"]
    groups = defaultdict[Hashable, list[int]](list)
    for at in places:
        name = NUMBER.sub("", names.get(at, ""))
        tags = (document.tags[at], document.tags[document.parents[at]])
        groups[name or tags].append(at)

    pairs = (pair for group in groups.values() for pair in pairwise(group))
    for row in islice(pairs, LIMITS.dates):
        if _have_like_parents(signs, row):
            yield row


def _have_like_parents(signs: Signs, row: _Row) -> bool:
    """Whether the tags around two elements are equal as far up as one of them is below the element
    around both."""
    tags = signs.document.tags
    parents = signs.document.parents
    ends = signs.document.ends
    one, other = row
    while True:
        above = parents[one]
        beside = parents[other]
        if above <= other < ends[above] or beside <= one < ends[beside]:
            return True
        one = above
        other = beside
        if tags[one] != tags[other]:
            return False


def _has_words(
    signs: Signs,
    row: _Row,
    *,
    skip: Collection[int] = (),
) -> bool:
    """Whether words outside links, and not in the elements ``skip``, stand in the texts after the
    first one of an element and before another element."""
    document = signs.document
    links = document.tagged("a")
    begin = document.first[row[0]]
    end = min(document.first[row[1]], begin + _TEXTS)
    words = 0
    for chunk in range(begin + 1, end):
        owner = document.owners[chunk]
        if owner in skip:
            continue
        link = bisect_right(links, owner) - 1
        if link >= 0 and owner < document.ends[links[link]]:
            continue
        words += word_count(document.chunks[chunk])
        if words >= _LEAST_WORDS:
            return True
    return False


def _are_hidden(signs: Signs, places: Sequence[int]) -> bool:
    """Whether one of the places stands in a ``noscript``."""
    ends = signs.document.ends
    for start in signs.document.tagged("noscript"):
        if bisect_left(places, start) < bisect_left(places, ends[start]):
            return True
    return False
