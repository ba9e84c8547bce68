"""What every suite shares: where the data is, sites and corpora with their truth, folds, processes,
time, measures, tables. The data lies unpacked in $SITECRAWL_DATA, else ~/.cache/sitecrawl-data
(``sites/NAME``, ``corpora/NAME``). Crawls without a network are driven by
``tests/crawl/driver.py``, sites on loopback are served by ``tests/crawl/runner.py``."""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from lxml import etree

from sitecrawl.text.chars import words

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("SITECRAWL_DATA", "~/.cache/sitecrawl-data")).expanduser()
FOLDS = 5  # groups of sites and corpora; models for those of one group learn from the others
KEPT = frozenset(
    """0xrick agribank5 annacurra aupaburgos bnn ccid cpaxj diping dundeechess eightbar frankorz
    ftowa hejazee highway hindistan hncic imagejdevel insertcredit javachen kit4y ksbx lazzaro
    lgk linuxgazette newsliteracy oneup openehr partitopirata pcxx phase5 sdyp slxx23 tanakalab
    threedash tztvu ubalab videoludique xz59 zjgztb""".split()
)
"""A third of the 118 sites at hand: of those that the round before did not keep, the 39 whose names
with "round 2 " before them come first in the order of their SHA-1. Their figures are printed apart:
whoever works on a rule looks at the pages of the others only, so that a gap between the two shows a
rule that fits its examples."""
NEW = frozenset(
    """agora anamnesis aupaburgos carpenoctem cpeixin cptz frankorz geekwhisperers gxpopss hncic
    icodeit kit4y ksbx lgk linuxgazette opendcl paraguayos pcxx phase5 phpusers sdyp serbianblog
    topallenatori veganyumyum wechange zikaobyz""".split()
)
"""The 26 sites that no shipped model has learned from: what a change is worth is looked at here
first."""
LATER = frozenset(
    """agribank5 baldr bapuro ccid cqjtu dulido dundeechess gzfuying hdjx hnci kinogran
    klubpolarny lafuite malilive nanterre openehr satoken sdhjnl siprop studiowood szyz
    tanakalab unipa zjgztb""".split()
)
"""The 24 sites that came before these. Of the shipped models only the page type and the judge of
page families have learned from them (models/README.md says why)."""


# ---- data
@dataclass(frozen=True, slots=True)
class Example:
    """A page and its truth; ``key`` orders the pages of a site in a fixed random order."""

    site: str
    url: str
    file: Path
    truth: dict[str, Any]
    key: str = ""

    @property
    def text(self) -> str:
        return str(self.truth["text"])

    @property
    def title(self) -> str | None:
        return self.truth.get("title")

    @property
    def date(self) -> str | None:
        return self.truth.get("date")

    @property
    def body(self) -> bytes:
        return self.file.read_bytes()


def order(key: object) -> str:
    """A fixed pseudo-random order."""
    return hashlib.sha1(str(key).encode()).hexdigest()


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    return [
        json.loads(line) for line in path.read_text(encoding="utf8").split("\n") if line.strip()
    ]


def site_names(which: str = "all") -> list[str]:
    """Names of the whole sites at hand: ``all``, ``open``, ``kept``, ``new`` (those of ``NEW`` that
    are open), or names with commas; [] when the data is absent."""
    names = sorted(path.parent.name for path in (DATA / "sites").glob("*/site.json"))
    if which == "open":
        return [name for name in names if name not in KEPT]
    if which == "kept":
        return [name for name in names if name in KEPT]
    if which == "new":
        return [name for name in names if name in NEW and name not in KEPT]
    return names if which == "all" else which.split(",")


def corpus_names() -> list[str]:
    """Names of the corpora at hand that hold article or thread pages."""
    found = (path.parent.name for path in (DATA / "corpora").glob("*/truth.jsonl"))
    return sorted(name for name in found if not name.startswith("links_"))


@cache
def site_meta(name: str) -> dict[str, Any]:
    """The facts about a site: host, aliases, language, kind, start pages."""
    meta: dict[str, Any] = json.loads(
        (DATA / "sites" / name / "site.json").read_text(encoding="utf8")
    )
    return meta


