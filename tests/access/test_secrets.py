"""What a user gave for a host goes to the scheme, host and port that he named, after the server has
proved who it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from sitecrawl.extras.access.access_file import Access, AccessError, read_access
from sitecrawl.extras.access.named_origins import NamedOrigins
from tests.access.certificates import certificate
from tests.access.test_access import FORM, LINKS, SECRET, SESSION, crawled, kept, story
from tests.crawl.runner import Answer, Site, items_of, send, served

RULE = '[access."127.0.0.1"]\nheaders = {X-Key = "$NEWS_KEY"}\n'
ACCESS = ("-s", "SITECRAWL_ACCESS=access.toml")


class Ear:
    """A server that writes down what it is sent, and answers with ``answer``."""

    def __init__(self, answer: Callable[[BaseHTTPRequestHandler], None]) -> None:
        self.answer = answer
        self.heard: list[tuple[str, dict[str, str], bytes]] = []

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        self.heard.append((handler.path, dict(handler.headers), body))
        self.answer(handler)

    @property
    def sent(self) -> str:
        """All that it was sent."""
        return repr(self.heard)


def news(ear: Ear) -> dict[str, bytes | Answer]:
    """A site of six articles that an ear listens to; other paths are answered by the ear alone."""

    def page(body: bytes) -> Answer:
        inner = Ear(lambda handler: send(handler, 200, body))
        inner.heard = ear.heard
        return inner

    pages = {f"/news/{n}-a-bridge-opens.html": page(story(n)) for n in range(6)}
    pages["/news/"] = page(f"<ul>{LINKS}</ul>".encode())
    return {**pages, "*": ear}


def missing(handler: BaseHTTPRequestHandler) -> None:
    send(handler, 404, b"")


# ---- certificates
@pytest.mark.parametrize(
    ("rule", "is_trusted", "host", "days", "articles"),
    [
        (RULE, False, "127.0.0.1", 30, 0),
        (RULE, True, "127.0.0.1", 30, 6),
        (RULE, True, "127.0.0.2", 30, 0),
        (RULE, True, "127.0.0.1", -1, 0),
        (f"{RULE}verify = false\n", False, "127.0.0.1", 30, 6),
        (f"{RULE}verify = false\n", False, "127.0.0.2", -1, 6),
        # a host without a rule gets nothing, so it may be anybody
        (RULE.replace("127.0.0.1", "a.example"), False, "127.0.0.1", 30, 6),
        ("cookies", False, "127.0.0.1", 30, 0),
        ("cookies", True, "127.0.0.1", 30, 6),
    ],
)
def test_a_server_that_gets_secrets_proves_who_it_is(
    tmp_path: Path, rule: str, is_trusted: bool, host: str, days: int, articles: int
) -> None:
    """Passwords, headers and cookies were sent to servers with any certificate."""
    ear = Ear(missing)
    file = certificate(tmp_path, host=host, days=days)
    words = ACCESS
    if rule == "cookies":
        cookie = {"domain": "127.0.0.1", "name": "id", "value": SESSION}
        (tmp_path / "cookies.json").write_text(json.dumps([cookie]))
        words = ("-a", "cookies=cookies.json")
    else:
        (tmp_path / "access.toml").write_text(rule)
    trusted = {"SSL_CERT_FILE": str(file)} if is_trusted else {}
    with served(news(ear), certificate=file) as site:
        done = crawled(tmp_path, f"{site.url}/news/", *words, NEWS_KEY=SECRET, **trusted)
    assert len(items_of(tmp_path / "out.jsonl")) == articles, done.stderr[-2000:]
    if not articles:
        assert ear.heard == []
        assert done.returncode == 1
        assert "no secure connection: " in done.stderr


# ---- scheme, host and port
LOGIN = {"user": "ann", "password": "$NEWS_KEY"}


@pytest.mark.parametrize(
    ("typed", "given", "named", "not_named"),
    [
        ("https://a.example/", {}, "https://a.example/x", "http://a.example/x"),
        ("https://a.example/", {}, "https://www.a.example/x", "http://www.a.example/x"),
        ("https://a.example/", {}, "https://a.example:443/x", "https://a.example:8443/x"),
        ("https://a.example:8443/", {}, "https://a.example:8443/x", "https://a.example/x"),
        ("http://a.example/", {}, "http://a.example/x", "http://a.example:8080/x"),
        ("http://a.example:8080/", {}, "http://a.example:8080/x", "http://a.example/x"),
        ("http://a.example:8080/", {}, "https://a.example:8443/x", "http://a.example:8443/x"),
        ("https://a.example/ http://a.example/", {}, "https://a.example/x", "http://a.example/x"),
        (
            "http://b.a.example/ https://a.example/",
            {},
            "https://b.a.example/",
            "http://b.a.example/",
        ),
        ("http://a.example/", {}, "http://www.a.example/x", "http://www.a.example:81/x"),
        ("http://b.example/", {}, "https://a.example/x", "http://a.example/x"),
        (
            "http://a.example/",
            {"login": LOGIN | {"page": "https://a.example/login"}},
            "https://a.example/x",
            "http://a.example/x",
        ),
        (
            "http://a.example/",
            {"login": LOGIN | {"page": "http://a.example:81/login"}},
            "http://a.example:81/x",
            "http://a.example:82/x",
        ),
        (
            "https://a.example/",
            {"origins": ["http://a.example:81"]},
            "http://a.example:81/x",
            "https://a.example/x",
        ),
    ],
)
def test_which_addresses_may_get_secrets(
    monkeypatch: pytest.MonkeyPatch, typed: str, given: dict[str, Any], named: str, not_named: str
) -> None:
    monkeypatch.setenv("NEWS_KEY", SECRET)
    origins = NamedOrigins([Access("a.example", **given)], typed.split())
    assert origins.are_named(named)
    assert not origins.are_named(not_named)


def test_a_host_that_moved_to_https_gets_nothing_by_http_any_more() -> None:
    origins = NamedOrigins([Access("a.example")], ["http://a.example/"])
    assert origins.are_named("http://a.example/x")
    origins.moved("http://a.example/", "https://www.a.example/")
    for url in ("http://a.example/x", "http://www.a.example/x"):
        assert not origins.are_named(url)
    assert origins.are_named("https://www.a.example/x")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('origins = ["https://b.example"]', "origins are addresses of a.example"),
        ('origins = ["a.example:8080"]', "origins are addresses of a.example"),
        ('origins = ["https://a.example/news/"]', "origins are addresses of a.example"),
        ('verify = "no"', "verify is true or false"),
        (
            'login = {page = "https://ann:x@a.example/", user = "ann", password = "$NEWS_KEY"}',
            "page of login is a URL",
        ),
        (
            'login = {page = "a.example/login", user = "ann", password = "$NEWS_KEY"}',
            "page of login is a URL",
        ),
    ],
)
def test_a_rule_that_names_no_address_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, told: str
) -> None:
    monkeypatch.setenv("NEWS_KEY", SECRET)
    file = tmp_path / "access.toml"
    file.write_text(f'[access."a.example"]\n{line}\n')
    with pytest.raises(AccessError, match=told):
        read_access(file)


@contextmanager
def two_servers(folder: Path, plain: Ear, secure: Ear) -> Iterator[tuple[Site, Site]]:
    """The news by https, and by http on the same host."""
    with (
        served(news(plain)) as http,
        served(news(secure), certificate=certificate(folder)) as https,
    ):
        yield http, https


@pytest.mark.parametrize("kind", ["header", "cookies", "login"])
def test_secrets_do_not_follow_a_page_to_http(tmp_path: Path, kind: str) -> None:
    """A page by https that redirected to http on the same host, and a link to it, took headers,
    cookies and the session of a login with them."""
    plain = Ear(missing)

    def away(handler: BaseHTTPRequestHandler) -> None:
        path = urlsplit(handler.path).path
        if path == "/login" and handler.command == "POST":
            send(handler, 200, b"<p>Welcome", Set_Cookie=f"id={SESSION}; Path=/")
        elif path == "/login":
            send(handler, 200, FORM)
        elif path.startswith("/moved"):
            send(handler, 302, b"", Location=f"{http.url}/news/1-a-bridge-opens.html")
        else:
            missing(handler)

    secure = Ear(away)
    with two_servers(tmp_path, plain, secure) as (http, https):
        rule = {
            "header": 'headers = {X-Key = "$NEWS_KEY", Authorization = "$NEWS_KEY"}',
            "cookies": 'cookies = "cookies.json"',
            "login": f'login = {{page = "{https.url}/login", user = "ann", password = "$NEWS_KEY"}}',
        }[kind]
        (tmp_path / "access.toml").write_text(
            f'[access."127.0.0.1"]\nverify = false\n{rule}\n', encoding="utf8"
        )
        cookie = {"domain": "127.0.0.1", "name": "id", "value": SESSION}
        (tmp_path / "cookies.json").write_text(json.dumps([cookie]))
        start = f"{https.url}/news/,{https.url}/moved,{http.url}/news/"
        done = crawled(tmp_path, start, *ACCESS, NEWS_KEY=SECRET)
    assert plain.heard, done.stderr[-2000:]
    assert (SECRET if kind == "header" else SESSION) in secure.sent
    for secret in (SECRET, SESSION):
        assert secret not in plain.sent
        assert secret not in done.stderr + done.stdout
        assert secret.encode() not in kept(tmp_path)


@pytest.mark.parametrize("way", ["307", "308", "form", "page"])
def test_a_password_is_not_sent_to_http(tmp_path: Path, way: str) -> None:
    """A redirect with status 307 or 308 repeated the fields of the form, to http on the same host;
    and a login page could redirect there."""
    plain = Ear(lambda handler: send(handler, 200, FORM))

    def login(handler: BaseHTTPRequestHandler) -> None:
        if handler.path != "/login":
            missing(handler)
        elif handler.command == "POST":
            send(handler, int(way), b"", Location=f"{http.url}/login")
        elif way == "page":
            send(handler, 302, b"", Location=f"{http.url}/login")
        elif way == "form":
            send(handler, 200, FORM.replace(b"action=/login", f"action={http.url}/".encode()))
        else:
            send(handler, 200, FORM)

    with two_servers(tmp_path, plain, Ear(login)) as (http, https):
        (tmp_path / "access.toml").write_text(
            f'[access."127.0.0.1"]\nverify = false\nlogin = {{page = "{https.url}/login", user = "ann", password = "$NEWS_KEY"}}\n'
        )
        start = f"{https.url}/news/,{http.url}/news/"
        done = crawled(tmp_path, start, *ACCESS, NEWS_KEY=SECRET)
    assert SECRET not in plain.sent
    assert "another host, scheme or port" in done.stderr, done.stderr[-2000:]


def test_a_form_that_would_put_the_password_into_a_url_is_not_sent(tmp_path: Path) -> None:
    """It would be in logs, in archives, and in the history of the server."""
    form = FORM.replace(b"method=post", b"method=get")
    site = Ear(lambda handler: send(handler, 200, form))
    with served(news(site)) as found:
        (tmp_path / "access.toml").write_text(
            f'[access."127.0.0.1"]\nlogin = {{page = "{found.url}/login", user = "ann", password = "$NEWS_KEY"}}\n'
        )
        done = crawled(tmp_path, f"{found.url}/news/", *ACCESS, NEWS_KEY=SECRET)
    assert SECRET not in site.sent + done.stderr
    assert "would put the password into a URL" in done.stderr


def test_a_move_to_https_takes_the_secrets_along(tmp_path: Path) -> None:
    plain = Ear(lambda handler: send(handler, 301, b"", Location=https.url + handler.path))
    secure = Ear(missing)
    file = certificate(tmp_path)
    with served({"*": plain}) as http, served(news(secure), certificate=file) as https:
        (tmp_path / "access.toml").write_text(f"{RULE}verify = false\n")
        start = f"{http.url}/news/,{https.url}/x"
        crawled(tmp_path, start, *ACCESS, NEWS_KEY=SECRET)
    assert len(items_of(tmp_path / "out.jsonl")) == 6
    assert all(headers.get("X-Key") == SECRET for _, headers, _ in secure.heard)


def test_the_cache_and_the_archive_of_a_crawl_hold_no_secret(tmp_path: Path) -> None:
    """Scrapy's HTTP cache stores the headers of requests; a login may show what was typed."""

    def login(handler: BaseHTTPRequestHandler) -> None:
        if handler.command == "POST":
            body = f"<p>Welcome, {SECRET}".encode()
            send(handler, 200, body, Set_Cookie=f"id={SESSION}; Path=/", X_Token=SESSION)
        elif handler.path == "/login":
            send(handler, 200, FORM)
        else:
            missing(handler)

    with served(news(Ear(login))) as site:
        (tmp_path / "access.toml").write_text(
            f'{RULE}login = {{page = "{site.url}/login", user = "ann", password = "$NEWS_KEY"}}\n'
        )
        cache = ("-s", "HTTPCACHE_ENABLED=True", "-s", f"HTTPCACHE_DIR={tmp_path / 'cache'}")
        done = crawled(tmp_path, f"{site.url}/news/", *ACCESS, *cache, NEWS_KEY=SECRET)
    assert len(items_of(tmp_path / "out.jsonl")) == 6, done.stderr[-2000:]
    for secret in (SECRET, SESSION):
        assert secret not in done.stderr
        assert secret.encode() not in kept(tmp_path)


