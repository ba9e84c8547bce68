"""Is a fetched page an article? What its link promised and what the page looks like, weighed together."""

from __future__ import annotations

from math import log

from sitecrawl.extract.single import Extraction

_FLOOR = 0.02
_MOST = 2.5
"""Most that the page's looks may weigh against its link's promise."""


def judge(guess: Extraction, promise: float) -> str:
    """Kind of a page: ``article``, ``thread``, ``listing`` or ``other``.

    ``promise`` is the probability, 0..1, that the link which led here leads to an article.
    """
    article = guess.article
    if not (article.articleBody.strip() or article.mainImage or article.images):
        return "listing" if guess.page_type == "listing" else "other"
    looks = _logit(guess.page_type_score) * (1 if guess.page_type in ("article", "thread") else -1)
    evidence = 1.5 * _logit(promise) + max(-_MOST, min(_MOST, looks)) + (0.5 if article.datePublished else -0.3)
    if evidence <= 0:
        return "other" if guess.page_type == "other" else "listing"
    return "thread" if guess.page_type == "thread" else "article"


def _logit(share: float) -> float:
    bounded = min(1 - _FLOOR, max(_FLOOR, share))
    return log(bounded / (1 - bounded))
