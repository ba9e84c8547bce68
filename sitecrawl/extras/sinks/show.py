"""`sitecrawl show`: the articles of a feed or of a crawled site, as a person reads them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from sitecrawl.commands._help import Help, OptionError
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.commands._sites import known_site, list_sites
from sitecrawl.crawl.store import Stores
from sitecrawl.errors import UnknownSiteError
from sitecrawl.items.readable import article_line, readable

Item = dict[str, Any]


class ShowCommand(OneLineErrors):
    """Lists items, the latest last, or prints some as text."""

    explains = Help(
        "List the articles of a feed or of a crawled site, or print some as text",
        {
            "[FILE|SITE]": "a .jsonl or .json feed, or the name, host or URL of a crawled site; without it the sites are listed",
            "N": "numbers of articles in that list, to print these",
        },
        (
            "sitecrawl show articles.jsonl",
            "sitecrawl show articles.jsonl 3",
            "sitecrawl show example.com | tail",
        ),
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        if not args:
            list_sites(self.known.stores, "show {}")
            return
        source, *numbers = args
        wanted = _numbers(numbers)
        items = list(_items(source, self.known.stores))
        if not items:
            raise OptionError(f"{source} holds no article yet")
        if outside := [number for number in wanted if number > len(items)]:
            raise OptionError(f"no article {outside[0]}: {source} holds {len(items)}")
        if wanted:
            print(*[readable(items[number - 1]) for number in wanted], sep="\n\n\n")
            return
        for number, item in enumerate(items, 1):
            print(f"{number:5}  {article_line(item)}")


def _numbers(words: list[str]) -> list[int]:
    for word in words:
        if not word.isdecimal() or int(word) < 1:
            raise OptionError(f"{word} is no number of an article: sitecrawl show FILE lists them")
    return [int(word) for word in words]


def _items(source: str, stores: Stores) -> Iterator[Item]:
    """The items of a feed, or those of a site. Raises OptionError for a word that is neither."""
    path = Path(source)
    if path.is_file():
        return _of_file(path)
    if path.suffix in (".jsonl", ".jl", ".json") or path.is_dir():
        raise OptionError(f"{source} is no file: give a feed, such as articles.jsonl")
    return _of_site(source, stores)


def _of_file(path: Path) -> Iterator[Item]:
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"{path} cannot be read ({error}): give a feed") from None
    try:
        rows = _rows(text)
    except (ValueError, RecursionError):
        raise OptionError(f"{path} is no feed in JSON: give a .jsonl or .json file") from None
    for row in rows:
        if isinstance(row, dict):
            yield row


def _rows(text: str) -> list[Any]:
    """The values of a feed: lines of JSON, a list, or the entries of a JSON Feed."""
    if text.lstrip().startswith("["):
        return list(json.loads(text))
    first, _, rest = text.lstrip().partition("\n")
    if rest and first.rstrip().endswith("}"):
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    whole = json.loads(text) if text.strip() else {}
    entries = whole.get("items") if isinstance(whole, dict) else None
    if isinstance(entries, list):
        return [_of_json_feed(entry) for entry in entries if isinstance(entry, dict)]
    return [whole] if whole else []


def _of_json_feed(entry: Item) -> Item:
    return {
        "url": entry.get("url"),
        "headline": entry.get("title"),
        "datePublished": entry.get("date_published"),
        "authors": entry.get("authors"),
        "articleBody": entry.get("content_text") or entry.get("summary"),
    }


def _of_site(name: str, stores: Stores) -> Iterator[Item]:
    """The items that crawls of a site wrote, in their order, each in its latest revision."""
    try:
        site = known_site(stores, name)
    except UnknownSiteError as error:
        raise OptionError(f"{name} is no file: {error}") from None
    with closing(stores.crawl(site)) as crawl:
        yield from crawl.items.all()
