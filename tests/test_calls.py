"""Work is a test: calls of functions on ten synthetic pages, alone, by template and for links, may
grow by 8 % at most. No clock. The figures are raised only in a commit that says why; `python -m
tests.work` writes them."""

from __future__ import annotations

import sys

import pytest

from tests.work import pages, work_of

REACHED = {
    "a note": {"alone": 3892, "template": 1792, "links": 4178},
    "a story": {"alone": 4181, "template": 1918, "links": 4580},
    "a long story": {"alone": 7260, "template": 3268, "links": 8906},
    "a book": {"alone": 27573, "template": 22063, "links": 36204},
    "a report": {"alone": 3265, "template": 1849, "links": 3296},
    "a demo story": {"alone": 3647, "template": 2373, "links": 4076},
    "a Chinese story": {"alone": 3654, "template": 2216, "links": 3867},
    "a notice": {"alone": 3989, "template": 1616, "links": 3699},
    "a listing": {"alone": 8518, "links": 5000},
    "a portal": {"alone": 99790, "links": 29119},
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
