"""What the crawls of a site store, one repository each: requested pages, listings that show an
article, versions of fetched pages, waiting pages, written items, each article's evidence for its
page family, and what the current run learned."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from sitecrawl.crawl import database as tables
from sitecrawl.crawl.database import ROWS_AT_ONCE, SiteRows, short
from sitecrawl.crawl.records import ArticleRecord, RequestContext, Role, WaitingPage, WaitKind
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.records_json import from_document, to_document
from sitecrawl.site.page_families import FamilyEvidence, PageFamily, type_in

FAILED = "failed"  # in place of the kind of a page that could not be fetched
LOST = "lost"  # the same, or not all of it was fetched, for a reason that may pass
LEFT_OUT = "left out"  # the same for an article that no run requested, since others like it failed
_LISTED = 5  # articles that a listing shows at least
_COUNTED = 1_000  # pages that are counted in one step
TRIES = 5  # later runs that request a page again that could not be fetched
# in place of the listing that showed an article first, for the further pages of all listings
FURTHER = "-"
# in place of the kind of an article that is older than `since`: followed by that day
OLDER = "before "
NO_DAY = f"{OLDER}0"  # the same for an article without a day: no `since` lets it in
# end of the key under which the first answer is kept of a page that is requested again
_AGAIN = " again"
_IS_THERE = f"kind NOT IN ('{FAILED}', '{LOST}')"
_MAY_LIST = f"kind IN ('{PageKind.LISTING}', '{PageKind.OTHER}', '{FAILED}', '{LOST}')"
_OPEN = ("queued", "sent", "untold", "left")  # every status but `done`
_IS_EARLIER = "status='done' AND run<>:run"
_IS_ARTICLE = f"kind IN ('{PageKind.ARTICLE}', '{PageKind.THREAD}')"


class DonePage(NamedTuple):
    """A page that this run handled."""

    context: RequestContext
    kind: PageKind | None  # None if it could not be read
    shown: int  # articles that it showed
    new: int  # those of them that no page had shown before
    is_lost: bool  # whether a later run requests it again
    is_again: bool  # whether this run did


@dataclass
class KnownPages:
    """The pages of a site: those still to be fetched, and what the others were."""

    at: SiteRows
    turn: int = 0  # number of the page found, requested or handled last

    def begin(self) -> None:
        """Go on with the numbers of this run."""
        states = ", ".join(f"'{status}'" for status in (*_OPEN, "done"))
        of_run = f"site=:site AND run=:run AND status IN ({states})"
        self.turn = self.at.number(f"SELECT max(turn) FROM pages WHERE {of_run}")

    def queue(self, context: RequestContext, status: str = "queued") -> None:
        """Store that a page is to be fetched, was requested (``sent``), or may be fetched at the
        end (``untold``). Its kind in an earlier run is kept until it is handled."""
        self.turn += 1
        sql = (
            "INSERT INTO pages (site, key, run, status, kind, turn, context) VALUES (:site, :key, :run, :status, '', :turn, :context)"
            " ON CONFLICT (site, key) DO UPDATE SET run=excluded.run, status=excluded.status, turn=excluded.turn, context=excluded.context,"
            f" brought=CASE WHEN pages.kind='{FAILED}' THEN pages.brought ELSE 0 END"
        )
        document = json.dumps(to_document(context), ensure_ascii=False)
        self.at.write(sql, context.key, status=status, turn=self.turn, context=document)

    def keep(self, key: str) -> None:
        """Keep what a page of this run was that is requested again: a continued run counts both
        answers."""
        columns = "run, status, kind, turn, context, shown, brought"
        first = f"SELECT site, key || '{_AGAIN}', {columns} FROM pages WHERE site=:site AND key=:key AND run=:run AND status='done'"
        self.at.write(
            f"INSERT INTO pages (site, key, {columns}) {first} ON CONFLICT (site, key) DO NOTHING",
            key,
        )

    def was_listing(self, context: RequestContext) -> bool:
        """Whether a page that is being fetched showed at least ``_LISTED`` articles when an earlier
        run read it, and was none itself; for start pages it is enough to have been a listing."""
        sql = f"SELECT kind, shown FROM pages WHERE site=:site AND key=:key AND status<>'done' AND {_MAY_LIST}"
        kind, shown = self.at.row(sql, context.key) or ("", 0)
        if kind in (FAILED, LOST):
            kind = PageKind.LISTING if shown else PageKind.OTHER
        return shown >= _LISTED or (context.role is Role.START and kind == PageKind.LISTING)

    def has_failed(self, key: str) -> bool:
        """Whether a page that is being fetched failed in an earlier run."""
        sql = f"SELECT seq FROM pages WHERE site=:site AND key=:key AND status<>'done' AND kind='{FAILED}'"
        return self.at.row(sql, key) is not None

    def done(self, key: str, kind: str, *, shown: int | None = None, brought: int = 0) -> None:
        """Store that a page was handled. ``kind`` is a :class:`PageKind`, or what stands in its
        place. ``shown`` is the number of articles that the page showed (None: as many as when it
        was read last, if it may be a listing). ``brought`` is the number of new ones among them.
        For a page that failed, the column counts its failed runs, and ``brought`` is added."""
        self.turn += 1
        counted = ":shown" if shown is not None else f"CASE WHEN {_MAY_LIST} THEN shown ELSE 0 END"
        number = f"CASE WHEN :kind<>'{FAILED}' THEN :brought WHEN kind='{FAILED}' THEN brought + :brought ELSE 0 END"
        changes = f"status='done', kind=:kind, shown={counted}, brought={number}, turn=:turn"
        sql = f"UPDATE pages SET {changes} WHERE site=:site AND key=:key"
        self.at.write(sql, key, kind=str(kind), shown=shown, brought=brought, turn=self.turn)

    def relabel(self, key: str, kind: str) -> None:
        self.at.write(
            "UPDATE pages SET kind=:kind WHERE site=:site AND key=:key", key, kind=str(kind)
        )

    def skip(self, key: str) -> None:
        """Forget a page that is not requested after all, if no earlier run handled it."""
        self.at.write(
            "DELETE FROM pages WHERE site=:site AND key=:key AND status='queued' AND kind=''", key
        )

    def leave_out(self, key: str) -> None:
        """Remember an article that is not requested after all, if no earlier run handled it."""
        which = "site=:site AND key=:key AND status='queued' AND kind=''"
        kind = LEFT_OUT
        self.at.write(f"UPDATE pages SET status='left', kind=:kind WHERE {which}", key, kind=kind)

    def end(self) -> None:
        """Forget the pages that this run did not handle. Of those that an earlier run handled, what
        it found stays."""
        of_run = "site=:site AND run=:run"
        states = ", ".join(f"'{status}'" for status in _OPEN)
        is_open = f"status IN ({states})"
        is_first_answer = f"status='done' AND key LIKE '%{_AGAIN}'"
        self.at.write(f"DELETE FROM pages WHERE {of_run} AND {is_open} AND kind=''")
        self.at.write(f"DELETE FROM pages WHERE {of_run} AND {is_first_answer}")
        self.at.write(f"UPDATE pages SET status='done' WHERE {of_run} AND {is_open}")

    def respell(self, clean: Callable[[str], str]) -> None:
        """Give pages the keys of their ``clean`` URLs, unless others have them."""
        is_asked = "site=:site AND key LIKE '%?%' AND seq>:last"
        sql = f"SELECT seq, key, context FROM pages WHERE {is_asked} ORDER BY seq"
        is_free = (
            "NOT EXISTS (SELECT 1 FROM pages AS other WHERE other.site=:site AND other.key=:new)"
        )
        change = f"UPDATE pages SET key=:new, context=:context WHERE site=:site AND key=:key AND {is_free}"
        for _, key, text in list(self.at.pieces(sql, 0)):
            context = self._context(text)
            context = context.again(url=clean(context.url))
            if short(context.key) != key:
                document = json.dumps(to_document(context), ensure_ascii=False)
                self.at.write(change, key, new=short(context.key), context=document)

    def in_turn(self, status: str) -> list[tuple[int, RequestContext]]:
        """The pages of this run that have a status of :meth:`queue`, in this order, each with its
        number."""
        sql = "SELECT turn, context FROM pages WHERE site=:site AND run=:run AND status=:status ORDER BY turn, seq"
        return [(turn, self._context(text)) for turn, text in self.at.rows(sql, status=status)]

    def in_order(self, status: str) -> list[RequestContext]:
        """The same pages without their numbers."""
        return [context for _, context in self.in_turn(status)]

    def done_pages(self) -> Iterator[DonePage]:
        """The pages that this run handled, in this order, read lazily."""
        which = "site=:site AND run=:run AND status='done' AND turn>:last"
        sql = f"SELECT turn, key, context, kind, shown, brought FROM pages WHERE {which} ORDER BY turn"
        for _, key, text, kind, shown, brought in self.at.pieces(sql, -1):
            yield DonePage(
                self._context(text), _kind(kind), shown, brought, kind == LOST, key.endswith(_AGAIN)
            )

    def asked_for(self, key: str) -> tuple[RequestContext, str] | None:
        """The request for a page and its result: the kind of the page, ``failed``, ``lost`` or
        ``queued``. None for an unknown page."""
        sql = "SELECT context, status, kind FROM pages WHERE site=:site AND key=:key"
        row = self.at.row(sql, key)
        if row is None:
            return None
        context, status, kind = row
        return self._context(context), str(_kind(kind) or kind) if status == "done" else "queued"

    def take_uncounted(self, *, of_run: bool) -> Iterator[tuple[str, PageKind | None]]:
        """URL and kind of each page that an earlier run handled, or this one as well, and that was
        not counted yet; each is returned once."""
        which = "site=:site AND status='done' AND counted=0"
        if not of_run:
            which += " AND run<>:run"
        sql = f"SELECT key, context, kind FROM pages WHERE {which} ORDER BY turn LIMIT {_COUNTED}"
        while rows := self.at.rows(sql):
            for key, text, kind in rows:
                yield self._context(text).url, _kind(kind)
                self.at.write("UPDATE pages SET counted=1 WHERE site=:site AND key=:key", key)

    def has_history(self) -> bool:
        sql = "SELECT seq FROM pages WHERE site=:site AND status='done' LIMIT 1"
        return self.at.row(sql) is not None

    def settled(self, keys: Sequence[str], *, earlier: bool, since: str = "") -> set[str]:
        """Those of the keys whose pages were handled in this run or, with ``earlier``, were
        articles of earlier runs, but not those left out for their age that ``since`` lets in. A
        page that failed in n runs is passed over in the next n - 1."""
        is_too_old = f"(kind LIKE '{OLDER}%' AND kind <= :since)"
        is_known = f"({_IS_ARTICLE} OR {is_too_old} OR (kind='{FAILED}' AND run < :run AND run > :run - brought - 1))"
        runs = f"({_IS_THERE} AND run=:run{f' OR {is_known}' if earlier else ''})"
        found = set[str]()
        # so written, the keys are looked up; else databases read all pages that are done
        is_done = "status || '' = 'done'"
        sql = f"SELECT key FROM pages WHERE site=:site AND {is_done} AND {runs} AND key IN"
        for start in range(0, len(keys), ROWS_AT_ONCE):
            names = {short(key): key for key in keys[start : start + ROWS_AT_ONCE]}
            asked = {f"key{number}": name for number, name in enumerate(names)}
            listed = ", ".join(f":{number}" for number in asked)
            rows = self.at.rows(f"{sql} ({listed})", since=OLDER + since, **asked)
            found.update(names[name] for (name,) in rows)
        return found

    def lost(self, *, most: int = TRIES) -> Iterator[RequestContext]:
        """The pages that earlier runs could not fetch for a reason that may pass, each for at most
        ``most`` runs; also those that a page of this run names, and that seem not worth a request:
        what they would bring is not known."""
        contexts = self._unmet(f"kind='{LOST}' AND (status='queued' OR {_IS_EARLIER})")
        return (
            context.again(tries=context.tries + 1) for context in contexts if context.tries < most
        )

    def left_out(self) -> Iterator[RequestContext]:
        """The articles that :meth:`leave_out` remembers, as their links promised them."""
        contexts = self._unmet(f"kind='{LEFT_OUT}' AND {_IS_EARLIER}")
        return (context.declined or context for context in contexts)

    def earlier_articles(self) -> Iterator[RequestContext]:
        """The articles of earlier runs that this run has not requested, the latest first; read
        lazily."""
        return self._unmet(f"({_IS_ARTICLE} OR kind LIKE '{OLDER}%') AND {_IS_EARLIER}")

    def _unmet(self, which: str) -> Iterator[RequestContext]:
        sql = f"SELECT seq, context FROM pages WHERE site=:site AND {which} AND seq<:last"
        rows = self.at.pieces(f"{sql} ORDER BY seq DESC", 1 << 62)
        return (self._context(text) for _, text in rows)

    def _context(self, text: str) -> RequestContext:
        with self.at.db.undamaged():
            return from_document(RequestContext, json.loads(text))


def _kind(name: str) -> PageKind | None:
    if name in ("", FAILED, LOST, LEFT_OUT):
        return None
    return PageKind.ARTICLE if name.startswith(OLDER) else PageKind(name)


@dataclass
class ShownArticles:
    """The articles that listings of a site show, each with the run that met it last, the listing
    that showed it first, and the run in which it did (``times``, a name of earlier versions)."""

    at: SiteRows

    def add(self, keys: Iterable[str], listing: str) -> None:
        sql = (
            "INSERT INTO shown (site, key, run, times, listing) VALUES (:site, :key, :run, :run, :listing)"
            " ON CONFLICT (site, key) DO UPDATE SET run=excluded.run,"
            " listing=CASE WHEN shown.listing='' THEN excluded.listing ELSE shown.listing END"
        )
        for key in keys:
            self.at.write(sql, key, listing=short(listing))

    def first(self, *, most: int = 100) -> set[str]:
        """Keys of the listings that showed an article before all others in an earlier run, the
        ``most`` that did so last, and of those the longest: sections of a site, and not the days of
        its archive."""
        which = f"SELECT listing FROM shown WHERE site=:site AND times < :run AND listing NOT IN ('', '{FURTHER}') GROUP BY listing"
        sql = f"{which} ORDER BY max(times) DESC, count(*) DESC, listing LIMIT :most"
        return {key for (key,) in self.at.rows(sql, most=most)}

    def has(self, key: str) -> bool:
        return bool(self.at.rows("SELECT run FROM shown WHERE site=:site AND key=:key", key))

    def gone_from(self, listing: str, *, most: int) -> list[str]:
        """Keys of articles that a listing showed first, and that the run before this one met last."""
        before = "SELECT max(run) FROM shown WHERE site=:site AND run<:run"
        which = f"site=:site AND run=({before}) AND listing=:listing"
        sql = f"SELECT key FROM shown WHERE {which} ORDER BY times DESC, key LIMIT :most"
        return [str(key) for (key,) in self.at.rows(sql, listing=short(listing), most=most)]

    def is_of_run(self, key: str) -> bool:
        """Whether a listing of this run shows an article."""
        row = self.at.row("SELECT run FROM shown WHERE site=:site AND key=:key", key)
        return row is not None and row[0] == self.at.run

    def count(self) -> int:
        """Number of articles on listings of this run."""
        return self.at.number("SELECT count(*) FROM shown WHERE site=:site AND run=:run")


@dataclass(frozen=True, slots=True)
class PageVersion:
    """Validators (``ETag``, ``Last-Modified``), digest and ``Content-Type`` of a page when it was
    last fetched. ``kept``: its bytes are stored too. Those of written articles are not, since they
    are not read again."""

    etag: str = ""
    modified: str = ""
    digest: str = ""
    type: str = ""
    kept: bool = False

    @property
    def conditions(self) -> dict[str, str]:
        """Headers of a conditional request (RFC 9110, section 13)."""
        known = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: value for name, value in known.items() if value}


def page_digest(body: bytes) -> str:
    return hashlib.sha1(body, usedforsecurity=False).hexdigest()


def is_of_run(rows: SiteRows, key: str) -> bool:
    """Whether this run read a page, or met a link to it on a listing."""
    shown = ShownArticles(rows).is_of_run(key)
    return shown or bool(KnownPages(rows).settled([key], earlier=False))


@dataclass
class PageVersions:
    """The versions of a site's pages, and the bytes of its listing pages."""

    at: SiteRows

    def get(self, key: str) -> PageVersion | None:
        sql = "SELECT etag, modified, digest, type, body IS NOT NULL FROM visits WHERE site=:site AND key=:key"
        row = self.at.row(sql, key)
        return PageVersion(row[0], row[1], row[2], row[3], bool(row[4])) if row else None

    def body(self, key: str) -> bytes | None:
        """The bytes of a page when it was last fetched, if they are stored."""
        row = self.at.row("SELECT body FROM visits WHERE site=:site AND key=:key", key)
        with self.at.db.undamaged():
            return zlib.decompress(row[0]) if row and row[0] is not None else None

    def put(self, key: str, version: PageVersion, *, body: bytes) -> None:
        """Store the version of a page, and its bytes if ``version`` says so. A page that is too
        large is forgotten."""
        if version.kept and len(body) > LIMITS.kept_bytes:
            self.forget(key)
            return
        columns = asdict(version)
        data = zlib.compress(body, 1) if columns.pop("kept") else None
        self.at.put(tables.VERSIONS, key, run=self.at.run, **columns, body=data)

    def forget(self, key: str) -> None:
        """Make the next request for a page unconditional."""
        self.at.write("DELETE FROM visits WHERE site=:site AND key=:key", key)

    def prune(self) -> None:
        with_body = "FROM visits WHERE site=:site AND body IS NOT NULL"
        kept = f"SELECT key {with_body} ORDER BY run DESC, key LIMIT {LIMITS.kept_pages}"
        self.at.write(f"DELETE {with_body} AND key NOT IN ({kept})")


