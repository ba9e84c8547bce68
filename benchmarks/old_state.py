"""State that older code left goes on: the code of a commit visits a mirror from which a third of
the articles is hidden, then this code visits the whole of it, with the state and the feed of the
first. Prints, a site: the items of the first visit; the share of the hidden articles that the
second finds; how many items it writes twice (`again`); templates that it believes redesigned or
drifting; and what these figures are where the older code makes both visits (`_older`). A first
visit that is killed after half of its answers is a row of its own.

With --learned no site is crawled: the older code learns from half of the articles of a site, and
this code reads the other half with that model. `text` is the word F1 of what it reads
with what the older code reads, `headline` and `day` are shares of equal ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks import crawl, harness, visits
from benchmarks.harness import (
    ROOT,
    Table,
    mean,
    page_url,
    site_file,
    site_names,
    site_rows,
    word_f1,
)

_SHARE = 3  # every so many articles one is hidden from the first visit
_MOST_LEARNED = 40  # articles of a site
_FILE = Path(__file__).resolve()


def main(arguments: list[str]) -> int:
    args = harness.asked(
        *(__doc__, arguments),
        sites=harness.SITES,
        commit=("HEAD~1", "the commit whose code makes the state"),
        learned=(False, "models of sites only, without crawls"),
    )
    table = Table("site")
    with older_code(args.commit) as older:
        for name in site_names(args.sites):
            if args.learned:
                table.add(name, **figures_of_model(name, older))
                continue
            table.add(name, **figures_of(name, older))
            table.add(f"{name}, killed", **figures_of(name, older, is_killed=True))
    return 0 if table.summary() else 2


@contextmanager
def older_code(commit: str) -> Iterator[Path]:
    """A work tree of a commit, which is removed afterwards."""
    git = ("git", "-C", str(ROOT), "worktree")
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        subprocess.run(
            [*git, "add", "--detach", str(tree), commit], check=True, capture_output=True
        )
        try:
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True, capture_output=True)


def figures_of(name: str, older: Path, *, is_killed: bool = False) -> dict[str, Any]:
    """Figures of the second visit, by this code and by the older code."""
    with tempfile.TemporaryDirectory() as folder:
        found = _visits(name, Path(folder), older, second=ROOT, is_killed=is_killed)
    with tempfile.TemporaryDirectory() as folder:
        same = _visits(name, Path(folder), older, second=older, is_killed=is_killed)
    return found | {f"{key}_older": same[key] for key in found if key not in ("first", "hidden")}


def figures_of_model(name: str, older: Path) -> dict[str, Any]:
    """Figures of a model that the older code made, in the hands of this code and of the older."""
    rows = [row["path"] for row in site_rows(name) if site_file(name, row["path"])]
    paths = sorted(rows)[:_MOST_LEARNED]
    job = {"name": name, "learned": paths[::2]}
    learned = _run(job, older)
    job = {"name": name, "learned": paths[1::2], "model": learned["model"]}
    found = _run(job, ROOT)
    same = _run(job, older)
    pairs = list(zip(found["items"], same["items"], strict=True))
    texts = [word_f1(theirs["text"], ours["text"]) for ours, theirs in pairs]
    figures: dict[str, Any] = {"pages": len(paths), "text": mean(texts)}
    for part in ("headline", "day"):
        equal = [ours[part] == theirs[part] for ours, theirs in pairs]
        figures[part] = round(equal.count(True) / max(1, len(equal)), 4)
    for kind in ("redesigned", "drifting", "trusted", "replaced"):
        figures[kind] = found["counts"].get(kind, 0)
        figures[f"{kind}_older"] = same["counts"].get(kind, 0)
    return figures


def _visits(
    name: str, folder: Path, first: Path, *, second: Path, is_killed: bool
) -> dict[str, Any]:
    paths = [crawl.path_of(row["path"]) for row in site_rows(name) if site_file(name, row["path"])]
    hidden = sorted(paths)[::_SHARE]
    job = {"name": name, "state": str(folder / "state"), "feed": str(folder / "feed.json")}
    stop = 0
    if is_killed:
        whole = job | {"state": str(folder / "whole"), "feed": str(folder / "whole.json")}
        stop = _run(whole | {"hidden": hidden}, first)["answers"] // 2
    before = _run(job | {"hidden": hidden, "stop": stop}, first)
    after = _run(job | {"hidden": []}, second)
    known = {item["url"] for item in before["items"]}
    came = [item["url"] for item in after["items"]]
    counts = after["counts"]
    return {
        "first": len(before["items"]),
        "hidden": len(hidden),
        "news": round(len({*map(crawl.path_of, came)} & {*hidden}) / max(1, len(hidden)), 4),
        "items": len(came),
        "again": len([url for url in came if url in known]) + len(came) - len({*came}),
        "redesigned": counts.get("templates/redesigned", 0),
        "drifting": counts.get("templates/drifting", 0),
        "trusted": counts.get("templates/trusted", 0),
    }


def _run(job: dict[str, Any], tree: Path) -> dict[str, Any]:
    """What the code of a tree made of a job: a process of its own, which knows no other code."""
    environment = os.environ | {"PYTHONPATH": str(tree)}
    line = [sys.executable, "-P", str(_FILE)]
    done = subprocess.run(
        line, cwd=tree, env=environment, capture_output=True, text=True, input=json.dumps(job)
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2_000:])
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _visit(job: dict[str, Any]) -> dict[str, Any]:
    """One visit, in the process of the code that makes it; it is killed after ``stop`` answers."""
    from tests.crawl.driver import Crawl

    name, feed = job["name"], Path(job["feed"])
    items = json.loads(feed.read_text(encoding="utf8")) if feed.exists() else []
    known = len(items)
    network = visits._without(name, set(job["hidden"]))
    visit = Crawl.of(
        network, Path(job["state"]), items, start=page_url(name, crawl.start_of(name)), scope="site"
    )
    if job.get("stop"):
        for _ in islice(visit.steps(), job["stop"]):
            pass
        visit.kill()
    else:
        visit.run()
    feed.write_text(json.dumps(items, default=str), encoding="utf8")
    counts = {key: count for key, count in visit.counts.items() if key.startswith("templates/")}
    return {"items": items[known:], "counts": counts, "answers": len(network.asked)}


def _read(job: dict[str, Any]) -> dict[str, Any]:
    """Pages that a model observes, and what it takes from them once it has seen all."""
    import sitecrawl

    known = job.get("model")
    site = sitecrawl.SiteModel.from_dict(known) if known else sitecrawl.SiteModel()
    counts = Counter[str]()
    pages: list[tuple[str, bytes]] = []
    for path in job["learned"]:
        file = site_file(job["name"], path)
        assert file is not None
        pages.append((page_url(job["name"], path), file.read_bytes()))
    for url, body in pages:
        verdict = site.observe(html=body, url=url, promise=0.9)
        counts.update([str(event.kind) for event in verdict.events])
    counts.update([str(event.kind) for event in site.settle()])
    items = []
    for url, body in pages:
        found = site.extract(html=body, url=url)
        day = (found.datePublished or "")[:10]
        items.append({"headline": found.headline, "day": day, "text": found.articleBody})
    return {"items": items, "counts": counts, "model": site.to_dict()}


if __name__ == "__main__":
    given = json.loads(sys.stdin.read())
    print(json.dumps(_read(given) if "learned" in given else _visit(given), default=str))
