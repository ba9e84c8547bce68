"""Code, formulas and pictures as plain elements: what scripts, style sheets and highlighters made of them is undone in the parsed page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import chain, islice, takewhile

from lxml import etree

from sitecrawl.dom.tree import HEADINGS
from sitecrawl.text.chars import fold, without_controls

_CODE_SIGNS, _FORMULA_SIGNS = (b"syntaxhighlighter", b"crayon-"), (b"<math", b"katex", b"athJax", b"athjax", b"latex")
"""What the source of a page holds that has code without ``pre``, or formulas; most pages hold neither."""
_GUTTERS = frozenset(
    "gutter gl lineno linenos linenumber linenumbers line-number line-numbers line-numbers-rows line_numbers ln lnt ln-num "
    "hljs-ln-numbers hljs-ln-line hljs-ln-n blob-num crayon-nums code-linenums rouge-gutter".split()
)
"""Classes of the line numbers of highlighters (Hexo, Rouge, Pygments, Chroma, highlight.js, GitHub, Crayon, GeSHi, Prism)."""
_NO_CODE = (*HEADINGS, "img", "form", "p", "ul", "dl", "iframe")
"""Elements that show that an open ``pre`` holds a part of the page."""
_LINES, _WRAPPERS = ("li", "tr", "div"), ("ol", "table", "tbody", "thead", "td", "pre")
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language-|lang[-:]\s*|highlight-(?:source|text)-|brush:\s*)([a-z][\w+#.-]{0,30})", re.I
)
_NO_LANGUAGE = frozenset("none plain plaintext text txt auto default nohighlight undefined unknown".split())
_LANGUAGE_NAME = re.compile(r"[a-zA-Z][\w+#.-]{0,30}")
_HIGHLIGHTER = re.compile("highlight|hljs|code|syntax|prettyprint|chroma|src-|sh_", re.I)
_LANGUAGES = frozenset(
    "asm assembly awk bash bat batch c c# c++ clojure cmake coffeescript console cpp cs csharp css dart delphi diff docker dockerfile elixir "
    "erlang fortran fsharp go golang graphql groovy haskell html ini java javascript js json jsx julia kotlin latex less lisp lua "
    "makefile markdown matlab mysql nginx objc objectivec ocaml pascal perl php powershell prolog protobuf py python python3 r rb ruby "
    "rust sass scala scheme scss sh shell sql swift toml ts tsx typescript vb vbnet verilog vhdl vim xml yaml yml zsh".split()
)
"""Names that are a language where a highlighter writes them without ``language-``."""
_LAZY = tuple(
    "data-src data-original data-lazy-src data-lazyload data-actualsrc data-cfsrc data-echo data-lazy data-original-src".split()
)
_FULL = ("file", "zoomfile", "data-url", "data-image", "data-orig-file", "data-full-src", "_src")
_SETS = ("srcset", "data-srcset", "data-lazy-srcset")
"""Attributes in which a picture's URL waits for a script; those of ``_FULL`` count where ``src`` is a stand-in."""
_WAITING = frozenset((*_LAZY, *_FULL, *_SETS))
_URL = re.compile(r"(?!data:|about:)[^\s<>{}]*[./][^\s<>{}]*")
_STAND_IN = re.compile(
    r"(?:data:|about:|[#?]|$)|(?:.*[/_.-])?(?:blank|placeholder|spacer|load(?:ing|er)|lazy(?:load)?|none|transparent|pixel|dummy|gr[ea]y|1x1)"
    r"[\w.-]*\.(?:gif|png|jpe?g|svg|webp)",
    re.I,
)
_TRACKER = re.compile(r"none|absolute|hidden|-\d{3,}px")
_SPLIT_SET = re.compile(r",\s+|,(?=https?:|/)")
_SHOWN = frozenset(
    ("MathJax", "MathJax_Preview", "MathJax_Display", "MathJax_SVG", "MathJax_CHTML", "MathJax_SVG_Display")
)
_STYLED = re.compile(r"\{\\(?:display|text)style\s*(.*)\}", re.S)
_DELIMITED = re.compile(r"\\\(([^`$]{1,2000}?)\\\)|\\\[([^`$]{1,4000}?)\\\]", re.S)
_WRAPPED, _PICTURED = (
    frozenset(("katex", "mwe-math-element")),
    frozenset(("latex", "tex", "mwe-math-fallback-image-inline")),
)
_TEX = {
    "mfrac": r"\frac{{{}}}{{{}}}", "msup": "{}^{{{}}}", "mover": "{}^{{{}}}", "msub": "{}_{{{}}}", "munder": "{}_{{{}}}",
    "msubsup": "{}_{{{}}}^{{{}}}", "munderover": "{}_{{{}}}^{{{}}}", "mroot": r"\sqrt[{1}]{{{0}}}",
}  # fmt: skip
_SYMBOLS = dict(
    zip(
        "∑∏∫∞≤≥≠×·→∈∂√±−",
        r"\sum \prod \int \infty \le \ge \ne \times \cdot \to \in \partial \surd \pm -".split(),
        strict=True,
    )
)


