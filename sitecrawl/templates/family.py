"""A family: the pages of one template of a site, the samples that wait for it, and its versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sitecrawl.items.kinds import TemplateState
from sitecrawl.templates.cluster import Cluster
from sitecrawl.templates.induction.induce import induce
from sitecrawl.templates.sheet import Sample
from sitecrawl.templates.strangers import Echoes, Tally
from sitecrawl.templates.template import Field, Template
from sitecrawl.templates.verify import TRUSTED, Monitor, held_out

_WAITING = 12
ENOUGH = (4, 6, 8, 12)
"""Numbers of waiting samples at which an induction is tried."""
_VERSIONS = 10
_RULES = 100
"""Names and exclusions of one template that are learned while it answers."""
REFINE = 4
"""Pages of a newly trusted template that are checked, and that it is induced again with."""


@dataclass(slots=True)
class Family:
    """``versions`` oldest first; ``samples`` are kept only until a version is trusted and refined.

    ``echoes`` are lines of the pages that were compared, ``tally`` what elements turned out to be that the template did not know.
    """

    name: str
    cluster: Cluster = field(default_factory=Cluster)
    samples: list[Sample] = field(default_factory=list)
    versions: list[Template] = field(default_factory=list)
    monitor: Monitor = field(default_factory=Monitor)
    uses: int = 0
    collected: int = 0
    checked: int = 0
    echoes: Echoes = field(default_factory=Echoes)
    tally: Tally = field(default_factory=Tally)

    @property
    def current(self) -> Template | None:
        """The version that answers: trusted or locked, else the newest candidate."""
        for wanted in (TemplateState.TRUSTED, TemplateState.CANDIDATE):
            for version in reversed(self.versions):
                if version.state == wanted or version.locked:
                    return version
        return None

    @property
    def drifting(self) -> bool:
        """Whether the site changed and no version answers since."""
        return bool(self.versions) and self.current is None

    def add(self, sample: Sample) -> bool:
        """Keep a sample for induction; True when there are enough for a try."""
        self.collected += 1
        self.samples = [*self.samples, sample][-_WAITING:]
        return self.collected in ENOUGH or (self.collected > ENOUGH[-1] and self.collected % _WAITING == 0)

    def induce(self, site: str, created: str = "") -> Template | None:
        """Induce the next version from the waiting samples; it is trusted when it holds on held-out pages.

        What a person locked or edited stays the version that answers.
        """
        template = induce(self.samples, site, self.name)
        if template is None:
            return None
        template.extra = _renamed(template.extra, self.versions)
        template.version = self._next_version()
        template.created = created
        template.statistics["held_out"] = held_out(self.samples, template)
        old = self.current
        if old is None or not (old.locked or old.edited):
            self._adopt(template)
        self.versions = [*self.versions, template][-_VERSIONS:]
        return template

    def _adopt(self, template: Template) -> None:
        """Let a new version that held on held-out pages replace the others; else it is the one candidate."""
        if template.statistics["held_out"] >= TRUSTED:
            self.trust(template)
            self.monitor, self.checked = Monitor(), 0
        else:
            self.versions = [version for version in self.versions if version.state != TemplateState.CANDIDATE]

    def trust(self, template: Template) -> None:
        """Let ``template`` answer from now on, in place of every other version."""
        for version in self.versions:
            version.state = TemplateState.REPLACED
        template.state = TemplateState.TRUSTED

    def put(self, template: Template) -> None:
        """Take in a version that a person made; it answers from now on, locks of others are off."""
        for version in self.versions:
            version.locked = False
        template.version, template.edited = self._next_version(), True
        self.trust(template)
        self.versions.append(template)

    def take_in(self, template: Template) -> None:
        """Take in a version as a document has it: one that was trusted answers from now on if it is the newest, else it is history."""
        if any(version.version == template.version for version in self.versions):
            template.version = self._next_version()
        newest = template.version >= self._next_version()
        if template.state is TemplateState.TRUSTED and newest:
            self.trust(template)
        elif template.state is TemplateState.TRUSTED:
            template.state = TemplateState.REPLACED
        self.versions = sorted([*self.versions, template], key=lambda version: version.version)[-_VERSIONS:]

    def refine(self, sample: Sample, site: str, created: str = "") -> Template | None:
        """Take in a page that was checked; once there are enough of them the template is induced again from all.

        The new version is returned; None while more pages are wanted, or where it holds no better. A page that it was induced from says nothing.
        """
        if sample.page.url and any(sample.page.url == one.page.url for one in self.samples):
            return None
        self.checked += 1
        if not self.samples or self.checked > REFINE:
            return None  # what is kept then are doubts
        self.samples = [*self.samples, sample][-_WAITING:]
        old = self.current
        if self.checked < REFINE or old is None or old.locked or old.edited:
            return None
        template = self._better(site, created)
        self.samples = []
        return template

    def _better(self, site: str, created: str) -> Template | None:
        kept = list(self.versions)
        template = self.induce(site, created)
        if template is not None and template.is_trusted:
            return template
        self.versions = kept
        return None

    def learn_strangers(self) -> Template | None:
        """A new version that knows the elements that began to stand in the body of several pages, or leaves them out; None as yet.

        What a person locked or edited stays as it is.
        """
        old = self.current
        if old is None or old.locked or old.edited:
            return None
        met, out = self.tally.settled(self.echoes.common)
        known = [*(old.body.known or ()), *met]
        if not out or len(old.body.without) + len(out) > _RULES:
            old.body.known = known[:_RULES] if met else old.body.known
            return None
        template = Template.from_dict(old.to_dict())
        template.body.known, template.body.without = known[:_RULES], [*old.body.without, *out]
        template.version = self._next_version()
        self.trust(template)
        self.versions = [*self.versions, template][-_VERSIONS:]
        return template

    def _next_version(self) -> int:
        return max((version.version for version in self.versions), default=0) + 1

    def drift(self) -> None:
        """Take the current version out of use; samples for the next one are collected from now on."""
        current = self.current
        if current is not None and not current.locked:
            current.state = TemplateState.DRIFTING
        self.samples = self.samples if self.checked >= REFINE else []
        self.monitor, self.collected = Monitor(), len(self.samples)

    def doubt(self, sample: Sample) -> None:
        """Keep a page that speaks against the trusted version: with others like it, it teaches the next one."""
        if self.checked >= REFINE:
            self.samples = [*self.samples, sample][-_WAITING:]

    def calm(self) -> None:
        """Forget the doubts where the pages since spoke for the version."""
        if self.checked >= REFINE and not self.monitor.uneasy:
            self.samples = []

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "uses": self.uses,
            "collected": self.collected,
            "checked": self.checked,
            "size": self.cluster.size,
            "core": {str(path): count for path, count in sorted(self.cluster.counts.items())},
            "monitor": self.monitor.to_dict(),
            "echoes": self.echoes.to_dict(),
            "tally": self.tally.to_dict(),
            "versions": [version.to_dict() for version in self.versions],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Family:
        """The family of a document. Raises TemplateError, KeyError, TypeError or ValueError when it is damaged."""
        family = cls(str(data["name"]), uses=int(data["uses"]))
        family.collected, family.checked = int(data.get("collected", 0)), int(data.get("checked", 0))
        family.cluster.size = int(data["size"])
        family.cluster.counts.update({int(path): int(count) for path, count in data["core"].items()})
        family.monitor = Monitor(
            float(data["monitor"]["level"]), int(data["monitor"]["seen"]), int(data["monitor"]["bad"])
        )
        family.echoes = Echoes.from_dict(data["echoes"]) if "echoes" in data else Echoes()
        family.tally = Tally.from_dict(data.get("tally", {}))
        family.versions = [Template.from_dict(version) for version in data["versions"]]
        return family


def _renamed(extra: dict[str, Field], versions: Sequence[Template]) -> dict[str, Field]:
    """Extra fields by the names that a person gave them in an edited version."""
    given = {
        (old.sources[0], old.label): name
        for version in versions
        if version.edited
        for name, old in version.extra.items()
    }
    return {given.get((rule.sources[0], rule.label), name): rule for name, rule in extra.items()}


def trusted(families: Sequence[Family]) -> list[Family]:
    """Families that can answer, the most used first."""
    return sorted((family for family in families if family.current), key=lambda family: -family.uses)
