"""Induction: from a few pages of one kind and what an extractor guessed of each to one template for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from lxml import etree

from sitecrawl.dom.align import Names
from sitecrawl.dom.blocks import Floats
from sitecrawl.dom.page import is_forum
from sitecrawl.items.kinds import PageKind
from sitecrawl.templates.apply import Applied, apply, is_titled, rest_of
from sitecrawl.templates.comments.comment_records import records_of
from sitecrawl.templates.induction.container import Container, containers_of, exclusions_of
from sitecrawl.templates.induction.dated import date_of
from sitecrawl.templates.induction.extras import extras_of
from sitecrawl.templates.induction.headlines import Choice, headline_of
from sitecrawl.templates.induction.lesser_fields import authors_of, lists_of, presence
from sitecrawl.templates.sheet import Sample, Sheet, leave_out, sheets_of
from sitecrawl.templates.strangers import names_below
from sitecrawl.templates.template import Body, Field, Records, Template, line_number

_ADDRESSES = 4
_FURNITURE = 300
"""Lines of a site's furniture that are remembered."""
_MOST_PAGES = 12
"""Pages a template is induced from; more add cost, not knowledge."""
_LONGEST_TEXT, _TEXTS = 600, 60
_DROPPED = 0.5
_RULE = 0.003
"""Agreement that one more exclusion must bring: a narrow container holds better on unseen pages than many rules."""
_MISSED = 0.6
"""What a page is worth on which a container is not found: the extractors answer there, which is better than a wrong body."""
_BEHIND = 0.1
"""How far behind the best container another may be and still be tried with its exclusions."""


def induce(
    samples: Sequence[Sample], site: str = "", name: str = "article", like: Template | None = None
) -> Template | None:
    """The template of ``samples``, None when fewer than two pages share a body's container.

    With ``like`` only the body is induced, and the comments are that template's: enough to see whether its address holds on other pages.
    """
    samples = samples[:_MOST_PAGES]
    if len(samples) < 2:
        return None
    names = Names([sample.page.tree for sample in samples])
    sheets = sheets_of(samples, names)
    records = like.records if like else records_of(sheets, names)
    kind = like.kind if like else _kind(records, sheets)
    if records and kind is PageKind.ARTICLE:
        leave_out(sheets, records.unit)
    candidates = containers_of(sheets, names)
    candidates = [one for one in candidates if one.score >= candidates[0].score - _BEHIND]
    scored = [
        (agreement_of(sheets, one, rules := exclusions_of(sheets, one.nodes, names)), -n, one, rules)
        for n, one in enumerate(candidates)
    ]
    if not scored:
        return None
    agreement, _, best, rules = max(scored, key=lambda one: (round(one[0] - _RULE * len(one[3]), 3), one[1]))
    if sum(node is not None for node in best.nodes) < 2:
        return None
    template = Template(site, name, _body(sheets, best, rules), records=records, kind=kind)
    template.furniture = _furniture(sheets)
    if like is not None:
        return template
    _complete(template, sheets, names)
    template.statistics = {"pages": float(len(sheets)), "agreement": agreement} | presence(sheets)
    applied = [apply(template, sheet.page) for sheet in sheets]
    template.statistics |= lengths([one for one in applied if one.fit]) | _sureness(samples)
    template.statistics["titled"] = _titled(applied, sheets)
    template.optional = _optional(template, applied, sheets)
    return template


def _kind(records: Records | None, sheets: Sequence[Sheet]) -> PageKind:
    """A thread where the first record opens the page, or where most pages are a forum's; else records are comments."""
    forum = 2 * sum(is_forum(one.page) for one in sheets) > len(sheets)
    return PageKind.THREAD if records and (records.skip_first or forum) else PageKind.ARTICLE


def _complete(template: Template, sheets: Sequence[Sheet], names: Names) -> None:
    _add_fields(template, sheets, names)
    template.extra = extras_of(template, sheets, names)
    if "source" in template.extra:
        template.fields["source"] = template.extra.pop("source")
    template.fields |= lists_of(sheets, names)
    template.signature = frozenset.intersection(*(sheet.page.signature for sheet in sheets))
    template.pages = [sheet.page.url for sheet in sheets]


def _furniture(sheets: Sequence[Sheet]) -> frozenset[int]:
    """Numbers of the lines that stand on most pages and that the extractors doubt."""
    found: Counter[str] = Counter()
    for sheet in sheets:
        found.update({text: 1 for text, fixed in zip(sheet.blocks.texts, sheet.fixed, strict=True) if fixed})
    return frozenset(line_number(text) for text, _ in found.most_common(_FURNITURE))


