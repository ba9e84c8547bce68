"""The crawl store: what the crawls of a site must not forget, and the stores of a data folder or a server."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam
from sqlalchemy.dialects.postgresql import insert

from sitecrawl.crawl.database import (
    CRAWL_TABLES,
    FACTS,
    ITEMS,
    PAGES,
    SERVER_TABLES,
    SHOWN,
    SITE_TABLES,
    SITES,
    TASKS,
    VISITS,
    WAITING,
    WATCH_TABLES,
    Database,
    short,
    without_password,
)
from sitecrawl.crawl.records import ArticlePage, RequestContext, WaitingPage
from sitecrawl.errors import StoreError
from sitecrawl.items.feed_items import identity
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS

FOLDER = "crawls"
"""Folder of the data directory that holds a file for each site."""
_AT_ONCE = 200
"""Known articles read at a time."""
_WAITING, _KEPT_LONG = 0, 1
"""Levels of compression: most pages that wait are gone a few pages later, so that to pack them costs more than to write them."""
_ANSWERED = "answered:"
"""What the cluster of a page begins with whose article left, and may leave again as a revision."""
_DOCUMENT_REMEDY = "move it away to start afresh; exported templates can be imported again"


class RunEnd(StrEnum):
    """What became of the last run of a task."""

    NONE = ""
    """There was none."""
    FINISHED = "finished"
    LIMITED = "limited"
    """It came to a limit; the next one goes on from there with a new budget."""
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class DonePage:
    """A page that was dealt with: what it was asked for as, what it was, how many articles and new articles it led to.

    ``kind`` is None for a page that could not be fetched or read.
    """

    context: RequestContext
    kind: PageKind | None
    shown: int
    brought: int


@dataclass(frozen=True, slots=True)
class Visit:
    """Validators (``ETag``, ``Last-Modified``), digest and ``Content-Type`` of a page as it was last fetched.

    ``kept`` tells that its bytes were kept as well: those of articles that left are not, nobody reads them again.
    """

    etag: str = ""
    modified: str = ""
    digest: str = ""
    type: str = ""
    kept: bool = False

    @property
    def conditions(self) -> dict[str, str]:
        """Headers that ask for the page only if it changed (RFC 9110, section 13)."""
        known = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: value for name, value in known.items() if value}


def page_digest(body: bytes) -> str:
    """Digest of a page byte for byte."""
    return hashlib.sha1(body, usedforsecurity=False).hexdigest()


def store_path(data_dir: Path, hosts: Iterable[str]) -> Path:
    """Where the store of a site's crawls lies: a file named by its hosts.

    >>> store_path(Path("data"), {"example.org"}).as_posix(), store_path(Path("data"), {"example.org:81"}).name
    ('data/crawls/example.org.sqlite', 'example.org_81-8085ecd3.sqlite')
    """
    whole = ",".join(sorted(hosts))
    name = re.sub(r"[^a-z0-9.-]", "_", whole)[:100]
    if name != whole:
        name += "-" + hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:8]
    return data_dir / FOLDER / f"{name}.sqlite"


def _of_site(table: sa.Table) -> sa.ColumnElement[bool]:
    return table.c.site == bindparam("at_site")


def _of_key(table: sa.Table) -> sa.ColumnElement[bool]:
    return sa.and_(_of_site(table), table.c.key == bindparam("at_key"))


def _of_run(table: sa.Table) -> sa.ColumnElement[bool]:
    return sa.and_(_of_site(table), table.c.run == bindparam("at_run"))


def _put(table: sa.Table, *names: str) -> sa.Executable:
    """A row in place of the one with the same key, of which the columns not named stay."""
    unique = next((key for key in table.constraints if isinstance(key, sa.UniqueConstraint)), table.primary_key)
    statement = insert(table)
    return statement.on_conflict_do_update(
        index_elements=[column.name for column in unique.columns],
        set_={name: statement.excluded[name] for name in names},
    )


_DONE = sa.and_(_of_site(PAGES), PAGES.c.status == "done")
_IS_ARTICLE = PAGES.c.kind.in_((PageKind.ARTICLE, PageKind.THREAD))
_SETTLED = sa.and_(
    _DONE,
    PAGES.c.kind != "failed",
    sa.or_(PAGES.c.run == bindparam("at_run"), sa.and_(bindparam("earlier", type_=sa.Boolean), _IS_ARTICLE)),
)
_NEWER = ITEMS.alias("newer")
_IS_LAST = ~sa.exists().where(
    _NEWER.c.site == ITEMS.c.site, _NEWER.c.key == ITEMS.c.key, _NEWER.c.revision > ITEMS.c.revision
)

_GET_FACT = sa.select(FACTS.c.value).where(_of_site(FACTS), FACTS.c.name == bindparam("at_name"))
_PUT_FACT = _put(FACTS, "value")
_LAST_TURN = sa.select(sa.func.max(PAGES.c.turn)).where(_DONE)
_GET_TASK = sa.select(TASKS.c.run, TASKS.c.ended, TASKS.c["items"], TASKS.c.pages).where(
    _of_site(TASKS), TASKS.c.task == bindparam("at_task")
)
_GET_TASKS = sa.select(TASKS.c.task, TASKS.c.run, TASKS.c.ended).where(_of_site(TASKS)).order_by(TASKS.c.run)
_LAST_RUN = sa.select(sa.func.max(TASKS.c.run)).where(_of_site(TASKS))
_PUT_TASK = _put(TASKS, "run", "ended", "items", "pages")
_CHANGE_TASK = sa.update(TASKS).where(_of_run(TASKS))
_COUNT_ITEMS = sa.select(sa.func.count(sa.distinct(ITEMS.c.key))).where(_of_run(ITEMS))
_COUNT_DONE = sa.select(sa.func.count()).select_from(PAGES).where(_of_run(PAGES), PAGES.c.status == "done")

_PUT_PAGE = _put(PAGES, "run", "status", "kind", "brought", "context")
_CHANGE_PAGE = sa.update(PAGES).where(_of_key(PAGES))
_GET_QUEUED = (
    sa.select(PAGES.c.context).where(_of_run(PAGES), PAGES.c.status == "queued").order_by(PAGES.c.run, PAGES.c.seq)
)
_DROP_QUEUED = sa.delete(PAGES).where(_of_run(PAGES), PAGES.c.status == "queued")
_GET_DONE = (
    sa.select(PAGES.c.context, PAGES.c.kind, PAGES.c.shown, PAGES.c.brought)
    .where(_of_run(PAGES), PAGES.c.status == "done")
    .order_by(PAGES.c.turn.desc())
    .limit(bindparam("most"))
)
_GET_PAGE = sa.select(PAGES.c.context, PAGES.c.status, PAGES.c.kind).where(_of_key(PAGES))
_GET_UNCOUNTED = (
    sa.select(PAGES.c.key, PAGES.c.context, PAGES.c.kind)
    .where(_DONE, PAGES.c.counted == 0)
    .order_by(PAGES.c.turn)
    .limit(bindparam("most"))
)
_GET_SETTLED = sa.select(PAGES.c.key).where(_SETTLED, PAGES.c.key.in_(bindparam("keys", expanding=True)))
_ANY_DONE = sa.select(PAGES.c.seq).where(_DONE).limit(1)
_GET_EARLIER = (
    sa.select(PAGES.c.seq, PAGES.c.context)
    .where(_DONE, _IS_ARTICLE, PAGES.c.run != bindparam("at_run"), PAGES.c.seq < bindparam("below"))
    .order_by(PAGES.c.seq.desc())
    .limit(_AT_ONCE)
)
_GET_KINDS = sa.select(PAGES.c.context, PAGES.c.kind).where(_of_site(PAGES))

_TIMES = SHOWN.c.times
_SHOW = insert(SHOWN)
_SHOW = _SHOW.on_conflict_do_update(
    index_elements=["site", "key"],
    set_={
        "times": sa.case(
            (SHOWN.c.run != _SHOW.excluded.run, 1),
            (SHOWN.c.listing == _SHOW.excluded.listing, _TIMES),
            else_=_TIMES + 1,
        ),
        "run": _SHOW.excluded.run,
        "listing": _SHOW.excluded.listing,
    },
)
_SIGHTINGS = sa.select(
    sa.func.count(), sa.func.sum(sa.case((_TIMES == 1, 1), else_=0)), sa.func.sum(sa.case((_TIMES == 2, 1), else_=0))
).where(_of_run(SHOWN))

_IS_SHOWN = sa.select(_TIMES).where(_of_key(SHOWN))
_KEYS: sa.BindParameter[Any] = bindparam("keys", expanding=True)
_GET_OFTEN = sa.select(SHOWN.c.key).where(_of_run(SHOWN), _TIMES > 1, SHOWN.c.key.in_(_KEYS))
_GET_LEFT = sa.select(ITEMS.c.key).where(_of_site(ITEMS), ITEMS.c.key.in_(_KEYS)).distinct()

_HOLD = insert(WAITING)
_LET_GO = sa.delete(WAITING).where(_of_key(WAITING))
_HELD = (
    sa.select(WAITING.c.key).where(_of_run(WAITING), ~WAITING.c.cluster.startswith(_ANSWERED)).order_by(WAITING.c.seq)
)
_HELD_TOGETHER = _HELD.where(WAITING.c.cluster == bindparam("at_cluster"))
_GET_HELD = sa.select(WAITING.c.page, WAITING.c.body).where(_of_key(WAITING))
_HELD_ANSWERS = sa.select(WAITING.c.key).where(_of_site(WAITING), WAITING.c.cluster == bindparam("at_cluster"))
_HELD_ANSWERS = _HELD_ANSWERS.order_by(WAITING.c.seq)
_ALL_HELD = sa.select(WAITING.c.key, WAITING.c.run, WAITING.c.cluster).where(_of_site(WAITING)).order_by(WAITING.c.seq)

_PUT_ITEM = _put(ITEMS, "run", "digest", "data")
_LATEST = sa.select(ITEMS.c.data, ITEMS.c.digest, ITEMS.c.run).where(_of_key(ITEMS))
_LATEST = _LATEST.order_by(ITEMS.c.revision.desc()).limit(1)
_COUNT_KEYS = (
    sa.select(sa.func.count()).select_from(ITEMS).where(_of_site(ITEMS), _IS_LAST, ITEMS.c.run != bindparam("at_run"))
)
_ANY_ITEM = sa.select(ITEMS.c.seq).where(_of_site(ITEMS)).limit(1)
_FURTHER = ITEMS.c.seq > bindparam("beyond")
_ITEMS_OF_RUN = (
    sa.select(ITEMS.c.seq, ITEMS.c.data).where(_of_run(ITEMS), _FURTHER).order_by(ITEMS.c.seq).limit(_AT_ONCE)
)
_ALL_ITEMS = sa.select(ITEMS.c.seq, ITEMS.c.data).where(_of_site(ITEMS), _IS_LAST, _FURTHER)
_ALL_ITEMS = _ALL_ITEMS.order_by(ITEMS.c.seq).limit(_AT_ONCE)

_PUT_VISIT = _put(VISITS, "run", "etag", "modified", "digest", "type", "body")
_GET_VISIT = sa.select(
    VISITS.c.etag, VISITS.c.modified, VISITS.c.digest, VISITS.c.type, VISITS.c.body.is_not(None)
).where(_of_key(VISITS))
_GET_BODY = sa.select(VISITS.c.body).where(_of_key(VISITS))
_DROP_VISIT = sa.delete(VISITS).where(_of_key(VISITS))
_KEPT = (
    sa.select(VISITS.c.key)
    .where(_of_site(VISITS), VISITS.c.body.is_not(None))
    .order_by(VISITS.c.run.desc(), VISITS.c.key)
    .limit(LIMITS.kept_pages)
)
_PRUNE_VISITS = sa.delete(VISITS).where(_of_site(VISITS), VISITS.c.body.is_not(None), VISITS.c.key.not_in(_KEPT))

_ROW: sa.ColumnClause[int] = sa.literal_column("rowid")
_PACKED = [
    (
        sa.select(_ROW).select_from(table).where(table.c.body.is_not(None)),
        sa.select(table.c.body).where(bindparam("at_row") == _ROW),
    )
    for table in (WAITING, VISITS)
]
"""Of an SQLite file: numbers of the rows that hold a page, and the page of one."""

_CRAWLED = sa.select(TASKS.c.site).distinct()
_GET_SITES = sa.select(SITES.c.site).order_by(SITES.c.site)
_GET_DOCUMENT = sa.select(SITES.c.document).where(_of_site(SITES))
_PUT_DOCUMENT = _put(SITES, "document")
_DROP_DOCUMENT = sa.delete(SITES).where(_of_site(SITES))


class CrawlStore:
    """State of the crawls of one site. Its verbs raise DatabaseError where the database is damaged or cannot be used.

    A task is what was asked for; each has runs of its own, so that tasks of one site do not end one another's interrupted
    runs. What earlier runs wrote is known to all.
    """

    def __init__(self, db: Database, site: str) -> None:
        self.db, self.site = db, short(site)
        self.run = 0
        self._turn = 0
        self._before = (0, 0)
        self._waiting: dict[str, tuple[int, str]] | None = None
        """Run and cluster of each page that is kept, by key, the oldest first; None until it is asked for."""
        self._left: dict[str, Any] = {}
        self._visits: dict[str, Visit | None] = {}
        """What was read of the pages under way: each row is read once a step or request."""

    def check(self) -> None:
        """Look for damage, in an SQLite file also in the pages that wait or are kept. Raises DatabaseError."""
        self.db.check()
        for numbers, packed in _PACKED if self.db.path else ():
            for (number,) in self.db.rows(numbers):
                with self.db.undamaged():
                    zlib.decompress(self.db.row(packed, at_row=number)[0])

    def lock(self) -> None:
        """Keep others out until :meth:`close` or the end of this process. Raises StoreError where one holds the lock."""
        self.db.lock(self.site)

    def close(self) -> None:
        """Close the database and let others in."""
        self.db.close()

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Make what is written inside one transaction: all of it, or, after a kill or an error, nothing.

        Raises DatabaseError where the database cannot be read or written.
        """
        done = False
        try:
            with self.db.at_once():
                yield
            done = True
        finally:
            if not done:
                self._forget()

    def _forget(self) -> None:
        """What was read may be no more: read it anew."""
        self._waiting = None
        self._left.clear()
        self._visits.clear()

    def _at(self, key: str) -> dict[str, str]:
        return {"at_site": self.site, "at_key": short(key)}

    def _now(self) -> dict[str, Any]:
        return {"at_site": self.site, "at_run": self.run}

    def fact(self, name: str) -> str | None:
        """A value kept by name, None without one."""
        row = self.db.row(_GET_FACT, at_site=self.site, at_name=name)
        return str(row[0]) if row else None

    def set_fact(self, name: str, value: str) -> None:
        """Keep a value by name."""
        self.db.write(_PUT_FACT, site=self.site, name=name, value=value)

    # ---- runs
    def begin(self, task: str) -> RunEnd:
        """Begin a run of ``task`` (what was asked for), or go on with its last one; what became of that.

        An interrupted run goes on where it was, a limited one with a new budget; else a new run begins.
        """
        run, ended, items, pages = self.db.row(_GET_TASK, at_site=self.site, at_task=task) or (0, "", 0, 0)
        if ended in (RunEnd.LIMITED, RunEnd.INTERRUPTED):
            self.run = run
        else:
            self.run = self.db.number(_LAST_RUN, at_site=self.site) + 1
            self.db.write(_PRUNE_VISITS, at_site=self.site)
        if ended != RunEnd.INTERRUPTED:
            items, pages = self._counts()
        self.db.write(
            _PUT_TASK, site=self.site, task=task, run=self.run, ended=RunEnd.INTERRUPTED, items=items, pages=pages
        )
        self._before = items, pages
        self._turn = self.db.number(_LAST_TURN, at_site=self.site)
        return RunEnd(ended)

    def adopt(self, found: Iterable[tuple[str, dict[str, Any], str]], counted: bool) -> None:
        """Keep articles (key, item, digest) that left, as their feed tells, and that are not known here.

        They are articles of this run, which writes none of them again; towards its limit they count only where ``counted``.
        """
        before, _ = self._counts()
        for key, item, digest in found:
            known = self.item(key)
            if known is None or identity(known) < identity(item):
                self.save_item(key, item, digest)
        more = 0 if counted else self._counts()[0] - before
        self._before = self._before[0] + more, self._before[1]
        self.db.write(_CHANGE_TASK, **self._now(), items=self._before[0])

    def finish(self, limited: bool = False) -> None:
        """The run came to its own end and the next one is a new one, or to a limit and goes on from there."""
        if not limited:
            self.db.write(_DROP_QUEUED, **self._now())
            for family in self.answered_families():
                self.forget_answered(family)
        self.db.write(_CHANGE_TASK, **self._now(), ended=RunEnd.LIMITED if limited else RunEnd.FINISHED)

    def progress(self) -> tuple[int, int]:
        """Articles that left and pages dealt with since the run began, or went on with a new budget."""
        (items, pages), before = self._counts(), self._before
        return items - before[0], pages - before[1]

    def _counts(self) -> tuple[int, int]:
        return self.db.number(_COUNT_ITEMS, **self._now()), self.db.number(_COUNT_DONE, **self._now())

    def tasks(self) -> list[tuple[str, int, str]]:
        """What was asked for, the last run of it, and how that ended."""
        return [(str(task), int(run), str(ended)) for task, run, ended in self.db.rows(_GET_TASKS, at_site=self.site)]

    # ---- pages
    def queue(self, context: RequestContext) -> None:
        """A page is to be fetched."""
        self.db.write(
            _PUT_PAGE,
            site=self.site,
            key=short(context.key),
            run=self.run,
            status="queued",
            kind="",
            brought=0,
            context=json.dumps(context.to_dict(), ensure_ascii=False),
        )

    def done(self, key: str, kind: PageKind | None, shown: int = 0, brought: int = 0) -> None:
        """A page was dealt with: its kind (None where it is of no use), the articles that it showed, the new ones among them."""
        self._visits.pop(key, None)
        self._turn += 1
        found = {"kind": str(kind or "failed"), "shown": shown, "brought": brought, "turn": self._turn}
        self.db.write(_CHANGE_PAGE, **self._at(key), status="done", **found)

    def miss(self, key: str) -> None:
        """A page was fetched in vain: it is to be fetched again."""
        self.db.write(_CHANGE_PAGE, **self._at(key), status="queued", kind="")
        self.forget_visit(key)

    def queued(self) -> list[RequestContext]:
        """The pages that this run has still to fetch, in the order in which they were found."""
        return [self._context(text) for (text,) in self.db.rows(_GET_QUEUED, **self._now())]

    def done_pages(self, most: int) -> list[DonePage]:
        """The pages of this run dealt with last, the oldest of them first."""
        rows = self.db.rows(_GET_DONE, **self._now(), most=most)
        return [
            DonePage(self._context(text), _kind(kind), shown, brought) for text, kind, shown, brought in reversed(rows)
        ]

    def asked_for(self, key: str) -> tuple[RequestContext, str] | None:
        """What a page was asked for as, and what became of it: the kind of the page, ``failed`` or ``queued``. None for a page that is not known."""
        row = self.db.row(_GET_PAGE, **self._at(key))
        return (self._context(row[0]), str(row[2] if row[1] == "done" else row[1])) if row else None

    def count_pages(self, most: int = 1_000) -> Iterator[tuple[str, PageKind | None]]:
        """URL and kind of each page dealt with that was not counted yet; each is counted once."""
        while rows := self.db.rows(_GET_UNCOUNTED, at_site=self.site, most=most):
            for key, text, kind in rows:
                yield self._context(text).url, _kind(kind)
                self.db.write(_CHANGE_PAGE, **self._at(key), counted=1)

    def has_history(self) -> bool:
        """Whether any page of the site was dealt with before."""
        return bool(self.db.rows(_ANY_DONE, at_site=self.site))

    def settled(self, keys: Sequence[str], earlier: bool) -> set[str]:
        """Those of the keys whose pages were dealt with in this run or, with ``earlier``, were articles of earlier runs."""
        found = set[str]()
        for start in range(0, len(keys), _AT_ONCE):
            names = {short(key): key for key in keys[start : start + _AT_ONCE]}
            rows = self.db.rows(_GET_SETTLED, **self._now(), earlier=earlier, keys=list(names))
            found.update(names[name] for (name,) in rows)
        return found

    def earlier_articles(self) -> Iterator[RequestContext]:
        """The articles of earlier runs that this run has not asked for, the latest first; read bit by bit."""
        last = 1 << 62
        while rows := self.db.rows(_GET_EARLIER, **self._now(), below=last):
            yield from (self._context(text) for _, text in rows)
            last = rows[-1][0]

    def kinds_of_pages(self) -> list[tuple[str, str, int]]:
        """Role, kind and number of the pages known, the most first."""
        found = Counter(
            (str(self._context(text).role), str(kind)) for text, kind in self.db.rows(_GET_KINDS, at_site=self.site)
        )
        return [(role, kind, count) for (role, kind), count in found.most_common()]

    # ---- sightings
    def show(self, keys: Iterable[str], listing: str) -> None:
        """A listing, all its pages taken as one, shows these articles."""
        for key in keys:
            self.db.write(_SHOW, site=self.site, key=short(key), run=self.run, times=1, listing=listing)

    def is_shown(self, key: str) -> bool:
        """Whether a listing shows an article."""
        return self.db.row(_IS_SHOWN, at_site=self.site, at_key=short(key)) is not None

    def seldom_shown(self, keys: AbstractSet[str]) -> set[str]:
        """Those of the keys whose articles left, and that one listing of this run shows at most."""
        found, asked = set[str](), sorted(keys)
        for start in range(0, len(asked), _AT_ONCE):
            names = {short(key): key for key in asked[start : start + _AT_ONCE]}
            left = {name for (name,) in self.db.rows(_GET_LEFT, at_site=self.site, keys=list(names))}
            often = {name for (name,) in self.db.rows(_GET_OFTEN, **self._now(), keys=list(left))} if left else set()
            found.update(names[name] for name in left - often)
        return found

    def sightings(self) -> tuple[int, int, int]:
        """Number of the articles that listings of this run showed, of those shown by one listing only, and by two."""
        count, once, twice = self.db.rows(_SIGHTINGS, **self._now())[0]
        return int(count), int(once or 0), int(twice or 0)

    # ---- waiting pages
    def hold(self, waiting: WaitingPage, cluster: str) -> None:
        """Keep a page until its ``cluster`` (a family, or the parts of an article) may go."""
        self.let_go(waiting.page.key)
        self._kept_pages()[short(waiting.page.key)] = self.run, cluster
        self.db.write(
            _HOLD,
            site=self.site,
            key=short(waiting.page.key),
            run=self.run,
            cluster=cluster,
            page=json.dumps(waiting.page.to_dict()),
            body=zlib.compress(waiting.body, _WAITING),
        )

    def held(self, cluster: str | None = None) -> Iterator[WaitingPage]:
        """Waiting pages of this run, those of one cluster or all."""
        if cluster is None:
            rows = self.db.rows(_HELD, **self._now())
        else:
            rows = self.db.rows(_HELD_TOGETHER, **self._now(), at_cluster=cluster)
        yield from self._pages_of(rows)

    def _pages_of(self, rows: Sequence[Any]) -> Iterator[WaitingPage]:
        for (key,) in rows:
            row = self.db.row(_GET_HELD, **self._at(key))
            if row:
                with self.db.undamaged():
                    waiting = WaitingPage(ArticlePage.from_dict(json.loads(row[0])), zlib.decompress(row[1]))
                yield waiting

    def held_count(self) -> int:
        """Number of the waiting pages of this run."""
        kept = self._kept_pages().values()
        return sum(run == self.run and not cluster.startswith(_ANSWERED) for run, cluster in kept)

    def let_go(self, key: str) -> None:
        """A page waits no more."""
        if self._kept_pages().pop(short(key), None) is not None:
            self.db.write(_LET_GO, **self._at(key))

    def _kept_pages(self) -> dict[str, tuple[int, str]]:
        if self._waiting is None:
            rows = self.db.rows(_ALL_HELD, at_site=self.site)
            self._waiting = {str(key): (int(run), str(cluster)) for key, run, cluster in rows}
        return self._waiting

    # ---- pages whose article left
    def keep_answered(self, page: WaitingPage, family: str) -> None:
        """Keep a page whose article left by a template that the next pages may prove wrong; the newest of a family are kept."""
        self.hold(page, _ANSWERED + family)
        for key in self._answered(family)[: -LIMITS.answered]:
            self._drop_answered(key)

    def answered(self, family: str) -> Iterator[WaitingPage]:
        """The pages kept of a family whose articles left."""
        return self._pages_of(self.db.rows(_HELD_ANSWERS, at_site=self.site, at_cluster=_ANSWERED + family))

    def answered_families(self) -> list[str]:
        """The families that such pages are kept of."""
        clusters = {cluster for _, cluster in self._kept_pages().values()}
        return sorted(cluster.removeprefix(_ANSWERED) for cluster in clusters if cluster.startswith(_ANSWERED))

    def forget_answered(self, family: str) -> None:
        """What left for the pages of a family holds."""
        for key in self._answered(family):
            self._drop_answered(key)

    def _answered(self, family: str) -> list[str]:
        return [key for key, (_, cluster) in self._kept_pages().items() if cluster == _ANSWERED + family]

    def _drop_answered(self, key: str) -> None:
        del self._kept_pages()[key]
        self.db.write(_LET_GO, at_site=self.site, at_key=key)

    # ---- articles
    def save_item(self, key: str, item: dict[str, Any], digest: str) -> None:
        """An article leaves: kept beside its earlier revisions, so that a feed cut short can be completed."""
        data = zlib.compress(json.dumps(item, ensure_ascii=False).encode("utf-8", "surrogatepass"), _KEPT_LONG)
        revision = int(item.get("revision") or 1)
        with self.at_once():
            self._left.pop(key, None)
            row = {"site": self.site, "key": short(key), "revision": revision, "run": self.run}
            self.db.write(_PUT_ITEM, **row, digest=digest, data=data)
            self.let_go(key)

    def item(self, key: str) -> dict[str, Any] | None:
        """The article that left last for a page."""
        row = self._latest(key)
        return self._item(row[0]) if row else None

    def _latest(self, key: str) -> Any:
        """Data, digest and run of the article that left last for a page, None without one."""
        if key not in self._left:
            if len(self._left) > _AT_ONCE:
                self._left.clear()
            self._left[key] = self.db.row(_LATEST, **self._at(key))
        return self._left[key]

    def has_left(self, key: str) -> bool:
        """Whether an article left for a page in this run: one revision a run, however often a run is interrupted."""
        row = self._latest(key)
        return row is not None and row[2] == self.run

    def item_digest(self, key: str) -> str | None:
        """Digest of the article that left last for a page."""
        row = self._latest(key)
        return str(row[1]) if row else None

    def has_items(self) -> bool:
        """Whether any article of the site ever left."""
        return bool(self.db.rows(_ANY_ITEM, at_site=self.site))

    def items_of_run(self) -> Iterator[dict[str, Any]]:
        """Articles that left in this run, in order; read bit by bit."""
        return self._items(_ITEMS_OF_RUN, self._now())

    def all_items(self) -> Iterator[dict[str, Any]]:
        """Articles of all runs in their latest revision, in order; read bit by bit."""
        return self._items(_ALL_ITEMS, {"at_site": self.site})

    def _items(self, statement: sa.Executable, given: dict[str, Any]) -> Iterator[dict[str, Any]]:
        last = 0
        while rows := self.db.rows(statement, **given, beyond=last):
            yield from (self._item(data) for _, data in rows)
            last = rows[-1][0]

    def leaves_out(self, task: str) -> int:
        """Number of the articles known that the next run of ``task`` will not write again, unless they change."""
        row = self.db.row(_GET_TASK, at_site=self.site, at_task=task)
        going_on = row[0] if row and row[1] == RunEnd.INTERRUPTED else -1
        return self.db.number(_COUNT_KEYS, at_site=self.site, at_run=going_on)

    # ---- visits
    def last_visit(self, key: str) -> Visit | None:
        """What a page said of its own version when it was last fetched."""
        if key not in self._visits:
            row = self.db.row(_GET_VISIT, **self._at(key))
            self._visits[key] = Visit(row[0], row[1], row[2], row[3], bool(row[4])) if row else None
        return self._visits[key]

    def visited_body(self, key: str) -> bytes | None:
        """The page as it was last fetched, where it was kept."""
        row = self.db.row(_GET_BODY, **self._at(key))
        with self.db.undamaged():
            return zlib.decompress(row[0]) if row and row[0] is not None else None

    def remember_visit(self, key: str, visit: Visit, body: bytes) -> None:
        """A page was dealt with; ``body`` is kept where ``visit`` says so. A page too large to be kept is forgotten."""
        self._visits.pop(key, None)
        if visit.kept and len(body) > LIMITS.kept_bytes:
            self.forget_visit(key)
            return
        said = {"etag": visit.etag, "modified": visit.modified, "digest": visit.digest, "type": visit.type}
        data = zlib.compress(body, _KEPT_LONG) if visit.kept else None
        self.db.write(_PUT_VISIT, site=self.site, key=short(key), run=self.run, **said, body=data)

    def forget_visit(self, key: str) -> None:
        """Let the next request for a page be one without a condition."""
        self._visits.pop(key, None)
        self.db.write(_DROP_VISIT, **self._at(key))

    def _context(self, text: str) -> RequestContext:
        with self.db.undamaged():
            return RequestContext.from_dict(json.loads(text))

    def _item(self, data: bytes) -> dict[str, Any]:
        with self.db.undamaged():
            return dict(json.loads(zlib.decompress(data)))


