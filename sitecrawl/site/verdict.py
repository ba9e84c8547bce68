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
_FLOOR = 0.02
"""Least share that a probability is taken for: beyond it the logit says nothing more."""
_MOST = 2.0
"""Most that the page's looks may weigh against its link's promise."""
_FOR, _AGAINST, _BIAS = 1.8, 1.0, 0.4
"""Weights of the promise's logit where it speaks for an article and where it speaks against one, and the logit at which it
says nothing: a page that was asked for as a listing must be able to show that it is an article."""
_SURE = 0.9
"""Promise at which a page with headline and date is an article although it shows no text (a scan, an attachment)."""
STRANGER = 0.12
"""Least promise at which any page can be an article: one that looks like nothing else and is dated."""
_DATED, _UNDATED = 0.5, -0.3
"""Weight of a date of publication, and of none."""


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

    ``article`` is None on pages that are no article; ``waits`` tells that a better answer may come: ask ``extract`` again
    when an event trusts or replaces the template of ``family``, and after ``settle``. A template is trusted twice: when it holds, and
    (``detail`` is "confirmed") when it held on further pages and is not induced again.
    """

    kind: PageKind
    article: Article | None
    family: str = ""
    waits: bool = False
    events: list[Event] = field(default_factory=list)
    compared: bool = True
    """Whether an answer by template was compared with the extractor's and agreed with it; else later pages may prove the template wrong."""
    alike: bool = False
    """Whether a page that is none for what its link promised looks so much like an article that little would be enough."""
    looks: bool = True
    """Whether the page itself looks like an article, by what nearly all of its family did where it was not looked at."""


def judge(guess: Extraction, promise: float) -> PageKind:
    """Kind of a page: its looks and what its link promised, weighed together.

    ``promise`` is the probability, 0..1, that the link which led here leads to an article.
    """
    article, looks_like = guess.article, guess.page_type
    if not (article.articleBody.strip() or article.mainImage or article.images):
        if promise >= _SURE and article.headline and article.datePublished:
            return PageKind.ARTICLE
        return PageKind.LISTING if looks_like is PageKind.LISTING else PageKind.OTHER
    looks = _logit(guess.page_type_score) * (1 if looks_like.is_article else -1)
    promised = _logit(promise) - _BIAS
    evidence = (_FOR if promised > 0 else _AGAINST) * promised + max(-_MOST, min(_MOST, looks))
    evidence += _DATED if article.datePublished else _UNDATED
    if evidence <= 0:
        return PageKind.OTHER if looks_like is PageKind.OTHER else PageKind.LISTING
    return PageKind.THREAD if looks_like is PageKind.THREAD else PageKind.ARTICLE


def _logit(share: float) -> float:
    bounded = min(1 - _FLOOR, max(_FLOOR, share))
    return log(bounded / (1 - bounded))


def event_line(site: str, event: Event, url: str = "") -> str:
    """An event as one line of ``key=value`` for a log; values are JSON where they are more than a word. ``url`` is the page it met.

    >>> event = Event(EventKind.DRIFTING, "template-1", 2, "body gone")
    >>> event_line("example.com", event, "http://example.com/a")
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
    return " ".join(f"{name}={_plain(str(value))}" for name, value in values.items())


def _plain(value: str) -> str:
    return value if _WORD.match(value) else json.dumps(value, ensure_ascii=False)
