"""The label editor's work: the pages of a session, what is said of their links, and models trained from that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sitecrawl.extras.editor.drawing import draw
from sitecrawl.extras.editor.label_session import LabelSession
from sitecrawl.extras.editor.server import render
from sitecrawl.extras.editor.training_trial import TrainingTrial
from sitecrawl.items.kinds import LinkLabel
from sitecrawl.urls.scope import host_of


@dataclass(slots=True)
class LinkEditor:
    """Labels links; see ``EditorPages``."""

    session: LabelSession
    trial: TrainingTrial

    def page(self, number: int) -> str:
        page_labels = self.session.pages[number]
        return render(
            "label.html",
            page_labels=page_labels,
            number=number,
            pages=self.session.pages,
            drawn=draw(page_labels.page),
            groups=page_labels.listed_groups(self.session.evidence(page_labels.site)),
            labels=list(LinkLabel),
        )

    def act(self, number: int, action: str, asked: dict[str, Any]) -> dict[str, Any]:
        page_labels = self.session.pages[number]
        told = ""
        if action in ("save", "train"):
            told = (
                "; ".join(f"wrote {path}: {pages} page(s)" for path, pages in self.session.save())
                or "nothing to save yet"
            )
        if action == "say":
            label = asked["label"]
            page_labels.set_label(map(int, asked["links"]), LinkLabel(label) if label else None)
        elif action == "rest":
            page_labels.accept_rest(self.session.evidence(page_labels.site))
        elif action == "undo":
            page_labels.undo()
        elif action == "train":
            self.trial.start([one.site for one in self.session.pages if one.given])
        elif action in ("use", "use-here"):
            site = host_of(page_labels.page.url) if action == "use-here" else ""
            written = self.trial.use(site)
            self.session.guess_with(self.trial.old)
            whose = f"of {site}" if action == "use-here" else "that are started in its folder"
            told = f"wrote {written}; crawls {whose} use it, or name it with SITECRAWL_LINK_MODEL"
        elif action == "teach":
            told = f"the next crawls of {', '.join(self.session.teach()) or 'no site'} know these labels"
        elif action not in ("save", "state"):
            raise LookupError(action)
        if action in ("say", "rest", "undo"):
            self.session.saved = False
        shown = {"told": told, "saved": self.session.saved, "trial": self.trial.state(), "pages": self._pages()}
        return page_labels.state(self.session.evidence(page_labels.site)) | shown

    def _pages(self) -> list[dict[str, Any]]:
        """For each page its targets with a label, its targets, and how sure the least certain one is, 0..1."""
        told = {site: self.session.evidence(site) for site in {page_labels.site for page_labels in self.session.pages}}
        return [
            {
                "said": len(page_labels.given),
                "of": len(page_labels.targets.facts),
                "sure": round(float(page_labels.sureness(told[page_labels.site]).min(initial=1.0)), 3),
            }
            for page_labels in self.session.pages
        ]
