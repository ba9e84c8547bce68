"""What archives cost: ``python -m benchmarks.batch [--pages N] [WARC...]``.

Prints, for one and two worker processes, pages a second and a second of CPU, peak memory, and whether the results are the same byte for byte, also after
a kill in the middle. Without archives it writes one of synthetic pages. Rates by the clock say little on a machine that does other work; those by CPU time stay.
"""

from __future__ import annotations

import argparse
import io
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from sitecrawl.demo import site_pages

_PAGES, _PIECE = 766, 60
_ASKED = 250
"""Megabytes that one process may take."""


@dataclass(frozen=True)
class Cost:
    """A finished run: seconds by the clock and of CPU of all processes, megabytes of the largest one."""

    seconds: float
    cpu: float
    megabytes: float


def archive_of_demo(path: Path, count: int) -> None:
    """A WARC file of the demonstration site's pages under as many hosts as it takes."""
    pages = [page for page in site_pages() if page[0].endswith(".html")] or list(site_pages())
    with open(path, "wb") as stream:
        writer = WARCWriter(stream, gzip=True)
        for number in range(count):
            host, at = divmod(number, len(pages))
            name, body = pages[at]
            pairs = [("Content-Type", "text/html"), ("Content-Length", str(len(body)))]
            headers = StatusAndHeaders("200 OK", pairs, protocol="HTTP/1.1")
            url = f"http://site{host}.example{name}"
            writer.write_record(writer.create_warc_record(url, "response", io.BytesIO(body), http_headers=headers))


def command(archives: list[Path], out: Path, jobs: int) -> list[str]:
    start = [sys.executable, "-m", "sitecrawl", "batch", "--out", str(out)]
    return [*start, "--pages", str(_PIECE), "--jobs", str(jobs), *map(str, archives)]


def run(archives: list[Path], out: Path, jobs: int) -> Cost:
    """A batch in a process of its own, and what it and its workers took."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command(archives, out, jobs), check=True, stdout=subprocess.DEVNULL)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    return Cost(time.perf_counter() - began, cpu, used.ru_maxrss / 1000)


def killed(archives: list[Path], out: Path) -> int:
    """Kill a batch in the middle and run it again; the number of pieces that were done before."""
    total = 0
    with subprocess.Popen(command(archives, out, 1), stdout=subprocess.DEVNULL) as process:
        while total < 3 and process.poll() is None:
            time.sleep(0.02)
            total = len(list(out.glob("*.jsonl")))
        os.kill(process.pid, signal.SIGKILL)
    run(archives, out, 1)
    return total


def digest(out: Path) -> str:
    found = sha256()
    for path in sorted(out.glob("*.jsonl")):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archives", nargs="*", type=Path)
    parser.add_argument("--pages", type=int, default=_PAGES, help="pages of the synthetic archive")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, archives = Path(name), given.archives
        if not archives:
            archives = [folder / "demo.warc.gz"]
            archive_of_demo(archives[0], given.pages)
        return compare(archives, folder, given.pages)


def compare(archives: list[Path], folder: Path, pages: int) -> int:
    """Print the table; 1 where results differ or memory is beyond what was asked for."""
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{'processes':>9} {'pages/s':>8} {'pages/s CPU':>12} {'MB a process':>13}  digest")
    found, costs = [], []
    for jobs in (1, 2):
        costs.append(run(archives, folder / str(jobs), jobs))
        found.append(digest(folder / str(jobs)))
        cost = costs[-1]
        print(f"{jobs:9} {pages / cost.seconds:8.1f} {pages / cost.cpu:12.1f} {cost.megabytes:13.0f}  {found[-1]}")
    done = killed(archives, folder / "killed")
    found.append(digest(folder / "killed"))
    print(f"killed after {done} pieces and run again: {found[-1]}")
    print(f"rate a core, two processes to one: {costs[0].seconds / costs[1].seconds / 2:.2f} by the clock, ", end="")
    print(f"{costs[0].cpu / costs[1].cpu:.2f} by CPU time")
    return int(len(set(found)) > 1 or costs[0].megabytes > _ASKED)


if __name__ == "__main__":
    sys.exit(main())
