"""What the crawls of a site keep of its pages: what was asked for and what became of it, which listings show an article, and
the versions in which pages were last fetched."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from sitecrawl.crawl.database import (
    PAGES,
    ROWS_AT_ONCE,
    SHOWN,
    VERSIONS,
    SiteRows,
    of_key,
    of_run,
    of_site,
    short,
    upsert,
)
from sitecrawl.crawl.records import RequestContext
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.records_json import from_document, to_document

_P = PAGES.c
_DONE = sa.and_(of_site(PAGES), _P.status == "done")
_DONE_NOW = sa.and_(of_run(PAGES), _P.status == "done")
_QUEUED = sa.and_(of_run(PAGES), _P.status == "queued")
_IS_ARTICLE = _P.kind.in_((PageKind.ARTICLE, PageKind.THREAD))
_MOST: sa.BindParameter[int] = bindparam("most")
_PUT_PAGE = upsert(PAGES, "run", "status", "kind", "brought", "context")
_CHANGE_PAGE = sa.update(PAGES).where(of_key(PAGES))
_GET_QUEUED = sa.select(_P.context).where(_QUEUED).order_by(_P.run, _P.seq)
_DROP_QUEUED = sa.delete(PAGES).where(_QUEUED)
_GET_DONE = sa.select(_P.context, _P.kind, _P.shown, _P.brought).where(_DONE_NOW).order_by(_P.turn.desc()).limit(_MOST)
_COUNT_DONE = sa.select(sa.func.count()).select_from(PAGES).where(_DONE_NOW)
_LAST_TURN = sa.select(sa.func.max(_P.turn)).where(_DONE)
_GET_PAGE = sa.select(_P.context, _P.status, _P.kind).where(of_key(PAGES))
_UNCOUNTED = sa.and_(_DONE, _P.counted == 0)
_GET_UNCOUNTED = sa.select(_P.key, _P.context, _P.kind).where(_UNCOUNTED).order_by(_P.turn).limit(_MOST)
_EARLIER: sa.BindParameter[bool] = bindparam("earlier", type_=sa.Boolean)
_SETTLED = sa.or_(_P.run == bindparam("at_run"), sa.and_(_EARLIER, _IS_ARTICLE))
_GET_SETTLED = sa.select(_P.key).where(
    _DONE, _P.kind != "failed", _SETTLED, _P.key.in_(bindparam("keys", expanding=True))
)
_ANY_DONE = sa.select(_P.seq).where(_DONE).limit(1)
_GET_EARLIER = sa.select(_P.seq, _P.context).where(
    _DONE, _IS_ARTICLE, _P.run != bindparam("at_run"), _P.seq < bindparam("below")
)
_GET_EARLIER = _GET_EARLIER.order_by(_P.seq.desc()).limit(ROWS_AT_ONCE)


class DonePage(NamedTuple):
    """A page that was dealt with: its request, its kind (None: it could not be read), the articles it showed, the new ones among them."""

    context: RequestContext
    kind: PageKind | None
    shown: int
    brought: int


@dataclass
class KnownPages:
    """The pages of a site: those still to be fetched, and what the others were."""

    at: SiteRows
    _turn: int = 0
    """Number of the page dealt with last."""

    def begin(self) -> None:
        self._turn = self.at.db.number(_LAST_TURN, at_site=self.at.site)

    def queue(self, context: RequestContext) -> None:
        row = {"run": self.at.run, "status": "queued", "kind": "", "brought": 0}
        text = json.dumps(to_document(context), ensure_ascii=False)
        self.at.db.write(_PUT_PAGE, **self.at.row(context.key), **row, context=text)

    def done(self, key: str, kind: PageKind | None, *, shown: int = 0, brought: int = 0) -> None:
        """A page was dealt with: its kind (None where it is of no use), the articles that it showed, the new ones among them."""
        self._turn += 1
        found = {"kind": str(kind or "failed"), "shown": shown, "brought": brought, "turn": self._turn}
        self.at.db.write(_CHANGE_PAGE, **self.at.of(key), status="done", **found)

    def queue_again(self, key: str) -> None:
        self.at.db.write(_CHANGE_PAGE, **self.at.of(key), status="queued", kind="")

    def drop_queue(self) -> None:
        self.at.db.write(_DROP_QUEUED, **self.at.now())

    def queued(self) -> list[RequestContext]:
        """The pages that this run has still to fetch, in the order in which they were found."""
        return [self._context(text) for (text,) in self.at.db.rows(_GET_QUEUED, **self.at.now())]

    def done_pages(self, most: int) -> list[DonePage]:
        """The pages of this run dealt with last, the oldest of them first."""
        rows = self.at.db.rows(_GET_DONE, **self.at.now(), most=most)
        return [DonePage(self._context(text), _kind(kind), *counts) for text, kind, *counts in reversed(rows)]

    def count_done(self) -> int:
        return self.at.db.number(_COUNT_DONE, **self.at.now())

    def asked_for(self, key: str) -> tuple[RequestContext, str] | None:
        """The request for a page, and what became of it: the kind of the page, ``failed`` or ``queued``. None for a page that is not known."""
        row = self.at.db.row(_GET_PAGE, **self.at.of(key))
        return (self._context(row[0]), str(row[2] if row[1] == "done" else row[1])) if row else None

    def count_pages(self, most: int = 1_000) -> Iterator[tuple[str, PageKind | None]]:
        """URL and kind of each page dealt with that was not counted yet; each is counted once."""
        while rows := self.at.db.rows(_GET_UNCOUNTED, at_site=self.at.site, most=most):
            for key, text, kind in rows:
                yield self._context(text).url, _kind(kind)
                self.at.db.write(_CHANGE_PAGE, **self.at.of(key), counted=1)

    def has_history(self) -> bool:
        return bool(self.at.db.rows(_ANY_DONE, at_site=self.at.site))

    def settled(self, keys: Sequence[str], *, earlier: bool) -> set[str]:
        """Those of the keys whose pages were dealt with in this run or, with ``earlier``, were articles of earlier runs."""
        found = set[str]()
        for start in range(0, len(keys), ROWS_AT_ONCE):
            names = {short(key): key for key in keys[start : start + ROWS_AT_ONCE]}
            rows = self.at.db.rows(_GET_SETTLED, **self.at.now(), earlier=earlier, keys=list(names))
            found.update(names[name] for (name,) in rows)
        return found

    def earlier_articles(self) -> Iterator[RequestContext]:
        """The articles of earlier runs that this run has not asked for, the latest first; read bit by bit."""
        last = 1 << 62
        while rows := self.at.db.rows(_GET_EARLIER, **self.at.now(), below=last):
            yield from (self._context(text) for _, text in rows)
            last = rows[-1][0]

    def _context(self, text: str) -> RequestContext:
        with self.at.db.undamaged():
            return from_document(RequestContext, json.loads(text))


def _kind(name: str) -> PageKind | None:
    return None if name in ("", "failed") else PageKind(name)


# ---- which listings show an article
_TIMES = SHOWN.c.times
_SHOW = upsert(SHOWN)
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
_COUNT_SHOWN = sa.select(
    sa.func.count(), sa.func.sum(sa.case((_TIMES == 1, 1), else_=0)), sa.func.sum(sa.case((_TIMES == 2, 1), else_=0))
).where(of_run(SHOWN))
_IS_SHOWN = sa.select(_TIMES).where(of_key(SHOWN))


@dataclass
class ShownArticles:
    """How many listings of a site show each article; all pages of a listing count as one."""

    at: SiteRows

    def add(self, keys: Iterable[str], listing: str) -> None:
        for key in keys:
            self.at.db.write(_SHOW, **self.at.row(key), run=self.at.run, times=1, listing=listing)

    def has(self, key: str) -> bool:
        return self.at.db.row(_IS_SHOWN, **self.at.of(key)) is not None

    def counts(self) -> tuple[int, int, int]:
        """Number of the articles that listings of this run showed, of those shown by one listing only, and by two."""
        count, once, twice = self.at.db.rows(_COUNT_SHOWN, **self.at.now())[0]
        return int(count), int(once or 0), int(twice or 0)


# ---- the versions in which pages were fetched
_PUT_VERSION = upsert(VERSIONS, "run", "etag", "modified", "digest", "type", "body")
_GET_VERSION = sa.select(
    VERSIONS.c.etag, VERSIONS.c.modified, VERSIONS.c.digest, VERSIONS.c.type, VERSIONS.c.body.is_not(None)
).where(of_key(VERSIONS))
_GET_BODY = sa.select(VERSIONS.c.body).where(of_key(VERSIONS))
_DROP_VERSION = sa.delete(VERSIONS).where(of_key(VERSIONS))
_HAS_BODY = sa.and_(of_site(VERSIONS), VERSIONS.c.body.is_not(None))
_KEPT = sa.select(VERSIONS.c.key).where(_HAS_BODY).order_by(VERSIONS.c.run.desc(), VERSIONS.c.key)
_PRUNE_VERSIONS = sa.delete(VERSIONS).where(_HAS_BODY, VERSIONS.c.key.not_in(_KEPT.limit(LIMITS.kept_pages)))


@dataclass(frozen=True, slots=True)
class PageVersion:
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
    return hashlib.sha1(body, usedforsecurity=False).hexdigest()


@dataclass
class PageVersions:
    """The versions of a site's pages, and the bytes of its listing pages."""

    at: SiteRows

    def get(self, key: str) -> PageVersion | None:
        row = self.at.db.row(_GET_VERSION, **self.at.of(key))
        return PageVersion(row[0], row[1], row[2], row[3], bool(row[4])) if row else None

    def body(self, key: str) -> bytes | None:
        """The page as it was last fetched, where its bytes were kept."""
        row = self.at.db.row(_GET_BODY, **self.at.of(key))
        with self.at.db.undamaged():
            return zlib.decompress(row[0]) if row and row[0] is not None else None

    def put(self, key: str, version: PageVersion, *, body: bytes) -> None:
        """A page was fetched; its bytes are kept where ``version`` says so. A page too large to be kept is forgotten."""
        if version.kept and len(body) > LIMITS.kept_bytes:
            self.forget(key)
            return
        told = asdict(version)
        data = zlib.compress(body, 1) if told.pop("kept") else None
        self.at.db.write(_PUT_VERSION, **self.at.row(key), run=self.at.run, **told, body=data)

    def forget(self, key: str) -> None:
        """Let the next request for a page be one without a condition."""
        self.at.db.write(_DROP_VERSION, **self.at.of(key))

    def prune(self) -> None:
        """Drop the oldest of the pages that were kept, above the limit."""
        self.at.db.write(_PRUNE_VERSIONS, at_site=self.at.site)
