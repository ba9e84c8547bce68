"""Whether a template's answer for a page is to be believed, and who answers where it is not."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from lxml import etree

from sitecrawl.dom.align import similarity
from sitecrawl.items.article import Article
from sitecrawl.items.kinds import Flag
from sitecrawl.site.answer import LazyExtraction, complete
from sitecrawl.site.template_families import Families, is_trusted
from sitecrawl.templates.apply import Applied, TemplateBody, apply
from sitecrawl.templates.cluster import THRESHOLD
from sitecrawl.templates.family import Family
from sitecrawl.templates.template import Template
from sitecrawl.templates.unknown_elements import WeighedElement, text_length, unknown_elements, weigh_elements
from sitecrawl.templates.verify import AGREES, CLOSE, agreement, has_grown, is_hollow, is_odd, word_f1


def answer_by_template(families: Families, page: LazyExtraction) -> Article | None:
    """The article by the first template that is believed; None where none is."""
    for family in families.candidates(page.page):
        template = family.current
        if template is None:
            continue
        applied = apply(template, page.page)
        if applied.fit and _is_believed(family, applied, template=template, page=page):
            family.uses += 1
            return complete(applied, page, template=template)
    return None


def answer_by_extractor(families: Families, page: LazyExtraction) -> Article:
    """The extractor's article; flagged where a template should have answered."""
    if not any(family.versions for family in families):
        return page.article()
    family, score = families.nearest(page.page)
    if family is None or score < THRESHOLD:
        return page.article()
    return page.article(*[Flag.DRIFTING] * family.drifting, *[Flag.DOUBTED] * is_trusted(family))


def better_answer(families: Families, page: LazyExtraction, *, before: Mapping[str, Any]) -> Article | None:
    """The article by a newer version of the template that gave the item ``before``, if its body is nearer to the extractor's; else None."""
    article, origin = answer_by_template(families, page), before["provenance"]
    if article is None or article.provenance.templateId != origin["templateId"] or article.provenance.flags:
        return None
    if (article.provenance.templateVersion or 0) <= (origin["templateVersion"] or 0):
        return None
    if article.articleBody == before["articleBody"]:
        return article if article.headline != before["headline"] else None
    guess = page.guess.article.articleBody
    return article if word_f1(article.articleBody, guess) > word_f1(before["articleBody"], guess) else None


def _is_believed(
    family: Family, applied: Applied, *, template: Template, page: LazyExtraction, slight: float = 0.02
) -> bool:
    """Whether the template answers. Where there is a doubt, its body is compared with the extractor's.

    A candidate answers only where the extractor finds nothing: it becomes trusted by the pages that wait, not by those it answers.
    Unknown elements of up to the share ``slight`` of the body are not worth an extraction, which costs as much as ten answers.
    """
    odd = is_odd(template, applied) or (family.monitor.uneasy and has_grown(template, applied))
    fits, unknown = fits_family(family, applied, page=page), unknown_in_body(template, applied)
    if text_length(unknown) <= slight * applied.chars:
        unknown = []
    if template.is_trusted and fits and not odd and not unknown and not is_hollow(applied):
        return True
    guess, common = page.guess.article.articleBody, frozenset(family.repeated_texts.common)
    exclude_unknown(applied, page, unknown=unknown, common=common)
    least = CLOSE if template.weak or not template.is_trusted or applied.rank else AGREES
    agreed = agreement(template, applied, guess=guess, common=common) >= least
    return agreed and (template.is_trusted or not guess)


def fits_family(family: Family, applied: Applied, *, page: LazyExtraction) -> bool:
    """Whether a page is built like its family. Computed only where the body was not found by its best address, or the URL has another pattern."""
    template = family.current
    if template is None or applied.rank or template.weak or "headline" in applied.missing:
        return similarity(page.page.signature, family.cluster.core) >= THRESHOLD
    return template.knows(page.page.url) or similarity(page.page.signature, family.cluster.core) >= THRESHOLD


def unknown_in_body(template: Template, applied: Applied) -> list[etree._Element]:
    """Elements in the body that no page of the template had."""
    body = applied.article.body
    return unknown_elements(template, body.node) if isinstance(body, TemplateBody) else []


def exclude_unknown(
    applied: Applied, page: LazyExtraction, *, unknown: Collection[etree._Element], common: frozenset[int]
) -> list[WeighedElement]:
    """Take unknown elements that the extractor leaves out of the body from the template's body; what each of them holds.

    ``common`` are numbers of lines that stand on several pages.
    """
    weighed = weigh_elements(page.sample, unknown, common=common) if unknown else []
    if weighed and isinstance(applied.article.body, TemplateBody):
        applied.article.body.foreign = frozenset(node for one in weighed for node in one.out)
    return weighed
