"""The table of words beside names."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from sitecrawl.text import labels

ROWS = json.loads(Path(labels.__file__).with_suffix(".json").read_text(encoding="utf8"))


def test_every_row_tells_its_language_and_its_source() -> None:
    assert all(row["source"] and 2 <= len(row["language"]) <= 3 for row in ROWS)
    assert {row["kind"] for row in ROWS} == {
        *("author", "editor", "other", "fact"),
        *("office", "organisation", "placeholder", "nobody"),
    }
    assert len({row["language"] for row in ROWS if row["kind"] == "author"}) >= 20


def test_every_label_is_one_expression_and_there_once() -> None:
    for row in ROWS:
        re.compile(f"(?:{row['label']})", re.I)
    twice = Counter((row["label"], row["kind"], row["form"]) for row in ROWS)
    assert max(twice.values()) == 1
