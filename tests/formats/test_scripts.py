"""What scripts do with Kafka's tools: topics, dynamic settings, ACLs, connectors."""

from __future__ import annotations

import textwrap

from kcheck import formats
from kcheck.model import Document, Position, Resource

SETUP = """\
#!/usr/bin/env bash
set -euo pipefail
BROKERS=broker-1.example.net:9092
KT="docker exec kafka /opt/kafka/bin/kafka-topics.sh --bootstrap-server $BROKERS"
RETENTION=604800000
TOPICS=("orders:6" "payments:12")

create() {
  local name=$1
  local partitions="${2:-3}"
  $KT --create --if-not-exists --topic "$name" --partitions "$partitions" \\
    --config retention.ms=$RETENTION
}

for entry in "${TOPICS[@]}"; do
  create "${entry%%:*}" "${entry##*:}"
done
create audit
while IFS=, read -r name count; do
  create "$name" "$count"
done <<EOF
clicks,24
EOF
kafka-topics --bootstrap-server "$BROKERS" --alter --topic audit --partitions 8
kafka-configs --bootstrap-server "$BROKERS" --alter --entity-type topics --entity-name orders \\
  --add-config 'cleanup.policy=[compact,delete],segment.ms=3600000'
kafka-configs --bootstrap-server "$BROKERS" --alter --topic stock --add-config max.message.bytes=1000
kafka-configs --bootstrap-server "$BROKERS" --alter --entity-type brokers --entity-default \\
  --add-config log.cleaner.threads=2
kafka-acls --bootstrap-server "$BROKERS" --add --allow-principal User:shop --producer --topic orders
kafka-acls --bootstrap-server "$BROKERS" --add --allow-principal User:shop \\
  --operation Read --group shop- --resource-pattern-type prefixed
"""

CONNECT = """\
CONNECT=http://localhost:8083
curl -sX PUT "$CONNECT/connectors/jdbc-sink/config" -H 'Content-Type: application/json' -d '{
  "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
  "topics": "orders",
  "connection.password": "${file:/run/secrets/db:password}"
}'
BODY=$(cat <<EOF
{ "name": "files",
  "config": {"connector.class": "FileStreamSource", "file": "$FILE", "tasks.max": "2"} }
EOF
)
curl -X POST -d "$BODY" "$CONNECT/connectors"
cat > sink.json <<'EOF'
{"name": "written", "config": {"connector.class": "FileStreamSink", "topics": "orders"}}
EOF
curl -X POST -d @sink.json "$CONNECT/connectors"
echo '{"name": "printed", "config": {"connector.class": "FileStreamSink"}}'
"""


def read(text: str, path: str = "setup.sh") -> Document:
    return formats.read(path, textwrap.dedent(text).encode(), lambda _: None)


def _text(source: str, at: Position) -> str:
    return source.splitlines()[at[0] - 1][at[1] - 1 : at[3] - 1]


def of(document: Document, kind: str) -> dict[str, Resource]:
    return {one.name: one for one in document.resources if one.kind == kind}


def told(one: Resource) -> dict[str, str | None]:
    return {key: made.text for key, made in (one.facts | one.settings).items()}


def test_topics() -> None:
    document = read(SETUP)
    found = of(document, "topic")
    assert {name: told(one) for name, one in found.items()} == {
        "orders": {
            "partitions": "6",
            "retention.ms": "604800000",
            "cleanup.policy": "compact,delete",
            "segment.ms": "3600000",
        },
        "payments": {"partitions": "12", "retention.ms": "604800000"},
        "audit": {"partitions": "8", "retention.ms": "604800000"},
        "clicks": {"partitions": "24", "retention.ms": "604800000"},
        "stock": {"partitions": None, "replication.factor": None, "max.message.bytes": "1000"},
    }
    assert [name for name, one in found.items() if one.traits.partial] == ["stock"]
    orders = found["orders"]
    assert _text(SETUP, orders.at) == "orders"
    assert orders.at[0] == 6
    assert _text(SETUP, orders.settings["retention.ms"].at) == "604800000"
    assert [one.text for one in orders.traits.asks] == ["broker-1.example.net:9092"]
    assert not document.problems


