"""The judge: what kind a page is, and whether the items of a page family are written or withheld.
A page by itself is judged while the crawl runs, since its kind says what is requested next. A
logistic model weighs figures of each page that the extractor read: its text, its markup, its
address, and the link to it. A family is judged by the mean over its pages, since a single page is
often ambiguous and a family is not. What a person said of a family comes first, then what the
site's own system calls its pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from html import unescape
from itertools import chain, islice
from math import exp, log, log1p
from urllib.parse import urlsplit

import numpy as np

from sitecrawl.dom.blocks import Floats
from sitecrawl.dom.page import PUBLISHED_META, Page
from sitecrawl.extract.page_type import NAMES as TYPE_NAMES
from sitecrawl.extract.single import Extraction
from sitecrawl.extract.weights import LogisticModel
from sitecrawl.items.article import Article
from sitecrawl.items.kinds import PageKind
from sitecrawl.site.content_type import kind_of_type
from sitecrawl.site.page_families import (
    DEFAULT_KINDS,
    Choice,
    FamilyEvidence,
    PageFamily,
    type_in,
)
from sitecrawl.text.chars import CJK
from sitecrawl.text.names import squeeze
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.scope import host_of

_KINDS = (
    PageKind.ARTICLE,
    PageKind.THREAD,
    PageKind.PAGE,
    PageKind.LISTING,
    PageKind.PRODUCT,
    PageKind.EVENT,
    PageKind.MEDIA,
)
"""Kinds by which systems name pages."""
LEAST = -1.0
OF_BEST = 0.3
"""Mean log-odds below which a family is withheld: ``LEAST``, and this share of those of the best
family. Where the articles are clear, what is less clear is something else. Chosen on 99 sites, each
judged by weights that had not seen it: precision rose from .962 to .968, recall of the listed
articles stayed (.9975); the next site is lost .5 further on."""
NEAR = 1.0
"""Log-odds below its best family that a family may be, however unlike the articles of other sites
that one is: no site is withheld as a whole."""
OF_CHOICE = 1.0
"""Log-odds by which a choice of a person moves the other families of a site, where the judge was
wrong. On 85 sites by folds, 62 families with one label each: 386 pages more were judged right and 59
wrong; with .5 it was 264 and 0, with 1.5 it was 1,991 and 62, most of them of one family."""
MOST_MOVED = 2.0
SURE = 2.0
"""Log-odds from which the item of a page is written before its family is judged."""
LEAST_PROMISE = 0.12
"""Least probability of a link, 0..1, at which a dated page that looks like an article is one."""
_BIAS = 0.4
"""Logit of a neutral promise, above 0: a page requested as a listing may prove to be an article."""
_FOR = 1.8  # weight of the link's logit if it is evidence for an article
_AGAINST = 1.0  # the same against one
_CERTAIN = 0.9  # probability of a link to an article that may have no text
_MOST_LOOKS = 2.0
"""Bound of the log-odds by the page-type model, which was trained on other sites and can be wrong
with full confidence."""
_FLOOR = 0.02  # distance from 0 and 1 beyond which neither model is calibrated
_DATED = 0.5  # log-odds of a page with a date of publication
_UNDATED = -0.3  # the same without one
_LISTED = 2  # links to other pages of the site in a body that may be a list of these
_MOST_LINKED = 0.6
"""Share of a body's text in such links from which it is a list: 17 of 25 rubrics of one site that
were taken for articles have it."""
_ENOUGH = 6  # pages of a type that prove what the site calls its articles
_FEW = 3  # weighed pages that prove nothing of a family
_SHORT = 200  # characters of a body that may be a caption or a form
_TOLD = 3  # reasons for or against a page that are told
_LONGEST_NAME = 4  # words of a person's name
_LEAST_WITHIN = 4  # letters of a link text that counts as a part of the headline

_ANCHOR = re.compile(r'<a href="([^"]*)"[^>]*>(.*?)</a>', re.S)
_TAG = re.compile("<[^>]*>")
_FILE_NAME = re.compile(r"^\S+\.[a-z0-9]{2,5}$|^(?:img|dsc|image|photo)[-_ ]?\d+", re.I)
_YEAR = re.compile(r"/(?:19|20)\d\d[/-]")
_HAS_CJK = re.compile(f"[{CJK}]")
_SENTENCE_ENDS = tuple("?!.…。？！")

_TEXT = (
    "characters of the text",
    "lines of the text",
    "characters a line",
    "no text",
    "little text",
    "pictures",
    "tags",
    "breadcrumbs",
    "has a description",
    "names authors",
    "has a day",
    "prints its day",
)
_LOOKS = (
    "looks like an article",
    "looks like a thread",
    "confidence in the text",
)
_MARKUP = (
    *(f"the system calls it {kind}" for kind in _KINDS),
    "the system does not name its kind",
    "og:type article",
    "og:type website",
    "another og:type",
    "JSON-LD of an article",
    "declares its day",
    "not to be indexed",
)
_HEADLINE = (
    "characters of the headline",
    "words of the headline",
    "no headline",
    "headline like a person's name",
    "headline like a file name",
    "headline with digits",
    "headline ends like a sentence",
    "headline in Chinese, Japanese or Korean",
    "headline is an h1",
    "headline is the title",
)
_ADDRESS = (
    "depth of the URL",
    "words of the URL's name",
    "digits of the URL's name",
    "URL with a query",
    "URL with a year",
    "URL of a folder",
)
_LINK = (
    "promise of the link",
    "link to a listing",
    "words of the link",
    "link without text",
    "link text is the headline",
    "link text within the headline",
)
NAMES = (*TYPE_NAMES, *_LOOKS, *_TEXT, *_MARKUP, *_HEADLINE, *_ADDRESS, *_LINK)
"""Figures of a page, in order. Counts are logarithms, probabilities log-odds, the rest 0..1."""
_COUNTED = ("characters", "lines", "words", "digits", "pictures", "tags", "breadcrumbs")
_AMOUNTS = frozenset(
    (
        *TYPE_NAMES,
        *(name for name in NAMES if name.startswith(_COUNTED)),
        "looks like an article",
        "confidence in the text",
        "depth of the URL",
        "promise of the link",
        "link to a listing",
    )
)
"""Figures that are amounts; the others are true or not."""
MODEL = LogisticModel("judge.json", NAMES, trainer="train_judge")
"""It gives the log-odds that a page is an article. Raises ModelError if the file cannot be read."""


# ---- the kind of a page
def kind_of_page(guess: Extraction, promise: float) -> PageKind:
    """The kind of a page by itself: the sum of three log-odds, of its link, of the page-type model,
    and of its date. ``promise`` is the probability, 0..1, that the link leads to an article."""
    looks_like = guess.page_type
    evidence = _evidence(guess, promise)
    if not looks_like.is_article and evidence + _DATED <= 0:
        return looks_like  # whatever is on the page: most listings need no article
    article = guess.article
    if not (article.articleBody.strip() or article.mainImage or article.images):
        return _kind_without_content(guess, promise)
    evidence += _DATED if article.datePublished else _UNDATED
    if evidence <= 0:
        return PageKind.OTHER if looks_like is PageKind.OTHER else PageKind.LISTING
    return PageKind.THREAD if looks_like is PageKind.THREAD else PageKind.ARTICLE


def _kind_without_content(guess: Extraction, promise: float) -> PageKind:
    """From ``_CERTAIN`` on a page with headline and date is an article even without text (a scan,
    an attachment)."""
    if promise >= _CERTAIN and guess.article.headline and guess.article.datePublished:
        return PageKind.ARTICLE
    return PageKind.LISTING if guess.page_type is PageKind.LISTING else PageKind.OTHER


def _evidence(guess: Extraction, promise: float) -> float:
    """The log-odds of the link and of the page-type model."""
    looks = logit(guess.page_type_score)
    if not guess.page_type.is_article:
        looks = -looks
    promised = logit(promise) - _BIAS
    weight = _FOR if promised > 0 else _AGAINST
    return weight * promised + max(-_MOST_LOOKS, min(_MOST_LOOKS, looks))


def logit(share: float) -> float:
    """Log-odds of a probability, clipped to ``_FLOOR`` from 0 and 1."""
    bounded = min(1 - _FLOOR, max(_FLOOR, share))
    return log(bounded / (1 - bounded))


def lists_pages(article: Article, url: str, *, promise: float) -> bool:
    """Whether a body is a list: most of its text is links to other pages of the site, like a rubric
    or a calendar day between teasers of other days. The HTML is our own output, so a pattern
    suffices to read it. A page with a day whose link surely led to an article is one: a few words
    with attachments, or a post that names other posts. Of the 42 pages of 64 sites whose bodies are
    such lists, these are all 11 articles and no other."""
    if article.datePublished and promise >= _CERTAIN:
        return False
    own = url_key(url)
    host = host_of(url)
    listed = dict[str, str]()
    for href, inner in _ANCHOR.findall(article.articleBodyHtml):
        target = unescape(href)
        key = url_key(target)
        if key != own and host_of(target) == host:
            listed[key] = listed.get(key, "") + unescape(_TAG.sub("", inner))
    linked = squeeze("".join(listed.values()))
    return len(listed) >= _LISTED and len(linked) >= _MOST_LINKED * len(
        squeeze(article.articleBody)
    )


# ---- what the judge weighs of a page
def page_figures(
    guess: Extraction,
    *,
    promise: float,
    listing: float,
    type_name: str,
) -> Floats:
    """The figures of ``NAMES`` for a page. ``promise`` and ``listing`` are the probabilities by its
    link, 0..1, that it is an article or a listing; ``type_name`` is what the site's system calls
    it."""
    groups = (
        guess.type_features.tolist(),
        _looks(guess),
        _text_figures(guess),
        _markup_figures(guess.page, type_name),
        _headline_figures(guess),
        _address_figures(guess.page.url),
        (logit(promise), listing),
        _anchor_figures(guess.anchor, guess.article.headline or ""),
    )
    return np.array([*chain.from_iterable(groups)], np.float64)


@dataclass(frozen=True, slots=True)
class PageJudgement:
    """The judge's opinion of one page: the log-odds that it is an article; what each figure adds to
    them, the heaviest first; in words the ``strongest`` of these reasons, and what speaks most
    ``against`` an article."""

    log_odds: float
    reasons: list[tuple[str, float]]
    strongest: tuple[str, ...]
    against: tuple[str, ...]

    @property
    def probability(self) -> float:
        """Probability that the page is an article, 0..1."""
        return 1 / (1 + exp(-self.log_odds))


def judged_page(
    guess: Extraction,
    *,
    promise: float,
    listing: float,
    type_name: str,
) -> PageJudgement:
    """The judge's opinion of a page by itself, as :func:`page_figures` describes it. Raises
    ModelError."""
    figures = page_figures(guess, promise=promise, listing=listing, type_name=type_name)
    reasons = MODEL.reasons(figures)
    values = dict(zip(NAMES, figures.tolist(), strict=True))
    strongest = _told((name for name, _ in reasons), values)
    against = _told((name for name, weight in reasons if weight < 0), values)
    return PageJudgement(MODEL.log_odds(figures), reasons, strongest, against)


def _told(names: Iterable[str], values: Mapping[str, float]) -> tuple[str, ...]:
    """The first of some figures in words."""
    return tuple(_in_words(name, values[name]) for name in islice(names, _TOLD))


def _in_words(name: str, value: float) -> str:
    """A figure in words.

    >>> _in_words("has a day", 0.0), _in_words("words of the headline", 9.0)
    ('has a day: no', 'words of the headline: many')
    """
    if name not in _AMOUNTS:
        return f"{name}: {'yes' if value else 'no'}"
    is_much = value > MODEL.usual[NAMES.index(name)]
    if name.startswith(_COUNTED):
        return f"{name}: {'many' if is_much else 'few'}"
    return f"{name}: {'high' if is_much else 'low'}"


def _looks(guess: Extraction) -> list[float]:
    score = guess.page_type_score
    if not guess.page_type.is_article:
        score = 1 - score
    is_thread = guess.page_type is PageKind.THREAD
    return [logit(score), float(is_thread), guess.article.provenance.confidence]


def _text_figures(guess: Extraction) -> list[float]:
    article = guess.article
    body = article.articleBody
    lines = body.count("\n") + 1
    dated = guess.dated
    is_printed = dated is not None and dated.origin != "url"
    return [
        log1p(len(body)),
        log1p(lines),
        log1p(len(body) / lines),
        float(not body),
        float(len(body) < _SHORT),
        log1p(len(article.images)),
        log1p(len(article.tags)),
        log1p(len(article.breadcrumbs)),
        float(bool(article.description)),
        float(bool(article.authors)),
        float(dated is not None),
        float(is_printed),
    ]


def _markup_figures(page: Page, type_name: str) -> list[float]:
    meta = page.metadata
    kind = kind_of_type(type_name)
    og_type = (meta.first("og:type") or "").casefold()
    is_article = "article" in og_type
    is_website = "website" in og_type
    is_another = bool(og_type) and not (is_article or is_website)
    return [
        *(float(kind is one) for one in _KINDS),
        float(kind is None),
        float(is_article),
        float(is_website),
        float(is_another),
        float(meta.is_linked_article),
        float(bool(meta.first(*PUBLISHED_META))),
        float("noindex" in (meta.first("robots") or "").casefold()),
    ]


def _headline_figures(guess: Extraction) -> list[float]:
    text = guess.article.headline or ""
    words = text.split()
    return [
        log1p(len(text)),
        log1p(len(words)),
        float(not text),
        float(_is_name_like(text, words)),
        float(bool(_FILE_NAME.match(text))),
        float(any(map(str.isdigit, text))),
        float(text.rstrip().endswith(_SENTENCE_ENDS)),
        float(bool(_HAS_CJK.search(text))),
        float(guess.headline.origin == "h1"),
        float(squeeze(text) == squeeze(guess.page.metadata.title)),
    ]


def _is_name_like(text: str, words: list[str]) -> bool:
    """Whether a headline is two to four words of letters, each with a capital: a person's name."""
    if not 2 <= len(words) <= _LONGEST_NAME or _HAS_CJK.search(text):
        return False
    return all(
        word[0].isupper() and word.replace("-", "").replace(".", "").isalpha() for word in words
    )


