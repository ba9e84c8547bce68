"""The page families of a site in its report: what left, who decided, and the command that keeps a
family that was withheld."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from markupsafe import escape
from playwright.sync_api import Browser, expect

from sitecrawl.__main__ import main
from sitecrawl.crawl.store import Stores
from sitecrawl.extras.report.fleet import SiteReport, fleet_of, take_details
from sitecrawl.extras.report.html_file import site_html
from sitecrawl.extras.report.report import make_report
from tests.crawl.driver import Crawl, Network
from tests.crawl.test_page_kinds import shop
from tests.links.models import credulous

PRODUCTS, POSTS = "/shop/#.html product undated", "/blog/#.html post dated"


def report_of(folder: Path) -> SiteReport:
    (site,) = fleet_of(Stores(folder)).sites
    take_details(site, Stores(folder))
    return site


@pytest.fixture
def shopped(tmp_path: Path) -> Path:
    """The data folder of a shop with a blog that was crawled once."""
    Crawl.of(Network(shop()), tmp_path, link_model=str(credulous(tmp_path))).run()
    return tmp_path


def decided(site: SiteReport) -> dict[str, tuple[str, str, float]]:
    return {row["family"]: (row["fate"], row["by"], row["written"]) for row in site.page_families}


def test_the_withheld_family_is_told_with_the_command_that_keeps_it(
    shopped: Path, browser: Browser
) -> None:
    site = report_of(shopped)
    assert decided(site)[PRODUCTS] == ("left out", "CMS type", 0.0)
    assert decided(site)[POSTS] == ("written", "model", 1.0)
    html = make_report(Stores(shopped), site=site.site)
    (shopped / "report.html").write_text(html, "utf-8")
    page = browser.new_page()
    page.goto((shopped / "report.html").as_uri() + f"#{site.site}")
    told = page.locator("tr.detail section", has_text="Page families")
    expect(told.locator("tr", has_text=PRODUCTS)).to_contain_text("left out")
    expect(told.locator("tr", has_text=PRODUCTS)).to_contain_text("CMS type")
    expect(told.locator("p", has_text="8 items of")).to_have_count(1)
    command = shlex.split(told.locator("p", has_text="8 items of").locator("code").inner_text())
    page.close()
    number = next(str(row["number"]) for row in site.page_families if row["family"] == PRODUCTS)
    assert command == ["sitecrawl", "families", site.site, "--keep", number]
    assert main([*command[1:], "-s", f"SITECRAWL_DATA_DIR={shopped}"]) == 0
    assert decided(report_of(shopped))[PRODUCTS][:2] == ("withheld", "user")


def test_a_family_that_the_user_kept_is_not_told_as_withheld(shopped: Path) -> None:
    site = report_of(shopped).site
    assert main(["families", site, "--keep", PRODUCTS, "-s", f"SITECRAWL_DATA_DIR={shopped}"]) == 0
    Crawl.of(Network(shop()), shopped, link_model=str(credulous(shopped))).run()
    assert decided(report_of(shopped))[PRODUCTS] == ("written", "user", 1.0)


def test_families_are_data_as_the_command_prints_them(
    shopped: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = report_of(shopped)
    assert main(["families", site.site, "--json", "-s", f"SITECRAWL_DATA_DIR={shopped}"]) == 0
    assert site.to_dict()["families"] == [
        json.loads(line) for line in capsys.readouterr().out.splitlines()
    ]


def test_names_of_families_are_quoted_and_escaped(shopped: Path) -> None:
    """A family is named by the URLs of strangers."""
    site = report_of(shopped)
    name = "/a'b/$(rm x)/<script>alert(1)</script> undated"
    shown = {"family": name, "like": name, "withheld": 2, "fate": "left out"}
    site.page_families[0] |= shown
    html = site_html(site, "")
    assert "<script>" not in html
    assert str(escape(name)) in html


def test_a_report_opens_no_store_that_is_not_there(tmp_path: Path) -> None:
    Crawl.of(Network(shop()), tmp_path).run()
    for path in (tmp_path / "crawls").glob("*"):
        path.unlink()
    assert report_of(tmp_path).page_families == []
    assert list((tmp_path / "crawls").iterdir()) == []
