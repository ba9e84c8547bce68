"""State that older code left goes on: the code of a commit visits a mirror from which a third of
the articles is hidden, then this code visits the whole of it, with the state and the feed of the
first. Prints, a site: the items of the first visit; the share of the hidden articles that the
second finds; how many items it writes twice (`again`); templates that it believes redesigned or
drifting; and what these figures are where the older code makes both visits (`_older`). A first
visit that is killed after half of its answers is a row of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks import crawl, harness, visits
from benchmarks.harness import ROOT, Table, page_url, site_file, site_names, site_rows

_SHARE = 3  # every so many articles one is hidden from the first visit
_FILE = Path(__file__).resolve()


def main(arguments: list[str]) -> int:
    args = harness.asked(
        *(__doc__, arguments),
        sites=harness.SITES,
        commit=("HEAD~1", "the commit whose code makes the state"),
    )
    table = Table("site")
    with older_code(args.commit) as older:
        for name in site_names(args.sites):
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


def _visits(
    name: str, folder: Path, first: Path, *, second: Path, is_killed: bool
) -> dict[str, Any]:
    paths = [crawl.path_of(row["path"]) for row in site_rows(name) if site_file(name, row["path"])]
    hidden = sorted(paths)[::_SHARE]
    job = {"name": name, "state": str(folder / "state"), "feed": str(folder / "feed.json")}
    stop = 0
    if is_killed:
        whole = job | {"state": str(folder / "whole"), "feed": str(folder / "whole.json")}
        stop = _visited(whole | {"hidden": hidden}, first)["answers"] // 2
    before = _visited(job | {"hidden": hidden, "stop": stop}, first)
    after = _visited(job | {"hidden": []}, second)
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


def _visited(job: dict[str, Any], tree: Path) -> dict[str, Any]:
    """What a visit by the code of a tree wrote: a process of its own, which knows no other code."""
    environment = os.environ | {"PYTHONPATH": str(tree)}
    line = [sys.executable, "-P", str(_FILE), json.dumps(job)]
    done = subprocess.run(line, cwd=tree, env=environment, capture_output=True, text=True)
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


if __name__ == "__main__":
    print(json.dumps(_visit(json.loads(sys.argv[1])), default=str))
