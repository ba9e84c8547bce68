"""What the spider hands to the template middleware."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sitecrawl.crawl.desk import Wanted
from sitecrawl.dom.page import Page


@dataclass(slots=True)
class Found:
    """A fetched page. ``label`` and ``score`` are what its link promised; ``kind`` is set by the middleware, and ``wanted``
    to the further parts of its article that are to be fetched."""

    page: Page
    key: str
    label: str = "article"
    score: float = 0.5
    meta: dict[str, Any] = field(default_factory=dict)
    kind: str = ""
    wanted: list[Wanted] = field(default_factory=list)


@dataclass(slots=True)
class Flush:
    """Ask for every page that still waits."""


@dataclass(slots=True)
class Resume:
    """Ask for what an interrupted run had in hand: items that may be missing in the feed, pages that waited."""

    wanted: list[Wanted] = field(default_factory=list)
