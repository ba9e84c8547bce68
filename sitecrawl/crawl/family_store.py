"""What every article of a site says of its page family, and the items that are withheld until their family is judged."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam
from sqlalchemy.dialects.postgresql import insert

from sitecrawl.crawl.database import FAMILY_PAGES, SiteRows
from sitecrawl.items.kinds import PageKind
from sitecrawl.site.page_families import FamilyEvidence, PageFamily, type_in

_C = FAMILY_PAGES.c
_OF_SITE = _C.site == bindparam("at_site")
_OF_KEY = sa.and_(_OF_SITE, _C.key == bindparam("at_key"))
_OF_FAMILY = sa.and_(_OF_SITE, _C.family == bindparam("at_family"))
_COLUMNS = ("run", "family", "kind", "headline", "dated", "weighed", "log_odds", "digest", "data")
_PUT = insert(FAMILY_PAGES)
_PUT = _PUT.on_conflict_do_update(index_elements=["site", "key"], set_={name: _PUT.excluded[name] for name in _COLUMNS})
_SUMS = (
    sa.select(
        _C.family,
        sa.func.max(_C.kind),
        sa.func.count(),
        sa.func.sum(_C.dated),
        sa.func.sum(_C.weighed),
        sa.func.sum(_C.log_odds),
        sa.func.count(_C.data),
    )
    .where(_OF_SITE)
    .group_by(_C.family)
    .order_by(_C.family)
)
_SUMS_OF_ONE = _SUMS.where(_C.family == bindparam("at_family"))
_HEADLINES = sa.select(_C.headline).where(_OF_FAMILY, _C.headline != "").order_by(_C.key).limit(3)
_WITHHELD = sa.select(_C.key, _C.digest, _C.data).where(_OF_FAMILY, _C.data.is_not(None)).order_by(_C.key)
_COUNT_WITHHELD = sa.select(sa.func.count(_C.data)).where(_OF_SITE)
_LEFT = sa.update(FAMILY_PAGES).where(_OF_KEY).values(data=None)


@dataclass(frozen=True, slots=True)
class WithheldItem:
    """An item that waits for the verdict on its family; ``digest`` is that of its body."""

    key: str
    item: dict[str, Any]
    digest: str


class FamilyStore:
    """The page families of one site. Its verbs raise DatabaseError where the database is damaged or cannot be used."""

    def __init__(self, at: SiteRows) -> None:
        self.at = at

    def record(self, key: str, page: FamilyEvidence, *, withheld: WithheldItem | None = None) -> None:
        """Keep what a page says of its family, in place of what it said before; and its item where that is withheld."""
        self.at.db.write(
            _PUT,
            **self.at.row(key),
            run=self.at.run,
            family=page.family,
            kind=page.kind,
            headline=page.headline[:200],
            dated=int(page.dated),
            weighed=int(page.log_odds is not None),
            log_odds=page.log_odds or 0.0,
            digest=withheld.digest if withheld else "",
            data=zlib.compress(json.dumps(withheld.item).encode("utf-8", "surrogatepass")) if withheld else None,
        )

    def families(self) -> list[PageFamily]:
        """All families with their sums, by name."""
        return [self._family(row) for row in self.at.db.rows(_SUMS, at_site=self.at.site)]

    def family(self, name: str) -> PageFamily | None:
        """One family with its sums."""
        rows = self.at.db.rows(_SUMS_OF_ONE, at_site=self.at.site, at_family=name)
        return self._family(rows[0]) if rows else None

    def _family(self, row: Any) -> PageFamily:
        name, kind, pages, dated, weighed, log_odds, withheld = row
        return PageFamily(
            name, PageKind(kind), type_in(name), int(pages), int(dated), int(weighed), float(log_odds), int(withheld)
        )

    def headlines(self, name: str) -> list[str]:
        """Up to three headlines of a family, as examples."""
        return [str(text) for (text,) in self.at.db.rows(_HEADLINES, at_site=self.at.site, at_family=name)]

    def withheld(self, name: str) -> Iterator[WithheldItem]:
        """The items of a family that have not left."""
        for key, digest, data in list(self.at.db.rows(_WITHHELD, at_site=self.at.site, at_family=name)):
            with self.at.db.undamaged():
                item: dict[str, Any] = json.loads(zlib.decompress(data))
            yield WithheldItem(str(key), item, str(digest))

    def withheld_count(self) -> int:
        """Number of the items that are withheld."""
        return self.at.db.number(_COUNT_WITHHELD, at_site=self.at.site)

    def release(self, key: str) -> None:
        """The item of a page left, or never will: it is withheld no more."""
        self.at.db.write(_LEFT, **self.at.of(key))
