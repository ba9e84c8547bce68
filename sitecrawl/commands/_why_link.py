"""Why a link got its label, in sentences: the parts of the SVM's margin gathered under a few names, each told by the facts behind it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
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
from sitecrawl.links.training.dataset import normal
from sitecrawl.links.url_facts import URL_FEATURES
from sitecrawl.text.chars import printable

_SHOWN = 8
"""Features of each side that ``--verbose`` lists."""
_MOST_FOR, _MOST_AGAINST = 4, 2
"""Reasons that are told of each side."""
_SLIGHT = 0.12
"""Share of the strongest reason below which another one is not told."""
_NAMED = (
    ("list", r"style[ _]|listed$|ordinal$|list_size$|path_count$|in_|near_|offset$"),
    ("shape", r"pattern[ _]|same_pattern$|same_shape$"),
    ("itself", r"(article|section) (margin|vote)$"),
    ("page", r"page (article|section) vote$|page_(targets|words|long|depth)$"),
    ("marks", r"says_|rel_|nofollow$|t_(more|next|prev|home|comment|fixed|listing)$|(last|dir)_u_"),
    ("text", r"(best_)?words$|size$|t_|pictured$|empty$|title"),
    ("beside", r"record_|parent_"),
    ("relation", r"same_|child$|family|self$|depth_more$|links_to$"),
    ("address", r""),
)
"""Names of reasons, and the features that belong to each; the first that fits counts."""
_PLACES = {
    "crumb": "the breadcrumbs", "pager": "the pagination", "comment": "the comments", "user": "a box for search or log-in", "language": "a choice of languages",
    "share": "a row of share buttons", "friend": "a list of partner sites", "nav": "a menu", "foot": "the footer", "head": "the header", "related": "a block of related or popular pages",
    "tags": "a list of tags or categories", "toc": "a table of contents", "date": "a calendar or archive list", "side": "a side column", "meta": "a line of details", "table": "a table",
    "main": "the main part of the page", "entry": "the main part of the page",
}  # fmt: skip
"""Places on a page by the region that tells of them, the most telling first."""
_MARKS = {
    "t_next": "its text says next or previous", "t_prev": "its text says next or previous", "t_home": "its text says home", "t_more": "its text says more",
    "t_comment": "its text counts comments", "t_fixed": "its text is that of a fixed page (about, contact)", "t_listing": "its text names a listing",
    "rel_next": "it is marked as the next page", "rel_tag": "it is marked as a tag", "rel_category": "it is marked as a category", "rel_author": "it is marked as an author",
    "u_section": "a word of its URL names a listing", "u_page": "a word of its URL counts pages", "u_article": "a word of its URL names articles", "u_forum": "a word of its URL names a forum",
    "u_thread": "a word of its URL names threads", "u_author": "a word of its URL names a person's page", "u_fixed": "a word of its URL names a fixed page",
    "u_media": "a word of its URL names pictures or videos", "u_attachment": "a word of its URL names an attachment", "u_product": "a word of its URL names products",
    "u_comment": "a word of its URL names comments",
}  # fmt: skip


@dataclass(frozen=True)
class LinkFacts:
    """One link of a page before model and evidence: ``found`` are the numbers of its occurrences, ``target`` its row (-1: it leads to no page)."""

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
        """Features by name; those of the URL as they are, not as differences from the page's mean."""
        row = self.targets.matrix[self.target].tolist()
        return dict(zip(FEATURES, row, strict=True)) | self.url

    @cached_property
    def url(self) -> dict[str, float]:
        return dict(zip(URL_FEATURES, self.targets.facts[self.target].values, strict=True))

    def column(self, name: str) -> int:
        """A whole number of the link's own."""
        return int(self.facts.column(name)[self.found[0]])

    @property
    def alike(self) -> list[Link]:
        """Links at the same kind of place."""
        return [other for other in self.links if other.group == self.link.group]

    @cached_property
    def shaped_alike(self) -> list[Link]:
        """Links whose URLs have the same pattern, one for each page that they lead to."""
        own, facts = self.targets.facts[self.target].pattern, self.targets.facts
        return [
            self.links[int(first)]
            for first, other in zip(self.targets.first, facts, strict=True)
            if other.pattern == own
        ]


