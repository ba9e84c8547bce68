"""Repeated regions: the comments of an article or the posts of a thread, as one unit with its text, author and date."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lxml import etree

from sitecrawl.dom.align import Names, has_token
from sitecrawl.dom.hints import BITS, hint_bits
from sitecrawl.templates.address import find, is_address, text_of
from sitecrawl.templates.reading import first_element, without_date
from sitecrawl.templates.sheet import Sheet
from sitecrawl.templates.template import Records
from sitecrawl.values.chars import fold, word_count
from sitecrawl.values.dates import parse_date

_ASIDE = BITS["nav"] | BITS["side"]
_UNIT_TAGS = frozenset("div li article section tr td table dl dd".split())
_TALK = BITS["comment"] | BITS["forum"]
_AUTHOR = re.compile(r"author|user|name|poster|nick|\bfn\b|vcard|cite|member|by", re.I)
_TIME = re.compile(r"\b(?:date|time|posted|created)|date(?:created|time)|timestamp", re.I)
_MARKED = 4
_MOST = 16
_LEAST_SCORE = 1.5
_SAMPLE = 60
"""Records over all pages that a candidate is judged by."""
_TEXT_NAME = re.compile(r"content|text|body|message|entry", re.I)
_NEARLY = 0.7
"""Share of the best part's worth from which a narrower part is preferred."""
_MOSTLY = 0.5
_BEYOND_DOUBT = 2.6
"""Score of records that are believed although the extractors left them out of the body."""
_LINKED = 0.5
_FEW, _SURE, _THREAD, _OPENING = 0.1, 2.0, 0.5, 0.2
"""Shares of body words: from the first on a unit must score ``_SURE``, below it be called comment; from the third on pages
are threads, whose first post is the first unit where less than the last stands before it."""
_JUDGED = 16
"""Records that a candidate is scored by, taken evenly over the pages."""
_LONGEST_BYLINE = 160
_LONGEST_NAME = 60


@dataclass(slots=True)
class Unit:
    """A candidate for the repeated unit, with the elements it finds on all pages (innermost kept apart)."""

    address: str
    nodes: list[etree._Element] = field(default_factory=list)
    pages: int = 0
    repeated: int = 0
    score: float = 0.0


def records_of(sheets: Sequence[Sheet], names: Names) -> Records | None:
    """The records that the pages share; None when no region repeats with text, and with dates or the name of talk."""
    units = [unit for unit in (_unit(address, sheets) for address in _candidates(sheets, names)) if unit.repeated]
    for unit in units:
        unit.score = _score(unit)
    best = max(units, key=lambda unit: (round(unit.score, 1), len(unit.nodes)), default=None)
    if best is None or best.score < _LEAST_SCORE:
        return None
    parts = [_parts(node, names) for node in best.nodes[:_SAMPLE]]
    text, byline = _text_address(best, parts), _byline_address(best, parts)
    author = _author_address(best, parts)
    records = Records(best.address, [text] if text else [], [author] if author else [], [byline] if byline else [])
    records.words = _shared_words(best, byline)
    share, rest, before = _held(best, sheets)
    comments = bool(hint_bits(best.address.partition("@class")[2]) & BITS["comment"])
    if not (comments or rest >= _FEW or _is_talk(best)) or (share >= _FEW and best.score < _SURE):
        return None
    records.skip_first = share >= _THREAD and before < _OPENING
    return records


def _is_talk(unit: Unit) -> bool:
    """Whether records are beyond doubt although the extractors left them out of the body: prose, hardly a link."""
    return unit.score >= _BEYOND_DOUBT and max(map(_linked_alone, unit.nodes[1:_SAMPLE]), default=1.0) < _LINKED


def _linked_alone(node: etree._Element) -> float:
    return _linked([node])


def _held(best: Unit, sheets: Sequence[Sheet]) -> tuple[float, float, float]:
    """Shares of the body's words: in the units, in all but the first of each page, and before the first."""
    total = held = first = before = 0.0
    for sheet in sheets:
        numbers = [sheet.number[node] for node in find(best.address, sheet.page.root) if node in sheet.number]
        if not numbers or not sheet.total:
            continue
        good, tree, end = sheet.held[0], sheet.page.tree, -1
        total, first = total + sheet.total, first + good[numbers[0]]
        before += sum(
            good[at]
            for at in range(numbers[0])
            if tree.ends[at] <= numbers[0] and tree.ends[tree.parents[at]] > numbers[0]
        )
        for number in numbers:
            held, end = held + (good[number] if number >= end else 0.0), max(end, tree.ends[number])
    return held / max(1.0, total), (held - first) / max(1.0, total), before / max(1.0, total)


def _shared_words(unit: Unit, byline: str) -> list[str]:
    """Words that nearly all by-lines have beside their date."""
    found = [first_element([byline], node) for node in unit.nodes[:_SAMPLE]] if byline else []
    lines = [without_date(text_of(node)) for node in found if node is not None]
    counts = Counter(word for line in lines for word in dict.fromkeys(line.split()))
    return [word for word, count in counts.most_common(12) if len(lines) > 3 and count >= 0.85 * len(lines)]


def _candidates(sheets: Sequence[Sheet], names: Names) -> list[str]:
    """Addresses of classed elements that repeat on a page."""
    seen: Counter[str] = Counter()
    for sheet in sheets:
        here: Counter[str] = Counter()
        for node, tag in zip(sheet.page.tree.nodes, sheet.page.tree.tags, strict=True):
            if tag in _UNIT_TAGS and node.get("class"):
                here.update(f"//{tag}{has_token(token)}" for token in names.tokens(node)[:3])
        seen.update({address: min(count, 20) for address, count in here.items() if count > 1})
    likely = sorted(seen, key=lambda address: (not hint_bits(address) & _TALK, -seen[address]))
    return [address for address in likely if is_address(address)][:_MOST]


