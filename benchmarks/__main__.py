"""The table of suites: ``python -m benchmarks`` lists them, ``python -m benchmarks NAME [options]``
runs one, ``NAME --help`` explains it."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

SUITES = {
    # figures on sites and corpora that lie beside the project
    "links": "article and section links on sites not trained on",
    "extraction": "bodies, titles, days, CPU: a page alone, and with a learned site; --peers beside other extractors",
    "fields": "day, author, headline: right, wrong and missing, beside trafilatura and htmldate",
    "speed": "CPU of a page alone, by template, of links, and of five other extractors, in multiples of a bare parse",
    "posts": "posts of forum threads as records",
    "crawl": "whole crawls: recall, precision, harvest; --unseen by models that have not seen the site; --kills: what kills change",
    "old_state": "state that the code of an older commit made goes on: items written twice, redesigns told",
    "visits": "three visits of each site, with news on the second: what later visits find, and ask for",
    "ablation": "every rule of extraction switched off by itself, and what that costs",
    "structure": "headings, code, lists, tables, links, pictures that Markdown keeps, beside other tools",
    "labels": "what thirty clicks in the label editor are worth",
    "judge_pages": "records of the pages whose families crawls judge; --pack makes training_data/families of them",
    "by_folds": "a program such as score.py, each site by models that have not seen it",
    # figures that need no data
    "month": "thirty daily visits of five sites: new articles found on their day, requests of a visit",
    "templates": "how redesigns of a site are met",
    "work": "pages made to cost: growth of the work, and the budget of a page; memory of a long crawl",
    "fleet": "causes that the report names on sixty sites of which half break, and false alarms; screenshots",
    "fleet_days": "a file of ten sites on three days with news, undisturbed and killed ten times: the same items, each once",
    "report_speed": "CPU and memory of the report of 1,000 sites",
    "batch": "archives: pages a second, memory, kills",
    "scaling": "state of a crawl in SQLite and PostgreSQL: CPU, queries, disk",
    "cluster": "many machines: kills, a site that kills its process, items after kills, cost of idle visits",
    "attacks": "the table of docs/research/attacks.md",
    "chaos": "a crawl among faults, killed again and again; chaos fleet: many machines",
    "fuzz": "pages and documents that nobody would write; generated sites killed at any write",
    # files that are made by a program
    "models": "all of models/ in their order; --unseen: sets that have not seen a fold of the sites",
    "link_records": "training_data/ from the sites",
    "train_links": "models/links.npz",
    "train_blocks": "models/blocks.npz",
    "train_headline": "models/headline.npz",
    "train_page_type": "models/page_type.json",
    "train_judge": "models/judge.json: precision, recall and calibration of the judge by folds of sites",
    "confidence": "models/page_confidence.json and template_confidence.json",
    "calendar_names": "sitecrawl/text/calendar_names.json",
    "options": "docs/options.md",
    "pictures": "the drawings of docs/images",
}


def suite(name: str) -> Any:
    """The module of a suite; its ``main(arguments)`` returns an exit code."""
    return import_module(f"benchmarks.{name}")


def main(arguments: list[str]) -> int:
    if arguments and arguments[0] in SUITES:
        return int(suite(arguments[0]).main(arguments[1:]) or 0)
    print(__doc__, *(f"{name:16} {what}" for name, what in SUITES.items()), sep="\n")
    return 2 * bool(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
