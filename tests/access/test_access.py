"""Sites that ask for a login, a cookie, a header or a proxy; and that what is secret reaches nobody
else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs
from urllib.request import urlopen

import pytest
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request
from scrapy.http.cookies import CookieJar
from twisted.python.failure import Failure

from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.extras.access.access_file import (
    Access,
    AccessError,
    read_access,
    read_cookies,
    rule_of,
)
from sitecrawl.extras.fleet.sites_file import read_sites
from sitecrawl.spiders.answers import failed_page
from tests.crawl.runner import FAST, items_of, send, served
from tests.process import finished

SECRET, SESSION = "open-sesame-7", "session-of-ann-3"
LINKS = "".join(
    f'<li><a href="/news/{n}-a-bridge-opens.html">A bridge number {n} opens today</a></li>'
    for n in range(6)
)
FORM = b"""<form action=/search><input name=q></form><form method=post action=/login><input type=hidden name=token value=t1>
<input name=account><input type=password name=word></form>"""


def story(number: int) -> bytes:
    prose = "The bridge, which took four years to build, was opened this morning, and people walked across it. "
    return f"<html><body><h1>A bridge number {number} opens today</h1><p>{prose * 4}</p></body></html>".encode()


class Members:
    """A site that shows its pages to members only, and remembers what it was sent."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, dict[str, str]]] = []
        self.on_page: Callable[[], object] = dict

    def login(self, handler: BaseHTTPRequestHandler) -> None:
        self.heard.append((handler.path, dict(handler.headers)))
        if handler.command == "POST":
            sent = parse_qs(handler.rfile.read(int(handler.headers["Content-Length"])).decode())
            good = sent == {"token": ["t1"], "account": ["ann"], "word": [SECRET]}
            if good:
                send(
                    handler,
                    200,
                    b"<p>Welcome</p>",
                    Set_Cookie=f"id={SESSION}; Path=/",
                )
                return
        send(handler, 200, FORM)

    def page(self, body: bytes, *, needs: tuple[str, str]) -> object:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            self.heard.append((handler.path, dict(handler.headers)))
            self.on_page()
            name, value = needs
            if value in (handler.headers.get(name) or ""):
                send(handler, 200, body)
            else:
                send(handler, 403, b"members only")

        return answer


@contextmanager
def members(*needs: str) -> Iterator[tuple[str, Members]]:
    site = Members()
    pages = {f"/news/{n}-a-bridge-opens.html": site.page(story(n), needs=needs) for n in range(6)}  # type: ignore[arg-type]
    pages |= {"/news/": site.page(f"<ul>{LINKS}</ul>".encode(), needs=needs), "/login": site.login}  # type: ignore[arg-type]
    with served(pages) as found:  # type: ignore[arg-type]
        yield found.url, site


