"""Headline, date and authors of a page that differs in one thing from the pages that a site's model
learned."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest

from sitecrawl import Article, RawPage, SiteModel, extract

WORDS = (
    "council harbour ferry bridge market school library river station mayor garden museum".split()
)
TITLE = "Council agrees on new ferry plan"
MONTHS = "January February March April May June".split()


def byline(*names: str) -> str:
    return "By " + " and ".join(f'<a href="/authors/{name[:3]}">{name}</a>' for name in names)


@pytest.mark.parametrize("pairs", [(), (0, 3), (0, 1, 2, 3, 4, 5)])
def test_all_authors_of_a_list_of_links(pairs: tuple[int, ...]) -> None:
    """By a template of pages of which none, some or all have two authors."""
    people = "García Peña Ruiz Soto Vega Cruz".split()

    def learned(number: int) -> RawPage:
        both = f"Ana {people[number]}", f"Leo {people[number - 1]}"
        return page(number, byline(*both[: 1 + (number in pairs)]))

    by_template, _ = answers(page(9, byline("Ann Onym", "Bo Derr")), learned)
    assert [author["name"] for author in by_template.authors] == ["Ann Onym", "Bo Derr"]


def page(
    number: int, info: str, *, heading: str = "", head: str = "", title: str = "", body: str = ""
) -> RawPage:
    chance = random.Random(number)
    title = title or " ".join(chance.sample(WORDS, 6))
    prose = "".join(
        f"<p>{' '.join(chance.choices(WORDS, k=40)).capitalize()}.</p>" for _ in range(5)
    )
    return RawPage(
        f'<html lang="en"><head><title>{title} | Gazette</title>{head}</head><body><nav><a href="/">Home</a></nav><main>'
        f'<h1>{heading or title}</h1><div class="info">{info}</div><div class="text">{body or prose}</div></main></body></html>',
        f"https://gazette.example/a/{number}.html",
    )


def answers(new: RawPage, learned: Callable[[int], RawPage]) -> tuple[Article, Article]:
    """The article by a template of six pages, and by the page alone."""
    model = SiteModel()
    model.learn([learned(number) for number in range(6)])
    by_template = model.extract(new.html, new.url)
    assert by_template.provenance.method == "template"
    return by_template, extract(new.html, new.url)


def dated(number: int) -> RawPage:
    return page(number, f"Published: 1{number} {MONTHS[number]} 2024")


@pytest.mark.parametrize(
    ("heading", "title", "wanted"),
    [
        ("Council agrees<br>on new ferry plan", TITLE, TITLE),
        ("Sale of <i>Orion</i>, the old ferry", "", "Sale of Orion, the old ferry"),
        (f'<span class="badge">Premium</span> {TITLE}', TITLE, TITLE),
        (
            "Ver&shy;waltungs&shy;gericht sagt ja zur F&auml;hre",
            "",
            "Verwaltungsgericht sagt ja zur Fähre",
        ),
        (f'{TITLE}<a class="headerlink" href="#t">¶</a>', TITLE, TITLE),
        ("Micro<span>soft</span> buys the <span>ferri</span>es", "", "Microsoft buys the ferries"),
    ],
)
def test_a_headline_is_one_line_of_words(heading: str, title: str, wanted: str) -> None:
    by_template, alone = answers(
        page(9, "", heading=heading, title=title or wanted), lambda number: page(number, "")
    )
    assert (by_template.headline, alone.headline) == (wanted, wanted)


def test_links_to_the_pages_of_a_thread_are_no_part_of_its_headline() -> None:
    def thread(number: int, pages: str = "") -> RawPage:
        """A page as old forums are: the headline is a link in a cell, which holds the links to
        further pages too where there are any."""
        found = page(number, "", title=TITLE if pages else "")
        html = re.sub("<title>.*?</title>", "<title>Gazette</title>", found.html)
        html = html.replace("<h1>", f'<table><tr><td><a class="topic" href="{found.url}">')
        return RawPage(
            html.replace("</h1>", f'</a><br><span class="small">{pages}</span></td></tr></table>'),
            found.url,
        )

    new = thread(
        9, pages='Go to page <b>1</b>, <a href="9-2.html">2</a> <a href="9-2.html">Next</a>'
    )
    by_template, alone = answers(new, thread)
    assert (by_template.headline, alone.headline) == (TITLE, TITLE)


@pytest.mark.parametrize(
    "info",
    [
        "Updated: 6 March 2024 | Published: 4 March 2024",
        "Aktualisiert am 6. März 2024, veröffentlicht am 4. März 2024",
        "<span>更新时间：2024-03-06</span> <span>发布时间：2024-03-04</span>",
        "4 March 2024 (updated 6 March 2024, event of 3 March 2024)",
    ],
)
def test_the_day_of_publication_not_of_the_change(info: str) -> None:
    assert [one.datePublished for one in answers(page(9, info), dated)] == ["2024-03-04"] * 2


def test_the_order_of_day_and_month_is_the_one_of_the_site() -> None:
    new = page(9, "03/04/2024", body=f"<p>{'The council met on 02/13/2024 in town. ' * 9}</p>")
    learned = answers(new, lambda number: page(number, f"0{number + 1}/1{number + 3}/2024"))
    assert [one.datePublished for one in learned] == ["2024-03-04"] * 2
    days = answers(
        page(9, "03/04/2024"), lambda number: page(number, f"1{number + 3}/0{number + 1}/2024")
    )
    assert days[0].datePublished == "2024-04-03"


def test_a_printed_day_that_is_announced_corrects_the_time_of_an_import() -> None:
    def made(number: int, day: str = "", imported: str = "") -> RawPage:
        day = day or f"2024-0{number + 1}-1{number}"
        meta = f'<meta name="PubDate" content="{imported or f"{day} 09:10:00"}">'
        return page(number, f"<span>发布时间：{day} 08:25</span>", head=meta)

    found = answers(made(9, "2024-01-17", "2024-09-26 03:45:41"), made)
    assert [(one.datePublished or "")[:10] for one in found] == ["2024-01-17"] * 2


def test_a_day_that_a_sentence_mentions_is_no_day_of_publication() -> None:
    told = "<p>The next meeting takes place on 12 May 2026 in the town hall.</p><p>All who live near are welcome, he said.</p>"
    assert [one.datePublished for one in answers(page(9, "", body=told * 3), dated)] == [None, None]


def test_by_lines_in_spans_that_touch() -> None:
    def made(number: int, name: str = "") -> RawPage:
        name = name or f"李小{'一二三四五六'[number]}"
        return page(
            number,
            f"<span>2024-03-1{number}</span> <span>来源：渡口日报</span> <span>作者：{name}</span>",
        )

    for one in answers(made(9, "王小明"), made):
        assert ([author["name"] for author in one.authors], one.source) == (["王小明"], "渡口日报")


def test_an_author_that_a_page_declares_is_told_where_others_had_none() -> None:
    new = page(9, "", head='<meta name="author" content="Ann Miller">')
    assert [one.authors[0]["name"] for one in answers(new, lambda number: page(number, ""))] == [
        "Ann Miller"
    ] * 2


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Por Ana García y Luis Peña", ["Ana García", "Luis Peña"]),
        ("Por José Ortega y Gasset", ["José Ortega y Gasset"]),
        ("Por Juan Pérez en Buenos Aires", ["Juan Pérez en Buenos Aires"]),
        ("By Ann Miller, Political Editor", ["Ann Miller"]),
        ("By Ann Miller and photos by Bo Derr", ["Ann Miller"]),
    ],
)
def test_several_authors_and_their_offices(line: str, names: list[str]) -> None:
    people = "García Peña Ruiz Soto Vega Cruz".split()
    by_template, _ = answers(
        page(9, line), lambda number: page(number, f"Por Ana {people[number]}")
    )
    assert [author["name"] for author in by_template.authors] == names
