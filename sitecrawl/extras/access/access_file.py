"""Reads the access file (TOML: what each host needs) and files of cookies. A value ``$NAME`` is
read from the environment."""

from __future__ import annotations

import json
import os
import re
import tomllib
from dataclasses import dataclass, field, fields
from http.cookiejar import Cookie, CookieJar, LoadError, MozillaCookieJar
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sitecrawl.errors import FileError
from sitecrawl.urls.scope import ascii_host


class AccessError(FileError):
    """A file of access rules cannot be used. The message holds no value of it."""

    kind = "access file"


class CookieFileError(AccessError):
    """A file of cookies cannot be used."""

    kind = "cookie file"


@dataclass
class Access:
    """How a host and its subdomains are requested. ``login`` has ``page``, ``user`` and
    ``password``; ``proxies`` take turns."""

    host: str
    cookies: str = ""
    user_agent: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    proxies: list[str] = field(default_factory=list)
    login: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.host = ascii_host(self.host).strip("[.]")
        self.turns = cycle([*map(_value, self.proxies)] or [""])
        self.headers = {name: _value(value) for name, value in self.headers.items()}
        if self.user_agent:
            self.headers["User-Agent"] = self.user_agent
        if self.login:
            if {*self.login} != {"page", "user", "password"} or not self.login[
                "password"
            ].startswith("$"):
                raise ValueError(
                    "login needs page, user and password, and the password is $NAME of the environment"
                )
            self.login = {name: _value(value) for name, value in self.login.items()}

    def covers(self, host: str) -> bool:
        return f".{host}".endswith(f".{self.host}")


def rule_of(rules: list[Access], url: str) -> Access | None:
    """The rule that covers the host of a URL: that of the host itself comes before that of its
    domain."""
    covering = [rule for rule in rules if rule.covers(urlsplit(url).hostname or "")]
    return max(covering, key=lambda rule: len(rule.host), default=None)


def read_access(path: Path) -> list[Access]:
    """The rules of a file: tables ``[access."example.com"]``. Raises AccessError."""
    try:
        tables = tomllib.loads(path.read_text("utf-8-sig")).get("access", {})
        if not tables or any(re.search(r"[/*@]|:\d+$", host) for host in tables):
            raise ValueError(
                'no table [access."example.com"], with the name of a host and without a port'
            )
        known = {one.name for one in fields(Access)} - {"host"}
        if unknown := sorted({name for table in tables.values() for name in table} - known):
            raise ValueError(f"no key {unknown[0]}: choose from {', '.join(sorted(known))}")
        return [Access(host=host, **table) for host, table in tables.items()]
    except OSError as error:
        raise AccessError(path, error.strerror or "cannot be read", "name another") from None
    except (ValueError, AttributeError, TypeError) as error:
        raise AccessError(path, str(error), "correct it: see docs/access.md") from None


def read_cookies(path: Path, jar: CookieJar) -> None:
    """Add the cookies of a file to a jar: lines as Netscape and curl write them, or a JSON list as
    browsers export it. Raises CookieFileError."""
    try:
        text = path.read_text("utf-8-sig")
        if text.lstrip()[:1] in ("[", "{"):
            found = json.loads(text)
            cookies = [
                _cookie(one) for one in (found["cookies"] if isinstance(found, dict) else found)
            ]
        else:
            lines = MozillaCookieJar(str(path))
            lines.load(ignore_discard=True, ignore_expires=True)
            cookies = [*lines]
        if not cookies:
            raise ValueError
        for cookie in cookies:
            cookie.expires = cookie.expires or None  # curl writes 0 for a session
            jar.set_cookie(cookie)
    except FileNotFoundError:
        raise CookieFileError(path, "no such file", "name another") from None
    except (OSError, LoadError, ValueError, KeyError, TypeError):
        raise CookieFileError(
            path, "no cookies in Netscape or JSON form", "export them again"
        ) from None


def _cookie(one: dict[str, Any]) -> Cookie:
    domain, path = str(one["domain"]), str(one.get("path") or "/")
    domain += "" if "." in domain else ".local"  # as the jar names a host without a dot
    expires, dotted = one.get("expirationDate") or one.get("expires"), domain.startswith(".")
    until = int(expires) if expires and float(expires) > 0 else None
    return Cookie(0, str(one["name"]), str(one["value"]), None, False, domain, True, dotted, path, True,
                  bool(one.get("secure")), until, until is None, None, None, {})  # fmt: skip


def _value(text: str) -> str:
    """A value of the file, ``$NAME`` from the environment. Raises ValueError where it is not set
    there."""
    if not text.startswith("$"):
        return text
    if text[1:] not in os.environ:
        raise ValueError(f"{text} is not set in the environment")
    return os.environ[text[1:]]
