"""Items in a table ``articles`` of PostgreSQL or SQLite, one row per URL: ``-O
postgresql://user@host/db``, ``-O sqlite:///file.db``."""

from __future__ import annotations

import json
import re
from io import BytesIO
from operator import itemgetter
from typing import IO, Any

import sqlalchemy as sa
from scrapy.exporters import BaseItemExporter
from sqlalchemy.dialects.postgresql import JSONB, insert

from sitecrawl.crawl.database import is_server, server_of, without_password
from sitecrawl.errors import SitecrawlError
from sitecrawl.extras.sinks.feed_writing import with_secrets
from sitecrawl.extras.sinks.tables import COLUMNS, DERIVED, cells_of, kind_of
from sitecrawl.items.article import FieldKind
from sitecrawl.plugins import install_hint
from sitecrawl.text.chars import storable

_TYPES: dict[FieldKind, Any] = {FieldKind.DATE: sa.DateTime(timezone=True), FieldKind.TEXT: sa.Text}
_TYPES |= {FieldKind.URL: sa.Text, FieldKind.NUMBER: sa.BigInteger, FieldKind.SWITCH: sa.Boolean}
_RECORDS = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
_OWN = {"confidence": sa.Float, "fingerprint": sa.Text, "hostname": sa.Text}
"""Types of columns that do not follow from the kind of their field."""


def _column(name: str) -> str:
    """The name of a column, such as ``date_published``: it needs no quotes in SQL."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


_ARTICLES = sa.Table("articles", sa.MetaData())
for _name in (*COLUMNS, *DERIVED, "more"):
    _type = _OWN.get(_name) or _TYPES.get(kind_of(_name), _RECORDS)
    _ARTICLES.append_column(sa.Column(_column(_name), _type, primary_key=_name == "url"))


class SqlFeed(BytesIO):
    """The exporter's file object: the engine of a database with the table."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.place = without_password(url)
        self.engine = (
            server_of(url).engine(url)
            if is_server(url)
            else sa.create_engine(url, poolclass=sa.NullPool)
        )

    def write_rows(self, rows: list[dict[str, Any]]) -> None:
        """Insert rows, or update those with an older or equal revision, in one transaction; without
        rows create the table. Raises OSError."""
        new = insert(_ARTICLES)
        changed = {column.name: new.excluded[column.name] for column in _ARTICLES.columns}
        newer = new.excluded.revision >= _ARTICLES.c.revision
        upsert = new.on_conflict_do_update(index_elements=["url"], set_=changed, where=newer)
        try:
            with self.engine.begin() as connection:
                if not rows and connection.dialect.name == "postgresql":
                    connection.exec_driver_sql(
                        "SELECT pg_advisory_xact_lock(20240506)"
                    )  # one makes the table
                if rows:
                    connection.execute(upsert, rows)
                else:
                    connection.execute(sa.schema.CreateTable(_ARTICLES, if_not_exists=True))
        except sa.exc.SQLAlchemyError as error:
            why = " ".join(str(getattr(error, "orig", None) or error).split())
            raise OSError(f"the database {self.place} cannot be used ({why[:200]})") from None


class SqlExporter(BaseItemExporter):
    """Writes items into the table in batches of ``batch``. Raises OSError if the database cannot be
    used."""

    def __init__(self, file: SqlFeed, *, batch: int = 100, **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self.file, self.batch, self.rows = file, batch, list[dict[str, Any]]()

    def export_item(self, item: Any) -> None:
        cells = {_column(name): _storable(value) for name, value in cells_of(item).items()}
        self.rows.append(cells | {"revision": cells["revision"] or 1})
        if len(self.rows) >= self.batch:
            self.finish_exporting()

    def finish_exporting(self) -> None:
        # in order, so that crawls that write the same rows wait for one another and never for each
        # other
        self.file.write_rows(sorted(self.rows, key=itemgetter("url")))
        self.rows = []


class SqlStorage:
    """Scrapy's storage of feeds in a database. Rows are never deleted: -o and -O are the same."""

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        self.uri = uri

    def open(self, spider: Any) -> SqlFeed:
        """Raises SitecrawlError or OSError where the database cannot be used."""
        try:
            feed = SqlFeed(with_secrets(self.uri))
        except ModuleNotFoundError as error:
            raise SitecrawlError(
                f"{self.uri} needs {error.name}: {install_hint('cluster')}"
            ) from None
        except sa.exc.ArgumentError as error:
            raise SitecrawlError(str(error)) from None
        feed.write_rows([])
        return feed

    def store(self, file: IO[bytes]) -> None:
        """Each batch was committed when it was written."""


def _storable(value: Any) -> Any:
    """The value with all texts in a form that every database can store."""
    if isinstance(value, dict | list):
        return json.loads(
            storable(json.dumps(value, ensure_ascii=False)).replace("\\u0000", "\ufffd")
        )
    return storable(value) if isinstance(value, str) else value
