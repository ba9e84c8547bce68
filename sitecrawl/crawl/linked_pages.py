"""The pages of a crawl, by what the URLs of links alone tell. Most links of a page stand on others as well: these are looked up."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from sitecrawl.crawl.traps import repeats_folders
from sitecrawl.dom.page import Page
from sitecrawl.limits import LIMITS
from sitecrawl.urls.canonical import clean_url, has_session, is_page, performs_action, spelled_like, url_key
from sitecrawl.urls.pattern import turns_pages
from sitecrawl.urls.scope import Scope, host_of


@dataclass(frozen=True, slots=True)
class LinkedPage:
    """A page of the crawl: the ``url`` to request and its ``key``; whether the link's URL ``turns`` pages, carries a ``session``,
    or ``repeats`` folders."""

    url: str
    key: str
    turns: bool
    session: bool
    repeats: bool


@dataclass(slots=True)
class SitePages:
    """Which URLs are pages of the crawl. Its ``scope`` grows when hosts turn out to be the site's own."""

    scope: Scope
    _known: dict[tuple[str, str], LinkedPage | None] = field(default_factory=dict)
    _dull: set[tuple[str, str]] = field(default_factory=set)
    """Places (hosts, or folders for relative links) and the hrefs that stand on their pages and lead to nothing new."""

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
        if not is_page(url) or performs_action(url) or not self.scope.holds(url):
            return None
        clean = clean_url(spelled_like(origin, url))
        return LinkedPage(clean, url_key(clean), turns_pages(url), has_session(url), repeats_folders(clean))

    def unseen_hrefs(self, page: Page) -> list[tuple[str, tuple[str, str]]]:
        """The hrefs of a page that were not found dull on a page of the same place, each with the place to remember it by."""
        base = page.base_url
        host, folder = host_of(base), base.partition("?")[0].partition("#")[0].rpartition("/")[0]
        found = []
        for anchor in page.root.iter("a"):
            href = anchor.get("href") or "#"
            place = host if href.startswith(("/", "http")) else folder if href[:1] not in "?#" else base
            if (place, href) not in self._dull:
                found.append((href, (place, href)))
        return found

    def mark_dull(self, place: tuple[str, str]) -> None:
        """A link led to nothing new and is not looked at again."""
        if len(place[1]) <= LIMITS.cached_chars and len(self._dull) < LIMITS.links:
            self._dull.add(place)

    def widen(self, url: str, scope: str) -> None:
        """A start page led to ``url`` on another host: it is part of the site. ``scope`` is ``section`` or ``site``."""
        more = Scope.of((url,), scope)
        folders = tuple(dict.fromkeys(self.scope.folders + more.folders))
        self._set(Scope(self.scope.hosts | more.hosts, folders))

    def adopt(self, home: str) -> None:
        """Articles of the site are on another host; ``home`` is the URL of one of its pages there."""
        self._set(self.scope.plus(home))

    def _set(self, scope: Scope) -> None:
        """Links that led out of the site before are looked at again."""
        self.scope = scope
        self._known.clear()
        self._dull.clear()


def origin_of(url: str) -> str:
    """Scheme and host of a URL.

    >>> origin_of("http://www.example.com:81/a?b")
    'http://www.example.com:81'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
