"""Why a page gave the item that it gave, or none, and where one field came from: told from provenance, template and store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sitecrawl.commands._why_link import percent
from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.errors import SitecrawlError, nearest
from sitecrawl.extract.single import METHODS
from sitecrawl.items.article import ITEM_FIELDS
from sitecrawl.items.kinds import Flag, PageKind, TemplateState
from sitecrawl.report.picture import readable
from sitecrawl.site.answer import Reading
from sitecrawl.site.model import SiteModel
from sitecrawl.site.verdict import judge
from sitecrawl.templates.address import is_address
from sitecrawl.templates.family import Family
from sitecrawl.templates.template import Template
from sitecrawl.text.chars import printable

_LONGEST = 160
"""Characters of a value that are shown."""
_RIVALS = 3
"""Candidates for a headline that are shown beside the one chosen."""
_ROLES = {
    Role.START: "as a start page",
    Role.ARTICLE: "as an article",
    Role.PAGINATION: "as a further part of a listing",
    Role.SECTION: "as a listing page",
    Role.MAYBE: "to see what it is",
    Role.FILE: "as a file that names pages",
}
_BECAME = {
    "queued": "it has not been fetched yet",
    "failed": "it could not be fetched or read",
    PageKind.ARTICLE: "took it for an article",
    PageKind.THREAD: "took it for a thread",
    PageKind.LISTING: "took it for a listing page",
    PageKind.OTHER: "took it for neither article nor listing page",
}
_FLAGS = {
    Flag.TRUNCATED: "The page is larger than what is read of one, so content was cut.",
    Flag.UNSURE: "The body is more likely wrong than right.",
    Flag.DRIFTING: "The site's pages changed and the template no longer fits; a new one is learned from the next pages.",
    Flag.DOUBTED: "The template and the single-page extractor disagreed, and the extractor's answer was taken.",
    Flag.UNCONFIRMED: "The single-page extractor found no text here, so nothing confirms the template's answer.",
    Flag.INCOMPLETE: "Some parts of the article could not be fetched.",
    "undated": "It has no date, while nearly all articles of the site have one.",
    "unlike-others": "It lacks the CSS classes that the articles of the site share.",
}
_STATES = {
    TemplateState.CANDIDATE: "It has not been confirmed on other pages yet.",
    TemplateState.TRUSTED: "It is trusted.",
    TemplateState.DRIFTING: "It has been out of use since the site changed.",
    TemplateState.REPLACED: "A later version answers now.",
}
_ORIGINS = {
    "meta": "the page's metadata",
    "json-ld": "the page's JSON-LD",
    "time": "a time element of the page",
    "text": "a line of the page's text",
    "url": "the URL",
    "page": "the page's own marks, since the template did not find it",
    "h1": "the only h1 of the page that its metadata confirms",
}
"""Where a field of the single-page extractor stood."""


class FieldError(SitecrawlError):
    """A field that items do not have."""


@dataclass(frozen=True)
class PageFacts:
    """What is known of a page: ``asked`` and ``became`` by the store, ``item`` as it left or as it would leave now, ``reading`` where the page was read now."""

    url: str
    model: SiteModel
    asked: RequestContext | None = None
    became: str = ""
    item: dict[str, Any] | None = None
    reading: Reading | None = None
    promise: float = 0.5

    @property
    def provenance(self) -> dict[str, Any]:
        return (self.item or {}).get("provenance") or {}

    @property
    def kind(self) -> PageKind | None:
        """What the page is taken for where it was read now."""
        return judge(self.reading.guess, self.promise) if self.reading else None

    @property
    def is_article(self) -> bool:
        """Whether the item is one that leaves: it was stored, or the page read now is an article."""
        return self.item is not None and (self.kind is None or self.kind.is_article)

    def template(self) -> tuple[Family, Template] | None:
        """The version that answered, where the site's model still has it."""
        name = str(self.provenance.get("templateId", "")).rpartition("/")[2]
        for family in self.model.families:
            for version in family.versions:
                if family.name == name and version.version == self.provenance.get("templateVersion"):
                    return family, version
        return None


def page_known(one: PageFacts) -> dict[str, Any]:
    """What is known of a page, as data; ``sentences`` says it to a person."""
    return {
        "url": one.url,
        "became": one.became or None,
        "provenance": one.provenance or None,
        "sentences": [*_crawled(one), *_looks(one), *(_answered(one) if one.is_article else ())],
    }


def _crawled(one: PageFacts) -> Iterator[str]:
    """What a crawl made of the page."""
    if one.asked is None:
        return
    found = f" It was found on {one.asked.section}." if one.asked.section else ""
    verb = "wants it" if one.became == "queued" else "asked for it"
    became = _BECAME.get(one.became, one.became)
    link = " but" if one.became in ("queued", "failed") else " and"
    yield f"The crawl {verb} {_ROLES[one.asked.role]}{link} {became}.{found}"
    if one.became in (PageKind.ARTICLE, PageKind.THREAD) and one.item is None:
        yield "No item has left for it: it waits, or it was left out as a copy, as too old, or as unlike the site's articles."


