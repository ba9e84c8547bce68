"""The parts of records: which elements below (or beside) the repeated units hold their date, their
author's name and their text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, islice, pairwise
from math import inf

from lxml import etree

from sitecrawl.dom.align import Names, has_token
from sitecrawl.dom.document import Document
from sitecrawl.dom.page import AUTHOR
from sitecrawl.dom.tree import string_of
from sitecrawl.resources import table_beside
from sitecrawl.templates.address import is_address, text_of
from sitecrawl.templates.signs import profile_stem
from sitecrawl.text.calendar_names import MONTHS
from sitecrawl.text.chars import fold, words
from sitecrawl.text.dates import parse_date

_PLAIN = frozenset("cite time blockquote p h2 h3 h4 h5 a b strong abbr em i dt dd".split())
"""Tags by which an element is named where it has no class."""
quoted = re.compile(r'"([^"]*)"').findall  # what stands between quotes in an address, all of it
_STEM = re.compile(r"([A-Za-z][A-Za-z_:.-]{2,40}?)\d+")
_TABLE = table_beside(
    __file__
)  # words in names of elements: of authors, of other facts, of dates of something else
_NAMED = re.compile("|".join(_TABLE["named"]), re.I)
_NOT_NAMED = re.compile("|".join(_TABLE["not_named"]), re.I)
_NOT_DATED = re.compile("|".join(_TABLE["not_dated"]), re.I)
_length = etree.XPath("string-length(normalize-space(.))")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d")
_PIECES = tuple(
    f"/{tag}" for tag in "p a b i em strong span h2 h3 h4 h5 blockquote p[1] p[2] p[3]".split()
)
"""Ends of addresses that find a piece of a text."""
RecordAt = tuple[Document, int]  # a record: the tree of its page and its number there
Read = Callable[[etree._Element], str | None]  # what an element holds of a record, if anything
AddressedElements = Iterator[
    tuple[str, int]
]  # an address below a unit, and an element that it finds


@dataclass(eq=False)
class Part:
    """An address below the unit and the first element that it finds in each unit (None in some);
    ``count`` is the number of all elements found."""

    address: str
    nodes: list[etree._Element | None]
    count: int

    @cached_property
    def found(self) -> list[etree._Element]:
        return [node for node in self.nodes if node is not None]

    @property
    def names(self) -> str:
        """The class names and ids in the address, separated by blanks."""
        return " ".join(quoted(self.address)).replace("  ", " ")

    @cached_property
    def length(self) -> float:
        """Mean length of the texts, in characters."""
        return sum(len(text_of(node)) for node in self.found) / max(1, len(self.found))

    @property
    def is_piece(self) -> bool:
        return self.address.endswith(_PIECES)


def id_stem(ident: str) -> str | None:
    """The beginning of an id that ends in a number.

    >>> id_stem("post_message_77")
    'post_message_'
    """
    found = _STEM.fullmatch(ident)
    return found[1] if found else None


def parts_of(
    units: Sequence[RecordAt], names: Names, *, way: str = "names", presence: float = 0.6
) -> list[Part]:
    """Addresses that find something in most of ``units``. ``way``: ``names`` gives addresses by
    class, id, link or tag, ``paths`` bare paths,
    ``beside`` addresses of the elements between a unit and the next one."""
    others, found = frozenset(document.nodes[at] for document, at in units), dict[str, Part]()

    @cache
    def is_empty(node: etree._Element) -> bool:
        return not (node.get("datetime") or node.get("content") or string_of(node).strip())

    for number, unit in enumerate(units):
        nodes = unit[0].nodes
        for address, at in _addressed(way, unit, others=others, names=names):
            if (part := found.get(address)) is None:
                part = found[address] = Part(address, [None] * len(units), 0)
            part.count += 1
            first = part.nodes[number]
            if first is None or (is_empty(first) and not is_empty(nodes[at])):
                part.nodes[number] = nodes[at]
    return [
        part
        for part in found.values()
        if len(part.found) >= presence * len(units) and is_address(part.address)
    ]


def _addressed(
    way: str, unit: RecordAt, *, others: frozenset[etree._Element], names: Names
) -> AddressedElements:
    """The elements of one unit with their addresses; with ``beside`` the next two elements on
    either side of it."""
    if way != "beside":
        yield from (
            _paths(".", unit, others)
            if way == "paths"
            else _named("./", unit, others=others, names=names)
        )
        return
    document, at = unit
    row = document.children(document.parents[at]) if at else []
    place = bisect_left(row, at)
    for axis, siblings in (
        ("preceding", row[:place][:-3:-1]),
        ("following", row[place + 1 : place + 3]),
    ):
        nth: Counter[str] = Counter()
        for sibling in siblings:
            if not others.isdisjoint(document.nodes[sibling : document.ends[sibling]]):
                break
            tag = document.tags[sibling]
            nth[tag] += 1
            address = f"./{axis}-sibling::{tag}[{nth[tag]}]"
            yield address, sibling
            yield from _named(address + "/", (document, sibling), others=others, names=names)


def _named(
    start: str, unit: RecordAt, *, others: Collection[etree._Element], names: Names
) -> AddressedElements:
    """The elements below ``unit``, by their class or id, by their tag below such an element, else
    by path. Addresses begin with ``start``."""
    document, named = unit[0], dict[int, str]()
    classes, props, links, idents = (
        document.attributes[name] for name in ("class", "itemprop", "href", "id")
    )
    for place, at in _paths(start[:-1], unit, others):
        tag, above = document.tags[at], named.get(document.parents[at], "")
        tests = [
            f"{start}/{tag}{has_token(token)}" for token in names.tokens_of(classes.get(at, ""))[:3]
        ]
        named[at] = next(filter(AUTHOR.search, tests), (tests or [above])[0])
        for test in tests:
            yield test, at
        if at in props and re.fullmatch(r"[\w:.-]{1,40}", props[at]):
            yield f'{start}/{tag}[@itemprop="{props[at]}"]', at
        if tag == "a" and (stem := profile_stem(links.get(at, ""))):
            yield f'{start}/a[starts-with(@href, "{stem}")]', at
        if at in idents and (stem := id_stem(idents[at])):
            yield f'{start}/{tag}[starts-with(@id, "{stem}")]', at
        if tag in _PLAIN:
            yield f"{start}/{tag}", at
        if not tests:
            yield f"{above}//{tag}" if above else place, at


def _paths(
    start: str, unit: RecordAt, others: Collection[etree._Element], *, most: int = 600
) -> AddressedElements:
    """At most ``most`` elements below ``unit`` with their paths. Each step has its position, so an
    optional sibling changes no address before it."""
    (document, first), places = unit, {unit[1]: start}
    for at in chain((first,), islice(own_elements(unit, others), most)):
        counts = dict[str, int]()
        for child in document.children(at):
            tag = document.tags[child]
            counts[tag] = counts.get(tag, 0) + 1
            places[child] = f"{places[at]}/{tag}[{counts[tag]}]"
        if at != first:
            yield places[at], at


def own_elements(unit: RecordAt, others: Collection[etree._Element]) -> Iterator[int]:
    """The elements below ``unit``, without those of ``others`` nested in it."""
    (document, first), at = unit, unit[1] + 1
    while at < document.ends[first]:
        if document.nodes[at] in others:
            at = document.ends[at]
        else:
            yield at
            at += 1


def labels_of(unit: RecordAt, others: Collection[etree._Element]) -> set[str]:
    """Alternative texts and titles in a unit: they repeat the author's name."""
    nodes = map(unit[0].nodes.__getitem__, own_elements(unit, others))
    return {value for node in nodes for key in ("alt", "title") if (value := node.get(key))}


