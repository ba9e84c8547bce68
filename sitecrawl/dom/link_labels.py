"""The labels of links that lead from one text to others of the same host."""

from __future__ import annotations

import re

from sitecrawl.dom.document import Document
from sitecrawl.dom.render import leads_to_page
from sitecrawl.text.announcements import STORIES, label_kind

_LABEL_IN_LINK = re.compile(r"[^:：]{2,30}[:：]")
LABEL_ENDS = (":", "：", "】", "]", ">", "»", "→", "|")
LONGEST_LINKED = 250  # characters of a line that leads to other stories


def label_of_links(document: Document, at: int, *, base_url: str) -> str:
    """What stands before the links of a block, if all lead to other pages of the host, or what
    announces other stories in the first one, up to a colon; empty otherwise."""
    links = document.below(int(document.blocks.owner[at]), "a")
    hrefs = [document.attributes["href"].get(link, "") for link in links]
    title = document.text(links[0]) if links else ""
    if not title or not all(leads_to_page(href, base_url) for href in hrefs):
        return ""
    text = document.blocks.texts[at]
    label = text.partition(title)[0].strip()
    own = _LABEL_IN_LINK.match(text)
    if own and not label and label_kind(text) == STORIES:
        return own[0]
    return label
