"""Discovery: the pages that feeds and sitemaps name, as hints where articles are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.file_entries import FileEntry, NamingFile
from sitecrawl.crawl.ledger import Ledger
from sitecrawl.crawl.linked_pages import SitePages, origin_of
from sitecrawl.crawl.named_files import (
    USUAL_PLACES,
    NamedFile,
    files_of,
    files_of_header,
    next_place,
    sitemaps_of,
)
from sitecrawl.crawl.pages import gunzipped, is_feed, is_html
from sitecrawl.crawl.records import FetchedPage, FileKind, RequestContext, Role
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.links.classify import Profile
from sitecrawl.links.url_facts import URL_FEATURES, UrlFacts, url_facts
from sitecrawl.urls.actions import performs_action
from sitecrawl.urls.canonical import is_page, url_key
from sitecrawl.urls.pattern import url_pattern
from sitecrawl.urls.scope import host_of

_DATE, _WORDS = URL_FEATURES.index("date"), URL_FEATURES.index("slug_words")
HINTED = "hint"  # group of pages that feeds and sitemaps name; links have a tag path instead
_FILES = 1_000  # most files of a run; an archive with a sitemap a month needs some hundreds
_PATIENCE = 50  # files in turn that may name no new page before the rest is left out
# other hosts that may keep files of a site, which names them: others may be anybody's
_AWAY = 3
_BARREN_PARTS = 3  # older parts of a feed in turn that list what is known
_OLD = 5
"""Files in turn that are dated before ``since`` and prove to hold nothing newer, before others of
such a date are left out. Some indexes date their sitemaps wrongly."""


@dataclass(slots=True)
class FileReading:
    """What a file that names pages brought: the ``pages`` to request; whether it ``is_file`` at
    all, and came whole."""

    pages: list[RequestContext] = field(default_factory=list)
    is_file: bool = True
    is_whole: bool = True


@dataclass(slots=True)
class Discovery:
    """The feeds and sitemaps of a site and the pages that they name."""

    arguments: CrawlArguments
    pages: SitePages
    evidence: Profile
    ledger: Ledger
    files: list[RequestContext] = field(default_factory=list)
    met: set[str] = field(default_factory=set)
    barren: int = 0  # files read that named no new page
    crowded_out: int = 0  # files for which there was no room
    days: dict[str, str] = field(default_factory=dict)
    """Days of articles, ISO 8601, by key, as feeds and news sitemaps tell them."""
    _away: set[str] = field(default_factory=set)  # hosts that keep files and are not of the site
    _old: int = 0  # files in turn whose dates before `since` proved true
    # patterns of URLs that only looked like those of feeds
    _others: set[str] = field(default_factory=set)

    def begin(self) -> None:
        """Queue the robots.txt of every host of the start pages; it names the sitemaps."""
        if "sitemap" in self.arguments.discover:
            self._add(
                _file(f"{origin_of(url)}/robots.txt", FileKind.ROBOTS)
                for url in self.arguments.start
            )

    def take_files(self, page: Page, *, header: str = "", is_start: bool = False) -> None:
        """Queue the files that a page and the ``Link`` header of its answer name. If a start page
        names no feed, the usual places are tried."""
        if self.arguments.discover == ("links",):
            return
        found = [*files_of_header(header, page.url), *files_of(page)]
        self._add_named(found, section=page.url)
        names_feed = any(file.kind is FileKind.FEED for file in found)
        if is_start and not names_feed:
            place = origin_of(page.url) + USUAL_PLACES[FileKind.FEED][0]
            self._add_named([NamedFile(place, FileKind.FEED, is_named=False)], section=page.url)

    def evidence_of(self, page: Page, *, header: str = "") -> list[RequestContext]:
        """The feed and the news sitemap that a start page names, for a user who asked for links
        only: what they list are articles of these days."""
        if self.arguments.discover != ("links",):
            return []
        found = dict[FileKind, RequestContext]()
        for file in (*files_of_header(header, page.url), *files_of(page)):
            is_news = file.kind is FileKind.FEED or "news" in file.url
            if file.is_named and is_news and file.kind not in found and self._is_new(file.url):
                found[file.kind] = _file(file.url, file.kind, section=page.url, named=True)
        self.met.update(file.url for file in found.values())
        return [*found.values()]

    def _is_evidence(self, context: RequestContext) -> bool:
        """Whether a file is read though the user asked for links only: a start page named it."""
        return self.arguments.discover == ("links",) and context.section is not None

    def next_file(self) -> RequestContext | None:
        """The next file to fetch: feeds before sitemaps, the newest first; None after ``_PATIENCE``
        files that named no new page."""
        while self.files and self.barren < _PATIENCE:
            file = self.files.pop()
            if self._old < _OLD or not self.arguments.is_too_old(file.day):
                return file
        return None

    def read(self, answer: FetchedPage) -> FileReading:
        """What a file brings. Files that it names are queued."""
        context = answer.context
        if context.file is FileKind.ROBOTS:
            self._take_robots(answer)
            return FileReading()
        file = NamingFile.of(answer.body)
        entries = [*file.entries(answer.url)]
        if not entries and not is_feed(answer.body):
            self._take_other(answer)
            return FileReading(is_file=False)
        before = len(self.met)
        named = self._named_pages(entries, context)
        wanted = [entry for key, entry in named.items() if not self.ledger.is_settled(key)]
        self.days |= {key: entry.day for key, entry in named.items() if entry.news and entry.day}
        # its first part lists what the first page of the site does
        are_known = all(map(self.ledger.earlier.settled, named))
        goes_on = wanted or (self.barren < _BARREN_PARTS and not are_known)
        if not self._is_evidence(context):
            self._take_further(entries, context, with_parts=bool(goes_on))
        self._count_barren(context, is_barren=not wanted and len(self.met) == before)
        return FileReading(self._contexts(wanted, context.section), is_whole=file.is_whole)

    def _take_further(
        self, entries: list[FileEntry], context: RequestContext, *, with_parts: bool
    ) -> None:
        """Queue the sitemaps that a file names, and its own next parts."""
        maps = [entry for entry in entries if entry.is_sitemap]
        self._add(_file(entry.url, FileKind.SITEMAP, day=entry.day) for entry in maps)
        parts = [entry for entry in entries if entry.is_next and with_parts]
        self._add(context.again(url=part.url, named=True, day="") for part in parts)

    def _count_barren(self, context: RequestContext, *, is_barren: bool) -> None:
        """Count a file that named nothing new, until one in turn does."""
        self.barren = self.barren + 1 if is_barren else 0
        if self.arguments.is_too_old(context.day):
            self._old = self._old + 1 if is_barren else 0

    def instead_of(self, context: RequestContext) -> bool:
        """Queue the usual place to try after a file that is not there; whether its absence is told
        now: it was named, or is at the last of the places."""
        if self._is_evidence(context):
            return False
        place = next_place(context.url, context.file) if context.file else ""
        if place:
            self._add([context.again(url=place, named=False)])
        is_last = not place and context.file is FileKind.SITEMAP
        return context.named or is_last

    def _take_robots(self, answer: FetchedPage) -> None:
        """Queue the sitemaps that a robots.txt names, else the first of the usual places."""
        named = sitemaps_of(answer.body if answer.status == 200 else b"", answer.url)
        self._add(_file(url, FileKind.SITEMAP, named=True) for url in named)
        if not named:
            place = origin_of(answer.url) + USUAL_PLACES[FileKind.SITEMAP][0]
            self._add([_file(place, FileKind.SITEMAP)])

    def _take_other(self, answer: FetchedPage) -> None:
        """Take the feeds of a page that was taken for one, as lists of feeds are. Others with such
        a URL are not requested."""
        context = answer.context
        if context.named or context.file is not FileKind.FEED:
            return
        self._others.add(url_pattern(context.url))
        body = gunzipped(answer.body)
        if is_html(body) and not context.hops:
            page = parse(body, answer.url, answer.content_type or None)
            self._add_named(files_of(page), section=context.section, hops=1)

    def _add_named(self, files: Iterable[NamedFile], *, section: str | None, hops: int = 0) -> None:
        """Queue those of the files that a page names that the user asked for."""
        ways = {FileKind.FEED: "feeds", FileKind.SITEMAP: "sitemap"}
        self._add(
            _file(file.url, file.kind, section=section, named=file.is_named, hops=hops)
            for file in files
            if ways[file.kind] in self.arguments.discover
            and (file.is_named or url_pattern(file.url) not in self._others)
        )

    def _add(self, files: Iterable[RequestContext]) -> None:
        """Queue files, at most ``_FILES`` in a run. The newest come first, since large archives
        have a sitemap for every month; of those without a day, or with one before ``since``, the
        first and the last ones of a list. Files may be on other hosts, but not their pages."""
        found = {file.url: file for file in files if self._is_new(file.url)}
        taken = list(islice(found.values(), max(0, _FILES - len(self.met))))
        self.crowded_out += len(found) - len(taken)
        self.met.update(file.url for file in taken)
        ends = sorted(range(len(taken)), key=lambda at: -min(at, len(taken) - 1 - at))
        self.files = [taken[at] for at in ends] + self.files
        self.files.sort(key=self._turn)

    def _is_new(self, url: str) -> bool:
        """Whether a file was not named before, and is on one of the hosts that may keep files."""
        if url in self.met:
            return False
        host = host_of(url)
        if not self.pages.holds(url):
            if host not in self._away and len(self._away) >= _AWAY:
                return False
            self._away.add(host)
        return True

    def _turn(self, file: RequestContext) -> tuple[bool, str]:
        """The place of a file in the queue, the last one first."""
        is_old = self.arguments.is_too_old(file.day)
        return file.file is FileKind.FEED, "" if is_old else file.day

    def _named_pages(
        self, entries: list[FileEntry], context: RequestContext
    ) -> dict[str, FileEntry]:
        """The entries of a file that are wanted, by the keys of their pages."""
        whole = context.file is FileKind.FEED and self.pages.holds_section(context.url)
        wanted = [entry for entry in entries if self._is_wanted(entry, whole)]
        self.pages.learn_links((entry.url, entry.url) for entry in wanted)
        clean = self.pages.parameters.clean
        by_key = {url_key(clean(entry.url)): entry for entry in wanted}
        self.ledger.look_up(by_key)
        return by_key

    def _is_wanted(self, hint: FileEntry, whole: bool) -> bool:
        """Whether a hint is a page, not too old, and in the section. Entries of the section's own
        feed always are."""
        if hint.is_file or not is_page(hint.url) or performs_action(hint.url):
            return False
        if self.arguments.is_too_old(hint.day):
            return False
        return self.pages.holds(hint.url) if whole else self.pages.holds_section(hint.url)

    def _contexts(self, hints: list[FileEntry], section: str | None) -> list[RequestContext]:
        """The requests for hinted pages. Their promise comes from the URL and from similar pages of
        this site."""
        if not hints:
            return []
        facts = [url_facts(hint.url) for hint in hints]
        guesses = [_guess(hint, known) for hint, known in zip(hints, facts, strict=True)]
        promises = self.evidence.adapt(
            np.array(guesses, np.float32), [HINTED] * len(hints), facts=facts
        )[:, 0].tolist()
        common = RequestContext("", Role.ARTICLE, group=HINTED, section=section, depth=1)
        parameters = self.pages.parameters
        return [
            common.again(
                url=parameters.clean(hint.url),
                written=parameters.written(hint.url),
                promise=promise,
                guess=guess,
                day=hint.day,
            )
            for hint, guess, promise in zip(hints, guesses, promises, strict=True)
        ]


def _file(url: str, kind: FileKind, **known: Any) -> RequestContext:
    """The request for a file, with what else is ``known`` of it."""
    return RequestContext(url, Role.FILE, 0.0, file=kind, **known)


def _guess(hint: FileEntry, facts: UrlFacts) -> tuple[float, float, float]:
    """Probabilities of article, listing and other: one row for entries of a feed, one for URLs
    shaped like those of articles, one for others."""
    has_words = facts.values[_WORDS] >= np.log1p(3)
    article = 0.4
    if facts.values[_DATE] or facts.stem[-1:].isdigit() or has_words:
        article = 0.6
    if hint.news:
        article = 0.9
    other = (1 - article) / 2
    return article, other, other