@dataclass
class WaitingPages:
    """Pages whose articles are not written yet."""

    at: SiteRows
    _parsed: dict[str, WaitingPage] = field(
        default_factory=dict
    )  # the latest waiting pages in parsed form
    _headlines: dict[str, str] | None = None  # by key; None until they are asked for

    def hold(self, waiting: WaitingPage, kind: WaitKind, *, of: str = "") -> None:
        """Store a page until its item can be written; ``of`` names a family, or the key of its
        article's first part."""
        key = waiting.record.key
        self.let_go(key)
        if waiting.parsed:
            self._parsed[short(key)] = waiting
            while sum(len(one.body) for one in self._parsed.values()) > LIMITS.parsed_bytes:
                del self._parsed[next(iter(self._parsed))]
        if self._headlines is not None:
            self._headlines[key] = waiting.record.facts.headline
        page, body = json.dumps(to_document(waiting.record)), zlib.compress(waiting.body, 0)
        # Level 0: most pages are gone a few pages later, so that packing them costs more than
        # writing them.
        self.at.put(tables.WAITING, key, run=self.at.run, kind=kind, of=of, page=page, body=body)

    def held(self, kind: WaitKind | None = None, *, of: str = "") -> Iterator[WaitingPage]:
        """Waiting pages of this run, the oldest first: those of one kind (and family or article),
        or all."""
        which = "site=:site AND run=:run" + (" AND kind=:kind AND of=:of" if kind else "")
        for (key,) in self.at.rows(
            f"SELECT key FROM waiting WHERE {which} ORDER BY seq", kind=kind, of=of
        ):
            waiting = self.get(key)
            if waiting is not None:
                yield waiting

    def get(self, key: str) -> WaitingPage | None:
        """The waiting page with this key."""
        row = self.at.row("SELECT page, body FROM waiting WHERE site=:site AND key=:key", key)
        if row is None:
            return None
        with self.at.db.undamaged():
            record = from_document(ArticleRecord, json.loads(row[0]))
            waiting = WaitingPage(record, zlib.decompress(row[1]))
        known = self._parsed.get(short(key))
        return replace(waiting, parsed=known.parsed) if known else waiting

    def kind_of(self, key: str) -> WaitKind | None:
        """What a page waits for."""
        row = self.at.row("SELECT kind FROM waiting WHERE site=:site AND key=:key", key)
        return WaitKind(row[0]) if row else None

    def count(self) -> int:
        return self.at.number("SELECT count(*) FROM waiting WHERE site=:site AND run=:run")

    def titled(self, headline: str) -> list[str]:
        """Keys of the waiting pages with a headline."""
        if self._headlines is None:
            found = self.held()
            self._headlines = {one.record.key: one.record.facts.headline for one in found}
        return [key for key, known in self._headlines.items() if known == headline]

    def let_go(self, key: str) -> None:
        self._parsed.pop(short(key), None)
        if self._headlines is not None:
            self._headlines.pop(key, None)
        self.at.write("DELETE FROM waiting WHERE site=:site AND key=:key", key)


