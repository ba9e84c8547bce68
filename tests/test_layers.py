"""Imports point down only, and the pure rooms know neither Scrapy nor the outside world."""

from __future__ import annotations

import pytest

from tests.source import imports, modules

LAYERS = {
    "sitecrawl.errors": 0,
    "sitecrawl.limits": 0,
    "sitecrawl.resources": 0,
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
    "sitecrawl.cluster": 4,
    "sitecrawl.exporters": 4,
    "sitecrawl.demo": 5,
    "sitecrawl.commands": 5,
    "sitecrawl.report": 5,
    "sitecrawl.__main__": 5,
}
ROOMS = ("sitecrawl.links", "sitecrawl.extract", "sitecrawl.templates")
FORBIDDEN_BELOW_3 = set(
    "scrapy twisted time random os socket subprocess pickle requests urllib.request tempfile".split()
)
FRAMEWORK = {"scrapy", "twisted"}
"""What only the glue of layer 4 and the commands above it may know."""
OUR_MODULES = {name: path for name, path in modules().items() if name != "sitecrawl"}


def layer(name: str) -> int:
    known = [room for room in LAYERS if name == room or name.startswith((room + ".", room + "_"))]
    assert known, f"{name} stands in no layer: add its room to LAYERS and to ARCHITECTURE.md"
    return LAYERS[max(known, key=len)]


@pytest.mark.parametrize("name", sorted(OUR_MODULES))
def test_imports_point_down(name: str) -> None:
    for target in imports(OUR_MODULES[name]):
        if target.startswith("sitecrawl."):
            assert layer(target) <= layer(name), f"{name} imports {target}, which stands above it"


@pytest.mark.parametrize("name", sorted(OUR_MODULES))
def test_rooms_do_not_know_one_another(name: str) -> None:
    own = [room for room in ROOMS if name.startswith(room)]
    for target in imports(OUR_MODULES[name]):
        foreign = [room for room in ROOMS if target.startswith(room) and room not in own]
        assert not (own and foreign), (
            f"{name} imports {target}: what two rooms need goes down to dom, what joins them up"
        )


@pytest.mark.parametrize("name", sorted(name for name in OUR_MODULES if layer(name) < 3))
def test_pure_layers_import_nothing_impure(name: str) -> None:
    for target in imports(OUR_MODULES[name]):
        roots = {target, target.split(".")[0]}
        assert not roots & FORBIDDEN_BELOW_3, f"{name} imports {target}"


@pytest.mark.parametrize("name", sorted(name for name in OUR_MODULES if layer(name) < 4))
def test_a_crawl_needs_no_scrapy(name: str) -> None:
    assert not {target.split(".")[0] for target in imports(OUR_MODULES[name])} & FRAMEWORK


def test_no_import_cycle() -> None:
    graph = {name: {t for t in imports(path) if t in OUR_MODULES and t != name} for name, path in OUR_MODULES.items()}
    while graph:
        leaves = {name for name, targets in graph.items() if not targets & graph.keys()}
        assert leaves, f"import cycle among {sorted(graph)}"
        graph = {name: targets for name, targets in graph.items() if name not in leaves}
