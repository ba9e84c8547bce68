"""How a synthetic portal speaks: headlines, slugs, dates and labels in one language."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from random import Random
from urllib.parse import quote

from benchmarks.portals.words import LANGUAGES, MONTHS, WIDE

_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Tongue:
    """One language and the chance that picks its words."""

    name: str
    chance: Random
    quoted: bool = False
    """Whether slugs keep the script of the language, percent-encoded."""

    @property
    def wide(self) -> bool:
        """Whether words stand without spaces."""
        return self.name in WIDE

    def words(self, kind: str) -> list[str]:
        """All words of a kind, where spaces part them."""
        return LANGUAGES[self.name][kind].split()

    def phrases(self, kind: str) -> list[str]:
        """All phrases of a kind."""
        return LANGUAGES[self.name][kind].split("|")

    def pick(self, kind: str) -> str:
        """One phrase of a kind."""
        return self.chance.choice(self.phrases(kind))

    def pairs(self, kind: str) -> list[tuple[str, str]]:
        """Names and their slugs, in random order."""
        found = [entry.partition("=") for entry in self.phrases(kind)]
        self.chance.shuffle(found)
        return [(text, slug or fold(text)) for text, _, slug in found]

    def headline(self, most: int = 14) -> str:
        """A headline of 2 to ``most`` words of the list, with the marks that headlines have."""
        chance, wide = self.chance, self.wide
        least, mean = (2, min(most, 8)) if wide else (2, min(most, 9))
        number = max(least, min(most, round(chance.gauss(mean, mean / 3))))
        chosen = [chance.choice(self.words("words")) for _ in range(number)]
        if chance.random() < 0.15:
            chosen.insert(chance.randrange(number), str(chance.choice((2019, 2023, 3, 10, 50, 1200))))
        text = ("" if wide else " ").join(chosen)
        text = text[0].upper() + text[1:]
        roll = chance.random()
        marks = ("“{}”", "{}？", "【{}】", "{}（图）") if wide else ('"{}"', "{}?", "{}!", "{}: " + chosen[0])
        return chance.choice(marks).format(text) if roll < 0.12 else text

    def text(self, size: int) -> str:
        """Running text of about ``size`` words of the list."""
        chosen = [self.chance.choice(self.words("words")) for _ in range(size)]
        return f"{''.join(chosen)}。" if self.wide else f"{' '.join(chosen).capitalize()}."

    def slug(self, headline: str) -> str:
        """A headline as a part of a URL: its words folded, or made-up ones where the script is not Latin."""
        latin = LANGUAGES[self.name].get("latin")
        if latin and self.quoted:
            return quote("-".join(headline.split()).strip("?？!“”【】（图）:"))
        if latin:
            return "-".join(self.chance.choice(latin.split()) for _ in range(self.chance.randint(1, 8)))
        return fold(headline)

    def day(self, form: str, when: date, count: int = 0) -> str:
        """A date, or a month, in one of the forms of the language."""
        month = MONTHS[self.name].split()[when.month - 1]
        return form.format(y=when.year, m=when.month, d=when.day, M=month, n=count)


def fold(text: str) -> str:
    """Text as a slug of ASCII letters.

    >>> fold("Über uns"), fold("Économie!")
    ('uber-uns', 'economie')
    """
    plain = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    return "-".join(_WORD.findall(plain))