_LATEST = (
    "site=:site AND NOT EXISTS (SELECT 1 FROM items newer"
    " WHERE newer.site=items.site AND newer.key=items.key AND newer.revision>items.revision)"
)


class Original(NamedTuple):
    """The first page that was written with a text: its short key, and whether this run wrote it."""

    key: str
    is_of_run: bool


@dataclass
class WrittenItems:
    """The written items, with their earlier revisions, so that a truncated feed can be
    completed."""

    at: SiteRows

    def put(self, key: str, item: dict[str, Any], *, digest: str) -> None:
        number = int(item.get("revision") or 1)
        self.at.put(
            tables.ITEMS, key, revision=number, run=self.at.run, digest=digest, data=_packed(item)
        )

    def latest(self, key: str) -> dict[str, Any] | None:
        row = self._latest(key)
        return _unpacked(row[0], self.at) if row else None

    def was_written(self, key: str) -> bool:
        """Whether an item was written for a page in this run. A page has one revision in a run,
        however often the run is interrupted."""
        row = self._latest(key)
        return row is not None and row[2] == self.at.run

    def digest(self, key: str) -> str | None:
        row = self._latest(key)
        return str(row[1]) if row else None

    def _latest(self, key: str) -> Any:
        sql = "SELECT data, digest, run FROM items WHERE site=:site AND key=:key ORDER BY revision DESC LIMIT 1"
        return self.at.row(sql, key)

    def identities(self) -> set[tuple[str, int]]:
        """The short key and the revision of each item."""
        rows = self.at.rows("SELECT key, revision FROM items WHERE site=:site")
        return {(str(key), int(revision)) for key, revision in rows}

    def exist(self) -> bool:
        return bool(self.at.rows("SELECT seq FROM items WHERE site=:site LIMIT 1"))

    def count(self) -> int:
        """Number of pages for which an item was written in this run."""
        return self.at.number("SELECT count(DISTINCT key) FROM items WHERE site=:site AND run=:run")

    def written_count(self) -> int:
        """Number of pages for which an item was ever written."""
        return self.at.number("SELECT count(DISTINCT key) FROM items WHERE site=:site")

    def of_run(self) -> Iterator[dict[str, Any]]:
        """Items that were written in this run, in order; read lazily."""
        return self._items("site=:site AND run=:run")

    def all(self) -> Iterator[dict[str, Any]]:
        """The latest revisions of all items of all runs, in order; read lazily."""
        return self._items(_LATEST)

    def original(self, digest: str) -> Original | None:
        """The page that was written first with the text of this digest."""
        sql = f"SELECT key, run FROM items WHERE digest=:digest AND {_LATEST} ORDER BY seq LIMIT 1"
        row = self.at.row(sql, digest=digest)
        return Original(str(row[0]), row[1] == self.at.run) if row else None

    def _items(self, which: str) -> Iterator[dict[str, Any]]:
        rows = self.at.pieces(
            f"SELECT seq, data FROM items WHERE {which} AND seq>:last ORDER BY seq", 0
        )
        return (_unpacked(data, self.at) for _, data in rows)


