"""The command `sitecrawl`, called in process: its verbs, its help, and how it refuses what it does
not know."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from argparse import ArgumentParser
from contextlib import suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from scrapy.cmdline import execute
from scrapy.commands.crawl import Command as Crawl
from scrapy.commands.version import Command as Plain
from scrapy.settings import Settings
from scrapy.utils.project import get_project_settings

from sitecrawl.__main__ import main
from sitecrawl.commands import command_of, commands_by_name
from sitecrawl.commands.links import LinksCommand
from sitecrawl.links.link_model import model_at
from tests.crawl.runner import Answer, send, served
from tests.links.models import credulous
from tests.pages import article_page, listing_page

VERBS = sorted(commands_by_name("sitecrawl."))
PAGE = "http://news.example/city/"


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "sitecrawl.settings")
    monkeypatch.chdir(tmp_path)
    model_at.cache_clear()  # another test may have read a model of the same name in its own folder


@pytest.fixture
def listing(tmp_path: Path) -> str:
    (tmp_path / "city.html").write_text(listing_page(range(12)), encoding="utf8")
    return "city.html"


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line of a command that ends with exit code 2."""
    try:
        code = main(words)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    said = capsys.readouterr()
    assert code == 2, said
    lines = said.err.splitlines()
    assert len(lines) == 1, said.err
    assert lines[0].startswith("sitecrawl: ")
    return lines[0]


# ---- help
def test_scrapy_lists_the_verbs_that_any_project_can_use(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit, match="0"):
        execute(["scrapy", "-h"])
    listed = re.findall(r"^  (\w+) {2,}\S", capsys.readouterr().out, re.M)
    assert {*VERBS} & {*listed} == {"crawl", "extract", "links", "templates"}
    assert not [name for name in listed if name.startswith("_")]


def options_of(verb: str) -> list[tuple[str, str]]:
    """Option and help of everything that the command adds to Scrapy's own options."""

    def known(command: object, parser: ArgumentParser) -> dict[str, str]:
        command.settings = Settings({"LOG_LEVEL": "INFO"})  # type: ignore[attr-defined]
        command.add_options(parser)  # type: ignore[attr-defined]
        return {
            action.option_strings[-1]: str(action.help)
            for action in parser._actions
            if action.option_strings
        }

    ours = known(command_of(verb), ArgumentParser(conflict_handler="resolve"))
    base = Crawl() if verb == "crawl" else Plain()
    return [
        (name, told) for name, told in ours.items() if name not in known(base, ArgumentParser())
    ]


