"""Writes models/page_family.json: the learned veto on page families, from the records in
training_data/families/records.jsonl.gz. A record is a page that looked like an article in a whole
crawl by models that had not seen its site: four numbers, its family, and whether the site lists it
as an article. Sites weigh alike. Printed before the model is written: precision and recall of the
pages that are written, macro by site, each site judged by weights learned without it. Sites of the
kept third (every third by SHA-1 of the name) are never trained on."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.harness import ROOT, asked, order
from benchmarks.model_sets import closed
from benchmarks.network import card_of, fit_logistic, write_logistic
from sitecrawl.dom.blocks import Floats
from sitecrawl.site import page_families
from sitecrawl.site.page_families import FEATURES

RECORDS = ROOT / "training_data/families/records.jsonl.gz"
MODEL = Path("models/page_family.json")
Rows = list[dict[str, Any]]


def read() -> dict[str, Rows]:
    """Records by site, in the order of the sites' hashes."""
    found: defaultdict[str, Rows] = defaultdict(list)
    with gzip.open(RECORDS, "rt", encoding="utf8") as lines:
        for row in map(json.loads, lines):
            found[row["site"]].append(row)
    return dict(sorted(found.items(), key=lambda entry: order(entry[0])))


def learned_sites() -> list[str]:
    """Names of the sites that are trained on."""
    return [name for at, name in enumerate(read()) if at % 3 != 2]


def matrix(rows: Rows) -> Floats:
    """Features of each record, those of ``FEATURES``."""
    values = _numbers(rows)
    promise = values[:, 0].clip(0.02, 0.98)
    values[:, 0] = np.log(promise / (1 - promise))
    return values


def _numbers(rows: Rows) -> Floats:
    """The four numbers of each record as they are stored."""
    return np.array(
        [[row[name] for name in ("promise", "headline", "confidence", "printed")] for row in rows],
        float,
    )


def fit(sites: dict[str, Rows]) -> Floats:
    """Weights and bias of a logistic model of the records of ``sites``, sites weighted alike."""
    values = matrix([row for rows in sites.values() for row in rows])
    truth = np.array([row["article"] for rows in sites.values() for row in rows], bool)
    shares = [1 / len(rows) for rows in sites.values() for _ in rows]
    scale = values.std(axis=0)
    weight = np.array(shares) * len(shares) / len(sites)
    weights, bias = fit_logistic(values / scale, truth, weight=weight)
    return np.append(weights / scale, bias)


def written(rows: Rows, weights: Floats, *, most: float = 0.25) -> Rows:
    """The records that are written: all but the small families whose mean log-odds are negative."""
    odds, families = matrix(rows) @ weights[:-1] + weights[-1], defaultdict(list)
    for row, value in zip(rows, odds, strict=True):
        families[row["family"]].append((row, value))
    stays = [
        of
        for of in families.values()
        if len(of) >= most * len(rows) or fmean(value for _, value in of) >= 0
    ]
    return [row for members in stays for row, _ in members]


def main(arguments: list[str]) -> None:
    without = "", "sites to leave out, names with commas"
    folds_told = 6, "folds of sites"
    args = asked(__doc__, arguments, folds=folds_told, output=MODEL, without=without)
    folds, output = args.folds, args.output
    everything, names = read(), learned_sites()
    kept = [name for name in everything if name not in names]
    hidden = closed(args.without.split(",")) if args.without else frozenset()
    names = [name for name in names if name not in hidden]
    table, figures = [], dict[str, dict[str, float]]()
    for fold in range(folds):
        left_out = names[fold::folds]
        weights = fit({name: everything[name] for name in names if name not in left_out})
        table += [
            _scores(everything[name], written(everything[name], weights)) for name in left_out
        ]
    weights = fit({name: everything[name] for name in names})
    last = [_scores(everything[name], written(everything[name], weights)) for name in kept]
    for what, scores in (("open, by folds", table), ("kept", last)):
        precision, recall, before = (fmean(each) for each in zip(*scores, strict=True))
        told = f"precision {precision:.4f} (without the veto {before:.4f}), recall {recall:.4f}"
        print(f"{what}: {len(scores)} sites, {told}")
        figures[what] = {
            "sites": len(scores),
            "precision": round(precision, 4),
            "recall": round(recall, 4),
        }
    learned = [row for name in names for row in everything[name]]
    truth = np.array([row["article"] for row in learned])
    # the digest is of stored numbers: the last bits of a logarithm depend on the processor
    card = card_of("train_page_family", _numbers(learned), truth, **figures)
    write_logistic(
        output, page_families.MODEL, weights=weights[:-1], bias=weights[-1], digits=6, card=card
    )
    print(
        f"wrote {output}: {dict(zip([*FEATURES, 'bias'], weights.round(3).tolist(), strict=True))}"
    )


def _scores(rows: Rows, kept: Rows) -> tuple[float, float, float]:
    """Precision and recall of what is written, and precision if all were."""
    articles = sum(row["article"] for row in rows)
    right = sum(row["article"] for row in kept)
    return right / max(1, len(kept)), right / max(1, articles), articles / max(1, len(rows))
