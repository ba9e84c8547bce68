"""Threads and comment sections written in the manner of well-known forums and blogs; the posts are
made up.

A layout is a function of posts to HTML. Names, ranks and numbers stand where those systems put
them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

NAMES = ("Ann", "Bo_77", "Cyra", "Dina", "Edgar", "Flora P.", "Gus")
RANKS = ("Member", "Senior Member", "Moderator")
WORDS = "the bridge over the river was painted by people of the street who had waited for it long enough to care".split()


@dataclass(frozen=True)
class Post:
    """A post of a made-up thread; ``number`` counts from 1 within the thread."""

    number: int
    ident: int
    author: str
    day: int
    text: str

    @property
    def iso(self) -> str:
        return f"2023-06-{self.day:02d}T10:{self.number:02d}:00"

    @property
    def user(self) -> int:
        return 100 + NAMES.index(self.author)

    @property
    def rank(self) -> str:
        return RANKS[self.user % 3]


def posts(thread: int, count: int) -> list[Post]:
    """Posts of one thread, in order of time."""
    found = []
    for number in range(1, count + 1):
        seed = thread * 11 + number * 7
        words = [WORDS[(seed + k * (1 + seed % 3)) % len(WORDS)] for k in range(14 + seed % 9)]
        text = f"Number {thread * 100 + number}: " + " ".join(words) + "."
        author = NAMES[(thread + number * number) % len(NAMES)]
        found.append(Post(number, thread * 1000 + number, author, number + 2, text))
    return found


def phpbb3(thread: Sequence[Post]) -> str:
    return "".join(
        f"""<div id="p{p.ident}" class="post has-profile bg{p.number % 2 + 1}"><div class="inner">
<dl class="postprofile" id="profile{p.ident}"><dt><div class="avatar-container"></div><a href="./memberlist.php?mode=viewprofile&amp;u={p.user}" class="username">{p.author}</a></dt>
<dd class="profile-rank">{p.rank}</dd><dd class="profile-posts"><strong>Posts:</strong> {p.user * 3}</dd><dd class="profile-joined"><strong>Joined:</strong> {p.user % 20 + 1} Mar 20{p.user % 9 + 10}, 12:0{p.user % 9}</dd></dl>
<div class="postbody"><h3><a href="#p{p.ident}">Re: A bridge</a></h3><ul class="post-buttons"><li><a href="./posting.php?mode=quote&amp;p={p.ident}">Quote</a></li></ul>
<p class="author"><a href="./viewtopic.php?p={p.ident}#p{p.ident}">#{p.number}</a> by <strong><a href="./memberlist.php?mode=viewprofile&amp;u={p.user}">{p.author}</a></strong> » {p.day} Jun 2023, 10:{p.number:02d}</p>
<div class="content">{p.text}</div><div class="signature">Drive with care, says {p.author} of the hills</div></div></div></div><hr class="divider" />"""
        for p in thread
    )


def phpbb2(thread: Sequence[Post]) -> str:
    rows = "".join(
        f"""<tr><td class="row{p.number % 2 + 1}" width="150"><span class="name"><a name="{p.ident}"></a><b>{p.author}</b></span><br />
<span class="postdetails">{p.rank}<br /><br />Joined: {p.user % 20 + 1} Mar 2012<br />Posts: {p.user * 2}</span></td>
<td class="row{p.number % 2 + 1}"><table width="100%"><tr><td><span class="postdetails">Posted: {p.day} Jun 2023 10:{p.number:02d} am</span></td>
<td><a href="posting.php?mode=quote&amp;p={p.ident}">quote</a></td></tr><tr><td colspan="2"><span class="postbody">{p.text}</span></td></tr></table></td></tr>
<tr><td class="row{p.number % 2 + 1}"><span class="nav"><a href="#top">Back to top</a></span></td><td class="row{p.number % 2 + 1}"></td></tr>
<tr><td class="spaceRow" colspan="2"></td></tr>"""
        for p in thread
    )
    return f'<table class="forumline" width="100%"><tr><th>Author</th><th>Message</th></tr>{rows}</table>'


def two_rows(thread: Sequence[Post]) -> str:
    rows = "".join(
        f"""<tr class="head"><td>#{p.number}</td><td><a href="showuser.php?uid={p.user}">{p.author}</a></td><td>{p.day:02d}.06.2023 10:{p.number:02d}</td></tr>
<tr class="message"><td colspan="3"><p>{p.text}</p></td></tr>"""
        for p in thread
    )
    return f'<table class="thread">{rows}</table>'


def vbulletin3(thread: Sequence[Post]) -> str:
    inner = "".join(
        f"""<div align="center"><div class="page"><div id="edit{p.ident}"><table id="post{p.ident}" class="tborder"><tr><td class="thead">