def crawled(
    folder: Path, start: str, *words: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    line = [
        sys.executable,
        "-m",
        "sitecrawl",
        "crawl",
        start,
        "-O",
        str(folder / "out.jsonl"),
        *FAST,
        *words,
    ]
    given = [
        "-s",
        f"SITECRAWL_DATA_DIR={folder / 'state'}",
        "-s",
        "LOG_LEVEL=DEBUG",
        "-s",
        f"SITECRAWL_WARC={folder / 'warc'}",
    ]
    return finished([*line, *given], cwd=folder, env=os.environ | environment)


def kept(folder: Path) -> bytes:
    """All that a crawl wrote, unpacked."""
    import gzip

    return b"".join(
        gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and file.name not in ("access.toml", "cookies.txt", "cookies.json")
    )


def test_a_login_form_is_filled_in_and_nothing_secret_is_kept(tmp_path: Path) -> None:
    with members("Cookie", f"id={SESSION}") as (url, _):
        (tmp_path / "access.toml").write_text(
            f'[access."127.0.0.1"]\nlogin = {{page = "{url}/login", user = "ann", password = "$NEWS_PASSWORD"}}\n'
        )
        done = crawled(
            tmp_path, f"{url}/news/", "-s", "SITECRAWL_ACCESS=access.toml", NEWS_PASSWORD=SECRET
        )
        assert len(items_of(tmp_path / "out.jsonl")) == 6, done.stderr[-2000:]
        wrong = crawled(
            tmp_path, f"{url}/news/", "-s", "SITECRAWL_ACCESS=access.toml", NEWS_PASSWORD="guess"
        )
    assert wrong.returncode == 1
    assert f"the login at {url}/login failed" in wrong.stderr
    for secret in (SECRET, SESSION):
        assert secret not in done.stderr + done.stdout
        assert secret.encode() not in kept(tmp_path)


@pytest.mark.parametrize("form", ["netscape", "json"])
def test_cookies_of_a_file_are_sent_to_their_host_only(tmp_path: Path, form: str) -> None:
    cookies = [
        {"domain": "127.0.0.1", "name": "id", "value": SESSION, "path": "/"},
        {"domain": ".other.example", "name": "no", "value": "x"},
    ]
    lines = "".join(
        f"{one['domain']}\t{str(one['domain'].startswith('.')).upper()}\t/\tFALSE\t0\t{one['name']}\t{one['value']}\n"
        for one in cookies
    )
    file = tmp_path / ("cookies.txt" if form == "netscape" else "cookies.json")
    file.write_text(
        f"# Netscape HTTP Cookie File\n{lines}" if form == "netscape" else json.dumps(cookies)
    )
    with members("Cookie", f"id={SESSION}") as (url, site):
        done = crawled(tmp_path, f"{url}/news/", "-a", f"cookies={file}")
        assert len(items_of(tmp_path / "out.jsonl")) == 6, done.stderr[-2000:]
    assert {headers.get("Cookie") for _, headers in site.heard} == {f"id={SESSION}"}
    assert SESSION not in done.stderr
    assert SESSION.encode() not in kept(tmp_path)
    jar = CookieJar()
    read_cookies(file, jar.jar)
    for host, sent in (
        ("https://a.other.example/", b"no=x"),
        ("https://other.example.evil/", None),
    ):
        request = Request(host)
        jar.add_cookie_header(request)
        assert request.headers.get("Cookie") == sent


def test_headers_go_to_the_hosts_of_the_rule_only(tmp_path: Path) -> None:
    rules = '[access.localhost]\nuser_agent = "ours/1"\nheaders = {X-Key = "$NEWS_KEY"}\n'
    (tmp_path / "access.toml").write_text(rules)
    with members("X-Key", "") as (url, site):
        crawled(tmp_path, f"{url}/news/", "-s", "SITECRAWL_ACCESS=access.toml", NEWS_KEY=SECRET)
    assert site.heard
    assert not [
        headers
        for _, headers in site.heard
        if "X-Key" in headers or headers["User-Agent"] == "ours/1"
    ]
    (tmp_path / "access.toml").write_text(rules.replace("localhost", '"127.0.0.1"'))
    with members("X-Key", SECRET) as (url, site):
        done = crawled(
            tmp_path, f"{url}/news/", "-s", "SITECRAWL_ACCESS=access.toml", NEWS_KEY=SECRET
        )
    assert len(items_of(tmp_path / "out.jsonl")) == 6, done.stderr[-2000:]
    assert {headers["User-Agent"] for _, headers in site.heard} == {"ours/1"}
    assert SECRET not in done.stderr
    assert SECRET.encode() not in kept(tmp_path)


@pytest.mark.parametrize(
    ("url", "agent"),
    [
        ("http://a.example:8080/", "domain"),
        ("http://www.a.example/", "domain"),
        ("http://old.forum.a.example/", "forum"),
        ("http://xn--bcher-kva.example/", "books"),
        ("http://[::1]:8080/", "loopback"),
        ("http://aa.example/", None),
    ],
)
def test_the_rule_of_a_host_comes_before_that_of_its_domain(
    tmp_path: Path, url: str, agent: str | None
) -> None:
    """The first rule of the file counted, and names with capitals, with other letters than ASCII,
    or in brackets matched no host."""
    file = tmp_path / "access.toml"
    names = {
        "A.Example": "domain",
        "forum.a.example": "forum",
        "bücher.example": "books",
        "[::1]": "loopback",
    }
    tables = [f'[access."{name}"]\nuser_agent = "{agent}"' for name, agent in names.items()]
    file.write_text("\n".join(tables), encoding="utf8")
    rule = rule_of(read_access(file), url)
    assert (rule and rule.user_agent) == agent


def test_proxies_take_turns(tmp_path: Path) -> None:
    heard: list[tuple[int, str | None]] = []

    def proxy(number: int) -> object:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            heard.append((number, handler.headers.get("Proxy-Authorization")))
            try:
                with urlopen(handler.path, timeout=5) as found:
                    send(handler, found.status, found.read())
            except HTTPError as error:
                send(handler, error.code, b"")

        return answer

    pages = [f"/news/{n}-a-bridge-opens.html" for n in range(6)]
    with ExitStack() as open_servers:
        url, _ = open_servers.enter_context(members("User-Agent", ""))
        asked = [f"{url}{path}" for path in ("/robots.txt", "/news/", *pages)]
        found = [
            open_servers.enter_context(served({one: proxy(n) for one in asked})) for n in range(2)
        ]  # type: ignore[misc]
        names = ", ".join(f'"{one.url}"' for one in found[:1])
        (tmp_path / "access.toml").write_text(
            f'[access."127.0.0.1"]\nproxies = [{names}, "$SECOND"]\n'
        )
        second = found[1].url.replace("http://", f"http://ann:{SECRET}@")
        done = crawled(
            tmp_path, f"{url}/news/", "-s", "SITECRAWL_ACCESS=access.toml", SECOND=second
        )
    assert len(items_of(tmp_path / "out.jsonl")) == 6, done.stderr[-2000:]
    assert {number for number, _ in heard} == {0, 1}
    assert {bool(secret) for number, secret in heard if number == 1} == {True}
    assert {secret for number, secret in heard if number == 0} == {None}
    assert SECRET not in done.stderr
    assert SECRET.encode() not in kept(tmp_path)


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ("[access.a]\nheader = 1", "no key header: choose from cookies, headers"),
        (
            '[access.a]\nheaders = {A = "$NOT_SET_ANYWHERE"}',
            r"\$NOT_SET_ANYWHERE is not set in the environment",
        ),
        (
            '[access.a]\nlogin = {page = "http://a/", user = "b", password = "c"}',
            "the password is \\$NAME",
        ),
        ("[access", "correct it"),
        (
            '[acces."a"]\nuser_agent = "b"',
            "no table",
        ),  # else the crawl would go without it, and nobody would notice
        ('[access."http://a/"]\nuser_agent = "b"', "the name of a host"),
        ('[access."a.example:8080"]\nuser_agent = "b"', "without a port"),
        ('[access."*.a.example"]\nuser_agent = "b"', "the name of a host"),
    ],
)
def test_rules_that_cannot_be_used_end_the_crawl_in_one_line(
    tmp_path: Path, rules: str, told: str
) -> None:
    file = tmp_path / "access.toml"
    file.write_text(rules)
    with pytest.raises(AccessError, match=told):
        read_access(file)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("missing.txt", "no such file"),
        ("own.txt", "no cookies in Netscape or JSON form"),
        ("none.json", "no cookies in Netscape or JSON form"),
        ("none.txt", "no cookies in Netscape or JSON form"),
    ],
)
def test_a_crawl_without_its_rules_reads_nothing(tmp_path: Path, name: str, told: str) -> None:
    (tmp_path / "own.txt").write_text("a line that is no cookie\n")
    (tmp_path / "none.json").write_text("[]")
    (tmp_path / "none.txt").write_text("# Netscape HTTP Cookie File\n")
    with members("User-Agent", "") as (url, site):
        done = crawled(tmp_path, f"{url}/news/", "-a", f"cookies={tmp_path / name}")
    assert done.returncode == 2
    assert f"the crawl could not begin: cookie file {tmp_path / name}: {told}" in done.stderr
    assert site.heard == []


