"""KC02: settings that name a class: whether it exists, and which interface it implements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from kcheck import catalogue, classes, data
from kcheck.graph.clients import Client, Connector, Streams, Worker
from kcheck.graph.nodes import Broker, Controller, Node
from kcheck.lexicon.planes import place
from kcheck.lexicon.suggest import distance
from kcheck.model import ERROR, WARNING, Finding, Setting
from kcheck.rule import REFUSED, rule
from kcheck.rules.shared.keys_wording import evidence, program, written
from kcheck.rules.shared.transforms import STEPS, class_list
from kcheck.version import Version
from kcheck.wording import article

#: The interface that the class of a key must implement, where Kafka checks it at once.
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
    "authorizer.class.name": "Authorizer",
    "alter.config.policy.class.name": "AlterConfigPolicy",
    "create.topic.policy.class.name": "CreateTopicPolicy",
    "client.quota.callback.class": "ClientQuotaCallback",
    "replica.selector.class": "ReplicaSelector",
    "sasl.server.callback.handler.class": "AuthenticateCallbackHandler",
    "ssl.engine.factory.class": "SslEngineFactory",
    "default.key.serde": "Serde",
    "default.value.serde": "Serde",
    "default.timestamp.extractor": "TimestampExtractor",
    "default.deserialization.exception.handler": "DeserializationExceptionHandler",
    "deserialization.exception.handler": "DeserializationExceptionHandler",
    "default.production.exception.handler": "ProductionExceptionHandler",
    "production.exception.handler": "ProductionExceptionHandler",
    "processing.exception.handler": "ProcessingExceptionHandler",
    "replication.policy.class": "ReplicationPolicy",
    "topic.filter.class": "TopicFilter",
    "group.filter.class": "GroupFilter",
    "config.property.filter.class": "ConfigPropertyFilter",
    "connector.client.config.override.policy": "ConnectorClientConfigOverridePolicy",
}
_INTERCEPTORS = {"producer": "ProducerInterceptor", "consumer": "ConsumerInterceptor"}
#: Keys with names of classes that the ConfigDef has as texts or lists.
_LISTS = ("metric.reporters", "interceptor.classes", "rest.extension.classes")
_TEXTS = (
    *("authorizer.class.name", "replica.selector.class", "task.assignor.class"),
    *("remote.log.storage.manager.class.name", "remote.log.metadata.manager.class.name"),
    *("group.share.persister.class.name", "connector.client.config.override.policy"),
)
_PROVIDERS = "config.providers"


def _of_provider(node: Node, key: str) -> bool:
    """Whether the key names the class of a config provider that the node lists."""
    name = key.removeprefix(f"{_PROVIDERS}.").removesuffix(".class")
    if f"{_PROVIDERS}.{name}.class" != key:
        return False
    # The table of some versions does not list the key, which they read all the same.
    settings = node.merged if isinstance(node, Broker) else node.resource.settings
    told = settings.get(_PROVIDERS)
    return told is not None and name in map(str.strip, (told.text or "").split(","))


#: A connector's converters are checked when it is created, those of a worker when they are used.
_CONVERTERS = ("key.converter", "value.converter", "header.converter")


@cache
def _removed() -> dict[str, str]:
    """Removed class → the first version without it."""
    return {row[0]: row[1] for row in data.rows("keys/classes.tsv")}


def _gone(name: str, version: Version) -> bool:
    """Whether another rule reports the removal of that class."""
    return name in _removed() and not version.below(_removed()[name])


def _wanted(node: Node, key: str) -> str:
    """The interface that the key requires; "" where none is known, or nothing looks at it."""
    for prefix, kind in STEPS if isinstance(node, Connector) else ():
        if key.startswith(prefix) and key.endswith(".type"):
            return kind if key[len(prefix) : -len(".type")] in class_list(node, prefix) else ""
    if key == "interceptor.classes":
        return _INTERCEPTORS.get(node.resource.kind, "")
    if _of_provider(node, key):
        return "ConfigProvider"
    kind = _WANTED.get(key, "")
    if not kind or not _reads(node, key):
        return ""
    if isinstance(node, Broker) and key == "metric.reporters":
        # They come and go while the broker runs.
        return ""
    if key.startswith("sasl.") and isinstance(node, Client):
        return kind if (node["security.protocol"].text or "").startswith("SASL") else ""
    if key.startswith(("sasl.", "ssl.")) and not isinstance(node, Client):
        # Which listeners have TLS or SASL another rule knows.
        return ""
    return "" if key.startswith("ssl.") else kind


def _reads(node: Node, key: str) -> bool:
    """Whether Kafka itself reads the key there; otherwise a plug-in may."""
    where = place("broker" if isinstance(node, Broker) else node.resource.plane, key)
    return where is not None and bool(where.facts())


def _severity(node: Node, key: str) -> str:
    """ERROR where a class of another kind keeps the program from starting."""
    since = _CHECKED_SINCE.get(key, "")
    if since and not node.version.at_least(since):
        return WARNING
    # Streams makes its handlers and serdes with its tasks, workers their converters.
    late = isinstance(node, (Streams, Worker)) and key != "metric.reporters"
    # A connector is accepted with reporters that fail in its tasks.
    late = late or (isinstance(node, Connector) and key == "metric.reporters")
    return WARNING if late or key in _MIRRORS else ERROR


def _single_class(node: Node, key: str) -> bool:
    """Whether the key holds the name of one class, which Kafka loads as it reads the settings."""
    where = place("broker" if isinstance(node, Broker) else node.resource.plane, key)
    if where is None:
        return False
    facts = [
        fact
        for table in where.tables
        for fact in catalogue.possible(table, where.key, node.version)
    ]
    return any(fact.type == "class" for fact in facts) or (bool(facts) and where.key in _TEXTS)


def _not_loaded(node: Node, key: str) -> bool:
    """Whether a consumer does not load that class: group.protocol=consumer has no assignor (3.8+)."""
    newer = str(node["group.protocol"].value).lower() == "consumer"
    return key == "partition.assignment.strategy" and newer and not node.version.below("3.8")


def _named(node: Node) -> Iterator[tuple[Setting, str]]:
    """The settings that name classes, and each such name."""
    if not node.library.java:
        return
    settings = node.merged if isinstance(node, Broker) else node.resource.settings
    for key, setting in settings.items():
        text = setting.text or ""
        # A possible comment is reported as such by another rule.
        if "#" in text:
            continue
        one = _single_class(node, key)
        if "." in key and _of_provider(node, key):
            one = True
        many = key in _LISTS and _reads(node, key)
        if not (one or many or _wanted(node, key)) or _not_loaded(node, key):
            continue
        for name in [text] if one else text.split(","):
            yield setting, name.strip()


#: Words of samples that are there to be replaced.
_TO_FILL_IN = ("changeit", "changeme", "change_me", "todo", "tbd", "replaceme", "xxx")

#: What ends the name of a class where more text follows.
_NO_NAME = re.compile(r"[\s,;]|\.class\Z")


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

    Silent on third-party classes: the class path of a process is not known. A value with a blank or
    a comma, where one class is read, is not a class name.

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
    Good: a third-party class
        --- kcheck.yaml
        producers: [{name: checkout, config: {key.serializer: com.example.OrderSerializer}}]
    """
    if node.library.java:
        yield from _words(node)
    for setting, name in _named(node):
        if _gone(name, node.version) or classes.kinds(name, node.version):
            continue
        severity = ERROR
        meant = classes.nested(name) or _inside(name)
        better = meant if classes.kinds(meant, node.version) else ""
        if classes.known(name):
            (since, _), *_ = classes.spans(name)
            *_, (_, until) = classes.spans(name)
            span = f"from {since}" if until == catalogue.newest() else f"from {since} to {until}"
            reason, fix = f"which Kafka has only {span}", "name a class that this version has"
        elif classes.nested(name):
            reason = "which is a nested class, whose name contains a $"
            fix = f"set {setting.key}={meant}"
        elif meant:
            reason = f"which is not a class name ({meant} is)"
            fix = f"set {setting.key}={better}" if better else "name a class that this version has"
        elif classes.exists(name):
            # Another rule says what it lacks.
            continue
        elif classes.ours(name) or (classes.foreign(name) and not _NO_NAME.search(name)):
            meant = _meant(name, _wanted(node, setting.key))
            better = meant if _there(meant, node.version) else ""
            reason, fix = "which no version of Kafka has", "name an existing class"
            fix = (
                f"set {setting.key}={(setting.text or '').replace(name, better)}" if better else fix
            )
            severity = ERROR if better or classes.ours(name) else WARNING
        elif _bare(node, setting.key, name):
            meant = _meant(name, _wanted(node, setting.key))
            better = meant if classes.kinds(meant, node.version) else ""
            if not better and (name[:1].isupper() or name.lower() in _TO_FILL_IN):
                # A class in no package is possible, though nobody calls one in small letters.
                continue
            reason = "which is not a class name with its package"
            fix = (
                f"set {setting.key}={(setting.text or '').replace(name, better)}"
                if better
                else ("name a class with its package")
            )
        elif "." in name and _NO_NAME.search(name):
            # No class name contains a blank or a comma, third-party ones included.
            reason, fix = "which is not a class name", "write the class name alone"
        else:
            continue
        yield node.finding(
            f"{node} sets {written(setting)} to {name}, {reason}",
            at=evidence(node, setting),
            breaks=f"the {program(node)} does not start: the class cannot be found",
            fix=fix,
            set_to=(setting.text or "").replace(name, better) if better else None,
            severity=severity,
        )


