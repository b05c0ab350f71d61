"""Fields that the API server demands of an object of Strimzi's (``schemas/strimzi/required.tsv``)."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import data
from kcheck.formats import Lookup
from kcheck.formats.text import templated
from kcheck.model import ERROR, Document, Problem, Setting
from kcheck.syntax import yaml

CODE = "KC0170"
#: What a resource has that is no patch of another one: the first of these that its kind has.
_WHOLE = (("kafka", "listeners"), ("mirrors",), ("bootstrapServers",), ("authentication",))
#: By kind and version of the API: the path of the object, and its fields.
_required: dict[tuple[str, str], list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}


def tell(
    document: Document, kind: str, version: str, name: str, spec: yaml.Node, lookup: Lookup
) -> None:
    """Report the objects in the resource that lack a field.

    A patch has but what it changes, of which lists are whole: outside of lists this holds for
    resources that nobody completes.
    """
    found = [
        (path, node, names)
        for path, node, names in lacking(_rows(kind, version), spec)
        if "[]" in path or _is_whole(spec)
    ]
    if not found or is_made(document.path, lookup):
        return
    for path, node, names in found:
        at, first = yaml.position(node), f"{path}.{names[0]}"
        document.problems.append(
            Problem(
                f"{kind} {name}: {path} has no {' and no '.join(names)}",
                at,
                CODE,
                ERROR,
                "the API server rejects the resource: required value",
                f"set {', '.join(names)}",
                setting=Setting(first, None, document.path, at),
            )
        )


def _rows(kind: str, version: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    if not _required:
        for own, api, path, names in data.rows("strimzi/required.tsv"):
            for one in ("v1beta2", "v1") if api == "*" else (api,):
                rows = _required.setdefault((own, one), [])
                rows.append((tuple(path.split(".")[1:]), tuple(names.split())))
    return _required.get((kind, version), [])


def lacking(
    rows: list[tuple[tuple[str, ...], tuple[str, ...]]], spec: yaml.Node
) -> Iterator[tuple[str, yaml.Node, list[str]]]:
    """The objects in a resource that lack fields: path, object and these names, by rows of a table."""
    for route, names in rows:
        path = ".".join(("spec", *route))
        for node in _at(spec, route):
            given = {key: value for key, _, value in yaml.pairs(node)}
            # A field without a value is there to be filled in, whoever does it.
            blank = any(one in given and yaml.is_null(given[one]) for one in names)
            absent = [one for one in names if one not in given]
            if absent and not blank and not any(map(_open, given)):
                yield path, node, absent


def _open(key: str) -> bool:
    return templated(key) or "{" in key or key == "<<"


def _at(node: yaml.Node, route: tuple[str, ...]) -> Iterator[yaml.Node]:
    """The objects at that route, in each element of a list on the way."""
    if not route:
        if not isinstance(node, yaml.ScalarNode | yaml.SequenceNode):
            yield node
        return
    first, *rest = route
    name = first.removesuffix("[]")
    for held in [value for key, _, value in yaml.pairs(node) if name in (key, "*")]:
        for one in yaml.items(held) if first.endswith("[]") else (held,):
            yield from _at(one, tuple(rest))


def _is_whole(spec: yaml.Node) -> bool:
    given = {key for key, _, _ in yaml.pairs(spec)}
    if len(given & {"replicas", "roles", "storage"}) > 1:  # of a pool, which has little more
        return True
    return any(yaml.child(spec, *route) is not None for route in _WHOLE)


def is_made(path: str, lookup: Lookup) -> bool:
    """Whether kustomize or Helm may fill in more than stands in the file."""
    if "/templates/" in f"/{path}":
        return True
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        for name in ("kustomization.yaml", "kustomization.yml", "Kustomization"):
            if lookup(f"{folder}/{name}".lstrip("/")) is not None:
                return True
    return False
