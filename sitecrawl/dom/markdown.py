"""Markdown (CommonMark, with tables as on GitHub) of a part of a page, in one walk; no text of a page is read as markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from lxml import etree

from sitecrawl.dom.flat import ByTag, Flat, Walked
from sitecrawl.dom.tree import CELLS, HEADINGS, INLINE
from sitecrawl.text.chars import fold

Link = Callable[[etree._Element, str], str | None]
"""An attribute with a URL, made absolute and safe; None without one."""
_CODE = ("code", "kbd", "samp")
_MARKS = {"b": "**", "strong": "**", "em": "*", "i": "*", "s": "~~", "del": "~~"} | dict.fromkeys(_CODE, "`")
_INLINE, _BLOCK, _MEANT, _HIDDEN = range(4)
_KINDS = ByTag(
    dict.fromkeys(INLINE, _INLINE)
    | dict.fromkeys((*_MARKS, *HEADINGS, *CELLS, *"a br img pre hr ul ol table tr li blockquote".split()), _MEANT),
    _BLOCK,
)
"""Tags that Markdown has something for, and those that say nothing; other blocks end a line."""
_DEEPEST = 12
"""Levels of quotes, lists and marks that are written; deeper content is written at the last level."""
_ESCAPED = {"\\": "\\\\", "~~": "\\~\\~"} | {mark: "\\" + mark for mark in "*_[]`"}
_ESCAPED_WHERE = {"&": (re.compile(r"&(?=#?\w{1,32};|$)"), "&amp;"), "<": (re.compile(r"<(?=[a-zA-Z/!?]|$)"), "&lt;")}
_ANY = (*_ESCAPED_WHERE, *_ESCAPED)
"""What may need an escape, in the order in which it is escaped; most texts hold none of it."""
_LINE_START = re.compile(r"^(?:([0-9]{1,9})([.)])(?=\s|$)|([-+#>=~])(?=[\s#>=~-]|$)|(>))")
_OPENING = frozenset("0123456789-+#>=~")
"""First characters of lines that may need an escape there."""
_UNSAFE_IN_URL = re.compile(r"[\s<>()\[\]\\\"'`|\x00-\x1f]")
_BACKTICKS = re.compile(r"`+")
_LAYOUT = ("p", "div", "table", "ul", "ol", "dl", "blockquote", "pre", *HEADINGS)
"""Blocks whose presence in a cell shows that the table is a layout and holds no data."""


def escape_text(text: str, marks: Sequence[str] = _ANY) -> str:
    """``text`` escaped, so that Markdown shows it as it is: no tag, entity, link or mark. It holds no other than ``marks``.

    >>> print(escape_text("<img onerror> [x](y) a < b *c* AT&T &lt;"))
    &lt;img onerror> \\[x\\](y) a < b \\*c\\* AT&T &amp;lt;
    """
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
    return _UNSAFE_IN_URL.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), url)


@dataclass
class _Prefix:
    """Prefix of the first line of an item or a quote, and of its other lines."""

    first: str
    rest: str
    is_written: bool = False

    def take(self) -> str:
        text = self.rest if self.is_written else self.first
        self.is_written = True
        return text


@dataclass
class _List:
    """An open list: the number of its next item, None where it has bullets, and whether an item was written."""

    number: int | None
    is_begun: bool = False


@dataclass
class _Writer:
    """Lines so far, the line in the making, and what is open around it: marks with where they begin, prefixes of lines."""

    link: Link
    lines: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    open: list[tuple[etree._Element, str, int]] = field(default_factory=list)
    prefixes: list[_Prefix] = field(default_factory=list)
    lists: list[_List] = field(default_factory=list)
    row: list[str] | None = None
    rows: int = 0
    heading: str = ""

    def end_block(self) -> None:
        """Write the current line as a block; open marks continue after it."""
        if not self.parts:
            return
        for at in range(len(self.open) - 1, -1, -1):
            node, tag, start = self.open[at]
            self.close(node, tag, start)
            self.open[at] = (node, tag, 0)
        text = "".join(self.parts)
        self.parts.clear()
        lines = [line for part in text.split("\x1e") if (line := fold(part))]
        if not lines:
            return
        lines = [_LINE_START.sub(_escape_start, line) if line[0] in _OPENING else line for line in lines]
        if self.row is not None:
            self.row.append(" ".join(lines).replace("|", "\\|"))
        elif self.heading:
            self.write([self.heading + " ".join(lines)])
        else:
            self.write([*(line + "  " for line in lines[:-1]), lines[-1]])

    def write(self, lines: list[str], is_tight: bool = False) -> None:
        """Append a block behind a blank line; a row, an item or a list within an item follows right behind."""
        if not self.prefixes:
            self.lines += lines if is_tight or not self.lines else ["", *lines]
            return
        if self.lists and not self.prefixes[-1].is_written:
            is_tight = self.lists[-1].is_begun or len(self.lists) > 1
            self.lists[-1].is_begun = True
        if self.lines and not is_tight:
            self.lines.append("".join([prefix.rest for prefix in self.prefixes if prefix.is_written]).rstrip())
        for line in lines:
            self.lines.append("".join([prefix.take() for prefix in self.prefixes]) + line)

    def close(self, node: etree._Element, tag: str, start: int) -> None:
        """Put marks or a link around what was written since ``start``, blanks outside."""
        text = "".join(self.parts[start:])
        core = text.strip()
        if not core:
            return
        lead, tail = text[: text.index(core[0])], text[len(text.rstrip()) :]
        if tag == "a":
            url = self.link(node, "href")
            core = f"[{core}]({escape_url(url)})" if url else core
            if url and start and self.parts[start - 1].endswith("!") and not lead:
                self.parts[start - 1] = self.parts[start - 1][:-1] + "\\!"
        else:
            mark = _MARKS[tag]
            core = f"{mark}{core}{mark}" if mark != "`" else _code(core)
        self.parts[start:] = [lead, core, tail]


def _escape_start(match: re.Match[str]) -> str:
    return f"{match[1]}\\{match[2]}" if match[1] else "\\" + match[0]


def _code(text: str) -> str:
    """A code span; its text was not escaped."""
    if "`" not in text:
        return f"`{text}`"
    fence = _fence(text, 1)
    return f"{fence} {text} {fence}"


def _fence(text: str, least: int) -> str:
    """More backticks than stand anywhere in a text, ``least`` or more."""
    runs = _BACKTICKS.findall(text) if "`" in text else ()
    return "`" * max(least, 1 + max(map(len, runs), default=0))


def markdown_of(parts: Iterable[Walked], link: Link, skip: Collection[etree._Element] = ()) -> str:
    """Markdown of parts of a page in order; ``skip`` are subtrees of which nothing is written, not even a link.

    >>> root = etree.HTML("<h1>One</h1><p>two <b>three </b><a href='/x'>four</a><ul><li>five<li>six</ul>")
    >>> from sitecrawl.dom.flat import flatten
    >>> flat = flatten(root)
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
        _walk(walked, writer, skip)
        writer.end_block()
    return "\n".join(writer.lines).strip("\n")