def _meant(name: str, kind: str) -> str:
    """The class of Kafka's that a name is a slip of, or the last part of; "" where there is none."""
    names, last = classes.candidates(kind), name.rpartition(".")[2].lower()
    same = [own for own in names if own.rpartition(".")[2].lower() == last]
    if not same and "." in name:
        same = [own for own in names if distance(name, own, 2) <= 2]
    return same[0] if len(same) == 1 else ""


def _there(name: str, version: Version) -> bool:
    """Whether that version has the class, as far as the tables tell versions."""
    return bool(classes.kinds(name, version)) or (bool(name) and not classes.known(name))


def _bare(node: Node, key: str, name: str) -> bool:
    """Whether a name without a package is none: Connect takes plug-ins by their short names, too."""
    if isinstance(node, (Worker, Connector)) or "." in name or name == "null":
        return False
    if not name.isidentifier():
        # Words that stand for a class, and what no rule of names tells.
        return False
    return not (key == "partition.assignment.strategy" and name in _ASSIGNORS)


#: Libraries whose class names end in the interface that they implement.
_CALLED_RIGHT = ("org.springframework.kafka.support.serializer.", "io.confluent.kafka.serializers.")


_ENDS = {
    ".serializer": ("Deserializer", "Serializer"),
    ".deserializer": ("Serializer", "Deserializer"),
}


