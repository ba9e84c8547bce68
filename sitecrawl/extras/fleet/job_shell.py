"""The app that Procrastinate's own command line asks for, with the database of the environment:
``procrastinate --app sitecrawl.extras.fleet.job_shell.app shell``."""

from __future__ import annotations

import os

import procrastinate

from sitecrawl.extras.fleet.postgresql import conninfo

_url = os.environ.get("SITECRAWL_DATABASE", "")

app = procrastinate.App(
    connector=procrastinate.PsycopgConnector(conninfo=conninfo(_url) if _url else "")
)
