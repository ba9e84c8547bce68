"""What is known of a page and of the link to it: from the stores of crawls, or read now."""

from __future__ import annotations

from argparse import Namespace
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urljoin

from sitecrawl.commands._help import OptionError
from sitecrawl.commands._http import Source, SourceError, is_web, read_source
from sitecrawl.crawl.decisions import PageFamilyGate
from sitecrawl.crawl.records import RequestContext
from sitecrawl.crawl.store import CrawlStore, Stores, store_path
from sitecrawl.dom.parse import parse
from sitecrawl.extras.explain.unwritten import Unwritten, why_copied, why_unwritten
from sitecrawl.extras.explain.why_link import find_link, link_known
from sitecrawl.items.kinds import PageKind
from sitecrawl.links.facts import page_facts
from sitecrawl.links.link_model import LinkModel
from sitecrawl.site.answer import LazyExtraction
from sitecrawl.site.content_type import content_type
from sitecrawl.site.judge import FamilyVerdict, PageJudgement, judged_page, kind_of_page
from sitecrawl.site.model import SiteModel
from sitecrawl.site.page_families import DEFAULT_KINDS, PageFamily
from sitecrawl.templates.family import TemplateFamily
from sitecrawl.templates.template import Template
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.scope import host_of


@dataclass(frozen=True, slots=True)
class JudgedFamily:
    """A page family, the verdict on it, and what speaks most ``against`` it, in words."""

    family: PageFamily
    verdict: FamilyVerdict
    against: list[str]

    @classmethod
    def of(cls, state: CrawlStore, key: str, *, model: SiteModel) -> JudgedFamily | None:
        """The family of a page; None for a page that gave no article."""
        name = state.families.of_page(key)
        gate = PageFamilyGate(state.families, DEFAULT_KINDS, model.choices)
        for family, verdict in gate.judged() if name else ():
            if family.name == name:
                return cls(family, verdict, gate.against(family, verdict))
        return None


@dataclass(frozen=True)
class PageEvidence:
    """What is known of a page: ``asked`` and ``became`` from the store, ``item`` as it was or would
    be written, ``reading`` if the page was read now.
    ``listing`` is the stored page on which a crawl found it; ``promise`` is the probability, 0..1,
    that the link to it leads to an article."""

    url: str
    model: SiteModel = field(default_factory=SiteModel)
    asked: RequestContext | None = None
    became: str = ""
    item: dict[str, Any] | None = None
    listing: bytes | None = None
    reading: LazyExtraction | None = None
    promise: float = 0.5
    unwritten: Unwritten | None = None  # why a crawl wrote no item for it, if that is known
    family: JudgedFamily | None = None  # the page family that a crawl counted it to

    @property
    def provenance(self) -> dict[str, Any]:
        return (self.item or {}).get("provenance") or {}

    @property
    def kind(self) -> PageKind | None:
        """The kind of the page, if it was read now."""
        return kind_of_page(self.reading.guess, self.promise) if self.reading else None

    @property
    def judgement(self) -> PageJudgement | None:
        """The judge's opinion of the page by itself, if it was read now."""
        if self.reading is None:
            return None
        return judged_page(
            self.reading.guess,
            promise=self.promise,
            listing=self.asked.listing if self.asked else 0.0,
            type_name=content_type(self.reading.page).name,
        )

    def template(self) -> tuple[TemplateFamily, Template] | None:
        """The template version that answered, if the site's model still has it."""
        name, number = self.provenance.get("templateId", ""), self.provenance.get("templateVersion")
        found = ((family, one) for family in self.model.families for one in family.versions)
        return next(
            (
                it
                for it in found
                if (it[0].name, it[1].version) == (name.rpartition("/")[2], number)
            ),
            None,
        )


def stored(stores: Stores, url: str) -> PageEvidence:
    """What the crawls of a data folder know about a page; nothing is created or changed. Raises
    StoreError or TemplateError for a damaged store."""
    facts, key = PageEvidence(url), url_key(url)
    if not (stores.database or (stores.data_dir / "templates.sqlite").exists()):
        return facts
    with closing(stores.learned()) as learned:
        documents = {
            site: learned.load(site) for site in learned.sites() if host_of(url) in site.split(",")
        }
    for site, document in documents.items():
        facts = replace(facts, model=SiteModel.from_dict(document) if document else SiteModel(site))
        if stores.database or store_path(stores.data_dir, site.split(",")).exists():
            with closing(stores.crawl(site)) as crawl:
                facts = _of_crawl(facts, crawl, key=key)
        if facts.asked is not None:
            break
    return facts


def _of_crawl(facts: PageEvidence, crawl: CrawlStore, *, key: str) -> PageEvidence:
    """The evidence with what the crawls of a site know about the page."""
    asked, became = crawl.pages.asked_for(key) or (None, "")
    item = crawl.items.latest(key)
    listing = unwritten = None
    if asked and asked.section:
        listing = crawl.versions.body(url_key(asked.section))
    if asked and not item:
        unwritten = why_unwritten(crawl, key, model=facts.model)
    return replace(
        facts,
        asked=asked,
        became=became,
        item=item,
        listing=listing,
        unwritten=unwritten,
        family=JudgedFamily.of(crawl, key, model=facts.model),
    )


def of_link(facts: PageEvidence, opts: Namespace, *, model: LinkModel) -> dict[str, Any]:
    """What is known of the link on the named page, else on the page where a crawl found it, else on
    the site's start page. Raises OptionError if the named page has no such link, SourceError if the
    page cannot be read and nothing else is known."""
    found_on, start = facts.asked.section if facts.asked else None, urljoin(facts.url, "/")
    source = opts.page or found_on or start
    try:
        kept = None if opts.page else facts.listing
        body, url = Source(kept, source) if kept else read_source(source)
        page = parse(body, url or opts.page_url or start)
    except SourceError as error:
        if opts.page or facts.item is None:
            raise
        return {
            "url": facts.url,
            "sentences": [f"The page that links to it was not read: {error}."],
        }
    one = find_link(facts.url, page_facts(page), model=model, profile=facts.model.profile)
    if one is not None:
        return link_known(one, model, profile=facts.model.profile)
    if opts.page:
        raise OptionError(
            f"{facts.url}: no such link on {page.url}; give the page that holds it with --page"
        )
    return {
        "url": facts.url,
        "sentences": [f"{page.url} does not link to it; name a page that does with --page."],
    }


def read(
    facts: PageEvidence, source: str, *, stores: Stores, required: bool
) -> tuple[PageEvidence, list[str]]:
    """The facts, with the current page if no item of it is stored, and the reason if it could not
    be read. Raises SourceError if it cannot be read and is ``required``, or is a file."""
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
    unwritten = facts.unwritten
    if unwritten is None and facts.asked is not None:
        with closing(stores.crawl(facts.model.site)) as crawl:
            unwritten = why_copied(crawl, item)
    anchor = facts.asked.anchor if facts.asked else ""
    reading = LazyExtraction(page, method=facts.model.method, anchor=anchor)
    return replace(facts, item=item, reading=reading, unwritten=unwritten), []
