"""What a site model says of a page of a crawl."""

from __future__ import annotations

from dataclasses import dataclass, field

from sitecrawl.article import Article


@dataclass(slots=True, frozen=True)
class Event:
    """Something that happened to a template: ``kind`` is induced, trusted, drifting or replaced."""

    kind: str
    cluster: str
    version: int = 0
    detail: str = ""


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
