"""One fault in every format: a word where Kafka wants a number draws one finding, at that word.

A row is a format, the file's path, Kafka's key, and a text in which ``two`` stands once, as the
key's value; then the code of the finding where it is not KC0103. A new format adds its rows at the
end.
"""

from __future__ import annotations

from textwrap import dedent

import pytest
from spans import under

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.settings import Settings

FAULTS: list[tuple[str, ...]] = [
    (
        "broker-properties",
        "server.properties",
        "min.insync.replicas",
        "broker.id=1\nzookeeper.connect=z:2181\nmin.insync.replicas = two\n",
    ),
    (
        "client-properties",
        "producer.properties",
        "request.timeout.ms",
        "bootstrap.servers=k1:9092\nacks=all\nrequest.timeout.ms:two\n",
    ),
    (
        "streams-properties",
        "s.properties",
        "request.timeout.ms",
        "bootstrap.servers=k1:9092\napplication.id=a\nrequest.timeout.ms=two\n",
    ),
    (
        "connect-properties",
        "w.properties",
        "request.timeout.ms",
        "bootstrap.servers=k1:9092\ngroup.id=g\nconfig.storage.topic=c\noffset.storage.topic=o\n"
        "status.storage.topic=s\nproducer.request.timeout.ms=two\n",
    ),
    (
        "connect-properties",
        "c.properties",
        "tasks.max",
        "name=c\nconnector.class=FileStreamSource\ntasks.max=two\n",
    ),
    (
        "librdkafka",
        "k.conf",
        "request.timeout.ms",
        "# librdkafka\nbootstrap.servers=k1:9092\nacks=all\nrequest.timeout.ms=two\n",
        "KC0113",
    ),
    (
        "mm2-properties",
        "mm2.properties",
        "tasks.max",
        "clusters=A,B\nA.bootstrap.servers=a:1\nB.bootstrap.servers=b:1\nA->B.enabled=true\nA->B.tasks.max=two\n",
    ),
    (
        "mm2-properties",
        "mm2.properties",
        "request.timeout.ms",
        "clusters=A,B\nA.bootstrap.servers=a:1\nB.bootstrap.servers=b:1\nA.consumer.request.timeout.ms=two\n",
    ),
    (
        "spring-properties",
        "application.properties",
        "max.poll.records",
        "spring.kafka.consumer.group-id=g\nspring.kafka.consumer.maxPollRecords=two\n",
    ),
    (
        "spring-yaml",
        "application.yml",
        "request.timeout.ms",
        """\
        spring:
          kafka:
            bootstrap-servers: k1:9092
            consumer: {group-id: g}
            producer: {client-id: p}
            properties:
              "[request.timeout.ms]": two
        """,
    ),
    (
        "spring-yaml",
        "application.yml",
        "request.timeout.ms",
        """\
        spring.cloud.stream:
          bindings: {in-0: {destination: a, group: g}}
          kafka.bindings:
            in-0.consumer.configuration: {request.timeout.ms: "two"}
        """,
    ),
    (
        "spring-yaml",
        "application.yml",
        "request.timeout.ms",
        "kafka:\n  properties:\n    bootstrap.servers: k1:9092\n    request.timeout.ms: two\n",
    ),
    (
        "mp-properties",
        "application.properties",
        "request.timeout.ms",
        "kafka.bootstrap.servers=k1:9092\nmp.messaging.incoming.a.connector=smallrye-kafka\n"
        "mp.messaging.incoming.a.request.timeout.ms=two\n",
    ),
    (
        "mp-yaml",
        "application.yaml",
        "request.timeout.ms",
        """\
        quarkus: {http: {port: 80}}
        kafka:
          bootstrap.servers: k1:9092
          request: {timeout: {ms: two}}
        """,
    ),
    (
        "micronaut-yaml",
        "application.yml",
        "request.timeout.ms",
        "micronaut: {}\nkafka:\n  producers:\n    orders:\n      request.timeout.ms: two\n",
    ),
    (
        "connector-json",
        "c.json",
        "tasks.max",
        '{"name": "c", "config": {"connector.class": "FileStreamSource", "tasks.max": "two"}}',
    ),
    (
        "librdkafka",
        "c.json",
        "request.timeout.ms",
        '{\n\t"client": "librdkafka", "bootstrap.servers": "k1:9092",\n\t"acks": 1, "request.timeout.ms": "two"}',
        "KC0113",
    ),
    (
        "strimzi-cr",
        "kafka.yaml",
        "min.insync.replicas",
        """\
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {config: {min.insync.replicas: two}}}
        """,
    ),
    (
        "strimzi-cr",
        "topic.yaml",
        "min.insync.replicas",
        """\
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaTopic
        metadata: {name: orders}
        spec: {config: {min.insync.replicas: two}}
        """,
    ),
    (
        "strimzi-cr",
        "connect.yaml",
        "request.timeout.ms",
        """\
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaConnect
        metadata: {name: etl}
        spec: {bootstrapServers: "k1:9092", config: {producer.request.timeout.ms: two}}
        """,
    ),
    (
        "strimzi-cr",
        "connector.yaml",
        "tasks.max",
        """\
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaConnector
        metadata: {name: files}
        spec: {class: FileStreamSource, tasksMax: two}
        """,
    ),
    (
        "strimzi-cr",
        "mm2.yaml",
        "tasks.max",
        """\
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaMirrorMaker2
        metadata: {name: mm}
        spec:
          target: {alias: b, bootstrapServers: "b:9092"}
          mirrors:
            - source: {alias: a, bootstrapServers: "a:9092"}
              sourceConnector: {tasksMax: two}
        """,
    ),
    (
        "strimzi-cr",
        "bridge.yaml",
        "request.timeout.ms",
        """\
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaBridge
        metadata: {name: web}
        spec: {bootstrapServers: "k1:9092", consumer: {config: {request.timeout.ms: two}}}
        """,
    ),
    (
        "strimzi-cr",
        "user.yaml",
        "producer_byte_rate",
        """\
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaUser
        metadata: {name: ann}
        spec: {quotas: {producerByteRate: two}}
        """,
    ),
    (
        "compose",
        "docker-compose.yml",
        "min.insync.replicas",
        """\
        services:
          kafka:
            image: apache/kafka:4.1.0
            environment:
              KAFKA_MIN_INSYNC_REPLICAS: two
        """,
    ),
    (
        "kcheck-yaml",
        "kcheck.yaml",
        "min.insync.replicas",
        "topics:\n  - {name: orders, config: {min.insync.replicas: two}}\n",
    ),
    (
        "schema-registry",
        "schema-registry.properties",
        "security.protocol",
        "listeners=http://:8081\nkafkastore.bootstrap.servers=k1:9092\nkafkastore.security.protocol=two\n",
        "KC0104",
    ),
    (
        "rest-proxy",
        "kafka-rest.properties",
        "request.timeout.ms",
        "listeners=http://:8082\nbootstrap.servers=k1:9092\nproducer.request.timeout.ms=two\n",
    ),
    (
        "ksqldb",
        "ksql-server.properties",
        "request.timeout.ms",
        "bootstrap.servers=k1:9092\nksql.service.id=q\nksql.streams.producer.request.timeout.ms=two\n",
    ),
    (
        "micronaut-properties",
        "application.properties",
        "request.timeout.ms",
        "micronaut.application.name=a\nkafka.consumers.default.request.timeout.ms=two\n",
    ),
    (
        "librdkafka",
        "getting_started.ini",
        "request.timeout.ms",
        "[default]\nbootstrap.servers=k1:9092\n\n[producer]\n# a note\nrequest.timeout.ms = two\n[consumer]\ngroup.id=g\n",
        "KC0113",
    ),
]


@pytest.mark.parametrize("row", FAULTS, ids=lambda row: f"{row[0]}-{row[1]}")
def test_a_word_where_a_number_belongs(row: tuple[str, ...]) -> None:
    format, path, key, text, *codes = row
    text = dedent(text)
    assert text.count("two") == 1
    sources = {path: text.encode()}
    assert formats.read(path, sources[path], sources.get).format == format
    project = lint_project(list(sources.items()), Settings(), sources.get)
    assert project.failures == []
    code = codes[0] if codes else "KC0103"
    told = [finding for finding in project.findings if finding.code == code]
    assert [under(text, finding.at).strip("\"'") for finding in told] == ["two"]
    (finding,) = told
    evidence = finding.evidence[0]
    assert key in (evidence.key, evidence.from_key) or evidence.key.endswith(f".{key}")
