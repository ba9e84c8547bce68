"""A part of a page as lists, read from lxml at once: to render it is a loop over numbers, not a walk that makes an object of every element again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from operator import attrgetter
from typing import TypeVar, cast

from lxml import etree

from sitecrawl.dom.tree import SILENT, child_counts
from sitecrawl.text.chars import fold

_STRING = etree.XPath("string()", smart_strings=False)
_TAG, _TEXT, _TAIL = attrgetter("tag"), attrgetter("text"), attrgetter("tail")
T = TypeVar("T")
_USUAL = (
    "html head body p div span section article main header footer nav aside form center dl dt dd ul ol li table tbody thead "
    "tr td th h1 h2 h3 h4 h5 h6 blockquote figure figcaption pre hr img script style link meta input label button"
).split()
"""Tags that nearly all pages are made of: what a table holds is found many times faster than what it does not."""


class ByTag(dict[str, T]):
    """What is known of tags, ``other`` of those that are not listed."""

    def __init__(self, known: Mapping[str, T], other: T) -> None:
        super().__init__(dict.fromkeys(_USUAL, other) | dict(known))
        self.other = other

    def __missing__(self, tag: str) -> T:
        return self.other


@dataclass
class Flat:
    """Elements in document order with their tags, texts and tails; a subtree is the slice ``i:ends[i]``. The first has no tail."""

    nodes: list[etree._Element]
    tags: list[str]
    texts: list[str | None]
    tails: list[str | None]
    children: list[int]
    ends: list[int]

    @cached_property
    def _sums(self) -> tuple[list[int], list[int]]:
        """Characters of the texts, and of the tails, before each element."""
        sizes = [[0, *[len(text) if text else 0 for text in texts]] for texts in (self.texts, self.tails)]
        return list(accumulate(sizes[0])), list(accumulate(sizes[1]))

    def steps(
        self, skip: Collection[etree._Element] = (), mute: Collection[etree._Element] = ()
    ) -> tuple[list[int], set[int]]:
        """The way of a walk, and the elements that it does not enter: silent ones and those in ``skip``.

        ``i`` opens an element, ``~i`` closes it; one that is not entered is only closed. Texts right in elements of ``mute`` are taken out.
        """
        nodes, ends, hidden = self.nodes, self.ends, self._hidden(skip)
        if mute:
            self._silence(mute)
        way, above, at, size = list[int](), list[int](), 0, len(nodes)
        add, push, pop = way.append, above.append, above.pop
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
        return way, hidden

    def kinds(self, table: ByTag[int], hidden: Iterable[int], kind: int) -> list[int]:
        """What a table says of every element, and ``kind`` of those that are hidden."""
        found = list(map(table.__getitem__, self.tags))
        for at in hidden:
            found[at] = kind
        return found

    def text(self, at: int, least: int, most: int) -> str:
        """All text of a subtree, silent elements included, white space folded; empty unless it has ``least`` to ``most`` characters."""
        end = self.ends[at]
        sums, after = self._sums
        size = sums[end] - sums[at] + after[end] - after[at + 1]
        if not least <= size <= most:
            return ""
        return fold(self.texts[at] if end == at + 1 else cast(str, _STRING(self.nodes[at])))

    def _hidden(self, skip: Collection[etree._Element]) -> set[int]:
        found = {at for at, tag in enumerate(self.tags) if tag in SILENT}
        if skip:
            found.update([at for at, node in enumerate(self.nodes) if node in skip])
        return found

    def _silence(self, mute: Collection[etree._Element]) -> None:
        for at in [at for at, node in enumerate(self.nodes) if node in mute]:
            self.texts[at], child = None, at + 1
            while child < self.ends[at]:
                self.tails[child], child = None, self.ends[child]


Walked = tuple[Flat, list[int], set[int]]
"""A part of a page with the steps through it."""


def flatten(root: etree._Element) -> Flat:
    """The lists of a subtree.

    >>> flat = flatten(etree.HTML("<body><p>one <b>two</b> three</p><script>four</script>"))
    >>> flat.tags, flat.tails, flat.ends
    (['html', 'body', 'p', 'b', 'script'], [None, None, None, ' three', None], [5, 5, 4, 4, 5])
    >>> flat.steps()
    ([0, 1, 2, 3, -4, -3, -5, -2, -1], {4})
    """
    nodes = list(root.iter("*"))
    children, tails = child_counts(nodes), list(map(_TAIL, nodes))
    tails[0] = None
    return Flat(nodes, list(map(_TAG, nodes)), list(map(_TEXT, nodes)), tails, children, _ends(children))


def _ends(children: list[int]) -> list[int]:
    """Where subtrees end: from the back, the children of an element are the last that were met."""
    ends, open_ = [0] * len(children), list[int]()
    for at in range(len(children) - 1, -1, -1):
        count = children[at]
        if count:
            end = open_[-count]
            del open_[-count:]
        else:
            end = at + 1
        ends[at] = end
        open_.append(end)
    return ends
