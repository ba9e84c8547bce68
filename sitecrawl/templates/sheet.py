"""Pages prepared for a vote: every text block with what the extractor and the other pages think of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from lxml import etree

from sitecrawl.article import Article
from sitecrawl.dom.align import Names
from sitecrawl.dom.blocks import Blocks, Floats, Ints
from sitecrawl.dom.page import Page

_OWN = 0.6
"""Weight of the page's own guess against that of the same place on the other pages."""
_SURE = 0.85
"""Mean probability from which a text that stands on most pages is a formula of the author's, not of the template."""


class Guess(Protocol):
    """What a single-page extractor said; ``sitecrawl.extract.single.Extraction`` is one."""

    article: Article
    page_type: str
    view: Any
    selection: Any
    nodes: dict[str, etree._Element]


@dataclass(slots=True)
class Sample:
    """A page and what an extractor guessed of it alone."""

    page: Page
    guess: Guess


@dataclass(slots=True)
class Sheet:
    """One sample in numbers: ``keep`` is the voted probability of every block, ``fixed`` whether it is the template's.

    ``first`` and ``last`` bound the blocks of every element; ``good``, ``bad`` and
    ``same`` are running sums of kept, dropped and fixed words.
    """

    sample: Sample
    blocks: Blocks
    number: dict[etree._Element, int]
    first: Ints
    last: Ints
    keep: Floats
    fixed: Any
    good: Floats = field(default_factory=lambda: np.zeros(1))
    bad: Floats = field(default_factory=lambda: np.zeros(1))
    same: Floats = field(default_factory=lambda: np.zeros(1))

    @property
    def page(self) -> Page:
        return self.sample.page

    def words(self, element: int) -> tuple[float, float, float]:
        """Kept, dropped and fixed words of an element's subtree."""
        first, last = self.first[element], self.last[element]
        return tuple(float(sums[last] - sums[first]) for sums in (self.good, self.bad, self.same))  # type: ignore[return-value]

    @property
    def total(self) -> float:
        """Kept words of the page."""
        return float(self.good[-1])


def sheets_of(samples: Sequence[Sample], names: Names) -> list[Sheet]:
    """Every sample prepared, its blocks voted on by all."""
    sheets = [_sheet(sample) for sample in samples]
    _mark_fixed(sheets)
    _vote(sheets, [_places(sheet, names) for sheet in sheets])
    for sheet in sheets:
        _sum_up(sheet)
    return sheets


def _sheet(sample: Sample) -> Sheet:
    blocks, tree = sample.guess.view.blocks, sample.page.tree
    scores = np.asarray(sample.guess.selection.scores, np.float64)
    kept = np.asarray(sample.guess.selection.kept, bool)
    keep = np.where(kept, np.maximum(scores, 0.55), np.minimum(scores, 0.45)) if len(scores) else scores
    return Sheet(
        sample,
        blocks,
        tree.index(),
        np.searchsorted(blocks.start, np.array(tree.first, np.int64)),
        np.searchsorted(blocks.start, np.array(tree.last, np.int64)),
        keep,
        np.zeros(len(blocks), bool),
    )


def _mark_fixed(sheets: Sequence[Sheet]) -> None:
    """Texts that stand on at least half of the pages, and that the extractors doubt, belong to the template."""
    seen: Counter[str] = Counter()
    for sheet in sheets:
        seen.update(set(sheet.blocks.texts))
    least, liked = max(2, len(sheets) / 2), defaultdict[str, list[float]](list)
    for sheet in sheets:
        for number, text in enumerate(sheet.blocks.texts):
            if seen[text] >= least:
                liked[text].append(float(sheet.keep[number]))
    for sheet in sheets:
        for number, text in enumerate(sheet.blocks.texts):
            sheet.fixed[number] = text in liked and sum(liked[text]) < _SURE * len(liked[text])


def _places(sheet: Sheet, names: Names) -> list[tuple[int, str, str]]:
    """Where each block stands: its tag path, its own class and its parent's."""
    tree = sheet.page.tree
    known: dict[int, tuple[int, str, str]] = {}
    found = []
    for owner in sheet.blocks.owner.tolist():
        if owner not in known:
            parent = tree.parents[owner]
            above = " ".join(names.tokens(tree.nodes[parent])) if parent >= 0 else ""
            own = " ".join(names.tokens(tree.nodes[owner]))
            known[owner] = (_path_number(tree.tags, tree.parents, owner), own, above)
        found.append(known[owner])
    return found


def _path_number(tags: list[str], parents: list[int], at: int) -> int:
    steps = []
    while at >= 0:
        steps.append(tags[at])
        at = parents[at]
    return hash(tuple(steps))


def _vote(sheets: Sequence[Sheet], places: list[list[tuple[int, str, str]]]) -> None:
    """Mix every block's own probability with the mean of its place over all pages."""
    total: defaultdict[Any, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for sheet, where in zip(sheets, places, strict=True):
        weights = np.sqrt(np.maximum(sheet.blocks.words, 1)) * ~sheet.fixed
        for place, weight, keep in zip(where, weights.tolist(), sheet.keep.tolist(), strict=True):
            total[place][0] += weight * keep
            total[place][1] += weight
    for sheet, where in zip(sheets, places, strict=True):
        mean = np.array([total[place][0] / total[place][1] if total[place][1] else 0.0 for place in where])
        if len(mean):
            sheet.keep = _OWN * sheet.keep + (1 - _OWN) * mean


def _sum_up(sheet: Sheet) -> None:
    words = sheet.blocks.words * ~sheet.fixed
    kept = sheet.keep > 0.5
    sheet.good = np.concatenate(([0.0], np.cumsum(words * kept)))
    sheet.bad = np.concatenate(([0.0], np.cumsum(words * ~kept)))
    sheet.same = np.concatenate(([0.0], np.cumsum(sheet.blocks.words * sheet.fixed)))
