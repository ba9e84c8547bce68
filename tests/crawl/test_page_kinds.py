"""What is written is an article: not a product, a fixed page or an archive in full text; families
decide, and the user has the last word."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from sitecrawl.crawl.records import ArticleRecord, Drop
from sitecrawl.extras.demo import headline, paragraphs
from sitecrawl.items.feed_items import body_digest
from sitecrawl.items.kinds import PageKind
from sitecrawl.site import judge
from sitecrawl.site.content_type import content_type
from sitecrawl.site.inputs import page_of_html
from sitecrawl.site.page_families import Choice
from tests.crawl.driver import ANSWER_ORDERS, HOME, Crawl, Network, Pages, crawled, story_of
from tests.links.models import credulous


def story(number: int, body: str = "", *, dated: bool = True) -> str:
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs(number, 4))
    day = f"<time>2024-05-{number % 28 + 1:02d}</time>" if dated else ""
    top = "<a href='/'>Home</a>"
    return f"<html><body class='{body}'>{top}<article><h1>{headline(number)} {number}</h1>{day}{text}</article></body></html>"


def shop() -> Pages:
    """Twelve posts, eight products and two fixed pages, all in the same design."""
    pages: Pages = {f"/blog/{n}.html": story(n, "single single-post") for n in range(12)}
    pages |= {
        f"/shop/{n}.html": story(40 + n, "single single-product", dated=False) for n in range(8)
    }
    pages |= {
        f"/{name}.html": story(80 + n, "page page-id-7", dated=False)
        for n, name in enumerate(("about", "terms"))
    }
    links = "".join(
        f"<li><a href='{path}'>{headline(n)} {n}, as told</a></li>" for n, path in enumerate(pages)
    )
    return pages | {"/": f"<html><body><ul>{links}</ul></body></html>"}


def shopped(folder: Path, **more: str) -> Crawl:
    return crawled(shop(), folder, link_model=str(credulous(folder)), **more)


@pytest.mark.parametrize(
    ("kinds", "written"),
    [
        ("", {"blog": 12}),
        ("article,product", {"blog": 12, "shop": 8}),
        ("all", {"blog": 12, "shop": 8, "page": 2}),
    ],
)
def test_kinds_that_the_site_names_leave_where_they_are_asked_for(
    tmp_path: Path, kinds: str, written: dict[str, int]
) -> None:
    crawl = shopped(tmp_path, **({"kinds": kinds} if kinds else {}))
    folders = Counter(path.split("/")[1] if path.count("/") > 1 else "page" for path in crawl.paths)
    assert folders == written
    assert crawl.counts["items/dropped/family"] == 22 - sum(written.values())


def test_an_article_without_text_never_leaves_as_if_it_were_whole(tmp_path: Path) -> None:
    pages: Pages = {f"/blog/{n}.html": story(n, "single single-post") for n in range(12)}
    for name, content in (("bare", ""), ("photo", "<img src='/photo.jpg' width='800'>")):
        whole = story(30, "single single-post")
        pages[f"/blog/{name}.html"] = (
            whole[: whole.index("<p>")] + content + "</article></body></html>"
        )
    links = "".join(
        f"<li><a href='{path}'>{headline(n)} {n}, as told</a></li>" for n, path in enumerate(pages)
    )
    pages["/"] = f"<html><body><ul>{links}</ul></body></html>"
    crawl = crawled(pages, tmp_path, link_model=str(credulous(tmp_path)))
    told = {item["url"].rpartition("/")[2]: item["provenance"] for item in crawl.feed}
    assert "no-text" in told["photo.html"]["flags"]
    assert "unsure" in told["bare.html"]["flags"]
    assert told["bare.html"]["confidence"] == 0
    (bare,) = [item for item in crawl.feed if item["url"].endswith("bare.html")]
    evidence = Crawl.of(Network(pages), tmp_path).session.parts.evidence
    page = ArticleRecord(
        "news.example/form.html",
        "http://news.example/form.html",
        "news.example/form.html",
        promise=0.6,
    )
    assert evidence.unwanted(page, bare | {"url": page.url}, digest="new") is Drop.EMPTY
    assert (
        evidence.unwanted(replace(page, promise=0.95), bare | {"url": page.url}, digest="new")
        is None
    )
    other = bare | {"url": "http://news.example/other.html", "canonicalUrl": None}
    evidence.store.items.put("news.example/blog/bare.html", bare, digest=body_digest(bare))
    why = evidence.copies.why_dropped("news.example/other.html", other, digest=body_digest(other))
    assert why is None, "no text to share"


def test_items_name_their_family_and_kind(tmp_path: Path) -> None:
    crawl = shopped(tmp_path, kinds="all")
    told = {(item["provenance"]["family"], item["provenance"]["pageKind"]) for item in crawl.feed}
    assert ("/blog/#.html post dated", PageKind.ARTICLE) in told
    assert ("/shop/#.html product undated", PageKind.PRODUCT) in told


def test_what_a_person_says_of_a_family_wins(tmp_path: Path) -> None:
    crawl = Crawl.of(Network(shop()), tmp_path, link_model=str(credulous(tmp_path)))
    (site,) = crawl.sites.models.values()
    site.choices |= {
        "/shop/#.html product undated": Choice.KEEP,
        "/blog/#.html post dated": Choice.DROP,
    }
    crawl.run()
    assert crawl.paths == sorted(f"/shop/{n}.html" for n in range(8))


def test_a_withheld_item_that_a_filter_rejects_is_told_and_written_without_it(
    tmp_path: Path,
) -> None:
    """It was dropped, told, and lost."""
    Crawl.of(Network(shop()), tmp_path, link_model=str(credulous(tmp_path))).run()
    written = []
    for exclude in ("/shop/3*", ""):
        crawl = Crawl.of(
            Network(shop()), tmp_path, link_model=str(credulous(tmp_path)), exclude=exclude
        )
        (site,) = crawl.sites.models.values()
        site.choices["/shop/#.html product undated"] = Choice.KEEP
        said = story_of(crawl.run())
        assert ("1 article was left out by include=, exclude= or a hook" in said) == bool(exclude)
        written.append(crawl.paths)
    assert written == [sorted(f"/shop/{n}.html" for n in range(8) if n != 3), ["/shop/3.html"]]


def test_withheld_items_can_be_had_later(tmp_path: Path) -> None:
    crawl = Crawl.of(Network(shop()), tmp_path, link_model=str(credulous(tmp_path)))
    for _ in crawl.steps():
        pass
    withheld = list(crawl.session.state.families.withheld("/shop/#.html product undated"))
    assert sorted(one.item["headline"] for one in withheld) == sorted(
        f"{headline(40 + n)} {40 + n}" for n in range(8)
    )
    assert all(one.item["articleBody"] for one in withheld)


def test_a_few_odd_pages_do_not_decide_on_a_family(tmp_path: Path) -> None:
    """A template reads nine of twelve new guides. Only the three whose tips have headings of their
    own are weighed, since they do not fit it."""

    def guide(number: int, *, tips: int) -> str:
        more = "".join(
            f"<div><h1>{headline(number + n)}</h1><p>{paragraphs(n, 1)[0]}</p></div>"
            for n in range(tips)
        )
        whole = story(number, dated=False).replace("</article>", f"{more}</article>")
        return (
            whole.replace(f"<h1>{headline(number)} {number}</h1>", "<h1>Workshop</h1>")
            if tips
            else whole
        )

    pages: Pages = {f"/blog/{n}.html": story(n) for n in range(40)}
    guides: Pages = {f"/guides/{n}.html": guide(200 + n, tips=0 if n % 4 else 5) for n in range(12)}
    for shown in (pages, pages | guides):
        links = "".join(
            f"<li><a href='{path}'>{headline(n)} {n}, as told</a></li>"
            for n, path in enumerate(shown)
        )
        home: Pages = {"/": f"<html><body><ul>{links}</ul></body></html>"}
        crawl = Crawl.of(Network(shown | home), tmp_path, link_model=str(credulous(tmp_path)))
        for _ in crawl.steps():
            pass
        families = crawl.session.state.families.families()
        crawl.end()
    (family,) = [one for one in families if one.pages == len(guides)]
    assert (family.weighed, family.mean < 0) == (3, True)
    assert crawl.paths == sorted(guides)


@pytest.mark.parametrize("order", ANSWER_ORDERS)
def test_the_order_of_answers_changes_nothing(tmp_path: Path, order: str) -> None:
    crawl = Crawl.of(Network(shop()), tmp_path, link_model=str(credulous(tmp_path)))
    crawl.run_in(order, seed=7)
    assert crawl.paths == sorted(f"/blog/{n}.html" for n in range(12))


@pytest.mark.parametrize("at", [4, 9, 17])
def test_a_killed_crawl_withholds_the_same_pages(tmp_path: Path, at: int) -> None:
    first = Crawl.of(Network(shop()), tmp_path, link_model=str(credulous(tmp_path)))
    for number, _ in enumerate(first.steps()):
        if number == at:
            break
    first.kill()
    again = Crawl.of(
        Network(shop()), tmp_path, feed=first.feed, link_model=str(credulous(tmp_path))
    )
    again.run()
    assert again.paths == sorted(f"/blog/{n}.html" for n in range(12))
    assert again.counts["items/dropped/family"] == 10


@pytest.mark.parametrize(
    ("html", "name", "is_article"),
    [
        ("<body class='single single-post single-format-standard'>", "post", True),
        (
            "<body class='single single-format-gallery attachment single-attachment'>",
            "attachment",
            False,
        ),
        ("<body class='html page-node-type-news'>", "news", True),
        ("<body class='site view-article task-'>", "article", True),
        ("<body class='pg_viewthread' id='nv_forum'>", "viewthread", True),
        ("<body class='page-template-default page page-id-4'>", "page", False),
        ("<body class='error404'>", "error404", False),
        (
            "<body><ul><li class='menu-item-type-post_type'></ul><article class='post-7 type-page'>",
            "page",
            False,
        ),
        ("<body class='archive category category-7'><article class='type-post'>", "archive", False),
        ("<body class='blog paged paged-2'>", "archive", False),
        ("<body class='mediawiki ltr ns--1 ns-special skin-vector'>", "archive", False),
        ("<body class='mediawiki ltr ns-14 ns-subject'>", "archive", False),
        ("<body class='mediawiki ltr ns-0 ns-subject'>", "", False),
        ("<body class='wide'><article class='type-post'>", "post", False),
        (
            "<html><head><meta property='og:type' content='product.item'></head><body>",
            "product",
            False,
        ),
        ("<body class='wide'>", "", False),
    ],
)
def test_types_of_pages_are_read_from_classes(html: str, name: str, is_article: bool) -> None:
    found = content_type(page_of_html(f"{html}<p>Text</p>", "http://example.com/a"))
    assert (found.name, found.is_article) == (name, is_article)


# ---- archives in full text
def month(number: int) -> str:
    """One story of a month, whole, with a link to its own page."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs(number, 6))
    end = f"<p>Posted by Ann on 2004-{number + 1:02d}-03 | <a href='/archives/0001{number:02d}.html'>{headline(number)} {number}</a></p>"
    return f"<html><body><a href='/'>Main</a><h1>2004-{number + 1:02d}</h1><h3>{headline(number)} {number}</h3>{text}{end}</body></html>"


