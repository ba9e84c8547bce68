"""The frontier: which listing page to fetch next, by the new articles that it is expected to bring."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.limits import LIMITS
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.pattern import url_folder

_ROLE, _FAMILY, _CHAIN = 20.0, 4.0, 2.0
"""Expected articles that weigh as much as what the level above says. A page counts on all three levels, so each level must be
the slower the more pages it speaks for: what a barren tag page says of other tags it does not say of the site's sections."""
_MEMORY = 0.7
"""Weight of a chain's past, a page: the last pages of a pagination bring nothing, whatever the first ones brought."""
_LASTING = 0.95
"""The same of a family and of a role, whose pages come in no order."""
_LISTED = 4.0
"""New articles that a listing page is expected to bring before anything is known of the site."""
_NUMBER = re.compile(r"\d+")


@dataclass(slots=True)
class Yield:
    """New articles that pages of one level brought against those expected of them, both with a fading memory.

    ``rate`` is the mean of a Gamma distribution whose prior is the rate of the level above (Gamma-Poisson, with the
    expectation of a page as its exposure).
    """

    brought: float = 0.0
    expected: float = 0.0
    fetched: int = 0

    def rate(self, above: float, strength: float) -> float:
        """Articles brought for each that was expected; ``strength`` is the weight of the rate ``above``."""
        return (strength * above + self.brought) / (strength + self.expected)

    def record(self, expected: float, new: int, memory: float) -> None:
        """A page of which so many articles were expected brought ``new`` ones. Barren pages in a row add up: they do not fade."""
        self.brought = memory * self.brought + new
        self.expected = (memory if new else 1.0) * self.expected + expected
        self.fetched += 1


@dataclass(slots=True)
class Chain:
    """The pages of one listing that differ in numbers only, in the order in which they were found."""

    waiting: deque[RequestContext] = field(default_factory=deque)
    seen: Yield = field(default_factory=Yield)


@dataclass(slots=True)
class Family:
    """The chains of one family of URL patterns."""

    seen: Yield = field(default_factory=Yield)
    chains: dict[str, Chain] = field(default_factory=dict)


@dataclass(slots=True)
class Frontier:
    """Listing pages, and pages that may be anything, that could be asked for.

    The yield of a page is a posterior with shrinkage over role, family of URL patterns, and chain of numbered pages.
    ``left`` counts the pages that found no room.
    """

    families: dict[str, Family] = field(default_factory=dict)
    roles: dict[Role, Yield] = field(default_factory=dict)
    size: int = 0
    left: int = 0

    def add(self, context: RequestContext) -> None:
        """A page could be asked for."""
        if self.size >= LIMITS.candidates:
            self.left += 1
            return
        family = self.families.setdefault(url_folder(context.url), Family())
        family.chains.setdefault(chain_of(context.url), Chain()).waiting.append(context)
        self.size += 1

    def pop(self, least: float) -> RequestContext | None:
        """The page expected to bring most; None when none is expected to bring ``least`` new articles.

        What the site's menu or a start page names as a section is handed out whatever is expected of it.
        """
        best, chain = max(self._heads(), key=lambda entry: entry[0], default=(0.0, None))
        if chain is None:
            return None
        if best < least:
            chain = next((chain for _, chain in self._heads() if chain.waiting[0].named), None)
            if chain is None:
                return None
        self.size -= 1
        return chain.waiting.popleft()

    def expected(self, context: RequestContext) -> float:
        """New articles that a page is expected to bring."""
        family = self.families.get(url_folder(context.url)) or Family()
        chain = family.chains.get(chain_of(context.url)) or Chain()
        return self._value(context, family, chain)

    def record(self, context: RequestContext, new: int) -> None:
        """A page that was asked for as one that lists articles, or may do so, brought ``new`` ones."""
        expected = prior(context)
        family = self.families.setdefault(url_folder(context.url), Family())
        family.chains.setdefault(chain_of(context.url), Chain()).seen.record(expected, new, _MEMORY)
        family.seen.record(expected, new, _LASTING)
        self._role(context.role).record(expected, new, _LASTING)

    def was_tried(self, context: RequestContext) -> bool:
        """Whether a page of the same family was asked for."""
        family = self.families.get(url_folder(context.url))
        return family is not None and family.seen.fetched > 0

    def remaining(self) -> float:
        """New articles that all pages never asked for are expected to bring."""
        return sum(value * len(chain.waiting) for value, chain in self._heads())

    def waiting(self) -> Iterator[RequestContext]:
        """The pages that were never asked for."""
        for family in self.families.values():
            for chain in family.chains.values():
                yield from chain.waiting

    def _role(self, role: Role) -> Yield:
        return self.roles.setdefault(role, Yield())

    def _heads(self) -> Iterator[tuple[float, Chain]]:
        """Every chain with pages that wait, and what its next page is expected to bring."""
        for family in self.families.values():
            for chain in family.chains.values():
                if chain.waiting:
                    yield self._value(chain.waiting[0], family, chain), chain

    def _value(self, context: RequestContext, family: Family, chain: Chain) -> float:
        role = self._role(context.role).rate(1.0, _ROLE)
        return prior(context) * chain.seen.rate(family.seen.rate(role, _FAMILY), _CHAIN)


def prior(context: RequestContext) -> float:
    """New articles that a page is expected to bring by its link alone: as an article, and as a listing.

    >>> prior(RequestContext("http://example.com/news/", Role.SECTION, promise=0.1, listing=0.9))
    3.7
    """
    if context.role in (Role.PAGINATION, Role.START):
        return _LISTED
    return round(context.promise + _LISTED * context.listing, 3)


def chain_of(url: str) -> str:
    """What the pages of one listing share: the URL without its numbers.

    >>> chain_of("http://example.com/tag/red/page/3"), chain_of("http://example.com/tag/red/page/12")
    ('example.com/tag/red/page/#', 'example.com/tag/red/page/#')
    """
    return _NUMBER.sub("#", url_key(url))
