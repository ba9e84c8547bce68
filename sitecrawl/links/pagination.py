"""Links that turn pages: those of a listing (next, previous, numbers, rel=next), and those of one
article or thread in parts. A link leads to the next part of an article if its URL differs from the
page's own by a page number only, and its words or ``rel`` say so. Either alone is not enough,
because "next" leads to another article on most sites."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from sitecrawl.dom.page import Page
from sitecrawl.dom.render import absolute
from sitecrawl.limits import cached
from sitecrawl.links.anchors import ATTRIBUTE_BIT, TEXT_BIT, text_facts
from sitecrawl.links.facts import PageFacts
from sitecrawl.links.link_features import Targets, column_of
from sitecrawl.links.regions import REGION_BIT
from sitecrawl.resources import table_beside
from sitecrawl.text.chars import fold
from sitecrawl.urls.canonical import clean_url
from sitecrawl.urls.pattern import PAGE_KEYS
from sitecrawl.urls.scope import ascii_host

_NEXT = TEXT_BIT["t_next"]
_NUMBER = TEXT_BIT["t_number"] | TEXT_BIT["t_symbol"]
_NUMBERED = [column_of("page_number"), column_of("query_page")]
_PART_KEYS = PAGE_KEYS | {"st"}  # `st` is the first post of a page in IP.Board
_TAIL = re.compile(r"(_p?|-p(?:age)?-?|-|/(?:page|seite|pagina|p)[-/_]?|/)(\d{1,3})$", re.I)
_THREAD = re.compile(r"^(.*\b(?:thread-\d+-|topic[=,]\d+\.))(\d{1,6})((?:-\d+)?(?:\.html?)?)$")
"""Discuz!: thread-ID-PAGE-1.html; Simple Machines: topic=ID.POST or topic,ID.POST.html."""
_FILE = re.compile(r"\.(?:s?html?|php|aspx?|jsp)$", re.I)
_TABLE = table_beside(
    __file__
)  # texts of links to the next page, and to the first or the previous one
_TURN, _FIRST = (re.compile("|".join(_TABLE[what]), re.I) for what in ("turns", "first"))
_RELS = frozenset(("next", "prev", "first"))
_SYMBOLS = frozenset("» › > >> → ›› »» ▶".split())
_AROUND = "[]()（）第页 "  # characters that sites put around the number of a page
# characters of a text that can turn a page; the longest phrase in `_TURN` has 19
_LONGEST_TEXT = 24


def links_that_turn(facts: PageFacts, targets: Targets) -> NDArray[np.bool_]:
    """Which links turn the pages of a listing if they lead to a section: by ``rel``, by words, by a
    number in a pager, or by URL. A word for the first page that also names the home page, as 首页
    does above most Chinese pages, does not count."""
    if not len(targets.matrix):
        return np.zeros(len(facts.urls), np.bool_)
    flags, attributes, mask = (facts.column(name) for name in ("text_flags", "attributes", "mask"))
    named = (attributes & ATTRIBUTE_BIT["rel_next"] | flags & (_NEXT | TEXT_BIT["t_prev"])) != 0
    named &= flags & TEXT_BIT["t_home"] == 0
    placed = (flags & _NUMBER != 0) & (mask & REGION_BIT["pager"] != 0)
    numbered = targets.matrix[:, _NUMBERED].sum(axis=1) > 0
    found: NDArray[np.bool_] = (targets.of_link >= 0) & (named | placed | numbered[targets.of_link])
    return found


def part_number(first: str, url: str) -> int:
    """The page number (or offset) by which ``url`` differs from ``first``; 0 if they are not parts
    of one article.

    >>> part_number("http://a.org/x.html", "http://a.org/x_2.html"), part_number("http://a.org/x?id=7", "http://a.org/x?id=7&page=2")
    (2, 2)
    >>> part_number("http://a.org/x?7-y", "http://a.org/x?7-y/page2")
    2
    >>> part_number("http://a.org/x-1.html", "http://a.org/x-2.html"), part_number("http://a.org/1.html", "http://a.org/2.html")
    (2, 0)
    """
    return _compare(first, url)[0]


def calls_it_page(first: str, url: str) -> bool:
    """Whether ``url`` calls itself a page of ``first``, by a parameter, a folder or a word. A number
    behind a name may belong to the name.

    >>> calls_it_page("http://a.org/x", "http://a.org/x/2/"), calls_it_page("http://a.org/x", "http://a.org/x-page-2")
    (True, True)
    >>> calls_it_page("http://a.org/x", "http://a.org/x-2"), calls_it_page("http://a.org/x.html", "http://a.org/x_2.html")
    (False, False)
    """
    number, is_certain = _compare(first, url)
    if not number or not is_certain:
        return False
    tail = _TAIL.search(_FILE.sub("", urlsplit(url).path.rstrip("/")))
    return tail is None or tail[1] != "_"


class TurningLink(NamedTuple):
    """A link that may turn the page: absolute URL, folded text, and the words of its ``rel`` in
    ``_RELS``."""

    url: str
    text: str
    rel: frozenset[str]


def next_part(page: Page, first: str = "", *, links: list[TurningLink] | None = None) -> str | None:
    """URL of the part after ``page``, None for the last; ``first`` is the URL of the first part.
    ``links`` are its :func:`turning_links`."""
    first = first or page.url
    found: dict[int, str] = {}
    tail = _TAIL.search(_FILE.sub("", urlsplit(first).path))
    starts_at_1 = tail is not None and tail[2] == "1"  # the first part may have a number itself
    least = max(part_number(first, page.url), starts_at_1)
    for link in turning_links(page) if links is None else links:
        number, certain = _compare(first, link.url)
        if number > least and _leads_to(link, number=number, certain=certain):
            found.setdefault(number, link.url)
    return found[min(found)] if found else None


def first_part(page: Page, links: list[TurningLink] | None = None) -> str | None:
    """URL of the first part if ``page`` is a later one: a link back to it, or the page's canonical
    URL. A canonical URL that differs from the page's URL only by the query is the page's own:
    forums show a page of a thread also under the URL of each of its posts."""
    canonical = page.metadata.links.get("canonical")
    own = absolute(canonical, page.base_url) if canonical else None
    if own and part_number(own, page.url):
        return own
    links = turning_links(page) if links is None else links
    url = page.url
    path, has_query, _ = (own or "").partition("?")
    if own and has_query and path == url.partition("?")[0]:
        url = own
    for link in filter(_leads_back, links):
        if part_number(link.url, url):
            return link.url
    if url != page.url and next_part(page, url, links=links):
        return url
    return None


def _leads_back(link: TurningLink) -> bool:
    """Whether a link says that it leads to the first part or to the one before."""
    return _FIRST.fullmatch(link.text) is not None or not link.rel.isdisjoint(("prev", "first"))


def turns_pages_of(first: str, links: list[TurningLink]) -> bool:
    """Whether the text of a link to another part of ``first`` says that it leads to a page."""
    return any(_TURN.search(link.text) and part_number(first, link.url) for link in links)


def turning_links(page: Page) -> list[TurningLink]:
    """The links whose words or ``rel`` may turn a page, those of the head first."""
    named = ((name, page.metadata.links.get(name)) for name in ("next", "prev", "first"))
    urls = ((name, absolute(href, page.base_url)) for name, href in named if href)
    found = [TurningLink(url, "", frozenset((name,))) for name, url in urls if url]
    for anchor in page.root.iter("a"):
        if not (href := anchor.get("href")):
            continue
        text = "".join(anchor.itertext()) if len(anchor) else anchor.text or ""
        rel = _RELS.intersection(anchor.get("rel", "").casefold().split())
        # white space may make a short text long, but not more than fourfold
        may_turn = rel or (len(text) <= 4 * _LONGEST_TEXT and turns_by_words(text))
        if may_turn and (url := absolute(href.partition("#")[0], page.base_url)):
            found.append(TurningLink(clean_url(url), fold(text), rel))
    return found


@cached(4_000)
def turns_by_words(text: str) -> bool:
    """Whether a link's words can mean that it turns a page."""
    text = fold(text)
    if len(text) > _LONGEST_TEXT or not text:
        return False
    number = text.strip(_AROUND).isdigit() or text in _SYMBOLS
    return number or bool(
        _TURN.search(text) or _FIRST.fullmatch(text) or text_facts(text)[2] & _NEXT
    )


