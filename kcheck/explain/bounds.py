"""What values a key takes, in words."""

from __future__ import annotations

from kcheck import configdef
from kcheck.catalogue import Fact
from kcheck.editor import words

_WORDS = {
    "nonempty": "not empty",
    "noblank": "no empty element",
    "unique": "no duplicate elements",
}


def takes(fact: Fact, valid: str | None = None) -> str:
    """What values the key takes, in words; "" where any of its type."""
    found: list[str] = []
    for word in (fact.valid if valid is None else valid).split():
        kind, colon, rest = word.partition(":")
        low, dots, high = word.partition("..")
        if colon and kind in ("enum", "enum-ci", "list"):
            allowed = listed([configdef.repr_empty(item) for item in rest.split("|")])
            found.append(
                {
                    "enum": f"one of {allowed}",
                    "enum-ci": f"one of {allowed}, case-insensitive",
                    "list": f"a list of {allowed}",
                }[kind]
            )
        elif dots:
            least, most = (_number(fact, bound) if bound else "" for bound in (low, high))
            found.append(f"{least} to {most}" if least and most else _end(least, most))
        elif word in _WORDS:
            found.append(_WORDS[word])
    return "; ".join(found)


def _end(least: str, most: str) -> str:
    return f"{least} or more" if least else f"{most} or less"


def _number(fact: Fact, bound: str) -> str:
    if fact.type not in ("int", "long", "short"):
        return bound
    return words.shown(fact.key, fact.type, bound)


def listed(items: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]
