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
    """Number of targets below a host and path; the root is nobody's parent."""
    found: Counter[tuple[str, str]] = Counter()
    for (host, path), count in Counter((t.host, t.stem.rpartition("/")[0]) for t in targets).items():
        while path:
            found[host, path] += count
            path = path.rpartition("/")[0]
    return found


class _Place(NamedTuple):
    """The page, as targets are compared with it: ``above`` are its path parts from the first, a slash after each."""

    facts: UrlFacts
    path: str
    above: list[str]


def _place(page: UrlFacts) -> _Place:
    parts = page.stem.split("/") if page.stem else []
    return _Place(page, page.path.rstrip("/"), ["/".join([*parts[:count], ""]) for count in range(1, len(parts) + 1)])


def _relation(page: _Place, target: UrlFacts) -> tuple[float, ...]:
    """The features that compare one target with the page, in order."""
    host, domain, path, folder, stem, pattern, shape, _, depth, values = target
    own, home, above = page
    deeper = max(-3, min(3, depth - own.depth))
    if host != own.host:
        return (0, domain == own.domain, 0, 0, 0, 0, deeper, 0, pattern == own.pattern, 0, 0)
    inside, below = path.startswith(own.folder), f"{stem}/"
    return (
        1,
        domain == own.domain,
        path.rstrip("/") == home and values == own.values,
        below in above[:-1],
        inside and len(path) > len(own.folder) > 1,
        folder == own.folder,
        deeper,
        _common(above, below),
        pattern == own.pattern,
        shape == own.shape,
        inside,
    )


def _common(above: list[str], path: str) -> int:
    """Number of leading path parts in common, at most 4.

    >>> _common(["a/", "a/b/"], "a/c/"), _common(["a/"], "b/")
    (1, 0)
    """
    count = 0
    for prefix in above[:4]:
        if not path.startswith(prefix):
            break
        count += 1
    return count
