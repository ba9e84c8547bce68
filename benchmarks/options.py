"""Writes docs/options.md, the options of every command, from the commands themselves. A test
compares the two."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from scrapy.settings import Settings

from benchmarks.harness import ROOT, asked
from sitecrawl import settings
from sitecrawl.commands import command_of, commands_by_name
from sitecrawl.commands._help import Help
from sitecrawl.commands._single import SINGLE_PAGE_VERBS
from sitecrawl.feed_formats import feed_formats
from sitecrawl.plugins import HOOKS

PAGE = ROOT / "docs" / "options.md"
_HEAD = """# All options

This page shows the output of `sitecrawl VERB --help` for each command. All commands but `extract` and `links` also take `-s NAME=VALUE` for a [setting](settings.md).
`python -m benchmarks options` writes this page.
"""


def commands() -> dict[str, tuple[Help, argparse.ArgumentParser]]:
    """The help and the parser of each command, by name; Scrapy's own options are left out where a
    command does not mean them."""
    found = {}
    for name in commands_by_name("sitecrawl."):
        options = argparse.ArgumentParser(conflict_handler="resolve", add_help=False)
        found[name] = _on(name, options), options
    return found


def _on(name: str, options: argparse.ArgumentParser) -> Help:
    """Put the options of a command on a parser; its help."""
    if name in SINGLE_PAGE_VERBS:
        SINGLE_PAGE_VERBS[name].put_on(options, name)
        return SINGLE_PAGE_VERBS[name].help
    command: Any = command_of(name)
    command.settings = Settings()
    command.add_options(options)
    return command.explains


def page() -> str:
    """The page, in Markdown."""
    return "\n".join(
        [
            _HEAD,
            *(
                line
                for name, (told, parser) in sorted(commands().items())
                for line in _section(name, told, parser)
            ),
        ]
    )


def _section(name: str, told: Help, parser: argparse.ArgumentParser) -> Iterator[str]:
    """A command: what it does, its words, its options, examples."""
    yield from (f"## sitecrawl {name}", f"{told.what.rstrip('.')}.", "")
    rows = [(word, meaning) for word, meaning in told.words.items()]
    groups = _global(parser)
    rows += [
        (_named(action), _meaning(action)) for action in parser._actions if id(action) not in groups
    ]
    if rows:
        yield from ("| type | meaning |", "|---|---|")
        yield from (f"| `{_cell(word)}` | {_cell(meaning)} |" for word, meaning in rows)
        yield ""
    yield from ("```text", *told.examples, "```", "")


def _named(action: argparse.Action) -> str:
    """An option with its value, as it is typed."""
    value = action.metavar or ("|".join(action.choices) if action.choices else action.dest.upper())
    return ", ".join(action.option_strings) + (f" {value}" if action.nargs != 0 else "")


def _meaning(action: argparse.Action) -> str:
    return (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")


def _cell(text: str) -> str:
    """A text for a table, where a bar would end the cell."""
    return text.replace("|", "/")


def main(arguments: list[str]) -> None:
    asked(__doc__, arguments)
    PAGE.write_text(page(), encoding="utf8")
    print(f"{PAGE.name}: {', '.join(f'{count} {what}' for what, count in counts().items())}")


def counts() -> dict[str, int]:
    """How much there is to learn: commands, their options (one that several have counts for each),
    settings of ours, feed formats besides lists of items, and hooks of other packages."""
    options = sum(
        action.option_strings != [] and id(action) not in _global(parser)
        for _, parser in commands().values()
        for action in parser._actions
    )
    return {
        "commands": len(commands()),
        "options": options,
        "settings": sum(name.startswith("SITECRAWL_") for name in vars(settings)),
        "formats": len(feed_formats().keys() - {"json", "jsonl"}),
        "hooks": len(HOOKS),
    }


def _global(parser: argparse.ArgumentParser) -> set[int]:
    """Scrapy's own options, which every command has."""
    return {
        id(action)
        for group in parser._action_groups
        if group.title == "Global Options"
        for action in group._group_actions
    }
