"""What stands on one page and belongs to no article leaves its body. Each case has other tags, languages
and systems than the next."""

from __future__ import annotations

import numpy as np
import pytest

import sitecrawl
from sitecrawl.dom.outside import outside_elements
from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content
from sitecrawl.extract.belonging import (
    without_bylines,
    without_discussion,
    without_footer,
    without_link_lists,
)
from sitecrawl.extract.ensemble import selection, with_siblings, with_whole_parts
from sitecrawl.extract.published import find_published

URL = "https://news.example/2024/05/a-bridge"
ENGLISH = [
    "The gauge at the bridge has reported the height of the river every hour since 2009, and it was wrong.",
    "Nobody noticed, because the error was the same in drought and in flood, says the engineer of the board.",
    "A student compared the readings with pictures that an angler had taken from the same spot each morning.",
    "In the pictures the water touches a mark on the second pier on days when the gauge claims another height.",
]
GERMAN = [
    "Vierzig Jahre lang schlug die Glocke von Oberlind einen Viertelton zu tief, und niemand hörte es im Ort.",
    "Dann kam ein Fachmann mit einer Stimmgabel, stieg in den Turm und schüttelte den Kopf eine Stunde lang.",
    "Der Gemeinderat gab das Geld für einen neuen Klöppel frei, den eine Schmiede im Nachbartal gefertigt hat.",
]
CHINESE = [
    "清水镇的老火车站停用了十四年，候车室的长椅却一直没有人搬走，镇上的中学生把两千册图书摆上了长椅。",
    "门口的时刻表换成了借书规则，借书的人把名字写在当年的行李牌上，挂在柜台后面的钩子上，等着归还。",
    "发起这件事的是退休站长，他说自己一辈子看着人们在这里等车，什么也不做，如今总该让等待有点用处。",
]
SPANISH = [
    "Hace medio siglo cruzaban el río en barca los que no querían dar la vuelta por el puente de la villa.",
    "Luego llegaron los coches, el puente se ensanchó y las barcas acabaron de jardineras en la ribera norte.",
    "Ahora vuelven tres, restauradas por un instituto con madera de fresno y con mucha paciencia de todos.",
]


def body_of(html: str, title: str = "A bridge and its gauge") -> str:
    page = (
        f"<html><head><meta charset=utf-8><title>{title}</title></head><body><main><article>"
        f"<h1>{title}</h1><time datetime=2024-05-02>2 May 2024</time>{html}</main></body></html>"
    )
    return sitecrawl.extract(html=page, url=URL).articleBody


def paragraphs(texts: list[str]) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


CONSENT = (
    "We and our 312 partners store data on your device, such as habits of reading and identifiers of devices. "
    "If you agree, we use them for the purposes that the list of our partners names, until you withdraw."
)
EINWILLIGUNG = (
    "Wir und unsere Partner speichern Daten auf Ihrem Gerät, um Inhalte zu messen und Anzeigen zu zeigen. "
    "Ihre Einwilligung können Sie jederzeit widerrufen, mit Wirkung für alle künftigen Besuche der Seite."
)
ACUERDO = (
    "Nosotros y nuestros socios guardamos datos en su aparato para medir la lectura y mostrar publicidad. "
    "Puede retirar su consentimiento cuando quiera, en el enlace que está al pie de todas las páginas."
)


@pytest.mark.parametrize(
    ("dialog", "told", "prose"),
    [
        (f"<div role=dialog><h2>Your choices</h2><p>{CONSENT}</p></div>", "312", ENGLISH),
        (f"<dialog open><p>{EINWILLIGUNG}</p><button>Ja</button></dialog>", "Partner", GERMAN),
        (f"<section aria-modal=true><p>{ACUERDO}</p></section>", "socios", SPANISH),
        (f"<div style='position: fixed'><p>{CONSENT}</p><p>{CONSENT}</p></div>", "312", CHINESE),
    ],
)
def test_a_dialog_is_no_text(dialog: str, told: str, prose: list[str]) -> None:
    body = body_of(f"<div class=x1>{paragraphs(prose)}</div></article>{dialog}")
    assert told not in body
    assert prose[0] in body


def test_an_article_in_a_dialog_is_its_text() -> None:
    html = f"<dialog open><h1>A bridge and its gauge</h1>{paragraphs(ENGLISH)}</dialog>"
    body = sitecrawl.extract(
        html=f"<title>A bridge</title><body>{html}</body>", url=URL
    ).articleBody
    assert ENGLISH[1] in body