def page_url(name: str, path: str) -> str:
    """The URL of a path of a site."""
    return f"http://{site_meta(name)['host']}{path}"


def site_hosts(name: str) -> set[str]:
    """The hosts of a site."""
    return {site_meta(name)["host"], *site_meta(name).get("aliases", [])}


def site_file(name: str, path: str) -> Path | None:
    """The file that serves ``path`` (or a URL) of a site."""
    base = DATA / "sites" / name / "root" / unquote(urlsplit(path).path).lstrip("/")
    for candidate in (base, base / "index.html", base / "index.htm", Path(f"{base}.html")):
        with suppress(OSError):  # a name that is too long for a file
            if candidate.is_file():
                return candidate
    return None


def site_rows(name: str, file: str = "articles") -> list[dict[str, Any]]:
    """The truth of a site: ``articles`` or ``links``."""
    return rows(DATA / "sites" / name / f"{file}.jsonl")


def site_examples(name: str) -> list[Example]:
    """Article pages of a site whose text is known."""
    files = (
        (row, site_file(name, row["path"]))
        for row in site_rows(name)
        if (row.get("text") or "").strip()
    )
    found = [
        Example(name, page_url(name, row["path"]), file, row, order(row["path"]))
        for row, file in files
        if file
    ]
    return sorted(found, key=lambda example: example.key)


def section_pages(name: str) -> list[tuple[str, bytes]]:
    """URL and bytes of the section pages of a site whose links are labelled, in a fixed random
    order."""
    paths = sorted({row["page"] for row in site_rows(name, "links")}, key=order)
    files = ((path, site_file(name, path)) for path in paths)
    return [(page_url(name, path), file.read_bytes()) for path, file in files if file]


def other_pages(name: str) -> list[tuple[str, bytes]]:
    """URL and bytes of pages of a whole site that section pages link to and that are neither
    articles nor sections; [] of any other."""
    if not (DATA / "sites" / name / "links.jsonl").is_file():
        return []
    articles = {row["path"] for row in site_rows(name)}
    found = dict[str, Path]()
    for link in site_rows(name, "links"):
        path = urlsplit(link["target"] or "").path
        file = (
            site_file(name, path)
            if link["label"] == "other" and link["exists"] and path not in articles
            else None
        )
        if file is not None and file.suffix in ("", ".html", ".htm", ".php"):
            found[path] = file
    return [(page_url(name, path), found[path].read_bytes()) for path in sorted(found, key=order)]


def corpus_examples(name: str, coverage: float = 0.9) -> dict[str, list[Example]]:
    """Pages of a corpus by site, those whose truth stands on the page to at least ``coverage``
    (share of its words)."""
    folder, found = DATA / "corpora" / name, defaultdict(list)
    for row in rows(folder / "truth.jsonl"):
        file = folder / "pages" / f"{row['id']}.html"
        if (row.get("text") or "").strip() and row.get("cov", 1) >= coverage and file.is_file():
            site = row["site"] or row["id"]
            url = row.get("url") or f"http://{row['site']}/{row['id']}"
            found[site].append(Example(site, url, file, row, order(row["id"])))
    return {
        site: sorted(pages, key=lambda example: example.key)
        for site, pages in sorted(found.items())
    }


def examples(name: str, coverage: float = 0.9) -> dict[str, list[Example]]:
    """The examples of a site, or of every site of a corpus."""
    return {name: site_examples(name)} if name in site_names() else corpus_examples(name, coverage)


# ---- measures
def tokens(text: str | None) -> list[str]:
    """Casefolded words, a CJK character being one."""
    return words((text or "").casefold())


def word_f1(truth: str | None, got: str | None) -> float:
    """F1 over bags of words; two empty texts agree."""
    want, have = Counter(tokens(truth)), Counter(tokens(got))
    return (
        2 * sum((want & have).values()) / (sum(want.values()) + sum(have.values()))
        if want or have
        else 1.0
    )


