"""The repeated unit of comments and posts: which elements of the pages hold one record each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of, has_token
from sitecrawl.dom.hints import BITS, hint_bits
from sitecrawl.templates.address import find, is_address, text_of
from sitecrawl.templates.held import held_by
from sitecrawl.templates.parts import id_stem
from sitecrawl.templates.sheet import Sheet
from sitecrawl.templates.signs import has_one_date, is_signed, profile_stem
from sitecrawl.values.chars import word_count

_ASIDE = BITS["nav"] | BITS["side"]
_UNIT_TAGS = frozenset("div li article section tr td table dl dd".split())
_TALK = BITS["comment"] | BITS["forum"]
_PROPS = frozenset(("comment", "suggestedAnswer", "acceptedAnswer", "review"))
_QUOTED = re.compile(r'"([^"]*)"')
_MOST = 24
_SAMPLE = 60
"""Elements of one page that a candidate is judged by."""
_JUDGED = 16
"""Records that a candidate is scored by, taken evenly over the pages."""
_SIGNED = 0.3
_TEASER = 1.0
_KEPT = 0.5
"""Weight of the share of the body's words that stand in the units after the first."""
_WRAPPING = 1.1
_HALF = 0.5
_STRAY = 0.1
"""Share of the elements that may stand less deep than the rest when the unit grows."""
_PRECISE, _COMPLETE = 0.35, 0.9
"""Shares: of what an address finds that are units, of the units that it finds."""
_BESIDE = 0.8
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


