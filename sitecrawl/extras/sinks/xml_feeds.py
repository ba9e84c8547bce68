"""RSS 2.0, Atom, and items as XML."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import cache
from typing import IO, Any, ClassVar, cast

from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape
from scrapy.exporters import XmlItemExporter

from sitecrawl.extras.sinks.feed_writing import ArticleExporter, ChannelFacts, instant
from sitecrawl.extras.sinks.markdown_files import body_html
from sitecrawl.urls.scope import host_of

_CONTROL = re.compile(
    "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)  # characters that XML 1.0 cannot hold


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
    """A feed whose ``template`` has the macros ``head`` and ``entry``, and the text ``tail``."""

    template: ClassVar[str]

    def __init__(self, file: IO[bytes], facts: ChannelFacts | None = None, **kwargs: Any) -> None:
        super().__init__(file, facts, **kwargs)
        self.parts = cast(Any, _templates().get_template(self.template).module)
        self.tail = str(self.parts.tail)

    def head(self, item: dict[str, Any] | None) -> str:
        return str(self.parts.head(*self.facts.of(item), self.feed_url))

    def entry(self, item: dict[str, Any]) -> str:
        published = instant(item.get("datePublished") or "")
        shown = {
            "published": published,
            "rfc822": format_datetime(datetime.fromisoformat(published)) if published else "",
            "modified": instant(item.get("dateModified") or ""),
            "fetched": (item.get("metadata") or {}).get("dateDownloaded"),
            "host": host_of(item["url"]),
            "description": str(escape(item.get("description") or "")),
            "body": body_html(item),
        }
        return str(self.parts.entry(item, shown))


class RssExporter(_XmlFeedExporter):
    """RSS 2.0 (https://www.rssboard.org/rss-specification) with the body as ``content:encoded``;
    ``pubDate`` only if the instant is known."""

    template = "feed_rss.xml"


class AtomExporter(_XmlFeedExporter):
    """Atom (RFC 4287). ``published`` only if the instant is known; ``updated`` is the last change,
    else publication, else the fetch."""

    template = "feed_atom.xml"


class XmlExporter(XmlItemExporter):
    """Scrapy's exporter without characters that XML forbids."""

    def _export_xml_field(self, name: str, serialized_value: Any, depth: int) -> None:
        is_text = isinstance(serialized_value, str)
        super()._export_xml_field(
            name, _CONTROL.sub("", serialized_value) if is_text else serialized_value, depth
        )
