"""URL statistics: the one place that counts what the pages of each URL pattern of a site were."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from sitecrawl.crawl.discovery import HINTED
from sitecrawl.crawl.ledger import Fact, Lesson
from sitecrawl.crawl.records import Reading, RequestContext
from sitecrawl.crawl.soft_errors import KnownTexts
from sitecrawl.crawl.store import CrawlStore
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS, forget_oldest
from sitecrawl.links.classify import NO_GUESS, Profile
from sitecrawl.urls.pattern import url_folder, url_pattern

ENOUGH = 8  # pages of a URL pattern from which its kind is known without classifying a link
_DEAD = 16  # missing pages of a group from which its other links are taken for dead
_DEAD_OF_LIST = 4  # the same for one list of them
_RETURNS = 40
"""Pages of a group that redirect to what is known from which its other links are taken for a maze:
a listing shows twenty or thirty articles, and its links may be counted on their way."""
_RETURNS_EACH = 6  # the same for each article that the group led to
_TEXTS = 3  # pages of a pattern with texts of their own that are no chance
_KNOWN = 40  # pages with known texts from which a site may be endless
_SAME = 6  # pages of a pattern with one text from which it is the answer to all
_PRIOR = 4.0  # weight of a promise, in pages
_LOOKALIKE = 0.2  # weight of a page that looks like an article
MIXED = 0.05  # largest share of other pages in a pattern whose kind counts as known


@dataclass(slots=True)
class PatternCounts:
    """Numbers of pages of one pattern, folder, link group or list."""

    articles: int = 0
    others: int = 0  # of link groups and lists: all pages that exist
    lookalikes: int = 0  # others that look like articles
    repeated: int = 0  # pages with a text that other pages have
    own: int = 0  # pages with a text of their own
    texts: int = 0  # articles with a new text
    dead: int = 0  # requests without a page
    again: int = 0  # those of them that failed in earlier runs, too
    # repeated texts and missing pages that may be refusals, so that the page may come in a later
    # run
    refused: int = 0
    returns: int = 0  # of link groups: pages that redirected to what was known
    led: int = 0  # of link groups: pages that were articles

    @property
    def met(self) -> int:
        return self.articles + self.others

    def missing(self, *, again: bool, faults: bool) -> int:
        """Requests without a page; without those that failed in earlier runs too unless ``again``,
        and without those that may come in a later run unless ``faults``."""
        count = self.dead
        if not again:
            count -= self.again
        if not faults:
            count -= min(self.refused, self.dead)
        return count

    @property
    def are_articles(self) -> bool:
        """Whether nearly all of enough pages were articles."""
        return self.articles >= ENOUGH and self.others <= MIXED * self.articles


@dataclass(slots=True)
class UrlStats:
    """Counts by pattern, folder, group of links and list of links; ``evidence`` corrects the link
    model for this site. The share of articles in a pattern is a posterior with shrinkage (means of
    Beta distributions): the page's promise, then its folder, then its pattern."""

    evidence: Profile
    patterns: dict[str, PatternCounts] = field(default_factory=dict)
    folders: dict[str, PatternCounts] = field(default_factory=dict)
    groups: dict[str, PatternCounts] = field(default_factory=dict)
    lists: dict[str, PatternCounts] = field(default_factory=dict)  # by :func:`list_of`
    # pages that redirected to their URL with a slash at its end, less those that did not redirect
    slashed: int = 0
    gone: int = 0  # pages that exist neither with that slash nor without it
    known: int = 0  # pages of this run with the text of an article at another URL
    fresh: int = 0  # pages of this run with the text of a new article
    said: KnownTexts = field(default_factory=KnownTexts)  # by articles of this run
    names: set[str] = field(default_factory=set)  # of the pages that this run requested
    logins: set[str] = field(
        default_factory=set
    )  # login pages, without the query, that articles led to

    def take(self, lesson: Lesson) -> None:
        """Count what a page was, or that there is none."""
        context, reading = lesson.context, lesson.reading
        if lesson.fact is Fact.TAUGHT and reading.kind is not None:
            is_lookalike = reading.lookalike
            self.record(context, reading.url, kind=reading.kind, lookalike=is_lookalike)
        elif lesson.fact is Fact.GONE:
            again, refused = lesson.is_again, lesson.may_pass
            self.count_of_group(context, is_there=False, again=again, refused=refused)
        elif lesson.fact is Fact.SAID:
            self._record_article(reading)
        elif lesson.fact is Fact.REPEATED:
            is_refused = self.said.is_refusal(reading.text)
            self.record_text(reading.url, bool(reading.repeats), refused=is_refused)

    def record(
        self, context: RequestContext, url: str, *, kind: PageKind, lookalike: bool = False
    ) -> None:
        """Count a fetched page of ``kind``; ``url`` is its URL after redirects. ``lookalike``: it
        looks like an article, and is no evidence about links."""
        self.count(context.url, kind, lookalike=lookalike)
        if may_get_slash(context.url):
            self.slashed += (url == f"{context.url}/") - (url == context.url)
        self.count_of_group(context, is_there=True)
        self._of_group(context).led += kind.is_article
        if context.group and not lookalike:
            counted_as = "article" if kind.is_article else str(kind)
            self.evidence.record(
                url, context.group, kind=counted_as, guess=context.guess or NO_GUESS
            )

    def count(self, url: str, kind: PageKind, *, lookalike: bool = False) -> None:
        for counts in self._counts_of(url):
            counts.articles += kind.is_article
            counts.others += not kind.is_article
            counts.lookalikes += lookalike

    def count_of_group(
        self, context: RequestContext, *, is_there: bool, again: bool = False, refused: bool = False
    ) -> None:
        self.names.add(_name_of(context.url))
        self.gone += context.as_written and not is_there
        for counts in (self._of_group(context), _entry(self.lists, list_of(context))):
            counts.others += is_there
            counts.dead += not is_there
            counts.again += again
            counts.refused += refused

    def record_return(self, context: RequestContext) -> None:
        """Count a page that redirected to what was known."""
        self._of_group(context).returns += 1

    def is_dead(self, context: RequestContext, *, again: bool = True, faults: bool = True) -> bool:
        """Whether links lead nowhere: for each page of their group that exists, and for one more,
        at least ``_DEAD`` are missing, and ``_DEAD_OF_LIST`` on their own page, which may list what
        others lack; or if nearly all that they lead to was known. Pages without a link belong to their URL pattern. Links that were dead in
        earlier runs count if ``again``, those that may come in a later run if ``faults``."""
        counts = self._of_group(context)
        name = list_of(context)
        met = max(counts.met, 0 if name else self._of_pattern(context.url).met)
        list_counts = _entry(self.lists, name) if name else counts
        if counts.returns >= max(_RETURNS, _RETURNS_EACH * counts.led):
            return True
        missing = counts.missing(again=again, faults=faults)
        of_page = list_counts.missing(again=again, faults=faults)
        return missing >= _DEAD * (1 + met) and of_page >= _DEAD_OF_LIST * (1 + list_counts.met)

    def keep(self, store: CrawlStore, *, of_run: bool) -> None:
        """Store the counts of the pages that all runs handled, at the end of this one or as far as
        earlier runs were not ended. A page counts once, however often it was fetched."""
        self.patterns.clear()
        self.folders.clear()
        self.restore(store.site_facts().url_counts)
        is_changed = False
        for url, kind in store.pages.take_uncounted(of_run=of_run):
            is_changed = True
            if kind is not None:
                self.count(url, kind)
        if is_changed:
            store.change_facts(url_counts=self.kept())

    def kept(self) -> str:
        """The counts of pages that exist as JSON, for :meth:`restore`."""
        levels = (self.patterns, self.folders)
        found = [
            {name: [c.articles, c.others, c.lookalikes] for name, c in level.items() if c.met}
            for level in levels
        ]
        return json.dumps(found)

    def restore(self, kept: str | None) -> None:
        """Restore the counts of an earlier run. Unreadable ones are ignored."""
        try:
            for level, found in zip(
                (self.patterns, self.folders), json.loads(kept or "[]"), strict=False
            ):
                level.update(
                    (name, PatternCounts(*map(int, counts))) for name, counts in found.items()
                )
        except (ValueError, TypeError, AttributeError):
            self.patterns.clear()
            self.folders.clear()

    def record_text(self, url: str, repeats: bool, *, refused: bool = False) -> None:
        """Count whether a page repeated the text of others, perhaps since the site ``refused`` the
        request, or had its own."""
        counts = self._counts_of(url)[0]
        counts.repeated += repeats
        counts.refused += repeats and refused
        counts.own += not repeats

    def _record_article(self, reading: Reading) -> None:
        """Count a page that looks like an article, and whether another URL of this run had its
        text."""
        self.said.meet(reading.text, reading.key)
        if not reading.text or self.said.is_standing(reading.text):
            return
        if self.said.count(reading.text) > 1:
            self.known += 1
        else:
            self.fresh += 1
            self._counts_of(reading.url)[0].texts += 1

    def have_texts(self, url: str) -> bool:
        """Whether at least ``_TEXTS`` pages of a URL's pattern have their own texts, so that the
        server does not give one answer to everything."""
        return self._of_pattern(url).texts >= _TEXTS

    def is_endless(self, url: str) -> bool:
        """Whether the site serves its articles under ever new URLs: at least ``_KNOWN`` pages, and
        six for each text (twelve if no page had the name of
        ``url``), had a known text. If any link may lead to any article, all but one in a thousand
        are found by then."""
        return self.known >= max(_KNOWN, (6 if _name_of(url) in self.names else 12) * self.fresh)

    def article_share(self, url: str, promise: float) -> float:
        """Probability, 0..1, that a page is an article: by its promise, and by the pages of its
        folder and pattern."""
        share = promise
        for counts in (self.folders.get(url_folder(url)), self.patterns.get(url_pattern(url))):
            if counts is not None:
                articles = counts.articles + _LOOKALIKE * counts.lookalikes
                share = (_PRIOR * share + articles) / (_PRIOR + counts.met)
        return share

    def answers_all(self, url: str) -> bool:
        """Whether the server has one answer for all URLs of this pattern: at least ``_SAME`` of its
        pages repeated a text, and no more than that had a text of their own. True too where the
        site is endless."""
        counts = self._of_pattern(url)
        return counts.repeated >= max(_SAME, counts.own) or self.is_endless(url)

    def is_refused(self, url: str, group: str = "") -> bool:
        """Whether most missing or repeated pages of a URL's pattern, or of a ``group`` of links,
        may come in a later run."""
        pattern = url_pattern(url)
        like = self.groups.get(group), self.groups.get(pattern), self.patterns.get(pattern)
        return any(counts and 2 * counts.refused > counts.dead + counts.repeated for counts in like)

    def record_login(self, asked: str, url: str) -> None:
        """Note the ``url`` of a login form that came for a page that was ``asked`` for."""
        self.logins |= {url.partition("?")[0]} - {asked.partition("?")[0]}

    def is_login(self, url: str) -> bool:
        return url.partition("?")[0] in self.logins

    def are_articles(self, url: str) -> bool:
        return self._of_pattern(url).are_articles

    def are_others(self, url: str) -> bool:
        counts = self._of_pattern(url)
        others = counts.others - counts.lookalikes
        return others >= ENOUGH and counts.articles + counts.lookalikes <= MIXED * others

    def look_like_articles(self, url: str) -> bool:
        counts = self._of_pattern(url)
        return counts.articles + counts.lookalikes >= max(ENOUGH, counts.met / (1 + MIXED))

    def is_article_folder(self, url: str) -> bool:
        return (self.folders.get(url_folder(url)) or PatternCounts()).are_articles

    def _of_pattern(self, url: str) -> PatternCounts:
        return self.patterns.get(url_pattern(url)) or PatternCounts()

    def _of_group(self, context: RequestContext) -> PatternCounts:
        """The mutable counts of a page's group of links; for pages without a link those of its URL
        pattern."""
        return _entry(self.groups, context.group if list_of(context) else url_pattern(context.url))

    def _counts_of(self, url: str) -> tuple[PatternCounts, PatternCounts]:
        """The mutable counts of a URL's pattern and of its folder."""
        return _entry(self.patterns, url_pattern(url)), _entry(self.folders, url_folder(url))


def list_of(page: RequestContext) -> str:
    """The list that led to a page: a group of links on one page; empty for a page that no list
    names but a feed or a sitemap."""
    return f"{page.section} {page.group}" if page.group not in ("", HINTED) else ""


def _name_of(url: str) -> str:
    """The last part of a URL's path."""
    return url.partition("?")[0].rstrip("/").rpartition("/")[2]


def may_get_slash(url: str) -> bool:
    """Whether the site may redirect a URL to the same URL with a slash: it ends in a name without
    an extension or a query."""
    return not {".", "?"} & set(url.rpartition("/")[2] or ".")


def _entry(ledger: dict[str, PatternCounts], name: str) -> PatternCounts:
    if (found := ledger.get(name)) is None:
        found = ledger[name] = PatternCounts()
        forget_oldest(ledger, LIMITS.url_patterns)
    return found
