"""Is a fetched page an article? What its link promised, what the page looks like, and what its template says."""

from __future__ import annotations

from math import log
from typing import Any

_FLOOR = 0.02


def judge(promised: float, verdict: Any) -> str:
    """Kind of a page, ``article``, ``listing`` or ``other``.

    ``promised`` is the probability, 0..1, that its link leads to an article; ``verdict`` is ``SiteModel.observe``'s.
    """
    article = verdict.article
    if article is None or not (article.articleBody.strip() or article.images or article.mainImage):
        return "listing" if verdict.page_type == "listing" else "other"
    evidence = 1.2 * _logit(promised) + _page_evidence(verdict)
    evidence += 0.5 if article.datePublished else -0.3
    if evidence > 0:
        return "article"
    return "other" if verdict.page_type == "other" else "listing"


def _page_evidence(verdict: Any) -> float:
    evidence = _logit(verdict.page_type_score)
    if verdict.page_type not in ("article", "thread"):
        return -evidence
    return evidence + (1.0 if verdict.article.provenance.method == "template" else 0.0)


def _logit(share: float) -> float:
    bounded = min(1 - _FLOOR, max(_FLOOR, share))
    return log(bounded / (1 - bounded))
