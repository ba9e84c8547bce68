"""Which pages belong to a crawl or to one owner: host, registered domain, scope."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from sitecrawl.urls.join import ascii_host

if TYPE_CHECKING:
    from tldextract import TLDExtract


@dataclass(frozen=True, slots=True)
class Scope:
    """Which pages a crawl may fetch: ``hosts`` (without ``www.``) and, for a section, the ``folders`` of its start pages."""

    hosts: frozenset[str]
    folders: tuple[str, ...] = ()

    @classmethod
    def of(cls, starts: tuple[str, ...], scope: str) -> Scope:
        folders = () if scope == "site" else tuple(_folder(url) for url in starts)
        return cls(frozenset(host_of(url) for url in starts), folders)

    def holds(self, url: str) -> bool:
        """Whether ``url`` is on a host asked for."""
        return host_of(url) in self.hosts

    def holds_section(self, url: str) -> bool:
        """Whether a listing page belongs to the section asked for."""
        if not self.holds(url):
            return False
        path = unquote(urlsplit(url).path)
        return not self.folders or any(path.startswith(folder) for folder in self.folders)


def host_of(url: str) -> str:
    """Host and port of a URL without ``www.``, empty for a broken one."""
    try:
        return bare_host(urlsplit(url).netloc)
    except ValueError:
        return ""


def bare_host(netloc: str) -> str:
    """Host and port of the network location of a URL, without user name, ``www.`` and the usual ports."""
    host = ascii_host(netloc.rpartition("@")[2])
    return host.removeprefix("www.").removesuffix(":80").removesuffix(":443")


@lru_cache(maxsize=512)
def registered_domain(host: str) -> str:
    """The part of a host name that its owner registered, by the public suffix list bundled with tldextract; hosts without one are their own.

    >>> registered_domain("www.example.com.cn"), registered_domain("ann.blogspot.com"), registered_domain("10.0.0.1:80")
    ('example.com.cn', 'ann.blogspot.com', '10.0.0.1')
    """
    name = host.partition(":")[0]
    return _suffixes()(name).top_domain_under_public_suffix or name


@lru_cache(maxsize=1)
def _suffixes() -> TLDExtract:
    """The bundled list, read on first use; nothing is downloaded and nothing is cached on disk."""
    from tldextract import TLDExtract

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


def _folder(url: str) -> str:
    path = unquote(urlsplit(url).path)
    return path if path.endswith("/") else path.rpartition("/")[0] + "/"
