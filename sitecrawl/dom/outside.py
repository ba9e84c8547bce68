"""What stands among the paragraphs of an article and belongs to none: one table of what leaves every
body, told by structure or by the words that publishers use. Where only one page of a site has such an
element, neither a template nor the network knows better."""

from __future__ import annotations

import re

from sitecrawl.resources import table_beside

_TABLE = table_beside(__file__)
_LONGEST_NOTE = 60  # characters of a line that announces an advertisement
_SPACED = _TABLE["advertising"].replace(" ", "|").replace("_", r"\s")
_UNSPACED = _TABLE["advertising_unspaced"].replace(" ", "|")
_ADVERTISING = re.compile(rf"\b(?:{_SPACED})\b|{_UNSPACED}", re.I)
_SENTENCE_ENDS = (".", "?", "。", "？", "।")


def is_ad_label(text: str) -> bool:
    """Whether a text is nothing but the word for advertising, with signs around it.

    >>> [is_ad_label(text) for text in ("PUBLICIDAD", "- Anzeige -", "(広告)", "Anzeige erstattet")]
    [True, True, True, False]
    """
    if len(text) > _LONGEST_NOTE:
        return False
    found = _ADVERTISING.search(text)
    if found is None:
        return False
    around = text[: found.start()] + text[found.end() :]
    return not any(map(str.isalnum, around))


def mentions_advertising(text: str) -> bool:
    """Whether a short line that is no sentence mentions advertising. Where it stands on several pages,
    or several times on one, it says that the article continues below an advertisement.

    >>> [mentions_advertising(text) for text in ("Sigue leyendo tras el anuncio", "Das war nur Werbung.")]
    [True, False]
    """
    if len(text) > _LONGEST_NOTE or text.endswith(_SENTENCE_ENDS):
        return False
    return _ADVERTISING.search(text) is not None
