"""Pages prepared for a vote: every text block with what the extractor and the other pages think of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from lxml import etree

from sitecrawl.dom.align import Names
from sitecrawl.dom.blocks import Blocks, Flags, Floats, Ints
from sitecrawl.dom.page import Page
from sitecrawl.items.kinds import PageGuess
from sitecrawl.templates.address import find_below

_OWN = 0.6
"""Weight of the page's own guess against that of the same place on the other pages."""
_BYLINE = 40
"""Words of the longest by-line."""
_SHORTEST_DATE = 6
_SURE = 0.8
"""Mean probability from which a text that stands on most pages is a formula of the author's, not of the template."""
_LONGEST_FORMULA = 150
"""Words of the longest formula on a page; what is longer and the same on every page is a notice, however much like prose."""


@dataclass(slots=True)
class Sample:
    """A page and what an extractor guessed of it alone."""

    page: Page
    guess: PageGuess


@dataclass(slots=True)
class Sheet:
    """One sample in numbers: ``keep`` is the voted probability of every block, ``fixed`` whether it is the template's.

    ``first`` and ``last`` bound the blocks of every element; ``held`` are the kept,
    dropped and fixed words of every element, ``total`` the kept ones of the page.
    """

    sample: Sample
    blocks: Blocks
    number: dict[etree._Element, int]
    first: Ints
    last: Ints
    keep: Floats
    fixed: Flags
    held: list[list[float]] = field(default_factory=list)
    total: float = 0.0

    @property
    def page(self) -> Page:
        return self.sample.page

    def find(self, address: str, start: int = 0) -> list[Any]:
        """What ``address`` finds from element ``start``: elements in document order, or strings."""
        return find_below(address, self.page.tree, start)

    def numbers(self, address: str, start: int = 0) -> list[int]:
        """Numbers of the elements that ``address`` finds from element ``start``."""
        return [self.number[node] for node in self.find(address, start) if node in self.number]

    def words(self, element: int) -> tuple[float, float, float]:
        """Kept, dropped and fixed words of an element's subtree."""
        return self.held[0][element], self.held[1][element], self.held[2][element]


def sheets_of(samples: Sequence[Sample], names: Names) -> list[Sheet]:
    """Every sample prepared, its blocks voted on by all."""
    sheets = [_sheet(sample) for sample in samples]
    _mark_fixed(sheets)
    _vote(sheets, [_places(sheet, names) for sheet in sheets])
    for sheet in sheets:
        _sum_up(sheet)
    return sheets


def leave_out(sheets: Sequence[Sheet], unit: str) -> None:
    """Take what ``unit`` finds, comments, out of the bodies of all pages."""
    for sheet in sheets:
        for element in sheet.numbers(unit):
            sheet.keep[sheet.first[element] : sheet.last[element]] = 0.0
        sheet.held.clear()
        _sum_up(sheet)


def _sheet(sample: Sample) -> Sheet:
    blocks, tree = sample.guess.blocks, sample.page.tree
    scores = np.asarray(sample.guess.scores, np.float64)
    kept = np.asarray(sample.guess.kept, bool)
    keep = np.where(kept, np.maximum(scores, 0.55), np.minimum(scores, 0.45)) if len(scores) else scores
    _doubt_bylines(sample, keep)
    return Sheet(
        sample,
        blocks,
        tree.index(),
        np.searchsorted(blocks.start, np.array(tree.first, np.int64)),
        np.searchsorted(blocks.start, np.array(tree.last, np.int64)),
        keep,
        np.zeros(len(blocks), bool),
    )


def _doubt_bylines(sample: Sample, keep: Floats) -> None:
    """The first short block that holds the date is a by-line, whatever the extractor thought."""
    raw, blocks = (sample.guess.article.datePublishedRaw or "").strip(), sample.guess.blocks
    if len(raw) < _SHORTEST_DATE:
        return
    for number, text in enumerate(blocks.texts):
        if raw in text and blocks.words[number] <= _BYLINE:
            keep[number] = min(keep[number], 0.2)
            return


def _mark_fixed(sheets: Sequence[Sheet]) -> None:
    """Texts that stand on at least half of the pages, and that the extractors doubt, belong to the template."""
    seen: Counter[str] = Counter()
    for sheet in sheets:
        seen.update(set(sheet.blocks.texts))
    least, liked = max(2, len(sheets) / 2), defaultdict[str, list[float]](list)
    for sheet in sheets:
        for text, keep in zip(sheet.blocks.texts, sheet.keep.tolist(), strict=True):
            if seen[text] >= least:
                liked[text].append(keep)
    formula = {text for text, keeps in liked.items() if sum(keeps) >= _SURE * len(keeps)}
    for sheet in sheets:
        sheet.fixed = np.array([text in liked for text in sheet.blocks.texts], bool)
        for start, stop in _runs(sheet.fixed):
            words = float(sheet.blocks.words[start:stop].sum())
            if words <= _LONGEST_FORMULA and formula.issuperset(sheet.blocks.texts[start:stop]):
                sheet.fixed[start:stop] = False


def _runs(flags: Flags) -> list[tuple[int, int]]:
    """Bounds of the runs of set flags: texts of the template that follow each other are one notice, its sentences no author's."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0])))).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


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
            known[owner] = (tree.paths[owner], own, above)
        found.append(known[owner])
    return found


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
    """Running sums over chunks; a block's words are shared out by the lengths of its chunks."""
    blocks = sheet.blocks
    counts = (blocks.stop - blocks.start).astype(np.int64)
    lengths = np.array([len(chunk.strip()) for chunk in sheet.page.tree.chunks], np.float64)[: int(counts.sum())]
    words = lengths * np.repeat(blocks.words / np.maximum(blocks.chars, 1), counts)
    kept = np.repeat(sheet.keep > 0.5, counts)
    fixed = np.repeat(np.asarray(sheet.fixed, bool), counts)
    first, last = np.array(sheet.page.tree.first, np.int64), np.array(sheet.page.tree.last, np.int64)
    for which in (kept & ~fixed, ~kept & ~fixed, fixed):
        sums = np.concatenate(([0.0], np.cumsum(np.where(which, words, 0.0))))
        sheet.held.append(np.round(sums[last] - sums[first], 6).tolist())
    sheet.total = sheet.held[0][0] if sheet.held[0] else 0.0
