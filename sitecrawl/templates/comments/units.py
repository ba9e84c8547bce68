"""The repeated unit of comments and posts: which elements of the pages hold one record each, and how like comments they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of, has_token
from sitecrawl.dom.blocks import BITS, hint_bits
from sitecrawl.templates.address import is_address, text_of
from sitecrawl.templates.comments.repeats import alike, repeats
from sitecrawl.templates.comments.signs import Signs, profile_stem
from sitecrawl.templates.comments.unit_parts import id_stem, quoted
from sitecrawl.templates.sheet import Sheet
from sitecrawl.text.chars import word_count
from sitecrawl.text.dates import parse_date

_UNIT_TAGS = frozenset("div li article section tr td table dl dd".split())
_TALK = BITS["comment"] | BITS["forum"]
_PROPS = frozenset(("comment", "suggestedAnswer", "acceptedAnswer", "review"))
_MOST = 24
_SAMPLE = 60
"""Elements of one page that a candidate is judged by."""
_JUDGED = 16
"""Records that a candidate is scored by, taken evenly over the pages."""
_WRAPPING = 1.1


@dataclass(slots=True)
class Unit:
    """A candidate for the repeated unit: an address and what it finds on each page; ``called`` is the name it goes by.
    ``by_tags`` tells that no name of its own led to it, ``nameless`` that none is in its address either.

    ``score`` tells how like a comment or post it is, ``bonus`` what its authors' names and headings add to that.
    """

    address: str
    called: str
    pages: list[list[etree._Element]]
    nameless: bool = False
    by_tags: bool = False
    score: float = 0.0
    bonus: float = 0.0

    @property
    def nodes(self) -> list[etree._Element]:
        return [node for page in self.pages for node in page]

    @property
    def sample(self) -> list[etree._Element]:
        """Some elements, taken evenly over the pages."""
        return some(self.nodes)

    @property
    def is_signed(self) -> bool:
        """Whether nearly all are dated and signed, and long enough."""
        return self.score >= _CERTAIN and self.bonus >= _COMPLETE * 2 * _SIGNED

    @property
    def is_comment(self) -> bool:
        """Whether the name says that these are comments."""
        return bool(hint_bits(self.called) & BITS["comment"])


def some(nodes: list[etree._Element]) -> list[etree._Element]:
    """A few of many elements, taken evenly."""
    return nodes[:: max(1, len(nodes) // _JUDGED)]


def _called(address: str) -> str:
    names = quoted(address)
    return names[-1].strip() if names else ""


def found_by(address: str, sheets: Sequence[Sheet]) -> list[list[etree._Element]]:
    """What the address finds on each page."""
    found = (sheet.find(address)[:_SAMPLE] for sheet in sheets)
    return [_bare([node for node in page if isinstance(node, etree._Element)]) for page in found]


def _bare(nodes: list[etree._Element]) -> list[etree._Element]:
    """``nodes`` without those that are a mere wrapping of another."""
    held = holders(nodes)
    inside = {above: node for node in nodes for above in node.iterancestors() if held[above] == 1}
    return [node for node in nodes if node not in inside or not _wraps(node, inside[node])]


def _wraps(outer: etree._Element, inner: etree._Element) -> bool:
    return len(text_of(outer)) <= _WRAPPING * len(text_of(inner))


def candidates(sheets: Sequence[Sheet], names: Names) -> list[Unit]:
    """Elements that repeat on a page, by the addresses that find them."""
    named, nameless = _repeated(sheets, names)
    units = [Unit(address, _called(address), found_by(address, sheets)) for address in named]
    for address in nameless:
        pages = [alike(page) for page in found_by(address, sheets)]
        units.append(Unit(address, _called("/".join(address.rsplit("/", 2)[-2:])), pages, True, True))
    return [unit for unit in units if any(len(page) > 1 for page in unit.pages)]


def _repeated(sheets: Sequence[Sheet], names: Names) -> tuple[list[str], list[str]]:
    """Addresses of what repeats: by names of its own, and by tag below a parent."""
    named: Counter[str] = Counter()
    tagged: Counter[str] = Counter()
    for sheet in sheets:
        here: Counter[str] = Counter()
        for node, tag in zip(sheet.page.tree.nodes, sheet.page.tree.tags, strict=True):
            if node.attrib and (tag in _UNIT_TAGS or _is_text(node)):
                here.update(points(node, names))
        named.update({address: min(count, 20) for address, count in here.items() if count > 1})
        tagged.update(repeats(sheet, names))
    likely = sorted(filter(is_address, named), key=lambda address: (not speaks(address), -named[address]))
    by_tag = sorted(filter(is_address, tagged), key=lambda address: (not speaks(address), -tagged[address]))
    return likely[:_MOST], by_tag[: _MOST // 2]


def _is_text(node: etree._Element) -> bool:
    """Whether an element is called a post or comment, outside of program text."""
    named = hint_bits(node.get("class") or "") & _TALK
    return bool(named) and next(node.iterancestors("pre", "code"), None) is None


def points(node: etree._Element, names: Names) -> Iterator[str]:
    """Addresses that may name all elements like ``node``: by class, by microdata, by how its id begins."""
    for token in names.tokens(node)[:3]:
        yield f"//{node.tag!s}{has_token(token)}"
    if node.get("itemprop") in _PROPS:
        yield f'//{node.tag!s}[@itemprop="{node.get("itemprop")}"]'
    if stem := id_stem(node):
        yield f'//{node.tag!s}[starts-with(@id, "{stem}")]'


def holders(nodes: Sequence[etree._Element]) -> Counter[etree._Element]:
    """How many of ``nodes`` stand in each element above them."""
    return Counter(above for node in nodes for above in node.iterancestors())


def speaks(address: str) -> bool:
    """Whether the name in an address is one of comments or posts."""
    return bool(hint_bits(_called(address)) & _TALK)


_HALF = 0.5
_STRAY = 0.1
"""Share of the elements that may stand less deep than the rest."""
_PRECISE, _COMPLETE = 0.35, 0.9
"""Shares: of what an address finds that are units, of the units that it finds."""


def grown(unit: Unit, sheets: Sequence[Sheet], names: Names, signs: Signs) -> Unit:
    """The largest elements around each of the unit's, where date or author stand there and not in the unit itself."""
    own = _most(unit.sample, signs)
    if own == (True, True):
        return unit
    around = _around(unit.pages)
    outer = [node for page in around for node in page]
    if not outer or sum(_most(some(outer), signs)) <= sum(own):
        return unit
    found = {
        address: {node for page in found_by(address, sheets) for node in page} for address in _addresses(around, names)
    }
    good = [address for address, nodes in found.items() if len(nodes.intersection(outer)) >= _COMPLETE * len(outer)]
    best = min(good, key=lambda address: (len(found[address]), not speaks(address)), default="")
    if not best or len(outer) < _PRECISE * len(found[best]):
        return unit
    return Unit(best, unit.called, around, by_tags=unit.by_tags)


