"""Links that are scripts: the addresses that small functions of a page put together, and what stays out of reach."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from lxml import etree

from sitecrawl.dom.page import Page
from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import Link

_CALLING = etree.XPath("//@onclick|//a/@href[starts-with(normalize-space(.), 'javascript:')]", smart_strings=False)
_CALL = re.compile(
    r"(?:^|[\s:;])(\w+)\s*\(\s*((?:'[^'()]*'|\"[^\"()]*\"|\d+)(?:\s*,\s*(?:'[^'()]*'|\"[^\"()]*\"|\d+))*)\s*\)"
)
_FUNCTION = re.compile(r"\bfunction\s+(\w+)\s*\(([\w\s,]*)\)\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
_TERM = r"(?:'[^']*'|\"[^\"]*\"|\w+)"
_LEADS = re.compile(
    rf"\b(?:location(?:\.href)?\s*=|location\.(?:replace|assign)\s*\(|open\s*\()\s*({_TERM}(?:\s*\+\s*{_TERM})*)\s*[;,)\n}}]?"
)
_TERMS = re.compile(_TERM)
_FRAGMENT = re.compile(r"[^#]*#!?/.")
"""What a script reads that draws pages without asking the server for them."""
_PAGER = re.compile(r"^(?:javascript:.*\b\d|#.*page)", re.I)


@dataclass(slots=True)
class Scripted:
    """What the scripted links of a page say: ``hrefs`` that functions of the page put together, ``lost`` calls that could not be read."""

    hrefs: list[str] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)


def read_scripts(page: Page, *, several: int = 3) -> Scripted:
    """The scripted links of a page. So many calls of one function with different arguments stand for pages."""
    calls = list(dict.fromkeys(islice(_calls(page), LIMITS.links)))
    counts = Counter(name for name, _ in calls)
    functions = _functions(page) if calls else {}
    found = Scripted()
    for name, arguments in calls:
        href = _address(functions[name], arguments) if name in functions else ""
        if href:
            found.hrefs.append(href)
        elif counts[name] >= several:
            found.lost.add(f"{name}{arguments}")
    drawn = {href for node in page.root.iter("a") if _FRAGMENT.match(href := node.get("href") or "")}
    found.lost |= drawn if len(drawn) >= several else set()
    return found


def turns_by_script(links: list[Link]) -> bool:
    """Whether a page has further pages by its numbers, and only scripts lead there."""
    scripted = any(link.text.strip("[]() ").isdigit() and _PAGER.match(link.href) for link in links)
    return scripted and not any(link.pagination for link in links)


def _calls(page: Page) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names and arguments of the functions that links and buttons call; arguments that are addresses were read already."""
    for text in _CALLING(page.root):
        for match in islice(_CALL.finditer(text), 3):
            arguments = tuple(term.strip("'\"") for term in _TERMS.findall(match[2]))
            if not any("/" in argument for argument in arguments):
                yield match[1], arguments


def _functions(page: Page) -> dict[str, tuple[list[str], str]]:
    """Parameters and target, a sum of texts and parameters, of the functions of a page that lead somewhere."""
    text = "\n".join(node.text or "" for node in page.root.iter("script"))[: LIMITS.jsonld_chars]
    bodies = ((match[1], match[2], _LEADS.search(match[3])) for match in _FUNCTION.finditer(text))
    return {name: ([one.strip() for one in names.split(",")], target[1]) for name, names, target in bodies if target}


def _address(function: tuple[list[str], str], arguments: tuple[str, ...]) -> str:
    """The address that a function leads to; empty where it needs more than its arguments.

    >>> _address((["id"], "'/show.do?id=' + id"), ("12",)), _address((["id"], "base + id"), ("12",))
    ('/show.do?id=12', '')
    """
    names, target = function
    values, parts = dict(zip(names, arguments, strict=False)), list[str]()
    for term in _TERMS.findall(target):
        if term[0] in "'\"":
            parts.append(term[1:-1])
        elif term.isdigit() or term in values:
            parts.append(values.get(term, term))
        else:
            return ""
    return "".join(parts)