def _walk(walked: Walked, writer: _Writer, skip: Collection[etree._Element]) -> None:
    flat, way, hidden = walked
    nodes, tags, texts, tails, parts = flat.nodes, flat.tags, flat.texts, flat.tails, writer.parts
    kinds, marks, unread = flat.kinds(_KINDS, hidden, _HIDDEN), _marks_in(flat), 0
    for step in way:
        if unread and step != unread:
            continue
        at = step if step >= 0 else ~step
        kind, text = kinds[at], texts[at] if step >= 0 else tails[at]
        if kind == _MEANT:
            tag = tags[at]
            if step >= 0:
                _start(nodes[at], tag, writer)
                text = None if tag == "pre" else text
            elif tag != "pre":
                _end(nodes[at], tag, writer)
            unread = ~at if step >= 0 and tag == "pre" else 0
        elif kind == _BLOCK:
            _break(writer)
        elif kind == _HIDDEN and nodes[at] not in skip:
            _start_unread(nodes[at], writer)
        if text and (parts or not text.isspace()):
            is_code = not marks or (writer.open and writer.open[-1][1] in _CODE)
            parts.append(text if is_code else escape_text(text, marks))


def _marks_in(flat: Flat) -> list[str]:
    """The marks that stand anywhere in the part of a page: of most, none, so that its texts need not be looked at one by one."""
    whole = "".join(filter(None, (*flat.texts, *flat.tails)))
    return [mark for mark in _ANY if mark in whole]


