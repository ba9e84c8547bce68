"""Trains the block model of the ensemble from the sites and corpora at hand and writes
models/blocks.npz; needs the bench extra. A block is labelled by the share of its words that a
longest common subsequence with the truth matches. Pages weigh alike within a site, a site as the
square root of its blocks; with --validate the accuracy on held-out sites (3 folds) is printed. The
features depend on the headline model in use."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rapidfuzz.distance import LCSseq
from threadpoolctl import threadpool_limits

from benchmarks.harness import Example, asked, tokens
from benchmarks.model_sets import SOURCES, Sources, sources
from benchmarks.network import (
    Dropping,
    Rows,
    Singles,
    card_of,
    exact_headlines,
    group_folds,
    joined,
    side_by_side,
    spread,
    standardised,
    train,
    write_network,
)
from sitecrawl.dom.blocks import Floats
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.extract.features import block_features
from sitecrawl.extract.headline import HeadlineSearch
from sitecrawl.extract.weights import PROTOCOL, BlockModel
from sitecrawl.text.names import squeeze

PAGES_A_SITE = 30
HIDDEN, NETWORKS, DROPPED = 24, 4, Dropping(0.1)
"""Hidden units of one network, networks whose logits are averaged, share of the inputs dropped at
random in training.

On sites left out of training the mean of four networks gains .002 to .01 of word F1 over one, more
on forums; inputs dropped at random gain .002 on average and .017 on forums. Tried and dropped: 16
rounds, 64 units, weight decay of 4 (worse on most left out), 4 rounds, 16 units (better on some,
worse on others), a second hidden layer (-.004), gradient-boosted trees (-.004), a second model over
the scores of the blocks, their neighbours and containers (sites +.001, corpora +.002, for a tenth
of the time of an extraction), 32 units (as good, slower)."""
COMMAND = "train_blocks --validate"
_LONGEST = 30_000  # words of a page that are aligned


@dataclass(frozen=True, slots=True)
class Labelled:
    """Rows of one page: features, share of each block's words that stand in the truth, words of
    each block."""

    site: str
    features: Singles
    share: Floats
    words: Floats


def labelled_pages(known: Sources) -> Iterator[Labelled]:
    """Labelled blocks of the pages to learn from."""
    for name, site, pages in known.examples(0.95):
        print(name, file=sys.stderr, flush=True)
        yield from filter(None, (label_page(page, site) for page in pages[:PAGES_A_SITE]))


def label_page(example: Example, site: str) -> Labelled | None:
    """Labels of one page, None when it has no block. A block that repeats the headline is none of
    the body."""
    page = parse(example.body, example.url)
    if not len(page.document.blocks):
        return None
    headline = HeadlineSearch(page).best
    at, share = page.document.block_at(headline.element), truth_share(page, example.text)
    if (
        at >= 0
        and headline.text
        and squeeze(headline.text) == squeeze(page.document.blocks.texts[at])
    ):
        share[at] = 0.0
    return Labelled(
        site, block_features(page, at).astype(np.float32), share, page.document.blocks.words
    )


def truth_share(page: Page, truth: str) -> Floats:
    """Share of each block's words that a longest common subsequence with the truth matches."""
    texts = page.document.blocks.texts
    found = [(number, word) for number, text in enumerate(texts) for word in tokens(text)]
    owner = np.array([number for number, _ in found], np.int64)
    words = [word for _, word in found]
    hits = np.zeros(len(texts))
    for op in LCSseq.opcodes(words[:_LONGEST], tokens(truth)[:_LONGEST]):
        if op.tag == "equal":
            np.add.at(hits, owner[op.src_start : op.src_end], 1.0)
    return hits / np.maximum(np.bincount(owner, minlength=len(texts)), 1)


def table(pages: list[Labelled]) -> tuple[Singles, Floats, Floats, list[str]]:
    """Features, labels, weights and the site of every row."""
    features, share = (
        np.vstack([page.features for page in pages]),
        np.concatenate([page.share for page in pages]),
    )
    sites = [page.site for page in pages for _ in range(len(page.share))]
    _, inverse, count = np.unique(sites, return_inverse=True, return_counts=True)
    sizes = [np.sqrt(np.minimum(page.words, 60) + 1) for page in pages]
    weight = np.concatenate([size / size.sum() for size in sizes]) / np.sqrt(count)[inverse]
    return features, (share > 0.5).astype(np.float64), weight / weight.mean(), sites


def fit(features: Singles, labels: Floats, weight: Floats) -> BlockModel:
    """The mean of several networks with one hidden layer, joined into one; inputs standardised and
    clipped."""
    mean, scale = spread(features, least=1e-6)
    rows = Rows(standardised(features, mean, scale), labels, weight)
    with threadpool_limits(1):  # the number of threads decides the order of sums
        learned = side_by_side(lambda seed: train(rows, HIDDEN, DROPPED, seed), NETWORKS)
    return joined(learned, mean, scale)


def validated(
    features: Singles, labels: Floats, *, weight: Floats, sites: list[str]
) -> list[float]:
    """Share of right blocks on the sites left out, a fold after the other; printed as well."""
    held_out: list[float] = []
    for learned, test in group_folds(sites, 3):
        model = fit(features[learned], labels[learned], weight[learned])
        right = (model.predict(features[test]) > 0.5) == (labels[test] > 0.5)
        held_out.append(round(float(np.average(right, weights=weight[test])), 4))
        print(f"held out: {held_out[-1]} of the blocks are right", flush=True)
    return held_out


def main(arguments: list[str]) -> None:
    validate = False, "print held-out accuracy as well"
    output = Path("models/blocks.npz")
    args = asked(__doc__, arguments, output=output, validate=validate, **SOURCES)
    with exact_headlines():
        pages = list(labelled_pages(sources(args.learn, args.without)))
    features, labels, weight, sites = table(pages)
    held_out: list[float] = []
    if args.validate:
        held_out = validated(features, labels, weight=weight, sites=sites)
    card = card_of(
        COMMAND,
        features,
        labels,
        weight,
        pages=len(pages),
        blocks=len(features),
        sites=len(set(sites)),
    )
    model = fit(features, labels, weight)
    write_network(
        args.output, PROTOCOL, model=model, card=card | ({"held out": held_out} if held_out else {})
    )
    print(f"{args.output}: {len(pages)} pages, {len(features)} blocks, {len(set(sites))} sites")
