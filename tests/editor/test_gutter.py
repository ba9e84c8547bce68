"""The template editor on pages whose code has its line numbers in a column: one click takes all of
them out, and a crawl that runs does not undo it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from sitecrawl.crawl.site_models import Sites, site_of
from sitecrawl.crawl.store import Stores
from sitecrawl.extras.editor.edit_template import TemplateTrial
from sitecrawl.extras.editor.server import EditorServer
from sitecrawl.extras.overrides.template_edits import find, lock, roll_back
from sitecrawl.items.article import Article
from sitecrawl.site.model import SiteModel
from sitecrawl.site.page_families import Choice
from tests.editor.served import opened, served
from tests.pages import TOPICS

SITE, NAME = "code.example", "template-1"
BLOCKS = 26


def column(text: list[str]) -> str:
    return "<pre>" + "".join(f'<span class="line">{line}</span><br>' for line in text) + "</pre>"


def listing(number: int, block: int, rail: str) -> str:
    """Code beside numbers that end in a sign, so that no general rule for line numbers takes them
    out."""
    lines = [
        f"{'    ' * (at % 3)}step_{number}_{block}_{at} = plan(district={at})" for at in range(4)
    ]
    numbers = column([f"{at + 1}#" for at in range(len(lines))])
    cells = f"<td{rail}>{numbers}</td><td>{column(lines)}</td>"
    told = f"Part {block} of report {number} tells what the plan cost in district {block}, and who waited for it so long."
    return f'<figure class="shown"><table><tr>{cells}</tr></table></figure><p>{told}</p>'


def story(number: int, rail: str = ' class="rail"') -> str:
    """A page of text; one in six also has code."""
    topic = TOPICS[number % len(TOPICS)]
    text = "".join(
        f"<p>The {order} part of report {number} says how the {topic} was planned, what it cost in district {number + 1}, "
        f"and why all who live there waited so long until it was done at last.</p>"
        for order in ("first", "second", "third")
    )
    code = (
        "".join(listing(number, block, rail) for block in range(BLOCKS // 2))
        if number in (2, 8)
        else ""
    )
    return f"""<html><head><title>Report {number} on the {topic} - The Example</title></head><body>
