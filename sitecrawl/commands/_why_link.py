"""Why a link got its label: the parts of the SVM's margin, gathered under a few names, each explained by a sentence about the page."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from sitecrawl.crawl.url_stats import ENOUGH, MIXED
from sitecrawl.items.kinds import LinkLabel
from sitecrawl.links.classify import KINDS, LABELS, Link, Profile, Reason, groups_of, links_of, reasons
from sitecrawl.links.facts import PageFacts
from sitecrawl.links.link_features import FEATURES, Targets, target_features
from sitecrawl.links.link_model import LinkModel
from sitecrawl.links.regions import REGIONS
from sitecrawl.links.url_facts import URL_FEATURES
from sitecrawl.resources import table_beside
from sitecrawl.text.chars import printable
from sitecrawl.urls.canonical import normal, url_key

_TABLE = table_beside(__file__)
_PLACES: dict[str, str] = _TABLE["places"]
"""Where a link stands, by region of the page. A link in several regions is described by the first."""
_MARKS: dict[str, str] = _TABLE["marks"]
"""What a word or attribute says of a link, by feature."""
_NOUNS = {
    LinkLabel.ARTICLE: "an article",
    LinkLabel.SECTION: "a section",
    LinkLabel.OTHER: "neither article nor section",
}
_LEVELS = {"pattern": "URLs of this shape", "path": "Links at this place", "both": "URLs of this shape at this place"}
"""How links are alike of which the crawl has fetched some, by key of ``Profile.outcomes``."""


@dataclass(frozen=True)
class LinkFacts:
    """One link of a page: ``found`` are the numbers of its occurrences, ``target`` is its row of the features (-1: not a page of the site)."""

    facts: PageFacts
    targets: Targets
    links: list[Link]
    found: list[int]

    @property
    def link(self) -> Link:
        return self.links[self.found[0]]

    @property
    def target(self) -> int:
        return int(self.targets.of[self.found[0]])

    @cached_property
    def values(self) -> dict[str, float]:
        """Features by name; those of the URL as they are, not as differences from the page's mean. The regions around the link are
        all there, also those that the model does not learn from.
        """
        row = self.targets.matrix[self.target].tolist()
        own = self.targets.facts[self.target].values
        regions = {f"in_{name}": float(self.column("mask") >> bit & 1) for bit, name in enumerate(REGIONS)}
        return regions | dict(zip(FEATURES, row, strict=True)) | dict(zip(URL_FEATURES, own, strict=True))

    def column(self, name: str) -> int:
        """A count of this link, from the facts of its page."""
        return int(self.facts.column(name)[self.found[0]])

    @property
    def same_place(self) -> list[Link]:
        """Links with the same tag path."""
        return [other for other in self.links if other.group == self.link.group]

    @property
    def same_pattern(self) -> list[Link]:
        """Links whose URLs have the same pattern, one for each page that they lead to."""
        own, facts = self.targets.facts[self.target].pattern, self.targets.facts
        pairs = zip(self.targets.first, facts, strict=True)
        return [self.links[int(first)] for first, other in pairs if other.pattern == own]


def find_link(url: str, facts: PageFacts, *, model: LinkModel, profile: Profile) -> LinkFacts | None:
    """The link to ``url`` on a page, labelled as a crawl of the site would label it; None where the page has no such link.

    A link that names the page in another way (``/a/index.html`` for ``/a/``) counts where none names it in this way.
    """
    found = [n for n, other in enumerate(facts.urls) if normal(other) == normal(url)]
    found = found or [n for n, other in enumerate(facts.urls) if url_key(other) == url_key(url)]
    if not found:
        return None
    targets = target_features(facts)
    guess = model.probabilities(targets)
    adapted = profile.adapt(guess, groups_of(facts, targets), facts=targets.facts) if profile else guess
    return LinkFacts(facts, targets, links_of(facts, targets, guess=guess, found=adapted), found)


def link_known(one: LinkFacts, model: LinkModel, *, profile: Profile) -> dict[str, Any]:
    """What is known of a link, as data; ``sentences`` explains it to a person."""
    link, group = one.link, one.same_place
    known: dict[str, Any] = {
        "url": link.url,
        "page": one.facts.url,
        "label": str(link.label),
        "score": round(link.score, 4),
        "pagination": link.pagination,
        "scores": {str(name): round(score, 4) for name, score in link.scores.items()},
        "guess": {str(name): round(score, 4) for name, score in zip(LABELS, link.guess, strict=True)},
        "occurrences": len(one.found),
        "text": link.text,
        "group": {"path": link.group, "links": len(group), "articles": sum(one.label == "article" for one in group)},
        "seen": None,
        "reasons": None,
    }
    if one.target < 0:
        return known | {"sentences": [f"Other, by rule: {_no_page(link)}"]}
    head = LABELS.index(LinkLabel.SECTION if link.label is LinkLabel.SECTION else LinkLabel.ARTICLE)
    ranked = reasons(model, one.targets, target=one.target, label=head)
    seen = profile.outcomes(link.url, link.group)
    sentences = [*_why(one, ranked), *_evidence(link, seen)]
    return known | {"seen": seen, "reasons": _numbers(ranked, head), "sentences": sentences}


def link_numbers(known: dict[str, Any]) -> Iterator[str]:
    """The figures behind the sentences."""
    yield "  ".join(f"{name} {score:.3f}" for name, score in known["scores"].items())
    yield "by the model alone: " + "  ".join(f"{name} {score:.3f}" for name, score in known["guess"].items())
    yield f"links to it on the page: {known['occurrences']}; text: {known['text'][:60]!r}"
    group = known["group"]
    yield f"tag path {printable(group['path'])}: {group['links']} links, of them articles: {group['articles']}"
    for level, (articles, listings, others) in (known["seen"] or {}).items():
        yield f"fetched before, by {level}: {articles} articles, {listings} listing pages, {others} others"
    for title in ("for", "against") if known["reasons"] else ():
        yield f"{title} {known['reasons']['of']}:"
        for reason in known["reasons"][title]:
            yield f"  {reason['weight']:+.3f}  {reason['feature']} = {reason['value']:.3g}"


def _numbers(ranked: Sequence[Reason], head: int, *, shown: int = 8) -> dict[str, Any]:
    """The ``shown`` features that weigh most for and against a label, and the weight of each named reason."""
    numbers: dict[str, Any] = {"of": str(LABELS[head])}
    numbers["named"] = {name: round(weight, 4) for name, weight in gathered(ranked).items()}
    for side, sign in (("for", 1), ("against", -1)):
        chosen = [one for one in ranked if one.weight * sign > 0][:shown]
        numbers[side] = [{"feature": it.name, "value": float(it.value), "weight": float(it.weight)} for it in chosen]
    return numbers


def gathered(ranked: Sequence[Reason]) -> dict[str, float]:
    """What the features of each row of ``_REASONS`` add to the margin together, the strongest first."""
    found: defaultdict[str, float] = defaultdict(float)
    for one in ranked:
        found[next(name for name, (pattern, _) in _REASONS.items() if re.match(pattern, one.name))] += one.weight
    return dict(sorted(found.items(), key=lambda item: -abs(item[1])))


def _why(one: LinkFacts, ranked: Sequence[Reason], *, most: int = 4, slight: float = 0.12) -> Iterator[str]:
    """The label, then the strongest reasons for it and half as many against it; those below ``slight`` of the strongest are left out.

    The margin is that of the article (or section) label, so what speaks against an article speaks for ``other``.
    """
    label = one.link.label
    kind = f"{_NOUNS[label]} link".capitalize() if label is not LinkLabel.OTHER else _NOUNS[label].capitalize()
    yield f"{kind}{' (another part of a listing)' * one.link.pagination}, {percent(one.link.score)} sure."
    sign = -1 if label is LinkLabel.OTHER else 1
    named = {name: sign * weight for name, weight in gathered(ranked).items()}
    least = slight * max((abs(weight) for weight in named.values()), default=0.0)
    for title, side, count in (("Why", 1, most), ("But", -1, most // 2)):
        chosen = [name for name, weight in named.items() if weight * side > least][:count]
        for start, name in zip((f"{title}:", *["  and"] * count), chosen, strict=False):
            yield f"{start} {_REASONS[name][1](one, side)}"


def _evidence(link: Link, seen: dict[str, tuple[int, int, int]]) -> Iterator[str]:
    """What the pages that the crawl fetched add to the model's guess."""
    if not seen:
        return
    level, counts = next(iter(seen.items()))
    names = {"article": "articles", "section": "listing pages", "other": "neither articles nor listing pages"}
    count = counts[KINDS.index("listing" if link.label is LinkLabel.SECTION else link.label)]
    times = "times" if sum(counts) > 1 else "time"
    yield f"{_LEVELS[level]} were {names[link.label]} {count} of {sum(counts)} {times} when the site was crawled."
    before, score = max(zip(LABELS, link.guess, strict=True), key=lambda pair: pair[1])
    if before is not link.label:
        yield f"That changed the label: the model alone took the link for {_NOUNS[before]}, {percent(score)} sure."
    articles, *others = seen.get("pattern", (0, 0, 0))
    if link.label is not LinkLabel.ARTICLE and articles >= ENOUGH and sum(others) <= MIXED * articles:
        yield "A crawl of the site opens it as an article all the same, since nearly all pages of this shape were."