def _address_figures(url: str) -> list[float]:
    parts = urlsplit(url)
    steps = [step for step in parts.path.split("/") if step]
    name = steps[-1] if steps else ""
    return [
        float(len(steps)),
        log1p(name.count("-") + name.count("_")),
        log1p(sum(map(str.isdigit, name))),
        float(bool(parts.query)),
        float(bool(_YEAR.search(parts.path))),
        float(parts.path.endswith("/")),
    ]


def _anchor_figures(anchor: str, headline: str) -> list[float]:
    said = squeeze(anchor)
    own = squeeze(headline)
    is_within = len(said) >= _LEAST_WITHIN and (said in own or own in said)
    return [
        log1p(len(anchor.split())),
        float(not said),
        float(bool(said) and said == own),
        float(is_within),
    ]


# ---- families
class Decider(StrEnum):
    """Who decided on a family."""

    USER = "user"
    KINDS = "kinds="
    TYPE = "CMS type"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class FamilyVerdict:
    """Whether the items of a family are written, who decided, and the reason in words for users.
    ``doubtful``: a person should check it. ``copy_of`` names the family whose pages show the same."""

    written: bool
    why: str
    doubtful: bool = False
    by: Decider = Decider.MODEL
    copy_of: str = ""


def is_sure(
    evidence: FamilyEvidence,
    family: PageFamily | None,
    *,
    kinds: Collection[PageKind],
) -> bool:
    """Whether the item of a page is written before its family is judged: its system calls it one of
    ``kinds``, or its log-odds are at least ``SURE``. Where only a template read the page, those of
    the weighed pages of its ``family`` so far stand for it."""
    named = kind_of_type(type_in(evidence.family))
    if named is not None or evidence.kind not in kinds:
        return named in kinds
    if evidence.log_odds is not None:
        return evidence.log_odds >= SURE
    return family is not None and family.weighed > _FEW and family.mean >= SURE


