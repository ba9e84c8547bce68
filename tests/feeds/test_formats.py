"""Feed formats, read back by validators that are not ours: feedparser, a JSON Schema of JSON Feed
1.1, pyarrow, csv."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import escape

import duckdb
import feedparser
import pyarrow.parquet
import pytest
from jsonschema import Draft202012Validator, FormatChecker
from lxml import etree
from scrapy.exporters import BaseItemExporter
from scrapy.http import HtmlResponse, Request
from scrapy.http.request import NO_CALLBACK

from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.exporters import FeedPlace, FolderFile, LinesExporter
from sitecrawl.extensions import mend_feed
from sitecrawl.extras.sinks.feed_channel import Channel, ChannelFacts
from sitecrawl.extras.sinks.feed_writing import file_name
from sitecrawl.extras.sinks.json_feeds import JsonFeedExporter
from sitecrawl.extras.sinks.markdown_files import MarkdownExporter, article_markdown
from sitecrawl.extras.sinks.newest import ArticleExporter
from sitecrawl.extras.sinks.tables import CsvExporter, ParquetExporter
from sitecrawl.extras.sinks.xml_feeds import AtomExporter, RssExporter
from sitecrawl.items.article import ITEM_FIELDS, Article
from sitecrawl.items.feed_items import identity
from sitecrawl.spiders.answers import CONTEXT

SITE = "http://news.example/"
URI = {"type": "string", "format": "uri", "pattern": "^[a-z]+:"}
MOMENT = {"type": "string", "format": "date-time", "pattern": r"T.*(Z|[+-]\d\d:\d\d)$"}
PEOPLE = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "url": URI, "avatar": URI},
        "minProperties": 1,
        "patternProperties": {"^_": {}},
        "additionalProperties": False,
    },
}
ITEM_SCHEMA = {
    "type": "object",
    "required": ["id"],
    "anyOf": [{"required": ["content_html"]}, {"required": ["content_text"]}],
    "properties": {
        "id": {"type": "string", "minLength": 1},
        "url": URI,
        "external_url": URI,
        "title": {"type": "string"},
        "content_html": {"type": "string"},
        "content_text": {"type": "string"},
        "summary": {"type": "string"},
        "image": URI,
        "banner_image": URI,
        "date_published": MOMENT,
        "date_modified": MOMENT,
        "authors": PEOPLE,
        "tags": {"type": "array", "items": {"type": "string"}},
        "language": {"type": "string", "pattern": "^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$"},
        "attachments": {"type": "array"},
    },
    "patternProperties": {"^_[^.]+$": {"type": "object"}},
    "additionalProperties": False,
}
SCHEMA = {
    "type": "object",
    "required": ["version", "title", "items"],
    "properties": {
        "version": {"const": "https://jsonfeed.org/version/1.1"},
        "title": {"type": "string", "minLength": 1},
        "home_page_url": URI,
        "feed_url": URI,
        "description": {"type": "string"},
        "icon": URI,
        "favicon": URI,
        "authors": PEOPLE,
        "language": {"type": "string"},
        "expired": {"type": "boolean"},
        "items": {"type": "array", "items": ITEM_SCHEMA},
    },
    "patternProperties": {"^_[^.]+$": {"type": "object"}},
    "additionalProperties": False,
}
"""Written from https://www.jsonfeed.org/version/1.1/."""


def item(number: int, **values: Any) -> dict[str, Any]:
    """An item with every field of the table."""
    body = f"A first paragraph, number {number}.\nA second one, 1 < 2 & more \x0c."
    known = Article(url=f"{SITE}{number}.html", headline=f"Story {number}").to_dict() | {
        "articleBody": body,
        "articleBodyHtml": f"<p>A first paragraph, number {number}.</p><p>A <b>second</b> one, 1 &lt; 2 &amp; more.</p>",
        "authors": [{"name": "Ann Onym", "nameRaw": "By Ann Onym", "url": f"{SITE}ann"}],
        "datePublished": "2026-03-04T05:06:07+02:00",
        "dateModified": "2026-03-05",
        "tags": ["bridge", "harbour, old"],
        "inLanguage": "en",
        "description": "=1+1",
        "mainImage": {"url": f"{SITE}a.png"},
        "images": [{"url": f"{SITE}a.png", "alt": "a bridge"}],
        "sectionUrl": f"{SITE}city/",
        "metadata": {"dateDownloaded": "2026-03-06T01:02:03Z"},
        "extra": {"views": "348"},
        "revision": 1,
    }
    return known | values


