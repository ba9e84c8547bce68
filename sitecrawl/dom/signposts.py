"""Elements within a text that are no part of it: texts that only programs read aloud, and links
that edit a section or lead to it. Where only one page of a site has such an element, neither a
template nor the network knows better."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import methodcaller

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
_CLASS, _STYLE = methodcaller("get", "class"), methodcaller("get", "style")
_is_spoken, _is_clipped = cached(1_024)(_SPOKEN.search), cached(1_024)(_CLIPPED.search)


def signposts(flat: Flat) -> set[etree._Element]:
    """The elements below the root of ``flat`` that are no part of its text."""
    return {*_unseen(flat), *_buttons(flat), *spoken_elements(flat)}


def _unseen(flat: Flat, *, most_chars: int = 200) -> Iterator[etree._Element]:
    """Elements for programs that read pages aloud, and short hidden parts of lines. Scripts may
    show hidden blocks and sentences."""
    names = list(map(_CLASS, flat.nodes))
    styles = list(map(_STYLE, flat.nodes))
    spoken = {name for name in set(names) if name and _is_spoken(name)}
    clipped = {style for style in set(styles) if style and _is_clipped(style)}
    hiding = {style for style in set(styles) if is_hidden(style)}
    places = range(1, len(flat.nodes))
    for at in [at for at in places if names[at] in spoken or styles[at] in clipped]:
        yield flat.nodes[at]
    if not hiding:
        return
    inline = flat.inline
    for at in [at for at in places if styles[at] in hiding and inline[at]]:
        text = string_of(flat.nodes[at])
        if len(text) <= most_chars and not _SENTENCE.search(text):
            yield flat.nodes[at]


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
