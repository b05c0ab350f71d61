"""In which format the keys and values of a topic are written and read, by classes."""

from __future__ import annotations

from kcheck.graph.clients import Connector, Producer
from kcheck.graph.nodes import Node
from kcheck.model import SET, Setting, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.graph.cluster import Cluster

TEXT, BYTES, JSON, ENVELOPE = "text", "bytes", "JSON", "JSON with schemas"
AVRO, PROTOBUF, JSON_SCHEMA = "Avro", "Protobuf", "JSON Schema"
#: What a schema registry has the schemas of: a magic byte and an id begin each value.
REGISTERED = (AVRO, PROTOBUF, JSON_SCHEMA)
#: Numbers by their bytes.
NUMBERS = {"Short": 2, "Integer": 4, "Float": 4, "Long": 8, "Double": 8}

#: Formats of programs that carry logs and metrics.
PLAIN, INFLUX, MSGPACK, CSV = "plain text", "InfluxDB line protocol", "MessagePack", "CSV"
BARE_AVRO, BARE_PROTOBUF = "Avro without a schema registry", "Protobuf without a schema registry"
OTLP, OTLP_JSON = "OTLP Protobuf", "OTLP JSON"
JAEGER, JAEGER_JSON, ZIPKIN, ZIPKIN_JSON = (
    *("Jaeger Protobuf", "Jaeger JSON"),
    *("Zipkin Protobuf", "Zipkin JSON"),
)
CARRIED = (
    *(PLAIN, INFLUX, MSGPACK, CSV, OTLP, OTLP_JSON),
    *(JAEGER, JAEGER_JSON, ZIPKIN, ZIPKIN_JSON),
    *(BARE_AVRO, BARE_PROTOBUF),
)

_KAFKA = "org.apache.kafka.common.serialization."
_CONNECT = "org.apache.kafka.connect."
_CONFLUENT = "io.confluent."
#: Serializers and deserializers without that ending, and converters: their format.
_FORMATS = {
    f"{_KAFKA}String": TEXT,
    f"{_KAFKA}UUID": TEXT,
    **{f"{_KAFKA}{name}": BYTES for name in ("ByteArray", "ByteBuffer", "Bytes")},
    **{f"{_KAFKA}{name}": name for name in NUMBERS},
    f"{_CONNECT}json.Json": JSON,
    "org.springframework.kafka.support.serializer.Json": JSON,
    "org.springframework.kafka.support.serializer.JacksonJson": JSON,
    "io.quarkus.kafka.client.serialization.ObjectMapper": JSON,
    "io.quarkus.kafka.client.serialization.Jsonb": JSON,
    "io.quarkus.kafka.client.serialization.JsonObject": JSON,
    "io.vertx.kafka.client.serialization.JsonObject": JSON,
    f"{_CONFLUENT}kafka.serializers.KafkaAvro": AVRO,
    f"{_CONFLUENT}kafka.streams.serdes.avro.SpecificAvro": AVRO,
    f"{_CONFLUENT}kafka.streams.serdes.avro.GenericAvro": AVRO,
    f"{_CONFLUENT}kafka.serializers.protobuf.KafkaProtobuf": PROTOBUF,
    f"{_CONFLUENT}kafka.serializers.json.KafkaJsonSchema": JSON_SCHEMA,
}
_CONVERTERS = {
    f"{_CONNECT}storage.StringConverter": TEXT,
    f"{_CONNECT}converters.ByteArrayConverter": BYTES,
    **{f"{_CONNECT}converters.{name}Converter": name for name in NUMBERS},
    f"{_CONFLUENT}connect.avro.AvroConverter": AVRO,
    f"{_CONFLUENT}connect.protobuf.ProtobufConverter": PROTOBUF,
    f"{_CONFLUENT}connect.json.JsonSchemaConverter": JSON_SCHEMA,
}
_JSON = f"{_CONNECT}json.JsonConverter"
#: Spring's deserializer around another one, which a property of its own names.
_AROUND = "org.springframework.kafka.support.serializer.ErrorHandlingDeserializer"
_DELEGATE = "spring.deserializer.{}.delegate.class"

