"""What links and their places tell to be no text of an article: boxes to share the page, players,
notices that lead to a login, what nobody sees. They need no word of the text, so they hold in every
language."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import compress, islice, pairwise
from urllib.parse import quote

from lxml import etree

from sitecrawl.dom.nodes import href_of
from sitecrawl.dom.tree import HEADINGS, INLINE, string_of
from sitecrawl.text.chars import word_count
from sitecrawl.text.names import squeeze
from sitecrawl.urls.scope import host_of

# the names of such pages in forums, WordPress and other systems are English in every language
_LOGINS = ("login", "logging", "signin", "sign-in", "signup", "sign-up", "regist")
_SLIVER = re.compile(
    r"(?:^|;)\s*(?:max-)?height\s*:\s*1?[1-9]px|(?:^|;)\s*height\s*:\s*10px"
    r"|(?:left|top|text-indent)\s*:\s*-9\d\d"
)
_TITLE_IN_LINK = 10  # characters of a headline that tells a link to share the page
_PATH_IN_LINK = 6  # characters of a path that does
_FRONT_PAGE = re.compile(r"[^/]*//[^/]*/?")
_MOST_QUERIES = 100  # links with parameters that are examined
_SHARE_HOSTS = 2  # that a box to share the page leads to
_SHARE_WORDS = 40  # of such a box
_MOST_PLACES = 2  # of a page, above and below the text; more are those of its posts
_LONGEST_NOTICE = 40  # words of a line that says where a text appeared first, besides its title
_MEDIA = re.compile(r"\.(?:mp[34]|m4[abv]|og[agv]|opus|aac|wma|wav|flac|webm)(?=[?#\n]|$)", re.I)
_LONGEST_PLAYER_LINE = 12  # words of a line that plays and downloads one file
_MOST_LOGINS = 20  # links to a login that are examined
_LEAST_LINKED = 0.1  # share of the characters of such a line that are links
_LONGEST_LOGIN = 30  # words of a line that asks its reader to log in
_MOST_LEVELS = 4  # elements around a link that may be a box to share the page


class _Links:
    """The links below an element, in document order, with where they lead."""

    def __init__(self, root: etree._Element) -> None:
        self.root = root
        self.nodes = list(root.iterdescendants("a"))
        self.hrefs = [href or "" for href in map(href_of, self.nodes)]
        self.text = "\n".join(self.hrefs)

    def among(self, are_some: Iterable[bool]) -> list[etree._Element]:
        """Those of which this is true."""
        return list(compress(self.nodes, are_some))

    def lines(
        self, are_some: Iterable[bool]
    ) -> Iterator[tuple[etree._Element, list[etree._Element]]]:
        """The elements around a link of which this is true, with the links that are their children."""
        around = dict.fromkeys([link.getparent() for link in self.among(are_some)])
        for line in around:
            if line is not None and line is not self.root:
                yield line, list(line.iterchildren("a"))


def link_boxes(
    root: etree._Element, styled: Iterable[etree._Element], *, url: str, title: str
) -> list[etree._Element]:
    """Elements below ``root`` that are in no article: what is moved out of sight, boxes to share the
    page of this ``url`` and ``title``, lines that play or download one file, notices that lead to a
    login, and the line of a feed that says where the text appeared first. ``styled`` are those that
    may have a style."""
    links = _Links(root)
    return [
        *_slivers(styled),
        *_sharing_boxes(links, url=url, title=title),
        *_notices_of_feeds(links, title),
        *_player_lines(links),
        *_login_notices(links, url),
    ]


def _slivers(styled: Iterable[etree._Element]) -> Iterator[etree._Element]:
    """Elements that are a few pixels high, or far outside the window: links for search engines."""
    for node in styled:
        style = node.get("style") or ""
        may_be_one = "overflow" in style or "-9" in style
        if may_be_one and _SLIVER.search(style) and node.tag not in ("body", "html"):
            yield node


def _sharing_boxes(links: _Links, *, url: str, title: str) -> Iterator[etree._Element]:
    """The largest elements with few words around links that lead to several hosts and name this page."""
    root = links.root
    queries = links.among(["?" in href and "//" in href for href in links.hrefs])
    queries = queries[:_MOST_QUERIES]
    if len(queries) < _SHARE_HOSTS:
        return
    hosts = _hosts_within(queries, url=url, title=title)
    boxes = [box for box, known in hosts.items() if len(known) >= _SHARE_HOSTS and box is not root]
    if not boxes:
        return
    # of a short text the buttons are no large part
    most = min(_SHARE_WORDS, word_count(string_of(root)) // 3)
    outer = {box.getparent() for box in boxes}
    inner = [box for box in boxes if box not in outer]
    if len(inner) > _MOST_PLACES:
        boxes = inner
    for box in boxes:
        if word_count(string_of(box)) <= most:
            yield box


def _hosts_within(
    links: list[etree._Element], *, url: str, title: str
) -> dict[etree._Element, set[str]]:
    """The other hosts that links in an element lead to, of those that name this page."""
    own = host_of(url)
    path = url.partition("//")[2].partition("/")[2]
    names = [path] if len(path) >= _PATH_IN_LINK else []
    if len(title) >= _TITLE_IN_LINK:
        names.append(title)
    names += [quote(name, safe="") for name in names]
    hosts = defaultdict[etree._Element, set[str]](set)
    for link in links:
        href = link.get("href") or ""
        host = host_of(href)
        if host not in ("", own) and any(map(href.__contains__, names)):
            for above in islice(link.iterancestors(), _MOST_LEVELS):
                hosts[above].add(host)
    return hosts


def _notices_of_feeds(links: _Links, title: str) -> Iterator[etree._Element]:
    """Lines with a link that bears the title, and one to the first page of the same host, as feeds
    add them to a text that other sites show."""
    # the second leads to the beginning of where the first leads
    begin = ["//" in one and one in before for before, one in pairwise(["", *links.hrefs])]
    for line, row in links.lines(begin) if title else ():
        if len(row) != 2 or not _FRONT_PAGE.fullmatch(row[1].get("href") or ""):
            continue
        named = string_of(row[0])
        is_short = word_count(string_of(line)) - word_count(named) <= _LONGEST_NOTICE
        if is_short and squeeze(named) == squeeze(title):
            yield line


def _player_lines(links: _Links) -> Iterator[etree._Element]:
    """Short lines with two links to one sound or film: one plays it, one downloads it."""
    if not _MEDIA.search(links.text):
        return
    times = Counter(links.hrefs)
    for line, row in links.lines([times[href] > 1 for href in links.hrefs]):
        before, last = [None, *map(href_of, row)][-2:]
        is_doubled = before == last and bool(_MEDIA.search(last or "")) and not any(map(len, row))
        if is_doubled and word_count(string_of(line)) <= _LONGEST_PLAYER_LINE:
            yield line


def _login_notices(links: _Links, url: str) -> list[etree._Element]:
    """Short lines all links of which lead to a login or a registration of the site itself, with the
    heading above. An article may name the registration of others, for an event."""
    words = [word for word in _LOGINS if word in links.text]
    if not words:
        return []
    own = f".{host_of(url)}"
    logins = list[etree._Element]()
    for link in links.among([any(word in href for word in words) for href in links.hrefs]):
        host = host_of(link.get("href") or "")
        # logins are often on a host of their own below that of the site
        is_own = not host or f".{host}".endswith(own)
        if is_own and next(link.iterancestors("nav", "header"), None) is None:
            logins.append(link)
        if len(logins) == _MOST_LOGINS:
            break
    known = set(logins)
    found = [_notice_of(link, links.root, known=known) for link in logins]
    return list(dict.fromkeys([notice for notice in found if notice is not None]))


def _notice_of(
    link: etree._Element, root: etree._Element, *, known: set[etree._Element]
) -> etree._Element | None:
    """The notice around a link to a login; None if the link stands in another text."""
    notice = None
    for above in islice(link.iterancestors(), _MOST_LEVELS):
        if above is root or above.tag == "body" or not _leads_to(known, above):
            break
        if notice is not None and not _heads(above, notice):
            break
        if notice is None and above.tag in INLINE:
            continue  # a few words of the line
        if notice is None and not _asks_for_login(above):
            break
        notice = above
    return notice


def _asks_for_login(line: etree._Element) -> bool:
    """Whether a line is short, and its links are more than a word of a sentence."""
    text = string_of(line)
    linked = sum([len(string_of(link)) for link in line.iter("a")])
    return word_count(text) <= _LONGEST_LOGIN and linked >= _LEAST_LINKED * len(text.strip())


def _leads_to(links: set[etree._Element], box: etree._Element) -> bool:
    """Whether a box has no link but these."""
    return all(link in links or not link.get("href") for link in box.iter("a"))


def _heads(box: etree._Element, notice: etree._Element) -> bool:
    """Whether a box holds headings and signs only beside a notice."""
    beside = [node for node in box if node is not notice]
    if any(not _is_heading_or_sign(node) for node in beside):
        return False
    own = [box.text, *[node.tail for node in box]]
    return not any(text and not text.isspace() for text in own)


def _is_heading_or_sign(node: etree._Element) -> bool:
    return node.tag in HEADINGS or len(string_of(node).strip()) <= 1
