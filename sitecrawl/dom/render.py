"""Content of a page as text, clean HTML and Markdown, each rendered when first asked for."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from itertools import chain, islice, repeat
from urllib.parse import SplitResult, urlsplit

from lxml import etree

from sitecrawl.dom.markdown import markdown_of
from sitecrawl.dom.raised import RAISED, with_raised
from sitecrawl.dom.restore import code_language
from sitecrawl.dom.signposts import signposts
from sitecrawl.dom.tree import CELLS, INLINE, KEPT, KEPT_ATTRIBUTES, SILENT, Flat, Walked, flatten
from sitecrawl.limits import LIMITS, Meter, cached
from sitecrawl.text.chars import fold_all, without_controls
from sitecrawl.urls.canonical import absolute_url

_BREAK = "\x1e"  # control characters, which pages cannot contain
_NEWLINE = "\x1f"  # a line end of code, where blanks are kept
_UNSEEN = " \u200b\u200c\u200d\u2060\ufeff"  # zero-width characters: a line of these is empty
_INLINE, _BLOCK, _CELL, _PRE, _BR, _SILENT = range(6)
# what stands before the text of each kind, and before what is behind it
_OPENING_MARKS = ("", _BREAK, " ", _BREAK, _BREAK, _BREAK)
_CLOSING_MARKS = ("", _BREAK, " ", _BREAK, "", "")
_KINDS = (
    dict.fromkeys(INLINE, _INLINE) | dict.fromkeys(CELLS, _CELL) | dict.fromkeys(SILENT, _SILENT)
)
_KINDS |= {"pre": _PRE, "br": _BR}
"""How a tag affects text; a tag that is not listed is a block, unless ``Flat.unknown_inline`` has
the element."""
_OPENED = dict.fromkeys(INLINE, "") | {
    tag: None if tag in KEPT_ATTRIBUTES else f"<{tag}>" for tag in KEPT
}
"""How clean HTML opens a tag: None where attributes are kept; one that is not listed ends a
line."""
_CLOSED = dict.fromkeys(INLINE | SILENT | {"br", "hr", "img"}, "") | {
    tag: f"</{tag}>" for tag in KEPT - {"br", "hr", "img"}
}
"""How it closes a tag; one that is not listed ends a line, if text is behind it."""
_SAFE = ("http://", "https://", "mailto:")
_FILE = re.compile(r"\.(?!html?$|php$|aspx?$|jsp$|shtml$)[a-z0-9]{2,5}$", re.I)
_EMBEDDED = frozenset(
    ("iframe", "video", "audio")
)  # elements without text that clean HTML gives a link for
_NUMBERS, _NUMBER = ("start", "value", "colspan", "rowspan"), re.compile(r"[0-9]{1,5}")
"""Attributes that must be numbers, because readers of clean HTML rely on it."""
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.I)
_BLANKS = re.compile(r"[\x00-\x20\x7f-\x9f\ufffe\uffff]+")
"""Characters that browsers ignore in a scheme (`java script:` runs), or that are removed from what
is rendered."""
_TINY = ("0", "1", "0px", "1px")


@dataclass
class Content:
    """Content to render: ``nodes`` in order, without the subtrees in ``skip`` and the direct text
    of elements in ``mute``. Relative links are resolved against ``base_url``; ``lines`` are whole
    lines that the plain text leaves out; ``flats`` are the nodes as lists, where a caller has them
    already; ``meter`` is what the page may still cost."""

    nodes: Sequence[etree._Element]
    skip: Collection[etree._Element] = field(default_factory=frozenset)
    base_url: str = ""
    mute: Collection[etree._Element] = field(default_factory=frozenset)
    lines: Collection[str] = frozenset()
    flats: Sequence[Flat] = ()
    meter: Meter = field(default_factory=Meter)

    @property
    def is_cut(self) -> bool:
        """Whether some of the page cost too much, and was left out."""
        return self.meter.is_spent

    @cached_property
    def _walked(self) -> list[Walked]:
        """The nodes, read once for all that is rendered."""
        flats = self.flats or list(map(flatten, self.nodes))
        left = LIMITS.text_chars
        for flat in flats:
            left -= flat.shorten(max(0, left))
        if left < 0:
            self.meter.is_spent = True
        return [(flat, *flat.steps({*self.skip, *signposts(flat)}, self.mute)) for flat in flats]

    @cached_property
    def players(self) -> list[etree._Element]:
        """Embedded players and frames, shown or not."""
        flats = [flat for flat, _, _ in self._walked if not _EMBEDDED.isdisjoint(flat.tags)]
        return [
            flat.nodes[at] for flat in flats for at, tag in enumerate(flat.tags) if tag in _EMBEDDED
        ]

    def shown(self, tag: str) -> list[etree._Element]:
        walked = [(flat, steps) for flat, steps, _ in self._walked if tag in flat.tags]
        return [
            flat.nodes[at]
            for flat, steps in walked
            for at in steps
            if at >= 0 and flat.tags[at] == tag
        ]

    @cached_property
    def text(self) -> str:
        """Plain text, a paragraph a line; line ends of preformatted text are kept."""
        parts: list[str] = []
        for walked in self._walked:
            _collect(walked, parts)
            parts.append(_BREAK)
        found = list(filter(None, "".join(parts).split(_BREAK)))
        blank = map(str.isspace, found)
        shown = [line for line, is_blank in zip(found, blank, strict=True) if not is_blank]
        folded = fold_all(shown)
        for at, line in enumerate(shown):
            if _NEWLINE in line:
                folded[at] = _code_lines(line)
        bare = map(str.strip, folded, repeat(_UNSEEN))
        lines = [
            line for line, rest in zip(folded, bare, strict=True) if rest and line not in self.lines
        ]
        return without_controls("\n".join(lines))

    @cached_property
    def html(self) -> str:
        """Clean HTML: structure, links and images; no classes, scripts, styles or foreign
        schemes."""
        return without_controls("".join([_html(walked, self) for walked in self._walked]).strip())

    @cached_property
    def markdown(self) -> str:
        """Markdown (CommonMark) of what the clean HTML holds."""
        written = markdown_of(self._walked, self._url, skip=self.skip, meter=self.meter)
        return without_controls(written)

    def _url(self, node: etree._Element, name: str) -> str | None:
        if node.tag in SILENT:
            return _embedded(node, self.base_url)
        return _shown_value(node.attrib, name, self.base_url)


def _code_lines(line: str) -> str:
    return "\n".join(part.rstrip() for part in line.strip(_NEWLINE + " ").split(_NEWLINE))


def _collect(walked: Walked, parts: list[str]) -> None:
    """Append text to ``parts``, block boundaries marked; one loop, since templates run on it."""
    flat, steps, hidden = walked
    kinds = _kinds_of(flat, hidden)
    texts, tails = flat.texts, flat.tails
    if not RAISED.isdisjoint(flat.tags):
        texts, tails = with_raised(flat, hidden)
    found = [""] * len(steps)
    pre = 0
    for place, at in enumerate(steps):
        if at >= 0:
            kind, text = kinds[at], texts[at]
            if kind:
                found[place] = _OPENING_MARKS[kind]
            if kind == _PRE:
                pre += 1
            elif kind == _BR and pre:
                found[place] = _NEWLINE
        else:
            kind, text = kinds[~at], tails[~at]
            found[place] = _CLOSING_MARKS[kind]
            if kind == _PRE:
                pre -= 1
        if text:
            found[place] += text.replace("\n", _NEWLINE) if pre else text
    parts.extend(found)


def _kinds_of(flat: Flat, hidden: Collection[int]) -> list[int]:
    kind_of = {tag: _KINDS.get(tag, _BLOCK) for tag in set(flat.tags)}
    kinds = [kind_of[tag] for tag in flat.tags]
    for at in flat.unknown_inline:
        kinds[at] = _INLINE
    for at in hidden:
        kinds[at] = _SILENT
    return kinds


def _html(walked: Walked, content: Content) -> str:
    marks = _tags_of(walked, content)
    texts = _escaped_texts(walked)
    written = _with_line_ends(walked, marks, texts=texts)
    return "".join(chain.from_iterable(zip(written, texts, strict=True)))


def _tags_of(walked: Walked, content: Content) -> list[str | None]:
    """The tag that each step writes; None where it ends a block that is unwrapped."""
    flat, steps, hidden = walked
    nodes, tags = flat.nodes, flat.tags
    opened = {tag: _OPENED.get(tag, "\n") for tag in set(tags)}
    closed = {tag: _CLOSED.get(tag) for tag in opened}
    joined = frozenset(flat.unknown_inline)
    found: list[str | None] = [""] * len(steps)
    for place, at in enumerate(steps):
        tag = tags[at] if at >= 0 else tags[~at]
        if at >= 0:
            mark = opened[tag]
            if joined and at in joined:
                mark = ""
            elif mark is None:
                mark = _opening(nodes[at], tag, content.base_url)
        elif ~at in hidden:
            mark = _replacement_of(nodes[~at], content)
        else:
            mark = "" if ~at in joined and closed[tag] is None else closed[tag]
        found[place] = mark
    return found


def _escaped_texts(walked: Walked) -> list[str]:
    """The text behind the tag of each step."""
    flat, steps, _ = walked
    texts, tails = flat.texts, flat.tails
    found = [texts[at] if at >= 0 else tails[~at] for at in steps]
    for place, text in enumerate(found):
        if text and ("&" in text or "<" in text or ">" in text):
            found[place] = escape(text, quote=False)
    return [text or "" for text in found]


def _with_line_ends(walked: Walked, marks: list[str | None], *, texts: list[str]) -> list[str]:
    """The tags with a line end where an unwrapped block ended: before what is shown next."""
    flat, steps, _ = walked
    inline = flat.inline
    written = [mark or "" for mark in marks]
    ends_line = False
    for place, at in enumerate(steps):
        begins = at >= 0
        if marks[place] is None:
            ends_line = True
        if not ends_line:
            continue
        if begins and not inline[at]:
            ends_line = False
        elif (begins and written[place]) or (texts[place] and not texts[place].isspace()):
            # a closing tag stays behind what it closes
            mark = written[place]
            written[place] = f"\n{mark}" if begins else f"{mark}\n"
            ends_line = False
    return written


def _replacement_of(node: etree._Element, content: Content) -> str:
    """Replacement for an element that clean HTML hides: an empty cell, or a link to embedded
    content."""
    tag = str(node.tag)
    if node in content.skip:
        return f"{_opening(node, tag, content.base_url)}</{tag}>" if tag in CELLS else ""
    url = _embedded(node, content.base_url)
    return f'<a href="{escape(url)}">{escape(node.get("title") or url)}</a>' if url else ""


def _embedded(node: etree._Element, base_url: str, *, most: int = 10) -> str | None:
    """URL of embedded content, the first of ``most`` sources that has one; None when it is too
    small to see."""
    if node.tag not in _EMBEDDED or node.get("width") in _TINY or node.get("height") in _TINY:
        return None
    sources = (
        _shown_value(part.attrib, "src", base_url) or ""
        for part in (node, *islice(node.iter("source"), most))
    )
    return next((url for url in sources if url.startswith(("http://", "https://"))), None)


def _opening(node: etree._Element, tag: str, base_url: str) -> str:
    """How clean HTML opens a tag with attributes that it keeps."""
    given = dict(node.items())
    pairs = (
        [(name, _shown_value(given, name, base_url)) for name in KEPT_ATTRIBUTES[tag]]
        if given
        else ()
    )
    return (
        f"<{tag}" + "".join([f' {name}="{escape(value)}"' for name, value in pairs if value]) + ">"
    )


def _shown_value(given: Mapping[str, str] | etree._Attrib, name: str, base_url: str) -> str | None:
    """An attribute of those ``given``, as clean HTML shows it."""
    value = given.get(name)
    if name in _NUMBERS:
        return value if value and _NUMBER.fullmatch(value) else None
    if name == "reversed":
        return None if value is None else name
    if name == "class":
        language = code_language(given)
        return f"language-{language}" if language else None
    if name not in ("href", "src") or value is None:
        return value
    url = absolute(value, base_url)
    return None if name == "src" and url == base_url else url  # no picture is the page itself


@cached(1_024)
def on_same_host(href: str, base_url: str) -> SplitResult | None:
    """A link, absolute and split, if it leads to a page of the host of ``base_url``.

    >>> on_same_host("/a?b", "http://example.com/").path, on_same_host("//example.org/", "http://example.com/")
    ('/a', None)
    """
    url = absolute(href, base_url)
    if not url:
        return None
    target = urlsplit(url)
    return target if target.hostname == urlsplit(base_url).hostname else None


def leads_to_page(href: str, base_url: str) -> bool:
    """Whether a link leads to another page of the host of ``base_url``, and not to a file.

    >>> [leads_to_page(href, "http://example.com/") for href in ("/a", "/a.pdf", "#a", "")]
    [True, False, False, False]
    """
    target = on_same_host(href, base_url) if href and href[0] != "#" else None
    return target is not None and not _FILE.search(target.path)


def absolute(href: str, base_url: str) -> str | None:
    """``href`` as an absolute http(s) or mailto URL, None when it is neither.

    Without a base URL, one that names no scheme stays relative.

    >>> absolute("/a", "http://example.com/b"), absolute("javascript:x()", "http://example.com/b")
    ('http://example.com/a', None)
    >>> absolute("/a", ""), absolute("java\\tscript:x()", ""), absolute(" data:text/html,x", "")
    ('/a', None, None)
    """
    url = absolute_url(base_url, href)
    if url.startswith(_SAFE):
        return url
    return (url or None) if not base_url and _SCHEME.match(_BLANKS.sub("", url)) is None else None
