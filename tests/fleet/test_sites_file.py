"""`sitecrawl work sites.toml`: the file, its sites on the schedule, and their visits, with sites and a
webhook on loopback."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from scrapy.utils.project import get_project_settings

from sitecrawl.commands._alerts import Exit
from sitecrawl.crawl.store import Stores
from sitecrawl.errors import SitesError
from sitecrawl.extras.fleet.schedule import Schedule, Watched
from sitecrawl.extras.fleet.sites_file import FollowedFile, read_sites
from sitecrawl.extras.fleet.visitor import settings_of
from sitecrawl.extras.visits import log_of
from tests.crawl.runner import Answer, items_of, send, served
from tests.pages import article_page, listing_page
from tests.process import Started, finished

START = "[[site]]\nstart = "
MISTAKES = [
    ("[[site", 1, "is not TOML"),
    ("jobs = 2", 1, "names no site"),
    ("jobs = true\n" + START + '"a.example"', 1, "jobs=True is no number of sites"),
    (START + '"ftp://a.example/"', 2, "must begin with http"),
    (START + '"a.example"\nmax_article = 3', 3, "no key max_article: did you mean max_articles?"),
    (
        '[settings]\nSITECRAWL_DATA_DIR = "a"\n' + START + '"a.example"',
        2,
        "SITECRAWL_DATA_DIR is one for all sites",
    ),
    (START + '"a.example"\nrefresh = "banana"', 3, "refresh=banana is unknown"),
    (START + '"b.example"\n' + START + '"a.example"\nevery = "often"', 5, "write it like 30 min"),
    (START + '"a.example"\nwindow = "night"', 3, "write it like 22:00-06:00"),
    (START + '"a.example"\njitter = "some"', 3, "jitter=some is no span of time"),
    (START + '"a.example"\nfail_on = "dirft"', 3, "did you mean drift?"),
    (START + '"a.example"\nfeed = "all.json"', 3, "is .jsonl, .rss, .atom"),
    (START + '"a.example"\nfeed = "{name}-{date}.json"', 3, "only word in braces"),
    (
        START + '"a.example"\nsettings = {SITECRAWL_MAX_WAITS = 3}',
        3,
        "did you mean SITECRAWL_MAX_WAIT?",
    ),
    (START + '"a.example"\n' + START + '"a.example/b/"', 4, "a.example stands twice"),
    (
        START + '"a.example"\nname = "a"\n' + START + '["b.example", "a.example/b/"]\nname = "b"',
        5,
        "a.example stands twice: give one site several start pages",
    ),
]
"""A file, the line of its mistake, and what is said of it."""


@pytest.mark.parametrize(("text", "line", "told"), MISTAKES)
def test_a_mistake_in_the_file_is_one_line_with_its_place(
    tmp_path: Path, text: str, line: int, told: str
) -> None:
    path = tmp_path / "sites.toml"
    path.write_text(text)
    with pytest.raises(SitesError) as error:
        read_sites(path)
    said = str(error.value)
    assert told in said
    assert f"{path}:{line}: " in said
    assert "\n" not in said


def test_a_file_from_an_editor_of_windows(tmp_path: Path) -> None:
    file = tmp_path / "sites.toml"
    file.write_text('[[site]]\nstart = "a.example"\nname = "港口"', encoding="utf-8-sig")
    assert [site.name for site in read_sites(file).sites] == ["港口"]
    file.write_text('[[site]]\nstart = "a.example"\nname = "港口"', encoding="gbk")
    with pytest.raises(SitesError, match="save it as UTF-8"):
        read_sites(file)


def test_a_file_that_is_missing_is_told_in_words(tmp_path: Path) -> None:
    """It was told with the number of the error and its path twice, and without a word on what such
    a file is."""
    missing = r"sites.toml: cannot be read \(No such file or directory\); docs/monitoring.md"
    with pytest.raises(SitesError, match=missing):
        read_sites(tmp_path / "sites.toml")


# ---- the file and the schedule
def write(path: Path, text: str) -> FollowedFile:
    path.write_text(text)
    return FollowedFile(path)


@pytest.fixture
def schedule(stores: Stores) -> Iterator[Schedule]:
    with closing(Schedule(stores.watched())) as found:
        yield found


def rows(schedule: Schedule) -> dict[str, Watched]:
    return {watched.site: watched for watched in schedule.all()}


def test_a_site_takes_what_it_does_not_say_from_the_top(tmp_path: Path, schedule: Schedule) -> None:
    text = (
        'feed = "{name}.csv"\neffort = "quick"\nevery = "1h"\n'
        "[settings]\nDOWNLOAD_DELAY = 2\n"
        '[[site]]\nstart = "https://a.example/news/"\neffort = "full"\n'
        'discover = ["links", "feeds"]\nrefresh = true\nwindow = "22:00-06:00"'
    )
    file = write(tmp_path / "sites.toml", text)
    schedule.sync("sites.toml", file.known.sites)
    (row,) = schedule.all()
    assert row.arguments == {"effort": "full", "discover": "links,feeds", "refresh": "1"}
    assert (row.every, row.file, row.name) == (3600, "sites.toml", "a.example")
    assert row.wishes.window == (79_200, 21_600)
    given = get_project_settings()
    given.setmodule("sitecrawl.settings")
    given.update({"DOWNLOAD_DELAY": 1, "CONCURRENT_REQUESTS": 7})
    own = settings_of(row, given)
    assert own.getint("DOWNLOAD_DELAY") == 2
    assert own.getint("CONCURRENT_REQUESTS") == 7
    assert own.getbool("SITECRAWL_REWRITE")
    assert [*own.getdict("FEEDS")] == ["a.example.csv"]


def test_the_schedule_follows_the_file(tmp_path: Path, schedule: Schedule) -> None:
    path = tmp_path / "sites.toml"
    two = f'{START}"a.example"\n{START}"b.example"\n'
    schedule.add("http://by-hand.example/", {}, every=60)
    schedule.sync("sites.toml", write(path, two).known.sites)
    schedule.sync("others.toml", write(path, f'{START}"c.example"').known.sites)
    assert [*rows(schedule)] == ["a.example", "b.example", "by-hand.example", "c.example"]
    later = schedule.db.now() + 80_000
    schedule.change("a.example", next_visit=later, visits=3)
    schedule.sync("sites.toml", write(path, two).known.sites)
    assert rows(schedule)["a.example"].next_visit == later, "what is known of a site stays"
    hourly = f'every = "1h"\n{START}"a.example"\nsince = "2026-01-01"'
    schedule.sync("sites.toml", write(path, hourly).known.sites)
    known = rows(schedule)
    assert [*known] == ["a.example", "by-hand.example", "c.example"]
    assert known["a.example"].visits == 3
    assert known["a.example"].arguments == {"since": "2026-01-01"}
    assert known["a.example"].next_visit <= schedule.db.now() + 3_600


def test_a_bad_edit_is_told_once_and_the_last_good_file_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "sites.toml"
    file = write(path, f'{START}"a.example"')
    assert list(file.changes()) == []
    path.write_text(f'{START}"a.example"\nevry = "1h"')
    (mistake,) = file.changes()
    assert "sites.toml:3: no key evry" in str(mistake)
    assert list(file.changes()) == []
    assert [site.name for site in file.known.sites] == ["a.example"]
    path.unlink()
    (mistake,) = file.changes()
    assert "cannot be read" in str(mistake)
    path.write_text(f'{START}"b.example"')
    assert [*file.changes()] == [file.known]
    assert [site.name for site in file.known.sites] == ["b.example"]


def test_what_is_due_soon_or_at_all_is_made_due(schedule: Schedule) -> None:
    now = schedule.db.now()
    for number, seconds in enumerate((-9, 30, 3_000)):
        schedule.add(f"http://{number}.example/", {}, every=9_000)
        schedule.change(f"{number}.example", next_visit=now + seconds)
    assert sorted(schedule.hasten(60.0)) == ["0.example", "1.example"]
    assert sorted(one.site for one in schedule.due(9)) == ["0.example", "1.example"]
    schedule.change("0.example", paused=1)
    assert sorted(schedule.hasten(1e10)) == ["1.example", "2.example"]


# ---- visits
class Hook:
    """What a webhook was sent."""

    def __init__(self) -> None:
        self.alerts: list[dict[str, Any]] = []

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers["Content-Length"])
        self.alerts.append(json.loads(handler.rfile.read(length)))
        send(handler, 200, b"")


def news(first: int, count: int = 6) -> dict[str, bytes | Answer]:
    """A site of some articles."""
    numbers = range(first, first + count)
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": article_page(n).encode() for n in numbers
    }
    return pages | {"/city/": listing_page(numbers).encode()}


def write_sites(path: Path, *tables: str, hook: str = "", feed: str = "all.jsonl") -> None:
    path.write_text(
        f"""
        feed = "{feed}"
        every = "6 hours"
        fail_on = ["start"]
        max_articles = 50
        [settings]
        SITECRAWL_ALERT = "{hook}"
        SITECRAWL_JS = "never"
        DOWNLOAD_DELAY = 0
        RETRY_ENABLED = false
        AUTOTHROTTLE_ENABLED = false
        """
        + "".join(f"\n[[site]]\n{table}\n" for table in tables)
    )


def line_of(*words: str) -> list[str]:
    return [sys.executable, "-m", "sitecrawl", "work", "sites.toml", "--once", *words]


def work(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return finished(line_of(*words), cwd=folder)


def told(done: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """The exit code of each site."""
    found = map(json.loads, done.stdout.splitlines())
    return {row["site"]: row["exit_code"] for row in found}


def urls(feed: Path) -> list[str]:
    return sorted(item["url"] for item in items_of(feed))


def test_sites_of_a_file_come_into_one_feed_once(tmp_path: Path) -> None:
    hook = Hook()
    shared = tmp_path / "all.jsonl"
    with served(news(0)) as one, served(news(20)) as two, served({"/hook": hook}) as hooked:
        write_sites(
            tmp_path / "sites.toml",
            f'name = "one"\nstart = "{one.url}/city/"',
            f'name = "two"\nstart = ["{two.url}/city/", "{two.url}/gone/"]',
            hook=f"{hooked.url}/hook",
        )
        done = work(tmp_path, "--json")
        assert told(done) == {"one": Exit.DONE, "two": Exit.CONDITION}, done.stderr
        assert done.returncode == Exit.CONDITION
        assert "2 sites visited, 12 articles" in done.stderr
        assert len({*urls(shared)}) == len(urls(shared)) == 12
        assert [(alert["conditions"], alert["articles"]) for alert in hook.alerts] == [
            (["start", "start-gone"], 6)
        ]
        assert any("404" in line for line in hook.alerts[0]["messages"])
        shared.write_text(shared.read_text() + '{"url": "half')
        done = work(tmp_path)
        assert (done.returncode, done.stdout) == (0, "")
        assert "no site is due" in done.stderr
        done = work(tmp_path, "--all", "--processes", "2")
        assert done.returncode == Exit.CONDITION
        assert "one: no article is new\n" in done.stdout, "no advice for a single crawl"
        assert len({*urls(shared)}) == len(urls(shared)) == 12


def test_a_site_that_fails_keeps_no_other_from_its_visit_and_no_secret_is_told(
    tmp_path: Path,
) -> None:
    token = "T0KEN-of-a-hook"
    (tmp_path / "blocked").touch()
    with served(news(0)) as site, served(news(20)) as other:
        write_sites(
            tmp_path / "sites.toml",
            f'name = "good"\nstart = "{site.url}/city/"\nfeed = "feeds/{{name}}.json:jsonfeed"',
            f'name = "bad"\nstart = "{other.url}/city/"\nfeed = "blocked/a/{{name}}.jsonl"',
            'name = "away"\nstart = "http://127.0.0.1:9/"',
            hook=f"http://127.0.0.1:9/services/{token}?key={token}",
        )
        done = work(tmp_path, "--json")
    codes = told(done)
    assert codes == {"good": Exit.DONE, "bad": Exit.FAILED, "away": Exit.FAILED}, done.stderr
    assert "the alert did not arrive (SITECRAWL_ALERT=http://127.0.0.1): " in done.stdout
    assert len(json.loads((tmp_path / "feeds" / "good.json").read_text())["items"]) == 6
    assert token not in done.stdout + done.stderr
    kept = b"".join(path.read_bytes() for path in (tmp_path / ".sitecrawl" / "visits").iterdir())
    assert token.encode() not in kept


def test_three_days_with_ten_kills_bring_every_item_once(tmp_path: Path) -> None:
    """A file of sites that publish each day; visits are killed in between."""
    chance = random.Random(3)
    shared = tmp_path / "all.jsonl"
    pages = [news(100 * number) for number in range(3)]
    kills = 0
    with served(pages[0]) as one, served(pages[1]) as two, served(pages[2]) as three:
        sites = (one, two, three)
        write_sites(
            tmp_path / "sites.toml",
            *(f'name = "s{at}"\nstart = "{it.url}/city/"' for at, it in enumerate(sites)),
        )
        for day in range(3):
            for number, known in enumerate(pages):
                known.update(news(100 * number, 6 + 4 * day))
            for _ in range(4 if day == 0 else 3):
                started = Started(line_of("--all"), cwd=tmp_path)
                time.sleep(chance.uniform(0.8, 2.5))
                started.send_signal(signal.SIGKILL)
                started.wait()
                kills += 1
            done = work(tmp_path, "--all")
            assert done.returncode == 0, done.stderr
            assert len(urls(shared)) == 3 * (6 + 4 * day)
    assert kills == 10
    assert len({*urls(shared)}) == len(urls(shared))
    assert os.path.exists(tmp_path / "all.jsonl.cursor")
    assert all(log_of(tmp_path / ".sitecrawl", site.url[7:]).load() for site in sites)
