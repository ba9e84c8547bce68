"""Every suite of the table can be imported and explains itself; the documents name suites that
there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.__main__ import SUITES, main
from benchmarks.fields import outcome_of
from tests.source import ROOT

HELPERS = {"__init__", "__main__", "costs", "harness", "live_markup", "model_sets", "network"}


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert len(capsys.readouterr().out) > 100


def test_the_table_holds_every_suite() -> None:
    assert {path.stem for path in (ROOT / "benchmarks").glob("*.py")} - HELPERS == set(SUITES)


def test_documents_name_suites_that_there_are() -> None:
    pages = [
        path
        for folder in ("", "docs", "docs/research", "training_data", "models")
        for path in (ROOT / folder).glob("*.md")
    ]
    found = {name for page in pages if page.name != "CHANGELOG.md" for name in _named(page)}
    assert found <= set(SUITES)


def _named(page: Path) -> list[str]:
    return re.findall(r"python -m benchmarks[. ](\w+)", page.read_text(encoding="utf8"))


@pytest.mark.parametrize(
    ("field", "want", "have", "outcome"),
    [
        ("day", "2021-05-04", "2021-05-04T08:00:00+01:00", "right"),
        ("day", "2021-05-04", "2021-05-05", "wrong"),
        ("day", "2021-05-04", "", "missing"),
        ("author", "Ann Onym, Bo Derr", "Bo Derr Ann Onym", "right"),
        ("author", "Ann Onym", "Ann Onym EST", "wrong"),
        ("headline", "A bridge is opened again", "A bridge is opened again | Times", "right"),
        ("headline", "A bridge is opened again", "Times", "wrong"),
    ],
)
def test_an_answer_is_right_wrong_or_missing(
    field: str, want: str, have: str, outcome: str
) -> None:
    assert outcome_of(field, want, have) == outcome