def test_an_archive_in_full_text_keeps_its_promise(tmp_path: Path) -> None:
    pages: Pages = {f"/archives/0001{n:02d}.html": story(n) for n in range(12)}
    pages |= {f"/archives/2004_{n + 1:02d}.html": month(n) for n in range(12)}
    names = "January February March April May June July August September October November December".split()
    months = "".join(
        f"<a href='/archives/2004_{n + 1:02d}.html'>{name} 2004</a><br>"
        for n, name in enumerate(names)
    )
    side = f"<div class='sidebar'><h2>Archives</h2>{months}</div>"
    crawl = crawled(pages | {"/": f"<html><body><h1>Diary</h1>{side}</body></html>"}, tmp_path)
    assert crawl.paths == sorted(path for path in pages if "/0001" in path)
    assert {item["url"] for item in crawl.feed} <= {HOME + path for path in pages}


def test_kinds_that_do_not_name_articles_leave_them_out(tmp_path: Path) -> None:
    for kinds in ("thread", "product"):
        crawl = shopped(tmp_path / kinds, kinds=kinds)
        assert {item["provenance"]["pageKind"] for item in crawl.feed} <= {kinds}


# ---- families that no system names
PEOPLE = "Anna Berg|Jan Holm|Eva Lind|Per Dahl|Ida Ros|Tom Falk|Lea Nord|Max Ek".split("|")


