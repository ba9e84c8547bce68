"""Folds the events of a crawl into its :class:`~sitecrawl.crawl.visit.Visit`. Each part of the
record has a fold of its own, which takes the events that concern it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any
from zlib import crc32

from sitecrawl.crawl import events
from sitecrawl.crawl.reasons import numbered
from sitecrawl.crawl.records import ELSEWHERE, GONE, PROMISING, REFUSED, Drop, Role
from sitecrawl.crawl.rendering import has_scripts
from sitecrawl.crawl.soft_errors import leads_on
from sitecrawl.crawl.visit import (
    ARTICLE,
    FIELDS,
    LISTING,
    REDUCED,
    START,
    FamilyNote,
    Gaps,
    Loss,
    PageSample,
    Seen,
    TemplateNote,
    Visit,
)
from sitecrawl.dom.page import Page
from sitecrawl.limits import LIMITS
from sitecrawl.resources import table_beside
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.scope import host_of, registered_domain

_NAMED = 20  # most events of templates, families and losses of a kind that a record lists
_SAMPLES = 12  # of articles, and as many of other pages
_TITLE = 160  # characters of a sample's title
_TEXT = 400  # characters of the beginning of a sample's text
_CHECKED_FOR_CODING = 4_000  # characters of a body
_REST = 40
"""Letters beside headline and day of a text that says no more: a month and a name. A sign of a
script that is written without spaces counts as three."""
_WIDE = "\u2e80"  # scripts from here on are written without spaces
_FEW_CHARACTERS = 2_000  # of an article that a script may still fill

_FOLLOWING = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ\x80-\xbf"
_TWICE = re.compile(f"[\xc2-\xdf][{_FOLLOWING}]|[\xe0-\xf4][{_FOLLOWING}]{{1,3}}")
"""A letter in UTF-8 whose bytes were decoded as single characters. Some bytes are undefined in
Windows-1252 and are missing."""
_SOFT_ERRORS = {"missing": GONE, "login": "the page asks for a login", "refused": REFUSED}
"""Soft errors in words for a user."""
_SERVICES = frozenset(table_beside(__file__)["services"].split())
"""Domains that sites link to and do not own."""
_EXPECTED = {
    Role.START: START,
    Role.ARTICLE: ARTICLE,
    Role.SECTION: LISTING,
    Role.PAGINATION: LISTING,
}
_LISTS = (Role.SECTION, Role.PAGINATION)


class VisitFold:
    """The visit that goes on: ``so_far`` is its record, without what :meth:`visit` computes. Whoever
    runs the crawl sets ``broken`` and ``unwritten`` there, and adds ``problems``."""

    def __init__(self, asked: Visit) -> None:
        self.so_far = asked
        self.logins = Counter[str]()
        """How often a page that asks for a login was found, by key."""
        self.filled = Counter[str]()  # items that have a field, by field
        self.losses = _Losses(has_one_start=len(asked.start) < 2)
        self.samples = _Samples()
        self.gaps = _Gaps()

    def begin(self, moment: str) -> Visit:
        """Note when the visit begins."""
        self.so_far.began = moment
        return self.so_far

    def take(self, event: events.CrawlEvent) -> None:
        so_far = self.so_far
        so_far.counts.update(event.statistics)
        for part in (self.losses, self.samples, self.gaps):
            part.take(event)
        match event:
            case events.CrawlBegan():
                so_far.resumed = event
                so_far.written = event.articles
            case events.PageOpened():
                so_far.pages += 1
            case events.PageRead():
                is_promised = event.role is Role.ARTICLE and event.promise >= PROMISING
                if is_promised and not event.kind.is_article:
                    so_far.counts["unkept"] += 1
            case events.ListingRead():
                so_far.counts[f"lists/{event.pager}"] += 1
            case events.SoftErrorFound(error="login"):
                self.logins[url_key(event.url)] += 1
            case events.RequestFailed():
                self._fail(event)
            case events.ArticleWritten():
                self._count(event.item, is_new=event.is_new)
            case events.TemplateChanged():
                self._note(event)
            case events.FamilyJudged():
                self._judge(event)
            case events.CrawlEnded():
                self._conclude(event)

    def _fail(self, event: events.RequestFailed) -> None:
        key = url_key(event.final_url)
        if key in self.logins:
            self.logins[key] += 1
        if event.role is Role.START:
            self.so_far.problems += (f"{event.url}: {event.why}",)

    def _count(self, item: dict[str, Any], *, is_new: bool) -> None:
        so_far = self.so_far
        so_far.written += 1
        self.filled.update(name for name in FIELDS if item.get(name))
        day = str(item.get("datePublished") or "")[:10]
        if day <= so_far.began[:10]:
            so_far.newest = max(so_far.newest, day)
        if not is_new:
            # a corrected page may have another layout, which is no sign of a redesign of the site
            so_far.revised += 1
            return
        so_far.articles += 1
        template = str(item["provenance"].get("templateId") or "")
        so_far.answered[template.rpartition("/")[2]] += 1

    def _note(self, event: events.TemplateChanged) -> None:
        change = event.change
        note = TemplateNote(
            str(change.kind), change.family, change.version, change.detail, event.url
        )
        self.so_far.events = (*self.so_far.events, note)[-_NAMED:]

    def _judge(self, event: events.FamilyJudged) -> None:
        family, verdict = event.family, event.verdict
        withheld = 0 if verdict.written else family.withheld
        if withheld or verdict.doubtful:
            note = FamilyNote(
                family.name, family.pages, withheld, str(verdict.by), verdict.doubtful
            )
            self.so_far.families = (*self.so_far.families, note)[:_NAMED]

    def _conclude(self, event: events.CrawlEnded) -> None:
        so_far = self.so_far
        so_far.reason = event.reason
        so_far.written = event.articles
        so_far.listings = event.listings
        so_far.completeness = event.completeness
        # no article was written, and half of the requested pages ask for a login
        requested = max(1, so_far.pages - event.starts)
        so_far.barred = event.nothing_found and 2 * self.logins.total() >= requested
        if so_far.barred:
            so_far.problems += ("the site asks for a login; nothing was written",)
        if undrawn := len(self.gaps.undrawn):
            failed = f"the browser failed on {numbered(undrawn, 'page')}"
            so_far.problems += (f"{failed}: articles that scripts show may be missing",)
        if event.crowded_out:
            no_room = f"{event.crowded_out} links to articles found no room beside {LIMITS.unread}"
            so_far.problems += (f"{no_room}: rerun the command for them",)

    def visit(self, ended: str = "") -> Visit:
        """The record as it is now."""
        so_far = self.so_far
        count = max(1, so_far.articles + so_far.revised)
        filled = {name: round(self.filled[name] / count, 3) for name in FIELDS}
        return replace(
            so_far,
            ended=ended,
            counts=so_far.counts.copy(),
            lost=self.losses.kept(),
            gaps=self.gaps.seen(),
            answered=so_far.answered.copy(),
            coverage=filled if self.filled else {},
            pages_as=tuple((*what, count) for what, count in self.losses.asked.most_common()),
            samples=self.samples.kept(),
        )


@dataclass(slots=True)
class _Losses:
    """The pages that were requested, and those that were lost."""

    has_one_start: bool
    asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Pages by the role of their request and their kind."""
    losses: dict[str, Loss] = field(default_factory=dict)
    soft: set[str] = field(default_factory=set)  # URLs of pages with soft errors

    def take(self, event: events.CrawlEvent) -> None:
        match event:
            case events.PageRead():
                kind = "part" if event.is_later else str(event.kind)
                self.asked[str(event.role), kind] += 1
            case events.RequestFailed():
                self.asked[str(event.role), "lost"] += 1
                self._fail(event)
            case events.SoftErrorFound(role=Role.ARTICLE, error="missing"):
                pass  # its request counts as failed
            case events.SoftErrorFound() if event.url not in self.soft:
                self.soft.add(event.url)  # a page in the browser comes twice
                self._lose(_SOFT_ERRORS[event.error], event, is_new=event.role is Role.ARTICLE)
            case events.ListingEmptied() if not (event.role is Role.START and self.has_one_start):
                # beside others, a start page is a listing like the rest; that a single one shows
                # nothing is told by other checks
                self._lose("it shows no articles any more", replace(event, role=Role.SECTION))

    def _fail(self, event: events.RequestFailed) -> None:
        landed = event.final_url if event.why == ELSEWHERE else ""
        why = f"redirected to {landed}" if landed else event.why
        expected = _EXPECTED.get(event.role, "")
        if event.why == ELSEWHERE and event.role is not Role.START:
            expected = ""
        self._lose(why, event, is_new=event.is_new, landed=landed, expected=expected)

    def _lose(
        self,
        why: str,
        event: events.RequestFailed | events.SoftErrorFound | events.ListingEmptied,
        *,
        is_new: bool = False,
        landed: str = "",
        expected: str = "",
    ) -> None:
        known = self.losses.get(why, Loss(why, event.url, 0, landed=landed))
        is_start = event.role is Role.START
        failed = Counter(known.failed)
        if expected:
            failed[expected] += 1
        self.losses[why] = replace(
            known,
            count=known.count + 1,
            url=event.url if is_start and not known.start else known.url,
            start=known.start or is_start,
            new=known.new + int(is_new),
            failed=failed,
        )

    def kept(self) -> tuple[Loss, ...]:
        """The losses, start pages first, then the largest."""
        ranked = sorted(self.losses.values(), key=lambda one: (not one.start, -one.count))
        failed = [one for one in ranked if one.failed][:_NAMED]
        others = [one for one in ranked if not one.failed][:_NAMED]
        return tuple(one for one in ranked if one in failed or one in others)


