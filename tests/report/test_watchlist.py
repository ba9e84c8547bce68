"""What the user says of sites: names, groups, owners and thresholds in sites.toml; mutes there and
by command; in the report and in alerts."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.reasons import Severity
from sitecrawl.crawl.store import Stores
from sitecrawl.crawl.visit import Visit
from sitecrawl.errors import SitesError
from sitecrawl.extras.fleet.schedule import Schedule, Watched
from sitecrawl.extras.fleet.sites_file import read_sites
from sitecrawl.extras.fleet.worker import take_file
from sitecrawl.extras.report.alerts import conditions_after
from sitecrawl.extras.report.fleet import SiteReport, fleet_of
from sitecrawl.extras.report.html_file import report_html
from sitecrawl.extras.report.rules import SiteReason
from sitecrawl.extras.visits import log_of
from tests.report.fleets import visits_of

SITE = "a.example"


def visited(folder: Path, *articles: int) -> list[Visit]:
    """Visits of a site with so many articles each, kept in a data folder."""
    made = visits_of(SITE, 1, len(articles))
    visits = [
        replace(one, articles=count, start=[f"http://{SITE}/"])
        for one, count in zip(made, articles, strict=True)
    ]
    log_of(folder, SITE).save_all(visits)
    return visits


def said(folder: Path, text: str) -> None:
    """Take over a file of one site into a data folder."""
    (folder / "sites.toml").write_text(
        text if "[[site]]" in text else f"{text}\n[[site]]\nstart = 'http://{SITE}/'\n"
    )
    take_file(Stores(folder), read_sites(folder / "sites.toml"))


def row_of(folder: Path) -> SiteReport:
    (row,) = fleet_of(Stores(folder)).sites
    return row


def held(folder: Path) -> list[str]:
    """The conditions of an alert after the last visit."""
    arguments = CrawlArguments.parse({"start": f"http://{SITE}/"})
    return conditions_after(Stores(folder), arguments, visit=Visit(reason="finished", pages=1))


SILENT = (500, 10, 12, 9, 11, 10, 0)


def test_a_threshold_of_the_file_is_used_by_report_and_alerts(tmp_path: Path) -> None:
    visited(tmp_path, *SILENT)
    assert [cause.kind for cause in row_of(tmp_path).causes] == ["silent"]
    said(tmp_path, "checks = { silent = 1 }")
    assert [cause.kind for cause in row_of(tmp_path).causes] == ["silent"]
    visited(tmp_path, 500, 40, 44, 38, 10)
    assert row_of(tmp_path).causes == []
    said(tmp_path, "checks = { fell = 3 }")
    assert [cause.kind for cause in row_of(tmp_path).causes] == ["fell"]
    assert "fell" in held(tmp_path)
    said(tmp_path, "checks = { fell = false }")
    assert row_of(tmp_path).causes == []
    assert "fell" not in held(tmp_path)


def test_a_site_takes_thresholds_and_mutes_from_the_top_one_by_one(tmp_path: Path) -> None:
    said(
        tmp_path,
        "owner = 'Ada'\nchecks = { fell = 3, silent = 6 }\nmute = { silent = 2026-12-01 }\n"
        "[[site]]\nstart = ['a.example', 'a.example/b/']\nname = 'The A'\ngroup = 'press'\nscope = 'site'\n"
        "checks = { silent = false }\nmute = { fell = '2026-12-31' }",
    )
    (row,) = scheduled(tmp_path)
    wishes = row.wishes
    assert (row.name, wishes.group, wishes.owner) == ("The-A", "press", "Ada")
    assert wishes.limits == {"fell": 3, "silent": 0}
    assert wishes.mutes == {"silent": "2026-12-01", "fell": "2026-12-31"}
    assert row.start == ("http://a.example/", "http://a.example/b/")


def scheduled(folder: Path) -> list[Watched]:
    with closing(Schedule(Stores(folder).watched())) as schedule:
        return schedule.all()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("checks = { silnt = 3 }", "checks: no check silnt: did you mean silent?"),
        (
            "checks = { robots = 3 }",
            "checks: robots has no threshold: write robots = false to switch it off",
        ),
        (
            "checks = { silent = true }",
            "checks: silent = True: write a number above 0, or false to switch it off",
        ),
        ("checks = { silent = -1 }", "write a number above 0"),
        ("checks = { silent = 'x' }", "write a number above 0"),
        ("checks = { missing = 50 }", "checks: missing = 50: write a share, 0.01 to 1"),
        ("checks = 3", "checks = 3 is no table"),
        ("mute = { silnt = 2026-12-31 }", "no check silnt: did you mean silent?"),
        (
            "mute = { silent = 'soon' }",
            "silent cannot be muted until soon: write a day such as 2026-12-31",
        ),
    ],
)
def test_a_mistake_is_one_line(tmp_path: Path, line: str, told: str) -> None:
    with pytest.raises(SitesError, match=re.escape(told)) as error:
        said(tmp_path, f"{line}\n[[site]]\nstart = 'a.example'")
    assert "\n" not in str(error.value)
    assert scheduled(tmp_path) == []


def test_run_knows_the_keys_of_the_report(tmp_path: Path) -> None:
    said(
        tmp_path,
        "owner = 'Ada'\nchecks = { silent = 6 }\n[[site]]\nstart = 'a.example'\ngroup = 'press'",
    )
    assert read_sites(tmp_path / "sites.toml").sites[0].name == SITE
    (tmp_path / "sites.toml").write_text("[[site]]\nstart = 'a.example'\nowners = 'Ada'")
    with pytest.raises(SitesError, match=r"did you mean owner\?"):
        read_sites(tmp_path / "sites.toml")


# ---- mutes
def test_a_muted_check_is_shown_and_raises_no_alert(tmp_path: Path) -> None:
    visited(tmp_path, *SILENT)
    assert "silent" in held(tmp_path)
    said(tmp_path, "mute = { silent = 2026-12-31 }")
    row = row_of(tmp_path)
    assert row.level is Severity.FINE
    assert [(cause.kind, cause.muted) for cause in row.causes] == [
        ("silent", "muted until 31 Dec 2026")
    ]
    assert held(tmp_path) == []
    html = report_html(fleet_of(Stores(tmp_path)))
    assert "muted until 31 Dec 2026" in html
    assert "Muted</span>" in html
    said(tmp_path, "")
    assert row_of(tmp_path).level is Severity.BROKEN


def test_a_mute_ends_with_its_day(tmp_path: Path) -> None:
    visited(tmp_path, *SILENT)  # the last visit is of 23 Nov 2026
    for day, level in (("2026-11-22", Severity.BROKEN), ("2026-11-23", Severity.FINE)):
        said(tmp_path, f"mute = {{ silent = {day} }}")
        assert row_of(tmp_path).level is level


def test_names_groups_and_owners_are_shown(tmp_path: Path) -> None:
    visited(tmp_path, *SILENT)
    said(
        tmp_path,
        f"[[site]]\nstart = 'http://{SITE}'\nname = 'The A'\ngroup = 'press'\nowner = '<Ada>'",
    )
    html = report_html(fleet_of(Stores(tmp_path)))
    assert ">The-A</button>" in html
    assert "press · &lt;Ada&gt;" in html
    assert "<option>press</option>" in html


def test_all_causes_of_a_site_are_muted_by_one_word(tmp_path: Path) -> None:
    visited(tmp_path, *SILENT)
    said(tmp_path, "mute = { all = 2026-12-31 }")
    assert row_of(tmp_path).level is Severity.FINE
    assert held(tmp_path) == []


def test_the_guide_tells_every_threshold_and_its_default() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "report.md").read_text()
    found = dict(re.findall(r"^\| `([\w-]+)` \| ([\d.,]+) \|", guide, re.M))
    known = {reason.kind: reason.threshold for reason in [*SiteReason][::-1] if reason.threshold}
    assert {name: float(value.replace(",", "")) for name, value in found.items()} == known
