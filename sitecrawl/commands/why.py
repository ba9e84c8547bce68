"""``sitecrawl why URL``: why a link got its label, why a page gave the item it gave, where a field came from; sentences first, numbers on request."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.commands._fetch import SourceError, read_source
from sitecrawl.commands._help import Help
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.commands._why_link import find_link, link_known, link_numbers
from sitecrawl.commands._why_page import PageFacts, field_known, page_known
from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.crawl.records import RequestContext
from sitecrawl.crawl.store import CrawlStore, Stores, store_path
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.errors import ModelError
from sitecrawl.links.facts import page_facts
from sitecrawl.links.link_model import LinkModel, model_at
from sitecrawl.site.answer import Reading
from sitecrawl.site.model import SiteModel
from sitecrawl.text.chars import printable
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.scope import host_of


@dataclass
class Known:
    """What a data folder knows of ``url``: the site's model, what the page was asked for as and became, the item that left, the page that links to it."""

    url: str
    model: SiteModel = field(default_factory=SiteModel)
    asked: RequestContext | None = None
    became: str = ""
    item: dict[str, Any] | None = None
    section: bytes | None = None


class Command(OneLineErrors, ScrapyCommand):
    explains = Help(
        "Say why a link got its label, why a page gave its item, where a field came from",
        {"URL": "a link or a page; of a site that was crawled, what the crawl knows is told as well"},
        (
            "sitecrawl why https://example.com/news/a.html",
            "sitecrawl why https://example.com/news/a.html --page https://example.com/news/",
            "sitecrawl why https://example.com/news/a.html --field headline",
            "sitecrawl why saved.html --page-url https://example.com/news/a.html --field datePublished",
        ),
    )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--page",
            help="page that holds the link, URL or file: --page https://example.com/news/ (default: the page on which a crawl found it, else the site's start page)",
        )
        parser.add_argument("--page-url", help="URL of a page given as a file: --page-url https://example.com/news/")
        parser.add_argument(
            "--field",
            help="where this field of the page's item came from: --field headline (the link is left out then)",
        )
        parser.add_argument("--model", type=Path, help="link model: --model own.npz (default: that of the crawls)")
        parser.add_argument(
            "--verbose", action="store_true", help="the numbers behind the sentences as well: --verbose"
        )
        parser.add_argument("--json", action="store_true", help="the same as a line of JSON: --json")

    def act(self, args: list[str], opts: Namespace) -> None:
        if len(args) != 1:
            raise UsageError("give the URL of one link or page, and with --page the page that holds the link")
        settings = CrawlSettings.from_settings(self.settings)
        source = args[0]
        url = source if _is_web(source) else opts.page_url or source
        known = _known(settings.stores, url)
        told: dict[str, Any] = {}
        if _is_web(source) and not opts.field:
            told = _link(known, opts, _model(opts.model, settings.link_model_of(known.model.site or host_of(url))))
        if opts.field or not opts.page:
            told |= _page(known, source, opts.field, told.get("scores", {}).get("article", 0.5))
        print(json.dumps(told, ensure_ascii=False) if opts.json else "\n".join(_lines(told, opts.verbose)))


def _is_web(source: str) -> bool:
    return urlsplit(source).scheme in ("http", "https")


def _model(given: Path | None, setting: str) -> LinkModel:
    try:
        return model_at(str(given or setting))
    except ModelError as error:
        raise UsageError(str(error), print_help=False) from error


def _known(stores: Stores, url: str) -> Known:
    """What was stored about a URL; nothing is made or changed. Raises StoreError or TemplateError for a damaged store."""
    learned = stores.data_dir / "templates.sqlite"
    if not (stores.database or learned.exists()):
        return Known(url)
    host, known = host_of(url), Known(url)
    with closing(stores.learned()) as kept:
        sites = [site for site in kept.sites() if host in site.split(",")]
        documents = {site: kept.load(site) for site in sites}
    for site in sites:
        document = documents[site]
        known.model = SiteModel.from_dict(document) if document else SiteModel(site)
        if stores.database or store_path(stores.data_dir, site.split(",")).exists():
            with closing(stores.crawl(site)) as crawl:
                _recall(crawl, known)
        if known.asked is not None:
            break
    return known


