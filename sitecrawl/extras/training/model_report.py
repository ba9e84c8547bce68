"""How good the link model is on labelled sites, in tables."""

from __future__ import annotations

from pathlib import Path


def print_evaluation(
    folders: list[Path], *, against: str = "", by_site: bool = False, folds: int = 6
) -> None:
    """Print the scores of the shipped model, ``against`` those of a second one; or ``by_site`` those
    of models that were trained on the other sites."""
    from sitecrawl.extras.training import evaluation
    from sitecrawl.extras.training.dataset import read_folders
    from sitecrawl.extras.training.fitting import Settings, cross_validate, samples
    from sitecrawl.links.link_model import model_at

    pages = read_folders(folders)
    if by_site:
        found = cross_validate(samples(pages), Settings(), folds=folds)
        report = evaluation.evaluate(pages, found)
    else:
        report = evaluation.evaluate_model(pages, model_at(""))
    other = evaluation.evaluate_model(pages, model_at(against)) if against else None
    reports = {"macro by site": report} | ({"the second model": other} if other else {})
    tables = [evaluation.tables_of("macro", reports=reports)]
    if other:
        tables.append(evaluation.tables_of("changes", report=report, other=other))
    else:
        tables += [
            evaluation.tables_of(name, report=report)
            for name in ("sites", "confusion", "calibration")
        ]
    if not by_site:
        weights = model_at("").first.weights
        ranks = (-abs(weights)).argsort(0).argsort(0) + 1
        tables.append(evaluation.tables_of("weights", weights=weights, ranks=ranks))
    print("\n\n".join("\n".join(table) for table in tables))
