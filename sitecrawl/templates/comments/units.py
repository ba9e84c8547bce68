"""The repeated unit of comments and posts: which elements of the pages hold one record each, and
how similar to comments they are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

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
from sitecrawl.text.announcements import COMMENTS, label_kind

_UNIT_TAGS = frozenset("div li article section tr td table dl dd details aside".split())
_PROPS = frozenset("comment suggestedAnswer acceptedAnswer review".split())  # schema.org itemprop
_MOST_UNITS = 60  # elements of a page that are examined for one address
_MOST_COUNTED = 20  # elements of a page that count for one address
_NAMED = 0.8  # what a name of comments or posts, or a label above them, adds to a score
_ABOVE = 3  # texts above the first unit that may be such a label
_BY_NAME = 24  # addresses by name that are examined, most frequent first
_BY_TAGS = 6  # addresses by tags
_NAMELESSNESS = 0.3  # what an address without a name loses: positions change more often than names
_LEAST_TOTAL = 1.4  # with less nothing is taken for comments
_ROUNDING = 0.06  # totals are compared to one decimal
_ROWS = 8  # elements of a page whose titles are read
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
    def total(self) -> float:
        """Everything that speaks for it."""
        total = self.score + self.bonus + self.share
        return total - _NAMELESSNESS if self.is_nameless else total

    @property
    def are_comments(self) -> bool:
        """Whether it holds comments or posts. Score and share, of which half counts for elements
        with a class or id, must be high. It must also have a name of comments, or 5 % of the words,
        or a very high score (lower if only tags address it). Units with titles that link to other
        pages are teasers without such a name or share, whatever their score."""
        rating = self.score + self.bonus
        own = self.share if self.by_tags else self.share / 2
        if rating + own < 1.8:
            return False
        if self.share >= 0.05 or hint_bits(self.label) & BITS["comment"]:
            return True
        if self.bonus < 0:
            return False
        if self.is_nameless:
            return rating >= 1.9
        # without a name of comments, words with day and author are as sure as words with day and
        # name
        most = self.score if self.label else rating + 0.1
        return most >= 2.6


class _Worth(NamedTuple):
    """What decides between two units, the most important first."""

    total: float
    has_name: bool
    size: int
    names_comments: bool
    order: int


def elements_of(found: Sequence[list[int]], pages: Sequence[AlignedPage]) -> list[ElementAt]:
    """The elements that were found on each page, with the signs of their pages."""
    return [(page.signs, at) for page, numbers in zip(pages, found, strict=True) for at in numbers]


def _sample(elements: list[ElementAt]) -> list[ElementAt]:
    """At least sixteen elements, distributed evenly."""
    return elements[:: max(1, len(elements) // 16)]


def _label(address: str) -> str:
    """The last name in an address, which the tag of a custom element is as well; empty if it has
    none."""
    found = quoted(address)
    if found:
        return str(found[-1]).strip()
    tag = address.rpartition("/")[2].partition("[")[0]
    return tag if "-" in tag else ""


@cached(4_096)
def names_comments(address: str) -> bool:
    """Whether the name in an address is one of comments or posts."""
    return bool(hint_bits(_label(address)) & DISCUSSION)


def find_units(address: str, pages: Sequence[AlignedPage]) -> list[list[int]]:
    """The elements that the address finds on each page, without embedded posts of social
    networks."""
    found = list[list[int]]()
    for page in pages:
        embedded = page.signs.embedded
        own = [at for at in page.numbers(address) if at not in embedded]
        found.append(own[:_MOST_UNITS])
    return found


def _candidates(pages: Sequence[AlignedPage], names: Names) -> list[UnitCandidate]:
    """Elements that repeat on a page, with addresses by class or id, and by tag below a parent. The
    same elements come again only where another name says that they are comments."""
    named = Counter[str]()
    tagged = Counter[str]()
    for page in pages:
        named.update(_named_addresses(page.document, names))
        tagged.update(addresses_of_repeats(page, names))

    candidates = list[UnitCandidate]()
    seen = set[Hashable]()
    for counts, by_tags in ((named, False), (tagged, True)):
        for address in _likely(counts, _BY_TAGS if by_tags else _BY_NAME):
            found = find_units(address, pages)
            label = _telling_label(address, by_tags=by_tags)
            hints = (bool(label), names_comments(address))
            elements = tuple(map(tuple, found))
            is_new = seen.isdisjoint(((elements, hints), (elements, (True, True))))
            seen.add((elements, hints))
            if is_new and max(map(len, found)) > 1:
                unit = UnitCandidate(
                    address,
                    label,
                    found,
                    is_nameless=by_tags,
                    by_tags=by_tags,
                )
                candidates.append(unit)
    return candidates


def _likely(counts: Counter[str], most: int) -> list[str]:
    """The most frequent addresses, those that name comments first."""
    are_named = dict(zip(counts, names_comments.each(counts), strict=True))
    likely = sorted(counts, key=lambda address: (not are_named[address], -counts[address]))
    return list(islice(filter(is_address, likely), most))


def _telling_label(address: str, *, by_tags: bool) -> str:
    """The name in an address if it is one of comments or posts. Of an address ``by_tags`` the last
    two steps count, and comments only: parts of articles are in a post as well."""
    telling = DISCUSSION
    if by_tags:
        telling = BITS["comment"]
        address = "/".join(address.rsplit("/", 2)[-2:])
    label = _label(address)
    return label if hint_bits(label) & telling else ""


def _named_addresses(document: Document, names: Names) -> dict[str, int]:
    """How many elements of a page have each address by a name that may be one of records, of those
    that find several."""
    counts = defaultdict[str, int](int)
    for (tag, token), count in _counts_by_class(document, names).items():
        if count > 1:
            counts[f"//{tag}{has_token(token)}"] = count
    _count_other_tests(document, counts)
    for tag, count in document.tag_counts.items():
        if "-" in tag:
            counts[f"//{tag}"] = count
    return {address: min(count, _MOST_COUNTED) for address, count in counts.items() if count > 1}


def _counts_by_class(document: Document, names: Names) -> dict[tuple[str, str], int]:
    """How many elements that may be records have each tag and class."""
    tags = document.tags
    code = _in_code(document)
    counts = defaultdict[tuple[str, str], int](int)
    holders = document.holders("class")
    for (name, found), bits in zip(holders.items(), hint_bits.each(holders), strict=True):
        own = [tags[at] for at in found if tags[at] in _UNIT_TAGS]
        if bits & BITS["comment"]:
            own = [tags[at] for at in found if tags[at] in _UNIT_TAGS or at not in code]
        if not own:
            continue
        tokens = names.tokens_of(name)
        if not tokens and bits & DISCUSSION:
            tokens = list(filter(names.is_shared, name.split()))
        for token in tokens[:3]:
            for tag in own:
                counts[tag, token] += 1
    return counts


def _count_other_tests(document: Document, counts: dict[str, int]) -> None:
    """Count the elements of a page by microdata and id."""
    props = document.attributes["itemprop"]
    idents = document.attributes["id"]
    for at in {**props, **idents}:
        tag = document.tags[at]
        if tag in _UNIT_TAGS:
            for test in _other_tests(props.get(at), idents.get(at)):
                counts[f"//{tag}{test}"] += 1


def _in_code(document: Document) -> set[int]:
    """The elements in code, where highlighters name comments so."""
    code = set[int]()
    for start in (*document.tagged("pre"), *document.tagged("code")):
        code.update(range(start, document.ends[start]))
    return code


def _other_tests(prop: str | None, ident: str | None) -> list[str]:
    """Predicates by microdata and by how an id begins."""
    tests = list[str]()
    if prop in _PROPS:
        tests.append(f'[@itemprop="{prop}"]')
    stem = id_stem(ident) if ident else None
    if stem:
        tests.append(f'[starts-with(@id, "{stem}")]')
    return tests


def unit_addresses(node: etree._Element, names: Names) -> list[str]:
    """Addresses that may name all elements like ``node``: by class, by microdata, by how its id
    begins."""
    tests = list(map(has_token, names.tokens(node)[:3]))
    tests += _other_tests(node.get("itemprop"), node.get("id"))
    return [f"//{node.tag!s}{test}" for test in tests]


def enlarged_unit(
    unit: UnitCandidate,
    pages: Sequence[AlignedPage],
    *,
    names: Names,
) -> UnitCandidate:
    """The largest elements around the elements of the unit, if date or author stand there and not
    in the unit itself. Their address must find nine tenths of these elements, and they must be at
    least a third of what it finds."""
    shown = _shown_signs(elements_of(unit.pages, pages))
    if shown == 2:
        return unit
    around = _around(unit.pages, pages)
    outer = elements_of(around, pages)
    if not outer or _shown_signs(outer) <= shown:
        return unit

    nodes = [here.document.nodes[at] for here, at in outer]
    ways = Counter[str]()
    for node in nodes:
        ways.update(unit_addresses(node, names))
    addresses = [way for way, _ in ways.most_common(6)]
    parent = nodes[0].getparent()
    if parent is not None:
        addresses += [f"{address}/{nodes[0].tag!s}" for address in addresses_of(parent, names)]

    counts = dict[str, tuple[int, bool]]()
    for address in filter(is_address, addresses):
        found = set(elements_of(find_units(address, pages), pages))
        if len(found.intersection(outer)) >= 0.9 * len(outer):
            counts[address] = (len(found), not names_comments(address))
    best = min(counts, key=counts.__getitem__, default="")
    if not best or len(outer) < 0.35 * counts[best][0]:
        return unit
    return UnitCandidate(
        best,
        unit.label,
        around,
        by_tags=unit.by_tags,
    )


def _shown_signs(elements: list[ElementAt]) -> int:
    """How many of date and author most of the elements contain."""
    sample = _sample(elements)
    dated = [at for here, at in sample if here.dated[at]]
    signed = [at for here, at in sample if here.signed[at]]
    common = [own for own in (dated, signed) if 2 * len(own) > len(sample)]
    return len(common)


def _around(units: Sequence[list[int]], pages: Sequence[AlignedPage]) -> list[list[int]]:
    """For each page the highest ancestors that contain exactly one unit and are equally far above
    it; a tenth may be less far."""
    chains = list[list[list[int]]]()
    for own, page in zip(units, pages, strict=True):
        document = page.document
        starts = [0, *own]
        ends = [*own[1:], len(document)]
        gaps = (
            zip(
                starts,
                own,
                ends,
                strict=False,
            )
            if len(own) > 1
            else ()
        )
        chains.append(
            [
                _between(
                    document,
                    at,
                    first=first,
                    end=end,
                )
                for first, at, end in gaps
            ]
        )
    depths = sorted([len(chain) for found in chains for chain in found])
    depth = depths[len(depths) // 10] if depths else 0
    if not depth:
        return [[] for _ in chains]
    return [[chain[depth - 1] for chain in found if len(chain) >= depth] for found in chains]


def _between(
    document: Document,
    at: int,
    *,
    first: int,
    end: int,
) -> list[int]:
    """The elements around an element that are inside ``first:end``."""
    parents = document.parents
    found = list[int]()
    at = parents[at]
    while at >= first and document.ends[at] <= end:
        if document.tags[at] not in ("body", "html"):
            found.append(at)
        at = parents[at]
    return found


def best_unit(pages: Sequence[AlignedPage], names: Names) -> UnitCandidate | None:
    """The unit that is most similar to comments or posts: dated, signed, named so, with words and
    few links; None if no unit holds comments. A unit that finds more than another, and all that
    this one finds, is better than it: every other comment has a name of its own. The texts of a
    unit are only read where it could be the best."""
    rated = list[UnitCandidate]()
    for candidate in _candidates(pages, names):
        unit = enlarged_unit(candidate, pages, names=names)
        _rate_signs(unit, pages)
        unit.share = word_shares(unit.address, pages)[1]
        rated.append(unit)
    likely = sorted(enumerate(rated), key=lambda one: one[1].total, reverse=True)

    best = None
    most = _Worth(
        _LEAST_TOTAL,
        False,
        0,
        False,
        0,
    )
    held = frozenset[ElementAt]()
    for number, unit in likely:
        # its words are worth 1 at most
        if unit.total + 1 < most.total - _ROUNDING:
            break
        if _is_layout(unit.pages, pages):
            continue
        _rate_texts(unit, pages)
        if not unit.label and _is_announced(unit, pages):
            unit.label = "comments"
            unit.score += _NAMED
        if not unit.are_comments:
            continue
        worth = _Worth(
            total=round(unit.total, 1),
            has_name=not unit.is_nameless,
            size=sum(map(len, unit.pages)),
            names_comments=names_comments(unit.address),
            order=-number,
        )
        own = frozenset(elements_of(unit.pages, pages))
        if own > held or (worth > most and not own < held):
            best = unit
            most = worth
            held = own
    return best


def _rate_signs(unit: UnitCandidate, pages: Sequence[AlignedPage]) -> None:
    """Rate a unit by its dates, which may stand in a row beside it, its authors, its name, and the
    share of linked characters in its texts."""
    elements = elements_of(unit.pages, pages)
    own = set(elements)
    sample = _sample(elements)
    dated = signed = 0
    for here, at in sample:
        is_dated = here.dated[at]
        if is_dated or _is_dated_beside(here, at, units=own):
            dated += 1
        if here.signed[at]:
            signed += 2 if is_dated else 1
    unit.bonus = 0.3 * (signed / len(sample))

    plain = sum([here.sizes[1][at] for here, at in sample[1:]])
    linked = sum([here.sizes[2][at] for here, at in sample[1:]])
    unit.score = dated / len(sample)
    if unit.label:
        unit.score += _NAMED
    unit.score -= 1.5 * max(0.0, linked / max(1, plain + linked) - 0.4)


def _is_announced(unit: UnitCandidate, pages: Sequence[AlignedPage]) -> bool:
    """Whether a label of comments stands above the first unit of a page."""
    for page, found in zip(pages, unit.pages, strict=True):
        blocks = page.document.blocks
        begin = page.document.block_at(found[0]) if found else 0
        if COMMENTS in label_kind.each(blocks.texts[max(0, begin - _ABOVE) : begin]):
            return True
    return False


def _is_dated_beside(
    signs: Signs,
    at: int,
    *,
    units: set[ElementAt],
) -> bool:
    """Whether an element beside another one has a date and is no unit itself."""
    dated = [(signs, near) for near in signs.beside(at) if signs.dated[near]]
    return not units.issuperset(dated)


def _is_layout(found: Sequence[list[int]], pages: Sequence[AlignedPage]) -> bool:
    """Whether the elements are boxes of a layout instead of posts: on every page the first has no
    word of the body, and another nearly all. It also has more words than those with date and author
    together: in a thread, of which the extractor took one post for the body, the others have
    more."""
    is_any = False
    for page, boxes in zip(pages, found, strict=True):
        if len(boxes) < 2 or not page.total:
            continue
        is_any = True
        kept = page.kept_words
        signs = page.signs
        body = max(boxes, key=kept.__getitem__)
        if kept[boxes[0]] or kept[body] < 0.9 * page.total:
            return False
        signed = 0.0
        for at in boxes:
            if not kept[at] and signs.dated[at] and signs.signed[at]:
                signed += sum(page.words(at))
        if signed > sum(page.words(body)):
            return False
    return is_any


def _rate_texts(unit: UnitCandidate, pages: Sequence[AlignedPage]) -> None:
    """Add what the texts of a unit tell: comments have words, at least twenty for a whole point,
    and, unlike teasers, no titles that are links to other pages and differ on a page: these cost as
    much as a name of posts, a date and an author are worth."""
    sample = _sample(elements_of(unit.pages, pages))
    words = sum([min(20, here.text(at)[1]) for here, at in sample]) / len(sample)
    unit.score += words / 20
    rows = titled = 0
    for page, found in zip(pages, unit.pages, strict=True):
        titles = {page.signs.title_in(at) for at in found[:_ROWS]}
        rows += len(found[:_ROWS])
        titled += len(titles - {None})
    if 2 * titled > rows:
        unit.bonus -= 2


def word_shares(address: str, pages: Sequence[AlignedPage]) -> tuple[float, float, float]:
    """Shares of the body's words, 0..1, over the pages where ``address`` finds units: inside the
    units, inside all but the first unit of each page, and before the first unit."""
    total = held = first = before = 0.0
    for page in pages:
        numbers = page.numbers(address)
        good = page.kept_words
        if not numbers or not page.total:
            continue
        ends = page.document.ends
        total += page.total
        first += good[numbers[0]]
        # words of the elements that end before the first unit starts
        for above in page.document.ancestors(numbers[0]):
            child = above + 1
            while ends[child] <= numbers[0]:
                before += good[child]
                child = ends[child]
        end = -1
        for number in numbers:
            if number >= end:
                held += good[number]
            end = max(end, ends[number])
    total = max(1.0, total)
    return held / total, (held - first) / total, before / total
