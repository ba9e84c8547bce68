"""Dataclasses as JSON documents and back: one codec for all records that are stored.

Field types it knows: str, int, float, bool, Any, enums, dataclasses, lists, tuples of one type,
sets, mappings, and any of these or None."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache, partial
from types import NoneType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Record = TypeVar("Record")
_Reader = Callable[[Any], Any]


def to_document(record: Any) -> dict[str, Any]:
    """The fields of a dataclass as JSON values; fields that have their default value are left out.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Point:
    ...     x: int
    ...     names: tuple[str, ...] = ()
    >>> to_document(Point(1)), to_document(Point(1, ("a",))), from_document(Point, {"x": 2, "names": ["b"]})
    ({'x': 1}, {'x': 1, 'names': ['a']}, Point(x=2, names=('b',)))
    """
    found = {}
    for name, default, read in _entries_of(cast(Hashable, type(record))):
        value = getattr(record, name)
        if value is not default and value != default:
            found[name] = value if read is None else _written(value)
    return found


def from_document(kind: type[Record], document: Any) -> Record:
    """The dataclass of :meth:`to_document`; keys that it does not have are ignored. Raises
    TypeError, ValueError or AttributeError for a damaged document."""
    given = {}
    readers = _readers_of(cast(Hashable, kind))
    for name, value in document.items():
        if name in readers:
            read = readers[name]
            given[name] = value if read is None else read(value)
    return kind(**given)


@cache
def _readers_of(kind: Any) -> dict[str, _Reader | None]:
    return {name: read for name, _, read in _entries_of(kind)}


@cache
def _entries_of(kind: Any) -> list[tuple[str, Any, _Reader | None]]:
    """The fields: name, default (MISSING without one), and how the JSON value is read (None: as it
    is)."""
    hints = get_type_hints(kind)
    found = [one for one in fields(kind) if one.init]
    usual = (
        one.default if one.default_factory is MISSING else one.default_factory() for one in found
    )
    return [
        (one.name, value, _reader(hints[one.name])) for one, value in zip(found, usual, strict=True)
    ]


def _written(value: Any) -> Any:
    if is_dataclass(value):
        return to_document(value)
    if isinstance(value, Mapping):
        return {str(key): _written(each) for key, each in value.items()}
    if isinstance(value, AbstractSet):
        return sorted(map(_written, value))
    return [_written(each) for each in value] if isinstance(value, list | tuple) else value


def _reader(hint: Any) -> _Reader | None:
    """How a JSON value becomes one of a type; None where it is one already."""
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind is Union or type(hint).__name__ == "UnionType":
        (some,) = (each for each in inner if each is not NoneType)
        read = _reader(some)
        return partial(_optional, read) if read else None
    if not isinstance(kind, type) or kind in (Any, str, int, float, bool, object):
        return None
    if is_dataclass(kind):
        return partial(from_document, kind)
    if issubclass(kind, Enum):
        return kind
    if issubclass(kind, Mapping):
        return _mapping_reader(kind, inner)
    concrete = list if issubclass(kind, Sequence) else frozenset
    return partial(
        _items,
        make=kind if kind in (list, tuple, set, frozenset) else concrete,
        read=_reader(inner[0]),
    )


def _mapping_reader(kind: Any, inner: Sequence[Any]) -> _Reader:
    read_key = int if inner[0] is int else _reader(inner[0])  # JSON has texts for keys only
    if kind is Counter:
        return partial(_mapping, make=Counter, read_key=read_key, read=None)
    return partial(_mapping, make=dict, read_key=read_key, read=_reader(inner[1]))


def _optional(read: _Reader, value: Any) -> Any:
    return None if value is None else read(value)


def _items(value: Any, *, make: Callable[[Any], Any], read: _Reader | None) -> Any:
    if not isinstance(value, list | tuple):
        raise TypeError(f"a list is wanted, not {value!r}")
    return make(map(read, value) if read else value)


def _mapping(
    value: Any, *, make: Callable[[Any], Any], read_key: _Reader | None, read: _Reader | None
) -> Any:
    return make(
        {
            read_key(key) if read_key else key: read(each) if read else each
            for key, each in value.items()
        }
    )
