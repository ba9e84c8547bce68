"""What tells the head of a comment or post: the date in a short line, a link to somebody's own page, the name of an author."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import NamedTuple

from lxml import etree

from sitecrawl.dom.tree import SILENT, Tree
from sitecrawl.limits import cached
from sitecrawl.templates.address import text_of
from sitecrawl.text.chars import fold, word_count
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


@dataclass
class _PageSigns:
    """Numbers of the elements of one page that are signs, in document order, each list made when it is first asked for."""

    tree: Tree

    @cached_property
    def lines(self) -> list[int]:
        """Elements whose own text is a short line with a date."""
        tree, own = self.tree, defaultdict[int, list[str]](list)
        for owner, chunk in zip(tree.owners, tree.chunks, strict=True):
            own[owner].append(chunk)
        found = [at for at, chunks in own.items() if _is_dated(fold(" ".join(chunks)))]
        unseen, end = list[int](), 0
        for start, tag in enumerate(tree.tags):
            if tag in SILENT and start >= end:
                end = tree.ends[start]
                inside = range(start, end) if tag != "head" else ()
                unseen += [at for at in inside if _is_dated(_own_text(tree.nodes[at]))]
        return sorted(found + unseen)

    @cached_property
    def times(self) -> list[int]:
        """Elements that are marked as times, or titled with a date."""
        tree = self.tree
        times = tree.marked(_TIME.search, "class"), tree.marked(_is_dated_title, "title"), tree.named.get("time", ())
        return sorted(set(chain(*times)))

    @cached_property
    def authors(self) -> list[int]:
        """Elements that are called an author, and links to somebody's own page."""
        tree = self.tree
        named = (
            tree.marked(AUTHOR.search, "class"),
            tree.marked("author".__eq__, "itemprop"),
            tree.named.get("cite", ()),
        )
        linked = [at for at in tree.marked(_stem_of, "href") if tree.tags[at] == "a"]
        return sorted(set(chain(*named, linked)))

    @cached_property
    def links(self) -> tuple[list[int], list[int]]:
        """Links, and the characters of text in all links before each of them, and in all."""
        found = self.tree.named.get("a", [])
        sizes = (len("".join(self.tree.nodes[at].itertext()).strip()) for at in found)
        return found, [0, *accumulate(sizes)]


class Gist(NamedTuple):
    """What is kept of an element's text: its length, its words (of more than twenty, twenty), and what tells it from others."""

    chars: int
    words: int
    digest: int


class Signs:
    """Dates, authors, links and texts of the elements of some pages, told from the flat trees: nothing is looked for twice."""

    def __init__(self, trees: Iterable[Tree]) -> None:
        self._places = {node: (page, at) for page in map(_PageSigns, trees) for at, node in enumerate(page.tree.nodes)}
        self._gists: dict[etree._Element, Gist] = {}
        self._titles: dict[etree._Element, str | None] = {}

    def is_dated(self, node: etree._Element, *, dates: int = 3, times: int = 4) -> bool:
        """Whether one to three dates stand in short lines, or one to four elements are marked as times or titled with a date."""
        if node not in self._places:
            return False
        page, at = self._places[node]
        end = page.tree.ends[at]
        return 0 < _count(page.lines, at, end) <= dates or 0 < _count(page.times, at, end) <= times

    def is_signed(self, node: etree._Element, *, elements: int = 600) -> bool:
        """Whether an element holds what is called an author, or a link to somebody's own page."""
        if node not in self._places:
            return False
        page, at = self._places[node]
        return _count(page.authors, at, min(page.tree.ends[at], at + elements)) > 0

    def gist(self, node: etree._Element) -> Gist:
        """Length, words and digest of the text of an element."""
        if node not in self._gists:
            text = text_of(node)
            words = word_count(text[:400])
            self._gists[node] = Gist(len(text), min(20, words if words >= 20 else word_count(text)), hash(text))
        return self._gists[node]

    def link_share(self, nodes: Sequence[etree._Element]) -> float:
        """Share of linked characters in the texts of ``nodes``."""
        linked = 0
        for page, at in (self._places[node] for node in nodes if node in self._places):
            numbers, sums = page.links
            linked += sums[bisect_left(numbers, page.tree.ends[at])] - sums[bisect_left(numbers, at)]
        return linked / max(1, sum(self.gist(node).chars for node in nodes))

    def title_in(self, node: etree._Element) -> str | None:
        """The first link in an element that is a line with the words of a title, unless to a place on a page, to a person, or from a date."""
        for link in node.iter("a"):
            if link not in self._titles:
                self._titles[link] = _title_of(link)
            text, parent = self._titles[link], link.getparent()
            if text and (parent is node or parent is None or self.gist(parent).digest == hash(text)):
                return text
        return None


def _count(numbers: list[int], start: int, end: int) -> int:
    """How many of ``numbers``, which rise, are from ``start`` to before ``end``."""
    return bisect_left(numbers, end) - bisect_left(numbers, start)


def _title_of(link: etree._Element, *, shortest: int = 4) -> str | None:
    href, text = link.get("href") or "#", text_of(link)
    is_title = word_count(text) >= shortest and "#" not in href and not profile_stem(link) and not parse_date(text)
    return text if is_title else None


def _own_text(node: etree._Element) -> str:
    return fold(" ".join([node.text or "", *(child.tail or "" for child in node)]))


def _is_dated(own: str) -> bool:
    """Whether the own text of an element is short and holds a date; ``5分钟前`` is the shortest time."""
    is_short = 3 < len(own) <= LONGEST_BYLINE and any(map(str.isdigit, own))
    return is_short and bool(parse_date(own) or RELATIVE.search(own))


def _is_dated_title(title: str) -> bool:
    return 5 < len(title) < LONGEST_BYLINE and any(map(str.isdigit, title)) and parse_date(title) is not None


def profile_stem(link: etree._Element) -> str | None:
    """The beginning that links to people's own pages share; None for another link.

    >>> profile_stem(etree.fromstring('<a href="./memberlist.php?mode=viewprofile&amp;u=5">Ann</a>'))
    './memberlist.php'
    """
    return _stem_of(link.get("href") or "")


@cached(4_096)
def _stem_of(href: str) -> str | None:
    href = href.strip()[:300]
    found = _PROFILE.match(href) if not _NO_PROFILE.search(href) else None
    return found[0] if found and '"' not in found[0] else None
