"""One article at several addresses is written once, in any order of answers and after a kill; what
only looks like a copy is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from sitecrawl.crawl.copies import names_same
from sitecrawl.items.sameness import ArticleFacts
from tests.crawl.driver import HOME, Crawl
from tests.crawl.test_series import TOPICS, crawls

COUNT = 14
SUBJECTS = [f"The {one} {what} in the town" for what in ("opens", "closes") for one in TOPICS]


class Site(NamedTuple):
    """A site whose articles stand at two addresses each."""

    path: Callable[[int], str]
    copy: Callable[[int], str]
    own: str = ""  # the canonical URL of both, {path} or {copy} filled in
    is_linked: bool = False  # whether the article links to its copy; else a second list does
    is_bare: bool = False  # whether the copy has another layout, and a line more
    language: str = "en"


COPIES = {
    "sections, by number": Site(
        lambda n: f"/politik/{4100 + 37 * n}.html",
        lambda n: f"/regional/{4100 + 37 * n}.html",
        language="de",
    ),
    "sections, by name": Site(
        lambda n: f"/une/{TOPICS[n % 10]}-rouvert-{n}/",
        lambda n: f"/ville/{TOPICS[n % 10]}-rouvert-{n}/",
        language="fr",
    ),
    "a parameter for the section": Site(
        lambda n: f"/noticia.php?id={510 + n}",
        lambda n: f"/noticia.php?id={510 + n}&seccao=7",
        language="pt",
    ),
    "Chinese columns": Site(
        lambda n: f"/xinwen/info_{1671 + n}.htm", lambda n: f"/gonggao/info_{1671 + n}.htm"
    ),
    "capital letters": Site(
        lambda n: f"/Nachrichten/Bericht.aspx?ID={700 + n}",
        lambda n: f"/nachrichten/bericht.aspx?id={700 + n}",
        language="de",
    ),
    "two slashes": Site(
        lambda n: f"/2024/nota-{n}-{TOPICS[n % 10]}.html",
        lambda n: f"//2024/nota-{n}-{TOPICS[n % 10]}.html",
        language="es",
    ),
    "a print version": Site(
        lambda n: f"/articulo{4100 + n}.html",
        lambda n: f"/imprimir.php?nid={4100 + n}",
        is_linked=True,
        is_bare=True,
        language="es",
    ),
    "a page for phones": Site(
        lambda n: f"/nyheter/{TOPICS[n % 10]}-{n}.html",
        lambda n: f"/mobil/nyheter/{TOPICS[n % 10]}-{n}",
        own="{path}",
        is_linked=True,
        language="sv",
    ),
    "a page for phones that a list names": Site(
        lambda n: f"/nyheter/{TOPICS[n % 10]}-{n}.html",
        lambda n: f"/mobil/nyheter/{TOPICS[n % 10]}-{n}",
        own="{path}",
        is_bare=True,
        language="sv",
    ),
}


def line(n: int) -> str:
    return f"Report {n} tells who paid for the {TOPICS[n % 10]} and who wanted it least of all."


def page(
    site: Site, n: int, *, is_copy: bool, day: str = "", text: str = "", own: str | None = None
) -> str:
    prose = "".join(
        f"<p>In year {n}{k} the {TOPICS[(n + k) % 10]} stood beside the {TOPICS[(n + 3 * k) % 10]}, and few knew of {n}{k}.</p>"
        for k in range(6)
    )
    prose = f"<p>{line(n)}</p>{prose}{text}"
    day = day or f"2024-03-{n + 1:02}"
    head, when = SUBJECTS[n], f'<time datetime="{day}">{day}</time>'
    own = site.own.format(path=site.path(n), copy=site.copy(n)) if own is None else own
    canonical = f'<link rel="canonical" href="{own}">' if own else ""
    top = f'<html lang="{site.language}"><head><title>{head}</title>{canonical}</head><body>'
    if is_copy and site.is_bare:
        back = f'<p>This text comes from The Example: <a href="{site.path(n)}">{n}</a></p>'
        return f"{top}<center><h1>{head}</h1><p>Date: {when}</p></center>{prose}<hr>{back}</body></html>"
    turn = f'<p class="tools"><a href="{site.copy(n)}">Other form</a></p>' if site.is_linked else ""
    menu = '<div class="nav"><a href="/">Home</a><a href="/second/">Second</a></div>'
    return f'{top}{menu}<article><h1>{head}</h1>{when}<div class="text">{prose}</div>{turn}</article></body></html>'


def listing(rows: list[tuple[str, str]]) -> str:
    items = "".join(f'<li><a href="{path}">{text}</a></li>' for path, text in rows)
    return f'<html><body><a href="/">Home</a><a href="/second/">Second</a><h1>News</h1><ul>{items}</ul></body></html>'


def pages_of(site: Site) -> dict[str, str]:
    numbers = range(COUNT)
    shown = listing([(site.path(n), SUBJECTS[n]) for n in numbers])
    second = listing([(site.copy(n), SUBJECTS[n]) for n in numbers])
    pages = {"/": shown} | ({} if site.is_linked else {"/second/": second})
    pages |= {site.path(n): page(site, n, is_copy=False) for n in numbers}
    return pages | {site.copy(n): page(site, n, is_copy=True) for n in numbers}


def headlines(crawl: Crawl) -> Counter[str]:
    return Counter(item["headline"] for item in crawl.feed)


@pytest.mark.parametrize("kind", COPIES)
def test_an_article_at_two_addresses_is_written_once(tmp_path: Path, kind: str) -> None:
    site = COPIES[kind]
    found = list(crawls(pages_of(site), tmp_path))
    for crawl in found:
        assert headlines(crawl) == Counter(SUBJECTS[:COUNT])
    paths = [item["url"].removeprefix(HOME) for item in found[0].feed]
    assert sorted(paths) == sorted(map(site.path, range(COUNT)))


def test_a_section_that_shows_articles_of_others_keeps_its_own(tmp_path: Path) -> None:
    """Copies that stand behind their headlines say nothing of the pages beside them."""
    site = COPIES["sections, by number"]
    pages = pages_of(site)
    for n in range(8, COUNT):
        del pages[site.path(n)]
    pages["/"] = listing([(site.path(n), SUBJECTS[n]) for n in range(8)])
    for crawl in crawls(pages, tmp_path):
        assert headlines(crawl) == Counter(SUBJECTS[:COUNT])


@pytest.mark.parametrize("what", ["day", "text", "canonical"])
def test_what_is_no_copy_is_written(tmp_path: Path, what: str) -> None:
    """A weekly column, a table of results, and pages that each call themselves canonical."""
    site = COPIES["sections, by number"]
    pages = pages_of(site)
    for n in range(COUNT):
        changes = {
            "day": {"day": f"2024-05-{n + 1:02}"},
            "text": {"text": "".join(f"<p>Lane {n + k} won {k} of {n * k} races, lost {k * k + n} and drew {n + 7 * k}.</p>" for k in range(6))},
            "canonical": {"own": site.copy(n)},
        }[what]  # fmt: skip
        pages[site.copy(n)] = page(site, n, is_copy=True, **changes)
        if what == "canonical":
            pages[site.path(n)] = page(site, n, is_copy=False, own=site.path(n))
    for crawl in crawls(pages, tmp_path):
        assert headlines(crawl) == Counter(dict.fromkeys(SUBJECTS[:COUNT], 2))


def test_a_page_that_shows_all_parts_is_written_once(tmp_path: Path) -> None:
    """The parts were joined, and the whole was written beside them."""
    site = COPIES["sections, by name"]
    pages = {site.path(n): page(site, n, is_copy=False) for n in range(COUNT)}
    shown = [(site.path(n), SUBJECTS[n]) for n in range(COUNT)]
    for n in range(0, COUNT, 3):
        path, whole = site.path(n), site.path(n) + "integral/"
        text = pages[path]
        half = text.index(f"<p>In year {n}3")
        end = text.index("</div></article>")
        turn = f'<p class="pages"><a href="{path}">1</a> <a href="{path}2/">2</a> <a href="{whole}">{SUBJECTS[n]}</a></p>'
        pages[path] = text[:half] + text[end:].replace("</div>", f"</div>{turn}", 1)
        start = text.index("<p>Report")
        pages[f"{path}2/"] = text[:start] + text[half:].replace("</div>", f"</div>{turn}", 1)
        pages[whole] = text.replace("<head>", f'<head><link rel="canonical" href="{whole}">')
    pages["/"] = listing(shown)
    found = list(crawls(pages, tmp_path))
    for crawl in found:
        assert headlines(crawl) == Counter(SUBJECTS[:COUNT])
        assert all(f"year {n}5" in item["articleBody"] for n, item in enumerate(sorted_feed(crawl)))
    assert found[0].paths == sorted(map(site.path, range(COUNT)))


def sorted_feed(crawl: Crawl) -> list[dict[str, str]]:
    return sorted(crawl.feed, key=lambda item: SUBJECTS.index(item["headline"]))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("/a/2024/05/t20240501_77.html", "/b/2024/05/t20240501_77.html", True),
        ("/a/2024/05/t20240501_77.html", "/b/2024/05/t20240501_78.html", False),
        ("/story-of-the-mill", "/story-of-the-mill-2", False),
        ("/story-of-the-mill/", "/story-of-the-mill/complete", True),
        ("/show.php?id=41", "/print/41", True),
        ("/show.php?id=41", "/show.php?id=42", False),
        ("/", "/41", False),
    ],
)
def test_addresses_that_name_one_thing(one: str, other: str, same: bool) -> None:
    assert names_same(f"a.example{one}", f"a.example{other}") is same
    assert names_same(f"a.example{other}", f"b.example{one}") is same


def test_facts_that_are_unknown_tell_nothing() -> None:
    whole = ArticleFacts("the mill", "2024-05-01", ("ann",))
    assert whole.is_same(ArticleFacts("the mill", "2024-05-01"))
    assert not whole.is_same(ArticleFacts("the mill"))
    assert not whole.is_same(ArticleFacts("the mill", "2024-05-01", ("bob",)))
