"""The label editor's work: the sheets of a desk, what is said of their links, and models trained from that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sitecrawl.items.kinds import LinkLabel
from sitecrawl.labels.desk import Desk
from sitecrawl.labels.drawing import draw
from sitecrawl.labels.server import render
from sitecrawl.labels.trial import Trial
from sitecrawl.urls.scope import host_of


@dataclass(slots=True)
class LinkWork:
    """Labels links; see ``Work``."""

    desk: Desk
    trial: Trial

    def page(self, number: int) -> str:
        sheet = self.desk.sheets[number]
        return render(
            "label.html",
            sheet=sheet,
            number=number,
            sheets=self.desk.sheets,
            drawn=draw(sheet.page),
            groups=sheet.listed_groups(self.desk.evidence(sheet.site)),
            labels=list(LinkLabel),
        )

    def act(self, number: int, action: str, asked: dict[str, Any]) -> dict[str, Any]:
        sheet = self.desk.sheets[number]
        told = ""
        if action in ("save", "train"):
            told = (
                "; ".join(f"wrote {path}: {pages} page(s)" for path, pages in self.desk.save()) or "nothing to save yet"
            )
        if action == "say":
            label = asked["label"]
            sheet.say(map(int, asked["links"]), LinkLabel(label) if label else None)
        elif action == "rest":
            sheet.accept_rest(self.desk.evidence(sheet.site))
        elif action == "undo":
            sheet.undo()
        elif action == "train":
            self.trial.start([one.site for one in self.desk.sheets if one.said])
        elif action in ("use", "use-here"):
            site = host_of(sheet.page.url) if action == "use-here" else ""
            written = self.trial.use(site)
            self.desk.guess_with(self.trial.old)
            whose = f"of {site}" if action == "use-here" else "that are started in its folder"
            told = f"wrote {written}; crawls {whose} use it, or name it with SITECRAWL_LINK_MODEL"
        elif action == "teach":
            told = f"the next crawls of {', '.join(self.desk.teach()) or 'no site'} know these labels"
        elif action not in ("save", "state"):
            raise LookupError(action)
        if action in ("say", "rest", "undo"):
            self.desk.saved = False
        shown = {"told": told, "saved": self.desk.saved, "trial": self.trial.state(), "pages": self._pages()}
        return sheet.state(self.desk.evidence(sheet.site)) | shown

    def _pages(self) -> list[dict[str, Any]]:
        """For each page its targets with a label, its targets, and how sure the least certain one is, 0..1."""
        told = {site: self.desk.evidence(site) for site in {sheet.site for sheet in self.desk.sheets}}
        return [
            {
                "said": len(sheet.said),
                "of": len(sheet.targets.facts),
                "sure": round(float(sheet.sureness(told[sheet.site]).min(initial=1.0)), 3),
            }
            for sheet in self.desk.sheets
        ]
