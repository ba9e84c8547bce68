"""Pages without a declared encoding, and pages that declare a wrong one."""

from __future__ import annotations

import pytest

from sitecrawl.dom.encoding import decode, guess, legibility, most_legible
from tests.dom.test_parse import CHINESE, JAPANESE, RUSSIAN, TAIWANESE, page, text_of

KOREAN = "오늘 시는 기자회견을 열고 대중교통 개선 공사의 진행 상황을 설명했습니다. 첫 번째 단계는 이미 끝났습니다. "
LATIN = {
    "fr": (
        "Les législatives françaises ont été gagnées près de la rivière gelée, où déjà l’été régnait.",
        "cp1252",
    ),
    "es": ("El niño pequeño comió en el jardín con su mamá. ¿Qué pasó después?", "cp1252"),
    "de": (
        "Die Bürger möchten schöne Straßen und größere Gärten. Über die Brücke führt der Weg.",
        "cp1252",
    ),
    "pt": (
        "A eleição não foi decidida; os cidadãos estão à espera das informações, e é preciso atenção.",
        "cp1252",
    ),
    "da": ("På øen ligger der små huse, hvor børn og voksne bor året rundt.", "cp1252"),
    "it": ("La città è più bella così, perché però non c'è più la libertà.", "cp1252"),
    "pl": (
        "Wybory wygrała partia rządząca, gdzie mieszkają również ludzie młodzi. Ktoś szedł ścieżką.",
        "cp1250",
    ),
    "pl of Linux": (
        "Wybory wygrała partia rządząca, gdzie mieszkają również ludzie młodzi. Ktoś szedł.",
        "iso8859-2",
    ),
    "cs": ("Volby vyhrála vládní strana. Město leží u řeky a lidé v něm rádi žijí.", "cp1250"),
    "hu": (
        "Az őszi időjárás hűvös volt, a gyerekek örültek a szünetnek és a tűz melegének.",
        "cp1250",
    ),
    "tr": (
        "Seçimleri iktidar kazandı. Şehir nehrin kıyısında ve insanlar güzel yaşıyor.",
        "cp1254",
    ),
    "lt": (
        "Rinkimus laimėjo valdančioji partija. Žmonės čia gyvena gerai, ir visi džiaugiasi.",
        "cp1257",
    ),
}


@pytest.mark.parametrize("language", sorted(LATIN))
@pytest.mark.parametrize("repeats", [1, 20])
def test_latin_texts_without_a_declaration(language: str, repeats: int) -> None:
    text, encoding = LATIN[language]
    assert guess((text * repeats).encode(encoding)) == encoding
    assert text_of(page(text, None).encode(encoding)) == text


WRONG = {
    "gbk": CHINESE,
    "big5": TAIWANESE,
    "euc-jp": JAPANESE,
    "shift_jis": JAPANESE,
    "euc-kr": KOREAN,
    "windows-1251": RUSSIAN,
    "koi8-r": RUSSIAN,
}


@pytest.mark.parametrize("encoding", sorted(WRONG))
def test_a_latin_header_for_a_page_in_another_script_is_overruled(encoding: str) -> None:
    text = WRONG[encoding].strip()
    for declared in (encoding, None, "iso-8859-1"):
        body = page(text, declared).encode(encoding)
        assert text_of(body, "text/html; charset=ISO-8859-1") == text


@pytest.mark.parametrize(
    "declared",
    ["text/html; charset=ISO-8859-1", "text/html; charset=gbk", "text/html; charset=none", None],
)
@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("It’s “here”.", None),
        ("A café.", None),
        ("Liman planı, Kőszeg", None),
        ("The letter Ж.", "utf-8"),
    ],
)
def test_few_characters_are_enough_for_utf8(
    text: str, inside: str | None, declared: str | None
) -> None:
    """Three quotes in a page that declares nothing were read as Cyrillic letters, and others as the
    header said, against page and bytes."""
    assert text_of(page(text, inside).encode(), declared) == text


