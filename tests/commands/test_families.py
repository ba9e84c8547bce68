"""`sitecrawl families`: families are listed, and what is said of one is kept with the site."""

from __future__ import annotations

import json
import re
from math import exp
from pathlib import Path

import pytest

from sitecrawl.__main__ import main
from sitecrawl.crawl.last_lines import story_of
from sitecrawl.items.kinds import PageKind
from sitecrawl.site.page_families import PageFamily
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


def test_families_are_listed_with_their_verdicts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = shopped(tmp_path)
    assert run(tmp_path, site, "--json") == 0
    rows = {row["family"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert (rows[PRODUCTS]["fate"], rows[PRODUCTS]["withheld"], rows[PRODUCTS]["pages"]) == (
        "stays",
        8,
        8,
    )
    assert rows["/blog/#.html post dated"]["fate"] == "leaves"
    assert len(rows[PRODUCTS]["headlines"]) == 3
    assert rows[PRODUCTS]["example"] == "http://news.example/shop/0.html"
    assert rows["/blog/#.html post dated"]["example"] == ""
    run(tmp_path, site)
    assert "sitecrawl why http://news.example/shop/0.html" in capsys.readouterr().out


def test_what_kinds_left_out_is_no_decision_of_the_site_and_is_listed_as_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last line named the CMS type, and the list said that these items were written."""
    crawl = Crawl.of(Network(shop()), tmp_path, link_model=str(credulous(tmp_path)), kinds="page")
    line = story_of(crawl.run())
    assert "12 of /blog/#.html post dated by kinds=" in line
    assert run(tmp_path, *crawl.sites.models) == 0
    listed = capsys.readouterr().out
    assert re.search(r"12 pages +left out +article +/blog/#.html post dated", listed)
    assert "the last crawl left out 12 items, since its kinds= does not name them" in listed


def test_a_family_whose_items_were_written_has_none_to_print(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = shopped(tmp_path)
    run(tmp_path, site, "--drop", "/blog/#.html post dated")
    run(tmp_path, site, "--keep", "/blog/#.html post dated")
    assert (
        "0 items of /blog/#.html post dated were left out so far; later crawls write"
        in capsys.readouterr().err
    )


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


def feed(folder: Path, *words: str) -> list[str]:
    """The folders of the articles that one more feed of all sites holds."""
    out = folder / "all.jsonl"
    before = out.stat().st_size if out.exists() else 0
    assert main(["feed", "-o", str(out), *words, "-s", f"SITECRAWL_DATA_DIR={folder}"]) == 0
    urls = [json.loads(line)["url"] for line in out.read_bytes()[before:].splitlines()]
    return sorted(url.split("/")[3] for url in urls)


def test_the_feed_of_all_sites_obeys_what_was_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = shopped(tmp_path)
    run(tmp_path, site, "--keep", PRODUCTS, "--drop", "/blog/#.html post dated")
    assert feed(tmp_path) == ["blog"] * 12
    assert feed(tmp_path, "--apply") == ["shop"] * 8
    assert "8 articles and revisions" in capsys.readouterr().out
    assert feed(tmp_path, "--apply", "--after", "0") == ["shop"] * 8
    again = Crawl.of(Network(shop()), tmp_path, link_model=str(credulous(tmp_path)))
    again.run()
    assert again.paths == []


def test_a_family_is_not_kept_and_dropped_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = shopped(tmp_path)
    assert run(tmp_path, site, "--keep", PRODUCTS, "--drop", PRODUCTS) == 2
    assert "choose one of --keep, --drop and --forget" in capsys.readouterr().err


def test_what_was_said_moves_to_another_state(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = shopped(tmp_path / "one")
    assert run(tmp_path / "one", site, "--drop", "/blog/#.html post dated") == 0
    capsys.readouterr()
    assert run(tmp_path / "one", site, "--json") == 0
    said = tmp_path / "said.jsonl"
    said.write_text(capsys.readouterr().out, encoding="utf8")
    other = shopped(tmp_path / "other")
    assert run(tmp_path / "other", other, "--take", str(said)) == 0
    assert run(tmp_path / "other", other, "--json") == 0
    rows = {row["family"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert (rows["/blog/#.html post dated"]["fate"], rows["/blog/#.html post dated"]["by"]) == (
        "stays",
        "user",
    )
    assert rows[PRODUCTS]["said"] == ""


def test_families_that_may_be_wrong_come_first() -> None:
    sure = PageFamily("/a", PageKind.ARTICLE, pages=90, weighed=90, log_odds=900.0)
    close = PageFamily("/b", PageKind.ARTICLE, pages=6, weighed=6, log_odds=3.0)
    unread = PageFamily("/c", PageKind.ARTICLE, pages=6)
    assert sorted((sure, unread, close), key=lambda family: -family.at_stake)[0] is close
    assert unread.at_stake == 0.0
    assert close.at_stake == pytest.approx(6 / (1 + exp(0.5)))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name one site"),
        (("nowhere.example",), "site nowhere.example: no such site in "),
        (("SITE", "--drop", "/none"), "no family '/none'"),
        (
            ("SITE", "--take", "/none.jsonl"),
            "/none.jsonl is no output of sitecrawl families --json",
        ),
    ],
)
def test_mistakes_are_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    site = shopped(tmp_path)
    assert run(tmp_path, *(site if word == "SITE" else word for word in words)) == 2
    assert said in capsys.readouterr().err
