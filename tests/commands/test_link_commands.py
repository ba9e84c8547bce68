"""`sitecrawl label`, `train`, `evaluate` and `why`, from a labelled page to a model that explains
itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sitecrawl.extras.demo import article_paths, site_pages
from tests.crawl.runner import served, typed
from tests.pages import article_page, listing_page

PAGE = "http://news.example/city/"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "city.html"
    path.write_text(listing_page(range(12)), encoding="utf8")
    return path


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "labels.jsonl"
    rows = [
        {"url": f"http://news.example/2024/05/a-{n}.html", "label": "article"} for n in range(12)
    ]
    rows += [
        {"url": f"http://news.example{path}", "label": "section"}
        for path in ("/politics/", "/sport/", "/city/page/2/")
    ]
    rows += [
        {"url": f"http://news.example{path}", "label": "other"} for path in ("/", "/about.html")
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf8")
    return path


def test_label_train_and_evaluate(tmp_path: Path, page: Path, labels: Path) -> None:
    into = tmp_path / "records"
    for host in ("one", "two", "three"):
        text = labels.read_text(encoding="utf8").replace("news.example", f"{host}.example")
        (tmp_path / "own.jsonl").write_text(text, encoding="utf8")
        url = PAGE.replace("news", host)
        done = typed(
            "label",
            str(page),
            "--url",
            url,
            "--labels",
            str(tmp_path / "own.jsonl"),
            "--into",
            str(into),
        )
        assert done.returncode == 0, done.stderr
    assert len(list(into.iterdir())) == 3
    model = tmp_path / "model.npz"
    done = typed("train", str(into), "-o", str(model), "--folds", "0")
    assert done.returncode == 0, done.stderr
    assert model.is_file()
    assert "sitecrawl train" in model.with_suffix(".md").read_text(encoding="utf8")
    done = typed("train", str(into), "--evaluate", "--against", str(model))
    assert done.returncode == 0, done.stderr
    weighed = {
        line.split()[0]: line.split()[1:]
        for line in done.stdout.splitlines()
        if line.startswith(("title_w", "simil"))
    }
    assert [len(weighed[name]) for name in ("title_words", "similarity")] == [4, 4]
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("one.example")]
    ((_, old, new, change, *sections),) = lines
    assert float(new) - float(old) == pytest.approx(float(change), abs=0.0011)
    assert (float(new), len(sections)) == (1.0, 3)
    done = typed("train", str(into), "--evaluate")
    assert done.returncode == 0, done.stderr
    sites = [line.split()[0] for line in done.stdout.splitlines() if ".example" in line]
    assert sorted(sites) == ["one.example", "three.example", "two.example"]
    assert "true / predicted" in done.stdout


def test_label_takes_labels_from_the_sites_own_feed(tmp_path: Path) -> None:
    with served(dict(site_pages())) as site:
        items = "".join(
            f"<item><link>{site.url}{path}</link></item>" for path in sorted(article_paths())
        )
        feed = tmp_path / "feed.xml"
        feed.write_text(f'<rss version="2.0"><channel>{items}</channel></rss>', encoding="utf8")
        done = typed(
            "label", f"{site.url}/city/", "--labels", str(feed), "--into", str(tmp_path / "records")
        )
    assert done.returncode == 0, done.stderr
    assert "8 articles" in done.stdout
    assert len(list((tmp_path / "records").iterdir())) == 1


def test_one_site_is_too_few_to_train_from(tmp_path: Path, page: Path, labels: Path) -> None:
    typed(
        "label",
        str(page),
        "--url",
        PAGE,
        "--labels",
        str(labels),
        "--into",
        str(tmp_path / "records"),
    )
    done = typed("train", str(tmp_path / "records"), "-o", str(tmp_path / "model.npz"))
    assert done.returncode == 2
    assert "at least 3 are needed" in done.stderr


def test_labels_of_other_pages_and_unknown_labels_are_refused(
    tmp_path: Path, page: Path, labels: Path
) -> None:
    """A record without labels would replace one that has some."""
    options = (
        "label",
        str(page),
        "--url",
        PAGE,
        "--labels",
        str(labels),
        "--into",
        str(tmp_path / "records"),
    )
    labels.write_text('{"url": "http://other.example/a.html", "label": "article"}', encoding="utf8")
    assert "labels none of the links of http://news.example/" in typed(*options).stderr
    labels.write_text('{"url": "http://news.example/", "label": "artikel"}', encoding="utf8")
    assert "line 1 is no label (KeyError('artikel'))" in typed(*options).stderr
    labels.write_text(
        '{"url": "/city/", "label": "article"}', encoding="utf8"
    )  # it names no page of any host
    assert "labels none of the links of http://news.example/" in typed(*options).stderr
    assert not (tmp_path / "records").exists()
    assert "is a file: name a folder" in typed(*options[:-1], str(labels)).stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("train", "no-such-folder"),
        ("train", "no-such-folder", "--evaluate"),
        ("label", "no-such-file.html", "--url", PAGE),
        (
            "why",
            "http://news.example/nowhere.html",
            "--page",
            "no-such-file.html",
            "--page-url",
            PAGE,
        ),
    ],
)
def test_bad_input_gets_one_line(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = typed(*arguments)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_link_that_is_not_on_the_page_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(article_page(1), encoding="utf8")
    done = typed("why", "http://news.example/nowhere.html", "--page", str(path), "--page-url", PAGE)
    assert done.returncode != 0
    assert "nowhere.html" in done.stderr


def test_label_reads_a_feed_that_the_page_names_on_its_own_host(tmp_path: Path) -> None:
    pages = dict(site_pages())
    link = b'<link rel="alternate" type="application/rss+xml" href="/feed.xml"></head>'
    pages["/city/"] = pages["/city/"].replace(b"</head>", link)
    with served(pages) as site:
        items = "".join(
            f"<item><link>{site.url}{path}</link></item>" for path in sorted(article_paths())
        )
        pages["/feed.xml"] = f'<rss version="2.0"><channel>{items}</channel></rss>'.encode()
        done = typed("label", f"{site.url}/city/", "--into", str(tmp_path / "records"))
    assert done.returncode == 0, done.stderr
    assert "8 articles" in done.stdout


def test_first_mistakes_are_answered_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "articles.jsonl").write_text('{"url": "http://a.example/"}\n', encoding="utf8")
    (tmp_path / "report.pdf").write_bytes(b"%PDF-1.7 ...")
    (tmp_path / "noise.bin").write_bytes(b"\x07\0\x9b<p>\0" * 90)
    (tmp_path / "pages.warc").write_bytes(
        b"WARC/1.0\r\nWARC-Type: warcinfo\r\n\r\n<html><p>A page</p></html>"
    )
    (tmp_path / "blank.html").write_text(" \n", encoding="utf8")
    (tmp_path / "wide.html").write_text("<html><h1>A wide page</h1>", encoding="utf-16-le")
    assert "A wide page" in typed("extract", "wide.html").stdout
    (tmp_path / "empty.html").write_text("<p>Nothing", encoding="utf8")
    for words, told in (
        (
            ("extract", "articles.jsonl"),
            "articles.jsonl is JSON, an archive or a binary file, not a page",
        ),
        (("extract", "report.pdf"), "report.pdf is JSON, an archive or a binary file, not a page"),
        (("extract", "noise.bin"), "noise.bin is JSON, an archive or a binary file, not a page"),
        (("extract", "pages.warc"), "(sitecrawl batch reads WARC files)"),
        (("extract", "blank.html"), "blank.html is empty: give a URL or an HTML file"),
        (("extract", "none.html"), "cannot read none.html: No such file or directory\n"),
        (
            ("extract", "www.example.com/a.html"),
            "No such file or directory (a URL begins with http:// or https://)\n",
        ),
        (
            ("extract", "http://no-such-host.invalid/"),
            "robots.txt cannot be reached (no such host: check the address)",
        ),
        (("links", "empty.html", "--url", "http://a.example/"), "http://a.example/ has no links"),
        (("crawl",), "no start page: give its URL, such as https://example.com/news/"),
        (
            ("templates", "show", "a.example"),
            "site a.example: no such site in .sitecrawl; nothing was crawled into it yet",
        ),
        (("report",), "-s SITECRAWL_DATA_DIR=DIR reads another folder"),
        (("families", "a", "b"), "name one site"),
        (("sites", "list"), "sitecrawl sites add URL"),
    ):
        assert told in typed(*words).stderr
    assert "sitecrawl sites add URL" in typed("status").stdout
    usage = typed("templates", "show").stderr
    assert "sitecrawl templates show SITE" in usage
    assert "\\x0a" not in usage


def test_why_of_a_page_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with served(dict(site_pages())) as site:
        done = typed("why", f"{site.url}/none.html")
    assert "Traceback" not in done.stderr
    assert "404" in done.stdout + done.stderr


def test_what_was_taught_is_listed_and_taken_back(tmp_path: Path, page: Path, labels: Path) -> None:
    into = ("--into", str(tmp_path / "records"))
    for url in (PAGE, f"{PAGE}other/"):
        typed("label", str(page), "--url", url, "--labels", str(labels), *into)
    host = PAGE.split("/")[2]
    listed = typed("label", host, "--list", *into)
    assert listed.returncode == 0, listed.stderr
    assert [line.split()[:2] for line in listed.stdout.splitlines()[:2]] == [
        ["1", PAGE],
        ["2", f"{PAGE}other/"],
    ]
    assert "takes the labels of a page back" in listed.stdout
    assert typed("label", "--undo", "7", *into).returncode == 2
    assert f"taken back: {PAGE}\n" in typed("label", "--undo", "1", *into).stdout
    assert typed("label", "--list", *into).stdout.split()[:2] == ["1", f"{PAGE}other/"]
    assert typed("label", "--undo", "1", *into).returncode == 0
    assert typed("label", "--list", *into).returncode == 2
    assert typed("label", "other.example", "--list", *into).returncode == 2