def _unit(address: str, sheets: Sequence[Sheet]) -> Unit:
    unit = Unit(address)
    for sheet in sheets:
        found = [node for node in find(address, sheet.page.root) if isinstance(node, etree._Element)]
        unit.pages += bool(found)
        unit.repeated += len(found) > 1
        unit.nodes.extend(found[:_SAMPLE])
    return unit


def _score(unit: Unit) -> float:
    """Dates in short lines, words beside links, names of talk; a unit that holds others of its kind is no unit."""
    nodes = unit.nodes[:: max(1, len(unit.nodes) // _JUDGED)]
    texts = [text_of(node) for node in nodes]
    dated = sum(_has_one_date(node) for node in nodes) / len(nodes)
    words = sum(min(20, word_count(text)) for text in texts) / len(nodes)
    linked = _linked(nodes[1:])
    varied = len(set(texts)) / len(texts)
    talk = bool(hint_bits(unit.address.partition("@class")[2]) & _TALK)
    talk = talk and not hint_bits(unit.address.partition("@class")[2]) & _ASIDE
    return (dated + 0.8 * talk + words / 20 - 1.5 * max(0.0, linked - 0.4)) * (varied > 0.6) * (words >= 4)


def _linked(nodes: Sequence[etree._Element]) -> float:
    """Share of linked characters in the texts of ``nodes``."""
    links = sum(len("".join(a.itertext()).strip()) for node in nodes for a in node.iter("a"))
    return links / max(1, sum(len(text_of(node)) for node in nodes))


def _has_one_date(node: etree._Element) -> bool:
    """Whether one or two dates stand in short lines, or one to three elements are marked as times."""
    if sum(1 for _, text in _lines(node) if parse_date(text)) in (1, 2):
        return True
    marked = sum(inner.tag == "time" or bool(_TIME.search(inner.get("class") or "")) for inner in node.iter())
    return 1 <= marked <= _MARKED


def _lines(node: etree._Element) -> Iterator[tuple[etree._Element, str]]:
    """Elements with short own text that has digits."""
    for inner in node.iter():
        own = fold(" ".join([inner.text or "", *(child.tail or "" for child in inner)]))
        if 5 < len(own) <= _LONGEST_BYLINE and any(map(str.isdigit, own)):
            yield inner, own


def _parts(unit: etree._Element, names: Names) -> dict[str, list[etree._Element]]:
    """Elements below a unit by the addresses that may name them."""
    found: defaultdict[str, list[etree._Element]] = defaultdict(list)
    for node in unit.iterdescendants():
        tag = str(node.tag)
        for token in names.tokens(node)[:3]:
            found[f".//{tag}{has_token(token)}"].append(node)
        if tag in ("cite", "time", "blockquote", "p", "h3", "h4", "a"):
            found[f".//{tag}"].append(node)
    return found


def _shares(parts: Sequence[dict[str, list[etree._Element]]]) -> dict[str, list[etree._Element]]:
    """Addresses that find something in most units, with the first they find in each."""
    counts = Counter(address for part in parts for address in part)
    most = [address for address, count in counts.items() if count >= 0.6 * len(parts) and is_address(address)]
    return {address: [part[address][0] for part in parts if address in part] for address in most}


def _text_address(unit: Unit, parts: Sequence[dict[str, list[etree._Element]]]) -> str:
    """The part with most words, by-lines left aside; the narrowest of those with nearly as many."""
    scored = []
    for address, nodes in _shares(parts).items():
        if sum(len(part.get(address, ())) for part in parts) > 1.6 * len(nodes):
            continue
        words = sum(word_count(text_of(node)) for node in nodes) / len(parts)
        bylines = sum(_is_byline(node) for node in nodes) / len(nodes)
        if bylines > _MOSTLY:
            continue
        named = bool(_TEXT_NAME.search(address.partition("@class")[2]))
        scored.append((words * (1.5 if named else 1.0), -words, address))
    best = max(scored, default=(0.0, 0.0, ""))
    if best[0] <= 1:
        return ""
    return max((_, address) for score, _, address in scored if score >= _NEARLY * best[0])[1]


def _is_byline(node: etree._Element) -> bool:
    text = text_of(node)
    return len(text) <= _LONGEST_BYLINE and bool(parse_date(text))


def _byline_address(unit: Unit, parts: Sequence[dict[str, list[etree._Element]]]) -> str:
    """The shortest part that gives a date in most units."""
    scored = []
    for address, nodes in _shares(parts).items():
        texts = [text_of(node) for node in nodes]
        dated = sum(len(text) <= _LONGEST_BYLINE and bool(parse_date(text)) for text in texts) / len(parts)
        if dated >= 0.6:
            scored.append((round(dated, 1), -sum(map(len, texts)), address))
    return max(scored, default=(0, 0, ""))[2]


def _author_address(unit: Unit, parts: Sequence[dict[str, list[etree._Element]]]) -> str:
    """The part that is called like a name and gives a short text without a date."""
    scored = []
    for address, nodes in _shares(parts).items():
        texts = [text_of(node) for node in nodes]
        short = sum(1 < len(text) <= _LONGEST_NAME and not parse_date(text) for text in texts) / len(parts)
        called = bool(_AUTHOR.search(address.removeprefix(".//").replace("contains", "").replace("concat", "")))
        if short >= 0.7 and called and len(set(texts)) > 1:
            scored.append((round(short, 1), -sum(map(len, texts)) / len(texts), address))
    return max(scored, default=(0, 0, ""))[2]
