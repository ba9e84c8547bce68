"""What a crawl says at its end beside its counts: what it left out, could not reach or may lack,
and what to type for the rest. Each rule is a function that gives the facts it finds; a fact is one
line. :data:`RULES` holds them in the order of their gravity: what is lost, what is withheld, what
was not opened, what the user left out, and then what is good to know."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from sitecrawl.crawl import events
from sitecrawl.crawl.gaps import Gaps
from sitecrawl.crawl.records import Drop


class Ended(Protocol):
    """What the rules read of an outcome (:class:`sitecrawl.crawl.outcome.Outcome`)."""

    articles: int
    reason: str
    began: events.CrawlBegan
    completeness: events.Completeness
    gaps: Gaps


Rule = Callable[[Ended], Iterator[tuple[str, str]]]
"""Takes an outcome; gives facts, each as a sentence and what to do about it, which may be empty."""

_EVERYTHING = "-a effort=full opens them"
_MORE_WAYS = "if articles are missing: -a discover=links,feeds,sitemap"
_OWN_CHOICES = (Drop.BASELINE, Drop.SINCE, Drop.NO_DAY, Drop.FILTERED, Drop.REPEAT)
"""Reasons for which articles that are new may still not be written."""


def numbered(count: float, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> numbered(1, "page"), numbered(2, "page"), numbered(0, "page was", "pages were")
    ('1 page', '2 pages', '0 pages were')
    """
    words = one if count == 1 else many or f"{one}s"
    return f"{count} {words}"


def facts_of(outcome: Ended, *, advises: bool) -> list[str]:
    """The lines of all rules, the gravest first; with ``advises`` they say which argument brings
    what is missing."""
    lines = list[str]()
    for rule in RULES:
        for fact, remedy in rule(outcome):
            advice = f" ({remedy})" if remedy and advises else ""
            lines.append(fact + advice)
    return lines


def _interruption(outcome: Ended) -> Iterator[tuple[str, str]]:
    if outcome.reason in ("", "shutdown"):
        yield "stopped: run the same command again to continue", ""


def _errors(outcome: Ended) -> Iterator[tuple[str, str]]:
    if failed := outcome.gaps.dropped[Drop.FAILED]:
        count = numbered(failed, "article was", "articles were")
        yield (
            f"{count} not written because of an error (the log has it; the next run tries again)",
            "",
        )


def _lost_pages(outcome: Ended) -> Iterator[tuple[str, str]]:
    """Pages that could not be fetched, or on which a step ended with an error, by reason."""
    for what in ("article", "listing page"):
        for verb, erred in (("fetched", False), ("read", True)):
            reasons = outcome.gaps.reasons(f"{what}s", erred=erred)
            total = reasons.total()
            if not total:
                continue
            why, most = reasons.most_common(1)[0]
            mostly = "mostly: " if most < total else ""
            yield f"{numbered(total, what)} could not be {verb} ({mostly}{why})", ""


def _nothing_found(outcome: Ended) -> Iterator[tuple[str, str]]:
    gaps = outcome.gaps
    found_any = (
        outcome.completeness.found
        or gaps.lost
        or gaps.dropped
        or gaps.families
        or gaps.elsewhere
        or gaps.scripted
        or gaps.files
        or gaps.counts["unkept"]
        or gaps.counts["links/filtered"]
        or gaps.counts["pages/filtered"]
        or gaps.counts["pages/deep"]
    )
    if outcome.reason == "finished" and not outcome.articles and not found_any:
        yield (
            "no link looks like an article: start from a page that lists articles"
            " (sitecrawl links URL shows the links of a page)",
            "",
        )


def _nothing_new(outcome: Ended) -> Iterator[tuple[str, str]]:
    if rewritten := outcome.began.rewritten:
        count = numbered(rewritten, "article of earlier runs was", "articles of earlier runs were")
        yield f"{count} written again", ""
        return
    gaps = outcome.gaps
    left_out = gaps.erred or any(gaps.dropped[why] for why in _OWN_CHOICES)
    lost = gaps.reasons("articles")
    has_known = outcome.reason == "finished" and outcome.completeness.found
    if has_known and not (outcome.articles or left_out or lost):
        yield (
            "no article is new",
            "-O FILE -s SITECRAWL_REWRITE=1 writes those of earlier runs again",
        )


def _start_pages(outcome: Ended) -> Iterator[tuple[str, str]]:
    articles = len(outcome.gaps.listings["article_starts"])
    if articles:
        one, many = (
            "the start page is an article itself",
            f"{articles} start pages are articles themselves",
        )
        said = one if articles == 1 else many
        yield f"{said}: start from a page that lists articles", ""


