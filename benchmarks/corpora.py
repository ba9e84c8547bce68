"""Readers of the pages beside the project: whole sites and corpora with their truth.

The data lies unpacked in $SITECRAWL_DATA, else ~/.cache/sitecrawl-data (``sites/NAME`` and ``corpora/NAME``).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

DATA = Path(os.environ.get("SITECRAWL_DATA", "~/.cache/sitecrawl-data")).expanduser()


@dataclass(frozen=True, slots=True)
class Example:
    """A page and its truth; ``key`` orders the pages of a site in a fixed random order."""

    site: str
    url: str
    file: Path
    text: str
    title: str | None = None
    date: str | None = None
    key: str = ""
    truth: dict[str, Any] = field(default_factory=dict)

    @property
    def body(self) -> bytes:
        return self.file.read_bytes()


def order(key: object) -> str:
    """A fixed pseudo-random order."""
    return hashlib.sha1(str(key).encode()).hexdigest()


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with open(path, encoding="utf8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def site_names() -> list[str]:
    """Names of the whole sites at hand; empty when the data is absent."""
    return sorted(path.parent.name for path in (DATA / "sites").glob("*/site.json"))


def corpus_names() -> list[str]:
    """Names of the corpora at hand that hold article or thread pages."""
    return sorted(
        path.parent.name
        for path in (DATA / "corpora").glob("*/truth.jsonl")
        if not path.parent.name.startswith("links_")
    )


def site_meta(name: str) -> dict[str, Any]:
    meta: dict[str, Any] = json.loads((DATA / "sites" / name / "site.json").read_text(encoding="utf8"))
    return meta


def site_file(name: str, path: str) -> Path | None:
    """The file that serves ``path`` of a site."""
    base = DATA / "sites" / name / "root" / unquote(urlsplit(path).path).lstrip("/")
    candidates = (base, base / "index.html", base / "index.htm", Path(f"{base}.html"))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def site_examples(name: str) -> list[Example]:
    """Article pages of a site whose text is known."""
    host, found = site_meta(name)["host"], []
    for row in rows(DATA / "sites" / name / "articles.jsonl"):
        file = site_file(name, row["path"])
        if file is not None and (row.get("text") or "").strip():
            found.append(
                Example(
                    name,
                    f"http://{host}{row['path']}",
                    file,
                    row["text"],
                    row.get("title"),
                    row.get("date"),
                    order(row["path"]),
                    row,
                )
            )
    return sorted(found, key=lambda example: example.key)


def other_pages(name: str) -> list[tuple[str, bytes]]:
    """URL and bytes of the pages of a whole site that its section pages link to and that are neither articles nor sections; [] of any other."""
    if not (DATA / "sites" / name / "links.jsonl").is_file():
        return []
    host = site_meta(name)["host"]
    articles = {row["path"] for row in rows(DATA / "sites" / name / "articles.jsonl")}
    found = dict[str, Path]()
    for link in rows(DATA / "sites" / name / "links.jsonl"):
        path = urlsplit(link["target"] or "").path
        file = site_file(name, path) if link["label"] == "other" and link["exists"] and path not in articles else None
        if file is not None and file.suffix in ("", ".html", ".htm", ".php"):
            found[path] = file
    return [(f"http://{host}{path}", found[path].read_bytes()) for path in sorted(found, key=order)]


def corpus_examples(name: str, coverage: float = 0.9) -> dict[str, list[Example]]:
    """Pages of a corpus by site, those whose truth stands on the page to at least ``coverage``."""
    folder, found = DATA / "corpora" / name, defaultdict(list)
    for row in rows(folder / "truth.jsonl"):
        file = folder / "pages" / f"{row['id']}.html"
        if (row.get("text") or "").strip() and row.get("cov", 1) >= coverage and file.is_file():
            site = row["site"] or row["id"]
            url = row.get("url") or f"http://{row['site']}/{row['id']}"
            found[site].append(
                Example(site, url, file, row["text"], row.get("title"), row.get("date"), order(row["id"]), row)
            )
    return {site: sorted(pages, key=lambda example: example.key) for site, pages in sorted(found.items())}
