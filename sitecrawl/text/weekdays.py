"""Names and abbreviations of the days of the week in European languages, casefolded."""

from __future__ import annotations

WEEKDAYS = frozenset(
    (
        "monday mon tuesday tue tues wednesday wed thursday thu thur thurs friday fri saturday sat sunday sun "
        "montag mo dienstag di mittwoch mi donnerstag do freitag fr samstag sa sonnabend sonntag so "
        "lundi lun mardi mar mercredi mer jeudi jeu vendredi ven samedi sam dimanche dim "
        "lunes martes mié miércoles jueves jue viernes vie sábado sáb domingo dom "
        "lunedì martedì mercoledì giovedì gio venerdì sabato domenica "
        "segunda-feira seg terça-feira ter quarta-feira qua quinta-feira qui sexta-feira sex "
        "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag "
        "poniedziałek pon wtorek wto środa śro czwartek czw piątek pią sobota sob niedziela nie "
        "pondělí úterý středa čtvrtek pátek neděle po út st čt pá ne "
        "понедельник пн вторник вт среда ср четверг чт пятница пт суббота сб воскресенье вс"
    ).split()
)
