"""Restores code, formulas and pictures that scripts, style sheets and highlighters have replaced,
as plain elements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice, takewhile
from typing import Any, cast

from lxml import etree

from sitecrawl.dom.class_names import names_one_of, words_of
from sitecrawl.dom.code_furniture import furniture_of_code
from sitecrawl.dom.code_tables import join_code_tables
from sitecrawl.dom.marks import write_quotes, write_signs
from sitecrawl.dom.mathml import text_of_formula
from sitecrawl.dom.nodes import class_of, write_text
from sitecrawl.dom.tree import HEADINGS, is_hidden, string_of
from sitecrawl.dom.waiting import (
    find_waiting,
    is_blank,
    largest,
    may_hold_drawn,
    names_photo,
    show_drawn,
    url_in,
)
from sitecrawl.limits import Meter, cached
from sitecrawl.resources import table_beside
from sitecrawl.text.chars import fold

_TABLE: dict[str, Any] = table_beside(__file__)
"""Classes of line numbers and formulas, names of programming languages, attributes that hold the
URL of a lazy picture."""
_NO_CODE = (*HEADINGS, "img", "form", "p", "ul", "dl", "iframe")
"""Elements that show that a ``pre`` was not closed and contains a part of the page."""
_LINES, _WRAPPERS = (
    ("li", "tr", "div"),
    ("ol", "table", "tbody", "thead", "td", "pre"),
)  # of code with line numbers
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language-|lang[-:]\s*|highlight-(?:source|text)-|brush:\s*)([a-z][\w+#.-]{0,30})"
)
_LANGUAGE_NAME = re.compile(r"[a-zA-Z0-9+#.-]{1,30}")
_is_highlighter = names_one_of(words_of("code", "highlighters"))
_STYLES = etree.XPath("descendant::span/@style|descendant::span/@hidden", smart_strings=False)
_SIZE = cast(Callable[[etree._Element], float], etree.XPath("count(descendant::*)"))
_WAITING = frozenset((*_TABLE["lazy"], *_TABLE["full"], *_TABLE["sets"]))
_URL = re.compile(
    r"(?!data:|about:)[^\s<>{}]*[./][^\s<>{}]*"
)  # placeholders are data: or have neither dot nor slash
_WRITTEN = re.compile(
    r"\\(\()((?:[^$\\]|\\[^()$]){1,400}?)\\\)|\\(\[)((?:[^$\\]|\\[^][$]){1,1000}?)\\\]"
)
"""Formulas in plain text, as MathJax and KaTeX find them."""
_CDATA = re.compile(r"(?:%\s*)?(?:<!\[CDATA\[|\]\]>)")  # around formulas in XHTML
_SOURCE_CHARS = 4_000  # of a formula in a script
_LEAST_LINES = 2  # of a block of code whose lines are elements
_LINE_LEVELS = 8  # elements around a line within its block
_CELL_LEVELS = 6  # elements around a block that are searched for its cell
_NUMBERS = "0123456789.:| \t\r\n\xa0"  # what line numbers and the gaps between them consist of
_STAND_IN = re.compile(rf"(?:.*[/_.-])?(?:{'|'.join(_TABLE['stand_ins'])})[\w.-]*\.\w+")
_UNSEEN = re.compile(r"none|absolute|hidden|-\d{3}")  # styles of pictures that readers do not see
_SMALL = re.compile(r"[?&](?:(?:w|width)=\d{1,2}(?!\d)|blur=[1-9])", re.I)
_SOURCES = 10  # of a picture that are looked at
_FEW = 6  # elements, with itself, that a `noscript` around one picture does not reach
_GONE = "x-gone"  # name of an element that is about to be removed
RESTORED = (
    "img",
    "amp-img",
    "iframe",
    "noscript",
    "pre",
    "script",
    "math",
    "m:math",
    "mml:math",
    "mjx-container",
    "q",
    "input",
)  # the elements that are looked at


def restore(
    root: etree._Element,
    elements: Mapping[str, list[etree._Element]],
    *,
    source: bytes,
    meter: Meter,
) -> None:
    """Restore a parsed page; ``elements`` holds by tag at least those of the kinds in ``RESTORED``,
    in document order. What its ``source`` cannot hold is not looked for. Afterwards pictures have
    their URL in ``src``; code in ``pre`` has its line ends, its language in ``data-lang``, and no line numbers; formulas with known LaTeX are LaTeX
    between dollar signs, others are text; quotations have their marks, and pictures of signs
    are text."""
    hiding = [
        node for node in elements["noscript"] if getattr(node.getparent(), "tag", "head") != "head"
    ]
    if may_hold_drawn(source):
        show_drawn(root)
    _show_pictures([*elements["img"], *elements["amp-img"]], elements["iframe"], hiding=hiding)
    write_quotes(elements["q"], root.get("lang") or "")
    blocks = elements["pre"]
    may_be_tables = blocks or b"data-line-number" in source or b"user-select" in source
    if may_be_tables and join_code_tables(root, meter):
        blocks = list(root.iter("pre"))
    _restore_code(root, blocks[:5_000], meter=meter)
    _restore_formulas(
        root,
        elements["script"],
        formulas=[*elements["math"], *elements["mml:math"], *elements["m:math"]],
        drawn_formulas=elements["mjx-container"],
    )


def _is_one_of(classes: str, kind: str) -> bool:
    return not set(classes[:1_000].split()).isdisjoint(_TABLE[kind])


def _drop(nodes: Iterable[etree._Element], root: etree._Element) -> None:
    """Remove elements of the page, all at once: to join the texts around each would take time in
    the square of their number."""
    gone = [node for node in nodes if node is not root]
    for node in gone:
        node.tag = _GONE
    if gone:
        etree.strip_elements(root, _GONE, with_tail=False)


def code_language(attributes: Mapping[str, str] | etree._Attrib) -> str:
    """The language of a block of code with these attributes; empty if ``data-lang`` holds no name,
    for a page may write anything there.

    >>> code_language({"data-lang": "c++"}), code_language({"data-lang": "x onload=y()"})
    ('c++', '')
    """
    language = attributes.get("data-lang") or ""
    return language if _LANGUAGE_NAME.fullmatch(language) else ""


def _show_pictures(
    images: list[etree._Element], frames: list[etree._Element], *, hiding: list[etree._Element]
) -> None:
    write_signs(images)
    shown = [image for image in images if image.tag != "span"]
    for image in shown:
        _show_picture(image)
    for image, url in find_waiting([one for one in shown if _WAITING.isdisjoint(one.keys())]):
        image.set("src", url)
    for frame in frames:
        waiting = frame.get("data-src") or ""
        if _URL.match(waiting) and not _URL.match(frame.get("src") or ""):
            frame.set("src", waiting)
    for hidden in hiding:
        _show_hidden_picture(hidden)


def _show_picture(image: etree._Element) -> None:
    """Give a picture that waits for a script its own URL."""
    given = image.get("src") or ""
    if image.tag != "img" and not len(image):
        image.tag = "img"
    # neither data: nor about:, which a first letter tells without a closer look
    is_plain = given[:1].isalpha() and given[0] not in "da"
    is_shown = is_plain or (given.isprintable() and " " not in given and not _is_stand_in(given))
    if not is_shown or not _WAITING.isdisjoint(image.keys()):
        image.set("src", _picture_url(image, given))


def _show_hidden_picture(hidden: etree._Element) -> None:
    """Show the picture of a ``noscript``, or give its URL to the picture before it, in whose place
    it stands."""
    picture = _only_picture(hidden)
    if picture is None or _UNSEEN.search(picture.get("style") or ""):
        return
    shown = _picture_in(hidden.getprevious())
    if shown is None:
        hidden.tag = "span"
    elif is_blank(shown.get("src") or ""):
        shown.set("src", picture.get("src", ""))


def _only_picture(hidden: etree._Element) -> etree._Element | None:
    """The picture of an element that holds one, and no text; a picture of one pixel counts
    visitors."""
    inner = list(islice(hidden.iter("*"), _FEW))
    pictures = [node for node in inner if node.tag == "img" and node.get("src")]
    pictures = [picture for picture in pictures if picture.get("width") not in ("0", "1")]
    if len(pictures) != 1 or len(inner) == _FEW:
        return None
    return None if any(map(str.strip, hidden.itertext())) else pictures[0]


def _picture_in(node: etree._Element | None) -> etree._Element | None:
    if node is None or node.tag not in ("img", "picture"):
        return None
    return next(node.iter("img"), None)


def _picture_url(image: etree._Element, given: str) -> str:
    """The URL of a picture, also of a lazy one; empty if there is only a placeholder."""
    is_stand_in = _is_stand_in(given)
    named = [image.get(name) or "" for name in _TABLE["lazy"]]
    named += _other_sources(image, given) if is_stand_in else [given]
    urls = (url_in(name) for name in named if name)
    found = next(filter(_URL.fullmatch, urls), "")
    if found or not is_stand_in:
        return found or given
    link = image.getparent()
    if link is not None and link.tag == "a" and names_photo(link.get("href") or ""):
        return link.get("href") or ""
    return given if _is_small(given) else ""


def _other_sources(image: etree._Element, given: str) -> list[str]:
    """What may name the picture that a stand-in waits for, the likeliest first."""
    # libxml2 nests the sources of a picture
    around = islice(image.iterancestors(), _SOURCES)
    sources = takewhile(lambda node: node.tag == "source", around)
    sets = [node.get(name) or "" for node in (image, *sources) for name in _TABLE["sets"]]
    full = [image.get(name) or "" for name in _TABLE["full"]]
    own = "" if _is_small(given) else given.strip("#?")
    return [*map(largest, sets), *full, own]


def _is_stand_in(given: str) -> bool:
    """Whether a URL names no picture, a blank or a tiny one. The words are looked for first: an
    expression that tries all words at each place is slow."""
    url = given[:300].casefold()
    is_named = any(map(url.__contains__, _TABLE["stand_ins"])) and _STAND_IN.match(url) is not None
    is_none = url[:1] in ("", "#", "?") or url.startswith(("data:", "about:"))
    return is_named or is_none or _is_small(given)


def _is_small(given: str) -> bool:
    """Whether a URL asks for a picture of less than 100 pixels, or a blurred one."""
    return "?" in given and _SMALL.search(given[:300]) is not None


def _restore_code(root: etree._Element, blocks: list[etree._Element], *, meter: Meter) -> None:
    cells = [cell for cell in map(_cell_of, blocks) if cell is not None]
    beside = [before for cell in cells if (before := cell.getprevious()) is not None]
    tagged = list(root.iter("td", "span", "div", "pre", "a")) if blocks else []
    classes = list(map(class_of, tagged))
    names = {one for one in set(classes) - {None} if _is_one_of(one, "gutters")}
    gutters = [node for node, one in zip(tagged, classes, strict=True) if one in names]
    numbers = set(_numbered([*beside, *gutters], meter))
    # a column of numbers is no code, whose lines would be looked at
    outermost = [pre for pre in blocks if not _is_inner(pre, numbers)]
    _drop([*numbers, *furniture_of_code(outermost, meter)], root)
    for pre in outermost:
        _name_language(pre)
        _write_lines(pre, meter)
        for node in pre.iter("pre", "code"):
            # one text in place of many, which lxml reads in time in the square of their number
            if not len(node):
                node.text = string_of(node)


def _cell_of(pre: etree._Element) -> etree._Element | None:
    """The cell of a table that a block of code is in."""
    around = islice(pre.iterancestors(), _CELL_LEVELS)
    return next((node for node in around if node.tag == "td"), None)


def _is_inner(pre: etree._Element, numbers: set[etree._Element]) -> bool:
    """Whether a block of code is within another one, or stands in a column of line numbers."""
    if pre in numbers or next(pre.iterancestors("pre"), None) is not None:
        return True
    return not numbers.isdisjoint(islice(pre.iterancestors(), _CELL_LEVELS))


def _numbered(nodes: list[etree._Element], meter: Meter) -> Iterator[etree._Element]:
    """Those of ``nodes`` that contain nothing but numbers."""
    for node in nodes:
        if not (node.text or "").strip(_NUMBERS):
            text = _text_of(node, meter)
            if text is not None and not text.strip(_NUMBERS):
                yield node


def _text_of(node: etree._Element, meter: Meter) -> str | None:
    """All text of one of many elements, which may be within one another; None if the page cannot
    pay for it."""
    if not len(node):
        return node.text or ""
    if not meter.pays(elements=int(_SIZE(node))):
        return None
    text = string_of(node)
    return text if meter.pays(chars=len(text)) else None


def _name_language(pre: etree._Element) -> None:
    """Write the language of a block of code, which a highlighter put into its classes or those of
    an element around it, into ``data-lang``."""
    for node in (pre, *islice(pre.iter("code", "pre"), 4), *islice(pre.iterancestors(), 4)):
        attribute = node.get("data-lang") or node.get("data-language") or ""
        names = f"{node.get('class') or ''} {node.get('lang') or ''}"
        if language := _language_of(names[:1_000], attribute[:30], node.tag in ("pre", "code")):
            pre.set("data-lang", language)
            return


@cached(1_024)
def _language_of(names: str, attribute: str, is_code: bool) -> str:  # positional for the cache
    """The programming language that the classes of an element, or an attribute of its own, name;
    empty if there is none.

    >>> _language_of("highlight-source-shell ", "", False), _language_of("python line ", "", True), _language_of("text ", "", True)
    ('shell', 'python', '')
    """
    names, attribute = names.casefold(), attribute.casefold()
    is_code, given = is_code or _is_highlighter(names), _LANGUAGE.findall(names)
    tokens = (
        [re.sub("^(?:highlight|src|code|sh)[-_]", "", token) for token in names.split()]
        if is_code
        else []
    )
    given += [attribute, *(token for token in tokens if token in _TABLE["languages"])]
    known = (
        name
        for name in given
        if re.fullmatch(r"[a-z][\w+#.-]*", name) and name not in _TABLE["no_language"]
    )
    return next(known, "")


def _write_lines(pre: etree._Element, meter: Meter) -> None:
    """Write line ends between lines of code that are elements or end in ``br``, and unwrap coloured
    words: most elements of a page of code."""
    for node in list(pre.iter("br")):
        node.tail = "\n" + (node.tail or "")
    etree.strip_tags(pre, "br")
    if _has_only(pre, "p"):
        for line in pre:
            line.tag = "div"
    if next(pre.iter(*_NO_CODE), None) is not None:
        return
    if _has_only(pre, "code"):
        for code in list(pre)[:-1]:
            code.tail = "\n"
    lines = list(pre.iterdescendants(*_LINES))
    if not any(map(_is_row_of_cells, lines)):
        _end_lines(lines, meter)
        _unwrap_lines(pre, lines)
    # a hidden button stays hidden
    if not any(map(_hides, _STYLES(pre))):
        etree.strip_tags(pre, "span")


def _is_row_of_cells(line: etree._Element) -> bool:
    return line.tag == "tr" and len(line) > 1


def _hides(style: str) -> bool:
    """Whether the value of a ``style`` or of ``hidden`` hides an element."""
    return style in ("", "hidden") or is_hidden(style)


def _has_only(pre: etree._Element, tag: str) -> bool:
    """Whether a block of code has several children of one kind, each a line, and nothing else."""
    if len(pre) < _LEAST_LINES or (pre.text or "").strip():
        return False
    for line in pre:
        if line.tag != tag or (line.tail or "").strip() or "\n" in string_of(line).strip():
            return False
    return tag == "p" or not any(line.tail for line in pre)


def _end_lines(lines: list[etree._Element], meter: Meter) -> None:
    """Write a line end behind each of the innermost lines that has none."""
    holders = {above for node in lines for above in islice(node.iterancestors(), _LINE_LEVELS)}
    for node in lines:
        if node in holders:
            continue
        text = _text_of(node, meter)
        ends = text is not None and text.endswith("\n")
        node.tail = ("" if ends else "\n") + (node.tail or "").lstrip(" \n")


def _unwrap_lines(pre: etree._Element, lines: list[etree._Element]) -> None:
    """Turn lines and what is around them into spans, without the blanks between their tags."""
    for node in list(pre.iterdescendants(*_LINES, *_WRAPPERS)) if lines else ():
        if len(node) and not (node.text or "").strip():
            node.text = None
        node.tag = "span"


def _restore_formulas(
    root: etree._Element,
    scripts: list[etree._Element],
    *,
    formulas: list[etree._Element],
    drawn_formulas: list[etree._Element],
) -> None:
    _restore_scripts(root, [one for one in scripts if (one.get("type") or "").startswith("math/")])
    inner: set[etree._Element] = set()
    for math in formulas:
        # what a formula holds is written with it
        if math not in inner:
            inner.update(math.iter())
            _restore_math(math)
    for container in drawn_formulas:
        _write_text_of(container, container)
    sources = "\n".join([(script.get("src") or "")[:300] for script in scripts]).casefold()
    if "mathjax" in sources or "katex" in sources:
        _mark_written_formulas(root)


def _restore_scripts(root: etree._Element, written: list[etree._Element]) -> None:
    """Write the formulas that stand in scripts for MathJax 2, in place of what it drew of them."""
    before = (script.itersiblings(preceding=True) for script in written)
    drawn = (
        takewhile(lambda node: "MathJax" in (node.get("class") or ""), nodes) for nodes in before
    )
    _drop(chain.from_iterable(drawn), root)
    for script in written:
        kind = script.get("type", "")
        source = _CDATA.sub("", script.text or "")
        if kind.startswith("math/tex"):
            _write_formula(script, source, is_block="display" in kind)
            continue
        math = etree.HTML(source[:_SOURCE_CHARS]) if "mml" in kind and source.strip() else None
        text = fold(source)[:_SOURCE_CHARS] if math is None else text_of_formula(math)
        if text:
            write_text(script, text)


def _restore_math(math: etree._Element) -> None:
    """Write one formula in MathML as the LaTeX that it tells, else as text."""
    around = [math, *islice(math.iterancestors(), 6)]
    node = next(
        (up for up in reversed(around) if _is_one_of(up.get("class") or "", "formula_wrappers")),
        math,
    )
    given = [note.text for note in math.iter("annotation") if "tex" in (note.get("encoding") or "")]
    tex = next(filter(None, [*given, math.get("alttext")]), "")
    if not tex:
        _write_text_of(math, node)
    _write_formula(node, tex, is_block=math.get("display") == "block")


def _write_text_of(formula: etree._Element, around: etree._Element) -> None:
    """Write a formula without LaTeX as text, in the place of the element that draws it."""
    # a formula that another one holds, or that was written with it, is gone
    if around.tag == "span" and not len(around):
        return
    if text := text_of_formula(formula):
        write_text(around, text)


def _write_formula(node: etree._Element, tex: str, *, is_block: bool) -> None:
    if tex := fold(tex)[:4_000]:
        mark = "$$" if is_block else "$"
        write_text(node, f"{mark}{tex}{mark}")


def _mark_written_formulas(root: etree._Element) -> None:
    """Write the formulas that a script would find in the text, ``\\(x\\)`` and ``\\[x\\]``, between
    dollar signs."""
    code = set[etree._Element]()
    for node in root.iter("pre", "code", "script", "style", "textarea"):
        # what is nested was taken with the outermost: each is looked at once
        if node not in code:
            code.update(node.iter())
    for node in root.iter("*"):
        for name, text, around in (
            ("text", node.text, node),
            ("tail", node.tail, node.getparent()),
        ):
            if text and "\\" in text and around not in code:
                setattr(node, name, _WRITTEN.sub(_as_dollars, text))


def _as_dollars(match: re.Match[str]) -> str:
    mark, tex = "$" if match[1] else "$$", (match[2] or match[4]).strip()
    return f"{mark}{tex}{mark}" if tex else match[0]
