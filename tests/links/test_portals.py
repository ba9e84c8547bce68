"""Synthetic portals: the same each time, labelled consistently, read back as they were written, never scored."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from benchmarks.portals import boards, frame, letters
from benchmarks.portals.design import build
from benchmarks.portals.entries import announced
from benchmarks.portals.pages import portal
from benchmarks.portals.schemes import FAMILIES
from benchmarks.portals.site import ARTICLE, OTHER, SECTION, Site, mirrored
from benchmarks.portals.traits import ALL, SHARES
from sitecrawl.links.training.dataset import LabelledPage, read_folders, write_site
from sitecrawl.links.training.evaluation import evaluate
from sitecrawl.links.url_facts import url_facts

NUMBERS = range(24)


@pytest.fixture(scope="module")
def portals() -> list[list[LabelledPage]]:
    return [portal(number) for number in NUMBERS]


def test_a_number_makes_the_same_site(portals: list[list[LabelledPage]]) -> None:
    for one, other in zip(portals[3], portal(3), strict=True):
        assert one.facts.urls == other.facts.urls
        assert np.array_equal(one.facts.table, other.facts.table)
        assert np.array_equal(one.labels, other.labels)


def test_numbers_make_different_sites(portals: list[list[LabelledPage]]) -> None:
    assert all(one[0].facts.paths != other[0].facts.paths for one, other in pairwise(portals))
    assert len({build(number).tongue.name for number in NUMBERS}) > 3
    assert len({build(number).kind for number in NUMBERS}) > 4


def test_links_to_one_url_share_a_label(portals: list[list[LabelledPage]]) -> None:
    for pages in portals:
        known: dict[str, int] = {}
        for page in pages:
            for url, label in zip(page.facts.urls, page.labels.tolist(), strict=True):
                if url.startswith("http"):
                    key = url_facts(url).key
                    assert known.setdefault(key, label) == label, url


def test_every_kind_of_link_is_there(portals: list[list[LabelledPage]]) -> None:
    for pages in portals:
        assert {0, 1, 2} == {label for page in pages for label in page.labels.tolist()}


def test_labels_of_a_design() -> None:
    site = build(5)
    assert {site.label(f"http://{site.host}{item.path}#top") for item in site.articles} == {ARTICLE}
    listings = [site.home, *site.sections, *site.subs, *site.tags, *site.months]
    assert {site.label(f"https://{site.host}{item.path}") for item in listings} == {SECTION}
    assert {site.label(f"http://{site.host}{item.path}") for item in [*site.fixed, *site.people]} == {OTHER}
    assert site.label("http://elsewhere.example/") == site.label("mailto:a@b.example") == OTHER


def with_trait(trait: str, kind: str | None = None) -> Site:
    """The first site that has a habit."""
    sites = (build(number) for number in range(200))
    return next(site for site in sites if trait in site.traits and kind in (None, site.kind))


def led_to(site: Site, html: str) -> list[tuple[str, str]]:
    """Paths and labels of the links of a piece of a page."""
    paths = [path.removeprefix(site.prefix) for path in re.findall(r'<a href="([^"]*)"', html)]
    return [(path, site.label(f"http://{site.host}{path}")) for path in paths]


def test_every_habit_is_drawn_and_belongs_to_a_kind() -> None:
    sites = [build(number) for number in range(150)]
    assert {trait for site in sites for trait in site.traits} == set(SHARES)
    assert {kind for shares in SHARES.values() for kinds in shares for kind in kinds.split()} == set(ALL.split())
    assert {kind for family in FAMILIES for kind in family.kinds.split()} < set(ALL.split())


def test_a_menu_of_a_service_portal_holds_its_tasks() -> None:
    site = next(site for site in map(build, range(300)) if len(site.tasks) > 100 and site.once("drops", lambda: True))
    found = led_to(site, frame.navigation(site))
    tasks = {item.path for item in site.tasks}
    assert len(tasks & {path for path, _ in found}) > 40
    assert {label for path, label in found if path in tasks} == {OTHER}


def test_boards_lead_to_threads_boards_and_members() -> None:
    site = with_trait("boards", "forum")
    assert {label for _, label in led_to(site, boards.boards(site))} == {ARTICLE, OTHER, SECTION}
    here = site.sections[0]
    found = led_to(site, boards.threads(site, here, site.articles[:20]))
    assert {item.path for item in site.articles[:20]} <= {path for path, _ in found}
    assert OTHER in {label for _, label in found}


def test_letters_stand_below_months_in_several_orders() -> None:
    site = with_trait("letters")
    index = led_to(site, letters.archive(site))
    assert {label for path, label in index if path in {item.path for item in site.months}} == {SECTION}
    month = led_to(site, letters.month(site, site.months[0]))
    assert [label for _, label in month].count(ARTICLE) >= 3
    assert SECTION in {label for path, label in month if path.endswith("#start")} or len(site.months) < 2


def test_cards_without_words_link_no_heading() -> None:
    site = with_trait("wordless")
    html = announced(site, "list.main", site.articles[:5])
    texts = re.findall(r"<a [^>]*>(.*?)</a>", html)
    assert not [text for text in texts if any(item.title in text for item in site.articles[:5])]
    assert {item.path for item in site.articles[:5]} <= {path for path, _ in led_to(site, html)}


def test_a_mirror_names_files() -> None:
    site = with_trait("mirror")
    paths = [item.path for item in (site.home, *site.sections, *site.articles, *site.fixed)]
    assert all(path.rpartition(".")[2] in ("html", "htm", "shtml") and "?" not in path for path in paths)
    assert mirrored("/x.php?a=1") != mirrored("/x.php?a=2") != mirrored("/x.php")


def test_portals_share_a_file_and_are_not_scored(tmp_path: Path, portals: list[list[LabelledPage]]) -> None:
    write_site(tmp_path / "p.jsonl.gz", portals[0] + portals[1], {"site": "p", "group": "p", "synthetic": True})
    back = read_folders([tmp_path])
    assert [page.site for page in back] == [page.group for page in portals[0] + portals[1]]
    assert all(page.synthetic for page in back)
    assert not evaluate(back, [np.zeros((0, 3), np.float32)] * len(back)).sites