def _sureness(samples: Sequence[Sample]) -> dict[str, float]:
    """How sure the extractor was of the samples' bodies: mean and least confidence."""
    sure = [sample.guess.article.provenance.confidence for sample in samples]
    return {"sure": sum(sure) / len(sure), "sure_low": min(sure)}


def lengths(found: Sequence[Applied]) -> dict[str, float]:
    """Least and greatest length of the body in characters, its most links a thousand characters, most characters beside it."""
    if not found:
        return {}
    chars, links = [one.chars for one in found], [1000 * one.links / one.chars for one in found]
    return {"chars_low": min(chars), "chars_high": max(chars), "links_high": max(links)} | {
        "rest_high": max(map(rest_of, found)),
    }


def _titled(applied: Sequence[Applied], sheets: Sequence[Sheet]) -> float:
    """Share of the pages whose title holds the headline that was found."""
    pages = [(one.article.headline, sheet.page) for one, sheet in zip(applied, sheets, strict=True) if one.fit]
    return sum(is_titled(headline, page) for headline, page in pages) / max(1, len(pages))


def _optional(template: Template, applied: Sequence[Applied], sheets: Sequence[Sheet]) -> list[str]:
    """Fields, and records as ``comments``, that some pages have and others do not (Peng and Xie 2017: unmatched tags that are no repetition).

    A template that is refined is induced from further pages as well, which confirm the mark or drop it.
    """
    lacking = Counter(name for one in applied for name in one.missing)
    if template.records:
        lacking["comments"] = sum(not sheet.numbers(template.records.unit) for sheet in sheets)
    return sorted(name for name, count in lacking.items() if 0 < count < len(applied))


def _body(sheets: Sequence[Sheet], best: Container, rules: list[str]) -> Body:
    texts = _fixed_texts(sheets, best, rules)
    return Body(best.addresses[:_ADDRESSES], rules, texts, names_below(best.nodes))


def _fixed_texts(sheets: Sequence[Sheet], best: Container, rules: list[str]) -> list[str]:
    """Texts inside the container that belong to the template, or are on several pages and body on none of them."""
    found: Counter[str] = Counter()
    liked: set[str] = set()
    for sheet, node in zip(sheets, best.nodes, strict=True):
        if node is None:
            continue
        element = sheet.number[node]
        out = {
            at
            for rule in rules
            for number in sheet.numbers(rule, element)
            for at in range(sheet.first[number], sheet.last[number])
        }
        inside = range(sheet.first[element], sheet.last[element])
        found.update({sheet.blocks.texts[at]: 1 for at in inside if sheet.fixed[at] or at not in out})
        liked.update(sheet.blocks.texts[at] for at in inside if sheet.keep[at] > _DROPPED and not sheet.fixed[at])
    likely = (text for text, count in found.most_common() if count > 1 and 0 < len(text) <= _LONGEST_TEXT)
    return [text for text in likely if text not in liked][:_TEXTS]


def agreement_of(sheets: Sequence[Sheet], container: Container, rules: list[str]) -> float:
    """Mean over pages of the F1 of kept words between the vote and what the container keeps under ``rules``."""
    total = 0.0
    for sheet, node in zip(sheets, container.nodes, strict=True):
        if node is None or not sheet.total:
            total += _MISSED * (sheet.total > 0)
            continue
        held, taken = np.array(sheet.words(sheet.number[node])), _taken(sheet, node, rules)
        good, bad, same = (held - taken).tolist()
        total += 2 * good / (good + bad + 0.1 * same + sheet.total)
    return total / len(sheets)


def _taken(sheet: Sheet, node: etree._Element, rules: list[str]) -> Floats:
    """Kept, dropped and fixed words that the rules take out of the container."""
    elements = sorted(number for rule in rules for number in sheet.numbers(rule, sheet.number[node]))
    taken, end = np.zeros(3), -1
    for element in elements:
        if element >= end:
            taken, end = taken + sheet.words(element), sheet.page.tree.ends[element]
    return taken


def _add_fields(template: Template, sheets: Sequence[Sheet], names: Names) -> None:
    voted = {"headline": headline_of, "datePublished": date_of, "authors": authors_of}
    for name, vote in voted.items():
        _add(template, name, vote(sheets, names))


def _add(template: Template, name: str, choice: Choice) -> None:
    if choice.sources:
        template.fields[name] = Field(choice.sources, choice.cuts)
