"""Breadcrumbs, tags, the main image, the canonical URL, the site's name and the day of a change:
from JSON-LD, from meta elements, and from what the page shows."""

from __future__ import annotations

import json
from typing import Any

import pytest

import sitecrawl
from sitecrawl.dom.parse import parse
from sitecrawl.extract.single import Extraction
from sitecrawl.items.article import Article

PROSE = "".join(
    f"<p>The bridge over the harbour, opened in year {at}, carries ships, trams and people.</p>"
    for at in range(8)
)
HERE = "http://p.example/news/bridge"


def article(*, head: str = "", top: str = "", end: str = "") -> Article:
    """The item of an article with ``top`` below its headline and ``end`` below its text."""
    html = f"<head>{head}</head><article><h1>A bridge opens today</h1>{top}{PROSE}{end}</article>"
    return sitecrawl.extract(html, HERE)


def graph(*objects: dict[str, Any]) -> str:
    """A script with a graph of objects."""
    return f'<script type="application/ld+json">{json.dumps({"@graph": list(objects)})}</script>'


def steps(*items: dict[str, Any]) -> dict[str, Any]:
    return {"@type": "BreadcrumbList", "itemListElement": list(items)}


@pytest.mark.parametrize(
    ("items", "names"),
    [
        ([{"position": 1, "name": "Home", "item": "/"}, {"position": 2, "name": "News", "item": "/news"}], ["Home", "News"]),
        ([{"position": "2", "name": "ニュース"}, {"position": "1", "name": "ホーム", "item": "/"}], ["ホーム", "ニュース"]),
        ([{"position": 1, "item": {"@id": "/", "name": "Startseite"}}], ["Startseite"]),
        ([{"position": 1, "item": {"url": "/", "name": "Главная"}}, {"position": 2, "name": ""}], ["Главная"]),
        ([{"name": "首页"}, {"name": "新闻"}], ["首页", "新闻"]),
        ([{"position": 1, "name": "http://p.example/"}], []),
        ([7, None, {"position": [], "name": {"name": "Accueil"}}], ["Accueil"]),
    ],
)  # fmt: skip
def test_breadcrumbs_of_json_ld(items: list[Any], names: list[str]) -> None:
    assert [one["name"] for one in article(head=graph(steps(*items))).breadcrumbs] == names


def test_shown_breadcrumbs_come_first() -> None:
    head = graph(steps({"name": "Home"}))
    top = "<p class=breadcrumb><a href='/'>Start</a> <a href='/news'>News</a></p>"
    assert [one["name"] for one in article(head=head, top=top).breadcrumbs] == ["Start", "News"]


def test_breadcrumbs_within_the_object_of_the_page() -> None:
    page = {"@type": "WebPage", "breadcrumb": steps({"name": "Home", "item": HERE})}
    assert article(head=graph(page)).breadcrumbs == [{"name": "Home", "url": HERE}]


NEWS = {"@type": "NewsArticle", "headline": "A bridge opens today"}


@pytest.mark.parametrize(
    ("head", "end", "url"),
    [
        (graph(NEWS | {"image": {"@id": "#i"}}, {"@id": "#i", "url": "/i.jpg"}), "", "http://p.example/i.jpg"),
        (graph(NEWS | {"image": [{"@id": "#i"}]}, {"@id": "#i", "contentUrl": "/i.jpg"}), "", "http://p.example/i.jpg"),
        (graph({"@type": "WebPage", "primaryImageOfPage": {"@id": "#i"}}, {"@id": "#i", "url": "/i.jpg"}), "", "http://p.example/i.jpg"),
        (graph(NEWS | {"thumbnailUrl": "/t.jpg"}), "", "http://p.example/t.jpg"),
        ("<meta property=og:image content='/blank.gif'><link rel=image_src href='/s.jpg'>", "", "http://p.example/s.jpg"),
        ("", "<p><img src='/first.jpg'></p><p>It carries ships, trams and people.</p><img src='/second.jpg'>", "http://p.example/first.jpg"),
        ("", "<p><img src='/icon.png' width=16></p>", None),
    ],
)  # fmt: skip
def test_the_main_image(head: str, end: str, url: str | None) -> None:
    assert (article(head=head, end=end + PROSE).mainImage or {}).get("url") == url


@pytest.mark.parametrize(
    ("head", "url"),
    [
        ("<link rel=canonical href='/news/bridge-2'>", "http://p.example/news/bridge-2"),
        ("<link rel=canonical href='undefined'>", None),
        ("<link rel=canonical href='{{ page.url }}'>", None),
        ("<link rel=canonical href='https://undefined/news'>", None),
        ("<link rel=canonical href='http://localhost:4000/news'>", None),
        ("<link rel=canonical href='%7Burl%7D'>", None),
        ("<link rel=canonical href='<%= url %>'><meta property=og:url content='/b'>", "http://p.example/b"),
        ("<link rel=canonical href='javascript:;'>", None),
    ],
)  # fmt: skip
def test_a_canonical_url_is_a_url(head: str, url: str | None) -> None:
    assert article(head=head).canonicalUrl == url


