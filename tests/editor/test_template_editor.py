"""The template editor in a headless Chromium and by hand-made requests: what a click does to twenty
pages, saving, rolling back, what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from sitecrawl.crawl.site_models import site_of
from sitecrawl.crawl.store import Stores
from sitecrawl.dom.parse import parse
from sitecrawl.extras.editor.edit_template import TemplateTrial
from sitecrawl.extras.editor.server import EditorServer
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.template import Body
from tests.editor.served import HOSTILE, attributes_drawn, command, end, opened, served
from tests.pages import TOPICS

SITE = "news.example"
NAME = "template-1"
READERS, LETTERS = ("Berta", "Cem", "Dora"), "abcdefghijklmnopqrstuvwxyz"


def story(number: int) -> str:
    """A page with a second heading, a table of facts, an advertisement in its text and readers'
    comments."""
    topic = TOPICS[number % len(TOPICS)]
    text = "".join(
        f"<p>The {order} part of report {number} says how the {topic} was planned, what it cost in district {number + 1}, "
        f"and why all who live there waited so long until it was done at last.</p>"
        for order in ("first", "second", "third", "fourth")
    )
    said = "".join(
        f'<div class="reply"><b class="who">{READERS[n]} {LETTERS[number % 26]}</b> <i class="when">2024-06-{n + 10} 10:0{n}</i>'
        f'<p class="said">I pass the {topic} every day on my way to school and never saw anybody work there, case {number}{n}.</p></div>'
        for n in range(3)
    )
    return f"""<html><head><title>Report {number} on the {topic} - The Example</title></head><body>
