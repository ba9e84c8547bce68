"""Feeds and sitemaps as hints: read safely, newest first, within scope and budget, and never
believed blindly."""

from __future__ import annotations

import gzip
import json
import re
import time
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from sitecrawl.crawl.config import ArgumentError, CrawlArguments
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.file_entries import FileEntry, NamingFile
from sitecrawl.crawl.ledger import EarlierRuns, Ledger
from sitecrawl.crawl.linked_pages import SitePages
from sitecrawl.crawl.named_files import feeds_of, sitemaps_of
from sitecrawl.crawl.records import FetchedPage, FileKind, RequestContext, Role
from sitecrawl.crawl.site_state import Memory
from sitecrawl.dom.parse import parse
from sitecrawl.links.classify import Profile
from tests.crawl.driver import HOME, Crawl, Network, Reply, story_of
from tests.crawl.runner import Answer, Run, crawl, send, served
from tests.pages import article_page, listing_page

BASE = "http://example.com/news/"
INFO = ("-s", "LOG_LEVEL=INFO")
SITEMAP = ("-a", "discover=links,sitemap")

RSS = b"""<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>http://example.com/</link>
<image><url>http://example.com/logo.png</url></image>
<item><title>One</title><atom:link rel="self" href="/self"/><link>/a-1.html</link><pubDate>Fri, 05 Jul 2024 10:30:00 +0800</pubDate></item>
<item><title>Two &nbsp; &</title><guid isPermaLink="true">http://example.com/a-2.html</guid></item>
<item><title>No address</title><guid>tag:2</guid></item></channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/><entry><link rel="edit" href="/edit"/><link href="a-3.html"/>
<updated>2024-07-06T08:00:00Z</updated><published>2024-07-05T08:00:00Z</published></entry></feed>"""
NEWS = b"""<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">
<url><loc> http://example.com/a-4.html </loc><news:news><news:publication_date>2024-07-07</news:publication_date></news:news></url>
<url><loc>ftp://example.com/a-5.html</loc></url><url><lastmod>2024</lastmod></url></urlset>"""
BOMB = b"""<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY f SYSTEM "file:///etc/hostname">]>
<urlset><url><loc>http://example.com/&d;&d;&d;</loc></url><url><loc>http://example.com/&f;</loc></url>
<url><loc>http://example.com/sound.html</loc></url></urlset>"""

JSON_FEED = b"""\xef\xbb\xbf{"version": "https://jsonfeed.org/version/1.1", "title": "News", "home_page_url": "http://example.com/",
"items": [{"id": "1", "url": "/a-6.html", "date_published": "2024-07-08T09:00:00+02:00"}, {"id": "http://example.com/a-7.html"},
{"id": 8}, "none", {"url": "ftp://example.com/a-9.html"}]}"""


def hints_of(body: bytes) -> list[FileEntry]:
    """The pages that a file names."""
    return [hint for hint in NamingFile.of(body).entries(BASE) if not hint.is_sitemap]


def read(discovery: Discovery, context: RequestContext, body: bytes) -> list[RequestContext]:
    """The pages that a fetched file names."""
    return discovery.read(FetchedPage(context.url, context, body)).pages


def test_feeds_are_read() -> None:
    first, second = hints_of(RSS)
    assert (first.url, first.day, first.news) == (
        "http://example.com/a-1.html",
        "2024-07-05T10:30:00+08:00",
        True,
    )
    assert (second.url, second.day) == ("http://example.com/a-2.html", "")
    (entry,) = hints_of(ATOM)
    assert (entry.url, entry.day) == ("http://example.com/news/a-3.html", "2024-07-05T08:00:00Z")
    found = [(hint.url, hint.day, hint.news) for hint in hints_of(JSON_FEED)]
    assert found == [
        ("http://example.com/a-6.html", "2024-07-08T09:00:00+02:00", True),
        ("http://example.com/a-7.html", "", True),
    ]


