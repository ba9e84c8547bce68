"""The article of one page from that page alone: the fallback, and the votes from which templates
are induced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from html import escape

import numpy as np
from lxml import etree

from sitecrawl.dom.blocks import BITS, Blocks, Flags, Floats, Ints
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content
from sitecrawl.extract.confidence import page_confidence
from sitecrawl.extract.data_text import DataText, text_in_data
from sitecrawl.extract.details import is_teaser, printed_change
from sitecrawl.extract.ensemble import Selection, revise_body, select_body
from sitecrawl.extract.fields import READERS, near_element
from sitecrawl.extract.headline import HeadlineSearch
from sitecrawl.extract.page_type import page_features, page_type
from sitecrawl.extract.published import Dated, find_published
from sitecrawl.items.article import Article, Provenance
from sitecrawl.items.kinds import UNSURE_BELOW, Flag, Headline, PageKind
from sitecrawl.plugins import EXTRACTORS, plugged
from sitecrawl.text.announcements import COMMENTS, label_kind

# the method that ships with the core; published ones are plugged in (`sitecrawl.plugins`)
ENSEMBLE = "ensemble"


class Extraction:
    """The single-page extraction (``sitecrawl.items.kinds.PageGuess``), each part computed when it
    is first asked for: headline and date, which are far cheaper than the rest; scores of blocks,
    body, page type, article. ``anchor`` is the text of the link to the page. Raises ValueError for
    an unknown method."""

    def __init__(self, page: Page, method: str = ENSEMBLE, *, anchor: str = "") -> None:
        self.page, self.method, self.anchor = page, method, anchor
        self._select = None if method == ENSEMBLE else _plugged_in(method)

    @cached_property
    def search(self) -> HeadlineSearch:
        return HeadlineSearch(self.page, self.anchor)

    @property
    def headline(self) -> Headline:
        return self.search.best

    @cached_property
    def headlines(self) -> list[Headline]:
        return self.search.likely()

    @cached_property
    def block(self) -> int:
        """Number of the headline's block, or -1."""
        return self.page.document.block_at(self.headline.element)

    @cached_property
    def dated(self) -> Dated | None:
        return find_published(self.page, self.block)

    @property
    def near(self) -> list[str]:
        """Short texts around the headline."""
        return near_element(self.page.document, max(0, self.headline.element))

    @property
    def nodes(self) -> dict[str, etree._Element]:
        """The elements of headline and date."""
        marked = {
            "headline": self.headline.node,
            "datePublished": self.dated.node if self.dated else None,
        }
        return {name: node for name, node in marked.items() if node is not None}

    @property
    def blocks(self) -> Blocks:
        return self.page.document.blocks

    @property
    def ranges(self) -> tuple[Ints, Ints]:
        return self.page.document.ranges

    @property
    def scores(self) -> Floats:
        return self.network.scores

    @property
    def kept(self) -> Flags:
        return self.selection.kept

    @property
    def said(self) -> Flags:
        found = self.selection.said
        return np.zeros(len(self.kept), bool) if found is None else found

    @cached_property
    def network(self) -> Selection:
        """The body by the network alone, or by the method that was plugged in; from it the type of
        the page is read."""
        try:
            return self._select(self.page) if self._select else select_body(self.page, self.block)
        except OSError as error:  # a crawl would take it for one of its state
            raise RuntimeError(f"the extractor {self.method} failed") from error

    @cached_property
    def selection(self) -> Selection:
        if self._select:
            return self.network
        return revise_body(self.page, self.network, headline=self.block, dated=self.dated)

    @cached_property
    def data_text(self) -> DataText:
        """The text that stands only in the data of a page, since a script draws it; else empty."""
        texts = self.blocks.texts
        places = [at for at in self.kept.nonzero()[0].tolist() if at != self.block]
        shown = [texts[at] for at in places]
        words = int(self.blocks.words[places].sum())
        return text_in_data(self.page, self.headline.text or "", shown=shown, words=words)

    @property
    def is_complete(self) -> bool:
        """Whether more than headline and date has been computed."""
        return "network" in vars(self)

    @cached_property
    def type_features(self) -> Floats:
        """What the type of the page is read from (``page_type.NAMES``)."""
        return page_features(
            self.page,
            self.network,
            headline=self.headline,
            dated=self.dated,
        )

    @cached_property
    def _type(self) -> tuple[PageKind, float]:
        return page_type(self.page, self.network, self.type_features)

    @property
    def page_type(self) -> PageKind:
        """The type of the page. Raises ModelError if the shipped model cannot be read."""
        return self._type[0]

    @property
    def page_type_score(self) -> float:
        """Probability of that type, 0..1. Raises ModelError as ``page_type``."""
        return self._type[1]

    @cached_property
    def article(self) -> Article:
        """The article, which a crawl does not ask of most listings."""
        article = _article_of(self)
        confidence = self._confidence
        _, origin = self.data_text
        flags = list[str]()
        if self.page.is_cut:
            flags.append(Flag.TRUNCATED)
        if self.page.ends_early:
            flags.append(Flag.INCOMPLETE)
        if article.isAccessibleForFree is False and is_teaser(self.page, article.wordCount or 0):
            flags.append(Flag.PAYWALLED)
        is_own = self.method == ENSEMBLE
        if is_own and (confidence < UNSURE_BELOW or self._is_nearly_empty):
            flags.append(Flag.UNSURE)
        origins = {
            "articleBody": origin or self.method,
            "headline": self.headline.origin,
            "datePublished": self.dated.origin if self.dated else "",
        }
        fields = {name: origin for name, origin in origins.items() if origin}
        article.provenance = Provenance(
            "fallback", confidence=confidence, fields=fields, flags=flags
        )
        return article

    @property
    def _confidence(self) -> float:
        """How sure the body is, 0..1."""
        text, _ = self.data_text
        if text:
            return _OF_DATA
        if self.method == ENSEMBLE:
            return page_confidence(self.blocks, self.selection)
        return self.page_type_score

    @property
    def _is_nearly_empty(self) -> bool:
        """Whether the body is a short text of the page's data, or the headline alone."""
        text, _ = self.data_text
        if text:
            return len(text) < _SHORT_DATA
        return self.kept.nonzero()[0].tolist() == [self.block]


