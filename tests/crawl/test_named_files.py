"""Feeds and sitemaps are found wherever a site names them, or at the usual places, and what comes
decides what a file is."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from sitecrawl.crawl.file_entries import NamingFile
from sitecrawl.crawl.last_lines import lines_of
from tests.crawl.driver import HOME, Crawl, Network, Pages, Reply
from tests.pages import article_page, listing_page

_SHOWN, _NAMED = range(4), range(4, 10)  # articles that the front page shows, and those of the file


def path_of(number: int) -> str:
    return f"/2024/05/a-{number}.html"


def rss(numbers: range = _NAMED, *, more: str = "") -> str:
    items = "".join(
        f"<item><title>Story {n}</title><link>{HOME}{path_of(n)}</link></item>" for n in numbers
    )
    return f'<?xml version="1.0"?><rss version="2.0"><channel>{more}{items}</channel></rss>'


def atom(numbers: range = _NAMED, *, more: str = "") -> str:
    entries = "".join(f'<entry><link href="{path_of(n)}"/></entry>' for n in numbers)
    return f'<feed xmlns="http://www.w3.org/2005/Atom">{more}{entries}</feed>'


def json_feed(version: str, *, next_url: str = "", numbers: range = _NAMED) -> str:
    items = [{"id": str(n), "url": path_of(n)} for n in numbers]
    feed = {"version": f"https://jsonfeed.org/version/{version}", "items": items}
    return json.dumps(feed | ({"next_url": next_url} if next_url else {}))


def sitemap(numbers: range = _NAMED, *, day: str = "") -> str:
    lastmod = f"<lastmod>{day}</lastmod>" if day else ""
    rows = "".join(f"<url><loc>{HOME}{path_of(n)}</loc>{lastmod}</url>" for n in numbers)
    return f"<urlset>{rows}</urlset>"


def index(*paths: str, day: str = "") -> str:
    lastmod = f"<lastmod>{day}</lastmod>" if day else ""
    rows = "".join(f"<sitemap><loc>{HOME}{path}</loc>{lastmod}</sitemap>" for path in paths)
    return f"<sitemapindex>{rows}</sitemapindex>"


def site(home: str = "") -> Pages:
    """A front page of four articles with a part of ``home`` before its end, and six that it does
    not show."""
    front = listing_page(_SHOWN).replace("</body>", f"{home}</body>")
    return {"/": front} | {path_of(n): article_page(n) for n in range(10)}


def articles(pages: Pages, folder: Path, *, discover: str = "links") -> set[str]:
    crawl = Crawl.of(Network(pages), folder, discover=discover)
    crawl.run()
    return set(crawl.paths)


ALL = {path_of(n) for n in range(10)}
FEEDS: dict[str, tuple[str, str, str]] = {
    "a link with rel": (
        '<a rel="alternate" type="application/rss+xml" href="/neu.php">Neu</a>',
        "/neu.php",
        rss(),
    ),
    "JSON Feed 1.0": (
        '<link rel="alternate" type="application/json" href="/feed.json">',
        "/feed.json",
        json_feed("1"),
    ),
    "JSON Feed 1.1": (
        '<link rel="alternate" type="application/feed+json" href="/api/posts">',
        "/api/posts",
        json_feed("1.1"),
    ),
    "a charset behind the type": (
        '<link rel="alternate" type="application/atom+xml; charset=utf-8" href="/atom">',
        "/atom",
        atom(),
    ),
    "the text of a link": ('<a href="/abonnement/">Flux RSS</a>', "/abonnement/", rss()),
    "the text of a link, Chinese": ('<a href="/dingyue.do">订阅RSS</a>', "/dingyue.do", rss()),
    "an icon": (
        '<a href="/syndicate"><i></i><img src="/i.png" alt="RSS"></a>',
        "/syndicate",
        rss(),
    ),
    "a class": ('<a class="icon icon-rss" href="/out/1"></a>', "/out/1", atom()),
    "Joomla": (
        '<a href="/?format=feed&amp;type=atom">Abo</a>',
        "/?format=feed&type=atom",
        atom(),
    ),
    "SPIP": ('<a href="/spip.php?page=backend">Suivre</a>', "/spip.php?page=backend", rss()),
    "a file in a menu": (
        '<nav><a href="/noticias.rss">Suscribirse</a></nav>',
        "/noticias.rss",
        rss(),
    ),
    "no name, WordPress": ("", "/feed/", rss()),
    "no name, Hugo": ("", "/index.xml", rss()),
    "no name, Joomla": ("", "/index.php?format=feed&type=rss", rss()),
}


@pytest.mark.parametrize("where", FEEDS)
def test_a_feed_is_found_by_what_it_is(tmp_path: Path, where: str) -> None:
    home, path, feed = FEEDS[where]
    pages = site(home) | {path: feed}
    assert articles(pages, tmp_path, discover="links,feeds") == ALL


def test_a_feed_is_named_by_a_header(tmp_path: Path) -> None:
    pages = site()
    link = (
        '</style.css>; rel=preload; as=style, </neu>; rel="alternate"; type="application/rss+xml"'
    )
    pages |= {"/": Reply(pages["/"].encode(), link=link), "/neu": rss()}
    assert articles(pages, tmp_path, discover="links,feeds") == ALL


def test_a_page_may_list_the_feeds(tmp_path: Path) -> None:
    lists = (
        '<!doctype html><title>RSS</title><a href="/out/city">City</a><a href="/x/city.rss">RSS</a>'
    )
    pages = site('<a href="/rss/">RSS</a>') | {"/rss/": lists, "/x/city.rss": rss()}
    assert articles(pages, tmp_path, discover="links,feeds") == ALL


@pytest.mark.parametrize("place", ["feeds.news.example", "feeds.counter.example"])
def test_a_feed_may_be_on_another_host_but_its_pages_are_those_of_the_site(
    tmp_path: Path, place: str
) -> None:
    named = f'<link rel="alternate" type="application/rss+xml" href="http://{place}/n">'
    more = f"<link>{HOME}/</link><item><link>http://other.example/x.html</link></item>"
    feed = rss(range(4, 8), more=more).replace("</channel>", "<item><link>/2024/05/a-8.html</link></item>"
        "<item xmlns:fb='x'><link>http://c.example/~r/9</link><fb:origLink>"
        f"{HOME}{path_of(9)}</fb:origLink></item></channel>")  # fmt: skip
    pages = site(named) | {
        f"http://{place}/n": feed,
        "http://other.example/x.html": article_page(11),
    }
    assert articles(pages, tmp_path, discover="links,feeds") == ALL


def test_links_that_only_look_like_feeds_are_tried_once_for_each_pattern(tmp_path: Path) -> None:
    """WordPress names data of each page as ``application/json``."""
    pages = site()
    named = '<link rel="alternate" type="application/json" href="/wp-json/wp/v2/pages/{}"></head>'
    sections = {f"/section{n}/": listing_page(_SHOWN) for n in range(5)}
    menu = "".join(f'<a href="{path}">Section {path}</a>' for path in sections)
    pages |= {
        path: text.replace("</head>", named.format(n)).replace("<body>", f"<body><nav>{menu}</nav>")
        for n, (path, text) in enumerate(({"/": pages["/"]} | sections).items())
    }
    pages["*"] = lambda url: Reply(b'{"id": 7}', kind="application/json")
    crawl = Crawl.of(Network(pages), tmp_path, discover="links,feeds")
    lines = lines_of(crawl.run())
    assert len([path for path in crawl.network.asked if "wp-json" in path]) == 1
    assert "not read" not in "; ".join(lines)


SITEMAPS: dict[str, Pages] = {
    "Yoast": {"/sitemap_index.xml": index("/post.xml"), "/post.xml": sitemap()},
    "WordPress": {"/wp-sitemap.xml": index("/wp-sitemap-posts-post-1.xml"),
                  "/wp-sitemap-posts-post-1.xml": sitemap()},
    "a page in place of a missing file": {"/sitemap.xml": "<!doctype html><h1>Startseite</h1>",
                                          "/sitemap_index.xml": sitemap()},
    "compressed": {"/sitemap.xml.gz": gzip.compress(sitemap().encode())},
    "a list of URLs": {"/sitemap.txt": "\n".join(HOME + path_of(n) for n in _NAMED)},
    "robots.txt of another host": {"/robots.txt": "Sitemap: http://maps.example/n.xml",
                                   "http://maps.example/n.xml": sitemap()},
    "children as pages": {"/sitemap.xml": sitemap(range(4, 5)).replace("</urlset>",
        f"<url><loc>{HOME}/a.xml</loc></url><url><loc>{HOME}/b.xml.gz</loc></url>"
        f"<url><loc>{HOME}/c.txt</loc></url></urlset>"),
        "/a.xml": sitemap(range(5, 7)), "/b.xml.gz": gzip.compress(sitemap(range(7, 9)).encode()),
        "/c.txt": HOME + path_of(9)},
    "a list of sitemaps": {"/robots.txt": "Sitemap: /all.txt", "/all.txt": f"{HOME}/a.xml\n",
                           "/a.xml": sitemap()},
}  # fmt: skip


@pytest.mark.parametrize("where", SITEMAPS)
def test_a_sitemap_is_found_at_the_places_of_many_systems(tmp_path: Path, where: str) -> None:
    assert articles(site() | SITEMAPS[where], tmp_path, discover="links,sitemap") == ALL


@pytest.mark.parametrize(
    "named",
    [
        '<link rel="sitemap" type="application/xml" href="/x/map-1.xml">',
        '<link rel="Sitemap" href="/x/map-1.xml">',
        '<a href="/x/sitemap-de.xml">Sitemap</a>',
        "",
    ],
)
def test_a_page_names_a_sitemap(tmp_path: Path, named: str) -> None:
    pages = site(named) | {"/x/map-1.xml": sitemap(), "/x/sitemap-de.xml": sitemap()}
    if not named:
        pages["/"] = Reply(pages["/"].encode(), link="</x/map-1.xml>; rel=sitemap")
    assert articles(pages, tmp_path, discover="links,sitemap") == ALL


@pytest.mark.parametrize("count", [2, 3, 5, 60])
def test_an_index_may_date_a_sitemap_wrongly(tmp_path: Path, count: int) -> None:
    """With ``since`` a sitemap was not read that its index called old, though its pages are new."""
    maps = {f"/map{n}.xml": sitemap(range(0), day="2011-01-01") for n in range(count)}
    maps[f"/map{count - 1}.xml"] = sitemap(day="2024-05-20")
    pages = site() | maps | {"/sitemap.xml": index(*maps, day="2011-12-29")}
    crawl = Crawl.of(Network(pages), tmp_path, discover="links,sitemap", since="2024-05-01")
    crawl.run()
    assert set(crawl.paths) == ALL
    assert len([path for path in crawl.network.asked if path.startswith("/map")]) <= 7


NEXT = {
    "Atom": (atom(range(4, 6), more='<link rel="self" href="/f"/><link rel="next" href="/f?p=2&amp;x=1"/>'),
             atom(range(6, 10))),
    "an archive": (atom(range(4, 6), more='<link rel="prev-archive" href="/f?p=2&amp;x=1"/>'),
                   atom(range(6, 10))),
    "RSS": (rss(range(4, 6), more='<atom:link rel="next" href="/f?p=2&amp;x=1"/>'), rss(range(6, 10))),
    "behind the entries": (rss(range(4, 6)).replace("</channel>",
        "<atom10:link rel='next' href='/f?p=2&amp;x=1'/></channel>"), rss(range(6, 10))),
    "JSON Feed": (json_feed("1.1", numbers=range(4, 6), next_url="/f?p=2&x=1"),
                  json_feed("1.1", numbers=range(6, 10))),
}  # fmt: skip


@pytest.mark.parametrize("form", NEXT)
def test_a_feed_has_further_parts(tmp_path: Path, form: str) -> None:
    """They are read while they name new pages: a second visit reads none of them."""
    first, second = NEXT[form]
    named = '<link rel="alternate" type="application/rss+xml" href="/f">'
    network = Network(site(named) | {"/f": first, "/f?p=2&x=1": second})
    crawl = Crawl.of(network, tmp_path, discover="links,feeds")
    crawl.run()
    assert set(crawl.paths) == ALL
    network.asked.clear()
    Crawl.of(network, tmp_path, discover="links,feeds").run()
    assert [path for path in network.asked if path.startswith("/f")] == ["/f"]


READ = {
    "other languages before the address": (
        '<urlset><url><xhtml:link rel="alternate" hreflang="en" href="http://a.example/en/1"/>'
        "<loc>http://a.example/de/1</loc></url></urlset>",
        ["http://a.example/de/1"],
    ),
    "a picture before the address": (
        "<urlset><url><image:image><image:loc>http://a.example/1.jpg</image:loc></image:image>"
        "<loc>http://a.example/1</loc></url></urlset>",
        ["http://a.example/1"],
    ),
    "markup in a title": (
        "<rss><item><title><b>One</b> & <i>two</title><link>/1</link></item>"
        "<item><title>Two</title><link>/2</link></item></rss>",
        ["http://a.example/1", "http://a.example/2"],
    ),
    "an end tag in a text": (
        "<rss><item><description><![CDATA[<item>x</item>]]></description><link>/1</link></item>"
        "<item><link>/2</link></item></rss>",
        ["http://a.example/1", "http://a.example/2"],
    ),
    "a section that is not closed": (
        "<rss><item><link>/1</link><title><![CDATA[One</title></item>"
        "<item><title><![CDATA[Two]]></title><link>/2</link></item></rss>",
        ["http://a.example/1", "http://a.example/2"],
    ),
    "a relative guid": ("<rss><item><guid>/1</guid></item></rss>", ["http://a.example/1"]),
    "a guid that is no address": (
        '<rss><item><guid isPermaLink="false">/1</guid></item></rss>',
        [],
    ),
    "several links of one entry": (
        '<feed><entry><link rel="alternate" type="audio/mpeg" href="/1.mp3"/>'
        '<link rel="alternate" type="text/html" href="/1"/></entry></feed>',
        ["http://a.example/1"],
    ),
    "escaped slashes": (
        '{"version": "https:\\/\\/jsonfeed.org\\/version\\/1", "items": [{"url": "\\/1"}]}',
        ["http://a.example/1"],
    ),
}


@pytest.mark.parametrize("what", READ)
def test_entries_are_read(what: str) -> None:
    text, urls = READ[what]
    file = NamingFile.of(text.encode())
    assert [entry.url for entry in file.entries("http://a.example/f")] == urls
    assert file.is_whole


CUT = {
    "feed": rss()[:-40],
    "sitemap": sitemap()[:-20],
    "JSON": json_feed("1.1")[:-20],
    "compressed": gzip.compress(
        sitemap().replace("</urlset>", " " * 5_000_000 + "</urlset>").encode()
    )[:-400],
    "error behind entries": rss().partition("</channel>")[0] + "<br>Fatal error: out of memory",
}


@pytest.mark.parametrize("form", CUT)
def test_of_a_damaged_file_is_read_what_came_and_it_is_told(tmp_path: Path, form: str) -> None:
    pages = site() | {"/robots.txt": "Sitemap: /f", "/f": CUT[form]}
    crawl = Crawl.of(Network(pages), tmp_path, discover="links,sitemap")
    told = "; ".join(lines_of(crawl.run()))
    assert len(ALL - set(crawl.paths)) <= 1
    assert "1 feed or sitemap came without its end" in told


def test_a_link_of_a_page_may_lead_to_a_feed(tmp_path: Path) -> None:
    """It was parsed as a page, and what it names was lost."""
    pages = site('<a href="/latest/">Latest stories</a>')
    pages["/latest/"] = Reply(rss().encode(), kind="application/xml")
    assert articles(pages, tmp_path) == ALL


def test_many_sections_of_an_entry_are_read_in_linear_time() -> None:
    entry = "<item>" + "<![CDATA[x]]>" * 200_000 + "<link>/1</link></item>"
    file = NamingFile.of(f"<rss>{entry}</rss>".encode())
    assert [one.url for one in file.entries("http://a.example/f")] == ["http://a.example/1"]


def test_a_site_names_files_on_few_other_hosts(tmp_path: Path) -> None:
    """A site cannot make a crawl request pages of a thousand others."""
    named = "".join(
        f'<link rel="alternate" type="application/rss+xml" href="http://h{n}.example/f">'
        for n in range(50)
    )
    crawl = Crawl.of(Network(site(named)), tmp_path, discover="links,feeds")
    crawl.run()
    assert crawl.network.asked.count("/f") == 3


def test_a_named_sitemap_that_is_not_there_is_told_and_another_is_looked_for(
    tmp_path: Path,
) -> None:
    pages = site() | {"/robots.txt": "Sitemap: /sitemap.xml", "/wp-sitemap.xml": sitemap()}
    crawl = Crawl.of(Network(pages), tmp_path, discover="links,sitemap")
    told = "; ".join(lines_of(crawl.run()))
    assert set(crawl.paths) == ALL
    assert "1 feed or sitemap was not read" in told


NEWS_MAP = "<urlset xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'>{}</urlset>"
EVIDENCE: dict[str, tuple[str, str]] = {
    "a feed": ('<link rel="alternate" type="application/rss+xml" href="/n">', "/n"),
    "a feed, with a charset": (
        '<link rel="alternate" type="application/atom+xml; charset=gbk" href="/dingyue">',
        "/dingyue",
    ),
    "a feed on another host": (
        '<link rel="alternate" type="application/rss+xml" href="http://feeds.other.example/x">',
        "http://feeds.other.example/x",
    ),
    "a news sitemap": ('<link rel="sitemap" href="/mapa-news.xml">', "/mapa-news.xml"),
}


def dated(numbers: range, *, is_map: bool) -> str:
    """A feed, or a news sitemap, that tells a day for each article."""
    if is_map:
        row = "<url><loc>{}</loc><news:news><news:publication_date>{}</news:publication_date></news:news></url>"
        return NEWS_MAP.format(
            "".join(row.format(HOME + path_of(n), f"2024-06-{n + 1:02}") for n in numbers)
        )
    row = "<item><title>Story</title><link>{}</link><pubDate>{}</pubDate></item>"
    items = "".join(row.format(HOME + path_of(n), f"2024-06-{n + 1:02}T08:00:00Z") for n in numbers)
    return f"<rss version='2.0'><channel>{items}</channel></rss>"


@pytest.mark.parametrize("where", EVIDENCE)
def test_what_a_start_page_names_is_read_by_default(tmp_path: Path, where: str) -> None:
    """It tells articles that no link leads to, and the day of those whose pages tell none. An
    unchanged site is not asked for it again."""
    head, place = EVIDENCE[where]
    file = dated(range(10), is_map="news" in place)
    pages = site(head) | {place: file}
    for n in range(10):
        page = re.sub(r'<span class="date">.*?</span>', "", article_page(n))
        pages[path_of(n)] = page.replace("Published", "")
    network = Network(pages)
    crawl = Crawl.of(network, tmp_path)
    crawl.run()
    assert set(crawl.paths) == ALL
    days = {item["url"]: str(item["datePublished"])[:10] for item in crawl.feed}
    assert days == {f"{HOME}{path_of(n)}": f"2024-06-{n + 1:02}" for n in range(10)}
    count = network.asked.count(place.removeprefix("http://feeds.other.example"))
    again = Crawl.of(network, tmp_path)
    again.run()
    assert again.feed == []
    assert network.asked.count(place.removeprefix("http://feeds.other.example")) == count == 1


def test_two_files_at_most_are_read_by_default(tmp_path: Path) -> None:
    link = '<link rel="alternate" type="application/rss+xml" href="/feed/{}">'
    home = "".join(link.format(n) for n in range(5)) + '<link rel="sitemap" href="/news.xml">'
    more = f'<link rel="next" href="{HOME}/feed/0?page=2"/>'
    files = {f"/feed/{n}": rss(range(n, n + 3), more=more) for n in range(5)}
    files |= {"/news.xml": index("/n/1.xml"), "/n/1.xml": sitemap(), "/feed/0?page=2": rss()}
    network = Network(site(home) | files)
    Crawl.of(network, tmp_path).run()
    assert [path for path in network.asked if path in files] == ["/news.xml", "/feed/0"]


def test_a_feed_that_is_not_there_by_default_is_nothing_to_tell(tmp_path: Path) -> None:
    crawl = Crawl.of(Network(site(EVIDENCE["a feed"][0])), tmp_path)
    crawl.run()
    assert len(crawl.feed) == 4
    assert not any(name.startswith("hints/") for name in crawl.counts)


@pytest.mark.parametrize("rel", ["next", "prev-archive"])
def test_older_parts_of_a_feed_are_read_where_the_first_lists_what_pages_show(
    tmp_path: Path, rel: str
) -> None:
    pages = site('<link rel="alternate" type="application/atom+xml" href="/a">')
    pages |= {
        "/a": atom(_SHOWN, more=f'<link rel="{rel}" href="/a/2"/>'),
        "/a/2": atom(more=f'<link rel="{rel}" href="/a/3"/>'),
        "/a/3": atom(range(2)),
    }
    assert articles(pages, tmp_path, discover="links,feeds") == ALL
    network = Network(pages)
    Crawl.of(network, tmp_path, discover="links,feeds").run()
    assert [path for path in network.asked if path in ("/a", "/a/2")] == ["/a"]
