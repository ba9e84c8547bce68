"""Articles in a table of PostgreSQL and SQLite: real servers, real crawls."""

from __future__ import annotations

import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from sitecrawl.extras.sinks.sql import SqlExporter, SqlStorage
from tests.crawl.runner import crawl, send, served
from tests.pages import article_page, listing_page
from tests.postgres import server
from tests.process import finished

PAGES: dict[str, Any] = {f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(6)} | {
    "/city/": listing_page(range(6)).encode()
}


def place(kind: str, folder: Path) -> str:
    """The URL of a new database."""
    return server().create() if kind == "postgresql" else f"sqlite:///{folder}/articles.db"


def rows(url: str, what: str = "*") -> list[dict[str, Any]]:
    engine = sa.create_engine(
        url.replace("postgresql:", "postgresql+psycopg:"), poolclass=sa.NullPool
    )
    with engine.connect() as connection:
        return [
            dict(row._mapping)
            for row in connection.execute(sa.text(f"SELECT {what} FROM articles ORDER BY url"))
        ]


def export(url: str, *items: dict[str, Any]) -> None:
    """Write items as a crawl does."""
    storage = SqlStorage(url)
    exporter = SqlExporter(storage.open(None))
    for item in items:
        exporter.export_item({"url": "https://a.example/1", "articleBody": "b"} | item)
    exporter.finish_exporting()


@pytest.mark.parametrize("kind", ["postgresql", "sqlite"])
def test_a_crawl_fills_a_table_and_a_changed_article_replaces_its_row(
    tmp_path: Path, kind: str
) -> None:
    url, pages = place(kind, tmp_path), dict(PAGES)
    with served(pages) as site:
        first = crawl(f"{site.url}/city/", tmp_path / "out.jsonl", "-O", url)
        assert (first.code, "6 articles" in first.said) == (0, True), first.said
        pages["/2024/05/a-1.html"] = (
            article_page(1).replace("who paid for it", "who paid the bill").encode()
        )
        again = crawl(f"{site.url}/city/", tmp_path / "out.jsonl", "-o", url, "-a", "refresh=1")
        assert again.code == 0, again.said
    found = rows(url)
    assert [row["headline"] for row in found] == [
        f"Harbour bridge number {n} opens to cyclists" for n in range(6)
    ]
    assert [row["revision"] for row in found] == [1, 2, 1, 1, 1, 1]
    assert "who paid the bill" in found[1]["article_body"]
    day = "date(date_published)" if kind == "sqlite" else "date(date_published)::text"
    assert rows(url, f"{day} AS day")[2] == {"day": "2024-05-03"}
    more = rows(url, "more->>'datePublished' AS vague, provenance->>'method' AS method")[2]
    assert more == {"vague": "2024-05-03T08:30:00", "method": "template"}


@pytest.mark.parametrize("kind", ["postgresql", "sqlite"])
def test_an_older_revision_changes_nothing(tmp_path: Path, kind: str) -> None:
    url = place(kind, tmp_path)
    export(url, {"revision": 2, "headline": "New"}, {"revision": 1, "headline": "Old"})
    export(url, {"revision": 1, "headline": "Old"})
    assert [row["headline"] for row in rows(url)] == ["New"]
    export(url, {"revision": 2, "headline": "Same"})
    assert [row["headline"] for row in rows(url)] == ["Same"]


@pytest.mark.parametrize("kind", ["postgresql", "sqlite"])
def test_texts_that_databases_refuse_are_mended(tmp_path: Path, kind: str) -> None:
    url = place(kind, tmp_path)
    odd = {
        "headline": "a\0b\ud83d",
        "tags": ["c\0", "\ud83d"],
        "dateModified": "2024-05",
        "views": 3,
    }
    export(url, odd)
    (row,) = rows(url)
    assert (row["headline"], row["date_modified"]) == ("a\ufffdb?", None)
    assert rows(url, "main_image IS NULL AS gone")[0]["gone"]
    assert "2024-05" in str(row["more"])
    assert "views" in str(row["more"])


