"""robots.txt as RFC 9309 reads it, for the crawl and for the commands: what of an answer counts, and which parser reads it."""

from __future__ import annotations

from protego import Protego

from sitecrawl.limits import LIMITS

_NOTHING = b"User-agent: *\nDisallow: /\n"


def rules_of(body: bytes, status: int) -> bytes:
    """The rules that an answer to a request for robots.txt stands for.

    A server in trouble (5xx) forbids all, one without the file (any other status but 200) allows all; of a long file the first
    ``LIMITS.robots_bytes`` count, whole lines (RFC 9309, sections 2.3.1 and 2.5).

    >>> rules_of(b"Disallow: /a", 200), rules_of(b"<h1>Not found", 404), rules_of(b"", 503)
    (b'Disallow: /a', b'', b'User-agent: *\\nDisallow: /\\n')
    """
    if status >= 500:
        return _NOTHING
    if status >= 300:
        return b""
    if len(body) <= LIMITS.robots_bytes:
        return body
    return body[: LIMITS.robots_bytes].rpartition(b"\n")[0]


def parsed(body: bytes, status: int = 200) -> Protego:
    """The rules of an answer, read."""
    return Protego.parse(rules_of(body, status).decode("utf-8-sig", "ignore"))