def judge_families(
    families: Collection[PageFamily],
    *,
    kinds: Collection[PageKind],
    choices: Mapping[str, Choice],
) -> dict[str, FamilyVerdict]:
    """The verdict on every family, by name: the ``choices`` of the user, else the content type of
    the CMS, else the model."""
    main = _main_type(families)
    verdicts = dict[str, FamilyVerdict]()
    unnamed = list[PageFamily]()
    for family in families:
        found = _by_choice(choices.get(family.name)) or _by_type(family, kinds, main=main)
        if found is None:
            unnamed.append(family)
        else:
            verdicts[family.name] = found
    names_articles = bool(main) or any(verdict.written for verdict in verdicts.values())
    dropped = {name for name, choice in choices.items() if choice is Choice.DROP}
    others = [family for family in families if family.name not in dropped]
    least = _least(others, names_articles=names_articles)
    least -= _correction(families, choices, least=least)
    return verdicts | {family.name: _by_model(family, least) for family in unnamed}


def _correction(
    families: Iterable[PageFamily],
    choices: Mapping[str, Choice],
    *,
    least: float,
) -> float:
    """Log-odds by which a person's choices raise the other families of the site: each family that
    the judge would have withheld wrongly raises them, each that it would have written wrongly
    lowers them. Labels that contradict one another cancel out."""
    moved = 0.0
    for family in families:
        choice = choices.get(family.name)
        if choice is None or not family.weighed:
            continue
        would_be_written = family.mean >= least
        if choice is Choice.KEEP and not would_be_written:
            moved += OF_CHOICE
        elif choice is Choice.DROP and would_be_written:
            moved -= OF_CHOICE
    return max(-MOST_MOVED, min(MOST_MOVED, moved))


