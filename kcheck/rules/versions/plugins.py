"""KC02: the classes that settings name: those that Kafka has, and what each can be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from kcheck import catalogue, classes, data
from kcheck.graph.clients import Client, Connector, Worker
from kcheck.graph.nodes import Broker, Controller, Node
from kcheck.lexicon.planes import place
from kcheck.model import ERROR, WARNING, Finding, Setting
from kcheck.rule import REFUSED, rule
from kcheck.rules.shared.keys_wording import evidence, written
from kcheck.rules.shared.transforms import STEPS, class_list
from kcheck.version import Version

#: What a key asks of its class, where Kafka checks that at once.
_WANTED = {
    "key.serializer": "Serializer",
    "value.serializer": "Serializer",
    "key.deserializer": "Deserializer",
    "value.deserializer": "Deserializer",
    "partitioner.class": "Partitioner",
    "partition.assignment.strategy": "ConsumerPartitionAssignor",
    "metric.reporters": "MetricsReporter",
    "sasl.login.callback.handler.class": "AuthenticateCallbackHandler",
    "sasl.client.callback.handler.class": "AuthenticateCallbackHandler",
    "sasl.login.class": "Login",
    "principal.builder.class": "KafkaPrincipalBuilder",
    "key.converter": "Converter",
    "value.converter": "Converter",
    "header.converter": "HeaderConverter",
}


#: A connector's converters are looked at when it is made; those of a worker when it needs them.
_CONVERTERS = ("key.converter", "value.converter", "header.converter")


@cache
def _removed() -> dict[str, str]:
    """The first versions without the classes that are gone."""
    return {row[0]: row[1] for row in data.rows("keys/classes.tsv")}


def _gone(name: str, version: Version) -> bool:
    """Whether another rule tells of the removal of that class."""
    return name in _removed() and not version.below(_removed()[name])


def _wanted(node: Node, key: str) -> str:
    """The interface that the key asks for; "" where it asks for none that is checked at once."""
    for prefix, kind in STEPS if isinstance(node, Connector) else ():
        if key.startswith(prefix) and key.endswith(".type"):
            return kind if key[len(prefix) : -len(".type")] in class_list(node, prefix) else ""
    kind = _WANTED.get(key, "")
    if key in _CONVERTERS:
        return kind if isinstance(node, Connector) else ""
    if isinstance(node, Broker):
        return kind if key == "principal.builder.class" else ""
    if isinstance(node, Worker):
        # The admin client that a worker starts with reads it.
        return kind if key == "metric.reporters" else ""
    if key.startswith("sasl.") and not (node["security.protocol"].text or "").startswith("SASL"):
        return ""
    return kind if isinstance(node, Client) else ""


def _takes_one(node: Node, key: str) -> bool:
    """Whether the key takes the name of one class, which Kafka loads as it reads the settings."""
    where = place("broker" if isinstance(node, Broker) else node.resource.plane, key)
    if where is None:
        return False
    facts = [
        fact
        for table in where.tables
        for fact in catalogue.possible(table, where.key, node.version)
    ]
    return any(fact.type == "class" for fact in facts)


def _passed_over(node: Node, key: str) -> bool:
    """Whether a consumer does not load that class: from 3.8 on its newer protocol asks no assignor."""
    newer = str(node["group.protocol"].value).lower() == "consumer"
    return key == "partition.assignment.strategy" and newer and not node.version.below("3.8")


def _named(node: Node) -> Iterator[tuple[Setting, str]]:
    """The settings that name classes, and each such name."""
    if not node.library.java:
        return
    settings = node.merged if isinstance(node, Broker) else node.resource.settings
    for key, setting in settings.items():
        text = setting.text or ""
        # What may be a comment is told as one.
        if "#" in text:
            continue
        one = _takes_one(node, key)
        if not (one or _wanted(node, key)) or _passed_over(node, key):
            continue
        for name in [text] if one else text.split(","):
            yield setting, name.strip()


#: What ends the name of a class where more was written.
_NO_NAME = re.compile(r"[\s,;]|\.class\Z")


def _inside(text: str) -> str:
    """The class of Kafka that a text names which is more than a name, or is spelt otherwise; or ""."""
    return classes.spelt(_NO_NAME.split(text.strip("\"'"))[0].strip("\"'"))


@rule(
    "KC0207",
    "class-unknown",
    ERROR,
    kafka=REFUSED,
    invariants=("interceptors-loadable",),
    versions="each by its own classes",
)
def class_unknown(node: Broker | Controller | Client | Connector) -> Iterator[Finding]:
    """A setting names a class of Kafka that does not exist, or not in the version in use.

    Silent on classes of others: nobody but the process itself knows its class path. What holds a
    blank or a comma where one class is read is the name of none.

    Bad: a typo
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {key.serializer: org.apache.kafka.common.serialization.StringSerialiser}}
    Bad: from 3.5 on
        --- kcheck.yaml
        cluster: {client_version: "3.4"}
        producers:
          - {name: checkout, config: {key.serializer: org.apache.kafka.common.serialization.BooleanSerializer}}
    Bad: a class inside of another
        --- kcheck.yaml
        streams:
          - {name: totals, config: {default.key.serde: org.apache.kafka.common.serialization.Serdes.StringSerde}}
    Good:
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        producers:
          - {name: checkout, config: {key.serializer: org.apache.kafka.common.serialization.BooleanSerializer}}
        streams:
          - {name: totals, config: {default.key.serde: "org.apache.kafka.common.serialization.Serdes$StringSerde"}}
    Bad: the word of another library
        --- kcheck.yaml
        consumers: [{name: work, config: {group.id: work, partition.assignment.strategy: cooperative-sticky}}]
    Good: somebody's own
        --- kcheck.yaml
        producers: [{name: checkout, config: {key.serializer: com.example.OrderSerializer}}]
    """
    if node.library.java:
        yield from _words(node)
    for setting, name in _named(node):
        if _gone(name, node.version) or classes.kinds(name, node.version):
            continue
        meant = classes.nested(name) or _inside(name)
        better = meant if classes.kinds(meant, node.version) else ""
        if classes.known(name):
            (since, _), *_ = classes.spans(name)
            *_, (_, until) = classes.spans(name)
            span = f"from {since}" if until == catalogue.newest() else f"from {since} to {until}"
            reason, fix = f"which Kafka has {span}", "name a class that the version has"
        elif classes.nested(name):
            reason = "which is a class inside of another: its name has a $"
            fix = f"set {setting.key}={meant}"
        elif meant:
            reason = f"which is no name of a class; {meant} is"
            fix = f"set {setting.key}={better}" if better else "name a class that the version has"
        elif classes.ours(name):
            reason, fix = "which no version of Kafka has", "name a class that exists"
        elif "." in name and _NO_NAME.search(name):
            # Whoever wrote the class: no name holds a blank or a comma.
            reason, fix = "which is no name of a class", "write the name of the class alone"
        else:
            continue
        yield node.finding(
            f"{node} sets {written(setting)} to {name}, {reason}",
            at=evidence(node, setting),
            breaks=f"the {node.resource.kind} does not start: the class cannot be found",
            fix=fix,
            set_to=(setting.text or "").replace(name, better) if better else None,
        )


#: Libraries whose classes are called by what they are, and both ends of each.
_CALLED_RIGHT = ("org.springframework.kafka.support.serializer.", "io.confluent.kafka.serializers.")


_ENDS = {
    ".serializer": ("Deserializer", "Serializer"),
    ".deserializer": ("Serializer", "Deserializer"),
}


def _other_end(node: Node) -> Iterator[tuple[Setting, str]]:
    """Settings of a serializer that name a deserializer of somebody else's, and the other way round."""
    for key, setting in node.resource.settings.items():
        wrong, right = _ENDS.get(key[key.rfind(".") :], ("", ""))
        name = (setting.text or "").strip()
        if not wrong or name.startswith("org.apache.kafka.") or not node.library.java:
            continue
        if name.endswith(wrong) and not (wrong == "Serializer" and name.endswith(right)):
            yield setting, right


