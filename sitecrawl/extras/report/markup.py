"""HTML from the templates of a package; everything except Markup is escaped."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from importlib.resources import files
from shlex import quote
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sitecrawl.text.chars import printable

_DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

REPORT = "sitecrawl.extras.report"


def render(template: str, /, *, package: str = REPORT, **shown: Any) -> str:
    return _environment(package).get_template(template).render(shown)


@cache
def asset(name: str, package: str = REPORT) -> str:
    return files(package).joinpath(name).read_text("utf-8")


@cache
def _environment(package: str) -> Environment:
    made = Environment(
        loader=PackageLoader(package, "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_without_direction,
        trim_blocks=True,
    )
    made.filters |= {one.__name__: one for one in (web, short, day, moment, printable, quote)}
    return made


def _without_direction(value: Any) -> Any:
    """What is shown, without signs that turn the direction of a line: a stranger's would turn ours."""
    if isinstance(value, str) and not isinstance(value, Markup) and not value.isascii():
        return _DIRECTION.sub("", value)
    return value


def web(url: str) -> str:
    """A URL if a link may lead to it (http or https), else ``#``.

    >>> web("https://example.com/"), web("javascript:alert(1)")
    ('https://example.com/', '#')
    """
    return url if url.startswith(("http://", "https://")) else "#"


def short(url: str, most: int = 60) -> str:
    """A URL without its scheme, cut in the middle.

    >>> short("https://example.com/" + "a" * 80, 30)
    'example.com/aa…aaaaaaaaaaaaaaa'
    """
    text = printable(url).removeprefix("https://").removeprefix("http://")
    half = most // 2
    return text if len(text) <= most else f"{text[: most - half - 1]}…{text[-half:]}"


def day(moment: str, now: str = "") -> str:
    """The day of a moment (ISO 8601), with the year only if it differs from that of ``now``.

    >>> day("2026-11-14T06:00:00Z", "2026-11-22"), day("2025-11-14"), day("")
    ('14 Nov', '14 Nov 2025', 'never')
    """
    try:
        found = datetime.fromisoformat(moment[:10])
    except ValueError:
        return moment[:10] or "never"
    return f"{found.day} {found:%b}" + ("" if moment[:4] == now[:4] else f" {found.year}")


def moment(text: str) -> str:
    """A moment in words.

    >>> moment("2026-11-23T06:12:40.000000Z")
    'Monday 23 Nov 2026, 06:12 UTC'
    """
    if not text:
        return "no visit yet"
    found = datetime.fromisoformat(text)
    return f"{found:%A} {found.day} {found:%b %Y, %H:%M} UTC"
