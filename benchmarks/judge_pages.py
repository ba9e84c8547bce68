"""Writes what whole crawls knew of each page whose family they judged: the figures that the judge
weighed, as the product computed them, the family, whether the item was written, and whether the
site's truth names the page as an article. Each site is crawled in this process by the models that
ship; with --unseen by models that have not seen its fold. ``train_judge`` learns from these
records; with --pack they become its training data."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks import harness, model_sets
from benchmarks.crawl import network_of, path_of, reachable, start_of
from benchmarks.harness import page_url, site_file, site_meta, site_names, site_rows
from sitecrawl.crawl.database import short
from sitecrawl.dom.blocks import Floats
from sitecrawl.extract.single import Extraction
from sitecrawl.site import judge
from sitecrawl.site.judge import page_figures
from sitecrawl.site.page_families import type_in
from sitecrawl.urls.canonical import url_key
from tests.crawl.driver import Crawl

RECORDS = harness.ROOT / "training_data/families/records.jsonl.gz"
_MOST_WEIGHED = 30
"""Pages of a family whose figures are packed: its mean needs no more."""
_DIGITS = 4  # of a packed figure
_SQL = (
    "SELECT key, family, kind, weighed, data IS NOT NULL FROM family_pages"
    " WHERE site=:site ORDER BY key"
)
Facts = dict[str, Any]


def crawled(name: str) -> list[Facts]:
    """The records of a crawl of a mirror in this process."""
    figures = dict[str, list[float]]()
    paths = dict[str, str]()

    def recorded(guess: Extraction, **link: Any) -> Floats:
        found = page_figures(guess, **link)
        figures[short(url_key(guess.page.url))] = found.tolist()
        return found

    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(judge, "page_figures", recorded),
    ):
        start = page_url(name, start_of(name))
        crawl = Crawl.of(network_of(name), Path(folder), start=start)
        for _ in crawl.steps():
            pass
        judged = crawl.session.state.rows(_SQL)
        for item in crawl.feed:
            paths[short(url_key(item["url"]))] = path_of(item["url"])
        for family in crawl.session.state.families.families():
            for one in crawl.session.state.families.withheld(family.name):
                paths[one.key] = path_of(one.item["url"])
        crawl.end()
    truth = _Truth(name)
    rows = list[Facts]()
    for key, family, kind, weighed, withheld in judged:
        path = paths.get(key)
        if path is None or path in truth.taste:
            continue
        row = {
            "site": name,
            "family": family,
            "type": type_in(family),
            "kind": kind,
            "article": path in truth.articles,
            "listed": path in truth.listed,
            "written": not withheld,
        }
        if weighed and key in figures:
            row["figures"] = figures[key]
        rows.append(row)
    return rows


class _Truth:
    """The paths of the articles of a site, of those that listing pages lead to, and of pages that a
    user could want either way."""

    def __init__(self, name: str) -> None:
        rows = site_rows(name)
        self.articles = {path_of(row["path"]) for row in rows if site_file(name, row["path"])}
        self.taste = {path_of(path) for path in site_meta(name).get("taste", [])}
        reached = reachable(name, start_of(name), closed=self.articles)
        self.listed = self.articles & reached


def packed(rows: list[Facts]) -> Iterator[Facts]:
    """The records of a site as training data: families are numbers, figures are rounded, and those
    of few pages of a family are kept."""
    weighed = Counter[str]()
    numbers = dict[str, int]()
    for row in rows:
        family = row["family"]
        figures = row.get("figures")
        short_row = {name: value for name, value in row.items() if name != "figures"}
        short_row["family"] = numbers.setdefault(family, len(numbers))
        if figures and weighed[family] < _MOST_WEIGHED:
            weighed[family] += 1
            short_row["figures"] = [float(f"{value:.{_DIGITS}g}") for value in figures]
        yield short_row


def pack(folder: Path, names: list[str]) -> None:
    """Write the training data of ``train_judge`` from the records of some sites."""
    lines = list[str]()
    for name in names:
        file = folder / f"{name}.jsonl"
        rows = harness.rows(file) if file.is_file() else []
        lines += [json.dumps(row, ensure_ascii=False) + "\n" for row in packed(rows)]
    with gzip.GzipFile(RECORDS, "wb", mtime=0) as file_:
        file_.write("".join(lines).encode())


def main(arguments: list[str]) -> int:
    args = harness.asked(
        *(__doc__, arguments),
        sites=harness.SITES,
        unseen=(False, "crawl each site with models trained without it"),
        output=("judge-pages", "folder of the records; sites that have a file there are left out"),
        pack=(False, "write the training data from the records of the folder, and crawl nothing"),
    )
    folder = Path(args.output)
    folder.mkdir(parents=True, exist_ok=True)
    names = site_names(args.sites)
    if args.pack:
        pack(folder, names)
        return 0
    names = [name for name in names if not (folder / f"{name}.jsonl").is_file()]
    for name, rows in by_unseen_models(names) if args.unseen else by_shipped_models(names):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf8")
        fates = Counter(
            ("written" if row["written"] else "withheld", "article" if row["article"] else "other")
            for row in rows
        )
        print(name, {" ".join(key): count for key, count in sorted(fates.items())}, flush=True)
    return 0


def by_shipped_models(names: list[str]) -> Iterator[tuple[str, list[Facts]]]:
    """The records of sites by the models that ship."""
    for name in names:
        yield name, crawled(name)


def by_unseen_models(names: list[str]) -> Iterator[tuple[str, list[Facts]]]:
    """The records of sites, each by models that have not seen its fold."""
    for process, held in model_sets.by_folds(names):
        for name in held:
            yield name, process.submit(crawled, name).result()
