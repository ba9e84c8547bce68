"""`sitecrawl families`: families are listed, and what is said of one is kept with the site."""

from __future__ import annotations

import json
import re
from contextlib import closing
from math import exp
from pathlib import Path

import pytest

from sitecrawl.__main__ import main
from sitecrawl.crawl.site_models import site_of
from sitecrawl.crawl.store import Stores
from sitecrawl.extras.explain.evidence import PageEvidence, stored
from sitecrawl.extras.explain.unwritten import why_unwritten
from sitecrawl.extras.explain.why_page import page_known
from sitecrawl.items.kinds import PageKind
from sitecrawl.site import judge
from sitecrawl.site.answer import LazyExtraction
from sitecrawl.site.inputs import page_of_html
from sitecrawl.site.model import SiteModel
from sitecrawl.site.page_families import PageFamily
from sitecrawl.urls.canonical import url_key
from tests.crawl.driver import Crawl, Network, story_of
from tests.crawl.test_page_kinds import club, shop
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
        "left out",
        8,
        8,
    )
    assert rows["/blog/#.html post dated"]["fate"] == "written"
    assert sorted(row["number"] for row in rows.values()) == list(range(1, len(rows) + 1))
    assert rows[PRODUCTS]["like"].startswith("8 pages like 'City archive")
    assert rows[PRODUCTS]["like"].endswith(", no day, which the site calls product, in /shop/")
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
    assert re.search(r"12 pages like .*, in /blog/: withheld", listed)
    assert "the last crawl withheld 12 items, since its kinds= does not name them" in listed


