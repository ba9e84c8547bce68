"""Authors in the shapes that by-lines, metadata and signatures have in many languages and systems:
one row a page."""

from __future__ import annotations

import json
from typing import Any

import pytest

import sitecrawl

PROSE = "".join(
    f"<p>The bridge over the harbour, opened in year {at}, carries ships, trams and people.</p>"
    for at in range(8)
)
A = ["Ann Onym"]


def names_of(*, head: str = "", top: str = "", end: str = "") -> list[str]:
    """The authors of an article of the site "Port Gazette" with ``top`` below its headline and
    ``end`` below its text."""
    site = f"<head><meta property=og:site_name content='Port Gazette'>{head}</head>"
    body = f"<h1>A bridge opens today</h1>{top}<div class=text>{PROSE}</div>{end}"
    html = f"{site}<main><article>{body}</article></main>"
    return [
        one["name"] for one in sitecrawl.extract(html, "http://www.port-gazette.example/a").authors
    ]


def ld(author: Any, **more: Any) -> str:
    """A script with the JSON-LD of an article by ``author``, of one without if that is None."""
    data = {"@type": "NewsArticle", "headline": "A bridge opens today"} | more
    if author is not None:
        data["author"] = author
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ({"top": "<p>Von Ann Onym @annonym | 10.12.2016, 10:20 Uhr</p>"}, A),
        ({"top": "<p>Por Ana García @anag 10 dic 2016 10:20 CET</p>"}, ["Ana García"]),
        ({"top": "<p class=byline>Ann Onym (@ann) • Dec 10, 2016 10:20 PM PST</p>"}, A),
        ({"top": "<div class=byline>By <b>Ann Onym</b> <i>@ann</i> <i>3 hours ago</i></div>"}, A),
        ({"top": "<aside class=meta><span itemprop=author itemscope><span itemprop=name>Ann Onym</span></span></aside>"}, A),
        ({"top": "<aside><ul><li><a rel=author href=/1>Ann Onym</a></li><li><a rel=author href=/2>Bo Derr</a></li></ul></aside>"}, [*A, "Bo Derr"]),
        ({"top": "<aside class='sidebar author'><p class=author-name>Ann Onym</p></aside>"}, A),
        ({"top": "<p>Von Ann Onym Veröffentlicht am 3. Mai 2021</p>"}, A),
        ({"top": "<p>di Anna Rossi Pubblicato il 3 maggio 2021</p>"}, ["Anna Rossi"]),
        ({"top": "<p>Par Anne Lecor - Publié le 3 mai 2021 à 10h20</p>"}, ["Anne Lecor"]),
        ({"top": "<p>Door Jan de Vries Gepubliceerd op 3 mei 2021</p>"}, ["Jan de Vries"]),
        ({"top": "<p>Skrevet av Kari Nordmann Publisert 3. mai 2021</p>"}, ["Kari Nordmann"]),
        ({"top": "<p>Autor: Jan Kowalski Opublikowano 3 maja 2021</p>"}, ["Jan Kowalski"]),
        ({"top": "<p>Ayşe Kaya tarafından 3 Mayıs 2021 tarihinde yayınlandı</p>"}, ["Ayşe Kaya"]),
        ({"top": "<p>Автор Иван Петров Опубликовано 3 мая 2021 г.</p>"}, ["Иван Петров"]),
        ({"top": "<p>By Ann Onym Last updated May 3, 2021 at 10:20 a.m.</p>"}, A),
        ({"top": "<p>By Ann Onym Staff Writer May 3, 2021</p>"}, A),
        ({"top": "<div class=byline><span>Von Ann Onym</span><span>Korrespondentin in Berlin</span></div>"}, A),
        ({"top": "<p class=byline>By Ann Onym, Deputy Political Editor</p>"}, A),
        ({"top": "<p class=author>Ann Onym / Reuters</p>"}, A),
        ({"top": "<p>Anna Virta/STT</p><p class=author>Anna Virta/STT</p>"}, ["Anna Virta"]),
        ({"top": "<p class=author>Ann Onym/Bo Derr</p>"}, [*A, "Bo Derr"]),
        ({"top": "<p>記者 王小明／台北報導</p>"}, ["王小明"]),
        ({"top": "<p>文/《公路》杂志社 王小明 李林（实习） 陈大海</p>"}, ["王小明", "李林", "陈大海"]),
        ({"top": "<p>文／河畔日報社 王小明、李林（見習）</p>"}, ["王小明", "李林"]),
        ({"top": "<p>Ann Onym, Staff Writer</p>"}, A),
        ({"top": "<p>Anna Kowalska / PAP</p>"}, ["Anna Kowalska"]),
        ({"top": "<p>خبرنگار: مریم کاویانی</p>"}, ["مریم کاویانی"]),
        ({"top": "<p>بقلم أحمد سالم</p>"}, ["أحمد سالم"]),
        ({"top": "<p>מאת דנה לוי</p>"}, ["דנה לוי"]),
        ({"top": "<p>كتب: أحمد سالم</p>"}, ["أحمد سالم"]),
        ({"top": "<p>লেখক: রহিম উদ্দিন</p>"}, ["রহিম উদ্দিন"]),
        ({"top": "<p>Par Anne Lecor (avec AFP et Reuters)</p>"}, ["Anne Lecor"]),
        ({"top": "<p>Par Anne Lecor, avec agences</p>"}, ["Anne Lecor"]),
        ({"top": "<p>Por Ana García y agencias</p>"}, ["Ana García"]),
        ({"top": "<p>Por Ana García, com agências</p>"}, ["Ana García"]),
        ({"top": "<p>Von Ann Onym mit Material von dpa</p>"}, A),
        ({"top": "<p>Von Ann Onym (dpa)</p>"}, A),
        ({"top": "<p>By Ann Onym and wires</p>"}, A),
        ({"top": "<p>di Anna Rossi con ANSA</p>"}, ["Anna Rossi"]),
        ({"top": "<p>Por Ana García con información de EFE</p>"}, ["Ana García"]),
        ({"head": "<meta name=author content=\"&lt;a href='/u/1'&gt;Ann Onym&lt;/a&gt;\">"}, A),
        ({"head": "<meta name=author content=\"&amp;lt;img src=x&amp;gt;Ann Onym\">"}, A),
        ({"head": "<meta property='article:author' content=\"&lt;span class='author vcard'&gt;Ann Onym&lt;/span&gt;\">"}, A),
        ({"top": "<p>Penulis : Budi Santoso | Editor : Heru Adi</p>"}, ["Budi Santoso"]),
        ({"top": "<p>Wartawan: Budi Santoso</p><p>Redaktur: Heru Adi</p>"}, ["Budi Santoso"]),
        ({"top": "<p>Redactor: Ana García / Editor: Bo Derr</p>"}, ["Ana García"]),
        ({"top": "<p>Корреспондент: Иван Петров, редактор: Пётр Сидоров</p>"}, ["Иван Петров"]),
        ({"top": "<p>Bài: Nguyễn Văn An - Ảnh: Trần Bình</p>"}, ["Nguyễn Văn An"]),
        ({"top": "<p>Text: Ann Onym Foto: Bo Derr</p>"}, A),
        ({"top": "<p>Tekst: Kari Nordmann Foto: Ola Hansen</p>"}, ["Kari Nordmann"]),
        ({"top": "<p>Tekst: Jan Kowalski, zdjęcia: Bo Derr</p>"}, ["Jan Kowalski"]),
        ({"top": "<p>文・写真／松川太一</p>"}, ["松川太一"]),
        ({"top": "<p>（取材・文＝松川太一）</p>"}, ["松川太一"]),
        ({"top": "<p>文＝松川太一　写真＝岡野花</p>"}, ["松川太一"]),
        ({"top": "<p>執筆：松川太一　編集：岡野花</p>"}, ["松川太一"]),
        ({"top": "<p>TEXT：松川太一　PHOTO：岡野花</p>"}, ["松川太一"]),
        ({"top": "<p>ライター：松川太一</p>"}, ["松川太一"]),
        ({"top": "<p>聞き手・松川太一</p>"}, ["松川太一"]),
        ({"top": "<p>Text by Ann Onym / Photos by Bo Derr</p>"}, A),
        ({"end": "<p>松川太一記者</p>"}, ["松川太一"]),
        ({"end": "<p>［松川太一、共同通信］</p>"}, ["松川太一"]),
        ({"end": "<p>(松川太一)</p>"}, []),
        ({"end": "<p>[항구일보 김도현 기자]</p>"}, ["김도현"]),
        ({"end": "<p>김도현 특파원 kim@h.example</p>"}, ["김도현"]),
        ({"end": "<p>/김도현 기자</p>"}, ["김도현"]),
        ({"end": "<p>글·사진=김도현 기자 kim@h.example</p>"}, ["김도현"]),
        ({"end": "<p>김도현 인턴기자</p>"}, ["김도현"]),
        ({"end": "<p>김도현·박준석 기자 kim@h.example</p>"}, ["김도현","박준석"]),
        ({"top": "<p>(서울=항구뉴스) 김도현 기자 = 항구의 다리가 오늘 열렸다.</p>"}, ["김도현"]),
        ({"head": ld({"@type":"Person","name":["Ann Onym","Bo Derr"]})}, [*A, "Bo Derr"]),
        ({"head": ld({"@list":[{"name":"Ann Onym"},{"name":"Bo Derr"}]})}, [*A, "Bo Derr"]),
        ({"head": ld(None,creator="Ann Onym")}, A),
        ({"head": ld(None,creator=["Ann Onym","Bo Derr"])}, [*A, "Bo Derr"]),
        ({"head": ld([["Ann Onym"]])}, A),
        ({"head": ld("Ann Onym, Bo Derr and Cy Tate")}, [*A, "Bo Derr","Cy Tate"]),
        ({"head": ld({"@type":"Thing","name":"Port Gazette"}), "top": "<p>By Ann Onym</p>"}, A),
        ({"head": ld({"@type":"Organization","name":"Port Gazette"}), "top": "<p>4 May 2021</p>"}, ["Port Gazette"]),
        ({"head": ld({"@type":"Organization","name":"Harbour Radio"}), "top": "<p class=byline>von <a href=/p/ann>Ann Onym</a></p>"}, A),
        ({"head": ld({"@type":"Organization","name":"Harbour Radio"}), "top": "<p>記者 王小明</p>"}, ["王小明"]),
        ({"head": "<meta name=author content='{{ author }}'>"}, []),
        ({"head": "<meta name=author content='%author%'>"}, []),
        ({"head": "<meta name=author content='[author]'>"}, []),
        ({"head": "<meta name=author content='Author Name'>"}, []),
        ({"head": "<meta name=author content='Your Name Here'>"}, []),
        ({"head": "<meta name=generator content='Joomla! - Open Source Content Management'><meta name=author content='Super User'>"}, ["Super User"]),
        ({"head": "<meta name=generator content='Discuz! X3.4'><meta name=author content='Discuz! Team and Comsenz UI Team'>"}, []),
        ({"head": "<meta name=generator content='WordPress 6.1'><meta name=author content='WordPress'>"}, []),
        ({"head": "<meta name=author content='admin'>", "top": "<p>By Ann Onym</p>"}, A),
        ({"head": "<meta name=author content='管理员'>", "top": "<p>作者：王小明</p>"}, ["王小明"]),
        ({"head": "<meta name='DC.creator' content='Ann Onym'><meta name='DC.creator' content='Bo Derr'>"}, [*A, "Bo Derr"]),
        ({"head": "<meta name=author content='Ann Onym; Bo Derr'>"}, [*A, "Bo Derr"]),
        ({"head": "<meta itemprop=author content='Ann Onym'><meta itemprop=author content='Bo Derr'>"}, [*A, "Bo Derr"]),
        ({"top": "<p>来源：石湾日报 作者：王晓明 责编：李四</p>"}, ["王晓明"]),
        ({"top": "<p>2023-07-05 10:30 来源：石湾日报 记者：王晓明 编辑：李四</p>"}, ["王晓明"]),
        ({"top": "<p>本报记者 王晓明 通讯员 李四</p>"}, ["王晓明","李四"]),
        ({"top": "<p>记者王晓明 摄影报道</p>"}, ["王晓明"]),
        ({"top": "<p>文｜王晓明 编辑｜李四</p>"}, ["王晓明"]),
        ({"top": "<p>撰文 王晓明</p><p>编辑 李四</p>"}, ["王晓明"]),
        ({"end": "<p>（责任编辑：李四）</p>"}, []),
        ({"end": "<p>责编：李四 审核：王五</p>"}, []),
        ({"top": "<p>Übersetzung: Bo Derr</p>"}, []),
        ({"top": "<p>Übersetzt von Bo Derr</p>"}, []),
        ({"top": "<p>Traduit par Bo Derr</p>"}, []),
        ({"top": "<p>Traducción de Bo Derr</p>"}, []),
        ({"top": "<p>Photo: Bo Derr</p>"}, []),
        ({"top": "<p>Illustration by Bo Derr</p>"}, []),
        ({"top": "<p class=author>Foto: Bo Derr / Harbour TV</p>"}, []),
        ({"top": "<p>Images: Bo Derr | Words: Ann Onym</p>"}, A),
        ({"top": "<p>Texto de Ann Onym e fotos de Bo Derr</p>"}, A),
        ({"top": "<p>Testo di Ann Onym, foto di Bo Derr</p>"}, A),
        ({"top": "<p>Door onze verslaggever Ann Onym</p>"}, A),
        ({"top": "<p>Von unserem Korrespondenten Ann Onym</p>"}, A),
        ({"top": "<p>Propos recueillis par Ann Onym</p>"}, A),
        ({"top": "<p>Γράφει η Ελένη Δούκα</p>"}, ["Ελένη Δούκα"]),
        ({"top": "<p>Reportagem: Ann Onym | Edição: Bo Derr</p>"}, A),
        ({"top": "<p>Röportaj: Elif Kaya</p>"}, ["Elif Kaya"]),
        ({"top": "<p>Bài và ảnh: Nguyễn Thu Hà</p>"}, ["Nguyễn Thu Hà"]),
    ],
)  # fmt: skip
def test_the_shapes_of_authors(page: dict[str, str], names: list[str]) -> None:
    assert names_of(**page) == names


