"""The report as data: JSON by its schema; and how large a page of 300 sites
is."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sitecrawl.__main__ import main
from sitecrawl.crawl.store import Stores
from sitecrawl.extras.report.fleet import fleet_of
from sitecrawl.extras.report.report import make_report
from sitecrawl.extras.visits import log_of
from tests.crawl.driver import HOME, Crawl, Network
from tests.report.fleets import make_fleet, visits_of
from tests.report.test_breaks import served

SCHEMA = json.loads(
    files("sitecrawl.extras.report").joinpath("report.schema.json").read_text("utf8")
)


def faults(document: Any) -> list[str]:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return [
        error.message[:200]
        for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)
    ]


def test_the_json_keeps_its_schema(tmp_path: Path) -> None:
    make_fleet(tmp_path, 40)
    document = json.loads(json.dumps(fleet_of(Stores(tmp_path), is_whole=True).to_dict()))
    assert faults(document) == []
    assert len(document["sites"]) == 40
    document["sites"][3]["status"] = "odd"
    del document["sites"][4]["articles"]
    document["more"] = 1
    assert len(faults(document)) == 3


def test_the_json_of_a_real_crawl_keeps_its_schema(tmp_path: Path) -> None:
    Crawl.of(Network(served(9)), tmp_path).run()
    fleet = fleet_of(Stores(tmp_path), is_whole=True)
    document = json.loads(json.dumps(fleet.to_dict()))
    assert faults(document) == []
    (site,) = document["sites"]
    assert site["start"][0].startswith(HOME)
    assert site["visits"][0]["samples"]


def test_rows_of_one_name_are_told_apart_by_their_start_pages(tmp_path: Path) -> None:
    """Of two start pages of one host the second could not be named; and the completeness of a site
    that never answered was 1.0."""
    one, other = visits_of("a.example", 1)[-1], visits_of("a.example", 1)[-1]
    dead = replace(other, start=("http://a.example/dead/",), pages=0, articles=0)
    log_of(tmp_path, "a.example").save_all([one, dead])
    assert len(json.loads(make_report(Stores(tmp_path), is_json=True))["sites"]) == 2
    found = make_report(Stores(tmp_path), site="http://a.example/dead/", is_json=True)
    (row,) = json.loads(found)["sites"]
    assert row["start"] == [*dead.start]
    assert row["completeness"] is None


def test_the_command_writes_the_page_of_a_site(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Crawl.of(Network(served(9)), tmp_path).run()
    data = ("-s", f"SITECRAWL_DATA_DIR={tmp_path}")
    (row,) = fleet_of(Stores(tmp_path)).sites
    target = tmp_path / "one.html"
    assert main(["report", "--site", row.site, "-o", str(target), *data]) == 0
    assert f'data-opened="{row.site}"' in target.read_text()
    assert main(["report", "--site", "b.example", *data]) == 2
    assert (
        f"did you mean {row.site}?" in capsys.readouterr().err
        or row.site in capsys.readouterr().err
    )
