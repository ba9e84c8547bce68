"""The arguments of the article spider of zyte-spider-templates (https://zyte-spider-templates.readthedocs.io), for a crawl of sitecrawl."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sitecrawl.crawl.config import ArgumentError

_FOREIGN = {
    "urls_file": "write the URLs into sites.toml, see docs/monitoring.md",
    "max_requests_per_seed": "give max_pages, which holds for all start pages; sitecrawl run has limits for each site",
    "extract_from": "write -s SITECRAWL_JS=always for browserHtml, -s SITECRAWL_JS=never for httpResponseBody",
    "geolocation": "name a proxy of that country in SITECRAWL_ACCESS, see docs/access.md",
    "incremental_collection_name": "SITECRAWL_DATA_DIR is where known articles are kept",
    "custom_attrs_input": "write a template for fields of your own, see docs/by-hand.md",
    "custom_attrs_method": "write a template for fields of your own, see docs/by-hand.md",
}
"""Arguments that no argument of ours stands for, and what to do instead."""


def zyte_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """The same arguments with our names. A ``url`` is crawled as a whole site, as there, unless ``scope`` says otherwise.

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
        raise ArgumentError("crawl_strategy can only be full here: sitecrawl extract URL... reads single articles")
    if str(left.pop("incremental", "true")).casefold() not in ("true", "1"):
        raise ArgumentError("incremental=false: add -s SITECRAWL_REWRITE=1, which writes known articles again")
    found = {"start": ",".join(line.strip() for line in lines if line.strip()), "scope": "site"} if lines else {}
    limit = {"max_pages": left.pop("max_requests")} if "max_requests" in left else {}
    return found | limit | left
