"""Calibrates the confidence of answers (how likely is a word F1 of .95 or more?) and writes the
models of single pages and of templates. No page is scored by a block model that has seen its site:
four block models are trained, each without a quarter of the sites and corpora. The table is of
sites left out of the calibration as well (8 folds). ``templates`` needs the model that ``pages``
writes in the folder of the models in use. ``--scorers`` keeps the four block models for it, which
saves their training."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks import train_blocks
from benchmarks.harness import Example, asked, other_pages, site_names, word_f1
from benchmarks.model_sets import SOURCES, Sources, sources
from benchmarks.network import (
    card_of,
    exact_blocks,
    exact_headlines,
    fit_logistic,
    group_folds,
    write_logistic,
    write_network,
)
from sitecrawl.dom.blocks import Floats
from sitecrawl.extract import confidence, single
from sitecrawl.extract.weights import PROTOCOL, BlockModel, load_model
from sitecrawl.site import answer, assurance
from sitecrawl.site.answer import LazyExtraction
from sitecrawl.site.inputs import page_of_html
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.apply import apply

LEARNED, SCORED, FOLDS = 8, 20, 4
OTHERS = 10  # articles that are asked of templates which have seen none
RIGHT = 0.95
BOUNDS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
OTHER_TRUTH = (
    "daniel",
)  # corpora whose truth holds headline and by-line: there a right body is no F1 of .95


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: the corpus or ``sites``, the site, its features, and whether the body was
    right."""

    kind: str
    site: str
    features: Floats
    right: bool


Collect = Callable[[list[Example]], Iterator[tuple[Floats, float]]]
"""From the examples of one site to features and word F1 of answers."""


def answers(known: Sources, collect: Collect, *, scorers: Path | None) -> Iterator[Answer]:
    """Answers for every site, by block models that have not seen it."""
    shuffled = random.Random(3).sample(known.names, len(known.names))
    sites = set(site_names())
    for fold in range(FOLDS):
        held = tuple(shuffled[fold::FOLDS])
        rest = tuple(name for name in known.names if name not in held)
        with exact_headlines(), exact_blocks(_scorer(replace(known, names=rest), fold, scorers)):
            for name, site, pages in replace(known, names=held).examples():
                kind = "sites" if name in sites else name
                for found, score in collect(pages):
                    yield Answer(kind, site, found, score >= RIGHT)


def _scorer(known: Sources, fold: int, folder: Path | None) -> BlockModel:
    """A block model of some sites, from the folder where it has been trained before."""
    file = folder / f"scorer-{fold}.npz" if folder else None
    if file is not None and file.is_file():
        return load_model(file)
    pages = [page for name in known.names for page in _labelled(replace(known, names=(name,)))]
    model = train_blocks.fit(*train_blocks.table(pages)[:3])
    if file is not None:
        write_network(file, PROTOCOL, model=model, card={})
    return model


@cache
def _labelled(known: Sources) -> list[train_blocks.Labelled]:
    """Labelled blocks of one site or corpus, which three block models learn from."""
    return list(train_blocks.labelled_pages(known))


def of_pages(pages: list[Example]) -> Iterator[tuple[Floats, float]]:
    """Answers by single pages."""
    for example in pages[: LEARNED + SCORED]:
        guess = LazyExtraction(page_of_html(example.body, example.url)).guess
        if guess.kept.any():
            found = confidence.confidence_features(guess.blocks, guess.selection)
            # an article states its confidence, by the model that is not there yet
            with patch.object(single, "page_confidence", return_value=0.0):
                body = guess.article.articleBody
            yield found, word_f1(example.text, body)


