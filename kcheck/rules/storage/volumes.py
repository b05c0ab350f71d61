"""KC07: the volumes of a containerised broker and the directories that it writes to."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from kcheck.endpoints import split
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Broker
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.rule import rule
from kcheck.rules.shared.volumes import (
    DECLARING,
    OWN_VOLUME,
    dirs_of,
    innermost,
    mounted,
    volumes_of,
)
from kcheck.wording import plain

#: The values of Kafka's sample files, which quick starts repeat.
_SAMPLES = ("/tmp/kafka-logs", "/tmp/kraft-combined-logs", "/tmp/kraft-broker-logs")


#: Words in the path of a volume that is for something else than records.
_OTHER_USES = ("secret", "cert", "ssl", "config", "conf", "jmx", "plugin", "jar", "lib/ext", "etc")


def _hidden(broker: Broker, path: str) -> tuple[str, str] | None:
    """The volume of a compose file that the image's own one hides from the path."""
    inside = f"{path}/".startswith(f"{OWN_VOLUME}/")
    if not inside or broker.resource.traits.image_family not in DECLARING:
        return None
    found = _covering(volumes_of(broker), path)
    above = found is not None and found[1].rstrip("/") in ("/var/lib/kafka", "/var/lib")
    return found if above else None


def _covering(volumes: Sequence[tuple[str, str]], path: str) -> tuple[str, str] | None:
    """The volume that holds the path: the innermost mount above it."""
    return innermost(mounted(volumes), path)


@rule(
    "KC0731",
    "log-dirs-no-volume",
    WARNING,
    broker_side=True,
    invariants=("log-dirs-tmp",),
)
def log_dirs_no_volume(broker: Broker) -> Iterator[Finding]:
    """A container keeps its data where no volume is mounted.

    A volume is declared, but the broker writes beside it; or log.dirs was set to a place under
    /tmp in the container. With the container the data goes, and the broker's identity. A compose
    file without any volume that leaves log.dirs alone, or at the value of Kafka's sample files, is
    a try-out and not reported unless the cluster is in production.

    Bad: the volume is somewhere else
        --- docker-compose.yml
        services:
          kafka:
            image: wurstmeister/kafka:2.13-2.8.1
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_LOG_DIRS: /kafka/logs
            volumes: ["kdata:/kafka-volume"]
        volumes: {kdata: {}}
    Bad: under /tmp
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.0
            environment:
              KAFKA_CFG_NODE_ID: "0"
              KAFKA_CFG_PROCESS_ROLES: controller,broker
              KAFKA_CFG_LOG_DIRS: /tmp/kraft-logs
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: wurstmeister/kafka:2.13-2.8.1
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_LOG_DIRS: /kafka/logs
            volumes: ["kdata:/kafka", "/etc/localtime:/etc/localtime"]
        volumes: {kdata: {}}
    Bad: above the image's own volume
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zookeeper:2181"}
            volumes: ["kdata:/var/lib/kafka"]
        volumes: {kdata: {}}
    Good: a quick start
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.8.0
            environment:
              KAFKA_NODE_ID: "1"
              KAFKA_PROCESS_ROLES: controller,broker
              KAFKA_LOG_DIRS: /tmp/kraft-combined-logs
    Good: a volume for something else, the image's own directories
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.0.0
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zookeeper:2181"}
            volumes: ["up-flag:/data"]
        volumes: {up-flag: {}}
    Good: a volume for secrets alone
        --- docker-compose.yml
        services:
          kafka:
            image: wurstmeister/kafka:2.13-2.8.1
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_LOG_DIRS: /kafka/logs
            volumes: ["kafka-secrets:/etc/kafka/secrets"]
        volumes: {kafka-secrets: {}}
    """
    if "image" not in broker.resource.facts:
        return
    volumes = volumes_of(broker)
    for path in dirs_of(broker):
        hidden = _hidden(broker, path)
        if hidden is not None:
            yield broker.finding(
                f"{broker} has {hidden[0] or 'a volume'} at {hidden[1]}, and the image a volume of its "
                f"own at {OWN_VOLUME}, which lies over it",
                at=broker["log.dirs"],
                because=(broker.fact("volumes"),),
                breaks="the data goes to a volume without a name, which docker compose down leaves behind",
                fix=f"mount the volume at {OWN_VOLUME}",
            )
            return
    mounts = mounted(volumes)
    bare = [path for path in dirs_of(broker) if innermost(mounts, path) is None]
    if not bare:
        return
    dirs = broker["log.dirs"]
    chosen = _by_hand(broker, bare)
    meant = [(source, mount) for source, mount in volumes if _for_data(source, mount, chosen)]
    breaks = "the replicas of the broker are gone when its container is recreated"
    if meant:
        source, mount = meant[0]
        yield broker.finding(
            f"{plain(dirs)} lies outside the volume {source} at {mount}",
            at=dirs,
            because=(broker.fact("volumes"),),
            breaks=breaks,
            fix=f"mount {source} at {bare[0]}, or set log.dirs below {mount}",
        )
    elif any(f"{path}/".startswith("/tmp/") for path in bare) and chosen:
        yield broker.finding(
            f"{plain(dirs)} lies in the container, where no volume is mounted",
            at=dirs,
            breaks=breaks,
            fix=f"mount a volume at {bare[0]}, or leave log.dirs to the image and mount one there",
            severity=WARNING if broker.cluster.production else INFO,
        )


