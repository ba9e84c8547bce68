"""Caches: what is asked for again stays, the rest goes, long texts and errors are never held."""

from __future__ import annotations

import pytest

from sitecrawl.limits import LIMITS, cached


def test_what_is_asked_for_again_stays() -> None:
    asked = list[str]()

    @cached(8)
    def shout(text: str) -> str:
        asked.append(text)
        return text.upper()

    for number in range(40):
        assert (shout("often"), shout(str(number))) == ("OFTEN", str(number))
    assert asked.count("often") == 1
    assert shout("0") == "0"
    assert asked.count("0") == 2


def test_all_arguments_count_and_long_texts_are_read_anew() -> None:
    asked = list[tuple[str, int]]()

    @cached(8)
    def repeat(text: str, times: int) -> str:
        asked.append((text, times))
        return text * times

    long = "x" * (LIMITS.cached_chars + 1)
    assert [repeat("a", 2), repeat("a", 3), repeat("a", 2), repeat(long, 1), repeat(long, 1)] == [
        "aa",
        "aaa",
        "aa",
        long,
        long,
    ]
    assert asked == [("a", 2), ("a", 3), (long, 1), (long, 1)]


def test_an_error_is_raised_each_time() -> None:
    asked = list[str]()

    @cached(8)
    def number(text: str) -> int:
        asked.append(text)
        return int(text)

    for _ in range(2):
        with pytest.raises(ValueError, match="x"):
            number("x")
    assert asked == ["x", "x"]
