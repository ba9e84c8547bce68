"""The measures: word F1, longest common subsequence, 4-grams, right title, right day."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

from sitecrawl.text.chars import words


def tokens(text: str | None) -> list[str]:
    """Casefolded words, a CJK character being one."""
    return words((text or "").casefold())


def word_f1(truth: str | None, got: str | None) -> float:
    """F1 over bags of words; two empty texts agree."""
    want, have = Counter(tokens(truth)), Counter(tokens(got))
    if not want and not have:
        return 1.0
    return 2 * sum((want & have).values()) / (sum(want.values()) + sum(have.values()))


def sequence_prf(truth: str | None, got: str | None) -> tuple[float, float, float]:
    """Precision, recall and F over the longest common subsequence of words (papers of Sun 2011 and Yang 2015)."""
    want, have = tokens(truth), tokens(got)
    same = LCSseq.similarity(want, have)
    precision, recall = same / max(1, len(have)), same / max(1, len(want))
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def ngram_prf(truth: str | None, got: str | None, size: int = 4) -> tuple[float, float, float]:
    """Precision, recall and F over bags of n-grams, as the article-extraction benchmark counts them."""
    want, have = (_ngrams(text, size) for text in (truth, got))
    same = sum((want & have).values())
    precision, recall = same / max(1, sum(have.values())), same / max(1, sum(want.values()))
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def ngram_summary(pages: Sequence[tuple[str, str]], size: int = 4) -> tuple[float, float, float]:
    """Figures over (truth, answer) pairs as the article-extraction benchmark sums them up.

    Precision is the mean over pages with an answer, recall the mean over pages with a truth, F that of the two means.
    """
    found = [ngram_prf(truth, got, size) for truth, got in pages]
    precision = [one[0] for one, (_, got) in zip(found, pages, strict=True) if _ngrams(got, size)]
    recall = [one[1] for one, (truth, _) in zip(found, pages, strict=True) if _ngrams(truth, size)]
    means = statistics.fmean(precision or [0.0]), statistics.fmean(recall or [0.0])
    return *means, 2 * means[0] * means[1] / max(1e-9, sum(means))


def _ngrams(text: str | None, size: int) -> Counter[tuple[str, ...]]:
    found = re.findall(r"\w+", text or "", re.UNICODE)
    size = min(size, max(1, len(found)))
    return Counter(tuple(found[at : at + size]) for at in range(len(found) - size + 1))


def same_day(truth: str | None, got: str | None) -> bool:
    """Whether two ISO dates name one day."""
    return bool(truth) and (truth or "")[:10] == (got or "")[:10]
