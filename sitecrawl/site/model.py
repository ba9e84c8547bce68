"""SiteModel: all that was learned about one site. Trusted templates answer; while none can, the extractors do and say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from sitecrawl.dom.align import similarity
from sitecrawl.dom.page import Page
from sitecrawl.errors import TemplateError
from sitecrawl.items.article import Article
from sitecrawl.items.kinds import Flag, PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import Profile
from sitecrawl.site.answer import Reading, complete
from sitecrawl.site.conventions import Conventions
from sitecrawl.site.inputs import page_of_html
from sitecrawl.site.samples import (
    Packed,
    pack,
    pages_of,
    read_packed,
    shown,
    wants_samples,
    within_bounds,
)
from sitecrawl.site.verdict import STRANGER, Event, EventKind, Verdict, judge
from sitecrawl.templates.apply import Applied, TemplateBody, apply
from sitecrawl.templates.cluster import THRESHOLD, group
from sitecrawl.templates.family import ENOUGH, REFINE, Family, trusted
from sitecrawl.templates.strangers import Weighed, length_of, strangers, weigh
from sitecrawl.templates.template import Template
from sitecrawl.templates.verify import (
    AGREES,
    CLOSE,
    Grade,
    agreement,
    grade,
    has_grown,
    is_hollow,
    is_odd,
    is_part,
    outweighs,
    word_f1,
)

PROTOCOL = 1
_FAMILIES = 40
"""Families of one site that are kept; the least used without a template goes first."""
_SPOT = 20
"""Every how many uses a trusted template is compared with the extractor."""
_SLIGHT = 0.02
"""Share of the body up to which strangers are not worth an extraction, which costs as much as ten answers."""
_CERTAIN = 0.9
"""Confidence from which the extractor alone is believed that the body goes on beside the template's."""
_SURE = 0.9
"""Least promise of a link at which a fitting template alone makes a page an article."""
_GOOD = (Grade.GOOD, Grade.UNKNOWN)
"""Grades with which the template answers."""
_REMEDY = "forget the site with sitecrawl templates forget, and it is learned anew"


