"""Extracts a page by a trusted template, else by the single-page extractor. In a crawl, each page
also trains its family and tests its template."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from lxml import etree

from sitecrawl.dom.align import similarity
from sitecrawl.items.article import Article
from sitecrawl.items.kinds import Flag, PageKind
from sitecrawl.site.answer import LazyExtraction, complete
from sitecrawl.site.judge import LEAST_PROMISE, kind_of_page
from sitecrawl.site.template_families import TemplateFamilies, is_refining, is_trusted
from sitecrawl.site.verdict import Event, EventKind, Verdict
from sitecrawl.templates.apply import apply
from sitecrawl.templates.family import ENOUGH, THRESHOLD, TemplateFamily
from sitecrawl.templates.template import Template
from sitecrawl.templates.unknown_elements import (
    WeighedElement,
    text_length,
    unknown_elements,
    weigh_elements,
    without_prose,
)
from sitecrawl.templates.verify import Grade, grade, has_grown, is_odd, prose

_GOOD = (Grade.GOOD, Grade.UNKNOWN)  # grades with which the template answers
_NOTICE = 300  # characters beside a picture that are no article
_CERTAIN = 0.9  # probability of a link from which its page is an article without a look


class TemplateAnswer:
    """The result of a family's template on a page, to be compared with the extractor."""

    def __init__(
        self,
        family: TemplateFamily,
        template: Template,
        page: LazyExtraction,
    ) -> None:
        self.family, self.template, self.page = family, template, page
        repeated = family.repeated_texts.repeated
        self.applied = apply(
            template,
            page.page,
            without_prose=lambda nodes, sure: without_prose(
                page.guess,
                nodes,
                repeated=repeated,
                sure=sure,
            ),
        )

    def article(self, found: Grade) -> Article:
        """The article; fields that the template did not find are read from the page. It is flagged
        if the extractor ``found`` no body, or if a tenth of the body stands in elements that no
        crawl has counted: the site may have changed, and only the extractor says that they belong
        to it."""
        article = complete(self.applied, self.page)
        body = self.applied.body
        new = self.family.unknown_counts.uncounted(self.unknown)
        inside = {node for one in new for node in one.iter()}
        left_out = inside.intersection(body.foreign) if body else ()
        kept = sum(map(text_length, new)) - sum(map(text_length, left_out))
        is_unconfirmed = found is Grade.UNKNOWN or kept > self.applied.chars / 10
        if is_unconfirmed:
            article.provenance.flags.append(Flag.UNCONFIRMED)
        return article

    @property
    def fits_family(self) -> bool:
        """Whether the page has the structure of its family; compared only after a second address,
        without a headline, or for a new URL pattern."""
        doubtful = (
            self.applied.rank or self.template.is_uncertain or "headline" in self.applied.missing
        )
        if not doubtful and self.template.knows(self.page.page.url):
            return True
        return similarity(self.page.page.signature, self.family.cluster.core) >= THRESHOLD

    @cached_property
    def unknown(self) -> list[etree._Element]:
        """Elements in the body that no page of the template had; empty if they hold less than a
        fiftieth of its text, which is not worth the cost."""
        body = self.applied.body
        found = unknown_elements(self.template, body.node) if body else []
        return found if sum(map(text_length, found)) > self.applied.chars / 50 else []

    def exclude_unknown(self, repeated: frozenset[int]) -> list[WeighedElement]:
        """Exclude from the body those unknown elements that the extractor leaves out; returns the
        contents of each. ``repeated`` holds digests of repeated lines."""
        if not self.unknown:
            return []
        weighed = weigh_elements(self.page.guess, self.unknown, repeated=repeated)
        # anew, since what it leaves out may have been evaluated
        if weighed and self.applied.body:
            foreign = frozenset(node for one in weighed for node in one.out)
            self.applied.body = replace(self.applied.body, foreign=foreign)
            self.applied.article.body = self.applied.body
        return weighed

    def check(self) -> Grade:
        """The grade with which the template answers; in case of doubt its body is compared with the
        extractor's. A candidate answers only if the extractor finds nothing: it becomes trusted by
        waiting pages, not by the pages that it answers."""
        is_trusted = self.template.is_trusted
        if not is_trusted and self.page.guess.article.articleBody:
            return Grade.BAD
        repeated = frozenset(self.family.repeated_texts.repeated)
        self.exclude_unknown(repeated)
        is_usual = is_trusted and not is_odd(self.applied) and self.fits_family
        if is_usual and self.applied.article.articleBody:
            return Grade.GOOD
        return self.grade(repeated)

    def grade(self, repeated: frozenset[int]) -> Grade:
        """The grade by the extractor's body. A picture is the whole article where no more text than
        usual stands around it: then a few characters that the extractor found, and that are not
        ``repeated``, are a notice or names of other articles."""
        applied = self.applied
        is_picture = self._is_picture()
        if not applied.fit and not is_picture:
            return Grade.BAD
        guess = self.page.guess.article.articleBody
        found = grade(applied, guess=guess, repeated=repeated)
        if is_picture and found is Grade.BAD:
            shown = prose(self.template, guess, repeated=repeated)
            return Grade.UNKNOWN if len(shown) <= _NOTICE else found
        return found

    def _is_picture(self) -> bool:
        """Whether a picture, player or file is the whole article."""
        applied = self.applied
        if applied.body is None or applied.article.articleBody:
            return False
        if has_grown(applied, otherwise=-1.0):
            return False
        return self.page.shows_other_content(applied.body.node)