def _packed(item: dict[str, Any]) -> bytes:
    return zlib.compress(json.dumps(item, ensure_ascii=False).encode("utf-8", "surrogatepass"), 1)


def _unpacked(data: bytes, at: SiteRows) -> dict[str, Any]:
    with at.db.undamaged():
        return dict(json.loads(zlib.decompress(data)))


@dataclass
class Memory:
    """JSON documents by name. They are forgotten when the run ends, but for the standard answers of
    the site (``texts``)."""

    at: SiteRows
    _known: dict[str, int] = field(default_factory=dict)  # hashes of what was stored last

    def put(self, name: str, document: Any) -> None:
        """Store a document unless it is the one that was stored last."""
        text = json.dumps(document, ensure_ascii=False)
        if self._known.get(name) != hash(text):
            self._known[name] = hash(text)
            self.at.put(tables.MEMORY, name, data=text)

    def all(self) -> dict[str, Any]:
        """All documents of this run, by short names."""
        rows = self.at.rows("SELECT key, data FROM memory WHERE site=:site")
        with self.at.db.undamaged():
            found = {key: json.loads(text) for key, text in rows}
        return found if found.get("run") == self.at.run else {}

    def clear(self) -> None:
        """Forget everything: a run begins or ends."""
        self._known.clear()
        self.at.write("DELETE FROM memory WHERE site=:site AND key<>'texts'")
        self.put("run", self.at.run)


