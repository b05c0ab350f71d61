"""The schema of one key's value: the types that people write, bounds, words, and the default.

YAML has numbers and booleans where ``.properties`` has texts of them: both are permitted, the
bounds hold for both.
"""

from __future__ import annotations

import re

from kcheck import configdef, data
from kcheck.catalogue import Fact
from kcheck.editor import numbers

Schema = dict[str, object]

_BITS = {"short": 16, "int": 32, "long": 64}
#: A whole number as a double: Kafka's tools read quotas so.
_AS_DOUBLE = r"\s*\+?[0-9]+(?:\.0*(?:[eE]\+?[0-9]{1,2})?|[eE]\+?[0-9]{1,2})\s*"
#: Words of ``valid`` that bound a number.
_NONZERO = "nonzero"


def schema(plane: str, fact: Fact, minor: str) -> Schema:
    """What values the key takes in that minor, without description."""
    valid = [*fact.valid.split(), *_beyond(plane, fact.key, minor)]
    if fact.type in _BITS:
        found = _whole(fact.type, valid)
        if plane == "quota" and isinstance(pattern := found.get("pattern"), str):
            found["pattern"] = f"^(?:{pattern[1:-1]}|{_AS_DOUBLE})$"
    elif fact.type == "double":
        found = _decimal(valid)
    elif fact.type == "boolean":
        found = {
            "type": ["boolean", "string"],
            "pattern": r"^\s*(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])\s*$",
        }
    elif fact.type == "list":
        found = _list(valid)
    else:
        found = _text(valid)
    default = _default(fact)
    if default is not None:
        found["default"] = default
    if "deprecated" in fact.flags:
        found["deprecated"] = True
    return found


_rules: dict[tuple[str, str], list[Fact]] = {}


def _beyond(plane: str, key: str, minor: str) -> list[str]:
    """What Kafka's code refuses beyond its definitions, as words of ``valid``."""
    if not _rules:
        for table, name, versions, valid in data.rows("keys/refused.tsv"):
            rule = Fact([name, versions, "", "", valid, "", ""])
            _rules.setdefault((table, name), []).append(rule)
    rules = [rule for rule in _rules.get((plane, key), ()) if rule.covers(minor)]
    return [word for rule in rules for word in rule.valid.split()]


def _default(fact: Fact) -> object:
    text = fact.default_text
    if text is None:
        return None
    if fact.type in (*_BITS, "double", "boolean"):
        return configdef.convert(fact.type, text)[0]
    return text


def _whole(kind: str, valid: list[str]) -> Schema:
    high = 2 ** (_BITS[kind] - 1) - 1
    low = -high - 1
    for word in valid:
        least, dots, most = word.partition("..")
        if dots:
            low = max(low, int(least)) if least else low
            high = min(high, int(most)) if most else high
    words = _words(valid)
    if words:
        either = "|".join(numbers.whole(number, number) for number in map(int, words))
        loose: Schema = {"type": "string", "pattern": f"^(?:{either})$"}
        return {"anyOf": [{"enum": [*map(int, words)]}, loose]}
    pattern = rf"^{numbers.whole(low, high)}$"
    found: Schema = {"type": ["integer", "string"], "minimum": low, "maximum": high}
    if _NONZERO in valid:
        found["not"] = {"const": 0}
        pattern = rf"^(?!\s*[+-]?0+\s*$){numbers.whole(low, high)}$"
    return found | {"pattern": pattern}


def _decimal(valid: list[str]) -> Schema:
    found: Schema = {"type": ["number", "string"]}
    low, high = float("-inf"), float("inf")
    for word in valid:
        least, dots, most = word.partition("..")
        if dots and least:
            low = found["minimum"] = float(least)
        if dots and most:
            high = found["maximum"] = float(most)
    return found | {"pattern": f"^{numbers.decimal(low, high)}$"}


def _words(valid: list[str], kinds: tuple[str, ...] = ("enum",)) -> list[str]:
    for word in valid:
        kind, colon, rest = word.partition(":")
        if colon and kind in kinds:
            return rest.split("|")
    return []


def _written(words: list[str]) -> list[object]:
    """Words as YAML may have them: ``1`` is a number there, ``true`` no text."""
    found: list[object] = list(words)
    for word in words:
        if word.removeprefix("-").isdecimal():
            found.append(int(word))
        elif word in ("true", "false"):
            found.append(word == "true")
    return found


def _text(valid: list[str]) -> Schema:
    exact, loose = _words(valid), _words(valid, ("enum-ci",))
    if exact:
        return {"enum": _written(exact)}
    if loose:
        any_case = "|".join(map(in_any_case, loose))
        # The words are for completion, the pattern for those who write them otherwise.
        return {
            "anyOf": [
                {"enum": _written(loose)},
                {"type": "string", "pattern": rf"^\s*(?:{any_case})\s*$"},
            ]
        }
    found: Schema = {"type": ["string", "number", "boolean"]}
    if "nonempty" in valid:
        found["pattern"] = r"\S"
    return found


def in_any_case(word: str) -> str:
    """A pattern that matches the word in upper and lower case."""
    return "".join(f"[{c.upper()}{c.lower()}]" if c.isalpha() else re.escape(c) for c in word)


def _list(valid: list[str]) -> Schema:
    """Elements that commas part; an array is YAML's way, which Kafka itself never sees."""
    words = _words(valid, ("list",))
    element = r"[^,]*"
    if words:
        element = rf"\s*(?:{'|'.join(map(re.escape, words))})\s*"
    elif "noblank" in valid:
        element = r"[^,]*[^,\s][^,]*"
    whole = f"{element}(?:,{element})*"
    if words or "noblank" in valid:
        whole = rf"(?:{whole}|\s*)" if "nonempty" not in valid else whole
    elif "nonempty" in valid:
        whole = r".*\S.*"
    else:
        return {"type": ["string", "number", "boolean"]}
    pattern: Schema = {"type": ["string", "number"], "pattern": f"^{whole}$"}
    return {"anyOf": [{"enum": words}, pattern]} if words else pattern
