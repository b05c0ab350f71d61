"""KC02: settings that name a class: whether it exists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from kcheck import catalogue, classes, data
from kcheck.graph.clients import Client, Connector
from kcheck.graph.nodes import Broker, Controller, Node
from kcheck.lexicon.suggest import distance
from kcheck.model import ERROR, WARNING, Finding, Setting
from kcheck.rule import REFUSED, rule
from kcheck.rules.shared.keys_wording import evidence, program, written
from kcheck.rules.versions.named_classes import (
    interface,
    named,
    unloaded,
)
from kcheck.version import Version


@cache
def _removed() -> dict[str, str]:
    """Removed class of Kafka → the first version without it."""
    rows = data.rows("keys/classes.tsv")
    return {row[0]: row[1] for row in rows if row[1][:1].isdigit()}


def _gone(name: str, version: Version) -> bool:
    """Whether another rule reports the removal of that class."""
    return name in _removed() and not version.below(_removed()[name])


#: Words of samples that are there to be replaced.
_TO_FILL_IN = ("changeit", "changeme", "change_me", "todo", "tbd", "replaceme", "xxx")

#: What ends the name of a class where more text follows.
_NO_NAME = re.compile(r"[\s,;\"'/]|\.class\Z")


def _inside(text: str) -> str:
    """The Kafka class that a text with more than a name, or a misspelt one, means; or ""."""
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
    """A setting names a Kafka class that does not exist in the version in use.

    Silent on third-party classes: the class path of a process is not known. A value with a blank, a
    comma or quotes, where one class is read, is not a class name. Connect takes plug-ins by their short
    names, but not the classes of its clients, and no config provider.

    Bad: a typo
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {key.serializer: org.apache.kafka.common.serialization.StringSerialiser}}
    Bad: from 3.5 on
        --- kcheck.yaml
        cluster: {client_version: "3.4"}
        producers:
          - {name: checkout, config: {key.serializer: org.apache.kafka.common.serialization.BooleanSerializer}}
    Bad: a nested class
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
    Bad: a librdkafka name
        --- kcheck.yaml
        consumers: [{name: work, config: {group.id: work, partition.assignment.strategy: cooperative-sticky}}]
    Bad: loaded when the broker starts
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.4", config: {replica.selector.class: rackaware}}
    Bad: an interface that is gone
        --- kcheck.yaml
        cluster: {client_version: "4.0"}
        consumers: [{name: work, config: {group.id: work, key.deserializer: org.apache.kafka.clients.consumer.OffsetCommitCallbackHandler}}]
    Bad: a config provider without its package
        --- connect-standalone.properties
        bootstrap.servers=k1:9092
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        offset.storage.file.filename=/data/offsets
        config.providers=file
        config.providers.file.class=FileConfigProvider
    Bad: the wrong package
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        streams: [{name: totals, config: {default.key.serde: org.apache.kafka.commons.serialization.Serdes$StringSerde}}]
    Good: a third-party class
        --- kcheck.yaml
        producers: [{name: checkout, config: {key.serializer: com.example.OrderSerializer}}]
    Good: controllers load no replica selector
        --- controller.properties
        process.roles=controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        replica.selector.class=rackaware
    Good: nor remote storage
        --- controller.properties
        process.roles=controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        remote.log.storage.system.enable=true
        remote.log.storage.manager.class.name=tiered
    Good: tiered storage is off
        --- kcheck.yaml
        cluster: {name: core, config: {remote.log.storage.manager.class.name: none}}
    Good: brokers assign the partitions
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        consumers:
          - {name: work, config: {group.id: work, group.protocol: consumer, partition.assignment.strategy: sticky}}
    Bad: Streams' restore consumer loads the assignor
        --- streams.properties
        application.id=totals
        bootstrap.servers=k1:9092
        consumer.partition.assignment.strategy=org.apache.kafka.clients.consumer.StickyAssigner
    Good: Streams makes its consumers with deserializers, and the main one with an assignor, of its own
        --- streams.properties
        application.id=totals
        bootstrap.servers=k1:9092
        main.consumer.partition.assignment.strategy=sticky
        consumer.value.deserializer=org.apache.kafka.common.serialization.StringDeserialiser
    """
    if node.library.java:
        yield from _words(node)
    for setting, name in named(node):
        if _gone(name, node.version) or classes.kinds(name, node.version):
            continue
        fault = _fault(node, setting, name)
        if fault is None:
            continue
        reason, fix, better, severity = fault
        if isinstance(node, Connector) and setting.key == "metric.reporters":
            # The connector is accepted, and its tasks fail.
            severity = WARNING
        yield node.finding(
            f"{node} sets {written(setting)} to {name or 'an empty value'}, {reason}",
            at=evidence(node, setting),
            breaks=f"the {program(node)} does not start: the class cannot be found",
            fix=fix,
            set_to=(setting.text or "").replace(name, better) if better else None,
            severity=severity,
        )


def _fault(node: Node, setting: Setting, name: str) -> tuple[str, str, str, str] | None:
    """(what is wrong with the name of a class, fix, the right name, severity); None: nothing is known.

    The right name is "" where it is not certain.
    """
    meant = classes.nested(name) or _inside(name)
    better = meant if classes.kinds(meant, node.version) else ""
    if classes.absent(name, node.version):
        (since, _), *_ = classes.spans(name)
        *_, (_, until) = classes.spans(name)
        span = f"from {since}" if until == catalogue.newest() else f"from {since} to {until}"
        return f"which Kafka has only {span}", "name a class that this version has", better, ERROR
    if classes.nested(name):
        fix = f"set {setting.key}={meant}"
        return "which is a nested class, whose name contains a $", fix, better, ERROR
    if meant:
        fix = f"set {setting.key}={better}" if better else "name a class that this version has"
        return f"which is not a class name ({meant} is)", fix, better, ERROR
    if classes.exists(name):
        # Another rule says what it lacks.
        return None
    if classes.ours(name) or (classes.foreign(name) and not _NO_NAME.search(name)):
        return _nowhere(node, setting, name)
    if _slipped(name, interface(node, setting.key)):
        return _nowhere(node, setting, name)
    if _bare(setting.key, name):
        return _without_package(node, setting, name)
    if _is_no_name(setting.key, name):
        # No class name contains a blank or a comma, third-party ones included.
        fix = "write the class name alone" if name else "name the provider's class"
        return "which is not a class name", fix, better, ERROR
    return None


def _nowhere(node: Node, setting: Setting, name: str) -> tuple[str, str, str, str]:
    """The same of a name in Kafka's packages that no version has."""
    meant = _meant(name, interface(node, setting.key))
    better = meant if _there(meant, node.version) else ""
    fix = _replacing(setting, name, better) or "name an existing class"
    certain = meant or classes.ours(name) or _called(name, classes.candidates(nested=True))
    # What was before the oldest version of the tables nobody knows.
    if classes.complete(name) and node.version.at_least(catalogue.oldest()):
        certain = name
    return "which no version of Kafka has", fix, better, ERROR if certain else WARNING


