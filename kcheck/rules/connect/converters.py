"""KC14: the converters of connectors, and settings that no converter reads."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import classes
from kcheck.graph.clients import Connector, Worker
from kcheck.model import COMPOSE, ERROR, INFO, STRIMZI, WARNING, Finding
from kcheck.rule import CHANGED, rule
from kcheck.rules.connect.connector_workers import workers_of
from kcheck.rules.shared.keys_wording import evidence

_CONVERTERS = ("key.converter", "value.converter", "header.converter")


#: Converters that use a registry, which has no default address.
_REGISTERED = (
    "io.confluent.connect.avro.AvroConverter",
    "io.confluent.connect.protobuf.ProtobufConverter",
    "io.confluent.connect.json.JsonSchemaConverter",
)


#: Of Confluent Cloud: its Schema Registry is set for the converters.
_AUTO = "confluent.custom.schema.registry.auto"
_URL = "schema.registry.url"


def _self_managed(connector: Connector) -> bool:
    """Whether a connector runs on self-managed workers: a managed service uses plain class names."""
    return "." in (connector["connector.class"].text or "")


@rule("KC1474", "connect-converter-registry", ERROR)
def connect_converter_registry(node: Connector | Worker) -> Iterator[Finding]:
    """A Schema Registry converter has no schema.registry.url.

    schema.registry.url has no default, and a converter reads it only under its own prefix:
    value.converter.schema.registry.url. A connector that sets its own converter does not inherit the
    settings of the workers' converter. A warning on a worker, whose connectors may set their own
    converters.

    Bad:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "value.converter": "io.confluent.connect.avro.AvroConverter"}}
    Bad: without the prefix
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.storage.StringConverter
        value.converter=io.confluent.connect.avro.AvroConverter
        schema.registry.url=http://registry:8081
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
    Good:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "value.converter": "io.confluent.connect.avro.AvroConverter",
         "value.converter.schema.registry.url": "http://registry:8081"}}
    Good: the workers' converter
        --- orders.json
        {"name": "orders", "config": {"connector.class": "FileStreamSink", "topics": "orders"}}
    Good: a custom connector of Confluent Cloud, which sets the address
        --- orders.json
        {"name": "orders", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "confluent.custom.schema.registry.auto": "true",
         "value.converter": "io.confluent.connect.avro.AvroConverter"}}
    """
    # A chart sets the address when it renders the container.
    if node.sets(_AUTO):
        return
    if node.resource.managed and node.resource.traits.deployer not in (COMPOSE, STRIMZI):
        return
    for key in _CONVERTERS[:2]:
        converter, url = node[key], node[f"{key}.{_URL}"]
        if converter.text not in _REGISTERED or url.written:
            continue
        bare = node[_URL]
        yield node.finding(
            f"{node} sets {key}={converter.text} without {url.key}"
            + (f" ({_URL} without the prefix is ignored)" if bare.written else ""),
            at=converter,
            because=(url,),
            breaks=f"tasks with this converter fail to start: {_URL} is missing",
            fix=f"set {url.key}",
            severity=ERROR if isinstance(node, Connector) else WARNING,
        )


@rule(
    "KC1475",
    "connect-converter-unread",
    WARNING,
    kafka=CHANGED,
    invariants=("connect-converter-unread",),
)
def connect_converter_unread(connector: Connector) -> Iterator[Finding]:
    """A connector sets converter properties without setting the converter.

    Without its own value.converter a connector inherits that of its workers, with their settings.
    The properties that the connector sets under value.converter. are then ignored.

    Bad:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "value.converter.schemas.enable": "false"}}
    Good:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "value.converter": "org.apache.kafka.connect.json.JsonConverter",
         "value.converter.schemas.enable": "false"}}
    Good: the same values on the workers
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter.schemas.enable=false
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "value.converter.schemas.enable": "false"}}
    Good: a connector of a managed service
        --- orders.json
        {"name": "orders", "config": {"connector.class": "S3_SINK", "topics": "orders",
         "value.converter.schemas.enable": "false"}}
    Good: settings that are not all known
        --- connect.tf
        resource "kafka-connect_connector" "orders" {
          name = "orders"
          config = merge(var.defaults, {
            "connector.class"                = "org.apache.kafka.connect.file.FileStreamSinkConnector"
            "topics"                         = "orders"
            "value.converter.schemas.enable" = "false"
          })
        }
    """
    if not _self_managed(connector) or connector.resource.traits.partial:
        return
    workers = workers_of(connector)
    for converter in _CONVERTERS:
        if connector.sets(converter):
            continue
        unread = [
            setting
            for key, setting in connector.resource.settings.items()
            if key.startswith(f"{converter}.")
            and not (workers and all(worker[key].text == setting.text for worker in workers))
        ]
        if unread:
            more = f" and {len(unread) - 1} more" if len(unread) > 1 else ""
            yield connector.finding(
                f"{connector} sets {unread[0].key}{more} without {converter}",
                at=evidence(connector, unread[0]),
                because=(connector[converter],),
                breaks=f"{'these properties are' if more else 'the property is'} ignored: the "
                "connector uses the workers' converter with the workers' settings",
                fix=f"set {converter} on the connector, too",
            )


#: What begins the settings of a registry, Confluent's or Apicurio's.
_REGISTRIES = ("schema.registry.", "apicurio.registry.")


@rule("KC1480", "connect-registry-unasked", WARNING, kafka=CHANGED)
def connect_registry_unasked(node: Connector | Worker) -> Iterator[Finding]:
    """A converter that uses no schema registry has a schema.registry.url.

    The converters of Apache Kafka use no registry: JsonConverter writes the schema into each record or
    omits it, the others have none. Properties under value.converter.schema.registry. are then ignored.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.storage.StringConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter.schema.registry.url=http://registry:8081
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
    Bad: a connector; an info, because strings are mostly meant, and the address is left over
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "key.converter": "org.apache.kafka.connect.storage.StringConverter",
         "key.converter.schema.registry.url": "http://registry:8081"}}
    Bad: JSON without schemas; an info, because the address is left over
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "value.converter": "org.apache.kafka.connect.json.JsonConverter",
         "value.converter.schemas.enable": "false",
         "value.converter.schema.registry.url": "http://registry:8081"}}
    Good:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "key.converter": "io.confluent.connect.json.JsonSchemaConverter",
         "key.converter.schema.registry.url": "http://registry:8081"}}
    Good: a third-party converter, which may use a registry
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "key.converter": "com.example.RegistryConverter",
         "key.converter.schema.registry.url": "http://registry:8081"}}
    Good: a connector of a managed service
        --- orders.json
        {"name": "orders", "config": {"connector.class": "S3_SINK", "topics": "orders",
         "key.converter": "org.apache.kafka.connect.storage.StringConverter",
         "key.converter.schema.registry.url": "http://registry:8081"}}
    """
    if isinstance(node, Connector) and not _self_managed(node):
        return
    for key in _CONVERTERS:
        converter = node[key]
        name = converter.text or ""
        if not classes.known(name):
            continue
        unread = [
            setting
            for other, setting in node.resource.settings.items()
            if other.startswith(tuple(f"{key}.{registry}" for registry in _REGISTRIES))
        ]
        if unread:
            more = f" and {len(unread) - 1} more" if len(unread) > 1 else ""
            yield node.finding(
                f"{node} sets {unread[0].key}{more}, but its {key} {name.rpartition('.')[2]} "
                "uses no schema registry",
                at=evidence(node, unread[0]),
                because=(converter,),
                breaks="the address is ignored: no schema is registered, and records lack the "
                "schema ID that registry deserializers expect",
                fix=f"set {key} to a converter that uses the registry, such as {_REGISTERED[0]}, or "
                f"remove {unread[0].key}",
                # A template with a converter from elsewhere has it for others that are given there.
                severity=INFO
                if _plain(node, key, name)
                or (converter.setting is not None and converter.setting.path != unread[0].path)
                else WARNING,
            )


def _plain(node: Connector | Worker, key: str, converter: str) -> bool:
    """Whether no schema is wanted, so that the address is left over from a block of defaults."""
    schemas = node.resource.settings.get(f"{key}.schemas.enable")
    declined = schemas is not None and (schemas.text or "").strip().lower() == "false"
    return declined or converter.endswith(".StringConverter")


#: Keys of the embedded clients that are no keys of a connector.
_CLIENT_KEYS = {
    "sink-connector": (
        "consumer",
        (
            "session.timeout.ms",
            "heartbeat.interval.ms",
            "max.poll.interval.ms",
            "max.poll.records",
            "max.partition.fetch.bytes",
            "fetch.max.bytes",
            "auto.offset.reset",
        ),
    ),
    "source-connector": ("producer", ("max.request.size",)),
}


@rule("KC1476", "connect-client-key", WARNING, kafka=CHANGED, invariants=("connect-client-key",))
def connect_client_key(connector: Connector) -> Iterator[Finding]:
    """A connector sets a client key without the prefix consumer.override. or producer.override.

    Connect passes settings of a connector to its consumer or producer only with the prefix
    consumer.override. or producer.override.; without it the connector ignores the key.

    Bad:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "max.poll.records": "100"}}
    Good:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "consumer.override.max.poll.records": "100"}}
    Good: a connector of a managed service, which has such keys
        --- orders.json
        {"name": "orders", "config": {"connector.class": "S3_SINK", "topics": "orders", "max.poll.records": "100"}}
    """
    role, keys = _CLIENT_KEYS.get(connector.resource.plane, ("", ()))
    for key in keys if _self_managed(connector) else ():
        right = f"{role}.override.{key}"
        if not connector.sets(key) or connector.sets(right):
            continue
        yield connector.finding(
            f"{connector} sets {key}, a {role} key, without the prefix {role}.override.",
            at=connector[key],
            breaks=f"the {role} does not get it and uses the workers' value or the default",
            fix=f"set {right} instead; connector.client.config.override.policy of the workers must "
            "allow it",
        )
