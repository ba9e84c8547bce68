"""`scrapy batch` on archives that we write, `scrapy report` on a crawl of the demonstration site."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from sitecrawl.demo import site_pages
from tests.crawl.runner import crawl, items_of, scrapy, served
from tests.pages import article_page, listing_page


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "pages.warc"
    pages = {f"http://news.example/2024/05/a-{n}.html": article_page(n) for n in range(9)}
    pages["http://news.example/city/"] = listing_page(range(9))
    with open(path, "wb") as stream:
        writer = WARCWriter(stream, gzip=False)
        for url, page in pages.items():
            body = page.encode()
            headers = StatusAndHeaders(
                "200 OK", [("Content-Type", "text/html"), ("Content-Length", str(len(body)))], protocol="HTTP/1.1"
            )
            writer.write_record(
                writer.create_warc_record(url, "response", payload=io.BytesIO(body), http_headers=headers)
            )
    return path


def test_batch_extracts_the_articles(archive: Path, tmp_path: Path) -> None:
    done = scrapy("batch", "-o", str(tmp_path / "out.jsonl"), str(archive))
    assert done.returncode == 0, done.stderr
    items = items_of(tmp_path / "out.jsonl")
    assert [item["headline"] for item in items] == [f"Harbour bridge number {n} opens to cyclists" for n in range(9)]
    assert {item["provenance"]["method"] for item in items} == {"template"}


def test_batch_says_what_is_wrong_with_an_archive(archive: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.warc"
    cut.write_bytes(archive.read_bytes()[:-900])
    (tmp_path / "foreign.warc").write_bytes(b"no archive at all\n" * 50)
    (tmp_path / "rubbish.warc").write_bytes(b"\x1f\x8b\x08\x9d" + bytes(range(128, 256)) * 20)
    names = [
        ("cut.warc", "cut off"),
        ("foreign.warc", "damaged"),
        ("rubbish.warc", "damaged"),
        ("missing.warc", "not found"),
    ]
    for name, words in names:
        done = scrapy("batch", "-o", str(tmp_path / "out.jsonl"), str(tmp_path / name))
        assert done.returncode == 2
        assert words in done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert len(done.stderr) < len(str(tmp_path)) + 150
        assert done.stderr.isascii()


def test_report_shows_what_was_crawled(tmp_path: Path) -> None:
    with served(dict(site_pages())) as site:
        crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
    target = tmp_path / "report.html"
    done = scrapy("report", "-o", str(target), "-s", f"SITECRAWL_DATA_DIR={tmp_path / 'state'}")
    assert done.returncode == 0, done.stderr
    page = target.read_text(encoding="utf8")
    assert "Articles: 24" in page
    assert "trusted" in page
    assert "http://" not in page.replace(site.url, "")


def test_report_without_a_crawl(tmp_path: Path) -> None:
    done = scrapy("report", "-s", f"SITECRAWL_DATA_DIR={tmp_path / 'none'}")
    assert done.returncode == 2
    assert "nothing was crawled" in done.stderr
