"""KC06: what the programs that own a topic require of it, and formats written against formats read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph import codecs
from kcheck.graph.clients import Connector, Consumer
from kcheck.graph.codecs import Codec
from kcheck.graph.nodes import Node
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, INFO, WARNING, Finding, Note
from kcheck.rule import FAILED, PREVIEW, rule
from kcheck.rules.shared.keys_wording import noted
from kcheck.rules.shared.policies import policies
from kcheck.rules.topics.topic_names import name_of
from kcheck.wording import count, in_ms, plain

COMPACT, DELETE = "compact", "delete"


class _Owned:
    """A topic of a program: its name as an expression, the owner, and what this one requires.

    ``policy`` is the cleanup policy; ``lasting`` says that another one does where nothing expires.
    ``refuses`` says that the owner fails to start on several partitions, where it needs ``one``;
    ``loses`` what happens where the policy or the retention is another one.
    """

    __slots__ = ("lasting", "loses", "name", "one", "owner", "policy", "refuses")

    def __init__(
        self,
        name: str,
        owner: str,
        policy: str,
        loses: str,
        one: bool = False,
        refuses: str = "",
        lasting: bool = False,
    ) -> None:
        self.lasting = lasting
        self.name = name
        self.owner = owner
        self.policy = policy
        self.loses = loses
        self.one = one
        self.refuses = refuses


#: Rules of their own have Kafka's compacted topics (KC0604), those of Connect (KC1401), Schema Registry (KC0620), schema histories
#: (KC1413) and changelogs (KC1512). The sources: KsqlInternalTopicUtils.ensureTopic of ksqlDB;
#: MirrorUtils.createSinglePartitionCompactedTopic; ConnectUtils and TopicAdmin of Connect, which
#: MirrorMaker runs; TopicBasedRemoteLogMetadataManager.createRemoteLogMetadataTopic (retention.ms=-1,
#: cleanup.policy=delete); ShareCoordinatorService; KafkaSqlRegistryStorage of Apicurio 2 (compact) and the
#: reference of 3 (delete, with retention.ms=-1); Strimzi's guide to the topic operator's store; Confluent's
#: reference of its licences and of its metadata service.
_OWNED = (
    _Owned(
        r"_confluent-ksql-.*_command_topic",
        "the command topic of ksqlDB",
        DELETE,
        "ksqlDB loses statements, and rebuilds its streams and tables without them",
        one=True,
        refuses="ksqlDB fails to start: invalid partition count on topic",
    ),
    _Owned(
        r"mm2-offset-syncs\..+\.internal",
        "the offset-syncs topic of MirrorMaker 2",
        COMPACT,
        "offsets of consumer groups are no longer translated for partitions that are seldom written",
        one=True,
    ),
    _Owned(
        r".+\.checkpoints\.internal",
        "the checkpoints topic of MirrorMaker 2",
        COMPACT,
        "checkpoints of consumer groups are lost, and the groups start over after a failover",
        one=True,
    ),
    _Owned(
        r"mm2-configs\..+\.internal",
        "the configuration topic of MirrorMaker 2",
        COMPACT,
        "MirrorMaker fails to start: it requires cleanup.policy=compact",
        one=True,
        refuses="MirrorMaker fails to start: it requires a single partition on this topic",
    ),
    _Owned(
        r"mm2-(?:offsets|status)\..+\.internal",
        "a storage topic of MirrorMaker 2",
        COMPACT,
        "MirrorMaker fails to start: it requires cleanup.policy=compact",
    ),
    _Owned(
        r"__remote_log_metadata",
        "the metadata of tiered storage",
        DELETE,
        "remote segments whose metadata expired are neither read nor deleted",
    ),
    _Owned(
        r"__share_group_state",
        "the state of share groups",
        DELETE,
        "share groups lose their positions",
    ),
    _Owned(
        r"kafkasql-journal",
        "the journal of Apicurio Registry",
        COMPACT,
        "the registry loses what is older than the retention with its next start",
        lasting=True,
    ),
    _Owned(
        r"__strimzi_store_topic",
        "the store of Strimzi's topic operator",
        COMPACT,
        "the operator forgets topics, and deletes or creates them anew",
        lasting=True,
    ),
    _Owned(
        r"_confluent-(?:command|license|metadata-auth)",
        "a topic of Confluent's licences and role bindings",
        COMPACT,
        "licences and role bindings that are older than the retention are lost",
        lasting=True,
    ),
)


@rule("KC0622", "owned-topic", WARNING, by_name=True)
def owned_topic(topic: Topic) -> Iterator[Finding]:
    """A topic that a program creates for itself is declared with other settings than it needs.

    ksqlDB, MirrorMaker 2, tiered storage and the coordinators create their topics with a cleanup
    policy, a retention and sometimes a single partition that they rely on. A declaration that says
    otherwise takes effect if it is applied first, or at the next reconciliation. An error if the owner
    refuses to start.

    Bad: several partitions
        --- kcheck.yaml
        topics: [{name: _confluent-ksql-default__command_topic, partitions: 6}]
    Bad: not compacted
        --- kcheck.yaml
        topics:
          - name: mm2-offset-syncs.west.internal
            partitions: 1
            config: {cleanup.policy: delete, retention.ms: 86400000}
    Bad: a finite retention
        --- kcheck.yaml
        topics: [{name: __remote_log_metadata, partitions: 50, config: {retention.ms: 86400000}}]
    Good:
        --- kcheck.yaml
        topics:
          - {name: _confluent-ksql-default__command_topic, partitions: 1, config: {retention.ms: -1}}
          - {name: mm2-offset-syncs.west.internal, partitions: 1, config: {cleanup.policy: compact}}
          - {name: __remote_log_metadata, partitions: 50, config: {cleanup.policy: delete, retention.ms: -1}}
    """
    if not (topic.name.startswith(("_", "kafkasql-")) or topic.name.endswith(".internal")):
        return  # as nearly all topics are called
    owned = next((one for one in _OWNED if re.fullmatch(one.name, topic.name)), None)
    if owned is None:
        return
    partitions, policy = topic.partitions, topic["cleanup.policy"]
    chosen = policies(topic)
    if owned.one and partitions.number > 1:
        yield topic.finding(
            f"topic {topic.name} is {owned.owner}, but has {count(partitions.number, 'partition')}",
            at=partitions,
            because=(name_of(topic),),
            breaks=owned.refuses or "only the first partition is used",
            fix=f"declare topic {topic.name} with one partition",
            severity=ERROR if owned.refuses else WARNING,
        )
    # Retention that nobody told is a week, the default.
    size = topic["retention.bytes"]
    unlimited = topic["retention.ms"].number == -1 and not (size.explicit and size.number >= 0)
    kept_for_good = owned.lasting and chosen is not None and DELETE in chosen and unlimited
    if (
        policy.explicit
        and chosen is not None
        and set(chosen) != {owned.policy}
        and not kept_for_good
    ):
        yield topic.finding(
            f"topic {topic.name} is {owned.owner}, but has {plain(policy)}",
            at=policy,
            because=(name_of(topic),),
            breaks=owned.loses,
            fix=f"set cleanup.policy={owned.policy} on topic {topic.name}",
            set_to=owned.policy,
        )
    elif owned.policy == DELETE:
        for key in ("retention.ms", "retention.bytes"):
            kept = topic[key]
            if kept.explicit and kept.number >= 0:
                yield topic.finding(
                    f"topic {topic.name} is {owned.owner}, but has "
                    + (in_ms(kept) if key == "retention.ms" else plain(kept)),
                    at=kept,
                    because=(name_of(topic),),
                    breaks=owned.loses,
                    fix=f"set {key}=-1 on topic {topic.name}",
                    set_to="-1",
                )
                return


_DAY = 86_400_000
#: How people and frameworks call such topics (Spring for Apache Kafka: NAME.DLT, NAME-dlt).
_DEAD = re.compile(
    r"(?:.*[._-])?(?:dlq|dlt|dead[._-]?letters?(?:[._-]?(?:queue|topic))?)(?:\.v?\d+)?", re.I
)
_QUEUE = "errors.deadletterqueue.topic.name"


@rule("KC0625", "dead-letters-expire", WARNING, refs=("KIP-298",), set=PREVIEW, by_name=True)
def dead_letters_expire(topic: Topic) -> Iterator[Finding]:
    """A topic of dead letters is declared with a retention of less than a day.

    The records that a connector, channel or listener could not process are there alone: what expires
    before somebody looks at it is lost. A topic is one of dead letters if a connector of the cluster
    writes them there, or by its name: NAME-dlq, NAME.DLT, NAME-dead-letter.

    Bad:
        --- kcheck.yaml
        topics: [{name: orders-dlq, partitions: 3, config: {retention.ms: 3600000}}]
    Bad: by a connector
        --- kcheck.yaml
        cluster: {name: core}
        topics: [{name: failed-orders, partitions: 3, config: {retention.ms: 3600000}}]
        connectors:
          - name: search
            config:
              connector.class: io.confluent.connect.elasticsearch.ElasticsearchSinkConnector
              topics: orders
              errors.tolerance: all
              errors.deadletterqueue.topic.name: failed-orders
    Good:
        --- kcheck.yaml
        topics: [{name: orders-dlq, partitions: 3, config: {retention.ms: 1209600000}}]
    Good: another topic
        --- kcheck.yaml
        topics: [{name: orders, partitions: 3, config: {retention.ms: 3600000}}]
    Good: a topic of retries
        --- kcheck.yaml
        topics: [{name: orders-retry-dlt-0, partitions: 3, config: {retention.ms: 3600000}}]
    """
    kept = topic["retention.ms"]
    if not kept.explicit or not 0 < kept.number < _DAY or topic["cleanup.policy"].text == COMPACT:
        return
    writer = next((one for one in topic.cluster.connectors if one[_QUEUE].text == topic.name), None)
    if writer is None and _DEAD.fullmatch(topic.name) is None:
        return
    yield topic.finding(
        f"topic {topic.name} has the records that could not be processed, but keeps them for "
        f"{in_ms(kept)}",
        at=kept,
        because=(name_of(topic) if writer is None else writer[_QUEUE],),
        breaks="records that are not processed within this time are lost",
        fix=f"set retention.ms of topic {topic.name} to a week or more",
    )


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


#: Sources that write records without keys unless a transform makes them: the JDBC sources
#: (BulkTableQuerier and TimestampIncrementingTableQuerier pass no key) and Kafka's file source.
_KEYLESS = (
    "io.confluent.connect.jdbc.JdbcSourceConnector",
    "io.aiven.connect.jdbc.JdbcSourceConnector",
    "org.apache.kafka.connect.file.FileStreamSourceConnector",
    "FileStreamSource",
    "FileStreamSourceConnector",
)
#: Kafka's transforms that leave keys that are null as they are.
_LEAVES_KEYS = (
    r"org\.apache\.kafka\.connect\.transforms\.(?:(?:Cast|ExtractField|Flatten|HoistField|InsertField"
    r"|MaskField|ReplaceField|SetSchemaMetadata|TimestampConverter)\$Value|DropHeaders|Filter"
    r"|HeaderFrom\$\w+|InsertHeader|RegexRouter|TimestampRouter)"
)


@rule("KC0624", "keyless-into-compacted", ERROR, kafka=FAILED, on=("connector.class",))
def keyless_into_compacted(connector: Connector) -> Iterator[Finding]:
    """A connector writes records without keys to a compacted topic.

    Brokers reject records without a key in a topic whose cleanup.policy contains compact. JDBC sources
    and the file source set no key; a transform such as ValueToKey makes one.

    Bad:
        --- kcheck.yaml
        cluster: {name: core}
        topics: [{name: stock-items, partitions: 6, config: {cleanup.policy: compact}}]
        connectors:
          - name: stock
            config:
              connector.class: io.confluent.connect.jdbc.JdbcSourceConnector
              table.whitelist: items
              topic.prefix: stock-
    Good:
        --- kcheck.yaml
        cluster: {name: core}
        topics: [{name: stock-items, partitions: 6, config: {cleanup.policy: compact}}]
        connectors:
          - name: stock
            config:
              connector.class: io.confluent.connect.jdbc.JdbcSourceConnector
              table.whitelist: items
              topic.prefix: stock-
              transforms: key
              transforms.key.type: org.apache.kafka.connect.transforms.ValueToKey
              transforms.key.fields: id
    """
    kind = connector["connector.class"]
    if kind.text not in _KEYLESS or connector.resource.traits.partial:
        return
    settings = connector.resource.settings
    # Where a transform is not known, the topics are not.
    told = settings.get("transforms")
    for alias in (told.text or "").split(",") if told is not None else ():
        one = settings.get(f"transforms.{alias.strip()}.type")
        if alias.strip() and (one is None or not re.fullmatch(_LEAVES_KEYS, one.text or "")):
            return
    topics = connector.cluster.named_topics()
    for name in connector.resource.traits.writes or ():
        for topic in topics.get(name, ()):
            policy = topic["cleanup.policy"]
            if COMPACT in (policies(topic) or ()):
                yield connector.finding(
                    f"{connector} writes records without keys to topic {name}, which has "
                    f"{plain(policy)}",
                    at=policy,
                    because=(kind, connector["transforms"]),
                    breaks="the tasks fail: a compacted topic accepts no record without a key "
                    "(InvalidRecordException)",
                    fix="add a transform that sets the key, such as "
                    "org.apache.kafka.connect.transforms.ValueToKey, or use cleanup.policy=delete",
                )
                return