<ul class="menu"><li><a href="/">Home</a></li><li><a href="/city/">City</a></li></ul>
<div id="story"><h1>Report {number} on the {topic}</h1><h2 class="lead">What district {number + 1} may hope for</h2>
<dl class="facts"><dt>Written by</dt><dd>Ann Onym{LETTERS[number % 26]}</dd><dt>Printed</dt><dd>{number % 27 + 1:02d}.05.2024</dd></dl>
<div class="text">{text}<div class="promo">Report {number}: read more of this in our weekly letter to subscribers, now with pictures.</div></div></div>
<div class="talk">{said}</div><div class="foot">Copyright The Example</div></body></html>"""


@pytest.fixture(scope="module")
def learned() -> dict[str, Any]:
    model = SiteModel(SITE, "2026-01-02")
    for n in range(24):
        model.observe(story(n), f"http://{SITE}/{n}.html", 0.95)
    return model.to_dict()


@pytest.fixture
def stores(learned: dict[str, Any], tmp_path: Path) -> Stores:
    stores = Stores(tmp_path)
    store = stores.learned()
    store.save(SITE, learned)
    store.close()
    return stores


def model_in(stores: Stores) -> SiteModel:
    store = stores.learned()
    model = site_of(store, SITE)
    store.close()
    return model


@pytest.fixture
def trial(stores: Stores) -> TemplateTrial:
    model = model_in(stores)
    hostile = parse(HOSTILE, f"http://{SITE}/hostile.html")
    return TemplateTrial(model, NAME, [*model.stored_pages(NAME)[:19], hostile], stores.learned)


@pytest.fixture
def editor(trial: TemplateTrial) -> Iterator[EditorServer]:
    with EditorServer(trial) as found:
        yield from served(found)


@pytest.fixture
def page(browser: Browser, editor: EditorServer) -> Iterator[Page]:
    yield from opened(browser, editor, "0 of 20 pages change")


def count(page: Page, field: str) -> list[str]:
    """Pages that have a field before, after, and pages where it changed."""
    return page.locator("#counts tr", has_text=field).locator("td").all_inner_texts()[1:]


def test_twenty_pages_are_kept(stores: Stores) -> None:
    assert len(model_in(stores).stored_pages(NAME)) == 20


def test_a_click_changes_twenty_pages(page: Page, stores: Stores) -> None:
    score = page.locator("#score")
    page.locator("#page .lead, #page .t-h2").first.click()
    expect(page.locator("#chosen")).to_contain_text("What district 1 may hope for")
    page.get_by_role("button", name="Headline").click()
    expect(score).to_have_text("19 of 20 pages change")
    assert count(page, "headline") == ["20", "20", "19"]
    first = page.locator("#pages .changes").first
    expect(first.locator("del").first).to_have_text("Report 0 on the harbour")
    expect(first.locator("ins").first).to_have_text("What district 1 may hope for")
    expect(page.locator("#page .f-headline")).to_have_text("What district 1 may hope for")
    page.locator("#page .t-p", has_text="The second part").click()
    page.keyboard.press("n")
    expect(page.locator("#page .f-not-body", has_text="The second part")).to_have_count(1)
    page.keyboard.press("u")
    expect(page.locator("#page .f-not-body", has_text="The second part")).to_have_count(0)
    page.get_by_role("button", name="Save as a new locked version").click()
    expect(page.locator("#told")).to_contain_text("v3, locked")
    expect(score).to_have_text("0 of 20 pages change")
    model = model_in(stores)
    saved = model.templates[0]
    assert (saved.version, saved.locked, saved.edited) == (3, True, True)
    assert (
        model.extract(story(30), f"http://{SITE}/30.html").headline
        == "What district 31 may hope for"
    )
    page.get_by_role("button", name="Roll back to v2").click()
    expect(page.locator("#told")).to_contain_text("v2 answers again")
    assert (
        model_in(stores).extract(story(30), f"http://{SITE}/30.html").headline
        == "Report 30 on the market hall"
    )


def test_the_editor_opens_on_the_article(page: Page) -> None:
    """It opened on what stands above: here the lists of the editor, else the menus of the page."""
    page.set_viewport_size({"width": 500, "height": 300})
    page.reload()
    expect(page.locator("#page .f-headline")).to_be_in_viewport()


def said_by(stores: Stores, trial: TemplateTrial, text: str, role: str) -> dict[str, Any]:
    """The item of a page that nobody has seen, after a click on the last element with this text and
    no other."""
    document = trial.pages[0].document
    place = max(
        n
        for n in range(len(document))
        if document.text(n) == text
        or (text.endswith("…") and document.text(n).startswith(text[:-1]))
    )
    trial.assign(0, place, role=role)
    assert "locked" in trial.save()
    return model_in(stores).extract(story(31), f"http://{SITE}/31.html").to_dict()


def test_a_date_behind_its_label(stores: Stores, trial: TemplateTrial) -> None:
    assert said_by(stores, trial, "01.05.2024", "date")["datePublished"] == "2024-05-05"
    rule = model_in(stores).templates[0].fields["datePublished"]
    assert next(iter(rule.sources)) == '//dt[normalize-space()="Printed"]/following-sibling::dd[1]'


def test_an_author_behind_a_label(stores: Stores, trial: TemplateTrial) -> None:
    assert [
        author["name"] for author in said_by(stores, trial, "Ann Onyma", "author")["authors"]
    ] == ["Ann Onymf"]


def test_what_is_no_body_and_what_is(stores: Stores, trial: TemplateTrial) -> None:
    promo = "Report 0: read more…"
    for role, holds in (("not body", False), ("body", True)):
        assert ("weekly letter" in said_by(stores, trial, promo, role)["articleBody"]) is holds


def test_another_body_answers_although_the_extractor_says_something_else(
    stores: Stores, trial: TemplateTrial
) -> None:
    trial.draft.body = Body(['//div[contains(concat(" ", @class, " "), " text ")]'])
    facts = "Written by Ann Onyma Printed 01.05.2024"
    item = said_by(stores, trial, facts, "body")
    assert item["articleBody"].split() == "Written by Ann Onymf Printed 05.05.2024".split()
    model = model_in(stores)
    verdicts = [model.observe(story(n), f"http://{SITE}/{n}.html", 0.95) for n in range(40, 44)]
    assert all(one.article and "Printed" in one.article.articleBody for one in verdicts)


def test_a_comment_finds_all_comments(stores: Stores, trial: TemplateTrial) -> None:
    trial.draft.records = None
    comments = said_by(stores, trial, "Berta a 2024-06-10…", "comment")["comments"]
    assert [(one["author"], one["datePublished"][:10]) for one in comments] == [
        (f"{READERS[n]} f", f"2024-06-{n + 10}") for n in range(3)
    ]


def test_what_cannot_be_is_told_and_changes_nothing(trial: TemplateTrial) -> None:
    document = trial.pages[0].document
    menu = next(n for n in range(len(document)) if document.text(n) == "Home City")
    for role in ("date", "not body"):
        state = trial.act(0, "say", asked={"element": menu, "role": role})
        assert state["told"].count("\n") == 0
        assert state["told"]
        assert not state["undo"]
    assert "nothing to save" in trial.act(0, "save", asked={})["told"]


def test_keys_move_the_choice(page: Page) -> None:
    page.locator("#page .t-dd").first.click()
    expect(page.locator("#chosen")).to_contain_text("Ann Onym")
    for key, text in (
        ("ArrowLeft", "Written by"),
        ("ArrowRight", "Ann"),
        ("ArrowUp", "Printed"),
        ("ArrowDown", "Written by"),
    ):
        page.keyboard.press(key)
        expect(page.locator("#chosen")).to_contain_text(text)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Headline")).to_be_disabled()


@pytest.mark.parametrize("number", [0, 19])
def test_anyone_can_use_it(page: Page, editor: EditorServer, number: int) -> None:
    page.goto(f"{editor.url[:-1]}{number}")
    page.locator("#page [data-n]").first.click()
    page.keyboard.press("h")
    expect(page.locator("#score")).to_contain_text("of 20 pages")
    bad = [
        one
        for one in Axe().run(page).response["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    assert bad == []


def test_a_hostile_page_runs_and_loads_nothing(page: Page, editor: EditorServer) -> None:
    page.goto(f"{editor.url[:-1]}19")
    expect(page.locator("#score")).to_contain_text("0 of 20")
    page.locator("#page [data-n]", has_text="read me").last.click()
    page.keyboard.press("h")
    expect(page.locator("#score")).to_contain_text("of 20 pages")
    assert "stolen" not in page.title()
    assert page.url.startswith(f"http://{editor.host}/")
    assert attributes_drawn(page) <= {"class", "data-n"}


def test_another_origin_in_the_browser_is_refused(
    page: Page, browser: Browser, editor: EditorServer, trial: TemplateTrial
) -> None:
    """A page of another port knows the token, which no page can, and still neither reads nor
    changes anything."""
    with EditorServer(trial) as other:
        for _ in served(other):
            foreign = browser.new_page()
            foreign.goto(other.url)
            told = foreign.evaluate(
                """async ([post, get]) => Promise.all([fetch(post, {method: 'POST', mode: 'no-cors', body: '{"element": 4, "role": "headline"}'}),
                fetch(get), new Promise((done, fail) => Object.assign(document.body.appendChild(document.createElement('iframe')), {onload: done, onerror: fail, src: get}))]
                .map(one => Promise.resolve(one).then(() => 'sent', () => 'stopped')))""",
                [f"http://{editor.host}/{editor.token}/0/say", editor.url],
            )
            foreign.close()
    assert told[:2] == ["stopped", "stopped"]
    assert not trial.past


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": ""}, 403),
        ({"Host": "evil.example"}, 403),
        ({"token": "x"}, 403),
        ({"body": '{"element": 99999, "role": "headline"}'}, 400),
        ({"body": '{"element": -1, "role": "headline"}'}, 400),
        ({"body": '{"element": 4, "role": "nonsense"}'}, 400),
        ({"body": "[]"}, 400),
        ({"number": "20"}, 400),
    ],
)
def test_only_the_editors_own_page_is_answered(
    editor: EditorServer, trial: TemplateTrial, changed: dict[str, str], status: int
) -> None:
    place = next(n for n, tag in enumerate(trial.pages[0].document.tags) if tag == "h2")
    body = changed.get("body", json.dumps({"element": place, "role": "headline"}))
    usual = {
        "Origin": f"http://{editor.host}",
        "Host": editor.host,
        "Content-Type": "application/json",
    }
    headers = {name: changed.get(name, value) for name, value in usual.items()}
    connection = HTTPConnection(editor.host, timeout=10)
    path = f"/{changed.get('token', editor.token)}/{changed.get('number', '0')}/say"
    connection.request(
        "POST", path, body, {name: value for name, value in headers.items() if value}
    )
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    assert (answer.status, bool(trial.past)) == (status, status == 200)
    assert editor.token not in text


def test_the_command(stores: Stores, tmp_path: Path) -> None:
    with command(tmp_path, "templates", "edit", SITE, "-s", f"SITECRAWL_DATA_DIR={tmp_path}") as (
        said,
        process,
    ):
        told = said.split()
        assert told[:3] == ["edit", f"{SITE}/{NAME}", "at"]
        host, _, path = told[3].removeprefix("http://").partition("/")
        connection = HTTPConnection(host, timeout=10)
        connection.request("GET", f"/{path}")
        assert "What district 1 may hope for" in connection.getresponse().read().decode()
        connection.close()
        assert end(tmp_path, process) == ""
