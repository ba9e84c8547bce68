"""The label editor in a headless Chromium and by hand-made requests: labels, undo, what is saved,
and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from sitecrawl.__main__ import main
from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.site_models import Sites
from sitecrawl.crawl.store import Stores
from sitecrawl.dom.parse import parse
from sitecrawl.errors import LabelError
from sitecrawl.extras.editor.label_session import LabelSession, write_pages
from sitecrawl.extras.editor.page_labels import PageLabels
from sitecrawl.extras.editor.server import EditorServer
from sitecrawl.extras.editor.training_trial import TrainingTrial
from sitecrawl.extras.overrides.judged_families import JudgedFamilies
from sitecrawl.extras.training.dataset import read_site
from sitecrawl.links.classify import Profile, classify
from sitecrawl.links.link_model import load_model, model_at
from sitecrawl.site.page_families import Choice
from tests.crawl.driver import crawled
from tests.crawl.runner import typed
from tests.editor.served import HOSTILE, attributes_drawn, command, end, opened, served
from tests.pages import article_page, listing_page

URL = "http://news.example/city/"


def editor_of(folder: Path, *pages: str) -> EditorServer:
    pages = [
        PageLabels.of(parse(html, URL if not n else f"{URL}{n}/"), model_at(""))
        for n, html in enumerate(pages)
    ]
    trial = TrainingTrial(folder / "own.npz", [folder], model_at(""))
    return EditorServer(LabelSession(pages, folder, trial, Stores(folder / "data")))


def session(editor: EditorServer) -> LabelSession:
    assert isinstance(editor.work, LabelSession)
    return editor.work


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[EditorServer]:
    with editor_of(
        tmp_path / "records", listing_page(range(12)), listing_page(range(12, 20)), HOSTILE
    ) as found:
        yield from served(found)


@pytest.fixture
def page(browser: Browser, editor: EditorServer) -> Iterator[Page]:
    yield from opened(browser, editor, "labelled")


def saved(folder: Path) -> dict[str, int]:
    (found,) = read_site(folder / "news.example.jsonl.gz")
    return dict(zip(found.facts.urls, found.labels.tolist(), strict=True))


def test_click_key_group_and_undo(page: Page, editor: EditorServer) -> None:
    score, teasers = page.locator("#score"), page.locator("#page .link", has_text="Harbour bridge")
    expect(score).to_contain_text("0 of 17 labelled")
    teasers.first.click()
    expect(score).to_contain_text("1 of 17 labelled; the model had 1 of them right (100 %)")
    teasers.first.click(modifiers=["Shift"])
    expect(score).to_contain_text("12 of 17 labelled")
    politics = page.locator("#page .link", has_text="Politics")
    politics.focus()
    page.keyboard.press("s")
    expect(politics).to_have_class("link section said")
    expect(score).to_contain_text("13 of 17")
    politics.press("Shift+O")
    expect(score).to_contain_text("16 of 17")
    expect(politics).to_have_class("link other said")
    page.keyboard.press("u")
    expect(score).to_contain_text("13 of 17")
    expect(politics).to_have_class("link section said")
    politics.press("x")
    expect(score).to_contain_text("12 of 17")
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("radio", name="other").check()
    page.locator("#page .link", has_text="About us").click()
    page.get_by_role("button", name="The rest is right").click()
    expect(score).to_contain_text("17 of 17")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#told")).to_contain_text("wrote")
    labels = saved(session(editor).folder)
    assert [labels[f"http://news.example/2024/05/a-{n}.html"] for n in range(12)] == [2] * 12
    assert labels["http://news.example/politics/"] == 1
    lines = (
        (session(editor).folder / "news.example.labels.jsonl")
        .read_text(encoding="utf8")
        .splitlines()
    )
    assert len(lines) == 17
    assert '{"url": "http://news.example/politics/", "label": "section"}' in lines
    assert labels["http://news.example/about.html"] == 0


def test_shift_and_click_selects_no_text(page: Page) -> None:
    """The text between two clicks was selected, as in any page."""
    teasers = page.locator("#page .link", has_text="Harbour bridge")
    teasers.first.click()
    teasers.last.click(modifiers=["Shift"])
    expect(page.locator("#score")).to_contain_text("12 of 17 labelled")
    assert page.evaluate("getSelection().toString()") == ""


@pytest.mark.parametrize("width", [1200, 500])
def test_a_message_is_in_view_wherever_the_page_is(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 500})
    page.locator("#page .link", has_text="Harbour bridge").last.click()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#told")).to_contain_text("wrote")
    page.locator("#page .link").last.scroll_into_view_if_needed()
    expect(page.locator("#told")).to_be_in_viewport()


def test_what_was_taught_is_listed_and_taken_back(page: Page, editor: EditorServer) -> None:
    """A page that the session does not show, too."""
    teasers = page.locator("#page .link", has_text="Harbour bridge")
    expect(page.locator("#taught")).to_be_hidden()
    teasers.first.click(modifiers=["Shift"])
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#taught")).to_contain_text("12 article links, 0 section links of")
    folder = session(editor).folder
    (mine,) = read_site(folder / "news.example.jsonl.gz")
    write_pages([replace(mine, site="old.example", group="old.example")], folder)
    page.reload()
    expect(page.locator("#taught tbody tr")).to_have_count(2)
    expect(page.locator("#score")).to_contain_text("12 of 17 labelled")
    page.get_by_role("button", name="Take back").first.click()
    expect(page.locator("#told")).to_contain_text(f"taken back: {URL}")
    expect(page.locator("#taught")).to_be_hidden()
    expect(page.locator("#score")).to_contain_text("0 of 17 labelled")
    assert [*folder.glob("*.gz")] == []


def test_labels_count_at_once_for_the_rest_of_the_site(page: Page, editor: EditorServer) -> None:
    teaser = "#page .link:has-text('Harbour bridge')"
    expect(page.locator(teaser).first).to_have_class("link article high")
    page.goto(editor.url[:-1] + "1")
    expect(page.locator("#score")).to_contain_text("0 of 13")
    page.get_by_role("radio", name="other").check()
    page.locator(teaser).first.click(modifiers=["Shift"])
    expect(page.locator("#score")).to_contain_text(
        "8 of 13 labelled; the model had 0 of them right"
    )
    page.goto(editor.url)
    expect(page.locator(f"{teaser}.other")).to_have_count(12)
    expect(page.locator("#score")).to_contain_text("0 of 17")


PICTURES = "".join(f'<li><a href="/works/{n}/"><img src="/{n}.jpg"></a></li>' for n in range(6))
GALLERY = f"""<html><head><title>Works</title></head><body><ul class="works">{PICTURES}</ul>
<p><a href="/?page=2"><img src="/next.gif"></a> <a href="/"><img src="/logo.gif"></a> <a href="http://else.example/x">a friend</a></p></body></html>"""


@pytest.fixture
def gallery(tmp_path: Path) -> Iterator[EditorServer]:
    with editor_of(tmp_path / "records", GALLERY) as found:
        yield from served(found)


def test_a_link_of_a_picture_shows_where_it_leads(browser: Browser, gallery: EditorServer) -> None:
    for page in opened(browser, gallery, "0 of 8 labelled"):
        where, links = page.locator("#where"), page.locator("#page .link")
        expect(where).to_be_hidden()
        expect(links).to_have_text(
            [*(f"[{n}]" for n in range(6)), "[?page=2]", "[picture]", "a friend"]
        )
        links.nth(3).hover()
        expect(where).to_have_text("http://news.example/works/3/")
        links.nth(7).focus()
        expect(where).to_have_text("http://news.example/")
        page.keyboard.press("n")  # goes to the least certain link
        focused = page.evaluate("Number(document.activeElement.dataset.link)")
        expect(where).to_have_text(session(gallery).pages[0].facts.urls[focused])
        assert (links.nth(8).get_attribute("title") or "").split("\n")[0] == "http://else.example/x"
        names = page.locator("#groups .go").all_inner_texts()
        assert "0 · 1 · 2" in names  # "/ · / · /" told nothing
        assert "news.example" in names or "?page=2 · news.example" in names
        assert [
            one
            for one in Axe().run(page).response["violations"]
            if one["impact"] in ("serious", "critical")
        ] == []


def test_the_least_certain_group_is_first(page: Page, editor: EditorServer) -> None:
    sure = [group["sure"] for group in session(editor).pages[0].listed_groups()]
    assert sure == sorted(sure)
    page.locator("#groups .go").first.click()
    assert page.evaluate("document.activeElement.classList.contains('near')")
    page.keyboard.press("n")
    page.keyboard.press("a")
    expect(page.locator("#score")).to_contain_text("1 of 17")
    page.get_by_role("button", name="The rest is right").click()
    expect(page.locator("nav a").first).to_contain_text("done")
    sures = [
        min(
            group["sure"]
            for group in page_labels.listed_groups(session(editor).evidence(page_labels.site))
        )
        for page_labels in session(editor).pages
    ]
    page.keyboard.press("n")
    page.wait_for_url(f"{editor.url[:-1]}{sures.index(min(sures))}")
    expect(page.locator("#score")).to_contain_text("0 of")


@pytest.mark.parametrize("number", [0, 2])
def test_anyone_can_use_it(page: Page, editor: EditorServer, number: int) -> None:
    page.goto(f"{editor.url[:-1]}{number}")
    expect(page.locator("#score")).to_contain_text("0 of")
    page.locator("#page .link:not(.none)").first.press("a")
    expect(page.locator("#score")).to_contain_text("1 of")
    bad = [
        one
        for one in Axe().run(page).response["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    assert bad == []


def test_a_hostile_page_runs_and_loads_nothing(page: Page, editor: EditorServer) -> None:
    page.goto(editor.url[:-1] + "2")
    expect(page.locator("#score")).to_contain_text("0 of 2 labelled")
    for text in ("run me", "read me"):
        page.locator("#page .link", has_text=text).click()
    expect(page.locator("#score")).to_contain_text("1 of 2 labelled")
    assert "stolen" not in page.title()
    assert page.url.startswith(f"http://{editor.host}/")
    assert attributes_drawn(page) <= {
        "class",
        "data-link",
        "role",
        "tabindex",
        "title",
        "aria-pressed",
    }


def test_another_origin_in_the_browser_is_refused(
    page: Page, browser: Browser, editor: EditorServer, tmp_path: Path
) -> None:
    with editor_of(tmp_path, listing_page(range(3))) as other:
        Thread(target=other.serve_forever, daemon=True).start()
        foreign = browser.new_page()
        foreign.goto(other.url)
        target = f"http://{editor.host}/{editor.token}/0/rest"
        told = foreign.evaluate(
            "url => fetch(url, {method: 'POST', mode: 'no-cors', body: '{}'}).then(() => 'sent', e => 'stopped')",
            target,
        )
        foreign.close()
        other.shutdown()
    assert told == "stopped"
    assert session(editor).pages[0].given == {}


GOOD = {"Origin": "http://{host}", "Host": "{host}", "Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Host": "localhost"}, 403),
        ({"Content-Type": "text/plain"}, 403),
        ({"token": "x"}, 403),
        ({"body": "{"}, 400),
        ({"body": '{"links": [999], "label": "article"}'}, 400),
        ({"body": '{"links": [-1], "label": "article"}'}, 400),
        ({"body": '{"links": [1], "label": "nonsense"}'}, 400),
        ({"body": "[]"}, 400),
        ({"number": "-1"}, 400),
        ({"number": "7"}, 400),
        ({"Content-Length": "99999999"}, 400),
    ],
)
def test_only_the_editors_own_page_is_answered(
    editor: EditorServer, changed: dict[str, str], status: int
) -> None:
    body = changed.get("body", '{"links": [4], "label": "article"}')
    headers = {
        name: changed.get(name, value.format(host=editor.host)) for name, value in GOOD.items()
    }
    headers["Content-Length"] = changed.get("Content-Length", str(len(body)))
    path = f"/{changed.get('token', editor.token)}/{changed.get('number', '0')}/say"
    connection = HTTPConnection(editor.host, timeout=10)
    connection.request(
        "POST", path, body, {name: value for name, value in headers.items() if value}
    )
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    assert (answer.status, bool(session(editor).pages[0].given)) == (status, status == 200)
    assert editor.token not in text
    assert "default-src 'none'" in (answer.getheader("Content-Security-Policy") or "")


@pytest.mark.parametrize(
    "path",
    ["/", "/0", "//0", "/favicon.ico", "/{token}/server.py", "/{token}/../server.py", "/{token}"],
)
def test_no_other_path_gives_anything(editor: EditorServer, path: str) -> None:
    connection = HTTPConnection(editor.host, timeout=10)
    connection.request("GET", path.format(token=editor.token))
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    assert answer.status in (400, 403)
    assert len(text) < 100
    assert editor.token not in text


KEYS = {
    "Harbour": "Shift+A",
    "Politics": "s",
    "Sport": "s",
    "About": "o",
    "Home": "o",
    "Older": "s",
}


def test_from_the_command_to_a_model(tmp_path: Path, browser: Browser) -> None:
    """A site is labelled in the browser, its feed being the first guess, and the existing command
    learns from it and two others."""
    into, html = tmp_path / "records", tmp_path / "city.html"
    html.write_text(listing_page(range(12)), encoding="utf8")
    feed = tmp_path / "feed.xml"
    stories = "".join(
        f"<item><link>http://news.example/2024/05/a-{n}.html</link></item>" for n in range(5)
    )
    feed.write_text(f'<rss version="2.0"><channel>{stories}</channel></rss>', encoding="utf8")
    line = ["label", "--edit", str(html), "--url", URL, "--into", str(into), "--labels", str(feed)]
    with command(tmp_path, *line) as (said, process):
        page = browser.new_page()
        page.goto(said.split()[2])
        expect(page.locator("#page .article.said")).to_have_count(12)
        for text, key in KEYS.items():
            page.locator("#page .link", has_text=text).first.press(key)
        expect(page.locator("#score")).to_contain_text("17 of 17")
        page.close()
        assert "wrote" in end(tmp_path, process)
    (mine,) = read_site(into / "news.example.jsonl.gz")
    write_pages(
        [replace(mine, site=f"{host}.example", group=host) for host in ("one", "two")], into
    )
    done = typed("train", str(into), "-o", str(tmp_path / "model.npz"), "--folds", "0")
    assert done.returncode == 0, done.stderr
    assert load_model(tmp_path / "model.npz").card["sites"] == 3


UPSIDE_DOWN = {"Harbour": "Shift+O", "Politics": "Shift+A", "Older": "s"}


def test_train_compare_use_and_crawl(
    page: Page, editor: EditorServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever calls the stories other and the menu articles gets a model that says so, and a crawl
    that fetches other links."""
    folder = session(editor).folder
    score = page.locator("#score")
    for text, key in UPSIDE_DOWN.items():
        before_it = score.inner_text()
        page.locator("#page .link", has_text=text).first.press(key)
        expect(score).not_to_have_text(before_it)
    expect(page.locator("#score")).to_contain_text(
        "17 of 17 labelled; the model had 1 of them right"
    )
    mine = session(editor).pages[0].record()
    write_pages(
        [replace(mine, site=f"{host}.example", group=host) for host in ("one", "two")], folder
    )
    page.get_by_role("button", name="Train and compare").click()
    here = page.get_by_role("button", name="Use it for news.example only")
    expect(here).to_be_visible(timeout=20_000)
    rows = page.locator("#trial tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("news.example, pages it learned from")
    assert rows.first.locator("td").all_inner_texts()[1:4] == ["1", "0", "1"]
    here.click()
    expect(page.locator("#told")).to_contain_text(
        "own-links-news.example.npz; crawls of news.example use it"
    )
    assert (
        "not validated; compared in the editor"
        in (folder / "own-links-news.example.md").read_text()
    )
    monkeypatch.chdir(tmp_path)
    before = asked(tmp_path / "before")
    monkeypatch.chdir(folder)
    after = asked(tmp_path / "after")
    assert CrawlSettings(link_model="set.npz").link_model_of("news.example") == "set.npz"
    assert [path for path in before if "/a-" in path] != []
    assert [path for path in after if "/a-" in path] == []
    assert "/politics/" in after


def asked(state: Path) -> list[str]:
    """What a crawl of the section asks for."""
    stories = {f"/2024/05/a-{n}.html": article_page(n) for n in range(12)}
    return crawled(
        {"/city/": listing_page(range(12)), "*": article_page(40)} | stories,
        state,
        start=URL,
        scope="section",
    ).network.asked


def test_labels_are_evidence_for_the_next_crawl_of_the_site(
    page: Page, editor: EditorServer, tmp_path: Path
) -> None:
    stores = Stores(tmp_path / "state")
    session(editor).stores = stores
    page.locator("#page .link", has_text="Harbour").first.press("Shift+O")
    expect(page.locator("#score")).to_contain_text("12 of 17")
    for _ in range(2):  # told twice, it counts once
        page.get_by_role("button", name="Use for this site").click()
        expect(page.locator("#told")).to_contain_text("the next crawls of news.example know")
    profile = profile_of(stores)
    found = classify(parse(listing_page(range(50, 60)), URL), profile=profile)
    assert [link.label for link in found if "/a-" in link.url] == ["other"] * 10
    assert max(sum(sums[:3]) for sums in profile.seen.values()) == 12
    assert len(profile.labels) == 12
    page.locator("#page .link", has_text="Harbour").first.press("x")
    expect(page.locator("#score")).to_contain_text("11 of 17")
    page.get_by_role("button", name="Use for this site").click()
    expect(page.locator("#told")).to_contain_text("the next crawls of news.example know")
    assert len(profile_of(stores).labels) == 11


def test_links_are_told_as_a_person_labelled_them(
    page: Page, editor: EditorServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stores, html = Stores(tmp_path / "state"), tmp_path / "city.html"
    session(editor).stores = stores
    html.write_text(listing_page(range(12)), encoding="utf8")
    line = [
        "links",
        str(html),
        "--url",
        URL,
        "--label",
        "other",
        "-s",
        f"SITECRAWL_DATA_DIR={stores.data_dir}",
    ]
    assert main(line) == 0
    assert "a-3.html" not in capsys.readouterr().out
    page.locator("#page .link", has_text="Harbour").nth(3).press("o")
    page.get_by_role("button", name="Use for this site").click()
    expect(page.locator("#told")).to_contain_text("the next crawls of news.example know")
    assert main(line) == 0
    assert "http://news.example/2024/05/a-3.html" in capsys.readouterr().out
    assert main([*line[:-1], f"SITECRAWL_DATA_DIR={tmp_path / 'elsewhere'}"]) == 0
    assert "a-3.html" not in capsys.readouterr().out


def test_a_family_is_kept_or_dropped_by_one_click(
    editor: EditorServer, browser: Browser, tmp_path: Path
) -> None:
    stores, posts = Stores(tmp_path / "state"), "/#/#/a-#.html dated"
    asked(stores.data_dir)
    session(editor).stores = stores
    for page in opened(browser, editor, "labelled"):
        expect(page.get_by_role("row", name=posts)).to_contain_text("Harbour bridge")
        for clicked, said in (
            ("Drop", {posts: Choice.DROP}),
            ("Keep", {posts: Choice.KEEP}),
            ("Keep", {}),
        ):
            button = page.get_by_role("button", name=f"{clicked} {posts}")
            button.click()
            expect(button).to_have_attribute("aria-pressed", str(bool(said)).lower())
            with JudgedFamilies.of(stores, "news.example") as families:
                assert families.model.choices == said
        bad = [
            one
            for one in Axe().run(page).response["violations"]
            if one["impact"] in ("serious", "critical")
        ]
        assert bad == []


def test_a_site_that_was_never_crawled_has_no_families(page: Page) -> None:
    expect(page.locator("#score")).to_contain_text("labelled")
    expect(page.locator("#families")).to_be_hidden()


def profile_of(stores: Stores) -> Profile:
    learned = Sites(stores.learned())
    profile = learned.model(CrawlArguments((URL,)).site).profile
    learned.close()
    return profile


def test_too_few_sites_are_told_in_the_page(page: Page, editor: EditorServer) -> None:
    page.locator("#page .link").first.press("a")
    page.get_by_role("button", name="Train and compare").click()
    expect(page.locator("#going")).to_contain_text("at least 3 are needed")


def test_a_later_session_begins_where_the_last_one_ended(tmp_path: Path) -> None:
    with editor_of(tmp_path, listing_page(range(12))) as first:
        first.work.act(0, "say", asked={"links": [1, 2], "label": "section"})
        first.work.act(0, "save", asked={})
    with editor_of(tmp_path, listing_page(range(12))) as second:
        session(second).resume()
        assert list(session(second).pages[0].given.values()) == ["section", "section"]


def test_labels_that_were_withdrawn_are_not_kept_in_the_records(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    with editor_of(folder, listing_page(range(12))) as first:
        first.work.act(0, "say", asked={"links": [4], "label": "other"})
        first.work.act(0, "save", asked={})
        first.work.act(0, "undo", asked={})
        assert "wrote" in first.work.act(0, "save", asked={})["told"]
    assert (folder / "news.example.labels.jsonl").read_text() == ""
    with editor_of(folder, listing_page(range(12))) as later:
        session(later).resume()
        assert later.work.act(0, "state", asked={})["pages"][0]["said"] == 0


def test_two_editors_of_a_page_lose_no_label_of_each_other(tmp_path: Path) -> None:
    """The one that saved last wrote its own labels only."""
    with (
        editor_of(tmp_path, listing_page(range(12))) as first,
        editor_of(tmp_path, listing_page(range(12))) as second,
    ):
        for work, links in ((first.work, [1, 2]), (second.work, [2, 5, 6])):
            work.act(0, "say", asked={"links": links, "label": "section"})
        first.work.act(0, "save", asked={})
        second.work.act(0, "undo", asked={})
        second.work.act(0, "say", asked={"links": [5, 6], "label": "article"})
        assert second.work.act(0, "save", asked={})["said"] == 4
        first.work.act(0, "say", asked={"links": [1], "label": "other"})
        assert first.work.act(0, "save", asked={})["said"] == 4
        assert second.work.act(0, "save", asked={})["said"] == 4
        second.work.act(0, "undo", asked={})
        assert second.work.act(0, "save", asked={})["said"] == 2
    with editor_of(tmp_path, listing_page(range(12))) as later:
        session(later).resume()
        assert sorted(session(later).pages[0].given.values()) == ["other", "section"]


def test_a_full_disk_leaves_the_records_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of a site was emptied before it was written again."""

    def full(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[:9])
        raise OSError(28, "No space left on device")

    with editor_of(tmp_path, listing_page(range(12))) as editor:
        editor.work.act(0, "say", asked={"links": [1, 2], "label": "section"})
        editor.work.act(0, "save", asked={})
        editor.work.act(0, "say", asked={"links": [3], "label": "section"})
        monkeypatch.setattr(Path, "write_bytes", full)
        with pytest.raises(LabelError, match="No space"):
            editor.work.act(0, "save", asked={})
    with editor_of(tmp_path, listing_page(range(12))) as later:
        session(later).resume()
        assert len(session(later).pages[0].given) == 2


def test_a_page_without_its_url_is_refused_in_one_line(tmp_path: Path) -> None:
    html = tmp_path / "city.html"
    html.write_text(listing_page(range(3)), encoding="utf8")
    done = typed("label", "--edit", str(html))
    assert done.returncode == 2
    assert "--url" in done.stderr
    assert len(done.stderr.splitlines()) == 1
