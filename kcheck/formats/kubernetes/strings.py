"""Values that the API server takes as strings alone, where YAML reads a number or a boolean: of
labels and annotations, of variables, of ConfigMaps and Secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.kubernetes import quantities as kubernetes_quantities
from kcheck.model import Document, Edit, Problem, Setting
from kcheck.syntax import yaml

CODE = "KC0118"

#: What kubectl's YAML reads as a boolean or a number when it has no quotes.
_BOOLEANS = frozenset({"true", "false", "yes", "no", "on", "off"})
#: How one of them begins.
_FIRST = frozenset("0123456789+-tTfFyYnNoO")
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?")
#: Maps of strings wherever they stand in an object, and those of one kind of object.
_MAPS = frozenset({"labels", "annotations", "matchLabels", "nodeSelector"})
_OWN = {("ConfigMap", "data"), ("Secret", "stringData"), ("Secret", "data")}
#: Objects, of which there may be many, that have nothing of the kind but in their metadata.
WITHOUT_PODS = frozenset({"KafkaConnector", "KafkaTopic", "KafkaUser"})
#: Lists of pairs whose values are strings.
_PAIRS = frozenset({"env", "javaSystemProperties"})
#: What an object leaves open: settings, values of a chart, and the schema of another kind.
_OPEN = frozenset({"config", "configOverrides", "openAPIV3Schema", "values", "valuesObject"})
_DEEPEST = 12


def tell(document: Document, node: yaml.Node) -> None:
    """Report the values of one object that the API server refuses by their type."""
    kind = yaml.text(yaml.child(node, "kind")) or "object"
    if kind in WITHOUT_PODS:
        of_metadata(document, kind, yaml.child(node, "metadata"))
        return
    for part, _, inner in yaml.pairs(node):
        if (kind, part) in _OWN:
            _report(document, kind, f"{kind}'s {part}", yaml.pairs(inner))
        else:
            for name, held in _held(part, inner, _DEEPEST, kind):
                amounts = name in kubernetes_quantities.AMOUNTS
                check = kubernetes_quantities.report if amounts else _report
                check(document, kind, name, held)


def of_metadata(document: Document, kind: str, metadata: yaml.Node | None) -> None:
    """The same of an object that has such values in its metadata alone."""
    for name, _, inner in yaml.pairs(metadata):
        if name in _MAPS:
            for entry in yaml.pairs(inner):
                value = entry[2]
                if isinstance(value, yaml.ScalarNode) and value.value[:1] in _FIRST:
                    _report(document, kind, name, [entry])


def of_variables(document: Document, kind: str, name: str, node: yaml.Node | None) -> None:
    """The same of a list of variables that a chart hands to a container as it is."""
    _report(document, kind, name, _variables(node))


_Entries = list[tuple[str, yaml.Node, yaml.Node]]


def _variables(node: yaml.Node | None) -> _Entries:
    found = [(yaml.child(item, "name"), yaml.child(item, "value")) for item in yaml.items(node)]
    return [
        (yaml.text(key) or "", key, value)
        for key, value in found
        if key is not None and value is not None
    ]


def _held(name: str, node: yaml.Node, depth: int, kind: str) -> Iterator[tuple[str, _Entries]]:
    """The maps and lists of strings, and the amounts, in a part of an object."""
    yield from kubernetes_quantities.held(kind, name, node)
    if name in _MAPS:
        yield name, yaml.pairs(node)
    elif name in _PAIRS:
        yield name, _variables(node)
    elif name not in _OPEN and depth:
        for key, _, inner in yaml.pairs(node):
            yield from _held(key, inner, depth - 1, kind)
        for item in yaml.items(node):
            for key, _, inner in yaml.pairs(item):
                yield from _held(key, inner, depth - 1, kind)


def _report(document: Document, kind: str, name: str, entries: _Entries) -> None:
    for key, _, value in entries:
        what = _kind_of(value)
        if not what:
            continue
        text, at = yaml.text(value) or "", yaml.position(value)
        document.problems.append(
            Problem(
                f"{key} in {name} is the {what} {text}, but Kubernetes accepts only strings there",
                at,
                CODE,
                consequence=f"the API server rejects the {kind}",
                fix=f'write "{text}" in quotes',
                edits=(Edit(document.path, at, f'"{text}"'),),
                setting=Setting(key, text, document.path, at, name=key),
            )
        )


def _kind_of(node: yaml.Node) -> str:
    """``boolean`` or ``number`` where a scalar without quotes is one; "" for all else."""
    if not isinstance(node, yaml.ScalarNode) or node.style or node.tag:
        return ""
    text = str(node.value)
    if text.lower() in _BOOLEANS and text in (text.lower(), text.upper(), text.capitalize()):
        return "boolean"
    return "number" if _NUMBER.fullmatch(text) else ""
