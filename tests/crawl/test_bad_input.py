"""Bad input: one clear line, no traceback, nothing lost, a non-zero exit where nothing could be
crawled."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest

from sitecrawl import resources
from sitecrawl.crawl.store import store_path
from sitecrawl.extract import page_type
from sitecrawl.extract.headline import headline_model
from sitecrawl.extract.weights import default_model
from sitecrawl.extras.demo import site_pages
from sitecrawl.links.link_model import model_at
from sitecrawl.site import judge
from tests.crawl.runner import Run, command, crawl, scrapy, send, served
from tests.process import finished
from tests.source import ROOT


def complaint(run: Run) -> str:
    """The one line a user reads; anything else on standard error fails the test."""
    lines = [line for line in run.said.splitlines() if line.strip()]
    assert "Traceback" not in run.said
    assert len(lines) == 1, run.said
    assert lines[0].startswith("sitecrawl: ")
    return lines[0]


def test_unknown_host(tmp_path: Path) -> None:
    run = crawl("http://no-such-host.invalid/", tmp_path / "out.jsonl")
    assert run.code == 1
    assert "no such host" in complaint(run)


def test_nobody_listens(tmp_path: Path) -> None:
    run = crawl("http://127.0.0.1:9/", tmp_path / "out.jsonl")
    assert run.code == 1
    assert "refused" in complaint(run)


def test_a_limit_below_zero(tmp_path: Path) -> None:
    run = crawl("http://127.0.0.1:9/", tmp_path / "out.jsonl", "-a", "max_articles=-3")
    assert run.code == 2
    assert complaint(run).endswith(
        "max_articles=-3 is too small: 0 is the least, and means no limit"
    )


def test_start_page_is_a_pdf(tmp_path: Path) -> None:
    with served(
        {
            "/paper.pdf": lambda handler: send(
                handler, 200, b"%PDF-1.4 ...", Content_Type="application/pdf"
            )
        }
    ) as site:
        run = crawl(f"{site.url}/paper.pdf", tmp_path / "out.jsonl")
    assert run.code == 1
    assert "not HTML (application/pdf)" in complaint(run)


def test_start_page_is_empty(tmp_path: Path) -> None:
    with served({"/": b"  "}) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl")
    assert run.code == 1
    assert "the page is empty" in complaint(run)


def test_start_page_is_missing(tmp_path: Path) -> None:
    with served({}) as site:
        run = crawl(f"{site.url}/gone/", tmp_path / "out.jsonl")
    assert run.code == 1
    assert "the server answered 404" in complaint(run)


def test_robots_forbid(tmp_path: Path) -> None:
    rules = {
        "/robots.txt": lambda handler: send(
            handler, 200, b"User-agent: *\nDisallow: /", Content_Type="text/plain"
        )
    }
    with served({"/": b"<p>text</p>", **rules}) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl")
        assert site.asked == ["/robots.txt"]
    assert run.code == 1
    assert "forbidden by robots.txt" in complaint(run)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-a", "max_pages=many"], "max_pages=many is not a whole number"),
        (["-a", "since=yesterday"], "write it like 2026-01-31"),
        (["-a", "scope=world"], "choose from section, site"),
        (["-a", "colour=red"], "unknown argument colour"),
        (["-s", "SITECRAWL_EXTRACTOR=best"], "choose from ensemble"),
        (["-s", f"SITECRAWL_LINK_MODEL={__file__}"], "not a link model"),
    ],
)
def test_arguments_that_cannot_be_used(tmp_path: Path, arguments: list[str], words: str) -> None:
    run = crawl("http://127.0.0.1:9/", tmp_path / "out.jsonl", *arguments)
    assert run.code == 2
    assert words in complaint(run)


@pytest.mark.parametrize(
    "start", ["ftp://example.com/", "http://", "mailto:a@example.com", "not a url"]
)
def test_start_that_is_no_web_address(tmp_path: Path, start: str) -> None:
    run = crawl(start, tmp_path / "out.jsonl")
    assert run.code == 2
    complaint(run)


@pytest.mark.parametrize("name", ["crawl", "templates"])
def test_damaged_state(tmp_path: Path, name: str) -> None:
    with served(dict(site_pages())) as site:
        host = site.url.partition("//")[2]
        file = (
            store_path(tmp_path / "state", {host})
            if name == "crawl"
            else tmp_path / "state" / "templates.sqlite"
        )
        file.parent.mkdir(parents=True)
        file.write_bytes(b"this is no database at all, but it is long enough to be looked at" * 40)
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl")
    assert run.code == 1
    assert "damaged" in complaint(run)
    assert file.read_bytes().startswith(b"this is no database")


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("sites",), "no spider sites: write sitecrawl crawl URL"),
        (
            ("site", "effort=full"),
            "effort=full is neither a URL nor an option: write arguments as -a NAME=VALUE",
        ),
        (("--demo", "http://a.example/"), "--demo crawls a site of its own: leave out the URL"),
        (
            ("site", "-s", "SITECRAWL_MAX_WAIT=many"),
            "SITECRAWL_MAX_WAIT=many is not a whole number",
        ),
        (("site", "-s", "SITECRAWL_EXTRACTOR=none"), "choose from ensemble, block_density"),
        (
            ("site", "-o", "gopher://a.example/b.jsonl"),
            "gopher://a.example/b.jsonl cannot be written: give a file",
        ),
        (("site", "-o", f"{'b' * 300}.jsonl"), "File name too long"),
        (
            ("site", "-s", "SITECRAWL_LINK_FILTERS=steps.none"),
            "steps.none cannot be loaded (No module named 'steps')",
        ),
    ],
)
def test_a_command_that_was_mistyped(typed: tuple[str, ...], told: str) -> None:
    done = scrapy("crawl", *typed, "-a", "start=http://127.0.0.1:9/")
    assert done.returncode == 2
    assert told in complaint(Run(done.returncode, done.stderr, []))


@pytest.mark.parametrize("below", ["", "/below"])
def test_a_data_folder_that_is_a_file(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("notes")
    data = f"SITECRAWL_DATA_DIR={tmp_path / 'file'}{below}"
    run = crawl("http://127.0.0.1:9/", tmp_path / "out.jsonl", "-s", data)
    assert run.code == 2
    assert data in complaint(run)
    assert (tmp_path / "file").read_text() == "notes"


def _models_beside(folder: Path) -> None:
    """Use the models in a folder; those that the forked process has already read are forgotten."""
    resources._HERE = folder
    for read in (default_model, headline_model, model_at):
        read.cache_clear()
    for module in (page_type, judge):
        vars(module.MODEL).pop("weights", None)


@pytest.mark.parametrize(
    "name", ["blocks.npz", "headline.npz", "links.npz", "page_type.json", "judge.json"]
)
@pytest.mark.parametrize("harm", ["missing", "damaged"])
def test_models_that_cannot_be_used(tmp_path: Path, name: str, harm: str) -> None:
    shutil.copytree(ROOT / "models", tmp_path / "models")
    if harm == "missing":
        (tmp_path / "models" / name).unlink()
    else:
        (tmp_path / "models" / name).write_bytes(b"PK\x03\x04 not a model")
    line = command("http://127.0.0.1:9/", tmp_path / "out.jsonl")
    done = finished(line, first=partial(_models_beside, tmp_path / "sitecrawl"))
    assert done.returncode == 2
    said = complaint(Run(done.returncode, done.stderr, []))
    assert name in said
    assert ("not found" if harm == "missing" else "damaged") in said