def answer_by_template(families: TemplateFamilies, page: LazyExtraction) -> Article | None:
    """The article by the first template that passes its checks on this page; None if no template
    does."""
    for family in families.candidates(page.page):
        if family.current is None:
            continue
        answer = TemplateAnswer(family, family.current, page)
        found = answer.check()
        if found in _GOOD:
            family.uses += 1
            return answer.article(found)
    return None


def answer_by_extractor(families: TemplateFamilies, page: LazyExtraction) -> Article:
    """The extractor's article, flagged if a template should have answered."""
    family, score = families.nearest(page.page)
    if family is None or score < THRESHOLD:
        return page.article()
    flags = _drifting(family)
    if is_trusted(family):
        flags.append(Flag.DOUBTED)
    return page.article(*flags)


def _drifting(family: TemplateFamily) -> list[Flag]:
    return [Flag.DRIFTING] if family.drifting else []


def observe(
    families: TemplateFamilies,
    page: LazyExtraction,
    *,
    promise: float,
) -> Verdict:
    """The verdict on a page of a crawl; ``promise`` is the probability, 0..1, that its link leads
    to an article."""
    families.name_site(page.page)
    family = families.by_hand(page.page) or families.of_page(page.page)
    family.cluster.add(page.page.signature)
    template = family.current
    if template is None or not template.is_trusted:
        return _collect(families, family, page=page, promise=promise)
    return _watch(families, TemplateAnswer(family, template, page), promise=promise)


def _collect(
    families: TemplateFamilies,
    family: TemplateFamily,
    *,
    page: LazyExtraction,
    promise: float,
) -> Verdict:
    """Answer by the extractor, keep the page as a sample, and induce a template when there are
    enough samples."""
    kind = kind_of_page(page.guess, promise)
    if not kind.is_article:
        return _rejected(kind, page, family=family)
    flags = _drifting(family)
    # neither half a page nor one of this size is kept as a sample
    if page.page.is_cut or page.page.ends_early:
        return Verdict(kind, page.article(*flags), family.name)
    enough = family.add(page.guess) or (family.drifting and len(family.samples) >= ENOUGH[0])
    article = page.article(*flags)
    events = families.induce(family) if enough else []
    return Verdict(
        kind,
        article,
        family.name,
        True,
        events,
    )


