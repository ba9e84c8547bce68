"""Code that stands in a table, a line a row, its number in a cell before it: written as one block."""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from sitecrawl.dom.nodes import finder, write_text
from sitecrawl.dom.tree import string_of
from sitecrawl.limits import Meter

_CELLS = finder("//td[@data-line-number or contains(@style, 'user-select') or pre]")
_UNSELECTABLE = re.compile(r"user-select\s*:\s*none", re.I)
_NUMBER = re.compile(r"\s*(?:[0-9]{1,6}[.:|]?)?\s*")
_LEAST_ROWS = 2  # a table of one row has a column for all numbers, and one for all code
_MOST_ROWS = 20_000


def join_code_tables(root: etree._Element, meter: Meter) -> list[etree._Element]:
    """Turn tables of lines of code into blocks of code, which are returned.

    >>> root = etree.HTML("<table><tr><td data-line-number=1><td>if x:<tr><td data-line-number=2><td>  y")
    >>> [pre.text for pre in join_code_tables(root, Meter())]
    ['if x:\\n  y']
    """
    found = []
    around = [next(cell.iterancestors("table"), None) for cell in _CELLS(root)]
    for table in dict.fromkeys(around):
        if table is None:
            continue
        lines = _lines_of(table, meter)
        if len(lines) < _LEAST_ROWS:
            continue
        names = table.get("class")
        write_text(table, "\n".join(lines), tag="pre")
        if names:
            table.set("class", names)
        found.append(table)
    return found


def _lines_of(table: etree._Element, meter: Meter) -> list[str]:
    """The lines of code in the rows of a table; none if a row holds something else."""
    lines: list[str] = []
    for row in islice(table.iter("tr"), _MOST_ROWS):
        cells = list(islice(row.iterchildren("td", "th"), 3))
        if len(cells) != 2 or not meter.pays(elements=len(cells)):
            return []
        number, code = cells
        is_number = _NUMBER.fullmatch(string_of(number)[:20]) is not None
        is_marked = number.get("data-line-number") is not None
        is_unselectable = _UNSELECTABLE.search(number.get("style") or "") is not None
        holds_code = code.find("pre") is not None and bool(string_of(number).strip())
        text = string_of(code)
        if not is_number or not (is_marked or is_unselectable or holds_code):
            return []
        if next(code.iter("table", "p", "ul", "img"), None) is not None:
            return []
        if not meter.pays(chars=len(text)):
            return []
        lines.append(text.strip("\r\n"))
    return lines
