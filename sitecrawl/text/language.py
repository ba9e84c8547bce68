"""The language of a page, and word and letter lists by language, as data: function words, letters by encoding, the commonest characters.

The function words of European languages, Chinese and Japanese are lists of our own, casefolded; those of Chinese and Japanese
hold single characters, as ``chars.standard_tokens`` returns them. Names of months and days: ``calendar_names``."""

from __future__ import annotations

import re

_CODE = re.compile(r"^[a-z]{2,3}(?:[-_][A-Za-z]{2,8})*$", re.I)
_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
)
_ENOUGH = 0.1


def language_of(declared: str, text: str) -> str | None:
    """A BCP 47 code; a declaration that the script contradicts is overruled, Latin script without one gives None.

    >>> language_of("en-US", "Plain words"), language_of("en", "今天的新闻都在这里")
    ('en-US', 'zh')
    """
    sample = text[:2000]
    seen = next(
        (code for code, script in _SCRIPTS if len(script.findall(sample)) > _ENOUGH * max(1, len(sample))), None
    )
    code = declared.strip() if _CODE.match(declared.strip()) else ""
    if seen and not code.casefold().startswith(
        (seen, "uk", "bg", "sr", "be", "mk", "fa", "ur") if seen != "zh" else ("zh", "ja", "ko")
    ):
        return seen
    return code or None