def _break(writer: _Writer) -> None:
    """End a block; in a row of a table, a word."""
    if writer.row is not None:
        writer.parts.append(" ")
    elif writer.parts:
        writer.end_block()


def _start_unread(node: etree._Element, writer: _Writer) -> None:
    """Write the elements that are not walked: preformatted text unchanged, a link for embedded content."""
    if node.tag != "pre":
        url = writer.link(node, "src")
        if url:
            writer.parts.append(f"[{escape_text(node.get('title') or url)}]({escape_url(url)})")
        return
    writer.end_block()
    text = "".join(node.itertext()).strip("\n")
    if writer.row is not None:
        writer.row.append(_code(" ".join(text.split())).replace("|", "\\|"))
    elif text and not text.isspace():
        fence = _fence(text, 3)
        writer.write([fence, *text.split("\n"), fence])


def _start(node: etree._Element, tag: str, writer: _Writer) -> None:
    if tag == "br":
        writer.parts.append("\x1e")
    elif tag == "pre":
        _start_unread(node, writer)
    elif tag == "img":
        url = writer.link(node, "src")
        if url:
            writer.parts.append(f"![{escape_text(fold(node.get('alt')))}]({escape_url(url)})")
    elif tag in _MARKS or tag == "a":
        within = {other for _, other, _ in writer.open}
        if len(writer.open) < _DEEPEST and within.isdisjoint((tag, *_CODE)):
            writer.open.append((node, tag, len(writer.parts)))
    else:
        _start_block(node, tag, writer)


def _start_block(node: etree._Element, tag: str, writer: _Writer) -> None:
    if writer.row is not None and tag not in CELLS:
        writer.parts.append(" ")
        return
    writer.end_block()
    if tag in HEADINGS:
        writer.heading = "#" * int(tag[1]) + " "
    elif tag == "hr":
        writer.write(["---"])
    elif tag in ("ul", "ol"):
        start = node.get("start") or "1"
        writer.lists.append(_List(None if tag == "ul" else int(start) if re.fullmatch("[0-9]{1,5}", start) else 1))
    elif tag == "table":
        writer.rows = 0
    elif tag == "tr" and _is_row(node):
        writer.row = []
    elif tag in ("li", "blockquote"):
        writer.prefixes.append(_prefix(tag, writer))


def _is_row(node: etree._Element) -> bool:
    """Whether a row belongs to a table of data: no block stands in its cells."""
    return next(node.iter(*_LAYOUT), None) is None


def _prefix(tag: str, writer: _Writer) -> _Prefix:
    if len(writer.prefixes) >= _DEEPEST:
        return _Prefix("", "")
    if tag == "blockquote":
        return _Prefix("> ", "> ")
    number = writer.lists[-1].number if writer.lists else None
    if number is None:
        return _Prefix("- ", "  ")
    writer.lists[-1].number = number + 1
    return _Prefix(f"{number}. ", " " * (len(str(number)) + 2))


def _end(node: etree._Element, tag: str, writer: _Writer) -> None:
    if writer.open and writer.open[-1][0] is node:
        writer.close(*writer.open.pop())
    elif tag in CELLS and writer.row is not None:
        before = len(writer.row)
        writer.end_block()
        if len(writer.row) == before:
            writer.row.append("")
    elif tag not in INLINE and tag not in ("br", "hr", "img"):
        _end_block(tag, writer)


def _end_block(tag: str, writer: _Writer) -> None:
    if writer.row is not None and tag != "tr":
        writer.parts.append(" ")
        return
    writer.end_block()
    if tag == "tr" and writer.row is not None:
        row, writer.row = writer.row, None
        if row:
            head = [f"|{' --- |' * len(row)}"] if not writer.rows else []
            writer.write([f"| {' | '.join(row)} |", *head], is_tight=writer.rows > 0)
            writer.rows += 1
    elif tag in HEADINGS:
        writer.heading = ""
    elif tag in ("ul", "ol") and writer.lists:
        writer.lists.pop()
    elif tag in ("li", "blockquote") and writer.prefixes:
        writer.prefixes.pop()
