"""Markdown (CommonMark, with tables as on GitHub) of a part of a page, in one walk. Text is
escaped, so that none of it is read as markup."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, takewhile
from typing import NamedTuple

from lxml import etree

from sitecrawl.dom.raised import RAISED, with_raised
from sitecrawl.dom.restore import code_language
from sitecrawl.dom.tree import CELLS, HEADINGS, INLINE, Flat, Walked
from sitecrawl.limits import Meter
from sitecrawl.text.chars import fold, without_controls

Link = Callable[
    [etree._Element, str], str | None
]  # an attribute with a URL, made absolute and safe; None without one
_CODE = ("code", "kbd", "samp")
_CODE_MARK = "`"
_MARKS = {"b": "**", "strong": "**", "em": "*", "i": "*", "s": "~~", "del": "~~"}
_MARKS |= dict.fromkeys(_CODE, _CODE_MARK)
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
    # not only before letters: <1@b.example> is a link in every dialect
    "<": (re.compile(r"<(?!\s)"), "&lt;"),
}
_ANY = (
    *_ESCAPED_WHERE,
    *_ESCAPED,
)  # what may need an escape, in the order of escaping; most texts hold none of it
# the number of an item is followed by the escape, not led by it
_BEGINS_ITEM = r"\d+(?=[.)](?:\s|$))"
_BEGINS_BLOCK = r"(?=[-+=](?:[\s#>=~:|\\-]|$)|[#>]|~~~)"
_RULE_SIGNS = r"[|:\\ -]"  # of the line below the head of a table
_BEGINS_RULE = rf"(?=[|:]{_RULE_SIGNS}+$)"
_LINE_START = re.compile(rf"\A({_BEGINS_ITEM}|{_BEGINS_BLOCK}|{_BEGINS_RULE})")
"""The beginnings of lines that some dialect reads as an item, a heading, a quote, a rule, a fence or
a table. CommonMark wants a blank behind the hash of a heading, and ASCII digits; others do not."""
_MAY_BE_RULE = re.compile(f"{_RULE_SIGNS}+")
_OPENING = frozenset(
    "-+#>=~|:"
)  # first characters of lines, beside digits, that may need an escape
_UNSAFE_IN_URL = re.compile(r"[\s<>()\[\]\\\"'`|\x00-\x1f\x7f-\x9f\ufffe\uffff]")
_ENTITY = re.compile(r"&(?=#?\w{1,32};)")
_LINE_END = re.compile(r"\r\n?")
_BACKTICKS = re.compile(r"`+")
_LIVE_IN_CODE = re.compile(r"<\S|\][(:]")
"""What could be a tag, a link or a definition of one, where a reader of Markdown does not see that
it stands in code."""
_FORMULA = re.compile(
    r"(\$\$[^`$]{1,4000}\$\$|\$(?=[^\s$])(?=[^`$]{0,400}[\\^_{=])[^`$]{0,400}[^`$\s\\]\$(?!\d))"
)
"""LaTeX between dollar signs, as Pandoc tells it from sums of money, with a sign of mathematics in
it."""
_LIVE_IN_FORMULA = re.compile(r"(?<=<)(?=\S)|(?<=&)(?=[\w#])|(?<=\])(?=[(\[:])|(?<=!)(?=\[)")
"""Where a blank, which means nothing in LaTeX, keeps a formula from being read as a tag, an entity,
a link or a picture."""
_SPAN = re.compile("[1-9][0-9]?")
_NUMBER_OF_LIST = re.compile("[0-9]{1,5}")
_COLUMNS = 100  # columns of a table for which cells over several rows are told
_LINE_BREAK = "\x1e"  # a control character, which pages cannot contain
_HR = "---"
_BOXES = re.compile(r"([☑☒☐] )|`\[([xX -])\]` |\\\[([xX -])\\\] ")
"""How an item of a list of tasks begins: with a sign, with code (Org), or with brackets."""
_EMPTY = ("hr", "img")  # elements that are written when they begin
_LISTS = ("ul", "ol")
_INDENTED = ("li", "blockquote")  # elements whose lines have something before them
_MARKED_ONCE = ("li", "dd")  # elements of which only the first line has a mark
_FRAMED = frozenset(
    (*HEADINGS, *_LISTS, "li", "dd", "blockquote")
)  # elements that begin each of their lines
_CELL_CHARS = 300  # characters of a cell that is one paragraph; with more it is a column of text
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
    """``url`` with the characters that would end its brackets percent-encoded, and no entity in it.

    >>> escape_url("http://example.com/a_(b) c"), escape_url("?a=1&colon;b&c=2")
    ('http://example.com/a_%28b%29%20c', '?a=1&amp;colon;b&c=2')
    """
    safe = _UNSAFE_IN_URL.sub(_percent_encoded, url)
    return _ENTITY.sub("&amp;", safe) if "&" in safe else safe


def _percent_encoded(match: re.Match[str]) -> str:
    return "".join([f"%{byte:02X}" for byte in match[0].encode()])


def _fence(text: str, least: int) -> str:
    """A run of backticks longer than any in the text, at least ``least`` long: so the text cannot
    end the code."""
    return "`" * max(least, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))


def _marked(core: str, tag: str) -> str:
    """Text between the marks of an element, or between its tags, which stand where marks would be
    read as signs."""
    mark = _MARKS[tag]
    if mark[0] == "<":
        return f"{mark}{core}{mark.replace('<', '</')}"
    marked = _Marked(f"{mark}{core}{mark}")
    marked.tagged = f"<{tag}>{core}</{tag}>"
    return marked


def _code(text: str) -> str:
    """A code span; its text, which is one line, was not escaped."""
    if "`" not in text:
        return f"`{text}`"
    fence = _fence(text, 1)
    return f"{fence} {text} {fence}"


class _Marked(str):
    """Text between marks, and the same between tags of HTML."""

    tagged: str = ""


def _joined(parts: Sequence[str]) -> str:
    """Parts of a line as one text. Marks are no marks where a sign stands within them and a letter
    beside them, or other marks beside them (CommonMark 0.31, 6.2): there tags are written."""
    if not any(part.__class__ is _Marked for part in parts):
        return "".join(parts)
    found: list[str] = []
    for at, part in enumerate(parts):
        if isinstance(part, _Marked):
            before = found[-1][-1:] if found else ""
            behind = parts[at + 1][:1] if at + 1 < len(parts) else ""
            inner = part.strip(part[0])
            is_open = _joins(before, inner[:1]) or before == part[0]
            if is_open or _joins(behind, inner[-1:]):
                part = part.tagged
        found.append(part)
    return "".join(found)


def _joins(beside: str, edge: str) -> bool:
    """Whether marks between a character ``beside`` them and the ``edge`` of their text are read as
    signs of the text."""
    is_letter = bool(beside) and not beside.isspace() and beside.isalnum()
    return is_letter and not edge.isalnum()


class _Mark(NamedTuple):
    """An open inline element that is written as marks, and where it begins in the line."""

    node: etree._Element
    tag: str
    start: int


@dataclass
class _Frame:
    """An open heading, list, item or quote, or the page: what was written in it so far, the number
    of a list's next item, and what the numbers grow by."""

    node: etree._Element | None = None
    tag: str = ""
    number: int | None = None
    step: int = 1
    parts: list[str] = field(default_factory=list)

    def add(self, block: str, *, is_tight: bool = False) -> None:
        """Append a block after a blank line, or right below where it ``is_tight``."""
        if self.parts:
            self.parts.append("\n" if is_tight else "\n\n")
        self.parts.append(block)