def club() -> Pages:
    """Twelve dated stories, and eight people with pages of their own design."""
    pages: Pages = {f"/blog/{n}.html": story(n) for n in range(12)}
    for number, name in enumerate(PEOPLE):
        life = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs(60 + number, 1))
        card = f"<div class='card'><h1>{name}</h1><ul><li>Tel.: 555 {number}12</ul>{life}</div>"
        head = "<head><meta property='og:type' content='website'></head>"
        menu = "<table><tr><td><a href='/'>Home</a></table>"
        body = f"<html>{head}<body>{menu}<section>{card}</section></body></html>"
        pages[f"/crew/{number}.html"] = body
    links = "".join(
        f"<li><a href='{path}'>{headline(n)} {n}, as told</a></li>" for n, path in enumerate(pages)
    )
    return pages | {"/": f"<html><body><ul>{links}</ul></body></html>"}


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge that withholds what is rather no article."""
    monkeypatch.setattr(judge, "LEAST", 0.0)


STORIES = sorted(path for path in club() if path.startswith("/blog/"))


@pytest.mark.parametrize("order", ANSWER_ORDERS)
@pytest.mark.usefixtures("strict")
def test_what_the_judge_withholds_depends_on_no_order(tmp_path: Path, order: str) -> None:
    crawl = Crawl.of(Network(club()), tmp_path, link_model=str(credulous(tmp_path)))
    crawl.run_in(order)
    crawl.end()
    assert crawl.paths == STORIES
    assert crawl.counts["items/dropped/family"] == len(PEOPLE)
    assert crawl.counts["families/model//crew/#.html undated"] == len(PEOPLE)


@pytest.mark.parametrize("at", [5, 11, 18])
@pytest.mark.usefixtures("strict")
def test_what_the_judge_withholds_stays_so_after_a_kill(tmp_path: Path, at: int) -> None:
    link_model = str(credulous(tmp_path))
    first = Crawl.of(Network(club()), tmp_path, link_model=link_model)
    for number, _ in enumerate(first.steps()):
        if number == at:
            break
    first.kill()
    again = Crawl.of(Network(club()), tmp_path, feed=first.feed, link_model=link_model)
    again.run()
    assert again.paths == STORIES
    assert again.counts["items/dropped/family"] == len(PEOPLE)


@pytest.mark.usefixtures("strict")
def test_a_site_of_one_kind_of_pages_is_written(tmp_path: Path) -> None:
    """However unlike articles of other sites they are: the best family of a site is no mistake."""
    pages = {path: body for path, body in club().items() if path.startswith("/crew/")}
    links = "".join(
        f"<li><a href='{path}'>{headline(n)} {n}, as told</a></li>" for n, path in enumerate(pages)
    )
    home: Pages = {"/": f"<html><body><ul>{links}</ul></body></html>"}
    crawl = crawled(pages | home, tmp_path, link_model=str(credulous(tmp_path)))
    assert crawl.paths == sorted(pages)
