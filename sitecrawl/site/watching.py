"""Pages of a crawl taken in one by one: each is answered, teaches its family, and tests the family's template."""

from __future__ import annotations

from dataclasses import dataclass

from sitecrawl.items.kinds import Flag, PageKind
from sitecrawl.site.answer import LazyExtraction
from sitecrawl.site.belief import TemplateAnswer
from sitecrawl.site.template_families import Families, is_refining
from sitecrawl.site.verdict import LEAST_PROMISE, Event, EventKind, Verdict, judge
from sitecrawl.templates.family import ENOUGH, Family
from sitecrawl.templates.template import Template
from sitecrawl.templates.verify import Grade, grade, has_grown, is_hollow, is_odd

_GOOD = (Grade.GOOD, Grade.UNKNOWN)
"""Grades with which the template answers."""


@dataclass(slots=True)
class Watcher:
    """Observes the pages of a site.

    A link's promise of ``certain`` and a template that fits make a page an article. Every ``spot_check`` uses a trusted template is
    compared with the extractor although nothing speaks against it.
    """

    families: Families
    certain: float = 0.9
    spot_check: int = 20

    def observe(self, page: LazyExtraction, promise: float) -> Verdict:
        """The verdict on a page; ``promise`` is the probability, 0..1, that the link which led to it leads to an article."""
        self.families.name_site(page.page)
        family = self.families.by_hand(page.page) or self.families.of_page(page.page)
        template = family.current
        family.cluster.add(page.page.signature)
        if template is None or not template.is_trusted:
            verdict = self._collect(family, page, promise=promise)
        else:
            verdict = self._watch(family, page, template=template, promise=promise)
        if page.is_guessed:
            guess = page.guess
            verdict.looks_like_article = PageKind(guess.page_type).is_article
            verdict.headline = page.landmarks.headline.score
            verdict.confidence = guess.article.provenance.confidence
        return verdict

    def _collect(self, family: Family, page: LazyExtraction, *, promise: float, drifting: bool = False) -> Verdict:
        """Answer by the extractor, keep the page as a sample, induce a template when there are enough of them."""
        kind = judge(page.guess, promise)
        if not kind.is_article:
            return _rejected(kind, page, family=family)
        flags = [Flag.DRIFTING] * (drifting or family.drifting)
        if page.page.is_cut:  # pages of this size are not kept as samples
            return Verdict(kind, page.article(*flags), family.name)
        enough = self.families.keep_sample(family, page)
        enough = enough or (bool(flags) and len(family.samples) >= ENOUGH[0])
        events = self.families.induce(family) if enough else []
        return Verdict(kind, page.article(*flags), family.name, True, events)

    def _watch(self, family: Family, page: LazyExtraction, *, template: Template, promise: float) -> Verdict:
        """Answer by the trusted template; compare it with the extractor where the page or the last ones give reason."""
        answer = TemplateAnswer(family, template, page)
        applied, unknown = answer.applied, answer.unknown
        odd = not applied.fit or is_odd(template, applied) or has_grown(template, applied) or bool(unknown)
        odd = odd or not answer.fits_family
        odd = family.monitor.repeats(applied.chars) or odd or family.monitor.uneasy
        family.uses += 1
        if applied.fit and not odd:
            self.families.pages.show_one(family.name, page.page)
        usual = not odd and not is_refining(family) and promise >= self.certain and family.uses % self.spot_check
        if usual and not is_hollow(applied):
            family.monitor.record(Grade.GOOD)
            return Verdict(template.kind, answer.article(), family.name, compared=False)
        common = family.repeated_texts.add(page.page.url, page.guess.blocks.texts)
        weighed = answer.exclude_unknown(unknown, common)
        found = grade(template, applied, guess=page.guess.article.articleBody, common=common)
        if template.vouched and applied.fit and not is_odd(template, applied):
            found = Grade.GOOD  # a person has seen where it differs from the extractor
        kind = judge(page.guess, promise)
        if not kind.is_article and (found not in _GOOD or promise < self.certain):
            return _rejected(kind, page, family=family)
        if family.monitor.record(found):
            family.drift()
            verdict = self._collect(family, page, promise=promise, drifting=True)
            reason = "template and extractor disagree"
            verdict.events.insert(0, Event(EventKind.DRIFTING, family.name, template.version, reason))
            return verdict
        family.unknown_counts.add(weighed)
        return self._answer(answer, found)

    def _answer(self, answer: TemplateAnswer, found: Grade) -> Verdict:
        """The verdict on a page whose template was compared with the extractor; both teach the family."""
        family, page, template = answer.family, answer.page, answer.template
        good, refining = found in _GOOD, is_refining(family)
        article = answer.article() if good else page.article(Flag.DOUBTED)
        article.provenance.flags += [Flag.UNCONFIRMED] * (found is Grade.UNKNOWN)
        waits = not good or refining or bool(answer.unknown)
        confirmed = found is Grade.GOOD  # a page that is doubted must not teach what it is doubted for
        refined = family.refine(page.sample, self.families.site, self.families.today) if confirmed else None
        extended = family.learn_unknown_elements()
        events = [
            Event(EventKind.REPLACED, family.name, learned.version, reason)
            for reason, learned in (("refined", refined), ("new elements", extended))
            if learned is not None
        ]
        if refining and not events and not is_refining(family):
            events.append(Event(EventKind.TRUSTED, family.name, template.version, "confirmed"))
        if good:
            family.calm()
        else:
            family.doubt(page.sample)
        return Verdict(template.kind, article, family.name, waits, events, compared=found is Grade.GOOD)


def _rejected(kind: PageKind, page: LazyExtraction, *, family: Family) -> Verdict:
    could_be = judge(page.guess, LEAST_PROMISE).is_article
    return Verdict(kind, None, family.name, could_be_article=could_be)