def of_templates(examples: list[Example]) -> Iterator[tuple[Floats, float]]:
    """Answers by templates, learned from the first pages of the site, at most half of them, and
    from pages of the site that are no articles."""
    cut = min(LEARNED, len(examples) // 2)
    yield from _by_templates(
        [(one.url, one.body) for one in examples[:cut]], examples[cut : cut + SCORED]
    )
    others = other_pages(examples[0].site)[:LEARNED] if examples else []
    yield from _by_templates(others, examples[:OTHERS] if others else [])


def _by_templates(
    pages: list[tuple[str, bytes]], examples: list[Example]
) -> Iterator[tuple[Floats, float]]:
    """Answers by the templates of these pages; one whose container is the whole page answers with
    the extractor's body and is left out."""
    model = SiteModel()
    with _unstated():
        model.learn(pages)
    known = {template.id: template for template in model.templates}
    for example in examples:
        page = page_of_html(example.body, example.url)
        with _unstated():
            article = model.extract_page(page)
        template = known.get(article.provenance.templateId or "")
        if template is not None and not template.is_whole_page:
            found = assurance.assurance_features(apply(template, page))
            yield found, word_f1(example.text, article.articleBody)


def _unstated() -> AbstractContextManager[object]:
    """Answers by templates state no confidence meanwhile: its model is not there yet, and no answer
    depends on it."""
    return patch.object(answer, "template_confidence", return_value=1.0)


def fit(found: list[Answer]) -> tuple[Floats, float]:
    """Weights and bias; a site weighs as the square root of its answers."""
    matrix, right = (
        np.vstack([one.features for one in found]),
        np.array([one.right for one in found]),
    )
    count = Counter((one.kind, one.site) for one in found)
    weight = np.array([count[one.kind, one.site] ** -0.5 for one in found])
    mean, scale = matrix.mean(axis=0), matrix.std(axis=0)
    scaled, bias = fit_logistic((matrix - mean) / scale, right, weight=weight)
    weights = scaled / scale
    return weights, float(bias - weights @ mean)


def held_out(found: list[Answer]) -> Floats:
    """Confidence of every answer, by a calibration that has not seen its site."""
    said, sites = np.zeros(len(found)), [f"{one.kind}/{one.site}" for one in found]
    for train, test in group_folds(sites, 8):
        weights, bias = fit([found[at] for at in train])
        said[test] = [1 / (1 + np.exp(-(found[at].features @ weights + bias))) for at in test]
    return said


def show(found: list[Answer]) -> dict[str, float]:
    """Prints how many answers of each confidence were right, and what .9 and .8 separate. Returns
    shares of all: right, sure, and right of the sure."""
    said, right = held_out(found), np.array([one.right for one in found])
    whole = np.array([one.kind == "sites" for one in found])
    print("confidence    answers   right   on whole sites   right")
    for low, high in zip(BOUNDS, (*BOUNDS[1:], 1.01), strict=True):
        chosen = (said >= low) & (said < high)
        print(
            f"{low:4.2f} - {min(high, 1):4.2f}  {_share(chosen, right)}  {_share(chosen & whole, right):>24}"
        )
    for name, which in (("all", np.ones(len(found), bool)), ("whole sites", whole)):
        high, low, wrong = which & (said >= 0.9), which & (said < 0.8), which & ~right
        sure, missed = (
            f"{high.sum() / which.sum():.2f} say .9 or more, {right[high].mean():.3f}",
            (low & wrong).sum(),
        )
        unsure = f"{low.sum() / which.sum():.2f} say less than .8 and hold {missed / max(1, wrong.sum()):.2f}"
        print(f"{name}: {sure} of these are right; {unsure} of the wrong ones")
    certain = said >= 0.9
    shares = {
        "right": right.mean(),
        "say .9 or more": certain.mean(),
        "right of these": right[certain].mean(),
    }
    return {name: round(float(share), 4) for name, share in shares.items()}


def _share(chosen: Floats, right: Floats) -> str:
    return (
        f"{int(chosen.sum()):7} {right[chosen].mean():7.3f}" if chosen.any() else f"{0:7}       -"
    )


def main(arguments: list[str]) -> None:
    scorers = "", "folder for the block models"
    what = ["pages", "templates"]
    args = asked(__doc__, arguments, what=what, output="", scorers=scorers, **SOURCES)
    known = sources(args.learn, args.without)
    known = replace(known, names=tuple(name for name in known.names if name not in OTHER_TRUTH))
    record, collect = (confidence, of_pages) if args.what == "pages" else (assurance, of_templates)
    folder = Path(args.scorers) if args.scorers else None
    found = list(answers(known, collect, scorers=folder))
    figures = {"answers": len(found), "held out": show(found)}
    weights, bias = fit(found)
    output = Path(args.output or f"models/{args.what[:-1]}_confidence.json")
    learned = np.vstack([one.features for one in found]), np.array([one.right for one in found])
    card = card_of(f"confidence {args.what}", *learned, **figures)
    write_logistic(output, record.MODEL, weights=weights, bias=bias, card=card)
    print(f"{output}: {len(found)} answers")