@pytest.mark.parametrize(
    ("url", "told"),
    [
        (
            "postgresql://u:secret@127.0.0.1:1/x",
            "others can see a password in a URL: write $NAME instead",
        ),
        ("postgresql://u:$NOT_SET@127.0.0.1:1/x", "$NOT_SET is not set in the environment"),
        (
            "postgresql://u@127.0.0.1:1/x",
            "the database postgresql://u@127.0.0.1:1/x cannot be used (connection",
        ),
        ("sqlite:////nowhere/at/all.db", "cannot be used (unable to open database file)"),
    ],
)
def test_what_is_wrong_is_told_before_the_crawl(tmp_path: Path, url: str, told: str) -> None:
    found = crawl("http://127.0.0.1:1/", tmp_path / "out.jsonl", "-O", url)
    assert found.code == 2
    assert told in found.said
    assert "secret" not in found.said
    assert len(found.said.splitlines()) == 1


def test_a_password_of_the_environment_stands_in_no_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = server().create()
    engine = sa.create_engine(
        base.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT"
    )
    with engine.connect() as connection:
        connection.exec_driver_sql("DROP ROLE IF EXISTS writer")
        connection.exec_driver_sql(
            "CREATE ROLE writer LOGIN PASSWORD 'hush@:/%'".replace("%", "%%")
        )
        connection.exec_driver_sql("GRANT ALL ON SCHEMA public TO writer")
    engine.dispose()
    monkeypatch.setenv("DB_WORD", "hush@:/%")
    url = base.replace("postgres@", "writer:$DB_WORD@")
    with served(dict(PAGES)) as site:
        found = crawl(
            f"{site.url}/city/", tmp_path / "out.jsonl", "-O", url, "-s", "LOG_LEVEL=DEBUG"
        )
    assert found.code == 0, found.said
    assert "Enabled extensions" in found.said  # the log is there, down to the settings of Scrapy
    assert "hush" not in found.said
    assert len(rows(base)) == 6


def test_a_database_that_fails_during_the_crawl_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    file, pages = tmp_path / "articles.db", dict(PAGES)

    def broken(handler: Any) -> None:
        """The table becomes one that cannot be written while the crawl runs."""
        with sqlite3.connect(file) as connection:
            connection.executescript("DROP TABLE articles; CREATE VIEW articles AS SELECT 1 AS url")
        pages["/city/"] = PAGES["/city/"]
        send(handler, 200, PAGES["/city/"])

    pages["/city/"] = broken
    with served(pages) as site:
        failed = crawl(f"{site.url}/city/", tmp_path / "out.jsonl", "-O", f"sqlite:///{file}")
        assert failed.code == 1
        assert "cannot modify articles because it is a view" in failed.said
        assert "a feed could not be written; fix the cause, then rerun the command" in failed.said
        with sqlite3.connect(file) as connection:
            connection.execute("DROP VIEW articles")
        mended = crawl(f"{site.url}/city/", tmp_path / "out.jsonl", "-O", f"sqlite:///{file}")
    assert mended.code == 0, mended.said
    assert len(rows(f"sqlite:///{file}")) == 6


def test_a_list_of_sites_writes_into_one_table(tmp_path: Path) -> None:
    file, pages = tmp_path / "articles.db", dict(PAGES)
    with served(pages) as one, served(pages) as two:
        sites = f'[settings]\nDOWNLOAD_DELAY = 0\nAUTOTHROTTLE_ENABLED = false\n[[site]]\nstart = "{one.url}/city/"\n'
        sites += f'[[site]]\nstart = "{two.url}/city/"\n'
        (tmp_path / "sites.toml").write_text(
            f'jobs = 2\nfeed = "sqlite:///{file}"\n{sites}', "utf8"
        )
        line = [sys.executable, "-m", "sitecrawl", "run", "sites.toml", "--once"]
        done = finished(line, cwd=tmp_path, env=dict(os.environ))
    assert done.returncode == 0, done.stderr + done.stdout
    assert len(rows(f"sqlite:///{file}")) == 12