<ul class="menu"><li><a href="/">Home</a></li></ul><div id="story"><h1>Report {number} on the {topic}</h1>
<span class="date">{number % 27 + 1:02d}.05.2024</span><div class="text">{text}{code}</div></div>
<div class="foot">Copyright The Example</div></body></html>"""


def learned(rail: str = ' class="rail"') -> SiteModel:
    model = SiteModel(SITE, "2026-01-02")
    model.learn([(f"http://{SITE}/{n}.html", story(n, rail)) for n in range(8)])
    for n in range(8, 20):
        model.observe(story(n, rail), f"http://{SITE}/{n}.html", 0.95)
    return model


@pytest.fixture
def stores(tmp_path: Path) -> Stores:
    with closing(Stores(tmp_path).learned()) as store:
        store.save(SITE, learned().to_dict())
    return Stores(tmp_path)


def trial_of(stores: Stores) -> TemplateTrial:
    with closing(stores.learned()) as store:
        model = site_of(store, SITE)
    return TemplateTrial(model, NAME, model.stored_pages(NAME), stores.learned)


@pytest.fixture
def trial(stores: Stores) -> TemplateTrial:
    return trial_of(stores)


@pytest.fixture
def page(browser: Browser, trial: TemplateTrial) -> Iterator[Page]:
    number = next(
        at
        for at, page in enumerate(trial.pages)
        if "rail" in page.document.named or ".rail" in page.document.named
    )
    with EditorServer(trial) as editor:
        for _ in served(editor):
            for page in opened(browser, editor, f"0 of {len(trial.pages)} pages change"):
                page.locator("#pages a").nth(number).click()
                expect(page.locator("#score")).to_contain_text("0 of")
                yield page


def read(stores: Stores, number: int) -> Article:
    with closing(stores.learned()) as store:
        return site_of(store, SITE).extract(story(number), f"http://{SITE}/{number}.html")


def ways(page: Page) -> list[str]:
    return page.locator("#ways li").all_inner_texts()


def test_one_click_on_a_gutter_takes_out_all_of_them(page: Page, stores: Stores) -> None:
    assert "1#" in read(stores, 8).articleBody
    page.locator("#page .t-td .t-pre", has_text="1#").first.click()
    expect(page.locator("#chosen")).to_contain_text("1#")
    page.keyboard.press("ArrowUp")  # from the block of lines to the cell
    page.keyboard.press("n")
    expect(page.locator("#score")).to_contain_text("2 of ")
    first, *others = ways(page)
    assert first.split("\n")[0] == ".//td.rail"
    assert f"{BLOCKS} elements on 2 pages" in first
    assert any(
        "figure[1]/table/tr/td[1]" in one and "2 elements on 2 pages" in one for one in others
    )
    assert page.locator("#page .f-not-body").count() == BLOCKS // 2
    expect(page.locator("#unsaved ins")).to_have_text(["+ body without: .//td.rail"])
    page.get_by_role("button", name="Save as a new locked version").click()
    expect(page.locator("#told")).to_contain_text("locked")
    body = read(stores, 8).articleBody
    assert "1#" not in body
    assert (
        "\n    step_8_0_1 = plan(district=1)\n        step_8_0_2 = plan(district=2)\n" in body
    )  # code keeps its blanks


def test_a_block_of_line_numbers_is_not_like_a_block_of_code(page: Page) -> None:
    page.locator("#page .t-td .t-pre", has_text="1#").first.click()
    page.keyboard.press("n")
    expect(page.locator("#ways li").first).to_contain_text(
        f".//td.rail/pre{BLOCKS} elements on 2 pages"
    )
    assert page.locator("#page .f-not-body", has_text="step_").count() == 0


def test_code_is_drawn_with_its_blanks(page: Page) -> None:
    code = page.locator("#page .t-pre", has_text="step_").first
    assert code.evaluate("e => getComputedStyle(e).whiteSpace") == "pre-wrap"
    assert "\n    step_" in code.inner_text()


def test_another_way_is_one_click_away(page: Page, trial: TemplateTrial) -> None:
    page.locator("#page .t-td .t-pre", has_text="1#").first.click()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("n")
    page.locator("#ways button", has_text="figure[1]/table/tr/td[1]").click()
    expect(page.locator("#unsaved ins")).to_have_text(
        ["+ body without: ./figure[1]/table/tr/td[1]"]
    )
    assert page.locator("#page .f-not-body").count() == 1
    page.locator("#ways button", has_text=".//td.rail").first.click()
    expect(page.locator("#unsaved ins")).to_have_text(["+ body without: .//td.rail"])
    assert trial.draft.body.without == ['.//td[contains(concat(" ", @class, " "), " rail ")]']


def test_one_key_too_many_is_seen_and_taken_back(page: Page, trial: TemplateTrial) -> None:
    page.locator("#page .t-h1").first.click()
    page.keyboard.press("h")
    page.locator("#page .t-p", has_text="The second part").first.click()
    page.keyboard.press("h")
    expect(page.locator("#unsaved ins", has_text="fields headline sources")).not_to_have_count(0)
    expect(page.locator("#unsaved ins", has_text="p[2]")).not_to_have_count(0)
    page.keyboard.press("u")
    expect(page.locator("#unsaved ins", has_text="p[2]")).to_have_count(0)
    expect(page.locator("#score")).to_contain_text("0 of")
    assert all(values["headline"].startswith("Report") for values in trial.after)


def test_cells_without_a_name_are_told_by_their_column(tmp_path: Path) -> None:
    stores = Stores(tmp_path)
    with closing(stores.learned()) as store:
        store.save(SITE, learned("").to_dict())
    trial = trial_of(stores)
    number, page = next(
        (at, one) for at, one in enumerate(trial.pages) if "td" in one.document.tags
    )
    state = trial.act(
        number, "say", asked={"element": page.document.tags.index("td"), "role": "not body"}
    )
    first = state["ways"][0]
    assert (
        first["rule"] == './/figure[contains(concat(" ", @class, " "), " shown ")]/table/tr/td[1]'
    )
    assert (first["pages"], first["elements"]) == (2, BLOCKS)
    assert not any("1#" in values["articleBody"] for values in trial.after)
    assert any("step_8_0_1" in values["articleBody"] for values in trial.after)
    with pytest.raises(LookupError):
        trial.act(number, "choose", asked={"way": len(state["ways"])})


# ---- while a crawl of the site runs
def test_a_crawl_between_load_and_save_loses_neither_side(
    stores: Stores, trial: TemplateTrial
) -> None:
    crawl = Sites(stores.learned(), today="2026-02-01")
    model = crawl.model(SITE)  # the crawl has read the site before the person saves
    page = next(page for page in trial.pages if ".rail" in page.document.named)
    trial.assign(trial.pages.index(page), page.document.named[".rail"][0], role="not body")
    for n in range(30, 33):
        model.observe(story(n), f"http://{SITE}/{n}.html", 0.95)
    crawl.save(SITE)  # the crawl writes between load and save of the editor
    uses = model.families[0].uses
    assert "locked" in trial.save()
    for n in range(33, 36):
        model.observe(story(n), f"http://{SITE}/{n}.html", 0.95)
    assert (
        "1#" in model.extract(story(8), f"http://{SITE}/8.html").articleBody
    )  # not known to the crawl yet
    crawl.close()
    with closing(stores.learned()) as store:
        family, saved = find(site_of(store, SITE), NAME)
    assert (saved.locked, saved.edited) == (True, True)
    assert family.uses > uses  # what the crawl learned since is there, too
    assert "1#" not in read(stores, 8).articleBody
    assert (
        "1#" not in model.extract(story(8), f"http://{SITE}/8.html").articleBody
    )  # and the crawl goes on with it


def test_what_a_person_saved_answers_where_the_crawl_learned_a_version_meanwhile(
    stores: Stores, trial: TemplateTrial
) -> None:
    crawl = Sites(stores.learned())
    family = crawl.model(SITE).families[0]
    assert family.current is not None
    learned_meanwhile = type(family.current).from_dict(family.current.to_dict())
    learned_meanwhile.version = family.current.version + 1
    family.trust(learned_meanwhile)
    family.versions.append(learned_meanwhile)
    document = trial.pages[0].document
    trial.assign(0, document.tags.index("p"), role="headline")
    trial.save()
    crawl.close()
    with closing(stores.learned()) as store:
        family, answers = find(site_of(store, SITE), NAME)
    numbers = [one.version for one in family.versions]
    assert len(numbers) == len(set(numbers))
    assert (answers.edited, answers.locked, answers.version) == (True, True, max(numbers))


def test_the_second_of_two_editors_tells_that_the_version_of_the_first_no_longer_answers(
    stores: Stores, trial: TemplateTrial
) -> None:
    other = trial_of(stores)
    for one in (trial, other):
        one.assign(0, one.pages[0].document.tags.index("p"), role="headline")
    assert "meanwhile" not in trial.save()
    assert "v3, which another wrote meanwhile, no longer does" in other.save()


def test_locks_roll_backs_words_and_labels_outlive_a_crawl(stores: Stores) -> None:
    crawl = Sites(stores.learned())
    crawl.model(SITE)
    with closing(stores.learned()) as store:
        model = site_of(store, SITE)
        first = model.families[0].versions[0]
        lock(model, NAME)
        if len(model.families[0].versions) > 1:
            roll_back(model, NAME, version=first.version)
        model.choices["/%d.html"] = Choice.KEEP
        model.profile.record_label(f"http://{SITE}/9.html", "/html/body/a", kind="other")
        store.save(SITE, model.to_dict())
    crawl.close()
    with closing(stores.learned()) as store:
        model = site_of(store, SITE)
    answers = find(model, NAME)[1]
    assert (answers.version, answers.locked) == (first.version, True)
    assert model.choices == {"/%d.html": Choice.KEEP}
    assert "other" in model.profile.labels.values()
