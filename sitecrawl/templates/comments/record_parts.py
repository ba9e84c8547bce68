"""The parts of records: which elements below (or beside) the repeated units hold their date, their
author's name and their text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import pairwise, repeat
from math import inf

from lxml import etree

from sitecrawl.dom.align import Names, has_token
from sitecrawl.dom.class_names import names_one_of, words_of
from sitecrawl.dom.document import Document
from sitecrawl.dom.page import names_author
from sitecrawl.dom.tree import string_of
from sitecrawl.templates.address import is_address, text_of
from sitecrawl.templates.signs import profile_stem
from sitecrawl.text.calendar_names import MONTHS
from sitecrawl.text.chars import fold, words
from sitecrawl.text.dates import parse_date

_PLAIN = frozenset("cite time blockquote p h2 h3 h4 h5 a b strong abbr em i dt dd".split())
"""Tags by which an element is named where it has no class."""
quoted = re.compile(r'"([^"]*)"').findall  # what stands between quotes in an address, all of it
_STEM = re.compile(r"([A-Za-z][A-Za-z_:.-]{2,40}?)\d+")
_is_named = names_one_of(words_of("names in records"))
_names_other_fact = names_one_of(words_of("facts of persons"))
_names_other_date = names_one_of(words_of("dates of something else"))
_length = etree.XPath("string-length(normalize-space(.))")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d")
_PROP = re.compile(r"[\w:.-]{1,40}")
_PIECES = tuple(
    f"/{tag}" for tag in "p a b i em strong span h2 h3 h4 h5 blockquote p[1] p[2] p[3]".split()
)
"""Ends of addresses that find a piece of a text."""
RecordAt = tuple[Document, int]  # a record: the tree of its page and its number there
Read = Callable[[etree._Element], str | None]  # what an element holds of a record, if anything
_Place = tuple[int, etree._Element]  # the number of a unit, and an element in it
_Addressed = tuple[str, int]  # an address below a unit, and an element that it finds
_COMMON = 0.6  # share of the units that must have a part
_MOST_ELEMENTS = 600  # elements of a unit that are addressed
_LONG = 60  # words of a record that count: one long post does not decide
_LONGEST_NAME = 40  # characters
_LONGEST_LABEL = 20  # characters of a word that stands beside each name


@dataclass(eq=False)
class Part:
    """An address below the unit and the first element that it finds in each unit (None in some);
    ``count`` is the number of all elements found."""

    address: str
    nodes: list[etree._Element | None]
    count: int = 0

    @cached_property
    def found(self) -> list[etree._Element]:
        return [node for node in self.nodes if node is not None]

    @cached_property
    def names(self) -> str:
        """The class names and ids in the address, separated by blanks."""
        return " ".join(quoted(self.address)).replace("  ", " ")

    @cached_property
    def length(self) -> float:
        """Mean length of the texts, in characters."""
        return sum([len(text_of(node)) for node in self.found]) / max(1, len(self.found))

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
    units: Sequence[RecordAt],
    names: Names,
    *,
    way: str = "names",
) -> list[Part]:
    """Addresses that find something in most of ``units``. ``way``: ``names`` gives addresses by
    class, id, link or tag, ``paths`` bare paths,
    ``beside`` addresses of the elements between a unit and the next one."""
    others = frozenset([document.nodes[at] for document, at in units])
    is_empty = cache(_is_empty)
    parts = dict[str, Part]()
    for number, unit in enumerate(units):
        nodes = unit[0].nodes
        for address, at in _addressed(
            way,
            unit,
            others=others,
            names=names,
        ):
            if address not in parts:
                parts[address] = Part(address, [None] * len(units))
            part = parts[address]
            part.count += 1
            first = part.nodes[number]
            if first is None or (is_empty(first) and not is_empty(nodes[at])):
                part.nodes[number] = nodes[at]
    least = _COMMON * len(units)
    return [
        part
        for part in parts.values()
        if len(units) - part.nodes.count(None) >= least and is_address(part.address)
    ]


def _is_empty(node: etree._Element) -> bool:
    """Whether an element has neither text nor a value."""
    return not (node.get("datetime") or node.get("content") or string_of(node).strip())


def _addressed(
    way: str,
    unit: RecordAt,
    *,
    others: frozenset[etree._Element],
    names: Names,
) -> Iterable[_Addressed]:
    """The elements of one unit with their addresses."""
    if way == "beside":
        return _beside(unit, others, names=names)
    if way == "names":
        return _named(
            "./",
            unit,
            others=others,
            names=names,
        )
    return [(place, at) for at, place in _paths(".", unit, others).items()]


def _beside(
    unit: RecordAt,
    others: frozenset[etree._Element],
    *,
    names: Names,
) -> Iterator[_Addressed]:
    """The next two elements on either side of a unit, and the elements below them."""
    document, at = unit
    row = document.children(document.parents[at]) if at else []
    place = bisect_left(row, at)
    sides = {"preceding": row[:place][:-3:-1], "following": row[place + 1 : place + 3]}
    for axis, siblings in sides.items():
        tags = list[str]()
        for sibling in siblings:
            if not others.isdisjoint(document.nodes[sibling : document.ends[sibling]]):
                break
            tag = document.tags[sibling]
            tags.append(tag)
            address = f"./{axis}-sibling::{tag}[{tags.count(tag)}]"
            yield address, sibling
            yield from _named(
                f"{address}/",
                (document, sibling),
                others=others,
                names=names,
            )


def _named(
    start: str,
    unit: RecordAt,
    *,
    others: Collection[etree._Element],
    names: Names,
) -> list[_Addressed]:
    """The elements below ``unit``, by their class or id, by their tag below such an element, else
    by path. Addresses begin with ``start``."""
    document, _ = unit
    attributes = document.attributes
    classes, links = attributes["class"], attributes["href"]
    props, idents = attributes["itemprop"], attributes["id"]
    class_tests = cache(partial(_class_tests, start=start, names=names))
    found = list[_Addressed]()
    named = dict[int, str]()
    for at, place in _paths(start[:-1], unit, others).items():
        tag = document.tags[at]
        above = document.parents[at]
        name = named.get(above, "")
        tests = class_tests(tag, classes[at]) if at in classes else []
        found += zip(tests, repeat(at), strict=False)
        named[at] = next(filter(_names_author_in, tests), tests[0]) if tests else name

        if at in props and _PROP.fullmatch(props[at]):
            found += [(f'{start}/{tag}[@itemprop="{props[at]}"]', at)]
        if tag == "a" and (stem := profile_stem(links.get(at, ""))):
            found += [(f'{start}/a[starts-with(@href, "{stem}")]', at)]
        if at in idents and (stem := id_stem(idents[at])):
            found += [(f'{start}/{tag}[starts-with(@id, "{stem}")]', at)]
        if tag in _PLAIN:
            found += [(f"{start}/{tag}", at)]
        if not tests:
            found += [(f"{name}//{tag}" if name else place, at)]
    return found


def _names_author_in(address: str) -> bool:
    return names_author(" ".join(quoted(address)))


def _class_tests(
    tag: str,
    classes: str,
    *,
    start: str,
    names: Names,
) -> list[str]:
    tokens = names.tokens_of(classes)[:3]
    return [f"{start}/{tag}{has_token(token)}" for token in tokens]


def _paths(
    start: str,
    unit: RecordAt,
    others: Collection[etree._Element],
) -> dict[int, str]:
    """Paths of the elements below ``unit``. Each step has its position, so an optional sibling
    changes no address before it."""
    document, first = unit
    places = {first: start}
    counts = defaultdict[tuple[int, str], int](int)
    at = first + 1
    while at < document.ends[first] and len(places) <= _MOST_ELEMENTS:
        parent = document.parents[at]
        tag = document.tags[at]
        counts[parent, tag] += 1
        if document.nodes[at] in others:
            at = document.ends[at]
        else:
            places[at] = f"{places[parent]}/{tag}[{counts[parent, tag]}]"
            at += 1
    del places[first]
    return places


def labels_of(unit: RecordAt, others: Collection[etree._Element]) -> set[str]:
    """Alternative texts and titles in a unit: they repeat the author's name."""
    document, first = unit
    alts = document.attributes["alt"]
    titles = document.attributes["title"]
    labels = set[str]()
    at = first + 1
    while at < document.ends[first]:
        if document.nodes[at] in others:
            at = document.ends[at]
            continue
        if at in alts:
            labels |= {alts[at]}
        if at in titles:
            labels |= {titles[at]}
        at += 1
    return labels - {""}


