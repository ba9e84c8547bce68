"""Writes what whole crawls knew of each page that they read: figures of the page, of the links to
it and of its family, what became of it, and whether the site's truth names it as an article. Each
site is crawled in this process; with --unseen by models that have not seen its fold, else by those
that ship, which have not seen the sites of ``harness.NEW``. ``train_judge`` learns from these
records. They hold paths and headlines, so none is in the repository."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks import harness, model_sets
from benchmarks.crawl import network_of, path_of, reachable, start_of
from benchmarks.harness import page_url, site_file, site_meta, site_names, site_rows
from sitecrawl.crawl.database import short
from sitecrawl.crawl.follower import LinkIntake
from sitecrawl.dom.page import Page
from sitecrawl.extract.page_type import NAMES, page_features
from sitecrawl.links.anchors import TEXT_BIT
from sitecrawl.links.classify import Link
from sitecrawl.links.facts import page_facts
from sitecrawl.site import model as site_model
from sitecrawl.site.answer import LazyExtraction
from sitecrawl.site.answering import observe
from sitecrawl.site.content_type import content_type, kind_of_type
from sitecrawl.site.verdict import Verdict
from sitecrawl.text.dates import find_date
from sitecrawl.text.names import squeeze
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.pattern import url_folder, url_pattern
from tests.crawl.driver import Crawl

_LINK = re.compile(r'<a href="([^"]*)"[^>]*>(.*?)</a>', re.S)
_TAGS = re.compile(r"<[^>]*>")
_CLOCK = re.compile(r"(?<!\d)\d{1,2}[:.h][0-5]\d(?!\d)")
_LABEL = re.compile(r"^[^\W\d_][^:：]{1,24}[:：]")
_NEAR = 6  # blocks after the headline that may hold its day
_ANCHORS = 12  # different link texts of a page that are compared with its headline
Facts = dict[str, Any]


@dataclass
class Links:
    """What all links to one page said, as far as their pages were read."""

    count: int = 0
    promise: float = 0.0
    most: float = 0.0
    listing: float = 0.0
    in_menu: int = 0
    aside: int = 0
    turning: int = 0
    dated: float = 0.0
    words: float = 0.0
    size: float = 0.0
    from_articles: int = 0
    pages: set[str] = field(default_factory=set)
    texts: Counter[str] = field(default_factory=Counter)


@dataclass
class Recorder:
    """Collects the records of one crawl."""

    links: defaultdict[str, Links] = field(default_factory=lambda: defaultdict(Links))
    pages: dict[str, Facts] = field(default_factory=dict)

    def take_page(self, reading: LazyExtraction, verdict: Verdict, promise: float) -> None:
        key = url_key(reading.page.url)
        facts = page_figures(reading)
        facts["page_promise"] = promise
        facts["kind"] = str(verdict.kind)
        facts["is_article"] = verdict.article is not None
        facts["is_lookalike"] = verdict.is_lookalike
        facts["by_template"] = verdict.headline is None
        self.pages[key] = facts

    def take_links(self, links: list[Link], page: Page, *, is_article: bool) -> None:
        """Add the links of a page; the day of a list is looked for beside each of its members."""
        days = days_beside(page, links)
        lists = Counter(link.group for link in links)
        dated = Counter(link.group for link, day in zip(links, days, strict=True) if day)
        for link in links:
            if not link.url.startswith("http"):
                continue
            found = self.links[url_key(link.url)]
            found.count += 1
            found.promise += link.scores["article"] if link.scores else 0.0
            found.most = max(found.most, link.scores["article"] if link.scores else 0.0)
            found.listing += link.scores["section"] if link.scores else 0.0
            found.in_menu += link.menu
            found.aside += link.aside
            found.turning += link.pagination
            found.dated += dated[link.group] / lists[link.group]
            found.words += len(link.text.split())
            found.size += lists[link.group]
            found.from_articles += is_article
            found.pages.add(page.url)
            if link.text and (len(found.texts) < _ANCHORS or link.text in found.texts):
                found.texts[link.text[:300]] += 1


def days_beside(page: Page, links: list[Link]) -> list[bool]:
    """Whether each link's text, or what stands up to the next link of its list, shows a day."""
    facts = page_facts(page)
    if len(facts.urls) != len(links):
        return [False] * len(links)
    flags = facts.column("text_flags")
    found: list[bool] = ((flags & TEXT_BIT["t_date"]) != 0).tolist()
    document = page.document
    anchors = [at for at in document.tagged("a") if document.nodes[at].get("href") is not None]
    last_of = dict[str, int]()
    for number, link in enumerate(links[: len(anchors)]):
        begin = document.last[anchors[number]]
        after = last_of.get(link.group, -1)
        last_of[link.group] = number
        if after >= 0:
            start = document.last[anchors[after]]
            text = " ".join(document.chunks[start : min(begin, start + 12)])
            found[after] = found[after] or find_date(text[:200]) is not None
    return found


