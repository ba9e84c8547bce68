"""The template families of one site: to which family a page belongs, and when a family's template
is induced from its samples."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from itertools import chain, zip_longest
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32

from sitecrawl.dom.align import similarity
from sitecrawl.dom.page import Page
from sitecrawl.extract.single import Extraction
from sitecrawl.limits import LIMITS
from sitecrawl.site.answer import LazyExtraction
from sitecrawl.site.samples import Packed, StoredPages, pack, unpack_pages, within_bounds
from sitecrawl.site.verdict import Event, EventKind
from sitecrawl.templates.apply import apply
from sitecrawl.templates.family import REFINE, THRESHOLD, TemplateFamily, with_template


class TemplateFamilies(list[TemplateFamily]):
    """The families of one site and their stored pages; the arguments are those of ``SiteModel``."""

    def __init__(
        self,
        site: str = "",
        today: str = "",
        *,
        method: str = "ensemble",
    ) -> None:
        super().__init__()
        self.site = site
        self.today = today
        self.method = method
        self.pages = StoredPages()

    def named(self, name: str) -> TemplateFamily | None:
        return next((family for family in self if family.name == name), None)

    def nearest(self, page: Page) -> tuple[TemplateFamily | None, float]:
        """The family whose pages have the most similar structure to ``page``, and the similarity,
        0..1."""
        scores = [similarity(page.signature, family.cluster.core) for family in self]
        best = max(scores, default=0.0)
        return (self[scores.index(best)] if scores else None), best

    def of_page(self, page: Page) -> TemplateFamily:
        """The family of a page, with its samples of earlier crawls; a new family if none is similar
        enough."""
        family, score = self.nearest(page)
        if family is None or score < THRESHOLD:
            return self._add_family()
        self.unpack(family)
        return family

    def _add_family(self) -> TemplateFamily:
        """Add a new family. At ``LIMITS.families`` the least used one is removed, one without a
        template first."""
        if len(self) >= LIMITS.families:
            idle = min(self, key=_use)
            self.remove(idle)
            self.pages.waiting.pop(idle.name, None)
            self.pages.shown.pop(idle.name, None)
        # a person may have given any name
        endings = [family.name.rpartition("-")[2] for family in self]
        number = 1 + max([int(end) for end in endings if end.isdecimal()], default=0)
        self.append(TemplateFamily(f"template-{number}"))
        return self[-1]

    def by_hand(self, page: Page) -> TemplateFamily | None:
        """The family of a hand-written template that finds its body, and its headline and dates
        unless they are optional, on ``page``."""
        for family in self:
            template = family.current
            if template is not None and template.edited and not template.pages:
                applied = apply(template, page)
                if applied.fit and set(applied.missing) <= set(template.optional):
                    return family
        return None

    def candidates(self, page: Page) -> list[TemplateFamily]:
        """Template families whose template may answer: a hand-written one that fits, then trusted
        and much used ones; if two share an address of the body, the more similar one first."""
        able = with_template(self)
        if (hand := self.by_hand(page)) is not None:
            return [hand, *able]
        addresses = list[str]()
        for family in able:
            if family.current:
                addresses += set(family.current.body.addresses)
        if len(addresses) == len(set(addresses)):
            return able

        def likeness(family: TemplateFamily) -> tuple[bool, float]:
            return is_trusted(family), similarity(page.signature, family.cluster.core)

        return sorted(able, key=likeness, reverse=True)

    def learn(self, pages: Iterable[LazyExtraction]) -> None:
        """Group pages into families and induce their templates. The order of pages does not matter:
        of many pages, the first ones shape a family, and the last ones are its samples."""
        learned = dict[str, TemplateFamily]()
        found = [page for page in pages if page.guess.selection.nodes]
        found.sort(key=_digest)
        for page in found:
            family = self.of_page(page.page)
            family.cluster.add(page.page.signature)
            family.add(page.guess)
            self.name_site(page.page)
            learned[family.name] = family
        for family in learned.values():
            if family.induce(self.site, self.today) is not None:
                self.pages.show(family.name, [sample.page for sample in family.samples])

    def name_site(self, page: Page) -> None:
        """Name a site without a name after the host of one of its pages."""
        with suppress(ValueError):
            self.site = self.site or urlsplit(page.url).hostname or ""

    def induce(self, family: TemplateFamily) -> list[Event]:
        """Induce the next template of a family from its samples; returns the events."""
        replaced = family.drifting
        template = family.induce(self.site, self.today)
        if template is None:
            return []
        pages = f"{len(template.pages)} pages"
        events = [
            Event(
                EventKind.INDUCED,
                family.name,
                template.version,
                pages,
            )
        ]
        if template.is_trusted:
            self.pages.show(family.name, [sample.page for sample in family.samples])
            kind = EventKind.REPLACED if replaced else EventKind.TRUSTED
            events += [*_redesign(family), Event(kind, family.name, template.version)]
        return events

    def settle(self) -> list[Event]:
        """Induce templates for families without a trusted one from the samples there are; returns
        the events. The crawl is then over."""
        events: list[Event] = []
        for family in self:
            urls = {one["url"] for one in self.pages.waiting.get(family.name, ())}
            urls.update(sample.page.url for sample in family.samples)
            learned = set(family.current.pages) if family.current else set[str]()
            if not is_trusted(family) and len(urls) > 1 and urls != learned:
                self.unpack(family)
                events += self.induce(family)
            events += _redesign(family)
            family.monitor.agreed = False
        return events

    def unpack(self, family: TemplateFamily) -> None:
        """Parse the stored samples of a family, and move them into it."""
        waiting = unpack_pages(self.pages.waiting.pop(family.name, ()))
        family.samples = [*(Extraction(page, self.method) for page in waiting), *family.samples]

    def samples_of(self, family: TemplateFamily) -> list[Packed]:
        """The samples of a family that wait for a template."""
        return self.pages.waiting.get(family.name) or [
            pack(sample.page) for sample in family.samples
        ]

    def to_dict(self) -> dict[str, Any]:
        """Template families, the samples that the next crawl needs (largest families first), and
        the shown pages (of each template the latest first)."""
        waiting = {one.name: self.samples_of(one) for one in self}
        largest = sorted(waiting.items(), key=lambda one: -len(one[1]))
        samples = ((name, page) for name, pages in largest for page in reversed(pages))
        families = (*with_template(self), *self)
        order = dict.fromkeys([family.name for family in families if family.versions])
        latest = [
            [(name, pack(page)) for page in reversed(self.pages.shown.get(name, ()))]
            for name in order
        ]
        shown = filter(None, chain.from_iterable(zip_longest(*latest)))
        return {
            "families": [family.to_dict() for family in self],
            "samples": within_bounds(samples, LIMITS.sample_chars),
            "kept": within_bounds(shown, LIMITS.shown_chars),
        }


def _redesign(family: TemplateFamily) -> list[Event]:
    old = family.end_of_suspicion()
    if not old:
        return []
    return [
        Event(
            EventKind.REDESIGNED,
            family.name,
            old,
            "no page agrees with the template",
        )
    ]


def _use(family: TemplateFamily) -> tuple[bool, int, int]:
    """How much a family is worth keeping."""
    return bool(family.versions), family.uses, family.cluster.size


def _digest(page: LazyExtraction) -> int:
    """A digest of a page, by which pages are ordered."""
    text = "".join([page.page.url, *page.page.document.chunks])
    return crc32(text.encode("utf-8", "replace"))


def is_trusted(family: TemplateFamily) -> bool:
    return family.current is not None and family.current.is_trusted


def is_refining(family: TemplateFamily) -> bool:
    """Whether a trusted template is still to be confirmed by a second induction with further
    pages."""
    return bool(family.samples) and family.checked < REFINE
