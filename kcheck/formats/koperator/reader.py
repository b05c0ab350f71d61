"""Koperator (Banzai Cloud, now Adobe): ``KafkaCluster``, ``KafkaTopic`` and ``KafkaUser``.

The fields are those of the CRDs in adobe/koperator@f314540b9df1:api/v1beta1 and api/v1alpha1.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats import Lookup, embedded, operator_musts, unknown_fields
from kcheck.formats.kubernetes import manifests
from kcheck.formats.kubernetes import strings as kubernetes_strings
from kcheck.formats.scalars import documents, fact, fill, known, named, nothing, setting
from kcheck.lexicon import fields
from kcheck.model import KOPERATOR, Document, Resource, Right, Setting
from kcheck.syntax import yaml

_GROUP = "kafka.banzaicloud.io"
_TOPIC_FACTS = {"partitions": "partitions", "replicationFactor": "replication.factor"}
#: What a grant gives on a topic, beside Describe (GrantsToACLStrings of pkg/util/kafka/common.go).
_OPERATIONS = {"read": ("Read",), "write": ("Create", "Write")}


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    lines = embedded.split_lines(data)
    nodes = documents(document, data)
    for node in nodes:
        if known(yaml.child(node, "apiVersion")).partition("/")[0] != _GROUP:
            continue
        kind, spec = yaml.text(yaml.child(node, "kind")), yaml.child(node, "spec")
        if kind == "KafkaCluster":
            from kcheck.formats.koperator import (
                brokers as koperator_brokers,  # the other files have none
            )

            koperator_brokers.read(document, node, spec, lines)
        elif kind == "KafkaTopic":
            _topic(document, node, spec)
        elif kind == "KafkaUser":
            _user(document, node, spec)
        unknown_fields.of_resource(document, fields.KOPERATOR, node)
        operator_musts.tell(document, fields.KOPERATOR, node, lookup)
        kubernetes_strings.tell(document, node)
    manifests.take_others(document, data, lookup, nodes, "koperator.reader")
    nothing(document, "contains no KafkaCluster, KafkaTopic or KafkaUser")


def _placed(document: Document, kind: str, node: yaml.Node, spec: yaml.Node | None) -> Resource:
    """A resource of the cluster that ``clusterRef`` names, in that cluster's namespace."""
    meta, cluster = yaml.child(node, "metadata"), yaml.child(spec, "clusterRef")
    made = named(document, kind, yaml.child(meta, "name"), known(yaml.child(cluster, "name")))
    made.traits.deployer = KOPERATOR
    # Where the reference tells none, the cluster is beside its resource.
    namespace = yaml.child(cluster, "namespace") or yaml.child(meta, "namespace")
    made.traits.namespace = known(namespace)
    return made


def _topic(document: Document, node: yaml.Node, spec: yaml.Node | None) -> None:
    topic = _placed(document, "topic", node, spec)
    for key, key_node, value in yaml.pairs(spec):
        if key in _TOPIC_FACTS and known(value) != "-1":  # the brokers' default
            fact(topic, _TOPIC_FACTS[key], key_node, value)
        elif key == "config":
            fill(topic, value, strings=True)
        elif key == "name" and yaml.text(value):
            topic.name, topic.at = yaml.text(value) or topic.name, yaml.position(value)


def _user(document: Document, node: yaml.Node, spec: yaml.Node | None) -> None:
    user = _placed(document, "user", node, spec)
    user.facts["user"] = Setting("user", user.name, document.path, user.at)
    grants = yaml.items(yaml.child(spec, "topicGrants"))
    if not grants:
        return
    first = grants[0]
    rights = setting("spec.topicGrants", first, first, document.path)
    rights.raw = rights.text = "1 grant" if len(grants) == 1 else f"{len(grants)} grants"
    user.facts["spec.authorization"] = rights
    listed = [list(_rights(user, grant)) for grant in grants]
    user.traits.rights = tuple(right for found in listed for right in found)
    # Nobody removes what others have given the user.
    user.traits.all_rights = False


def _rights(user: Resource, grant: yaml.Node) -> Iterator[Right]:
    """The ACLs of one grant; none where a part of it is filled in later."""
    topic, access = yaml.child(grant, "topicName"), yaml.child(grant, "accessType")
    pattern = yaml.child(grant, "patternType")
    name, way = known(topic), known(access)
    if access is None or not name or way not in _OPERATIONS:
        return
    if pattern is not None and known(pattern) not in ("literal", "prefixed"):
        return
    told = setting("topicGrants", access, access, user.path)
    prefix = known(pattern) == "prefixed"
    for operation in ("Describe", *_OPERATIONS[way]):
        yield Right(told, operation, "topic", name, prefix)
    if way == "read":
        yield Right(told, "Read", "group", "*")