@pytest.mark.parametrize(
    ("page", "names"),
    [
        # names with which people log in, behind a label
        ({"top": "<p><span>2019-09-01 19:43</span><span>来源：港口网 </span><span>作者：qqkkk</span></p>"}, ["qqkkk"]),
        ({"top": "<p>时间:2012/6/28 15:04:00 作者:qqtn丫丫 人气:0</p>"}, ["qqtn丫丫"]),
        ({"top": "<p>3 May 2024 | Author: jdoe42</p>"}, ["jdoe42"]),
        ({"top": "<p>Autor: jan_k88, 3 maja 2021</p>"}, ["jan_k88"]),
        ({"top": "<p>Автор: дима77 | 3 мая 2021</p>"}, ["дима77"]),
        ({"top": "<p>Yazar: mehmet42 - 3 Mayıs 2021</p>"}, ["mehmet42"]),
        ({"top": "<p>Auteur : lulu69 - 3 mai 2021</p>"}, ["lulu69"]),
        ({"top": "<p>投稿者：neko3 2021年5月3日</p>"}, ["neko3"]),
        ({"top": "<p>글쓴이: minsu7 2021-05-03</p>"}, ["minsu7"]),
        ({"top": "<p>发布者: 港口小编a 2020-4-12 15:20</p>"}, ["港口小编a"]),
        ({"top": "<p>Vložil/a 4singer, 23 Září, 2009 - 15:49</p>"}, ["4singer"]),
        ({"top": "<p>Posted by 2fast on 3 May 2021</p>"}, ["2fast"]),
        # what somebody is called, and where, in brackets
        ({"top": "<p>By Paramita (Guha) Ghosh</p>"}, ["Paramita (Guha) Ghosh"]),
        ({"top": "<p class=author>Robert (Bob) Onym | 3 May 2021</p>"}, ["Robert (Bob) Onym"]),
        ({"top": "<p>Por José (Pepe) Ruiz, 3 de mayo de 2021</p>"}, ["José (Pepe) Ruiz"]),
        ({"top": "<p>Von Karl „Kalle“ Berg</p>"}, ["Karl „Kalle“ Berg"]),
        ({"top": "<p>Автор: Иван (Ваня) Петров</p>"}, ["Иван (Ваня) Петров"]),
        ({"top": "<p>Di Anna (Nina) Rossi</p>"}, ["Anna (Nina) Rossi"]),
        ({"top": "<p>Von Ann Onym (Berlin) und Bo Derr</p>"}, [*A, "Bo Derr"]),
        # departments and tasks
        ({"top": "<p class=author>Harbour Tax &amp; Accounting</p>", "head": "<meta name=author content='Ann Onym'>"}, A),
        ({"head": "<meta name=author content='Marketing and Event Coordinator'>", "end": "<p><em>By Ann Onym</em></p>"}, A),
        ({"top": "<p>By Ann Onym & Bo Derr</p>"}, [*A, "Bo Derr"]),
        ({"top": "<p class=author>Ann & Bo</p>"}, ["Ann", "Bo"]),
        # the default author of the site, beside a person
        ({"head": ld({"@type": "Person", "name": "Port Gazette"}), "top": "<p>by Port Gazette</p><p>3 May 2021</p><p>Ann Onym, Harbour University</p>"}, A),
        ({"head": ld({"@type": "Person", "name": "Port Gazette"}), "top": "<p class=author>Port Gazette</p><p class=author>Ann Onym</p>"}, A),
        ({"head": ld({"@type": "Person", "name": "Port Gazette"}), "top": "<p>Von Port Gazette</p><p>Von Ann Onym</p>"}, A),
        ({"head": ld({"@type": "Person", "name": "港口日报"}) + "<meta property=og:site_name content=港口日报>", "top": "<p>港口日报</p><p>记者 王小明</p>"}, ["王小明"]),
        ({"head": "<meta name=author content='Port Gazette'>", "top": "<ul class=author-list><li><a class=author-name>Port Gazette</a></li><li><a class=author-name>Ann Onym</a></li></ul>"}, A),
        # a picture of the person who is named beside it
        ({"top": "<div>3 May 2021 · <a href=/x><img alt='Ann Onym' src=/p.jpg class=rounded><div>Ann Onym</div></a></div>"}, A),
        ({"top": "<div><img alt='Jan Kowalski' src=/p.jpg><span>Jan Kowalski</span><span>3 maja 2021</span></div>"}, ["Jan Kowalski"]),
        ({"top": "<div><img alt='Иван Петров' src=/p.jpg><span>Иван Петров</span></div>"}, ["Иван Петров"]),
        ({"top": "<div><img alt='王小明' src=/p.jpg><span>王小明</span></div>"}, ["王小明"]),
        ({"top": "<div><img alt='Foto de Ana García' src=/p.jpg><span>Ana García</span></div>"}, ["Ana García"]),
        ({"top": "<div><img alt='Avatar von Ann Onym' src=/p.jpg><span>Ann Onym</span></div>"}, A),
        ({"top": "<figure><img alt='Angela Onym' src=/p.jpg><figcaption>Angela Onym</figcaption></figure>"}, []),
        ({"top": "<p><img alt='IMG 1: Harbour Club Porto' width=240 src=/p.jpg><br>Harbour Club Porto</p>"}, []),
        ({"top": "<div><img alt='Ann Onym' src=/p.jpg><b>Ann Onym</b></div><div><img alt='Bo Derr' src=/q.jpg><b>Bo Derr</b></div>"}, []),
        # what describes the author
        ({"top": "<div><p>Ann Onym</p><div class=author-description>Licensed Harbour Grader, M.A. Journalism</div></div>", "head": "<meta name=author content='Ann Onym'>"}, A),
        ({"top": "<p class=author-job>Harbour Reporter in Rome</p>", "head": "<meta name=author content='Ann Onym'>"}, A),
        # a label that is a text of its own
        ({"end": "<h2>Article by</h2><div>Ann Onym</div>"}, A),
        ({"top": "<div>Ein Beitrag von</div><div>Ann Onym</div>"}, A),
        ({"top": "<div>Un article de</div><div>Anne Lecor</div>"}, ["Anne Lecor"]),
        ({"top": "<div>Escrito por</div><div>Ana García</div>"}, ["Ana García"]),
        ({"top": "<div>A cura di</div><div>Anna Rossi</div>"}, ["Anna Rossi"]),
        ({"top": "<div>Geschreven door</div><div>Jan de Vries</div>"}, ["Jan de Vries"]),
        ({"top": "<div>Автор:</div><div>Иван Петров</div>"}, ["Иван Петров"]),
        ({"top": "<div>執筆者</div><div>田中花子</div>"}, ["田中花子"]),
        ({"top": "<div>Tác giả:</div><div>Nguyễn Văn An</div>"}, ["Nguyễn Văn An"]),
        ({"top": "<div>Yazar:</div><div>Ayşe Kaya</div>"}, ["Ayşe Kaya"]),
        ({"top": "<div>Penulis :</div><div>Budi Santoso</div>"}, ["Budi Santoso"]),
        # who holds the rights of a picture
        ({"top": "<p>Copyright Bo Derr/AP</p><p>By Ann Onym</p>"}, A),
        ({"top": "<p>Copyright Bo Derr/AP</p>"}, []),
        ({"top": "<p>© Bo Derr/dpa</p>"}, []),
        ({"top": "<p>Crédits photo : Bo Derr / AFP</p>"}, []),
        ({"top": "<p>Bildrechte: Bo Derr/dpa</p>"}, []),
        ({"top": "<p>Fot. Bo Derr / PAP</p>"}, []),
        ({"top": "<p>Фото: Bo Derr / Reuters</p>"}, []),
        # where somebody works
        ({"top": "<p class=author>Ann Onym @ Maintouch</p>"}, A),
        ({"top": "<p>By Ann Onym at The Harbour Institute</p>"}, A),
        ({"top": "<p>Von Ann Onym bei Hafenblick</p>"}, A),
        # days of the week
        ({"top": "<p>lee Says:Sat, Jun 18 '05, 10:24 AM</p>"}, []),
        ({"top": "<p class=author>Montag</p><p>Von Ann Onym</p>"}, A),
        # two marks, of which the metadata name one
        ({"head": ld({"name": "Bo Derr"}), "top": "<div class=bylines><div class=byline><a rel=author>Ann Onym</a></div><div class=byline><a rel=author>Bo Derr</a></div></div>"}, [*A, "Bo Derr"]),
        # one word of a full name that stands elsewhere
        ({"head": "<meta name=author content='Inka Wibowo'>", "top": "<p class=author>Inka</p>"}, ["Inka Wibowo"]),
        ({"head": "<meta name=author content='Linda'>", "top": "<p class=author>Linda McCall</p>"}, ["Linda McCall"]),
        ({"head": ld({"name": "Jürgen"}), "top": "<p>Von Jürgen Berg</p>"}, ["Jürgen Berg"]),
        ({"head": ld({"name": "Ольга"}), "top": "<p>Автор: Ольга Петрова</p>"}, ["Ольга Петрова"]),
    ],
)  # fmt: skip
def test_who_wrote_and_who_did_not(page: dict[str, str], names: list[str]) -> None:
    assert names_of(**page) == names
