"""What ``kcheck files`` says of Kafka's keys that no format has read."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.formats import unread
from kcheck.left_out import may_configure
from kcheck.model import Document


def reason(path: str, text: str) -> str:
    return document_of(path, text).reason


def document_of(path: str, text: str) -> Document:
    document = formats.read(path, text.encode(), lambda _: None)
    unread.settle(document, text.encode())
    return document


@pytest.mark.parametrize(
    ("path", "text", "named"),
    [
        (
            "values.yaml",
            "broker:\n  customEnv:\n    KAFKA_MESSAGE_MAX_BYTES: '4000048'\n",
            "KAFKA_MESSAGE_MAX_BYTES",
        ),
        (
            "values.yaml",
            "app:\n  kafka:\n    conf:\n      offset.storage.topic: o\n",
            "offset.storage.topic",
        ),
        ("bench.yaml", "name: b\ntopicConfig: |\n  min.insync.replicas=2\n", "min.insync.replicas"),
        (
            "c.yaml",
            "apiVersion: kafka.quay.tech/v1alpha1\nkind: KafkaCluster\n",
            "kafka.quay.tech, KafkaCluster",
        ),
        ("t.yaml", "kind: KafkaTopic\nmetadata: {name: a}\n", "KafkaTopic"),
        (
            "compose.yaml",
            "services:\n  kb:\n    image: x/kafka:1\n    environment:\n      KAFKA_NODE_ID: 1\n",
            "KAFKA_NODE_ID",
        ),
    ],
)
def test_a_file_with_keys_of_kafkas_is_not_called_unrelated(
    path: str, text: str, named: str
) -> None:
    assert reason(path, text) == f"mentions Kafka in a form that kcheck does not read: {named}"


def test_other_files_are() -> None:
    assert reason("values.yaml", "replicaCount: 2\nkafka: {enabled: false}\n") == (
        "no Kafka configuration"
    )
    assert reason("app.properties", "# acks=all and linger.ms=5\nserver.port=8080\n") == (
        "no Kafka configuration"
    )


def test_a_file_that_was_read_by_half_says_so() -> None:
    text = (
        '{"bootstrap.servers": "k:9092", "queue.buffering.max.ms": 5,\n'
        ' "sender": {"acks": "1", "linger.ms": 5}, "reader": {"session.timeout.ms": 4}}'
    )
    assert reason("client.json", text) == "2 known keys not read: linger.ms, session.timeout.ms"
    assert reason("client.json", '{"bootstrap.servers": "k:9092", "group.id": "a"}') == ""
    assert reason("producer.properties", "bootstrap.servers=k:9092\nacks=1\n# linger.ms=5\n") == ""


def test_each_key_has_its_line_wherever_keys_are_set() -> None:
    text = (
        "# acks.first: no, min.insync.replicas=1 stands in a comment\n"
        "params:\n"
        "  - name: max.poll.records\n"
        "    value: '5'\n"
        "  - {key: KAFKA_LOG_DIRS, value: /d}\n"
        "args: --set=retention.ms=5 app.kafka.linger.ms: 3\n"
    )
    found = [(key.name, key.line) for key in document_of("values.yaml", text).unread]
    assert found == [
        ("max.poll.records", 3),
        ("KAFKA_LOG_DIRS", 5),
        ("retention.ms", 6),
        ("app.kafka.linger.ms", 6),
    ]


def test_a_template_keeps_its_reason_and_names_its_keys() -> None:
    text = "apiVersion: kafka.strimzi.io/v1\nkind: Kafka\n{{- if .on }}\na: {log.retention.ms: 5}\n{{- end }}\nb: {{ c }\n"
    assert reason("templates/c.yaml", text) == "an unrendered template: log.retention.ms"


def test_a_long_line_and_a_long_name_take_no_time() -> None:
    # Quadratic search of either takes minutes.
    document_of("values.yaml", "a: {" + "retention.ms: 5, " * 50_000 + "}\n# kafka\n")
    document_of("values.yaml", "kafka: " + "a." * 400_000 + "\n")


def test_what_configures_nothing_is_not_searched() -> None:
    assert not any(map(may_configure, ("a/README.md", "src/Main.java", "logo.PNG", "lib.so")))
    assert all(map(may_configure, ("Makefile", "a/app.cfg", "job.nomad", ".env.local", "x.hocon")))


@pytest.mark.parametrize("ending", [".bak", ".orig", ".old", ".save", "~"])
def test_backups_are_told(ending: str) -> None:
    text = "broker.id=1\nzookeeper.connect=zk:2181\n"
    assert reason(f"server.properties{ending}", text) == (
        "a backup of another file: broker.id, zookeeper.connect"
    )
    assert reason(f"notes{ending}", "nothing\n") == "a backup of another file"


def test_a_key_is_told_for_each_line_where_it_is_not_read() -> None:
    """A key that one broker's line has is not read for the program beside it."""
    document = document_of(
        "compose.yml",
        "services:\n  kafka:\n    image: wurstmeister/kafka:2.13-2.8.1\n    environment:\n"
        "      KAFKA_ZOOKEEPER_CONNECT: zk:2181\n      KAFKA_LISTENERS: PLAINTEXT://:9092\n"
        "  test:\n    image: example/test\n    environment:\n"
        "      KAFKA_ZOOKEEPER_CONNECT: zk:2181\n",
    )
    assert [(one.name, one.line) for one in document.unread] == [("KAFKA_ZOOKEEPER_CONNECT", 10)]


