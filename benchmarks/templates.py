"""How nine redesigns of a site are met: forty pages before the change, forty after."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.harness import Table, asked, word_f1
from sitecrawl.site.model import SiteModel
from tests.redesigns import REDESIGNS, body_of, page


def main(arguments: list[str]) -> None:
    """Prints wrong pages without a flag, and pages until a new template serves."""
    asked(__doc__, arguments)
    table = Table("redesign")
    for name, change in REDESIGNS.items():
        table.add(name, **counted(change))


def counted(change: Callable[[str], str]) -> dict[str, int]:
    """What became of forty pages of each design; ``new_template_after`` counts pages until a
    template serves the new one."""
    model, names = (
        SiteModel(),
        ("false_alarms", "wrong_unflagged", "empty", "new_template_after", "right"),
    )
    found = dict.fromkeys(names, 0)
    for number in range(80):
        html = page(number) if number < 40 else change(page(number))
        verdict = model.observe(html, f"http://news.example/{number}.html", 0.95)
        found["false_alarms"] += number < 40 and any(
            event.kind == "drifting" for event in verdict.events
        )
        if (
            number >= 40
            and verdict.article is not None
            and verdict.article.provenance.method == "template"
        ):
            score = word_f1(body_of(number), verdict.article.articleBody)
            found["wrong_unflagged"] += score < 0.8
            found["empty"] += score < 0.2
            found["right"] += score >= 0.95
            found["new_template_after"] = found["new_template_after"] or (number - 40) * (
                score >= 0.95
            )
    return found
