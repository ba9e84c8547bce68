"""What a crawl may reach: public addresses, and the hosts and ports that the user typed."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from urllib.parse import urlsplit

from sitecrawl.urls.scope import ascii_host, is_private

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Permissions:
    """``places`` are the hosts (ASCII, lower case) and ports that may be private, since the user named them."""

    places: frozenset[tuple[str, int]] = frozenset()

    @classmethod
    def of(cls, urls: Iterable[str]) -> Permissions:
        """Those of the URLs that a user typed."""
        return cls(frozenset(place for url in urls if (place := place_of(url))))

    def plus(self, url: str) -> Permissions:
        """With the place of one more URL, as that of a proxy; ``url`` may lack its scheme."""
        place = place_of(url if "://" in url else f"http://{url}")
        return Permissions(self.places | {place}) if place else self

    def refusal(self, url: str) -> str:
        """Why ``url`` must not be fetched, ``scheme`` or ``private``; empty when it may.

        >>> own = Permissions.of(["http://localhost:8000/"])
        >>> [own.refusal(url) for url in ("http://localhost:8000/a", "http://localhost:81/", "file:///etc/hosts", "http://example.com/")]
        ['', 'private', 'scheme', '']
        """
        place = place_of(url)
        if place is None:
            return "scheme"
        return "private" if place not in self.places and is_private(place[0]) else ""

    def may_connect(self, host: str, port: int, address: str) -> bool:
        """Whether a connection to ``host`` and ``port`` may go to this IP address."""
        return (ascii_host(host), port) in self.places or not is_private(address)


def place_of(url: str) -> tuple[str, int] | None:
    """Host and port of an http(s) URL, None for any other.

    >>> place_of("https://Example.com/a"), place_of("ftp://example.com/")
    (('example.com', 443), None)
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in _PORTS or not host:
        return None
    return ascii_host(host), port or _PORTS[parts.scheme]


CURRENT: ContextVar[Permissions] = ContextVar("CURRENT", default=Permissions())  # noqa: B039 (immutable)
"""The permissions under which a connection is made: names are resolved for a whole process, connections by one crawl."""