def test_brokers_and_users() -> None:
    document = read(SETUP)
    assert {name: told(one) for name, one in of(document, "config").items()} == {
        "brokers": {"log.cleaner.threads": "2"}
    }
    shop = of(document, "user")["shop"]
    assert [str(right) for right in shop.traits.rights] == [
        "Write on topic orders",
        "Describe on topic orders",
        "Create on topic orders",
        "Read on group shop-*",
    ]
    assert not shop.traits.partial
    more = "kafka-acls --add --allow-principal $USER --operation Read --topic orders\n"
    assert of(read(SETUP + more), "user")["shop"].traits.partial


def test_connectors() -> None:
    document = read(CONNECT)
    found = of(document, "connector")
    assert {name: told(one) for name, one in found.items()} == {
        "jdbc-sink": {
            "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
            "topics": "orders",
            "connection.password": None,
        },
        "files": {"connector.class": "FileStreamSource", "file": None, "tasks.max": "2"},
        "written": {"connector.class": "FileStreamSink", "topics": "orders"},
    }
    sink, files = found["jdbc-sink"], found["files"]
    assert _text(CONNECT, sink.at) == "jdbc-sink"
    assert _text(CONNECT, sink.settings["topics"].at) == "orders"
    assert _text(CONNECT, sink.settings["topics"].key_at) == "topics"
    assert _text(CONNECT, files.settings["tasks.max"].at) == "2"
    assert not document.problems


def test_what_is_unknown() -> None:
    document = read(
        """\
        source ./defaults.sh
        if [ -n "$CI" ]; then COUNT=1; else COUNT=6; fi
        kafka-topics --create --topic a --partitions $COUNT --config retention.ms=${RETENTION:-1000}
        kafka-topics --create --topic "$(name)" --partitions 3
        kafka-topics --create --topic <name> --partitions 3
        kafka-topics --create --topic {{ .Values.name }} --partitions 3
        for t in $LIST; do kafka-topics --create --topic $t; done
        cat <<EOF
        kafka-topics --create --topic shown
        EOF
        """
    )
    assert {name: told(one) for name, one in of(document, "topic").items()} == {
        "a": {"partitions": None, "retention.ms": None}
    }


def test_an_open_quote() -> None:
    """The line is lost, not what follows."""
    document = read("echo it's\nkafka-topics --create --topic a\n")
    assert [one.name for one in document.resources] == ["a"]
    text = (
        "kafka-configs --bootstrap-server k:9092 --alter --entity-type users --entity-name a "
        '--add-config "x=[b=c,d=e --all\n'
    )
    assert not read(text).problems


COMPOSE = """\
services:
  kafka:
    image: apache/kafka:3.9.0
    environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: "broker,controller"}
  init:
    image: apache/kafka:3.9.0
    environment:
      BROKERS: kafka:9092
      PARTITIONS: 6
    entrypoint: ["/bin/bash", "-c"]
    command: |
      "
      until /opt/kafka/bin/kafka-topics.sh --bootstrap-server $$BROKERS --list; do sleep 1; done
      for topic in orders payments; do
        kafka-topics.sh --bootstrap-server $$BROKERS --create --topic $$topic \\
          --partitions $$PARTITIONS --config retention.ms=86400000
      done
      kafka-configs.sh --bootstrap-server $$BROKERS --alter --entity-type users --entity-name shop \\
        --add-config producer_byte_rate=1048576
      "
"""

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: topics, namespace: shop}
spec:
  template:
    spec:
      containers:
        - name: topics
          image: apache/kafka:4.0.0
          env:
            - {name: BROKERS, value: "kafka.shop:9092"}
          command: [/bin/bash, -c]
          args:
            - |
              kafka-topics.sh --bootstrap-server $BROKERS --create --topic orders \\
                --partitions 12 --config min.insync.replicas=2
