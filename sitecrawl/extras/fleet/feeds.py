"""The feeds that a file of sites names: files for all sites, and feeds of each site's own."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings
from scrapy.utils.conf import feed_process_params_from_cli

from sitecrawl.crawl.store import Stores
from sitecrawl.errors import SitecrawlError
from sitecrawl.extras.fleet.all_items import write_feed
from sitecrawl.extras.fleet.schedule import Schedule
from sitecrawl.feed_formats import feed_formats, place_and_format, with_format
from sitecrawl.urls.scope import without_secrets


def is_shared(feed: str) -> bool:
    """Whether a feed is a file for all sites; a database or a service takes the items of each crawl
    itself."""
    return "{name}" not in feed and "://" not in feed


def is_added_to(feed: str) -> bool:
    """Whether crawls add to a feed: JSON lines, feeds of the newest articles, and those that are no
    files."""
    form = feed_formats().get(place_and_format(feed)[1])
    is_newest = form is not None and form.is_newest
    return is_newest or "://" in feed or feed.endswith((".jsonl", ".jl"))


def put_own_feeds(settings: BaseSettings, feeds: Iterable[str], *, name: str) -> None:
    """Have a crawl write the feeds that are a site's own. Raises SitecrawlError for one that cannot
    be written."""
    targets = [feed.replace("{name}", name) for feed in feeds if not is_shared(feed)]
    added = [with_format(target) for target in targets if is_added_to(target)]
    written = [with_format(target) for target in targets if not is_added_to(target)]
    if written:  # these are written again with all articles of the site
        settings.set("SITECRAWL_REWRITE", True, priority="cmdline")
    found: dict[str, Any] = {}
    try:
        for target in targets:
            if "://" not in target:
                Path(target).parent.mkdir(parents=True, exist_ok=True)
        if added:
            found |= feed_process_params_from_cli(settings, added)
        if written:
            found |= feed_process_params_from_cli(settings, [], overwrite_output=written)
    except OSError as error:
        said = f"{error.filename} cannot be made ({error.strerror})"
        raise SitecrawlError(f"the feed cannot be written: {said}") from None
    except UsageError as error:
        shown = ", ".join(map(without_secrets, targets))
        raise SitecrawlError(f"feed={shown}: {error}") from None
    settings.set("FEEDS", found, priority="cmdline")


def write_shared_feeds(stores: Stores, settings: BaseSettings) -> None:
    """Bring the feeds of all sites that the schedule names up to date. Raises SitecrawlError and
    OSError."""
    with closing(Schedule(stores.watched())) as schedule:
        named = {feed for watched in schedule.all() for feed in watched.wishes.feeds}
    for feed in sorted(filter(is_shared, named)):
        place, form = place_and_format(feed)
        write_feed(stores, Path(place), form=form, after=None, settings=settings)
