"""What is wrong with a site, by its visits: one enum of reasons, and the rules that find them. A
rule is a function of the visits and of the threshold of its reason. A new rule is a function, and a
row of the enum."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import date
from enum import Enum
from functools import partial
from itertools import accumulate, groupby
from math import inf
from statistics import median
from typing import NamedTuple

from sitecrawl.crawl.reasons import BROKEN, WATCH, Severity, numbered
from sitecrawl.crawl.records import Drop, FileKind
from sitecrawl.crawl.visit import REDUCED, Loss, PageSample, Visit
from sitecrawl.extras.report.history import History, drifts
from sitecrawl.extras.report.shifts import NONE, Bad, Tally, by_usual, pages, shift_of
from sitecrawl.resources import table_beside
from sitecrawl.urls.scope import host_of, registered_domain

_OPEN_START = "Open the start page. If another page lists the articles now, use its URL as start="
_CORRECT = (
    "Open the page. `sitecrawl why URL` says how it was read, `sitecrawl templates edit URL`"
    " corrects it."
)
_SLOW_DOWN = (
    "Open the page. If it opens in your browser, raise DOWNLOAD_DELAY and name a contact"
    " (SITECRAWL_CONTACT)."
)
_ASK_ACCESS = "Ask the owner of the site for access, or remove the site."
_NEW_ADDRESS = "Name the new address as start="
_WAIT = "Wait: the server has a problem."
_BY_HAND = "`sitecrawl templates edit URL` makes a template by hand; with more pages it is learned."
_READ_SOME = (
    "Read a few of the latest articles. `sitecrawl templates edit URL` makes a template by hand."
)


@dataclass(frozen=True, slots=True)
class Cause:
    """One problem: ``text`` is a sentence, ``url`` an example, ``advice`` what to do, ``muted``
    until when and why."""

    kind: str
    level: Severity
    text: str
    url: str = ""
    advice: str = ""
    muted: str = ""


class Found(NamedTuple):
    """What a rule found: an example, what the sentence says, and the severity if it is another."""

    url: str
    said: tuple[object, ...] = ()
    severity: Severity | None = None


Rule = Callable[[History, float], Iterator[Found]]


# ---- how the last visit ended
def _broken_state(history: History, limit: float) -> Iterator[Found]:
    if history.last.broken:
        yield Found("", (history.last.broken,))


def _killed(history: History, limit: float) -> Iterator[Found]:
    last = history.last
    if not last.ended:
        yield Found("", (f"the crawl of {history.day(last)} was killed or crashed",))
    elif last.reason == "shutdown":
        yield Found("", (f"interrupted after {numbered(last.pages, 'page')}",), WATCH)


def _unwritten_feed(history: History, limit: float) -> Iterator[Found]:
    if history.last.unwritten:
        yield Found("")


# ---- pages that were lost, and pages that say why
def _lost(pattern: str, *, of_any: bool = False) -> Rule:
    """A rule: start pages, or pages ``of_any`` kind, were lost for a reason that matches."""

    def rule(history: History, limit: float) -> Iterator[Found]:
        for loss in history.last.lost:
            match = re.search(pattern, loss.why, re.S) if loss.start or of_any else None
            if match:
                yield Found(loss.url, (history.nothing_new, *match.groups()))

    return rule


def _moved(history: History, limit: float) -> Iterator[Found]:
    """Start pages that lead to other domains."""
    last = history.last
    landed = [one.url for one in last.samples if one.start]
    landed += [loss.landed for loss in last.lost if loss.start and loss.landed]
    if not landed:
        return
    homes = {registered_domain(host_of(url)) for url in last.start}
    if homes.isdisjoint(registered_domain(host_of(url)) for url in landed):
        yield Found(landed[0], (history.nothing_new, host_of(landed[0])))


class _Wall(NamedTuple):
    """What pages say in place of an article, in many languages, in so many characters at most."""

    pattern: re.Pattern[str]
    characters: int


_WALLS = {
    name: _Wall(re.compile(row["pattern"], re.I), row["characters"])
    for name, row in table_beside(__file__).items()
}


def _wall(name: str) -> Rule:
    """Short pages that match: start pages without article links, or pages that links promised as
    articles."""
    wall = _WALLS[name]

    def rule(history: History, limit: float) -> Iterator[Found]:
        last = history.last
        starts = [
            one
            for one in last.samples
            if one.start and not one.left and not last.completeness.shown
        ]
        for met in (starts, _refused(history)):
            walls = [one for one in met if _says(one, wall)]
            if 2 * len(walls) > len(met):
                said = walls[0].title or walls[0].text[:60]
                yield Found(walls[0].url, (history.nothing_new, said))

    return rule


def _says(one: PageSample, wall: _Wall) -> bool:
    is_short = one.characters <= wall.characters
    return is_short and wall.pattern.search(f"{one.title} {one.text}") is not None


def _refused(history: History) -> list[PageSample]:
    """Samples of the pages behind article links that are none, of the latest visit that has any, if
    there are more than chance explains, or no page links to articles, or none was written."""
    met = next(filter(None, reversed(history.unwritten)), [])
    if not met or _is_fruitless(history) or not history.last.completeness.shown:
        return met
    return met if shift_of(history, promised_in_vain(history), enough=6) else []


# ---- shares that have changed
@dataclass(frozen=True, slots=True)
class _Change:
    """A rule: pages of a kind that are more since some moment. Their share is at least ``least``
    (0: the threshold); :func:`shift_of` says what the others mean."""

    tally: Callable[[History, float], Tally]
    least: float = 0.5
    enough: int = 1
    worth: int = 1

    def __call__(self, history: History, limit: float) -> Iterator[Found]:
        found = shift_of(
            history,
            self.tally(history, limit),
            least=self.least or limit,
            enough=self.enough,
            worth=self.worth,
        )
        if found:
            yield Found(found.last.url, (found.said, found.last.why))


_UNWANTED = (
    Drop.BASELINE,
    Drop.SINCE,
    Drop.NO_DAY,
    Drop.MAX_ARTICLES,
    Drop.UNCHANGED,
    Drop.KNOWN,
    Drop.TWIN,
    Drop.FILTERED,
    Drop.PART,
)
"""Why articles that were read are not to be written."""
_NO_PAGES_OF_ARTICLES = ("listing", "lost", "part")
_NOWHERE = "answered (404|410)|lead to the front page"


def promised_in_vain(history: History, limit: float = 0.0) -> Tally:
    """Pages that links promised as articles and that gave no item, as pages that say that nothing
    is there. Some do not count: unwanted articles, listings that were opened again, later parts of
    an article. Neither does a crawl that was interrupted, since its articles wait."""
    totals = []
    bad = []
    for at, visit in enumerate(history.visits):
        promised = history.promised[at]
        came = promised.total() - sum(promised[kind] for kind in _NO_PAGES_OF_ARTICLES)
        expected = visit.articles + visit.revised + visit.dropped(*_UNWANTED)
        totals.append(came)
        if came > expected and visit.ended and visit.reason != "shutdown":
            page = next(iter(history.unwritten[at]), PageSample(history.start))
            bad.append(Bad(came - expected, page.title, page.url))
        else:
            bad.append(NONE)
    return Tally(totals, bad)


def _is_fruitless(history: History) -> bool:
    """Whether no article was ever written, though the last visit read all that it found and none
    was unwanted."""
    last = history.last
    return not last.known and last.reason == "finished" and not last.dropped(*_UNWANTED)


def _is_misled(loss: Loss) -> bool:
    """Whether pages redirected elsewhere, or say that they do not exist."""
    return not loss.start and (bool(loss.landed) or "does not exist" in loss.why)


def _first_met(visit: Visit, is_so: Callable[[Loss], object]) -> Bad:
    """Losses of a kind, of links to articles that no earlier visit met; every old site has links to
    pages that are gone."""
    met = [one for one in visit.lost if one.new and is_so(one)]
    if not met:
        return NONE
    return Bad(sum(one.new for one in met), met[-1].why, met[-1].url)


def _misled(history: History, limit: float) -> Tally:
    bad = [_first_met(visit, _is_misled) for visit in history.visits]
    return Tally([links.total() for links in history.promised], bad)


def _gone(history: History, limit: float) -> Tally:
    """Links to articles that do not exist, or in whose place the front page comes."""
    bad = [_first_met(visit, lambda one: re.search(_NOWHERE, one.why)) for visit in history.visits]
    met = zip(history.promised, bad, strict=True)
    return Tally([links.total() - links["lost"] + one.count for links, one in met], bad)


def _losses(history: History, limit: float) -> Tally:
    """Lost pages; a page requested in every visit counts once. Every old site has links to missing
    pages: they count only after too many visits without articles."""
    is_barren = history.barren_chance < limit / 10
    spared = re.compile("login" if is_barren else f"login|{_NOWHERE}")
    known = set[tuple[str, str]]()
    bad = []
    for at, visit in enumerate(history.visits):
        # a listing that fails is no article
        lost = visit.lost if history.promised[at]["lost"] or not visit.pages_as else ()
        bad.append(_fresh_losses(lost, known, spared=spared))
        known.update((one.url, one.why) for one in lost)
    totals = [one.count + visit.articles for one, visit in zip(bad, history.visits, strict=True)]
    return Tally(totals, bad, begin=int(is_barren))


def _fresh_losses(
    lost: Sequence[Loss], known: Set[tuple[str, str]], *, spared: re.Pattern[str]
) -> Bad:
    """Losses that no visit before had, but for those that are to be spared."""
    fresh = []
    for one in lost:
        if one.start or _is_misled(one) or spared.search(one.why):
            continue
        if one.count > 1 or (one.url, one.why) not in known:
            fresh.append(one)
    if not fresh:
        return NONE
    return Bad(sum(one.count for one in fresh), fresh[-1].why, fresh[-1].url)


def _repeats(history: History, limit: float) -> Tally:
    """Articles that were dropped because their text is known."""
    counts = [visit.dropped(Drop.REPEAT, Drop.COPY) for visit in history.visits]
    totals = [visit.articles + count for visit, count in zip(history.visits, counts, strict=True)]
    return Tally(totals, pages(counts, url=history.start, why=lambda count: ""))


# ---- written items
def _with_defect(
    samples: Sequence[Sequence[PageSample]],
    is_bad: Callable[[PageSample], bool],
    *,
    shows: str = "title",
) -> list[Bad]:
    """The pages of each visit that have a defect, which a field of the sample shows."""
    found = []
    for some in samples:
        bad = [one for one in some if is_bad(one)]
        found.append(Bad(len(bad), str(getattr(bad[-1], shows)), bad[-1].url) if bad else NONE)
    return found


def _counts(samples: Sequence[Sequence[PageSample]]) -> list[int]:
    return [len(some) for some in samples]


def _lacks(one: PageSample, *, name: str) -> bool:
    return name in one.lacks


def _lacking(*, enough: int = 6, **fields: str) -> Rule:
    """A rule: articles lack one of some fields, each with its name for a person."""

    def rule(history: History, limit: float) -> Iterator[Found]:
        for name, shown in fields.items():
            bad = _with_defect(history.written, partial(_lacks, name=name))
            tally = Tally(_counts(history.written), bad)
            if shift := shift_of(history, tally, least=limit, enough=enough):
                yield Found(shift.last.url, (shown, shift.said))

    return rule


def _same_headlines(history: History, limit: float) -> Tally:
    """Headlines that several pages have, of those that are written and of those that have the text
    of another."""
    titled = []
    for visit in history.visits:
        found = [one for one in visit.samples if one.title and (one.left or "copy" in one.flags)]
        titled.append(found)
    met = {(one.title.casefold(), one.url) for some in titled for one in some}
    known = Counter(title for title, _ in met)
    often = {title for title, count in known.items() if count >= limit}
    bad = _with_defect(titled, lambda one: one.title.casefold() in often)
    return Tally(_counts(titled), bad)


def _garbled(history: History, limit: float) -> Tally:
    bad = _with_defect(history.written, lambda one: one.garbled >= limit)
    return Tally(_counts(history.written), bad)


def _short(history: History, limit: float) -> Tally:
    """Texts shorter than a share of the shortest tenth of the usual texts, which the first visit
    alone, of the archive, does not tell."""

    def usual(before: Sequence[int]) -> int:
        lengths = [one.characters for at in before for one in history.written[at]]
        lengths.sort()
        return lengths[len(lengths) // 10] if lengths else 0

    def bad(least: int) -> list[Bad]:
        most = limit * least
        return _with_defect(history.written, lambda one: one.characters < most, shows="characters")

    totals = _counts(history.written)
    return Tally(totals, by_usual=by_usual(usual, bad), begin=2)


def _drawn(history: History, limit: float) -> Tally:
    """Articles without a text, and short pages promised as articles, that have scripts."""
    met = [[one for one in visit.samples if not one.start] for visit in history.visits]

    def is_drawn(one: PageSample) -> bool:
        if "scripts" not in one.flags or "copy" in one.flags:
            return False
        return "articleBody" in one.lacks if one.left else one.characters < limit

    return Tally(_counts(met), _with_defect(met, is_drawn))


def _reduced(history: History, limit: float) -> Iterator[Found]:
    """Articles of the latest visit that has any whose texts hold nothing beside headline and date:
    three or more, and half of them. The first visit already tells."""
    written = next(filter(None, reversed(history.written)), [])
    bad = [one for one in written if REDUCED in one.flags]
    if len(bad) >= 3 and 2 * len(bad) >= len(written):
        yield Found(bad[0].url, (f"{len(bad)} of {len(written)}", bad[0].title))


def _dated_now(history: History, limit: float) -> Tally:
    """Articles dated on the day of their visit, or a few days later. Most new articles of a site
    that is visited daily are of that day, so only a change counts. Visits that fetch the archive do
    not tell what is usual, nor do few articles."""
    return _of_days(history, history.fresh, first=0, end=limit, known=20)


def _future(history: History, limit: float) -> Tally:
    return _of_days(history, range(len(history.visits)), first=limit)


def _of_days(
    history: History, numbers: Sequence[int], *, first: float, end: float = inf, known: int = 4
) -> Tally:
    """The articles of some visits that are dated ``first`` days after them or later, and less than
    ``end`` days after them."""
    totals = [0] * len(history.visits)
    bad = [NONE] * len(history.visits)
    for at in numbers:
        written = history.written[at]
        today = history.visits[at].began[:10]
        ages = {day: _age(day, today) for day in {one.day for one in written}}
        late = {day for day, age in ages.items() if first <= age < end}
        totals[at] = len(written)
        if late:
            (bad[at],) = _with_defect([written], lambda one: one.day in late, shows="day")  # noqa: B023
    return Tally(totals, bad, known=known)


def _age(day: str, today: str) -> int:
    """How many days after ``today`` a day is; -1 for what is none, which an item pipeline may
    write."""
    try:
        return (date.fromisoformat(day) - date.fromisoformat(today)).days
    except ValueError:
        return -1


def _languages(samples: Sequence[PageSample]) -> Counter[str]:
    return Counter([one.language[:2] for one in samples])


def _foreign(history: History, limit: float) -> Tally:
    sums = list(accumulate(map(_languages, history.written)))

    def usual(before: Sequence[int]) -> frozenset[str]:
        spoken = sums[before[-1]] if before else Counter[str]()
        least = limit * spoken.total()
        return frozenset(code for code, count in spoken.items() if count > least)

    def bad(known: frozenset[str]) -> list[Bad]:
        return _with_defect(
            history.written,
            lambda one: bool(one.language) and one.language[:2] not in known,
            shows="language",
        )

    return Tally(_counts(history.written), by_usual=by_usual(usual, bad))


def _other_template(history: History, limit: float, *, is_none: bool) -> Tally:
    """Articles read by another template than usual, or by none. After a thorough redesign the new
    pages no longer match the old template, so no event of a template shows it."""

    sums = list(accumulate(Counter(visit.answered) for visit in history.visits))

    def usual(before: Sequence[int]) -> str:
        read = sums[before[-1]] if before else Counter[str]()
        return max(read, key=read.__getitem__, default="")

    def bad(old: str) -> list[Bad]:
        found = []
        for visit in history.visits:
            others = {name: count for name, count in visit.answered.items() if name != old and old}
            if is_none:
                others = {name: count for name, count in others.items() if not name}
            last = next(reversed(others), "") or "none"
            found.append(Bad(sum(others.values()), last, history.start))
        return found

    totals = [sum(visit.answered.values()) for visit in history.visits]
    return Tally(totals, by_usual=by_usual(usual, bad))


# ---- listings
def _few(history: History, limit: float) -> Tally:
    """Visits whose listings show at most a share of the articles of the three visits before the
    change: a new site lists more from visit to visit. A visit without a fetched page tells nothing,
    nor does one of another effort than the last."""
    visits = history.visits
    shown = [visit.completeness.shown for visit in visits]
    effort = history.last.effort
    totals = [int(visit.pages > 0 and visit.effort == effort) for visit in visits]

    def usual(before: Sequence[int]) -> float:
        return median([shown[at] for at in before[-3:]] or [0])

    def bad(often: float) -> list[Bad]:
        found = []
        for tells, count in zip(totals, shown, strict=True):
            is_few = tells and count <= limit * often
            found.append(Bad(1, f"{count} articles", history.start) if is_few else NONE)
        return found

    return Tally(totals, by_usual=by_usual(usual, bad))


def _cut_listings(history: History, limit: float) -> Iterator[Found]:
    """Listings that show few articles: broken where nothing new comes either."""
    severity = BROKEN if history.is_silent else None
    for found in _Change(_few, enough=2, worth=2)(history, limit):
        yield found._replace(severity=severity)


def _by_feed(history: History, limit: float = 0.0) -> Tally:
    """Articles that no listing showed before a feed or a sitemap named them."""
    counts = []
    for visit in history.visits:
        named = (f"hints/{file}" for file in (FileKind.FEED, FileKind.SITEMAP))
        counts.append(min(visit.articles, sum(visit.counts.get(name, 0) for name in named)))
    totals = [visit.articles for visit in history.visits]
    return Tally(totals, pages(counts, url=history.start, why=lambda count: ""))


# ---- articles that did not come
def _no_articles(history: History, limit: float) -> Iterator[Found]:
    """Start pages were fetched but no article was found, although listings showed some before; or
    none was ever written."""
    last = history.last
    if not (last.ended and last.pages) or last.articles:
        return
    shown = median([visit.completeness.shown for visit in history.visits[:-1]] or [0])
    is_bare = not last.completeness.shown and (shown or not last.known)
    if not (is_bare or _is_fruitless(history)) or shift_of(history, _by_feed(history), least=0.9):
        return
    said = f"No article was ever found; the last visit read {numbered(last.pages, 'page')}"
    if last.known:
        said = f"{history.nothing_new}listings link to no articles ({shown:.0f} before)"
    yield Found(history.start, (said, _title_of_start(last)))


def _title_of_start(visit: Visit) -> str:
    for one in visit.samples:
        if one.start and one.title:
            return f", its title is “{one.title}”"
    return ""


def _silent(history: History, limit: float) -> Iterator[Found]:
    """More visits without new articles than chance explains, and ``limit`` times as many as ever
    before."""
    count = history.barren
    if not (history.last.ended and history.is_silent):
        return
    earlier = history.visits[: len(history.visits) - count]
    runs = groupby(earlier, key=lambda visit: visit.articles > 0)
    longest = max((len(list(run)) for news, run in runs if not news), default=0)
    if count > limit * longest:
        yield Found(history.start, (history.nothing_new, history.rate))


def _fell(history: History, limit: float) -> Iterator[Found]:
    """Far fewer articles than visits of this effort usually bring. Sites publish in bursts, so only
    less than one in ``limit`` counts."""
    count = history.last.articles
    if not (history.last.ended and count):
        return
    usual = history.alike.rate
    if limit * count <= usual:
        yield Found(history.start, (numbered(count, "article"), usual))


# ---- templates
def _drifting(history: History, limit: float) -> Iterator[Found]:
    """Templates out of use since a redesign."""
    for family in history.drifting:
        url = day = ""
        for visit in history.visits:
            for note in drifts(visit):
                if note.family == family:
                    url = note.url
                    day = history.day(visit)
        yield Found(url, (family, day))


def _relearned(history: History, limit: float) -> Iterator[Found]:
    last = history.last
    for event in drifts(last):
        family = event.family
        if family not in history.drifting:
            version = max(one.version for one in last.events if one.family == family)
            yield Found(event.url, (history.day(last), family, version))


# ---- what was left
def _incomplete(history: History, limit: float) -> Iterator[Found]:
    """Listing pages or articles were not fetched and the completeness is below ``limit``; not with
    ``effort=quick``, nor after an interruption or a limit of the user. Where an estimate has no
    basis, the articles that were seen and not read say how complete the crawl is at most."""
    last = history.last
    is_meant = last.ended and last.effort != "quick" and last.reason == "finished"
    if not is_meant or not (last.completeness.unopened or last.completeness.unread):
        return
    share = last.share
    word = "About"
    if share is None and last.completeness.shown:
        share = max(0.0, 1 - last.completeness.unread / last.completeness.shown)
        word = "At most"
    if share is None or share >= limit:
        return
    left = [
        numbered(count, name)
        for name, count in (
            ("listing page", last.completeness.unopened),
            ("article", last.completeness.unread),
        )
        if count
    ]
    severity = BROKEN if share < 0.5 else None
    said = (word, 100 * share, " and ".join(left) + " left")
    yield Found(next(iter(last.listings), ""), said, severity)


# ---- the reasons
_UNREACHED = (
    r"^(no answer in time.*|no such host.*|(?:robots.txt )?cannot be reached(?!.*answered).*)"
)


class SiteReason(Enum):
    """A row: the kind of the cause, its severity, sentence and remedy, the rule that finds it, and
    the threshold that a user may change (0: none; up to 1 it is a share). ``{}`` stands for what was
    found. The most specific row comes first; rows of one kind are told once."""

    STATE = (
        "state",
        BROKEN,
        "The crawl stopped: {}",
        "The line says what to do with the state of the site; docs/troubleshooting.md has more.",
        _broken_state,
    )
    KILLED = (
        "killed",
        BROKEN,
        "{}; the next run continues",
        "Nothing. If it happens again, look for a lack of memory.",
        _killed,
    )
    UNWRITTEN = (
        "unwritten",
        BROKEN,
        "A feed could not be written; the articles wait for the next run",
        "Make room on the disk, or correct the name of the feed.",
        _unwritten_feed,
    )
    ROBOTS = (
        "robots",
        BROKEN,
        "{}robots.txt forbids the start page",
        "Ask the owner of the site for permission, or remove the site.",
        _lost("forbidden by robots.txt"),
    )
    START_GONE = (
        "start-gone",
        BROKEN,
        "{}the start page answers {}",
        _OPEN_START,
        _lost("answered (404|410)"),
    )
    SERVER = (
        "server",
        BROKEN,
        "{}the server answers {}",
        _WAIT,
        _lost(r"answered (5\d\d)"),
    )
    BLOCKED = (
        "blocked",
        BROKEN,
        "{}turned away, the start page says {}",
        _SLOW_DOWN,
        _lost("answered (202|401|403|407|418|429)"),
    )
    NETWORK = (
        "network",
        BROKEN,
        "{}the start page did not come ({})",
        "Check the URL, and whether the site is online.",
        _lost(_UNREACHED),
    )
    LOGIN = (
        "login",
        BROKEN,
        "{}the start page asks for a login",
        _ASK_ACCESS,
        _lost("login"),
    )
    MOVED = (
        "moved",
        BROKEN,
        "{}the start page leads to {}",
        _NEW_ADDRESS,
        _moved,
    )
    MAINTENANCE = (
        "server",
        BROKEN,
        "{}the site is closed for maintenance: “{}”",
        _WAIT,
        _wall("server"),
    )
    ROBOT_CHECK = (
        "blocked",
        BROKEN,
        "{}the site asks whether we are a robot: “{}”",
        _SLOW_DOWN,
        _wall("blocked"),
    )
    LOGIN_WALL = (
        "login",
        BROKEN,
        "{}the site asks for a login: “{}”",
        _ASK_ACCESS,
        _wall("login"),
    )
    PARKED = (
        "parked",
        BROKEN,
        "{}the domain is parked or for sale: “{}”",
        "The site is gone from there: look for its new address.",
        _wall("parked"),
    )
    SAYS_MOVED = (
        "moved",
        BROKEN,
        "{}the site says that it has moved: “{}”",
        _NEW_ADDRESS,
        _wall("moved"),
    )
    CONSENT = (
        "consent",
        BROKEN,
        "{}every page asks for consent first: “{}”",
        "Agree in your browser, export its cookies and crawl with -a cookies=FILE (docs/access.md).",
        _wall("consent"),
    )
    START_LOST = (
        "start-lost",
        BROKEN,
        "{}the start page was lost: {}",
        _OPEN_START,
        _lost("(.*)"),
    )
    MISLED = (
        "missing",
        BROKEN,
        "Links to articles lead to pages that do not exist ({}): {}",
        _OPEN_START,
        _Change(_misled, least=0),
        0.5,
    )
    MISSING_WALL = (
        "missing",
        BROKEN,
        "{}pages say that they do not exist: “{}”",
        _OPEN_START,
        _wall("missing"),
    )
    GONE = (
        "missing",
        BROKEN,
        "Links to new articles lead nowhere ({}): {}",
        _OPEN_START,
        _Change(_gone, least=0, enough=6),
        0.5,
    )
    LOSSES = (
        "losses",
        BROKEN,
        "Articles could not be fetched ({}): {}",
        f"{_WAIT} If it lasts, raise DOWNLOAD_DELAY.",
        _Change(_losses, least=0),
        0.5,
    )
    HEADLINES = (
        "headlines",
        BROKEN,
        "Headlines repeat: “{1}” ({0})",
        _CORRECT,
        _Change(_same_headlines, least=0.8, enough=6),
        3.0,
    )
    REPEATS = (
        "repeats",
        BROKEN,
        "Articles have the same text ({})",
        _CORRECT,
        _Change(_repeats, least=0, enough=6),
        0.8,
    )
    SCRIPTS = (
        "scripts",
        BROKEN,
        "JavaScript draws the articles; without it there is no text ({})",
        "Install the browser (extra js): SITECRAWL_JS=auto draws such pages.",
        _Change(_drawn, least=0.8, enough=3),
        2_000.0,
    )
    GARBLED = (
        "garbled",
        BROKEN,
        "Texts are encoded twice: “{1}” ({0})",
        "Tell the owner of the site: its pages are encoded wrongly.",
        _Change(_garbled, enough=6),
        0.3,
    )
    REDUCED = (
        "reduced",
        BROKEN,
        "Texts hold nothing but headline and date ({}): “{}”",
        _CORRECT,
        _reduced,
    )
    BODIES = (
        "bodies",
        BROKEN,
        "Texts are cut, the last one has {1} characters ({0})",
        "Open the page. Behind a paywall, there is no more text. Else correct the template.",
        _Change(_short, least=0.9, enough=6),
        0.7,
    )
    LANGUAGE = (
        "language",
        BROKEN,
        "Articles are in another language: {1} ({0})",
        "Open an article. If the site has an edition in the usual language, use the URL of its"
        " start page as start=",
        _Change(_foreign, enough=6),
        0.1,
    )
    NO_FIELD = (
        "field",
        BROKEN,
        "{} missing ({})",
        _CORRECT,
        _lacking(headline="Headlines", datePublished="Dates", articleBody="Texts"),
        0.5,
    )
    DATED_NOW = (
        "dates",
        BROKEN,
        "Dates are the day of the crawl: {1} ({0})",
        _CORRECT,
        _Change(_dated_now, enough=6),
        3.0,
    )
    FUTURE = (
        "dates",
        BROKEN,
        "Dates are in the future: {1} ({0})",
        _CORRECT,
        _Change(_future, enough=6),
        3.0,
    )
    NOT_ARTICLES = (
        "not-articles",
        BROKEN,
        "Pages behind article links are not articles ({}): “{}”",
        _CORRECT,
        _Change(promised_in_vain, least=0, enough=6),
        0.5,
    )
    FEED_ONLY = (
        "feed-only",
        WATCH,
        "Listing pages show no new articles; only feeds and sitemaps name them ({})",
        _OPEN_START,
        _Change(_by_feed, least=0, enough=6),
        0.9,
    )
    NO_ARTICLES = (
        "no-articles",
        BROKEN,
        "{}{}",
        _OPEN_START,
        _no_articles,
    )
    EMPTIED = (
        "listings",
        WATCH,
        "{}a listing page {}",
        _OPEN_START,
        _lost("^it (shows no articles any more)$", of_any=True),
    )
    CUT_LISTINGS = (
        "listings",
        WATCH,
        "Listings show only {1} (visits: {0})",
        _OPEN_START,
        _cut_listings,
        0.6,
    )
    SILENT = (
        "silent",
        BROKEN,
        "{}usually {:.1f} a visit",
        _OPEN_START,
        _silent,
        2.0,
    )
    FELL = (
        "fell",
        BROKEN,
        "{} in the last visit, usually {:.0f}",
        _OPEN_START,
        _fell,
        10.0,
    )
    DRIFTING = (
        "drifting",
        BROKEN,
        "Redesigned: {} no longer fits its pages since {}, articles are read without it",
        _BY_HAND,
        _drifting,
    )
    RELEARNED = (
        "relearned",
        WATCH,
        "Redesigned {}: the template {} was learned again as version {}",
        _READ_SOME,
        _relearned,
    )
    NO_TEMPLATE = (
        "drifting",
        BROKEN,
        "Redesigned: the usual template no longer fits new articles, and no other does ({})",
        _BY_HAND,
        _Change(partial(_other_template, is_none=True), least=0),
        0.9,
    )
    OTHER_TEMPLATE = (
        "relearned",
        WATCH,
        "Redesigned: the usual template no longer fits new articles ({}), {} does",
        _READ_SOME,
        _Change(partial(_other_template, is_none=False), least=0),
        0.9,
    )
    NO_EXTRA_FIELD = (
        "field",
        WATCH,
        "{} missing ({})",
        _CORRECT,
        _lacking(authors="Authors", mainImage="Images", enough=12),
        0.95,
    )
    INCOMPLETE = (
        "incomplete",
        WATCH,
        "{} {:.0f} % complete: {}",
        "Crawl it with -a effort=full, which opens all listing pages.",
        _incomplete,
        0.9,
    )

    def __init__(
        self,
        kind: str,
        severity: Severity,
        sentence: str,
        remedy: str,
        rule: Rule,
        threshold: float = 0.0,
    ) -> None:
        self.kind = kind
        self.severity = severity
        self.sentence = sentence
        self.remedy = remedy
        self.rule = rule
        self.threshold = threshold


_VAGUE = (
    SiteReason.START_LOST,
    SiteReason.NOT_ARTICLES,
    SiteReason.NO_ARTICLES,
    SiteReason.CUT_LISTINGS,
    SiteReason.SILENT,
    SiteReason.FELL,
    SiteReason.OTHER_TEMPLATE,
)
"""Reasons that only say that something is wrong: they are not told beside a specific one."""
KINDS = tuple(dict.fromkeys(reason.kind for reason in SiteReason))


def causes_of(history: History) -> list[Cause]:
    """All causes of trouble, the worst first, then in the order of the rules; each kind once."""
    found = list[tuple[SiteReason, Cause]]()
    for reason in SiteReason if history.visits else ():
        limit = history.limits.get(reason.kind)
        if limit != 0:
            met = reason.rule(history, limit or reason.threshold)
            found += [(reason, _cause(reason, one)) for one in met]
    is_known = any(one.level is BROKEN for reason, one in found if reason not in _VAGUE)
    told = dict[str, Cause]()
    for reason, cause in found:
        if not (is_known and reason in _VAGUE):
            told.setdefault(cause.kind, cause)
            is_known = is_known or cause.level is BROKEN
    levels = list(Severity)
    return sorted(told.values(), key=lambda cause: levels.index(cause.level))


def _cause(reason: SiteReason, found: Found) -> Cause:
    text = reason.sentence.format(*found.said)
    level = found.severity or reason.severity
    return Cause(reason.kind, level, text[:1].upper() + text[1:], found.url, reason.remedy)
