"""``KafkaAccess`` of Strimzi's Access Operator: a Secret by which clients find a cluster and log in.

The operator looks up the Kafka resource, its listener and the user, and writes what it finds into the
Secret (strimzi/kafka-access-operator@8a05fab03b8c: install/040-Crd-kafkaaccess.yaml and
operator/src/main/java/io/strimzi/kafka/access/internal/KafkaParser.java).
"""

from __future__ import annotations

from kcheck.formats import unknown_fields
from kcheck.formats.scalars import known, setting
from kcheck.formats.strimzi.resource import Meta, Parts, made
from kcheck.lexicon import fields
from kcheck.model import Document, Setting
from kcheck.syntax import yaml

#: What the Secret tells, and no file.
_OF_SECRET = ("bootstrap.servers", "security.protocol", "sasl.mechanism", "sasl.jaas.config")


def read(document: Document, parts: Parts) -> None:
    """Add the clients that one resource stands for, whose settings are in its Secret."""
    if yaml.text(parts.get("kind")) != "KafkaAccess":
        return
    spec, meta = parts.get("spec"), Meta(parts)
    kafka = yaml.child(spec, "kafka")
    client = made(document, "client", meta, known(yaml.child(kafka, "name")))
    namespace = yaml.child(kafka, "namespace")
    if namespace is not None:
        client.traits.namespace = known(namespace)
    client.traits.partial = True
    for key in _OF_SECRET:
        client.image[key] = Setting(key, None, client.path, client.at)
    listener = yaml.child(kafka, "listener")
    if listener is not None:
        client.facts["listener"] = setting("listener", listener, listener, client.path)
    user = yaml.child(spec, "user", "name")
    if user is not None:
        client.traits.user = known(user)
        client.facts["user"] = setting("user", user, user, client.path)
    unknown_fields.of_resource(document, fields.ACCESS, parts[""])