@pytest.mark.parametrize("verb", VERBS)
def test_help_names_every_argument_with_an_example(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with suppress(SystemExit):
        assert main([verb, "--help"]) == 0
    said = capsys.readouterr().out
    assert f"usage: sitecrawl {verb}" in said
    examples = re.findall(
        rf"^  (?:sitecrawl {verb}|scrapy {verb}) .*$|^  sitecrawl {verb}$", said, re.M
    )
    assert examples, f"{verb} --help gives no example: Command.explains needs one"
    for name, told in options_of(verb):
        assert name in told or any(name in shlex.split(example) for example in examples), (
            f"{verb}: no example of {name}"
        )


@pytest.mark.parametrize("word", ["--version", "version"])
def test_the_version_is_told(capsys: pytest.CaptureFixture[str], word: str) -> None:
    assert main([word]) == 0
    assert capsys.readouterr().out == "sitecrawl 0.1.0\n"


def test_help_lists_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    assert {verb for verb in VERBS if not re.search(rf"^  {verb} +\w", said, re.M)} == set()
    assert main([]) == 2


# ---- refusals
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["crwl", "http://a.example/"], "no command crwl: did you mean crawl?"),
        (["extract", "--jsn", "a.html"], "no option --jsn: did you mean --json?"),
        (["extract"], "name a page"),
        (["extract", ""], "name a page"),
        (
            ["crawl", "a.example", "-o", "x:foo"],
            "x:foo names no known format: choose from atom, csv",
        ),
        (
            ["crawl", "a.example", "-O", "x.jsonk"],
            "x.jsonk names no known format: did you mean json",
        ),
        (["extract", "none.html"], "cannot read none.html"),
        (["extract", "http://ann:secret@a.example/"], "leave them out"),
        (["extract", "--format", "pdf", "a.html"], "invalid choice: 'pdf'"),
        (["links", "--lable", "article", "a.html"], "did you mean --label?"),
        (["why", "http://a.example/", "--pge", "x"], "no option --pge: did you mean --page?"),
        (["train", "--folds", "many"], "invalid int value: 'many'"),
        (
            ["train", "-s", "SITECRAWL_MAX_WAITS=3"],
            "no setting SITECRAWL_MAX_WAITS: did you mean SITECRAWL_MAX_WAIT?",
        ),
        (["train", "-s", "SITECRAWL_MAX_WAIT"], "Invalid -s value"),
        (["train", "-s", "DOWNLOAD_DELAY=fast"], "DOWNLOAD_DELAY is a number, not fast"),
        (
            ["train", "-s", "ROBOTSTXT_OBEY=perhaps"],
            "ROBOTSTXT_OBEY is True or False, not perhaps",
        ),
        (
            ["train", "-s", "DOWNLOAD_DELAYY=9"],
            "no setting DOWNLOAD_DELAYY: did you mean DOWNLOAD_DELAY?",
        ),
        (
            ["crawl", "a.example", "-s", "LOG_LEVEL=LOUD"],
            "LOG_LEVEL=LOUD is unknown: choose from CRITICAL",
        ),
        (
            ["crawl", "a.example", "-s", "LOG_LEVEL=info"],
            "LOG_LEVEL=info is unknown: did you mean INFO?",
        ),
        (
            ["crawl", "a.example", "--logfile", "/proc/x.log"],
            "LOG_FILE=/proc/x.log cannot be written",
        ),
        (
            ["crawl", "a.example", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=0"],
            "PER_DOMAIN=0 is too small",
        ),
        (["crawl", "a.example", "-s", "DOWNLOAD_TIMEOUT=-1"], "DOWNLOAD_TIMEOUT=-1 is too small"),
        (["run", "none.toml"], "sites file none.toml: cannot be read"),
        (["crawl", "a.example", "--depth", "2"], "--depth is an argument: write -a depth=VALUE"),
        (
            ["links", "-s", "SITECRAWL_LINK_MODELS=a", "a.html"],
            "did you mean SITECRAWL_LINK_MODEL?",
        ),
        (["extract", "-s", "SITECRAWL_EXTRACTOR=x", "a.html"], "SITECRAWL_EXTRACTOR=x is unknown"),
    ],
)
def test_what_is_mistyped_is_refused_in_one_line(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told in refused(capsys, *words)


# ---- one page
@pytest.mark.parametrize(
    ("words", "within"),
    [
        (["train", "labels"], "sitecrawl.extras.training.train.TrainCommand.act"),
        (["extract", "http://127.0.0.1:9/"], "sitecrawl.commands._http.read_source"),
    ],
)
def test_ctrl_c_is_told_in_one_line(
    words: list[str],
    within: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(within, interrupted)
    assert main(words) == 130
    assert capsys.readouterr() == ("", "sitecrawl: interrupted\n")


def test_extract_prints_an_article(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.html").write_text(article_page(3), encoding="utf8")
    assert main(["extract", "a.html", "--url", "http://news.example/a.html"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"^headline   Harbour bridge number 3 opens to cyclists$", said, re.M)
    assert "third paragraph of story 3" in said
    assert main(["extract", "a.html", "a.html", "--json"]) == 0
    items = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [item["headline"] for item in items] == ["Harbour bridge number 3 opens to cyclists"] * 2
    for form in ("markdown", "html"):
        assert main(["extract", "a.html", "--format", form]) == 0
        said = capsys.readouterr().out
        assert "third paragraph of story 3" in said
        assert said.startswith("# Harbour bridge number 3 opens to cyclists\n\n") is (
            form == "markdown"
        )


@pytest.mark.parametrize("url", ["news.example/a.html", "a.html", "file:///a.html"])
@pytest.mark.parametrize("verb", ["extract", "links"])
def test_the_url_of_a_file_is_one_of_the_web(
    tmp_path: Path, verb: str, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.html").write_text(article_page(3), encoding="utf8")
    assert main([verb, "a.html", "--url", url]) != 0
    assert f"--url {url} is no web URL" in capsys.readouterr().err


def test_extract_and_links_read_what_is_served(capsys: pytest.CaptureFixture[str]) -> None:
    with served(
        {"/a.html": article_page(3).encode(), "/city/": listing_page(range(12)).encode()}
    ) as site:
        assert main(["extract", f"{site.url}/a.html", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["url"] == f"{site.url}/a.html"
        assert main(["links", f"{site.url}/city/", "--label", "article", "--json"]) == 0
    links = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [link["url"].rpartition("/")[2] for link in links] == [f"a-{n}.html" for n in range(12)]


def test_links_of_a_page_that_moved_are_relative_to_where_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    links = "".join(
        f'<li><a href="story-{n}.html">Story {n} of the harbour and its bridge</a></li>'
        for n in range(4)
    )
    pages: dict[str, bytes | Answer] = {"/news/": f"<h1>News</h1><ul>{links}</ul>".encode()}
    pages["/news"] = lambda handler: send(handler, 301, b"", Location="/news/")
    with served(pages) as site:
        assert main(["links", f"{site.url}/news", "--json"]) == 0
        found = [json.loads(line)["url"] for line in capsys.readouterr().out.splitlines()]
        assert found == [f"{site.url}/news/story-{n}.html" for n in range(4)]


def test_extract_tells_that_an_article_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url, turn = (
        "http://news.example/a.html",
        '<p class="pages"><a href="a_2.html">2</a> <a href="a_2.html">Next page</a></p>',
    )
    for name, html in (
        ("a", article_page(3)),
        ("b", article_page(3).replace("</body>", f"{turn}</body>")),
    ):
        (tmp_path / name).write_text(html, encoding="utf8")
        assert main(["extract", name, "--url", url, "--json"]) == 0
        told = capsys.readouterr().err
        assert ("seems to go on at http://news.example/a_2.html" in told) == (name == "b")


def test_a_listing_page_is_no_article_unless_one_insists(
    tmp_path: Path, listing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its teasers came as the text of an article, with exit code 0."""
    (tmp_path / "a.html").write_text(article_page(3), encoding="utf8")
    assert main(["extract", listing, "a.html", "--json"]) == 1
    said = capsys.readouterr()
    assert "the page looks like a listing page (" in said.err
    assert len(said.out.splitlines()) == 1  # the article beside it is printed
    assert main(["extract", listing, "--force", "--json"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_a_page_may_come_from_standard_input(
    listing: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in (["extract", "--force"], ["links", "--url", PAGE]):
        said = []
        for source in (listing, "-"):
            monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(Path(listing).read_bytes())))
            assert main([*words, source]) == 0
            said.append(capsys.readouterr().out)
        assert said[0] == said[1] != ""


def test_links_of_a_file_need_its_url(listing: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "needs its URL" in refused(capsys, "links", listing)
    assert main(["links", listing, "--url", PAGE]) == 0
    labels = {line.split()[0] for line in capsys.readouterr().out.splitlines()}
    assert labels == {"article", "section", "other"}


def test_links_are_labelled_by_the_models_of_the_folder(
    listing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def labels(*words: str) -> set[str]:
        assert main(["links", listing, "--url", PAGE, *words]) == 0
        return {line.split()[0] for line in capsys.readouterr().out.splitlines()}

    credulous(Path()).rename("own.npz")
    assert labels("-s", "SITECRAWL_LINK_MODEL=own.npz") == {"article"} != labels()
    Path("own.npz").rename("own-links-news.example.npz")
    assert labels() == {"article"}
    assert "not found" in refused(
        capsys, "links", listing, "--url", PAGE, "-s", "SITECRAWL_LINK_MODEL=none.npz"
    )


def test_the_verbs_of_one_page_load_no_scrapy(tmp_path: Path, listing: str) -> None:
    code = f"import sys; from sitecrawl.__main__ import main; main(['links', '{listing}', '--url', '{PAGE}']); print('scrapy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.splitlines()[-1] == "False"


def test_a_crawl_loads_no_remote_control(tmp_path: Path) -> None:
    code = "import sys; from sitecrawl.__main__ import main; main(['crawl', '--demo', '-O', 'x.jsonl']); print('aiohttp' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.splitlines()[-1] == "False"


def test_scrapy_has_the_same_verbs(listing: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["links", listing, "--url", PAGE, "--json"]) == 0
    direct = capsys.readouterr().out
    command = LinksCommand()
    command.settings = get_project_settings()
    parser = ArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    opts, args = parser.parse_known_args([listing, "--url", PAGE, "--json"])
    command.run(args, opts)
    assert (command.exitcode, capsys.readouterr().out) == (0, direct)


# ---- tables as data
def test_why_as_json(listing: str, capsys: pytest.CaptureFixture[str]) -> None:
    link = "http://news.example/2024/05/a-3.html"
    assert main(["why", link, "--page", listing, "--page-url", PAGE, "--json"]) == 0
    known = json.loads(capsys.readouterr().out)
    assert (known["url"], known["label"], known["reasons"]["of"]) == (link, "article", "article")


@pytest.mark.parametrize(
    ("words", "code"),
    [("--help", 141), ("links --help", 0), ("links page.html --url http://a.example/", 141)],
)
def test_a_reader_that_leaves_ends_a_command_in_silence(
    words: str, code: int, tmp_path: Path
) -> None:
    """The list of commands ended in a traceback. The help of a command is written by argparse,
    which takes such an end for none."""
    (tmp_path / "page.html").write_text('<p><a href="/a">A link</a>')
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "sitecrawl", *words.split()]
    done = subprocess.run(
        command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60, cwd=tmp_path
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (code, "")


@pytest.mark.parametrize("words", ["--help", "--version", "extract page.html", "status"])
def test_a_full_standard_output_is_told_in_one_line(words: str, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<h1>A headline of it</h1><p>A paragraph.")
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "sitecrawl", *words.split()]
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, cwd=tmp_path
        )
    assert (done.returncode, done.stderr) == (
        1,
        "sitecrawl: the output cannot be written: No space left on device\n",
    )


def test_a_closed_standard_output_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<h1>A headline of it</h1><p>A paragraph.")
    line = f"{shlex.quote(sys.executable)} -m sitecrawl extract page.html >&-"
    done = subprocess.run(
        line, shell=True, stderr=subprocess.PIPE, text=True, timeout=60, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
