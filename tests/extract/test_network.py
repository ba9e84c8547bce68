"""The trainer of the block model on points of our own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import train_blocks, train_headline, train_judge
from benchmarks.model_sets import FILES
from benchmarks.network import Dropping, Rows, card_of, train, write_network
from sitecrawl.dom.parse import parse
from sitecrawl.extract.features import block_features
from sitecrawl.extract.weights import PROTOCOL, load_model
from sitecrawl.extras.training.dataset import digest
from sitecrawl.resources import model_path
from tests.pages import article_page
from tests.source import ROOT

FLOORS = {
    "blocks.npz": 0.95,  # right blocks
    "headline.npz": 0.6,  # right headlines; the least is of forums with the headline taken away
    "links.npz": 0.84,  # precision, recall and F1 of articles and sections
    "page_type.json": 0.93,  # right pages
    "page_confidence.json": 0.5,  # right answers, answers that say .9 or more, right ones of these
    "template_confidence.json": 0.75,
    "judge.json": 0.9,  # precision, recall
}
"""The least of the held-out figures that a shipped model may have."""


def test_a_network_learns_what_no_line_parts() -> None:
    points = np.random.default_rng(1).normal(size=(100_000, 3)).astype(np.float32)
    labels = (points[:, 0] * points[:, 1] > 0).astype(np.float32)
    network = train(
        Rows(points, labels, np.ones(len(points), np.float32)),
        units=16,
        dropping=Dropping(0.0),
        seed=0,
    )
    units = np.maximum(points @ network.hidden + network.hidden_bias, 0)
    right = (units @ network.out + network.out_bias > 0) == (labels > 0)
    assert right.mean() > 0.85


def test_the_same_seed_gives_the_same_network() -> None:
    points = np.random.default_rng(2).normal(size=(100, 3)).astype(np.float32)
    rows = Rows(points, (points[:, 0] > 0).astype(np.float32), np.ones(100, np.float32))
    first, second = (
        train(rows, units=4, dropping=Dropping(0.2, 0.2, [np.array([1, 2])]), seed=5)
        for _ in range(2)
    )
    assert all(np.array_equal(a, b) for a, b in zip(first.arrays, second.arrays, strict=True))


def small(seed: int) -> train_blocks.Labelled:
    """The blocks of a page of our own, those of some length being its body."""
    page = parse(article_page(seed))
    return train_blocks.Labelled(
        f"s{seed}",
        block_features(page, 0).astype(np.float32),
        (page.document.blocks.words > 20).astype(np.float64),
        page.document.blocks.words,
    )


def test_a_block_model_is_rebuilt_byte_by_byte(tmp_path: Path) -> None:
    features, labels, weight, _ = train_blocks.table([small(n) for n in range(6)])
    files = [tmp_path / "one.npz", tmp_path / "two.npz"]
    for file in files:
        card = card_of(train_blocks.COMMAND, features, labels, weight, pages=6)
        write_network(file, PROTOCOL, model=train_blocks.fit(features, labels, weight), card=card)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert ((load_model(files[0]).predict(features) > 0.5) == (labels > 0.5)).mean() > 0.9
    with np.load(files[0]) as arrays:
        card = json.loads(str(arrays["card"]))
    assert card["command"] == "python -m benchmarks train_blocks --validate"
    assert (len(card["training_digest"]), card["pages"]) == (64, 6)
    labels[0] = 1 - labels[0]
    assert card_of("x", features, labels, weight)["training_digest"] != card["training_digest"]


def test_a_headline_model_is_rebuilt_byte_by_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = np.random.default_rng(3)
    pages = [
        train_headline.Choice(
            "a", chance.normal(size=(5, 4)).astype(np.float32), np.arange(5) == at % 5, False
        )
        for at in range(20)
    ]
    monkeypatch.setattr(
        train_headline, "DROPPED", Dropping(0.1)
    )  # its groups are columns of real pages
    for name in ("one.npz", "two.npz"):
        write_network(tmp_path / name, 3, model=train_headline.fit(pages, networks=2), card={})
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_the_shipped_judge_comes_out_of_its_command(tmp_path: Path) -> None:
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for file in files:
        train_judge.main(["-o", str(file)])
    assert files[0].read_bytes() == files[1].read_bytes()
    shipped, found = (json.loads(path.read_text()) for path in (model_path("judge.json"), files[0]))
    assert found["weights"] == pytest.approx(
        shipped["weights"], rel=1e-3
    )  # the last digits are the library's
    assert found["card"] == shipped["card"]
    assert found["card"]["open, by folds"]["precision"] > 0.9


@pytest.mark.parametrize("name", FILES)
def test_a_shipped_model_says_how_it_was_made(name: str) -> None:
    """Its command, the version, the digest of what it learned from, and figures of sites that it
    had not seen, none of them lower than its floor."""
    path = ROOT / "models" / name
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            card = json.loads(str(arrays["card"]))
    else:
        card = json.loads(path.read_text())["card"]
    assert card["version"] == version("scrapy-sitecrawl")
    assert len(card["training_digest"]) == 64
    assert f"`{card['command']}" in (ROOT / "models" / "README.md").read_text()
    figures = list(
        _numbers(card.get("held out") or card.get("open, by folds") or card["validated by site"])
    )
    assert figures
    assert min(figures) >= FLOORS[name], card
    if name == "links.npz":
        assert card["training_digest"] == digest([ROOT / "training_data"])


def _numbers(card: Any) -> Iterator[float]:
    """The figures of a card."""
    for one in card.values() if isinstance(card, dict) else card if isinstance(card, list) else ():
        yield from _numbers(one)
    if isinstance(card, float):
        yield card
