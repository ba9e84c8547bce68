"""What tells the head of a comment or post: the date in a short line, a link to somebody's own page, the name of an author."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice

from lxml import etree

from sitecrawl.text.chars import fold
from sitecrawl.text.dates import parse_date

_TIME = re.compile(r"\b(?:date|time|posted|created)|date(?:created|time)|timestamp", re.I)
_UNITS = (
    r"sec|min|h(?:ou)?rs?\b|days?\b|weeks?\b|months?\b|years?\b|stunde|std|tag|woche|monat|jahr|heure|jour|semaine|mois|ans?\b|d[i\u00ed]as?\b|seman|mes|a[n\u00f1]o|hora|giorn|ore?\b"
    r"|settiman|mesi|ann[io]|uur|dag|maand|jaar|godz|dni|tyg|\u0447\u0430\u0441|\u043c\u0438\u043d|\u0434\u0435?\u043d|\u043d\u0435\u0434|\u043c\u0435\u0441|\u043b\u0435\u0442|\u0433\u043e\u0434"
)
_AGO = re.compile(
    rf"(?:\b\d+|\ban?|\b\w{{3,4}})\s(?:{_UNITS})\w*\s(?:ago|fa|atr[a\u00e1]s|geleden|temu|\u043d\u0430\u0437\u0430\u0434)\b|\b(?:vor|il y a|hace|h[a\u00e1]|p\u0159ed)\s\w+\s(?:{_UNITS})"
    r"|\d\s?(?:\u79d2|\u5206\u949f|\u5206\u9418|\u5206|\u5c0f\u65f6|\u5c0f\u6642|\u6642\u9593|\u5929|\u65e5|\u5468|\u9031|\u4e2a\u6708|\u5e74)(?:\u524d|\u4ee5\u524d)"
    r"|\b(?:yesterday|today|gestern|heute|hier|aujourd.hui|ayer|hoy|ieri|oggi|ontem|hoje|gisteren|vandaag|wczoraj|\u0432\u0447\u0435\u0440\u0430|\u0441\u0435\u0433\u043e\u0434\u043d\u044f)\b[^\d]{1,6}\d{1,2}[:h.]\d\d"
    r"|(?:\u6628\u5929|\u4eca\u5929)\s?\d{1,2}:\d\d",
    re.I,
)
"""A time told from now: ``3 weeks ago``, ``gestern, 10:30``. No date can be read from it, but it stands where dates stand."""
_DATES, _MARKED = 3, 4
"""Dates in short lines, and marked times, of a record at most."""
LONGEST_BYLINE = 160
"""Characters of the longest line with name and date."""
_ELEMENTS = 600
"""Elements that are asked for an author."""
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
        self._dated: dict[etree._Element, bool] = {}
        self._signed: dict[etree._Element, bool] = {}
        self._is_line, self._is_time = _once(is_dated_line), _once(is_time)

    def dated(self, node: etree._Element) -> bool:
        if node not in self._dated:
            self._dated[node] = has_one_date(node, self._is_line, self._is_time)
        return self._dated[node]

    def signed(self, node: etree._Element) -> bool:
        if node not in self._signed:
            self._signed[node] = is_signed(node)
        return self._signed[node]


Test = Callable[[etree._Element], bool]


def _once(test: Test) -> Test:
    """``test``, asked once of every element."""
    known: dict[etree._Element, bool] = {}

    def ask(node: etree._Element) -> bool:
        if node not in known:
            known[node] = test(node)
        return known[node]

    return ask


def is_dated_line(node: etree._Element) -> bool:
    """Whether the own text of an element is short and holds a date; ``5分钟前`` is the shortest time."""
    own = fold(" ".join([node.text or "", *(child.tail or "" for child in node)]))
    is_short = 3 < len(own) <= LONGEST_BYLINE and any(map(str.isdigit, own))
    return is_short and bool(parse_date(own) or _AGO.search(own))


def is_time(node: etree._Element) -> bool:
    if node.tag == "time" or _TIME.search(node.get("class") or ""):
        return True
    title = node.get("title") or ""
    return 5 < len(title) < LONGEST_BYLINE and any(map(str.isdigit, title)) and parse_date(title) is not None


def has_one_date(node: etree._Element, is_line: Test = is_dated_line, is_marked: Test = is_time) -> bool:
    """Whether one or two dates stand in short lines, or one to four elements are marked as times or titled with a date."""
    if sum(1 for _ in islice(filter(is_line, node.iter()), _DATES + 1)) in range(1, _DATES + 1):
        return True
    return sum(1 for _ in islice(filter(is_marked, node.iter()), _MARKED + 1)) in range(1, _MARKED + 1)


def is_signed(node: etree._Element) -> bool:
    """Whether an element holds what is called an author, or a link to somebody's own page."""
    for inner in islice(node.iter(), _ELEMENTS):
        if inner.tag == "cite" or inner.get("itemprop") == "author" or AUTHOR.search(inner.get("class") or ""):
            return True
        if inner.tag == "a" and profile_stem(inner):
            return True
    return False


def profile_stem(link: etree._Element) -> str | None:
    """The beginning that links to people's own pages share; None for another link.

    >>> profile_stem(etree.fromstring('<a href="./memberlist.php?mode=viewprofile&amp;u=5">Ann</a>'))
    './memberlist.php'
    """
    href = (link.get("href") or "").strip()
    found = _PROFILE.match(href[:300]) if not _NO_PROFILE.search(href[:300]) else None
    return found[0] if found and '"' not in found[0] else None
