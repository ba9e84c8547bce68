"""How a synthetic portal writes its markup: class names by role, elements of lists and rows, kept for the whole site."""

from __future__ import annotations

from random import Random

from benchmarks.portals.names import NAMES, PLAIN, TAGS, UTILITY

SCHEMES = {"conventional": 5, "mixed": 4, "plain": 2, "utility": 2, "hashed": 2, "none": 1}
LISTS = {"ul": 9, "div": 5, "table": 2, "dl": 1, "p": 1, "ol": 1, "article": 1, "cells": 1}
_LETTERS = "abcdefghijkmnpqrstuvwxyz0123456789_"


class Style:
    """The markup of one site. A role has one class and one element on all pages."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.scheme = weighted(chance, SCHEMES)
        self.semantic = chance.choice((0.0, 0.3, 0.9))
        self.nested = chance.choice((0, 0, 1, 1, 2, 3))
        self.tables = False
        self.attributes: dict[str, str] = {}
        self.tags: dict[str, str] = {}

    def attr(self, role: str) -> str:
        """Class or id of a role as it is written in a tag, with a space before."""
        if role not in self.attributes:
            names = self._names(role)
            key = "id" if self.chance.random() < 0.2 else "class"
            self.attributes[role] = f' {key}="{names}"' if names else ""
        return self.attributes[role]

    def _names(self, role: str) -> str:
        chance = self.chance
        scheme = chance.choice(("conventional", "plain", "none")) if self.scheme == "mixed" else self.scheme
        if scheme == "conventional":
            names = [chance.choice(NAMES[role.split(".")[0]].split())]
            return " ".join([*names, chance.choice(PLAIN)] if chance.random() < 0.3 else names)
        if scheme == "plain":
            return chance.choice(PLAIN)
        if scheme == "utility":
            return " ".join(chance.sample(UTILITY, chance.randint(1, 5)))
        if scheme == "hashed":
            return chance.choice(("css-", "sc-", "_", "")) + "x" + "".join(chance.choice(_LETTERS) for _ in range(5))
        return ""

    def wrap(self, role: str, inner: str) -> str:
        """An element of a role around its content, in as many boxes as the site nests."""
        if role not in self.tags:
            tag = TAGS.get(role.split(".")[0], "div")
            self.tags[role] = tag if self.chance.random() < self.semantic else "div"
            self.tags[f"{role}+"] = str(self.chance.randint(0, self.nested))
        tag, more = self.tags[role], int(self.tags[f"{role}+"])
        boxes = "".join(f"<div{self.attr(f'{role}.{n}')}>" for n in range(more))
        if self.tables and not role.startswith("row"):
            boxes, end = f"<table{self.attr(f'{role}.t')}><tr><td>" * (more + 1), "</td></tr></table>" * (more + 1)
            return f"<{tag}{self.attr(role)}>{boxes}{inner}{end}</{tag}>"
        return f"<{tag}{self.attr(role)}>{boxes}{inner}{'</div>' * more}</{tag}>"

    def form(self, role: str, forms: dict[str, int]) -> str:
        """One of several forms, the same for a role on all pages."""
        key = f"{role}?"
        if key not in self.tags:
            self.tags[key] = weighted(self.chance, forms)
        return self.tags[key]

    def rows(self, role: str, rows: list[list[str]], forms: dict[str, int] = LISTS) -> str:
        """A list; a row is its parts, which tables put into cells and others beside one another."""
        form, own, inner = self.form(role, forms), self.attr(role), self.attr(f"row.{role}")
        flat = [" ".join(row) for row in rows]
        if form in ("ul", "ol"):
            return f"<{form}{own}>" + "".join(f"<li{inner}>{row}</li>" for row in flat) + f"</{form}>"
        if form in ("div", "article"):
            return f"<div{own}>" + "".join(f"<{form}{inner}>{row}</{form}>" for row in flat) + "</div>"
        if form == "table":
            cells = ("".join(f"<td>{part}</td>" for part in row) for row in rows)
            return f"<table{own}>" + "".join(f"<tr{inner}>{row}</tr>" for row in cells) + "</table>"
        if form == "cells":
            return f"<table{own}>" + "".join(f"<tr>{row}</tr>" for row in _paired(flat)) + "</table>"
        if form == "dl":
            whole = ("<dt>{}</dt><dd>{}</dd>".format(row[0], " ".join(row[1:])) for row in rows)
            return f"<dl{own}>" + "".join(whole) + "</dl>"
        if form == "p":
            return "".join(f"<p{inner}>{row}</p>" for row in flat)
        mark = {"bar": " | ", "br": "<br>", "bare": " ", "dot": " &middot; "}[form]
        return f"<div{own}>{mark.join(flat)}</div>"


def _paired(flat: list[str]) -> list[str]:
    return ["".join(f"<td>{row}</td>" for row in flat[n : n + 2]) for n in range(0, len(flat), 2)]


def weighted(chance: Random, weights: dict[str, int]) -> str:
    """A key, as often as its weight says."""
    return chance.choices(list(weights), list(weights.values()))[0]
