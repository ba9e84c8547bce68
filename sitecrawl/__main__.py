"""The command `sitecrawl`: every command of the project in any folder, and the two that need no Scrapy at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from sitecrawl.commands._single import VERBS, run_verb

_USAGE = """usage: sitecrawl VERB ...

{verbs}

sitecrawl VERB --help lists the arguments of a command with examples. A URL in place of the verb is crawled:
  sitecrawl https://example.com/news/ -o articles.jsonl
"""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command that ``words`` name (those of the command line unless given), and return its exit code."""
    given = list(sys.argv[1:] if words is None else words)
    if given and given[0] in VERBS:
        return run_verb(given[0], VERBS[given[0]], given[1:])
    return _scrapy(given)


def _scrapy(words: list[str]) -> int:
    """Run a Scrapy command with the settings of sitecrawl, whatever the folder holds."""
    from scrapy.cmdline import execute

    from sitecrawl.commands import commands_by_name
    from sitecrawl.errors import nearest

    os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "sitecrawl.settings")
    known = commands_by_name()
    if not words or words[0] in ("-h", "--help", "help"):
        print(_USAGE.format(verbs="\n".join(f"  {name:10} {what}" for name, what in known.items())), end="")
        return 0 if words else 2
    if words[0] not in known and any(mark in words[0] for mark in "./:"):
        words = ["crawl", *words]
    if words[0] not in known:
        print(f"sitecrawl: no command {words[0]}: {nearest(words[0], known)}", file=sys.stderr)
        return 2
    try:
        execute(["sitecrawl", *words])
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
