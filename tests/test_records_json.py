"""The codec of stored records: what is written is read back, and damage raises one of the errors
that its users expect."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import pytest

from sitecrawl.records_json import from_document, to_document


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Inner:
    name: str
    weight: float = 1.0


@dataclass
class Outer:
    colour: Colour
    inner: Inner | None = None
    many: list[Inner] = field(default_factory=list)
    names: tuple[str, ...] = ()
    by_number: dict[int, Inner] = field(default_factory=dict)
    by_colour: dict[Colour, int] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    colours: frozenset[Colour] = frozenset()
    free: Any = None


WHOLE = Outer(
    Colour.BLUE,
    Inner("a", 2.0),
    [Inner("b")],
    ("x",),
    {7: Inner("c")},
    {Colour.RED: 1},
    Counter(y=2),
    frozenset(Colour),
    [1],
)


@pytest.mark.parametrize("record", [Outer(Colour.RED), WHOLE])
def test_a_record_comes_back(record: Outer) -> None:
    assert from_document(Outer, json.loads(json.dumps(to_document(record)))) == record


def test_defaults_are_left_out_and_unknown_keys_ignored() -> None:
    assert to_document(Outer(Colour.RED)) == {"colour": "red"}
    assert from_document(Inner, {"name": "a", "height": 3}) == Inner("a")


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"colour": "green"},
        {"colour": "red", "names": "x"},
        {"colour": "red", "inner": 3},
        7,
        None,
    ],
)
def test_damage_is_an_error(document: Any) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError)):
        from_document(Outer, document)
