"""Writes a fleet to audit: many clusters in the formats that people use, always the same.

    python benchmarks/make_fleet.py DIR [--clusters 1000] [--topics 50] [--faults 0.1]
                                        [--corrupt 0.01] [--drift 0.02] [--seed 1]
                                        [--formats kraft zookeeper strimzi compose]

DIR/fleet holds a folder per cluster, DIR/inventory.csv what is known of each, DIR/answers.jsonl
the planted faults (cluster, rule, path), corrupt files and strays. A cluster in which nothing is
planted has no error and no warning.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

KRAFT, ZOOKEEPER, STRIMZI, COMPOSE = "kraft", "zookeeper", "strimzi", "compose"
FORMATS = (KRAFT, KRAFT, ZOOKEEPER, STRIMZI, COMPOSE)
VERSIONS = {
    KRAFT: ("3.8.1", "3.9.1", "4.0.0", "4.1.1"),
    ZOOKEEPER: ("3.4.1", "3.6.2", "3.7.2"),
    STRIMZI: ("3.9.1", "4.0.0", "4.1.0"),
    COMPOSE: ("3.9.1", "4.1.1"),
}
ENVIRONMENTS = ("production", "production", "development")
OWNERS = ("payments", "search", "platform", "logistics")
REGIONS = ("eu-central", "us-east")

#: The house's norm, from which strays are planted.
THREADS, STRAY_THREADS = "8", "3"


class Cluster:
    """One cluster's files, before they are written."""

    def __init__(
        self, number: int, seed: int, topics: int, formats: Sequence[str] = FORMATS
    ) -> None:
        self.number = number
        self.name = f"c{number:06d}"
        self.random = random.Random(f"{seed}/{number}")
        pick = self.random.choice
        self.format = pick(formats)
        self.version = pick(VERSIONS[self.format])
        self.environment = pick(ENVIRONMENTS)
        self.owner = pick(OWNERS)
        self.region = pick(REGIONS)
        self.threads = THREADS
        self.topics = [self._topic(at) for at in range(topics)]
        self.brokers: dict[str, str] = {
            "default.replication.factor": "3",
            "min.insync.replicas": "2",
            "offsets.topic.replication.factor": "3",
            "transaction.state.log.replication.factor": "3",
            "transaction.state.log.min.isr": "2",
            "auto.create.topics.enable": "false",
            "unclean.leader.election.enable": "false",
            "num.io.threads": "16",
        }
        self.producer: dict[str, str] = {"acks": "all", "enable.idempotence": "true"}
        self.consumer: dict[str, str] = {"group.id": f"billing-{self.name}"}
        self.files: dict[str, bytes] = {}

    def _topic(self, at: int) -> dict[str, object]:
        hours = self.random.choice((24, 72, 168))
        return {
            "name": f"{self.random.choice(('orders', 'clicks', 'audit', 'stock'))}-{at:05d}",
            "partitions": self.random.choice((6, 12, 24)),
            "replicas": 3,
            "config": {"retention.ms": str(hours * 3_600_000), "min.insync.replicas": "2"},
        }

    def build(self) -> None:
        """Make the files of what the cluster now says."""
        self.brokers["num.network.threads"] = self.threads
        {
            KRAFT: self._kraft,
            ZOOKEEPER: self._zookeeper,
            STRIMZI: self._strimzi,
            COMPOSE: self._compose,
        }[self.format]()
        if self.format in (KRAFT, ZOOKEEPER):
            self._put("clients/checkout-producer.properties", _properties(self._producer()))
            self._put("clients/billing-consumer.properties", _properties(self._consumer()))

    def _producer(self) -> dict[str, str]:
        return {
            "bootstrap.servers": ",".join(f"{h}:9092" for h in self._hosts()),
            "security.protocol": "SSL",
            "key.serializer": "org.apache.kafka.common.serialization.StringSerializer",
            "value.serializer": "org.apache.kafka.common.serialization.StringSerializer",
            **self.producer,
        }

    def _consumer(self) -> dict[str, str]:
        return {
            "bootstrap.servers": ",".join(f"{h}:9092" for h in self._hosts()),
            "security.protocol": "SSL",
            "key.deserializer": "org.apache.kafka.common.serialization.StringDeserializer",
            "value.deserializer": "org.apache.kafka.common.serialization.StringDeserializer",
            **self.consumer,
        }

    def _hosts(self) -> list[str]:
        return [f"b{node}.{self.name}.example.com" for node in (1, 2, 3)]

    def _put(self, path: str, text: str) -> None:
        self.files[path] = text.encode()

    def _declaration(self) -> None:
        self._put(
            "kcheck.yaml",
            "kcheck: 1\n"
            "cluster:\n"
            f"  name: {self.name}\n"
            f'  kafka_version: "{self.version}"\n'
            f"  environment: {self.environment}\n"
            "  brokers: 3\n",
        )
        lines = ["topics:"]
        for topic in self.topics:
            lines += [
                f"  - name: {topic['name']}",
                f"    partitions: {topic['partitions']}",
                f"    replication_factor: {topic['replicas']}",
                "    config:",
            ]
            config = topic["config"]
            assert isinstance(config, dict)
            lines += [f"      {key}: {value}" for key, value in config.items()]
        if self.topics:
            self._put("topics.yaml", "\n".join(lines) + "\n")

    def _kraft(self) -> None:
        self._declaration()
        hosts = self._hosts()
        for node, host in enumerate(hosts, 1):
            self._put(
                f"brokers/server-{node}.properties",
                _properties(
                    {
                        "process.roles": "broker",
                        "node.id": str(node),
                        "controller.quorum.voters": ",".join(
                            f"{100 + n}@q{n}.{self.name}.example.com:9093" for n in (1, 2, 3)
                        ),
                        "controller.listener.names": "CONTROLLER",
                        "listeners": "INTERNAL://:9092",
                        "advertised.listeners": f"INTERNAL://{host}:9092",
                        "listener.security.protocol.map": "CONTROLLER:SSL,INTERNAL:SSL",
                        "inter.broker.listener.name": "INTERNAL",
                        "ssl.keystore.type": "PEM",
                        "ssl.keystore.location": "/etc/kafka/broker.pem",
                        "broker.rack": f"rack-{node}",
                        "log.dirs": "/var/lib/kafka/1,/var/lib/kafka/2",
                        **self.brokers,
                    }
                ),
            )

    def _zookeeper(self) -> None:
        self._declaration()
        for node, host in enumerate(self._hosts(), 1):
            self._put(
                f"brokers/server-{node}.properties",
                _properties(
                    {
                        "broker.id": str(node),
                        "zookeeper.connect": ",".join(
                            f"zk{n}.{self.name}.example.com:2181" for n in (1, 2, 3)
                        ),
                        "listeners": "SSL://:9092",
                        "advertised.listeners": f"SSL://{host}:9092",
                        "security.inter.broker.protocol": "SSL",
                        "ssl.keystore.type": "PEM",
                        "ssl.keystore.location": "/etc/kafka/broker.pem",
                        "broker.rack": f"rack-{node}",
                        "log.dirs": "/var/lib/kafka/1,/var/lib/kafka/2",
                        **self.brokers,
                    }
                ),
            )

    def _strimzi(self) -> None:
        config = "".join(f"      {key}: {value}\n" for key, value in self.brokers.items())
        self._put(
            "kafka.yaml",
            f"""\
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata:
  name: {self.name}
  namespace: {self.name}
spec:
  kafka:
    version: {self.version}
    listeners:
      - name: tls
        port: 9093
        type: internal
        tls: true
    config:
{config}""",
        )
        self._put(
            "pool.yaml",
            f"""\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaNodePool
metadata:
  name: nodes
  namespace: {self.name}
  labels:
    strimzi.io/cluster: {self.name}
spec:
  replicas: 3
  roles: [controller, broker]
  storage:
    type: persistent-claim
    size: 100Gi
""",
        )
        documents: list[str] = []
        for topic in self.topics:
            config = topic["config"]
            assert isinstance(config, dict)
            documents.append(
                f"""\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata:
  name: {topic["name"]}
  namespace: {self.name}
  labels:
    strimzi.io/cluster: {self.name}
spec:
  partitions: {topic["partitions"]}
  replicas: {topic["replicas"]}
  config:
"""
                + "".join(f"    {key}: {value}\n" for key, value in config.items())
            )
        if documents:
            self._put("topics.yaml", "---\n".join(documents))

    def _compose(self) -> None:
        lines = ["services:"]
        for node in (1, 2, 3):
            settings = {
                "process.roles": "broker,controller",
                "node.id": str(node),
                "controller.quorum.voters": "1@k1:9093,2@k2:9093,3@k3:9093",
                "controller.listener.names": "CONTROLLER",
                "listeners": "INTERNAL://:9092,CONTROLLER://:9093",
                "advertised.listeners": f"INTERNAL://k{node}:9092",
                "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT",
                "inter.broker.listener.name": "INTERNAL",
                "log.dirs": "/var/lib/kafka/data",
                **self.brokers,
            }
            lines += [
                f"  k{node}:",
                f"    image: apache/kafka:{self.version}",
                f"    hostname: k{node}",
                "    volumes:",
                f"      - k{node}:/var/lib/kafka/data",
                "    environment:",
            ]
            lines += [
                f'      KAFKA_{key.upper().replace(".", "_")}: "{value}"'
                for key, value in settings.items()
            ]
        lines += ["volumes:", *(f"  k{node}: {{}}" for node in (1, 2, 3))]
        self._put("docker-compose.yml", "\n".join(lines) + "\n")


