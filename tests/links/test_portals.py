"""Synthetic portals: the same each time, labelled consistently, read back as they were written, never scored."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from benchmarks.portals.design import build
from benchmarks.portals.pages import portal
from benchmarks.portals.site import ARTICLE, OTHER, SECTION
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


def test_portals_share_a_file_and_are_not_scored(tmp_path: Path, portals: list[list[LabelledPage]]) -> None:
    write_site(tmp_path / "p.jsonl.gz", portals[0] + portals[1], {"site": "p", "group": "p", "synthetic": True})
    back = read_folders([tmp_path])
    assert [page.site for page in back] == [page.group for page in portals[0] + portals[1]]
    assert all(page.synthetic for page in back)
    assert not evaluate(back, [np.zeros((0, 3), np.float32)] * len(back)).sites
