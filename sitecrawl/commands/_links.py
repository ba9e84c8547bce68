"""What the link commands share: pages from a URL or a file, tables, the model card."""

from __future__ import annotations

import gzip
import sys
import zlib
from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from http.client import HTTPException
from io import BytesIO
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from scrapy.exceptions import UsageError

from sitecrawl.commands._fetch import fetch
from sitecrawl.commands._output import readers_may_leave
from sitecrawl.errors import SitecrawlError
from sitecrawl.limits import LIMITS
from sitecrawl.links.training.evaluation import Report
from sitecrawl.text.chars import printable


class LinkCommand:
    """Mixed into a command: its problems are told in one line, with exit code 2."""

    exitcode = 0

    def run(self, args: list[str], opts: Namespace) -> None:
        try:
            with readers_may_leave():
                self.act(args, opts)
        except (UsageError, SitecrawlError) as error:
            print(f"sitecrawl: {printable(str(error))}", file=sys.stderr)
            self.exitcode = 2

    def act(self, args: list[str], opts: Namespace) -> None:
        """What the command does; raises UsageError or SitecrawlError where it cannot."""
        raise NotImplementedError


def read_source(source: str, typed: bool = True) -> bytes:
    """Bytes of a URL (http, https) or, where the user ``typed`` it, of a file. Raises UsageError with one line where there are none.

    URLs obey robots.txt; a private address is fetched only from a host that the user typed.
    """
    try:
        web = urlsplit(source).scheme in ("http", "https")
        body = fetch(source, typed) if web or not typed else Path(source).read_bytes()[: LIMITS.body_bytes]
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None)
        why = reason if isinstance(error, URLError) and not isinstance(error, HTTPError) and reason else error
        raise UsageError(f"cannot read {source}: {why}", print_help=False) from error
    return _unzip(body)


def _unzip(body: bytes) -> bytes:
    """A zipped sitemap as text, cut at the bound; other bodies as they are."""
    if body[:2] != b"\x1f\x8b":
        return body
    try:
        with gzip.open(BytesIO(body)) as file:
            return file.read(LIMITS.body_bytes)
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"cannot unzip: {error}", print_help=False) from error


def site_table(report: Report) -> list[str]:
    """Scores by site, worst first."""
    lines = [
        f"{'site':34} {'art P':>6} {'art R':>6} {'art F1':>6} {'n':>6}  {'sec P':>6} {'sec R':>6} {'sec F1':>6} {'n':>6}"
    ]
    for site, scores in sorted(report.sites.items(), key=lambda item: item[1]["article"].f1 or 0.0):
        cells = [f"{site[:34]:34}"]
        for label in ("article", "section"):
            score = scores.get(label)
            cells.append(
                ""
                if score is None
                else f"{score.precision:6.3f} {score.recall:6.3f} {score.f1 or 0:6.3f} {score.wanted:6}"
            )
        lines.append("  ".join(cells))
    return lines


def macro_line(name: str, report: Report) -> str:
    """Precision, recall and F1 of articles and sections, macro by site."""
    cells = [
        f"{report.macro(label, measure):9.4f}"
        for label in ("article", "section")
        for measure in ("precision", "recall", "f1")
    ]
    return f"{name:22}" + "".join(cells)


MACRO_HEAD = f"{'':22}" + "".join(f"{name:>9}" for name in ("art P", "art R", "art F1", "sec P", "sec R", "sec F1"))


def confusion_table(report: Report) -> list[str]:
    """Counts of true against predicted labels."""
    columns = ("article", "section", "other")
    lines = [f"{'true / predicted':18}" + "".join(f"{name:>9}" for name in columns)]
    for true in (*columns, "not article"):
        lines.append(f"{true:18}" + "".join(f"{report.confusion[true, name]:9}" for name in columns))
    return lines


def calibration_table(report: Report) -> list[str]:
    """Mean predicted probability of `article` against the share that are, by tenth."""
    lines = [f"{'predicted':>10} {'true':>7} {'links':>7}"]
    return lines + [f"{mean:10.3f} {share:7.3f} {count:7}" for mean, share, count in report.calibration()]


def model_card(card: dict[str, object], tables: Sequence[str]) -> str:
    """The README of ``models/``: what the model is, on what and how it was trained, how good, its limits."""
    facts = "\n".join(f"- {name}: {value}" for name, value in card.items())
    body = "\n".join(tables)
    return f"""# Link model

`links.npz` says of every link of a page whether it leads to an article, a section or something else. It is a linear SVM in two
stages (the second sees the votes of a link's groups) with calibrated scores, stored as numpy arrays without pickles. Written by `scrapy train`; do not edit.

{facts}

Validated by site: no page of a site that is scored was seen in training. Labels are counted by target URL of a page; macro by site.

```
{body}
```

Limits: pages of other domains, files and feeds are never articles here. Sites whose navigation lists articles by one-word names,
portals that link by pictures only, and languages whose navigation words are not in the vocabulary are weak. Sites that were
labelled for articles only (listing corpora) weigh a fifth. A crawl corrects wrong guesses from the pages it fetches.
"""


def today() -> str:
    return datetime.now(UTC).date().isoformat()
