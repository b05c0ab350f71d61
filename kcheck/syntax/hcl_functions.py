"""Functions of Terraform's language over known values; one that gets an unknown one gives none.

Each gets who calls it and its arguments. The names and what they do: the reference of Terraform's language,
developer.hashicorp.com/terraform/language/functions.
"""

from __future__ import annotations

from collections.abc import Callable

from kcheck.syntax.hcl_values import NULL, Entry, Held, Object, Open, Scalar, Value, member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

    from kcheck.syntax.hcl import File

#: So long are the texts and collections that functions make.
_MOST = 20_000
#: So many characters are looked at for one of them.
_LARGEST = 4_000_000


class Calls:
    """Who calls a function: its file, and how texts are made for the call."""

    __slots__ = ("_made", "_node", "file")

    def __init__(self, file: File, made: Callable[[str, Node], Scalar], node: Node) -> None:
        self.file = file
        self._made = made
        self._node = node

    def text(self, text: str | None) -> Scalar | None:
        """A text as the call's value; None for one that is unknown or too long."""
        return None if text is None or len(text) > _MOST else self._made(text, self._node)

    def unknown(self, entry: Entry) -> Held:
        """A member whose value another one may replace."""
        return Held(entry.key, entry.key_at, None, entry.at, entry.path)


Function = Callable[[Calls, list[Value]], Value]


def number(value: Value) -> int | None:
    """A whole number; None for anything else."""
    if not isinstance(value, Scalar):
        return None
    digits = value.text.removeprefix("-")
    return int(value.text) if digits.isdecimal() and digits.isascii() and len(digits) < 30 else None


def _texts(values: list[Value]) -> list[str] | None:
    found = [one.text for one in values if isinstance(one, Scalar)]
    return found if len(found) == len(values) else None


def _lookup(calls: Calls, values: list[Value]) -> Value:
    if len(values) not in (2, 3) or not isinstance(values[1], Scalar):
        return None
    where, key = values[0], values[1].text
    if not isinstance(where, list):
        return None
    found = [entry for entry in where if entry.key == key]
    return found[-1].value if found else (values[2] if len(values) == 3 else None)


def _merge(calls: Calls, values: list[Value]) -> Value:
    merged: dict[str, Object] = {}
    made: Object = []
    for part in values:
        if not isinstance(part, list):
            # It may have any of the keys so far, with other values.
            merged = {key: [calls.unknown(entries[-1])] for key, entries in merged.items()}
            made = Open()
            continue
        if not calls.file.spend(len(part)):
            return None
        made = Open() if isinstance(part, Open) else made
        for again in {entry.key for entry in part}:
            merged.pop(again, None)
        for entry in part:
            merged.setdefault(entry.key, []).append(entry)
    made += [entry for entries in merged.values() for entry in entries]
    return made if merged else None


def _concat(calls: Calls, values: list[Value]) -> Value:
    made: list[Value] = []
    for part in values:
        if not isinstance(part, tuple) or not calls.file.spend(len(part)):
            return None
        made += part
    return tuple(made)


def _flatten(calls: Calls, values: list[Value]) -> Value:
    if len(values) != 1 or not isinstance(values[0], tuple):
        return None
    made: list[Value] = []
    stack = list(reversed(values[0]))
    while stack:
        one = stack.pop()
        if not calls.file.spend() or one is None:
            return None
        if isinstance(one, tuple):
            stack += reversed(one)
        else:
            made.append(one)
    return tuple(made)


def _keys(calls: Calls, values: list[Value]) -> Value:
    if len(values) != 1 or not isinstance(values[0], list):
        return None
    entries = sorted(values[0], key=lambda one: one.key)
    return tuple(Scalar(one.key, one.key_at, one.path) for one in entries)


def _values(calls: Calls, values: list[Value]) -> Value:
    if len(values) != 1 or not isinstance(values[0], list):
        return None
    return tuple(one.value for one in sorted(values[0], key=lambda one: one.key))


def _length(calls: Calls, values: list[Value]) -> Value:
    one = values[0] if len(values) == 1 else None
    if isinstance(one, Scalar):
        return calls.text(str(len(one.text)))
    if isinstance(one, list):
        return calls.text(str(len({entry.key for entry in one})))
    return None if one is None else calls.text(str(len(one)))


def _element(calls: Calls, values: list[Value]) -> Value:
    listed, at = (values[0], number(values[1])) if len(values) == 2 else (None, None)
    if not isinstance(listed, tuple) or not listed or at is None:
        return None
    return member(listed, str(at % len(listed)))


def _contains(calls: Calls, values: list[Value]) -> Value:
    listed, wanted = values if len(values) == 2 else (None, None)
    if not isinstance(listed, tuple) or not isinstance(wanted, Scalar):
        return None
    texts = _texts(list(listed))
    return None if texts is None else calls.text("true" if wanted.text in texts else "false")


def _join(calls: Calls, values: list[Value]) -> Value:
    first = values[0] if values else None
    parts: list[Value] = []
    for part in values[1:]:
        parts += part if isinstance(part, tuple) else [None]
    texts = _texts(parts)
    if not isinstance(first, Scalar) or texts is None:
        return None
    if sum(map(len, texts)) + len(first.text) * len(texts) > _MOST:
        return None
    return calls.text(first.text.join(texts))


