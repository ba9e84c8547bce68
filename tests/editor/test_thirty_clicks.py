"""The simulated person of `benchmarks.labels` on a site whose labels are the other way round."""

from __future__ import annotations

from benchmarks.labels import CLICKS, label
from sitecrawl.dom.parse import parse
from sitecrawl.extras.editor.page_labels import PageLabels
from sitecrawl.links.link_model import model_at
from tests.pages import listing_page

ARTICLE, OTHER = 2, 0


def labels_of(page: int) -> tuple[PageLabels, list[int]]:
    """A section page and its truth: the stories are other, all else is an article."""
    html = listing_page(range(12 * page, 12 * page + 12))
    page_labels = PageLabels.of(parse(html, f"http://news.example/city/{page}/"), model_at(""))
    return page_labels, [
        OTHER if "/a-" in fact.key else ARTICLE for fact in page_labels.targets.facts
    ]


def test_the_pages_not_labelled_are_right_after_thirty_clicks() -> None:
    (one, truth), (two, same) = labels_of(0), labels_of(1)
    clicks, evidence = label([one], [truth])
    assert 0 < clicks <= CLICKS
    told = [ARTICLE - 2 * (at == 2) for at in two.predicted(evidence).argmax(axis=1).tolist()]
    assert told == same
    assert [ARTICLE - 2 * (at == 2) for at in two.guess.argmax(axis=1).tolist()] != same
