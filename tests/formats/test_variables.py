"""Values of Helm charts, variables of Ansible and Puppet, resources of Confluent's operator."""

from __future__ import annotations

from textwrap import dedent

import pytest
from spans import under

from kcheck import formats
from kcheck.engine import Project, lint_project
from kcheck.model import PASSED_OVER, READ, SKIPPED, Document, Resource
from kcheck.settings import Settings


def read(text: str, path: str = "values.yaml") -> Document:
    return formats.read(path, dedent(text).encode(), lambda _: None)


def texts(resource: Resource) -> dict[str, str | None]:
    return {key: setting.text for key, setting in resource.settings.items()}


def facts(resource: Resource) -> dict[str, str | None]:
    return {key: fact.text for key, fact in resource.facts.items()}


def lint(files: dict[str, str]) -> Project:
    sources = {path: dedent(text).encode() for path, text in files.items()}
    project = lint_project(sources.items(), Settings(), sources.get)
    assert project.failures == []
    return project


BITNAMI = """\
image: {repository: bitnami/kafka, tag: 3.6.1-debian-11-r0}
replicaCount: 3
logRetentionBytes: _1_073_741_824
numPartitions: 6
heapOpts: -Xmx4g -Xms1g
extraConfig: |-
  default.replication.factor=1  # for now
  min.insync.replicas=2
extraEnvVars:
  - name: KAFKA_CFG_LOG_RETENTION_HOURS
    value: "24"
  - name: OTHER
    valueFrom: {secretKeyRef: {name: a, key: b}}
persistence: {size: 8Gi}
resources:
  limits: {memory: 6Gi, cpu: 2}
provisioning:
  topics:
    - name: orders
      partitions: 12
      replicationFactor: 3
      config: {max.message.bytes: "2000000"}
"""


def test_bitnamis_chart_has_three_ways_to_set_a_key() -> None:
    document = read(BITNAMI)
    assert (document.format, document.status) == ("helm-values", READ)
    broker, topic = document.resources
    assert texts(broker) == {
        "log.retention.bytes": "1073741824",
        "num.partitions": "6",
        "default.replication.factor": "1  # for now",
        "min.insync.replicas": "2",
        "log.retention.hours": "24",
    }
    assert under(BITNAMI, broker.settings["min.insync.replicas"].at) == "2"
    assert under(BITNAMI, broker.settings["log.retention.bytes"].at) == "_1_073_741_824"
    assert broker.settings["num.partitions"].name == "numPartitions"
    assert broker.facts["kafka_version"].text == "3.6.1"
    assert facts(broker)["replicas"] == "3"
    told = {name: broker.facts[name].amount for name in ("heap", "disk_size", "ram", "cores")}
    assert told == {"heap": 4 << 30, "disk_size": 8 << 30, "ram": 6 << 30, "cores": 2}
    assert (topic.name, facts(topic)) == (
        "orders",
        {"partitions": "12", "replication.factor": "3"},
    )
    assert texts(topic) == {"max.message.bytes": "2000000"}


def test_what_a_chart_does_not_say_is_unknown() -> None:
    """The charts set replication factors of their own: Kafka's defaults do not hold."""
    project = lint(
        {"values.yaml": "kafka:\n  replicaCount: 1\n  extraConfig: |\n    num.io.threads=8\n"}
    )
    (broker,) = project.clusters[0].brokers
    assert broker["offsets.topic.replication.factor"].known is False
    assert broker["num.io.threads"].text == "8"
    assert [f.code for f in project.findings if f.code.startswith("KC03")] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("controller: {replicaCount: 3}\nbroker: {replicaCount: 2}\n", "5"),
        ("controller: {replicaCount: 3, controllerOnly: true}\nbroker: {replicaCount: 2}\n", "2"),
        ("controller: {controllerOnly: false}\nbroker: {replicaCount: 2}\n", None),
    ],
)
def test_pools_are_counted(text: str, expected: str | None) -> None:
    (broker,) = read("extraConfig: |\n  num.partitions=3\n" + text).resources
    assert facts(broker).get("replicas") == expected


@pytest.mark.parametrize(
    ("text", "heap"),
    [
        ("heapOpts: -Xmx6g\ncontroller: {heapOpts: -Xmx4g}\n", "4294967296"),
        (
            "heapOpts: -Xmx6g\ncontroller: {heapOpts: -Xmx4g}\nbroker: {replicaCount: 0}\n",
            "4294967296",
        ),
        (
            "controller: {controllerOnly: true, heapOpts: -Xmx1g}\nbroker: {heapOpts: -Xmx4g}\n",
            "4294967296",
        ),
        ("controller: {heapOpts: -Xmx1g}\nbroker: {heapOpts: -Xmx4g}\n", None),
    ],
)
def test_the_heap_of_a_pool_goes_over_that_of_all(text: str, heap: str | None) -> None:
    below = "".join(f"  {line}\n" for line in text.splitlines())
    (broker,) = read("kafka:\n  extraConfig: |\n    num.partitions=3\n" + below).resources
    told = broker.facts.get("heap")
    assert (told and told.amount) == (int(heap) if heap else None)


