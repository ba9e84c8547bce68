"""Facts of a URL alone: its parts, its pattern, and small numbers about them. No page, no
network."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from math import log1p
from struct import Struct
from typing import NamedTuple

from sitecrawl.limits import cached
from sitecrawl.links.vocabulary import PERSONS, SEARCH_KEYS, URL_WORDS
from sitecrawl.urls.actions import ACTIONS
from sitecrawl.urls.canonical import FILES
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
_WORD_KIND = {
    word: URL_KINDS.index(kind) for kind, text in URL_WORDS.items() for word in text.split()
}
_ENDING = {"archive": "u_section", "archives": "u_section"}
"""Words that mean another kind at the end of a path: ``/archives/`` is a listing of pages like
``/archives/12.html``."""
_LAST_KIND = _WORD_KIND | {word: URL_KINDS.index(kind) for word, kind in _ENDING.items()}
_NO_KINDS = array("f", [0.0] * len(URL_KINDS))
_PAGING, _FIXED, _FEED = (URL_KINDS.index(kind) for kind in ("u_page", "u_fixed", "u_feed"))
_FOLDERS_OF_PAGES = frozenset(
    ("page", "pages")
)  # /page/about is a fixed page although "page" means pagination
_DOMAINS = frozenset(
    "com org net edu gov".split()
)  # what a reference ends in whose author forgot `http://`
_LETTERS, _TOKEN = re.compile(r"[A-Za-z]+"), re.compile(r"[^\W\d_]+")
_DATE = re.compile(
    r"(?:^|/|(?<!\d)(?=\d{4}[/_-]|\d{8}))(?:19[89]\d|20[0-4]\d)[/_-]?(?:0?[1-9]|1[0-2])(?:[/_-]?(?:0?[1-9]|[12]\d|3[01]))?(?!\d)"
)
_DATE_END = re.compile(r"(?:^|/)(?:19[89]\d|20[0-4]\d)(?:[/_-]?\d{1,2}){0,2}$")
_READ_WORDS = 8  # words of a name that are looked up; a longer one is a slug
_LONGEST_ID = 12  # most digits that count; longer numbers carry no further information
_NUMBERS = (
    *(
        "depth",
        "slug_words",
        "id_digits",
        "date",
        "date_end",
        "html",
        "script",
        "file",
        "directory",
        "index",
    ),
    *("page_number", "query_page", "root", "first_depth_date"),
)
_PACK = Struct(f"{len(_NUMBERS)}f").pack


class _Directories(NamedTuple):
    """Facts of the host and the directories of a URL. ``names`` are the names of the directories, a
    slash after each. ``base`` is the host with
    ``names``, ``pattern`` the host with their blurred form.

    ``dated``: the first name is a year. ``has_date``: the names hold a date. ``persons``: the last
    directory holds pages of persons. ``kinds`` are flags of ``URL_KINDS``, ``named`` those that
    apply if the last part of the path is a name and not a number."""

    host: str
    domain: str
    depth: int
    names: str
    base: str
    pattern: str
    dated: bool
    has_date: bool
    persons: bool
    kinds: array[float]
    named: array[float]


class UrlFacts(NamedTuple):
    """Parts of one URL. ``packed`` are numbers in the order of ``URL_FEATURES``, in single
    precision; ``key`` is equal for all spellings of the URL.

    ``pattern`` is the host and :func:`sitecrawl.urls.pattern.url_pattern`; ``above`` is the
    directory of the page, ``home`` where pages below it would
    lie: host and path, a slash at the end; ``name`` is the page's, without extension. ``leads``: it
    may be an article or a section; others are not followed.
    """

    host: str
    domain: str
    above: str
    home: str
    pattern: str
    packed: bytes
    key: str
    leads: bool
    path: str
    name: str
    within: _Directories

    @property
    def values(self) -> memoryview[float]:
        """The numbers of the URL, by ``URL_FEATURES``."""
        return memoryview(self.packed).cast("f")

    @property
    def folder(self) -> str:
        """Host and directory of the path as written: an index file lies in its folder."""
        return self.host + self.path[: self.path.rfind("/") + 1]

    @property
    def stem(self) -> str:
        """Directories and name of the page, without extension."""
        return self.within.names + self.name

    @property
    def shape(self) -> str:
        """The path of the pattern with its directories blurred as well."""
        names = self.within.pattern[len(self.host) :].split("/")
        blurred = "".join("#/" if "#" in name else "w/" for name in names if name)
        return blurred + self.pattern[len(self.within.pattern) :]


@cached(4_096)
def url_facts(url: str) -> UrlFacts:
    """Facts of an absolute URL (its fragment is ignored); a URL that cannot be split has empty
    parts."""
    netloc, path, query = split_url(url)
    steps = steps_of(path, query)
    within = _directories(netloc, steps.above)
    stem = steps.stem
    words = [] if stem.isdigit() else _letters(stem)
    slugs = len([word for word in words if len(word) > 1]) if stem.isascii() else word_number(stem)
    kinds = _kinds_of_name(words, steps.keys)
    is_file = steps.extension in FILES or steps.extension in _DOMAINS
    leads_nowhere = is_file or kinds[_FEED] == 1.0 or within.persons
    numbers = _packed(steps, within, slugs=slugs, is_file=is_file)
    kinds_above = within.kinds if stem[:1].isdigit() else within.named
    return UrlFacts(
        host=within.host,
        domain=within.domain,
        above=within.base,
        home=f"{within.base}{stem}/" if stem else within.base,
        pattern=within.pattern + last_pattern(steps, slugs),
        packed=numbers + kinds + kinds_above,
        key=f"{within.host}{path}?{query}" if query else f"{within.host}{path.rstrip('/')}",
        leads=not leads_nowhere and ACTIONS.isdisjoint(steps.keys),
        path=steps.path,
        name=stem,
        within=within,
    )


def _kinds_of_name(words: Sequence[str], keys: Sequence[str]) -> array[float]:
    """The flags of ``URL_KINDS`` for the name of a page and the keys of its query. A long slug shows
    no kind; a search is a fixed page."""
    weight = 1.0 if len(words) <= 2 else 1.0 / len(words)
    kinds = _kinds([*words[:_READ_WORDS], *keys], weight, known=_LAST_KIND)
    if keys and not SEARCH_KEYS.isdisjoint(keys):
        kinds = kinds[:]
        kinds[_FIXED] = weight
    return kinds


def _packed(steps: Steps, within: _Directories, *, slugs: int, is_file: bool) -> bytes:
    """The numbers of ``_NUMBERS`` in single precision."""
    stem = steps.stem
    extension = steps.extension
    depth = within.depth + bool(stem)
    has_date, ends_in_date = within.has_date, False
    if steps.is_numbered:
        has_date, ends_in_date = _dates(within.names + stem)
    begins_with_year = within.dated
    if not within.depth and not extension:
        begins_with_year = begins_with_year or _is_year(stem)
    is_index = bool(steps.last) and stem != steps.last.partition(".")[0]
    return _PACK(
        depth,
        log1p(slugs),
        min(_LONGEST_ID, len(stem)) if stem.isdigit() else 0,
        has_date,
        ends_in_date,
        extension in HTML_EXTENSIONS,
        extension in SCRIPT_EXTENSIONS,
        is_file,
        steps.is_directory,
        is_index,
        steps.is_numbered and numbers_page(steps),
        not PAGE_KEYS.isdisjoint(steps.keys),
        not depth and not steps.keys,
        begins_with_year,
    )


@cached(512)
def host_and_domain(netloc: str) -> tuple[str, str]:
    """Host in lower case and ASCII, without ``www.`` and the usual ports, and its registered
    domain."""
    host = bare_host(netloc)
    return host, registered_domain(host)


@cached(1_024)
def _directories(netloc: str, path: str) -> _Directories:
    """Facts of a host and the directories of ``path``. Below ``pages/`` a number is a part of a
    listing, a name is a fixed page.

    >>> _directories("a.org", "/pages").named[_FIXED], _directories("a.org", "/page").kinds[_PAGING]
    (1.0, 1.0)
    """
    host, domain = host_and_domain(netloc)
    names = [part for part in path.split("/") if part]
    text = "/".join(names)
    words, trail = _letters(text), f"{text}/" if names else ""
    weight = 1.0 if len(words) <= 2 or len(names) > 1 else 1.0 / len(words)
    own = named = _kinds(words[:_READ_WORDS], weight, known=_WORD_KIND)
    if names and names[-1].lower() in _FOLDERS_OF_PAGES:
        named = own[:]
        named[_PAGING], named[_FIXED] = 0.0, 1.0
    return _Directories(
        host,
        domain,
        depth=len(names),
        names=trail,
        base=f"{host}/{trail}",
        pattern=host + directories_pattern(path),
        dated=bool(names) and _is_year(names[0]),
        has_date=_dates(trail)[0],
        persons=bool(names) and names[-1] in PERSONS,
        kinds=own,
        named=named,
    )


def _letters(text: str) -> list[str]:
    """Runs of letters, in lower case."""
    return _LETTERS.findall(text.lower()) if text.isascii() else _TOKEN.findall(text.lower())


def _kinds(words: Sequence[str], weight: float, *, known: dict[str, int]) -> array[float]:
    """One number for every kind of ``URL_WORDS``: ``weight`` if one of the words indicates it."""
    found = _NO_KINDS
    for word in words:
        if word in known:
            if found is _NO_KINDS:
                found = _NO_KINDS[:]
            found[known[word]] = weight
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
    *_NUMBERS,
    *(f"last_{kind}" for kind in URL_KINDS),
    *(f"dir_{kind}" for kind in URL_KINDS),
)
"""Names of ``UrlFacts.values``."""
