"""``scrapy why URL [--page SECTION]``: the label of a link on a section page, its scores, its group, and the reasons."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.commands._fetch import read_source
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.dom.parse import parse
from sitecrawl.errors import ModelError
from sitecrawl.links.classify import links_of, reasons
from sitecrawl.links.facts import PageFacts, page_facts
from sitecrawl.links.link_features import Targets, target_features
from sitecrawl.links.link_model import LinkModel, default_path, load_model
from sitecrawl.links.training.dataset import normal

SHOWN = 8


class Command(OneLineErrors, ScrapyCommand):
    def syntax(self) -> str:
        return "[options] URL"

    def short_desc(self) -> str:
        return "Say why a link of a section page got its label"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--page", help="section page that holds the link, URL or file (default: the site's start page)"
        )
        parser.add_argument("--page-url", help="URL of a section page given as a file")
        parser.add_argument("--model", type=Path, help="model file (default: the shipped one)")

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
        _explain(args[0], facts, model)


def _explain(url: str, facts: PageFacts, model: LinkModel) -> None:
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
    print(f"{link.url}\n  {link.label} {link.score:.3f}" + (" (pagination)" if link.pagination else ""))
    print("  " + "  ".join(f"{name} {score:.3f}" for name, score in link.scores.items()))
    print(f"  links to it on the page: {len(found)}; text: {link.text[:60]!r}")
    print(
        f"  group {link.group}\n    {len(alike)} links, of them articles: {sum(other.label == 'article' for other in alike)}"
    )
    if target < 0:
        print("  leads to no page of the site (fragment, script, mail, file, feed or another domain): other by rule")
        return
    _print_reasons(model, targets, target, link.label)


def _print_reasons(model: LinkModel, targets: Targets, target: int, label: str) -> None:
    head = 1 if label == "section" else 0
    ranked = reasons(model, targets, target, head)
    for title, sign in (("for", 1.0), ("against", -1.0)):
        print(f"  {title} {('article', 'section')[head]}:")
        for reason in [reason for reason in ranked if reason.weight * sign > 0][:SHOWN]:
            print(f"    {reason.weight:+.3f}  {reason.name} = {reason.value:.3g}")
