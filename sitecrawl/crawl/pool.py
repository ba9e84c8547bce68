"""The hint pool: which page that a feed or sitemap names is worth a request, newest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from sitecrawl.crawl.desk import Desk, Wanted
from sitecrawl.crawl.hints import Hint, feeds_of, read_hints, sitemaps_of
from sitecrawl.dom.page import Page
from sitecrawl.links.evidence import Profile
from sitecrawl.links.url_facts import URL_FEATURES, url_facts
from sitecrawl.urls.canonical import clean_url, is_page, url_key

GROUP = "hint"
"""Group under which the site's profile counts what hinted pages turned out to be."""
_FILES = 50
"""Feeds and sitemaps fetched in a run; a large archive has one a month, and the newest come first."""
_PAGES = 200_000
"""Hints kept; the oldest go first."""
_TRIES = 8
"""Pages of one URL pattern from which its kind is known; no more are asked for before."""
_LOOK = 2_000
"""Hints looked at for one request, while those before them wait for their pattern to be known."""
_NEWS, _SHAPED, _PLAIN = 0.9, 0.6, 0.4
"""Promise of an entry of a feed, of a URL with a date, number or long name, and of any other."""
_DATE, _WORDS = URL_FEATURES.index("date"), URL_FEATURES.index("slug_words")


@dataclass(frozen=True, slots=True)
class Source:
    """A file to fetch: ``kind`` is robots, sitemap or feed, ``section`` the page that names the feed."""

    url: str
    kind: str
    day: str = ""
    section: str | None = None

    @property
    def rank(self) -> tuple[bool, str]:
        """Feeds first, then the newest."""
        return self.kind == "feed", self.day


@dataclass
class HintPool:
    """Files to fetch and pages to ask for. ``tallies`` counts what pages were (others, articles), by URL pattern."""

    desk: Desk
    profile: Profile
    files: list[Source] = field(default_factory=list)
    pages: list[tuple[str, float, Wanted]] = field(default_factory=list)
    met: set[str] = field(default_factory=set)
    tallies: dict[str, list[int]] = field(default_factory=dict)
    tried: dict[str, int] = field(default_factory=dict)

    # ---- files
    def begin(self) -> None:
        """Sitemaps are asked for at the robots.txt of every host of the start pages."""
        if "sitemap" in self.desk.arguments.discover:
            for url in self.desk.arguments.start:
                self._put_up([Source("/".join(url.split("/")[:3]) + "/robots.txt", "robots")])

    def look_at(self, page: Page) -> None:
        """Take up the feeds that a section page names."""
        if "feeds" in self.desk.arguments.discover:
            self._put_up(Source(url, "feed", section=page.url) for url in feeds_of(page))

    def next_file(self) -> Source | None:
        """The file to fetch next: once what is known is used up, the newest first."""
        return self.files.pop() if self.files and not self.pages else None

    def read(self, source: Source, body: bytes, url: str) -> None:
        """Take up what a fetched file names."""
        if source.kind == "robots":
            self._put_up(Source(found, "sitemap") for found in sitemaps_of(body, url))
            return
        file = read_hints(body, url)
        too_old = self.desk.arguments.is_too_old
        self._put_up(Source(f.url, "sitemap", f.day) for f in file.files if not too_old(f.day))
        self._fill(file.pages, source)

    def _put_up(self, sources: Iterable[Source]) -> None:
        for source in sources:
            if source.url not in self.met and self.desk.scope.holds(source.url) and len(self.met) < _FILES:
                self.met.add(source.url)
                self.files.insert(0, source)
        self.files.sort(key=lambda source: source.rank)

    # ---- pages
    def _fill(self, hints: Iterable[Hint], source: Source) -> None:
        whole = source.kind == "feed" and self.desk.scope.holds_section(source.url)
        for hint in hints:
            if is_page(hint.url) and self._in_scope(hint, whole):
                guess = _guess(hint)
                promise = self._promise(hint, guess)
                notes = {"article": promise, "group": GROUP, "section": source.section, "depth": 1, "guess": guess}
                self.pages.append((hint.day, promise, Wanted(clean_url(hint.url), "article", notes)))
                self.desk.count(f"hints/{source.kind}")
        self.pages.sort(key=lambda entry: (entry[0], entry[1]))
        del self.pages[:-_PAGES]

    def _in_scope(self, hint: Hint, whole: bool) -> bool:
        """Whether a hint is new, not older than asked for, and of the section; a section's own feed lists its articles."""
        scope = self.desk.scope
        if self.desk.arguments.is_too_old(hint.day):
            return False
        return url_key(hint.url) not in self.desk.seen and (scope.holds if whole else scope.holds_section)(hint.url)

    def _promise(self, hint: Hint, guess: list[float]) -> float:
        """Probability of an article by the URL alone: its shape, and what pages of its pattern were on this site."""
        row = np.array([guess], np.float32)
        return float(self.profile.adapt(row, [GROUP], [url_facts(hint.url)])[0, 0])

    def learn(self, url: str, is_article: bool) -> None:
        """A fetched page was an article or not."""
        self.tallies.setdefault(url_facts(url).pattern, [0, 0])[is_article] += 1

    def next_page(self) -> Wanted | None:
        """The newest page worth a request, None when there is none or the answers under way must tell first."""
        waiting = 0
        for at in range(len(self.pages) - 1, -1, -1):
            wanted = self.pages[at][2]
            standing = self._standing(wanted)
            if standing == "open":
                waiting += 1
                if waiting == _LOOK:
                    break
                continue
            del self.pages[at]
            if standing == "worth":
                return wanted
            self.desk.count(f"hints/{standing}")
        return None

    def _standing(self, wanted: Wanted) -> str:
        """What to do with a page: known and declined ones go, an open one waits until its pattern is known."""
        if wanted.key in self.desk.seen:
            return "known"
        pattern = url_facts(wanted.url).pattern
        others, articles = self.tallies.get(pattern, (0, 0))
        if others + articles >= _TRIES:
            return "declined" if others > articles else "worth"
        if self.tried.get(pattern, 0) >= _TRIES:
            return "open"
        self.tried[pattern] = self.tried.get(pattern, 0) + 1
        return "worth"

    def settle(self) -> None:
        """Nothing is under way: tries without an answer are forgotten."""
        self.tried = {pattern: sum(tally) for pattern, tally in self.tallies.items()}


def _guess(hint: Hint) -> list[float]:
    """Probabilities of article, listing and other by the shape of a URL."""
    facts = url_facts(hint.url)
    shaped = facts.values[_DATE] or facts.stem[-1:].isdigit() or facts.values[_WORDS] >= np.log1p(3)
    article = _NEWS if hint.news else _SHAPED if shaped else _PLAIN
    return [article, (1 - article) / 2, (1 - article) / 2]