@pytest.mark.parametrize(
    ("root", "entry", "expected"),
    [
        ("", '<link href="a-1.html"/>', "http://example.com/news/a-1.html"),
        (' xml:base="/old/"', '<link href="a-1.html"/>', "http://example.com/old/a-1.html"),
        (
            ' xml:base="/old/"',
            '<link xml:base="2024/" href="a-1.html"/>',
            "http://example.com/old/2024/a-1.html",
        ),
        (
            ' xml:base="http://[damaged/"',
            '<link href="a-1.html"/>',
            "http://example.com/news/a-1.html",
        ),
        (
            "",
            '<link rel="edit" href="/edit"/><id>http://example.com/a-1.html</id>',
            "http://example.com/a-1.html",
        ),
    ],
)
def test_links_of_an_entry_are_relative_to_the_base_that_it_names(
    root: str, entry: str, expected: str
) -> None:
    feed = f'<feed{root} xmlns="http://www.w3.org/2005/Atom"><link href="/"/><entry><title>One</title>{entry}</entry></feed>'
    assert [hint.url for hint in hints_of(feed.encode())] == [expected]


def test_years_of_two_digits_are_read_as_rfc_822_has_them() -> None:
    feed = "<rss><item><link>http://a.example/1</link><pubDate>Fri, 05 Jul 24 10:30:00 GMT</pubDate></item></rss>"
    assert [hint.day for hint in NamingFile.of(feed.encode()).entries("http://a.example/feed")] == [
        "2024-07-05T10:30:00Z"
    ]


@pytest.mark.parametrize(
    "name", ["issued", "created", "modified", "dcterms:issued", "dcterms:created", "dc:date"]
)
def test_days_of_older_formats_are_read(name: str) -> None:
    feed = (
        f"<feed><entry><link href='/a-1.html'/><{name}>2004-03-05T08:00:00Z</{name}></entry></feed>"
    )
    assert [hint.day for hint in hints_of(feed.encode())] == ["2004-03-05T08:00:00Z"]


def test_half_a_character_in_an_address_costs_no_other_entry(discovery: Discovery) -> None:
    rows = [
        {"url": f"/2024/05/a-{end}", "date_published": "2024-07-08"}
        for end in ("1\ud83d", "2?q=\ud83d", "3")
    ]
    found = read(discovery, MAP, json.dumps({"items": rows}).encode())
    assert sorted(hint.url.encode() for hint in found) == [
        b"http://example.com/2024/05/a-1%EF%BF%BD",
        "http://example.com/2024/05/a-2?q=\ufffd".encode(),
        b"http://example.com/2024/05/a-3",
    ]


def test_sitemaps_are_read() -> None:
    (page,) = hints_of(gzip.compress(NEWS))
    assert (page.url, page.day, page.news) == ("http://example.com/a-4.html", "2024-07-07", True)
    index = b"<sitemapindex><sitemap><loc>http://example.com/s.xml.gz</loc><lastmod>2024-07-01</lastmod></sitemap></sitemapindex>"
    assert [(hint.is_sitemap, hint.url) for hint in NamingFile.of(index).entries(BASE)] == [
        (True, "http://example.com/s.xml.gz")
    ]
    assert [hint.url for hint in hints_of(b"http://example.com/a\r\n\r\nnone\n")] == [
        "http://example.com/a"
    ]


JOINED = {
    "RSS": "<rss><channel><item><title>A</title><link>{}</link></item></channel></rss>",
    "Atom": "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='{}'/></entry></feed>",
    "JSON Feed": '{{"version": "https://jsonfeed.org/version/1.1", "items": [{{"url": "{}"}}]}}',
    "sitemap": "<urlset><url><loc>{}</loc></url></urlset>",
    "list": "{}",
}


@pytest.mark.parametrize("form", JOINED)
@pytest.mark.parametrize("path", ["2024/05/a-1.html", "?p=7", "a/b/c/"])
def test_an_entry_has_one_slash_behind_its_host(form: str, path: str) -> None:
    """Programs join the URL of the site, which ends in a slash, and a path. The links of the pages
    name the same article with one slash, and it was asked for twice."""
    body = JOINED[form].format(f"http://example.com//{path}").encode()
    (hint,) = hints_of(body)
    assert unquote(hint.url) == f"http://example.com/{path}"


NOT_WELL_FORMED = {
    "ampersand": ("&amp;", "&"),
    "entity": ("note", "&nbsp;"),
    "control": ("note", "\x0b"),
    "sign": ("note", "a < b"),
    "half of a character": ("note", "&#55357;&#56832; &#xD83D;"),
    "tag": ("note", "<p>one<br>two"),
    "warning": ("<?xml", "<b>Warning</b>: no file\n<?xml"),
    "encoding": ("utf-8", "gb2312"),
    "twice": (
        "<link>http://example.com/a?n=1&amp;m=2<",
        "<link><![CDATA[http://example.com/a?n=1&amp;m=2]]><",
    ),
}