def _other_end(node: Node) -> Iterator[tuple[Setting, str]]:
    """Serializer settings that name a third-party deserializer, and the other way round."""
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
    for setting, name in _named(node):
        wanted = _wanted(node, setting.key)
        kinds = classes.kinds(name, node.version)
        other = classes.exists(name) and not classes.known(name) and classes.covered(wanted)
        if not wanted or wanted in kinds or not (kinds or other or name.startswith(_JAVA)):
            continue
        yield node.finding(
            f"{node} sets {written(setting)} to {name}, which is not {article(wanted)}",
            at=evidence(node, setting),
            breaks=_fails(node, setting.key),
            fix=f"name a class that implements {wanted}",
            severity=_severity(node, setting.key),
        )


def _fails(node: Node, key: str) -> str:
    """What a class of another kind prevents."""
    if isinstance(node, Worker) and key in _CONVERTERS:
        return "the worker starts, but tasks fail when they create the converter"
    if isinstance(node, Streams):
        return "the application fails when it creates its tasks"
    if isinstance(node, (Broker, Worker)):
        return f"the {program(node)} fails to start"
    return f"the {program(node)} cannot be created"


_JAVA = ("java.", "javax.")


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
        if name in _ASSIGNORS and not _not_loaded(node, value.key):
            yield node.finding(
                f"{node} names the assignor {name}, which is not a class",
                at=value,
                breaks="the consumer cannot be created: the class cannot be found",
                fix=f"replace it with org.apache.kafka.clients.consumer.{_ASSIGNORS[name]}",
            )
            return


#: Keys of mirrors, whose connectors fail with them when they start.
_MIRRORS = (
    *("replication.policy.class", "topic.filter.class", "group.filter.class"),
    "config.property.filter.class",
)
#: The versions from which Kafka checks the class at once.
_CHECKED_SINCE = {**dict.fromkeys(_CONVERTERS, "3.7"), "principal.builder.class": "3.0"}
