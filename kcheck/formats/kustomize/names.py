"""Names that kustomize changes, and what still has the old ones.

A prefix, a suffix and the hash of a generated ConfigMap or Secret change names; kustomize follows
them in fields of Kubernetes' own kinds, but neither in labels nor in custom resources.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats import Lookup
from kcheck.formats.kustomize import kustomization
from kcheck.formats.scalars import known
from kcheck.model import Document, Kustomization, Position, Problem, Setting
from kcheck.syntax import yaml

LABELLED, NAMED = "KC0655", "KC0656"

#: With one of these, kustomize may follow names that it otherwise does not.
_UNKNOWN = ("configurations", "replacements", "transformers", "vars", "openapi", "helmCharts")
_GENERATORS = ("configMapGenerator", "secretGenerator")
#: The kinds by which a label names another resource, and the kind of that.
_MEMBERS = {
    "KafkaNodePool": "Kafka",
    "KafkaTopic": "Kafka",
    "KafkaUser": "Kafka",
    "KafkaConnector": "KafkaConnect",
    "KafkaRebalance": "Kafka",
}
_LABEL = "strimzi.io/cluster"
_GROUP = ".strimzi.io/"
_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
#: So many files are looked at, so deep in bases.
_MOST, _DEEPEST = 60, 5
_NESTED = 15


class _Built:
    """The objects that a kustomization builds of files of the project."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._left = _MOST
        self.objects: list[yaml.Node] = []
        #: Whether something of it changes names in ways that are not followed here.
        self.open = False

    def add(self, made: Kustomization, depth: int = 0) -> None:
        for path in (*made.resources, *made.components):
            if not path.endswith((".yaml", ".yml")):
                self._folder(path, depth)
            elif (data := self._data(path)) is not None and b"strimzi.io" in data:
                nodes, problem = yaml.documents(data)
                self.open = self.open or problem is not None
                self.objects += nodes

    def _data(self, path: str) -> bytes | None:
        self._left -= 1
        return self._lookup(path) if self._left >= 0 else None

    def _folder(self, folder: str, depth: int) -> None:
        for name in _KUSTOMIZATIONS if depth < _DEEPEST else ():
            path = f"{folder}/{name}".lstrip("/")
            data = self._data(path)
            if data is None:
                continue
            nodes, problem = yaml.documents(data)
            made = kustomization.of_node(path, nodes[0], self._lookup) if len(nodes) == 1 else None
            if problem is not None or made is None or _follows(nodes[0], made, data):
                self.open = True
            else:
                self.add(made, depth + 1)
            return


def _follows(node: yaml.Node, made: Kustomization, data: bytes) -> bool:
    """Whether a base changes names or labels, or follows changes, in a way of its own."""
    keys = ("namePrefix", "nameSuffix", *_UNKNOWN)
    told = any(yaml.child(node, key) is not None for key in keys)
    return told or bool(made.patches) or _LABEL.encode() in data


def faults(document: Document, node: yaml.Node, lookup: Lookup) -> Iterator[Problem]:
    """What a kustomization's own changes of names leave behind."""
    made = document.kustomize
    told = [key for key, _, _ in yaml.pairs(node)]
    renames = made is not None and (made.name_prefix or made.name_suffix)
    if made is None or not (renames or any(key in told for key in _GENERATORS)):
        return
    if any(key in told for key in _UNKNOWN) or made.patches:
        return
    built = _Built(lookup)
    built.add(made)
    if built.open:
        return
    objects = [o for o in built.objects if _GROUP in known(yaml.child(o, "apiVersion"))]
    if renames:
        yield from _labels(document, node, made, objects)
    yield from _references(document, node, made, objects)