def test_rules_may_stand_in_the_file_of_sites(tmp_path: Path) -> None:
    file = tmp_path / "sites.toml"
    file.write_text(
        '[access."a.example"]\nuser_agent = "ours/1"\n[[site]]\nstart = "http://a.example/"\n'
    )
    assert read_sites(file).sites[0].wishes.settings == {"SITECRAWL_ACCESS": str(file)}
    assert [rule.covers("www.a.example") for rule in read_access(file)] == [True]
    assert not Access("a.example").covers("ba.example")


SHELL = """<html><body><div id=root></div><script>
fetch('/data' + location.pathname).then(answer => answer.text()).then(page => { document.getElementById('root').innerHTML = page; });
</script><script src='/go'></script><iframe src='FOREIGN/frame'></iframe></body></html>"""
BROWSER = ("-s", "SITECRAWL_ACCESS=access.toml", "-s", "DOWNLOAD_TIMEOUT=30")


@contextmanager
def drawn(*needs: str) -> Iterator[tuple[str, Members, Members]]:
    """The site of :func:`members`, drawn by scripts whose requests need what its pages need: its
    start pages, what it hears, and what another host hears, to which it redirects a page and a
    script, and of which it has a frame."""
    site, other = Members(), Members()
    bodies = {f"/news/{n}-a-bridge-opens.html": story(n) for n in range(6)} | {
        "/news/": f"<ul>{LINKS}</ul>".encode()
    }
    with served(
        {"*": other.page(b"<p>elsewhere", needs=("Host", ""))}, host="127.0.0.2"
    ) as foreign:  # type: ignore[dict-item]
        shell = SHELL.replace("FOREIGN", foreign.url).encode()
        pages = {path: site.page(shell, needs=needs) for path in bodies}  # type: ignore[arg-type]
        pages |= {f"/data{path}": site.page(body, needs=needs) for path, body in bodies.items()}  # type: ignore[arg-type]
        pages |= {
            path: lambda one: send(one, 302, b"", Location=f"{foreign.url}/landed")
            for path in ("/go", "/moved")
        }
        with served(pages | {"/login": site.login}) as found:  # type: ignore[arg-type]
            yield f"{found.url}/news/,{found.url}/moved,{foreign.url}/", site, other


