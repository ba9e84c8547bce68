"""Words that sites use in URLs and anchor texts, from ``vocabulary.json``:
conventional words, none special to one site."""

from __future__ import annotations

from sitecrawl.resources import table_beside

_TABLE = table_beside(__file__)

TAG_REGIONS: dict[str, str] = _TABLE["tag_regions"]  # region that an HTML element represents
URL_WORDS: dict[str, str] = _TABLE[
    "url_words"
]  # words of a URL's path or query that indicate each kind of page
TEXT_WORDS: dict[str, str] = _TABLE["text_words"]
"""Kind of anchor text, compared in lower case with counts, arrows and outer punctuation removed;
phrases are separated by ``|``."""
TEXT_ENDINGS: dict[str, str] = _TABLE["text_endings"]
"""Kind of a short East Asian anchor text by its last two characters: what navigation of such sites
calls fixed pages and listings."""
SEARCH_KEYS = frozenset(_TABLE["search_keys"].split())  # query keys of a site's own search
PERSONS = frozenset(_TABLE["persons"].split())  # folders of a URL with one page for each person
LOAD_MORE: str = _TABLE[
    "load_more"
]  # texts of controls that show more of a list, separated by ``|``
