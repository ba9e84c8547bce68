"""What the commands share: help, errors in one line, and the tables and the model card of the link commands."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

from scrapy.exceptions import UsageError

from sitecrawl import settings
from sitecrawl.commands._help import Help, readers_may_leave, refuse_settings, refuse_unknown
from sitecrawl.errors import SitecrawlError
from sitecrawl.links.training.evaluation import Report, Score
from sitecrawl.text.chars import printable


class Explained:
    """Mixed into a command: its help and its refusals say what to type. ``explains`` is its help."""

    settings: Any
    explains: ClassVar[Help] = Help("")
    parser: ArgumentParser

    def syntax(self) -> str:
        return " ".join(["[options]", *(f"{word}..." for word in self.explains.words)])

    def short_desc(self) -> str:
        return self.explains.what

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)  # type: ignore[misc]
        name = type(self).__module__.rpartition(".")[2]
        plain = Help(self.short_desc(), {}, (f"sitecrawl {name} {self.syntax()}",))
        (self.explains if self.explains.what else plain).put_on(parser, name)
        self.parser = parser

    def check(self, args: list[str]) -> None:
        """Raise OptionError where an option or a setting is not known."""
        refuse_unknown(args, self.parser)
        refuse_settings(self.settings or {}, vars(settings))


class OneLineErrors(Explained):
    """Mixed into a command that needs no project: it reports its problems in one line, with exit code 2."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    exitcode = 0

    def run(self, args: list[str], opts: Namespace) -> None:
        try:
            self.check(args)
            with readers_may_leave():
                self.act(args, opts)
        except (UsageError, SitecrawlError) as error:
            print(f"sitecrawl: {printable(str(error))}", file=sys.stderr)
            self.exitcode = 2

    def act(self, args: list[str], opts: Namespace) -> None:
        """Run the command. Raises UsageError or SitecrawlError when it cannot."""
        raise NotImplementedError


def report_figures(report: Report) -> dict[str, Any]:
    """The tables of a report as JSON holds them: macro by site, each site, counts by label, calibration by tenth."""
    labels, measures = ("article", "section"), ("precision", "recall", "f1")
    return {
        "macro": {label: {name: report.macro(label, name) for name in measures} for label in labels},
        "sites": {
            site: {
                label: {name: getattr(score, name) for name in (*measures, "wanted")} for label, score in scores.items()
            }
            for site, scores in report.sites.items()
        },
        "confusion": [{"true": true, "predicted": name, "links": n} for (true, name), n in report.confusion.items()],
        "calibration": [
            {"predicted": mean, "true": share, "links": count} for mean, share, count in report.calibration()
        ],
    }


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


def change_table(one: Report, other: Report) -> list[str]:
    """F1 of two models by site, what the second one loses first."""
    rows = []
    for site, scores in one.sites.items():
        pairs = [(_f1(scores, label), _f1(other.sites[site], label)) for label in ("article", "section")]
        rows.append((sum(new - old for old, new in pairs), site, pairs))
    head = "".join(f"  {name:>7} {'second':>7} {'change':>7}" for name in ("art F1", "sec F1"))
    lines = [f"{'site':34}{head}"]
    for _, site, pairs in sorted(rows):
        cells = [f"{old:7.3f} {new:7.3f} {new - old:+7.3f}" for old, new in pairs]
        lines.append("  ".join([f"{site[:34]:34}", *cells]))
    return lines


def _f1(scores: dict[str, Score], label: str) -> float:
    return (scores[label].f1 or 0.0) if label in scores else 0.0


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
