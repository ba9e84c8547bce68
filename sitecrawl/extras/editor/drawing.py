"""A section page drawn for labelling: its text and the shape of its lists, nothing else of it.

The page is hostile until shown otherwise, so it is not cleaned but drawn anew, in ``div`` and ``span`` elements with classes of ours and
every text escaped. Scripts, styles, addresses, ids and attributes of the page are not in it, and a link leads nowhere.
"""

from __future__ import annotations

from html import escape
from urllib.parse import urlsplit

from markupsafe import Markup

from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import INLINE, SILENT, Tree
from sitecrawl.limits import LIMITS

_SHAPED = frozenset(
    "h1 h2 h3 h4 h5 h6 p li ul ol dl dt dd table tr td th nav header footer aside article section form b strong em i small".split()
)
"""Elements whose kind is drawn; all others are plain blocks or plain text."""
_DEPTH = 60
"""Elements within one another that are drawn; deeper ones are drawn in the deepest."""


def draw(page: Page, every: bool = False) -> Markup:
    """The body of a page as inert HTML; link ``n`` of ``page_facts(page)`` is the element with ``data-link="n"``.

    With ``every``, links are plain text and element ``n`` of the page's tree is the one with ``data-n="n"``.

    >>> from sitecrawl.dom.parse import parse
    >>> print(draw(parse('<p onclick="x()">One <a href="/a">two</a></p>', "http://a.org/")))
    <div class="d"><div class="d"><div class="d t-p">One <span class="link" data-link="0" role="button" tabindex="0">two</span></div></div></div>
    """
    tree = page.tree
    parts: list[str] = []
    numbers = {} if every else {place: number for number, place in enumerate(link_places(tree))}
    open_: list[tuple[int, str]] = []
    said = 0
    for place in range(len(tree)):
        while open_ and tree.ends[open_[-1][0]] <= place:
            said = _close(tree, open_, said, parts)
        said = _say(tree, (said, tree.first[place]), parts)
        tag = (
            ""
            if len(open_) >= _DEPTH and place not in numbers
            else _begin(tree, place, (numbers.get(place), every), parts)
        )
        open_.append((place, tag))
    while open_:
        said = _close(tree, open_, said, parts)
    return Markup("".join(parts))


def link_places(tree: Tree) -> list[int]:
    """Element numbers of the links, in the order of ``page_facts``."""
    places = (n for n, tag in enumerate(tree.tags) if tag == "a" and tree.nodes[n].get("href") is not None)
    return list(places)[: LIMITS.links]


def _say(tree: Tree, span: tuple[int, int], parts: list[str]) -> int:
    parts.extend(escape(chunk) for chunk in tree.chunks[span[0] : span[1]])
    return max(span)


def _close(tree: Tree, open_: list[tuple[int, str]], said: int, parts: list[str]) -> int:
    """Close the element that was opened last; how many texts are written now."""
    place, tag = open_.pop()
    said = _say(tree, (said, tree.last[place]), parts)
    if tag:
        parts.append(f"</{tag}>")
    return said


def _begin(tree: Tree, place: int, how: tuple[int | None, bool], parts: list[str]) -> str:
    """Open an element and return the tag that closes it; empty where nothing of it is drawn. ``how`` is its link, and whether it has its number."""
    node, name, (link, numbered) = tree.nodes[place], tree.tags[place], how
    if link is not None:
        parts.append(f'<span class="link" data-link="{link}" role="button" tabindex="0">')
        if not tree.text(place):
            parts.append(escape(_name(node.get("href") or "", [img.get("alt") or "" for img in node.iter("img")])))
        return "span"
    if name in SILENT or name == "img":
        return ""
    if name == "br":
        parts.append('<span class="t-br"></span>')
        return ""
    tag = "span" if name in INLINE else "div"
    number = f' data-n="{place}"' if numbered else ""
    parts.append(f'<{tag} class="d{f" t-{name}" if name in _SHAPED else ""}"{number}>')
    return tag


def _name(href: str, pictures: list[str]) -> str:
    """What stands for a link without text: what its picture says, or the end of its address.

    >>> _name("/a/b.html", ["", "A bridge"]), _name("/a/b.html", [])
    ('A bridge', '[b.html]')
    """
    said = next((alt.strip() for alt in pictures if alt.strip()), "")
    try:
        path = urlsplit(href).path.rstrip("/").rpartition("/")[2]
    except ValueError:
        path = ""
    return said[:200] or f"[{path[:60] or 'picture'}]"