@dataclass(slots=True)
class _Samples:
    """Pages that are kept for the report."""

    pages: dict[tuple[str, bool], PageSample] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)  # URLs of articles
    flags: dict[str, str] = field(default_factory=dict)  # by URL: ``scripts`` or ``copy``

    def take(self, event: events.CrawlEvent) -> None:
        match event:
            case events.PageRead(page=Page() as page):
                self._look_at(page, event.role)
                if event.kind.is_article and _may_be_drawn(page):
                    self.flags.setdefault(page.url, "scripts")
            case events.RequestFailed(page=Page() as page):
                self._look_at(page, event.role)
            case events.PageDropped(why=Drop.REPEAT | Drop.COPY):
                self.flags[event.url] = "copy"
            case events.ArticleWritten():
                self._keep(_sample_of(event.item))
                self.written.add(event.item["url"])

    def _look_at(self, page: Page, role: Role) -> None:
        """Keep start pages, and pages that links promised as articles until one is written."""
        is_start = role is Role.START
        if not is_start and (role is not Role.ARTICLE or page.url in self.written):
            return
        text = " ".join(" ".join(page.document.chunks).split())
        sample = PageSample(
            page.url,
            page.metadata.title[:_TITLE],
            start=is_start,
            characters=len(text),
            text=text[:_TEXT],
            flags=("scripts",) if has_scripts(page) else (),
        )
        self._keep(sample)

    def _keep(self, sample: PageSample) -> None:
        """Keep a sample; of too many the one is forgotten that a digest of their URLs chooses,
        start pages last."""
        key = sample.url, sample.start
        self.pages.pop(key, None)
        self.pages[key] = sample
        alike = [key for key, one in self.pages.items() if one.left is sample.left]
        if len(alike) > _SAMPLES:
            del self.pages[max(alike, key=lambda it: (not it[1], crc32(it[0].encode())))]

    def kept(self) -> tuple[PageSample, ...]:
        """The samples, with what was found out about them later."""
        found = []
        for sample in self.pages.values():
            flag = self.flags.get(sample.url, "")
            if flag and flag not in sample.flags:
                found.append(replace(sample, flags=(*sample.flags, flag)))
            else:
                found.append(sample)
        return tuple(found)