@pytest.mark.parametrize("declared", ["text/html; charset=ISO-8859-1", None])
@pytest.mark.parametrize("damage", [b"\xe4 ", b"\xe4\xbb", b"\xff"])
@pytest.mark.parametrize("text", [CHINESE, RUSSIAN, LATIN["hu"][0]])
def test_one_damaged_character_does_not_change_the_encoding(
    text: str, damage: bytes, declared: str | None
) -> None:
    """Programs that shorten texts by bytes cut characters; the whole page was read as Latin or
    Chinese letters."""
    body = (
        page("#", None).encode().replace(b"#", (text + "#" + text).encode().replace(b"#", damage))
    )
    read = text_of(body, declared)
    assert text.strip() in read
    assert "\ufffd" in read


@pytest.mark.parametrize("encoding", sorted(WRONG))
def test_one_damaged_character_does_not_hide_an_encoding_that_nothing_names(encoding: str) -> None:
    body = (
        page("#", None).encode().replace(b"#", f"{WRONG[encoding]}<br>".encode(encoding) + b"\x81 ")
    )
    assert WRONG[encoding].strip() in text_of(body)


def test_japanese_declared_as_chinese_is_read() -> None:
    assert text_of(page(JAPANESE, "gbk").encode("shift_jis")) == JAPANESE


def test_a_right_declaration_stands() -> None:
    for text, encoding in LATIN.values():
        assert (
            text_of(page(text * 5, "utf-8").encode(encoding), f"text/html; charset={encoding}")
            == text * 5
        )


def test_a_damaged_page_keeps_its_encoding() -> None:
    assert legibility(RUSSIAN) > 0.9
    damaged = (CHINESE.encode("utf-8") + b"\xe4\xbb ") * 3
    wrong = damaged.decode("cp1252", "replace")
    assert (
        most_legible([(damaged.decode("utf-8", "replace"), "utf-8"), (wrong, "cp1252")])[1]
        == "utf-8"
    )
    mixed = "\N{SLIGHTLY SMILING FACE} Une “fête” ".encode() * 4 + "“a sign” ".encode("cp1252") * 7
    assert "fête" in text_of(page("#", "utf-8").encode().replace(b"#", mixed))


CODECS = "base64 bz2 hex idna palmos punycode quopri raw_unicode_escape rot13 undefined unicode_escape uu zip".split()


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("first", [b"\x1b", b"\xff\xfe", b"\xe4\xff"])
def test_a_codec_that_no_page_is_written_in_does_not_count(codec: str, first: bytes) -> None:
    """These raise errors, read backslashes, or take quadratic time (punycode)."""
    text = b"Plain - words" + b"9" * 300 + b"\\u0041"
    inside = b"<html><meta charset=%s><body>%s<p>%s</p>" % (codec.encode(), first, text)
    outside = b"<html><body>%s<p>%s</p>" % (first, text)
    for body, kind in ((inside, "text/html"), (outside, f"text/html; charset={codec}")):
        assert decode(body, kind)[0].endswith(f"<p>{text.decode()}</p>")


@pytest.mark.parametrize("encoding", ["utf-7", "utf-16", "utf-32", "hz", "iso-2022-jp"])
def test_a_declaration_that_would_hide_markup(encoding: str) -> None:
    """What browsers read as plain text is no markup here: UTF-7 is no encoding of pages, the others
    need bytes of their own."""
    body = b"<html><meta charset=%s><body>\xff<p>+ADw-b+AD4- text</p>" % encoding.encode()
    assert "<b>" not in decode(body, f"text/html; charset={encoding}")[0]
    assert decode(body, f"text/html; charset={encoding}")[0].endswith("text</p>")


@pytest.mark.parametrize("text", ["It’s the town’s bridge", "Größe der Brücke", "one\xa0bridge"])
def test_a_header_that_says_utf8_where_no_sequence_is_valid_is_wrong(text: str) -> None:
    """Servers send the header by default, and old pages hold few letters beyond ASCII."""
    body = f"<html><body><p>{text}</p></body></html>".encode("cp1252")
    assert text in decode(body, "text/html; charset=utf-8")[0]
    assert (
        text
        in decode(f'<meta charset="cp1252">{text}'.encode("cp1252"), "text/html; charset=utf-8")[0]
    )
