"""Writes models/judge.json: the judge of page families (``sitecrawl/site/judge.py``), from the
records in training_data/families/records.jsonl.gz, which ``judge_pages`` made. A record is a page
whose family whole crawls judged: the figures that the product computed (none where only a template
read the page), its family, and whether the site's truth names it as an article.

The judge is a logistic model with a ridge; sites weigh alike. Families are judged by the product's
own rules. Printed are precision and recall of what is written, macro by site, each site judged by
weights that have not seen it: by folds of the sites that are learned from, and on the sites of
``harness.NEW``, which the shipped model does not learn from; calibration, the heaviest figures, and
the worst families. Recall is that of the listed articles among the recorded pages."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.harness import NEW, ROOT, asked
from benchmarks.model_sets import SOURCES, closed
from benchmarks.network import card_of, fit_logistic, group_folds, write_logistic
from sitecrawl.dom.blocks import Flags, Floats
from sitecrawl.items.kinds import PageKind
from sitecrawl.site.judge import MODEL, NAMES, is_sure, judge_families
from sitecrawl.site.page_families import (
    DEFAULT_KINDS,
    FamilyEvidence,
    PageFamily,
    family_name,
)

RECORDS = ROOT / "training_data/families/records.jsonl.gz"
OUTPUT = Path("models/judge.json")
STRENGTH = 0.15
"""Weight of a site in the loss, against a ridge of one: the greater, the weaker the ridge. Chosen by
folds of 86 sites: from .1 to .5 precision is the same where recall is, and .15 loses least."""
FOLDS = 6
BANDS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.001)
_WORST = 8  # families that are printed
_LEAST_SPREAD = 1e-3  # added to a standard deviation: some figures hardly vary

Row = dict[str, Any]


# ---- records
@dataclass(frozen=True, slots=True)
class Records:
    """The judged pages of sites. ``weighed`` are the numbers of the rows with figures; ``figures``
    has a row for each of these."""

    rows: list[Row]
    weighed: list[int]
    figures: Floats

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Records:
        """Raises SystemExit if the records are of other figures than the product computes."""
        kept = list(rows)
        weighed = [at for at, row in enumerate(kept) if "figures" in row]
        figures = [kept[at]["figures"] for at in weighed]
        if any(len(one) != len(NAMES) for one in figures):
            raise SystemExit("train_judge: records of other figures: write them with judge_pages")
        return cls(kept, weighed, np.array(figures, float).reshape(len(weighed), len(NAMES)))

    @property
    def sites(self) -> list[str]:
        """The site of each row with figures."""
        return [self.rows[at]["site"] for at in self.weighed]

    @property
    def truth(self) -> Flags:
        """Whether each row with figures is an article."""
        return np.array([self.rows[at]["article"] for at in self.weighed], bool)


def read(names: Iterable[str] = ()) -> Records:
    """The packed records of the named sites, or of all."""
    wanted = set(names)
    with gzip.open(RECORDS, "rt", encoding="utf8") as lines:
        rows = map(json.loads, lines)
        return Records.of(row for row in rows if not wanted or row["site"] in wanted)


def recorded_sites() -> list[str]:
    """Names of the sites that have records."""
    with gzip.open(RECORDS, "rt", encoding="utf8") as lines:
        return sorted({json.loads(line)["site"] for line in lines})


def learned_sites(learn: str = "shipped", without: str = "") -> list[str]:
    """Names of the sites that are learned from: ``shipped``, ``all``, or names with commas; less
    those ``without``."""
    hidden = closed(without.split(",")) if without else frozenset()
    names = recorded_sites()
    if learn == "shipped":
        names = [name for name in names if name not in NEW]
    elif learn != "all":
        names = [name for name in names if name in learn.split(",")]
    return [name for name in names if name not in hidden]


# ---- the model
@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the figures as they are, the bias, and the figures' means."""

    weights: Floats
    bias: float
    usual: Floats

    def log_odds(self, figures: Floats) -> Floats:
        found: Floats = figures @ self.weights + self.bias
        return found


def fitted(
    figures: Floats,
    truth: Flags,
    sites: Sequence[str],
    *,
    strength: float = STRENGTH,
) -> Weights:
    """The model of some rows, their sites weighted alike."""
    counts = Counter(sites)
    weight = np.array([1 / counts[site] for site in sites])
    usual = np.average(figures, axis=0, weights=weight)
    spread = np.average((figures - usual) ** 2, axis=0, weights=weight) ** 0.5 + _LEAST_SPREAD
    scaled = (figures - usual) / spread
    weights, bias = fit_logistic(scaled, truth, weight=strength * weight)
    found = weights / spread
    return Weights(found, bias - float(found @ usual), usual)


def held_out(records: Records, *, strength: float = STRENGTH) -> Floats:
    """Log-odds of each row with figures by a model that has not seen its site."""
    sites = records.sites
    found = np.zeros(len(sites))
    for learned, held in group_folds(sites, FOLDS):
        names = [sites[at] for at in learned.tolist()]
        model = fitted(
            records.figures[learned],
            records.truth[learned],
            names,
            strength=strength,
        )
        found[held] = model.log_odds(records.figures[held])
    return found


