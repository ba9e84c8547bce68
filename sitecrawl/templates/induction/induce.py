"""Induction: one template from a few pages of one kind and the extractor's guess for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import compress

from sitecrawl.dom.align import Names
from sitecrawl.items.article import ITEM_FIELDS
from sitecrawl.items.kinds import PageGuess, PageKind
from sitecrawl.templates.aligned_pages import AlignedPage, align_pages, leave_out
from sitecrawl.templates.apply import Applied, apply
from sitecrawl.templates.comments.comment_records import induce_records
from sitecrawl.templates.induction.article_fields import fields_of, site_keywords
from sitecrawl.templates.induction.container import best_body
from sitecrawl.templates.induction.labelled_values import labelled_values_of
from sitecrawl.templates.template import Records, Template, line_digest
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
    records, kind = (like.records, like.kind) if like else _records_of(pages, names)
    if kind is PageKind.ARTICLE:
        leave_out(pages, records.unit if records else "")
    found = best_body(pages, names)
    if found is None:
        return None
    body, agreement = found
    template = Template(site, name, body, records=records, kind=kind)
    lines = [*_shared_titles(pages), *_fixed_lines(pages, kept_lines)]
    template.boilerplate = frozenset(map(line_digest, lines))
    if like is None:
        _complete(template, pages, names=names)
        template.statistics |= {"agreement": agreement}
    return template


def _records_of(pages: Sequence[AlignedPage], names: Names) -> tuple[Records | None, PageKind]:
    """The records of the pages and their kind. A thread is what its first record opens, or what
    most pages of a forum have; other records are comments."""
    records = induce_records(pages, names)
    if records is None:
        return None, PageKind.ARTICLE
    forums = [page for page in pages if page.page.is_forum]
    is_thread = records.skip_first or 2 * len(forums) > len(pages)
    return records, PageKind.THREAD if is_thread else PageKind.ARTICLE


def _shared_titles(pages: Sequence[AlignedPage]) -> list[str]:
    """Headlines that half of the pages may have."""
    titles = Counter[str]()
    for page in pages:
        titles.update({guess.text or "" for guess in page.guess.headlines})
    least = max(2, len(pages) / 2)
    return [line for line, count in titles.items() if count >= least]


def _fixed_lines(pages: Sequence[AlignedPage], most: int) -> list[str]:
    """The ``most`` lines of boilerplate that stand on most pages."""
    lines = Counter[str]()
    for page in pages:
        lines.update(dict.fromkeys(compress(page.blocks.texts, page.fixed), 1))
    return [line for line, _ in lines.most_common(most)]


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
    template.statistics = _statistics(pages, applied)
    if _has_tags_of_site(pages):
        template.statistics["has_tags"] = 0.0
    template.optional = _optional_fields(template, pages, applied=applied)


def _has_tags_of_site(pages: Sequence[AlignedPage]) -> bool:
    """Whether all pages have the same tags, which are keywords of the site."""
    tags = pages[0].guess.article.tags
    if any(page.guess.article.tags != tags for page in pages):
        return False
    shared = site_keywords(pages)
    return bool(shared) and all(tag in shared for tag in tags)


def _optional_fields(
    template: Template, pages: Sequence[AlignedPage], *, applied: Sequence[Applied]
) -> list[str]:
    """The fields that only some pages have (Peng and Xie 2017: unmatched tags that are no
    repetition)."""
    lacking = Counter[str]()
    for result in applied:
        lacking.update(result.missing)
    if template.records:
        unit = template.records.unit
        lacking["comments"] = len([page for page in pages if not page.numbers(unit)])
    return sorted([name for name, count in lacking.items() if 0 < count < len(pages)])


def _statistics(pages: Sequence[AlignedPage], applied: Sequence[Applied]) -> dict[str, float]:
    """What is usual on the pages: shares of pages with each rare field, lengths, confidences."""
    articles = [page.guess.article for page in pages]
    found = {"pages": float(len(pages))}
    for name in [row.name for row in ITEM_FIELDS.values() if row.rare]:
        having = [article for article in articles if getattr(article, name)]
        found[f"has_{name}"] = len(having) / len(articles)
    found |= body_lengths([result for result in applied if result.fit])
    confidences = [article.provenance.confidence for article in articles]
    found["cut_high"] = max(map(_usual_cut, applied, pages))
    found["sure"] = sum(confidences) / len(confidences)
    found["sure_low"] = min(confidences)
    return found


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
