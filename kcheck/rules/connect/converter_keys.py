"""KC14: the keys that Kafka's own converters have themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import catalogue, classes
from kcheck.graph.clients import Connector, Consumer, Producer, Worker
from kcheck.lexicon import suggest, values
from kcheck.model import ERROR, WARNING, Finding, Setting
from kcheck.rule import FAILED, PREVIEW, rule
from kcheck.rules.shared.keys_wording import evidence

_CONVERTERS = ("key.converter", "value.converter", "header.converter")
_TABLE = "converters"
#: Confluent's converters, and the prefix of what they hand on to their registry's client
#: (SchemaRegistryClientConfig.CLIENT_NAMESPACE).
_CONFLUENT, _CLIENT = "io.confluent.connect.", "schema.registry."
_TLS = frozenset(
    f"ssl.{store}.{part}"
    for store in ("truststore", "keystore")
    for part in ("location", "password", "type")
)
#: What Confluent's converters read behind their own names alone (AbstractKafkaSchemaSerDeConfig,
#: SchemaRegistryClientConfig), and no connector has itself.
_SERDES = frozenset(
    (
        *("auto.register.schemas", "use.latest.version", "latest.compatibility.strict"),
        *("normalize.schemas", "key.subject.name.strategy", "value.subject.name.strategy"),
        *("basic.auth.credentials.source", "basic.auth.user.info"),
        *("bearer.auth.credentials.source", "bearer.auth.token"),
    )
)
#: What Connect itself tells a converter.
_SAID = "converter.type"


@rule("KC1491", "converter-own-key", ERROR, kafka=FAILED, on=_CONVERTERS)
def converter_own_key(node: Worker | Connector) -> Iterator[Finding]:
    """A converter's own key has a value that the converter rejects, is misspelt, or lacks its prefix.

    What stands behind key.converter., value.converter. and header.converter. is handed to the
    converter of that name. Connect itself checks neither names nor values when a worker starts: the
    tasks of a connector fail with the converter, and an unknown key is ignored silently. A warning on
    a worker, whose connectors may have converters of their own.

    Bad: a value
        --- rows.json
        {"name": "rows", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "rows", "value.converter": "org.apache.kafka.connect.json.JsonConverter",
         "value.converter.schemas.enable": "flase"}}
    Bad: a name
        --- rows.json
        {"name": "rows", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "rows", "value.converter": "org.apache.kafka.connect.json.JsonConverter",
         "value.converter.schema.enable": "false"}}
    Bad: a worker
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.storage.StringConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter.decimal.format=NUMBER
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
    Bad: the registry's trust store without its prefix
        --- rows.json
        {"name": "rows", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "rows", "value.converter": "io.confluent.connect.avro.AvroConverter",
         "value.converter.schema.registry.url": "https://registry.example.com",
         "value.converter.ssl.truststore.location": "/etc/kafka/trust.p12"}}
    Good:
        --- rows.json
        {"name": "rows", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "rows", "value.converter": "org.apache.kafka.connect.json.JsonConverter",
         "value.converter.schemas.enable": "FALSE", "value.converter.decimal.format": "numeric"}}
    Good: another converter may have any keys
        --- rows.json
        {"name": "rows", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "rows", "value.converter": "com.example.JsonConverter",
         "value.converter.schema.enable": "flase"}}
    Good: the key belongs to no converter, and is no slip of one's
        --- rows.json
        {"name": "rows", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "rows", "value.converter": "org.apache.kafka.connect.json.JsonConverter",
         "value.converter.owner": "billing"}}
    """
    yield from _bare(node)
    for converter in _CONVERTERS:
        name = node[converter].text or ""
        if name.startswith(_CONFLUENT):
            yield from _registry(node, converter, name.rpartition(".")[2])
        package, _, owner = name.rpartition(".")
        # An alias that some other class shares is none: Connect takes Kafka's own or no class at all.
        if not package or classes.kinds(name, node.version):
            yield from _judge(node, converter, owner)


def _bare(node: Worker | Connector) -> Iterator[Finding]:
    """Options of Confluent's converters that stand behind the name of none."""
    settings = node.resource.settings
    asking = [one for one in _CONVERTERS[:2] if (node[one].text or "").startswith(_CONFLUENT)]
    for key in settings if asking else ():
        if key not in _SERDES:
            continue
        part = key.partition(".")[0]
        mine = [one for one in asking if part not in ("key", "value") or one.startswith(part)]
        right = [f"{one}.{key}" for one in mine]
        if right and not any(one in settings for one in right):
            yield node.finding(
                f"{node} sets {key}, which converters read behind their own names alone",
                at=evidence(node, settings[key]),
                because=tuple(node[one] for one in mine),
                breaks="no converter gets it: each has the default",
                fix=f"rename it to {' and '.join(right)}",
                severity=WARNING,
            )


