"""Which texts of a site's pages are the template's: those that stand on the pages equal, or with
equal beginnings. Here the site is the witness, and outvotes the extractor."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import takewhile
from typing import Protocol

import numpy as np

from sitecrawl.dom.blocks import Blocks, Flags, Floats
from sitecrawl.dom.document import Document
from sitecrawl.dom.link_labels import LABEL_ENDS, LONGEST_LINKED, label_of_links
from sitecrawl.dom.outside import (
    label_of,
    may_name_people,
    mentions_advertising,
    names_staff,
)
from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import REPEATED
from sitecrawl.items.kinds import PageGuess
from sitecrawl.text.chars import word_count

_SURE = 0.9  # probability from which a text on half of the pages is the author's
_LEAST_PAGES = 4  # pages that can say that a text stands on all pages of a site
_LONGEST_FORMULA = 150
"""Words of the longest standing text of the author that fills an element by itself. A longer one
that repeats on every page is boilerplate."""
_FORM = 0.2  # share of the words that other pages have too, of articles that are one form
_LEAST_SAID = 5  # words of a line that all pages have
_NUMBER = re.compile("[0-9]+")
_EDGE = 3  # paragraphs at the end of a body that may name the staff
_MOST_LABELS = 20  # of a template
_LONGEST_LABEL = 30  # characters; longer ones before links are sentences of an author


class PageTexts(Protocol):
    """What is read of a page: see ``aligned_pages.AlignedPage``."""

    guess: PageGuess
    blocks: Blocks
    keep: Floats
    page: Page
    document: Document

    @property
    def ranges(self) -> tuple[list[int], list[int]]: ...


def shared_blocks(pages: Sequence[PageTexts]) -> list[Flags]:
    """For each page, which of its blocks are the template's.

    A text on half of the pages is, unless the extractor is sure of it. Consecutive ones form a run,
    which is judged by the mean over its words; a long run is only the author's where other paragraphs
    of the body share its element. A paragraph on all pages is the template's whatever the extractor
    says, and so is a line about advertising on two. Where the articles themselves are one form with
    other numbers, its sentences are the author's."""
    liked = _liking_by_text(pages)
    counts = {text: len(keeps) for text, keeps in liked.items()}
    half = max(2.0, len(pages) / 2)
    mean = {text: sum(keeps) / len(keeps) for text, keeps in liked.items() if counts[text] >= half}
    notes = {text for text, count in counts.items() if count > 1 and mentions_advertising(text)}
    tells_all = len(pages) >= _LEAST_PAGES and not _are_forms(pages, counts)
    found = list[Flags]()
    for page in pages:
        texts = page.blocks.texts
        fixed = np.array([text in mean for text in texts], bool)
        if fixed.any():
            _keep_liked_runs(page, mean, fixed=fixed)
        if tells_all:
            fixed |= _on_all_pages(page, counts, pages=len(pages))
        found.append(fixed | np.array([text in notes for text in texts], bool))
    return found


def shared_lines(pages: Sequence[PageTexts]) -> list[str]:
    """Lines with which all bodies end inside a longer text, as behind a line break: no block tells
    them."""
    if len(pages) < _LEAST_PAGES:
        return []
    bodies = [page.guess.article.articleBody.split("\n") for page in pages]
    shared = set(bodies[0]).intersection(*bodies[1:])
    for page, lines in zip(pages, bodies, strict=True):
        ending = set(takewhile(shared.__contains__, reversed(lines)))
        shared &= ending.difference(page.blocks.texts)
    return sorted([line for line in shared if word_count(line) >= _LEAST_SAID])


def shared_labels(pages: Sequence[PageTexts]) -> list[str]:
    """Beginnings of lines that are no text of an article, whatever follows: labels of the staff at the
    end of the bodies, and of links to other articles among their paragraphs."""
    staff = Counter[str]()
    links = Counter[str]()
    names = defaultdict[str, set[str]](set)
    for page in pages:
        staff.update(_staff_labels(page, names))
        links.update(_link_labels(page))
    half = max(2.0, len(pages) / 2)
    found = [label for label, count in staff.items() if count >= half and names_staff(label)]
    if len(pages) >= _LEAST_PAGES:
        # labels that no list knows: all pages have them, and people of this site stand behind them
        for label, count in staff.items():
            if count == len(pages) and len(names[label]) < count:
                found.append(label)
    found += [label for label, count in links.items() if count > 1]
    return list(dict.fromkeys(found))[:_MOST_LABELS]


