"""Lengths and link density of jusText in tokens, by leave-one-site-out validation: ``python -m benchmarks.justext_grid [--sites NAMES]``.

Prints word F1 (macro by site) of every setting for Chinese, Japanese and Korean, the best on all sites but one scored on that one, and
how often each was the best. With one site of a language there is nothing to validate: the grid is printed and no more.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter, defaultdict
from itertools import product

import numpy as np

from benchmarks.corpora import Example, site_examples, site_meta, site_names
from benchmarks.metrics import word_f1
from sitecrawl.dom.parse import parse
from sitecrawl.extract.features import view_of
from sitecrawl.extract.methods.justext import (
    GOOD,
    Profile,
    choose_profile,
    context_free,
    extract_justext,
    measure,
    revise,
)
from sitecrawl.text.chars import standard_tokens

SCORED = 20
Key = tuple[int, int, float, float]
GRID: list[Key] = [
    key for key in product((5, 8, 10, 15, 20), (15, 18, 20, 30, 50), (0.0, 0.05), (0.1, 0.15, 0.2)) if key[0] < key[1]
]
"""Length below which a run is short, length from which it is long, stop words of a good one, and link density; tokens and shares."""


def scores(example: Example) -> dict[Key, float]:
    """Word F1 of a page by setting; a page that is not measured in tokens has the same for all."""
    view = view_of(parse(example.body, example.url))
    tokens = [standard_tokens(text.casefold()) for text in view.blocks.texts]
    if not tokens:
        return dict.fromkeys(GRID, 0.0)
    profile = choose_profile(tokens, view.blocks.link_chars / np.maximum(view.blocks.chars, 1))
    kept = [extract_justext(view).kept] * len(GRID)
    if profile.tokens:
        measures = measure(view, tokens, profile)
        tried = [_profile(key, profile) for key in GRID]
        kept = [revise(context_free(measures, one), measures, one) == GOOD for one in tried]
    texts = ("\n".join(view.blocks.texts[at] for at in np.flatnonzero(flags)) for flags in kept)
    return {key: word_f1(example.text, text) for key, text in zip(GRID, texts, strict=True)}


def _profile(key: Key, known: Profile) -> Profile:
    low, high, stops, links = key
    lowest = known.stops_low if stops else 0.0
    return Profile(low, high, lowest, max(stops, lowest), links, known.heading_distance, True, known.stop_words)


def site_scores(name: str) -> dict[Key, float]:
    """Mean word F1 of a site's pages by setting."""
    pages = [scores(example) for example in site_examples(name)[:SCORED]]
    return {key: statistics.fmean(page[key] for page in pages) for key in GRID}


def validated(sites: dict[str, dict[Key, float]]) -> tuple[float, Counter[Key]]:
    """Mean over the sites of the setting that is best on the others, and how often each was."""
    chosen = {
        left: max(GRID, key=lambda key: sum(found[key] for site, found in sites.items() if site != left))
        for left in sites
    }
    return statistics.fmean(sites[left][key] for left, key in chosen.items()), Counter(chosen.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sites", default="", help="names of sites, with commas (default: all)")
    names = parser.parse_args().sites
    by_language: dict[str, list[str]] = defaultdict(list)
    for name in names.split(",") if names else site_names():
        by_language[str(site_meta(name).get("lang", ""))[:2]].append(name)
    for language in ("zh", "ja", "ko"):
        sites = {name: site_scores(name) for name in by_language[language]}
        for key in GRID if sites else ():
            print(language, *key, round(statistics.fmean(found[key] for found in sites.values()), 4))
        if len(sites) > 2:
            mean, chosen = validated(sites)
            print(f"{language} left out: {mean:.4f}", *(f"{key} x {count}" for key, count in chosen.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
