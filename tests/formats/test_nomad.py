"""Nomad's jobs: tasks of known images, templates of variables and of properties."""

from __future__ import annotations

from textwrap import dedent

import pytest

from kcheck import formats
from kcheck.model import FAILED, NOMAD, PASSED_OVER, READ, SKIPPED, Document, Position

JOB = """\
job "events" {
  group "brokers" {
    count = 3
    task "kafka" {
      driver = "docker"
      config {
        image = "apache/kafka:3.9.0"
      }
      env {
        KAFKA_NODE_ID              = "${NOMAD_ALLOC_INDEX}"
        KAFKA_PROCESS_ROLES        = "broker"
        KAFKA_ADVERTISED_LISTENERS = "PLAINTEXT://${NOMAD_IP_kafka}:9092"
        KAFKA_NUM_PARTITIONS       = 6
      }
      template {
        data        = <<-EOH
          # from Consul
          KAFKA_CONTROLLER_QUORUM_VOTERS={{ range service "c" }}{{ .Address }}:9093{{ end }}
          KAFKA_LOG_RETENTION_HOURS = "72"
          {{ if keyExists "kafka/x" }}
          KAFKA_LOG_RETENTION_BYTES=1
          {{ end }}
          KAFKA_MIN_INSYNC_REPLICAS=2
        EOH
        destination = "local/kafka.env"
        env         = true
      }
      resources {
        memory = 2048
      }
    }
  }
  group "controllers" {
    task "controllers" {
      driver = "exec"
      config {
        command = "/opt/kafka/bin/kafka-server-start.sh"
        args    = ["local/server.properties"]
      }
      template {
        destination = "local/server.properties"
        data = <<EOF
process.roles=controller
node.id={{ env "NOMAD_ALLOC_INDEX" }}
{{ range service "x" }}
log.dirs=/{{ .Address }}
{{ end }}
log.retention.ms=600000
EOF
      }
    }
  }
}
"""


def read(path: str, text: str) -> Document:
    return formats.read(path, dedent(text).encode(), lambda _: None)


def _text(at: Position) -> str:
    return JOB.splitlines()[at[0] - 1][at[1] - 1 : at[3] - 1]


def test_a_job() -> None:
    document = read("deploy/kafka.nomad", JOB)
    assert (document.format, document.status) == ("nomad", READ)
    broker, controller = sorted(document.resources, key=lambda one: one.kind)
    assert {key: one.text for key, one in broker.settings.items()} == {
        "controller.quorum.voters": None,
        "log.retention.hours": "72",
        "min.insync.replicas": "2",
        "node.id": None,
        "process.roles": "broker",
        "advertised.listeners": None,
        "num.partitions": "6",
    }
    assert (broker.kind, broker.name, broker.traits.deployer) == ("broker", "brokers/kafka", NOMAD)
    facts = {name: one.amount or one.text for name, one in broker.facts.items()}
    assert facts == {
        "image": "apache/kafka:3.9.0",
        "kafka_version": "3.9.0",
        "ram": 2 << 30,
        "replicas": 3,
    }
    for key in ("process.roles", "num.partitions", "min.insync.replicas"):
        setting = broker.settings[key]
        assert (_text(setting.at), _text(setting.key_at)) == (setting.text, setting.name)
    assert (controller.kind, controller.name) == ("controller", "controllers")
    assert {key: one.text for key, one in controller.settings.items()} == {
        "process.roles": "controller",
        "node.id": None,
        "log.retention.ms": "600000",
    }
    assert controller.traits.fragment
    told = controller.settings["log.retention.ms"]
    assert (_text(told.at), _text(told.key_at)) == ("600000", "log.retention.ms")


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (
            'config { image = "provectuslabs/kafka-ui" }\n'
            'env = { KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS = "k:9092" }',
            {"bootstrap.servers": "k:9092"},
        ),
        (
            'config {\n image = "danielqsj/kafka-exporter"\n'
            ' args = ["--kafka.server=k:9092", "--tls.enabled"]\n}',
            {"bootstrap.servers": "k:9092", "security.protocol": "SSL"},
        ),
        (
            'config {\n image = "danielqsj/kafka-exporter"\n'
            ' args = ["--kafka.server=k:9092", "${var.more}"]\n}',
            {"bootstrap.servers": "k:9092", "security.protocol": None},
        ),
        (
            'config { image = "confluentinc/cp-schema-registry:7.6.0" }\n'
            'env {\n SCHEMA_REGISTRY_HOST_NAME = "r"\n'
            ' SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS = "SSL://k:9093"\n}',
            {"bootstrap.servers": "SSL://k:9093"},
        ),
        (
            "config { image = var.image }\n"
            'env {\n KAFKA_BROKER_ID = "1"\n KAFKA_ZOOKEEPER_CONNECT = "zk:2181"\n}',
            {"broker.id": "1", "zookeeper.connect": "zk:2181"},
        ),
    ],
)
def test_tasks(task: str, expected: dict[str, str | None]) -> None:
    (found,) = read(
        "a.nomad.hcl", f'job "j" {{\ngroup "g" {{\ntask "t" {{\n{task}\n}}\n}}\n}}\n'
    ).resources
    assert {key: one.text for key, one in found.settings.items()} == expected


