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
    ],
)  # fmt: skip
def test_the_shapes_of_authors(page: dict[str, str], names: list[str]) -> None:
    assert names_of(**page) == names
