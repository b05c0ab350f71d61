"""KC11: the address of the ensemble that brokers in ZooKeeper mode connect to."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Broker
from kcheck.model import WARNING, Finding
from kcheck.rule import rule

_CONNECT = "zookeeper.connect"


@rule("KC1157", "zookeeper-chroot-per-host", WARNING, on=(_CONNECT,), versions="≤3.9")
def zookeeper_chroot_per_host(broker: Broker) -> Iterator[Finding]:
    """zookeeper.connect has the chroot after each host instead of once, after the last.

    ZooKeeper's client takes everything behind the first slash as the chroot: only the hosts before it
    are servers, and the others are a part of the path. The broker depends on one server, and brokers
    whose lists differ register in different places.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181/kafka,zk2:2181/kafka,zk3:2181/kafka
    Bad: in the environment of an image
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zk-1.example.com:2181/kafka,zk-2.example.com:2181/kafka
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181,zk2:2181,zk3:2181/kafka
    """
    connect = broker[_CONNECT]
    before, _, behind = (connect.text or "").partition("/")
    lost = [one.partition("/")[0].strip() for one in behind.split(",")[1:]]
    if not any(":" in one for one in lost):
        return
    root = behind.partition(",")[0].strip()
    without = f"{', '.join(lost)} {'is no server' if len(lost) == 1 else 'are no servers'}"
    servers = [*(one.strip() for one in before.split(",")), *lost]
    yield broker.finding(
        f"{broker}: in zookeeper.connect everything behind the first slash is the chroot, "
        f"/{behind.strip()}",
        at=connect,
        breaks=f"{without}: without {before.strip()} the broker has no ensemble"
        if "," not in before
        else f"{without}, and the broker registers below another path",
        fix="write the chroot once, behind the last host",
        set_to=f"{','.join(servers)}/{root}",
    )
