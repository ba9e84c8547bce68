"""Pages of one template side by side: for every text block, the extractor's opinion and whether
other pages repeat it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from lxml import etree

from sitecrawl.dom.blocks import Blocks, Flags, Floats
from sitecrawl.dom.document import Document
from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import HEADINGS
from sitecrawl.items.kinds import PageGuess
from sitecrawl.templates.address import find, find_on, numbers_below
from sitecrawl.templates.shared_texts import shared_blocks
from sitecrawl.templates.signs import Signs
from sitecrawl.text.names import squeeze

_SHORTEST_DAY = 6  # characters of a day that tell the line it stands in
_LONGEST_BYLINE = 40  # words
_DOUBTED = 0.2  # probability of a by-line that the extractor kept
_OUTVOTED = 0.45  # probability of a line that most pages leave out
_LEAST_VOTES = 4  # pages that can outvote the extractor on one of them
_LONGEST_LINE = 30  # words of a text that they vote on


def is_same_article(one: PageGuess, other: PageGuess, *, least: float = 0.95) -> bool:
    """Whether two samples are the same page, or copies of one text. Copies share their headline,
    and at least the share ``least`` of their characters stands in common lines. The same text below
    different headlines counts as two articles: there the extractor may have taken a notice for the
    body."""
    if one.page.url and one.page.url == other.page.url:
        return True
    articles = one.article, other.article
    titles = [squeeze(article.headline or "") for article in articles]
    if not (titles[0] in titles[1] or titles[1] in titles[0]):
        return False
    lines, others = (Counter(article.articleBody.split("\n")) for article in articles)
    total = sum(len(line) * count for line, count in (lines + others).items())
    return (
        total > 0
        and 2 * sum(len(line) * count for line, count in (lines & others).items()) >= least * total
    )


@dataclass
class AlignedPage:
    """One sample as arrays. For every block ``keep`` is the probability that it belongs to the
    body, ``fixed`` whether it is boilerplate of the template. ``signs`` are the page's signs of
    comments."""

    guess: PageGuess
    blocks: Blocks
    signs: Signs
    keep: Floats
    fixed: Flags
    _found: dict[tuple[str, int], list[int]] = field(
        default_factory=dict, repr=False
    )  # what addresses find on it

    def __post_init__(self) -> None:
        self.page: Page = self.guess.page
        self.document: Document = self.page.document

    def numbers(self, address: str, start: int = 0) -> list[int]:
        """Numbers in the tree of the elements that ``address`` finds from element ``start``."""
        known, key = self._found, (address, start)
        if key not in known:
            numbers = numbers_below(address, self.document, start=start)
            if numbers is None:
                above = self.document.nodes[start]
                nodes = find(address, above) if start else find_on(address, self.page)
                numbers = [self.number[node] for node in nodes if node in self.number]
            known[key] = numbers
        return known[key]

    def words(self, element: int) -> tuple[float, float, float]:
        """Kept, dropped and fixed words of an element's subtree."""
        kept, dropped, fixed = self.word_counts
        return kept[element], dropped[element], fixed[element]

    @cached_property
    def number(self) -> dict[etree._Element, int]:
        """Number of every element in the tree."""
        return self.document.number

    @cached_property
    def ranges(self) -> tuple[list[int], list[int]]:
        """The ranges of the guess, as lists."""
        first, last = self.guess.ranges
        return first.tolist(), last.tolist()

    @cached_property
    def word_counts(self) -> list[list[float]]:
        """Numbers of kept, dropped and fixed words of every element. The words of a block are
        distributed over its chunks of text in proportion to their lengths."""
        blocks, document = self.blocks, self.document
        counts = blocks.stop - blocks.start
        words = blocks.lengths * np.repeat(blocks.words / np.maximum(blocks.chars, 1), counts)
        kept, fixed = np.repeat(self.keep > 0.5, counts), np.repeat(self.fixed, counts)
        first, last = np.array(document.first, np.int64), np.array(document.last, np.int64)
        sums = np.zeros((3, len(words) + 1))
        np.cumsum(
            [words * (kept & ~fixed), words * ~(kept | fixed), words * fixed],
            axis=1,
            out=sums[:, 1:],
        )
        found: list[list[float]] = np.round(sums[:, last] - sums[:, first], 6).tolist()
        return found

    @property
    def kept_words(self) -> list[float]:
        """Number of kept words of every element."""
        return self.word_counts[0]

    @property
    def total(self) -> float:
        """Number of kept words of the page."""
        return self.kept_words[0] if self.kept_words else 0.0


