"""Repeated regions: the comments of an article or the posts of a thread, as one unit with its text,
author and date."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial

from lxml import etree

from sitecrawl.dom.align import Names
from sitecrawl.dom.page import is_forum
from sitecrawl.templates.address import text_of
from sitecrawl.templates.aligned_pages import AlignedPage
from sitecrawl.templates.comments import record_parts
from sitecrawl.templates.comments.read_records import (
    Units,
    date_in,
    first_of,
    read_record,
    without_date,
)
from sitecrawl.templates.comments.rows import may_hold_records
from sitecrawl.templates.comments.units import UnitCandidate, best_unit, names_comments, word_shares
from sitecrawl.templates.signs import Signs
from sitecrawl.templates.template import Records
from sitecrawl.text.chars import word_count
from sitecrawl.text.dates import writes_month_first

_NEARLY_ALL = (
    0.85  # share of the records that must have a word, a name or a date for it to be common
)


def induce_records(pages: Sequence[AlignedPage], names: Names) -> Records | None:
    """The records that the pages share; None if no repeated region has text, and dates or a class
    name of comments."""
    best = best_unit(pages, names) if any(may_hold_records(page.signs) for page in pages) else None
    if best is None:
        return None
    units, _, before = word_shares(best.address, pages)
    with_units = [
        page.page.document for page, found in zip(pages, best.pages, strict=True) if found
    ]
    records = describe_records(
        best, pages, names=names if len(with_units) == len(pages) else Names(with_units)
    )
    if not (records.author or records.date or names_comments(best.address)):
        return None
    # the first unit opens the thread where the units hold most of the body and little of it stands
    # before them; forums whose posts only readers without scripts see have no body at all
    opens = units >= 0.5 and before < 0.2
    opens = opens or (
        not any(page.total for page in pages) and all(is_forum(page.page) for page in pages)
    )
    records.skip_first = opens and not _opens_elsewhere(records, pages)
    return records


def describe_records(
    best: UnitCandidate, pages: Sequence[AlignedPage], *, names: Names, sample: int = 30
) -> Records:
    """The addresses of text, author and date. They may lead to elements beside the unit if the unit
    does not contain them."""
    chosen = [(number, at) for number, found in enumerate(best.pages) for at in found][:sample]
    elements, numbers = (
        [(pages[number].page.document, at) for number, at in chosen],
        [number for number, _ in chosen],
    )
    units, parts = (
        [document.nodes[at] for document, at in elements],
        record_parts.parts_of(elements, names),
    )
    labels = [record_parts.labels_of(element, frozenset(units)) for element in elements]
    read_date = cache(lambda node: date_in(node) if node is not None else None)
    rate_date = cache(partial(record_parts.date_score, pages=numbers, read=read_date))
    rate_author = cache(
        partial(record_parts.author_score, labels=labels, read=cache(record_parts.name_in))
    )
    date, author = record_parts.byline_parts(parts, rate_date=rate_date, rate_author=rate_author)
    for way in ("paths", "beside"):
        is_common = all(
            part is not None and len(part.found) >= _NEARLY_ALL * len(units)
            for part in (date, author)
        )
        if not is_common or (
            date and record_parts.order_of([*map(read_date, date.nodes)], numbers) < 1
        ):
            more = [*parts, *record_parts.parts_of(elements, names, way=way)]
            date, author = record_parts.byline_parts(
                more, rate_date=rate_date, rate_author=rate_author
            )
    text = record_parts.text_part(parts, [date, author], units=units, weigh=_word_weights(pages))
    found = [[part.address] if part else [] for part in (text, author, date)]
    records = Records(best.address, text=found[0], author=found[1], date=found[2])
    records.month_first = writes_month_first(
        " ".join(node.itertext()) for node in (date.found if date else ())
    )
    common = [
        word
        for addresses in (records.author, records.date)
        for word in _common_words(addresses, units)
    ]
    records.words = list(dict.fromkeys(common))[:12]
    records.lines = _common_lines(records, units)
    return records


def _word_weights(
    pages: Sequence[AlignedPage], *, dropped: float = 0.3
) -> Callable[[etree._Element], float]:
    """Weight of each word of an element: words that the extractors left out count ``dropped``; all
    count alike if the extractors kept none."""
    kept = sum(page.total for page in pages) > 0

    @cache
    def words(node: etree._Element) -> float:
        page = next((page for page in pages if node in page.number), None) if kept else None
        if page is None:
            return word_count(text_of(node))
        good, bad, _ = page.words(page.number[node])
        return good + dropped * bad

    return words


def _opens_elsewhere(records: Records, pages: Sequence[AlignedPage]) -> bool:
    """Whether, on most pages, the opening post is before the first record: a text similar to the
    records, or a box with an author and an earlier date."""
    address = records.text[0][1:] if records.text and records.text[0][1:3] == "//" else ""
    firsts = [(page, found[0]) for page in pages if (found := page.numbers(records.unit))]
    opened = 0
    for page, first in firsts:
        before = (
            at
            for at in (page.numbers(address) if address else ())
            if page.page.document.ends[at] <= first
        )
        opened += any(page.kept_words[at] > 0 for at in before) or _is_signed_before(
            page.signs, first
        )
    return 2 * opened > len(firsts)


def _is_signed_before(signs: Signs, first: int, *, chars: int = 60) -> bool:
    """Whether a box before the first record has an author, an earlier date (any if the record has
    none) and ``chars`` characters outside links. A box that only says who began the thread has the
    date of the first record."""
    document, began = signs.document, _date_within(signs, first)
    for above in [first, *document.ancestors(first)][:-1]:
        for box in document.children(document.parents[above]):
            is_post = (
                box < above
                and signs.dated[box]
                and signs.signed[box]
                and signs.sizes[1][box] >= chars
            )
            if is_post and (not began or "" < _date_within(signs, box) < began):
                return True
    return False


def _date_within(signs: Signs, at: int, *, most: int = 20) -> str:
    """The first date in the first ``most`` places for dates of an element; empty if it shows none,
    or one counted from today."""
    inside = signs.dates[
        bisect_left(signs.dates, at) : bisect_left(signs.dates, signs.document.ends[at])
    ]
    return next(
        (date for place in inside[:most] if (date := date_in(signs.document.nodes[place]))), ""
    )


def _common_words(addresses: list[str], units: Sequence[etree._Element]) -> list[str]:
    """Words that nearly all author names, or nearly all by-lines, contain besides name and date."""
    found = (first_of(addresses, node) for node in units)
    lines = {without_date(text_of(node)) for node in found if node is not None}
    counts = Counter(word for line in lines for word in dict.fromkeys(line.split()))
    return [
        word
        for word, count in counts.most_common(12)
        if len(lines) > 2 and count >= _NEARLY_ALL * len(lines)
    ]


def _common_lines(
    records: Records, units: Sequence[etree._Element], *, longest: int = 80, most: int = 20
) -> list[str]:
    """Short lines that half of the texts contain: buttons and labels."""
    nested = Units(units)
    read = (read_record(records, unit, units=nested) for unit in (units if len(units) > 3 else ()))
    texts = [comment.text for comment in read if comment]
    counts = Counter(
        line for text in texts for line in dict.fromkeys(text.split("\n")) if len(line) <= longest
    )
    return [
        line
        for line, count in counts.most_common(most)
        if len(texts) > 3 and 2 * count >= len(texts)
    ]
