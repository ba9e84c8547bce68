"""Facts about a page that its URL alone gives; cached, since most links occur on many pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit

from sitecrawl.crawl.ledger import Fact, Lesson
from sitecrawl.crawl.parameters import Meaning, Parameters
from sitecrawl.crawl.soft_errors import is_asked
from sitecrawl.dom.page import Page
from sitecrawl.extract.fields import canonical_url
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS, cached, forget_oldest
from sitecrawl.urls.actions import performs_action
from sitecrawl.urls.canonical import (
    folder_url,
    has_session,
    is_page,
    spelled_like,
    url_key,
)
from sitecrawl.urls.pattern import turns_pages, without_page_number
from sitecrawl.urls.scope import host_of

_HOME = re.compile(r"/?(?:(?:index|default|home)\.\w+)?", re.I)  # the path of a home page


class LinkedPage(NamedTuple):
    """The page of a link: its ``url``, ``key`` and ``host``; whether the URL ``turns`` pages or has a
    ``session`` id; the URL to request where it is another one (``written``)."""

    url: str
    key: str
    turns: bool
    session: bool
    host: str
    written: str


@dataclass(slots=True)
class SitePages:
    """Decides which URLs belong to the crawl. ``sections`` are the folders that are crawled of each
    host (without ``www.``), "" being the whole host. Further hosts are added when they are
    recognised."""

    sections: dict[str, tuple[str, ...]] = field(default_factory=dict)
    parameters: Parameters = field(default_factory=Parameters)
    keep: Callable[[dict[str, list[str]]], None] = lambda learned: None  # stores what was learned
    _said: dict[str, str] = field(default_factory=dict)  # URLs with parameters, by their texts

    @classmethod
    def of(cls, starts: Iterable[str], scope: str) -> SitePages:
        """The sections of start pages, or their whole hosts where ``scope`` is ``site``."""
        pages = cls()
        for url in starts:
            pages._add(host_of(url), section_folder(url) if scope == "section" else "")
        return pages

    def holds(self, url: str) -> bool:
        """Whether a URL is on one of the hosts of the crawl."""
        return host_of(url) in self.sections

    def holds_section(self, url: str) -> bool:
        """Whether a listing page belongs to a section that is crawled."""
        return unquote(urlsplit(url).path).startswith(self.sections.get(host_of(url), ()))

    def is_whole(self, url: str) -> bool:
        """Whether the whole host of a URL is crawled."""
        return "" in self.sections.get(host_of(url), ())

    def linked(self, url: str, origin: str) -> LinkedPage | None:
        """The page of a link on a page of ``origin`` (:func:`origin_of`); None if it is outside of
        the crawl."""
        own = url if url.startswith(f"{origin}/") else spelled_like(origin, url)
        page = _linked_page(own, self.parameters.meaning)
        return page if page and page.host in self.sections else None

    def learn_links(self, links: Iterable[tuple[str, str]]) -> None:
        """Learn what parameters mean from the links of a page or file, URL and text of each."""
        if self.parameters.learn_links(links):
            self.keep(self.parameters.to_dict())

    def learn_page(self, page: Page, kind: PageKind) -> None:
        """The same from the canonical URL of a page."""
        canonical = canonical_url(page)
        if canonical and self.parameters.learn_canonical(page.url, canonical, kind=kind):
            self.keep(self.parameters.to_dict())

    def take(self, lesson: Lesson) -> None:
        """The same from an article that has the headline of its link, and the text of another."""
        url, text = lesson.reading.url, lesson.reading.text
        if lesson.fact is Fact.SAID and "?" in url and is_asked(text):
            other = self._said.setdefault(text, url)
            forget_oldest(self._said, LIMITS.texts)
            if self.parameters.learn_copy(url, other):
                self.keep(self.parameters.to_dict())

    def widen(self, url: str) -> None:
        """Add the page to which a start page leads: its host where whole hosts are crawled, else
        its section."""
        is_site = all("" in folders for folders in self.sections.values())
        self._add(host_of(url), "" if is_site else section_folder(url))

    def adopt(self, host: str) -> None:
        """Add a host of the same owner, with folders of the same names."""
        for folder in dict.fromkeys(chain(*self.sections.values())):
            self._add(host, folder)

    def _add(self, host: str, folder: str) -> None:
        self.sections[host] = tuple(dict.fromkeys((*self.sections.get(host, ()), folder)))


def section_folder(start: str) -> str:
    """The folder of a start page, "" for a home page. The number of a page of a listing does not
    count.

    >>> [section_folder(f"http://example.com{path}") for path in ("/news/index.html", "/news/page/9/", "/page/2/", "/Default.aspx", "/news")]
    ['/news/', '/news/', '/', '', '/']
    """
    path = unquote(urlsplit(start).path)
    listing = without_page_number(path)
    return "" if _HOME.fullmatch(path) else listing[: listing.rfind("/") + 1]


@cached(LIMITS.linked_pages)
def _linked_page(url: str, meaning: Meaning) -> LinkedPage | None:
    if not is_page(url) or performs_action(url):
        return None
    clean = meaning.clean(url)
    had_session = has_session(url) and not has_session(clean)
    turns = turns_pages(folder_url(url))
    return LinkedPage(
        clean,
        url_key(clean),
        turns,
        had_session,
        host_of(url),
        meaning.written(url),
    )


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