def _withheld_families(outcome: Ended, *, named: int = 2) -> Iterator[tuple[str, str]]:
    judged = outcome.gaps.families
    withheld = [one for one in judged if one.family.withheld and not one.verdict.written]
    if withheld:
        total = sum(one.family.withheld for one in withheld)
        count = numbered(total, "item of another kind was", "items of other kinds were")
        largest = sorted(withheld, key=lambda one: -one.family.withheld)[:named]
        examples = ", ".join(
            f"{one.family.withheld} of {one.family.name} by {one.verdict.by}" for one in largest
        )
        yield f"{count} left out ({examples}): sitecrawl families {withheld[0].site}", ""
    doubtful = [one for one in judged if one.verdict.doubtful]
    if doubtful:
        families = numbered(len(doubtful), "family is", "families are")
        items = numbered(sum(one.family.pages for one in doubtful), "item")
        yield f"{families} doubtful ({items}): sitecrawl families {doubtful[0].site}", ""


def _incomplete(outcome: Ended) -> Iterator[tuple[str, str]]:
    """How much of what listing pages lead to was fetched, and what was not opened."""
    known = outcome.completeness
    left = [
        numbered(count, what)
        for count, what in ((known.unopened, "listing page"), (known.unread, "article"))
        if count
    ]
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
    goes_on = outcome.reason != "finished" or not known.unopened
    later = " (the next run continues with them)" if goes_on else ""
    yield f"{share}{' and '.join(left)} {verb} not opened{later}", "" if goes_on else _EVERYTHING


def _poor_listings(outcome: Ended) -> Iterator[tuple[str, str]]:
    listings = outcome.gaps.listings
    if emptied := listings["emptied"]:
        count = numbered(
            len(emptied),
            "listing page that showed articles before shows",
            "listing pages that showed articles before show",
        )
        yield f"{count} none now ({emptied[0]})", ""
    if bare := listings["bare"]:
        count = numbered(len(bare), "listing page has", "listing pages have")
        why = "the site refused the request, or a script draws the page"
        yield f"{count} no links ({bare[0]}): {why}", ""


def _cut_pages(outcome: Ended) -> Iterator[tuple[str, str]]:
    if cut := outcome.gaps.counts["pages/cut"]:
        count = numbered(cut, "page came without its end", "pages came without their end")
        again = "(the next run requests such pages again)"
        yield f"{count}: text and links may be missing {again}", ""


def _own_filters(outcome: Ended) -> Iterator[tuple[str, str]]:
    """What an argument or a hook of the user left out."""
    dropped, counts = outcome.gaps.dropped, outcome.gaps.counts
    if known := dropped[Drop.BASELINE] + counts["baseline/remembered"]:
        count = numbered(known, "article is remembered", "articles are remembered")
        yield f"{count} and not written, for baseline=: the next visit writes what is new", ""
    if older := dropped[Drop.SINCE]:
        one, many = (
            "article that is older than since= was",
            "articles that are older than since= were",
        )
        yield f"{numbered(older, one, many)} left out", ""
    if undated := dropped[Drop.NO_DAY]:
        count = numbered(
            undated, "article was left out that has", "articles were left out that have"
        )
        yield f"{count} no day to compare with since=", ""
    filters = "by include=, exclude= or a hook"
    if articles := dropped[Drop.FILTERED]:
        yield f"{numbered(articles, 'article was', 'articles were')} left out {filters}", ""
    links = counts["links/filtered"]
    if links and not outcome.articles:
        yield f"{numbered(links, 'link was', 'links were')} left out {filters}", ""
    if pages := counts["pages/filtered"]:
        yield f"{numbered(pages, 'page was', 'pages were')} left out by a page filter", ""
    if deep := counts["pages/deep"]:
        yield f"the links of {numbered(deep, 'listing page')} were not followed, for depth=", ""
    if unsent := counts["pages/unsent"]:
        count = numbered(unsent, "page was", "pages were")
        request = "request" if unsent == 1 else "requests"
        why = f"a setting or spider middleware of Scrapy dropped the {request}"
        yield f"{count} not requested: {why} (in place of DEPTH_LIMIT use depth=)", ""