def restore(root: etree._Element, raw: bytes) -> None:
    """Restore a page parsed from ``raw``: pictures have their URL in ``src``; code in ``pre`` has a line a line, its language in ``data-lang``
    and no line numbers; formulas are LaTeX between dollar signs."""
    _restore_pictures(root)
    if next(root.iter("pre"), None) is not None or any(map(raw.__contains__, _CODE_SIGNS)):
        _restore_code(root)
    if any(map(raw.__contains__, _FORMULA_SIGNS)):
        _restore_formulas(root, raw)


def _tokens(node: etree._Element) -> list[str]:
    return (node.get("class") or "")[:1_000].split()


def _drop(node: etree._Element, left: str = "") -> None:
    """Take out an element; ``left`` and the text behind it stay."""
    parent, before, tail = node.getparent(), node.getprevious(), left + (node.tail or "")
    if parent is not None:
        if tail and before is not None:
            before.tail = without_controls((before.tail or "") + tail)
        elif tail:
            parent.text = without_controls((parent.text or "") + tail)
        parent.remove(node)


def _restore_pictures(root: etree._Element) -> None:
    for image in root.iter("amp-img", "img"):
        if image.tag == "amp-img" and len(image) == 0:
            image.tag = "img"
        given = image.get("src")
        if not given or not given[0].isalpha() or given[0] in "da" or not _WAITING.isdisjoint(image.keys()):
            url = _picture_url(image)
            if url and url != given:
                image.set("src", without_controls(url))
            elif given is not None and (not given.strip() or given.lstrip()[0] in "#?"):
                del image.attrib["src"]
    for frame in root.iter("iframe"):
        if not _URL.match(frame.get("src") or "") and _URL.match(frame.get("data-src") or ""):
            frame.set("src", frame.get("data-src"))
    for hidden in list(root.iter("noscript")):
        inner = list(islice(hidden.iter("*"), 6))
        images = [node for node in inner if node.tag == "img" and _picture_url(node)]
        if len(images) == 1 and len(inner) < 6 and not _is_tracker(images[0]):
            _show_picture(hidden, images[0])


def _picture_url(image: etree._Element) -> str | None:
    """The URL of a picture, wherever it waits for a script."""
    given = image.get("src") or ""
    names: Iterable[str | None] = chain(map(image.get, _LAZY), [given])
    if _STAND_IN.match(given):
        sources = takewhile(
            lambda node: node.tag == "source", islice(image.iterancestors(), 10)
        )  # for libxml2 they hold it
        sets = (_largest(node.get(name) or "") for node in (image, *sources) for name in _SETS)
        names = chain(map(image.get, _LAZY), sets, map(image.get, _FULL), [given])
    return next((url for name in names if name and _URL.fullmatch(url := name.strip())), None)


def _largest(candidates: str, *, most: int = 50, longest: int = 20_000) -> str:
    """The URL of a ``srcset`` that stands for most pixels.

    >>> _largest("/s.jpg 300w, /a,b.jpg 1200w, /m.jpg 600w"), _largest("/one.jpg")
    ('/a,b.jpg', '/one.jpg')
    """
    parts = [part.split() for part in _SPLIT_SET.split(candidates[:longest])[:most] if part.strip()]
    sizes = [
        float(part[1][:-1]) if len(part) > 1 and re.fullmatch(r"\d{1,6}(\.\d+)?[wx]", part[1]) else 0.0
        for part in parts
    ]
    return parts[sizes.index(max(sizes))][0] if parts else ""


