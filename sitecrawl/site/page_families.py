"""Page families: the pages of a site that share URL pattern, content type of the CMS, and whether
they are dated. A site has about eleven. A family is written or left out as a whole, because a
single page is often ambiguous and a family is not. The verdict depends on sums over the pages, so
neither the order of answers nor an interruption changes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import exp

from sitecrawl.extract.weights import LogisticModel
from sitecrawl.items.kinds import PageKind
from sitecrawl.site.content_type import kind_of_type

FEATURES = (
    "promise of the link",
    "certainty of the headline",
    "confidence of the extractor",
    "printed date",
)
"""Inputs of the classifier: the logit of the link's probability (clipped to 0.02..0.98), the
confidences in headline and body (0..1), and whether the page prints its date."""
MODEL = LogisticModel("page_family.json", FEATURES, trainer="train_page_family")
"""The learned veto: it gives the log-odds that a page is an article. Raises ModelError if the file
cannot be read."""
_ENOUGH = 6  # pages of a type that prove what the site calls its articles
_FEW = 3  # weighed pages that prove nothing of a family
_UNSURE = 2.0  # log-odds below which a person should check a family
DEFAULT_KINDS = frozenset((PageKind.ARTICLE, PageKind.THREAD))


class Choice(StrEnum):
    """What the user chose for a family: to write its items, or to leave them out."""

    KEEP = "keep"
    DROP = "drop"


class Decider(StrEnum):
    """Who decided on a family."""

    USER = "user"
    KINDS = "kinds="
    TYPE = "CMS type"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class FamilyEvidence:
    """The evidence of one page for its family. ``log_odds`` that it is an article are None if only
    a template read the page."""

    family: str
    kind: PageKind
    dated: bool
    headline: str = ""
    log_odds: float | None = None


@dataclass(frozen=True, slots=True)
class PageFamily:
    """Sums over the pages of a family; ``log_odds`` is the sum over the ``weighed`` pages that have
    them."""

    name: str
    kind: PageKind
    type: str = ""
    pages: int = 0
    dated: int = 0
    weighed: int = 0
    log_odds: float = 0.0
    withheld: int = 0  # items that are not written yet

    @property
    def mean(self) -> float:
        """Mean log-odds that a page of the family is an article; 0 without weighed pages."""
        return self.log_odds / self.weighed if self.weighed else 0.0

    @property
    def at_stake(self) -> float:
        """Number of pages that a verdict by ``mean`` is expected to get wrong; families are shown
        to a person in this order."""
        return self.pages / (1 + exp(abs(self.mean))) if self.weighed else 0.0


@dataclass(frozen=True, slots=True)
class FamilyVerdict:
    """Whether the items of a family are written, who decided, and the reason in words for users.
    ``doubtful``: a person should check it."""

    written: bool
    why: str
    doubtful: bool = False
    by: Decider = Decider.MODEL


def family_name(
    pattern: str,
    content_type: str,
    *,
    dated: bool,
) -> str:
    """Name of a family, the same on every visit.

    >>> family_name("/news/#/*-*", "post", dated=True), family_name("/about", "", dated=False)
    ('/news/#/*-* post dated', '/about undated')
    """
    return " ".join(filter(None, (pattern, content_type, "dated" if dated else "undated")))


def type_in(name: str) -> str:
    """The content type in a family's name.

    >>> type_in("/news/#/*-* post dated"), type_in("/about undated")
    ('post', '')
    """
    words = name.split(" ")
    return words[-2] if len(words) > 2 else ""


def judge_families(
    families: Collection[PageFamily],
    *,
    kinds: Collection[PageKind],
    choices: Mapping[str, Choice],
) -> dict[str, FamilyVerdict]:
    """The verdict on every family, by name: the ``choices`` of the user, else the content type of
    the CMS, else the learned veto."""
    total = sum(family.pages for family in families)
    main = _main_type(families)
    verdicts = dict[str, FamilyVerdict]()
    for family in families:
        choice = choices.get(family.name)
        if choice:
            is_kept = choice is Choice.KEEP
            verdicts[family.name] = FamilyVerdict(is_kept, f"you said {choice}", by=Decider.USER)
        else:
            by_type = _by_type(family, kinds, main=main)
            verdicts[family.name] = by_type or _by_veto(family, total)
    return verdicts


def _main_type(families: Iterable[PageFamily]) -> str:
    """The most frequent type that names articles; empty if few pages have one, since then types
    prove nothing."""
    pages = Counter[str]()
    for family in families:
        if kind_of_type(family.type) is PageKind.ARTICLE:
            pages[family.type] += family.pages
    name, count = next(iter(pages.most_common(1)), ("", 0))
    return name if count >= _ENOUGH else ""


def _by_type(
    family: PageFamily,
    kinds: Collection[PageKind],
    *,
    main: str,
) -> FamilyVerdict | None:
    """The verdict by the content type of the pages; None if the type is unknown."""
    named = kind_of_type(family.type)
    kind = named or family.kind
    if kind.is_article and kind not in kinds:
        why = f"their kind is {kind}, which kinds= does not name"
        return FamilyVerdict(False, why, by=Decider.KINDS)
    if named in kinds and named not in DEFAULT_KINDS:
        why = f"the site calls these pages {family.type}, and kinds={named} asks for them"
        return FamilyVerdict(True, why, by=Decider.KINDS)
    if named is None or named in kinds:
        return None
    if named is PageKind.LISTING:
        return FamilyVerdict(False, f"the site calls these pages {family.type}", by=Decider.TYPE)
    why = f"the site calls these pages {family.type} and its articles {main}"
    return FamilyVerdict(False, why, by=Decider.TYPE) if main else None


def _by_veto(family: PageFamily, total: int) -> FamilyVerdict:
    """The verdict of the learned veto. It never drops a family with a quarter of the pages or more.
    Below ``_UNSURE`` log-odds a family is doubtful: of 45 families between 0 and 2 on 54 sites 29
    were no articles, of 304 families above 2 only 52. More than ``_FEW`` pages must be weighed, or
    half of all: those that a template reads without a doubt are not, and a few others are the odd
    ones."""
    is_known = family.weighed > _FEW or 2 * family.weighed >= family.pages
    if is_known and family.mean < 0 and 4 * family.pages < total:
        why = "by links, headlines and text these pages look unlike articles"
        return FamilyVerdict(False, why, doubtful=True)
    why = "these pages look like articles"
    doubtful = bool(family.weighed) and family.mean < _UNSURE
    return FamilyVerdict(True, f"{why} by a narrow margin" if doubtful else why, doubtful)
