"""What goes on now: the workers, the visits that run and those that wait; and the wish of a person
that a visit ends."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from sitecrawl.crawl.database import is_path_locked
from sitecrawl.crawl.store import Stores
from sitecrawl.extras.fleet.engine import Activity, WorkerState
from sitecrawl.extras.fleet.schedule import Schedule, Watched


def activity_of(stores: Stores, schedule: Schedule) -> Activity:
    """What goes on in a folder or a database. Raises DatabaseError if that cannot be used."""
    if stores.database:
        from sitecrawl.extras.fleet.jobs import Jobs

        return Jobs(schedule.db, stores.database).activity()
    if schedule.db.path is None or not is_path_locked(schedule.db.path.with_suffix(".lock")):
        return Activity()
    begun = frozenset(watched.site for watched in schedule.under_way())
    return Activity([WorkerState("of this folder", 0.0, len(begun))], begun)


def stop_visit(stores: Stores, schedule: Schedule, *, watched: Watched) -> bool:
    """Have the visit of a site broken off in order, if one runs; whether one does. The next one is
    due after its interval in any case."""
    if watched.site not in activity_of(stores, schedule).under_way:
        schedule.change(watched.site, next_visit=schedule.db.now() + watched.every)
        return False
    if stores.database:
        from sitecrawl.extras.fleet.jobs import Jobs

        Jobs(schedule.db, stores.database).abort(watched.site)
    else:
        schedule.change(watched.site, stop=1)
    return True


def state_of(stores: Stores, schedule: Schedule) -> dict[str, Any]:
    """The whole state as JSON. Times are in seconds."""
    activity = activity_of(stores, schedule)
    now = schedule.db.now()
    sites = schedule.all()
    waiting = [
        now - site.next_visit
        for site in sites
        if site.next_visit <= now and not site.paused and site.site not in activity.under_way
    ]
    return {
        "sites": len(sites),
        "under_way": len(activity.under_way),
        "paused": sum(bool(site.paused) for site in sites),
        "overdue": len(waiting),
        "overdue_longest": round(max(waiting, default=0.0), 1),
        "workers": [asdict(worker) for worker in activity.workers],
        "last": [_last_visit(site, activity) for site in sites],
    }


def _last_visit(site: Watched, activity: Activity) -> dict[str, Any]:
    ended = datetime.fromtimestamp(site.ended, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "site": site.site,
        "ended": ended if site.ended else None,
        "visits": site.visits,
        "articles": site.articles,
        "under_way": site.site in activity.under_way,
        "paused": bool(site.paused),
        "tries": site.tries,
        "outcome": site.outcome,
    }
