"""Facts of a URL alone: its parts, its pattern, and small numbers about them. No page, no network."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from math import log1p
from typing import NamedTuple

from sitecrawl.limits import cached
from sitecrawl.links.vocabulary import SEARCH_KEYS, URL_WORDS
from sitecrawl.urls.canonical import ACTIONS, FILES
from sitecrawl.urls.pattern import (
    HTML_EXTENSIONS,
    PAGE_KEYS,
    SCRIPT_EXTENSIONS,
    Steps,
    directories_pattern,
    last_pattern,
    numbers_page,
    split_url,
    steps_of,
    word_number,
)
from sitecrawl.urls.scope import bare_host, registered_domain

URL_KINDS = tuple(URL_WORDS)
_WORD_KIND = {word: URL_KINDS.index(kind) for kind, text in URL_WORDS.items() for word in text.split()}
_ENDING = {"archive": "u_section", "archives": "u_section"}
"""Words that mean another kind at the end of a path: ``/archives/`` is a listing of pages like ``/archives/12.html``."""
_LAST_KIND = _WORD_KIND | {word: URL_KINDS.index(kind) for word, kind in _ENDING.items()}
_NO_KINDS = array("f", [0.0] * len(URL_KINDS))
_PAGING, _FIXED, _FEED = (URL_KINDS.index(kind) for kind in ("u_page", "u_fixed", "u_feed"))
_FOLDERS_OF_PAGES = frozenset(("page", "pages"))  # /page/about is a fixed page although "page" means pagination
_PERSONS = frozenset(
    "author authors user users member members autor autors autore autores auteur auteurs szerzo szerzok".split()
)
"""Folders with one page for each person."""
_DOMAINS = frozenset("com org net edu gov".split())  # what a reference ends in whose author forgot `http://`
_LETTERS, _TOKEN = re.compile(r"[A-Za-z]+"), re.compile(r"[^\W\d_]+")
_DATE = re.compile(
    r"(?:^|/|(?<!\d)(?=\d{4}[/_-]|\d{8}))(?:19[89]\d|20[0-4]\d)[/_-]?(?:0?[1-9]|1[0-2])(?:[/_-]?(?:0?[1-9]|[12]\d|3[01]))?(?!\d)"
)
_DATE_END = re.compile(r"(?:^|/)(?:19[89]\d|20[0-4]\d)(?:[/_-]?\d{1,2}){0,2}$")
_READ = 8  # words of a name that are looked up; a longer one is a slug
_LONGEST_ID = 12  # most digits that count; longer numbers carry no further information


class UrlFacts(NamedTuple):
    """Parts of one URL. ``values`` are numbers in the order of ``URL_FEATURES``; ``key`` is equal for all spellings of the URL.

    ``pattern`` is the host and :func:`sitecrawl.urls.pattern.url_pattern`, ``shape`` blurs the directories as well; ``folder`` is
    the directory of the path, ``above`` that of the page, ``home`` where pages below it would lie: host and path, a slash
    at the end. ``leads`` says that it may be the URL of an article or a section; other links are never followed.
    """

    host: str
    domain: str
    folder: str
    above: str
    home: str
    stem: str
    pattern: str
    shape: str
    depth: int
    values: array[float]
    key: str
    leads: bool


class _Directories(NamedTuple):
    """Facts of the directories of a path. ``names`` has a slash after each, as have ``pattern`` and ``shape``.

    ``dated``: the first is a year. ``persons``: the last holds pages of persons. ``kinds`` are flags of ``URL_KINDS``, ``named`` those that apply
    if the last part of the path is a name and not a number.
    """

    depth: int
    names: str
    pattern: str
    shape: str
    dated: bool
    persons: bool
    kinds: array[float]
    named: array[float]


@cached(4_096)
def url_facts(url: str) -> UrlFacts:
    """Facts of an absolute URL (its fragment is ignored); a URL that cannot be split has empty parts."""
    netloc, path, query = split_url(url)
    host, domain = host_and_domain(netloc)
    key = f"{host}{path}?{query}" if query else f"{host}{path.rstrip('/')}"
    steps = steps_of(path, query)
    stem, path = steps.stem, steps.path
    within = _directories(steps.above)
    words = _letters(stem)
    slugs = len([word for word in words if len(word) > 1]) if stem.isascii() else word_number(stem)
    speaks = _last_kinds(words, steps.keys)
    numbers = _numbers(steps, within, slugs=slugs)
    tail, base = last_pattern(steps, slugs), f"{host}/{within.names}"
    leads = not (numbers["file"] or speaks[_FEED] == 1.0 or within.persons) and ACTIONS.isdisjoint(steps.keys)
    return UrlFacts(
        host,
        domain,
        f"{host}{path if path[-1] == '/' else path[: len(path) - len(steps.last)]}",
        base,
        f"{base}{stem}/" if stem else base,
        within.names + stem,
        f"{host}{within.pattern}{tail}",
        within.shape + tail,
        within.depth + bool(stem),
        array("f", numbers.values()) + speaks + (within.kinds if stem[:1].isdigit() else within.named),
        key,
        leads,
    )


@cached(512)
def host_and_domain(netloc: str) -> tuple[str, str]:
    """Host in lower case and ASCII, without ``www.`` and the usual ports, and its registered domain."""
    host = bare_host(netloc)
    return host, registered_domain(host)


def _numbers(steps: Steps, within: _Directories, *, slugs: int) -> dict[str, float]:
    """The numbers of a URL by name, besides the kinds of its words. A further feature is a line here."""
    stem, extension = steps.stem, steps.extension
    depth = within.depth + bool(stem)
    web, script = extension in HTML_EXTENSIONS, extension in SCRIPT_EXTENSIONS
    date, date_end = _dates(within.names + stem)
    return {
        "depth": depth,
        "slug_words": log1p(slugs),
        "id_digits": min(_LONGEST_ID, len(stem)) if stem.isdigit() else 0,
        "date": date,
        "date_end": date_end,
        "html": web,
        "script": script,
        "file": extension in FILES or extension in _DOMAINS,
        "directory": steps.is_directory,
        "index": bool(steps.last) and stem != steps.last.partition(".")[0],
        "page_number": steps.is_numbered and numbers_page(steps),
        "query_page": not PAGE_KEYS.isdisjoint(steps.keys),
        "root": not depth and not steps.keys,
        "first_depth_date": within.dated or (not within.depth and not extension and _is_year(stem)),
    }


@cached(1_024)
def _directories(path: str) -> _Directories:
    """Facts of the directories of ``path``. Below ``pages/`` a number is a part of a listing, a name is a fixed page.

    >>> _directories("/pages").named[_FIXED], _directories("/page").kinds[_PAGING]
    (1.0, 1.0)
    """
    names = [part for part in path.split("/") if part]
    words = _letters("/".join(names))
    weight = 1.0 if len(words) <= 2 or len(names) > 1 else 1.0 / len(words)
    own = named = _kinds(words[:_READ], weight)
    if names and names[-1].lower() in _FOLDERS_OF_PAGES:
        named = own[:]
        named[_PAGING], named[_FIXED] = 0.0, 1.0
    pattern = directories_pattern(path)
    return _Directories(
        depth=len(names),
        names="".join(f"{name}/" for name in names),
        pattern=pattern,
        shape="".join("#/" if "#" in part else "w/" for part in pattern.split("/") if part),
        dated=bool(names) and _is_year(names[0]),
        persons=bool(names) and names[-1] in _PERSONS,
        kinds=own,
        named=named,
    )


def _letters(text: str) -> list[str]:
    """Runs of letters, in lower case."""
    return _LETTERS.findall(text.lower()) if text.isascii() else _TOKEN.findall(text.lower())


def _last_kinds(words: list[str], keys: list[str]) -> array[float]:
    """Kinds of the last part and of the query; a long slug shows no kind."""
    weight = 1.0 if len(words) <= 2 else 1.0 / len(words)
    return _kinds((*words[:_READ], *keys), weight, fixed=not SEARCH_KEYS.isdisjoint(keys), last=True)


def _kinds(words: Iterable[str], weight: float = 1.0, *, fixed: bool = False, last: bool = False) -> array[float]:
    """One number for every kind of ``URL_WORDS``: ``weight`` if a word indicates it, with ``last`` in the last part of a path."""
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


def _dates(trail: str) -> tuple[bool, bool]:
    """Whether a path without its extension holds a date, and whether it ends in one."""
    if "19" not in trail and "20" not in trail:
        return False, False
    ends = trail[-1].isdigit() and _DATE_END.search(trail) is not None
    return not ends and _DATE.search(trail) is not None, ends


def _is_year(name: str) -> bool:
    return len(name) == 4 and name.isdigit()


URL_FEATURES = (
    *_numbers(steps_of("/"), _directories(""), slugs=0),
    *(f"last_{kind}" for kind in URL_KINDS),
    *(f"dir_{kind}" for kind in URL_KINDS),
)
"""Names of ``UrlFacts.values``."""
