"""Repeated regions: the comments of an article or the posts of a thread, as one unit with its text, author and date."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from lxml import etree

from sitecrawl.dom.align import Names
from sitecrawl.dom.page import is_forum
from sitecrawl.templates.address import text_of
from sitecrawl.templates.aligned_pages import AlignedPage
from sitecrawl.templates.comments.read_records import first_of, read_record, without_date
from sitecrawl.templates.comments.record_parts import parts_of, signature_parts, text_part
from sitecrawl.templates.comments.signs import Signs
from sitecrawl.templates.comments.units import Unit, WordShares, best_unit, names_comments, word_shares
from sitecrawl.templates.template import Records
from sitecrawl.text.chars import word_count
from sitecrawl.text.dates import writes_month_first

_NEARLY_ALL = 0.85  # share of the records that must have a word, a name or a date for it to be common


def induce_records(pages: Sequence[AlignedPage], names: Names) -> Records | None:
    """The records that the pages share; None if no repeated region has text, and dates or a class name of comments."""
    signs = Signs(page.page.tree for page in pages)
    best = best_unit(pages, names, signs=signs)
    # where only the tag says what a record is, one page has three of them
    if best is None or (best.is_nameless and max(map(len, best.pages)) < 3):
        return None
    shares = word_shares(best.address, pages)
    if not _is_believed(best, shares, signs=signs):
        return None
    records = describe_records(best, pages, names=names)
    if not (records.author or records.date or names_comments(best.address)):
        return None
    # the first unit opens the thread where the units hold most of the body and little of it stands before them; forums
    # whose posts only readers without scripts see have no body at all
    opens = shares.units >= 0.5 and shares.before < 0.2
    opens = opens or (not any(page.total for page in pages) and all(is_forum(page.page) for page in pages))
    records.skip_first = opens and not _opens_elsewhere(records, pages)
    return records


def _is_believed(
    best: Unit, shares: WordShares, *, signs: Signs, least: float = 1.8, sure: float = 2.6, signed: float = 2.2
) -> bool:
    """Whether the best unit holds comments or posts, by its score and by its name or its share of the body. For elements with a class or id the share
    counts half. Without a name and a share (5 % of the words after the first unit), prose with few links is accepted from score ``sure``; units
    addressed by tags alone, all dated and signed, from ``signed``."""
    share = shares.rest if best.by_tags else shares.rest / 2
    if best.score + best.bonus + share < least:
        return False
    links = max((signs.link_share([node]) for node in best.nodes[1:60]), default=1.0)
    is_sure = best.score + best.bonus >= signed if best.is_nameless else best.score >= sure
    return best.is_comment or shares.rest >= 0.05 or (is_sure and links < 0.5)


def describe_records(best: Unit, pages: Sequence[AlignedPage], *, names: Names, sample: int = 60) -> Records:
    """The addresses of text, author and date; they may lead to elements beside the unit if the unit does not contain them."""
    chosen = [(node, number) for number, page in enumerate(best.pages) for node in page][:sample]
    units, numbers = [node for node, _ in chosen], [number for _, number in chosen]
    parts = parts_of(units, names)
    date, author = signature_parts(parts, units=units, pages=numbers)
    for way in ("paths", "beside"):
        if not all(part is not None and len(part.found) >= _NEARLY_ALL * len(units) for part in (date, author)):
            more = [*parts, *parts_of(units, names, way=way)]
            date, author = signature_parts(more, units=units, pages=numbers)
    text = text_part(parts, [date, author], units=units, weigh=_word_weights(pages))
    found = [[part.address] if part else [] for part in (text, author, date)]
    records = Records(best.address, text=found[0], author=found[1], date=found[2])
    records.month_first = writes_month_first(" ".join(node.itertext()) for node in (date.found if date else ()))
    common = [word for addresses in (records.author, records.date) for word in _common_words(addresses, units)]
    records.words = list(dict.fromkeys(common))[:12]
    records.lines = _common_lines(records, units)
    return records


def _word_weights(pages: Sequence[AlignedPage], *, dropped: float = 0.3) -> Callable[[etree._Element], float]:
    """Weight of each word of an element: words that the extractors left out count ``dropped``; all count alike if the extractors kept none."""
    kept = sum(page.total for page in pages) > 0

    def words(node: etree._Element) -> float:
        page = next((page for page in pages if node in page.number), None) if kept else None
        if page is None:
            return word_count(text_of(node))
        good, bad, _ = page.words(page.number[node])
        return good + dropped * bad

    return words


def _opens_elsewhere(records: Records, pages: Sequence[AlignedPage]) -> bool:
    """Whether on most pages the post that the records answer stands before the first record and has a similar text."""
    opened = seen = 0
    for page in pages:
        for first in page.numbers(records.unit)[:1]:
            texts = page.numbers(records.text[0][1:]) if records.text and records.text[0][1:3] == "//" else []
            ends, kept = page.page.tree.ends, page.held[0]
            opened += any(at < first >= ends[at] and kept[at] > 0 for at in texts)
            seen += 1
    return 2 * opened > seen


def _common_words(addresses: list[str], units: Sequence[etree._Element]) -> list[str]:
    """Words that nearly all author names, or nearly all by-lines, contain besides name and date."""
    found = (first_of(addresses, node) for node in units)
    lines = {without_date(text_of(node)) for node in found if node is not None}
    counts = Counter(word for line in lines for word in dict.fromkeys(line.split()))
    return [word for word, count in counts.most_common(12) if len(lines) > 2 and count >= _NEARLY_ALL * len(lines)]


def _common_lines(records: Records, units: Sequence[etree._Element], *, longest: int = 80, most: int = 20) -> list[str]:
    """Short lines that half of the texts contain: buttons and labels."""
    nested = frozenset(units)
    texts = [comment.text for unit in units if (comment := read_record(records, unit, units=nested))]
    counts = Counter(line for text in texts for line in set(text.split("\n")) if len(line) <= longest)
    return [line for line, count in counts.most_common(most) if len(texts) > 3 and 2 * count >= len(texts)]
