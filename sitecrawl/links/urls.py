"""What a URL says by itself: its parts, its shape, and small numbers about them. No page, no network."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from math import log1p
from urllib.parse import unquote, urlsplit

from sitecrawl.links.vocabulary import (
    HTML_EXTENSIONS,
    INDEX_STEMS,
    PAGE_KEYS,
    SCRIPT_EXTENSIONS,
    SEARCH_KEYS,
    SECOND_LEVEL,
    URL_WORDS,
)

URL_KINDS = tuple(URL_WORDS)
URL_FEATURES = (
    *("depth", "last_chars", "slug_words", "digit_share", "id_digits", "date", "date_end", "html"),
    *("script", "file", "directory", "index", "page_number", "queries", "query_page", "query_id", "encoded", "upper"),
    *("root", "hash_slug", "number_tail", "first_depth_date"),
    *(f"last_{kind}" for kind in URL_KINDS),
    *(f"dir_{kind}" for kind in URL_KINDS),
)
_DATE = re.compile(
    r"(?:^|/|(?<!\d)(?=\d{4}[/_-]|\d{8}))(?:19[89]\d|20[0-4]\d)[/_-]?(?:0?[1-9]|1[0-2])(?:[/_-]?(?:0?[1-9]|[12]\d|3[01]))?(?!\d)"
)
_DATE_END = re.compile(r"(?:^|/)(?:19[89]\d|20[0-4]\d)(?:[/_-]?\d{1,2}){0,2}$")
_PAGE = re.compile(r"(?:^|/)(?:page|index|list|default|pages|p|pg|seite|pagina)[-_/]?\d{1,5}(?:\.\w{2,5})?/?$", re.I)
_TOKEN = re.compile(r"[^\W\d_]+")
_SLUG = re.compile(r"[A-Za-z]{2,}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}|[^\W\d_]{2,}")
_DIGITS = re.compile(r"\d+")
_HASH = re.compile(r"^(?=[a-z]*\d)(?=\d*[a-z])[0-9a-f]{6,40}$")
_WORD_KIND = {word: kind for kind, text in URL_WORDS.items() for word in text.split()}
_PAGING, _FIXED = URL_KINDS.index("u_page"), URL_KINDS.index("u_fixed")
_FOLDERS_OF_PAGES = frozenset(("page", "pages"))
_DIRECTORY_EXTENSIONS = HTML_EXTENSIONS | SCRIPT_EXTENSIONS | {""}
_LITERAL = 24
"""Longer directory names are slugs and stand as such in a pattern."""


@dataclass(frozen=True, slots=True)
class UrlFacts:
    """Parts of one URL. ``values`` are numbers in the order of ``URL_FEATURES``; ``folder`` is the directory of the path.

    ``pattern`` keeps directory names and blurs the last part (``/news/#.html``), ``shape`` blurs every part.
    """

    host: str
    domain: str
    path: str
    folder: str
    stem: str
    pattern: str
    shape: str
    query: str
    depth: int
    values: tuple[float, ...]


def registered_domain(host: str) -> str:
    """The part of a host name that its owner registered, by rule of thumb.

    >>> registered_domain("www.example.com.cn"), registered_domain("m.example.org")
    ('example.com.cn', 'example.org')
    """
    parts = host.split(":")[0].split(".")
    keep = 3 if len(parts) > 2 and parts[-2] in SECOND_LEVEL else 2
    return ".".join(parts[-keep:])


@lru_cache(maxsize=16_384)
def url_facts(url: str) -> UrlFacts:
    """Facts of an absolute URL (its fragment is ignored); a URL that cannot be split has empty parts."""
    try:
        split = urlsplit(url)
        host, path, query = (split.netloc or "").lower(), split.path or "/", split.query
    except ValueError:
        host, path, query = "", "/", ""
    path = unquote(path) if "%" in path else path
    segments = [part for part in path.split("/") if part]
    last = segments[-1] if segments else ""
    directory = path.endswith("/")
    stem, extension = _extension(last) if not directory else (last, "")
    folder = path if directory else path[: len(path) - len(last)]
    if stem.lower() in INDEX_STEMS and not query and extension in _DIRECTORY_EXTENSIONS:
        segments, directory = segments[:-1], True
        stem, extension = (segments[-1] if segments else ""), ""
    keys = [pair.partition("=")[0].lower() for pair in query.split("&") if pair] if query else []
    pattern, shape = _shapes(segments, stem, extension, keys)
    names = segments[:-1]
    values = (
        *_part_values(segments, stem, extension, directory),
        float(bool(last) and stem != last.partition(".")[0]),
        float(bool(_PAGE.search(path))),
        *_query_values(keys, query),
        float("%" in url),
        float(not path.islower() and any(map(str.isupper, stem))),
        float(not segments and not query),
        float(bool(_HASH.match(stem))),
        _number_tail(stem),
        float(bool(segments) and len(segments[0]) == 4 and segments[0].isdigit()),
        *_kinds(stem, keys),
        *_folder_kinds(names, stem),
    )
    trail = "/".join([*names, stem])
    return UrlFacts(
        host, registered_domain(host), path, folder, trail, f"{host}{pattern}", shape, query, len(segments), values
    )


def _extension(last: str) -> tuple[str, str]:
    stem, dot, extension = last.rpartition(".")
    return (stem, extension.lower()) if dot and stem and len(extension) <= 5 and extension.isalnum() else (last, "")


def _part_values(segments: list[str], stem: str, extension: str, directory: bool) -> tuple[float, ...]:
    digits = sum(map(len, _DIGITS.findall(stem)))
    web, script = extension in HTML_EXTENSIONS, extension in SCRIPT_EXTENSIONS
    trail = "/".join([*segments[:-1], stem])
    date, ends = _DATE.search(trail), _DATE_END.search(trail)
    return (
        float(len(segments)),
        log1p(len(stem)),
        log1p(len(_SLUG.findall(stem))),
        digits / max(1, len(stem)),
        float(min(12, digits)) if digits == len(stem) else 0.0,
        float(bool(date) and not ends),
        float(bool(ends)),
        float(web),
        float(script),
        float(bool(extension) and not web and not script),
        float(directory),
    )


def _query_values(keys: list[str], query: str) -> tuple[float, ...]:
    return (
        float(min(4, len(keys))),
        float(any(key in PAGE_KEYS for key in keys)),
        float(bool(keys) and any(map(str.isdigit, query))),
    )


def _number_tail(stem: str) -> float:
    found = _DIGITS.findall(stem)
    return float(min(10, len(found[-1]))) if found and stem.endswith(found[-1]) and len(found[-1]) < len(stem) else 0.0


def _kinds(text: str, keys: list[str] | tuple[str, ...]) -> list[float]:
    """One flag for every kind of ``URL_WORDS``; a long slug says nothing about its kind."""
    words = _TOKEN.findall(text.lower()) if text else []
    found = {_WORD_KIND[word] for word in (*words[:8], *keys) if word in _WORD_KIND}
    if SEARCH_KEYS.intersection(keys):
        found.add("u_fixed")
    weight = 1.0 if len(words) <= 2 or "/" in text else 1.0 / len(words)
    return [weight if kind in found else 0.0 for kind in URL_KINDS]


def _folder_kinds(names: list[str], stem: str) -> list[float]:
    """Kinds of the directories; below ``pages/`` a number is a part of a listing, a name is a fixed page.

    >>> _folder_kinds(["pages"], "imprint")[_FIXED], _folder_kinds(["page"], "2")[_FIXED]
    (1.0, 0.0)
    """
    kinds = _kinds("/".join(names), ())
    if names and names[-1].lower() in _FOLDERS_OF_PAGES and not stem[:1].isdigit():
        kinds[_PAGING], kinds[_FIXED] = 0.0, 1.0
    return kinds


def _shapes(segments: list[str], stem: str, extension: str, keys: list[str]) -> tuple[str, str]:
    tail = f".{extension}" if extension else ""
    query = "?" + "&".join(sorted(set(keys))) if keys else ""
    parts = [_blur(part) for part in segments[:-1]]
    last = _class(stem) + tail + query
    return "/" + "/".join([*parts, last]), "/".join(["#" if "#" in p else "w" for p in parts] + [last])


def _blur(part: str) -> str:
    """A directory name with digits blurred; long names are slugs.

    >>> _blur("2019"), _blur("news"), _blur("a-long-slug-of-many-words-here")
    ('#', 'news', '*')
    """
    return "*" if len(part) > _LITERAL else _DIGITS.sub("#", part)


def _class(stem: str) -> str:
    """Class of a last part: nothing, digits, digits with a word, one word, or a slug."""
    if not stem:
        return ""
    if stem.isdigit():
        return "#"
    words = len(_SLUG.findall(stem))
    if words <= 1:
        return "w#" if _DIGITS.search(stem) else "w"
    return "s#" if _DIGITS.search(stem) else "s"
