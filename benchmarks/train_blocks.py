"""Trains the block model of the ensemble from the sites and corpora at hand and writes models/blocks.npz.

`python -m benchmarks.train_blocks [-o FILE] [--without NAME,NAME]`; needs the train extra. Pages weigh alike within a
site, a site as the square root of its blocks; the held-out figures are grouped by site.
"""

from __future__ import annotations

import argparse
import os

if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")

import hashlib
from pathlib import Path

import numpy as np
from sklearn.model_selection import GroupKFold

from benchmarks.block_data import Labelled, all_names, labelled_pages
from benchmarks.network import Dropping, Rows, joined, standardised, train
from sitecrawl.dom.blocks import Floats
from sitecrawl.extract.weights import BlockModel, save_model

HIDDEN = 24
"""Hidden units of one network."""
NETWORKS = 4
"""Networks of different seeds whose logits are averaged."""
DROPPED = Dropping(0.1)
"""Share of the inputs dropped at random in training."""


def table(pages: list[Labelled]) -> tuple[Floats, Floats, Floats, list[str]]:
    """Features, labels, weights and the site of every row."""
    features = np.vstack([page.features for page in pages])
    share = np.concatenate([page.share for page in pages])
    sites = [page.site for page in pages for _ in range(len(page.share))]
    _, inverse, count = np.unique(sites, return_inverse=True, return_counts=True)
    raw = np.concatenate([_block_weights(page) for page in pages])
    weight = raw / np.sqrt(count)[inverse]
    return features, (share > 0.5).astype(np.float64), weight / weight.mean(), sites


def _block_weights(page: Labelled) -> Floats:
    weights: Floats = np.sqrt(np.minimum(page.words, 60) + 1)
    return weights / weights.sum()


def fit(features: Floats, labels: Floats, weight: Floats) -> BlockModel:
    """The mean of several networks with one hidden layer, joined into one; inputs standardised and clipped.

    On sites left out of training the mean of four gains .002 to .01 of word F1 over one of them, more on forums; inputs dropped
    at random gain .002 on average and .017 on forums. Tried and dropped: 16 rounds, 64 units, weight decay of 4 (worse on most left
    out), 4 rounds, 16 units (better on some, worse on others), a second hidden layer (-.004), gradient-boosted trees (-.004), a
    second model over the scores of the blocks, their neighbours, containers and kin (sites +.001, corpora +.002, for a tenth of the
    time of an extraction), 32 units (as good, slower).
    """
    mean, scale = features.mean(0), features.std(0) + 1e-6
    rows = Rows(standardised(features, mean, scale), labels.astype(np.float32), weight.astype(np.float32))
    return joined([train(rows, HIDDEN, DROPPED, seed) for seed in range(NETWORKS)], mean, scale)


def validate(features: Floats, labels: Floats, weight: Floats, sites: list[str]) -> None:
    """Prints weighted accuracy on held-out sites."""
    for train_rows, test in GroupKFold(3).split(features, labels, sites):
        model = fit(features[train_rows], labels[train_rows], weight[train_rows])
        right = (model.predict(features[test]) > 0.5) == (labels[test] > 0.5)
        print(f"held out: {np.average(right, weights=weight[test]):.4f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("models/blocks.npz"))
    parser.add_argument("--without", default="", help="sites and corpora to leave out")
    parser.add_argument("--validate", action="store_true", help="print held-out accuracy as well")
    args = parser.parse_args()
    names = [name for name in all_names() if name not in args.without.split(",")]
    pages = list(labelled_pages(names))
    features, labels, weight, sites = table(pages)
    if args.validate:
        validate(features, labels, weight, sites)
    save_model(fit(features, labels, weight), args.output, digest=hashlib.sha256(features.tobytes()).hexdigest()[:16])
    print(f"{args.output}: {len(pages)} pages, {len(features)} blocks, {len(set(sites))} sites")


if __name__ == "__main__":
    main()
