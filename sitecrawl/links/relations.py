"""How the URLs of a page stand to the page's own and to one another: same site, parent, child, sibling, family."""

from __future__ import annotations

from collections import Counter

import numpy as np

from sitecrawl.links.groups import Matrix
from sitecrawl.links.urls import UrlFacts

RELATION_FEATURES = (
    *("same_host", "same_domain", "self", "parent", "child", "sibling", "depth_more", "common", "same_pattern"),
    *("same_shape", "family", "family_share", "same_folder", "variant"),
)


def relation_values(page: UrlFacts, targets: list[UrlFacts]) -> Matrix:
    """Targets x ``RELATION_FEATURES``. A family is the number of other targets below a target's path (as a logarithm):
    a section is a parent of its articles. A variant is another target with a query added (``?share=``, ``?replytocom=``).
    """
    relations = [_relation(page, target) for target in targets]
    kinds = {relation: number for number, relation in enumerate(dict.fromkeys(relations))}
    rows = np.array(list(kinds), np.float32)[[kinds[relation] for relation in relations]]
    below = _below(targets)
    family = np.array([below[t.host, t.stem] if t.stem else 0 for t in targets], np.float32)
    plain = {(t.host, t.path) for t in targets if not t.query}
    variant = np.array([t.query != "" and (t.host, t.path) in plain for t in targets], np.float32)
    return np.column_stack([rows[:, :10], np.log1p(family), family / len(targets), rows[:, 10:], variant])


def _below(targets: list[UrlFacts]) -> Counter[tuple[str, str]]:
    """Number of targets below a host and path; the root is nobody's parent."""
    found: Counter[tuple[str, str]] = Counter()
    for (host, path), count in Counter((t.host, t.stem.rpartition("/")[0]) for t in targets).items():
        while path:
            found[host, path] += count
            path = path.rpartition("/")[0]
    return found


def _relation(page: UrlFacts, target: UrlFacts) -> tuple[float, ...]:
    mine, other = f"{page.stem}/", f"{target.stem}/"
    place, path = page.folder, target.path
    same = page.host == target.host
    inside = same and path.startswith(place)
    return (
        same,
        page.domain == target.domain,
        same and page.path.rstrip("/") == path.rstrip("/") and page.values == target.values,
        same and len(other) < len(mine) and mine.startswith(other),
        inside and len(path) > len(place) > 1,
        same and place == target.folder,
        max(-3, min(3, target.depth - page.depth)),
        _common(mine, other) if same else 0,
        page.pattern == target.pattern,
        same and page.shape == target.shape,
        inside,
    )


def _common(one: str, other: str) -> int:
    """Number of leading path parts in common, at most 4."""
    count = 0
    for left, right in zip(one.split("/"), other.split("/"), strict=False):
        if left != right or not left or count == 4:
            break
        count += 1
    return count