def command_lines() -> bytes:
    """What ``ps`` shows."""
    found = b""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found += file.read_bytes()
    return found


@pytest.mark.parametrize("way", ["login", "cookies", "headers"])
def test_the_browser_is_let_in_and_nothing_secret_is_kept(tmp_path: Path, way: str) -> None:
    needs = ("X-Key", SECRET) if way == "headers" else ("Cookie", f"id={SESSION}")
    shown: list[bytes] = []
    with drawn(*needs) as (start, site, other):
        url = start.partition("/news/")[0]
        rule = {
            "login": f'login = {{page = "{url}/login", user = "ann", password = "$NEWS_SECRET"}}',
            "cookies": 'cookies = "cookies.json"',
            "headers": 'user_agent = "ours/1"\nheaders = {X-Key = "$NEWS_SECRET"}',
        }[way]
        (tmp_path / "access.toml").write_text(f'[access."127.0.0.1"]\n{rule}\n')
        cookie = {"domain": "127.0.0.1", "name": "id", "value": SESSION, "path": "/"}
        (tmp_path / "cookies.json").write_text(json.dumps([cookie]))
        other.on_page = lambda: shown.append(command_lines())
        always = ("-s", "SITECRAWL_JS=always") if way == "headers" else ()
        done = crawled(tmp_path, start, *BROWSER, *always, NEWS_SECRET=SECRET)
    items = items_of(tmp_path / "out.jsonl")
    assert len(items) == 6, done.stderr[-3000:]
    assert all("people walked across it" in item["articleBody"] for item in items)
    let_in = {path for path, headers in site.heard if needs[1] in headers.get(needs[0], "")}
    assert let_in >= {"/news/", "/data/news/", "/data/news/5-a-bridge-opens.html"}
    if way == "headers":
        assert {headers["User-Agent"] for _, headers in site.heard} == {"ours/1"}
    assert {path for path, _ in other.heard} >= {"/frame", "/landed"}
    for _, headers in other.heard:
        assert not {"X-Key", "Cookie"} & {*headers}
        assert headers["User-Agent"] != "ours/1"
    assert b"--proxy-server" in b"".join(shown)
    for secret in (SECRET, SESSION):
        assert secret not in done.stderr + done.stdout
        assert secret.encode() not in kept(tmp_path) + b"".join(shown)