def _most(nodes: Sequence[etree._Element], signs: Signs) -> tuple[bool, bool]:
    """Whether most of ``nodes`` hold a date, and whether most hold the name of an author."""
    dated, signed = sum(map(signs.dated, nodes)), sum(map(signs.signed, nodes))
    return dated > _HALF * len(nodes), signed > _HALF * len(nodes)


def _around(pages: Sequence[list[etree._Element]]) -> list[list[etree._Element]]:
    """For each page the highest elements that hold one of its units and stand equally far above it."""
    chains = [[_chain(node, held) for node in page] for page in pages if len(page) > 1 for held in [holders(page)]]
    depths = sorted(len(chain) for page in chains for chain in page)
    depth = depths[int(_STRAY * len(depths))] if depths else 0
    if depth == 0:
        return []
    return [[chain[depth - 1] for chain in page if len(chain) >= depth] for page in chains]


def _chain(node: etree._Element, held: Counter[etree._Element]) -> list[etree._Element]:
    """The elements above ``node`` that hold no other unit, nearest first."""
    chain: list[etree._Element] = []
    for above in node.iterancestors():
        if held[above] > 1 or above.tag in ("body", "html") or held[node]:
            break
        chain.append(above)
    return chain


def _addresses(pages: Sequence[list[etree._Element]], names: Names) -> Iterator[str]:
    """Addresses that may find all these elements: by their own names, else as children of what holds them."""
    nodes = [node for page in pages for node in page]
    ways = Counter(way for node in nodes for way in points(node, names))
    yield from (address for address, _ in ways.most_common(6) if is_address(address))
    parent = nodes[0].getparent()
    if parent is not None:
        children = (f"{address}/{nodes[0].tag!s}" for address in addresses_of(parent, names))
        yield from filter(is_address, children)


_ASIDE = BITS["nav"] | BITS["side"]
_SIGNED = 0.3
_TEASER = 1.0
_NAMELESS = 0.3
"""What a unit told by its tag only is worth less: a class holds where a place on the page does not."""
_CERTAIN = 1.7
"""Score of records with dates and a few words."""
_NEARLY = 0.4
"""What the score of a unit that finds more may be less."""
_MORE = 0.05
"""Share of the body's words that it finds more."""
_KEPT = 1.0
"""Weight of the share of the body's words that stand in the units after the first."""
_BESIDE = 0.8
"""What a date in the row above or below is worth."""
_TITLE = 4
"""Words of the shortest title."""


def best_unit(sheets: Sequence[Sheet], names: Names) -> Unit | None:
    """The unit most like a comment or post: dated, signed, called so, with words and few links; None without repetition."""
    signs = Signs()
    units = [grown(unit, sheets, names, signs) for unit in candidates(sheets, names)]
    for unit in units:
        unit.score, unit.bonus = _score(unit, signs), _bonus(unit, signs)
    units.sort(key=lambda unit: _worth(unit, sheets), reverse=True)
    return _refined(units[0], units, sheets) if units else None


