"""The repeated unit of comments and posts: which elements of the pages hold one record each, and how similar to comments they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of, has_token
from sitecrawl.dom.blocks import BITS, EMBEDDED_POST, hint_bits
from sitecrawl.templates.address import is_address
from sitecrawl.templates.aligned_pages import AlignedPage
from sitecrawl.templates.comments.record_parts import id_stem, quoted
from sitecrawl.templates.comments.repeats import built_alike, repeats
from sitecrawl.templates.comments.signs import Signs

_UNIT_TAGS = frozenset("div li article section tr td table dl dd".split())
_TALK = BITS["comment"] | BITS["forum"]
_ASIDE = BITS["nav"] | BITS["side"]
_PROPS = frozenset(("comment", "suggestedAnswer", "acceptedAnswer", "review"))
_COMPLETE = 0.9  # share of the units that an address must find to be theirs


@dataclass(slots=True)
class Unit:
    """A candidate for the repeated unit: an address and what it finds on each page; ``label`` is its class or id. ``by_tags``: it was found by tags
    instead of a name; ``is_nameless``: its address has no name either. ``score`` rates it as comment or post, ``bonus`` adds what authors' names and
    titles show."""

    address: str
    label: str
    pages: list[list[etree._Element]]
    is_nameless: bool = False
    by_tags: bool = False
    score: float = 0.0
    bonus: float = 0.0

    @property
    def nodes(self) -> list[etree._Element]:
        return [node for page in self.pages for node in page]

    @property
    def sample(self) -> list[etree._Element]:
        """At least sixteen elements, distributed evenly over the pages."""
        return _some(self.nodes)

    @property
    def is_comment(self) -> bool:
        """Whether the name says that these are comments."""
        return bool(hint_bits(self.label) & BITS["comment"])


@dataclass(slots=True)
class WordShares:
    """Shares of the body's words, 0..1: inside the units, inside all but the first unit of each page, and before the first unit."""

    units: float = 0.0
    rest: float = 0.0
    before: float = 0.0