def _values(part: Part, read: Read) -> list[str]:
    """What ``read`` finds in each unit; [] if less than most of them have a value."""
    # most parts hold no date or name at all
    first = part.found[: int((1 - _COMMON) * len(part.nodes)) + 1]
    if not any(map(read, first)):
        return []
    values = ["" if node is None else read(node) or "" for node in part.nodes]
    return values if len(values) - values.count("") >= _COMMON * len(values) else []


def date_score(
    part: Part,
    *,
    pages: Sequence[int],
    read: Read,
) -> float | None:
    """Score of a part that may hold the date: it is high if most units have one, in ascending or
    descending order on the page, with a time of day. None if few units have one. Dates on which
    members joined have no order, so they are recognised in any language."""
    values = _values(part, read)
    given = list(filter(None, values))
    if not given:
        return None
    first = part.found[0]
    named = 0
    if first.tag == "meta":
        named = -2  # nobody sees it
    elif first.tag == "time" or first.get("itemprop") in ("datePublished", "dateCreated"):
        named = 1
    if _names_other_date(part.names):
        named -= 1
    clock = len([day for day in given if "T" in day]) / len(given)
    varied = len(set(given)) / len(given)
    signs = 0.5 * order_of(values, pages) + 0.3 * clock + 0.2 * (named + varied)
    return len(given) / len(values) + signs


