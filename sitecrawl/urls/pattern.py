"""The pattern of a URL: what the URLs of one kind of pages on a site have in common. This is the
only pattern function."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from sitecrawl.limits import cached
from sitecrawl.urls.canonical import without_session

HTML_EXTENSIONS = frozenset("html htm shtml xhtml phtml stm".split())
SCRIPT_EXTENSIONS = frozenset("php asp aspx jsp do action cgi cfm jspx py pl".split())
INDEX_STEMS = frozenset("index default".split())  # file names that stand for their folder
PAGE_KEYS = frozenset(
    "page p paged pg pageno page_no pagenum page_num pagenumber pageindex page_index pn curpage currpage currentpage curpageno "
    "start offset from skip seite pagina strona stranka sayfa halaman".split()
)
"""Query keys that number the parts of a listing."""
DIGITS = re.compile(r"\d+")
_DIRECTORY_EXTENSIONS = HTML_EXTENSIONS | SCRIPT_EXTENSIONS | {""}  # of index files
_PLAIN = re.compile(r"https?://([\w.:-]+)(/[^?#\s]*)?(?:\?([^#\s]*))?(?:#|$)", re.ASCII)
"""A URL that needs no general parser: host, path and query."""
_PAGE = re.compile(
    r"(?:^|/)(?:page|index|list|default|pages|p|pg|seite|pagina)[-_/]?\d{1,5}(?:\.\w{2,5})?/?$",
    re.I,
)
_TAIL = 24  # longest end of a path that can number a page
_LONGEST_NAME = 24  # longest name of a folder that is kept; longer ones are slugs and are replaced
_WORD = re.compile(r"[A-Za-z]{2,}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}|[^\W\d_]{2,}")
_NUMBERED = re.compile(
    r"[^\W\d_]{1,12}(?:[-_.]?\d++)+"
)  # a word with numbers: `forum-4` and `topic-138` are two kinds
_COUNTED = re.compile(r"(?:page|index|list|default|start|seite|pg?)[-_]?#$", re.I)
"""A name that numbers the parts of a listing, with its digits replaced."""


class Steps(NamedTuple):
    """The parts of a path. ``above`` are the directories of the page, ``last`` is its name as
    written, ``stem`` the name without ``extension`` (an index file stands for its folder), ``keys``
    are the names of the query in lower case."""

    path: str
    above: str
    last: str
    stem: str
    extension: str
    is_directory: bool
    is_numbered: bool
    keys: list[str]


@cached(4_096)
def url_pattern(url: str) -> str:
    """The pattern of a URL: directories and one-word names with digits blurred, other names blurred
    wholly (``*`` one word,
    ``*-*`` several, ``#`` where digits are among them), extension and names of the query. All
    spellings of a page share it.

    >>> [url_pattern(f"http://example.com{path}") for path in ("/news/2019/743.html", "/news/a-long-story/", "/about", "/")]
    ['/news/#/#.html', '/news/*-*', '/*', '/']
    >>> [url_pattern(f"http://example.com/{path}") for path in ("forum-4", "topic-138", "viewtopic.php?t=7&start=15", "a/index.html")]
    ['/forum-#', '/topic-#', '/viewtopic.php?start&t', '/*']
    """
    steps = steps_of(*split_url(url)[1:])
    return directories_pattern(steps.above) + last_pattern(steps, word_number(steps.stem))


def url_folder(url: str) -> str:
    """The folder of a URL, which several patterns share: the first directory, also one behind a
    script, and for each later step ``#`` or ``*``.

    >>> url_folder("http://example.com/categories/life/2020/notes/"), url_folder("http://example.com/tag/red/page/3")
    ('/categories/*/#/*', '/tag/*/*/#')
    >>> url_folder("http://example.com/forum/43c09.html"), url_folder("http://example.com/list/index_2.html")
    ('/forum/*', '/list/index_#.html')
    >>> url_folder("http://example.com/index.php/news/12/")
    '/index.php/news/#'
    """
    path, _, names = url_pattern(url).partition("?")
    steps = path.split("/")
    kept = 3 if "." in steps[1] else 2
    coarse = [step if at < kept or not step else _coarse(step) for at, step in enumerate(steps)]
    return "/".join(coarse) + (f"?{names}" if names else "")


def turns_pages(url: str) -> bool:
    """Whether a URL by itself names a further page of a pagination (``/page/2/``, ``?page=2``).

    >>> turns_pages("http://example.com/2007/10/page/2/"), turns_pages("http://example.com/2007/10/a-page-turner/")
    (True, False)
    """
    steps = steps_of(*split_url(url)[1:])
    return numbers_page(steps) or not PAGE_KEYS.isdisjoint(steps.keys)


def split_url(url: str) -> tuple[str, str, str]:
    """Network location, path and query as in ``urllib.parse.urlsplit``; the path is at least a
    slash and contains no session id.

    >>> split_url("http://a.org?b=c#d"), split_url("http://a.org/d.jsp;jsessionid=5F?b"), split_url("http://[")
    (('a.org', '/', 'b=c'), ('a.org', '/d.jsp', 'b'), ('', '/', ''))
    """
    if plain := _PLAIN.match(url):
        netloc, path, query = plain.groups("")
    else:
        try:
            netloc, path, query = urlsplit(url)[1:4]
        except ValueError:
            return "", "/", ""
    return netloc, (without_session(path) if ";" in path else path) or "/", query


def steps_of(path: str, query: str = "") -> Steps:
    """The parts of a path and a query.

    >>> steps_of("/news/index.html")[1:6], steps_of("/a/b.html", "c=1")[1:]
    (('', 'index.html', 'news', '', True), ('/a', 'b.html', 'b', 'html', False, False, ['c']))
    """
    path = unquote(path) if "%" in path else path
    above, _, last = path.rstrip("/").rpartition("/")
    directory = path[-1:] == "/"
    stem, dot, extension = ("", "", "") if directory else last.rpartition(".")
    if not (dot and stem and len(extension) <= 5 and extension.isalnum()):
        stem, extension = last, ""
    extension = extension.lower()
    if not query and stem.lower() in INDEX_STEMS and extension in _DIRECTORY_EXTENSIONS:
        above, _, stem = above.rstrip("/").rpartition("/")
        directory, extension = True, ""
    is_numbered = not stem.isalpha() and DIGITS.search(stem) is not None
    keys = [pair.partition("=")[0].lower() for pair in query.split("&") if pair] if query else []
    return Steps(path, above, last, stem, extension, directory, is_numbered, keys)


@cached(1_024)
def directories_pattern(path: str) -> str:
    """The directories of a pattern with a final slash; digits and long names are replaced.

    >>> directories_pattern("/news/2019"), directories_pattern("/a-long-slug-of-many-words-here")
    ('/news/#/', '/*/')
    """
    names = [part for part in path.split("/") if part]
    blurred = ("*" if len(name) > _LONGEST_NAME else DIGITS.sub("#", name) for name in names)
    return "/" + "".join(f"{name}/" for name in blurred)


def last_pattern(steps: Steps, words: int) -> str:
    """The last part of a pattern: the page's name by its number of words, its extension and the
    names of the query."""
    stem, keys = steps.stem, steps.keys
    names_kind = keys or (
        steps.is_numbered and _NUMBERED.fullmatch(stem)
    )  # viewtopic.php?t=7, forum-4
    if not stem or stem.isdigit():
        name = stem and "#"
    elif names_kind and words <= 1 and len(stem) <= _LONGEST_NAME:
        name = DIGITS.sub("#", stem)
    else:
        name = ("*" if words <= 1 else "*-*") + ("#" if steps.is_numbered else "")
    if steps.extension:
        name = f"{name}.{steps.extension}"
    return f"{name}?{'&'.join(sorted(set(keys)))}" if keys else name


def word_number(stem: str) -> int:
    """Number of words of at least two letters in the name of a page.

    >>> word_number("a-long-story"), word_number("t2019_7")
    (2, 0)
    """
    return len(_WORD.findall(stem))


def numbers_page(steps: Steps) -> bool:
    """Whether a path numbers the parts of a listing."""
    path = steps.path
    return steps.is_numbered and _PAGE.search(path, max(0, len(path) - _TAIL)) is not None


def without_page_number(path: str) -> str:
    """The path of a listing for that of one of its pages.

    >>> without_page_number("/news/page/2/"), without_page_number("/news/list_3.html"), without_page_number("/news/2/")
    ('/news/', '/news/', '/news/2/')
    """
    return _PAGE.sub("/", path)


def _coarse(step: str) -> str:
    """A step of a pattern as it is if it is a number or numbers the parts of a listing, else
    ``*``."""
    name = step.partition(".")[0]
    numbers = (
        "#" in name
        and "*" not in name
        and (not any(map(str.isalpha, name)) or _COUNTED.match(name))
    )
    return step if numbers else "*"
