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
        self.typed = [origin for url in typed if (origin := origin_of(url))]
        self.upgraded = set[str]()
        """Hosts that led from http to https: nothing secret goes to their http any more."""

    def are_named(self, url: str) -> bool:
        """Whether headers, cookies and passwords of its host may be sent to a URL."""
        origin = origin_of(url)
        if origin is None:
            return False
        rule = rule_of(self.rules, url)
        named = self._of_host(origin.host, rule)
        if origin in named:
            is_listed = rule is not None and bool(rule.origins)
            is_past = origin.scheme == "http" and origin.host in self.upgraded
            return is_listed or not is_past
        # a host that is known by http only may move to https
        moves_up = origin.scheme == "https" and all(one.scheme == "http" for one in named)
        return moves_up and not (rule and rule.origins)

    def names_http(self, host: str) -> bool:
        """Whether secrets of a host may be sent without encryption."""
        url = f"http://{f'[{host}]' if ':' in host else host}/"
        named = self._of_host(host, rule_of(self.rules, url))
        return host not in self.upgraded and any(one.scheme == "http" for one in named)

    def moved(self, source: str, target: str) -> None:
        """Called for a redirect: remembers hosts that lead from http to https."""
        left, met = origin_of(source), origin_of(target)
        if left is None or met is None or (left.scheme, met.scheme) != ("http", "https"):
            return
        is_same = left.host == met.host
        rule = rule_of(self.rules, source)
        if is_same or (rule is not None and rule is rule_of(self.rules, target)):
            self.upgraded |= {left.host, met.host}

    def _of_host(self, host: str, rule: Access | None) -> set[Origin]:
        """The origins of a host that may get secrets. The file counts more than what was typed."""
        if rule and rule.origins:
            return {origin for url in rule.origins if (origin := origin_of(url))}
        page = origin_of(rule.login.get("page", "")) if rule else None
        if page is not None and page.host == host:
            return {page}
        near = self._near(host, rule)
        if page is not None:
            near.append(page)
        # whoever names https does not want secrets to be read on the way
        if any(origin.scheme == "https" for origin in near):
            near = [origin for origin in near if origin.scheme == "https"]
        own = {origin for origin in near if origin.host == host}
        if own:
            return own
        usual = {Origin("https", host, _PORTS["https"])}
        if any(origin.scheme == "http" for origin in near):
            usual.add(Origin("http", host, _PORTS["http"]))
        return usual

    def _near(self, host: str, rule: Access | None) -> list[Origin]:
        """What was typed of the hosts of a rule, or of a domain without a rule."""
        if rule is not None:
            return [origin for origin in self.typed if rule.covers(origin.host)]
        domain = registered_domain(host)
        return [origin for origin in self.typed if registered_domain(origin.host) == domain]
