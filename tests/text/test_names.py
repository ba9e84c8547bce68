"""Names as by-lines write them."""

from __future__ import annotations

import pytest

from sitecrawl.text.names import clean_names, labelled_authors


@pytest.mark.parametrize(
    "line",
    [
        "By Ines Calado, 04 March 2026",
        "By Ines Calado, March 4, 2026",
        "Wednesday, March 4, 2026, Ines Calado",
        "Ines Calado Wed, 4 Mar 2026 10:30:00 +0100",
        "2026-03-04 | Ines Calado",
        "Published 2026-03-04 08:30 by Ines Calado",
        "By Ines Calado | 4 March 2026 | Sport",
        "Ines Calado",
        "About Ines Calado",
        "Текст: Ines Calado",
        "Author:Ines Calado",
        "Av Ines Calado",
    ],
)
def test_dates_and_labels_are_no_names(line: str) -> None:
    assert clean_names([line, "Analysis by"]) == ["Ines Calado"]


@pytest.mark.parametrize(
    "line", ["文：王小明", "文／王小明", "執筆者：王小明", "記者王小明／台北報導", "撰文：王小明"]
)
def test_labels_of_east_asian_names(line: str) -> None:
    assert clean_names([line]) == ["王小明"]


@pytest.mark.parametrize("label", ["Oleh:", "Автор:", "Door", "Penulis :", "著者："])
def test_a_label_alone_is_no_name(label: str) -> None:
    assert clean_names([label]) == []


@pytest.mark.parametrize(
    "line",
    [
        "Fotos: Bo Derr, Text: Ines Calado",
        "Photos by Bo Derr and Al Dente, Author: Ines Calado",
        "Translated by Bo Derr | Text: Ines Calado",
        "Text: Ines Calado, Fotos: Bo Derr",
    ],
)
def test_who_has_another_task_and_stands_before_the_author_is_none(line: str) -> None:
    assert clean_names([line]) == ["Ines Calado"]
    assert clean_names([line.replace("Ines Calado", "")]) == []


def test_a_photographer_before_an_east_asian_author_is_none() -> None:
    assert clean_names(["摄影：王五，作者：王小明"]) == ["王小明"]
    assert clean_names(["Foto: " + "da " * 5_000]) == []


