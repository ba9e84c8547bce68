"""Hosts of a site besides those that the user named: where its own pages say that its articles are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.events import ArticlesElsewhere, Emit, HostAdopted
from sitecrawl.crawl.linked_pages import SitePages, origin_of
from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.crawl.sources import page_urls
from sitecrawl.crawl.store import CrawlStore
from sitecrawl.dom.page import Page
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import Link, Profile, classify
from sitecrawl.links.link_model import model_at
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.scope import Scope, bare_host, host_of, registered_domain, registrar_domain

_ENOUGH = 3
"""Article links to one host, or links that two pages share, that are no chance."""
_MANY = 10
"""Links that leave a site from a page without articles, from which the articles may be where they lead."""
_NAME = 4
"""Characters of a registered name from which two domains that share it are taken to have one owner."""

Reader = Callable[[Page, str], list[Link]]
"""Reads the links of a page as if it stood on the host of a URL."""


@dataclass(slots=True)
class CandidateHost:
    """A host that may be the site's own: ``home`` is the URL that the page would have there, ``links`` those of the page that look
    like articles, ``shared`` the keys of its other links to the host."""

    home: str
    links: list[Link]
    shared: frozenset[str]

    def is_owned(self, answer: Page, scope: Scope) -> bool:
        """Whether a page of the host belongs to the owner of the site: it leads back, or has the menu of the site's page."""
        urls = _urls(answer)
        if scope.holds(answer.url) or any(map(scope.holds, urls)):
            return True
        return len(self.shared & {url_key(url) for url in urls}) >= _ENOUGH


@dataclass(slots=True)
class Elsewhere:
    """What the links of a page say: URLs of the page on hosts that are evidently the site's own (``own``), the one that may be
    (``candidate``), and the number of links that look like articles by host, most first, where more leave the site than stay."""

    own: list[str] = field(default_factory=list)
    candidate: CandidateHost | None = None
    hosts: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class LinksOutward:
    """Pages of hosts that are not crawled, to which the listing pages of a crawl lead. URLs that differ in their query only are one:
    a button to share an article is no page. ``named_alike`` are URLs on hosts that bear the site's name below another domain."""

    named_alike: list[str] = field(default_factory=list)
    _paths: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def take(self, page: Page, scope: Scope, *, most_alike: int = 6) -> bool:
        """Take up the links that leave the site; whether any leads to a further host of its name."""
        hrefs = (node.get("href") or "" for node in page.root.iter("a"))
        before = len(self.named_alike)
        for url in dict.fromkeys(href.partition("?")[0] for href in hrefs if href.startswith(("http://", "https://"))):
            if len(url) > LIMITS.cached_chars or scope.holds(url):
                continue
            host = host_of(url)
            known = host in self._paths or len(self._paths) < LIMITS.listings
            if known and len(self._paths[host]) < LIMITS.listings:
                self._paths[host].add(url_key(url))
            if url not in self.named_alike and len(self.named_alike) < most_alike and bears_name(url, page.url):
                self.named_alike.append(url)
        return len(self.named_alike) > before

    def most(self, articles: int, scope: Scope) -> dict[str, int]:
        """The host with most pages and their number, where these are more than the ``articles`` that were found, and no handful."""
        left = ((host, paths) for host, paths in self._paths.items() if host not in scope.hosts)
        host, paths = max(left, key=lambda entry: len(entry[1]), default=("", set[str]()))
        return {host: len(paths)} if len(paths) > max(articles, _MANY) else {}


def bears_name(one: str, other: str) -> bool:
    """Whether the host of ``one`` bears the registered name of ``other`` below somebody else's domain, as the forum and the blog of
    a site do that live with a provider.

    >>> hosts = "gazette.forums.net", "gazette.blogspot.com", "gazette.net", "m.gazette.org"
    >>> [bears_name(f"http://{host}/", "http://www.gazette.org/a") for host in hosts]
    [True, True, False, False]
    """
    name, host = registered_domain(host_of(other)).partition(".")[0], host_of(one)
    provider = registrar_domain(host)
    below = host.partition(":")[0].removesuffix(provider).split(".")
    return len(name) >= _NAME and not name.isdecimal() and name in below and not provider.startswith(f"{name}.")


