"""Settings that name classes: the interface that each requires, and who loads it, and when."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue
from kcheck.graph.clients import Client, Connector, Streams, Worker
from kcheck.graph.listeners import of_no_listener
from kcheck.graph.nodes import Broker, Node
from kcheck.lexicon.planes import place
from kcheck.model import ERROR, WARNING, Setting
from kcheck.rules.shared.transforms import STEPS, class_list

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
_LISTS = (
    *("metric.reporters", "interceptor.classes", "rest.extension.classes"),
    "partition.assignment.strategy",
)
_TEXTS = (
    *("authorizer.class.name", "replica.selector.class", "task.assignor.class"),
    *("remote.log.storage.manager.class.name", "remote.log.metadata.manager.class.name"),
    *("group.share.persister.class.name", "group.share.dlq.manager.class.name"),
    "connector.client.config.override.policy",
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
CONVERTERS = ("key.converter", "value.converter", "header.converter")


def interface(node: Node, key: str) -> str:
    """The interface that the key requires; "" where none is known, or nothing looks at it."""
    for prefix, kind in STEPS if isinstance(node, Connector) else ():
        if key.startswith(prefix) and key.endswith(".type"):
            return kind if key[len(prefix) : -len(".type")] in class_list(node, prefix) else ""
    if key == "interceptor.classes":
        return _INTERCEPTORS.get(node.resource.kind, "")
    if _of_provider(node, key):
        return "ConfigProvider"
    kind = _WANTED.get(key, "")
    if not kind or not reads(node, key):
        return ""
    if isinstance(node, Broker) and key == "metric.reporters":
        # They come and go while the broker runs.
        return ""
    if isinstance(node, Broker) and key in _BY_CONTROLLERS and node.roles == ["broker"]:
        return ""
    if key.startswith("sasl."):
        # Which listeners of a broker have SASL another rule knows.
        told = node["security.protocol"].text if isinstance(node, Client) else None
        return kind if (told or "").startswith("SASL") else ""
    return kind


def reads(node: Node, key: str) -> bool:
    """Whether that version of Kafka itself reads the key there; otherwise a plug-in may."""
    where = place("broker" if isinstance(node, Broker) else node.resource.plane, key)
    return where is not None and any(
        catalogue.possible(table, where.key, node.version) for table in where.tables
    )


def severity_of(node: Node, key: str) -> str:
    """ERROR where a class of another kind keeps the program from starting."""
    since = _CHECKED_SINCE.get(key, "")
    if since and not node.version.at_least(since):
        return WARNING
    # Streams makes its handlers and serdes with its tasks, workers their converters.
    early = key == "metric.reporters" or key.startswith(f"{_PROVIDERS}.")
    late = isinstance(node, (Streams, Worker)) and not early
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


#: Classes that brokers load when they start, and nodes in the controller role alone never do.
_BY_BROKERS = (
    *("replica.selector.class", "group.share.persister.class.name"),
    "group.share.dlq.manager.class.name",
)
#: Policies, which controllers make when they start; a node in the broker role alone does not.
_BY_CONTROLLERS = ("alter.config.policy.class.name", "create.topic.policy.class.name")


def unloaded(node: Node, key: str) -> bool:
    """Whether the process never loads the class of that key, so that its name does no harm."""
    if isinstance(node, Broker):
        if key.startswith("listener.name.") and of_no_listener(node, key):
            return True
        where = place("broker", key)
        tiers = where is not None and where.prefix and not key.startswith("listener.name.")
        if tiers or key.startswith("remote.log."):
            enabled = node["remote.log.storage.system.enable"].value is True
            return not enabled or node.roles == ["controller"]
        # A preview of share groups loads it only where they are switched on.
        preview = key == "group.share.persister.class.name" and not node.version.at_least("4.2")
        return preview or (key in _BY_BROKERS and node.roles == ["controller"])
    if isinstance(node, Client) and node.replaced(key):
        return True
    if key == "interceptor.classes" and node.resource.plane == "share-consumer":
        return node.version.below("4.1")
    if key == "task.assignor.class" and isinstance(node, Streams):
        return str(node["group.protocol"].value).lower() == "streams"
    if key != "partition.assignment.strategy" or not isinstance(node, Client):
        return False
    newer = str(node["group.protocol"].value).lower() == "consumer"
    return node.unread(key) or (newer and not node.version.below("3.8"))


def named(node: Node) -> Iterator[tuple[Setting, str]]:
    """The settings that name classes, and each such name."""
    if not node.library.java:
        return
    settings = node.merged if isinstance(node, Broker) else node.resource.settings
    for key, setting in settings.items():
        text = setting.text or ""
        # A possible comment in what a ConfigDef declares is reported as such by another rule.
        if "#" in text and reads(node, key):
            continue
        given = _single_class(node, key) or (key in _LISTS and reads(node, key))
        if not (given or interface(node, key)) or unloaded(node, key):
            continue
        for name in text.split(",") if key in _LISTS else [text]:
            yield setting, name.strip()


#: Keys of mirrors, whose connectors fail with them when they start.
_MIRRORS = (
    *("replication.policy.class", "topic.filter.class", "group.filter.class"),
    "config.property.filter.class",
)
#: The versions from which Kafka checks the class at once.
_CHECKED_SINCE = {**dict.fromkeys(CONVERTERS, "3.7"), "principal.builder.class": "3.0"}
