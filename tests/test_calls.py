"""Work is a test: calls of functions on ten synthetic pages, alone, by template and for links, may
grow by 8 % at most. No clock. The figures are raised only in a commit that says why; `python -m
tests.work` writes them."""

from __future__ import annotations

import sys

import pytest

from tests.work import pages, work_of

REACHED = {
    "a note": {"alone": 3939, "template": 1814, "links": 4196},
    "a story": {"alone": 4222, "template": 1940, "links": 4616},
    "a long story": {"alone": 7301, "template": 3290, "links": 9158},
    "a book": {"alone": 27614, "template": 22105, "links": 37816},
    "a report": {"alone": 3289, "template": 1853, "links": 3306},
    "a demo story": {"alone": 3701, "template": 2395, "links": 4116},
    "a Chinese story": {"alone": 3690, "template": 2223, "links": 3887},
    "a notice": {"alone": 4026, "template": 1622, "links": 3721},
    "a listing": {"alone": 8645, "links": 5092},
    "a portal": {"alone": 100570, "links": 31104},
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
