"""The template middleware: pages in, articles out; pages of a young template wait on disk for their partners."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from scrapy.crawler import Crawler

from sitecrawl.crawl.chains import part_of
from sitecrawl.crawl.fakes import Echoes, fake_of
from sitecrawl.crawl.found import Flush, Found, Resume
from sitecrawl.crawl.state import Waiting
from sitecrawl.crawl.visits import digest_of
from sitecrawl.dom.parse import parse
from sitecrawl.dom.signature import outer_classes
from sitecrawl.items.article import Article
from sitecrawl.items.revisions import body_digest, identity, item_of, revise
from sitecrawl.middlewares.answers import Answering
from sitecrawl.middlewares.parts import UNDECIDED, Joiner
from sitecrawl.site.conventions import BEYOND_DOUBT
from sitecrawl.site.verdict import Verdict, event_line
from sitecrawl.spiders.site import SiteSpider
from sitecrawl.urls.canonical import url_key

logger = logging.getLogger(__name__)


class TemplateMiddleware(Answering):
    """Replaces every ``Found`` of the site spider by its article, now or when its template can be trusted.

    ``listings`` holds digests of pages that are no articles: the same page under another URL is none either; ``echoes``
    knows texts that come under many URLs; ``ending`` is true while all that waits must go,
    ``fates`` tells why pages were dropped that are still being dealt with: a page may wait and be let go in one breath.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.listings: set[str] = set()
        self.echoes = Echoes()
        self.ending = False
        self.fates: dict[str, str] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TemplateMiddleware:
        return cls(crawler)

    def answer(self, entry: Any) -> Iterator[Any]:
        """Pages become articles; the rest passes."""
        if isinstance(entry, Found):
            yield from self._meet(entry)
        elif isinstance(entry, Flush):
            for event in self.spider.site.settle():
                self._count(f"templates/{event.kind}")
                logger.info("%s", event_line(self.spider.site.site, event))
            self.ending = True
            try:
                yield from self._let_go(None)
            finally:
                self.ending = False
        elif isinstance(entry, Resume):
            yield from self._resume(entry)
        else:
            yield entry

    @cached_property
    def joiner(self) -> Joiner:
        return Joiner(self.spider, self._leave, self._is_open)

    @property
    def spider(self) -> SiteSpider:
        spider = self.crawler.spider
        assert isinstance(spider, SiteSpider)
        return spider

    def _meet(self, found: Found) -> Iterator[dict[str, Any]]:
        """Judge a page; an article leaves, or waits when a template for it may be near."""
        if self._is_fake(found):
            return
        body = digest_of(found.meta["body"])
        if body in self.listings:
            found.kind = "listing"
            self._count("pages/copy")
            return
        habits = self.spider.site.conventions
        known = habits.known
        self.fates[found.key] = ""
        found.meta |= {"marked": found.page.metadata.marks_article, "classes": outer_classes(found.page.root)}
        verdict = self.spider.site.observe_page(found.page, found.score)
        found.kind = "article" if verdict.article is not None else verdict.kind
        if found.kind == "listing":
            habits.classes.record_listing(found.meta["classes"])
        if verdict.article is None:
            self.listings.add(body)
        else:
            yield from self._place(found, verdict, verdict.article)
        if habits.known != known:
            yield from self._let_go(UNDECIDED)
        for event in verdict.events:
            self._count(f"templates/{event.kind}")
            level = logging.WARNING if event.kind == "drifting" else logging.INFO
            logger.log(level, "%s", event_line(self.spider.site.site, event, found.page.url))
            if event.kind in ("trusted", "replaced"):
                self.spider.keep_site()
                yield from self._let_go(event.family)
        fate = self.fates.pop(found.key, "")
        if fate in ("undated", "foreign"):
            found.kind = "other"
        found.meta["missed"] = fate == "max_articles"

    def _place(self, found: Found, verdict: Verdict, article: Article) -> Iterator[dict[str, Any]]:
        """An article leaves, or waits for the other parts, a template, or what the habits of the site will say."""
        if self._is_echo(found, article):
            pass
        elif self._is_full() or self._is_foreign(found.meta):
            yield from self._leave(article, found.key, found.meta)
        elif (part := part_of(found.page, found.key, found.meta.get("part"))) is not None:
            yield from self.joiner.take(found, part, verdict.family if verdict.waits else "")
        elif verdict.waits:
            self.joiner.hold(found, None, verdict.family)
            self._count("items/waiting")
        elif self._is_open(article, found.meta):
            self.joiner.hold(found, None, UNDECIDED)
        else:
            yield from self._leave(article, found.key, found.meta)

    def _is_fake(self, found: Found) -> bool:
        """Whether a page says "not found" or asks for a login; such a page teaches nothing."""
        fake = fake_of(found.page)
        if not fake:
            return False
        found.kind = "other"
        self._count(f"pages/fake/{fake}")
        if fake == "login":
            self.spider.outcome.logins.add(found.key)
            self.spider.outcome.walled += 1
        return True

    def _is_echo(self, found: Found, article: Article) -> bool:
        """Whether too many pages have the text of an article; their URL pattern gets a bad name."""
        found.meta["text"] = self.echoes.meet(found.key, article.headline or "", article.articleBody)
        repeats = self.echoes.repeats(found.meta["text"])
        self.spider.desk.traps.echo(found.page.url, repeats)
        if repeats:
            found.kind = "other"
            self._count("items/dropped/repeat")
        return repeats

    def _let_go(self, cluster: str | None) -> Iterator[dict[str, Any]]:
        """Extract the waiting pages again, those of a cluster or all, with the best template there is now."""
        for waiting in self.spider.state.held(cluster):
            yield from self.joiner.guarded(waiting, self.joiner.release(waiting))

    def _resume(self, resume: Resume) -> Iterator[dict[str, Any]]:
        """Articles the feed lost with the interrupted run, then the pages that waited."""
        for item in self._written():
            if identity(item) not in self.crawler.settings.get("SITECRAWL_FEED_ITEMS", ()):
                yield item
        for waiting in list(self.spider.state.held()):
            yield from self.joiner.guarded(waiting, self._meet_again(waiting, resume))

    def _meet_again(self, waiting: Waiting, resume: Resume) -> Iterator[dict[str, Any]]:
        page = parse(waiting.body, waiting.url, waiting.meta.get("type"))
        meta = {**waiting.meta, "body": waiting.body}
        found = Found(page, waiting.key, "article", waiting.meta.get("score", 0.9), meta)
        yield from self._meet(found)
        resume.wanted.extend(found.wanted)

    def _written(self) -> Iterator[dict[str, Any]]:
        """Articles that a feed written anew must hold: those of an interrupted run, or all that this crawl is after."""
        spider = self.spider
        if not spider.config.rewrite:
            yield from spider.state.items_of_run() if spider.goes_on else ()
            return
        for item in spider.state.all_items():
            old = spider.arguments.is_too_old(item["datePublished"])
            if not old and spider.is_asked_for(item["url"], item["sectionUrl"]):
                yield item

    def _leave(self, article: Article, key: str, meta: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The item of an article, unless it is too old, a copy, or one too many."""
        item, habits, promise = (
            item_of(article, meta.get("section")),
            self.spider.site.conventions,
            meta.get("score") or 0.0,
        )
        habits.dates.record(bool(item["datePublished"]), bool(meta.get("marked")), promise)
        habits.classes.record(meta.get("classes", ()), promise)
        drop = "repeat" if self.echoes.repeats(meta.get("text")) else self._unwanted(item, key, meta)
        if drop:
            if key in self.fates:
                self.fates[key] = drop
            self._count(f"items/dropped/{drop}")
            self.spider.state.drop_waiting(key)
            if drop in ("undated", "foreign") and meta.get("waited"):
                self.spider.retract(item["url"], meta.get("asked") or key)
            if drop == "max_articles":
                self.spider.state.miss(meta.get("asked") or key)
            return
        before = self.spider.state.item(key)
        revise(item, before, meta.get("modified"))
        if before:
            self._count("items/revised")
        self.spider.state.save_item(key, item, body_digest(item))
        self._count(f"items/{item['provenance']['method']}")
        self.spider.outcome.articles += 1
        limit = self.spider.arguments.max_articles
        if limit and self.spider.outcome.articles >= limit:
            self.spider.stopping = "max_articles"
        yield item

    def _is_full(self, share: float = 1.0) -> bool:
        """Whether as many pages wait as may, or a share of that."""
        return self.spider.state.held_count() >= share * self.spider.config.hold

    def _is_open(self, article: Article, meta: dict[str, Any]) -> bool:
        """Whether a page must wait, since it is not known yet what the articles of this site have in common."""
        habits = self.spider.site.conventions
        undated = not article.datePublished and not habits.dates.known
        doubtful = meta.get("classes") and (meta.get("score") or 0.0) < BEYOND_DOUBT and not habits.classes.known
        return bool(undated or doubtful) and not self.ending and not self._is_full(0.5)

    def _unwanted(self, item: dict[str, Any], key: str, meta: dict[str, Any]) -> str:
        arguments, state = self.spider.arguments, self.spider.state
        if arguments.max_articles and self.spider.outcome.articles >= arguments.max_articles:
            return "max_articles"
        if arguments.is_too_old(item["datePublished"]):
            return "since"
        habits = self.spider.site.conventions
        if not item["datePublished"] and habits.dates.expects_date(bool(meta.get("marked"))):
            return "undated"
        if self._is_foreign(meta):
            return "foreign"
        digest = body_digest(item)
        if state.item_digest(key) == digest or state.has_left(key):
            return "unchanged"
        return "copy" if self._is_twin(item, key, digest) else ""

    def _is_foreign(self, meta: dict[str, Any]) -> bool:
        """Whether a page lacks what the articles of this site have in common."""
        doubtful = (meta.get("score") or 0.0) < BEYOND_DOUBT
        return doubtful and self.spider.site.conventions.classes.is_foreign(meta.get("classes", ()))

    def _is_twin(self, item: dict[str, Any], key: str, digest: str) -> bool:
        """Whether an article has left already under the URL that this page calls its own, with the same text."""
        own = url_key(item["canonicalUrl"] or item["url"])
        return own != key and self.spider.state.item_digest(own) == digest

    def _count(self, name: str) -> None:
        if self.crawler.stats:
            self.crawler.stats.inc_value(f"sitecrawl/{name}")