@pytest.mark.parametrize(
    "player",
    [
        "<div class=c1><video src=a.mp4></video><div><span>Video is loading.</span><button>Play</button>"
        "<p>This is a modal window.</p><p>End of dialog window.</p></div></div>",
        "<figure><div><div><audio src=a.mp3></audio></div><div role=slider>0:00</div><p>Lecture en cours, 2:14</p>"
        "</div><figcaption>The last beam of the bridge</figcaption></figure>",
        "<div role=region aria-label='Videoplayer'><p>Video wird geladen, bitte warten.</p><p>Ton aus</p></div>",
        "<div role=application aria-label='视频播放器'><p>视频正在加载，请稍候。</p><p>当前时间 0:00</p></div>",
    ],
)
def test_the_controls_of_a_player_are_no_text(player: str) -> None:
    body = body_of(
        f"<div>{paragraphs(ENGLISH[:2])}{player}{paragraphs(ENGLISH[2:])}</div></article>"
    )
    lines = [line for line in body.split("\n") if line != "The last beam of the bridge"]
    assert lines == ENGLISH


@pytest.mark.parametrize(
    "box",
    [
        "<div class=q7><h3>The best stories about bridges</h3><p>Every Friday our editors collect what mattered,"
        " and explain it to readers who like their news slow.</p><form><input type=email><button>Sign me up"
        "</button></form><p>By signing up you agree to our terms.</p></div>",
        "<aside><p>Jeden Freitag schreiben unsere Redakteure einen Brief an alle, die langsame Nachrichten"
        " mögen, mit Geschichten aus dem Tal.</p><input name=EMAIL placeholder=Adresse><a href=#>Anmelden</a></aside>",
        "<section><div><h4>每周来信</h4><p>我们的编辑每周五把最重要的故事收集起来，寄给喜欢慢新闻的读者，随时可以退订。</p>"
        "<form><label>邮箱<input type=text id=user-email></label></form></div></section>",
    ],
)
def test_a_box_to_sign_up_is_no_text(box: str) -> None:
    body = body_of(f"<div>{paragraphs(ENGLISH[:2])}{box}{paragraphs(ENGLISH[2:])}</div></article>")
    assert body.split("\n") == ENGLISH


@pytest.mark.parametrize(
    ("wide", "narrow", "prose"),
    [
        ("<div class='d-none d-md-block'>{}</div>", "<div class='d-md-none'>{}</div>", ENGLISH),
        ("<section class=desktop>{}</section>", "<section class=phone>{}</section>", GERMAN),
        ("<div id=screen>{}</div>", "<div id=print><div>{}</div></div>", CHINESE),
    ],
)
def test_a_text_that_is_given_twice_is_read_once(wide: str, narrow: str, prose: list[str]) -> None:
    text = paragraphs(prose)
    body = body_of(f"{wide.format(text)}{narrow.format(text)}</article>")
    assert body.split("\n") == prose


def test_a_refrain_is_no_copy() -> None:
    refrain = "<p>Row on, row on, the river is long, the ferry is slow, and the ferryman knows a song.</p>"
    verses = [f"<div><p>{text}</p></div><div>{refrain}</div>" for text in ENGLISH]
    assert body_of(f"{''.join(verses)}</article>").count("Row on, row on") == 4


def test_the_steps_of_something_are_no_copies() -> None:
    """A debugger shows one listing again and again, each time with its arrow at another line."""
    listing = [f"0x{at:04x} mov %rax, {at}(%rbp) the value goes into place {at}" for at in range(9)]
    steps = [
        f"<div class=step><pre>{''.join(('-> ' if at == now else '   ') + line + chr(10) for at, line in enumerate(listing))}</pre></div>"
        for now in range(6)
    ]
    body = body_of(f"<div>{paragraphs(ENGLISH)}{''.join(steps)}</div></article>")
    assert body.count("goes into place 3") == 6


@pytest.mark.parametrize(
    "following",
    [
        "</article><div id=more><div><h1>{0}</h1><p>By <a rel=author href=/o>Owen Castell</a></p>{1}</div></div>",
        "</article><article><h2>{0}</h2><time>7 June 2024</time>{1}</article>",
        "</article><section class=next><header><h1 class=t>{0}</h1><span class=author-name>Lea Brand</span></header>"
        "<div>{1}</div></section>",
    ],
)
def test_the_next_article_of_the_same_page_is_not_part_of_this(following: str) -> None:
    nxt = following.format("Die Glocke von Oberlind", paragraphs(GERMAN))
    body = body_of(f"<div class=x>{paragraphs(ENGLISH)}</div>{nxt}")
    assert body.split("\n") == ENGLISH


