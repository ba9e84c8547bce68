"""A family and the states of its versions, which change in one module."""

from __future__ import annotations

import ast

from sitecrawl.items.kinds import TemplateState
from sitecrawl.templates.family import Family
from sitecrawl.templates.template import Body, Template
from tests.source import modules, tree_of
from tests.templates.samples import english


def _family(*states: TemplateState) -> Family:
    versions = [Template("s", "t", Body([".//p"]), version=n + 1, state=state) for n, state in enumerate(states)]
    return Family("t", versions=versions)


def _states(family: Family) -> list[str]:
    return [version.state.value for version in family.versions]


def test_states_change_in_the_family_alone() -> None:
    rooms = ("sitecrawl.templates", "sitecrawl.site", "sitecrawl.crawl", "sitecrawl.commands")
    writers = {
        name
        for name, path in modules().items()
        if name.startswith(rooms)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute) and node.attr == "state" and isinstance(node.ctx, ast.Store)
        if not (isinstance(node.value, ast.Name) and node.value.id == "self")
    }
    assert writers == {"sitecrawl.templates.family"}


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
    assert (family.versions[1].version, family.versions[1].edited, family.versions[0].locked) == (2, True, False)


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
    family = Family("t", samples=list(english(4)))
    family.put(Template("s", "t", Body([".//div"])))
    induced = family.induce("s", "2024-05-06")
    assert induced is not None
    assert (induced.state, induced.created) == (TemplateState.CANDIDATE, "2024-05-06")
    assert family.current is family.versions[0]
