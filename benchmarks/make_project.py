"""Writes the benchmark's project: many KafkaTopic files and some broker files, always the same.

The topics share two hundred different configurations, or none with ``--distinct``; one topic in a
hundred has a fault.

    python benchmarks/make_project.py DIR [--topics 10000] [--brokers 20] [--own-yaml] [--distinct]

``--own-yaml`` writes each topic as a kcheck declaration instead of a Strimzi resource.
"""

from __future__ import annotations

import argparse
from pathlib import Path

_STRIMZI = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata:
  name: {name}
  labels:
    strimzi.io/cluster: bench
spec:
  partitions: {partitions}
  replicas: 3
  config:
    {retention}
    segment.bytes: {segment}
    min.insync.replicas: 2
    cleanup.policy: {policy}
    max.message.bytes: 1048588
"""

_OWN = """\
topics:
  - name: {name}
    partitions: {partitions}
    replication_factor: 3
    config:
      {retention}
      segment.bytes: {segment}
      min.insync.replicas: 2
      cleanup.policy: {policy}
      max.message.bytes: 1048588
"""

_CLUSTER = """\
kcheck: 1
cluster: {name: bench, kafka_version: "4.1", environment: production, brokers: %d}
"""

_BROKER = """\
process.roles=broker
node.id={node}
controller.quorum.voters=101@c1:9093,102@c2:9093,103@c3:9093
controller.listener.names=CONTROLLER
listeners=INTERNAL://:9092,EXTERNAL://:9094
advertised.listeners=INTERNAL://b{node}.example.com:9092,EXTERNAL://b{node}.example.com:9094
listener.security.protocol.map=CONTROLLER:SSL,INTERNAL:SSL,EXTERNAL:SASL_SSL
inter.broker.listener.name=INTERNAL
broker.rack=r{rack}
log.dirs=/data/1,/data/2
num.network.threads=8
num.io.threads=16
default.replication.factor=3
min.insync.replicas=2
offsets.topic.replication.factor=3
transaction.state.log.replication.factor=3
transaction.state.log.min.isr=2
auto.create.topics.enable=false
log.retention.hours=168
log.segment.bytes=1073741824
"""


def write(root: Path, topics: int, brokers: int, own: bool, distinct: bool = False) -> None:
    """Write the project below ``root``, topics in folders of a thousand."""
    template = _OWN if own else _STRIMZI
    for number in range(topics):
        folder = root / "topics" / f"{number // 1000:02d}"
        folder.mkdir(parents=True, exist_ok=True)
        kind = number if distinct else number % 200
        compacted = kind % 4 == 3
        lasting = f"retention.ms: {86_400_000 * (1 + kind % 30)}"
        text = template.format(
            name=f"topic-{number:05d}",
            partitions=3 + kind % 30,
            retention="delete.retention.ms: 172800000" if compacted else lasting,
            # One topic in a hundred has a fault: segments that do not hold a message.
            segment=1_048_576 if number % 100 == 0 else 536_870_912 + kind,
            policy="compact" if compacted else "delete",
        )
        (folder / f"topic-{number:05d}.yaml").write_text(text)
    folder = root / "brokers"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kcheck.yaml").write_text(_CLUSTER % brokers)
    for node in range(1, brokers + 1):
        (folder / f"server-{node}.properties").write_text(
            _BROKER.format(node=node, rack="abc"[node % 3])
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dir", type=Path)
    parser.add_argument("--topics", type=int, default=10_000)
    parser.add_argument("--brokers", type=int, default=20)
    parser.add_argument("--own-yaml", action="store_true")
    parser.add_argument("--distinct", action="store_true")
    given = parser.parse_args()
    write(given.dir, given.topics, given.brokers, given.own_yaml, given.distinct)


if __name__ == "__main__":
    main()
