"""`python -m sitecrawl [URL] -O FILE`: crawl a site; without a URL the demonstration site, served on loopback."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

from sitecrawl.demo import serve

_DEMO_STATE = ".sitecrawl/demo"


def main() -> int:
    """Run `scrapy crawl site`, say where the articles are, and return its exit code."""
    options, more = _parser().parse_known_args()
    if options.start is None:
        shutil.rmtree(_DEMO_STATE, ignore_errors=True)
        more += [
            "-s",
            f"SITECRAWL_DATA_DIR={_DEMO_STATE}",
            "-s",
            "DOWNLOAD_DELAY=0",
            "-s",
            "AUTOTHROTTLE_ENABLED=False",
            "-a",
            "scope=site",
        ]
        print("No START given: crawling the demonstration site that comes with sitecrawl.")
    with serve() if options.start is None else nullcontext(options.start) as url:
        code = _crawl(url, options.output, more)
    if code == 0:
        print(f"Articles written to {Path(options.output).resolve()}")
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sitecrawl",
        description="Crawl a site into a feed; without START the demonstration site that comes with sitecrawl.",
        epilog="Further options go to scrapy crawl site: -a max_articles=20, -a effort=full, -s LOG_LEVEL=INFO (docs/crawling.md).",
    )
    parser.add_argument("start", nargs="?", help="URL of a section page or of a site")
    parser.add_argument(
        "-O", "--output", default="articles.jsonl", help="feed to write, overwritten (default: %(default)s)"
    )
    return parser


def _crawl(url: str, output: str, more: list[str]) -> int:
    command = [sys.executable, "-m", "scrapy", "crawl", "site", "-a", f"start={url}", "-O", output]
    command += ["-s", "SITECRAWL_REWRITE=1", *more]
    env = {"SCRAPY_SETTINGS_MODULE": "sitecrawl.settings", **os.environ}
    with subprocess.Popen(command, env=env) as crawl:
        while True:
            try:
                return crawl.wait()
            except KeyboardInterrupt:
                print("Stopping; the same command goes on where this run ends.", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
