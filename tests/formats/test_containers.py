"""Containers of Kubernetes and ECS, start commands with overrides, files in ConfigMaps."""

from __future__ import annotations

from textwrap import dedent

import pytest
from spans import under, yaml_value

from kcheck import formats
from kcheck.engine import Project, lint_project
from kcheck.model import PASSED_OVER, READ, SKIPPED, Document, Resource
from kcheck.settings import Settings

STATEFULSET = """\
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: kafka
  namespace: prod
spec:
  replicas: 3
  template:
    spec:
      containers:
        - name: broker
          image: confluentinc/cp-kafka:7.5.0
          resources:
            limits: {memory: 8Gi, cpu: 1500m}
          env:
            - name: KAFKA_BROKER_ID
              valueFrom:
                fieldRef:
                  fieldPath: metadata.name
            - name: KAFKA_ZOOKEEPER_CONNECT
              value: "zk:2181"
            - name: KAFKA_ADVERTISED_LISTENERS
              value: PLAINTEXT://$(POD_NAME):9092
            - {name: KAFKA_MIN_INSYNC_REPLICAS, value: '2'}
            - name: KAFKA_HEAP_OPTS
              value: -Xms1g -Xmx6g
        - name: metrics
          image: bitnami/jmx-exporter
          env: [{name: KAFKA_BROKER_ID, value: "9"}]
"""
CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: broker-config, namespace: kafka}
data:
  init.sh: |
    echo broker.id=1
  server.properties: |-
    # comment
    broker.id=1
    zookeeper.connect=zk:2181

    log.retention.hours = 24
  client.properties: "bootstrap.servers=k:9092\\nacks=all\\n"
"""
OVERRIDES = """\
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: kafka}
spec:
  replicas: 2
  template:
    spec:
      containers:
        - name: broker
          image: solsson/kafka:2.2.1
          command:
            - ./bin/kafka-server-start.sh
            - /etc/kafka/server.properties
            - --override
            - log.retention.hours=-1
            - --override
            - num.partitions=$(PARTITIONS)
          volumeMounts:
            - {name: config, mountPath: /etc/kafka}
      volumes:
        - name: config
          configMap: {name: broker-config}