def test_sections_with_headings_of_the_first_level_are_of_one_article() -> None:
    html = f"<p>{ENGLISH[0]}</p><h1>How it was found</h1><p>In May 2024.</p><p>{ENGLISH[1]}</p><p>{ENGLISH[2]}</p>"
    assert ENGLISH[2] in body_of(f"<div>{html}</div></article>")


SAID = [
    "The larch from the valley is a good choice, my father built his shed from it and it still stands.",
    "Nobody asked the restaurants before, and now they complain. I was there and it was quite a scene.",
    "Could somebody explain why a container is not enough? It costs a tenth and the fish do not care.",
]
NAMES = ["tidewalker", "marga_p", "saltbox"]


@pytest.mark.parametrize(
    ("label", "unit", "times"),
    [
        (
            "<h2>3 comments</h2>",
            "<div class=s1><div><span>{0}</span><span>{1}</span></div><div>{2}</div></div>",
            ["3 hours ago", "2 hours ago", "95 minutes ago"],
        ),
        (
            "<h3>Kommentare (3)</h3>",
            "<details open><summary><b>{0}</b> <i>{1}</i></summary><p>{2}</p></details>",
            ["11.03.2024, 09:10", "11.03.2024, 10:11", "12.03.2024, 11:12"],
        ),
        (
            "<p>评论</p>",
            "<x-note><p>{0} {1}</p><p>{2}</p></x-note>",
            ["2024-03-11 09:10", "2024-03-11 10:10", "2024-03-12 09:10"],
        ),
        (
            "",
            "<li class=k9><p>{0} · {1}</p><p>{2}</p><button>Responder</button></li>",
            ["11/03/2024", "12/03/2024", "13/03/2024"],
        ),
    ],
)
def test_comments_without_telling_names_leave_the_body(
    label: str, unit: str, times: list[str]
) -> None:
    units = "".join(
        unit.format(name, time, text) for name, time, text in zip(NAMES, times, SAID, strict=True)
    )
    body = body_of(f"<div>{paragraphs(ENGLISH)}</div></article><div class=w0>{label}{units}</div>")
    assert body.split("\n") == ENGLISH


def test_posts_of_a_live_page_stay() -> None:
    posts = "".join(
        f"<article><header><time>1{n}:40, 2 May 2024</time><h2><a href='#p{n}'>Part {n}</a></h2></header><p>{text}</p></article>"
        for n, text in enumerate(SAID)
    )
    body = body_of(f"<p>{ENGLISH[0]}</p>{posts}</article>")
    assert all(text in body for text in SAID)


@pytest.mark.parametrize(
    "word", ["ADVERTISEMENT", "- Anzeige -", "Publicidad", "(広告)", "Реклама"]
)
def test_a_label_of_advertising_is_no_text(word: str) -> None:
    html = f"{paragraphs(ENGLISH[:2])}<p>{word}</p>{paragraphs(ENGLISH[2:])}"
    assert body_of(f"<div>{html}</div></article>").split("\n") == ENGLISH


@pytest.mark.parametrize(
    "notice",
    [
        "<p>The post <a href=https://valley.example/2024/a-bridge>{0}</a> appeared first on"
        " <a href=https://valley.example>The Valley</a>.</p>",
        "<div><small>Der Beitrag <a href=http://tal.example/b>{0}</a> erschien zuerst auf"
        " <a href=http://tal.example/>Tal und Berg</a>.</small></div>",
        "<p><em>Запись <a href='https://dolina.example/?p=7'>{0}</a> впервые появилась на"
        " <a href=https://dolina.example/>Долина</a>.</em></p>",
        "<p>投稿 <a href=https://tani.example/a>{0}</a> は <a href=https://tani.example/>谷の新聞</a>"
        " に最初に表示されました。</p>",
    ],
)
def test_where_a_text_appeared_first_is_no_text(notice: str) -> None:
    line = notice.format("A bridge and its gauge")
    body = body_of(f"<div>{paragraphs(ENGLISH)}{line}</div></article>")
    assert body.split("\n") == ENGLISH


