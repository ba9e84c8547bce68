"""Where the articles of a site are: hosts besides those that the user named, to which its own pages lead."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

from sitecrawl.dom.page import Page
from sitecrawl.dom.render import absolute
from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import Link
from sitecrawl.urls.canonical import is_page, url_key
from sitecrawl.urls.scope import Scope, bare_host, host_of, registered_domain, registrar_domain

_ENOUGH = 3
"""Article links to one host, and links that two pages share, that are no chance."""
_HOSTS, _MOST = 3, 0.2
"""Other hosts of a page that are looked at, and the share of the links that leave it from which one is."""
_NEARLY_ALL = 4
"""Article links to a host of another domain for each that stays on the site, from which the site's articles are taken to be there."""
_PART = 0.1
"""Share of the article links that leave the site to its sister hosts, from which one of these belongs to it."""
_MANY = 10
"""Links that leave a site from a page without articles, from which the articles may be where they lead."""
_PROBES = 2
"""Pages of a host that are asked for until one answers."""
_NAME = 4
"""Characters of a registered name from which two domains that share it are taken to have one owner."""
_NAMESAKES = 6
"""URLs on hosts that bear the site's name below another domain, of which one may show that the host is the site's own."""

Reader = Callable[[Page, str], list[Link]]
"""Reads the links of a page as if it stood on the host of a URL."""


@dataclass(slots=True)
class Suspect:
    """A host that may be the site's own: ``home`` is the URL that the page would have there, ``links`` those of the page that look
    like articles, ``shared`` the keys of its other links to the host."""

    home: str
    page: Page
    links: list[Link]
    shared: frozenset[str]

    def is_owned(self, answer: Page, scope: Scope) -> bool:
        """Whether a page of the host belongs to the owner of the site: it leads back, or has the menu of the site's page."""
        urls = set(_urls(answer))
        if scope.holds(answer.url) or any(map(scope.holds, urls)):
            return True
        return len(self.shared & {url_key(url) for url in urls}) >= _ENOUGH


@dataclass(slots=True)
class Elsewhere:
    """What the links of a page say: URLs of the page on hosts that are evidently the site's own (``homes``), the one that may be
    (``suspect``), and the number of links that look like articles by host, most first, where more leave the site than stay."""

    homes: list[str] = field(default_factory=list)
    suspect: Suspect | None = None
    hosts: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Outward:
    """Pages of hosts that are not crawled, to which the listing pages of a crawl lead. URLs that differ in their query only are one:
    a button to share an article is no page."""

    namesakes: list[str] = field(default_factory=list)
    """URLs on hosts that bear the site's name below another domain."""
    _paths: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def look_at(self, page: Page, scope: Scope) -> None:
        """Take up the links that leave the site."""
        hrefs = (node.get("href") or "" for node in page.root.iter("a"))
        for url in dict.fromkeys(href.partition("?")[0] for href in hrefs if href.startswith(("http://", "https://"))):
            if len(url) <= LIMITS.cached_chars and not scope.holds(url):
                self._take(host_of(url), url)
                if url not in self.namesakes and len(self.namesakes) < _NAMESAKES and is_namesake(url, page.url):
                    self.namesakes.append(url)

    def _take(self, host: str, url: str) -> None:
        known = host in self._paths or len(self._paths) < LIMITS.listings
        if known and len(self._paths[host]) < LIMITS.listings:
            self._paths[host].add(url_key(url))

    def most(self, articles: int, scope: Scope) -> dict[str, int]:
        """The host with most pages and their number, where these are more than the ``articles`` that were found, and no handful."""
        left = ((host, paths) for host, paths in self._paths.items() if host not in scope.hosts)
        host, paths = max(left, key=lambda entry: len(entry[1]), default=("", set[str]()))
        return {host: len(paths)} if len(paths) > max(articles, _MANY) else {}


def is_namesake(one: str, other: str) -> bool:
    """Whether the host of ``one`` bears the registered name of ``other`` below somebody else's domain, as the forum and the blog of
    a site do that live with a provider.

    >>> hosts = "gazette.forums.net", "gazette.blogspot.com", "gazette.net", "m.gazette.org"
    >>> [is_namesake(f"http://{host}/", "http://www.gazette.org/a") for host in hosts]
    [True, True, False, False]
    """
    name, host = registered_domain(host_of(other)).partition(".")[0], host_of(one)
    provider = registrar_domain(host)
    below = host.partition(":")[0].removesuffix(provider).split(".")
    return len(name) >= _NAME and not name.isdecimal() and name in below and not provider.startswith(f"{name}.")


