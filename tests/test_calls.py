"""Work is a test: calls of functions on ten synthetic pages, alone, by template and for links, may
grow by 8 % at most. No clock. The figures are raised only in a commit that says why; `python -m
tests.work` writes them."""

from __future__ import annotations

import sys

import pytest

from tests.work import pages, work_of

REACHED = {
    "a note": {"alone": 3526, "template": 1663, "links": 4231},
    "a story": {"alone": 3841, "template": 1824, "links": 4713},
    "a long story": {"alone": 7020, "template": 3552, "links": 9903},
    "a book": {"alone": 27920, "template": 24049, "links": 42641},
    "a report": {"alone": 2786, "template": 1734, "links": 3254},
    "a demo story": {"alone": 3191, "template": 2227, "links": 4146},
    "a Chinese story": {"alone": 3223, "template": 2586, "links": 3907},
    "a notice": {"alone": 3644, "template": 1541, "links": 3738},
    "a listing": {"alone": 7637, "links": 5276},
    "a portal": {"alone": 105850, "links": 34182},
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
