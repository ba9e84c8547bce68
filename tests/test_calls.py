"""Work is a test: calls of functions on ten synthetic pages, alone, by template and for links, may
grow by 8 % at most. No clock. The figures are raised only in a commit that says why; `python -m
tests.work` writes them."""

from __future__ import annotations

import sys

import pytest

from tests.work import pages, work_of

REACHED = {
    "a note": {"alone": 3894, "template": 1794, "links": 4180},
    "a story": {"alone": 4183, "template": 1920, "links": 4582},
    "a long story": {"alone": 7262, "template": 3270, "links": 8910},
    "a book": {"alone": 27575, "template": 22065, "links": 36206},
    "a report": {"alone": 3267, "template": 1851, "links": 3298},
    "a demo story": {"alone": 3649, "template": 2375, "links": 4078},
    "a Chinese story": {"alone": 3656, "template": 2218, "links": 3869},
    "a notice": {"alone": 3991, "template": 1618, "links": 3701},
    "a listing": {"alone": 8520, "links": 5002},
    "a portal": {"alone": 99792, "links": 29121},
}  # fmt: skip
"""Calls that each page cost when the table was written last, on Python 3.11."""
SLACK = 1.08


def test_the_table_holds_every_page() -> None:
    assert list(REACHED) == list(pages())


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="other versions count other calls")
@pytest.mark.parametrize("name", REACHED)
def test_a_page_costs_no_more_calls_than_before(name: str) -> None:
    found = work_of(pages()[name])
    assert found.keys() == REACHED[name].keys()
    above = {way: count for way, count in found.items() if count > SLACK * REACHED[name][way]}
    assert not above, f"calls beyond {REACHED[name]}: find what was added, or say why it is needed"