def _registry(node: Worker | Connector, converter: str, owner: str) -> Iterator[Finding]:
    """TLS for the registry that lacks the prefix behind which the registry's client looks for it."""
    for name, setting in node.resource.settings.items():
        head, _, key = name.partition(f"{converter}.")
        right = f"{converter}.{_CLIENT}{key}"
        if not head and key in _TLS and right not in node.resource.settings:
            yield node.finding(
                f"{node} sets {name}, which {owner} does not pass on; did you mean {right}?",
                at=evidence(node, setting),
                breaks=f"the client of the registry takes TLS settings behind {_CLIENT} alone: it has the "
                "JVM's trust store and no certificate",
                fix=f"rename it to {right}",
                severity=WARNING,
            )


def _judge(node: Worker | Connector, converter: str, owner: str) -> Iterator[Finding]:
    """Findings about the keys behind one converter's name, of which ``owner`` is the class."""
    rows = catalogue.plane(_TABLE).keys()
    own = [row.partition(" ")[2] for row in rows if row.startswith(f"{owner} ")]
    keys = [key for key in own if key != _SAID]
    for name, setting in node.resource.settings.items():
        if not name.startswith(f"{converter}."):
            continue
        key = name[len(converter) + 1 :]
        if key in keys:
            yield from _value(node, owner, key, setting)
        elif meant := suggest.only(key, keys):
            right = f"{converter}.{meant}"
            if right not in node.resource.settings:
                yield node.finding(
                    f"{node} sets {name}, which {owner} does not have; did you mean {right}?",
                    at=evidence(node, setting),
                    breaks=f"the key is ignored, and {meant} has its default",
                    fix=f"rename it to {right}",
                    severity=WARNING,
                )


def _value(node: Worker | Connector, owner: str, key: str, setting: Setting) -> Iterator[Finding]:
    fact = catalogue.fact(_TABLE, f"{owner} {key}", node.version)
    if fact is None or setting.text is None:
        return
    wrong = values.refusal(_TABLE, fact, None, setting.text)
    if wrong:
        worker = isinstance(node, Worker)
        yield node.finding(
            f"{node}: {setting.key}={setting.text} {wrong}",
            at=evidence(node, setting),
            breaks=f"{owner} rejects it (ConfigException): the tasks of "
            + ("each connector without its own converter fail" if worker else "the connector fail"),
            fix=f"set {setting.key} to a valid value",
            severity=WARNING if worker else "",
        )


#: Serializers and deserializers that ask Confluent's API, and where Apicurio Registry has it.
_ASKING = ("io.confluent.connect.", "io.confluent.kafka.")
_URL = re.compile(r"https?://(?:[^/@,\s]*@)?([^/:,\s]+)(?::\d+)?(/[^,\s]*)?")
_COMPATIBLE = "ccompat"
_PARTS = (
    *((f"{part}.converter", f"{part}.converter.") for part in ("key", "value")),
    *(
        (f"{part}.{side}", "")
        for part in ("key", "value")
        for side in ("serializer", "deserializer")
    ),
)


