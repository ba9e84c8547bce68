"""The verdict of a site model on a page of a crawl: whether it is an article, which one, and what
happened to the site's templates."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from enum import StrEnum

from sitecrawl.items.article import Article
from sitecrawl.items.kinds import PageKind

_WORD = re.compile(r"^[\w.:,-]+$")  # needs no quotes in a line of key=value


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
