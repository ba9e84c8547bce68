"""What the site spider asks for, in which order, and within which budget."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.desk import Desk, Wanted
from sitecrawl.crawl.frontier import Frontier
from sitecrawl.crawl.outcome import Outcome
from sitecrawl.crawl.pages import is_gone, reason_of
from sitecrawl.crawl.pool import HintPool, Source
from sitecrawl.crawl.state import CrawlState, state_path
from sitecrawl.urls.canonical import folder_url, url_key
from sitecrawl.urls.scope import Scope

_NOTES = ("article", "group", "guess", "section", "depth", "part", "written", "href")
_OPEN_LISTINGS = 1
"""Listing pages fetched at a time: what one brings decides whether the next is worth a request."""
_BUSY = 6
"""Article pages under way above which no listing page is asked for."""
_AGAIN = 40
"""Known articles asked for at a time when a run refreshes them."""


class RequestingSpider(Spider):
    """Keeps count of what is under way; a subclass says what to do with an answer (``parse_page``)."""

    hints: HintPool

    def __init__(self, crawler: Crawler, arguments: CrawlArguments, settings: CrawlSettings) -> None:
        super().__init__()
        self.arguments, self.config = arguments, settings
        self.crawler = crawler
        self.outcome = Outcome()
        scope = Scope.of(arguments.start, arguments.scope)
        self.state = CrawlState(state_path(settings.data_dir, scope.hosts))
        self.desk = Desk(arguments, scope, Frontier(settings.patience), self.state, self.count)
        self.desk.traps.patience = settings.patience
        self.open_listings = self.open_articles = self.sent = 0
        self._earlier = self.state.earlier_articles()
        self.stopping = ""
        self.as_written = False

    def parse_page(self, response: Response) -> Iterator[Any]:
        raise NotImplementedError

    # ---- what to ask for
    def due(self) -> list[Request]:
        """What an idle crawl should ask for next: hints, listing pages, then known articles that a refreshing run has not met."""
        self.hints.settle()
        return list(self.release()) or list(map(self.request, self.desk.trials.more())) or list(self._ask_again())

    def release(self) -> Iterator[Request]:
        """The next hints and listing pages, while few are under way and the article pages are nearly done."""
        yield from self._hinted()
        while not self.stopping and self.open_listings < _OPEN_LISTINGS and self.open_articles <= _BUSY:
            wanted = self.desk.next_listing()
            if wanted is None:
                return
            yield self.request(wanted)

    def _hinted(self) -> Iterator[Request]:
        """The next pages that feeds and sitemaps name, and the next of those files once these are used up."""
        while not self.stopping and self.open_articles <= _BUSY:
            wanted = self.hints.next_page()
            if wanted is None:
                break
            yield self.request(wanted)
        source = None if self.stopping else self.hints.next_file()
        if source is not None:
            yield self._file(source)

    def _file(self, source: Source) -> Request:
        """The request for a feed or sitemap; it counts as a page. What a missing robots.txt says is known as well."""
        self.open_listings += 1
        meta = {"label": "hints", "key": url_key(source.url), "asked": source.url, "source": source}
        meta["handle_httpstatus_list"] = list(range(400, 600)) if source.kind == "robots" else []
        return Request(source.url, self.parse_hints, errback=self.failed, meta=meta, priority=20, dont_filter=True)

    def parse_hints(self, response: Response) -> Iterator[Request]:
        """A feed or a sitemap: a hint where pages are, no more."""
        self.landed("hints")
        self.count("hints/files")
        self.hints.read(response.meta["source"], response.body if response.status == 200 else b"", response.url)
        yield from self.release()

    def _ask_again(self) -> Iterator[Request]:
        """Some articles of earlier runs that no listing page led to."""
        if self.stopping or not self.arguments.refresh:
            return
        left = (entry for entry in self._earlier if self._is_due(*entry))
        for _, url, notes in islice(left, _AGAIN):
            yield self.request(Wanted(url, "article", notes))

    def is_asked_for(self, url: str, section: str | None) -> bool:
        """Whether an article that stands in ``section`` is one of those this crawl is after."""
        scope = self.desk.scope
        return scope.holds(url) and (section is None or scope.holds_section(section))

    def _is_due(self, key: str, url: str, notes: dict[str, Any]) -> bool:
        if key in self.desk.seen or not self.is_asked_for(url, notes.get("section")):
            return False
        item = self.state.item(key) if self.arguments.since else None
        return not item or not self.arguments.is_too_old(item["datePublished"])

    def request(self, wanted: Wanted) -> Request:
        """The request for a page, counted and written down.

        The index file of a folder is asked for as the folder, unless this site knows it only as written.
        """
        self.desk.seen.add(wanted.key)
        if wanted.label == "article":
            self.open_articles += 1
        else:
            self.open_listings += 1
        self.state.queue(wanted.key, wanted.url, wanted.label, wanted.notes)
        as_written = self.as_written or wanted.label == "start" or wanted.notes.get("written")
        url = wanted.url if as_written else folder_url(wanted.url)
        meta = {
            **wanted.notes,
            "label": wanted.label,
            "key": wanted.key,
            "asked": wanted.url,
            "folder": url != wanted.url,
        }
        priority = 100 + int(100 * wanted.notes["article"]) if wanted.label == "article" else 10
        return Request(url, self.parse_page, errback=self.failed, meta=meta, priority=priority, dont_filter=True)

    # ---- what came of it
    def failed(self, failure: Failure) -> Iterator[Any]:
        """A page that could not be fetched; the index file of a folder gets a second try under its own name.

        Once a crawl is interrupted, a failure says nothing: the page stays among those to be fetched.
        """
        self.stopping = self.stopping or ("" if self.crawler.crawling else "shutdown")
        meta = failure.request.meta  # type: ignore[attr-defined]
        self.landed(meta["label"])
        if meta.get("folder") and not self.stopping:
            yield self.request(again(meta, written=True))
        elif meta.get("declined") and not self.stopping:
            self.desk.decline(again(meta))
        elif not self.stopping:
            if is_gone(failure):
                self.desk.tallies.lose(meta["asked"], meta.get("href"))
            self.lost(meta, reason_of(failure))
        yield from self.release()

    def named(self, meta: dict[str, Any]) -> None:
        """A page came under the name of its file that did not come as a folder: so it is on this site."""
        self.as_written = self.as_written or bool(meta.get("written"))

    def landed(self, label: str) -> None:
        """A request is no longer under way."""
        if label == "article":
            self.open_articles -= 1
        else:
            self.open_listings -= 1

    def lost(self, meta: dict[str, Any], why: str) -> None:
        """A page is of no use; on a start page the user hears of it."""
        self.count(f"pages/lost/{why.split(' (')[0].replace(' ', '_')}")
        self.state.done(meta["key"], "failed")
        self.hints.learn(meta["asked"], False)
        if meta["label"] in ("pagination", "section", "maybe"):
            self.desk.frontier.fail(meta["asked"], meta["label"])
        if meta["label"] == "start":
            self.outcome.problems.append(f"{meta['asked']}: {why}")

    def refuse(self, request: Request) -> str:
        """Why a request is not sent after all, empty when it is; counts it."""
        limit = self.arguments.max_pages
        if limit and self.sent >= limit:
            self.stopping = self.stopping or "max_pages"
        if self.stopping:
            return "the limit is reached"
        tallies, meta = self.desk.tallies, request.meta
        if meta["label"] == "article" and (tallies.is_hopeless(meta["asked"]) or tallies.is_broken(meta.get("href"))):
            meta["declined"] = True
            return "its like were no articles"
        self.sent += 1
        return ""

    def retract(self, url: str, key: str) -> None:
        """A page that waited as an article is none: what was learned from it is turned round."""
        self.desk.tallies.unlearn(url)
        self.hints.learn(url, False)
        self.state.done(key, "other")

    def count(self, name: str, by: int = 1) -> None:
        """Add to a statistic of the crawl."""
        if self.crawler.stats:
            self.crawler.stats.inc_value(f"sitecrawl/{name}", by)


def again(meta: dict[str, Any], **more: Any) -> Wanted:
    """The page of a request, to be asked for once more with other notes."""
    notes = {name: meta[name] for name in _NOTES if meta.get(name) is not None}
    return Wanted(meta["asked"], meta["label"], {**notes, **more})