@dataclass(slots=True)
class Unit:
    """A candidate for the repeated unit: an address and what it finds on each page; ``called`` is the name it goes by.

    ``score`` tells how like a comment or post it is, ``bonus`` what its authors' names and headings add to that.
    """

    address: str
    called: str
    pages: list[list[etree._Element]]
    score: float = 0.0
    bonus: float = 0.0

    @property
    def nodes(self) -> list[etree._Element]:
        return [node for page in self.pages for node in page]

    @property
    def sample(self) -> list[etree._Element]:
        """Some elements, taken evenly over the pages."""
        nodes = self.nodes
        return nodes[:: max(1, len(nodes) // _JUDGED)]

    @property
    def is_comment(self) -> bool:
        """Whether the name says that these are comments."""
        return bool(hint_bits(self.called) & BITS["comment"])


def best_unit(sheets: Sequence[Sheet], names: Names) -> Unit | None:
    """The unit most like a comment or post: dated, signed, called so, with words and few links; None without repetition."""
    units = [Unit(address, _called(address), _found(address, sheets)) for address in _candidates(sheets, names)]
    units = [_grown(unit, sheets, names) for unit in units if any(len(page) > 1 for page in unit.pages)]
    for unit in units:
        unit.score = _score(unit)
    worth = {
        id(unit): round(unit.score + _bonus(unit) + _KEPT * held_by(unit.address, sheets).rest, 1) for unit in units
    }
    return max(units, key=lambda unit: (worth[id(unit)], len(unit.nodes), _speaks(unit.address)), default=None)


def _worth(unit: Unit, sheets: Sequence[Sheet]) -> tuple[float, int, bool]:
    total = unit.score + unit.bonus + _KEPT * held_by(unit.address, sheets).rest
    return round(total, 1), len(unit.nodes), _speaks(unit.address)


def linked(nodes: Sequence[etree._Element]) -> float:
    """Share of linked characters in the texts of ``nodes``."""
    links = sum(len("".join(a.itertext()).strip()) for node in nodes for a in node.iter("a"))
    return links / max(1, sum(len(text_of(node)) for node in nodes))


def _speaks(address: str) -> bool:
    return bool(hint_bits(_called(address)) & _TALK)


def _called(address: str) -> str:
    quoted = _QUOTED.findall(address)
    return quoted[-1].strip() if quoted else ""


def _found(address: str, sheets: Sequence[Sheet]) -> list[list[etree._Element]]:
    """What the address finds on each page."""
    found = (find(address, sheet.page.root)[:_SAMPLE] for sheet in sheets)
    return [_bare([node for node in page if isinstance(node, etree._Element)]) for page in found]


def _bare(nodes: list[etree._Element]) -> list[etree._Element]:
    """``nodes`` without those that are a mere wrapping of another."""
    held = _held(nodes)
    inside = {above: node for node in nodes for above in node.iterancestors() if held[above] == 1}
    return [node for node in nodes if node not in inside or not _wraps(node, inside[node])]


def _wraps(outer: etree._Element, inner: etree._Element) -> bool:
    return len(text_of(outer)) <= _WRAPPING * len(text_of(inner))


def _candidates(sheets: Sequence[Sheet], names: Names) -> list[str]:
    """Addresses of elements that repeat on a page."""
    seen: Counter[str] = Counter()
    for sheet in sheets:
        here: Counter[str] = Counter()
        for node, tag in zip(sheet.page.tree.nodes, sheet.page.tree.tags, strict=True):
            if node.attrib and (tag in _UNIT_TAGS or hint_bits(node.get("class") or "") & _TALK):
                here.update(_points(node, names))
        seen.update({address: min(count, 20) for address, count in here.items() if count > 1})
    likely = sorted(seen, key=lambda address: (not _speaks(address), -seen[address]))
    return [address for address in likely if is_address(address)][:_MOST]


def _points(node: etree._Element, names: Names) -> Iterator[str]:
    """Addresses that may name all elements like ``node``: by class, by microdata, by how its id begins."""
    for token in names.tokens(node)[:3]:
        yield f"//{node.tag!s}{has_token(token)}"
    if node.get("itemprop") in _PROPS:
        yield f'//{node.tag!s}[@itemprop="{node.get("itemprop")}"]'
    if stem := id_stem(node):
        yield f'//{node.tag!s}[starts-with(@id, "{stem}")]'


def _score(unit: Unit) -> float:
    """Dates in short lines, words beside links, names of talk; a unit that holds others of its kind is no unit."""
    nodes = unit.sample
    texts = [text_of(node) for node in nodes]
    dated = sum(_dated(node, frozenset(unit.nodes)) for node in nodes) / len(nodes)
    words = sum(min(20, word_count(text)) for text in texts) / len(nodes)
    bits = hint_bits(unit.called)
    talk = bool(bits & _TALK) and not bits & _ASIDE
    varied = len(set(texts)) / len(texts)
    return (dated + 0.8 * talk + words / 20 - 1.5 * max(0.0, linked(nodes[1:]) - 0.4)) * (varied > 0.6) * (words >= 4)


def _dated(node: etree._Element, marks: frozenset[etree._Element]) -> float:
    """Whether a unit holds one date; less when the element beside it does, a row above the post."""
    if has_one_date(node):
        return 1.0
    beside = (next(node.itersiblings(preceding=before), None) for before in (True, False))
    return _BESIDE * any(other is not None and other not in marks and has_one_date(other) for other in beside)


def _bonus(unit: Unit) -> float:
    """What speaks for a unit beside others: names of authors; against it: headings that lead to other pages."""
    nodes = unit.sample
    signs = [(has_one_date(node), is_signed(node)) for node in nodes]
    signed = sum(signed + (signed and dated) for dated, signed in signs) / len(nodes)
    teasers = [heading for node in nodes if (heading := _title_link(node))]
    leads = len(set(teasers)) / len(nodes)
    return _SIGNED * signed - _TEASER * (leads > _HALF)


def _title_link(node: etree._Element) -> str | None:
    """Where the link in the first heading of ``node`` leads, unless to a place on a page."""
    for heading in node.iter(*_HEADINGS):
        for link in heading.iter("a"):
            href = link.get("href") or "#"
            return None if "#" in href or profile_stem(link) else href
    return None


def _grown(unit: Unit, sheets: Sequence[Sheet], names: Names) -> Unit:
    """The largest elements around each of the unit's, where date or author stand there and not in the unit itself."""
    if _signs(unit.sample) == (True, True):
        return unit
    around = _around(unit.pages)
    outer = [node for page in around for node in page]
    if not outer or sum(_signs(outer[:: max(1, len(outer) // _JUDGED)])) <= sum(_signs(unit.sample)):
        return unit
    found = {
        address: {node for page in _found(address, sheets) for node in page} for address in _addresses(around, names)
    }
    good = [address for address, nodes in found.items() if len(nodes.intersection(outer)) >= _COMPLETE * len(outer)]
    best = min(good, key=lambda address: (len(found[address]), not _speaks(address)), default="")
    if not best or len(outer) < _PRECISE * len(found[best]):
        return unit
    return Unit(best, unit.called, around)


def _signs(nodes: Sequence[etree._Element]) -> tuple[bool, bool]:
    """Whether most of ``nodes`` hold a date, and whether most hold the name of an author."""
    dated, signed = sum(map(has_one_date, nodes)), sum(map(is_signed, nodes))
    return dated > _HALF * len(nodes), signed > _HALF * len(nodes)


def _around(pages: Sequence[list[etree._Element]]) -> list[list[etree._Element]]:
    """For each page the highest elements that hold one of its units and stand equally far above it."""
    chains = [[_chain(node, held) for node in page] for page in pages if len(page) > 1 for held in [_held(page)]]
    depths = sorted(len(chain) for page in chains for chain in page)
    depth = depths[int(_STRAY * len(depths))] if depths else 0
    if depth == 0:
        return []
    return [[chain[depth - 1] for chain in page if len(chain) >= depth] for page in chains]


def _held(nodes: Sequence[etree._Element]) -> Counter[etree._Element]:
    """How many of ``nodes`` stand in each element above them."""
    return Counter(above for node in nodes for above in node.iterancestors())


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
    points = Counter(point for node in nodes for point in _points(node, names))
    yield from (address for address, _ in points.most_common(6) if is_address(address))
    parent = nodes[0].getparent()
    if parent is not None:
        ways = (f"{address}/{nodes[0].tag!s}" for address in addresses_of(parent, names))
        yield from filter(is_address, ways)