def _no_page(link: Link) -> str:
    """Why a link leads to no page that could be an article."""
    scheme = urlsplit(link.url).scheme
    if link.href.strip().startswith("#"):
        return "it leads to a place on the same page."
    if scheme not in ("http", "https"):
        return f"it opens no web page ({printable(scheme or 'no URL')})."
    return "it leads to another site, a file, a feed, a person's page or an action such as log-in."


# ---- a sentence for each named reason: of the link, and the side on which the reason stands (1 for the label, -1 against it)
def _list(one: LinkFacts, side: int) -> str:
    place = next((name for region, name in _PLACES.items() if one.values.get(f"in_{region}")), "the page")
    group = one.same_place
    if len(group) == 1:
        return f"it stands alone in {place}"
    beside = " with dates or authors beside them" if one.values.get("near_meta") or one.values.get("near_date") else ""
    return f"it stands in {place}, one of {len(group)} links alike{beside}, {_of_which(group)}"


def _shape(one: LinkFacts, side: int) -> str:
    links = one.same_pattern
    if len(links) == 1:
        return "no other link of the page has a URL of this shape"
    return f"URLs of this shape lead to {len(links)} pages, {_of_which(links)}"


def _of_which(links: Sequence[Link]) -> str:
    """How many of the links look like articles, and like sections."""
    counts = {name: sum(other.label == name for other in links) for name in ("article", "section")}
    if len(links) in counts.values():
        return f"which all look like {max(counts, key=lambda name: counts[name])}s"
    some = " and ".join(f"{count} look like {name}s" for name, count in counts.items() if count)
    return f"of which {some}" if some else "none of which looks like an article or a section"