def _values(part: Part, read: Read, *, least: float = 0.6) -> list[str]:
    """What ``read`` finds in each unit; [] if less than the share ``least`` of them has a value."""
    first = part.found[
        : int((1 - least) * len(part.nodes)) + 1
    ]  # most parts hold no date or name at all
    values = (
        [(node is not None and read(node)) or "" for node in part.nodes]
        if any(map(read, first))
        else []
    )
    return values if sum(map(bool, values)) >= least * len(values) else []


def date_score(part: Part, *, pages: Sequence[int], read: Read) -> float | None:
    """Score of a part that may hold the date: it is high if most units have one, in ascending or
    descending order on the page, with a time of day. None if few units have one. Dates on which
    members joined have no order, so they are recognised in any language."""
    values = _values(part, read)
    if not (given := [value for value in values if value]):
        return None
    first = part.found[0]
    is_time = first.tag == "time" or first.get("itemprop") in ("datePublished", "dateCreated")
    # nobody sees a meta element
    named = (-2 if first.tag == "meta" else is_time) - bool(_NOT_DATED.search(part.names))
    clock = sum("T" in day for day in given) / len(given)
    varied = len(set(given)) / len(given)
    return len(given) / len(values) + (
        0.5 * order_of(values, pages) + 0.3 * clock + 0.2 * (named + varied)
    )


