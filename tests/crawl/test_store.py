"""The crawl store: runs that go on, tasks beside one another, one process at a time, all of a step
or nothing."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from zlib import crc32

import pytest

from sitecrawl.crawl import database
from sitecrawl.crawl.database import CRAWL_TABLES, PROTOCOL, Database, locked_file
from sitecrawl.crawl.records import (
    ArticleRecord,
    PartNote,
    RequestContext,
    Role,
    WaitingPage,
    WaitKind,
)
from sitecrawl.crawl.site_state import FAILED, OLDER, PageVersion
from sitecrawl.crawl.store import CrawlStore, RunEnd, Stores
from sitecrawl.errors import StoreError
from sitecrawl.extras.demo import article_paths, site_pages
from sitecrawl.items.kinds import PageKind
from sitecrawl.site.page_families import FamilyEvidence
from tests.crawl.driver import Crawl, Network, Reply


@pytest.fixture
def store(stores: Stores) -> Iterator[CrawlStore]:
    found = stores.crawl("a.example")
    yield found
    found.close()


Reopen = Callable[..., CrawlStore]


@pytest.fixture
def reopened(stores: Stores) -> Iterator[Reopen]:
    """The same site in another process, in a run."""
    opened = list[CrawlStore]()

    def reopen(run: int = 0) -> CrawlStore:
        opened.append(stores.crawl("a.example"))
        opened[-1].run = run
        return opened[-1]

    yield reopen
    for store in opened:
        store.close()


def page(number: int | str, role: Role = Role.ARTICLE) -> RequestContext:
    return RequestContext(f"http://a.example/{number}", role)


def key(number: int | str) -> str:
    return page(number).key


def waiting(number: int | str) -> WaitingPage:
    url = f"http://a.example/{number}"
    return WaitingPage(
        ArticleRecord(key(number), url, key(number), type="post", log_odds=0.5), b"<p>x"
    )


def keys(store: CrawlStore) -> list[str]:
    return [context.key for _, context in store.pages.in_turn("queued")]


def test_a_run_goes_on_where_it_was_interrupted(store: CrawlStore, reopened: Reopen) -> None:
    assert store.begin("task") is RunEnd.NONE
    store.pages.queue(page(1))
    store.pages.queue(page(2))
    store.pages.done(key(1), PageKind.ARTICLE)
    store.waiting.hold(waiting(1), WaitKind.TEMPLATE, of="template-1")
    store.close()
    again = reopened()
    assert again.begin("task") is RunEnd.INTERRUPTED
    assert keys(again) == [key(2)]
    assert list(again.waiting.held()) == [waiting(1)]
    again.save_item(key(1), {"url": "http://a.example/1"}, digest="digest")
    assert again.waiting.count() == 0
    assert list(again.items.of_run()) == [{"url": "http://a.example/1"}]
    again.finish()
    assert again.begin("task") is RunEnd.FINISHED
    assert again.pages.in_turn("queued") == []
    assert list(again.items.of_run()) == []
    assert list(again.pages.done_pages()) == []
    assert [list(again.pages.take_uncounted(of_run=False)) for _ in range(2)] == [
        [(page(1).url, PageKind.ARTICLE)],
        [],
    ]


def test_tasks_of_a_site_do_not_end_one_another(store: CrawlStore) -> None:
    store.begin("news")
    store.pages.queue(page("news/1"))
    store.waiting.hold(waiting("news/2"), WaitKind.TEMPLATE, of="template-1")
    store.begin("sport")
    assert (
        store.pages.in_turn("queued"),
        store.waiting.count(),
        list(store.waiting.held(WaitKind.TEMPLATE, of="template-1")),
    ) == (
        [],
        0,
        [],
    )
    store.save_item(key("sport/3"), {"url": "http://a.example/sport/3"}, digest="digest")
    store.finish()
    assert store.begin("news") is RunEnd.INTERRUPTED
    assert keys(store) == [key("news/1")]
    assert [held.record.key for held in store.waiting.held()] == [key("news/2")]
    assert list(store.items.of_run()) == []


def test_a_run_that_came_to_a_limit_goes_on_with_a_new_budget(store: CrawlStore) -> None:
    store.begin("task")
    for n in range(3):
        store.pages.queue(page(n))
    for n in range(2):
        store.pages.done(key(n), PageKind.ARTICLE)
    store.save_item(key(0), {"url": "http://a.example/0"}, digest="digest")
    store.miss(key(1))
    assert store.progress() == (1, 1)
    store.finish(limited=True)
    assert store.begin("task") is RunEnd.LIMITED
    assert keys(store) == [key(1), key(2)]
    assert store.progress() == (0, 0)
    store.pages.done(key(2), PageKind.ARTICLE)
    assert store.begin("task") is RunEnd.INTERRUPTED
    assert store.progress() == (0, 1)


def test_one_crawl_of_a_site_at_a_time(store: CrawlStore, reopened: Reopen) -> None:
    second = reopened()
    store.lock()
    with pytest.raises(StoreError, match="in use"):
        second.lock()
    store.db.shared()
    store.close()
    with pytest.raises(StoreError, match="in use"):
        second.lock()
    store.close()
    second.lock()


def test_a_store_of_another_protocol_is_refused(store: CrawlStore, reopened: Reopen) -> None:
    for found in ("99", "3"):
        store.db.write("UPDATE facts SET value=:found WHERE name='protocol'", found=found)
        with pytest.raises(StoreError, match=f"protocol {found}.*move it away"):
            reopened()


def test_two_crawls_may_begin_in_a_new_folder_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of them failed with "database is locked", now and then: SQLite does not wait before it
    turns write-ahead logging on."""
    stores = Stores(tmp_path)
    with closing(sqlite3.connect(tmp_path / "templates.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(database.time, "sleep", lambda seconds: other.execute("COMMIT"))
        with closing(stores.learned()) as opened:
            assert opened.load("a.example") is None
            assert not other.in_transaction


def test_a_step_that_fails_leaves_nothing(store: CrawlStore) -> None:
    def fail() -> None:
        with store.at_once():
            store.pages.queue(page(1))
            with store.at_once():
                store.save_item(key(1), {"url": "x"}, digest="digest")
            raise KeyError

    store.begin("task")
    with pytest.raises(KeyError):
        fail()
    assert store.pages.in_turn("queued") == []
    assert store.items.latest(key(1)) is None
    with store.at_once():
        store.pages.queue(page(2))
    assert keys(store) == [key(2)]


def test_what_is_killed_within_a_step_was_not_decided(store: CrawlStore, reopened: Reopen) -> None:
    store.begin("task")
    step = store.at_once()
    step.__enter__()
    store.pages.queue(page(1))
    assert keys(store) == [key(1)]
    assert keys(reopened(1)) == []
    store.db.connection.close()
    assert keys(reopened(1)) == []


def test_a_context_is_kept_whole(store: CrawlStore) -> None:
    note = PartNote(key(1), "http://a.example/1", "http://a.example/3", "template-1")
    context = RequestContext(
        "http://a.example/2",
        Role.ARTICLE,
        0.7,
        0.2,
        "div/a",
        (0.7, 0.2, 0.1),
        "Two",
        "http://a.example/",
        3,
        part=note,
    )
    store.begin("task")
    store.pages.queue(context)
    assert [found for _, found in store.pages.in_turn("queued")] == [context]
    held = WaitingPage(ArticleRecord(key(2), context.url, context.key, part=note), b"\x00\xff")
    store.waiting.hold(held, WaitKind.PARTS, of="1")
    assert list(store.waiting.held(WaitKind.PARTS, of="1")) == [held]


def test_earlier_articles_are_read_bit_by_bit_while_they_are_asked_for(store: CrawlStore) -> None:
    store.begin("task")
    for number in range(450):
        store.pages.queue(page(number).again(depth=number))
        store.pages.done(key(number), PageKind.ARTICLE if number % 9 else PageKind.LISTING)
    store.finish()
    store.begin("task")
    found = []
    for context in store.pages.earlier_articles():
        found.append((context.url, context.depth))
        store.pages.queue(context)
        store.pages.done(context.key, PageKind.ARTICLE)
    assert found == [(f"http://a.example/{n}", n) for n in reversed(range(450)) if n % 9]
    assert list(store.pages.earlier_articles()) == []


def test_what_is_known_of_a_page(store: CrawlStore) -> None:
    day = "Tue, 04 Jun 2024 10:00:00 GMT"
    store.versions.put("list", PageVersion('"1"', day, "d", "text/html", True), body=b"<p>list")
    store.versions.put(
        "large", PageVersion('"1"', "", "d", "text/html", True), body=b"x" * 3_000_000
    )
    store.versions.put("article", PageVersion("", "", "d"), body=b"<p>article")
    assert store.versions.body("list") == b"<p>list"
    kept = store.versions.get("list")
    assert kept
    assert kept.conditions == {"If-None-Match": '"1"', "If-Modified-Since": day}
    assert (store.versions.get("large"), store.versions.body("article")) == (None, None)
    store.miss("article")
    assert store.versions.get("article") is None


def test_shown_articles_count_by_run_and_know_the_listing_that_showed_them_first(
    store: CrawlStore,
) -> None:
    store.begin("task")
    store.shown.add(["a", "b", "c"], "news")
    store.shown.add(["a"], "tag")
    store.shown.add(["a", "d"], "sport")
    assert (store.shown.count(), store.shown.first()) == (4, set())
    store.finish()
    store.begin("task")
    assert store.shown.count() == 0
    store.shown.add(["a"], "tag")
    assert (store.shown.count(), store.shown.first()) == (1, {"news", "sport"})
    assert store.shown.first(most=1) == {"news"}  # two articles
    store.shown.add(["e"], "sport")
    store.finish()
    store.begin("task")
    assert store.shown.first(most=1) == {"sport"}  # lately


def test_the_columns_of_a_protocol_stay() -> None:
    """A file with other columns is refused as damaged, so a change of them needs another
    protocol."""
    names = " ".join(
        f"{table.name}.{column.name}" for table in CRAWL_TABLES for column in table.columns
    )
    assert (PROTOCOL, crc32(names.encode())) == (8, 2303001394)


def test_sums_of_families_are_those_of_their_pages(store: CrawlStore) -> None:
    """Whatever is recorded, recorded again, withheld and released."""
    store.begin("task")
    families = store.families
    for number, name in enumerate(["a", "b", "a", "b", "c"] * 4):
        log_odds = None if number % 3 == 0 else number / 2
        withheld = {"url": "x"} if number % 2 else None
        kind = PageKind.ARTICLE if number % 5 else PageKind.THREAD
        evidence = FamilyEvidence(name, kind, number % 4 == 0, "Bridge", log_odds)
        families.record(f"page {number % 7}", evidence, digest="d", withheld=withheld)
        if number % 6 == 1:
            families.release(f"page {number % 7}")
    sums = "count(*), sum(dated), sum(weighed), sum(log_odds), count(data)"
    sql = f"SELECT family, {sums} FROM family_pages GROUP BY family ORDER BY family"
    expected = [tuple(row) for row in store.db.rows(sql)]
    found = [
        (one.name, one.pages, one.dated, one.weighed, one.log_odds, one.withheld)
        for one in families.families()
    ]
    assert found == expected
    assert families.withheld_count() == sum(row[-1] for row in expected)


def test_a_visit_that_finds_nothing_new_takes_few_statements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many pages the site has."""
    network = Network(dict(site_pages()), etags=True)
    feed: list[dict[str, object]] = []
    for _ in range(2):
        Crawl.of(network, tmp_path, feed).run()
    network.asked.clear()
    statements = Counter[str]()
    run = Database._run

    def counted(self: Database, sql: str, rows: list[Mapping[str, object]]) -> object:
        statements[sql] += 1
        return run(self, sql, rows)

    monkeypatch.setattr(Database, "_run", counted)
    before = len(feed)
    Crawl.of(network, tmp_path, feed).run()
    assert len(feed) == before
    assert statements.total() <= 50 + 11 * len(network.asked)


def test_revisions_stand_beside_one_another(store: CrawlStore) -> None:
    for revision in (1, 2):
        store.begin("task")
        store.save_item(key(1), {"url": page(1).url, "revision": revision}, digest=f"d{revision}")
        store.save_item(key(revision + 1), {"url": page(revision + 1).url}, digest="d")
        store.finish()
    assert (store.items.digest(key(1)), (store.items.latest(key(1)) or {})["revision"]) == ("d2", 2)
    assert [(item["url"][-1], item.get("revision")) for item in store.items.all()] == [
        ("2", None),
        ("1", 2),
        ("3", None),
    ]
    assert store.db.number("SELECT COUNT(*) FROM items") == 4


@pytest.mark.parametrize(
    ("kind", "known"),
    [(PageKind.ARTICLE, "article"), (PageKind.LISTING, "listing"), (FAILED, "failed")],
)
@pytest.mark.parametrize("skipped", [True, False])
def test_what_an_earlier_run_knew_of_a_page_stays_where_it_is_not_fetched_again(
    store: CrawlStore, kind: str, known: str, skipped: bool
) -> None:
    """The row of an article that a refreshing run had queued was deleted when the run ended, so
    that a later one wrote it again."""
    for queued in (page(1), page(1).again(role=Role.MAYBE), page(2)):
        store.begin("task")
        store.pages.queue(queued)
        if queued == page(1):
            store.pages.done(key(1), kind, shown=6)
        elif skipped:
            store.pages.skip(queued.key)
        store.finish()
        assert (store.pages.asked_for(key(1)) or ("", ""))[1] == known
    assert store.pages.asked_for(key(2)) is None
    assert store.pages.settled([key(1)], earlier=True) == (
        {key(1)} if known == "article" else set()
    )
    assert store.db.number("SELECT sum(shown) FROM pages") == 6


def test_long_keys_are_keys(store: CrawlStore) -> None:
    long = [page("x" * 5_000 + end) for end in "ab"]
    store.begin("task")
    for context in long:
        store.pages.queue(context)
        store.pages.done(context.key, PageKind.ARTICLE)
    assert store.pages.settled([context.key for context in long], earlier=False) == {
        context.key for context in long
    }
    store.begin("task")
    assert store.pages.settled([long[0].key, "none"], earlier=False) == {long[0].key}


def test_articles_that_since_left_out_are_earlier_articles(store: CrawlStore) -> None:
    """A refresh with ``since`` marks articles that were written long ago; the next refresh must ask
    for them."""
    store.begin("task")
    store.pages.queue(page(1))
    store.pages.done(key(1), PageKind.ARTICLE)
    store.relabel(key(1), f"{OLDER}2024-05-07")
    store.finish()
    store.begin("task")
    settled = [
        store.pages.settled([key(1)], earlier=True, since=day)
        for day in ("2024-05-06", "2024-05-07", "")
    ]
    assert settled == [set(), {key(1)}, set()]
    assert [context.url for context in store.pages.earlier_articles()] == [page(1).url]


def test_of_earlier_runs_only_articles_are_settled_and_only_when_asked_for(
    store: CrawlStore,
) -> None:
    store.begin("task")
    for number, kind in enumerate((PageKind.ARTICLE, PageKind.LISTING, FAILED)):
        store.pages.queue(page(number))
        store.pages.done(key(number), kind)
    asked = [key(number) for number in range(4)]
    assert store.pages.settled(asked, earlier=False) == {key(0), key(1)}
    store.finish()
    store.begin("task")
    assert store.pages.settled(asked, earlier=True) == {key(0)}
    assert store.pages.settled(asked, earlier=False) == set()


def hostile_site() -> dict[str, object]:
    """The demonstration site with a NUL and half a surrogate pair wherever a site may put one."""
    pages: dict[str, object] = dict(site_pages())
    links = "".join(
        f"<a href='{href}'>Report of the town</a>"
        for href in ("/x%00y", "/%ed%a0%bd", "/a?b=%00", "/2024/%00/c.html")
    )
    frames = '<script type=\'application/ld+json\'>{"url": "/d\\u0000e\\ud83d", "@type": "NewsArticle"}</script>'
    pages["/"] = Reply(
        pages["/"].replace(b"</body>", f"{links}{frames}</body>".encode()),  # type: ignore[attr-defined]
        kind="text/html; a=\0\ud83d",
        etag='"a\0\ud83d"',
        modified="Mon\0\ud83d",
    )
    return pages


def test_no_text_of_a_stranger_stops_a_database(stores: Stores) -> None:
    feeds = []
    for _ in range(2):
        crawl = Crawl.of(Network(hostile_site()), stores.data_dir, database=stores.database)
        crawl.run()
        assert not crawl.session.visit.broken
        feeds.append(crawl.paths)
    assert feeds == [sorted(article_paths()), []]


def test_the_gate_of_texts_is_the_same_for_keys_that_are_written_and_asked_for(
    store: CrawlStore,
) -> None:
    for key in ("a.example/\0", "a.example/\ud83d", "a.example/\0" * 300):
        store.versions.put(key, PageVersion("\0e", "\ud83dm", key, "\0t"), body=b"")
        found = store.versions.get(key)
        assert found is not None
        assert (found.etag, found.modified, found.type) == ("\ufffde", "?m", "\ufffdt")
        store.save_item(key, {"url": "http://a.example/\0"}, digest=key)
        store.pages.queue(RequestContext(f"http://{key}", Role.ARTICLE))
    assert len(list(store.items.all())) == 3


def test_a_file_system_without_locks_locks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its state was called in use by another crawl, whereas its feeds could be written."""
    opened = locked_file(tmp_path / "a.lock")
    assert opened is not None
    assert locked_file(tmp_path / "a.lock") is None
    os.close(opened)

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    opened = locked_file(tmp_path / "a.lock")
    assert opened is not None
    os.close(opened)
