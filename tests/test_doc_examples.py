"""The examples of the documentation run: each Python block, and the shell commands against the
demonstration site on loopback, each once.

A line in a ``sh`` block that begins with ``sitecrawl`` is run; one that waits for ever, needs a
server of its own or is one more crawl of the same site is checked against the options of its
command instead, and so is every such line in a block of another kind."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import sitecrawl
from benchmarks.options import PAGE, commands, counts, page
from benchmarks.pictures import links_drawing, overview_drawing, template_drawing
from sitecrawl.commands._help import refuse_unknown
from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.dom.parse import parse
from sitecrawl.extras.demo import article_paths, serve, site_pages
from sitecrawl.extras.fleet.sites_file import read_sites
from tests.crawl.runner import typed
from tests.process import finished
from tests.source import ROOT

DOCS = ROOT / "docs"
TOLD = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
SHELL = [
    "quickstart",
    "commands",
    "troubleshooting",
    "by-hand",
    "report",
    "archives",
    "scaling",
    "monitoring",
]
"""Pages whose shell examples run, in this order: the first one crawls."""
CRAWLED = ("quickstart", "monitoring")
"""Pages whose crawls run; those of the others are crawls of the same site again."""
FOR_EVER = ("work",)
LOOK = "SITECRAWL_DATA_DIR=look"
"""Marks a crawl that is made to look at a site, and the report on it: the same as the first
ones."""
STORY = max(path for path in article_paths() if path.startswith("/city/"))
"""The newest story, which the first page of its section shows."""
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)
_PLAIN = re.compile(r"\d+")


@dataclass(frozen=True)
class Example:
    """A command of a page, and the block of output that follows it, if any."""

    page: str
    line: str
    said: str = ""

    @property
    def words(self) -> list[str]:
        return shlex.split(self.line, comments=True)[1:]

    @property
    def runs(self) -> bool:
        return (
            LOOK not in self.words
            and self.words[0] not in FOR_EVER
            and (self.words[0] != "crawl" or self.page in CRAWLED)
        )


def blocks(file: Path) -> Iterator[tuple[str, str]]:
    """Language and text of each block of code of a page."""
    yield from _BLOCK.findall(file.read_text(encoding="utf8"))


def examples(file: Path, language: str | None = "sh") -> Iterator[Example]:
    """The commands in blocks of a language, or of all. The block of text behind a block belongs to
    its last command."""
    found = [*blocks(file), ("", "")]
    for (kind, text), (after, output) in pairwise(found):
        lines = (
            [line for line in text.splitlines() if re.match(r"sitecrawl [^=]", line)]
            if language in (kind, None)
            else []
        )
        for line in lines:
            yield Example(file.stem, line, output if after == "text" and line == lines[-1] else "")


# ---- Python
@pytest.mark.parametrize(
    "file",
    [file for file in TOLD if "```python" in file.read_text(encoding="utf8")],
    ids=lambda file: file.stem,
)
def test_python_examples_run(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    story, given = (
        site_pages()[STORY],
        [(path, site_pages()[path]) for path in sorted(article_paths())[:4]],
    )
    known = {
        f"{name}{number}": value
        for number, pair in enumerate(given, 1)
        for name, value in zip(("url", "html"), pair, strict=True)
    }
    known |= {"html": story, "url": f"https://gazette.example{STORY}", "__name__": file.stem}
    code = "\n".join(text for language, text in blocks(file) if language == "python").replace(
        ", ...]", "]"
    )
    exec(compile(code, str(file), "exec"), known)
    if file.stem == "python":
        assert "A bridge opens 2019-07-05" in capsys.readouterr().out


def test_chunks_for_an_index_are_not_cut_within_code() -> None:
    """A comment in a shell script was taken for a heading, and its chunk was half a block of
    code."""
    said = "<p>This is how the ferry is built, step by step, and how it is steered across the river.</p>"
    code = "<pre><code># fetch\nmake all\n# go on\nmake ferry</code></pre>"
    html = f"<title>A ferry</title><article><h1>A ferry</h1>{said * 2}<h2>Build</h2>{said}{code}<h2>Steer</h2>{said}</article>"
    found = list(sitecrawl.chunks(sitecrawl.extract(html, "https://a.example/ferry")))
    assert [heading for _, heading, _ in found] == ["A ferry", "Build", "Steer"]
    assert "# fetch\nmake all\n# go on\nmake ferry\n```" in found[1][2]


# ---- shell
def mapped(line: str, front: str) -> str:
    """A command of the guide with the pages of the demonstration site in place of the made-up
    ones."""
    host = front.removeprefix("http://").rstrip("/")
    pages = {"/news/a.html": STORY, "/news/": "/city/"}
    for path, real in pages.items():
        line = line.replace(f"https://www.example.com{path}", f"http://{host}{real}")
    return line.replace("https://www.example.com", f"http://{host}").replace("example.com", host)


def workshop(folder: Path, front: str) -> None:
    """The files that the guide's commands read."""
    (folder / "saved.html").write_bytes(site_pages()[STORY])
    (folder / "mine.json").write_text(
        next(text for kind, text in blocks(DOCS / "by-hand.md") if kind == "json"), "utf8"
    )
    (folder / "sites.txt").write_text(f"{front}zh/\n{front}board/\n", "utf8")
    (folder / "sites.toml").write_text(
        f'feed = "feeds/{{name}}.jsonl"\n[[site]]\nstart = "{front}board/"\nsettings = {{DOWNLOAD_DELAY = 0}}\n',
        "utf8",
    )


