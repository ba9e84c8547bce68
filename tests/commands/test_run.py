"""`sitecrawl run`, `--fail-on` and alerts, with sites and a webhook on loopback."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sitecrawl.__main__ import main
from sitecrawl.commands._alerts import Exit, exit_code, named_conditions
from sitecrawl.commands._help import HIDDEN_WORDS, OptionError, hidden_words
from sitecrawl.commands.crawl import _EscapedRecord
from sitecrawl.crawl.events import Completeness
from sitecrawl.crawl.visit import Loss, Visit
from sitecrawl.errors import SitecrawlError, SitesError
from sitecrawl.extras.fleet import sites_file
from sitecrawl.extras.fleet.sites_file import Site, SiteRuns, read_sites
from sitecrawl.extras.report.alerts import alert_of, conditions_of, send
from sitecrawl.extras.visits import log_of
from tests.crawl.runner import FAST, Answer, items_of, served
from tests.crawl.runner import send as answer
from tests.pages import article_page, listing_page
from tests.process import Started, finished


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "sitecrawl.settings")
    monkeypatch.chdir(tmp_path)

    def forked(line: list[str], *, env: dict[str, str], **_: Any) -> Any:
        """A crawl of a run, forked, which spares its imports."""
        return finished(line, cwd=tmp_path, env=env)

    monkeypatch.setattr(
        sites_file, "subprocess", SimpleNamespace(run=forked, DEVNULL=None, PIPE=None)
    )


def news(first: int) -> dict[str, bytes | Answer]:
    """A site of six articles."""
    numbers = range(first, first + 6)
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": article_page(n).encode() for n in numbers
    }
    return pages | {"/city/": listing_page(numbers).encode()}


class Hook:
    """What a webhook was sent."""

    def __init__(self) -> None:
        self.alerts: list[dict[str, Any]] = []

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers["Content-Length"])
        self.alerts.append(json.loads(handler.rfile.read(length)))
        answer(handler, 200, b"")


# ---- conditions and alerts
@pytest.mark.parametrize(
    ("visit", "causes", "held"),
    [
        (Visit(written=9, pages=9, reason="finished"), [], []),
        (Visit(pages=1, reason="finished", completeness=Completeness(shown=7)), [], []),
        (Visit(pages=1, reason="finished"), [], ["zero"]),
        (Visit(written=1, pages=1, reason="finished"), ["relearned"], ["drift", "relearned"]),
        (Visit(written=1, pages=1, reason="shutdown"), [], ["incomplete"]),
        (
            Visit(written=1, pages=1, reason="finished", completeness=Completeness(90, 10, 3)),
            ["incomplete"],
            ["incomplete"],
        ),
        (
            Visit(written=1, pages=1, reason="finished", completeness=Completeness(99, 1, 3)),
            [],
            [],
        ),
        (
            Visit(lost=(Loss("no", "/", failed={"start page": 1}),), reason="finished"),
            [],
            ["zero", "incomplete", "start"],
        ),
    ],
)
def test_conditions(visit: Visit, causes: list[str], held: list[str]) -> None:
    assert conditions_of(visit, causes) == held


def test_exit_codes() -> None:
    assert exit_code(Visit(pages=1, reason="finished")) == Exit.DONE
    assert exit_code(Visit(pages=1, reason="max_pages")) == Exit.DONE
    assert exit_code(Visit(pages=1, reason="shutdown")) == Exit.INTERRUPTED
    assert exit_code(Visit(pages=1)) == Exit.INTERRUPTED
    assert exit_code(Visit(reason="finished")) == Exit.FAILED
    with pytest.raises(SitecrawlError, match=r"did you mean incomplete\?"):
        named_conditions("drift, incomplet")


def test_an_alert_goes_to_a_command_or_tells_why_not(tmp_path: Path) -> None:
    visit = Visit(start=("http://a.example/",), written=3, pages=9, reason="finished")
    alert = alert_of(visit, found=["drift"])
    code = f"import sys; open({str(tmp_path / 'got')!r}, 'w').write(sys.stdin.read())"
    send(shlex.join([sys.executable, "-c", code]), alert)
    got = json.loads((tmp_path / "got").read_text())
    assert (got["start"], got["conditions"], got["articles"]) == (
        ["http://a.example/"],
        ["drift"],
        3,
    )
    for target in ("no-such-command", "false", "http://127.0.0.1:9/", "'unbalanced"):
        with pytest.raises(SitecrawlError, match="did not arrive"):
            send(target, alert)


# ---- a crawl that goes wrong, and many sites
def write_sites(path: Path, one: str, two: str, hook: str) -> None:
    path.write_text(
        f"""
        feed = "all.jsonl"
        every = "6 hours"
        jobs = 2
        fail_on = ["start"]
        max_articles = 50
        [settings]
        SITECRAWL_ALERT = "{hook}"
        DOWNLOAD_DELAY = 0
        AUTOTHROTTLE_ENABLED = false
        [[site]]
        name = "one"
        start = "{one}/city/"
        [[site]]
        name = "two"
        start = ["{two}/city/", "{two}/gone/"]
        """
    )


def run_sites(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[dict[str, Any]]]:
    code = main(["run", "sites.toml", "--once", "--json", *words])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_sites_of_a_file_come_into_one_feed_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hook = Hook()
    with served(news(0)) as one, served(news(20)) as two, served({"/hook": hook}) as hooked:
        write_sites(tmp_path / "sites.toml", one.url, two.url, f"{hooked.url}/hook")
        code, told = run_sites(capsys)
        assert code == Exit.CONDITION
        assert {row["site"]: row["exit_code"] for row in told} == {"one": 0, "two": 3}
        assert len({item["url"] for item in items_of(tmp_path / "all.jsonl")}) == 12
        assert [(alert["conditions"], alert["articles"]) for alert in hook.alerts] == [
            (["start", "start-gone"], 6)
        ]
        assert any("404" in line for line in hook.alerts[0]["messages"])
        assert run_sites(capsys) == (0, [])
        with open(tmp_path / "all.jsonl", "a") as feed:
            feed.write('{"url": "half')
        code, told = run_sites(capsys, "--all")
        assert len(told) == 2
        assert len(items_of(tmp_path / "all.jsonl")) == 12


def test_a_url_is_enough_in_any_folder(tmp_path: Path) -> None:
    """And the options of a crawl are the arguments of the spider; the feed is added to."""
    with served(news(0)) as site:
        line = [
            sys.executable,
            "-m",
            "sitecrawl",
            f"{site.url}/city/",
            "--max-articles",
            "4",
            *FAST,
        ]
        for count in (4, 6):
            done = finished(line, cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            assert len(items_of(tmp_path / "articles.jsonl")) == count
    item = items_of(tmp_path / "articles.jsonl")[0]
    assert datetime.fromisoformat(item["metadata"]["dateDownloaded"]).tzinfo is not None


# ---- what must stay secret
TOKEN, KEY = "T0KEN-of-a-hook", "KEY-of-a-cloud"


def command_lines() -> str:
    """What ``ps`` shows."""
    found = b""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found += file.read_bytes()
    return found.decode("utf-8", "replace")


def test_a_run_shows_no_secret_on_its_command_lines_and_in_its_messages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """``ps`` showed the settings of all crawls: URLs of alerts, keys of AWS, tokens of feeds."""
    shown: list[str] = []
    environments: list[bytes] = []

    def page(handler: BaseHTTPRequestHandler) -> None:
        shown.append(command_lines())
        answer(handler, 404, b"")

    def real(line: list[str], *, env: dict[str, str], **more: Any) -> Any:
        environments.append(env["SITECRAWL_WORDS"].encode())
        return subprocess.run(line, env=env, **more)

    process = SimpleNamespace(run=real, DEVNULL=subprocess.DEVNULL, PIPE=subprocess.PIPE)
    monkeypatch.setattr(sites_file, "subprocess", process)
    with served({"*": page, "/robots.txt": b""}) as site:
        (tmp_path / "sites.toml").write_text(
            f"""
            feed = "http://127.0.0.1:9/{TOKEN}/{{name}}"
            fail_on = "zero"
            [settings]
            SITECRAWL_ALERT = "http://127.0.0.1:9/services/{TOKEN}?key={TOKEN}"
            AWS_SECRET_ACCESS_KEY = "{KEY}"
            LOG_LEVEL = "DEBUG"
            RETRY_TIMES = 0
            [[site]]
            start = "{site.url}/"
            """
        )
        main(["run", "sites.toml", "--once", "-s", f"FTP_PASSWORD={KEY}"])
    told = capsys.readouterr()
    assert any(f"crawl\0{site.url}/" in line for line in shown)
    assert KEY.encode() in environments[0]
    assert TOKEN.encode() in environments[0]
    kept = "".join(
        file.read_bytes().decode("latin-1")
        for file in tmp_path.rglob("*")
        if file.is_file() and file.name != "sites.toml"
    )
    assert "the alert did not arrive (SITECRAWL_ALERT=http://127.0.0.1): " in told.out
    for secret in (TOKEN, KEY):
        assert secret not in "".join(shown)
        assert secret not in told.out + told.err
        assert secret not in kept


def test_words_in_the_environment_are_taken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HIDDEN_WORDS, '["-s", "A=1"]')
    assert hidden_words() == ["-s", "A=1"]
    assert HIDDEN_WORDS not in os.environ
    assert hidden_words() == []
    for wrong in ("[", "{}", "[1]"):
        monkeypatch.setenv(HIDDEN_WORDS, wrong)
        with pytest.raises(OptionError, match="is no list of words"):
            hidden_words()


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("http://127.0.0.1:9/services/SECRET", "http://127.0.0.1"),
        ("HOOK/services/SECRET", "http://127.0.0.1"),
        ("HOOK/services/SECRET?to=elsewhere", "http://127.0.0.1"),
        ("HOOK/500/SECRET", "http://127.0.0.1"),
        ("http://127.0.0.1:9/a b/SECRET", "http://127.0.0.1"),
        ("http://ann:SECRET@127.0.0.1:9/", "http://127.0.0.1"),
        ("https://SECRET:word@no-such-host.invalid/SECRET", "https://no-such-host.invalid"),
        ("htps://hooks.example/SECRET", "htps://hooks.example"),
        ("http://[SECRET/", "http://..."),
        ("curl -H SECRET http://127.0.0.1:9/", "curl ..."),
        ("false SECRET", "false ..."),
        ("KEY=SECRET curl", "..."),
        ("'SECRET", "..."),
    ],
)
def test_an_alert_that_does_not_arrive_shows_no_more_than_a_host(target: str, shown: str) -> None:
    """The whole URL stood in the line; a redirect showed that of the server, with its token."""

    def hook(handler: BaseHTTPRequestHandler) -> None:
        if "/500/" in handler.path:
            handler.send_response(500, "SECRET")
            handler.send_header("Content-Length", "0")
            handler.end_headers()
        else:
            answer(handler, 307, b"", Location=f"http://127.0.0.1:9{handler.path}/SECRET")

    with served({"*": hook}) as site, pytest.raises(SitecrawlError) as error:
        send(target.replace("HOOK", site.url), {})
    assert f"(SITECRAWL_ALERT={shown}): " in str(error.value)
    assert "SECRET" not in str(error.value)


def test_a_log_shows_no_password_of_a_url() -> None:
    arguments = ("postgresql://ann:secret@db.example/news", "http://a.example/@ann")
    record = _EscapedRecord("x", 30, "x", 1, "%s failed for %s", arguments, None)
    shown = "postgresql://db.example/news failed for http://a.example/@ann"
    assert record.getMessage() == shown


# ---- the file of sites
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[site", "is not TOML"),
        ("jobs = 2", "names no site"),
        ('[[site]]\nstart = "ftp://a.example/"', "must begin with http"),
        (
            '[[site]]\nstart = "a.example"\nmax_article = 3',
            "no key max_article: did you mean max_articles?",
        ),
        (
            '[settings]\nSITECRAWL_DATA_DIR = "a"\n[[site]]\nstart = "a.example"',
            "SITECRAWL_DATA_DIR is one for all sites",
        ),
        ('[[site]]\nstart = "a.example"\nrefresh = "banana"', "refresh=banana is unknown"),
        ('[[site]]\nstart = "a.example"\nevery = "often"', "write it like 30 minutes"),
        ('[[site]]\nstart = "a.example"\nfail_on = "dirft"', "did you mean drift?"),
        (
            '[[site]]\nstart = "a.example"\nfeed = "all.json"',
            "one feed for all sites is .jsonl, .rss",
        ),
        ('[[site]]\nstart = "a.example"\nfeed = "{name}-{date}.json"', "only word in braces"),
        ('[[site]]\nstart = "a.example"\nfeed = "{0}.jsonl"', "only word in braces"),
        (
            '[[site]]\nstart = "a.example"\nsettings = {SITECRAWL_MAX_WAITS = 3}',
            "did you mean SITECRAWL_MAX_WAIT?",
        ),
        (
            '[[site]]\nstart = "a.example"\n[[site]]\nstart = "a.example/b/"',
            "a.example stands twice",
        ),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "sites.toml").write_text(text)
    with pytest.raises(SitesError, match=told.replace("?", "\\?")) as error:
        read_sites(tmp_path / "sites.toml")
    assert "\n" not in str(error.value)


def test_a_file_from_an_editor_of_windows(tmp_path: Path) -> None:
    file = tmp_path / "sites.toml"
    file.write_text('[[site]]\nstart = "a.example"\nname = "港口"', encoding="utf-8-sig")
    assert [site.name for site in read_sites(file)[0]] == ["港口"]
    file.write_text('[[site]]\nstart = "a.example"\nname = "港口"', encoding="gbk")
    with pytest.raises(SitesError, match="save it as UTF-8"):
        read_sites(file)


def test_a_file_that_is_missing_is_told_in_words(tmp_path: Path) -> None:
    """It was told with the number of the error and its path twice, and without a word on what such
    a file is."""
    with pytest.raises(SitesError) as error:
        read_sites(tmp_path / "sites.toml")
    assert (
        "sites.toml: cannot be read (No such file or directory); docs/monitoring.md shows one"
        in str(error.value)
    )


def test_a_site_takes_what_it_does_not_say_from_the_top(tmp_path: Path) -> None:
    (tmp_path / "sites.toml").write_text(
        'feed = "{name}.xml:rss"\neffort = "quick"\n[settings]\nDOWNLOAD_DELAY = 2\n'
        '[[site]]\nstart = "https://a.example/news/"\neffort = "full"\ndiscover = ["links", "feeds"]\nrefresh = true'
    )
    (site,), jobs = read_sites(tmp_path / "sites.toml")
    line = shlex.join(site.line(tmp_path, ["-s", "A=1"]))
    assert jobs == 4
    assert "crawl https://a.example/news/ -O a.example.xml:rss -s SITECRAWL_REWRITE=1 -a " in line
    assert line.endswith("-s DOWNLOAD_DELAY=2 -s A=1")
    assert dict(site.arguments) == {"effort": "full", "discover": "links,feeds", "refresh": "1"}


def test_a_run_names_the_sites_under_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def late(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(2)
        answer(handler, 404, b"")

    with served({"*": late}) as site:
        sites = [Site(name, (f"{site.url}/",), 3600, ("{name}.jsonl",), {}, {}) for name in "a"]
        SiteRuns(sites, tmp_path, [*FAST, "-s", f"SITECRAWL_DATA_DIR={tmp_path}"]).crawl(
            1, seconds=0.5
        )
    told = capsys.readouterr()
    assert "sitecrawl: running: a; 0 more are due\n" in told.err
    assert "pages, " not in told.out


def test_a_site_that_cannot_be_crawled_is_not_tried_every_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stays due, so a run without end would fill the log."""
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        raise KeyboardInterrupt

    start = "[[site]]\nstart = 'http://127.0.0.1:9/'\nsettings = {SITECRAWL_JS = 'foo'}"
    (tmp_path / "sites.toml").write_text(start, encoding="utf8")
    monkeypatch.setattr(sites_file, "time", SimpleNamespace(time=time.time, sleep=sleep))
    assert main(["run", "sites.toml"]) == Exit.INTERRUPTED
    assert slept == [pytest.approx(60, abs=1)]


