"""What thirty clicks in the label editor are worth. The link model is
trained without the site. A person who knows the truth opens every other page of the site in the
editor and looks at the least certain group of links first. One click labels a group by what most of
its links are, one more click each of its other links; a group that is shown right costs a click as
well. After thirty clicks what was said is evidence, as after "Use for this site", and the links of
the pages that were not open are scored before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from benchmarks.harness import Table, asked
from sitecrawl.dom.parse import parse
from sitecrawl.extras.editor.page_labels import PageLabels
from sitecrawl.extras.training.dataset import CODES, LabelledPage, read_folders
from sitecrawl.extras.training.evaluation import evaluate
from sitecrawl.extras.training.fitting import Settings, TrainingSample, cross_validate, samples
from sitecrawl.items.kinds import LinkLabel
from sitecrawl.links.classify import LABELS, Profile, groups_of
from sitecrawl.links.groups import Matrix

CLICKS = 30
FOLDS = 6
_WRONG = 0.97  # F1 of articles and sections below which the model gets a site wrong
_PAGES = 4  # pages of the smallest site that is looked at
Known = tuple[LabelledPage, TrainingSample, Matrix]
"""A page, its targets and labels, and the guesses of a model that has not seen the site."""
_NAMES = {CODES[label]: label for label in LABELS}


def main(arguments: list[str]) -> int:
    args = asked(
        __doc__,
        arguments,
        data=Path("training_data"),
        sites=("", "names, with commas: all unless given"),
    )
    pages = read_folders([args.data])
    data = samples(pages)
    found = cross_validate(data, Settings(), folds=FOLDS)
    table, names = Table("site"), {page.site for page in pages}
    for site in sorted(names & set(args.sites.split(",")) if args.sites else names):
        at = [
            n
            for n, page in enumerate(pages)
            if page.site == site and len(found[n]) and (data[n].labels >= 0).all()
        ]
        known = [(pages[n], data[n], found[n]) for n in at]
        if len(at) >= _PAGES and min(scores(known)) < _WRONG:
            table.add(site, **taught(known))
    table.summary()
    good = sum(min(row["articles_after"], row["sections_after"]) >= _WRONG for row in table.found)
    print(f"{good} of {len(table.found)} sites have {_WRONG:.2f} or more of both afterwards")
    return 0


def taught(known: Sequence[Known]) -> dict[str, float]:
    """Clicks on every other page, and the F1 of articles and of sections on the rest, each before
    and after."""
    # as the editor has them; nothing of a page is drawn
    pages = [
        PageLabels(
            parse("", page.facts.url),
            page.facts,
            sample.targets,
            guess,
            groups_of(page.facts, sample.targets),
        )
        for page, sample, guess in known
    ]
    clicks, evidence = label(pages[::2], [sample.labels.tolist() for _, sample, _ in known[::2]])
    before = scores(known[1::2])
    told = [
        (page, sample, of.predicted(evidence))
        for (page, sample, _), of in zip(known, pages, strict=True)
    ]
    after, names = scores(told[1::2]), ("articles", "sections")
    found = {f"{name}_before": round(one, 3) for name, one in zip(names, before, strict=True)}
    return (
        {"clicks": clicks}
        | found
        | {f"{name}_after": round(one, 3) for name, one in zip(names, after, strict=True)}
    )


def scores(known: Sequence[Known]) -> tuple[float, float]:
    """F1 of articles and of sections."""
    report = evaluate([page for page, _, _ in known], [guess for _, _, guess in known])
    return report.macro(LinkLabel.ARTICLE), report.macro(LinkLabel.SECTION)


def label(pages: Sequence[PageLabels], truths: Sequence[Sequence[int]]) -> tuple[int, Profile]:
    """Clicks of the person on the pages that are open, and the evidence of what was said."""
    clicks, seen, evidence = 0, set[tuple[int, str]](), Profile()
    while clicks < CLICKS and (chosen := _least_certain(pages, evidence, seen)):
        number, links = chosen
        page_labels = pages[number]
        for many, name in islice(_answers(page_labels, truths[number], links), CLICKS - clicks):
            page_labels.set_label(many, name)
            clicks += 1
        evidence = Profile()
        for one in pages:
            one.add_evidence(evidence, set())
    return clicks, evidence


def _least_certain(
    pages: Sequence[PageLabels], evidence: Profile, seen: set[tuple[int, str]]
) -> tuple[int, list[int]] | None:
    """Number of the page and links of the least certain group of all pages that was not looked
    at."""
    open_ = [
        (group["sure"], number, group["path"], group["links"])
        for number, page_labels in enumerate(pages)
        for group in page_labels.listed_groups(evidence)
        if (number, group["path"]) not in seen and group["sure"] < 1
    ]
    if not open_:
        return None
    _, number, path, links = min(open_)
    seen.add((number, path))
    return number, links


def _answers(
    page: PageLabels, truth: Sequence[int], links: Sequence[int]
) -> Iterator[tuple[list[int], LinkLabel]]:
    """The clicks on one group: all links as most of them are, then each target that is something
    else."""
    target_of = page.targets.of_link.tolist()
    known = {target_of[link]: _NAMES[truth[target_of[link]]] for link in links}
    most = Counter(known[target_of[link]] for link in links).most_common(1)[0][0]
    yield list(links), most
    for target, name in known.items():
        if name is not most:
            yield [next(link for link in links if target_of[link] == target)], name
