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
_IDEOGRAPHS = "\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ffff"
_KATAKANA = "\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HANGUL = "\uac00-\ud7af\u1100-\u11ff"
_ESCAPES = re.compile(r"(\\u(?:d[89ab][\da-f]{2}\\ud[c-f]|(?!d[89a-f]))|\\[^u])|\\ud[89a-f][\da-f]{2}", re.I)
_RUN = rf"[^\W{_IDEOGRAPHS}{_KATAKANA}{_HANGUL}]+"
_TOKEN = re.compile(rf"[{_IDEOGRAPHS}]|[{_KATAKANA}]+|[{_HANGUL}]+|{_RUN}(?:['.\u2019]{_RUN})*")


def words(text: str) -> list[str]:
    """Words of ``text``, a CJK character being a word.

    >>> words("sitecrawl 抓取新闻, fast")
    ['sitecrawl', '抓', '取', '新', '闻', 'fast']
    """
    return WORD.findall(text)


def standard_tokens(text: str) -> list[str]:
    """Tokens of ``text`` as Lucene's StandardTokenizer cuts them (Unicode Standard Annex 29, word boundaries).

    An ideograph or a hiragana is a token; katakana, Hangul and all other letters and digits are tokens by runs.

    >>> standard_tokens("仮名遣い カタカナ"), standard_tokens("한국어 뉴스, it's 3.5 km")
    (['仮', '名', '遣', 'い', 'カタカナ'], ['한국어', '뉴스', "it's", '3.5', 'km'])
    """
    return _TOKEN.findall(text)


def word_count(text: str) -> int:
    """Number of words, a CJK character being a word."""
    return len(WORD.findall(text))


def is_cjk(char: str) -> bool:
    """Whether a character is an ideograph, kana or Hangul."""
    return _CJK.match(char) is not None


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


def mend_escapes(source: str) -> str:
    r"""JSON with U+FFFD for the halves of pairs that were cut: text with a lone surrogate cannot be written anywhere.

    >>> print(mend_escapes(r'"\ud83d\ude00 cut \ud83d"'))
    "\ud83d\ude00 cut \ufffd"
    """
    return _ESCAPES.sub(lambda match: match[1] or r"\ufffd", source)


_UNPRINTABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def printable(text: str) -> str:
    r"""Text from the network as a line of a terminal or a log: what would steer a terminal or begin a line is spelled out.

    >>> print(printable("red \x1b[31m, a line\nmore"))
    red \x1b[31m, a line\x0amore
    """
    return _UNPRINTABLE.sub(lambda found: _escaped(ord(found[0])), text)


def _escaped(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def csv_cell(text: str) -> str:
    """Text as a cell of a CSV file: one that a spreadsheet would take for a formula begins with an apostrophe.

    >>> csv_cell("=1+1"), csv_cell("a=1")
    ("'=1+1", 'a=1')
    """
    return f"'{text}" if text.startswith(_FORMULA) else text
