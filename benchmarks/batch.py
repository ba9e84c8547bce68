"""What archives cost. Prints, for one and two worker processes, pages a second and a second of CPU,
peak memory, and whether the results are the same byte for byte, also after a kill in the middle.
The archives hold the pages of the demonstration site under many hosts. Rates by the clock say
little on a machine that does other work; those by CPU time stay."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.harness import Ended, Table, asked, run
from sitecrawl.extras.demo import site_pages
from tests.fleet.stored import digest, stored

_FEW, _MANY = 766, 3_000
_ASKED = 250  # megabytes that one process may take


def archive_of_demo(path: Path, count: int) -> None:
    """A WARC file of the demonstration site's pages in UTF-8, under as many hosts as it takes."""
    pages = [
        (name, body.decode())
        for name, body in site_pages().items()
        if name.endswith(".html") and "/zh/" not in name
    ]
    rows = ((number // len(pages), *pages[number % len(pages)]) for number in range(count))
    stored(
        path, ((f"http://site{host}.example{name}", page, "200 OK") for host, name, page in rows)
    )


def command(archive: Path, out: Path, jobs: int) -> list[str]:
    return [
        "-m",
        "sitecrawl",
        "batch",
        "-o",
        f"{out}",
        "--jobs",
        f"{jobs}",
        f"{archive}",
    ]


def killed(archive: Path, out: Path) -> None:
    """Kill a batch after three pieces, and run it again to its end."""
    with subprocess.Popen(
        [sys.executable, *command(archive, out, 1)], stdout=subprocess.DEVNULL
    ) as process:
        while len(list(out.glob("*.jsonl"))) < 3 and process.poll() is None:
            time.sleep(0.02)
        process.kill()
    run(command(archive, out, 1))


def main(arguments: list[str]) -> int:
    many = asked(
        __doc__, arguments, pages=(_MANY, "pages of the larger archive (default: %(default)s)")
    ).pages
    table, costs, found = Table("pages"), list[Ended](), set[str]()
    with tempfile.TemporaryDirectory() as name:
        for pages, jobs in ((_FEW, 1), (many, 1), (many, 2)):
            archive, out = Path(name) / f"{pages}.warc.gz", Path(name) / f"{pages}-{jobs}"
            if not archive.is_file():  # another file would have other record ids
                archive_of_demo(archive, pages)
            costs.append(run(command(archive, out, jobs)))
            cost = {
                what: round(getattr(costs[-1], what), 1) for what in ("seconds", "cpu", "megabytes")
            }
            table.add(
                str(pages),
                processes=jobs,
                **cost,
                pages_a_cpu_second=round(pages / costs[-1].cpu, 1),
            )
            found |= {digest(out)} if pages == many else set()
        killed(archive, Path(name) / "killed")
        found.add(digest(Path(name) / "killed"))
    few, one, two = costs
    clock, memory = one.seconds / two.seconds / 2, one.megabytes / few.megabytes
    table.add("ratios", clock=clock, cpu=one.cpu / two.cpu, memory=memory)
    print(
        f"10^8 such pages: {one.cpu / many * 1e8 / 3600:.0f} hours of one core; results: {', '.join(sorted(found))}"
    )
    return int(len(found) > 1 or few.megabytes > _ASKED)