def look_elsewhere(page: Page, links: list[Link], read: Reader, scope: Scope) -> Elsewhere:
    """Where the articles are that a page of the site leads to, if most of them are on other hosts.

    A sister host of the same registered domain, or a domain of the same name, is the site's own where most article links lead to it
    and its like; a host of another domain may be where nearly all of them do.
    """
    own = len({url_key(link.url) for link in links if link.label == "article" and scope.holds(link.url)})
    away = Counter(urlsplit(url).netloc for url in set(_urls(page)) if not scope.holds(url))
    frequent = [place for place, count in away.most_common(_HOSTS) if count >= max(_ENOUGH, _MOST * sum(away.values()))]
    found = [_suspect(page, place, read) for place in frequent]
    sisters = _sisters(page, links, scope)
    counts = Counter({place: len(urls) for place, urls in sisters.items()})
    related = {urlsplit(one.home).netloc: len(one.links) for one in found if _shares_name(one.home, page.url)}
    total = sum((counts | Counter(related)).values())
    if total >= _ENOUGH and total > own:
        places = [place for place, count in (counts | Counter(related)).most_common() if count >= _PART * total]
        return Elsewhere([at_host(page.url, place) for place in places])
    found.sort(key=lambda one: -len(one.links))
    many = [one for one in found if len(one.links) >= _ENOUGH and len(one.links) > own]
    hosts = {host_of(one.home): len(one.links) for one in many}
    if not own and not hosts and sum(away.values()) >= _MANY:
        hosts = {bare_host(place): count for place, count in away.most_common(1)}
    if (
        many
        and 2 * away[urlsplit(many[0].home).netloc] >= sum(away.values())
        and len(many[0].links) >= _NEARLY_ALL * own
    ):
        return Elsewhere([], many[0], hosts)
    return Elsewhere(hosts=hosts)


def at_host(url: str, place: str) -> str:
    """``url`` on another host.

    >>> at_host("http://example.com/news/?a=b", "news.example.com:81")
    'http://news.example.com:81/news/?a=b'
    """
    return urlunsplit(urlsplit(url)._replace(netloc=place))


def probes(suspect: Suspect) -> list[Link]:
    """The links by which a host is tried out, the surest first."""
    return sorted(suspect.links, key=lambda link: -link.score)[:_PROBES]


def _suspect(page: Page, place: str, read: Reader) -> Suspect:
    home = at_host(page.url, place)
    there = [link for link in read(page, home) if urlsplit(link.url).netloc == place]
    articles = {url_key(link.url): link for link in there if link.label == "article"}
    others = frozenset(url_key(link.url) for link in there) - articles.keys()
    return Suspect(home, page, list(articles.values()), others)


def _sisters(page: Page, links: Iterable[Link], scope: Scope) -> dict[str, set[str]]:
    """Article links to other hosts of the registered domain of a page, by place."""
    domain, found = registered_domain(host_of(page.url)), dict[str, set[str]]()
    for link in links:
        if link.label == "article" and not scope.holds(link.url) and registered_domain(host_of(link.url)) == domain:
            found.setdefault(urlsplit(link.url).netloc, set()).add(url_key(link.url))
    return found


def _shares_name(one: str, other: str) -> bool:
    """Whether two URLs are of domains that differ in their suffix only.

    >>> _shares_name("http://www.gazette.org/", "http://gazette.co.uk/"), _shares_name("http://a.org/", "http://b.org/")
    (True, False)
    """
    names = [registered_domain(host_of(url)).partition(".") for url in (one, other)]
    return names[0][0] == names[1][0] and names[0][2] != names[1][2] and len(names[0][0]) >= _NAME


def _urls(page: Page) -> Iterable[str]:
    urls = (absolute(node.get("href") or "", page.base_url) for node in page.root.iter("a", "area"))
    return (url for url in urls if url and is_page(url))
