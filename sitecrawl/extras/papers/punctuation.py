"""Punctuation series of Pu et al. 2007, section 2.4: runs of text scored by their words and their
stops and commas.

The paper cuts lines out of the source by regular expression and looks at no tag. Here the runs of
text are the blocks of the page's tree, and links are told by their elements: tags are used. Its
weights are not reproduced: of the formula only the results are known to us (a line with one mark
.025, noise; with three 4.532, content), and ``series_score`` keeps what they say."""

from __future__ import annotations

import re
from itertools import takewhile

import numpy as np

from sitecrawl.dom.blocks import Flags, Floats
from sitecrawl.dom.page import Page
from sitecrawl.extract.ensemble import Selection, selection
from sitecrawl.resources import table_beside

_MARKS = re.compile(r"[,.\u3001\u3002\uff0c\uff0e\uff61\uff64\u060c\u06d4]")
"""Full stops and commas. Quotes and book-title marks are not counted: headlines and menus have them
as well."""
# score from which a run is content: two marks and two words reach it, one mark never does
_CONTENT = 1.0
# runs without marks, or with links, between two parts of a text (docs/research/methods.md)
_GAP = 16
_LINKS_WEIGH = 8  # runs that one of links counts for in a gap: a second list of links ends a text
_LINKED = 0.5  # share of a run's characters from which it is links
_LONGEST_CREDIT = 40  # words up to which a run at the end may be a line of source, author or editor
_CREDIT = re.compile(rf"^[\W_]*(?:{'|'.join(table_beside(__file__)['credits'])})\s*[:：|]", re.I)


def series_score(words: float, marks: int) -> float:
    """Score of a run: ln(1 + words) for every stop and comma after the first; ``words`` are those
    outside links.

    >>> series_score(20, 1), round(series_score(20, 3), 2), series_score(0, 9)
    (0.0, 6.09, 0.0)
    """
    return float(np.log1p(words) * max(0, marks - 1))


def mark_count(text: str) -> int:
    """Number of stops and commas, half- and full-width.

    >>> mark_count("“《红楼梦》”"), mark_count("One, two. 三，四。")
    (0, 4)
    """
    return len(_MARKS.findall(text))


def extract_punctuation(page: Page) -> Selection:
    """The stretch of greatest summed score, without its links and the lines of source and author at
    its end."""
    blocks = page.document.blocks
    linked = blocks.link_chars / np.maximum(blocks.chars, 1)
    marks = [mark_count(text) for text in blocks.texts]
    own = (blocks.words * (1.0 - linked)).tolist()
    scores = np.array([series_score(words, count) for words, count in zip(own, marks, strict=True)])
    plain = linked < _LINKED
    scores[~plain] = 0.0
    kept = np.zeros(len(blocks), bool)
    start, stop = _best_stretch(scores, plain & (np.array(marks, np.int64) > 0), plain=plain)
    kept[start:stop] = plain[start:stop]
    last_first = reversed(np.flatnonzero(kept).tolist())
    named = takewhile(
        lambda at: blocks.words[at] <= _LONGEST_CREDIT and _CREDIT.match(blocks.texts[at]),
        last_first,
    )
    kept[list(named)] = False
    return selection(page, scores, kept=kept)


def _best_stretch(scores: Floats, marked: Flags, *, plain: Flags) -> tuple[int, int]:
    """First and one past the last run of the stretch of greatest sum; 0, 0 where no run is content.
    A stretch is runs with a mark and what stands in the gaps; one without a run of content is
    none."""
    cost = np.concatenate(([0.0], np.cumsum(np.where(plain, 1.0, _LINKS_WEIGH))))
    found: list[tuple[int, int]] = []
    for at in np.flatnonzero(marked).tolist():
        if found and cost[at] - cost[found[-1][1]] < _GAP:
            found[-1] = (found[-1][0], at + 1)
        else:
            found.append((at, at + 1))
    series = [(start, stop) for start, stop in found if scores[start:stop].max() >= _CONTENT]
    return max(series, key=lambda span: float(scores[span[0] : span[1]].sum()), default=(0, 0))
