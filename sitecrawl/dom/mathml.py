"""A formula in MathML as text in one line, for pages that hold no LaTeX of it: x² + (a + b)/c."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from lxml import etree

from sitecrawl.dom.raised import raised
from sitecrawl.resources import table_beside
from sitecrawl.text.chars import fold

_TABLE = table_beside(__file__)
_SPACED = frozenset(_TABLE["spaced"].split())
"""Operators between two terms, with a blank on either side."""
_SIGNS = frozenset(_TABLE["signs"].split())  # which are no operators at the beginning of a term
_INVISIBLE = dict.fromkeys(map(ord, _TABLE["invisible"]))
_LEFT_OUT = frozenset(_TABLE["left_out"].split())
_RAISED = {tag: kinds.split() for tag, kinds in _TABLE["raised"].items()}
_ARRANGED = frozenset("mfrac frac dfrac msqrt sqrt mroot mfenced mtable mtr".split())
_MARK = {"sup": "^", "sub": "_"}
_MOST = 2_000  # elements of a formula; of a larger one the texts are joined
_CHARS = 4_000  # of a formula
_CODE = re.compile("[0-9A-Fa-f]{1,6}")


def text_of_formula(root: etree._Element) -> str:
    """The text of a formula: of ``math``, or of the elements by which MathJax 3 draws it; empty if
    it has none.

    >>> text_of_formula(etree.XML("<math><mi>x</mi><mo>=</mo><mfrac><mrow><mi>a</mi><mo>+</mo>"
    ... "<mn>1</mn></mrow><msup><mi>c</mi><mn>2</mn></msup></mfrac></math>"))
    'x = (a + 1)/c²'
    """
    nodes = list(root.iter("*"))
    if len(nodes) > _MOST:
        return fold("".join(root.itertext())[:_CHARS])
    texts: dict[etree._Element, str] = {}
    # behind an element's own place all that it holds is written already
    for node in reversed(nodes):
        parts = [texts[child] for child in node]
        texts[node] = _written(_name(node), node, parts=parts)[:_CHARS]
    return fold(texts[root])


def _name(node: etree._Element) -> str:
    """The name that MathML has for an element; MathJax writes it into an attribute, or a prefix
    before it."""
    named = node.get("data-mml-node")
    if named:
        return named
    return str(node.tag).rpartition(":")[2].removeprefix("mjx-")


def _written(name: str, node: etree._Element, *, parts: list[str]) -> str:
    """One element, whose children are written as ``parts``."""
    if not _LEFT_OUT.isdisjoint((name, str(node.tag))):
        return ""
    drawn = _drawn(node)
    if drawn:
        return drawn
    if name == "semantics":
        return "".join(parts[:1])
    if name == "mo":
        return _operator((node.text or "") + "".join(parts))
    terms = [part for part in parts if part.strip()]
    kinds = _RAISED.get(name)
    if kinds and len(terms) > 1:
        return _with_scripts(name, kinds, parts=terms)
    if name in _ARRANGED and terms:
        return _arranged(name, node, terms=terms)
    own = (node.text or "").translate(_INVISIBLE)
    return _joined([own if name == "mtext" else own.strip(), *parts])


def _arranged(name: str, node: etree._Element, *, terms: list[str]) -> str:
    """An element that sets its terms below or beside one another."""
    if name in ("mfrac", "frac", "dfrac") and len(terms) == 2:
        return f"{_grouped(terms[0])}/{_grouped(terms[1])}"
    if name in ("msqrt", "sqrt"):
        return f"√{_grouped(_joined(terms))}"
    if name == "mroot" and len(terms) == 2:
        return f"{raised('sup', terms[1].strip(), before='x')}√{_grouped(terms[0])}"
    if name == "mfenced":
        between = (node.get("separators") or ",")[:1] + " "
        return f"{node.get('open', '(')}{between.join(terms)}{node.get('close', ')')}"
    if name == "mtable":
        return "; ".join(terms)
    return ", ".join(terms) if name == "mtr" else _joined(terms)


def _drawn(node: etree._Element) -> str:
    """The character that MathJax draws here by its number: ``data-c``, or a class ``mjx-c1D434``."""
    code = node.get("data-c") or ""
    if not code and node.tag == "mjx-c":
        names = (node.get("class") or "").split()
        code = next((name[5:] for name in names if name.startswith("mjx-c")), "")
    if not _CODE.fullmatch(code):
        return ""
    number = int(code, 16)
    return unicodedata.normalize("NFKC", chr(number)) if 31 < number < 0x110000 else ""


def _operator(text: str) -> str:
    sign = text.translate(_INVISIBLE).strip()
    return f" {sign} " if sign in _SPACED else f"{sign} " if sign == "," else sign


def _joined(parts: Sequence[str]) -> str:
    """Parts side by side; a sign at the beginning is that of the first term."""
    found = "".join(parts)
    first = found.lstrip()
    if first[:1] in _SIGNS and first[1:2] == " ":
        return first[0] + first[1:].lstrip()
    return found


def _with_scripts(name: str, kinds: list[str], *, parts: list[str]) -> str:
    base = parts[0].strip()
    found = base
    for kind, part in zip(kinds, parts[1:], strict=False):
        script = part.replace(" ", "")
        is_accent = name == "mover" and len(script) == 1 and not script.isalnum()
        if is_accent or (kind == "sup" and set(script) <= set("′″‴'*†")):
            found += script
            continue
        written = raised(kind, script, before="0")
        if written == script:
            written = _MARK[kind] + (script if len(script) == 1 else f"({script})")
        found += written
    return found


def _grouped(text: str) -> str:
    """A term as a part of another: in brackets, unless it is one."""
    text = text.strip()
    is_one = (
        text.isalnum() or len(text) == 1 or (text[:1] == "(" and text.find(")") == len(text) - 1)
    )
    return text if is_one else f"({text})"