"""


def test_a_service_of_compose() -> None:
    document = read(COMPOSE, "docker-compose.yml")
    found = of(document, "topic")
    assert {name: told(one) for name, one in found.items()} == {
        "orders": {"partitions": "6", "retention.ms": "86400000"},
        "payments": {"partitions": "6", "retention.ms": "86400000"},
    }
    assert _text(COMPOSE, found["payments"].at) == "payments"
    assert _text(COMPOSE, found["orders"].settings["retention.ms"].at) == "86400000"
    assert _text(COMPOSE, found["orders"].facts["partitions"].at) == "$$PARTITIONS"
    (quota,) = of(document, "quota").values()
    assert told(quota) == {"user": "shop", "producer_byte_rate": "1048576"}
    assert found["orders"].cluster == quota.cluster


def test_a_job_of_kubernetes() -> None:
    document = read(JOB, "job.yaml")
    (orders,) = of(document, "topic").values()
    assert told(orders) == {"partitions": "12", "min.insync.replicas": "2"}
    assert _text(JOB, orders.settings["min.insync.replicas"].at) == "2"
    assert orders.traits.namespace == "shop"
    (asked,) = orders.traits.asks
    assert (asked.text, _text(JOB, asked.at)) == ("kafka.shop:9092", "kafka.shop:9092")


MAKEFILE = """\
BROKERS ?= kafka.example.net:9092
TOPICS := bin/kafka-topics.sh --bootstrap-server $(BROKERS)
RETENTION = 1000 # one second
RETENTION = 2000

topics: up
\t@$(TOPICS) --create --topic orders --partitions 6 \\
\t  --config retention.ms=$(RETENTION)
\t-for t in a b; do $(TOPICS) --create --topic $$t --partitions $(shell nproc); done
"""

JENKINSFILE = """\
pipeline {
  stages {
    stage('topics') {
      steps {
        sh 'kafka-topics --create --topic orders --partitions 6'
        sh \"\"\"
          kafka-topics --create --topic payments \\\\
            --partitions ${params.PARTITIONS}
        \"\"\"
      }
    }
  }
}
"""

WORKFLOW = """\
on: push
env:
  BROKERS: kafka.example.net:9092
jobs:
  topics:
    runs-on: ubuntu-latest
    steps:
      - name: topics
        env: {PARTITIONS: 12}
        run: |
          kafka-topics.sh --bootstrap-server $BROKERS --create --topic orders \\
            --partitions $PARTITIONS --config retention.ms=${{ vars.RETENTION }}
"""

PIPELINE = """\
topics:
  script:
    - COUNT=3
    - kafka-topics.sh --create --topic orders --partitions $COUNT
    - kafka-topics.sh --create --topic "$CI_NAME" --partitions $COUNT
"""

TASKS = """\
- name: Topics
  ansible.builtin.command: >-
    /opt/kafka/bin/kafka-topics.sh --bootstrap-server {{ broker }} --create --topic orders
    --partitions 6
- name: Limits
  ansible.builtin.command:
    argv: [kafka-configs.sh, --alter, --topic, orders, --add-config, retention.ms=1000]
