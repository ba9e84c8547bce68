"""What many URLs of a page share, read once: the site of a host and what the directories of a path say."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from sitecrawl.links.vocabulary import SECOND_LEVEL, URL_WORDS
from sitecrawl.urls.join import ascii_host

URL_KINDS = tuple(URL_WORDS)
DIGITS = re.compile(r"\d+")
_WORD_KIND = {word: URL_KINDS.index(kind) for kind, text in URL_WORDS.items() for word in text.split()}
_ENDING = {"archive": "u_section", "archives": "u_section"}
"""Words that speak of another kind where they are the last of a path: ``/archives/`` lists what ``/archives/12.html`` is."""
_LAST_KIND = _WORD_KIND | {word: URL_KINDS.index(kind) for word, kind in _ENDING.items()}
_NO_KINDS = array("f", [0.0] * len(URL_KINDS))
_PAGING, _FIXED = URL_KINDS.index("u_page"), URL_KINDS.index("u_fixed")
_FOLDERS_OF_PAGES = frozenset(("page", "pages"))
_PERSONS = frozenset(
    "author authors user users member members autor autors autore autores auteur auteurs szerzo szerzok".split()
)
"""Folders that hold a page a person."""
_LETTERS, _TOKEN = re.compile(r"[A-Za-z]+"), re.compile(r"[^\W\d_]+")
_PLAIN = re.compile(r"https?://([\w.:-]+)(/[^?#\s]*)?(?:\?([^#\s]*))?(?:#|$)", re.ASCII)
"""A URL that needs no general parser: its host, path and query."""
_LITERAL = 24
"""Longer directory names are slugs and stand as such in a pattern."""


class Folder(NamedTuple):
    """What the directories of a path say. ``names`` has a slash after each, as have ``pattern`` and ``shape``.

    ``dated`` tells that the first is a year, ``persons`` that the last holds pages of persons; ``kinds`` are flags of ``URL_KINDS``, ``named`` those where the last part
    of the path is a name rather than a number.
    """

    depth: int
    names: str
    pattern: str
    shape: str
    dated: bool
    persons: bool
    kinds: array[float]
    named: array[float]


def registered_domain(host: str) -> str:
    """The part of a host name that its owner registered, by rule of thumb.

    >>> registered_domain("www.example.com.cn"), registered_domain("m.example.org")
    ('example.com.cn', 'example.org')
    """
    parts = host.split(":")[0].split(".")
    keep = 3 if len(parts) > 2 and parts[-2] in SECOND_LEVEL else 2
    return ".".join(parts[-keep:])


@lru_cache(maxsize=512)
def site(netloc: str) -> tuple[str, str]:
    """Host in lower case and ASCII, and its registered domain."""
    host = ascii_host(netloc)
    return host, registered_domain(host)


def split(url: str) -> tuple[str, str, str]:
    """Network location, path and query as ``urllib.parse.urlsplit`` has them; the path is a slash at least.

    >>> split("http://a.org?b=c#d"), split("http://[")
    (('a.org', '/', 'b=c'), ('', '/', ''))
    """
    plain = _PLAIN.match(url)
    if plain:
        netloc, path, query = plain.groups("")
        return netloc, path or "/", query
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", "/", ""
    return parts.netloc, parts.path or "/", parts.query


def letters(text: str) -> list[str]:
    """Runs of letters, in lower case."""
    return _LETTERS.findall(text.lower()) if text.isascii() else _TOKEN.findall(text.lower())


def kinds(words: Iterable[str], weight: float = 1.0, fixed: bool = False, last: bool = False) -> array[float]:
    """One number for every kind of ``URL_WORDS``: ``weight`` where a word, of the ``last`` part of a path or not, speaks of it."""
    if not fixed and _WORD_KIND.keys().isdisjoint(words):
        return _NO_KINDS
    known = _LAST_KIND if last else _WORD_KIND
    found = _NO_KINDS[:]
    for word in words:
        if word in known:
            found[known[word]] = weight
    if fixed:
        found[_FIXED] = weight
    return found


@lru_cache(maxsize=1_024)
def folder(path: str) -> Folder:
    """Facts of the directories of ``path``. Below ``pages/`` a number is a part of a listing, a name is a fixed page.

    >>> folder("/pages").named[_FIXED], folder("/page").kinds[_PAGING], folder("/news/2019").pattern
    (1.0, 1.0, '/news/#/')
    """
    names = [part for part in path.split("/") if part]
    words = letters("/".join(names))
    weight = 1.0 if len(words) <= 2 or len(names) > 1 else 1.0 / len(words)
    own = named = kinds(words[:8], weight)
    if names and names[-1].lower() in _FOLDERS_OF_PAGES:
        named = own[:]
        named[_PAGING], named[_FIXED] = 0.0, 1.0
    parts = [blur(part) for part in names]
    return Folder(
        depth=len(names),
        names="".join(f"{name}/" for name in names),
        pattern="".join(["/", *(f"{part}/" for part in parts)]),
        shape="".join("#/" if "#" in part else "w/" for part in parts),
        dated=bool(names) and is_year(names[0]),
        persons=bool(names) and names[-1] in _PERSONS,
        kinds=own,
        named=named,
    )


def is_year(name: str) -> bool:
    """Whether a name is four digits.

    >>> is_year("2019"), is_year("news")
    (True, False)
    """
    return len(name) == 4 and name.isdigit()


def blur(part: str) -> str:
    """A directory name with digits blurred; long names are slugs.

    >>> blur("2019"), blur("news"), blur("a-long-slug-of-many-words-here")
    ('#', 'news', '*')
    """
    return "*" if len(part) > _LITERAL else DIGITS.sub("#", part)