def written(make: type[BaseItemExporter], items: list[dict[str, Any]], **options: Any) -> bytes:
    file = io.BytesIO()
    exporter = make(file, **options)
    exporter.start_exporting()
    for one in items:
        exporter.export_item(one)
    exporter.finish_exporting()
    return file.getvalue()


def facts() -> ChannelFacts:
    """As a crawl has them after its start page."""
    found = ChannelFacts()
    head = "<title>City &amp; port</title><link rel='shortcut icon' href='/i.png'>"
    found.received(HtmlResponse(f"{SITE}robots", status=404, body=b"<title>gone</title>"))
    found.received(
        HtmlResponse(SITE, body=f"<html><head>{head}</head><body>x</body></html>".encode())
    )
    return found


# ---- JSON Feed
def checked(raw: bytes) -> dict[str, Any]:
    feed: dict[str, Any] = json.loads(raw)
    Draft202012Validator(SCHEMA, format_checker=FormatChecker()).validate(feed)
    return feed


def test_a_json_feed_is_valid_and_says_whose_it_is() -> None:
    feed = checked(written(JsonFeedExporter, [item(1), item(2)], facts=facts()))
    assert (feed["title"], feed["home_page_url"], feed["favicon"]) == (
        "City & port",
        SITE,
        f"{SITE}i.png",
    )
    assert feed["items"][0]["authors"] == [{"name": "Ann Onym", "url": f"{SITE}ann"}]
    own = feed["items"][0]["_sitecrawl"]
    assert own["authors"][0]["nameRaw"] == "By Ann Onym"
    assert own["extra"] == {"views": "348"}


def test_a_json_feed_without_items_or_facts_is_valid_too() -> None:
    assert checked(written(JsonFeedExporter, []))["items"] == []
    assert checked(written(JsonFeedExporter, [item(1)]))["title"] == "news.example"
    assert (
        checked(written(JsonFeedExporter, [Article(url=SITE).to_dict()]))["items"][0][
            "content_text"
        ]
        == ""
    )


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("2026-03-04", None),
        ("2026-03-04T05:06:07", None),
        ("2026-03-04T05:06:07Z", "2026-03-04T05:06:07Z"),
        ("2026-03-04T05:06+02:00", "2026-03-04T05:06:00+02:00"),
        ("2026-03", None),
    ],
)
def test_only_an_instant_is_told_as_one(value: str, told: str | None) -> None:
    one = item(1, datePublished=value, dateModified=None)
    entry = checked(written(JsonFeedExporter, [one]))["items"][0]
    assert entry.get("date_published") == told
    assert entry["_sitecrawl"].get("datePublished") == (None if told == value else value)
    rss = feedparser.parse(written(RssExporter, [one])).entries[0]
    assert ("published" in rss) == (told is not None)
    atom = written(AtomExporter, [one]).decode()
    assert ("<published>" in atom) == (told is not None)
    assert f"<updated>{told or '2026-03-06T01:02:03Z'}</updated>" in atom


# ---- RSS and Atom
@pytest.mark.parametrize(("make", "version"), [(RssExporter, "rss20"), (AtomExporter, "atom10")])
def test_feed_readers_read_rss_and_atom(make: type[BaseItemExporter], version: str) -> None:
    found = feedparser.parse(written(make, [item(1), item(2)], facts=facts()))
    assert (found.bozo, found.version, len(found.entries)) == (False, version, 2)
    assert (found.feed.title, found.feed.link) == ("City & port", SITE)
    entry = found.entries[0]
    assert (entry.title, entry.link, entry.author) == ("Story 2", f"{SITE}2.html", "Ann Onym")
    assert entry.published_parsed[:5] == (2026, 3, 4, 3, 6)
    assert [tag.term for tag in entry.tags] == ["bridge", "harbour, old"]
    assert "<b>second</b> one, 1 &lt; 2" in entry.content[0].value
    empty = feedparser.parse(written(make, []))
    assert (empty.bozo, empty.version, empty.entries) == (False, version, [])