class WithheldItem(NamedTuple):
    """An item that waits for the verdict on its family; ``digest`` is that of its body."""

    key: str
    item: dict[str, Any]
    digest: str
    turn: int = 0  # place of its page among those of the run
    against: Sequence[str] = ()  # what speaks most against an article, in words

    @property
    def record(self) -> ArticleRecord:
        return ArticleRecord(self.key, self.item["url"], self.key, promise=1.0)


_AGAINST = "_against"  # what is kept beside a withheld item
_TITLE = 200  # characters of a headline that are stored for looking it up
_OF_PAGE = "family_pages WHERE site=:site AND key=:key"
_SUMS = {
    "pages": "1",
    "dated": "dated",
    "weighed": "weighed",
    "log_odds": "log_odds",
    "withheld": "CASE WHEN data IS NULL THEN 0 ELSE 1 END",
}
"""Sums over the pages of a family, and what each page adds."""


@dataclass
class PageFamilyStore:
    """The evidence of every article for its page family, and the items that are withheld until
    their family is judged. Sums by family are kept beside it."""

    at: SiteRows

    def record(
        self, key: str, evidence: FamilyEvidence, *, digest: str, withheld: dict[str, Any] | None
    ) -> None:
        """Store the evidence of a page in place of earlier evidence; and its item, whose body has
        this digest, if it is withheld."""
        data = _packed(withheld | {_AGAINST: evidence.against}) if withheld else None
        self._count(key, -1)
        self.at.put(
            tables.FAMILY_PAGES,
            key,
            run=self.at.run,
            family=evidence.family,
            kind=evidence.kind,
            headline=evidence.headline[:_TITLE],
            dated=int(evidence.dated),
            weighed=int(evidence.log_odds is not None),
            log_odds=evidence.log_odds or 0.0,
            digest=digest,
            data=data,
        )
        self._count(key, 1)

    def _count(self, key: str, sign: int) -> None:
        """Add the evidence of a page to the sums of its family (1), or take it from them (-1)."""
        names = ", ".join(_SUMS)
        values = ", ".join(f":sign * ({value})" for value in _SUMS.values())
        changed = ", ".join(f"{name}=families.{name}+excluded.{name}" for name in _SUMS)
        self.at.write(
            f"INSERT INTO families (site, family, kind, {names})"
            f" SELECT site, family, kind, {values} FROM {_OF_PAGE}"
            f" ON CONFLICT (site, family, kind) DO UPDATE SET {changed}",
            key,
            sign=sign,
        )

    def families(self) -> list[PageFamily]:
        return self._families("site=:site")

    def of_page(self, key: str) -> str:
        """Name of the family of a page; empty for a page that is none of an article."""
        row = self.at.row(f"SELECT family FROM {_OF_PAGE}", key)
        return str(row[0]) if row else ""

    def family(self, name: str) -> PageFamily | None:
        return next(iter(self._families("site=:site AND family=:family", family=name)), None)

    def _families(self, which: str, **given: Any) -> list[PageFamily]:
        """The families by name, with the sums over their pages."""
        sums = ", ".join(f"sum({name})" for name in _SUMS)
        of_families = f"FROM families WHERE {which} AND pages>0 GROUP BY family ORDER BY family"
        rows = self.at.rows(f"SELECT family, max(kind), {sums} {of_families}", **given)
        return [
            PageFamily(name, PageKind(kind), type_in(name), *counts) for name, kind, *counts in rows
        ]

    def headlines(self, name: str) -> list[str]:
        of_family = "site=:site AND family=:family AND headline<>''"
        sql = f"SELECT headline FROM family_pages WHERE {of_family} ORDER BY key LIMIT 3"
        return [str(text) for (text,) in self.at.rows(sql, family=name)]

    def withheld(self, name: str, *, most: int = 1 << 31) -> Iterator[WithheldItem]:
        """Withheld items of a family, the first ``most`` by key."""
        of_family = "site=:site AND family=:family AND data IS NOT NULL"
        turn = "SELECT turn FROM pages WHERE pages.site=:site AND pages.key=family_pages.key"
        columns = f"key, data, digest, coalesce(({turn}), 0)"
        sql = f"SELECT {columns} FROM family_pages WHERE {of_family} ORDER BY key LIMIT :most"
        for key, data, digest, number in self.at.rows(sql, family=name, most=most):
            item, against = self._withheld_item(data)
            yield WithheldItem(str(key), item, str(digest), int(number), against)

    def _withheld_item(self, data: bytes) -> tuple[dict[str, Any], Sequence[str]]:
        item = _unpacked(data, self.at)
        against: Sequence[str] = item.pop(_AGAINST, ())
        return item, against

    def against(self, name: str) -> list[tuple[str, int]]:
        """What speaks most against the withheld pages of a family, in words, each with the number
        of pages of which it does; some of the pages if there are many."""
        counts = Counter[str]()
        for page in self.withheld(name, most=LIMITS.parts):
            counts.update(page.against)
        return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:3]

    def titled(self, headline: str | None) -> list[str]:
        """Keys of the pages with a headline, some of them if there are many."""
        if not headline:
            return []
        of_headline = "site=:site AND headline=:headline"
        sql = f"SELECT key FROM family_pages WHERE {of_headline} ORDER BY run DESC, key LIMIT :most"
        rows = self.at.rows(sql, headline=headline[:_TITLE], most=LIMITS.parts)
        return [str(key) for (key,) in rows]

    def titled_elsewhere(self, headline: str | None, family: str) -> tuple[str, str]:
        """Key and family of a page with a headline that is not of ``family``, among some of those
        that have it; else empty."""
        of_headline = "site=:site AND headline=:headline"
        # in the order of keys alone a database reads all pages of the site
        order = "ORDER BY run DESC, key LIMIT :most"
        some = f"SELECT key, family FROM family_pages WHERE {of_headline} {order}"
        sql = f"SELECT key, family FROM ({some}) AS found WHERE family<>:family ORDER BY key"
        name = (headline or "")[:_TITLE]
        row = self.at.row(sql, headline=name, family=family, most=LIMITS.parts) if name else None
        return (str(row[0]), str(row[1])) if row else ("", "")

    def shared_headlines(self) -> dict[str, tuple[int, int]]:
        """The pages of each family that have the headline of a page of another family, and the
        number of these headlines."""
        of_family = "FROM family_pages WHERE site=:site AND headline<>'' GROUP BY headline, family"
        named = f"SELECT headline, family, count(*) AS pages {of_family}"
        shared = "SELECT headline FROM named GROUP BY headline HAVING count(*)>1"
        sums = "family, sum(pages), count(*)"
        sql = (
            f"WITH named AS ({named}), shared AS ({shared}) SELECT {sums} FROM named"
            " WHERE headline IN (SELECT headline FROM shared) GROUP BY family"
        )
        return {str(name): (int(pages), int(count)) for name, pages, count in self.at.rows(sql)}

    def example(self, name: str) -> str:
        """URL of a withheld item of a family; empty if there is none."""
        return next((str(one.item["url"]) for one in self.withheld(name, most=1)), "")

    def holds(self, key: str) -> bool:
        """Whether the item of a page is withheld."""
        return self.at.row(f"SELECT key FROM {_OF_PAGE} AND data IS NOT NULL", key) is not None

    def item(self, key: str) -> dict[str, Any] | None:
        """The withheld item of a page."""
        row = self.at.row(f"SELECT data FROM {_OF_PAGE} AND data IS NOT NULL", key)
        return self._withheld_item(row[0])[0] if row else None

    def withheld_count(self) -> int:
        return self.at.number("SELECT sum(withheld) FROM families WHERE site=:site")

    def release(self, key: str) -> None:
        """The item of a page is no longer withheld: it was written, or never will be."""
        self._count(key, -1)
        self.at.write("UPDATE family_pages SET data=NULL WHERE site=:site AND key=:key", key)
        self._count(key, 1)
