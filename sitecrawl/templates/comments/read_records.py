"""Reading records: the comments of an article, the posts of a thread, as a template addresses
them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice, takewhile
from typing import cast

from lxml import etree

from sitecrawl.dom.render import Content
from sitecrawl.dom.tree import flatten, string_of
from sitecrawl.items.article import Comment
from sitecrawl.templates.address import find, text_of
from sitecrawl.templates.signs import LONGEST_BYLINE, profile_stem
from sitecrawl.templates.template import Records
from sitecrawl.text.chars import fold
from sitecrawl.text.dates import beside_date, find_date, parse_date, parse_short_date

_REMARK = re.compile(
    r"(?<=\S)\s+(?:\([^()]*\)|（[^（）]*）)$"
)  # brackets after a name: not verified, guest
_NUMBER = re.compile(r"[#№]\d+\W?")


def _values(*names: str) -> Callable[[etree._Element], list[str]]:
    """Reads the values of some attributes of an element and of those below, in document order."""
    tests = " or ".join(f"name() = '{name}'" for name in names)
    path = etree.XPath(f"descendant-or-self::*/@*[{tests}]", smart_strings=False)
    return cast(Callable[[etree._Element], list[str]], path)


_count = etree.XPath("count(descendant::*)")


def _elements_below(node: etree._Element) -> int:
    return int(cast(float, _count(node)))


_STAMPS = _values("datetime")
_NOTES = _values("content", "title")
_Look = Callable[[str, etree._Element], list[etree._Element]]
_PROSE = frozenset("p ul ol dl blockquote pre table".split())


def read_records(
    records: Records,
    root: etree._Element,
    *,
    base_url: str = "",
    skip: Collection[etree._Element] = (),
) -> list[Comment]:
    """The records of a page in reading order without those in ``skip``. Text inside a nested record
    belongs to the nested record only."""
    found = islice(
        _all_records(records, root, base_url=base_url, skip=skip), records.skip_first, None
    )
    return [comment for comment in found if comment.text]


def read_opener(records: Records, root: etree._Element) -> str | None:
    """The author of the first record of a page, if that record is the article itself."""
    first = next(_all_records(records, root), None) if records.skip_first else None
    return first.author if first else None


def _all_records(
    records: Records,
    root: etree._Element,
    *,
    base_url: str = "",
    skip: Collection[etree._Element] = (),
) -> Iterator[Comment]:
    units = [node for node in _elements(records.unit, root) if node not in skip][:2_000]
    nested = Units(units)
    yield from filter(
        None, (read_record(records, unit, units=nested, base_url=base_url) for unit in units)
    )


def _elements(address: str, root: etree._Element) -> list[etree._Element]:
    return [node for node in find(address, root) if isinstance(node, etree._Element)]


class Units:
    """Records of one thread or of several, some of them within another."""

    def __init__(self, nodes: Iterable[etree._Element]) -> None:
        self.nodes = frozenset(nodes)
        self._found: dict[
            tuple[str, etree._Element], dict[etree._Element | None, list[etree._Element]]
        ] = {}

    def find(self, address: str, unit: etree._Element) -> list[etree._Element]:
        """What an address finds in a unit, and not in another one within it. An address that finds
        whatever is below is evaluated once a page: in a deep thread each unit holds all below
        it."""
        if not address.startswith(".//"):
            return [node for node in _elements(address, unit) if self._owner(node) in (unit, None)]
        key = address, unit.getroottree().getroot()
        if key not in self._found:
            self._found[key] = defaultdict(list)
            for node in _elements(address[1:], unit):
                self._found[key][self._owner(node)].append(node)
        return self._found[key][unit]

    def _owner(self, node: etree._Element) -> etree._Element | None:
        return next((above for above in node.iterancestors() if above in self.nodes), None)


def read_record(
    records: Records, unit: etree._Element, *, units: Units, base_url: str = ""
) -> Comment | None:
    """The record of one of ``units``. Without a text of its own it is an empty record, which still
    counts as the first of a page, if it has the author and the date that other records have; else
    None."""
    text, date, author = (
        first_of(each, unit, look=units.find)
        for each in (records.text, records.date, records.author)
    )
    if text is None and records.text:
        is_signed = (date is not None or not records.date) and (
            author is not None or not records.author
        )
        return Comment("") if is_signed and (records.date or records.author) else None
    skip = units.nodes.union(part for part in (date, author) if part is not None) - {unit}
    parts = [unit] if text is None else _paragraphs(text, skip) if text.tag == "p" else [text]
    # nested records are left out before the walk: in a deep thread each would be walked once for
    # every record around it
    flats = [flatten(part, skip) for part in parts]
    body = Content(parts, skip, base_url, lines=frozenset(records.lines), flats=flats).text
    day = date_in(date, month_first=records.month_first) if date is not None else None
    if (
        author is not None
    ):  # words before and behind the name that all by-lines share are no part of it
        words = text_of(author).split()
        own = [at for at, word in enumerate(words) if word not in records.words]
        return Comment(body, _name(words[own[0] : own[-1] + 1] if own else []), day)
    line = text_of(date) if date is not None else ""
    left = (
        [word for word in without_date(line).split() if word not in records.words]
        if find_date(line)
        else []
    )
    return Comment(body, _name(left, "."), day)


def _paragraphs(
    paragraph: etree._Element, skip: frozenset[etree._Element], *, most: int = 200
) -> list[etree._Element]:
    """A paragraph with the paragraphs, lists, quotes, code and tables around it: a text without an
    element of its own has an address that finds only one paragraph. Elements with another class, or
    that contain one of ``skip``, end the text."""

    def continues(node: etree._Element) -> bool:
        is_alike = node.tag in _PROSE and node.get("class") in (None, paragraph.get("class"))
        return is_alike and skip.isdisjoint(node.iter())

    before = takewhile(continues, islice(paragraph.itersiblings("*", preceding=True), most))
    return [
        *reversed([*before]),
        paragraph,
        *takewhile(continues, islice(paragraph.itersiblings("*"), most)),
    ]


def first_of(
    addresses: list[str], unit: etree._Element, *, look: _Look = _elements, tried: int = 100
) -> etree._Element | None:
    """The first element with text inside ``unit`` that one of the addresses finds, in the order of
    the addresses; else the first empty one. At most ``tried`` elements of an address are
    examined."""
    empty = None
    for address in addresses:
        for node in islice(look(address, unit), tried):
            # what invites to log in may link to the same folder as people's names
            if "[starts-with(@href, " in address and profile_stem(node.get("href") or "") is None:
                continue
            if node.get("datetime") or text_of(node):
                return node
            empty = node if empty is None else empty
    return empty


def date_in(node: etree._Element, *, month_first: bool = False, most: int = 12) -> str | None:
    """The date in an element's attributes or text, ISO 8601. With ``month_first`` 3/4/2020 is 4
    March. In a by-line of more than ``most`` elements the attributes of the inner elements are
    ignored.

    >>> date_in(etree.fromstring('<span title="5 Jun 2019 02:34">ten months ago</span>'))
    '2019-06-05T02:34:00'
    """
    written = _dates_written(node, most=most)
    found = [date for value in written if (date := parse_date(value, month_first))]
    found = found or [date for value in written if (date := parse_short_date(value))]
    if not found:
        return None
    timed = (date for date in found if "T" in date and date[:10] == found[0][:10])
    return next(timed, found[0])


def _dates_written(node: etree._Element, *, most: int) -> list[str]:
    """What may be a date in an element, the surest first: its time stamps, its line, its notes."""
    line = fold(string_of(node))
    inside = _elements_below(node) if len(node) else 0
    if inside and len(line) <= LONGEST_BYLINE:
        line = " ".join(" ".join(node.itertext()).split())
    if len(line) > LONGEST_BYLINE:
        line = ""
    if inside < most:
        given = [*_STAMPS(node), line, *_NOTES(node)]
    else:
        own = map(node.get, ("datetime", "content", "title"))
        stamp, *notes = [value or "" for value in own]
        given = [stamp, line, *notes]
    return list(filter(None, given))


def _name(words: list[str], marks: str = "", *, longest: int = 60) -> str | None:
    """A name without the marks around it (``marks``, and those that no name ends in) and without a
    remark in brackets after it.

    >>> _name(["Ann", "Onym", "(not", "verified)"])
    'Ann Onym'
    """
    return _REMARK.sub("", " ".join(words).strip(" ,:;-–|·•" + marks))[:longest] or None


def without_date(line: str) -> str:
    """A by-line without its date, the weekday before the date, and numbers of posts.

    >>> without_date("by Ann on 2024-05-06 10:30"), without_date("#7 - Bo - Fri, 6 May 2024")
    ('by Ann on', '- Bo')
    """
    if not find_date(line):
        return line
    return " ".join(
        word for part in beside_date(line) for word in part.split() if not _NUMBER.fullmatch(word)
    )
