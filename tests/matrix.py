"""``make test-matrix``: a chosen subset of the tests with other versions than the pinned ones, each
cell in an environment of its own.

Cells: every Python from 3.11 on that is installed, with the newest allowed versions; and the oldest
Python with the oldest ones that ``pyproject.toml`` allows. ``PYTHONS=path,path`` names other
interpreters. The versions and results go to standard output as a table."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / ".venv-matrix"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
SHOWN = ("lxml", "scrapy", "numpy", "pyarrow")
# API, parsing, templates, training, crawls with limits and kills, the add-on, feed formats
TESTS = (
    "tests/test_api.py",
    "tests/dom/test_parse.py",
    "tests/templates/test_induce.py",
    "tests/links/test_training.py",
    "tests/crawl/test_runs.py",
    "tests/crawl/test_addon.py",
    "tests/feeds/test_formats.py",
)
EXTRAS = ("parquet",)
NEEDED = ("pytest>=8", "hypothesis>=6.100", "feedparser>=6.0", "jsonschema>=4.20", "duckdb>=1.1")


def interpreters() -> dict[str, str]:
    """The Pythons of this machine by version: those named, else those on the path and those of
    pyenv."""
    if named := os.environ.get("PYTHONS"):
        return {_version(path): path for path in named.split(",")}
    found = {_version(sys.executable): sys.executable}
    for version in VERSIONS:
        installed = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
        if path := shutil.which(f"python{version}") if not installed else str(installed[-1]):
            found[version] = path
    return dict(sorted(found.items()))


def lowest() -> list[str]:
    """The requirements of the package and of ``EXTRAS``, each at the oldest version that is
    allowed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    asked = sum(
        (project["optional-dependencies"][name] for name in EXTRAS), project["dependencies"]
    )
    return [re.sub(r"\[.*\]", "", one).replace(">=", "==") for one in asked]


def cell(name: str, python: str, pins: list[str]) -> tuple[list[str], bool]:
    """Install the package into a new environment and run the tests there: a row of the table, and
    whether all passed."""
    place, begun = PLACE / name, time.monotonic()
    shutil.rmtree(place, ignore_errors=True)
    subprocess.run([python, "-m", "venv", str(place)], check=True)
    own = str(place / "bin" / "python")
    log = PLACE / f"{name}.log"
    pip = [own, "-m", "pip", "--disable-pip-version-check", "-q", "install"]
    with log.open("w", encoding="utf8") as out:
        steps = (
            [*pip, "-e", f"{ROOT}[{','.join(EXTRAS)}]", *pins, *NEEDED],
            [own, "-m", "pytest", "--verbose", "--noconftest", "-p", "no:cacheprovider", *TESTS],
        )
        codes = []
        for step in steps:
            codes.append(
                subprocess.run(
                    step, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, check=False
                ).returncode
            )
            if codes[-1]:
                break
    listed = subprocess.run(
        [own, "-m", "pip", "list", "--format=freeze"], capture_output=True, text=True, check=True
    )
    versions = dict(line.lower().split("==") for line in listed.stdout.splitlines() if "==" in line)
    said = (
        "not installed"
        if len(codes) == 1
        else log.read_text(encoding="utf8").strip().splitlines()[-1].strip("= ")
    )
    row = [_version(own, full=True), *(versions.get(one, "none") for one in SHOWN), said]
    print(f"{name}: {said} ({time.monotonic() - begun:.0f} s, {log})", file=sys.stderr)
    return row, codes == [0, 0]


def _version(python: str, *, full: bool = False) -> str:
    code = f"import sys; print('.'.join(map(str, sys.version_info[:{3 if full else 2}])))"
    return subprocess.run(
        [python, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def main() -> int:
    PLACE.mkdir(exist_ok=True)
    pythons = interpreters()
    if not pythons:
        print(
            f"no Python of {', '.join(VERSIONS)} found: PYTHONS=path,path names them",
            file=sys.stderr,
        )
        return 2
    oldest = next(iter(pythons))
    cells = [(f"{oldest}-oldest", pythons[oldest], lowest())]
    cells += [(f"{version}-newest", path, []) for version, path in pythons.items()]
    done = [cell(*one) for one in cells]
    for row in (["Python", *SHOWN, "tests"], ["---"] * (len(SHOWN) + 2), *(row for row, _ in done)):
        print("| " + " | ".join(row) + " |")
    for version in VERSIONS:
        if version not in pythons:
            print(f"Python {version} is not installed here: not tried")
    return 0 if all(passed for _, passed in done) else 1


if __name__ == "__main__":
    sys.exit(main())
