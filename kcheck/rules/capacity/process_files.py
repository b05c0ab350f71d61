"""KC20: the files that processes keep, and whether they survive a restart."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from kcheck.model import FACT, INFO, WARNING, Finding, Running
from kcheck.model.processes import (
    A_BROKER,
    A_ZOOKEEPER,
    CLAIM,
    EMPTY,
    OWN_CLAIM,
    Place,
    Process,
    covering,
)
from kcheck.rule import rule
from kcheck.rules.shared.places import temporary
from kcheck.rules.shared.processes import finding, told


@rule("KC2013", "state-outside-volumes", WARNING)
def state_outside_volumes(document: Running) -> Iterator[Finding]:
    """A program other than a broker keeps its state on no volume, or below /tmp.

    Debezium Server keeps the position in the source database in a file. Without a volume that file is
    gone with the container: the next one takes a new snapshot, or misses the changes in between. An
    ensemble of several ZooKeepers is no trial setup: if dataDir is below /tmp, a reboot or a cleanup of
    temporary files deletes the metadata of the cluster. A Streams application is reported if its pod has
    a claim, which is mounted elsewhere.

    Bad:
        --- docker-compose.yml
        services:
          cdc:
            image: debezium/server:2.7
            environment: {DEBEZIUM_SOURCE_OFFSET_STORAGE_FILE_FILENAME: /debezium/data/offsets.dat}
    Bad: ZooKeeper
        --- zookeeper.properties
        tickTime=2000
        clientPort=2181
        dataDir=/tmp/zookeeper
        server.1=zk1:2888:3888
        server.2=zk2:2888:3888
        server.3=zk3:2888:3888
    Good: a path in the program's folder
        --- docker-compose.yml
        services:
          cdc:
            image: debezium/server:2.7
            environment: {DEBEZIUM_SOURCE_OFFSET_STORAGE_FILE_FILENAME: data/offsets.dat}
            volumes: ["offsets:/debezium/data"]
        volumes: {offsets: {}}
    Good: a single ZooKeeper, as in Kafka's sample file
        --- zookeeper.properties
        clientPort=2181
        dataDir=/tmp/zookeeper
        tickTime=2000
    Good:
        --- docker-compose.yml
        services:
          cdc:
            image: debezium/server:2.7
            environment: {DEBEZIUM_SOURCE_OFFSET_STORAGE_FILE_FILENAME: /debezium/data/offsets.dat}
            volumes: ["offsets:/debezium/data"]
        volumes: {offsets: {}}
    Bad: the state of Streams beside the volume
        --- app.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: totals}
        spec:
          replicas: 2
          template:
            spec:
              containers:
                - name: totals
                  image: example.com/totals:1
                  env:
                    - {name: SPRING_KAFKA_BOOTSTRAP_SERVERS, value: "k1:9092"}
                    - {name: SPRING_KAFKA_STREAMS_APPLICATION_ID, value: totals}
                    - {name: SPRING_KAFKA_STREAMS_STATE_DIR, value: /var/lib/totals}
                  volumeMounts: [{name: state, mountPath: /data}]
          volumeClaimTemplates: [{metadata: {name: state}}]
    """
    for process in document.processes:
        for place in process.places:
            yield from _lost(process, place)
        yield from _beside(process)


def _beside(process: Process) -> Iterator[Finding]:
    """State of Streams on no volume of a pod whose claims hold something else, or nothing."""
    mounts = process.mounts or ()
    claim = next((one for one in mounts if one.kind in (CLAIM, OWN_CLAIM)), None)
    if claim is None:
        return
    for state in process.states:
        path = state.text or ""
        if path.startswith("/") and covering(mounts, path) is None:
            yield finding(
                process,
                f"{process} keeps its state in {state.key}={path}, but {claim.kind} "
                f"{claim.source} is mounted at {claim.path}",
                (told(process, state), told(process, claim.setting, FACT)),
                "the state is lost with the container: at each start all stores are restored from their "
                "changelogs",
                f"mount it at {path}, or set {state.name} to a directory below {claim.path}",
            )


def _lost(process: Process, place: Place) -> Iterator[Finding]:
    text = place.setting.text
    if not text:
        return
    if process.program == A_ZOOKEEPER:
        # Its places come from a file of its own, which does not tell what is mounted.
        yield from _below_tmp(process, place, text)
    if process.mounts is None:
        return
    # The images of Debezium Server start it in its own folder.
    mount = covering(process.mounts, posixpath.join("/debezium", text))
    if mount is not None and mount.kind != EMPTY:
        return
    where = f"on {mount.kind} {mount.source}" if mount is not None else "on no volume"
    evidence = [told(process, place.setting)]
    evidence += [told(process, mount.setting, FACT)] if mount is not None else []
    yield finding(
        process,
        f"{process} keeps {place.holds} in {place.setting.key}={text}, which is {where}",
        tuple(evidence),
        f"{place.holds} is lost when the container is replaced",
        f"mount a volume at {posixpath.dirname(posixpath.join('/debezium', text))}",
    )


def _below_tmp(process: Process, place: Place, text: str) -> Iterator[Finding]:
    servers = process.replicas
    # A file of a single server is not read at all.
    if servers is None or not temporary(text):
        return
    yield finding(
        process,
        f"{place.setting.key}={text} of an ensemble of {servers.text} ZooKeepers is below a "
        "temporary directory",
        (told(process, place.setting), told(process, servers, FACT)),
        f"{place.holds} is deleted at a reboot or by age; without it on a majority, all metadata of "
        "the Kafka cluster is lost",
        f"set {place.setting.key} to a directory on a persistent disk",
    )


@rule("KC2023", "log-dirs-volume-root", WARNING)
def log_dirs_volume_root(document: Running) -> Iterator[Finding]:
    """log.dirs of a broker in a pod is the root of its claim.

    A block volume with ext4 has a directory lost+found in its root. Kafka takes each directory in
    log.dirs for a partition, and does not start with one of another name. Network file systems and XFS
    have no lost+found. A claim that no file declares is an info.

    Bad:
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
                    - {name: KAFKA_LOG_DIRS, value: /var/lib/kafka/data}
                  volumeMounts: [{name: data, mountPath: /var/lib/kafka/data}]
          volumeClaimTemplates: [{metadata: {name: data}}]
    Good: a directory below
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
    Good: a directory of the volume is mounted
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
                    - {name: KAFKA_LOG_DIRS, value: /var/lib/kafka/data}
                  volumeMounts: [{name: data, mountPath: /var/lib/kafka/data, subPath: logs}]
          volumeClaimTemplates: [{metadata: {name: data}}]
    Good: volumes of that class are folders of the node
        --- kafka.yaml
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: kafka-data}
        spec: {accessModes: [ReadWriteOnce], storageClassName: local-path, resources: {requests: {storage: 10Gi}}}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: kafka}
        spec:
          replicas: 1
          selector: {matchLabels: {app: kafka}}
          template:
            metadata: {labels: {app: kafka}}
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.6.1
                  env:
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "zk:2181"}
                    - {name: KAFKA_LOG_DIRS, value: /var/lib/kafka/data}
                  volumeMounts: [{name: data, mountPath: /var/lib/kafka/data}]
              volumes: [{name: data, persistentVolumeClaim: {claimName: kafka-data}}]
    """
    for resource in document.resources:
        process = resource.traits.process
        if process is None or process.program != A_BROKER or not process.mounts:
            continue
        dirs = resource.settings.get("log.dirs") or resource.image.get("log.dirs")
        if dirs is None:
            continue
        for path in (dirs.text or "").split(","):
            mount = covering(process.mounts, path.strip())
            if mount is None or mount.kind not in (CLAIM, OWN_CLAIM) or not mount.whole:
                continue
            if posixpath.normpath(mount.path) == posixpath.normpath(path.strip()):
                yield finding(
                    process,
                    f"{process} has log.dirs={dirs.text}, which is the root of {mount.kind} "
                    f"{mount.source}",
                    (told(process, dirs), told(process, mount.setting, FACT)),
                    "if the volume has ext4, Kafka finds lost+found there and does not start (not in "
                    "the form of topic-partition)",
                    f"set log.dirs to a directory below, such as {path.strip().rstrip('/')}/logs, or "
                    "mount a subPath",
                    # Of a claim that stands elsewhere nobody knows the class.
                    "" if mount.declared else INFO,
                )
                break