def left(document: Document) -> list[tuple[str, int]]:
    return [(one.name, one.line) for one in document.unread]


def off(document: Document) -> list[tuple[str, int]]:
    return [(one.name, one.line) for one in document.extent.left_out]


SERVICES = """\
services:
  kafka:
    image: confluentinc/cp-kafka:7.6.0
    environment:
      KAFKA_NODE_ID: 1
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_REST_PORT: 1
  connect:
    image: confluentinc/cp-kafka-connect:7.6.0
    environment:
      CONNECT_BOOTSTRAP_SERVERS: kafka:9092
      CONNECT_REST_PORT: 8083
  rest:
    image: confluentinc/cp-kafka-rest:7.6.0
    environment:
      KAFKA_REST_BOOTSTRAP_SERVERS: kafka:9092
      KAFKA_REST_HOST_NAME: rest
  app:
    image: example.com/app:1
    environment:
      KAFKA_BOOTSTRAP_SERVERS: kafka:9092
      KAFKA_CLIENT_ID: orders
"""


def test_variables_whose_meaning_is_known_are_read() -> None:
    """An image has a use of its own for them, or they are addresses that a program asks."""
    assert left(document_of("docker-compose.yml", SERVICES)) == [("KAFKA_CLIENT_ID", 22)]


def test_variables_that_a_command_bypasses_are_read() -> None:
    text = """\
services:
  kafka:
    image: apache/kafka:3.8.0
    command: /opt/kafka/bin/kafka-server-start.sh /etc/my.properties
    environment:
      KAFKA_LOG_RETENTION_HOURS: 1
"""
    document = document_of("docker-compose.yml", text)
    assert [problem.code for problem in document.problems] == ["KC0127"]
    assert left(document) == []
    pod = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: kafka}
spec:
  template:
    spec:
      containers:
        - name: kafka
          image: apache/kafka:3.8.0
          command: [sh, -c, "exec kafka-server-start.sh /etc/my.properties"]
          env:
            - name: KAFKA_LOG_RETENTION_HOURS
              value: "1"
