"""Ten real sites in one file, `sitecrawl work FILE --once` twice, then three days on which new
articles appear, each visited once: first undisturbed, then with kill -9 at random moments. Both runs
must bring the same items, each once.

Each run is a folder of its own, and each command a process. The sites come through a proxy on
loopback, so that nothing leaves this machine."""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks import crawl, visits
from benchmarks.harness import asked, order, page_url, site_hosts, site_names, site_rows
from tests.crawl.driver import Reply
from tests.crawl.runner import items_of, send, served
from tests.process import Started, finished

DAYS = 3
_EACH = 3  # articles that appear at a site on a day
_LEAST, _MOST = 20, 90  # articles of a site
_SETTINGS = """
DOWNLOAD_DELAY = 0
AUTOTHROTTLE_ENABLED = false
CONCURRENT_REQUESTS_PER_DOMAIN = 4
SITECRAWL_JS = "never"
"""


@dataclass
class ServedSite:
    """A site, and the articles that appear on each day."""

    name: str
    news: list[list[str]]
    today: int = 0
    answers: dict[int, Callable[[str], Reply]] = field(default_factory=dict)

    @property
    def start(self) -> str:
        return page_url(self.name, crawl.start_of(self.name))

    def answer(self, url: str) -> Reply:
        if self.today not in self.answers:
            hidden = {path for day in self.news[self.today :] for path in day}
            self.answers[self.today] = visits.without(self.name, hidden).pages["*"]
        return self.answers[self.today](url)


def sites_of(count: int) -> list[ServedSite]:
    """Open sites, chosen by a digest of their names, with the articles near their start pages that
    come last."""
    found = []
    for name in sorted(site_names("open"), key=order):
        if not _LEAST <= len(site_rows(name)) <= _MOST:
            continue
        rows = {crawl.path_of(row["path"]) for row in site_rows(name)}
        near = sorted(visits.near_start(name, crawl.start_of(name), rows, scope="section"))
        if len(near) > 2 * DAYS * _EACH:
            last = near[-DAYS * _EACH :]
            found.append(ServedSite(name, [last[at::DAYS] for at in range(DAYS)]))
        if len(found) == count:
            break
    return found


@dataclass
class Proxy:
    """Answers for all sites."""

    sites: list[ServedSite]
    hosts: dict[str, ServedSite] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for site in self.sites:
            self.hosts |= dict.fromkeys(site_hosts(site.name), site)

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        host = urlsplit(handler.path).hostname or ""
        if host not in self.hosts:
            send(handler, 502, b"")
            return
        reply = self.hosts[host].answer(handler.path)
        headers = {"Location": reply.to} if reply.to else {}
        status = 301 if reply.to else reply.status
        send(handler, status, reply.body, Content_Type=reply.kind, **headers)


@dataclass
class Run:
    """The commands of one run, in its folder."""

    sites: list[ServedSite]
    folder: Path
    proxy: str
    chance: random.Random
    kills: int = 0

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "sitecrawl", "work", "sites.toml", "--once", *words]

    def write_file(self) -> None:
        tables = "".join(
            f'\n[[site]]\nname = "{one.name}"\nstart = "{one.start}"\n' for one in self.sites
        )
        text = f'feed = "all.jsonl"\nevery = "1 day"\n[settings]{_SETTINGS}{tables}'
        (self.folder / "sites.toml").write_text(text)

    def work(self, *words: str) -> None:
        """One command to its end."""
        finished(self.command(*words), cwd=self.folder)

    def kill(self) -> None:
        """Begin to visit all sites, and be killed."""
        log = self.folder / "killed.log"
        started = Started(self.command("--all"), cwd=self.folder, out=log, err=log)
        time.sleep(self.chance.uniform(2.0, 12.0))
        started.send_signal(signal.SIGKILL)
        started.wait()

    def items(self) -> Counter[str]:
        return Counter(item["url"] for item in items_of(self.folder / "all.jsonl"))

    def days(self) -> list[Counter[str]]:
        """The items after each day; the first is that of two visits before any news."""
        self._set_day(0)
        self.write_file()
        self.work()
        self.work()
        found = [self.items()]
        for day in range(1, DAYS + 1):
            self._set_day(day)
            share = self.kills // DAYS + (1 if day <= self.kills % DAYS else 0)
            for _ in range(share):
                self.kill()
            self.work("--all")
            found.append(self.items())
        return found

    def _set_day(self, day: int) -> None:
        for site in self.sites:
            site.today = day


def tell(title: str, sites: list[ServedSite], days: list[Counter[str]]) -> None:
    """Print what each day brought."""
    for day, items in enumerate(days):
        new = 0
        found = 0
        paths = {crawl.path_of(url) for url in items}
        for site in sites:
            news = site.news[day - 1] if day else []
            new += len(news)
            found += len(paths.intersection(news))
        twice = sum(count - 1 for count in items.values())
        print(f"{title:10} {day:4} {new:6} {found:6} {len(items):6} {twice:6}", flush=True)


def main(arguments: list[str]) -> int:
    args = asked(__doc__, arguments, count=10, kills=10, seed=0)
    sites = sites_of(args.count)
    print(f"{len(sites)} sites: {', '.join(site.name for site in sites)}")
    print(f"{'run':10} {'day':>4} {'new':>6} {'found':>6} {'items':>6} {'twice':>6}")
    found = []
    with ExitStack() as stack:
        proxy = stack.enter_context(served({"*": Proxy(sites)})).url
        os.environ["http_proxy"] = proxy
        for title, kills in (("quiet", 0), ("killed", args.kills)):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            run = Run(sites, folder, proxy, random.Random(args.seed), kills)
            days = run.days()
            tell(title, sites, days)
            found.append(days[-1])
    quiet, killed = found
    is_same = quiet.keys() == killed.keys()
    is_once = max([*quiet.values(), *killed.values(), 0]) == 1
    print(f"the same items after {args.kills} kills: {'yes' if is_same else 'no'}")
    for url in sorted(quiet.keys() ^ killed.keys()):
        print(f"  in one run only: {url}")
    return int(not (is_same and is_once))
