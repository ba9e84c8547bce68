"""Kinds of elements, texts of one element, and parts of a page as they are rendered
(:class:`Flat`)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from operator import attrgetter
from typing import Any, cast

from lxml import etree

from sitecrawl.resources import table_beside
from sitecrawl.text.chars import CJK, fold

_TABLE = table_beside(__file__)  # names of elements
SILENT = frozenset(_TABLE["silent"].split())
"""Elements whose text a reader does not see as text of the page; ``rt`` repeats the word below it
in another script."""
INLINE = frozenset(_TABLE["inline"].split())
"""Elements of HTML that do not end a line. An element that HTML does not know is asked whether it
holds blocks: :func:`inline_column`."""
BLOCKS = frozenset(_TABLE["blocks"].split())
"""Elements of HTML that begin and end a line, and what stands only in those."""
_KNOWN = INLINE | SILENT | BLOCKS | frozenset([*_TABLE["empty"].split(), *_TABLE["drawn"].split()])
"""All other names are those of custom elements, and of elements of other languages."""
KEPT = frozenset(_TABLE["kept"].split())  # elements that clean HTML keeps; the others are unwrapped
KEPT_ATTRIBUTES = {tag: tuple(names.split()) for tag, names in _TABLE["kept_attributes"].items()}
"""Attributes that clean HTML keeps."""
CELLS = frozenset(("td", "th"))  # table cells: they end a word, not a line
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
REPEATED = frozenset((*HEADINGS, *CELLS, "li", "dt", "dd", "pre"))
"""Elements whose texts authors repeat: a section is called "Conclusion" in each article."""
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden")
_PARENT = cast(
    Callable[[etree._Element], etree._Element], etree._Element.getparent
)  # of elements that have one
_TAG, _TEXT, _TAIL = attrgetter("tag"), attrgetter("text"), attrgetter("tail")


@dataclass
class Flat:
    """Elements in document order with their tags, texts and tails; a subtree is the slice
    ``i:ends[i]``. The first has no tail, and -1 as its parent."""

    nodes: list[etree._Element]
    tags: list[str]
    texts: list[str | None]
    tails: list[str | None]
    parents: list[int]
    ends: list[int]

    @cached_property
    def inline(self) -> list[bool]:
        """Whether each element is inline; see :func:`inline_column`."""
        return _with_unknown(self.tags, self.unknown_inline)

    @cached_property
    def unknown_inline(self) -> list[int]:
        """The elements of unknown kinds that are inline."""
        return _unknown_inline(self.tags, self.parents)

    @cached_property
    def _sums(self) -> tuple[list[int], list[int]]:
        """Characters of the texts, and of the tails, before each element."""
        sizes = [
            [0, *[len(text) if text else 0 for text in texts]] for texts in (self.texts, self.tails)
        ]
        return list(accumulate(sizes[0])), list(accumulate(sizes[1]))

    def steps(
        self, skip: Collection[etree._Element] = (), mute: Collection[etree._Element] = ()
    ) -> tuple[list[int], set[int]]:
        """The steps of a walk, and the elements that it skips: silent ones and those in ``skip``.
        ``i`` opens an element, ``~i`` closes it; a skipped element is only closed. The direct texts
        of elements in ``mute`` are removed."""
        nodes, ends = self.nodes, self.ends
        size = len(nodes)
        hidden = {at for at, tag in enumerate(self.tags) if tag in SILENT}
        if skip:
            hidden.update([at for at, node in enumerate(nodes) if node in skip])
        if mute:
            self._silence(mute)
        walk = [0] * (2 * size)
        above = [-1] * (size + 1)  # the open elements, as many as ``level``
        level = taken = at = 0
        while at < size:
            end = ends[at]
            if at not in hidden:
                walk[taken] = at
                taken += 1
                if end != at + 1:
                    level += 1
                    above[level] = at
                    at += 1
                    continue
            walk[taken] = ~at
            taken += 1
            while level and ends[above[level]] == end:
                walk[taken] = ~above[level]
                taken += 1
                level -= 1
            at = end
        return walk[:taken], hidden

    def whole_text(self, at: int, least: int, most: int) -> str:
        """All text of a subtree, including silent elements, white space folded; empty unless it has
        ``least`` to ``most`` characters."""
        end = self.ends[at]
        sums, after = self._sums
        size = sums[end] - sums[at] + after[end] - after[at + 1]
        if not least <= size <= most:
            return ""
        return fold(self.texts[at] or "" if end == at + 1 else string_of(self.nodes[at]))

    def shorten(self, most: int) -> int:
        """Remove the texts behind the first ``most`` characters; returns how many there were."""
        chars = sum(map(len, filter(None, chain(self.texts, self.tails))))
        if chars > most:
            left = most
            # a tail stands behind all that is in its element, which here is a matter of little
            for at, (text, tail) in enumerate(zip(self.texts, self.tails, strict=True)):
                self.texts[at] = (text or "")[: max(0, left)]
                left -= len(text or "")
                self.tails[at] = (tail or "")[: max(0, left)]
                left -= len(tail or "")
        return chars

    def _silence(self, mute: Collection[etree._Element]) -> None:
        for at in [at for at, node in enumerate(self.nodes) if node in mute]:
            self.texts[at], child = None, at + 1
            while child < self.ends[at]:
                self.tails[child], child = None, self.ends[child]


Walked = tuple[Flat, list[int], set[int]]  # a part of a page with the steps through it


def inline_column(tags: Sequence[str], parents: Sequence[int]) -> list[bool]:
    """Whether each element is inline: whether it does not end the line that it stands in. An
    element that HTML does not know is inline unless it holds a block, as browsers show it.

    >>> flat = flatten(etree.HTML("<p>a <x-b>c</x-b><x-d><x-e>f</x-e><div>g</div></x-d>"))
    >>> [tag for tag, is_inline in zip(flat.tags, flat.inline) if is_inline]
    ['x-b', 'x-e']
    """
    return _with_unknown(tags, _unknown_inline(tags, parents))


def _with_unknown(tags: Sequence[str], unknown_inline: Iterable[int]) -> list[bool]:
    column = list(map(INLINE.__contains__, tags))
    for at in unknown_inline:
        column[at] = True
    return column


def is_inline(node: etree._Element) -> bool:
    """Whether one element is inline; see :func:`inline_column`, which is for many."""
    tag: Any = node.tag
    if tag in _KNOWN:
        return tag in INLINE
    return next(node.iter(*BLOCKS), None) is None


def _unknown_inline(tags: Sequence[str], parents: Sequence[int]) -> list[int]:
    """Numbers of the elements that HTML does not know and that hold no block."""
    unknown = set(tags) - _KNOWN
    if not unknown:
        return []
    # what silent elements hold is not shown, so it makes no block of the elements around them
    ends_line = BLOCKS.intersection(tags)
    holds_block = [False] * len(tags)
    for at in range(len(tags) - 1, 0, -1):
        tag = tags[at]
        if tag in ends_line or (holds_block[at] and tag not in SILENT):
            holds_block[parents[at]] = True
    return [at for at, tag in enumerate(tags) if tag in unknown and not holds_block[at]]


def string_of(node: etree._Element) -> str:
    """All text of an element as it stands; to join what ``itertext`` gives takes ten times as
    long."""
    return etree.tostring(node, encoding="unicode", method="text", with_tail=False)


def is_hidden(style: str | None) -> bool:
    """Whether an inline style hides an element."""
    if not style:
        return False
    small = style.lower()
    # most styles name neither, and are looked at no closer
    return ("none" in small or "hidden" in small) and _HIDING.search(small) is not None


_ENDS = frozenset(
    ("span", "small")
)  # inline elements whose edges may end a word, such as a kicker or a badge
_JOINED = INLINE - {"br", *_ENDS}  # elements whose edges end no word
_EDGE = re.compile(
    rf"\0(?:(?<=[^\W\d{CJK}]{{2}}\0)|(?<=[:;!?]\0))\0*(?=[^\W\d{CJK}].)(?!\0*[a-zß-ÿ])"
)


def line_below(
    node: etree._Element, *, silent: Collection[str] = ("script", "style", "rt", "rp")
) -> str:
    """The text of an element in one line, without ``silent`` elements. A word ends at a line break,
    at the edge of a block and, before another one that does not begin with a small letter, at that
    of a ``span``; nowhere else, so that marked up words stay whole.

    >>> line_below(etree.XML("<h1>News,<br/>of <i>Orion</i>, H<sub>2</sub>O<script>x</script></h1>"))
    'News, of Orion, H2O'
    """
    text = string_of(node)
    # a long text is no heading, name or date, and a walk would take long
    is_long = len(text) > 400 and next(node.iter(*silent), None) is None
    tags = set(map(_TAG, node.iterdescendants()))
    if is_long or _JOINED.issuperset(tags):
        return _without_sign(fold(text), node)
    joined = _JOINED | SILENT
    if tags.isdisjoint(BLOCKS):
        joined |= tags - _KNOWN
    text = "".join(_shown_parts(node, joined=joined, silent=silent))
    return _without_sign(fold(_EDGE.sub(" ", text).replace("\0", "")), node)


def _shown_parts(
    node: etree._Element, *, joined: Collection[str], silent: Collection[str]
) -> Iterator[str]:
    """The texts of an element and, between them, what stands for the edges of the elements in it: a
    zero where a word may end, a blank where it does."""
    yield node.text or ""
    hidden = 0
    for event, inner in etree.iterwalk(node, events=("start", "end")):
        if inner is node:
            continue
        tag = str(inner.tag)
        begins = event == "start"
        if tag in silent:
            hidden += 1 if begins else -1
        if tag not in joined:
            yield "\0" if tag in _ENDS else " "
        text = inner.text if begins else inner.tail
        if text and not hidden:
            yield text


def _without_sign(line: str, node: etree._Element) -> str:
    """The text of ``node`` without the sign, at either end of it, of a heading's link to itself."""
    if line[:1].isalnum() and line[-1:].isalnum():
        return line
    links = [
        string_of(link).strip()
        for link in node.iter("a")
        if (link.get("href") or "").startswith("#")
    ]
    for sign in [text for text in links if not any(map(str.isalnum, text))]:
        line = line.removeprefix(sign).removesuffix(sign)
    return line.strip(" ¶")


