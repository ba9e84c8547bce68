"""Page families: the pages of a site that share URL pattern, content type of the CMS, and whether
they are dated. A site has about eleven. A family is written or left out as a whole, because a
single page is often ambiguous and a family is not. The verdict depends on sums over the pages, so
neither the order of answers nor an interruption changes it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import exp

from sitecrawl.items.kinds import PageKind

DEFAULT_KINDS = frozenset((PageKind.ARTICLE, PageKind.THREAD))


class Choice(StrEnum):
    """What the user chose for a family: to write its items, or to leave them out."""

    KEEP = "keep"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class FamilyEvidence:
    """The evidence of one page for its family. The judge's ``log_odds`` that it is an article are
    None if only a template read the page; ``against`` is what speaks most against one, in words."""

    family: str
    kind: PageKind
    dated: bool
    headline: str = ""
    log_odds: float | None = None
    against: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageFamily:
    """Sums over the pages of a family; ``log_odds`` is the sum over the ``weighed`` pages that have
    them."""

    name: str
    kind: PageKind
    type: str = ""
    pages: int = 0
    dated: int = 0
    weighed: int = 0
    log_odds: float = 0.0
    withheld: int = 0  # items that are not written yet

    @property
    def mean(self) -> float:
        """Mean log-odds that a page of the family is an article; 0 without weighed pages."""
        return self.log_odds / self.weighed if self.weighed else 0.0

    @property
    def at_stake(self) -> float:
        """Number of pages that a verdict by ``mean`` is expected to get wrong; families are shown
        to a person in this order."""
        return self.pages / (1 + exp(abs(self.mean))) if self.weighed else 0.0


def family_name(
    pattern: str,
    content_type: str,
    *,
    dated: bool,
) -> str:
    """Name of a family, the same on every visit.

    >>> family_name("/news/#/*-*", "post", dated=True), family_name("/about", "", dated=False)
    ('/news/#/*-* post dated', '/about undated')
    """
    return " ".join(filter(None, (pattern, content_type, "dated" if dated else "undated")))


def type_in(name: str) -> str:
    """The content type in a family's name.

    >>> type_in("/news/#/*-* post dated"), type_in("/about undated")
    ('post', '')
    """
    words = name.split(" ")
    return words[-2] if len(words) > 2 else ""
