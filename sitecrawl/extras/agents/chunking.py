"""Articles in parts for an index, each with an id that stays the same."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from sitecrawl.extras.sinks.markdown_files import body_markdown
from sitecrawl.items.article import Article

# a heading of Markdown, or a block of code, in which a line may begin with # as well
_HEADING = re.compile(r"^ *(?P<fence>`{3,}).*?^ *(?P=fence)|^(?=#{1,6} )", re.M | re.S)


class Chunk(NamedTuple):
    """A part of an article: ``id`` is 32 hex digits, ``text`` is Markdown."""

    id: str
    heading: str
    text: str


def chunks(article: Article | dict[str, Any]) -> Iterator[Chunk]:
    """The parts of an article, or of an item of a feed, cut at its headings. An id depends on the
    article, the heading and its number, and not on the text: a changed part replaces what it was.

    >>> item = {"url": "http://a.example/1", "articleBodyHtml": "<h1>A</h1><p>b</p><h2>C</h2><p>d</p>"}
    >>> [(chunk.heading, " ".join(chunk.text.split())) for chunk in chunks(item)]
    [('A', '# A b'), ('C', '## C d')]
    """
    item = article if isinstance(article, dict) else article.to_dict()
    text = body_markdown(item)
    found = (match for match in _HEADING.finditer(text) if not match["fence"])
    starts = [match.start() for match in found]
    seen = Counter[str]()
    for start, end in pairwise([0, *starts, len(text)]):
        part = text[start:end].strip()
        if not part:
            continue
        heading = str(item.get("headline") or "")
        if part.startswith("#"):
            heading = part.splitlines()[0].lstrip("# ")
        seen[heading] += 1
        name = f"{item.get('id') or item['url']} {heading} {seen[heading]}"
        yield Chunk(hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:32], heading, part)
