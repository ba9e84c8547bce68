"""What archives cost: ``python -m benchmarks.batch [--pages N]``.

Prints, for one and two worker processes, pages a second and a second of CPU, peak memory, and whether the results are the same byte for byte, also after
a kill in the middle. The archives hold the pages of the demonstration site under many hosts. Rates by the clock say little on a machine that does other work; those by CPU time stay.
"""

from __future__ import annotations

import argparse
import io
import os
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

_FEW, _MANY, _PIECE = 766, 3_000, 100
_ASKED = 250
"""Megabytes that one process may take."""


@dataclass(frozen=True)
class Cost:
    """A finished run: seconds by the clock and of CPU of all its processes, megabytes of the largest one."""

    seconds: float
    cpu: float
    megabytes: float


def archive_of_demo(path: Path, count: int) -> None:
    """A WARC file of the demonstration site's pages under as many hosts as it takes."""
    pages = [(name, body) for name, body in dict(site_pages()).items() if name.endswith(".html")]
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
    began = time.perf_counter()
    process = subprocess.Popen(command(archives, out, jobs), stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the batch ended with status {status}")
    return Cost(time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000)


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
    parser.add_argument("--pages", type=int, default=_MANY, help="pages of the larger archive (default: %(default)s)")
    many = parser.parse_args().pages
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        print(f"{'pages':>6} {'processes':>9} {'pages/s':>8} {'pages/s CPU':>12} {'MB a process':>13}  digest")
        few = measured(folder, _FEW, 1)[0]
        one, alone = measured(folder, many, 1)
        two, shared = measured(folder, many, 2)
        done, again = killed([folder / f"{many}.warc.gz"], folder / "killed"), digest(folder / "killed")
        print(f"killed after {done} pieces and run again: {again}")
        print(f"rate a core, two processes to one: {one.seconds / two.seconds / 2:.2f} by the clock, ", end="")
        print(
            f"{one.cpu / two.cpu:.2f} by CPU time; memory of {many} pages to {_FEW}: {one.megabytes / few.megabytes:.2f}"
        )
        print(f"10^8 such pages: {one.cpu / many * 1e8 / 3600:.0f} hours of one core")
        return int(len({alone, shared, again}) > 1 or few.megabytes > _ASKED)


def measured(folder: Path, pages: int, jobs: int) -> tuple[Cost, str]:
    """Cost and digest of a batch of ``pages`` synthetic pages, printed as a row of the table."""
    archive, out = folder / f"{pages}.warc.gz", folder / f"{pages}-{jobs}"
    if not archive.is_file():
        archive_of_demo(archive, pages)
    cost, found = run([archive], out, jobs), digest(out)
    rates = f"{pages / cost.seconds:8.1f} {pages / cost.cpu:12.1f}"
    print(f"{pages:6} {jobs:9} {rates} {cost.megabytes:13.0f}  {found}", flush=True)
    return cost, found


if __name__ == "__main__":
    sys.exit(main())
