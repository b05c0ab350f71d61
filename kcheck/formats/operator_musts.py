"""What operators, or the API server before them, refuse of a resource by other fields of it.

``schemas/operators/musts.tsv`` says what holds between fields, ``schemas/operators/required.tsv`` what
objects must have by the definitions of Koperator, Redpanda and Confluent for Kubernetes (those of
Strimzi's by version of the API: ``formats.strimzi.required``). What a template fills in is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kcheck import data
from kcheck.formats import Lookup
from kcheck.formats.strimzi import required
from kcheck.formats.text import templated
from kcheck.model import ERROR, Document, Problem, Setting
from kcheck.syntax import yaml
from kcheck.units import whole

CODE = "KC0171"
STRIMZI = "strimzi"
_SERVER = "the API server rejects the resource: required value"

_musts: dict[tuple[str, str], list[tuple[list[str], str, str, str, str]]] = {}
_fields: dict[tuple[str, str], list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}


def tell(document: Document, operator: str, resource: yaml.Node, lookup: Lookup) -> None:
    """Report what the operator or the API server does not take of a resource."""
    kind, spec = yaml.text(yaml.child(resource, "kind")), yaml.child(resource, "spec")
    if not kind or spec is None:
        return
    name = yaml.text(yaml.child(resource, "metadata", "name")) or "?"
    found = [*_by_fields(operator, kind, resource)]
    if operator != STRIMZI:
        found += _by_objects(operator, kind, spec)
    if found and not required.is_made(document.path, lookup):
        for key, told, message, fix, severity, breaks in found:
            at = yaml.position(told)
            setting = Setting(key, yaml.text(told), document.path, at, at)
            document.problems.append(
                Problem(
                    f"{kind} {name}: {message}", at, CODE, severity, breaks, fix, setting=setting
                )
            )


def _by_objects(operator: str, kind: str, spec: yaml.Node) -> Iterator[_Told]:
    """What lacks a field that its definition demands; a patch of the whole has but what it changes."""
    for path, node, names in required.lacking(_demanded(operator, kind), spec):
        given = len(yaml.pairs(node))
        if path == "spec" and len(names) >= given:
            continue
        fix = f"set {', '.join(names)}"
        yield (
            f"{path}.{names[0]}",
            node,
            f"{path} has no {' and no '.join(names)}",
            fix,
            ERROR,
            _SERVER,
        )


def _by_fields(operator: str, kind: str, resource: yaml.Node) -> Iterator[_Told]:
    for route, form, argument, severity, breaks in _rules(operator, kind):
        lists: dict[int, list[_Field]] = {}
        for field in _at(resource, route, (), resource):
            lists.setdefault(id(field[2]), []).append(field)
        for fields in lists.values():
            for one in _FORMS[form](fields, argument, resource):
                yield *one, severity, breaks


def _rules(operator: str, kind: str) -> list[tuple[list[str], str, str, str, str]]:
    if not _musts:
        for own, kinds, path, form, argument, severity, breaks, *_ in data.rows(
            "operators/musts.tsv"
        ):
            row = (path.split("/"), form, argument, severity, breaks)
            for one in kinds.split():
                _musts.setdefault((own, one), []).append(row)
    return _musts.get((operator, kind), [])


def _demanded(operator: str, kind: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    if not _fields:
        for own, kinds, path, names in data.rows("operators/required.tsv"):
            for one in kinds.split():
                row = (tuple(path.split(".")[1:]), tuple(names.split()))
                _fields.setdefault((own, one), []).append(row)
    return _fields.get((operator, kind), [])


def _at(
    node: yaml.Node, route: list[str], path: tuple[str, ...], held: yaml.Node
) -> Iterator[_Field]:
    """The fields at a route: their path, the value, the list that they are in, and their object."""
    first, *rest = route
    part, equals, text = first.partition("=")
    name = part.removesuffix("[]")
    for key, _, value in yaml.pairs(node):
        if name not in (key, "*") or templated(key):
            continue
        if not rest:
            if not equals or yaml.text(value) == text:
                yield (*path, key), value, held, node
        elif part.endswith("[]"):
            for one in yaml.items(value):
                yield from _at(one, rest, (*path, key), value)
        else:
            yield from _at(value, rest, (*path, key), held)


def _known(node: yaml.Node | None) -> str | None:
    text = yaml.text(node)
    return None if text is None or templated(text) else text


def _starts(fields: list[_Field], argument: str, _: yaml.Node) -> Iterator[_Fault]:
    for path, value, _held, _own in fields:
        text = _known(value)
        if text is not None and not text.startswith(argument):
            key = ".".join(path)
            message = f"{key}={text} does not start with {argument}"
            yield key, value, message, f"use a path below {argument}"


def _unique(fields: list[_Field], _argument: str, _: yaml.Node) -> Iterator[_Fault]:
    seen: set[str] = set()
    for path, value, _held, _own in fields:
        text = _known(value)
        if text is not None and text in seen:
            key = ".".join(path)
            yield key, value, f"{key}={text} is there twice", f"give each its own {path[-1]}"
        seen.add(text or "")


def _excludes(fields: list[_Field], argument: str, _: yaml.Node) -> Iterator[_Fault]:
    for path, value, _held, own in fields:
        other = yaml.child(own, argument)
        if other is not None:
            key = ".".join(path)
            message = f"{key} and {argument} exclude each other"
            yield key, value, message, f"remove {path[-1]} or {argument}"


def _needs(fields: list[_Field], argument: str, _: yaml.Node) -> Iterator[_Fault]:
    for path, value, _held, own in fields:
        if yaml.child(own, argument) is None and not _open(own):
            key, text = ".".join(path), _known(value)
            shown = f"{key}={text}" if path[-1] == "type" else key
            lacking = ".".join((*path[:-1], argument))
            yield lacking, value, f"{shown} requires {argument}", f"set {lacking}"


def _open(node: yaml.Node) -> bool:
    return any(key == "<<" or templated(key) for key, _, _ in yaml.pairs(node))


def _number(fields: list[_Field], argument: str, below: bool) -> Iterator[_Fault]:
    other, default = argument.split()
    for path, value, _held, own in fields:
        node = yaml.child(own, other)
        if node is not None and not below:
            continue  # told at the other one
        mine, limit = (
            whole(_known(value) or ""),
            whole(_known(node) or "") if node else int(default),
        )
        if mine is None or limit is None:
            continue
        if (mine >= limit) if below else (mine <= limit):
            key = ".".join(path)
            shown = f"{other}={limit}{'' if node else ' (default)'}"
            message = f"{key}={mine} is not {'less' if below else 'greater'} than {shown}"
            yield key, value, message, f"set {path[-1]} {'below' if below else 'above'} {other}"


def _below(fields: list[_Field], argument: str, _: yaml.Node) -> Iterator[_Fault]:
    return _number(fields, argument, True)


def _above(fields: list[_Field], argument: str, _: yaml.Node) -> Iterator[_Fault]:
    return _number(fields, argument, False)


def _words(node: yaml.Node | None) -> list[str] | None:
    """The words of a list, or of a text with commas; None where a part is unknown."""
    texts = [yaml.text(one) for one in yaml.items(node)] if node is not None else []
    if not texts:
        text = yaml.text(node)
        texts = [*text.split(",")] if text else [None]
    words = [one.strip() for one in texts if one is not None]
    if len(words) < len(texts) or any(map(templated, words)):
        return None
    return [one for one in words if one]


def _within(fields: list[_Field], argument: str, resource: yaml.Node) -> Iterator[_Fault]:
    allowed = _words(yaml.child(resource, *argument.split("/")))
    for path, value, _held, _own in fields:
        mine = _words(value)
        lacking = [one for one in mine or () if one not in (allowed or mine or ())]
        if lacking:
            key, other = ".".join(path), argument.rpartition("/")[2]
            shown = lacking[0].rpartition(".")[2]
            message = f"{key} has {shown}, which {other} does not have"
            yield path[-1], value, message, f"add {lacking[0]} to {other}"


def _among(fields: list[_Field], argument: str, resource: yaml.Node) -> Iterator[_Fault]:
    holder = yaml.child(resource, *argument.split("/"))
    keys = [key for key, _, _ in yaml.pairs(holder)]
    if any(key == "<<" or templated(key) for key in keys):
        return
    for path, value, _held, _own in fields:
        text = _known(value)
        if text and text not in keys:
            key, other = ".".join(path), argument.replace("/", ".")
            yield path[-1], value, f"{key}={text} is not in {other}", f"define {text} in {other}"


def _some(fields: list[_Field], argument: str, _: yaml.Node) -> Iterator[_Fault]:
    texts = [_known(value) for _, value, _, _ in fields]
    if fields and None not in texts and argument not in texts:
        path, value, held, _own = fields[0]
        if len(yaml.items(held)) == len(fields):
            key = ".".join(path)
            message = f"no member of {'.'.join(path[:-1])} has {path[-1]}={argument}"
            yield key, value, message, f"set {path[-1]} to {argument} on one of them"


def _differs(fields: list[_Field], argument: str, resource: yaml.Node) -> Iterator[_Fault]:
    other = _known(yaml.child(resource, *argument.split("/")))
    for path, value, _held, _own in fields:
        if other and _known(value) == other:
            key, also = ".".join(path), argument.replace("/", ".")
            yield key, value, f"{key} and {also} are the same", f"remove {also}"


def _range(fields: list[_Field], argument: str, _: yaml.Node) -> Iterator[_Fault]:
    low, high = map(int, argument.split(".."))
    for path, value, _held, _own in fields:
        number = whole(_known(value) or "")
        if number is not None and not low <= number <= high:
            key = ".".join(path)
            message = f"{key}={number} is outside {low} to {high}"
            yield key, value, message, "use a number in that range"


_FORMS: dict[str, Callable[[list[_Field], str, yaml.Node], Iterator[_Fault]]]
_FORMS = {
    "starts": _starts,
    "unique": _unique,
    "excludes": _excludes,
    "needs": _needs,
    "below": _below,
    "above": _above,
    "within": _within,
    "among": _among,
    "some": _some,
    "differs": _differs,
    "range": _range,
}

TYPE_CHECKING = False
if TYPE_CHECKING:
    #: A path, its value, the innermost list that it is in, and its object.
    _Field = tuple[tuple[str, ...], yaml.Node, yaml.Node, yaml.Node]
    #: Key, place, message and fix.
    _Fault = tuple[str, yaml.Node, str, str]
    _Told = tuple[str, yaml.Node, str, str, str, str]