def look_elsewhere(
    page: Page,
    links: list[Link],
    *,
    read: Reader,
    scope: Scope,
    frequent_share: float = 0.2,
    sister_share: float = 0.1,
    nearly_all: int = 4,
) -> Elsewhere:
    """Where the articles are that a page of the site leads to, if most of them are on other hosts.

    A sister host of the same registered domain, or a domain of the same name, is the site's own where most article links lead to it
    and its like, ``sister_share`` of these at least to itself. A host of another domain may be where ``nearly_all`` article links lead for each
    that stays on the site. Of other hosts the three are looked at to which ``frequent_share`` of the links lead that leave the site.
    """
    own = len({url_key(link.url) for link in links if link.label == "article" and scope.holds(link.url)})
    away = Counter(urlsplit(url).netloc for url in _urls(page) if not scope.holds(url))
    least = max(_ENOUGH, frequent_share * away.total())
    found = []
    for place in (place for place, count in away.most_common(3) if count >= least):
        home = at_host(page.url, place)
        there = [link for link in read(page, home) if urlsplit(link.url).netloc == place]
        articles = {url_key(link.url): link for link in there if link.label == "article"}
        others = frozenset(url_key(link.url) for link in there) - articles.keys()
        found.append(CandidateHost(home, list(articles.values()), others))
    related = Counter({urlsplit(one.home).netloc: len(one.links) for one in found if _shares_name(one.home, page.url)})
    domain = registered_domain(host_of(page.url))
    leaving = (link.url for link in links if link.label == "article" and not scope.holds(link.url))
    sisters = [(urlsplit(url).netloc, url_key(url)) for url in leaving if registered_domain(host_of(url)) == domain]
    counts = related | Counter(place for place, _ in dict.fromkeys(sisters))
    total = counts.total()
    if total >= _ENOUGH and total > own:
        return Elsewhere(
            [at_host(page.url, place) for place, count in counts.most_common() if count >= sister_share * total]
        )
    found.sort(key=lambda one: -len(one.links))
    many = [one for one in found if len(one.links) >= _ENOUGH and len(one.links) > own]
    hosts = {host_of(one.home): len(one.links) for one in many}
    if not own and not hosts and away.total() >= _MANY:
        hosts = {bare_host(place): count for place, count in away.most_common(1)}
    if many and 2 * away[urlsplit(many[0].home).netloc] >= away.total() and len(many[0].links) >= nearly_all * own:
        return Elsewhere([], many[0], hosts)
    return Elsewhere(hosts=hosts)


def at_host(url: str, place: str) -> str:
    """``url`` on another host.

    >>> at_host("http://example.com/news/?a=b", "news.example.com:81")
    'http://news.example.com:81/news/?a=b'
    """
    return urlunsplit(urlsplit(url)._replace(netloc=place))


def _shares_name(one: str, other: str) -> bool:
    """Whether two URLs are of domains that differ in their suffix only.

    >>> _shares_name("http://www.gazette.org/", "http://gazette.co.uk/"), _shares_name("http://a.org/", "http://b.org/")
    (True, False)
    """
    names = [registered_domain(host_of(url)).partition(".") for url in (one, other)]
    return names[0][0] == names[1][0] and names[0][2] != names[1][2] and len(names[0][0]) >= _NAME


def _urls(page: Page) -> list[str]:
    return page_urls((node.get("href") or "" for node in page.root.iter("a", "area")), page)


class WaitingLinks(NamedTuple):
    page: Page
    context: RequestContext
    kind: PageKind


