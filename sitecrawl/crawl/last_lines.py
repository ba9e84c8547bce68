"""The rules of one visit: which reasons hold, and the lines that say so at the end of a crawl. Each
rule is a function that gives what it finds; :data:`RULES` holds them in the order of their gravity:
what is lost, what is withheld, what was not opened, what the user left out, and then what is good
to know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from sitecrawl.crawl.reasons import Finding, VisitReason, numbered
from sitecrawl.crawl.records import Drop
from sitecrawl.crawl.visit import ARTICLE, LISTING, Visit

Rule = Callable[[Visit], Iterator[Finding]]

_OWN_CHOICES = (Drop.BASELINE, Drop.SINCE, Drop.NO_DAY, Drop.FILTERED, Drop.REPEAT)
"""Reasons for which articles that are new may still not be written."""
_SOME = 0.1  # share of the articles from which on a few wrong guesses are worth a line
_FEW_LINKS = 2
"""Two links may lead to one article that has several URLs."""
_NAMED_FAMILIES = 2
_CUT_LENGTH = 4  # articles of a list that may be cut: shorter ones are short by chance
_CUT_LISTS = 2  # lists that have one length by chance


def lines_of(visit: Visit, *, advises: bool = True) -> list[str]:
    """The last lines of a crawl: its problems, what it wrote, then one fact a line, the gravest
    first. It ``advises`` which arguments bring more."""
    if visit.broken:
        return [visit.broken]
    lines = [*visit.problems]
    if not visit.is_failed:
        lines += [visit.summary, *facts_of(visit, advises=advises)]
    elif not lines:
        lines.append("no page could be fetched")
    if visit.unwritten:
        lines.append("a feed could not be written; fix the cause, then rerun the command")
    return lines


def facts_of(visit: Visit, *, advises: bool) -> list[str]:
    """The lines of all rules; with ``advises`` they say which argument brings what is missing."""
    lines = list[str]()
    for finding in findings_of(visit):
        remedy = finding.reason.remedy
        advice = f" ({remedy})" if remedy and advises else ""
        lines.append(finding.text + advice)
    return lines


def findings_of(visit: Visit) -> Iterator[Finding]:
    """What the rules find, the gravest first."""
    for rule in RULES:
        yield from rule(visit)


def _counted(reason: VisitReason, *names: str) -> Rule:
    """The rule of a reason that holds if something was counted: statistics, or articles that were
    left out for a :class:`Drop`."""
    statistics = [f"items/dropped/{name}" if isinstance(name, Drop) else name for name in names]

    def rule(visit: Visit) -> Iterator[Finding]:
        yield from _some(reason, sum(visit.counts.get(name, 0) for name in statistics))

    return rule


def _some(reason: VisitReason, count: int, *more: object) -> Iterator[Finding]:
    if count:
        yield Finding(reason, (count, *more))


def _reasons(visit: Visit, what: str, *, is_error: bool) -> Counter[str]:
    """Why pages were lost whose links led to expect an article or a listing."""
    return Counter(
        {
            loss.why: loss.failed[what]
            for loss in visit.lost
            if what in loss.failed and loss.is_error is is_error
        }
    )


def _interruption(visit: Visit) -> Iterator[Finding]:
    if visit.is_stopped:
        yield Finding(VisitReason.STOPPED)


def _nothing_found(visit: Visit) -> Iterator[Finding]:
    gaps = visit.gaps
    saw_any = gaps.elsewhere.count or gaps.scripts or gaps.files or visit.families
    names = ("unkept", "links/filtered", "pages/filtered", "pages/deep")
    left_any = any(visit.counts.get(name) for name in names)
    lost_any = any(loss.failed for loss in visit.lost) or visit.dropped(*Drop)
    found_any = visit.completeness.found or saw_any or left_any or lost_any
    if visit.reason == "finished" and not visit.written and not found_any:
        yield Finding(VisitReason.NO_LINK)


def _start_pages(visit: Visit) -> Iterator[Finding]:
    yield from _some(VisitReason.START_IS_ARTICLE, visit.gaps.article_starts)


def _nothing_new(visit: Visit) -> Iterator[Finding]:
    if visit.resumed.rewritten:
        yield Finding(VisitReason.REWRITTEN, (visit.resumed.rewritten,))
        return
    left_out = visit.erred or visit.dropped(*_OWN_CHOICES)
    lost = _reasons(visit, ARTICLE, is_error=False)
    has_known = visit.reason == "finished" and visit.completeness.found
    if has_known and not (visit.written or left_out or lost):
        yield Finding(VisitReason.NOTHING_NEW)


def _lost_pages(visit: Visit) -> Iterator[Finding]:
    """Pages that could not be fetched, or on which a step ended with an error, by reason."""
    for what in (ARTICLE, LISTING):
        for reason in (VisitReason.UNFETCHED, VisitReason.UNREADABLE):
            reasons = _reasons(visit, what, is_error=reason is VisitReason.UNREADABLE)
            total = reasons.total()
            if not total:
                continue
            why, most = reasons.most_common(1)[0]
            mostly = f"mostly: {why}" if most < total else why
            noun = what if total == 1 else f"{what}s"
            yield Finding(reason, (total, noun, mostly))


def _withheld_families(visit: Visit) -> Iterator[Finding]:
    withheld = [one for one in visit.families if one.withheld]
    if withheld:
        total = sum(one.withheld for one in withheld)
        largest = sorted(withheld, key=lambda one: -one.withheld)[:_NAMED_FAMILIES]
        examples = (f"{one.withheld} of {one.name} by {one.by}" for one in largest)
        yield Finding(VisitReason.WITHHELD, (total, ", ".join(examples), visit.site))
    doubtful = [one for one in visit.families if one.is_doubtful]
    if doubtful:
        items = numbered(sum(one.pages for one in doubtful), "item")
        yield Finding(VisitReason.DOUBTFUL, (len(doubtful), items, visit.site))


def _incomplete(visit: Visit) -> Iterator[Finding]:
    """How much of what listing pages lead to was fetched, and what was not opened."""
    known = visit.completeness
    left = []
    if known.unopened:
        left.append(numbered(known.unopened, LISTING))
    if known.unread:
        left.append(numbered(known.unread, ARTICLE))
    if not left:
        return
    share = ""
    if known.share is not None:
        some = "some " if known.unopened else ""
        share = (
            f"about {100 * known.share:.0f} % of the articles that listing pages lead to"
            f" ({known.fetched} of {some}{known.total:.0f}): "
        )
    verb = "was" if known.unopened + known.unread == 1 else "were"
    goes_on = visit.reason != "finished" or not known.unopened
    reason = VisitReason.UNOPENED_YET if goes_on else VisitReason.UNOPENED
    yield Finding(reason, (share, " and ".join(left), verb))


def _poor_listings(visit: Visit) -> Iterator[Finding]:
    gaps = visit.gaps
    yield from _some(VisitReason.EMPTIED, gaps.emptied.count, gaps.emptied.first)
    yield from _some(VisitReason.BARE, gaps.bare.count, gaps.bare.first)


def _filtered_links(visit: Visit) -> Iterator[Finding]:
    if not visit.written:
        yield from _some(VisitReason.FILTERED_LINKS, visit.counts.get("links/filtered", 0))


def _cut_lists(visit: Visit) -> Iterator[Finding]:
    """Lists of chance have chance lengths; several that end at the same, greatest length are cut,
    unless it is known how they go on."""
    gaps = visit.gaps
    is_alike = gaps.longest > _CUT_LENGTH and gaps.cut > _CUT_LISTS
    goes_on = any(
        visit.counts.get(f"lists/{pager}") for pager in ("linked", "scripted", "scrolled")
    )
    if is_alike and visit.completeness.found >= 2 * gaps.longest and not goes_on:
        yield Finding(VisitReason.CUT_LISTS, (gaps.cut, gaps.longest))


def _repeated(visit: Visit) -> Iterator[Finding]:
    alike = visit.counts.get("traps/repeats", 0)
    links = f", and {numbered(alike, 'link')} like theirs" if alike else ""
    yield from _some(VisitReason.REPEATED, visit.dropped(Drop.REPEAT), links)


def _no_articles(visit: Visit) -> Iterator[Finding]:
    """Pages that are no articles, though their links promised one."""
    unkept = visit.counts.get("unkept", 0)
    if unkept > _SOME * visit.written:
        yield Finding(VisitReason.UNKEPT, (unkept,))


def _redirected(visit: Visit) -> Iterator[Finding]:
    seen = visit.gaps.redirected
    if seen.count > max(_FEW_LINKS, _SOME * visit.written):
        yield Finding(VisitReason.REDIRECTED, (seen.count, seen.first))


def _beyond_reach(visit: Visit) -> Iterator[Finding]:
    """Links that the crawl did not follow."""
    gaps = visit.gaps
    if gaps.scripts > visit.written:
        yield Finding(VisitReason.SCRIPT_LINKS, (gaps.scripts,))
    if gaps.files > _SOME * visit.written:
        yield Finding(VisitReason.DOCUMENTS, (gaps.files,))
    if gaps.elsewhere.count > visit.written:
        host = gaps.elsewhere.first
        yield Finding(VisitReason.ELSEWHERE, (gaps.elsewhere.count, host, host))


def _improbable_pages(visit: Visit) -> Iterator[Finding]:
    """Pages that are probably no articles. A limited run has most of them left, which says
    nothing."""
    known = visit.completeness
    is_limited = visit.reason != "finished" and (known.unopened or known.unread)
    if known.others > visit.written and not is_limited:
        yield Finding(VisitReason.IMPROBABLE, (known.others,))


RULES: tuple[Rule, ...] = (
    _interruption,
    _nothing_found,
    _start_pages,
    _nothing_new,
    _counted(VisitReason.ERRED, Drop.FAILED),
    _lost_pages,
    _withheld_families,
    _incomplete,
    _poor_listings,
    _counted(VisitReason.CUT_PAGES, "pages/cut"),
    _counted(VisitReason.REMEMBERED, Drop.BASELINE, "baseline/remembered"),
    _counted(VisitReason.OLDER, Drop.SINCE),
    _counted(VisitReason.UNDATED, Drop.NO_DAY),
    _counted(VisitReason.FILTERED, Drop.FILTERED),
    _filtered_links,
    _counted(VisitReason.FILTERED_PAGES, "pages/filtered"),
    _counted(VisitReason.TOO_DEEP, "pages/deep"),
    _counted(VisitReason.UNSENT, "pages/unsent"),
    _counted(VisitReason.SCRIPTED_LISTS, "lists/scripted"),
    _counted(VisitReason.SCROLLED_LISTS, "lists/scrolled"),
    _cut_lists,
    _repeated,
    _counted(VisitReason.KNOWN, Drop.KNOWN),
    _counted(VisitReason.MOVED_ARTICLES, "items/moved"),
    _counted(VisitReason.EMPTY, Drop.EMPTY),
    _no_articles,
    _counted(VisitReason.DEAD_LINKS, "traps/dead"),
    _redirected,
    _counted(VisitReason.UNREAD_FILES, "hints/failed", "hints/left"),
    _counted(VisitReason.CUT_FILES, "hints/cut"),
    _beyond_reach,
    _improbable_pages,
)
