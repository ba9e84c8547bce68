"""Whole crawls of the sites at hand. Each site is crawled in this process, with the files of the
mirror for a network; with --unseen by a set of models that has not seen its fold of the sites; else
a row says which models have seen the site (``seen``). Prints recall of the site's
articles (of those that links lead to, and of those that listing pages lead to), precision, harvest
(articles a page fetched, and a request), word F1 of the bodies, the share of items from templates,
and the CPU time of a page fetched (ms), without the network's."""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from lxml import etree

from benchmarks import harness, model_sets
from benchmarks.harness import (
    Table,
    mean,
    page_url,
    site_file,
    site_hosts,
    site_meta,
    site_names,
    site_rows,
    word_f1,
)
from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import absolute
from sitecrawl.items.feed_items import identity
from tests.crawl.driver import Crawl, Network, Reply
from tests.postgres import places

_INDEX = re.compile(r"/index\.html?$", re.I)
MOST = 20_000  # requests after which a crawl is taken for one without end


def main(arguments: list[str]) -> int:
    args = harness.asked(
        *(__doc__, arguments),
        sites=harness.SITES,
        unseen=(False, "crawl each site with models trained without it"),
        scope=("site", "site, or section: what the command crawls unless told otherwise"),
        kills=(0, "instead of all that: what so many kills after answers at random change"),
        seed=(0, "of the kills"),
        database=(False, "with --kills: the state in a PostgreSQL server of its own"),
    )
    names, table = site_names(args.sites), Table("site")
    if args.kills:
        return interrupted(names, table, args=args)
    seen = (without_network(name, scope=args.scope) for name in names)
    for name, items, figures in by_unseen_models(names, scope=args.scope) if args.unseen else seen:
        found = score(name, items)
        harvest, asked = (
            round(found["hits"] / max(1, figures[what]), 4) for what in ("fetched", "asked")
        )
        seen = {} if args.unseen else model_sets.marks(name)
        table.add(name, **found, **figures, harvest=harvest, harvest_asked=asked, **seen)
    return 0 if table.summary() else 2


Crawled = tuple[str, list[dict[str, Any]], dict[str, Any]]
"""The name of a site, the items of its crawl, and figures of the crawl."""


def without_network(name: str, **settings: Any) -> Crawled:
    """A crawl of a mirror in this process."""
    with tempfile.TemporaryDirectory() as folder:
        there = list[bool]()
        crawl = Crawl.of(
            network_of(name, there), Path(folder), start=page_url(name, start_of(name)), **settings
        )
        seconds = harness.spent(crawl.run)
        cost = round(1e3 * seconds / max(1, sum(there)), 1)
        return name, crawl.feed, {"fetched": sum(there), "asked": len(there), "cpu_ms_page": cost}


def network_of(name: str, there: list[bool] | None = None) -> Network:
    """The files of a mirror for a network. ``there`` grows by whether it has the page of each
    request."""

    def answer(url: str) -> Reply:
        parts = urlsplit(url)
        file = site_file(name, parts.path) if parts.hostname in site_hosts(name) else None
        if there is not None:
            there.append(file is not None)
        if file is None:
            return Reply(b"", 404)
        path, host = unquote(parts.path), site_meta(name)["host"].encode()
        if file.stem == "index" and path.rpartition("/")[2] not in ("", "index", file.name):
            return Reply(
                to=parts._replace(path=f"{path}/").geturl()
            )  # servers redirect to the folder
        body = file.read_bytes().replace(
            b"https://" + host, b"http://" + host
        )  # the truth names http
        return Reply(body, kind="text/html")

    return Network({"*": answer}, most=MOST)


# ---- by models that have not seen the site
def by_unseen_models(names: list[str], **settings: Any) -> Iterator[Crawled]:
    """Crawls of sites, each by a set of models that has not seen its fold."""
    for process, held in model_sets.by_folds(names):
        for name in held:
            yield process.submit(without_network, name, **settings).result()


# ---- what is right
def start_of(name: str) -> str:
    """Path of the first start page whose listing pages lead to a fifth of the articles; a mirror
    may lack its home page."""
    truth = {path_of(row["path"]) for row in site_rows(name)}
    starts = (site_meta(name).get("start") or ["/"])[:6]
    led = {start: len(truth & reachable(name, start, closed=truth)) for start in starts}
    return next(
        (start for start in starts if 5 * led[start] >= len(truth)),
        max(starts, key=lambda start: led[start]),
    )


