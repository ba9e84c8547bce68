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
    return np.column_stack([rows[:, :10], np.log1p(family), family / len(targets), rows[:, 10:], _variants(targets)])


def _variants(targets: list[UrlFacts]) -> Matrix:
    """Targets that are another one with a query added."""
    plain = {(t.host, t.path) for t in targets if not t.query}
    return np.array([t.query != "" and (t.host, t.path) in plain for t in targets], np.float32)


def _below(targets: list[UrlFacts]) -> Counter[tuple[str, str]]:
    """Number of targets below a host and path; the root is nobody's parent."""
    found: Counter[tuple[str, str]] = Counter()
    for (host, path), count in Counter((t.host, t.stem.rpartition("/")[0]) for t in targets).items():
        while path:
            found[host, path] += count
            path = path.rpartition("/")[0]
    return found


def _relation(page: UrlFacts, target: UrlFacts) -> tuple[float, ...]:
    """The features that compare one target with the page, in order."""
    host, domain, path, folder, stem, pattern, shape, _, depth, values = target
    deeper = max(-3, min(3, depth - page.depth))
    if host != page.host:
        return (0, domain == page.domain, 0, 0, 0, 0, deeper, 0, pattern == page.pattern, 0, 0)
    own, place = page.stem, page.folder
    inside = path.startswith(place)
    return (
        1,
        domain == page.domain,
        path.rstrip("/") == page.path.rstrip("/") and values == page.values,
        own.startswith(f"{stem}/"),
        inside and len(path) > len(place) > 1,
        folder == place,
        deeper,
        _common(own, stem) if stem[:1] == own[:1] else 0,
        pattern == page.pattern,
        shape == page.shape,
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
