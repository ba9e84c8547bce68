"""``scrapy label URL|FILE``: link records of a page, labels by hand in the browser, from a file, or from the site's own feed and sitemap."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.commands._help import Help
from sitecrawl.commands._http import read_source
from sitecrawl.commands._output import OneLineErrors, today
from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.crawl.site_models import Sites
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.errors import LabelError
from sitecrawl.extras.editor.label_session import LabelSession, write_pages
from sitecrawl.extras.editor.page_labels import PageLabels
from sitecrawl.extras.editor.server import serve
from sitecrawl.extras.editor.training_trial import TrainingTrial
from sitecrawl.extras.training.dataset import (
    LabelledPage,
    Labels,
    feed_urls,
    is_sitemap,
    known_share,
    label_links,
    label_links_by_feed,
    read_labels,
)
from sitecrawl.links.facts import PageFacts, page_facts
from sitecrawl.links.link_model import PROJECT_MODEL, LinkModel, model_at
from sitecrawl.urls.scope import host_of


class LabelCommand(OneLineErrors, ScrapyCommand):
    explains = Help(
        "Write link records of section pages, labelled from a file or from the site's feed and sitemap",
        {"URL|FILE": "section page"},
        (
            "sitecrawl label https://example.com/news/ --into own_sites",
            "sitecrawl label saved.html --url https://example.com/news/ --labels labels.jsonl",
            "sitecrawl label --edit https://example.com/news/ https://example.com/city/ --output own-links.npz",
        ),
    )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--url", help="URL of a page given as a file: --url https://example.com/news/")
        parser.add_argument("--labels", type=Path, help="JSON lines of url and label: --labels labels.jsonl")
        parser.add_argument(
            "--feed",
            action="append",
            default=[],
            help="feed, URL or file: --feed https://example.com/rss.xml (default: those the page names)",
        )
        parser.add_argument(
            "--sitemap", action="append", default=[], help="sitemap, URL or file: --sitemap sitemap.xml"
        )
        parser.add_argument(
            "--into",
            type=Path,
            default=Path("training_data"),
            help="folder of link records: --into own_sites (default: %(default)s)",
        )
        parser.add_argument("--json", action="store_true", help="a line of JSON a page: --json")
        parser.add_argument("--edit", action="store_true", help="label the links by hand in the browser: --edit")
        parser.add_argument(
            "--with",
            dest="others",
            type=Path,
            action="append",
            help="folder of records that the editor trains on besides --into: --with training_data (the default)",
        )
        parser.add_argument(
            "-o",
            "--output",
            type=Path,
            help="file of the model that the editor trains: -o own-links.npz (default: that of SITECRAWL_LINK_MODEL, or this name)",
        )
        parser.add_argument(
            "--port", type=int, default=0, help="port of the editor: --edit --port 8090 (default: one that is free)"
        )

    def act(self, args: list[str], opts: Namespace) -> None:
        if not args:
            raise UsageError("give the URL or the file of at least one section page")
        try:
            if opts.edit:
                return self._edit(args, opts)
            pages = [_label(source, opts) for source in args]
            with redirect_stdout(sys.stderr) if opts.json else nullcontext():
                for path, count in write_pages(pages, opts.into):
                    print(f"wrote {path}: {count} pages")
        except LabelError as error:
            raise UsageError(str(error), print_help=False) from error

    def _edit(self, sources: list[str], opts: Namespace) -> None:
        """Serve the editor until Ctrl-C; what was not saved then is saved at the end."""
        found = CrawlSettings.from_settings(self.settings)
        named = found.link_model_of(host_of(opts.url or sources[0]))
        model = model_at(named)
        pages = [_page_labels(source, opts, model) for source in sources]
        folders = list(dict.fromkeys([*(opts.others or [Path("training_data")]), opts.into]))
        trial = TrainingTrial(opts.output or Path(found.link_model or PROJECT_MODEL), folders, model)
        session = LabelSession(pages, opts.into, trial)
        session.knowledge = lambda: Sites(found.stores.learned(), today=today())
        session.resume()
        session.saved = not any((opts.labels, opts.feed, opts.sitemap))
        serve(session, opts.port, what="label")
        for path, count in [] if session.saved else session.save():
            print(f"wrote {path}: {count} pages")


def _page(source: str, opts: Namespace) -> tuple[Page, PageFacts]:
    web = urlsplit(source).scheme in ("http", "https")
    url = opts.url or (source if web else "")
    if not url:
        raise UsageError("a page given as a file needs its URL: --url URL", print_help=False)
    page = parse(read_source(source), url)
    facts = page_facts(page)
    if not facts.urls:
        raise UsageError(f"{source}: no links", print_help=False)
    return page, facts


def _page_labels(source: str, opts: Namespace, model: LinkModel) -> PageLabels:
    """A page for the editor; labels from a file, a feed or a sitemap that the user named are its first."""
    page, facts = _page(source, opts)
    page_labels = PageLabels.of(page, model)
    if opts.labels or opts.feed or opts.sitemap:
        labels = label_links(facts, read_labels(opts.labels)) if opts.labels else _by_feed(page, facts, opts)
        page_labels.begin_with(facts.urls, labels)
    return page_labels


def _label(source: str, opts: Namespace) -> LabelledPage:
    page, facts = _page(source, opts)
    labels = label_links(facts, read_labels(opts.labels)) if opts.labels else _by_feed(page, facts, opts)
    host = urlsplit(page.url).hostname or "site"
    counts = {"links": len(labels), "articles": int((labels == 2).sum()), "sections": int((labels == 1).sum())}
    if opts.json:
        print(json.dumps({"page": source, **counts, "labelled": round(known_share(labels), 4)}))
    else:
        told = f"{known_share(labels):.0%} labelled, {counts['articles']} articles, {counts['sections']} sections"
        print(f"{source}: {counts['links']} links, {told}")
    return LabelledPage(host, host, facts, labels)


def _by_feed(page: Page, facts: PageFacts, opts: Namespace) -> Labels:
    named = [] if opts.feed else [urljoin(page.url, href) for href in _feeds_of(page)]
    documents = [(source, read_source(source)) for source in [*opts.feed, *opts.sitemap]]
    documents += [(source, read_source(source, typed=False)) for source in named]
    articles = [url for source, body in documents if not is_sitemap(body) for url in feed_urls(body, source)]
    pages = [url for source, body in documents if is_sitemap(body) for url in feed_urls(body, source)]
    if not articles:
        raise UsageError("no feed with articles found; give --feed or --labels", print_help=False)
    return label_links_by_feed(facts, articles, pages=pages)


def _feeds_of(page: Page) -> list[str]:
    """URLs of the feeds that a page names in its head, as written, two at most."""
    links = page.root.iter("link")
    return [
        link.get("href", "")
        for link in links
        if "alternate" in link.get("rel", "") and link.get("type", "").endswith(("rss+xml", "atom+xml"))
    ][:2]