def _some(nodes: list[etree._Element]) -> list[etree._Element]:
    return nodes[:: max(1, len(nodes) // 16)]


def _label(address: str) -> str:
    names = quoted(address)
    return names[-1].strip() if names else ""


def names_comments(address: str) -> bool:
    """Whether the name in an address is one of comments or posts."""
    return bool(hint_bits(_label(address)) & _TALK)


def find_units(address: str, pages: Sequence[AlignedPage], *, most: int = 60) -> list[list[etree._Element]]:
    """The elements that the address finds on each page, at most ``most``, without embedded posts of social networks."""
    elements = ([node for node in page.find(address) if isinstance(node, etree._Element)] for page in pages)
    elements = (
        [node for node in found if not EMBEDDED_POST.search((node.get("class") or "")[:200])] for found in elements
    )
    return [found[:most] for found in elements]


def _holders(nodes: Sequence[etree._Element]) -> Counter[etree._Element]:
    """Number of ``nodes`` inside each ancestor."""
    return Counter(above for node in nodes for above in node.iterancestors())


def _candidates(pages: Sequence[AlignedPage], names: Names, *, most: int = 24) -> Iterator[Unit]:
    """Elements that repeat on a page, with addresses by class or id, and by tag below a parent."""
    named, tagged = Counter[str](), Counter[str]()
    for page in pages:
        here: Counter[str] = Counter()
        for node, tag in zip(page.page.tree.nodes, page.page.tree.tags, strict=True):
            if node.attrib and (tag in _UNIT_TAGS or _is_named_record(node)):
                here.update(unit_addresses(node, names))
        named.update({address: min(count, 20) for address, count in here.items() if count > 1})
        tagged.update(repeats(page, names))
    for counts, number in ((named, most), (tagged, most // 2)):
        likely = sorted(counts, key=lambda address: (not names_comments(address), -counts[address]))
        for address in islice(filter(is_address, likely), number):
            found, label = find_units(address, pages), _label(address)
            if counts is tagged:
                found, label = [built_alike(page) for page in found], _label("/".join(address.rsplit("/", 2)[-2:]))
            if any(len(page) > 1 for page in found):
                yield Unit(address, label, found, is_nameless=counts is tagged, by_tags=counts is tagged)


def _is_named_record(node: etree._Element) -> bool:
    """Whether an element is called a post or comment, outside of program text."""
    return bool(hint_bits(node.get("class") or "") & _TALK) and next(node.iterancestors("pre", "code"), None) is None


def unit_addresses(node: etree._Element, names: Names) -> Iterator[str]:
    """Addresses that may name all elements like ``node``: by class, by microdata, by how its id begins."""
    for token in names.tokens(node)[:3]:
        yield f"//{node.tag!s}{has_token(token)}"
    if node.get("itemprop") in _PROPS:
        yield f'//{node.tag!s}[@itemprop="{node.get("itemprop")}"]'
    if stem := id_stem(node):
        yield f'//{node.tag!s}[starts-with(@id, "{stem}")]'


def enlarged_unit(
    unit: Unit, pages: Sequence[AlignedPage], *, names: Names, signs: Signs, precision: float = 0.35
) -> Unit:
    """The largest elements around those of the unit, if date or author stand there and not in the unit itself. The address must find nearly all of
    them, and at least the share ``precision`` of what it finds must be them."""

    def complete(nodes: list[etree._Element]) -> int:
        """1 if most of ``nodes`` contain a date, plus 1 if most contain an author."""
        tests = (signs.is_dated, signs.is_signed)
        return sum(2 * sum(map(test, nodes)) > len(nodes) for test in tests)

    own = complete(unit.sample)
    around = _around(unit.pages) if own < 2 else []
    outer = [node for page in around for node in page]
    if not outer or complete(_some(outer)) <= own:
        return unit
    ways = Counter(way for node in outer for way in unit_addresses(node, names))
    addresses, parent = [way for way, _ in ways.most_common(6)], outer[0].getparent()
    if parent is not None:
        addresses += [f"{address}/{outer[0].tag!s}" for address in addresses_of(parent, names)]
    best, most = "", 0
    for address in filter(is_address, addresses):
        found = {node for page in find_units(address, pages) for node in page}
        is_complete = len(found.intersection(outer)) >= _COMPLETE * len(outer)
        key = len(found), not names_comments(address)
        if is_complete and (not best or key < (most, not names_comments(best))):
            best, most = address, len(found)
    if not best or len(outer) < precision * most:
        return unit
    return Unit(best, unit.label, around, by_tags=unit.by_tags)


def _around(pages: Sequence[list[etree._Element]], *, stray: float = 0.1) -> list[list[etree._Element]]:
    """For each page the highest ancestors that contain exactly one unit and are equally far above it; a share of ``stray`` may be less far."""
    chains: list[list[list[etree._Element]]] = []
    for page in (page for page in pages if len(page) > 1):
        held, found = _holders(page), list[list[etree._Element]]()
        for node in page:
            chain: list[etree._Element] = []
            for above in node.iterancestors():
                if held[above] > 1 or above.tag in ("body", "html") or held[node]:
                    break
                chain.append(above)
            found.append(chain)
        chains.append(found)
    depths = sorted(len(chain) for page in chains for chain in page)
    depth = depths[int(stray * len(depths))] if depths else 0
    return [[chain[depth - 1] for chain in page if len(chain) >= depth] for page in chains] if depth else []


def best_unit(pages: Sequence[AlignedPage], names: Names, *, signs: Signs, namelessness: float = 0.3) -> Unit | None:
    """The unit that is most similar to comments or posts: dated, signed, named so, with words and few links; None if nothing repeats. An address
    without class or id loses ``namelessness``, because positions change more often than names."""
    units = [enlarged_unit(unit, pages, names=names, signs=signs) for unit in _candidates(pages, names)]
    for unit in units:
        unit.score, unit.bonus = _score(unit, signs), _bonus(unit, signs)

    def worth(unit: Unit) -> tuple[float, bool, int, bool]:
        total = unit.score + unit.bonus + word_shares(unit.address, pages).rest - namelessness * unit.is_nameless
        return round(total, 1), not unit.is_nameless, len(unit.nodes), names_comments(unit.address)

    return max(units, key=worth, default=None)


def _score(unit: Unit, signs: Signs, *, beside: float = 0.8) -> float:
    """Score of a unit: short lines with dates, words outside links, class names; nested units lose. A date in a row beside counts ``beside``."""
    nodes, own = unit.sample, frozenset(unit.nodes)
    dated = 0.0
    for node in nodes:
        if signs.is_dated(node):
            dated += 1
            continue
        around = (next(node.itersiblings(preceding=before), None) for before in (True, False))
        dated += beside * any(one is not None and one not in own and signs.is_dated(one) for one in around)
    texts = [signs.text(node) for node in nodes]
    words = sum(min(20, words) for _, _, words in texts) / len(nodes)
    if len(set(texts)) <= 0.6 * len(texts) or words < 4:
        return 0.0
    bits = hint_bits(unit.label)
    talk = bool(bits & _TALK) and not bits & _ASIDE
    return dated / len(nodes) + 0.8 * talk + words / 20 - 1.5 * max(0.0, signs.link_share(nodes[1:]) - 0.4)


def _bonus(unit: Unit, signs: Signs) -> float:
    """Bonus of a unit for names of authors, and malus for titles that link to other pages."""
    nodes = unit.sample
    signed = sum(1 + signs.is_dated(node) for node in nodes if signs.is_signed(node)) / len(nodes)
    titles = {title for node in nodes if (title := signs.title_in(node))}
    return 0.3 * signed - (0.5 if unit.is_comment else 1.0) * (2 * len(titles) > len(nodes))


def word_shares(address: str, pages: Sequence[AlignedPage]) -> WordShares:
    """The shares of words in what ``address`` finds, over the pages where it finds something."""
    total = held = first = before = 0.0
    for page in pages:
        numbers = page.numbers(address)
        if not numbers or not page.total:
            continue
        good, tree, end = page.held[0], page.page.tree, -1
        total, first = total + page.total, first + good[numbers[0]]
        for above in tree.ancestors(numbers[0]):  # words of the elements that end before the first unit starts
            child = above + 1
            while tree.ends[child] <= numbers[0]:
                before, child = before + good[child], tree.ends[child]
        for number in numbers:
            held, end = held + (good[number] if number >= end else 0.0), max(end, tree.ends[number])
    total = max(1.0, total)
    return WordShares(held / total, (held - first) / total, before / total)
