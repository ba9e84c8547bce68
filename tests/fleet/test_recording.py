"""`SITECRAWL_WARC`: what a crawl fetched is kept, and can be extracted again."""

from __future__ import annotations

import gzip
import os
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response
from warcio.archiveiterator import ArchiveIterator

from sitecrawl.extras.archives import recording
from sitecrawl.extras.archives.recording import CrawlArchive
from sitecrawl.extras.demo import site_pages
from tests.crawl.runner import crawl, send, served
from tests.fleet.stored import batch


def packed(body: bytes) -> Any:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        data = gzip.compress(body)
        send(handler, 200, data, Content_Encoding="gzip", Content_Length=str(len(data)))

    return answer


def test_a_crawl_can_be_extracted_again(tmp_path: Path) -> None:
    pages: dict[str, Any] = dict(site_pages())
    pages = {path: packed(page) if path == "/city/" else page for path, page in pages.items()}
    with served(pages) as site:
        run = crawl(
            f"{site.url}/city/", tmp_path / "old.jsonl", "-s", f"SITECRAWL_WARC={tmp_path / 'kept'}"
        )
    assert run.code == 0, run.said
    (archive,) = (tmp_path / "kept").glob("*.warc.gz")
    with open(archive, "rb") as stream:
        records = [
            (
                record.rec_type,
                record.rec_headers.get_header("WARC-Target-URI"),
                record.raw_stream.read(),
            )
            for record in ArchiveIterator(stream)
        ]
    assert records[0][0] == "warcinfo"
    assert sorted(url.removeprefix(site.url) for _, url, _ in records[1:]) == sorted(site.asked)
    assert (
        gzip.decompress(next(body for _, url, body in records if url == f"{site.url}/city/"))
        == dict(site_pages())["/city/"]
    )
    done = batch("-o", tmp_path / "new", archive)
    assert done.returncode == 0, done.stderr
    told = batch("--compare", tmp_path / "old.jsonl", tmp_path / "new").stdout.splitlines()
    assert told == [f"sitecrawl: {len(run.items)} same, 0 changed, 0 new, 0 gone"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    run = crawl(
        "http://127.0.0.1:1/", tmp_path / "out.jsonl", "-s", f"SITECRAWL_WARC={tmp_path / 'file'}"
    )
    assert run.code == 2
    assert run.said.startswith("sitecrawl: SITECRAWL_WARC=")
    assert len(run.said.splitlines()) == 1


@pytest.fixture
def archive(tmp_path: Path) -> CrawlArchive:
    crawler: Any = SimpleNamespace(stats=None)
    return CrawlArchive(crawler, tmp_path)


def receive(archive: CrawlArchive, number: int) -> None:
    url = f"http://a.example/{number}"
    archive.received(Response(url, body=os.urandom(500)), Request(url))


def test_a_record_is_on_the_disk_at_once_and_a_full_file_is_closed(
    archive: CrawlArchive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "_ROTATE", 2_000)
    for number in range(8):
        receive(archive, number)
    files = sorted(tmp_path.glob("*.warc.gz"))
    assert len(files) > 2
    urls = []
    for path in files:
        with open(path, "rb") as stream:
            urls += [
                record.rec_headers.get_header("WARC-Target-URI")
                for record in ArchiveIterator(stream)
            ]
    assert [url for url in urls if url] == [f"http://a.example/{number}" for number in range(8)]


def test_a_disk_that_is_full_ends_the_archive_behind_a_whole_record(
    archive: CrawlArchive, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    receive(archive, 1)
    (path,) = tmp_path.glob("*.warc.gz")
    size = path.stat().st_size

    class Full:
        def __init__(self, file: Any) -> None:
            self.file = file

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

        def write(self, data: Any) -> int:
            if len(data) < 100:
                raise OSError(28, "No space left on device")
            return int(self.file.write(data[: len(data) // 2]))

    archive.file = Full(archive.file)  # type: ignore[assignment]
    receive(archive, 2)
    receive(archive, 3)
    assert path.stat().st_size == size
    assert [record.getMessage() for record in caplog.records] == [
        f"The archive in {tmp_path} cannot be written (No space left on device): the responses from now on are not in it"
    ]
