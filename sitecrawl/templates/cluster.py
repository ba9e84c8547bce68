"""Grouping pages by what they are built like, online: a page joins the likest group or opens one (Wang et al. 2018)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from sitecrawl.dom.align import similarity

THRESHOLD = 0.82
"""Share of common block paths from which two pages are of one template; alternatives are measured in docs/research/methods.md."""


@dataclass(slots=True)
class Cluster:
    """A group of ``size`` pages with the number of pages that have each path."""

    counts: Counter[int] = field(default_factory=Counter)
    size: int = 0
    _core: tuple[int, frozenset[int]] = (0, frozenset())

    def add(self, paths: frozenset[int]) -> None:
        self.counts.update(paths)
        self.size += 1

    @property
    def core(self) -> frozenset[int]:
        """Paths of at least half of the pages; counted anew when a page came."""
        if self._core[0] != self.size:
            self._core = self.size, frozenset(path for path, count in self.counts.items() if 2 * count >= self.size)
        return self._core[1]


def group(signatures: Sequence[frozenset[int]], threshold: float = THRESHOLD) -> list[list[int]]:
    """Numbers of the pages of every group, largest group first.

    >>> a, b = frozenset(range(10)), frozenset(range(5, 30))
    >>> group([a, b, a])
    [[0, 2], [1]]
    """
    clusters: list[tuple[Cluster, list[int]]] = []
    for number, paths in enumerate(signatures):
        scored = [(similarity(paths, cluster.core), -at) for at, (cluster, _) in enumerate(clusters)]
        best = max(scored, default=(0.0, 0))
        if best[0] < threshold:
            clusters.append((Cluster(), []))
            best = (1.0, 1 - len(clusters))
        clusters[-best[1]][0].add(paths)
        clusters[-best[1]][1].append(number)
    return sorted((members for _, members in clusters), key=lambda members: (-len(members), members[0]))
