"""Sites that JavaScript draws, in a real Chromium. Without one these tests fail: `make test`
installs it."""

from __future__ import annotations

import json
import signal
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser

from sitecrawl.extras.browser.scrolling import SCRIPT
from tests.browser.test_scroll import BLOCKED
from tests.crawl.runner import Answer, Run, command, crawl, items_of, send, served
from tests.crawl.test_interrupt import run_for
from tests.pages import article_page, listing_page

INFO = ("-s", "LOG_LEVEL=INFO")
SLOW = ("-s", "DOWNLOAD_TIMEOUT=30")
SHELL = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>The Example</title></head><body>
<div id="root"></div><script>
fetch('/api' + location.pathname).then(answer => answer.json()).then(page => {{
  document.title = page.title; document.getElementById('root').innerHTML = page.html;
}}); {more}
</script></body></html>"""


def drawn(page: str, more: str = "") -> tuple[bytes, Answer]:
    """A page as a site of scripts serves it: the shell, and the data that its script asks for."""
    title = page.partition("<title>")[2].partition("</title>")[0]
    body = page.partition("<body>")[2].partition("</body>")[0]
    data = json.dumps({"title": title, "html": body}).encode()
    return SHELL.format(more=more).encode(), lambda handler: send(
        handler, 200, data, Content_Type="application/json"
    )


def site_of_scripts(count: int = 6, more: str = "") -> dict[str, bytes | Answer]:
    pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(count)} | {
        "/": listing_page(range(count))
    }
    found: dict[str, bytes | Answer] = {}
    for path, page in pages.items():
        found[path], found[f"/api{path}"] = drawn(page, more)
    return found


def paths(run: Run) -> list[str]:
    return sorted(urlsplit(url).path for url in run.urls)


ALL = [f"/2024/05/a-{n}.html" for n in range(6)]


def test_a_site_that_scripts_draw_is_crawled_again_and_refreshed(tmp_path: Path) -> None:
    pages = site_of_scripts()
    with served(pages) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", *SLOW, *INFO)
        asked = site.asked[:]
        again = crawl(f"{site.url}/", tmp_path / "out.jsonl", *SLOW)
        asked_again = site.asked[len(asked) :]
        mended = article_page(3).replace(
            "the first paragraph", "the mended and much longer first paragraph"
        )
        pages[ALL[3]], pages[f"/api{ALL[3]}"] = drawn(mended)
        fresh = crawl(f"{site.url}/", tmp_path / "out.jsonl", *SLOW, "-a", "refresh=1")
    assert run.code == 0
    assert paths(run) == ALL
    for item in run.items:
        number = urlsplit(item["url"]).path.split("-")[1].removesuffix(".html")
        assert item["headline"] == f"Harbour bridge number {number} opens to cyclists"
        assert item["articleBody"].startswith(f"This is the first paragraph of story {number}")
    assert "'sitecrawl/js/pages'" in run.said
    assert asked.count("/") == 2
    assert (again.code, again.items) == (0, [])
    assert asked_again.count("/") == 1
    assert [(urlsplit(item["url"]).path, item["revision"]) for item in fresh.items] == [(ALL[3], 2)]


def test_never_means_never_and_a_plain_site_needs_no_browser(tmp_path: Path) -> None:
    with served(site_of_scripts()) as site:
        never = crawl(
            f"{site.url}/", tmp_path / "never" / "out.jsonl", *INFO, "-s", "SITECRAWL_JS=never"
        )
    assert never.items == []
    assert "sitecrawl/js" not in never.said
    script = "<script>document.title = 'read';</script></head>"
    pages: dict[str, bytes | Answer] = {
        path: article_page(n).replace("</head>", script).encode() for n, path in enumerate(ALL)
    }
    with served(pages | {"/": listing_page(range(6)).replace("</head>", script).encode()}) as site:
        plain = crawl(f"{site.url}/", tmp_path / "out.jsonl", *INFO)
    assert paths(plain) == ALL
    assert "sitecrawl/js" not in plain.said


def test_article_links_of_the_shell_do_not_hide_what_scripts_draw(tmp_path: Path) -> None:
    pages = site_of_scripts()
    rows = "".join(
        f'<div class="teaser"><h2><a href="/2023/01/z-{n}.html">Story {n} that is gone since long</a></h2></div>'
        for n in range(5)
    )
    shell = pages["/"]
    assert isinstance(shell, bytes)
    pages["/"] = shell.replace(b'<div id="root">', f'{rows}<div id="root">'.encode())
    with served(pages) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", *SLOW)
    assert paths(run) == ALL


def test_the_user_hears_that_a_browser_is_missing(tmp_path: Path) -> None:
    with served(site_of_scripts()) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", "-s", "SITECRAWL_CHROMIUM=/no/browser")
    assert (run.code, run.items) == (0, [])
    assert "install Chromium and the extra js" in run.said


def test_always(tmp_path: Path) -> None:
    pages: dict[str, bytes | Answer] = {
        path: article_page(n).encode() for n, path in enumerate(ALL)
    }
    with served(pages | {"/": listing_page(range(6)).encode()}) as site:
        run = crawl(
            f"{site.url}/", tmp_path / "out.jsonl", *SLOW, *INFO, "-s", "SITECRAWL_JS=always"
        )
    assert paths(run) == ALL
    assert "'sitecrawl/pages/article': 6" in run.said
    assert "'sitecrawl/js/pages': " in run.said


def test_scripts_reach_no_private_address_and_no_foreign_scheme(tmp_path: Path) -> None:
    with served({"/secret": b"inside", "/frame": b"inside"}, host="127.0.0.2") as house:
        more = f"""
