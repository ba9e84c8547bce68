"""Forms that need no input: what they send, and where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from urllib.parse import urlencode

from lxml import etree

from sitecrawl.dom.page import Page

_TYPED = frozenset(
    "text search email password number tel url date month week time datetime-local file".split()
)
"""Types of form fields that need input."""
_PUSHED = frozenset("submit image button reset".split())  # types of inputs that are buttons

_Sent = tuple[str, str] | None  # name and value of a field; None if it sends nothing


@dataclass(slots=True)
class _Fields:
    """The possible values of the fields of a form: several for one list or one button only."""

    fixed: list[list[_Sent]] = field(default_factory=list)
    pushed: list[_Sent] = field(default_factory=list)
    has_choice: bool = False

    def add_list(self, node: etree._Element, name: str) -> None:
        """Add a list; of a second one only the first value counts."""
        values = [option.get("value", option.text or "").strip() for option in node.iter("option")]
        taken = values[:1] if self.has_choice else values
        sent: list[_Sent] = [(name, value) for value in taken] if name else []
        self.fixed.append(sent or [None])
        self.has_choice = self.has_choice or len(values) > 1

    def add_button(self, node: etree._Element, name: str) -> None:
        is_sent = name and node.get("type") != "reset"
        self.pushed.append((name, node.get("value") or "") if is_sent else None)

    def add_value(self, node: etree._Element, name: str) -> None:
        is_box = _type_of(node) in ("checkbox", "radio")
        if name and (not is_box or node.get("checked") is not None):
            self.fixed.append([(name, node.get("value") or "")])


def method_of(form: etree._Element) -> str:
    return (form.get("method") or "get").strip().casefold()


def needs_input(form: etree._Element) -> bool:
    """Whether a reader has to fill in a field of a form."""
    return any(
        node.tag == "textarea" or (node.tag == "input" and (_type_of(node) or "text") in _TYPED)
        for node in form.iter("input", "textarea")
    )


def submissions(form: etree._Element, page: Page) -> Iterator[str]:
    """URLs to which a form leads that is sent by GET and needs no input: one for each choice of a
    list and each button."""
    if method_of(form) != "get" or needs_input(form):
        return
    action = _without_query(form.get("action") or page.url)
    fields = _fields_of(form)
    for pairs in product(*fields.fixed, fields.pushed or [None]):
        sent = [pair for pair in pairs if pair]
        query = urlencode(sent, encoding=page.encoding, errors="replace")
        yield f"{action}?{query}" if query else action
    for node in form.iter("button", "input"):
        if node.get("formaction"):
            yield _without_query(node.get("formaction") or "")


def _fields_of(form: etree._Element) -> _Fields:
    found = _Fields()
    for node in form.iter("input", "button", "select"):
        name = node.get("name") or ""
        if node.tag == "select":
            found.add_list(node, name)
        elif node.tag == "button" or _type_of(node) in _PUSHED:
            found.add_button(node, name)
        else:
            found.add_value(node, name)
    return found


def _type_of(node: etree._Element) -> str:
    return (node.get("type") or "").strip().casefold()


def _without_query(url: str) -> str:
    return url.partition("#")[0].partition("?")[0]
