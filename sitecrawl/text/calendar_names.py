"""Month and weekday names by language, casefolded, as data: a language is a line here and nothing anywhere else.

Between the two marks stands what ``python -m benchmarks.calendar_names`` prints of Babel's CLDR data; what CLDR leaves out
stands in ``_MORE``. Twelve months, parted by ``|``, each with its spellings: nominative, genitive, abbreviation. A blank
within a name is an underscore here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# CLDR: begin
_MONTHS = {
    "af": "januarie jan|februarie feb|maart mrt|april apr|mei|junie jun|julie jul|augustus aug|september sep|oktober okt|november nov|desember des",
    "am": "ጃንዋሪ ጃን|ፌብሩዋሪ ፌብ|ማርች|ኤፕሪል ኤፕሪ|ሜይ|ጁን|ጁላይ|ኦገስት ኦገስ|ሴፕቴምበር ሴፕቴ|ኦክቶበር ኦክቶ|ኖቬምበር ኖቬም|ዲሴምበር ዲሴም",
    "ar": "يناير|فبراير|مارس|أبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر",
    "ar_DZ": "جانفي|فيفري|مارس|أفريل|ماي|جوان|جويلية|أوت|سبتمبر|أكتوبر|نوفمبر|ديسمبر",
    "ar_SY": "كانون_الثاني|شباط|آذار|نيسان|أيار|حزيران|تموز|آب|أيلول|تشرين_الأول|تشرين_الثاني|كانون_الأول",
    "ast": "xineru xin|febreru feb|marzu mar|abril abr|mayu may|xunu xun|xunetu xnt|agostu ago|setiembre set|ochobre och|payares pay|avientu avi",
    "az": "yanvar yan|fevral fev|mart mar|aprel apr|may|iyun iyn|iyul iyl|avqust avq|sentyabr sen|oktyabr okt|noyabr noy|dekabr dek",
    "be": "студзень студзеня сту|лютага люты лют|сакавіка сакавік сак|красавіка красавік кра|май мая|чэрвень чэрвеня чэр|ліпень ліпеня ліп|жнівень жніўня жні|верасень верасня вер|кастрычніка кастрычнік кас|лістапада лістапад ліс|снежань снежня сне",
    "bg": "януари яну|февруари фев|март|април апр|май|юни|юли|август авг|септември сеп|октомври окт|ноември ное|декември дек",
    "bn": "জানুয়ারী জানু|ফেব্রুয়ারী ফেব|মার্চ|এপ্রিল এপ্রি|মে|জুন|জুলাই জুল|আগস্ট আগ|সেপ্টেম্বর সেপ|অক্টোবর অক্টো|নভেম্বর নভে|ডিসেম্বর ডিসে",
    "bs": "januar jan|februar feb|mart mar|april apr|maj|juni jun|juli jul|august aug|septembar sep|oktobar okt|novembar nov|decembar dec",
    "ca": "gener gen|febrer febr|març|abril abr|maig|juny|juliol jul|agost|setembre set|octubre oct|novembre nov|desembre des",
    "cs": "leden ledna led|února únor úno|březen března bře|duben dubna dub|květen května kvě|červen června čvn|července červenec čvc|srpen srpna srp|září zář|říjen října říj|listopadu listopad lis|prosince prosinec pro",
    "cy": "ionawr ion|chwefror chwef chw|mawrth maw|ebrill ebr|mai|mehefin meh|gorffennaf gorff gor|awst|medi|hydref hyd|tachwedd tach|rhagfyr rhag",
    "da": "januar jan|februar feb|marts mar|april apr|maj|juni jun|juli jul|august aug|september sep|oktober okt|november nov|december dec",
    "de": "januar jan|februar feb|märz mär|april apr|mai|juni jun|juli jul|august aug|september sept sep|oktober okt|november nov|dezember dez",
    "de_AT": "jänner jän|februar feb|märz mär|april apr|mai|juni jun|juli jul|august aug|september sep|oktober okt|november nov|dezember dez",
    "el": "ιανουάριοσ ιανουαρίου ιαν|φεβρουάριοσ φεβρουαρίου φεβ|μάρτιοσ μαρτίου μάρ μαρ|απρίλιοσ απριλίου απρ|μαΐου μάιοσ μαΐ μάι|ιουνίου ιούνιοσ ιουν ιούν|ιουλίου ιούλιοσ ιουλ ιούλ|αυγούστου αύγουστοσ αυγ αύγ|σεπτέμβριοσ σεπτεμβρίου σεπ|οκτωβρίου οκτώβριοσ οκτ|νοέμβριοσ νοεμβρίου νοέ νοε|δεκέμβριοσ δεκεμβρίου δεκ",
    "en": "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep|october oct|november nov|december dec",
    "eo": "januaro jan|februaro feb|marto mar|aprilo apr|majo maj|junio jun|julio jul|aŭgusto aŭg|septembro sep|oktobro okt|novembro nov|decembro dec",
    "es": "enero ene|febrero feb|marzo mar|abril abr|mayo may|junio jun|julio jul|agosto ago|septiembre sept|octubre oct|noviembre nov|diciembre dic",
    "et": "jaanuar jaan|veebruar veebr|märts|aprill apr|mai|juuni|juuli|august aug|september sept|oktoober okt|november nov|detsember dets",
    "eu": "urtarrila urt|otsaila ots|martxoa mar|apirila api|maiatza mai|ekaina eka|uztaila uzt|abuztua abu|iraila ira|urria urr|azaroa aza|abendua abe",
    "fa": "ژانویه|فوریه|مارس|آوریل|مه|ژوئن|ژوئیه|اوت|سپتامبر|اکتبر|نوامبر|دسامبر",
    "fi": "tammikuuta tammikuu tammi|helmikuuta helmikuu helmi|maaliskuuta maaliskuu maalis|huhtikuuta huhtikuu huhti|toukokuuta toukokuu touko|kesäkuuta kesäkuu kesä|heinäkuuta heinäkuu heinä|elokuuta elokuu elo|syyskuuta syyskuu syys|lokakuuta lokakuu loka|marraskuuta marraskuu marras|joulukuuta joulukuu joulu",
    "fil": "enero ene|pebrero peb|marso mar|abril abr|mayo may|hunyo hun|hulyo hul|agosto ago|setyembre set|oktubre okt|nobyembre nob|disyembre dis",
    "fo": "januar jan|februar feb|mars mar|apríl apr|mai|juni jun|juli jul|august aug|september sep|oktober okt|november nov|desember des",
    "fr": "janvier janv|février févr|mars|avril avr|mai|juin|juillet juil|août|septembre sept|octobre oct|novembre nov|décembre déc",
    "fy": "jannewaris jan|febrewaris feb|maart mrt|april apr|maaie mai|juny jun|july jul|augustus aug|septimber sep|oktober okt|novimber nov|desimber des",
    "ga": "eanáir ean|feabhra feabh|márta|aibreán aib|bealtaine beal|meitheamh meith|iúil|lúnasa lún|meán_fómhair mfómh|deireadh_fómhair dfómh|samhain samh|nollaig noll",
    "gl": "xaneiro xan|febreiro feb|marzo mar|abril abr|maio|xuño|xullo xul|agosto ago|setembro set|outubro out|novembro nov|decembro dec",
    "gu": "જાન્યુઆરી જાન્યુ|ફેબ્રુઆરી ફેબ્રુ|માર્ચ|એપ્રિલ|મે|જૂન|જુલાઈ|ઑગસ્ટ|સપ્ટેમ્બર સપ્ટે|ઑક્ટોબર ઑક્ટો|નવેમ્બર નવે|ડિસેમ્બર ડિસે",
    "he": "ינואר ינו׳|פברואר פבר׳|מרץ|אפריל אפר׳|מאי|יוני|יולי|אוגוסט אוג׳|ספטמבר ספט׳|אוקטובר אוק׳|נובמבר נוב׳|דצמבר דצמ׳",
    "hi": "जनवरी जन|फ़रवरी फ़र|मार्च|अप्रैल|मई|जून|जुलाई जुल|अगस्त अग|सितंबर सित|अक्टूबर अक्टू|नवंबर नव|दिसंबर दिस",
    "hr": "siječanj siječnja sij|veljača veljače velj|ožujak ožujka ožu|travanj travnja tra|svibanj svibnja svi|lipanj lipnja lip|srpanj srpnja srp|kolovoza kolovoz kol|rujan rujna ruj|listopada listopad lis|studenoga studeni stu|prosinac prosinca pro",
    "hu": "január jan|február febr|március márc|április ápr|május máj|június jún|július júl|augusztus aug|szeptember szept|október okt|november nov|december dec",
    "hy": "հունվարի հունվար հնվ|փետրվարի փետրվար փտվ|մարտի մարտ մրտ|ապրիլի ապրիլ ապր|մայիսի մայիս մյս|հունիսի հունիս հնս|հուլիսի հուլիս հլս|օգոստոսի օգոստոս օգս|սեպտեմբերի սեպտեմբեր սեպ|հոկտեմբերի հոկտեմբեր հոկ|նոյեմբերի նոյեմբեր նոյ|դեկտեմբերի դեկտեմբեր դեկ",
    "id": "januari jan|februari feb|maret mar|april apr|mei|juni jun|juli jul|agustus agu|september sep|oktober okt|november nov|desember des",
    "is": "janúar jan|febrúar feb|mars mar|apríl apr|maí|júní jún|júlí júl|ágúst ágú|september sep|október okt|nóvember nóv|desember des",
    "it": "gennaio gen|febbraio feb|marzo mar|aprile apr|maggio mag|giugno giu|luglio lug|agosto ago|settembre set|ottobre ott|novembre nov|dicembre dic",
    "ka": "იანვარი იან|თებერვალი თებ|მარტი მარ|აპრილი აპრ|მაისი მაი|ივნისი ივნ|ივლისი ივლ|აგვისტო აგვ|სექტემბერი სექ|ოქტომბერი ოქტ|ნოემბერი ნოე|დეკემბერი დეკ",
    "kk": "қаңтар қаң|ақпан ақп|наурыз нау|сәуір сәу|мамыр мам|маусым мау|шілде шіл|тамыз там|қыркүйек қыр|қазан қаз|қараша қар|желтоқсан жел",
    "km": "មករា|កុម្ភៈ|មីនា|មេសា|ឧសភា|មិថុនា|កក្កដា|សីហា|កញ្ញា|តុលា|វិច្ឆិកា|ធ្នូ",
    "kn": "ಜನವರಿ ಜನ|ಫೆಬ್ರವರಿ ಫೆಬ್ರ|ಮಾರ್ಚ್|ಏಪ್ರಿಲ್ ಏಪ್ರಿ|ಮೇ|ಜೂನ್|ಜುಲೈ|ಆಗಸ್ಟ್ ಆಗ|ಸೆಪ್ಟೆಂಬರ್ ಸೆಪ್ಟೆಂ|ಅಕ್ಟೋಬರ್ ಅಕ್ಟೋ|ನವೆಂಬರ್ ನವೆಂ|ಡಿಸೆಂಬರ್ ಡಿಸೆಂ",
    "ky": "январь янв|февраль фев|март мар|апрель апр|май|июнь июн|июль июл|август авг|сентябрь сен|октябрь окт|ноябрь ноя|декабрь дек",
    "lb": "januar jan|februar feb|mäerz mäe|abrëll abr|mee|juni jun|juli jul|august aug|september sep|oktober okt|november nov|dezember dez",
    "lo": "ມັງກອນ ມກ|ກຸມພາ ກພ|ມີນາ ມນ|ເມສາ ມສ|ພຶດສະພາ ພພ|ມິຖຸນາ ມິຖ|ກໍລະກົດ ກລ|ສິງຫາ ສຫ|ກັນຍາ ກຍ|ຕຸລາ ຕລ|ພະຈິກ ພຈ|ທັນວາ ທວ",
    "lt": "sausio sausis saus|vasario vasaris vas|kovas kovo kov|balandžio balandis bal|gegužės gegužė geg|birželio birželis birž|liepos liepa liep|rugpjūtis rugpjūčio rugp|rugsėjis rugsėjo rugs|spalio spalis spal|lapkritis lapkričio lapkr|gruodžio gruodis gruod",
    "lv": "janvāris janv|februāris febr|marts|aprīlis apr|maijs|jūnijs jūn|jūlijs jūl|augusts aug|septembris sept|oktobris okt|novembris nov|decembris dec",
    "mk": "јануари јан|февруари фев|март мар|април апр|мај|јуни јун|јули јул|август авг|септември сеп|октомври окт|ноември ное|декември дек",
    "ml": "ജനുവരി ജനു|ഫെബ്രുവരി ഫെബ്രു|മാർച്ച് മാർ|ഏപ്രിൽ ഏപ്രി|മേയ്|ജൂൺ|ജൂലൈ|ഓഗസ്റ്റ് ഓഗ|സെപ്റ്റംബർ സെപ്റ്റം|ഒക്ടോബർ ഒക്ടോ|നവംബർ നവം|ഡിസംബർ ഡിസം",
    "mr": "जानेवारी जाने|फेब्रुवारी फेब्रु|मार्च|एप्रिल एप्रि|मे|जून|जुलै|ऑगस्ट ऑग|सप्टेंबर सप्टें|ऑक्टोबर ऑक्टो|नोव्हेंबर नोव्हें|डिसेंबर डिसें",
    "ms": "januari jan|februari feb|mac|april apr|mei|jun|julai jul|ogos ogo|september sep|oktober okt|november nov|disember dis",
    "my": "ဇန်နဝါရီ ဇန်|ဖေဖော်ဝါရီ ဖေ|မတ်|ဧပြီ ဧ|မေ|ဇွန်|ဇူလိုင် ဇူ|ဩဂုတ် ဩ|စက်တင်ဘာ စက်|အောက်တိုဘာ အောက်|နိုဝင်ဘာ နို|ဒီဇင်ဘာ ဒီ",
    "nb": "januar jan|februar feb|mars mar|april apr|mai|juni jun|juli jul|august aug|september sep|oktober okt|november nov|desember des",
    "ne": "जनवरी|फेब्रुअरी|मार्च|अप्रिल|मे|जुन|जुलाई|अगस्ट|सेप्टेम्बर|अक्टोबर|नोभेम्बर|डिसेम्बर",
    "nl": "januari jan|februari feb|maart mrt|april apr|mei|juni jun|juli jul|augustus aug|september sep|oktober okt|november nov|december dec",
    "nn": "januar jan|februar feb|mars mar|april apr|mai|juni jun|juli jul|august aug|september sep|oktober okt|november nov|desember des",
    "or": "ଜାନୁଆରୀ|ଫେବୃଆରୀ|ମାର୍ଚ୍ଚ|ଅପ୍ରେଲ|ମଇ|ଜୁନ|ଜୁଲାଇ|ଅଗଷ୍ଟ|ସେପ୍ଟେମ୍ବର|ଅକ୍ଟୋବର|ନଭେମ୍ବର|ଡିସେମ୍ବର",
    "pa": "ਜਨਵਰੀ ਜਨ|ਫ਼ਰਵਰੀ ਫ਼ਰ|ਮਾਰਚ|ਅਪ੍ਰੈਲ ਅਪ੍ਰੈ|ਮਈ|ਜੂਨ|ਜੁਲਾਈ ਜੁਲਾ|ਅਗਸਤ ਅਗ|ਸਤੰਬਰ ਸਤੰ|ਅਕਤੂਬਰ ਅਕਤੂ|ਨਵੰਬਰ ਨਵੰ|ਦਸੰਬਰ ਦਸੰ",
    "pl": "stycznia styczeń sty|lutego luty lut|marzec marca mar|kwiecień kwietnia kwi|maja maj|czerwiec czerwca cze|lipiec lipca lip|sierpień sierpnia sie|wrzesień września wrz|października październik paź|listopada listopad lis|grudzień grudnia gru",
    "ps": "جنوري|فېبروري فبروري|مارچ|اپریل|مۍ|جون|جولای|اګست|سېپتمبر سپتمبر|اکتوبر|نومبر|دسمبر",
    "pt": "janeiro jan|fevereiro fev|março mar|abril abr|maio mai|junho jun|julho jul|agosto ago|setembro set|outubro out|novembro nov|dezembro dez",
    "pt_PT": "janeiro jan|fevereiro fev|março mar|abril abr|maio mai|junho jun|julho jul|agosto ago|setembro set|outubro out|novembro nov|dezembro dez",
    "ro": "ianuarie ian|februarie feb|martie mar|aprilie apr|mai|iunie iun|iulie iul|august aug|septembrie sept|octombrie oct|noiembrie nov|decembrie dec",
    "ru": "январь января янв|февраль февраля февр|марта март мар|апрель апреля апр|май мая|июнь июня июн|июль июля июл|августа август авг|сентябрь сентября сент|октябрь октября окт|ноябрь ноября нояб|декабрь декабря дек",
    "si": "ජනවාරි ජන|පෙබරවාරි පෙබ|මාර්තු මාර්|අප්රේල්|මැයි|ජූනි|ජූලි|අගෝස්තු අගෝ|සැප්තැම්බර් සැප්|ඔක්තෝබර් ඔක්|නොවැම්බර් නොවැ|දෙසැම්බර් දෙසැ",
    "sk": "januára január jan|februára február feb|marca marec mar|apríla apríl apr|mája máj|júna jún|júla júl|augusta august aug|september septembra sep|október októbra okt|november novembra nov|december decembra dec",
    "sl": "januar jan|februar feb|marec mar|april apr|maj|junij jun|julij jul|avgust avg|september sep|oktober okt|november nov|december dec",
    "sq": "janar jan|shkurt shk|mars mar|prill pri|maj|qershor qer|korrik korr|gusht gush|shtator sht|tetor tet|nëntor nën|dhjetor dhj",
    "sr": "јануар јан|фебруар феб|март мар|април апр|мај|јун|јул|август авг|септембар сеп|октобар окт|новембар нов|децембар дец",
    "sr_Latn": "januar jan|februar feb|mart mar|april apr|maj|jun|jul|avgust avg|septembar sep|oktobar okt|novembar nov|decembar dec",
    "sv": "januari jan|februari feb|mars|april apr|maj|juni|juli|augusti aug|september sep|oktober okt|november nov|december dec",
    "sw": "januari jan|februari feb|machi mac|aprili apr|mei|juni jun|julai jul|agosti ago|septemba sep|oktoba okt|novemba nov|desemba des",
    "ta": "ஜனவரி ஜன|பிப்ரவரி பிப்|மார்ச் மார்|ஏப்ரல் ஏப்|மே|ஜூன்|ஜூலை|ஆகஸ்ட் ஆக|செப்டம்பர் செப்|அக்டோபர் அக்|நவம்பர் நவ|டிசம்பர் டிச",
    "te": "జనవరి జన|ఫిబ్రవరి ఫిబ్ర|మార్చి|ఏప్రిల్ ఏప్రి|మే|జూన్|జులై|ఆగస్టు ఆగ|సెప్టెంబర్ సెప్టెం|అక్టోబర్ అక్టో|నవంబర్ నవం|డిసెంబర్ డిసెం",
    "th": "มกราคม มค|กุมภาพันธ์ กพ|มีนาคม มีค|เมษายน เมย|พฤษภาคม พค|มิถุนายน มิย|กรกฎาคม กค|สิงหาคม สค|กันยายน กย|ตุลาคม ตค|พฤศจิกายน พย|ธันวาคม ธค",
    "tk": "ýanwar ýan|fewral few|mart mar|aprel apr|maý|iýun|iýul|awgust awg|sentýabr sen|oktýabr okt|noýabr noý|dekabr dek",
    "tr": "ocak oca|şubat şub|mart mar|nisan nis|mayıs may|haziran haz|temmuz tem|ağustos ağu|eylül eyl|ekim eki|kasım kas|aralık ara",
    "uk": "січень січня січ|лютого лютий лют|березень березня бер|квітень квітня квіт|травень травня трав|червень червня черв|липень липня лип|серпень серпня серп|вересень вересня вер|жовтень жовтня жовт|листопада листопад лист|грудень грудня груд",
    "ur": "جنوری|فروری|مارچ|اپریل|مئی|جون|جولائی|اگست|ستمبر|اکتوبر|نومبر|دسمبر",
    "uz": "yanvar yan|fevral fev|mart mar|aprel apr|may|iyun iyn|iyul iyl|avgust avg|sentabr sen|oktabr okt|noyabr noy|dekabr dek",
    "uz_Cyrl": "январ янв|феврал фев|март мар|апрел апр|май|июн|июл|август авг|сентябр сен|октябр окт|ноябр ноя|декабр дек",
}
_WEEKDAYS = {
    "af": "maandag dinsdag woensdag donderdag vrydag saterdag sondag",
    "am": "ሰኞ ማክሰኞ ረቡዕ ሐሙስ ዓርብ ቅዳሜ እሑድ",
    "ar": "الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد",
    "ar_DZ": "الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد",
    "ar_SY": "الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد",
    "ast": "llunes martes miércoles xueves vienres sábadu domingu",
    "az": "bazar_ertəsi çərşənbə_axşamı çərşənbə cümə_axşamı cümə şənbə bazar",
    "be": "панядзелак аўторак серада чацвер пятніца субота нядзеля",
    "bg": "понеделник вторник сряда четвъртък петък събота неделя",
    "bn": "সোমবার মঙ্গলবার বুধবার বৃহস্পতিবার শুক্রবার শনিবার রবিবার",
    "bs": "ponedjeljak utorak srijeda četvrtak petak subota nedjelja",
    "ca": "dilluns dimarts dimecres dijous divendres dissabte diumenge",
    "cs": "pondělí úterý středa čtvrtek pátek sobota neděle",
    "cy": "dydd_llun dydd_mawrth dydd_mercher dydd_iau dydd_gwener dydd_sadwrn dydd_sul",
    "da": "mandag tirsdag onsdag torsdag fredag lørdag søndag",
    "de": "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "de_AT": "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "el": "δευτέρα τρίτη τετάρτη πέμπτη παρασκευή σάββατο κυριακή",
    "en": "monday tuesday wednesday thursday friday saturday sunday",
    "eo": "lundo mardo merkredo ĵaŭdo vendredo sabato dimanĉo",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "et": "esmaspäev teisipäev kolmapäev neljapäev reede laupäev pühapäev",
    "eu": "astelehena asteartea asteazkena osteguna ostirala larunbata igandea",
    "fa": "دوشنبه سهشنبه چهارشنبه پنجشنبه جمعه شنبه یکشنبه",
    "fi": "maanantaina maanantai tiistaina tiistai keskiviikkona keskiviikko torstaina torstai perjantaina perjantai lauantaina lauantai sunnuntai",
    "fil": "lunes martes miyerkules huwebes biyernes sabado linggo",
    "fo": "mánadagur týsdagur mikudagur hósdagur fríggjadagur leygardagur sunnudagur",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "fy": "moandei tiisdei woansdei tongersdei freed sneon snein",
    "ga": "dé_luain dé_máirt dé_céadaoin déardaoin dé_haoine dé_sathairn dé_domhnaigh",
    "gl": "luns martes mércores xoves venres sábado domingo",
    "gu": "સોમવાર મંગળવાર બુધવાર ગુરુવાર શુક્રવાર શનિવાર રવિવાર",
    "he": "יום_שני יום_שלישי יום_רביעי יום_חמישי יום_שישי יום_שבת יום_ראשון",
    "hi": "सोमवार मंगलवार बुधवार गुरुवार शुक्रवार शनिवार रविवार",
    "hr": "ponedjeljak utorak srijeda četvrtak petak subota nedjelja",
    "hu": "hétfő kedd szerda csütörtök péntek szombat vasárnap",
    "hy": "երկուշաբթի երեքշաբթի չորեքշաբթի հինգշաբթի ուրբաթ շաբաթ կիրակի",
    "id": "senin selasa rabu kamis jumat sabtu minggu",
    "is": "mánudagur þriðjudagur miðvikudagur fimmtudagur föstudagur laugardagur sunnudagur",
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "ka": "ორშაბათი სამშაბათი ოთხშაბათი ხუთშაბათი პარასკევი შაბათი კვირა",
    "kk": "дүйсенбі сейсенбі сәрсенбі бейсенбі жұма сенбі жексенбі",
    "km": "ច័ន្ទ ចន្ទ អង្គារ ពុធ ព្រហស្បតិ៍ សុក្រ សៅរ៍ អាទិត្យ",
    "kn": "ಸೋಮವಾರ ಮಂಗಳವಾರ ಬುಧವಾರ ಗುರುವಾರ ಶುಕ್ರವಾರ ಶನಿವಾರ ಭಾನುವಾರ",
    "ky": "дүйшөмбү шейшемби шаршемби бейшемби жума ишемби жекшемби",
    "lb": "méindeg dënschdeg mëttwoch donneschdeg freideg samschdeg sonndeg",
    "lo": "ວັນຈັນ ວັນອັງຄານ ວັນພຸດ ວັນພະຫັດ ວັນສຸກ ວັນເສົາ ວັນອາທິດ",
    "lt": "pirmadienis antradienis trečiadienis ketvirtadienis penktadienis šeštadienis sekmadienis",
    "lv": "pirmdiena otrdiena trešdiena ceturtdiena piektdiena sestdiena svētdiena",
    "mk": "понеделник вторник среда четврток петок сабота недела",
    "ml": "തിങ്കളാഴ്ച ചൊവ്വാഴ്ച ബുധനാഴ്ച വ്യാഴാഴ്ച വെള്ളിയാഴ്ച ശനിയാഴ്ച ഞായറാഴ്ച",
    "mr": "सोमवार मंगळवार बुधवार गुरुवार शुक्रवार शनिवार रविवार",
    "ms": "isnin selasa rabu khamis jumaat sabtu ahad",
    "my": "တနင်္လာ အင်္ဂါ ဗုဒ္ဓဟူး ကြာသပတေး သောကြာ စနေ တနင်္ဂနွေ",
    "nb": "mandag tirsdag onsdag torsdag fredag lørdag søndag",
    "ne": "सोमबार मङ्गलबार बुधबार बिहिबार शुक्रबार शनिबार आइतबार",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "nn": "måndag tysdag onsdag torsdag fredag laurdag søndag",
    "or": "ସୋମବାର ମଙ୍ଗଳବାର ବୁଧବାର ଗୁରୁବାର ଶୁକ୍ରବାର ଶନିବାର ରବିବାର",
    "pa": "ਸੋਮਵਾਰ ਮੰਗਲਵਾਰ ਬੁੱਧਵਾਰ ਵੀਰਵਾਰ ਸ਼ੁੱਕਰਵਾਰ ਸ਼ਨਿੱਚਰਵਾਰ ਐਤਵਾਰ",
    "pl": "poniedziałek wtorek środa czwartek piątek sobota niedziela",
    "ps": "دونۍ درېنۍ څلرنۍ پينځنۍ جمعه اونۍ يونۍ",
    "pt": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    "pt_PT": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    "ro": "luni marți miercuri joi vineri sâmbătă duminică",
    "ru": "понедельник вторник среда четверг пятница суббота воскресенье",
    "si": "සඳුදා අඟහරුවාදා බදාදා බ්රහස්පතින්දා සිකුරාදා සෙනසුරාදා ඉරිදා",
    "sk": "pondelok utorok streda štvrtok piatok sobota nedeľa",
    "sl": "ponedeljek torek sreda četrtek petek sobota nedelja",
    "sq": "e_hënë e_martë e_mërkurë e_enjte e_premte e_shtunë e_diel",
    "sr": "понедељак уторак среда четвртак петак субота недеља",
    "sr_Latn": "ponedeljak utorak sreda četvrtak petak subota nedelja",
    "sv": "måndag tisdag onsdag torsdag fredag lördag söndag",
    "sw": "jumatatu jumanne jumatano alhamisi ijumaa jumamosi jumapili",
    "ta": "திங்கள் செவ்வாய் புதன் வியாழன் வெள்ளி சனி ஞாயிறு",
    "te": "సోమవారం మంగళవారం బుధవారం గురువారం శుక్రవారం శనివారం ఆదివారం",
    "th": "วันจันทร์ วันอังคาร วันพุธ วันพฤหัสบดี วันศุกร์ วันเสาร์ วันอาทิตย์",
    "tk": "duşenbe sişenbe çarşenbe penşenbe anna şenbe ýekşenbe",
    "tr": "pazartesi salı çarşamba perşembe cuma cumartesi pazar",
    "uk": "понеділок вівторок середа четвер пʼятниця субота неділя",
    "ur": "پیر منگل بدھ جمعرات جمعہ ہفتہ اتوار",
    "uz": "dushanba seshanba chorshanba payshanba juma shanba yakshanba",
    "uz_Cyrl": "душанба сешанба чоршанба пайшанба жума шанба якшанба",
}
# CLDR: end

_MORE = {
    "ar": "كانون_ثاني||||||||||تشرين_ثاني|كانون_أول",
    "cs": "||||||||||listopadu|",
    "el": "ιανουάριος||||μαΐου μαι|||||||",
    "fr": "|fév||||||aou aout||||",
    "nl": "||mrz|||||||||",
}
"""Spellings that pages use and CLDR does not have."""
_MORE_WEEKDAYS = (
    "sonnabend mon tue tues wed thu thur thurs fri sat sun mo di mi do fr sa so lun mar mer jeu ven sam dim jue vie mié sáb dom gio "
    "seg ter qua qui sex pon wto śro czw pią sob nie po út st čt pá ne пн вт ср чт пт сб вс"
)
"""Abbreviations that pages write before a date; those of the other languages look like parts of names of people."""
_JALALI = {
    "fa": "فروردین|اردیبهشت|خرداد|تیر|مرداد امرداد|شهریور|مهر|آبان ابان|آذر اذر|دی|بهمن|اسفند",
    "ps": "حمل|ثور|جوزا|سرطان|اسد|سنبله|میزان|عقرب|قوس|جدی|دلو|حوت",
}
_HIJRI = {
    "ar": "محرم المحرم|صفر|ربيع_الأول ربيع_الاول ربيع_أول|ربيع_الثاني ربيع_الآخر ربيع_الاخر|جمادى_الأولى جمادى_الاولى جمادى_الأول|"
    "جمادى_الآخرة جمادى_الثانية جمادى_الاخرة جمادى_الثاني|رجب|شعبان|رمضان|شوال|ذو_القعدة ذي_القعدة|ذو_الحجة ذي_الحجة",
}
_CONTESTED = {"lip": 7, "lis": 11, "listopad": 11, "listopada": 11}
"""Names of one month in Polish and Czech and of another in Croatian: the meaning of the former two."""
AFTER_ORDINAL = {"lip": 6, "lis": 10, "listopada": 10}
"""Those of Croatian, which alone writes the day before them as an ordinal: ``5. listopada``."""
_MARKS = re.compile(r"[.\u0610-\u061a\u064b-\u065f\u0670\u0970\u200c-\u200f]")
_LETTERS = str.maketrans("يىك", "ییک")


def fold_name(name: str) -> str:
    """A name as the tables write it: casefolded, without dots and vowel signs, Arabic letters as in Persian.

    >>> fold_name("Sept."), fold_name("ก.ค."), fold_name("تشرين  الأول")
    ('sept', 'กค', 'تشرین_الأول')
    """
    name = name.casefold()
    return name if name.isascii() and name.isalpha() else "_".join(_MARKS.sub("", name).translate(_LETTERS).split())


def _numbered(lines: Mapping[str, str]) -> dict[str, int]:
    """Name to number, without the names that stand for several months in several languages."""
    found: dict[str, set[int]] = {}
    for line in lines.values():
        for number, names in enumerate(line.split("|"), 1):
            for name in names.split():
                found.setdefault(fold_name(name.replace("_", " ")), set()).add(number)
    return {name: min(numbers) for name, numbers in found.items() if len(numbers) == 1}


MONTHS = _numbered(_MONTHS) | _numbered(_MORE) | _CONTESTED
"""Casefolded month name (:func:`fold_name`) to its number, 1..12."""
JALALI_MONTHS = _numbered(_JALALI)
"""The same for the solar calendar of Iran and Afghanistan."""
HIJRI_MONTHS = _numbered(_HIJRI)
"""The same for the Islamic calendar."""
WEEKDAYS = frozenset(map(fold_name, " ".join([*_WEEKDAYS.values(), _MORE_WEEKDAYS]).split()))
"""Casefolded names of the days of the week, and the commonest abbreviations."""
