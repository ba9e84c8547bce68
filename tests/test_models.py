"""Building models and using a set of them: equal input gives equal files on any processor, a set
knows what it has seen, a folder that cannot be used is told in one line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import by_folds, harness, model_sets, models, network
from benchmarks.models import STEPS, Plan, Trained
from sitecrawl import resources
from sitecrawl.resources import MODELS_VARIABLE, model_path
from tests.source import ROOT


# ---- the same input, the same files
def separable(count: int = 300) -> tuple[Any, Any]:
    """Rows of four numbers, and which of them are right, with some noise."""
    chance = np.random.default_rng(4)
    rows = chance.normal(size=(count, 4)) * [1, 10, 100, 0.1] + [0, 5, 0, 1]
    right = rows[:, 0] + rows[:, 1] / 10 + chance.normal(size=count) > 0.5
    return rows, right


def test_a_logistic_model_is_solved_to_the_last_digit() -> None:
    rows, right = separable()
    weight = np.linspace(0.5, 2, len(rows))
    weights, bias = network.fit_logistic(rows, right, weight=weight)
    belief = 1 / (1 + np.exp(-(rows @ weights + bias)))
    slope = rows.T @ (weight * (belief - right)) + weights
    assert np.abs(slope).max() < 1e-7
    assert abs(weight @ (belief - right)) < 1e-7


_TRAINING = """
import sys
import numpy as np
from benchmarks.network import Dropping, Rows, joined, train
chance = np.random.default_rng(0)
features = chance.normal(size=(4000, 30))
labels = (features[:, 0] * features[:, 1] > 0).astype(float)
rows = Rows(features, labels, np.ones(len(labels)))
networks = [train(rows, 12, Dropping(0.1), seed) for seed in range(2)]
np.save(sys.argv[1], joined(networks, np.zeros(30), np.ones(30)).hidden)
"""


def test_scores_of_another_processor_hardly_move_a_logistic_model() -> None:
    """Single precision differs by 1e-7. The solver of scikit-learn, which stops early, made 1e-3 of
    it."""
    rows, right = separable()
    weight = np.ones(len(rows))
    nearly = rows * (1 + 1e-7 * np.random.default_rng(5).normal(size=rows.shape))
    here, _ = network.fit_logistic(rows, right, weight=weight)
    there, _ = network.fit_logistic(nearly, right, weight=weight)
    assert np.abs(here - there).max() < 1e-6


def test_a_network_is_the_same_on_another_processor(tmp_path: Path) -> None:
    """OpenBLAS has other kernels for other processors, which add in another order. In single
    precision these weights differed."""
    found = []
    for kernel in ("Haswell", "Nehalem"):
        file = tmp_path / f"{kernel}.npy"
        environment = os.environ | {"OPENBLAS_CORETYPE": kernel}
        line = [sys.executable, "-c", _TRAINING, str(file)]
        subprocess.run(line, cwd=ROOT, env=environment, check=True)
        found.append(np.load(file))
    assert np.array_equal(found[0], found[1])


@pytest.mark.parametrize("number", [2, 3, 5])
def test_a_group_is_held_out_as_a_whole(number: int) -> None:
    groups = [f"site{at % 7}" for at in range(50)]
    held = []
    for learned, test in network.group_folds(groups, number):
        assert not {groups[at] for at in learned} & {groups[at] for at in test}
        held += test.tolist()
    assert sorted(held) == list(range(50))


def test_digests_are_of_rounded_numbers() -> None:
    values = np.array([1 / 3, -1e-9, 2.0])
    one, other = (network.card_of("x", it)["training_digest"] for it in (values, values + 1e-12))
    assert one == other
    assert network.card_of("x", values + 1e-3)["training_digest"] != one


# ---- what is built
def data_of(folder: Path) -> Path:
    """Two sites and two corpora, without pages. One site stands in a corpus as well."""
    for name, host in (("alpha", "www.alpha.example"), ("beta", "beta.example")):
        (folder / "sites" / name).mkdir(parents=True)
        (folder / "sites" / name / "site.json").write_text(json.dumps({"host": host}))
    for name, hosts in (("news", ["alpha.example", "gamma.example"]), ("posts", ["delta.example"])):
        (folder / "corpora" / name).mkdir(parents=True)
        rows = "".join(json.dumps({"id": host, "site": host}) + "\n" for host in hosts)
        (folder / "corpora" / name / "truth.jsonl").write_text(rows)
    return folder


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(harness, "DATA", data_of(tmp_path / "data"))
    model_sets._hosts.cache_clear()
    harness.site_meta.cache_clear()
    return tmp_path / "data"


@pytest.mark.parametrize(
    ("left_out", "hidden", "learned"),
    [
        ("beta", {"beta.example"}, {"alpha", "news", "posts"}),
        ("alpha", {"alpha.example"}, {"beta", "news", "posts"}),
        ("news", {"alpha", "alpha.example", "gamma.example"}, {"beta", "posts"}),
    ],
    ids=["a site", "a site of a corpus too", "a corpus with a site of its own"],
)
def test_what_is_left_out_is_left_out_wherever_it_stands(
    data: Path, left_out: str, hidden: set[str], learned: set[str]
) -> None:
    known = model_sets.sources("all", left_out)
    assert set(known.names) == learned
    assert known.hidden == hidden | {left_out}
    assert all(known.hides(name) for name in hidden)
    assert not known.hides("delta.example")


def test_every_site_and_corpus_is_in_one_fold(data: Path) -> None:
    dealt = [model_sets.fold(str(number)) for number in range(1, harness.FOLDS + 1)]
    assert sorted(name for fold in dealt for name in fold) == ["alpha", "beta", "news", "posts"]
    assert model_sets.fold("kept") == harness.KEPT
    assert sum(len(held) for held in model_sets.folds_of(["beta", "news"]).values()) == 2


@pytest.mark.parametrize("name", ["0", "6", "gamma", "alpha,gamma"])
def test_a_fold_that_there_is_not(data: Path, name: str) -> None:
    with pytest.raises(SystemExit, match=r"^models: no site, corpus or fold .*$"):
        model_sets.fold(name)


def test_without_pages_a_line_says_what_is_lacking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(harness, "DATA", tmp_path / "none")
    files = []
    for name in ("one", "two"):
        words = ["--only", "judge,blocks", "-o", str(tmp_path / name)]
        assert models.main(words) == 2
        files.append((tmp_path / name / "judge.json").read_bytes())
    said = capsys.readouterr()
    assert files[0] == files[1]
    assert "precision" in said.out
    assert len(said.err.splitlines()) == 2
    assert "blocks.npz cannot be built: unpack" in said.err
    learned = json.loads((tmp_path / "one" / model_sets.LEARNED_FROM).read_text())
    assert set(learned["models"]) == {"judge.json"}


def test_a_trainer_that_fails_replaces_nothing(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output = data.parent / "models"
    output.mkdir()
    (output / "links.npz").write_bytes(b"before")

    def train(step: models.Step, plan: Plan, *, folder: Path) -> Trained:
        (folder / step.file).write_bytes(b"after")
        return Trained(step.file, int(step.file == "headline.npz"), 0.0, "no room")

    monkeypatch.setattr(models, "_train", train)
    assert models.main(["-o", str(output), "--learn", "alpha"]) == 2
    assert [path.name for path in output.iterdir()] == ["links.npz"]
    assert (output / "links.npz").read_bytes() == b"before"
    assert "headline.npz failed, nothing was replaced" in capsys.readouterr().err


def test_models_are_trained_after_those_they_need(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[str] = []

    def train(step: models.Step, plan: Plan, *, folder: Path) -> Trained:
        assert set(step.needs) <= {path.name for path in folder.iterdir()}
        (folder / step.file).write_text(" ".join(plan.command_of(step, folder)))
        trained.append(step.file)
        return Trained(step.file, 0, 0.0, "")

    monkeypatch.setattr(models, "_train", train)
    output = data.parent / "set"
    assert models.main(["-o", str(output), "--learn", "all", "--unseen", "news"]) == 0
    assert sorted(trained) == sorted(model_sets.FILES)
    seen = model_sets.seen_by(output)
    assert seen.code == model_sets.code_digest()
    assert [seen.models(name) for name in ("alpha", "news")] == [[], []]
    assert "blocks" in seen.models("posts")
    for step in STEPS:
        assert "--without news" in (output / step.file).read_text()


# ---- a set in use
def small_set(folder: Path, **learned: str) -> Path:
    """A folder that says what its models learned from."""
    folder.mkdir(exist_ok=True)
    names = {file: learned.get(Path(file).stem, "") for file in model_sets.FILES}
    document = {"unseen": "", "code": "x", "models": names}
    (folder / model_sets.LEARNED_FROM).write_text(json.dumps(document))
    return folder


@pytest.mark.parametrize("text", [None, "", "[]", "{}", '{"models": 3, "code": ""}'])
def test_a_set_that_does_not_say_has_seen_all(data: Path, text: str | None) -> None:
    folder = small_set(data / "set")
    if text is None:
        (folder / model_sets.LEARNED_FROM).unlink()
    else:
        (folder / model_sets.LEARNED_FROM).write_text(text)
    assert len(model_sets.seen_by(folder).models("alpha")) == len(model_sets.FILES)


_PROGRAM = """
import json, os, sys
print(json.dumps({"summary": "x"}))
for site in sys.argv[sys.argv.index("--sites") + 1].split(","):
    print(json.dumps({"site": site, "f1": 1.0, "by": os.environ["SITECRAWL_MODELS"]}))