def _properties(settings: dict[str, str]) -> str:
    return "".join(f"{key}={value}\n" for key, value in settings.items())


# -- what is planted ------------------------------------------------------------------------

Fault = Callable[[Cluster], str]


def _acks(cluster: Cluster) -> str:
    cluster.producer = {
        "acks": "1",
        "enable.idempotence": "false",
        "max.in.flight.requests.per.connection": "1",
    }
    return "clients/checkout-producer.properties"


def _session(cluster: Cluster) -> str:
    cluster.consumer["heartbeat.interval.ms"] = "60000"
    return "clients/billing-consumer.properties"


def _replicas(cluster: Cluster) -> str:
    cluster.topics[0]["replicas"] = 5
    return "topics.yaml"


def _min_isr(cluster: Cluster) -> str:
    config = cluster.topics[0]["config"]
    assert isinstance(config, dict)
    config["min.insync.replicas"] = "4"
    return "topics.yaml"


#: Rule → (formats in which it is planted, what plants it and tells the path).
FAULTS: dict[str, tuple[tuple[str, ...], Fault]] = {
    "KC0307": ((KRAFT, ZOOKEEPER), _acks),
    "KC0903": ((KRAFT, ZOOKEEPER), _session),
    "KC0304": ((KRAFT, ZOOKEEPER, STRIMZI), _replicas),
    "KC0302": ((KRAFT, ZOOKEEPER, STRIMZI), _min_isr),
}

