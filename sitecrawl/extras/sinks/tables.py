"""Items as rows: CSV, Parquet by pyarrow, and what SQL tables hold."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import IO, Any

from scrapy.exporters import BaseItemExporter, CsvItemExporter

from sitecrawl.extras.sinks.feed_writing import fields_of
from sitecrawl.items.article import ITEM_FIELDS, FieldKind
from sitecrawl.text.chars import csv_cell, storable

COLUMNS = (*ITEM_FIELDS, "revision")
DERIVED = {
    "confidence": ("provenance", "confidence"),
    "dateDownloaded": ("metadata", "dateDownloaded"),
}
"""Columns that hold a value out of a record of the item."""


class CsvExporter(CsvItemExporter):
    """Scrapy's exporter with all article fields as columns, lists and records as JSON, and no cell
    that a spreadsheet would run as a formula."""

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
        return (
            csv_cell(storable(value)) if isinstance(value, str) else value
            for value in super()._build_row(values)
        )


class ParquetExporter(BaseItemExporter):
    """Parquet by pyarrow: one column per field, dates as UTC timestamps, records as JSON. The JSON
    column ``more`` holds what no other column can: foreign keys, and dates that are not exact
    instants (a day, or a time without zone)."""

    def __init__(self, file: IO[bytes], *, batch: int = 500, **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        import pyarrow
        import pyarrow.parquet

        self.batch = batch  # items that are written at a time
        self.arrow, self.rows = pyarrow, list[dict[str, Any]]()
        types = {FieldKind.NUMBER: pyarrow.int64(), FieldKind.SWITCH: pyarrow.bool_()}
        types |= {
            FieldKind.DATE: pyarrow.timestamp("us", tz="UTC"),
            FieldKind.NAMES: pyarrow.list_(pyarrow.string()),
        }
        known = {
            name: types.get(kind_of(name), pyarrow.string())
            for name in (*COLUMNS, *DERIVED, "more")
        }
        self.schema = pyarrow.schema(known | {"confidence": pyarrow.float64()})
        self.writer = pyarrow.parquet.ParquetWriter(file, self.schema)

    def export_item(self, item: Any) -> None:
        cells = cells_of(item)
        for name, value in cells.items():
            if isinstance(value, dict | list) and kind_of(name) is not FieldKind.NAMES:
                cells[name] = json.dumps(value, ensure_ascii=False) if value else None
        self.rows.append(cells)
        if len(self.rows) == self.batch:
            self._flush()

    def _flush(self) -> None:
        self.writer.write_table(self.arrow.Table.from_pylist(self.rows, self.schema))
        self.rows = []

    def finish_exporting(self) -> None:
        self._flush()
        self.writer.close()


def cells_of(item: Any) -> dict[str, Any]:
    """The row of an item: values by ``COLUMNS``, dates as instants, and in ``more`` what no column
    holds exactly."""
    found = fields_of(item)
    found |= {name: (found.get(record) or {}).get(key) for name, (record, key) in DERIVED.items()}
    names = (*COLUMNS, *DERIVED)
    cells = {name: found.get(name) for name in names}
    more = {name: value for name, value in found.items() if name not in names}
    for name in names:
        if kind_of(name) is FieldKind.DATE:
            moment = None
            with suppress(ValueError):  # not a day of the calendar, such as a month
                moment = datetime.fromisoformat(cells[name] or "")
            if cells[name] and (moment is None or moment.tzinfo is None):
                more[name] = cells[name]
            cells[name] = moment and moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    return cells | {"more": more}


def kind_of(name: str) -> FieldKind:
    known = {"revision": FieldKind.NUMBER, "dateDownloaded": FieldKind.DATE}
    return (
        ITEM_FIELDS[name].kind
        if name in ITEM_FIELDS
        else known.get(name, FieldKind.NOT_FROM_TEMPLATE)
    )