const put = text => {{ const p = document.createElement('p'); p.textContent = text; document.body.append(p); }};
fetch('{house.url}/secret', {{mode: 'no-cors'}}).catch(() => 0);
fetch('/away').then(a => a.text()).then(put).catch(() => 0);
fetch('http://localhost:{urlsplit(house.url).port}/secret', {{mode: 'no-cors'}}).catch(() => 0);
fetch('file:///etc/hostname').then(a => a.text()).then(put).catch(() => 0);
try {{ new WebSocket('{house.url.replace("http", "ws")}/secret'); }} catch (e) {{}}
for (const src of ['{house.url}/frame', 'file:///etc/hostname', '/away']) {{
  const frame = document.createElement('iframe'); frame.src = src; document.body.append(frame); }}
window.open('{house.url}/secret');
navigator.sendBeacon('{house.url}/secret', 'x');
new Worker(URL.createObjectURL(new Blob(["fetch('{house.url}/secret', {{mode: 'no-cors'}})"])));
"""
        pages = site_of_scripts(3, more)
        pages["/away"] = lambda handler: send(handler, 302, b"", Location=f"{house.url}/secret")
        with served(pages) as site:
            run = crawl(f"{site.url}/", tmp_path / "out.jsonl", *SLOW, *INFO)
            assert "/away" in site.asked
        assert house.asked == []
    assert paths(run) == ALL[:3]
    assert "'sitecrawl/refused/browser'" in run.said
    assert not any("inside" in item["articleBody"] for item in run.items)


def hang(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(40)


def test_pages_that_never_rest_or_never_answer(tmp_path: Path) -> None:
    pages = site_of_scripts(5)
    pages["/hang.js"] = pages["/hang"] = hang
    endless = (
        "<script src='/hang.js'></script><script>setInterval(() => fetch('/'), 100)</script></body>"
    )
    for path, harm in ((ALL[1], endless), (ALL[2], f"<script>{BLOCKED}</script></body>")):
        pages[path] = SHELL.format(more="").replace("</body>", harm).encode()
    with served(pages) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", "-s", "DOWNLOAD_TIMEOUT=8")
    assert (run.code, run.said.count("the browser failed on")) == (0, 1), run.said
    assert "the browser failed on 1 page: articles that scripts show may be missing" in run.said
    assert {ALL[0], ALL[1], ALL[3], ALL[4]} <= set(paths(run))


def test_a_killed_crawl_goes_on(tmp_path: Path) -> None:
    feed = tmp_path / "out.jsonl"
    with served(site_of_scripts(12)) as site:
        line = command(f"{site.url}/", feed, "-o", str(feed), *SLOW)
        for seconds in (1.5, 3.5):
            run_for(seconds, signal.SIGKILL, line)
        run = crawl(f"{site.url}/", feed, "-o", str(feed), *SLOW)
    assert run.code == 0
    assert sorted(urlsplit(item["url"]).path for item in items_of(feed)) == sorted(
        f"/2024/05/a-{n}.html" for n in range(12)
    )


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["SITECRAWL_JS=sometimes"], "choose from auto, never, always"),
        (["SITECRAWL_JS=always", "SITECRAWL_CHROMIUM=/no/browser"], "needs a browser"),
    ],
)
def test_settings_that_cannot_be_used(tmp_path: Path, settings: list[str], words: str) -> None:
    given = [part for setting in settings for part in ("-s", setting)]
    run = crawl("http://127.0.0.1:9/", tmp_path / "out.jsonl", *given)
    assert run.code == 2
    assert words in run.said


def test_text_that_comes_after_a_while_is_awaited(tmp_path: Path) -> None:
    """Scripts with a timer, of which no request tells that they are not done."""
    pages: dict[str, bytes | Answer] = {}
    whole = {"/": listing_page(range(3))} | {
        path: article_page(n) for n, path in enumerate(ALL[:3])
    }
    for path, page in whole.items():
        body = json.dumps(page.partition("<body>")[2].partition("</body>")[0])
        later = f"setTimeout(() => {{ document.body.innerHTML = {body}; }}, 2000);"
        pages[path] = (
            f"<!doctype html><title>The Example</title><body><script>{later}</script></body>".encode()
        )
    with served(pages) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", *SLOW, "-s", "SITECRAWL_JS=always")
    assert paths(run) == ALL[:3]
    assert all(item["articleBody"].startswith("This is the first paragraph") for item in run.items)


def test_hidden_links_do_not_count_against_the_text_of_a_page(browser: Browser) -> None:
    """Each page with a menu that opens on a click was waited for five seconds more, however long
    its text was."""
    menu = "<a href=/m>An entry of the menu</a> " * 30
    page = browser.new_page()
    for hidden, text, has_text in (
        ("hidden", 400, True),
        ("hidden", 200, False),
        ("", 400, True),
        ("", 200, False),
    ):
        page.set_content(f"<nav {hidden}>{menu}</nav><p>{'word ' * (text // 5)}</p>")
        assert page.evaluate(SCRIPT, "text") is has_text
    page.close()


def test_lists_and_texts_in_shadow_trees_are_read(tmp_path: Path) -> None:
    whole = {"/": listing_page(range(6))} | {path: article_page(n) for n, path in enumerate(ALL)}
    pages: dict[str, bytes | Answer] = {}
    for path, page in whole.items():
        body = json.dumps(page.partition("<body>")[2].partition("</body>")[0])
        script = (
            f"document.querySelector('x-page').attachShadow({{mode: 'open'}}).innerHTML = {body};"
        )
        pages[path] = (
            f"<!doctype html><title>The Example</title><body><x-page></x-page><script>{script}</script></body>".encode()
        )
    with served(pages) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", *SLOW)
    assert paths(run) == ALL
    assert all(item["articleBody"].startswith("This is the first paragraph") for item in run.items)


def test_pages_that_forbid_evaluated_scripts_are_read(tmp_path: Path) -> None:
    """A Content-Security-Policy without ``unsafe-eval``, as many news sites send it."""

    def strict(page: str) -> Answer:
        policy = "default-src 'self'; script-src 'self'"
        return lambda handler: send(handler, 200, page.encode(), Content_Security_Policy=policy)

    pages: dict[str, bytes | Answer] = {
        path: strict(article_page(n)) for n, path in enumerate(ALL[:3])
    }
    with served(pages | {"/": strict(listing_page(range(3)))}) as site:
        run = crawl(
            f"{site.url}/",
            tmp_path / "out.jsonl",
            *SLOW,
            "-s",
            "SITECRAWL_JS=always",
            "-s",
            "LOG_LEVEL=INFO",
        )
    assert paths(run) == ALL[:3]
    assert "sitecrawl/js/failed" not in run.said
    assert "sitecrawl/js/pages" in run.said
