"""What a site model says of a page of a crawl: is it an article, which one, and what happened to the site's templates?"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from enum import StrEnum
from math import log

from sitecrawl.extract.single import Extraction
from sitecrawl.items.article import Article
from sitecrawl.items.kinds import PageKind

_WORD = re.compile(r"^[\w.:,-]+$")
LEAST_PROMISE = 0.12
"""Least probability of a link, 0..1, at which its page can be an article: one that looks like nothing else and is dated."""
_BIAS = 0.4
"""Logit of a link's promise that speaks neither for nor against an article: a page that was asked for as a listing must be able to
show that it is an article."""
_FOR, _AGAINST = 1.8, 1.0
"""Weights of the promise's logit where it speaks for an article, and where it speaks against one."""
_DATED, _UNDATED = 0.5, -0.3
"""Logits of a page with a date of publication, and of one without."""


class EventKind(StrEnum):
    """What happened to a template."""

    INDUCED = "induced"
    TRUSTED = "trusted"
    DRIFTING = "drifting"
    REPLACED = "replaced"


@dataclass(slots=True, frozen=True)
class Event:
    """Something that happened to the template of a family; ``version`` is that of the template."""

    kind: EventKind
    family: str
    version: int = 0
    detail: str = ""


@dataclass(slots=True)
class Verdict:
    """What one page turned out to be.

    ``article`` is None on pages that are no article. ``waits`` tells that a better answer may come: ask ``extract`` again when an
    event trusts or replaces the template of ``family``, and after ``settle``. A template is *trusted* after four agreeing pages
    and *confirmed* (the ``detail`` of a further event) after four more.
    """

    kind: PageKind
    article: Article | None
    family: str = ""
    waits: bool = False
    events: list[Event] = field(default_factory=list)
    compared: bool = True
    """Whether the template's answer agreed with the extractor's; False where it was not compared: later pages may prove it wrong."""
    could_be_article: bool = False
    """Of a page judged no article: whether it would be one if its link promised just ``LEAST_PROMISE``."""
    headline: float | None = None
    """How certain the extractor is of the headline, 0..1; None where only a template has read the page."""
    confidence: float = 0.0
    """How certain the extractor is of the body, 0..1."""


def judge(guess: Extraction, promise: float, *, certain: float = 0.9, most_looks: float = 2.0) -> PageKind:
    """Kind of a page, by what it looks like and what its link promised.

    ``promise`` is the probability, 0..1, that the link which led here leads to an article. From ``certain`` on a page with
    headline and date is an article although it shows no text (a scan, an attachment). ``most_looks`` is the largest logit that the
    looks may weigh: page types are learned from other sites, and are wrong with certainty there too.
    """
    article, looks_like = guess.article, guess.page_type
    if not (article.articleBody.strip() or article.mainImage or article.images):
        if promise >= certain and article.headline and article.datePublished:
            return PageKind.ARTICLE
        return PageKind.LISTING if looks_like is PageKind.LISTING else PageKind.OTHER
    looks = _logit(guess.page_type_score) * (1 if looks_like.is_article else -1)
    promised = _logit(promise) - _BIAS
    evidence = (_FOR if promised > 0 else _AGAINST) * promised + max(-most_looks, min(most_looks, looks))
    evidence += _DATED if article.datePublished else _UNDATED
    if evidence <= 0:
        return PageKind.OTHER if looks_like is PageKind.OTHER else PageKind.LISTING
    return PageKind.THREAD if looks_like is PageKind.THREAD else PageKind.ARTICLE


def _logit(share: float, *, floor: float = 0.02) -> float:
    """Log odds of a probability kept ``floor`` away from 0 and 1: beyond that neither model is calibrated."""
    bounded = min(1 - floor, max(floor, share))
    return log(bounded / (1 - bounded))


def event_line(site: str, event: Event, url: str = "") -> str:
    """An event as one line of ``key=value`` for a log; values are JSON where they are more than a word. ``url`` is the page that caused it.

    >>> event = Event(EventKind.DRIFTING, "template-1", 2, "body gone")
    >>> event_line("example.com", event, "http://example.com/a")
    'event=template kind=drifting site=example.com template=template-1 version=2 detail="body gone" url="http://example.com/a"'
    """
    values = {"event": "template", "kind": event.kind, "site": site, "template": event.family, "version": event.version}
    values |= {name: value for name, value in (("detail", event.detail), ("url", url)) if value}
    texts = {name: str(value) for name, value in values.items()}
    return " ".join(
        f"{name}={text if _WORD.match(text) else json.dumps(text, ensure_ascii=False)}" for name, text in texts.items()
    )
