"""Items as rows: CSV, and Parquet by pyarrow."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import IO, Any

from scrapy.exporters import BaseItemExporter, CsvItemExporter

from sitecrawl.exporters import fields_of
from sitecrawl.items.article import ITEM_FIELDS, FieldKind
from sitecrawl.text.chars import csv_cell, storable

COLUMNS = (*ITEM_FIELDS, "revision")
_DERIVED = {"confidence": ("provenance", "confidence"), "dateDownloaded": ("metadata", "dateDownloaded")}
"""Columns that hold a value out of a record of the item."""


class CsvExporter(CsvItemExporter):
    """Scrapy's own, with all fields of an article as columns, lists and records as JSON, and no cell that a spreadsheet takes for a formula."""

    def export_item(self, item: Any) -> None:
        found = fields_of(item)
        if self.fields_to_export is None and "articleBody" in found:
            self.fields_to_export = list(dict.fromkeys([*COLUMNS, *found]))
        super().export_item(found)

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        if isinstance(value, list | dict) and "serializer" not in field:
            return json.dumps(value, ensure_ascii=False) if value else ""
        return super().serialize_field(field, name, value)

    def _build_row(self, values: Iterable[Any]) -> Iterable[Any]:
        return (csv_cell(storable(value)) if isinstance(value, str) else value for value in super()._build_row(values))


class ParquetExporter(BaseItemExporter):
    """Parquet by pyarrow: a column a field, dates as timestamps in UTC, records as JSON, and as JSON in ``more`` what no column holds:
    keys that are no field of an article, and dates that are no instant (a day, or a time without its zone)."""

    def __init__(self, file: IO[bytes], *, batch: int = 500, **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        import pyarrow
        import pyarrow.parquet

        self.batch = batch  # items that are written at a time
        self.arrow, self.rows = pyarrow, list[dict[str, Any]]()
        self.schema = pyarrow.schema([(name, self._type(name)) for name in (*COLUMNS, *_DERIVED, "more")])
        self.writer = pyarrow.parquet.ParquetWriter(file, self.schema)

    def _type(self, name: str) -> Any:
        if name == "confidence":
            return self.arrow.float64()
        kind = _kind(name)
        if kind in (FieldKind.NUMBER, FieldKind.SWITCH):
            return self.arrow.int64() if kind is FieldKind.NUMBER else self.arrow.bool_()
        if kind is FieldKind.DATE:
            return self.arrow.timestamp("us", tz="UTC")
        text = self.arrow.string()
        return self.arrow.list_(text) if kind is FieldKind.NAMES else text

    def export_item(self, item: Any) -> None:
        found = fields_of(item)
        found |= {name: (found.get(record) or {}).get(key) for name, (record, key) in _DERIVED.items()}
        more = {name: value for name, value in found.items() if name not in self.schema.names or _is_vague(name, value)}
        cells = {name: _cell(name, value) for name, value in found.items() if name in self.schema.names}
        self.rows.append(cells | {"more": _json(more)})
        if len(self.rows) == self.batch:
            self._flush()

    def _flush(self) -> None:
        self.writer.write_table(self.arrow.Table.from_pylist(self.rows, self.schema))
        self.rows = []

    def finish_exporting(self) -> None:
        self._flush()
        self.writer.close()


def _kind(name: str) -> FieldKind:
    known = {"revision": FieldKind.NUMBER, "dateDownloaded": FieldKind.DATE}
    return ITEM_FIELDS[name].kind if name in ITEM_FIELDS else known.get(name, FieldKind.RECORDS)


def _cell(name: str, value: Any) -> Any:
    if _kind(name) is FieldKind.DATE:
        moment = _parsed(value)
        return moment and (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    return _json(value) if isinstance(value, dict | list) and _kind(name) is not FieldKind.NAMES else value


def _is_vague(name: str, value: Any) -> bool:
    """Whether a value is a date that a timestamp holds less exactly."""
    moment = _parsed(value) if _kind(name) is FieldKind.DATE else None
    return _kind(name) is FieldKind.DATE and bool(value) and (moment is None or moment.tzinfo is None)


def _parsed(value: str | None) -> datetime | None:
    """A date of ISO 8601; None for one that is not a day of the calendar, such as a month."""
    try:
        return datetime.fromisoformat(value) if value else None
    except ValueError:
        return None


def _json(value: Any) -> str | None:
    return json.dumps(value, ensure_ascii=False) if value else None
