"""The article of one page from that page alone: the fallback, and the votes from which templates are induced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

from lxml import etree

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


@dataclass
class Extraction:
    """Result of a single-page extraction: the article, the page's type (computed on demand), and the elements of body and fields. ``view`` and
    ``selection`` hold the blocks and their scores, for votes over several pages (see ``sitecrawl.items.kinds.PageGuess``)."""

    article: Article
    evidence: Evidence
    view: View
    selection: Selection
    nodes: dict[str, etree._Element]
    search: HeadlineSearch

    def __post_init__(self) -> None:
        self.blocks, self.bits = self.view.blocks, self.view.layout.bits
        self.scores, self.kept = self.selection.scores, self.selection.kept

    @cached_property
    def _type(self) -> tuple[PageKind, float]:
        return page_type(self.evidence)

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
        return self.search.likely()


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
    return extract_around(Landmarks(page, anchor), method)


def extract_around(marks: Landmarks, method: str = ENSEMBLE) -> Extraction:
    """The article of a page whose landmarks may have been computed already. Raises ValueError for an unknown method."""
    view, headline, dated, is_own = marks.view, marks.headline, marks.dated, method == ENSEMBLE
    selection = select_body(view, marks.block) if is_own else _plugged_in(method)(view)
    evidence = Evidence(view, selection.scores, selection.kept, headline, dated)
    selection = revise_body(view, selection) if is_own else selection
    nodes = {"headline": headline.node, "datePublished": dated.node if dated else None}
    held = {name: node for name, node in nodes.items() if node is not None}
    found = Extraction(_article(marks, selection), evidence, view, selection, held, marks.search)
    confidence = page_confidence(view.blocks, selection) if is_own else found.page_type_score
    origins = {"articleBody": method, "headline": headline.origin, "datePublished": dated.origin if dated else ""}
    flags: list[str] = [Flag.TRUNCATED] if marks.page.is_cut else []
    flags += [Flag.UNSURE] if is_own and confidence < UNSURE_BELOW else []
    fields = {name: origin for name, origin in origins.items() if origin}
    found.article.provenance = Provenance("fallback", confidence=confidence, fields=fields, flags=flags)
    return found


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
