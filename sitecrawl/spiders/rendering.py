"""A second look: a page that is no good as the server sends it is asked for again through a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from twisted.python.failure import Failure

from sitecrawl.crawl.browser import NEEDS, browser_path
from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.desk import Wanted
from sitecrawl.crawl.found import Found
from sitecrawl.crawl.scripts import ENOUGH, Scripts, has_scripts, role_of
from sitecrawl.links.classify import classify
from sitecrawl.site.model import SiteModel
from sitecrawl.spiders.requests import RequestingSpider, again
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.scope import host_of

_PROMISING = 0.5
"""Least promise of an article link whose page is looked at twice."""


class RenderingSpider(RequestingSpider):
    """Finds out whether article pages and listing pages of the site need a browser; what it found out is kept."""

    site: SiteModel

    def __init__(self, crawler: Crawler, arguments: CrawlArguments, settings: CrawlSettings) -> None:
        super().__init__(crawler, arguments, settings)
        self._fact = "browser " + ",".join(sorted(host_of(url) for url in arguments.start))
        roles = json.loads(self.state.fact(self._fact) or "[]")
        self.lacks_browser = settings.js == "auto" and not browser_path(settings.chromium)
        self.scripts = Scripts("never" if self.lacks_browser else settings.js, dict.fromkeys(roles, "browser"))
        self._starts: list[Wanted] = []

    def request(self, wanted: Wanted) -> Request:
        """The request for a page, through the browser where its kind needs it. ``way`` in the notes settles it."""
        request = super().request(wanted)
        way = wanted.notes.get("way")
        request.meta["render"] = way == "browser" or (way is None and self.scripts.at_once(wanted.label))
        if request.meta["render"]:
            self.count("js/pages")
            request.meta.update(playwright=True, max_retry_times=1)
        return request

    def second_look(self, found: Found, meta: dict[str, Any]) -> list[Request] | None:
        """None when a page serves as it is; else its request through a browser, or nothing while others must tell first."""
        label = meta["label"]
        if meta["render"] or meta.get("way"):
            return None
        if label == "start" and has_scripts(found):
            self._starts.append(again(meta, way="browser", links=self._links(found)))
        if not self.scripts.undecided(label):
            return None
        if label == "article" and meta["article"] < _PROMISING:
            return None
        count = self._links(found) if role_of(label) == "listing" else 0
        good = found.kind in ("article", "thread") or count >= ENOUGH
        if not good and not has_scripts(found):
            return None
        rendered = again(meta, way="browser", links=count)
        verdict = self.scripts.judge(rendered, good)
        if verdict == "serves":
            return None
        return [self.request(rendered)] if verdict == "render" else []

    def looked_twice(self, found: Found, meta: dict[str, Any]) -> Iterator[Request]:
        """What the browser made of a page decides about its kind; pages that waited for this are asked for again."""
        if meta.get("way") != "browser":
            return
        better = found.kind in ("article", "thread")
        if role_of(meta["label"]) == "listing" and not better:
            before, now = int(meta.get("links", 0)), self._links(found)
            better = now >= before + 2 or now > before == 0
        yield from self._decide(meta["label"], better)

    def _decide(self, label: str, better: bool) -> Iterator[Request]:
        waiting = self.scripts.rendered(label, better)
        roles = sorted(role for role, way in self.scripts.decided.items() if way == "browser")
        self.state.set_fact(self._fact, json.dumps(roles))
        for wanted in waiting:
            way = self.scripts.decided[role_of(label)]
            yield self.request(Wanted(wanted.url, wanted.label, {**wanted.notes, "way": way}))

    def failed(self, failure: Failure) -> Iterator[Any]:
        """A page that the browser could not fetch is taken as the server sends it."""
        meta = failure.request.meta  # type: ignore[attr-defined]
        if meta.get("way") != "browser" or self.stopping:
            yield from super().failed(failure)
            return
        self.landed(meta["label"])
        self.count("js/failed")
        yield self.request(again(meta, way="plain"))
        yield from self._decide(meta["label"], False)

    def due(self) -> list[Request]:
        """What an idle crawl should ask for next; where no article was ever found, its start pages in a browser."""
        found = super().due()
        if not found and self.scripts.mode == "auto" and not self.stopping and self._found_nothing():
            found = [self.request(wanted) for wanted in self._starts]
            self._starts = []
        return found

    def advise(self) -> None:
        """Tell the user where a login or a browser may have helped."""
        if self._found_nothing():
            self.outcome.bar(len(self.arguments.start))
        if self.lacks_browser and self._starts and self._found_nothing():
            self.outcome.problems.append("no article found; if JavaScript draws the pages: " + NEEDS)

    def _found_nothing(self) -> bool:
        return next(self.state.all_items(), None) is None and not self.state.held_count()

    def _links(self, found: Found) -> int:
        """Pages of the site that a page's article links lead to."""
        links = classify(found.page, profile=self.site.profile)
        return len({url_key(link.url) for link in links if link.label == "article" and self.desk.scope.holds(link.url)})
