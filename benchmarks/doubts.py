"""Doubts measured: is a template wrong where it is doubted, and doubted where it is wrong?

    python -m benchmarks.doubts [--sites NAME,NAME]

The real histories of ``drift/`` as one long crawl each, and their longest designs with the second half of the pages damaged: the second
half of the body in a block of its own (on all, or on every other page), the body elsewhere and teasers in its place, another text
in the headline's place, another date in the date's place.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree, html

from benchmarks.corpora import DATA, rows
from benchmarks.metrics import word_f1
from sitecrawl.items.article import Article
from sitecrawl.items.kinds import Flag
from sitecrawl.site.inputs import page_of_html
from sitecrawl.site.model import SiteModel
from sitecrawl.site.verdict import EventKind
from sitecrawl.templates.apply import apply
from sitecrawl.text.dates import parse_date
from sitecrawl.text.names import squeeze

RIGHT, SILENT = 0.95, 0.8
_DOUBTS = {Flag.DOUBTED, Flag.DRIFTING}
_SLOGANS = ("News and views from the whole region", "What moves our readers today")
_SHORT = 60
"""Characters of the longest element that is taken for a date."""


@dataclass
class Row:
    """A page of a history: URL, HTML, truth, and whether it comes after the change."""

    url: str
    html: bytes
    truth: dict[str, Any]
    later: bool


@dataclass
class Tally:
    """Counts of pages by what became of them, of all sites."""

    counts: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, holds: object) -> None:
        self.counts[name] += bool(holds)

    def share(self, name: str, of: str) -> str:
        return f"{self.counts[name] / self.counts[of]:.3f}" if self.counts[of] else "-"


class History:
    """The page versions of a site in time order, and its designs with hand-written selectors."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.rows = folder, list(rows(folder / "pages.jsonl"))
        self.designs = json.loads((folder / "site.json").read_text(encoding="utf8"))["designs"]

    def whole(self) -> list[Row]:
        return [self._row(row, self._html(row), bool(row["design"])) for row in self.rows]

    def damaged(self, how: Callable[[html.HtmlElement, html.HtmlElement, dict[str, Any], int], None]) -> list[Row]:
        """The pages of the longest design, those of the second half changed by ``how``."""
        by_design = defaultdict(list)
        for row in self.rows:
            by_design[row["design"]].append(row)
        chosen = max(by_design.values(), key=len)
        half, found = len(chosen) // 2, []
        for number, row in enumerate(chosen):
            page = self._html(row)
            if number >= half:
                parser = html.HTMLParser(encoding="utf-8", huge_tree=True)
                document = html.document_fromstring(page, parser=parser)
                how(document, document.xpath(self.designs[row["design"]]["body"])[0], row, number - half)
                page = html.tostring(document, encoding="utf-8")
            found.append(self._row(row, page, number >= half))
        return found

    def _row(self, row: dict[str, Any], page: bytes, later: bool) -> Row:
        return Row(row["url"], page, row, later)

    def _html(self, row: dict[str, Any]) -> bytes:
        return (self.folder / "pages" / f"{row['id']}.html").read_bytes()


def _box(document: html.HtmlElement, name: str) -> html.HtmlElement:
    return document.makeelement("div", {"class": name})


