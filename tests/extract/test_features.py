"""What the features of a block tell of labels above it and of its siblings, on pages of our own."""

from __future__ import annotations

import numpy as np
import pytest

from sitecrawl.dom.blocks import BITS, hint_bits
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.extract.features import block_features, group_features
from sitecrawl.extract.wording import label_features
from sitecrawl.text.announcements import label_kind

PROSE = "The bridge was opened in the morning by the mayor of the town, who had come on foot."


def page_of(html: str) -> Page:
    return parse(f"<body>{html}</body>")


@pytest.mark.parametrize(
    "text", ["Comments (12)", "3 comments", "Комментарии", "Leave a reply", "网友评论：", "Σχόλια"]
)
def test_labels_of_comments(text: str) -> None:
    assert label_kind(text) == 0


@pytest.mark.parametrize(
    "text",
    [
        "Read also:",
        "» Related stories",
        "По теме",
        "相关阅读",
        "Zobacz także",
        "İLGİLİ HABER",
        "यह भी पढ़ें:",
        "อ่านเพิ่มเติม",
    ],
)
def test_labels_of_other_stories(text: str) -> None:
    assert label_kind(text) == 1


@pytest.mark.parametrize("text", ["", "12", "Commentary", "Readers read", "The comments", "评价"])
def test_no_labels(text: str) -> None:
    assert label_kind(text) is None


def test_blocks_below_a_label_know_how_far_it_is() -> None:
    page = page_of(f"<p>{PROSE}</p><h3>Comments</h3><p>{PROSE}</p><p>Read also</p><p>{PROSE} ©</p>")
    label, other, below, steps, beneath, near, rights = (
        label_features(page.document.blocks).round(2).tolist()
    )
    assert label == [0, 1, 0, 0, 0]
    assert other == [0, 0, 0, 1, 0]
    assert below == [0, 1, 1, 1, 1]
    assert steps == [0, 0, 0.69, 1.1, 1.39]
    assert beneath == [0, 0, 0, 1, 1]
    assert near == [0, 0, 0, 1, 0.5]
    assert rights == [0, 0, 0, 0, 1]


def test_a_long_block_is_no_label() -> None:
    assert not label_features(
        page_of("<p>Comments on this page come from those who read it.</p>").document.blocks
    ).any()


def test_siblings_share_their_classes() -> None:
    row = f'<div class="{{}}"><p>{PROSE}</p></div>'
    page = page_of(row.format("text") + row.format("note") + row.format("note"))
    count, _, _, share, _, parts = group_features(page.document)[5:]
    assert count.tolist() == np.log1p([1, 2, 2]).tolist()
    assert share.round(2).tolist() == [0.33, 0.67, 0.67]
    assert parts.tolist() == [1, 1, 1]


def test_an_empty_page_has_no_features() -> None:
    assert len(block_features(page_of(""), -1)) == 0


def test_responsive_tables_are_no_comments() -> None:
    assert not hint_bits("table-responsive") & BITS["comment"]
    assert hint_bits("responses") & hint_bits("respond") & hint_bits("komentarze") & BITS["comment"]
