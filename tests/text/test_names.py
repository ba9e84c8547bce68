"""Names as by-lines write them."""

from __future__ import annotations

import pytest

from sitecrawl.text.names import clean_names


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
