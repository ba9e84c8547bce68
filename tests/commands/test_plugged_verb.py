"""A verb of another package: named by an entry point, it works as `sitecrawl VERB` and stands in
the list of all commands."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from sitecrawl import plugins
from sitecrawl.__main__ import main
from sitecrawl.own_extras import OWN
from tests.source import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))
MODULE = """
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

class GreetCommand(ScrapyCommand):
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}

    def short_desc(self):
        return "Greet whoever is named"

    def syntax(self):
        return "<name>..."

    def run(self, args, opts):
        if not args:
            raise UsageError
        print("Hello", *args, "from", self.settings["BOT_NAME"])
        self.exitcode = len(args)
        if "Nobody" in args:
            raise ValueError("Nobody is no name")
"""


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A distribution with one module, as an installer leaves it."""
    (tmp_path / "greetings.py").write_text(MODULE)
    info = tmp_path / "greetings-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: greetings\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[scrapy.commands]\ngreet = greetings:GreetCommand\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(plugins, "_installed", entry_points)
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "sitecrawl.settings")
    monkeypatch.chdir(tmp_path)


def test_a_verb_of_another_package_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["greet", "Ann", "Ben"]) == 2
    assert capsys.readouterr().out == "Hello Ann Ben from sitecrawl\n"


def test_its_bad_input_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """It was a traceback, and a usage without the name of the command and its arguments."""
    assert main(["greet", "Nobody"]) == 2
    told = (
        "sitecrawl: greet, a command of another package, failed (ValueError: Nobody is no name)\n"
    )
    assert capsys.readouterr().err == told
    assert main(["greet"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("usage: sitecrawl greet <name>... [options]\n")
    assert said.endswith("sitecrawl greet: error: arguments are missing\n")


def test_it_is_listed_and_proposed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "  greet      Greet whoever is named\n" in capsys.readouterr().out
    assert main(["gret"]) == 2
    assert "did you mean greet?" in capsys.readouterr().err


def test_other_packages_have_seven_hooks_and_no_more() -> None:
    assert len(plugins.HOOKS) == 7
    assert "greet" in plugins.plugged("scrapy.commands").keys() - OWN["scrapy.commands"].keys()
    assert plugins.plugged("sitecrawl.recorders").keys() == OWN["sitecrawl.recorders"].keys()


def test_in_other_projects_only_verbs_of_any_project_stand_in_the_help() -> None:
    named = PROJECT["project"]["entry-points"]
    assert named.keys() == {"scrapy.commands"}
    assert named["scrapy.commands"].items() <= OWN["scrapy.commands"].items()
    assert "crawl" not in named["scrapy.commands"]


_CRAWL = ["crawl", "http://127.0.0.1:9/", "-O", "a.jsonl"]


@pytest.mark.parametrize(
    ("words", "group", "value"),
    [
        (["broken"], "scrapy.commands", "no_such_module:Verb"),
        (["broken"], "scrapy.commands", "greetings:MODULE"),
        (["--help"], "scrapy.commands", "greetings:none"),
        (["status"], "sitecrawl.feed_formats", "greetings:Nothing"),
        (_CRAWL, "sitecrawl.feed_formats", "greetings:MODULE"),
    ],
)
def test_a_broken_plug_in_is_told_in_one_line(
    tmp_path: Path, words: list[str], group: str, value: str
) -> None:
    """A plug-in that cannot be imported or called, or that gives something else, whether each
    command loads it or one."""
    (tmp_path / "greetings.py").write_text(
        "MODULE = 3\n\n\ndef none(*given):\n    pass\n\n\nnone.of = none\n"
    )
    (tmp_path / "greetings-1.0.dist-info" / "entry_points.txt").write_text(
        f"[{group}]\nbroken = {value}\n"
    )
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    run = [sys.executable, "-m", "sitecrawl", *words]
    ended = subprocess.run(
        run, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"sitecrawl: the plug-in broken = {value} in {group} cannot be used (")
    assert line.endswith("): repair or uninstall its package")