@pytest.mark.parametrize("fault", NOT_WELL_FORMED)
def test_a_feed_that_is_not_well_formed_names_the_same_pages(fault: str) -> None:
    """The parser left out every ``&amp;`` behind an error, and all entries behind some."""
    items = "".join(
        f"<item><title>港口</title><description>note</description><link>http://example.com/a?n={n}&amp;m=2</link></item>"
        for n in range(1, 4)
    )
    feed = f'<?xml version="1.0" encoding="utf-8"?><rss><channel>{items}</channel></rss>'
    body = feed.replace(*NOT_WELL_FORMED[fault]).encode()
    assert [hint.url for hint in hints_of(body)] == [
        f"http://example.com/a?n={n}&m=2" for n in range(1, 4)
    ]


def test_entities_are_not_expanded() -> None:
    urls = [hint.url for hint in hints_of(BOMB)]
    assert urls[-1] == "http://example.com/sound.html"
    assert max(map(len, urls)) < 100


def test_sizes_are_bounded() -> None:
    entries = b"<url><loc>http://example.com/%d</loc></url>"
    many = b"<urlset>" + b"".join(entries % n for n in range(60_000)) + b"</urlset>"
    began = time.monotonic()
    assert len(hints_of(gzip.compress(many))) == 50_000
    assert hints_of(gzip.compress(b"<urlset>" + b" " * 200_000_000)) == []
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x1f\x8bnone",
        b"<",
        b"<urlset",
        b"\x00\x01",
        b"{}",
        b'{"items": 3}',
        b'{"items"',
        b'{"a":' * 9000,
        RSS[:300],
        b"<a>" * 5000,
    ],
)
def test_damage_raises_nothing(body: bytes) -> None:
    assert len(hints_of(body)) <= 1


def test_a_robots_txt_of_blank_lines_is_read_once() -> None:
    """Blanks that spanned lines took five minutes: every line was read on to the end."""
    body = b"\n \n" * 160_000 + b"Sitemap: /news.xml\n"
    assert sitemaps_of(body, BASE) == ["http://example.com/news.xml"]


def test_where_feeds_and_sitemaps_are() -> None:
    assert sitemaps_of(b"User-agent: *\nSITEMAP: /news.xml\n", BASE) == [
        "http://example.com/news.xml"
    ]
    assert sitemaps_of(b"", BASE) == []
    lines = (
        b"\xef\xbb\xbfSitemap: /news.xml",
        b"User-agent: *",
        b" Sitemap: /old.xml",
        b"Disallow: /*sitemap: no",
    )
    for end in (b"\n", b"\r\n", b"\r"):
        assert sitemaps_of(end.join(lines), BASE) == [
            "http://example.com/news.xml",
            "http://example.com/old.xml",
        ]
    head = "".join(
        f'<link rel="{rel}" type="{kind}" href="{href}">'
        for rel, kind, href in [
            ("alternate", "application/rss+xml", "/comments/feed/"),
            ("alternate", "application/rss+xml", "/?feed=comments-rss2"),
            ("alternate", "application/rss+xml", "/feeds/12/comments/default"),
            ("alternate", "application/rss+xml", "http://comments.example/feed.xml"),
            ("alternate", "application/rss+xml", "/commentary.xml"),
            ("Alternate", "application/atom+xml", "atom.xml"),
            ("alternate", "application/feed+json", "/feed.json"),
            ("alternate", "text/html", "/en/"),
            ("alternate", "text/xml", "/rss.xml"),
            ("alternate", "text/xml+oembed", "/oembed"),
            ("alternate", "application/rss+xml", "file:///etc/passwd"),
        ]
    )
    names = ("commentary.xml", "news/atom.xml", "feed.json", "rss.xml")
    other = "http://comments.example/feed.xml"
    assert feeds_of(parse(head, BASE)) == [other, *(f"http://example.com/{name}" for name in names)]


