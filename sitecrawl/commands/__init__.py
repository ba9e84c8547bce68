"""The commands, a module each; those that begin with an underscore are their helpers."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules


def commands_by_name() -> dict[str, str]:
    """What each command does, by its name."""
    names = sorted(entry.name for entry in iter_modules(__path__) if not entry.name.startswith("_"))
    return {name: import_module(f"{__name__}.{name}").Command().short_desc() for name in names}
