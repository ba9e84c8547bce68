"""Strings: character classes, dates, names, languages. No trees here."""