def test_a_shared_feed_that_could_not_be_written_is_completed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(news(0)) as one, served(news(20)) as two, served({"/hook": Hook()}) as hooked:
        write_sites(tmp_path / "sites.toml", one.url, two.url, f"{hooked.url}/hook")
        (tmp_path / "all.jsonl").mkdir()
        assert main(["run", "sites.toml", "--once"]) == Exit.FAILED
        assert "the next run adds what it lacks" in capsys.readouterr().err
        (tmp_path / "all.jsonl").rmdir()
        assert run_sites(capsys) == (0, [])  # though no site is due
    assert len({item["url"] for item in items_of(tmp_path / "all.jsonl")}) == 12


def test_a_run_gives_no_advice_for_a_single_crawl(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On every day without news it named options of another command."""
    with served(news(0)) as one, served(news(20)) as two, served({"/hook": Hook()}) as hooked:
        write_sites(tmp_path / "sites.toml", one.url, two.url, f"{hooked.url}/hook")
        run_sites(capsys)
        _, told = run_sites(capsys, "--all")
        line = [sys.executable, "-m", "sitecrawl", f"{one.url}/city/", *FAST]
        alone = finished(line, cwd=tmp_path).stderr
    said = [line for row in told for line in row["messages"]]
    assert sum("no article is new" in line for line in said) == 2
    assert not [line for line in said if "-O " in line or "-a " in line or "--scroll" in line]
    assert "no article is new (-O FILE -s SITECRAWL_REWRITE=1" in alone


def test_a_slow_site_holds_no_other_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its articles came into the common feed before those of all sites behind it in the file."""
    shared = tmp_path / "all.jsonl"
    found: list[int] = []

    def late(handler: BaseHTTPRequestHandler) -> None:
        until = time.monotonic() + 20
        while time.monotonic() < until and not (
            shared.is_file() and shared.read_bytes().count(b"\n") == 6
        ):
            time.sleep(0.1)
        found.append(len(items_of(shared)))
        answer(handler, 200, listing_page(range(6)).encode())

    with (
        served(news(0) | {"/city/": late}) as slow,
        served(news(20)) as other,
        served({"/hook": Hook()}) as hooked,
    ):
        for one, two, order in ((slow, other, ["two", "one"]), (other, slow, ["one", "two"])):
            write_sites(tmp_path / "sites.toml", one.url, two.url, f"{hooked.url}/hook")
            _, told = run_sites(capsys, "-s", f"SITECRAWL_DATA_DIR={order[0]}")
            assert [row["site"] for row in told] == order
            shared.unlink()
    assert found == [6, 6]


def test_a_site_that_fails_keeps_no_other_from_being_crawled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that could not be made, a message that was no UTF-8, a strange line in a feed and a
    strange visit record each ended the run."""
    crawl = "import sys; sys.stderr.buffer.write(b'\\xff is no letter'); open(sys.argv[1], 'a').write('{\"url\": \"a\"}\\n')"
    monkeypatch.setattr(sites_file, "subprocess", subprocess)
    monkeypatch.setattr(
        Site,
        "line",
        lambda site, data, more: [
            sys.executable,
            "-c",
            crawl,
            str(Path(site.outputs(data)[0]).absolute()),
        ],
    )
    (tmp_path / "blocked").touch()
    (tmp_path / "feeds").mkdir()
    (tmp_path / "feeds" / "b.jsonl").write_text("\0\0\0\n")
    log_of(tmp_path, "c.example").save_all(
        [Visit("c.example", ["http://c.example/"], began="once", ended="later", reason="finished")]
    )
    feeds = {"a": "blocked/a/{name}.jsonl", "b": "all.jsonl", "c": "c-{name}.jsonl"}
    sites = [
        Site(name, (f"http://{name}.example/",), 3600, (feed,), {}, {})
        for name, feed in feeds.items()
    ]
    runs = SiteRuns(sites, tmp_path, [])
    assert runs.crawl(3) == Exit.FAILED
    told = capsys.readouterr()
    assert "a: the crawl could not begin: [Errno 20] Not a directory" in told.out
    assert "b: \ufffd is no letter\n" in told.out
    assert "c: its visit records cannot be read" in told.err
    assert items_of(tmp_path / "all.jsonl") == items_of(tmp_path / "c-c.jsonl") == [{"url": "a"}]
    assert runs.due["c"] > time.time() + 3_000


def test_a_killed_run_leaves_nothing_out_of_a_common_feed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A site whose crawl came to its end was not due again: its articles were missing until its
    next crawl."""
    with served(news(0)) as one, served(news(20)) as two, served({"/hook": Hook()}) as hooked:
        write_sites(tmp_path / "sites.toml", one.url, two.url, f"{hooked.url}/hook")
        killed = Started(
            [sys.executable, "-m", "sitecrawl", "run", "sites.toml", "--once"], cwd=tmp_path
        )
        feeds = tmp_path / ".sitecrawl" / "feeds"
        until = time.monotonic() + 60
        while (
            len(items_of(feeds / "one.jsonl") + items_of(feeds / "two.jsonl")) < 12
            and time.monotonic() < until
        ):
            time.sleep(0.01)
        killed.kill()
        killed.wait()
        (tmp_path / "all.jsonl").unlink(
            missing_ok=True
        )  # as if it was killed before the first crawl was shared
        run_sites(capsys)
    assert len({item["url"] for item in items_of(tmp_path / "all.jsonl")}) == 12


def test_two_sites_of_one_host_are_crawled_one_after_the_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second one was refused, since a crawl of the same host ran."""
    with served(news(0)) as one, served({"/hook": Hook()}) as hooked:
        write_sites(tmp_path / "sites.toml", one.url, one.url, f"{hooked.url}/hook")
        _, told = run_sites(capsys)
    assert {row["site"]: row["exit_code"] for row in told} == {"one": 0, "two": 3}


def test_a_site_that_becomes_due_does_not_wait_for_a_long_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawled: list[str] = []
    has_begun, is_over = threading.Event(), threading.Event()

    def run(line: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        if "fast" in line[4]:
            has_begun.wait(30)  # the threads of both begin at once
            crawled.append(line[4])
            if len(crawled) > 3:  # it is not due once more before the slow one has ended
                monkeypatch.setattr(sites_file, "_SLACK", 60)
                is_over.set()
        else:
            crawled.append(line[4])
            has_begun.set()
            is_over.wait(30)
        return subprocess.CompletedProcess(line, 0, "", "")

    monkeypatch.setattr(sites_file, "subprocess", SimpleNamespace(run=run, DEVNULL=None, PIPE=None))
    monkeypatch.setattr(sites_file, "_SLACK", 0.05)
    sites = [
        Site(name, (f"http://{name}.example/",), 60, ("{name}.jsonl",), {}, {})
        for name in ("slow", "fast")
    ]
    SiteRuns(sites, tmp_path, []).crawl(2, seconds=0.1)
    assert crawled == ["http://slow.example/"] + 3 * ["http://fast.example/"]


def test_a_site_with_a_new_name_leaves_no_article_out_of_a_new_feed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The articles of the old name stayed in its own file, and a feed that was written anew was
    without them."""
    with served(news(0)) as one, served(news(20)) as two, served({"/hook": Hook()}) as hooked:
        write_sites(tmp_path / "sites.toml", one.url, two.url, f"{hooked.url}/hook")
        run_sites(capsys)
        renamed = (tmp_path / "sites.toml").read_text(encoding="utf8").replace('"one"', '"first"')
        (tmp_path / "sites.toml").write_text(renamed, encoding="utf8")
        assert len(items_of(tmp_path / "all.jsonl")) == 12
        run_sites(capsys, "--all")
        assert len(items_of(tmp_path / "all.jsonl")) == 12
        (tmp_path / "all.jsonl").unlink()
        run_sites(capsys, "--all")
    assert (
        len({item["url"] for item in items_of(tmp_path / "all.jsonl")})
        == len(items_of(tmp_path / "all.jsonl"))
        == 12
    )


def test_when_a_site_is_due(tmp_path: Path) -> None:
    """An hour after its last crawl that came to its own end began; one that was interrupted or
    killed does not count."""
    site = Site("a", ("http://a.example/",), 3600, ("all.jsonl",), {}, {})
    assert site.wait(tmp_path, 5000.0) < 0
    began = [datetime.fromtimestamp(moment, UTC).isoformat() for moment in (1000, 4000, 4500, 4600)]
    log_of(tmp_path, "a.example").save_all(
        [
            Visit(
                "a.example",
                ("http://a.example/",),
                began=began[0],
                ended="later",
                reason="finished",
            ),
            Visit(
                "a.example",
                ("http://a.example/",),
                began=began[1],
                ended="later",
                reason="shutdown",
            ),
            Visit("a.example", ("http://a.example/",), began=began[2]),
            Visit(
                "a.example",
                ["http://a.example/b/"],
                began=began[3],
                ended="later",
                reason="finished",
            ),
        ]
    )
    assert site.wait(tmp_path, 5000.0) == -400.0
    assert (
        Site("b", ("http://a.example/b/",), 3600, ("all.jsonl",), {}, {}).wait(tmp_path, 5000.0)
        == 3200.0
    )
    assert site.wait(tmp_path, 200.0) == 3600.0, "the clock was set back"
    assert SiteRuns([site], tmp_path, []).due["a"] == 4600.0


def test_a_crawl_that_was_killed_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """Only the exit code showed it: a killed process says nothing."""
    site = Site("a", ("http://a.example/",), 60, ("articles.jsonl",), {}, {})
    sites_file._print_result(site, subprocess.CompletedProcess([], -9, "", ""), as_json=False)
    assert capsys.readouterr().out == "a: signal 9 ended the crawl, the next one continues it\n"
