"""The report as data: JSON by its schema, tables as CSV, weeks; and how large a page of 300 sites
is."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sitecrawl.__main__ import main
from sitecrawl.crawl.store import Stores
from sitecrawl.crawl.visit import Loss
from sitecrawl.extras.report.fleet import fleet_of, take_items
from sitecrawl.extras.report.report import TABLES, make_report
from sitecrawl.extras.report.trends import report_csv, weeks_of
from sitecrawl.extras.report.watchlist import mute
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
    fleet = fleet_of(Stores(tmp_path))
    mute(tmp_path, fleet.sites[0].site, check="all", on=True, until="2026-12-31")
    document = json.loads(json.dumps(fleet_of(Stores(tmp_path)).to_dict()))
    assert faults(document) == []
    assert len(document["sites"]) == 40
    assert len(document["weeks"]) == 3
    document["sites"][3]["status"] = "odd"
    del document["sites"][4]["weeks"]
    document["more"] = 1
    assert len(faults(document)) == 3


def test_the_json_of_a_real_crawl_keeps_its_schema(tmp_path: Path) -> None:
    Crawl.of(Network(served(9)), tmp_path).run()
    fleet = fleet_of(Stores(tmp_path))
    take_items(fleet.sites[0], Stores(tmp_path))
    document = json.loads(json.dumps(fleet.to_dict()))
    assert faults(document) == []
    (site,) = document["sites"]
    assert len(site["items"]) == 9
    assert site["items"][0]["url"].startswith(HOME)
    assert site["families"]
    assert site["visits"][0]["samples"]


def test_weeks_begin_on_monday_and_leave_out_the_archive() -> None:
    visits = visits_of("a.example", 1)  # the fourteen days to Monday, 23 Nov 2026
    lost = [
        Loss("the server answered 404", "u", 3),
        Loss("no answer in time", "u", 2),
        Loss("the server answered 404 again", "u"),
    ]
    visits[-1] = replace(visits[-1], lost=lost, unwritten=True)
    visits[-2] = replace(visits[-2], ended="")
    weeks = weeks_of(visits)
    assert [(week.week, week.visits, week.failed) for week in weeks] == [
        ("2026-11-09", 6, 0),
        ("2026-11-16", 6, 0),
        ("2026-11-23", 1, 1),
    ]
    assert weeks[0].articles == sum(visit.articles for visit in visits[1:6])
    assert weeks[2].answers == {"404": 4, "fetched": visits[-1].pages, "none": 2}


def test_tables_hold_every_site_and_no_formula(tmp_path: Path) -> None:
    make_fleet(tmp_path, 30)
    (tmp_path / "sites.json").write_text("[]")
    visits = visits_of("a.example", 1)
    visits[-1] = replace(visits[-1], broken="=1+1, and more\nlines")
    log_of(tmp_path, "a.example").save_all(visits)
    fleet = fleet_of(Stores(tmp_path))
    fleet.sites[0].watch = replace(fleet.sites[0].watch, name="=cmd()", group="press")
    tables = {
        table: list(csv.DictReader(StringIO(report_csv(fleet.to_dict(), table))))
        for table in TABLES
    }
    for table, rows in tables.items():
        assert rows[0]["name"] == "'=cmd()"
        assert rows[0]["group"] == "press"
        assert all(row.keys() == rows[0].keys() for row in rows)
        told = {row["site"] for row in rows}
        assert told == {site.site for site in fleet.sites if site.causes or table != "findings"}
    assert any("=1+1, and more" in row["text"] for row in tables["findings"])
    assert sum(int(row["articles"]) for row in tables["weeks"]) == sum(
        week.articles for week in fleet.weeks
    )


def test_a_site_that_never_answered_has_no_completeness_and_rows_of_one_name_are_told_apart(
    tmp_path: Path,
) -> None:
    """It was 1.0; and of two start pages of one host the second could not be named."""
    one, other = visits_of("a.example", 1)[-1], visits_of("a.example", 1)[-1]
    dead = replace(other, start=("http://a.example/dead/",), pages=0, articles=0)
    log_of(tmp_path, "a.example").save_all([one, dead])
    rows = {
        row["startPages"]: row
        for row in csv.DictReader(StringIO(make_report(Stores(tmp_path), form="sites")))
    }
    assert rows["http://a.example/dead/"]["completeness"] == ""
    assert len(rows) == 2
    (row,) = json.loads(make_report(Stores(tmp_path), site="http://a.example/dead/", form="json"))[
        "sites"
    ]
    assert row["start"] == [*dead.start]


def test_the_command_writes_tables_and_the_page_of_a_site(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Crawl.of(Network(served(9)), tmp_path).run()
    data = ("-s", f"SITECRAWL_DATA_DIR={tmp_path}")
    assert main(["report", "--csv", *data]) == 0
    assert (
        capsys.readouterr()
        .out.splitlines()[0]
        .startswith("name,site,group,owner,startPages,status,running,lastVisit")
    )
    (row,) = fleet_of(Stores(tmp_path)).sites
    target = tmp_path / "one.html"
    assert main(["report", "--site", row.site, "-o", str(target), *data]) == 0
    assert f'data-opened="{row.site}"' in target.read_text()
    assert main(["report", "--site", "b.example", *data]) == 2
    assert (
        f"did you mean {row.site}?" in capsys.readouterr().err
        or row.site in capsys.readouterr().err
    )
