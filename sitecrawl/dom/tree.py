"""The flat view of a page: elements and text in document order, so that algorithms are loops over lists."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from sitecrawl.limits import LIMITS

SILENT = frozenset(
    "head script style noscript template textarea select iframe svg math object embed canvas audio video".split()
)
"""Elements whose text a reader does not see as text of the page."""


@dataclass(slots=True)
class Tree:
    """Elements numbered in document order; a subtree is the slice ``i:ends[i]``.

    ``chunks`` holds the visible text in reading order, blank ones left out; chunk ``k`` stands directly in
    element ``owners[k]``, and the text of a subtree is ``chunks[first[i]:last[i]]``.
    """

    nodes: list[etree._Element] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    chunks: list[str] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    truncated: bool = False

    def __len__(self) -> int:
        return len(self.nodes)

    def text(self, index: int) -> str:
        """Visible text of a subtree, chunks joined by a blank, white space folded."""
        return " ".join(" ".join(self.chunks[self.first[index] : self.last[index]]).split())

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

    def index(self) -> dict[etree._Element, int]:
        """Number of every element."""
        return {node: number for number, node in enumerate(self.nodes)}


def build_tree(root: etree._Element) -> Tree:
    """The flat view of ``root``'s subtree, at most ``LIMITS.nodes`` elements.

    >>> tree = build_tree(etree.HTML("<body><p>One <b>two</b> three</p><p>four</p>"))
    >>> tree.tags, tree.chunks
    (['html', 'body', 'p', 'b', 'p'], ['One ', 'two', ' three', 'four'])
    """
    tree = Tree()
    here, depth, silent = -1, 0, 0
    nodes, tags, parents, ends = tree.nodes, tree.tags, tree.parents, tree.ends
    first, last, chunks, owners = tree.first, tree.last, tree.chunks, tree.owners
    for event, node in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            tag: Any = node.tag
            parents.append(here)
            here = len(nodes)
            nodes.append(node)
            tags.append(tag)
            ends.append(0)
            tree.depths.append(depth)
            depth += 1
            first.append(len(chunks))
            last.append(0)
            silent += tag in SILENT
            text = node.text
        else:
            ends[here], last[here] = len(nodes), len(chunks)
            silent -= tags[here] in SILENT
            here, depth = parents[here], depth - 1
            text = node.tail
            if len(nodes) >= LIMITS.nodes:
                tree.truncated = True
                break
        if text and not silent and here >= 0 and not text.isspace():
            tree.truncated |= len(text) > LIMITS.chunk_chars
            chunks.append(text[: LIMITS.chunk_chars])
            owners.append(here)
    _close(tree, here)
    return tree


def _close(tree: Tree, here: int) -> None:
    """End the elements still open where a bound cut the walk."""
    while here >= 0:
        tree.ends[here], tree.last[here] = len(tree.nodes), len(tree.chunks)
        here = tree.parents[here]
