"""The commands of the core, a module each, of which the class that is no helper is the command; all others are plugged in.

Their modules import Scrapy and little else: what a command works with is imported when it runs, since the list of all commands is printed often.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from sitecrawl.plugins import VERBS, plugged


def command_of(name: str) -> Any:
    """The command of that name: one of the core, else one of the entry points. Raises KeyError where there is none."""
    if name not in _own_names():
        return plugged(VERBS)[name].load()()
    module = import_module(f"{__name__}.{name}")
    return getattr(module, f"{name.capitalize()}Command")()


def command_names() -> list[str]:
    """The names of all commands."""
    return sorted({*_own_names(), *plugged(VERBS)})


def commands_by_name() -> dict[str, str]:
    """What each command does, by its name."""
    return {name: command_of(name).short_desc() for name in command_names()}


def _own_names() -> set[str]:
    return {entry.name for entry in iter_modules(__path__) if not entry.name.startswith("_")}
