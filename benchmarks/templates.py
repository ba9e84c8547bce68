"""Templates measured: what induction costs as pages grow, where the grouping threshold lies, how redesigns are met.

    python -m benchmarks.templates cost | threshold | redesign | history | diff

``cost`` and ``redesign`` need no data; ``threshold``, ``history`` and ``diff`` read the unpacked sites and corpora.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.corpora import Example, site_examples, site_names
from sitecrawl.dom.align import signature
from sitecrawl.dom.parse import parse
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.cluster import group
from sitecrawl.templates.verify import word_f1

DATA = Path(os.environ.get("SITECRAWL_DATA") or Path.home() / ".cache" / "sitecrawl-data")
_TOPICS = "harbour library tram market school park observatory theatre airport bridge museum station".split()


def page(number: int, size: int = 6) -> str:
    """A synthetic article page with ``size`` paragraphs; about six elements a paragraph and thirty of furniture."""
    topic = _TOPICS[number % len(_TOPICS)]
    prose = "".join(
        f"<p>Paragraph {k} of story {number}: how the <b>{topic}</b> of <a href='/d/{k}'>district {k * 7 + number}</a> came to be, "
        f"who <i>paid</i> for it, and why people number {number * 31 + k} had to wait <em>so</em> long for it.</p>"
        for k in range(size + number % 3)
    )
    links = "".join(
        f"<li><a href='/{number + k}.html'>Older story about the {_TOPICS[(number + k) % 12]} {k}</a></li>"
        for k in range(5)
    )
    return f"""<html lang="en"><head><title>The {topic} story {number} - The Example</title></head><body>
