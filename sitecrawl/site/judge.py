"""Is a fetched page an article? What its link promised and what the page looks like, weighed together."""

from __future__ import annotations

from math import log

from sitecrawl.extract.single import Extraction

_FLOOR = 0.02
_MOST = 2.0
"""Most that the page's looks may weigh against its link's promise."""
_WEIGHT, _BIAS = 1.8, 0.4
"""Weight of the promise's logit, and the logit at which it says nothing: links of listings are rather undersold."""
_SURE = 0.9
"""Promise at which a page with headline and date is an article although it shows no text (a scan, an attachment)."""


def judge(guess: Extraction, promise: float) -> str:
    """Kind of a page: ``article``, ``thread``, ``listing`` or ``other``.

    ``promise`` is the probability, 0..1, that the link which led here leads to an article.
    """
    article = guess.article
    if not (article.articleBody.strip() or article.mainImage or article.images):
        if promise >= _SURE and article.headline and article.datePublished:
            return "article"
        return "listing" if guess.page_type == "listing" else "other"
    looks = _logit(guess.page_type_score) * (1 if guess.page_type in ("article", "thread") else -1)
    evidence = _WEIGHT * (_logit(promise) - _BIAS) + max(-_MOST, min(_MOST, looks))
    evidence += 0.5 if article.datePublished else -0.3
    if evidence <= 0:
        return "other" if guess.page_type == "other" else "listing"
    return "thread" if guess.page_type == "thread" else "article"


def _logit(share: float) -> float:
    bounded = min(1 - _FLOOR, max(_FLOOR, share))
    return log(bounded / (1 - bounded))
