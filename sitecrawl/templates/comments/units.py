"""The repeated unit of comments and posts: which elements of the pages hold one record each, and how similar to comments they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of, has_token
from sitecrawl.dom.blocks import BITS, hint_bits
from sitecrawl.dom.tree import Tree
from sitecrawl.templates.address import is_address
from sitecrawl.templates.aligned_pages import AlignedPage
from sitecrawl.templates.comments.record_parts import id_stem, quoted
from sitecrawl.templates.comments.repeats import repeats
from sitecrawl.templates.signs import DISCUSSION, Signs

_UNIT_TAGS = frozenset("div li article section tr td table dl dd".split())
_WHOLE = ("body", "html")
_PROPS = frozenset(("comment", "suggestedAnswer", "acceptedAnswer", "review"))  # schema.org itemprop
Located = tuple[Signs, int]  # an element: the signs of its page, and its number
_COMPLETE = 0.9  # share of the units that an address must find to be theirs


@dataclass(slots=True)
class Unit:
    """A candidate for the repeated unit: an address and what it finds on each page; ``label`` is its class or id. ``by_tags``: it was found by tags
    instead of a name; ``is_nameless``: its address has no name either. ``score`` rates it as comment or post, ``bonus`` adds what authors' names and
    titles show."""

    address: str
    label: str
    pages: list[list[int]]
    is_nameless: bool = False
    by_tags: bool = False
    score: float = 0.0
    bonus: float = 0.0

    def sample(self, pages: Sequence[AlignedPage]) -> list[Located]:
        """At least sixteen of the elements, distributed evenly."""
        found = self.located(pages)
        return found[:: max(1, len(found) // 16)]

    def located(self, pages: Sequence[AlignedPage]) -> list[Located]:
        """All elements with the signs of their pages."""
        return [(page.signs, at) for page, found in zip(pages, self.pages, strict=True) for at in found]

    @property
    def is_comment(self) -> bool:
        """Whether the name says that these are comments."""
        return bool(hint_bits(self.label) & BITS["comment"])


def _label(address: str) -> str:
    return str(["", *quoted(address)][-1]).strip()


def names_comments(address: str) -> bool:
    """Whether the name in an address is one of comments or posts."""
    return bool(hint_bits(_label(address)) & DISCUSSION)


def find_units(address: str, pages: Sequence[AlignedPage], *, most: int = 60) -> list[list[int]]:
    """The elements that the address finds on each page, at most ``most``, without embedded posts of social networks."""
    found = ((page.numbers(address), page.signs.embedded) for page in pages)
    return [([at for at in units if at not in posts] if posts else units)[:most] for units, posts in found]


def _candidates(pages: Sequence[AlignedPage], names: Names, *, most: int = 24) -> Iterator[Unit]:
    """Elements that repeat on a page, with addresses by class or id, and by tag below a parent."""
    named, tagged = Counter[str](), Counter[str]()
    for page in pages:
        here = _addresses_on(page.page.tree, names)
        named.update({address: min(count, 20) for address, count in here.items() if count > 1})
        tagged.update(repeats(page, names))
    for counts, number in ((named, most), (tagged, most // 4)):
        likely = sorted(counts, key=lambda address: (not names_comments(address), -counts[address]))
        for address in islice(filter(is_address, likely), number):
            found, label = find_units(address, pages), _label(address)
            if counts is tagged:
                label = _label("/".join(address.rsplit("/", 2)[-2:]))
            if any(len(units) > 1 for units in found):
                yield Unit(address, label, found, is_nameless=counts is tagged, by_tags=counts is tagged)


def _addresses_on(tree: Tree, names: Names) -> Counter[str]:
    """How often each address stands on a page that may name records."""
    here, tags = Counter[str](), tree.tags
    code = {
        at for tag in ("pre", "code") for start in tree.tagged.get(tag, ()) for at in range(start, tree.ends[start])
    }
    for name, found in tree.holders("class").items():
        is_discussion = hint_bits(name) & DISCUSSION
        counts = Counter(tags[at] for at in found if tags[at] in _UNIT_TAGS or (is_discussion and at not in code))
        for token in names.tokens_of(name)[:3] if counts else ():
            for tag, count in counts.items():
                here[f"//{tag}{has_token(token)}"] += count
    for at in {**tree.attributes["itemprop"], **tree.attributes["id"]}:
        if tags[at] in _UNIT_TAGS or hint_bits(tree.attributes["class"].get(at, "")) & DISCUSSION:
            here.update(_other_addresses(tree.nodes[at]))
    return here


def unit_addresses(node: etree._Element, names: Names) -> list[str]:
    """Addresses that may name all elements like ``node``: by class, by microdata, by how its id begins."""
    return [*(f"//{node.tag!s}{has_token(token)}" for token in names.tokens(node)[:3]), *_other_addresses(node)]


def _other_addresses(node: etree._Element) -> Iterator[str]:
    prop = node.get("itemprop")
    if prop in _PROPS:
        yield f'//{node.tag!s}[@itemprop="{prop}"]'
    if stem := id_stem(node):
        yield f'//{node.tag!s}[starts-with(@id, "{stem}")]'


def enlarged_unit(unit: Unit, pages: Sequence[AlignedPage], *, names: Names, precision: float = 0.35) -> Unit:
    """The largest elements around those of the unit, if date or author stand there and not in the unit itself. The address must find nearly all of
    them, and at least the share ``precision`` of what it finds must be them."""

    def complete(sample: list[Located]) -> int:
        """1 if most of the elements contain a date, plus 1 if most contain an author."""
        counts = sum(here.dated[at] for here, at in sample), sum(here.signed[at] for here, at in sample)
        return sum(2 * count > len(sample) for count in counts)

    own = complete(unit.sample(pages))
    larger = Unit("", unit.label, _around(unit.pages, pages) if own < 2 else [[]] * len(pages), by_tags=unit.by_tags)
    outer = larger.located(pages)
    if not outer or complete(larger.sample(pages)) <= own:
        return unit
    nodes = [here.tree.nodes[at] for here, at in outer]
    ways = Counter(way for node in nodes for way in unit_addresses(node, names))
    addresses, parent = [way for way, _ in ways.most_common(6)], nodes[0].getparent()
    if parent is not None:
        addresses += [f"{address}/{nodes[0].tag!s}" for address in addresses_of(parent, names)]
    most = 0
    for address in filter(is_address, addresses):
        found = set(Unit(address, "", find_units(address, pages)).located(pages))
        is_complete = len(found.intersection(outer)) >= _COMPLETE * len(outer)
        key = len(found), not names_comments(address)
        if is_complete and (not larger.address or key < (most, not names_comments(larger.address))):
            larger.address, most = address, len(found)
    return larger if larger.address and len(outer) >= precision * most else unit


def _around(units: Sequence[list[int]], pages: Sequence[AlignedPage], *, stray: float = 0.1) -> list[list[int]]:
    """For each page the highest ancestors that contain exactly one unit and are equally far above it; a share of ``stray`` may be less far."""
    chains = list[list[list[int]]]()
    for own, tree in zip(units, (page.page.tree for page in pages), strict=True):
        gaps = zip([-1, *own], own, [*own[1:], len(tree)], strict=False) if len(own) > 1 else ()
        chains.append([
            [at for at in tree.ancestors(unit) if before <= at and tree.ends[at] <= behind and tree.tags[at] not in _WHOLE]
            for before, unit, behind in gaps
        ])  # fmt: skip
    depths = sorted(len(chain) for page in chains for chain in page)
    depth = depths[int(stray * len(depths))] if depths else 0
    return [[chain[depth - 1] for chain in page if len(chain) >= depth > 0] for page in chains]


def best_unit(pages: Sequence[AlignedPage], names: Names, *, namelessness: float = 0.3) -> Unit | None:
    """The unit that is most similar to comments or posts: dated, signed, named so, with words and few links; None if no unit was found. An address
    without class or id loses ``namelessness``, because positions change more often than names. The texts of a unit are only read where it could be
    the best."""
    best, most = None, tuple[float, ...]((0.0,))
    for candidate in _candidates(pages, names):
        unit = enlarged_unit(candidate, pages, names=names)
        elements, sample = unit.located(pages), unit.sample(pages)
        place = word_shares(unit.address, pages)[1] - namelessness * unit.is_nameless
        told = _told(unit.label, sample, own=set(elements))
        signed = sum(1 + here.dated[at] for here, at in sample if here.signed[at]) / len(sample)
        if round(place + told + 0.3 * signed + 1, 1) < most[0]:  # with all of the words and no link
            continue
        titles = {title for here, at in sample if (title := here.title_in(at))}  # links to other pages
        unit.score = _score(told, sample)
        unit.bonus = 0.3 * signed - (2 * len(titles) > len(sample))
        total = round(unit.score + unit.bonus + place, 1)
        worth = total, not unit.is_nameless, len(elements), names_comments(unit.address)
        if worth > most:
            best, most = unit, worth
    return best


def _told(label: str, sample: Sequence[Located], *, own: set[Located]) -> float:
    """Score of a unit by its dates, which may stand in a row beside it, and its name."""
    dated = sum(
        here.dated[at] or any(here.dated[one] and (here, one) not in own for one in here.beside(at))
        for here, at in sample
    )
    return dated / len(sample) + 0.8 * bool(hint_bits(label) & DISCUSSION)


def _score(told: float, sample: Sequence[Located]) -> float:
    """Score of a unit by its signs, its words, and the share of its links."""
    words = sum(min(20, here.text(at)[1]) for here, at in sample) / len(sample)
    return told + words / 20 - 1.5 * max(0.0, link_share(sample[1:]) - 0.4)


def link_share(sample: Sequence[Located]) -> float:
    """Share of linked characters in the texts of elements."""
    plain, linked = (sum(here.sizes[which][at] for here, at in sample) for which in (1, 2))
    return linked / max(1, plain + linked)


def word_shares(address: str, pages: Sequence[AlignedPage]) -> tuple[float, float, float]:
    """Shares of the body's words, 0..1, over the pages where ``address`` finds units: inside the units, inside all but the first unit of each page, and
    before the first unit."""
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
    return held / total, (held - first) / total, before / total
