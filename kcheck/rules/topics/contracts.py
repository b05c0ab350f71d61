"""KC06: formats in which the records of a topic are written, against those in which they are read."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import codecs
from kcheck.graph.clients import Connector, Consumer
from kcheck.graph.codecs import Codec
from kcheck.graph.nodes import Node
from kcheck.model import ERROR, INFO, WARNING, Finding, Note
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.keys_wording import noted


@rule(
    "KC0623",
    "record-format",
    WARNING,
    kafka=FAILED,
    # Programs that carry records have no deserializers, but brokers.
    on=("key.deserializer", "value.deserializer", "topics", "bootstrap.servers"),
)
def record_format(reader: Consumer | Connector) -> Iterator[Finding]:
    """A topic is written in one format and read in another.

    Deserializers of a schema registry require its magic byte and a schema of their own type; numbers
    have a fixed size; JsonConverter with schemas.enable=true (default) requires a schema in every
    record, which JSON serializers do not write. Programs that carry logs and metrics name a format for
    each end, Logstash a codec. Bytes accept everything, and text accepts every text.
    An error if no record can be read.

    Bad: JSON read as Avro
        --- kcheck.yaml
        cluster: {name: core}
        producers:
          - {name: pricing, topics: [quotes], config: {value.serializer: io.quarkus.kafka.client.serialization.ObjectMapperSerializer}}
        consumers:
          - {name: shop, topics: [quotes], config: {group.id: shop, value.deserializer: io.confluent.kafka.serializers.KafkaAvroDeserializer}}
    Bad: another size
        --- kcheck.yaml
        cluster: {name: core}
        producers:
          - {name: meters, topics: [readings], config: {key.serializer: org.apache.kafka.common.serialization.LongSerializer}}
        consumers:
          - {name: billing, topics: [readings], config: {group.id: b, key.deserializer: org.apache.kafka.common.serialization.IntegerDeserializer}}
    Bad: JSON without schemas
        --- kcheck.yaml
        cluster: {name: core}
        producers:
          - {name: desk, topics: [visits], config: {value.serializer: org.springframework.kafka.support.serializer.JsonSerializer}}
        connectors:
          - name: search
            config:
              connector.class: io.confluent.connect.elasticsearch.ElasticsearchSinkConnector
              topics: visits
              value.converter: org.apache.kafka.connect.json.JsonConverter
    Good: bytes
        --- kcheck.yaml
        cluster: {name: core}
        producers:
          - {name: meters, topics: [readings], config: {key.serializer: org.apache.kafka.common.serialization.LongSerializer}}
        consumers:
          - {name: archive, topics: [readings], config: {group.id: a, key.deserializer: org.apache.kafka.common.serialization.ByteArrayDeserializer}}
    Good: without schemas
        --- kcheck.yaml
        cluster: {name: core}
        producers:
          - {name: desk, topics: [visits], config: {value.serializer: org.springframework.kafka.support.serializer.JsonSerializer}}
        connectors:
          - name: search
            config:
              connector.class: io.confluent.connect.elasticsearch.ElasticsearchSinkConnector
              topics: visits
              value.converter: org.apache.kafka.connect.json.JsonConverter
              value.converter.schemas.enable: "false"
    Good: two definitions of one connector, of which one is created
        --- json/visits-source.json
        {"name": "visits-source", "config": {
          "connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
          "table.whitelist": "visits", "topic.prefix": "desk.",
          "value.converter": "org.apache.kafka.connect.json.JsonConverter",
          "value.converter.schemas.enable": "false"}}
        --- avro/visits-source.json
        {"name": "visits-source", "config": {
          "connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
          "table.whitelist": "visits", "topic.prefix": "desk.",
          "value.converter": "io.confluent.connect.avro.AvroConverter",
          "value.converter.schema.registry.url": "http://registry:8081"}}
        --- json/visits-search.json
        {"name": "visits-search", "config": {
          "connector.class": "io.confluent.connect.elasticsearch.ElasticsearchSinkConnector",
          "topics": "desk.visits",
          "value.converter": "org.apache.kafka.connect.json.JsonConverter",
          "value.converter.schemas.enable": "false"}}
        --- kcheck.yaml
        cluster: {name: core, brokers: 3}
    Bad: keys read as text, an info
        --- kcheck.yaml
        cluster: {name: core}
        producers:
          - {name: pricing, topics: [quotes], config: {key.serializer: io.confluent.kafka.serializers.KafkaAvroSerializer}}
        consumers:
          - {name: shop, topics: [quotes], config: {group.id: shop, key.deserializer: org.apache.kafka.common.serialization.StringDeserializer}}
    Bad: another writer's records can be read, a warning
        --- kcheck.yaml
        cluster: {name: core}
        producers:
          - {name: pricing, topics: [quotes], config: {value.serializer: io.confluent.kafka.serializers.KafkaAvroSerializer}}
          - {name: desk, topics: [quotes], config: {value.serializer: org.springframework.kafka.support.serializer.JsonSerializer}}
        consumers:
          - {name: shop, topics: [quotes], config: {group.id: shop, value.deserializer: io.confluent.kafka.serializers.KafkaAvroDeserializer}}
    Bad: Logstash's default codec
        --- shipper.conf
        input { beats { port => 5044 } }
        output { kafka { bootstrap_servers => "k1.example.com:9092" topic_id => "access" } }
        --- indexer.conf
        input { kafka { bootstrap_servers => "k1.example.com:9092" topics => ["access"] group_id => "indexer" codec => json } }
        output { stdout {} }
    Bad: spans in another encoding
        --- agent.yaml
        receivers: {otlp: {protocols: {grpc: {}}}}
        exporters:
          kafka: {brokers: ["k1.example.com:9092"], topic: spans, encoding: otlp_json}
        service: {pipelines: {traces: {receivers: [otlp], exporters: [kafka]}}}
        --- gateway.yaml
        receivers:
          kafka: {brokers: ["k1.example.com:9092"], topic: spans}
        exporters: {debug: {}}
        service: {pipelines: {traces: {receivers: [kafka], exporters: [debug]}}}
    Good: one codec
        --- shipper.conf
        input { beats { port => 5044 } }
        output { kafka { bootstrap_servers => "k1.example.com:9092" topic_id => "access" codec => json } }
        --- indexer.conf
        input { kafka { bootstrap_servers => "k1.example.com:9092" topics => ["access"] group_id => "indexer" codec => json } }
        output { stdout {} }
    Bad: keys of text, read as JSON with schemas
        --- kcheck.yaml
        cluster: {name: core}
        producers:
          - {name: desk, topics: [visits], config: {key.serializer: org.apache.kafka.common.serialization.StringSerializer}}
        connectors:
          - name: search
            config:
              connector.class: io.confluent.connect.elasticsearch.ElasticsearchSinkConnector
              topics: visits
              key.converter: org.apache.kafka.connect.json.JsonConverter
    """
    written = codecs.writers(reader.cluster)
    names = [name for name in reader.resource.traits.topics or () if name in written]
    for part in codecs.PARTS if names else ():
        mine = codecs.of(reader, part)
        if mine is None:
            continue
        for name in names:
            known = [codec for writer in written[name] if (codec := codecs.of(writer, part))]
            fitting = {
                one.node.name for one in known if _mismatch(one.format, mine.format, part) is None
            }
            for theirs in known:
                why = _mismatch(theirs.format, mine.format, part)
                # Connectors of one name are alternatives: only one of them exists at a time.
                if why is None or theirs.node.name in fitting:
                    continue
                if _alternative(reader, name, part, theirs):
                    continue
                breaks, severity = why
                if fitting and severity == ERROR:
                    severity = WARNING  # the records of another writer can be read
                elif part == "key" and mine.format == codecs.TEXT:
                    severity = INFO  # text reads whatever there is: nothing fails
                yield _told(name, part, theirs, mine, breaks, severity)
                break


def _alternative(reader: Node, topic: str, part: str, theirs: Codec) -> bool:
    """Whether another definition of this connector, by its name, reads what the writer writes."""
    if not isinstance(reader, Connector):
        return False
    return any(
        other.name == reader.name
        and topic in (other.resource.traits.topics or ())
        and (codec := codecs.of(other, part)) is not None
        and _mismatch(theirs.format, codec.format, part) is None
        for other in reader.cluster.connectors
    )


def _told(
    topic: str, part: str, writer: Codec, reader: Codec, breaks: str, severity: str
) -> Finding:
    wide = reader.wide if reader.format == codecs.ENVELOPE else None
    said = [value for value in (wide, writer.told, writer.wide) if value is not None]
    return reader.node.finding(
        f"{writer.node} writes the {part}s of topic {topic} as {writer.format}, but {reader.node} "
        f"reads {reader.format}",
        at=reader.told,
        because=said,
        breaks=breaks,
        fix=f"set {wide.key}=false"
        if wide is not None and writer.format == codecs.JSON
        else f"use the same format for both: change {_either(reader.told.key, writer.told.key)}",
        severity=severity,
    )


def _either(mine: str, theirs: str) -> str:
    return f"{mine} or {theirs}" if mine != theirs else f"{mine} at one end"


_ENVELOPED = 'JsonConverter with schemas.enable=true requires the fields "schema" and "payload" (DataException)'
#: What happens to keys of text that are read so; programs that write JSON by hand do it in values.
_TEXT_KEYS = {
    codecs.ENVELOPE: f"records with a key fail: {_ENVELOPED}",
    codecs.JSON: "records fail whose key is no JSON, such as a bare word (DataException)",
}


def _carried(written: str, read: str) -> tuple[str, str] | None:
    """The same where one of them is a format of programs that carry logs and metrics."""
    if read == codecs.TEXT or {written, read} == {codecs.OTLP_JSON, codecs.JSON}:
        return None
    return f"records fail or lose their fields: the data is not {read}", WARNING


def _mismatch(written: str, read: str, part: str) -> tuple[str, str] | None:
    """What happens where a format is read as another one, and how severe it is."""
    if part == "key" and written == codecs.TEXT and read in _TEXT_KEYS:
        return _TEXT_KEYS[read], WARNING
    if written == read or codecs.BYTES in (written, read):
        return None
    if written in codecs.CARRIED or read in codecs.CARRIED:
        return _carried(written, read)
    numbers = codecs.NUMBERS
    if read in codecs.REGISTERED:
        if written in codecs.REGISTERED:
            return f"its records fail: the schema is {written}, not {read}", ERROR
        return "its records fail: unknown magic byte (SerializationException)", ERROR
    if read in numbers:
        if written in numbers and numbers[written] == numbers[read]:
            return "the numbers that are read are others than those that were written", WARNING
        certain = written in numbers
        return f"records fail: the size of the data is not {numbers[read]}", (
            ERROR if certain else WARNING
        )
    if written in codecs.REGISTERED or written in numbers:
        if read == codecs.TEXT:
            return "the text that is read is unreadable: the data is binary", WARNING
        return "records fail: the data is not JSON", ERROR
    return _enveloped(written, read)


def _enveloped(written: str, read: str) -> tuple[str, str] | None:
    """The same for JSON with and without schemas."""
    if (written, read) == (codecs.JSON, codecs.ENVELOPE):
        return f"records fail: {_ENVELOPED}", WARNING
    if (written, read) == (codecs.ENVELOPE, codecs.JSON):
        return 'each record is an object with the fields "schema" and "payload"', WARNING
    return None


@rule("KC0634", "binding-encoding", WARNING, versions="Spring Cloud Stream 2.0+")
def binding_encoding(note: Note, node: Node) -> Iterator[Finding]:
    """A binding of Spring Cloud Stream has a serializer, but the framework converts the payload.

    Without use-native-encoding the message converter makes bytes of the payload before the client
    serializes it. StringSerializer fails then, JSON and Avro serializers wrap the bytes.

    Bad:
        --- application.yml
        spring:
          cloud:
            stream:
              bindings: {policies-out-0: {destination: policies}}
              kafka:
                binder: {brokers: "k1:9092"}
                bindings:
                  policies-out-0:
                    producer:
                      configuration:
                        value.serializer: io.confluent.kafka.serializers.KafkaAvroSerializer
                        schema.registry.url: http://registry:8081
    Bad: for all bindings of the binder
        --- application.properties
        spring.cloud.stream.bindings.claims-out-0.destination=claims
        spring.cloud.stream.kafka.binder.brokers=k1:9092
        spring.cloud.stream.kafka.binder.producer-properties.value.serializer=org.apache.kafka.common.serialization.StringSerializer
    Good: native encoding
        --- application.yml
        spring:
          cloud:
            stream:
              default: {producer: {useNativeEncoding: true}}
              bindings: {policies-out-0: {destination: policies}}
              kafka:
                binder: {brokers: "k1:9092"}
                bindings:
                  policies-out-0:
                    producer:
                      configuration:
                        value.serializer: io.confluent.kafka.serializers.KafkaAvroSerializer
                        schema.registry.url: http://registry:8081
    Good: bytes
        --- application.yml
        spring:
          cloud:
            stream:
              bindings: {policies-out-0: {destination: policies}}
              kafka:
                binder: {brokers: "k1:9092"}
                bindings:
                  policies-out-0:
                    producer:
                      configuration:
                        value.serializer: org.apache.kafka.common.serialization.ByteArraySerializer
    """
    yield noted(note, node)