def _may_be_drawn(page: Page) -> bool:
    """Whether an article is so short that a script may draw the rest."""
    return sum(map(len, page.document.chunks)) < _FEW_CHARACTERS and has_scripts(page)


def _sample_of(item: dict[str, Any]) -> PageSample:
    headline = str(item["headline"] or "")
    body = str(item["articleBody"] or "")
    origin = item["provenance"]
    flags = list(origin.get("flags", ()))
    day = str(item.get("datePublished") or "")[:10]
    if is_reduced(body, headline, day=day):
        flags.append(REDUCED)
    return PageSample(
        item["url"],
        headline[:_TITLE],
        left=True,
        characters=len(body),
        day=day,
        language=str(item.get("inLanguage") or ""),
        garbled=garbled_share(f"{headline} {body[:_CHECKED_FOR_CODING]}"),
        lacks=tuple(name for name in FIELDS if not item.get(name)),
        flags=tuple(flags),
        confidence=origin.get("confidence", 0.0),
    )


@dataclass(slots=True)
class _Gaps:
    """What the crawl saw and could not reach."""

    hosts: set[str] = field(default_factory=set)  # those of the pages that were read
    starts: list[str] = field(default_factory=list)  # start pages that are no articles
    article_starts: set[str] = field(default_factory=set)
    bare: list[str] = field(default_factory=list)
    emptied: list[str] = field(default_factory=list)
    undrawn: set[str] = field(default_factory=set)
    """Pages on which the browser failed, read without it."""
    scripted: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    lengths: Counter[int] = field(default_factory=Counter)
    """Listing pages without further ones, by the articles shown."""
    redirected: Counter[str] = field(default_factory=Counter)
    elsewhere: Seen = field(default_factory=Seen)

    def take(self, event: events.CrawlEvent) -> None:
        match event:
            case events.PageRead():
                self._read(event)
            case events.ArticleWritten(item={"url": url}) if url in self.starts:
                self.article_starts.add(url)  # pages like it have told what it is
            case events.RequestFailed():
                self.undrawn.discard(event.url)
                self._follow(event)
            case events.ScriptsUnread() if len(self.scripted) < LIMITS.links:
                self.scripted |= event.calls
            case events.ListingEmptied():
                self.emptied.append(event.url)
            case events.ListingRead(pager=""):
                self.lengths[event.shown] += 1
            case events.Counted(name="js/failed"):
                self.undrawn.add(event.url)
            case events.Counted(name="links/files") if len(self.files) < LIMITS.links:
                self.files.add(event.url)
            case events.CrawlEnded():
                self.elsewhere = _most_outward(event.elsewhere)

    def _read(self, event: events.PageRead) -> None:
        self.hosts.add(host_of(event.url))
        if event.role is Role.START:
            if event.kind.is_article:
                self.article_starts.add(event.url)
            else:
                self.starts.append(event.url)
        is_list = event.role in _LISTS and not event.kind.is_article
        if event.page and is_list and not leads_on(event.page):
            self.bare.append(event.url)

    def _follow(self, event: events.RequestFailed) -> None:
        if event.role is Role.ARTICLE and event.why == ELSEWHERE:
            host = host_of(event.final_url)
            self.redirected[event.final_url if host in self.hosts else host] += 1

    def seen(self) -> Gaps:
        place, links = next(iter(self.redirected.most_common(1)), ("", 0))
        longest = max(self.lengths, default=0)
        return Gaps(
            elsewhere=self.elsewhere,
            redirected=Seen(links, place),
            scripts=len(self.scripted),
            files=len(self.files),
            emptied=_seen(self.emptied),
            bare=_seen(self.bare),
            article_starts=len(self.article_starts),
            longest=longest,
            cut=self.lengths[longest],
        )


