"""Superscripts and subscripts mean in plain text what they mean on the page."""

from __future__ import annotations

import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content

EXAMPLES = {
    "a power": ("2<sup>14</sup> steps, 3 × 10<sup>6</sup> a day", "2¹⁴ steps, 3 × 10⁶ a day"),
    "a negative power": ("10<sup>−9</sup> м и 5 с<sup>-1</sup>", "10⁻⁹ м и 5 с⁻¹"),
    "an area": ("面積は60m<sup>2</sup>です", "面積は60m²です"),
    "a note behind a year": ("seit 2024<sup><a href='#n1'>1</a></sup> gilt", "seit 2024¹ gilt"),
    "two notes": ("слово<sup>1, 2</sup> дальше", "слово¹, ² дальше"),
    "a note in brackets": ("since 2024<sup><a><span>[</span>3<span>]</span></a></sup>.", "since 2024[3]."),
    "a note that is a sign": ("word<sup>*</sup> and <sup>†</sup>", "word* and †"),
    "a charge": ("Na<sup>+</sup>と Cl<sup>-</sup>", "Na⁺と Cl⁻"),
    "a variable": ("a<sup>n</sup> + x<sup>k</sup>", "aⁿ + xᵏ"),
    "a sum": ("2<sup>n+1</sup> = 2 · 2<sup><i>n</i></sup>", "2ⁿ⁺¹ = 2 · 2ⁿ"),
    "no signs in Unicode": ("e<sup>iπt/2</sup> et 2<sup>Q+1</sup>", "e^(iπt/2) et 2^(Q+1)"),
    "other digits": ("١٠<sup>٦</sup> متر", "١٠^٦ متر"),
    "ordinals": ("le 1<sup>er</sup> mai, 19<sup>th</sup>, n<sup>o</sup> 5", "le 1er mai, 19th, no 5"),
    "an ordinal in a compound": ("21<sup>st-</sup>century", "21st-century"),
    "a trade mark": ("Larix<sup>TM</sup> und Larix<sup>®</sup>", "LarixTM und Larix®"),
    "a molecule": ("CO<sub>2</sub> and H<sub>2</sub>O", "CO2 and H2O"),
    "an index beside a number": ("log<sub>2</sub>8 = 3, 101<sub>2</sub>", "log₂8 = 3, 101₂"),
    "an index that is a sum": ("a<sub>n-1</sub>, V<sub>max</sub>", "aₙ₋₁, Vmax"),
    "a power of a power": ("2<sup>3<sup>2</sup></sup>", "2³²"),
    "a hidden tip in a note": ("2024<sup>1<span class='sr-only'>Note</span></sup> on", "2024¹ on"),
    "a note of a paragraph": ("word<sup>" + "a long note of the editor 1 " * 3 + "</sup>", "word" + "a long note of the editor 1 " * 3),
    "nothing": ("a<sup></sup>b<sup> </sup>c", "ab c"),
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_plain_text_keeps_what_is_raised_apart(name: str) -> None:
    html, text = EXAMPLES[name]
    assert Content([parse(f"<p>{html}</p>").root]).text == text.strip()


def test_html_and_markdown_keep_the_elements() -> None:
    content = Content([parse("<p>2<sup>14</sup> and a<sub>n</sub></p>").root])
    assert content.text == "2¹⁴ and aₙ"
    assert "2<sup>14</sup> and a<sub>n</sub>" in content.html
    assert content.markdown == "2<sup>14</sup> and a<sub>n</sub>"
