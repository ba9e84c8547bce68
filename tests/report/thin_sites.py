"""Sites at hand as a server would show them for some weeks: thinned to some forty pages, of which a
few appear between visits, healthy or broken."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any
from urllib.parse import urljoin, urlsplit

from lxml import etree, html

from benchmarks.harness import page_url, site_file, site_meta, site_rows
from sitecrawl.crawl.records import PASSING_STATUS, FailedPage, FetchedPage, PlannedRequest
from sitecrawl.dom.parse import parse
from tests.crawl.driver import Reply
from tests.report.breaks import BREAKS, Answer, Asked, Failure, written


@dataclass
class ThinSite:
    """A site of which ``most`` articles are served: twelve from the first day on, the others appear
    one after the other."""

    name: str
    most: int = 40
    first: int = 12

    @cached_property
    def meta(self) -> dict[str, Any]:
        return site_meta(self.name)

    @cached_property
    def links(self) -> dict[str, dict[str, None]]:
        """Article files by listing page, in the order of its links."""
        found: dict[str, dict[str, None]] = {}
        for row in site_rows(self.name, "links"):
            path = urlsplit(row["target"] or "").path
            if row["label"] == "article" and (file := site_file(self.name, path)) is not None:
                found.setdefault(row["page"], {})[str(file)] = None
        return found

    @cached_property
    def listings(self) -> list[str]:
        """The start pages: the listing page that names most, or three where it names few."""
        ranked = sorted(
            self.links, key=lambda page: (-min(len(self.links[page]), self.most), len(page), page)
        )
        return ranked[: 1 if len(self.links[ranked[0]]) >= 24 else 3]

    @cached_property
    def truth(self) -> dict[str, dict[str, Any]]:
        return {str(site_file(self.name, row["path"])): row for row in site_rows(self.name)}

    @cached_property
    def articles(self) -> list[str]:
        """Files of the articles, the oldest first: listings show the newest first."""
        named = [file for page in self.listings for file in self.links[page] if file in self.truth]
        return list(dict.fromkeys(named))[: self.most][::-1]

    @cached_property
    def others(self) -> set[str]:
        """Files of a few pages that are neither articles nor listings."""
        found = [
            row["target"]
            for row in site_rows(self.name, "links")
            if row["page"] == self.listings[0] and row["label"] == "other"
        ]
        files = (
            site_file(self.name, urlsplit(target or "").path) for target in dict.fromkeys(found)
        )
        return {str(file) for file in files if file and file.suffix in ("", ".html", ".htm")} - {
            *self.truth
        }

    def shown(self, path: str, published: int) -> html.HtmlElement | None:
        """A page as it is once so many articles are published; None where there is none."""
        file = site_file(self.name, path)
        known = {
            *self.articles[:published],
            *(str(site_file(self.name, page)) for page in self.listings),
            *sorted(self.others)[:5],
        }
        if file is None or str(file) not in known:
            return None
        root = html.document_fromstring(str_of(file.read_bytes(), page_url(self.name, path)))
        for node in root.xpath("//script[not(@src)] | //link[@rel != 'stylesheet']"):
            node.drop_tree()  # they name pages that are not served
        for node in list(root.iter("a")):
            self._settle(node, page_url(self.name, path), known)
        return root

    def _settle(self, node: html.HtmlElement, base: str, known: set[str]) -> None:
        """Mark a link to an article, and take one to a page that is not served off the page, with
        its entry."""
        url = urljoin(base, (node.get("href") or "").strip())
        host = (urlsplit(url).hostname or "") if "://" in url else ""
        if host not in (self.meta["host"], *self.meta["aliases"]):
            return
        file = str(site_file(self.name, urlsplit(url).path))
        if file in known:
            if file in self.truth:
                node.set("data-article", file)
            return
        while (above := node.getparent()) is not None and above.tag not in (
            "body",
            "ul",
            "ol",
            "table",
            "tbody",
            "main",
        ):
            if (
                len(above.xpath(".//a")) > len(node.xpath("descendant-or-self::a"))
                or len(above.text_content()) > 600
            ):
                break
            node = above
        with suppress(AssertionError):
            node.drop_tree()


def str_of(body: bytes, url: str) -> str:
    """A page as text, whatever its encoding."""
    return etree.tostring(parse(body, url).root, encoding="unicode", method="html")


@dataclass
class Clock:
    """The moment of the simulation; pages take their time."""

    now: datetime = datetime(2026, 11, 2, 6, tzinfo=UTC)

    def __call__(self) -> str:
        return self.now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@dataclass
class ServedSite:
    """The network of one site, healthy or broken, on the day of the clock."""

    site: ThinSite
    clock: Clock
    chance: random.Random
    broken: str = ""
    second: bool = False
    is_broken: bool = False
    has_feed: bool = False
    published: int = 12
    asked: list[str] = field(default_factory=list)
    most: int = 5_000

    def fetch(self, planned: PlannedRequest) -> FetchedPage | FailedPage:
        """What comes of a request, redirects followed."""
        url, found = planned.url, Reply(b"", 404)
        for _ in range(8):
            answer = self._answer(url)
            if isinstance(answer, Failure):
                return FailedPage(
                    planned.context,
                    answer.why,
                    not answer.why.startswith(("forbidden", "no such host")),
                )
            found = answer
            if not answer.to:
                break
            url = urljoin(url, answer.to)
        if found.status >= 400 and not planned.any_status:
            return FailedPage(
                planned.context,
                f"the server answered {found.status}",
                found.status in PASSING_STATUS,
            )
        return FetchedPage(url, planned.context, found.body, found.status, found.kind)

    def _answer(self, url: str) -> Answer:
        self.asked.append(url)
        seconds = self.chance.uniform(0.2, 0.9)
        path, file = urlsplit(url).path, site_file(self.site.name, urlsplit(url).path)
        root = self.site.shown(path, self.published)
        truth = self.site.truth.get(str(file), {}) if root is not None else {}
        listed = str(file) in {str(site_file(self.site.name, page)) for page in self.site.listings}
        role = "article" if truth else "listing" if listed and root is not None else "other"
        answer: Answer = (
            Reply(b"", 404) if root is None else written(Reply(), self._with_feed(root))
        )
        if path == "/feed-of-it.xml" and self.has_feed:
            answer = Reply(self._feed(), kind="application/rss+xml")
        elif role == "article" and self.chance.random() < 0.02:
            answer = Reply(b"", 500)  # a few fail on any visit
        if self.is_broken and path != "/feed-of-it.xml" and "new-home-of-it" not in url:
            way = BREAKS[self.broken]
            title, text = truth.get("title") or "", truth.get("text") or ""
            start = page_url(self.site.name, self.site.listings[0])
            asked = Asked(url, role, self.clock.now.date(), title, text, self.second, start)
            answer = (
                way.change(answer, asked)
                if root is not None or not isinstance(answer, Reply) or role == "other"
                else answer
            )
        self.clock.now += timedelta(seconds=seconds)
        return answer

    def _with_feed(self, root: html.HtmlElement) -> html.HtmlElement:
        if self.has_feed:
            root.head.append(
                html.fragment_fromstring(
                    '<link rel="alternate" type="application/rss+xml" href="/feed-of-it.xml">'
                )
            )
        return root

    def _feed(self) -> bytes:
        files = self.site.articles[max(0, self.published - 10) : self.published]
        entries = (page_url(self.site.name, self.site.truth[file]["path"]) for file in files)
        return f"<rss version='2.0'><channel>{''.join(f'<item><link>{url}</link></item>' for url in entries)}</channel></rss>".encode()
