"""Reading records: the comments of an article, the posts of a thread, as a template addresses them."""

from __future__ import annotations

from lxml import etree

from sitecrawl.article import Comment
from sitecrawl.dom.render import Content
from sitecrawl.templates.address import find, text_of
from sitecrawl.templates.template import Records
from sitecrawl.values.chars import fold
from sitecrawl.values.dates import find_date, parse_date

_LONGEST_NAME = 60
_RECORDS = 2_000
"""Records of one page that are read."""


def read_records(records: Records, root: etree._Element, base_url: str) -> list[Comment]:
    """The records of a page in reading order; text of a record that stands in another belongs to itself only."""
    units = [node for node in find(records.unit, root) if isinstance(node, etree._Element)][:_RECORDS]
    nested = frozenset(units)
    found = [_read(records, unit, nested, base_url) for unit in units]
    kept = [comment for comment in found if comment.text]
    for comment in kept:
        comment.author = _name(comment.author, frozenset(records.words))
    return kept[1:] if records.skip_first else kept


def _read(records: Records, unit: etree._Element, units: frozenset[etree._Element], base_url: str) -> Comment:
    inner = units - {unit}
    node = first_element(records.text, unit)
    dated = first_element(records.date, unit)
    byline = text_of(dated) if dated is not None else ""
    named = first_element(records.author, unit)
    skip = inner | ({part for part in (dated, named) if part is not None} if node is None else frozenset())
    body = Content((node if node is not None else unit,), skip, base_url).text
    author = text_of(named)[:_LONGEST_NAME] if named is not None else byline
    date = parse_date(dated.get("datetime") or byline) if dated is not None else None
    return Comment(body, author or None, date)


def first_element(addresses: list[str], unit: etree._Element) -> etree._Element | None:
    """What the first address that finds an element below ``unit`` finds first."""
    for address in addresses:
        found = find(address, unit)
        if found and isinstance(found[0], etree._Element):
            return found[0]
    return None


def _name(line: str | None, words: frozenset[str]) -> str | None:
    """The name in a by-line: without its date and the words that all by-lines share."""
    if not line:
        return None
    left = [word for word in without_date(line).split() if word not in words]
    return " ".join(left).strip(" .,:;-–|·\u2022")[:_LONGEST_NAME] or None


def without_date(line: str) -> str:
    """A by-line without its date.

    >>> without_date("by Ann on 2024-05-06 10:30")
    'by Ann on'
    """
    found = find_date(line)
    return fold(line[: found[1]] + " " + line[found[2] :]) if found else line
