"""Imports point down only, and the pure rooms know neither Scrapy nor the outside world."""

from __future__ import annotations

from collections import defaultdict

from tests.source import imports, modules

LAYERS = {
    "sitecrawl.errors": 0,
    "sitecrawl.limits": 0,
    "sitecrawl.feed_formats": 4,
    "sitecrawl.records_json": 0,
    "sitecrawl.resources": 0,
    "sitecrawl.plugins": 0,
    "sitecrawl.own_extras": 0,
    "sitecrawl.text": 0,
    "sitecrawl.urls": 0,
    "sitecrawl.items": 0,
    "sitecrawl.dom": 0,
    "sitecrawl.links": 1,
    "sitecrawl.extract": 1,
    "sitecrawl.templates": 1,
    "sitecrawl.site": 2,
    "sitecrawl.api": 2,
    "sitecrawl.crawl": 3,
    "sitecrawl.settings": 4,
    "sitecrawl.addon": 4,
    "sitecrawl.spiders": 4,
    "sitecrawl.middlewares": 4,
    "sitecrawl.extensions": 4,
    "sitecrawl.exporters": 4,
    "sitecrawl.commands": 5,
    "sitecrawl.__main__": 5,
    "sitecrawl.extras": 6,
}
ROOMS = ("sitecrawl.links", "sitecrawl.extract", "sitecrawl.templates")
FORBIDDEN_BELOW_3 = set(
    "scrapy twisted time random os socket subprocess pickle requests urllib.request tempfile".split()
)
FRAMEWORK = {"scrapy", "twisted"}
"""What only the glue of layer 4 and the commands above it may know."""
OUR_MODULES = {name: path for name, path in modules().items() if name != "sitecrawl"}


MAY_USE = {
    "agents": {"sinks"},
    "editor": {"overrides", "training", "report"},
    "fleet": {"overrides", "visits"},
    "report": {"fleet", "overrides", "visits"},
}
"""What an extra may stand on besides the core: labels are made to be trained with, the editor
changes templates and shows pages as the report draws them, the report shows templates as a person
reads them and what the schedule says of sites, the fleet obeys what a person said of page
families, and both read the records of visits."""
ALLOWED_FOLDER_CYCLES = {"sitecrawl": {"middlewares", "spiders"}}
"""Package -> children of it that still import one another in a circle."""


def layer(name: str) -> int:
    known = [room for room in LAYERS if name == room or name.startswith((room + ".", room + "_"))]
    assert known, f"{name} stands in no layer: add its room to LAYERS and to ARCHITECTURE.md"
    return LAYERS[max(known, key=len)]


def test_imports_point_down() -> None:
    for name, path in OUR_MODULES.items():
        above = [
            it for it in imports(path) if it.startswith("sitecrawl.") and layer(it) > layer(name)
        ]
        assert not above, f"{name} imports {above}, which stand above it"


def test_rooms_do_not_know_one_another() -> None:
    for name, path in OUR_MODULES.items():
        foreign = tuple(room for room in ROOMS if not name.startswith(room))
        if len(foreign) < len(ROOMS):
            met = [it for it in imports(path) if it.startswith(foreign)]
            assert not met, (
                f"{name} imports {met}: what two rooms need goes down to dom, what joins them up"
            )


def test_pure_layers_import_nothing_impure() -> None:
    for name, path in OUR_MODULES.items():
        forbidden = (
            FORBIDDEN_BELOW_3 if layer(name) < 3 else FRAMEWORK if layer(name) < 4 else set()
        )
        met = forbidden & {
            part for target in imports(path) for part in (target, target.partition(".")[0])
        }
        assert not met, f"{name} imports {met}"


def test_extras_do_not_need_one_another() -> None:
    for name, path in OUR_MODULES.items():
        if not name.startswith("sitecrawl.extras."):
            continue
        own = name.split(".")[2]
        others = {
            it.split(".")[2] for it in imports(path) if it.startswith("sitecrawl.extras.")
        } - {own}
        assert others <= MAY_USE.get(own, set()), (
            f"{name} imports {others}: what two extras need goes down to the core"
        )


def circle(graph: dict[str, set[str]]) -> set[str]:
    """The nodes on cycles of a graph and between them; those that import nothing, or that nothing
    imports, are taken away in turns."""
    while True:
        imported = set().union(*graph.values())
        left = {name: targets & graph.keys() for name, targets in graph.items() if name in imported}
        left = {name: targets for name, targets in left.items() if targets}
        if left == graph:
            return set(graph)
        graph = left


def test_no_import_cycle_of_files() -> None:
    graph = {
        name: {t for t in imports(path) if t in OUR_MODULES and t != name}
        for name, path in OUR_MODULES.items()
    }
    assert not circle(graph)


def test_no_import_cycle_of_folders() -> None:
    """In every package its children (modules, and folders taken as one) import one another without
    a circle."""
    packages = {name for name, path in modules().items() if path.name == "__init__.py"}
    for package in packages:
        graph = defaultdict[str, set[str]](set)
        for name, path in OUR_MODULES.items():
            if name.startswith(f"{package}."):
                own = child(name, package)
                inside = {
                    child(it, package) for it in imports(path) if it.startswith(f"{package}.")
                }
                graph[own] |= inside - {own}
        found = circle(dict(graph))
        assert found <= ALLOWED_FOLDER_CYCLES.get(package, set()), f"{package}: {sorted(found)}"


def child(name: str, package: str) -> str:
    """The module or folder directly in ``package`` that a dotted name leads to."""
    return name.removeprefix(f"{package}.").partition(".")[0]
