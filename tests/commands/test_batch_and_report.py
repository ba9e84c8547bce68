"""`sitecrawl batch` on archives that we write, `scrapy report` on a crawl of the demonstration
site."""

from __future__ import annotations

import json
import resource
import sys
import zlib
from functools import partial
from pathlib import Path

import pytest

from sitecrawl.extras.demo import site_pages
from tests.crawl.runner import crawl, items_of, served, typed
from tests.fleet.stored import stored
from tests.pages import article_page, listing_page
from tests.process import finished


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    pages = {f"2024/05/a-{n}.html": article_page(n) for n in range(9)} | {
        "city/": listing_page(range(9))
    }
    return stored(
        tmp_path / "pages.warc",
        ((f"http://news.example/{at}", page, "200 OK") for at, page in pages.items()),
    )


def test_batch_extracts_the_articles(archive: Path, tmp_path: Path) -> None:
    done = typed("batch", "-o", str(tmp_path / "out.jsonl"), str(archive))
    assert done.returncode == 0, done.stderr
    items = items_of(tmp_path / "out.jsonl")
    assert [item["headline"] for item in items] == [
        f"Harbour bridge number {n} opens to cyclists" for n in range(9)
    ]
    assert {item["provenance"]["method"] for item in items} == {"template"}
    told = f"sitecrawl: 9 articles of 1 hosts in {tmp_path / 'out.jsonl'}; pages that are not articles: 1"
    assert done.stdout.splitlines()[-1] == told


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
        done = typed("batch", "-o", str(tmp_path / "out.jsonl"), str(tmp_path / name))
        assert done.returncode == 2
        assert words in done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert len(done.stderr) < len(str(tmp_path)) + 150
        assert done.stderr.isascii()


def test_report_of_a_crawl(tmp_path: Path) -> None:
    """Written at the end of the crawl that names it, and again by the command, as a page and as
    data."""
    target = tmp_path / "report.html"
    with served(dict(site_pages())) as site:
        run = crawl(f"{site.url}/city/", tmp_path / "out.jsonl", "-s", f"SITECRAWL_REPORT={target}")
    assert run.code == 0, run.said
    page = target.read_text(encoding="utf8")
    assert "All 1 sites are fine" not in page
    assert "1 site is fine" in page
    assert "24 articles" in page
    assert "http://" not in page.replace(site.url, "")
    state = f"SITECRAWL_DATA_DIR={tmp_path / 'state'}"
    done = typed("report", "--json", "-s", state)
    told = json.loads(done.stdout)
    assert told["totals"] == {"broken": 0, "watch": 0, "fine": 1, "sites": 1, "articles": 24}
    assert told["sites"][0]["templateState"] == "trusted"
    assert told["sites"][0]["coverage"]["datePublished"] == 1.0
    for command, feed in (("report", "report.html"), ("feed", "all.jsonl"), ("feed", "all.json")):
        made = tmp_path / f"new {feed}" / "folder" / feed
        done = typed(command, "-o", str(made), "-s", state)
        assert (done.returncode, done.stderr, made.is_file()) == (0, "", True)
    done = typed("report", "-o", str(tmp_path / "out.jsonl" / "report.html"), "-s", state)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "cannot be written" in done.stderr


def test_a_report_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with served({"/": b"<p>Nothing here</p>"}) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", "-s", f"SITECRAWL_REPORT={tmp_path}")
    assert run.code == 1
    assert "no report: " in run.said


def test_report_without_a_crawl(tmp_path: Path) -> None:
    done = typed("report", "-s", f"SITECRAWL_DATA_DIR={tmp_path / 'none'}")
    assert done.returncode == 2
    assert "nothing was crawled" in done.stderr


def archive_of(path: Path, records: list[tuple[str, bytes, str]]) -> None:
    """A WARC file of responses: address (none where empty), body, content encoding."""
    with open(path, "wb") as stream:
        for url, body, encoding in records:
            head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: {encoding}\r\n\r\n".encode()
            block = head + body
            uri = f"WARC-Target-URI: {url}\r\n" if url else ""
            lines = f"WARC/1.0\r\nWARC-Type: response\r\n{uri}Content-Type: application/http; msgtype=response\r\n"
            stream.write(
                f"{lines}Content-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n"
            )


def test_records_are_read_within_limits_and_told(tmp_path: Path) -> None:
    """A body that unpacks to a gigabyte, one without an address, and good ones behind them."""
    packer = zlib.compressobj(9, wbits=31)
    # after a full flush a block does not depend on those before it: the second is written again
    # instead of being packed again
    first, block = (
        packer.compress(b"<p>" + b" " * 999_997) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2)
    )
    bomb = first + block * 999 + packer.flush()
    good = [(f"http://a.example/{n}", article_page(n).encode(), "identity") for n in range(3)]
    records = [
        ("http://a.example/bomb", bomb, "gzip"),
        ("", article_page(9).encode(), "identity"),
        *good,
    ]
    archive_of(tmp_path / "all.warc", records)
    room = (700_000_000, 700_000_000)
    line = [
        sys.executable,
        "-m",
        "sitecrawl",
        "batch",
        "-o",
        str(tmp_path / "out.jsonl"),
        str(tmp_path / "all.warc"),
    ]
    done = finished(line, first=partial(resource.setrlimit, resource.RLIMIT_DATA, room))
    assert done.returncode == 0, done.stderr
    assert len(done.stderr.splitlines()) == 2
    assert "larger than a page may be" in done.stderr
    assert "it has no address" in done.stderr
    assert len((tmp_path / "out.jsonl").read_text(encoding="utf8").splitlines()) == 3


def test_a_feed_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    archive_of(
        tmp_path / "all.warc", [("http://a.example/1", article_page(1).encode(), "identity")]
    )
    done = typed("batch", "-o", str(tmp_path / "none" / "out.jsonl"), str(tmp_path / "all.warc"))
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def saved(folder: Path, *, named: str = "", below: str = "") -> None:
    """Nine saved pages of one site; ``named`` says what tells their URLs."""
    (folder / below).mkdir(parents=True)
    rows = ["File,URL"]
    for number in range(9):
        url = f"http://news.example/2024/05/a-{number}.html"
        html = article_page(number)
        if named == "canonical":
            html = html.replace("</head>", f'<link rel="canonical" href="{url}"></head>')
        rows.append(f"{below}a-{number}.html,{url}")
        (folder / below / f"a-{number}.html").write_text(html, encoding="utf8")
    if named == "csv":
        (folder / "urls.csv").write_text("\n".join(rows), encoding="utf8")


@pytest.mark.parametrize(
    ("named", "below", "first"),
    [
        ("csv", "", "http://news.example/2024/05/a-0.html"),
        ("csv", "pages/", "http://news.example/2024/05/a-0.html"),
        ("canonical", "", "http://news.example/2024/05/a-0.html"),
        ("", "news.example/2024/", "http://news.example/2024/a-0.html"),
        ("", "", "http://saved/a-0.html"),
    ],
)
def test_batch_reads_a_folder_of_html_files(
    tmp_path: Path, named: str, below: str, first: str
) -> None:
    saved(tmp_path / "saved", named=named, below=below)
    done = typed("batch", str(tmp_path / "saved"), "-o", str(tmp_path / "out.jsonl"))
    assert done.returncode == 0, done.stderr
    items = items_of(tmp_path / "out.jsonl")
    assert [items[0]["url"], len(items)] == [first, 9]
    assert {item["provenance"]["method"] for item in items} == {"template"}
    assert not (tmp_path / "out.jsonl.parts").exists()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (None, "holds no HTML file"),
        (b"a,b\n1,2\n", "names no URLs of files"),
        (b"\xff", "is no table"),
    ],
)
def test_a_batch_that_fails_leaves_nothing_behind(
    tmp_path: Path, table: bytes | None, said: str
) -> None:
    saved(tmp_path / "saved")
    if table is None:
        for path in (tmp_path / "saved").glob("*"):
            path.unlink()
    else:
        (tmp_path / "saved" / "urls.csv").write_bytes(table)
    done = typed("batch", str(tmp_path / "saved"), "-o", str(tmp_path / "out.jsonl"))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert said in line
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]
    assert typed("batch", "none.warc", "-o", str(tmp_path / "out.jsonl")).returncode == 2
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]
