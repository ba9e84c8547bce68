"""Template families: pages with the same structure, grouped online (Wang et al. 2018), the samples
that wait for a template, and the template's versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sitecrawl.items.kinds import PageGuess, TemplateState
from sitecrawl.templates.aligned_pages import is_same_article
from sitecrawl.templates.induction.induce import induce
from sitecrawl.templates.template import Field, Template
from sitecrawl.templates.unknown_elements import RepeatedTexts, UnknownElementCounts
from sitecrawl.templates.verify import Monitor, cross_validate

ENOUGH = (
    4,
    6,
    8,
    12,
)  # numbers of waiting samples at which an induction is tried; the last one is the most kept
_VERSIONS = 10  # versions of a template that are kept for comparison and rollback
# number of further pages that confirm a newly trusted template. Then it is induced again, with
# these pages
REFINE = 4
_COUNTS = ("uses", "collected", "checked", "edits", "suspect")  # numbers of a family's document
# share of common block paths from which two pages share a template (docs/research/methods.md)
THRESHOLD = 0.82


@dataclass(slots=True)
class Cluster:
    """A group of ``size`` pages, with the number of pages that contain each path. Paths of few
    pages are forgotten, so that the cost of a page does not grow."""

    counts: Counter[int] = field(default_factory=Counter)
    size: int = 0
    _core: tuple[int, frozenset[int]] = (0, frozenset())

    def add(self, paths: frozenset[int], *, most: int = 2_000) -> None:
        """Add a page. Of more than ``most`` paths the more frequent half stays: at most 800 can be
        on half of the pages, since no page has more than 400."""
        self.counts.update(paths)
        self.size += 1
        if len(self.counts) > most:
            self.counts = Counter(dict(self.counts.most_common(most // 2)))

    @property
    def core(self) -> frozenset[int]:
        """Paths that at least half of the pages contain. Cached until a page is added."""
        if self._core[0] != self.size:
            self._core = (
                self.size,
                frozenset(path for path, count in self.counts.items() if 2 * count >= self.size),
            )
        return self._core[1]


@dataclass(slots=True)
class TemplateFamily:
    """A family of pages. ``versions`` are the template's, oldest first; ``samples`` are kept until
    a version is trusted and refined.
    ``repeated_texts`` holds lines of the pages that were compared with the extractor,
    ``unknown_counts`` statistics of elements that the template
    does not know. ``collected`` counts samples, ``checked`` pages found good since a version is
    trusted, ``edits`` changes by a person. ``suspect`` is a
    withdrawn version with which no page of this crawl agreed, until it is known whether the site
    was redesigned; 0 if there is none."""

    name: str
    cluster: Cluster = field(default_factory=Cluster)
    samples: list[PageGuess] = field(default_factory=list)
    versions: list[Template] = field(default_factory=list)
    monitor: Monitor = field(default_factory=Monitor)
    uses: int = 0
    collected: int = 0
    checked: int = 0
    edits: int = 0
    suspect: int = 0
    repeated_texts: RepeatedTexts = field(default_factory=RepeatedTexts)
    unknown_counts: UnknownElementCounts = field(default_factory=UnknownElementCounts)

    @property
    def current(self) -> Template | None:
        """The version that answers: the trusted or locked one, else the newest candidate."""
        for wanted in (TemplateState.TRUSTED, TemplateState.CANDIDATE):
            for version in reversed(self.versions):
                if version.state == wanted or version.locked:
                    return version
        return None

    @property
    def drifting(self) -> bool:
        """Whether the last version was withdrawn and none answers since then."""
        return bool(self.versions) and self.current is None

    def add(self, sample: PageGuess) -> bool:
        """Keep a sample for induction; returns whether there are enough samples for a try. A sample
        replaces older copies of the same article: text that copies share would be taken for
        boilerplate."""
        others = [one for one in self.samples if not is_same_article(one, sample)]
        is_new = len(others) == len(self.samples)
        self.samples = [*others, sample][-ENOUGH[-1] :]
        self.collected += is_new
        return is_new and (self.collected in ENOUGH or self.collected % ENOUGH[-1] == 0)

    def induce(self, site: str, created: str = "", *, least: float = 0.7) -> Template | None:
        """Induce the next version from the waiting samples; trusted if it works on the share
        ``least`` of held-out pages, else the only candidate. Locked or edited versions stay in
        use."""
        if (template := induce(self.samples, site, name=self.name)) is None:
            return None
        share = cross_validate(self.samples, template)
        template.extra = _renamed(template.extra, self.versions)
        template.version = self._next_version()
        template.created = created
        old = self.current
        if old is None or not (old.locked or old.edited):
            if share >= least:
                self.trust(template)
                self.monitor, self.checked = Monitor(agreed=True), 0
            else:
                self.versions = [
                    version for version in self.versions if version.state != TemplateState.CANDIDATE
                ]
        self._add_version(template)
        return template

    def trust(self, template: Template) -> None:
        """Let ``template`` answer from now on instead of every other version."""
        for version in self.versions:
            version.state = TemplateState.REPLACED
        template.state = TemplateState.TRUSTED

    def put(self, template: Template) -> None:
        """Add a version that a person made. It answers from now on, without a further induction;
        locks on other versions are removed."""
        for version in self.versions:
            version.locked = False
        self.checked = REFINE
        template.version, template.edited, self.edits = self._next_version(), True, self.edits + 1
        self.trust(template)
        self._add_version(template)

    def take_in(self, template: Template) -> None:
        """Add a version from a document. A trusted version answers from now on if it is the newest;
        else it becomes part of the history."""
        if any(version.version == template.version for version in self.versions):
            template.version = self._next_version()
        self.edits += 1
        if template.state is TemplateState.TRUSTED and template.version >= self._next_version():
            self.trust(template)
        elif template.state is TemplateState.TRUSTED:
            template.state = TemplateState.REPLACED
        self._add_version(template)

    def refine(self, sample: PageGuess, site: str, *, created: str = "") -> Template | None:
        """Add a page on which the template was found good; after ``REFINE`` such pages the template
        is induced again from all samples. Returns the new version. Returns None while more pages
        are needed, and when the new version is no better or no longer finds the body's container.
        Pages that the template was induced from, and copies of them, do not count."""
        if any(is_same_article(known, sample) for known in self.samples):
            return None
        self.checked += 1
        if not self.samples or self.checked > REFINE:
            return None  # the kept pages are then the doubtful ones
        self.samples = [*self.samples, sample][-ENOUGH[-1] :]
        old = self.current
        if self.checked < REFINE or old is None or old.locked or old.edited:
            return None
        kept = list(self.versions)
        template = self.induce(site, created)
        if (
            template is None
            or not template.is_trusted
            or template.is_whole_page > old.is_whole_page
        ):
            template, self.versions = None, kept
            self.trust(old)
        elif (
            template.body.known
        ):  # what these pages had is no more known than before, as long as it is weighed
            template.body.known = [
                name for name in template.body.known if name not in self.unknown_counts.pages
            ]
        self.samples, self.checked = [], REFINE
        return template

    def learn_unknown_elements(self, *, most: int = 200) -> Template | None:
        """A new version that knows or excludes the elements that have begun to appear in the body
        of several pages; None if there are none. Versions that a person locked or edited are not
        changed. A template has at most ``most`` known names and exclusions."""
        old = self.current
        if old is None or old.locked or old.edited:
            return None
        settled, out = self.unknown_counts.settle(self.repeated_texts.repeated)
        known = [*(old.body.known or ()), *settled]
        if not out or len(old.body.without) + len(out) > most:
            old.body = replace(old.body, known=known[:most]) if settled else old.body
            return None
        template = Template.from_dict(old.to_dict())
        template.body.known, template.body.without = known[:most], [*old.body.without, *out]
        template.version = self._next_version()
        self.trust(template)
        self._add_version(template)
        return template

    def _add_version(self, template: Template) -> None:
        """Add a version. The latest ones are kept, and the one that answers, however old it is: a
        person may have locked it."""
        self.versions = sorted([*self.versions, template], key=lambda version: version.version)
        oldest, answers = self.versions[:-_VERSIONS], self.current
        self.versions = [version for version in oldest if version is answers] + self.versions[
            -_VERSIONS:
        ]

    def _next_version(self) -> int:
        return max((version.version for version in self.versions), default=0) + 1

    def drift(self) -> None:
        """Withdraw the current version, unless it is locked, and start to collect samples for the
        next one."""
        if (current := self.current) is not None:
            current.state = current.state if current.locked else TemplateState.DRIFTING
            self.suspect = 0 if self.monitor.agreed else current.version
        self.samples = self.samples if self.checked >= REFINE else []
        self.monitor, self.collected = Monitor(), len(self.samples)

    def end_of_suspicion(self) -> int:
        """The version that a redesign outdated; 0 if none was suspected, or if the new version has
        a container that this or an earlier one had: then only pages unlike the others had raised
        the suspicion."""
        old, new, self.suspect = self.suspect, self.current, 0
        if new is None or not new.is_trusted or new.version <= old:
            return old
        places = {
            place
            for version in self.versions
            if version.version <= old
            for place in version.body.addresses
        }
        return 0 if new.body.addresses[0] in places else old

    def keep_doubtful(self, sample: PageGuess | None) -> None:
        """Keep a page on which the trusted version failed; several such pages become the samples of
        the next version. None for a page that agreed: the kept pages are discarded if later ones
        agreed."""
        if self.checked >= REFINE and (sample or not self.monitor.uneasy):
            self.samples = [*self.samples, sample][-ENOUGH[-1] :] if sample else []

    def to_dict(self, *, template: bool = True) -> dict[str, Any]:
        """The family as JSON holds it; :meth:`template_to_dict` apart without ``template``, since
        few pages change it."""
        return {
            **{name: getattr(self, name) for name in ("name", *_COUNTS)},
            "size": self.cluster.size,
            "core": {str(path): count for path, count in sorted(self.cluster.counts.items())},
            "monitor": asdict(self.monitor),
            **(self.template_to_dict() if template else {}),
        }

    def template_to_dict(self) -> dict[str, Any]:
        """The template's versions, and what pages that were compared with the extractor showed."""
        versions = [version.to_dict() for version in self.versions]
        return {
            "versions": versions,
            "echoes": self.repeated_texts.to_dict(),
            "tally": self.unknown_counts.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> TemplateFamily:
        """The family of a document. Raises TemplateError, KeyError, TypeError or ValueError if it
        is damaged."""
        usual = asdict(Monitor())  # older documents lack some of it
        numbers: dict[str, Any] = {name: int(data.get(name, 0)) for name in _COUNTS}
        counts = Counter({int(path): int(count) for path, count in data["core"].items()})
        return cls(
            str(data["name"]),
            cluster=Cluster(counts, int(data["size"])),
            versions=[Template.from_dict(version) for version in data["versions"]],
            monitor=Monitor(
                **{name: type(one)(data["monitor"].get(name, one)) for name, one in usual.items()}
            ),
            **numbers,
            repeated_texts=RepeatedTexts.from_dict(data["echoes"])
            if "echoes" in data
            else RepeatedTexts(),
            unknown_counts=UnknownElementCounts.from_dict(data.get("tally", {})),
        )


def _renamed(extra: dict[str, Field], versions: Sequence[Template]) -> dict[str, Field]:
    """Extra fields under the names that a person gave them in an edited version."""
    rules = [
        (name, old) for version in versions if version.edited for name, old in version.extra.items()
    ]
    given = {(next(iter(old.sources)), old.label): name for name, old in rules}
    return {
        given.get((next(iter(rule.sources)), rule.label), name): rule
        for name, rule in extra.items()
    }


def with_template(families: Sequence[TemplateFamily]) -> list[TemplateFamily]:
    """Template families that have a version that answers: those whose template is trusted first, of
    these the most used first."""
    able = [(family.current.is_trusted, family) for family in families if family.current]
    return [family for _, family in sorted(able, key=lambda one: (-one[0], -one[1].uses))]
