"""The log tells what became of templates: one line of ``key=value`` an event, drift as a
warning."""

from __future__ import annotations

import re
from pathlib import Path

from tests.crawl.runner import Answer, Run, crawl, served
from tests.pages import article_page, listing_page

_LINE = re.compile(r"^(\w+) \S+: (event=template .*)$", re.M)
_SHARE = '<div class="share">'
_MENU = '<div class="text"><a href="/x">Menu</a></div><div class="col"><div class="prose">'
"""A redesign: the body's place now holds a menu."""


def events(run: Run) -> list[tuple[str, dict[str, str]]]:
    """Level and fields of the events in a log."""
    pairs = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)')
    return [(level, dict(pairs.findall(line))) for level, line in _LINE.findall(run.said)]


def test_trust_and_drift_are_told(tmp_path: Path) -> None:
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(12)
    }
    pages["/"] = listing_page(range(12)).encode()
    with served(pages) as site:
        first = crawl(f"{site.url}/", tmp_path / "out.jsonl", "-s", "LOG_LEVEL=INFO")
        pages["/"] = listing_page(range(20, 40)).encode()
        for number in range(20, 40):
            moved = (
                article_page(number)
                .replace('<div class="text">', _MENU)
                .replace('<div class="share">', f"</div>{_SHARE}")
            )
            pages[f"/2024/05/a-{number}.html"] = moved.encode()
        second = crawl(f"{site.url}/", tmp_path / "out.jsonl")
    assert [fields["kind"] for _, fields in events(first)][:2] == ["induced", "trusted"]
    assert {level for level, _ in events(first)} == {"INFO"}
    drifts = [fields for level, fields in events(second) if level == "WARNING"]
    assert [fields["kind"] for fields in drifts] == ["redesigned"]
    assert drifts[0]["template"] == "template-2"
    assert drifts[0]["url"].strip('"').startswith(site.url)
    assert len(second.items) == 20