def _is_tracker(image: etree._Element) -> bool:
    return (
        image.get("width") in ("0", "1")
        or image.get("height") in ("0", "1")
        or bool(_TRACKER.search(image.get("style") or ""))
    )


def _show_picture(hidden: etree._Element, image: etree._Element) -> None:
    """Show a picture for readers without scripts, unless the one for those with scripts stands before it and has a URL."""
    before = hidden.getprevious()
    shown = next(before.iter("img"), None) if before is not None and before.tag in ("img", "picture") else None
    if shown is None:
        hidden.tag = "span"
    elif _STAND_IN.match(shown.get("src") or ""):
        shown.set("src", image.get("src"))


def _restore_code(root: etree._Element, *, most: int = 5_000) -> None:
    blocks = list(islice(root.iter("pre"), most))
    cells = (next((up for up in islice(pre.iterancestors(), 6) if up.tag == "td"), None) for pre in blocks)
    beside = [before for cell in cells if cell is not None and (before := cell.getprevious()) is not None]
    named = [node for node in root.iter("td", "span", "div", "pre", "a") if not _GUTTERS.isdisjoint(_tokens(node))]
    _drop_numbers([*beside, *named])
    for node in root.iter("div"):  # Crayon and SyntaxHighlighter write code without ``pre``
        above, names = node.getparent(), _tokens(node)
        if "crayon-pre" in names or ("container" in names and above is not None and "code" in _tokens(above)):
            node.tag = "pre"
            blocks.append(node)
    inner: set[etree._Element] = set()
    for pre in blocks:
        if pre not in inner:
            inner.update(pre.iter("pre"))
            _name_language(pre)
            _write_lines(pre)


def _drop_numbers(nodes: list[etree._Element], *, most_texts: int = 200_000) -> None:
    """Drop those of ``nodes`` that hold nothing but numbers; ``most_texts`` texts are looked at in all."""
    gone: set[etree._Element] = set()
    for node in nodes:
        texts = [] if node in gone else list(islice(node.itertext(), max(0, most_texts)))
        most_texts -= len(texts)
        if node not in gone and most_texts >= 0 and not "".join(texts).strip("0123456789.:| \t\r\n\xa0"):
            gone.update(node.iter())
            _drop(node)


def _name_language(pre: etree._Element) -> None:
    """Write the language that a highlighter gave a block of code, or one of the four elements around it, into ``data-lang``."""
    for node in (pre, *islice(pre.iter("code", "pre"), 4), *islice(pre.iterancestors(), 4)):
        names, tokens = (node.get("class") or "")[:1_000], []
        if node.tag in ("pre", "code") or _HIGHLIGHTER.search(names):
            tokens = [re.sub("^(?:highlight|src|code|sh)[-_]", "", token) for token in names.casefold().split()]
        given = [node.get(name) or "" for name in ("data-lang", "data-language", "data-enlighter-language")]
        named = [match[1] for match in [_LANGUAGE.search(names)] if match]
        known = [token for token in (*tokens, (node.get("lang") or "").casefold()) if token in _LANGUAGES]
        for name in (*given, *named, *known):
            if _LANGUAGE_NAME.fullmatch(name) and name.casefold() not in _NO_LANGUAGE:
                pre.set("data-lang", name.casefold())
                return


def _write_lines(pre: etree._Element) -> None:
    """End the lines of code by line ends alone, where they are elements or end in ``br``."""
    for node in list(pre.iter("br")):
        _drop(node, "\n")
    lines = list(pre.iterdescendants(*_LINES))
    if (
        not lines
        or next(pre.iter(*_NO_CODE), None) is not None
        or any(len(row) > 1 for row in lines if row.tag == "tr")
    ):
        return
    for node in lines:
        if node.tag != "tr" and any(child.tag in _LINES for child in node):
            continue
        ends = "".join(node.itertext()).endswith("\n")
        node.tail = ("" if ends else "\n") + (node.tail or "").lstrip(" \n")
    for node in list(pre.iterdescendants(*_LINES, *_WRAPPERS)):
        if node.text and not node.text.strip() and len(node):
            node.text = None
        node.tag = "span"


