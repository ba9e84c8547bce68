"""What tells the head of a comment or post: the date in a short line, a link to somebody's own page, the name of an author."""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from sitecrawl.text.chars import fold
from sitecrawl.text.dates import RELATIVE, parse_date

_TIME = re.compile(r"\b(?:date|time|posted|created)|date(?:created|time)|timestamp", re.I)
LONGEST_BYLINE = 160
"""Characters of the longest line with name and date."""
_PROFILE = re.compile(
    r".*?(?:^|[/?&;=_.-])(?:users?|members?|profiles?|people|u|author|commenter|memberlist|userinfo|uid|user_?id|showuser|space-uid|space&(?:amp;)?uid"
    r"|mitglied(?:er)?|benutzer|usuarios?|utilisateur|membres?|utenti|uzivatel\w*)(?:\.\w{2,5}(?=[?/])|[/=-]|;u=)",
    re.I,
)
"""An address of somebody's own page, up to the word that says so."""
_NO_PROFILE = re.compile(
    r"search|share|private|send-?message|newpm|mailto:|mode=email|report|login|register|sign(?:in|up)|^#", re.I
)
AUTHOR = re.compile(
    r"author|user-?name|nick|poster|\bfn\b|creator|comment(?:er|ator)|member-?name|display-?name|vcard", re.I
)


class Signs:
    """Dates and authors of elements, looked for once in each and in each element inside."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, etree._Element], bool] = {}

    def is_dated(self, node: etree._Element, *, dates: int = 3, times: int = 4) -> bool:
        """Whether one to three dates stand in short lines, or one to four elements are marked as times or titled with a date."""

        def some(name: str, most: int) -> bool:
            found = (inner for inner in node.iter() if self._once(name, inner))
            return 0 < sum(1 for _ in islice(found, most + 1)) <= most

        key = "dated", node
        if key not in self._known:
            self._known[key] = some("line", dates) or some("time", times)
        return self._known[key]

    def is_signed(self, node: etree._Element, *, elements: int = 600) -> bool:
        """Whether an element holds what is called an author, or a link to somebody's own page."""
        return any(self._once("author", inner) for inner in islice(node.iter(), elements))

    def _once(self, name: str, node: etree._Element) -> bool:
        if (name, node) not in self._known:
            self._known[name, node] = _TESTS[name](node)
        return self._known[name, node]


def is_dated_line(node: etree._Element) -> bool:
    """Whether the own text of an element is short and holds a date; ``5分钟前`` is the shortest time."""
    own = fold(" ".join([node.text or "", *(child.tail or "" for child in node)]))
    is_short = 3 < len(own) <= LONGEST_BYLINE and any(map(str.isdigit, own))
    return is_short and bool(parse_date(own) or RELATIVE.search(own))


def _is_time(node: etree._Element) -> bool:
    if node.tag == "time" or _TIME.search(node.get("class") or ""):
        return True
    title = node.get("title") or ""
    return 5 < len(title) < LONGEST_BYLINE and any(map(str.isdigit, title)) and parse_date(title) is not None


def _is_author(node: etree._Element) -> bool:
    if node.tag == "cite" or node.get("itemprop") == "author" or AUTHOR.search(node.get("class") or ""):
        return True
    return node.tag == "a" and bool(profile_stem(node))


_TESTS = {"line": is_dated_line, "time": _is_time, "author": _is_author}


def profile_stem(link: etree._Element) -> str | None:
    """The beginning that links to people's own pages share; None for another link.

    >>> profile_stem(etree.fromstring('<a href="./memberlist.php?mode=viewprofile&amp;u=5">Ann</a>'))
    './memberlist.php'
    """
    href = (link.get("href") or "").strip()
    found = _PROFILE.match(href[:300]) if not _NO_PROFILE.search(href[:300]) else None
    return found[0] if found and '"' not in found[0] else None