class SiteModel:
    """Learns the templates of one site and extracts with them. ``today`` (ISO date) dates new versions."""

    def __init__(self, site: str = "", today: str = "") -> None:
        self.site = site
        self.today = today
        self.method = "ensemble"
        self.families: list[Family] = []
        self.profile = Profile()
        self.conventions = Conventions()
        self._ambiguous = False
        self._packed: dict[str, list[Packed]] = {}
        self._kept: dict[str, list[Packed]] = {}

    def __repr__(self) -> str:
        return f"<SiteModel {self.site!r}: {len(self.families)} families of pages, {len(self.templates)} templates>"

    def __reduce__(self) -> tuple[Any, ...]:
        """A model is pickled as its document: pages cannot be."""
        return _revived, (self.to_dict(), self.today, self.method)

    @property
    def templates(self) -> list[Template]:
        """The template of every family that has one, the most used first."""
        return [family.current for family in trusted(self.families) if family.current]

    def trusts(self, name: str) -> bool:
        """Whether the family of that name has a template that can be trusted."""
        found = (family.current for family in self.families if family.name == name)
        return any(current is not None and current.is_trusted for current in found)

    def is_settled(self, name: str) -> bool:
        """Whether the family of that name has a template that can be trusted and is not about to be induced again with further pages."""
        return self.trusts(name) and not any(family.name == name and _is_young(family) for family in self.families)

    def unproven(self) -> Iterator[str]:
        """Names of the families of many pages none of whose templates held, where the articles of the site have one that does: what these
        pages share is no article."""
        most = max((family.cluster.size for family in trusted(self.families)), default=0)
        for family in self.families:
            if ENOUGH[-1] <= family.cluster.size < most and not self.trusts(family.name):
                yield family.name

    def better_than(self, before: Mapping[str, Any], page: Page, anchor: str = "") -> Article | None:
        """The article of a page where the version that answers now is newer than the one that gave the item ``before``, and finds a body
        nearer to the extractor's; else None."""
        reading = Reading(page, self.method, anchor=anchor)
        article, said = self._by_template(reading), before["provenance"]
        if article is None or article.provenance.templateId != said["templateId"]:
            return None
        if article.provenance.flags or (article.provenance.templateVersion or 0) <= (said["templateVersion"] or 0):
            return None
        if article.articleBody == before["articleBody"]:
            return article if article.headline != before["headline"] else None
        guess = reading.guess.article.articleBody
        return article if word_f1(article.articleBody, guess) > word_f1(before["articleBody"], guess) else None

    def learn(self, pages: Iterable[tuple[str, str | bytes]]) -> None:
        """Learn from unlabelled pages of the site, given as (URL, HTML); their order does not matter.

        Raises TypeError when URL and HTML of a page are swapped or of another type.
        """
        self.learn_readings(Reading(page_of_html(html, url), self.method) for url, html in pages)

    def learn_readings(self, pages: Iterable[Reading]) -> None:
        """Learn from pages that are parsed already."""
        readings = [reading for reading in pages if reading.guess.selection.nodes]
        signatures = [reading.paths for reading in readings]
        for members in group(signatures):
            family = self._family(signatures[members[0]])
            for number in members:
                family.cluster.add(signatures[number])
                family.add(readings[number].sample)
            self._name_site(readings[members[0]].page)
            if family.induce(self.site, self.today) is not None:
                self._show(family)
        self._look_for_ambiguity()

    def extract(self, html: str | bytes, url: str | None = None) -> Article:
        """The article of a page: by a template that fits, else by the extractors; ``provenance`` says which.

        Raises TypeError when ``html`` is neither str nor bytes, or is the URL.
        """
        return self.extract_page(page_of_html(html, url))

    def extract_page(self, page: Page, later: bool = False, anchor: str = "") -> Article:
        """The article of a parsed page; ``later`` tells that it is not the first part of its article or thread."""
        return self.extract_reading(Reading(page, self.method, later, anchor))

    def extract_reading(self, reading: Reading) -> Article:
        """The article of a page whose own extraction may be known already."""
        return self._by_template(reading) or self._in_doubt(reading)

    def _by_template(self, reading: Reading) -> Article | None:
        for family in self._candidates(reading):
            template = family.current
            if template is None:
                continue
            applied = apply(template, reading.page)
            if applied.fit and self._holds(family, template, (applied, reading)):
                family.uses += 1
                return complete(applied, reading, template)
        return None

    def _in_doubt(self, reading: Reading) -> Article:
        """The extractor's article; flagged where a template should have answered."""
        if not any(family.versions for family in self.families):
            return reading.fallback()
        scored = ((similarity(reading.paths, family.cluster.core), -at) for at, family in enumerate(self.families))
        likest, at = max(scored)
        family = self.families[-at]
        if likest < THRESHOLD or self._explained(family, reading):
            return reading.fallback()
        trusted_one = family.current is not None and family.current.is_trusted
        return reading.fallback(*[Flag.DRIFTING] * family.drifting, *[Flag.DOUBTED] * trusted_one)

    def _explained(self, family: Family, reading: Reading) -> bool:
        """Whether the body goes on beside the template's, as it does on other pages of late, or beyond doubt: no doubt is left then."""
        template, common = family.current, frozenset(family.echoes.common)
        certain = reading.guess.article.provenance.confidence >= _CERTAIN
        if template is None or (len(family.samples) < 2 and not certain):
            return False
        return is_part(template, apply(template, reading.page), reading.guess.article.articleBody, common)

    def _candidates(self, reading: Reading) -> list[Family]:
        """Families whose template may be the page's; signatures are computed only where addresses cannot tell them apart."""
        able = trusted(self.families)
        if len(able) < 2 or not self._ambiguous:
            return able
        return sorted(able, key=lambda family: -similarity(reading.paths, family.cluster.core))

    def _holds(self, family: Family, template: Template, found: tuple[Applied, Reading]) -> bool:
        """Whether to believe the family's template; a doubt is settled by comparing its body with the extractor's.

        A candidate stands in only where the extractor finds nothing: it becomes trusted by the pages that wait, not by one that it answers.
        """
        applied, reading = found
        odd, suits = is_odd(template, applied), self._suits(family, template, found)
        odd, unknown = odd or (family.monitor.uneasy and has_grown(template, applied)), _unknown(template, applied)
        unknown = unknown if length_of(unknown) > _SLIGHT * applied.chars else []
        if template.is_trusted and suits and not odd and not unknown and not is_hollow(applied):
            return True
        guess, common = reading.guess.article.articleBody, frozenset(family.echoes.common)
        _leave_out(applied, reading, unknown, common)
        least = CLOSE if template.weak or not template.is_trusted or applied.rank else AGREES
        if agreement(template, applied, guess, common) < least:
            return template.is_trusted and suits and outweighs(template, applied.article.articleBody, guess)
        return template.is_trusted or not guess

    def _suits(self, family: Family, template: Template, found: tuple[Applied, Reading]) -> bool:
        """Whether the page is built like the family; asked only where the body's best address did not find it by name, or where the URL is of another
        kind than those of the template's pages."""
        applied, reading = found
        sure = applied.rank == 0 and not template.weak and "headline" not in applied.missing
        sure = sure and template.knows(reading.page.url)
        return sure or similarity(reading.paths, family.cluster.core) >= THRESHOLD

    def observe(self, html: str | bytes, url: str | None = None, promise: float = 0.5) -> Verdict:
        """Take in a page of a crawl: extract it, learn from it, watch its template.

        ``promise`` is the probability, 0..1, that the link which led to the page leads to an article. Raises TypeError
        when ``html`` is neither str nor bytes, or is the URL.
        """
        return self.observe_page(page_of_html(html, url), promise)

    def observe_page(self, page: Page, promise: float = 0.5, anchor: str = "") -> Verdict:
        """Take in a parsed page of a crawl."""
        self._name_site(page)
        reading = Reading(page, self.method, anchor=anchor)
        paths = reading.paths
        family = self._by_hand(reading) or self._family(paths)
        current = family.current
        family.cluster.add(paths)
        if current is None or not current.is_trusted:
            return self._collect(family, reading, promise)
        return self._watch(family, current, reading, promise)

    def _watch(self, family: Family, template: Template, reading: Reading, promise: float) -> Verdict:
        """Answer by the trusted template, or where the page gives reason compare it with the extractor first."""
        applied = apply(template, reading.page)
        unknown = _unknown(template, applied)
        odd = not applied.fit or is_odd(template, applied) or has_grown(template, applied) or bool(unknown)
        odd = odd or not self._suits(family, template, (applied, reading))
        odd = family.monitor.repeats(applied.chars) or odd or family.monitor.uneasy
        family.uses += 1
        if applied.fit and not odd:
            self._show_page(family.name, reading.page)
        looks = self.conventions.looks.of_family(family.name)
        usual = not odd and not _is_young(family) and promise >= _SURE and family.uses % _SPOT
        if looks is not None and usual and not is_hollow(applied):
            family.monitor.record(Grade.GOOD)
            article = complete(applied, reading, template)
            return Verdict(template.kind, article, family.name, looks=looks, compared=False)
        common = family.echoes.meet(reading.page.url, reading.guess.blocks.texts)
        weighed = _leave_out(applied, reading, unknown, common)
        found = grade(template, applied, reading.guess.article.articleBody, common)
        if template.vouched and applied.fit and not is_odd(template, applied):
            found = Grade.GOOD  # a person has seen where it differs from the extractor
        kind = judge(reading.guess, promise)
        if not kind.is_article and (found not in _GOOD or promise < _SURE):
            return _denied(kind, reading, family)
        if family.monitor.record(found):
            return self._drift(family, template, reading, promise)
        family.tally.take(weighed)
        return self._answer(family, template, (applied, reading), found)

    def _drift(self, family: Family, template: Template, reading: Reading, promise: float) -> Verdict:
        """The template no longer holds: from now on the family collects samples for the next one."""
        family.drift()
        verdict = self._collect(family, reading, promise, Flag.DRIFTING)
        told = "template and extractor disagree"
        verdict.events.insert(0, Event(EventKind.DRIFTING, family.name, template.version, told))
        return verdict

    def _answer(self, family: Family, template: Template, found: tuple[Applied, Reading], graded: Grade) -> Verdict:
        """The answer of a page that was compared; it waits where a better one may come, and teaches the template."""
        applied, reading = found
        good = graded in _GOOD
        article = complete(applied, reading, template) if good else reading.fallback(Flag.DOUBTED)
        article.provenance.flags += [Flag.UNCONFIRMED] * (graded is Grade.UNKNOWN)
        young = _is_young(family)
        waits = not good or young or bool(_unknown(template, applied))
        events = []
        for how, learned in (("refined", family.refine(reading.sample, self.site, self.today)),
                             ("new elements", family.learn_strangers())):  # fmt: skip
            if learned is not None:
                events.append(Event(EventKind.REPLACED, family.name, learned.version, how))
        if young and not events and not _is_young(family):
            events.append(Event(EventKind.TRUSTED, family.name, template.version, "confirmed"))
        if good:
            family.calm()
        else:
            family.doubt(reading.sample)
        compared, looks = graded is Grade.GOOD, self._look(reading, family)
        return Verdict(template.kind, article, family.name, waits, events, compared=compared, looks=looks)

    def _look(self, reading: Reading, family: Family) -> bool:
        """Whether an article looks like one by itself; its family learns from it."""
        looks = PageKind(reading.guess.page_type).is_article
        self.conventions.looks.record(family.name, looks)
        return looks

    def page_for(self, name: str) -> Page | None:
        """A page of a family to look at: the latest of those that wait for a template, else of those that are kept."""
        waiting = [sample.page for family in self.families if family.name == name for sample in family.samples[-1:]]
        packed = [*self._packed.get(name, ())[-1:], *self._kept.get(name, ())[-1:]]
        return next(iter(waiting), None) or next(iter(pages_of(packed)), None)

    def settle(self) -> list[Event]:
        """Induce from what waits, however little: called when a crawl has nothing left to fetch."""
        events: list[Event] = []
        for family in self.families:
            current, waiting = family.current, self._urls_of_samples(family)
            known = set(current.pages) if current else set()
            if not self.trusts(family.name) and len(waiting) > 1 and waiting != known:
                events += self._induce(self._unpack(family))
        self._look_for_ambiguity()
        return events

    def _induce(self, family: Family) -> list[Event]:
        """Induce the next template of a family from its samples; what happened."""
        replaced, template = family.drifting, family.induce(self.site, self.today)
        if template is None:
            return []
        events = [Event(EventKind.INDUCED, family.name, template.version, f"{len(template.pages)} pages")]
        if template.is_trusted:
            self._show(family)
            self._look_for_ambiguity()
            kind = EventKind.REPLACED if replaced else EventKind.TRUSTED
            events.append(Event(kind, family.name, template.version))
        return events

    def _collect(self, family: Family, reading: Reading, promise: float, *flags: Flag) -> Verdict:
        """Answer by the extractor, keep the page as a sample, induce when there are enough."""
        kind = judge(reading.guess, promise)
        if not kind.is_article:
            return _denied(kind, reading, family)
        looks = self._look(reading, family)
        flags = (*flags, *([Flag.DRIFTING] if family.drifting else []))
        if reading.page.is_cut:  # no sample: pages of this size are kept by nobody
            return Verdict(kind, reading.fallback(*flags), family.name, looks=looks)
        enough = self._keep(family, reading) or (Flag.DRIFTING in flags and len(family.samples) >= ENOUGH[0])
        events = self._induce(family) if enough else []
        return Verdict(kind, reading.fallback(*flags), family.name, True, events, looks=looks)

    def _family(self, paths: frozenset[int]) -> Family:
        """The likest family, a new one when none is like enough."""
        scored = [(similarity(paths, family.cluster.core), -at) for at, family in enumerate(self.families)]
        best = max(scored, default=(0.0, 0))
        if best[0] >= THRESHOLD:
            return self._unpack(self.families[-best[1]])
        self._make_room()
        taken = (family.name.rpartition("-")[2] for family in self.families)  # a person may have put in any name
        number = 1 + max((int(end) for end in taken if end.isdecimal()), default=0)
        self.families.append(Family(f"template-{number}"))
        return self.families[-1]

    def _by_hand(self, reading: Reading) -> Family | None:
        """The family of a template that a person wrote and that no page was met of yet, where it finds all its fields."""
        for family in self.families:
            template = family.current if not family.cluster.size else None
            if template is not None and template.edited:
                applied = apply(template, reading.page)
                if applied.fit and not applied.missing:
                    return family
        return None

    def _make_room(self) -> None:
        if len(self.families) >= _FAMILIES:
            idle = min(self.families, key=lambda family: (bool(family.versions), family.uses, family.cluster.size))
            self.families.remove(idle)
            self._packed.pop(idle.name, None)
            self._kept.pop(idle.name, None)

    def _look_for_ambiguity(self) -> None:
        """Families whose bodies share an address can be told apart by signature only."""
        seen: set[str] = set()
        for template in self.templates:
            self._ambiguous |= not seen.isdisjoint(template.body.addresses)
            seen.update(template.body.addresses)

    def _name_site(self, page: Page) -> None:
        with suppress(ValueError):
            self.site = self.site or urlsplit(page.url).hostname or ""

    def _keep(self, family: Family, reading: Reading) -> bool:
        """Keep a page as a sample, in place of an older copy of it: what two copies share is no template.

        True when there are enough samples for a try.
        """
        for number, sample in enumerate(family.samples):
            if sample.page.url and sample.page.url == reading.page.url:
                family.samples[number] = reading.sample
                return False
        return family.add(reading.sample)

    def _urls_of_samples(self, family: Family) -> set[str]:
        """URLs of the samples of a family, those since an earlier crawl as well; they stay packed."""
        packed = {one["url"] for one in self._packed.get(family.name, ())}
        return packed | {sample.page.url for sample in family.samples}

    def _unpack(self, family: Family) -> Family:
        """Give a family the samples that waited since an earlier crawl, when it is met again."""
        pages = pages_of(self._packed.pop(family.name, ()))
        family.samples = [*(Reading(page, self.method).sample for page in pages), *family.samples]
        return family

    def _show(self, family: Family) -> None:
        """Keep the pages that a family's template was induced from."""
        self._kept[family.name] = [pack(sample.page) for sample in family.samples[-LIMITS.shown_pages :]]

    def _show_page(self, name: str, page: Page) -> None:
        """Keep one more page of a family while there are few."""
        kept = self._kept.setdefault(name, [])
        if len(kept) < LIMITS.shown_pages and all(page.url != one["url"] for one in kept):
            kept.append(pack(page))

    def stored_pages(self, name: str = "") -> list[Page]:
        """Pages of the site, or of one family, that are kept: up to twenty that its template was induced from or answered, else those that wait for one."""
        names = [family.name for family in self.families if name in ("", family.name)]
        return [page for one in names for page in pages_of(self._kept.get(one) or self._packed.get(one) or [])]

    def _waiting(self) -> dict[str, list[Packed]]:
        """Samples that the next crawl needs, by family."""
        wanting = [family for family in self.families if wants_samples(family) or family.name in self._packed]
        packed = {
            one.name: self._packed.get(one.name) or [pack(sample.page) for sample in one.samples] for one in wanting
        }
        return within_bounds(packed)

    def _shown(self) -> dict[str, list[Packed]]:
        """Pages to look at, those of templates that answer before those of others that did."""
        names = dict.fromkeys(family.name for family in (*trusted(self.families), *self.families) if family.versions)
        return shown({name: self._kept[name] for name in names if name in self._kept})

    def to_dict(self) -> dict[str, Any]:
        """All that the next crawl needs as a JSON document: templates, their statistics, samples that wait, the link profile."""
        return {
            "protocol": PROTOCOL,
            "site": self.site,
            "ambiguous": self._ambiguous,
            "families": [family.to_dict() for family in self.families],
            "samples": self._waiting(),
            "kept": self._shown(),
            "profile": self.profile.to_dict(),
            "conventions": self.conventions.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Any) -> SiteModel:
        """The model of a document. Raises TemplateError when it is damaged or of an unknown protocol."""
        site = str(data.get("site", "site"))[:100] if isinstance(data, dict) else "site"
        try:
            if data["protocol"] != PROTOCOL:
                raise ValueError(f"protocol {data['protocol']}, this version reads {PROTOCOL}")
            model = cls(str(data["site"]))
            model.families = [Family.from_dict(family) for family in data["families"]]
            model._packed = {str(name): read_packed(samples) for name, samples in data.get("samples", {}).items()}
            model._kept = {str(name): read_packed(samples) for name, samples in data.get("kept", {}).items()}
            model.profile = Profile.from_dict(data["profile"])
            model.conventions = Conventions.from_dict(data.get("conventions", {}))
            model._ambiguous = bool(data["ambiguous"])
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise TemplateError(site, f"damaged site model ({error})", _REMEDY) from None
        return model


def _is_young(family: Family) -> bool:
    """Whether a trusted template is still to be induced again, with the next pages."""
    return bool(family.samples) and family.checked < REFINE


def _denied(kind: PageKind, reading: Reading, family: Family) -> Verdict:
    return Verdict(kind, None, family.name, alike=judge(reading.guess, STRANGER).is_article)


def _unknown(template: Template, applied: Applied) -> list[Any]:
    """Elements in the body that no page of the template had."""
    body = applied.article.body
    return strangers(template, body.node) if isinstance(body, TemplateBody) else []


def _leave_out(applied: Applied, reading: Reading, unknown: list[Any], common: frozenset[int]) -> list[Weighed]:
    """Take out of the body what is new there and no body for the extractor; what each of the new elements holds."""
    weighed = weigh(reading.sample, unknown, common) if unknown else []
    if weighed and isinstance(applied.article.body, TemplateBody):
        applied.article.body.foreign = frozenset(node for one in weighed for node in one.out)
    return weighed


def _revived(document: dict[str, Any], today: str, method: str) -> SiteModel:
    """A pickled model."""
    model = SiteModel.from_dict(document)
    model.today, model.method = today, method
    return model
