"""What sets a synthetic portal apart beyond its kind: habits that some sites have and most have not, drawn apart from the design."""

from __future__ import annotations

from random import Random

ALL = "gov school news company blog forum org lists"
SHARES: dict[str, dict[str, float]] = {
    "family": {ALL: 0.45, "forum": 0.7},
    "mirror": {ALL: 0.2},
    "hashed": {ALL: 0.06, "gov school company": 0.12},
    "tables": {ALL: 0.1, "gov school": 0.3, "forum": 0.5},
    "tasks": {ALL: 0.06, "gov": 0.4, "school": 0.3, "org": 0.7, "company": 0.2},
    "products": {"company": 0.65, "blog": 0.05, "org": 0.1},
    "mega": {ALL: 0.05, "news": 0.4, "org blog company": 0.15},
    "pinned": {ALL: 0.05, "blog org": 0.15},
    "wordless": {ALL: 0.12, "news blog org": 0.2},
    "attachments": {ALL: 0.08, "news": 0.2, "blog org": 0.4},
    "issues": {ALL: 0.06, "org": 0.15},
    "boards": {"forum": 0.75},
    "letters": {"lists": 1.0},
    "deep": {ALL: 0.3},
}
"""Share of the sites of a kind that have a habit; the last kind named counts.

``family`` URLs of one program; ``mirror`` a copy on disk; ``hashed`` listings named by a machine; ``tables`` layout in tables;
``tasks`` many pages of services or of an association in the menus; ``products`` a catalogue; ``mega`` menus that hold posts;
``pinned`` articles among the entries of the menu; ``wordless`` links without words beside unlinked headings; ``attachments``
pictures that lead one step below the article; ``issues`` articles named by a month or number; ``boards`` an index of boards with last
posts; ``letters`` archives of a mailing list; ``deep`` menus that open twice.
"""


def drawn(number: int, kind: str, seed: str) -> frozenset[str]:
    """The habits of a site."""
    chance, found = Random(f"{seed} {number} traits"), set()
    for trait, shares in SHARES.items():
        share = [value for kinds, value in shares.items() if kind in kinds.split()]
        if chance.random() < (share[-1] if share else 0.0):
            found.add(trait)
    return frozenset(found)
