"""The new articles of a site, one by one, from a crawl in a process of its own: also in a notebook
and inside a running event loop."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from sitecrawl.commands._alerts import Exit
from sitecrawl.commands._help import HIDDEN_WORDS
from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.database import locked_file, write_whole
from sitecrawl.errors import SitecrawlError
from sitecrawl.text.chars import plain_name

COUNTS = re.compile(r"\d+ articles?(?: \(\d+[a-z ]+\))? from \d+ pages? \([\w ]+\)")
"""How a crawl says what it wrote: words of ours and numbers."""


class CrawlError(SitecrawlError):
    """A crawl failed; the message is what it said."""


class NewArticles:
    """Items of a site as dictionaries: ``for item in articles(URL)`` and ``async for item in
    articles(URL)``.

    Each new article comes once. One that was fetched but not taken, because the loop was left,
    comes first the next time that the same
    listing pages are asked for.
    With ``is_whole`` set, articles count as taken only when the crawl has ended: a reader that
    hands them on together loses none if it is stopped.
    ``summary`` is what the crawl wrote and all that it says of the rest, when the iteration has ended. Raises CrawlError when
    nothing could be crawled."""

    def __init__(self, line: Sequence[str], *, feed: Path, environment: Mapping[str, str]) -> None:
        self.line, self.feed, self.environment = line, feed, environment
        self.cursor = feed.with_suffix(".cursor")
        self.summary, self.is_whole, self._at = "", False, 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        with closing(self._steps()) as steps:
            for item in steps:
                if item is None:
                    time.sleep(0.1)
                else:
                    yield item

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        with closing(self._steps()) as steps:
            for item in steps:
                if item is None:
                    await asyncio.sleep(0.1)
                else:
                    yield item

    def _steps(self) -> Generator[dict[str, Any] | None, None, None]:
        """The items as they come; None where the crawl has to be waited for."""
        self.feed.parent.mkdir(parents=True, exist_ok=True)
        lock = locked_file(self.feed.with_suffix(".lock"))
        if (
            lock is None
        ):  # two readers would share the cursor, and each would miss what the other took
            raise CrawlError(
                f"another call takes the new articles of {self.feed.stem}: wait for it"
            )
        with open(lock), TemporaryFile() as stderr:
            self._at = int(self.cursor.read_text()) if self.cursor.is_file() else 0
            crawl = subprocess.Popen(
                self.line, stdout=subprocess.DEVNULL, stderr=stderr, env=self.environment
            )
            try:
                while crawl.poll() is None:
                    yield from self._unread()
                    yield None
                yield from self._unread()  # what came last
            finally:
                crawl.kill()  # what it knows is on the disk at every moment
                crawl.wait()
            stderr.seek(0)
            lines = [
                line.removeprefix("sitecrawl: ")
                for line in stderr.read().decode("utf-8", "replace").splitlines()
            ]
        end = next((at for at, line in enumerate(lines) if COUNTS.match(line)), len(lines) - 1)
        self.summary = "; ".join(lines[max(0, end) :])
        if crawl.returncode in (Exit.FAILED, Exit.USAGE):
            raise CrawlError(
                "; ".join(lines[-3:]) or f"the crawl ended with code {crawl.returncode}"
            )
        self._keep()

    def _unread(self) -> Iterator[dict[str, Any]]:
        """Items behind the cursor, which moves on when the next one is asked for."""
        if not self.feed.is_file():
            return
        with open(self.feed, "rb") as file:
            file.seek(self._at if self._at <= self.feed.stat().st_size else 0)
            while (line := file.readline()).endswith(b"\n"):
                yield json.loads(line)
                self._at = file.tell()
                if not self.is_whole:
                    self._keep()

    def _keep(self) -> None:
        write_whole(self.cursor, str(self._at))


def articles(
    start: str | Sequence[str],
    since: str | date = "",
    *,
    settings: Mapping[str, Any] | None = None,
    only_public: bool = False,
    **arguments: Any,
) -> NewArticles:
    """The new articles of the listing pages ``start``: those that no earlier call with the same
    data folder gave.

    ``since`` is a day, ``arguments`` are those of a crawl (``max_articles=20``, ``scope="site"``),
    ``settings`` those of Scrapy and sitecrawl. With ``only_public`` the start page too must have a
    public address. Raises ArgumentError for an argument that cannot be used."""
    urls = [start] if isinstance(start, str) else list(start)
    given = {
        name: str(int(value) if isinstance(value, bool) else value)
        for name, value in arguments.items()
    }
    given |= {"start": ",".join(urls), "since": str(since)}
    known = {"SITECRAWL_DATA_DIR": ".sitecrawl", **(settings or {})}
    parsed = CrawlArguments.parse(given)
    starts = hashlib.sha256("\n".join(sorted(parsed.start)).encode()).hexdigest()[:12]
    feed = (
        Path(str(known["SITECRAWL_DATA_DIR"]))
        / "articles"
        / f"{plain_name(parsed.site)}-{starts}.jsonl"
    )
    words = [word for name, value in given.items() if value for word in ("-a", f"{name}={value}")]
    words += [word for name, value in known.items() for word in ("-s", f"{name}={value}")]
    line = [sys.executable, "-m", "sitecrawl", "crawl", "site"]
    # other users see command lines, and settings may hold secrets
    environment = os.environ | {
        HIDDEN_WORDS: json.dumps([*words, "--verbose", "-o", f"{feed}:jsonl"])
    }
    if only_public:
        environment["SITECRAWL_ONLY_PUBLIC"] = "1"
    return NewArticles(line, feed=feed, environment=environment)
