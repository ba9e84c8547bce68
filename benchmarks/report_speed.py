"""What the report of many synthetic sites costs: seconds of CPU, and the peak of memory, in a
process of its own that reads the visits of a folder and writes one HTML file."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from benchmarks.harness import apart, asked, peak
from sitecrawl.crawl.store import Stores
from sitecrawl.extras.report.report import write_report
from tests.report.fleets import make_fleet


def figures(folder: str) -> tuple[float, float, float]:
    """Seconds of CPU, MB of memory at most, and MB of the report of a folder."""
    began = time.process_time()
    target = Path(folder) / "report.html"
    write_report(Stores(Path(folder)), target)
    return time.process_time() - began, peak(), target.stat().st_size / 1e6


def main(arguments: list[str]) -> int:
    args = asked(__doc__, arguments, count=1_000)
    with tempfile.TemporaryDirectory() as folder:
        make_fleet(Path(folder), args.count)
        seconds, memory, size = apart(figures, folder)
    print(f"{args.count} sites: {seconds:.1f} s, {memory:.0f} MB, a file of {size:.1f} MB")
    return 0
