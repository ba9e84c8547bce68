"""The judge: the figures of a page, and what is decided about a family."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from sitecrawl.extract.single import Extraction
from sitecrawl.items.article import Article
from sitecrawl.items.kinds import PageKind
from sitecrawl.site.inputs import page_of_html
from sitecrawl.site.judge import (
    LEAST,
    MODEL,
    MOST_MOVED,
    NAMES,
    NEAR,
    OF_BEST,
    OF_CHOICE,
    SURE,
    Decider,
    judge_families,
    judged_page,
    lists_pages,
    page_figures,
)
from sitecrawl.site.page_families import DEFAULT_KINDS, Choice, PageFamily

URL = "http://news.example/2024/05/harbour-opens-3.html"
PROSE = "".join(
    f"<p>The harbour was opened on a rainy day, and {n} boats came in.</p>" for n in range(9)
)


def figures(
    head: str = "",
    body: str = PROSE,
    *,
    url: str = URL,
    anchor: str = "",
    promise: float = 0.5,
    type_name: str = "",
) -> dict[str, float]:
    html = f"<html><head>{head}</head><body><article>{body}</article></body></html>"
    guess = Extraction(page_of_html(html, url), anchor=anchor)
    found = page_figures(guess, promise=promise, listing=0.25, type_name=type_name)
    return dict(zip(NAMES, found.tolist(), strict=True))


def headed(text: str) -> str:
    return f"<h1>{text}</h1>{PROSE}"


@pytest.mark.parametrize(
    ("given", "name", "expected"),
    [
        ({}, "link to a listing", 0.25),
        ({"promise": 0.5}, "promise of the link", 0.0),
        ({"type_name": "post"}, "the system calls it article", 1.0),
        ({"type_name": "person"}, "the system calls it page", 1.0),
        ({"type_name": "notes"}, "the system does not name its kind", 1.0),
        ({"head": "<meta property='og:type' content='profile'>"}, "another og:type", 1.0),
        ({"head": "<meta property='og:type' content='article'>"}, "another og:type", 0.0),
        ({"head": "<meta name='robots' content='NOINDEX'>"}, "not to be indexed", 1.0),
        ({"body": headed("Anna Berg")}, "headline like a person's name", 1.0),
        ({"body": headed("Jean-Paul M. Petit")}, "headline like a person's name", 1.0),
        ({"body": headed("Rain in May")}, "headline like a person's name", 0.0),
        ({"body": headed("港口开放")}, "headline like a person's name", 0.0),
        ({"body": headed("港口开放")}, "headline in Chinese, Japanese or Korean", 1.0),
        ({"body": headed("plan_2.pdf")}, "headline like a file name", 1.0),
        ({"body": headed("Wer zahlt das?")}, "headline ends like a sentence", 1.0),
        ({"body": headed("The harbour opens")}, "headline is an h1", 1.0),
        ({"url": "http://a.example/board/view.php?id=3"}, "URL with a query", 1.0),
        ({}, "URL with a year", 1.0),
        ({"url": "http://a.example/2024-05/x"}, "URL with a year", 1.0),
        ({"url": "http://a.example/12024/x"}, "URL with a year", 0.0),
        ({"url": "http://a.example/people/"}, "URL of a folder", 1.0),
        ({"anchor": ""}, "link without text", 1.0),
        (
            {"body": headed("The harbour opens"), "anchor": "The Harbour opens!"},
            "link text is the headline",
            1.0,
        ),
        (
            {"body": headed("The harbour opens"), "anchor": "The harbour opens (12 May)"},
            "link text within the headline",
            1.0,
        ),
        ({"body": headed("The harbour opens"), "anchor": "more"}, "link text is the headline", 0.0),
        ({"body": "<img src='a.jpg' width='900'>"}, "no text", 1.0),
        ({}, "no text", 0.0),
    ],
)
def test_a_page_has_these_figures(
    given: dict[str, str | float], name: str, expected: float
) -> None:
    assert figures(**given)[name] == pytest.approx(expected)  # type: ignore[arg-type]


@pytest.mark.parametrize("html", ["", "<p>", "<html><body></body></html>", "\x00"])
def test_an_empty_page_has_figures(html: str) -> None:
    guess = Extraction(page_of_html(html, "http://a.example/["))
    found = page_figures(guess, promise=0.0, listing=1.0, type_name="")
    assert np.isfinite(found).all()


def linked(*paths: str, tag: str = "p", host: str = "") -> str:
    """Elements with links of one length."""
    return "".join(
        f'<{tag}><a href="{host or "http://news.example"}{path}">The <b>harbour</b> &amp; its boats</a></{tag}>'
        for path in paths
    )


SAID = "<p>The port, once more.</p>"  # nearly as long as one link


@pytest.mark.parametrize(
    ("html", "is_list"),
    [
        (linked("/a", "/b", "/c"), True),
        (linked("/a", "/b", "/c", tag="li") + SAID, True),
        (linked("/spip.php?article1", "/spip.php?article2", tag="h3") + SAID, True),
        (linked("/a", "/b") + 3 * SAID, False),  # an article with further reading
        (linked("/a"), False),  # a picture's caption, or one teaser
        (linked("/a", "/a#top", "http://news.example/a"), False),  # one page
        (linked(URL.removeprefix("http://news.example"), "/a"), False),  # the page itself
        (linked("/a", "/b", "/c", host="http://other.example"), False),  # readings elsewhere
        (SAID, False),
        ("", False),
    ],
)
def test_a_body_of_links_to_pages_of_the_site_is_a_list(html: str, *, is_list: bool) -> None:
    text = re.sub("<[^>]*>", "", html.replace("&amp;", "&"))
    article = SimpleNamespace(articleBody=text, articleBodyHtml=html, datePublished="2024-05-03")
    assert lists_pages(cast(Article, article), URL, promise=0.5) is is_list


@pytest.mark.parametrize(
    ("day", "promise", "is_list"),
    [("2024-05-03", 0.95, False), ("2024-05-03", 0.8, True), (None, 0.95, True)],
)
def test_a_dated_page_whose_link_surely_led_to_an_article_is_no_list(
    day: str | None, promise: float, *, is_list: bool
) -> None:
    """Posts that are their attachments, or name other posts, were lost without a word."""
    html = linked("/a.doc", "/b.doc", "/c.doc")
    text = re.sub("<[^>]*>", "", html)
    article = SimpleNamespace(articleBody=text, articleBodyHtml=html, datePublished=day)
    assert lists_pages(cast(Article, article), URL, promise=promise) is is_list


def test_names_are_told_apart() -> None:
    assert len(set(NAMES)) == len(NAMES)


def test_the_reasons_add_up_to_the_judgement() -> None:
    guess = Extraction(page_of_html(f"<h1>Rain in May</h1>{PROSE}", URL))
    given = page_figures(guess, promise=0.9, listing=0.0, type_name="")
    judged = judged_page(guess, promise=0.9, listing=0.0, type_name="")
    moved = sum(weight for _, weight in judged.reasons)
    usual = MODEL.log_odds(given) - moved
    other = page_figures(guess, promise=0.1, listing=1.0, type_name="page")
    assert MODEL.log_odds(other) - sum(
        weight for _, weight in MODEL.reasons(other)
    ) == pytest.approx(usual)
    heights = [abs(weight) for _, weight in judged.reasons]
    assert heights == sorted(heights, reverse=True)


def test_what_speaks_most_against_a_page_is_told_in_words() -> None:
    guess = Extraction(page_of_html("<h1>Anna Berg</h1><p>Tel. 12</p>", "http://a.example/crew/1"))
    judged = judged_page(guess, promise=0.02, listing=0.9, type_name="page")
    assert judged.probability < 0.1
    assert judged.against[:2] == ("promise of the link: low", "the system calls it page: yes")
    assert len(judged.against) == 3


def family(
    mean: float,
    *,
    pages: int = 12,
    weighed: int = 12,
    type_name: str = "",
    name: str = "/a/* dated",
) -> PageFamily:
    return PageFamily(
        name,
        PageKind.ARTICLE,
        type_name,
        pages=pages,
        dated=pages,
        weighed=weighed,
        log_odds=mean * weighed,
    )


BAR = LEAST + OF_BEST * SURE
"""Mean log-odds below which a family is withheld beside one that is sure."""


@pytest.mark.parametrize(
    ("judged", "written", "doubtful"),
    [
        (family(SURE + 1), True, False),
        (family(BAR + 0.1), True, True),  # by a narrow margin
        (family(BAR - 0.1), False, True),
        (family(-4.0, weighed=3), True, True),  # three of twelve are the odd ones
        (family(-4.0, weighed=4), False, True),
        (family(-4.0, pages=2, weighed=1), False, True),  # half of all
        (family(0.0, weighed=0), True, False),  # only a template read them
    ],
)
def test_a_family_is_judged_by_the_mean_of_its_pages(
    judged: PageFamily, *, written: bool, doubtful: bool
) -> None:
    others = family(SURE, name="/news/* dated")
    verdict = judge_families([judged, others], kinds=DEFAULT_KINDS, choices={})[judged.name]
    assert (verdict.written, verdict.doubtful) == (written, doubtful)
    assert verdict.by is Decider.MODEL


@pytest.mark.parametrize(
    ("means", "written"),
    [
        ([-3.0], [True]),  # all that the site has
        ([-3.0, -3.0 - NEAR / 2], [True, True]),
        ([-3.0, -3.1 - NEAR], [True, False]),
        ([BAR - 0.1, SURE], [False, True]),
        ([BAR + 0.1, SURE], [True, True]),
        ([BAR + 0.1, SURE + 2.0], [False, True]),  # the better the best, the more is asked
        ([LEAST + OF_BEST * 4.0 + 0.1, 4.0], [True, True]),
    ],
)
def test_the_best_families_of_a_site_are_its_articles(
    means: list[float], written: list[bool]
) -> None:
    families = [family(mean, name=f"/{at}/*") for at, mean in enumerate(means)]
    verdicts = judge_families(families, kinds=DEFAULT_KINDS, choices={})
    assert [verdicts[one.name].written for one in families] == written


def test_the_best_family_is_withheld_where_something_else_names_the_articles() -> None:
    odd = family(BAR - 0.1)
    posts = family(0.0, weighed=0, type_name="post", name="/blog/* post dated")
    kept = family(0.0, weighed=0, name="/kept/*")
    for other, choices in ((posts, {}), (kept, {kept.name: Choice.KEEP})):
        verdicts = judge_families([odd, other], kinds=DEFAULT_KINDS, choices=choices)
        assert not verdicts[odd.name].written
    dropped = judge_families([odd, kept], kinds=DEFAULT_KINDS, choices={kept.name: Choice.DROP})
    assert dropped[odd.name].written


@pytest.mark.parametrize("choice", Choice)
def test_what_a_person_said_stands_above_the_model(choice: Choice) -> None:
    for mean in (-9.0, 9.0):
        judged = family(mean)
        choices = {judged.name: choice}
        verdict = judge_families([judged], kinds=DEFAULT_KINDS, choices=choices)[judged.name]
        assert verdict.written is (choice is Choice.KEEP)
        assert verdict.by is Decider.USER


@pytest.mark.parametrize(
    ("said", "mean", "written"),
    [
        ({}, BAR - 0.1, False),
        ({"/b/*": (Choice.KEEP, BAR - 0.5)}, BAR - 0.1, True),  # the judge was too strict here
        ({"/b/*": (Choice.KEEP, BAR - 0.5)}, BAR - OF_CHOICE - 0.1, False),
        ({"/b/*": (Choice.KEEP, BAR + 0.5)}, BAR - 0.1, False),  # it was right
        ({}, BAR + 0.1, True),
        ({"/b/*": (Choice.DROP, BAR + 0.5)}, BAR + 0.1, False),  # it was too lenient
        ({"/b/*": (Choice.DROP, BAR - 0.5)}, BAR + 0.1, True),
        ({"/b/*": (Choice.DROP, BAR + 0.5), "/c/*": (Choice.KEEP, BAR - 0.5)}, BAR + 0.1, True),
        (
            {f"/{at}/*": (Choice.DROP, BAR + 0.5) for at in range(9)},
            BAR + MOST_MOVED + 0.1,
            True,
        ),
    ],
)
def test_a_choice_moves_the_other_families_where_the_judge_was_wrong(
    said: dict[str, tuple[Choice, float]], mean: float, *, written: bool
) -> None:
    families = [family(mean), family(SURE, name="/news/* dated")]
    families += [family(other, name=name) for name, (_, other) in said.items()]
    choices = {name: choice for name, (choice, _) in said.items()}
    for order in (families, families[::-1]):
        verdicts = judge_families(order, kinds=DEFAULT_KINDS, choices=choices)
        assert verdicts["/a/* dated"].written is written


def test_what_a_person_dropped_is_no_measure_of_the_others() -> None:
    """Profiles that look like articles are dropped: then the articles are what the site has."""
    profiles = family(3.0, name="/crew/*")
    stories = family(LEAST - 0.5)
    judged = [profiles, stories]
    assert not judge_families(judged, kinds=DEFAULT_KINDS, choices={})[stories.name].written
    choices = {profiles.name: Choice.DROP}
    assert judge_families(judged, kinds=DEFAULT_KINDS, choices=choices)[stories.name].written


def test_a_choice_for_a_family_that_is_gone_changes_nothing() -> None:
    judged = [family(BAR - 0.1), family(SURE, name="/news/* dated")]
    for choice in Choice:
        found = judge_families(judged, kinds=DEFAULT_KINDS, choices={"/gone/*": choice})
        assert found == judge_families(judged, kinds=DEFAULT_KINDS, choices={})


def test_a_few_pages_are_no_measure_of_the_others() -> None:
    """A page alone may look like an article for certain, whatever the site is."""
    found = judge_families(
        [family(BAR - 0.4), family(9.0, pages=1, weighed=1, name="/one")],
        kinds=DEFAULT_KINDS,
        choices={},
    )
    assert found["/a/* dated"].written


def test_the_reason_names_the_probability_and_the_days() -> None:
    families = [family(-2.0), family(SURE, name="/news/* dated")]
    verdict = judge_families(families, kinds=DEFAULT_KINDS, choices={})["/a/* dated"]
    assert "12%" in verdict.why
    assert "12 of 12 have a day" in verdict.why