def find_link(url: str, facts: PageFacts, model: LinkModel, profile: Profile) -> LinkFacts | None:
    """The link ``url`` of a page, labelled as a crawl of the site would label it; None where the page has no such link."""
    found = [n for n, other in enumerate(facts.urls) if normal(other) == normal(url)]
    if not found:
        return None
    targets = target_features(facts)
    guess = model.probabilities(targets)
    adapted = profile.adapt(guess, groups_of(facts, targets), targets.facts) if profile else guess
    return LinkFacts(facts, targets, links_of(facts, targets, guess, adapted), found)


def link_known(one: LinkFacts, model: LinkModel, profile: Profile) -> dict[str, Any]:
    """What is known of a link, as data; ``sentences`` says it to a person."""
    link, alike = one.link, one.alike
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
        "group": {
            "path": link.group,
            "links": len(alike),
            "articles": sum(other.label == "article" for other in alike),
        },
        "seen": None,
        "reasons": None,
    }
    if one.target >= 0:
        head = 1 if link.label is LinkLabel.SECTION else 0
        ranked = reasons(model, one.targets, one.target, head)
        seen = profile.outcomes(link.url, link.group)
        known |= {"seen": seen, "reasons": _numbers(ranked, head)}
        known["sentences"] = [*_labelled(link), *_told(one, ranked, head), *_evidence(link, seen)]
    else:
        known["sentences"] = ["Other, by rule: " + _no_page(link)]
    return known


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


def _numbers(ranked: list[Reason], head: int) -> dict[str, Any]:
    """The features that say most for and against a label, strongest first, and what the named reasons add up to."""
    rows: list[dict[str, Any]] = [
        {"feature": one.name, "value": float(one.value), "weight": float(one.weight)} for one in ranked
    ]
    sides = {side: [one for one in rows if one["weight"] * sign > 0] for side, sign in (("for", 1), ("against", -1))}
    named = {name: round(weight, 4) for name, weight in _gathered(ranked).items()}
    return {"of": str(LABELS[head]), "named": named} | {side: those[:_SHOWN] for side, those in sides.items()}


def _gathered(ranked: list[Reason]) -> dict[str, float]:
    """What the features of each named reason add to the margin together, the strongest first."""
    found: dict[str, float] = defaultdict(float)
    for one in ranked:
        found[next(name for name, form in _NAMED if re.match(form, one.name))] += one.weight
    return dict(sorted(found.items(), key=lambda item: -abs(item[1])))


def _labelled(link: Link) -> Iterator[str]:
    names = {"article": "An article link", "section": "A section link", "other": "Neither article nor section"}
    turns = " (another part of a listing)" if link.pagination else ""
    yield f"{names[link.label]}{turns}, {percent(link.score)} sure."


def _told(one: LinkFacts, ranked: list[Reason], head: int) -> Iterator[str]:
    """The strongest named reasons for the label and against it. What speaks against an article speaks for ``other``."""
    sign = -1 if one.link.label is LinkLabel.OTHER else 1
    named = [(name, sign * weight) for name, weight in _gathered(ranked).items()]
    least = _SLIGHT * max((abs(weight) for _, weight in named), default=0.0)
    sides = ("Why", _MOST_FOR, 1), ("But", _MOST_AGAINST, -1)
    for title, most, side in sides:
        chosen = [name for name, weight in named if weight * side > least][:most]
        told = [_itself(one, side) if name == "itself" else _SENTENCES[name](one) for name in chosen]
        for number, sentence in enumerate(told):
            yield f"  and {sentence}" if number else f"{title}: {sentence}"


def _evidence(link: Link, seen: dict[str, tuple[int, int, int]]) -> Iterator[str]:
    """What fetched pages of the site add to the guess."""
    if not seen:
        return
    level, counts = next(iter(seen.items()))
    place = KINDS.index(link.label if link.label != "section" else "listing")
    names = {"article": "articles", "section": "listing pages", "other": "neither articles nor listing pages"}
    which = {"pattern": "URLs of this shape", "path": "Links at this place", "both": "URLs of this shape at this place"}
    yield f"{which[level]} were {names[link.label]} {counts[place]} of {sum(counts)} {'times' if sum(counts) > 1 else 'time'} when the site was crawled."
    before = max(zip(LABELS, link.guess, strict=True), key=lambda pair: pair[1])
    if before[0] is not link.label:
        yield f"That changed the label: the model alone took the link for {_a(before[0])}, {percent(before[1])} sure."
    articles, *others = seen.get("pattern", (0, 0, 0))
    if link.label is not LinkLabel.ARTICLE and articles >= ENOUGH and sum(others) <= MIXED * articles:
        yield "A crawl of the site opens it as an article all the same, since nearly all pages of this shape were."


