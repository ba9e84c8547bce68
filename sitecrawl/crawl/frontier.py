"""The frontier: the listing page to fetch next is the one expected to bring most new articles."""

from __future__ import annotations

import re
from bisect import insort
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import log2
from operator import attrgetter, itemgetter
from typing import NamedTuple

from sitecrawl.crawl.database import short
from sitecrawl.crawl.ledger import Fact, Lesson
from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.crawl.url_stats import list_of
from sitecrawl.limits import LIMITS
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.pattern import url_folder

_LINKS = 15.0  # article links on a listing page before anything is known of the site
_PAGES = 2.0  # weight of a prior for the links on a page, in pages
_SIGHTED = 20.0  # weight of a prior for the share of new links, in links
_LEAST = 0.2  # least promise with which a link counts
_LAST_NUMBER = re.compile(
    r"(?<!\d)\d+(?!\d)(?=\D*$)"
)  # earlier numbers name the listing: /2009/page/2


@dataclass(slots=True)
class Yield:
    """What ``pages`` pages of one level brought: ``links`` to articles, and the ``new`` ones among
    those ``sighted``, with exponential forgetting. Each link is a sighting, as in capture and
    recapture, so a page that shows many known articles says more than an empty one. Each method
    returns a posterior mean; the level ``above`` is the prior."""

    pages: int = 0
    links: int = 0
    new: float = 0.0
    sighted: float = 0.0

    def links_a_page(self, above: float) -> float:
        """Article links on a page."""
        return (_PAGES * above + self.links) / (_PAGES + self.pages)

    def novelty(self, above: float) -> float:
        """Share of article links that are new (mean of a Gamma distribution, may exceed 1)."""
        return (_SIGHTED * above + self.new) / (_SIGHTED + self.sighted)

    def without(self, part: Yield) -> Yield:
        """This level without the pages of ``part``, which may have forgotten less."""
        pages, links = max(0, self.pages - part.pages), max(0, self.links - part.links)
        return Yield(
            pages, links, max(0.0, self.new - part.new), max(0.0, self.sighted - part.sighted)
        )

    def record(self, links: int, new: int, *, memory: float = 0.95) -> None:
        """Add a page with ``links`` article links, ``new`` ones among them. Sightings of
        consecutive pages that brought nothing are not forgotten."""
        self.pages += 1
        self.links += links
        self.new = memory * self.new + new
        self.sighted = (memory if new else 1.0) * self.sighted + links


@dataclass(slots=True)
class Chain:
    """The pages of one listing whose URLs differ in a number only, in the order in which they were
    found."""

    waiting: deque[RequestContext] = field(default_factory=deque)
    seen: Yield = field(default_factory=Yield)
    # whether the chain continues from its far end, which brought articles last
    backwards: bool = False


@dataclass(slots=True)
class FolderYield:
    """The chains of one role and one folder of URLs."""

    seen: Yield = field(default_factory=Yield)
    chains: defaultdict[str, Chain] = field(default_factory=lambda: defaultdict(Chain))
    probes: int = 0  # pages that were taken from the far end of the waiting ones


Priors = dict[tuple[Role, str], tuple[float, float]]
"""Article links on a page and their share of new ones, by role and list or group."""


class Head(NamedTuple):
    """The next ``page`` of a chain: how many new articles it is expected to bring, and minus its
    number in the order in which pages were found, so that of equals the first is the best."""

    value: float
    earlier: int
    chain: Chain
    page: RequestContext


