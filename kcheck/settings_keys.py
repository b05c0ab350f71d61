"""The keys of a settings file and what each takes."""

from __future__ import annotations

from collections.abc import Callable

from kcheck import services
from kcheck.version import parse

TEXT, NAMES, FLAG = "a string", "a list of strings", "true or false"
TABLE, TABLES = "a table", "a list of [[tables]]"
_WHOLE, _NUMBER = "a whole number", "a number"
_SCALAR, _SCALARS = "a string, a number, or true or false", "a list of strings or numbers"
_BOUND = "a number, or a string such as 7d"

#: Facts about a cluster: the key in the file, and what the graph calls it.
FACTS = {
    "kafka-version": "kafka_version",
    "client-version": "client_version",
    "environment": "environment",
    "service": "service",
}
ENVIRONMENTS = ("production", "development")
SERVICES = services.NAMES

_FACTS = dict.fromkeys(FACTS, TEXT)
TOP = {
    "required-version": TEXT,
    "extends": TEXT,
    "plugins": NAMES,
    **_FACTS,
    "select": NAMES,
    "extend-select": NAMES,
    "ignore": NAMES,
    "fail-on": TEXT,
    "gate": TEXT,
    "exclude": NAMES,
    "baseline": TEXT,
    "require-reason": FLAG,
    "rules": TABLE,
    "gates": TABLE,
    "overrides": TABLES,
    "clusters": TABLES,
    "require": TABLES,
}
REQUIRE = {
    "code": TEXT,
    "name": TEXT,
    "on": TEXT,
    "key": TEXT,
    "equals": _SCALAR,
    "one-of": _SCALARS,
    "min": _BOUND,
    "max": _BOUND,
    "matches": TEXT,
    "present": FLAG,
    "names": NAMES,
    "environment": TEXT,
    "severity": TEXT,
    "message": TEXT,
    "breaks": TEXT,
    "fix": TEXT,
    "url": TEXT,
}
#: Keys of ``[gates.NAME]``.
GATE = {"extends": TEXT, "rules": NAMES, "except": NAMES, "fail-on": TEXT}
CLUSTER = {"name": TEXT, "paths": NAMES, **_FACTS}
OVERRIDE = {"paths": NAMES, "ignore": NAMES, "severity": TABLE, **_FACTS}
IGNORE = {"rule": TEXT, "path": TEXT, "resource": TEXT, "until": TEXT, "reason": TEXT}
#: Keys of ``[rules.NAME]`` beside the rule's own options.
RULE = {"severity": TEXT, "ignorable": FLAG}


def tables_in(value: object) -> list[dict[str, object]]:
    """The entries of ``[[tables]]``; none for anything else."""
    if isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
        return value
    return []


def is_a(kind: str, value: object) -> bool:
    """Whether the value is what a key of that kind takes."""
    if kind == FLAG:
        return isinstance(value, bool)
    if kind == TABLE:
        return isinstance(value, dict)
    if kind == TABLES:
        return value == [] or bool(tables_in(value))
    if kind == NAMES:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if kind == _WHOLE:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == _SCALAR:
        return isinstance(value, (str, int, float))
    if kind == _SCALARS:
        return isinstance(value, list) and all(is_a(_SCALAR, item) for item in value)
    if kind == _BOUND:
        return isinstance(value, (str, int, float)) and not isinstance(value, bool)
    if kind == _NUMBER:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, str)


def spelled(kind: str, value: object) -> str:
    """A value of another type as a key of that kind takes it, in TOML; "" where it is no such."""
    if kind == TEXT and is_a(_NUMBER, value):
        return f'"{value}"'
    if kind == NAMES and isinstance(value, str):
        return f'["{value}"]'
    if kind == FLAG and str(value).lower() in ("true", "false"):
        return str(value).lower()
    if kind in (_WHOLE, _NUMBER) and isinstance(value, str) and value.isdecimal():
        return value
    return ""


def kind_of(default: object) -> str:
    """What an option of a rule takes, told by its default."""
    if isinstance(default, bool):
        return FLAG
    if isinstance(default, int):
        return _WHOLE
    if isinstance(default, float):
        return _NUMBER
    return NAMES if isinstance(default, (tuple, list, frozenset)) else TEXT


#: Larger whole numbers have no float.
_LARGEST = 2**1000


def typed(default: object, value: object) -> object:
    """The value of an option as its rule takes it."""
    if isinstance(value, list):
        return frozenset(value) if isinstance(default, frozenset) else tuple(value)
    if isinstance(default, float) and isinstance(value, int):
        return float(min(max(value, -_LARGEST), _LARGEST))
    return value


def is_date(text: str) -> bool:
    """Whether the text is an ISO date such as 2027-01-31."""
    from datetime import date

    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return len(text) == len("2027-01-31")


def meets(have: str, wanted: str) -> bool | None:
    """Whether a version is within ``">=0.1,<0.3"``; None where that is no such text."""
    mine = parse(have) or ()
    for part in wanted.split(","):
        operator = part.strip().rstrip("0123456789.")
        theirs = parse(part.strip()[len(operator) :])
        if theirs is None or operator.strip() not in _OPERATORS:
            return None
        length = max(len(mine), len(theirs))
        one, other = _padded(mine, length), _padded(theirs, length)
        if not _OPERATORS[operator.strip()](one, other):
            return False
    return True


_Numbers = tuple[int, ...]
_OPERATORS: dict[str, Callable[[_Numbers, _Numbers], bool]] = {
    ">=": lambda one, other: one >= other,
    ">": lambda one, other: one > other,
    "<=": lambda one, other: one <= other,
    "<": lambda one, other: one < other,
    "==": lambda one, other: one == other,
    "": lambda one, other: one == other,
}


def _padded(version: tuple[int, ...], length: int) -> tuple[int, ...]:
    return (*version, *(0,) * (length - len(version)))