def _kind(name: str) -> PageKind | None:
    return None if name in ("", "failed") else PageKind(name)


class SiteStore:
    """What was learned of sites, one JSON document (that of ``SiteModel.to_dict``) each."""

    def __init__(self, db: Database) -> None:
        self.db = db

    @property
    def place(self) -> str:
        """The folder or the server."""
        return str(self.db.path.parent) if self.db.path else self.db.place

    def check(self) -> None:
        """Look for damage. Raises DatabaseError."""
        self.db.check()

    def sites(self) -> list[str]:
        """Names of the sites, in order."""
        return sorted(str(name) for (name,) in self.db.rows(_GET_SITES))

    def load(self, site: str) -> dict[str, Any] | None:
        """The document of a site, None when it is not known. Raises StoreError when it is damaged."""
        row = self.db.row(_GET_DOCUMENT, at_site=short(site))
        return self._decoded(row[0]) if row else None

    def _decoded(self, text: str) -> dict[str, Any]:
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise StoreError(self.db.place, "holds a damaged document", _DOCUMENT_REMEDY)
        return found

    def save(self, site: str, document: dict[str, Any]) -> None:
        """Keep a site's document in place of the one before."""
        self.db.write(_PUT_DOCUMENT, site=short(site), document=json.dumps(document, ensure_ascii=False))

    def forget(self, site: str) -> bool:
        """Forget a site; whether it was known."""
        known = self.db.row(_GET_DOCUMENT, at_site=short(site))
        self.db.write(_DROP_DOCUMENT, at_site=short(site))
        return known is not None

    def close(self) -> None:
        """Close the database."""
        self.db.close()


