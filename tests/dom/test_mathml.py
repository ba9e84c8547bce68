"""Formulas without LaTeX are text, whichever system drew them."""

from __future__ import annotations

import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content

SUM = "<mi>p</mi><mo>=</mo><mi>k</mi><mo>&#8290;</mo><mi>h</mi><mo>+</mo><mi>c</mi>"
FORMULAS = {
    "a sum": (SUM, "p = kh + c"),
    "a power": ("<msup><mi>x</mi><mn>2</mn></msup><mo>≤</mo><mn>0</mn>", "x² ≤ 0"),
    "a long power": ("<msup><mi>e</mi><mrow><mi>i</mi><mi>π</mi></mrow></msup>", "e^(iπ)"),
    "an index": ("<msub><mi>a</mi><mi>n</mi></msub><mo>,</mo><msub><mi>a</mi><mn>1</mn></msub>", "aₙ, a₁"),
    "both": ("<msubsup><mi>a</mi><mn>0</mn><mn>2</mn></msubsup>", "a₀²"),
    "a fraction": ("<mfrac><mrow><mi>a</mi><mo>-</mo><mn>1</mn></mrow><mi>b</mi></mfrac>", "(a - 1)/b"),
    "a root": ("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt><mo>≈</mo><mroot><mi>y</mi><mn>3</mn></mroot>", "√(x + 1) ≈ ³√y"),
    "a negative number": ("<mo>−</mo><mn>5</mn><mo>&lt;</mo><mi>t</mi>", "−5 < t"),
    "limits": ("<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>", "∑ᵢ₌₁ⁿi"),
    "an accent": ("<mover><mi>v</mi><mo>→</mo></mover><mo>′</mo>", "v→′"),
    "a matrix": ("<mfenced open='[' close=']'><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable></mfenced>", "[1, 0; 0, 1]"),
    "words": ("<mtext>Höhe </mtext><mo>=</mo><mn>3</mn>", "Höhe = 3"),
    "meaning beside it": ("<semantics><mrow><mi>x</mi></mrow><annotation encoding='MathType'>junk</annotation></semantics>", "x"),
}  # fmt: skip
AROUND = {
    "MathML alone": "<math>{}</math>",
    "MathJax 3": "<mjx-container class='MathJax' jax=CHTML><mjx-math aria-hidden=true><mjx-mi><mjx-c class='mjx-c1D434'></mjx-c></mjx-mi></mjx-math><mjx-assistive-mml><math>{}</math></mjx-assistive-mml></mjx-container>",
    "MathJax 2": "<span class=MathJax><nobr>zz</nobr><span class=MJX_Assistive_MathML><math>{}</math></span></span>",
    "another prefix": "<m:math>{}</m:math>",
}  # fmt: skip
SENTENCES = {"If {}, then": "en", "Если {}, то": "ru", "もし{}ならば": "ja"}


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_is_read_in_one_line(name: str) -> None:
    math, text = FORMULAS[name]
    for around in AROUND.values():
        for sentence in SENTENCES:
            page = parse(f"<p>{sentence.format(around.format(math))}</p>")
            assert Content([page.root]).text == sentence.format(text)


CODED = {
    "as letters": "<mjx-container class=MathJax><mjx-math><mjx-msup><mjx-mi><mjx-c class='mjx-c1D465 TEX-I'></mjx-c></mjx-mi><mjx-script><mjx-mn><mjx-c class='mjx-c32'></mjx-c></mjx-mn></mjx-script></mjx-msup><mjx-mo><mjx-c class='mjx-c3D'></mjx-c></mjx-mo><mjx-mn><mjx-c class='mjx-c34'></mjx-c></mjx-mn></mjx-math></mjx-container>",
    "as a drawing": "<mjx-container class=MathJax jax=SVG><svg><defs><path id=a></path></defs><g data-mml-node=math><g data-mml-node=msup><g data-mml-node=mi><use data-c=1D465></use></g><g data-mml-node=mn><use data-c=32></use></g></g><g data-mml-node=mo><use data-c=3D></use></g><g data-mml-node=mn><use data-c=34></use></g></g></svg></mjx-container>",
}  # fmt: skip


@pytest.mark.parametrize("name", CODED)
def test_letters_that_mathjax_writes_as_numbers_are_letters(name: str) -> None:
    content = Content([parse(f"<p>so {CODED[name]} here</p>").root])
    assert content.text == "so x² = 4 here"
    assert content.markdown == content.text


def test_numbers_that_are_no_letters_are_left_out() -> None:
    bad = "".join(
        f"<mjx-c class='mjx-c{code}'></mjx-c>" for code in ("zz", "FFFFFFF", "110000", "1")
    )
    assert Content([parse(f"<p>a <mjx-container>{bad}</mjx-container> b</p>").root]).text == "a b"


def test_a_large_formula_costs_no_more_than_its_size() -> None:
    deep = "<mrow><mi>x</mi>" * 200 + "</mrow>" * 200
    wide = "<mi>x</mi>" * 50_000
    for math in (deep, wide):
        assert len(Content([parse(f"<p><math>{math}</math></p>").root]).text) <= 4_000
