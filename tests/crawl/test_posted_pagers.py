"""Pagers that send the number of a page by POST: they are followed where nothing else is sent."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from sitecrawl.crawl.forms import turned_pages
from sitecrawl.dom.parse import parse
from tests.crawl.driver import Crawl, Network, Pages
from tests.crawl.runner import crawl, send, served
from tests.crawl.test_sources import town

_HIDDEN = "<input type=hidden name={} value=2>"
PAGERS = {
    "Spanish": (f'<form method=post action="/l">{_HIDDEN}<button>Siguiente</button></form>', "pagina"),
    "German": (f'<form method="POST" action="/l">{_HIDDEN}<input type=submit value="Weiter"></form>',
               "seite"),
    "numbers": ('<form method=post action="/l"><button name={0} value=2>2</button>'
                "<button name={0} value=3>3</button></form>", "p"),
    "Russian, to load more": (f'<form method=post action="/l">{_HIDDEN}<button>Показать ещё</button></form>',
                              "PAGEN_1"),
    "Japanese": (f'<form method=post action="/l">{_HIDDEN}<button>次へ</button></form>', "pno"),
    "a sign": (f'<form method=post action="/l?c=4">{_HIDDEN}<button title="Next">»</button></form>', "page"),
}  # fmt: skip


@pytest.mark.parametrize("kind", PAGERS)
def test_a_pager_by_post_is_followed(tmp_path: Path, kind: str) -> None:
    form, name = PAGERS[kind]
    place = "/l?c=4" if "?" in form else "/l"
    pages = town(form.format(name), "/rest")
    pages |= {f"{place} {name}=2": pages.pop("/rest")}
    network = Network(pages)
    run = Crawl.of(network, tmp_path)
    run.run()
    assert len(run.feed) == 16
    assert "scripted" not in str(run.counts)
    again = Crawl.of(network, tmp_path)
    again.run()
    assert again.feed == []


OTHERS = [
    "<form method=post action=/l>{0}<input type=hidden name=csrf value=x1>{1}</form>",
    "<form method=post action=/l>{0}<input name=email>{1}</form>",
    "<form method=post action=/l>{0}<select name=n><option>1</select>{1}</form>",
    "<form method=post action=/l>{0}<button>Delete</button></form>",
    "<form method=post action=/l>{0}<input type=submit value='Abstimmen'></form>",
    "<form method=post action=/l><input type=hidden name=id value=a7>{1}</form>",
    "<form method=post action=/l>{1}</form>",
    "<form method=post action=mailto:x>{0}{1}</form>",
]


@pytest.mark.parametrize("form", OTHERS)
def test_what_sends_more_than_a_number_is_never_sent(form: str) -> None:
    page = parse(form.format(_HIDDEN.format("page"), "<button>Next</button>"), "http://a.example/")
    sent = [one.url for one in turned_pages(page.root.find(".//form"), page)]
    assert not [url for url in sent if url.startswith("http")]


@pytest.mark.parametrize("action", ["/vote", "/cart/add", "http://other.example/l", "/admin/list"])
def test_a_pager_that_changes_something_is_never_sent(tmp_path: Path, action: str) -> None:
    form = f"<form method=post action={action}>{_HIDDEN.format('page')}<button>2</button></form>"
    pages: Pages = town(form, "/rest")
    network = Network(pages)
    Crawl.of(network, tmp_path).run()
    assert urlsplit(action).path not in network.asked


@pytest.mark.parametrize("robots", [b"", b"User-agent: *\nDisallow: /l"])
def test_it_is_a_post_that_robots_txt_may_forbid(tmp_path: Path, robots: bytes) -> None:
    sent: list[tuple[str, bytes]] = []
    form, name = PAGERS["Spanish"]
    pages = {path: str(page).encode() for path, page in town(form.format(name), "/rest").items()}
    rest = pages.pop("/rest")

    def answer(handler: BaseHTTPRequestHandler) -> None:
        sent.append((handler.command, handler.rfile.read(int(handler.headers["Content-Length"]))))
        send(handler, 200, rest)

    with served({**pages, "/l": answer, "/robots.txt": robots}) as site:
        run = crawl(f"{site.url}/", tmp_path / "o.jsonl")
    assert len(run.items) == (8 if robots else 16)
    assert sent == ([] if robots else [("POST", b"pagina=2")])