<div id="top" class="header"><a href="/">The Example</a><ul class="nav"><li><a href="/a/">Politics</a></li><li><a href="/b/">Sport</a></li></ul></div>
<div id="page" class="wrap"><div class="story"><h1 class="headline">The {topic} story {number}</h1>
<div class="byline">Published <span class="date">2024-{number % 12 + 1:02d}-{number % 28 + 1:02d}</span> by <span class="author">Ann Onym</span></div>
<div class="text">{prose}</div><div class="share"><a href="#">Share</a> <a href="#">Print</a></div></div>
<div class="side"><h3>Most read</h3><ul>{links}</ul></div></div>
<div class="footer"><p>Subscribe to our newsletter and never miss a story.</p><p>Copyright The Example.</p></div></body></html>"""


def body_of(number: int) -> str:
    """The text that an extractor should find on ``page(number)``."""
    inner = page(number).split('<div class="text">')[1].split("</div>")[0]
    return re.sub(r"<[^>]+>", "", inner.replace("</p>", "\n"))


_MENU = "".join(f"<li><a href='/m/{n}/'>{topic} and {_TOPICS[(n + n // 12) % 12]} news</a></li>"
                for n, topic in enumerate(_TOPICS * 4))  # fmt: skip
_NOTICE = "".join(f"<p>We and our {n} partners keep the {topic} cookies of your visit, and ask for your consent.</p>"
                  for n, topic in enumerate(_TOPICS))  # fmt: skip


REDESIGNS: dict[str, Callable[[str], str]] = {
    "renamed classes": lambda html: re.sub(r'class="(\w+)"', r'class="n-\1-x"', html),
    "wrapped containers": lambda html: html.replace('<div class="text">', '<section class="outer"><div class="inner"><div class="prose">')
    .replace('</div><div class="share">', '</div></div></section><div class="share">'),
    "moved blocks": lambda html: re.sub(r'(?s)(<div class="side">.*?</ul></div>)</div>', r"</div>", html)
    .replace('<div id="page" class="wrap">', '<div id="page" class="wrap">' + "<div class='left'><h3>Topics</h3></div>"),
    "swapped order": lambda html: re.sub(r'(?s)(<h1.*?</h1>\s*)(<div class="byline">.*?</div>)', r"\2\1", html),
    "all renamed, table layout": lambda html: re.sub(r'class="(\w+)"', r'class="t-\1"', html).replace('id="page"', 'id="sheet"')
    .replace('<div class="t-text">', '<table><tr><td class="t-main">').replace('</div><div class="t-share">', '</td></tr></table><div class="t-share">'),
    "body id now holds navigation": lambda html: html.replace('<div class="text">', '<div class="text"><a href="/a/">Politics</a> <a href="/b/">Sport</a></div><div class="copy">'),
    "a long menu in the body's place": lambda html: html.replace('<div class="text">', f'<div class="text"><ul>{_MENU}</ul></div><div class="copy">'),
    "a notice in the body's place": lambda html: html.replace('<div class="text">', f'<div class="text">{_NOTICE}</div><div class="copy">'),
    "half the text elsewhere": lambda html: re.sub(r'<div class="text">((?:<p>.*?</p>){4})', r'<div class="text">\1</div><div class="copy">', html),
}  # fmt: skip


def redesign(_: argparse.Namespace) -> None:
    """Forty pages before the change, forty after: wrong pages without a flag, pages until a new template serves."""
    print(f"{'redesign':30} false alarms  wrong unflagged  empty or navigation  new template after  right after it")
    for name, change in REDESIGNS.items():
        print(f"{name:30} {_redesign_row(change)}")


def _redesign_row(change: Callable[[str], str]) -> str:
    model, alarms, wrong, empty, served, right = SiteModel(), 0, 0, 0, 0, []
    for number in range(80):
        html = page(number) if number < 40 else change(page(number))
        verdict = model.observe(html, f"http://news.example/{number}.html", 0.95)
        alarms += number < 40 and any(event.kind == "drifting" for event in verdict.events)
        if number < 40 or verdict.article is None:
            continue
        method, text = verdict.article.provenance.method, verdict.article.articleBody
        score = word_f1(body_of(number), text)
        wrong += method == "template" and score < 0.8
        empty += method == "template" and score < 0.2
        if method == "template" and score >= 0.95:
            served = served or number - 40
            right.append(score)
    return f"{alarms:12}  {wrong:15}  {empty:19}  {served:18}  {len(right)}"


def cost(_: argparse.Namespace) -> None:
    """Milliseconds to induce from two pages and from eight, and to apply, as pages grow."""
    print("elements  learn 2 pages, ms a page  learn 8 pages, ms a page  apply, ms  parse, ms")
    for size in (10, 50, 250, 1000, 4000):
        pages = [(f"http://news.example/{n}.html", page(n, size)) for n in range(9)]
        elements = len(parse(*reversed(pages[0])).tree)
        two, eight = _learn(pages[:2]), _learn(pages[:8])
        model = SiteModel()
        model.learn(pages[:8])
        apply = _timed(lambda pages=pages, model=model: model.extract(*reversed(pages[8]))) * 1e3
        bare = _timed(lambda pages=pages: parse(pages[8][1])) * 1e3
        print(f"{elements:8}  {two:24.2f}  {eight:24.2f}  {apply:9.2f}  {bare:9.2f}")


def _learn(pages: list[tuple[str, str]]) -> float:
    start = time.process_time()
    SiteModel().learn(pages)
    return (time.process_time() - start) * 1e3 / len(pages)


def _timed(call: Callable[[], object], times: int = 5) -> float:
    start = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - start) / times


def threshold(_: argparse.Namespace) -> None:
    """Groups a site, largest share, for several thresholds: one template a kind of page is the aim."""
    print("threshold  groups a site  pages in the largest group  pages alone")
    signatures = list(_signatures())
    for value in (0.6, 0.7, 0.82, 0.9, 0.95):
        groups = [[len(members) for members in group(paths, value)] for paths in signatures]
        pages = sum(map(sum, groups))
        print(f"{value:9}  {sum(map(len, groups)) / len(groups):13.2f}  {sum(map(max, groups)) / pages:26.3f}  "
              f"{sum(sizes.count(1) for sizes in groups) / pages:11.3f}")  # fmt: skip


def _signatures() -> Iterator[list[frozenset[int]]]:
    for folder in sorted((DATA / "sites").iterdir()):
        rows = [
            json.loads(line) for line in (folder / "articles.jsonl").read_text(encoding="utf8").split("\n") if line
        ][:28]
        files = [folder / "root" / row["path"].lstrip("/") for row in rows]
        files = [file / "index.html" if file.is_dir() else file for file in files]
        yield [signature(parse(file.read_bytes()).root) for file in files if file.is_file()]


def history(_: argparse.Namespace) -> None:
    """The years of four news sites in order (crawl_to_the_future): what each change of design costs."""
    folder = DATA / "corpora" / "crawl_to_the_future"
    rows = [json.loads(line) for line in (folder / "truth.jsonl").read_text(encoding="utf8").split("\n") if line]
    by_site = collections.defaultdict(list)
    for row in rows:
        if (row.get("text") or "").strip() and row.get("cov", 1) >= 0.9:
            by_site[row["site"]].append(row)
    print(
        "site, year: pages, by template, wrong by template (F1 < .5), empty or navigation (< .1), first page served, alarms, mean F1, fallback F1"
    )
    for site, pages in sorted(by_site.items()):
        _history_of(site, sorted(pages, key=lambda row: (row["split_hint"], row["id"])), folder)


def _history_of(site: str, pages: list[dict[str, str]], folder: Path) -> None:
    model, years = SiteModel(), collections.defaultdict(list)
    for row in pages:
        html = (folder / "pages" / f"{row['id']}.html").read_bytes()
        verdict = model.observe(html, row.get("url"), 0.95)
        if verdict.article is not None:
            score = word_f1(row["text"], verdict.article.articleBody)
            alarm = any(event.kind == "drifting" for event in verdict.events)
            years[row["split_hint"]].append((verdict.article.provenance.method == "template", score, alarm))
    for year, found in years.items():
        served = [score for template, score, _ in found if template]
        rest = [score for template, score, _ in found if not template]
        first = next((number for number, one in enumerate(found) if one[0]), None)
        print(f"{site:16} {year}: {len(found):3} {len(served):3} {sum(s < 0.5 for s in served):3} {sum(s < 0.1 for s in served):3} "
              f"{first!s:>5} {sum(alarm for _, _, alarm in found)} {_mean(served)} {_mean(rest)}")  # fmt: skip


def diff(_: argparse.Namespace) -> None:
    """The pairwise diff (Peng and Xie 2017: equal text at equal addresses is template, the rest is data) beside the vote, word F1 by site."""
    print("sites  diff of two pages  diff against eight  template by vote")
    table = []
    for name in site_names():
        pages = sorted(site_examples(name), key=lambda one: one.key)
        cut = min(8, len(pages) // 2)
        if cut >= 2:
            table.append(_diff_row(pages[:cut], pages[cut : cut + 10]))
    print(f"{len(table):5}  {'  '.join(f'{sum(column) / len(table):17.3f}' for column in zip(*table, strict=True))}")


def _diff_row(known: list[Example], scored: list[Example]) -> tuple[float, float, float]:
    model, texts = SiteModel(), [_placed(one) for one in known]
    model.learn([(one.url, one.body) for one in known])
    sums = [0.0, 0.0, 0.0]
    for one in scored:
        mine = _placed(one)
        found = (
            "\n".join(text for place, text in mine.items() if texts[0].get(place) != text),
            "\n".join(text for place, text in mine.items() if all(other.get(place) != text for other in texts)),
            model.extract(html=one.body, url=one.url).articleBody or "",
        )
        sums = [total + word_f1(one.text, body) for total, body in zip(sums, found, strict=True)]
    first, second, third = (total / len(scored) for total in sums)
    return first, second, third


def _placed(one: Example) -> dict[tuple[str, int], str]:
    """Texts of a page by address: tags from the root with positions, and the number of the text there."""
    tree = parse(one.body, one.url).tree
    paths, nth = [""] * len(tree), collections.Counter[tuple[int, str]]()
    for at, (tag, parent) in enumerate(zip(tree.tags, tree.parents, strict=True)):
        nth[parent, tag] += 1
        paths[at] = f"{paths[parent] if parent >= 0 else ''}/{tag}[{nth[parent, tag]}]"
    seen, found = collections.Counter[int](), {}
    for owner, text in zip(tree.owners, tree.chunks, strict=True):
        found[paths[owner], seen[owner]] = " ".join(text.split())
        seen[owner] += 1
    return found


def _mean(values: list[float]) -> str:
    return f"{sum(values) / len(values):.3f}" if values else "-"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    actions = {"cost": cost, "threshold": threshold, "redesign": redesign, "history": history, "diff": diff}
    parser.add_argument("what", choices=sorted(actions))
    options = parser.parse_args()
    actions[options.what](options)
