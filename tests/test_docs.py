"""Documentation that cannot rot: its links resolve, and what it names is what the code has. Its
examples: test_doc_examples.py."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from markdown.extensions.toc import slugify

from sitecrawl import plugins, settings
from sitecrawl.commands import commands_by_name, crawl
from sitecrawl.commands._alerts import CONDITIONS, Exit
from sitecrawl.crawl.config import DISCOVER, EFFORT, CrawlArguments
from sitecrawl.crawl.records import Drop
from sitecrawl.crawl.rendering import JS
from sitecrawl.crawl.visit import Visit
from sitecrawl.extract.single import methods
from sitecrawl.extras.report.alerts import alert_of
from sitecrawl.feed_formats import feed_formats
from sitecrawl.items.article import ITEM_FIELDS, Provenance
from sitecrawl.items.kinds import Flag, PageKind
from sitecrawl.site.verdict import EventKind
from tests.source import PACKAGE, ROOT, modules

DOCS = ROOT / "docs"
GUIDE = sorted(DOCS.rglob("*.md"))
PAGES = sorted(
    [*GUIDE, *ROOT.glob("*.md"), *ROOT.glob("training_data/*.md"), *ROOT.glob("models/*.md")]
)
HISTORY = ROOT / "CHANGELOG.md"
"""The one page that names what is gone."""
_LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)]*))?\)")
_MODULE = re.compile(r"\bsitecrawl(?:\.\w+)+")
_FILE = re.compile(r"`((?:[\w-]+/)+[\w-]+\.\w+)`")
_STATISTIC = re.compile(r"`sitecrawl/([\w/<>-]+)`")
_SETTING = re.compile(r"SITECRAWL_[A-Z_]+")
_COUNTERS = ("count", "_count", "inc_value", "set_value")
_FROM_ENVIRONMENT = frozenset(
    (
        "SITECRAWL_DATA",
        "SITECRAWL_MODELS",
        "SITECRAWL_MODEL_SETS",
        "SITECRAWL_WEBHOOK_SECRET",
    )
)
"""Names that benchmarks and the webhook read from the environment."""


def read(page: str | Path) -> str:
    return (DOCS / page).read_text(encoding="utf8")


def rows(text: str) -> list[list[str]]:
    """The cells of all table rows of a page."""
    return [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("| `")]


def names(text: str) -> set[str]:
    """Names in the first cell of the table rows of a page."""
    return {name for first, *_ in rows(text) for name in re.findall(r"`([^`]+)`", first)}


def part(page: str, heading: str) -> str:
    """The text below a heading, up to the next of its rank."""
    return re.split(rf"^## {heading}$", read(page), flags=re.M)[1].split("\n## ")[0]


# ---- links
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page: Path) -> None:
    for target, anchor in _LINK.findall(page.read_text(encoding="utf8")):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        file = (page.parent / target) if target else page
        assert file.exists(), f"{page.name} links to {target}"
        assert not anchor or anchor in _anchors(file), f"{page.name} links to {target}#{anchor}"


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf8"), re.M)
    return {slugify(heading.replace("`", ""), "-") for heading in headings}


def test_every_page_is_in_the_navigation() -> None:
    told = set(re.findall(r"[-:] ([\w/-]+\.md)", (ROOT / "mkdocs.yml").read_text(encoding="utf8")))
    assert told == {page.relative_to(DOCS).as_posix() for page in GUIDE}


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page != HISTORY],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_files_and_names_of_code_exist(page: Path) -> None:
    text = page.read_text(encoding="utf8")
    for name in _MODULE.findall(text):
        assert _is_there(name) or name in vars(plugins).values(), f"{page.name} names {name}"
    for name in _FILE.findall(text):
        found = name.startswith("data/") or any(
            (base / name).exists() for base in (ROOT, PACKAGE, page.parent)
        )
        assert found or not name.endswith((".py", ".npz", ".md")), (
            f"{page.name} names the file {name}"
        )


def _is_there(dotted: str) -> bool:
    """Whether a dotted name leads to a module or to something in one; names of files (``x.git``)
    are none of it."""
    known: Any = import_module("sitecrawl")
    path = "sitecrawl"
    for step in dotted.split(".")[1:]:
        path = f"{path}.{step}"
        if hasattr(known, step):
            known = getattr(known, step)
        elif path in modules():
            known = import_module(path)
        else:
            return False
    return True


# ---- what a user can set
def test_settings_and_their_defaults_are_documented() -> None:
    ours = {name: value for name, value in vars(settings).items() if name.startswith("SITECRAWL_")}
    told = {
        row[0].strip("` "): row[-1] for row in rows(read("settings.md")) if "SITECRAWL_" in row[0]
    }
    assert told.keys() == ours.keys()
    assert {
        name: told[name]
        for name, value in ours.items()
        if f"`{value}`" not in told[name] and value != ""
    } == {}


def test_scrapy_settings_are_told_as_they_are() -> None:
    told = {
        row[0].strip("` "): row[1].strip("`")
        for row in rows(read("settings.md"))
        if "SITECRAWL_" not in row[0]
    }
    assert told.pop("USER_AGENT").split(" ")[0] == settings.USER_AGENT.split(" ")[0]
    assert told == {name: str(vars(settings)[name]) for name in told}


def test_no_page_names_a_setting_that_is_gone() -> None:
    known = {name for name in vars(settings) if name.startswith("SITECRAWL_")} | _FROM_ENVIRONMENT
    found = {
        name
        for page in PAGES
        if page != HISTORY
        for name in _SETTING.findall(page.read_text(encoding="utf8"))
    }
    assert found <= known


def test_arguments_and_their_values_are_documented() -> None:
    text = part("crawling.md", "Arguments")
    assert names(text) == {field.name for field in fields(CrawlArguments)}
    assert {
        value for value in (*EFFORT, *DISCOVER, "section", "site") if f"`{value}`" not in text
    } == set()
    assert {
        value
        for value in EFFORT
        if f"| `{value}` |" not in part("crawling.md", "How far a crawl goes")
    } == set()
    assert {value for value in JS if f"`{value}`" not in read("settings.md")} == set()


def test_no_page_uses_an_argument_that_is_gone() -> None:
    known = {field.name for field in fields(CrawlArguments)}
    used = {
        name for page in PAGES for name in re.findall(r"-a (\w+)=", page.read_text(encoding="utf8"))
    }
    assert used - {"name", "NAME"} <= known


def test_every_command_is_documented() -> None:
    commands = commands_by_name("sitecrawl.")
    told = "\n".join(row[0] for row in rows(read("commands.md")))
    assert {name for name in commands if f"`sitecrawl {name}" not in told} == set()
    assert set(methods()) <= names(read("extractors.md"))


def test_exit_codes_and_conditions_are_documented() -> None:
    assert names(part("commands.md", "Exit codes")) == {"141", *(str(int(code)) for code in Exit)}
    assert names(part("monitoring.md", "Alerts")) == set(CONDITIONS)
    text = part("monitoring.md", "Alerts")
    alert = alert_of(Visit(), found=[])
    assert {name for name in alert if f"`{name}`" not in text} == set()


def test_options_of_a_crawl_are_its_arguments() -> None:
    known = {field.name for field in fields(CrawlArguments)} - {"start"}
    others = known - set(crawl.OPTIONS)
    assert set(crawl.OPTIONS) <= known
    assert {name for name in others if f"{name}=" not in crawl.ARGUMENTS} == set()


def test_feed_formats_are_documented() -> None:
    ours = {*feed_formats()}
    told = "the entry points are those of the last installation: pip install --no-deps -e ."
    assert names(part("output.md", "Feed formats")) == ours, told


# ---- what comes out
def test_fields_are_documented() -> None:
    told = names(read("output.md").partition("\n`provenance` tells")[0])
    assert told == {*ITEM_FIELDS, "revision"}
    assert {field.name for field in fields(Provenance)} <= names(read("output.md"))


def test_flags_are_documented() -> None:
    text = read("output.md").partition("| flag |")[2].partition("\n\n")[0]
    assert names(text) == set(Flag)


def test_reasons_of_drops_are_documented() -> None:
    assert names(part("crawling.md", "Pages left out")) == {str(why) for why in Drop}


def test_statistics_are_documented() -> None:
    told = {name for page in DOCS.glob("*.md") for name in _STATISTIC.findall(read(page))}
    assert {
        name for name in statistics_in_code() if not any(_fits(name, one) for one in told)
    } == set()
    assert {
        one for one in told if not any(_fits(name, one) for name in statistics_in_code())
    } == set()
    kinds = {
        f"pages/{kind}"
        for kind in (PageKind.ARTICLE, PageKind.THREAD, PageKind.LISTING, PageKind.OTHER)
    } | {f"templates/{kind}" for kind in EventKind}
    assert kinds <= told


def _fits(name: str, told: str) -> bool:
    """Whether a documented statistic is one that the code counts; ``*`` stands for what is filled
    in."""
    pattern = re.escape(name).replace(r"\*", ".+")
    return re.fullmatch(pattern, told) is not None


@cache
def statistics_in_code() -> frozenset[str]:
    """Names of the statistics that the package counts, ``*`` for what is filled in."""
    nodes = [
        node
        for path in modules().values()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8")))
    ]
    calls = [
        (ast.unparse(node.func).rpartition(".")[2], node.args)
        for node in nodes
        if isinstance(node, ast.Call)
    ]
    counted = [arguments[0] for name, arguments in calls if name in _COUNTERS and arguments]
    counted += [arguments[1] for name, arguments in calls if name == "Counted"]
    found = {text.removeprefix("sitecrawl/") for node in counted for text in _texts(node)}
    events = modules()["sitecrawl.crawl.events"].read_text(encoding="utf8")
    found |= {re.sub(r"{.*?}", "*", name) for name in re.findall(r'"(\w+/[\w/{}.]*)"', events)}
    return frozenset(
        name for name in found if re.match(r"\w+/", name) and not name.startswith("feedexport/")
    )


def _texts(node: ast.expr) -> list[str]:
    """The texts that an expression may be; both of a choice."""
    if isinstance(node, ast.IfExp):
        return [*_texts(node.body), *_texts(node.orelse)]
    if isinstance(node, ast.JoinedStr):
        return [
            "".join(str(one.value) if isinstance(one, ast.Constant) else "*" for one in node.values)
        ]
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []
