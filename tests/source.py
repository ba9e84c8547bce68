"""What the tests of structure and style read from the source: modules, imports, functions,
classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "sitecrawl"
Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def modules() -> dict[str, Path]:
    """Dotted name to file of every module of the package."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf8"), filename=str(path))


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Dotted names that a module imports, also those for type checks alone."""
    found: list[str] = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(found)


def functions(path: Path) -> Iterator[Function]:
    """Every function and method of a file, nested ones included."""
    return (node for node in ast.walk(tree_of(path)) if isinstance(node, Function))


def classes(path: Path) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(tree_of(path)) if isinstance(node, ast.ClassDef))


def positional(function: Function) -> list[str]:
    """Names of the arguments that may be passed by position, without self and cls."""
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def mixed_tuples(function: Function) -> list[str]:
    """Names of the arguments annotated as a tuple of fixed length whose members have different
    types."""
    arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    return [
        argument.arg
        for argument in arguments
        if argument.annotation and _is_mixed_tuple(argument.annotation)
    ]


def _is_mixed_tuple(annotation: ast.expr) -> bool:
    if isinstance(annotation, ast.BinOp):
        return _is_mixed_tuple(annotation.left) or _is_mixed_tuple(annotation.right)
    if not (isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "tuple"):
        return False
    members = (
        annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
    )
    types = {ast.unparse(member) for member in members}
    return "..." not in types and len(types) > 1


def attributes(class_: ast.ClassDef) -> set[str]:
    """Names of a class's fields and of all that its methods assign to ``self``."""
    fields = {
        node.target.id
        for node in class_.body
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and "ClassVar" not in ast.unparse(node.annotation)
    }
    return fields | {
        node.attr
        for node in ast.walk(class_)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }
