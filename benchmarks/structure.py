"""Structure that Markdown keeps: headings, code, lists, tables, links, pictures, captions, formulas
of bodies, beside another tool. An element of a page belongs to its body where its text stands in
that of the truth, beside most of the body's paragraphs. A tool keeps it where its Markdown has the
same text in that form; a formula where its Markdown has the LaTeX that the page tells. The table
has the share that is kept of each kind."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from urllib.parse import unquote

from lxml import etree

import sitecrawl
from benchmarks import model_sets
from benchmarks.harness import Example, Table, asked, mean, site_examples, site_names
from sitecrawl.dom.encoding import decode
from sitecrawl.text.names import squeeze

KINDS = {
    "headings": ("h2 h3 h4 h5", r"^#+ .*"),
    "code": ("pre", r"^ *```[\s\S]*?^ *```"),
    "lists": ("li", r"^\s*(?:[-*+]|\d+[.)]) .*"),
    "tables": ("td th", r"^.*\|.*$"),
    "links": ("a", r"\[[^\]]*\]\("),
    "captions": ("figcaption", r"^.*$"),
    "formulas": ("annotation script", r"^.*$"),
}
"""Kind to the elements of it, and to what holds their text in Markdown."""
_URL = re.compile(r"[^\s,]+\.[^\s,]+")
_NOT_SHOWN = re.compile(r"\s*[a-zA-Z]:|\s*file:")  # a path of its author's disk
_SIGN = re.compile(r"smiley|emoji|smilie")  # classes of pictures that stand for a sign of the text
_PICTURE = re.compile(r"!\[[^\]]*\]\(<?([^)\s>]+)")


def wanted(example: Example, *, shortest: int = 4, long: int = 40) -> Iterator[tuple[str, str]]:
    """Kind and text of each element of the body: of what stands beside most of its ``long``
    paragraphs; pictures by the ends of all their URLs, since one may wait for a script."""
    root, said, beside = (
        etree.HTML(decode(example.body)[0]),
        squeeze(example.text),
        Counter[etree._Element](),
    )
    kinds = {tag: kind for kind, (tags, _) in KINDS.items() for tag in tags.split()}
    for node in root.iter("p", "pre") if root is not None else ():
        text, parent = squeeze("".join(node.itertext())), node.getparent()
        if parent is not None and len(text) >= long and text in said:
            beside[parent] += len(text)
    for container, _ in beside.most_common(1):
        for node in container.iter("img", *kinds):
            tag, text = str(node.tag), squeeze("".join(node.itertext()))
            is_leaf = (
                tag == "pre"
                or next(node.iterdescendants("p", "div", "br", "pre", "li", "td"), None) is None
            )
            if kinds.get(tag) == "formulas":
                if re.search("x-tex|math/tex", node.get("encoding") or node.get("type") or ""):
                    yield "formulas", text
            elif tag == "img" and _is_picture(node):
                part = next(
                    one for one in (node, *node.iterancestors()) if one.getparent() is container
                )
                files = "\n".join(
                    map(
                        _file,
                        _URL.findall("\n".join(str(value)[:2_000] for value in node.values())),
                    )
                )
                if (
                    files and squeeze("".join(part.itertext())) in said
                ):  # else it belongs to a box with other text
                    yield "pictures", files
            elif not text.isdigit() and is_leaf and len(text) >= shortest and text in said:
                yield kinds[tag], text


def _is_picture(node: etree._Element) -> bool:
    """Whether readers see a picture, and no sign: a smiley is text."""
    shown = _NOT_SHOWN.match(node.get("src") or "") is None
    return shown and _SIGN.search(node.get("class") or "") is None


def _file(url: str) -> str:
    return unquote(url.split("?")[0].rpartition("/")[2])


def kept(markdown: str, elements: list[tuple[str, str]]) -> Iterator[tuple[str, bool]]:
    """Kind of each element, and whether the Markdown has it in its form."""
    held = {
        kind: "\n".join(map(squeeze, re.findall(form, markdown, re.M)))
        for kind, (_, form) in KINDS.items()
    }
    pictures = set(map(_file, _PICTURE.findall(markdown)))
    for kind, text in elements:
        yield (
            kind,
            not pictures.isdisjoint(text.split("\n")) if kind == "pictures" else text in held[kind],
        )


def ours(html: str, url: str) -> str:
    return sitecrawl.extract(html, url).articleBodyMarkdown


def trafilatura(html: str, url: str) -> str:
    given = {"include_links": True, "include_images": True, "include_formatting": True}
    return (
        import_module("trafilatura").extract(html, url=url, output_format="markdown", **given) or ""
    )


def main(arguments: list[str]) -> None:
    told = "pages of open sites, those with formulas, then those of most kinds first"
    pages = asked(__doc__, arguments, pages=(100, told)).pages
    examples = [
        (one, list(wanted(one))) for name in site_names("open") for one in site_examples(name)[:24]
    ]
    examples.sort(
        key=lambda one: (
            -len({kind for kind, _ in one[1]}) - 9 * any(kind == "formulas" for kind, _ in one[1])
        )
    )
    table = Table("tool")
    for tool in (ours, *[trafilatura] * bool(find_spec("trafilatura"))):
        counts = defaultdict[str, list[bool]](list)
        for example, elements in examples[:pages]:
            for kind, is_kept in kept(tool(decode(example.body)[0], example.url), elements):
                counts[kind].append(is_kept)
        shares = {kind: mean(map(float, found)) for kind, found in counts.items()}
        seen = model_sets.marks_of({example.site for example, _ in examples[:pages]})
        table.add(tool.__name__, **shares, **(seen if tool is ours else {}))
    table.add("elements", **{kind: len(found) for kind, found in counts.items()})
