"""Patterns that ignore case, and rarely match."""

from __future__ import annotations

import re
from collections.abc import Iterator

_DOT = "\u0307"  # stands behind an i that was a capital with a dot, as Turkish has it


class Caseless:
    """A pattern that ignores case. A text is first searched in small letters, in a third of the time:
    few texts hold a match. The pattern has small letters only, and no class in capitals (``\\W``).

    >>> word = Caseless("stand|yayın")
    >>> word.search("Yayinlanma"), word.search("Der STAND")[0], word.search("none")
    (<re.Match object; span=(0, 5), match='Yayin'>, 'STAND', None)
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._exact = re.compile(pattern, re.I)
        self._small = re.compile(pattern.replace("ı", "i"))

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        small = text.lower()
        # an expression that ignores case takes the letters of Turkish for one
        if "ı" in small or _DOT in small:
            small = small.replace(f"i{_DOT}", "i").replace("ı", "i")
        if self._small.search(small) is None:
            return None
        return self._exact.search(text, start)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self._exact.finditer(text) if self.search(text) else iter(())
