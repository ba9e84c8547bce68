"""What the wording of a block tells, on pages of our own."""

from __future__ import annotations

import numpy as np

from sitecrawl.dom.parse import parse
from sitecrawl.extract.wording import wording_features

NAMES = "date dated time colons colon cut address sign copy title headline".split()


def wording(html: str, headline: int = -1, title: str = "") -> dict[str, list[float]]:
    rows = wording_features(parse(f"<body>{html}</body>").document.blocks, title, headline=headline)
    return dict(zip(NAMES, rows.tolist(), strict=True))


def test_dates_and_times_of_short_lines() -> None:
    prose = "The bridge was opened on 5 July 2019 at 10:30. " * 6
    found = wording(
        f"<p>5 July 2019</p><p>Ann wrote this note on 2019-07-05 at 10:30 from Example</p><p>{prose}</p>"
    )
    assert found["date"] == [1, 1, 0]
    assert found["dated"] == [1, 0, 0]
    assert found["time"] == [0, 1, 0]


def test_colons_by_words() -> None:
    found = wording("<p>Author:</p><p>作者：来源：</p><p>One bridge</p>")
    assert found["colon"] == [1, 1, 0]
    assert found["colons"] == [1.0, 0.5, 0.0]


def test_ends_addresses_and_signs() -> None:
    found = wording("<p>The mayor said that […]</p><p>See www.example.org today</p><p>» Next</p>")
    assert found["cut"] == [1, 0, 0]
    assert found["address"] == [0, 1, 0]
    assert found["sign"] == [0, 0, 1]


def test_copies_and_the_headline_repeated() -> None:
    found = wording(
        "<h1>Bridge opens today</h1><p>Bridge</p><p>Bridge</p><p>The bridge opens today, said Ann</p>",
        headline=0,
        title="Bridge opens today - The Example",
    )
    assert found["copy"] == [0, 1, 1, 0]
    assert found["title"] == [1, 1, 1, 0]
    assert found["headline"] == [1, 0, 0, 1]


def test_an_empty_page() -> None:
    rows = wording_features(parse("<body></body>").document.blocks, "", headline=-1)
    assert rows.shape == (11, 0)
    assert not np.isnan(rows).any()