@rule(
    "KC0208",
    "class-of-another-kind",
    ERROR,
    kafka=REFUSED,
    invariants=("sec-principal-builder", "serializers", "deserializers"),
    versions="2.8–4.4; converters of connectors 3.7+, principal.builder.class 3.0+",
)
def class_of_another_kind(node: Broker | Controller | Client | Connector) -> Iterator[Finding]:
    """A setting names a class that does not implement what the key requires.

    Bad: a consumer's for a producer
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {key.serializer: org.apache.kafka.common.serialization.StringDeserializer}}
    Bad: a serializer is no converter
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        connectors:
          - name: rows
            config:
              connector.class: FileStreamSource
              value.converter: org.apache.kafka.common.serialization.StringSerializer
    Bad: by its name
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {value.serializer: org.springframework.kafka.support.serializer.JsonDeserializer}}
    Good:
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {key.serializer: org.apache.kafka.common.serialization.StringSerializer}}
    """
    for setting, right in _other_end(node):
        name = (setting.text or "").strip()
        yield node.finding(
            f"{node} sets {written(setting)} to {name}, which is no {right}",
            at=evidence(node, setting),
            breaks=f"the {node.resource.kind} cannot be created",
            fix=f"name a class that is a {right}",
            severity=ERROR if name.startswith(_CALLED_RIGHT) else WARNING,
        )
    for setting, name in _named(node):
        wanted = _wanted(node, setting.key)
        kinds = classes.kinds(name, node.version)
        if not wanted or wanted in kinds or not (kinds or name.startswith(_JAVA)):
            continue
        since = _CHECKED_SINCE.get(setting.key, "")
        severity = WARNING if since and not node.version.at_least(since) else ERROR
        yield node.finding(
            f"{node} sets {written(setting)} to {name}, which is no {wanted}",
            at=evidence(node, setting),
            breaks=f"the {node.resource.kind} cannot be created",
            fix=f"name a class that is a {wanted}",
            severity=severity,
        )


_JAVA = ("java.", "javax.")


#: What librdkafka calls the assignors.
_ASSIGNORS = {
    "range": "RangeAssignor",
    "roundrobin": "RoundRobinAssignor",
    "sticky": "StickyAssignor",
    "cooperative-sticky": "CooperativeStickyAssignor",
}


def _words(node: Node) -> Iterator[Finding]:
    """Assignors of a consumer that are named by words, where Java wants classes."""
    value = node["partition.assignment.strategy"]
    for name in value.value if isinstance(value.value, list) else []:
        if name in _ASSIGNORS and not _passed_over(node, value.key):
            yield node.finding(
                f"{node} names the assignor {name}, which is no class",
                at=value,
                breaks="the consumer cannot be created: the class cannot be found",
                fix=f"set it to org.apache.kafka.clients.consumer.{_ASSIGNORS[name]}",
            )
            return


#: Before these Kafka did not look at once.
_CHECKED_SINCE = {**dict.fromkeys(_CONVERTERS, "3.7"), "principal.builder.class": "3.0"}
