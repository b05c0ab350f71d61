"""Strimzi custom resources: ``Kafka``, ``KafkaNodePool``, ``KafkaTopic``; many documents per file.

``Kafka`` is read by ``strimzi_kafka``, pools by ``strimzi_nodes``, clients, connectors and users by
``strimzi_connect``; other kinds of the same group are named and passed over. A ``Kafka`` resource
stands for all its brokers, or for the brokers of its node pools where it has some. Names and labels that a template
fills in are unknown: such resources join by where their file lies.
"""

from __future__ import annotations

import re
from importlib import import_module

from kcheck.formats import Lookup
from kcheck.formats.kubernetes import strings as kubernetes_strings
from kcheck.formats.scalars import fact
from kcheck.formats.strimzi import refusals as strimzi_refusals
from kcheck.formats.strimzi import required as strimzi_required
from kcheck.formats.strimzi.resource import Meta, Parts, claimed, config
from kcheck.formats.text import templated, unrendered
from kcheck.model import PASSED_OVER, SKIPPED, Document, Resource
from kcheck.syntax import yaml

FORMAT = "strimzi-cr"
_GROUP, _ACCESS = "kafka.strimzi.io/", "access.strimzi.io/"
#: Definitions of the kinds name the group too, but never as their own ``apiVersion``.
#: IBM Event Streams runs Strimzi's operator under a group of its own.
_IBM = "eventstreams.ibm.com"
_VERSION = re.compile(
    rb"(^)?apiVersion[\"']?:[ \t]*[\"']?(?:(?:kafka|core|access)\.strimzi\.io|eventstreams\.ibm\.com)/",
    re.M,
)


def recognise(path: str, data: bytes) -> str | None:
    if b".strimzi.io/" not in data and _IBM.encode() not in data:
        return None
    found = _VERSION.search(data)
    if found is None:
        return None
    if found.group(1) is not None:
        return FORMAT
    # Further in stand the members of a List, but also the text that a ConfigMap carries.
    nodes, problem = yaml.documents(data)
    mine = any(_version(parts) for node in nodes for parts in _unpacked(node))
    return FORMAT if mine or problem is not None else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    nodes, problem = yaml.documents(data)
    if problem is not None:
        if unrendered(data):
            document.status = SKIPPED
            document.reason = "an unrendered template"
            return
        document.problems.append(problem)
    for node in nodes:
        for parts in _unpacked(node):
            _object(document, parts, lookup)
    if len(nodes) > 1:
        import_module("kcheck.formats.kubernetes.manifests").take_others(
            document, data, lookup, nodes, "strimzi.reader"
        )
    if b"KeyRef:" in data and document.resources:
        _map_keys(document, nodes, lookup)
    if any(resource.traits.unlabelled for resource in document.resources):
        _built(document, lookup)
    if any(resource.traits.runs_on for resource in document.resources):
        import_module("kcheck.formats.strimzi.connect").settle(document)
    if not document.resources and not document.problems:
        document.status = PASSED_OVER
        document.reason = "contains no resource of Kafka or its clients"


def _object(document: Document, parts: Parts, lookup: Lookup) -> None:
    """One object: a resource of the cluster operator's, or the Access Operator's."""
    version = _version(parts)
    if version.startswith(_ACCESS):
        import_module("kcheck.formats.strimzi.access").read(document, parts)
    elif version.startswith((_GROUP, _IBM)):
        meta = Meta(parts)
        _resource(document, parts, meta, version.startswith(_IBM))
        kind = yaml.text(parts.get("kind")) or ""
        if "spec" in parts and not version.startswith(_IBM):
            strimzi_required.tell(
                document,
                kind,
                version.rpartition("/")[2],
                meta.name,
                parts["spec"],
                lookup,
            )
            from kcheck.formats import operator_musts  # files of clients alone have none

            operator_musts.tell(document, operator_musts.STRIMZI, parts[""], lookup)
        if kind == "KafkaRebalance":
            from kcheck.formats.strimzi import rebalance  # few clusters have one

            rebalance.tell(document, meta, parts.get("spec"), lookup)
        if kind in kubernetes_strings.WITHOUT_PODS:
            kubernetes_strings.of_metadata(document, kind, parts.get("metadata"))
        else:
            kubernetes_strings.tell(document, parts[""])


