"""Which rules weigh a key: the keys that a rule's code names, or the functions that it calls."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType

from kcheck import libraries
from kcheck.rule import Rule

#: Rules that weigh every key, of which a hint says nothing.
_MOST = 40


_texts_of: dict[str, set[str]] = {}


def by_key(rules: dict[str, Rule], keys: set[str]) -> dict[str, list[Rule]]:
    """The rules of each of the keys, in the order of their codes."""
    found: dict[str, list[Rule]] = {}
    for rule in rules.values():
        texts = _texts_of.get(rule.code)
        if texts is None:
            texts = _texts_of[rule.code] = {*rule.on, *_strings(rule.check, set())}
        named = texts & keys
        for key in named if len(named) < _MOST else ():
            found.setdefault(key, []).append(rule)
    return found


def _strings(function: object, seen: set[int]) -> Iterator[str]:
    """Every text in the code of a function, in the constants that it reads and in what it calls.

    What lies in other rooms than the rules is not followed: everything goes through there.
    """
    if not isinstance(function, FunctionType) or id(function) in seen:
        return
    seen.add(id(function))
    code = function.__code__
    yield from _constants(code)
    for name in code.co_names:
        if name in libraries.KEYS:
            # A key that each client library has by a name of its own.
            yield from {getattr(row, name) for row in libraries.ROWS}
        value = function.__globals__.get(name)
        if isinstance(value, FunctionType):
            if value.__module__.startswith("kcheck.rules."):
                yield from _strings(value, seen)
        elif not isinstance(value, (ModuleType, type)):
            yield from _texts(value)


def _constants(code: CodeType) -> Iterator[str]:
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _constants(value)
        else:
            yield from _texts(value)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (tuple, frozenset, list, set)):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(key)
            yield from _texts(item)