def _labels(
    document: Document, node: yaml.Node, made: Kustomization, objects: list[yaml.Node]
) -> Iterator[Problem]:
    names = {(_kind(one), _name(one)) for one in objects}
    label = _common(node)
    left: dict[str, list[str]] = {}
    for one in objects:
        owner = _MEMBERS.get(_kind(one))
        old = label or known(yaml.child(one, "metadata", "labels", _LABEL))
        if owner is not None and old and (owner, old) in names:
            left.setdefault(f"{owner} {old}", []).append(f"{_kind(one)} {_name(one)}")
    for owner, members in left.items():
        kind, _, old = owner.partition(" ")
        new = f"{made.name_prefix}{old}{made.name_suffix}"
        more = len(members) - 1
        who = (
            f"{members[0]} and {more} other{'s' if more > 1 else ''} keep"
            if more
            else f"{members[0]} keeps"
        )
        key, at, told = _renaming(node)
        yield Problem(
            f"{key} renames {kind} {old} to {new}, but {who} the label {_LABEL}={old}",
            at,
            LABELLED,
            consequence=f"kustomize changes no labels: the operator does not assign {members[0]} to {kind} {new}",
            fix=f"set {_LABEL}: {new} with labels or a patch, or remove {key}",
            setting=Setting(key, told, document.path, at),
        )


def _references(
    document: Document, node: yaml.Node, made: Kustomization, objects: list[yaml.Node]
) -> Iterator[Problem]:
    asked: dict[str, str] = {}
    for one in objects:
        for name in _named(yaml.child(one, "spec"), _NESTED):
            asked.setdefault(name, f"{_kind(one)} {_name(one)}")
    for kind in _GENERATORS:
        for item in yaml.items(yaml.child(node, kind)):
            name, named = known(yaml.child(item, "name")), yaml.child(item, "name")
            hashed = not _plain(node, item)
            if named is None or name not in asked or not (hashed or made.name_prefix):
                continue
            new = f"{made.name_prefix}{name}{made.name_suffix}" + ("-<hash>" if hashed else "")
            what = "ConfigMap" if kind == _GENERATORS[0] else "Secret"
            yield Problem(
                f"{kind} makes the {what} {new}, but {asked[name]} refers to {name}",
                yaml.position(named),
                NAMED,
                consequence=f"the operator does not find the {what}, and does not reconcile the resource",
                fix="set generatorOptions.disableNameSuffixHash: true"
                if hashed
                else "remove namePrefix, or patch the reference",
                setting=Setting(kind, name, document.path, yaml.position(named)),
            )


def _named(node: yaml.Node | None, depth: int) -> Iterator[str]:
    """The names of ConfigMaps and Secrets that a custom resource refers to."""
    for key, _, value in yaml.pairs(node) if depth else ():
        if key in ("configMapKeyRef", "secretKeyRef", "configMap"):
            yield from filter(None, [known(yaml.child(value, "name"))])
        elif key == "secretName":
            yield from filter(None, [known(value)])
        yield from _named(value, depth - 1)
    for item in yaml.items(node) if depth else ():
        yield from _named(item, depth - 1)


def _plain(node: yaml.Node, item: yaml.Node) -> bool:
    """Whether a generated name gets no hash."""
    key = "disableNameSuffixHash"
    options = (yaml.child(node, "generatorOptions", key), yaml.child(item, "options", key))
    return any(known(option).lower() not in ("", "false") for option in options)


def _common(node: yaml.Node) -> str:
    """The cluster that the kustomization's own labels name."""
    found = known(yaml.child(node, "commonLabels", _LABEL))
    for item in yaml.items(yaml.child(node, "labels")):
        found = known(yaml.child(item, "pairs", _LABEL)) or found
    return found


def _renaming(node: yaml.Node) -> tuple[str, Position, str]:
    for key, key_node, value in yaml.pairs(node):
        if key in ("namePrefix", "nameSuffix") and known(value):
            return key, yaml.position(key_node), known(value)
    raise AssertionError  # asked only where one of them is set


def _kind(node: yaml.Node) -> str:
    return known(yaml.child(node, "kind"))


def _name(node: yaml.Node) -> str:
    return known(yaml.child(node, "metadata", "name"))
