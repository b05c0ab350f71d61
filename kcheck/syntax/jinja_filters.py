"""The values of Jinja's expressions, and what its filters, methods and signs make of them.

Each is a pure function over values that are known; everything else is unknown: None. The regular
expressions of templates are not run: of ``regex_replace`` only what puts text before and behind is read.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    #: Of a variable or an expression; None is unknown.
    Value: TypeAlias = "str | int | bool | list[Value] | Members | None"

_NUMBER = re.compile(r"-?[0-9]{1,19}")
#: Larger lists and texts are not put together.
_MOST = 10_000
_LONGEST = 100_000
_MOST_LAYERS = 20
#: Patterns that take in all of a text, its beginning or its end.
_WHOLE = ("^(.*)$", "(.*)", "^(.+)$", "(.+)", "^(.*)", "(.*)$")


class Members:
    """Something with parts that have names: a mapping, or what Ansible knows of hosts."""

    __slots__ = ("_find", "names")

    def __init__(self, find: Callable[[str], Value], names: Iterable[str]) -> None:
        self._find = find
        self.names = tuple(dict.fromkeys(names))

    def member(self, name: str) -> Value:
        return self._find(name) if name in self.names else UNDEFINED

    def pairs(self) -> list[Value]:
        """Each name with its value, which may be unknown."""
        return [[name, self._find(name)] for name in self.names]

    def __bool__(self) -> bool:
        return bool(self.names)

    def __len__(self) -> int:
        return len(self.names)


#: What is surely not there: only ``default`` and the test for it make something of it.
UNDEFINED = Members(lambda _: None, ())


def member(found: Value, name: Value) -> Value:
    """A part of a value, by its name or its place in a list."""
    if isinstance(found, Members):
        if found is UNDEFINED:
            return found
        return found.member(str(name)) if isinstance(name, (str, int)) else None
    if isinstance(found, list) and type(name) is int and -len(found) <= name < len(found):
        return found[name]
    return None


def nested(found: Value) -> bool:
    """Whether a value is a list with lists in it."""
    return isinstance(found, list) and any(isinstance(one, list) for one in found)


def reckoned(left: Value, sign: str, right: Value) -> Value:
    """A sum, difference, product, quotient or rest of numbers; a sum of texts or of lists."""
    if sign == "+" and isinstance(left, list) and isinstance(right, list):
        return left + right if len(left) + len(right) <= _MOST else None
    if sign == "+" and isinstance(left, str) and isinstance(right, str):
        return left + right if len(left) + len(right) <= _LONGEST else None
    if type(left) is not int or type(right) is not int:
        return None
    if sign in ("//", "%"):
        return None if right == 0 else left // right if sign == "//" else left % right
    made = left + right if sign == "+" else left - right if sign == "-" else left * right
    return made if abs(made) < 10**19 else None


def call(name: str, found: Value, given: list[Value], named: dict[str, Value]) -> Value:
    """What a method of a value gives."""
    if named or None in given:
        return None
    if isinstance(found, Members):
        return _of_mapping(name, found, given)
    if isinstance(found, list):
        return found.index(given[0]) if name == "index" and given and given[0] in found else None
    if not isinstance(found, str) or not all(isinstance(one, str) for one in given):
        return None
    texts = [str(one) for one in given]
    if name == "split":
        return [*found.split(texts[0] if texts and texts[0] else None)]
    if name in ("startswith", "endswith") and len(texts) == 1:
        return found.startswith(texts[0]) if name == "startswith" else found.endswith(texts[0])
    if name == "replace":
        return _replaced(found, texts)
    return _TEXTS[name](found) if name in _TEXTS and not texts else None


def _of_mapping(name: str, found: Members, given: list[Value]) -> Value:
    if found is UNDEFINED:
        return None
    if name == "get" and given:
        inner = found.member(str(given[0]))
        return given[1] if inner is UNDEFINED and given[1:] else inner
    if name == "keys" and not given:
        return [*found.names]
    return found.pairs() if name == "items" and not given else None


def filtered(name: str, found: Value, given: list[Value], named: dict[str, Value]) -> Value:
    """What a filter makes of a value."""
    if name in ("default", "d"):
        boolean = given[1] if len(given) > 1 else named.get("boolean")
        empty = boolean is True and not found and found is not None
        return given[0] if given and (empty or found is UNDEFINED) else found
    if found is None or found is UNDEFINED or None in given or None in named.values():
        return None
    if name == "map":
        return _mapped(found, given, named)
    if name == "combine":
        return _combined(found, given, named)
    if named:
        return None
    if name == "ternary":
        return given[0 if found else 1] if len(given) == 2 else None
    if name in ("length", "count"):
        return None if isinstance(found, int) else len(found)
    if isinstance(found, list):
        return _of_list(name, found, given)
    if isinstance(found, Members):
        return _of_members(name, found) if not given else None
    return _of_plain(name, found, given)


def _of_members(name: str, found: Members) -> Value:
    if name == "dict2items":
        return [
            Members(dict(zip(("key", "value"), pair, strict=True)).get, ("key", "value"))
            for pair in found.pairs()
            if isinstance(pair, list)
        ]
    return sorted(found.pairs(), key=_name) if name == "dictsort" else None


def _combined(found: Value, given: list[Value], named: dict[str, Value]) -> Value:
    """Mappings over each other: the last that has a name tells it; ``recursive``, those in them, too."""
    layers = [found, *given]
    recursive = named.get("recursive")
    if named.keys() - {"recursive"} or len(layers) > _MOST_LAYERS:
        return None
    if not all(isinstance(one, Members) and one is not UNDEFINED for one in layers):
        return None
    held = [one for one in layers if isinstance(one, Members)]

    def find(name: str) -> Value:
        told = [one.member(name) for one in held if name in one.names]
        if recursive is True and len(told) > 1 and isinstance(told[-1], Members):
            return _combined(told[0], told[1:], named)
        return told[-1]

    return Members(find, [name for one in held for name in one.names])


def _name(pair: Value) -> str:
    return str(pair[0]).lower() if isinstance(pair, list) else ""


def _kept(found: list[Value], given: list[Value]) -> Value:
    """The members of a list that are in another, or equal a value."""
    if len(given) != 2 or None in found:
        return None
    other = given[1]
    if given[0] == "in" and isinstance(other, (list, str)):
        return [one for one in found if isinstance(one, str) and one in other]
    return [one for one in found if one == other] if given[0] == "equalto" else None


def _of_list(name: str, found: list[Value], given: list[Value]) -> Value:
    plain = [str(one) for one in found if one is not None and not isinstance(one, (list, Members))]
    if name == "join":
        between = str(given[0]) if given else ""
        size = sum(map(len, plain)) + len(between) * len(plain)
        return between.join(plain) if len(plain) == len(found) and size <= _LONGEST else None
    if name in ("first", "last"):
        return (found[0] if name == "first" else found[-1]) if found else None
    if name in ("list", "select"):
        return found if name == "list" else _kept(found, given)
    if name in ("selectattr", "rejectattr"):
        return _selected(found, given, name == "selectattr")
    if name in ("difference", "intersect", "union"):
        return _of_sets(name, found, given)
    if len(plain) == len(found) and name in ("sort", "unique"):
        texts: list[Value] = list(sorted(plain) if name == "sort" else dict.fromkeys(plain))
        return texts if all(isinstance(one, str) for one in found) else None
    return None


def _of_sets(name: str, found: list[Value], given: list[Value]) -> Value:
    """The members of a list that another one has not, or has; of both: each once, in their order."""
    other = given[0] if len(given) == 1 else None
    if not isinstance(other, list) or not all(isinstance(one, str) for one in found + other):
        return None
    members = found + other if name == "union" else found
    kept = [one for one in members if name == "union" or (one in other) == (name == "intersect")]
    return [*dict.fromkeys(map(str, kept))]


def _of_plain(name: str, found: str | int, given: list[Value]) -> Value:
    text = str(found)
    if name in _TEXTS:
        return _TEXTS[name](text)
    if name == "int":
        return int(text) if _NUMBER.fullmatch(text.strip()) else None
    if name == "bool":
        return text.lower() in ("true", "yes", "on", "1")
    if name == "replace":
        return _replaced(text, [str(one) for one in given])
    if name == "regex_replace":
        return _put_around(text, given)
    return [*text.split(str(given[0]) if given else None)] if name == "split" else None


def _replaced(text: str, given: list[str]) -> str | None:
    if len(given) != 2 or not given[0]:
        return None
    made = text.replace(given[0], given[1])
    return made if len(made) <= _MOST else None


def _put_around(text: str, given: list[Value]) -> str | None:
    """What ``regex_replace`` makes of a text where it only puts some before or behind it."""
    pattern, made = (str(given[0]), str(given[1])) if len(given) == 2 else ("", "")
    if pattern in _WHOLE and made.count("\\1") == 1 and made.count("\\") == 1:
        return made.replace("\\1", text)
    if pattern in ("^", "$") and "\\" not in made:
        return made + text if pattern == "^" else text + made
    return None


def _mapped(found: Value, given: list[Value], named: dict[str, Value]) -> Value:
    """A list with a filter, ``extract`` or an attribute over each of its members."""
    if not isinstance(found, list):
        return None
    if set(named) == {"attribute"} and not given:
        made = [member(one, named["attribute"]) for one in found]
    elif not given or named:
        return None
    elif given[0] == "extract":
        made = []
        for one in found:
            inner = member(given[1] if len(given) > 1 else None, one)
            for step in given[2:]:
                for name in step if isinstance(step, list) else [step]:
                    inner = member(inner, name)
            made.append(inner)
    else:
        made = [filtered(str(given[0]), one, given[1:], {}) for one in found]
    return None if None in made or UNDEFINED in made else made


def _selected(found: list[Value], given: list[Value], wanted: bool) -> Value:
    """The members of a list with an attribute that equals a value, or those without."""
    if len(given) != 3 or given[1] not in ("equalto", "eq", "=="):
        return None
    told = [member(one, given[0]) for one in found]
    if None in told or UNDEFINED in told:
        return None
    return [one for one, value in zip(found, told, strict=True) if (value == given[2]) == wanted]


_TEXTS: dict[str, Callable[[str], str]] = {
    "lower": str.lower,
    "upper": str.upper,
    "trim": str.strip,
    "strip": str.strip,
    "string": str,
}
