"""Why a visit, or a series of visits, is not as it should be: one enum. Each row carries the
sentence, the severity and the remedy. Which rows hold, rules decide: those of one visit in
:mod:`sitecrawl.crawl.last_lines`, those of a series in the report."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, StrEnum

_NUMBERED = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")


class Severity(StrEnum):
    """How bad a reason is, the worst first."""

    BROKEN = "broken"
    WATCH = "watch"
    FINE = "fine"


BROKEN, WATCH, FINE = Severity

_EVERYTHING = "-a effort=full opens them"
_MORE_WAYS = "if articles are missing: -a discover=links,feeds,sitemap"


class VisitReason(Enum):
    """A row: its sentence, severity and remedy. In a sentence ``{}`` stands for what was found, and
    ``[article|articles]`` for the word that fits the first number."""

    # ---- of one visit: what its last lines say, the gravest first
    STOPPED = "stopped: run the same command again to continue", FINE
    NO_LINK = (
        "no link looks like an article: start from a page that lists articles"
        " (sitecrawl links URL shows the links of a page)",
        WATCH,
    )
    START_IS_ARTICLE = (
        "[the start page is an article itself|{} start pages are articles themselves]:"
        " start from a page that lists articles",
        WATCH,
    )
    REWRITTEN = (
        "{} [article of earlier runs was|articles of earlier runs were] written again",
        FINE,
    )
    NOTHING_NEW = (
        "no article is new",
        FINE,
        "-O FILE -s SITECRAWL_REWRITE=1 writes those of earlier runs again",
    )
    ERRED = (
        "{} [article was|articles were] not written because of an error"
        " (the log has it; the next run tries again)",
        WATCH,
    )
    UNFETCHED = "{} {} could not be fetched ({})", WATCH
    UNREADABLE = "{} {} could not be read ({})", WATCH
    WITHHELD = (
        "{} [item of another kind was|items of other kinds were] left out ({}):"
        " sitecrawl families {}",
        FINE,
    )
    DOUBTFUL = "{} [family is|families are] doubtful ({}): sitecrawl families {}", FINE
    UNOPENED = "{}{} {} not opened", FINE, _EVERYTHING
    UNOPENED_YET = "{}{} {} not opened (the next run continues with them)", FINE
    EMPTIED = (
        "{} [listing page that showed articles before shows"
        "|listing pages that showed articles before show] none now ({})",
        WATCH,
    )
    BARE = (
        "{} [listing page has|listing pages have] no links ({}):"
        " the site refused the request, or a script draws the page",
        WATCH,
    )
    CUT_PAGES = (
        "{} [page came without its end|pages came without their end]:"
        " text and links may be missing (the next run requests such pages again)",
        WATCH,
    )
    REMEMBERED = (
        "{} [article is|articles are] remembered and not written, for baseline=:"
        " the next visit writes what is new",
        FINE,
    )
    OLDER = (
        "{} [article that is older than since= was|articles that are older than since= were]"
        " left out",
        FINE,
    )
    UNDATED = (
        "{} [article was left out that has|articles were left out that have] no day to compare"
        " with since=",
        FINE,
    )
    FILTERED = (
        "{} [article was|articles were] left out by include=, exclude= or a hook",
        FINE,
    )
    FILTERED_LINKS = "{} [link was|links were] left out by include=, exclude= or a hook", FINE
    FILTERED_PAGES = "{} [page was|pages were] left out by a page filter", FINE
    TOO_DEEP = (
        "the links of {} [listing page|listing pages] were not followed, for depth=",
        FINE,
    )
    UNSENT = (
        "{} [page was|pages were] not requested: a setting or spider middleware of Scrapy dropped"
        " the [request|requests] (in place of DEPTH_LIMIT use depth=)",
        WATCH,
    )
    SCRIPTED_LISTS = (
        "{} [listing page has|listing pages have] further pages that only a script shows",
        WATCH,
        "-a scroll=1 loads them in a browser",
    )
    SCROLLED_LISTS = (
        "{} [listing page still offers|listing pages still offer] more after -a scroll=1, which"
        " brought all that it could",
        WATCH,
        _MORE_WAYS,
    )
    CUT_LISTS = (
        "{} listing pages end at {} articles each and link to no further page:"
        " a script may load more",
        WATCH,
        _MORE_WAYS,
    )
    REPEATED = (
        "{} [page that repeats the text of others was|pages that repeat the text of others were]"
        " left out{}",
        FINE,
    )
    KNOWN = (
        "{} [article that was written under another URL was"
        "|articles that were written under other URLs were] left out",
        FINE,
    )
    MOVED_ARTICLES = (
        "{} [article has moved and was|articles have moved and were] written as revisions of what"
        " they were",
        FINE,
    )
    EMPTY = "{} [page without any text was|pages without any text were] left out", FINE
    UNKEPT = (
        "{} [page looked like an article by its link, but is not"
        "|pages looked like articles by their links, but are not]"
        " (sitecrawl why URL explains one)",
        FINE,
    )
    DEAD_LINKS = (
        "{} [link like those that lead nowhere was|links like those that lead nowhere were]"
        " not followed",
        FINE,
        "-a effort=full follows them",
    )
    REDIRECTED = "{} links to articles lead to {}", WATCH
    UNREAD_FILES = "{} [feed or sitemap was|feeds or sitemaps were] not read", FINE
    CUT_FILES = (
        "{} [feed or sitemap came without its end|feeds or sitemaps came without their end]:"
        " entries may be missing",
        WATCH,
    )
    SCRIPT_LINKS = "{} links that are scripts could not be followed", WATCH
    DOCUMENTS = (
        "{} [file in a list of articles was|files in lists of articles were] not read (PDF, Word)",
        FINE,
    )
    ELSEWHERE = (
        "{} links that may be articles lead to {}: if it belongs to the site, add http://{}/ to"
        " start=",
        WATCH,
    )
    IMPROBABLE = (
        "{} pages that are probably not articles were not opened",
        FINE,
        _EVERYTHING,
    )

    def __init__(self, sentence: str, severity: Severity, *remedy: str) -> None:
        self.sentence = sentence
        self.severity = severity
        self.remedy = "".join(remedy)

    def text(self, *found: object) -> str:
        """The sentence about what was found.

        >>> VisitReason.FILTERED.text(1)
        '1 article was left out by include=, exclude= or a hook'
        >>> VisitReason.DOUBTFUL.text(2, "9 items", "a.example")
        '2 families are doubtful (9 items): sitecrawl families a.example'
        """
        is_one = bool(found) and found[0] == 1
        words = _NUMBERED.sub(r"\1" if is_one else r"\2", self.sentence)
        return words.format(*found)


@dataclass(frozen=True, slots=True)
class Finding:
    """A reason that holds, with what was found."""

    reason: VisitReason
    found: tuple[object, ...] = ()

    @property
    def text(self) -> str:
        return self.reason.text(*self.found)


def numbered(count: float, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> numbered(1, "page"), numbered(2, "page"), numbered(0, "page was", "pages were")
    ('1 page', '2 pages', '0 pages were')
    """
    words = one if count == 1 else many or f"{one}s"
    return f"{count} {words}"
