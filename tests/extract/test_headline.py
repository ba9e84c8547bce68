"""The headline beside what resembles one: the name of the site, kickers, trails, controls."""

from __future__ import annotations

import json

import pytest

import sitecrawl
from sitecrawl.dom.parse import parse
from sitecrawl.extract.single import Extraction

PROSE = "".join(
    f"<p>Paragraph {at} of the report, long enough to be read as prose, with commas, and written by "
    f"somebody who went there and counted {at + 7} boats in the harbour.</p>"
    for at in range(5)
)


def page(title: str, top: str, *, head: str = "", lang: str = "en", body: str = "") -> str:
    return (
        f'<html lang="{lang}"><head><title>{title}</title>{head}</head>'
        f'<body {body}>{top}<div class="text">{PROSE}</div></body></html>'
    )


def headline_of(html: str, url: str = "http://news.example/a/story.html") -> str | None:
    return sitecrawl.extract(html, url).headline


NAMES = [
    ("en", "Notes from Millbrook", "Students count hedgehogs with tunnels of ink"),
    ("de", "Tagebuch vom Hafen", "Alter Anleger nach zwei Wintern wieder offen"),
    ("fr", "Carnet du vieux port", "Le ponton rouvre après deux hivers de travaux"),
    ("es", "Cuaderno de la bahía", "El viejo muelle reabre tras dos inviernos"),
    ("ru", "Дневник старой бухты", "Старый причал открылся после двух зим ремонта"),
    ("ja", "港の日記帳", "二度の冬を越えて古い桟橋が再び開く"),
    ("ko", "돌섬 바닷가 일기", "두 번의 겨울을 넘긴 옛 부두 다시 열려"),
    ("tr", "Karataş koyu günlüğü", "Eski iskele iki kıştan sonra yeniden açıldı"),
]
SHAPES = [
    "<h1>{site}</h1><h3>{text}</h3>",
    "<h1>{site}</h1><h2>11.02.2019</h2><h3>{text}</h3>",
    "<h1>{site}</h1><div class=entry><p><b>{text}</b></p></div>",
    '<h2>{site}</h2><ul><li><a href="/x">1</a></li></ul><h2>{text}</h2>',
    '<h1>{site}</h1><h3><a href="#p1"><span>&#9632;</span></a> {text}</h3>',
    '<div><a href="/">{site}</a></div><h1>{site}</h1><h2><a href="story.html">{text}</a></h2>',
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("lang", "site", "text"), NAMES)
@pytest.mark.parametrize("mark", [" - ", " » ", " | ", " :: ", ": "])
def test_a_title_that_begins_with_the_name_of_the_site(
    mark: str, lang: str, site: str, text: str, shape: str
) -> None:
    html = page(f"{site}{mark}{text}", shape.format(site=site, text=text), lang=lang)
    assert headline_of(html) == text


@pytest.mark.parametrize(("lang", "site", "text"), NAMES)
def test_a_colon_may_stand_behind_the_name_of_the_site(lang: str, site: str, text: str) -> None:
    top = (
        f"<div id=top><a href='/'><img alt='{site}' src=a.png></a></div>"
        f"<ul><li><a href=/1>A</a><li><a href=/2>B</a></ul><div id=mid><h1 class=title>{site}</h1>"
        "<div class=date-outer><h2 class=date-header><span>11.02.2019</span></h2>"
        f"<div class='post hentry'><h3 class=post-title>{text}</h3>"
    )
    assert headline_of(page(f"{site}: {text}", top, lang=lang)) == text


@pytest.mark.parametrize(("lang", "site", "text"), NAMES)
@pytest.mark.parametrize(
    "shape",
    [
        "<h1>{text}</h1>",
        "<h1>{text}</h1><h4>{site}</h4>",
        "<div><a href='/'>{site}</a></div><h2>{text}</h2>",
        "<h3>{site}</h3><h1>{text}</h1>",
    ],
)
def test_a_title_that_ends_with_the_name_of_the_site(
    lang: str, site: str, text: str, shape: str
) -> None:
    html = page(f"{text} - {site}", shape.format(site=site, text=text), lang=lang)
    assert headline_of(html) == text


