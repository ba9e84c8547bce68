"""``scrapy why URL [--page SECTION]``: the label of a link on a section page, its scores, its group, and the reasons."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.commands._fetch import read_source
from sitecrawl.commands._help import Help
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.dom.parse import parse
from sitecrawl.errors import ModelError
from sitecrawl.links.classify import links_of, reasons
from sitecrawl.links.facts import PageFacts, page_facts
from sitecrawl.links.link_features import Targets, target_features
from sitecrawl.links.link_model import LinkModel, default_path, load_model
from sitecrawl.links.training.dataset import normal
from sitecrawl.text.chars import printable

SHOWN = 8


class Command(OneLineErrors, ScrapyCommand):
    explains = Help(
        "Say why a link of a section page got its label",
        {"URL": "the link, as it stands on the page"},
        ("sitecrawl why https://example.com/news/a.html --page https://example.com/news/",),
    )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--page",
            help="section page that holds the link, URL or file: --page https://example.com/news/ (default: the site's start page)",
        )
        parser.add_argument(
            "--page-url", help="URL of a section page given as a file: --page-url https://example.com/news/"
        )
        parser.add_argument("--model", type=Path, help="model file: --model own.npz (default: the shipped one)")
        parser.add_argument("--json", action="store_true", help="the same as a line of JSON: --json")

    def act(self, args: list[str], opts: Namespace) -> None:
        if len(args) != 1:
            raise UsageError("give the URL of one link, and with --page the page that holds it")
        source = opts.page or urljoin(args[0], "/")
        web = urlsplit(source).scheme in ("http", "https")
        facts = page_facts(parse(read_source(source), source if web else opts.page_url or urljoin(args[0], "/")))
        try:
            model = load_model(opts.model or default_path())
        except ModelError as error:
            raise UsageError(str(error), print_help=False) from error
        known = _explanation(args[0], facts, model)
        print(json.dumps(known, ensure_ascii=False) if opts.json else "\n".join(_lines(known)))


def _explanation(url: str, facts: PageFacts, model: LinkModel) -> dict[str, Any]:
    """What is known of the link ``url`` of a page. Raises UsageError where the page has no such link."""
    targets = target_features(facts)
    found = [n for n, other in enumerate(facts.urls) if normal(other) == normal(url)]
    if not found:
        raise UsageError(
            f"{url}: no such link on {facts.url}; give the page that holds it with --page", print_help=False
        )
    guess = model.probabilities(targets)
    links = links_of(facts, targets, guess, guess)
    link, target = links[found[0]], int(targets.of[found[0]])
    alike = [other for other in links if other.group == link.group]
    return {
        "url": link.url,
        "label": str(link.label),
        "score": round(link.score, 4),
        "pagination": link.pagination,
        "scores": {name: round(score, 4) for name, score in link.scores.items()},
        "occurrences": len(found),
        "text": link.text,
        "group": {
            "path": link.group,
            "links": len(alike),
            "articles": sum(other.label == "article" for other in alike),
        },
        "reasons": _reasons(model, targets, target, link.label) if target >= 0 else None,
    }


def _reasons(model: LinkModel, targets: Targets, target: int, label: str) -> dict[str, Any]:
    """The features that say most for and against a label, strongest first."""
    head = 1 if label == "section" else 0
    ranked: list[dict[str, Any]] = [
        {"feature": reason.name, "value": float(reason.value), "weight": float(reason.weight)}
        for reason in reasons(model, targets, target, head)
    ]
    told = {
        title: [one for one in ranked if one["weight"] * sign > 0] for title, sign in (("for", 1.0), ("against", -1.0))
    }
    return {"of": ("article", "section")[head]} | {title: those[:SHOWN] for title, those in told.items()}


def _lines(known: dict[str, Any]) -> Iterator[str]:
    """The same for a person."""
    yield printable(known["url"])
    yield f"  {known['label']} {known['score']:.3f}" + (" (pagination)" if known["pagination"] else "")
    yield "  " + "  ".join(f"{name} {score:.3f}" for name, score in known["scores"].items())
    yield f"  links to it on the page: {known['occurrences']}; text: {known['text'][:60]!r}"
    group = known["group"]
    yield f"  group {printable(group['path'])}"
    yield f"    {group['links']} links, of them articles: {group['articles']}"
    if known["reasons"] is None:
        yield "  leads to no page of the site (fragment, script, mail, file, feed or another domain): other by rule"
        return
    for title in ("for", "against"):
        yield f"  {title} {known['reasons']['of']}:"
        for reason in known["reasons"][title]:
            yield f"    {reason['weight']:+.3f}  {reason['feature']} = {reason['value']:.3g}"
