"""The repeated unit of comments and posts: which elements of the pages hold one record each, and
how similar to comments they are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of, has_token
from sitecrawl.dom.blocks import BITS, hint_bits
from sitecrawl.dom.document import Document
from sitecrawl.limits import cached
from sitecrawl.templates.address import is_address
from sitecrawl.templates.aligned_pages import AlignedPage
from sitecrawl.templates.comments.record_parts import id_stem, quoted
from sitecrawl.templates.comments.repeats import addresses_of_repeats
from sitecrawl.templates.signs import DISCUSSION, Signs

_UNIT_TAGS = frozenset("div li article section tr td table dl dd".split())
_PROPS = frozenset(
    ("comment", "suggestedAnswer", "acceptedAnswer", "review")
)  # schema.org itemprop
ElementAt = tuple[Signs, int]  # an element: the signs of its page, and its number


@dataclass(slots=True)
class UnitCandidate:
    """A candidate for the repeated unit: an address and what it finds on each page; ``label`` is
    its class or id if that is a name of comments or posts.
    ``by_tags``: it was found by tags instead of a name; ``is_nameless``: its address has no name
    either. ``score`` rates it as comment or post by dates,
    name, words and links, ``bonus`` by authors' names and titles. ``share`` is its part of the
    words of the body, without the first unit of each page."""

    address: str
    label: str
    pages: list[list[int]]
    is_nameless: bool = False
    by_tags: bool = False
    score: float = 0.0
    bonus: float = 0.0
    share: float = 0.0

    @property
    def are_comments(self) -> bool:
        """Whether it holds comments or posts. Score and share, of which half counts for elements
        with a class or id, must be high. It must also have a name of comments, or 5 % of the words,
        or a very high score (lower if only tags address it). Units with titles that link to other
        pages are teasers without such a name or share, whatever their score."""
        rating, own = self.score + self.bonus, self.share if self.by_tags else self.share / 2
        # without a name of comments, words with day and author are as sure as words with day and
        # name
        most = self.score if self.label else rating + 0.1
        is_sure = self.bonus >= 0 and (rating >= 1.9 if self.is_nameless else most >= 2.6)
        return rating + own >= 1.8 and (
            bool(hint_bits(self.label) & BITS["comment"]) or self.share >= 0.05 or is_sure
        )


def elements_of(found: Sequence[list[int]], pages: Sequence[AlignedPage]) -> list[ElementAt]:
    """The elements that were found on each page, with the signs of their pages."""
    return [(page.signs, at) for page, numbers in zip(pages, found, strict=True) for at in numbers]


def _sample(elements: list[ElementAt]) -> list[ElementAt]:
    """At least sixteen elements, distributed evenly."""
    return elements[:: max(1, len(elements) // 16)]


def _label(address: str) -> str:
    return str(["", *quoted(address)][-1]).strip()


@cached(4_096)
def names_comments(address: str) -> bool:
    """Whether the name in an address is one of comments or posts."""
    return bool(hint_bits(_label(address)) & DISCUSSION)


def find_units(address: str, pages: Sequence[AlignedPage], *, most: int = 60) -> list[list[int]]:
    """The elements that the address finds on each page, at most ``most``, without embedded posts of
    social networks."""
    return [
        [at for at in page.numbers(address) if at not in page.signs.embedded][:most]
        for page in pages
    ]


def _candidates(
    pages: Sequence[AlignedPage], names: Names, *, most: int = 24
) -> Iterator[UnitCandidate]:
    """Elements that repeat on a page, with addresses by class or id, and by tag below a parent. The
    same elements come again only where another name says that they are comments."""
    named, tagged, seen = Counter[str](), Counter[str](), set[Hashable]()
    for page in pages:
        here = _addresses_on(page.page.document, names).items()
        named.update({f"//{tag}{test}": min(count, 20) for (tag, test), count in here if count > 1})
        tagged.update(addresses_of_repeats(page, names))
    for counts, number, by_tags in ((named, most, False), (tagged, most // 4, True)):
        telling = (
            BITS["comment"] if by_tags else DISCUSSION
        )  # parts of an article are in a post as well
        likely = sorted(counts, key=lambda address: (not names_comments(address), -counts[address]))
        for address in islice(filter(is_address, likely), number):
            found = find_units(address, pages)
            label = _label("/".join(address.rsplit("/", 2)[-2:]) if by_tags else address)
            label = label if hint_bits(label) & telling else ""
            elements, hints = tuple(map(tuple, found)), (bool(label), names_comments(address))
            is_new = seen.isdisjoint(((elements, hints), (elements, (True, True))))
            seen.add((elements, hints))
            if is_new and any(len(units) > 1 for units in found):
                yield UnitCandidate(address, label, found, is_nameless=by_tags, by_tags=by_tags)


def _addresses_on(document: Document, names: Names) -> dict[tuple[str, str], int]:
    """How many elements of a page have each tag with each predicate that may name records."""
    here, tags = defaultdict[tuple[str, str], int](int), document.tags
    code = {
        at
        for tag in ("pre", "code")
        for pre in document.tagged(tag)
        for at in range(pre, document.ends[pre])
    }
    for name, found in document.holders("class").items():
        bits = hint_bits(name)
        holders = [
            tags[at]
            for at in found
            if tags[at] in _UNIT_TAGS or (bits & BITS["comment"] and at not in code)
        ]
        if holders:
            tokens = names.tokens_of(name) or (
                list(filter(names.is_shared, name.split())) if bits & DISCUSSION else []
            )
            for test in map(has_token, tokens[:3]):
                for tag in holders:
                    here[tag, test] += 1
    for at in {**document.attributes["itemprop"], **document.attributes["id"]}:
        if tags[at] in _UNIT_TAGS:
            for test in _other_tests(document.nodes[at]):
                here[tags[at], test] += 1
    return here


def _other_tests(node: etree._Element) -> Iterator[str]:
    prop = node.get("itemprop")
    if prop in _PROPS:
        yield f'[@itemprop="{prop}"]'
    if stem := id_stem(node.get("id") or ""):
        yield f'[starts-with(@id, "{stem}")]'


def unit_addresses(node: etree._Element, names: Names) -> list[str]:
    """Addresses that may name all elements like ``node``: by class, by microdata, by how its id
    begins."""
    return [
        f"//{node.tag!s}{test}"
        for test in (*map(has_token, names.tokens(node)[:3]), *_other_tests(node))
    ]


def enlarged_unit(
    unit: UnitCandidate,
    pages: Sequence[AlignedPage],
    *,
    names: Names,
    precision: float = 0.35,
    recall: float = 0.9,
) -> UnitCandidate:
    """The largest elements around the elements of the unit, if date or author stand there and not
    in the unit itself. Their address must find the share
    ``recall`` of these elements, and they must be at least the share ``precision`` of what it
    finds."""

    def signs_of(sample: list[ElementAt]) -> int:
        """How many of date and author most of the elements contain."""
        counts = (
            sum(here.dated[at] for here, at in sample),
            sum(here.signed[at] for here, at in sample),
        )
        return sum(2 * count > len(sample) for count in counts)

    signs_of_unit = signs_of(_sample(elements_of(unit.pages, pages)))
    if signs_of_unit == 2:
        return unit
    around = _around(unit.pages, pages)
    outer = elements_of(around, pages)
    if not outer or signs_of(_sample(outer)) <= signs_of_unit:
        return unit
    nodes = [here.document.nodes[at] for here, at in outer]
    ways = Counter(way for node in nodes for way in unit_addresses(node, names))
    addresses, parent = [way for way, _ in ways.most_common(6)], nodes[0].getparent()
    if parent is not None:
        addresses += [f"{address}/{nodes[0].tag!s}" for address in addresses_of(parent, names)]
    counts = dict[str, tuple[int, bool]]()
    for address in filter(is_address, addresses):
        found = set(elements_of(find_units(address, pages), pages))
        if len(found.intersection(outer)) >= recall * len(outer):
            counts[address] = len(found), not names_comments(address)
    best = min(counts, key=counts.__getitem__, default="")
    if not counts or len(outer) < precision * counts[best][0]:
        return unit
    return UnitCandidate(best, unit.label, around, by_tags=unit.by_tags)


def _around(
    units: Sequence[list[int]], pages: Sequence[AlignedPage], *, stray: float = 0.1
) -> list[list[int]]:
    """For each page the highest ancestors that contain exactly one unit and are equally far above
    it; a share of ``stray`` may be less far."""
    chains = list[list[list[int]]]()
    for own, document in zip(units, (page.page.document for page in pages), strict=True):
        gaps = zip([0, *own], own, [*own[1:], len(document)], strict=False) if len(own) > 1 else ()
        chains.append([_between(document, at, first=first, end=end) for first, at, end in gaps])
    depths = sorted(len(chain) for page in chains for chain in page)
    depth = depths[int(stray * len(depths))] if depths else 0
    return [[chain[depth - 1] for chain in page if len(chain) >= depth > 0] for page in chains]


def _between(document: Document, at: int, *, first: int, end: int) -> list[int]:
    """The elements around an element that are inside ``first:end``."""
    found = list[int]()
    while (at := document.parents[at]) >= first and document.ends[at] <= end:
        if document.tags[at] not in ("body", "html"):
            found.append(at)
    return found


def best_unit(
    pages: Sequence[AlignedPage], names: Names, *, namelessness: float = 0.3
) -> UnitCandidate | None:
    """The unit that is most similar to comments or posts: dated, signed, named so, with words and
    few links; None if no unit holds comments. An address without class or id loses
    ``namelessness``, because positions change more often than names. A unit that finds more than
    another, and all that this one finds, is better than it: every other comment has a name of its
    own. The texts of a unit are only read where it could be the best."""
    rated = list[tuple[float, int, UnitCandidate]]()
    for candidate in _candidates(pages, names):
        unit = enlarged_unit(candidate, pages, names=names)
        elements = elements_of(unit.pages, pages)
        sample = _sample(elements)
        signed = sum(1 + here.dated[at] for here, at in sample if here.signed[at]) / len(sample)
        unit.score, unit.bonus = (
            _score_without_texts(unit.label, sample, elements=elements),
            0.3 * signed,
        )
        unit.share = word_shares(unit.address, pages)[1]
        rated.append(
            (
                unit.score + unit.bonus + unit.share - namelessness * unit.is_nameless,
                -len(rated),
                unit,
            )
        )
    best, most, held = (
        None,
        tuple[float, ...]((1.4,)),
        frozenset[ElementAt](),
    )  # with less none holds comments
    for bound, number, unit in sorted(rated, key=itemgetter(0, 1), reverse=True):
        if bound + 1 < most[0] - 0.06:  # with all of the words; totals are rounded
            break
        if _is_layout(unit.pages, pages):
            continue
        _rate_texts(unit, pages)
        total = round(unit.score + unit.bonus + unit.share - namelessness * unit.is_nameless, 1)
        worth = (
            total,
            not unit.is_nameless,
            sum(map(len, unit.pages)),
            names_comments(unit.address),
            number,
        )
        own = frozenset(elements_of(unit.pages, pages))
        if unit.are_comments and (own > held or (worth > most and not own < held)):
            best, most, held = unit, worth, own
    return best


def _is_layout(
    found: Sequence[list[int]], pages: Sequence[AlignedPage], *, share: float = 0.9
) -> bool:
    """Whether the elements are boxes of a layout instead of posts: on every page the first has no
    word of the body, and another nearly all. It also has more words than those with date and author
    together: in a thread, of which the extractor took one post for the body, the others have
    more."""
    several = [
        (page, boxes)
        for page, boxes in zip(pages, found, strict=True)
        if len(boxes) > 1 and page.total
    ]
    for page, boxes in several:
        kept, signs = page.kept_words, page.signs
        body = max(boxes, key=kept.__getitem__)
        if kept[boxes[0]] or kept[body] < share * page.total:
            return False
        signed = (
            page.words(at) for at in boxes if not kept[at] and signs.dated[at] and signs.signed[at]
        )
        if sum(map(sum, signed)) > sum(page.words(body)):
            return False
    return bool(several)


def _rate_texts(unit: UnitCandidate, pages: Sequence[AlignedPage], *, rows: int = 8) -> None:
    """Add what the texts of a unit tell: comments have words, at least twenty for a whole point,
    and, unlike teasers, no titles that are links to other pages and differ on a page: these cost as
    much as a name of posts, a date and an author are worth."""
    sample = _sample(elements_of(unit.pages, pages))
    words = sum(min(20, here.text(at)[1]) for here, at in sample) / len(sample)
    titles = [
        [page.signs.title_in(at) for at in found[:rows]]
        for page, found in zip(pages, unit.pages, strict=True)
    ]
    unit.score += words / 20
    unit.bonus -= 2 * (2 * sum(len({*own} - {None}) for own in titles) > sum(map(len, titles)))


def _score_without_texts(
    label: str, sample: Sequence[ElementAt], *, elements: Sequence[ElementAt]
) -> float:
    """Score of a unit by its dates, which may stand in a row beside it, its name, and the share of
    linked characters in its texts."""
    own = set(elements) if not all(here.dated[at] for here, at in sample) else ()
    dated = sum(
        here.dated[at]
        or any(here.dated[near] and (here, near) not in own for near in here.beside(at))
        for here, at in sample
    )
    plain, linked = (sum(here.sizes[which][at] for here, at in sample[1:]) for which in (1, 2))
    cost = 1.5 * max(0.0, linked / max(1, plain + linked) - 0.4)
    return dated / len(sample) + 0.8 * bool(label) - cost


def word_shares(address: str, pages: Sequence[AlignedPage]) -> tuple[float, float, float]:
    """Shares of the body's words, 0..1, over the pages where ``address`` finds units: inside the
    units, inside all but the first unit of each page, and before the first unit."""
    total = held = first = before = 0.0
    for page in pages:
        numbers = page.numbers(address)
        if not numbers or not page.total:
            continue
        good, document, end = page.kept_words, page.page.document, -1
        total, first = total + page.total, first + good[numbers[0]]
        for above in document.ancestors(
            numbers[0]
        ):  # words of the elements that end before the first unit starts
            child = above + 1
            while document.ends[child] <= numbers[0]:
                before, child = before + good[child], document.ends[child]
        for number in numbers:
            held, end = (
                held + (good[number] if number >= end else 0.0),
                max(end, document.ends[number]),
            )
    total = max(1.0, total)
    return held / total, (held - first) / total, before / total
