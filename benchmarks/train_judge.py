"""Trains one judge of pages from the records of ``judge_pages``, and compares it with what the
crawl decides today. The judge is a logistic model with a ridge over figures of the page, of the
links to it, and of the means of both over its family; the strength of the ridge is chosen by inner
folds of sites. Sites weigh alike and are judged by weights that have not seen them.

Printed are precision and recall, macro by site, of today's decisions and of the judge at several
thresholds, by folds; how well it is calibrated; the heaviest features; the sites that change most.
Only pages that gave an item, or whose item is withheld, are judged: of others no item is stored.
``--without`` leaves out features by their names, to see what a group of them is worth.
Pages that a user could want either way count neither as right nor as wrong."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from math import log, log1p
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks import harness
from benchmarks.network import fit_logistic, group_folds
from sitecrawl.dom.blocks import Flags, Floats
from sitecrawl.extract.page_type import NAMES
from sitecrawl.site.page_families import family_name
from sitecrawl.site.verdict import logit
from sitecrawl.text.chars import CJK
from sitecrawl.text.names import squeeze

Row = dict[str, Any]

STRENGTHS = (0.03, 0.1, 0.3, 1.0, 3.0)
"""Weights of a site in the loss, against a ridge of one: the greater, the weaker the ridge."""
FOLDS = 6
INNER = 4
THRESHOLDS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.6)
FEW = 6.0
"""Pages of a family that weigh as much as the page itself, where its mean stands for the page."""
BANDS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.001)

ENOUGH = 6
"""Pages that a system calls articles, from which what it calls others counts."""

_FILE_NAME = re.compile(r"^\S+\.[a-z0-9]{2,5}$|^(?:img|dsc|image|photo)[-_ ]?\d+", re.I)
_CJK = re.compile(f"[{CJK}]")
_COUNTS = ("chars", "lines", "images", "tags", "crumbs", "body_links", "own_links", "labels",
           "labels_kept", "blocks", "forms", "passwords", "links", "list_size", "linking_pages",
           "anchor_texts", "anchor_words")  # fmt: skip
_SHARES = ("promise_mean", "promise_most", "link_promise", "page_promise", "looks")
_PLAIN = ("headline_score", "confidence", "day_score", "day_near", "clock_near", "description",
          "is_thread", "listing_mean", "link_listing", "menu_share", "aside_share",
          "turning_share", "list_dated", "from_articles", "anchor_same", "anchor_within",
          "published_meta", "noindex", "named", "from_feed", "part")  # fmt: skip
_ROLES = ("article", "section", "pagination", "maybe", "start")
_JUDGED = ("written", "withheld")
_KINDS = ("article", "thread", "page", "listing", "product", "event", "media")


# ---- features
def page_features(row: Row) -> dict[str, float]:
    """Figures of one page by name: those of the text, the markup, the URL and the links to it."""
    found = {name: float(row.get(name, 0.0)) for name in NAMES}
    found |= {name: log1p(float(row[name])) for name in _COUNTS}
    found |= {name: logit(float(row.get(name, 0.5))) for name in _SHARES}
    found |= {name: float(row.get(name) or 0.0) for name in _PLAIN}
    found |= {f"role {name}": float(row.get("role") == name) for name in _ROLES}
    found |= {f"type {name}": float(row["type_kind"] == name) for name in _KINDS}
    found["link chars"] = min(1.0, float(row["link_chars"]))
    found["own chars"] = min(1.0, float(row["own_chars"]))
    found["type unknown"] = float(not row["type_kind"])
    found["type of the whole page"] = float(row["type_of_page"])
    found["og article"] = float("article" in row["og_type"])
    found["og website"] = float("website" in row["og_type"])
    found["og other"] = float(bool(row["og_type"])) - found["og article"] - found["og website"]
    found["linked data"] = float(row["has_linked"])
    found["linked article"] = float("Article" in row["linked_type"])
    found["without links"] = float(not row["links"])
    found["without text"] = float(not row["chars"])
    found["few words"] = float(row["chars"] < 200)
    found["authors"] = float(row["authors"] > 0)
    found["dated"] = float(bool(row["day"]))
    found["printed day"] = float(row["day_origin"] not in ("", "url"))
    found["template alone"] = float(row["by_template"])
    found |= _headline_features(row)
    found |= _url_features(row["url"])
    return found


def _headline_features(row: Row) -> dict[str, float]:
    text = row["headline"]
    words = text.split()
    capitals = sum(1 for word in words if word[:1].isupper())
    letters = all(word.replace("-", "").replace(".", "").isalpha() for word in words)
    is_name_like = 2 <= len(words) <= 4 and capitals == len(words) and letters
    is_name_like = is_name_like and not _CJK.search(text)
    return {
        "headline characters": log1p(len(text)),
        "headline words": log1p(len(words)),
        "headline is empty": float(not text),
        "headline like a name": float(is_name_like),
        "headline like a file": float(bool(_FILE_NAME.match(text))),
        "headline with digits": float(any(map(str.isdigit, text))),
        "headline ends a sentence": float(text.rstrip()[-1:] in tuple("?!.…。？！")),
        "headline in CJK": float(bool(_CJK.search(text))),
        "headline from h1": float(row["headline_origin"] == "h1"),
        "headline is the title": float(squeeze(text) == squeeze(row["title"])),
    }


def _url_features(url: str) -> dict[str, float]:
    path, _, query = url.partition("?")
    steps = [step for step in path.split("/")[3:] if step]
    last = steps[-1] if steps else ""
    return {
        "URL depth": float(len(steps)),
        "URL slug": log1p(last.count("-") + last.count("_")),
        "URL digits": log1p(sum(map(str.isdigit, last))),
        "URL query": float(bool(query)),
        "URL year": float(bool(re.search(r"/(?:19|20)\d\d[/-]", path))),
        "URL folder": float(path.endswith("/")),
    }


@dataclass(frozen=True, slots=True)
class Table:
    """The judged pages of all sites. ``families`` are numbers that are different on each site."""

    rows: list[Row]
    names: list[str]
    values: Floats
    articles: Flags
    sites: list[str]


def table_of(rows: list[Row]) -> Table:
    """Features of each page, then their means over its family, then figures of the family."""
    pages = [page_features(row) for row in rows]
    names = list(pages[0])
    own = np.array([[page[name] for name in names] for page in pages], float)
    families = defaultdict[tuple[str, str], list[int]](list)
    sizes = Counter(row["site"] for row in rows)
    for at, row in enumerate(rows):
        family = family_name(row["pattern"], row["type"], dated=bool(row["day"]))
        families[row["site"], family].append(at)
    means = np.zeros_like(own)
    more = np.zeros((len(rows), 4))
    typed = _typed_share(rows)
    for (site, _), members in families.items():
        count = len(members)
        weight = count / (count + FEW)
        mean = own[members].mean(axis=0)
        means[members] = weight * mean + (1 - weight) * own[members]
        headlines = {squeeze(rows[at]["headline"]) for at in members}
        lacks = typed[site] * (1 - mean[names.index("type article")])
        share = count / sizes[site]
        more[members] = (log1p(count), share, 1 - len(headlines) / count, lacks)
    told = [*names, *(f"family: {name}" for name in names)]
    told += ["family size", "family share", "headlines repeated", "lacks the type of others"]
    articles = np.array([row["truth"] == "article" for row in rows])
    values = np.hstack([own, means, more])
    return Table(rows, told, values, articles, [row["site"] for row in rows])


def without(table: Table, pattern: str) -> Table:
    """The table without the features whose names match a pattern."""
    kept = [at for at, name in enumerate(table.names) if not re.search(pattern, name)]
    names = [table.names[at] for at in kept]
    return replace(table, names=names, values=table.values[:, kept])


def _typed_share(rows: Iterable[Row]) -> dict[str, float]:
    """The share of a site's pages that its system calls articles."""
    found = defaultdict[str, list[float]](list)
    for row in rows:
        found[row["site"]].append(float(row["type_kind"] == "article"))
    return {site: fmean(values) for site, values in found.items()}


