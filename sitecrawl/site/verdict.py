"""What a site model says of a page of a crawl."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from sitecrawl.items.article import Article

_WORD = re.compile(r"^[\w.:,-]+$")


@dataclass(slots=True, frozen=True)
class Event:
    """Something that happened to a template: ``kind`` is induced, trusted, drifting or replaced."""

    kind: str
    cluster: str
    version: int = 0
    detail: str = ""


def event_line(site: str, event: Event, url: str = "") -> str:
    """An event as one line of ``key=value`` for a log; values are JSON where they are more than a word. ``url`` is the page it met.

    >>> event_line("example.com", Event("drifting", "template-1", 2, "body gone"), "http://example.com/a")
    'event=template kind=drifting site=example.com template=template-1 version=2 detail="body gone" url="http://example.com/a"'
    """
    values = {
        "event": "template",
        "kind": event.kind,
        "site": site,
        "template": event.cluster,
        "version": event.version,
    }
    values |= {name: value for name, value in (("detail", event.detail), ("url", url)) if value}
    return " ".join(f"{name}={_plain(str(value))}" for name, value in values.items())


def _plain(value: str) -> str:
    return value if _WORD.match(value) else json.dumps(value, ensure_ascii=False)


@dataclass(slots=True)
class Verdict:
    """What one page turned out to be.

    ``article`` is None on pages that are no article; ``waits`` tells that it is a fallback answer whose family may soon
    have a trusted template; ``cluster`` names the family.
    """

    page_type: str
    article: Article | None
    cluster: str = ""
    waits: bool = False
    events: list[Event] = field(default_factory=list)