def _map_keys(document: Document, nodes: list[yaml.Node], lookup: Lookup) -> None:
    """Tell references of the resources to keys that their ConfigMaps and Secrets lack."""
    beside = import_module("kcheck.formats.kubernetes.beside")
    map_keys = import_module("kcheck.formats.kubernetes.map_keys")
    objects = [parts for node in nodes for parts in _unpacked(node)]
    maps = {
        Meta(parts).name: parts[""]
        for parts in objects
        if (yaml.text(parts.get("kind")) or "") in beside.MAPS
    }
    others = beside.Beside(document.path, lookup)
    for parts in objects:
        if not _version(parts):
            continue
        meta, kind = Meta(parts), yaml.text(parts.get("kind"))

        def find(name: str, space: str = meta.namespace) -> tuple[str, yaml.Node] | None:
            own = maps.get(name)
            return (document.path, own) if own is not None else others.map(name, space)

        found = map_keys.lacking(
            parts.get("spec"),
            document.path,
            f"{kind} {meta.name}",
            "the operator does not reconcile the resource",
            find,
        )
        # By aliases, one reference may stand at many places.
        document.problems += {problem.at: problem for problem in found}.values()


def _built(document: Document, lookup: Lookup) -> None:
    """Forget that labels are missing where kustomize, which may add them, builds what is here."""
    folder = document.path
    while folder:
        folder = folder.rpartition("/")[0]
        for ending in ("yaml", "yml"):
            if lookup(f"{folder}/kustomization.{ending}".lstrip("/")) is not None:
                for resource in document.resources:
                    resource.traits.unlabelled = False
                return


def _unpacked(node: yaml.Node) -> list[Parts]:
    """The resources of a document: itself, or those of a List or an OpenShift Template."""
    parts = _parts(node)
    kind = yaml.text(parts.get("kind"))
    if kind in ("List", "Template"):
        return [_parts(n) for n in yaml.items(parts.get("items" if kind == "List" else "objects"))]
    return [parts]


def _parts(node: yaml.Node) -> Parts:
    return {"": node, **{name: value for name, _, value in yaml.pairs(node)}}


def _version(parts: Parts) -> str:
    """The ``apiVersion`` of one of Strimzi's resources, "" for any other."""
    version = yaml.text(parts.get("apiVersion")) or ""
    group = version.partition("/")[0]
    return version if group.endswith(".strimzi.io") or group == _IBM else ""


def _resource(document: Document, parts: Parts, meta: Meta, ibm: bool) -> None:
    kind = yaml.text(parts.get("kind"))
    if not kind:
        return
    spec = parts.get("spec")
    before = len(document.resources)
    if ibm and kind == "EventStreams":
        # What it does not override, IBM's operator sets.
        _brokers(document, meta, yaml.child(spec, "strimziOverrides"))
        for resource in document.resources[before:]:
            resource.traits.partial = True
        return
    if kind == "KafkaTopic":
        _topic(document, meta, spec)
    elif kind == "Kafka":
        _brokers(document, meta, spec)
    elif kind == "KafkaNodePool":
        import_module("kcheck.formats.strimzi.nodes").pool(document, meta, spec)
    else:
        import_module("kcheck.formats.strimzi.connect").read(document, kind, meta, parts)
    made = document.resources[before] if len(document.resources) > before else None
    if spec is not None and not ibm:
        _fields(document, kind, meta, spec, made)
    if made is not None:
        named = yaml.child(parts.get("metadata"), "name")
        strimzi_refusals.name(made, named, kind)
    if kind not in ("KafkaTopic", "KafkaNodePool"):
        _beside(document, kind, meta, spec)


def _brokers(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    from kcheck.formats.strimzi import kafka as strimzi_kafka  # most files hold topics

    strimzi_kafka.kafka(document, meta, spec)


def _fields(
    document: Document, kind: str, meta: Meta, spec: yaml.Node, made: Resource | None
) -> None:
    """Tell the fields, words and annotations that Strimzi does not have for the kind."""
    from kcheck.formats import unknown_fields, unknown_words

    if meta.annotations is not None:
        unknown_words.annotations_of_strimzi(document, kind, meta.name, meta.annotations)
    unknown_fields.of_strimzi(document, kind, meta.name, spec, made)
    unknown_words.words_of_strimzi(document, kind, meta.name, spec)
    if kind == "KafkaTopic":
        return
    if any(yaml.child(spec, *route, "template") is not None for route in ((), ("kafka",))):
        from kcheck.formats.strimzi import (
            environment as strimzi_environment,  # few resources have a template
        )

        document.problems.extend(strimzi_environment.faults(kind, meta.name, spec, document.path))


def _beside(document: Document, kind: str, meta: Meta, spec: yaml.Node | None) -> None:
    if templated(meta.name):
        return
    from kcheck.formats.strimzi import addresses as strimzi_addresses

    service = strimzi_addresses.beside(kind, meta.name, meta.namespace, meta.at, spec)
    if service is not None:
        document.services += (service,)


def _topic(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    resource = claimed(document, "topic", meta)
    for key, key_node, value in yaml.pairs(spec):
        if key == "config":
            config(resource, value)
        elif key == "partitions":
            fact(resource, "partitions", key_node, value)
        elif key == "replicas":
            fact(resource, "replication.factor", key_node, value)
        elif key == "topicName":
            resource.name = yaml.text(value) or meta.name