"""


def test_a_makefile() -> None:
    document = read(MAKEFILE, "Makefile")
    found = of(document, "topic")
    assert {name: told(one) for name, one in found.items()} == {
        "orders": {"partitions": "6", "retention.ms": None},
        "a": {"partitions": None},
        "b": {"partitions": None},
    }
    assert _text(MAKEFILE, found["orders"].facts["partitions"].at) == "6"
    (asked,) = found["orders"].traits.asks
    assert (asked.text, asked.at[0]) == ("kafka.example.net:9092", 1)


def test_a_jenkinsfile() -> None:
    document = read(JENKINSFILE, "Jenkinsfile")
    found = of(document, "topic")
    assert {name: told(one) for name, one in found.items()} == {
        "orders": {"partitions": "6"},
        "payments": {"partitions": None},
    }
    assert _text(JENKINSFILE, found["payments"].at) == "payments"


def test_steps_of_pipelines() -> None:
    document = read(WORKFLOW, ".github/workflows/topics.yml")
    (orders,) = of(document, "topic").values()
    assert told(orders) == {"partitions": "12", "retention.ms": None}
    assert _text(WORKFLOW, orders.facts["partitions"].at) == "12"
    document = read(PIPELINE, ".gitlab-ci.yml")
    (orders,) = of(document, "topic").values()
    assert told(orders) == {"partitions": "3"}
    assert orders.at[0] == 4


def test_tasks_of_ansible() -> None:
    (orders,) = of(read(TASKS, "tasks/main.yml"), "topic").values()
    assert told(orders) == {"partitions": "6", "retention.ms": "1000"}


def test_properties_of_console_tools() -> None:
    document = read(
        """\
        kafka-console-producer --bootstrap-server kafka:9092 --topic a --producer-property acks=1
        kafka-producer-perf-test --topic a --num-records 10 --producer-props linger.ms=5 acks=all \\
          --throughput 5
        kafka-console-consumer --topic a --group g --consumer-property auto.offset.reset=none
        """
    )
    assert [(one.kind, told(one)) for one in document.resources] == [
        ("producer", {"acks": "1"}),
        ("producer", {"linger.ms": "5", "acks": "all"}),
        ("consumer", {"auto.offset.reset": "none", "group.id": "g"}),
    ]
    assert all(one.traits.partial for one in document.resources)


SCRIPT_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: scripts, namespace: shop}
data:
  topics.sh: |
    #!/bin/bash
    for topic in orders payments; do
      kafka-topics.sh --bootstrap-server "$BROKERS" --create --topic "$topic" --partitions 6
    done
"""


def test_a_script_in_a_map() -> None:
    found = of(read(SCRIPT_MAP, "map.yaml"), "topic")
    assert {name: told(one) for name, one in found.items()} == {
        "orders": {"partitions": "6"},
        "payments": {"partitions": "6"},
    }
    assert _text(SCRIPT_MAP, found["payments"].at) == "payments"


def test_a_text_that_a_shell_reads() -> None:
    document = read(
        """\
        docker exec -i kafka bash <<'EOF'
        kafka-topics.sh --create --topic orders --partitions 6
        EOF
        cat <<'EOF'
        kafka-topics.sh --create --topic shown --partitions 6
        EOF
        """
    )
    assert [one.name for one in document.resources] == ["orders"]


def test_connectors_of_other_tools() -> None:
    document = read(
        """\
        connectctl apply --connector files <<EOF
        {"connector.class": "FileStreamSource", "tasks.max": "1"}
        EOF
        cat > sink.json <<EOF
        {"name": "sink", "config": {"connector.class": "FileStreamSink", "topics": "$TOPIC"}}
        EOF
        """
    )
    found = of(document, "connector")
    assert {name: told(one) for name, one in found.items()} == {
        "files": {"connector.class": "FileStreamSource", "tasks.max": "1"},
        "sink": {"connector.class": "FileStreamSink", "topics": None},
    }
    assert all(one.traits.apart for one in found.values())


def test_topics_of_redpandas_tool() -> None:
    document = read(
        """\
        docker exec -it redpanda rpk topic create orders -p6 -r 1 -c cleanup.policy=compact -c retention.ms=1 audit -v
        rpk topic create --partitions=3 "$NAME" --replicas 3 --brokers a.example.org:9092 --if-not-exists events
        rpk topic delete gone
        echo rpk topic create printed
        """,
        "a.sh",
    )
    topics = {one.name: one for one in document.resources}
    assert [*topics] == ["orders", "audit", "events"]
    assert {one.traits.product for one in topics.values()} == {"redpanda"}
    facts = {
        name: {key: (told.text, told.amount) for key, told in one.facts.items()}
        for name, one in topics.items()
    }
    assert facts["orders"] == facts["audit"]
    assert facts["orders"] == {"partitions": ("6", 6), "replication.factor": ("1", 1)}
    assert facts["events"] == {"partitions": ("3", 3), "replication.factor": ("3", 3)}
    told = topics["orders"].settings
    assert {key: one.text for key, one in told.items()} == {
        "cleanup.policy": "compact",
        "retention.ms": "1",
    }
    assert told["cleanup.policy"].key_at[:2] == (1, 62)
    assert told["cleanup.policy"].at[:2] == (1, 77)
    assert [one.text for one in topics["events"].traits.asks] == ["a.example.org:9092"]


