"""What a person does with a site's templates: find, lock, edit, import, roll back, compare,
forget."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches, unified_diff
from json import dumps
from typing import Any

from sitecrawl.errors import TemplateError
from sitecrawl.extras.overrides.by_hand import ALIASES, address_of
from sitecrawl.items.article import ITEM_FIELDS
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.address import is_address
from sitecrawl.templates.family import TemplateFamily
from sitecrawl.templates.template import NO_CUT, Body, Field, Template

_FIELD_NAME = re.compile(
    r"[^\W\d][\w-]{0,40}"
)  # a word, which is safe as a key of JSON and on a command line
_REMEDY = "see sitecrawl templates list"


def versions(model: SiteModel) -> Iterator[tuple[TemplateFamily, Template]]:
    """Every version of every template of a site, oldest first within its family."""
    for family in model.families:
        for version in family.versions:
            yield family, version


def find(
    model: SiteModel, name: str, *, version: int | None = None
) -> tuple[TemplateFamily, Template]:
    """The family and version named; without a number the version in use. Raises TemplateError if
    there is none."""
    if (family := model.families.named(name)) is not None:
        numbered = (one for one in family.versions if one.version == version)
        if (found := family.current if version is None else next(numbered, None)) is not None:
            return family, found
    raise TemplateError(
        f"{model.site}/{name}" + (f" version {version}" if version else ""), "not found", _REMEDY
    )


def lock(model: SiteModel, name: str, *, locked: bool = True) -> Template:
    """Lock or unlock the version that answers. Induction and drift do not replace a locked
    version."""
    family, template = find(model, name)
    template.locked, family.edits = locked, family.edits + 1
    return template


def put(model: SiteModel, template: Template) -> Template:
    """Add an edited or imported template as the newest version of its family; it answers from now
    on. Where the body moved, the lengths of the old bodies are forgotten: checked against them, the
    new ones would count as wrong."""
    template.site = model.site or template.site
    family = model.families.named(template.name) or _new_family(model, template)
    old, seen = family.current, template.to_dict()["statistics"]
    if (
        old
        and old.body.addresses != template.body.addresses
        and old.to_dict()["statistics"] == seen
    ):
        template.statistics = {
            name: seen[name] for name in seen if name == "pages" or name.startswith("has_")
        }
    family.put(template)
    return template


def _new_family(model: SiteModel, template: Template) -> TemplateFamily:
    family = TemplateFamily(template.name)
    if template.signature:
        family.cluster.add(template.signature)
    model.families.append(family)
    return family


def take_in(model: SiteModel, template: Template) -> bool:
    """Add a template from a document with its version, state and locks; returns whether anything
    was new. A hand-written one without a version becomes the newest and answers. If the version
    exists already, it is kept if both are equal; else the new one gets the next number."""
    family = model.families.named(template.name)
    same = (
        [one for one in family.versions if compared_parts(one) == compared_parts(template)]
        if family
        else []
    )
    if any(one.version == template.version or not template.version for one in same):
        return False
    if not template.version:
        put(model, template)
        return True
    template.site = model.site or template.site
    (family or _new_family(model, template)).take_in(template)
    return True


def compared_parts(template: Template) -> dict[str, Any]:
    """The parts of a template that a person would compare, without its history."""
    document = template.to_dict()
    document["body"].pop("known", None)
    return {
        name: document[name] for name in ("kind", "locked", "body", "fields", "extra", "records")
    }


def set_field(template: Template, name: str, *, source: str) -> Template:
    """A copy that reads a field first at ``source``. For the body it becomes the only place, and
    rules by position are removed. Raises TemplateError if templates cannot read the field ``name``,
    or ``source`` is invalid."""
    edited = Template.from_dict(template.to_dict())
    name, address = ALIASES.get(name, name), address_of(source)
    if name == "articleBody":
        _check(
            is_address(address) and "/@" not in address,
            source,
            reason="not the place of an element",
        )
        named = [rule for rule in edited.body.without if rule.startswith(".//")]
        edited.body = Body([address], named, edited.body.fixed_texts)
        return edited
    row = ITEM_FIELDS.get(name)
    _check(row is None or row.kind.has_place, name, reason="not a field that a template reads")
    _check(bool(_FIELD_NAME.fullmatch(name)), name[:60], reason="not a name of a field")
    like = (
        get_close_matches(name, ITEM_FIELDS, 1, 0.85)
        if row is None and name not in edited.extra
        else []
    )
    _check(
        not like,
        name,
        reason=f"too like a field of items for a field of your own; did you mean {' '.join(like)}?",
    )
    rules = edited.fields if row is not None else edited.extra
    old = rules.get(name, Field({}))
    # a place with a label would be read without it
    rest = {one: ends for one, ends in old.sources.items() if one != address and not old.label}
    rules[name] = Field({address: NO_CUT} | rest, month_first=old.month_first)
    return edited


def _check(good: bool, what: str, *, reason: str) -> None:
    if not good:
        raise TemplateError(what, reason, "see docs/templates.md")


def roll_back(model: SiteModel, name: str, *, version: int) -> Template:
    """Let an older version answer again. A lock moves to it, since a locked version always
    answers."""
    family, template = find(model, name, version=version)
    locked = any(one.locked for one in family.versions)
    for one in family.versions:
        one.locked = locked and one is template
    family.trust(template)
    family.edits += 1
    return template


def difference(model: SiteModel, name: str, *, old: int, new: int) -> str:
    """What changed between two versions, as a unified diff of their documents."""
    found = (shown_parts(find(model, name, version=version)[1]) for version in (old, new))
    one, other = (dumps(parts, ensure_ascii=False, indent=1).splitlines() for parts in found)
    return "\n".join(unified_diff(one, other, f"version {old}", f"version {new}", lineterm="", n=1))


def shown_parts(template: Template) -> dict[str, Any]:
    """The document of a template without the parts that no person reads."""
    hidden = ("signature", "furniture", "pages")
    return {name: value for name, value in template.to_dict().items() if name not in hidden}
