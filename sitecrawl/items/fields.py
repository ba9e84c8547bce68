"""The table of item fields: one row a field, written beside its name and type in ``Article``; every output goes by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, dataclass, field, fields
from enum import StrEnum
from typing import Any

_ROWS = "item fields"


class FieldKind(StrEnum):
    """What a field holds: how a template reads it, how the parts of an article are joined, how feeds write it."""

    TEXT = "text"
    DATE = "date"
    """ISO 8601."""
    URL = "url"
    IMAGE = "image"
    """``{"url": ...}``."""
    PEOPLE = "people"
    """A list of ``{"name": ...}``."""
    NAMES = "names"
    """A list of texts."""
    LINKS = "links"
    """A list of ``{"name": ..., "url": ...}``."""
    RECORDS = "records"
    """Comments, images, texts by name, provenance: no address of a template gives them."""


@dataclass(frozen=True, slots=True)
class ItemField:
    """A row of the table.

    ``feed`` is the field's name in JSON Feed; without one it stands in ``_sitecrawl``. ``rare`` tells that whole sites
    lack it, so that a template remembers whether its pages have it at all and nobody looks for it in vain. ``summed``
    fields of an article over several pages hold the values of all parts, each once; the others are those of the first
    part. ``optional`` fields are left out of an item where they are empty. ``empty`` makes the value of a field that a page lacks.
    """

    name: str
    kind: FieldKind = FieldKind.TEXT
    feed: str = ""
    rare: bool = False
    summed: bool = False
    optional: bool = False
    empty: Callable[[], Any] = lambda: None


def item_field(kind: FieldKind = FieldKind.TEXT, *, empty: Callable[[], Any] = lambda: None, **row: Any) -> Any:
    """A field of a dataclass whose name makes a row; ``row`` are the further columns of :class:`ItemField`.

    The value is None, or what ``empty`` makes: never an attribute of the class, which would hide a deferred value.
    """
    return field(default_factory=empty, metadata={_ROWS: lambda name: [ItemField(name, kind, empty=empty, **row)]})


def item_fields(*rows: ItemField) -> Any:
    """A field of a dataclass that gives several fields of an item."""
    return field(default_factory=lambda: None, metadata={_ROWS: lambda _: rows})


def table_of(record: type) -> dict[str, ItemField]:
    """The rows of a dataclass by name, in the order of its fields."""
    found: tuple[Field[Any], ...] = fields(record)
    return {row.name: row for one in found if _ROWS in one.metadata for row in one.metadata[_ROWS](one.name)}
