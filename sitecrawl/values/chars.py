"""Character classes and lengths that treat Chinese, Japanese and Korean as first-class.

Nothing here counts words by white space alone: a CJK character counts as one word, as in Lucene's StandardTokenizer.
"""

from __future__ import annotations

import re

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0002ffff"
WORD = re.compile(rf"[{CJK}]|[^\W{CJK}]+")
PUNCTUATION = re.compile(
    r"[,;:.!?\u3001\u3002\uff0c\uff1b\uff1a\uff01\uff1f\u2026\u201c\u201d\u300c\u300d\u300a\u300b]"
)
_CJK = re.compile(f"[{CJK}]")


def words(text: str) -> list[str]:
    """Words of ``text``, a CJK character being a word.

    >>> words("sitecrawl 抓取新闻, fast")
    ['sitecrawl', '抓', '取', '新', '闻', 'fast']
    """
    return WORD.findall(text)


def word_count(text: str) -> int:
    """Number of words, a CJK character being a word."""
    return len(WORD.findall(text))


def cjk_share(text: str) -> float:
    """Share of CJK characters among the word characters, 0..1."""
    return len(_CJK.findall(text)) / max(1, sum(map(str.isalnum, text)))


def fold(text: str | None) -> str:
    """White space folded to single blanks and trimmed.

    >>> fold(" a\\n\\u3000 b ")
    'a b'
    """
    return " ".join(text.split()) if text else ""


def punctuation_count(text: str) -> int:
    """Number of punctuation marks of running text, half- and full-width."""
    return len(PUNCTUATION.findall(text))
