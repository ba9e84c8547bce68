"""`sitecrawl why`: sentences about a link, a page and a field, from the facts that decided; for a
stored site and a bare URL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitecrawl.__main__ import main
from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.crawl.site_state import FAILED, LOST, PageVersion
from sitecrawl.crawl.store import Stores
from sitecrawl.dom.parse import parse
from sitecrawl.extras.demo import article_paths, serve, site_pages
from sitecrawl.extras.explain.evidence import PageEvidence
from sitecrawl.extras.explain.why_link import find_link, gathered, link_known, reasons
from sitecrawl.extras.explain.why_page import page_known
from sitecrawl.items.kinds import PageKind
from sitecrawl.links.classify import Profile
from sitecrawl.links.facts import page_facts
from sitecrawl.links.link_model import model_at
from sitecrawl.site.model import SiteModel
from sitecrawl.urls.canonical import url_key
from tests.crawl.runner import served
from tests.pages import article_page

HOST = "http://gazette.example"
STORIES = sorted(path for path in article_paths() if path.startswith("/city/"))
CITY = f"{HOST}/city/"


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "sitecrawl.settings")
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def demo() -> Iterator[str]:
    with serve() as front:
        yield front.rstrip("/")


@pytest.fixture(scope="module")
def learned() -> SiteModel:
    """The city section, learned from eight of its stories; twelve of them were fetched."""
    model, pages = SiteModel("gazette.example"), site_pages()
    model.learn([(HOST + path, pages[path]) for path in STORIES[:8]])
    listing = page_facts(parse(pages["/city/"], CITY))
    one = find_link(_first_story(listing.urls), listing, model=model_at(""), profile=Profile())
    assert one is not None
    for path in STORIES[:12]:
        model.profile.record(HOST + path, one.link.group, kind="article", guess=one.link.guess)
    return model


@pytest.fixture
def stored(learned: SiteModel) -> str:
    """A data folder in which a crawl left its traces; the URL of a story that it wrote."""
    stores, url = Stores(Path(".sitecrawl")), HOST + STORIES[9]
    kept = stores.learned()
    kept.save("gazette.example", learned.to_dict())
    kept.close()
    crawl = stores.crawl("gazette.example")
    crawl.begin("task")
    crawl.pages.queue(RequestContext(url, Role.ARTICLE, section=CITY))
    crawl.pages.done(url_key(url), PageKind.ARTICLE)
    crawl.save_item(
        url_key(url), learned.extract(site_pages()[STORIES[9]], url).to_dict(), digest="digest"
    )
    crawl.pages.queue(RequestContext(f"{HOST}/city/later.html", Role.ARTICLE, section=CITY))
    body = site_pages()["/city/"].replace(STORIES[-1].encode(), STORIES[9].encode())
    crawl.versions.put(url_key(CITY), PageVersion(kept=True), body=body)
    crawl.close()
    return url


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What the command prints when it succeeds."""
    code = main(["why", *words])
    told = capsys.readouterr()
    assert code == 0, told.err
    return told.out


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line of a command that ends with exit code 2."""
    assert main(["why", *words]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    return lines[0]


def _first_story(urls: list[str]) -> str:
    return next(url for url in urls if url.removeprefix(HOST) in STORIES)


# ---- a bare URL
def test_a_link_of_a_page_in_sentences(capsys: pytest.CaptureFixture[str], demo: str) -> None:
    told = said(capsys, f"{demo}/board/3.html", "--page", f"{demo}/board/")
    assert "An article link, more than 99 % sure." in told
    assert "one of 8 links alike, which all look like articles" in told
    assert "tag path" not in told
    assert "The page " not in told
    assert not Path(".sitecrawl").exists()


def test_json_adds_the_numbers(capsys: pytest.CaptureFixture[str], demo: str) -> None:
    told = json.loads(said(capsys, f"{demo}/board/3.html", "--page", f"{demo}/board/", "--json"))
    assert told["group"]["path"].startswith("body/main")
    assert "style mean article vote" in [one["feature"] for one in told["reasons"]["for"]]


def test_a_bare_url_is_looked_up_on_the_start_page_and_read(
    capsys: pytest.CaptureFixture[str], demo: str
) -> None:
    told = said(capsys, f"{demo}/city/")
    assert "A section link" in told
    assert "5 other links lead to pages below it" in told
    assert "the page looks like a listing page" in told


def test_a_page_of_which_no_link_is_known(capsys: pytest.CaptureFixture[str], demo: str) -> None:
    told = said(capsys, demo + STORIES[0])
    assert (
        f"{demo}/ does not link to it; name a page that does with --page." in told
        or "An article link" in told
    )
    assert "the page looks like an article" in told
    assert (
        "The single-page extractor answered, since no page of the site has been learned from."
        in told
    )


def test_a_page_that_cannot_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    with served(
        {"/": b'<ul><li><a href="/gone.html">A story that is gone by now</a></li></ul>'}
    ) as site:
        told = said(capsys, f"{site.url}/gone.html")
    assert "The page itself was not read" in told
    assert "404" in told


def test_a_field_of_a_page(capsys: pytest.CaptureFixture[str], demo: str) -> None:
    told = said(capsys, f"{demo}/board/3.html", "--field", "headline")
    assert told.startswith("The field headline: Notice 3")
    assert "Other candidates:" in told
    saved = Path("saved.html")
    saved.write_bytes(site_pages()[STORIES[0]])
    told = said(
        capsys, "saved.html", "--page-url", HOST + STORIES[0], "--field", "datePublished", "--json"
    )
    assert json.loads(told)["field"]["value"].startswith("2026-")


def test_what_cannot_be_told_is_refused(capsys: pytest.CaptureFixture[str], demo: str) -> None:
    assert "did you mean headline?" in refused(capsys, f"{demo}/board/3.html", "--field", "headlin")
    assert "no such link on" in refused(capsys, f"{demo}/nowhere.html", "--page", f"{demo}/board/")
    assert "not found" in refused(capsys, f"{demo}/city/", "-s", "SITECRAWL_LINK_MODEL=none.npz")
    assert "No such file" in refused(capsys, "gazette.example/city/")


def test_the_model_of_the_project_is_the_one_that_is_asked(
    capsys: pytest.CaptureFixture[str], demo: str
) -> None:
    Path("own-links.npz").write_bytes(b"no model")
    assert "damaged or not a link model" in refused(capsys, f"{demo}/city/")


# ---- a stored site: nothing is fetched
def test_a_link_of_a_crawled_site(capsys: pytest.CaptureFixture[str], stored: str) -> None:
    told = said(capsys, stored)
    assert f"on {CITY}" in told
    assert "URLs of this shape at this place were articles" not in told
    assert "URLs of this shape were articles" in told
    assert f"{CITY} led to it, directly or through other articles." in told


@pytest.mark.parametrize("spelling", ["/later/index.html", "/later/", "/later"])
def test_an_index_file_is_its_folder(capsys: pytest.CaptureFixture[str], spelling: str) -> None:
    """The listing says ``/later/index.html``: however the page is asked for, it is linked and was
    found there."""
    with served({}) as site:
        name, stores = site.url.removeprefix("http://"), Stores(Path(".sitecrawl"))
        kept = stores.learned()
        kept.save(name, SiteModel("queue").to_dict())
        kept.close()
        crawl = stores.crawl(name)
        crawl.begin("task")
        crawl.pages.queue(
            RequestContext(
                f"{site.url}/later/index.html", Role.ARTICLE, section=f"{site.url}/news/index.html"
            )
        )
        body = b'<p><a href="/later/index.html">Later</a></p>'
        crawl.versions.put(
            url_key(f"{site.url}/news/index.html"), PageVersion(kept=True), body=body
        )
        crawl.close()
        told = said(capsys, f"{site.url}{spelling}")
    assert "does not link to it" not in told
    assert "no such link" not in told
    assert f"{site.url}/news/index.html led to it, directly or through other articles." in told
    assert f"on {site.url}/news/index.html" in told.split("The crawl")[0]


def test_the_page_of_a_crawled_site(capsys: pytest.CaptureFixture[str], stored: str) -> None:
    told = said(capsys, stored)
    assert "The crawl asked for it as an article and took it for an article." in told
    assert "template-1 answered (version 1), which was learned from 8 pages of this kind." in told
    assert "It is trusted." in told
    assert "On 100% of these pages" in told


def test_a_field_by_template(capsys: pytest.CaptureFixture[str], stored: str) -> None:
    told = said(capsys, stored, "--field", "authors")
    assert "where template-1 looks for it" in told
    assert "100% have it" in told
    told = said(capsys, stored, "--field", "tags")
    assert "tags: nothing was found." in told
    assert "sitecrawl templates set gazette.example tags" in told


def test_a_page_that_waits_in_the_queue(capsys: pytest.CaptureFixture[str], stored: str) -> None:
    with served({}) as site:
        stores = Stores(Path(".sitecrawl"))
        kept = stores.learned()
        kept.save(site.url.removeprefix("http://"), SiteModel("queue").to_dict())
        kept.close()
        crawl = stores.crawl(site.url.removeprefix("http://"))
        crawl.begin("task")
        for name in ("later", "beside"):
            crawl.pages.queue(
                RequestContext(f"{site.url}/{name}.html", Role.ARTICLE, section=f"{site.url}/")
            )
        crawl.versions.put(
            url_key(f"{site.url}/"),
            PageVersion(kept=True),
            body=b'<p><a href="/later.html">Later</a></p>',
        )
        crawl.close()
        told = said(capsys, f"{site.url}/later.html")
        beside = said(capsys, f"{site.url}/beside.html")
    assert f"{site.url}/ does not link to it; name a page" in beside, (
        "an article may have led to it"
    )
    assert "The crawl wants it as an article but it has not been fetched yet." in told


@pytest.mark.parametrize("became", [PageKind.ARTICLE, LOST])
def test_a_page_without_an_item_is_told_as_one_although_it_can_be_read_now(
    capsys: pytest.CaptureFixture[str], stored: str, became: str
) -> None:
    """What was read now passed for an item: of a page that was left out, and for one of an earlier
    run if the page had been lost."""
    with served({"/left.html": article_page(1).encode()}) as site:
        stores, name = Stores(Path(".sitecrawl")), site.url.removeprefix("http://")
        kept = stores.learned()
        kept.save(name, SiteModel(name).to_dict())
        kept.close()
        crawl = stores.crawl(name)
        crawl.begin("task")
        crawl.pages.queue(
            RequestContext(f"{site.url}/left.html", Role.ARTICLE, section=f"{site.url}/")
        )
        crawl.pages.done(url_key(f"{site.url}/left.html"), became)
        crawl.versions.put(
            url_key(f"{site.url}/"),
            PageVersion(kept=True),
            body=b'<p><a href="/left.html">Left</a></p>',
        )
        crawl.close()
        told = said(capsys, f"{site.url}/left.html")
    assert ("No item was written: an argument of the crawl" in told) is (became == PageKind.ARTICLE)
    assert "An earlier run wrote an item for it" not in told
    assert "Read now and by itself, the page looks like an article" in told


@pytest.mark.parametrize("fails", [FAILED, LOST])
def test_the_item_of_a_page_that_is_gone_is_of_an_earlier_run(
    stored: str, capsys: pytest.CaptureFixture[str], fails: str
) -> None:
    """The answer went on as if the page had been read."""
    crawl = Stores(Path(".sitecrawl")).crawl("gazette.example")
    crawl.begin("task")
    crawl.pages.done(url_key(stored), fails)
    crawl.close()
    told = said(capsys, stored)
    assert "An earlier run wrote an item for it. What follows is about that item." in told
    assert ("status 404, 410" in told) is (fails == FAILED)


def test_evidence_that_changed_a_label_is_told() -> None:
    listing, model, profile = (
        page_facts(parse(site_pages()["/city/"], CITY)),
        model_at(""),
        Profile(),
    )
    url = _first_story(listing.urls)
    before = find_link(url, listing, model=model, profile=profile)
    assert before is not None
    for path in STORIES[:9]:
        profile.record(HOST + path, before.link.group, kind="other", guess=before.link.guess)
    one = find_link(url, listing, model=model, profile=profile)
    assert one is not None
    told = " ".join(link_known(one, model, profile=profile)["sentences"])
    assert "Neither article nor section" in told
    assert (
        "URLs of this shape were neither articles nor listing pages 9 of 9 times when the site was crawled."
        in told
    )
    assert "That changed the label: the model alone took the link for an article" in told


def test_a_shape_of_articles_is_opened_whatever_the_label() -> None:
    page, profile = page_facts(parse(site_pages()["/"], f"{HOST}/")), Profile()
    for number in range(9):
        profile.record(
            f"{HOST}/{'abcdefghi'[number]}bout.html",
            "body/ul/li/a",
            kind="article",
            guess=(1.0, 0.0, 0.0),
        )
    one = find_link(f"{HOST}/privacy.html", page, model=model_at(""), profile=profile)
    assert one is not None
    told = " ".join(link_known(one, model_at(""), profile=profile)["sentences"])
    assert "opens it as an article all the same" in told


def test_links_that_lead_to_no_page_are_other_by_rule() -> None:
    html = '<p><a href="#top">Top</a> <a href="mailto:a@b.example">Mail</a> <a href="/a.pdf">A file of ours</a></p>'
    facts = page_facts(parse(html, CITY))
    told = {}
    for url in facts.urls:
        one = find_link(url, facts, model=model_at(""), profile=Profile())
        assert one is not None
        told[one.link.href] = link_known(one, model_at(""), profile=Profile())["sentences"]
    assert told["#top"] == ["Other, by rule: it leads to a place on the same page."]
    assert told["mailto:a@b.example"] == ["Other, by rule: it opens no web page (mailto)."]
    assert told["/a.pdf"][0].startswith("Other, by rule: it leads to another site, a file")


def test_named_reasons_add_up_to_what_the_model_weighed() -> None:
    facts, model = page_facts(parse(site_pages()["/"], f"{HOST}/")), model_at("")
    for url in facts.urls:
        one = find_link(url, facts, model=model, profile=Profile())
        assert one is not None
        if one.target < 0:
            continue
        ranked = reasons(model, one.targets, target=one.target, label=0)
        named = gathered(ranked)
        assert sum(named.values()) == pytest.approx(
            sum(reason.weight for reason in ranked), abs=1e-4
        )
        assert {"list", "shape", "itself", "marks", "text", "address"} <= named.keys()


def test_flags_are_told_in_words(learned: SiteModel) -> None:
    provenance = {
        "method": "fallback",
        "confidence": 0.2,
        "flags": ["unsure", "template-doubted"],
        "fields": {},
    }
    told = page_known(PageEvidence(CITY, learned, item={"provenance": provenance}))["sentences"]
    assert (
        "The single-page extractor answered, since no template of the site fits this page." in told
    )
    assert "The body is right with a probability of 20 %." in told
    assert (
        "The template and the single-page extractor disagreed, and the extractor's answer was taken."
        in told
    )