def _no_page(link: Link) -> str:
    """Why a link leads to no page that could be an article."""
    href, scheme = link.href.strip(), urlsplit(link.url).scheme
    if href.startswith("#"):
        return "it leads to a place on the same page."
    if scheme not in ("http", "https"):
        return f"it opens no web page ({printable(scheme or 'no URL')})."
    return "it leads to another site, a file, a feed, a person's page or an action such as log-in."


# ---- the facts behind each named reason
def _list(one: LinkFacts) -> str:
    place = next((name for region, name in _PLACES.items() if one.values.get(f"in_{region}")), "the page")
    beside = " with dates or authors beside them" if one.values.get("near_meta") or one.values.get("near_date") else ""
    if len(one.alike) == 1:
        return f"it stands alone in {place}"
    return f"it stands in {place}, one of {len(one.alike)} links alike{beside}, {_of_which(one.alike)}"


def _of_which(links: list[Link]) -> str:
    """How many of some links are taken for articles, and for sections."""
    counts = {name: sum(other.label == name for other in links) for name in ("article", "section")}
    told = [f"{count} look like {name}s" for name, count in counts.items() if count]
    for name, count in counts.items():
        if count == len(links):
            return f"which all look like {name}s"
    return "of which " + " and ".join(told) if told else "none of which looks like an article or a section"


def _shape(one: LinkFacts) -> str:
    alike = one.shaped_alike
    if len(alike) == 1:
        return "no other link of the page has a URL of this shape"
    return f"URLs of this shape lead to {len(alike)} pages, {_of_which(alike)}"


def _itself(one: LinkFacts, side: int) -> str:
    """What the first stage says, which sees the link without the labels of others."""
    looks = "looks" if side > 0 else "does not look"
    return f"taken by itself, without the links beside it, it {looks} like {_a(one.link.label)}"


def _page(one: LinkFacts) -> str:
    return f"the page holds {len(one.targets.facts)} links to pages of the site"


def _marks(one: LinkFacts) -> str:
    told = [text for mark, text in _MARKS.items() if any(one.values.get(f"{at}{mark}") for at in ("", "last_", "dir_"))]
    return " and ".join(dict.fromkeys(told)) or "no word of its text or URL marks a listing or a fixed page"


def _text(one: LinkFacts) -> str:
    words = one.column("words")
    if not words:
        return "it is a picture without words" if one.column("images") else "it has no text"
    if one.values.get("t_number"):
        return "its text is a number"
    return f"its text is {words} words long" if words > 1 else "its text is a single word"


def _beside(one: LinkFacts) -> str:
    rest = max(0, one.column("record_size") - one.column("size"))
    return f"{rest} bytes of other text stand beside it, as in a teaser" if rest else "no other text stands beside it"


def _relation(one: LinkFacts) -> str:
    below = round(one.values["family_share"] * len(one.targets.facts))
    if one.values["self"]:
        return "it leads to this very page"
    if below:
        return f"{below} other links lead to pages below it, as to the articles of a section"
    return "it leads below this page" if one.values["child"] else "no other link leads to pages below it"


def _address(one: LinkFacts) -> str:
    url, told = one.url, []
    words = round(2.718281828 ** url["slug_words"] - 1)
    told += ["a date"] * bool(url["date"] or url["date_end"])
    told += ["a number"] * bool(url["id_digits"])
    told += [f"{words} words"] * (words > 2)
    told += ["a page number"] * bool(url["page_number"] or url["query_page"])
    if told:
        return "its URL holds " + " and ".join(told)
    form = "the start page of a site" if url["root"] else "a folder" if url["directory"] else "a short name"
    return f"its URL is {form}, without date, number or headline"


_SENTENCES: dict[str, Callable[[LinkFacts], str]] = {
    "list": _list, "shape": _shape, "page": _page, "marks": _marks, "text": _text, "beside": _beside, "relation": _relation, "address": _address,
}  # fmt: skip


def _a(label: str) -> str:
    """A label with its article."""
    return {"article": "an article", "section": "a section"}.get(label, "neither article nor section")


def percent(share: float) -> str:
    """A probability in whole percent; near the ends it is never called certain.

    >>> percent(0.9971), percent(0.4), percent(0.0)
    ('more than 99 %', '40 %', 'less than 1 %')
    """
    return "more than 99 %" if share > 0.99 else "less than 1 %" if share < 0.01 else f"{share:.0%}".replace("%", " %")
