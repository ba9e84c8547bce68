"""The measures of CONTRIBUTING.md that a program can take: attributes of classes, arguments, names,
exceptions.

``ALLOWED`` tables hold what does not keep a rule yet, or never will, with the limit that it must
keep instead."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable

from tests.source import (
    attributes,
    classes,
    functions,
    mixed_tuples,
    modules,
    positional,
    tree_of,
)

FILES = modules()

MOST_ATTRIBUTES = 12
MOST_POSITIONAL = 2
"""Arguments that may be passed by position, besides self and cls; those after them are
keyword-only."""

ALLOWED_ATTRIBUTES = {
    "Article": 30,  # the fields of an item are the interface
    "Limits": 49,  # every bound against hostile input, in one place
    "Visit": 30,  # the fields of a line of the visit log
    "Watched": 14,  # a row of the schedule
    "CrawlSettings": 16,  # one field a setting
    "CrawlArguments": 16,  # one field an argument
    "RequestContext": 23,  # stored as one document, as the next one is
    "ArticleRecord": 19,
    "Template": 17,
    "Metadata": 13,  # what a page says of itself for machines, in one place
}
ALLOWED_POSITIONAL = 25
"""Functions with more positional arguments than allowed."""
ALLOWED_TUPLES = 4
"""Arguments that are a tuple of mixed types."""
ALLOWED_CLASS_NAMES: set[str] = set()
ALLOWED_BASENAMES = {"__init__", "__main__", "templates"}
FOREIGN = frozenset(
    """__exit__ __aexit__ process_request process_response process_exception _export_xml_field
    resolveHostName _parse_robots serialize_field load_http_headers""".split()
)
"""Methods whose signature a framework dictates."""


def repeated(names: Iterable[tuple[str, str]], allowed: set[str]) -> dict[str, list[str]]:
    """Names that stand in more than one place, with the places."""
    found = defaultdict(list)
    for name, place in names:
        found[name].append(place)
    return {
        name: places for name, places in found.items() if len(places) > 1 and name not in allowed
    }


def test_classes_hold_few_attributes() -> None:
    for name, path in FILES.items():
        for one in classes(path):
            count = len(attributes(one))
            assert count <= ALLOWED_ATTRIBUTES.get(one.name, MOST_ATTRIBUTES), (
                f"{name}.{one.name}: {count} attributes"
            )


def test_arguments_are_named_from_the_third_on() -> None:
    found = [
        f"{name}.{one.name}"
        for name, path in FILES.items()
        for one in functions(path)
        if len(positional(one)) > MOST_POSITIONAL and one.name not in FOREIGN
    ]
    assert len(found) <= ALLOWED_POSITIONAL, f"keyword-only from the third argument (*): {found}"


def test_no_tuple_smuggles_arguments() -> None:
    found = [
        f"{name}.{one.name}({argument})"
        for name, path in FILES.items()
        for one in functions(path)
        for argument in mixed_tuples(one)
    ]
    assert len(found) <= ALLOWED_TUPLES, f"a record or separate arguments instead: {found}"


def test_a_class_name_and_a_file_name_occur_once() -> None:
    assert not repeated(
        ((one.name, name) for name, path in FILES.items() for one in classes(path)),
        ALLOWED_CLASS_NAMES,
    )
    assert not repeated(((path.stem, name) for name, path in FILES.items()), ALLOWED_BASENAMES)


def test_no_broad_except() -> None:
    for name, path in FILES.items():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ExceptHandler):
                caught = ast.unparse(node.type) if node.type else "everything"
                assert caught not in ("everything", "Exception", "BaseException"), (
                    f"{name}:{node.lineno} catches {caught}"
                )
