"""What a crawl found but did not write, or could not reach, collected from its events."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from sitecrawl.crawl import events
from sitecrawl.crawl.records import ELSEWHERE, PROMISING, STEP_ERROR, Drop, Role
from sitecrawl.crawl.soft_errors import leads_on
from sitecrawl.limits import LIMITS
from sitecrawl.resources import table_beside
from sitecrawl.urls.scope import host_of, registered_domain

_SERVICES = frozenset(
    table_beside(__file__)["services"].split()
)  # domains that sites link to and do not own
_PROMISED = {
    Role.ARTICLE: "articles",
    Role.SECTION: "listing pages",
    Role.PAGINATION: "listing pages",
}


@dataclass(slots=True)
class Gaps:
    """What a crawl found but did not write, or could not reach."""

    dropped: Counter[Drop] = field(default_factory=Counter)
    families: list[events.FamilyJudged] = field(
        default_factory=list
    )  # verdicts on the page families of the site
    lost: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Pages that could not be fetched: counted by what their link led to expect (``articles``,
    ``listing pages``) and by the reason."""
    scripted: set[str] = field(default_factory=set)  # links that only work with scripts
    files: set[str] = field(default_factory=set)  # documents in lists of articles
    counts: Counter[str] = field(default_factory=Counter)
    """``unkept`` promises: pages that are no articles, although the link model expected one;
    listing pages by ``ListingRead.pager``; the rest by the names of their statistics."""
    lengths: Counter[int] = field(
        default_factory=Counter
    )  # listing pages without further ones, by the articles shown
    listings: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Listing pages that show no articles any more (``emptied``), those with one link at most
    (``bare``), start pages (``starts``), and those that are articles (``article_starts``)."""
    undrawn: set[str] = field(
        default_factory=set
    )  # pages on which the browser failed, read without it
    elsewhere: dict[str, int] = field(
        default_factory=dict
    )  # possible article links to other hosts, by host
    hosts: set[str] = field(default_factory=set)  # those of the pages that were read
    redirected: Counter[str] = field(
        default_factory=Counter
    )  # article links by the known page or host they lead to

    def take(self, event: events.CrawlEvent) -> None:
        match event:
            case events.PageDropped():
                self.dropped[event.why] += 1
            case events.FamilyJudged():
                self.families.append(event)
            case events.PageRead():
                self.hosts.add(host_of(event.url))
                if event.role is Role.START:
                    self.listings["article_starts" if event.kind.is_article else "starts"].append(
                        event.url
                    )
                promised = event.role is Role.ARTICLE and event.promise >= PROMISING
                self.counts["unkept"] += promised and not event.kind.is_article
                is_list = (
                    event.role in (Role.SECTION, Role.PAGINATION) and not event.kind.is_article
                )
                if event.page and is_list and not leads_on(event.page):
                    self.listings["bare"].append(event.url)
            case events.ArticleWritten(item={"url": url}) if (
                url in self.listings["starts"]
            ):  # told by pages like it
                self.listings["article_starts"].append(url)
            case events.RequestFailed() if event.role in _PROMISED and event.why != ELSEWHERE:
                self.lost[_PROMISED[event.role], event.why] += 1
            case events.RequestFailed(role=Role.ARTICLE):
                host = host_of(event.final_url)
                self.redirected[event.final_url if host in self.hosts else host] += 1
            case events.ScriptsUnread() if len(self.scripted) < LIMITS.links:
                self.scripted |= event.calls
            case events.ListingEmptied():
                self.listings["emptied"].append(event.url)
            case events.ListingRead():
                self.counts[event.pager] += 1
                self.lengths[event.shown] += not event.pager
            case events.Counted(name="js/failed"):
                self.undrawn.add(event.url)
            case events.Counted(name="links/files") if len(self.files) < LIMITS.links:
                self.files.add(event.url)
            case events.Counted():
                self.counts[event.name] += 1
            case events.CrawlEnded():
                places = event.elsewhere.items()
                self.elsewhere = {
                    host: links
                    for host, links in places
                    if registered_domain(host) not in _SERVICES
                }

    def reasons(self, what: str, *, erred: bool = False) -> Counter[str]:
        """Why ``articles`` or ``listing pages`` could not be fetched, or with ``erred`` the errors
        with which steps ended on them."""
        lost = ((why, count) for (kind, why), count in self.lost.items() if kind == what)
        return Counter({why: count for why, count in lost if why.startswith(STEP_ERROR) is erred})

    @property
    def erred(self) -> int:
        """Articles on which a step failed."""
        return self.dropped[Drop.FAILED] + self.reasons("articles", erred=True).total()
