"""How much of what the listing pages of a site lead to was found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Completeness:
    """An estimate of how much of what listing pages lead to was found.

    ``found`` counts the articles known, ``expected`` the new ones that the ``left`` listing pages never opened are expected to
    bring, ``others`` the pages never opened whose links promised neither articles nor listings. ``unseen`` is the lower bound of Chao
    (1984, Scandinavian Journal of Statistics 11, page 267) on articles that no opened listing showed, from the numbers of those shown by
    one and by two listings; listings of one site overlap more than random samples do, so it is too low rather than too high.
    """

    found: int = 0
    expected: float = 0.0
    left: int = 0
    others: int = 0
    unseen: float = 0.0
    shown: int = 0
    """Articles that listing pages showed in this run, known ones included."""

    @property
    def share(self) -> float:
        """The estimate, 0..1."""
        return self.found / (self.found + self.expected) if self.found else 1.0


UNKNOWN = Completeness()


def chao(once: int, twice: int) -> float:
    """Chao's estimate, corrected for bias, of the number of kinds that no sample showed, from those shown once and twice.

    >>> chao(10, 4), chao(0, 9)
    (9.0, 0.0)
    """
    return once * (once - 1) / (2 * (twice + 1))
