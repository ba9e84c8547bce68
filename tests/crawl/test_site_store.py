"""What was learned of sites: documents are kept, and it is said clearly when they cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sitecrawl.crawl.database import SITES
from sitecrawl.crawl.site_models import Sites
from sitecrawl.crawl.store import SiteStore, Stores
from sitecrawl.errors import StoreError


@pytest.fixture
def store(stores: Stores) -> Iterator[SiteStore]:
    found = stores.learned()
    yield found
    found.close()


def test_documents_are_kept_replaced_and_forgotten(store: SiteStore) -> None:
    assert store.load("b.example") is None
    store.save("b.example", {"name": "新闻"})
    store.save("a.example", {"n": 1})
    store.save("a.example", {"n": 2})
    assert store.sites() == ["a.example", "b.example"]
    assert store.load("a.example") == {"n": 2}
    assert store.load("b.example") == {"name": "新闻"}
    assert store.forget("a.example")
    assert not store.forget("a.example")


def test_what_is_forgotten_during_a_crawl_stays_forgotten(stores: Stores) -> None:
    """The next save of the crawl, at its end at the latest, brought back all of it. The next crawl
    learns the site anew."""
    for saves_before in (1, 2):
        crawl = Sites(stores.learned())
        crawl.model("a.example")
        for _ in range(saves_before):
            crawl.save("a.example")
        other = stores.learned()
        assert other.forget("a.example")
        crawl.save("a.example")
        crawl.close()
        assert other.load("a.example") is None
        other.close()
    crawl = Sites(stores.learned())
    crawl.model("a.example")
    crawl.save("a.example")
    assert crawl.store.load("a.example")
    crawl.close()


def test_what_is_saved_outlives_its_process(stores: Stores) -> None:
    one = stores.learned()
    one.save("a.example", {"n": 1})
    two = stores.learned()
    assert two.load("a.example") == {"n": 1}
    one.close()
    two.close()


@pytest.mark.parametrize(
    "content",
    [b"no database at all, just a text of some length" * 40, b"SQLite format 3\0" + b"x" * 5000],
)
def test_a_damaged_file_is_one_clear_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "templates.sqlite").write_bytes(content)
    with pytest.raises(StoreError, match=r"templates\.sqlite") as caught:
        Stores(tmp_path).learned()
    assert "\n" not in str(caught.value)


def test_another_protocol_is_refused(stores: Stores) -> None:
    store = stores.learned()
    store.db.write("UPDATE facts SET value='99'")
    store.close()
    with pytest.raises(StoreError, match="protocol 99"):
        stores.learned()


def test_a_damaged_document_is_refused_and_can_be_forgotten(store: SiteStore) -> None:
    store.db.put(SITES, site="a", document="{")
    with pytest.raises(StoreError, match="damaged document"):
        store.load("a")
    assert store.forget("a")
