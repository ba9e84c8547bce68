"""Elements within a text that are no part of it: texts that only programs read aloud, and links
that edit a section or lead to it. Where only one page of a site has such an element, neither a
template nor the network knows better."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import compress

from lxml import etree

from sitecrawl.dom.class_names import names_one_of, words_of
from sitecrawl.dom.nodes import class_of, style_of
from sitecrawl.dom.outside import spoken_elements
from sitecrawl.dom.tree import HEADINGS, Flat, is_hidden, string_of
from sitecrawl.limits import cached

_SENTENCE = re.compile(r"[^\W\d]\s*[.!?。！？]")
_is_edit_link = names_one_of(words_of("edit links"))
_SPOKEN = re.compile(
    r"screen-?reader-(?:text|only)(?!\S)|(?<!\S)(?:sr-only|visually-?hidden|u?-?hidden-?visually|element-invisible|assistive-text)(?!\S)",
    re.I,
)
"""Classes that WordPress, Bootstrap, Drupal and others give to texts for screen readers."""
_CLIPPED = re.compile(
    r"clip\s*:\s*rect\(\s*[01]|clip-path\s*:\s*inset\(\s*(?:50|100)%|(?:left|top)\s*:\s*-\d{4}",
    re.I,
)
_is_spoken, _is_clipped = cached(1_024)(_SPOKEN.search), cached(1_024)(_CLIPPED.search)


def signposts(flat: Flat) -> set[etree._Element]:
    """The elements below the root of ``flat`` that are no part of its text."""
    return {*_unseen(flat), *_buttons(flat), *spoken_elements(flat)}


def _unseen(flat: Flat, *, most_chars: int = 200) -> Iterator[etree._Element]:
    """Elements for programs that read pages aloud, and short hidden parts of lines. Scripts may
    show hidden blocks and sentences."""
    below = flat.nodes[1:]
    names = {*map(class_of, below)} - {None, ""}
    styles = {*map(style_of, below)} - {None, ""}
    spoken = set(filter(_is_spoken, names))
    clipped = set(filter(_is_clipped, styles))
    hiding = set(filter(is_hidden, styles))
    if spoken:
        yield from [node for node in below if node.get("class") in spoken]
    if clipped:
        yield from [node for node in below if node.get("style") in clipped]
    parts = compress(below, flat.inline[1:]) if hiding else ()
    for node in [part for part in parts if part.get("style") in hiding]:
        text = string_of(node)
        if len(text) <= most_chars and not _SENTENCE.search(text):
            yield node


def _buttons(flat: Flat, *, most_chars: int = 20) -> Iterator[etree._Element]:
    """Links in headings that edit a section, and signs that link to it."""
    end = 0
    for at, tag in enumerate(flat.tags):
        if tag in HEADINGS:
            end = max(end, flat.ends[at])
        elif at < end:
            node = flat.nodes[at]
            text = flat.whole_text(at, 1, most_chars)
            leads_to_part = (node.get("href") or "").startswith("#")
            is_sign = text and leads_to_part and not any(map(str.isalnum, text))
            if is_sign or _is_edit_link(node.get("class") or ""):
                yield node