@pytest.mark.parametrize(
    "line",
    [
        "<p><strong>Přečtěte si: <a href=/b>{0}</a></strong></p>",
        "<p>यह भी पढ़ें: <a href=/b>{0}</a></p>",
        "<div>بیشتر بخوانید: <a href=/b>{0}</a></div>",
        "<p>อ่านเพิ่มเติม <a href=/b>{0}</a></p>",
        "<h3><a href=/b>İLGİLİ HABER: {0}</a></h3>",
        "<p>【あわせて読みたい】<a href=/b>{0}</a></p>",
    ],
)
def test_a_line_that_leads_to_another_story_is_no_text(line: str) -> None:
    link = line.format("Frost in April surprised all gardeners")
    body = body_of(f"<div>{paragraphs(ENGLISH[:2])}{link}{paragraphs(ENGLISH[2:])}</div></article>")
    assert body.split("\n") == ENGLISH


@pytest.mark.parametrize(
    "box",
    [
        "<aside><h4>Mehr dazu</h4><ul><li><a href=/b>Frost im April</a><li><a href=/c>Ein Sommer am Fluss</a></ul></aside>",
        "<section><h3>Наша тема</h3><ul><li><a href=/b>Мороз в апреле</a><li><a href=/c>Лето на реке</a></ul></section>",
        "<aside><h5>Nuestro tema</h5><ul><li><a href=/b>Heladas en abril</a><li><a href=/c>Un verano en el río</a></ul></aside>",
        "<aside><b>本期话题</b><p><a href=/b>四月的霜冻</a></p><p><a href=/c>河边的夏天</a></p></aside>",
    ],
)
def test_a_box_of_links_among_the_text_is_no_text(box: str) -> None:
    body = body_of(f"<div>{paragraphs(ENGLISH[:2])}{box}{paragraphs(ENGLISH[2:])}</div></article>")
    assert body.split("\n") == ENGLISH


@pytest.mark.parametrize(
    "box",
    [
        "<h3>Sources</h3><ul><li><a href=/b>Frost in April</a><li><a href=/c>A summer by the river</a></ul>",
        "<div><h3>Sources</h3><p><a href=https://a.example/b>Frost in April, a report of the county on all its gardens</a></p><p><a href=https://a.example/c>A summer by the river, with maps of all its bridges</a></p></div>",
        "<ul><li>Sources</li><li><a href=/b>Frost in April</a></li><li><a href=/c>A summer by the river</a></li></ul>",
        "<p>Sources</p><p>Reprise: <a href=/b>Frost in April</a></p><p>Sources</p><p>Reprise: <a href=/c>A summer</a></p>",
        "<p>Sources</p><p>n <a href=/b>Frost in April</a></p><p>n <a href=/c>A summer by the river</a></p>",
        "<p>Sources</p><p><a href=/b>http://news.example/Frost</a></p><p>And:</p><p><a href=/c>http://news.example/c</a></p>",
        "<table><tr><td>Sources</td><td><a href=/b>Frost</a></td><td><a href=/c>A summer</a></td></tr></table>",
    ],
)
def test_links_of_the_author_stay(box: str) -> None:
    body = body_of(f"<div>{paragraphs(ENGLISH[:2])}{box}{paragraphs(ENGLISH[2:])}</div></article>")
    assert "Sources" in body
    assert "Frost" in body


@pytest.mark.parametrize(
    ("above", "below", "told"),
    [
        (f"<x-layer><p>{CONSENT}</p><p>{CONSENT}</p></x-layer>", "", "312"),
        ("", f"<div class=q7><h2>Ihre Wahl</h2><p>{EINWILLIGUNG}</p></div>", "Partner"),
        ("", f"<div id=z><div><p>{ACUERDO}</p><b>Acepto</b></div></div>", "socios"),
    ],
)
def test_text_above_the_menu_and_below_the_footer_is_none_of_the_article(
    above: str, below: str, told: str
) -> None:
    quoted = "<blockquote><p>It was wrong.</p><footer>The engineer</footer></blockquote>"
    text = f"<h1>A bridge</h1><div>{paragraphs(ENGLISH[:2])}{quoted}{paragraphs(ENGLISH[2:])}</div>"
    page = f"<body>{above}<nav><a href=/>Home</a></nav><div>{text}</div><footer>© A</footer>{below}"
    body = sitecrawl.extract(html=page, url=URL).articleBody
    assert told not in body
    assert all(part in body for part in ENGLISH)


