"""What archives cost. Prints, for one and two worker processes, pages a second and a second of CPU, peak memory, and whether the results are the same
byte for byte, also after a kill in the middle. The archives hold the pages of the demonstration site under many hosts. Rates by the clock say little
on a machine that does other work; those by CPU time stay."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from benchmarks.harness import Ended, asked, run
from sitecrawl.extras.demo import site_pages

_FEW, _MANY, _PIECE = 766, 3_000, 100
_ASKED = 250  # megabytes that one process may take


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


def command(archive: Path, out: Path, jobs: int) -> list[str]:
    return ["-m", "sitecrawl", "batch", "--out", f"{out}", "--pages", f"{_PIECE}", "--jobs", f"{jobs}", f"{archive}"]


def killed(archive: Path, out: Path) -> int:
    """Kill a batch in the middle and run it again; the number of pieces that were done before."""
    done = 0
    with subprocess.Popen([sys.executable, *command(archive, out, 1)], stdout=subprocess.DEVNULL) as process:
        while done < 3 and process.poll() is None:
            time.sleep(0.02)
            done = len(list(out.glob("*.jsonl")))
        process.kill()
    run(command(archive, out, 1))
    return done


def digest(out: Path) -> str:
    """A hash of all results."""
    return sha256(b"".join(path.read_bytes() for path in sorted(out.glob("*.jsonl")))).hexdigest()[:16]


def measured(folder: Path, pages: int, jobs: int) -> tuple[Ended, str]:
    """Cost and digest of a batch of ``pages`` synthetic pages, printed as a row of the table."""
    archive, out = folder / f"{pages}.warc.gz", folder / f"{pages}-{jobs}"
    if not archive.is_file():
        archive_of_demo(archive, pages)
    cost, found = run(command(archive, out, jobs)), digest(out)
    rates = f"{pages / cost.seconds:8.1f} {pages / cost.cpu:12.1f}"
    print(f"{pages:6} {jobs:9} {rates} {cost.megabytes:13.0f}  {found}", flush=True)
    return cost, found


def main(arguments: list[str]) -> int:
    many = asked(__doc__, arguments, pages=(_MANY, "pages of the larger archive (default: %(default)s)")).pages
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        print(f"{'pages':>6} {'processes':>9} {'pages/s':>8} {'pages/s CPU':>12} {'MB a process':>13}  digest")
        few, _ = measured(folder, _FEW, 1)
        one, alone = measured(folder, many, 1)
        two, shared = measured(folder, many, 2)
        done, again = killed(folder / f"{many}.warc.gz", folder / "killed"), digest(folder / "killed")
    print(f"killed after {done} pieces and run again: {again}")
    clock, cpu = one.seconds / two.seconds / 2, one.cpu / two.cpu
    print(f"rate a core, two processes to one: {clock:.2f} by the clock, {cpu:.2f} by CPU time")
    memory, hours = one.megabytes / few.megabytes, one.cpu / many * 1e8 / 3600
    print(f"memory of {many} pages to {_FEW}: {memory:.2f}; 10^8 such pages: {hours:.0f} hours of one core")
    return int(len({alone, shared, again}) > 1 or few.megabytes > _ASKED)
