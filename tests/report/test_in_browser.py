"""The report in a headless Chromium: 300 sites, ten of them broken in ten ways."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from sitecrawl.crawl.store import Stores
from sitecrawl.crawl.visit import PageSample
from sitecrawl.extras.report.fleet import fleet_of
from sitecrawl.extras.report.html_file import report_html
from sitecrawl.extras.visits import log_of
from tests.report.fleets import BROKEN, make_fleet, visits_of

WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


def report_of(folder: Path, count: int) -> tuple[Path, dict[str, str]]:
    """The report of a fleet, and the kind of trouble by site."""
    spread = make_fleet(folder, count)
    (folder / "report.html").write_text(report_html(fleet_of(Stores(folder))), "utf-8")
    return folder / "report.html", spread


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    return report_of(tmp_path_factory.mktemp("fleet"), 300)


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A fleet with the same troubles, and few sites beside them: axe looks at every row."""
    return report_of(tmp_path_factory.mktemp("few"), 40)


@pytest.fixture
def page(browser: Browser, fleet: tuple[Path, dict[str, str]]) -> Iterator[Page]:
    page = browser.new_page(viewport=WIDE, color_scheme="light")
    asked: list[str] = []
    faults: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    page.goto(fleet[0].as_uri())
    yield page
    assert not faults
    assert [url for url in asked if not url.startswith(("file:", "about:", "blob:", "data:"))] == []
    page.close()


def names(page: Page) -> list[str]:
    return page.locator("tr.site:visible button.open").all_text_contents()


def column(page: Page, name: str) -> list[str]:
    return page.eval_on_selector_all(
        f"tr.site td.{name}", "cells => cells.map(cell => cell.dataset.value)"
    )


def open_site(page: Page, name: str) -> None:
    row = f"tr.site:has(button[title='{name}'])"
    page.locator(f"{row} button.open").click()
    page.locator(f"{row} + tr.detail .inner").wait_for()


def test_all_that_broke_is_on_the_first_screen(
    page: Page, fleet: tuple[Path, dict[str, str]]
) -> None:
    assert page.locator("h1").text_content() == "11 of 300 sites are broken"
    assert len(names(page)) == 300
    rows = page.locator("tr.site.broken")
    broken = {fleet[1][name] for name in names(page)[:11]}
    assert broken == set(BROKEN)
    for row in rows.all():
        box = row.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= WIDE["height"]
        assert len(row.locator("td.cause p").text_content() or "") > 20
    assert fleet[0].stat().st_size < 6_000_000


def test_causes_stand_in_plain_words(page: Page, fleet: tuple[Path, dict[str, str]]) -> None:
    said = {
        fleet[1][name]: text
        for name, text in zip(
            names(page)[:11], page.locator("td.cause p").all_text_contents(), strict=False
        )
    }
    assert said["start-gone"] == "0 articles since 14 Nov: the start page answers 404"
    assert said["robots"] == "0 articles since 21 Nov: robots.txt forbids the start page"
    assert said["blocked"] == "0 articles since 19 Nov: turned away, the start page says 403"
    assert (
        said["network"]
        == "0 articles since 22 Nov: the start page did not come (no answer in time)"
    )
    assert said["fell"] == "3 articles in the last visit, usually 40"
    assert said["field"] == "Dates missing (12 of 12 since 23 Nov)"
    assert (
        page.locator("tr.broken td.cause a")
        .first.get_attribute("href", timeout=1000)
        .startswith("http://")
    )  # type: ignore[union-attr]


def test_sorting(page: Page) -> None:
    page.get_by_role("button", name="Complete").click()
    shares = [float(value) for value in column(page, "complete")]
    assert shares == sorted(shares)
    assert page.locator("th.complete").get_attribute("aria-sort") == "ascending"
    page.get_by_role("button", name="Complete").click()
    assert page.locator("th.complete").get_attribute("aria-sort") == "descending"
    page.get_by_role("button", name="Site", exact=True).press("Enter")
    assert column(page, "name") == sorted(column(page, "name"))
    assert page.locator("th[aria-sort]").count() == 1


