"""The language of a page, and what texts in a language are made of, from ``language.json``: function words, letters by encoding, the commonest characters."""

from __future__ import annotations

import re

from sitecrawl.resources import table_beside

_CODE = re.compile(r"^[a-z]{2,3}(?:[-_][A-Za-z]{2,8})*$", re.I)
_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
)
_ENOUGH = 0.1


def language_of(declared: str, text: str) -> str | None:
    """BCP 47 code of a text: the declared one unless the script contradicts it; None for Latin script without a declaration.

    >>> language_of("en-US", "Plain words"), language_of("en", "今天的新闻都在这里")
    ('en-US', 'zh')
    """
    sample = text[:2000]
    seen = next(
        (code for code, script in _SCRIPTS if len(script.findall(sample)) > _ENOUGH * max(1, len(sample))), None
    )
    code = declared.strip() if _CODE.match(declared.strip()) else ""
    if seen and not code.casefold().startswith(
        (seen, "uk", "bg", "sr", "be", "mk", "fa", "ur") if seen != "zh" else ("zh", "ja", "ko")
    ):
        return seen
    return code or None


_TABLE = table_beside(__file__)

STOP_WORDS: dict[str, frozenset[str]] = {
    code: frozenset(words.split()) for code, words in _TABLE["function_words"].items()
}
"""ISO 639-1 code to the function words of the language, casefolded: lists of our own. Those of Chinese and Japanese are single
characters, as ``chars.standard_tokens`` returns them."""

ALPHABETS: dict[str, list[str]] = _TABLE["alphabets"]
"""Letters beyond ASCII of the languages written in Latin letters, by encoding; the first is what browsers assume."""

COMMON: str = _TABLE["common"]
"""The commonest ideographs and syllables, which make up a good part of Chinese and Korean texts."""