@dataclass(slots=True)
class SiteHosts:
    """Finds the hosts of a site, and reads links as pages of their host show them."""

    arguments: CrawlArguments
    link_model: str
    """Path of the link model; empty: the one that ships."""
    store: CrawlStore
    evidence: Profile
    pages: SitePages
    emit: Emit
    own: list[str] = field(default_factory=list)
    """URLs of the site on hosts of its own that the user did not name."""
    outward: LinksOutward = field(default_factory=LinksOutward)
    _candidates: dict[str, CandidateHost] = field(default_factory=dict)
    """Hosts that may be the site's own, by the keys of their pages that were requested."""
    _waiting: list[WaitingLinks] = field(default_factory=list)
    """Pages whose links are taken up once a host is known for the site's own."""
    released: list[WaitingLinks] = field(default_factory=list)
    """Those whose host was adopted."""

    def recall(self) -> None:
        facts = self.store.site_facts()
        for home in facts.own_urls:
            self.adopt(home)
        self.outward.named_alike = list(facts.candidate_urls)

    def links(self, page: Page, home: str = "") -> list[Link]:
        """The links of a page, those to each host of the site as a page of that host would show them; with ``home`` as if the page stood there."""
        model = model_at(self.link_model)
        links = classify(page, model, profile=self.evidence, home=home)
        for other in self.own if not home else ():
            if any(link.url.startswith(origin_of(other)) for link in links):
                there = classify(page, model, profile=self.evidence, home=other)
                links = [
                    two if two.url.startswith(origin_of(other)) else one for one, two in zip(links, there, strict=True)
                ]
        return links

    def count_articles(self, page: Page) -> int:
        """Number of the pages of the site that a page's article links lead to."""
        holds = self.pages.scope.holds
        return len({url_key(link.url) for link in self.links(page) if link.label == "article" and holds(link.url)})

    def adopt(self, home: str) -> None:
        """A host is the site's own: its articles are taken from there. Kept for the runs that go on."""
        if home not in self.own:
            self.own.append(home)
            self.pages.adopt(home)
            self.store.change_facts(own_urls=self.own)
            self.emit(HostAdopted(home))

    def look_elsewhere(
        self, page: Page, links: list[Link], *, context: RequestContext, kind: PageKind, most_waiting: int = 4
    ) -> tuple[list[Link], list[RequestContext]]:
        """The links of a page, with hosts taken for the site's own where most of its articles are there; and pages to request that show whether
        another host is. ``most_waiting`` pages are kept until that is known."""
        found = look_elsewhere(page, links, read=self.links, scope=self.pages.scope)
        if found.hosts:
            self.emit(ArticlesElsewhere(found.hosts))
        for home in found.own:
            self.adopt(home)
        candidate = found.candidate
        if candidate is None or len(self._waiting) >= most_waiting:
            return (self.links(page) if found.own else links), []
        self._waiting.append(WaitingLinks(page, context, kind))
        if self._candidates:
            return links, []
        surest = sorted(candidate.links, key=lambda link: -link.score)[:2]
        common = RequestContext("", Role.ARTICLE, section=page.url, depth=context.depth + 1)
        asked = [
            common.again(
                url=link.url, promise=link.scores["article"], group=link.group, guess=link.guess, anchor=link.text
            )
            for link in surest
        ]
        self._candidates.update((one.key, candidate) for one in asked)
        return links, asked

    def accepts(self, page: Page, context: RequestContext) -> bool:
        """Whether a fetched page is of the site; one that was requested to try out its host may show that it is."""
        candidate = self._candidates.pop(context.key, None)
        if self.pages.scope.holds(context.url):
            return True
        if candidate is not None and candidate.is_owned(page, self.pages.scope):
            self.adopt(candidate.home)
            self.emit(ArticlesElsewhere({}))
            self.released, self._waiting = self._waiting, []
            return True
        if candidate is None and context.role is not Role.SECTION:
            return True
        if candidate is not None:
            return False
        # a host that bears the site's name and has listing pages or articles is the site's own
        links = (link for link in self.links(page) if host_of(link.url) == host_of(page.url))
        found = {url_key(link.url) for link in links if link.label != "other"}
        if len(found) >= _ENOUGH and any(bears_name(page.url, start) for start in self.arguments.start):
            self.adopt(page.url)
        return self.pages.scope.holds(page.url)

    def take_outward(self, page: Page) -> None:
        """Take down where a listing page leaves the site; hosts that bear its name are kept for the runs that go on."""
        if self.outward.take(page, self.pages.scope):
            self.store.change_facts(candidate_urls=self.outward.named_alike)

    def named_alike(self) -> Iterator[RequestContext]:
        """Pages of hosts that bear the site's name and are not known for its own."""
        for url in self.outward.named_alike if self.arguments.scope == "site" else ():
            if not self.pages.scope.holds(url):
                yield RequestContext(url, Role.SECTION, section=self.arguments.start[0], depth=1)
