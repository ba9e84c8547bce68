"""RSS 2.0 and Atom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from functools import cache
from typing import IO, Any, ClassVar, cast
from uuid import NAMESPACE_URL, uuid5

from jinja2 import Environment, PackageLoader
from lxml import etree
from markupsafe import Markup, escape

from sitecrawl.extras.sinks.feed_channel import Channel, ChannelFacts
from sitecrawl.extras.sinks.feed_writing import instant
from sitecrawl.extras.sinks.markdown_files import body_html
from sitecrawl.extras.sinks.newest import (
    ArticleExporter,
    Item,
    NotAFeedError,
    OldEntry,
    OldFeed,
)
from sitecrawl.urls.scope import host_of

# characters that XML 1.0 cannot hold
_CONTROL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ATOM = "{http://www.w3.org/2005/Atom}"


@cache
def _templates() -> Environment:
    """The templates beside this module; characters that XML 1.0 forbids are removed from all
    values."""
    made = Environment(
        loader=PackageLoader("sitecrawl.extras.sinks", "."), autoescape=True, trim_blocks=True
    )
    made.finalize = lambda value: (
        value if isinstance(value, Markup) else _CONTROL.sub("", str(value or ""))
    )
    made.globals["now"] = lambda: datetime.now(UTC).isoformat(timespec="seconds")
    return made


class _XmlFeedExporter(ArticleExporter):
    """A feed whose ``template`` has the macros ``head`` and ``entry``, and the text ``tail``. The
    tags are those of a file that is read again."""

    template: ClassVar[str]
    root: ClassVar[str]
    entry_tag: ClassVar[str]
    key_tag: ClassVar[str]
    icon_path: ClassVar[str]
    between = "\n"

    def __init__(self, file: IO[bytes], facts: ChannelFacts | None = None, **kwargs: Any) -> None:
        super().__init__(file, facts, **kwargs)
        self.parts = cast(Any, _templates().get_template(self.template).module)
        self.tail = "\n" + str(self.parts.tail)

    def head(self, channel: Channel) -> str:
        # both formats need an address, also a feed that is published nowhere
        home = channel.home or self.feed_url or uuid5(NAMESPACE_URL, channel.title).urn
        return str(self.parts.head(channel.title, home, channel.icon, self.feed_url))

    def entry(self, item: Item) -> str:
        published = instant(item.get("datePublished") or "")
        shown = {
            "published": published,
            "rfc822": format_datetime(datetime.fromisoformat(published)) if published else "",
            "modified": instant(item.get("dateModified") or ""),
            "fetched": (item.get("metadata") or {}).get("dateDownloaded"),
            "host": host_of(item["url"]) or "unknown",
            "description": str(escape(item.get("description") or "")),
            "body": body_html(item),
            "is_link": not item["url"].startswith("urn:"),
        }
        return str(self.parts.entry(item, shown)).strip()

    def read(self, document: bytes) -> OldFeed:
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        try:
            root = etree.fromstring(document, parser)
        except (etree.XMLSyntaxError, ValueError):
            raise NotAFeedError from None
        if root.tag != self.root:
            raise NotAFeedError
        channel = next(root.iterchildren("channel"), root)
        title = channel.findtext("{*}title", "")
        icon = channel.findtext(self.icon_path, "")
        found = (self._old_entry(entry) for entry in channel.iterchildren(self.entry_tag))
        return OldFeed(Channel(title, self._home(channel), icon), tuple(found))

    def _home(self, channel: etree._Element) -> str:
        links = (link.get("href") or link.text or "" for link in channel.iterchildren("{*}link"))
        home = next(links, "")
        return "" if home.startswith("urn:") else home

    def _old_entry(self, entry: etree._Element) -> OldEntry:
        entry.tail = None
        days = (day for name in _DAYS for day in _day_in(entry.findtext(name, "")))
        key = entry.findtext(self.key_tag, "")
        return OldEntry(key, next(days, ""), etree.tostring(entry, encoding="unicode"))


_DAYS = (
    "pubDate",
    f"{_ATOM}published",
    "{http://purl.org/dc/elements/1.1/}date",
    "{http://purl.org/dc/terms/}available",  # when an article without a date was first seen
)


def _day_in(text: str) -> Iterator[str]:
    """A date of a feed in ISO 8601."""
    if text[:4].isdecimal():
        yield text
        return
    with suppress(ValueError, TypeError):
        yield parsedate_to_datetime(text).isoformat()


class RssExporter(_XmlFeedExporter):
    """RSS 2.0 (https://www.rssboard.org/rss-specification) with the body as ``content:encoded``;
    ``pubDate`` only if the instant is known."""

    template = "feed_rss.xml"
    root = "rss"
    entry_tag = "item"
    key_tag = "guid"
    icon_path = "image/url"


class AtomExporter(_XmlFeedExporter):
    """Atom (RFC 4287). ``published`` only if the instant is known; ``updated`` is the last change,
    else publication, else the fetch."""

    template = "feed_atom.xml"
    root = f"{_ATOM}feed"
    entry_tag = f"{_ATOM}entry"
    key_tag = f"{_ATOM}id"
    icon_path = f"{_ATOM}icon"