def test_what_speaks_against_a_family_is_told_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge, "LEAST", 0.0)
    crawl = Crawl.of(Network(club()), tmp_path, link_model=str(credulous(tmp_path)))
    crawl.run()
    run(tmp_path, *crawl.sites.models, "--json")
    rows = {row["family"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    people = rows["/crew/#.html undated"]["against"]
    assert len(people) == 3
    assert "headline like a person's name: yes (8 pages)" in people
    assert rows["/blog/#.html dated"]["against"] == []
    run(tmp_path, *crawl.sites.models)
    assert f"against it: {'; '.join(people)}" in capsys.readouterr().out
    run(tmp_path, *crawl.sites.models, "--keep", "/crew/#.html undated")
    items = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert not any(name.startswith("_") for item in items for name in item)


@pytest.mark.parametrize(
    ("url", "fate", "against"),
    [
        ("http://news.example/crew/0.html", "withheld", True),
        ("http://news.example/blog/0.html", "written", False),
    ],
)
def test_why_tells_the_verdict_on_the_family_of_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, fate: str, *, against: bool
) -> None:
    monkeypatch.setattr(judge, "LEAST", 0.0)
    Crawl.of(Network(club()), tmp_path, link_model=str(credulous(tmp_path))).run()
    known = page_known(stored(Stores(tmp_path), url))
    told = "\n".join(known["sentences"])
    name = known["family"]["name"]
    pages = known["family"]["pages"]
    assert f"Its page family, {name}, has {pages} pages; they are {fate}: " in told
    assert ("Against this family: " in told) is against
    assert len(known["family"]["against"]) == (3 if against else 0)
    assert (known["family"]["mean"] < 0) is against
    assert known["family"]["weighed"] > 0


def test_why_gives_the_three_strongest_reasons_for_a_page(tmp_path: Path) -> None:
    page = page_of_html("<h1>Anna Berg</h1><p>Tel. 12</p>", "http://a.example/crew/1")
    facts = PageEvidence("http://a.example/crew/1", reading=LazyExtraction(page))
    known = page_known(facts)
    strongest = facts.judgement.strongest if facts.judgement else ()
    assert len(strongest) == 3
    assert f"The strongest reasons: {'; '.join(strongest)}." in "\n".join(known["sentences"])
    assert len(known["judge"]) > 70
    assert known["family"] is None


def test_a_family_whose_items_were_written_has_none_to_print(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = shopped(tmp_path)
    run(tmp_path, site, "--drop", "/blog/#.html post dated")
    run(tmp_path, site, "--keep", "/blog/#.html post dated")
    assert "later crawls write its items; none was left out so far" in capsys.readouterr().err


def test_a_family_that_is_kept_gives_its_items_and_leaves_next_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = shopped(tmp_path)
    assert run(tmp_path, site, "--keep", PRODUCTS) == 0
    assert "8 items are written by the next crawl into its feed" in capsys.readouterr().err
    again = Crawl.of(Network(shop()), tmp_path, link_model=str(credulous(tmp_path)))
    again.run()
    assert again.paths == sorted(f"/shop/{n}.html" for n in range(8))


def test_a_family_is_not_kept_and_dropped_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = shopped(tmp_path)
    assert run(tmp_path, site, "--keep", PRODUCTS, "--drop", PRODUCTS) == 2
    assert "choose one of --keep, --drop and --forget" in capsys.readouterr().err


def number_of(folder: Path, site: str, family: str, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    run(folder, site, "--json")
    rows = map(json.loads, capsys.readouterr().out.splitlines())
    return next(str(row["number"]) for row in rows if row["family"] == family)


def test_a_family_is_kept_by_its_number_and_its_items_go_where_they_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site, feed = shopped(tmp_path), tmp_path / "out.jsonl"
    feed.write_text('{"url": "http://news.example/old"}\n')
    number = number_of(tmp_path, site, PRODUCTS, capsys)
    assert run(tmp_path, site, "--keep", number, "-o", str(feed)) == 0
    said = capsys.readouterr().err
    assert f": 8 items written to {feed}; later crawls write its new ones" in said
    assert said.startswith(f"sitecrawl: {number}: 8 pages like ")
    assert len({json.loads(line)["url"] for line in feed.read_text().splitlines()}) == 9
    again = Crawl.of(Network(shop()), tmp_path, link_model=str(credulous(tmp_path)))
    again.run()
    assert again.paths == []  # no item is written twice


@pytest.mark.parametrize("name", ["out.csv", "none/out.jsonl"])
def test_a_feed_that_cannot_be_written_loses_no_item(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    site = shopped(tmp_path)
    assert run(tmp_path, site, "--keep", PRODUCTS, "-o", str(tmp_path / name)) == 2
    again = Crawl.of(Network(shop()), tmp_path, link_model=str(credulous(tmp_path)))
    again.run()
    assert len(again.paths) == 8


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
        (("SITE", "SITE"), "name one site"),
        (("nowhere.example",), "site nowhere.example: no such site in "),
        (("SITE", "--drop", "/none"), "no family '/none'"),
        (("SITE", "--drop", "0"), "no family '0'"),
    ],
)
def test_mistakes_are_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    site = shopped(tmp_path)
    assert run(tmp_path, *(site if word == "SITE" else word for word in words)) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("words", [("families",), ("templates",), ("why",), ("show",)])
def test_without_a_site_the_sites_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    site = shopped(tmp_path)
    given = ("-s", f"SITECRAWL_DATA_DIR={tmp_path}")
    assert main([*words, *given]) == 0
    assert f"{site}  12 articles written  10 left out or withheld" in capsys.readouterr().out
    assert main([*words, "-s", f"SITECRAWL_DATA_DIR={tmp_path / 'none'}"]) == 2
    assert "nothing was crawled into" in capsys.readouterr().err


def test_sites_of_the_add_on_are_listed_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(Stores(tmp_path).learned()) as learned:
        learned.save("a.example", SiteModel("a.example").to_dict())
    assert main(["templates", "-s", f"SITECRAWL_DATA_DIR={tmp_path}"]) == 0
    assert "a.example  only its templates are known" in capsys.readouterr().out


@pytest.mark.parametrize(
    "name", ["news.example", "www.news.example", "http://news.example/blog/1.html", "our paper"]
)
@pytest.mark.parametrize("words", [["families"], ["templates", "show"], ["show"]])
def test_a_site_has_one_name_in_all_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], name: str
) -> None:
    shopped(tmp_path)
    task = json.dumps([["http://news.example/"], "section", ""])
    (tmp_path / "sites.json").write_text(json.dumps([{"task": task, "name": "our paper"}]))
    assert main([*words, name, "-s", f"SITECRAWL_DATA_DIR={tmp_path}"]) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize(
    ("kept", "reason", "remedy"),
    [
        ((), "it was left out with its page family, " + PRODUCTS, "--keep"),
        (("--drop", PRODUCTS), "with its page family by you", "--keep"),
        (("--keep", PRODUCTS), "it is withheld until the next crawl", "-o FILE.jsonl"),
    ],
)
def test_why_says_which_reason_and_what_to_type(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    kept: tuple[str, ...],
    reason: str,
    remedy: str,
) -> None:
    site = shopped(tmp_path)
    if kept:
        assert run(tmp_path, site, *kept) == 0
    with closing(Stores(tmp_path).crawl(site)) as state:
        key = url_key("http://news.example/shop/0.html")
        with closing(Stores(tmp_path).learned()) as learned:
            found = why_unwritten(state, key, model=site_of(learned, site))
    assert found is not None
    assert reason in found.sentence
    assert remedy in found.remedy
    assert f"sitecrawl families {site} " in found.sentence
