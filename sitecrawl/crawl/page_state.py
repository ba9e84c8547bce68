"""What the crawls of a site keep of its pages: what was asked for and what became of it, which listings show an article, and
the versions in which pages were last fetched."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

from sitecrawl.crawl.database import PAGES, ROWS_AT_ONCE, VERSIONS, SiteRows, short
from sitecrawl.crawl.records import RequestContext
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.records_json import from_document, to_document

_IS_ARTICLE = f"kind IN ('{PageKind.ARTICLE}', '{PageKind.THREAD}')"


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
        self._turn = self.at.number("SELECT max(turn) FROM pages WHERE site=:site AND status='done'")

    def queue(self, context: RequestContext) -> None:
        text = json.dumps(to_document(context), ensure_ascii=False)
        self.at.put(PAGES, context.key, run=self.at.run, status="queued", kind="", brought=0, context=text)

    def done(self, key: str, kind: PageKind | None, *, shown: int = 0, brought: int = 0) -> None:
        """A page was dealt with: its kind (None where it is of no use), the articles that it showed, the new ones among them."""
        self._turn += 1
        self.at.write(
            "UPDATE pages SET status='done', kind=:kind, shown=:shown, brought=:brought, turn=:turn"
            " WHERE site=:site AND key=:key",
            key,
            kind=str(kind or "failed"),
            shown=shown,
            brought=brought,
            turn=self._turn,
        )

    def queue_again(self, key: str) -> None:
        self.at.write("UPDATE pages SET status='queued', kind='' WHERE site=:site AND key=:key", key)

    def drop_queue(self) -> None:
        self.at.write("DELETE FROM pages WHERE site=:site AND run=:run AND status='queued'")

    def queued(self) -> list[RequestContext]:
        """The pages that this run has still to fetch, in the order in which they were found."""
        sql = "SELECT context FROM pages WHERE site=:site AND run=:run AND status='queued' ORDER BY run, seq"
        return [self._context(text) for (text,) in self.at.rows(sql)]

    def done_pages(self, most: int) -> list[DonePage]:
        """The pages of this run dealt with last, the oldest of them first."""
        sql = (
            "SELECT context, kind, shown, brought FROM pages WHERE site=:site AND run=:run AND status='done'"
            " ORDER BY turn DESC LIMIT :most"
        )
        rows = self.at.rows(sql, most=most)
        return [DonePage(self._context(text), _kind(kind), *counts) for text, kind, *counts in reversed(rows)]

    def count_done(self) -> int:
        return self.at.number("SELECT count(*) FROM pages WHERE site=:site AND run=:run AND status='done'")

    def asked_for(self, key: str) -> tuple[RequestContext, str] | None:
        """The request for a page, and what became of it: the kind of the page, ``failed`` or ``queued``. None for a page that is not known."""
        row = self.at.row("SELECT context, status, kind FROM pages WHERE site=:site AND key=:key", key)
        return (self._context(row[0]), str(row[2] if row[1] == "done" else row[1])) if row else None

    def count_pages(self, most: int = 1_000) -> Iterator[tuple[str, PageKind | None]]:
        """URL and kind of each page dealt with that was not counted yet; each is counted once."""
        sql = (
            "SELECT key, context, kind FROM pages WHERE site=:site AND status='done' AND counted=0"
            " ORDER BY turn LIMIT :most"
        )
        while rows := self.at.rows(sql, most=most):
            for key, text, kind in rows:
                yield self._context(text).url, _kind(kind)
                self.at.write("UPDATE pages SET counted=1 WHERE site=:site AND key=:key", key)

    def has_history(self) -> bool:
        return bool(self.at.rows("SELECT seq FROM pages WHERE site=:site AND status='done' LIMIT 1"))

    def settled(self, keys: Sequence[str], *, earlier: bool) -> set[str]:
        """Those of the keys whose pages were dealt with in this run or, with ``earlier``, were articles of earlier runs."""
        found, runs = set[str](), f"(run=:run OR {_IS_ARTICLE})" if earlier else "run=:run"
        sql = f"SELECT key FROM pages WHERE site=:site AND status='done' AND kind<>'failed' AND {runs} AND key IN"
        for start in range(0, len(keys), ROWS_AT_ONCE):
            names = {short(key): key for key in keys[start : start + ROWS_AT_ONCE]}
            asked = {f"key{number}": name for number, name in enumerate(names)}
            rows = self.at.rows(f"{sql} ({', '.join(f':{number}' for number in asked)})", **asked)
            found.update(names[name] for (name,) in rows)
        return found

    def earlier_articles(self) -> Iterator[RequestContext]:
        """The articles of earlier runs that this run has not asked for, the latest first; read bit by bit."""
        sql = (
            f"SELECT seq, context FROM pages WHERE site=:site AND status='done' AND {_IS_ARTICLE} AND run<>:run"
            f" AND seq<:below ORDER BY seq DESC LIMIT {ROWS_AT_ONCE}"
        )
        last = 1 << 62
        while rows := self.at.rows(sql, below=last):
            yield from (self._context(text) for _, text in rows)
            last = rows[-1][0]

    def _context(self, text: str) -> RequestContext:
        with self.at.db.undamaged():
            return from_document(RequestContext, json.loads(text))


def _kind(name: str) -> PageKind | None:
    return None if name in ("", "failed") else PageKind(name)


@dataclass
class ShownArticles:
    """How many listings of a site show each article; all pages of a listing count as one."""

    at: SiteRows

    def add(self, keys: Iterable[str], listing: str) -> None:
        for key in keys:
            self.at.write(
                "INSERT INTO shown (site, key, run, times, listing) VALUES (:site, :key, :run, 1, :listing)"
                " ON CONFLICT (site, key) DO UPDATE SET run=excluded.run, listing=excluded.listing, times=CASE"
                " WHEN shown.run<>excluded.run THEN 1 WHEN shown.listing=excluded.listing THEN shown.times"
                " ELSE shown.times+1 END",
                key,
                listing=listing,
            )

    def has(self, key: str) -> bool:
        return bool(self.at.rows("SELECT times FROM shown WHERE site=:site AND key=:key", key))

    def counts(self) -> tuple[int, int, int]:
        """Number of the articles that listings of this run showed, of those shown by one listing only, and by two."""
        once, twice = (f"sum(CASE WHEN times={times} THEN 1 ELSE 0 END)" for times in (1, 2))
        found = self.at.row(f"SELECT count(*), {once}, {twice} FROM shown WHERE site=:site AND run=:run")
        return int(found[0]), int(found[1] or 0), int(found[2] or 0)


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
        sql = "SELECT etag, modified, digest, type, body IS NOT NULL FROM visits WHERE site=:site AND key=:key"
        row = self.at.row(sql, key)
        return PageVersion(row[0], row[1], row[2], row[3], bool(row[4])) if row else None

    def body(self, key: str) -> bytes | None:
        """The page as it was last fetched, where its bytes were kept."""
        row = self.at.row("SELECT body FROM visits WHERE site=:site AND key=:key", key)
        with self.at.db.undamaged():
            return zlib.decompress(row[0]) if row and row[0] is not None else None

    def put(self, key: str, version: PageVersion, *, body: bytes) -> None:
        """A page was fetched; its bytes are kept where ``version`` says so. A page too large to be kept is forgotten."""
        if version.kept and len(body) > LIMITS.kept_bytes:
            self.forget(key)
            return
        told = asdict(version)
        data = zlib.compress(body, 1) if told.pop("kept") else None
        self.at.put(VERSIONS, key, run=self.at.run, **told, body=data)

    def forget(self, key: str) -> None:
        """Let the next request for a page be one without a condition."""
        self.at.write("DELETE FROM visits WHERE site=:site AND key=:key", key)

    def prune(self) -> None:
        """Drop the oldest of the pages that were kept, above the limit."""
        with_body = "FROM visits WHERE site=:site AND body IS NOT NULL"
        kept = f"SELECT key {with_body} ORDER BY run DESC, key LIMIT {LIMITS.kept_pages}"
        self.at.write(f"DELETE {with_body} AND key NOT IN ({kept})")