"""


def read(text: str, path: str = "a.yaml") -> Document:
    return formats.read(path, dedent(text).encode(), lambda _: None)


def texts(resource: Resource) -> dict[str, str | None]:
    return {key: setting.text for key, setting in resource.settings.items()}


def lint(files: dict[str, str]) -> Project:
    sources = {path: dedent(text).encode() for path, text in files.items()}
    project = lint_project(sources.items(), Settings(), sources.get)
    assert project.failures == []
    return project


def test_a_stateful_set_is_as_many_brokers_as_it_has_replicas() -> None:
    document = read(STATEFULSET)
    assert (document.format, document.status) == ("k8s-plain", READ)
    (broker,) = document.resources
    assert (broker.kind, broker.name, broker.traits.deployer) == ("broker", "kafka", "kubernetes")
    assert texts(broker) == {
        "broker.id": "kafka-0",
        "zookeeper.connect": "zk:2181",
        "advertised.listeners": None,
        "min.insync.replicas": "2",
    }
    assert broker.settings["min.insync.replicas"].name == "KAFKA_MIN_INSYNC_REPLICAS"
    assert yaml_value(STATEFULSET, broker.settings["zookeeper.connect"]) == "zk:2181"
    assert under(STATEFULSET, broker.settings["broker.id"].at) == "metadata.name"
    assert broker.facts["replicas"].text == "3"
    assert broker.facts["kafka_version"].text == "3.5"
    assert broker.facts["ram"].amount == 8 << 30
    assert broker.facts["cores"].amount == 1.5
    assert broker.facts["heap"].amount == 6 << 30
    assert broker.traits.namespace == "prod"


def test_the_name_of_a_pod_is_no_number() -> None:
    found = [(f.code, f.at[0]) for f in lint({"a.yaml": STATEFULSET}).findings]
    assert ("KC0103", 19) in found
    # A command may make a number of it before the image starts.
    text = STATEFULSET.replace(
        "          env:\n            - name: KAFKA_BROKER",
        "          command: [sh, -c, 'export KAFKA_BROKER_ID=${HOSTNAME##*-} && /etc/confluent/docker/run']\n"
        "          env:\n            - name: KAFKA_BROKER",
        1,
    )
    assert "KC0103" not in {f.code for f in lint({"a.yaml": text}).findings}


def test_config_maps_hold_files() -> None:
    document = read(CONFIG_MAP)
    assert document.format == "k8s-plain"
    broker, client = document.resources
    assert texts(broker) == {
        "broker.id": "1",
        "zookeeper.connect": "zk:2181",
        "log.retention.hours": "24",
    }
    for setting in broker.settings.values():
        assert under(CONFIG_MAP, setting.at) == setting.text
        assert under(CONFIG_MAP, setting.key_at) == setting.key
    assert broker.traits.namespace == "kafka"
    assert (client.kind, client.name, texts(client)["acks"]) == ("producer", "a.yaml", "all")
    # Where escapes stand between text and file, it is the whole of the text.
    assert under(CONFIG_MAP, client.settings["acks"].at).startswith('"bootstrap')


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("prepare.sh", "cat > c.properties <<EOF"),
        ("prepare.bash", "cat > c.properties <<EOF"),
        ("prepare.py", "c = 1"),
        ("prepare", "#!/bin/sh"),
        ("prepare", "export KAFKA_HOME=/opt/kafka"),
        ("prepare", "  export KAFKA_HOME=/opt/kafka"),
    ],
)
def test_programs_are_no_properties(name: str, text: str) -> None:
    lines = (text, "bootstrap.servers=k:9092", "security.protocol=SSL", "acks=all")
    data = "".join(f"    {line}\n" for line in lines)
    document = read(f"apiVersion: v1\nkind: ConfigMap\ndata:\n  {name}: |\n{data}")
    assert not document.resources
    plain = data.split("\n", 1)[1]
    assert read(f"apiVersion: v1\nkind: ConfigMap\ndata:\n  {name[:7]}: |\n{plain}").resources


def test_the_plain_part_of_a_secret_holds_files_too() -> None:
    text = CONFIG_MAP.replace("ConfigMap", "Secret").replace("data:", "stringData:")
    assert [r.kind for r in read(text).resources] == ["broker", "producer"]
    assert read(text.replace("stringData:", "data:")).resources == []


def test_overrides_win_over_the_mounted_file() -> None:
    text = CONFIG_MAP + OVERRIDES
    document = read(text)
    (broker,) = [r for r in document.resources if r.kind == "broker"]
    assert texts(broker) == {
        "broker.id": "1",
        "zookeeper.connect": "zk:2181",
        "log.retention.hours": "-1",
        "num.partitions": None,
    }
    assert under(text, broker.settings["log.retention.hours"].at) == "-1"
    assert under(text, broker.settings["zookeeper.connect"].at) == "zk:2181"
    assert broker.facts["replicas"].text == "2"


def test_overrides_in_one_line_of_a_shell() -> None:
    text = OVERRIDES[4:].replace(
        "            - ./bin/kafka-server-start.sh\n",
        "            - sh\n            - -c\n"
        "            - \"exec kafka-server-start.sh /etc/x.properties --override log.dir=/d --override a.b='c d'\"\n",
    )
    (broker,) = read(text).resources
    assert broker.settings["log.dir"].text == "/d"
    assert under(text, broker.settings["log.dir"].at) == "/d"
    assert broker.settings["a.b"].text == "c d"
    # The file is in the image: what is not set here may be there.
    assert broker.traits.partial is True


def test_a_file_beside_is_judged_with_what_is_set_over_it() -> None:
    start = (
        "            - ./bin/kafka-server-start.sh\n            - /etc/kafka/server.properties\n"
    )
    files = {
        "k/statefulset.yaml": OVERRIDES[4:].replace("- num.partitions=", "- log.dirs=/data #"),
        "k/server.properties": "broker.id=1\nzookeeper.connect=z:2181\nlog.dirs=/tmp/a,/tmp/a\n",
    }
    assert start in files["k/statefulset.yaml"]
    project = lint(files)
    (cluster,) = project.clusters
    (broker,) = cluster.brokers
    assert (broker["log.dirs"].text, broker["broker.id"].text) == ("/data", "1")
    setting = broker.resource.settings["broker.id"]
    assert (setting.path, setting.at[0]) == ("k/server.properties", 1)
    # The file alone would be wrong: one directory twice.
    assert "KC0708" not in {f.code for f in project.findings}
    assert "KC0708" in {f.code for f in lint({"k": "", **dict([*files.items()][1:])}).findings}


def test_variables_by_the_map_are_those_of_this_file() -> None:
    text = """\
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: env}
    data: {KAFKA_NUM_PARTITIONS: "6"}
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: k}
    spec:
      template:
        spec:
          containers:
            - name: k
              image: apache/kafka:3.9.0
              envFrom:
                - configMapRef: {name: env}
    """
    (broker,) = read(text).resources
    assert texts(broker) == {"num.partitions": "6"}
    (other,) = read(text.replace("name: env}\n    data", "name: other}\n    data")).resources
    assert texts(other) == {}


ECS = """\
{
  "family": "kafka",
  "containerDefinitions": [
    {
      "name": "kafka",
      "image": "apache/kafka:3.9.0",
      "essential": true,
      "memory": 2048,
      "ulimits": [{"name": "nofile", "softLimit": 1024, "hardLimit": 4096}],
      "environment": [
        {"name": "KAFKA_NODE_ID", "value": "${node}"},
        {"name": "KAFKA_PROCESS_ROLES", "value": "broker,controller"}
      ]
    }
  ]
}
"""


def test_ecs_tasks_have_variables_and_limits() -> None:
    document = read(ECS, "task.json")
    assert (document.format, document.status) == ("ecs-json", READ)
    (broker,) = document.resources
    assert texts(broker) == {"node.id": None, "process.roles": "broker,controller"}
    # What replaces the text keeps the quotes.
    assert under(ECS, broker.settings["process.roles"].at) == "broker,controller"
    assert broker.facts["kafka_version"].text == "3.9.0"
    assert (broker.facts["ram"].amount, broker.facts["nofile"].amount) == (2 << 30, 1024)
    template = ECS.replace('"${node}"', "${jsonencode(node)}")
    assert read(template, "task.json.tpl").status == SKIPPED


@pytest.mark.parametrize(
    "text",
    [
        STATEFULSET.replace("confluentinc/cp-kafka:7.5.0", "kafka-ui:1")
        .replace("KAFKA_ZOOKEEPER_CONNECT", "KAFKA_CLUSTERS_0_ZOOKEEPER")
        .replace("KAFKA_ADVERTISED_LISTENERS", "KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS"),
        STATEFULSET.replace(
            "          env:\n            - name: KAFKA_B",
            "          command: [kafka-topics, --list]\n          env:\n            - name: KAFKA_B",
        ),
        "apiVersion: v1\nkind: ConfigMap\ndata: {a: '1'}\nspec: {template: {spec: {containers: [1]}}}\n"
        "---\nkind: Pod\nspec: {containers: [x, {image: [kafka]}, {env: {a: b}, image: apache/kafka}]}\n",
    ],
)
def test_other_containers_are_no_brokers(text: str) -> None:
    project = lint({"a.yaml": text})
    nodes = ("broker", "controller", "worker")
    assert [
        r for d in project.documents for r in d.resources if r.settings and r.kind in nodes
    ] == []
    assert project.documents[0].status in (PASSED_OVER, READ)


def test_a_broker_of_an_unknown_image() -> None:
    (document,) = lint(
        {"a.yaml": STATEFULSET.replace("confluentinc/cp-kafka", "example/mq")}
    ).documents
    (broker,) = document.resources
    assert broker.settings["min.insync.replicas"].text == "2" and broker.traits.partial
    assert broker.facts["image"].text == "example/mq:7.5.0"
    assert [note.code for note in broker.notes] == ["KC0116"]  # Kubernetes does not know POD_NAME


def test_unrendered_charts_are_skipped() -> None:
    text = "{{- if .Values.x }}\napiVersion: apps/v1\n{{- end }}\nkind: StatefulSet\nspec: {image: kafka}\n"
    document = read(text.replace("image: kafka", "image: kafka, x: {{ y }}"))
    assert (document.status, document.reason) == (SKIPPED, "an unrendered template")


PROGRAM_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: pricing-config, namespace: pricing}
data:
  application.yml: |
    spring:
      kafka:
        bootstrap-servers: prod-kafka-bootstrap.kafka.svc:9092
        producer:
          acks: '1'
  application-prod.yml: |
    spring.kafka.producer.retries: 3
"""