<div style="float:right">#<a href="showpost.php?p={p.ident}"><strong>{p.number}</strong></a></div><a name="post{p.ident}"></a>{p.day:02d}-06-2023, 10:{p.number:02d} AM</td></tr>
<tr><td class="alt2"><div id="postmenu_{p.ident}"><a class="bigusername" href="member.php?u={p.user}">{p.author}</a></div><div class="smallfont">{p.rank}</div>
<div class="smallfont"><div>Join Date: Oct 2005</div><div>Posts: {p.user * 5}</div></div></td></tr>
<tr><td class="alt1" id="td_post_{p.ident}"><div id="post_message_{p.ident}">{p.text}</div><div>__________________<br />Yours as ever</div></td></tr></table></div></div></div>"""
        for p in thread
    )
    return f'<div id="posts">{inner}</div>'


def discuz(thread: Sequence[Post]) -> str:
    inner = "".join(
        f"""<div id="post_{p.ident}"><table id="pid{p.ident}" class="plhin"><tr><td class="pls"><div class="pi"><div class="authi"><a href="space-uid-{p.user}.html" class="xw1">{p.author}</a></div></div>
<div class="avatar"><a href="space-uid-{p.user}.html"><img src="avatar.php?uid={p.user}" /></a></div><p><em>{p.rank}</em></p><dl class="pil"><dt>帖子</dt><dd>{p.user}</dd></dl></td>
<td class="plc"><div class="pi"><strong><a href="forum.php?mod=redirect&amp;pid={p.ident}"><em>{p.number}</em><sup>#</sup></a></strong><div class="pti"><div class="authi"><em id="authorposton{p.ident}">发表于 2023-6-{p.day} 10:{p.number:02d}:00</em><span class="pipe">|</span><a href="forum.php?authorid={p.user}">只看该作者</a></div></div></div>
<div class="pct"><div class="pcb"><div class="t_fsz"><table><tr><td class="t_f" id="postmessage_{p.ident}">{p.text}</td></tr></table></div></div></div></td></tr>
<tr><td class="pls"></td><td class="plc"><div class="pob"><em><a href="forum.php?action=reply">回复</a></em> <a href="forum.php?action=report">举报</a></div></td></tr></table></div>"""
        for p in thread
    )
    return f'<div id="postlist" class="pl bm">{inner}</div>'


def discourse(thread: Sequence[Post]) -> str:
    inner = "".join(
        f"""<div itemscope itemtype="http://schema.org/DiscussionForumPosting" class="topic-body crawler-post"><div class="crawler-post-meta">
<span class="creator" itemprop="author"><a itemprop="url" href="https://talk.example/u/{p.author}"><span itemprop="name">{p.author}</span></a></span>
<span class="crawler-post-infos"><time itemprop="datePublished" datetime="{p.iso}Z" class="post-time">June {p.day}, 2023, 10:{p.number:02d}am</time><span itemprop="position">#{p.number}</span></span></div>
<div class="post" itemprop="articleBody"><p>{p.text}</p></div><div itemprop="interactionStatistic"><span class="post-likes">{p.user} Likes</span></div></div>"""
        for p in thread
    )
    return f'<noscript data-path="/t/7"><div id="main-outlet" class="wrap" role="main">{inner}</div></noscript>'


def xenforo(thread: Sequence[Post]) -> str:
    return "".join(
        f"""<article class="message message--post js-post" data-author="{p.author}" id="js-post-{p.ident}"><div class="message-inner"><div class="message-cell message-cell--user"><section class="message-user">
<div class="message-avatar"><a href="/members/m.{p.user}/" class="avatar"><span class="avatar-u{p.user}">{p.author[0]}</span></a></div><div class="message-userDetails"><h4 class="message-name"><a href="/members/m.{p.user}/" class="username">{p.author}</a></h4>
<h5 class="userTitle message-userTitle">{p.rank}</h5></div><dl class="pairs"><dt>Joined</dt><dd>Mar {p.user % 20 + 1}, 2012</dd><dt>Messages</dt><dd>{p.user * 7}</dd></dl></section></div>
<div class="message-cell message-cell--main"><header class="message-attribution"><a href="/threads/7/post-{p.ident}"><time class="u-dt" datetime="{p.iso}+0000">Jun {p.day}, 2023</time></a><a href="/threads/7/post-{p.ident}">#{p.number}</a></header>
<div class="message-content"><div class="message-userContent"><article class="message-body"><div class="bbWrapper">{p.text}</div></article></div></div><footer class="message-footer"><a href="/posts/{p.ident}/react">Like</a> <a href="/posts/{p.ident}/quote">Reply</a></footer></div></div></article>"""
        for p in thread
    )


def smf(thread: Sequence[Post]) -> str:
    rows = "".join(
        f"""<tr><td><table><tr><td class="windowbg"><table><tr><td><b><a href="http://talk.example/index.php?action=profile;u={p.user}" title="View the profile of {p.author}">{p.author}</a></b><div class="smalltext">{p.rank}<br /><img alt="*" src="s.gif" /><br />Posts: {p.user}</div></td>
