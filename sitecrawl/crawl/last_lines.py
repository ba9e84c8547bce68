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


def _counted(reason: VisitReason, count: int, *more: object) -> Iterator[Finding]:
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
    yield from _counted(VisitReason.START_IS_ARTICLE, visit.gaps.article_starts)


def _nothing_new(visit: Visit) -> Iterator[Finding]:
    if visit.resumed.rewritten:
        yield Finding(VisitReason.REWRITTEN, (visit.resumed.rewritten,))
        return
    left_out = visit.erred or visit.dropped(*_OWN_CHOICES)
    lost = _reasons(visit, ARTICLE, is_error=False)
    has_known = visit.reason == "finished" and visit.completeness.found
    if has_known and not (visit.written or left_out or lost):
        yield Finding(VisitReason.NOTHING_NEW)


def _errors(visit: Visit) -> Iterator[Finding]:
    yield from _counted(VisitReason.ERRED, visit.dropped(Drop.FAILED))


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
    yield from _counted(VisitReason.EMPTIED, gaps.emptied.count, gaps.emptied.first)
    yield from _counted(VisitReason.BARE, gaps.bare.count, gaps.bare.first)


def _cut_pages(visit: Visit) -> Iterator[Finding]:
    yield from _counted(VisitReason.CUT_PAGES, visit.counts.get("pages/cut", 0))


def _own_filters(visit: Visit) -> Iterator[Finding]:
    """What an argument or a hook of the user left out."""
    counts = visit.counts
    remembered = visit.dropped(Drop.BASELINE) + counts.get("baseline/remembered", 0)
    yield from _counted(VisitReason.REMEMBERED, remembered)
    yield from _counted(VisitReason.OLDER, visit.dropped(Drop.SINCE))
    yield from _counted(VisitReason.UNDATED, visit.dropped(Drop.NO_DAY))
    yield from _counted(VisitReason.FILTERED, visit.dropped(Drop.FILTERED))
    if not visit.written:
        yield from _counted(VisitReason.FILTERED_LINKS, counts.get("links/filtered", 0))
    yield from _counted(VisitReason.FILTERED_PAGES, counts.get("pages/filtered", 0))
    yield from _counted(VisitReason.TOO_DEEP, counts.get("pages/deep", 0))
    yield from _counted(VisitReason.UNSENT, counts.get("pages/unsent", 0))


def _scripted_lists(visit: Visit) -> Iterator[Finding]:
    """Listing pages that show more only to a script. Lists of chance have chance lengths; several
    that end at the same, greatest length are cut."""
    counts, gaps = visit.counts, visit.gaps
    scripted = counts.get("lists/scripted", 0)
    scrolled = counts.get("lists/scrolled", 0)
    yield from _counted(VisitReason.SCRIPTED_LISTS, scripted)
    yield from _counted(VisitReason.SCROLLED_LISTS, scrolled)
    is_alike = gaps.longest > _CUT_LENGTH and gaps.cut > _CUT_LISTS
    is_cut = is_alike and visit.completeness.found >= 2 * gaps.longest
    if is_cut and not (counts.get("lists/linked") or scripted or scrolled):
        yield Finding(VisitReason.CUT_LISTS, (gaps.cut, gaps.longest))


def _copies(visit: Visit) -> Iterator[Finding]:
    alike = visit.counts.get("traps/repeats", 0)
    links = f", and {numbered(alike, 'link')} like theirs" if alike else ""
    yield from _counted(VisitReason.REPEATED, visit.dropped(Drop.REPEAT), links)
    yield from _counted(VisitReason.KNOWN, visit.dropped(Drop.KNOWN))
    yield from _counted(VisitReason.MOVED_ARTICLES, visit.counts.get("items/moved", 0))


def _no_articles(visit: Visit) -> Iterator[Finding]:
    """Pages that are no articles, though something promised one."""
    yield from _counted(VisitReason.EMPTY, visit.dropped(Drop.EMPTY))
    unkept = visit.counts.get("unkept", 0)
    if unkept > _SOME * visit.written:
        yield Finding(VisitReason.UNKEPT, (unkept,))


def _beyond_reach(visit: Visit) -> Iterator[Finding]:
    """Links that the crawl did not follow, and files that it did not read."""
    gaps, counts, some = visit.gaps, visit.counts, _SOME * visit.written
    yield from _counted(VisitReason.DEAD_LINKS, counts.get("traps/dead", 0))
    if gaps.redirected.count > max(_FEW_LINKS, some):
        yield Finding(VisitReason.REDIRECTED, (gaps.redirected.count, gaps.redirected.first))
    unread = counts.get("hints/failed", 0) + counts.get("hints/left", 0)
    yield from _counted(VisitReason.UNREAD_FILES, unread)
    yield from _counted(VisitReason.CUT_FILES, counts.get("hints/cut", 0))
    if gaps.scripts > visit.written:
        yield Finding(VisitReason.SCRIPT_LINKS, (gaps.scripts,))
    if gaps.files > some:
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
    _errors,
    _lost_pages,
    _withheld_families,
    _incomplete,
    _poor_listings,
    _cut_pages,
    _own_filters,
    _scripted_lists,
    _copies,
    _no_articles,
    _beyond_reach,
    _improbable_pages,
)