@pytest.mark.parametrize("reply", [None, Reply(b"", 503), "<urlset></urlset>"])
def test_files_that_were_asked_for_and_did_not_come_are_told(
    tmp_path: Path, reply: Reply | str | None
) -> None:
    """Who names sitemaps and feeds as ways to articles was not told that there are none, or that
    they failed."""
    feed = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
    page = listing_page(range(3)).replace("</head>", f"{feed}</head>")
    pages = {"/": page, "/feed.xml": "<rss></rss>"} | {
        f"/2024/05/a-{n}.html": article_page(n) for n in range(3)
    }
    pages |= {"/sitemap.xml": reply} if reply else {}
    crawl = Crawl.of(Network(pages), tmp_path, discover="links,feeds,sitemap")
    told = "1 feed or sitemap was not read" in story_of(crawl.run())
    assert told is not isinstance(reply, str)


@pytest.mark.parametrize("form", ["feed", "sitemap", "compressed"])
def test_a_feed_or_sitemap_may_be_the_start_page(tmp_path: Path, form: str) -> None:
    paths = [f"/2024/05/a-{n}.html" for n in range(6)]
    entries = "".join(f"<item><link>{HOME}{path}</link></item>" for path in paths)
    places = "".join(f"<url><loc>{HOME}{path}</loc></url>" for path in paths)
    body = (
        f"<rss><channel>{entries}</channel></rss>"
        if form == "feed"
        else f"<urlset>{places}</urlset>"
    )
    file = f'<?xml version="1.0"?>\n<!-- of our pages -->\n{body}'.encode()
    pages: dict[str, Any] = {path: article_page(n) for n, path in enumerate(paths)}
    network = Network(pages | {"/news.xml": gzip.compress(file) if form == "compressed" else file})
    crawl = Crawl.of(network, tmp_path, start=f"{HOME}/news.xml")
    outcome = crawl.run()
    assert (crawl.paths, outcome.code) == (paths, 0)


@pytest.mark.parametrize("given", ["everything", ",", "links,feed"])
def test_unknown_ways_to_find_pages(given: str) -> None:
    with pytest.raises(ArgumentError, match="choose from links, feeds, sitemap"):
        CrawlArguments.parse({"start": BASE, "discover": given})


# ---- what is asked for
MAP = RequestContext("http://example.com/sitemap.xml", Role.FILE, file=FileKind.SITEMAP)


@pytest.fixture
def discovery() -> Discovery:
    arguments = CrawlArguments.parse(
        {"start": "http://example.com/", "discover": "links,feeds,sitemap"}
    )
    return Discovery(
        arguments,
        SitePages.of(arguments.start, "site"),
        Profile(),
        Ledger(
            earlier=EarlierRuns(lambda keys: [key for key in keys if key.endswith("/seen.html")])
        ),
    )


def named(discovery: Discovery, urls: dict[str, str]) -> list[RequestContext]:
    return read(discovery, MAP, sitemap(urls))


def test_the_files_of_a_site_are_asked_for_once_and_within_it(discovery: Discovery) -> None:
    discovery.begin()
    robots = discovery.next_file()
    assert robots
    assert (robots.url, robots.file) == ("http://example.com/robots.txt", FileKind.ROBOTS)
    text = b"Sitemap: /a.xml\nSitemap: /a.xml\nSitemap: http://maps.example/b.xml\n"
    assert read(discovery, robots, text) == []
    found = sorted(file.url for file in iter(discovery.next_file, None))
    assert found == ["http://example.com/a.xml", "http://maps.example/b.xml"]


def test_feeds_come_before_sitemaps_and_the_newest_sitemap_first(discovery: Discovery) -> None:
    rows = [("old", "2023-01-01"), ("new", "2024-06-01"), ("none", "")]
    index = "".join(
        f"<sitemap><loc>http://example.com/{n}</loc><lastmod>{d}</lastmod></sitemap>"
        for n, d in rows
    )
    read(discovery, MAP, f"<sitemapindex>{index}</sitemapindex>".encode())
    head = '<link rel="alternate" type="application/rss+xml" href="/feed">'
    discovery.take_files(parse(head, "http://example.com/"))
    found = [file.url[19:] for file in iter(discovery.next_file, None)]
    assert found == ["feed", "new", "old", "none"]


def test_what_is_known_or_elsewhere_is_not_named_again(discovery: Discovery) -> None:
    urls = ("/seen.html", "/2024/05/new.html", "http://other.example/x.html", "/photo.jpg")
    assert [hint.url for hint in named(discovery, dict.fromkeys(urls, ""))] == [
        "http://example.com/2024/05/new.html"
    ]