# ---- what is written
def families_of(records: Records, log_odds: Floats) -> dict[str, dict[str, PageFamily]]:
    """The families of each site by name, as the state of a crawl sums them."""
    odds_of = dict(zip(records.weighed, log_odds.tolist(), strict=True))
    sums = defaultdict[tuple[str, str], list[int]](list)
    for at, row in enumerate(records.rows):
        sums[row["site"], str(row["family"])].append(at)
    found = defaultdict[str, dict[str, PageFamily]](dict)
    for (site, name), members in sums.items():
        weighed = [odds_of[at] for at in members if at in odds_of]
        found[site][name] = PageFamily(
            name,
            PageKind(max(records.rows[at]["kind"] for at in members)),
            records.rows[members[0]]["type"],
            pages=len(members),
            weighed=len(weighed),
            log_odds=sum(weighed),
        )
    return found


def written(records: Records, log_odds: Floats) -> Flags:
    """Whether the item of each row is written: at once, or when its family is judged."""
    families = families_of(records, log_odds)
    verdicts = {
        site: judge_families([*of.values()], kinds=DEFAULT_KINDS, choices={})
        for site, of in families.items()
    }
    odds_of = dict(zip(records.weighed, log_odds.tolist(), strict=True))
    found = list[bool]()
    for at, row in enumerate(records.rows):
        name = str(row["family"])
        evidence = FamilyEvidence(
            family_name(name, row["type"], dated=True),
            PageKind(row["kind"]),
            dated=True,
            log_odds=odds_of.get(at),
        )
        at_once = is_sure(evidence, None, kinds=DEFAULT_KINDS)
        found.append(at_once or verdicts[row["site"]][name].written)
    return np.array(found, bool)


Scores = dict[str, tuple[float, float]]
"""Precision and recall by site."""


def scores(rows: Sequence[Row], kept: Flags) -> Scores:
    """Precision of what is written, and recall of the listed articles, by site."""
    of_site = defaultdict[str, list[int]](list)
    for at, row in enumerate(rows):
        of_site[row["site"]].append(at)
    found = Scores()
    for site, members in of_site.items():
        leaves = [at for at in members if kept[at]]
        listed = [at for at in members if rows[at]["listed"]]
        right = sum(rows[at]["article"] for at in leaves)
        recalled = sum(bool(kept[at]) for at in listed)
        found[site] = (right / max(1, len(leaves)), recalled / max(1, len(listed)))
    return found


def summed(found: Scores) -> dict[str, float]:
    """Number of sites, macro precision and recall."""
    return {
        "sites": len(found),
        "precision": round(fmean(one for one, _ in found.values()), 4),
        "recall": round(fmean(one for _, one in found.values()), 4),
    }


def told(what: str, found: Scores) -> dict[str, float]:
    figures = summed(found)
    precision, recall = figures["precision"], figures["recall"]
    print(f"{what}: {len(found)} sites, precision {precision:.4f}, recall {recall:.4f}")
    return figures


def calibration(records: Records, log_odds: Floats) -> None:
    """Print the share of articles by probability, of the pages with figures."""
    belief = 1 / (1 + np.exp(-log_odds))
    for low, high in pairwise(BANDS):
        inside = (belief >= low) & (belief < high)
        if inside.any():
            share = float(records.truth[inside].mean())
            band = f"p {low:.2f} to {min(1, high):.2f}"
            print(f"  {band}: {int(inside.sum())} pages, {share:.3f} articles")


def worst(records: Records, kept: Flags) -> None:
    """Print the families with the most wrong items, and those with the most lost ones."""
    wrong, lost = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for row, leaves in zip(records.rows, kept.tolist(), strict=True):
        family = row["site"], f"{row['family']} {row['type']}"
        wrong[family] += leaves and not row["article"]
        lost[family] += row["article"] and not leaves
    for what, counts in (("written, no articles", wrong), ("articles, withheld", lost)):
        shown = [
            f"{count} of {' '.join(one)}" for one, count in counts.most_common(_WORST) if count
        ]
        print(f"  {what}: {'; '.join(shown)}")


def heaviest(model: Weights, figures: Floats, *, most: int = 24) -> None:
    """Print the figures that move the log-odds most, by a standard deviation of each."""
    moves = model.weights * figures.std(axis=0)
    for at in np.argsort(-np.abs(moves))[:most].tolist():
        print(f"  {moves[at]:+.2f} {NAMES[at]}")


def main(arguments: list[str]) -> None:
    args = asked(__doc__, arguments, output=OUTPUT, **SOURCES)
    names = learned_sites(args.learn, args.without)
    records = read(names)
    odds = held_out(records)
    everything = np.ones(len(records.rows), bool)
    told("all that was judged", scores(records.rows, everything))
    kept = written(records, odds)
    figures = {"open, by folds": told("open, by folds", scores(records.rows, kept))}
    calibration(records, odds)
    worst(records, kept)
    model = fitted(records.figures, records.truth, records.sites)
    fresh = [name for name in recorded_sites() if name in NEW and name not in names]
    if fresh and args.learn == "shipped":
        unseen = read(fresh)
        odds = model.log_odds(unseen.figures)
        kept = written(unseen, odds)
        figures["new"] = told("new", scores(unseen.rows, kept))
        calibration(unseen, odds)
        worst(unseen, kept)
    heaviest(model, records.figures)
    # the digest is of stored numbers: the last bits of a logarithm depend on the processor
    card = card_of("train_judge", records.figures, records.truth, **figures)
    write_logistic(
        args.output,
        MODEL,
        weights=model.weights,
        bias=model.bias,
        usual=model.usual,
        digits=5,
        card=card,
    )
    print(f"wrote {args.output}")
