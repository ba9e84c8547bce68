"""What a template knows too little to decide stays, or is said to be unsure: pages of our own, each
class in several shapes."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from sitecrawl import SiteModel, extract
from sitecrawl.dom.parse import parse
from sitecrawl.items.article import Article
from sitecrawl.site.answer import LazyExtraction
from sitecrawl.site.answering import TemplateAnswer
from sitecrawl.templates.family import TemplateFamily
from sitecrawl.templates.template import Body, Records, Template
from sitecrawl.templates.verify import Grade

MENU = '<ul class="menu"><li><a href="/">Home</a></li><li><a href="/news/">News</a></li></ul>'
TOPICS = (
    "harbour",
    "library",
    "tram line",
    "market hall",
    "school",
    "river park",
    "observatory",
    "theatre",
    "airport",
)


def paragraph(number: int, part: int) -> str:
    topic = TOPICS[(number + part) % len(TOPICS)]
    return (
        f"Part {part} of story {number} tells at some length how the {topic} was planned, who paid for it, and why the "
        f"residents of district {number * 7 + part} had to wait so long until it was finished."
    )


def story(number: int, inside: str, title: str = "") -> str:
    title = title or f"What became of the {TOPICS[number % len(TOPICS)]}, part {number}"
    return f"<html><head><title>{title} - The Example</title></head><body>{MENU}<h1>{title}</h1>{inside}<p>Copyright The Example</p></body></html>"


def learned(make: Callable[[int], str], count: int = 8) -> SiteModel:
    model = SiteModel()
    model.learn([(f"http://news.example/story/{n}.html", make(n)) for n in range(count)])
    return model


def read(model: SiteModel, html: str, number: int = 20) -> Article:
    return model.extract(html, f"http://news.example/story/{number}.html")


def prose(number: int, count: int = 5) -> str:
    return "".join(f"<p>{paragraph(number, part)}</p>" for part in range(count))


NOTE = '<p><a href="/print/{1}">Print {1}</a> <a href="/mail/{1}">Mail</a> <a href="/save/{1}">Archive {1}</a></p>'
ENDS: dict[str, Callable[[int, str], str]] = {
    "last paragraph": lambda n, end: f'<div class="text">{prose(n)}{end}</div>',
    "last but one": lambda n, end: (
        f'<div class="text">{prose(n)}{end}<p><a href="/all/{n}">All</a></p></div>'
    ),
    "last row": lambda n, end: (
        f'<div id="story">{prose(n).replace("p>", "div>")}{end.replace("p>", "div>")}</div>'
    ),
}


@pytest.mark.parametrize("shape", ENDS)
def test_prose_where_a_note_stands_on_other_pages_stays(shape: str) -> None:
    model = learned(lambda n: story(n, ENDS[shape](n, NOTE.format(n, n * 31))))
    usual = read(model, story(20, ENDS[shape](20, NOTE.format(20, 620))))
    assert "Archive 620" not in usual.articleBody
    article = read(model, story(21, ENDS[shape](21, "")), 21)
    assert all(paragraph(21, part) in article.articleBody for part in range(5))


BYLINES: dict[str, str] = {
    "header": "<header>{}</header>",
    "position": "<div>{}</div>",
}


@pytest.mark.parametrize("shape", BYLINES)
@pytest.mark.parametrize(
    "text", ["", "<p>The ferry does not sail today.</p>", f"<p>{paragraph(4, 1)}</p>"]
)
def test_a_line_of_facts_longer_than_its_post_is_left_out_as_above_long_posts(
    shape: str, text: str
) -> None:
    def page(number: int, text: str) -> str:
        facts = f'<a href="/k/{number % 3}">{TOPICS[number % 3]}</a><a href="/k/town">town</a><span>Ann Lee</span>'
        days = f"<time>2024-05-{number + 1:02}</time><time>2024-06-{number + 2:02}</time>"
        return story(number, f'<div class="text">{BYLINES[shape].format(facts + days)}{text}</div>')

    article = read(learned(lambda n: page(n, prose(n))), page(20, text))
    assert article.provenance.method == "template"
    assert article.articleBody == text.removeprefix("<p>").removesuffix("</p>")


NOTICES: dict[str, Callable[[int], str]] = {
    "names of other stories": lambda n: (
        f"Before: why the {TOPICS[n % 9]} will not be painted blue after all, as was said"
    ),
    "its own address": lambda n: (
        f"Link: http://news.example/story/{n}.html. All stories may be copied under the licence CC BY."
    ),
}


@pytest.mark.parametrize("notice", NOTICES)
def test_a_picture_alone_is_the_article_and_no_notice_below_it(notice: str) -> None:
    def page(number: int, inside: str) -> str:
        return story(
            number, f'<div class="text">{inside}</div><div>{NOTICES[notice](number)}</div>'
        )

    picture = page(20, '<p><img src="/pictures/20.jpg"></p>')
    assert extract(picture).articleBody
    article = read(learned(lambda n: page(n, prose(n))), picture)
    assert (article.articleBody, article.provenance.method) == ("", "template")
    assert article.provenance.flags == ["no-text", "unconfirmed"]


def test_keywords_that_all_pages_share_are_no_tags_of_an_article() -> None:
    def page(number: int, keywords: str, tags: tuple[str, ...] = ()) -> str:
        links = "".join(f'<a href="/t/{tag}">{tag}</a> ' for tag in tags)
        shown = story(number, f'<div class="text">{prose(number)}</div><p class="tags">{links}</p>')
        return shown.replace("<head>", f'<head><meta name="keywords" content="{keywords}">')

    site = learned(lambda n: page(n, "Example, gazette, council"))
    assert read(site, page(20, "Example, gazette, council")).tags == []
    named = learned(
        lambda n: page(n, "Example, gazette, council", (TOPICS[n % 9], TOPICS[n * 2 % 9]))
    )
    assert read(named, page(20, "Example, gazette, council", ("harbour", "school"))).tags == [
        "harbour",
        "school",
    ]
    own = learned(lambda n: page(n, f"{TOPICS[n % 9]}, council"))
    assert read(own, page(20, "harbour, council")).tags == ["harbour", "council"]

    def filed(number: int, tag: str) -> str:
        link = f'<p class="labels">Filed: <a rel="tag" href="/t/{tag}">{tag}</a></p>'
        return page(number, f"Example, {', '.join(TOPICS)}").replace(
            '<p class="tags">', f'{link}<p class="tags">'
        )

    subset = learned(lambda n: filed(n, TOPICS[n % 9]))
    assert read(subset, filed(20, "harbour")).tags == ["harbour"]


def test_a_text_that_has_moved_out_of_its_container_is_not_lost_for_a_picture() -> None:
    model = learned(lambda n: story(n, f'<div class="text">{prose(n)}</div>'))
    article = read(
        model, story(20, f'<div class="text"><img src="/20.jpg"></div><div>{prose(20, 2)}</div>')
    )
    assert paragraph(20, 1) in article.articleBody


def test_a_list_of_the_article_that_looks_like_comments_leaves_once() -> None:
    items = "".join(f"<li>{paragraph(50, part)}</li>" for part in range(6))
    page = LazyExtraction(
        parse(story(5, f'<div class="text">{prose(5)}<ol>{items}</ol></div>'), "http://a.example/5")
    )
    body = Body(['//div[contains(concat(" ", @class, " "), " text ")]'])
    template = Template(
        "a.example", "story", body, records=Records("//ol/li"), statistics={"cut_high": 0.0}
    )
    article = TemplateAnswer(TemplateFamily("story", versions=[template]), template, page).article(
        Grade.GOOD
    )
    assert paragraph(50, 5) in article.articleBody
    assert article.comments == []


EXCERPTS: dict[str, Callable[[str], str]] = {
    "box": lambda text: f'<div class="s"><div><strong>Abstract</strong>: {text}</div></div>',
    "quotation": lambda text: f"<blockquote>{text}</blockquote>",
    "paragraph": lambda text: f"<p><em>{text}</em></p>",
}


@pytest.mark.parametrize("shape", EXCERPTS)
def test_an_excerpt_above_the_text_that_stands_in_it_again_is_kept_once(shape: str) -> None:
    def page(number: int) -> str:
        return story(
            number,
            f'<div class="text">{EXCERPTS[shape](paragraph(number, 0))}{prose(number)}</div>',
        )

    alone, by_site = extract(page(20)), read(learned(page), page(20))
    assert [article.articleBody.count(paragraph(20, 0)) for article in (alone, by_site)] == [1, 1]


def test_a_text_beside_a_container_that_is_too_narrow_is_not_lost_in_silence() -> None:
    model = learned(lambda n: story(n, f'<div class="text">{prose(n)}</div>'))
    article = read(
        model, story(20, f'<div class="text">{prose(20, 3)}</div><div>{prose(21, 12)}</div>')
    )
    assert paragraph(21, 11) in article.articleBody


NAME = "Gazette of the Example Town Council"
HEADS: dict[str, tuple[str, str]] = {
    "the name of the site is the heading and the title": (
        f"<title>{NAME}</title>",
        '<h1>{name}</h1><div class="t">{title}</div>',
    ),
    "machines are told the name, too": (
        f'<title>{NAME}</title><meta property="og:title" content="{NAME}">',
        '<h1>{name}</h1><div class="t">{title}</div>',
    ),
    "a title in bold": (f"<title>{NAME}</title>", "<h1>{name}</h1><p><strong>{title}</strong></p>"),
    "a section": (f"<title>News - {NAME}</title>", "<h1>News</h1><div><span>{title}</span></div>"),
}


@pytest.mark.parametrize("shape", HEADS)
def test_what_all_pages_are_called_is_no_headline(shape: str) -> None:
    head, top = HEADS[shape]

    def titled(number: int) -> str:
        return f"What became of the {TOPICS[number % len(TOPICS)]}, part {number}"

    def page(number: int) -> str:
        above = top.format(name=NAME, title=titled(number))
        return f"<html><head>{head}</head><body>{MENU}{above}<div class='text'>{prose(number)}</div></body></html>"

    assert read(learned(page), page(20)).headline == titled(20)


@pytest.mark.parametrize(
    "title", ["Example - {} - {}", "{1} | {0} | Example", "{1} :: {0} - Example"]
)
def test_a_title_with_changing_sections_is_cut_to_the_headline_of_the_page(title: str) -> None:
    sections = ("Sport", "Culture & World", "Town", "Harbour", "Schools")

    def titled(number: int) -> str:
        return f"What became of the {TOPICS[number % len(TOPICS)]}, part {number}"

    def page(number: int) -> str:
        name, said = title.format(sections[number % 5], titled(number)), titled(number)
        head = f"<title>{name if number % 3 else said}</title>"
        shown = f"<h1>{said}</h1>" if number % 2 else f"<p><font size='5'><b>{said}</b></font></p>"
        return f"<html><head>{head}</head><body>{MENU}{shown}<div class='text'>{prose(number)}</div></body></html>"

    model = learned(page)
    assert next(iter(model.templates[0].fields["headline"].sources)) == "/html/head/title"
    assert [read(model, page(number), number).headline for number in range(20, 26)] == [
        *map(titled, range(20, 26))
    ]


def test_a_headline_that_is_missing_is_not_the_name_of_the_site() -> None:
    def page(number: int, title: str) -> str:
        head = f"<head><title>{NAME}</title></head>"
        return f"<html>{head}<body>{MENU}<h1>{title}</h1><div class='text'>{prose(number)}</div></body></html>"

    model = learned(
        lambda number: page(
            number, f"What became of the {TOPICS[number % len(TOPICS)]}, part {number}"
        )
    )
    html = page(20, "").replace(
        "<div class='text'>", "<h2>A story in another place</h2><div class='text'>"
    )
    assert read(model, html).headline == "A story in another place"


LABELS = {
    "posted at": "<p>This entry was posted on 2024-05-{day:02d} and is filed under {topic}.</p>",
    "views": "<p>Дата: {day:02d}.05.2024 Просмотров: {views}</p>",
    "editor": "<p>责任编辑：王{topic}</p>",
    "author": "<div>Author: Ann {topic} | Section: {topic}</div>",
}


@pytest.mark.parametrize("shape", LABELS)
def test_a_last_line_of_labels_and_changing_values_is_no_text(shape: str) -> None:
    def page(number: int) -> str:
        end = LABELS[shape].format(
            day=number % 27 + 1, topic=TOPICS[number % len(TOPICS)], views=number * 37
        )
        return story(number, f'<div class="text">{prose(number)}{end}</div>')

    article = read(learned(page), page(20))
    assert article.provenance.method == "template"
    assert article.articleBody.split("\n")[-1] == paragraph(20, 4)


@pytest.mark.parametrize("numbers", [(0, 0, 1, 2), (0, 1, 0, 1, 2), (0, 0, 0, 1, 2, 3)])
def test_a_text_at_several_urls_is_one_witness(numbers: tuple[int, ...]) -> None:
    model = SiteModel()
    pages = [story(number, f'<div class="text">{prose(number)}</div>') for number in numbers]
    model.learn(
        [(f"http://news.example/{place}/story.html", html) for place, html in enumerate(pages)]
    )
    article = read(model, pages[0])
    assert all(paragraph(0, part) in article.articleBody for part in range(5))


# ---- whether the site was redesigned
FRAME = "".join(
    f'<div class="box-{k}"><p><a href="/{k}/">More of the {topic}</a></p></div>'
    for k, topic in enumerate(TOPICS)
)
NOTICE = "<p>Please read our terms, and allow our partners to keep small files on your device.</p>"
LAYOUTS: dict[str, Callable[[int], str]] = {
    "old": lambda n: story(n, f'{FRAME}<div class="text">{prose(n)}</div>'),
    "new": lambda n: story(
        n, f'{FRAME}<div class="text">{3 * NOTICE}</div><div class="copy">{prose(n)}</div>'
    ),
}
"""Two layouts of one family of pages. Where the text stands in the old one, there is a notice in
the new one."""


def kinds_told(model: SiteModel, crawl: str) -> list[str]:
    """Kinds of the events of a crawl: ``crawl`` names the layout of each page by its first letter.
    The model is stored at the end."""
    told, first = list[str](), model.families[0].cluster.size if model.families else 0
    for number, letter in enumerate(crawl, first):
        html = next(make for name, make in LAYOUTS.items() if name.startswith(letter))(number)
        told += [
            event.kind
            for event in model.observe(
                html, f"http://news.example/story/{number}.html", 0.95
            ).events
        ]
    return told + [event.kind for event in model.settle()]


def stored(model: SiteModel) -> SiteModel:
    return SiteModel.from_dict(json.loads(json.dumps(model.to_dict())))


def test_pages_of_another_layout_in_the_same_crawl_are_no_redesign() -> None:
    model = SiteModel()
    told = kinds_told(model, "o" * 12 + "n" * 12)
    assert "drifting" in told
    assert "redesigned" not in told
    assert read(model, LAYOUTS["new"](60), 60).articleBody == "\n".join(
        paragraph(60, part) for part in range(5)
    )


@pytest.mark.parametrize("is_stored", [True, False])
def test_a_later_crawl_in_which_no_page_fits_tells_of_a_redesign_once(is_stored: bool) -> None:
    model = SiteModel()
    assert "redesigned" not in kinds_told(model, "o" * 12)
    model = stored(model) if is_stored else model
    assert kinds_told(model, "n" * 12).count("redesigned") == 1
    assert "redesigned" not in kinds_told(model, "n" * 12)


def test_too_few_pages_for_a_new_version_tell_of_a_redesign_at_the_end() -> None:
    model = SiteModel()
    kinds_told(model, "o" * 12)
    model.families[0].monitor.level = 3.0  # two bad pages of earlier crawls
    assert [kind for kind in kinds_told(stored(model), "nn") if kind != "induced"] == [
        "drifting",
        "redesigned",
    ]


def test_a_layout_that_the_site_had_before_is_no_redesign() -> None:
    model = SiteModel()
    kinds_told(model, "o" * 12 + "n" * 12)
    told = kinds_told(stored(model), "o" * 12)
    assert "drifting" in told
    assert "redesigned" not in told


def test_a_locked_version_that_no_page_fits_is_told() -> None:
    model = SiteModel()
    kinds_told(model, "o" * 12)
    model.families[0].current.locked = True
    assert "redesigned" in kinds_told(stored(model), "n" * 6)


@pytest.mark.parametrize("day", ["2024-05-0{} 10:30", "5/{}/24, 10:00 AM", "{} days ago"])
def test_comments_that_no_page_had_when_the_template_was_learned(day: str) -> None:
    def make(number: int, comments: str = "") -> str:
        form = '<form class="comment-form"><p>Leave a comment. It will be checked.</p></form>'
        return story(
            number,
            f'<div class="text">{prose(number)}</div><div id="comments">{comments}{form}</div>',
        )

    def comment(number: int) -> str:
        head = (
            f"<b class='author'>{name} Derr</b> <i class='date'>{day.format(number)}</i>"
            if (name := "ABC"[number])
            else ""
        )
        return f'<div class="comment"><p>{head}</p><div class="said">{paragraph(number, 8)}</div></div>'

    model = learned(make)
    assert not read(model, make(20)).comments
    found = read(model, make(20, comment(1) + comment(2)))
    assert found.provenance.method == "template"
    assert [comment.text for comment in found.comments] == [paragraph(1, 8), paragraph(2, 8)]
    assert "Derr" not in found.articleBody
