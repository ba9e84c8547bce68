"""``sitecrawl why URL``: why a link got its label, why a page gave its item, where a field came
from; sentences first, numbers on request."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sitecrawl.commands._help import Help, OptionError
from sitecrawl.commands._output import OneLineErrors

_PAGE = "page that holds the link, URL or file: --page https://example.com/news/ (default: the page on which a crawl found it, else the site's start page)"


class WhyCommand(OneLineErrors):
    explains = Help(
        "Say why a link got its label, why a page gave its item, where a field came from",
        {
            "[URL]": "a link or a page; if its site was crawled, the answer includes what the crawl knows; without it the sites are listed"
        },
        (
            "sitecrawl why https://example.com/news/a.html",
            "sitecrawl why https://example.com/news/a.html --page https://example.com/news/",
            "sitecrawl why https://example.com/news/a.html --field headline",
            "sitecrawl why saved.html --page-url https://example.com/news/a.html --field datePublished",
        ),
        {
            "--page": {"help": _PAGE},
            "--page-url": {
                "help": "URL of a page given as a file: --page-url https://example.com/news/"
            },
            "--field": {
                "help": "say where a field of the item came from, without the link: --field headline"
            },
            "--json": "the same as a line of JSON, with the numbers behind the sentences: --json",
        },
    )

    def act(self, args: list[str], opts: Namespace) -> None:
        from sitecrawl.commands._http import is_web
        from sitecrawl.extras.explain import evidence
        from sitecrawl.extras.explain.why_page import field_known, page_known
        from sitecrawl.links.link_model import model_at
        from sitecrawl.urls.scope import host_of

        if not args:
            from sitecrawl.commands._sites import list_sites

            list_sites(self.known.stores, "show {}")
            return
        if len(args) != 1:
            raise OptionError(
                "give the URL of one link or page, and with --page the page that holds the link"
            )
        source, settings = args[0], self.known
        facts = evidence.stored(
            settings.stores, source if is_web(source) else opts.page_url or source
        )
        found: dict[str, Any] = {}
        if is_web(source) and not opts.field:
            model = model_at(settings.link_model_of(facts.model.site or host_of(facts.url)))
            found = evidence.of_link(facts, opts, model=model)
        if opts.field or not opts.page:
            promise = found.get("scores", {}).get("article", facts.promise)
            facts, trouble = evidence.read(
                replace(facts, promise=promise),
                source,
                stores=settings.stores,
                required=bool(opts.field),
            )
            found["page_itself"] = page_known(facts)
            found["page_itself"]["sentences"] += trouble
            found |= {"field": field_known(facts, opts.field)} if opts.field else {"url": facts.url}
        if opts.json:
            print(json.dumps(found, ensure_ascii=False))
        else:
            print(*_lines(found), sep="\n")


def _lines(found: dict[str, Any]) -> Iterator[str]:
    from sitecrawl.text.chars import printable

    page = found.get("page_itself", {})
    if "sentences" in found:
        yield f"The link {printable(found['url'])}"
        sentences = [*([f"on {found['page']}"] if "page" in found else []), *found["sentences"]]
        yield from (f"  {printable(line)}" for line in sentences)
    rest = page.get("sentences", [])
    if "field" in found:
        first, *more = found["field"]["sentences"]
        yield f"The field {printable(first)}"
        rest = [*more, *rest]
    elif page:
        yield f"The page {printable(page['url'])}"
    yield from (f"  {printable(sentence)}" for sentence in rest)
