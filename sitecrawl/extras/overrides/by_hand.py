"""Templates written by hand: CSS selectors or XPath in place of addresses, and short documents that
are completed here."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from cssselect import SelectorError
from cssselect.parser import (
    Attrib,
    Class,
    CombinedSelector,
    Element,
    Function,
    Hash,
    Pseudo,
    Selector,
    Tree,
    parse,
)

from sitecrawl.dom.align import has_token
from sitecrawl.errors import TemplateError
from sitecrawl.items.article import ITEM_FIELDS
from sitecrawl.items.kinds import TemplateState
from sitecrawl.templates.address import is_source
from sitecrawl.templates.template import Body, Template
from sitecrawl.urls.scope import bare_host

BY_HAND = "by-hand"  # name of a hand-written template that has none
ALIASES = {
    "title": "headline",
    "date": "datePublished",
    "author": "authors",
    "text": "articleBody",
    "body": "articleBody",
}
"""Other words for fields."""
_TOO_MUCH = "it asks for what templates cannot"
_XPATH = re.compile(r"\(?(?:/|\.\.?/|id\(|@)")  # anything else is a CSS selector
_STEPS = {" ": "//", ">": "/", "~": "/following-sibling::"}
_REMEDY = "see docs/templates.md for the addresses that templates may use"


def address_of(text: str) -> str:
    """The address (or other source of a value) for a CSS selector or an XPath.

    Raises TemplateError if it needs more than the subset of XPath that templates allow.

    >>> address_of("div.text > p"), address_of("//div[@class='text']"), address_of("#zoom h1::text")
    ('//div[contains(concat(" ", @class, " "), " text ")]/p', '//div[@class="text"]', '//*[@id="zoom"]//h1')
    """
    text = text.strip()
    if is_source(text):
        return text
    try:
        found = _quoted(text) if _XPATH.match(text) else _of_css(text)
    except (SelectorError, ValueError) as error:
        raise TemplateError(text[:200], f"not a CSS selector or XPath ({error})", _REMEDY) from None
    if not is_source(found):
        raise TemplateError(text[:200], "not an address that templates may use", _REMEDY)
    return found


def _quoted(xpath: str) -> str:
    """XPath with double quotes and without a final text step: the text of an element is read
    anyway."""
    xpath = xpath if '"' in xpath else xpath.replace("'", '"')
    return xpath.removesuffix("/text()").removesuffix("//text()").removesuffix("/")


def _of_css(css: str) -> str:
    css, _, attribute = css.partition("::attr(")
    selectors = parse(css.removesuffix("::text"))
    if len(selectors) != 1:
        raise ValueError("one selector without commas is wanted")
    return "//" + _steps(selectors[0]) + (f"/@{attribute.rstrip(') ')}" if attribute else "")


def _steps(selector: Selector) -> str:
    """The steps of a selector. The CSS parser nests them, so the last step comes first."""
    steps: list[str] = []
    tree: Tree = selector.parsed_tree
    while isinstance(tree, CombinedSelector):
        if tree.combinator not in _STEPS:
            raise ValueError("it asks for what templates cannot")
        steps.insert(0, _STEPS[tree.combinator] + _step(tree.subselector))
        tree = tree.selector
    return _step(tree) + "".join(steps)


def _step(tree: Tree) -> str:
    """One step: a tag and its conditions."""
    asked: list[str] = []
    while not isinstance(tree, Element):
        if isinstance(tree, CombinedSelector | str) or not hasattr(tree, "selector"):
            raise ValueError("it nests selectors")
        asked.insert(0, _asked(tree))
        tree = tree.selector
    # a position counts among all elements of the tag
    asked.sort(key=lambda one: one[1] == "@" or "(@" in one or "@class" in one)
    if asked and not tree.element and "@" not in asked[0]:
        raise ValueError("a position needs a tag")
    return (tree.element or "*") + "".join(asked)


def _asked(tree: Tree) -> str:
    if isinstance(tree, Class):
        return str(has_token(tree.class_name))
    if isinstance(tree, Hash):
        return f'[@id="{tree.id}"]'
    if isinstance(tree, Attrib):
        return _asked_of_attribute(tree)
    if isinstance(tree, Pseudo) and tree.ident in ("first-of-type", "last-of-type"):
        return "[1]" if tree.ident == "first-of-type" else "[last()]"
    if (
        isinstance(tree, Function)
        and tree.name == "nth-of-type"
        and tree.argument_types() == ["NUMBER"]
    ):
        return f"[{tree.arguments[0].value}]"
    raise ValueError(_TOO_MUCH)


def _asked_of_attribute(tree: Attrib) -> str:
    name = tree.attrib
    value = tree.value.value if tree.value else None
    if tree.operator == "exists":
        return f"[@{name}]"
    if tree.operator == "=":
        return f'[@{name}="{value}"]'
    if tree.operator == "^=" and name in ("id", "href") and value:
        return f'[starts-with(@{name}, "{value}")]'
    raise ValueError(_TOO_MUCH)


def template_of(data: Any) -> Template:
    """The template of a document. A document without ``protocol`` is hand-written and may be short.
    Raises TemplateError if it is damaged, not a template, or holds an invalid address."""
    try:
        return Template.from_dict(_completed(data))
    except (TypeError, ValueError, AttributeError) as error:
        name = f"{data.get('site')}/{data.get('name')}"[:200]
        raise TemplateError(
            name, f"damaged ({str(error)[:200]})", "correct it, or export it again"
        ) from None


def _completed(data: Any) -> Any:
    """A hand-written document (one without ``protocol``) with all defaults filled in; any other
    document unchanged. Raises ValueError if it holds a name that templates do not have."""
    if not isinstance(data, Mapping) or "protocol" in data:
        return data
    fields = {
        ALIASES.get(name, name): _field(value) for name, value in data.get("fields", {}).items()
    }
    extra = {name: _field(value) for name, value in data.get("extra", {}).items()}
    usual = Template(
        "", BY_HAND, Body([]), version=0, state=TemplateState.TRUSTED, edited=True
    ).to_dict()
    able = {name for name, row in ITEM_FIELDS.items() if row.kind.has_place} - {
        "articleBody"
    }  # which is `body`
    if unknown := [*(data.keys() - usual.keys()), *(fields.keys() - able)]:
        raise ValueError(
            f"templates do not read {unknown[0]!r} there; a field of your own belongs into extra"
        )
    site = bare_host(str(data.get("site", "")))
    if not site or "/" in site:
        raise ValueError("the site is a host, such as news.example")
    return (
        usual
        | dict(data)
        | {"site": site, "body": _body(data.get("body", [])), "fields": fields, "extra": extra}
    )


def _body(value: Any) -> dict[str, Any]:
    given = dict(value) if isinstance(value, Mapping) else {"addresses": value}
    lists = {name: _addresses(given.get(name, [])) for name in ("addresses", "without")}
    lists["without"] = ["." + one if one.startswith("//") else one for one in lists["without"]]
    return {"texts": []} | given | lists


def _field(value: Any) -> dict[str, Any]:
    given = dict(value) if isinstance(value, Mapping) else {"sources": value}
    return given | {"sources": _addresses(given.get("sources", []))}


def _addresses(value: Any) -> list[str]:
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise ValueError("expected an address or a list of addresses")
    return [address_of(one) for one in found]


def document_text(document: Mapping[str, Any]) -> str:
    """A document as JSON that fits on a screen: one line for each field, long lists on one line
    each."""
    lines = []
    for name, value in document.items():
        inner = (
            value
            if isinstance(value, dict) and name in ("body", "fields", "extra", "records")
            else None
        )
        rows = (
            ",\n".join(f"  {json.dumps(key)}: {_inline(one)}" for key, one in inner.items())
            if inner
            else ""
        )
        lines.append(f" {json.dumps(name)}: " + (f"{{\n{rows}\n }}" if rows else _inline(value)))
    return "{\n" + ",\n".join(lines) + "\n}"


def _inline(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