@pytest.mark.parametrize(
    ("path", "text", "status"),
    [
        ("packer.hcl", 'source "docker" "kafka" {\n  image = "apache/kafka"\n}\n', PASSED_OVER),
        ("a.hcl", 'job "kafka" {\n  group "g" {\n    task "t" {}\n  }\n}\n', PASSED_OVER),
        (
            "tools.hcl",
            'job "k" {\n group "g" {\n task "kafka" {\n config {\n image = "apache/kafka:3.9.0"\n'
            ' command = "kafka-topics.sh"\n}\n env {\n KAFKA_NODE_ID = 1\n}\n}\n}\n}\n',
            PASSED_OVER,
        ),
        ("a.nomad", 'job "kafka" {\n  group "g" {\n    count =\n', FAILED),
        ("a.nomad", 'job "kafka" {\n  group "g" {\n    {{ x }} {\n', SKIPPED),
    ],
)
def test_what_holds_nothing(path: str, text: str, status: str) -> None:
    document = read(path, text)
    assert (document.resources, document.status) == ([], status)


@pytest.mark.parametrize(
    "text",
    [
        'job "kafka" {\n' + 'group "g" {\n' * 300 + "}\n" * 301,
        'job "kafka" {\n group "g" {\n task "t" {\n template {\n data = <<E\n'
        + "{{ if }}\n" * 5000
        + "E\n env = true\n}\n}\n}\n}\n",
        'job "kafka" {\n task "t" {\n env {\n KAFKA_A = ' + "[" * 500 + "]" * 500 + "\n}\n}\n}\n",
    ],
)
def test_hostile_jobs_end(text: str) -> None:
    assert read("a.nomad", text).resources == []


PROCESS = """\
job "events" {
  group "brokers" {
    count = 3
    volume "data" {
      type      = "csi"
      source    = "data"
      per_alloc = true
    }
    volume "shared" {
      type   = "csi"
      source = "shared"
    }
    task "kafka" {
      driver       = "docker"
      kill_timeout = "1m30s"
      config {
        image   = "apache/kafka:3.9.0"
        volumes = ["local/conf:/conf", "/srv/jmx:/jmx:ro"]
      }
      volume_mount {
        volume      = "data"
        destination = "/var/lib/kafka"
      }
      volume_mount {
        volume      = "shared"
        destination = "/shared"
      }
      env {
        KAFKA_NODE_ID       = "1"
        KAFKA_PROCESS_ROLES = "broker"
        KAFKA_HEAP_OPTS     = "-Xmx1g"
      }
      resources {
        memory     = 512
        memory_max = 2048
      }
    }
  }
}
"""


def test_a_task_is_a_process() -> None:
    (process,) = formats.read("events.nomad", PROCESS.encode(), lambda _: None).processes
    assert (process.program, process.name) == ("broker", "brokers/kafka")
    assert process.memory is not None and process.memory.amount == 2048 << 20
    assert process.heap is not None and process.heap.amount == 1 << 30
    assert process.replicas is not None and process.replicas.text == "3"
    assert process.grace is not None and process.grace.amount == 90
    assert {mount.path: mount.kind for mount in process.mounts or ()} == {
        "/var/lib/kafka": "claim template",
        "/shared": "claim",
        "/conf": "files",
        "/jmx": "volume",
    }


@pytest.mark.parametrize(
    "given",
    [
        'config {\n image = "apache/kafka:3.9.0"\n mount {\n type = "bind"\n }\n }',
        'config {\n image = "apache/kafka:3.9.0"\n volumes = var.volumes\n }',
        'config {\n image = "apache/kafka:3.9.0"\n }\n volume_mount {\n volume = "a"\n }',
    ],
)
def test_mounts_that_may_be_anywhere_are_unknown(given: str) -> None:
    job = f'job "kafka" {{\n task "kafka" {{\n {given}\n env {{\n KAFKA_NODE_ID = 1\n }}\n }}\n}}\n'
    (process,) = formats.read("kafka.nomad", job.encode(), lambda _: None).processes
    assert process.mounts is None
    assert process.memory is process.replicas is process.grace is None


def test_a_command_starts_something_else() -> None:
    config = '{\n image = "apache/kafka:3.9.0"\n command = "kafka-topics.sh"\n }'
    job = f'job "kafka" {{\n task "topics" {{\n config {config}\n env {{\n KAFKA_NODE_ID = 1\n }}\n }}\n}}\n'
    assert not formats.read("kafka.nomad", job.encode(), lambda _: None).processes
