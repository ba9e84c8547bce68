"""Items as CSV."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from scrapy.exporters import CsvItemExporter

from sitecrawl.items.article import ITEM_FIELDS
from sitecrawl.text.chars import csv_cell, storable

COLUMNS = (*ITEM_FIELDS, "revision")


class CsvExporter(CsvItemExporter):
    """Scrapy's own, with all fields of an article as columns, lists and records as JSON, and no cell that a spreadsheet takes for a formula."""

    def export_item(self, item: Any) -> None:
        if self.fields_to_export is None and "articleBody" in item:
            self.fields_to_export = list(dict.fromkeys([*COLUMNS, *item]))
        super().export_item(item)

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        if isinstance(value, list | dict) and "serializer" not in field:
            return json.dumps(value, ensure_ascii=False) if value else ""
        return super().serialize_field(field, name, value)

    def _build_row(self, values: Iterable[Any]) -> Iterable[Any]:
        return (csv_cell(storable(value)) if isinstance(value, str) else value for value in super()._build_row(values))