_WORDS = {
    "en": "the of and to a in is it its was that this these those for on are as with be been being by at from or an not but "
    "have has had he she they we you i me him her them us his their our your my which who whom whose what when where why how "
    "there here if then than so do does did can could will would may might must shall should about after before into over "
    "under between through during against without within no nor only also very more most some any all each every both other "
    "such own same too just up down out off again once because while until one two new first last many much own even still "
    "were am upon now since per like well back around however although though yet another few less it's don't i'm said say says make made makes get got go "
    "going come came take took see know think want need use used using good time people year years work way day thing things "
    "something really right little long different great find give set look part number next must later old several",
    "de": "der die das den dem des ein eine einer eines einem einen und oder aber auch nicht noch nur schon so wie als wenn "
    "dass daß weil denn da dann doch sehr mehr ist sind war waren sein seine seiner seinen hat haben hatte hatten wird werden "
    "wurde wurden worden kann können konnte soll sollen sollte muss müssen will wollen ich du er sie es wir ihr ihre ihren "
    "ihrer mich mir sich uns man mit von vom zu zum zur in im an am auf aus bei beim nach vor für um über unter durch gegen "
    "ohne bis seit zwischen wegen kein keine keinen dieser diese dieses diesem diesen jeder alle alles was wer wo hier dort "
    "jetzt immer wieder bereits damit dabei dazu davon etwa ab sowie zwei nun",
    "fr": "le la les l un une des du de d et ou où mais ni car donc or à a au aux en dans par pour sur sous avec sans chez "
    "vers entre depuis pendant avant après contre ce cet cette ces c qui que qu quoi dont lequel je j tu il elle on nous vous "
    "ils elles me m te t se s lui leur leurs y mon ma mes ton ta tes son sa ses notre nos votre vos ne n pas plus moins très "
    "trop peu aussi même tout tous toute toutes si est sont était étaient être été ai as ont avait avaient avoir eu fait "
    "faire peut peuvent doit comme quand alors ainsi encore déjà toujours jamais rien bien autre autres deux là ici cela ça "
    "lors puis selon afin sera",
    "es": "el la los las lo un una unos unas de del al a en y e o u pero sino ni que qué quien como cómo cuando cuándo donde "
    "dónde porque por para con sin sobre entre hasta desde hacia según durante ante tras contra se me te le les nos os yo tú "
    "él ella ellos ellas nosotros usted mi mis tu tus su sus nuestro nuestra nuestros este esta esto estos estas ese esa eso "
    "esos esas aquel no sí ya muy más menos tan tanto también tampoco todo toda todos todas otro otra otros otras mismo es "
    "son era eran ser sido está están estaba estar fue fueron ha han había haber he hay hace hacer tiene tienen puede pueden "
    "si aunque mientras pues así solo sólo siempre nunca cada algo nada dos bien",
    "it": "il lo la i gli le l un uno una di del dello della dei degli delle dell a al allo alla ai agli alle all da dal "
    "dalla dai dalle dall in nel nello nella nei nelle nell su sul sulla sui sulle sull con per tra fra e ed o ma se che chi "
    "cui come quando dove perché quindi anche ancora già non più meno molto poco tanto così solo sempre mai io tu lui lei noi "
    "voi loro mi ti ci vi si ne suo sua suoi sue nostro nostra questo questa questi queste quello quella quelli quelle tutto "
    "tutti tutte altro altri è sono era erano essere stato stata stati state ha hanno aveva avere ho abbiamo fa fare può "
    "possono deve dopo prima senza contro verso durante secondo ogni due c d quanto mentre oppure dopo né",
    "pt": "o a os as um uma uns umas de do da dos das em no na nos nas num numa por pelo pela pelos pelas para com sem sob "
    "sobre entre até desde após contra durante ao aos à às e ou mas nem que quem qual como quando onde porque pois se não sim "
    "mais menos muito muita muitos também já ainda só sempre nunca eu tu ele ela eles elas nós você vocês me te lhe lhes nos "
    "meu minha seu sua seus suas nosso nossa este esta isto esse essa isso estes estas aquele aquela todo toda todos todas "
    "outro outra outros outras mesmo é são era eram ser sido foi foram está estão estava estar tem têm tinha ter há havia pode "
    "podem fazer faz vai vão cada tudo nada dois assim então embora enquanto depois antes bem",
    "nl": "de het een en of maar want dus dat die dit deze wat wie waar hoe wanneer als dan toen omdat terwijl ik jij je hij "
    "zij ze wij we u jullie me mij hem haar hun hen ons onze mijn jouw uw zijn is was waren ben bent wordt worden werd werden "
    "geworden heeft hebben had hadden heb kan kunnen kon zal zullen zou zouden moet moeten mag wil willen van voor in op aan "
    "met bij naar uit over onder tussen door tegen zonder na tot te ten ter om er daar hier niet geen wel ook nog al zo zeer "
    "meer veel alle alles andere zelf zich men nu weer steeds altijd heel bij sinds per binnen tijdens vanaf via toch "
    "echter namelijk eerst twee dan",
    "cs": "a i ale nebo ani že aby když jako jak kde kdo co který která které kteří kterou jehož jejich jeho její je jsou byl "
    "byla bylo byli být bude budou by jsem jsme jste není nejsou má mají měl měla může mohou se si to ten ta ty tento tato "
    "toto tyto toho tomu tím těch tom v ve na z ze s se k ke o u od do po pro při před přes za pod nad mezi bez kvůli podle "
    "proti než už jen jenom také taky ještě však tak tedy proto protože pokud či ne nic vše všechny všech každý jiný svůj své "
    "svou mu ho mi mě nás nám vám vás on ona ono my vy oni já ty tam tady zde nyní pak potom dva velmi více asi ovšem",
    "pl": "i a ale lub oraz ani że żeby aby gdy kiedy jak jako gdzie kto co który która które którzy których którą którym jego "
    "jej ich jest są był była było były być będzie będą by nie ma mają miał może mogą można się to ten ta te tej tego temu "
    "tym tych tę tą w we na z ze do od po o u za przez przed przy pod nad między bez dla przeciw podczas według niż już tylko "
    "także też jeszcze jednak tak więc dlatego ponieważ bo jeśli czy nic wszystko wszystkie każdy inny swój swoje mu mi mnie "
    "nas nam go im on ona ono my wy oni ja ty tam tu teraz potem dwa bardzo więcej mniej około zaś choć właśnie sobie siebie",
    "ru": "и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее её мне было вот от меня "
    "еще ещё нет о об из ему теперь когда даже ну ли если уже или ни быть был него до вас нибудь опять вам ведь там потом "
    "себя ничего ей может они тут где есть надо ней для мы тебя их чем была сам чтоб без будто чего раз тоже себе под будет "
    "ж тогда кто этот того потому этого какой ним здесь этом один почти мой тем чтобы нее были куда зачем всех при наконец "
    "два другой хоть после над больше тот через эти эта это нас про них какая много разве этой перед того свою которые "
    "который которая также можно между более этих",
    "hu": "a az egy és s is nem ne hogy de ha meg vagy mint csak már még el ki be fel le van volt vannak voltak lesz lett "
    "volna lenne kell lehet ez ezt azt ezek azok ennek annak ebben abban erre arra aki akik ami amely amelyek amit mely itt "
    "ott most így úgy sem se én te ő mi ti ők őket nekem neki nekik magát maga mert pedig után alatt között szerint által "
    "miatt felett mellett előtt ellen nélkül felé óta kívül össze vissza át minden mindig több nagyon igen akkor ezért azonban "
    "hiszen illetve valamint tehát azért amikor ahol hol mikor két más sok egyik másik ilyen olyan saját majd mégis",
    "sv": "och i att det som en ett på är av för med den till inte om de har var men han hon jag vi ni du man sig så från vid "
    "kan när hade eller efter sin sina sitt ut upp nu även där ska skulle över under mellan genom mot utan bara mer mycket "
    "alla andra annan hans hennes deras dem denna detta dessa vad vem hur varför också än då här blir blev bli varit vara "
    "finns kunde vill måste får få göra gör sedan innan dock samt både ännu redan in ur oss er mig dig min din vår något "
    "några någon ingen inga varje två eftersom medan trots",
    "da": "og i at det er en et den til på som for med af de ikke der var han hun jeg vi du man sig så fra ved kan da har "
    "havde eller efter sin sit sine ud op nu også hvor skal skulle over under mellem gennem mod uden kun mere meget alle "
    "andre anden hans hendes deres dem denne dette disse hvad hvem hvordan hvorfor end når her bliver blev blive været være "
    "findes kunne vil ville må få får gøre gør siden før dog samt både endnu allerede ind os jer mig dig min din vores noget "
    "nogle nogen ingen hver to fordi mens trods om men jo",
    "fi": "ja on ei se että oli hän mutta ovat joka kun niin myös kuin ole sen jos tai sekä olla olisi ollut olivat voi voivat "
    "vain jo nyt sitä siitä siinä tämä tämän tässä tästä tätä nämä ne niitä niiden mitä mikä kuka jotka jonka jossa josta jota "
    "joita minä sinä me te he minun sinun hänen meidän heidän itse hyvin vielä aina kanssa ennen jälkeen mukaan kautta aikana "
    "ilman vastaan yli alle välillä koska vaikka eli vaan eikä eivät en emme kaikki kaikkien muun muut muita muiden toinen "
    "yksi kaksi joten siis kuitenkin tällä siellä täällä siihen enää paljon enemmän noin lisäksi sitten",
    "zh": "的 了 是 在 不 和 有 这 我 他 也 就 都 而 及 与 着 或 之 为 以 于 对 等 从 到 把 被 但 并 很 会 能 可 要 还 又 那 你 她 它 们 "
    "个 一 来 说 去 时 地 得 没 如 所 其 由 将 让 给 因 此 比 更 最 已 只 后 向 吧 吗 呢 啊 使 里 么 过 则 若 且 该 每 各 些 什 何 "
    "這 個 們 對 從 來 說 時 沒 讓 給 會 為 與 還 後 過 於 並 將 著 嗎 麼 則 該 裡",
    "ja": "の に は を た が で て と し れ さ も な だ か ら ま す い る り こ そ よ へ ば ず ね や っ う ん く け ど つ あ お え み せ め "
    "この その これ それ",
}

STOP_WORDS = {code: frozenset(words.split()) for code, words in _WORDS.items()}
"""ISO 639-1 code to the function words of the language."""

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
