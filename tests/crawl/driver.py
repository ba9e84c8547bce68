"""Crawls without Scrapy: a session, and a dictionary of pages for the network."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.events import PageRead
from sitecrawl.crawl.hooks import NO_HOOKS, Hooks
from sitecrawl.crawl.last_lines import facts_of
from sitecrawl.crawl.pipeline import Crawl as Pipeline
from sitecrawl.crawl.pipeline import CrawlStep
from sitecrawl.crawl.records import SHOWN_STATUS, FailedPage, FetchedPage, PlannedRequest
from sitecrawl.crawl.site_models import Sites
from sitecrawl.crawl.site_state import page_digest
from sitecrawl.crawl.visit import Visit
from sitecrawl.items.feed_items import Identity, identity

HOME = "http://news.example"


@dataclass(frozen=True)
class Reply:
    """An answer of the network: a redirect where ``to`` is given, no connection where ``status`` is
    0."""

    body: bytes = b""
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    to: str = ""
    etag: str = ""
    modified: str = ""
    link: str = ""
    refresh: str = ""


Order = Callable[[list[PlannedRequest]], list[PlannedRequest]]
"""Puts the requests under way, the oldest first, into the order in which their answers come."""


def first_in_first_out(requests: list[PlannedRequest]) -> list[PlannedRequest]:
    return requests


ANSWER_ORDERS = ("first in first out", "last in first out", "shuffled")
"""The orders of :meth:`Crawl.run_in`."""
Pages = dict[str, Any]
"""What a network serves by path, or by whole URL: text, bytes, a :class:`Reply`, or a function of
the request."""


@dataclass
class Network:
    """A network of synthetic pages. ``drawn`` holds the pages as a browser shows them, where that
    is something else."""

    pages: Pages
    drawn: Pages = field(default_factory=dict)
    etags: bool = False
    asked: list[str] = field(default_factory=list)
    rendered: list[str] = field(default_factory=list)
    spared: list[str] = field(default_factory=list)
    """Paths answered by 304."""
    most: int = 5_000
    """Requests after which a crawl is taken for one without end."""

    def fetch(self, planned: PlannedRequest) -> FetchedPage | FailedPage:
        """What comes of a request, redirects followed."""
        url = planned.url
        (self.rendered if planned.render else self.asked).append(_path(url))
        for _ in range(8):
            reply = self._reply(url, planned)
            if not reply.to:
                break
            url = reply.to if "://" in reply.to else HOME + reply.to
        if reply.status >= 400 and not (planned.any_status or reply.status in SHOWN_STATUS):
            return FailedPage.of_status(planned.context, reply.status)
        if not reply.status:
            return FailedPage(planned.context, "cannot be reached (refused)", may_pass=True)
        etag = reply.etag or (f'"{page_digest(reply.body)}"' if self.etags else "")
        if etag and planned.headers.get("If-None-Match") == etag:
            self.spared.append(_path(url))
            return FetchedPage(url, planned.context, status=304, etag=etag)
        return FetchedPage(
            url,
            planned.context,
            reply.body,
            reply.status,
            reply.kind,
            etag,
            reply.modified,
            planned.render,
            link=reply.link,
            refresh=reply.refresh,
        )

    def _reply(self, url: str, planned: PlannedRequest) -> Reply:
        known = self.pages | self.drawn if planned.render else self.pages
        if planned.body and url == planned.url:
            return Reply(known.get(f"{_path(url)} {planned.body}", "").encode())
        found = known.get(url, known.get(_path(url), known.get("*")))
        if callable(found):
            found = found(url)
        if isinstance(found, str):
            found = found.encode()
        if isinstance(found, bytes):
            return Reply(found)
        return Reply(b"", 404) if found is None else found


def _path(url: str) -> str:
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


@dataclass
class Crawl:
    """One crawl of a network, step by step; ``feed`` holds the items that are written, whoever
    kills it in between."""

    network: Network
    session: Pipeline
    sites: Sites
    counts: Counter[str] = field(default_factory=Counter)
    feed: list[dict[str, Any]] = field(default_factory=list)
    waiting: deque[PlannedRequest] = field(default_factory=deque)
    kinds: dict[str, str] = field(default_factory=dict)
    """What each page turned out to be."""
    order: ClassVar[Order] = staticmethod(first_in_first_out)

    @classmethod
    def of(
        cls,
        network: Network,
        folder: Path,
        feed: list[dict[str, Any]] | None = None,
        hooks: Hooks = NO_HOOKS,
        **more: Any,
    ) -> Crawl:
        """A crawl whose state lies in ``folder``; ``more`` are arguments, and settings of the same
        names."""
        known = {
            name: more.pop(name)
            for name in list(more)
            if name in CrawlSettings.__dataclass_fields__
        }
        given = {"start": f"{HOME}/", "scope": "site"} | {
            name: str(value) for name, value in more.items()
        }
        arguments = CrawlArguments.parse(given)
        settings = CrawlSettings(data_dir=folder, **{"js": "never"} | known)
        name = arguments.site
        store, learned = settings.stores.site(name)
        sites = Sites(learned, today="2026-01-31")
        model = sites.model(name)
        session = Pipeline(
            arguments, settings, state=store, site=model, hooks=hooks, keep=lambda: sites.save(name)
        )
        return cls(network, session, sites, feed=[] if feed is None else feed)

    def steps(self) -> Iterator[None]:
        """Run to the end, one verb of the session a step; the outcome of a verb counts once the
        step is over."""
        self.take(
            self.session.begin(
                frozenset(identity(item) for item in self.feed), lambda: list(self.feed)
            )
        )
        yield
        while True:
            is_idle, outcome = not self.waiting, self.answer()
            yield
            if is_idle and not outcome:
                return

    def answer(self) -> CrawlStep:
        """Pass on the next answer, or that there is none; returns what followed."""
        if not self.waiting:
            outcome = self.session.idle()
        else:
            planned = self.waiting.popleft()
            answer = self.network.fetch(planned)
            assert len(self.network.asked) < self.network.most, "this crawl does not end"
            outcome = (
                self.session.failed(answer)
                if isinstance(answer, FailedPage)
                else self.session.page(answer)
            )
            for event in outcome.events:
                if isinstance(event, PageRead):
                    self.kinds[_path(planned.url)] = str(event.kind)
        self.take(outcome)
        return outcome

    def take(self, outcome: CrawlStep) -> None:
        """Send the items to the feed and the requests into the queue, urgent ones first, and count
        the events."""
        for event in outcome.events:
            self.counts.update(event.statistics)
        self.feed.extend(outcome.items)
        self.waiting = deque(self.order([*self.waiting, *outcome.requests]))

    def run(self, written: bool = True) -> Visit:
        """The whole crawl."""
        for _ in self.steps():
            pass
        return self.end(written)

    def run_in(self, order: str, *, seed: int = 5) -> None:
        """All steps, with the answers in one of ``ANSWER_ORDERS``; the session stays open."""
        dice = random.Random(seed)
        for _ in self.steps():
            if order == "last in first out":
                self.waiting.reverse()
            elif order == "shuffled":
                dice.shuffle(self.waiting)

    def end(self, written: bool = True) -> Visit:
        """Close the session as a spider does that came to its end."""
        self.take(self.session.close("finished"))
        self.sites.close()
        self.session.ended(written=written, finished=True)
        return self.session.visit

    def kill(self) -> None:
        """Let go of the session as a killed process does: nothing is finished, nothing written
        down."""
        self.session.state.close()
        self.sites.store.close()
        self.session.recorders[
            0
        ].log.close()  # the system does so when a process ends; this one would run out of open files

    @property
    def paths(self) -> list[str]:
        """Paths of the items that are written, sorted."""
        return sorted(_path(item["url"]) for item in self.feed)


def crawled(pages: Pages, folder: Path, **more: Any) -> Crawl:
    """A crawl of ``pages`` that came to its end."""
    crawl = Crawl.of(Network(pages), folder, **more)
    crawl.run()
    return crawl


Identities = frozenset[Identity]
Answering = Callable[[str], Reply]


def story_of(visit: Visit) -> str:
    """The summary of a visit and all its facts, as one text."""
    return "; ".join([visit.summary, *facts_of(visit, advises=True)])
