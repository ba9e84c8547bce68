"""What a URL says by itself: its parts, its shape, and small numbers about them. No page, no network."""

from __future__ import annotations

import re
from array import array
from functools import lru_cache
from math import log1p
from typing import NamedTuple
from urllib.parse import unquote

from sitecrawl.links.folders import DIGITS, URL_KINDS, folder, is_year, kinds, letters, site, split
from sitecrawl.links.vocabulary import HTML_EXTENSIONS, INDEX_STEMS, PAGE_KEYS, SCRIPT_EXTENSIONS, SEARCH_KEYS

URL_FEATURES = (
    *("depth", "slug_words", "id_digits", "date", "date_end", "html", "script", "file", "directory", "index"),
    *("page_number", "query_page", "root", "first_depth_date"),
    *(f"last_{kind}" for kind in URL_KINDS),
    *(f"dir_{kind}" for kind in URL_KINDS),
)
_DATE = re.compile(
    r"(?:^|/|(?<!\d)(?=\d{4}[/_-]|\d{8}))(?:19[89]\d|20[0-4]\d)[/_-]?(?:0?[1-9]|1[0-2])(?:[/_-]?(?:0?[1-9]|[12]\d|3[01]))?(?!\d)"
)
_DATE_END = re.compile(r"(?:^|/)(?:19[89]\d|20[0-4]\d)(?:[/_-]?\d{1,2}){0,2}$")
_PAGE = re.compile(r"(?:^|/)(?:page|index|list|default|pages|p|pg|seite|pagina)[-_/]?\d{1,5}(?:\.\w{2,5})?/?$", re.I)
_SLUG = re.compile(r"[A-Za-z]{2,}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}|[^\W\d_]{2,}")
_TAIL = 24
"""Characters at the end of a path that can number a page."""
_FEED = URL_KINDS.index("u_feed")
_ACTIONS = frozenset(("share", "replytocom"))
"""Keys of queries that do something with a page rather than name one."""
_DIRECTORY_EXTENSIONS = HTML_EXTENSIONS | SCRIPT_EXTENSIONS | {""}


class UrlFacts(NamedTuple):
    """Parts of one URL. ``values`` are numbers in the order of ``URL_FEATURES``; ``key`` is what its spellings share.

    ``pattern`` keeps directory names and blurs the last part (``/news/#.html``), ``shape`` blurs every part; ``folder`` is
    the directory of the path, ``above`` that of the page, ``home`` where pages below it would lie: host and path, a slash
    at the end. ``leads`` tells that it may be the URL of an article or a section.
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


@lru_cache(maxsize=4_096)
def url_facts(url: str) -> UrlFacts:
    """Facts of an absolute URL (its fragment is ignored); a URL that cannot be split has empty parts."""
    netloc, path, query = split(url)
    host, domain = site(netloc)
    key = f"{host}{path}?{query}" if query else f"{host}{path.rstrip('/')}"
    path = unquote(path) if "%" in path else path
    above, _, last = path.rstrip("/").rpartition("/")
    directory = path[-1] == "/"
    stem, extension = (last, "") if directory else _extension(last)
    place = f"{host}{path}" if directory else f"{host}{path[: len(path) - len(last)]}"
    if stem.lower() in INDEX_STEMS and not query and extension in _DIRECTORY_EXTENSIONS:
        above, _, stem = above.rstrip("/").rpartition("/")
        directory, extension = True, ""
    within = folder(above)
    keys = [pair.partition("=")[0].lower() for pair in query.split("&") if pair] if query else []
    numbered, words = DIGITS.search(stem) is not None, letters(stem)
    depth, trail = within.depth + bool(stem), within.names + stem
    slugs = len([word for word in words if len(word) > 1] if stem.isascii() else _SLUG.findall(stem))
    tail = _class(stem, slugs, numbered) + (f".{extension}" if extension else "") + _key_names(keys)
    numbers_page = numbered and _PAGE.search(path, len(path) - _TAIL) is not None
    files = _file_values(extension)
    own = (
        *(depth, log1p(slugs), min(12, len(stem)) if stem.isdigit() else 0, *_dates(trail), *files, directory),
        *(bool(last) and stem != last.partition(".")[0], numbers_page),
        *(not PAGE_KEYS.isdisjoint(keys), not depth and not query),
        within.dated or (not within.depth and not extension and is_year(stem)),
    )
    speaks = _last_kinds(words, keys)
    values = array("f", own) + speaks + (within.kinds if stem[:1].isdigit() else within.named)
    base = f"{host}/{within.names}"
    leads = not (files[2] or speaks[_FEED] == 1.0 or within.persons) and _ACTIONS.isdisjoint(keys)
    return UrlFacts(
        *(host, domain, place, base, f"{base}{stem}/" if stem else base, trail, f"{host}{within.pattern}{tail}"),
        *(within.shape + tail, depth, values, key, leads),
    )


def _extension(last: str) -> tuple[str, str]:
    stem, dot, extension = last.rpartition(".")
    return (stem, extension.lower()) if dot and stem and len(extension) <= 5 and extension.isalnum() else (last, "")


def _dates(trail: str) -> tuple[bool, bool]:
    """Whether a path without its extension holds a date, and whether it ends in one."""
    if "19" not in trail and "20" not in trail:
        return False, False
    ends = trail[-1].isdigit() and _DATE_END.search(trail) is not None
    return not ends and _DATE.search(trail) is not None, ends


def _file_values(extension: str) -> tuple[bool, bool, bool]:
    web, script = extension in HTML_EXTENSIONS, extension in SCRIPT_EXTENSIONS
    return web, script, bool(extension) and not web and not script


def _last_kinds(words: list[str], keys: list[str]) -> array[float]:
    """Kinds of the last part and the query; a long slug says nothing about its kind."""
    weight = 1.0 if len(words) <= 2 else 1.0 / len(words)
    return kinds((*words[:8], *keys), weight, not SEARCH_KEYS.isdisjoint(keys), last=True)


def _key_names(keys: list[str]) -> str:
    return "?" + "&".join(sorted(set(keys))) if keys else ""


def _class(stem: str, words: int, numbered: bool) -> str:
    """Class of a last part: nothing, digits, digits with a word, one word, or a slug."""
    if not stem:
        return ""
    if stem.isdigit():
        return "#"
    return ("w" if words <= 1 else "s") + ("#" if numbered else "")