def _least(families: Iterable[PageFamily], *, names_articles: bool) -> float:
    """Mean log-odds below which families are withheld: the higher, the better the best family is.
    Where types or choices name the articles (``names_articles``), these are as good as sure."""
    weighed = [family for family in families if family.weighed]
    known = [family for family in weighed if family.weighed > _FEW] or weighed
    best = max((family.mean for family in known), default=0.0)
    if names_articles:
        best = max(best, SURE)
    return min(LEAST + OF_BEST * best, best - NEAR)


def _by_choice(choice: Choice | None) -> FamilyVerdict | None:
    if choice is None:
        return None
    return FamilyVerdict(choice is Choice.KEEP, f"you said {choice}", by=Decider.USER)


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


def _by_model(family: PageFamily, least: float) -> FamilyVerdict:
    """The verdict by the mean log-odds of the family's pages, which must not be below ``least``.
    More than ``_FEW`` pages must be weighed, or half of all: those that a template reads without a
    doubt are not, and a few others are the odd ones. A family without weighed pages is written."""
    is_known = family.weighed > _FEW or 2 * family.weighed >= family.pages
    likely = f"they are articles with {1 / (1 + exp(-family.mean)):.0%}"
    days = f"{family.dated} of {family.pages} have a day"
    if is_known and family.mean < least:
        why = f"by links, headlines, text and markup {likely}; {days}"
        return FamilyVerdict(False, why, doubtful=True)
    if family.weighed and family.mean < SURE:
        why = f"these pages look like articles by a narrow margin: {likely}; {days}"
        return FamilyVerdict(True, why, doubtful=True)
    return FamilyVerdict(True, "these pages look like articles")
