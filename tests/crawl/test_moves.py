"""Sites whose URLs change between two visits: what was written is not written again, and nothing
new is missed."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from sitecrawl.crawl.last_lines import lines_of
from sitecrawl.crawl.store import Stores
from sitecrawl.extras.report.fleet import fleet_of
from tests.crawl.driver import HOME, Crawl, Network, Reply, crawled, story_of
from tests.pages import article_page, listing_page

NEW_HOME = "http://gazette.example"


def visit(
    folder: Path,
    count: int,
    form: str = "/2024/05/a-{}.html",
    home: str = HOME,
    *,
    ends: str = "",
    **more: int,
) -> Crawl:
    """A crawl of a site with ``count`` articles whose URLs have a ``form``, below the address
    ``home``, to which the first one leads. Each text ``ends`` with this paragraph."""
    pages = {form.format(n): article_page(n) for n in range(count)}
    if ends:
        pages = {path: add_paragraph(page, ends) for path, page in pages.items()}
    mixed = sorted(range(count), key=lambda n: n * 7 % 10)
    pages["/"] = listing_page(mixed).replace("/city/page/2/", "/")
    for number in range(count):
        pages["/"] = pages["/"].replace(f'"/2024/05/a-{number}.html"', f'"{form.format(number)}"')

    def answer(url: str) -> Reply:
        parts = urlsplit(url)
        if not url.startswith(home):
            return Reply(to=home + parts.path)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        return Reply(pages[path].encode()) if path in pages else Reply(status=404)

    crawl = Crawl.of(Network({"*": answer}), folder, **more)
    crawl.run()
    return crawl


def add_paragraph(page: str, text: str) -> str:
    start, end = page.split('<div class="text">')
    body, rest = end.split("</div>", 1)
    return f'{start}<div class="text">{body}<p>{text}</p></div>{rest}'


ENDS = {
    "/2024/05/{}-a-bridge.html": "First printed in the Gazette, which has moved to a new system.",
    "/artikel/{}": "Dieser Text stammt aus dem Archiv der Zeitung und wurde übernommen.",
    "/story.php?id={}": "この記事は旧サイトから移されました。写真はありません。",
}


@pytest.mark.parametrize("form", ENDS)
def test_articles_that_move_and_get_a_sentence_are_revisions(tmp_path: Path, form: str) -> None:
    """All old articles of a site came as new ones, with ids of their own."""
    before = visit(tmp_path, 20)
    later = visit(tmp_path, 24, form, ends=ENDS[form])
    ids = {item["headline"]: item["id"] for item in before.feed}
    moved = [item for item in later.feed if item["headline"] in ids]
    assert len(moved) == 20
    assert len(later.feed) == 24
    assert all((item["id"], item["revision"]) == (ids[item["headline"]], 2) for item in moved)
    fresh = [item for item in later.feed if item["headline"] not in ids]
    assert {item["revision"] for item in fresh} == {1}
    assert "20 articles have moved" in lines_of(later.session.visit)[-1]
    assert len({item["id"] for item in later.feed}) == 24
    again = visit(tmp_path, 25, form, ends=ENDS[form])
    assert [item["revision"] for item in again.feed] == [1]


@pytest.mark.parametrize("kill", range(3, 24, 5))
def test_articles_that_moved_are_revisions_after_a_kill(tmp_path: Path, kill: int) -> None:
    form = "/artikel/{}"
    ids = {item["headline"]: item["id"] for item in visit(tmp_path, 12).feed}
    pages = {form.format(n): add_paragraph(article_page(n), ENDS[form]) for n in range(12)}
    listing = re.sub(r"/2024/05/a-(\d+)\.html", r"/artikel/\1", listing_page(range(12)))
    network = Network(pages | {"/": listing.replace("/city/page/2/", "/")})
    killed = Crawl.of(network, tmp_path)
    for _ in zip(range(kill), killed.steps(), strict=False):
        pass
    killed.kill()
    later = Crawl.of(network, tmp_path, killed.feed)
    later.run()
    assert {item["headline"]: item["id"] for item in later.feed} == ids
    assert {item["revision"] for item in later.feed} == {2}
    assert len(later.feed) == 12


@pytest.mark.parametrize("slug", ["/2024/05/a-new-name.html", "/neu/{}"])
def test_an_article_whose_headline_and_address_changed_keeps_its_id(
    tmp_path: Path, slug: str
) -> None:
    """Its old address leads to the new one: it came as a new article."""
    pages: dict[str, object] = {f"/2024/05/a-{n}.html": article_page(n) for n in range(12)}
    listing = listing_page(range(12)).replace("/city/page/2/", "/")
    before = crawled(pages | {"/": listing}, tmp_path)
    edited = article_page(3).replace("Harbour bridge number 3", "The old bridge of the harbour")
    pages |= {slug: edited, "/2024/05/a-3.html": Reply(to=slug)}
    later = crawled(pages | {"/": listing}, tmp_path, refresh=1)
    (item,) = later.feed
    (known,) = [one for one in before.feed if one["url"].endswith("/a-3.html")]
    assert (item["id"], item["revision"]) == (known["id"], 2)
    assert item["headline"] != known["headline"]
    assert later.paths == [slug]


@pytest.mark.parametrize("slug", ["/2024/05/a-new-name.html", "/neu/bruecke"])
@pytest.mark.parametrize("is_edited", [True, False])
def test_an_article_whose_headline_and_address_changed_without_a_redirect_keeps_its_id(
    tmp_path: Path, slug: str, is_edited: bool
) -> None:
    """A listing shows it in place of the old one, which is gone; without that, it is another one."""
    pages: dict[str, object] = {f"/2024/05/a-{n}.html": article_page(n) for n in range(12)}
    listing = listing_page(range(12)).replace("/city/page/2/", "/")
    before = crawled(pages | {"/": listing}, tmp_path)
    name = "Harbour bridge number 3 opens to cyclists"
    pages[slug] = article_page(3).replace(name, "The old bridge of the harbour is for bicycles now")
    if is_edited:
        del pages["/2024/05/a-3.html"]
        listing = listing.replace("/2024/05/a-3.html", slug).replace(name, "The old bridge")
    else:
        listing = listing.replace(
            "<h1>City</h1>",
            f"<h1>City</h1><h2><a href='{slug}'>The old bridge of the harbour</a></h2>",
        )
    later = crawled(pages | {"/": listing}, tmp_path)
    (item,) = later.feed
    (known,) = [one for one in before.feed if one["url"].endswith("/a-3.html")]
    assert ((item["id"], item["revision"]) == (known["id"], 2)) is is_edited
    assert crawled(pages | {"/": listing}, tmp_path).feed == []


def test_a_new_text_below_an_old_headline_is_a_new_article(tmp_path: Path) -> None:
    """A weekly column, and a report of the same day with another text."""
    visit(tmp_path, 12)
    start, end = article_page(3).split('<div class="text">')
    other = "<p>Nine boats took part in the race around the island, and one came home.</p>" * 4
    text = f'{start}<div class="text">{other}</div>{end.split("</div>", 1)[1]}'
    pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(12)} | {"/news/b.html": text}
    listing = listing_page(range(12)).replace("/2024/05/a-3.html", "/news/b.html")
    later = crawled(pages | {"/": listing.replace("/city/page/2/", "/")}, tmp_path)
    assert [(item["revision"], item["url"]) for item in later.feed] == [(1, f"{HOME}/news/b.html")]


@pytest.mark.parametrize("form", ["/2024/05/a-{}", "/2024/05/{}-a-bridge.html", "/news/{}/"])
def test_articles_are_not_written_again_when_all_urls_change(tmp_path: Path, form: str) -> None:
    """After a change of the system, all articles of a site were written a second time, as new
    ones."""
    visit(tmp_path, 20)
    later = visit(tmp_path, 24, form)
    assert later.paths == sorted(form.format(n) for n in range(20, 24))
    assert later.counts["items/dropped/known"] == 20
    assert "20 articles that were written under other URLs were left out" in story_of(
        later.session.visit
    )
    assert visit(tmp_path, 25, form).paths == [form.format(24)]


def test_a_limit_on_pages_writes_none_again(tmp_path: Path) -> None:
    visit(tmp_path, 20)
    form, found = "/news/{}/", list[str]()
    for _ in range(8):
        found += visit(tmp_path, 24, form, max_pages=6).paths
    assert sorted(found) == sorted(form.format(n) for n in range(20, 24))


def test_an_article_that_is_gone_keeps_its_text(tmp_path: Path) -> None:
    """A refresh wrote "no longer available" as the new text of an article, because its page still
    has its headline."""
    pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(12)} | {
        "/": listing_page(range(12))
    }
    Crawl.of(Network(dict(pages)), tmp_path).run()
    start, end = pages["/2024/05/a-3.html"].split('<div class="text">')
    gone = f'{start}<div class="text"><p>This article is no longer available.</p></div>{end.split("</div>", 1)[1]}'
    crawl = Crawl.of(Network(pages | {"/2024/05/a-3.html": gone}), tmp_path, refresh=1)
    crawl.run()
    assert crawl.feed == []
    assert crawl.counts["pages/fake/missing"] == 1


@pytest.mark.parametrize("number", range(12))
def test_an_article_that_is_gone_takes_no_other_with_it(tmp_path: Path, number: int) -> None:
    """Where its page was the sample after which the template was trusted, the articles that had
    waited for this were in no feed."""
    pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(12)} | {
        "/": listing_page(range(12))
    }
    start, end = pages[f"/2024/05/a-{number}.html"].split('<div class="text">')
    gone = f'{start}<div class="text"><p>This article is no longer available.</p></div>{end.split("</div>", 1)[1]}'
    crawl = crawled(pages | {f"/2024/05/a-{number}.html": gone}, tmp_path)
    assert crawl.paths == sorted(f"/2024/05/a-{n}.html" for n in range(12) if n != number)


def test_a_short_article_about_something_that_was_removed_is_written(tmp_path: Path) -> None:
    """An article of one sentence was taken for the notice that it does not exist any more."""
    pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(12)} | {
        "/": listing_page(range(12))
    }
    start, end = pages["/2024/05/a-3.html"].split('<div class="text">')
    short = "The page about the harbour bridge was removed from the guide on Friday."
    pages["/2024/05/a-3.html"] = (
        f'{start}<div class="text"><p>{short}</p></div>{end.split("</div>", 1)[1]}'
    )
    crawl = Crawl.of(Network(dict(pages)), tmp_path)
    crawl.run()
    assert short in [item["articleBody"] for item in crawl.feed]


def test_a_notice_that_is_published_again_is_a_new_article(tmp_path: Path) -> None:
    """A text of an earlier run under a new URL is the same article only if it has the same day."""
    visit(tmp_path, 12)
    again = article_page(3).replace("2024-05-04", "2024-06-20")
    pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(12)} | {
        "/2024/06/b-3.html": again
    }
    listing = listing_page(range(12)).replace("/2024/05/a-3.html", "/2024/06/b-3.html")
    crawl = Crawl.of(Network(pages | {"/": listing}), tmp_path)
    crawl.run()
    assert crawl.paths == ["/2024/06/b-3.html"]


def test_a_short_notice_without_a_date_is_a_new_article(tmp_path: Path) -> None:
    """A notice that a site publishes again without a date was left out in each later run: it cannot
    be told from a page that moved."""

    start, end = re.sub("Published <span.*?</span> ", "", article_page(3)).split(
        '<div class="text">'
    )
    text = "<p>The harbour bridge is closed to cyclists today.</p></div>"
    notice = f'{start}<div class="text">{text}{end.split("</div>", 1)[1]}'
    pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(12)} | {
        "/news/a-3.html": notice
    }
    listing = listing_page(range(12)).replace("/2024/05/a-3.html", "/news/a-3.html")
    Crawl.of(Network(pages | {"/": listing}), tmp_path).run()
    pages["/news/b-3.html"] = notice
    crawl = Crawl.of(
        Network(pages | {"/": listing.replace("/news/a-3.html", "/news/b-3.html")}), tmp_path
    )
    crawl.run()
    assert crawl.paths == ["/news/b-3.html"]


@pytest.mark.parametrize("to", [NEW_HOME, "http://stories.other.example"])
def test_articles_come_after_one_of_two_hosts_moved(tmp_path: Path, to: str) -> None:
    """The links of the section still lead to the old host, which sends its readers to the same
    paths of the new one: no new article was read."""
    stories = "http://stories.news.example"
    pages = {f"{stories}/2024/05/a-{n}.html": article_page(n) for n in range(20)}
    shown = [listing_page(range(count)).replace('"/2024', f'"{stories}/2024') for count in (10, 20)]
    start = f"{HOME}/,{stories}/"
    Crawl.of(Network(pages | {f"{HOME}/": shown[0]}), tmp_path, start=start).run()
    moved = {to + url.removeprefix(stories): page for url, page in pages.items()}
    moved |= {url: Reply(to=to + url.removeprefix(stories)) for url in pages}
    later = Crawl.of(Network(moved | {f"{HOME}/": shown[1]}), tmp_path, start=start)
    later.run()
    assert later.paths == sorted(f"/2024/05/a-{n}.html" for n in range(10, 20))
    assert later.counts["hosts/own"] == 1


def test_new_articles_come_after_a_move_to_another_domain(tmp_path: Path) -> None:
    """The articles of the old domain counted as a trap of repeated texts: most new ones were not
    requested, and no line said so."""
    visit(tmp_path, 30)
    later = visit(tmp_path, 45, home=NEW_HOME)
    assert later.paths == sorted(f"/2024/05/a-{n}.html" for n in range(30, 45))
    assert {cause.kind for cause in fleet_of(Stores(tmp_path)).sites[0].causes} == {"moved"}
