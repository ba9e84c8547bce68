"""A verb of another package: named by an entry point, it works as `sitecrawl VERB` and stands in the list of all commands."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

import pytest

from sitecrawl import plugins
from sitecrawl.__main__ import main

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
