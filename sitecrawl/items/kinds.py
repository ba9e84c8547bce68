"""Records that several packages share: labels of links, kinds of pages, states of templates and
flags (each member equals its string), and the single-page extraction from which templates are
learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from lxml import etree

from sitecrawl.dom.blocks import Blocks, Flags, Floats, Ints
from sitecrawl.dom.page import Page
from sitecrawl.items.article import Article
from sitecrawl.items.article import Flag as Flag


class LinkLabel(StrEnum):
    """What a link leads to."""

    ARTICLE = "article"  # one article or thread
    SECTION = "section"  # a listing: category, tag, archive, pagination
    OTHER = "other"


class PageKind(StrEnum):
    """What a fetched page is."""

    ARTICLE = "article"
    THREAD = "thread"
    PRODUCT = "product"
    EVENT = "event"
    PAGE = "page"  # a fixed page: about, contact, terms
    MEDIA = "media"  # the page of a picture or another attachment
    LISTING = "listing"
    OTHER = "other"

    @property
    def is_article(self) -> bool:
        """Whether an item is written for such a page."""
        return self in (PageKind.ARTICLE, PageKind.THREAD)


class TemplateState(StrEnum):
    """State in the life cycle of a template."""

    CANDIDATE = "candidate"  # induced, but not yet confirmed on other pages
    TRUSTED = "trusted"
    DRIFTING = "drifting"  # withdrawn, since several pages did not fit
    REPLACED = "replaced"  # a newer version is in use


# confidence below which a body is flagged: three in four of them were wrong on sites not trained on
UNSURE_BELOW = 0.5


@dataclass(frozen=True, slots=True)
class Headline:
    """Text, origin, number and node of its element (-1 and None if it comes from metadata), and a
    score, 0..1."""

    text: str | None
    origin: str
    element: int = -1
    node: etree._Element | None = None
    score: float = 0.0


class PageGuess(Protocol):
    """The single-page extraction of a ``page``; ``sitecrawl.extract.single.Extraction`` is one. For
    every block ``scores`` holds the probability that it
    is body, ``kept`` whether it is, ``said`` whether it was left out as a comment. For every element of the tree ``ranges`` holds the number of
    its first block and the number after its last one.
    ``nodes`` are the elements of headline and date. ``headlines`` are the likeliest headlines, best
    first; the pages of a site vote on them."""

    @property
    def page(self) -> Page: ...
    @property
    def article(self) -> Article: ...
    @property
    def nodes(self) -> dict[str, etree._Element]: ...
    @property
    def headlines(self) -> Sequence[Headline]: ...
    @property
    def blocks(self) -> Blocks: ...
    @property
    def ranges(self) -> tuple[Ints, Ints]: ...
    @property
    def scores(self) -> Floats: ...
    @property
    def kept(self) -> Flags: ...
    @property
    def said(self) -> Flags: ...