CONFLUENT_CHART = """\
cp-zookeeper: {servers: 1}
cp-kafka:
  brokers: 1
  imageTag: 5.5.0
  configurationOverrides:
    "auto.create.topics.enable": "true"
cp-kafka-connect:
  configurationOverrides: {"group.id": etl}
cp-schema-registry:
  configurationOverrides: {"kafkastore.topic": _schemas}
"""


def test_confluents_chart_is_known_below_its_values() -> None:
    broker, worker = read(CONFLUENT_CHART).resources
    assert (broker.kind, broker.name, facts(broker)["replicas"]) == ("broker", "cp-kafka", "1")
    assert broker.facts["kafka_version"].text == "2.5"
    assert texts(broker) == {"auto.create.topics.enable": "true"}
    assert broker.image["offsets.topic.replication.factor"].text == "3"
    assert (worker.kind, worker.plane, texts(worker)) == (
        "worker",
        "connect-distributed",
        {"group.id": "etl"},
    )
    found = lint({"values.yaml": CONFLUENT_CHART}).findings
    assert "KC0309" in {f.code for f in found}


def test_values_are_laid_over_each_other() -> None:
    """What one of two files does not set may stand in the other; both may declare a topic."""
    topics = "topics: [{name: a, partitions: %d}]\n"
    files = {
        "values.yaml": CONFLUENT_CHART + topics % 3,
        "values-prod.yaml": "cp-kafka:\n  configurationOverrides: {num.io.threads: 8}\n"
        + topics % 6,
        "values-eu.yaml": "cp-kafka:\n  configurationOverrides: {num.io.threads: 8}\n" + topics % 9,
    }
    project = lint(files)
    assert [f.code for f in project.findings if f.code in ("KC0309", "KC0606")] == []
    assert all(
        r.traits.partial for d in project.documents for r in d.resources if r.kind == "broker"
    )


def test_charts_around_strimzi() -> None:
    text = """\
    strimzi-kafka:
      kafka:
        version: "3.9.0"
        replicas: 3
        config:
          log.retention.minutes: 4320
          offsets.topic.replication.factor: 1
      topics:
        - name: orders
          partitions: 3
          replicas: 3
    """
    broker, topic = read(text, "values-prod.yaml").resources
    assert texts(broker) == {
        "log.retention.minutes": "4320",
        "offsets.topic.replication.factor": "1",
    }
    assert facts(broker) == {"kafka_version": "3.9.0", "replicas": "3"}
    assert facts(topic) == {"partitions": "3", "replication.factor": "3"}


INVENTORY = """\
all:
  vars:
    confluent_package_version: 7.6.0
    kafka_broker_custom_properties:
      num.io.threads: 8
      log.retention.hours: 24
kafka_controller:
  vars:
    kafka_broker_custom_properties: {num.io.threads: 99}
  hosts: {c1: }
kafka_broker:
  vars:
    kafka_broker_custom_properties:
      num.io.threads: 16
      auto.create.topics.enable: "{{ auto }}"
  hosts:
    broker[01:03].example.com:
"""


def test_ansibles_narrower_place_wins_key_by_key() -> None:
    document = read(INVENTORY, "hosts.yml")
    assert (document.format, document.status) == ("ansible", READ)
    (broker,) = document.resources
    assert texts(broker) == {
        "log.retention.hours": "24",
        "num.io.threads": "16",
        "auto.create.topics.enable": None,
    }
    assert under(INVENTORY, broker.settings["num.io.threads"].at) == "16"
    assert facts(broker) == {"kafka_version": "3.6", "replicas": "3"}
    # Nothing was set twice by mistake.
    assert broker.earlier == []


def test_hosts_with_properties_of_their_own_are_brokers_of_their_own() -> None:
    text = """\
    kafka_broker:
      vars:
        kafka_broker_custom_properties: {num.io.threads: 16}
      hosts:
        k1:
          kafka_broker_custom_properties: {broker.rack: a}
        k2:
          kafka_broker_custom_properties: {broker.rack: b, num.io.threads: 4}
    """
    one, two = read(text, "hosts.yml").resources
    assert (one.name, texts(one)) == ("k1", {"num.io.threads": "16", "broker.rack": "a"})
    assert (two.name, texts(two)) == ("k2", {"num.io.threads": "4", "broker.rack": "b"})


def test_group_variables_stand_at_the_margin() -> None:
    text = "kafka_connect_custom_properties:\n  group.id: etl\n"
    (worker,) = read(text, "group_vars/kafka_connect.yml").resources
    assert (worker.kind, texts(worker)) == ("worker", {"group.id": "etl"})
    assert read("kafka_broker_custom_properties: {}\n", "main.yml").status == PASSED_OVER


HIERA = """\
profile::kafka::broker::kafka_cluster_name: main
profile::kafka::broker::num_io_threads: 8
profile::kafka::broker::ssl_enabled: true
profile::kafka::broker::max_heap_size: 2g
profile::kafka::broker::nofiles_ulimit: 8192
kafka::consumer::config:
  group.id: audit
  client.id: '%{facts.hostname}'
profile::zookeeper::tick_time: 2000
"""


