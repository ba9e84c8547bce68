"""Three visits of each mirror, in this process and without a network. The newest articles near its
start page are hidden on the first visit: their pages do not exist, and no page links to them. They
appear on the second, and nothing changes on the third. Prints the share of the other articles that
the first visit finds, that of the hidden ones that the second finds, the requests of each visit,
and the items of the third."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from lxml import etree

from benchmarks import crawl, harness, model_sets
from benchmarks.harness import Table, page_url, site_file, site_names, site_rows
from sitecrawl.urls.pattern import turns_pages
from tests.crawl.driver import Crawl, Network, Reply


def main(arguments: list[str]) -> int:
    args = harness.asked(
        *(__doc__, arguments),
        sites=harness.SITES,
        scope=("section", "section, as the command crawls unless told otherwise, or site"),
        later=("normal", "effort of the second and third visit"),
    )
    table = Table("site")
    for name in site_names(args.sites):
        if figures := visited(name, scope=args.scope, later=args.later):
            table.add(name, **figures, **model_sets.marks(name))
    return 0 if table.summary() else 2


def visited(
    name: str, *, scope: str, later: str, share: float = 0.1, least: int = 3, most: int = 20
) -> dict[str, Any]:
    """Figures of three visits; {} where no list near the start page shows an article."""
    rows = {
        crawl.path_of(row["path"]): row for row in site_rows(name) if site_file(name, row["path"])
    }
    start, feed = crawl.start_of(name), list[dict[str, Any]]()
    listed = rows.keys() & crawl.reachable(name, start, closed=rows.keys())
    near = sorted(
        listed & near_start(name, start, rows.keys(), scope=scope),
        key=lambda path: (rows[path]["date"] or "", path),
    )
    hidden = set(near[-max(least, min(most, int(share * len(listed)))) :])
    figures: dict[str, Any] = {"hidden": len(hidden)}
    with tempfile.TemporaryDirectory() as folder:
        for visit in (1, 2, 3) if hidden else ():
            network, before = without(name, hidden if visit == 1 else set()), len(feed)
            effort = later if visit > 1 else "normal"
            Crawl.of(
                network, Path(folder), feed, start=page_url(name, start), scope=scope, effort=effort
            ).run()
            came = {crawl.path_of(item["url"]) for item in feed[before:]}
            figures[f"asked_{visit}"] = len(network.asked)
            if visit == 1:  # an article that came under another URL is no news
                heads = {item["headline"] for item in feed}
                news = {path for path in hidden if rows[path]["title"] not in heads}
                figures["first"] = round(
                    len(came & listed - hidden) / max(1, len(listed - hidden)), 4
                )
            if visit == 2:
                figures["news"] = round(len(came & news) / len(news), 4) if news else None
    return figures | {"items_3": len(came)} if hidden else {}


def near_start(name: str, start: str, articles: Any, *, scope: str) -> set[str]:
    """Articles that the start page shows, or the first page of a list that it names."""
    folder = start[: start.rfind("/") + 1] if scope == "section" else "/"
    first = crawl.linked_paths(name, start)
    lists = (
        path
        for path in dict.fromkeys(first)
        if path.startswith(folder) and not turns_pages(page_url(name, path))
    )
    more = (
        path
        for one in lists
        if crawl.path_of(one) not in articles
        for path in crawl.linked_paths(name, one)
    )
    return {crawl.path_of(path) for path in (*first, *more)} & set(articles)


def without(name: str, hidden: set[str]) -> Network:
    """The network of a site on which some articles do not exist yet."""
    plain = crawl.network_of(name).pages["*"]

    def answer(url: str) -> Reply:
        reply: Reply = plain(url)
        if crawl.path_of(url) in hidden:
            return Reply(b"", 404)
        return (
            Reply(_cut(name, reply.body, url, hidden=hidden), kind=reply.kind)
            if reply.body and hidden
            else reply
        )

    return Network({"*": answer}, most=crawl.MOST)


def _cut(name: str, body: bytes, url: str, *, hidden: set[str]) -> bytes:
    """A page without its links to hidden articles, each with the elements around it that hold no
    other link."""
    root = etree.fromstring(body, etree.HTMLParser(huge_tree=True))
    targets, gone = defaultdict[etree._Element, set[str]](set), list[etree._Element]()
    links = list(root.iter("a")) if root is not None else []
    for node in links:
        for one in (node, *node.iterancestors()):
            targets[one].add(
                crawl.path_of(crawl.target_of(name, node, url)) or str(node.get("href"))
            )
    for node in links:
        if targets[node] <= hidden - {crawl.path_of(url)}:
            above = (one for one in node.iterancestors() if one.tag not in ("body", "html"))
            gone.append([node, *(one for one in above if targets[one] == targets[node])][-1])
    for node in dict.fromkeys(gone):
        behind = node.tail
        node.clear()
        node.tag, node.tail = "span", behind
    return etree.tostring(root, method="html", encoding="utf-8") if gone else body
