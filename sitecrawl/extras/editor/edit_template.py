"""The template editor in the browser: the draft of a template, its results on the stored pages,
undo, saving, rolling back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from difflib import ndiff
from typing import Any

from sitecrawl.crawl.site_models import site_of
from sitecrawl.crawl.store import SiteStore, Stores
from sitecrawl.dom.page import Page
from sitecrawl.errors import TemplateError
from sitecrawl.extract.single import Extraction
from sitecrawl.extras.editor.drawing import draw
from sitecrawl.extras.editor.pointing import (
    Removal,
    fitted,
    removals,
    with_body,
    with_comments,
    with_field,
)
from sitecrawl.extras.editor.server import EDITOR, EditorServer
from sitecrawl.extras.editor.taken import body_on, fields_on
from sitecrawl.extras.overrides.by_hand import document_text
from sitecrawl.extras.overrides.template_actions import pages_of_site
from sitecrawl.extras.overrides.template_edits import (
    compared_parts,
    find,
    lock,
    put,
    roll_back,
    shown_parts,
)
from sitecrawl.extras.report.markup import render
from sitecrawl.items.article import Article
from sitecrawl.limits import LIMITS
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.template import Template

ROLES = {
    "headline": "headline",
    "date": "datePublished",
    "author": "authors",
    "body": "articleBody",
    "comment": "comments",
    "not body": "",
}
"""Roles that a click can give to an element, and the item fields that they set."""
Values = dict[str, str]


def values_of(article: Article) -> Values:
    """The editable fields, each as one text."""
    return {
        "headline": article.headline or "",
        "datePublished": article.datePublished or "",
        "authors": ", ".join(author["name"] for author in article.authors),
        "articleBody": article.articleBody,
        "comments": "\n".join(f"{one.author or '?'}: {one.text}" for one in article.comments),
    }


@dataclass(slots=True)
class TemplateTrial:
    """The ``EditorPages`` of one template. ``pages`` show the effects of a change, ``open_store``
    opens the store to write. ``draft`` is the unsaved template, ``past`` holds the states for undo,
    ``before`` each page's values by the saved template."""

    model: SiteModel
    name: str
    pages: list[Page]
    open_store: Callable[[], SiteStore]
    draft: Template = field(init=False)
    past: list[Template] = field(default_factory=list)
    ways: list[Removal] = field(
        default_factory=list
    )  # rules that leave out the element of the last click
    before: list[Values] = field(default_factory=list)
    after: list[Values] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        """Start from the version in use."""
        _, current = find(self.model, self.name)
        self.draft, self.past, self.ways = current, [], []
        self.before = self.after = self._values(self.model)

    def _values(self, model: SiteModel) -> list[Values]:
        return [values_of(model.extract_page(page)) for page in self.pages]

    def page(self, number: int) -> str:
        drawn = draw(self.pages[number], every=True)
        return render(
            "template.html",
            package=EDITOR,
            number=number,
            trial=self,
            drawn=drawn,
            roles=list(ROLES),
        )

    def act(self, number: int, action: str, *, asked: dict[str, Any]) -> dict[str, Any]:
        message: str | None = ""
        if action == "say":
            try:
                self.assign(number, int(asked["element"]), role=str(asked["role"]))
            except TemplateError as error:
                message = f"{error.reason}: {error.remedy}"
        elif action == "choose":
            self.choose(int(asked["way"]))
        elif action == "rollback":
            message = self.roll_back(int(asked["version"]))
        elif action != "state":
            message = {"undo": self.undo, "save": self.save}[action]()
        return self.state(number) | {"told": message or ""}

    def assign(self, number: int, place: int, *, role: str) -> None:
        """Give the element ``place`` of page ``number`` a role. Raises TemplateError if it cannot
        have it, LookupError if it is unknown."""
        if role not in ROLES or not 0 <= place < len(self.pages[number].document):
            raise LookupError(role)
        node, ways = self.pages[number].document.nodes[place], list[Removal]()
        if role == "not body":
            ways = removals(self.draft, node, pages=self.pages)
            draft = fitted(ways[0].applied(self.draft), self.pages)
        elif role == "body":
            draft = fitted(with_body(self.draft, node, pages=self.pages), self.pages)
        elif role == "comment":
            draft = with_comments(self.draft, node, samples=[*map(Extraction, self.pages)])
        else:
            draft = with_field(self.draft, ROLES[role], node=node, pages=self.pages)
        if compared_parts(draft) != compared_parts(self.draft):
            self.past.append(self.draft)
            self._try(draft, ways)

    def choose(self, way: int) -> None:
        """Replace the last exclusion by another way of it. Raises LookupError for an unknown
        number."""
        self._try(fitted(self.ways[way].applied(self.past[-1]), self.pages), self.ways)

    def _try(self, draft: Template, ways: Sequence[Removal] = ()) -> None:
        """Read all pages with a draft."""
        self.ways = [*ways]
        shown = SiteModel.from_dict(self.model.to_dict())
        put(shown, Template.from_dict(draft.to_dict()))
        self.draft, self.after = draft, self._values(shown)

    def undo(self) -> None:
        if self.past:
            self._try(self.past.pop())

    def save(self) -> str:
        """Write the draft as a new, locked version; returns a message. Raises SitecrawlError; the
        draft is kept."""
        if not self.past:
            return "nothing to save yet"
        _, known = find(self.model, self.name)
        with self._stored() as model:
            _, latest = find(model, self.name)
            put(model, Template.from_dict(self.draft.to_dict()))
            version = lock(model, self.name).version
        told = f"; v{latest.version}, which another wrote meanwhile, no longer does" * (
            latest.version != known.version
        )
        return f"saved {self.name} v{version}, locked: it answers in the next crawl{told}"

    def roll_back(self, version: int) -> str:
        """Put an older version into use; unsaved changes are dropped. Raises SitecrawlError."""
        with self._stored() as model:
            roll_back(model, self.name, version=version)
        return f"{self.name} v{version} answers again"

    @contextmanager
    def _stored(self) -> Iterator[SiteModel]:
        """The stored site to change; it is saved, and the trial continues with it."""
        with closing(self.open_store()) as store, store.alone(self.model.site):
            model = site_of(store, self.model.site)
            yield model
            store.save(model.site, model.to_dict())
        self.model = model
        self._begin()

    def state(self, number: int) -> dict[str, Any]:
        """What the browser shows beside page ``number``: its coloured elements and values, changes
        on all pages, versions, the document."""
        family, current = find(self.model, self.name)
        return {
            "marks": marks_of(self.draft, self.pages[number]),
            "values": self.after[number],
            "pages": [
                {
                    "changes": list(changes(*pair)),
                    "found": [[name for name in one if one[name]] for one in pair],
                }
                for pair in zip(self.before, self.after, strict=True)
            ],
            "fields": [name for name in ROLES.values() if name],
            "versions": [
                {
                    "version": one.version,
                    "state": one.state.value,
                    "locked": one.locked,
                    "answers": one is current,
                }
                for one in reversed(family.versions)
            ],
            "document": document_text(shown_parts(self.draft)),
            "undo": bool(self.past),
            "ways": [asdict(way) for way in self.ways],
            "saved": compared_parts(current),
            "draft": compared_parts(self.draft),
        }