def _leads_to(link: TurningLink, *, number: int, certain: bool) -> bool:
    """Whether a link's words say that it leads to the part ``number``; with a ``certain`` URL any
    "next" is enough."""
    bare = link.text.strip(_AROUND)
    if (
        bare == "1"
    ):  # most sites call the first part so, and some the second one (`?page=1` behind 2, in Drupal)
        return False
    if (
        _TURN.search(link.text)
        or (bare.isdigit() and certain)
        or bare in (str(number), str(number + 1))
    ):
        return True
    return certain and (
        "next" in link.rel or link.text in _SYMBOLS or bool(text_facts(link.text)[2] & _NEXT)
    )


def _compare(first: str, url: str) -> tuple[int, bool]:
    """The number that ``url`` has in addition to ``first``, and whether it is certainly a page
    number."""
    try:
        one, other = urlsplit(clean_url(first)), urlsplit(clean_url(url))
    except ValueError:
        return 0, False
    if ascii_host(one.netloc) != ascii_host(other.netloc):
        return 0, False
    threads = [_THREAD.match(f"{parts.path}?{parts.query}".rstrip("?")) for parts in (one, other)]
    if threads[0] and threads[1] and threads[0].group(1, 3) == threads[1].group(1, 3):
        begins, number = int(threads[0][2]), int(threads[1][2])
        return (number if begins <= 1 and number > begins else 0), True
    if one.path == other.path and "=" not in one.query + other.query:
        return _by_path(unquote(one.query), unquote(other.query))  # vBulletin: ?ID-title/page2
    if one.path == other.path:
        return _by_query(one.query, other.query), True
    if one.query != other.query:
        return 0, False
    return _by_path(*(unquote(parts.path) for parts in (one, other)))