<td><table><tr><td><div id="subject_{p.ident}"><a href="http://talk.example/index.php?topic=7.msg{p.ident}#msg{p.ident}">Re: A bridge</a></div><div class="smalltext">« <b>Reply #{p.number} on:</b> June {p.day:02d}, 2023, 10:{p.number:02d}:00 AM »</div></td></tr></table>
<hr class="hrcolor" /><div class="post">{p.text}</div></td></tr><tr><td class="smalltext">Logged</td></tr></table></td></tr></table></td></tr>"""
        for p in thread
    )
    return f'<form id="quickModForm"><table class="bordercolor">{rows}</table></form>'


def bbpress(thread: Sequence[Post]) -> str:
    return "".join(
        f"""<div id="post-{p.ident}" class="bbp-reply-header"><div class="bbp-meta"><span class="bbp-reply-post-date">June {p.day}, 2023 at 10:{p.number:02d} am</span><a href="#post-{p.ident}" class="bbp-reply-permalink">#{p.ident}</a></div></div>
<div class="post-{p.ident} reply type-reply hentry"><div class="bbp-reply-author"><a href="/users/{p.user}/" title="View {p.author}&#039;s profile" class="bbp-author-link"><span class="bbp-author-avatar"><img alt="" src="a.png" /></span><span class="bbp-author-name">{p.author}</span></a><div class="bbp-author-role">{p.rank}</div></div>
<div class="bbp-reply-content"><p>{p.text}</p></div></div>"""
        for p in thread
    )


def wordpress(thread: Sequence[Post]) -> str:
    inner = "".join(
        f"""<li class="comment depth-1" id="comment-{p.ident}"><article id="div-comment-{p.ident}" class="comment-body"><footer class="comment-meta"><div class="comment-author vcard"><img alt="" src="g.png" class="avatar" /><b class="fn"><a href="http://{p.user}.example/" rel="external nofollow" class="url">{p.author}</a></b> <span class="says">says:</span></div>
<div class="comment-metadata"><a href="#comment-{p.ident}"><time datetime="{p.iso}+00:00">June {p.day}, 2023 at 10:{p.number:02d} am</time></a></div></footer><div class="comment-content"><p>{p.text}</p></div><div class="reply"><a class="comment-reply-link" href="?replytocom={p.ident}">Reply</a></div></article></li>"""
        for p in thread
    )
    return f'<div id="comments"><ol class="comment-list">{inner}</ol></div>'


def old_wordpress(thread: Sequence[Post]) -> str:
    inner = "".join(
        f"""<li id="comment-{p.ident}"><cite><a href="http://{p.user}.example/">{p.author}</a></cite> said:<br /><small class="commentmetadata">{p.day} June 2023 at 10:{p.number:02d}</small><p>{p.text}</p><p>So it was in {1900 + p.number}, and so it went on.</p></li>"""
        for p in thread
    )
    return f'<h3 id="comments">Comments</h3><ol class="commentlist">{inner}</ol>'


def drupal(thread: Sequence[Post]) -> str:
    inner = "".join(
        f"""<a id="comment-{p.ident}"></a><div class="comment comment-published"><h3><a href="/comment/{p.ident}#comment-{p.ident}">On bridges</a></h3>
<div class="submitted">Submitted by {f'<a href="/user/{p.user}" title="View user profile.">{p.author}</a>' if p.user % 3 else f"{p.author} (not verified)"} on {date(2023, 6, p.day):%a}, {p.day:02d}/06/2023 - 10:{p.number:02d}.</div><div class="content"><p>{p.text}</p></div><ul class="links"><li><a href="/user/login">Log in to post comments</a></li></ul></div>"""
        for p in thread
    )
    return f'<div id="comments">{inner}</div>'


def definition_list(thread: Sequence[Post]) -> str:
    inner = "".join(
        f"""<dt class="comment-author" id="c{p.ident}"><a name="c{p.ident}"></a><a href="http://{p.user}.example/" rel="nofollow">{p.author}</a> said...</dt><dd class="comment-body"><p>{p.text}</p></dd><dd class="comment-footer"><span class="comment-timestamp"><a href="#c{p.ident}">{p.day} June 2023 10:{p.number:02d}</a></span></dd>"""
        for p in thread
    )
    return f'<dl id="comments-block">{inner}</dl>'


THREADS: dict[str, Callable[[Sequence[Post]], str]] = {
    one.__name__: one
    for one in (phpbb3, phpbb2, two_rows, vbulletin3, discuz, discourse, xenforo, smf, bbpress)
}
COMMENTS: dict[str, Callable[[Sequence[Post]], str]] = {
    one.__name__: one for one in (wordpress, old_wordpress, drupal, definition_list)
}


def thread_page(layout: str, thread: int, count: int) -> str:
    """A page that is a thread, its first post opening it."""
    crumbs = (
        '<div id="nav"><a href="/">Home</a> <a href="/f">Forum</a> <a href="/f/7">Bridges</a></div>'
    )
    foot = '<div class="footer">Powered by a forum. <a href="/imprint">Imprint</a></div>'
    title = f"Bridge number {thread}"
    inner = THREADS[layout](posts(thread, count))
    return f"<html><head><title>{title} - Talk</title></head><body>{crumbs}<h1>{title}</h1>{inner}{foot}</body></html>"
