"""What the crawls of a site keep of its articles: pages that wait, items that left, and what each article says of its page family."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from sitecrawl.crawl.database import FAMILY_PAGES, ITEMS, ROWS_AT_ONCE, WAITING, SiteRows, short
from sitecrawl.crawl.records import ArticleRecord, WaitingPage, WaitKind
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.records_json import from_document, to_document
from sitecrawl.site.page_families import FamilyEvidence, PageFamily, type_in


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
        self.at.put(WAITING, key, run=self.at.run, kind=kind, of=of, page=page, body=body)

    def held(self, kind: WaitKind | None = None, *, of: str = "") -> Iterator[WaitingPage]:
        """Waiting pages of this run, the oldest first: those of one kind (and family or article), or all whose articles have not left."""
        if kind is None:
            return self._pages(f"run=:run AND kind<>'{WaitKind.ANSWERED}'")
        return self._pages("run=:run AND kind=:kind AND of=:of", kind=kind, of=of)

    def _pages(self, which: str, **given: Any) -> Iterator[WaitingPage]:
        keys = self.at.rows(f"SELECT key FROM waiting WHERE site=:site AND {which} ORDER BY seq", **given)
        for (key,) in keys:
            row = self.at.row("SELECT page, body FROM waiting WHERE site=:site AND key=:key", key)
            if row:
                with self.at.db.undamaged():
                    waiting = WaitingPage(from_document(ArticleRecord, json.loads(row[0])), zlib.decompress(row[1]))
                known = self._parsed.get(key)
                yield replace(waiting, parsed=known.parsed) if known else waiting

    def count(self) -> int:
        waits = f"site=:site AND run=:run AND kind<>'{WaitKind.ANSWERED}'"
        return self.at.number(f"SELECT count(*) FROM waiting WHERE {waits}")

    def let_go(self, key: str) -> None:
        self._parsed.pop(short(key), None)
        self.at.write("DELETE FROM waiting WHERE site=:site AND key=:key", key)

    # ---- pages whose article left
    def keep_answered(self, page: WaitingPage, family: str) -> None:
        """Keep a page whose article left by a template that the next pages may prove wrong; the newest of a family are kept."""
        self.hold(page, WaitKind.ANSWERED, of=family)
        newest = f"SELECT seq FROM waiting WHERE site=:site AND {_answered(family)} ORDER BY seq DESC"
        self._drop_answered(family, f" AND seq NOT IN ({newest} LIMIT {LIMITS.answered})")

    def answered(self, family: str = "") -> Iterator[WaitingPage]:
        """The pages kept of a family, or of all, whose articles left."""
        return self._pages(_answered(family), of=family)

    def forget_answered(self, family: str = "") -> None:
        """The articles that left for the pages of a family, or of all, stay as they are."""
        self._drop_answered(family)

    def _drop_answered(self, family: str, but: str = "") -> None:
        self.at.write(f"DELETE FROM waiting WHERE site=:site AND {_answered(family)}{but}", of=family)


def _answered(family: str) -> str:
    return f"kind='{WaitKind.ANSWERED}'" + " AND of=:of" * bool(family)


# ---- items that left
_LATEST = (
    "site=:site AND NOT EXISTS (SELECT 1 FROM items newer"
    " WHERE newer.site=items.site AND newer.key=items.key AND newer.revision>items.revision)"
)


@dataclass
class LeftItems:
    """The items that left, each with its earlier revisions, so that a feed cut short can be completed."""

    at: SiteRows

    def put(self, key: str, item: dict[str, Any], *, digest: str) -> None:
        data = zlib.compress(json.dumps(item, ensure_ascii=False).encode("utf-8", "surrogatepass"), 1)
        number = int(item.get("revision") or 1)
        self.at.put(ITEMS, key, revision=number, run=self.at.run, digest=digest, data=data)

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
        sql = "SELECT data, digest, run FROM items WHERE site=:site AND key=:key ORDER BY revision DESC LIMIT 1"
        return self.at.row(sql, key)

    def exist(self) -> bool:
        return bool(self.at.rows("SELECT seq FROM items WHERE site=:site LIMIT 1"))

    def count(self) -> int:
        """Number of the pages for which an item left in this run."""
        return self.at.number("SELECT count(DISTINCT key) FROM items WHERE site=:site AND run=:run")

    def count_besides(self, run: int) -> int:
        """Number of the pages whose latest item left in another run."""
        return self.at.number(f"SELECT count(*) FROM items WHERE {_LATEST} AND run<>:other", other=run)

    def of_run(self) -> Iterator[dict[str, Any]]:
        """Items that left in this run, in order; read bit by bit."""
        return self._items("site=:site AND run=:run")

    def all(self) -> Iterator[dict[str, Any]]:
        """Items of all runs in their latest revision, in order; read bit by bit."""
        return self._items(_LATEST)

    def _items(self, which: str) -> Iterator[dict[str, Any]]:
        sql, last = f"SELECT seq, data FROM items WHERE {which} AND seq>:last ORDER BY seq LIMIT {ROWS_AT_ONCE}", 0
        while rows := self.at.rows(sql, last=last):
            yield from (self._item(data) for _, data in rows)
            last = rows[-1][0]

    def _item(self, data: bytes) -> dict[str, Any]:
        with self.at.db.undamaged():
            return dict(json.loads(zlib.decompress(data)))


# ---- page families
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
        self.at.put(
            FAMILY_PAGES,
            key,
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
        return self._families("site=:site")

    def family(self, name: str) -> PageFamily | None:
        return next(iter(self._families("site=:site AND family=:family", family=name)), None)

    def _families(self, which: str, **given: Any) -> list[PageFamily]:
        """The families by name, with the sums of what their pages say."""
        sums = "count(*), sum(dated), sum(weighed), sum(log_odds), count(data)"
        sql = f"SELECT family, max(kind), {sums} FROM family_pages WHERE {which} GROUP BY family ORDER BY family"
        return [_family(*row) for row in self.at.rows(sql, **given)]

    def headlines(self, name: str) -> list[str]:
        of_family = "site=:site AND family=:family AND headline<>''"
        sql = f"SELECT headline FROM family_pages WHERE {of_family} ORDER BY key LIMIT 3"
        return [str(text) for (text,) in self.at.rows(sql, family=name)]

    def withheld(self, name: str) -> Iterator[WithheldItem]:
        of_family = "site=:site AND family=:family AND data IS NOT NULL"
        sql = f"SELECT key, data, digest FROM family_pages WHERE {of_family} ORDER BY key"
        for key, data, digest in self.at.rows(sql, family=name):
            with self.at.db.undamaged():
                item: dict[str, Any] = json.loads(zlib.decompress(data))
            yield WithheldItem(str(key), item, str(digest))

    def withheld_count(self) -> int:
        return self.at.number("SELECT count(data) FROM family_pages WHERE site=:site")

    def release(self, key: str) -> None:
        """The item of a page left, or never will: it is withheld no more."""
        self.at.write("UPDATE family_pages SET data=NULL WHERE site=:site AND key=:key", key)


def _family(name: str, kind: str, *sums: Any) -> PageFamily:
    pages, dated, weighed, log_odds, withheld = sums
    return PageFamily(
        name, PageKind(kind), type_in(name), int(pages), int(dated), int(weighed), float(log_odds), int(withheld)
    )
