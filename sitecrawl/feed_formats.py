"""The one table of feed formats: for crawls (`-O FILE`, `-O FILE:FORMAT`), `sitecrawl feed` and
`sitecrawl batch`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

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
    is_folder: bool = False  # whether it writes several files into a folder
    storage: str = ""
    """Import path of a Scrapy feed storage for URLs of ``schemes``; its ``open`` raises
    SitecrawlError or OSError where one cannot be used."""
    schemes: tuple[str, ...] = ()


@cache
def feed_formats() -> dict[str, FeedFormat]:
    """All formats by name: those of this package, then those that are plugged in."""
    own = {"jsonl": FeedFormat("sitecrawl.exporters.LinesExporter", ".jsonl")}
    return own | {
        name: entry.load(has=["writer", "schemes"]) for name, entry in plugged(FEED_FORMATS).items()
    }


def with_format(target: str) -> str:
    """What is typed behind -o, with the format of a database, a service or standard output:
    ``sqlite:///a.db`` becomes ``sqlite:///a.db:sql``, ``-`` becomes ``-:jsonl``."""
    if target == "-":
        return "-:jsonl"
    scheme = target.partition("://")[0]
    form = next(
        (name for name, one in feed_formats().items() if "://" in target and scheme in one.schemes),
        "",
    )
    return f"{target}:{form}" if form and not target.endswith(f":{form}") else target


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
