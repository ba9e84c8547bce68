"""Articles over several pages during a crawl: parts wait in the store until their article is whole."""

from __future__ import annotations

from dataclasses import dataclass, field

from sitecrawl.crawl.records import ArticlePage, PartNote, RequestContext, Role, WaitingPage, WaitKind
from sitecrawl.crawl.store import CrawlStore
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.items.article import Article
from sitecrawl.items.kinds import Flag
from sitecrawl.limits import LIMITS
from sitecrawl.links.pagination import first_part, next_part, turning_links
from sitecrawl.site.joining import join
from sitecrawl.site.model import SiteModel
from sitecrawl.urls.canonical import url_key


def part_of(page: Page, key: str, given: PartNote | None) -> PartNote | None:
    """Place of a page in an article over several pages, None of one that stands alone; ``given`` is what it was requested as."""
    links = turning_links(page)
    first = given.first if given else first_part(page, links) or page.url
    after = next_part(page, first, links=links) or ""
    of = key if first == page.url else url_key(first)
    if not after and of == key:
        return None
    return PartNote(of, first, after)


@dataclass(slots=True)
class ParsedPages:
    """The pages that wait as they were parsed, the latest ``LIMITS.parsed_bytes`` bytes of HTML; others are parsed again."""

    _pages: dict[str, tuple[Page, int]] = field(default_factory=dict)
    _bytes: int = 0

    def keep(self, key: str, page: Page, *, size: int) -> None:
        """Keep a page of so many bytes; the oldest make room."""
        self.forget(key)
        self._pages[key] = page, size
        self._bytes += size
        while self._bytes > LIMITS.parsed_bytes:
            self.forget(next(iter(self._pages)))

    def forget(self, key: str) -> None:
        """A page is not needed any more."""
        _, size = self._pages.pop(key, (None, 0))
        self._bytes -= size

    def of(self, waiting: WaitingPage) -> Page:
        """The page, parsed again where it was not kept."""
        if (known := self._pages.get(waiting.page.key)) is not None:
            return known[0]
        return parse(waiting.body, waiting.page.url, waiting.page.content_type or None)


@dataclass
class Joiner:
    """Keeps the parts of articles until they are whole."""

    store: CrawlStore
    site: SiteModel
    parsed: ParsedPages = field(default_factory=ParsedPages)

    def chain(self, first: str) -> list[WaitingPage]:
        """The parts that wait, in reading order from the first on, up to the first that is missing."""
        held = {waiting.page.key: waiting for waiting in self.store.waiting.held(WaitKind.PARTS, of=first)}
        chain: list[WaitingPage] = []
        key = first
        while key in held and len(chain) < LIMITS.parts:
            chain.append(held.pop(key))
            key = url_key(_next_of(chain[-1]))
        return chain

    def missing(
        self, chain: list[WaitingPage], page: ArticlePage, *, depth: int, promise: float = 0.95
    ) -> RequestContext:
        """The page that a chain lacks: its next part, or the first one while that is not there. The page before it is an article, and so is it
        with the probability ``promise``."""
        assert page.part is not None
        url = _next_of(chain[-1]) if chain else page.part.first
        part = PartNote(page.part.of, page.part.first) if chain else None
        return RequestContext(url, Role.ARTICLE, promise, section=page.section, depth=depth, part=part)

    def join(self, chain: list[WaitingPage]) -> Article:
        """The article of its parts; one whose parts did not all come is flagged ``incomplete``."""
        first, *rest = map(self.parsed.of, chain)
        articles = [self.site.extract_page(first, anchor=chain[0].page.anchor)]
        articles += [self.site.extract_page(page, later=True) for page in rest]
        article = join(articles)
        if chain[0].page.part and not is_whole(chain):
            article.provenance.flags.append(Flag.INCOMPLETE)
        return article


def is_whole(chain: list[WaitingPage]) -> bool:
    """Whether no part is wanted any more."""
    return bool(chain) and (len(chain) >= LIMITS.parts or not _next_of(chain[-1]))


def _next_of(waiting: WaitingPage) -> str:
    return waiting.page.part.next if waiting.page.part else ""