def _itself(one: LinkFacts, side: int) -> str:
    """The first stage sees a link without the labels of the links around it."""
    looks = "looks" if side > 0 else "does not look"
    return f"taken by itself, without the links beside it, it {looks} like {_NOUNS[one.link.label]}"


def _page(one: LinkFacts, side: int) -> str:
    return f"the page holds {len(one.targets.facts)} links to pages of the site"


def _marks(one: LinkFacts, side: int) -> str:
    found = [
        text for mark, text in _MARKS.items() if any(one.values.get(f"{at}{mark}") for at in ("", "last_", "dir_"))
    ]
    return " and ".join(dict.fromkeys(found)) or "no word of its text or URL marks a listing or a fixed page"


def _text(one: LinkFacts, side: int) -> str:
    words = one.column("words")
    if not words:
        return "it is a picture without words" if one.column("images") else "it has no text"
    if one.values.get("t_number"):
        return "its text is a number"
    return f"its text is {words} words long" if words > 1 else "its text is a single word"


def _beside(one: LinkFacts, side: int) -> str:
    rest = max(0, one.column("record_size") - one.column("size"))
    return f"{rest} bytes of other text stand beside it, as in a teaser" if rest else "no other text stands beside it"


def _relation(one: LinkFacts, side: int) -> str:
    below = round(math.expm1(one.values["family"]))
    if one.values["self"]:
        return "it leads to this very page"
    if below:
        return f"{below} other links lead to pages below it, as to the articles of a section"
    return "it leads below this page" if one.values["child"] else "no other link leads to pages below it"


def _address(one: LinkFacts, side: int) -> str:
    has, words = one.values, round(math.expm1(one.values["slug_words"]))  # the feature is log(1 + words)
    parts = {
        "a date": has["date"] or has["date_end"],
        "a number": has["id_digits"],
        f"{words} words": words > 2,
        "a page number": has["page_number"] or has["query_page"],
    }
    if any(parts.values()):
        return "its URL holds " + " and ".join(name for name, there in parts.items() if there)
    form = "the start page of a site" if has["root"] else "a folder" if has["directory"] else "a short name"
    return f"its URL is {form}, without date, number or headline"


_REASONS: dict[str, tuple[str, Callable[[LinkFacts, int], str]]] = {
    "list": (r"style[ _]|similarity$|ordinal$|list_size$|in_|near_|offset$", _list),
    "shape": (r"pattern[ _]|same_pattern$|same_shape$", _shape),
    "itself": (r"(article|section) (margin|vote)$", _itself),
    "page": (r"page (article|section) vote$|page_depth$", _page),
    "marks": (r"says_|rel_|nofollow$|t_(more|next|prev|home|comment|fixed|listing)$|(last|dir)_u_", _marks),
    "text": (r"(best_)?words$|size$|t_|pictured$|empty$|title", _text),
    "beside": (r"record_|parent_", _beside),
    "relation": (r"same_|child$|family|self$|links_to$", _relation),
    "address": (r"", _address),
}
"""Named reasons: the features that belong to each (the first pattern that matches counts), and the sentence that explains it."""


def percent(share: float) -> str:
    """A probability in whole percent; near the ends it is never called certain.

    >>> percent(0.9971), percent(0.4), percent(0.0)
    ('more than 99 %', '40 %', 'less than 1 %')
    """
    return "more than 99 %" if share > 0.99 else "less than 1 %" if share < 0.01 else f"{share:.0%}".replace("%", " %")
