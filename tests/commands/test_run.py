"""`--fail-on`, alerts, exit codes, and what of them must stay secret."""

from __future__ import annotations

import json
import os
import shlex
import sys
from dataclasses import replace
from datetime import datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, ClassVar

import pytest

from sitecrawl.commands._alerts import Exit, exit_code, named_conditions
from sitecrawl.commands._help import HIDDEN_WORDS, OptionError, hidden_words
from sitecrawl.commands.crawl import _EscapedRecord
from sitecrawl.crawl.events import Completeness
from sitecrawl.crawl.visit import Loss, Visit
from sitecrawl.errors import SitecrawlError
from sitecrawl.extras.report import alerts
from sitecrawl.extras.report.alerts import alert_of, conditions_of, send
from tests.crawl.runner import FAST, Answer, items_of, served
from tests.crawl.runner import send as answer
from tests.pages import article_page, listing_page
from tests.process import finished


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "sitecrawl.settings")
    monkeypatch.chdir(tmp_path)


def news(first: int) -> dict[str, bytes | Answer]:
    """A site of six articles."""
    numbers = range(first, first + 6)
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": article_page(n).encode() for n in numbers
    }
    return pages | {"/city/": listing_page(numbers).encode()}


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


def test_an_alert_is_sent_once_until_what_holds_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[list[str]] = []
    monkeypatch.setattr(alerts, "send", lambda target, alert, **_: sent.append(alert["conditions"]))
    visit = Visit("a.example", ("http://a.example/",), pages=1, reason="finished")
    other = replace(visit, site="b.example")
    for one, found in (
        (visit, ["drift"]),
        (visit, ["drift"]),
        (other, ["drift"]),
        (visit, ["drift", "zero"]),
        (visit, []),
        (visit, ["drift"]),
    ):
        alerts.send_once("false", one, found=found, folder=tmp_path, settings={})
    assert sent == [["drift"], ["drift"], ["drift", "zero"], ["drift"]]


class Mailer:
    """A mail server that keeps what it gets."""

    sent: ClassVar[list[Any]] = []

    def __init__(self, host: str, port: int, timeout: float) -> None:
        self.sent.append((host, port))

    def __enter__(self) -> Mailer:
        return self

    def __exit__(self, *_: object) -> None: ...

    def login(self, user: str, password: str) -> None:
        self.sent.append((user, password))

    def send_message(self, message: Any) -> None:
        self.sent.append(message)


def test_an_alert_goes_by_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alerts, "SMTP", Mailer)
    visit = Visit("a.example", ("http://a.example/",), written=3, pages=9, reason="finished")
    given = {"MAIL_HOST": "mail.example", "MAIL_PORT": "587", "MAIL_USER": "ann", "MAIL_PASS": "x"}
    send("mailto:me@example.org", alert_of(visit, found=["drift"]), settings=given)
    (place, login, message) = Mailer.sent
    assert (place, login) == (("mail.example", 587), ("ann", "x"))
    assert message["To"] == "me@example.org"
    assert message["Subject"] == "sitecrawl: drift: http://a.example/"
    assert "3 articles from 9 pages (finished)" in message.get_content()
