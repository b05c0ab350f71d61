"""No input ends a run: any bytes, and files that were good before something hit them."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spans import json_value, properties_value, under, yaml_value

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.model import FAILED, PASSED_OVER, READ, SKIPPED
from kcheck.settings import Settings

GOOD = {
    "strimzi.yaml": """\
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {name: payments, annotations: {strimzi.io/node-pools: enabled}}
spec:
  kafka:
    version: 4.1.0
    config: {min.insync.replicas: 2, default.replication.factor: "3"}
---
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata:
  name: orders
  labels:
    strimzi.io/cluster: payments
spec:
  partitions: 3
  replicas: 2
  config:
    retention.ms: 604800000
""",
    "kcheck.yaml": """\
cluster:
  name: payments
  kafka_version: "4.1"
  brokers: [{id: 1, config: {log.dirs: /data}}]
  host: &host {ram: 64GiB, nofile: 1024}
topics:
  - {name: orders, partitions: 3, replication_factor: 3, config: {cleanup.policy: compact}}
producers:
  - {name: p, topics: [orders], config: {acks: "1", linger.ms: 5}}
consumers:
  - {name: c, topics: [orders], instances: 3}
""",
    "docker-compose.yml": """\
services:
  kafka:
    image: apache/kafka:4.1.0
    environment:
      KAFKA_NODE_ID: 1
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
      KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
    ports: ["9092:9092"]
    mem_limit: 4g
    deploy: {replicas: 1}
""",
    "server.properties": """\
# a broker
broker.id=1
listeners=PLAINTEXT://:9092,SSL://:9093
log.retention.hours = 168
sasl.jaas.config=a.Login required \\
    user="x";
message.max.bytes=1048588
""",
    "producer.properties": "bootstrap.servers=k:9092\nacks=all\ncompression.type=zstd\n",
    "connect.properties": "bootstrap.servers=k:9092\ngroup.id=c\noffset.storage.topic=o\n",
    "application.yml": """\
spring:
  kafka:
    bootstrap-servers: [k1:9092, k2:9092]
    consumer: {group-id: g, fetch-max-wait: 2s, properties: {fetch.min.bytes: 5}}
    producer:
      acks: all
      properties:
        "[linger.ms]": 20
---
spring.config.activate.on-profile: prod
spring.kafka.producer.properties.request.timeout.ms: ${T:500}
""",
    "application.properties": """\
kafka.bootstrap.servers=k1:9092
mp.messaging.incoming.a.connector=smallrye-kafka
%prod.mp.messaging.incoming.a.fetch.min.bytes=${MIN:7}
kafka-streams.num.stream.threads = 3
""",
    "app/application.yaml": """\
micronaut: {application: {name: x}}
kafka:
  bootstrap.servers: k1:9092
  producers: {default: {retries: 5, linger.ms: 4}}
""",
    "connector.json": """\
{
\t"name": "c", "config": {
    "connector.class": "FileStreamSink", "tasks.max": 2, "topics": "a, b",
    "errors.retry.timeout": "5\\u0030"}
}
""",
    "client.json": '{"client": "librdkafka", "bootstrap.servers": "k:9092", "linger.ms": 5}\n',
    "mm2.properties": """\
clusters = A, B
A.bootstrap.servers = a:9092
B.bootstrap.servers = b:9092
A->B.enabled = true
B.producer.linger.ms = 5
tasks.max = 4
offset.storage.replication.factor=3
""",
    "connect.yaml": """\
apiVersion: kafka.strimzi.io/v1
kind: KafkaConnect
metadata: {name: etl}
spec:
  bootstrapServers: core-kafka-bootstrap:9092
  config: {producer.linger.ms: 5}
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaMirrorMaker2
metadata: {name: mm}
spec:
  target: {alias: b, bootstrapServers: "b:9092"}
  mirrors:
    - source: {alias: a, bootstrapServers: "a:9092"}
      sourceConnector: {tasksMax: 2, config: {offset.lag.max: 10}}
""",
    "ksql-server.properties": "bootstrap.servers=k:9092\nksql.service.id=q\nksql.streams.linger.ms=5\n",
    "kafka.env": "KAFKA_BROKER_ID=1\nKAFKA_ZOOKEEPER_CONNECT=z:2181\n",
}
STATUSES = {READ, PASSED_OVER, SKIPPED, FAILED}
#: What breaks files in practice: cuts, other values, template marks, odd characters.
SCRAPS = st.one_of(
    st.sampled_from(
        [
            "{{ x }}",
            "${X}",
            "[",
            "]",
            "{",
            "}",
            ":",
            "- ",
            "\t",
            "'",
            '"',
            "\\",
            "&a ",
            "*a",
            "<<: ",
        ]
        + ["\r\n", "\n\n", "null", "~", "-1", "1e9", "99999999999999999999", "#", "---\n", "\ufeff"]
        + ["\x00", "\u2028", "é", "= ", "!!binary ", "| ", ">-\n", "  "]
    ),
    st.text(max_size=6),
)


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, str]:
    path = draw(st.sampled_from(sorted(GOOD)))
    text = GOOD[path]
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        text = text[:start] + draw(SCRAPS) + text[end:]
    return path, text


@settings(deadline=None)
@given(st.sampled_from([*sorted(GOOD), "a.json", "x.conf", ".env"]), st.binary(max_size=120))
def test_no_bytes_raise(path: str, data: bytes) -> None:
    document = formats.read(path, data, lambda _: None)
    assert document.status in STATUSES
    assert document.status != FAILED or document.reason


@settings(deadline=None)
@given(st.sampled_from(sorted(GOOD)), st.text(max_size=120))
def test_no_text_raises(path: str, text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    assert formats.read(path, data, lambda _: None).status in STATUSES


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(damaged())
def test_a_damaged_file_is_read_with_exact_places_or_not_at_all(file: tuple[str, str]) -> None:
    path, text = file
    document = formats.read(path, text.encode(), lambda _: None)
    assert document.status in STATUSES
    if path == "docker-compose.yml" or path.endswith(".env") or "\u2028" in text or "\x85" in text:
        return  # variables have their own tests; YAML and editors count these lines differently
    value = properties_value if path.endswith(".properties") else yaml_value
    if path.endswith(".json"):
        value = json_value
    for resource in document.resources:
        for setting in (*resource.settings.values(), *resource.dynamic.values()):
            # A framework has other names and types of its own, and fills in from elsewhere.
            plain = setting.name.endswith(setting.key) and "${" not in under(text, setting.at)
            if setting.raw is not None and plain and "," not in setting.raw:
                assert (value(text, setting) or "") == setting.raw


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(damaged(), min_size=1, max_size=3))
def test_no_rule_raises_on_damaged_files(files: list[tuple[str, str]]) -> None:
    sources = {path: text.encode() for path, text in files}
    project = lint_project(sources.items(), Settings(), sources.get)
    assert project.failures == []
    assert len(project.documents) == len(sources)


#: Python reads no more than some thousand digits.
ODD = ["9" * 5000, "-" + "9" * 5000, "0" * 5000, "²", "1e999"]


@pytest.mark.parametrize("number", ODD)
def test_no_number_is_too_odd(number: str, thorough: bool) -> None:
    """In place of each number of the files in turn, or of each fifth: another for each odd one."""
    for path, text in GOOD.items():
        for at, match in enumerate(re.finditer(r"\d+", text)):
            if not thorough and (at + ODD.index(number)) % len(ODD):
                continue
            data = f"{text[: match.start()]}{number}{text[match.end() :]}".encode()
            project = lint_project([(path, data)], Settings())
            assert project.failures == [], data
