"""What the crawls of a site keep of its articles: pages that wait, items that left, and what each article says of its page family."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from sitecrawl.crawl.database import (
    FAMILY_PAGES,
    ITEMS,
    ROWS_AT_ONCE,
    WAITING,
    SiteRows,
    of_key,
    of_run,
    of_site,
    short,
    upsert,
)
from sitecrawl.crawl.records import ArticlePage, WaitingPage, WaitKind
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.records_json import from_document, to_document
from sitecrawl.site.page_families import FamilyEvidence, PageFamily, type_in

_W = WAITING.c
_HOLD = sa.insert(WAITING)
_LET_GO = sa.delete(WAITING).where(of_key(WAITING))
_OF: sa.BindParameter[str] = bindparam("at_of", type_=sa.Text)
_WAITS = sa.and_(of_run(WAITING), _W.kind != WaitKind.ANSWERED)
_ANSWERED = sa.and_(of_site(WAITING), _W.kind == WaitKind.ANSWERED, sa.or_(_OF == "", _W.of == _OF))
_KEYS = sa.select(_W.key).order_by(_W.seq)
_HELD, _GET_ANSWERED = _KEYS.where(_WAITS), _KEYS.where(_ANSWERED)
_HELD_TOGETHER = _KEYS.where(of_run(WAITING), _W.kind == bindparam("at_kind"), _W.of == _OF)
_COUNT = sa.select(sa.func.count()).select_from(WAITING).where(_WAITS)
_GET_HELD = sa.select(_W.page, _W.body).where(of_key(WAITING))
_FORGET_ANSWERED = sa.delete(WAITING).where(_ANSWERED)
_NEWEST = sa.select(_W.seq).where(_ANSWERED).order_by(_W.seq.desc()).limit(LIMITS.answered)
_PRUNE_ANSWERED = _FORGET_ANSWERED.where(_W.seq.not_in(_NEWEST))


@dataclass
class WaitingPages:
    """The pages whose articles have not left, or may leave again as revisions."""

    at: SiteRows
    _parsed: dict[str, WaitingPage] = field(default_factory=dict)
    """The latest ``LIMITS.parsed_bytes`` bytes of the pages that wait, as they were parsed."""

    def hold(self, waiting: WaitingPage, kind: WaitKind, *, of: str = "") -> None:
        """Keep a page until what it waits for has come; ``of`` names a family, or the first part of an article by its key."""
        key = waiting.page.key
        self.let_go(key)
        if waiting.parsed and kind is not WaitKind.ANSWERED:
            self._parsed[short(key)] = waiting
            while sum(len(one.body) for one in self._parsed.values()) > LIMITS.parsed_bytes:
                del self._parsed[next(iter(self._parsed))]
        page, body = json.dumps(to_document(waiting.page)), zlib.compress(waiting.body, 0)
        # Level 0: most pages are gone a few pages later, so that packing them costs more than writing them.
        self.at.db.write(_HOLD, **self.at.row(key), run=self.at.run, kind=kind, of=of, page=page, body=body)

    def held(self, kind: WaitKind | None = None, *, of: str = "") -> Iterator[WaitingPage]:
        """Waiting pages of this run, the oldest first: those of one kind (and family or article), or all whose articles have not left."""
        if kind is None:
            return self._pages(self.at.db.rows(_HELD, **self.at.now()))
        return self._pages(self.at.db.rows(_HELD_TOGETHER, **self.at.now(), at_kind=kind, at_of=of))

    def _pages(self, rows: Sequence[Any]) -> Iterator[WaitingPage]:
        for (key,) in rows:
            row = self.at.db.row(_GET_HELD, **self.at.of(key))
            if row:
                with self.at.db.undamaged():
                    waiting = WaitingPage(from_document(ArticlePage, json.loads(row[0])), zlib.decompress(row[1]))
                known = self._parsed.get(key)
                yield replace(waiting, parsed=known.parsed) if known else waiting

    def count(self) -> int:
        return self.at.db.number(_COUNT, **self.at.now())

    def let_go(self, key: str) -> None:
        self._parsed.pop(short(key), None)
        self.at.db.write(_LET_GO, **self.at.of(key))

    # ---- pages whose article left
    def keep_answered(self, page: WaitingPage, family: str) -> None:
        """Keep a page whose article left by a template that the next pages may prove wrong; the newest of a family are kept."""
        self.hold(page, WaitKind.ANSWERED, of=family)
        self.at.db.write(_PRUNE_ANSWERED, at_site=self.at.site, at_of=family)

    def answered(self, family: str = "") -> Iterator[WaitingPage]:
        """The pages kept of a family, or of all, whose articles left."""
        return self._pages(self.at.db.rows(_GET_ANSWERED, at_site=self.at.site, at_of=family))

    def forget_answered(self, family: str = "") -> None:
        """The articles that left for the pages of a family, or of all, stay as they are."""
        self.at.db.write(_FORGET_ANSWERED, at_site=self.at.site, at_of=family)


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

    def put(self, key: str, item: dict[str, Any], *, digest: str) -> None:
        data = zlib.compress(json.dumps(item, ensure_ascii=False).encode("utf-8", "surrogatepass"), 1)
        row = {"revision": int(item.get("revision") or 1), "run": self.at.run, "digest": digest, "data": data}
        self.at.db.write(_PUT_ITEM, **self.at.row(key), **row)

    def latest(self, key: str) -> dict[str, Any] | None:
        row = self._latest(key)
        return self._item(row[0]) if row else None

    def has_left(self, key: str) -> bool:
        """Whether an item left for a page in this run: one revision a run, however often a run is interrupted."""
        row = self._latest(key)
        return row is not None and row[2] == self.at.run

    def digest(self, key: str) -> str | None:
        row = self._latest(key)
        return str(row[1]) if row else None

    def _latest(self, key: str) -> Any:
        return self.at.db.row(_LATEST, **self.at.of(key))

    def exist(self) -> bool:
        return bool(self.at.db.rows(_ANY_ITEM, at_site=self.at.site))

    def count(self) -> int:
        """Number of the pages for which an item left in this run."""
        return self.at.db.number(_COUNT_KEYS, **self.at.now())

    def count_besides(self, run: int) -> int:
        """Number of the pages whose latest item left in another run."""
        return self.at.db.number(_COUNT_OTHERS, at_site=self.at.site, at_run=run)

    def of_run(self) -> Iterator[dict[str, Any]]:
        """Items that left in this run, in order; read bit by bit."""
        return self._items(_ITEMS_OF_RUN, **self.at.now())

    def all(self) -> Iterator[dict[str, Any]]:
        """Items of all runs in their latest revision, in order; read bit by bit."""
        return self._items(_ALL_ITEMS, at_site=self.at.site)

    def _items(self, statement: sa.Executable, **given: Any) -> Iterator[dict[str, Any]]:
        last = 0
        while rows := self.at.db.rows(statement, **given, beyond=last):
            yield from (self._item(data) for _, data in rows)
            last = rows[-1][0]

    def _item(self, data: bytes) -> dict[str, Any]:
        with self.at.db.undamaged():
            return dict(json.loads(zlib.decompress(data)))


# ---- page families
_F = FAMILY_PAGES.c
_OF_FAMILY = sa.and_(of_site(FAMILY_PAGES), _F.family == bindparam("at_family"))
_PUT_EVIDENCE = upsert(
    FAMILY_PAGES, "run", "family", "kind", "headline", "dated", "weighed", "log_odds", "digest", "data"
)
_ADDED = (sa.func.sum(column) for column in (_F.dated, _F.weighed, _F.log_odds))
_SUMS = sa.select(_F.family, sa.func.max(_F.kind), sa.func.count(), *_ADDED, sa.func.count(_F.data))
_SUMS = _SUMS.where(of_site(FAMILY_PAGES)).group_by(_F.family).order_by(_F.family)
_SUMS_OF_ONE = _SUMS.where(_F.family == bindparam("at_family"))
_HEADLINES = sa.select(_F.headline).where(_OF_FAMILY, _F.headline != "").order_by(_F.key).limit(3)
_WITHHELD = sa.select(_F.key, _F.data, _F.digest).where(_OF_FAMILY, _F.data.is_not(None)).order_by(_F.key)
_COUNT_WITHHELD = sa.select(sa.func.count(_F.data)).where(of_site(FAMILY_PAGES))
_RELEASE = sa.update(FAMILY_PAGES).where(of_key(FAMILY_PAGES)).values(data=None)


class WithheldItem(NamedTuple):
    """An item that waits for the verdict on its family; ``digest`` is that of its body."""

    key: str
    item: dict[str, Any]
    digest: str


@dataclass
class FamilyStore:
    """What every article of a site says of its page family, and the items that are withheld until their family is judged."""

    at: SiteRows

    def record(
        self, key: str, page: FamilyEvidence, *, digest: str = "", withheld: dict[str, Any] | None = None
    ) -> None:
        """Keep what a page says of its family, in place of what it said before; and its item, whose body has this digest, where that is withheld."""
        self.at.db.write(
            _PUT_EVIDENCE,
            **self.at.row(key),
            run=self.at.run,
            family=page.family,
            kind=page.kind,
            headline=page.headline[:200],
            dated=int(page.dated),
            weighed=int(page.log_odds is not None),
            log_odds=page.log_odds or 0.0,
            digest=digest if withheld else "",
            data=zlib.compress(json.dumps(withheld).encode("utf-8", "surrogatepass")) if withheld else None,
        )

    def families(self) -> list[PageFamily]:
        return [_family(*row) for row in self.at.db.rows(_SUMS, at_site=self.at.site)]

    def family(self, name: str) -> PageFamily | None:
        row = self.at.db.row(_SUMS_OF_ONE, at_site=self.at.site, at_family=name)
        return _family(*row) if row else None

    def headlines(self, name: str) -> list[str]:
        return [str(text) for (text,) in self.at.db.rows(_HEADLINES, at_site=self.at.site, at_family=name)]

    def withheld(self, name: str) -> Iterator[WithheldItem]:
        for key, data, digest in self.at.db.rows(_WITHHELD, at_site=self.at.site, at_family=name):
            with self.at.db.undamaged():
                item: dict[str, Any] = json.loads(zlib.decompress(data))
            yield WithheldItem(str(key), item, str(digest))

    def withheld_count(self) -> int:
        return self.at.db.number(_COUNT_WITHHELD, at_site=self.at.site)

    def release(self, key: str) -> None:
        """The item of a page left, or never will: it is withheld no more."""
        self.at.db.write(_RELEASE, **self.at.of(key))


def _family(name: str, kind: str, *sums: Any) -> PageFamily:
    pages, dated, weighed, log_odds, withheld = sums
    return PageFamily(
        name, PageKind(kind), type_in(name), int(pages), int(dated), int(weighed), float(log_odds), int(withheld)
    )
