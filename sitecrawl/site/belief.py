"""Whether a template's answer for a page is to be believed, and who answers where it is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lxml import etree

from sitecrawl.dom.align import similarity
from sitecrawl.items.article import Article
from sitecrawl.items.kinds import Flag
from sitecrawl.site.answer import LazyExtraction, complete
from sitecrawl.site.template_families import Families, is_trusted
from sitecrawl.templates.apply import TemplateBody, apply
from sitecrawl.templates.cluster import THRESHOLD
from sitecrawl.templates.family import Family
from sitecrawl.templates.template import Template
from sitecrawl.templates.unknown_elements import WeighedElement, text_length, unknown_elements, weigh_elements
from sitecrawl.templates.verify import AGREES, CLOSE, agreement, has_grown, is_hollow, is_odd, word_f1


class TemplateAnswer:
    """What the template of a family makes of a page, to be compared with the extractor."""

    def __init__(self, family: Family, template: Template, page: LazyExtraction) -> None:
        self.family, self.template, self.page = family, template, page
        self.applied = apply(template, page.page)

    def article(self) -> Article:
        """The article; what the template did not find is read from the page."""
        return complete(self.applied, self.page, template=self.template)

    @property
    def fits_family(self) -> bool:
        """Whether the page is built like its family. Computed only where the body was not found by its best address, or the URL has another pattern."""
        doubtful = self.applied.rank or self.template.weak or "headline" in self.applied.missing
        if not doubtful and self.template.knows(self.page.page.url):
            return True
        return similarity(self.page.page.signature, self.family.cluster.core) >= THRESHOLD

    @property
    def unknown(self) -> list[etree._Element]:
        """Elements in the body that no page of the template had."""
        body = self.applied.article.body
        return unknown_elements(self.template, body.node) if isinstance(body, TemplateBody) else []

    def exclude_unknown(self, unknown: list[etree._Element], common: frozenset[int]) -> list[WeighedElement]:
        """Take ``unknown`` elements that the extractor leaves out of the body from the template's body; what each of them holds.

        ``common`` are numbers of lines that stand on several pages.
        """
        body = self.applied.article.body
        weighed = weigh_elements(self.page.sample, unknown, common=common) if unknown else []
        if weighed and isinstance(body, TemplateBody):
            body.foreign = frozenset(node for one in weighed for node in one.out)
        return weighed

    def is_believed(self, *, slight: float = 0.02) -> bool:
        """Whether the template answers. Where there is a doubt, its body is compared with the extractor's.

        A candidate answers only where the extractor finds nothing: it becomes trusted by the pages that wait, not by those it answers.
        Unknown elements of up to the share ``slight`` of the body are not worth an extraction, which costs as much as ten answers.
        """
        template, applied = self.template, self.applied
        if not applied.fit:
            return False
        odd = is_odd(template, applied) or (self.family.monitor.uneasy and has_grown(template, applied))
        unknown = self.unknown
        if text_length(unknown) <= slight * applied.chars:
            unknown = []
        if template.is_trusted and not odd and not unknown and self.fits_family and not is_hollow(applied):
            return True
        guess, common = self.page.guess.article.articleBody, frozenset(self.family.repeated_texts.common)
        self.exclude_unknown(unknown, common)
        least = CLOSE if template.weak or not template.is_trusted or applied.rank else AGREES
        agreed = agreement(template, applied, guess=guess, common=common) >= least
        return agreed and (template.is_trusted or not guess)


def answer_by_template(families: Families, page: LazyExtraction) -> Article | None:
    """The article by the first template that is believed; None where none is."""
    for family in families.candidates(page.page):
        if family.current is not None:
            answer = TemplateAnswer(family, family.current, page)
            if answer.is_believed():
                family.uses += 1
                return answer.article()
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