@pytest.mark.parametrize(
    ("end", "tags"),
    [
        ("<p class=tags>Tags: <a href='/tag/ship'>Ship</a>, <a href='/tag/pier'>Pier</a></p>", ["Ship", "Pier"]),
        ("<ul id=post-tags><li><a href='/tags/ship'>Ship</a></li></ul>", ["Ship"]),
        ("<div class='field-tags'><a href='/schlagwort/schiff'>Schiff</a></div>", ["Schiff"]),
        ("<div class=labels><a href='/search/label/Barco'>Barco</a></div>", ["Barco"]),
        ("<div class=tag-links><a href='/?tag=船'>船</a><a href='/?tag=桥'>桥</a></div>", ["船", "桥"]),
        ("<div class=etiquetas><a href='/etiqueta/puerto'>Puerto</a></div>", ["Puerto"]),
        ("<div class=topics><a href='/topic/корабль'>Корабль</a></div>", ["Корабль"]),
        ("<p>Tags: <a href='/tag/ship'>Ship</a> <a href='/tag/pier'>Pier</a></p>", ["Ship", "Pier"]),
        ("<ul><li><a href='/etiqueta/barco'>Barco</a></li><li><a href='/etiqueta/rio'>Río</a></li></ul>", ["Barco", "Río"]),
        ("<div>Schlagwörter: <a href='/schlagwort/schiff'>Schiff</a>, <a href='/schlagwort/steg'>Steg</a></div>", ["Schiff", "Steg"]),
        ("<div>タグ：<a href='/tags/船'>船</a><a href='/tags/橋'>橋</a></div>", ["船", "橋"]),
        ("<div class=css-1><a href='/tag/корабль'>Корабль</a><a href='/tag/мост'>Мост</a></div>", ["Корабль", "Мост"]),
        ("<p>Of the <a href='/tag/ship'>ship</a> and the <a href='/tag/pier'>pier</a> more next week.</p>", []),
        ("<p class=more><a href='/tag/ship'>Ship</a></p>", []),
        ("<aside class=tags><a href='/tag/ship'>Ship</a></aside>", []),
        ("<p class=tags><a href='/shop/stage/1'>Ship</a></p>", []),
    ],
)  # fmt: skip
def test_links_to_tags_without_a_relation(end: str, tags: list[str]) -> None:
    assert article(end=end).tags == tags


@pytest.mark.parametrize(
    ("keywords", "tags"),
    [
        ("[Beta]4.21 notes", ["[Beta]4.21 notes"]),
        ("[Beta]4.21 notes, news", ["[Beta]4.21 notes", "news"]),
        ('["news", "bridge"]', ["news", "bridge"]),
        ("[新闻，桥]", ["新闻", "桥"]),
        ("[]", []),
    ],
)
def test_tags_stay_whole(keywords: str, tags: list[str]) -> None:
    assert article(head=f"<meta name=keywords content='{keywords}'>").tags == tags


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("3 May 2024 | Updated: 9 May 2024", "2024-05-09"),
        ("Veröffentlicht 03.05.2024, aktualisiert am 09.05.2024", "2024-05-09"),
        ("Publié le 3 mai 2024, mis à jour le 9 mai 2024", "2024-05-09"),
        ("Publicado: 3 de mayo de 2024 - Actualizado: 9 de mayo de 2024", "2024-05-09"),
        ("입력 2024.05.03 수정 2024.05.09", "2024-05-09"),
        ("发布时间：2024-05-03 更新时间：2024-05-09", "2024-05-09"),
        ("Опубликовано 3 мая 2024, обновлено 9 мая 2024", "2024-05-09"),
        ("3 May 2024", None),
        ("Updated often. 3 May 2024", None),
    ],
)
def test_a_printed_change_is_the_day_of_the_last_change(line: str, day: str | None) -> None:
    assert article(top=f"<p>{line}</p>").dateModified == day


@pytest.mark.parametrize(
    "line",
    [
        "Last updated: 9 May 2024",
        "Ultimo aggiornamento: 9 maggio 2024",
        "Letzte Änderung: 9. Mai 2024",
        "Última modificación: 9 de mayo de 2024",
        "最終更新日：2024年5月9日",
    ],
)
def test_the_day_of_the_last_change_may_stand_below_the_text(line: str) -> None:
    assert article(end=f"<p>{line}</p>").dateModified == "2024-05-09"


def test_the_name_of_the_site_is_that_of_its_object_before_the_publisher() -> None:
    site = {"@type": "WebSite", "name": "The Example"}
    published = NEWS | {"publisher": {"@id": "#p"}}
    publisher = {"@id": "#p", "@type": "Organization", "name": "Example Media"}
    assert article(head=graph(published, publisher, site)).siteName == "The Example"
    assert article(head=graph(published, publisher)).siteName == "Example Media"


@pytest.mark.parametrize(
    ("item", "day"),
    [
        ({"@type": "WebPage", "datePublished": "2021-05-04"}, "2021-05-04"),
        ({"@type": ["WebPage", "ItemPage"], "datePublished": "2021-05-04"}, "2021-05-04"),
        ({"@type": "VideoObject", "name": "A bridge opens today", "uploadDate": "2021-05-04"}, "2021-05-04"),
        ({"@type": "HowTo", "name": "A bridge opens today", "datePublished": "2021-05-04"}, "2021-05-04"),
        ({"@type": "LiveBlogPosting", "datePublished": "2021-05-04"}, "2021-05-04"),
        ({"@type": "VideoObject", "name": "Another film", "uploadDate": "2021-05-04"}, None),
        ({"@type": "CollectionPage", "datePublished": "2021-05-04"}, None),
        ({"@type": ["WebPage", "CollectionPage"], "datePublished": "2021-05-04"}, None),
    ],
)  # fmt: skip
def test_pages_films_and_manuals_tell_their_day(item: dict[str, Any], day: str | None) -> None:
    head = "<title>A bridge opens today</title>" + graph({"@type": "WebSite"}, item)
    assert article(head=head).datePublished == day


def test_what_a_page_says_of_itself_is_no_sign_of_an_article() -> None:
    head = graph({"@type": "WebPage", "datePublished": "2021-05-04"})
    found = Extraction(parse(f"<head>{head}</head><h1>About us</h1>{PROSE}".encode(), HERE))
    assert found.dated is None
    assert not found.page.metadata.linked
    assert found.article.datePublished == "2021-05-04"
