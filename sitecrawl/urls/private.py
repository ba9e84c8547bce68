"""Addresses a crawl may not reach on a page's word: everything that is not a public address of the internet."""

from __future__ import annotations

import ipaddress
import re

_NUMERIC = re.compile(r"^(?:0x[0-9a-f]+|\d+)(?:\.(?:0x[0-9a-f]+|\d+)){0,3}$", re.I)
_LAST_BITS = (ipaddress.IPv6Network("::/96"), ipaddress.IPv6Network("64:ff9b::/96"))
"""Networks whose addresses end in one of IPv4 (RFC 4291, section 2.5.5.1; RFC 6052)."""
_SITE = (ipaddress.IPv6Network("fec0::/10"), ipaddress.IPv6Network("64:ff9b:1::/48"))
"""Networks of a site, old and translated (RFC 3879, RFC 8215), which Python takes for global."""
_LOCAL = ("localhost", ".localhost", ".local", ".internal", ".localdomain", ".home.arpa")


def is_private(host: str) -> bool:
    """Whether ``host`` is, in any spelling, an address or a name of no public machine.

    >>> [is_private(host) for host in ("127.1", "0x7f000001", "[::1]", "localhost", "10.0.0.1", "example.com", "8.8.8.8")]
    [True, True, True, True, True, False, False]
    """
    name = host.strip("[]").rstrip(".").casefold()
    if name == "localhost" or name.endswith(_LOCAL[1:]):
        return True
    try:
        return not _public(ipaddress.ip_address(name.partition("%")[0]))
    except ValueError:
        return not _public_number(name) if _NUMERIC.match(name) else False


def _public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address):
        if any(address in network for network in _SITE):
            return False
        address = _inner(address) or address
    return address.is_global and not address.is_multicast


def _inner(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 address stands for: a mapped or compatible one, one of 6to4, one behind a NAT64."""
    if any(address in network for network in _LAST_BITS):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def _public_number(name: str) -> bool:
    """Old spellings of IPv4: 127.1, 2130706433, 0x7f.1, 0177.0.0.1."""
    try:
        parts = [
            int(part, 16 if part.startswith("0x") else 8 if part.startswith("0") and len(part) > 1 else 10)
            for part in name.split(".")
        ]
        value = parts[-1] + sum(part << (24 - 8 * place) for place, part in enumerate(parts[:-1]))
        return _public(ipaddress.IPv4Address(value))
    except ValueError:
        return False
