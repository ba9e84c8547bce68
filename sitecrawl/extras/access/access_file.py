"""Reads the access file (TOML: what each host needs) and files of cookies. A value ``$NAME`` is
read from the environment."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from http.cookiejar import Cookie, CookieJar, LoadError, MozillaCookieJar
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sitecrawl.errors import FileError
from sitecrawl.urls.scope import ascii_host

_NO_HOST = re.compile(r"[/*@]|:\d+$")  # a scheme, a pattern or a port in the name of a host
_LOGIN_KEYS = {"page", "user", "password"}


class AccessError(FileError):
    """A file of access rules cannot be used. The message holds no value of it."""

    kind = "access file"


class CookieFileError(AccessError):
    """A file of cookies cannot be used."""

    kind = "cookie file"


@dataclass
class Access:
    """How a host and its subdomains are requested. ``login`` has ``page``, ``user`` and
    ``password``; ``proxies`` take turns; ``origins`` are the addresses (scheme, host and port) that
    get ``headers``, cookies and the login, if not those of the login page and the start pages."""

    host: str
    cookies: str = ""
    user_agent: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    proxies: list[str] = field(default_factory=list)
    login: dict[str, str] = field(default_factory=dict)
    origins: list[str] = field(default_factory=list)
    verify: bool = True

    def __post_init__(self) -> None:
        self.host = ascii_host(self.host).strip("[.]")
        self.turns = cycle([*map(_value, self.proxies)] or [""])
        self.headers = {name: _value(value) for name, value in self.headers.items()}
        if not isinstance(self.verify, bool):
            raise ValueError("verify is true or false")
        for url in self.origins:
            self._check_origin(url)
        if self.login:
            self.login = _login(self.login)

    def covers(self, host: str) -> bool:
        return f".{host}".endswith(f".{self.host}")

    def _check_origin(self, url: str) -> None:
        parts = urlsplit(url)
        is_bare = parts.path in ("", "/") and not parts.query and "@" not in parts.netloc
        is_own = self.covers(ascii_host(parts.hostname or ""))
        _ = parts.port  # raises ValueError for one that is no number
        if parts.scheme not in ("http", "https") or not is_bare or not is_own:
            raise ValueError(
                f"origins are addresses of {self.host} such as https://{self.host} or http://{self.host}:8080"
            )


def _login(given: Mapping[str, str]) -> dict[str, str]:
    """The values of a login. Raises ValueError if one is missing, or would be seen by others."""
    if {*given} != _LOGIN_KEYS or not given["password"].startswith("$"):
        raise ValueError(
            "login needs page, user and password, and the password is $NAME of the environment"
        )
    values = {name: _value(value) for name, value in given.items()}
    parts = urlsplit(values["page"])
    if parts.scheme not in ("http", "https") or "@" in parts.netloc:
        raise ValueError(
            "page of login is a URL with http:// or https://, without name and password"
        )
    return values


def rule_of(rules: list[Access], url: str) -> Access | None:
    """The rule that covers the host of a URL: that of the host itself comes before that of its
    domain."""
    host = urlsplit(url).hostname or ""
    covering = [rule for rule in rules if rule.covers(host)]
    return max(covering, key=lambda rule: len(rule.host), default=None)


def read_access(path: Path) -> list[Access]:
    """The rules of a file: tables ``[access."example.com"]``. Raises AccessError."""
    try:
        text = path.read_text("utf-8-sig")
        return _rules(tomllib.loads(text).get("access", {}))
    except OSError as error:
        raise AccessError(path, error.strerror or "cannot be read", "name another") from None
    except (ValueError, AttributeError, TypeError) as error:
        raise AccessError(path, str(error), "correct it: see docs/access.md") from None


def _rules(tables: Mapping[str, Mapping[str, Any]]) -> list[Access]:
    """Raises ValueError for a name that is no host, for an unknown key and for a wrong value."""
    if not tables or any(_NO_HOST.search(host) for host in tables):
        raise ValueError(
            'no table [access."example.com"], with the name of a host and without a port'
        )
    known = {one.name for one in fields(Access)} - {"host"}
    for table in tables.values():
        unknown = sorted({*table} - known)
        if unknown:
            raise ValueError(f"no key {unknown[0]}: choose from {', '.join(sorted(known))}")
    return [Access(host=host, **table) for host, table in tables.items()]


def read_cookies(path: Path, jar: CookieJar) -> None:
    """Add the cookies of a file to a jar: lines as Netscape and curl write them, or a JSON list as
    browsers export it. Raises CookieFileError."""
    try:
        cookies = _cookies(path)
    except FileNotFoundError:
        raise CookieFileError(path, "no such file", "name another") from None
    except (OSError, LoadError, ValueError, KeyError, TypeError):
        cookies = []
    if not cookies:
        raise CookieFileError(path, "no cookies in Netscape or JSON form", "export them again")
    for cookie in cookies:
        cookie.expires = cookie.expires or None  # curl writes 0 for a session
        jar.set_cookie(cookie)


def _cookies(path: Path) -> list[Cookie]:
    text = path.read_text("utf-8-sig")
    if text.lstrip()[:1] not in ("[", "{"):
        lines = MozillaCookieJar(str(path))
        lines.load(ignore_discard=True, ignore_expires=True)
        return [*lines]
    found = json.loads(text)
    records = found["cookies"] if isinstance(found, dict) else found
    return [_cookie(one) for one in records]


def _cookie(one: Mapping[str, Any]) -> Cookie:
    domain = str(one["domain"])
    if "." not in domain:
        domain += ".local"  # as the jar names a host without a dot
    expires = one.get("expirationDate") or one.get("expires")
    until = int(expires) if expires and float(expires) > 0 else None
    return Cookie(
        version=0,
        name=str(one["name"]),
        value=str(one["value"]),
        port=None,
        port_specified=False,
        domain=domain,
        domain_specified=True,
        domain_initial_dot=domain.startswith("."),
        path=str(one.get("path") or "/"),
        path_specified=True,
        secure=bool(one.get("secure")),
        expires=until,
        discard=until is None,
        comment=None,
        comment_url=None,
        rest={},
    )


def _value(text: str) -> str:
    """A value of the file, ``$NAME`` from the environment. Raises ValueError where it is not set
    there."""
    if not text.startswith("$"):
        return text
    if text[1:] not in os.environ:
        raise ValueError(f"{text} is not set in the environment")
    return os.environ[text[1:]]
