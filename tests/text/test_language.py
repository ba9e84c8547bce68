"""The language of a text against a wrong declaration."""

from __future__ import annotations

import pytest

from sitecrawl.text.language import language_of

TEXTS = {
    "en": "The bridge has been open since yesterday, and it will not be closed again until all of the work is done.",
    "de": "Die Brücke ist seit gestern offen, und sie wird nicht mehr gesperrt, bis alle Arbeiten an ihr getan sind.",
    "fr": "Le pont est ouvert depuis hier et il ne sera pas fermé avant que tous les travaux soient finis pour de bon.",
    "tr": "Köprü dün açıldı ve bu iş için çok para harcandı, ancak daha sonra ne olacak diye soran da var.",
    "uk": "Міст відкрили вчора, і він не буде закритий, бо це важливо для міста та його людей, які так довго чекали.",
    "fa": "این پل از دیروز برای مردم باز شد و دیگر بسته نمی شود تا آن کار هم که هست تمام شود.",
}


@pytest.mark.parametrize(("code", "text"), TEXTS.items())
def test_words_tell_the_language(code: str, text: str) -> None:
    assert language_of("", text) == code
    assert language_of("es-ES", text) == code


def test_a_right_declaration_is_kept_as_it_is_written() -> None:
    assert language_of("de-AT", TEXTS["de"]) == "de-AT"
    assert language_of("zh-Hans-CN", "今天的新闻都在这里") == "zh-Hans-CN"


def test_a_declared_language_that_is_not_known_is_believed() -> None:
    assert language_of("lb", TEXTS["de"]) == "lb"


def test_few_words_tell_nothing() -> None:
    assert language_of("en-US", "Die Brücke") == "en-US"
    assert language_of("", "") is None


def test_relatives_are_told_by_far_or_not_at_all() -> None:
    assert language_of("nb-NO", "Det er en bro som har blitt åpnet for alle, og den skal ikke stenges.") == "nb-NO"