@pytest.mark.parametrize("between", [" ", "<br><br>"])
def test_a_copy_may_have_no_borders_of_paragraphs(between: str) -> None:
    html = (
        f"<div>{paragraphs(ENGLISH)}</div><span itemprop=articleBody>{between.join(ENGLISH)}</span>"
    )
    assert body_of(f"{html}</article>").split("\n") == ENGLISH


def test_a_sentence_with_links_to_a_site_and_a_page_of_it_stays() -> None:
    said = (
        "<p>The engineer wrote <a href=https://board.example/report>a report of forty pages</a> for"
        " <a href=https://board.example/>the board of the river</a>, and nobody read it.</p>"
    )
    body = body_of(f"<div>{paragraphs(ENGLISH)}{said}</div></article>")
    assert "nobody read it" in body


@pytest.mark.parametrize(
    "line",
    [
        "<p>Podcast: <a href=/f/1.mp3 rel=nofollow>Play in new window</a> | <a href=/f/1.mp3>Download</a></p>",
        "<div><a href='https://cdn.example/7.ogg?x'>Anhören</a> · <a href='https://cdn.example/7.ogg?x'>Laden</a></div>",
        "<li><a href=/v/2.mp4>在线播放</a>　<a href=/v/2.mp4>下载</a></li>",
    ],
)
def test_a_line_that_plays_and_downloads_one_file_is_no_text(line: str) -> None:
    body = body_of(f"<div>{paragraphs(ENGLISH)}{line}</div></article>")
    assert body.split("\n") == ENGLISH


@pytest.mark.parametrize(
    "style",
    ["height: 10px; overflow: hidden", "position:absolute;left:-9999px", "text-indent:-999em"],
)
def test_what_lies_outside_the_window_is_no_text(style: str) -> None:
    links = "<br>".join(
        f"<a href=https://shop{n}.example/lamp>cheap lamp of copper {n}</a>" for n in range(6)
    )
    body = body_of(f"<div>{paragraphs(ENGLISH)}<div style='{style}'>{links}</div></div></article>")
    assert body.split("\n") == ENGLISH


@pytest.mark.parametrize(
    "box",
    [
        "<div><p>Did you like this text? Do not hesitate to tell your friends about it now!</p>"
        "<a href='https://one.example/share?url=https://news.example/2024/05/a-bridge'>One</a>"
        "<a href='https://two.example/s.php?u=https%3A%2F%2Fnews.example%2F2024%2F05%2Fa-bridge'>Two</a></div>",
        "<p dir=rtl>ارسال به <a href='https://yek.example/send?t=A bridge and its gauge'>یک</a>،"
        " <a href='https://do.example/?q=A%20bridge%20and%20its%20gauge'>دو</a></p>",
        "<section><h4>Teilen Sie diesen Beitrag gern mit allen, die Brücken mögen.</h4><ul>"
        "<li><a href='//eins.example/?u=/2024/05/a-bridge'>Eins</a></li>"
        "<li><a href='//zwei.example/?u=/2024/05/a-bridge'>Zwei</a></li></ul></section>",
    ],
)
def test_a_box_to_share_the_page_is_no_text(box: str) -> None:
    body = body_of(f"<div>{paragraphs(ENGLISH)}{box}</div></article>")
    assert body.split("\n") == ENGLISH


OTHERS = [
    "Eine Fähre kehrt nach vielen Jahren zurück",
    "Die Schule am Fluss bekommt ein neues Dach",
    "Warum der Markt am Samstag früher beginnt",
]


@pytest.mark.parametrize(
    ("label", "start", "between", "end"),
    [
        ("<p>In this section:</p>", "<div>", "<br>", "</div>"),
        ("<p>همین بخش :</p>", "", " | ", ""),
        ("<b>同栏目文章：</b>", "<p>", "　", "</p>"),
    ],
)
def test_lists_of_other_pages_below_the_text_are_no_text(
    label: str, start: str, between: str, end: str
) -> None:
    links = between.join(f"<a href=/2024/04/{n}>{text}</a>" for n, text in enumerate(OTHERS))
    body = body_of(f"<div>{paragraphs(ENGLISH)}{label}{start}{links}{end}</div></article>")
    assert body.split("\n") == ENGLISH