def same_day(truth: str | None, got: str | None) -> bool:
    """Whether two ISO dates name one day."""
    return bool(truth) and (truth or "")[:10] == (got or "")[:10]


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what is known, rounded to four digits; None when nothing is."""
    known = [value for value in values if value is not None]
    return round(statistics.fmean(known), 4) if known else None


# ---- time and processes
def spent(step: Callable[[], object]) -> float:
    """Seconds of CPU that a step takes."""
    began = time.process_time()
    step()
    return time.process_time() - began


def bare_parse(body: bytes) -> float:
    """Seconds of CPU of one bare lxml parse: the yardstick of all costs."""
    return spent(
        lambda: etree.fromstring(body or b"<p>", etree.HTMLParser(huge_tree=True, encoding="utf-8"))
    )


def resident(pid: int | str = "self") -> float:
    """Megabytes of a process in memory."""
    return (
        int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        * resource.getpagesize()
        / 1e6
    )


def peak() -> float:
    """The most megabytes that this process has had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that ended: what it said, exit code, seconds by the clock and of CPU, megabytes at
    most."""

    said: str
    code: int
    seconds: float
    cpu: float
    megabytes: float


def run(command: Sequence[str], **environment: str) -> Ended:
    """Run a command of Python (``-m module ...``) from the checkout to its end; modules stay
    compiled, as after an installation."""
    began = time.perf_counter()
    known = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    } | environment
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [sys.executable, *command], env=known, cwd=ROOT, stdout=said, stderr=said
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read().decode("utf8", "replace").strip()
    cpu = used.ru_utime + used.ru_stime
    return Ended(text, process.returncode, time.perf_counter() - began, cpu, used.ru_maxrss / 1000)


def apart(call: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a call in a fresh process, None when the process breaks."""
    with (
        ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as processes,
        suppress(BrokenProcessPool),
    ):
        return processes.submit(call, *arguments).result()
    return None


# ---- the border
SITES = "all", "all, open, kept, new, or names with commas (default: all)"


def asked(document: str | None, arguments: list[str], **options: Any) -> argparse.Namespace:
    """The options of a suite, each given as its default, or as default and help; one that is False
    by default is a switch. A list holds the words of which one must be given."""
    found = argparse.ArgumentParser(
        description=document, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, value in options.items():
        if isinstance(value, list):
            found.add_argument(name, choices=value)
            continue
        default, told = value if isinstance(value, tuple) else (value, None)
        how: dict[str, Any] = (
            {"action": "store_true"}
            if default is False
            else {"default": default, "type": type(default)}
        )
        found.add_argument(
            *["-o"] * (name == "output"), f"--{name.replace('_', '-')}", help=told, **how
        )
    return found.parse_args(arguments)


@dataclass
class Table:
    """Rows of figures by name, printed as JSON lines while they come; ``summary`` prints the mean
    of every figure."""

    title: str
    found: list[dict[str, Any]] = field(default_factory=list)

    def add(self, name: str, **figures: Any) -> None:
        self.found.append({self.title: name, **figures})
        print(json.dumps(self.found[-1], ensure_ascii=False), flush=True)

    def summary(self) -> dict[str, Any]:
        """Prints the means over all rows, and over open and kept sites where the rows are sites."""
        parts = {"mean": self.found}
        if self.title == "site":
            parts["open"] = [row for row in self.found if row["site"] not in KEPT]
            parts["kept"] = [row for row in self.found if row["site"] in KEPT]
        for name, chosen in parts.items():
            seen = sum("seen" in row for row in chosen)
            mark = {"seen": f"{seen} of {len(chosen)}"} if seen else {}
            print(json.dumps({name: len(chosen), **self.means(chosen), **mark}), flush=True)
        return self.means(self.found)

    @staticmethod
    def means(chosen: list[dict[str, Any]]) -> dict[str, Any]:
        names = {
            key for row in chosen for key, value in row.items() if isinstance(value, int | float)
        }
        return {name: mean(row.get(name) for row in chosen) for name in sorted(names)}
