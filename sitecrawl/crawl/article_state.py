"""What the crawls of a site keep of its articles: the pages that wait until theirs may leave, and the items that left."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from sitecrawl.crawl.database import ITEMS, ROWS_AT_ONCE, WAITING, SiteRows, of_key, of_run, of_site, short, upsert
from sitecrawl.crawl.records import ArticlePage, WaitingPage, WaitKind
from sitecrawl.limits import LIMITS
from sitecrawl.records_json import from_document, to_document

_HOLD = sa.insert(WAITING)
_LET_GO = sa.delete(WAITING).where(of_key(WAITING))
_FOR_THE_SAME = sa.and_(WAITING.c.kind == bindparam("at_kind"), WAITING.c.of == bindparam("at_of"))
_HELD = sa.select(WAITING.c.key).where(of_run(WAITING), WAITING.c.kind != WaitKind.ANSWERED).order_by(WAITING.c.seq)
_HELD_TOGETHER = _HELD.where(_FOR_THE_SAME)
_ANSWERED = sa.select(WAITING.c.key).where(of_site(WAITING), _FOR_THE_SAME).order_by(WAITING.c.seq)
_GET_HELD = sa.select(WAITING.c.page, WAITING.c.body).where(of_key(WAITING))
_ALL_HELD = sa.select(WAITING.c.key, WAITING.c.run, WAITING.c.kind, WAITING.c.of).where(of_site(WAITING))
_ALL_HELD = _ALL_HELD.order_by(WAITING.c.seq)


class _Waiting(NamedTuple):
    """The run in which a page began to wait, and for what."""

    run: int
    kind: WaitKind
    of: str


@dataclass
class WaitingPages:
    """The pages whose articles have not left, or may leave again as revisions."""

    at: SiteRows
    _read: dict[str, _Waiting] | None = None
    """The pages that wait, by key, the oldest first; None until it is asked for."""

    def reread(self) -> None:
        """Forget what was read: a transaction was undone."""
        self._read = None

    def hold(self, waiting: WaitingPage, kind: WaitKind, *, of: str = "") -> None:
        """Keep a page until what it waits for has come; ``of`` names a family, or the first part of an article by its key."""
        key = waiting.page.key
        self.let_go(key)
        self._known()[short(key)] = _Waiting(self.at.run, kind, of)
        page, body = json.dumps(to_document(waiting.page)), zlib.compress(waiting.body, 0)
        # Level 0: most pages are gone a few pages later, so that packing them costs more than writing them.
        self.at.db.write(_HOLD, **self.at.row(key), run=self.at.run, kind=kind, of=of, page=page, body=body)

    def held(self, kind: WaitKind | None = None, *, of: str = "") -> Iterator[WaitingPage]:
        """Waiting pages of this run: those of one kind (and family or article), or all whose articles have not left."""
        if kind is None:
            rows = self.at.db.rows(_HELD, **self.at.now())
        else:
            rows = self.at.db.rows(_HELD_TOGETHER, **self.at.now(), at_kind=kind, at_of=of)
        return self._pages_of(rows)

    def count(self) -> int:
        """Number of the waiting pages of this run whose articles have not left."""
        return sum(one.run == self.at.run and one.kind is not WaitKind.ANSWERED for one in self._known().values())

    def let_go(self, key: str) -> None:
        """A page waits no more."""
        if self._known().pop(short(key), None) is not None:
            self.at.db.write(_LET_GO, **self.at.of(key))

    def _known(self) -> dict[str, _Waiting]:
        if self._read is None:
            rows = self.at.db.rows(_ALL_HELD, at_site=self.at.site)
            with self.at.db.undamaged():
                self._read = {str(key): _Waiting(int(run), WaitKind(kind), str(of)) for key, run, kind, of in rows}
        return self._read

    def _pages_of(self, rows: Sequence[Any]) -> Iterator[WaitingPage]:
        for (key,) in rows:
            row = self.at.db.row(_GET_HELD, **self.at.of(key))
            if row:
                with self.at.db.undamaged():
                    waiting = WaitingPage(from_document(ArticlePage, json.loads(row[0])), zlib.decompress(row[1]))
                yield waiting

    # ---- pages whose article left
    def keep_answered(self, page: WaitingPage, family: str) -> None:
        """Keep a page whose article left by a template that the next pages may prove wrong; the newest of a family are kept."""
        self.hold(page, WaitKind.ANSWERED, of=family)
        for key in self._answered(family)[: -LIMITS.answered]:
            self.let_go(key)

    def answered(self, family: str) -> Iterator[WaitingPage]:
        """The pages kept of a family whose articles left."""
        of = {"at_kind": WaitKind.ANSWERED, "at_of": family}
        return self._pages_of(self.at.db.rows(_ANSWERED, at_site=self.at.site, **of))

    def answered_families(self) -> list[str]:
        """The families that such pages are kept of."""
        return sorted({one.of for one in self._known().values() if one.kind is WaitKind.ANSWERED})

    def forget_answered(self, family: str) -> None:
        """The articles that left for the pages of a family stay as they are."""
        for key in self._answered(family):
            self.let_go(key)

    def _answered(self, family: str) -> list[str]:
        known = self._known().items()
        return [key for key, one in known if one.kind is WaitKind.ANSWERED and one.of == family]


# ---- items that left
_NEWER = ITEMS.alias("newer")
_IS_LAST = ~sa.exists().where(
    _NEWER.c.site == ITEMS.c.site, _NEWER.c.key == ITEMS.c.key, _NEWER.c.revision > ITEMS.c.revision
)
_PUT_ITEM = upsert(ITEMS, "run", "digest", "data")
_LATEST = sa.select(ITEMS.c.data, ITEMS.c.digest, ITEMS.c.run).where(of_key(ITEMS))
_LATEST = _LATEST.order_by(ITEMS.c.revision.desc()).limit(1)
_COUNT_KEYS = sa.select(sa.func.count(sa.distinct(ITEMS.c.key))).where(of_run(ITEMS))
_COUNT_OTHERS = (
    sa.select(sa.func.count()).select_from(ITEMS).where(of_site(ITEMS), _IS_LAST, ITEMS.c.run != bindparam("at_run"))
)
_ANY_ITEM = sa.select(ITEMS.c.seq).where(of_site(ITEMS)).limit(1)
_FURTHER = sa.select(ITEMS.c.seq, ITEMS.c.data).where(ITEMS.c.seq > bindparam("beyond"))
_FURTHER = _FURTHER.order_by(ITEMS.c.seq).limit(ROWS_AT_ONCE)
_ITEMS_OF_RUN, _ALL_ITEMS = _FURTHER.where(of_run(ITEMS)), _FURTHER.where(of_site(ITEMS), _IS_LAST)


@dataclass
class LeftItems:
    """The items that left, each with its earlier revisions, so that a feed cut short can be completed."""

    at: SiteRows
    _read: dict[str, Any] = field(default_factory=dict)
    """Data, digest and run of the latest items of the pages under way: each row is read once."""

    def reread(self) -> None:
        """Forget what was read: a transaction was undone."""
        self._read.clear()

    def put(self, key: str, item: dict[str, Any], *, digest: str) -> None:
        """Keep an item beside its earlier revisions."""
        self._read.pop(key, None)
        data = zlib.compress(json.dumps(item, ensure_ascii=False).encode("utf-8", "surrogatepass"), 1)
        row = {"revision": int(item.get("revision") or 1), "run": self.at.run, "digest": digest, "data": data}
        self.at.db.write(_PUT_ITEM, **self.at.row(key), **row)

    def latest(self, key: str) -> dict[str, Any] | None:
        """The item that left last for a page."""
        row = self._latest(key)
        return self._item(row[0]) if row else None

    def has_left(self, key: str) -> bool:
        """Whether an item left for a page in this run: one revision a run, however often a run is interrupted."""
        row = self._latest(key)
        return row is not None and row[2] == self.at.run

    def digest(self, key: str) -> str | None:
        """Digest of the item that left last for a page."""
        row = self._latest(key)
        return str(row[1]) if row else None

    def _latest(self, key: str) -> Any:
        if key not in self._read:
            if len(self._read) > ROWS_AT_ONCE:
                self._read.clear()
            self._read[key] = self.at.db.row(_LATEST, **self.at.of(key))
        return self._read[key]

    def exist(self) -> bool:
        """Whether any item of the site ever left."""
        return bool(self.at.db.rows(_ANY_ITEM, at_site=self.at.site))

    def count(self) -> int:
        """Number of the pages for which an item left in this run."""
        return self.at.db.number(_COUNT_KEYS, **self.at.now())

    def count_besides(self, run: int) -> int:
        """Number of the pages whose latest item left in another run."""
        return self.at.db.number(_COUNT_OTHERS, at_site=self.at.site, at_run=run)

    def of_run(self) -> Iterator[dict[str, Any]]:
        """Items that left in this run, in order; read bit by bit."""
        return self._items(_ITEMS_OF_RUN, self.at.now())

    def all(self) -> Iterator[dict[str, Any]]:
        """Items of all runs in their latest revision, in order; read bit by bit."""
        return self._items(_ALL_ITEMS, {"at_site": self.at.site})

    def _items(self, statement: sa.Executable, given: dict[str, Any]) -> Iterator[dict[str, Any]]:
        last = 0
        while rows := self.at.db.rows(statement, **given, beyond=last):
            yield from (self._item(data) for _, data in rows)
            last = rows[-1][0]

    def _item(self, data: bytes) -> dict[str, Any]:
        with self.at.db.undamaged():
            return dict(json.loads(zlib.decompress(data)))