def test_the_browser_goes_through_the_proxies_of_a_host(tmp_path: Path) -> None:
    heard: list[tuple[str, str | None]] = []

    def proxy(handler: BaseHTTPRequestHandler) -> None:
        heard.append((handler.path, handler.headers.get("Proxy-Authorization")))
        try:
            with urlopen(handler.path, timeout=5) as found:
                send(handler, found.status, found.read())
        except HTTPError as error:
            send(handler, error.code, b"")

    with drawn("Host", "") as (start, _, _), served({"*": proxy}) as one:
        given = one.url.replace("http://", f"http://ann:{SECRET}@")
        (tmp_path / "access.toml").write_text('[access."127.0.0.1"]\nproxies = ["$PROXY"]\n')
        done = crawled(tmp_path, start, *BROWSER, PROXY=given)
    assert len(items_of(tmp_path / "out.jsonl")) == 6, done.stderr[-2000:]
    assert any("/data/news/5-" in path for path, _ in heard)
    assert all(secret for _, secret in heard)
    assert not any("127.0.0.2" in path for path, _ in heard)
    assert SECRET not in done.stderr
    assert SECRET.encode() not in kept(tmp_path)


class Doors(Members):
    """A site whose logins last for ``last`` pages; then it shows its login form for every page.
    Login and form may redirect."""

    def __init__(self, last: int, *, status: int = 200, moved: bool = False) -> None:
        super().__init__()
        self.last, self.status, self.moved, self.logins, self.left, self.away = (
            last,
            status,
            moved,
            0,
            0,
            "",
        )

    def form(self, handler: BaseHTTPRequestHandler) -> None:
        prose = (
            b"<title>Log in</title><h1>Log in</h1>"
            + b"<p>Members read all stories of our town on all of their screens.</p>" * 20
        )
        send(handler, self.status, prose + FORM.replace(b"/login", b"/enter"))

    def login(self, handler: BaseHTTPRequestHandler) -> None:
        if handler.command != "POST":
            self.form(handler)
            return
        sent = parse_qs(handler.rfile.read(int(handler.headers["Content-Length"])).decode())
        if self.away:
            send(handler, 307, b"", Location=self.away)
            return
        if sent["word"] != [SECRET]:
            send(handler, 302, b"", Location="/enter?failed=1")
            return
        self.logins, self.left = self.logins + 1, self.last
        send(handler, 302, b"", Location="/", Set_Cookie=f"id={self.logins}; Path=/")

    def guarded(self, body: bytes) -> Callable[[BaseHTTPRequestHandler], None]:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            if f"id={self.logins}" not in (handler.headers.get("Cookie") or "") or not self.left:
                if self.moved:
                    send(handler, 302, b"", Location=f"/enter?next={handler.path}")
                else:
                    self.form(handler)
                return
            self.left -= 1
            send(handler, 200, body)

        return answer