# ---- a page
def page_figures(reading: LazyExtraction) -> Facts:
    """The figures of a page by itself."""
    guess, page = reading.guess, reading.page
    article = guess.article
    blocks = page.document.blocks
    has_blocks = len(blocks) > 0
    facts: Facts = {"url": page.url}
    if has_blocks:
        values = page_features(page, guess.network, headline=guess.headline, dated=guess.dated)
        facts |= {name: float(value) for name, value in zip(NAMES, values, strict=True)}
    looks = guess.page_type_score
    facts["looks"] = looks if guess.page_type.is_article else 1 - looks
    facts["is_thread"] = str(guess.page_type) == "thread"
    facts["headline"] = article.headline or ""
    facts["headline_score"] = guess.headline.score
    facts["headline_origin"] = guess.headline.origin
    facts["confidence"] = article.provenance.confidence
    facts["flags"] = list(map(str, article.provenance.flags))
    facts["title"] = page.metadata.title
    body = article.articleBody
    facts["chars"] = len(body)
    facts["lines"] = body.count("\n") + 1
    facts["images"] = len(article.images)
    facts["authors"] = len(article.authors)
    facts["tags"] = len(article.tags)
    facts["crumbs"] = len(article.breadcrumbs)
    facts["description"] = bool(article.description)
    facts |= _day_figures(reading)
    facts |= _link_figures(page, article.articleBodyHtml, len(body))
    facts |= _markup_figures(page)
    labels = [bool(_LABEL.match(text)) and len(text) < 80 for text in blocks.texts]
    facts["labels"] = sum(labels)
    kept = guess.kept.tolist()
    both = zip(labels, kept, strict=False)
    facts["labels_kept"] = sum(is_label and is_kept for is_label, is_kept in both)
    facts["blocks"] = len(blocks)
    facts["forms"] = sum(1 for tag in ("textarea", "select") for _ in page.document.tagged(tag))
    facts["passwords"] = sum(
        1 for node in page.root.iter("input") if (node.get("type") or "").lower() == "password"
    )
    return facts


def _day_figures(reading: LazyExtraction) -> Facts:
    guess, page = reading.guess, reading.page
    dated = guess.dated
    texts = page.document.blocks.texts
    at = max(0, guess.block)
    near = texts[max(0, at - 2) : at + _NEAR]
    days = [number for number, text in enumerate(near) if len(text) < 160 and find_date(text)]
    return {
        "day": dated.value if dated else "",
        "day_origin": dated.origin if dated else "",
        "day_score": dated.score if dated else 0.0,
        "day_near": bool(days),
        "clock_near": any(_CLOCK.search(near[number]) for number in days),
    }


def _link_figures(page: Page, html: str, chars: int) -> Facts:
    pattern = url_pattern(page.url)
    links = [(href, len(_TAGS.sub("", inner))) for href, inner in _LINK.findall(html)]
    own = [size for href, size in links if href.startswith("http") and url_pattern(href) == pattern]
    return {
        "body_links": len(links),
        "own_links": len(own),
        "link_chars": sum(size for _, size in links) / max(1, chars),
        "own_chars": sum(own) / max(1, chars),
    }


def _markup_figures(page: Page) -> Facts:
    meta = page.metadata
    named = content_type(page)
    kind = kind_of_type(named.name)
    linked = meta.linked.get("@type") if meta.is_linked_article else ""
    return {
        "type": named.name,
        "type_of_page": named.of_page,
        "type_kind": str(kind) if kind else "",
        "og_type": (meta.first("og:type") or "").casefold(),
        "linked_type": str(linked),
        "has_linked": meta.is_linked_article,
        "published_meta": bool(meta.first("article:published_time", "datepublished")),
        "noindex": "noindex" in (meta.first("robots") or "").casefold(),
    }


# ---- a crawl
@dataclass(frozen=True, slots=True)
class Fates:
    """What became of the pages of a crawl, by key: requests, written items, withheld items (by
    short keys)."""

    asked: dict[str, Facts]
    written: dict[str, Any]
    withheld: set[str]

    def of(self, key: str, *, is_article: bool) -> str:
        if key in self.written:
            return "written"
        if short(key) in self.withheld:
            return "withheld"
        return "dropped" if is_article else "rejected"