def _watch(
    families: TemplateFamilies,
    answer: TemplateAnswer,
    *,
    promise: float,
) -> Verdict:
    """Answer by the trusted template; compare it with the extractor if this page or recent ones
    give a reason, if the link does not surely lead to an article, and in every twentieth use."""
    family, page, applied = answer.family, answer.page, answer.applied
    monitor = family.monitor
    is_unlike = (
        not applied.fit
        or is_odd(applied)
        or (has_grown(applied) and applied.rest > monitor.rest)
        or bool(answer.unknown)
        or not answer.fits_family
    )
    is_doubtful = monitor.record_length(applied.chars) or is_unlike or monitor.uneasy
    family.uses += 1
    if not is_doubtful:
        families.pages.show_one(family.name, page.page)
    is_due = is_refining(family) or promise < _CERTAIN or family.uses % 20 == 0
    if is_doubtful or is_due or not applied.article.articleBody:
        return _compare(families, answer, promise=promise)
    monitor.record(Grade.GOOD)
    return Verdict(answer.template.kind, answer.article(Grade.GOOD), family.name)


def _compare(
    families: TemplateFamilies,
    answer: TemplateAnswer,
    *,
    promise: float,
) -> Verdict:
    """Answer by the template or the extractor, whose result is compared with the template's. A page
    that does not look like an article still is one if the template fits and the link leads to an
    article with probability ``_CERTAIN``, or with ``LEAST_PROMISE`` if the template was induced
    from pages of the same URL pattern."""
    family, template, page, applied = answer.family, answer.template, answer.page, answer.applied
    repeated = family.repeated_texts.add(page.page.url, page.guess.blocks.texts)
    weighed = answer.exclude_unknown(repeated)
    found = answer.grade(repeated)
    if template.edited and applied.fit and not is_odd(applied) and found is not Grade.GOOD:
        # a person has seen where it differs from the extractor, but may not know of a redesign
        # unless it is locked
        found = Grade.GOOD if template.locked else Grade.UNKNOWN
    kind = kind_of_page(page.guess, promise)
    is_known = template.knows(page.page.url) and not template.edited
    least = LEAST_PROMISE if is_known else _CERTAIN
    if not kind.is_article and (found not in _GOOD or promise < least):
        return _rejected(kind, page, family=family)
    if found is Grade.GOOD:
        family.monitor.rest = max(family.monitor.rest, applied.rest)
    if family.monitor.record(found):
        family.drift()
        verdict = _collect(
            families,
            family,
            page=page,
            promise=promise,
        )
        said = "template and extractor disagree"
        verdict.events.insert(
            0,
            Event(
                EventKind.DRIFTING,
                family.name,
                template.version,
                said,
            ),
        )
        return verdict
    # before the answer, which is flagged for elements that were not counted
    family.unknown_counts.add(weighed)
    return _answer(families, answer, found=found)


def _answer(
    families: TemplateFamilies,
    answer: TemplateAnswer,
    *,
    found: Grade,
) -> Verdict:
    """The verdict on a page whose template was compared with the extractor; the family learns from
    both."""
    family, page, template = answer.family, answer.page, answer.template
    good = found in _GOOD
    refining = is_refining(family)
    article = answer.article(found) if good else page.article(Flag.DOUBTED)
    waits = not good or refining or bool(answer.unknown)
    refined = None
    if found is Grade.GOOD:  # a doubted page may hold the wrong text, which must not be learned
        refined = family.refine(page.guess, families.site, created=families.today)
    extended = family.learn_unknown_elements()
    events = [
        Event(
            EventKind.REPLACED,
            family.name,
            learned.version,
            reason,
        )
        for reason, learned in (("refined", refined), ("new elements", extended))
        if learned is not None
    ]
    if refining and not events and not is_refining(family):
        events.append(
            Event(
                EventKind.TRUSTED,
                family.name,
                template.version,
                "confirmed",
            )
        )
    family.keep_doubtful(None if good else page.guess)
    return Verdict(
        template.kind,
        article,
        family.name,
        waits,
        events,
    )


def _rejected(
    kind: PageKind,
    page: LazyExtraction,
    *,
    family: TemplateFamily,
) -> Verdict:
    is_lookalike = kind_of_page(page.guess, LEAST_PROMISE).is_article
    return Verdict(
        kind,
        None,
        family.name,
        is_lookalike=is_lookalike,
    )