@dataclass
class _Writer:
    """The parts of the line in the making, none of them empty, and what is open around it: marks
    and frames. ``row`` holds the cells of an open table row; ``rows`` counts the rows of the table,
    ``head`` is its first one, at ``head_at`` among the parts of its frame, and ``taken`` how many of the next rows a cell above takes, by column."""

    link: Link
    meter: Meter
    parts: list[str] = field(default_factory=list)
    open: list[_Mark] = field(default_factory=list)
    frames: list[_Frame] = field(default_factory=lambda: [_Frame()])
    row: list[str] | None = None
    rows: int = 0
    head: list[str] = field(default_factory=list)
    head_at: int = 0
    taken: Counter[int] = field(default_factory=Counter)

    def end_block(self) -> None:
        """Write the current line as a block; open marks continue after it."""
        if not self.parts:
            return
        for at in range(len(self.open) - 1, -1, -1):
            mark = self.open[at]
            self.close(mark)
            self.open[at] = mark._replace(start=0)
        folded = map(fold, _joined(self.parts).split(_LINE_BREAK))
        lines = [_line(line) for line in folded if line]
        self.parts.clear()
        if not lines:
            return
        if self.row is not None:
            self.row.append(_cell(" ".join(lines)))
        else:
            self.frames[-1].add("  \n".join(lines))

    def close(self, mark: _Mark) -> None:
        """Put marks or a link around the parts from the start of ``mark`` on, blanks outside."""
        node, tag, start = mark
        text = _joined(self.parts[start:])
        core = text.strip()
        if not core:
            return
        before, _, after = text.partition(core)
        if tag in _CODE:
            core = core.replace(_LINE_BREAK, " ")
            # two spans side by side would be read as one fence
            is_beside = not before and start and self.parts[start - 1].endswith("`")
            core = f"<code>{_escaped(core, _ANY)}</code>" if is_beside else _code(core)
        elif tag != "a":
            core = _marked(core, tag)
        elif url := self.link(node, "href"):
            core = f"[{core}]({escape_url(url)})"
            if not before:
                self.keep_link(start)
        self.parts[start:] = [part for part in (before, core, after) if part]

    def keep_link(self, start: int) -> None:
        """Escape an exclamation mark before a link, which would be read as a picture."""
        if start and self.parts[start - 1].endswith("!"):
            self.parts[start - 1] = self.parts[start - 1][:-1] + "\\!"

    def break_line(self) -> None:
        """End a block; within a table row, a word."""
        if self.row is not None:
            self.parts.append(" ")
        else:
            self.end_block()

    def escaped(self, text: str, marks: Sequence[str]) -> str:
        """Text as it is written where it stands; ``marks`` as in :func:`escape_text`."""
        if not self.open:
            return escape_text(text, marks)
        if self.open[-1].tag in _CODE:
            return text
        # a formula may hold a bracket, which would end a link
        return _escaped(text, marks) if self.is_in_link else escape_text(text, marks)

    @property
    def is_in_link(self) -> bool:
        return any(mark.tag == "a" and self.link(mark.node, "href") for mark in self.open)

    def embed(self, node: etree._Element) -> None:
        """Write a link to an embedded player; within a link, which cannot hold one, its title."""
        url = self.link(node, "src")
        if not url:
            return
        title = _escaped(without_controls(node.get("title") or url), _ANY)
        if self.is_in_link:
            self.parts.append(title)
        else:
            self.keep_link(len(self.parts))
            self.parts.append(f"[{title}]({escape_url(url)})")

    def add_picture(self, node: etree._Element) -> None:
        url = self.link(node, "src")
        if url:
            words = fold(without_controls(node.get("alt") or ""))
            self.parts.append(f"![{_escaped(words, _ANY)}]({escape_url(url)})")

    def preformat(self, node: etree._Element, text: str) -> None:
        """Write a block of code; in a heading, which is one line, as a span."""
        self.end_block()
        text = _LINE_END.sub("\n", text).strip("\n")
        if not text or text.isspace():
            return
        around = {frame.tag for frame in self.frames}
        if not around.isdisjoint(HEADINGS):
            self.frames[-1].add(_code(fold(text)))
            return
        frame = self.frames[-1]
        if not around.isdisjoint(_INDENTED) and _LIVE_IN_CODE.search(text):
            self.step_out()
            frame = self.frames[0]
        fence = _fence(text, 3)
        block = f"{fence}{code_language(node.attrib)}\n{text}\n{fence}"
        frame.add(block)

    def step_out(self) -> None:
        """End all frames, and begin them again without the marks of their items. Not every dialect
        knows fences within items and quotes: what stands between them must not be read as markup."""
        for at in range(len(self.frames) - 1, 0, -1):
            frame = self.frames[at]
            outer = self.frames[at - 1]
            if frame.tag == "li" and not frame.parts and outer.number is not None:
                outer.number += outer.step  # an item that begins with what is written in its place
            self.end_frame(frame, outer)
            frame.parts.clear()
            if frame.tag in _MARKED_ONCE:
                frame.tag = ""

    def start(self, node: etree._Element, tag: str) -> None:
        """Begin an element that Markdown has a notation for."""
        if tag in _MARKS or tag == "a":
            self.open_mark(node, tag)
        elif tag == "br":
            self.parts.append(_LINE_BREAK)
        elif tag == "img":
            self.add_picture(node)
        elif self.row is not None:
            self.start_in_row(tag, self.row)
        else:
            self.end_block()
            self.start_block(node, tag)

    def open_mark(self, node: etree._Element, tag: str) -> None:
        """Open a mark or a link, unless it stands in code or in another of its kind."""
        around = {_MARKS.get(mark.tag) for mark in self.open}
        if len(self.open) < _LEVELS and around.isdisjoint((_MARKS.get(tag), _CODE_MARK)):
            self.open.append(_Mark(node, tag, len(self.parts)))

    def start_in_row(self, tag: str, row: list[str]) -> None:
        """Begin a cell; any other block within a row only ends a word."""
        if tag in CELLS:
            self.end_block()
            self.skip_taken(row)
        else:
            self.parts.append(" ")

    def start_block(self, node: etree._Element, tag: str) -> None:
        """Begin a block outside a row of a table."""
        if tag == "hr":
            self.frames[-1].add(_HR)
        elif tag == "table":
            self.begin_table()
        elif tag == "tr" and _holds_data(node):
            self.row = []
        elif tag in _FRAMED and len(self.frames) <= _LEVELS:
            self.begin_frame(node, tag)

    def begin_frame(self, node: etree._Element, tag: str) -> None:
        """Begin a heading, list, item or quote; an item may tell its number."""
        outer = self.frames[-1]
        value = node.get("value") or "" if tag == "li" else ""
        if outer.number is not None and _NUMBER_OF_LIST.fullmatch(value):
            outer.number = int(value)
        frame = _Frame(node, tag)
        if tag == "ol":
            is_reversed = node.get("reversed") is not None
            frame.step = -1 if is_reversed else 1
            frame.number = _first_number(node, is_reversed=is_reversed)
        self.frames.append(frame)

    def end(self, node: etree._Element, tag: str) -> None:
        """End an element that Markdown has a notation for."""
        if self.open and self.open[-1].node is node:
            self.close(self.open.pop())
        elif tag in CELLS and self.row is not None:
            self.end_cell(node, self.row)
        elif tag in INLINE or tag in _EMPTY:
            return
        elif self.row is not None and tag != "tr":
            self.parts.append(" ")
        else:
            self.end_block()
            self.end_frame_or_row(node, tag)

    def end_cell(self, node: etree._Element, row: list[str]) -> None:
        """Write a cell and the empty ones that it spans."""
        before = len(row)
        columns = _span(node, "colspan")
        self.end_block()
        missing = columns + before - len(row)
        if missing > 0 and self.meter.pays(elements=missing):
            row += [""] * missing
        below = _span(node, "rowspan") - 1
        self.taken.update(dict.fromkeys(range(before, min(before + columns, _COLUMNS)), below))

    def end_frame_or_row(self, node: etree._Element, tag: str) -> None:
        if self.row is not None:
            self.end_row(self.row)
        elif self.frames[-1].node is node:
            frame = self.frames.pop()
            self.end_frame(frame, self.frames[-1])
        elif tag == "tr":
            self.begin_table()  # a row that is a layout ends the one before it

    def begin_table(self) -> None:
        self.rows = 0
        self.taken.clear()

    def skip_taken(self, row: list[str]) -> None:
        """Fill the columns in which a cell of a row above stands."""
        while self.taken[len(row)] and self.meter.pays(elements=1):
            self.taken[len(row)] -= 1
            row.append("")

    def end_row(self, row: list[str]) -> None:
        """Write the row of a table; the first is its head."""
        self.row = None
        if not row:
            return
        self.skip_taken(row)
        parts = self.frames[-1].parts
        if not self.rows:
            self.frames[-1].add(_head(row))
            self.head = row
            self.head_at = len(parts) - 1
        else:
            self.frames[-1].add(f"| {' | '.join(row)} |", is_tight=True)
            missing = len(row) - len(self.head)
            if missing > 0 and self.meter.pays(elements=missing):
                # cells beyond those of the head are shown by no reader
                self.head += [""] * missing
                parts[self.head_at] = _head(self.head)
        self.rows += 1

    def end_frame(self, frame: _Frame, outer: _Frame) -> None:
        """Write what a frame holds into the one around it; numbered items count on."""
        text = "".join(frame.parts)
        if not text:
            return
        if not frame.tag:
            outer.add(text)
        elif frame.tag in HEADINGS:
            outer.add(f"{'#' * int(frame.tag[1])} {fold(text)}")
        elif frame.tag in _LISTS:
            # right below a line of text a rule would make it a heading
            outer.add(text, is_tight=outer.tag == "li" and not text.startswith(_HR))
        elif frame.tag == "dd":
            is_line = bool(outer.parts) and "\n" not in text and not _MAY_BE_RULE.fullmatch(text)
            outer.add(f": {text}" if is_line else text, is_tight=is_line)
        elif frame.tag == "blockquote":
            outer.add(_quote(text))
        else:
            outer.add(_item(text, outer), is_tight=outer.tag in _LISTS)