def crawled(name: str) -> list[Facts]:
    """The records of a crawl of a mirror in this process."""
    recorder = Recorder()
    take = LinkIntake.take

    def observed(families: Any, reading: Any, *, promise: float) -> Verdict:
        verdict = observe(families, reading, promise=promise)
        recorder.take_page(reading, verdict, promise)
        return verdict

    def taken(self: Any, links: Any, *, page: Any, context: Any, kind: Any) -> Any:
        recorder.take_links(links, page, is_article=kind.is_article)
        return take(self, links, page=page, context=context, kind=kind)

    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(site_model, "observe", observed),
        patch.object(LinkIntake, "take", taken),
    ):
        start = page_url(name, start_of(name))
        crawl = Crawl.of(network_of(name), Path(folder), start=start)
        asked = dict[str, Facts]()
        for _ in crawl.steps():
            pass
        for key in recorder.pages:
            known, _ = crawl.session.state.pages.asked_for(key) or (None, "")
            if known is not None:
                asked[key] = {
                    "role": str(known.role),
                    "link_promise": known.promise,
                    "link_listing": known.listing,
                    "depth": known.depth,
                    "named": known.named,
                    "anchor": known.anchor,
                    "from_feed": bool(known.day),
                    "part": known.part is not None,
                }
        store = crawl.session.state.families
        withheld = {one.key for family in store.families() for one in store.withheld(family.name)}
        written = {url_key(item["url"]): item for item in crawl.feed}
        crawl.end()
    fates = Fates(asked, written=written, withheld=withheld)
    return list(_rows(name, recorder, fates=fates))


def _rows(name: str, recorder: Recorder, *, fates: Fates) -> Iterator[Facts]:
    truth = {path_of(row["path"]) for row in site_rows(name) if site_file(name, row["path"])}
    taste = {path_of(path) for path in site_meta(name).get("taste", [])}
    listed = truth & reachable(name, start_of(name), closed=truth)
    for key, facts in recorder.pages.items():
        path = path_of(facts["url"])
        row = {"site": name, **facts, **fates.asked.get(key, {})}
        is_article = path in truth
        row["truth"] = "article" if is_article else "other"
        if path in taste:
            row["truth"] = "taste"
        row["listed"] = path in listed
        row["fate"] = fates.of(key, is_article=facts["is_article"])
        row["pattern"] = url_pattern(facts["url"])
        row["folder"] = url_folder(facts["url"])
        row |= _link_sums(recorder.links.get(key), facts["headline"])
        yield row


def _link_sums(links: Links | None, headline: str) -> Facts:
    found = links or Links()
    own = squeeze(headline)
    texts = {squeeze(text): count for text, count in found.texts.items()}
    same = sum(count for text, count in texts.items() if own and text == own)
    within = sum(
        count
        for text, count in texts.items()
        if own and len(text) > 3 and (text in own or own in text)
    )
    total = max(1, sum(texts.values()))
    number = max(1, found.count)
    return {
        "links": found.count,
        "promise_mean": found.promise / number,
        "promise_most": found.most,
        "listing_mean": found.listing / number,
        "menu_share": found.in_menu / number,
        "aside_share": found.aside / number,
        "turning_share": found.turning / number,
        "list_dated": found.dated / number,
        "anchor_words": found.words / number,
        "list_size": found.size / number,
        "linking_pages": len(found.pages),
        "from_articles": found.from_articles / number,
        "anchor_same": same / total,
        "anchor_within": within / total,
        "anchor_texts": len(texts),
    }


def main(arguments: list[str]) -> int:
    args = harness.asked(
        *(__doc__, arguments),
        sites=harness.SITES,
        unseen=(False, "crawl each site with models trained without it"),
        output=("judge-pages", "folder of the records; sites that have a file there are left out"),
    )
    folder = Path(args.output)
    folder.mkdir(parents=True, exist_ok=True)
    names = [name for name in site_names(args.sites) if not (folder / f"{name}.jsonl").is_file()]
    for name, rows in by_unseen_models(names) if args.unseen else by_shipped_models(names):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf8")
        fates = Counter((row["fate"], row["truth"]) for row in rows)
        print(name, {" ".join(key): count for key, count in sorted(fates.items())}, flush=True)
    return 0


def by_shipped_models(names: list[str]) -> Iterator[tuple[str, list[Facts]]]:
    """The records of sites by the models that ship, which have not seen those of
    ``harness.NEW``."""
    for name in names:
        yield name, crawled(name)


def by_unseen_models(names: list[str]) -> Iterator[tuple[str, list[Facts]]]:
    """The records of sites, each by models that have not seen its fold."""
    for process, held in model_sets.by_folds(names):
        for name in held:
            yield name, process.submit(crawled, name).result()
