"""`sitecrawl report --serve`: the current report, updated while it is open."""

from __future__ import annotations

from sitecrawl.crawl.store import Stores
from sitecrawl.extras.report.fleet import Fleet, fleet_of, take_items
from sitecrawl.extras.report.html_file import report_html, site_html
from sitecrawl.extras.report.loopback import LoopbackHandler, LoopbackServer
from sitecrawl.extras.visits import FOLDER


class ReportServer(LoopbackServer):
    """Serves the report of a data folder, and the details of a site on request."""

    def __init__(self, stores: Stores, port: int = 0) -> None:
        self.stores = stores
        self._read: tuple[str, Fleet] | None = None
        super().__init__(_ReportHandler, port)

    @property
    def version(self) -> str:
        """Changes when a crawl begins or ends, and when something is muted."""
        known = [
            *(self.stores.data_dir / FOLDER).glob("*.jsonl"),
            *self.stores.data_dir.glob("*.json"),
        ]
        return f"{max((path.stat().st_mtime_ns for path in known), default=0)}-{len(known)}"

    def fleet(self) -> Fleet:
        """All sites, read again if something changed."""
        version = self.version
        if self._read is None or self._read[0] != version:
            self._read = version, fleet_of(self.stores)
        return self._read[1]


class _ReportHandler(LoopbackHandler):
    server: ReportServer
    # the report names its own script by digest
    policy = "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

    def get(self, path: list[str]) -> tuple[str, str]:
        (name,) = path  # ValueError: not understood
        if name == "version":
            return "text/plain", self.server.version
        with self.server.lock:
            version, fleet = self.server.version, self.server.fleet()
            if name == "0":
                return "text/html", report_html(fleet, live=version)
            site = {site.key: site for site in fleet.sites}[name]
            take_items(site, self.server.stores)
            return "text/html", site_html(site, fleet.now)
