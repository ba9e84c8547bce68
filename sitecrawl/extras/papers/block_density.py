"""Block density H(b) of Wang 2018, section 5.2: blocks are containers, scored by their text and links, and one rule for a cluster of pages.

Algorithm 2: the best block of every page of a cluster, sums of H(b) by tag path over its pages, and for the path of greatest sum one rule:
an id, else a class that is unique on the page, else the path. Clusters are made elsewhere (``templates.cluster``).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sitecrawl.dom.blocks import Floats
from sitecrawl.dom.tree import Tree
from sitecrawl.extract.ensemble import Selection, selection
from sitecrawl.extract.features import View
from sitecrawl.extras.papers.densities import Counts, body_of, counts_of

_CONTAINERS = frozenset(("div", "table", "td", "article", "section", "main", "body"))
_ALPHA = 0.01
"""Weight a of a container's size in elements."""
_SHARE = 0.5
"""Link share of a run of text inside the best container above which it is left out."""
CLUSTER = 6
"""Pages of the smallest cluster that gets a rule: more than five (section 5.2)."""
_AGREE = 0.5
"""Share of the best blocks on the winning path that must carry an id or class; the paper does not say, so it is our choice."""


@dataclass(frozen=True, slots=True)
class BestBlock:
    """The best block of a page: its tag path from the root, its id, its classes that are unique on the page, and its H(b)."""

    path: tuple[str, ...]
    ident: str
    classes: tuple[str, ...]
    density: float


@dataclass(frozen=True, slots=True)
class Rule:
    """Where the pages of a cluster hold their text: ``kind`` is id, class or path, ``value`` the name, or the path with slashes."""

    kind: str
    value: str


def block_density(counts: Counts, body: int) -> Floats:
    """H(b) = p_text * p_textl * (1 - p_link) / (1 + a * size), an array over elements.

    p_text = T/(1 + T_doc) with T the text outside links, p_textl = T/(1 + T_all) with T_all all text of the block, and
    p_link = l/(1 + l_doc) the block's share of the page's links, used as the words of the paper say: links are bad.
    """
    text = counts.chars - counts.link_chars
    whole, links = text[body], counts.link_tags[body]
    p_text = text / (1 + whole)
    p_textl = text / (1 + counts.chars)
    p_link = counts.link_tags / (1 + links)
    density: Floats = p_text * p_textl * (1 - p_link) / (1 + _ALPHA * counts.tags)
    return density


def extract_block_density(view: View) -> Selection:
    """The container of greatest H(b), without its runs of text that are mostly links."""
    return _inside(view, int(_scores(view).argmax()) if len(view.tree) else 0)


def best_block(view: View) -> BestBlock:
    """The block of greatest H(b) of a page. Raises ValueError on a page without elements."""
    tree, scores = view.tree, _scores(view)
    best = int(scores.argmax())
    node = tree.nodes[best]
    classes = dict.fromkeys((node.get("class") or "").split())
    unique = tuple(name for name in classes if len(tree.named.get("." + name, ())) == 1)
    return BestBlock(_path(tree, best), node.get("id") or "", unique, float(scores[best]))


def cluster_rule(found: Sequence[BestBlock]) -> Rule | None:
    """The rule of a cluster from the best blocks of its pages (Algorithm 2); None for fewer than ``CLUSTER`` pages."""
    if len(found) < CLUSTER:
        return None
    sums: dict[tuple[str, ...], float] = defaultdict(float)
    for block in found:
        sums[block.path] += block.density
    path = max(sums, key=lambda one: (sums[one], one))
    there = [block for block in found if block.path == path]
    ident = _common([block.ident] for block in there)
    if ident:
        return Rule("id", ident)
    name = _common(block.classes for block in there)
    return Rule("class", name) if name else Rule("path", "/".join(path))


def extract_by_rule(view: View, rule: Rule) -> Selection:
    """The text of the block that ``rule`` names; where the page has none, or more than one of a class, its own best block."""
    found = _matches(view.tree, rule)
    if not found or (rule.kind != "path" and len(found) > 1):
        return extract_block_density(view)
    scores = _scores(view)
    return _inside(view, max(found, key=lambda at: (scores[at], -at)))


def _scores(view: View) -> Floats:
    """H(b) of every container of a page; -1 for the other elements."""
    scores = block_density(counts_of(view), body_of(view.tree))
    scores[[tag not in _CONTAINERS for tag in view.tree.tags]] = -1.0
    return scores


def _inside(view: View, best: int) -> Selection:
    """The runs of text below an element but those that are mostly links."""
    blocks = view.blocks
    if not len(blocks):
        return selection(view, np.zeros(0), np.zeros(0, bool))
    inside = (blocks.owner >= best) & (blocks.owner < view.tree.ends[best])
    kept = inside & (blocks.link_chars <= _SHARE * np.maximum(blocks.chars, 1))
    return selection(view, kept.astype(np.float64), kept)


def _path(tree: Tree, at: int) -> tuple[str, ...]:
    return tuple(tree.tags[number] for number in reversed([at, *tree.ancestors(at)]))


def _common(names: Iterable[Iterable[str]]) -> str:
    """The name that most of the blocks carry, "" where fewer than ``_AGREE`` of them do."""
    lists = [list(one) for one in names]
    counts = Counter(name for one in lists for name in one if name)
    best = max(counts, key=lambda name: (counts[name], name), default="")
    return best if counts[best] >= _AGREE * len(lists) else ""


def _matches(tree: Tree, rule: Rule) -> list[int]:
    """Numbers of the elements that a rule names."""
    if rule.kind != "path":
        return tree.named.get(("#" if rule.kind == "id" else ".") + rule.value, [])
    steps = rule.value.split("/")
    on = [False] * len(tree)
    for number, (tag, parent, depth) in enumerate(zip(tree.tags, tree.parents, tree.depths, strict=True)):
        on[number] = depth < len(steps) and tag == steps[depth] and (parent < 0 or on[parent])
    return [number for number, depth in enumerate(tree.depths) if on[number] and depth == len(steps) - 1]
