"""Flat views of a page: elements and text in document order as lists, so that algorithms are loops
over numbers. :class:`Tree` is a view of a whole page, for extraction; :class:`Flat` a view of a
part of it, for rendering."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain, islice
from operator import attrgetter
from typing import cast

from lxml import etree

from sitecrawl.limits import LIMITS
from sitecrawl.resources import table_beside
from sitecrawl.text.chars import CJK, fold

_TABLE = table_beside(__file__)  # names of elements
SILENT = frozenset(_TABLE["silent"].split())
"""Elements whose text a reader does not see as text of the page; ``rt`` repeats the word below it
in another script."""
INLINE = frozenset(
    _TABLE["inline"].split()
)  # elements that do not end a line; everything else is a block
KEPT = frozenset(_TABLE["kept"].split())  # elements that clean HTML keeps; the others are unwrapped
KEPT_ATTRIBUTES = {tag: tuple(names.split()) for tag, names in _TABLE["kept_attributes"].items()}
"""Attributes that clean HTML keeps."""
CELLS = frozenset(("td", "th"))  # table cells: they end a word, not a line
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
ATTRIBUTES = tuple(
    "class id style hidden rel itemprop itemtype property align size href title".split()
)
"""Attributes that say what an element is or looks like."""

_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_PARENT = cast(
    Callable[[etree._Element], etree._Element], etree._Element.getparent
)  # of elements that have one
_ITEMS = etree._Element.items
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
        nodes, ends, hidden = (
            self.nodes,
            self.ends,
            {at for at, tag in enumerate(self.tags) if tag in SILENT},
        )
        if skip:
            hidden.update([at for at, node in enumerate(nodes) if node in skip])
        if mute:
            self._silence(mute)
        walk, above, at, size = list[int](), list[int](), 0, len(nodes)
        add, push, pop = walk.append, above.append, above.pop
        while at < size:
            end = ends[at]
            if at in hidden:
                add(~at)
            else:
                add(at)
                if end != at + 1:
                    push(at)
                    at += 1
                    continue
                add(~at)
            while above and ends[above[-1]] == end:
                add(~pop())
            at = end
        return walk, hidden

    def whole_text(self, at: int, least: int, most: int) -> str:
        """All text of a subtree, including silent elements, white space folded; empty unless it has
        ``least`` to ``most`` characters."""
        end = self.ends[at]
        sums, after = self._sums
        size = sums[end] - sums[at] + after[end] - after[at + 1]
        if not least <= size <= most:
            return ""
        return fold(self.texts[at] or "" if end == at + 1 else string_of(self.nodes[at]))

    def _silence(self, mute: Collection[etree._Element]) -> None:
        for at in [at for at, node in enumerate(self.nodes) if node in mute]:
            self.texts[at], child = None, at + 1
            while child < self.ends[at]:
                self.tails[child], child = None, self.ends[child]


Walked = tuple[Flat, list[int], set[int]]  # a part of a page with the steps through it


@dataclass
class Tree(Flat):
    """Elements numbered in document order; a subtree is the slice ``i:ends[i]``. ``chunks`` holds
    the visible text in reading order, blank ones left out; chunk ``k`` stands directly in element
    ``owners[k]``, and the text of a subtree is ``chunks[first[i]:last[i]]``."""

    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    chunks: list[str] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    truncated: bool = False
    _shapes: dict[int, frozenset[str]] = field(default_factory=dict, repr=False)
    _texts: dict[str, tuple[list[str], str, list[int]]] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.nodes)

    def text(self, index: int, *, most: int = LIMITS.title_chars) -> str:
        """Visible text of a subtree, chunks joined by a blank, white space folded; ``most``
        characters are read, as nested elements share their text."""
        first, last = self.first[index], self.last[index]
        return fold(
            " ".join([chunk[:most] for chunk in self.chunks[first : min(last, first + most)]])[
                :most
            ]
        )

    def children(self, index: int) -> list[int]:
        """Numbers of the child elements."""
        found, at, end = [], index + 1, self.ends[index]
        while at < end:
            found.append(at)
            at = self.ends[at]
        return found

    def ancestors(self, index: int) -> list[int]:
        """Numbers of the ancestors, parent first."""
        found = []
        while (index := self.parents[index]) >= 0:
            found.append(index)
        return found

    @cached_property
    def depths(self) -> list[int]:
        """Depth of every element, the root's being 0."""
        found: list[int] = []
        for parent in self.parents:
            found.append(found[parent] + 1 if parent >= 0 else 0)
        return found

    def shape(self, start: int, *, levels: int = 3) -> frozenset[str]:
        """Tag paths from an element to its descendants, three ``levels`` deep: ``p``, ``p/a``.
        Kept, because elements are compared with many."""
        if start not in self._shapes:
            found, paths, tags, depths = set[str](), [""] * (levels + 1), self.tags, self.depths
            at, stop, base = start + 1, self.ends[start], depths[start]
            while at < stop:
                level = depths[at] - base
                paths[level] = f"{paths[level - 1]}/{tags[at]}" if level > 1 else tags[at]
                found.add(paths[level])
                at = at + 1 if level < levels else self.ends[at]
            self._shapes[start] = frozenset(found)
        return self._shapes[start]

    @cached_property
    def attributes(self) -> dict[str, dict[int, str]]:
        """Values of the attributes in ``ATTRIBUTES`` by element number, in document order; read in
        one pass, which is faster."""
        found: dict[str, dict[int, str]] = {name: {} for name in ATTRIBUTES}
        wanted = found.get
        for number, pairs in enumerate(map(_ITEMS, self.nodes)):
            for name, value in pairs:
                values = wanted(name)
                if values is not None:
                    values[number] = value
        return found

    @cached_property
    def tagged(self) -> dict[str, list[int]]:
        """Numbers of the elements by tag, in document order."""
        found = defaultdict[str, list[int]](list)
        for number, tag in enumerate(self.tags):
            found[tag].append(number)
        return dict(found)

    @cached_property
    def named(self) -> dict[str, list[int]]:
        """Numbers of the elements, in document order, by class token (``.wide``) and id
        (``#main``). Class tokens are separated by blanks, as in an XPath; the first
        ``LIMITS.class_tokens`` of a page count."""
        found, left = defaultdict[str, list[list[int]]](list), LIMITS.class_tokens
        for classes, numbers in self.holders("class").items():
            most = max(0, left // len(numbers))
            tokens = classes.split(" ", most)[:most]
            left -= len(tokens) * len(numbers)
            for token in dict.fromkeys(filter(None, tokens)):
                found["." + token].append(numbers)
        for ident, numbers in self.holders("id").items():
            found["#" + ident].append(numbers)
        found.pop("#", None)
        return {
            name: own[0] if len(own) == 1 else sorted(chain(*own)) for name, own in found.items()
        }

    def holders(self, name: str) -> dict[str, list[int]]:
        """Numbers of the elements with each value of an attribute."""
        found = defaultdict[str, list[int]](list)
        for number, value in self.attributes[name].items():
            found[value].append(number)
        return dict(found)

    def marked(
        self, test: Callable[[str], object], *names: str, words: Collection[str]
    ) -> list[int]:
        """Numbers of the elements for which one of the attributes ``names`` passes a test. Only
        values with one of the casefolded ``words`` are tested, each once: all values of an
        attribute are searched as one text."""
        marked = set[int]()
        for name in names:
            values, text, starts = self._values(name)
            found = set[int]()
            for word in words:
                at = text.find(word)
                while at >= 0:
                    found.add(place := bisect_right(starts, at))
                    at = text.find(word, starts[place])
            if passed := set(filter(test, [values[place - 1] for place in found])):
                marked.update(
                    [number for number, value in self.attributes[name].items() if value in passed]
                )
        return sorted(marked)

    def _values(self, name: str) -> tuple[list[str], str, list[int]]:
        """The values of an attribute, all of them as one casefolded text, and where each begins in
        it."""
        if name not in self._texts:
            values = list(dict.fromkeys(self.attributes[name].values()))
            text = "\0".join(values).casefold()  # no document of lxml can hold a NUL
            starts = accumulate([len(value) + 1 for value in text.split("\0")], initial=0)
            self._texts[name] = values, text, list(starts)
        return self._texts[name]

    def index(self) -> dict[etree._Element, int]:
        """Number of every element."""
        return dict(zip(self.nodes, range(len(self.nodes)), strict=True))


def string_of(node: etree._Element) -> str:
    """All text of an element as it stands; to join what ``itertext`` gives takes ten times as
    long."""
    return etree.tostring(node, encoding="unicode", method="text", with_tail=False)


def is_hidden(style: str | None) -> bool:
    """Whether an inline style hides an element."""
    return bool(style) and _HIDING.search(style or "") is not None


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
    if is_long or _JOINED.issuperset(map(_TAG, node.iterdescendants())):
        return _without_sign(fold(text), node)
    parts, hidden = [node.text or ""], 0
    for event, inner in etree.iterwalk(node, events=("start", "end")):
        if inner is not node:
            begins, tag = event == "start", str(inner.tag)
            hidden += (begins or -1) * (tag in silent)
            parts.append("\0" if tag in _ENDS else "" if tag in _JOINED or tag in SILENT else " ")
            parts.append("" if hidden else (inner.text if begins else inner.tail) or "")
    return _without_sign(fold(_EDGE.sub(" ", "".join(parts)).replace("\0", "")), node)


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
        found[cast(str, node.tag)].append(node)
    return found


def build_tree(root: etree._Element) -> Tree:
    """The flat view of ``root``'s subtree, at most ``LIMITS.nodes`` elements.

    >>> tree = build_tree(etree.HTML("<body><p>One <b>two</b> three</p><p>four</p>"))
    >>> tree.tags, tree.chunks
    (['html', 'body', 'p', 'b', 'p'], ['One ', 'two', ' three', 'four'])
    """
    nodes = list(islice(root.iter("*"), LIMITS.nodes + 1))
    tree = Tree(**vars(_flat(nodes[: LIMITS.nodes])), truncated=len(nodes) > LIMITS.nodes)
    _fill_chunks(tree)
    if sum(map(len, tree.chunks)) > min(LIMITS.text_chars, LIMITS.chunk_chars):
        _shorten_chunks(tree)
    return tree


def _shorten_chunks(tree: Tree) -> None:
    """Shorten chunks to ``LIMITS.chunk_chars``, and to one character if they begin after
    ``LIMITS.text_chars``."""
    whole, most = tree.chunks, LIMITS.chunk_chars
    cut = [
        chunk.lstrip()[:most] if len(chunk) > most else chunk for chunk in whole
    ]  # a million blanks are no chunk
    begins = accumulate(map(len, cut), initial=0)
    tree.chunks = [
        text if at < LIMITS.text_chars else text.lstrip()[:1]
        for text, at in zip(cut, begins, strict=False)
    ]
    tree.truncated |= whole != tree.chunks


def _fill_chunks(tree: Tree) -> None:
    """Fill in chunks, and the range of chunks of each subtree."""
    ends, parents, tree.last = tree.ends, tree.parents, [0] * len(tree)
    texts, tails = tree.texts[:], tree.tails[:]
    for number, tag in enumerate(tree.tags):
        if tag in SILENT:
            end = ends[number]
            texts[number:end] = [None] * (end - number)
            tails[number + 1 : end] = [None] * (end - number - 1)
    add, own, begin, last, count = (
        tree.chunks.append,
        tree.owners.append,
        tree.first.append,
        tree.last,
        0,
    )
    for number, (text, end) in enumerate(zip(texts, ends, strict=True)):
        begin(count)
        if text and not text.isspace():
            add(text)
            own(number)
            count += 1
        if end == number + 1:
            while number >= 0 and ends[number] == end:
                last[number] = count
                closed, number = number, parents[number]
                tail = tails[closed]
                if tail and not tail.isspace():
                    add(tail)
                    own(number)
                    count += 1


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
