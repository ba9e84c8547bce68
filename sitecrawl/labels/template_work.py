"""The template editor's work: the pages of a bench, what a click says of an element, saving and rolling back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sitecrawl.errors import TemplateError
from sitecrawl.labels.bench import ROLES, Bench
from sitecrawl.labels.drawing import draw
from sitecrawl.labels.server import render

_KEYS = {role: role[0] for role in ROLES}


@dataclass(slots=True)
class TemplateWork:
    """Edits a template; see ``Work``."""

    bench: Bench

    def page(self, number: int) -> str:
        bench = self.bench
        return render(
            "template.html",
            number=number,
            site=bench.model.site,
            name=bench.name,
            pages=bench.pages,
            drawn=draw(bench.pages[number], every=True),
            roles=_KEYS,
        )

    def act(self, number: int, action: str, asked: dict[str, Any]) -> dict[str, Any]:
        bench, told = self.bench, ""
        if action == "say":
            try:
                bench.say(number, int(asked["element"]), str(asked["role"]))
            except TemplateError as error:
                told = f"{error.reason}: {error.remedy}"
        elif action == "undo":
            bench.undo()
        elif action == "save":
            told = bench.save()
        elif action == "rollback":
            told = bench.roll_back(int(asked["version"]))
        elif action != "state":
            raise LookupError(action)
        return bench.state(number) | {"told": told}
