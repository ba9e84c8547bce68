"""Month names and abbreviations of European languages, casefolded, by number."""

from __future__ import annotations

_NAMES = (
    "january jan januar janvier janv enero ene gennaio gen janeiro januari styczeń stycznia sty январь января янв leden ledna "
    "ιανουαρίου ιανουάριος ιαν ocak tammikuu jänner január",
    "february feb februar février févr fév febrero febbraio fevereiro fev februari luty lutego lut февраль февраля фев únor "
    "února φεβρουαρίου φεβ şubat febr",
    "march mar märz mrz mars marzo março maart mrt marzec marca март марта мар březen března μαρτίου μαρ mart mär",
    "april apr avril avr abril abr aprile kwiecień kwietnia kwi апрель апреля апр duben dubna απριλίου απρ nisan",
    "may mai mayo maggio mag maio mei maj maja май мая květen května μαΐου μαι mayıs",
    "june jun juni juin junio giugno giu junho czerwiec czerwca cze июнь июня июн červen června ιουνίου ιουν haziran",
    "july jul juli juillet juil julio luglio lug julho lipiec lipca lip июль июля июл červenec července ιουλίου ιουλ temmuz",
    "august aug août aou aout agosto ago augustus sierpień sierpnia sie август августа авг srpen srpna αυγούστου αυγ ağustos augusti",
    "september sep sept septembre septiembre settembre set setembro wrzesień września wrz сентябрь сентября сен сент září "
    "σεπτεμβρίου σεπ eylül setiembre",
    "october oct oktober okt octobre octubre ottobre ott outubro out październik października paź октябрь октября окт říjen října "
    "οκτωβρίου οκτ ekim",
    "november nov novembre noviembre novembro listopad listopada lis ноябрь ноября ноя νοεμβρίου νοε kasım",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro grudzień grudnia gru декабрь декабря дек prosinec "
    "prosince δεκεμβρίου δεκ aralık",
)

MONTHS = {name: number for number, names in enumerate(_NAMES, 1) for name in names.split()}
"""Casefolded month name to its number, 1..12."""
