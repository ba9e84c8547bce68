"""Labelled text blocks: which blocks of a page stand in its truth, found by aligning words in order."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import LCSseq

from benchmarks.corpora import Example, corpus_examples, corpus_names, site_examples, site_names
from benchmarks.metrics import tokens
from sitecrawl.dom.blocks import Floats
from sitecrawl.dom.parse import parse
from sitecrawl.extract.ensemble import headline_block
from sitecrawl.extract.features import View, block_features, view_of
from sitecrawl.extract.headline import find_headline
from sitecrawl.text.names import squeeze

PAGES_A_SITE = 30
_LONGEST = 30_000
"""Words of a page that are aligned."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Rows of one page: features, share of each block's words that stand in the truth, weight."""

    site: str
    features: Floats
    share: Floats
    words: Floats


def labelled_pages(names: list[str]) -> Iterator[Labelled]:
    """Labelled blocks of the pages of ``names`` (sites and corpora)."""
    for name in names:
        groups = {name: site_examples(name)} if name in site_names() else corpus_examples(name, 0.95)
        for site, examples in groups.items():
            for example in examples[:PAGES_A_SITE]:
                found = label_page(example, site)
                if found is not None:
                    yield found
        print(name, file=sys.stderr, flush=True)


def label_page(example: Example, site: str) -> Labelled | None:
    """Labels of one page, None when it has no block."""
    view = view_of(parse(example.body, example.url))
    if not len(view.blocks):
        return None
    headline = find_headline(view)
    at = headline_block(view, headline.element)
    share = truth_share(view, example.text)
    if at >= 0 and headline.text and squeeze(headline.text) == squeeze(view.blocks.texts[at]):
        share[at] = 0.0
    return Labelled(site, block_features(view, at).astype(np.float32), share, view.blocks.words)


def truth_share(view: View, truth: str) -> Floats:
    """Share of each block's words that a longest common subsequence with the truth matches."""
    owner: list[int] = []
    page: list[str] = []
    for number, text in enumerate(view.blocks.texts):
        found = tokens(text)
        page.extend(found)
        owner.extend([number] * len(found))
    wanted = tokens(truth)
    hits = np.zeros(len(view.blocks))
    for op in LCSseq.opcodes(page[:_LONGEST], wanted[:_LONGEST]):
        if op.tag == "equal":
            np.add.at(hits, np.array(owner[op.src_start : op.src_end], np.int64), 1.0)
    total = np.bincount(np.array(owner, np.int64), minlength=len(view.blocks)) if owner else np.zeros(len(view.blocks))
    return hits / np.maximum(total, 1)


def all_names() -> list[str]:
    return [*site_names(), *corpus_names()]
