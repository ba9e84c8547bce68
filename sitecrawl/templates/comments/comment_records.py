"""Repeated regions: the comments of an article or the posts of a thread, as one unit with its text, author and date."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from lxml import etree

from sitecrawl.dom.align import Names
from sitecrawl.dom.page import is_forum
from sitecrawl.templates.address import text_of
from sitecrawl.templates.comments.reading import date_in, first_element, read_record, without_date
from sitecrawl.templates.comments.roles import Units, author_part, date_part, text_parts
from sitecrawl.templates.comments.signs import has_one_date
from sitecrawl.templates.comments.unit_parts import Part, parts_of
from sitecrawl.templates.comments.units import Held, Unit, best_unit, held_by, linked, speaks
from sitecrawl.templates.sheet import Sheet
from sitecrawl.templates.template import Records
from sitecrawl.text.chars import word_count
from sitecrawl.text.dates import writes_month_first

_LEAST_SCORE = 1.8
_BEYOND_DOUBT = 2.6
"""Score of records that are believed although the extractors left them out of the body."""
_SIGNED = 2.2
"""The same with the signs of authors, where no name tells that they are records: all of them dated and signed, a dozen words."""
_LINKED = 0.5
_FEW = 0.05
"""Share of the body's words behind the first unit from which units are believed that no name tells."""
_THREAD, _OPENING = 0.5, 0.2
"""Shares of the body's words: in the units of a thread at least, and before the first of them at most."""
_REPEATS = 3
"""Records of one page at least where only the tag says what is a record; one less where all are dated and signed."""
_SAMPLE = 60
_DROPPED = 0.3
"""Weight of words that the extractors left out when the part with the text is looked for."""
_SHARED = 0.85
_LINE, _LINES = 80, 20
"""Characters of the longest line that records share, and how many are remembered."""
_OFTEN = 0.5
_ASIDE = frozenset("a h1 h2 h3 script style".split())
_POST = 8
"""Words, beside links and headings, of a box that may be the opening post."""


def records_of(sheets: Sequence[Sheet], names: Names) -> Records | None:
    """The records that the pages share; None when no region repeats with text, and with dates or the name of talk."""
    best = best_unit(sheets, names)
    if best is None or (best.nameless and max(map(len, best.pages)) < _REPEATS - best.is_signed):
        return None
    held = held_by(best.address, sheets)
    if not _is_believed(best, held):
        return None
    records = described(best, sheets, names)
    if not (records.author or records.date or speaks(best.address)):
        return None
    records.skip_first = (_opens(held) or _are_bare_threads(sheets)) and not _opens_elsewhere(records, sheets)
    return records


def _is_believed(best: Unit, held: Held) -> bool:
    """Whether the best unit is one of comments or posts: by score, and by name or share of the body.

    The share of the body says half as much of elements with a name: one of comments or posts would have told.
    """
    share = held.rest if best.by_tags else held.rest / 2
    if best.score + best.bonus + share < _LEAST_SCORE:
        return False
    return best.is_comment or held.rest >= _FEW or _is_talk(best)


def _opens(held: Held) -> bool:
    """Whether the first unit is the post that the others answer: the units hold most of the body, little of it stands before them."""
    return held.share >= _THREAD and held.before < _OPENING


def _are_bare_threads(sheets: Sequence[Sheet]) -> bool:
    """Whether the extractors kept nothing of these pages of a forum, whose posts stand where only readers without scripts see them."""
    return not any(sheet.total for sheet in sheets) and all(is_forum(sheet.page) for sheet in sheets)


def described(best: Unit, sheets: Sequence[Sheet], names: Names) -> Records:
    """Addresses of text, author and date; beside the unit where it does not hold them itself."""
    sample = [(node, number) for number, page in enumerate(best.pages) for node in page][:_SAMPLE]
    units = Units([node for node, _ in sample], [number for _, number in sample])
    parts = parts_of(units.nodes, names)
    date, author = _signature(parts, units)
    for way in ("paths", "beside"):
        if not (_is_common(date) and _is_common(author)):
            more = parts_of(units.nodes, names, way)
            date, author = _signature([*parts, *more], units)
    text = [part.address for part in text_parts(parts, units, [date, author], _words_by(sheets))]
    found = [[part.address] if part else [] for part in (author, date)]
    records = Records(best.address, text=text, author=found[0], date=found[1])
    dated = [node for node in date.nodes if node is not None] if date else []
    records.month_first = writes_month_first(" ".join(node.itertext()) for node in dated)
    records.words = _shared_words(records, units.nodes)
    records.lines = _shared_lines(records, units.nodes)
    return records


def _signature(parts: Sequence[Part], units: Units) -> tuple[Part | None, Part | None]:
    date = date_part(parts, units)
    return date, author_part(parts, units)


