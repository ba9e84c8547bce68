"""Signs of a comment or post: a date in a short line, a link to a profile, the name of an author."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from lxml import etree

from sitecrawl.dom.page import AUTHOR
from sitecrawl.dom.tree import SILENT, Tree
from sitecrawl.limits import LIMITS, cached
from sitecrawl.templates.address import text_of
from sitecrawl.text.chars import fold, word_count
from sitecrawl.text.dates import RELATIVE, parse_date

_TIME = re.compile(r"\b(?:date|time|posted|created)|date(?:created|time)|timestamp", re.I)
LONGEST_BYLINE = 160  # characters of the longest line with name and date
_PROFILE = re.compile(
    r".*?(?:^|[/?&;=_.-])(?:users?|members?|profiles?|people|u|author|commenter|memberlist|userinfo|uid|user_?id|showuser|space-uid|space&(?:amp;)?uid"
    r"|mitglied(?:er)?|benutzer|usuarios?|utilisateur|membres?|utenti|uzivatel\w*)(?:\.\w{2,5}(?=[?/])|[/=-]|;u=)",
    re.I,
)
"""An address of somebody's own page, up to the word that says so."""
_NO_PROFILE = re.compile(
    r"search|share|private|send-?message|newpm|mailto:|mode=email|report|login|register|sign(?:in|up)|^#", re.I
)


class _PageSigns:
    """Numbers of the elements of one page that are signs, in document order. Each list is computed on first use."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    @cached_property
    def lines(self) -> list[int]:
        """Elements whose own text is a short line with a date."""
        tree, own, end = self.tree, defaultdict[int, list[str]](list), 0
        for owner, chunk in zip(tree.owners, tree.chunks, strict=True):
            own[owner].append(chunk)
        for start, tag in enumerate(tree.tags):
            if (
                tag in SILENT and tag != "head" and start >= end
            ):  # a forum that scripts draw has its posts in a noscript
                end = tree.ends[start]
                for at, node in enumerate(tree.nodes[start:end], start):
                    own[at] += [node.text or "", *(child.tail or "" for child in node)]
        return sorted(at for at, texts in own.items() if _is_dated(fold(" ".join(texts))))

    @cached_property
    def times(self) -> list[int]:
        """Elements that are marked as times, or titled with a date."""
        tree = self.tree
        marked = {*tree.marked(_TIME.search, "class"), *tree.marked(_is_dated_title, "title")}
        return sorted(marked.union(tree.named.get("time", ())))

    @cached_property
    def authors(self) -> list[int]:
        """Elements that are called an author, and links to somebody's own page."""
        tree = self.tree
        marked = {*tree.marked(AUTHOR.search, "class"), *tree.marked("author".__eq__, "itemprop")}
        linked = [at for at in tree.marked(profile_stem, "href") if tree.tags[at] == "a"]
        return sorted(marked.union(linked, tree.named.get("cite", ())))


class Signs:
    """Dates, authors and texts of the elements of some pages, computed from the flat trees and cached."""

    def __init__(self, trees: Iterable[Tree]) -> None:
        self._places = {node: (page, at) for page in map(_PageSigns, trees) for at, node in enumerate(page.tree.nodes)}
        self._texts: dict[etree._Element, tuple[int, str, int]] = {}

    def _count(self, kind: str, node: etree._Element, *, elements: int = LIMITS.nodes) -> int:
        """Number of signs of one kind among the first ``elements`` descendants of an element."""
        if node not in self._places:
            return 0
        page, at = self._places[node]
        numbers, end = getattr(page, kind), min(page.tree.ends[at], at + elements)
        return bisect_left(numbers, end) - bisect_left(numbers, at)

    def is_dated(self, node: etree._Element, *, dates: int = 3, times: int = 4) -> bool:
        """Whether an element contains one to three short lines with a date, or one to four elements marked as times or titled with a date."""
        return 0 < self._count("lines", node) <= dates or 0 < self._count("times", node) <= times

    def is_signed(self, node: etree._Element, *, elements: int = 600) -> bool:
        """Whether an element contains an element with a class name of authors, or a link to a profile."""
        return self._count("authors", node, elements=elements) > 0

    def text(self, node: etree._Element, *, most: int = 400) -> tuple[int, str, int]:
        """Length of an element's text, its first ``most`` characters, and how many words these are."""
        if node not in self._texts:
            text = text_of(node)
            self._texts[node] = len(text), text[:most], word_count(text[:most])
        return self._texts[node]

    def link_share(self, nodes: Sequence[etree._Element]) -> float:
        """Share of linked characters in the texts of ``nodes``."""
        links = sum(len("".join(a.itertext()).strip()) for node in nodes for a in node.iter("a"))
        return links / max(1, sum(self.text(node)[0] for node in nodes))

    def title_in(self, node: etree._Element, *, shortest: int = 4) -> str | None:
        """The first link that is a whole line with at least ``shortest`` words. Links to anchors and profiles, and linked dates, do not count."""
        for link in node.iter("a"):
            href, (chars, text, words), parent = link.get("href") or "#", self.text(link), link.getparent()
            if words < shortest or "#" in href or profile_stem(href) or parse_date(text):
                continue
            if parent is node or parent is None or self.text(parent) == (chars, text, words):
                return text
        return None


def _is_dated(own: str) -> bool:
    """Whether the own text of an element is short and holds a date; ``5分钟前`` is the shortest time."""
    is_short = 3 < len(own) <= LONGEST_BYLINE and any(map(str.isdigit, own))
    return is_short and bool(parse_date(own) or RELATIVE.search(own))


def _is_dated_title(title: str) -> bool:
    return 5 < len(title) < LONGEST_BYLINE and any(map(str.isdigit, title)) and parse_date(title) is not None


@cached(4_096)
def profile_stem(href: str) -> str | None:
    """The beginning that all links to profiles share; None for any other link.

    >>> profile_stem("./memberlist.php?mode=viewprofile&u=5")
    './memberlist.php'
    """
    href = href.strip()[:300]
    found = _PROFILE.match(href) if not _NO_PROFILE.search(href) else None
    return found[0] if found and '"' not in found[0] else None
