"""HTML and URL as callers of the Python interface give them: checked once, then a page."""

from __future__ import annotations

import re
from typing import Any

from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse

_URL = re.compile(r"\s*(?:https?|ftp|file)://\S+\s*")
_MARKUP = re.compile(r"\s*<")
_ORDER = "html comes first, then url"


def page_of_html(html: Any, url: Any = None) -> Page:
    """The page of ``html``, str or bytes; bytes are decoded as Scrapy would decode them.

    Raises TypeError when the two are swapped, when ``html`` is a URL, or when either is of another type.

    >>> page_of_html("http://example.com/", "<p>Hello</p>")
    Traceback (most recent call last):
    TypeError: html and url are swapped: html comes first, then url
    """
    if isinstance(html, bytearray | memoryview):
        html = bytes(html)
    if isinstance(html, str) and _URL.fullmatch(html):
        swapped = isinstance(url, bytes) or (isinstance(url, str) and not _URL.fullmatch(url) and bool(url))
        raise TypeError(f"html and url are swapped: {_ORDER}" if swapped else _fetch_first(html))
    if not isinstance(html, str | bytes):
        raise TypeError(f"html is str or bytes, not {type(html).__name__}: {_ORDER}")
    if isinstance(url, bytes) or (isinstance(url, str) and _MARKUP.match(url)):
        raise TypeError(f"url holds HTML: {_ORDER}")
    if url is not None and not isinstance(url, str):
        raise TypeError(f"url is str or None, not {type(url).__name__}: {_ORDER}")
    return parse(html, url)


def _fetch_first(url: str) -> str:
    return f"html is a URL ({url.strip()[:80]!r}): nothing is fetched here, give the page's HTML"