def changes(
    before: Values, after: Values, *, lines: int = 12, chars: int = 300
) -> Iterator[dict[str, Any]]:
    """The changed fields of one page: the first ``lines`` removed and added lines, each cut after
    ``chars`` characters.

    >>> list(changes({"headline": "Old"}, {"headline": "New"}))
    [{'field': 'headline', 'gone': 3, 'come': 3, 'lines': [('-', 'Old'), ('+', 'New')]}]
    """
    for name in [name for name in before if before[name] != after[name]]:
        told = ndiff(before[name].split("\n"), after[name].split("\n"), charjunk=None)
        found = [(line[0], line[2:]) for line in told if line[0] in "-+" and line[2:]]
        gone, come = (sum(len(text) for sign, text in found if sign == wanted) for wanted in "-+")
        cut = [(sign, text[:chars]) for sign, text in found[:lines]]
        yield {"field": name, "gone": gone, "come": come, "lines": cut}


def marks_of(template: Template, page: Page, *, most: int = 2_000) -> dict[str, list[int]]:
    """Numbers of the elements of a page that have each role in the template; at most ``most`` per
    role."""
    number, role_of = page.document.number, {name: role for role, name in ROLES.items()}
    found: dict[str, list[int]] = {role: [] for role in ROLES}
    for taken in (*fields_on(template, page), *body_on(template, page)):
        if taken.name in role_of:
            found[role_of[taken.name]] += [number[node] for node in taken.nodes if node in number]
    return {role: numbers[:most] for role, numbers in found.items()}


def edit_in_browser(stores: Stores, words: Sequence[str]) -> bool:
    """Serve the editor for a template of ``SITE`` or ``SITE/NAME``; False if the words are ``SITE
    NAME``, which mean the user's own editor. Raises TemplateError if the site has no template
    yet."""
    where, *names = words
    site, _, name = where.partition("/")
    with closing(stores.learned()) as store:
        model = site_of(store, site)
        if (
            not name
            and len(names) == 1
            and any(family.name == names[0] for family in model.families)
        ):
            return False
        template = find(model, name)[1] if name else next(iter(model.templates), None)
        if template is None:
            raise TemplateError(
                site,
                "no template yet",
                "crawl more of the site, or import one, see docs/templates.md",
            )
        pages = pages_of_site(model, names, family=template.name)[: LIMITS.shown_pages]
        trial = TemplateTrial(model, template.name, pages, stores.learned)
    EditorServer(trial).run(f"edit {trial.model.site}/{trial.name}")
    return True
