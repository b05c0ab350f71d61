"""``--since-state FILE``: a cluster as its own tools describe it, or as somebody declared it, is the old state.

What the repository means to apply is compared with what runs: the same dangers are told whichever
tool printed the state, and what is alike in other words stays silent.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kcheck.__main__ import main

TOPICS = """\
Topic: orders\tTopicId: neWFKQGOQ7OHhhBIMsSZFQ\tPartitionCount: 12\tReplicationFactor: 3\tConfigs: \
min.insync.replicas=2,cleanup.policy=delete,retention.ms=604800000
\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\tElr: \tLastKnownElr:\x20
Topic: accounts\tTopicId: X2YwnwW_SZGWQkHjV7QiYQ\tPartitionCount: 6\tReplicationFactor: 3\tConfigs: \
cleanup.policy=compact,delete
"""
OLD_TOPICS = """\
Topic:orders\tPartitionCount:12\tReplicationFactor:3\tConfigs:\
min.insync.replicas=2,cleanup.policy=delete,retention.ms=604800000
\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3
Topic:accounts\tPartitionCount:6\tReplicationFactor:3\tConfigs:cleanup.policy=compact,delete
"""
CONFIGS = """\
Dynamic configs for topic orders are:
  min.insync.replicas=2 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:min.insync.replicas=2, \
DEFAULT_CONFIG:min.insync.replicas=1}
  retention.ms=604800000 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=604800000}
  cleanup.policy=delete sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:cleanup.policy=delete, \
DEFAULT_CONFIG:log.cleanup.policy=delete}
Dynamic configs for topic accounts are:
  cleanup.policy=compact,delete sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:cleanup.policy=\
compact,delete, DEFAULT_CONFIG:log.cleanup.policy=delete}
"""
OLD_CONFIGS = """\
Configs for topic 'orders' are min.insync.replicas=2,cleanup.policy=delete,retention.ms=604800000
Configs for topic 'accounts' are cleanup.policy=compact,delete
"""
DECLARED = """\
topics:
  - {name: orders, partitions: 12, replication_factor: 3,
     config: {min.insync.replicas: 2, cleanup.policy: delete, retention.ms: 604800000}}
  - {name: accounts, partitions: 6, replication_factor: 3, config: {cleanup.policy: "compact,delete"}}
"""
STATES = {
    "kafka-topics": ("live.txt", TOPICS),
    "old kafka-topics": ("live.txt", OLD_TOPICS),
    "kafka-configs": ("live.txt", CONFIGS),
    "old kafka-configs": ("live.txt", OLD_CONFIGS),
    "declared": ("kcheck.yaml", DECLARED),
}
#: kafka-configs does not tell of partitions and replicas.
COUNTED = ("kafka-topics", "old kafka-topics", "declared")

TOPIC = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata: {{name: {name}, labels: {{strimzi.io/cluster: core}}}}
spec:
  partitions: {partitions}
  replicas: {replicas}
  config:
"""
WANTED = (
    TOPIC.format(name="orders", partitions=12, replicas=3)
    + "    min.insync.replicas: 2\n    cleanup.policy: delete\n    retention.ms: 604800000\n---\n"
    + TOPIC.format(name="accounts", partitions=6, replicas=3)
    + "    cleanup.policy: compact,delete\n"
)
DANGEROUS = {
    "retention": ("604800000", "86400000", "KC1905", 10),
    "a table": ("policy: delete", "policy: compact", "KC1904", 9),
    "fewer in sync": ("replicas: 2", "replicas: 1", "KC1908", 8),
}
COUNTS = {
    "fewer partitions": ("partitions: 12", "partitions: 6", "KC1901", 5),
    "more of a table": ("partitions: 6", "partitions: 8", "KC1902", 16),
    "one copy": ("replicas: 3\n  config:\n    min", "replicas: 1\n  config:\n    min", "KC1903", 6),
}
HARMLESS = {
    "nothing": ("", ""),
    "longer": ("604800000", "1209600000"),
    "quoted": ("604800000", '"604800000"'),
    "more in sync": ("replicas: 2", "replicas: 3"),
    "left to the operator": ("  partitions: 12\n  replicas: 3\n", ""),
    "filled in": ("604800000", "${RETENTION}"),
    "one that is new": ("---\n", "---\n" + TOPIC.format(name="refunds", partitions=6, replicas=3)
                        + "    retention.ms: 1000000\n---\n"),
    "one more setting": ("    retention.ms", "    max.message.bytes: 2097152\n    retention.ms"),
    "a list in another order": ("compact,delete", '"delete, compact"'),
}  # fmt: skip