def test_the_application_file_of_a_config_map_is_read_where_it_stands() -> None:
    document = read(PROGRAM_MAP)
    assert (document.format, document.status, document.problems) == ("k8s-plain", READ, [])
    plain, profiled = document.resources
    assert [r.kind for r in document.resources] == ["producer", "producer"]
    assert texts(plain) == {
        "acks": "1",
        "bootstrap.servers": "prod-kafka-bootstrap.kafka.svc:9092",
    }
    assert {r.traits.namespace for r in document.resources} == {"pricing"}
    assert under(PROGRAM_MAP, plain.settings["acks"].at) == "'1'"
    # What is beside it in the map lies below a profile.
    assert profiled.traits.profile == "prod"
    assert under(PROGRAM_MAP, profiled.settings["retries"].at) == "3"
    assert under(PROGRAM_MAP, profiled.settings["acks"].at) == "'1'"
    assert {s.path for r in document.resources for s in r.settings.values()} == {document.path}


def test_the_maps_of_one_file_are_programs_of_their_own() -> None:
    document = read(PROGRAM_MAP + "---\n" + PROGRAM_MAP.replace("pricing", "billing"))
    owners = [r.traits.application for r in document.resources]
    assert len(set(owners)) == 2


@pytest.mark.parametrize(
    ("name", "text", "kind", "expected"),
    [
        (
            "consumer.json",
            '{"bootstrap.servers": "k:9092", "group.id": "g", "queued.min.messages": 7}',
            "consumer",
            "7",
        ),
        ("app.ini", "[consumer]\nbootstrap.servers=k:9092\ngroup.id=g\n", "consumer", "g"),
        (
            "application.properties",
            "spring.kafka.bootstrap-servers=k:9092\nspring.kafka.consumer.group-id=g\n",
            "consumer",
            "g",
        ),
        (
            "pipeline.conf",
            'input {\n  kafka {\n    group_id => "g"\n    topics => ["t"]\n  }\n}\n',
            "consumer",
            "g",
        ),
    ],
)
def test_files_of_programs_in_a_secret(name: str, text: str, kind: str, expected: str) -> None:
    body = "".join(f"    {line}\n" for line in text.splitlines())
    whole = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData:\n  {name}: |\n{body}"
    (client,) = read(whole).resources
    assert client.kind == kind
    key = "queued.min.messages" if expected == "7" else "group.id"
    assert under(whole, client.settings[key].at) == expected


