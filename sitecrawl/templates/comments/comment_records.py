"""Repeated regions: the comments of an article or the posts of a thread, as one unit with its text,
author and date."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from itertools import chain

from lxml import etree

from sitecrawl.dom.align import Names
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
from sitecrawl.templates.comments.record_parts import Part
from sitecrawl.templates.comments.rows import may_hold_records
from sitecrawl.templates.comments.units import UnitCandidate, best_unit, word_shares
from sitecrawl.templates.signs import Signs
from sitecrawl.templates.template import Records
from sitecrawl.text.chars import word_count
from sitecrawl.text.dates import writes_month_first

_NEARLY_ALL = 0.85  # of the records must have a word, a name or a date for it to be common
_SAMPLE = 30  # units from which the parts are learned
_DROPPED = 0.3  # what a word counts that the extractors left out
_WORDS = 12  # words that all names or by-lines may share
_LINES = 20  # lines that half of the texts may share
_LONGEST_LINE = 80  # characters of a button or label
_DATES = 20  # places for dates in an element that are read
_LEAST_CHARS = 60  # characters outside links of an opening post


def induce_records(pages: Sequence[AlignedPage], names: Names) -> Records | None:
    """The records that the pages share; None if no repeated region has text, and dates or a class
    name of comments."""
    if not any(may_hold_records(page.signs) for page in pages):
        return None
    best = best_unit(pages, names)
    if best is None:
        return None
    with_units = [page.document for page, found in zip(pages, best.pages, strict=True) if found]
    if len(with_units) < len(pages):
        names = Names(with_units)
    records = describe_records(best, pages, names=names)
    if not (records.author or records.date or best.label):
        return None
    records.skip_first = _opens_thread(best, pages) and not _opens_elsewhere(records, pages)
    return records


def _opens_thread(best: UnitCandidate, pages: Sequence[AlignedPage]) -> bool:
    """Whether the first unit opens the thread: the units hold most of the body, and little of it
    stands before them. Forums whose posts only readers without scripts see have no body at all."""
    units, _, before = word_shares(best.address, pages)
    if units >= 0.5 and before < 0.2:
        return True
    return not any(page.total for page in pages) and all(page.page.is_forum for page in pages)


def describe_records(
    best: UnitCandidate,
    pages: Sequence[AlignedPage],
    *,
    names: Names,
) -> Records:
    """The addresses of text, author and date. They may lead to elements beside the unit if the unit
    does not contain them."""
    chosen = [(number, at) for number, found in enumerate(best.pages) for at in found][:_SAMPLE]
    numbers = [number for number, _ in chosen]
    elements = [(pages[number].document, at) for number, at in chosen]
    units = [document.nodes[at] for document, at in elements]
    others = frozenset(units)
    parts = record_parts.parts_of(elements, names)
    labels = [record_parts.labels_of(element, others) for element in elements]
    read_date = cache(lambda node: date_in(node) if node is not None else None)
    rate_date = cache(partial(record_parts.date_score, pages=numbers, read=read_date))
    rate_author = cache(
        partial(record_parts.author_score, labels=labels, read=cache(record_parts.name_in))
    )
    bylines = partial(record_parts.byline_parts, rate_date=rate_date, rate_author=rate_author)
    date, author = bylines(parts)
    for way in ("paths", "beside"):
        are_common = _is_common(date, units) and _is_common(author, units)
        if (
            date
            and are_common
            and record_parts.order_of(list(map(read_date, date.nodes)), numbers) >= 1
        ):
            continue
        more = record_parts.parts_of(elements, names, way=way)
        date, author = bylines([*parts, *more])

    text = record_parts.text_part(
        parts,
        [date, author],
        units=units,
        weigh=_word_weights(pages),
    )
    records = Records(
        best.address,
        text=_addresses(text),
        author=_addresses(author),
        date=_addresses(date),
    )
    dates = date.found if date else []
    records.month_first = writes_month_first(map(_whole_text, dates))
    common = [*_common_words(records.author, units), *_common_words(records.date, units)]
    records.words = list(dict.fromkeys(common))[:_WORDS]
    records.lines = _common_lines(records, units)
    return records


def _whole_text(node: etree._Element) -> str:
    return " ".join(node.itertext())


def _is_common(part: Part | None, units: Sequence[etree._Element]) -> bool:
    return part is not None and len(part.found) >= _NEARLY_ALL * len(units)


def _addresses(part: Part | None) -> list[str]:
    return [part.address] if part else []


def _word_weights(pages: Sequence[AlignedPage]) -> Callable[[etree._Element], float]:
    """Weight of each word of an element: words that the extractors left out count ``_DROPPED``; all
    count alike if the extractors kept none."""
    kept = [page for page in pages if page.total]

    @cache
    def weigh(node: etree._Element) -> float:
        for page in pages if kept else ():
            if node in page.number:
                good, bad, _ = page.words(page.number[node])
                return good + _DROPPED * bad
        return word_count(text_of(node))

    return weigh


def _opens_elsewhere(records: Records, pages: Sequence[AlignedPage]) -> bool:
    """Whether, on most pages, the opening post is before the first record: a text similar to the
    records, or a box with an author and an earlier date."""
    anywhere = [address[1:] for address in records.text if address[1:3] == "//"]
    with_units = [page for page in pages if page.numbers(records.unit)]
    opened = 0
    for page in with_units:
        first = page.numbers(records.unit)[0]
        before = [
            at
            for address in anywhere
            for at in page.numbers(address)
            if page.document.ends[at] <= first and page.kept_words[at] > 0
        ]
        if before or _is_signed_before(page.signs, first):
            opened += 1
    return 2 * opened > len(with_units)


def _is_signed_before(signs: Signs, first: int) -> bool:
    """Whether a box before the first record has an author, an earlier date (any if the record has
    none) and ``_LEAST_CHARS`` characters outside links. A box that only says who began the thread
    has the date of the first record."""
    document = signs.document
    chars = signs.sizes[1]
    began = _date_within(signs, first)
    for above in [first, *document.ancestors(first)][:-1]:
        for box in document.children(document.parents[above]):
            if box >= above:
                break
            is_post = signs.dated[box] and signs.signed[box] and chars[box] >= _LEAST_CHARS
            if is_post and (not began or "" < _date_within(signs, box) < began):
                return True
    return False


def _date_within(signs: Signs, at: int) -> str:
    """The first date in the first places for dates of an element; empty if it shows none, or one
    counted from today."""
    begin = bisect_left(signs.dates, at)
    end = bisect_left(signs.dates, signs.document.ends[at])
    for place in signs.dates[begin : min(end, begin + _DATES)]:
        date = date_in(signs.document.nodes[place])
        if date:
            return date
    return ""


def _common_words(addresses: list[str], units: Sequence[etree._Element]) -> list[str]:
    """Words that nearly all author names, or nearly all by-lines, contain besides name and date."""
    found = [first_of(addresses, node) for node in units]
    lines = {without_date(text_of(node)) for node in found if node is not None}
    if len(lines) < 3:
        return []
    return _most_common(map(str.split, lines), _WORDS, least=_NEARLY_ALL * len(lines))


def _common_lines(records: Records, units: Sequence[etree._Element]) -> list[str]:
    """Short lines that half of the texts contain: buttons and labels."""
    if len(units) < 4:
        return []
    nested = Units(units)
    read = [read_record(records, unit, units=nested) for unit in units]
    texts = [comment.text.split("\n") for comment in read if comment]
    if len(texts) < 4:
        return []
    short = [[line for line in text if len(line) <= _LONGEST_LINE] for text in texts]
    return _most_common(short, _LINES, least=len(texts) / 2)


def _most_common(
    texts: Iterable[list[str]],
    most: int,
    *,
    least: float,
) -> list[str]:
    """The most frequent parts of some texts that ``least`` of them have."""
    counts = Counter(chain.from_iterable(map(dict.fromkeys, texts)))
    return [part for part, count in counts.most_common(most) if count >= least]
