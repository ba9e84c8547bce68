"""Markdown (CommonMark, with tables as on GitHub) of a part of a page, in one walk. Text is
escaped, so that none of it is read as markup."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from lxml import etree

from sitecrawl.dom.tree import CELLS, HEADINGS, INLINE, Walked
from sitecrawl.text.chars import fold

Link = Callable[
    [etree._Element, str], str | None
]  # an attribute with a URL, made absolute and safe; None without one
_CODE = ("code", "kbd", "samp")
_MARKS = {"b": "**", "strong": "**", "em": "*", "i": "*", "s": "~~", "del": "~~"} | dict.fromkeys(
    _CODE, "`"
)
_MARKS |= {"sub": "<sub>", "sup": "<sup>"}
_INLINE, _BLOCK, _MARKUP, _HIDDEN = range(4)
_KINDS = dict.fromkeys(INLINE, _INLINE)
_KINDS |= dict.fromkeys(
    (*_MARKS, *HEADINGS, *CELLS, *"a br img pre hr ul ol table tr li dd blockquote".split()),
    _MARKUP,
)
"""Kinds of tags: inline elements, and the elements that Markdown has a notation for. Every other
element is a block, which ends a line."""
_LEVELS = 12  # levels of frames and marks that are written; deeper content goes into the last one
_ESCAPED = {"\\": "\\\\", "~~": "\\~\\~"} | {mark: "\\" + mark for mark in "*_[]`"}
_ESCAPED_WHERE = {
    "&": (re.compile(r"&(?=#?\w{1,32};|$)"), "&amp;"),
    "<": (re.compile(r"<(?=[a-zA-Z/!?]|$)"), "&lt;"),
}
_ANY = (
    *_ESCAPED_WHERE,
    *_ESCAPED,
)  # what may need an escape, in the order of escaping; most texts hold none of it
_LINE_START = re.compile(r"^(?:([0-9]{1,9})([.)])(?=\s|$)|([-+#>=~])(?=[\s#>=~-]|$)|(>))")
_OPENING = frozenset("0123456789-+#>=~")  # first characters of lines that may need an escape there
_UNSAFE_IN_URL = re.compile(r"[\s<>()\[\]\\\"'`|\x00-\x1f]")
_BACKTICKS = re.compile(r"`+")
_FORMULA = re.compile(
    r"(\$\$[^`$]{1,4000}\$\$|\$(?=[^\s$])(?=[^`$]{0,400}[\\^_{=])[^`$]{0,400}[^`$\s\\]\$(?!\d))"
)
"""LaTeX between dollar signs, as Pandoc tells it from sums of money, with a sign of mathematics in
it."""
_LIVE_IN_FORMULA = re.compile(r"(?<=[<&])(?=[\w/!?#])|(?<=\])(?=[(\[:])")
"""Where a blank, which means nothing in LaTeX, keeps a formula from being read as a tag, an entity
or a link."""
_SPANS, _SPAN = ("colspan", "rowspan"), re.compile("[1-9][0-9]?")
_LINE_BREAK = "\x1e"  # a control character, which pages cannot contain
_LISTS = ("ul", "ol")
_FRAMED = frozenset(
    (*HEADINGS, *_LISTS, "li", "dd", "blockquote")
)  # elements that begin each of their lines
_LAYOUT = ("table", "ul", "ol", "dl", "blockquote", "pre", *HEADINGS)
"""Blocks whose presence in a cell shows that the table is a layout and holds no data."""


def escape_text(text: str, marks: Sequence[str] = _ANY) -> str:
    """``text`` with what Markdown would read as a tag, entity, link or mark escaped. Only ``marks``
    are looked for.

    >>> print(escape_text("<img onerror> [x](y) a < b *c* AT&T &lt;"))
    &lt;img onerror> \\[x\\](y) a < b \\*c\\* AT&T &amp;lt;
    """
    if text.count("$") > 1:
        parts = enumerate(_FORMULA.split(text))
        return "".join(
            _LIVE_IN_FORMULA.sub(" ", part) if at % 2 else _escaped(part, marks)
            for at, part in parts
        )
    return _escaped(text, marks)


def _escaped(text: str, marks: Sequence[str]) -> str:
    for mark in marks:
        if mark in text and mark in _ESCAPED:
            text = text.replace(mark, _ESCAPED[mark])
        elif mark in text:
            needed, escaped = _ESCAPED_WHERE[mark]
            text = needed.sub(escaped, text)
    return text


def escape_url(url: str) -> str:
    """``url`` with the characters that would end its brackets percent-encoded.

    >>> escape_url("http://example.com/a_(b) c")
    'http://example.com/a_%28b%29%20c'
    """
    return _UNSAFE_IN_URL.sub(
        lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), url
    )


def _fence(text: str, least: int) -> str:
    """A run of backticks longer than any in the text, at least ``least`` long: so the text cannot
    end the code."""
    return "`" * max(least, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))


def _code(text: str) -> str:
    """A code span; its text was not escaped."""
    if "`" not in text:
        return f"`{text}`"
    fence = _fence(text, 1)
    return f"{fence} {text} {fence}"


@dataclass
class _Frame:
    """An open heading, list, item or quote, or the page: what was written in it so far, and the
    number of a list's next item."""

    node: etree._Element | None = None
    tag: str = ""
    number: int | None = None
    parts: list[str] = field(default_factory=list)

    def add(self, block: str, *, is_tight: bool = False) -> None:
        """Append a block after a blank line, or right below where it ``is_tight``."""
        self.parts += [*(["\n" if is_tight else "\n\n"] if self.parts else []), block]


