"""Why a page gave its item, or none, and where one field came from: explained by provenance,
template and store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sitecrawl.commands._help import OptionError
from sitecrawl.crawl.reasons import numbered
from sitecrawl.crawl.site_state import FAILED, LEFT_OUT, LOST
from sitecrawl.errors import nearest
from sitecrawl.extract.single import methods
from sitecrawl.extras.explain.evidence import PageEvidence
from sitecrawl.extras.explain.why_link import percent
from sitecrawl.items.article import ITEM_FIELDS
from sitecrawl.items.kinds import PageKind
from sitecrawl.resources import table_beside
from sitecrawl.templates.address import is_address, readable
from sitecrawl.templates.template import Template
from sitecrawl.text.chars import printable

_TABLE = table_beside(
    __file__
)  # words for roles, kinds of pages, flags, states of templates and origins of fields
_KINDS: dict[str, str] = _TABLE["kinds"]
_NEITHER = "neither article nor listing page"
_BECAME = _TABLE["became"] | {
    kind: f"and took it for {_KINDS.get(kind, _NEITHER)}" for kind in PageKind
}
_CANDIDATES = 3  # for a headline that are told
_ORIGINS: dict[str, str] = _TABLE["origins"]
"""Places where the single-page extractor found a field, by their names in the provenance."""


def page_known(evidence: PageEvidence) -> dict[str, Any]:
    """What is known of a page, as data; ``sentences`` turns it into text."""
    answered = evidence.item is not None and (evidence.kind is None or evidence.kind.is_article)
    sentences = [
        *_crawled(evidence),
        *_looks_like(evidence),
        *(_answered(evidence) if answered else ()),
        *_of_family(evidence),
        *_ends(evidence),
    ]
    became, provenance = evidence.became or None, evidence.provenance or None
    return {
        "url": evidence.url,
        "became": became,
        "provenance": provenance,
        "judge": _table(evidence),
        "family": _family_table(evidence),
        "sentences": sentences,
    }


def _table(evidence: PageEvidence) -> dict[str, float] | None:
    """What each figure of the judge adds to the log-odds of the page, the heaviest first."""
    judged = evidence.judgement
    return {name: round(weight, 2) for name, weight in judged.reasons} if judged else None


def _family_table(evidence: PageEvidence) -> dict[str, Any] | None:
    """What the judge knows of the family of the page."""
    if evidence.family is None:
        return None
    family, verdict = evidence.family.family, evidence.family.verdict
    return {
        "name": family.name,
        "pages": family.pages,
        "dated": family.dated,
        "weighed": family.weighed,
        "mean": round(family.mean, 2),
        "written": verdict.written,
        "by": str(verdict.by),
        "why": verdict.why,
        "against": evidence.family.against,
    }


def _of_family(evidence: PageEvidence) -> Iterator[str]:
    """The verdict on the family of the page, and the strongest reasons against it."""
    if evidence.family is None:
        return
    family, verdict = evidence.family.family, evidence.family.verdict
    fate = "written" if verdict.written else "withheld"
    pages = numbered(family.pages, "page")
    yield f"Its page family, {family.name}, has {pages}; they are {fate}: {verdict.why}."
    if evidence.family.against:
        yield f"Against this family: {'; '.join(evidence.family.against)}."


def _crawled(evidence: PageEvidence) -> Iterator[str]:
    """The sentences about the decisions of a crawl."""
    if evidence.asked is None:
        return
    found = (
        f" {section} led to it, directly or through other articles."
        if (section := evidence.asked.section)
        else ""
    )
    is_written = evidence.item is not None and evidence.reading is None
    verb = "wants it" if evidence.became in ("queued", LEFT_OUT) else "asked for it"
    yield f"The crawl {verb} {_TABLE['roles'][evidence.asked.role]} {_BECAME.get(evidence.became, f'and {evidence.became}')}.{found}"
    if evidence.became in (FAILED, LOST) and is_written:
        yield "An earlier run wrote an item for it. What follows is about that item."


def _ends(evidence: PageEvidence) -> Iterator[str]:
    """Why the crawl wrote no item, and what to type."""
    if evidence.asked is None or (evidence.item is not None and evidence.reading is None):
        return
    if evidence.unwritten is not None:
        yield evidence.unwritten.sentence
    elif evidence.became in (PageKind.ARTICLE, PageKind.THREAD):
        yield "No item was written: an argument of the crawl (since=, include=, baseline=) or a step of yours left it out. To change that: crawl without it."
    elif evidence.became == "queued":
        yield "No item was written yet. Run the crawl again; it continues."


def _looks_like(evidence: PageEvidence) -> Iterator[str]:
    """The sentences about the page itself, read now."""
    if evidence.reading is None or evidence.kind is None:
        return
    guess = evidence.reading.guess
    looks = _KINDS.get(guess.page_type, _NEITHER)
    yield f"Read now and by itself, the page looks like {looks}, {percent(guess.page_type_score)} sure."
    if evidence.kind != guess.page_type:
        kind = _KINDS.get(evidence.kind, _NEITHER)
        yield f"With a link that leads to an article with {percent(evidence.promise)}, it counts as {kind}."
    yield from _judged(evidence)


def _judged(evidence: PageEvidence) -> Iterator[str]:
    """What the judge of page families thinks of the page alone, and its strongest reasons."""
    judged = evidence.judgement
    if judged is None:
        return
    strongest = "; ".join(judged.strongest)
    yield f"By itself, the judge takes it for an article with {percent(judged.probability)}. The strongest reasons: {strongest}."


def _answered(evidence: PageEvidence) -> Iterator[str]:
    """The sentences about the source of the item, and how reliable it is."""
    if evidence.provenance.get("method") == "template":
        yield from _by_template(evidence)
    else:
        why = "no template of the site fits this page"
        if not evidence.model.templates:
            why = "no template of the site is trusted yet (it takes four pages of a kind, two at the end of a crawl)"
        if not evidence.model.families:
            why = "no page of the site has been learned from"
        yield f"The single-page extractor answered, since {why}."
    if "confidence" in evidence.provenance:
        yield f"The body is right with a probability of {percent(evidence.provenance['confidence'])}."
    for flag in evidence.provenance.get("flags", ()):
        yield _TABLE["flags"].get(flag, f"It is flagged {flag}.")


def _by_template(evidence: PageEvidence) -> Iterator[str]:
    name, number = (
        evidence.provenance.get("templateId", ""),
        evidence.provenance.get("templateVersion"),
    )
    found = evidence.template()
    if found is None:
        yield f"{name} version {number} answered; that version is not kept any more."
        return
    family, template = found
    made = (
        "was edited by hand"
        if template.edited
        else f"was learned from {_pages(template)} of this kind"
    )
    yield f"{template.name} answered (version {number}), which {made}."
    yield f"{_TABLE['states'][template.state]} {template.name} has answered {family.uses} times."
    held = template.statistics.get("held_out")
    if held is not None and not template.edited:
        yield f"On {held:.0%} of these pages, a template learned from the others gave what the single-page extractor gave."
    if template.locked:
        yield "It is locked: nothing but a person changes it."


def _pages(template: Template) -> str:
    return f"{template.statistics.get('pages', len(template.pages)):.0f} pages"


# ---- one field
def field_known(evidence: PageEvidence, name: str) -> dict[str, Any]:
    """Where a field of the item came from. Raises OptionError for an unknown field."""
    value = _value(evidence.item or {}, name)
    where = str(evidence.provenance.get("fields", {}).get(name, ""))
    sentences = [f"{name}: {_short(value)}" if value else f"{name}: nothing was found."]
    found = evidence.template()
    template = found[1] if found else None
    sources = _sources(template, name) if template else []
    if template and where in sources:
        place = _place(sources, where)
        sentences.append(
            f"It was read at {readable(where)}, {place} where {template.name} looks for it."
        )
    elif where or value:
        sentences.append(_origin(where))
    if template:
        sentences += _on_other_pages(template, name, missing=not (sources or value))
    if name == "headline":
        sentences += _other_headlines(evidence, value)
    return {"field": name, "value": value, "where": where or None, "sentences": sentences}


def _value(item: dict[str, Any], name: str) -> Any:
    """The value of a field of an item. Raises OptionError for an unknown field."""
    values = (item.get("extra") or {}) | {field: item.get(field) for field in ITEM_FIELDS}
    if name not in values:
        raise OptionError(f"no field {name}: {nearest(name, values)}")
    return values[name]


def _place(sources: list[str], where: str) -> str:
    """Which of the places of a field it was read at."""
    if len(sources) == 1:
        return "the only place"
    return f"place {sources.index(where) + 1} of {len(sources)}"


def _other_headlines(evidence: PageEvidence, value: Any) -> Iterator[str]:
    """The best candidates besides the headline, if the page was read now."""
    known = evidence.reading.guess.headlines if evidence.reading else ()
    others = [one for one in known if one.text and one.text != value][:_CANDIDATES]
    if others:
        named = [f"{_short(one.text)} ({percent(one.score)})" for one in others]
        yield f"Other candidates: {'; '.join(named)}"


def _origin(where: str) -> str:
    """A sentence about a value that was not read by the template: where it was read."""
    if where in _ORIGINS:
        return f"It was read from {_ORIGINS[where]}."
    if is_address(where):
        return f"It was read at {readable(where)}."
    if where in methods():
        return f"It was found by the single-page extractor {where}."
    if where:
        return f"It was read from an element of the page: {where}."
    return "It was read from the page's own marks; which of them is not noted."


def _on_other_pages(template: Template, name: str, *, missing: bool) -> Iterator[str]:
    """Whether other pages of the template have the field, and what to do if it is ``missing``."""
    share = template.statistics.get(f"has_{name}")
    if share is not None:
        yield f"Of the {_pages(template)} that {template.name} was learned from, {share:.0%} have it."
    elif name in template.optional:
        yield f"Some pages of {template.name} have it and others do not."
    if missing:
        yield f"{template.name} has no place for it; name one with: sitecrawl templates set {template.site} {name} 'CSS or XPath'"


def _sources(template: Template, name: str) -> list[str]:
    """Addresses of a field in the order in which they are tried."""
    if name.startswith("articleBody"):
        return template.body.addresses
    if name == "comments":
        return [template.records.unit] if template.records else []
    rule = template.fields.get(name) or template.extra.get(name)
    return [*rule.sources] if rule else []


def _short(value: Any, *, most: int = 160) -> str:
    """A value in one line of at most ``most`` characters."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    folded = printable(" ".join(text.split()))
    return folded[:most] + "..." * (len(folded) > most)
