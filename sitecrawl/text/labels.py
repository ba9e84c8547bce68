"""Words that stand beside names in by-lines, in the languages of ``labels.json``: one row a label,
with its language, what it says, where it stands, and where it comes from."""

from __future__ import annotations

from functools import cache
from typing import cast

from sitecrawl.resources import table_beside

_ROWS = cast(list[dict[str, str]], table_beside(__file__))
"""``kind``: what a label announces (``author``, ``editor``, ``other`` people, a ``fact``), or what
stands in place of a name: an ``office``, an ``organisation``, a ``placeholder`` that a program
wrote, ``nobody``. ``form``: a ``word`` needs a blank behind it and begins a text, a ``phrase``
may be anywhere, a label with a ``colon`` needs one (or a slash), a ``mark`` needs nothing, one
``behind`` follows its name, a ``part`` is one of the words of a name."""


@cache
def words_of(kind: str, *forms: str) -> str:
    """The labels of a kind, of some or of all forms, as alternatives of a regular expression. Longer
    ones come first, because a label may begin as another does."""
    found = {row["label"] for row in _ROWS if row["kind"] == kind}
    if forms:
        found = {row["label"] for row in _ROWS if row["kind"] == kind and row["form"] in forms}
    return "|".join(sorted(found, key=lambda label: (-len(label), label)))
