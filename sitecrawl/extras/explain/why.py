"""``sitecrawl why URL``: why a link got its label, why a page gave its item, where a field came from; sentences first, numbers on request."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from sitecrawl.commands._help import Help, OptionError
from sitecrawl.commands._output import OneLineErrors

if TYPE_CHECKING:
    from sitecrawl.crawl.store import Stores
    from sitecrawl.extras.explain.why_page import PageEvidence
    from sitecrawl.links.link_model import LinkModel

_PAGE = "page that holds the link, URL or file: --page https://example.com/news/ (default: the page on which a crawl found it, else the site's start page)"


class WhyCommand(OneLineErrors):
    explains = Help(
        "Say why a link got its label, why a page gave its item, where a field came from",
        {"URL": "a link or a page; if its site was crawled, the answer includes what the crawl knows"},
        (
            "sitecrawl why https://example.com/news/a.html",
            "sitecrawl why https://example.com/news/a.html --page https://example.com/news/",
            "sitecrawl why https://example.com/news/a.html --field headline",
            "sitecrawl why saved.html --page-url https://example.com/news/a.html --field datePublished",
        ),
        {
            "--page": {"help": _PAGE},
            "--page-url": {"help": "URL of a page given as a file: --page-url https://example.com/news/"},
            "--field": {"help": "say where a field of the item came from, without the link: --field headline"},
            "--model": {"type": Path, "help": "link model: --model own.npz (default: that of the crawls)"},
            "--verbose": "the numbers behind the sentences as well: --verbose",
            "--json": "the same as a line of JSON: --json",
        },
    )

    def act(self, args: list[str], opts: Namespace) -> None:
        from sitecrawl.commands._http import is_web
        from sitecrawl.extras.explain.why_page import field_known, page_known
        from sitecrawl.links.link_model import model_at
        from sitecrawl.urls.scope import host_of

        if len(args) != 1:
            raise OptionError("give the URL of one link or page, and with --page the page that holds the link")
        source, settings = args[0], self.known
        facts = _stored(settings.stores, source if is_web(source) else opts.page_url or source)
        found: dict[str, Any] = {}
        if is_web(source) and not opts.field:
            model = model_at(str(opts.model or settings.link_model_of(facts.model.site or host_of(facts.url))))
            found = _link(facts, opts, model=model)
        if opts.field or not opts.page:
            promise = found.get("scores", {}).get("article", facts.promise)
            facts, trouble = _read(replace(facts, promise=promise), source, required=bool(opts.field))
            found["page_itself"] = page_known(facts)
            found["page_itself"]["sentences"] += trouble
            found |= {"field": field_known(facts, opts.field)} if opts.field else {"url": facts.url}
        print(json.dumps(found, ensure_ascii=False) if opts.json else "\n".join(_lines(found, verbose=opts.verbose)))


def _stored(stores: Stores, url: str) -> PageEvidence:
    """What the crawls of a data folder know about a page; nothing is created or changed. Raises StoreError or TemplateError for a damaged store."""
    from sitecrawl.crawl.store import store_path
    from sitecrawl.extras.explain.why_page import PageEvidence
    from sitecrawl.site.model import SiteModel
    from sitecrawl.urls.canonical import url_key
    from sitecrawl.urls.scope import host_of

    facts, key = PageEvidence(url), url_key(url)
    if not (stores.database or (stores.data_dir / "templates.sqlite").exists()):
        return facts
    with closing(stores.learned()) as learned:
        documents = {site: learned.load(site) for site in learned.sites() if host_of(url) in site.split(",")}
    for site, document in documents.items():
        facts = replace(facts, model=SiteModel.from_dict(document) if document else SiteModel(site))
        if stores.database or store_path(stores.data_dir, site.split(",")).exists():
            with closing(stores.crawl(site)) as crawl:
                asked, became = crawl.pages.asked_for(key) or (None, "")
                listing = crawl.versions.body(url_key(asked.section)) if asked and asked.section else None
                facts = replace(facts, asked=asked, became=became, item=crawl.items.latest(key), listing=listing)
        if facts.asked is not None:
            break
    return facts


def _link(facts: PageEvidence, opts: Namespace, *, model: LinkModel) -> dict[str, Any]:
    """What is known of the link on the named page, else on the page where a crawl found it, else on the site's start page. Raises OptionError if the
    named page has no such link, SourceError if the page cannot be read and nothing else is known."""
    from sitecrawl.commands._http import Source, SourceError, read_source
    from sitecrawl.dom.parse import parse
    from sitecrawl.extras.explain.why_link import find_link, link_known
    from sitecrawl.links.facts import page_facts

    found_on, start = facts.asked.section if facts.asked else None, urljoin(facts.url, "/")
    source = opts.page or found_on or start
    try:
        kept = None if opts.page else facts.listing
        body, url = Source(kept, source) if kept else read_source(source)
        page = parse(body, url or opts.page_url or start)
    except SourceError as error:
        if opts.page or facts.item is None:
            raise
        return {"url": facts.url, "sentences": [f"The page that links to it was not read: {error}."]}
    one = find_link(facts.url, page_facts(page), model=model, profile=facts.model.profile)
    if one is not None:
        return link_known(one, model, profile=facts.model.profile)
    if opts.page:
        raise OptionError(f"{facts.url}: no such link on {page.url}; give the page that holds it with --page")
    return {"url": facts.url, "sentences": [f"{page.url} does not link to it; name a page that does with --page."]}


def _read(facts: PageEvidence, source: str, *, required: bool) -> tuple[PageEvidence, list[str]]:
    """The facts, with the current page if no item of it is stored, and the reason if it could not be read. Raises SourceError if it cannot be read
    and is ``required``, or is a file."""
    from sitecrawl.commands._http import SourceError, is_web, read_source
    from sitecrawl.dom.parse import parse
    from sitecrawl.site.answer import LazyExtraction

    if facts.item is not None:
        return facts, []
    try:
        body, url = read_source(source)
        page = parse(body, url or facts.url)
    except SourceError as error:
        if required or not is_web(source):
            raise
        return facts, [f"The page itself was not read: {error}."]
    item = facts.model.extract_page(page).to_dict()
    return replace(facts, item=item, reading=LazyExtraction(page, method=facts.model.method)), []


def _lines(found: dict[str, Any], *, verbose: bool) -> Iterator[str]:
    from sitecrawl.extras.explain.why_link import link_numbers
    from sitecrawl.text.chars import printable

    page = found.get("page_itself", {})
    if "sentences" in found:
        yield f"The link {printable(found['url'])}"
        sentences = [*([f"on {found['page']}"] if "page" in found else []), *found["sentences"]]
        yield from (f"  {printable(line)}" for line in sentences)
        yield from (f"    {line}" for line in (link_numbers(found) if verbose and "scores" in found else ()))
    rest = page.get("sentences", [])
    if "field" in found:
        first, *more = found["field"]["sentences"]
        yield f"The field {printable(first)}"
        rest = [*more, *rest]
    elif page:
        yield f"The page {printable(page['url'])}"
    yield from (f"  {printable(sentence)}" for sentence in rest)
    if verbose and page.get("provenance"):
        yield "    " + printable(json.dumps(page["provenance"], ensure_ascii=False))
