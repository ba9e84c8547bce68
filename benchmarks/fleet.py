"""The report of 300 synthetic sites visited fourteen times, ten of them broken in ten ways, and its screenshots in docs/images."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from benchmarks.harness import ROOT, parser
from sitecrawl.crawl.store import Stores
from sitecrawl.extras.report.document import report_html
from sitecrawl.extras.report.fleet import fleet_of
from tests.report.fleets import make_fleet

IMAGES = ROOT / "docs" / "images"
SHOTS = (
    ("report-light", {"width": 1280, "height": 800}, "light", ""),
    ("report-dark", {"width": 1280, "height": 800}, "dark", ""),
    ("report-phone", {"width": 390, "height": 844}, "light", ""),
    ("report-site", {"width": 1280, "height": 1100}, "light", "drifting"),
)


def shoot(report: Path, folder: Path, spread: dict[str, str]) -> None:
    """Screenshots of a report."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for name, size, scheme, opened in SHOTS:
            page = browser.new_page(viewport=size, color_scheme=scheme)
            page.goto(report.as_uri())
            if opened:
                site = next(one for one, kind in spread.items() if kind == opened)
                page.locator(f"tr.site:has(button[title='{site}']) button.open").click()
                page.locator("tr.detail iframe").first.wait_for()
                page.evaluate("document.querySelector('tr.site.opened').scrollIntoView()")
                page.mouse.move(0, 0)
            page.screenshot(path=folder / f"{name}.png")
            page.close()
        browser.close()


def main(arguments: list[str]) -> None:
    options = parser(__doc__)
    options.add_argument("-o", "--output", type=Path, help="keep the report in this file")
    options.add_argument("--images", type=Path, default=IMAGES, help="folder of the screenshots")
    args = options.parse_args(arguments)
    with tempfile.TemporaryDirectory() as kept:
        folder = Path(kept)
        spread = make_fleet(folder)
        began = time.perf_counter()
        html = report_html(fleet_of(Stores(folder)))
        took = time.perf_counter() - began
        report = args.output or folder / "report.html"
        report.write_text(html, "utf-8")
        print(f"300 sites: {len(html.encode()) / 1e6:.1f} MB, written in {took:.1f} s")
        shoot(report.resolve(), args.images, spread)
