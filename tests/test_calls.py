"""Work is a test: calls of functions on ten synthetic pages, alone, by template and for links, may
grow by 8 % at most. No clock. The figures are raised only in a commit that says why; `python -m
tests.work` writes them."""

from __future__ import annotations

import sys

import pytest

from tests.work import pages, work_of

REACHED = {
    "a note": {"alone": 3935, "template": 1802, "links": 4204},
    "a story": {"alone": 4246, "template": 1928, "links": 4631},
    "a long story": {"alone": 7595, "template": 3278, "links": 9231},
    "a book": {"alone": 29608, "template": 24114, "links": 38225},
    "a report": {"alone": 3287, "template": 1861, "links": 3304},
    "a demo story": {"alone": 3691, "template": 2404, "links": 4095},
    "a Chinese story": {"alone": 3718, "template": 2238, "links": 3882},
    "a notice": {"alone": 4032, "template": 1624, "links": 3708},
    "a listing": {"alone": 8618, "links": 5062},
    "a portal": {"alone": 101557, "links": 30696},
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
