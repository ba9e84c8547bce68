"""`scrapy templates` on a real store, run as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

import pytest

from sitecrawl.crawl.store import Stores
from sitecrawl.site.model import SiteModel
from tests.crawl.runner import typed
from tests.redesigns import page

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    model = SiteModel("news.example", "2026-01-02")
    model.learn([(f"http://news.example/{n}.html", page(n)) for n in range(6)])
    store = Stores(tmp_path).learned()
    store.save("news.example", model.to_dict())
    store.close()
    return tmp_path


def run(data: Path, *args: str, code: int = 0, editor: str = "") -> str:
    with patch.dict(os.environ, {"EDITOR": editor}), patch.object(tempfile, "tempdir", str(data)):
        done = typed("templates", *args, "-s", f"SITECRAWL_DATA_DIR={data}")
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def test_list_lock_export_forget_import(data: Path) -> None:
    assert "news.example  template-1  v1  trusted  article  6 pages" in run(data, "list")
    assert "locked" in run(data, "lock", "news.example", "template-1")
    run(data, "export", "news.example", str(data / "out.json"))
    assert json.loads((data / "out.json").read_text(encoding="utf8"))[0]["locked"] is True
    assert "forgotten" in run(data, "forget", "news.example")
    assert "v1  imported, trusted" in run(data, "import", str(data / "out.json"))
    assert "v1  trusted locked  article" in run(data, "list"), "as it was, and edited by nobody"
    assert "known already" in run(data, "import", str(data / "out.json"))


@pytest.mark.parametrize("pages", [1, 60])
def test_the_reader_of_a_pipe_may_leave(data: Path, pages: int) -> None:
    (data / "page.html").write_text(page(9), encoding="utf8")
    names = " ".join([str(data / "page.html")] * pages)
    command = f"{sys.executable} -m scrapy templates test news.example {names} -s SITECRAWL_DATA_DIR={data} | true"
    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_test_shows_what_a_template_finds(data: Path) -> None:
    (data / "page.html").write_text(page(9), encoding="utf8")
    item = json.loads(run(data, "test", "news.example", str(data / "page.html")))
    assert item["headline"] == "The bridge story 9"
    assert item["provenance"]["method"] == "template"


def test_documents_of_strangers_are_refused(data: Path) -> None:
    """What a document says reaches the terminal and the store: names that steer one, no place of a
    body, versions without end."""
    whole = json.loads(run(data, "export", "news.example"))[0]
    for damage in (
        {"site": "news.example\x1b]0;x\x07"},
        {"name": "a\x9b31m"},
        {"name": "x" * 5_000},
        {"created": "\nforged"},
        {"fields": {"a\x1b": {"sources": []}}},
        {"body": whole["body"] | {"addresses": []}},
        {"version": 10**400},
        {"version": -1},
    ):
        (data / "foreign.json").write_text(json.dumps(whole | damage))
        error = run(data, "import", str(data / "foreign.json"), code=2)
        assert error.startswith("sitecrawl: ")
        assert len(error.splitlines()) == 1
        assert not set(error) & set("\x1b\x07\x9b")
        assert len(error) < 700
    for action in (
        ("show", "news.example", "template-1"),
        ("rollback", "news.example", "template-1"),
    ):
        assert "not a version number" in run(data, *action, "9" * 400, code=2)


def test_mistakes_are_one_clear_line(data: Path) -> None:
    (data / "bare.html").write_text("<p>No title</p>", encoding="utf8")
    for args in (
        ("dance",),
        ("show", "no.example"),
        ("test", "news.example", str(data / "none.html")),
        ("edit", "no.example"),
        ("edit", "news.example/template-9"),
        ("set", "news.example", "headline"),
        ("set", "news.example/template-9", "headline", "h1"),
        ("set", "news.example", "headline", "h1:hover"),
        ("set", "news.example", "comments", "div"),
        ("set", "news.example", "body", "div::attr(id)"),
        ("set", "news.example", "headline", "h9.none"),
        ("set", "news.example", "body", "div"),
        ("set", "news.example", "headline", "h1", str(data / "bare.html")),
        ("sync",),
        ("diff", "news.example", "template-1", "x", "y"),
        ("rollback", "news.example", "template-1", "7"),
        ("export", "news.example", str(data / "no" / "such.json")),
        ("import", str(data / "none.json")),
    ):
        error = run(data, *args, code=2)
        assert error.startswith("sitecrawl: ")
    assert run(data, "set", "news.example", code=2).endswith(
        "too few arguments: sitecrawl templates set SITE[/NAME] FIELD 'CSS or XPath' [PAGE|URL...]\n"
    )
    assert "no action lst: did you mean list?" in run(data, "lst", code=2)
    assert "did you mean headline?" in run(data, "set", "news.example", "headlin", "h1", code=2), (
        "it made a field headlin"
    )
    assert "v2" not in run(data, "list")
    (data / "templates.sqlite").write_bytes(b"damaged" * 500)
    assert "damaged" in run(data, "list", code=1)


def test_edit_diff_roll_back(data: Path) -> None:
    edit = ("edit", "news.example", "template-1")
    assert run(data, *edit, editor="true") == "nothing changed\n"
    assert "v2  edited" in run(data, *edit, editor="sed -i s/headline/title/")
    change = run(data, "diff", "news.example", "template-1", "v1", "v2")
    assert '-  "headline": {' in change
    assert '+  "title": {' in change
    assert "v1  answers again" in run(data, "rollback", "news.example", "template-1", "v1")
    states = [line.split("  ")[3] for line in run(data, "list").splitlines()]
    assert states == ["trusted", "replaced edited"]


def test_an_edit_that_is_no_template_is_kept_and_changes_nothing(data: Path) -> None:
    edit = ("edit", "news.example", "template-1")
    for editor, reason in (
        ("no-such-editor", "cannot be run"),
        ("false", "ended with 1"),
        ("sed -i 's/id(/document(/'", "damaged"),
    ):
        assert reason in run(data, *edit, code=2, editor=editor)
    draft = run(data, *edit, code=2, editor="sed -i 1d").split()[-1]
    assert '"addresses"' in Path(draft).read_text(encoding="utf8")
    assert len(run(data, "list").splitlines()) == 1


def test_pages_that_are_kept_show_what_a_new_address_changes(data: Path) -> None:
    assert run(data, "test", "news.example").count('"headline": "The ') == 6
    told = run(data, "set", "news.example", "title", "div.header > a", "--dry-run")
    assert told.count("before: The ") == told.count("after:  The Example (by template)") == 6
    assert "not saved (dry run)" in told
    assert len(run(data, "list").splitlines()) == 1
    assert "v2  edited (found on 6 of 6 pages)" in run(
        data, "set", "news.example/template-1", "price", "//span[@class='date']"
    )
    (data / "page.html").write_text(page(9), encoding="utf8")
    item = json.loads(run(data, "test", "news.example", str(data / "page.html")))
    assert (item["extra"]["price"], item["headline"]) == ("2024-10-10", "The bridge story 9")


def test_a_folder_of_templates_goes_both_ways(data: Path) -> None:
    pack, written = data / "pack", data / "pack" / "news.example" / "template-1.json"
    assert "v1  to the folder" in run(data, "sync", str(pack), "--dry-run")
    assert not written.exists()
    run(data, "sync", str(pack))
    assert run(data, "sync", str(pack)) == ""
    document = json.loads(written.read_text(encoding="utf8"))
    document["body"]["without"].append(".//em")
    written.write_text(json.dumps(document), encoding="utf8")
    assert "1 in conflict" in run(data, "sync", str(pack), code=2)
    written.write_text(json.dumps(document | {"version": 5}), encoding="utf8")
    assert "v5  from the folder" in run(data, "sync", str(pack))
    assert "v5  trusted" in run(data, "list")
    run(data, "set", "news.example", "date", "span.date")
    assert "v6  to the folder" in run(data, "sync", str(pack))
    assert json.loads(written.read_text(encoding="utf8"))["version"] == 6


def test_a_template_that_was_withdrawn_is_not_read_from_the_folder_again(data: Path) -> None:
    run(data, "sync", str(data / "pack"))
    store = Stores(data).learned()
    model = SiteModel.from_dict(store.load("news.example"))
    model.families[0].drift()
    store.save("news.example", model.to_dict())
    store.close()
    assert run(data, "sync", str(data / "pack")) == ""
    assert "v1  drifting  article" in run(data, "list")
    assert "v1  answers again" in run(data, "rollback", "news.example", "template-1", "v1")


def test_a_template_written_by_hand(data: Path) -> None:
    file = data / "pack" / "other.example" / "stories.json"
    file.parent.mkdir(parents=True)
    file.write_text(
        '{"body": "div.text", "fields": {"title": "h1", "date": "span.date"}}', encoding="utf8"
    )
    assert "other.example/stories  by hand  from the folder" in run(
        data, "sync", str(data / "pack")
    )
    assert json.loads(file.read_text(encoding="utf8"))["version"] == 1
    (data / "page.html").write_text(page(9), encoding="utf8")
    item = json.loads(run(data, "test", "other.example", str(data / "page.html")))
    assert (item["headline"], item["datePublished"]) == ("The bridge story 9", "2024-10-10")
    assert item["provenance"]["method"] == "template"
    assert len(run(data, "show", "other.example").splitlines()) < 40, "it fits on a screen"
    for damaged in (
        "[" * 100_000,
        '{"body": "div.text", "version": 1e999}',
        '{"body": "div.text", "feilds": {"title": "h1"}}',
        '{"body": "div.text", "fields": {"titel": "h1"}}',
        '{"site": "https://other.example/news/", "body": "div.text"}',
        '{"body": ' + '{"a":' * 50 + "1" + "}" * 51,
    ):
        file.write_text(damaged, encoding="utf8")
        assert run(data, "sync", str(data / "pack"), code=2).count("\n") == 1