def test_filtering(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("robots")
    assert len(names(page)) == 1
    assert page.get_by_role("status").text_content() == "1 of 300 sites"
    page.get_by_label("Find").fill("nothing has this name")
    assert page.get_by_text("No site fits").is_visible()
    page.get_by_role("button", name="Show all sites").click()
    assert len(names(page)) == 300
    page.get_by_role("button", name=re.compile("Watch")).click()
    assert len(names(page)) == 2
    page.get_by_role("button", name=re.compile("Broken")).click()
    assert len(names(page)) == 13


def test_a_site_opens_and_closes_by_keyboard(page: Page) -> None:
    button = page.locator("tr.site button.open").first
    button.focus()
    page.keyboard.press("Enter")
    page.locator("tr.detail .inner").wait_for()
    assert button.get_attribute("aria-expanded") == "true"
    assert page.url.endswith(f"#{button.text_content()}")
    page.keyboard.press("Escape")
    assert button.get_attribute("aria-expanded") == "false"
    assert page.locator("tr.detail").is_hidden()


def test_what_is_known_of_a_site(page: Page, fleet: tuple[Path, dict[str, str]]) -> None:
    by_kind = {kind: name for name, kind in fleet[1].items()}
    open_site(page, by_kind["incomplete"])
    inner = page.locator("tr.detail .inner")
    assert "128 in all; the first:" in inner.inner_text()
    assert inner.get_by_role("heading").all_text_contents()[:2] == [
        "What is wrong",
        "Articles a visit",
    ]
    open_site(page, by_kind["field"])
    assert (
        "New articles of the last visit"
        in page.locator("tr.detail").last.inner_text()
        + page.locator("tr.detail").first.inner_text()
    )


def test_no_sideways_scrolling(page: Page, fleet: tuple[Path, dict[str, str]]) -> None:
    open_site(page, next(name for name, kind in fleet[1].items() if kind == "incomplete"))
    for width in (390, 320, 768, 1024):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        cut = "nodes => nodes.filter(node => node.getBoundingClientRect().right > innerWidth + 1).map(node => node.outerHTML.slice(0, 80))"
        assert (
            page.eval_on_selector_all(
                "main td:not([hidden]), main p, main h2, main iframe, .chip", cut
            )
            == []
        ), width


def test_the_phone_sorts_too(page: Page) -> None:
    page.set_viewport_size(PHONE)
    page.get_by_label("Sort", exact=True).select_option(label="Complete")
    shares = [float(value) for value in column(page, "complete")]
    assert shares == sorted(shares)


def test_dark_mode_differs(page: Page) -> None:
    def colours() -> Any:
        return page.evaluate(
            "['backgroundColor', 'color'].map(name => getComputedStyle(document.body)[name])"
        )

    light = colours()
    page.emulate_media(color_scheme="dark")
    assert not set(light) & set(colours())


def test_print_shows_all_sites_and_no_tools(page: Page) -> None:
    page.emulate_media(media="print")
    assert page.locator(".tools").is_hidden()
    assert page.locator("tr.site").last.is_visible()


def test_axe_has_nothing_to_say(browser: Browser, few: tuple[Path, dict[str, str]]) -> None:
    page = browser.new_page()
    page.goto(few[0].as_uri())
    page.get_by_role("button", name=re.compile("Broken")).click()
    for kind in ("drifting", "incomplete", "field"):
        open_site(page, next(name for name, one in few[1].items() if one == kind))
    for size, scheme in ((WIDE, "light"), (WIDE, "dark"), (PHONE, "light")):
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page).response["violations"]
        assert [(one["id"], node["html"][:120]) for one in found for node in one["nodes"]] == [], (
            size,
            scheme,
        )
    page.close()


def test_a_hostile_page_runs_nothing_and_turns_no_line(browser: Browser, tmp_path: Path) -> None:
    site = "hostile.example"
    visits = visits_of(site, 1)
    turned = "\u202egnp.exe\u2066"
    bad = PageSample(
        "javascript:alert(2)",
        f"<script>top.d=1</script>{turned}",
        left=True,
        flags=("<b>",),
        confidence=0.1,
    )
    broken = f"</script><script>top.b=1</script>{turned}"
    visits[-1] = replace(visits[-1], samples=(bad,), broken=broken)
    log_of(tmp_path, site).save_all(visits)
    html = report_html(fleet_of(Stores(tmp_path)))
    assert "\u202e" not in html
    assert "gnp.exe" in html
    (tmp_path / "report.html").write_text(html, "utf-8")
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    page.goto((tmp_path / "report.html").as_uri())
    open_site(page, site)
    assert page.evaluate("['d', 'b'].filter(name => window[name] !== undefined)") == []
    assert "gnp.exe" in page.locator("tr.detail").inner_text()
    assert "\u202e" not in page.content()
    assert page.locator("a[href^='javascript']").count() == 0
    assert [url for url in asked if url.startswith("http")] == []
    # what would stop a script that got so far: the policy of the report
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.x=1\">')"
    )
    page.wait_for_timeout(300)
    assert page.evaluate("window.x") is None
    page.close()


def test_no_figure_is_red_where_the_site_is_fine(page: Page) -> None:
    """A site was called fine beside a red share of 60 %."""
    red = "rows => rows.filter(row => row.querySelector('[data-low]')).map(row => row.className)"
    assert page.eval_on_selector_all("tr.site.fine", red) == []
    assert page.eval_on_selector_all("tr.site", red)


def test_a_page_of_300_sites_is_small_before_its_details(
    fleet: tuple[Path, dict[str, str]],
) -> None:
    """What a browser reads until the table can be filtered: few elements a row, and the script
    before the packed details."""
    html = fleet[0].read_text("utf-8")
    script = html.index('<script>"use strict"')
    assert html.index("</table>") < script < html.index('<script type="text/plain"')
    assert script < 900_000
    assert len(html) < 3_000_000
    rows = re.findall(r'<tr role="row" class="site.*?</tr>', html, re.S)
    assert len(rows) == 300
    assert max(row.count("<") - row.count("</") for row in rows) <= 36
