"""Objects → plain data, all the way down: to tell whether anything in them has changed."""

from __future__ import annotations

from enum import Enum
from pathlib import PurePath

#: What is its own snapshot.
_PLAIN = (str, bytes, int, float, bool, type(None), type, Enum, PurePath)


def snapshot(thing: object) -> object:
    """What the thing and all that hangs on it look like; equal for what nobody can tell apart."""
    return _taken(thing, {})


def _taken(thing: object, seen: dict[int, int]) -> object:
    if isinstance(thing, _PLAIN) or callable(thing):
        return thing
    if isinstance(thing, frozenset | set):
        return (type(thing).__name__, frozenset(thing))
    # What comes twice is the same thing twice, and may lead back to itself.
    if id(thing) in seen:
        return ("again", seen[id(thing)])
    seen[id(thing)] = len(seen)
    if isinstance(thing, list | tuple):
        return (type(thing).__name__, *(_taken(one, seen) for one in thing))
    if isinstance(thing, dict):
        return ("dict", *((key, _taken(value, seen)) for key, value in thing.items()))
    names = dict.fromkeys(n for kind in type(thing).__mro__ for n in getattr(kind, "__slots__", ()))
    names.update(dict.fromkeys(getattr(thing, "__dict__", ())))
    held = ((name, _taken(getattr(thing, name), seen)) for name in names if hasattr(thing, name))
    return (type(thing).__name__, *held)