def test_what_the_site_taught_tells_the_promise_of_a_hint(discovery: Discovery) -> None:
    def promise(url: str) -> float:
        (hint,) = named(discovery, {url: ""})
        return hint.promise

    assert promise("http://example.com/about") == pytest.approx(0.4)
    assert promise("http://example.com/news/2024/05/31/a-long-story.html") == pytest.approx(0.6)
    for n in range(9):
        discovery.evidence.record(f"http://example.com/list/{n}.html", "hint", kind="listing")
    assert promise("http://example.com/list/10.html") < 0.1


# ---- whole crawls
def stories(*numbers: int) -> dict[str, bytes | Answer]:
    return {f"/2024/05/a-{n}.html": article_page(n).encode() for n in numbers}


def sitemap(urls: dict[str, str], home: str = "") -> bytes:
    rows = "".join(
        f"<url><loc>{home}{path}</loc><lastmod>{day}</lastmod></url>" for path, day in urls.items()
    )
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'.encode()


def days(*numbers: int) -> dict[str, str]:
    return {f"/2024/05/a-{n}.html": f"2024-05-{n % 27 + 1:02d}" for n in numbers}


def text(body: bytes) -> Answer:
    return lambda handler: send(handler, 200, body, Content_Type="text/plain")


def paths(run: Run) -> set[str]:
    return {urlsplit(url).path for url in run.urls}


def test_without_being_asked_no_hint_is_followed(tmp_path: Path) -> None:
    pages = stories(0, 1, 2, 9) | {
        "/": listing_page([0, 1, 2]).encode(),
        "/sitemap.xml": sitemap(days(9)),
    }
    with served(pages) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl")
        assert "/sitemap.xml" not in site.asked
    assert paths(run) == set(days(0, 1, 2))


def test_a_sitemap_leads_to_what_no_page_links_to(tmp_path: Path) -> None:
    words = map("".join, product("bcdfghjklmnp", "aeiouy"))
    sections = {f"/section/{word}ing/": listing_page([0]).encode() for word in words}
    pages = stories(*range(3), *range(9, 20)) | sections | {"/": listing_page([0, 1, 2]).encode()}
    named = (
        days(*range(1, 20))
        | dict.fromkeys(sections, "2024-05-30")
        | {"http://127.0.0.2/x.html": "2024-06-01"}
    )
    pages["/sitemap.xml"] = sitemap(named)
    with served(pages) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", *SITEMAP, *INFO)
        # sixteen are requested before the first of them is read
        assert len([path for path in site.asked if path.startswith("/section")]) < 36, (
            "half of seventy-two"
        )
        assert len(site.asked) == len(set(site.asked) - {"/robots.txt"}) + 2
        again = crawl(f"{site.url}/", tmp_path / "out.jsonl", *SITEMAP)
    assert paths(run) == set(days(*range(3), *range(9, 20)))
    counted = re.search(r"'sitecrawl/hints/sitemap': (\d+)", run.said)
    assert counted, run.said
    assert int(counted[1]) in (89, 90, 91), (
        "two of them may be met on the start page before the sitemap is read"
    )
    assert again.items == []


def test_a_feed_leads_to_articles_of_its_section(tmp_path: Path) -> None:
    feed = '<link rel="alternate" type="application/rss+xml" href="/city/feed.xml"></head>'
    pages = stories(0, 1, 2, 9, 10) | {
        "/city/": listing_page([0, 1, 2]).replace("</head>", feed).encode()
    }
    items = "".join(f"<item><link>/2024/05/a-{n}.html</link></item>" for n in (1, 9, 10))
    pages["/city/feed.xml"] = lambda h: send(
        h,
        200,
        f"<rss><channel>{items}</channel></rss>".encode(),
        Content_Type="application/rss+xml",
    )
    with served(pages) as site:
        run = crawl(
            f"{site.url}/city/", tmp_path / "out.jsonl", "-a", "discover=links,feeds", *INFO
        )
        only = crawl(f"{site.url}/city/", tmp_path / "only" / "out.jsonl", "-a", "discover=feeds")
    assert paths(run) == set(days(0, 1, 2, 9, 10))
    assert {item["sectionUrl"] for item in run.items} == {f"{site.url}/city/"}
    assert "'sitecrawl/hints/feed': 2" in run.said
    assert paths(only) == set(days(1, 9, 10))


