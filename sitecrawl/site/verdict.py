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
_FOR = 1.8  # weight of the link's logit if it is evidence for an article
_AGAINST = 1.0  # the same against one
_CERTAIN = 0.9  # probability of a link to an article that may have no text
# bound of the page-type model, which was trained on other sites and can be wrong with full
# confidence
_MOST_LOOKS = 2.0
_FLOOR = 0.02  # distance from 0 and 1 beyond which neither model is calibrated
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
    # whether it would be an article if its link had the probability `LEAST_PROMISE`
    is_lookalike: bool = False


def judge(guess: Extraction, promise: float) -> PageKind:
    """The kind of a page: the sum of three log-odds, of its link, of the page-type model, and of
    its date. ``promise`` is the probability, 0..1, that
    the link leads to an article. From ``_CERTAIN`` on a page with headline and date is an article
    even without text (a scan, an attachment)."""
    looks_like = guess.page_type
    evidence = _evidence(guess, promise)
    if not looks_like.is_article and evidence + _DATED <= 0:
        return looks_like  # whatever is on the page: most listings need no article
    article = guess.article
    if not (article.articleBody.strip() or article.mainImage or article.images):
        if promise >= _CERTAIN and article.headline and article.datePublished:
            return PageKind.ARTICLE
        return PageKind.LISTING if looks_like is PageKind.LISTING else PageKind.OTHER
    evidence += _DATED if article.datePublished else _UNDATED
    if evidence <= 0:
        return PageKind.OTHER if looks_like is PageKind.OTHER else PageKind.LISTING
    return PageKind.THREAD if looks_like is PageKind.THREAD else PageKind.ARTICLE


def _evidence(guess: Extraction, promise: float) -> float:
    """The log-odds of the link and of the page-type model."""
    looks = logit(guess.page_type_score)
    if not guess.page_type.is_article:
        looks = -looks
    promised = logit(promise) - _BIAS
    weight = _FOR if promised > 0 else _AGAINST
    return weight * promised + max(-_MOST_LOOKS, min(_MOST_LOOKS, looks))


def logit(share: float) -> float:
    """Log-odds of a probability, clipped to ``_FLOOR`` from 0 and 1."""
    bounded = min(1 - _FLOOR, max(_FLOOR, share))
    return log(bounded / (1 - bounded))


def event_line(
    site: str,
    event: Event,
    *,
    url: str = "",
) -> str:
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
        "detail": event.detail,
        "url": url,
    }
    parts = list[str]()
    for name, value in values.items():
        if value or name not in ("detail", "url"):
            text = str(value)
            quoted = text if _WORD.match(text) else json.dumps(text, ensure_ascii=False)
            parts.append(f"{name}={quoted}")
    return " ".join(parts)
