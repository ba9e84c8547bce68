"""Figures of the sites by week."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import median

from sitecrawl.crawl.visit import Visit


@dataclass(frozen=True, slots=True)
class Week:
    """The finished visits of a week, named by its Monday. ``articles`` excludes first visits, which
    fetch the archive; ``failed`` counts visits that ended with an error, ``completeness`` is the
    median share (0..1) of those with an estimate, None without any, ``answers`` counts requests by ``fetched``, a status code, or ``none``."""

    week: str
    visits: int
    failed: int
    articles: int
    pages: int
    completeness: float | None
    answers: dict[str, int]


def weeks_of(visits: Iterable[Visit]) -> list[Week]:
    """The weeks of visits, the first one first; weeks without a visit are left out."""
    found = defaultdict[str, list[Visit]](list)
    for visit in visits:
        if visit.ended:
            day = date.fromisoformat(visit.began[:10])
            found[(day - timedelta(days=day.weekday())).isoformat()].append(visit)
    return [_week(monday, found[monday]) for monday in sorted(found)]


def _week(monday: str, visits: Sequence[Visit]) -> Week:
    # the first visit of a site, which fetched the archive, says nothing of a week
    articles = sum(visit.articles for visit in visits if visit.known > visit.articles)
    answers = sum(map(answers_of, visits), Counter[str]())
    shares = [visit.share for visit in visits if visit.known and visit.share is not None]
    failed, pages = sum(visit.code > 0 for visit in visits), sum(visit.pages for visit in visits)
    return Week(
        monday,
        len(visits),
        failed,
        articles,
        pages,
        round(median(shares), 3) if shares else None,
        dict(sorted(answers.items())),
    )


def answers_of(visit: Visit) -> Counter[str]:
    """Requests of a visit by answer, without those that none had."""
    answers = Counter({"fetched": visit.pages})
    for loss in visit.lost:
        code = re.search(r"answered (\d{3})", loss.why)
        answers[code[1] if code else "none"] += loss.count
    return +answers
