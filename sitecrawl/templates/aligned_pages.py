"""Pages of one template side by side: every text block with what the extractor and the other pages think of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from lxml import etree

from sitecrawl.dom.blocks import Blocks, Flags, Floats, Ints
from sitecrawl.dom.page import Page
from sitecrawl.items.kinds import PageGuess
from sitecrawl.templates.address import find_below
from sitecrawl.text.names import squeeze

_LONGEST_FORMULA = 150
"""Words of the longest formula of the author's that an element holds alone; what is longer there, and the same on every page, is a notice."""


@dataclass(slots=True)
class Sample:
    """A page and what an extractor guessed of it alone."""

    page: Page
    guess: PageGuess


def is_same_article(one: Sample, other: Sample, *, least: float = 0.95) -> bool:
    """Whether two samples are one page, or copies of one text: a share of ``least`` of their characters stands in common lines, below one headline.

    Different headlines above one text are two articles: there the extractor may have taken a notice for the body.
    """
    if one.page.url and one.page.url == other.page.url:
        return True
    articles = one.guess.article, other.guess.article
    titles = [squeeze(article.headline or "") for article in articles]
    if not (titles[0] in titles[1] or titles[1] in titles[0]):
        return False
    lines, others = (Counter(article.articleBody.split("\n")) for article in articles)
    total = sum(len(line) * count for line, count in (lines + others).items())
    return total > 0 and 2 * sum(len(line) * count for line, count in (lines & others).items()) >= least * total


@dataclass(slots=True)
class AlignedPage:
    """One sample in numbers: ``keep`` is the probability of every block that it is body, ``fixed`` whether it is the template's.

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

    @property
    def guess(self) -> PageGuess:
        return self.sample.guess

    @property
    def fixed_texts(self) -> list[str]:
        return [text for text, fixed in zip(self.blocks.texts, self.fixed, strict=True) if fixed]

    def find(self, address: str, start: int = 0) -> list[Any]:
        """What ``address`` finds from element ``start``: elements in document order, or strings."""
        return find_below(address, self.page.tree, start)

    def numbers(self, address: str, start: int = 0) -> list[int]:
        """Numbers of the elements that ``address`` finds from element ``start``."""
        return [self.number[node] for node in self.find(address, start) if node in self.number]

    def words(self, element: int) -> tuple[float, float, float]:
        """Kept, dropped and fixed words of an element's subtree."""
        return self.held[0][element], self.held[1][element], self.held[2][element]

    def sum_up(self) -> None:
        """Count the words of every element; a block's words are shared out by the lengths of its chunks of text."""
        blocks, tree = self.blocks, self.page.tree
        counts = (blocks.stop - blocks.start).astype(np.int64)
        lengths = np.array([len(chunk.strip()) for chunk in tree.chunks], np.float64)[: int(counts.sum())]
        words = lengths * np.repeat(blocks.words / np.maximum(blocks.chars, 1), counts)
        kept, fixed = np.repeat(self.keep > 0.5, counts), np.repeat(np.asarray(self.fixed, bool), counts)
        first, last = np.array(tree.first, np.int64), np.array(tree.last, np.int64)
        self.held.clear()
        for which in (kept & ~fixed, ~kept & ~fixed, fixed):
            sums = np.concatenate(([0.0], np.cumsum(np.where(which, words, 0.0))))
            self.held.append(np.round(sums[last] - sums[first], 6).tolist())
        self.total = self.held[0][0] if self.held[0] else 0.0


def align_pages(samples: Sequence[Sample]) -> list[AlignedPage]:
    """Every sample prepared, the texts marked that the pages share."""
    pages = [_prepare(sample) for sample in samples]
    _mark_fixed(pages)
    for page in pages:
        page.sum_up()
    return pages


def leave_out(pages: Sequence[AlignedPage], unit: str) -> None:
    """Take what ``unit`` finds, comments, out of the bodies of all pages."""
    for page in pages:
        for element in page.numbers(unit):
            page.keep[page.first[element] : page.last[element]] = 0.0
        page.sum_up()


def _prepare(sample: Sample) -> AlignedPage:
    """One page, its blocks judged by its extractor alone."""
    blocks, tree = sample.guess.blocks, sample.page.tree
    scores, kept = np.asarray(sample.guess.scores, np.float64), np.asarray(sample.guess.kept, bool)
    keep = np.where(kept, np.maximum(scores, 0.55), np.minimum(scores, 0.45)) if len(scores) else scores
    _doubt_bylines(sample, keep)
    first, last = (np.searchsorted(blocks.start, np.array(bounds, np.int64)) for bounds in (tree.first, tree.last))
    return AlignedPage(sample, blocks, tree.index(), first, last, keep, np.zeros(len(blocks), bool))


def _doubt_bylines(sample: Sample, keep: Floats, *, shortest_date: int = 6, longest: int = 40) -> None:
    """The first block of up to ``longest`` words that holds the date is a by-line, whatever the extractor thought."""
    raw, blocks = (sample.guess.article.datePublishedRaw or "").strip(), sample.guess.blocks
    for number, text in enumerate(blocks.texts if len(raw) >= shortest_date else ()):
        if raw in text and blocks.words[number] <= longest:
            keep[number] = min(keep[number], 0.2)
            return


def _mark_fixed(pages: Sequence[AlignedPage], *, sure: float = 0.9) -> None:
    """Mark the texts that stand on at least half of the pages, unless the extractors are ``sure`` that they are what the author writes each time.

    Texts that follow each other are one notice or one formula: the mean over the words of the run tells. A long formula
    stands among the author's other paragraphs; an element that holds nothing but a long run is a box of the template's.
    """
    seen = Counter(text for page in pages for text in set(page.blocks.texts))
    least, liked = max(2, len(pages) / 2), defaultdict[str, list[float]](list)
    for page in pages:
        for text, keep in zip(page.blocks.texts, page.keep.tolist(), strict=True):
            if seen[text] >= least:
                liked[text].append(keep)
    mean = {text: sum(keeps) / len(keeps) for text, keeps in liked.items()}
    for page in pages:
        page.fixed = np.array([text in liked for text in page.blocks.texts], bool)
        boxes = set(zip(page.first.tolist(), page.last.tolist(), strict=True))
        edges = np.flatnonzero(np.diff(np.concatenate(([0], page.fixed.astype(np.int8), [0])))).tolist()
        for run in zip(edges[::2], edges[1::2], strict=True):
            words = page.blocks.words[slice(*run)]
            keeps = [mean[text] for text in page.blocks.texts[slice(*run)]]
            if words @ keeps >= sure * words.sum() > 0 and (words.sum() <= _LONGEST_FORMULA or run not in boxes):
                page.fixed[slice(*run)] = False
