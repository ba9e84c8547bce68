"""`sitecrawl report --serve`: the report of this moment in Chromium, and who may ask for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from sitecrawl.crawl.store import Stores
from sitecrawl.extras.report.serving import ReportServer
from sitecrawl.extras.visits import log_of
from tests.crawl.driver import Crawl, Network
from tests.report.fleets import make_fleet, visits_of
from tests.report.test_breaks import served


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ReportServer]:
    make_fleet(tmp_path, 20)
    with ReportServer(Stores(tmp_path)) as found:
        Thread(target=found.serve_forever, daemon=True).start()
        yield found
        found.shutdown()


def asked(
    server: ReportServer, path: str, *, host: str = "", method: str = "GET"
) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.request(method, path, headers={"Host": host or server.host})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_only_this_machine_and_who_knows_the_url_may_read(server: ReportServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert asked(server, f"/{server.token}/0")[0] == 200
    assert asked(server, f"/{server.token}/0", host="evil.example") == (
        403,
        "refused: foreign host",
    )
    assert asked(server, f"/{server.token}/0", host=f"localhost:{server.server_port}")[0] == 403
    assert asked(server, "/wrong/0") == (403, "refused: wrong token")
    assert asked(server, f"/{server.token}/0", method="POST") == (
        403,
        "refused: nothing is changed here",
    )
    for path in ("none", "../0", "site-00000000", "0/1", ""):
        assert asked(server, f"/{server.token}/{path}")[0] == 400, path


def test_the_page_follows_the_crawls_and_stays_as_it_was(
    server: ReportServer, browser: Browser
) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    page.goto(server.url)
    assert page.locator("tr.site").count() == 20
    assert (
        "script"
        not in (page.locator("body > script[type='text/plain']").all_text_contents() or [""])[0]
    )
    page.get_by_role("button", name="Complete").click()
    page.get_by_label("Find").fill("robots")
    page.locator("tr.site:visible button.open").click()
    page.locator("tr.detail .inner").wait_for()
    page.get_by_label("Find").focus()
    # a crawl of another site begins
    log_of(server.stores.data_dir, "new.example").save_all(
        [replace(visits_of("new.example", 1)[-1], ended="")]
    )
    page.locator("#count", has_text="1 of 21 sites").wait_for(timeout=15_000)
    page.locator("tr.detail .inner").wait_for()
    assert page.get_by_label("Find").input_value() == "robots"
    assert page.evaluate("document.activeElement.id") == "find"
    assert page.locator("th.complete").get_attribute("aria-sort") == "ascending"
    found = Axe().run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []
    assert not faults
    page.close()


def test_the_details_of_a_site_hold_its_last_items(tmp_path: Path, browser: Browser) -> None:
    Crawl.of(Network(served(9)), tmp_path).run()
    with ReportServer(Stores(tmp_path)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page()
        page.goto(server.url)
        page.locator("tr.site button.open").click()
        items = page.locator("ol.items li")
        items.first.wait_for()
        assert items.count() == 9
        assert "confidence" in items.first.inner_text()
        page.close()
        server.shutdown()
