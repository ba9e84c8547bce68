"""Articles as Markdown files."""

from __future__ import annotations

import json
from typing import IO, Any

from markupsafe import escape
from scrapy.exporters import BaseItemExporter

from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content
from sitecrawl.exporters import FolderFile
from sitecrawl.extras.sinks.feed_writing import article_fields, file_name, part_of

_SPELLED = {"<": "\\u003c", "](": "]\\u0028", "]:": "]\\u003a"}
"""Signs that stand only within the strings of a JSON document, as escapes of JSON."""


class MarkdownExporter(BaseItemExporter):
    """One Markdown file per article in a folder, where a changed article replaces its file; or all
    articles in one file. Metadata is front matter."""

    def __init__(self, file: IO[bytes], **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self.file = file

    def export_item(self, item: Any) -> None:
        found = article_fields(item)
        text = article_markdown(found).encode("utf-8", "replace")
        if isinstance(self.file, FolderFile):
            with part_of(self.file.folder, found["url"]):
                (self.file.folder / f"{file_name(found['url'])}.md").write_bytes(text)
        else:
            self.file.write(text)


def article_markdown(item: dict[str, Any]) -> str:
    """An article as Markdown with front matter; each value is JSON, which is also YAML. A reader
    that knows no front matter shows it as text: there is no markup in it."""
    left_out = ("articleBody", "articleBodyHtml", "provenance", "comments", "images")
    facts = {name: value for name, value in item.items() if value and name not in left_out}
    head = "".join(
        f"{name}: {_inert(json.dumps(value, ensure_ascii=False))}\n"
        for name, value in facts.items()
    )
    return f"---\n{head}---\n\n{body_markdown(item)}\n"


def body_markdown(item: dict[str, Any]) -> str:
    """Headline and body of an article as Markdown."""
    title = f"<h1>{escape(str(item['headline']))}</h1>" if item.get("headline") else ""
    page = parse(f"<body>{title}{body_html(item)}", item["url"])
    return Content([page.root], base_url=item["url"]).markdown


def _inert(document: str) -> str:
    """JSON whose strings hold the same, without what Markdown would read as a tag or a link."""
    for live, spelled in _SPELLED.items():
        document = document.replace(live, spelled)
    return document


def body_html(item: dict[str, Any]) -> str:
    """The clean HTML of the body; without it the escaped text, one paragraph per line."""
    lines = str(item.get("articleBody") or "").splitlines()
    return item.get("articleBodyHtml") or "".join(
        f"<p>{escape(line)}</p>" for line in lines if line
    )
