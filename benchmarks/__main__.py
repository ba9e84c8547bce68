"""`python -m benchmarks`: every figure of the README, one benchmark after the other."""

from __future__ import annotations

import subprocess
import sys

STEPS = (
    ("benchmarks.links",),
    ("benchmarks.labels",),
    ("benchmarks.extraction", "--methods", "--peers"),
    ("benchmarks.templates", "redesign"),
    ("benchmarks.templates", "cost"),
    ("benchmarks.speed", "peers"),
    ("benchmarks.speed", "growth"),
    ("benchmarks.crawl",),
    ("benchmarks.load", "memory"),
    ("benchmarks.load", "hostile"),
    ("benchmarks.work", "budget"),
    ("benchmarks.work", "growth"),
    ("benchmarks.batch",),
    ("benchmarks.attacks",),
)


def main() -> int:
    """Runs every step; the worst exit code."""
    worst = 0
    for step in STEPS:
        print(f"\n== python -m {' '.join(step)}", flush=True)
        worst = max(worst, subprocess.run([sys.executable, "-m", *step], check=False).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
