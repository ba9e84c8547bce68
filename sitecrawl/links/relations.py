"""How the URLs of a page stand to the page's own and to one another: same site, parent, child, sibling, family."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from sitecrawl.links.groups import Matrix
from sitecrawl.links.urls import UrlFacts

RELATION_FEATURES = (
    *("same_host", "same_domain", "self", "parent", "child", "sibling", "depth_more", "common", "same_pattern"),
    *("same_shape", "family", "family_share", "same_folder", "variant"),
)
_FAMILY, _SHARE, _VARIANT = (RELATION_FEATURES.index(name) for name in ("family", "family_share", "variant"))
_PLAIN_AT = [at for at in range(len(RELATION_FEATURES)) if at not in (_FAMILY, _SHARE, _VARIANT)]
_DEEPEST = 32
"""Levels of a path that are compared; a path with more of them is a trap."""


def relation_values(page: UrlFacts, targets: list[UrlFacts]) -> Matrix:
    """Targets x ``RELATION_FEATURES``. A family is the number of other targets below a target's path (as a logarithm):
    a section is a parent of its articles. A variant is another target with a query added (``?share=``, ``?replytocom=``).
    """
    place = _place(page)
    relations = [_relation(place, target) for target in targets]
    kinds = {relation: number for number, relation in enumerate(dict.fromkeys(relations))}
    below = _below(targets)
    found = np.zeros((len(targets), len(RELATION_FEATURES)), np.float32)
    found[:, _PLAIN_AT] = np.array(list(kinds), np.float32)[[kinds[relation] for relation in relations]]
    found[:, _FAMILY] = [below[target.host, target.stem] if target.stem else 0 for target in targets]
    found[:, _SHARE] = found[:, _FAMILY] / len(targets)
    found[:, _FAMILY] = np.log1p(found[:, _FAMILY])
    if any(target.query for target in targets):
        found[:, _VARIANT] = _variants(targets)
    return found


def _variants(targets: list[UrlFacts]) -> list[bool]:
    """Which targets are another one with a query added."""
    plain = {(t.host, t.path) for t in targets if not t.query}
    return [t.query != "" and (t.host, t.path) in plain for t in targets]


def _below(targets: list[UrlFacts]) -> Counter[tuple[str, str]]:
    """Number of targets below the host and path of a target, so far as they lie ``_DEEPEST`` levels deep at most."""
    known = {(target.host, target.stem) for target in targets}
    found: Counter[tuple[str, str]] = Counter()
    for (host, path), count in Counter((t.host, t.stem.rpartition("/")[0]) for t in targets).items():
        while path and path.count("/") < _DEEPEST:
            if (host, path) in known:
                found[host, path] += count
            path = path.rpartition("/")[0]
    return found


class _Place(NamedTuple):
    """The page, as targets are compared with it: ``paths`` are its first path parts, a slash after each, ``above`` all
    that lie above it.
    """

    facts: UrlFacts
    path: str
    paths: list[str]
    above: frozenset[str]


def _place(page: UrlFacts) -> _Place:
    parts = page.stem.split("/")[:_DEEPEST] if page.stem else []
    paths = ["/".join([*parts[:count], ""]) for count in range(1, len(parts) + 1)]
    return _Place(page, page.path.rstrip("/"), paths[:4], frozenset(paths) - {f"{page.stem}/"})


def _relation(page: _Place, target: UrlFacts) -> tuple[float, ...]:
    """The features that compare one target with the page, in order."""
    host, domain, path, folder, stem, pattern, shape, _, depth, values = target
    own, home, paths, above = page
    deeper = max(-3, min(3, depth - own.depth))
    if host != own.host:
        return (0, domain == own.domain, 0, 0, 0, 0, deeper, 0, pattern == own.pattern, 0, 0)
    inside, below = path.startswith(own.folder), f"{stem}/"
    return (
        1,
        domain == own.domain,
        path.rstrip("/") == home and values == own.values,
        below in above,
        inside and len(path) > len(own.folder) > 1,
        folder == own.folder,
        deeper,
        _common(paths, below),
        pattern == own.pattern,
        shape == own.shape,
        inside,
    )


def _common(paths: list[str], path: str) -> int:
    """Number of leading path parts in common, of those in ``paths``.

    >>> _common(["a/", "a/b/"], "a/c/"), _common(["a/"], "b/")
    (1, 0)
    """
    count = 0
    for prefix in paths:
        if not path.startswith(prefix):
            break
        count += 1
    return count