def test_indexes_and_news_sitemaps_named_by_robots(tmp_path: Path) -> None:
    pages = stories(0, *range(5, 12)) | {"/": listing_page([0]).encode()}
    with served(pages) as site:
        row = "<sitemap><loc>{}/{}</loc><lastmod>{}</lastmod></sitemap>"
        rows = [
            ("old.xml", "2023-01-01"),
            ("new.xml.gz", "2024-05-20"),
            ("map.xml", "2024-05-21"),
            ("gone.xml", ""),
        ]
        index = "".join(row.format(site.url, name, day) for name, day in rows)
        pages["/robots.txt"] = text(
            b"User-agent: *\nDisallow: /2024/05/a-7.html\nSitemap: /map.xml\nSitemap: http://127.0.0.2/s.xml\n"
        )
        pages["/map.xml"] = f"<sitemapindex>{index}</sitemapindex>".encode()
        pages["/old.xml"] = sitemap(days(5))
        pages["/new.xml.gz"] = lambda h: send(
            h,
            200,
            gzip.compress(sitemap(days(*range(6, 12)), site.url)),
            Content_Type="application/gzip",
        )
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", *SITEMAP, "-a", "since=2024-05-08")
        asked = site.asked[:]
    assert paths(run) == set(days(8, 9, 10, 11))
    assert {"/old.xml", "/gone.xml"} <= set(asked), "an index may date its sitemaps wrongly"
    assert "/2024/05/a-5.html" not in asked
    assert "/2024/05/a-7.html" not in asked


@pytest.mark.parametrize("dated", [True, False])
def test_the_sitemaps_of_a_large_archive_are_read(tmp_path: Path, dated: bool) -> None:
    """Of an index the first fifty sitemaps were read in each run, often the oldest: no article of
    the others ever came, and no line said so."""
    row = "<sitemap><loc>{}/map{}.xml</loc>{}</sitemap>"
    days_of = [
        f"<lastmod>{2016 + n // 12}-{n % 12 + 1:02d}-01</lastmod>" * dated for n in range(80)
    ]
    pages = {f"/map{n}.xml": sitemap({f"/2024/05/a-{n}.html": ""}) for n in range(80)}
    pages |= {f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(80)}
    index = "".join(row.format(HOME, n, day) for n, day in enumerate(days_of))
    pages |= {
        "/": b"<p>Hello</p>",
        "/sitemap.xml": f"<sitemapindex>{index}</sitemapindex>".encode(),
    }
    network = Network(
        {path: page.replace(b"http://example.com", HOME.encode()) for path, page in pages.items()}
    )
    first = Crawl.of(network, tmp_path, discover="links,sitemap")
    first.run()
    assert len(first.feed) == 80
    network.asked.clear()
    told = story_of(Crawl.of(network, tmp_path, discover="links,sitemap").run())
    read = [path for path in network.asked if path.startswith("/map")]
    assert len(read) == 50
    assert "/map79.xml" in read
    assert ("30 feeds or sitemaps were not read" in told) is not dated


