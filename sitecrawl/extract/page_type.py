"""The type of a page (article, listing, thread or other) with a score from a logistic model."""

from __future__ import annotations

import re
from math import log1p

import numpy as np

from sitecrawl.dom.blocks import BITS, Flags, Floats
from sitecrawl.dom.page import Page
from sitecrawl.extract.ensemble import Selection
from sitecrawl.extract.published import Dated
from sitecrawl.extract.weights import LogisticModel
from sitecrawl.items.kinds import Headline, PageKind

NAMES = (
    "body words", "prose words", "share of the page", "links in the body", "links on the page", "link blocks",
    "share of link blocks", "certainty", "kept runs", "dates on the page", "headline certain", "date confirmed",
    "article markup", "website markup", "headings in the body", "longest block",
    "headings that lead on", "of them in the body", "their share of the body's headings", "body headed by one",
)  # fmt: skip
"""Features of a page, in order."""
MODEL = LogisticModel("page_type.json", NAMES, trainer="train_page_type")


def page_type(
    page: Page, found: Selection, features: Floats, *, listing_links: int = 8
) -> tuple[PageKind, float]:
    """Page type and its score, 0..1, by the body that was ``found`` and the ``features`` of the
    page. Other pages with ``listing_links`` links with text are listings. Raises ModelError."""
    blocks = page.document.blocks
    if not len(blocks):
        return PageKind.OTHER, 1.0
    score = MODEL.predict(features)
    if score >= 0.5:
        return (PageKind.THREAD if is_thread(page, found.kept) else PageKind.ARTICLE), score
    links = int(((blocks.link_chars > 0.5 * blocks.chars) & (blocks.words > 1)).sum())
    return (PageKind.LISTING if links >= listing_links else PageKind.OTHER), 1 - score


def page_features(
    page: Page, found: Selection, *, headline: Headline, dated: Dated | None
) -> Floats:
    """The features of ``NAMES``; counts are logarithms, shares lie in 0..1. All are 0 for a page
    without text."""
    blocks, kept = page.document.blocks, found.kept
    if not len(blocks):
        return np.zeros(len(NAMES))
    words, chars = blocks.words, np.maximum(blocks.chars, 1)
    linked = blocks.link_chars > 0.5 * chars
    body = words[kept]
    prose, total = float(body[(body > 10) & ~linked[kept]].sum()), float(body.sum())
    links = int((linked & (words > 3)).sum())
    meta = page.metadata
    kind = (meta.first("og:type") or "").casefold()
    tags = [page.document.tags[owner] for owner in blocks.owner[kept].tolist()]
    headings, leading = page.document.heading_blocks, page.leading
    return np.array(
        [
            log1p(total),
            log1p(prose),
            total / max(1.0, words.sum()),
            float(blocks.link_chars[kept].sum()) / max(1.0, float(chars[kept].sum())),
            blocks.link_chars.sum() / chars.sum(),
            log1p(links),
            links / len(blocks),
            float((found.scores[kept] * body).sum()) / max(1.0, total),
            log1p(int((kept[1:] & ~kept[:-1]).sum())),
            log1p(sum([text[:40].count("20") for text in blocks.texts if len(text) < 40])),
            headline.score,
            (dated.score / 10 if dated else 0.0),
            float(meta.is_linked_article) + float("article" in kind),
            float("website" in kind),
            log1p(tags.count("h1") + tags.count("h2") + tags.count("h3")),
            log1p(body.max() if len(body) else 0.0),
            log1p(int(leading.sum())),
            log1p(int((leading & kept).sum())),
            int((leading & kept).sum()) / max(1, int((headings & kept).sum())),
            float(_is_headed_by_link(kept, headings, leading=leading)),
        ]
    )


def _is_headed_by_link(kept: Flags, headings: Flags, *, leading: Flags, reach: int = 3) -> bool:
    """Whether the last heading at the beginning of the body, or within ``reach`` blocks before it,
    is a link to another page."""
    first = int(kept.argmax()) if kept.any() else -1
    near = np.flatnonzero(headings[max(0, first - reach) : first + 1])
    return bool(len(near) and leading[max(0, first - reach) + int(near[-1])])


_TIME = re.compile(r"(?<!\d)\d{1,2}:\d{2}(?!\d*/)")  # a time of day


def is_thread(page: Page, kept: Flags, *, share: float = 0.9, times: int = 3) -> bool:
    """Whether the body consists of posts. More than ``share`` of its words must be in regions whose
    names are those of forums. At least ``times`` short blocks from three before its first to its
    last one must hold a time of day, as the heads of posts do."""
    posts = (
        page.document.above[page.document.blocks.owner[kept]]
        & (BITS["forum"] | BITS["comment"])
        & ~BITS["content"]
    )
    weight = page.document.blocks.words[kept]
    first, last = (int(at) for at in np.flatnonzero(kept)[[0, -1]]) if kept.any() else (0, 0)
    heads = page.document.blocks.texts[max(0, first - 3) : last]
    timed = sum(len(text) < 120 and _TIME.search(text) is not None for text in heads)
    return bool((weight * (posts != 0)).sum() > share * weight.sum()) and timed >= times
