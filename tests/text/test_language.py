"""The language of a text against a wrong declaration."""

from __future__ import annotations

import pytest

from sitecrawl.api import extract
from sitecrawl.text.language import language_of

TEXTS = {
    "en": "The bridge has been open since yesterday, and it will not be closed again until all of the work is done.",
    "de": "Die Brücke ist seit gestern offen, und sie wird nicht mehr gesperrt, bis alle Arbeiten an ihr getan sind.",
    "fr": "Le pont est ouvert depuis hier et il ne sera pas fermé avant que tous les travaux soient finis pour de bon.",
    "tr": "Köprü dün açıldı ve bu iş için çok para harcandı, ancak daha sonra ne olacak diye soran da var.",
    "uk": "Міст відкрили вчора, і він не буде закритий, бо це важливо для міста та його людей, які так довго чекали.",
    "ur": "یہ پل کل سے لوگوں کے لیے کھول دیا گیا ہے اور اب یہ بند نہیں ہو گا کیونکہ اس کا کام ختم ہے۔",
    "ta": "பாலம் நேற்று திறக்கப்பட்டது, இனி அது மூடப்படாது என்று நகராட்சி கூறியது.",
    "bn": "সেতুটি গতকাল খোলা হয়েছে এবং এটি আর বন্ধ হবে না বলে শহর কর্তৃপক্ষ জানিয়েছে।",
    "ka": "ხიდი გუშინ გაიხსნა და აღარ დაიხურება.",
    "fa": "این پل از دیروز برای مردم باز شد و دیگر بسته نمی شود تا آن کار هم که هست تمام شود.",
}


@pytest.mark.parametrize(("code", "text"), TEXTS.items())
def test_words_tell_the_language(code: str, text: str) -> None:
    assert language_of("", text) == code
    assert language_of("es-ES", text) == code


def test_a_right_declaration_is_kept_as_it_is_written() -> None:
    assert language_of("de-AT", TEXTS["de"]) == "de-AT"
    assert language_of("de_AT", TEXTS["de"]) == "de-AT"  # as BCP 47 writes it
    assert language_of("zh-Hans-CN", "今天的新闻都在这里") == "zh-Hans-CN"


@pytest.mark.parametrize("declared", ["zh-CN", "ja", "ko-KR", "el", "th"])
def test_a_text_without_a_letter_of_the_declared_language_is_in_another(declared: str) -> None:
    """English articles of sites whose template says Chinese were told as Chinese."""
    assert language_of(declared, TEXTS["en"]) == "en"
    assert language_of(declared, "PHP 8.3") == declared
    quoting = "他说：The bridge is open, and it will not be closed. 这座桥从昨天起重新开放，车辆不再绕行，市民都很高兴。"
    assert language_of("zh-CN", quoting * 3) == "zh-CN"


def test_a_declared_language_that_is_not_known_is_believed() -> None:
    assert language_of("lb", TEXTS["de"]) == "lb"


def test_few_words_tell_nothing() -> None:
    assert language_of("en-US", "Die Brücke") == "en-US"
    assert language_of("", "") is None


def test_relatives_are_told_by_far_or_not_at_all() -> None:
    assert (
        language_of(
            "nb-NO", "Det er en bro som har blitt åpnet for alle, og den skal ikke stenges."
        )
        == "nb-NO"
    )


def test_a_letter_that_a_table_repeats_is_no_language() -> None:
    rounds = " ".join(f"{number} w {number % 3} b 1 {number + 4} w" for number in range(1, 30))
    assert language_of("en-GB", f"Results of the club {rounds} a to") == "en-GB"


def test_the_language_of_an_article_is_not_that_of_its_longest_text() -> None:
    code = (
        "for the user in users: print(user) # this is what we do for all of the users that are in the list\n"
        * 20
    )
    html = f"<html lang=en><h1>Die neue Abfrage</h1><p>{TEXTS['de'] * 8}</p><pre>{code}</pre><p>{TEXTS['de']}</p></html>"
    assert extract(html).inLanguage == "de"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            "大桥今日上午正式通车，市民可以步行通过，也可以乘坐电车前往对岸的旧港口。工程师说明了桥梁长度的计算方法：e = a + l, i = a + e, d = l",
            "zh",
        ),
        (
            "다리는 오늘 아침 개통되었고 시민들은 걸어서 건널 수 있다. 전차를 타고 강 건너 옛 항구로 갈 수도 있다. 기사는 길이를 계산했다: e = a + l, i = a + e, d = l",
            "ko",
        ),
    ],
)
def test_letters_of_formulas_are_no_language(text: str, code: str) -> None:
    """A run of characters without blanks was one word, so that single letters were most words of
    the text."""
    assert language_of("", text) == language_of(code, text) == code
