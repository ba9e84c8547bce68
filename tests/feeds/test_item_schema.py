"""The JSON Schema of an item that ships with the package holds for the items of a crawl, and names
every field."""

from __future__ import annotations

import json
from copy import deepcopy
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import sitecrawl
from sitecrawl.extras.demo import serve, site_pages
from sitecrawl.items.article import ITEM_FIELDS
from tests.crawl.runner import crawl, items_of

SCHEMA = json.loads(files("sitecrawl.items").joinpath("item.schema.json").read_text("utf8"))
CHECK = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker())


def test_it_names_every_field_in_order() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert [*SCHEMA["properties"]] == [*ITEM_FIELDS, "revision"]
    assert SCHEMA["required"] == [name for name, row in ITEM_FIELDS.items() if not row.optional]


def test_items_of_a_crawl_keep_it(tmp_path: Path) -> None:
    with serve() as front:
        crawl(front, tmp_path / "out.jsonl", "-a", "scope=site", "-a", "max_articles=30")
    items = items_of(tmp_path / "out.jsonl")
    assert len(items) >= 30
    for item in items:
        CHECK.validate(item)
    assert {item["hostname"] for item in items} == {front.split("/")[2]}
    assert all(item["wordCount"] > 10 and len(item["fingerprint"]) == 16 for item in items)


def test_items_of_single_pages_keep_it() -> None:
    for path, html in site_pages().items():
        CHECK.validate(sitecrawl.extract(html, f"https://gazette.example{path}").to_dict())


@pytest.mark.parametrize(
    ("field", "wrong"),
    [("wordCount", -1), ("datePublished", "5 May"), ("authors", [{}]), ("fingerprint", "x")],
)
def test_it_refuses_what_is_no_item(field: str, wrong: Any) -> None:
    item = sitecrawl.extract("<title>Hi</title><p>A first, short, plain paragraph.</p>").to_dict()
    CHECK.validate(item)
    assert not CHECK.is_valid(deepcopy(item) | {field: wrong})


@pytest.mark.parametrize(("words", "has_places"), [((), False), (("-a", "provenance=full"), True)])
def test_provenance_is_short_unless_it_is_asked_for(
    words: tuple[str, ...], has_places: bool, tmp_path: Path
) -> None:
    """The XPaths were a third of a short item. A feed of the newest holds the same."""
    feeds = ("-o", str(tmp_path / "out.feed.json:jsonfeed"), "-o", str(tmp_path / "out.jsonl"))
    with serve() as front:
        crawl(f"{front}board/", tmp_path / "out.jsonl", *feeds, *words)
    items = items_of(tmp_path / "out.jsonl")
    assert len(items) > 5
    for item in items:
        CHECK.validate(item)
        assert {"method", "confidence"} <= item["provenance"].keys()
        assert ("fields" in item["provenance"]) is has_places
    assert ('"articleBody": "//' in (tmp_path / "out.feed.json").read_text()) is False
