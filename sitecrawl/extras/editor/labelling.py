"""Link records of section pages: their labels from a file, from feeds and sitemaps, or by hand in
the browser."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from urllib.parse import urlsplit

from sitecrawl.commands._help import OptionError
from sitecrawl.commands._http import read_source
from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.crawl.file_entries import NamingFile
from sitecrawl.crawl.named_files import feeds_of
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.errors import LabelError
from sitecrawl.extras.editor.label_session import LabelSession, write_pages
from sitecrawl.extras.editor.page_labels import PageLabels
from sitecrawl.extras.editor.server import EditorServer
from sitecrawl.extras.editor.training_trial import TrainingTrial
from sitecrawl.extras.training.dataset import (
    CODES,
    SHIPPED,
    LabelledPage,
    Labels,
    label_links,
    label_links_by_feed,
    read_labels,
    record_folder,
)
from sitecrawl.links.facts import PageFacts, page_facts
from sitecrawl.links.link_model import PROJECT_MODEL, LinkModel, model_at
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.scope import host_of


def write_labels(sources: list[str], opts: Namespace) -> None:
    """Write the records of pages. Raises OptionError, LabelError or SourceError where a page or its
    labels cannot be had."""
    pages = [_record(source, opts) for source in sources]
    for path, count in write_pages(pages, opts.into):
        print(f"wrote {path}: {count} pages")


def edit_labels(sources: list[str], settings: CrawlSettings, *, opts: Namespace) -> None:
    """Serve the editor until Ctrl-C, then save what is unsaved."""
    model = model_at(settings.link_model_of(host_of(opts.url or sources[0])))
    folders = list(dict.fromkeys([record_folder(SHIPPED), opts.into]))
    trial = TrainingTrial(Path(settings.link_model or PROJECT_MODEL), folders, model)
    pages = [_page_labels(source, opts, model=model) for source in sources]
    session = LabelSession(pages, opts.into, trial, settings.stores)
    session.resume()
    session.saved = not opts.labels
    EditorServer(session).run("label")
    while not session.saved:
        try:
            for path, count in session.save():
                print(f"wrote {path}: {count} pages")
        except (LabelError, OSError) as error:
            print(
                f"sitecrawl: {error}; the editor opens again (Ctrl-\\ ends it without your labels)",
                file=sys.stderr,
            )
            EditorServer(session).run("label")


def _page(source: str, opts: Namespace) -> tuple[Page, PageFacts]:
    body, own = read_source(source)
    if not (url := opts.url or own):
        raise OptionError("a page given as a file needs its URL: --url URL")
    page = parse(body, url)
    facts = page_facts(page)
    if not facts.urls:
        raise OptionError(f"{source}: no links")
    return page, facts


def _page_labels(source: str, opts: Namespace, *, model: LinkModel) -> PageLabels:
    """A page for the editor; labels from a file, a feed or a sitemap that the user named are its
    first."""
    page, facts = _page(source, opts)
    page_labels = PageLabels.of(page, model)
    if opts.labels:
        page_labels.given = page_labels.labels_of(facts.urls, _labels(page, facts, opts=opts))
    return page_labels


def _record(source: str, opts: Namespace) -> LabelledPage:
    """A page with its labels; their numbers are printed."""
    page, facts = _page(source, opts)
    labels = _labels(page, facts, opts=opts)
    articles = int((labels == CODES["article"]).sum())
    sections = int((labels == CODES["section"]).sum())
    share = float((labels > CODES["unknown"]).mean())
    counts = f"{share:.0%} labelled, {articles} articles, {sections} sections"
    print(f"{source}: {len(labels)} links, {counts}")
    host = urlsplit(page.url).hostname or "site"
    return LabelledPage(host, host, facts, labels)


def _labels(page: Page, facts: PageFacts, *, opts: Namespace) -> Labels:
    """Labels from the file that the user named, or from feeds and sitemaps; without named ones from
    at most two feeds that the page names."""
    named = [(source, read_source(source).body) for source in opts.labels]
    tables = [source for source, body in named if not body.lstrip().startswith(b"<")]
    if tables:
        return _labels_of_tables(tables, facts)
    documents = named or [
        (url, read_source(url, named_by=page.url).body) for url in feeds_of(page)[:2]
    ]
    articles = list[str]()
    pages = list[str]()
    for source, body in documents:
        for hint in NamingFile.of(body).entries(source):
            if not hint.is_file:
                (articles if hint.news else pages).append(hint.url)
    if not articles:
        raise OptionError("no feed with articles found: give --labels, a feed or JSON lines")
    return label_links_by_feed(facts, articles, pages=pages)


def _labels_of_tables(tables: list[str], facts: PageFacts) -> Labels:
    given = dict[str, str]()
    for name in tables:
        given |= read_labels(Path(name))
    if not any(url_key(url) in given for url in facts.urls):
        raise OptionError(
            f"{tables[0]} labels none of the links of {facts.url}: check the URLs in it"
        )
    return label_links(facts, given)
