"""A family and the states of its versions, which change in one module."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from sitecrawl.items.kinds import TemplateState
from sitecrawl.templates.apply import apply
from sitecrawl.templates.family import Cluster, TemplateFamily
from sitecrawl.templates.template import Body, Template
from sitecrawl.templates.unknown_elements import UnknownElementCounts
from tests.pages import article_page
from tests.source import modules, tree_of
from tests.templates.samples import english, sample


def _family(*states: TemplateState) -> TemplateFamily:
    versions = [
        Template("s", "t", Body([".//p"]), version=n + 1, state=state)
        for n, state in enumerate(states)
    ]
    return TemplateFamily("t", versions=versions)


def _states(family: TemplateFamily) -> list[str]:
    return [version.state.value for version in family.versions]


def test_states_change_in_the_family_alone() -> None:
    rooms = ("sitecrawl.templates", "sitecrawl.site", "sitecrawl.crawl", "sitecrawl.commands")
    writers = {
        name
        for name, path in modules().items()
        if name.startswith(rooms)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute)
        and node.attr == "state"
        and isinstance(node.ctx, ast.Store)
        if not (isinstance(node.value, ast.Name) and node.value.id == "self")
    }
    of_urls = {"sitecrawl.crawl.ledger"}  # its rows have a state of their own
    assert writers - of_urls == {"sitecrawl.templates.family"}


def test_one_version_is_trusted() -> None:
    family = _family(TemplateState.TRUSTED, TemplateState.DRIFTING, TemplateState.CANDIDATE)
    family.trust(family.versions[2])
    assert _states(family) == ["replaced", "replaced", "trusted"]
    family.trust(family.versions[0])
    assert _states(family) == ["trusted", "replaced", "replaced"]
    assert family.current is family.versions[0]


def test_a_person_s_version_answers_and_unlocks_the_others() -> None:
    family = _family(TemplateState.TRUSTED)
    family.versions[0].locked = True
    family.put(Template("s", "t", Body([".//div"])))
    assert family.current is family.versions[1]
    assert (family.versions[1].version, family.versions[1].edited, family.versions[0].locked) == (
        2,
        True,
        False,
    )


def test_drift_leaves_a_locked_version_alone() -> None:
    family = _family(TemplateState.REPLACED, TemplateState.TRUSTED)
    family.versions[1].locked = True
    family.drift()
    assert not family.drifting
    family.versions[1].locked = False
    family.drift()
    assert family.drifting
    assert family.current is None


def test_a_version_rolled_back_to_can_drift() -> None:
    family = _family(TemplateState.REPLACED, TemplateState.TRUSTED)
    family.trust(family.versions[0])
    family.drift()
    assert family.drifting


def test_what_was_edited_is_not_replaced_by_induction() -> None:
    family = TemplateFamily("t", samples=list(english(4)))
    family.put(Template("s", "t", Body([".//div"])))
    induced = family.induce("s", "2024-05-06")
    assert induced is not None
    assert (induced.state, induced.created) == (TemplateState.CANDIDATE, "2024-05-06")
    assert family.current is family.versions[0]


def test_a_locked_version_answers_however_many_are_induced_after_it() -> None:
    family = TemplateFamily("t", samples=list(english(4)))
    family.put(Template("s", "t", Body([".//div"])))
    family.versions[0].locked = True
    for _ in range(12):
        assert family.induce("s") is not None
    assert family.current is family.versions[0]
    assert [version.version for version in family.versions] == [1, *range(4, 14)]


def test_paths_of_single_pages_do_not_pile_up() -> None:
    cluster = Cluster()
    for number in range(2_000):
        common = [
            path for path in range(60) if path % 2 or number % 3
        ]  # half of them are on two pages in three
        cluster.add(frozenset(common) | {1_000 + 5 * number + k for k in range(5)})
    assert cluster.core == frozenset(range(60))
    assert len(cluster.counts) <= 2_000


def test_names_that_many_pages_settle_are_known_beside_all_others() -> None:
    known = [f"div.part-{number}" for number in range(150)]
    template = Template("s", "t", Body([".//div"], known=known), state=TemplateState.TRUSTED)
    counts = UnknownElementCounts(Counter({"ul.notes": 6}), {"ul.notes": [(1, 30.0)]})
    family = TemplateFamily("t", versions=[template], unknown_counts=counts)
    assert family.learn_unknown_elements() is None
    assert template.body.known == [*known, "ul.notes"]


@pytest.mark.parametrize(
    "change",
    [
        ("", ""),
        (
            '<div class="side">',
            '<div class="side"><p>What many people read today, and what they looked for.</p>',
        ),
        ("number 2 opens to cyclists</h1>", "number 2 opens to cyclists (print)</h1>"),
        ('</div>\n<div class="share">', '<p>Read 1,234 times</p></div>\n<div class="share">'),
    ],
    ids=["the same page", "other teasers beside it", "a print version", "a line more"],
)
@pytest.mark.parametrize("at", [0, 2])
def test_a_text_at_two_urls_is_one_sample(change: tuple[str, str], at: int) -> None:
    family, pages = TemplateFamily("t"), english(4)
    copy = sample(article_page(2).replace(*change), "http://news.example/print/2.html")
    enough = [family.add(one) for one in [*pages[:at], copy, *pages[at:]]]
    assert enough == [False] * 4 + [True]
    assert [one.page.url for one in family.samples] == [
        one.page.url for one in [*pages[:at], *pages[at:]] if one
    ]
    template = family.induce("news.example")
    assert template is not None
    for number in (2, 3):
        body = apply(template, sample(article_page(number)).page).article.articleBody
        assert body.count(f"paragraph of story {number}") == 3 + number % 2


def test_one_notice_below_different_headlines_is_no_copy() -> None:
    notice = (
        "<p>You need to be a member to read this story: join us today, it takes a minute and costs nothing.</p>"
        * 3
    )
    pages = [f"<body><h1>Story of day {n}</h1><div>{notice}</div></body>" for n in range(3)]
    family = TemplateFamily("t")
    for number, html in enumerate(pages):
        family.add(sample(html, f"http://news.example/{number}.html"))
    assert len(family.samples) == 3
