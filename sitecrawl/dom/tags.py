"""Element names by what they do to text."""

from __future__ import annotations

INLINE = frozenset(
    "a abbr acronym b bdi bdo big br button cite code data del dfn em font i img ins kbd label mark nobr q rp rt ruby s "
    "samp small span strike strong sub sup time tt u var wbr".split()
)
"""Elements that do not end a line; everything else is a block."""

CELLS = frozenset(("td", "th"))
"""Table cells: they end a word, not a line."""

KEPT = frozenset(
    "a b blockquote br caption code dd del dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li ol p pre q s "
    "samp strong sub sup table tbody td tfoot th thead tr u ul".split()
)
"""Elements that clean HTML keeps; the others are unwrapped."""

KEPT_ATTRIBUTES = {
    "a": ("href", "title"),
    "img": ("src", "alt", "title", "width", "height"),
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan"),
    "ol": ("start",),
}
"""Attributes that clean HTML keeps."""

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