def _refined(best: Unit, units: Sequence[Unit], sheets: Sequence[Sheet]) -> Unit:
    """The best unit, or one nearly as good that finds the same records and more: all posts, not those with a quote or the boxes of several."""
    while best.nameless:
        least = best.score - _NEARLY
        finer = (unit for unit in units if len(unit.nodes) > len(best.nodes) and unit.score >= least)
        found = next((unit for unit in finer if unit.nameless and _is_finer(unit, best, sheets)), None)
        if found is None:
            break
        best = found
    return best


def _is_finer(fine: Unit, coarse: Unit, sheets: Sequence[Sheet]) -> bool:
    """Whether nearly all elements of ``coarse`` hold elements of ``fine``, some several; or ``fine`` has them and more of the body."""
    marks, held = frozenset(fine.nodes), holders(fine.nodes)
    least = _COMPLETE * len(coarse.nodes)
    inside = [held[node] for node in coarse.nodes]
    if sum(map(bool, inside)) >= least:
        return min(inside) < max(inside)
    around = [next((above for above in (node, *node.iterancestors()) if above in marks), None) for node in coarse.nodes]
    alone = len({above for above in around if above is not None})
    return alone >= least and held_by(fine.address, sheets).rest > held_by(coarse.address, sheets).rest + _MORE


def _worth(unit: Unit, sheets: Sequence[Sheet]) -> tuple[float, bool, int, bool]:
    total = unit.score + unit.bonus + _KEPT * held_by(unit.address, sheets).rest - _NAMELESS * unit.nameless
    return round(total, 1), not unit.nameless, len(unit.nodes), speaks(unit.address)


def linked(nodes: Sequence[etree._Element]) -> float:
    """Share of linked characters in the texts of ``nodes``."""
    links = sum(len("".join(a.itertext()).strip()) for node in nodes for a in node.iter("a"))
    return links / max(1, sum(len(text_of(node)) for node in nodes))


def _score(unit: Unit, signs: Signs) -> float:
    """Dates in short lines, words beside links, names of talk; a unit that holds others of its kind is no unit."""
    nodes, marks = unit.sample, frozenset(unit.nodes)
    texts = [text_of(node) for node in nodes]
    dated = sum(_dated(node, marks, signs) for node in nodes) / len(nodes)
    words = sum(min(20, word_count(text)) for text in texts) / len(nodes)
    bits = hint_bits(unit.called)
    talk = bool(bits & _TALK) and not bits & _ASIDE
    varied = len(set(texts)) / len(texts)
    return (dated + 0.8 * talk + words / 20 - 1.5 * max(0.0, linked(nodes[1:]) - 0.4)) * (varied > 0.6) * (words >= 4)


def _dated(node: etree._Element, marks: frozenset[etree._Element], signs: Signs) -> float:
    """Whether a unit holds one date; less when the element beside it does, a row above the post."""
    if signs.dated(node):
        return 1.0
    beside = (next(node.itersiblings(preceding=before), None) for before in (True, False))
    return _BESIDE * any(other is not None and other not in marks and signs.dated(other) for other in beside)


def _bonus(unit: Unit, signs: Signs) -> float:
    """What speaks for a unit beside others: names of authors; against it: titles that lead to other pages."""
    nodes = unit.sample
    signed = sum(1 + signs.dated(node) for node in nodes if signs.signed(node)) / len(nodes)
    titles = {title for node in nodes if (title := _title_link(node))}
    against = _TEASER * (_HALF if unit.is_comment else 1.0)
    return _SIGNED * signed - against * (len(titles) > _HALF * len(nodes))


def _title_link(node: etree._Element) -> str | None:
    """The first link that is a line with the words of a title, unless to a place on a page, to a person, or from a date."""
    for link in node.iter("a"):
        href, text, parent = link.get("href") or "#", text_of(link), link.getparent()
        if word_count(text) < _TITLE or "#" in href or profile_stem(link) or parse_date(text):
            continue
        if parent is node or parent is None or text_of(parent) == text:
            return text
    return None


@dataclass(slots=True)
class Held:
    """Shares of the body's words, 0..1: in the units, in all but the first of each page, and before the first."""

    share: float = 0.0
    rest: float = 0.0
    before: float = 0.0


def held_by(address: str, sheets: Sequence[Sheet]) -> Held:
    """The shares that what ``address`` finds holds, over the pages where it finds something."""
    total = held = first = before = 0.0
    for sheet in sheets:
        numbers = sheet.numbers(address)
        if not numbers or not sheet.total:
            continue
        good, tree, end = sheet.held[0], sheet.page.tree, -1
        total, first = total + sheet.total, first + good[numbers[0]]
        before += _before(sheet, numbers[0])
        for number in numbers:
            held, end = held + (good[number] if number >= end else 0.0), max(end, tree.ends[number])
    total = max(1.0, total)
    return Held(held / total, (held - first) / total, before / total)


def _before(sheet: Sheet, number: int) -> float:
    """Kept words of the elements that end before an element starts."""
    tree, kept, words = sheet.page.tree, sheet.held[0], 0.0
    for above in tree.ancestors(number):
        child = above + 1
        while tree.ends[child] <= number:
            words, child = words + kept[child], tree.ends[child]
    return words
