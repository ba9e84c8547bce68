"""Figures of a data directory, and the HTML they are shown in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader

from sitecrawl.crawl.store import CrawlStore
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.store import SiteStore

_FIELDS = ("headline", "datePublished", "authors", "articleBody", "mainImage", "description", "tags", "comments")


def build_report(states: list[CrawlStore], store: SiteStore) -> str:
    """The report as one HTML document, everything escaped."""
    counts: Counter[tuple[str, str]] = Counter()
    for state in states:
        counts.update({(role, kind): count for role, kind, count in state.count_pages()})
    pages = [{"label": label, "kind": kind, "count": count} for (label, kind), count in counts.most_common()]
    environment = Environment(loader=PackageLoader("sitecrawl", "report"), autoescape=True)
    return environment.get_template("report.html").render(
        tasks=[task for state in states for task in state.tasks()],
        pages=pages,
        most=max(counts.values(), default=1),
        items=_items(item for state in states for item in state.all_items()),
        templates=_templates(store),
    )


def _items(items: Iterable[dict[str, Any]]) -> dict[str, Any]:
    methods: Counter[str] = Counter()
    filled: Counter[str] = Counter()
    for item in items:
        methods[str(item["provenance"]["method"])] += 1
        filled.update(name for name in _FIELDS if item.get(name))
    total = sum(methods.values())
    coverage = {name: filled[name] / max(1, total) for name in _FIELDS}
    return {"total": total, "methods": dict(methods), "coverage": coverage}


def _templates(store: SiteStore) -> list[dict[str, Any]]:
    rows = []
    for name in store.sites():
        document = store.load(name)
        if document is None:
            continue
        for template in SiteModel.from_dict(document).templates:
            body = template.body.addresses[0] if template.body.addresses else ""
            rows.append(
                {
                    "site": name,
                    "name": template.name,
                    "version": template.version,
                    "state": template.state,
                    "body": body,
                }
            )
    return rows


def write_report(states: list[CrawlStore], store: SiteStore, target: Path) -> None:
    target.write_text(build_report(states, store), encoding="utf8")
