"""Each cause comes from what a real crawl records: against servers on loopback, and visit after
visit of a network that changes."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.crawl.reasons import Severity
from sitecrawl.crawl.store import Stores
from sitecrawl.extras.report.fleet import Fleet, SiteReport, fleet_of
from tests.crawl.driver import Crawl, Network, Reply, story_of
from tests.crawl.runner import crawl, send, served
from tests.pages import article_page, listing_page
from tests.process import finished

CRAWLS = """
import sys
from scrapy.crawler import CrawlerProcess
from scrapy.utils.project import get_project_settings
from sitecrawl.spiders.site import SiteSpider

FAST = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "RETRY_ENABLED": False, "DOWNLOAD_TIMEOUT": 2}
process = CrawlerProcess(get_project_settings())
for start in sys.argv[2:]:
    spider = type("Own", (SiteSpider,), {"custom_settings": FAST | {"SITECRAWL_DATA_DIR": sys.argv[1]}})
    process.crawl(spider, start=start, scope="site")
process.start()
"""


def answers(status: int) -> Any:
    return lambda handler: send(handler, status, b"<p>no</p>")


def slow(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(4)


def login_page() -> bytes:
    return b"<title>Log in</title><h1>Please log in</h1><form><input type=password></form>"


def site(count: int = 8, lost: bool = False) -> dict[str, Any]:
    """A start page and its articles."""
    pages = {
        f"/2024/05/a-{n}.html": answers(500) if lost else article_page(n).encode()
        for n in range(count)
    }
    return {"/": listing_page(range(count)).encode(), **pages}


SERVED: dict[str, dict[str, Any]] = {
    "start-gone": {},
    "robots": {"/robots.txt": b"User-agent: *\nDisallow: /\n", **site()},
    "blocked": {"/": answers(403)},
    "network": {"/robots.txt": answers(404), "/": slow},
    "server": {"/": answers(500)},
    "login": {"/": login_page()},
    "no-articles": {
        "/": b"<title>Welcome</title><h1>Our garden</h1><p>It is large and green, and open all day.</p>"
    },
    "losses": site(12, lost=True),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, SiteReport]:
    """One crawl for each kind of trouble, all in one process and into one data folder."""
    folder = tmp_path_factory.mktemp("real")
    with ExitStack() as stack:
        urls = {kind: stack.enter_context(served(pages)).url for kind, pages in SERVED.items()}
        starts = [f"{url}/" for url in urls.values()]
        line = [sys.executable, "-c", CRAWLS, str(folder), *starts]
        done = finished(line)
    assert done.returncode == 0, done.stderr
    sites = {row.start[0]: row for row in fleet_of(Stores(folder)).sites}
    return {kind: sites[f"{url}/"] for kind, url in urls.items()}


@pytest.mark.parametrize("kind", SERVED)
def test_a_real_crawl_gives_its_cause(found: dict[str, SiteReport], kind: str) -> None:
    row = found[kind]
    assert row.level is Severity.BROKEN
    assert row.causes[0].kind == kind, row.causes
    assert row.causes[0].url.startswith(row.start[0].rstrip("/"))


# ---- visits of one site, one after the other
def visit(pages: dict[str, Any], folder: Path, **more: Any) -> Fleet:
    Crawl.of(Network(pages), folder, **more).run()
    return fleet_of(Stores(folder))


def kinds(fleet: Fleet) -> list[str]:
    return [cause.kind for cause in fleet.sites[0].causes]


def news(count: int, change: Any = lambda html: html, since: int = 0) -> dict[str, Any]:
    """A site with ``count`` articles, those from ``since`` on changed."""
    pages = {
        f"/2024/05/a-{n}.html": article_page(n) if n < since else change(article_page(n))
        for n in range(count)
    }
    return {"/": listing_page(range(count)), **pages}


@pytest.fixture
def steady(tmp_path: Path) -> Path:
    """A folder in which a site was visited three times, with ten new articles each time."""
    for count in (20, 30, 40):
        fleet = visit(news(count), tmp_path)
    assert fleet.sites[0].level is Severity.FINE, fleet.sites[0].causes
    assert fleet.sites[0].figures.articles == [20, 10, 10]
    return tmp_path


def test_articles_that_fall_to_a_tenth(steady: Path) -> None:
    assert kinds(visit(news(41), steady)) == ["fell"]


def test_visits_that_fetch_what_since_left_out_before_do_not_tell_what_is_usual(
    tmp_path: Path,
) -> None:
    """The next visit after them brought a tenth, and its site was called broken."""
    visit(news(27), tmp_path, since="2024-05-26")
    visit(news(27), tmp_path)
    fleet = visit(news(28), tmp_path)
    assert fleet.sites[0].figures.articles == [2, 25, 1]
    assert kinds(fleet) == []


def test_silence(steady: Path) -> None:
    assert kinds(visit(news(40), steady)) == ["silent"]


def test_listings_that_show_nothing_any_more(steady: Path) -> None:
    fleet = visit(
        {"/": "<title>Our garden</title><h1>Our garden</h1><p>It is open all day.</p>"}, steady
    )
    assert kinds(fleet) == ["no-articles"]
    assert "listings link to no articles" in fleet.sites[0].causes[0].text


GONE: dict[str, Any] = {"404": Reply(b"", 404), "front page": Reply(to="/")}


@pytest.mark.parametrize("gone", sorted(GONE))
def test_new_articles_that_lead_nowhere_while_others_come(steady: Path, gone: str) -> None:
    """Missing pages counted only if no article came: 30 of 33 were missing, and the report called
    the site fine."""
    lost = {f"/2024/05/a-{n}.html": GONE[gone] for n in range(43, 73)}
    fleet = visit(news(73) | lost, steady)
    assert kinds(fleet) == ["missing"]
    assert "nowhere (30 of 33 since " in fleet.sites[0].causes[0].text
    assert kinds(visit(news(76) | lost, steady)) == [
        "missing"
    ]  # they are still missing, and count once
    assert "nowhere (30 of 36 since " in fleet_of(Stores(steady)).sites[0].causes[0].text


def test_only_links_to_articles_count_as_such_links_that_lead_nowhere(steady: Path) -> None:
    """Sections that say with status 200 that they do not exist made it "10 of 6"."""
    sorry = "<title>Not found</title><h1>404</h1><p>The page was not found.</p>"
    names = ("local", "world", "culture", "science", "travel", "health", "schools")
    menu = "".join(f'<li><a href="/{name}/">{name.title()}</a></li>' for name in names)
    pages = news(43)
    pages["/"] = pages["/"].replace("<body>", f"<body><nav><ul>{menu}</ul></nav>")
    fleet = visit(pages | {f"/{name}/": sorry for name in names}, steady)
    assert max(loss.count for loss in fleet.sites[0].last.lost if "does not exist" in loss.why) >= 6
    assert kinds(fleet) == []


def test_dead_links_that_are_requested_less_and_less_often_are_not_new_again(
    tmp_path: Path,
) -> None:
    """The fourth visit requests them, the third does not."""
    dead = {f"/2024/05/a-{n}.html": Reply(b"", 404) for n in range(8)}
    for count in (40, 43, 46, 46):
        fleet = visit(news(count) | dead, tmp_path)
    assert next(loss.count for loss in fleet.sites[0].last.lost if "404" in loss.why) >= 8
    assert kinds(fleet) == []


@pytest.mark.parametrize("gone", sorted(GONE))
def test_old_articles_that_a_refresh_finds_deleted_are_not_missing(steady: Path, gone: str) -> None:
    lost = {f"/2024/05/a-{n}.html": GONE[gone] for n in range(30)}
    assert kinds(visit(news(43) | lost, steady, refresh=1)) == []


WALLS = {
    "consent": "<title>Your privacy</title><h1>Your privacy</h1><p>We use cookies. Accept them to read on.</p>",
    "no-articles": "<title>Hello</title><h1>Hello</h1><p>Please come in.</p>",
}


@pytest.mark.parametrize("kind", sorted(WALLS))
def test_a_site_whose_links_never_led_to_an_article(tmp_path: Path, kind: str) -> None:
    """The listing shows links to articles, so that nothing seemed to be wrong with a site of which
    no article ever came."""
    walled = {path: WALLS[kind] if path != "/" else page for path, page in news(12).items()}
    outcome = Crawl.of(Network(walled), tmp_path).run()
    assert "no article is new" not in story_of(outcome)
    assert kinds(fleet_of(Stores(tmp_path))) == [kind]


def test_a_site_without_an_article_that_is_wanted_is_not_broken(tmp_path: Path) -> None:
    assert kinds(visit(news(12), tmp_path, since="2025-01-01")) == []


def test_a_site_that_says_where_it_went(steady: Path) -> None:
    fleet = visit(
        {"/": "<title>Moved</title><h1>We have moved</h1><p>You will find us elsewhere.</p>"},
        steady,
    )
    assert kinds(fleet) == ["moved"]


def test_dates_that_are_missing(steady: Path) -> None:
    fleet = visit(
        news(52, lambda html: html.split("Published")[0] + html.split("</span>", 1)[1], 40), steady
    )
    assert kinds(fleet) == ["field"]
    assert "Dates missing (12 of 12 since " in fleet.sites[0].causes[0].text


def test_a_crawl_that_leaves_most_of_a_site_as_the_user_asked(tmp_path: Path) -> None:
    """It was called incomplete."""
    fleet = visit(news(30), tmp_path, max_articles=6)
    assert kinds(fleet) == []
    assert fleet.sites[0].last.completeness.unread > 20


def redesigned(html: str) -> str:
    return (
        html.replace('class="text"', 'class="prose"')
        .replace('id="main"', 'id="column"')
        .replace("<h1>", '<h1 class="top">')
    )


def moved(html: str) -> str:
    """Where the text stood, there is a notice now."""
    notice = (
        "<p>Please read our terms and allow our partners to keep small files on your device.</p>"
        * 3
    )
    return html.replace('<div class="text">', f'<div class="text">{notice}</div><div class="copy">')


@pytest.mark.parametrize(("change", "pages"), [(redesigned, 30), (moved, 30), (moved, 3)])
def test_a_redesign_that_is_learned_again(steady: Path, change: Any, pages: int) -> None:
    fleet = visit(news(40 + pages, change, 40), steady)
    assert kinds(fleet) == ["relearned"], fleet.sites[0].last.events
    assert fleet.sites[0].level is Severity.WATCH


def test_a_redesign_with_too_few_pages_to_learn(steady: Path) -> None:
    fleet = visit(news(42, moved, 40), steady)
    assert kinds(fleet) == ["drifting"], fleet.sites[0].last.events
    assert fleet.sites[0].level is Severity.BROKEN


def test_old_articles_that_are_written_anew_are_no_redesign(tmp_path: Path) -> None:
    visit(news(40), tmp_path)
    anew = {
        path: redesigned(page).replace("<p>", "<p>New words. ")
        for path, page in news(4).items()
        if path != "/"
    }
    fleet = visit(
        news(40) | {path: page.replace("div", "section") for path, page in anew.items()},
        tmp_path,
        refresh=1,
    )
    assert (fleet.sites[0].last.articles, fleet.sites[0].last.revised) == (0, 4)
    assert kinds(fleet) == []


def test_a_state_that_is_damaged(tmp_path: Path) -> None:
    with served(site()) as found:
        crawl(f"{found.url}/", tmp_path / "out.jsonl")
        store = next((tmp_path / "state" / "crawls").glob("*.sqlite"))
        store.write_bytes(b"no database at all, whatever its name says" * 100)
        run = crawl(
            f"{found.url}/",
            tmp_path / "out.jsonl",
            "-s",
            f"SITECRAWL_REPORT={tmp_path / 'report.html'}",
        )
    assert run.code == 1
    fleet = fleet_of(Stores(tmp_path / "state"))
    assert kinds(fleet) == ["state"]
    assert "damaged" in fleet.sites[0].causes[0].text


def test_a_crawl_that_was_killed(steady: Path) -> None:
    crawl = Crawl.of(Network(news(50)), steady)
    for _, _ in zip(crawl.steps(), range(5), strict=False):
        pass
    assert fleet_of(Stores(steady)).sites[0].running
    crawl.kill()
    crawl.session.recorders[0].log.close()
    fleet = fleet_of(Stores(steady))
    assert kinds(fleet) == ["killed"]
    assert kinds(visit(news(50), steady)) == []