def methods() -> list[str]:
    """Names of the available extraction methods."""
    return [ENSEMBLE, *sorted(plugged(EXTRACTORS))]


@cache
def _plugged_in(method: str) -> Callable[[Page], Selection]:
    found = plugged(EXTRACTORS).get(method)
    if found is None:
        raise ValueError(f"unknown extractor {method!r}: choose one of {', '.join(methods())}")
    extractor: Callable[[Page], Selection] = found.load()
    return extractor


_OF_DATA = 0.72
"""Confidence of a text that stands in the page's data: the share of such texts of 68 labelled pages
that were the whole text."""
_SHORT_DATA = 200  # characters below which such a text is doubted
_SIGNATURES = 8  # blocks from the last of the body on that may hold the signature of its author
_SHORT = 200  # characters below which a block may be a signature
_FOOT_LINES = 2  # texts from the end of the body on that may tell the day of its last change


def _article_of(found: Extraction) -> Article:
    """The article of an extraction with all its fields. It holds elements of the page, but not the
    page: others may keep it."""
    content = _content_of(found)
    last = max(found.kept.nonzero()[0].tolist(), default=len(found.blocks))
    below, comments = texts_below(found.page, last)
    # comments name no author of the article
    near = [text for text in found.near if text not in comments]
    clues = _PageClues(
        page=found.page,
        title=found.headline.text or "",
        headline=found.headline,
        dated=found.dated,
        content=content,
        near=near,
        below=below,
    )
    article = Article(url=found.page.url or None, body=content)
    for name, read in READERS.items():
        setattr(article, name, read(clues))
    return article


def _content_of(found: Extraction) -> Content:
    """The body as it is shown: what the extractor selected, else what a script would draw."""
    base_url = found.page.base_url
    drawn = found.data_text.text
    if not drawn:
        selection = found.selection
        return Content(
            selection.nodes,
            selection.skip,
            base_url,
            selection.mute,
            meter=found.page.meter,
        )
    text = drawn if "</" in drawn else escape(drawn, quote=False)
    paragraphs = text.replace("\n", "<p>")
    return Content([parse(f"<p>{paragraphs}").root], base_url=base_url)


def texts_below(page: Page, last: int) -> tuple[list[str], list[str]]:
    """Short texts from the ``last`` block of the body on, where old blogs sign an article; and the
    first texts of the comments, if these begin there."""
    blocks = page.document.blocks
    texts = blocks.texts
    above = page.document.above[blocks.owner] & BITS["comment"]
    begin = len(texts)
    for at in range(last + 1, min(last + _SIGNATURES, len(texts))):
        if above[at] or label_kind(texts[at]) == COMMENTS:
            begin = at
            break
    below = texts[last : min(begin, last + _SIGNATURES)]
    return [text for text in below if len(text) < _SHORT], texts[begin : begin + _SIGNATURES]


@dataclass(frozen=True, slots=True)
class _PageClues:
    """Clues of an extracted page, from which the fields of its article are read (see
    ``fields.Clues``)."""

    page: Page
    title: str
    headline: Headline
    dated: Dated | None
    content: Content
    near: Sequence[str]
    below: Sequence[str]

    @property
    def changed(self) -> str | None:
        # what stands above the text comes first
        return printed_change([*self.near, *self.below[:_FOOT_LINES]])
