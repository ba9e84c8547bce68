"""The measures of CONTRIBUTING.md, kept by a test: short functions, few arguments, typed."""

from __future__ import annotations

import ast
import statistics

import pytest

from tests.source import functions, modules

FILES = modules()


@pytest.mark.parametrize("name", sorted(FILES))
def test_functions_are_short(name: str) -> None:
    long = {function: length for function, length, _ in functions(FILES[name]) if length > 50}
    assert not long, f"{name}: {long}"


def test_most_functions_are_very_short() -> None:
    lengths = sorted(length for path in FILES.values() for _, length, _ in functions(path))
    assert statistics.median(lengths) <= 8
    assert lengths[int(len(lengths) * 0.9)] <= 20


@pytest.mark.parametrize("name", sorted(FILES))
def test_few_positional_arguments(name: str) -> None:
    for function, _, node in functions(FILES[name]):
        names = [a.arg for a in [*node.args.posonlyargs, *node.args.args] if a.arg not in ("self", "cls")]
        assert len(names) <= 4, f"{name}.{function} takes {len(names)} positional arguments"


@pytest.mark.parametrize("name", sorted(FILES))
def test_no_broad_except(name: str) -> None:
    for node in ast.walk(ast.parse(FILES[name].read_text(encoding="utf8"))):
        if isinstance(node, ast.ExceptHandler):
            caught = ast.unparse(node.type) if node.type else "everything"
            assert caught not in ("everything", "Exception", "BaseException"), f"{name}:{node.lineno} catches {caught}"
