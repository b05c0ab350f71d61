"""KC0731: the volumes of a containerised broker, against its data directories."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from kcheck.graph.nodes import Broker, Controller
from kcheck.model import COMPOSE, DOCKER, ECS, FACT, INFO, NOMAD, WARNING, Finding
from kcheck.model.processes import CLAIM, EMPTY, FILES, NAMED, OWN_CLAIM, covering
from kcheck.rule import rule
from kcheck.rules.shared.processes import told
from kcheck.rules.shared.volumes import (
    OWN_VOLUME,
    by_hostname,
    dirs_of,
    framed,
    hidden,
    innermost,
    mounted,
    told_elsewhere,
    volumes_of,
)
from kcheck.wording import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.model.processes import Process


#: What goes with its pod or allocation.
_PASSING = (EMPTY, FILES)
#: What keeps containers where they are, with the volumes that their images declare.
_ON_HOSTS = (COMPOSE, DOCKER)
#: What is kept for whoever runs the workload next.
_CLAIMED = (NAMED, CLAIM, OWN_CLAIM)
#: Schedulers that nobody runs for a trial, and that start a broker anew elsewhere, without its files.
_DEPLOYERS = (ECS, NOMAD)
#: The values of Kafka's sample files, which quick starts repeat.
_SAMPLES = ("/tmp/kafka-logs", "/tmp/kraft-combined-logs", "/tmp/kraft-broker-logs")
#: Where one image or another writes its data by default: whoever mounts a folder there means the data.
_DATA = frozenset(
    (
        *("/var/lib/kafka", "/var/lib/kafka/data", "/bitnami", "/bitnami/kafka"),
        *("/bitnami/kafka/data", "/kafka/kafka-logs", "/kafka/data", "/kafka-logs"),
        *("/var/kafka-logs", *_SAMPLES),
    )
)
#: Words in the path of a volume that does not store records.
_OTHER_USES = ("secret", "cert", "ssl", "config", "conf", "jmx", "plugin", "jar", "lib/ext", "etc")


@rule(
    "KC0731",
    "log-dirs-no-volume",
    WARNING,
    broker_side=True,
    invariants=("log-dirs-tmp",),
)
def log_dirs_no_volume(broker: Broker | Controller) -> Iterator[Finding]:
    """A containerised broker stores its data where no volume is mounted.

    A volume is declared, but the broker writes elsewhere; or log.dirs is set to a path under /tmp
    in the container; or the image names the directory after the container, which no hostname keeps.
    The data and the broker's identity are lost with the container. A compose file
    without any volume that does not set log.dirs, or sets it to the value of Kafka's sample files,
    is a trial setup and not reported unless the cluster is in production. Pods of production
    clusters are reported if the directory is on an emptyDir or on no volume at all, tasks of ECS and
    Nomad always; so is a claim that is mounted elsewhere.

    Bad: the volume is mounted elsewhere
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
    Bad: pods with an emptyDir
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.6.1
                  env:
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "zk:2181"}
                    - {name: KAFKA_LOG_DIRS, value: /var/lib/kafka/data/logs}
                  volumeMounts: [{name: data, mountPath: /var/lib/kafka/data}]
              volumes: [{name: data, emptyDir: {}}]
    Good: pods with a claim each
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.6.1
                  env:
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "zk:2181"}
                    - {name: KAFKA_LOG_DIRS, value: /var/lib/kafka/data/logs}
                  volumeMounts: [{name: data, mountPath: /var/lib/kafka/data}]
          volumeClaimTemplates: [{metadata: {name: data}}]
    Bad: pods whose image has a volume below the claim
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          template:
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:4.1.1
                  env:
                    - {name: KAFKA_NODE_ID, value: "1"}
                    - {name: KAFKA_PROCESS_ROLES, value: "broker,controller"}
                    - {name: KAFKA_LOG_DIRS, value: /var/lib/kafka/data}
                  volumeMounts: [{name: data, mountPath: /var/lib/kafka}]
          volumeClaimTemplates: [{metadata: {name: data}}]
    Good: a quick start
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.8.0
            environment:
              KAFKA_NODE_ID: "1"
              KAFKA_PROCESS_ROLES: controller,broker
              KAFKA_LOG_DIRS: /tmp/kraft-combined-logs
    Good: a volume for another purpose, and the image's own directories
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.0.0
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zookeeper:2181"}
            volumes: ["up-flag:/data"]
        volumes: {up-flag: {}}
    Good: a volume for secrets only
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
    Bad: a task of Nomad
        --- kafka.nomad
        job "kafka" {
          group "broker" {
            task "kafka" {
              driver = "docker"
              config { image = "apache/kafka:3.9.1" }
              env {
                KAFKA_NODE_ID       = "1"
                KAFKA_PROCESS_ROLES = "broker,controller"
                KAFKA_LOG_DIRS      = "/var/lib/kafka"
              }
            }
          }
        }
    """
    process = broker.resource.traits.process
    if process is not None and broker.resource.traits.deployer not in _ON_HOSTS:
        yield from _in_pod(broker, process)
        return
    if "image" not in broker.resource.facts:
        return
    volumes = volumes_of(broker)
    mounts = mounted(volumes)
    yield from _renamed(broker, mounts)
    for path in dirs_of(broker):
        over = hidden(broker, mounts, path)
        if over is not None:
            yield broker.finding(
                f"{broker} mounts {over[0] or 'a volume'} at {over[1]}, but the image's own volume "
                f"at {OWN_VOLUME} hides it",
                at=broker["log.dirs"],
                because=(broker.fact("volumes"),),
                breaks="the data is written to an anonymous volume, which the next container does not get",
                fix=f"mount the volume at {OWN_VOLUME}",
            )
            return
    bare = [path for path in dirs_of(broker) or framed(broker) if innermost(mounts, path) is None]
    if not bare:
        return
    dirs = broker["log.dirs"]
    chosen = _by_hand(broker, bare)
    meant = [(source, mount) for source, mount in volumes if _for_data(source, mount, chosen)]
    breaks = f"the {broker.resource.kind} loses its {_held(broker)} when its container is recreated"
    if meant:
        source, mount = meant[0]
        place = bare[0] if dirs.text else posixpath.dirname(bare[0])
        where = plain(dirs) if dirs.text else f"log.dirs={bare[0]} (default of the image)"
        yield broker.finding(
            f"{where} is outside volume {source}, mounted at {mount}",
            at=dirs,
            because=(broker.fact("volumes"),),
            breaks=breaks,
            fix=f"mount {source} at {place}, or set log.dirs to a directory below {mount}",
        )
    elif any(f"{path}/".startswith("/tmp/") for path in bare) and chosen:
        yield broker.finding(
            f"{plain(dirs)} is in the container's file system, where no volume is mounted",
            at=dirs,
            breaks=breaks,
            fix=f"mount a volume at {bare[0]}, or keep the image's log.dirs and mount a volume there",
            severity=WARNING if broker.cluster.production else INFO,
        )


def _renamed(broker: Broker | Controller, mounts: dict[str, tuple[str, str]]) -> Iterator[Finding]:
    """A directory on a volume that the container finds again only as long as it is the same one."""
    path = by_hostname(broker)
    mount = innermost(mounts, path) if path else None
    if mount is not None and mount[0]:
        yield broker.finding(
            f"log.dirs is {path} by default in volume {mount[0]}, and no hostname is set: each new "
            "container gets another one",
            at=broker["log.dirs"],
            because=(broker.fact("volumes"),),
            breaks="the broker starts with an empty directory when its container is recreated; its "
            "records stay in the volume, where no broker reads them",
            fix=f"set log.dirs to a directory below {mount[1]}, or hostname",
        )


def _in_pod(broker: Broker, process: Process) -> Iterator[Finding]:
    """The first data directory of a broker in a pod that goes with the pod."""
    tasks = broker.resource.traits.deployer in _DEPLOYERS
    if process.mounts is None or told_elsewhere(broker):
        return
    unit = "task" if tasks else "pod"
    dirs = broker["log.dirs"]
    written = mounted((f"{one.kind} {one.source}", one.path) for one in process.mounts)
    for path in dirs_of(broker):
        over, mount = hidden(broker, written, path), covering(process.mounts, path)
        if over is not None and mount is not None and mount.kind not in _PASSING:
            yield broker.finding(
                f"{broker} mounts {over[0].strip()} at {over[1]}, but the image's own volume at "
                f"{OWN_VOLUME} hides it",
                at=dirs,
                because=(told(process, mount.setting, FACT),),
                breaks="containerd and Docker write the data to a directory of the container: it is lost "
                "when the container is replaced, by a restart as well",
                fix=f"mount it at {OWN_VOLUME}, from a directory of the volume (subPath)",
            )
            return
    bare = [path for path in dirs_of(broker) if covering(process.mounts, path) is None]
    chosen = bool(bare) and _by_hand(broker, bare)
    for mount in process.mounts if bare else ():
        if mount.kind in _CLAIMED and _for_data(mount.source, mount.path, chosen):
            yield broker.finding(
                f"{plain(dirs)} is outside {mount.kind} {mount.source}, mounted at {mount.path}",
                at=dirs,
                because=(told(process, mount.setting, FACT),),
                breaks=f"the {broker.resource.kind} loses its {_held(broker)} when its {unit} is replaced",
                fix=f"mount {mount.source} at {bare[0]}, or set log.dirs to a directory below {mount.path}",
            )
            return
    if not (tasks or broker.cluster.production):
        return
    for path in dirs_of(broker):
        mount = covering(process.mounts, path)
        if mount is None or mount.kind in _PASSING:
            where = f"on {mount.kind} {mount.source}" if mount is not None else "on no volume"
            yield broker.finding(
                f"{plain(dirs)} is {where}",
                at=dirs,
                because=(told(process, mount.setting, FACT),) if mount is not None else (),
                breaks=f"the {broker.resource.kind} loses its {_held(broker)} when its {unit} is deleted or "
                f"moved to another node; if all {unit}s are replaced, everything is lost",
                fix="mount a volume that outlives the task there"
                if tasks
                else "mount a volume of volumeClaimTemplates there",
            )
            return


def _held(node: Broker | Controller) -> str:
    """What a node has in its log.dirs."""
    return "copy of the metadata" if node.resource.kind == "controller" else "replicas"


def _for_data(source: str, mount: str, chosen: bool) -> bool:
    """Whether the volume is one that, judging by its names, stores records.

    Where the image chose the directories, which are then volumes of its own, the names must mention
    Kafka. A folder of the host may be for anything, but at a place where other images have their data.
    """
    if source and posixpath.normpath(mount) in _DATA:
        return True
    named = bool(source) and not source.startswith((".", "/", "~"))
    words = f"{source}{mount}".lower()
    if not named or any(use in words for use in _OTHER_USES):
        return False
    return chosen or "kafka" in words or "broker" in words


def _by_hand(broker: Broker, paths: list[str]) -> bool:
    """Whether the directories are chosen explicitly, not by the image or a sample file."""
    key = broker["log.dirs"].from_key
    if broker.resource.image.get(key) is broker.merged.get(key):
        return False
    return broker.cluster.production or not all(path in _SAMPLES for path in paths)
