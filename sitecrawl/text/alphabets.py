"""Letters by which text in a wrong encoding is told from text in the right one."""

from __future__ import annotations

ALPHABETS = {
    "cp1252": (
        "àâæçéèêëîïôœùûüÿ",
        "áéíñóúü",
        "àáâãçéêíóôõúü",
        "äöüß",
        "åäöøæé",
        "àèéìíòóù",
        "áðéíóúýþæö",
        "àçèéíïòóúü",
    ),
    "cp1250": ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čćđšž", "ăâîşţ"),
    "iso8859-2": ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čćđšž", "ăâîşţ"),
    "cp1254": ("çğıi̇öşü",),
    "cp1257": ("ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž"),
}
"""Letters beyond ASCII of the languages written in Latin letters, by encoding; the first is what browsers assume."""

COMMON = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去"
    "法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业"
    "外将两高间由问最新月市區這個們來為國說時會對過發後裡種經麼學現當沒動還進樣開從實軍無與長機關點業將兩間問"
    "이다는을가에의를고하은지로도한기사리라나시어해인서니자들대아일정보수그있게면"
)
"""What Chinese and Korean texts are written in for a good part: the commonest ideographs and syllables."""