def _restore_formulas(root: etree._Element, raw: bytes) -> None:
    scripts = [node for node in root.iter("script") if (node.get("type") or "").startswith("math/tex")]
    shown = [node for node in root.iter("span", "div") if not _SHOWN.isdisjoint(_tokens(node))] if scripts else []
    for node in shown:
        _drop(node)
    for node in scripts:
        _write(node, node.text or "", is_display="display" in node.get("type"))
    wrapped = [
        node
        for node in root.iter("span", "mjx-container")
        if node.tag != "span" or not _WRAPPED.isdisjoint(_tokens(node))
    ]
    for node in [*wrapped, *list(root.iter("math"))]:
        math = node if node.tag == "math" else next(node.iter("math"), None)
        if math is not None:
            above = node.getparent()
            displays = (math.get("display"), node.get("display"), *(_tokens(above) if above is not None else ()))
            _write(node, _tex_of(math), is_display=not {"block", "true", "katex-display"}.isdisjoint(displays))
    for image in root.iter("img"):
        if image.get("alt") and ("latex.php?" in (image.get("src") or "") or not _PICTURED.isdisjoint(_tokens(image))):
            _write(image, image.get("alt"), is_display=False)
    if b"athJax" in raw or b"athjax" in raw or b"katex" in raw:
        for node in root.iter("p", "div", "span", "li", "td", "dd", "br", "em", "strong", "a"):
            for name in ("text", "tail"):
                text = getattr(node, name)
                if text and "\\" in text:
                    setattr(node, name, without_controls(_DELIMITED.sub(_dollars, text)))


def _dollars(match: re.Match[str]) -> str:
    return f"${match[1].strip()}$" if match[1] else f"$${(match[2] or '').strip()}$$"


def _write(node: etree._Element, tex: str, *, is_display: bool) -> None:
    """Make an element the text of a formula."""
    tex = fold(tex[:20_000])
    styled = _STYLED.fullmatch(tex)
    tex, mark = (styled[1].strip() if styled else tex), "$$" if is_display else "$"
    node.clear(keep_tail=True)
    node.tag, node.text = "div" if is_display else "span", without_controls(f"{mark}{tex}{mark}") if tex else None


def _tex_of(math: etree._Element, *, most: int = 2_000) -> str:
    """LaTeX of a formula: its own annotation, else of its elements, of which ``most`` are read.

    >>> _tex_of(etree.HTML("<math><mfrac><mi>a</mi><mn>2</mn></mfrac><mo>\u2264</mo><msqrt><mi>x</mi></msqrt></math>")[0][0])
    '\\\\frac{a}{2} \\\\le \\\\sqrt{x}'
    """
    given = next((node.text for node in math.iter("annotation") if "tex" in (node.get("encoding") or "")), None)
    if given or math.get("alttext"):
        return given or math.get("alttext") or ""
    parts: dict[etree._Element, str] = {}
    for node in reversed(list(islice(math.iter("*"), most))):
        kids, tag = [parts.pop(child) for child in node if child in parts], str(node.tag)
        text = fold(node.text)
        if tag in _TEX and len(kids) == _TEX[tag].count("{}"):
            parts[node] = _TEX[tag].format(*kids)
        elif kids or not text:
            inner = {"mtr": " & ", "mtable": r" \\ "}.get(tag, " ").join(filter(None, kids))
            parts[node] = {"msqrt": rf"\sqrt{{{inner}}}", "mtable": rf"\begin{{matrix}} {inner} \end{{matrix}}"}.get(
                tag, inner
            )
        else:
            parts[node] = rf"\text{{{text}}}" if tag in ("mtext", "ms") else "".join(map(_symbol, text))
    return parts.get(math, "")


def _symbol(char: str) -> str:
    name = unicodedata.name(char, "")
    greek = name.rpartition(" ")[2].lower() if name.startswith(("GREEK SMALL LETTER ", "GREEK CAPITAL LETTER ")) else ""
    if greek and name.count(" ") == 3:
        return "\\" + (greek if "SMALL" in name else greek.capitalize())
    return "" if unicodedata.category(char) == "Cf" else _SYMBOLS.get(char, char)