# ---- the model
@dataclass(frozen=True, slots=True)
class Judge:
    """Weights of standardised features."""

    centre: Floats
    scale: Floats
    weights: Floats
    bias: float

    def predict(self, values: Floats) -> Floats:
        """Probability of an article for each row."""
        inputs = _standardised(values, self.centre, self.scale)
        odds = inputs @ self.weights + self.bias
        found: Floats = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
        return found


def _standardised(values: Floats, centre: Floats, scale: Floats) -> Floats:
    """Inputs of the judge: standardised and clipped."""
    found: Floats = np.clip((values - centre) / scale, -4, 4)
    return found


def fitted(table: Table, chosen: np.ndarray[Any, Any], strength: float) -> Judge:
    """A judge of some rows, their sites weighted alike."""
    values = table.values[chosen]
    sites = [table.sites[at] for at in chosen.tolist()]
    counts = Counter(sites)
    weight = np.array([strength * 10 / counts[site] for site in sites])
    centre = np.average(values, axis=0, weights=weight)
    scale = np.sqrt(np.average((values - centre) ** 2, axis=0, weights=weight)) + 1e-3
    inputs = _standardised(values, centre, scale)
    weights, bias = fit_logistic(inputs, table.articles[chosen], weight=weight)
    return Judge(centre, scale, weights, bias)


def chosen_strength(table: Table, learned: np.ndarray[Any, Any]) -> float:
    """The strength with the least loss on sites left out, by inner folds of the learned rows."""
    sites = [table.sites[at] for at in learned.tolist()]
    losses = dict[float, float]()
    for strength in STRENGTHS:
        belief = np.zeros(len(learned))
        for inner, held in group_folds(sites, INNER):
            judge = fitted(table, learned[inner], strength)
            belief[held] = judge.predict(table.values[learned[held]])
        losses[strength] = _loss(belief, table.articles[learned], sites)
    return min(losses, key=lambda strength: losses[strength])