def _without_package(node: Node, setting: Setting, name: str) -> tuple[str, str, str, str] | None:
    """The same of a name without a package."""
    meant = _meant(name, interface(node, setting.key))
    better = meant if _there(meant, node.version) else ""
    unclear = name[:1].isupper() and not _called(name, classes.candidates(nested="$" in name))
    if unclear or name.lower() in _TO_FILL_IN:
        # A class in no package is possible, though nobody calls one in small letters.
        return None
    fix = _replacing(setting, name, better) or "name a class with its package"
    return "which is not a class name with its package", fix, better, ERROR


def _is_no_name(key: str, name: str) -> bool:
    """Whether no class can have that name, wherever it comes from."""
    if not name:
        return key.startswith("config.providers.")
    return "/" in name or ("." in name and bool(_NO_NAME.search(name)))


def _replacing(setting: Setting, name: str, better: str) -> str:
    """The fix that names another class; "" where none is known."""
    return f"set {setting.key}={(setting.text or '').replace(name, better)}" if better else ""


def _meant(name: str, kind: str) -> str:
    """The class of Kafka's that a name is a slip of, or the last part of; "" where there is none."""
    names = classes.candidates(kind, "$" in name)
    same = _called(name, names)
    if len(same) > 1:
        # Of the same name in two packages the one that is spelt more alike.
        (least, own), (other, _), *_ = sorted((distance(name, own, len(name)), own) for own in same)
        return own if least < other else ""
    if not same:
        same = [own for own in names if distance(name, own, 2) <= 2]
    return "".join(same) if len(same) == 1 else ""


def _slipped(name: str, kind: str) -> bool:
    """Whether a name in a package that is not Kafka's is a slip of one that is: ``rg.apache.kafka.…``."""
    if name.startswith("org.apache.kafka.") or not (".apache." in name or ".kafka." in name):
        return False
    same = _called(name, classes.candidates(kind, "$" in name))
    return any(distance(name, own, 2) <= 2 for own in same)


def _called(name: str, names: Iterable[str]) -> list[str]:
    """Those of the names that end as that one does."""
    last = name.rpartition(".")[2].lower()
    return [own for own in names if own.rpartition(".")[2].lower() == last]


def _there(name: str, version: Version) -> bool:
    """Whether that version has the class, as far as the tables tell versions."""
    return bool(classes.kinds(name, version)) or not classes.known(name)


def _bare(key: str, name: str) -> bool:
    """Whether a name without a package is none: Connect takes plug-ins by their short names, too."""
    if name == "null" or key.endswith(_OF_PLUGINS):
        return False
    if not name.replace("$", "_").isidentifier():
        # A name with its package, words that stand for a class, and what no rule of names tells.
        return False
    return not (key == "partition.assignment.strategy" and name in _ASSIGNORS)


#: Ends of Connect's keys whose classes it takes by their short names, too.
_OF_PLUGINS = ("converter", "connector.class", ".type", "override.policy", "extension.classes")


#: librdkafka's names of the assignors.
_ASSIGNORS = {
    "range": "RangeAssignor",
    "roundrobin": "RoundRobinAssignor",
    "sticky": "StickyAssignor",
    "cooperative-sticky": "CooperativeStickyAssignor",
}


def _words(node: Node) -> Iterator[Finding]:
    """Assignors of a consumer under librdkafka's names, where Java requires classes."""
    value = node["partition.assignment.strategy"]
    for name in value.value if isinstance(value.value, list) else []:
        if name in _ASSIGNORS and not unloaded(node, value.key):
            yield node.finding(
                f"{node} names the assignor {name}, which is not a class",
                at=value,
                breaks="the consumer cannot be created: the class cannot be found",
                fix=f"replace it with org.apache.kafka.clients.consumer.{_ASSIGNORS[name]}",
            )
            return
