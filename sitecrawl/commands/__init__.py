"""The commands of the core, one module each; all others are plug-ins. The modules import little but
Scrapy, and everything else when the command runs, because the list of commands is printed often."""

from __future__ import annotations

from typing import Any

from sitecrawl.plugins import VERBS, plugged


def command_of(name: str) -> Any:
    """The command of that name. Raises KeyError where there is none, PluginError where another
    package brings it and it cannot be used."""
    if name == "crawl":  # no entry point: it would take the place of Scrapy's own in other projects
        from sitecrawl.commands.crawl import CrawlCommand

        return CrawlCommand()
    return plugged(VERBS)[name].load(lambda verb: verb(), has=["run"])


def command_names(package: str = "") -> list[str]:
    """The names of all commands, or of those of a package (``sitecrawl.``)."""
    return sorted(
        {"crawl", *(name for name, one in plugged(VERBS).items() if one.value.startswith(package))}
    )


def commands_by_name(package: str = "") -> dict[str, str]:
    """What each command does, by its name."""
    return {name: command_of(name).short_desc() for name in command_names(package)}
