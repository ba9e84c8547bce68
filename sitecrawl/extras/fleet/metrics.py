"""Figures of the fleet for Prometheus. They come from the schedule, so that any worker answers for
all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from typing import Any

from sitecrawl.commands._help import OptionError
from sitecrawl.crawl.store import Stores
from sitecrawl.extras.fleet.schedule import Schedule, Watched
from sitecrawl.plugins import install_hint

_GAUGES = {
    "sites": "Sites that are watched",
    "sites_paused": "Sites that a person paused",
    "sites_due": "Sites whose visit is due",
    "sites_late": "Sites that are due for longer than their interval",
    "late_seconds": "Seconds for which the site that is due longest has waited",
    "last_visit_pages": "Pages of the last visits of all sites",
    "last_visit_requests": "Requests of the last visits of all sites, lost ones included",
    "last_visit_seconds": "Seconds that the last visits of all sites took",
}
_COUNTERS = {"visits": "Visits that came to their end", "items": "Items that were written"}


def serve_metrics(stores: Stores, place: str) -> None:
    """Answer scrapes at ``[HOST:]PORT`` in a thread. Raises OptionError if that cannot be done."""
    try:
        client = import_module("prometheus_client")
    except ImportError:
        hint = install_hint("metrics")
        raise OptionError(f"--metrics needs prometheus_client: {hint}") from None
    host, _, port = place.rpartition(":")
    if not port.isdecimal():
        raise OptionError(f"--metrics {place}: write a port, or HOST:PORT")
    registry = client.CollectorRegistry()
    registry.register(FleetFigures(stores))
    try:
        client.start_http_server(int(port), addr=host or "127.0.0.1", registry=registry)
    except (OSError, OverflowError) as error:
        raise OptionError(f"--metrics {place} cannot be used ({error})") from None


class FleetFigures:
    """Reads the schedule at each scrape."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    def describe(self) -> list[Any]:
        """Nothing, so that no scrape is made when this is registered."""
        return []

    def collect(self) -> Iterator[Any]:
        """The metrics of now, as the client library wants them."""
        core = import_module("prometheus_client.core")
        with closing(Schedule(self._stores.watched())) as schedule:
            sites = schedule.all()
            now = schedule.db.now()
        figures = figures_of(sites, now=now)
        for name, meaning in _GAUGES.items():
            yield core.GaugeMetricFamily(f"sitecrawl_{name}", meaning, value=figures[name])
        for name, meaning in _COUNTERS.items():
            yield core.CounterMetricFamily(f"sitecrawl_{name}", meaning, value=figures[name])
        ended = core.GaugeMetricFamily(
            "sitecrawl_last_visits", "Sites by the end of their last visit", labels=["reason"]
        )
        for reason, count in sorted(reasons_of(sites).items()):
            ended.add_metric([reason], count)
        yield ended


def figures_of(sites: list[Watched], *, now: float) -> dict[str, float]:
    """The figures by name. Those of a site that left the schedule are not counted any more."""
    waiting = [now - site.next_visit for site in sites if not site.paused]
    late = [site for site in sites if not site.paused and now > site.next_visit + site.every]
    found: Counter[str] = Counter(
        sites=len(sites),
        sites_paused=sum(1 for site in sites if site.paused),
        sites_due=sum(1 for seconds in waiting if seconds >= 0),
        sites_late=len(late),
        visits=sum(site.visits for site in sites),
        items=sum(site.articles for site in sites),
    )
    for name in ("pages", "requests", "seconds"):
        found[f"last_visit_{name}"] = sum(site.outcome.get(name, 0) for site in sites)
    return {**found, "late_seconds": max([0.0, *waiting])}


def reasons_of(sites: list[Watched]) -> Counter[str]:
    """How many sites ended their last visit for each reason: ``failed`` where nothing came."""
    found = Counter[str]()
    for site in sites:
        reason = site.outcome.get("reason")
        if reason:
            found["failed" if site.outcome.get("code") else str(reason)] += 1
        if site.tries:
            found["unfinished"] += 1
    return found
