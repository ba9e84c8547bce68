"""Raw pages from callers of the Python interface: checked once, then parsed."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse

_URL = re.compile(
    r"\s*(?:https?|ftp|file)://\S+\s*"
)  # a URL alone, with no markup: the arguments were swapped
_PATH = re.compile(r"(?:[\w.~-]*[/\\])*[\w .~-]+\.x?html?", re.I)  # of a file, with no markup
_MARKUP = re.compile(r"\s*<")  # HTML where a URL belongs
_PATH_CHARS = 1_000  # of the longest name of a file that is looked for in place of HTML
_ORDER = "html comes first, then url"


class RawPage(NamedTuple):
    """A page as it was fetched; bytes are decoded as Scrapy would decode them."""

    html: str | bytes
    url: str | None = None


def page_of_html(html: Any, url: Any = None) -> Page:
    """The page of ``html``, str or bytes; bytes are decoded as Scrapy would decode them.

    Raises TypeError if the arguments are swapped, if ``html`` is a URL or the name of a
    file, or for other types.

    >>> page_of_html("http://example.com/", "<p>Hello</p>")
    Traceback (most recent call last):
    TypeError: html and url are swapped: html comes first, then url
    """
    if isinstance(html, bytearray | memoryview):
        html = bytes(html)
    if isinstance(html, str):
        _refuse_address(html, url)
    if not isinstance(html, str | bytes):
        raise TypeError(f"html is str or bytes, not {type(html).__name__}: {_ORDER}")
    if isinstance(url, bytes) or (isinstance(url, str) and _MARKUP.match(url)):
        raise TypeError(f"url holds HTML: {_ORDER}")
    if url is not None and not isinstance(url, str):
        raise TypeError(f"url is str or None, not {type(url).__name__}: {_ORDER}")
    return parse(html, url)


def _refuse_address(html: str, url: Any) -> None:
    """Raise TypeError if a URL or the name of a file stands where a page should."""
    shown = html.strip()[:80]
    if _URL.fullmatch(html):
        is_other = isinstance(url, str) and url != "" and not _URL.fullmatch(url)
        if is_other or isinstance(url, bytes):
            raise TypeError(f"html and url are swapped: {_ORDER}")
        raise TypeError(f"html is a URL ({shown!r}): nothing is fetched here, give the page's HTML")
    if len(html) < _PATH_CHARS and _PATH.fullmatch(html.strip()):
        raise TypeError(
            f"html is the name of a file ({shown!r}): give what the file holds, Path(...).read_bytes()"
        )


def page_of_pair(pair: RawPage | tuple[str, str | bytes]) -> Page:
    """The page of a :class:`RawPage` or of a ``(url, html)`` pair. Raises TypeError as
    :func:`page_of_html` does."""
    if isinstance(pair, RawPage):
        return page_of_html(pair.html, pair.url)
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise TypeError(f"a page is a RawPage or a pair (url, html), not {type(pair).__name__}")
    url, html = pair
    return page_of_html(html, url)