@dataclass(frozen=True)
class Stores:
    """Where the state of all sites is: on the server that ``database`` names, or in SQLite files in ``data_dir``."""

    data_dir: Path
    database: str = ""

    @property
    def place(self) -> str:
        """The folder or the server."""
        return without_password(self.database) if self.database else str(self.data_dir)

    def site(self, name: str) -> tuple[CrawlStore, SiteStore]:
        """The stores of a site's crawls and of what was learned, by its hosts with commas between.

        On a server they share the connection that holds the lock of the site.
        """
        if self.database:
            db = self._server()
            return CrawlStore(db, name), SiteStore(db.shared())
        return self.crawl(name), self.learned()

    def crawl(self, name: str) -> CrawlStore:
        """The store of a site's crawls."""
        if self.database:
            return CrawlStore(self._server(), name)
        return CrawlStore(Database(store_path(self.data_dir, name.split(",")), CRAWL_TABLES, name), name)

    def learned(self) -> SiteStore:
        """The store of what was learned of all sites."""
        if self.database:
            return SiteStore(self._server())
        return SiteStore(Database(self.data_dir / "templates.sqlite", SITE_TABLES))

    def crawls(self) -> list[CrawlStore]:
        """The stores of all sites that were crawled, by name."""
        if self.database:
            db = self._server()
            names = [str(name) for (name,) in db.rows(_CRAWLED)]
            return [CrawlStore(db.shared(), name) for name in sorted(names)]
        found = [Database(path, CRAWL_TABLES) for path in sorted((self.data_dir / FOLDER).glob("*.sqlite"))]
        return [CrawlStore(db, str(name)) for db in found for (name,) in db.rows(_CRAWLED)]

    def _server(self) -> Database:
        return Database(self.database, SERVER_TABLES)

    def watched(self) -> Database:
        """The database of the sites that are visited again and again."""
        return self._server() if self.database else Database(self.data_dir / "sites.sqlite", WATCH_TABLES)