def test_the_files_of_a_large_archive_are_not_stored_again_for_each_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A site with a thousand sitemaps cost a third of its crawl for this."""
    pages: dict[str, str] = {f"/map{n}.xml": "<urlset></urlset>" for n in range(9)}
    pages |= {f"/2024/05/a-{n}.html": article_page(n) for n in range(30)} | {
        "/": listing_page(range(30))
    }
    rows = "".join(f"<sitemap><loc>{HOME}/map{n}.xml</loc></sitemap>" for n in range(9))
    pages["/sitemap.xml"] = f"<sitemapindex>{rows}</sitemapindex>"
    crawl, stored = Crawl.of(Network(dict(pages)), tmp_path, discover="links,sitemap"), list[str]()
    put = Memory.put

    def noted(memory: Memory, name: str, document: Any) -> None:
        stored.append(name)
        put(memory, name, document)

    monkeypatch.setattr(Memory, "put", noted)
    crawl.run()
    assert len(crawl.feed) == 30
    assert stored.count("requests") > 50
    assert stored.count("files") <= 2 * 11 + 2


def test_a_feed_on_which_our_code_fails_is_told(tmp_path: Path) -> None:
    """It counted as a page, and no line said that its entries are missing."""
    pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(3)} | {
        "/": listing_page(range(3))
    }
    crawl = Crawl.of(Network(dict(pages)), tmp_path)
    crawl.take(crawl.session.begin(frozenset(), list))
    crawl.take(
        crawl.session.erred(
            RequestContext(f"{HOME}/feed.xml", Role.FILE, file=FileKind.FEED), "ValueError"
        )
    )
    while crawl.waiting or crawl.answer():
        crawl.answer()
    assert "1 feed or sitemap was not read" in story_of(crawl.end())


def test_the_newest_come_first_and_budgets_hold(tmp_path: Path) -> None:
    pages = stories(*range(30)) | {
        "/": listing_page([]).encode(),
        "/sitemap.xml": sitemap(days(*range(27))),
    }
    with served(pages) as site:
        few = crawl(
            f"{site.url}/", tmp_path / "few" / "out.jsonl", *SITEMAP, "-a", "max_articles=5"
        )
        asked = [path for path in site.asked if path.startswith("/2024")]
        site.asked.clear()
        crawl(f"{site.url}/", tmp_path / "pages" / "out.jsonl", *SITEMAP, "-a", "max_pages=8")
        pages_asked = [path for path in site.asked if path != "/robots.txt"]
    assert len(few.items) == 5
    newest = days(
        *range(7, 27)
    )  # sixteen are asked for at a time, in any order, and one more for each answer
    assert set(asked[:5]) <= set(newest)
    assert len(pages_asked) <= 8


def test_a_section_keeps_to_its_folder_on_a_site_map(tmp_path: Path) -> None:
    pages = stories(0, 1, 9) | {
        "/2024/": listing_page([0, 1]).encode(),
        "/2025/05/a-3.html": article_page(3).encode(),
    }
    pages["/sitemap.xml"] = sitemap(days(9) | {"/2025/05/a-3.html": "2025-01-01"})
    with served(pages) as site:
        run = crawl(f"{site.url}/2024/", tmp_path / "out.jsonl", *SITEMAP)
    assert paths(run) == set(days(0, 1, 9))


def large_sitemap(count: int) -> bytes:
    """Of articles a day apart, the newest last."""
    rows = (
        f"<url><loc>{HOME}/2024/05/a-{n}.html</loc><lastmod>{2000 + n // 365}-05-{1 + n % 28:02}</lastmod></url>"
        for n in range(count)
    )
    return f"<urlset>{''.join(rows)}</urlset>".encode()


def map_page(url: str) -> str | Reply:
    number = re.search(r"/a-(\d+)\.html$", url)
    return article_page(int(number[1])) if number else Reply(status=404)


def test_the_newest_of_a_large_sitemap_go_first_and_all_are_kept(tmp_path: Path) -> None:
    pages = {
        "/": "<body><p>Welcome.</p></body>",
        "/robots.txt": "",
        "/sitemap.xml": large_sitemap(5_500),
        "*": map_page,
    }
    crawl = Crawl.of(Network(pages), tmp_path, discover="links,sitemap", max_articles=3)
    for _ in crawl.steps():
        if days := [
            planned.context.day[:4]
            for planned in crawl.waiting
            if planned.context.role is Role.ARTICLE
        ]:
            break
    assert days == ["2015"] * len(days) != []
    pages = crawl.session.state.pages
    assert len(pages.in_turn("queued")) + len(pages.in_turn("sent")) >= 5_500


@pytest.mark.parametrize("file", ["/robots.txt", "/sitemap.xml"])
def test_killed_before_or_after_a_sitemap_is_read_nothing_is_lost(
    tmp_path: Path, file: str
) -> None:
    pages = {
        "/": "<body><p>Welcome.</p></body>",
        "/robots.txt": "",
        "/sitemap.xml": large_sitemap(45),
        "*": map_page,
    }
    first = Crawl.of(Network(pages), tmp_path, discover="links,sitemap")
    for _ in first.steps():
        if file in first.network.asked:
            break
    first.kill()
    again = Crawl.of(Network(pages), tmp_path, first.feed, discover="links,sitemap")
    again.run()
    assert again.paths == sorted(f"/2024/05/a-{n}.html" for n in range(45))
