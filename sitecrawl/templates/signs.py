"""Signs of a comment or post: a date in a short line, a link to a profile, the name of an
author."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from sitecrawl.dom.blocks import BITS, Ints
from sitecrawl.dom.document import Document
from sitecrawl.dom.page import AUTHOR, AUTHOR_WORDS
from sitecrawl.dom.tree import INLINE
from sitecrawl.limits import LIMITS, cached
from sitecrawl.resources import table_beside
from sitecrawl.templates.address import text_of
from sitecrawl.text.chars import fold, word_count
from sitecrawl.text.dates import has_relative, parse_date

_TIME = re.compile(r"\b(?:date|time|posted|created)|date(?:created|time)|timestamp", re.I)
_DIGIT = re.compile(r"\d").search
# a text with a digit among texts that NUL parts; no document of lxml can hold a NUL
_NUMBERED = re.compile(r"(?<![^\0])[^\0\d]*+\d[^\0]*")
NUMBER = re.compile("[0-9]+")  # the number of a post in its class
DISCUSSION = BITS["comment"] | BITS["forum"]  # names of comments and of forums
LONGEST_BYLINE = 160  # characters of the longest line with name and date
_TABLE = table_beside(
    __file__
)  # parts of URLs of people's own pages, and of others that name a person
# of the word; what has more behind /@NAME/ is no profile
_ENDS = r"\.\w{2,5}(?=[?/])|[/=-]|;u=|(?<=/@)(?=[^/?#]+/?(?:[?#]|$))"
_PROFILE = re.compile(rf".*?(?:^|[/?&;=_.-])(?:{'|'.join(_TABLE['profile'])})(?:{_ENDS})", re.I)
"""An address of somebody's own page, up to the word or sign that says so."""
_NO_PROFILE = re.compile("|".join(_TABLE["no_profile"]), re.I)


