"""Crawl figures: ``python -m benchmarks.crawl [--unseen] [--sites a,b]``. Serves each site on loopback behind a proxy and crawls it whole.

With ``--unseen`` each site is crawled by models that were trained without it, in this process (``benchmarks.unseen``).
Prints recall of the site's articles (of those that links lead to, and of those that listing pages lead to), precision, harvest (articles a page fetched), body F1 and the share of items from templates.
What a crawl costs is measured by ``benchmarks.crawl_speed``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from benchmarks.corpora import DATA, rows, site_file, site_meta, site_names
from benchmarks.metrics import word_f1
from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import absolute

_INDEX = re.compile(r"/index\.html?$", re.I)
FAST = ("-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=16")


def crawl_command(start: str, feed: str, state: str, output: str = "-O") -> list[str]:
    """The command that crawls a whole site from ``start`` as fast as it can; ``output`` is ``-o`` to add to the feed."""
    of_site = ["-a", f"start={start}", "-a", "scope=site", output, feed, "-s", f"SITECRAWL_DATA_DIR={state}"]
    return [sys.executable, "-m", "scrapy", "crawl", "site", *of_site, *FAST]


@contextmanager
def proxied(name: str) -> Iterator[tuple[str, list[tuple[str, bool]]]]:
    """A proxy that answers for one site; its address and the URLs asked for, each with whether there was a page."""
    host, asked = site_meta(name)["host"], list[tuple[str, bool]]()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            file = site_file(name, self.path) if urlsplit(self.path).hostname == host else None
            body = file.read_bytes().replace(b"https://" + host.encode(), b"http://" + host.encode()) if file else b""
            asked.append((self.path, file is not None))
            self.send_response(200 if file else 404)
            self.send_header(
                "Content-Type", "text/html" if file is None or file.suffix in (".html", ".htm", "") else "text/plain"
            )
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


def measured(command: list[str], proxy: str, folder: str | None = None) -> float:
    """CPU seconds of a command that talks through ``proxy``."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env={**os.environ, "http_proxy": proxy}, cwd=folder, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def crawl(name: str) -> dict[str, float | str | None]:
    """The row of one site."""
    start = f"http://{site_meta(name)['host']}{start_of(name)}"
    with tempfile.TemporaryDirectory() as folder, proxied(name) as (proxy, asked):
        feed = Path(folder) / "out.jsonl"
        measured(crawl_command(start, str(feed), f"{folder}/state"), proxy)
        items = list(rows(feed))
    return {"site": name, **score(name, items), "fetched": sum(there for _, there in asked)}


def start_of(name: str) -> str:
    """Path of the first start page whose listing pages lead to a fifth of the articles; a mirror may lack its home page."""
    truth = {_path(row["path"]) for row in rows(DATA / "sites" / name / "articles.jsonl")}
    starts = (site_meta(name).get("start") or ["/"])[:6]
    led = {start: len(truth & reachable(name, truth, start)) for start in starts}
    return next((start for start in starts if 5 * led[start] >= len(truth)), max(starts, key=lambda start: led[start]))


def reachable(name: str, closed: AbstractSet[str] = frozenset(), start: str = "") -> set[str]:
    """Paths that links lead to from the site's start page: some articles of a cut mirror are linked from nowhere.

    The links of ``closed`` pages are not followed.
    """
    meta = site_meta(name)
    first = start or start_of(name)
    hosts, seen, queue = {meta["host"], *meta.get("aliases", [])}, {first}, [first]
    while queue:
        path = queue.pop()
        file = site_file(name, path) if _path(path) not in closed else None
        page = parse(file.read_bytes(), f"http://{meta['host']}{path}") if file else None
        for anchor in page.root.iter("a") if page else ():
            target = urlsplit(absolute(anchor.get("href") or "", page.url) or "")
            if target.hostname in hosts and target.path not in seen:
                seen.add(target.path)
                queue.append(target.path)
    return {_path(path) for path in seen}


def score(name: str, items: list[dict[str, object]]) -> dict[str, float | None]:
    """Recall over the articles that links lead to, precision, hits, body F1, share of items from templates."""
    truth = {
        _path(row["path"]): row
        for row in rows(DATA / "sites" / name / "articles.jsonl")
        if site_file(name, row["path"])
    }
    have = {_path(str(item["url"])): item for item in items}
    want, listed = truth.keys() & reachable(name), truth.keys() & reachable(name, truth.keys())
    hits = truth.keys() & have.keys()
    texts = [word_f1(truth[path]["text"], str(have[path]["articleBody"])) for path in hits if truth[path].get("text")]
    template = sum(json.dumps(item["provenance"]).startswith('{"method": "template"') for item in items)
    return {
        "items": len(items),
        "recall": round(len(have.keys() & want) / len(want), 4) if want else None,
        "recall_listed": round(len(have.keys() & listed) / len(listed), 4) if listed else None,
        "precision": round(len(hits) / max(1, len(have)), 4),
        "body_f1": round(sum(texts) / len(texts), 4) if texts else None,
        "template": round(template / max(1, len(items)), 4),
        "hits": len(hits),
    }


def _path(url: str) -> str:
    """The path of a URL; a folder and its index file are one."""
    return _INDEX.sub("", unquote(urlsplit(url).path)).rstrip("/")


def unseen(names: list[str]) -> Iterator[dict[str, float | str | None]]:
    """The rows of sites, each crawled by models that have not seen it."""
    from benchmarks import unseen as by_fold

    with tempfile.TemporaryDirectory() as folder:
        for fold in by_fold.models(names, Path(folder)):
            for name in sorted(set(fold.sites) & set(names)):
                items, asked, said = by_fold.crawl(name, fold, start_of(name))
                yield {"site": name, **score(name, items), "fetched": sum(there for _, there in asked), "said": said}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sites", default="", help="names of sites, with commas (default: all)")
    parser.add_argument("--unseen", action="store_true", help="crawl each site with models trained without it")
    args = parser.parse_args()
    names = args.sites.split(",") if args.sites else site_names()
    found = []
    for row in unseen(names) if args.unseen else map(crawl, names):
        row["harvest"] = round(float(row["hits"] or 0) / max(1.0, float(row["fetched"] or 1)), 4)
        found.append(row)
        print(json.dumps(row), flush=True)
    for key in ("recall", "recall_listed", "precision", "body_f1", "template", "harvest"):
        values = [float(row[key]) for row in found if row.get(key) is not None]  # type: ignore[arg-type]
        print(f"mean {key}: {sum(values) / max(1, len(values)):.4f}")
    return 0 if found else 2


if __name__ == "__main__":
    sys.exit(main())