@pytest.mark.parametrize(
    ("post", "leaves"),
    [
        ("<article><div><b>ann</b><i>2009-05-29 23:{}5 UTC</i></div><p>{}</p></article>", True),
        ("<x-post><p>Jörg · 12.03.2021, 08:{}4</p><div>{}</div></x-post>", True),
        ("<li class=r7><span>小明</span> <span>2021-3-12 09:{}1</span><p>{}</p></li>", True),
        ("<section><p>Market day, 3 May 202{}</p><p>{}</p></section>", False),  # events
    ],
)
def test_the_lines_of_name_and_time_leave_a_thread_without_names(post: str, leaves: bool) -> None:
    posts = "".join(post.format(number, text) for number, text in enumerate(ENGLISH[1:]))
    page = parse(f"<body><h1>A bridge</h1><p>{ENGLISH[0]}</p>{posts}".encode(), URL)
    texts = page.document.blocks.texts
    kept = np.ones(len(texts), bool)
    kept[0] = False
    found = without_discussion(page, kept)
    lost = [text for text, stays in zip(texts[1:], found[1:], strict=True) if not stays]
    assert len(lost) == (3 if leaves else 0)
    assert set(lost).isdisjoint(ENGLISH)


@pytest.mark.parametrize(
    ("foot", "stays"),
    [
        ("<div class=c_footer><p>免责声明</p><p>{}</p></div>", False),
        ("<section id=fusszeile><span>{}</span></section>", False),
        ("<ul class='post-disclaimer'><li>{}</li></ul>", False),
        ("<div class=summary><p>{}</p></div>", True),
        ("<div class=c_footer></div><p>{}</p>", True),
    ],
)
def test_the_last_texts_in_a_footer_are_none_of_the_article(foot: str, stays: bool) -> None:
    html = f"<body><div>{paragraphs(ENGLISH)}{foot.format(GERMAN[0])}</div>"
    page = parse(html.encode(), URL)
    kept = np.ones(len(page.document.blocks), bool)
    found = without_footer(page, kept).tolist()
    assert found == [True] * 4 + [stays] * (len(kept) - 4)


def test_an_article_that_is_named_as_a_footer_stays() -> None:
    page = parse(f"<body><div class=legal>{paragraphs(ENGLISH)}</div>".encode(), URL)
    assert without_footer(page, np.ones(len(page.document.blocks), bool)).all()


FACTS = {
    "Дата: 10 ноября 2011": "Рубрика: Мосты, Реки",
    "日期：2011年11月10日": "栏目：桥梁",
    "Datum: 10.11.2011": "Rubrik: Brücken",
}


@pytest.mark.parametrize(("day", "kind"), FACTS.items())
@pytest.mark.parametrize(
    "row",
    [
        "<table><tr><td>{day}</td><td>{kind}</td></tr></table>",
        "<ul><li>{day}</li><li>{kind}</li></ul>",
        "<div><div>{day}</div><div>{kind}</div></div>",
    ],
)
def test_labelled_facts_in_the_row_of_the_day_are_no_text(day: str, kind: str, row: str) -> None:
    page = parse(
        f"<body><h1>A bridge</h1><div>{row.format(day=day, kind=kind)}"
        f"{paragraphs(ENGLISH)}</div>".encode(),
        URL,
    )
    kept = np.ones(len(page.document.blocks), bool)
    kept[0] = False
    dated = find_published(page, 0)
    assert without_bylines(page, dated, kept=kept, headline=0).tolist() == [False] * 3 + [True] * 4


@pytest.mark.parametrize(
    "facts",
    [
        "<p>Date: 10 November 2011</p><p>Place: the old bridge</p>",  # beside the paragraphs
        "<div><p>Date: 10 November 2011</p><p>Come and see the old bridge with us.</p></div>",
    ],
)
def test_labelled_facts_among_the_text_stay(facts: str) -> None:
    html = f"<body><h1>A bridge</h1><div>{facts}{paragraphs(ENGLISH)}</div>"
    page = parse(html.encode(), URL)
    kept = np.ones(len(page.document.blocks), bool)
    dated = find_published(page, 0)
    assert without_bylines(page, dated, kept=kept, headline=0)[2:].all()


