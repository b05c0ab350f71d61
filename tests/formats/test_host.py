"""Limits of a broker's host in the files where people keep them, and who they are for."""

from __future__ import annotations

from textwrap import dedent

import pytest
from spans import under

from kcheck import formats
from kcheck.engine import Project, lint_project
from kcheck.folder_names import FolderNames
from kcheck.model import PASSED_OVER, Document
from kcheck.settings import Settings

SYSCTL = "# tuned\nvm.swappiness=1\nvm.max_map_count = 65530\n"
LIMITS = (
    "*     soft nofile 1024 # all\nkafka - nofile 4096\n* soft nofile 2048\nkafka hard nofile 9\n"
)
UNIT = """\
[Unit]
Description=Apache Kafka
[Service]
Environment="KAFKA_HEAP_OPTS=-Xms1g -Xmx6g"
ExecStart=/opt/kafka/bin/kafka-server-start.sh /etc/kafka/server.properties
LimitNOFILE=8192:65536
#LimitNOFILE=1
MemoryMax=8G
"""
BPM = """\
processes:
  - name: exporter
    limits: {open_files: 1}
  - name: kafka
    limits:
      open_files: 1024
"""


def lint(files: dict[str, str]) -> Project:
    sources = {path: dedent(text).encode() for path, text in files.items()}
    project = lint_project(sorted(sources.items()), Settings(), sources.get)
    assert project.failures == []
    return project


def capacity(project: Project) -> list[tuple[str, str, tuple[int, ...]]]:
    return [(f.code, f.path, f.at) for f in project.findings if f.code.startswith("KC20")]


@pytest.mark.parametrize(
    ("path", "text", "format", "expected"),
    [
        ("sysctl.conf", SYSCTL, "sysctl", {"vm.max_map_count": (65530, "65530")}),
        ("etc/sysctl.d/90-kafka.conf", SYSCTL, "sysctl", {"vm.max_map_count": (65530, "65530")}),
        ("limits.conf", LIMITS, "limits-conf", {"nofile": (4096, "4096")}),
        (
            "kafka.service",
            UNIT,
            "systemd",
            {
                "heap": (6 << 30, "-Xms1g -Xmx6g"),
                "nofile": (8192, "8192"),
                "ram": (8 << 30, "8G"),
            },
        ),
        (
            "kafka.service.d/limits.conf",
            "[Service]\nLimitNOFILE=infinity\n",
            "systemd",
            {},
        ),
        ("bpm.yml", BPM, "bpm", {"nofile": (1024, "1024")}),
    ],
)
def test_limits(path: str, text: str, format: str, expected: dict[str, tuple[int, str]]) -> None:
    document = formats.read(path, text.encode(), lambda _: None)
    assert document.format == format
    if not expected:
        assert document.status == PASSED_OVER
        return
    (host,) = document.resources
    assert host.kind == "host"
    found = {name: (fact.amount, under(text, fact.at)) for name, fact in host.facts.items()}
    assert found == expected


CLUSTER = "cluster: {name: core, brokers: 3}\ntopics: [{name: t, partitions: 900, replication_factor: 3}]\n"


def test_a_limit_holds_for_the_brokers_near_it() -> None:
    project = lint({"bpm.yml": BPM, "kcheck.yaml": CLUSTER})
    assert capacity(project) == [("KC2001", "bpm.yml", (6, 19, 6, 23))]
    raised = lint({"bpm.yml": BPM.replace("1024", "100000"), "kcheck.yaml": CLUSTER})
    assert capacity(raised) == []


def test_what_a_declaration_says_of_its_hosts_wins() -> None:
    declared = CLUSTER.replace("brokers: 3", "brokers: 3, host: {nofile: 100000}")
    assert capacity(lint({"bpm.yml": BPM, "kcheck.yaml": declared})) == []


def test_without_brokers_a_limit_is_of_no_cluster() -> None:
    project = lint(
        {"sysctl.conf": SYSCTL, "a/topics.yaml": "topics:\n  - {name: a, partitions: 1}\n"}
    )
    assert [c.name for c in project.clusters] == ["a"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("sysctl.conf", "vm.swappiness=1\n"),
        ("limits.conf", "* hard core 0\n"),
        ("nginx.service", "[Service]\nLimitNOFILE=1\n"),
        ("app.conf", "vm.max_map_count=1\n"),
        ("bpm.yml", "processes:\n  - name: kafka\n"),
    ],
)
def test_other_files_are_nobodys(path: str, text: str) -> None:
    document = formats.read(path, text.encode(), lambda _: None)
    assert (document.format, document.resources) == (None, [])


STRIMZI = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaNodePool
metadata:
  name: pool
  labels: {strimzi.io/cluster: core}
spec:
  replicas: 3
  roles: [broker]
  jvmOptions: {-Xmx: 8g, -Xms: 1g}
  resources:
    limits: {memory: 8Gi, cpu: "2"}
  storage:
    type: jbod
    volumes:
      - {id: 0, size: 100Gi}
      - {id: 1, size: 100Gi}
