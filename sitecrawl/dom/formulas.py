"""Formulas that a page shows as pictures, or that it leaves to a script, with their LaTeX in an
attribute: written as LaTeX between dollar signs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote_plus

from lxml import etree

from sitecrawl.dom.nodes import finder, write_text
from sitecrawl.text.chars import fold

_NAMES = ("data-latex", "data-tex", "data-katex", "data-formula", "data-equation", "data-math")
_IN_SOURCE = ("latex", "tex=", "math", "chl=")
_IN_CLASS = ("tex", "math")
_NAMED = re.compile(rb"data-(?:latex|tex|katex|formula|equation|math|value)=")
_ATTRIBUTES = finder(
    "//body//*[self::span or self::div or self::p or self::img or contains(name(), '-')]"
    f"[{' or '.join(f'@{name}' for name in _NAMES)}"
    " or (@data-value and contains(@class, 'formula'))]"
)
_QUERY = re.compile(r"[?&](?:tex|latex|chl|formula|math)=([^&#]+)", re.I)
_RENDERER = re.compile(
    r"[./](?:latex|codecogs|texify|math/render|equation|cgi-bin/mathtex)|cht=tx", re.I
)
_CLASS = re.compile(r"(?<![a-z])(?:latex|tex|math|mwe-math\S*)(?![a-z])", re.I)
_TEX = re.compile(
    r"[\\^_{}=+<>/]|^\s*[A-Za-z]\s*$"
)  # what a formula holds, and seldom a description
_STYLED = re.compile(r"\{\\(?:display|text)style ([\s\S]*)\}")  # how Wikipedia begins each formula
_CHARS = 1_000
_DRAWN_CHARS = 300  # of the text that already stands in the place of a formula


def write_formulas(root: etree._Element, images: Iterable[etree._Element], *, raw: bytes) -> None:
    """Write the formulas of ``images`` and of attributes as LaTeX; attributes that the source
    ``raw`` of a page does not name are not looked for.

    >>> html = b"<p>Let <img src='/latex.php?latex=x%5E2' alt='x^2'> be <span data-tex='y_1'></span>.</p>"
    >>> root = etree.HTML(html)
    >>> write_formulas(root, list(root.iter("img")), raw=html)
    >>> "".join(root.itertext())
    'Let $x^2$ be $y_1$.'
    """
    for image in images:
        source = image.get("src") or ""
        classes = image.get("class") or ""
        is_named = any(map(source.__contains__, _IN_SOURCE))
        if not is_named and not any(map(classes.__contains__, _IN_CLASS)):
            continue
        if _RENDERER.search(source) or _CLASS.search(classes):
            query = _QUERY.search(source)
            _write(image, image.get("alt") or (unquote_plus(query[1]) if query else ""))
    if not _NAMED.search(raw):
        return
    for node in _ATTRIBUTES(root):
        given = next(filter(None, map(node.get, (*_NAMES, "data-value"))), "")
        if len("".join(node.itertext())) <= _DRAWN_CHARS:
            _write(node, given)


def _write(node: etree._Element, tex: str) -> None:
    tex = fold(tex[:_CHARS]).strip("$ ")
    styled = _STYLED.fullmatch(tex)
    tex = styled[1].strip() if styled else tex
    if tex and _TEX.search(tex):
        write_text(node, f"${tex}$")