def _recall(crawl: CrawlStore, known: Known) -> None:
    """What the crawls of a site know of a page."""
    asked = crawl.asked_for(url_key(known.url))
    known.asked, known.became = asked or (None, "")
    known.item = crawl.item(url_key(known.url))
    if known.asked is not None and known.asked.section:
        known.section = crawl.visited_body(url_key(known.asked.section))


def _link(known: Known, opts: Namespace, model: LinkModel) -> dict[str, Any]:
    """The link on the page named, on the one where a crawl found it, or on the site's start page.

    Raises UsageError where the page named has no such link, SourceError where the page cannot be read and nothing else is known.
    """
    found_on = known.asked.section if known.asked else None
    source = opts.page or found_on or urljoin(known.url, "/")
    try:
        stored = None if opts.page else known.section
        page = parse(
            stored or read_source(source), source if _is_web(source) else opts.page_url or urljoin(known.url, "/")
        )
    except SourceError as error:
        if opts.page or known.item is None:
            raise
        return {"url": known.url, "sentences": [f"The page that links to it was not read: {error}."]}
    one = find_link(known.url, page_facts(page), model, known.model.profile)
    if one is not None:
        return link_known(one, model, known.model.profile)
    if opts.page:
        raise UsageError(
            f"{known.url}: no such link on {page.url}; give the page that holds it with --page", print_help=False
        )
    return {"url": known.url, "sentences": [f"{page.url} does not link to it; name a page that does with --page."]}


def _page(known: Known, source: str, name: str | None, promise: float) -> dict[str, Any]:
    """The page and, where it is asked for, one of its fields; it is fetched where no item of it is stored."""
    item, reading, trouble = known.item, None, ""
    if item is None:
        try:
            reading, item = _read(parse(read_source(source), known.url), known.model, promise)
        except SourceError as error:
            if name or not _is_web(source):
                raise
            trouble = f"The page itself was not read: {error}."
    facts = PageFacts(known.url, known.model, known.asked, known.became, item, reading, promise)
    told: dict[str, Any] = {"page_itself": page_known(facts)}
    told["page_itself"]["sentences"] += [trouble] if trouble else []
    return told | ({"field": field_known(facts, name)} if name else {"url": known.url})


def _read(page: Page, model: SiteModel, promise: float) -> tuple[Reading, dict[str, Any]]:
    """A page read now, and its item as the site's templates or else the single-page extractor give it."""
    return Reading(page, model.method), model.extract_page(page).to_dict()


def _lines(told: dict[str, Any], verbose: bool) -> Iterator[str]:
    """The same for a person."""
    if "sentences" in told:
        yield f"The link {printable(told['url'])}"
        if told.get("page"):
            yield f"  on {printable(told['page'])}"
        yield from (f"  {printable(sentence)}" for sentence in told["sentences"])
        if verbose and "scores" in told:
            yield from (f"    {line}" for line in link_numbers(told))
    if "page_itself" in told and "field" not in told:
        yield f"The page {printable(told['page_itself']['url'])}"
        yield from (f"  {printable(sentence)}" for sentence in told["page_itself"]["sentences"])
    if "field" in told:
        yield f"The field {printable(told['field']['sentences'][0])}"
        yield from (f"  {printable(sentence)}" for sentence in told["field"]["sentences"][1:])
        yield from (f"  {printable(sentence)}" for sentence in told["page_itself"]["sentences"])
    provenance = (told.get("page_itself") or {}).get("provenance")
    if verbose and provenance:
        yield "    " + printable(json.dumps(provenance, ensure_ascii=False))
