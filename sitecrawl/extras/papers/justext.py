"""jusText (Pomikálek 2011, Removing Boilerplate and Duplicate Content from Web Corpora, chapter 3),
written from the algorithm. A block is classed by itself first, by length, link density and stop
word density; blocks in doubt are then classed by their neighbours. Chinese, Japanese and Korean are
measured in tokens, with thresholds and stop lists of their own."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import chain, islice

import numpy as np

from sitecrawl.dom.blocks import Flags, Floats, Ints
from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import HEADINGS
from sitecrawl.extract.ensemble import Selection, selection
from sitecrawl.text.chars import CJK
from sitecrawl.text.language import STOP_WORDS

_IDEOGRAPHS = "\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ffff"
_KATAKANA = "\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HANGUL = "\uac00-\ud7af\u1100-\u11ff"
_RUN = rf"[^\W{_IDEOGRAPHS}{_KATAKANA}{_HANGUL}]+"
_TOKEN = re.compile(rf"[{_IDEOGRAPHS}]|[{_KATAKANA}]+|[{_HANGUL}]+|{_RUN}(?:['.\u2019]{_RUN})*")


@dataclass(frozen=True, slots=True)
class StopwordProfile:
    """Thresholds of one language; the defaults are those published for English (Pomikálek 2011,
    section 3.2.2). Lengths and ``heading_distance`` are characters, or tokens where ``tokens`` is
    set; densities are shares in 0..1."""

    length_low: int = 70
    length_high: int = 200
    stops_low: float = 0.30
    stops_high: float = 0.32
    link_density: float = 0.2
    heading_distance: int = 200
    tokens: bool = False
    stop_words: frozenset[str] = frozenset()


UNLISTED = StopwordProfile(stops_low=0.0, stops_high=0.0)
"""A language without a list: length and links decide alone, as in the language-independent mode."""
KOREAN = StopwordProfile(10, 18, 0.0, 0.0, 0.2, 23, True)
"""Korean writes its particles onto the words, so that no list can find them; tokens are runs of
Hangul."""
# Chinese lengths and link density by leave-one-site-out validation over 17 open sites
# (docs/research/methods.md); a block without a function word is no boilerplate, since bodies
# contain lists of names, tables and code: the list only identifies the language.
CHINESE = StopwordProfile(5, 15, 0.0, 0.0, 0.1, 30, True, STOP_WORDS["zh"])
JAPANESE = StopwordProfile(20, 50, 0.15, 0.20, 0.2, 70, True, STOP_WORDS["ja"])
_CJK_PROFILES = {"zh": CHINESE, "ja": JAPANESE}
_INFLECTED = ("cs", "fi", "hu", "pl", "ru")
"""Languages that inflect where others use function words: the lists hold about .28 of running text
instead of .45."""
PROFILES = {code: StopwordProfile(stop_words=words) for code, words in STOP_WORDS.items()}
PROFILES |= {
    code: replace(PROFILES[code], stops_low=0.18, stops_high=0.20) for code in _INFLECTED
} | _CJK_PROFILES
"""Thresholds by ISO 639-1 code of the stop list."""


def standard_tokens(text: str) -> list[str]:
    """Tokens of ``text`` as Lucene's StandardTokenizer cuts them (Unicode Standard Annex 29, word
    boundaries).

    An ideograph or a hiragana is a token; katakana, Hangul and all other letters and digits are
    tokens by runs.

    >>> standard_tokens("仮名遣い カタカナ"), standard_tokens("한국어 뉴스, it's 3.5 km")
    (['仮', '名', '遣', 'い', 'カタカナ'], ['한국어', '뉴스', "it's", '3.5', 'km'])
    """
    return _TOKEN.findall(text)


def choose_profile(
    tokens: list[list[str]], links: Floats, *, sample_tokens: int = 4000, cjk_share: float = 0.2
) -> StopwordProfile:
    """The profile whose list holds most of a page's text; ``tokens`` and link density by block. A
    page is measured in tokens from ``cjk_share`` on: code among Chinese prose leaves no more on
    many pages. What a page declares is not asked: themes and content systems leave their own
    language behind."""
    plain = (found for found, linked in zip(tokens, links.tolist(), strict=True) if linked < 0.5)
    sample = list(islice(chain.from_iterable(plain), sample_tokens))
    cjk = sum(re.match(f"[{CJK}]", token) is not None for token in sample) > cjk_share * len(sample)
    codes = (code for code in STOP_WORDS if (code in _CJK_PROFILES) == cjk)
    held = {code: sum(token in STOP_WORDS[code] for token in sample) for code in codes}
    best = max(held, key=lambda code: held[code])
    # Text in a language without a list mostly stays below .12; of CJK texts only Korean stays below
    # .02, whose Hangul no list holds.
    if held[best] >= (0.02 if cjk else 0.12) * max(1, len(sample)):
        return PROFILES[best]
    return KOREAN if cjk else UNLISTED


BAD, SHORT, NEAR, GOOD = range(
    4
)  # classes of a block: boilerplate, too short to tell, near-good, content


@dataclass(frozen=True, slots=True)
class Measures:
    """Per block: length (characters, or tokens in CJK), link density and stop word density in 0..1,
    what marks it. ``barred`` tells of a copyright sign, ``heading`` of a block that stands in
    ``h1`` to ``h6``."""

    length: Floats
    links: Floats
    stops: Floats
    barred: Flags
    heading: Flags


def extract_justext(page: Page) -> Selection:
    """Every block whose final class is good."""
    tokens = [standard_tokens(text.casefold()) for text in page.document.blocks.texts]
    profile = choose_profile(tokens, _link_density(page))
    measures = measure(page, tokens, profile=profile)
    classes = revise(context_free(measures, profile), measures, profile=profile)
    return selection(page, classes / GOOD, kept=classes == GOOD)


def measure(page: Page, tokens: list[list[str]], *, profile: StopwordProfile) -> Measures:
    """Measures of every block; ``tokens`` holds those of its casefolded text."""
    blocks, document = page.document.blocks, page.document
    count = np.array([len(found) for found in tokens], np.float64)
    hits = np.array(
        [sum(token in profile.stop_words for token in found) for found in tokens], np.float64
    )
    inside = np.zeros(len(document), bool)
    for number, tag in enumerate(document.tags):
        if tag in HEADINGS:
            inside[number : document.ends[number]] = True
    return Measures(
        length=count
        if profile.tokens
        else np.array([len(text) for text in blocks.texts], np.float64),
        links=_link_density(page),
        stops=hits / np.maximum(count, 1),
        barred=np.array(["©" in text for text in blocks.texts], bool),
        heading=inside[blocks.owner],
    )


def context_free(measures: Measures, profile: StopwordProfile) -> Ints:
    """Class of every block from the block alone (section 3.2.2)."""
    low, long = measures.length < profile.length_low, measures.length > profile.length_high
    some, many = measures.stops >= profile.stops_low, measures.stops >= profile.stops_high
    classes = np.select(
        [low & (measures.links > 0), low, many & long, some], [BAD, SHORT, GOOD, NEAR], BAD
    )
    classes[measures.barred | (measures.links > profile.link_density)] = BAD
    return classes.astype(np.int64)


def revise(classes: Ints, measures: Measures, *, profile: StopwordProfile) -> Ints:
    """Final classes, good or bad, of blocks in the order of the page (section 3.2.3 and
    headings)."""
    leading = measures.heading & _leads(classes, measures.length, distance=profile.heading_distance)
    found = _settle_short(np.where(leading & (classes == SHORT), NEAR, classes))
    between_bad = (_sides(found, (GOOD, BAD)) == BAD).all(0)
    found = np.where(found == NEAR, np.where(between_bad, BAD, GOOD), found)
    leading = measures.heading & _leads(found, measures.length, distance=profile.heading_distance)
    return np.where(leading & (classes != BAD), GOOD, found)


def _settle_short(classes: Ints) -> Ints:
    """Short blocks get the class of both sides; where the sides differ, a near-good block on the
    bad side makes them good."""
    final, near = _sides(classes, (GOOD, BAD)), _sides(classes, (GOOD, BAD, NEAR))
    touched = ((final == BAD) & (near == NEAR)).any(0)
    good = np.where(final[0] == final[1], final[0] == GOOD, touched)
    return np.where(classes == SHORT, np.where(good, GOOD, BAD), classes)


def _sides(classes: Ints, wanted: tuple[int, ...]) -> Ints:
    """Matrix of two rows: of every block, the nearest class before and after it that is ``wanted``;
    bad beyond the edges."""
    padded = np.concatenate(([BAD], classes, [BAD]))
    at = np.arange(len(padded))
    seen = np.isin(padded, wanted)
    before = np.maximum.accumulate(np.where(seen, at, 0))
    after = np.minimum.accumulate(np.where(seen, at, at[-1])[::-1])[::-1]
    return np.stack([padded[before[:-2]], padded[after[2:]]])


def _leads(classes: Ints, length: Floats, *, distance: float) -> Flags:
    """Whether a good block follows each block with less than ``distance`` of text between the
    two."""
    ends = np.cumsum(length)
    good = np.flatnonzero(classes == GOOD)
    following = np.searchsorted(good, np.arange(len(classes)), side="right")
    starts = np.append(
        (ends - length)[good], np.inf
    )  # of the good blocks, and of none after the last one
    return starts[following] - ends <= distance


def _link_density(page: Page) -> Floats:
    blocks = page.document.blocks
    return np.asarray(blocks.link_chars / np.maximum(blocks.chars, 1))
