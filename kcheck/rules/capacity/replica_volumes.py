"""KC2020: replicas of brokers, ZooKeepers and applications that store their data on the same volume."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from kcheck.model import ERROR, FACT, WARNING, Finding, Running, Setting
from kcheck.model.processes import A_ZOOKEEPER, BIND, CLAIM, NAMED, Mount, Process, covering
from kcheck.rule import rule
from kcheck.rules.capacity.replicas import node_of, scaled_processes, severity_by_image
from kcheck.rules.shared.processes import finding, told
from kcheck.wording import count


@rule("KC2020", "replicas-one-volume", ERROR)
def replicas_one_volume(document: Running) -> Iterator[Finding]:
    """All replicas of a broker, ZooKeeper or Streams application store their data on the same volume.

    A claim under volumes, and a named volume of a scaled compose service, is the same for all replicas.
    The second broker finds the data directory locked, or formatted for another id, and exits; a claim
    with ReadWriteOnce cannot be mounted on a second node at all. volumeClaimTemplates of a StatefulSet
    make a claim for each pod. Kafka Streams and ksqlDB lock their state directory, and a second instance
    does not start in it. A warning under compose, where swarm makes a volume on each machine, and for
    images that are not known, whose script may make a directory for each.

    Bad:
        --- kafka.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: kafka}
        spec:
          replicas: 2
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.5.3
                  env: [{name: KAFKA_ZOOKEEPER_CONNECT, value: "zk:2181"}]
                  volumeMounts: [{name: data, mountPath: /var/lib/kafka/data}]
              volumes: [{name: data, persistentVolumeClaim: {claimName: kafka-data}}]
    Bad: a scaled service
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.3
            scale: 2
            environment: {KAFKA_ZOOKEEPER_CONNECT: "zk:2181"}
            volumes: ["kdata:/var/lib/kafka/data"]
        volumes: {kdata: {}}
    Bad: two Deployments
        --- kafka.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: kafka-1}
        spec:
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.5.3
                  env:
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "zk:2181"}
                    - {name: KAFKA_BROKER_ID, value: "1"}
                  volumeMounts: [{name: data, mountPath: /var/lib/kafka/data}]
              volumes: [{name: data, persistentVolumeClaim: {claimName: kafka-data}}]
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: kafka-2}
        spec:
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.5.3
                  env:
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "zk:2181"}
                    - {name: KAFKA_BROKER_ID, value: "2"}
                  volumeMounts: [{name: data, mountPath: /var/lib/kafka/data}]
              volumes: [{name: data, persistentVolumeClaim: {claimName: kafka-data}}]
    Good: one replica
        --- kafka.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: kafka}
        spec:
          replicas: 1
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.5.3
                  env: [{name: KAFKA_ZOOKEEPER_CONNECT, value: "zk:2181"}]
                  volumeMounts: [{name: data, mountPath: /var/lib/kafka/data}]
              volumes: [{name: data, persistentVolumeClaim: {claimName: kafka-data}}]
    Good: a directory for each pod
        --- kafka.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: kafka}
        spec:
          replicas: 2
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.5.3
                  env: [{name: KAFKA_ZOOKEEPER_CONNECT, value: "zk:2181"}]
                  volumeMounts: [{name: data, mountPath: /var/lib/kafka/data, subPathExpr: $(POD_NAME)}]
              volumes: [{name: data, persistentVolumeClaim: {claimName: kafka-data}}]
    Bad: state of Streams
        --- totals.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: totals}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: totals
                  image: registry.example.com/totals:1.9.0
                  env:
                    - {name: SPRING_KAFKA_BOOTSTRAP_SERVERS, value: "k1:9092"}
                    - {name: SPRING_KAFKA_STREAMS_APPLICATION_ID, value: totals}
                    - {name: SPRING_KAFKA_STREAMS_STATE_DIR, value: /var/lib/streams}
                  volumeMounts: [{name: state, mountPath: /var/lib/streams}]
              volumes: [{name: state, persistentVolumeClaim: {claimName: totals}}]
    Bad: ksqlDB
        --- ksqldb.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: ksqldb}
        spec:
          replicas: 2
          template:
            spec:
              containers:
                - name: ksqldb
                  image: confluentinc/ksqldb-server:0.29.0
                  env:
                    - {name: KSQL_BOOTSTRAP_SERVERS, value: "k1:9092"}
                    - {name: KSQL_KSQL_STREAMS_STATE_DIR, value: /data/ksql}
                  volumeMounts: [{name: state, mountPath: /data}]
              volumes: [{name: state, persistentVolumeClaim: {claimName: ksql}}]
    Good: state of Streams in a StatefulSet
        --- totals.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: totals}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: totals
                  image: registry.example.com/totals:1.9.0
                  env:
                    - {name: SPRING_KAFKA_BOOTSTRAP_SERVERS, value: "k1:9092"}
                    - {name: SPRING_KAFKA_STREAMS_APPLICATION_ID, value: totals}
                    - {name: SPRING_KAFKA_STREAMS_STATE_DIR, value: /var/lib/streams}
                  volumeMounts: [{name: state, mountPath: /var/lib/streams}]
          volumeClaimTemplates: [{metadata: {name: state}, spec: {resources: {requests: {storage: 5Gi}}}}]
    """
    for process, number, replicas in scaled_processes(document):
        if process.mounts is None:
            continue
        for path in _directories(document, process):
            mount = covering(process.mounts, path)
            if mount is None or mount.own or mount.kind not in (CLAIM, NAMED, BIND):
                continue
            severity = (
                severity_by_image(node_of(document, process)) if mount.kind == CLAIM else WARNING
            )
            yield _shared(process, number, replicas, mount, path, severity)
            break
    first: dict[tuple[str, str, str], Process] = {}
    for process in document.processes:
        for path in _directories(document, process) if process.mounts else ():
            mount = covering(process.mounts or (), path)
            if mount is None or mount.kind != CLAIM or not mount.whole:
                continue
            inside = posixpath.relpath(path, posixpath.normpath(mount.path))
            other = first.setdefault((process.namespace, mount.source, inside), process)
            if other.name != process.name:
                yield _both(
                    process, other, mount, path, severity_by_image(node_of(document, process))
                )
                break


def _both(process: Process, other: Process, mount: Mount, path: str, severity: str) -> Finding:
    theirs = covering(other.mounts or (), path)
    evidence = [told(process, mount.setting, FACT)]
    evidence += [told(other, theirs.setting, FACT)] if theirs is not None else []
    return finding(
        process,
        f"{process} and {other} both store their data in {mount.kind} {mount.source}",
        tuple(evidence),
        "the second one finds the data directory locked, or formatted for another id, and exits",
        "declare a claim for each",
        severity,
    )


def _shared(
    process: Process, number: float, replicas: Setting, mount: Mount, path: str, severity: str
) -> Finding:
    return finding(
        process,
        f"{process} runs {count(number, 'replica')} that store their data in {mount.kind} "
        f"{mount.source} at {path}",
        (told(process, mount.setting, FACT), told(process, replicas, FACT)),
        "the second replica finds the data directory locked, or formatted for another id, and exits",
        "use volumeClaimTemplates of a StatefulSet, or declare a service with a volume for each",
        severity,
    )


def _directories(document: Running, process: Process) -> list[str]:
    """Where the program keeps its data."""
    if process.program == A_ZOOKEEPER:
        return ["/var/lib/zookeeper/data", "/bitnami/zookeeper", "/data"]
    if process.states:
        return [state.text for state in process.states if state.text]
    node = node_of(document, process)
    if node is None:
        return []
    dirs = node.settings.get("log.dirs") or node.image.get("log.dirs")
    return [entry.strip() for entry in ((dirs and dirs.text) or "").split(",")]
