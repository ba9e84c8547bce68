"""Make ``training_data/portals.jsonl.gz``: ``python -m benchmarks.portals [-o FILE] [-n SITES]``. The same each time."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.portals.pages import portal
from sitecrawl.links.training.dataset import SUFFIX, write_site

SITES = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("training_data") / f"portals{SUFFIX}")
    parser.add_argument("-n", "--sites", type=int, default=SITES)
    args = parser.parse_args()
    pages = [page for number in range(args.sites) for page in portal(number)]
    about = {"site": "portals", "group": "portals", "kind": "synthetic", "source": "benchmarks.portals"}
    write_site(args.output, pages, about | {"synthetic": True})


if __name__ == "__main__":
    main()
