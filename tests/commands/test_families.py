"""`sitecrawl families`: families are listed, and what is said of one is kept with the site."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sitecrawl.__main__ import main
from tests.crawl.driver import Crawl, Network
from tests.crawl.test_page_kinds import shop
from tests.links.models import credulous

PRODUCTS = "/shop/#.html product undated"


def shopped(folder: Path) -> str:
    """The name of a crawled shop whose state lies in ``folder``."""
    crawl = Crawl.of(Network(shop()), folder, link_model=str(credulous(folder)))
    crawl.run()
    (name,) = crawl.sites.models
    return name


def run(folder: Path, *words: str) -> int:
    return main(["families", *words, "-s", f"SITECRAWL_DATA_DIR={folder}"])


def test_families_are_listed_with_their_verdicts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = shopped(tmp_path)
    assert run(tmp_path, site, "--json") == 0
    rows = {row["family"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert (rows[PRODUCTS]["fate"], rows[PRODUCTS]["withheld"], rows[PRODUCTS]["pages"]) == ("stays", 8, 8)
    assert rows["/blog/#.html post dated"]["fate"] == "leaves"
    assert len(rows[PRODUCTS]["headlines"]) == 3


def test_a_family_that_is_kept_gives_its_items_and_leaves_next_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = shopped(tmp_path)
    assert run(tmp_path, site, "--keep", PRODUCTS) == 0
    items = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(items) == 8
    again = Crawl.of(Network(shop()), tmp_path, link_model=str(credulous(tmp_path)))
    again.run()
    assert again.paths == sorted(f"/shop/{n}.html" for n in range(8))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name one site"),
        (("nowhere.example",), "no such site in the store"),
        (("SITE", "--drop", "/none"), "no family '/none'"),
    ],
)
def test_mistakes_are_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    site = shopped(tmp_path)
    assert run(tmp_path, *(site if word == "SITE" else word for word in words)) == 2
    assert said in capsys.readouterr().err
