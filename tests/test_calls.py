"""Work is a test: calls of functions on ten synthetic pages, alone, by template and for links, may
grow by 8 % at most. No clock. The figures are raised only in a commit that says why; `python -m
tests.work` writes them."""

from __future__ import annotations

import sys

import pytest

from tests.work import pages, work_of

REACHED = {
    "a note": {"alone": 3769, "template": 1720, "links": 4331},
    "a story": {"alone": 4102, "template": 1861, "links": 4833},
    "a long story": {"alone": 7611, "template": 3373, "links": 10239},
    "a book": {"alone": 30646, "template": 25072, "links": 44337},
    "a report": {"alone": 3136, "template": 1788, "links": 3325},
    "a demo story": {"alone": 3546, "template": 2272, "links": 4226},
    "a Chinese story": {"alone": 3531, "template": 2160, "links": 3978},
    "a notice": {"alone": 3845, "template": 1551, "links": 3804},
    "a listing": {"alone": 8082, "links": 5400},
    "a portal": {"alone": 96428, "links": 35784},
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