CORRUPT: dict[str, bytes] = {
    "broken.yaml": b"apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaTopic\nspec: [{\n",
    "random.properties": bytes(range(256)) * 16,
    "empty.properties": b"",
    "bomb.yaml": b"a: &a [kafka, kafka]\n"
    + b"".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}, *{chr(97 + n)}]\n".encode()
        for n in range(20)
    ),
}


def make(
    number: int,
    seed: int,
    topics: int,
    faults: float,
    corrupt: float,
    drift: float,
    formats: Sequence[str] = FORMATS,
) -> tuple[Cluster, list[dict[str, str]]]:
    """One cluster and what was planted in it."""
    cluster = Cluster(number, seed, topics, formats)
    dice = random.Random(f"{seed}/{number}/plant")
    answers: list[dict[str, str]] = []
    if dice.random() < faults:
        possible = [rule for rule, (formats, _) in FAULTS.items() if cluster.format in formats]
        possible = [rule for rule in possible if topics or rule not in ("KC0304", "KC0302")]
        if possible:
            rule = dice.choice(possible)
            path = FAULTS[rule][1](cluster)
            answers.append({"kind": "fault", "cluster": cluster.name, "rule": rule, "path": path})
    if dice.random() < drift:
        cluster.threads = STRAY_THREADS
        answers.append({"kind": "stray", "cluster": cluster.name, "key": "num.network.threads"})
    cluster.build()
    if dice.random() < corrupt:
        name = dice.choice(sorted(CORRUPT))
        cluster.files[name] = CORRUPT[name]
        answers.append({"kind": "corrupt", "cluster": cluster.name, "path": name})
    return cluster, answers


def write_topics(folder: Path, count: int) -> None:
    """A cluster of so many topics, as their declaration has them."""
    (folder / "kcheck.yaml").write_text(
        f'kcheck: 1\ncluster: {{name: {folder.name}, kafka_version: "4.0.0", brokers: 6}}\n'
    )
    topics = (
        f"  - {{name: orders-{n}, partitions: {1 + n % 48}, replication_factor: 3}}\n"
        for n in range(count)
    )
    (folder / "topics.yaml").write_text("topics:\n" + "".join(topics))


def write(
    root: Path,
    clusters: int,
    *,
    topics: int = 50,
    faults: float = 0.1,
    corrupt: float = 0.0,
    drift: float = 0.0,
    seed: int = 1,
    formats: Sequence[str] = FORMATS,
) -> list[dict[str, str]]:
    """Write the fleet below ``root``; gives the answers, which are written, too."""
    fleet = root / "fleet"
    fleet.mkdir(parents=True, exist_ok=True)
    told: list[dict[str, str]] = []
    known = ["cluster,environment,owner,region,kafka_version"]
    for number in range(clusters):
        cluster, answers = make(number, seed, topics, faults, corrupt, drift, formats)
        for path, data in cluster.files.items():
            file = fleet / cluster.name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        told += answers
        known.append(
            f"{cluster.name},{cluster.environment},{cluster.owner},{cluster.region},"
            f"{cluster.version}"
        )
    (root / "inventory.csv").write_text("\n".join(known) + "\n")
    (root / "answers.jsonl").write_text("".join(json.dumps(a) + "\n" for a in told))
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dir", type=Path)
    parser.add_argument("--clusters", type=int, default=1000)
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--faults", type=float, default=0.1)
    parser.add_argument("--corrupt", type=float, default=0.01)
    parser.add_argument("--drift", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--formats", nargs="+", default=FORMATS, choices=sorted(VERSIONS))
    given = parser.parse_args()
    write(
        given.dir,
        given.clusters,
        topics=given.topics,
        faults=given.faults,
        corrupt=given.corrupt,
        drift=given.drift,
        seed=given.seed,
        formats=given.formats,
    )


if __name__ == "__main__":
    main()