def _is_common(part: Part | None) -> bool:
    """Whether nearly all units have the part."""
    return part is not None and sum(node is not None for node in part.nodes) >= _SHARED * len(part.nodes)


def _words_by(sheets: Sequence[Sheet]) -> Callable[[etree._Element], float]:
    """Words of an element, those that the extractors left out counted less; all alike where they kept none."""
    kept = sum(sheet.total for sheet in sheets) > 0

    def words(node: etree._Element) -> float:
        sheet = next((sheet for sheet in sheets if node in sheet.number), None) if kept else None
        if sheet is None:
            return word_count(text_of(node))
        good, bad, _ = sheet.words(sheet.number[node])
        return good + _DROPPED * bad

    return words


def _is_talk(unit: Unit) -> bool:
    """Whether records are beyond doubt although the extractors left them out of the body: prose, hardly a link."""
    shares = (linked([node]) for node in unit.nodes[1:_SAMPLE])
    sure = unit.score + unit.bonus >= _SIGNED if unit.nameless else unit.score >= _BEYOND_DOUBT
    return sure and max(shares, default=1.0) < _LINKED


def _opens_elsewhere(records: Records, sheets: Sequence[Sheet]) -> bool:
    """Whether the post that the records answer stands before the first of them on most pages: with a text, or date and author, like theirs."""
    opened = pages = 0
    for sheet in sheets:
        numbers = sheet.numbers(records.unit)
        if numbers:
            opened += _has_text_before(records, sheet, numbers[0]) or _is_signed_before(records, sheet, numbers[0])
            pages += 1
    return opened > _OFTEN * pages


def _has_text_before(records: Records, sheet: Sheet, first: int) -> bool:
    """Whether what the text's address finds anywhere on the page ends before the first record, and was kept."""
    texts = sheet.numbers(records.text[0][1:]) if records.text and records.text[0][1:3] == "//" else []
    ends, kept = sheet.page.tree.ends, sheet.held[0]
    return any(at < first >= ends[at] and kept[at] > 0 for at in texts)


def _is_signed_before(records: Records, sheet: Sheet, first: int) -> bool:
    """Whether a box with words, an author and a date before that of the first record stands before it.

    What only tells who began the thread, and when, has the date of the first record.
    """
    tree = sheet.page.tree
    began = _date(records, tree.nodes[first])
    if not records.author:
        return False
    for above in [first, *tree.ancestors(first)]:
        before = [child for child in tree.children(tree.parents[above]) if child < above] if above else []
        for box in before:
            date = _date(records, tree.nodes[box])
            earlier = date and date < began if began else not records.date and has_one_date(tree.nodes[box])
            if earlier and first_element(_anywhere(records.author), tree.nodes[box]) is not None:
                return _own_words(tree.nodes[box]) >= _POST
    return False


def _date(records: Records, box: etree._Element) -> str | None:
    found = first_element(_anywhere(records.date), box)
    return date_in(found, records.month_first) if found is not None else None


def _anywhere(addresses: list[str]) -> list[str]:
    """The same below any element: a path is cut to its last two steps."""
    inside = [address for address in addresses if "sibling::" not in address]
    return [one if one[:3] == ".//" else ".//" + "/".join(one.removeprefix("./").split("/")[-2:]) for one in inside]


def _own_words(box: etree._Element) -> int:
    """Words outside of links and headings."""
    words, stack = 0, [box]
    while stack:
        node = stack.pop()
        inner = [child for child in node.iterchildren("*") if child.tag not in _ASIDE]
        words += sum(word_count(text or "") for text in (node.text, *(child.tail for child in node)))
        stack.extend(inner)
    return words


def _shared_words(records: Records, units: Sequence[etree._Element]) -> list[str]:
    """Words that nearly all names, or nearly all by-lines, have beside name and date."""
    return list(dict.fromkeys([*_common(records.author, units), *_common(records.date, units)]))[:12]


def _common(addresses: list[str], units: Sequence[etree._Element]) -> list[str]:
    found = [first_element(addresses, node) for node in units]
    lines = {without_date(text_of(node)) for node in found if node is not None}
    counts = Counter(word for line in lines for word in dict.fromkeys(line.split()))
    return [word for word, count in counts.most_common(12) if len(lines) > 2 and count >= _SHARED * len(lines)]


def _shared_lines(records: Records, units: Sequence[etree._Element]) -> list[str]:
    """Short lines that half of the texts have: buttons and labels."""
    marks = frozenset(units)
    texts = [comment.text for unit in units if (comment := read_record(records, unit, marks))]
    counts = Counter(line for text in texts for line in set(text.split("\n")) if len(line) <= _LINE)
    return [line for line, count in counts.most_common(_LINES) if len(texts) > 3 and count >= _OFTEN * len(texts)]