@contextmanager
def doors(site: Doors) -> Iterator[str]:
    pages: dict[str, Any] = {
        f"/news/{n}-a-bridge-opens.html": site.guarded(story(n)) for n in range(6)
    }
    pages |= {
        "/news/": site.guarded(f"<ul>{LINKS}</ul>".encode()),
        "/": b"<p>Welcome",
        "*": site.login,
    }
    pages["/login"] = lambda handler: send(handler, 301, b"", Location="/enter")
    with served(pages) as found:
        yield found.url


def let_in(
    folder: Path, url: str, password: str = SECRET, *, start: str = "", more: str = ""
) -> subprocess.CompletedProcess[str]:
    rule = f'login = {{page = "{url}/login", user = "ann", password = "$NEWS_PASSWORD"}}'
    (folder / "access.toml").write_text(f'[access."127.0.0.1"]\n{rule}\n{more}\n')
    return crawled(
        folder,
        start or f"{url}/news/",
        "-s",
        "SITECRAWL_ACCESS=access.toml",
        NEWS_PASSWORD=password,
    )


@pytest.mark.parametrize("site", [Doors(5), Doors(5, status=401), Doors(5, moved=True)])
def test_a_login_that_ends_during_the_crawl_is_renewed(tmp_path: Path, site: Doors) -> None:
    with doors(site) as url:
        done = let_in(tmp_path, url)
    items = items_of(tmp_path / "out.jsonl")
    assert len(items) == 6, done.stderr[-2000:]
    assert all("people walked across it" in item["articleBody"] for item in items)
    assert site.logins == 2


def test_a_login_that_does_not_last_is_told_and_its_pages_are_asked_for_again(
    tmp_path: Path,
) -> None:
    site = Doors(1)
    with doors(site) as url:
        first = let_in(tmp_path, url)
        written = {item["url"] for item in items_of(tmp_path / "out.jsonl")}
        logins, site.last = site.logins, 100
        let_in(tmp_path, url)
    told = f"5 articles could not be fetched (the login does not last ({url}/login))"
    assert told in first.stderr, first.stderr[-2000:]
    assert logins == 2
    assert len(written) == 1
    assert len({item["url"] for item in items_of(tmp_path / "out.jsonl")} - written) == 5


def test_a_wrong_password_is_told_where_the_site_redirects_to_its_form(tmp_path: Path) -> None:
    with doors(Doors(100)) as url:
        done = let_in(tmp_path, url, "guess")
    assert done.returncode == 1
    assert f"the login at {url}/login failed" in done.stderr


@pytest.mark.parametrize(
    "said",
    ["the login at http://a/ failed", "no login form at http://a/", "the login does not last (x)"],
)
def test_pages_of_a_login_that_fails_are_requested_again(said: str) -> None:
    """The login page may be down while a login is renewed."""
    assert failed_page(
        Failure(IgnoreRequest(said)), RequestContext("http://a/b", Role.ARTICLE)
    ).may_pass


def test_a_password_is_not_redirected_to_another_host(tmp_path: Path) -> None:
    site = Doors(100)
    with served({"*": b"thanks"}, host="127.0.0.2") as other, doors(site) as url:
        site.away = f"{other.url}/"
        (tmp_path / "access.toml").write_text(
            f'[access."127.0.0.1"]\nlogin = {{page = "{url}/login", user = "ann", password = "$NEWS_PASSWORD"}}\n'
        )
        words = (f"{url}/news/,{other.url}/news/", "-s", "SITECRAWL_ACCESS=access.toml")
        done = crawled(tmp_path, *words, NEWS_PASSWORD=SECRET)
    assert "the login is sent on to another host" in done.stderr, done.stderr[-2000:]
    assert "/" not in other.asked


