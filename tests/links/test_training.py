"""Training and labels on a small synthetic data set: records, folds by site, commands' inner
parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sitecrawl.crawl.file_entries import NamingFile
from sitecrawl.dom.parse import parse
from sitecrawl.errors import LabelError, ModelError, SitecrawlError
from sitecrawl.extras.explain.why_link import reasons
from sitecrawl.extras.training.dataset import (
    LabelledPage,
    codes,
    digest,
    label_links,
    label_links_by_feed,
    read_folders,
    read_labels,
    read_site,
    write_site,
)
from sitecrawl.extras.training.evaluation import evaluate
from sitecrawl.extras.training.fitting import Settings, cross_validate, fit_plane, samples, split
from sitecrawl.extras.training.link_models import train_and_write, train_model
from sitecrawl.links.facts import page_facts
from sitecrawl.links.link_features import FEATURES, target_features
from sitecrawl.links.link_model import PROTOCOL, STACKED, load_model, model_at, save_model, stack
from tests.pages import listing_page

FEED = b"""<rss><channel><link>http://s0.org/</link><item><link>http://s0.org/2024/05/a-1.html</link></item>
<item><link>http://s0.org/2024/05/a-2.html</link></item></channel></rss>"""


def labelled(site: str, start: int = 1) -> LabelledPage:
    facts = page_facts(parse(listing_page(range(start, start + 9)), f"http://{site}.org/city/"))
    names = [
        "article" if "/2024/" in url else "section" if url.endswith("/") else "other"
        for url in facts.urls
    ]
    return LabelledPage(site, site, facts, codes(names))


def test_records_hold_what_features_need(tmp_path: Path) -> None:
    page = labelled("s0")
    write_site(tmp_path / "s0.jsonl.gz", [page], about={})
    (back,) = read_site(tmp_path / "s0.jsonl.gz")
    assert np.array_equal(target_features(page.facts).matrix, target_features(back.facts).matrix)
    assert np.array_equal(page.target_labels(), back.target_labels())
    assert back.facts.texts == []
    first = (tmp_path / "s0.jsonl.gz").read_bytes()
    write_site(tmp_path / "s0.jsonl.gz", [page], about={})
    assert first == (tmp_path / "s0.jsonl.gz").read_bytes()
    assert len(digest([tmp_path])) == 64


def test_damaged_records_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl.gz").write_bytes(b"rubbish")
    with pytest.raises(LabelError, match="damaged"):
        read_site(tmp_path / "x.jsonl.gz")
    with pytest.raises(LabelError, match="no link records"):
        read_folders([tmp_path / "empty"])


def test_one_of_several_folders_without_records_is_refused(tmp_path: Path) -> None:
    """A misspelled folder was left out without a word, and the scores were those of the others."""
    write_site(tmp_path / "own" / "s0.jsonl.gz", [labelled("s0")], about={})
    with pytest.raises(LabelError, match="onw: no link records"):
        read_folders([tmp_path / "own", tmp_path / "onw"])


@pytest.fixture(scope="module")
def pages() -> list[LabelledPage]:
    return [labelled(f"s{n}", 1 + 9 * n) for n in range(4)]


def test_validation_holds_sites_out(pages: list[LabelledPage]) -> None:
    data, settings = samples(pages), Settings(inner_folds=2)
    for learn, held in split(data, 4):
        assert not {data[n].group for n in learn} & {data[n].group for n in held}
    steps: list[str] = []
    found = cross_validate(data, settings, folds=2, report=steps.append)
    assert all(
        (p.argmax(1) == 0)[s.labels == 2].mean() > 0.9 for p, s in zip(found, data, strict=True)
    )
    assert steps == ["validation 1 of 2", "validation 2 of 2"]


