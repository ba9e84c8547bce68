"""Joining in a crawl: a part is held, the next one asked for, and the whole article leaves when the last is there."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

from lxml.etree import LxmlError

from sitecrawl.crawl.chains import chain_of, cluster_of, is_whole, missing
from sitecrawl.crawl.found import Found
from sitecrawl.crawl.state import Waiting
from sitecrawl.dom.encoding import decode
from sitecrawl.items.article import Article
from sitecrawl.site.joining import extract_parts
from sitecrawl.spiders.site import SiteSpider

Items = Iterator[dict[str, Any]]
Leave = Callable[[Article, str, dict[str, Any]], Items]

logger = logging.getLogger(__name__)

_FAULTS = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RuntimeError, LxmlError)
"""What one bad page may raise where it meets code that did not expect it; errors of the database are none of its."""
UNDECIDED = "undecided"
"""Name of the cluster of pages that wait until the habits of the site are known."""


class Joiner:
    """The part of the template middleware that deals with parts and with what waits.

    ``leave`` writes an article down and lets it go; ``is_open`` tells of one that has to wait for others.
    """

    def __init__(self, spider: SiteSpider, leave: Leave, is_open: Callable[[Article, dict[str, Any]], bool]) -> None:
        self.spider, self.state, self.leave, self.is_open = spider, spider.state, leave, is_open

    def take(self, found: Found, part: dict[str, Any], cluster: str) -> Items:
        """A part has come; ``cluster`` is its family where that waits for a template, else empty."""
        first = part["of"]
        found.meta["joined"] = True
        if found.key != first and self.state.has_left(first):
            self.state.drop_waiting(found.key)
            self.spider.count("items/dropped/part")
            return
        self.hold(found, {**part, "cluster": cluster}, cluster_of(first))
        chain = chain_of(self.state, first)
        if is_whole(chain):
            yield from self._close(chain)
            return
        wanted = missing(chain, part, found.meta)
        if wanted.key not in self.spider.desk.seen and self.spider.desk.scope.holds(wanted.url):
            self.spider.desk.seen.add(wanted.key)
            found.wanted.append(wanted)

    def hold(self, found: Found, part: dict[str, Any] | None, cluster: str) -> None:
        """Keep a page on disk until a template or its other parts are there."""
        notes = {name: value for name, value in found.meta.items() if name != "body"}
        meta = {**notes, "score": found.score, "part": part, "waited": True}
        self.state.hold(Waiting(found.key, found.page.url, found.meta["body"], meta), cluster)

    def _close(self, chain: list[Waiting]) -> Items:
        """All parts are there: the article leaves, or its first part goes to wait for a template."""
        cluster = chain[0].meta["part"]["cluster"]
        if cluster and not self.spider.site.trusts(cluster):
            self.state.hold(chain[0], cluster)
        else:
            yield from self.join(chain)

    def join(self, chain: list[Waiting]) -> Items:
        """The article of a chain leaves; what is left of an article whose parts did not all come is flagged."""
        pages = [(part.url, decode(part.body, part.meta.get("type"))[0]) for part in chain]
        article = extract_parts(self.spider.site, pages)
        if chain[0].meta.get("part") and not is_whole(chain):
            article.provenance.flags.append("incomplete")
        yield from self.leave(article, chain[0].key, chain[0].meta)
        for part in chain:
            self.state.drop_waiting(part.key)

    def release(self, waiting: Waiting) -> Items:
        """A page that may go; parts of one article go together, those without a first part on their own."""
        first = (waiting.meta.get("part") or {}).get("of")
        if first is None:
            yield from self._release_one(waiting)
            return
        if waiting.key == first:
            self.state.hold(waiting, cluster_of(first))
        chain = chain_of(self.state, first)
        if chain:
            yield from self.join(chain)
        elif self.state.item_digest(first) is not None:
            self.state.drop_waiting(waiting.key)
        else:
            yield from self.join([waiting])

    def _release_one(self, waiting: Waiting) -> Items:
        article = extract_parts(self.spider.site, [(waiting.url, decode(waiting.body, waiting.meta.get("type"))[0])])
        if self.is_open(article, waiting.meta):
            self.state.hold(waiting, UNDECIDED)
            return
        yield from self.leave(article, waiting.key, waiting.meta)
        self.state.drop_waiting(waiting.key)

    def guarded(self, waiting: Waiting, items: Items) -> Items:
        """The items of a page that waited; one that fails is dropped, so that those behind it go on."""
        try:
            yield from items
        except _FAULTS:
            logger.exception("The page %s failed and is dropped", waiting.url)
            self.spider.count("items/dropped/failed")
            self.state.drop_waiting(waiting.key)
            self.state.miss(waiting.meta.get("asked") or waiting.key)
