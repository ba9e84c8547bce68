"""`sitecrawl templates edit SITE`: the template editor in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from sitecrawl.commands._template_actions import pages_of_site
from sitecrawl.crawl.site_models import site_of
from sitecrawl.crawl.store import Stores
from sitecrawl.errors import TemplateError
from sitecrawl.extras.editor.server import serve
from sitecrawl.extras.editor.template_trial import TemplateTrial
from sitecrawl.site.editing import find


def edit_in_browser(stores: Stores, words: Sequence[str], port: int) -> bool:
    """Serve the editor for a template of ``SITE`` or ``SITE/NAME``; False if the words are ``SITE NAME``, which mean the user's own editor. Raises
    TemplateError if the site has no template yet."""
    where, *names = words
    site, _, name = where.partition("/")
    with closing(stores.learned()) as store:
        model = site_of(store, site)
        if not name and len(names) == 1 and any(family.name == names[0] for family in model.families):
            return False
        template = find(model, name)[1] if name else next(iter(model.templates), None)
        if template is None:
            raise TemplateError(site, "no template yet", "crawl more of the site, or import one, see docs/templates.md")
        trial = TemplateTrial(model, template.name, pages_of_site(model, names, family=template.name), stores.learned)
    serve(trial, port, what=f"edit {trial.model.site}/{trial.name}")
    return True