@pytest.mark.costs(0.3)
def test_prose_in_place_of_a_name_costs_little() -> None:
    assert clean_names(["a " * 500, "a, a " * 5_000]) == ["a a"]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        # verbs, times and zones beside the name
        ("By Ines Calado Published December 21, 2016 at 8:31am", ["Ines Calado"]),
        ("By Ines Calado @icalado Dec 10, 2016, 10:20am EST", ["Ines Calado"]),
        ("Dec 10, 2016, 10:20am EST", []),
        ("12.05.2021, 18:30 Uhr", []),
        ("Von Ines Calado veröffentlicht am 3. Mai 2021", ["Ines Calado"]),
        ("Par Ines Calado Publié le 07 mai 2019 à 11:59", ["Ines Calado"]),
        ("Por Inês Calado Atualizado em 3 de maio de 2021", ["Inês Calado"]),
        ("Иван Петров Опубликовано 3 мая 2021", ["Иван Петров"]),
        # addresses and names in networks
        ("Ines Calado <ines@paper.example>", ["Ines Calado"]),
        ("Ines Calado (@icalado)", ["Ines Calado"]),
        ("Ines Calado, ines.calado@paper.example", ["Ines Calado"]),
        ("김도현 기자 dohyun@paper.example", ["김도현"]),
        ("<img src='/a.png?d=1' alt=''/>Author Ines Calado", ["Ines Calado"]),
        # offices and agencies
        ("By Ines Calado / Staff reporter, with CNA", ["Ines Calado"]),
        ("By Ines Calado, Senior Political Correspondent", ["Ines Calado"]),
        ("Von Ines Calado, dpa", ["Ines Calado"]),
        ("Von Ines Calado mit dpa", ["Ines Calado"]),
        ("Von Ines Calado, Redakteurin", ["Ines Calado"]),
        ("Par Ines Calado avec AFP", ["Ines Calado"]),
        ("Par Ines Calado avec Bo Derr", ["Ines Calado", "Bo Derr"]),
        ("Por Ines Calado con Europa Press", ["Ines Calado"]),
        ("Por Inês Calado, com Agência Lusa", ["Inês Calado"]),
        ("di Ines Calado, giornalista", ["Ines Calado"]),
        ("Иван Петров, корреспондент", ["Иван Петров"]),
        ("Иван Петров, ТАСС", ["Иван Петров"]),
        ("［松川太一、毎日新聞］", ["松川太一"]),
        ("石湾日报记者 王晓明", ["王晓明"]),
        ("记者 王小明 通讯员 李四", ["王小明", "李四"]),
        ("By Reuters", ["Reuters"]),
        ("Emily Post", ["Emily Post"]),
        # several names
        ("By Ines Calado, Otto Finch and Ruth Abel", ["Ines Calado", "Otto Finch", "Ruth Abel"]),
        ("박준석·김태연 기자", ["박준석", "김태연"]),
        ("[서울=돌섬뉴스] 김도현 기자", ["김도현"]),
        # labels of the author
        ("Reporter: Ines Calado", ["Ines Calado"]),
        ("نویسنده: مریم کاویانی", ["مریم کاویانی"]),
        ("بقلم: أحمد سالم", ["أحمد سالم"]),
        ("מאת: דנה לוי", ["דנה לוי"]),
        ("ผู้เขียน: สมชาย ใจดี", ["สมชาย ใจดี"]),
        ("โดย สมชาย ใจดี", ["สมชาย ใจดี"]),
        ("लेखक: राम शर्मा", ["राम शर्मा"]),
        ("Tác giả: Nguyễn Văn An", ["Nguyễn Văn An"]),
        ("Muhabir: Ayşe Kaya", ["Ayşe Kaya"]),
        ("Συντάκτης: Άννα Νίκου", ["Άννα Νίκου"]),
        ("Toimittaja: Aino Virta", ["Aino Virta"]),
        ("Szerző: Kovács Anna", ["Kovács Anna"]),
        ("Piše: Ana Horvat", ["Ana Horvat"]),
        ("글: 김도현", ["김도현"]),
        ("取材・文／松川太一　撮影／岡野花", ["松川太一"]),
        ("文/王小明 图/李四", ["王小明"]),
        ("撰文：王小明　摄影：李四　责编：张三", ["王小明"]),
        # labels of other people
        ("Editor: Ines Calado", []),
        ("Penyunting: Ines Calado", []),
        ("Foto: Ines Calado", []),
        ("Übersetzung: Ines Calado", []),
        ("Traduction : Ines Calado", []),
        ("Tłumaczenie: Ines Calado", []),
        ("Перевод: Иван Петров", []),
        ("Фото: Иван Петров", []),
        ("عکس: مریم کاویانی", []),
        ("撮影：岡野花", []),
        ("翻訳／岡野花", []),
        ("责任编辑：陈立群", []),
        ("사진: 김도현", []),
        ("Ảnh: Nguyễn Văn An", []),
        # what stands for nobody
        ("name, email@mail.example", []),
        ("Your name", []),
        ("未知", []),
        ("责任", []),
        ("作者 人氣：123", []),
        ("Anónimo", []),
    ],
)
def test_by_lines_in_many_languages(line: str, names: list[str]) -> None:
    assert clean_names([line]) == names


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Reporter: Ines Calado", ["Ines Calado"]),
        ("Jakarta - Penulis: Naufal Idris", ["Naufal Idris"]),
        ("김도현 기자", ["김도현"]),
        ("(松川太一、共同通信)", ["松川太一"]),
        ("文／松川太一", ["松川太一"]),
        ("By the end of the day", []),
        ("作者认为，新桥会改变这座城市的交通。", []),
        ("Ines Calado", []),
    ],
)
def test_only_a_label_with_a_sign_or_behind_a_name_is_sure(line: str, names: list[str]) -> None:
    assert labelled_authors(line) == names
