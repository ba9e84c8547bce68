"""Scrapy's answers and failures as records of the crawl."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadTimeoutError,
    IgnoreRequest,
)
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.internet import error
from twisted.python.failure import Failure

from sitecrawl.crawl.records import FailedPage, FetchedPage, RequestContext
from sitecrawl.text.chars import without_controls

CONTEXT = "sitecrawl"  # the key of a request's `meta` that holds its context
# the key of its number, by which answers are handled in the order of their requests
NUMBER = "sitecrawl_number"
_LARGE = re.compile(r"max ?size", re.I)  # Scrapy has no class of error for it, and two wordings
_TLS = re.compile(r"'SSL routines', '[^']*', '([^']{1,80})'")
_BEHIND = re.compile(
    r"<twisted\S+ \S+: (.*?)\.?>"
)  # an error behind the error, as Twisted writes it


def fetched_page(response: Response) -> FetchedPage:
    context: RequestContext = response.meta[CONTEXT]
    return FetchedPage(
        url=response.url,
        context=context,
        body=response.body,
        status=response.status,
        content_type=header(response, "Content-Type"),
        etag=header(response, "ETag"),
        modified=header(response, "Last-Modified"),
        rendered=bool(response.meta.get("playwright")),
        fetched=now(),
        link=without_controls(b", ".join(response.headers.getlist("Link")).decode("latin-1")),
        refresh=header(response, "Refresh"),
    )


def now() -> str:
    """The current time, ISO 8601 in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def header(response: Response, name: str) -> str:
    """A header of a response without control characters; empty if it is missing."""
    return without_controls((response.headers.get(name) or b"").decode("latin-1"))


def failed_page(failure: Failure, context: RequestContext) -> FailedPage:
    """The record of a failed request, with the reason for users."""
    problem, message = (
        failure.value,
        str(failure.value) or "half a body",
    )  # the one error without words
    if isinstance(problem, HttpError):
        return FailedPage.of_status(context, problem.response.status)
    if isinstance(problem, CannotResolveHostError | error.DNSLookupError | error.UnknownHostError):
        return FailedPage(
            context, "no such host: check the address", may_pass=True
        )  # or the network was down
    if isinstance(problem, DownloadTimeoutError | error.TimeoutError | error.TCPTimedOutError):
        return FailedPage(context, "no answer in time", may_pass=True)
    if isinstance(problem, DownloadCancelledError) or is_too_large(message):
        return FailedPage(context, "too large")
    if not isinstance(problem, IgnoreRequest):
        return FailedPage(context, f"cannot be reached ({in_words(message)})", may_pass=True)
    if message.startswith(("robots.txt cannot", "the login does not last")):
        return FailedPage(context, message, may_pass=True)
    if "robots" in message.casefold():
        return FailedPage(context, "forbidden by robots.txt")
    if "redirect" in message:
        why = "redirects in circles (if it does not in your browser, it needs cookies: -a cookies=FILE)"
        return FailedPage(context, why, may_pass=True)
    reason = f"refused ({message.removeprefix('refused: ')})"
    return FailedPage(
        context, reason, may_pass=message.startswith(("the login at", "no login form"))
    )


def in_words(message: str) -> str:
    """The message of a network error without the names of classes and libraries.

    >>> in_words("[('SSL routines', '', 'dh key too small')]")
    'no secure connection: dh key too small'
    >>> in_words("VerificationError(errors=[DNSMismatch(mismatched_id=DNS_ID(hostname=b'a.example'))])")
    'no secure connection: the certificate is for another host'
    """
    if tls := _TLS.search(message):
        return f"no secure connection: {tls[1]}"
    if "VerificationError" in message or "CertificateError" in message:
        return "no secure connection: the certificate is for another host"
    return (", ".join(_BEHIND.findall(message)) or message)[:120]


def is_too_large(message: str) -> bool:
    """Whether an error of Scrapy means that an answer is too large, compressed or unpacked."""
    return _LARGE.search(message) is not None