@dataclass
class _Writer:
    """The parts of the line in the making, and what is open around it: marks with where they begin,
    and frames. ``row`` holds the cells of an open table row; ``rows`` counts the rows of the table,
    ``taken`` how many of the next rows a cell above takes, by column."""

    link: Link
    parts: list[str] = field(default_factory=list)
    open: list[tuple[etree._Element, str, int]] = field(default_factory=list)
    frames: list[_Frame] = field(default_factory=lambda: [_Frame()])
    row: list[str] | None = None
    rows: int = 0
    taken: Counter[int] = field(default_factory=Counter)

    def end_block(self) -> None:
        """Write the current line as a block; open marks continue after it."""
        if not self.parts:
            return
        for at in range(len(self.open) - 1, -1, -1):
            node, tag, start = self.open[at]
            self.close(node, tag, start=start)
            self.open[at] = (node, tag, 0)
        lines = [line for part in "".join(self.parts).split(_LINE_BREAK) if (line := fold(part))]
        lines = [
            _LINE_START.sub(r"\1\\\2\3\4", line) if line[0] in _OPENING else line for line in lines
        ]
        self.parts.clear()
        if lines and self.row is not None:
            self.row.append(" ".join(lines).replace("|", "\\|"))
        elif lines:
            self.frames[-1].add("  \n".join(lines))

    def close(self, node: etree._Element, tag: str, *, start: int) -> None:
        """Put marks or a link around the parts from ``start`` on, blanks outside."""
        text = "".join(self.parts[start:])
        core = text.strip()
        if not core:
            return
        lead, tail = text[: text.index(core[0])], text[len(text.rstrip()) :]
        url = self.link(node, "href") if tag == "a" else None
        if url:
            core = f"[{core}]({escape_url(url)})"
            if (
                start and self.parts[start - 1].endswith("!") and not lead
            ):  # else the link would be an image
                self.parts[start - 1] = self.parts[start - 1][:-1] + "\\!"
        elif tag != "a":
            mark = _MARKS[tag]
            core = f"{mark}{core}{mark.replace('<', '</')}" if mark != "`" else _code(core)
        self.parts[start:] = [lead, core, tail]

    def break_line(self) -> None:
        """End a block; within a table row, a word."""
        if self.row is not None:
            self.parts.append(" ")
        else:
            self.end_block()

    def embed(self, node: etree._Element) -> None:
        url = self.link(node, "src")
        if url:
            self.parts.append(f"[{escape_text(node.get('title') or url)}]({escape_url(url)})")

    def preformat(self, node: etree._Element) -> None:
        self.end_block()
        text = "".join(node.itertext()).strip("\n")
        if self.row is not None:
            self.row.append(_code(" ".join(text.split())).replace("|", "\\|"))
        elif text and not text.isspace():
            fence = _fence(text, 3)
            self.frames[-1].add(f"{fence}{node.get('data-lang') or ''}\n{text}\n{fence}")

    def start(self, node: etree._Element, tag: str) -> None:
        """Begin an element that Markdown has a notation for."""
        if tag == "br":
            self.parts.append(_LINE_BREAK)
        elif tag == "pre":
            self.preformat(node)
        elif tag == "img":
            if url := self.link(node, "src"):
                self.parts.append(f"![{escape_text(fold(node.get('alt')))}]({escape_url(url)})")
        elif tag in _MARKS or tag == "a":
            within = {other for _, other, _ in self.open}
            if len(self.open) < _LEVELS and within.isdisjoint((tag, *_CODE)):
                self.open.append((node, tag, len(self.parts)))
        elif self.row is not None and tag not in CELLS:
            self.parts.append(" ")
        else:
            self.end_block()
            if tag == "hr":
                self.frames[-1].add("---")
            elif tag == "table":
                self.begin_table()
            elif tag in CELLS and self.row is not None:
                self.skip_taken(self.row)
            elif tag == "tr" and _holds_data(node):
                self.row = []
            elif tag in _FRAMED and len(self.frames) <= _LEVELS:
                start = node.get("start") or "1"
                first = int(start) if re.fullmatch("[0-9]{1,5}", start) else 1
                self.frames.append(_Frame(node, tag, first if tag == "ol" else None))

    def end(self, node: etree._Element, tag: str) -> None:
        """End an element that Markdown has a notation for."""
        if self.open and self.open[-1][0] is node:
            node, tag, start = self.open.pop()
            self.close(node, tag, start=start)
        elif tag in CELLS and self.row is not None:
            before = len(self.row)
            columns, rows = (
                int(span) if _SPAN.fullmatch(span := node.get(name) or "") else 1 for name in _SPANS
            )
            self.end_block()
            self.row += [""] * (columns + before - len(self.row))
            self.taken.update(dict.fromkeys(range(before, min(before + columns, 100)), rows - 1))
        elif tag in INLINE or tag in ("hr", "img"):
            return
        elif self.row is not None and tag != "tr":
            self.parts.append(" ")
        else:
            self.end_block()
            if self.row is not None:
                self.end_row(self.row)
            elif self.frames[-1].node is node:
                self.end_frame(self.frames.pop(), self.frames[-1])
            elif tag == "tr":
                self.begin_table()  # a row that is a layout ends the one before it

    def begin_table(self) -> None:
        self.rows = 0
        self.taken.clear()

    def skip_taken(self, row: list[str]) -> None:
        """Fill the columns in which a cell of a row above stands."""
        while self.taken[len(row)]:
            self.taken[len(row)] -= 1
            row.append("")

    def end_row(self, row: list[str]) -> None:
        """Write the row of a table; the first is its head."""
        self.row = None
        if row:
            self.skip_taken(row)
            head = f"\n|{' --- |' * len(row)}" if not self.rows else ""
            self.frames[-1].add(f"| {' | '.join(row)} |{head}", is_tight=self.rows > 0)
            self.rows += 1

    def end_frame(self, frame: _Frame, outer: _Frame) -> None:
        """Write what a frame holds into the one around it; numbered items count on."""
        text = "".join(frame.parts)
        if not text:
            return
        if frame.tag in HEADINGS:
            outer.add(f"{'#' * int(frame.tag[1])} {fold(text)}")
        elif frame.tag in _LISTS:
            outer.add(text, is_tight=outer.tag == "li")
        elif frame.tag == "dd":
            is_line = bool(outer.parts) and "\n" not in text
            outer.add(f": {text}" if is_line else text, is_tight=is_line)
        elif frame.tag == "blockquote":
            outer.add("\n".join([f"> {line}" if line else ">" for line in text.split("\n")]))
        else:
            mark = "- " if outer.number is None else f"{outer.number}. "
            outer.number = None if outer.number is None else outer.number + 1
            lines = [" " * len(mark) + line if line else "" for line in text.split("\n")]
            outer.add(mark + "\n".join(lines)[len(mark) :], is_tight=outer.tag in _LISTS)


