"""`sitecrawl templates`: show, test, correct and share what was learned about sites."""

from __future__ import annotations

import argparse

from sitecrawl.commands._help import Help, OptionError
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.errors import nearest

_USAGE = """list | show SITE [NAME] [VERSION] | test SITE [PAGE|URL...] | set SITE[/NAME] FIELD 'CSS or XPath' [PAGE|URL...]
  | edit SITE[/NAME] [PAGE|URL...] | edit SITE NAME | lock SITE NAME | unlock SITE NAME | export SITE [FILE] | import FILE... | sync DIR | forget SITE
  | diff SITE NAME V1 V2 | rollback SITE NAME VERSION; set and sync take --dry-run"""


class TemplatesCommand(OneLineErrors):
    """Runs the action named by its first word on the templates in ``SITECRAWL_DATA_DIR``."""

    explains = Help(
        "List, show, test, edit, lock, share, compare or forget the templates of sites",
        {"ACTION": "what to do: " + " ".join(_USAGE.split())},
        (
            "sitecrawl templates list",
            "sitecrawl templates show example.com",
            "sitecrawl templates test example.com saved.html",
            "sitecrawl templates set example.com headline 'h1.title' --dry-run",
            "sitecrawl templates edit example.com",
            "sitecrawl templates sync templates/",
            "sitecrawl templates rollback example.com template-1 v1",
        ),
        {
            "-n --dry-run": "with set and sync: say what would change, change nothing",
        },
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.commands._sites import list_sites
        from sitecrawl.extras.overrides.template_actions import run_action

        if not args:
            list_sites(self.known.stores, "templates list {}")
            return
        if not run_action(self.known.stores, args, opts=opts):
            usages = " ".join(_USAGE.split()).split(" | ")
            own = [usage for usage in usages if usage.split()[0] in args[:1]]
            problem = "too few arguments" if own else "usage"
            if args and not own:
                raise OptionError(
                    f"no action {args[0]}: {nearest(args[0], [usage.split()[0] for usage in usages])}"
                )
            raise OptionError(f"{problem}: sitecrawl templates {' | '.join(own or usages)}")