def order_of(dates: Sequence[str | None], pages: Sequence[int]) -> float:
    """Share of neighbours on a page that are in order, oldest or newest first.

    >>> order_of(["2024-05-01", "2024-05-03", None, "2024-05-04", "2020-01-01"], [0, 0, 0, 0, 1])
    1.0
    """
    known = [(page, date) for page, date in zip(pages, dates, strict=True) if date]
    pairs = [(a[:16], b[:16]) for (page, a), (other, b) in pairwise(known) if page == other]
    if not pairs:
        return 1.0
    return max(sum(a <= b for a, b in pairs), sum(a >= b for a, b in pairs)) / len(pairs)


def author_score(
    part: Part, date: Part | None, *, labels: Sequence[Collection[str]], read: Read
) -> float | None:
    """Score of a part that may hold the author: it is high for short names that differ, with a
    class name of authors, a link to a profile, an avatar of that name, or the date beside them.
    None if few units have a name, or if there is too little evidence that it is one."""
    values = _values(part, read)
    given = [value for value in values if value]
    if not given or (evidence := _evidence(part, values, labels=labels, date=date)) < 0.5:
        return None
    # an address by tag alone is worth less: the first link of an unseen post may be any
    bare = 0.3 * (part.address[3:] in _PLAIN)
    presence, length = len(given) / len(values), sum(map(len, given)) / len(given)
    return presence + (evidence + 0.5 * len(set(given)) / len(given) - length / 100 - bare)


def _evidence(
    part: Part, values: Sequence[str], *, labels: Sequence[Collection[str]], date: Part | None
) -> float:
    """The evidence that the texts are names: the targets of their links, their class names, avatars
    that repeat them, and dates beside them."""
    count, name = sum(map(bool, values)), part.names.replace("starts-with", "")
    own = name.rpartition(" ")[2] if part.address.endswith("]") else name
    named = bool(_NAMED.search(name) or part.found[0].tag == "cite") - bool(_NOT_NAMED.search(own))
    links = (
        sum(
            node.tag == "a" and profile_stem(node.get("href") or "") is not None
            for node in part.found
        )
        / count
    )
    labelled = sum(
        any(
            name == label or (len(name) > 2 and name in label and len(label) < len(name) + 40)
            for label in beside
        )
        for name, beside in zip(values, labels, strict=True)
        if name
    )
    pairs = [
        pair
        for pair in zip(part.nodes, date.nodes if date else (), strict=False)
        if None not in pair
    ]
    beside = (
        sum(node is not None and day in (node.getnext(), node.getprevious()) for node, day in pairs)
        / count
    )
    prop = part.address.endswith(('[@itemprop="author"]', '[@itemprop="name"]'))
    sure = (
        min(1.0, links)
        + 0.5 * named
        + 0.8 * prop
        + 0.6 * max(labelled / count, _label_share(part.found))
    )
    return sure or 0.5 * (
        beside > 0.8 and len(set(values)) > 3 and part.length <= 15
    )  # projects have longer names


