"""What is handed out: the wheel runs in an environment without the clone, the image's files name
what there is, no page tells to install a name that is not ours."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.matrix import interpreters, lowest
from tests.pages import article_page
from tests.source import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    asked = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "-q",
        "-w",
        str(folder),
    ]
    subprocess.run([*asked, str(ROOT)], check=True, capture_output=True, text=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command ``sitecrawl`` of an environment that holds the wheel, and the dependencies of
    this one by path."""
    place = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    packages = next((place / "lib").glob("python3*")) / "site-packages"
    asked = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(place / "bin" / "python"),
        "install",
        "-q",
        "--no-deps",
    ]
    subprocess.run([*asked, "--no-index", str(wheel)], check=True, capture_output=True, text=True)
    (packages / "dependencies.pth").write_text(
        "\n".join(path for path in sys.path if path.endswith("site-packages"))
        or sysconfig.get_path("purelib")
    )
    return place / "bin" / "sitecrawl"


def run(command: Path, folder: Path, *words: str) -> str:
    done = subprocess.run(
        [str(command), *words], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_the_wheel_is_named_apart_and_holds_its_models(wheel: Path) -> None:
    assert wheel.name.startswith("scrapy_sitecrawl-")
    listed = subprocess.run(
        [sys.executable, "-m", "zipfile", "-l", str(wheel)], capture_output=True, text=True
    ).stdout
    for name in ("links.npz", "judge.json", "licenses/LICENSE"):
        assert name in listed


def test_the_wheel_crawls_the_demonstration(command: Path, tmp_path: Path) -> None:
    run(
        command,
        tmp_path,
        "crawl",
        "--demo",
        "-O",
        "articles.jsonl",
        "-s",
        "CLOSESPIDER_ITEMCOUNT=3",
    )
    items = [
        json.loads(line)
        for line in (tmp_path / "articles.jsonl").read_text(encoding="utf8").splitlines()
    ]
    assert len(items) >= 3
    assert all(item["headline"] and item["articleBody"] for item in items)


def test_the_wheel_extracts_and_trains(command: Path, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(article_page(1), encoding="utf8")
    assert json.loads(
        run(command, tmp_path, "extract", "page.html", "--url", "http://a.example/1", "--json")
    )["headline"]
    (tmp_path / "records").mkdir()
    for name in ("aimtao", "0xrick", "bnn"):
        (tmp_path / "records" / f"{name}.jsonl.gz").symlink_to(
            ROOT / "training_data" / f"{name}.jsonl.gz"
        )
    run(command, tmp_path, "train", "records", "-o", "own.npz", "--folds", "0")
    assert (tmp_path / "own.npz").stat().st_size > 1000


def test_the_wheel_brings_the_add_on(command: Path, tmp_path: Path) -> None:
    code = "import sitecrawl.addon, sitecrawl; print(sitecrawl.__file__)"
    done = subprocess.run(
        [str(command.parent / "python"), "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert str(command.parent.parent) in done.stdout, done.stderr


def test_the_matrix_tries_the_oldest_versions_that_are_allowed() -> None:
    pins = lowest()
    assert "lxml==6.0.2" in pins
    assert len(pins) == len(PROJECT["dependencies"] + EXTRAS["parquet"])
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", pin) for pin in pins), pins
    assert f"{sys.version_info[0]}.{sys.version_info[1]}" in interpreters()


def test_no_text_installs_a_package_that_is_not_ours() -> None:
    texts = [
        path
        for folder in ("sitecrawl", "docs", "benchmarks")
        for path in (ROOT / folder).rglob("*.[mp][dy]")
    ]
    for path in [
        *texts,
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "compose.yaml",
        ROOT / "Dockerfile",
    ]:
        assert not re.search(
            r"(?<![-\w])sitecrawl\[|pip install '?sitecrawl\b", path.read_text(encoding="utf8")
        ), path


def test_the_image_installs_what_there_is() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf8")
    extras = re.findall(r"'\.\[([\w,]+)\]'", text)
    assert extras
    assert set(",".join(extras).split(",")) <= set(EXTRAS)
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf8").split()
    for copied in re.findall(r"^COPY (?!--from)(.+) \S+$", text, flags=re.M):
        for name in copied.split():
            assert (ROOT / name).exists(), name
            assert name not in ignored
    assert re.search(r"^USER crawl$", text.split("FROM")[-2], flags=re.M)


def test_the_compose_file_asks_for_a_password_and_runs_commands_that_there_are() -> None:
    from sitecrawl.commands import command_names

    text = (ROOT / "compose.yaml").read_text(encoding="utf8")
    services = yaml.safe_load(text)["services"]
    assert services["worker"]["command"] == ["work"]
    assert set(re.findall(r"run --rm worker (\w+)|sitecrawl (\w+) -o", text)[0]) - {""} <= set(
        command_names()
    )
    assert "CRAWL_PASSWORD:?" in services["database"]["environment"]["POSTGRES_PASSWORD"]
    assert all(port.startswith("127.0.0.1:") for port in services["report-server"]["ports"])
