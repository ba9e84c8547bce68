"""The arguments of the article spider of zyte-spider-templates
(https://zyte-spider-templates.readthedocs.io), for a crawl of sitecrawl."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sitecrawl.crawl.config import ArgumentError
from sitecrawl.resources import table_beside

_FOREIGN: dict[str, str] = table_beside(
    __file__
)  # arguments without an equal here, and what to do instead


def zyte_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """The same arguments with our names. A ``url`` is crawled as a whole site, as there, unless
    ``scope`` says otherwise.

    Raises ArgumentError for one that has no equal here.

    >>> zyte_arguments({"url": "https://a.example/", "max_requests": "50", "crawl_strategy": "full"})
    {'start': 'https://a.example/', 'scope': 'site', 'max_pages': '50'}
    """
    if foreign := [name for name in _FOREIGN if given.get(name)]:
        raise ArgumentError(f"{foreign[0]} is no argument of sitecrawl: {_FOREIGN[foreign[0]]}")
    left = {name: value for name, value in given.items() if name not in _FOREIGN}
    urls = [left.pop(name) for name in ("url", "urls") if left.get(name)]
    lines = [line for one in urls for line in (one.splitlines() if isinstance(one, str) else one)]
    if left.pop("crawl_strategy", "full") != "full":
        raise ArgumentError(
            "crawl_strategy can only be full here: sitecrawl extract URL... reads single articles"
        )
    if str(left.pop("incremental", "true")).casefold() not in ("true", "1"):
        raise ArgumentError(
            "incremental=false: add -s SITECRAWL_REWRITE=1, which writes known articles again"
        )
    found = (
        {"start": ",".join(line.strip() for line in lines if line.strip()), "scope": "site"}
        if lines
        else {}
    )
    limit = {"max_pages": left.pop("max_requests")} if "max_requests" in left else {}
    return found | limit | left
