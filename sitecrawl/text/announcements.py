"""What a short text announces: the comments of readers, or other stories."""

from __future__ import annotations

import re
from collections import defaultdict

from sitecrawl.limits import cached
from sitecrawl.resources import table_beside

_TABLE: dict[str, list[str]] = table_beside(__file__)
"""Phrases that announce comments (``comments``) or other stories (``others``): what news sites in
some thirty languages write, lower case."""
COMMENTS, STORIES = range(2)  # what a label announces
_FIRST_WORD = re.compile(r"\W*(?:\d+\W*)?([^\W\d_]+)")  # also after a number, as in "3 comments"


def _by_opening() -> dict[str, list[tuple[str, int]]]:
    """Phrases and what they announce, by their first word; phrases of scripts without blanks by
    their first two letters."""
    found: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for kind, phrases in ((COMMENTS, _TABLE["comments"]), (STORIES, _TABLE["others"])):
        for phrase in phrases:
            # the sign of a vowel is no letter, nor is the dot of a Turkish capital in small letters
            word = _FIRST_WORD.match(phrase)
            by_letters = phrase[0] > "\u3000" or phrase[1] == "\u0307"
            key = phrase[:2] if by_letters or word is None else word[1]
            found[key].append((phrase, kind))
    return dict(found)


_PHRASES = _by_opening()


@cached(4_096)
def label_kind(text: str) -> int | None:
    """What a short text announces: ``COMMENTS``, other ``STORIES``, or None.

    >>> [label_kind(text) for text in ("12 Comments:", "Read also: a bridge", "相关阅读", "Commented out")]
    [0, 1, 1, None]
    """
    match = _FIRST_WORD.match(text)
    if match is None:
        return None
    word = match[1].casefold()
    phrases = _PHRASES.get(word) or _PHRASES.get(word[:2])
    if not phrases:
        return None
    rest = text[match.start(1) :].casefold()
    return next((kind for phrase, kind in phrases if rest.startswith(phrase)), None)
