"""Who owns a URL: host, registered domain, private hosts."""

from __future__ import annotations

import ipaddress
import re
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sitecrawl.limits import cached

if TYPE_CHECKING:
    from tldextract import TLDExtract


_USER = re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^/\s?#'\"]*@", re.I)
_PLAIN = re.compile(r"https?://([\w.:-]+)(?=[/?#]|$)", re.A)
"""The form of nearly every URL, whose host needs no parser; it is asked for several times for each
link."""


_DOTS = re.compile("[.\u3002\uff0e\uff61]")  # what separates the labels of a name (RFC 3490, 3.1)
_HOST_BYTES = 253  # of the longest name of a host (RFC 1035, section 2.3.4, without a final dot)
_LABEL_BYTES = 63  # of its longest label


def host_of(url: str) -> str:
    """Host and port of a URL without ``www.``; empty for an invalid URL."""
    if plain := _PLAIN.match(url):
        return bare_host(plain[1])
    with suppress(ValueError):
        return bare_host(urlsplit(url).netloc)
    return ""


def ascii_host(netloc: str) -> str:
    """Host and port of a URL in lower case, an international name in its ASCII form (RFC 3490) if
    it has one.

    >>> ascii_host("BÜCHER.example:80"), ascii_host("Example.com"), ascii_host("a..ü")
    ('xn--bcher-kva.example:80', 'example.com', 'a..ü')
    """
    if netloc.isascii():
        return netloc.lower()
    name, colon, port = netloc.partition(":")
    # encoding a longer label takes time in the square of its length, only to fail
    is_host = len(name) <= _HOST_BYTES and max(map(len, _DOTS.split(name))) <= _LABEL_BYTES
    with suppress(UnicodeError):
        if is_host:
            return name.encode("idna").decode().lower() + colon + port
    return netloc.casefold()


def bare_host(netloc: str) -> str:
    """Host and port of a URL's network location, without user name, ``www.``, default ports and a
    final dot."""
    host = ascii_host(netloc.rpartition("@")[2])
    return host.removeprefix("www.").removesuffix(":80").removesuffix(":443").removesuffix(".")


def without_secrets(url: str) -> str:
    """Scheme and host of a URL, for messages: name, password, port, path and query may be secret.

    >>> without_secrets("https://ann:secret@hooks.example:8443/services/T0?token=1"), without_secrets("https://[secret")
    ('https://hooks.example', 'https://...')
    """
    scheme = url.partition("://")[0]
    with suppress(ValueError):
        return f"{scheme}://{urlsplit(url).hostname or '...'}"
    return f"{scheme}://..."


def without_names(text: str) -> str:
    """Text whose URLs have lost user names and passwords.

    >>> without_names("postgresql://ann:a@b@db.example/news, http://c.example/@ann")
    'postgresql://db.example/news, http://c.example/@ann'
    """
    return _USER.sub(r"\1", text) if "@" in text else text


@cached(512)
def registered_domain(host: str) -> str:
    """The registered part of a host name, by the public suffix list bundled with tldextract,
    private suffixes included; a host without one is returned unchanged.

    >>> registered_domain("www.example.com.cn"), registered_domain("ann.blogspot.com"), registered_domain("10.0.0.1:80")
    ('example.com.cn', 'ann.blogspot.com', '10.0.0.1')
    """
    name = host.partition(":")[0]
    return _suffixes()(name).top_domain_under_public_suffix or name


@cached(512)
def registrar_domain(host: str) -> str:
    """The part of a host name that was registered with a registrar: the provider's domain if the
    host belongs to a customer.

    >>> registrar_domain("ann.blogspot.com"), registrar_domain("www.example.com.cn"), registrar_domain("localhost")
    ('blogspot.com', 'example.com.cn', 'localhost')
    """
    name = host.partition(":")[0]
    return _suffixes()(name).top_domain_under_registry_suffix or name


@lru_cache(maxsize=1)
def _suffixes() -> TLDExtract:
    """The bundled list, read on first use. Nothing is downloaded or cached on disk."""
    from tldextract import TLDExtract

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


_NUMERIC = re.compile(r"^(?:0x[0-9a-f]+|\d+)(?:\.(?:0x[0-9a-f]+|\d+)){0,3}$", re.I)
_LAST_BITS = tuple(map(ipaddress.IPv6Network, ("::/96", "::ffff:0:0:0/96", "64:ff9b::/96")))
"""IPv6 networks whose addresses end in an IPv4 address (RFC 4291, section 2.5.5.1; RFC 2765; RFC
6052)."""
_ISATAP = (
    0x5EFE,
    0x200_5EFE,
)  # third quarter of an IPv6 address that ends in an IPv4 address (RFC 5214, section 6.1)
_NOT_GLOBAL = tuple(
    map(
        ipaddress.ip_network,
        "fec0::/10 64:ff9b:1::/48 3fff::/20 5f00::/16 192.0.0.0/24 192.88.99.0/24".split(),
    )
)
"""Networks that Python takes for global: site-local, translated, documentation and segment routing
(RFC 3879, 8215, 9637, 9602), and of IPv4 those of protocols and of the former 6to4 relays (RFC
6890, 7526)."""
_LOCAL = ("localhost", ".localhost", ".local", ".internal", ".localdomain", ".home.arpa")


def is_private(host: str) -> bool:
    """Whether ``host`` is a private IP address in any spelling, or the name of a machine that is
    not public.

    >>> [is_private(host) for host in ("127.1", "0x7f000001", "[::1]", "localhost", "10.0.0.1", "example.com", "8.8.8.8")]
    [True, True, True, True, True, False, False]
    """
    name = host.strip("[]").rstrip(".").casefold()
    if name == "localhost" or name.endswith(_LOCAL[1:]):
        return True
    with suppress(ValueError):
        return not _public(ipaddress.ip_address(name.partition("%")[0]))
    return _NUMERIC.match(name) is not None and not _public_number(name)


def _public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    shown = (isinstance(address, ipaddress.IPv6Address) and _inner(address)) or address
    is_special = any(either in network for either in (address, shown) for network in _NOT_GLOBAL)
    return not is_special and shown.is_global and not shown.is_multicast


def _inner(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address in an IPv6 address: mapped, compatible, 6to4, ISATAP, or behind a NAT64."""
    if (
        any(address in network for network in _LAST_BITS)
        or int(address) >> 32 & 0xFFFF_FFFF in _ISATAP
    ):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def _public_number(name: str) -> bool:
    """Whether an old spelling of an IPv4 address (127.1, 2130706433, 0x7f.1, 0177.0.0.1) is
    public."""
    with suppress(ValueError):
        parts = [
            int(part, 16 if "x" in part else 8 if part.startswith("0") else 10)
            for part in name.split(".")
        ]
        value = parts[-1] + sum(part << (24 - 8 * place) for place, part in enumerate(parts[:-1]))
        return _public(ipaddress.IPv4Address(value))
    return False
