"""Facts about a page that its URL alone gives (cached, since most links occur on many pages), and the keys of the pages met."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from sitecrawl.crawl.traps import repeats_folders
from sitecrawl.limits import LIMITS, cached
from sitecrawl.urls.canonical import clean_url, folder_url, has_session, is_page, performs_action, spelled_like, url_key
from sitecrawl.urls.pattern import turns_pages
from sitecrawl.urls.scope import Scope, host_of


@dataclass(slots=True)
class Seen:
    """A set of keys that starts with the known pages of the site. ``lookup`` returns those of the given keys that are known."""

    lookup: Callable[[Sequence[str]], Iterable[str]] | None = None  # None if nothing is known
    _met: set[str] = field(default_factory=set)
    _unknown: set[str] = field(default_factory=set)

    def __contains__(self, key: str) -> bool:
        if key not in self._met:
            self.look_up([key])
        return key in self._met

    def look_up(self, keys: Iterable[str]) -> None:
        """Look up keys together: one query instead of one for each key."""
        if self.lookup is None:
            return
        if asked := [key for key in dict.fromkeys(keys) if key not in self._met and key not in self._unknown]:
            self._met.update(self.lookup(asked))
            if len(self._unknown) > LIMITS.unread:
                self._unknown.clear()
            self._unknown.update(key for key in asked if key not in self._met)

    def add(self, key: str) -> None:
        self._met.add(key)

    def discard(self, key: str) -> None:
        self._met.discard(key)
        self._unknown.add(key)


class LinkedPage(NamedTuple):
    """The page of a link: ``url`` to request, ``key``, ``host``; whether the URL ``turns`` pages, has a ``session`` id, or ``repeats`` folders."""

    url: str
    key: str
    turns: bool
    session: bool
    repeats: bool
    host: str


@dataclass(slots=True)
class SitePages:
    """Decides which URLs belong to the crawl. ``scope`` grows when further hosts are recognised; ``kind`` is ``section`` or ``site``."""

    scope: Scope
    kind: str = "site"

    def of(self, url: str, origin: str) -> LinkedPage | None:
        """The page of a link on a page of ``origin`` (:func:`origin_of`); None if it is outside of the crawl."""
        page = _linked_page(url, origin)
        return page if page and page.host in self.scope.hosts else None

    def widen(self, url: str) -> None:
        more = Scope.of((url,), self.kind)
        self.scope = Scope(self.scope.hosts | more.hosts, tuple(dict.fromkeys(self.scope.folders + more.folders)))


@cached(LIMITS.linked_pages)
def _linked_page(url: str, origin: str) -> LinkedPage | None:
    if not is_page(url) or performs_action(url):
        return None
    clean = clean_url(spelled_like(origin, url))
    turns = turns_pages(folder_url(url))
    return LinkedPage(clean, url_key(clean), turns, has_session(url), repeats_folders(clean), host_of(url))


def at_host(url: str, place: str) -> str:
    """``url`` on another host.

    >>> at_host("http://example.com/news/?a=b", "news.example.com:81")
    'http://news.example.com:81/news/?a=b'
    """
    return urlunsplit(urlsplit(url)._replace(netloc=place))


def origin_of(url: str) -> str:
    """Scheme and host of a URL.

    >>> origin_of("http://www.example.com:81/a?b")
    'http://www.example.com:81'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
