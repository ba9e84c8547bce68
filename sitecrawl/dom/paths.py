"""Tag paths: how a page's elements are reached from its root (Peng and Xie 2017, section 3.1)."""

from __future__ import annotations

from dataclasses import dataclass

from sitecrawl.dom.tree import Tree


@dataclass(frozen=True, slots=True)
class TagPath:
    """P = (m; t1..tn; s1..sm): tags from the root, and the ordinals of its occurrences among the page's link leaves."""

    tags: tuple[str, ...]
    positions: tuple[int, ...]

    @property
    def count(self) -> int:
        """m, how often the path occurs on the page."""
        return len(self.positions)


def node_paths(tree: Tree) -> list[str]:
    """Tag path from the root of every element, ``/``-joined.

    >>> from lxml import etree; from sitecrawl.dom.tree import build_tree
    >>> node_paths(build_tree(etree.HTML("<p><a>x</a></p>")))
    ['html', 'html/body', 'html/body/p', 'html/body/p/a']
    """
    paths: list[str] = []
    for tag, parent in zip(tree.tags, tree.parents, strict=True):
        paths.append(f"{paths[parent]}/{tag}" if parent >= 0 else tag)
    return paths
