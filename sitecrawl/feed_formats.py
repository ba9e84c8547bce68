"""The one table of feed formats: for crawls (`-O FILE`, `-O FILE:FORMAT`), `sitecrawl feed` and
`sitecrawl batch`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import PurePath

from sitecrawl.errors import SitecrawlError, nearest
from sitecrawl.plugins import FEED_FORMATS, ITEM_FORMS, PluginError, install_hint, path_of, plugged


@dataclass(frozen=True, slots=True)
class FeedFormat:
    """How items are written: ``writer`` is the import path of a Scrapy exporter, ``suffix`` the end
    of file names that mean the format. ``package`` is needed by the writer; the extra of sitecrawl
    that installs it has the name of the format."""

    writer: str
    suffix: str
    package: str = ""
    # whether it writes several files into a folder, unless the target has the suffix
    is_folder: bool = False
    is_newest: bool = False
    """Whether it holds the newest articles only: each run takes what the file holds, and writes it
    anew at its end."""
    storage: str = ""
    """Import path of a Scrapy feed storage for URLs of ``schemes``; its ``open`` raises
    SitecrawlError or OSError where one cannot be used."""
    schemes: tuple[str, ...] = ()


@cache
def feed_formats() -> dict[str, FeedFormat]:
    """All formats by name: those of this package, then those that are plugged in."""
    own = {
        "jsonl": FeedFormat("sitecrawl.exporters.LinesExporter", ".jsonl"),
        "json": FeedFormat("scrapy.exporters.JsonItemExporter", ".json"),
    }
    return own | {
        name: entry.load(has=["writer", "schemes"]) for name, entry in plugged(FEED_FORMATS).items()
    }


def with_format(target: str) -> str:
    """What is typed behind -o, with the format of a database, a service, standard output, or a file
    whose ending is no name of a format: ``sqlite:///a.db`` becomes ``sqlite:///a.db:sql``, ``-``
    becomes ``-:jsonl``, ``a.md`` becomes ``a.md:markdown``."""
    if target == "-":
        return "-:jsonl"
    scheme, is_url = target.partition("://")[::2]
    suffix = PurePath(target).suffix
    for name, one in feed_formats().items():
        is_of_scheme = is_url and scheme in one.schemes
        is_of_suffix = suffix and one.suffix == suffix != f".{name}"
        if (is_of_scheme or is_of_suffix) and not target.endswith(f":{name}"):
            return f"{target}:{name}"
    return target


def place_and_format(target: str) -> tuple[str, str]:
    """A file and the name of its format, of what is typed behind -o; the name is empty for an
    unknown one.

    >>> place_and_format("out.feed.json:jsonfeed"), place_and_format("out.json")
    (('out.feed.json', 'jsonfeed'), ('out.json', 'json'))
    """
    place, _, name = with_format(target).rpartition(":")
    if place and name in feed_formats():
        return place, name
    suffix = PurePath(target).suffix
    known = (name for name, one in feed_formats().items() if suffix and one.suffix == suffix)
    return target, next(known, "")


def lacking(name: str) -> str:
    """What to install before a format can be written, empty where nothing is lacking."""
    package = feed_formats()[name].package if name in feed_formats() else ""
    if not package or find_spec(package) is not None:
        return ""
    return f"the format {name} needs {package}: {install_hint(name)}"


def item_form(name: str) -> dict[str, int]:
    """The item pipeline that gives items the form that ``SITECRAWL_ITEMS`` names, and its place;
    none without a name. Raises SitecrawlError for an unknown name, and where a package is
    lacking."""
    forms = plugged(ITEM_FORMS) if name else {}
    if name and name not in forms:
        raise SitecrawlError(f"SITECRAWL_ITEMS={name} is unknown: {nearest(name, forms)}")
    try:
        return {path_of(forms[name]): -100} if name and forms[name].load() else {}
    except PluginError as error:
        if not isinstance(missing := error.__cause__, ModuleNotFoundError):
            raise
        raise SitecrawlError(
            f"SITECRAWL_ITEMS={name} needs {missing.name}: {install_hint(name)}"
        ) from None
