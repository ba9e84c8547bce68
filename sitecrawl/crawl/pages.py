"""From a response to a page, or to one line that says why there is none."""

from __future__ import annotations

from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.internet import error
from twisted.python.failure import Failure

from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse

_SNIFF = (b"%PDF", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b", b"Rar!")
_TEXT = ("html", "xml", "text/plain", "octet-stream")


def page_of(response: Response) -> tuple[Page | None, str]:
    """The page of a response; None and the reason when it is empty or no HTML."""
    kind = (response.headers.get("Content-Type") or b"").decode("latin-1").casefold()
    if (kind and not any(word in kind for word in _TEXT)) or response.body[:8].lstrip().startswith(_SNIFF):
        return None, f"not HTML ({kind.partition(';')[0] or 'a binary file'}): start from a page that lists articles"
    if not response.body.strip():
        return None, "the page is empty"
    return parse(response.body, response.url, kind or None), ""


def reason_of(failure: Failure) -> str:
    """Why a page could not be fetched, in words for a user."""
    if failure.check(HttpError):
        return f"the server answered {failure.value.response.status}"  # type: ignore[attr-defined]
    if failure.check(error.DNSLookupError, error.UnknownHostError):
        return "no such host: check the address"
    if failure.check(error.TimeoutError, error.TCPTimedOutError, error.ConnectionDone):
        return "no answer in time"
    if failure.check(IgnoreRequest):
        return (
            f"refused ({failure.getErrorMessage()})"
            if "refused" in failure.getErrorMessage()
            else "forbidden by robots.txt"
        )
    return f"cannot be reached ({failure.getErrorMessage()[:120]})"
