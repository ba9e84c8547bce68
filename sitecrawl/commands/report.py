"""`scrapy report`: one HTML page that shows what the crawls of a data directory did."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.commands._output import OneLineErrors
from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.crawl.store import CrawlStore, SiteStore
from sitecrawl.site.model import SiteModel


class Command(OneLineErrors, ScrapyCommand):
    """Reads the state and the templates in ``SITECRAWL_DATA_DIR``."""

    def short_desc(self) -> str:
        return "Write an HTML report of what was crawled and learned"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "-o", "--output", type=Path, default=Path("report.html"), help="file to write (default: %(default)s)"
        )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        found = CrawlSettings.from_settings(self.settings)
        states = found.stores.crawls()
        if not states:
            raise UsageError(f"nothing was crawled into {found.stores.place} yet")
        store = found.stores.learned()
        page = build_report(states, store)
        opts.output.write_text(page, encoding="utf8")
        print(f"sitecrawl: report written to {opts.output}")


_FIELDS = ("headline", "datePublished", "authors", "articleBody", "mainImage", "description", "tags", "comments")


def build_report(states: list[CrawlStore], store: SiteStore) -> str:
    """The report as one HTML document, with every value escaped."""
    counts: Counter[tuple[str, str]] = Counter()
    for state in states:
        counts.update({(role, kind): count for role, kind, count in state.kinds_of_pages()})
    pages = [{"label": label, "kind": kind, "count": count} for (label, kind), count in counts.most_common()]
    environment = Environment(loader=PackageLoader("sitecrawl", "commands"), autoescape=True)
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