def test_puppets_parameters_are_keys_with_underscores() -> None:
    document = read(HIERA, "hieradata/kafka.yaml")
    assert document.format == "puppet-hiera"
    broker, consumer = document.resources
    assert (broker.name, texts(broker)) == ("main", {"num.io.threads": "8"})
    assert (broker.facts["heap"].amount, broker.facts["nofile"].amount) == (2 << 30, 8192)
    assert under(HIERA, broker.settings["num.io.threads"].at) == "8"
    assert texts(consumer) == {"group.id": "audit", "client.id": None}


CFK = """\
apiVersion: platform.confluent.io/v1beta1
kind: KRaftController
metadata: {name: controllers, namespace: confluent}
spec: {replicas: 3}
---
apiVersion: platform.confluent.io/v1beta1
kind: Kafka
metadata: {name: core, namespace: confluent}
spec:
  replicas: 3
  image: {application: "confluentinc/cp-server:7.9.0"}
  configOverrides:
    server:
      - auto.create.topics.enable=false
      - "min.insync.replicas= 2"
      - password=${file:/x:y}
    jvm: ["-Xmx6g"]
  dependencies:
    kRaftController: {clusterRef: {name: controllers}}
---
apiVersion: platform.confluent.io/v1beta1
kind: KafkaTopic
metadata: {name: orders, namespace: confluent}
spec:
  replicas: 2
  partitionCount: 4
  configs: {cleanup.policy: "compact"}
  kafkaClusterRef: {name: core}
---
apiVersion: platform.confluent.io/v1beta1
kind: Connector
metadata: {name: sink}
spec:
  class: io.x.JdbcSinkConnector
  taskMax: 2
  configs: {topics: "orders"}
---
apiVersion: platform.confluent.io/v1beta1
kind: SchemaRegistry
metadata: {name: sr}
spec: {replicas: 1}
"""


def test_confluents_operator_has_lists_of_lines() -> None:
    document = read(CFK, "cfk.yaml")
    controller, broker, topic, connector = document.resources
    assert [r.cluster for r in (controller, broker, topic)] == ["core", "core", "core"]
    assert texts(broker) == {
        "auto.create.topics.enable": "false",
        "min.insync.replicas": "2",
        "password": None,
    }
    assert under(CFK, broker.settings["auto.create.topics.enable"].at) == "false"
    assert under(CFK, broker.settings["min.insync.replicas"].key_at) == "min.insync.replicas"
    assert under(CFK, broker.settings["min.insync.replicas"].at) == "2"
    assert broker.facts["kafka_version"].text == "3.9.0"
    assert broker.facts["heap"].amount == 6 << 30
    assert (facts(topic), texts(topic)) == (
        {"replication.factor": "2", "partitions": "4"},
        {"cleanup.policy": "compact"},
    )
    assert (connector.kind, connector.plane) == ("connector", "sink-connector")
    assert texts(connector)["tasks.max"] == "2"
    project = lint({"cfk.yaml": CFK})
    assert ("KC0303", 25) in {(f.code, f.at[0]) for f in project.findings}


def test_values_of_the_older_operator() -> None:
    text = """\
    operator: {name: operator}
    kafka:
      configOverrides:
        server: ["auto.create.topics.enabled=true"]
    """
    document = read(text)
    assert document.format == "cfk-cr"
    assert texts(document.resources[0]) == {"auto.create.topics.enabled": "true"}


@pytest.mark.parametrize(
    ("path", "text", "format"),
    [
        ("roles/kafka/templates/kafka.sh.j2", "export KAFKA_OPTS={{ x }}\n", "ansible"),
        ("modules/kafka/templates/a.conf.erb", "<%= @kafka %>\n", "puppet-hiera"),
        ("modules/nginx/templates/a.conf.erb", "<%= @x %>\n", None),
        ("templates/kafka.conf.erb", "<%= @x %>\n", None),
    ],
)
def test_templates_of_roles_and_modules_are_named(path: str, text: str, format: str | None) -> None:
    document = read(text, path)
    assert document.format == format
    assert document.status == (SKIPPED if format else PASSED_OVER)


@pytest.mark.parametrize(
    "text",
    [
        "configurationOverrides: [1]\nbrokers: x\n",
        "kafka:\n  config: {a.b: [c], log.retention.hours: {x: y}}\n  extraConfig: [1, {a: b}]\n",
        "extraConfig: 'num.partitions=\\\\u12'\nprovisioning: [topics]\ntopics: [1, {name: [x]}]\n",
        "controller: [1]\nnumPartitions: 1\nlogRetentionHours: 2\nextraEnvVars: [{name: [1]}, x]\n",
        "image: bitnami/kafka\nextraConfig: a\nresources: {limits: [1]}\npersistence: [size]\n",
    ],
)
def test_other_shapes_are_survived(text: str) -> None:
    project = lint({"values.yaml": text})
    assert project.documents[0].status in (READ, PASSED_OVER)
