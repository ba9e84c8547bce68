"""How the URLs of a page stand to the page's own and to one another: same site, parent, child, sibling, family."""

from __future__ import annotations

from bisect import bisect_left

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
    paths = sorted(f"{t.host}/{t.stem}/" for t in targets)
    family = np.array([_below(paths, t) for t in targets], np.float32)
    rows = np.array([_relation(page, target) for target in targets], np.float32)
    plain = {(t.host, t.path) for t in targets if not t.query}
    variant = np.array([bool(t.query) and (t.host, t.path) in plain for t in targets], np.float32)
    sizes = [np.log1p(family)[:, None], (family / len(targets))[:, None]]
    return np.hstack([rows[:, :10], *sizes, rows[:, 10:], variant[:, None]])


def _below(paths: list[str], target: UrlFacts) -> int:
    """Targets whose path begins with that of ``target``; the root is nobody's parent."""
    if not target.stem:
        return 0
    prefix = f"{target.host}/{target.stem}/"
    return bisect_left(paths, prefix + "\U0010ffff") - bisect_left(paths, prefix + "\x00")


def _relation(page: UrlFacts, target: UrlFacts) -> tuple[float, ...]:
    mine, other = f"{page.stem}/", f"{target.stem}/"
    same = page.host == target.host
    return (
        same,
        page.domain == target.domain,
        same and page.path.rstrip("/") == target.path.rstrip("/") and page.values == target.values,
        same and len(other) < len(mine) and mine.startswith(other),
        same and len(page.folder) > 1 and len(target.path) > len(page.folder) and target.path.startswith(page.folder),
        same and page.folder == target.folder,
        max(-3, min(3, target.depth - page.depth)),
        _common(mine, other) if same else 0,
        page.pattern == target.pattern,
        same and page.shape == target.shape,
        same and target.path.startswith(page.folder),
    )


def _common(one: str, other: str) -> int:
    """Number of leading path parts in common, at most 4."""
    count = 0
    for left, right in zip(one.split("/"), other.split("/"), strict=False):
        if left != right or not left or count == 4:
            break
        count += 1
    return count
