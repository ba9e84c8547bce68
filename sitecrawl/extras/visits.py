"""The log of visits: what each crawl of a site requested, found and lost. Reports and alerts read
it; crawls do not. It is stored beside the crawl stores, one file of JSON lines for each site. To
store visits elsewhere, write another :class:`VisitLog`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.database import locked_file, write_whole
from sitecrawl.crawl.events import CrawlEvent
from sitecrawl.crawl.store import store_path
from sitecrawl.crawl.visit import Visit, now
from sitecrawl.errors import DatabaseError
from sitecrawl.limits import LIMITS
from sitecrawl.records_json import from_document, to_document

FOLDER = "visits"  # folder of the data directory that holds a file for each site


class VisitLog:
    """The visits of one site, oldest first, the latest ``LIMITS.visits``. Raises DatabaseError if
    the file cannot be used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: int | None = None

    def load(self) -> list[Visit]:
        """The visits. Unreadable lines are skipped."""
        with file_errors(self.path):
            if not self.path.is_file():
                return []
            lines = self.path.read_text("utf-8", "replace").splitlines()
        found = []
        for line in lines:
            with suppress(ValueError, TypeError, AttributeError, LookupError):
                visit = from_document(Visit, json.loads(line))
                if visit.site and visit.began:
                    found.append(visit)
        return found

    def save(self, visit: Visit) -> None:
        """Store a visit in place of one that began at the same time; the file is replaced
        atomically."""
        others = [one for one in self.load() if one.began != visit.began or one.task != visit.task]
        self.save_all([*others, visit])

    def save_all(self, visits: Sequence[Visit]) -> None:
        """Keep these visits, oldest first, and no others."""
        kept = visits[-LIMITS.visits :]
        lines = (json.dumps(to_document(one), ensure_ascii=False) for one in kept)
        with file_errors(self.path):
            write_whole(self.path, "".join(f"{line}\n" for line in lines))

    def begin(self, visit: Visit) -> None:
        """Store a visit that begins. :meth:`is_running` is true until :meth:`close` or the end of
        the process."""
        self.save(visit)
        with file_errors(self.path):
            self._lock = locked_file(self.path.with_suffix(".lock"))

    def close(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def is_running(self) -> bool:
        path = self.path.with_suffix(".lock")
        if not path.exists():
            return False
        with file_errors(path):
            free = locked_file(path)
            if free is not None:
                os.close(free)
        return free is None


def log_of(data_dir: Path, site: str) -> VisitLog:
    """The visits of a site, named by its hosts with commas between.

    >>> log_of(Path("data"), "example.org").path.as_posix()
    'data/visits/example.org.jsonl'
    """
    return VisitLog(data_dir / FOLDER / f"{store_path(data_dir, site.split(',')).stem}.jsonl")


def logs_of(data_dir: Path) -> list[VisitLog]:
    """The visits of all sites that were crawled into a data directory, by name."""
    return [VisitLog(path) for path in sorted((data_dir / FOLDER).glob("*.jsonl"))]


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turn errors of the file at ``path`` into DatabaseError."""
    try:
        yield
    except OSError as error:
        raise DatabaseError.of(path, error) from None


@dataclass(slots=True)
class VisitRecorder:
    """Keeps the log while a site is visited."""

    asked: Visit
    log: VisitLog

    @classmethod
    def of(cls, arguments: CrawlArguments, data_dir: Path) -> VisitRecorder:
        return cls(Visit.of(arguments), log_of(data_dir, arguments.site))

    def begin(self, visit: Visit) -> None:
        self.log.begin(self._after_others(visit))

    def take(self, event: CrawlEvent) -> None:
        """The crawl itself folds events into the visit."""

    def refuse(self, why: str) -> None:
        """Record that the crawl could not begin, unless another crawl of the site is running."""
        if not self.log.is_running():
            moment = now()
            refused = replace(self.asked, began=moment, ended=moment, broken=why)
            self.log.save(self._after_others(refused))

    def finish(self, visit: Visit) -> None:
        if visit.began:
            self.log.save(self._after_others(visit))
            self.log.close()

    def _after_others(self, visit: Visit) -> Visit:
        """The visit with what is known from those before."""
        earlier = [one for one in self.log.load() if one.began != visit.began]
        known = earlier[-1].known if earlier else 0
        newest = max((one.newest for one in earlier), default="")
        return replace(
            visit,
            known=known + visit.articles,
            newest=max(newest, visit.newest),
        )
