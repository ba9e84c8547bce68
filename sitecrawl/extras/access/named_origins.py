"""Which origins (scheme, host and port) may get the headers, cookies and passwords that a user gave
for a host."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import urlsplit

from sitecrawl.extras.access.access_file import Access, rule_of
from sitecrawl.urls.scope import ascii_host, registered_domain

_PORTS = {"http": 80, "https": 443}


class Origin(NamedTuple):
    """What the secrets of a user are bound to. The host is in ASCII and lower case."""

    scheme: str
    host: str
    port: int


def origin_of(url: str) -> Origin | None:
    """The origin of an http(s) URL; None for any other URL.

    >>> origin_of("https://Example.com/a"), origin_of("http://example.com:81/"), origin_of("ftp://example.com/")
    (Origin(scheme='https', host='example.com', port=443), Origin(scheme='http', host='example.com', port=81), None)
    """
    with suppress(ValueError):
        parts = urlsplit(url)
        if parts.scheme in _PORTS and parts.hostname:
            host = ascii_host(parts.hostname)
            return Origin(parts.scheme, host, parts.port or _PORTS[parts.scheme])
    return None


class NamedOrigins:
    """The origins that the user named: by ``origins`` of a rule, else by its login page, else by
    the start URLs that he ``typed``. A host of a rule that none of them names counts with the usual
    ports. http counts only where no https is named."""

    def __init__(self, rules: list[Access], typed: Iterable[str]) -> None:
        self.rules = rules
        self.typed = _origins(typed)
        self.upgraded = set[str]()
        """Hosts that led from http to https: nothing secret goes to their http any more."""

    def are_named(self, url: str) -> bool:
        """Whether headers, cookies and passwords of its host may be sent to a URL."""
        origin = origin_of(url)
        if origin is None:
            return False
        rule = rule_of(self.rules, url)
        named = self._of_host(origin.host, rule)
        if rule and rule.origins:
            return origin in named
        if origin.scheme == "http":
            return origin in named and origin.host not in self.upgraded
        # a host that is known by http only may move to https
        return origin in named or not _by_scheme(named, "https")

    def names_http(self, host: str) -> bool:
        """Whether secrets of a host may be sent without encryption."""
        if host in self.upgraded:
            return False
        rule = rule_of(self.rules, f"//[{host}]" if ":" in host else f"//{host}")
        named = self._of_host(host, rule)
        return bool(_by_scheme(named, "http"))

    def moved(self, source: str, target: str) -> None:
        """Called for a redirect: remembers hosts that lead from http to https."""
        left = origin_of(source)
        met = origin_of(target)
        if left is None or met is None:
            return
        if left.scheme == met.scheme or met.scheme == "http":
            return
        rule = rule_of(self.rules, source)
        is_same_rule = rule is not None and rule is rule_of(self.rules, target)
        if is_same_rule or left.host == met.host:
            self.upgraded.add(left.host)
            self.upgraded.add(met.host)

    def _of_host(self, host: str, rule: Access | None) -> list[Origin]:
        """The origins of a host that may get secrets. The file counts more than what was typed."""
        if rule and rule.origins:
            return _origins(rule.origins)
        near = self._near(host, rule)
        page = _login_page(rule)
        if page is not None:
            if page.host == host:
                return [page]
            near.append(page)
        # whoever names https does not want secrets to be read on the way
        near = _by_scheme(near, "https") or near
        own = [origin for origin in near if origin.host == host]
        return own or _usual(host, near)

    def _near(self, host: str, rule: Access | None) -> list[Origin]:
        """What was typed of the hosts of a rule, or of a domain without a rule."""
        if rule is not None:
            return [origin for origin in self.typed if rule.covers(origin.host)]
        domain = registered_domain(host)
        return [origin for origin in self.typed if registered_domain(origin.host) == domain]


def _origins(urls: Iterable[str]) -> list[Origin]:
    found = map(origin_of, urls)
    return [origin for origin in found if origin is not None]


def _by_scheme(origins: list[Origin], scheme: str) -> list[Origin]:
    return [origin for origin in origins if origin.scheme == scheme]


def _login_page(rule: Access | None) -> Origin | None:
    if rule is None or not rule.login:
        return None
    return origin_of(rule.login["page"])


def _usual(host: str, near: list[Origin]) -> list[Origin]:
    """A host that nobody named, with the usual ports; by http if others ``near`` are named so."""
    usual = [Origin("https", host, _PORTS["https"])]
    if _by_scheme(near, "http"):
        usual.append(Origin("http", host, _PORTS["http"]))
    return usual
