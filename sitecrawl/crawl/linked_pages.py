"""The pages that links lead to, by what their URLs alone tell. Most links of a page stand on others as well: these are looked up."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from sitecrawl.crawl.traps import repeats_folders
from sitecrawl.limits import LIMITS
from sitecrawl.urls.canonical import clean_url, has_session, is_page, spelled_like, url_key
from sitecrawl.urls.pattern import turns_pages
from sitecrawl.urls.scope import Scope


@dataclass(frozen=True, slots=True)
class LinkedPage:
    """A page of the crawl: the ``url`` to ask for and its ``key``; whether the link's URL ``turns`` pages, carries a ``session``,
    or ``repeats`` folders."""

    url: str
    key: str
    turns: bool
    session: bool
    repeats: bool


@dataclass(slots=True)
class LinkedPages:
    """Looks up the pages of a crawl by the URLs of links."""

    scope: Scope
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

    def _read(self, url: str, origin: str) -> LinkedPage | None:
        if not is_page(url) or not self.scope.holds(url):
            return None
        clean = clean_url(spelled_like(origin, url))
        return LinkedPage(clean, url_key(clean), turns_pages(url), has_session(url), repeats_folders(clean))


def origin_of(url: str) -> str:
    """Scheme and host of a URL.

    >>> origin_of("http://www.example.com:81/a?b")
    'http://www.example.com:81'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
