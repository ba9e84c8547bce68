"""The login form of a page, and the logins at a host."""

from __future__ import annotations

import asyncio
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, ScrapyDeprecationWarning
from scrapy.http import FormRequest, HtmlResponse, Request, Response

from sitecrawl.extras.access.access_file import Access, rule_of
from sitecrawl.extras.access.named_origins import NamedOrigins, origin_of
from sitecrawl.middlewares.page_handler import LOGIN

_FORM_ORIGIN = "sitecrawl_form_origin"  # key in `meta`: where the fields of a form may be sent
_PASSWORD = "//form//input[translate(@type, 'PASWORD', 'pasword') = 'password']"
_USER = "preceding::input[not(@type) or @type = 'text' or @type = 'email'][1]/@name"


class LoginForm(NamedTuple):
    """The names of ``user`` and ``password`` in the login form of a page, and the title of the
    page."""

    user: str | None
    password: str
    title: str | None


@dataclass(slots=True)
class Session:
    """The login of this ``number`` at a host, and how many ``pages`` came with it."""

    number: int
    done: asyncio.Future[None]
    pages: int = 0


def login_form(response: Response) -> LoginForm | None:
    """The first form with a password field; None if a page has none."""
    if not isinstance(response, HtmlResponse):
        return None
    field = response.xpath(_PASSWORD)
    if not field:
        return None
    title = response.xpath("//title/text()").get()
    return LoginForm(field[0].xpath(_USER).get(), field[0].attrib.get("name", ""), title)


class Logins:
    """Logs in at the hosts of rules with a ``login``. ``sessions`` and ``forms`` are the latest
    login of each host, and its form."""

    def __init__(self, crawler: Crawler, rules: list[Access], *, origins: NamedOrigins) -> None:
        self.crawler = crawler
        self.rules = rules
        self.origins = origins
        self.sessions: dict[str, Session] = {}
        self.forms: dict[str, LoginForm] = {}

    def begin(self, rule: Access, *, number: int) -> Session:
        """Log in once more at the host of a rule."""
        session = Session(number, asyncio.ensure_future(self._log_in(rule)))
        self.sessions[rule.host] = session
        return session

    def refuse_sent_on(self, request: Request) -> None:
        """Raise IgnoreRequest if the fields of a form would reach another origin than that of the
        form: a redirect with status 307 or 308 repeats them."""
        if request.body and request.meta.get(LOGIN):
            origin = origin_of(request.url)
            if origin is None or list(origin) != request.meta.get(_FORM_ORIGIN):
                raise IgnoreRequest("the login is sent on to another host, scheme or port")

    async def _log_in(self, rule: Access) -> None:
        """Submit the form of the login page. Raises IgnoreRequest if there is none, or if it is
        returned again."""
        page = rule.login["page"]
        form = await self._fetch(Request(page), rule)
        fields = login_form(form)
        if fields is None or not fields.user or not isinstance(form, HtmlResponse):
            raise IgnoreRequest(f"no login form at {page}")
        self.forms[rule.host] = fields
        sent = self._filled_in(form, fields, rule=rule)
        answer = await self._fetch(sent, rule)
        if answer.status >= 400 or login_form(answer):
            raise IgnoreRequest(f"the login at {page} failed")

    def _filled_in(self, form: HtmlResponse, fields: LoginForm, *, rule: Access) -> Request:
        """The request that submits a form. Raises IgnoreRequest if user and password would be seen
        by others."""
        page = rule.login["page"]
        given = {fields.user or "": rule.login["user"], fields.password: rule.login["password"]}
        with warnings.catch_warnings():
            # Scrapy names a package of its own for this from 2.19 on; older ones have none
            warnings.simplefilter("ignore", ScrapyDeprecationWarning)
            sent = FormRequest.from_response(
                form, formxpath="//form[.//input[@type='password']]", formdata=given
            )
        origin = origin_of(sent.url)
        is_own = rule_of(self.rules, sent.url) is rule and self.origins.are_named(sent.url)
        if origin is None or origin != origin_of(form.url) or not is_own:
            raise IgnoreRequest(
                f"the login form of {page} is sent to another host, scheme or port than the access file names"
            )
        if sent.method != "POST":
            raise IgnoreRequest(f"the login form of {page} would put the password into a URL")
        return sent.replace(meta={**sent.meta, _FORM_ORIGIN: list(origin)})

    async def _fetch(self, request: Request, rule: Access) -> Response:
        assert self.crawler.engine is not None
        marked: dict[str, Any] = {LOGIN: rule.host, "dont_obey_robotstxt": True}
        return await self.crawler.engine.download_async(
            request.replace(meta=request.meta | marked, dont_filter=True)
        )