def test_text_that_xml_cannot_hold_is_left_out() -> None:
    found = feedparser.parse(
        written(RssExporter, [item(1, articleBodyHtml="", headline="bell \x07 \ufffe")])
    )
    assert not found.bozo
    assert found.entries[0].title == "bell"


# ---- tables
def test_csv_keeps_every_field_as_json_and_no_formula() -> None:
    raw = written(CsvExporter, [item(1, extra=None), item(2)])
    rows = list(csv.DictReader(io.StringIO(raw.decode())))
    assert set(rows[0]) == {*ITEM_FIELDS, "revision"}
    assert json.loads(rows[1]["extra"]) == {"views": "348"}
    assert json.loads(rows[0]["authors"])[0]["url"] == f"{SITE}ann"
    assert json.loads(rows[0]["tags"]) == ["bridge", "harbour, old"]
    assert (rows[0]["description"], rows[0]["extra"]) == ("'=1+1", "")


def test_csv_of_other_items_is_that_of_scrapy() -> None:
    assert written(CsvExporter, [{"a": "1", "b": "2"}]).split() == [b"a,b", b"1,2"]


def test_parquet_has_a_column_a_field(tmp_path: Path) -> None:
    path = tmp_path / "all.parquet"
    path.write_bytes(written(ParquetExporter, [item(n, own=n) for n in range(501)]))
    table = pyarrow.parquet.read_table(path)
    assert table.num_rows == 501
    assert table.column_names == [*ITEM_FIELDS, "revision", "confidence", "dateDownloaded", "more"]
    row = table.slice(500).to_pylist()[0]
    assert (row["headline"], row["tags"], row["revision"]) == (
        "Story 500",
        ["bridge", "harbour, old"],
        1,
    )
    assert json.loads(row["images"])[0]["alt"] == "a bridge"
    assert json.loads(row["more"]) == {
        "dateModified": "2026-03-05",
        "own": 500,
    }  # a day is no instant
    assert (row["datePublished"], row["dateModified"]) == (
        datetime(2026, 3, 4, 3, 6, 7, tzinfo=UTC),
        datetime(2026, 3, 5, tzinfo=UTC),
    )
    assert (row["dateDownloaded"], row["confidence"]) == (
        datetime(2026, 3, 6, 1, 2, 3, tzinfo=UTC),
        0.0,
    )
    assert (row["wordCount"], row["isAccessibleForFree"]) == (0, None)


def test_a_date_that_is_no_day_is_kept_in_more(tmp_path: Path) -> None:
    path = tmp_path / "all.parquet"
    path.write_bytes(
        written(ParquetExporter, [item(1, datePublished="2026-03", isAccessibleForFree=False)])
    )
    row = pyarrow.parquet.read_table(path).to_pylist()[0]
    assert (row["datePublished"], json.loads(row["more"])["datePublished"]) == (None, "2026-03")
    assert row["isAccessibleForFree"] is False


def test_duckdb_reads_dates_as_timestamps(tmp_path: Path) -> None:
    path = tmp_path / "all.parquet"
    path.write_bytes(written(ParquetExporter, [item(n) for n in range(3)]))
    query = f"select count(*) from '{path}' where datePublished < timestamptz '2026-03-05 00:00Z' and confidence < .5"
    assert duckdb.sql(query).fetchall() == [(3,)]


# ---- where a feed is published
@pytest.mark.parametrize(
    ("make", "told"),
    [
        (JsonFeedExporter, '"feed_url": "https://a.example/feeds/out.json"'),
        (RssExporter, '<atom:link href="https://a.example/feeds/out.json" rel="self"/>'),
        (AtomExporter, '<link href="https://a.example/feeds/out.json" rel="self"/>'),
    ],
)
def test_a_feed_names_its_own_url(tmp_path: Path, make: type[ArticleExporter], told: str) -> None:
    facts = ChannelFacts()
    for place, expected in (("https://a.example/feeds", True), ("", False)):
        facts.published_at = place
        with open(tmp_path / "out.json", "wb") as file:
            exporter = make(file, facts)
            exporter.export_item(item(1))
            exporter.finish_exporting()
        assert (told in (tmp_path / "out.json").read_text("utf8")) == expected


def read_by_a_crawl(role: Role) -> Request:
    url = "https://a.example/1.html"
    return Request(url, meta={CONTEXT: RequestContext(url, role)})


