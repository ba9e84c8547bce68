"""Posts of forums and comments as records, with the names of elements and without. F1 over the
posts after the first, macro by forum of harvest_forum (its 30 forums whose truth is on the page to
90 % or more); a post is found where a record's text has a word F1 of .9. Each page is read alone,
since a forum has two. ``containers off`` takes class, id, role, microdata and ``data-`` attributes
off every element but inline ones and headings, ``all off`` off every element."""

from __future__ import annotations

from lxml import etree

import sitecrawl
from benchmarks import model_sets
from benchmarks.harness import Example, Table, asked, corpus_examples, mean, word_f1
from sitecrawl.dom.parse import parse

_INLINE = frozenset(
    "a span time abbr cite b strong em i p img h1 h2 h3 h4 h5 h6 meta body html".split()
)
_NAMES = frozenset("class id itemprop itemtype itemscope role rel name".split())
_FOUND = 0.9
WAYS = ("as served", "containers off", "all off")


def without_names(html: bytes, way: str) -> bytes:
    """The page without the names of its elements."""
    if way == "as served":
        return html
    root = parse(html).root
    for node in root.iter("*"):
        if way == "all off" or node.tag not in _INLINE:
            for name in list(node.attrib):
                if str(name) in _NAMES or str(name).startswith(("data-", "aria-")):
                    del node.attrib[name]
    return etree.tostring(root, encoding="utf8", method="html")


def score(page: Example, way: str) -> tuple[float, float]:
    """F1 of the posts after the first, and the share of those found whose author is right."""
    found = sitecrawl.SiteModel().extract(html=without_names(page.body, way), url=page.url).comments
    left, hits, named = list(page.truth["posts"][1:]), 0, 0
    for comment in found:
        best = max(left, key=lambda post: word_f1(post["text"], comment.text), default=None)
        if best is not None and word_f1(best["text"], comment.text) >= _FOUND:
            left.remove(best)
            author = (comment.author or "").casefold().strip()
            hits, named = (
                hits + 1,
                named + (bool(author) and author in str(best.get("user") or "").casefold()),
            )
    return 2 * hits / (len(found) + len(page.truth["posts"]) - 1), named / max(1, hits)


def main(arguments: list[str]) -> None:
    asked(__doc__, arguments)
    found = corpus_examples("harvest_forum").values()
    forums = [[page for page in pages if len(page.truth.get("posts") or []) > 1] for pages in found]
    table = Table("names")
    for way in WAYS:
        scored = [[score(page, way) for page in pages] for pages in forums if pages]
        by_forum = [
            (mean(f1 for f1, _ in rows), mean(author for _, author in rows)) for rows in scored
        ]
        table.add(
            way,
            forums=len(scored),
            posts=mean(f1 for f1, _ in by_forum),
            author=mean(it for _, it in by_forum),
            **model_sets.marks("harvest_forum"),
        )
