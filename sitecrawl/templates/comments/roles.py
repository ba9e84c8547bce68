"""Which part of a record is its text, which its date, and which its author's name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from lxml import etree

from sitecrawl.templates.address import text_of
from sitecrawl.templates.comments.reading import date_in
from sitecrawl.templates.comments.signs import profile_stem
from sitecrawl.templates.comments.unit_parts import PLAIN, Part, is_empty, length_of, names_in, own_elements
from sitecrawl.text.calendar_names import MONTHS
from sitecrawl.text.chars import fold, words
from sitecrawl.text.dates import parse_date

_LONGEST_NAME, _WORDS, _LONGEST_LABEL = 40, 5, 20
_DIGITS = 0.7
"""Share of digits from which a text is a number or a time of day."""
_LABELLED = 0.8
_NAMED = re.compile(
    r"author|user|name|nick|poster|\bfn\b|creator|member|comment(?:er|ator)|vcard|cite|byline|\bby\b|who\b|handle", re.I
)
_NOT_NAMED = re.compile(
    r"title|rank|group|status|info|avatar|photo|badge|count|stat|date|time|join|location|reply|level|role|number|quote|subject|signature|meta",
    re.I,
)
_NOT_DATED = re.compile(r"join|regist|member|edit|modif|updat|since|signature|quote|profile|last", re.I)
_TIMES = frozenset(("datePublished", "dateCreated"))
_MOST = 0.6
"""Share of the units in which a date or a name must stand."""
_DOUBT = 0.5
"""Evidence that a part must have."""
_BARE = 0.3
"""What an address by tag alone is worth less: the first link of an unseen post may be any."""


@dataclass(slots=True)
class Units:
    """Sampled units of all pages: their elements, the page of each, and what is looked up once in each."""

    nodes: list[etree._Element]
    pages: list[int]
    labels: list[set[str]] = field(default_factory=list)
    """Alternative texts and titles of each unit: they repeat the author's name."""

    def __post_init__(self) -> None:
        marks = frozenset(self.nodes)
        for unit in self.nodes:
            inner = own_elements(unit, marks)
            self.labels.append({value for node in inner for key in ("alt", "title") if (value := node.get(key))})


def date_part(parts: Sequence[Part], units: Units) -> Part | None:
    """The part whose dates are in most units, in the order of the page, and come with a time of day.

    Dates on which members joined are in no order, which tells them apart in any language.
    """
    best: tuple[tuple[float, float], Part] | None = None
    for part in parts:
        dates = [date_in(node) if node is not None else None for node in part.nodes]
        found = [date for date in dates if date]
        if len(found) < _MOST * len(dates):
            continue
        clock = sum("T" in date for date in found) / len(found)
        named = _marked(part) - bool(_NOT_DATED.search(names_in(part)))
        varied = len(set(found)) / len(found)
        worth = len(found) / len(dates) + 0.5 * _ordered(dates, units.pages) + 0.3 * clock + 0.2 * (named + varied)
        key = (round(worth, 1), -length_of(part))
        best = (key, part) if best is None or key > best[0] else best
    return best[1] if best else None


def author_part(parts: Sequence[Part], units: Units) -> Part | None:
    """The part with short names that differ from author to author: called so, a link to a profile, told again by an avatar."""
    best: tuple[float, Part] | None = None
    for part in parts:
        values = [_name_in(node) for node in part.nodes]
        found = [value for value in values if value]
        if len(found) < _MOST * len(values):
            continue
        evidence = _evidence(part, values, units)
        if evidence < _DOUBT:
            continue
        worth = len(found) / len(values) + evidence + 0.5 * len(set(found)) / len(found)
        worth -= sum(map(len, found)) / len(found) / 100 + _BARE * (part.address[3:] in PLAIN)
        best = (worth, part) if best is None or worth > best[0] + 1e-9 else best
    return best[1] if best else None