def order_of(dates: Sequence[str | None], pages: Sequence[int]) -> float:
    """Share of neighbours on a page that are in order, oldest or newest first.

    >>> order_of(["2024-05-01", "2024-05-03", None, "2024-05-04", "2020-01-01"], [0, 0, 0, 0, 1])
    1.0
    """
    known = [(page, date[:16]) for page, date in zip(pages, dates, strict=True) if date]
    pairs = [(a, b) for (page, a), (other, b) in pairwise(known) if page == other]
    if not pairs:
        return 1.0
    oldest_first = [a <= b for a, b in pairs].count(True)
    newest_first = [a >= b for a, b in pairs].count(True)
    return max(oldest_first, newest_first) / len(pairs)


def author_score(
    part: Part,
    date: Part | None,
    *,
    labels: Sequence[Collection[str]],
    read: Read,
) -> float | None:
    """Score of a part that may hold the author: it is high for short names that differ, with a
    class name of authors, a link to a profile, an avatar of that name, or the date beside them.
    None if few units have a name, or if there is too little evidence that it is one."""
    values = _values(part, read)
    given = list(filter(None, values))
    if not given:
        return None
    evidence = _evidence(
        part,
        values,
        labels=labels,
        date=date,
    )
    if evidence < 0.5:
        return None
    score = evidence + 0.5 * len(set(given)) / len(given) - sum(map(len, given)) / len(given) / 100
    if part.address[3:] in _PLAIN:
        score -= 0.3  # an address by tag alone: the first link of an unseen post may be any
    return len(given) / len(values) + score


def _evidence(
    part: Part,
    values: Sequence[str],
    *,
    labels: Sequence[Collection[str]],
    date: Part | None,
) -> float:
    """The evidence that the texts are names: the targets of their links, their class names, avatars
    that repeat them, and dates beside them."""
    count = len(values) - values.count("")
    links = [node.get("href") or "" for node in part.found if node.tag == "a"]
    own = len([href for href in links if profile_stem(href) is not None])
    sure = min(1.0, own / count)

    name = part.names.replace("starts-with", "")
    last = name.rpartition(" ")[2] if part.address.endswith("]") else name
    named = 0
    if _is_named(name) or part.found[0].tag == "cite":
        named += 1
    if _names_other_fact(last):
        named -= 1
    sure += 0.5 * named
    if part.address.endswith(('[@itemprop="author"]', '[@itemprop="name"]')):
        sure += 0.8
    labelled = [text for text, near in zip(values, labels, strict=True) if _is_label(text, near)]
    sure += 0.6 * max(len(labelled) / count, _label_share(part.found))
    if sure or date is None or len(set(values)) <= 3 or part.length > 15:
        return sure  # projects have longer names
    return 0.5 if _count_beside(part, date) / count > 0.8 else 0.0


def _count_beside(part: Part, date: Part) -> int:
    """In how many units a part stands directly beside the date."""
    beside = 0
    for node, day in zip(part.nodes, date.nodes, strict=True):
        if node is not None and day is not None and day in (node.getnext(), node.getprevious()):
            beside += 1
    return beside