@pytest.mark.parametrize(
    ("request_", "title"),
    [
        (Request("https://a.example/1.html"), "The Example"),
        (Request("https://a.example/1.html", meta={"depth": 1}), "a.example"),
        (read_by_a_crawl(Role.START), "The Example"),
        (read_by_a_crawl(Role.ARTICLE), "a.example"),
        (Request("https://a.example/robots.txt", callback=NO_CALLBACK), "a.example"),
    ],
)
def test_a_start_page_names_the_feed_and_no_article_that_comes_first(
    request_: Request, title: str
) -> None:
    """After an interruption the articles that were requested come first, without a page that led to
    them."""
    facts = ChannelFacts()
    facts.received(HtmlResponse(request_.url, body=b"<title>The Example</title>", request=request_))
    assert (
        facts.channel("out", Channel(""), items=[item(1, url="https://a.example/1.html")])[0]
        == title
    )


@pytest.mark.parametrize(
    ("items", "old", "channel"),
    [
        # one site: its name, though the start page did not come
        ([item(1, siteName="The Example")], Channel(""), ("The Example", SITE)),
        ([item(1), item(2)], Channel(""), ("news.example", SITE)),
        # the name that the feed had
        ([item(1)], Channel("City", SITE), ("City", SITE)),
        # several sites: that of the feed, never that of the first article
        ([item(1), item(2, url="http://other.example/a")], Channel(""), ("out", "")),
        ([item(1)], Channel("City", "http://other.example/"), ("out", "")),
        ([item(1)], Channel("out", ""), ("out", "")),
        ([], Channel(""), ("out", "")),
    ],
)
def test_title_and_link_are_those_of_the_site_or_of_the_feed(
    items: list[dict[str, Any]], old: Channel, channel: tuple[str, str]
) -> None:
    assert ChannelFacts().channel("out", old, items=items)[:2] == channel


# ---- folders
def place(folder: Path, form: str) -> Any:
    return FeedPlace(str(folder), feed_options={"format": form, "overwrite": True}).open(None)


def test_a_feed_has_one_writer_or_several_that_add_to_it(tmp_path: Path) -> None:
    """Two crawls with -O to one file wrote over each other's articles, and both said that all of
    theirs were written."""
    path = tmp_path / "out.jsonl"

    def opened(*, overwrite: bool) -> IO[bytes]:
        return FeedPlace(
            str(path), feed_options={"format": "jsonlines", "overwrite": overwrite}
        ).open(None)

    with opened(overwrite=True) as one:
        one.write(b"1\n")
        for overwrites in (True, False):
            with pytest.raises(OSError, match="another command writes"):
                opened(overwrite=overwrites)
    with opened(overwrite=False) as one, opened(overwrite=False) as two:
        one.write(b"2\n")
        two.write(b"3\n")
        with pytest.raises(OSError, match="another command writes"):
            opened(overwrite=True)
    assert sorted(path.read_bytes().split()) == [b"1", b"2", b"3"]


def test_crawls_that_add_to_one_feed_leave_their_lines_whole(tmp_path: Path) -> None:
    """A buffer that ran full ended within a line, and the next one, or a crawl that begins, found
    half of it there."""
    path = tmp_path / "out.jsonl"
    crawls = [
        LinesExporter(FeedPlace(str(path), feed_options={"format": "jsonlines"}).open(None))
        for _ in range(2)
    ]
    items = [
        {"url": f"http://a.example/{n}", "revision": 1, "articleBody": "x" * 3_000}
        for n in range(20)
    ]
    for number, one in enumerate(items):
        crawls[number % 2].export_item(one)
    assert [json.loads(line) for line in path.read_bytes().splitlines()] == items
    crawls[0].file.write(b'{"url": "http://a.example/20", ')
    crawls[0].file.flush()
    assert mend_feed(path) == set(map(identity, items))
    crawls[0].file.write(b'"revision": 1}\n')
    for crawl in crawls:
        crawl.file.close()
    assert len(mend_feed(path)) == 21


