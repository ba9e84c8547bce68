"""URLs that the scripts of a page compose of texts and values: for a link that calls a function, for
an element that is clicked, for each choice of a list. A sum is read if all its terms are known;
nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from lxml import etree

from sitecrawl.limits import LIMITS

# a call whose arguments are all literals: others are known only when the script runs
_CALL = re.compile(
    r"(?:^|[\s:;])(\w+)\s*\(\s*((?:'[^'()]*'|\"[^\"()]*\"|\d+)(?:\s*,\s*(?:'[^'()]*'|\"[^\"()]*\"|\d+))*)\s*\)"
)
# inner braces nest no further: a function that only opens a page is that short
_FUNCTION = re.compile(r"\bfunction\s+(\w+)\s*\(([\w\s,]*)\)\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
_TERM = r"(?:'[^']*'|\"[^\"]*\"|\w+)"
_LEADS = re.compile(  # what a script opens, if it is a sum of literals and names
    r"\b(?:location(?:\.(?:href|search|pathname))?\s*=|location\.(?:replace|assign)\s*\(|open\s*\()"
    rf"\s*({_TERM}(?:\s*\+\s*{_TERM})*)\s*[;,)\n}}]?"
)
_SEARCH = re.compile(r"\blocation\.search\s*=")
_TERMS = re.compile(_TERM)
_VALUES = (  # how scripts write the value of the choice that a reader made
    re.compile(r"document\s*\.\s*(?:getElementById|querySelector)\s*\([^()]{1,80}\)\s*\.value\b"),
    re.compile(
        r"\b(\w+)(?:\.target)?\.options\s*\[\s*\1(?:\.target)?\.selectedIndex\s*\]\.(?:value|text)\b"
    ),
    re.compile(r"\$?\b\w+(?:\.(?:target|currentTarget))?\.value\b"),
    re.compile(r"(?:\$|jQuery)\s*\([^()]{1,80}\)\s*\.val\s*\(\s*\)"),
)
_WRAPPED = re.compile(
    r"\b(?:encodeURI(?:Component)?|escape|String|parseInt|Number)\s*\(\s*(\w+)\s*\)"
)
_TEMPLATE = re.compile(r"`([^`]{0,400})`")
_PLACE = re.compile(r"\$\{\s*(\w+)\s*\}")
_SET = re.compile(r"\b(\w+)\s*=\s*__chosen\b")
_CHOSEN = "__chosen"
_CALLED = re.compile(r"\b(\w+)\s*\(([^()]*)\)")
_BODY = 600  # characters of a script behind the name of a list that may react to its change
_CHOICES = 200  # choices of one list; an archive of months has some dozens


class _Function(NamedTuple):
    """A function that opens another page: its parameters, and the sum of texts and names."""

    names: list[str]
    target: str


Calls = dict[tuple[str, tuple[str, ...]], str]


def called_urls(actions: Iterable[str], scripts: str) -> Calls:
    """The calls in ``actions`` of links and buttons, each with the URL that its function composes;
    empty if it cannot be read. Arguments that are URLs are read elsewhere."""
    calls = dict.fromkeys(islice(_calls(actions), LIMITS.links), "")
    functions = _functions(scripts) if calls else {}
    for name, arguments in calls:
        if name in functions:
            calls[name, arguments] = _address(functions[name], arguments)
    return calls


def clicked_urls(actions: Iterable[str]) -> Iterator[str]:
    """URLs that are sums of texts in the actions of elements.

    >>> [*clicked_urls(["location.href='/archive/' + 2023 + '/'", "location.href='/a'", "go(7)"])]
    ['/archive/2023/']
    """
    for action in actions:
        target = _LEADS.search(action)
        if target and "+" in target[1]:
            yield _address(_Function([], target[1]), ())


def chosen_urls(node: etree._Element, scripts: str) -> Iterator[str]:
    """The URL for each choice of a list whose change opens a page, where a script composes it: a
    value that is a URL itself is read without its script.

    >>> from sitecrawl.dom.parse import parse
    >>> options = "<option>2024</option><option>2023</option>"
    >>> page = parse(f'''<select onchange="location='?year='+this.value">{options}</select>''')
    >>> [*chosen_urls(page.root.find(".//select"), "")]
    ['?year=2024', '?year=2023']
    """
    opens = _opened_by(node, scripts)
    if opens is None:
        return
    for option in islice(node.iter("option"), _CHOICES):
        value = (option.get("value", option.text or "") or "").strip()
        url = _address(opens, tuple(value for _ in opens.names))
        if value and url != value:
            yield url


def _opened_by(node: etree._Element, scripts: str) -> _Function | None:
    """What the change of a list opens, as a function of the chosen value alone."""
    actions = [value for name, value in node.items() if name.endswith("change")]
    functions = _functions(scripts) if actions else {}
    for action in actions:
        plain = _plain(action)
        found = _function_of(plain)
        for name, _ in _CALLED.findall(plain):
            found = found or functions.get(name)
        if found is not None:
            return _Function([*found.names, _CHOSEN, "this"], found.target)
    name = node.get("id") or node.get("name") or ""
    at = scripts.find(f"{name}'") if name else -1
    at = scripts.find(f'{name}"') if name and at < 0 else at
    return _function_of(_plain(scripts[at : at + _BODY])) if at >= 0 and not actions else None


def _function_of(plain: str) -> _Function | None:
    """The function of the chosen value that a script without arguments computes; None if it opens
    no page, or one that does not depend on the choice."""
    target = _LEADS.search(plain)
    if target is None:
        return None
    names = [_CHOSEN, "this", *_SET.findall(plain)]
    is_chosen = not set(_TERMS.findall(target[1])).isdisjoint(names)
    return _Function(names, _whole_target(target)) if is_chosen else None


def _whole_target(target: re.Match[str]) -> str:
    """A target from its start, which ``location.search`` may lack."""
    lacks_mark = _SEARCH.match(target[0]) and target[1][1:2] != "?"
    return f"'?'+{target[1]}" if lacks_mark else target[1]


def _plain(script: str) -> str:
    """A script in which the chosen value has one name, and templates are sums."""
    plain = script[:_BODY]
    for value in _VALUES:
        plain = value.sub(_CHOSEN, plain)
    plain = _WRAPPED.sub(r"\1", plain)
    return _TEMPLATE.sub(lambda text: "'" + _PLACE.sub(r"'+\1+'", text[1]) + "'", plain)


def _calls(actions: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names and arguments of the functions that are called with literals."""
    for text in actions:
        for match in islice(_CALL.finditer(text), 3):
            arguments = tuple(term.strip("'\"") for term in _TERMS.findall(match[2]))
            if not any("/" in argument for argument in arguments):
                yield match[1], arguments


def _functions(text: str) -> Mapping[str, _Function]:
    """The functions of a script that open another page, by name."""
    found = {}
    for match in _FUNCTION.finditer(text):
        plain = _plain(match[3])
        target = _LEADS.search(plain)
        if target:
            names = [one.strip() for one in match[2].split(",")]
            chosen = _SET.findall(plain)
            # a value that the function reads itself is the last of its arguments
            found[match[1]] = _Function([*names, *chosen], _whole_target(target))
    return found


def _address(function: _Function, arguments: tuple[str, ...]) -> str:
    """The URL that a function call opens; empty if it depends on more than its arguments.

    >>> _address(_Function(["id"], "'/show.do?id=' + id"), ("12",)), _address(_Function(["id"], "base + id"), ("12",))
    ('/show.do?id=12', '')
    >>> _address(_Function([], "'/a\\"'"), ())
    '/a"'
    """
    values = dict(zip(function.names, arguments, strict=False))
    parts = []
    for term in _TERMS.findall(function.target):
        if term in values:
            parts.append(values[term])
        elif term[0] in "'\"":
            parts.append(term[1:-1])
        elif term.isdigit():
            parts.append(term)
        else:
            return ""
    return "".join(parts)
