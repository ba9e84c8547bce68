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


_count = cast(Callable[[etree._Element], float], etree.XPath("count(descendant::*)"))

_STAMPS = _values("datetime")
_NOTES = _values("content", "title")
_PROSE = frozenset("p ul ol dl blockquote pre table".split())
_MOST_RECORDS = 2_000  # of a page
_MOST_TRIED = 100  # elements of an address that are examined in a record
_MOST_BESIDE = 200  # paragraphs before and behind one that belong to a text
_MOST_INNER = 12  # elements of a by-line whose attributes are read
_LONGEST_NAME = 60  # characters
_Look = Callable[[str, etree._Element], list[etree._Element]]


def read_records(
    records: Records,
    root: etree._Element,
    *,
    base_url: str = "",
    skip: Collection[etree._Element] = (),
) -> list[Comment]:
    """The records of a page in reading order without those in ``skip``. Text inside a nested record
    belongs to the nested record only."""
    found = list(
        _all_records(
            records,
            root,
            base_url=base_url,
            skip=skip,
        )
    )
    if records.skip_first:
        del found[:1]
    return [comment for comment in found if comment.text]


def read_opener(records: Records, root: etree._Element) -> Comment | None:
    """The first record of a page, if that record is the article itself."""
    return next(_all_records(records, root), None) if records.skip_first else None


def _all_records(
    records: Records,
    root: etree._Element,
    *,
    base_url: str = "",
    skip: Collection[etree._Element] = (),
) -> Iterator[Comment]:
    units = [node for node in _elements(records.unit, root) if node not in skip]
    nested = Units(units[:_MOST_RECORDS])
    for unit in units[:_MOST_RECORDS]:
        comment = read_record(
            records,
            unit,
            units=nested,
            base_url=base_url,
        )
        if comment is not None:
            yield comment


def _elements(address: str, root: etree._Element) -> list[etree._Element]:
    return [node for node in find(address, root) if isinstance(node, etree._Element)]


_Owned = dict[etree._Element | None, list[etree._Element]]


class Units:
    """Records of one thread or of several, some of them within another."""

    def __init__(self, nodes: Iterable[etree._Element]) -> None:
        self.nodes = frozenset(nodes)
        self._found: dict[tuple[str, etree._Element], _Owned] = {}

    def find(self, address: str, unit: etree._Element) -> list[etree._Element]:
        """What an address finds in a unit, and not in another one within it. An address that finds
        whatever is below is evaluated once a page: in a deep thread each unit holds all below
        it."""
        if not address.startswith(".//"):
            return [node for node in _elements(address, unit) if self._owner(node) in (unit, None)]
        key = (address, unit.getroottree().getroot())
        if key not in self._found:
            owned: _Owned = defaultdict(list)
            for node in _elements(address[1:], unit):
                owned[self._owner(node)].append(node)
            self._found[key] = owned
        return self._found[key][unit]

    def _owner(self, node: etree._Element) -> etree._Element | None:
        """The unit around an element."""
        above = node.getparent()
        while above is not None and above not in self.nodes:
            above = above.getparent()
        return above


def read_record(
    records: Records,
    unit: etree._Element,
    *,
    units: Units,
    base_url: str = "",
) -> Comment | None:
    """The record of one of ``units``. Without a text of its own it is an empty record, which still
    counts as the first of a page, if it has the author and the date that other records have; else
    None."""
    text = first_of(records.text, unit, look=units.find)
    date = first_of(records.date, unit, look=units.find)
    author = first_of(records.author, unit, look=units.find)
    if text is None and records.text:
        return Comment("") if _is_signed(records, author, date=date) else None

    bylines = [part for part in (date, author) if part is not None]
    skip = units.nodes.union(bylines) - {unit}
    parts = [unit if text is None else text]
    if text is not None and text.tag == "p":
        parts = _paragraphs(text, skip)
    # nested records are left out before the walk: in a deep thread each would be walked once for
    # every record around it
    flats = [flatten(part, skip) for part in parts]
    body = Content(
        parts,
        skip,
        base_url,
        lines=frozenset(records.lines),
        flats=flats,
    ).text
    day = None if date is None else date_in(date, month_first=records.month_first)
    return Comment(body, _author(records, author, date=date), day)


