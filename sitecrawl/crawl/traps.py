"""Traps: endless pages that hold nothing new. A trap is recognised by what its pages brought."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from sitecrawl.crawl.ledger import Fact, Lesson
from sitecrawl.crawl.slugs import Slugs
from sitecrawl.crawl.soft_errors import text_digest
from sitecrawl.limits import LIMITS, forget_oldest
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.pattern import PAGE_KEYS

_FIXED = ("/", "http", "#", "?", "javascript:", "mailto:", " ")  # of references that need no folder
_FACETS = 4  # sets of parameter names without a new article


def repeats_folders(url: str) -> bool:
    """Whether a path is circular, as broken relative links make it: one name three times, or two
    names twice. Numbers may repeat.

    >>> [repeats_folders(f"http://example.com{path}") for path in ("/a/b/a/b/", "/a/a/a/", "/a/b/c/a/b", "/news/news/1/", "/5/5/5/")]
    [True, True, True, False, False]
    """
    return _circles(url) >= 2


def _circles(url: str) -> int:
    """Steps of a path whose name occurs earlier in it."""
    names = [
        step.casefold() for step in urlsplit(url).path.split("/") if step and not step.isdigit()
    ]
    return len(names) - len(set(names))


def _choices(url: str) -> str:
    """Names of a URL's parameters that do not turn pages, sorted and joined by ``&``."""
    names = {name for name, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True)}
    return "&".join(sorted(name for name in names if name.lower() not in PAGE_KEYS))


@dataclass(slots=True)
class Traps:
    """What listing pages brought. After ``patience`` consecutive pages that brought nothing no more
    are requested. ``chains`` counts for each page the pages without news before it, each found on
    the one before. ``barren`` and ``fruitful`` hold, by path, the sets of parameter names whose
    pages brought nothing, or something."""

    patience: int = 30
    chains: dict[str, int] = field(default_factory=dict)
    barren: dict[str, set[str]] = field(default_factory=dict)
    fruitful: dict[str, set[str]] = field(default_factory=dict)
    linked: dict[bytes, list[str]] = field(
        default_factory=dict
    )  # folders of the pages met, by a digest of their links
    slugs: Slugs = field(default_factory=Slugs)  # names in paths that mean nothing

    def take(self, lesson: Lesson) -> None:
        """Add what a listing page brought, or what an article page said."""
        self.slugs.take(lesson)
        if lesson.fact is Fact.BROUGHT:
            context = lesson.context
            self.record(context.url, lesson.new, found_on=context.section)

    def record(self, url: str, new: int, *, found_on: str | None) -> None:
        """Record that the listing page ``url``, linked on ``found_on``, brought ``new``
        articles."""
        key = url_key(url)
        self.chains[key] = 0 if new else self.chains.get(url_key(found_on or ""), 0) + 1
        if choices := _choices(url):
            known = self.fruitful if new else self.barren
            known.setdefault(key.partition("?")[0], set()).add(choices)
        for kept in (self.chains, self.barren, self.fruitful):
            forget_oldest(kept, LIMITS.listings)

    def holds(self, url: str, found_on: str | None, *, thorough: bool = False) -> str:
        """Kind of the trap that a listing page is in; empty if it may be requested. If ``_FACETS``
        sets of parameter names on one path brought nothing, its other sets are skipped too. A
        ``thorough`` crawl skips nothing but endless pages: a calendar at the end of the
        patience."""
        if self.chains.get(url_key(found_on or ""), 0) >= self.patience:
            return "barren"
        choices = _choices(url)
        if thorough or not choices:
            return ""
        path = url_key(url).partition("?")[0]
        is_barren = len(self.barren.get(path, ())) >= _FACETS
        return "facets" if is_barren and choices not in self.fruitful.get(path, ()) else ""

    def reflects(self, url: str, written: Iterable[tuple[str, str]]) -> bool:
        """Whether a page below another one has the same links (``written``: reference and text),
        some of them relative. Then the server has one answer for every path, and its relative links
        lead ever deeper."""
        links = {f"{href} {text}" for href, text in written}
        if len(links) < 3 or all(link.startswith(_FIXED) for link in links):
            return False
        folders = self.linked.setdefault(text_digest("\n".join(sorted(links))), [])
        if any(url.startswith(folder) and url != folder for folder in folders):
            return True
        folders.append(url.partition("?")[0].rpartition("/")[0] + "/")
        forget_oldest(self.linked, LIMITS.listings)
        return False

    def bars(self, url: str, found_on: str | None = None, *, href: str = "") -> str:
        """Kind of the trap that any page is in by its URL. Circular paths of a trap grow from page
        to page. A path that repeats no more than that of the page ``found_on``, or a first
        repetition that the link wrote in ``href``, is intended by the site."""
        if not repeats_folders(url) or (found_on and _circles(url) <= _circles(found_on)):
            return ""
        written = href.strip().startswith(("/", "http"))
        return "" if written and found_on and not repeats_folders(found_on) else "folders"
