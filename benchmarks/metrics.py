"""The measures: word F1, longest common substring and subsequence, 4-grams, right title, right day."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
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
    """Precision, recall and F over the longest common subsequence of words: ours, milder than the papers' substring of characters."""
    want, have = tokens(truth), tokens(got)
    same = LCSseq.similarity(want, have)
    precision, recall = same / max(1, len(have)), same / max(1, len(want))
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def substring_prf(truth: str | None, got: str | None) -> tuple[float, float, float]:
    """Precision, recall and F over the longest common substring of characters, blanks left out (Sun 2011, section 5; Yang and Yang 2015).

    >>> substring_prf("abc def", "xx abc d yy")
    (0.5, 0.6666666666666666, 0.5714285714285715)
    """
    want, have = ("".join((text or "").split()) for text in (truth, got))
    same = common_substring(want, have)
    precision, recall = same / max(1, len(have)), same / max(1, len(want))
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def common_substring(one: str, other: str) -> int:
    """Length of the longest common substring in characters, by hashes of windows whose length is found bit by bit.

    >>> common_substring("bananas", "ananab"), common_substring("", "a")
    (5, 0)
    """
    texts = [np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32).astype(np.uint64) for text in (one, other)]
    shortest = min(map(len, texts))
    powers = [_mixed(texts)]
    while 2 ** len(powers) <= shortest:
        powers.append([_joined(part, part, 2 ** (len(powers) - 1)) for part in powers[-1]])
    length, windows = 0, [np.zeros(len(text) + 1, np.uint64) for text in texts]
    for bit in reversed(range(len(powers))):
        if length + 2**bit > shortest:
            continue
        longer = [_joined(head, tail, length) for head, tail in zip(windows, powers[bit], strict=True)]
        if np.isin(longer[0], longer[1]).any():
            length, windows = length + 2**bit, longer
    return length


_MIX = np.uint64(0x9E3779B97F4A7C15)


def _mixed(texts: list[NDArray[np.uint64]]) -> list[NDArray[np.uint64]]:
    """Hashes of single characters."""
    return [_stir(text + np.uint64(1)) for text in texts]


def _joined(head: NDArray[np.uint64], tail: NDArray[np.uint64], offset: int) -> NDArray[np.uint64]:
    """Hashes of windows: those of ``head``, ``offset`` characters long, each with the window of ``tail`` behind it."""
    behind = tail[offset:]
    size = min(len(head), len(behind))
    return _stir(head[:size] * _MIX + behind[:size])


def _stir(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A bijection of 64-bit numbers without structure (the finaliser of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


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