def reachable(name: str, start: str, *, closed: AbstractSet[str] = frozenset()) -> set[str]:
    """Paths that links lead to from a start page; the links of ``closed`` pages are not followed.
    Some articles of a cut mirror are linked from nowhere."""
    seen, queue = {start}, [start]
    while queue:
        path = queue.pop()
        found = set(linked_paths(name, path) if path_of(path) not in closed else ()) - seen
        seen |= found
        queue += found
    return {path_of(path) for path in seen}


def linked_paths(name: str, path: str) -> list[str]:
    """The paths of a site that the links of one of its pages lead to, in their order."""
    file = site_file(name, path)
    page = parse(file.read_bytes(), page_url(name, path)) if file else None
    found = (target_of(name, node, page.url) for node in page.root.iter("a")) if page else ()
    return [*filter(None, found)]


def target_of(name: str, node: etree._Element, base: str) -> str:
    """The path of a link within the site, else empty."""
    parts = urlsplit(absolute(node.get("href") or "", base) or "")
    return (parts.path or "/") if parts.hostname in site_hosts(name) else ""


def score(name: str, items: list[dict[str, Any]]) -> dict[str, Any]:
    """Recall over the articles that links lead to, precision, hits, word F1 of the bodies, share of
    items from templates. Pages that a user could want either way (``taste`` in the site's facts)
    count neither as right nor as wrong."""
    start, taste = start_of(name), {path_of(path) for path in site_meta(name).get("taste", [])}
    truth = {path_of(row["path"]): row for row in site_rows(name) if site_file(name, row["path"])}
    have = {path: item for item in items if (path := path_of(str(item["url"]))) not in taste}
    want = (truth.keys() & reachable(name, start)) - taste
    listed = (truth.keys() & reachable(name, start, closed=truth.keys())) - taste
    hits = truth.keys() & have.keys()
    return {
        "items": len(items),
        "recall": round(len(have.keys() & want) / len(want), 4) if want else None,
        "recall_listed": round(len(have.keys() & listed) / len(listed), 4) if listed else None,
        "precision": round(len(hits) / max(1, len(have)), 4),
        "body_f1": mean(
            word_f1(truth[it]["text"], have[it]["articleBody"])
            for it in hits
            if truth[it].get("text")
        ),
        "template": mean(float(item["provenance"]["method"] == "template") for item in items),
        "hits": len(hits),
    }


def path_of(url: str) -> str:
    """The path of a URL; a folder and its index file are one."""
    return _INDEX.sub("", unquote(urlsplit(url).path)).rstrip("/")


# ---- what kills change
def interrupted(names: list[str], table: Table, *, args: argparse.Namespace) -> int:
    """Crawls sites undisturbed, and killed and continued. Prints the articles that the killed crawl
    lost, those that it has more, those with the same body, and the answers of both; 1 when anything
    differs."""
    for name in names:
        plain, answers = bodies(name, set(), is_server=args.database)
        moments = random.Random(args.seed).sample(range(1, answers), min(args.kills, answers - 1))
        killed, again = bodies(name, set(moments), is_server=args.database)
        same = sum(killed.get(url) == body for url, body in plain.items())
        lost, more = len(plain.keys() - killed.keys()), len(killed.keys() - plain.keys())
        table.add(
            name,
            items=len(plain),
            lost=lost,
            more=more,
            same=same,
            answers=answers,
            answers_killed=again,
        )
    table.summary()
    return int(any(row["lost"] or row["more"] or row["same"] < row["items"] for row in table.found))


def bodies(name: str, kills: set[int], *, is_server: bool) -> tuple[dict[str, str], int]:
    """The bodies of a crawl's articles by URL, and the number of its answers. It is killed after
    the answers of these numbers."""
    with (
        tempfile.TemporaryDirectory() as folder,
        places("postgresql" if is_server else "sqlite", Path(folder)) as at,
    ):
        feed, network, answers = list[dict[str, Any]](), network_of(name), 0

        def begun() -> Crawl:
            start = page_url(name, start_of(name))
            crawl = Crawl.of(network, at.data_dir, feed, start=start, database=at.database)
            crawl.take(crawl.session.begin(frozenset(map(identity, feed)), lambda: list(feed)))
            return crawl

        crawl = begun()
        while True:
            is_idle, step = not crawl.waiting, crawl.answer()
            answers += 1
            if is_idle and not step:
                crawl.end()
                return {item["url"]: item["articleBody"] for item in feed}, answers
            if answers in kills:
                crawl.kill()
                crawl = begun()
