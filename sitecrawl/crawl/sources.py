"""Ways in which a page leads to others besides its links: one small class each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Protocol

from sitecrawl.crawl.references import named_elsewhere, other_references, page_urls
from sitecrawl.crawl.scripts import read_scripts
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import absolute
from sitecrawl.urls.canonical import is_page


class HintKind(StrEnum):
    """What a page says of a URL."""

    SHOWN = "shown"
    """Readers are led there."""
    HIDDEN = "hidden"
    """It stands in the page for its scripts."""
    LANGUAGE = "language"
    """It is the page in another language."""
    FRAME = "frame"
    """It is a part of the page, shown in a frame."""
    UNREAD = "unread"
    """No URL: a call of a script that cannot be read."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A URL that a page leads to otherwise than by a link."""

    url: str
    kind: HintKind


class PageSource(Protocol):
    """A way in which pages lead to others."""

    def pages(self, page: Page) -> Iterable[Hint]:
        """What a page leads to in this way, in the order of the page."""


class Scripts:
    """Links that call small functions of the page which put an address together."""

    def pages(self, page: Page) -> Iterable[Hint]:
        """The addresses, and the calls that cannot be read."""
        found = read_scripts(page)
        yield from (Hint(url, HintKind.SHOWN) for url in page_urls(found.hrefs, page))
        yield from (Hint(call, HintKind.UNREAD) for call in sorted(found.lost))


class References:
    """Inner frames, image maps, lists of choices, forms with nothing to type, scripted elements, the ``rel=next`` of a head."""

    def pages(self, page: Page) -> Iterable[Hint]:
        """What readers are led to."""
        return (Hint(url, HintKind.SHOWN) for url in other_references(page))


class Languages:
    """The page in other languages, by its head."""

    def pages(self, page: Page) -> Iterable[Hint]:
        """The ``hreflang`` links of the head."""
        nodes = (
            node for node in page.root.iter("link") if "alternate" in (node.get("rel") or "") and node.get("hreflang")
        )
        return (Hint(url, HintKind.LANGUAGE) for url in page_urls((node.get("href") or "" for node in nodes), page))


class Data:
    """Addresses that stand in a page for its scripts."""

    def pages(self, page: Page) -> Iterable[Hint]:
        """Addresses in attributes and in lists of scripts."""
        return (Hint(url, HintKind.HIDDEN) for url in named_elsewhere(page))


class Frames:
    """The pages of a frameset."""

    def pages(self, page: Page, *, most: int = 20) -> Iterable[Hint]:
        """At most so many frames."""
        found = (absolute(node.get("src") or "", page.base_url) for node in page.root.iter("frame"))
        return (Hint(url, HintKind.FRAME) for url in dict.fromkeys(islice(found, most)) if url and is_page(url))


SOURCES: tuple[PageSource, ...] = (Scripts(), References(), Languages(), Data())
"""The ways in which a listing page leads to others; feeds and frames are asked for by themselves."""