def _holds_data(row: etree._Element, *, most: int = 300) -> bool:
    """Whether a table row is no layout: its cells hold no blocks, or several cells hold at most one
    short division or paragraph each."""
    if next(row.iter(*_LAYOUT), None) is not None:
        return False
    blocks = Counter(next(block.iterancestors(*CELLS), None) for block in row.iter("p", "div"))
    is_single = len(row) > 1 and max(blocks.values(), default=0) <= 1
    return not blocks or (is_single and all(len("".join(cell.itertext())) <= most for cell in row))


def markdown_of(
    parts: Iterable[Walked], link: Link, *, skip: Collection[etree._Element] = ()
) -> str:
    """Markdown of parts of a page in order; ``skip`` are subtrees of which nothing is written, not
    even a link.

    >>> from sitecrawl.dom.tree import flatten
    >>> flat = flatten(etree.HTML("<h1>One</h1><p>two <b>three </b><a href='/x'>four</a><ul><li>five<li>six</ul>"))
    >>> print(markdown_of([(flat, *flat.steps())], lambda node, name: node.get(name)))
    # One
    <BLANKLINE>
    two **three** [four](/x)
    <BLANKLINE>
    - five
    - six
    """
    writer = _Writer(link)
    for walked in parts:
        _walk(walked, writer, skip=skip)
        writer.end_block()
    return "".join(writer.frames[0].parts).strip("\n")


def _walk(walked: Walked, writer: _Writer, *, skip: Collection[etree._Element]) -> None:
    flat, walk, hidden = walked
    nodes, tags, texts, tails, parts = flat.nodes, flat.tags, flat.texts, flat.tails, writer.parts
    kinds = [_HIDDEN if at in hidden else _KINDS.get(tag, _BLOCK) for at, tag in enumerate(tags)]
    # most pages have nothing to escape: one search over the page is cheaper than one for each text
    whole = "".join(filter(None, (*texts, *tails)))
    marks = [mark for mark in _ANY if mark in whole]
    steps = iter(walk)
    for step in steps:
        at = step if step >= 0 else ~step
        kind, text = kinds[at], texts[at] if step >= 0 else tails[at]
        if kind == _MARKUP:
            if step < 0:
                writer.end(nodes[at], tags[at])
            else:
                writer.start(nodes[at], tags[at])
                if tags[at] == "pre":  # its text was written as a whole: go on behind it
                    text = next(tails[at] for inner in steps if inner == ~at)
        elif kind == _BLOCK and parts:
            writer.break_line()
        elif kind == _HIDDEN and nodes[at] not in skip:
            writer.embed(nodes[at])
        if text and (parts or not text.isspace()):
            is_verbatim = not marks or (writer.open and writer.open[-1][1] in _CODE)
            parts.append(text if is_verbatim else escape_text(text, marks))
