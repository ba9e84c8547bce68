"""What the parameters of a site's URLs mean: its own links and canonical URLs tell, lists of names are
the prior."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitecrawl.crawl.parameters import Parameters
from sitecrawl.items.kinds import PageKind
from tests.crawl.driver import HOME, Crawl, Network, Pages, Reply, crawled
from tests.pages import article_page

_ID = "65f01fc83dbe9533cde5{:04x}"
_HEADLINE = "Harbour bridge number {} opens to cyclists"


def front(paths: list[str], *, more: str = "") -> str:
    """A listing of articles, one a path."""
    rows = (
        f"<h2><a href='{path}'>{_HEADLINE.format(number)}</a></h2><p>How it was paid for.</p>"
        for number, path in enumerate(paths)
    )
    return f"<html><body><h1>News</h1>{more}{''.join(rows)}</body></html>"


@pytest.mark.parametrize(
    "spelling",
    ["/read?sid={}", "/read?s={}", "/index.php?token={}", "/read?session={}&lang=en", "/?sess={}"],
)
def test_a_name_of_sessions_may_be_the_id_of_an_article(tmp_path: Path, spelling: str) -> None:
    paths = [spelling.format(_ID.format(number)) for number in range(14)]
    pages: Pages = {path: article_page(number) for number, path in enumerate(paths)}
    pages["/"] = front(paths[:10])
    pages["/news/"] = front(paths[8:])
    pages["/"] = pages["/"].replace("<h1>", "<a href='/news/'>All news</a><h1>")
    assert crawled(pages, tmp_path).paths == sorted(paths)


@pytest.mark.parametrize("name", ["ref", "from"])
def test_a_name_of_tracking_may_be_the_id_of_an_article(tmp_path: Path, name: str) -> None:
    words = ["bridge", "ferry", "library", "harbour", "market", "tram", "school", "mill", "park"]
    paths = [f"/story?{name}={word}" for word in words]
    pages: Pages = {path: article_page(number) for number, path in enumerate(paths)}
    assert crawled(pages | {"/": front(paths)}, tmp_path).paths == sorted(paths)


def test_what_was_learned_is_known_to_the_next_visit(tmp_path: Path) -> None:
    paths = [f"/read?sid={_ID.format(number)}" for number in range(12)]
    pages: Pages = {path: article_page(number) for number, path in enumerate(paths)}
    assert len(crawled(pages | {"/": front(paths[:10])}, tmp_path).feed) == 10
    # one link alone would be taken for one with a session
    later = crawled(pages | {"/": front(paths[11:])}, tmp_path)
    assert later.paths == [paths[11]]


def _marked(number: int, mark: str) -> str:
    return f"/2024/05/a-{number}.html?{mark}"


@pytest.mark.parametrize("mark", ["sid={0:024x}", "ref=home", "s={0:032x}"])
def test_a_session_or_a_place_is_no_part_of_an_address(tmp_path: Path, mark: str) -> None:
    """Each link of a page has another one."""
    plain = [f"/2024/05/a-{number}.html" for number in range(9)]

    def listing(url: str) -> str:
        return front([_marked(number, mark.format(number + len(url))) for number in range(9)])

    pages: Pages = {path: article_page(number) for number, path in enumerate(plain)}
    run = crawled(pages | {"/": listing, "/news/": listing}, tmp_path)
    assert run.paths == plain


@pytest.mark.parametrize("name", ["ctx", "fuseaction", "trk", "place"])
def test_a_parameter_that_canonical_urls_lack_is_learned(tmp_path: Path, name: str) -> None:
    """Each page links each article under another value: 16 articles took 200 requests."""
    count, calls = 16, [0]

    def links(own: int) -> str:
        calls[0] += 1
        others = (
            f"<h2><a href='/news/a-{number}?{name}={calls[0]}x{number}'>"
            f"{_HEADLINE.format(number)}</a></h2>"
            for number in range(count)
            if number != own
        )
        return "".join(others)

    def answer(url: str) -> Reply:
        path = url.removeprefix(HOME).partition("?")[0]
        if path == "/":
            return Reply(f"<html><body><h1>News</h1>{links(-1)}</body></html>".encode())
        if not path.startswith("/news/a-"):
            return Reply(status=404)
        number = int(path.rpartition("-")[2])
        head = f"<link rel=canonical href={HOME}{path}>"
        page = article_page(number).replace("<head>", f"<head>{head}")
        return Reply(page.replace("</body>", f"<aside>{links(number)}</aside></body>").encode())

    network = Network({"*": answer})
    run = crawled_of(network, tmp_path)
    assert len(run) == count
    assert len(network.asked) <= 2 * count


# addresses of an article: its number, and a value that makes no difference
IDLE = {
    "Joomla": ("/index.php?option=com_content&id={0}&Itemid={1}", ["3", "9", "11", "24"]),
    "the place of a link": ("/leer/{0}.php?zona={1}", ["portada", "lateral", "pie", "menu"]),
    "the page that links": ("/artykul/{0}.html?skad={1}{0}", ["a", "b", "c", "d"]),
    "a shop's category": ("/artikel.do?nr={0}&rubrik={1}", ["7", "12", "19", "40"]),
}


@pytest.mark.parametrize("is_one_list", [True, False])
@pytest.mark.parametrize("kind", IDLE)
def test_a_parameter_that_makes_no_difference_is_learned(
    tmp_path: Path, kind: str, is_one_list: bool
) -> None:
    """Nothing but the pages says so: the server answers no address without it, and each article
    came under each value. On one page headlines stand beside several values; else texts agree."""
    form, values = IDLE[kind]
    count = 24
    rows = {value: [form.format(n, value) for n in range(count)] for value in values}
    pages: Pages = {path: article_page(n) for one in rows.values() for n, path in enumerate(one)}
    lists = {f"/{value}/": front(paths) for value, paths in rows.items()}
    pages["/"] = "".join(lists.values())
    if not is_one_list:
        links = "".join(f"<a href='{path}'>Section {path}</a>" for path in lists)
        pages |= lists | {"/": front(rows[values[0]], more=f"<nav>{links}</nav>")}
    network = Network(pages)
    assert len(crawled_of(network, tmp_path)) == count
    assert len(network.asked) <= (2 if is_one_list else 3.5) * count
    network.asked.clear()
    assert crawled_of(network, tmp_path) == []
    assert len(network.asked) <= 8


def test_the_number_of_an_article_is_no_noise_where_articles_come_twice(tmp_path: Path) -> None:
    pages: Pages = {f"/show?nr={n}&col={n % 4}": article_page(n % 9) for n in range(18)}
    pages |= {f"/show?nr={n}&col={n % 4}": article_page(n) for n in range(18, 30)}
    run = crawled(pages | {"/": front(list(pages))}, tmp_path)
    assert {f"/show?nr={n}&col={n % 4}" for n in range(18, 30)} <= set(run.paths)


def crawled_of(network: Network, folder: Path) -> list[str]:
    crawl = Crawl.of(network, folder)
    crawl.run()
    return crawl.paths


@pytest.mark.parametrize(
    ("canonical", "learned"),
    [
        ("http://a.example/news/{0}", True),
        ("http://a.example/", False),  # of every page: a fault of the site
        ("http://a.example/news/{0}?ctx=1", False),
        ("http://b.example/news/{0}", False),
    ],
)
def test_canonical_urls(canonical: str, learned: bool) -> None:
    known = Parameters()
    for number in range(5):
        url = f"http://a.example/news/{number}?ctx=7"
        known.learn_canonical(url, canonical.format(number), kind=PageKind.ARTICLE)
    assert (known.clean("http://a.example/x?ctx=3") == "http://a.example/x") is learned


def test_pages_of_lists_stay_what_they_are() -> None:
    """A list may name its first page as canonical on each."""
    known = Parameters()
    for number in range(9):
        url = f"http://a.example/{number}?page=2"
        known.learn_canonical(url, f"http://a.example/{number}", kind=PageKind.ARTICLE)
        known.learn_canonical(f"{url}&sort=1", url, kind=PageKind.LISTING)
    assert known.meaning.noise == frozenset()


@pytest.mark.parametrize("end", ["new-in-node.js", "main.py", "hello.c", "a-study-in-c.h", "x.css"])
def test_a_slug_may_end_like_a_program(tmp_path: Path, end: str) -> None:
    paths = [f"/posts/{number}-{end}" for number in range(6)]
    pages: Pages = {path: article_page(number) for number, path in enumerate(paths)}
    assert crawled(pages | {"/": front(paths)}, tmp_path).paths == paths


@pytest.mark.parametrize("kind", ["text/plain", "application/javascript", "text/x-python", ""])
def test_a_program_is_no_page(tmp_path: Path, kind: str) -> None:
    code = b"def main():\n    print('The council met on the first floor of the town hall.')\n" * 40
    paths = [f"/posts/{number}-tool.py" for number in range(6)]
    pages: Pages = {path: Reply(code, kind=kind) for path in paths}
    articles: Pages = {f"/posts/{number}": article_page(number) for number in range(6)}
    run = crawled(pages | articles | {"/": front([*articles, *paths])}, tmp_path)
    assert run.paths == sorted(articles)
