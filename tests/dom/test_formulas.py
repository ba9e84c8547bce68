"""Formulas that are pictures, or wait for a script, are LaTeX; other pictures stay pictures."""

from __future__ import annotations

import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content

FORMULAS = {
    "Wikipedia": ("Έστω <img class=mwe-math-fallback-image-inline alt='{\\displaystyle x^{2}+1}' src=/math/render/svg/a>.", "Έστω $x^{2}+1$."),
    "Zhihu": ("设<img src='/equation?tex=x%5E2%2By' alt='x^2+y' eeimg=1>为真", "设$x^2+y$为真"),
    "WordPress": ("пусть <img src='/latex.php?latex=%5Calpha+%3D+1' alt='&#92;alpha = 1' class=latex> верно", "пусть $\\alpha = 1$ верно"),
    "a URL alone": ("let <img src='https://a.example/chart?cht=tx&chl=a_1%2B1'> be", "let $a_1+1$ be"),
    "an attribute": ("設<span class=math data-latex='x_1'></span>とする", "設$x_1$とする"),
    "Quill": ("식 <span class=ql-formula data-value='y^2'><span>y2</span></span> 이다", "식 $y^2$ 이다"),
    "asciimath": ("式は<script type='math/asciimath'>x^2+1</script>である", "式はx^2+1である"),
    "MathML in a script": ("мы <script type='math/mml'><math><mi>a</mi><mo>+</mo><mi>b</mi></math></script> так", "мы a + b так"),
    "a picture of mathematics": ("<img src=/img/math-class.jpg class=math-photo alt='The class at work'> see", "see"),
    "a description": ("<img src=/latex.php class=latex alt='our band'> plays", "plays"),
    "a data value": ("<span data-value=7 class=price>7 kr</span>", "7 kr"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_are_text(name: str) -> None:
    html, text = FORMULAS[name]
    assert Content([parse(f"<p>{html}</p>").root]).text == text
