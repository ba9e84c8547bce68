"""A verb of another package: named by an entry point, it works as `sitecrawl VERB` and stands in the list of all commands."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

import pytest

from sitecrawl import plugins
from sitecrawl.__main__ import main
from tests.source import ROOT

MODULE = """
from scrapy.commands import ScrapyCommand

class GreetCommand(ScrapyCommand):
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}

    def short_desc(self):
        return "Greet whoever is named"

    def run(self, args, opts):
        print("Hello", *args, "from", self.settings["BOT_NAME"])
        self.exitcode = len(args)
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


def test_it_is_listed_and_proposed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "  greet      Greet whoever is named\n" in capsys.readouterr().out
    assert main(["gret"]) == 2
    assert "did you mean greet?" in capsys.readouterr().err


def test_a_clone_that_was_not_installed_again_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clone, text = tmp_path / "pyproject.toml", (ROOT / "pyproject.toml").read_text(encoding="utf8")
    monkeypatch.setattr(plugins, "_PROJECT", clone)
    for changed in ("", "[project", "[tool.other]", text.replace("scrapy-sitecrawl", "other")):
        clone.write_text(changed, encoding="utf8")
        plugins._compare(entry_points())
    clone.write_text(text, encoding="utf8")
    plugins._compare(entry_points())
    assert not caplog.messages
    clone.write_text(
        text.replace(
            "[project.entry-points", '[project.entry-points."sitecrawl.new"]\nx = "a:b"\n\n[project.entry-points', 1
        )
    )
    plugins._compare(entry_points())
    (told,) = caplog.messages
    assert told.endswith(f"{tmp_path} was changed since it was installed: run pip install --no-deps -e . there")
