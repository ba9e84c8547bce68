"""Exit codes, and the conditions that ``--fail-on`` names. The checks of the report are in
``extras/report``, as is the sending of alerts."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from sitecrawl.errors import SitecrawlError, nearest
from sitecrawl.plugins import REPORT, plugged

if TYPE_CHECKING:
    from sitecrawl.crawl.visit import Visit


class Exit(IntEnum):
    """Exit codes of the commands."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    CONDITION = 3  # `--fail-on` names a condition that holds
    INTERRUPTED = 130


CONDITIONS = {
    "drift": "a template no longer fits: the site was redesigned",
    "zero": "no article was written, and no listing page showed one",
    "incomplete": "the crawl was interrupted or failed, or the report calls it incomplete",
    "start": "a start page could not be fetched",
}
"""The conditions that cause an alert, and what each means."""


def exit_code(visit: Visit) -> Exit:
    """The exit code of a crawl before ``--fail-on``. A stopped crawl has the reason ``shutdown`` or
    none."""
    if visit.code:
        return Exit.FAILED
    return Exit.INTERRUPTED if visit.is_stopped else Exit.DONE


def named_conditions(raw: str) -> list[str]:
    """The conditions, or names of the report's checks, in a comma-separated list. Raises
    SitecrawlError for an unknown one."""
    names = [name.strip() for name in raw.split(",") if name.strip()]
    known = dict.fromkeys([*CONDITIONS, *(plugged(REPORT)["alerts"].load().KINDS if names else ())])
    for name in names:
        if name not in known:
            raise SitecrawlError(f"no condition {name}: {nearest(name, known)}")
    return names
