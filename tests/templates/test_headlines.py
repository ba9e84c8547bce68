"""The pages of a site decide together which text is the headline."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sitecrawl.dom.align import Names
from sitecrawl.extract.single import Extraction
from sitecrawl.items.kinds import Headline
from sitecrawl.templates.aligned_pages import align_pages
from sitecrawl.templates.field_spec import induce_field
from sitecrawl.templates.field_values import read
from sitecrawl.templates.induction.article_fields import HeadlineSpec
from tests.templates.samples import sample

BANNER = "Details of the news"


class Swayed:
    """An extraction whose first headline on every page is a text that all pages have."""

    def __init__(self, one: Extraction) -> None:
        self.guess = one

    def __getattr__(self, name: str) -> Any:
        return getattr(self.guess, name)

    @property
    def headlines(self) -> list[Headline]:
        likely = {one.text: one for one in self.guess.headlines}
        right = next(one for text, one in likely.items() if text and text.startswith("Bridge"))
        return [Headline(BANNER, "h2", score=0.97), replace(right, score=0.03)]


def page(number: int) -> str:
    prose = "".join(
        f"<p>Story {number} tells in sentence {k}, at length, who paid for the bridge.</p>"
        for k in range(6)
    )
    return f"""<html><head><title>The Example</title></head><body><h2>{BANNER}</h2><div class="t">Bridge {number} opens for all</div>
<div>2024-05-0{number} {BANNER}</div><div class="text">{prose}</div></body></html>"""


@pytest.mark.parametrize("count", [2, 3, 8])
def test_a_text_of_all_pages_is_no_headline(count: int) -> None:
    samples = [sample(page(n), f"http://news.example/{n}.html") for n in range(1, count + 1)]
    swayed = [Swayed(one) for one in samples]
    names = Names([one.page.document for one in swayed])
    rule = induce_field(HeadlineSpec(align_pages(swayed), names))
    assert rule is not None
    assert [read(next(iter(rule.sources)), one.page) for one in samples] == [
        f"Bridge {n} opens for all" for n in range(1, count + 1)
    ]
