"""The sentences of the demonstration site: places, subjects and phrases, put together by number."""

from __future__ import annotations

PLACES = (
    "the old harbour",
    "the west pier",
    "the market hall",
    "the river park",
    "the tram depot",
    "the observatory",
    "the north library",
    "the glass house",
)
SUBJECTS = (
    "ferry line",
    "night market",
    "bicycle bridge",
    "school garden",
    "city archive",
    "flood wall",
    "reading room",
    "weather station",
    "song contest",
)
VERBS = (
    "opens again",
    "closes for repairs",
    "finds a new home",
    "wins a prize",
    "turns fifty",
    "needs volunteers",
    "starts a trial",
    "goes digital",
)
AUTHORS = ("Mara Lindqvist", "Tomas Weir", "Ines Calado", "Jun Okabe")
_SENTENCES = (
    "After months of talks, the council agreed on {day} to pay for the {subject} at {place}, and work began the same week.",
    "Residents who came to the hearing asked, above all, who would keep the {subject} clean once the first crowds were gone.",
    "The engineer in charge said that {place} had been measured twice, because the first plans were drawn before the last flood.",
    "Nobody expects the {subject} to earn money soon; it is meant, as the mayor put it, to bring people back to {place}.",
    "A class of the nearby school counted visitors for {number} days and handed its figures, neatly bound, to the planners.",
    "Older neighbours remember a {subject} that stood here until the fire, and some of them brought photographs.",
    "If the trial goes well, a second {subject} may follow next year, although the money for it has not been found.",
    "The costs, about {number} thousand crowns, are shared between the city and the association of shopkeepers.",
)
ZH_PLACES = ("老港口", "西码头", "中心市场", "滨河公园", "电车库", "天文台", "城北图书馆", "玻璃温室")
ZH_SUBJECTS = ("轮渡航线", "夜间集市", "自行车桥", "校园菜地", "城市档案馆", "防洪墙", "阅览室", "气象站", "歌唱比赛")
ZH_VERBS = ("重新开放", "停工维修", "迁入新址", "获得奖项", "迎来五十周年", "招募志愿者", "开始试运行", "实现数字化")
_ZH_SENTENCES = (
    "经过几个月的讨论，市议会同意为{place}的{subject}拨款，施工在当周就开始了。",
    "参加听证会的居民最关心的是，第一批游客离开以后，由谁来负责{subject}的清洁。",
    "负责工程的技术人员说，{place}已经测量了两次，因为最初的图纸画在上一次洪水之前。",
    "没有人指望{subject}很快盈利；市长说，建设它是为了让人们重新回到{place}。",
    "附近学校的一个班级用{number}天统计了来访人数，并把整理好的数字交给了规划人员。",
    "年长的邻居还记得，火灾之前这里就有过一个{subject}，有人还带来了老照片。",
    "如果试运行顺利，明年可能再建一个{subject}，不过资金还没有着落。",
    "费用大约为{number}万元，由市政府和商户协会共同承担。",
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


def headline(number: int) -> str:
    """The headline of an English story.

    >>> headline(0)
    'Ferry line at the old harbour opens again'
    """
    subject, place, verb = SUBJECTS[number % 9], PLACES[number % 8], VERBS[(number // 3) % 8]
    return f"{subject.capitalize()} at {place} {verb}"


def zh_headline(number: int) -> str:
    """The headline of a Chinese story."""
    return f"{ZH_PLACES[number % 8]}{ZH_SUBJECTS[number % 9]}{ZH_VERBS[(number // 3) % 8]}"


def paragraphs(number: int, count: int) -> list[str]:
    """English paragraphs, three sentences each."""
    words = {"place": PLACES[number % 8], "subject": SUBJECTS[number % 9], "day": _DAYS[number % 5]}
    return [_paragraph(_SENTENCES, number + 3 * at, words, " ") for at in range(count)]


def zh_paragraphs(number: int, count: int) -> list[str]:
    """Chinese paragraphs, three sentences each."""
    words = {"place": ZH_PLACES[number % 8], "subject": ZH_SUBJECTS[number % 9]}
    return [_paragraph(_ZH_SENTENCES, number + 3 * at, words, "") for at in range(count)]


def _paragraph(sentences: tuple[str, ...], at: int, words: dict[str, str], glue: str) -> str:
    chosen = [sentences[(at + step * 3) % len(sentences)] for step in range(3)]
    return glue.join(sentence.format(number=(at * 7) % 90 + 10, **words) for sentence in chosen)