@pytest.fixture
def against(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    (tmp_path / "live").mkdir()
    (tmp_path / "wanted").mkdir()
    monkeypatch.chdir(tmp_path / "wanted")

    def told(state: tuple[str, str], files: dict[str, str]) -> list[tuple[str, str, int]]:
        name, text = state
        (tmp_path / "live" / name).write_text(text)
        for path, wanted in files.items():
            Path(path).write_text(wanted)
        arguments = ["--since-state", f"../live/{name}", "--output", "json", "--select", "KC19"]
        assert main(["lint", *arguments, "--isolated", "."]) in (0, 1)
        found = json.loads(capsys.readouterr().out)["findings"]
        return [(f["rule"], f["path"], f["line"]) for f in found]

    return told


def edited(old: str, new: str) -> dict[str, str]:
    assert not old or WANTED.count(old) == 1
    return {"topics.yaml": WANTED.replace(old, new) if old else WANTED}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", DANGEROUS)
def test_what_the_brokers_would_do(name: str, state: str, against) -> None:  # type: ignore[no-untyped-def]
    old, new, rule, line = DANGEROUS[name]
    assert against(STATES[state], edited(old, new)) == [(rule, "topics.yaml", line)]


@pytest.mark.parametrize("state", COUNTED)
@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str, state: str, against) -> None:  # type: ignore[no-untyped-def]
    old, new, rule, line = COUNTS[name]
    assert against(STATES[state], edited(old, new)) == [(rule, "topics.yaml", line)]


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_harmless(name: str, state: str, against) -> None:  # type: ignore[no-untyped-def]
    assert against(STATES[state], edited(*HARMLESS[name])) == []


def test_only_a_declared_state_says_what_is_meant_to_be_there(against) -> None:  # type: ignore[no-untyped-def]
    """A cluster has topics that no file declares; a declaration without one takes it away."""
    wanted = {"topics.yaml": WANTED.partition("---\n")[0]}
    for name in STATES:
        gone = against(STATES[name], wanted)
        assert [rule for rule, _, _ in gone] == (["KC1906"] if name == "declared" else [])


SERVER = """\
broker.id=1
zookeeper.connect=zk1:2181
log.dirs=/data
listeners=PLAINTEXT://k1:9092
log.retention.hours=168
min.insync.replicas=2
"""
BROKER = """\
All configs for broker 1 are:
  broker.id=1 sensitive=false synonyms={STATIC_BROKER_CONFIG:broker.id=1, DEFAULT_CONFIG:broker.id=-1}
  listeners=PLAINTEXT://k1:9092 sensitive=false synonyms={STATIC_BROKER_CONFIG:listeners=PLAINTEXT://k1:9092, DEFAULT_CONFIG:listeners=PLAINTEXT://:9092}
  log.retention.hours=168 sensitive=false synonyms={STATIC_BROKER_CONFIG:log.retention.hours=168, DEFAULT_CONFIG:log.retention.hours=168}
  min.insync.replicas=2 sensitive=false synonyms={STATIC_BROKER_CONFIG:min.insync.replicas=2, DEFAULT_CONFIG:min.insync.replicas=1}
  ssl.keystore.password=null sensitive=true synonyms={}
"""
BROKERS = {
    "kafka-configs": ("live.txt", BROKER),
    "a server.properties": ("server.properties", SERVER),
}


@pytest.mark.parametrize("state", BROKERS)
def test_brokers(state: str, against) -> None:  # type: ignore[no-untyped-def]
    def rules(text: str) -> set[str]:
        return {rule for rule, _, _ in against(BROKERS[state], {"server.properties": text})}

    assert rules(SERVER) == set()
    assert rules(SERVER.replace("log.retention.hours=168", "log.retention.ms=604800000")) == set()
    assert rules(SERVER + "num.io.threads=16\n") == set()
    assert rules(SERVER.replace("hours=168", "hours=24")) == {"KC1905"}
    assert rules(SERVER.replace("k1:9092", "k1:9093")) == {"KC1910"}
    assert rules(SERVER.replace("replicas=2", "replicas=1")) == {"KC1908"}


def test_what_a_cluster_was_told_while_it_ran(against) -> None:  # type: ignore[no-untyped-def]
    """Dynamic defaults alone, as ``--entity-default`` prints them, are no broker to compare with."""
    text = (
        "Default configs for brokers in the cluster are:\n"
        "  log.retention.ms=604800000 sensitive=false synonyms={DYNAMIC_DEFAULT_BROKER_CONFIG:"
        "log.retention.ms=604800000, DEFAULT_CONFIG:log.retention.hours=168}\n"
    )
    assert against(("live.txt", text), {"server.properties": SERVER}) == []