def _staff_labels(page: PageTexts, names: dict[str, set[str]]) -> set[str]:
    """The labels of the last paragraphs of a body, if what follows may be names. A longer list of
    labels is a list of facts."""
    texts = page.blocks.texts
    labels = set[str]()
    for at in np.flatnonzero(page.keep > 0.5).tolist()[: -_EDGE - 2 : -1]:
        label, rest = label_of(texts[at])
        if not label or not may_name_people(rest):
            break
        labels.add(label)
        names[label].add(rest)
    return labels if len(labels) <= _EDGE else set()


def _link_labels(page: PageTexts) -> set[str]:
    """The labels of paragraphs that hold a label and links to other pages of the site, and nothing
    else."""
    blocks = page.blocks
    likely = (page.keep > 0.5) & (blocks.link_chars >= 0.5 * blocks.chars)
    labels = set[str]()
    for at in np.flatnonzero(likely & (blocks.chars <= LONGEST_LINKED)).tolist():
        label = label_of_links(page.document, at, base_url=page.page.base_url)
        is_form = page.document.tags[int(blocks.owner[at])] in REPEATED
        is_short = len(label) <= _LONGEST_LABEL and label.endswith(LABEL_ENDS)
        if is_short and not is_form:
            labels.add(label)
    return labels


def _liking_by_text(pages: Sequence[PageTexts]) -> dict[str, list[float]]:
    """For each text the highest probability that it belongs to the body, of each page that has it."""
    liked = defaultdict[str, list[float]](list)
    for page in pages:
        own = dict[str, float]()
        for text, keep in zip(page.blocks.texts, page.keep.tolist(), strict=True):
            own[text] = max(keep, own.get(text, 0.0))
        for text, keep in own.items():
            liked[text].append(keep)
    return liked


def _keep_liked_runs(page: PageTexts, mean: dict[str, float], *, fixed: Flags) -> None:
    """Take the runs of repeated texts that are the author's from what is ``fixed``."""
    boxes = set(zip(*page.ranges, strict=True))
    edges = np.flatnonzero(np.diff(fixed.astype(np.int8), prepend=0, append=0)).tolist()
    for run in zip(edges[::2], edges[1::2], strict=True):
        words = page.blocks.words[slice(*run)]
        total = words.sum()
        keeps = [mean[text] for text in page.blocks.texts[slice(*run)]]
        is_liked = words @ keeps >= _SURE * total > 0
        if is_liked and (total <= _LONGEST_FORMULA or run not in boxes):
            fixed[slice(*run)] = False


def _on_all_pages(page: PageTexts, counts: dict[str, int], *, pages: int) -> Flags:
    """The paragraphs that stand on all pages."""
    tags = page.document.tags
    owners = page.blocks.owner.tolist()
    pairs = zip(page.blocks.texts, owners, strict=True)
    return np.array(
        [counts[text] == pages and tags[owner] not in REPEATED for text, owner in pairs], bool
    )


def _are_forms(pages: Sequence[PageTexts], counts: dict[str, int]) -> bool:
    """Whether the bodies repeat one another, but for their numbers, besides what all pages have: so
    do notices of tariffs, letters to readers and liturgies."""
    shapes = Counter[str]()
    own = list[dict[str, float]]()
    for page in pages:
        body = dict[str, float]()
        for at in np.flatnonzero(page.keep > 0.5).tolist():
            text = page.blocks.texts[at]
            if counts[text] < len(pages):
                body[_NUMBER.sub("0", text)] = page.blocks.words[at]
        shapes.update(body.keys())
        own.append(body)
    total = sum([sum(body.values()) for body in own])
    again = sum([words for body in own for shape, words in body.items() if shapes[shape] > 1])
    return again > _FORM * total
