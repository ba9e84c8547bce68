"""What does not belong to an article among the blocks that the network keeps: one list of steps, each
of which leaves out one kind of text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from sitecrawl.dom.blocks import BITS, Flags, Floats
from sitecrawl.dom.class_names import names_one_of, words_of
from sitecrawl.dom.document import Document
from sitecrawl.dom.link_labels import LONGEST_LINKED, label_of_links
from sitecrawl.dom.outside import (
    ADVERTISING,
    LONGEST_NOTE,
    is_ad_label,
    label_of,
    mentions_advertising,
    outside_elements,
)
from sitecrawl.dom.page import Page, names_author
from sitecrawl.dom.render import leads_to_page
from sitecrawl.dom.tree import HEADINGS
from sitecrawl.extract.bylines import is_byline
from sitecrawl.extract.fields import SOURCE_LABEL
from sitecrawl.extract.published import Dated
from sitecrawl.text.announcements import COMMENTS, STORIES, label_kind
from sitecrawl.text.chars import words
from sitecrawl.text.dates import ANNOUNCED, find_date, has_relative, tells_minute
from sitecrawl.text.names import squeeze

_BYLINE_BLOCKS = 6  # blocks around the headline of another article that may name author and day
_BYLINE_WORDS = 16  # of the longest of them
_MOST_HEADINGS = 50  # that may begin another article
_OWN_WORDS = 15  # words of an article before another one may begin
_MOSTLY_LINKED = 0.5  # share of its characters that are its link
_GRAM = 6  # words of a run that is compared with the text above
_COPY = 40  # words of the shortest text that is given a second time
_COPIED = 0.4  # share of a text that is given a second time
_OPENING = 30  # characters by which texts are compared first
_MAY_BE_COPY = (
    0.2  # share of a text that begins as another above, from which it is compared in full
)
_MOST_COPIES = 2  # of one text: for narrow screens, and for printers
_SAME = 0.8  # share of the runs of a copied block that stand above
_RECORD_HEAD = 10  # words of the longest line with the name and the time of a comment
_MOST_HEADS = 100  # such lines of a page that are read
_MOST_BYLINES = 4  # lines between a headline and its text that name author and day
_MOST_MORE = 40  # characters beside a day
_MOST_FACTS = 12  # texts of a row of facts about the article
_CLOCK_CHARS = 16  # beside a day: of its time and its day of the week
_SIGNS = 8  # characters between the links of a line with a date
_LIST_LINKED = 0.8  # share of the characters of a list of links that are links
_LABEL_WORDS = 6  # of the label of such a list
_MOST_LISTS = 20  # texts at the end of a body that may be such lists
_LEAST_LISTED = 3  # links of such lists
_LEAST_ABOVE = 0.4  # share of a text above its footer
_EXCERPT_WORDS = 20  # of the shortest first text that may be an excerpt
_EXCERPT_LABEL = 20  # characters of the label above one
_SURE = 0.9  # probability of a first text from which only the beginning of the text repeats it
_LEAST_COMMENTED = 0.15  # words of an article by those of its comments

_ROWS = ("tr", "ul", "ol", "dl")
_WITH_FOOTERS = ("article", "main", "section", "blockquote", "figure", "li")
_names_footer = names_one_of(words_of("footers", "legal lines"))


class Belonging(NamedTuple):
    """The blocks that belong to an article, and those that its readers said."""

    kept: Flags
    said: Flags


def without_foreign(
    page: Page,
    kept: Flags,
    *,
    scores: Floats,
    headline: int,
    dated: Dated | None,
) -> Belonging:
    """``kept`` without what does not belong to the article; ``headline`` is the number of its block,
    or -1."""
    kept = without_outside(page, kept, headline=headline)
    kept = without_beyond(page, kept, headline=headline)
    kept = without_footer(page, kept)
    kept = without_advertising(page, kept)
    kept = without_promotions(page, kept)
    kept = without_comments(page, kept)
    kept = without_next_article(page, kept, headline=headline)
    before = kept
    kept = without_discussion(page, kept)
    said = before & ~kept
    kept = without_copy(page, kept)
    kept = without_cards(page, kept)
    kept = without_bylines(page, dated, kept=kept, headline=headline)
    kept = without_link_lists(page, kept)
    kept = without_link_boxes(page, kept, headline=headline)
    return Belonging(without_excerpt(page, scores, kept=kept), said)


def without_outside(page: Page, kept: Flags, *, headline: int) -> Flags:
    """``kept`` without elements that are in no article: dialogs, players, boxes to sign up. One that
    holds the headline, or all that is kept, is the page itself."""
    document = page.document
    first, last = document.ranges
    without = kept.copy()
    texts = document.blocks.texts
    title = texts[headline] if headline >= 0 else ""
    for node in outside_elements(page.root, document, url=page.url, title=title):
        at = document.number.get(node, 0)
        begin, end = int(first[at]), int(last[at])
        if at and not begin <= headline < end:
            without[begin:end] = False
    return without if without.any() else kept


def without_beyond(page: Page, kept: Flags, *, headline: int) -> Flags:
    """``kept`` without what stands above the first menu of the page or below its last footer, where
    the headline stands between them: what asks for consent is often longer than the article."""
    document = page.document
    own = int(document.blocks.owner[headline]) if headline >= 0 else 0
    first, last = document.ranges
    without = kept.copy()
    for menu in document.tagged("nav")[:1]:
        if menu < own:
            without[: int(first[menu])] = False
    for foot in document.tagged("footer")[-1:]:
        # articles and quotations have footers of their own
        around = {document.tags[above] for above in document.ancestors(foot)}
        if own < foot and around.isdisjoint(_WITH_FOOTERS):
            without[int(last[foot]) :] = False
    return without if own and without.any() else kept


def without_footer(page: Page, kept: Flags) -> Flags:
    """``kept`` without its last texts, if they stand in an element that is called a footer and holds
    none of the others: who may copy the text, and where the publisher lives."""
    document = page.document
    places = np.flatnonzero(kept)
    last = int(document.blocks.owner[places[-1]]) if len(places) else 0
    if not document.above[last] & BITS["foot"]:
        return kept
    first, _ = document.ranges
    for at in (last, *document.ancestors(last)):
        above = kept.copy()
        above[int(first[at]) :] = False
        rest = document.blocks.words[above].sum()
        if rest < max(_OWN_WORDS, _LEAST_ABOVE * document.blocks.words[kept].sum()):
            break
        if _names_footer(document.names[at]):
            return above
    return kept


def without_advertising(page: Page, kept: Flags) -> Flags:
    """``kept`` without lines that say that an advertisement stands there."""
    blocks = page.document.blocks
    texts = blocks.texts
    short = np.flatnonzero(kept & (blocks.chars <= LONGEST_NOTE)).tolist()
    if not ADVERTISING.search("\n".join([texts[at] for at in short])):
        return kept
    lines = [at for at in short if mentions_advertising(texts[at])]
    counts = Counter([texts[at] for at in lines])
    labels = {at for at in lines if is_ad_label(texts[at])}
    heading = page.document.heading_blocks
    without = kept.copy()
    for at in lines:
        is_note = at in labels or counts[texts[at]] > 1 or bool(labels)
        without[at] = bool(heading[at]) or not is_note
    return without


def without_promotions(page: Page, kept: Flags) -> Flags:
    """``kept`` without paragraphs that are a label of other stories and links to some."""
    document = page.document
    blocks = document.blocks
    linked = kept & (blocks.link_chars >= _MOSTLY_LINKED * blocks.chars)
    places = [
        at
        for at in np.flatnonzero(linked & (blocks.chars <= LONGEST_LINKED)).tolist()
        if label_kind(blocks.texts[at]) == STORIES
        and label_of_links(document, at, base_url=page.base_url)
    ]
    if not places:
        return kept
    without = kept.copy()
    without[places] = False
    return without if without.any() else kept


def without_next_article(page: Page, kept: Flags, *, headline: int) -> Flags:
    """``kept`` without another article below the first: a heading like the headline, or a further
    ``article`` with a heading, that has a by-line of its own. The posts of a thread are its text."""
    if headline < 0 or page.is_forum:
        return kept
    document = page.document
    start = _heading_of(document, int(document.blocks.owner[headline]))
    places = np.flatnonzero(kept)
    before = (document.blocks.words * kept).cumsum()
    for heading in _headings_like(document, start):
        at = document.block_at(heading)
        if at <= headline or before[at - 1] < _OWN_WORDS or places[-1] <= at:
            continue
        begin = _begin_apart(document, heading, apart=start)
        has_own_text = before[-1] - before[at] >= _OWN_WORDS
        if begin and has_own_text and _has_byline(document, at):
            without = kept.copy()
            without[begin:] = False
            if (document.blocks.words * without).sum() >= _OWN_WORDS:
                return without
    return kept


def _heading_of(document: Document, at: int) -> int:
    """The heading that an element is in, else the element."""
    for above in (at, *document.ancestors(at)[:3]):
        if document.tags[above] in HEADINGS:
            return above
    return at


def _headings_like(document: Document, start: int) -> list[int]:
    """Headings below the headline that may be those of other articles: of the first level, with its
    tag and class, or the first of an ``article`` beside its own."""
    tags, classes = document.tags, document.attributes["class"]
    own = classes.get(start)
    found = set(document.tagged("h1"))
    if own and tags[start] in HEADINGS:
        found.update([at for at in document.tagged(tags[start]) if classes.get(at) == own])
    around = [at for at in document.ancestors(start) if tags[at] == "article"]
    if around:
        end = document.ends[around[-1]]
        for other in document.tagged("article"):
            if other < end:
                continue
            found.add(document.heading_in(other))
    return sorted([at for at in found if at > start])[:_MOST_HEADINGS]


def _begin_apart(document: Document, heading: int, *, apart: int) -> int:
    """The first block of the largest element around a heading that does not hold ``apart``; 0 if it
    is the heading itself: then it is a section of the same text."""
    begin = heading
    while document.parents[begin] > 0 and not (
        document.parents[begin] <= apart < document.ends[document.parents[begin]]
    ):
        begin = document.parents[begin]
    return document.block_at(begin) if begin != heading else 0


def _has_byline(document: Document, at: int) -> bool:
    """Whether a short line around a heading names a day or an author."""
    blocks = document.blocks
    stop = min(at + _BYLINE_BLOCKS, len(blocks))
    lines = [number for number in range(max(0, at - 2), stop) if number != at]
    short = [number for number in lines if blocks.words[number] <= _BYLINE_WORDS]
    rel, classes, tags = document.attributes["rel"], document.attributes["class"], document.tags
    for number in short:
        owner = int(blocks.owner[number])
        inner = range(owner, min(document.ends[owner], owner + 8))
        if find_date(blocks.texts[number]) or has_relative(blocks.texts[number]):
            return True
        for one in inner:
            is_author = "author" in rel.get(one, "") or names_author(classes.get(one, ""))
            if is_author or tags[one] == "time":
                return True
    return False


def without_discussion(page: Page, kept: Flags) -> Flags:
    """``kept`` without comments below the article whose elements have no telling names: like elements,
    each with a line of name and time above its text and without a heading, below a label of comments
    or with a button each. Of the posts of a thread only these lines leave, if they tell the minute."""
    if page.is_forum or not kept.any():
        return kept
    document = page.document
    blocks = document.blocks
    without = kept.copy()
    for heads in _units_by_kind(page, kept):
        begin = document.block_at(next(iter(heads)))
        label = any(
            label_kind(text) == COMMENTS for text in blocks.texts[max(0, begin - 3) : begin]
        )
        if label or _have_buttons(document, heads):
            rest = _without_units(document, heads, kept=kept)
            if label or not rest[begin:].any():
                said = float(blocks.words[kept & ~rest].sum())
                if blocks.words[rest].sum() >= _LEAST_COMMENTED * said:
                    return rest
        elif all(tells_minute(blocks.texts[head]) for head in heads.values()):
            # days alone are those of events
            without[list(heads.values())] = False
    return without


def _without_units(document: Document, units: Iterable[int], *, kept: Flags) -> Flags:
    """``kept`` without the texts of some elements."""
    first, last = document.ranges
    without = kept.copy()
    for unit in units:
        without[int(first[unit]) : int(last[unit])] = False
    return without


def _units_by_kind(page: Page, kept: Flags) -> Iterator[dict[int, int]]:
    """Elements of one kind that may be comments, two or more, each with its line of name and time,
    which stands above a kept text; none has a heading."""
    document = page.document
    blocks = document.blocks
    first, last = document.ranges
    # the text follows its line, or a rating between them
    is_above = np.zeros(len(kept) + 2, bool)
    is_above[:-2] = kept
    is_above = is_above[1:-1] | is_above[2:]
    likely = is_above & (blocks.words <= _RECORD_HEAD) & (blocks.digits > 0)
    likely[: int(kept.argmax())] = False
    if likely.sum() < 2:
        return
    heads = [
        at
        for at in np.flatnonzero(likely)[:_MOST_HEADS].tolist()
        if _names_and_dates(" ".join(document.chunks[blocks.start[at] : blocks.stop[at]]))
    ]
    if len(heads) < 2:
        return
    headings = document.heading_blocks
    kinds = defaultdict[Hashable, dict[int, int]](dict)
    limit = {*heads}
    for head in heads:
        for at in [int(blocks.owner[head]), *document.ancestors(int(blocks.owner[head]))][:6]:
            begin, end = int(first[at]), int(last[at])
            inside = range(begin, end)
            if len(limit.intersection(inside)) > 1 or headings[begin:end].any():
                break
            if kept[head + 1 : end].any() and head - begin <= 2:
                kinds[document.tags[at], document.attributes["class"].get(at)][at] = head
                break
    for units in kinds.values():
        if len(units) > 1:
            yield units


def _names_and_dates(text: str) -> bool:
    """Whether a short line holds a time and, besides it, a name.

    >>> [_names_and_dates(text) for text in ("ann 3 hours ago", "3 May 2024", "小明 2024-05-03")]
    [True, False, True]
    """
    found = find_date(text)
    if found:
        rest = text[: found[1]] + text[found[2] :]
        # a Chinese name may have two letters, of three bytes each
        return len("".join(filter(str.isalpha, rest)).encode()) > 2
    return has_relative(text)


def _have_buttons(document: Document, units: Iterable[int]) -> bool:
    """Whether all elements have a button."""
    return all(document.below(unit, "button") for unit in units)


def _again(openings: list[str], sizes: Floats) -> float:
    """The words of texts whose openings stood above, by those of the others."""
    above = set[str]()
    again = 0.0
    for opening, size in zip(openings, sizes.tolist(), strict=True):
        if opening in above:
            again += size
        above.add(opening)
    return again / max(1.0, float(sizes.sum()) - again)


def without_copy(page: Page, kept: Flags) -> Flags:
    """``kept`` without a second copy of the text, which pages hold for narrow screens and for printers.
    A refrain, and a quotation of the text above, are no copy: it stands in an element of its own, and
    is two fifths of all. What stands more than three times, with small changes, are the steps of
    something, such as listings of a program that runs. Posts of a forum quote one another."""
    blocks = page.document.blocks
    places = [at for at in np.flatnonzero(kept).tolist() if blocks.words[at] >= _GRAM]
    openings = [blocks.texts[at][:_OPENING] for at in places]
    if len({*openings}) == len(openings) or _again(openings, blocks.words[places]) < _MAY_BE_COPY:
        return kept
    if page.is_forum:
        return kept
    copied = _copied_blocks(page, places)
    # a refrain is one text, however often it stands
    sizes = {blocks.texts[at]: float(blocks.words[at]) for at in copied}
    again = sum(sizes.values())
    once = float(blocks.words[kept].sum() - blocks.words[copied].sum())
    if again < max(_COPY, _COPIED * once):
        return kept
    without = kept.copy()
    without[copied] = False
    short = set(np.flatnonzero(kept).tolist()).difference(places)
    above = {blocks.texts[at] for at in short if at < copied[0]}
    for at in short:
        without[at] = not (copied[0] < at <= copied[-1] and blocks.texts[at] in above)
    return without


def _copied_blocks(page: Page, places: Sequence[int]) -> list[int]:
    """The blocks whose runs of words stand in blocks above that are of other elements; none if a
    block comes again more than ``_MOST_COPIES`` times."""
    blocks = page.document.blocks
    parents = page.document.arrays.around.take(blocks.owner).tolist()
    seen = dict[tuple[str, ...], int]()  # runs of words, and the block that had each first
    copied = list[int]()
    copies = Counter[int]()  # how often the text of a block comes again
    own = set[int]()
    tails = defaultdict[int, list[str]](list)  # of the texts of an element: copies may be one text
    for at in places:
        spoken = tails[parents[at]] + words(blocks.texts[at])
        tails[parents[at]] = spoken[1 - _GRAM :]
        grams = set(zip(*[spoken[shift:] for shift in range(_GRAM)], strict=False))
        known = grams & seen.keys()
        is_same = bool(grams) and len(known) >= _SAME * len(grams)
        if is_same and parents[at] not in own:
            copied.append(at)
            copies[seen[min(known)]] += 1
        else:
            own.add(parents[at])
            seen |= dict.fromkeys(grams - known, at)
    return [] if max(copies.values(), default=0) > _MOST_COPIES else copied


def without_comments(page: Page, kept: Flags) -> Flags:
    """``kept`` without the comments below an article. The posts of a forum are kept, since they are
    its text. Text with few words beside its comments is an opening post with replies, which are
    kept."""
    document = page.document
    blocks = document.blocks
    comments = kept & ((document.above[blocks.owner] & BITS["comment"]) != 0)
    if page.is_forum or not comments.any():
        return kept
    said = blocks.words[comments].sum()
    begin = int(comments.argmax())
    is_article = blocks.words[:begin][kept[:begin]].sum() >= _LEAST_COMMENTED * said
    return kept & ~comments if is_article else kept


def without_cards(page: Page, kept: Flags) -> Flags:
    """``kept`` without excerpts of other pages below the article: the texts of like elements side
    by side, each with one heading, which leads to another page. Where such a heading is kept, the
    page is a list. The posts of a thread may have headings that lead to their authors."""
    if page.is_forum or (page.leading & kept).any() or not kept.any():
        return kept
    document = page.document
    parents = document.parents
    first, last = document.ranges
    before = np.concatenate(([0], document.heading_blocks.cumsum()))
    counts = before[last] - before[first]
    classes = document.attributes["class"]
    cards = defaultdict[Hashable, list[int]](list)
    for card in document.blocks.owner[page.leading].tolist():
        while card and counts[parents[card]] == 1:
            card = parents[card]
        cards[parents[card], document.tags[card], classes.get(card)].append(card)
    without = kept.copy()
    for alike in cards.values():
        for card in alike if len(alike) > 1 else ():
            without[first[card] : last[card]] = False
    is_below = without[int(kept.argmax())]
    return without if is_below else kept


def without_bylines(page: Page, dated: Dated | None, *, kept: Flags, headline: int) -> Flags:
    """``kept`` without the short lines between the headline and the text that name author or day. A
    line with a day has a word that announces it, names the source, or has nothing but links
    besides. With it leave the labelled facts in its row. Other days there are often part of the
    text, as those of events."""
    document = page.document
    blocks = document.blocks
    places = np.flatnonzero(kept).tolist()
    day = -1
    raw = ""
    row = range(0)
    if dated is not None and dated.origin == "text" and dated.node is not None:
        day = document.block_at(document.number.get(dated.node, -1))
        raw = dated.raw
        row = _row_around(document, day)
    without = kept.copy()
    for at in places[: min(_MOST_BYLINES, len(places) - 1)]:
        text = blocks.texts[at]
        if at in row:
            is_line = True
        elif at == day:
            linked = float(blocks.link_chars[at])
            more = len(text) - len(raw)
            # behind a name a day alone is that of the article
            is_alone = more <= _CLOCK_CHARS and at != places[0]
            is_line = more <= _MOST_MORE and (is_alone or _announces_day(text, more, linked=linked))
        else:
            is_line = 0 <= headline < at <= headline + _BYLINE_BLOCKS and is_byline(text)
        if not is_line:
            break
        without[at] = False
    return without


def _announces_day(text: str, more: int, *, linked: float) -> bool:
    """Whether a line with a day and ``more`` characters says that it is the day of publication, or
    names the source; or the rest are links, to print the page and the like, and signs between."""
    if 0 < linked >= more - _SIGNS:
        return True
    return bool(ANNOUNCED.search(text) or SOURCE_LABEL.search(text))


def _row_around(document: Document, day: int) -> range:
    """The blocks of the element around a day, such as a row of a table or a list, if each is a label
    with its value, or one of the two; else none."""
    around = document.parents[int(document.blocks.owner[day])]
    first, last = document.ranges
    row = range(int(first[around]), int(last[around]))
    if not 1 < len(row) <= _MOST_FACTS:
        return range(0)
    is_value = False
    for text in document.blocks.texts[row.start : row.stop]:
        is_label = text.endswith((":", "："))
        if not (is_label or is_value or label_of(text)[0]):
            return range(0)
        is_value = is_label
    return row


def without_link_lists(page: Page, kept: Flags) -> Flags:
    """``kept`` without lists of other pages of the host below the text, and their labels. A page
    of which they are the larger part keeps them."""
    blocks = page.document.blocks
    places = np.flatnonzero(kept).tolist()
    linked = blocks.link_chars >= _LIST_LINKED * blocks.chars
    begin = len(places)
    links = 0
    for number in range(len(places) - 1, max(0, len(places) - _MOST_LISTS), -1):
        at = places[number]
        if linked[at]:
            found = _links_to_host(page, at)
            if not found:
                break
            links += found
            begin = number
        elif blocks.words[at] <= _LABEL_WORDS and blocks.texts[at].endswith((":", "：")):
            begin = number
        else:
            break
    if links < _LEAST_LISTED:
        return kept
    without = kept.copy()
    without[places[begin:]] = False
    return _larger_part(page, without, kept=kept)


def _larger_part(page: Page, without: Flags, *, kept: Flags) -> Flags:
    """``without``, if that is the larger part of what is ``kept``; else that."""
    words = page.document.blocks.words
    least = max(_OWN_WORDS, words[kept & ~without].sum())
    return without if words[without].sum() >= least else kept


def without_link_boxes(page: Page, kept: Flags, *, headline: int) -> Flags:
    """``kept`` without boxes that hold a short label and links to other pages of the host, whether
    the links are kept or not. A page of which they are the larger part keeps them."""
    document = page.document
    blocks = document.blocks
    first, last = document.ranges
    plain = blocks.link_chars < _LIST_LINKED * blocks.chars
    before = [0, *plain.cumsum().tolist()]
    without = kept.copy()
    for at in np.flatnonzero(kept & plain & (blocks.words <= _LABEL_WORDS)).tolist():
        owner = int(blocks.owner[at])
        is_around = last[owner] > first[owner] + 1
        box = owner if is_around else document.parents[owner]
        begin = first[box]
        end = last[box]
        # a heading may have a link to edit its section beside it
        is_box = (
            end - begin > 2 and before[end] - before[begin] == 1 and document.tags[box] not in _ROWS
        )
        links = [one for one in range(begin, end) if kept[one] and one != at] if is_box else []
        if is_box and at != headline and all(_links_to_host(page, one) for one in links):
            without[begin:end] = False
    return _larger_part(page, without, kept=kept)


def _links_to_host(page: Page, at: int) -> int:
    """How many links of a block lead to other pages of the host; 0 if one leads elsewhere."""
    document = page.document
    links = set[int]()
    for owner in document.owners[int(document.blocks.start[at]) : int(document.blocks.stop[at])]:
        if document.linked[owner]:
            around = [owner, *document.ancestors(owner)]
            links.update([up for up in around if document.tags[up] == "a"][:1])
    hrefs = document.values("href", sorted(links))
    # a table of contents is the author's
    leads = [leads_to_page(href or "", page.base_url) for href in hrefs]
    return len(leads) if all(leads) else 0


def without_excerpt(page: Page, scores: Floats, *, kept: Flags) -> Flags:
    """``kept`` without its first block if that is an excerpt, perhaps after a label: the text below
    begins with it, or, if the network is not sure of the block, repeats it anywhere. Authors return
    to their first quotation, and repeat short sentences: these are kept."""
    places = np.flatnonzero(kept).tolist()
    blocks = page.document.blocks
    if len(places) < 2 or blocks.words[places[0]] < _EXCERPT_WORDS:
        return kept
    first, *others = [blocks.texts[at] for at in places]
    label, _, rest = first.partition(":" if ":" in first[:_EXCERPT_LABEL] else "：")
    is_sure = scores[places[0]] >= _SURE
    text = squeeze(rest if rest and len(label) < _EXCERPT_LABEL else first)
    below = squeeze("".join(others)[: 4 * len(first) if is_sure else None])
    is_repeated = below.startswith(text) if is_sure else text in below
    if not is_repeated:
        return kept
    without = kept.copy()
    without[places[0]] = False
    return without