def run(words: Sequence[str], folder: Path) -> tuple[int, str]:
    """Exit code and output of a command: crawls in a process of their own, which need a reactor,
    all others in this one."""
    if words[0] in ("crawl", "run"):
        quick = [
            "-s",
            "DOWNLOAD_DELAY=0",
            "-s",
            "AUTOTHROTTLE_ENABLED=0",
            "-s",
            "SITECRAWL_WARC=archive",
        ]
        command = [
            sys.executable,
            "-m",
            "sitecrawl",
            *words,
            *(quick if words[0] == "crawl" else []),
        ]
        done = finished(command, cwd=folder)
        return done.returncode, done.stdout + done.stderr
    globbed = [
        str(file.relative_to(folder)) for word in words if "*" in word for file in folder.glob(word)
    ]
    done = typed(words[0], *globbed, *[word for word in words[1:] if "*" not in word])
    return done.returncode, done.stdout + done.stderr


def test_shell_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran: set[str] = set()
    with serve() as front:
        workshop(tmp_path, front)
        for name in SHELL:
            for example in examples(DOCS / f"{name}.md"):
                line = mapped(example.line, front)
                if line in ran or not example.runs:
                    continue
                ran.add(line)
                code, said = run(shlex.split(line, comments=True)[1:], tmp_path)
                assert code == 0, f"{example.page}: {example.line}\n{said}"
                _as_told(example, said)
                if not (tmp_path / "pages.warc.gz").exists():
                    for archive in tmp_path.glob("archive/*.warc.gz"):
                        shutil.copy(archive, tmp_path / "pages.warc.gz")
    assert len((tmp_path / "articles.jsonl").read_text("utf8").splitlines()) == 24
    assert (tmp_path / "monday.html").is_file()
    assert list((tmp_path / "pieces").glob("*.jsonl"))


def _as_told(example: Example, said: str) -> None:
    """Every line of the output that the guide shows came, whatever its numbers are."""
    came = {_PLAIN.sub("#", line.strip()) for line in said.splitlines()}
    for line in example.said.splitlines() if example.page == "quickstart" else ():
        assert _PLAIN.sub("#", line.strip()) in came, f"{example.line} does not say: {line}\n{said}"


@pytest.mark.parametrize("file", TOLD, ids=lambda file: file.stem)
def test_commands_of_all_pages_are_spelled_right(file: Path) -> None:
    known = commands()
    for example in examples(file, None):
        verb, *rest = example.words
        if any(mark in verb for mark in "./:"):
            verb, rest = "crawl", example.words
        assert verb in known, example.line
        given, left = known[verb][1].parse_known_args(rest)
        refuse_unknown(left, known[verb][1])
        if verb == "crawl":
            named = {
                name.replace("-", "_"): value
                for name, value in vars(given).items()
                if name in CrawlArguments.__dataclass_fields__
            }
            CrawlArguments.parse(
                {"start": "https://a.example/"}
                | {name: value for name, value in named.items() if value and name != "refresh"}
            )


def test_the_file_of_sites_is_one_that_runs(tmp_path: Path) -> None:
    file = tmp_path / "sites.toml"
    file.write_text(
        next(text for kind, text in blocks(DOCS / "monitoring.md") if kind == "toml"), "utf8"
    )
    found = read_sites(file)
    assert ([site.name for site in found.sites], found.jobs) == (["example.com", "ministry"], 20)


# ---- what is generated
def test_the_options_of_all_commands_are_those_of_the_commands() -> None:
    assert PAGE.read_text(encoding="utf8") == page(), "run: python -m benchmarks options"


MOST = {"commands": 15, "options": 65, "settings": 22, "formats": 8, "hooks": 7}
"""How much a user has to learn; there were 17, 90, 22, 8 and 7."""


def test_there_is_not_more_to_learn() -> None:
    assert {name: count for name, count in counts().items() if count > MOST[name]} == {}


def test_pictures_are_drawn_from_a_run() -> None:
    for drawing, expected in (
        (links_drawing(), ("pagination", "Imprint", "Flood wall")),
        (template_drawing(), ("headline", "//div.comment", "div.story")),
        (overview_drawing(), ("datePublished", "links by label")),
    ):
        svg = drawing.svg("a title")
        assert not [text for text in expected if text not in svg]
        assert parse(svg).root is not None


# ---- the site
_LOADED = re.compile(
    r"""<(?:script|img|iframe)[^>]+src="(https?:[^"]+)|<link[^>]+rel="(?:stylesheet|preconnect|icon)"[^>]+href="(https?:[^"]+)"""
)


def test_the_guide_is_built_and_can_be_searched_without_the_network(
    tmp_path: Path, browser: Browser
) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = {
        file.name: _LOADED.findall(file.read_text(encoding="utf8"))
        for file in tmp_path.rglob("*.html")
    }
    assert {name: urls for name, urls in found.items() if urls} == {}
    assert "quickstart.html" in found
    tab, asked = browser.new_page(), list[str]()
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto((tmp_path / "index.html").as_uri())
    tab.locator(".md-search__input").focus()
    tab.keyboard.type("robots", delay=20)
    tab.locator(".md-search-result__item").first.wait_for()
    tab.close()
    assert not [url for url in asked if not url.startswith(("file:", "data:", "about:"))]
