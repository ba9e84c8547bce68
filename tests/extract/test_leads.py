"""Entries that lead on to other pages below an article, on pages of our own."""

from __future__ import annotations

import numpy as np

from sitecrawl.dom.parse import parse
from sitecrawl.extract.ensemble import leads_of, without_teasers
from sitecrawl.extract.features import View, view_of

PROSE = "The ferry left the harbour at nine, and nobody on board knew what the captain had decided that night. "
ENTRY = '<div><h2><a href="/posts/{}/">The {}</a></h2><p>What the {} did that night is told elsewhere.</p></div>'


def view(html: str) -> View:
    return view_of(parse(f"<body>{html}</body>", "http://example.com/posts/ferry/"))


def kept_of(page: View, *dropped: int) -> list[bool]:
    kept = np.ones(len(page.blocks), bool)
    kept[list(dropped)] = False
    return without_teasers(page, kept, leads_of(page)).tolist()


def entries(*names: str) -> str:
    return "".join(ENTRY.format(name, name, name) for name in names)


def test_entries_below_an_article_are_dropped() -> None:
    page = view(f"<main><p>{PROSE * 3}</p></main><section>{entries('tram', 'bus')}</section>")
    assert kept_of(page) == [True, False, False, False, False]
    assert kept_of(page, 1, 3) == [True, False, False, False, False], "whether or not their headings are kept"


def test_a_single_entry_may_be_a_part() -> None:
    page = view(f"<main><p>{PROSE * 3}</p></main><section>{entries('tram')}</section>")
    assert kept_of(page) == [True, True, True]


def test_a_listing_and_a_list_of_things_keep_their_entries() -> None:
    assert all(kept_of(view(f"<p>Ferries</p><section>{entries('tram', 'bus')}</section>"))), "next to nothing above"
    below = view(f"<p>{PROSE * 3}</p><section>{entries('tram', 'bus')}</section><p>{PROSE * 3}</p>")
    assert all(kept_of(below)), "the article goes on"


def test_comments_headed_by_links_are_no_teasers() -> None:
    page = view(f'<p>{PROSE * 3}</p><section class="comments">{entries("tram", "bus")}</section>')
    assert all(kept_of(page))
