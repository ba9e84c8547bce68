"""Forms that need no input: what they send, and where. By POST, pagers only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple
from urllib.parse import urlencode

from lxml import etree

from sitecrawl.dom.page import Page
from sitecrawl.dom.render import absolute
from sitecrawl.dom.tree import string_of
from sitecrawl.links.pagination import turns_by_words
from sitecrawl.links.vocabulary import LOAD_MORE

_TYPED = frozenset(
    "text search email password number tel url date month week time datetime-local file".split()
)
"""Types of form fields that need input."""
_PUSHED = frozenset("submit image button reset".split())  # types of inputs that are buttons

_BOXES = ("checkbox", "radio")  # they send their values where they are checked

_LONGEST_NUMBER, _LONGEST_NAME = 6, 40  # characters of a page's number, and of a button
_MORE = re.compile(LOAD_MORE, re.I)


class Sent(NamedTuple):
    """What a form sends, by POST, to ``action``."""

    action: str
    body: str

    @property
    def url(self) -> str:
        """The URL that names what is answered: as if the form were sent by GET."""
        return f"{self.action}{'&' if '?' in self.action else '?'}{self.body}"


_Sent = tuple[str, str] | None  # name and value of a field; None if it sends nothing


@dataclass(slots=True)
class _Fields:
    """The possible values of the fields of a form: several for one list or one button only."""

    fixed: list[list[_Sent]] = field(default_factory=list)
    pushed: list[_Sent] = field(default_factory=list)
    has_choice: bool = False

    def add(self, node: etree._Element) -> None:
        """Add a field. Of a second list only the first value counts."""
        name = node.get("name") or ""
        kind = _type_of(node)
        sent = name, node.get("value") or ""
        if node.tag == "select":
            self._add_list(node, name)
        elif node.tag == "button" or kind in _PUSHED:
            self.pushed.append(sent if name and kind != "reset" else None)
        elif name and (kind not in _BOXES or node.get("checked") is not None):
            self.fixed.append([sent])

    def _add_list(self, node: etree._Element, name: str) -> None:
        values = [option.get("value", option.text or "").strip() for option in node.iter("option")]
        taken = values[:1] if self.has_choice else values
        self.fixed.append([(name, value) for value in taken if name] or [None])
        self.has_choice = self.has_choice or len(values) > 1


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


def turned_pages(form: etree._Element, page: Page) -> Iterator[Sent]:
    """What a pager sends that is a form with the method POST: the number of a page, and nothing
    else. Each button is named like one that turns pages.

    >>> from sitecrawl.dom.parse import parse
    >>> page = parse("<form method=post action=/list><button name=p value=2>2</button></form>", "http://a.example/")
    >>> [sent.url for sent in turned_pages(page.root.find(".//form"), page)]
    ['http://a.example/list?p=2']
    """
    if method_of(form) != "post" or needs_input(form) or form.find(".//select") is not None:
        return
    action = absolute(form.get("action") or page.url, page.base_url)
    fixed = _fields_of(form).fixed
    for button in form.iter("button", "input"):
        is_button = button.tag == "button" or _type_of(button) in _PUSHED
        if action is None or not (is_button and _turns(button)):
            continue
        pairs = [pair for (pair, *_) in fixed if pair]
        name = button.get("name")
        if name:
            pairs.append((name, button.get("value") or ""))
        if _is_one_number(pairs):
            yield Sent(action.partition("#")[0], urlencode(pairs))


def _is_one_number(pairs: list[tuple[str, str]]) -> bool:
    """Whether a number is all that a form sends."""
    if len(pairs) != 1:
        return False
    value = pairs[0][1]
    return value.isdecimal() and len(value) <= _LONGEST_NUMBER


def _turns(button: etree._Element) -> bool:
    """Whether a button is named like the next page, another page by its number, or more rows."""
    text = string_of(button) if button.tag == "button" else button.get("value") or ""
    text = (text.strip() or button.get("title") or button.get("alt") or "").strip(" []()")
    is_short = len(text) <= _LONGEST_NAME
    return is_short and (text.isdecimal() or turns_by_words(text) or bool(_MORE.search(text)))


def _fields_of(form: etree._Element) -> _Fields:
    found = _Fields()
    for node in form.iter("input", "button", "select"):
        found.add(node)
    return found


def _type_of(node: etree._Element) -> str:
    return (node.get("type") or "").strip().casefold()


def _without_query(url: str) -> str:
    return url.partition("#")[0].partition("?")[0]