def test_a_forum_names_itself_and_a_board_before_the_thread() -> None:
    for thread in ("Exhausts...", "test", "PHP + Smarty について", "Welche Farbe?"):
        top = f'<p><a href="/"><img alt="Drivers Club, Western Harbour Forum Index"></a></p><p><span class="maintitle">Drivers Club, Western Harbour</span></p><p><a class="maintitle" href="story.html">{thread}</a></p>'
        html = page(f"Drivers Club, Western Harbour :: View topic - {thread}", top)
        assert headline_of(html) == thread
        top = f'<h1>Drivers Club, Western Harbour</h1><p><a href="/">Drivers Club, Western Harbour</a> &raquo; <a href="/b">Cars</a> &raquo; {thread}</p><h3>{thread}</h3>'
        html = page(f"Drivers Club, Western Harbour: Cars &raquo; {thread}", top)
        assert headline_of(html) == thread


KICKED = [
    ("en", "Branch on Mill Lane", "Library lends sewing machines to its readers"),
    ("de", "Hafen von Harmsort", "Alter Anleger nach zwei Wintern wieder offen"),
    ("fr", "Au vieux port", "Le ponton rouvre après deux hivers de travaux"),
    ("es", "Puerto Salado", "El viejo muelle reabre tras dos inviernos"),
    ("it", "Porto vecchio", "Il molo riapre dopo due inverni di lavori"),
    ("ja", "港の話題", "二度の冬を越えて古い桟橋が再び開く"),
]


@pytest.mark.parametrize(("lang", "kicker", "text"), KICKED)
@pytest.mark.parametrize(
    ("heading", "is_marked"),
    [
        ('<h2><span class="article__kicker">{kicker}</span> <span>{text}</span></h2>', True),
        ('<h1><span class="dachzeile">{kicker}</span><span>{text}</span></h1>', True),
        ('<h1><small class="eyebrow">{kicker}:</small> {text}</h1>', True),
        ("<h1><em>{kicker}</em> <span>{text}</span></h1>", False),
        ("<h2><span>{kicker}</span><br>{text}</h2>", False),
    ],
)
def test_kicker_and_headline_apart(
    heading: str, is_marked: bool, lang: str, kicker: str, text: str
) -> None:
    top = heading.format(kicker=kicker, text=text) + "<p>28 April 2023</p>"
    linked = json.dumps({"@type": "NewsArticle", "headline": text})
    heads = [
        f'<meta property="og:title" content="{text}">',
        f'<script type="application/ld+json">{linked}</script>',
    ]
    if is_marked:
        assert headline_of(page("The Gazette", top, lang=lang)) == text
    assert headline_of(page(f"{text} - The Gazette", top, lang=lang)) == text
    for head in heads:
        html = page(f"{kicker}: {text} - The Gazette", top, head=head, lang=lang)
        assert headline_of(html) == text


def test_what_the_metadata_have_whole_is_no_kicker() -> None:
    text = "Harbour news: the pier opens again"
    html = page(
        f"{text} - The Gazette",
        "<h1><b>Harbour news:</b> the pier opens again</h1>",
        head=f'<meta property="og:title" content="{text}">',
    )
    assert headline_of(html) == text


@pytest.mark.parametrize(
    ("lang", "line", "text"),
    [
        ("zh", "字号：默认 大 超大", "港口大桥今日正式通车"),
        ("zh", "字体大小：大 中 小", "港口大桥今日正式通车"),
        ("zh", "时间：2024-05-06 来源：港口晚报", "港口大桥今日正式通车"),
        ("zh", "当前位置：首页 > 新闻中心 > 本地", "港口大桥今日正式通车"),
        ("ja", "文字サイズ：小 中 大", "古い桟橋が再び開く"),
        ("ko", "글자크기: 작게 보통 크게", "옛 부두 다시 열려"),
        ("de", "Schriftgröße: A A A", "Alter Anleger wieder offen"),
        ("en", "Font size: small medium large", "The pier opens again"),
        ("es", "Tamaño de letra: A A+", "El viejo muelle reabre"),
        ("ru", "Размер шрифта: А А А", "Старый причал открылся"),
        ("pl", "Rozmiar czcionki: A A+ A++", "Stara przystań otwarta"),
    ],
)
def test_facts_and_controls_are_no_headline(lang: str, line: str, text: str) -> None:
    html = page("港口", f"<div>{text}</div><div class=title>{line}</div>", lang=lang)
    assert headline_of(html) == text