def _loss(belief: Floats, truth: Flags, sites: list[str]) -> float:
    """Mean logarithmic loss, macro by site."""
    right = np.clip(np.where(truth, belief, 1 - belief), 1e-4, 1)
    by_site = defaultdict[str, list[float]](list)
    for site, share in zip(sites, right.tolist(), strict=True):
        by_site[site].append(-log(share))
    return fmean(map(fmean, by_site.values()))


def of_asked_kinds(rows: list[Row]) -> Flags:
    """Whether each page may be written by what its system calls it, as ``kinds=`` asks: not as a
    listing, and as no other kind where the system names the articles of the site."""
    named = Counter(row["site"] for row in rows if row["type_kind"] == "article")
    found = list[bool]()
    for row in rows:
        is_article = row["type_kind"] in ("", "article", "thread")
        is_listing = row["type_kind"] == "listing"
        names_articles = named[row["site"]] >= ENOUGH
        found.append(is_article or not (is_listing or names_articles))
    return np.array(found, bool)


def held_out(table: Table) -> Floats:
    """Probability of each page by a judge that has not seen its site."""
    belief = np.zeros(len(table.rows))
    for learned, held in group_folds(table.sites, FOLDS):
        strength = chosen_strength(table, learned)
        belief[held] = fitted(table, learned, strength).predict(table.values[held])
        print(f"strength {strength} for {len({table.sites[at] for at in held.tolist()})} sites")
    return belief


# ---- what is printed
def scores(table: Table, written: Flags) -> dict[str, tuple[float, float]]:
    """Precision and recall (of the listed articles that were judged) of what is written, by
    site."""
    found = dict[str, tuple[float, float]]()
    of_site = defaultdict[str, list[int]](list)
    for at, site in enumerate(table.sites):
        of_site[site].append(at)
    for site, members in of_site.items():
        kept = [at for at in members if written[at]]
        listed = [at for at in members if table.rows[at]["listed"]]
        right = sum(bool(table.articles[at]) for at in kept)
        recalled = sum(bool(written[at]) for at in listed)
        found[site] = (right / max(1, len(kept)), recalled / max(1, len(listed)))
    return found


def told(what: str, found: dict[str, tuple[float, float]]) -> None:
    precision = fmean(one for one, _ in found.values())
    recall = fmean(one for _, one in found.values())
    print(f"{what}: precision {precision:.4f}, recall {recall:.4f} ({len(found)} sites)")


def calibration(table: Table, belief: Floats) -> None:
    for low, high in pairwise(BANDS):
        inside = (belief >= low) & (belief < high)
        if inside.any():
            share = float(table.articles[inside].mean())
            band = f"p {low:.2f} to {min(1, high):.2f}"
            print(f"{band}: {int(inside.sum())} pages, {share:.4f} articles")


def read(folder: Path, names: Iterable[str]) -> list[Row]:
    """The judged pages of the sites whose records are there."""
    rows = list[Row]()
    for name in names:
        file = folder / f"{name}.jsonl"
        if file.is_file():
            rows += harness.rows(file)
    return [row for row in rows if row["fate"] in _JUDGED and row["truth"] != "taste"]


def main(arguments: list[str]) -> int:
    args = harness.asked(
        *(__doc__, arguments),
        sites=harness.SITES,
        records=("judge-pages", "folder of the records that judge_pages wrote"),
        without=("", "leave out the features whose names match this regular expression"),
    )
    table = table_of(read(Path(args.records), harness.site_names(args.sites)))
    if args.without:
        table = without(table, args.without)
    sites = len(set(table.sites))
    print(f"{len(table.rows)} pages of {sites} sites, {len(table.names)} features")
    today = np.array([row["fate"] == "written" for row in table.rows])
    before = scores(table, today)
    told("today", before)
    belief = held_out(table)
    asked = of_asked_kinds(table.rows)
    told("asked kinds alone", scores(table, asked))
    for threshold in THRESHOLDS:
        told(f"judge, p > {threshold}", scores(table, asked & (belief > threshold)))
        told(f"today and p > {threshold}", scores(table, today & (belief > threshold)))
    calibration(table, belief)
    after = scores(table, asked & (belief > 0.5))
    changes = sorted(before, key=lambda site: after[site][0] - before[site][0])
    for site in [*changes[:4], *changes[-6:]]:
        print(json.dumps({"site": site, "before": before[site], "after": after[site]}))
    everything = np.arange(len(table.rows))
    judge = fitted(table, everything, chosen_strength(table, everything))
    heavy = np.argsort(-np.abs(judge.weights))[:25].tolist()
    print({table.names[at]: round(float(judge.weights[at]), 3) for at in heavy})
    return 0
