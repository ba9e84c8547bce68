"""Elements within a text that are no part of it: texts that only programs read aloud, and links
that edit a section or lead to it. Where only one page of a site has such an element, neither a
template nor the network knows better."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from lxml import etree

from sitecrawl.dom.class_names import names_one_of, words_of
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
    return {*_unseen(flat), *_buttons(flat), *spoken_elements(flat.nodes[0])}


def _unseen(flat: Flat, *, most_chars: int = 200) -> Iterator[etree._Element]:
    """Elements for programs that read pages aloud, and short hidden parts of lines. Scripts may
    show hidden blocks and sentences."""
    for at, node in enumerate(islice(flat.nodes, 1, None), 1):
        name, style = node.get("class"), node.get("style")
        if name and _is_spoken(name):
            yield node
        elif style and (is_hidden(style) or _is_clipped(style)):
            is_part = (
                flat.inline[at]
                and len(text := string_of(node)) <= most_chars
                and not _SENTENCE.search(text)
            )
            yield from (node,) if is_part or _is_clipped(style) else ()


def _buttons(flat: Flat, *, most_chars: int = 20) -> Iterator[etree._Element]:
    """Links in headings that edit a section, and signs that link to it."""
    end = 0
    for at, tag in enumerate(flat.tags):
        if tag in HEADINGS:
            end = max(end, flat.ends[at])
        elif at < end:
            node, text = flat.nodes[at], flat.whole_text(at, 1, most_chars)
            is_sign = (
                text
                and (node.get("href") or "").startswith("#")
                and not any(map(str.isalnum, text))
            )
            if is_sign or _is_edit_link(node.get("class") or ""):
                yield node