@dataclass(slots=True)
class Frontier:
    """Listing pages, and pages of unknown kind, that could be requested. A page is expected to
    bring as many new articles as it has article links times the share of new ones. Both are
    posteriors with shrinkage over the levels: site, role, group of links that the page was found
    in, folder, list (group on one page), chain of numbered pages. ``rejected`` counts the pages for
    which there was no room."""

    site: Yield = field(default_factory=Yield)
    roles: defaultdict[Role, Yield] = field(default_factory=lambda: defaultdict(Yield))
    groups: defaultdict[str, Yield] = field(default_factory=lambda: defaultdict(Yield))
    """By the tag path of the link: the tags of a cloud bring similar numbers, and so do the entries
    of a menu."""
    lists: defaultdict[str, Yield] = field(default_factory=lambda: defaultdict(Yield))
    """By the page of the link and its group: one menu, one cloud, one list of names."""
    folders: dict[str, FolderYield] = field(default_factory=dict)
    size: int = 0
    rejected: int = 0
    added: int = 0
    hubs: dict[str, Chain] = field(
        default_factory=dict
    )  # chains of pages that showed no article, by page
    keys: dict[str, int] = field(default_factory=dict)
    """The pages that were ever added, by key: their numbers in the order in which they were found,
    which decides between equals."""
    first: set[str] = field(default_factory=set)
    """Keys of the listings that showed an article before all others in earlier runs."""
    # the best last; None once an answer or a new page may have changed the order
    _ranked: list[Head] | None = None

    def take(self, lesson: Lesson) -> None:
        """Add what a page brought."""
        if lesson.fact is Fact.BROUGHT:
            self.record(lesson.context, lesson.shown, new=lesson.new)
            return
        if lesson.fact is Fact.SENT and lesson.context.probes:
            folder = self._folder(lesson.context)
            folder.probes = max(folder.probes, lesson.context.probes)

    def add(self, context: RequestContext) -> bool:
        """Add a page; False if there is no room."""
        if self.size >= LIMITS.candidates:
            self.rejected += 1
            return False
        context = context.again(named=context.named or self.is_first(context.key))
        waiting = self._folder(context).chains[chain_of(context.url)].waiting
        (waiting.appendleft if context.named else waiting.append)(context)
        self.added += 1
        self.keys[context.key] = self.added
        self.size += 1
        self._ranked = None
        return True

    def is_first(self, key: str) -> bool:
        """Whether a page showed an article before all other listings in an earlier run."""
        return short(key) in self.first

    def pop(self, least: float, *, probes: bool = False) -> RequestContext | None:
        """The page expected to bring most; None if no page is expected to bring at least ``least``
        new articles. Pages in the menu of a start page, and listings that were the first to show an
        article, are returned once whatever is expected of them. With ``probes`` abandoned folders
        are first tried at their far ends."""
        ranked = self._rank()
        head = ranked.pop() if ranked and ranked[-1].value >= least else None
        if head is None:
            head = max(
                (one for one in ranked if one.page.named), key=attrgetter("earlier"), default=None
            )
            if head is None:
                return self._probe() if probes else None
            ranked.remove(head)
        chain, folder = head.chain, self._folder(head.page)
        page = chain.waiting.pop() if chain.backwards else chain.waiting.popleft()
        if chain.waiting:
            insort(ranked, self._head(chain, folder.seen, {}), key=itemgetter(0, 1))
        self.size -= 1
        return page.again(probes=folder.probes if chain.backwards else 0)

    def _rank(self) -> list[Head]:
        """The next pages of all chains, the best last. They are ranked again after answers only: a
        crawl may know thousands of chains. Folders that were never opened differ in their role
        only."""
        if self._ranked is None:
            heads, unopened = list[Head](), Priors()
            for folder in self.folders.values():
                known = {} if folder.seen.pages else unopened
                waiting = filter(attrgetter("waiting"), folder.chains.values())
                heads += [self._head(chain, folder.seen, known) for chain in waiting]
            self._ranked = sorted(heads, key=itemgetter(0, 1))
        return self._ranked

    def record(self, context: RequestContext, links: int, *, new: int) -> None:
        """Add the result of a requested page: it showed ``links`` articles and brought ``new``
        ones, perhaps itself."""
        folder, links = self._folder(context), max(links, new)
        chain = folder.chains[chain_of(context.url)]
        # the last pages of a pagination bring nothing, whatever the first ones brought
        chain.seen.record(links, new, memory=0.7)
        if context.probes:
            chain.backwards = new > 0
        if not links:
            self.hubs[context.key] = chain
        elif (hub := self.hubs.get(url_key(context.section or ""), chain)) is not chain:
            hub.seen.record(new, new)
        levels = [folder.seen, self.roles[context.role], self.site]
        if context.group:  # pages that no link named have nothing in common
            levels.append(self.groups[context.group])
        if name := list_of(context):
            levels.append(self.lists[name])
        for level in levels:
            level.record(links, new)
        self._ranked = None

    def _probe(self) -> RequestContext | None:
        """A listing page from the far end of an abandoned folder; None if every folder was probed
        enough. Consecutive pages of a pagination or an archive are not independent samples. Of n
        waiting pages log2(n + 1) from the far end and the middle are tried before the folder is
        abandoned. If one brings articles, its chain continues from its end."""
        found = list[tuple[int, FolderYield, list[Chain]]]()
        for name, folder in self.folders.items():
            chains = [*filter(attrgetter("waiting"), folder.chains.values())]
            count = sum(len(chain.waiting) for chain in chains)
            if (
                chains
                and not name.startswith(Role.MAYBE)
                and folder.probes < log2(count + folder.probes + 1)
            ):
                found.append((min(map(self._found, chains)), folder, chains))
        if not found:
            return None
        _, folder, chains = min(found, key=itemgetter(0))
        waiting = [
            (chain, page) for chain in sorted(chains, key=self._found) for page in chain.waiting
        ]
        # a missing page is no sample of those beside it: groups of links in which no page showed an
        # article come last
        barren = {group for group, seen in self.groups.items() if not seen.links}
        waiting = [each for each in waiting if each[1].group not in barren] or waiting
        chain, page = waiting[-1 if folder.probes % 2 == 0 else len(waiting) // 2]
        if page is chain.waiting[0]:
            self._ranked = None
        chain.waiting.remove(page)
        folder.probes += 1
        self.size -= 1
        return page.again(probes=folder.probes)

    def _found(self, chain: Chain) -> int:
        """The number of a chain's next page."""
        return self.keys[chain.waiting[0].key]

    def was_folder_opened(self, context: RequestContext) -> bool:
        return self._folder(context).seen.pages > 0

    def opened(self) -> int:
        """Listing pages that this run opened."""
        return sum(seen.pages for role, seen in self.roles.items() if role.lists_articles)

    def remaining(self) -> float:
        """New articles expected on all pages that were never requested."""
        return sum(head.value * len(head.chain.waiting) for head in self._rank())

    def waiting(self) -> Iterator[RequestContext]:
        chains = (chain for folder in self.folders.values() for chain in folder.chains.values())
        return (context for chain in chains for context in chain.waiting)

    def _folder(self, context: RequestContext) -> FolderYield:
        return self.folders.setdefault(f"{context.role} {url_folder(context.url)}", FolderYield())

    def _head(self, chain: Chain, folder: Yield, known: Priors) -> Head:
        """The next page of a chain, and what is expected of it. ``known`` collects priors."""
        page = chain.waiting[0]
        opened = list_of(page)
        name = page.role, opened if opened in self.lists else page.group
        links, novelty = known.get(name) or known.setdefault(name, self._prior(page, folder))
        if chain.seen.pages:
            links, novelty = chain.seen.links_a_page(links), chain.seen.novelty(novelty)
        value = links * novelty * max(_LEAST, min(1.0, page.promise + page.listing))
        return Head(value, -self._found(chain), chain, page)

    def _prior(self, page: RequestContext, folder: Yield) -> tuple[float, float]:
        """Article links on a page and their share of new ones, from the pages of its role, group,
        folder and list. Those of its list count once."""
        links, novelty = _LINKS, self.site.novelty(1.0)
        own, group = self.lists.get(list_of(page), Yield()), self.groups.get(page.group, Yield())
        for level in (self.roles[page.role], group.without(own), folder.without(own), own):
            links, novelty = level.links_a_page(links), level.novelty(novelty)
        return links, novelty


def chain_of(url: str) -> str:
    """Identifies the pages of one listing: the URL without its last number.

    >>> chain_of("http://example.com/tag/red/page/3"), chain_of("http://example.com/2009/page/2?order=asc")
    ('example.com/tag/red/page/#', 'example.com/2009/page/#?order=asc')
    """
    return _LAST_NUMBER.sub("#", url_key(url))
