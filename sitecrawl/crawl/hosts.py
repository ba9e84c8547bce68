"""Hosts of a site besides those that the user named: hosts on which the site's own pages say that
its articles are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.events import Counted, Emit
from sitecrawl.crawl.linked_pages import SitePages, at_host, origin_of
from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.crawl.sources import page_urls
from sitecrawl.crawl.store import CrawlStore
from sitecrawl.dom.page import Page
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import Link, Profile, classify
from sitecrawl.links.link_model import model_at
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.scope import host_of, registered_domain, registrar_domain

# number of article links to one host, or of links that two pages share, that is more than chance
_ENOUGH = 3
# number of pages on another host, linked by a site with articles, that suggests that it has more
# there
_MANY = 10
# characters of a registered name from which two domains that share it belong to the same owner
_NAME = 4
_MOST_WAITING = 4  # pages that wait for the judgement of a host
_MOST_ALIKE = 6  # URLs on hosts with the site's name


class CandidateHost(NamedTuple):
    """A host that may belong to the site: ``home`` is the URL that the page would have there,
    ``links`` are those of the page's links to the host that look like articles, ``shared`` the keys
    of the others."""

    home: str
    links: list[Link]
    shared: frozenset[str]


class WaitingLinks(NamedTuple):
    """A page whose links wait until the host is judged to which they lead."""

    page: Page
    context: RequestContext
    kind: PageKind


def bears_name(one: str, other: str) -> bool:
    """Whether the host of ``one`` contains the registered name of ``other`` below another domain,
    as a site's forum or blog at a provider does.

    >>> hosts = "gazette.forums.net", "gazette.blogspot.com", "gazette.net", "m.gazette.org"
    >>> [bears_name(f"http://{host}/", "http://www.gazette.org/a") for host in hosts]
    [True, True, False, False]
    """
    name, host = registered_domain(host_of(other)).partition(".")[0], host_of(one)
    provider = registrar_domain(host)
    below = host.partition(":")[0].removesuffix(provider).split(".")
    return (
        len(name) >= _NAME
        and not name.isdecimal()
        and name in below
        and not provider.startswith(f"{name}.")
    )


def _urls(page: Page) -> list[str]:
    return page_urls((node.get("href") or "" for node in page.root.iter("a", "area")), page)


@dataclass(slots=True)
class SiteHosts:
    """Finds the hosts of a site, and classifies links as if their page stood on the link's host."""

    arguments: CrawlArguments
    link_model: str  # path of the link model; empty: the one that ships
    store: CrawlStore
    evidence: Profile
    pages: SitePages
    emit: Emit
    own: list[str] = field(
        default_factory=list
    )  # URLs of the site on its own hosts that the user did not name
    _named_alike: list[str] = field(
        default_factory=list
    )  # URLs on hosts with the site's name below another domain
    _outward: defaultdict[str, set[str]] = field(
        default_factory=lambda: defaultdict(set)
    )  # linked pages by other host
    _candidates: dict[str, CandidateHost] = field(
        default_factory=dict
    )  # candidate hosts by keys of requested pages
    _waiting: list[WaitingLinks] = field(
        default_factory=list
    )  # pages whose links wait for a host to be recognised
    released: list[WaitingLinks] = field(
        default_factory=list
    )  # waiting pages whose candidate host was recognised

    def recall(self) -> None:
        facts = self.store.site_facts()
        for home in facts.own_urls:
            self.adopt(home)
        self._named_alike = list(facts.candidate_urls)

    def links(self, page: Page, home: str = "") -> list[Link]:
        """The links of a page, those to each host of the site classified as if the page stood
        there; with ``home`` as if the page had that URL."""
        model = model_at(self.link_model)
        links = classify(page, model, profile=self.evidence, home=home)
        for other in self.own if not home else ():
            origin = origin_of(other)
            leads_there = [link.url.startswith(origin) for link in links]
            if any(leads_there):
                there = classify(page, model, profile=self.evidence, home=other)
                links = [there[at] if leads else links[at] for at, leads in enumerate(leads_there)]
        return links

    def article_keys(self, page: Page) -> set[str]:
        """Keys of the pages of the site that a page's article links lead to."""
        holds, clean = self.pages.holds, self.pages.parameters.clean
        return {
            url_key(clean(link.url))
            for link in self.links(page)
            if link.label == "article" and holds(link.url)
        }

    def adopt(self, home: str) -> None:
        """Add a host to the site. It is stored, so that continued runs know it."""
        if home not in self.own:
            self.own.append(home)
            self.pages.adopt(host_of(home))
            self.store.change_facts(own_urls=self.own)
            self.emit(Counted(home, "hosts/own"))

    def take_move(self, url: str, context: RequestContext) -> None:
        """Add the host to which the request for an article was redirected, if the article has the
        same path there: the site has moved."""
        path = url_key(url).partition("/")[2]
        is_same = path != "" and context.key.endswith(f"/{path}")
        if context.role is Role.ARTICLE and is_same and not self.pages.holds(url):
            self.adopt(urljoin(url, urlsplit(context.section or "/").path))

    def look_elsewhere(
        self,
        page: Page,
        links: list[Link],
        *,
        context: RequestContext,
        kind: PageKind,
    ) -> tuple[list[Link], list[RequestContext]]:
        """The links of a page, including those to hosts that are recognised here; and pages to
        request that show whether another host belongs to the site.

        A host of the same registered domain is recognised if most article links lead to it and
        similar hosts, and at least a tenth of them to itself. A host of another domain is tried if
        half of the outward links lead to it, and four article links for each one that stays on the
        site."""
        holds = self.pages.holds
        away = Counter(urlsplit(url).netloc for url in _urls(page) if not holds(url))
        if not away:
            return links, []
        articles = [link.url for link in links if link.label == "article"]
        staying = len({url_key(url) for url in articles if holds(url)})
        sisters = self._sisters(page, [url for url in articles if not holds(url)])
        if sisters.total() >= _ENOUGH and sisters.total() > staying:
            self._adopt_sisters(page, sisters)
            return self.links(page), []
        place, count = away.most_common(1)[0]
        if 2 * count < away.total() or len(self._waiting) >= _MOST_WAITING:
            return links, []
        candidate = self._candidate(page, place)
        if len(candidate.links) < max(_ENOUGH, 4 * staying):
            return links, []
        return links, self._try_out(candidate, WaitingLinks(page, context, kind))

    def _sisters(self, page: Page, leaving: list[str]) -> Counter[str]:
        """The hosts of the page's registered domain, with the number of ``leaving`` article links
        to each; a page counts once."""
        domain = registered_domain(host_of(page.url))
        own = [url for url in leaving if registered_domain(host_of(url)) == domain]
        return Counter({url_key(url): urlsplit(url).netloc for url in own}.values())

    def _adopt_sisters(self, page: Page, sisters: Counter[str]) -> None:
        """Add the hosts of the same owner that have at least a tenth of the article links."""
        for place, count in sisters.most_common():
            if count >= 0.1 * sisters.total():
                self.adopt(at_host(page.url, place))

    def _candidate(self, page: Page, place: str) -> CandidateHost:
        home = at_host(page.url, place)
        there = [link for link in self.links(page, home) if urlsplit(link.url).netloc == place]
        articles = {url_key(link.url): link for link in there if link.label == "article"}
        shared = {url_key(link.url) for link in there} - articles.keys()
        return CandidateHost(home, list(articles.values()), frozenset(shared))

    def _try_out(self, candidate: CandidateHost, waiting: WaitingLinks) -> list[RequestContext]:
        """Keep a page until its candidate host is judged; returns the requests that show it, for
        the first such host."""
        self._waiting.append(waiting)
        if self._candidates:
            return []
        surest = sorted(candidate.links, key=lambda link: -link.score)[:2]
        asked = [
            RequestContext(
                it.url,
                Role.ARTICLE,
                it.scores["article"],
                group=it.group,
                guess=it.guess,
                anchor=it.text,
                section=waiting.page.url,
                depth=waiting.context.depth + 1,
            )
            for it in surest
        ]
        self._candidates.update((one.key, candidate) for one in asked)
        return asked

    def accepts(self, page: Page, context: RequestContext) -> bool:
        """Whether a fetched page belongs to the site. A page on another host was requested to test
        this host, and may prove it: it leads back, it has the menu of the site's page, or it shows
        articles or listing pages and bears the name of the site."""
        candidate = self._candidates.pop(context.key, None)
        if self.pages.holds(context.url):
            return True
        shared = candidate.shared if candidate else frozenset[str]()
        urls = _urls(page)
        leads_back = any(map(self.pages.holds, [page.url, *urls]))
        has_menu = len(shared.intersection(map(url_key, urls))) >= _ENOUGH
        if not (leads_back or has_menu or self._bears_our_name(page)):
            return False
        self.adopt(candidate.home if candidate else page.url)
        self.released, self._waiting = self._waiting, []
        return True

    def _bears_our_name(self, page: Page) -> bool:
        """Whether a page bears the name of the site, and shows articles or listing pages."""
        if not any(bears_name(page.url, start) for start in self.arguments.start):
            return False
        own = [link for link in self.links(page) if host_of(link.url) == host_of(page.url)]
        return len({url_key(link.url) for link in own if link.label != "other"}) >= _ENOUGH

    def take_outward(self, page: Page) -> None:
        """Record the links of a listing page to other hosts; hosts that contain the site's name are
        stored. URLs that differ in their query only count once: a button to share an article is not
        a page."""
        hrefs = (node.get("href") or "" for node in page.root.iter("a"))
        known, before = self._named_alike, len(self._named_alike)
        for url in dict.fromkeys(
            href.partition("?")[0] for href in hrefs if href.startswith(("http://", "https://"))
        ):
            if len(url) > LIMITS.cached_chars or self.pages.holds(url):
                continue
            host = host_of(url)
            has_room = host in self._outward or len(self._outward) < LIMITS.listings
            if has_room and len(self._outward[host]) < LIMITS.listings:
                self._outward[host].add(url_key(url))
            if url not in known and len(known) < _MOST_ALIKE and bears_name(url, page.url):
                known.append(url)
        if len(known) > before:
            self.store.change_facts(candidate_urls=known)

    def most_outward(self, articles: int) -> dict[str, int]:
        """The other hosts with many linked pages, more than the ``articles`` that were found, and
        their numbers, the largest first."""
        least = max(articles, _MANY) if articles else _ENOUGH
        away = Counter({host: len(paths) for host, paths in self._outward.items()})
        own = self.pages.sections
        return {host: n for host, n in away.most_common() if n > least and host not in own}

    def named_alike(self) -> Iterator[RequestContext]:
        """Pages of hosts that contain the site's name and are not part of the site yet."""
        is_site = any(map(self.pages.is_whole, self.arguments.start))
        for url in self._named_alike:
            if is_site and not self.pages.holds(url):
                yield RequestContext(url, Role.SECTION, section=self.arguments.start[0], depth=1)
