"""How a crawl ended: what it wrote, what it left, and why it wrote nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

_MANY = 0.1
"""Share of the articles from which pages that are none although links promised them are told."""


@dataclass(frozen=True, slots=True)
class Completeness:
    """How much of what listing pages lead to was found, estimated.

    ``found`` counts the articles known, ``expected`` the new ones that the listing pages never opened are expected to
    bring, ``left`` these pages. ``unseen`` is the lower bound of Chao (1984, Scandinavian Journal of Statistics 11,
    page 267) on articles that no opened listing showed, from the numbers of those shown by one and by two listings;
    listings of one site overlap more than random samples do, so it says too little rather than too much.
    """

    found: int = 0
    expected: float = 0.0
    left: int = 0
    others: int = 0
    """Pages never opened whose links promised neither articles nor listings."""
    unseen: float = 0.0
    shown: int = 0
    """Articles that listing pages showed in this run, known ones included."""

    @property
    def share(self) -> float:
        """The estimate, 0..1."""
        return self.found / (self.found + self.expected) if self.found else 1.0


def chao(once: int, twice: int) -> float:
    """Chao's estimate, corrected for bias, of the kinds that no sample showed, from those shown once and twice.

    >>> chao(10, 4), chao(0, 9)
    (9.0, 0.0)
    """
    return once * (once - 1) / (2 * (twice + 1))


@dataclass(slots=True)
class Outcome:
    """Counts of a run and the problems that a user must hear of, a line each."""

    articles: int = 0
    before: int = 0
    """Of the articles, those that left before the run was interrupted."""
    unwritten: bool = False
    """Whether a feed could not be written."""
    broken: str = ""
    """Why the crawl's state could not be read or written, which ended it; empty when it could."""
    pages: int = 0
    reason: str = ""
    problems: list[str] = field(default_factory=list)
    lost_starts: int = 0
    """Start pages that could not be fetched or read."""
    dropped: Counter[str] = field(default_factory=Counter)
    completeness: Completeness = field(default_factory=Completeness)
    logins: set[str] = field(default_factory=set)
    """Keys of the pages that asked for a login."""
    walled: int = 0
    """Pages asked for that led to one of these."""
    barred: bool = False
    elsewhere: dict[str, int] = field(default_factory=dict)
    """Links that may be articles and lead to hosts that are not crawled, where most do, by host, most first."""
    lost: dict[str, Counter[str]] = field(
        default_factory=lambda: {name: Counter() for name in ("articles", "listing pages")}
    )
    """Pages of promise that could not be fetched, by what they promised to be and by the reason."""
    scripted: set[str] = field(default_factory=set)
    """Links that are scripts and lead nowhere without them."""
    turned: int = 0
    """Listing pages whose further pages only a script shows."""
    broken_promises: int = 0
    """Pages that links promised as articles and that look like none."""

    @property
    def failed(self) -> bool:
        """Whether nothing could be crawled."""
        return self.pages == 0 or self.barred

    @property
    def code(self) -> int:
        """Exit code of the command."""
        return int(self.failed or self.unwritten or bool(self.broken))

    def bar(self, starts: int) -> None:
        """Where nothing was written: tell when half of what was asked for, ``starts`` pages aside, wanted a login."""
        self.barred = bool(self.walled) and 2 * self.walled >= self.pages - starts
        if self.barred:
            self.problems.append("the site asks for a login; nothing was written")

    def lines(self) -> list[str]:
        """What to tell the user, a line each."""
        if self.broken:
            return [self.broken]
        said = list(self.problems)
        if self.failed and not said:
            said.append("no page could be fetched")
        if not self.failed:
            said.append(self._summary())
        if self.unwritten:
            said.append("a feed could not be written; fix the cause, then rerun the command")
        return said

    def _summary(self) -> str:
        earlier = f" ({self.before} of them before the interruption)" if self.before else ""
        counts = f"{self.articles} articles{earlier} from {self.pages} pages ({self.reason})"
        return "; ".join([counts, *self._gaps(), *self._unopened()])

    def _gaps(self) -> Iterator[str]:
        """What was met and did not leave, or could not be reached."""
        doubted = sum(self.dropped[why] for why in ("undated", "unlike-others", "lists-articles", "no-template"))
        if doubted:
            yield f"{doubted} pages unlike the articles of the site were left out"
        if self.dropped["repeat"]:
            yield f"{self.dropped['repeat']} pages that repeat the text of others were left out"
        if self.broken_promises > _MANY * self.articles:
            yield f"{self.broken_promises} pages that links promised as articles are none (sitecrawl why URL explains one)"
        for what, reasons in self.lost.items():
            if reasons:
                why, most = reasons.most_common(1)[0]
                yield f"{reasons.total()} {what} could not be fetched ({'mostly: ' * (most < reasons.total())}{why})"
        if self.turned:
            yield f"{self.turned} listing pages have further pages that only a script shows"
        if len(self.scripted) > self.articles:
            yield f"{len(self.scripted)} links that are scripts could not be followed"
        host, links = next(iter(self.elsewhere.items()), ("", 0))
        if links > self.articles:
            yield f"{links} links that may be articles lead to {host}: if it belongs to the site, add http://{host}/ to start="

    def _unopened(self) -> Iterator[str]:
        """The pages that were left alone."""
        known = self.completeness
        if known.left:
            share = f"about {100 * known.share:.0f} % of the articles that listing pages lead to"
            remedy = "-a effort=full opens them" if self.reason == "finished" else "the next run goes on with them"
            yield f"{share}: {known.left} listing pages were not opened ({remedy})"
        elif known.others > self.articles:
            yield f"{known.others} pages that promised no articles were not opened (-a effort=full opens them)"