@rule(
    "KC1495",
    "registry-other-api",
    WARNING,
    on=tuple(key for key, _ in _PARTS),
    set=PREVIEW,
)
def registry_other_api(node: Worker | Connector | Producer | Consumer) -> Iterator[Finding]:
    """A Confluent converter or serializer has the address of an Apicurio Registry without the path of its API.

    Apicurio Registry serves its own API at /apis/registry and Confluent's at /apis/ccompat/v7 (v6 in
    older releases). The registry is known by its name, or by the image of the service that the address names.

    Bad:
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: "broker,controller", KAFKA_ADVERTISED_LISTENERS: "PLAINTEXT://kafka:9092"}
          registry: {image: "apicurio/apicurio-registry-mem:2.6.5.Final"}
          connect:
            image: confluentinc/cp-kafka-connect:7.5.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka:9092
              CONNECT_GROUP_ID: etl
              CONNECT_REST_ADVERTISED_HOST_NAME: connect
              CONNECT_CONFIG_STORAGE_TOPIC: configs
              CONNECT_OFFSET_STORAGE_TOPIC: offsets
              CONNECT_STATUS_STORAGE_TOPIC: status
              CONNECT_KEY_CONVERTER: org.apache.kafka.connect.json.JsonConverter
              CONNECT_VALUE_CONVERTER: io.confluent.connect.avro.AvroConverter
              CONNECT_VALUE_CONVERTER_SCHEMA_REGISTRY_URL: http://registry:8080
    Bad: the name of the host tells
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "rows",
         "value.converter": "io.confluent.connect.avro.AvroConverter",
         "value.converter.schema.registry.url": "http://apicurio-registry:8080/apis/registry/v2"}}
    Good: the path of Confluent's API
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: "broker,controller", KAFKA_ADVERTISED_LISTENERS: "PLAINTEXT://kafka:9092"}
          registry: {image: "apicurio/apicurio-registry-mem:2.6.5.Final"}
          connect:
            image: confluentinc/cp-kafka-connect:7.5.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka:9092
              CONNECT_GROUP_ID: etl
              CONNECT_REST_ADVERTISED_HOST_NAME: connect
              CONNECT_CONFIG_STORAGE_TOPIC: configs
              CONNECT_OFFSET_STORAGE_TOPIC: offsets
              CONNECT_STATUS_STORAGE_TOPIC: status
              CONNECT_KEY_CONVERTER: org.apache.kafka.connect.json.JsonConverter
              CONNECT_VALUE_CONVERTER: io.confluent.connect.avro.AvroConverter
              CONNECT_VALUE_CONVERTER_SCHEMA_REGISTRY_URL: http://registry:8080/apis/ccompat/v7
    Good: Confluent's registry
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "rows",
         "value.converter": "io.confluent.connect.avro.AvroConverter",
         "value.converter.schema.registry.url": "http://registry:8081"}}
    Good: Apicurio's converter
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "rows",
         "value.converter": "io.apicurio.registry.utils.converter.AvroConverter",
         "value.converter.schema.registry.url": "http://apicurio-registry:8080/apis/registry/v2"}}
    """
    for key, prefix in _PARTS:
        url = node.resource.settings.get(f"{prefix}schema.registry.url")
        if url is None or not (node[key].text or "").startswith(_ASKING):
            continue
        for address in _URL.finditer(url.text or ""):
            host = address[1].lower()
            image = host if "apicurio" in host else _image_of(node, host)
            if "apicurio" in image and _COMPATIBLE not in (address[2] or ""):
                yield node.finding(
                    f"{node}: {url.key} is the address of {image}, without the path of Confluent's API",
                    at=evidence(node, url),
                    because=(node[key],),
                    breaks="the registry answers 404 to "
                    f"{(node[key].text or '').rpartition('.')[2]}: no schema is found or registered",
                    fix="append /apis/ccompat/v7 (v6 for Apicurio Registry up to 2.3)",
                )
                return


def _image_of(node: Worker | Connector | Producer | Consumer, host: str) -> str:
    """The image of the one service of a compose file with that name."""
    for resource in node.cluster.resources:
        network = resource.traits.network
        found = network.names.get(host, ()) if network is not None else ()
        if len(found) == 1:
            return found[0].image
    return ""
