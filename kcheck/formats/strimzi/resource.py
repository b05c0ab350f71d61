"""What all custom resources of Strimzi have: a name, a cluster, and settings in a ``config``."""

from __future__ import annotations

from kcheck import operators
from kcheck.formats.scalars import setting
from kcheck.formats.text import templated
from kcheck.model import STRIMZI, Document, Note, Resource, Setting
from kcheck.syntax import yaml

#: The parts of a resource by name; the whole node is under "".
Parts = dict[str, yaml.Node]

#: Resources that the operators inside of a cluster look for by its label.
_CLAIMED = ("topic", "user")
_LABELS = ("strimzi.io/cluster", "eventstreams.ibm.com/cluster")


class Meta:
    """Who a resource is: its name, the place of that, and the cluster that its label names."""

    __slots__ = (
        "annotations",
        "at",
        "connectors",
        "kraft",
        "label",
        "label_at",
        "label_key_at",
        "labelled",
        "migrates",
        "name",
        "namespace",
        "pools",
        "version",
    )

    def __init__(self, parts: Parts) -> None:
        #: What stands behind the slash of ``apiVersion``.
        self.version = (yaml.text(parts.get("apiVersion")) or "").partition("/")[2]
        self.name, self.at = "?", yaml.position(parts[""])
        self.label = self.namespace = ""
        self.label_at = self.label_key_at = self.at
        self.kraft = ""
        self.annotations: yaml.Node | None = None
        self.pools = self.connectors = self.labelled = self.migrates = False
        for key, _, value in yaml.pairs(parts.get("metadata")):
            if key == "name":
                self.name, self.at = yaml.text(value) or "?", yaml.position(value)
            elif key == "namespace":
                self.namespace = known(value)
            elif key == "labels":
                self._labels(value)
            elif key == "annotations":
                self.annotations = value
                self.pools = _says(value, "strimzi.io/node-pools", "enabled")
                self.kraft = yaml.text(yaml.child(value, "strimzi.io/kraft")) or ""
                self.migrates = self.kraft == "migration"
                self.connectors = _says(value, "strimzi.io/use-connector-resources", "true")

    def _labels(self, labels: yaml.Node) -> None:
        for name, key, value in yaml.pairs(labels):
            if name not in _LABELS:
                self.labelled = self.labelled or templated(name)
            else:
                self.labelled, self.label = True, known(value)
                self.label_at, self.label_key_at = yaml.position(value), yaml.position(key)


def _says(annotations: yaml.Node, name: str, wanted: str) -> bool:
    """Whether an annotation is as wanted, or may be once it is filled in."""
    told = yaml.text(yaml.child(annotations, name)) or ""
    return told == wanted or templated(told)


def known(node: yaml.Node | None) -> str:
    text = yaml.text(node) or ""
    return "" if templated(text) else text


def made(document: Document, kind: str, meta: Meta, cluster: str) -> Resource:
    resource = Resource(kind, meta.name, document.path, meta.at)
    resource.traits.deployer = STRIMZI
    resource.cluster = cluster or None
    if meta.namespace:
        resource.traits.namespace = meta.namespace
    if kind in _CLAIMED and not meta.labelled:
        resource.traits.unlabelled = True
    document.resources.append(resource)
    return resource


def claimed(document: Document, kind: str, meta: Meta) -> Resource:
    """A new resource that the operators find by the label that names its cluster."""
    resource = made(document, kind, meta, meta.label)
    if meta.label:
        resource.traits.labelled = True
        told = Setting(_LABELS[0], meta.label, document.path, meta.label_at, meta.label_key_at)
        resource.traits.label = told
    return resource


def config(resource: Resource, node: yaml.Node | None, forbids: str = "") -> None:
    """Fill in the settings; ``forbids`` names the resource whose forbidden keys are left out.

    Its operator refuses what is no single value (KC0171); connectors are handed all there is.
    """
    for key, key_node, value in yaml.pairs(node):
        if "{" in key:  # a template's
            continue
        # Pairs: a template's {{ name }} is a mapping without any.
        if forbids not in ("", "KafkaConnector") and yaml.pairs(value):
            continue
        made = setting(key, key_node, value, resource.path)
        if forbids and kept_back(resource, forbids, made):
            continue
        if key in resource.settings:
            resource.earlier.append((resource.settings[key], made))
        resource.settings[key] = made


def kept_back(resource: Resource, kind: str, made: Setting, version: str = "") -> bool:
    """Whether the operator, of that version if it is known, keeps the setting from Kafka.

    It is noted then, and no setting.
    """
    why = operators.dropped(kind, made.key, version)
    if why is None:
        return False
    since = f" (from {why.since} on)" if why.since else ""
    begins = "" if why.exact or why.prefix == made.key else f" (forbidden prefix {why.prefix})"
    resource.notes.append(
        Note(
            "KC0114",
            made,
            f"{resource.kind} {resource.name} sets {made.key}, which Strimzi{since} does not pass on"
            f"{begins}",
            "the value has no effect; only the operator's log and the resource status report it",
            f"remove {made.key}" + (f" and use {why.instead} instead" if why.instead else ""),
            held=kind,
        )
    )
    return True
