"""A person's decisions about the page families of a site, read from the stores and written back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from sitecrawl.commands._help import OptionError
from sitecrawl.crawl.decisions import PageFamilyGate
from sitecrawl.crawl.site_models import site_of
from sitecrawl.crawl.site_state import PageFamilyStore
from sitecrawl.crawl.store import CrawlStore, SiteStore, Stores
from sitecrawl.site.judge import Decider, FamilyVerdict
from sitecrawl.site.model import SiteModel
from sitecrawl.site.page_families import DEFAULT_KINDS, Choice, PageFamily


def family_table(store: PageFamilyStore, choices: Mapping[str, Choice]) -> list[dict[str, Any]]:
    """The families of a site as JSON, by the number of pages that an answer may change. ``left`` is
    the share of pages whose items are written, 0..1."""
    judged = PageFamilyGate(store, DEFAULT_KINDS, choices).judged()
    return [
        {
            "family": family.name,
            "pages": family.pages,
            "dated": round(family.dated / max(1, family.pages), 2),
            "kind": str(family.kind),
            "fate": "leaves" if verdict.written else "stays",
            "by": str(verdict.by),
            "said": str(choices.get(family.name, "")),
            "doubtful": verdict.doubtful,
            "withheld": family.withheld,
            "left": round(1 - family.withheld / max(1, family.pages), 2),
            "why": _why(family, verdict, is_chosen=family.name in choices),
            "against": _against(store, family, verdict=verdict),
            "headlines": store.headlines(family.name),
            "example": store.example(family.name) if family.withheld else "",
        }
        for family, verdict in sorted(
            judged, key=lambda entry: (-entry[0].at_stake, -entry[0].pages)
        )
    ]


def _against(
    store: PageFamilyStore,
    family: PageFamily,
    *,
    verdict: FamilyVerdict,
) -> list[str]:
    """What speaks most against a family that the judge withholds, in words."""
    if verdict.written or verdict.by is not Decider.MODEL:
        return []
    return [f"{reason} ({pages} pages)" for reason, pages in store.against(family.name)]


def read_choices(path: str) -> dict[str, Choice | None]:
    """Choices for families from a file of ``sitecrawl families --json``, by name; raises
    OptionError for any other file."""
    try:
        with open(path, encoding="utf8") as lines:
            rows = [json.loads(line) for line in lines if line.strip()]
        return {row["family"]: Choice(row["said"]) for row in rows if row["said"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OptionError(f"{path} is no output of sitecrawl families --json: {error}") from error


def _why(family: PageFamily, verdict: FamilyVerdict, *, is_chosen: bool) -> str:
    """The reason of a verdict. Where it lets items be written that the last crawl left out, also
    why they are not written yet."""
    if is_chosen or not verdict.written or not family.withheld:
        return verdict.why
    left_out = f"the last crawl left out {family.withheld} items"
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

    def release(self) -> None:
        """Write the withheld items of the families that the user keeps. They belong to no run."""
        with self.state.at_once():
            for name, choice in self.model.choices.items():
                if choice is not Choice.KEEP:
                    continue
                for kept in list(self.state.families.withheld(name)):
                    self.state.write_article(kept.key, kept.item, digest=kept.digest)
                    self.state.families.release(kept.key)
