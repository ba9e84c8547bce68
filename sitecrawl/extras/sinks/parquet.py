"""Parquet files by pyarrow."""

from __future__ import annotations

import json
from typing import IO, Any

from scrapy.exporters import BaseItemExporter

from sitecrawl.exporters import COLUMNS
from sitecrawl.items.article import ITEM_FIELDS, FieldKind


class ParquetExporter(BaseItemExporter):
    """Parquet by pyarrow: a column a field; records as JSON, and what is no field of an article as JSON in ``more``."""

    def __init__(self, file: IO[bytes], *, batch: int = 500, **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        import pyarrow
        import pyarrow.parquet

        self.batch = batch  # items that are written at a time
        self.arrow, self.rows = pyarrow, list[dict[str, Any]]()
        self.schema = pyarrow.schema([(name, self._type(name)) for name in (*COLUMNS, "more")])
        self.writer = pyarrow.parquet.ParquetWriter(file, self.schema)

    def _type(self, name: str) -> Any:
        if name == "revision":
            return self.arrow.int64()
        text, kind = self.arrow.string(), ITEM_FIELDS[name].kind if name in ITEM_FIELDS else FieldKind.RECORDS
        return self.arrow.list_(text) if kind is FieldKind.NAMES else text

    def export_item(self, item: Any) -> None:
        found = dict(item)
        more = {name: found.pop(name) for name in list(found) if name not in COLUMNS}
        self.rows.append({name: _cell(name, value) for name, value in found.items()} | {"more": _json(more)})
        if len(self.rows) == self.batch:
            self._flush()

    def _flush(self) -> None:
        self.writer.write_table(self.arrow.Table.from_pylist(self.rows, self.schema))
        self.rows = []

    def finish_exporting(self) -> None:
        self._flush()
        self.writer.close()


def _cell(name: str, value: Any) -> Any:
    return _json(value) if isinstance(value, dict | list) and ITEM_FIELDS[name].kind is not FieldKind.NAMES else value


def _json(value: Any) -> str | None:
    return json.dumps(value, ensure_ascii=False) if value else None
