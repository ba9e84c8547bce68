"""jusText (Pomikálek 2011, Removing Boilerplate and Duplicate Content from Web Corpora, chapter 3), written from the algorithm.

A block is classed by itself first, by length, link density and stop word density; blocks in doubt are then classed by their
neighbours. Chinese, Japanese and Korean are measured in tokens, with thresholds and stop lists of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sitecrawl.dom.blocks import Flags, Floats, Ints
from sitecrawl.dom.tree import HEADINGS
from sitecrawl.extract.ensemble import Selection, selection
from sitecrawl.extract.features import View
from sitecrawl.extract.justext_profile import Profile, choose_profile
from sitecrawl.text.chars import standard_tokens

BAD, SHORT, NEAR, GOOD = range(4)
"""Classes of a block: boilerplate, too short to tell, near-good, content."""


@dataclass(frozen=True, slots=True)
class Measures:
    """Per block: length (characters, or tokens in CJK), link density and stop word density in 0..1, what marks it.

    ``barred`` tells of a copyright sign, ``heading`` of a block that stands in ``h1`` to ``h6``.
    """

    length: Floats
    links: Floats
    stops: Floats
    barred: Flags
    heading: Flags


def extract_justext(view: View) -> Selection:
    """Every block whose final class is good."""
    if not len(view.blocks):
        return selection(view, np.zeros(0), np.zeros(0, bool))
    tokens = [standard_tokens(text.casefold()) for text in view.blocks.texts]
    profile = choose_profile(tokens, _link_density(view))
    measures = measure(view, tokens, profile)
    classes = revise(context_free(measures, profile), measures, profile)
    return selection(view, classes / GOOD, classes == GOOD)


def measure(view: View, tokens: list[list[str]], profile: Profile) -> Measures:
    """Measures of every block; ``tokens`` holds those of its casefolded text."""
    blocks, tags = view.blocks, view.tree.tags
    count = np.array([len(found) for found in tokens], np.float64)
    hits = np.array([sum(token in profile.stop_words for token in found) for found in tokens], np.float64)
    headings = [number for number, tag in enumerate(tags) if tag in HEADINGS]
    inside = np.zeros(len(tags), bool)
    for number in headings:
        inside[number : view.tree.ends[number]] = True
    return Measures(
        length=count if profile.tokens else np.array([len(text) for text in blocks.texts], np.float64),
        links=_link_density(view),
        stops=hits / np.maximum(count, 1),
        barred=np.array(["©" in text for text in blocks.texts], bool),
        heading=inside[blocks.owner],
    )


def context_free(measures: Measures, profile: Profile) -> Ints:
    """Class of every block from the block alone (section 3.2.2)."""
    low, long = measures.length < profile.length_low, measures.length > profile.length_high
    some, many = measures.stops >= profile.stops_low, measures.stops >= profile.stops_high
    classes = np.select([low & (measures.links > 0), low, many & long, some], [BAD, SHORT, GOOD, NEAR], BAD)
    classes[measures.barred | (measures.links > profile.link_density)] = BAD
    return classes.astype(np.int64)


def revise(classes: Ints, measures: Measures, profile: Profile) -> Ints:
    """Final classes, good or bad, of blocks in the order of the page (section 3.2.3 and headings)."""
    leading = measures.heading & _leads(classes, measures.length, profile.heading_distance)
    found = _settle_short(np.where(leading & (classes == SHORT), NEAR, classes))
    found = _settle_near(found)
    leading = measures.heading & _leads(found, measures.length, profile.heading_distance)
    return np.where(leading & (classes != BAD), GOOD, found)


def _settle_short(classes: Ints) -> Ints:
    """Short blocks get the class of both sides; where the sides differ, a near-good block on the bad side makes them good."""
    final, near = _sides(classes, (GOOD, BAD)), _sides(classes, (GOOD, BAD, NEAR))
    touched = ((final == BAD) & (near == NEAR)).any(0)
    good = np.where(final[0] == final[1], final[0] == GOOD, touched)
    return np.where(classes == SHORT, np.where(good, GOOD, BAD), classes)


def _settle_near(classes: Ints) -> Ints:
    """Near-good blocks are good unless they stand between bad ones."""
    good = (_sides(classes, (GOOD, BAD)) == GOOD).any(0)
    return np.where(classes == NEAR, np.where(good, GOOD, BAD), classes)


def _sides(classes: Ints, wanted: tuple[int, ...]) -> Ints:
    """Matrix of two rows: of every block, the nearest class before and after it that is ``wanted``; bad beyond the edges."""
    padded = np.concatenate(([BAD], classes, [BAD]))
    at = np.arange(len(padded))
    seen = np.isin(padded, wanted)
    before = np.maximum.accumulate(np.where(seen, at, 0))
    after = np.minimum.accumulate(np.where(seen, at, at[-1])[::-1])[::-1]
    return np.stack([padded[before[:-2]], padded[after[2:]]])


def _leads(classes: Ints, length: Floats, distance: float) -> Flags:
    """Whether a good block follows each block with less than ``distance`` of text between the two."""
    leads = np.zeros(len(classes), bool)
    start = np.cumsum(length) - length
    good = np.flatnonzero(classes == GOOD)
    after = np.searchsorted(good, np.arange(len(classes)), side="right")
    has = after < len(good)
    following = good[after[has]]
    leads[has] = start[following] - (start + length)[has] <= distance
    return leads


def _link_density(view: View) -> Floats:
    return view.blocks.link_chars / np.maximum(view.blocks.chars, 1)
