"""Signs of a comment or post: a date in a short line, a link to a profile, the name of an
author."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from sitecrawl.dom.blocks import BITS, Ints
from sitecrawl.dom.class_names import names_one_of, words_of
from sitecrawl.dom.document import Document
from sitecrawl.dom.page import AUTHOR_WORDS, names_author
from sitecrawl.limits import LIMITS, cached
from sitecrawl.resources import table_beside
from sitecrawl.templates.address import text_of
from sitecrawl.text.chars import fold, word_count
from sitecrawl.text.dates import has_relative, parse_date

_names_time = names_one_of(words_of("times"))
_DIGIT = re.compile(r"\d").search
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


_OPENING = 400  # characters of a text that are read
_TITLE_WORDS = 4  # of the shortest title


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
                own[owner] += [chunk]

        # the others are in one of these
        outer = [start for start in document.tagged("noscript") if start not in own]
        for start in outer:
            own |= self._hidden_texts(start)
        joined = [(at, " ".join(" ".join(texts).split())) for at, texts in own.items()]
        return sorted([at for at, line in joined if _is_date_line(line)])

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
        words = ("date", "time", "posted", "created", "pub")
        marked = document.marked(_names_time, "class", words=words)
        titles = document.attributes["title"]
        numbered = _with_digit(titles.values())
        titled = [at for at, title in titles.items() if title in numbered and _is_date_line(title)]
        return sorted({*marked, *titled, *document.tagged("time")})

    @cached_property
    def authors(self) -> list[int]:
        """Elements that are called an author, and links to somebody's own page."""
        document = self.document
        marked = document.marked("author".__eq__, "itemprop", words=("author",))
        marked += document.marked(_is_author, "class", words=(*AUTHOR_WORDS, "name"))
        linked = document.marked(profile_stem, "href", words=_TABLE["profile_words"])
        linked = [at for at in linked if document.tags[at] == "a"]
        return sorted({*marked, *linked, *document.tagged("cite")})

    @cached_property
    def embedded(self) -> set[int]:
        return set(self.document.embedded_posts)

    def count(self, signs: Sequence[int], *, elements: int = LIMITS.nodes) -> Ints:
        """For every element the number of ``signs`` among it and its descendants, the first
        ``elements`` of them."""
        sums = np.zeros(len(self.document) + 1, np.int64)
        sums[np.array(signs, np.int64) + 1] = 1
        sums = sums.cumsum()
        starts = np.arange(len(self.document))
        counts: Ints = sums[np.minimum(self.document.ends, starts + elements)] - sums[:-1]
        return counts

    @cached_property
    def dated(self) -> list[bool]:
        """Whether elements contain one to three short lines with a date, or one to four elements
        marked as times or titled with a date."""
        lines = self.count(self.lines)
        times = self.count(self.times)
        dated = (lines > 0) & (lines <= 3) | (times > 0) & (times <= 4)
        return list(dated.tolist())

    @cached_property
    def signed(self) -> list[bool]:
        """Whether elements contain, in their first 600 descendants, one with a class name of
        authors, or a link to a profile."""
        return list((self.count(self.authors, elements=600) > 0).tolist())

    @cached_property
    def dates(self) -> list[int]:
        """Elements that show a date."""
        return sorted({*self.lines, *self.times})

    @cached_property
    def _before(self) -> list[int]:
        """For each element the number of signs before it."""
        signs = [0] * (len(self.document) + 1)
        for at in (*self.dates, *self.authors):
            signs[at + 1] = 1
        return list(accumulate(signs))

    def may_be_comments(self, group: Sequence[int]) -> bool:
        """Whether elements that repeat may be comments: three tenths of them have a sign before the
        next begins."""
        ends = self.document.ends
        before = self._before
        edges = [*group, max(ends[group[-1]], ends[self.document.parents[group[0]]])]
        shown = [at for at, behind in pairwise(edges) if before[at] < before[behind]]
        return len(shown) >= 0.3 * len(group)

    def beside(self, at: int) -> list[int]:
        """The siblings directly before and behind an element."""
        parents = self.document.parents
        parent = parents[at]
        if parent < 0:
            return []
        siblings = list[int]()
        before = at - 1
        while before > parent and parents[before] != parent:
            before = parents[before]
        if before > parent:
            siblings.append(before)
        behind = self.document.ends[at]
        if behind < self.document.ends[parent]:
            siblings.append(behind)
        return siblings

    def text(self, at: int) -> tuple[str, int]:
        """The beginning of an element's text, and how many words it has."""
        if at not in self._texts:
            text = text_of(self.document.nodes[at], _OPENING)
            self._texts[at] = (text, word_count(text))
        return self._texts[at]

    def title_in(self, at: int) -> str | None:
        """The first link that is a whole line with at least four words, or a link without text that
        is labelled so and covers a card. Links to anchors and profiles, and linked dates, do not
        count."""
        document = self.document
        links = document.tagged("a")
        targets = document.attributes["href"]
        for link in links[bisect_left(links, at) : bisect_left(links, document.ends[at])]:
            if link not in targets or "#" in (targets[link] or "#"):
                continue
            if document.parents[link] == at or self._is_line(link):
                title = self._title(link)
                if title and not profile_stem(targets[link]) and not parse_date(title):
                    return title
        return None

    def _title(self, link: int) -> str:
        """The text of a link, else its label; empty if it has too few words."""
        title, words = self.text(link)
        if not title:
            title = fold(self.document.nodes[link].get("aria-label"))
            words = word_count(title)
        return title if words >= _TITLE_WORDS else ""

    def _is_line(self, link: int) -> bool:
        """Whether no text stands beside a link in its line."""
        document = self.document
        owners = document.owners
        parent = document.parents[link]
        before = max(0, document.first[link] - 1)
        behind = document.last[link]
        for at in (*owners[before : document.first[link]], *owners[behind : behind + 1]):
            if at == parent or (document.parents[at] == parent and document.inline[at]):
                return False
        return True

    @cached_property
    def sizes(self) -> tuple[list[int], list[int], list[int]]:
        """For every element the number of its texts, and its characters outside and inside links;
        with ``noscript``, where forums drawn by scripts have their posts."""
        document = self.document
        linked = np.zeros(len(document), bool)
        for at in document.tagged("a"):
            linked[at : document.ends[at]] = True
        owners = np.array(document.owners, np.int64)
        lengths = np.fromiter(map(len, document.chunks), np.int64, len(owners))
        first = np.array(document.first, np.int64)
        last = np.array(document.last, np.int64)
        texts = (last - first).tolist()
        chars, links = (
            _sums(lengths * chosen, first=first, last=last)
            for chosen in (~linked[owners], linked[owners])
        )
        for start in document.tagged("noscript"):
            if document.ends[start] > start + 2:
                self._add_hidden_texts(start, texts=texts, chars=chars)
        return texts, chars, links

    def _add_hidden_texts(
        self,
        start: int,
        *,
        texts: list[int],
        chars: list[int],
    ) -> None:
        """Count the texts in a ``noscript``, and their characters."""
        document = self.document
        for at in range(document.ends[start] - 1, start - 1, -1):
            node = document.nodes[at]
            inner = document.children(at)
            written = [node.text, *[child.tail for child in node]]
            own = [text for text in written if text and text.strip()]
            texts[at] = len(own) + sum([texts[child] for child in inner])
            chars[at] = sum(map(len, own)) + sum([chars[child] for child in inner])


def _sums(
    counts: Ints,
    *,
    first: Ints,
    last: Ints,
) -> list[int]:
    """For each element the sum over the texts from its first to its last."""
    sums = np.concatenate(([0], np.cumsum(counts)))
    return list((sums[last] - sums[first]).tolist())


def _is_author(names: str) -> bool:
    return names == "name" or names_author(names)


def _with_digit(texts: Iterable[str]) -> set[str]:
    """Those of some texts that hold a digit."""
    return set(filter(_DIGIT, texts))


def _is_date_line(line: str) -> bool:
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
    if _NO_PROFILE.search(href):
        return None
    found = _PROFILE.match(href)
    return found[0] if found and '"' not in found[0] else None