class Signs:
    """Dates, authors, texts and links of the elements of one page, by their numbers in its flat
    tree; each is computed on first use."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._texts: dict[int, tuple[str, int]] = {}

    @cached_property
    def lines(self) -> list[int]:
        """Elements whose own text is a short line with a date."""
        document = self.document
        numbered = _with_digit(document.chunks)
        pairs = list(zip(document.owners, document.chunks, strict=True))
        owners = {owner for owner, chunk in pairs if chunk in numbered}
        own = {owner: list[str]() for owner in owners}
        for owner, chunk in pairs:
            if owner in owners:
                own[owner] += (chunk,)

        # the others are in one of these
        outer = [start for start in document.tagged("noscript") if start not in own]
        for start in outer:
            own |= self._hidden_texts(start)
        joined = [(at, " ".join(" ".join(texts).split())) for at, texts in own.items()]
        return sorted([at for at, line in joined if _is_dated(line)])

    def _hidden_texts(self, start: int) -> dict[int, list[str]]:
        """Texts with a digit of the elements in a ``noscript``, where a forum that scripts draw has
        its posts, by element."""
        document = self.document
        found = dict[int, list[str]]()
        for at, node in enumerate(document.nodes[start : document.ends[start]], start):
            texts = [node.text or "", *(child.tail or "" for child in node)]
            if _DIGIT("".join(texts)):
                found[at] = texts
        return found

    @cached_property
    def times(self) -> list[int]:
        """Elements that are marked as times, or titled with a date."""
        document = self.document
        marked = document.marked(_TIME.search, "class", words=("date", "time", "posted", "created"))
        titles = document.attributes["title"]
        numbered = _with_digit(titles.values())
        titled = [at for at, title in titles.items() if title in numbered and _is_dated(title)]
        return sorted({*marked, *titled, *document.tagged("time")})

    @cached_property
    def authors(self) -> list[int]:
        """Elements that are called an author, and links to somebody's own page."""
        document = self.document
        marked = document.marked("author".__eq__, "itemprop", words=("author",))
        marked += document.marked(
            lambda own: own == "name" or AUTHOR.search(own), "class", words=(*AUTHOR_WORDS, "name")
        )
        linked = (
            at
            for at in document.marked(profile_stem, "href", words=_TABLE["profile_words"])
            if document.tags[at] == "a"
        )
        return sorted({*marked, *linked, *document.tagged("cite")})

    @cached_property
    def embedded(self) -> set[int]:
        return set(self.document.embedded_posts)

    def count(self, signs: Sequence[int], *, elements: int = LIMITS.nodes) -> Ints:
        """For every element the number of ``signs`` among it and its descendants, the first
        ``elements`` of them."""
        sums = np.zeros(len(self.document) + 1, np.int64)
        sums[np.array(signs, np.int64) + 1] = 1
        sums, starts = sums.cumsum(), np.arange(len(self.document))
        counts: Ints = sums[np.minimum(self.document.ends, starts + elements)] - sums[:-1]
        return counts

    @cached_property
    def dated(self) -> list[bool]:
        """Whether elements contain one to three short lines with a date, or one to four elements
        marked as times or titled with a date."""
        lines, times = self.count(self.lines), self.count(self.times)
        return list(((lines > 0) & (lines <= 3) | (times > 0) & (times <= 4)).tolist())

    @cached_property
    def signed(self) -> list[bool]:
        """Whether elements contain, in their first 600 descendants, one with a class name of
        authors, or a link to a profile."""
        return list((self.count(self.authors, elements=600) > 0).tolist())

    @cached_property
    def dates(self) -> list[int]:
        """Elements that show a date."""
        return sorted({*self.lines, *self.times})

    def may_be_comments(self, group: Sequence[int], *, least: float = 0.3) -> bool:
        """Whether elements that repeat may be comments: the share ``least`` of them has a sign
        before the next begins."""
        ends, signs = self.document.ends, (self.dates, self.authors)
        edges = [*group, max(ends[group[-1]], ends[self.document.parents[group[0]]])]
        shown = (
            any(bisect_left(own, a) < bisect_left(own, b) for own in signs)
            for a, b in pairwise(edges)
        )
        return sum(shown) >= least * len(group)

    def beside(self, at: int) -> list[int]:
        """The siblings directly before and behind an element."""
        row = self.document.children(self.document.parents[at])
        place = bisect_left(row, at)
        return [*row[max(0, place - 1) : place], *row[place + 1 : place + 2]]

    def text(self, at: int, *, most: int = 400) -> tuple[str, int]:
        """The first ``most`` characters of an element's text, and how many words these are."""
        if at not in self._texts:
            text = text_of(self.document.nodes[at], most)
            self._texts[at] = text, word_count(text)
        return self._texts[at]

    def title_in(self, at: int, *, shortest: int = 4) -> str | None:
        """The first link that is a whole line with at least ``shortest`` words, or a link without
        text that is labelled so and covers a card. Links to anchors and profiles, and linked dates,
        do not count."""
        document, links = self.document, self.document.tagged("a")
        for link in links[bisect_left(links, at) : bisect_left(links, document.ends[at])]:
            href = document.attributes["href"].get(link) or "#"
            if "#" in href or not (document.parents[link] == at or self._is_line(link)):
                continue
            title = self.text(link)[0] or fold(document.nodes[link].get("aria-label"))
            if word_count(title) >= shortest and not profile_stem(href) and not parse_date(title):
                return title
        return None

    def _is_line(self, link: int) -> bool:
        """Whether no text stands beside a link in its line."""
        document, (first, last), parent = (
            self.document,
            (self.document.first[link], self.document.last[link]),
            self.document.parents[link],
        )
        beside = {*document.owners[max(0, first - 1) : first], *document.owners[last : last + 1]}
        return parent not in beside and not any(
            document.parents[at] == parent and document.tags[at] in INLINE for at in beside
        )

    @cached_property
    def sizes(self) -> tuple[list[int], list[int], list[int]]:
        """For every element the number of its texts, and its characters outside and inside links;
        with ``noscript``, where forums drawn by scripts have their posts."""
        document, linked = self.document, np.zeros(len(self.document), bool)
        for at in document.tagged("a"):
            linked[at : document.ends[at]] = True
        first, last, owners = (
            np.array(numbers, np.int64)
            for numbers in (document.first, document.last, document.owners)
        )
        lengths, within = (
            np.fromiter(map(len, document.chunks), np.int64, len(owners)),
            linked[owners],
        )
        sums = [np.concatenate(([0], np.cumsum(lengths * chosen))) for chosen in (~within, within)]
        texts, (chars, links) = (
            (last - first).tolist(),
            [(one[last] - one[first]).tolist() for one in sums],
        )
        for start in document.tagged("noscript"):
            for at in (
                range(document.ends[start] - 1, start - 1, -1)
                if document.ends[start] > start + 2
                else ()
            ):
                node, inner = document.nodes[at], document.children(at)
                own = [
                    text
                    for text in (node.text, *(child.tail for child in node))
                    if text and text.strip()
                ]
                texts[at] = len(own) + sum(texts[child] for child in inner)
                chars[at] = sum(map(len, own)) + sum(chars[child] for child in inner)
        return texts, chars, links


def _with_digit(texts: Iterable[str]) -> set[str]:
    """Those of some texts that hold a digit, found in one search."""
    return set(_NUMBERED.findall("\0".join(texts)))


def _is_dated(line: str) -> bool:
    """Whether the own text of an element, or its title, is short and holds a date; ``5分钟前`` is the
    shortest time."""
    return 3 < len(line) <= LONGEST_BYLINE and _shows_date(line)


@cached(4_096)
def _shows_date(line: str) -> bool:
    may_show_year = "19" in line or "20" in line or not line.isascii()
    if may_show_year and parse_date(line):
        return True
    return has_relative(line)


@cached(4_096)
def profile_stem(href: str) -> str | None:
    """The beginning that all links to profiles share; None for any other link.

    >>> profile_stem("./memberlist.php?mode=viewprofile&u=5"), profile_stem("/@ann"), profile_stem("/@ann/a-day-at-the-harbour")
    ('./memberlist.php', '/@', None)
    """
    href = href.strip()[:300]
    found = _PROFILE.match(href) if not _NO_PROFILE.search(href) else None
    return found[0] if found and '"' not in found[0] else None