---
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {name: core, annotations: {strimzi.io/node-pools: enabled}}
spec:
  kafka: {version: 4.1.0}
"""


def test_strimzis_pods_have_heap_memory_and_disks() -> None:
    document = formats.read("kafka.yaml", STRIMZI.encode(), lambda _: None)
    pool = document.resources[0]
    told = {name: pool.facts[name].amount for name in ("heap", "ram", "cores", "disk_size")}
    assert told == {"heap": 8 << 30, "ram": 8 << 30, "cores": 2, "disk_size": 100 << 30}
    assert pool.facts["disks"].text == "2"
    found = lint({"kafka.yaml": STRIMZI}).findings
    assert [(f.code, f.at) for f in found if f.code == "KC2005"] == [("KC2005", (9, 22, 9, 24))]


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("TimeoutStopSec=5", 5),
        ("TimeoutStopSec = 2min 30s", 150),
        ("TimeoutSec=90s", 90),
        ("TimeoutStopSec=infinity", None),
        ("TimeoutStopSec=0", None),
        ("TimeoutStopSec={{ stop }}", None),
        ("#TimeoutStopSec=5", None),
    ],
)
def test_the_time_of_a_unit_to_stop(line: str, seconds: int | None) -> None:
    unit = UNIT.replace("#LimitNOFILE=1", line)
    processes = formats.read("kafka.service", unit.encode(), lambda _: None).processes
    told = [one.grace.amount for one in processes if one.grace is not None]
    assert told == ([] if seconds is None else [seconds])


OVERLAID = """\
[Service]
EnvironmentFile=-/etc/default/kafka
Environment="KAFKA_HEAP_OPTS=-Xmx1g"
ExecStart=/opt/kafka/bin/kafka-server-start.sh /etc/kafka/server.properties
LimitNOFILE=4096
"""
DROPIN = "[Service]\n# more\nLimitNOFILE=100000\nTimeoutStopSec=10\n"
FOLDER = "host/etc/systemd/system/"


def unit_of(files: dict[str, str], path: str = f"{FOLDER}kafka.service") -> Document:
    held = {name: text.encode() for name, text in files.items()}
    folders = FolderNames(held)
    return formats.read(
        path,
        held[path],
        lambda name: folders.of(name[:-1]) if name.endswith("/") else held.get(name),
    )


def test_drop_ins_and_files_of_variables_go_over_their_unit() -> None:
    files = {
        f"{FOLDER}kafka.service": OVERLAID,
        f"{FOLDER}kafka.service.d/20-limits.conf": DROPIN,
        f"{FOLDER}kafka.service.d/10-limits.conf": "[Service]\nLimitNOFILE=7\nMemoryMax=4G\n",
        f"{FOLDER}kafka.service.d/README": "LimitNOFILE=8\n",
        "host/etc/default/kafka": "# heap\nKAFKA_HEAP_OPTS='-Xmx6g'\n",
    }
    document = unit_of(files)
    facts = document.resources[0].facts
    assert {key: one.amount for key, one in facts.items()} == {
        "nofile": 100000,
        "heap": 6 << 30,
        "ram": 4 << 30,
    }
    assert facts["nofile"].path.endswith("20-limits.conf") and facts["nofile"].at == (3, 13, 3, 19)
    assert facts["heap"].path == "host/etc/default/kafka" and facts["heap"].at == (2, 18, 2, 24)
    grace = document.processes[0].grace
    assert grace is not None and (grace.amount, grace.path) == (10, facts["nofile"].path)
    assert document.extent.covers == (
        f"{FOLDER}kafka.service.d/10-limits.conf",
        f"{FOLDER}kafka.service.d/20-limits.conf",
        "host/etc/default/kafka",
    )


@pytest.mark.parametrize(
    "named", ["/etc/default/kafka", "-/etc/default/kafka", "/etc/{{ env }}", "%h/kafka.env"]
)
def test_a_file_of_variables_that_is_not_here_may_set_the_heap(named: str) -> None:
    text = OVERLAID.replace("-/etc/default/kafka", named)
    assert "heap" not in unit_of({f"{FOLDER}kafka.service": text}).resources[0].facts
    taken_back = text.replace("ExecStart", "EnvironmentFile=\nExecStart")
    assert "heap" in unit_of({f"{FOLDER}kafka.service": taken_back}).resources[0].facts


def test_a_file_of_variables_beside_the_unit() -> None:
    files = {"files/kafka.service": OVERLAID, "files/kafka": "export KAFKA_HEAP_OPTS=-Xmx2g\n"}
    facts = unit_of(files, "files/kafka.service").resources[0].facts
    assert facts["heap"].amount == 1 << 30  # systemd knows no export
    files["files/kafka"] = "KAFKA_HEAP_OPTS=-Xmx2g\n"
    assert unit_of(files, "files/kafka.service").resources[0].facts["heap"].amount == 2 << 30
