"""Parts of one article joined: order, headline, posts, and what is repeated."""

from __future__ import annotations

import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content
from sitecrawl.items.article import Article, Comment
from sitecrawl.items.kinds import PageKind
from sitecrawl.site.inputs import RawPage
from sitecrawl.site.joining import extract_parts, join
from sitecrawl.site.judge import judge_families
from sitecrawl.site.model import SiteModel
from sitecrawl.site.page_families import DEFAULT_KINDS, PageFamily

WORDS = "harbour library tram market school park museum bridge station".split()


def article(url: str, lines: list[str], posts: list[str]) -> Article:
    root = parse(
        "<body><div>" + "".join(f"<p>{line}</p>" for line in lines) + "</div></body>", url
    ).root
    found = Article(
        url=url, headline=f"Headline of {url}", comments=[Comment(text, "Ann") for text in posts]
    )
    found.body = Content((root,))
    return found


def thread(number: int, part: int = 1) -> str:
    """A thread of two pages; the second repeats the opening post."""
    said = [
        f"Post {k} of thread {number}: what does one know about the {WORDS[(number + k) % 9]}, and who paid for it, then?"
        for k in ([0, 1, 2] if part == 1 else [0, 3, 4])
    ]
    posts = "".join(
        f'<div class="post"><p class="by"><b class="author">user{number}{text[5]}</b> 2024-05-0{int(text[5]) + 1} 10:3{text[5]}</p><div class="message">{text}</div></div>'
        for text in said
    )
    return f"<html><head><title>Thread {number} - Board</title></head><body><div id='nav'><a href='/'>Board</a></div><h1>Thread {number} about the {WORDS[number % 9]}</h1><div id='posts'>{posts}</div><div id='foot'>Powered by nothing</div></body></html>"


def test_bodies_in_order_under_the_first_headline() -> None:
    parts = [
        article(f"http://x.example/{n}", [f"Line one of part {n}.", f"Line two of part {n}."], [])
        for n in (1, 2, 3)
    ]
    found = join(parts)
    assert found.headline == "Headline of http://x.example/1"
    assert found.articleBody.split("\n") == [
        f"Line {k} of part {n}." for n in (1, 2, 3) for k in ("one", "two")
    ]
    assert found.to_dict()["provenance"]["parts"] == [f"http://x.example/{n}" for n in (1, 2, 3)]
    assert found.articleBodyHtml.index("part 1") < found.articleBodyHtml.index("part 3")
    assert "part 2" in found.articleBodyMarkdown


def test_a_part_that_is_the_one_before_is_left_out() -> None:
    found = join(
        [
            article("http://x.example/1", ["The same."], []),
            article("http://x.example/2", ["The same."], []),
        ]
    )
    assert found.articleBody == "The same."
    assert found.provenance.parts == []


def test_comments_that_go_on_below_the_same_text_are_not_lost() -> None:
    parts = [
        article(f"http://x.example/{n}", ["The same."], [f"Comment {n}.", "Said twice."])
        for n in (1, 2)
    ]
    found = join(parts)
    assert found.articleBody == "The same."
    assert [comment.text for comment in found.comments] == [
        "Comment 1.",
        "Said twice.",
        "Comment 2.",
    ]


def test_the_opening_post_stands_once() -> None:
    opening = "The question of the thread, in a sentence or two."
    one = article("http://x.example/1", [opening, "First reply."], ["First reply."])
    two = article(
        "http://x.example/2", [opening, "Second reply."], [opening, "First reply.", "Second reply."]
    )
    found = join([one, two])
    assert [comment.text for comment in found.comments] == ["First reply.", "Second reply."]
    assert found.articleBody.count(opening) == 1


def test_no_part_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one"):
        join([])


def test_a_thread_of_two_pages_by_its_template() -> None:
    model = SiteModel()
    model.learn([(f"http://board.example/t{n}.html", thread(n)) for n in range(8)])
    pages = [
        RawPage(thread(9, part), f"http://board.example/t9.html?page={part}") for part in (1, 2)
    ]
    found = extract_parts(model, pages)
    assert [comment.text[:6] for comment in found.comments] == [f"Post {k}" for k in (1, 2, 3, 4)]
    assert found.articleBody.count("Post 0 of thread 9") == 1
    assert found.provenance.method == "template"


@pytest.mark.parametrize(
    ("log_odds", "written"), [(3.0, True), (6.0, True), (48.0, True), (-12.0, False)]
)
def test_a_type_that_is_not_known_tells_nothing(log_odds: float, *, written: bool) -> None:
    posts = PageFamily(
        "/* post dated", PageKind.ARTICLE, "post", pages=40, dated=40, weighed=40, log_odds=160.0
    )
    one = PageFamily(
        "/x/* case undated", PageKind.ARTICLE, "case", pages=12, weighed=12, log_odds=log_odds
    )
    verdict = judge_families([posts, one], kinds=DEFAULT_KINDS, choices={})[one.name]
    assert (verdict.written, verdict.doubtful) == (written, log_odds < 36)


def test_a_type_counts_over_all_its_families() -> None:
    posts = [PageFamily(f"/{n}/* post dated", PageKind.ARTICLE, "post", pages=3) for n in range(2)]
    page = PageFamily("/* page undated", PageKind.PAGE, "page", pages=2)
    assert not judge_families([*posts, page], kinds=DEFAULT_KINDS, choices={})[page.name].written
    assert judge_families([posts[0], page], kinds=DEFAULT_KINDS, choices={})[page.name].written