def test_the_browser_sends_no_secret_to_another_port(tmp_path: Path) -> None:
    """Cookies of a browser go to every port of their host."""
    other = Ear(lambda handler: send(handler, 200, b"let b = 1;"))
    first = Ear(lambda handler: send(handler, 302, b"", Location=f"{port.url}/landed"))
    with served({"*": other}) as port:
        script = f"<script src='/go'></script><script src='{port.url}/script'></script>"
        pages = {**news(first), "/news/": f"{script}<ul>{LINKS}</ul>".encode()}
        with served(pages) as site:
            rule = f'headers = {{X-Key = "$NEWS_KEY"}}\ncookies = "cookies.json"\norigins = ["{site.url}"]'
            (tmp_path / "access.toml").write_text(f'[access."127.0.0.1"]\n{rule}\n')
            cookie = {"domain": "127.0.0.1", "name": "id", "value": SESSION}
            (tmp_path / "cookies.json").write_text(json.dumps([cookie]))
            words = ("-s", "SITECRAWL_JS=always", "-s", "DOWNLOAD_TIMEOUT=30")
            start = f"{site.url}/news/,{port.url}/page"
            done = crawled(tmp_path, start, *ACCESS, *words, NEWS_KEY=SECRET)
    assert len(items_of(tmp_path / "out.jsonl")) == 6, done.stderr[-2000:]
    assert SESSION in first.sent
    assert SECRET in first.sent
    assert {path for path, _, _ in other.heard} >= {"/page", "/script", "/landed"}
    assert SESSION not in other.sent
    assert SECRET not in other.sent