def align_pages(samples: Sequence[PageGuess]) -> list[AlignedPage]:
    """Prepare all samples and mark the texts that the pages share."""
    pages = [_prepare(sample) for sample in samples]
    _vote(pages)
    for page, fixed in zip(pages, shared_blocks(pages), strict=True):
        page.fixed = fixed
    return pages


def _vote(pages: Sequence[AlignedPage]) -> None:
    """Decide of each line that has its place on every page as on most of them: facts that the
    extractor takes for text on one page and not on the next are the template's on both."""
    if len(pages) < _LEAST_VOTES:
        return
    votes = defaultdict[Hashable, list[tuple[AlignedPage, list[int]]]](list)
    for page in pages:
        for kind, places in _places_by_kind(page).items():
            votes[kind].append((page, places))
    for found in votes.values():
        lengths = {len(places) for _, places in found}
        if len(found) < max(_LEAST_VOTES, 0.5 * len(pages)) or len(lengths) > 1:
            continue
        for at in range(lengths.pop()):
            _vote_on([(page, places[at]) for page, places in found])


def _vote_on(lines: Sequence[tuple[AlignedPage, int]]) -> None:
    """Leave out the lines at one place, a page and the number of its block each, if most pages leave
    theirs out."""
    kept = len([line for page, line in lines if page.keep[line] > 0.5])
    longest = max([page.blocks.words[line] for page, line in lines])
    if 0 < kept < 0.5 * len(lines) and longest <= _LONGEST_LINE:
        for page, line in lines:
            page.keep[line] = min(page.keep[line], _OUTVOTED)


def _places_by_kind(page: AlignedPage) -> dict[Hashable, list[int]]:
    """The blocks of a page by their path and the name of their element, else of one or two around
    it."""
    document = page.document
    classes = document.classes
    parents = document.parents
    found = defaultdict[Hashable, list[int]](list)
    for at, owner in enumerate(page.blocks.owner.tolist()):
        above = parents[owner]
        name = classes[owner] or classes[above] or classes[parents[above]]
        # where a section begins, one page has a text for it and the next has not
        if name and document.tags[owner] not in HEADINGS:
            found[document.path_texts[document.paths[owner]], name].append(at)
    return found


def leave_out(pages: Sequence[AlignedPage], unit: str) -> None:
    """Remove the comments, which the address ``unit`` finds, from the bodies of all pages, and what
    the extractor takes for comments."""
    for page in pages:
        page.keep[page.guess.said] = 0.0
        for element in page.numbers(unit) if unit else ():
            page.keep[page.ranges[0][element] : page.ranges[1][element]] = 0.0
        page.__dict__.pop("word_counts", None)


def _prepare(sample: PageGuess) -> AlignedPage:
    """One page with the extractor's opinion of its blocks."""
    blocks, document = sample.blocks, sample.page.document
    scores = np.asarray(sample.scores, np.float64)
    # records are searched in what readers said as well
    kept = np.asarray(sample.kept, bool) | sample.said
    keep = (
        np.where(kept, np.maximum(scores, 0.55), np.minimum(scores, 0.45))
        if len(scores)
        else scores
    )
    _doubt_byline(sample, keep)
    return AlignedPage(sample, blocks, Signs(document), keep, np.zeros(len(blocks), bool))


def _doubt_byline(sample: PageGuess, keep: Floats) -> None:
    """Leave out the first short block that holds the day of an article: it is a by-line, even if the
    extractor kept it."""
    raw = (sample.article.datePublishedRaw or "").strip()
    if len(raw) < _SHORTEST_DAY:
        return
    blocks = sample.blocks
    for number, text in enumerate(blocks.texts):
        if raw in text and blocks.words[number] <= _LONGEST_BYLINE:
            keep[number] = min(keep[number], _DOUBTED)
            return
