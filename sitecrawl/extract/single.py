"""The article of one page from that page alone: the fallback, and the votes that templates are induced from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from sitecrawl.dom.blocks import Blocks, Flags, Floats, Ints
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import Content
from sitecrawl.extract.authors import find_authors, find_source, near_headline
from sitecrawl.extract.ensemble import Selection, headline_block, select_body, settled
from sitecrawl.extract.features import View, view_of
from sitecrawl.extract.fields import breadcrumbs_of, canonical_url, description, images_of, main_image, tags_of
from sitecrawl.extract.headline import Headline, find_headline
from sitecrawl.extract.leads import leads_of
from sitecrawl.extract.methods.block_density import extract_block_density
from sitecrawl.extract.methods.densities import DENSITIES
from sitecrawl.extract.methods.justext import extract_justext
from sitecrawl.extract.methods.punctuation import extract_punctuation
from sitecrawl.extract.page_type import Evidence, page_type
from sitecrawl.extract.published import Dated, find_modified, find_published
from sitecrawl.items.article import Article, Provenance
from sitecrawl.text.language import language_of

PAPERS = {
    **DENSITIES,
    "block_density": extract_block_density,
    "punctuation": extract_punctuation,
    "justext": extract_justext,
}
"""Published methods by name."""
METHODS = ("ensemble", *PAPERS)


@dataclass(slots=True)
class Extraction:
    """What one page alone says: the article, its page type, and the elements that hold body and fields.

    ``view`` and ``selection`` hold the blocks and their scores, for those who vote over several pages.
    """

    article: Article
    page_type: str
    page_type_score: float
    view: View
    selection: Selection
    nodes: dict[str, etree._Element] = field(default_factory=dict)

    @property
    def body_nodes(self) -> list[etree._Element]:
        """The smallest elements that hold the body."""
        return list(self.selection.nodes)

    @property
    def blocks(self) -> Blocks:
        """Text blocks of the page."""
        return self.view.blocks

    @property
    def bits(self) -> Ints:
        """What the names of every element speak of."""
        return self.view.layout.bits

    @property
    def scores(self) -> Floats:
        """Probability of every block."""
        return self.selection.scores

    @property
    def kept(self) -> Flags:
        """Whether each block is body."""
        return self.selection.kept


def extract_page(page: Page, method: str = "ensemble") -> Extraction:
    """The article of ``page`` by ``method``, one of ``METHODS``. Raises ValueError on another name."""
    if method not in METHODS:
        raise ValueError(f"unknown extractor {method!r}: choose one of {', '.join(METHODS)}")
    view = view_of(page)
    headline = find_headline(view)
    at = headline_block(view, headline.element)
    selection = select_body(view, at) if method == "ensemble" else PAPERS[method](view)
    dated = find_published(view, at)
    leads = leads_of(view)
    kind, score = page_type(Evidence(view, selection.scores, selection.kept, headline, dated, leads))
    selection = settled(view, selection, leads) if method == "ensemble" else selection
    article = _article(view, selection, (headline, dated, at))
    article.provenance = _provenance(page, method, (headline, dated, score))
    return Extraction(article, kind, score, view, selection, _nodes(headline, dated))


def _article(view: View, selection: Selection, found: tuple[Headline, Dated | None, int]) -> Article:
    """The article; what is computed later must not hold on to the view, which is many times the size of the page."""
    page, (headline, dated, at) = view.page.lean(), found
    article = Article(
        url=page.url or None,
        headline=headline.text,
        datePublished=dated.value if dated else None,
        datePublishedRaw=dated.raw if dated else None,
        body=Content(selection.nodes, selection.skip, page.base_url, selection.mute),
    )
    nodes, texts, near = list(selection.nodes), view.blocks.texts, near_headline(view.blocks, at)
    later: dict[str, Callable[[], Any]] = {
        "canonicalUrl": lambda: canonical_url(page),
        "dateModified": lambda: find_modified(page.metadata),
        "authors": lambda: [{"name": name} for name in find_authors(page, near)[0]],
        "inLanguage": lambda: language_of(page.metadata.language, f"{headline.text or ''} {_sample(texts)}"),
        "description": lambda: description(page.metadata),
        "mainImage": lambda: main_image(page),
        "images": lambda: images_of(nodes, page.base_url),
        "breadcrumbs": lambda: breadcrumbs_of(page),
        "tags": lambda: tags_of(page),
        "source": lambda: find_source(page.metadata, near),
    }
    article.defer(later, lambda name: later[name]())
    return article


def _sample(texts: list[str]) -> str:
    """Some of the page's longest block, enough to tell its script."""
    return max(texts, key=len, default="")[:400]


def _provenance(page: Page, method: str, found: tuple[Headline, Dated | None, float]) -> Provenance:
    headline, dated, score = found
    origins = {"articleBody": method, "headline": headline.origin, "datePublished": dated.origin if dated else ""}
    flags = ["truncated"] if page.truncated or page.tree.truncated else []
    return Provenance(
        "fallback", confidence=score, fields={name: origin for name, origin in origins.items() if origin}, flags=flags
    )


def _nodes(headline: Headline, dated: Dated | None) -> dict[str, etree._Element]:
    found = {"headline": headline.node, "datePublished": dated.node if dated else None}
    return {name: node for name, node in found.items() if node is not None}
