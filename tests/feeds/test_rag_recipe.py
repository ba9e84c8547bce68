"""The recipe of docs/rag.md, run as it stands there: chunks with stable ids, a loader of LangChain
and a reader of LlamaIndex."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sitecrawl
from tests.pages import article_page
from tests.test_doc_examples import DOCS, blocks


@pytest.fixture(scope="module")
def recipe() -> dict[str, Any]:
    """What the blocks of the page define."""
    code = "\n".join(text for language, text in blocks(DOCS / "rag.md") if language == "python")
    found: dict[str, Any] = {
        "html": article_page(1),
        "url": "https://a.example/1.html",
        "__name__": "rag",
    }
    exec(compile(code, "rag.md", "exec"), found)
    return found


def item_of(number: int, *, word: str = "planned") -> dict[str, Any]:
    """An article with two headings between its paragraphs."""
    html = article_page(number).replace("planned", word)
    for heading in ("What it cost", "What comes next"):
        html = html.replace("</p>\n<p>This", f"</p><h2>{heading}</h2><p>This", 1)
    return sitecrawl.extract(html, f"https://a.example/{number}.html").to_dict()


@pytest.fixture
def feed(tmp_path: Path) -> Path:
    path = tmp_path / "articles.jsonl"
    path.write_text("".join(json.dumps(item_of(number)) + "\n" for number in range(3)), "utf8")
    return path


def test_a_changed_text_keeps_the_ids_of_its_chunks(recipe: dict[str, Any]) -> None:
    first, second = (
        list(recipe["chunks"](item_of(1, word=word))) for word in ("planned", "designed")
    )
    assert [heading for _, heading, _ in first][-2:] == ["What it cost", "What comes next"]
    assert [key for key, *_ in first] == [key for key, *_ in second]
    assert [text for *_, text in first] != [text for *_, text in second]
    assert not {key for key, *_ in first} & {key for key, *_ in recipe["chunks"](item_of(2))}


def test_langchain_loads_a_feed_and_items_as_they_come(recipe: dict[str, Any], feed: Path) -> None:
    documents = recipe["SitecrawlLoader"](str(feed)).load()
    assert len({document.id for document in documents}) == len(documents) >= 9
    assert documents[0].metadata["url"] == "https://a.example/0.html"
    assert {"headline", "heading", "datePublished"} <= documents[0].metadata.keys()
    streamed = recipe["SitecrawlLoader"](item_of(number) for number in range(3)).lazy_load()
    assert [document.id for document in streamed] == [document.id for document in documents]


def test_llama_index_reads_a_feed(recipe: dict[str, Any], feed: Path) -> None:
    documents = recipe["SitecrawlReader"]().load_data(str(feed))
    assert [document.metadata["url"] for document in documents] == [
        f"https://a.example/{n}.html" for n in range(3)
    ]
    assert "## What it cost" in documents[0].text
    assert documents[0].id_ == item_of(0)["id"]


def test_loaders_are_short() -> None:
    for name in ("SitecrawlLoader", "SitecrawlReader"):
        (block,) = (text for _, text in blocks(DOCS / "rag.md") if f"class {name}" in text)
        assert len(block.splitlines()) <= 60