@pytest.mark.parametrize(
    "trail",
    [
        '<div class="path"><span>首页</span> <span>走进港口</span> <span>公司动态</span> <span>公司新闻</span></div>',
        '<div class="title"><a href="/">Home</a> &gt; <a href="/n">News</a> &gt; <a href="/n/l">Local</a></div>',
        '<p>&bull; <a href="/">Accueil</a> &raquo; <a href="/v">Ville</a> &raquo; Le port</p>',
        '<div class="brotkrumen"><i>Start</i> <i>Stadt</i> <i>Hafen</i></div>',
        '<div class="rootline"><b>Inicio</b> <b>Ciudad</b> <b>Puerto</b></div>',
        '<div class="okruszki"><b>Start</b> <b>Miasto</b> <b>Port</b></div>',
    ],
)
def test_a_trail_of_links_is_no_headline(trail: str) -> None:
    html = page("港口", f"{trail}<div>A bridge opens at last</div>")
    assert headline_of(html) == "A bridge opens at last"


@pytest.mark.parametrize("name", ["__next", "__nuxt", "app-navigation-root", "menu-open", "tabs"])
def test_a_box_around_the_whole_page_is_no_menu_whatever_its_name(name: str) -> None:
    deck = "Thirty drivers begin their day at half past nine"
    text = "Tram drivers try a shift that begins after school"
    html = page(
        text,
        f'<div id="{name}"><div class="hero"><h1>{text}</h1><div class="dek">{deck}.</div></div>{PROSE}</div>',
        head=f'<meta property="og:title" content="{deck}">',
    ).replace('<div class="text">', f'<div class="text" id="{name}-body">')
    assert headline_of(html) == text


@pytest.mark.parametrize(
    ("title", "box"),
    [
        ("Waarom ik hoop houd - Joris Boot", "It can't be played in your browser. Download"),
        ("Joris Boot | Warum ich Hoffnung habe", "Dein Browser kann das nicht abspielen"),
        ("Pourquoi je garde espoir - Joris Boot", "Votre navigateur ne peut pas lire ce son"),
    ],
)
def test_the_title_wins_over_an_unmarked_element_that_it_does_not_resemble(
    title: str, box: str
) -> None:
    text = next(part for part in title.replace("|", "-").split(" - ") if "Joris" not in part)
    html = page(title, f'<p><a href="/">Joris Boot</a></p><div class="player">{box}</div>')
    assert headline_of(html, "http://www.jorisboot.example/post/1.html") == text.strip()


def test_the_link_that_led_here_tells_the_halves_of_a_title_apart() -> None:
    top = "<h1>Harbour and town diary</h1><h4>Pier opens again</h4>"
    html = page("Harbour and town diary - Pier opens again", top)
    found = Extraction(parse(html, "http://news.example/a.html"), anchor="Pier opens again")
    assert found.article.headline == "Pier opens again"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("{name} - {headline}", "The Port Gazette of the Northern Harbour and its Islands"),
        ("{name} – {headline}", "Die Hafenzeitung der Stadt und der Inseln im Norden"),
        ("{headline} | {name}", "La Gaceta del Puerto del Norte y de sus Islas"),
        ("{name} | {headline}", "Газета северной гавани и её островов"),
        ("{name}_{headline}", "北方港口与群岛新闻网站综合频道"),
    ],
)
def test_a_site_whose_name_is_longer_than_the_headline(title: str, name: str) -> None:
    headline = "A bridge opens today"
    prose = "<p>The bridge carries ships, trams and people, and it was opened this morning.</p>" * 8
    head = f"<title>{title.format(name=name, headline=headline)}</title><meta property='og:site_name' content='{name}'>"
    html = f"<html><head>{head}</head><body><div>{prose}</div></body></html>"
    assert sitecrawl.extract(html, "http://p.example/a").headline == headline
