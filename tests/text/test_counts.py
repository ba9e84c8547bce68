"""The table agrees with the patterns it was made from."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.text.chars import PUNCTUATION, WORD, count_chars, fold


@given(st.lists(st.text(max_size=120).map(fold).filter(bool), max_size=6))
@settings(max_examples=300, deadline=None)
def test_counts_are_those_of_the_patterns(texts: list[str]) -> None:
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    known = [text for text in texts if max(map(ord, text)) < 0x323AF]
    counts = count_chars(known)
    assert counts.words.tolist() == [
        text.count(" ") + 1 if text.isascii() else len(WORD.findall(text)) for text in known
    ]
    assert counts.punctuation.tolist() == [len(PUNCTUATION.findall(text)) for text in known]
    assert counts.digits.tolist() == [sum(map(str.isdigit, text[:80])) / min(80, len(text)) for text in known]


def test_what_lies_beyond_the_table_is_of_no_class() -> None:
    assert count_chars(["\U000e0041"]).words.tolist() == [0.0]
    assert count_chars([]).words.tolist() == []
