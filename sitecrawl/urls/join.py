"""References of a page as absolute URLs. Plain ones, nearly all, need no general parser."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urljoin, urlsplit

_ABSOLUTE = re.compile(r"https?://[\w.:-]+(?:[/?#]|$)", re.ASCII)
_BELOW = re.compile(r"[\w%~][\w%~.-]*(?:[/?#]|$)", re.ASCII)
"""A reference whose first part is a plain name: it stands beside the page."""
_UP = re.compile(r"(?:\.\.?/)+")
"""What a reference begins with that is told from the page's folder or one above it."""


def join(base: str, href: str) -> str:
    """Absolute URL of ``href``, an empty string where it is junk; as ``urllib.parse.urljoin`` has it.

    >>> join("http://a.org/x/", "../b#c"), join("http://a.org/x/y.html?z", "b/c.html"), join("http://a.org/", "http://[bad")
    ('http://a.org/b#c', 'http://a.org/x/b/c.html', '')
    """
    href = href.strip()
    up = _UP.match(href) if href[:1] == "." else None
    rest = href[up.end() :] if up else href
    if _is_plain(rest):
        origin, folder = _places(base)
        if href[:1] == "/":
            if href[1:2] != "/" and origin:
                return origin + href
        elif _ABSOLUTE.match(href):
            return href
        elif folder and not (up and "//" in rest) and _BELOW.match(rest):
            return (_above(base, up[0].count("..")) if up else folder) + rest
    try:
        return urljoin(base, href.replace("\n", "").replace("\r", ""))
    except ValueError:
        return ""


def ascii_host(netloc: str) -> str:
    """Host and port of a URL in lower case, an international name as the network has it (RFC 3490) where it can be encoded.

    >>> ascii_host("BÜCHER.example:80"), ascii_host("Example.com"), ascii_host("a..ü")
    ('xn--bcher-kva.example:80', 'example.com', 'a..ü')
    """
    if netloc.isascii():
        return netloc.lower()
    name, colon, port = netloc.partition(":")
    try:
        return name.encode("idna").decode().lower() + colon + port
    except UnicodeError:
        return netloc.casefold()


def _is_plain(href: str) -> bool:
    """Whether nothing in a reference needs the general way: no dots to resolve, no odd characters, no empty end."""
    return "/." not in href and href.isprintable() and ";" not in href and "\\" not in href and href[-1:] not in "?#"


@lru_cache(maxsize=256)
def _above(base: str, levels: int) -> str:
    """The folder so many levels above that of a URL, the root at most; empty as that of :func:`_places`."""
    origin, folder = _places(base)
    names = folder[len(origin) + 1 :].split("/")[:-1]
    return "/".join([origin, *names[: max(0, len(names) - levels)], ""]) if folder else ""


@lru_cache(maxsize=256)
def _places(base: str) -> tuple[str, str]:
    """Origin and folder of a URL, each empty where references must go the general way."""
    try:
        parts = urlsplit(base)
    except ValueError:
        return "", ""
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return "", ""
    origin = f"{parts.scheme}://{parts.netloc}"
    plain = "/." not in parts.path and "//" not in parts.path and ";" not in parts.path
    return origin, f"{origin}{parts.path.rpartition('/')[0]}/" if plain else ""
