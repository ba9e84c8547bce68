"""From a response to a page, or to one line that says why there is none."""

from __future__ import annotations

import re

from scrapy.exceptions import CannotResolveHostError, DownloadTimeoutError, IgnoreRequest
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.internet import error
from twisted.python.failure import Failure

from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import absolute

_SNIFF = (b"%PDF", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b", b"Rar!")
_REFRESH = re.compile(r"url\s*=\s*['\"]?([^'\";\s]+)", re.I)
_LARGE = re.compile(r"max ?size", re.I)
_STUB = 200
"""Characters of text above which a page is read although it sends its readers on."""
_TEXT = ("html", "xml", "text/plain", "octet-stream")


def page_of(response: Response) -> tuple[Page | None, str]:
    """The page of a response; None and the reason when it is empty or no HTML."""
    kind = header(response, "Content-Type").casefold()
    if (kind and not any(word in kind for word in _TEXT)) or response.body[:8].lstrip().startswith(_SNIFF):
        return None, f"not HTML ({kind.partition(';')[0] or 'a binary file'}): start from a page that lists articles"
    if not response.body.strip():
        return None, "the page is empty"
    return parse(response.body, response.url, kind or None), ""


def header(response: Response, name: str) -> str:
    """A header of a response, empty without one."""
    return (response.headers.get(name) or b"").decode("latin-1")


def refresh_target(page: Page) -> str | None:
    """Where a page with next to no text of its own sends its readers (``meta http-equiv=refresh``)."""
    found = _REFRESH.search(page.metadata.first("refresh") or "")
    if not found or len(page.tree.text(0)) > _STUB:
        return None
    return absolute(found[1], page.base_url)


def reason_of(failure: Failure) -> str:
    """Why a page could not be fetched, in words for a user."""
    problem = failure.value
    if isinstance(problem, HttpError):
        return f"the server answered {problem.response.status}"
    if isinstance(problem, CannotResolveHostError | error.DNSLookupError | error.UnknownHostError):
        return "no such host: check the address"
    if isinstance(problem, DownloadTimeoutError | error.TimeoutError | error.TCPTimedOutError):
        return "no answer in time"
    if isinstance(problem, IgnoreRequest):
        return _refusal(str(problem))
    return "too large" if _LARGE.search(str(problem)) else f"cannot be reached ({str(problem)[:120]})"


def is_gone(failure: Failure) -> bool:
    """Whether the server says that there is no such page."""
    return isinstance(failure.value, HttpError) and failure.value.response.status in (404, 410)


def _refusal(message: str) -> str:
    if "robots" in message.casefold():
        return "forbidden by robots.txt"
    if _LARGE.search(message):
        return "too large"
    return "redirects in circles" if "redirect" in message else f"refused ({message})"
