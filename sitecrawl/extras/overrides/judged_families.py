"""A person's decisions about the page families of a site, read from the stores and written back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from sitecrawl.crawl.decisions import PageFamilyGate
from sitecrawl.crawl.reasons import numbered
from sitecrawl.crawl.site_models import site_of
from sitecrawl.crawl.site_state import PageFamilyStore
from sitecrawl.crawl.store import CrawlStore, SiteStore, Stores
from sitecrawl.site.judge import FamilyVerdict
from sitecrawl.site.model import SiteModel
from sitecrawl.site.page_families import DEFAULT_KINDS, Choice, PageFamily

_HEADLINE = 60  # characters of a headline that describes a family


def family_table(store: PageFamilyStore, choices: Mapping[str, Choice]) -> list[dict[str, Any]]:
    """The families of a site as JSON, by the number of pages that an answer may change: ``number``
    is the place. ``fate`` is what becomes of the items, and ``written`` the share of pages whose
    items are written, 0..1."""
    gate = PageFamilyGate(store, DEFAULT_KINDS, choices)
    judged = sorted(
        gate.judged(),
        key=lambda entry: (-entry[0].at_stake, -entry[0].pages),
    )
    return [
        {
            "number": number,
            "family": family.name,
            "like": described(family, store.headlines(family.name)),
            "pages": family.pages,
            "dated": round(family.dated / max(1, family.pages), 2),
            "kind": str(family.kind),
            "fate": _fate(family, verdict),
            "by": str(verdict.by),
            "said": str(choices.get(family.name, "")),
            "doubtful": verdict.doubtful,
            "withheld": family.withheld,
            "written": round(1 - family.withheld / max(1, family.pages), 2),
            "why": _why(family, verdict, is_chosen=family.name in choices),
            "against": gate.against(family, verdict),
            "headlines": store.headlines(family.name),
            "example": store.example(family.name) if family.withheld else "",
        }
        for number, (family, verdict) in enumerate(judged, 1)
    ]


def described(family: PageFamily, headlines: Sequence[str]) -> str:
    """A family as a person knows it: by the headline of a page, whether there is a day, the type
    that the site names, and the folder."""
    pages = numbered(family.pages, "page")
    like = f" like {headlines[0][:_HEADLINE]!r}" if headlines else ""
    day = "a day on each" if family.dated else "no day"
    type_name = f", which the site calls {family.type}" if family.type else ""
    folder = family.name.split(" ")[0].rpartition("/")[0]
    return f"{pages}{like}, {day}{type_name}, in {folder}/"


def _fate(family: PageFamily, verdict: FamilyVerdict) -> str:
    """What becomes of the items: ``written``, ``withheld`` until a later crawl writes them, or
    ``left out``."""
    if not verdict.written:
        return "left out"
    return "withheld" if family.withheld >= family.pages else "written"


def _why(family: PageFamily, verdict: FamilyVerdict, *, is_chosen: bool) -> str:
    """The reason of a verdict. Where it lets items be written that the last crawl left out, also
    why they are not written yet."""
    if is_chosen or not verdict.written or not family.withheld:
        return verdict.why
    left_out = f"the last crawl withheld {numbered(family.withheld, 'item')}"
    return (
        f"{verdict.why}; {left_out}, since its kinds= does not name them, or since it was stopped"
    )


@dataclass(frozen=True, slots=True)
class JudgedFamilies:
    """The page families of one site, and the user's choices for them."""

    state: CrawlStore
    learned: SiteStore
    model: SiteModel

    @classmethod
    @contextmanager
    def of(cls, stores: Stores, site: str) -> Iterator[JudgedFamilies]:
        """The families of a site while its stores are open. Raises TemplateError if the site is
        unknown."""
        with closing(stores.learned()) as learned:
            model = site_of(learned, site)
            with closing(stores.crawl(site)) as state:
                yield cls(state, learned, model)

    def table(self) -> list[dict[str, Any]]:
        return family_table(self.state.families, self.model.choices)

    def store_choices(self, choices: dict[str, Choice | None]) -> None:
        """Store the user's choices for families, by name; None removes one."""
        self.model.choices = {
            name: choice for name, choice in (self.model.choices | choices).items() if choice
        }
        if choices:
            self.learned.save(self.model.site, self.model.to_dict())

    def kept_items(self) -> list[dict[str, Any]]:
        """The withheld items of the families that the user keeps."""
        kept = [name for name, choice in self.model.choices.items() if choice is Choice.KEEP]
        return [one.item for name in kept for one in self.state.families.withheld(name)]

    def release(self) -> list[dict[str, Any]]:
        """Write the withheld items of the families that the user keeps into the state; returns
        them. They belong to no run."""
        written = list[dict[str, Any]]()
        with self.state.at_once():
            for name, choice in self.model.choices.items():
                if choice is not Choice.KEEP:
                    continue
                for kept in list(self.state.families.withheld(name)):
                    self.state.write_article(kept.key, kept.item, digest=kept.digest)
                    self.state.families.release(kept.key)
                    written.append(kept.item)
        return written
