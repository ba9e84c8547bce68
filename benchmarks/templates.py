"""How nine redesigns of a site are met: forty pages before the change, forty after."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.harness import asked, word_f1
from sitecrawl.site.model import SiteModel
from tests.redesigns import REDESIGNS, body_of, page


def main(arguments: list[str]) -> None:
    """Prints wrong pages without a flag, and pages until a new template serves."""
    asked(__doc__, arguments)
    print(f"{'redesign':30} false alarms  wrong unflagged  empty or navigation  new template after  right after it")
    for name, change in REDESIGNS.items():
        print(f"{name:30} {_redesign_row(change)}")


def _redesign_row(change: Callable[[str], str]) -> str:
    model, alarms, wrong, empty, served, right = SiteModel(), 0, 0, 0, 0, []
    for number in range(80):
        html = page(number) if number < 40 else change(page(number))
        verdict = model.observe(html, f"http://news.example/{number}.html", 0.95)
        alarms += number < 40 and any(event.kind == "drifting" for event in verdict.events)
        if number < 40 or verdict.article is None:
            continue
        method, text = verdict.article.provenance.method, verdict.article.articleBody
        score = word_f1(body_of(number), text)
        wrong += method == "template" and score < 0.8
        empty += method == "template" and score < 0.2
        if method == "template" and score >= 0.95:
            served = served or number - 40
            right.append(score)
    return f"{alarms:12}  {wrong:15}  {empty:19}  {served:18}  {len(right)}"
