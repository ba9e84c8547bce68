"""The command `sitecrawl`: runs every command of the project in any folder. `extract` and `links`
run without loading Scrapy."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import sitecrawl
from sitecrawl.commands._help import hidden_words, one_line_errors
from sitecrawl.commands._single import SINGLE_PAGE_VERBS, run_verb
from sitecrawl.errors import SitecrawlError, nearest
from sitecrawl.plugins import FAULTS, PluginError

# other names of commands, which the help does not list
_ALIASES = {"run": ("work",), "status": ("sites", "status")}
_USAGE = """usage: sitecrawl VERB ...

{verbs}

sitecrawl VERB --help lists the arguments of a command with examples. A URL in place of the verb is crawled:
  sitecrawl https://example.com/news/ -o articles.jsonl
"""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command in ``words`` (by default the command line); returns its exit code."""
    try:
        with one_line_errors():
            given = [*sys.argv[1:], *hidden_words()] if words is None else list(words)
            return _act(given)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1


def _act(given: list[str]) -> int:
    if given in (["--version"], ["version"]):
        print(f"sitecrawl {sitecrawl.__version__}")
        return 0
    if given and given[0] in SINGLE_PAGE_VERBS:
        run_verb(given[0], given[1:])
        return 0
    from sitecrawl.commands import command_names, commands_by_name

    known = command_names()
    if not given or given[0] in ("-h", "--help", "help"):
        verbs = "\n".join(f"  {name:10} {what}" for name, what in commands_by_name().items())
        print(_USAGE.format(verbs=verbs), end="")
        return 0 if given else 2
    given = [*_ALIASES.get(given[0], given[:1]), *given[1:]]
    if given[0] not in known and any(mark in given[0] for mark in "./:"):
        given = ["crawl", *given]
    if given[0] not in known:
        raise SitecrawlError(f"no command {given[0]}: {nearest(given[0], known)}")
    return _run(given[0], given[1:])


def _run(name: str, words: list[str]) -> int:
    """Run one command as ``scrapy.cmdline.execute`` does, which would import all commands, with the
    settings of sitecrawl."""
    from scrapy.cmdline import ScrapyArgumentParser
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.exceptions import UsageError
    from scrapy.utils.project import get_project_settings

    from sitecrawl.commands import command_of
    from sitecrawl.commands._output import Explained

    os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "sitecrawl.settings")
    command, settings = command_of(name), get_project_settings()
    usage = f"sitecrawl {name} {command.syntax()} [options]"
    parser = ScrapyArgumentParser(
        f"sitecrawl {name}", usage, conflict_handler="resolve", allow_abbrev=False
    )
    settings.setdict(command.default_settings, priority="command")
    command.settings = settings
    command.add_options(parser)
    opts, args = parser.parse_known_args(words)
    try:
        command.process_options(args, opts)
        if command.requires_crawler_process:
            command.crawler_process = AsyncCrawlerProcess(settings)
        command.run(args, opts)
    except UsageError as error:
        parser.error(str(error) or "arguments are missing")
    except FAULTS as error:
        if isinstance(command, Explained) or isinstance(error, BrokenPipeError):
            raise
        raise PluginError(
            f"{name}, a command of another package, failed ({type(error).__name__}: {error})"
        ) from None
    return int(command.exitcode)


if __name__ == "__main__":
    sys.exit(main())