VARIABLES = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: tax-env, namespace: tax}
data:
  SPRING_KAFKA_BOOTSTRAP_SERVERS: prod-kafka-bootstrap.kafka.svc:9092
  SPRING_KAFKA_PRODUCER_ACKS: '1'
"""
DRAWN = """\
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: tax, namespace: tax}
spec:
  template:
    spec:
      containers:
        - name: tax
          image: registry.example.com/tax:5
          args: [--server.port=80]
          envFrom:
            - configMapRef: {name: tax-env}
          env:
            - {name: SPRING_KAFKA_PRODUCER_RETRIES, value: '3'}
"""


def test_a_config_map_of_springs_variables_is_a_client_by_itself() -> None:
    (producer,) = read(VARIABLES).resources
    assert (producer.kind, producer.name) == ("producer", "tax-env")
    assert producer.traits.namespace == "tax"
    assert texts(producer)["acks"] == "1"


def test_a_container_has_what_it_draws_from_a_config_map() -> None:
    (producer,) = read(VARIABLES + DRAWN).resources
    assert (producer.kind, producer.name) == ("producer", "tax")
    assert producer.traits.namespace == "tax"
    assert {"acks": "1", "retries": "3"}.items() <= texts(producer).items()


def test_a_config_map_without_kafka_is_nobodys() -> None:
    other = PROGRAM_MAP.replace("bootstrap-servers", "url").replace("kafka", "jpa")
    assert read(other).resources == []