#: Words of these programs that mean the same in all of them.
_WORDS = {
    "json": JSON,
    "json_lines": JSON,
    "ndjson": JSON,
    "influx": INFLUX,
    "influxdb": INFLUX,
    "msgpack": MSGPACK,
    "csv": CSV,
    "bytes": BYTES,
    "raw": BYTES,
    "otlp_proto": OTLP,
    "otlp_json": OTLP_JSON,
    "jaeger_proto": JAEGER,
    "jaeger_json": JAEGER_JSON,
    "zipkin_proto": ZIPKIN,
    "zipkin_json": ZIPKIN_JSON,
}
#: Words of one of these programs. What ends in ``+schema`` is Flink's format with schema-include.
_OWN_WORDS = {
    "flink": {
        "avro": BARE_AVRO,
        "avro-confluent": AVRO,
        "debezium-avro-confluent": AVRO,
        **dict.fromkeys(("debezium-json", "canal-json", "maxwell-json"), JSON),
        "debezium-json+schema": ENVELOPE,
        "protobuf": BARE_PROTOBUF,
    },
    "vector": {"avro": BARE_AVRO, "protobuf": BARE_PROTOBUF},
    "logstash": {"avro_schema_registry": AVRO},
}
#: Words that mean something else where they are written than where they are read.
_LOGSTASHS = {"plain": (PLAIN, TEXT), "line": (PLAIN, TEXT)}

#: Whether it is the key or the value of records.
PARTS = ("key", "value")


class Codec:
    """How one node writes or reads a part of records: the format, and the value that tells."""

    __slots__ = ("format", "node", "told", "wide")

    def __init__(self, node: Node, form: str, told: Value, wide: Value | None = None) -> None:
        self.node = node
        self.format = form
        self.told = told
        #: The converter's setting for the schemas in JSON, where it is one of these.
        self.wide = wide


def of(node: Node, part: str) -> Codec | None:
    """The codec of a producer, consumer or connector for a part; None where it is not known."""
    if isinstance(node, Connector):
        return _of_connector(node, part)
    if part == "value" and node.resource.traits.encoding is not None:
        return _of_agent(node, *node.resource.traits.encoding)
    key = f"{part}.{'serializer' if isinstance(node, Producer) else 'deserializer'}"
    told = node[key]
    name = told.text or ""
    if name == _AROUND:
        key = _DELEGATE.format(part)
        setting = node.resource.settings.get(key)
        name = (setting and setting.text) or ""
        told = Value(key, node.resource, told.origin, name, name, bool(name), setting)
    form = _FORMATS.get(name.removesuffix("Serializer").removesuffix("Deserializer"))
    return Codec(node, form, told) if form is not None and told.written else None


def _of_agent(node: Node, program: str, setting: Setting) -> Codec | None:
    text = setting.text or ""
    form = _OWN_WORDS.get(program, {}).get(text) or _WORDS.get(text)
    if program == "logstash" and text in _LOGSTASHS:
        form = _LOGSTASHS[text][not isinstance(node, Producer)]
    text = text.partition("+")[0]
    told = Value(setting.key, node.resource, SET, text, text, True, setting)
    return Codec(node, form, told) if form is not None else None


def _of_connector(connector: Connector, part: str) -> Codec | None:
    key = f"{part}.converter"
    owner: Node | None = connector if connector.sets(key) else connector.worker
    if owner is None:
        return None
    told = owner[key]
    if not told.written:
        return None
    if told.text == _JSON:
        name = f"{key}.schemas.enable"
        setting = owner.resource.settings.get(name)
        if setting is not None and setting.text is None:
            return None
        plain = setting is not None and (setting.text or "").lower() == "false"
        wide = Value(
            name, owner.resource, "set" if setting is not None else "default", setting=setting
        )
        wide.text = "false" if plain else "true"
        return Codec(connector, JSON if plain else ENVELOPE, told, wide)
    form = _CONVERTERS.get(told.text or "", "")
    return Codec(connector, form, told) if form else None


_last: tuple[Cluster, dict[str, list[Node]]] | None = None


def writers(cluster: Cluster) -> dict[str, list[Node]]:
    """By topic the producers and sources that are known to write it; many readers ask this in a row."""
    global _last
    if _last is None or _last[0] is not cluster:
        found: dict[str, list[Node]] = {}
        for client in cluster.clients:
            if isinstance(client, Producer):
                for name in client.resource.traits.topics or ():
                    found.setdefault(name, []).append(client)
        for connector in cluster.connectors:
            if connector.resource.plane == "source-connector":
                for name in connector.resource.traits.writes or ():
                    found.setdefault(name, []).append(connector)
        _last = (cluster, found)
    return _last[1]
