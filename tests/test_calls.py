"""Work is a test: calls of functions on ten synthetic pages, alone, by template and for links, may
grow by 8 % at most. No clock. The figures are raised only in a commit that says why; `python -m
tests.work` writes them."""

from __future__ import annotations

import sys

import pytest

from tests.work import pages, work_of

REACHED = {
    "a note": {"alone": 3619, "template": 1635, "links": 4294},
    "a story": {"alone": 3959, "template": 1776, "links": 4796},
    "a long story": {"alone": 7408, "template": 3288, "links": 10202},
    "a book": {"alone": 30008, "template": 24512, "links": 44300},
    "a report": {"alone": 2861, "template": 1709, "links": 3308},
    "a demo story": {"alone": 3277, "template": 2168, "links": 4204},
    "a Chinese story": {"alone": 3305, "template": 2608, "links": 3962},
    "a notice": {"alone": 3735, "template": 1514, "links": 3788},
    "a listing": {"alone": 7775, "links": 5383},
    "a portal": {"alone": 89491, "links": 35767},
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
