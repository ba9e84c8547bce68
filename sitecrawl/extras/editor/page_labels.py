"""One section page that is being labelled: guesses of the model, labels given by the person, and
predictions from both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from sitecrawl.dom.page import Page
from sitecrawl.extras.editor.drawing import end_of
from sitecrawl.extras.training.dataset import LABEL_OF, LabelledPage, Labels, codes
from sitecrawl.items.kinds import LinkLabel
from sitecrawl.links.classify import KIND_OF_LABEL, LABELS, Profile, groups_of
from sitecrawl.links.facts import PageFacts, page_facts
from sitecrawl.links.groups import Matrix
from sitecrawl.links.link_features import Targets, target_features
from sitecrawl.links.link_model import LinkModel
from sitecrawl.urls.canonical import url_key

Given = dict[int, LinkLabel]


@dataclass(slots=True)
class PageLabels:
    """A page and the labels of its targets (links to one URL are one target and share a label).
    ``past`` holds the states for undo."""

    page: Page
    facts: PageFacts
    targets: Targets
    guess: Matrix
    groups: list[str]  # group of each target
    given: Given = field(default_factory=dict)
    past: list[Given] = field(default_factory=list)
    stored: Given = field(
        default_factory=dict
    )  # the labels in its records, when they were read or written last

    @classmethod
    def of(cls, page: Page, model: LinkModel) -> PageLabels:
        """A page without labels, with the guesses of a model."""
        facts = page_facts(page)
        targets = target_features(facts)
        return cls(page, facts, targets, model.probabilities(targets), groups_of(facts, targets))

    @property
    def site(self) -> str:
        """The host, which names the file of records."""
        return urlsplit(self.page.url).hostname or "site"

    def labels_of(self, urls: Iterable[str], labels: Labels) -> Given:
        """The targets of labels from a feed, a file or an earlier session by URL; unknown URLs are
        ignored."""
        pairs = zip(urls, labels.tolist(), strict=True)
        known = {url_key(url): LABEL_OF[code] for url, code in pairs if code in LABEL_OF}
        links = (
            (target, url_key(self.facts.urls[link]))
            for link, target in enumerate(self.targets.of_link.tolist())
        )
        return {target: known[url] for target, url in links if target >= 0 and url in known}

    def merge(self, stored: Given) -> None:
        """Take over what another editor changed in the records; where both changed a label, that of
        this one counts."""

        def merged(given: Given) -> Given:
            theirs = {
                target: label
                for target, label in stored.items()
                if target in given or target not in self.stored
            }
            return theirs | {
                target: label for target, label in given.items() if label != self.stored.get(target)
            }

        self.past, self.given, self.stored = [*map(merged, self.past)], merged(self.given), stored

    def set_label(self, links: Iterable[int], label: LinkLabel | None) -> None:
        """Label links; None removes their labels. Raises IndexError for an unknown link."""
        named, target_of = list(links), self.targets.of_link
        if not all(0 <= link < len(target_of) for link in named):
            raise IndexError("no such link")
        self._change(
            self.given | dict.fromkeys({int(target_of[link]) for link in named} - {-1}, label)
        )

    def accept_rest(self, evidence: Profile) -> None:
        """Give all unlabelled targets their predicted labels."""
        self._change(dict(enumerate(map(_best, self.predicted(evidence)))) | self.given)

    def _change(self, given: dict[int, Any]) -> None:
        self.past.append(self.given)
        self.given = {target: label for target, label in given.items() if label}

    def undo(self) -> None:
        if self.past:
            self.given = self.past.pop()

    def forget(self) -> None:
        """Take all labels back, also those in the records."""
        self._change({})
        self.stored = {}

    def add_evidence(self, evidence: Profile, added: set[tuple[str, str]]) -> None:
        """Add the labels to the evidence of the site as if its pages had been fetched; those in
        ``added`` are skipped."""
        for target, label in self.given.items():
            url, kind = self.facts.urls[int(self.targets.first[target])], KIND_OF_LABEL[label]
            if (url, label) not in added:
                evidence.record_label(
                    url, self.groups[target], kind=kind, guess=self.guess[target].tolist()
                )
                added.add((url, label))

    def predicted(self, evidence: Profile) -> Matrix:
        """Probabilities of the targets with the evidence of the site, targets x 3."""
        return (
            evidence.adapt(self.guess, self.groups, facts=self.targets.facts)
            if evidence
            else self.guess
        )

    def state(self, evidence: Profile) -> dict[str, Any]:
        """What the browser shows: for each link its label, its probability (0..1, None if it leads
        to no page) and whether a person gave it; counts, and in ``right`` the number of labels that
        the model had guessed."""
        found = self.predicted(evidence)
        shown: dict[int, tuple[str, float | None, bool]] = {-1: (LinkLabel.OTHER, None, False)}
        shown |= {
            at: (_best(row), round(float(row.max()), 3), False) for at, row in enumerate(found)
        }
        shown |= {target: (label, 1.0, True) for target, label in self.given.items()}
        return {
            "links": [shown[target] for target in self.targets.of_link.tolist()],
            "said": len(self.given),
            "of": len(self.targets.facts),
            "right": sum(
                _best(self.guess[target]) is label for target, label in self.given.items()
            ),
            "undo": bool(self.past),
        }

    def sureness(self, evidence: Profile) -> Matrix:
        """Probability of the best label of each target; 1 if a person gave it."""
        best: Matrix = self.predicted(evidence).max(axis=1, initial=0.0)
        best[list(self.given)] = 1.0
        return best

    def listed_groups(self, evidence: Profile | None = None) -> list[dict[str, Any]]:
        """Groups of links, the least certain first: link numbers, the lowest probability of an
        unlabelled link, names of some links. The lowest counts, because a mean hides a few wrong
        links in a long list."""
        members: dict[str, list[int]] = {}
        for link, target in enumerate(self.targets.of_link.tolist()):
            if target >= 0:
                members.setdefault(self.groups[target], []).append(link)
        best = self.sureness(evidence or Profile())
        sure = {
            path: float(best[self.targets.of_link[links]].min()) for path, links in members.items()
        }
        return [
            {
                "path": path,
                "links": links,
                "sure": sure[path],
                "names": list(map(self._name, links[:3])),
            }
            for path, links in sorted(members.items(), key=lambda one: sure[one[0]])
        ]

    def _name(self, link: int) -> str:
        return (self.facts.texts[link] if self.facts.texts else "") or end_of(self.facts.urls[link])

    def record(self) -> LabelledPage:
        """The page as a training record: unlabelled links are unknown, links that lead to no page
        are other."""
        target_of = self.targets.of_link.tolist()
        names = (
            self.given.get(target, "unknown") if target >= 0 else LinkLabel.OTHER
            for target in target_of
        )
        return LabelledPage(self.site, self.site, self.facts, codes(names))


def _best(probabilities: Matrix) -> LinkLabel:
    return LABELS[int(probabilities.argmax())]
