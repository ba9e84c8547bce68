"""The digest of a day: what a person must act on, once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sitecrawl.crawl.store import Stores
from sitecrawl.errors import SitecrawlError
from sitecrawl.extras.fleet.sites_file import read_sites
from sitecrawl.extras.fleet.worker import take_file
from sitecrawl.extras.report import alerts
from sitecrawl.extras.report.alerts import digest_of, send_digest
from sitecrawl.extras.report.fleet import Fleet, SiteReport, fleet_of
from tests.report.fleets import BROKEN, make_fleet


def test_it_names_each_broken_site_with_its_causes_and_what_to_do(tmp_path: Path) -> None:
    spread = make_fleet(tmp_path, 40)
    digest = digest_of(fleet_of(Stores(tmp_path)), day="2026-11-23")
    assert digest["subject"] == f"{len(BROKEN)} of 40 sites need you"
    named = {row["name"]: row["causes"][0]["kind"] for row in digest["sites"]}
    assert named == {name: kind for name, kind in spread.items() if kind in BROKEN}
    lines = digest["messages"]
    at = lines.index("  0 articles since 14 Nov: the start page answers 404")
    assert lines[at + 1].startswith("    Open the start page.")


@pytest.mark.parametrize(
    ("sites", "said"),
    [
        ([], "0 of 0 sites need you"),
        ([SiteReport("a.example")], "0 of 1 site need you"),
    ],
)
def test_without_a_broken_site_it_is_empty(sites: list[SiteReport], said: str) -> None:
    digest = digest_of(Fleet(sites), day="2026-11-23")
    assert (digest["subject"], digest["sites"], digest["messages"]) == (said, [], [])


def test_it_is_sent_once_a_day_and_leaves_out_what_is_muted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spread = make_fleet(tmp_path, 40)
    stores = Stores(tmp_path)
    muted = next(name for name, kind in spread.items() if kind == "robots")
    (row,) = [one for one in fleet_of(stores).sites if one.site == muted]
    (tmp_path / "sites.toml").write_text(
        f'[[site]]\nstart = "{row.start[0]}"\nmute = {{ all = 2026-12-31 }}'
    )
    take_file(stores, read_sites(tmp_path / "sites.toml"))
    sent: list[Any] = []
    monkeypatch.setattr(alerts, "send", lambda target, digest, **_: sent.append(digest))
    for day, count in (("2026-11-23", 1), ("2026-11-23", 1), ("2026-11-24", 2)):
        monkeypatch.setattr(alerts, "now", lambda day=day: f"{day}T06:00:00Z")
        send_digest("false", stores, settings={})
        assert len(sent) == count
    assert muted not in {row["name"] for row in sent[0]["sites"]}
    assert len(sent[0]["sites"]) == len(BROKEN) - 1


def test_one_that_did_not_arrive_is_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_fleet(tmp_path, 40)
    with pytest.raises(SitecrawlError, match=r"did not arrive \(SITECRAWL_DIGEST=false"):
        send_digest("false", Stores(tmp_path), settings={})
    sent: list[Any] = []
    monkeypatch.setattr(alerts, "send", lambda target, digest, **_: sent.append(digest))
    send_digest("false", Stores(tmp_path), settings={})
    assert len(sent) == 1
