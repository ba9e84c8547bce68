"""Documentation that cannot rot: it builds, its links resolve, its examples run, and nothing a user can set is left out."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from sitecrawl import settings
from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.items.article import ITEM_FIELDS
from tests.source import PACKAGE, ROOT

DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *ROOT.glob("*.md"), *ROOT.glob("training_data/*.md"), *ROOT.glob("models/*.md")])
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
_CODE = re.compile(r"```python\n(.*?)```", re.S)


def test_the_guide_builds(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / "crawling" / "index.html").is_file()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page: Path) -> None:
    for target in _LINK.findall(page.read_text(encoding="utf8")):
        if not target.startswith(("http://", "https://", "mailto:")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_setting_is_documented() -> None:
    known = {name for name in vars(settings) if name.startswith("SITECRAWL_")}
    text = (DOCS / "settings.md").read_text(encoding="utf8")
    assert known <= set(re.findall(r"SITECRAWL_[A-Z_]+", text))


def test_every_argument_is_documented() -> None:
    text = (DOCS / "crawling.md").read_text(encoding="utf8")
    assert {field.name for field in fields(CrawlArguments)} <= set(re.findall(r"^\| `(\w+)`", text, re.M))


def test_every_field_is_documented() -> None:
    text = (DOCS / "output.md").read_text(encoding="utf8")
    assert set(ITEM_FIELDS) <= set(re.findall(r"^\| `(\w+)`", text, re.M))


def test_every_command_is_documented() -> None:
    commands = {path.stem for path in (PACKAGE / "commands").glob("[a-z]*.py")}
    text = "\n".join(page.read_text(encoding="utf8") for page in PAGES)
    assert {name for name in commands if f"scrapy {name}" not in text} == set()


def test_the_examples_run() -> None:
    code = "\n".join(_CODE.findall((DOCS / "python.md").read_text(encoding="utf8")))
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "A bridge opens 2019-07-05" in done.stdout
    assert "article" in done.stdout
