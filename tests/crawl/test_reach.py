"""Sites that lead to their articles in unusual ways: a crawl finds all of them, and does not end in
silence."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from lxml import etree

from sitecrawl.crawl.pages import home_of, refresh_target, with_html_body
from sitecrawl.crawl.records import FetchedPage, RequestContext, Role
from sitecrawl.crawl.soft_errors import KnownTexts
from sitecrawl.crawl.sources import HintSources, hints, references, turns_by_script
from sitecrawl.crawl.store import Stores
from sitecrawl.crawl.traps import Traps
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.extras.report.fleet import fleet_of
from sitecrawl.items.article import Article, PlainBody
from sitecrawl.urls.canonical import absolute_url
from tests.crawl.driver import HOME, Crawl, Network, Pages, Reply, crawled, story_of
from tests.pages import FOOTER, NAVIGATION, article_page, listing_page

_COUNT = 16
_NEXT = '<a href="/city/page/2/" rel="next">Older stories</a>'
_HREF = re.compile(r'href="(/[^"]*)"')
_LINK = re.compile(r'<a href="(/[^"]*)"[^>]*>(.*?)</a>')


def town(next_page: str = _NEXT) -> Pages:
    """Articles on two listing pages, and what leads from the first to the second."""
    half = _COUNT // 2
    pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(_COUNT)}
    first = listing_page(range(half)).replace(_NEXT, next_page)
    return pages | {
        "/": first,
        "/city/page/2/": listing_page(range(half, _COUNT)).replace(_NEXT, ""),
    }


def found(pages: Pages, folder: Path, **more: str) -> int:
    return len(crawled(pages, folder, **more).feed)


_SESSIONS = count(2**60)
SPELLINGS: dict[str, Callable[[re.Match[str]], str]] = {
    "www": lambda link: f'href="http://www.news.example{link[1]}"',
    "https and port": lambda link: f'href="https://news.example:443{link[1]}"',
    "sessions": lambda link: f'href="{link[1]};jsessionid={next(_SESSIONS):X}.node1"',
    "backslashes": lambda link: 'href="' + link[1].replace("/", "\\") + '"',
    "tabs and line ends": lambda link: f'href="{link[1][:2]}\n\t{link[1][2:]}"',
    "the dot of the root": lambda link: f'href="http://news.example.{link[1]}"',
    "extensions of its own": lambda link: f'href="{link[1].replace(".html", ".jhtml")}"',
    "another port": lambda link: f'href="http://news.example:8080{link[1]}"',
}


@pytest.mark.parametrize("spelling", sorted(SPELLINGS))
def test_links_are_spelled_in_many_ways(tmp_path: Path, spelling: str) -> None:
    pages = {path: _HREF.sub(SPELLINGS[spelling], page) for path, page in town().items()}
    pages |= {path.replace(".html", ".jhtml"): page for path, page in pages.items()}
    assert found(pages, tmp_path) == _COUNT


MENUS = {
    "image map": '<map name="m"><area href="/city/page/2/" coords="0,0,9,9"></map>',
    "choice": '<select onchange="location=this.value"><option value="/city/page/2/">Older</option></select>',
    "script": """<span onclick="location.href='/city/page/2/'">Older</span>""",
    "button": '<button data-url="/city/page/2/">Load more</button>',
    "form": '<form action="/city/page/2/"><input type="submit" value="Older"></form>',
    "attribute": '<div class="endless" data-next-page-url="/city/page/2/"></div>',
    "embedded page": '<object data="/city/page/2/"></object>',
    "function": '<a href="javascript:go(2)">2</a><script>function go(n) { location.href = "/city/page/" + n + "/"; }</script>',
    "inner frame": '<iframe src="/city/page/2/"></iframe>',
    "head": '<link rel="next" href="/city/page/2/">',
}


@pytest.mark.parametrize("menu", sorted(MENUS))
def test_a_listing_is_reached_without_a_link(tmp_path: Path, menu: str) -> None:
    assert found(town(MENUS[menu]), tmp_path) == _COUNT


def test_rows_and_the_way_to_the_next_ones_are_given_to_a_script(tmp_path: Path) -> None:
    """A list of Jcms: its rows are XML in a script, and the next rows are an XML file for that
    script."""

    def rows(first: int, after: str) -> str:
        links = (
            f'<a href="/2024/05/a-{n}.html">Report {n} from the harbour and its town</a>'
            for n in range(first, first + 8)
        )
        records = "".join(
            f"<record><![CDATA[{link}<span>2024-05-01</span>]]></record>" for link in links
        )
        way = f'<![CDATA[<a href="{after}"></a>]]>' if after else ""
        return f"<datastore><totalrecord>24</totalrecord><nextgroup>{way}</nextgroup><recordset>{records}</recordset></datastore>"

    menu = '<a href="/">Home</a> <a href="/about.html">About us</a>'
    list_page = f'<html><body>{menu}<script type="text/xml">{rows(0, "/data/proxy.jsp?page=1&unit=7")}</script></body></html>'
    pages: Pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(24)} | {"/": list_page}
    pages["/data/proxy.jsp?page=1&unit=7"] = Reply(
        rows(8, "./proxy.jsp?page=2&unit=7").encode(), kind="text/xml"
    )
    pages["/data/proxy.jsp?page=2&unit=7"] = Reply(rows(16, "").encode(), kind="text/xml")
    assert found(pages, tmp_path) == 24


def test_links_may_be_scripts(tmp_path: Path) -> None:
    pages = {
        path: _LINK.sub(r"""<a href="javascript:go('\1')">\2</a>""", page)
        for path, page in town().items()
    }
    assert found(pages, tmp_path) == _COUNT


def test_a_list_is_chosen_in_a_form(tmp_path: Path) -> None:
    form = '<form action="/list"><select name="page"><option>1<option>2</select><input name="go" type="submit"></form>'
    pages = town(form)
    assert found(pages | {"/list?page=2&go=": pages.pop("/city/page/2/")}, tmp_path) == _COUNT


def test_a_form_that_somebody_must_fill_in_is_left_alone() -> None:
    html = '<form action="/s"><input name="q"><select name="in"><option value="1"></select></form><form method="post" action="/p"></form>'
    assert [url for url, _ in references(HintSources(Page(f"{HOME}/", etree.HTML(html))))] == []


def test_a_list_may_be_data(tmp_path: Path) -> None:
    def data(page: str) -> str:
        urls = [link[1] for link in _LINK.finditer(page) if "/2024/05/" in link[1]]
        items = ", ".join(f'{{"url": "{url}"}}' for url in urls).replace("/", "\\/")
        return (
            re.sub(r'<div class="teaser">.*?</div>', "", page, flags=re.S)
            + f"<script>var list = [{items}];</script>"
        )

    pages = town()
    pages |= {path: data(pages[path]) for path in ("/", "/city/page/2/")}
    assert found(pages, tmp_path) == _COUNT


@pytest.mark.parametrize(
    "reply",
    [
        lambda page: Reply(gzip.compress(page.encode())),
        lambda page: Reply(page.encode(), kind="unknown/unknown"),
        lambda page: Reply(
            page.replace("utf-8", "gbk").encode("gbk"), kind="text/html; charset=gbk"
        ),
    ],
)
def test_servers_say_little_of_what_they_send(
    tmp_path: Path, reply: Callable[[str], Reply]
) -> None:
    assert found({path: reply(page) for path, page in town().items()}, tmp_path) == _COUNT


def test_moved_articles_send_their_readers_on(tmp_path: Path) -> None:
    pages = town()
    moved = {
        path: path.replace("/2024/05/", "/new/") for path in pages if path.startswith("/2024/")
    }
    stub = '<meta http-equiv="refresh" content="0; url={}"><a href="{}">This page has moved.</a>'
    pages |= {new: pages[old] for old, new in moved.items()} | {
        old: stub.format(new, new) for old, new in moved.items()
    }
    crawl = crawled(pages, tmp_path)
    assert len(crawl.paths) == _COUNT
    assert all(path.startswith("/new/") for path in crawl.paths)


def test_one_text_in_three_places_is_three_articles(tmp_path: Path) -> None:
    pages = town()
    pages |= {
        f"/2024/05/a-{n}.html": article_page(1).replace("number 1 ", f"number {n} ")
        for n in (4, 5, 6)
    }
    assert found(pages, tmp_path) == _COUNT


BUTTONS = ("twitter", "facebook", "email", "print", "linkedin", "reddit")


def test_buttons_that_share_a_page_lead_to_nothing_new(tmp_path: Path) -> None:
    pages = town()
    for path in [path for path in pages if path.startswith("/2024/")]:
        buttons = "".join(f"<a href='{path}?share={name}'>{name}</a> " for name in BUTTONS)
        page = pages[path].replace("</head>", f"<link rel='canonical' href='{HOME}{path}'></head>")
        page = page.replace('<a href="#">Share</a>', buttons)
        pages |= {path: page} | {f"{path}?share={name}": page for name in BUTTONS}
        for listing in ("/", "/city/page/2/"):
            pages[listing] = re.sub(f'(<a href="{path}">.*?</h2>)', rf"\1{buttons}", pages[listing])
    crawl = crawled(pages, tmp_path)
    assert crawl.paths == sorted(
        path for path in pages if path.startswith("/2024/") and "?" not in path
    )
    assert not any("?share=" in path for path in crawl.network.asked)


def test_other_views_of_articles_that_left_are_soon_left_alone(tmp_path: Path) -> None:
    pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(48)}
    pages["/"] = listing_page(range(48)).replace(_NEXT, "")
    for n in range(48):
        path, view = f"/2024/05/a-{n}.html", f"/view/{n}/large"
        page = pages[path].replace("</head>", f"<link rel='canonical' href='{HOME}{path}'></head>")
        pages |= {
            path: page.replace('<a href="#">Print</a>', f"<a href='{view}'>Larger letters</a>"),
            view: page,
        }
    crawl = crawled(pages, tmp_path)
    assert crawl.paths == sorted(path for path in pages if path.startswith("/2024/"))
    assert 1 <= sum(path.startswith("/view/") for path in crawl.network.asked) <= 12


# ---- hosts
def moved_to(places: dict[str, str], links: str = "/2024/") -> Pages:
    """The town at ``http://www.example.org``, its articles (or all ``links``) at another host;
    pages are served to any host."""

    def place(link: re.Match[str]) -> str:
        return f'href="{places["away"] if link[1].startswith(links) else places["home"]}{link[1]}"'

    return {path: _HREF.sub(place, page) for path, page in town().items()}


@pytest.mark.parametrize("links", ["/2024/", "/"])
@pytest.mark.parametrize(
    "away", ["http://stories.example.org", "http://www.example.com", "http://www.gazette.net"]
)
def test_articles_are_on_another_host_of_the_owner(tmp_path: Path, away: str, links: str) -> None:
    pages = moved_to({"home": "http://www.example.org", "away": away}, links)
    assert found(pages, tmp_path, start="http://www.example.org/") == _COUNT


def test_articles_of_others_stay_theirs_and_the_user_hears_of_it(tmp_path: Path) -> None:
    pages = moved_to({"home": "http://www.example.org", "away": "http://www.gazette.net"})
    pages |= {
        path: re.sub('href="[^"]*"', 'href="#"', page)
        for path, page in pages.items()
        if path.startswith("/2024/")
    }
    crawl = Crawl.of(Network(pages), tmp_path, start="http://www.example.org/")
    said = story_of(crawl.run())
    assert crawl.feed == []
    assert (
        "lead to gazette.net: if it belongs to the site, add http://gazette.net/ to start=" in said
    )


def test_a_site_with_some_articles_and_many_elsewhere_says_so(tmp_path: Path) -> None:
    away = "".join(
        f'<p><a href="http://www.gazette.net/reports/{number}.html">Report {number}</a></p>'
        for number in range(60)
    )
    pages = {
        path: page.replace("</body>", f"{away}</body>")
        for path, page in town().items()
        if path.count("/") < 3
    }
    crawl = Crawl.of(Network(town() | pages), tmp_path, start="http://www.example.org/")
    said = story_of(crawl.run())
    assert "60 links that may be articles lead to gazette.net" in said
    shared = {
        path: re.sub(r"reports/(\d+)", r"share?page=\1&amp;of=", page)
        for path, page in pages.items()
    }
    crawl = Crawl.of(Network(town() | shared), tmp_path / "shared", start="http://www.example.org/")
    assert "gazette.net" not in story_of(crawl.run())


def test_hosts_of_the_owner_are_known_to_the_run_that_goes_on(tmp_path: Path) -> None:
    pages = moved_to({"home": "http://www.example.org", "away": "http://www.gazette.net"})
    first = Crawl.of(Network(pages), tmp_path, start="http://www.example.org/", max_pages=9)
    first.run()
    again = Crawl.of(Network(pages), tmp_path, start="http://www.example.org/", feed=first.feed)
    again.run()
    assert len(again.feed) == len(set(again.paths)) == _COUNT


def welcome(away: str) -> Pages:
    """A page of a site that leads, once, to the town on another host, and to a way there that is
    gone."""
    links = (
        f'<ul><li><a href="/about.html">About us</a></li><li><a href="{away}/">Forum</a></li></ul>'
    )
    return town() | {
        "/welcome.html": f"<html><body><p>Welcome.</p><a href='{away}/gone/'>News</a>{links}</body></html>"
    }


@pytest.mark.parametrize(
    ("away", "expected"),
    [
        ("http://example.forums.net", _COUNT),
        ("http://example.blogspot.com", _COUNT),
        ("http://gazette.forums.net", 0),
    ],
)
def test_a_site_lives_with_a_provider_under_its_own_name(
    tmp_path: Path, away: str, expected: int
) -> None:
    assert found(welcome(away), tmp_path, start="http://www.example.org/welcome.html") == expected


def test_of_a_section_only_its_own_host_is_crawled(tmp_path: Path) -> None:
    pages = welcome("http://example.forums.net")
    assert found(pages, tmp_path, start="http://www.example.org/welcome.html", scope="section") == 0


@pytest.mark.parametrize(
    ("start", "expected"),
    [("", _COUNT), ("index.html", _COUNT), ("city/", _COUNT), ("sport/", _COUNT // 2)],
)
def test_articles_lead_to_listings_of_their_section(
    tmp_path: Path, start: str, expected: int
) -> None:
    """The second listing is linked by the pages of articles alone. The section of a home page is
    its site."""
    pages = town("")
    more = '<p><a href="/city/page/2/">More of the city</a></p></body>'
    pages = {
        path: str(page).replace("</body>", more) if "/2024/" in path else page
        for path, page in pages.items()
    }
    pages |= dict.fromkeys(["/index.html", "/city/", "/sport/"], pages["/"])
    assert found(pages, tmp_path, start=f"{HOME}/{start}", scope="section") == expected


def test_a_host_of_the_same_name_without_articles_is_left_alone(tmp_path: Path) -> None:
    pages = welcome("http://example.forums.net") | {
        "/": "<html><body><p>Join us to read on.</p></body></html>"
    }
    crawl = Crawl.of(Network(pages), tmp_path, start="http://www.example.org/welcome.html")
    crawl.run()
    assert (crawl.feed, list(crawl.session.parts.pages.sections)) == ([], ["example.org"])


def test_a_host_of_the_same_name_is_known_to_the_run_that_goes_on(tmp_path: Path) -> None:
    pages = welcome("http://example.forums.net")
    first = Crawl.of(
        Network(pages), tmp_path, start="http://www.example.org/welcome.html", max_pages=2
    )
    first.run()
    again = Crawl.of(
        Network(pages), tmp_path, start="http://www.example.org/welcome.html", feed=first.feed
    )
    again.run()
    assert len(again.feed) == _COUNT


# ---- what stays out of reach is said
LOST: dict[str, tuple[Pages, str]] = {
    "a listing": (
        {"/city/page/2/": Reply(b"", 503)},
        "3 listing pages could not be fetched (mostly: the server answered 404)",
    ),
    "articles": (
        {f"/2024/05/a-{n}.html": Reply(b"", 404) for n in range(5)},
        "7 articles could not be fetched (the server answered 404)",
    ),
}


@pytest.mark.parametrize("what", sorted(LOST))
def test_what_cannot_be_fetched_is_counted(tmp_path: Path, what: str) -> None:
    lost, said = LOST[what]
    assert said in story_of(Crawl.of(Network(town() | lost), tmp_path).run())


EMPTIED = {
    "another page": Reply(to="/"),
    "a wall": "<html><body><h1>We use cookies</h1><p>Accept them to read on.</p></body></html>",
    "an empty list": f"<html><body>{NAVIGATION}<h1>City</h1><p>Please come again.</p></body></html>",
}


@pytest.mark.parametrize("what", sorted(EMPTIED))
def test_a_listing_that_shows_no_articles_any_more_is_told(tmp_path: Path, what: str) -> None:
    """Other listings went on to bring articles, and those of this one were missing without a
    word."""
    said = "1 listing page that showed articles before shows none now (http://news.example/city/page/2/)"
    assert said not in story_of(Crawl.of(Network(town()), tmp_path).run())
    assert said not in story_of(Crawl.of(Network(town()), tmp_path).run())
    emptied = Network(town() | {"/city/page/2/": EMPTIED[what]})
    assert said not in story_of(Crawl.of(emptied, tmp_path, discover="sitemap").run())
    down = Network(town() | {"/city/page/2/": Reply(b"", 503)})
    for network in (down, emptied, emptied, down, emptied):
        is_told = network is emptied
        assert (said in story_of(Crawl.of(network, tmp_path).run())) == is_told
        (site,) = fleet_of(Stores(tmp_path)).sites
        told = [
            cause
            for cause in site.causes
            if "a listing page shows no articles any more" in cause.text
        ]
        assert bool(told) == is_told, site.causes
    assert said not in story_of(Crawl.of(Network(town()), tmp_path).run())


def test_one_of_several_start_pages_that_shows_no_articles_any_more_is_told_in_the_report(
    tmp_path: Path,
) -> None:
    """The other one went on to bring articles, and the site was called fine."""
    pages = (
        town()
        | {"/world/": listing_page(range(20, 28))}
        | {f"/2024/05/a-{n}.html": article_page(n) for n in range(20, 28)}
    )
    starts = "http://news.example/,http://news.example/world/"
    for world, is_told in (
        (pages["/world/"], False),
        (EMPTIED["an empty list"], True),
        (EMPTIED["an empty list"], True),
    ):
        Crawl.of(Network(pages | {"/world/": world}), tmp_path, start=starts).run()
        (site,) = fleet_of(Stores(tmp_path)).sites
        assert [cause.kind for cause in site.causes] == ["listings"] * is_told


def test_a_listing_whose_links_are_too_deep_is_not_missing(tmp_path: Path) -> None:
    crawled(town(), tmp_path)
    assert crawled(town(), tmp_path, depth=1).counts["pages/emptied"] == 0


def test_a_map_whose_links_are_known_to_lead_to_no_articles_is_not_missing(tmp_path: Path) -> None:
    """Its links looked like those of articles until their pages were read."""
    rows = "".join(
        f'<h2><a href="/guide/b-{n}.html">Where the office number {n} is to be found</a></h2>'
        for n in range(9)
    )
    lists = {
        f"/guide/b-{n}.html": f"<html><body>{NAVIGATION}<form><input name=q></form></body></html>"
        for n in range(9)
    }
    pages = (
        town('<a href="/map/">Map</a>')
        | {"/map/": f"<html><body>{NAVIGATION}<h1>Map</h1>{rows}</body></html>"}
        | lists
    )
    assert crawled(pages, tmp_path, effort="full").counts["pages/emptied"] == 0
    with_more = pages | {"/map/": pages["/map/"].replace("</body>", "<p>More to come.</p></body>")}
    assert crawled(with_more, tmp_path, effort="full").counts["pages/emptied"] == 0


@pytest.mark.parametrize(
    ("link", "said"),
    [
        (
            r"<a href='javascript:openNews(\1)'>\2</a>",
            "16 links that are scripts could not be followed",
        ),
        (r"<a href='#!/\1'>\2</a>", "16 links that are scripts could not be followed"),
    ],
)
def test_scripts_without_an_address_are_counted(tmp_path: Path, link: str, said: str) -> None:
    pages = {
        path: re.sub(r'<a href="/2024/05/a-(\d+)\.html">(.*?)</a>', link, page)
        for path, page in town().items()
    }
    assert said in story_of(Crawl.of(Network(pages), tmp_path).run())


FURTHER = {
    "numbers": ("""<a href="javascript:__doPostBack('pager','2')">2</a>""", True),
    "button": ('<button class="btn" id="more"><span>Load more</span></button>', True),
    "link": ('<a href="javascript:;">点击加载更多</a>', True),
    "button with an address": ('<button data-url="/city/page/2/">Load more</button>', False),
    "link with an address": ('<a href="/city/page/2/">Load more</a>', False),
    "button beside a pager": (
        '<button>Load more</button><a href="/city/page/2/" rel="next">Older stories</a>',
        False,
    ),
    "input": ('<input type="button" value="Load more">', True),
    "element that is clicked": ('<div onclick="more()">Load more</div>', True),
    "form that is sent": (
        '<form method="post"><input type="hidden" name="p"><button>Next page</button></form>',
        True,
    ),
    "numbers of a form": (
        '<form method="post"><select name="sort"></select><input type="submit" name="page" value="2"></form>',
        True,
    ),
    "numbers of a form that is sent": (
        '<form method="post"><input type="submit" name="page" value="2"></form>',
        False,
    ),
    "next of a page that is sent": (
        """<a href="javascript:__doPostBack('pager','Next')">Next</a>""",
        True,
    ),
    "numbers of a pager": (
        '<ul class="pagination"><li><a href="#" data-page="2">2</a></li></ul>',
        True,
    ),
    "elements of a pager": ('<div class="pages"><span onclick="turn(2)">2</span></div>', True),
    "choices": (
        '<select onchange="turn(this)"><option>1</option><option>2</option></select>',
        True,
    ),
    "choices with addresses": (
        '<select onchange="turn(this)"><option>1<option value="?p=2">2</select>',
        False,
    ),
    "choices of an amount": (
        '<select onchange="turn(this)"><option>10</option><option>20</option></select>',
        False,
    ),
    "pager at its end": (
        '<ul class="pagination"><li class="disabled"><a href="#">Next</a></li></ul>',
        False,
    ),
    "pager of one page": ('<ul class="pagination"><li><a href="#">1</a></li></ul>', False),
    "pictures": (
        '<div class="swiper-pagination"><a href="#">2</a></div><button class="next">Next</button>',
        False,
    ),
    "pictures of a page": ('<div class="page home"><a href="#">Next</a></div>', False),
    "form to fill in": (
        '<form method="post"><input name="mail"><button>Next</button></form>',
        False,
    ),
    "votes": ('<form method="post"><button>12</button></form>', False),
}


@pytest.mark.parametrize("control", sorted(FURTHER))
@pytest.mark.parametrize("start", ["/", "/city/"])
def test_further_pages_by_script_are_told(tmp_path: Path, control: str, start: str) -> None:
    pager, told = FURTHER[control]
    pages = town('<a href="/city/">City</a>')
    pages["/"] = pages["/"].replace("</body>", f"<div>{pager}</div></body>")
    said = story_of(
        Crawl.of(Network(pages | {"/city/": pages["/"]}), tmp_path, start=f"{HOME}{start}").run()
    )
    assert ("further pages that only a script shows" in said) is told


@pytest.mark.parametrize(
    ("lengths", "pager", "told"),
    [
        ((5, 5, 3, 5), "", "3 listing pages end at 5 articles each and link to no further page"),
        ((5, 5, 3, 4), "", ""),  # two of a length may be chance
        ((4, 4, 4, 4), "", ""),  # boxes of a few articles
        ((5, 5, 6, 5), "", ""),  # not the greatest length
        ((5, 5, 3, 5), '<a href="/city/page/2/" rel="next">Older stories</a>', ""),
        ((5, 5, 3, 5), "<button>Load more</button>", "have further pages that only a script shows"),
    ],
)
def test_lists_that_are_cut_at_one_length_are_told(
    tmp_path: Path, lengths: tuple[int, ...], pager: str, told: str
) -> None:
    """A script draws the pager from nothing: not even an element tells where it will stand."""
    lists = [range(7 * n, 7 * n + length) for n, length in enumerate(lengths)]
    pages: Pages = {f"/2024/05/a-{n}.html": article_page(n) for shown in lists for n in shown}
    sections = "/", "/sport/", "/culture/", "/weather/"
    menu = "".join(f'<a href="{path}">{path.strip("/").title() or "Home"}</a>' for path in sections)
    for path, shown in zip(sections, lists, strict=True):
        pages[path] = re.sub(
            "<body>", f"<body><nav>{menu}</nav>", listing_page(shown).replace(_NEXT, pager)
        )
    said = story_of(Crawl.of(Network(pages), tmp_path, scope="site").run())
    assert told in said
    assert ("listing pages end at" in said) is told.startswith("3")


def test_who_scrolls_is_not_told_to_scroll(tmp_path: Path) -> None:
    pages = town("<button>Load more</button>")
    said = story_of(Crawl.of(Network(pages), tmp_path, js="auto", scroll=1).run())
    assert "-a scroll=1 loads them" not in said
    assert "1 listing page still offers more after -a scroll=1" in said


def test_numbers_that_turn_the_pictures_of_a_front_page_are_no_further_pages(
    tmp_path: Path,
) -> None:
    pages = town("")
    pages["/"] += '<a href="javascript:turn(1)">1</a> <a href="javascript:turn(2)">2</a>'
    assert "only a script" not in story_of(Crawl.of(Network(pages), tmp_path).run())


def test_files_in_lists_of_articles_are_told(tmp_path: Path) -> None:
    pages = {path: re.sub(r"a-([0-3])\.html", r"a-\1.pdf", page) for path, page in town().items()}
    said = story_of(Crawl.of(Network(pages), tmp_path).run())
    assert "4 files in lists of articles were not read (PDF, Word)" in said


def test_a_list_of_nothing_but_files_is_told(tmp_path: Path) -> None:
    rows = "".join(
        f'<li><a href="/files/{n}.docx">Notice {n} of the council</a></li>' for n in range(9)
    )
    pages = {
        "/": f'<html><body>{NAVIGATION}<h1>Notices</h1><ul>{rows}</ul><a href="/f.pdf">Privacy</a></body></html>'
    }
    said = story_of(Crawl.of(Network(pages), tmp_path).run())
    assert "9 files in lists of articles were not read (PDF, Word)" in said
    assert "no link looks like an article" not in said


@pytest.mark.parametrize(
    "place", ['footer class="foot"', "aside", 'div id="sidebar"', "nav", 'div class="header"']
)
@pytest.mark.parametrize("articles", [0, 12])
def test_files_beside_the_main_part_are_not_told(tmp_path: Path, place: str, articles: int) -> None:
    """Terms, price lists and forms in the footer of each page, in a list like that of the
    articles."""
    rows = "".join(
        f'<li><a href="/files/{n}.pdf">Price list of the year {n} for advertisers</a></li>'
        for n in range(5)
    )
    news = "".join(
        f'<li><a href="/2024/05/a-{n}.html">Harbour bridge number {n} opens</a></li>'
        for n in range(articles)
    )
    around = f"<{place}><ul>{rows}</ul></{place.split()[0]}>"
    home = f"<html><body>{NAVIGATION}<div><h1>Town</h1><p>{'Welcome to the town. ' * 20}</p><ul>{news}</ul></div>{around}</body></html>"
    pages = {"/": home, **{f"/2024/05/a-{n}.html": article_page(n) for n in range(articles)}}
    assert "files in lists" not in story_of(Crawl.of(Network(pages), tmp_path).run())


@pytest.mark.parametrize(
    ("target", "told"),
    [("/sorry.html", True), ("http://consent.example/sorry.html", True), ("{}?a=1", False)],
)
def test_links_that_lead_to_one_page_are_told(tmp_path: Path, target: str, told: bool) -> None:
    """An article that has several URLs leads to itself; 12 articles do not lead to one page."""
    pages = town() | {
        "/sorry.html": "<html><body><p>We have a new site. Please look around.</p></body></html>"
    }
    moved = {path: Reply(to=target.format(path)) for path in pages if path.startswith("/2024/")}
    pages |= {f"{path}?a=1": pages[path] for path in moved} | moved
    said = story_of(Crawl.of(Network(pages), tmp_path).run())
    assert ("links to articles lead to" in said) is told, said


def test_links_that_lead_to_known_articles_of_another_host_are_not_told(tmp_path: Path) -> None:
    pages, other = town(), "http://m.news.example"
    moved = {
        f"{other}{path}": Reply(to=path) if path.startswith("/2024/") else page
        for path, page in pages.items()
    }
    said = story_of(Crawl.of(Network(pages | moved), tmp_path, start=f"{other}/,{HOME}/").run())
    assert "links to articles lead to" not in said


@pytest.mark.parametrize("path", ["/", "/2024/05/a-1.html"])
def test_an_answer_that_is_still_to_come_is_asked_for_again(tmp_path: Path, path: str) -> None:
    """It was read as a page without an article, and no later run requested it again."""
    wait = Reply(b"<html><body><p>Please wait while we check your browser.</p></body></html>", 202)
    crawl = crawled(town() | {path: wait}, tmp_path)
    assert crawl.counts["pages/lost/the_server_answered_202"] == 1
    again = crawled(town(), tmp_path)
    assert len(crawl.feed + again.feed) == _COUNT


def test_a_whole_page_may_come_with_202(tmp_path: Path) -> None:
    assert (
        found({path: Reply(page.encode(), 202) for path, page in town().items()}, tmp_path)
        == _COUNT
    )


@pytest.mark.parametrize(
    "tile", ['<a href="{}"><img src="/pictures/1.jpg"></a>', '<p><a href="{}">2 May</a></p>']
)
def test_articles_whose_links_look_like_those_of_sections(tmp_path: Path, tile: str) -> None:
    """All links of 60 articles are tiles without words, or days: the model takes them for
    sections."""
    articles = [f"/stories/{n + 80}" for n in range(60)]
    pages: Pages = {path: article_page(n) for n, path in enumerate(articles)}
    for page in range(5):
        tiles = "".join(f"<div>{tile.format(path)}</div>" for path in articles[12 * page :][:12])
        after = f'<a href="/page{page + 2}"><img src="/next.gif"></a>' if page < 4 else ""
        pages[f"/page{page + 1}"] = (
            f"<html><body>{NAVIGATION}<h1>News</h1>{tiles}{after}{FOOTER}</body></html>"
        )
    assert {*articles} <= {*crawled(pages | {"/": pages["/page1"]}, tmp_path).paths}


@pytest.mark.parametrize("words", ["{}", "&larr; {}", "No. {}"])
def test_an_article_that_a_list_shows_though_a_box_links_it_by_a_year(
    tmp_path: Path, words: str
) -> None:
    """The link that came first looks like one to a list, so the page was opened as one, and was
    dropped at the end without a word."""
    years = range(2017, 2022)
    box = "".join(f'<a href="/review-{year}">{words.format(year)}</a> ' for year in years)
    pages: Pages = {"/": listing_page(range(8))}
    for n in range(8):
        body = article_page(n).replace(
            '<div class="share">', f'<div class="years">{box}</div><div>'
        )
        pages[f"/2024/05/a-{n}.html"] = body
    for year in years:
        pages[f"/review-{year}"] = article_page(year)
    teasers = "".join(
        f'<h2><a href="/review-{year}">Harbour bridge number {year} opens to cyclists</a></h2>'
        f"<p>How the library was planned and paid for.</p>"
        for year in years
    )
    pages["/politics/"] = (
        f"<html><body>{NAVIGATION}<h1>Politics</h1>{teasers}{FOOTER}</body></html>"
    )
    assert {f"/review-{year}" for year in years} <= {*crawled(pages, tmp_path).paths}


def named_pages(name: Callable[[int], str], pages: int = 4, each: int = 9) -> Pages:
    """A chain of lists whose articles have no links; ``name`` names one to scripts or on a
    picture."""
    found: Pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(pages * each)}
    for page in range(pages):
        numbers = range(page * each, page * each + each)
        after = f'<a href="/days/{page + 2}/">The day before</a>' if page < pages - 1 else ""
        listed = re.sub(
            r'<div class="teaser">.*</div>(?=<div class="pager">)',
            "",
            listing_page(numbers),
            flags=re.S,
        )
        found[f"/days/{page + 1}/"] = listed.replace(_NEXT, "".join(map(name, numbers)) + after)
    return found | {"/": found["/days/1/"]}


@pytest.mark.parametrize(
    "name",
    [
        lambda n: f'<map name="m{n}"><area href="/2024/05/a-{n}.html" coords="0,0,9,9"></map>',
        lambda n: f"""<p onclick="window.open('/2024/05/a-{n}.html')">Bridge {n}</p>""",
        lambda n: (
            f"""<i data-items='[{{"title": "Bridge {n}", "url": "/2024/05/a-{n}.html"}}]'></i>"""
        ),
    ],
)
def test_lists_that_name_articles_without_links_bring_articles(
    tmp_path: Path, name: Callable[[int], str]
) -> None:
    articles = {path for path in named_pages(name) if path.startswith("/2024")}
    assert articles <= set(crawled(named_pages(name), tmp_path).paths)


ROWS = (
    """<p onclick="location.href='{}'">Bridge</p>""",
    '<p data-href="{}">Bridge</p>',
    '<svg><a xlink:href="{}"><text>Bridge</text></a></svg>',
    '<map name="m"><area href="{}" alt="Bridge"></map>',
    '<form action="{}"><button>Bridge</button></form>',
    '<story-card href="{}"></story-card>',
    '<script type="application/json">{{"url": "{}"}}</script>',
)


@pytest.mark.parametrize("row", ROWS)
def test_a_section_without_links_to_articles_brings_what_it_names_in_other_ways(
    tmp_path: Path, row: str
) -> None:
    """A crawl of a section opens no page outside of its folder that may be anything, unless nothing
    else is found."""

    def section(articles: int) -> Pages:
        rows = "".join(row.format(f"/2024/05/a-{n}.html") for n in range(articles))
        pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(articles)}
        return pages | {"/city/": f"<html><body>{NAVIGATION}<h1>City</h1>{rows}</body></html>"}

    assert found(section(3), tmp_path / "small", start=f"{HOME}/city/", scope="section") == 3
    again = crawled(
        section(3), tmp_path / "small", start=f"{HOME}/city/", scope="section", refresh=1
    )
    assert len(again.network.asked) == 4
    assert found(section(9), tmp_path, start=f"{HOME}/city/", scope="section") == 9
    assert found(section(12), tmp_path, start=f"{HOME}/city/", scope="section") == 3


@pytest.mark.parametrize("kind", ["text/template", "application/json"])
def test_rows_of_a_template_beside_links_are_found_in_the_same_run(
    tmp_path: Path, kind: str
) -> None:
    """Nothing was known of their URLs when the list was read, so that they came one run later, or
    never."""
    rows = "".join(
        f"<p><a href='/2024/05/a-{n}.html'>Harbour bridge number {n}</a></p>" for n in range(_COUNT)
    )
    hidden = f'<script type="{kind}">{rows}</script><script type="{kind}">["/shop/1","/shop/2","/shop/3"]</script>'
    pages = town(hidden) | {"/city/": town(hidden)["/"]}
    crawl = crawled(pages, tmp_path, start=f"{HOME}/city/", scope="section")
    assert len(crawl.feed) == _COUNT
    assert not [path for path in crawl.network.asked if "shop" in path]
    first = crawled(
        pages, tmp_path / "limited", start=f"{HOME}/city/", scope="section", max_pages=5
    )
    again = Crawl.of(
        Network(pages), tmp_path / "limited", first.feed, start=f"{HOME}/city/", scope="section"
    )
    again.run()
    assert len(again.feed) == _COUNT


def test_days_are_reached_by_a_calendar_without_articles(tmp_path: Path) -> None:
    days = [(month, day) for month in range(12, 4, -1) for day in range(2, 29, 4)]
    numbers = {date: n for n, date in enumerate(days)}
    pages: Pages = {f"/2024/05/a-{n}.html": article_page(n) for n in numbers.values()}
    bare = re.sub(r'<div class="teaser">.*?</div>', "", listing_page([0]), flags=re.S)
    for (month, day), n in numbers.items():
        pages[f"/day/{month}/{day}"] = listing_page([n]).replace(_NEXT, "")
    for month in range(12, 4, -1):
        cells = "".join(
            f'<td><a href="/day/{month}/{day}">{day}</a></td>' for m, day in days if m == month
        )
        before = f'<a href="/month/{month - 1}">«</a>' if month > 5 else ""
        pages[f"/month/{month}"] = bare.replace(_NEXT, f"<table><tr>{cells}</tr></table>{before}")
    assert found(pages | {"/": pages["/month/12"]}, tmp_path) == len(days)


@pytest.mark.parametrize("kind", ["application/json", "text/html"])
@pytest.mark.parametrize("of_html", [True, False])
def test_a_list_may_come_as_json(tmp_path: Path, kind: str, of_html: bool) -> None:
    pages = town('<button data-url="/api/list?page=2">Load more</button>')
    listed = pages.pop("/city/page/2/")
    items = [
        {"url": link[1], "title": link[2]}
        for link in _LINK.finditer(listed)
        if "/2024/05/" in link[1]
    ]
    teasers = "".join(f'<h2><a href="{item["url"]}">{item["title"]}</a></h2>' for item in items)
    answer = {"html": teasers} if of_html else {"data": {"items": items}, "next": None}
    pages["/api/list?page=2"] = Reply(json.dumps(answer).encode(), kind=kind)
    assert found(pages, tmp_path) == _COUNT


@pytest.mark.parametrize(
    "body", [b"{", b"[1, 2]", b'{"count": 3}', b"[" * 100_000, b'{"url": "/a b"}']
)
def test_json_without_a_list_stays_as_it_is(body: bytes) -> None:
    answer = FetchedPage(f"{HOME}/x", RequestContext(f"{HOME}/x", Role.SECTION), body=body)
    assert with_html_body(answer).body == body


def test_a_list_in_json_cannot_grow() -> None:
    """Every URL of an object repeats its title."""
    body = json.dumps({"title": "x" * 100_000, **{str(n): f"/{n}" for n in range(40_000)}}).encode()
    answer = FetchedPage(f"{HOME}/x", RequestContext(f"{HOME}/x", Role.SECTION), body=body)
    assert len(with_html_body(answer).body) < 10 * len(body)


def test_attributes_of_a_script_of_rows_take_linear_time() -> None:
    """They took minutes: the expression read all that follows behind each mention of the type."""
    body = b"<datastore></datastore><script " + b"text/xml " * 60_000
    answer = FetchedPage(f"{HOME}/x", RequestContext(f"{HOME}/x", Role.SECTION), body=body)
    assert with_html_body(answer).body == body


def test_texts_of_scripts_are_read_in_linear_time() -> None:
    html = f"<script>var a = '{'.html' * 100_000} ;</script><a href='/'>Home</a>"
    assert not list(hints(Page(f"{HOME}/", etree.HTML(html))))


@pytest.mark.costs(8)
def test_many_numbers_on_an_article_are_read_in_linear_time(tmp_path: Path) -> None:
    numbers = "".join(f"<a href='?page={number}'>{number}</a> " for number in range(2, 700))
    url, pages = "/2024/05/a-1.html", town()
    crawl = crawled(pages | {url: pages[url].replace("</body>", f"{numbers}</body>")}, tmp_path)
    assert url in crawl.paths


@pytest.mark.costs(10)
def test_many_buttons_of_a_form_are_read_in_linear_time() -> None:
    """Each of them asked again whether its form needs input: a page of 260 kB took two minutes."""
    fields = "<input type=hidden name=a>" * 6_000 + "<button>2</button>" * 6_000
    html = f"<html><body><form method=post>{fields}<textarea></textarea></form></body></html>"
    assert not turns_by_script(parse(html, f"{HOME}/city/"))


@pytest.mark.parametrize("slash", ["/", r"\/"])
def test_data_of_an_attribute_may_escape_slashes(slash: str) -> None:
    items = ",".join(f'{{"url": "{slash}news{slash}{n}.html"}}' for n in range(3))
    page = Page(f"{HOME}/", etree.HTML(f"<div :items='[{items}]'></div>"))
    assert [url for url, _ in hints(page)] == [f"{HOME}/news/{n}.html" for n in range(3)]


@pytest.mark.parametrize("value", ["list_2.html", "?page=2", "/city/2", "city/2", " /city/2"])
def test_a_choice_of_pages_may_name_files(value: str) -> None:
    html = f'<select onchange="location.href=this.value"><option value="{value}">2</option><option value="en">EN</option></select>'
    urls = [url for url, _ in references(HintSources(Page(f"{HOME}/", etree.HTML(html))))]
    assert urls == [absolute_url(f"{HOME}/", value.strip())]


@pytest.mark.parametrize(
    "start",
    [
        '<script>if (lang == "fr") { location.href = "/" + lang + "/"; } else { location.href = "/home.html"; }</script>',
        '<link rel="alternate" hreflang="en" href="/home.html">',
        '<script>window.location.href = "/home.html";</script>',
        '<frameset><frame src="menu.html"><frame src="home.html"></frameset>',
        '<body><iframe src="home.html"></iframe></body>',
    ],
)
def test_a_start_page_may_be_an_entrance(tmp_path: Path, start: str) -> None:
    pages = town()
    pages["/home.html"] = pages["/"]
    assert (
        found(
            pages | {"/": f"<html><head><title>The Example</title></head>{start}</html>"}, tmp_path
        )
        == _COUNT
    )


def test_a_start_page_tells_where_it_is_at_home(tmp_path: Path) -> None:
    base = '<head><base href="http://www.example.org/">'
    pages = {path: page.replace("<head>", base) for path, page in town().items()}
    assert found(pages, tmp_path) == _COUNT


@pytest.mark.parametrize(
    ("html", "home"),
    [
        ('<a href="http://blog.example.org/a">A</a>', "http://blog.example.org/x"),
        ('<a href="http://blog.example.org/a">A</a><a href="/b">B</a>', ""),
        ('<a href="http://www.other.net/a">A</a>', ""),
        (
            '<link rel="canonical" href="http://www.other.net/x"><a href="http://www.other.net/a">A</a>',
            "http://www.other.net/x",
        ),
    ],
)
def test_only_what_a_page_calls_its_own_is_its_home(html: str, home: str) -> None:
    assert home_of(Page("http://example.org/x", etree.HTML(html))) == home


def test_articles_may_be_named_by_p(tmp_path: Path) -> None:
    pages = {
        path.replace("/2024/05/a-", "/?p=10").replace(".html", ""): re.sub(
            r"/2024/05/a-(\d+)\.html", r"/?p=10\1", page
        )
        for path, page in town().items()
    }
    assert found(pages, tmp_path) == _COUNT


def test_numbered_reports_with_one_text_are_articles(tmp_path: Path) -> None:
    def report(page: str) -> str:
        return re.sub(
            r'<div class="text">.*?</div>',
            '<div class="text"><p>See the attached file.</p></div>',
            page,
            flags=re.S,
        )

    assert found({path: report(page) for path, page in town().items()}, tmp_path) == _COUNT


def met(texts: KnownTexts, key: str, article: Article, anchor: str = "") -> str:
    """The digest of an article whose page was met."""
    digest = texts.digest(key, article, anchor)
    texts.meet(digest, key)
    return digest


def test_a_number_counts_where_the_link_has_it() -> None:
    texts, body = KnownTexts(), PlainBody("Nothing of importance happened today.", "", "")
    reports = [Article(headline=f"Report {n}", body=body) for n in range(4)]
    digests = [met(texts, f"/{n}", report, f"Report {n}") for n, report in enumerate(reports)]
    assert not any(map(texts.unasked, digests))
    digests = [met(texts, f"/{n}", report, "next day") for n, report in enumerate(reports)]
    assert texts.unasked(digests[0]) == 3


def test_bulletins_of_several_days_are_several_texts() -> None:
    texts = KnownTexts()

    def shares(*days: str) -> int:
        said = [
            f"At noon the river stood at {n}12 cm below the bridge of the town."
            for n in range(len(days))
        ]
        pages = zip(days, said, strict=True)
        return max(
            texts.unasked(
                met(texts, f"/{n}", Article(datePublished=day, body=PlainBody(text, "", "")))
            )
            for n, (day, text) in enumerate(pages)
        )

    assert shares("2026-01-11", "2026-01-12", "2026-01-13") == 1
    assert shares("2026-01-14", "2026-01-14", "2026-01-14") == 3


def test_a_site_may_repeat_its_folders(tmp_path: Path) -> None:
    pages = {
        re.sub(r"^/2024/05", "/site/city/site/city", path): page.replace(
            "/2024/05/", "/site/city/site/city/"
        )
        for path, page in town().items()
    }
    assert found(pages, tmp_path) == _COUNT


def test_a_path_that_grows_in_circles_is_a_trap() -> None:
    traps, url = Traps(), f"{HOME}/a/b/a/b/"
    assert traps.bars(url, f"{HOME}/a/b/", href="a/b/") == "folders"
    assert traps.bars(url, f"{HOME}/a/b/", href="/a/b/a/b/") == ""
    assert traps.bars(url, f"{HOME}/a/b/a/b/c.html", href="/a/b/a/b/") == ""
    assert traps.bars(f"{url}a/b/", url, href="/a/b/a/b/a/b/") == "folders"


def test_only_a_short_page_sends_its_readers_on() -> None:
    script = "<script>location.replace('/home.html')</script>"
    assert (
        refresh_target(Page(f"{HOME}/", etree.HTML(f"<p>Hello</p>{script}"))) == f"{HOME}/home.html"
    )
    assert refresh_target(Page(f"{HOME}/", etree.HTML(f"<p>{'Hello ' * 80}</p>{script}"))) is None


@pytest.mark.parametrize(
    "text", ["/art/2024/12.html", f"{HOME}/art/2024/12.html", "\n ./art/2024/12.html\n "]
)
def test_a_script_opens_the_url_that_is_the_text_of_a_page(text: str) -> None:
    script = "<script>location.href = document.getElementById('place').innerText</script>"
    html = f'<html><head><title>News</title></head><body><p id="place" style="display: none">{text}</p>{{}}</body></html>'
    assert refresh_target(parse(html.format(script), f"{HOME}/")) == f"{HOME}/art/2024/12.html"
    assert refresh_target(parse(html.format(""), f"{HOME}/")) is None
    assert refresh_target(parse(html.format(f"<p>Hello</p>{script}"), f"{HOME}/")) is None


@pytest.mark.parametrize(
    ("content", "path"),
    [
        ("0; URL='/list.html'", "/list.html"),
        ("5;url=/list.html", "/list.html"),
        ("0;/list.html", "/list.html"),
        ("1.5, list.html", "/city/list.html"),
        ("30", None),
        ("30;", None),
    ],
)
def test_a_page_may_send_on_without_saying_url(content: str, path: str | None) -> None:
    page = parse(
        f'<html><head><meta http-equiv="refresh" content="{content}"></head><body></body></html>',
        f"{HOME}/city/",
    )
    assert refresh_target(page) == (HOME + path if path else None)


_WRITTEN_PAGER = """
var currentPage = {this};
var nextPage = currentPage+1
var countPage = {count}
if (currentPage != countPage-1) document.write("<a href=\\"{file} + nextPage + {end}\\">Next</a>");
"""


@pytest.mark.parametrize(
    ("call", "files"),
    [
        ("createPageHTML(4, 0, 'index', 'html');", ["index_1.html"]),
        ('createPageHTML(4,2,"index","shtml")', ["index_3.shtml"]),
        ("createPageHTML(4, 3, 'index', 'html')", []),
        ("createPageHTML('page_div', 4, 3, 'fenye', 'index', 'shtml', 500)", ["index_4.shtml"]),
        ("createPageHTML('page_div', 4, 4, 'fenye', 'index', 'shtml', 500)", []),
        ("var all = 4; var now = 2;\ncreatePageHTML(all, now, 'index', 'html')", ["index_3.html"]),
        ("function createPageHTML(count, now, name, ending) {}", []),
        (
            _WRITTEN_PAGER.format(this=0, count=9, file='index"+"_"', end='"."+"html'),
            ["index_1.html"],
        ),
        (_WRITTEN_PAGER.format(this=7, count=9, file='list_"', end='".shtml'), ["list_8.shtml"]),
        (_WRITTEN_PAGER.format(this=8, count=9, file='list_"', end='".shtml'), []),
        (f"createPageHTML({'9' * 5_000}, 0, 'index', 'html')", []),
    ],
)
def test_a_pager_that_a_known_script_draws_is_followed(call: str, files: list[str]) -> None:
    page = parse(
        f"<html><body><div class='pages'><script>{call}</script></div></body></html>",
        f"{HOME}/news/",
    )
    assert [url for url, _ in references(HintSources(page))] == [
        f"{HOME}/news/{file}" for file in files
    ]


def test_what_is_no_page_is_no_reference() -> None:
    html = """<a href="javascript:void(0)" onclick="go('/a.html')"></a><option value="5">5</option><p data-url="/a.jpg" data-href="/b">"""
    html += '<form onclick="choose()" action="/c"><input name="q"></form><select onchange="show(this.value)"></select>'
    assert [url for url, _ in references(HintSources(Page(f"{HOME}/", etree.HTML(html))))] == [
        f"{HOME}/a.html",
        f"{HOME}/b",
    ]


def test_a_backslash_in_a_query_stays() -> None:
    assert absolute_url(f"{HOME}/a/", "\\b\\c?d=\\e") == f"{HOME}/b/c?d=\\e"


@pytest.mark.parametrize(
    "query",
    [
        "logout=1",
        "replytocom=7",
        "share=print",
        "id=3&amp;add-to-cart=12",
        "title=A&amp;oldid=12",
        "do=revisions",
    ],
)
def test_a_link_that_performs_an_action_is_never_followed(tmp_path: Path, query: str) -> None:
    menu = f'<ul class="menu"><li><a href="/?{query}">Leave</a></li><li><a href="/city/?{query}">City</a></li></ul>'
    pages = town()
    crawl = crawled(pages | {"/": pages["/"].replace("<body>", f"<body>{menu}")}, tmp_path)
    assert len(crawl.feed) == _COUNT
    assert not [path for path in crawl.network.asked if "?" in path]


@pytest.mark.parametrize("fragment", ["", "#more-{}", "#post-{}"])
@pytest.mark.parametrize("is_beside", [False, True])
def test_articles_of_one_path_that_a_number_names_are_read(
    tmp_path: Path, fragment: str, is_beside: bool
) -> None:
    """The number and the fragment are those of an article and not of a post. ``is_beside``: the
    list leads to another article at the same path."""
    front, rows, numbers = "/" if is_beside else "/blog/", "", range(11, 31)
    for number in numbers:
        name = f"<h2><a href='/blog/?p={number}{fragment.format(number)}'>Harbour bridge number {number} opens to cyclists</a></h2>"
        rows += (
            f"<div class='teaser'>{name}<p>How bridge {number} was planned and paid for.</p></div>"
        )
    own = "<h2><a href='/blog/'>Harbour bridge number 99 opens to cyclists</a></h2><p>How bridge 99 was paid for.</p>"
    pages: Pages = {f"/blog/?p={number}": article_page(number) for number in numbers} | {
        "/blog/": article_page(99)
    }
    rows = f"<div class='teaser'>{own}</div>{rows}" if is_beside else rows
    pages[front] = f"<html lang='en'><body><h1>City</h1>{rows}</body></html>"
    crawl = crawled(pages, tmp_path, start=HOME + front)
    assert {f"/blog/?p={number}" for number in numbers} <= {*crawl.paths}


def test_articles_that_a_number_names_beside_a_long_article_are_read(tmp_path: Path) -> None:
    """A blog whose front is its newest article, turns its pages, and names the other articles in a
    column."""
    numbers = range(11, 31)
    pages: Pages = {f"/blog/?p={number}": article_page(number) for number in numbers}
    rows = "".join(
        f"<li><a href='{name}'>Harbour bridge {name[-2:]} opens to cyclists</a></li>"
        for name in pages
    )
    column = f"<p><a href='/blog/?paged=2'>Next page</a></p><div class='side'><ul>{rows}</ul></div></body>"
    front = "<html><body><h1>City</h1><ul><li><a href='/blog/'>Harbour bridge 99 opens to cyclists</a></li></ul></body></html>"
    crawl = crawled(
        pages | {"/blog/": article_page(99).replace("</body>", column), "/": front}, tmp_path
    )
    assert crawl.kinds["/blog/"] == "article"
    assert {f"/blog/?p={number}" for number in numbers} <= {*crawl.paths}