def _line(line: str) -> str:
    """A line of text whose beginning no dialect reads as markup."""
    may_begin_block = line[0] in _OPENING or line[0].isdigit()
    return _LINE_START.sub(r"\1\\", line) if may_begin_block else line


def _head(row: Sequence[str]) -> str:
    return f"| {' | '.join(row)} |\n|{' --- |' * len(row)}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _quote(text: str) -> str:
    return "\n".join([f"> {line}" if line else ">" for line in text.split("\n")])


def _box(found: re.Match[str]) -> str:
    if found.start():
        return found[0]
    is_open = (found[1] or found[2] or found[3])[0] in "☐ -"
    return "[ ] " if is_open else "[x] "


def _item(text: str, around: _Frame) -> str:
    """An item of a list, its further lines below the first; a numbered list counts on."""
    mark = "- "
    if text[0] in "☑☒☐`\\":
        text = _BOXES.sub(_box, text, count=1)
    if around.number is not None:
        mark = f"{max(0, around.number)}. "
        around.number += around.step
    lines = [" " * len(mark) + line if line else "" for line in text.split("\n")]
    return mark + "\n".join(lines)[len(mark) :]


def _first_number(node: etree._Element, *, is_reversed: bool) -> int:
    """The number with which a list begins: a list that counts down begins with that of its items,
    unless it says where."""
    start = node.get("start") or ""
    if _NUMBER_OF_LIST.fullmatch(start):
        return int(start)
    return sum(1 for _ in node.iterchildren("li")) if is_reversed else 1


