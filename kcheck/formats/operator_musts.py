"""What operators, or the API server before them, refuse of a resource by other fields of it.

``formats.requirements`` says what holds between fields, ``schemas/operators/required.tsv`` what
objects must have by the definitions of Koperator, Redpanda and Confluent for Kubernetes (those of
Strimzi's by version of the API: ``formats.strimzi.required``). What a template fills in is unknown.
"""

from __future__ import annotations

from kcheck import data
from kcheck.formats import Lookup, requirements
from kcheck.formats.strimzi import required
from kcheck.model import ERROR, Document, Problem, Setting
from kcheck.syntax import yaml

CODE = "KC0171"
STRIMZI = "strimzi"

_fields: dict[tuple[str, str], list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}


def tell(document: Document, operator: str, resource: yaml.Node, lookup: Lookup) -> None:
    """Report what the operator or the API server does not take of a resource; nothing of one that
    kustomize or Helm may complete."""
    kind, spec = yaml.text(yaml.child(resource, "kind")), yaml.child(resource, "spec")
    if not kind or spec is None:
        return
    owner = f"{kind} {yaml.text(yaml.child(resource, 'metadata', 'name')) or '?'}"
    before = len(document.problems)
    requirements.of_node(document, f"{operator} {kind}", owner, resource, "the operator")
    if operator != STRIMZI:
        _required(document, operator, kind, owner, spec)
    if len(document.problems) > before and required.is_made(document.path, lookup):
        del document.problems[before:]


def _required(document: Document, operator: str, kind: str, owner: str, spec: yaml.Node) -> None:
    """Report objects that lack a field of their definition; a patch of the whole has but what it changes."""
    for path, node, names in required.lacking(_demanded(operator, kind), spec):
        if path == "spec" and len(names) >= len(yaml.pairs(node)):
            continue
        at = yaml.position(node)
        document.problems.append(
            Problem(
                f"{owner}: {path} has no {' and no '.join(names)}",
                at,
                CODE,
                ERROR,
                "the API server rejects the resource: required value",
                f"set {', '.join(names)}",
                setting=Setting(f"{path}.{names[0]}", None, document.path, at),
            )
        )


def _demanded(operator: str, kind: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    if not _fields:
        for own, kinds, path, names in data.rows("operators/required.tsv"):
            for one in kinds.split():
                row = (tuple(path.split(".")[1:]), tuple(names.split()))
                _fields.setdefault((own, one), []).append(row)
    return _fields.get((operator, kind), [])