def _copies(outcome: Ended) -> Iterator[tuple[str, str]]:
    dropped, counts = outcome.gaps.dropped, outcome.gaps.counts
    if repeats := dropped[Drop.REPEAT]:
        one, many = (
            "page that repeats the text of others was",
            "pages that repeat the text of others were",
        )
        alike = counts["traps/repeats"]
        links = f", and {numbered(alike, 'link')} like theirs" if alike else ""
        yield f"{numbered(repeats, one, many)} left out{links}", ""
    if known := dropped[Drop.KNOWN]:
        count = numbered(
            known,
            "article that was written under another URL was",
            "articles that were written under other URLs were",
        )
        yield f"{count} left out", ""
    if moved := counts["items/moved"]:
        count = numbered(moved, "article has moved and was", "articles have moved and were")
        yield f"{count} written as revisions of what they were", ""


def _no_articles(outcome: Ended) -> Iterator[tuple[str, str]]:
    """Pages that are no articles, though something promised one. Some wrong guesses are normal:
    they are worth a line from a tenth of the articles on."""
    if empty := outcome.gaps.dropped[Drop.EMPTY]:
        count = numbered(empty, "page without any text was", "pages without any text were")
        yield f"{count} left out", ""
    unkept = outcome.gaps.counts["unkept"]
    if unkept > 0.1 * outcome.articles:
        count = numbered(
            unkept,
            "page looked like an article by its link, but is not",
            "pages looked like articles by their links, but are not",
        )
        yield f"{count} (sitecrawl why URL explains one)", ""


def _beyond_reach(outcome: Ended) -> Iterator[tuple[str, str]]:
    """Links that the crawl did not follow, and files that it did not read."""
    gaps = outcome.gaps
    if dead := gaps.counts["traps/dead"]:
        count = numbered(
            dead, "link like those that lead nowhere was", "links like those that lead nowhere were"
        )
        yield f"{count} not followed", "-a effort=full follows them"
    # two links may lead to one article that has several URLs
    for place, links in gaps.redirected.most_common(1):
        if links > max(2, 0.1 * outcome.articles):
            yield f"{links} links to articles lead to {place}", ""
    if unread := gaps.counts["hints/failed"] + gaps.counts["hints/left"]:
        count = numbered(unread, "feed or sitemap was", "feeds or sitemaps were")
        yield f"{count} not read", ""
    if cut := gaps.counts["hints/cut"]:
        count = numbered(
            cut, "feed or sitemap came without its end", "feeds or sitemaps came without their end"
        )
        yield f"{count}: entries may be missing", ""
    if len(gaps.scripted) > outcome.articles:
        yield f"{len(gaps.scripted)} links that are scripts could not be followed", ""
    if len(gaps.files) > 0.1 * outcome.articles:
        count = numbered(
            len(gaps.files), "file in a list of articles was", "files in lists of articles were"
        )
        yield f"{count} not read (PDF, Word)", ""
    host, links = next(iter(gaps.elsewhere.items()), ("", 0))
    if links > outcome.articles:
        add = f"if it belongs to the site, add http://{host}/ to start="
        yield f"{links} links that may be articles lead to {host}: {add}", ""


def _scripted_lists(outcome: Ended) -> Iterator[tuple[str, str]]:
    """Listing pages that show more only to a script. Lists of chance have chance lengths; several
    that end at the same, greatest length are cut."""
    counts, lengths = outcome.gaps.counts, outcome.gaps.lengths
    if scripted := counts["scripted"]:
        count = numbered(scripted, "listing page has", "listing pages have")
        yield f"{count} further pages that only a script shows", "--scroll loads them in a browser"
    if scrolled := counts["scrolled"]:
        count = numbered(scrolled, "listing page still offers", "listing pages still offer")
        yield f"{count} more after --scroll, which brought all that it could", _MORE_WAYS
    longest = max(lengths, default=0)
    is_cut = longest > 4 and lengths[longest] > 2 and outcome.completeness.found >= 2 * longest
    if is_cut and not (counts["linked"] or scripted or scrolled):
        pages = f"{lengths[longest]} listing pages end at {longest} articles each"
        yield f"{pages} and link to no further page: a script may load more", _MORE_WAYS


def _improbable_pages(outcome: Ended) -> Iterator[tuple[str, str]]:
    """Pages that are probably no articles. A limited run has most of them left, which says
    nothing."""
    known = outcome.completeness
    is_limited = outcome.reason != "finished" and (known.unopened or known.unread)
    if known.others > outcome.articles and not is_limited:
        yield (
            f"{known.others} pages that are probably not articles were not opened",
            _EVERYTHING,
        )


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
