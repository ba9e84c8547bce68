"""URLs that change something are never requested, whatever names them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitecrawl.urls.actions import performs_action
from tests.crawl.driver import Crawl, Network
from tests.pages import article_page, listing_page

ACTIONS = [
    "/logout", "/user/logout/", "/index.php/abmelden", "/wp-login.php?action=logout", "/wp-admin/post.php",
    "/admin/articles/5", "/cart", "/cart/add/5", "/shop/warenkorb", "/panier/", "/checkout/cart/",
    "/vote/17", "/story/vote?id=17", "/poll.php?vote=3", "/comment/like/99", "/delete/5", "/posts/5/delete?confirm=1",
    "/node/7?action=delete", "/forum.php?do=subscribe&t=5", "/newsletter/unsubscribe", "/?add-to-cart=12",
    "/api.php?cmd=add&id=3", "/users/sign_in", "/connexion", "/Account/LogOff", "/abstimmen/12", "/?delete=4",
    "/unsubscribe/x7f2", "/me-gusta/55", "/suscribir?id=1", "/compra/anadir/5", "/usuario/desconectar", "/cart/9",
]  # fmt: skip
PAGES = [
    "/sport/basket/", "/basket/12", "/salir/", "/ocio/sortir", "/report/7",
    "/", "/news/how-to-vote", "/vote/", "/vote/2024/", "/vote/2024/05/", "/politics/vote-on-budget-12", "/admin-reform-passes",
    "/cart-industry/12", "/add/", "/2024/05/delete-your-account.html", "/news?page=2", "/?p=12", "/like-a-rolling-stone",
    "/subscribe", "/archive.php?year=2023", "/rate-cuts/17", "/forum.php?do=list&t=5", "/?action=view", "/administration/news/5",
    "/carter/5", "/opinion/unlike-others",
]  # fmt: skip


@pytest.mark.parametrize("path", ACTIONS)
def test_actions_are_known_by_the_table(path: str) -> None:
    assert performs_action(f"http://news.example{path}")


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_none(path: str) -> None:
    assert not performs_action(f"http://news.example{path}")


@pytest.mark.parametrize(
    "name",
    [
        '<a href="{}">The harbour bridge opens to cyclists</a>',
        '<button data-url="{}">x</button>',
        '<i hx-get="{}"></i>',
        """<i onclick="location.href='{}'">x</i>""",
        '<form action="{}"><button>x</button></form>',
        '<turbo-frame src="{}"></turbo-frame>',
        '<link rel="next" href="{}">',
    ],
)
def test_no_action_is_requested_whatever_names_it(tmp_path: Path, name: str) -> None:
    actions = [path for path in ACTIONS if "?" not in path or "<form" not in name]
    named = "".join(name.format(path) for path in actions)
    front = listing_page(range(4)).replace("</body>", f"{named}</body>")
    pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(4)} | {"/": front}
    crawl = Crawl.of(Network(dict(pages)), tmp_path)
    crawl.run()
    assert len(crawl.feed) == 4
    assert not set(actions) & set(crawl.network.asked)
