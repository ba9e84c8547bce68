"""Posts of forums and comments as records, with the names of elements and without: ``python -m benchmarks.posts``.

F1 over the posts after the first, macro by forum of harvest_forum (its 30 forums whose truth is on the page to 90 % or more);
a post is found where a record's text has a word F1 of .9. Each page is read alone, since a forum has two. ``containers off`` takes class, id, role,
microdata and ``data-`` attributes off every element but inline ones and headings, ``all off`` off every element. A third of the forums, chosen by
the hash of their names, was looked at as figures only when the rules were made.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from lxml import etree

import sitecrawl
from benchmarks.corpora import DATA, order, rows
from benchmarks.metrics import word_f1
from sitecrawl.dom.parse import parse

_KEPT = frozenset("a span time abbr cite b strong em i p img h1 h2 h3 h4 h5 h6 meta body html".split())
_NAMES = frozenset("class id itemprop itemtype itemscope role rel name".split())
_FOUND, _COVERED = 0.9, 0.9
WAYS = ("as served", "containers off", "all off")


@dataclass(frozen=True, slots=True)
class Thread:
    """A page of a forum; ``scored`` is the one that the figures of the first column are of."""

    forum: str
    url: str
    file: Path
    posts: list[dict[str, Any]]
    scored: bool


def threads() -> Iterator[Thread]:
    """Pages of harvest_forum, in the order of the hashes of their names."""
    folder, forums = DATA / "corpora" / "harvest_forum", defaultdict(list)
    for row in rows(folder / "truth.jsonl"):
        if len(row.get("posts") or []) > 1 and row.get("cov", 1) >= _COVERED:
            forums[row["site"]].append(row)
    for forum, pages in sorted(forums.items()):
        pages.sort(key=lambda row: order(row["id"]))
        for number, row in enumerate(pages):
            file = folder / "pages" / f"{row['id']}.html"
            yield Thread(forum, row.get("url") or f"http://{forum}/", file, row["posts"], number >= len(pages) // 2)


def without_names(html: bytes, way: str) -> bytes:
    """The page without the names of its elements."""
    if way == WAYS[0]:
        return html
    root = parse(html).root
    for node in root.iter("*"):
        if way == WAYS[2] or node.tag not in _KEPT:
            for name in list(node.attrib):
                if str(name) in _NAMES or str(name).startswith(("data-", "aria-")):
                    del node.attrib[name]
    return etree.tostring(root, encoding="utf8", method="html")


def score(thread: Thread, way: str) -> tuple[float, float]:
    """F1 of the posts after the first, and the share of those found whose author is right."""
    html = without_names(thread.file.read_bytes(), way)
    found = sitecrawl.SiteModel().extract(html=html, url=thread.url).comments
    left, hits, named = list(thread.posts[1:]), 0, 0
    for comment in found:
        best = max(left, key=lambda post: word_f1(post["text"], comment.text), default=None)
        if best is not None and word_f1(best["text"], comment.text) >= _FOUND:
            left.remove(best)
            author = (comment.author or "").casefold().strip()
            hits, named = hits + 1, named + (bool(author) and author in str(best.get("user") or "").casefold())
    return 2 * hits / (len(found) + len(thread.posts) - 1), named / max(1, hits)


def is_apart(forum: str) -> bool:
    """Whether a forum was looked at as a figure only."""
    return int(order(forum), 16) % 3 == 0


def main() -> None:
    """Prints a line a way of naming."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    print(f"{'names':15} posts F1  open  apart  the other pages  author right")
    for way in WAYS:
        scored = [(thread, *score(thread, way)) for thread in threads()]
        first = [(thread, value) for thread, value, _ in scored if thread.scored]
        means = [
            fmean(value for _, value in first),
            fmean(value for thread, value in first if not is_apart(thread.forum)),
            fmean(value for thread, value in first if is_apart(thread.forum)),
            fmean(value for thread, value, _ in scored if not thread.scored),
            fmean(right for thread, _, right in scored if thread.scored),
        ]
        print(f"{way:15} {means[0]:8.3f} {means[1]:5.3f}  {means[2]:5.3f}  {means[3]:15.3f}  {means[4]:12.3f}")


if __name__ == "__main__":
    main()
