"""Marks that a page shows by other means than text are text."""

from __future__ import annotations

import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content

QUOTATIONS = {
    "English": ("<p>It was <q>A cold room</q>. Then</p>", "", "It was “A cold room”. Then"),
    "a quotation within": ("<p><q>She said <q>no</q> twice</q></p>", "en", "“She said ‘no’ twice”"),
    "German of Austria": ("<p>Er sagte <q>nein</q>.</p>", "de-AT", "Er sagte „nein“."),
    "French": ("<p>Il dit <q>non</q>.</p>", "fr", "Il dit «non»."),
    "Russian within": ("<p><q>Это <q>нет</q></q></p>", "ru", "«Это „нет“»"),
    "Japanese": ("<p>町長は<q>氷室は残す</q>と言った。</p>", "ja", "町長は「氷室は残す」と言った。"),
    "a language of its own": ("<p>He said <q lang=de>nein</q>.</p>", "en", "He said „nein“."),
    "Arabic": ("<p>قال <q>لا</q>.</p>", "ar", "قال ”لا“."),
    "Chinese of Taiwan": ("<p>船長說<q>沒有</q>。</p>", "zh-Hant", "船長說「沒有」。"),
    "Hindi": ("<p>उसने <q>नहीं</q> कहा।</p>", "hi", "उसने “नहीं” कहा।"),
    "marks that the page writes": ("<p>It was <q>“Cold”</q>, „<q>kalt</q>“.</p>", "en", "It was “Cold”, „kalt“."),
    "marked up": ("<p><q><em>Cold</em> it is</q></p>", "", "“Cold it is”"),
    "paragraphs": ("<q><p>One.</p><p>Two.</p></q>", "", "“One.\nTwo.”"),
    "nothing": ("<p>a <q></q> b</p>", "", "a “” b"),
}  # fmt: skip


@pytest.mark.parametrize("name", QUOTATIONS)
def test_quotations_have_the_marks_of_their_language(name: str) -> None:
    html, language, text = QUOTATIONS[name]
    page = parse(f"<html lang='{language}'><body>{html}</body></html>")
    content = Content([page.root])
    assert content.text == text
    assert content.markdown.replace("*", "").split() == text.split()
    assert Content([parse(content.html).root]).text.split() == text.split()


SIGNS = {
    "WordPress": ("<img class=emoji alt='👎' src=/1f44e.svg>. After", "👎. After"),
    "another system": ("<img alt='❤️' src=/x/2764.png width=16>と言った", "❤️と言った"),
    "two in one": ("Привет <img alt='👩‍👩‍👧🇫🇷' src=a.png>!", "Привет 👩‍👩‍👧🇫🇷!"),
    "a smiley of a forum": ("gut <img class='smilies' alt=':D' src=/s/2.gif>", "gut :D"),
    "a name": ("ok <img class='smilies' alt=':mrgreen:' src=/e.png>", "ok"),
    "a name that is written": ("ok <img class='emoji only' alt=':+1_tone2:' src=/e.png>", "ok :+1_tone2:"),
    "a key": ("press <img alt='1️⃣' src=/1.png> now", "press 1️⃣ now"),
    "a first letter": ("<img src=t.gif alt='T'>he gauge", "The gauge"),
    "a letter that is lacking": ("<img class=gaiji src=1-87.png alt='※(土＋匈)'>山", "※(土＋匈)山"),
    "an attribute": ("Он <img class=emoji data-emoji='😀' alt='' src=/e.png> ушёл", "Он 😀 ушёл"),
    "a drawing with a label": ("彼は<span role=img aria-label='👎'></span>と", "彼は👎と"),
    "a smiley in brackets": ("他说<img class=face alt='[笑cry]' src=x.png>太好了", "他说[笑cry]太好了"),
    "a label that is no sign": ("<i role=img aria-label='Map of Nowhere'></i>see it", "see it"),
    "a picture in brackets": ("见<img alt='[图片]' src=x.png>", "见"),
    "a picture": ("see <img src=/map.jpg alt='Map'>", "see"),
    "a letter as a picture": ("<img src=/map.jpg alt='A'> shows", "shows"),
    "a line": ("a <img src=/line.gif alt='—'> b", "a b"),
}  # fmt: skip


@pytest.mark.parametrize("name", SIGNS)
def test_pictures_of_signs_are_text(name: str) -> None:
    html, text = SIGNS[name]
    content = Content([parse(f"<p>{html}</p>").root])
    assert content.text == text
    is_picture = name in (
        "a name",
        "a picture",
        "a picture in brackets",
        "a letter as a picture",
        "a line",
    )
    assert ("<img" in content.html) is is_picture
    assert is_picture or text in content.html


def coded(text: str, key: int) -> str:
    return bytes([key, *(byte ^ key for byte in text.encode())]).hex()


ADDRESS = coded("info@quay.example", 0x5C)
CODED = {
    "a link": (f"<a href='/cdn-cgi/l/email-protection' class=__cf_email__ data-cfemail={ADDRESS}>[email&#160;protected]</a>", "info@quay.example"),
    "a link around a span": (f"<a href='/cdn-cgi/l/email-protection#{ADDRESS}'><span class=__cf_email__ data-cfemail={ADDRESS}>[email&#160;protected]</span></a>", "info@quay.example"),
    "a link with words": (f"<a href='/cdn-cgi/l/email-protection#{ADDRESS}'>schreiben</a>", "schreiben"),
    "no address": (f"<a href='/cdn-cgi/l/email-protection' data-cfemail={coded('Sing@Depth', 7)}>[email]</a>", "Sing@Depth"),
    "a name in another script": (f"<span data-cfemail={coded('почта@порт.example', 200)}>[email]</span>", "почта@порт.example"),
    "a link in another script": (f"<a href='https://a.example/cdn-cgi/l/email-protection#{ADDRESS}'>[メール保護]</a>", "info@quay.example"),
    "Joomla": ("<joomla-hidden-mail text='aW5mb0BxdWF5LmV4YW1wbGU='>Geschützt!</joomla-hidden-mail>", "info@quay.example"),
    "backwards": ("<span style='unicode-bidi:bidi-override; direction: rtl'>elpmaxe.yauq@ofni</span>", "info@quay.example"),
    "no base64": ("<joomla-hidden-mail text='//79'>Geschützt</joomla-hidden-mail>", "Geschützt"),
    "no code": ("<span data-cfemail=xyz>[email]</span>", "[email]"),
    "half a character": ("<span data-cfemail=00d0>[email]</span>", "[email]"),
}  # fmt: skip


@pytest.mark.parametrize("name", CODED)
def test_coded_addresses_are_text(name: str) -> None:
    html, text = CODED[name]
    content = Content([parse(f"<p>Write to {html}, please</p>").root], base_url="http://a.example/")
    assert content.text == f"Write to {text}, please"
    is_link = name.startswith("a link")
    assert ('href="mailto:info@quay.example"' in content.html) is is_link