def _looks(one: PageFacts) -> Iterator[str]:
    """What the page looks like when it is read alone."""
    if one.reading is None:
        return
    guess, kind = one.reading.guess, one.kind
    names = {"article": "an article", "thread": "a thread", "listing": "a listing page"}
    looks = names.get(guess.page_type, "neither article nor listing page")
    yield f"Read now and by itself, the page looks like {looks}, {percent(guess.page_type_score)} sure."
    if str(kind) != guess.page_type:
        told = names.get(str(kind), "neither article nor listing page")
        yield f"A link that promises an article with {percent(one.promise)} and these looks make it {told}."


def _answered(one: PageFacts) -> Iterator[str]:
    """Who gave the item, and how far it can be relied on."""
    if one.provenance.get("method") == "template":
        yield from _by_template(one)
    else:
        why = _why_no_template(one.model)
        yield f"The single-page extractor answered, since {why}."
    if "confidence" in one.provenance:
        yield f"The body is right with a probability of {percent(one.provenance['confidence'])}."
    for flag in one.provenance.get("flags", ()):
        yield _FLAGS.get(flag, f"It is flagged {flag}.")


def _by_template(one: PageFacts) -> Iterator[str]:
    name, number = one.provenance.get("templateId", ""), one.provenance.get("templateVersion")
    found = one.template()
    if found is None:
        yield f"{name} version {number} answered; that version is not kept any more."
        return
    family, template = found
    made = "was edited by hand" if template.edited else f"was learned from {_pages(template)} of this kind"
    held = template.statistics.get("held_out")
    yield f"{template.name} answered (version {number}), which {made}."
    yield f"{_STATES[template.state]} {template.name} has answered {family.uses} times."
    if held is not None and not template.edited:
        yield f"On {held:.0%} of these pages, a template learned from the others gave what the single-page extractor gave."
    if template.locked:
        yield "It is locked: nothing but a person changes it."


def _pages(template: Template) -> str:
    return f"{template.statistics.get('pages', len(template.pages)):.0f} pages"


def _why_no_template(model: SiteModel) -> str:
    if not model.families:
        return "no page of the site has been learned from"
    if not model.templates:
        return "no template of the site is trusted yet (it takes four pages of a kind, two at the end of a crawl)"
    return "no template of the site fits this page"


# ---- one field
def field_known(one: PageFacts, name: str) -> dict[str, Any]:
    """Where a field of the item came from. Raises FieldError for a name that no item of the page has."""
    item = one.item or {}
    extra = item.get("extra") or {}
    if name not in ITEM_FIELDS and name not in extra:
        raise FieldError(f"no field {name}: {nearest(name, [*ITEM_FIELDS, *extra])}")
    value = item.get(name) if name in ITEM_FIELDS else extra[name]
    where = str(one.provenance.get("fields", {}).get(name, ""))
    return {"field": name, "value": value, "where": where or None, "sentences": list(_field(one, name, value, where))}


def _field(one: PageFacts, name: str, value: Any, where: str) -> Iterator[str]:
    found = one.template()
    rule = _sources(found[1], name) if found else []
    yield f"{name}: {_short(value)}" if value else f"{name}: nothing was found."
    if where and where in rule and found:
        place = f"place {rule.index(where) + 1} of {len(rule)}" if len(rule) > 1 else "the only place"
        yield f"It was read at {readable(where)}, {place} where {found[1].name} looks for it."
    elif where in _ORIGINS:
        yield f"It was read from {_ORIGINS[where]}."
    elif is_address(where):
        yield f"It was read at {readable(where)}."
    elif where in METHODS:
        yield f"It was found by the single-page extractor {where}."
    elif where:
        yield f"It was read from an element of the page: {where}."
    elif value:
        yield "It was read from the page's own marks; which of them is not noted."
    if found:
        yield from _habit(found[1], name, rule, bool(value))
    yield from _rivals(one, name, value)


def _habit(template: Template, name: str, rule: list[str], given: bool) -> Iterator[str]:
    """Whether the pages of a template have the field."""
    share = template.statistics.get(f"has_{name}")
    if share is not None:
        yield f"Of the {_pages(template)} that {template.name} was learned from, {share:.0%} have it."
    elif name in template.optional:
        yield f"Some pages of {template.name} have it and others do not."
    if not rule and not given:
        yield f"{template.name} has no place for it; tell it one with: sitecrawl templates set {template.site} {name} 'CSS or XPath'"


def _rivals(one: PageFacts, name: str, value: Any) -> Iterator[str]:
    """The other texts that came into question as the headline."""
    if name != "headline" or one.reading is None:
        return
    others = [other for other in one.reading.guess.headlines if other.text and other.text != value][:_RIVALS]
    if others:
        yield "Other texts that came into question: " + "; ".join(
            f"{_short(other.text)} ({percent(other.score)})" for other in others
        )


def _sources(template: Template, name: str) -> list[str]:
    """Addresses of a field in the order in which they are tried."""
    if name.startswith("articleBody"):
        return template.body.addresses
    if name == "comments":
        return [template.records.unit] if template.records else []
    rule = template.fields.get(name) or template.extra.get(name)
    return rule.sources if rule else []


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    folded = printable(" ".join(text.split()))
    return folded[:_LONGEST] + "..." * (len(folded) > _LONGEST)