def _split(calls: Calls, values: list[Value]) -> Value:
    texts = _texts(values)
    if texts is None or len(texts) != 2 or not texts[0] or not calls.file.spend(len(texts[1])):
        return None
    return tuple(calls.text(part) for part in texts[1].split(texts[0]))


def _format(calls: Calls, values: list[Value]) -> Value:
    texts = _texts(values)
    if not texts:
        return None
    pattern, *given = texts
    made: list[str] = []
    pieces = pattern.split("%%")
    for piece in pieces:
        head, *rest = piece.split("%")
        made.append(head)
        for part in rest:
            if part[:1] not in ("s", "d", "v") or not given:
                return None
            made.append(given.pop(0) + part[1:])
        made.append("%")
    made.pop()
    return None if given else calls.text("".join(made))


def _of_text(change: Callable[[list[str]], str | None], count: int) -> Function:
    """A function of so many texts."""

    def function(calls: Calls, values: list[Value]) -> Value:
        texts = _texts(values)
        if texts is None or len(texts) != count or sum(map(len, texts)) > _MOST:
            return None
        return calls.text(change(texts))

    return function


def _of_numbers(change: Callable[[list[int]], int]) -> Function:
    def function(calls: Calls, values: list[Value]) -> Value:
        numbers = [one for one in map(number, values) if one is not None]
        same = len(numbers) == len(values) and bool(numbers)
        return calls.text(str(change(numbers))) if same else None

    return function


def _coalesce(calls: Calls, values: list[Value]) -> Value:
    rest = [one for one in values if one != NULL]
    first = rest[0] if rest else None
    return first if isinstance(first, Scalar) and first.text else None


def _replace(texts: list[str]) -> str | None:
    text, old, new = texts
    if old.startswith("/") or not old or len(text) * len(new) > _LARGEST:
        return None
    return text.replace(old, new)


def _file(calls: Calls, values: list[Value]) -> Value:
    found = _content(calls, values)
    if found is None:
        return None
    path, data = found
    return Scalar(data.decode("utf-8", "replace"), (1, 1, 1, 1), path, made=True)


def _content(calls: Calls, values: list[Value]) -> tuple[str, bytes] | None:
    one = values[0] if len(values) == 1 else None
    return calls.file.content(one.text) if isinstance(one, Scalar) else None


def _templatefile(calls: Calls, values: list[Value]) -> Value:
    """The text of a file with the names in it that are given; others stay as they are written."""
    found = _content(calls, values[:1])
    given = values[1] if len(values) == 2 else None
    if found is None or not isinstance(given, list):
        return None
    text = found[1].decode("utf-8", "replace")
    if "%{" in text:
        return None
    for entry in given:
        known = entry.value
        if isinstance(known, Scalar) and "\n" not in known.text and len(known.text) < 1000:
            text = text.replace("${" + entry.key + "}", known.text)
    return Scalar(text, (1, 1, 1, 1), found[0], made=True) if len(text) < 10 * _MOST else None


def _decoded(calls: Calls, values: list[Value]) -> Value:
    """``yamldecode`` and ``jsondecode`` of a file or of a text."""
    one = values[0] if len(values) == 1 else None
    if not isinstance(one, Scalar) or len(one.text) > 10 * _MOST:
        return None
    from kcheck.syntax import hcl_decoded  # few files decode one

    return hcl_decoded.value(one, calls.file.spend)


def _encoded(values: list[Value]) -> Value:
    """``jsonencode``: what is decoded again where it is read."""
    return values[0] if len(values) == 1 and isinstance(values[0], list) else None


FUNCTIONS: dict[str, Function] = {
    "abs": _of_numbers(lambda given: abs(given[0])),
    "coalesce": _coalesce,
    "concat": _concat,
    "contains": _contains,
    "distinct": lambda calls, values: values[0] if len(values) == 1 else None,
    "element": _element,
    "file": _file,
    "flatten": _flatten,
    "format": _format,
    "join": _join,
    "jsondecode": _decoded,
    "jsonencode": lambda calls, values: _encoded(values),
    "keys": _keys,
    "length": _length,
    "lookup": _lookup,
    "lower": _of_text(lambda texts: texts[0].lower(), 1),
    "max": _of_numbers(max),
    "merge": _merge,
    "min": _of_numbers(min),
    "replace": _of_text(_replace, 3),
    "split": _split,
    "templatefile": _templatefile,
    "title": _of_text(lambda texts: texts[0].title() if texts[0].isalnum() else None, 1),
    "trimprefix": _of_text(lambda texts: texts[0].removeprefix(texts[1]), 2),
    "trimspace": _of_text(lambda texts: texts[0].strip(), 1),
    "trimsuffix": _of_text(lambda texts: texts[0].removesuffix(texts[1]), 2),
    "upper": _of_text(lambda texts: texts[0].upper(), 1),
    "values": _values,
    "yamldecode": _decoded,
}
