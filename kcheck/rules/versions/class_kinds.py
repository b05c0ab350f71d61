"""KC02: settings that name a class: which interface it implements."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import classes
from kcheck.graph.clients import Client, Connector, Streams, Worker
from kcheck.graph.nodes import Broker, Controller, Node
from kcheck.model import ERROR, WARNING, Finding, Setting
from kcheck.rule import REFUSED, rule
from kcheck.rules.shared.keys_wording import evidence, program, written
from kcheck.rules.versions.named_classes import CONVERTERS, interface, named, reads, severity_of
from kcheck.wording import article

#: Libraries whose class names end in the interface that they implement.
_CALLED_RIGHT = ("org.springframework.kafka.support.serializer.", "io.confluent.kafka.serializers.")

_KAFKA = "org.apache.kafka."

_CLIENTS = ("producer", "consumer")

_ENDS = {
    ".serializer": ("Deserializer", "Serializer"),
    ".deserializer": ("Serializer", "Deserializer"),
}


def _other_end(node: Node) -> Iterator[tuple[Setting, str]]:
    """Serializer settings that name a third-party deserializer, and the other way round."""
    for setting, right in _swapped(node):
        if reads(node, setting.key) and not (setting.text or "").strip().startswith(_KAFKA):
            yield setting, right


def _swapped(node: Node) -> Iterator[tuple[Setting, str]]:
    """Serializer settings whose class is called a deserializer, and the other way round."""
    for key, setting in node.resource.settings.items() if node.library.java else ():
        wrong, right = _ENDS.get(key[key.rfind(".") :], ("", ""))
        if wrong and (setting.text or "").strip().endswith(wrong):
            yield setting, right


def _unread_end(node: Node) -> Iterator[Finding]:
    """Those that clients of the kind do not read, without the key that they read."""
    for setting, right in _swapped(node) if node.resource.plane in _CLIENTS else ():
        wrong = _ENDS["." + right.lower()][0]
        own = setting.key.replace(f".{right.lower()}", f".{wrong.lower()}")
        if reads(node, setting.key) or not reads(node, own) or node.sets(own):
            continue
        yield node.finding(
            f"{node} sets {written(setting)} to {(setting.text or '').strip()}, which is not a {right}",
            at=evidence(node, setting),
            breaks=f"{node.resource.plane}s do not read {setting.key}: the {wrong.lower()} stays as "
            "it is set elsewhere",
            fix=f"rename the key to {own}",
            severity=WARNING,
        )


@rule(
    "KC0208",
    "class-of-another-kind",
    ERROR,
    kafka=REFUSED,
    invariants=("sec-principal-builder", "serializers", "deserializers"),
    versions="2.8–4.4; converters of connectors 3.7+, principal.builder.class 3.0+",
)
def class_of_another_kind(node: Broker | Controller | Client | Connector) -> Iterator[Finding]:
    """A setting names a class that does not implement the interface that the key requires.

    Bad: a deserializer for a producer
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {key.serializer: org.apache.kafka.common.serialization.StringDeserializer}}
    Bad: a serializer as a converter
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        connectors:
          - name: rows
            config:
              connector.class: FileStreamSource
              value.converter: org.apache.kafka.common.serialization.StringSerializer
    Bad: recognised by its name
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {value.serializer: org.springframework.kafka.support.serializer.JsonDeserializer}}
    Good:
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {key.serializer: org.apache.kafka.common.serialization.StringSerializer}}
    Bad: consumers read no serializer, and producers no deserializer: they start, which is a warning
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9092
            consumer:
              group-id: reports
              properties:
                value.serializer: org.springframework.kafka.support.serializer.JsonDeserializer
            producer:
              properties:
                key.deserializer: org.apache.kafka.common.serialization.StringSerializer
    Good: a leftover beside the right key
        --- consumer.properties
        bootstrap.servers=k1:9092
        group.id=reports
        value.serializer=org.springframework.kafka.support.serializer.JsonDeserializer
        value.deserializer=org.springframework.kafka.support.serializer.JsonDeserializer
    Good: controllers make the policies
        --- broker.properties
        process.roles=broker
        node.id=2
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092
        alter.config.policy.class.name=java.lang.String
    """
    for setting, right in _other_end(node):
        name = (setting.text or "").strip()
        yield node.finding(
            f"{node} sets {written(setting)} to {name}, which is not a {right}",
            at=evidence(node, setting),
            breaks=f"the {program(node)} cannot be created",
            fix=f"name a {right} class",
            severity=ERROR if name.startswith(_CALLED_RIGHT) else WARNING,
        )
    yield from _unread_end(node)
    for setting, name in named(node):
        wanted = interface(node, setting.key)
        kinds = classes.kinds(name, node.version)
        other = classes.exists(name) and not classes.known(name) and classes.covered(wanted)
        if not wanted or wanted in kinds or not (kinds or other or name.startswith(_JAVA)):
            continue
        yield node.finding(
            f"{node} sets {written(setting)} to {name}, which is not {article(wanted)}",
            at=evidence(node, setting),
            breaks=_fails(node, setting.key),
            fix=f"name a class that implements {wanted}",
            severity=severity_of(node, setting.key),
        )


def _fails(node: Node, key: str) -> str:
    """What a class of another kind prevents."""
    if isinstance(node, Worker) and key in CONVERTERS:
        return "the worker starts, but tasks fail when they create the converter"
    if isinstance(node, Streams):
        return "the application fails when it creates its tasks"
    if isinstance(node, (Broker, Worker)):
        return f"the {program(node)} fails to start"
    return f"the {program(node)} cannot be created"


_JAVA = ("java.", "javax.")
