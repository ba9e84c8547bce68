"""What kind of page this is: article, listing, thread or other, with a score."""

from __future__ import annotations

import numpy as np

from sitecrawl.dom.blocks import Flags, Floats
from sitecrawl.dom.hints import BITS
from sitecrawl.extract.features import View

_ARTICLE_WORDS = 40
_THREAD_RECORDS = 2


def page_type(view: View, scores: Floats, kept: Flags) -> tuple[str, float]:
    """Page type and its score in 0..1.

    An article's kept text is a fair share of the page and hardly linked; a listing has much linked text and little prose.
    """
    blocks = view.blocks
    if not len(blocks):
        return "other", 1.0
    body = float(blocks.words[kept].sum())
    linked = float(blocks.link_chars.sum()) / max(1.0, float(blocks.chars.sum()))
    sure = float((scores * blocks.words)[kept].sum()) / max(1.0, body)
    kind = view.page.metadata.first("og:type") or ""
    evidence = np.log1p(body) - np.log1p(_ARTICLE_WORDS) + 3 * (sure - 0.75) - 3 * max(0.0, linked - 0.45)
    evidence += 1.5 * bool(view.page.metadata.linked) + 0.8 * ("article" in kind) - 1.0 * ("website" in kind)
    score = float(1 / (1 + np.exp(-evidence)))
    if score < 0.5:
        return ("listing", 1 - score) if linked > 0.3 or len(blocks) > 30 else ("other", 1 - score)
    return ("thread", score) if _is_thread(view, kept) else ("article", score)


def _is_thread(view: View, kept: Flags) -> bool:
    """Whether the body consists of several blocks of prose under forum words."""
    forum = view.layout.above[view.blocks.owner[kept]] & (BITS["forum"] & ~BITS["content"])
    return bool(len(forum)) and float((forum != 0).mean()) > 0.8 and "forum" in view.page.url.casefold()
