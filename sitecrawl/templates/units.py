"""The repeated unit of comments and posts: which elements of the pages hold one record each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from sitecrawl.dom.align import Names, has_token
from sitecrawl.dom.blocks import BITS, hint_bits
from sitecrawl.templates.address import is_address, text_of
from sitecrawl.templates.parts import id_stem, quoted
from sitecrawl.templates.sheet import Sheet

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
        return some(self.nodes)

    @property
    def is_comment(self) -> bool:
        """Whether the name says that these are comments."""
        return bool(hint_bits(self.called) & BITS["comment"])

    @property
    def answers(self) -> bool:
        """Whether the first on each page is marked as a comment or an answer."""
        return all(page[0].get("itemprop") in _PROPS for page in self.pages if page)


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
    units = (Unit(address, _called(address), found_by(address, sheets)) for address in _repeated(sheets, names))
    return [unit for unit in units if any(len(page) > 1 for page in unit.pages)]


def _repeated(sheets: Sequence[Sheet], names: Names) -> list[str]:
    seen: Counter[str] = Counter()
    for sheet in sheets:
        here: Counter[str] = Counter()
        for node, tag in zip(sheet.page.tree.nodes, sheet.page.tree.tags, strict=True):
            if node.attrib and (tag in _UNIT_TAGS or _is_text(node)):
                here.update(points(node, names))
        seen.update({address: min(count, 20) for address, count in here.items() if count > 1})
    likely = sorted(seen, key=lambda address: (not speaks(address), -seen[address]))
    return [address for address in likely if is_address(address)][:_MOST]


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