def test_markdown_files_carry_their_facts(tmp_path: Path) -> None:
    exporter = MarkdownExporter(place(tmp_path / "docs", "markdown"))
    for one in (item(1), item(2), item(1, headline="Story 1, corrected")):
        exporter.export_item(one)
    files = sorted((tmp_path / "docs").glob("*.md"))
    assert [file.name[:6] for file in files] == ["1-html", "2-html"]
    _, head, body = files[0].read_text(encoding="utf8").split("---\n")
    told = {
        line.partition(": ")[0]: json.loads(line.partition(": ")[2]) for line in head.splitlines()
    }
    assert (told["headline"], told["tags"]) == ("Story 1, corrected", ["bridge", "harbour, old"])
    assert body.startswith(
        "\n# Story 1, corrected\n\nA first paragraph, number 1.\n\nA **second** one"
    )


def test_a_file_is_stored_as_by_scrapy(tmp_path: Path) -> None:
    file = place(tmp_path / "new" / "a.jsonl", "jsonlines")
    file.write(b"{}\n")
    file.close()
    assert (tmp_path / "new" / "a.jsonl").read_bytes() == b"{}\n"


STEERING = "Bridge <img src=x onerror=alert(1)> [a](javascript:b) *c* & # d"


def test_no_plain_text_is_markup() -> None:
    """A headline, a description and a body that has no HTML are text in every format that may hold
    markup."""
    article = item(
        1,
        headline=STEERING,
        description=STEERING,
        articleBody=f"{STEERING}\n# e\n    f",
        articleBodyHtml=None,
    )
    text = article_markdown(article).partition("\n---\n\n")[2]
    shown = r"Bridge &lt;img src=x onerror=alert(1)> \[a\](javascript:b) \*c\* & # d"
    assert text.splitlines() == [f"# {shown}", "", shown, "", r"\# e", "", "f"]
    feed = feedparser.parse(written(RssExporter, [article]), sanitize_html=False)
    assert feed.entries[0].content[0].value == f"<p>{escape(STEERING)}</p><p># e</p><p>    f</p>"
    assert feed.entries[0].description == escape(STEERING)
    atom = feedparser.parse(written(AtomExporter, [article]), sanitize_html=False)
    content = atom.entries[0].content[0]
    assert (content.type, content.value) == (
        "text/html",
        f"<p>{escape(STEERING)}</p><p># e</p><p>    f</p>",
    )


def test_rss_and_csv_hold_what_they_can() -> None:
    article = item(
        1,
        headline="a\ufffeb\x00c\ud800",
        description="\uff1d1+1",
        authors=[{"name": "\ufe62d\uffff"}],
    )
    found = etree.fromstring(written(RssExporter, [article]))
    creator = found.findtext(".//{http://purl.org/dc/elements/1.1/}creator")
    assert (found.findtext(".//item/title"), creator) == ("abc", "\ufe62d")
    assert "'\uff1d1+1" in written(CsvExporter, [article]).decode()


@pytest.mark.parametrize("letter", ["a", "\u00e9", "\u6f2b", "\U00020000"])
def test_the_name_of_a_file_is_cut_by_bytes_on_the_border_of_a_character(letter: str) -> None:
    names = {file_name(f"http://news.example/{end}{letter * 200}") for end in ("", "b", "b/")}
    assert len(names) == 3
    for name in names:
        assert len(f"{name}.json".encode()) <= 255
        assert set(name[:-9].lstrip("b-")) == {letter}


def test_a_file_that_cannot_be_written_leaves_out_its_article_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    urls = [f"http://news.example/a-{number}" for number in range(3)]
    (tmp_path / f"{file_name(urls[1])}.md").mkdir()
    exporter = MarkdownExporter(FolderFile(tmp_path))
    for url in urls:
        exporter.export_item({"url": url, "headline": "A", "articleBody": "b"})
    written = {path.name for path in tmp_path.iterdir() if path.is_file()}
    assert written == {f"{file_name(url)}.md" for url in (urls[0], urls[2])}
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == ["http"]
    assert urls[1] in caplog.text


def test_a_folder_that_takes_no_file_is_an_error(tmp_path: Path) -> None:
    exporter = MarkdownExporter(FolderFile(tmp_path / "gone"))
    with pytest.raises(FileNotFoundError):
        exporter.export_item({"url": "http://news.example/a", "articleBody": "b"})


def test_front_matter_is_no_markup() -> None:
    said = "<img src=x onerror=alert(1)> [x](javascript:alert(1)) [y]: z"
    text = article_markdown({"url": "http://news.example/a", "description": said})
    head = text.split("---")[1]
    assert not any(live in head for live in ("<", "](", "]:"))
    assert json.loads(head.split("description: ")[1]) == said
