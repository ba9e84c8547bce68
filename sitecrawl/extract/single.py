"""The article of one page from that page alone: the fallback, and the votes from which templates are induced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

from sitecrawl.dom.blocks import Flags
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import Content
from sitecrawl.extract.confidence import page_confidence
from sitecrawl.extract.ensemble import Selection, revise_body, select_body
from sitecrawl.extract.features import View
from sitecrawl.extract.fields import READERS, find_source, near_element
from sitecrawl.extract.headline import HeadlineSearch
from sitecrawl.extract.page_type import Evidence, page_type
from sitecrawl.extract.published import Dated, find_published
from sitecrawl.items.article import Article, Provenance
from sitecrawl.items.kinds import UNSURE_BELOW, Flag, Headline, PageKind
from sitecrawl.plugins import EXTRACTORS, plugged

ENSEMBLE = "ensemble"  # the method that ships with the core; published ones are plugged in (`sitecrawl.plugins`)


class Extraction:
    """The single-page extraction of a page whose landmarks may have been computed already: article and page type on demand, the elements of headline and
    date, and the blocks and their scores for votes over several pages (see ``sitecrawl.items.kinds.PageGuess``). Raises ValueError for an unknown method."""

    def __init__(self, marks: Landmarks, method: str = ENSEMBLE) -> None:
        self.marks, self.method, self.view = marks, method, marks.view
        self.network = select_body(self.view, marks.block) if method == ENSEMBLE else _plugged_in(method)(self.view)
        self.blocks, self.bits, self.scores = self.view.blocks, self.view.layout.bits, self.network.scores
        named = (("headline", marks.headline), ("datePublished", marks.dated))
        self._marked = {name: one for name, one in named if one}
        self.nodes = {name: one.node for name, one in self._marked.items() if one.node is not None}

    @cached_property
    def selection(self) -> Selection:
        """The body. The network's own, before this revision, tells the type of the page."""
        return revise_body(self.view, self.network) if self.method == ENSEMBLE else self.network

    @property
    def kept(self) -> Flags:
        return self.selection.kept

    @cached_property
    def article(self) -> Article:
        """The article, which a crawl does not ask of most listings."""
        article, is_own = _article(self.marks, self.selection), self.method == ENSEMBLE
        confidence = page_confidence(self.blocks, self.selection) if is_own else self.page_type_score
        flags: list[str] = [Flag.TRUNCATED] if self.marks.page.is_cut else []
        flags += [Flag.UNSURE] if is_own and confidence < UNSURE_BELOW else []
        fields = {"articleBody": self.method} | {name: one.origin for name, one in self._marked.items() if one.origin}
        article.provenance = Provenance("fallback", confidence=confidence, fields=fields, flags=flags)
        return article

    @cached_property
    def _type(self) -> tuple[PageKind, float]:
        marks, network = self.marks, self.network
        return page_type(Evidence(self.view, network.scores, network.kept, marks.headline, marks.dated))

    @property
    def page_type(self) -> PageKind:
        """The type of the page. Raises ModelError if the shipped model cannot be read."""
        return self._type[0]

    @property
    def page_type_score(self) -> float:
        """Probability of that type, 0..1. Raises ModelError as ``page_type``."""
        return self._type[1]

    @cached_property
    def headlines(self) -> list[Headline]:
        """The likeliest headlines, best first."""
        return self.marks.search.likely()


class Landmarks:
    """Headline and date of a single page and their places, computed on demand and cached. ``anchor`` is the text of the link to the page."""

    def __init__(self, page: Page, anchor: str = "") -> None:
        self.page = page
        self.anchor = anchor

    @cached_property
    def view(self) -> View:
        return View(self.page)

    @cached_property
    def search(self) -> HeadlineSearch:
        return HeadlineSearch(self.view, self.anchor)

    @property
    def headline(self) -> Headline:
        return self.search.best

    @cached_property
    def block(self) -> int:
        """Number of the headline's block, or -1."""
        return self.view.block_at(self.headline.element)

    @cached_property
    def dated(self) -> Dated | None:
        return find_published(self.view, self.block)

    @property
    def near(self) -> list[str]:
        """Short texts around the headline."""
        return near_element(self.page.tree, max(0, self.headline.element))


def extract_page(page: Page, method: str = ENSEMBLE, *, anchor: str = "") -> Extraction:
    """The article of ``page`` by ``method``; ``anchor`` is the text of the link to the page. Raises ValueError for an unknown method."""
    return Extraction(Landmarks(page, anchor), method)


def methods() -> list[str]:
    """Names of the available extraction methods."""
    return [ENSEMBLE, *sorted(plugged(EXTRACTORS))]


@cache
def _plugged_in(method: str) -> Callable[[View], Selection]:
    found = plugged(EXTRACTORS).get(method)
    if found is None:
        raise ValueError(f"unknown extractor {method!r}: choose one of {', '.join(methods())}")
    extractor: Callable[[View], Selection] = found.load()
    return extractor


def _article(marks: Landmarks, selection: Selection, *, end: int = 8, short: int = 200) -> Article:
    """The article, which must not keep the large view alive. Authors may be in ``short`` texts of the ``end`` blocks from the last of the body on."""
    page = marks.page.lean()
    title, tree, texts = marks.headline.text or "", marks.view.tree, marks.view.blocks.texts
    flats = [] if tree.truncated else [tree.part(tree.nodes.index(node)) for node in selection.nodes]
    body = Content(selection.nodes, selection.skip, page.base_url, selection.mute, flats=flats)
    clues = _PageClues(page, title, marks.headline, marks.dated, body, marks.near)
    article = Article(url=page.url or None, body=body)
    article.defer(READERS, lambda name: READERS[name](clues))
    article.headline, article.source = marks.headline.text, find_source(page.metadata, clues.near)
    last = selection.kept.nonzero()[0][-1:]  # old blogs sign an article below it
    below = [text for at in last for text in texts[at : at + end] if len(text) < short]
    signed = replace(clues, near=[*clues.near, *below])
    article.defer(["authors"], lambda name: READERS[name](signed))
    return article


@dataclass(frozen=True, slots=True)
class _PageClues:
    """Clues of an extracted page, from which the lesser fields of its article are read (see ``fields.Clues``)."""

    page: Page
    title: str
    headline: Headline
    dated: Dated | None
    content: Content
    near: Sequence[str]
