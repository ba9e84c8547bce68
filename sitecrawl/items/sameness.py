"""Whether two pages hold one article, by what they say of it: headline, day and authors. Parts of an
article, its copies and its later addresses are told by this comparison."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sitecrawl.text.chars import fold, words
from sitecrawl.text.names import squeeze

_RUN = 3  # words of a run by which texts are compared
_LONGEST_MARK = 16  # characters that a later part has behind the headline: "- Page 12 of 14"
_PAGE_MARK = re.compile(r"(?=.*\d)\W*(?:[^\W\d]+\W*)?\d{1,3}(?:\W*(?:[^\W\d]+\W*)?\d{1,3})?\W*")
"""The number of a page and a word or a sign around it."""


@dataclass(frozen=True, slots=True)
class ArticleFacts:
    """What a page says of its article. ``day`` is an ISO 8601 date; what is unknown is empty."""

    headline: str = ""
    day: str = ""
    authors: tuple[str, ...] = ()

    @classmethod
    def of(cls, item: Mapping[str, Any]) -> ArticleFacts:
        """The facts of an item."""
        names = {squeeze(author.get("name") or "") for author in item["authors"] or ()}
        return cls(
            fold(item["headline"]).casefold(),
            str(item["datePublished"] or "")[:10],
            tuple(sorted(names - {""})),
        )

    def differs_in_day(self, other: ArticleFacts) -> bool:
        return bool(self.day and other.day) and self.day != other.day

    def differs_in_headline(self, other: ArticleFacts) -> bool:
        known = bool(self.headline and other.headline)
        return known and squeeze(self.headline) != squeeze(other.headline)

    def differs_in_authors(self, other: ArticleFacts) -> bool:
        known = bool(self.authors and other.authors)
        return known and set(self.authors).isdisjoint(other.authors)

    def is_same(self, other: ArticleFacts) -> bool:
        """Whether both have the same headline and day, and no fact tells them apart."""
        is_told = bool(self.headline and self.day) and (self.day == other.day)
        return (
            is_told and not self.differs_in_headline(other) and not self.differs_in_authors(other)
        )

    def may_begin(self, later: ArticleFacts, *, is_page: bool, is_thread: bool = False) -> bool:
        """Whether ``later`` may be said by a later part of the article that says these facts. Where
        the URL calls it a page (``is_page``), headline and day must both differ to tell them apart;
        else one of them does. The posts of a thread have days of their own.

        >>> notes = ArticleFacts("weekly notes", "2024-05-01")
        >>> notes.may_begin(ArticleFacts("weekly notes", "2024-05-08"), is_page=False)
        False
        >>> notes.may_begin(ArticleFacts("weekly notes (2)", "2024-05-01"), is_page=False)
        True
        """
        is_other_day = self.differs_in_day(later) and not is_thread
        is_other_headline = self.differs_in_headline(later) and not _is_numbered(
            self.headline, later.headline
        )
        if is_page:
            return not (is_other_day and is_other_headline)
        return not (is_other_day or is_other_headline)


UNKNOWN = ArticleFacts()


def _is_numbered(headline: str, later: str) -> bool:
    """Whether a headline is another one with the number of a page behind it.

    >>> _is_numbered("the bridge", "the bridge (2)"), _is_numbered("the bridge", "the bridge - page 2 of 3")
    (True, True)
    >>> _is_numbered("weekly notes", "weekly notes 2"), _is_numbered("the bridge", "the bridge falls")
    (False, False)
    """
    if not later.startswith(headline):
        return False
    rest = later[len(headline) :]
    is_bare = rest.strip().isdecimal()  # the number may belong to the headline
    return len(rest) <= _LONGEST_MARK and not is_bare and bool(_PAGE_MARK.fullmatch(rest))


def share_of(text: str, other: str) -> float:
    """The share, 0..1, of a text that stands in another one too: of its runs of three words, wherever
    they stand. Layout, and sentences that were added to the other one, make no difference.

    >>> share_of("The bridge opened on Monday", "Dunholm. The bridge opened on Monday, at last.")
    1.0
    >>> share_of("The bridge opened on Monday", "The bridge closed on Monday")
    0.0
    """
    own, known = _runs(text), _runs(other)
    return len(own & known) / len(own) if own else 0.0


def _runs(text: str) -> set[tuple[str, ...]]:
    found = words(text.casefold())
    if len(found) < _RUN:
        return {tuple(found)} if found else set()
    return set(zip(*(found[start:] for start in range(_RUN)), strict=False))