def _marked(part: Part) -> int:
    """Whether elements are marked as times; less than nothing when nobody sees them."""
    first = next(node for node in part.nodes if node is not None)
    return -2 if first.tag == "meta" else int(first.tag == "time" or first.get("itemprop") in _TIMES)


def _ordered(dates: Sequence[str | None], pages: Sequence[int]) -> float:
    """Share of neighbours on a page that stand in order, oldest or newest first.

    >>> _ordered(["2024-05-01", "2024-05-03", None, "2024-05-04", "2020-01-01"], [0, 0, 0, 0, 1])
    1.0
    """
    known = [(page, date) for page, date in zip(pages, dates, strict=True) if date]
    pairs = [(a[:16], b[:16]) for (page, a), (other, b) in pairwise(known) if page == other]
    if not pairs:
        return 1.0
    return max(sum(a <= b for a, b in pairs), sum(a >= b for a, b in pairs)) / len(pairs)


def _name_in(node: etree._Element | None) -> str:
    """The text of an element if it may be a name: short, no date, no number, no address."""
    if node is None or len(node) > 8:
        return ""
    text = text_of(node)
    if not 1 < len(text) <= _LONGEST_NAME or len(text.split()) > _WORDS or "://" in text:
        return ""
    digits, letters = sum(map(str.isdigit, text)), sum(map(str.isalpha, text))
    counted = text[0].isdigit() and " " in text
    if counted or not letters or digits > _DIGITS * len(text):
        return ""
    day = digits > 0 and any(word.casefold() in MONTHS for word in words(text))
    return "" if day or parse_date(text) else text


def _evidence(part: Part, values: Sequence[str], units: Units) -> float:
    """What says that the texts are names: where they link to, how they are called, who repeats them."""
    count = sum(map(bool, values))
    name = names_in(part).replace("starts-with", "")
    own = name.rpartition(" ")[2] if part.address.endswith("]") else name
    named = bool(_NAMED.search(name)) - bool(_NOT_NAMED.search(own))
    links = sum(node is not None and _links(node) for node in part.nodes) / count
    told = sum(
        bool(value) and any(_tells(label, value) for label in labels)
        for value, labels in zip(values, units.labels, strict=True)
    )
    prop = part.address.endswith(('[@itemprop="author"]', '[@itemprop="name"]'))
    repeated = max(told / count, _has_label(part.nodes))
    return min(1.0, links) + 0.5 * named + 0.8 * prop + 0.6 * repeated


def _has_label(nodes: Sequence[etree._Element | None]) -> float:
    """Share of the elements that one word stands directly before or behind: by, says, wrote."""
    found = [node for node in nodes if node is not None]
    before, behind = Counter(map(_text_before, found)), Counter(fold(node.tail) for node in found)
    counts = (count for words in (before, behind) for text, count in words.items() if _is_label(text))
    most = max(counts, default=0) / len(found)
    return most if most >= _LABELLED else 0.0


