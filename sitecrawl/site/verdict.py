"""The verdict of a site model on a page of a crawl: whether it is an article, which one, and what
happened to the site's templates."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from enum import StrEnum
from math import log

from sitecrawl.extract.single import Extraction
from sitecrawl.items.article import Article
from sitecrawl.items.kinds import PageKind

_WORD = re.compile(r"^[\w.:,-]+$")  # needs no quotes in a line of key=value
# least probability of a link, 0..1, at which a dated page that looks like an article is one
LEAST_PROMISE = 0.12
# logit of a neutral promise, above 0: a page requested as a listing may prove to be an article
_BIAS = 0.4
_FOR, _AGAINST = (
    1.8,
    1.0,
)  # weights of the link's logit if it is evidence for, and against, an article
_DATED, _UNDATED = 0.5, -0.3  # logits of a page with and without a date of publication


class EventKind(StrEnum):
    """What happened to a template: ``DRIFTING`` if it is withdrawn, ``REDESIGNED`` if that turns
    out to be because the site was redesigned."""

    INDUCED = "induced"
    TRUSTED = "trusted"
    DRIFTING = "drifting"
    REDESIGNED = "redesigned"
    REPLACED = "replaced"


@dataclass(slots=True, frozen=True)
class Event:
    """A change of a family's template; ``version`` is that of the template."""

    kind: EventKind
    family: str
    version: int = 0
    detail: str = ""


@dataclass(slots=True)
class Verdict:
    """The verdict on one page. ``article`` is None if the page is no article. ``waits``: a better
    result may come. Call ``extract`` again when an event trusts or replaces the template of
    ``family``, and after ``settle``. A template is *trusted* if templates of a part of its pages
    agree with the extractor on the others, and *confirmed* (the ``detail`` of a further event)
    after four more pages."""

    kind: PageKind
    article: Article | None
    family: str = ""
    waits: bool = False
    events: list[Event] = field(default_factory=list)
    is_lookalike: bool = (
        False  # whether it would be an article if its link had the probability `LEAST_PROMISE`
    )
    headline: float | None = (
        None  # the extractor's confidence in the headline, 0..1; None if only a template read it
    )
    confidence: float = 0.0  # the extractor's confidence in the body, 0..1; 0 without an article


def judge(
    guess: Extraction, promise: float, *, certain: float = 0.9, most_looks: float = 2.0
) -> PageKind:
    """The kind of a page: the sum of three log-odds, of its link, of the page-type model, and of
    its date. ``promise`` is the probability, 0..1, that
    the link leads to an article. From ``certain`` on a page with headline and date is an article
    even without text (a scan, an attachment).
    ``most_looks`` bounds the page-type model, which was trained on other sites and can be wrong
    with full confidence."""
    looks_like, promised = guess.page_type, logit(promise) - _BIAS
    looks = logit(guess.page_type_score) * (1 if looks_like.is_article else -1)
    evidence = (_FOR if promised > 0 else _AGAINST) * promised + max(
        -most_looks, min(most_looks, looks)
    )
    if not looks_like.is_article and evidence + _DATED <= 0:
        return looks_like  # whatever is on the page: most listings need no article
    article = guess.article
    if not (article.articleBody.strip() or article.mainImage or article.images):
        if promise >= certain and article.headline and article.datePublished:
            return PageKind.ARTICLE
        return PageKind.LISTING if looks_like is PageKind.LISTING else PageKind.OTHER
    evidence += _DATED if article.datePublished else _UNDATED
    if evidence <= 0:
        return PageKind.OTHER if looks_like is PageKind.OTHER else PageKind.LISTING
    return PageKind.THREAD if looks_like is PageKind.THREAD else PageKind.ARTICLE


def logit(share: float, *, floor: float = 0.02) -> float:
    """Log-odds of a probability, clipped to ``floor`` from 0 and 1, beyond which neither model is
    calibrated."""
    bounded = min(1 - floor, max(floor, share))
    return log(bounded / (1 - bounded))


def event_line(site: str, event: Event, *, url: str = "") -> str:
    """An event as one log line of ``key=value``; values of several words are JSON. ``url`` is the
    page that caused it.

    >>> event = Event(EventKind.DRIFTING, "template-1", 2, "body gone")
    >>> event_line("example.com", event, url="http://example.com/a")
    'event=template kind=drifting site=example.com template=template-1 version=2 detail="body gone" url="http://example.com/a"'
    """
    values = {
        "event": "template",
        "kind": event.kind,
        "site": site,
        "template": event.family,
        "version": event.version,
    }
    values |= {name: value for name, value in (("detail", event.detail), ("url", url)) if value}
    texts = {name: str(value) for name, value in values.items()}
    return " ".join(
        f"{name}={text if _WORD.match(text) else json.dumps(text, ensure_ascii=False)}"
        for name, text in texts.items()
    )
