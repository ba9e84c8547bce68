"""Link figures: ``python -m benchmarks.links [--gate] [--quick]``. Reads ``training_data/`` only; needs the train extra.

Prints the table of models and features validated by site, the one-line rule, the time of a prediction, and what site
adaptation is worth: links right on a site's second section page, before and after six fetched links of its first, and
after all that were labelled article or section, as in a crawl.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import lxml.html
import numpy as np

import sitecrawl
from benchmarks.link_records import DATA, rows, site_file
from sitecrawl.commands._output import MACRO_HEAD, macro_line
from sitecrawl.links.classify import KINDS, Profile, groups_of
from sitecrawl.links.groups import Matrix
from sitecrawl.links.link_features import FEATURES
from sitecrawl.links.training.dataset import LabelledPage, read_folders
from sitecrawl.links.training.evaluation import LABEL_CODES, Report, evaluate
from sitecrawl.links.training.fitting import Sample, Settings, cross_validate, samples, subsets

BANDS = {"article": (0.95, 0.985), "section": (0.91, 0.98)}
"""Macro F1 by site of the shipped settings: below is a regression, above a leak."""
FETCHED = 6
FOLDS = 6


def one_line_rule(pages: list[LabelledPage], data: list[Sample]) -> Report:
    """Same host and at least four words (CJK characters count as half a word here)."""
    host, words, size = (FEATURES.index(name) for name in ("same_host", "words", "size"))
    found = []
    for sample in data:
        x = sample.targets.matrix
        wide = np.expm1(x[:, size]) / np.maximum(1, np.expm1(x[:, words])) <= 3.5
        hit = (x[:, host] > 0) & (np.expm1(x[:, words]) >= np.where(wide, 7.9, 3.9))
        found.append(np.stack([hit, np.zeros(len(hit)), ~hit], axis=1).astype(np.float32))
    return evaluate(pages, found)


def adaptation(pages: list[LabelledPage], data: list[Sample], found: list[Matrix]) -> list[float]:
    """Share of the second page's targets that are right, macro by site: at first, after a few fetched links of the first
    page, and after all that were labelled article or section.
    """
    shares = []
    by_site: dict[str, list[int]] = {}
    for n, page in enumerate(pages):
        if not page.synthetic and (data[n].labels >= 0).all():
            by_site.setdefault(page.site, []).append(n)
    for first, second, *_ in (places for places in by_site.values() if len(places) > 1):
        targets, groups = data[second].targets, groups_of(pages[second].facts, data[second].targets)
        chosen: list[list[int]] = [[], few(pages[first], data[first], found[first]), labelled(found[first])]
        profiles = [learned(pages[first], data[first], found[first], fetched) for fetched in chosen]
        adapted = [profile.adapt(found[second], groups, targets.facts) for profile in profiles]
        shares.append([(LABEL_CODES[rows.argmax(1)] == data[second].labels).mean() for rows in adapted])
    return list(map(float, np.mean(shares, axis=0)))


def few(page: LabelledPage, sample: Sample, found: Matrix) -> list[int]:
    """The most promising link of each of the first few groups."""
    groups, best = groups_of(page.facts, sample.targets), {}
    for target in np.argsort(-found[:, 0]).tolist():
        best.setdefault((groups[target], sample.targets.facts[target].pattern), target)
    return list(best.values())[:FETCHED]


def labelled(found: Matrix) -> list[int]:
    """The links labelled article or section."""
    return [int(target) for target in np.flatnonzero(found.argmax(1) < 2)]


def learned(page: LabelledPage, sample: Sample, found: Matrix, fetched: list[int]) -> Profile:
    """The profile after fetching links of a page, truth fed back."""
    profile, groups = Profile(), groups_of(page.facts, sample.targets)
    for target in fetched:
        url, kind = page.facts.urls[sample.targets.first[target]], KINDS[2 - int(sample.labels[target])]
        profile.record(url, groups[target], kind, found[target].tolist())
    return profile


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("training_data"))
    parser.add_argument("--gate", action="store_true", help="fail outside the quality bands")
    parser.add_argument("--quick", action="store_true", help="the shipped settings only")
    args = parser.parse_args()
    # before the training data fill the memory: collecting garbage in it would count as ours
    if (DATA / "sites").is_dir():
        print(f"prediction, multiples of the parse of a page: {cost():.1f}")
    pages = [page for page in read_folders([args.data]) if len(page.target_labels())]
    data = samples(pages)
    print(MACRO_HEAD)
    print(macro_line("one-line rule", one_line_rule(pages, data)))
    found = cross_validate(data, Settings(), FOLDS)
    report = evaluate(pages, found)
    print(macro_line("two stages, linear", report), flush=True)
    if not args.quick:
        rest(pages, data)
    before, after, later = adaptation(pages, data, found)
    print(
        f"second page right, before and after {FETCHED} fetched links, and after all that were labelled article or section:"
    )
    print(f"{before:.4f} {after:.4f} {later:.4f}")
    return verdict(report) if args.gate else 0


def cost(data: Path = DATA) -> float:
    """Time to classify the links of section pages as a multiple of lxml's bare parse of them, two pages of every open site."""
    documents = list(section_pages(data))
    sitecrawl.classify_links(*documents[0])
    began = time.process_time()
    for document, _ in documents:
        lxml.html.document_fromstring(document)
    parsed = time.process_time()
    for document, url in documents:
        sitecrawl.classify_links(document, url)
    return (time.process_time() - parsed) / (parsed - began)


def section_pages(data: Path) -> Iterator[tuple[bytes, str]]:
    """Bytes and URL of section pages of the open sites."""
    for folder in sorted((data / "sites").iterdir()):
        host = json.loads((folder / "site.json").read_text(encoding="utf8"))["host"]
        paths = dict.fromkeys(row["page"] for row in rows(folder / "links.jsonl"))
        files = ((site_file(folder / "root", path), path) for path in list(paths)[:2])
        yield from ((file.read_bytes(), f"http://{host}{path}") for file, path in files if file)


def rest(pages: list[LabelledPage], data: list[Sample]) -> None:
    """The rows that do not ship."""
    for name, kept in subsets(pages, data).items():
        report = evaluate(pages, cross_validate(kept, Settings(second=False), FOLDS))
        print(macro_line(f"linear, {name}"[:22], report), flush=True)
    kernel = Settings(landmarks=300, cost=0.01, second=False)
    print(macro_line("RBF, 300 landmarks", evaluate(pages, cross_validate(data, kernel, FOLDS))), flush=True)


def verdict(report: Report) -> int:
    wrong = [
        f"{label} {report.macro(label):.4f} outside {band}"
        for label, band in BANDS.items()
        if not band[0] <= report.macro(label) <= band[1]
    ]
    print("gate: " + ("; ".join(wrong) or "passed"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
