"""What becomes of an article page: its item leaves, it waits, or it is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.family_gate import FamilyGate
from sitecrawl.crawl.hooks import Hooks
from sitecrawl.crawl.linked_pages import SitePages
from sitecrawl.crawl.records import ArticlePage, Drop, RequestContext, Role, WaitKind
from sitecrawl.crawl.soft_errors import KnownTexts
from sitecrawl.crawl.store import CrawlStore
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import absolute
from sitecrawl.items.article import Article
from sitecrawl.items.feed_items import body_digest, item_of
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.pattern import url_pattern


@dataclass(frozen=True, slots=True)
class Leave:
    """The item leaves; ``digest`` is that of its body."""

    item: dict[str, Any]
    digest: str


@dataclass(frozen=True, slots=True)
class Withhold:
    """The item is kept until its page family is judged; ``digest`` is that of its body."""

    item: dict[str, Any]
    digest: str


@dataclass(frozen=True, slots=True)
class Wait:
    """The page waits for something; ``of`` names the family, or the first part of its article."""

    kind: WaitKind
    of: str = ""


@dataclass(frozen=True, slots=True)
class Refuse:
    """No item leaves."""

    why: Drop


@dataclass(frozen=True, slots=True)
class ArticleFound:
    """An article, the page it stands on, and the ``family`` whose template may give a better one; empty where none may."""

    page: ArticlePage
    article: Article
    family: str = ""


@dataclass(slots=True)
class CrawlEvidence:
    """What a crawl knows when it decides about a page."""

    store: CrawlStore
    arguments: CrawlArguments
    hooks: Hooks
    pages: SitePages
    families: FamilyGate
    hold: int
    """Pages that may wait at a time."""
    texts: KnownTexts = field(default_factory=KnownTexts)
    left: int = 0
    """Articles that left in this run."""

    def count_left(self, articles: int = 1) -> None:
        """So many articles left."""
        self.left += articles

    @property
    def is_full(self) -> bool:
        """Whether as many articles left as were asked for."""
        return bool(self.arguments.max_articles) and self.left >= self.arguments.max_articles

    @property
    def has_room(self) -> bool:
        """Whether one more page may wait."""
        return self.store.waiting.count() < self.hold

    def repeats(self, page: ArticlePage) -> bool:
        """Whether too many pages have the text of this one."""
        return self.texts.repeats(page.text)

    def unwanted(self, page: ArticlePage, item: dict[str, Any], *, digest: str) -> Drop | None:
        """Why an article does not leave, whatever its family."""
        store = self.store
        if self.is_full:
            return Drop.MAX_ARTICLES
        if self.repeats(page):
            return Drop.REPEAT
        if self.arguments.is_too_old(item["datePublished"]):
            return Drop.SINCE
        if store.items.digest(page.key) == digest or store.items.has_left(page.key):
            return Drop.UNCHANGED
        if self._is_twin(item, page.key, digest=digest):
            return Drop.COPY
        wanted = self.hooks.follows(RequestContext(page.url, Role.ARTICLE, page.promise, section=page.section))
        return None if wanted else Drop.FILTERED

    def _is_twin(self, item: dict[str, Any], key: str, *, digest: str) -> bool:
        """Whether an article has left already with the same text, under the URL that this page calls its own or on another host of the site."""
        path = key.partition("/")[2]
        hosts = self.pages.scope.hosts
        twins = {url_key(item["canonicalUrl"] or item["url"]), *(f"{host}/{path}" for host in hosts)} - {key}
        return any(self.store.items.digest(twin) == digest for twin in twins)

    def is_known_elsewhere(self, page: Page, key: str) -> bool:
        """Whether a page calls another URL its own, whose article has left."""
        own = absolute(page.metadata.links.get("canonical") or "", page.base_url) or page.url
        return url_key(own) != key and self.store.items.digest(url_key(own)) is not None


_LINK = re.compile(r'<a href="([^"]*)"[^>]*>(.*?)</a>', re.S)
_TAG = re.compile(r"<[^>]*>")


def lists_siblings(article: Article, url: str, *, longest: int = 1_000, share: float = 0.8) -> bool:
    """Whether a body is links to pages of the page's own URL pattern and hardly a word beside them: a day on which nothing is, between teasers
    of the next days. Bodies of more than ``longest`` characters say enough; the HTML is what we wrote ourselves."""
    text = article.articleBody
    if not 0 < len(text) <= longest:
        return False
    own = url_pattern(url)
    links = [_TAG.sub("", told) for href, told in _LINK.findall(article.articleBodyHtml) if url_pattern(href) == own]
    return len(links) > 1 and sum(map(len, links)) >= share * len("".join(text.splitlines()))


def decide(found: ArticleFound, evidence: CrawlEvidence) -> Leave | Withhold | Wait | Refuse:
    """What becomes of an article: it waits while a better or surer answer may come and there is room."""
    page = found.page
    if evidence.repeats(page):
        return Refuse(Drop.REPEAT)
    if evidence.has_room:
        if page.part is not None:
            return Wait(WaitKind.PARTS, page.part.of)
        if found.family:
            return Wait(WaitKind.TEMPLATE, found.family)
    return leave_or_refuse(found, evidence)


def leave_or_refuse(found: ArticleFound, evidence: CrawlEvidence) -> Leave | Withhold | Refuse:
    """What becomes of an article that waits no more."""
    item = item_of(found.article, found.page.section, found.page.fetched)
    why = evidence.unwanted(found.page, item, digest=body_digest(item))
    piped = evidence.hooks.piped(item) if why is None else None
    if piped is None:
        return Refuse(why or Drop.FILTERED)
    page = evidence.families.describe(found.page, piped)
    piped["provenance"] |= {"family": page.family, "pageKind": str(page.kind)}
    digest = body_digest(piped)
    if evidence.families.lets_go(page):
        return Leave(piped, digest)
    return Withhold(piped, digest)