def _by_query(one: str, other: str) -> int:
    """The page number in the query ``other``, if nothing else distinguishes it from ``one``; else
    0."""
    first, later = dict(parse_qsl(one)), dict(parse_qsl(other))
    changed = {key for key in later if later[key] != first.get(key)}
    if len(changed) != 1 or first.keys() - later.keys():
        return 0
    key = changed.pop()
    given, before = later[key], first.get(key, "0")
    if (
        key.casefold() not in _PART_KEYS
        or not given.isdecimal()
        or len(given) > 5
        or before not in ("0", "1")
    ):
        return 0
    return int(given) if int(given) > int(before) else 0


def _by_path(one: str, other: str) -> tuple[int, bool]:
    """The number that the path ``other`` has behind ``one``, else 0; whether a sign or a word for a
    page stands before it."""
    ends = [_FILE.search(path) for path in (one, other)]
    stems = [
        path[: end.start()] if end else path.rstrip("/")
        for path, end in zip((one, other), ends, strict=True)
    ]
    tail = _TAIL.search(stems[1])
    if not tail or (ends[1] and not ends[0]):
        return 0, False
    base, number, mark = stems[1][: tail.start()], int(tail[2]), tail[1].strip("_-/").casefold()
    if base == stems[0] and len(base) > 1:
        return number, bool(mark) or tail[1] in ("_", "/")
    same = _TAIL.search(stems[0])
    numbered = (
        same is not None
        and stems[0][: same.start()] == base
        and (same[1], same[2]) == (tail[1], "1")
    )
    return (number if numbered and number > 1 and tail[1] != "/" else 0), bool(mark)
