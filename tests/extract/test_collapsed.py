"""Answers that a page shows after a click are text of its article."""

from __future__ import annotations

import numpy as np
import pytest

from sitecrawl.api import extract
from sitecrawl.dom.parse import parse
from sitecrawl.extract.collapsed import with_collapsed

PROSE = {
    "ar": "تعود حافلات الليل في يوليو، وقد صوت السائقون على جدول العمل في مايو، كما قال المجلس.",
    "el": "Τα νυχτερινά λεωφορεία επιστρέφουν τον Ιούλιο, και οι οδηγοί ψήφισαν τον Μάιο, είπε το συμβούλιο.",
    "en": "The night buses return in July, and the drivers voted on the rota in May, said the council.",
    "de": "Die Nachtbusse kehren im Juli zurück, und die Fahrer stimmten im Mai ab, sagte der Rat.",
    "ja": "夜行バスは七月に戻ってくる。運転手たちは五月に勤務表について投票した、と市議会は述べた。",
}
PAIRS = {
    "ar": [("متى تغادر الحافلة؟", "عند منتصف الليل."), ("هل هي غالية؟", "لا، كالنهار."), ("والكلاب؟", "مع رباط.")],
    "el": [("Πότε φεύγει;", "Στις δωδεκάμισι."), ("Είναι ακριβό;", "Όχι, καθόλου."), ("Σκύλοι;", "Με λουρί.")],
    "en": [("When does it leave?", "At half past twelve."), ("Is it dear?", "No, not at all."), ("Dogs?", "On a lead.")],
    "de": [("Wann fährt er ab?", "Um halb eins."), ("Ist er teuer?", "Nein, gar nicht."), ("Hunde?", "An der Leine.")],
    "ja": [("いつ出ますか？", "零時半です。"), ("料金は？", "昼と同じです。"), ("犬は？", "綱をつければ。")],
}  # fmt: skip
SHAPES = {
    "hidden until found": "<h3><button aria-expanded=false aria-controls=p{at}>{q}</button></h3><div id=p{at} hidden=until-found><p>{a}</p></div>",
    "terms": "<dl class=x{at}><dt>{q}</dt><dd style='display:none'><p>{a}</p></dd></dl>",
    "headings": "<h4>{q}</h4><div hidden>{a}</div>",
    "Bootstrap": "<div class=card><div class=card-header><a data-toggle=collapse href=# data-target='#c{at}' aria-expanded=false>{q}</a></div><div id=c{at} class=collapse style='display:none'>{a}</div></div>",
    "a button of no name": "<div class=k1><div class=k2 role=button aria-expanded=false>{q}</div><div class=k3 style='visibility:hidden'>{a}</div></div>",
    "divisions": "<div class=k2>{q}</div><div class=k3 style='display: none'>{a}</div>",
    "a heading within": "<div class=k2><div><h4>{q}</h4></div></div><div class=k3 hidden><p>{a}</p></div>",
    "a box and its label": "<div class=tab><input type=checkbox id=c{at}><label for=c{at}>{q}</label><div class=k3>{a}</div></div>",
    "a choice and its label": "<div><input type=radio name=z id=r{at} hidden><label for=r{at}>{q}</label><p style='max-height:0'>{a}</p></div>",
    "a sign between": "<div><h4>{q}</h4><button type=button>+</button><div style='display:none'>{a}</div></div>",
    "shut details": "<details><summary>{q}</summary><p>{a}</p></details>",
}  # fmt: skip


def page(language: str, shape: str) -> str:
    pairs = [
        SHAPES[shape].format(at=at, q=question, a=answer)
        for at, (question, answer) in enumerate(PAIRS[language])
    ]
    prose = f"<p>{PROSE[language]}</p>" * 4
    return (
        f"<html lang={language}><body><nav><a href=/>Home</a></nav><article><h1>Night buses</h1>{prose}"
        f"<h2>FAQ</h2>{''.join(pairs)}<p>{PROSE[language]}</p></article><footer>© 2024</footer></body></html>"
    )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("language", PAIRS)
def test_answers_stand_below_their_questions(language: str, shape: str) -> None:
    body = extract(page(language, shape), "http://a.example/night").articleBody or ""
    wanted = [text for pair in PAIRS[language] for text in pair]
    lines = body.splitlines()
    assert [line for line in lines if line in wanted] == wanted


MENUS = {
    "a menu": "<button aria-controls=m>Sections</button><ul id=m hidden><li><a href=/a>Sport</a><li><a href=/b>Music</a></ul>",
    "comments": "<button aria-controls=m>Read the comments</button><div id=m class=comments hidden><p>I never liked it.</p></div>",
    "nothing": "<button aria-controls=zz>More of it</button>",
}  # fmt: skip


@pytest.mark.parametrize("name", MENUS)
def test_what_else_is_collapsed_stays_out(name: str) -> None:
    prose = f"<p>{PROSE['en']}</p>" * 4
    html = f"<article><h1>Night buses</h1>{prose}{MENUS[name].format(prose=PROSE['en'])}</article>"
    body = extract(f"<html><body>{html}</body></html>", "http://a.example/night").articleBody or ""
    for text in ("Sport", "I never liked it."):
        assert text not in body


def test_a_question_is_no_part_of_a_page() -> None:
    head = "<div><h2>Night buses</h2><p>7 July</p><p>Copy the link</p><p>96 readers</p></div>"
    page = parse(f"<body>{head}<div style='display: none'>Cookies</div></body>")
    kept = np.array([True, False, False, False, False])
    assert not with_collapsed(page, kept)[1:].any()
