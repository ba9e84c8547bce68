"""Links met before are recalled: the same answers without features, only where all links of a page are known."""

from __future__ import annotations

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.links import classify as module
from sitecrawl.links.classify import Link, Profile, classify
from sitecrawl.links.link_model import LinkModel, shipped_model

MENU = '<div class="nav"><a href="/">Front page</a> <a href="/about.html">About us</a> <a href="#top">Up</a></div>'


def listing(at: int, stories: range, more: str = "") -> Page:
    rows = "".join(
        f'<li><h2><a href="/story/{n}-the-town-buys-a-bridge.html">The town buys <b>bridge</b> number {n}</a></h2></li>'
        for n in stories
    )
    return parse(
        f"<html><body>{MENU}<ul>{rows}</ul><a rel=next href='/page/2/'>Older</a>{more}", f"http://a.example/page/{at}/"
    )


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """URLs of the pages whose links are read for their features."""
    found: list[str] = []

    def read(page: Page) -> object:
        found.append(page.url)
        return page_facts(page)

    page_facts = module.page_facts
    monkeypatch.setattr(module, "page_facts", read)
    return found


def told(links: list[Link]) -> list[tuple[object, ...]]:
    return [
        (link.url, link.text, link.label, link.pagination, link.guess, link.scores, link.href)
        for link in links
        if link.href != "#top"
    ]


def test_known_links_are_answered_as_before(reads: list[str]) -> None:
    profile = Profile()
    first = classify(listing(1, range(20)), profile=profile)
    again = classify(listing(9, range(20)), profile=profile)
    assert reads == ["http://a.example/page/1/"]
    assert told(again) == told(first)
    assert [link.label for link in again if link.href == "#top"] == ["other"]


def test_a_page_with_a_new_link_is_read(reads: list[str]) -> None:
    profile = Profile()
    classify(listing(1, range(20)), profile=profile)
    fresh = listing(2, range(21))
    assert told(classify(fresh, profile=profile)) == told(classify(fresh))
    assert len(reads) == 3


def test_a_new_link_to_another_site_tells_nothing_new(reads: list[str]) -> None:
    profile = Profile()
    classify(listing(1, range(5)), profile=profile)
    links = classify(listing(2, range(3), "<a href='http://elsewhere.example/'>Friends</a>"), profile=profile)
    assert len(reads) == 1
    assert (links[-1].label, links[-1].scores["other"]) == ("other", 1.0)


def test_evidence_changes_what_is_recalled() -> None:
    profile = Profile()
    first = classify(listing(1, range(20)), profile=profile)
    stories = [link for link in first if "/story/" in link.url]
    for link in stories[:6]:
        profile.record(link.url, link.group, "other", link.guess)
    again = classify(listing(9, range(20)), profile=profile)
    assert {link.label for link in again if "/story/" in link.url} == {"other"}
    assert [link.guess for link in again if "/story/" in link.url] == [link.guess for link in stories]


def test_another_model_knows_nothing(reads: list[str]) -> None:
    profile, shipped = Profile(), shipped_model()
    classify(listing(1, range(5)), profile=profile)
    other = LinkModel(shipped.first, shipped.second, shipped.calibration)
    classify(listing(2, range(5)), other, profile)
    assert len(reads) == 2


def test_links_that_hold_much_are_read_with_their_page(reads: list[str]) -> None:
    profile = Profile()
    card = f"<a href='/card.html'>{'<i>x</i>' * 100}</a>"
    for at in (1, 2):
        links = classify(listing(at, range(3), card), profile=profile)
        assert links[-1].text == " ".join("x" * 100)
    assert len(reads) == 2


def test_scripts_are_no_text_of_a_link() -> None:
    profile = Profile()
    card = "<a href='/card.html'>A card<script>var x</script> of ours</a>"
    first, again = (classify(listing(at, range(3), card), profile=profile) for at in (1, 2))
    assert first[-1].text == again[-1].text == "A card of ours"
