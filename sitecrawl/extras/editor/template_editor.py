"""The template editor's work: the pages of a trial, what a click says of an element, saving and rolling back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sitecrawl.errors import TemplateError
from sitecrawl.extras.editor.drawing import draw
from sitecrawl.extras.editor.server import render
from sitecrawl.extras.editor.template_trial import ROLES, TemplateTrial

_KEYS = {role: role[0] for role in ROLES}


@dataclass(slots=True)
class TemplateEditor:
    """Edits a template; see ``EditorPages``."""

    trial: TemplateTrial

    def page(self, number: int) -> str:
        trial = self.trial
        return render(
            "template.html",
            number=number,
            site=trial.model.site,
            name=trial.name,
            pages=trial.pages,
            drawn=draw(trial.pages[number], every=True),
            roles=_KEYS,
        )

    def act(self, number: int, action: str, asked: dict[str, Any]) -> dict[str, Any]:
        trial, told = self.trial, ""
        if action == "say":
            try:
                trial.assign(number, int(asked["element"]), str(asked["role"]))
            except TemplateError as error:
                told = f"{error.reason}: {error.remedy}"
        elif action == "undo":
            trial.undo()
        elif action == "save":
            told = trial.save()
        elif action == "rollback":
            told = trial.roll_back(int(asked["version"]))
        elif action != "state":
            raise LookupError(action)
        return trial.state(number) | {"told": told}
