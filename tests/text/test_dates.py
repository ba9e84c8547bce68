"""Dates in the forms that pages use, and strings that are none."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.text.dates import parse_date


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2019-07-05T10:30:00.123Z", "2019-07-05T10:30:00Z"),
        ("2019-07-05 10:30:00 +0800", "2019-07-05T10:30:00+08:00"),
        ("20190705", "2019-07-05"),
        ("2019/7/5 8:03", "2019-07-05T08:03:00"),
        ("2019.07.05", "2019-07-05"),
        ("2019年7月5日 10:30", "2019-07-05T10:30:00"),
        ("発売日 2019年7月5日", "2019-07-05"),
        ("2019년 7월 5일", "2019-07-05"),
        ("5. Juli 2019", "2019-07-05"),
        ("05.07.2019, 14:05 Uhr", "2019-07-05T14:05:00"),
        ("5 de julio de 2019", "2019-07-05"),
        ("le 1er janvier 2020 à 10:20", "2020-01-01T10:20:00"),
        ("5 июля 2019", "2019-07-05"),
        ("5 lipca 2019", "2019-07-05"),
        ("5 luglio 2019", "2019-07-05"),
        ("5 juli 2019", "2019-07-05"),
        ("5 Ιουλίου 2019", "2019-07-05"),
        ("Tue Jan 06, 2004 3:06 pm", "2004-01-06T15:06:00"),
        ("July 5th, 2019 at 12:04 AM", "2019-07-05T00:04:00"),
        ("Fri, 05 Jul 2019 10:30:00 GMT", "2019-07-05T10:30:00Z"),
        ("7/13/2019", "2019-07-13"),
        ("13/7/2019", "2019-07-13"),
    ],
)
def test_forms(text: str, iso: str) -> None:
    assert parse_date(text) == iso


@pytest.mark.parametrize(
    "text", [None, "", "yesterday", "2015-13-40", "1234567890123", "call 2019 1234 55", "version 2.0.19", "31 2019"]
)
def test_strings_without_a_date(text: str | None) -> None:
    assert parse_date(text) is None


def test_month_first() -> None:
    assert parse_date("3/4/2020") == "2020-04-03"
    assert parse_date("3/4/2020", month_first=True) == "2020-03-04"


@pytest.mark.parametrize(
    "text", ["1 a" * 100_000, "2019 " * 100_000, "12." * 100_000, "a" * 1_000_000, "5 " + "x" * 100_000]
)
def test_hostile_strings_cost_nothing(text: str) -> None:
    begin = time.process_time()
    parse_date(text)
    assert time.process_time() - begin < 1


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_is_survived(text: str) -> None:
    found = parse_date(text)
    assert found is None or found[4] == "-"