def _seen(urls: list[str]) -> Seen:
    return Seen(len(urls), urls[0]) if urls else Seen()


def _most_outward(links: dict[str, int]) -> Seen:
    """The first host of some that is no service of others."""
    for host, count in links.items():
        if registered_domain(host) not in _SERVICES:
            return Seen(count, host)
    return Seen()


def is_reduced(body: str, headline: str, *, day: str) -> bool:
    """Whether a text holds the headline or the day, and hardly a word beside them, as a wrong place
    in a template gives it.

    >>> is_reduced("The bridge opens, 12 May 2026, by Ann", "The bridge opens", day="2026-05-12")
    True
    >>> long = "The mayor opened it on Sunday, and many came although it rained all day."
    >>> is_reduced(long, "The mayor opened it", day="2026-05-12")
    False
    """
    rest = " ".join(body.split())
    words = " ".join(headline.split())
    names_page = bool(words and words in rest) or bool(day and day[:4] in rest)
    if words:
        rest = rest.replace(words, "")
    letters = sum(3 if sign > _WIDE else 1 for sign in rest if sign.isalpha())
    return names_page and letters <= _REST


def garbled_share(text: str) -> float:
    """Share (0..1) of the non-ASCII characters that are UTF-8 decoded as Windows-1252 or Latin-1.

    >>> garbled_share("Brücke über «déjà vu»"), garbled_share("BrÃ¼cke Ã¼ber Â«dÃ©jÃ\xa0 vuÂ»")
    (0.0, 1.0)
    """
    foreign = len(text) - len(text.encode("ascii", "ignore"))
    return round(sum(map(len, _TWICE.findall(text))) / max(1, foreign), 3)
