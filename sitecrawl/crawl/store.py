"""The crawl store: what the crawls of a site must remember, and the stores of a data folder or a
server."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from sitecrawl.crawl import database as tables
from sitecrawl.crawl import site_state
from sitecrawl.crawl.database import Database, SiteRows, short, without_password
from sitecrawl.errors import StoreError
from sitecrawl.items.feed_items import identity, revise

FOLDER = "crawls"  # folder of the data directory that holds a file for each site


class RunEnd(StrEnum):
    """How the last run of a task ended."""

    NONE = ""  # there was no run
    FINISHED = "finished"
    LIMITED = "limited"  # it reached a limit; the next run continues it with a new budget
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """What crawls learned about a whole site."""

    own_urls: Sequence[str] = ()  # URLs of the site on its own hosts that the user did not name
    candidate_urls: Sequence[str] = ()  # URLs on hosts whose names resemble the site's
    browser_duties: Sequence[str] = ()  # duties that need a browser, by `Duty`
    url_counts: str | None = None  # counts of pages by URL pattern, from `UrlStats.kept`


def store_path(data_dir: Path, hosts: Iterable[str]) -> Path:
    """Path of the store of a site's crawls, named by its hosts.

    >>> store_path(Path("data"), {"example.org"}).as_posix(), store_path(Path("data"), {"example.org:81"}).name
    ('data/crawls/example.org.sqlite', 'example.org_81-8085ecd3.sqlite')
    """
    whole = ",".join(sorted(hosts))
    name = re.sub(r"[^a-z0-9.-]", "_", whole)[:100]
    if name != whole:
        name += "-" + hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:8]
    return data_dir / FOLDER / f"{name}.sqlite"


class CrawlStore(SiteRows):
    """State of the crawls of one site, in seven repositories. Verbs raise DatabaseError if the
    database is damaged or cannot be used. Each task (what was asked for) has runs of its own, so
    that tasks of one site do not end each other's interrupted runs. All tasks know what earlier
    runs wrote."""

    def __init__(self, db: Database, site: str) -> None:
        super().__init__(db, short(site))
        self.pages, self.shown = site_state.KnownPages(self), site_state.ShownArticles(self)
        self.versions, self.waiting = site_state.PageVersions(self), site_state.WaitingPages(self)
        self.items, self.families = site_state.WrittenItems(self), site_state.PageFamilyStore(self)
        self.memory = site_state.Memory(self)
        self._facts: SiteFacts | None = None  # as they were read or changed last
        self.at_once, self.close = db.at_once, db.close

    def check(self) -> None:
        """Check for damage; in an SQLite file also the stored pages. Raises DatabaseError."""
        self.db.check()
        for table in ("waiting", "visits") if self.db.path else ():
            for (number,) in self.db.rows(f"SELECT rowid FROM {table} WHERE body IS NOT NULL"):
                body = self.db.row(f"SELECT body FROM {table} WHERE rowid=:row", row=number)[0]
                with self.db.undamaged():
                    zlib.decompress(body)

    def lock(self) -> None:
        """Lock the site until :meth:`close` or the end of this process. Raises StoreError if it is
        locked already."""
        self.db.lock(self.site)

    def fact(self, name: str) -> Any:
        """What crawls stored of the site under this name, as JSON; None for nothing. ``public``:
        hosts and ports that had public addresses, which may not lead to private ones later;
        ``parameters``: what the parameters of its URLs mean, from ``Parameters.to_dict``."""
        found = self.db.fact(f"{name} {self.site}")
        with self.db.undamaged():
            return json.loads(found) if found else None

    def keep_fact(self, name: str, value: Any) -> None:
        self.db.put(tables.FACTS, name=f"{name} {self.site}", value=json.dumps(value))

    def site_facts(self) -> SiteFacts:
        """What earlier crawls learned about the whole site."""
        if self._facts is None:
            names = ", ".join(one.name for one in fields(SiteFacts))
            row = self.row(f"SELECT {names} FROM site_facts WHERE site=:site")
            with self.db.undamaged():
                found = SiteFacts(*(json.loads(text) for text in row)) if row else SiteFacts()
            self._facts = found
        return self._facts

    def change_facts(self, **changes: Any) -> None:
        self._facts = None
        self.db.put(
            tables.SITE_FACTS,
            site=self.site,
            **{name: json.dumps(value) for name, value in changes.items()},
        )

    # ---- runs
    def begin(self, task: str) -> RunEnd:
        """Begin or continue a run of ``task`` (what was asked for); returns how its last run ended.
        An interrupted run continues, a limited one continues with a new budget; else a new run
        begins."""
        last = "SELECT run, ended, items, pages FROM tasks WHERE site=:site AND task=:task"
        run, ended, items, pages = self.row(last, task=task) or (0, RunEnd.NONE, 0, 0)
        if ended in (RunEnd.LIMITED, RunEnd.INTERRUPTED):
            self.run = run
        else:
            self.run = self.number("SELECT max(run) FROM tasks WHERE site=:site") + 1
            self.versions.prune()
            self.memory.clear()
        if ended == RunEnd.LIMITED:
            items, pages = self._counts()
        elif ended != RunEnd.INTERRUPTED:
            items, pages = 0, 0
        row = {"run": self.run, "ended": RunEnd.INTERRUPTED, "items": items, "pages": pages}
        self.db.put(tables.TASKS, site=self.site, task=task, **row)
        self.pages.begin()
        return RunEnd(ended)

    def adopt(self, found: Iterable[tuple[str, dict[str, Any], str]], *, counted: bool) -> None:
        """Store articles (key, item, digest) of a feed that are not known here. They become
        articles of this run, which does not write them again; they count towards its limit only
        with ``counted``."""
        before = self.items.count()
        for key, item, digest in found:
            known = self.items.latest(key)
            if known is None or identity(known) < identity(item):
                self.save_item(key, item, digest=digest)
        if not counted:
            more = self.items.count() - before
            self.write(
                "UPDATE tasks SET items=items+:more WHERE site=:site AND run=:run", more=more
            )

    def finish(self, *, limited: bool = False) -> None:
        """The run ended: by itself, so that the next one is new, or at a limit, so that the next
        one continues it."""
        if not limited:
            self.pages.end()
            self.memory.clear()
        ended = RunEnd.LIMITED if limited else RunEnd.FINISHED
        self.write("UPDATE tasks SET ended=:ended WHERE site=:site AND run=:run", ended=ended)

    def progress(self) -> tuple[int, int]:
        """Numbers of articles written and pages handled since the run began, or got a new limit."""
        items, pages = self._counts()
        before = self.row("SELECT items, pages FROM tasks WHERE site=:site AND run=:run") or (0, 0)
        return items - before[0], pages - before[1]

    def _counts(self) -> tuple[int, int]:
        pages = self.number(
            "SELECT count(*) FROM pages WHERE site=:site AND run=:run AND status='done'"
        )
        return self.items.count(), pages

    # ---- steps that change several repositories
    def write_article(
        self,
        key: str,
        item: dict[str, Any],
        *,
        digest: str,
        modified: str | None = None,
        moved_from: str | None = None,
    ) -> bool:
        """Store an article that is written, as a revision if the page has one already, or the page
        that it ``moved_from``; returns whether it is new. ``modified`` is its ``Last-Modified``."""
        before = self.items.latest(moved_from or key)
        if before and moved_from:
            item["id"] = before.get("id") or item.get("id")
        revise(item, before, modified=modified)
        self.save_item(key, item, digest=digest)
        return not before

    def save_item(self, key: str, item: dict[str, Any], *, digest: str) -> None:
        """Store an item unchanged; its page no longer waits."""
        with self.at_once():
            self.items.put(key, item, digest=digest)
            self.waiting.let_go(key)

    def miss(self, key: str) -> None:
        """A page was unusable: it will be fetched again, unconditionally."""
        self.write(
            "UPDATE pages SET status='queued', kind='', turn=0 WHERE site=:site AND key=:key", key
        )
        self.versions.forget(key)

    def relabel(self, key: str, kind: str) -> None:
        """A page counts as another kind, ``LOST`` or ``OLDER``: a later run fetches it again,
        unconditionally."""
        self.pages.relabel(key, kind)
        self.versions.forget(key)


class SiteStore:
    """The site models as JSON documents (``SiteModel.to_dict``)."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.check, self.close = db.check, db.close
        self._known: dict[str, int] = {}

    @property
    def place(self) -> str:
        return str(self.db.path.parent) if self.db.path else self.db.place

    def sites(self) -> list[str]:
        return sorted(str(name) for (name,) in self.db.rows("SELECT site FROM sites"))

    def load(self, site: str) -> dict[str, Any] | None:
        """The document of a site; None if it is unknown. Raises StoreError if it is damaged."""
        text = self._text(site)
        if text is None:
            return None
        self._known[site] = hash(text)
        with suppress(ValueError):
            if isinstance(found := json.loads(text), dict):
                return found
        remedy = "move it away to start afresh; exported templates can be imported again"
        raise StoreError(self.db.place, "holds a damaged document", remedy)

    def save(self, site: str, document: dict[str, Any]) -> None:
        text = json.dumps(document, ensure_ascii=False)
        self._known[site] = hash(text)
        self.db.put(tables.SITES, site=short(site), document=text)

    @contextmanager
    def alone(self, site: str) -> Iterator[bool | None]:
        """Inside, no other process writes the site. Yields whether another one wrote it since it
        was read or written here; None if it was forgotten since."""
        with self.db.at_once():
            self.db.write(
                "UPDATE sites SET site=site WHERE site=:site", site=short(site)
            )  # waits for others
            text = self._text(site)
            if text is None:
                yield None if site in self._known else False
            else:
                yield hash(text) != self._known.get(site)

    def forget(self, site: str) -> bool:
        """Forget a site; whether it was known."""
        is_known = self._text(site) is not None
        self.db.write("DELETE FROM sites WHERE site=:site", site=short(site))
        return is_known

    def _text(self, site: str) -> str | None:
        row = self.db.row("SELECT document FROM sites WHERE site=:site", site=short(site))
        return str(row[0]) if row else None


