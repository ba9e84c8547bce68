"""What kind of page this is: article, listing, thread or other, with a score from a logistic model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import log1p

import numpy as np

from sitecrawl.dom.blocks import BITS, Flags, Floats
from sitecrawl.extract.ensemble import Leads
from sitecrawl.extract.features import View
from sitecrawl.extract.headline import Headline
from sitecrawl.extract.published import Dated
from sitecrawl.extract.weights import load_logistic
from sitecrawl.items.kinds import PageKind
from sitecrawl.resources import model_path

PROTOCOL = 1
NAMES = (
    "body words", "prose words", "share of the page", "links in the body", "links on the page", "link blocks",
    "share of link blocks", "certainty", "kept runs", "dates on the page", "headline certain", "date confirmed",
    "article markup", "website markup", "headings in the body", "longest block",
    "headings that lead on", "of them in the body", "their share of the body's headings", "body headed by one",
)  # fmt: skip
"""Features of a page, in order."""
_NEAR = 3
"""Blocks between a body and its heading, at most."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the extractors found on a page."""

    view: View
    scores: Floats
    kept: Flags
    headline: Headline
    dated: Dated | None
    leads: Leads


def page_type(evidence: Evidence) -> tuple[PageKind, float]:
    """Page type and the score of that type, 0..1. Raises ModelError when the shipped model cannot be read."""
    if not len(evidence.view.blocks):
        return PageKind.OTHER, 1.0
    weights = page_type_weights()
    score = float(1 / (1 + np.exp(-(page_features(evidence) @ weights[:-1] + weights[-1]))))
    if score < 0.5:
        return (PageKind.LISTING if _lists(evidence.view) else PageKind.OTHER), 1 - score
    return (PageKind.THREAD if is_thread(evidence) else PageKind.ARTICLE), score


def page_features(evidence: Evidence) -> Floats:
    """The features of ``NAMES``; counts are logarithms, shares lie in 0..1."""
    blocks, kept = evidence.view.blocks, evidence.kept
    words, chars = blocks.words, np.maximum(blocks.chars, 1)
    linked = blocks.link_chars > 0.5 * chars
    body = words[kept]
    prose, total = float(body[(body > 10) & ~linked[kept]].sum()), float(body.sum())
    links = int((linked & (words > 3)).sum())
    meta = evidence.view.page.metadata
    kind = (meta.first("og:type") or "").casefold()
    tags = [evidence.view.tree.tags[owner] for owner in blocks.owner[kept].tolist()]
    headings, leading = evidence.leads.headings, evidence.leads.leading
    return np.array(
        [
            log1p(total),
            log1p(prose),
            total / max(1.0, words.sum()),
            float(blocks.link_chars[kept].sum()) / max(1.0, float(chars[kept].sum())),
            blocks.link_chars.sum() / chars.sum(),
            log1p(links),
            links / len(blocks),
            float((evidence.scores[kept] * body).sum()) / max(1.0, total),
            log1p(int((kept[1:] & ~kept[:-1]).sum())),
            log1p(sum([text[:40].count("20") for text in blocks.texts if len(text) < 40])),
            evidence.headline.score,
            (evidence.dated.score / 10 if evidence.dated else 0.0),
            float(bool(meta.linked)) + float("article" in kind),
            float("website" in kind),
            log1p(tags.count("h1") + tags.count("h2") + tags.count("h3")),
            log1p(body.max() if len(body) else 0.0),
            log1p(int(leading.sum())),
            log1p(int((leading & kept).sum())),
            int((leading & kept).sum()) / max(1, int((headings & kept).sum())),
            float(_is_headed(kept, headings, leading)),
        ]
    )


def _is_headed(kept: Flags, headings: Flags, leading: Flags) -> bool:
    """Whether the heading at or right before the beginning of the body is a link to another page."""
    if not kept.any():
        return False
    first = int(kept.argmax())
    near = np.flatnonzero(headings[max(0, first - _NEAR) : first + 1])
    return bool(len(near) and leading[max(0, first - _NEAR) + int(near[-1])])


def _lists(view: View) -> bool:
    """Whether a page that is not an article holds many links with text."""
    blocks = view.blocks
    return int(((blocks.link_chars > 0.5 * blocks.chars) & (blocks.words > 1)).sum()) >= 8


def is_thread(evidence: Evidence) -> bool:
    """Whether the body consists of posts: most kept text stands under the words of forums, in several elements alike."""
    view, kept = evidence.view, evidence.kept
    owners = view.blocks.owner[kept]
    posts = view.layout.above[owners] & (BITS["forum"] | BITS["comment"]) & ~BITS["content"]
    weight = view.blocks.words[kept]
    return bool((weight * (posts != 0)).sum() > 0.9 * weight.sum()) and _dates(view) >= 3


def _dates(view: View) -> int:
    """Number of short blocks with a time of day, like the headers of posts."""
    return sum(len(text) < 120 and ":" in text and "20" in text for text in view.blocks.texts)


@lru_cache(maxsize=1)
def page_type_weights() -> Floats:
    """Weights of the shipped model, read once."""
    return load_logistic(model_path("page_type.json"), PROTOCOL, NAMES, "train_page_type")