def test_a_password_is_not_redirected_to_another_host_of_the_rules(tmp_path: Path) -> None:
    site, sent = Doors(100), list[bytes]()

    def take(handler: BaseHTTPRequestHandler) -> None:
        sent.append(handler.rfile.read(int(handler.headers.get("Content-Length") or 0)))
        send(handler, 200, b"thanks")

    with served({"*": take}, host="127.0.0.2") as other, doors(site) as url:
        site.away = f"{other.url}/"
        done = let_in(
            tmp_path,
            url,
            start=f"{url}/news/,{other.url}/news/",
            more='[access."127.0.0.2"]\nuser_agent = "x"',
        )
    assert "the login is sent on to another host" in done.stderr, done.stderr[-2000:]
    assert not any(sent)


def test_a_page_that_redirects_to_a_host_without_a_login_is_read(tmp_path: Path) -> None:
    site, path = Doors(100), "/news/0-a-bridge-opens.html"
    pages: dict[str, Any] = {
        "/news/": site.guarded(f"<ul>{LINKS}</ul>".encode()),
        "/": b"<p>Welcome",
        "*": site.login,
    }
    with served({path: story(0)}, host="127.0.0.2") as other:
        pages |= {f"/news/{n}-a-bridge-opens.html": site.guarded(story(n)) for n in range(6)}
        pages[path] = lambda handler: send(handler, 302, b"", Location=other.url + path)
        with served(pages) as found:
            start = f"{found.url}/news/,{other.url}/"
            done = let_in(
                tmp_path, found.url, start=start, more='[access."127.0.0.2"]\nuser_agent = "x"'
            )
    assert len(items_of(tmp_path / "out.jsonl")) == 6, done.stderr[-2000:]


@pytest.mark.parametrize("form", [0, 3, 6])
def test_pages_that_show_the_login_form_to_members_too_are_read(tmp_path: Path, form: int) -> None:
    """A cache serves the pages before number ``form``, with the login form in their headers."""
    site = Doors(100)
    head = b"<title>A bridge opens today</title>" + FORM.replace(b"/login", b"/enter")
    bodies = {f"/news/{n}-a-bridge-opens.html": story(n) for n in range(6)} | {
        "/news/": f"<ul>{LINKS}</ul>".encode()
    }
    pages: dict[str, Any] = {path: head + body for path, body in bodies.items()}
    pages |= {path: site.guarded(body) for path, body in [*bodies.items()][form:6]}
    with served(pages | {"/": b"<p>Welcome", "*": site.login}) as found:
        done = let_in(tmp_path, found.url)
    assert len(items_of(tmp_path / "out.jsonl")) == 6, done.stderr[-2000:]
    assert site.logins <= 2


def test_cookies_of_a_redirect_are_kept(tmp_path: Path) -> None:
    """A site that sends every reader once through a page which sets a cookie."""

    def gate(body: bytes) -> Callable[[BaseHTTPRequestHandler], None]:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            known = "seen=1" in (handler.headers.get("Cookie") or "")
            send(handler, 200 if known else 302, body, Location=f"/gate?{handler.path}")

        return answer

    pages: dict[str, Any] = {f"/news/{n}-a-bridge-opens.html": gate(story(n)) for n in range(6)}
    pages["/news/"] = gate(f"<ul>{LINKS}</ul>".encode())
    pages["*"] = lambda handler: send(
        handler, 302, b"", Location=handler.path.partition("?")[2], Set_Cookie="seen=1; Path=/"
    )
    (tmp_path / "access.toml").write_text('[access."127.0.0.1"]\nheaders = {X-Key = "1"}\n')
    with served(pages) as site:
        done = crawled(tmp_path, f"{site.url}/news/", "-s", "SITECRAWL_ACCESS=access.toml")
    assert len(items_of(tmp_path / "out.jsonl")) == 6, done.stderr[-2000:]
