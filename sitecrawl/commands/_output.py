"""Standard output of the commands, and what the link commands share: errors in one line, tables, the model card."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, ClassVar

from scrapy.exceptions import UsageError

from sitecrawl.errors import SitecrawlError
from sitecrawl.links.training.evaluation import Report

_PIPE = 141
"""128 plus the number of SIGPIPE."""


@contextmanager
def readers_may_leave() -> Iterator[None]:
    """End the command silently once the reader of a pipe has left (``| head``), with the exit code that a shell gives for that."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(_PIPE)


class OneLineErrors:
    """Mixed into a command that needs no project: it reports its problems in one line, with exit code 2."""

    requires_project = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    exitcode = 0

    def run(self, args: list[str], opts: Namespace) -> None:
        try:
            with readers_may_leave():
                self.act(args, opts)
        except (UsageError, SitecrawlError) as error:
            print(f"sitecrawl: {error}", file=sys.stderr)
            self.exitcode = 2

    def act(self, args: list[str], opts: Namespace) -> None:
        """Run the command. Raises UsageError or SitecrawlError when it cannot."""
        raise NotImplementedError


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
    """Mean predicted probability of `article` against the true share of articles, by tenth."""
    lines = [f"{'predicted':>10} {'true':>7} {'links':>7}"]
    return lines + [f"{mean:10.3f} {share:7.3f} {count:7}" for mean, share, count in report.calibration()]


def model_card(card: dict[str, object], tables: Sequence[str]) -> str:
    """The README of ``models/``: what the model is, how and on what it was trained, its scores and its limits."""
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