def by_tag(nodes: Iterable[etree._Element]) -> Mapping[str, list[etree._Element]]:
    """Elements by tag, in the order of ``nodes``; an empty list for any other tag."""
    found = defaultdict[str, list[etree._Element]](list)
    for node in nodes:
        tag: Any = node.tag
        found[tag].append(node)
    return found


def flatten(root: etree._Element, skip: Collection[etree._Element] = ()) -> Flat:
    """The flat view of a subtree; of the elements in ``skip`` it holds nothing that is below them.

    >>> flat = flatten(etree.HTML("<body><p>one <b>two</b> three</p><script>four</script>"))
    >>> flat.tags, flat.tails, flat.ends
    (['html', 'body', 'p', 'b', 'script'], [None, None, None, ' three', None], [5, 5, 4, 4, 5])
    >>> flat.steps()
    ([0, 1, 2, 3, -4, -3, -5, -2, -1], {4})
    """
    if not skip:
        return _flat(list(root.iter("*")))
    nodes, waiting = list[etree._Element](), [root]
    while waiting:
        nodes.append(node := waiting.pop())
        if node is root or node not in skip:
            waiting.extend(node.iterchildren("*", reversed=True))
    return _flat(nodes)


def runs_of(root: etree._Element) -> list[str]:
    """The visible texts of a part of a page in reading order, blank ones left out.

    >>> runs_of(etree.XML("<p>by <b>Ann</b> <i>Onym</i><script>x</script>, 3 May</p>"))
    ['by ', 'Ann', 'Onym', ', 3 May']
    """
    flat = flatten(root)
    walk, _ = flat.steps()
    texts = [flat.texts[at] if at >= 0 else flat.tails[~at] for at in walk]
    return [text for text in texts if text and not text.isspace()]


def _flat(nodes: list[etree._Element]) -> Flat:
    """The flat view of elements in document order, the first of which is around all others."""
    number = dict(zip(nodes, range(len(nodes)), strict=True))
    parents, ends = (
        [-1, *map(number.__getitem__, map(_PARENT, nodes[1:]))],
        list(range(1, len(nodes) + 1)),
    )
    for at in range(len(nodes) - 1, 0, -1):
        if ends[parents[at]] < ends[at]:
            ends[parents[at]] = ends[at]
    return Flat(
        nodes,
        list(map(_TAG, nodes)),
        list(map(_TEXT, nodes)),
        [None, *map(_TAIL, nodes[1:])],
        parents,
        ends,
    )
