"""What a crawl may fetch, by robots.txt (RFC 9309), and where it may connect: to private addresses
only if the user typed them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from ipaddress import ip_network
from urllib.parse import urlsplit

from protego import Protego

from sitecrawl.limits import LIMITS
from sitecrawl.urls.scope import ascii_host, is_private

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Permissions:
    """``places`` are the hosts (ASCII, lower case) and ports that may be private, because the user
    named them. The first address of a name does not permit later ones: a name that once had a
    public address, also in an earlier run, may not lead to a private one, and a name with private
    addresses stays in their networks."""

    places: frozenset[tuple[str, int]] = frozenset()
    _first: dict[tuple[str, int], frozenset[str]] = field(
        default_factory=dict, compare=False, repr=False
    )
    """Networks of the private addresses of each place when it was first connected to; empty if one
    address was public."""

    @classmethod
    def of(cls, urls: Iterable[str], public: Iterable[str] = ()) -> Permissions:
        """The permissions for URLs that a user typed; ``public`` are the :attr:`public` places of
        earlier runs. If SITECRAWL_ONLY_PUBLIC is set in the environment, an agent typed the URLs
        and no place may be private."""
        if os.environ.get("SITECRAWL_ONLY_PUBLIC"):
            return cls()
        places = frozenset(place for url in urls if (place := place_of(url)))
        met = [place for place in places if "{}:{}".format(*place) in frozenset(public)]
        return cls(places, dict.fromkeys(met, frozenset()))

    @property
    def public(self) -> list[str]:
        """The places (``host:port``) that had public addresses when they were first connected
        to."""
        return sorted(
            "{}:{}".format(*place) for place, networks in self._first.items() if not networks
        )

    def plus(self, url: str) -> Permissions:
        """The permissions with one more place, such as a proxy; ``url`` may lack its scheme."""
        place = place_of(url if "://" in url else f"http://{url}")
        return Permissions(self.places | {place}, self._first) if place else self

    def refusal(self, url: str) -> str:
        """Why ``url`` must not be fetched (``scheme`` or ``private``); empty if it may.

        >>> own = Permissions.of(["http://localhost:8000/"])
        >>> [own.refusal(url) for url in ("http://localhost:8000/a", "http://localhost:81/", "file:///etc/hosts", "http://example.com/")]
        ['', 'private', 'scheme', '']
        """
        place = place_of(url)
        if place is None:
            return "scheme"
        return "private" if place not in self.places and is_private(place[0]) else ""

    def allowed(self, host: str, port: int, *, addresses: Iterable[str]) -> list[str]:
        """Those IP addresses of ``host`` to which a connection on ``port`` is allowed.

        >>> own = Permissions.of(["http://intranet.example.com/"])
        >>> own.allowed("intranet.example.com", 80, addresses=["10.0.0.5"]), own.allowed("intranet.example.com", 81, addresses=["10.0.0.5"])
        (['10.0.0.5'], [])
        >>> own.allowed("intranet.example.com", 80, addresses=["127.0.0.1", "10.0.7.1"])
        ['10.0.7.1']
        >>> Permissions.of(["http://a.example.com/"]).allowed("a.example.com", 80, addresses=["127.0.0.1", "93.184.216.34"])
        ['93.184.216.34']
        """
        found, place = list(addresses), (ascii_host(host), port)
        if place in self.places and is_private(place[0]):
            return found
        networks = frozenset[str]()
        if place in self.places and found:
            here = frozenset(_network(address) for address in found)
            networks = self._first.setdefault(
                place, here if all(map(is_private, found)) else networks
            )
        return [
            address for address in found if not is_private(address) or _network(address) in networks
        ]


def _network(address: str) -> str:
    """The network of an IP address. The servers of one intranet name share it."""
    return str(
        ip_network(f"{address.partition('%')[0]}/{48 if ':' in address else 16}", strict=False)
    )


def place_of(url: str) -> tuple[str, int] | None:
    """Host and port of an http(s) URL; None for any other URL.

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
"""The permissions of the connection that is being made: names are resolved for the whole process,
connections belong to one crawl."""


# ---- robots.txt
_PAIRS = 3_000_000
_NOTHING = b"User-agent: *\nDisallow: /\n"


def rules_of(body: bytes, status: int) -> bytes:
    """The rules that follow from an answer to a request for robots.txt.

    A server error (5xx) forbids everything, any other status but 200 allows everything. Of a long
    file the first ``LIMITS.robots_bytes`` count, in whole lines (RFC 9309, sections 2.3.1 and 2.5).
    Each rule is stored for each agent of its group: a file with ``_PAIRS`` pairs of a line and an
    agent, some seconds of work, forbids everything.

    >>> rules_of(b"Disallow: /a", 200), rules_of(b"<h1>Not found", 404), rules_of(b"", 503)
    (b'Disallow: /a', b'', b'User-agent: *\\nDisallow: /\\n')
    """
    if status >= 500:
        return _NOTHING
    if status >= 300:
        return b""
    if len(body) > LIMITS.robots_bytes:
        body = body[: LIMITS.robots_bytes].rpartition(b"\n")[0]
    lines = body.decode("utf-8-sig", "ignore").splitlines()
    agents = sum(line.lstrip().lower().startswith("user") for line in lines)
    return _NOTHING if agents * len(lines) >= _PAIRS else body


def parsed(body: bytes, status: int = 200) -> Protego:
    return Protego.parse(rules_of(body, status).decode("utf-8-sig", "ignore"))
