"""Names of the link features, in the order of their columns."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from sitecrawl.links.anchors import ATTRIBUTES
from sitecrawl.links.regions import REGIONS
from sitecrawl.links.relations import RELATION_FEATURES
from sitecrawl.links.texts import TEXT_FLAGS
from sitecrawl.links.urls import URL_FEATURES

MEASURES = (
    *("words", "size", "title_words", "alt_words", "pictured", "empty", "heading", "record_size", "record_rest"),
    *(
        "record_links",
        "record_share",
        "record_dates",
        "record_dated",
        "record_images",
        "record_headings",
        "heading_size",
    ),
    *("ordinal", "list_size", "outer_size", "outer_links", "outer_dates", "parent_rest", "parent_share", "offset"),
    *("depth", "place", "listed", "words_rank", "longest", "said_often", "similarity", "path_count", "best_words"),
)
LOGGED = (
    *("words", "size", "title_words", "alt_words", "record_size", "record_rest", "record_links", "heading_size"),
    *("ordinal", "list_size", "outer_size", "outer_links", "parent_rest", "depth", "said_often", "path_count"),
    "best_words",
)
"""Measures that count as logarithms."""
LINK_FEATURES = (
    *MEASURES,
    *TEXT_FLAGS,
    *(f"in_{name}" for name in REGIONS),
    *(f"near_{name}" for name in REGIONS),
    *ATTRIBUTES,
)
CORE = (
    *(
        "words",
        "best_words",
        "pictured",
        "empty",
        "heading",
        "record_rest",
        "record_links",
        "record_dated",
        "parent_rest",
    ),
    *("t_punct", "t_number", "t_capital", "words_rank", "longest"),
)
"""Link features whose mean over a group tells what kind of list it is."""
CORE_URL = (
    "slug_words",
    "id_digits",
    "date",
    "depth",
    "file",
    "digit_share",
    "number_tail",
    "same_host",
    "child",
    "family",
)
GROUPINGS = ("list", "style", "pattern", "shape")
URL_ALL = (*URL_FEATURES, *RELATION_FEATURES)
SAYS = {
    "says_other": "t_fixed rel_author last_u_fixed dir_u_fixed last_u_author dir_u_author",
    "says_section": "t_next t_prev t_home t_listing rel_next rel_tag rel_category page_number query_page date_end root "
    "last_u_section dir_u_section",
}
"""Words and marks that each are rare, together: one feature of many sites instead of many features of few."""
RELATIVE = (
    *(
        "depth",
        "last_chars",
        "slug_words",
        "digit_share",
        "id_digits",
        "html",
        "script",
        "directory",
        "index",
        "queries",
    ),
    *(
        "query_id",
        "encoded",
        "upper",
        "hash_slug",
        "number_tail",
        "first_depth_date",
        "says_other_more",
        "says_section_more",
    ),
)
"""Habits of a site rather than marks of its articles: they count as differences from the page's mean."""
CONTRASTS = tuple("html_dated directory_mixed digits_mixed directory_words directory_family unnumbered_words".split())
"""Products of two features that tell folders from the numbered files beside them, whatever a site's habits are."""
FEATURES = (
    *LINK_FEATURES,
    *(f"least_{name}" for name in CORE),
    *URL_ALL,
    *SAYS,
    *(f"{name}_more" for name in SAYS),
    *("links_to", "page_targets", "page_words", "page_long", "page_depth", "page_dated"),
    *(f"{group}_{name}" for group in GROUPINGS for name in ("count", "portion", *CORE, *CORE_URL, "words_spread")),
    *CONTRASTS,
)
"""Names of the columns of ``features.target_features``."""
_WIDTHS = (
    ("measures", len(MEASURES)),
    ("bits", len(LINK_FEATURES) - len(MEASURES)),
    ("least", len(CORE)),
    ("url", len(URL_FEATURES)),
    ("relation", len(RELATION_FEATURES)),
    ("says", len(SAYS)),
    ("says_more", len(SAYS)),
    ("links_to", 1),
    ("page", 5),
    ("grouped", len(GROUPINGS) * (3 + len(CORE) + len(CORE_URL))),
    ("contrasts", len(CONTRASTS)),
)
_ENDS = list(accumulate(width for _, width in _WIDTHS))
AT = {name: slice(end - width, end) for (name, width), end in zip(_WIDTHS, _ENDS, strict=True)}
"""Where the parts of a row lie."""
LINK_CORE_AT = [LINK_FEATURES.index(name) for name in CORE]
CORE_AT = LINK_CORE_AT + [AT["url"].start + URL_ALL.index(name) for name in CORE_URL]
"""Columns of ``CORE`` and ``CORE_URL``."""
RELATIVE_AT = [FEATURES.index(name, len(LINK_FEATURES)) for name in RELATIVE]
CONTRASTED_AT = [AT["url"].start + URL_ALL.index(name) for name in ("html", "directory", "id_digits", "family")]
"""Columns that :data:`CONTRASTS` multiply, besides the words and the dates of the page."""
SAYS_AT = [FEATURES.index(name) for names in SAYS.values() for name in names.split()]
SAYS_OF = np.array([[name in names.split() for names in SAYS.values()] for name in " ".join(SAYS.values()).split()])
"""Which kind each of the columns ``SAYS_AT`` speaks of, columns x kinds."""