@pytest.mark.parametrize(
    "line",
    [
        "<span>发布时间：2024-05-02</span><span>浏览次数：<i></i></span> <span>作者：</span><span>来源： </span>",
        "<font>Kategorie:</font> <a href=/c>Brücken</a> <a href=/d>Flüsse</a> <i>(3)</i> ",
        "حجم الخط: <a href=/c><b>كبير</b></a> | <a href=/d>صغير</a> ",
    ],
)
def test_the_inline_parts_of_a_line_leave_with_it(line: str) -> None:
    """The line has no element of its own: it stands directly in that of the paragraphs."""
    page = parse(f"<body><div class=main>{line}{paragraphs(ENGLISH)}</div>".encode(), URL)
    kept = np.ones(len(page.document.blocks), bool)
    kept[0] = False
    found = selection(page, kept * 1.0, kept=kept)
    content = Content(found.nodes, found.skip, URL, found.mute)
    assert content.text.split("\n") == ENGLISH


@pytest.mark.parametrize(
    ("mark", "scores", "stays"),
    [
        ("<p>Zweitens.</p>", 0.2, True),
        ("<p>第二。</p>", 0.2, True),
        ("<p class=ad>Zweitens.</p>", 0.2, False),  # of another kind
        ("<div>Zweitens.</div>", 0.2, False),
        ("<p><a href=/b>Zweitens.</a></p>", 0.2, False),
        ("<p>Zweitens.</p>", 0.05, False),
    ],
)
def test_a_text_between_others_of_its_kind_stays(mark: str, scores: float, stays: bool) -> None:
    html = f"<body><div><p>{ENGLISH[0]}</p>{mark}<p>{ENGLISH[1]}</p></div>"
    page = parse(html.encode(), URL)
    found = np.array([0.9, scores, 0.9])
    assert with_siblings(page, found, kept=found > 0.5)[1] == stays


@pytest.mark.parametrize(
    ("above", "line", "score", "stays"),
    [
        ("<p>{}</p><p>{}</p>", "<p>2024年5月2日</p>", 0.2, True),
        ("<div class=t>{}</div><div class=t>{}</div>", "<div class=t>Ann Onym</div>", 0.2, True),
        ("<li>{}</li><li>{}</li>", "<li>Fluss<li>Ufer", 0.2, True),
        ("<p>{}</p><p>{}</p>", "<p>2 May 2024</p>", 0.05, False),
        ("<p>{}</p><p>{}</p>", "<h4>Read on</h4>", 0.2, False),  # of another kind
        ("<h3>{}</h3><p>{}</p>", "<p>2 May 2024</p>", 0.2, False),  # one above it alone
        ("<p>{}</p><p>{}</p>", "<p><a href=/b>Zweitens.</a></p>", 0.2, False),
    ],
)
def test_a_text_right_behind_two_of_its_kind_stays(
    above: str, line: str, score: float, stays: bool
) -> None:
    html = f"<body><div>{above.format(*ENGLISH[:2])}{line}</div><footer>About us</footer>"
    page = parse(html.encode(), URL)
    texts = page.document.blocks.texts
    found = np.array([0.9, 0.9] + [score] * (len(texts) - 3) + [0.01])
    kept = with_siblings(page, found, kept=found > 0.5)
    assert kept[2] == stays
    assert not kept[-1]


@pytest.mark.parametrize("line", ["【阴天】<br>", "<b>Am Ufer</b>", "<span>On the bank</span>"])
def test_a_text_in_the_element_of_the_paragraphs_stays_between_them(line: str) -> None:
    html = f"<body><div><p>{ENGLISH[0]}</p>{line}<p>{ENGLISH[1]}</p></div>"
    page = parse(html.encode(), URL)
    found = np.array([0.9, 0.2, 0.9])
    assert with_siblings(page, found, kept=found > 0.5).all()


@pytest.mark.parametrize(
    ("caption", "score", "stays"),
    [
        ("<figure><img src=a.png><figcaption>The second pier</figcaption></figure>", 0.4, True),
        (
            "<div class=wp-caption><img src=a.png><p class=wp-caption-text>Der Pfeiler</p></div>",
            0.4,
            True,
        ),
        ("<figure><img src=a.png><figcaption>第二座桥墩</figcaption></figure>", 0.2, False),
    ],
)
def test_a_caption_above_the_first_paragraph_stays(caption: str, score: float, stays: bool) -> None:
    html = f"<body><main><div>{caption}<p>{ENGLISH[0]}</p><p>{ENGLISH[1]}</p></div></main>"
    page = parse(html.encode(), URL)
    found = np.array([score, 0.9, 0.9])
    assert with_whole_parts(page, found, kept=found > 0.5)[0] == stays