_CRAWLED = "SELECT DISTINCT site FROM tasks"


@dataclass(frozen=True)
class Stores:
    """The stores of all sites: on the server of the URL ``database``, or in SQLite files in
    ``data_dir``."""

    data_dir: Path
    database: str = ""

    @property
    def place(self) -> str:
        return without_password(self.database) if self.database else str(self.data_dir)

    def site(self, name: str) -> tuple[CrawlStore, SiteStore]:
        """The crawl store and the model store of a site, named by its hosts with commas. On a
        server both share the connection with the lock."""
        crawl = self.crawl(name)
        return crawl, SiteStore(crawl.db.shared()) if self.database else self.learned()

    def crawl(self, name: str) -> CrawlStore:
        return CrawlStore(
            self._open(store_path(self.data_dir, name.split(",")), tables.CRAWL_TABLES), name
        )

    def learned(self) -> SiteStore:
        return SiteStore(self._open(self.data_dir / "templates.sqlite", tables.SITE_TABLES))

    @property
    def schedule_path(self) -> Path:
        """The file of the schedule, if no server holds it."""
        return self.data_dir / "sites.sqlite"

    def watched(self) -> Database:
        """The database of the sites that are visited on a schedule."""
        return self._open(self.schedule_path, tables.WATCH_TABLES)

    def crawls(self) -> list[CrawlStore]:
        if self.database:
            db = self._open(self.data_dir, tables.SERVER_TABLES)
            names = sorted(str(name) for (name,) in db.rows(_CRAWLED))
            return [CrawlStore(db.shared(), name) for name in names]
        files = sorted((self.data_dir / FOLDER).glob("*.sqlite"))
        found = [Database(path, tables.CRAWL_TABLES) for path in files]
        return [CrawlStore(db, str(name)) for db in found for (name,) in db.rows(_CRAWLED)]

    def _open(self, path: Path, made: Sequence[sa.Table]) -> Database:
        """The SQLite file with these tables, or the server, which has all tables."""
        return (
            Database(self.database, tables.SERVER_TABLES) if self.database else Database(path, made)
        )
