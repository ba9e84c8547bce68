"""Captions and pictures beside the text belong to it, wherever in its element they stand."""

from __future__ import annotations

import pytest

from sitecrawl.api import extract

PROSE = {
    "en": "The night buses return in July, and the drivers voted on the rota in May, said the council.",
    "el": "Τα νυχτερινά λεωφορεία επιστρέφουν τον Ιούλιο, και οι οδηγοί ψήφισαν τον Μάιο, είπε το συμβούλιο.",
    "zh": "夜班公交车七月回来，司机们五月就值班表投了票，市议会说，头两年的费用由市里承担。",
}
CAPTIONS = {"en": "A bus at dawn", "el": "Ένα λεωφορείο", "zh": "清晨的公交车"}
FIGURE = "<figure><a href=/p/a.jpg><img src=/p/a-s.jpg></a><figcaption>{}</figcaption></figure>"
SHAPES = {
    "behind the text": "{prose}<figure><img src=/p/a.jpg><figcaption>{caption}</figcaption></figure>",
    "a gallery": f"{{prose}}<figure class=gallery>{FIGURE.format('{caption}')}{FIGURE.format('x 2')}</figure>",
    "a list of pictures": f"{{prose}}<ul class=grid><li>{FIGURE.format('{caption}')}</li><li>{FIGURE.format('x 2')}</li></ul>",
    "above the text": "<figure><img src=/p/a.jpg><figcaption><p>{caption}</p></figcaption></figure>{prose}",
}  # fmt: skip


def body(language: str, html: str) -> str:
    text = html.format(prose=f"<p>{PROSE[language]}</p>" * 4, caption=CAPTIONS[language])
    article = extract(
        f"<html lang={language}><body><nav><a href=/>Home</a></nav><article><h1>Buses</h1>"
        f"<div class=z>{text}</div></article><footer>© 2024</footer></body></html>",
        "http://a.example/buses",
    )
    return article.articleBodyMarkdown or ""


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("language", PROSE)
def test_captions_beside_the_text_are_kept(language: str, shape: str) -> None:
    lines = map(str.strip, body(language, SHAPES[shape]).splitlines())
    assert CAPTIONS[language] in lines


OTHERS = {
    "a card that leads on": "{prose}<figure><a href=/b><img src=/b.jpg><figcaption>{caption}</figcaption></a></figure>",
    "elsewhere": "{prose}</div><aside class=sidebar><figure><img src=/b.jpg><figcaption>{caption}</figcaption></figure></aside><div>",
}  # fmt: skip


@pytest.mark.parametrize("shape", OTHERS)
def test_captions_of_something_else_are_not(shape: str) -> None:
    assert CAPTIONS["zh"] not in body("zh", OTHERS[shape])


@pytest.mark.parametrize("language", PROSE)
def test_pictures_beside_a_lone_paragraph_are_kept(language: str) -> None:
    prose = PROSE[language] * 3
    markdown = body(language, f"<p>{prose}</p><p>&nbsp;</p><p><img src=/p/a.jpg></p>")
    assert "![](http://a.example/p/a.jpg)" in markdown
