"""What a page may cost is counted by its meter: attacks whose work is a product of two lengths. No
clock: a test looks at what was paid, at the size of what is written, and at the flag."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest

import sitecrawl
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content
from sitecrawl.extract.single import Extraction
from sitecrawl.items.kinds import Flag
from sitecrawl.limits import LIMITS, Meter
from sitecrawl.links.classify import classify
from sitecrawl.templates.induction import article_fields
from sitecrawl.text.names import clean_names
from sitecrawl.urls.scope import ascii_host
from tests.work import calls_of

URL = "http://e.example/story/1.html"
PLAIN = "<html><body><p>Some words of a paragraph.</p>"


def linked(html: str) -> Page:
    page = parse(html, URL)
    classify(page)
    return page


def steps_of(job: Callable[[], object]) -> int:
    """Lines of Python that run while a job runs, those of a loop again and again."""
    steps = 0

    def count(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal steps
        if event == "line":
            steps += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        job()
    finally:
        sys.settrace(before)
    return steps


def test_a_meter_refuses_what_it_cannot_pay_and_pays_what_costs_less() -> None:
    meter = Meter(left=100)
    assert [meter.pays(chars=80), meter.pays(chars=40), meter.pays(chars=20)] == [True, False, True]
    assert (meter.left, meter.is_spent) == (0, True)


@pytest.mark.parametrize("tag", ["code", "pre", "textarea", "code><b", "pre><span"])
def test_code_in_code_beside_a_script_of_formulas_is_looked_at_once(tag: str) -> None:
    def page(depth: int) -> str:
        script = "<html><body><script src=/mathjax.js></script>"
        return script + f"<{tag}>" * depth + "<i>words</i>" * 2_000

    few, many = (steps_of(partial(parse, page(depth), URL)) for depth in (20, 400))
    assert many < 2 * few


def test_formulas_in_code_stay_as_they_are() -> None:
    html = "<script src=/mathjax.js></script><pre><code>\\(a\\)<i>\\(b\\)</i>\\(c\\)</code></pre>\\(d\\)"
    page = parse(f"<html><body>{html}", URL)
    assert "".join(page.document.chunks).replace(" ", "") == "\\(a\\)\\(b\\)\\(c\\)$d$"


@pytest.mark.parametrize("wrapper", ["<h2>{}", "<div><h3>{}", "<section>{}"])
def test_links_within_one_another_share_what_their_texts_may_cost(wrapper: str) -> None:
    link = wrapper.format("<a href='/a/{0}'>{1}")
    page = parse("".join(link.format(at, "Words of a link. " * 60) for at in range(600)), URL)
    links = classify(page)
    assert len(links) == 600
    assert sum(len(link.text) for link in links) <= LIMITS.work
    assert page.is_cut
    assert Flag.TRUNCATED in Extraction(page).article.provenance.flags


CELLS = {
    "columns and rows": "<tr><td colspan=99 rowspan=99>x",
    "columns": "<tr><td colspan=99>x",
    "heads": "<tr><th colspan=99 rowspan=2>x",
}


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
def test_a_table_writes_no_more_cells_than_its_page_pays_for(cell: str) -> None:
    page = parse(f"<html><body><p>Words.</p><table>{cell * 12_000}</table>", URL)
    content = Content([page.root], base_url=URL, meter=page.meter)
    assert len(content.markdown) < 2_500_000
    assert content.is_cut
    assert page.is_cut


def test_an_article_says_that_its_markdown_was_cut() -> None:
    prose = "<p>Some words of a report that has a table below its text, and much in it.</p>" * 9
    rows = CELLS["columns and rows"] * 12_000
    article = sitecrawl.extract(html=f"<html><body><article>{prose}<table>{rows}", url=URL)
    assert Flag.TRUNCATED not in article.provenance.flags
    assert article.articleBodyMarkdown
    assert article.articleBodyMarkdown
    assert article.provenance.flags.count(Flag.TRUNCATED) == 1


def test_no_more_text_is_written_than_the_longest_books_have() -> None:
    prose = "<p>Words of a report that never ends.</p>" * 60_000
    article = sitecrawl.extract(html=f"<html><body><article>{prose}", url=URL)
    item = article.to_dict(["articleBody", "articleBodyHtml", "provenance"])
    assert len(item["articleBody"]) < LIMITS.text_chars + 60_000
    assert len(item["articleBodyHtml"]) < 2 * LIMITS.text_chars
    assert item["provenance"]["flags"].count(Flag.TRUNCATED) == 1


@pytest.mark.parametrize(
    ("host", "kept"),
    [
        ("ü" * 1_900 + ".example", "ü" * 1_900 + ".example"),
        (".".join(["BÜCHER"] * 60), ".".join(["bücher"] * 60)),
        ("BÜCHER.example:80", "xn--bcher-kva.example:80"),
        ("bücher。example", "xn--bcher-kva.example"),
    ],
)
def test_a_name_too_long_for_a_host_has_no_ascii_form(host: str, kept: str) -> None:
    assert ascii_host(host) == kept


def test_a_long_name_is_not_encoded() -> None:
    assert calls_of(lambda: ascii_host("ü" * 1_900)) < 20


def test_links_to_places_on_the_page_need_no_parser() -> None:
    rows = "".join(f"<p><a href='#x{at}'>place {at}</a></p>" for at in range(2_000))
    page = parse(f"<html><body>{rows}", URL)
    content = Content([page.root], base_url=page.base_url)
    assert calls_of(lambda: content.html) < 2_000 * 30


def test_names_are_read_in_few_of_the_texts_that_may_hold_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A page that says the name of its author everywhere took 9 seconds to learn from."""
    read = list[str]()

    def counted(texts: list[str]) -> list[str]:
        read.extend(texts)
        return clean_names(texts)

    monkeypatch.setattr(article_fields, "clean_names", counted)
    lines = "".join(
        f"<p>Ann Onym saw it in the year {at}, and wrote it down.</p>" for at in range(1_500)
    )
    head = "<html><head><meta name=author content='Ann Onym'></head><body>"
    pages = [
        (f"http://e.example/{at}.html", f"{head}<h1>Report of day {at}</h1>{lines}")
        for at in range(3)
    ]
    sitecrawl.SiteModel().learn(pages)
    assert 0 < len(read) <= 3 * 200


@pytest.mark.parametrize("read", [linked, lambda html: parse(html, URL)])
def test_a_plain_page_pays_nothing(read: Callable[[str], Page]) -> None:
    page = read(PLAIN + "<a href=/a>one</a><pre>x</pre><table><tr><td>1<td>2</table>")
    assert Content([page.root], meter=page.meter).markdown
    assert page.meter == Meter()
    assert not page.is_cut