def cut(document: html.HtmlElement, body: html.HtmlElement, row: dict[str, Any], number: int) -> None:
    """The second half of the body moves to a block beside it."""
    blocks, box = [node for node in body if isinstance(node.tag, str)], _box(document, "more-part")
    if len(blocks) > 3:
        box.extend(blocks[len(blocks) // 2 :])
        body.addnext(box)


def cut_some(document: html.HtmlElement, body: html.HtmlElement, row: dict[str, Any], number: int) -> None:
    if number % 2:
        cut(document, body, row, number)


def elsewhere(document: html.HtmlElement, body: html.HtmlElement, row: dict[str, Any], number: int) -> None:
    """The body moves to a block beside its container, which now holds teasers."""
    box = _box(document, "story-text")
    box.text, body.text = body.text, None
    box.extend(list(body))
    for n in range(6):
        teaser = etree.SubElement(body, "p")
        link = etree.SubElement(teaser, "a", {"href": f"/{number * 7 + n}/"})
        link.text, link.tail = (
            f"Another story of ours, number {number * 7 + n}",
            " that many people have read this week.",
        )
    body.addnext(box)


def headline(document: html.HtmlElement, body: html.HtmlElement, row: dict[str, Any], number: int) -> None:
    """A slogan stands where the headline stood, which now stands above the body."""
    for node in list(document.iter("h1", "h2", "h3", "a", "span", "div")):
        if squeeze("".join(node.itertext())) == squeeze(row["title"]) and body not in node.iterdescendants():
            node.clear(keep_tail=True)
            node.text = _SLOGANS[number % 2]
    title = document.makeelement("h2", {"class": "story-title"})
    title.text = row["title"]
    body.addprevious(title)


def date(document: html.HtmlElement, body: html.HtmlElement, row: dict[str, Any], number: int) -> None:
    """The day of the last change stands where the date stood, which now stands behind the body."""
    for node in list(document.iter(etree.Element)):
        text = "".join(node.itertext()).strip()
        if row["date"] and len(text) <= _SHORT and (parse_date(text) or "")[:10] == row["date"]:
            node.clear(keep_tail=True)
            node.text = f"Updated 2019-03-{number % 28 + 1:02d}"
            foot = _box(document, "posted")
            foot.text = f"Published {row['date']}"
            body.addnext(foot)
            return


CASES: dict[str, Callable[[History], list[Row]]] = {
    "real redesigns": History.whole,
    "second half beside the body": lambda history: history.damaged(cut),
    "so on every other page": lambda history: history.damaged(cut_some),
    "teasers in the body's place": lambda history: history.damaged(elsewhere),
    "a slogan in the headline's place": lambda history: history.damaged(headline),
    "another day in the date's place": lambda history: history.damaged(date),
}


def crawl(pages: list[Row], tally: Tally) -> None:
    """One long crawl; pages that wait are answered again when a template is trusted or replaced, and at the end."""
    model, answers, waiting = SiteModel(), list[Article | None](), list[int]()

    def again() -> None:
        for at in waiting:
            answers[at] = model.extract(pages[at].html, pages[at].url)
        waiting.clear()

    for number, page in enumerate(pages):
        known = {family.name: family.current for family in model.families}
        verdict = model.observe(page.html, page.url, 0.95)
        answers.append(verdict.article)
        template = known.get(verdict.family)
        if template is not None and template.is_trusted and verdict.article is not None:
            doubted = bool(_DOUBTS & {*verdict.article.provenance.flags})
            own = apply(template, page_of_html(page.html, page.url)).article.articleBody
            wrong = word_f1(page.truth["text"], own) < RIGHT
            for name, holds in (("doubts", doubted), ("right doubts", doubted and wrong), ("wrong templates", wrong),
                                ("wrong and doubted", wrong and doubted)):  # fmt: skip
                tally.add(name, holds)
        if verdict.waits and verdict.article is not None:
            waiting.append(number)
        if any(event.kind in (EventKind.TRUSTED, EventKind.REPLACED) for event in verdict.events):
            again()
    model.settle()
    again()
    for page, article in zip(pages, answers, strict=True):
        if page.later:
            _score(page, article, tally)


def _score(page: Row, article: Article | None, tally: Tally) -> None:
    """What left in the end."""
    score = word_f1(page.truth["text"], article.articleBody) if article else 0.0
    flagged = bool(article and article.provenance.flags)
    titled = word_f1(page.truth["title"], article.headline) >= SILENT if article else False
    day = (article.datePublished or "")[:10] if article else ""
    for name, holds in (("pages", True), ("flagged", flagged), ("flagged and wrong", flagged and score < RIGHT),
                        ("silent", not flagged and score < SILENT), ("dated", page.truth["date"]), ("titled", titled),
                        ("right day", page.truth["date"] and day == page.truth["date"])):  # fmt: skip
        tally.add(name, holds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sites", default="", help="names of sites; all of drift/ without")
    chosen = set(filter(None, parser.parse_args().sites.split(",")))
    folders = [
        one.parent for one in sorted((DATA / "drift").glob("*/site.json")) if not chosen or one.parent.name in chosen
    ]
    print(
        "| change | pages after it | template wrong | of these doubted | doubts | of these right | flagged at the end | of these wrong | silently wrong | title | day |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    total = Tally()
    for name, pages_of in CASES.items():
        tally = Tally()
        for folder in folders:
            crawl(pages_of(History(folder)), tally)
        total.counts += tally.counts
        print(_line(name, tally), flush=True)
    print(_line("all", total))


def _line(name: str, tally: Tally) -> str:
    count = tally.counts
    cells = (name, count["pages"], count["wrong templates"], tally.share("wrong and doubted", "wrong templates"), count["doubts"],
             tally.share("right doubts", "doubts"), count["flagged"], count["flagged and wrong"], count["silent"],
             tally.share("titled", "pages"), tally.share("right day", "dated"))  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
