"""The words in names of classes and ids, matched whole: ``class_names.json`` is the one vocabulary
of names for all rooms. Its groups say what a word may tell of an element, and where each comes
from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from sitecrawl.limits import Cached, cached
from sitecrawl.resources import table_beside

_TABLE = table_beside(__file__)
_GROUPS: dict[str, dict[str, Any]] = _TABLE["groups"]
HINTS: tuple[str, ...] = tuple(_TABLE["hints"])
"""What names tell of the text in an element. Their order gives the bits, which models know."""
REGIONS: tuple[str, ...] = tuple(_TABLE["regions"])
"""What names tell of the links in an element. Their order gives the bits, which models know."""

_LONGEST = 200  # characters of a class and id that are read
_LONGEST_URL = 2_000  # characters of the URL of a picture that are read
_LONGEST_WORD = 40  # letters of a word that may be a compound
_SHORTEST_PART = 3  # letters of a part of a compound: shorter words are found in many words
_LETTER = r"[^\W\d_A-Z]"
# words of camelCase names, too; few letters directly behind a digit are a part of a hash
_WORD = re.compile(rf"(?<!\d)(?:[A-Z]?{_LETTER}+|[A-Z]+(?!{_LETTER}))|[A-Z]?{_LETTER}{{4,}}")
_LETTERS = re.compile("[a-z]+")
_NUMBER = re.compile(r"\d+")
_HASH = re.compile(r"[A-Za-z0]*0[A-Za-z]{1,3}0[A-Za-z0]*")  # its numbers are written 0
_UTILITY = re.compile(
    r"[][():/=&<>]|^__|^-?(?:[mp][trblxyse]|z|m(?:in|ax)-[wh]|inset|scroll-[mp][trblxyse]?)-[a-z]+$"
)
"""What stands in names of utility frameworks, which are conditions and styles (``pt-header``), and
at the beginning of names that a program gives to its own root."""


def _entries(words: str) -> list[str]:
    """The entries of a list of words; words with hyphens between are one, however they are joined."""
    return words.replace("-", "").split()


_WORDS = {name: frozenset(_entries(group["words"])) for name, group in _GROUPS.items()}
_TELLING = frozenset[str]().union(*_WORDS.values())
_NEUTRAL = frozenset(_entries(_TABLE["neutral"]["words"]))
_PLAIN = frozenset(_entries(_TABLE["plain"]["words"]))
_TAXONOMIES = frozenset(_entries(_TABLE["values"]["taxonomies"]))
_KINDS = frozenset(_entries(_TABLE["values"]["kinds"]))
_KNOWN = _TELLING | _NEUTRAL | _PLAIN | _KINDS
_DENIALS = frozenset(_entries(_TABLE["denials"]["words"]))
_STORED = re.compile(
    r"(?:^|\s)(?:type-[a-z]|status-[a-z]|node--?type-|post-\d"
    r"|(?:h-?entry|post|article|story|node|entry|teaser|card)(?!\S))"
)
"""Classes that systems give to an article; beside them stand the names of its tags."""
_VALUE = re.compile(rf"(?:{'|'.join(sorted(_TAXONOMIES))}|post_tag|product_cat)[-_]")


def words_of(*groups: str) -> frozenset[str]:
    """The words of some groups; raises KeyError for an unknown group."""
    return frozenset[str]().union(*[_WORDS[group] for group in groups])


def bits_by_word(kind: str, names: Iterable[str]) -> dict[str, int]:
    """The bits of each word that tells something of a ``kind``: ``hints`` or ``regions``, whose
    ``names`` are numbered in their order."""
    bit = {name: 1 << number for number, name in enumerate(names)}
    found: dict[str, int] = {}
    for group, told in _GROUPS.items():
        for name in told.get(kind, ()):
            for word in _WORDS[group]:
                found[word] = found.get(word, 0) | bit[name]
    return found


class Words(NamedTuple):
    """The telling words of a name: those with a border on both sides, and the parts of compounds
    without one."""

    whole: tuple[str, ...]
    parts: tuple[str, ...]


_SILENT = Words((), ())
# most names are one word: these are looked up without a call
_ALONE = dict.fromkeys(_KNOWN, _SILENT) | {word: Words((word,), ()) for word in _TELLING}


def words_of_names(names: str) -> Words:
    """The words of the vocabulary in the first 200 characters of ``names`` (a class, an id, or
    both) that tell something.

    >>> words_of_names("comment-list sideBar"), words_of_names("presidente md:sidebar")
    (Words(whole=('comment', 'list', 'sidebar'), parts=()), Words(whole=(), parts=()))
    >>> words_of_names("main-leftmenu")
    Words(whole=('main',), parts=('left', 'menu'))
    """
    if names in _ALONE:
        return _ALONE[names]
    if len(names) > _LONGEST:
        names = names[:_LONGEST].rpartition(" ")[0]
    tokens = _NUMBER.sub("0", names).split()
    if "-" in names and _STORED.search(names):
        tokens = [token for token in tokens if not _VALUE.match(token)]
    found = _words_of_token.each(tokens)
    if len(found) == 1:
        return found[0]
    whole: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    for words in found:
        whole += words.whole
        parts += words.parts
    return Words(whole, parts)


def words_in(names: str) -> tuple[str, ...]:
    """The telling words of names, with the parts of their compounds.

    >>> words_in("mainNav comment-list"), words_in("presidente navarra")
    (('main', 'nav', 'comment', 'list'), ())
    """
    found = words_of_names(names)
    return found.whole + found.parts


def names_one_of(words: frozenset[str]) -> Cached[[str], bool]:
    """A test of names for one of some words, kept for the names asked for last.

    >>> is_author = names_one_of(words_of("by-lines"))
    >>> is_author("post-author"), is_author("authority")
    (True, False)
    """

    def test(names: str) -> bool:
        return not words.isdisjoint(words_in(names))

    return cached(4_096)(test)


def words_of_picture(names: str, url: str) -> set[str]:
    """The words in the class and the URL of a picture.

    >>> sorted(words_of_picture("wp-smiley", "/s/icon-2.png"))
    ['icon', 'png', 's', 'wpsmiley']
    """
    return {*words_in(names), *_LETTERS.findall(url[:_LONGEST_URL].casefold())}


@cached(4_096)
def _words_of_token(token: str) -> Words:
    """The telling words of one name; cached, because many classes share their names."""
    if token in _ALONE:
        return _ALONE[token]
    has_number = "0" in token
    words = _WORD.findall(_HASH.sub("-", token) if has_number else token)
    if not token.islower():
        words = [word.casefold() for word in words]
    if not words or _UTILITY.search(token) or _is_denied(words):
        return _SILENT
    entries = _entries_in(words)
    if words[0] in _TAXONOMIES and _is_value(entries, has_number=has_number):
        return _SILENT
    return _telling(entries)


def _telling(entries: list[str]) -> Words:
    """The telling ones of some words, and the telling parts of compounds among them."""
    whole: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    for entry in entries:
        if entry in _TELLING:
            whole += (entry,)
        elif entry not in _KNOWN:
            parts += _compound(entry)
    return Words(whole, parts) if whole or parts else _SILENT


def _is_denied(words: list[str]) -> bool:
    """Whether a name begins with a denial and says what an element has or has not, not what it is:
    ``no-print`` does not."""
    return words[0] in _DENIALS and "".join(words[:2]) not in _KNOWN


def _is_value(entries: list[str], *, has_number: bool) -> bool:
    """Whether what stands behind the name of a taxonomy is a value: a number, or words that are not
    all known."""
    if len(entries) == 1:
        return has_number
    return any(entry not in _KNOWN and not _parts_of(entry) for entry in entries)


def _entries_in(words: list[str]) -> list[str]:
    """The words of a name, those that are one entry of the vocabulary joined: up to three, of which
    a single letter is not the last. Behind a word for a kind (``type-``, ``format-``) stands a
    value."""
    entries: list[str] = []
    at = 0
    end = len(words)
    while at < end:
        entry = words[at]
        size = 1
        if at + 1 < end:
            pair = entry + words[at + 1]
            triple = pair + words[at + 2] if at + 2 < end else ""
            if triple in _KNOWN and words[at + 2][1:]:
                entry = triple
                size = 3
            elif pair in _KNOWN and words[at + 1][1:]:
                entry = pair
                size = 2
        if entry in _KINDS:
            break
        entries.append(entry)
        at += size
    return entries


def _compound(word: str) -> tuple[str, ...]:
    """The telling parts of a compound without a border.

    >>> _compound("postbody"), _compound("rightmenulist"), _compound("presidente")
    (('post', 'body'), ('right', 'menu', 'list'), ())
    """
    return tuple([part for part in _parts_of(word) if part in _TELLING])


def _parts_of(word: str) -> tuple[str, ...]:
    """The parts of a compound, as few as possible; () unless all are known: a compound with an
    unknown part may be any other word."""
    size = len(word)
    if size > _LONGEST_WORD:
        return ()
    best: dict[int, tuple[str, ...]] = {0: ()}
    for start in range(size - _SHORTEST_PART + 1):
        if start not in best:
            continue
        for stop in range(start + _SHORTEST_PART, size + 1):
            part = word[start:stop]
            if part in _KNOWN and (stop not in best or len(best[stop]) > len(best[start]) + 1):
                best[stop] = (*best[start], part)
    return best.get(size, ())
