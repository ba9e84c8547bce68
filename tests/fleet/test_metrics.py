"""The figures of the schedule that Prometheus reads."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import pytest

from sitecrawl.commands._help import OptionError
from sitecrawl.crawl.store import Stores
from sitecrawl.extras.fleet.metrics import figures_of, reasons_of, serve_metrics
from sitecrawl.extras.fleet.schedule import Schedule
from tests.source import ROOT

BOARD = json.loads((ROOT / "docs" / "assets" / "grafana.json").read_text())


@pytest.fixture
def stores(tmp_path: Path) -> Stores:
    """Four sites: one waits for an hour, one is late, one is paused, one failed."""
    found = Stores(tmp_path)
    with closing(Schedule(found.watched())) as schedule:
        now = schedule.db.now()
        for name, wait in (("a", 60), ("b", 9_000), ("c", 9_000), ("d", -500)):
            schedule.add(f"http://{name}.example/", {}, every=3_600)
            schedule.change(f"{name}.example", next_visit=now - wait, visits=2, articles=10)
        schedule.change("c.example", paused=1)
        ended = {"reason": "finished", "code": 1, "pages": 0, "requests": 3, "seconds": 1.5}
        schedule.change("d.example", outcome=json.dumps(ended))
        schedule.change("a.example", outcome=json.dumps(ended | {"code": 0, "pages": 7}), tries=1)
    return found


def test_what_the_schedule_tells(stores: Stores) -> None:
    with closing(Schedule(stores.watched())) as schedule:
        sites = schedule.all()
        figures = figures_of(sites, now=schedule.db.now())
    assert figures.pop("late_seconds") == pytest.approx(9_000, abs=60)
    assert figures == {
        "sites": 4,
        "sites_paused": 1,
        "sites_due": 2,
        "sites_late": 1,
        "visits": 8,
        "items": 40,
        "last_visit_pages": 7,
        "last_visit_requests": 6,
        "last_visit_seconds": 3.0,
    }
    assert reasons_of(sites) == {"finished": 1, "failed": 1, "unfinished": 1}


def test_prometheus_is_answered_and_the_board_asks_for_what_there_is(stores: Stores) -> None:
    serve_metrics(stores, "19310")
    with urlopen("http://127.0.0.1:19310/metrics", timeout=20) as answer:
        told = answer.read().decode()
    assert 'sitecrawl_last_visits{reason="failed"} 1.0' in told
    asked = [target["expr"] for panel in BOARD["panels"] for target in panel["targets"]]
    names = {word for one in asked for word in one.replace("(", " ").split() if "sitecrawl" in word}
    for name in names:
        assert name.strip(")").partition("[")[0] in told
    with pytest.raises(OptionError, match="cannot be used"):
        serve_metrics(stores, "19310")
    with pytest.raises(OptionError, match="write a port"):
        serve_metrics(stores, "often")