def _is_label(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_LABEL and any(map(str.isalpha, text)) and not parse_date(text)


def _text_before(node: etree._Element) -> str:
    before, parent = node.getprevious(), node.getparent()
    return fold(before.tail if before is not None else parent.text if parent is not None else "")


def _links(node: etree._Element) -> bool:
    """Whether an element is a link to somebody's own page, or holds nothing else."""
    around = next(node.iterancestors("a"), None)
    inner = next(node.iter("a"), None) if around is None else around
    if inner is None or profile_stem(inner) is None:
        return False
    return inner is around or text_of(inner) == text_of(node)


def _tells(label: str, name: str) -> bool:
    return name == label or (len(name) > 2 and name in label and len(label) < len(name) + 40)


_PIECES = tuple(f"/{tag}" for tag in "p a b i em strong span h2 h3 h4 h5 blockquote p[1] p[2] p[3]".split())
_PLACES = tuple(f"[{number}]" for number in range(1, 10))
_PIECE, _WHOLE = 0.6, 0.75
"""Weight of addresses that find a piece of a text, and the share of the record's words from which one may stand for all."""
_REPEATED = 1.6
"""Elements a unit from which an address names pieces of a text, not the text."""
_NEARLY = 0.7
"""Share of the best part's worth from which a narrower part is preferred."""
_EVERYWHERE = 0.9
"""Share of the best part's units in which the narrower part must be."""
_LONG = 60
"""Words of a text that count: one long post must not choose for all."""
_ENOUGH = 0.25
"""Worth, as a share of the best, of a part without name and date of the author beside one that holds them."""
_HOLDS = 0.4
"""Share of the units from which a part holds name or date."""


@dataclass(slots=True)
class _Choice:
    """A part, its words a unit, those weighed (a piece counts less), and whether it holds name or date of the author."""

    part: Part
    words: float
    worth: float
    holds: bool

    @property
    def units(self) -> int:
        return sum(node is not None for node in self.part.nodes)


def text_parts(
    parts: Sequence[Part], units: Units, taken: Sequence[Part | None], weigh: Callable[[etree._Element], float]
) -> list[Part]:
    """The part with most words as ``weigh`` counts them, the narrowest of those with nearly as many; a wider one for units without it.

    Name and date (``taken``) are left outside if they can be; empty where only the whole unit holds all of the text.
    """
    holders = _holders(taken, units)
    choices = [_choice(part, holders, weigh) for part in parts if _may_be_text(part, taken)]
    best = max(choices, key=lambda one: one.worth, default=None)
    free = max((one for one in choices if not one.holds), key=lambda one: one.worth, default=None)
    if best is not None and free is not None and free.worth >= _ENOUGH * best.worth:
        best, choices = free, [one for one in choices if not one.holds]
    if best is None or best.worth <= 1:
        return []
    near = [one for one in choices if one.worth >= _NEARLY * best.worth and one.units >= _EVERYWHERE * best.units]
    near.sort(key=lambda one: (round(one.words, 1), length_of(one.part)))
    chosen = near[0]
    if chosen.words < _WHOLE * _all_words(units, taken, weigh) and _is_piece(chosen.part):
        return []
    return [chosen.part, *(one.part for one in near if _fills(one, chosen))][:2]


def _fills(wider: _Choice, chosen: _Choice) -> bool:
    """Whether a part has text in units where the chosen one, told by its place only, has none."""
    if not chosen.part.address.endswith(_PLACES):
        return False
    pairs = zip(wider.part.nodes, chosen.part.nodes, strict=True)
    return any(other is not None and not is_empty(other) and (one is None or is_empty(one)) for other, one in pairs)


def _may_be_text(part: Part, taken: Sequence[Part | None]) -> bool:
    found = sum(node is not None for node in part.nodes)
    return part.count <= _REPEATED * found and part not in taken and length_of(part) > 0


def _choice(
    part: Part, holders: Sequence[Collection[etree._Element]], weigh: Callable[[etree._Element], float]
) -> _Choice:
    words = sum(min(_LONG, weigh(node)) for node in part.nodes if node is not None) / len(part.nodes)
    weight = _PIECE if _is_piece(part) else 1.0
    held = sum(node is not None and node in above for node, above in zip(part.nodes, holders, strict=True))
    return _Choice(part, words, weight * words, held > _HOLDS * len(part.nodes))


def _is_piece(part: Part) -> bool:
    return part.address.endswith(_PIECES)


def _all_words(units: Units, taken: Sequence[Part | None], weigh: Callable[[etree._Element], float]) -> float:
    """Words of a unit beside name and date."""
    aside = sum(weigh(node) for part in taken if part for node in part.nodes if node is not None)
    return (sum(map(weigh, units.nodes)) - aside) / len(units.nodes)


def _holders(parts: Sequence[Part | None], units: Units) -> list[Collection[etree._Element]]:
    """For each unit the elements that hold one of ``parts``."""
    found: list[Collection[etree._Element]] = []
    for number in range(len(units.nodes)):
        nodes = [node for part in parts if part and (node := part.nodes[number]) is not None]
        found.append({above for node in nodes for above in (node, *node.iterancestors())})
    return found