def test_the_same_data_gives_the_same_bytes(tmp_path: Path, pages: list[LabelledPage]) -> None:
    for page in pages:
        write_site(tmp_path / f"{page.site}.jsonl.gz", [page], about={})
    read = read_folders([tmp_path])
    validated = evaluate(read, cross_validate(samples(read), Settings(inner_folds=2), folds=2))
    for name in ("one.npz", "two.npz"):
        save_model(train_model(read, [tmp_path], validated=validated), tmp_path / name)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    card = load_model(tmp_path / "one.npz").card
    assert (card["training_digest"], card["protocol"]) == (digest([tmp_path]), PROTOCOL)
    assert card["validated by site"]["article f1"] > 0.9


def test_a_plane_is_the_minimum() -> None:
    chance = np.random.default_rng(0)
    rows = chance.normal(size=(200, 3)).astype(np.float32)
    plane = fit_plane(rows, rows[:, 0] - rows[:, 1] > 0.3, weights=np.full(200, 0.5))
    assert plane[0] > 1 > abs(plane[2])
    assert plane[1] < -1
    assert plane[3] < 0
    again = fit_plane(rows[::-1], (rows[:, 0] - rows[:, 1] > 0.3)[::-1], weights=np.full(200, 0.5))
    assert np.abs(plane - again).max() < 1e-12, "the order of the sums shows"


def test_labels_that_lack_something_are_refused(tmp_path: Path, pages: list[LabelledPage]) -> None:
    with pytest.raises(LabelError, match="at least 3"):
        train_model(pages[:2], [tmp_path])
    alike = [
        LabelledPage(page.site, page.group, page.facts, np.full_like(page.labels, 2))
        for page in pages
    ]
    with pytest.raises(LabelError, match="other"):
        train_model(alike, [tmp_path])


def test_a_validation_that_cannot_be_is_refused(pages: list[LabelledPage]) -> None:
    data, settings, steps = samples(pages), Settings(second=False, inner_folds=2), list[str]()
    for folds in (-3, 1):
        with pytest.raises(SitecrawlError, match="two folds"):
            cross_validate(data, settings, folds=folds)
    cross_validate(data, settings, folds=100, report=steps.append)
    assert len(steps) == len({page.group for page in pages})


def test_a_folder_is_no_file_of_a_model(tmp_path: Path, pages: list[LabelledPage]) -> None:
    for page in pages:
        write_site(tmp_path / f"{page.site}.jsonl.gz", [page], about={})
    with pytest.raises(ModelError, match="a folder"):
        train_and_write([tmp_path], tmp_path, folds=0)


def test_reasons_sum_to_the_margin() -> None:
    model, targets = model_at(""), target_features(labelled("s0").facts)
    stacked = stack(targets, model.first.margins(targets.matrix))
    assert stacked.shape[1] == len(STACKED)
    assert targets.matrix.shape[1] == len(FEATURES)
    assert model.second is not None
    total = sum(reason.weight for reason in reasons(model, targets, target=5, label=0))
    assert total + model.second.bias[0] == pytest.approx(model.margins(targets)[5, 0], abs=1e-3)


def test_labels_from_a_feed() -> None:
    facts = labelled("s0").facts
    found = dict(
        zip(
            facts.urls,
            label_links_by_feed(
                facts, [hint.url for hint in NamingFile.of(FEED).entries("http://s0.org/")]
            ).tolist(),
            strict=True,
        )
    )
    assert found["http://s0.org/2024/05/a-1.html"] == found["http://s0.org/2024/05/a-7.html"] == 2
    assert found["http://s0.org/city/page/2/"] == 1


def test_labels_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(
        '{"url": "https://s0.org/2024/05/a-1.html", "label": "article"}\n', encoding="utf-8-sig"
    )
    facts = labelled("s0").facts
    assert label_links(facts, read_labels(path)).max() == 2
    path.write_text(
        '{"url": "y", "label": "other"}\n\n{"url": "x", "label": "artcle"}', encoding="utf8"
    )
    with pytest.raises(
        LabelError, match=r"line 3 is no label .KeyError\('artcle'\).*\(article, section, other\)"
    ):
        read_labels(path)