def _for_data(source: str, mount: str, chosen: bool) -> bool:
    """Whether the volume is a named one, and for records by all that its names say.

    Where the image chose the directories, which are volumes of the image's own then, the names
    must say Kafka.
    """
    named = bool(source) and not source.startswith((".", "/", "~"))
    words = f"{source}{mount}".lower()
    if not named or any(use in words for use in _OTHER_USES):
        return False
    return chosen or "kafka" in words or "broker" in words


def _by_hand(broker: Broker, paths: list[str]) -> bool:
    """Whether somebody chose the directories: neither the image nor a sample file did."""
    key = broker["log.dirs"].from_key
    if broker.resource.image.get(key) is broker.merged.get(key):
        return False
    return broker.cluster.production or not all(path in _SAMPLES for path in paths)


@rule(
    "KC0732",
    "log-dirs-shared",
    ERROR,
    broker_side=True,
)
def log_dirs_shared(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Two brokers write to one directory.

    The same volume and the same path in it: the second broker finds the directory locked, or
    formatted for another id, and stops.

    Bad:
        --- docker-compose.yml
        services:
          kafka1:
            image: wurstmeister/kafka:2.13-2.8.1
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zk:2181", KAFKA_LOG_DIRS: /kafka/logs}
            volumes: ["kdata:/kafka"]
          kafka2:
            image: wurstmeister/kafka:2.13-2.8.1
            environment: {KAFKA_BROKER_ID: 2, KAFKA_ZOOKEEPER_CONNECT: "zk:2181", KAFKA_LOG_DIRS: /kafka/logs}
            volumes: ["kdata:/kafka"]
    Good: a directory each
        --- docker-compose.yml
        services:
          kafka1:
            image: wurstmeister/kafka:2.13-2.8.1
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zk:2181", KAFKA_LOG_DIRS: /kafka/logs-1}
            volumes: ["kdata:/kafka"]
          kafka2:
            image: wurstmeister/kafka:2.13-2.8.1
            environment: {KAFKA_BROKER_ID: 2, KAFKA_ZOOKEEPER_CONNECT: "zk:2181", KAFKA_LOG_DIRS: /kafka/logs-2}
            volumes: ["kdata:/kafka"]
    Good: a volume each
        --- docker-compose.yml
        services:
          kafka1:
            image: wurstmeister/kafka:2.13-2.8.1
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zk:2181", KAFKA_LOG_DIRS: /kafka/logs}
            volumes: ["kdata1:/kafka"]
          kafka2:
            image: wurstmeister/kafka:2.13-2.8.1
            environment: {KAFKA_BROKER_ID: 2, KAFKA_ZOOKEEPER_CONNECT: "zk:2181", KAFKA_LOG_DIRS: /kafka/logs}
            volumes: ["kdata2:/kafka"]
    """
    first: dict[tuple[str, str, str], Broker] = {}
    for broker in (*cluster.brokers, *cluster.separate_controllers):
        for path in dirs_of(broker):
            volume = _covering(volumes_of(broker), path)
            if volume is None or not volume[0]:
                continue
            inside = posixpath.relpath(path, posixpath.normpath(volume[1]))
            key = (broker.resource.path, volume[0], inside)
            other = first.setdefault(key, broker)
            if other is not broker:
                yield broker.finding(
                    f"{other} and {broker} both keep their data in {volume[0]} at {path}",
                    at=broker["log.dirs"],
                    because=(broker.fact("volumes"), other["log.dirs"], other.fact("volumes")),
                    breaks="the broker that starts second finds the directory locked, or formatted "
                    "for another id, and stops",
                    fix="give every broker a volume of its own",
                )
                break


@rule("KC0760", "zookeeper-volume", WARNING, broker_side=True, versions="≤3.9, ZooKeeper mode")
def zookeeper_volume(broker: Broker) -> Iterator[Finding]:
    """Kafka's data outlives its container, and that of its ZooKeeper does not.

    The broker keeps the cluster's id in its data directory. A ZooKeeper that starts empty makes up
    a new id, and the broker refuses to go with it; the topics are gone from ZooKeeper anyhow. The
    volume that an image declares by itself does not help: after ``docker compose down`` the next
    container gets a new one.

    Bad:
        --- docker-compose.yml
        services:
          zookeeper: {image: "confluentinc/cp-zookeeper:7.5.0"}
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            volumes: ["kdata:/var/lib/kafka/data"]
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zookeeper:2181"}
        volumes: {kdata: {}}
    Good: both
        --- docker-compose.yml
        services:
          zookeeper:
            image: confluentinc/cp-zookeeper:7.5.0
            volumes: ["zdata:/var/lib/zookeeper/data", "zlog:/var/lib/zookeeper/log"]
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            volumes: ["kdata:/var/lib/kafka/data"]
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zookeeper:2181"}
        volumes: {kdata: {}, zdata: {}, zlog: {}}
    Good: neither
        --- docker-compose.yml
        services:
          zookeeper: {image: "confluentinc/cp-zookeeper:7.5.0"}
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zookeeper:2181"}
    Good: a directory that a variable chooses
        --- docker-compose.yml
        services:
          zookeeper:
            image: confluentinc/cp-zookeeper:7.5.0
            environment: {ZOOKEEPER_DATA_DIR: /zk}
            volumes: ["zdata:/zk"]
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            volumes: ["kdata:/var/lib/kafka/data"]
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zookeeper:2181"}
        volumes: {kdata: {}, zdata: {}}
    Good: another ZooKeeper of the ensemble keeps its data
        --- docker-compose.yml
        services:
          zk1: {image: "confluentinc/cp-zookeeper:7.5.0"}
          zk2: {image: "confluentinc/cp-zookeeper:7.5.0", volumes: ["zdata:/var/lib/zookeeper"]}
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            volumes: ["kdata:/var/lib/kafka/data"]
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zk1:2181,zk2:2181"}
        volumes: {kdata: {}, zdata: {}}
    """
    bare = broker.resource.traits.bare_zookeepers
    asked, dirs = broker["zookeeper.connect"], dirs_of(broker)
    if bare is None or not asked.text or broker.kraft or broker.version.below("2.4"):
        return
    hosts = [host for host, _ in split(asked.text.partition("/")[0])]
    kept = [_covering(volumes_of(broker), path) for path in dirs]
    volume = kept[0] if kept else None
    if volume is None or not volume[0] or not all(host in bare for host in hosts):
        return
    name, path = bare[hosts[0]]
    yield broker.finding(
        f"the data of {broker} is kept in {volume[0]}, and that of its ZooKeeper {name} goes with "
        "the container",
        at=broker.fact("volumes"),
        because=(asked,),
        breaks="after docker compose down the broker finds another cluster id in ZooKeeper and stops "
        "(InconsistentClusterIdException)",
        fix=f"mount a named volume at {path} of {name} too, and at its transaction log's directory",
    )
