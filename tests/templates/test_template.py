"""Template documents: round trip, and refusal of what is damaged or not ours."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sitecrawl.errors import TemplateError
from sitecrawl.templates.induction.induce import induce
from sitecrawl.templates.template import Template
from tests.templates.samples import english


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    template = induce(english(4), "news.example")
    assert template is not None
    return template.to_dict()


def test_a_document_goes_round_through_json(document: dict[str, Any]) -> None:
    again = Template.from_dict(json.loads(json.dumps(document)))
    assert again.to_dict() == document


def test_a_document_is_small_and_readable(document: dict[str, Any]) -> None:
    assert len(json.dumps(document)) < 8000
    assert document["protocol"] == 1
    assert document["fields"]["headline"]["sources"]


@pytest.mark.parametrize(
    ("path", "value"),
    [(("protocol",), 99), (("state",), "wonderful"), (("body", "addresses"), ["document('x')"]), (("body", "without"), "p"),
     (("fields", "headline", "sources"), ["os:system"]), (("signature",), ["x"]), (("statistics",), None), (("body",), None)],
)  # fmt: skip
def test_damaged_documents_are_refused(
    document: dict[str, Any], path: tuple[str, ...], value: object
) -> None:
    copy = json.loads(json.dumps(document))
    at = copy
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    with pytest.raises(TemplateError, match=r"news\.example"):
        Template.from_dict(copy)


@pytest.mark.parametrize("data", [None, [], {}, "x", {"protocol": 1}])
def test_foreign_documents_are_refused(data: object) -> None:
    with pytest.raises(TemplateError):
        Template.from_dict(data)
