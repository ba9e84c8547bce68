"""Titles and the names of sites that stand in them."""

from __future__ import annotations

import re

from sitecrawl.text.chars import fold

SEPARATOR = re.compile(r"\s+[-–—|·•»«:/~>]{1,3}\s+|\s*[|_｜»«]+\s*|\s+::\s+|\s*——\s*|\s+-\s*|\s*-\s+")
_LOOSE = re.compile(r"[\W_]+")


def squeeze(text: str) -> str:
    """Letters and digits only, casefolded: what two spellings of a title share.

    >>> squeeze("It's  new!") == squeeze("It’s New")
    True
    """
    return _LOOSE.sub("", text).casefold()


def strip_site_name(title: str, names: tuple[str, ...] = ()) -> str:
    """``title`` without the parts that name the site: those in ``names``, else all but the longest part.

    >>> strip_site_name("A bridge opens today - The Example"), strip_site_name("Home | Example", ("Home",))
    ('A bridge opens today', 'Example')
    """
    title = fold(title)
    parts = [part for part in SEPARATOR.split(title) if part]
    if len(parts) < 2:
        return title
    known = {squeeze(name) for name in names if name}
    left = [part for part in parts if squeeze(part) not in known]
    if len(left) == 1:
        return left[0]
    if left and len(left) < len(parts):
        first, last = title.find(left[0]), title.rfind(left[-1])
        return title[first : last + len(left[-1])]
    return parts[0] if len(parts[0]) >= 0.6 * max(map(len, parts)) else max(parts, key=len)