"""


def scored(
    words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> dict[str, dict[str, Any]]:
    """Rows by site of a program that tells which models it uses."""
    program = folder / "program.py"
    program.write_text(_PROGRAM)
    assert by_folds.main([*words, str(program), "extract", "--pages", "3"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return {row["site"]: row for row in rows if "site" in row}


def test_each_site_is_scored_by_a_set_that_has_not_seen_it(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sets = {}
    for number, held in model_sets.folds_of(["alpha", "beta"]).items():
        learned = {"alpha", "beta"} - set(held)
        sets[number] = small_set(data / f"set{number}", blocks=" ".join(learned))
    monkeypatch.setattr(model_sets, "built", sets.get)
    rows = scored([], data, capsys)
    assert sorted(rows) == ["alpha", "beta"]
    for name, row in rows.items():
        assert "seen" not in row
        assert not model_sets.seen_by(Path(row["by"])).models(name)


def test_a_row_of_a_site_that_a_model_saw_says_so(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = small_set(data / "own", blocks="alpha", links="alpha")
    rows = scored(["--set", str(folder), "--sites", "alpha,beta"], data, capsys)
    assert rows["alpha"]["seen"] == "by links, blocks"
    assert "seen" not in rows["beta"]
    assert rows["beta"]["by"] == str(folder)


def test_a_set_that_has_seen_its_fold_is_refused(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_sets, "CHOSEN", str(data))
    small_set(data / "unseen-alpha", blocks="beta")
    small_set(data / "unseen-beta", blocks="beta")
    assert model_sets.built("alpha") == data / "unseen-alpha"
    with pytest.raises(SystemExit, match=r"has seen beta: build it anew$"):
        model_sets.built("beta")


def test_the_shipped_models_say_what_they_saw() -> None:
    seen = model_sets.seen_by(ROOT / "models")
    assert not any(seen.models(name) for name in harness.NEW)
    assert all(set(seen.models(name)) <= {"page_type", "judge"} for name in harness.LATER)
    assert seen.models("capda")[:3] == ["links", "headline", "blocks"]


def test_a_folder_is_used_instead_of_the_shipped_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "_chosen", [])
    shipped = model_path("links.npz")
    resources.use_models(str(tmp_path))
    assert model_path("links.npz") == tmp_path / "links.npz"
    resources.use_models("")
    assert model_path("links.npz") == shipped


def links_of_a_page(folder: Path, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """``sitecrawl links`` of a small page with the models in a folder."""
    page = tmp_path / "page.html"
    page.write_text("<title>News</title><a href='/2024/a-bridge-opens-today'>A bridge opens</a>")
    line = [sys.executable, "-m", "sitecrawl", "links", str(page), "--url", "http://a.example/"]
    environment = os.environ | {MODELS_VARIABLE: str(folder)}
    return subprocess.run(
        line, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )


def test_the_variable_names_the_folder(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "models", tmp_path / "models")
    done = links_of_a_page(tmp_path / "models", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "a-bridge-opens-today" in done.stdout


@pytest.mark.parametrize("kind", ["missing", "a file", "empty", "damaged"])
def test_a_folder_that_cannot_be_used_is_told_in_a_line(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "models"
    if kind == "a file":
        folder.write_text("notes")
    elif kind != "missing":
        folder.mkdir()
    if kind == "damaged":
        (folder / "links.npz").write_bytes(b"PK no model")
    done = links_of_a_page(folder, tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert str(folder / "links.npz") in done.stderr
    assert ("damaged" if kind == "damaged" else "not found") in done.stderr
    assert MODELS_VARIABLE in done.stderr
