"""Induction: one template from a few pages of one kind and the extractor's guess for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import compress

from sitecrawl.dom.align import Names
from sitecrawl.dom.page import is_forum
from sitecrawl.items.article import ITEM_FIELDS
from sitecrawl.items.kinds import PageGuess, PageKind
from sitecrawl.templates.aligned_pages import AlignedPage, align_pages, leave_out
from sitecrawl.templates.apply import Applied, apply
from sitecrawl.templates.comments.comment_records import induce_records
from sitecrawl.templates.induction.article_fields import fields_of, site_keywords
from sitecrawl.templates.induction.container import best_body
from sitecrawl.templates.induction.labelled_values import labelled_values_of
from sitecrawl.templates.template import Template, line_digest
from sitecrawl.templates.unknown_elements import names_below, without_prose


def induce(
    samples: Sequence[PageGuess],
    site: str = "",
    *,
    name: str = "article",
    like: Template | None = None,
    most_pages: int = 12,
    kept_lines: int = 300,
) -> Template | None:
    """The template of ``samples``; None if fewer than two pages share a container of the body.

    With ``like`` only the body is induced, and comments and kind are taken from that template: this
    suffices to test its address on other pages. Beyond ``most_pages`` pages cost grows but quality
    does not. ``kept_lines`` is the number of lines kept, of those that stand on most pages;
    headlines that half of the pages share are names of the site or the section and are kept with
    them."""
    samples = samples[:most_pages]
    if len(samples) < 2:
        return None
    names = Names([sample.page.document for sample in samples])
    pages = align_pages(samples)
    if like:
        records, kind = like.records, like.kind
    # a thread is what its first record opens, or what most pages of a forum have; other records are
    # comments
    else:
        records, forum = (
            induce_records(pages, names),
            2 * sum(is_forum(page.page) for page in pages) > len(pages),
        )
        kind = PageKind.THREAD if records and (records.skip_first or forum) else PageKind.ARTICLE
    if records and kind is PageKind.ARTICLE:
        leave_out(pages, records.unit)
    if (found := best_body(pages, names)) is None:
        return None
    body, agreement = found
    template = Template(site, name, body, records=records, kind=kind)
    lines = Counter(
        line for page in pages for line in dict.fromkeys(compress(page.blocks.texts, page.fixed))
    )
    titles = Counter(
        line for page in pages for line in {guess.text or "" for guess in page.guess.headlines}
    )
    shared = [line for line, count in titles.items() if count >= max(2, len(pages) / 2)]
    template.boilerplate = frozenset(
        map(line_digest, [*shared, *(line for line, _ in lines.most_common(kept_lines))])
    )
    if like is None:
        _complete(template, pages, names=names)
        template.statistics |= {"agreement": agreement}
    return template


def _complete(template: Template, pages: Sequence[AlignedPage], *, names: Names) -> None:
    """Fill in the fields and the statistics of the pages."""
    template.fields = fields_of(pages, names)
    template.extra = labelled_values_of(template, pages, names=names)
    if "source" in template.extra:
        template.fields["source"] = template.extra.pop("source")
    template.signature = frozenset.intersection(*(page.page.signature for page in pages))
    template.pages = [page.page.url for page in pages]
    applied = [apply(template, page.page) for page in pages]
    template.body.known = names_below(result.body.node for result in applied if result.body)
    articles = [page.guess.article for page in pages]
    confidences = [article.provenance.confidence for article in articles]
    template.statistics = {
        "pages": float(len(pages)),
        **{f"has_{row.name}": sum(bool(getattr(article, row.name)) for article in articles) / len(articles)
           for row in ITEM_FIELDS.values() if row.rare},
        **body_lengths([result for result in applied if result.fit]),
        "cut_high": max(map(_usual_cut, applied, pages)),
        "sure": sum(confidences) / len(confidences),
        "sure_low": min(confidences),
    }  # fmt: skip
    tags, shared = articles[0].tags, site_keywords(pages)
    if (
        shared
        and all(tag in shared for tag in tags)
        and all(article.tags == tags for article in articles)
    ):
        template.statistics["has_tags"] = 0.0
    # a field that only some pages have is optional (Peng and Xie 2017: unmatched tags that are no
    # repetition)
    lacking = Counter(name for result in applied for name in result.missing)
    if template.records:
        lacking["comments"] = sum(not page.numbers(template.records.unit) for page in pages)
    template.optional = sorted(name for name, count in lacking.items() if 0 < count < len(applied))


def _usual_cut(applied: Applied, page: AlignedPage) -> float:
    """Characters that exclusions without a name remove from a page; 0 if they contain prose of the
    article."""
    cuts = applied.body.unnamed_cuts if applied.body else []
    is_clean = not cuts or without_prose(page.guess, cuts) == set(cuts)
    return applied.body.unnamed_length if applied.body and is_clean else 0.0


def body_lengths(found: Sequence[Applied]) -> dict[str, float]:
    """Least and most characters of the body, most links per thousand characters, and most
    characters outside the body."""
    if not found:
        return {}
    chars, links = (
        [applied.chars for applied in found],
        [1000 * applied.links / applied.chars for applied in found],
    )
    rest = max(applied.rest for applied in found)
    return {
        "chars_low": min(chars),
        "chars_high": max(chars),
        "links_high": max(links),
        "rest_high": rest,
    }
