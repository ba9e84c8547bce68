"""Thresholds and stop lists of jusText by language, and which of them a page calls for."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice

from sitecrawl.dom.blocks import Floats
from sitecrawl.text.chars import is_cjk
from sitecrawl.text.word_lists import STOP_WORDS

_SAMPLE = 4000
"""Tokens of a page that are compared with the stop lists."""
_COVERED = 0.12
"""Share of a page's tokens that a list must hold to be its language's; text in a language without a list mostly stays below."""
_COVERED_CJK = 0.02
"""The same for Chinese and Japanese: what is left is Korean, whose Hangul no list holds."""
_CJK = 0.2
"""Share of CJK tokens from which a page is measured in tokens; code among Chinese prose leaves no more on many pages."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Thresholds of one language; the defaults are those published for English (Pomikálek 2011, section 3.2.2).

    Lengths and ``heading_distance`` are characters, or tokens where ``tokens`` is set; densities are shares in 0..1.
    """

    length_low: int = 70
    length_high: int = 200
    stops_low: float = 0.30
    stops_high: float = 0.32
    link_density: float = 0.2
    heading_distance: int = 200
    tokens: bool = False
    stop_words: frozenset[str] = frozenset()


UNLISTED = Profile(stops_low=0.0, stops_high=0.0)
"""A language without a list: length and links decide alone, as in the language-independent mode."""
KOREAN = Profile(10, 18, 0.0, 0.0, 0.2, 23, True)
"""Korean writes its particles onto the words, so that no list can find them; tokens are runs of Hangul."""
# A Chinese block without a function word is in doubt, not boilerplate: lists of names, tables and code stand in the body.
_CJK_PROFILES = {
    "zh": Profile(20, 50, 0.0, 0.05, 0.2, 70, True, STOP_WORDS["zh"]),
    "ja": Profile(20, 50, 0.15, 0.20, 0.2, 70, True, STOP_WORDS["ja"]),
}
_INFLECTED = ("cs", "fi", "hu", "pl", "ru")
"""Languages that inflect where others use function words: the lists hold about .28 of running text instead of .45."""
PROFILES = {
    code: Profile(stops_low=0.18, stops_high=0.20, stop_words=words)
    if code in _INFLECTED
    else Profile(stop_words=words)
    for code, words in STOP_WORDS.items()
} | _CJK_PROFILES
"""Thresholds by ISO 639-1 code of the stop list."""


def choose_profile(tokens: list[list[str]], links: Floats) -> Profile:
    """The profile whose list holds most of a page's text; ``tokens`` and link density by block.

    What a page declares is not asked: themes and content systems leave their own language behind.
    """
    plain = (found for found, linked in zip(tokens, links.tolist(), strict=True) if linked < 0.5)
    sample = list(islice(chain.from_iterable(plain), _SAMPLE))
    cjk = sum(is_cjk(token[0]) for token in sample) > _CJK * len(sample)
    held = {
        code: sum(token in words for token in sample)
        for code, words in STOP_WORDS.items()
        if (code in _CJK_PROFILES) == cjk
    }
    best = max(held, key=lambda code: held[code])
    if held[best] >= (_COVERED_CJK if cjk else _COVERED) * max(1, len(sample)):
        return PROFILES[best]
    return KOREAN if cjk else UNLISTED
