"""An editor that is served, a browser page that has it open, and a page that attacks it."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from playwright.sync_api import Browser, Page, expect

from sitecrawl.extras.editor.server import EditorServer
from tests.process import Started

HOSTILE = """<html><head><base target="_top"><link rel=stylesheet href="http://evil.example/x.css">
<meta http-equiv=refresh content="0;url=http://evil.example/"><style>@import 'http://evil.example/y.css'; body{display:none}</style></head>
<body onload="document.title='stolen'" data-number="1"><script>document.title='stolen'</script>
<img src="http://evil.example/p.png" onerror="document.title='stolen'"><svg onload="document.title='stolen'"><script>document.title='stolen'</script></svg>
<iframe srcdoc="<script>parent.document.title='stolen'</script>"></iframe><iframe src="http://evil.example/"></iframe>
<form action="http://evil.example/" id=score><input name=brush value=evil checked><button id=save>Save</button></form>
<a href="javascript:document.title='stolen'">run me</a> <a href="/a.html" onclick="document.title='stolen'" target=_top ping="http://evil.example/">read me, please</a>
<p>&lt;script&gt;document.title='stolen'&lt;/script&gt; <a href="/b.html"><b>bold</b></a></p>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=document.title='stolen'&gt;"></table></mtext></math></body></html>"""


def served(editor: EditorServer) -> Iterator[EditorServer]:
    """Answers requests in a thread until the test ends."""
    Thread(target=editor.serve_forever, daemon=True).start()
    yield editor
    editor.shutdown()


def opened(browser: Browser, editor: EditorServer, score: str) -> Iterator[Page]:
    """The editor's first page once its score is there; fails on a script error and on a request to
    anywhere else."""
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    faults: list[str] = []
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    page.goto(editor.url)
    expect(page.locator("#score")).to_contain_text(score)
    yield page
    assert not faults
    assert [
        url
        for url in asked
        if not url.startswith((f"http://{editor.host}/{editor.token}/", "data:"))
    ] == []
    page.close()


@contextmanager
def command(folder: Path, *line: str) -> Iterator[tuple[str, Started]]:
    """One of our commands that serves an editor: what it says first, and the process; ended with
    the test, whatever happens."""
    out = folder / "said.txt"
    with Started([sys.executable, "-m", "sitecrawl", *line], out=out) as process:
        try:
            while not (out.exists() and out.read_text().endswith("\n")) and process.poll() is None:
                time.sleep(0.01)
            yield out.read_text(), process
        finally:
            process.terminate()


def end(folder: Path, process: Started) -> str:
    """Ctrl-C; what the command says then."""
    before = (folder / "said.txt").read_text()
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    return (folder / "said.txt").read_text().removeprefix(before)


def attributes_drawn(page: Page) -> set[str]:
    """Names of the attributes in the drawn page; what could run, load or lead away is not in it."""
    inside = page.locator("#page")
    live = (
        "script, style, iframe, img, svg, math, form, input, button, a, [id], [name], [href], [src]"
    )
    assert inside.locator(live).count() == 0
    return set(
        inside.evaluate(
            "e => [...new Set([...e.querySelectorAll('*')].flatMap(x => x.getAttributeNames()))]"
        )
    )
