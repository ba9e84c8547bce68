"""`sitecrawl batch` by pieces: the same result whoever does the work and however often it is
killed."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any, cast

import pytest

from sitecrawl.errors import SitecrawlError
from sitecrawl.extras.archives.runners import here, on_cores, on_scheduler
from sitecrawl.extras.archives.shards import Plan, Task, extract_archives
from sitecrawl.extras.archives.warc import ArchiveError, survey
from sitecrawl.extras.demo import site_pages
from sitecrawl.site.answer import LazyExtraction
from sitecrawl.site.model import SiteModel
from tests.crawl.runner import crawl, items_of, served, typed
from tests.fleet.stored import batch, digest, news, stored
from tests.process import Started
from tests.source import ROOT


@pytest.fixture
def archives(tmp_path: Path) -> list[Path]:
    first = stored(tmp_path / "one.warc.gz", [*news("a.example", 14), *news("b.example", 5)])
    return [first, stored(tmp_path / "two.warc", news("a.example", 20)[15:])]


def articles(folder: Path) -> list[dict[str, Any]]:
    return [item for path in sorted(folder.glob("*.jsonl")) for item in items_of(path)]


def test_ctrl_c_works_after_work_could_not_be_handed_on() -> None:
    def tasks() -> Iterator[Task]:
        raise OSError("no such archive")
        yield

    with on_cores(1) as runner, pytest.raises(OSError, match="no such archive"):
        list(runner(tasks()))
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_pieces_of_an_archive_give_its_articles(archives: list[Path], tmp_path: Path) -> None:
    found = extract_archives(archives, Plan(tmp_path / "out", pages=4), runner=here)
    items = articles(tmp_path / "out")
    assert len(found.parts) == 8
    assert (found.articles, found.hosts, found.troubles, found.notes) == (25, 2, [], [])
    assert sorted(item["url"] for item in items) == sorted(
        url
        for url, _, status in [*news("a.example", 20), *news("b.example", 5)]
        if status == "200 OK" and "a-" in url
    )
    assert {item["provenance"]["method"] for item in items} == {"template"}
    assert all(item["metadata"]["dateDownloaded"] for item in items)


def test_items_may_hold_some_fields_alone(archives: list[Path], tmp_path: Path) -> None:
    whole, few = tmp_path / "whole", tmp_path / "few"
    extract_archives(archives, Plan(whole), runner=here)
    fields = ("url", "headline", "articleBody")
    extract_archives(archives, Plan(few, fields=fields), runner=here)
    assert articles(few) == [{name: item[name] for name in fields} for item in articles(whole)]
    again = extract_archives(
        archives, Plan(few, fields=("url",)), runner=here
    )  # other fields make it another batch
    assert (again.articles, articles(few)[0].keys()) == (25, {"url"})


def test_pages_of_a_known_pattern_need_no_guess(
    archives: list[Path], tmp_path: Path, monkeypatch: Any
) -> None:
    """Telling the type of each page cost an extraction of the whole page, whatever its template
    answered."""
    read: list[LazyExtraction] = []
    sorted_hosts: list[str] = []
    own, templates = SiteModel.extract_page, cast(Any, SiteModel.templates).fget
    monkeypatch.setattr(
        SiteModel, "extract_page", lambda model, page: (read.append(page), own(model, page))[1]
    )
    counted = property(lambda model: (sorted_hosts.append(model.site), templates(model))[1])
    monkeypatch.setattr(SiteModel, "templates", counted)
    assert extract_archives(archives, Plan(tmp_path / "out"), runner=here).articles == 25
    assert sum(page.guess.is_complete for page in read) < len(read) / 2
    assert sorted(sorted_hosts) == ["a.example", "b.example"], (
        "templates are sorted once a host, when it is learned"
    )


def test_the_templates_do_not_depend_on_the_order_of_the_archives(
    archives: list[Path], tmp_path: Path
) -> None:
    for name, files in (("one", archives), ("two", archives[::-1])):
        extract_archives(files, Plan(tmp_path / name, pages=7), runner=here)
    assert digest(tmp_path / "one") == digest(tmp_path / "two")


def test_what_is_done_is_not_done_again(archives: list[Path], tmp_path: Path) -> None:
    done: list[Task] = []

    def counted(tasks: Any) -> Any:
        for task, result in here(tasks):
            done.append(task)
            yield task, result

    first = extract_archives(archives, Plan(tmp_path, pages=7), runner=counted)
    assert len(done) == 2 + 2 + len(first.parts)
    done.clear()
    next(iter(tmp_path.glob("one-*-00001.jsonl"))).write_text("damaged")
    assert extract_archives(archives, Plan(tmp_path, pages=7), runner=counted) == first
    assert [task.marker.name for task in done] == [
        next(name for name in first.parts if "00001" in name) + ".json"
    ]


def test_a_replaced_archive_leaves_no_old_part(archives: list[Path], tmp_path: Path) -> None:
    extract_archives(archives[:1], Plan(tmp_path / "out", pages=4), runner=here)
    stored(archives[0], news("a.example", 6))
    found = extract_archives(archives[:1], Plan(tmp_path / "out", pages=4), runner=here)
    assert found.articles == len(articles(tmp_path / "out")) == 6


def batch_line(out: Path, archives: list[Path], *, pages: int, jobs: int) -> list[str]:
    """The command, with pieces that are small enough to be interrupted."""
    code = (
        "import sys; from sitecrawl.__main__ import main;"
        "from sitecrawl.extras.archives.batch import BatchCommand;"
        f"BatchCommand.piece = {pages}; sys.exit(main())"
    )
    options = ["batch", "-o", out, "--jobs", jobs, *archives]
    return [sys.executable, "-c", code, *map(str, options)]


def test_a_killed_batch_goes_on(archives: list[Path], tmp_path: Path) -> None:
    extract_archives(archives, Plan(tmp_path / "whole", pages=2), runner=here)
    killed = tmp_path / "killed"
    line = batch_line(killed, archives, pages=2, jobs=2)
    with Started(line) as process:
        while len(list(killed.glob("*.jsonl"))) < 3 and process.poll() is None:
            time.sleep(0.01)
        workers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        process.kill()
    assert len(workers) > 1
    end = time.monotonic() + 60
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < end, "a worker outlives the command"
        time.sleep(0.05)
    begun = {path: path.stat().st_mtime_ns for path in killed.glob("*.jsonl")}
    assert len(begun) < len(list((tmp_path / "whole").glob("*.jsonl")))
    line = batch_line(killed, archives, pages=2, jobs=1)
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert digest(killed) == digest(tmp_path / "whole")
    assert (
        sum(path.stat().st_mtime_ns != was for path, was in begun.items()) <= 2
    )  # one a worker may have lacked its marker


@pytest.mark.parametrize(("jobs", "first"), [(1, "out/*.jsonl"), (2, "out/*.jsonl"), (3, "out")])
def test_an_interrupted_batch_says_how_to_go_on(
    jobs: int, first: str, archives: list[Path], tmp_path: Path
) -> None:
    """Ctrl-C reaches the command and its workers, also while these are started."""
    long = stored(
        tmp_path / "long.warc", news("c.example", 300)
    )  # a busy machine sends the signal late
    line = batch_line(tmp_path / "out", [*archives, long], pages=1, jobs=jobs)
    with Started(line, err=tmp_path / "said", first=os.setpgrp) as process:
        while not list(tmp_path.glob(first)) and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.2 if first == "out" else 0)
        os.killpg(process.pid, signal.SIGINT)
    told = "sitecrawl: interrupted: run the same command again, it goes on from there"
    assert (process.returncode, (tmp_path / "said").read_text().splitlines()) == (130, [told])


def test_worker_processes_and_a_cluster_give_the_same(archives: list[Path], tmp_path: Path) -> None:
    from distributed import LocalCluster

    extract_archives(archives, Plan(tmp_path / "here", pages=4), runner=here)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        for name, workers in (
            ("cores", on_cores(2)),
            ("dask", on_scheduler(cluster.scheduler_address)),
        ):
            with workers as runner:
                extract_archives(archives, Plan(tmp_path / name, pages=4), runner=runner)
            assert digest(tmp_path / "here") == digest(tmp_path / name)


def test_a_worker_process_that_is_killed_is_told() -> None:
    with pytest.raises(SitecrawlError, match="a worker process was killed"), on_cores(1) as runner:
        list(runner([Task(_end, Plan(Path()), Path(), ())]))


def _end(plan: Plan) -> dict[str, Any]:
    os._exit(1)


def test_a_scheduler_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitecrawl.extras.archives.runners._PATIENCE", 0.5)
    with (
        pytest.raises(SitecrawlError, match="no scheduler at tcp:"),
        on_scheduler("tcp://127.0.0.1:1"),
    ):
        pass


def test_a_scheduler_that_dies_is_told(tmp_path: Path) -> None:
    known = tmp_path / "scheduler.json"
    line = [
        sys.executable,
        "-m",
        "distributed.cli.dask_scheduler",
        "--host=127.0.0.1",
        "--port=0",
        "--no-dashboard",
    ]
    with Started([*line, f"--scheduler-file={known}"]) as process:
        try:
            while (
                not (known.exists() and known.read_text().endswith("}")) and process.poll() is None
            ):
                time.sleep(0.05)
            lost = pytest.raises(
                SitecrawlError, match="was lost: start it again and run the same command again"
            )
            with lost, on_scheduler(json.loads(known.read_text())["address"]) as runner:
                Timer(0.5, process.kill).start()
                list(runner([Task(_end, Plan(Path()), Path(), ())]))
        finally:
            process.kill()


@pytest.mark.parametrize("name", ["cut.warc", "cut.warc.gz"])
@pytest.mark.parametrize("lost", [3, 900])
def test_what_stands_before_a_cut_is_extracted_and_the_cut_is_told(
    name: str, lost: int, tmp_path: Path
) -> None:
    path = stored(tmp_path / name, news("a.example", 12)[:-1])
    path.write_bytes(path.read_bytes()[:-lost])
    done = batch("-o", tmp_path / "out", path)
    whole = (
        12 if lost == 3 and path.suffix == ".warc" else 11
    )  # three bytes are the line ends behind a record
    assert len(articles(tmp_path / "out")) == whole
    if whole == 11:
        assert done.returncode == 2
        assert done.stderr.splitlines() == [
            f"sitecrawl: archive {path}: cut off in the middle of a record; fetch the file again: what stands before the cut is extracted"
        ]


def test_a_record_that_is_shorter_than_it_says_is_left_out_alone(tmp_path: Path) -> None:
    """All records behind it were left out."""
    path, records = tmp_path / "short.warc.gz", list[bytes]()
    for at, one in enumerate(news("a.example", 12)):
        whole = stored(tmp_path / "one.warc", [one]).read_bytes()
        records.append(gzip.compress(whole[:-54] + b"\r\n\r\n" if at == 3 else whole))
    path.write_bytes(b"".join(records))
    found = extract_archives([path], Plan(tmp_path / "out"), runner=here)
    assert (found.articles, found.troubles) == (11, [])
    assert found.notes == [
        f"{path}: a record is left out: http://a.example/2024/05/a-2.html was cut off when it was stored"
    ]


def test_damage_within_a_record_is_told_in_one_line(tmp_path: Path) -> None:
    """A line was printed for each block of the file behind it."""
    path = stored(
        tmp_path / "a.warc.gz",
        [*news("a.example", 12), ("http://a.example/b", random_text(9_000), "200 OK")],
    )
    good = path.read_bytes()
    path.write_bytes(good[:-4_000] + b"\xff" * 40 + good[-3_960:] + bytes(200_000))
    done = batch(path, "-o", tmp_path / "out")
    assert (len(articles(tmp_path / "out")), done.returncode) == (12, 2)
    assert done.stderr.startswith(f"sitecrawl: archive {path}: damaged (")
    assert len(done.stderr.splitlines()) == 1


def random_text(size: int) -> bytes:
    return Random(1).randbytes(size).hex().encode()


def test_an_archive_that_is_missing_is_told_before_anything_is_done(
    archives: list[Path], tmp_path: Path
) -> None:
    with pytest.raises(ArchiveError, match="not found"):
        extract_archives([*archives, tmp_path / "none.warc"], Plan(tmp_path / "out"), runner=here)
    assert not (tmp_path / "out").exists()


def test_a_survey_keeps_a_bounded_number_of_pages_a_host(tmp_path: Path) -> None:
    path = stored(
        tmp_path / "many.warc", ((f"http://a.example/{n}", "<p>x", "200 OK") for n in range(300))
    )
    found = survey(path, 100, candidates=10)
    assert [piece.records for piece in found.pieces] == [100, 100, 100]
    assert len(found.hosts["a.example"]) == 10


def test_memory_does_not_grow_with_the_pages(tmp_path: Path) -> None:
    """Peak of a process after 60 pages and after 360."""
    code = (
        "import resource, sys; from pathlib import Path; from sitecrawl.extras.archives.shards import Plan, extract_archives;"
        "from sitecrawl.extras.archives.runners import here; extract_archives([Path(sys.argv[1])], Plan(Path(sys.argv[2]), pages=60), runner=here);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    peaks = []
    for count in (60, 360):
        path = stored(tmp_path / f"{count}.warc.gz", news("a.example", count))
        line = [sys.executable, "-c", code, str(path), str(tmp_path / str(count))]
        peaks.append(
            int(subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
        )
    assert peaks[1] < 1.06 * peaks[0]


def test_known_templates_are_used_instead(tmp_path: Path) -> None:
    """A field that a person set to another element is read from there."""
    with served(dict(site_pages())) as site:
        run = crawl(
            f"{site.url}/city/", tmp_path / "old.jsonl", "-s", f"SITECRAWL_WARC={tmp_path / 'kept'}"
        )
    assert run.code == 0, run.said
    data = ("-s", f"SITECRAWL_DATA_DIR={tmp_path / 'state'}")
    done = typed("templates", "set", site.url.removeprefix("http://"), "headline", "//title", *data)
    assert done.returncode == 0, done.stderr
    done = batch("-o", tmp_path / "new", *data, *(tmp_path / "kept").glob("*.gz"))
    assert done.returncode == 0, done.stderr
    before = {item["url"]: item["headline"] for item in run.items}
    assert all(
        item["headline"].startswith(before[item["url"]] + " ")
        for item in articles(tmp_path / "new")
    )


def test_parquet_holds_the_same(archives: list[Path], tmp_path: Path) -> None:
    from pyarrow.parquet import read_table

    for fields in ((), ("--fields", "headline,datePublished")):
        done = batch("-o", f"{tmp_path / 'out'}:parquet", *fields, *archives)
        assert done.returncode == 0, done.stderr
        tables = [read_table(path) for path in sorted((tmp_path / "out").glob("*.parquet"))]
        assert sum(table.num_rows for table in tables) == 25
        assert tables[0].column("headline")[0].as_py().startswith("Harbour bridge number")


def test_a_comparison_names_the_items_and_fields_that_differ(
    archives: list[Path], tmp_path: Path
) -> None:
    extract_archives(archives, Plan(tmp_path / "out"), runner=here)
    items = articles(tmp_path / "out")
    old = tmp_path / "old.jsonl"
    old.write_text(
        "".join(
            json.dumps(item) + "\n" for item in [items[0] | {"headline": "Another"}, *items[1:-1]]
        )
    )
    done = batch("--compare", old, tmp_path / "out")
    assert done.stdout.splitlines() == [
        f"changed {items[0]['url']}: headline",
        f"new {items[-1]['url']}",
        "sitecrawl: 23 same, 1 changed (headline 1), 1 new, 0 gone",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "at least one WARC file"),
        (("-o", "a.parquet", "a.warc"), "one file holds JSON lines; write -o FOLDER:parquet"),
        (("--jobs", "two", "a.warc"), "give a number, or the address of a Dask scheduler"),
        (("--fields", "headlin,articleBody", "a.warc"), "did you mean headline?"),
        (("--compare", "none.jsonl", "none.jsonl"), "cannot be read"),
    ],
)
def test_options_that_do_not_fit_are_told(arguments: tuple[str, ...], words: str) -> None:
    done = batch(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_noise_is_no_archive(tmp_path: Path) -> None:
    """Noise may look like a record of the old form ARC, or end the reader in an error of its own:
    25 of 400 files."""
    noise = tmp_path / "noise.warc"
    for seed in range(400):
        noise.write_bytes(Random(seed).randbytes(3_000))
        found = survey(noise, 100, candidates=9)
        assert (found.pieces, found.hosts) == ([], {})
        assert found.trouble.startswith("damaged")


def test_a_feed_that_is_there_is_kept(archives: list[Path], tmp_path: Path) -> None:
    feed, none = tmp_path / "articles.jsonl", tmp_path / "none.warc"
    feed.write_text('{"url": "http://a.example/old"}\n')
    none.write_bytes(bytes(range(256)) * 12)
    failed = batch(none, "-o", feed)
    assert (failed.returncode, feed.read_text()) == (2, '{"url": "http://a.example/old"}\n')
    done = batch(*archives, "-o", feed)
    assert (done.returncode, len(items_of(feed))) == (0, 25)
    assert "articles.jsonl.bak" in done.stderr
    assert feed.with_name("articles.jsonl.bak").read_text() == '{"url": "http://a.example/old"}\n'
