"""SiteModel: all that was learned about one site. Trusted templates answer; without one the
extractor does, and the item says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from functools import partial
from typing import Any

from sitecrawl.dom.page import Page
from sitecrawl.errors import TemplateError
from sitecrawl.items.article import Article
from sitecrawl.links.classify import Profile
from sitecrawl.site.answer import LazyExtraction
from sitecrawl.site.answering import answer_by_extractor, answer_by_template, observe
from sitecrawl.site.inputs import RawPage, page_of_html, page_of_pair
from sitecrawl.site.page_families import Choice
from sitecrawl.site.samples import StoredPages
from sitecrawl.site.template_families import TemplateFamilies, is_refining, is_trusted
from sitecrawl.site.verdict import Event, Verdict
from sitecrawl.templates.family import TemplateFamily, with_template
from sitecrawl.templates.template import Template

PROTOCOL = 1
_REMEDY = "forget the site with sitecrawl templates forget, and it is learned anew"


class SiteModel:
    """Learns the templates of one site and extracts with them.

    ``today`` (ISO date) dates new versions of templates, ``method`` is the extractor that answers
    where no template can."""

    def __init__(
        self,
        site: str = "",
        today: str = "",
        *,
        method: str = "ensemble",
    ) -> None:
        self.families = TemplateFamilies(site, today, method=method)
        self.profile = Profile()
        self.choices: dict[str, Choice] = {}
        """A person's decisions about page families, by name."""
        self._told: dict[str, object] = {}

    def __repr__(self) -> str:
        return f"<SiteModel {self.site!r}: {len(self.families)} families of pages, {len(self.templates)} templates>"

    def __reduce__(self) -> tuple[Any, ...]:
        """A model is pickled as its document, since elements of pages cannot be pickled."""
        read = partial(SiteModel.from_dict, method=self.method)
        return read, (self.to_dict(), self.families.today)

    @property
    def site(self) -> str:
        """Name of the site: the host of its first page unless one was given."""
        return self.families.site

    @property
    def method(self) -> str:
        return self.families.method

    @property
    def templates(self) -> list[Template]:
        """The current template of every family, the most used first."""
        return [family.current for family in with_template(self.families) if family.current]

    # ---- learning
    def learn(self, pages: Iterable[RawPage | tuple[str, str | bytes]]) -> None:
        """Learn from unlabelled pages of the site, given as :class:`RawPage` or ``(url, html)``
        pairs; their order does not matter.

        Raises TypeError when URL and HTML of a page are swapped or of another type."""
        read = (LazyExtraction(page_of_pair(page), method=self.method) for page in pages)
        self.families.learn(read)

    # ---- answering
    def extract(self, html: str | bytes, url: str | None = None) -> Article:
        """The article of a page: by a template that fits, else by the extractor; ``provenance``
        says which.

        Raises TypeError if ``html`` is neither str nor bytes, or is the URL."""
        return self.extract_page(page_of_html(html, url))

    def extract_page(
        self,
        page: Page | LazyExtraction,
        *,
        later: bool = False,
        anchor: str = "",
    ) -> Article:
        """The article of a parsed page. ``later``: it is not the first part of its article or
        thread, ``anchor`` is the text of the link to the page."""
        if isinstance(page, Page):
            page = LazyExtraction(
                page,
                method=self.method,
                is_later_part=later,
                anchor=anchor,
            )
        return answer_by_template(self.families, page) or answer_by_extractor(self.families, page)

    # ---- watching a crawl
    def observe(
        self,
        html: str | bytes,
        url: str | None = None,
        promise: float = 0.5,
    ) -> Verdict:
        """Process a page of a crawl: extract it, learn from it, and test its template.

        ``promise`` is the probability, 0..1, that the link to the page leads to an article. Raises
        TypeError if ``html`` is neither str nor bytes, or is the URL, and ValueError if ``promise``
        is no probability."""
        if not 0 <= promise <= 1:
            raise ValueError(f"promise is a probability, 0 to 1, not {promise!r}")
        return self.observe_page(page_of_html(html, url), promise)

    def observe_page(self, page: Page | LazyExtraction, promise: float = 0.5) -> Verdict:
        if isinstance(page, Page):
            page = LazyExtraction(page, method=self.method)
        return observe(self.families, page, promise=promise)

    def settle(self) -> list[Event]:
        """Induce templates from the waiting samples, however few; called when a crawl has nothing
        left to fetch."""
        return self.families.settle()

    # ---- what is known of a family
    def is_settled(self, name: str) -> bool:
        """Whether the named family has a trusted template that further pages will not induce again
        soon."""
        family = self.families.named(name)
        if family is not None:
            self.families.unpack(family)
        return family is not None and is_trusted(family) and not is_refining(family)

    def stored_pages(self, name: str = "") -> list[Page]:
        """Stored pages of the site or of one family: at most twenty that its template was induced
        from or answered, else the waiting ones."""
        pages = list[Page]()
        for family in self.families:
            if name in ("", family.name):
                pages += self.families.pages.of(family.name)
        return pages

    def obey(self, stored: SiteModel) -> None:
        """Take over what a person changed in the stored model while this one was in use: templates,
        words on page families, labels of URLs."""
        for theirs in stored.families:
            mine = self.families.named(theirs.name)
            if mine is None and theirs.edits:
                self.families.append(theirs)
            elif mine is not None and theirs.edits > mine.edits:
                mine.versions = theirs.versions
                mine.edits = theirs.edits
                mine.checked = theirs.checked
        self.choices.clear()  # a crawl holds this very dictionary
        self.choices |= stored.choices
        self.profile.labels = stored.profile.labels

    def news(self) -> Iterator[tuple[str, Any]]:
        """The documents that changed since the last call, by name, for :meth:`go_on`: of each
        family of pages its counts, samples, and template."""
        for family in self.families:
            counts = (
                family.uses,
                family.cluster.size,
                copy(family.monitor),
                family.checked,
                family.edits,
            )
            samples = [one.page.url for one in family.samples]
            template = (family.repeated_texts.added, [*map(copy, family.versions)])
            if self._is_news(f"family {family.name}", counts):
                yield f"family {family.name}", family.to_dict(template=False)
            if self._is_news(f"samples {family.name}", samples):
                yield f"samples {family.name}", self.families.samples_of(family)
            if self._is_news(f"template {family.name}", template):
                yield f"template {family.name}", family.template_to_dict()
        yield "families", [family.name for family in self.families]

    def _is_news(self, name: str, state: object) -> bool:
        """Whether what a document tells differs from what was told last."""
        is_news = self._told.get(name) != state
        self._told[name] = state
        return is_news

    def go_on(self, memory: Mapping[str, Any]) -> None:
        """Take over what an interrupted crawl had learned, and what a person changed since."""
        stored = SiteModel.from_dict(self.to_dict())
        self.profile.seen = Profile.from_dict(memory["profile"]).seen
        names = memory.get("families", ())
        if names:
            known = [
                memory[f"family {name}"] | memory.get(f"template {name}", {}) for name in names
            ]
            self.families[:] = map(TemplateFamily.from_dict, known)
            self.families.pages.waiting = {name: memory[f"samples {name}"] for name in names}
            self.obey(stored)

    # ---- documents
    def to_dict(self) -> dict[str, Any]:
        """All that the next crawl needs, as a JSON document: templates, statistics, waiting
        samples, the link profile."""
        return {
            "protocol": PROTOCOL,
            "site": self.site,
            **self.families.to_dict(),
            "profile": self.profile.to_dict(),
            "pageFamilies": {name: str(choice) for name, choice in self.choices.items()},
        }

    @classmethod
    def from_dict(
        cls,
        data: Any,
        today: str = "",
        *,
        method: str = "ensemble",
    ) -> SiteModel:
        """The model of a document. Raises TemplateError if it is damaged or has an unknown
        protocol."""
        site = str(data.get("site", "site"))[:100] if isinstance(data, dict) else "site"
        try:
            if data["protocol"] != PROTOCOL:
                raise ValueError(f"protocol {data['protocol']}, this version reads {PROTOCOL}")
            model = cls(str(data["site"]), today, method=method)
            model.families.extend(TemplateFamily.from_dict(family) for family in data["families"])
            model.families.pages = StoredPages.from_dict(data)
            model.profile = Profile.from_dict(data["profile"])
            for name, word in data.get("pageFamilies", {}).items():
                model.choices[str(name)] = Choice(word)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise TemplateError(site, f"damaged site model ({error})", _REMEDY) from None
        return model