def _is_signed(
    records: Records,
    author: etree._Element | None,
    *,
    date: etree._Element | None,
) -> bool:
    """Whether a record has the author and the date that other records have."""
    if records.date and date is None:
        return False
    if records.author and author is None:
        return False
    return bool(records.date or records.author)


def _author(
    records: Records,
    author: etree._Element | None,
    *,
    date: etree._Element | None,
) -> str | None:
    """The name in the element of the author, else what a by-line says besides the date. Words that
    all by-lines share are no part of it."""
    if author is not None:
        words = text_of(author).split()
        own = [at for at, word in enumerate(words) if word not in records.words]
        return _name(words[own[0] : own[-1] + 1]) if own else None
    line = "" if date is None else text_of(date)
    if not find_date(line):
        return None
    left = [word for word in without_date(line).split() if word not in records.words]
    return _name(left, ".")


def _paragraphs(paragraph: etree._Element, skip: frozenset[etree._Element]) -> list[etree._Element]:
    """A paragraph with the paragraphs, lists, quotes, code and tables around it: a text without an
    element of its own has an address that finds only one paragraph. Elements with another class, or
    that contain one of ``skip``, end the text."""

    def continues(node: etree._Element) -> bool:
        is_alike = node.tag in _PROSE and node.get("class") in (None, paragraph.get("class"))
        return is_alike and skip.isdisjoint(node.iter())

    ahead = islice(paragraph.itersiblings("*", preceding=True), _MOST_BESIDE)
    behind = islice(paragraph.itersiblings("*"), _MOST_BESIDE)
    before = list(takewhile(continues, ahead))
    return [*reversed(before), paragraph, *takewhile(continues, behind)]


def first_of(
    addresses: list[str],
    unit: etree._Element,
    *,
    look: _Look = _elements,
) -> etree._Element | None:
    """The first element with text inside ``unit`` that one of the addresses finds, in the order of
    the addresses; else the first empty one."""
    empty = None
    for address in addresses:
        is_profile = "[starts-with(@href, " in address
        for node in look(address, unit)[:_MOST_TRIED]:
            # what invites to log in may link to the same folder as people's names
            if is_profile and profile_stem(node.get("href") or "") is None:
                continue
            if node.get("datetime") or text_of(node):
                return node
            empty = node if empty is None else empty
    return empty


def date_in(node: etree._Element, *, month_first: bool = False) -> str | None:
    """The date in an element's attributes or text, ISO 8601. With ``month_first`` 3/4/2020 is 4
    March. In a by-line of many elements the attributes of the inner elements are ignored.

    >>> date_in(etree.fromstring('<span title="5 Jun 2019 02:34">ten months ago</span>'))
    '2019-06-05T02:34:00'
    """
    written = _dates_written(node)
    read = [parse_date(value, month_first) for value in written]
    found = list(filter(None, read)) or list(filter(None, map(parse_short_date, written)))
    if not found:
        return None
    timed = [date for date in found if "T" in date and date[:10] == found[0][:10]]
    return timed[0] if timed else found[0]


def _dates_written(node: etree._Element) -> list[str]:
    """What may be a date in an element, the surest first: its time stamps, its line, its notes."""
    line = fold(string_of(node))
    inside = int(_count(node)) if len(node) else 0
    if inside and len(line) <= LONGEST_BYLINE:
        line = " ".join(" ".join(node.itertext()).split())
    if len(line) > LONGEST_BYLINE:
        line = ""
    given: list[str | None]
    if inside < _MOST_INNER:
        given = [*_STAMPS(node), line, *_NOTES(node)]
    else:
        given = [node.get("datetime"), line, node.get("content"), node.get("title")]
    return [value for value in given if value]


def _name(words: list[str], marks: str = "") -> str | None:
    """A name without the marks around it (``marks``, and those that no name ends in) and without a
    remark in brackets after it.

    >>> _name(["Ann", "Onym", "(not", "verified)"])
    'Ann Onym'
    """
    return _REMARK.sub("", " ".join(words).strip(" ,:;-–|·•" + marks))[:_LONGEST_NAME] or None


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
