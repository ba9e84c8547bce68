"""The pages that links lead to, by what their URLs alone tell. Most links of a page stand on others as well: these are looked up."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from sitecrawl.crawl.traps import repeats_folders
from sitecrawl.limits import LIMITS
from sitecrawl.urls.canonical import (
    clean_url,
    dropped_parameters,
    has_session,
    is_page,
    spelled_like,
    url_key,
    whole_key,
)
from sitecrawl.urls.pattern import turns_pages
from sitecrawl.urls.scope import Scope


@dataclass(frozen=True, slots=True)
class LinkedPage:
    """A page of the crawl: the ``url`` to ask for and its ``key``; whether the link's URL ``turns`` pages, carries a ``session``,
    or ``repeats`` folders, and whether what looks like a session or tracking in it names the page (``whole``)."""

    url: str
    key: str
    turns: bool
    session: bool
    repeats: bool
    whole: bool = False


@dataclass(slots=True)
class LinkedPages:
    """Looks up the pages of a crawl by the URLs of links. ``naming`` are parameters that look like sessions or tracking and name
    the pages of this site."""

    scope: Scope
    naming: frozenset[str] = frozenset()
    _known: dict[tuple[str, str], LinkedPage | None] = field(default_factory=dict)

    def of(self, url: str, origin: str) -> LinkedPage | None:
        """The page that a link leads to from a page of ``origin`` (:func:`origin_of`), None where it is none of the crawl."""
        if len(url) > LIMITS.cached_chars:
            return self._read(url, origin)
        key = (origin, url)
        if key not in self._known:
            if len(self._known) >= LIMITS.linked_pages:
                self._known.clear()
            self._known[key] = self._read(url, origin)
        return self._known[key]

    def name_by(self, parameters: Set[str]) -> None:
        """Parameters turned out to name pages: links that were taken for one page are read anew."""
        if not parameters <= self.naming:
            self.naming |= parameters
            self._known.clear()

    def _read(self, url: str, origin: str) -> LinkedPage | None:
        if not is_page(url) or not self.scope.holds(url):
            return None
        whole = bool(self.naming) and not self.naming.isdisjoint(name for name, _ in dropped_parameters(url))
        clean = clean_url(spelled_like(origin, url), whole)
        key, session = whole_key(clean) if whole else url_key(clean), has_session(url) and not whole
        return LinkedPage(clean, key, turns_pages(url), session, repeats_folders(clean), whole)


def origin_of(url: str) -> str:
    """Scheme and host of a URL.

    >>> origin_of("http://www.example.com:81/a?b")
    'http://www.example.com:81'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