@pytest.mark.parametrize(("score", "stays"), [(0.4, True), (0.2, False)])
@pytest.mark.parametrize(
    "caption",
    [
        "<figure><img src=a.png><figcaption>The second pier</figcaption></figure>",
        "<div class=wp-caption><img src=a.png><p class=wp-caption-text>Der Pfeiler</p></div>",
        "<figure><img src=a.png><figcaption>第二座桥墩</figcaption></figure>",
    ],
)
def test_a_caption_inside_stays_unless_the_network_rejects_it(
    caption: str, score: float, stays: bool
) -> None:
    html = f"<body><main><div><p>{ENGLISH[0]}</p>{caption}<p>{ENGLISH[1]}</p></div></main>"
    page = parse(html.encode(), URL)
    found = np.array([0.9, score, 0.9])
    assert with_whole_parts(page, found, kept=found > 0.5)[1] == stays


@pytest.mark.parametrize(
    "post", ["<div class=post>{0}{1}</div>", "<li>{1}<p>{0}</p></li>", "<dd>{0}<br>{1}</dd>"]
)
def test_buttons_to_share_each_post_take_no_post_along(post: str) -> None:
    buttons = (
        "<span><a href='https://one.example/?u=/2024/05/a-bridge'>1</a>"
        "<a href='https://two.example/?u=/2024/05/a-bridge'>2</a></span>"
    )
    said = [*ENGLISH, "Great answer, thank you."]
    root = parse(f"<body><div>{''.join(post.format(text, buttons) for text in said)}</div>").root
    boxes = outside_elements(root, url=URL, title="A bridge and its gauge")
    assert boxes
    assert all("".join(box.itertext()) in ("12", "1", "2") for box in boxes)


LOGIN = "<a href='member.php?mod=logging&amp;action=login'>登录</a>"
JOIN = "<a href='member.php?mod=register'>立即注册</a>"


@pytest.mark.parametrize(
    ("html", "said"),
    [
        (
            f"<p>您需要登录后才可以回帖 {LOGIN} | {JOIN}</p>",
            "您需要登录后才可以回帖 登录 | 立即注册",
        ),
        (
            f"<div class=a><div><h3>马上注册</h3><p>您需要 {LOGIN} 才可以下载</p></div><span>x</span></div>",
            "马上注册您需要 登录 才可以下载x",
        ),
        (
            "<div>You must <b><a href=/login/>log in</a></b> to reply.</div>",
            "You must log in to reply.",
        ),
        (
            "<p>Du musst <a href='ucp.php?mode=login'>angemeldet</a> sein.</p>",
            "Du musst angemeldet sein.",
        ),
        (f"<p><a href=/login>Anmelden</a> {ENGLISH[0]} {ENGLISH[1]} {ENGLISH[2]}</p>", None),
        ("<p>Read <a href=/login>this</a> and <a href=/story-1>that</a>.</p>", None),
        ("<nav><p><a href=/login>Log in</a></p></nav>", None),
        (
            "<p>Please <a href=//accounts.news.example/signin>sign in</a> to see the picture.</p>",
            "Please sign in to see the picture.",
        ),
        ("<p>Come and <a href=https://fair.example.org/register>join us</a> in May.</p>", None),
        ("<p>Venez <a href=//foire.example.org/registration>vous inscrire</a> en mai.</p>", None),
        ("<p>欢迎<a href=https://hui.example.org/regist>报名</a>参加五月的大会。</p>", None),
        (
            "<p>Who wants to hear more of it is welcome, and may <a href=/register>come</a> to the"
            " hall in May, when all of us meet again.</p>",
            None,
        ),
    ],
)
def test_lines_that_ask_their_reader_to_log_in(html: str, said: str | None) -> None:
    """They stood in the first post of threads. The text beside them is no part of them."""
    root = parse(f"<body><div><div>{html}<p>A short post.</p></div></div>", URL).root
    boxes = outside_elements(root, url=URL, title="A bridge and its gauge")
    assert ["".join(box.itertext()) for box in boxes] == ([said] if said else [])


def test_a_page_that_is_mostly_a_list_keeps_it() -> None:
    lists = "".join(
        f"<p><a href=/{n}>{text} und noch mehr davon</a> <a href=/{n}/b>mehr dazu</a></p>"
        for n, text in enumerate(OTHERS * 4)
    )
    page = parse(f"<body><div><p>{ENGLISH[0]}</p>{lists}</div>".encode(), URL)
    kept = np.ones(len(page.document.blocks), bool)
    assert without_link_lists(page, kept).all()
