"""What a person does with a site's templates: find, lock, edit, import, roll back, compare, forget."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff
from json import dumps

from sitecrawl.errors import TemplateError
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.family import Family
from sitecrawl.templates.template import Template

_REMEDY = "see scrapy templates list"


def versions(model: SiteModel) -> Iterator[tuple[Family, Template]]:
    """Every version of every template of a site, oldest first within its family."""
    for family in model.families:
        for version in family.versions:
            yield family, version


def find(model: SiteModel, name: str, version: int | None = None) -> tuple[Family, Template]:
    """Family and version named; without a number the one that answers. Raises TemplateError when there is none."""
    for family in model.families:
        if family.name == name:
            found = (
                family.current if version is None else next((v for v in family.versions if v.version == version), None)
            )
            if found is not None:
                return family, found
    raise TemplateError(f"{model.site}/{name}" + (f" version {version}" if version else ""), "not found", _REMEDY)


def lock(model: SiteModel, name: str, locked: bool = True) -> Template:
    """Lock the version that answers, or unlock it: induction and drift leave a locked one alone."""
    _, template = find(model, name)
    template.locked = locked
    return template


def put(model: SiteModel, template: Template) -> Template:
    """Put an edited or imported template on the shelf as the newest version of its family; it answers from now on."""
    family = next((family for family in model.families if family.name == template.name), None)
    if family is None:
        family = Family(template.name)
        family.cluster.add(template.signature)
        model.families.append(family)
    template.site = model.site or template.site
    family.put(template)
    return template


def roll_back(model: SiteModel, name: str, version: int) -> Template:
    """Let an older version answer again."""
    family, template = find(model, name, version)
    family.trust(template)
    return template


def difference(model: SiteModel, name: str, old: int, new: int) -> str:
    """What changed between two versions, as a unified diff of their documents."""
    one, other = (_readable(find(model, name, version)[1]) for version in (old, new))
    return "\n".join(unified_diff(one, other, f"version {old}", f"version {new}", lineterm="", n=1))


def _readable(template: Template) -> list[str]:
    data = template.to_dict()
    for name in ("signature", "furniture", "pages"):
        data.pop(name)
    return dumps(data, ensure_ascii=False, indent=1).splitlines()