def name_in(node: etree._Element | None, *, longest: int = 40, most_words: int = 5) -> str:
    """The text of an element if it may be a name: short, without date, number, time of day or URL;
    else empty."""
    if node is None or len(node) > 8 or _is_longer(node, longest):
        return ""
    text = text_of(node)
    if not 1 < len(text) <= longest or len(text.split()) > most_words or "://" in text:
        return ""
    # a number, or how many there are of something
    if (text[0].isdigit() and " " in text) or not _LETTER.search(text):
        return ""
    has_digit = _DIGIT.search(text) is not None
    if has_digit and any(word.casefold() in MONTHS for word in words(text)):
        return ""
    return "" if parse_date(text) else text


def _is_longer(node: etree._Element, longest: int) -> bool:
    """Whether the text of an element is sure to be longer; it may hold texts that nobody sees."""
    if float(_length(node)) <= longest:
        return False
    return next(node.iter("script", "style", "rt", "rp"), None) is None


def _label_share(
    nodes: Sequence[etree._Element], *, longest: int = 20, least: float = 0.8
) -> float:
    """Share of the elements that the same word precedes or follows directly (by, says, wrote); 0
    below ``least``."""
    before, behind = Counter[str](), Counter(fold(node.tail) for node in nodes)
    for node in nodes:
        sibling, parent = node.getprevious(), node.getparent()
        before[
            fold(sibling.tail if sibling is not None else parent.text if parent is not None else "")
        ] += 1
    counts = (
        count
        for text, count in chain(before.items(), behind.items())
        if 0 < len(text) <= longest and any(map(str.isalpha, text)) and not parse_date(text)
    )
    share = max(counts, default=0) / len(nodes)
    return share if share >= least else 0.0


def byline_parts(
    parts: Sequence[Part],
    *,
    rate_date: Callable[[Part], float | None],
    rate_author: Callable[..., float | None],
) -> tuple[Part | None, Part | None]:
    """The parts with date and author by their scores. Of dates with equal scores the shortest is
    chosen; most pages have one only, so the texts are not measured before."""
    dates = dict[float, list[Part]]()
    for part in parts:
        score = rate_date(part)
        if score is not None:
            dates.setdefault(round(score, 1), []).append(part)
    best_dates = dates[max(dates)] if dates else []
    if len(best_dates) > 1:
        best_dates.sort(key=lambda part: part.length)
    date = best_dates[0] if best_dates else None

    author = None
    most = -inf
    for part in parts:
        score = rate_author(part, date)
        if score is not None and round(score, 9) > most:
            most = round(score, 9)
            author = part
    return date, author


def text_part(
    parts: Sequence[Part],
    taken: Sequence[Part | None],
    *,
    units: Sequence[etree._Element],
    weigh: Callable[[etree._Element], float],
    long: int = 60,
) -> Part | None:
    """The narrowest of the parts with nearly the most words by ``weigh``, without name and date
    (``taken``) if possible. None if only the whole unit contains all of the text. At most ``long``
    words of a record count: one long post does not decide."""
    signed = [
        (number, node)
        for part in taken
        if part
        for number, node in enumerate(part.nodes)
        if node is not None
    ]
    holders = {
        (number, above) for number, node in signed for above in (node, *node.iterancestors())
    }
    words, free = dict[Part, float](), list[Part]()
    for part in parts:
        if part.count <= 1.6 * len(part.found) and part not in taken:
            words[part] = sum(min(long, weigh(node)) for node in part.found) / len(units)
            if sum(place in holders for place in enumerate(part.nodes)) <= 0.4 * len(units):
                free.append(part)

    def worth(part: Part) -> float:
        return words[part] * (0.6 if part.is_piece else 1)

    is_apart = max(map(worth, free), default=-1) >= 0.25 * max(map(worth, words), default=0)
    choices = free if is_apart else list(words)
    best = max(choices, key=worth, default=None)
    if best is None or worth(best) <= 1:
        return None
    least = 0.9 * len(best.found)  # a narrower part must be in nearly as many units
    near = [
        part for part in choices if worth(part) >= 0.7 * worth(best) and len(part.found) >= least
    ]
    chosen = min(near, key=lambda part: (round(words[part], 1), part.length))
    aside = sum(weigh(node) for _, node in signed)
    is_partial = chosen.is_piece and words[chosen] < 0.75 * (sum(map(weigh, units)) - aside) / len(
        units
    )
    return None if is_partial else chosen