def test_containers_that_a_step_of_a_pipeline_starts() -> None:
    text = """\
jobs:
  deploy:
    steps:
      - name: Kafka
        run: |
          docker run -d --name kafka -e KAFKA_NODE_ID=1 \\
            -e KAFKA_PROCESS_ROLES=broker,controller \\
            -e KAFKA_LOG_RETENTION_HOURS=$HOURS confluentinc/cp-kafka:7.6.0
          docker run -d -e KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS=kafka:9092 provectuslabs/kafka-ui
"""
    document = read(text, ".github/workflows/deploy.yml")
    broker = next(one for one in document.resources if one.kind == "broker")
    assert (document.format, broker.name) == ("command-steps", "kafka")
    told = {key: one.text for key, one in broker.settings.items()}
    assert told["process.roles"] == "broker,controller"
    assert told["log.retention.hours"] is None
    assert broker.settings["node.id"].at == (6, 55, 6, 56)
    # Without a variable of Kafka's images nothing tells that a container is one.
    others = text.replace("KAFKA_", "K_").replace("CONNECT_", "C_")
    assert read(others, ".github/workflows/deploy.yml").resources == []


def test_producers_that_measure() -> None:
    """The folder of the tool may be a variable; Marathon starts one by its command."""
    props = "--producer-props linger.ms={{ linger }} acks=all bootstrap.servers={{ hosts[0] }}"
    task = f"- name: a\n  shell: |\n    {{{{ bin }}}}/kafka-producer-perf-test.sh --topic t \\\n      {props}\n"
    marathon = (
        '{"id": "/load", "cmd": "kafka-producer-perf-test --topic t --producer-props acks=all"}'
    )
    job = """\
apiVersion: batch/v1
kind: Job
metadata: {name: load}
spec:
  template:
    spec:
      containers:
        - name: load
          image: example.com/kafka:1
          command: [bin/kafka-producer-perf-test.sh]
          args: [--topic, t, --producer-props, acks=all]
"""
    for path, text in {"a.yml": task, "load.json": marathon, "job.yaml": job}.items():
        (producer,) = read(text, path).resources
        assert producer.kind == "producer", path
        assert producer.settings["acks"].text == "all", path
    sized = "kafka-producer-perf-test --record-size 9 --producer-props max.request.size=64000000"
    (producer,) = read(sized, "a.sh").resources
    assert producer.settings["max.request.size"].text is None
    (producer,) = read(task, "a.yml").resources
    assert producer.settings["linger.ms"].text is None
    line = task.splitlines()[3]
    assert producer.settings["acks"].at == (4, line.index("all") + 1, 4, line.index("all") + 4)


def test_what_rpk_changes_of_topics() -> None:
    text = """\
        #!/bin/sh
        rpk -X brokers=a.example.org:9092 topic create orders -p 3 -r 3
        rpk topic alter-config orders events --set retention.ms=1000 -s "cleanup.policy=$POLICY"
        rpk topic alter-config "$NAME" --set retention.ms=1
        rpk topic alter-config audit --delete retention.ms
        echo rpk topic alter-config printed --set retention.ms=2
        """
    found = {one.name: one for one in read(text).resources}
    assert list(found) == ["orders", "events"]
    (asked,) = found["orders"].traits.asks
    assert (asked.text, asked.at) == ("a.example.org:9092", (2, 16, 2, 34))
    for name in ("orders", "events"):
        settings = found[name].settings
        assert settings["retention.ms"].text == "1000" and settings["cleanup.policy"].text is None
        assert settings["retention.ms"].at == (3, 57, 3, 61)
    assert found["events"].traits.change and not found["orders"].traits.change
