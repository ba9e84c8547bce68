"""Feeds of the newest articles: RSS, Atom and JSON Feed across runs, for one site and for all."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import feedparser
import pytest

from sitecrawl.__main__ import main
from sitecrawl.exporters import RewrittenFile
from sitecrawl.extras.sinks.feed_channel import ChannelFacts
from sitecrawl.extras.sinks.json_feeds import JsonFeedExporter
from sitecrawl.extras.sinks.newest import ArticleExporter
from sitecrawl.extras.sinks.xml_feeds import AtomExporter, RssExporter
from sitecrawl.feed_formats import place_and_format
from sitecrawl.items.article import Article
from sitecrawl.settings import FEED_EXPORTERS
from tests.crawl.runner import crawl, items_of, served
from tests.pages import article_page, listing_page

FORMATS = [(RssExporter, "rss"), (AtomExporter, "atom"), (JsonFeedExporter, "jsonfeed")]
each_format = pytest.mark.parametrize(("make", "form"), FORMATS)
each_name = pytest.mark.parametrize("form", [form for _, form in FORMATS])


def item(name: str, day: str | None = None, **values: Any) -> dict[str, Any]:
    made = Article(url=f"http://news.example/{name}", headline=f"Story {name}").to_dict()
    return made | {"articleBody": "b", "datePublished": day} | values


def write(
    make: type[ArticleExporter], path: Path, items: list[Any], *, most: int = 0
) -> list[dict[str, str]]:
    """The entries of the feed after a run."""
    facts = ChannelFacts()
    facts.most = most
    file = RewrittenFile(path)
    exporter = make(file, facts)
    for one in items:
        exporter.export_item(one)
    exporter.finish_exporting()
    path.write_bytes(file.getvalue())
    return entries(path)


def entries(path: Path) -> list[dict[str, str]]:
    """The keys and titles of a feed, as a reader takes them."""
    raw = path.read_bytes()
    if raw.startswith(b"{"):
        rows = json.loads(raw)["items"]
        return [{"id": row["id"], "title": row.get("title", "")} for row in rows]
    feed = feedparser.parse(raw)
    assert not feed.bozo
    return [{"id": entry.id, "title": entry.title} for entry in feed.entries]


def names(found: list[dict[str, str]]) -> list[str]:
    return [one["id"].rpartition("/")[2] for one in found]


@each_format
@pytest.mark.parametrize(
    ("runs", "most", "left"),
    [
        # by date, the newest first, over all runs
        ([[("a", "2026-03-01"), ("c", "2026-03-03")], [("b", "2026-03-02")]], 0, "cba"),
        ([[("a", "2026-03-01"), ("b", "2026-03-02")], [("c", "2026-03-03")]], 2, "cb"),
        # days, moments and zones are compared as moments
        ([[("a", "2026-03-01T23:00:00-05:00"), ("b", "2026-03-02T01:00:00Z")]], 0, "ab"),
        ([[("a", "2026-03-02T00:00:01Z"), ("b", "2026-03-02")]], 0, "ab"),
        # what is old but comes now does not push out what is newer
        ([[("b", "2026-03-02"), ("c", "2026-03-03")], [("a", "2020-01-01")]], 2, "cb"),
        # without a date: in the order in which they were seen
        ([[("a", None)], [("b", None)], [("c", None)]], 0, "cba"),
        ([[("a", None), ("b", "2026-03-02")], [("c", "2026-03-03")]], 0, "acb"),
        ([[("a", "2026-03-01")], []], 0, "a"),
        ([[]], 0, ""),
    ],
)
def test_a_feed_holds_the_newest_across_runs(
    tmp_path: Path,
    make: type[ArticleExporter],
    form: str,
    runs: list[list[tuple[str, str | None]]],
    most: int,
    left: str,
) -> None:
    path = tmp_path / f"out.{form}"
    for number, run in enumerate(runs):
        seen = {"dateDownloaded": f"2026-03-1{number}T01:00:00Z"}
        items = [item(name, day, metadata=seen) for name, day in run]
        found = write(make, path, items, most=most)
    assert "".join(names(found)) == left


@each_format
def test_an_article_that_changed_stands_once(
    tmp_path: Path, make: type[ArticleExporter], form: str
) -> None:
    path = tmp_path / f"out.{form}"
    write(make, path, [item("a", "2026-03-01"), item("b", "2026-03-02")])
    found = write(make, path, [item("a", "2026-03-01", headline="A new one", revision=2)])
    assert [one["title"] for one in found] == ["Story b", "A new one"]


@each_format
@pytest.mark.parametrize(
    "damage", [b"{", b"<rss", b"mine", b'{"mine": 1}', b"<html/>", b"[" * 9999]
)
def test_another_file_is_kept_beside_the_feed(
    tmp_path: Path, make: type[ArticleExporter], form: str, damage: bytes
) -> None:
    path = tmp_path / f"out.{form}"
    path.write_bytes(damage)
    assert names(write(make, path, [item("a")])) == ["a"]
    assert path.with_name(f"{path.name}.bak").read_bytes() == damage


@each_format
@pytest.mark.parametrize(
    ("plain", "title", "text"),
    [
        ({"url": "http://a.example/1", "title": "One", "text": "First."}, "One", "First."),
        ({"link": "http://a.example/1", "name": "One", "body": ["First."]}, "One", "First."),
        ({"title": "One", "content": "First."}, "One", "First."),
        ({"url": "http://a.example/1", "headline": "One", "text": "First."}, "One", "First."),
    ],
)
def test_a_plain_item_keeps_its_title_and_text(
    make: type[ArticleExporter], form: str, plain: dict[str, Any], title: str, text: str
) -> None:
    file = BytesIO()
    exporter = make(file)
    exporter.export_item(plain)
    exporter.finish_exporting()
    assert f"{title}</title>" in file.getvalue().decode() or f'"title": "{title}"' in (
        file.getvalue().decode()
    )
    assert text in file.getvalue().decode()


# ---- crawls
def news(first: int, count: int) -> dict[str, bytes]:
    numbers = range(first, first + count)
    pages = {f"/2024/05/a-{n}.html": article_page(n).encode() for n in numbers}
    return pages | {"/city/": listing_page(numbers).encode()}


@each_name
def test_one_run_writes_several_formats_and_the_next_one_too(tmp_path: Path, form: str) -> None:
    feed, more = tmp_path / "a.jsonl", f"{tmp_path / 'b.x'}:{form}"
    pages = news(0, 6)
    with served(pages) as site:
        first = crawl(f"{site.url}/city/", feed, "-o", str(feed), "-o", more)
        assert len(first.items) == len(entries(tmp_path / "b.x")) == 6
        pages |= news(2, 6)
        second = crawl(f"{site.url}/city/", feed, "-o", str(feed), "-o", more)
        assert second.code == 0
        assert len(second.items) == 8
        assert len(entries(tmp_path / "b.x")) == 8
        # a feed that is named only now has what earlier runs found
        late = f"{tmp_path / 'late.x'}:{form}"
        third = crawl(f"{site.url}/city/", feed, "-O", late, "-s", "SITECRAWL_FEED_ITEMS=3")
        assert third.code == 0
        assert len(entries(tmp_path / "late.x")) == 3
        assert not list(tmp_path.glob("*.bak*"))


@each_name
def test_a_file_of_sites_names_several_feeds_for_each_and_for_all(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with served(news(0, 6)) as one, served(news(10, 6), host="127.0.0.2") as two:
        (tmp_path / "sites.toml").write_text(
            f"""
            feed = ["all.jsonl", "all.x:{form}", "feeds/{{name}}.x:{form}"]
            [settings]
            DOWNLOAD_DELAY = 0
            AUTOTHROTTLE_ENABLED = false
            [[site]]
            name = "one"
            start = "{one.url}/city/"
            [[site]]
            name = "two"
            start = "{two.url}/city/"
            """
        )
        for _ in range(2):
            work = [sys.executable, "-m", "sitecrawl", "work", "sites.toml", "--all", "--once"]
            subprocess.run(work, check=True, timeout=240)
    assert len(items_of(tmp_path / "all.jsonl")) == len(entries(tmp_path / "all.x")) == 12
    assert [len(entries(tmp_path / "feeds" / f"{name}.x")) for name in ("one", "two")] == [6, 6]
    title = feedparser.parse((tmp_path / "all.x").read_bytes()).feed.get("title")
    assert title == "all" or '"title": "all"' in (tmp_path / "all.x").read_text()
    # the command that collects all sites makes the same feed
    assert main(["feed", "-o", f"again.x:{form}"]) == 0
    assert sorted(names(entries(tmp_path / "again.x"))) == sorted(
        names(entries(tmp_path / "all.x"))
    )


def test_after_a_kill_each_feed_gets_what_it_lacks(tmp_path: Path) -> None:
    """An interrupted run left its articles in one feed only; the other one is written at the
    end."""
    feeds = [tmp_path / "a.jsonl", tmp_path / "b.csv", tmp_path / "c.rss"]
    words = ("-o", str(feeds[0]), "-O", str(feeds[1]), "-o", str(feeds[2]))
    killed = {"jsonl": "tests.crawl.test_interrupt.KilledExporter"}
    exporters = json.dumps(FEED_EXPORTERS | killed)
    killing = ("-s", f"FEED_EXPORTERS={exporters}")
    with served(news(0, 6)) as site:
        start = f"{site.url}/city/"
        assert crawl(start, feeds[0], *words, *killing).code == -signal.SIGKILL
        feeds[0].write_bytes(feeds[0].read_bytes().partition(b"\n")[0])
        assert crawl(start, feeds[0], *words).code == 0
    urls = [item["url"] for item in items_of(feeds[0])]
    assert len(urls) == len({*urls}) == 6
    assert len(feeds[1].read_text().splitlines()) > 6
    assert len(entries(feeds[2])) == 6


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("out.json", ("out.json", "json")),
        ("out.feed.json:jsonfeed", ("out.feed.json", "jsonfeed")),
        ("out.md", ("out.md", "markdown")),
        ("docs:markdown", ("docs", "markdown")),
        ("sqlite:///a.db", ("sqlite:///a.db", "sql")),
        ("out.txt", ("out.txt", "")),
    ],
)
def test_a_name_means_the_same_format_everywhere(typed: str, found: tuple[str, str]) -> None:
    assert place_and_format(typed) == found