"""
    document = document_of("kafka.yaml", pod)
    assert [resource.kind for resource in document.resources] == ["broker"]
    assert left(document) == []


def test_what_variables_leave_out_of_a_template_is_told_apart() -> None:
    role = "roles/kafka/"
    files = {
        f"{role}defaults/main.yml": "tls: false\n",
        f"{role}templates/server.properties.j2": (
            "broker.id=1\n{% if tls %}\nssl.client.auth=required\n{% else %}\nnum.partitions=3\n"
            "{% endif %}\n{% if more %}\nlog.dirs=/a\n{% if tls %}\nlog.retention.hours=1\n"
            "{% endif %}\n{% endif %}\n"
        ),
    }
    path = f"{role}templates/server.properties.j2"
    document = formats.read(
        path, files[path].encode(), lambda name: files[name].encode() if name in files else None
    )
    unread.settle(document, files[path].encode())
    assert [*document.resources[0].settings] == ["broker.id", "num.partitions"]
    assert off(document) == [("ssl.client.auth", 3), ("log.retention.hours", 10)]
    assert left(document) == [("log.dirs", 8)]


@pytest.mark.parametrize("form", ["set_fact: tls={{ x }}", "set_fact:\n    tls: '{{ x }}'"])
def test_what_a_task_sets_decides_nothing(form: str) -> None:
    role = "roles/kafka/"
    path = f"{role}templates/server.properties.j2"
    text = "broker.id=1\n{% if tls %}\nssl.client.auth=required\n{% endif %}\n"
    files = {
        f"{role}defaults/main.yml": "tls: false\n",
        f"{role}tasks/main.yml": f"- name: a\n  {form}\n",
        path: text,
    }
    document = formats.read(
        path, text.encode(), lambda name: files[name].encode() if name in files else None
    )
    unread.settle(document, text.encode())
    assert off(document) == []
    assert left(document) == [("ssl.client.auth", 3)]


def test_files_that_tasks_do_not_write_are_told_apart() -> None:
    role = "roles/kafka/"
    path = f"{role}tasks/main.yml"
    text = """\
- name: a
  copy:
    dest: /etc/client.properties
    content: |
      bootstrap.servers=a:9092
      security.protocol=SSL
  when: tls
- name: b
  copy:
    dest: /etc/producer.properties
    content: |
      bootstrap.servers=a:9092
      {% if tls %}
      security.protocol=SSL
      {% endif %}
"""
    files = {f"{role}defaults/main.yml": "tls: false\n", path: text}
    document = formats.read(
        path, text.encode(), lambda name: files[name].encode() if name in files else None
    )
    unread.settle(document, text.encode())
    assert len(document.resources) == 1
    assert off(document) == [
        ("bootstrap.servers", 5),
        ("security.protocol", 6),
        ("security.protocol", 14),
    ]
    assert left(document) == []


def test_options_of_programs_are_told() -> None:
    """Whatever stands behind dashes of its own is no key of another word."""
    text = "#!/bin/sh\n./kafka-x --zookeeper.connect=a:2181\nx --my-sasl.mechanism=PLAIN\n"
    assert reason("up", text).endswith(": zookeeper.connect")


def test_a_name_that_others_have_is_told_beside_kafka() -> None:
    assert reason("a.yaml", "run: echo group.id=a > c; kafka-x\n").endswith(": group.id")
    assert reason("a.yaml", "topic: echo group.id=a > c\n") == "no Kafka configuration"


def test_variables_behind_a_name_of_an_application_are_told() -> None:
    text = "env:\n  KAFKA_ORDERS_GROUP_ID: a\n  KAFKA_ORDERS_PORT: 1\n"
    assert left(document_of("values.yaml", text)) == [("KAFKA_ORDERS_GROUP_ID", 2)]


def test_a_sure_line_of_a_template_is_told_where_nobody_takes_its_key() -> None:
    text = (
        "id=1\nlisteners=http://0.0.0.0:8082\nhost.name={{ x }}\nbootstrap.servers={{ y }}:9092\n"
        "client.security.protocol=SSL\n{% if z %}\nclient.sasl.mechanism=PLAIN\n{% endif %}\n"
    )
    document = document_of("roles/rest/templates/kafka-rest.properties.j2", text)
    assert [one.kind for one in document.resources] != []
    assert left(document) == [("host.name", 3), ("client.sasl.mechanism", 7)]
