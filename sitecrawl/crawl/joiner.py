"""Articles over several pages during a crawl: parts wait in the store until their article is whole."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sitecrawl.crawl.records import ArticlePage, PartNote, RequestContext, Role, WaitingPage
from sitecrawl.crawl.store import CrawlStore
from sitecrawl.dom.encoding import decode
from sitecrawl.dom.page import Page
from sitecrawl.items.article import Article
from sitecrawl.items.kinds import Flag
from sitecrawl.limits import LIMITS
from sitecrawl.links.pagination import first_part, next_part, turning_links
from sitecrawl.site.joining import extract_parts
from sitecrawl.site.model import SiteModel
from sitecrawl.urls.canonical import url_key

_PROMISE = 0.95
"""Promise of a link to a further part: the page before it is an article."""


def part_of(page: Page, key: str, given: PartNote | None) -> PartNote | None:
    """Place of a page in an article over several pages, None of one that stands alone; ``given`` is what it was asked for as."""
    links = turning_links(page)
    first = given.first if given else first_part(page, links) or page.url
    after = next_part(page, first, links) or ""
    of = key if first == page.url else url_key(first)
    if not after and of == key:
        return None
    return PartNote(of, first, after)


def cluster_of(first: str) -> str:
    """Name under which the parts of one article wait; ``first`` is the key of the first."""
    return f"part:{first}"


@dataclass
class Joiner:
    """Keeps the parts of articles until they are whole."""

    store: CrawlStore
    site: SiteModel

    def hold(self, part: WaitingPage) -> None:
        """Keep a part until the others are there."""
        assert part.page.part is not None
        self.store.hold(part, cluster_of(part.page.part.of))

    def chain(self, first: str) -> list[WaitingPage]:
        """The parts that wait, in reading order from the first on, up to the first that is missing."""
        held = {waiting.page.key: waiting for waiting in self.store.held(cluster_of(first))}
        chain: list[WaitingPage] = []
        key = first
        while key in held and len(chain) < LIMITS.parts:
            chain.append(held.pop(key))
            key = url_key(_note(chain[-1]).next)
        return chain

    def missing(self, chain: list[WaitingPage], page: ArticlePage, depth: int) -> RequestContext:
        """The page that a chain lacks: its next part, or the first one while that is not there."""
        assert page.part is not None
        known = PartNote(page.part.of, page.part.first)
        url = _note(chain[-1]).next if chain else page.part.first
        part = known if chain else None
        return RequestContext(url, Role.ARTICLE, _PROMISE, section=page.section, depth=depth, part=part)

    def join(self, chain: list[WaitingPage]) -> Article:
        """The article of its parts; one whose parts did not all come is flagged ``incomplete``."""
        pages = [(part.page.url, decode(part.body, part.page.content_type)[0]) for part in chain]
        article = extract_parts(self.site, pages, chain[0].page.anchor)
        if chain[0].page.part and not is_whole(chain):
            article.provenance.flags.append(Flag.INCOMPLETE)
        return article


def is_whole(chain: list[WaitingPage]) -> bool:
    """Whether no part is wanted any more."""
    return bool(chain) and (len(chain) >= LIMITS.parts or not _note(chain[-1]).next)


def waits_for(part: WaitingPage, cluster: str) -> WaitingPage:
    """The part with a note of the family whose template its article will wait for."""
    return WaitingPage(replace(part.page, part=replace(_note(part), cluster=cluster)), part.body)


def _note(part: WaitingPage) -> PartNote:
    return part.page.part or PartNote(part.page.key, part.page.url)
