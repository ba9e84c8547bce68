"""Names of the link features, in the order of their columns."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from sitecrawl.links.anchors import ATTRIBUTES
from sitecrawl.links.regions import REGIONS
from sitecrawl.links.relations import RELATION_FEATURES
from sitecrawl.links.texts import TEXT_FLAGS
from sitecrawl.links.urls import URL_FEATURES

LOGGED = (
    *("words", "size", "record_size", "record_links", "ordinal", "list_size", "depth"),
    *("record_rest", "parent_rest", "path_count", "best_words"),
)
"""Measures that count as logarithms, those that facts hold as they are first."""
PLAIN = ("pictured", "empty", "record_share", "parent_share", "offset", "listed")
"""The other measures."""
MEASURES = (*LOGGED, *PLAIN)
LINK_FEATURES = (
    *MEASURES,
    *TEXT_FLAGS,
    *ATTRIBUTES,
    *(f"in_{name}" for name in REGIONS),
    *(f"near_{name}" for name in REGIONS),
)
CORE = (
    *("words", "best_words", "pictured", "empty", "record_rest", "record_links", "parent_rest"),
    *("t_number", "t_capital", "near_heading"),
)
"""Link features whose mean over a group tells what kind of list it is."""
CORE_URL = ("slug_words", "id_digits", "date", "depth", "file", "same_host", "child", "family")
GROUPINGS = ("style", "pattern")
URL_ALL = (*URL_FEATURES, *RELATION_FEATURES)
SAYS = {
    "says_other": "t_fixed rel_author last_u_fixed dir_u_fixed last_u_author dir_u_author last_u_attachment",
    "says_section": "t_next t_prev t_home t_listing rel_next rel_tag rel_category page_number query_page date_end root "
    "last_u_section dir_u_section",
}
"""Words and marks that each are rare, together: one feature of many sites instead of many features of few."""
RELATIVE = (
    *("depth", "slug_words", "id_digits", "html", "script", "directory", "index", "first_depth_date"),
    *("says_other_more", "says_section_more"),
)
"""Habits of a site rather than marks of its articles: they count as differences from the page's mean."""
CONTRASTS = tuple("directory_mixed digits_mixed directory_words directory_family unnumbered_words".split())
"""Products of two features that tell folders from the numbered files beside them, whatever a site's habits are."""
FEATURES = (
    *LINK_FEATURES,
    *URL_ALL,
    *SAYS,
    *(f"{name}_more" for name in SAYS),
    *("links_to", "page_targets", "page_words", "page_long", "page_depth"),
    *(f"{group}_{name}" for group in GROUPINGS for name in ("count", "portion", *CORE, *CORE_URL, "words_spread")),
    *CONTRASTS,
)
"""Names of the columns of ``features.target_features``."""
_WIDTHS = (
    ("measures", len(MEASURES)),
    ("bits", len(LINK_FEATURES) - len(MEASURES)),
    ("url", len(URL_FEATURES)),
    ("relation", len(RELATION_FEATURES)),
    ("says", len(SAYS)),
    ("says_more", len(SAYS)),
    ("links_to", 1),
    ("page", 4),
    ("grouped", len(GROUPINGS) * (3 + len(CORE) + len(CORE_URL))),
    ("contrasts", len(CONTRASTS)),
)
_ENDS = list(accumulate(width for _, width in _WIDTHS))
AT = {name: slice(end - width, end) for (name, width), end in zip(_WIDTHS, _ENDS, strict=True)}
"""Where the parts of a row lie."""


def _columns(names: tuple[str, ...]) -> np.ndarray:
    """Columns of features; of two of one name, that of the URL."""
    return np.array([len(FEATURES) - 1 - FEATURES[::-1].index(name) for name in names])


CORE_AT = np.array([FEATURES.index(name) for name in CORE] + _columns(CORE_URL).tolist())
"""Columns of ``CORE`` and ``CORE_URL``."""
RELATIVE_AT = _columns(RELATIVE)
CONTRASTED_AT = _columns(("directory", "id_digits", "family"))
"""Columns that :data:`CONTRASTS` multiply, besides the words."""
SAYS_AT = np.array([FEATURES.index(name) for names in SAYS.values() for name in names.split()])
SAYS_OF = np.array(
    [[name in names.split() for names in SAYS.values()] for name in " ".join(SAYS.values()).split()], np.float32
)
"""Which kind each of the columns ``SAYS_AT`` speaks of, columns x kinds."""
