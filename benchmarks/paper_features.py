"""The link features of Peng and Xie 2017 (tables 2 and 3) on our sites: ``python -m benchmarks.paper_features [--sites NAMES]``.

Five features (same root domain, date in the URL, keyword in the URL or the host, length of the anchor text, title attribute) against six
(the similarity of the tag path as well), by a linear SVM and by the RBF kernel (Nystroem's method, where the paper solves it in
full), validated by site; precision, recall and F1 of article and section links, and F1 of article links by type of site. Synthetic sites are left out.
Rows that vary one choice: the length in words, in bytes, in both; the title attribute as yes or no, as its words, left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sitecrawl.commands._output import MACRO_HEAD, macro_line
from sitecrawl.items.kinds import LinkLabel
from sitecrawl.links.facts import PageFacts
from sitecrawl.links.groups import Matrix, path_similarities
from sitecrawl.links.link_features import FEATURES, Targets
from sitecrawl.links.training.dataset import LabelledPage, read_folders
from sitecrawl.links.training.evaluation import Report, evaluate
from sitecrawl.links.training.fitting import Sample, Settings, cross_validate, samples

FOLDS = 6
LEARNED = 40
"""Targets of a page that are learned from: more of them change the figures by less than the folds do and take ten times as long."""
LINEAR = Settings(second=False, cost=0.01)
RBF = Settings(second=False, landmarks=100, gamma=0.1, cost=0.01)
_KEYWORDS = re.compile(
    r"(?:^|[./?=&_-])(?:bbs|forums?|threads?|blogs?|club|topic|article|post|news|story|view)(?=[./?=&_-]|\d|$)", re.I
)
"""Words of the paper and a few of their kind, in the host (``bbs.example``, ``blog.``, ``club.``), a folder, a file or the query."""
COLUMNS = ("domain", "date", "keyword", "words", "bytes", "title", "title words", "path")
SIX = ("domain", "date", "keyword", "bytes", "title", "path")
VARIANTS: dict[str, tuple[str, ...]] = {
    "six": SIX,
    "five": SIX[:-1],
    "six, words": ("domain", "date", "keyword", "words", "title", "path"),
    "six, words and bytes": ("domain", "date", "keyword", "words", "bytes", "title", "path"),
    "six, title in words": ("domain", "date", "keyword", "bytes", "title words", "path"),
    "six, no title": ("domain", "date", "keyword", "bytes", "path"),
    "six, no keyword": ("domain", "date", "bytes", "title", "path"),
}


def paper_matrix(page: PageFacts, targets: Targets) -> Matrix:
    """The features of ``COLUMNS``, targets x columns; of a target's links the greatest."""
    path, linked = page.column("path"), targets.of >= 0
    values = np.stack([page.column("title_words"), path_similarities(page.paths, path)[path]], axis=1)
    found = np.zeros((len(targets.facts), 2))
    np.maximum.at(found, targets.of[linked], values[linked])
    known = targets.matrix[:, [FEATURES.index(name) for name in ("same_domain", "date", "words", "size")]]
    urls = (page.urls[first].partition("://")[2] for first in targets.first.tolist())
    keyword = [_KEYWORDS.search(url) is not None for url in urls]
    columns = (*known.T[:2], keyword, *known.T[2:], found[:, 0] > 0, np.log1p(found[:, 0]), found[:, 1])
    return np.stack([np.asarray(column, np.float32) for column in columns], axis=1)


def only(data: Sequence[Sample], matrices: Sequence[Matrix], names: Sequence[str]) -> list[Sample]:
    """The samples with the named columns alone."""
    at = [COLUMNS.index(name) for name in names]
    return [
        replace(sample, targets=replace(sample.targets, matrix=np.ascontiguousarray(matrix[:, at])))
        for sample, matrix in zip(data, matrices, strict=True)
    ]


def thinned(sample: Sample) -> Sample:
    """A sample of which at most ``LEARNED`` targets, drawn at random, are learned from, with the weight of all; all are scored."""
    known = np.flatnonzero(sample.labels > -2)
    if len(known) <= LEARNED:
        return sample
    kept = np.random.default_rng(0).choice(known, LEARNED, replace=False)
    labels = np.full_like(sample.labels, -2)
    labels[kept] = sample.labels[kept]
    return replace(sample, labels=labels, weights=sample.weights * (len(known) / LEARNED))


def rows(pages: Sequence[LabelledPage], data: Sequence[Sample]) -> Iterator[tuple[str, Report]]:
    """Names and reports of the rows."""
    matrices = [paper_matrix(page.facts, sample.targets) for page, sample in zip(pages, data, strict=True)]
    wanted = {f"{name}, linear": (columns, LINEAR) for name, columns in list(VARIANTS.items())[:2]}
    wanted |= {f"{name}, RBF": (columns, RBF) for name, columns in VARIANTS.items()}
    for name, (columns, settings) in wanted.items():
        kept = [thinned(sample) for sample in only(data, matrices, columns)]
        yield name, evaluate(pages, cross_validate(kept, settings, FOLDS))


def by_kind(report: Report, kinds: dict[str, str]) -> str:
    """Article F1 by type of site, with the number of sites."""
    found: dict[str, list[float]] = defaultdict(list)
    for site, scores in report.sites.items():
        value = scores[LinkLabel.ARTICLE].f1
        if value is not None and LinkLabel.SECTION in scores and site in kinds:
            found[kinds[site]].append(value)
    return "  ".join(f"{kind} ({len(values)}) {statistics.fmean(values):.3f}" for kind, values in sorted(found.items()))


def kinds_of(folder: Path) -> dict[str, str]:
    """Type of every site whose records name one."""
    found = {}
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf8") as lines:
            about = json.loads(lines.readline())
        if about.get("kind"):
            found[about.get("site", "")] = about["kind"]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("training_data"))
    parser.add_argument(
        "--sites", default="", help="names of sites to learn from and score, with commas (default: all)"
    )
    args = parser.parse_args()
    chosen = set(filter(None, args.sites.split(",")))
    pages = [page for page in read_folders([args.data]) if not page.synthetic and len(page.target_labels())]
    pages = [page for page in pages if not chosen or page.site in chosen]
    kinds = kinds_of(args.data)
    print(MACRO_HEAD)
    for name, report in rows(pages, samples(pages)):
        print(macro_line(name, report))
        print(f"{'':4}{by_kind(report, kinds)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