def _span(node: etree._Element, name: str) -> int:
    """How many columns or rows a cell takes."""
    span = node.get(name) or ""
    return int(span) if _SPAN.fullmatch(span) else 1


def _holds_data(row: etree._Element) -> bool:
    """Whether a table row is no layout: its cells hold no blocks, or several cells hold at most one
    short division or paragraph each."""
    if next(row.iter(*_LAYOUT), None) is not None:
        return False
    blocks = Counter(next(block.iterancestors(*CELLS), None) for block in row.iter("p", "div"))
    if not blocks:
        return True
    is_single = len(row) > 1 and max(blocks.values()) <= 1
    return is_single and all(len("".join(cell.itertext())) <= _CELL_CHARS for cell in row)


def markdown_of(
    parts: Iterable[Walked],
    link: Link,
    *,
    skip: Collection[etree._Element] = (),
    meter: Meter | None = None,
) -> str:
    """Markdown of parts of a page in order; ``skip`` are subtrees of which nothing is written, not
    even a link. The cells that a table spans are written as far as ``meter`` pays for them.

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
    writer = _Writer(link, meter or Meter())
    for walked in parts:
        _walk(walked, writer, skip=skip)
        writer.end_block()
    return "".join(writer.frames[0].parts).strip("\n")


def _walk(walked: Walked, writer: _Writer, *, skip: Collection[etree._Element]) -> None:
    flat, walk, hidden = walked
    nodes = flat.nodes
    tags = flat.tags
    parts = writer.parts
    kinds = _kinds_of(flat, hidden)
    texts, tails, marks = _written_texts(flat, hidden)
    steps = iter(walk)
    for step in steps:
        begins = step >= 0
        at = step if begins else ~step
        text = texts[at] if begins else tails[at]
        kind = kinds[at]
        if kind == _MARKUP and begins and tags[at] == "pre":
            inside = takewhile((~at).__ne__, steps)  # and go on behind it
            writer.preformat(nodes[at], (text or "") + _code_in(inside, texts=texts, tails=tails))
            text = tails[at]
        elif kind == _MARKUP:
            mark = writer.start if begins else writer.end
            mark(nodes[at], tags[at])
        elif kind == _BLOCK and parts:
            writer.break_line()
        elif kind == _HIDDEN and nodes[at] not in skip:
            writer.embed(nodes[at])
        if text and (parts or not text.isspace()):
            parts.append(writer.escaped(text, marks) if marks else text)


def _code_in(
    steps: Iterable[int], *, texts: Sequence[str | None], tails: Sequence[str | None]
) -> str:
    """The text of the elements that some steps lead through."""
    code = [texts[at] if at >= 0 else tails[~at] for at in steps]
    return "".join(filter(None, code))


def _kinds_of(flat: Flat, hidden: Collection[int]) -> list[int]:
    kinds = [_KINDS.get(tag, _BLOCK) for tag in flat.tags]
    for at in flat.unknown_inline:
        kinds[at] = _INLINE
    for at in hidden:
        kinds[at] = _HIDDEN
    return kinds


def _written_texts(
    flat: Flat, hidden: Collection[int]
) -> tuple[Sequence[str | None], Sequence[str | None], list[str]]:
    """Texts and tails of a part of a page, and the marks that any of them may need to escape: most
    pages have nothing to escape, and one search is cheaper than one for each text."""
    texts, tails = flat.texts, flat.tails
    if not RAISED.isdisjoint(flat.tags):
        # in code no tag is read
        texts, tails = with_raised(flat, hidden, within=(*_CODE, "pre"))
    whole = "".join(filter(None, chain(texts, tails)))
    # what is removed afterwards would join what was escaped apart: "<", a control, "img"
    if len(without_controls(whole)) < len(whole):
        texts = [without_controls(text) if text else text for text in texts]
        tails = [without_controls(text) if text else text for text in tails]
    return texts, tails, [mark for mark in _ANY if mark in whole]