def _is_label(name: str, labels: Collection[str]) -> bool:
    """Whether one of the labels is the name, or little more than it."""
    if not name:
        return False
    if name in labels:
        return True
    longest = len(name) + 40
    return len(name) > 2 and any(name in label and len(label) < longest for label in labels)


def name_in(node: etree._Element | None) -> str:
    """The text of an element if it may be a name: short, without date, number, time of day or URL;
    else empty."""
    if node is None or len(node) > 8 or _is_longer(node):
        return ""
    text = text_of(node)
    if not 1 < len(text) <= _LONGEST_NAME or len(text.split()) > 5 or "://" in text:
        return ""
    # a number, or how many there are of something
    if (text[0].isdigit() and " " in text) or not _LETTER.search(text):
        return ""
    has_digit = _DIGIT.search(text) is not None
    if has_digit and any(word.casefold() in MONTHS for word in words(text)):
        return ""
    return "" if parse_date(text) else text


def _is_longer(node: etree._Element) -> bool:
    """Whether the text of an element is sure to be longer than a name; it may hold texts that
    nobody sees."""
    if float(_length(node)) <= _LONGEST_NAME:
        return False
    return (
        next(
            node.iter(
                "script",
                "style",
                "rt",
                "rp",
            ),
            None,
        )
        is None
    )


def _label_share(nodes: Sequence[etree._Element]) -> float:
    """Share of the elements that the same word precedes or follows directly (by, says, wrote); 0
    below four fifths."""
    before = Counter(map(_text_before, nodes))
    behind = Counter([node.tail for node in nodes])
    most = 0.0
    for counts in (_folded(before), _folded(behind)):
        for text, count in counts.items():
            share = count / len(nodes)
            if share >= 0.8 and share > most and _may_be_label(text):
                most = share
    return most


def _text_before(node: etree._Element) -> str | None:
    sibling = node.getprevious()
    if sibling is not None:
        return sibling.tail
    parent = node.getparent()
    return None if parent is None else parent.text


def _folded(counts: Counter[str | None]) -> Counter[str]:
    folded = Counter[str]()
    for text, count in counts.items():
        folded[fold(text)] += count
    return folded


def _may_be_label(text: str) -> bool:
    is_word = 0 < len(text) <= _LONGEST_LABEL and any(map(str.isalpha, text))
    return is_word and not parse_date(text)


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
) -> Part | None:
    """The narrowest of the parts with nearly the most words by ``weigh``, without name and date
    (``taken``) if possible. None if only the whole unit contains all of the text. At most ``_LONG``
    words of a record count."""
    signed = list[_Place]()
    for part in filter(None, taken):
        signed += [(number, node) for number, node in enumerate(part.nodes) if node is not None]
    words = dict[Part, float]()
    for part in parts:
        if part.count <= 1.6 * len(part.found) and part not in taken:
            words[part] = sum([min(_LONG, weigh(node)) for node in part.found]) / len(units)
    chosen = _narrowest(words, _holders(signed), most=0.4 * len(units))
    if chosen is None or not chosen.is_piece:
        return chosen
    own = sum(map(weigh, units)) - sum([weigh(node) for _, node in signed])
    return None if words[chosen] < 0.75 * own / len(units) else chosen


def _narrowest(
    words: dict[Part, float],
    holders: set[_Place],
    *,
    most: float,
) -> Part | None:
    """The narrowest part with nearly the most words, given those of each: of those that are
    ``holders`` in at most ``most`` units, unless these hold little."""
    worth = {part: 0.6 * own if part.is_piece else own for part, own in words.items()}
    free = [part for part in words if len(holders.intersection(enumerate(part.nodes))) <= most]
    least = 0.25 * max(worth.values(), default=0)
    is_apart = max(map(worth.__getitem__, free), default=-1) >= least
    choices = free if is_apart else list(words)
    best = max(choices, key=worth.__getitem__, default=None)
    if best is None or worth[best] <= 1:
        return None
    # a narrower part must be in nearly as many units
    near = [
        part
        for part in choices
        if worth[part] >= 0.7 * worth[best] and len(part.found) >= 0.9 * len(best.found)
    ]
    return min(near, key=lambda part: (round(words[part], 1), part.length))


def _holders(places: Iterable[_Place]) -> set[_Place]:
    """Elements in units, by the number of the unit, with all elements around them."""
    found = set[_Place]()
    for number, node in places:
        above: etree._Element | None = node
        while above is not None and (number, above) not in found:
            found.add((number, above))
            above = above.getparent()
    return found
