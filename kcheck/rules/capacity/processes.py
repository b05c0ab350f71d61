"""KC20: the memory, probes and files of the programs that containers and units run."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from kcheck.limits.format import in_size
from kcheck.model import ERROR, INFO, WARNING, Finding, Running, Setting
from kcheck.model.processes import (
    A_BROKER,
    A_CONTROLLER,
    A_ZOOKEEPER,
    CLAIM,
    EMPTY,
    LIVENESS,
    OWN_CLAIM,
    STARTUP,
    Place,
    Probe,
    Process,
)
from kcheck.rule import rule
from kcheck.rules.shared.places import temporary
from kcheck.rules.shared.processes import covering, finding, told
from kcheck.version import stated

#: Beside the heap a JVM has metaspace, code, stacks and buffers.
_CLOSE = 0.9


@rule("KC2010", "process-memory", WARNING)
def process_memory(document: Running) -> Iterator[Finding]:
    """The heap and direct memory of a process do not fit into its memory limit.

    A JVM needs memory for metaspace, code, thread stacks and buffers beside its heap. If -Xmx, or
    -Xmx and -XX:MaxDirectMemorySize together, reach the limit of the container, pod, task or unit, the
    kernel kills the process once they are used. Without -Xmx the start scripts set one:
    kafka-server-start 1 GB, connect-distributed 2 GB, ksqlDB 3 GB, Schema Registry 512 MB, the REST
    Proxy 256 MB. A heap above 90% of the limit is an info finding.

    Bad: the start script's default
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.6.1
            mem_limit: 1g
            environment: {CONNECT_BOOTSTRAP_SERVERS: "kafka:9092", CONNECT_GROUP_ID: etl}
    Bad: direct memory
        --- docker-compose.yml
        services:
          ksqldb:
            image: confluentinc/ksqldb-server:0.29.0
            mem_limit: 2g
            environment:
              KSQL_BOOTSTRAP_SERVERS: kafka:9092
              KSQL_HEAP_OPTS: -Xmx1536m
              KSQL_OPTS: -XX:MaxDirectMemorySize=1g
    Bad: a pod
        --- registry.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: registry}
        spec:
          template:
            spec:
              containers:
                - name: registry
                  image: confluentinc/cp-schema-registry:7.6.1
                  env: [{name: SCHEMA_REGISTRY_HEAP_OPTS, value: -Xmx1g}]
                  resources: {limits: {memory: 900Mi}}
    Bad: all of it
        --- app.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: app}
        spec:
          template:
            spec:
              containers:
                - name: app
                  image: example.com/app:1
                  env:
                    - {name: SPRING_KAFKA_BOOTSTRAP_SERVERS, value: "k1:9092"}
                    - {name: JAVA_TOOL_OPTIONS, value: "-XX:MaxRAMPercentage=100"}
                  resources: {limits: {memory: 1Gi}}
    Bad: close to the limit
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaConnect
        metadata: {name: etl}
        spec:
          bootstrapServers: kafka:9092
          jvmOptions: {-Xmx: 1950m}
          resources: {limits: {memory: 2Gi}}
    Good:
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.6.1
            mem_limit: 3g
            environment: {CONNECT_BOOTSTRAP_SERVERS: "kafka:9092", CONNECT_GROUP_ID: etl}
    Good: a smaller heap
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.6.1
            mem_limit: 1g
            environment: {CONNECT_BOOTSTRAP_SERVERS: "kafka:9092", KAFKA_HEAP_OPTS: -Xmx512m}
    Good: variables from a file that is not there may set the heap
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.6.1
            mem_limit: 1g
            env_file: connect.env
    Good: no JVM
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka-native:4.1.0
            mem_limit: 768m
            environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: "broker,controller"}
    Good: a tool that takes no such heap
        --- docker-compose.yml
        services:
          topics:
            image: confluentinc/cp-kafka-connect:7.6.1
            mem_limit: 1g
            command: kafka-topics --bootstrap-server kafka:9092 --list
    """
    for process in document.processes:
        if _of_cluster(document, process):
            continue
        yield from _memory(process)


def _of_cluster(document: Running, process: Process) -> bool:
    """Whether the rule on the heap of brokers compares the same heap with the same limit."""
    return (
        process.heap is not None
        and process.memory is not None
        and (process.heap.amount or 0) >= (process.memory.amount or 0)
        and any(
            one.traits.process is process and one.kind == "broker" and "ram" in one.facts
            for one in document.resources
            if "heap" in one.facts
        )
        and sum(one.traits.pool and one.kind == "broker" for one in document.resources) < 2
    )


def _memory(process: Process) -> Iterator[Finding]:
    limit, heap, direct = process.memory, process.heap, process.direct
    if heap is None and process.share is not None:
        yield from _share(process, process.share)
        return
    size = (heap.amount if heap is not None else process.heap_default) or 0
    if limit is None or not limit.amount or not size:
        return
    beside = (direct.amount if direct is not None else 0) or 0
    most = limit.amount
    if heap is None:
        said = f"the default heap of {process.script} ({in_size(size)})"
    else:
        said = f"-Xmx ({in_size(size)})"
    if beside and size < most:
        said += f" and -XX:MaxDirectMemorySize ({in_size(beside)}) together exceed"
    else:
        said += " is not smaller than" if size >= most else " leaves too little of"
    over = size >= most or size + beside > most
    if not over and size + beside <= most * _CLOSE:
        return
    if not over:
        said = said.replace(" together exceed", " together leave too little of")
    evidence = [told(process, heap)] if heap is not None else []
    evidence += [told(process, direct)] if direct is not None and beside else []
    evidence.append(told(process, limit, fact=True))
    set_heap = f"set -Xmx to at most {int(most / 2) >> 20}m"
    if heap is None:
        set_heap += " in " + _variable(process)
    yield finding(
        process,
        f"{process}: {said} the memory limit ({limit.key} {limit.text})",
        tuple(evidence),
        "the process is killed (OOMKilled, exit code 137) when the memory is used"
        if over
        else "metaspace, thread stacks and buffers may not fit into the rest",
        f"{set_heap}, or raise the limit",
        WARNING if over else INFO,
    )


def _share(process: Process, share: Setting) -> Iterator[Finding]:
    """A heap that is a share of the limit: all of it, or nearly."""
    limit, percent = process.memory, share.amount or 0
    if limit is None or not limit.amount or percent <= 100 * _CLOSE:
        return
    yield finding(
        process,
        f"{process}: -XX:MaxRAMPercentage={percent:g} leaves too little of the memory limit "
        f"({limit.key} {limit.text})",
        (told(process, share), told(process, limit, fact=True)),
        "the process is killed (OOMKilled, exit code 137) when the heap is used"
        if percent >= 100
        else "metaspace, thread stacks and buffers may not fit into the rest",
        "set -XX:MaxRAMPercentage to 75 or less",
        WARNING if percent >= 100 else INFO,
    )


def _variable(process: Process) -> str:
    return {
        "ksqlDB server": "KSQL_HEAP_OPTS",
        "Schema Registry": "SCHEMA_REGISTRY_HEAP_OPTS",
        "REST Proxy": "KAFKAREST_HEAP_OPTS",
    }.get(process.program, "KAFKA_HEAP_OPTS")


#: Tools that start a JVM by kafka-run-class: those of Kafka's bin, of Confluent's without ``.sh``.
_TOOL = re.compile(
    r"(?<![\w.-])(kafka-(?:acls|broker-api-versions|cluster|configs|console-consumer|"
    r"console-producer|consumer-groups|consumer-perf-test|delete-records|dump-log|features|"
    r"get-offsets|leader-election|log-dirs|metadata-quorum|producer-perf-test|"
    r"reassign-partitions|run-class|topics|transactions|verifiable-consumer|"
    r"verifiable-producer)|zookeeper-shell)(?:\.sh)?(?![\w-])"
)
_AGENT = re.compile(r"-javaagent:[^\s=]*=(?:[\w.-]*:)?(\d{2,5})(?::|,|\s|$|[\"'])")
_JMX = re.compile(r"-Dcom\.sun\.management\.jmxremote\.port=(\d{2,5})")
_DEBUG = re.compile(r"-agentlib:jdwp=\S*address=(?:[\w.*-]*:)?(\d{2,5})")
#: Tools with the variables whose options their script gives to each JVM that it starts.
_TOOLS = (
    (_TOOL, ("KAFKA_OPTS", "KAFKA_JMX_OPTS")),
    (re.compile(r"(?<![\w.-])ksql(?= |$)"), ("KSQL_OPTS", "KSQL_JMX_OPTS")),
    (
        re.compile(r"(?<![\w.-])kafka-(?:avro|protobuf|json-schema)-console-(?:consumer|producer)"),
        ("SCHEMA_REGISTRY_OPTS", "SCHEMA_REGISTRY_JMX_OPTS"),
    ),
)
#: Read by every JVM.
_BY_EVERY = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")


@rule("KC2011", "probe-inherits-agent", ERROR)
def probe_inherits_agent(document: Running) -> Iterator[Finding]:
    """A probe or health check runs a Kafka tool that inherits a port of the broker's JVM.

    A probe runs with the environment of its container. kafka-run-class passes JMX_PORT, KAFKA_JMX_OPTS
    and KAFKA_OPTS to each tool, so a second JVM binds the port of JMX, of a Java agent or of the
    debugger, which the first one has. The tool exits before it connects: the probe always fails.

    Bad: JMX
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.1
            environment: {KAFKA_CFG_NODE_ID: 0, JMX_PORT: 5555}
            healthcheck: {test: "kafka-topics.sh --bootstrap-server localhost:9092 --list"}
    Bad: an agent
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.6.1
                  env:
                    - {name: KAFKA_OPTS, value: "-javaagent:/opt/jmx_prometheus_javaagent.jar=7071:/opt/kafka.yml"}
                  livenessProbe:
                    exec: {command: [kafka-broker-api-versions, --bootstrap-server, "localhost:9092"]}
    Good: the tool's environment is cleared
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.1
            environment: {KAFKA_CFG_NODE_ID: 0, JMX_PORT: 5555}
            healthcheck: {test: "unset JMX_PORT && kafka-topics.sh --bootstrap-server localhost:9092 --list"}
    Good: no JVM
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.1
            environment: {KAFKA_CFG_NODE_ID: 0, JMX_PORT: 5555}
            healthcheck: {test: "nc -z localhost 9092"}
    Good: Confluent's image gives KAFKA_JMX_PORT to the broker alone
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.6.1
            environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: broker, KAFKA_JMX_PORT: 5555}
            healthcheck: {test: "kafka-topics --bootstrap-server localhost:9092 --list"}
    """
    for process in document.processes:
        for probe in process.probes:
            for pattern, inherited in _TOOLS:
                tool = pattern.search(probe.command)
                if tool is not None:
                    yield from _inherited(process, probe, tool[0], inherited)
                    break


def _inherited(
    process: Process, probe: Probe, tool: str, inherited: tuple[str, ...]
) -> Iterator[Finding]:
    for name in ("JMX_PORT", *inherited, *_BY_EVERY):
        setting = process.variables.get(name)
        if setting is None or not setting.text or _cleared(name, probe.command):
            continue
        port = setting.text if name == "JMX_PORT" else _port(setting.text)
        if not port.isdigit() or port == "0":
            continue
        what = "JMX port" if name == "JMX_PORT" or "JMX_OPTS" in name else "port of its agent"
        yield finding(
            process,
            f"{process}: {tool} in {probe.kind} inherits {name} and cannot bind the {what} {port}",
            (told(process, setting), told(process, probe.setting, fact=True)),
            f"{tool} exits (address already in use), and "
            + (
                "the container is never healthy"
                if probe.kind not in (LIVENESS, STARTUP)
                else "the container is restarted again and again"
            ),
            f"clear it in the command, as in {name}= {tool} …, or check the port without a JVM",
        )
        return


def _port(text: str) -> str:
    """The port that an option of Java's makes a JVM listen on; "" for none."""
    for pattern in (_AGENT, _JMX, _DEBUG):
        found = pattern.search(text)
        if found is not None:
            return found[1]
    return ""


def _cleared(name: str, command: str) -> bool:
    """Whether the command takes the variable away, or gives it a value of its own."""
    return (
        re.search(rf"(?<![\w$]){name}=|unset [^;&|]*\b{name}\b|env -(?:u ?{name}|i)\b", command)
        is not None
    )


_LEAST_RECOVERY = 120


@rule("KC2012", "liveness-in-recovery", WARNING)
def liveness_in_recovery(document: Running) -> Iterator[Finding]:
    """A liveness probe restarts a broker before it has recovered its logs.

    After an unclean stop a broker recovers its logs before it opens its listeners, which takes minutes
    with large or many partitions. A liveness probe without a startup probe fails until then: kubelet
    kills the broker, and recovery starts again. Reported if failures have an effect within two minutes
    of the start; how long recovery takes depends on the data.

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
                  livenessProbe: {tcpSocket: {port: 9092}, initialDelaySeconds: 20, periodSeconds: 5}
    Good: a startup probe
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
                  startupProbe: {tcpSocket: {port: 9092}, periodSeconds: 10, failureThreshold: 180}
                  livenessProbe: {tcpSocket: {port: 9092}, periodSeconds: 5}
    Bad: a short startup probe
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
                  startupProbe: {tcpSocket: {port: 9092}, periodSeconds: 5, failureThreshold: 6}
                  livenessProbe: {tcpSocket: {port: 9092}, periodSeconds: 5}
    Good: time to recover
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
                  livenessProbe: {tcpSocket: {port: 9092}, initialDelaySeconds: 600}
    """
    for process in document.processes:
        if process.program not in (A_BROKER, A_CONTROLLER):
            continue
        # A liveness probe starts once the startup probe has succeeded.
        kinds = {probe.kind for probe in process.probes}
        first = STARTUP if STARTUP in kinds else LIVENESS
        for probe in process.probes:
            if probe.kind == first and probe.seconds < _LEAST_RECOVERY:
                several = process.replicas is not None and process.replicas.text not in ("0", "1")
                yield finding(
                    process,
                    f"{process}: {first} fails {int(probe.seconds)} s after the start"
                    + (
                        ", which is short for log recovery"
                        if first == STARTUP
                        else ", and no startupProbe waits for log recovery"
                    ),
                    (told(process, probe.setting, fact=True),),
                    "after an unclean stop the broker is killed while it recovers its logs, and "
                    "starts over again and again",
                    "set a startupProbe with failureThreshold × periodSeconds above the longest "
                    "recovery, such as 30 min",
                    WARNING if several else INFO,
                )


@rule("KC2013", "state-outside-volumes", WARNING)
def state_outside_volumes(document: Running) -> Iterator[Finding]:
    """A program other than a broker keeps its state on no volume, or below /tmp.

    Debezium Server keeps the position in the source database in a file. Without a volume that file is
    gone with the container: the next one takes a new snapshot, or misses the changes in between. An
    ensemble of several ZooKeepers is no trial setup: if dataDir is below /tmp, a reboot or a cleanup of
    temporary files deletes the metadata of the cluster.

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
    """
    for process in document.processes:
        for place in process.places:
            yield from _lost(process, place)


def _lost(process: Process, place: Place) -> Iterator[Finding]:
    text = place.setting.text
    if text and process.program == A_ZOOKEEPER and process.replicas is not None:
        yield from _below_tmp(process, place, text)
    if process.mounts is None or not text or process.program == A_ZOOKEEPER:
        return
    # The images of Debezium Server start it in its own folder.
    mount = covering(process.mounts, posixpath.join("/debezium", text))
    if mount is not None and mount.kind != EMPTY:
        return
    where = f"on {mount.kind} {mount.source}" if mount is not None else "on no volume"
    evidence = [told(process, place.setting)]
    evidence += [told(process, mount.setting, fact=True)] if mount is not None else []
    yield finding(
        process,
        f"{process} keeps {place.holds} in {place.setting.key}={text}, which is {where}",
        tuple(evidence),
        f"{place.holds} is lost when the container is replaced",
        f"mount a volume at {posixpath.dirname(posixpath.join('/debezium', text))}",
    )


def _below_tmp(process: Process, place: Place, text: str) -> Iterator[Finding]:
    if not temporary(text) or process.replicas is None or process.replicas.text in ("0", "1"):
        return
    yield finding(
        process,
        f"{place.setting.key}={text} of an ensemble of {process.replicas.text} ZooKeepers is below a "
        "temporary directory",
        (told(process, place.setting), told(process, process.replicas, fact=True)),
        f"{place.holds} is deleted at a reboot or by age; without it on a majority, all metadata of "
        "the Kafka cluster is lost",
        f"set {place.setting.key} to a directory on a persistent disk",
    )


_URLS = ("sasl.oauthbearer.token.endpoint.url", "sasl.oauthbearer.jwks.endpoint.url")
_ALLOWED = "org.apache.kafka.sasl.oauthbearer.allowed.urls"
_LISTED = re.compile(rf"-D{re.escape(_ALLOWED)}=([^\s\"']+)")


@rule("KC2017", "oauth-url-not-allowed", ERROR, versions="4.0+")
def oauth_url_not_allowed(document: Running) -> Iterator[Finding]:
    """A container with Kafka 4.0 or newer uses an OAuth URL that no system property allows.

    From 4.0 on a client or broker connects to its token and JWKS endpoints only if the system property
    org.apache.kafka.sasl.oauthbearer.allowed.urls lists the exact URL; by default no URL is allowed.
    Reported for containers whose whole environment is in the files.

    Bad:
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:8.0.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka:9093
              CONNECT_SECURITY_PROTOCOL: SASL_SSL
              CONNECT_SASL_MECHANISM: OAUTHBEARER
              CONNECT_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL: https://login.example.com/token
    Bad: another URL is allowed
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:8.0.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka:9093
              CONNECT_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL: https://login.example.com/token
              KAFKA_OPTS: -Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=https://login.example.com
    Good:
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:8.0.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka:9093
              CONNECT_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL: https://login.example.com/token
              KAFKA_OPTS: -Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=https://login.example.com/token
    Good: every URL is allowed up to 3.9
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.9.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka:9093
              CONNECT_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL: https://login.example.com/token
    """
    for resource in document.resources:
        process = resource.traits.process
        if process is None or not process.known:
            continue
        if any(option.text is None for option in process.options):
            continue
        told_version = resource.facts.get("client.version") or resource.facts.get("kafka_version")
        if told_version is None or not stated(told_version.text or "").at_least("4.0"):
            continue
        listed = [url for option in process.options for url in _allowed(option.text or "")]
        for setting in resource.settings.values():
            url = setting.text or ""
            if setting.key.endswith(_URLS) and "://" in url and url not in listed:
                options = [one for one in process.options if _ALLOWED in (one.text or "")]
                yield finding(
                    process,
                    f"{process} has {setting.key}={url}, which {_ALLOWED} does not list",
                    (told(process, setting), *(told(process, one) for one in options)),
                    "it fails to start (ConfigException: the URL is not allowed)",
                    f"add -D{_ALLOWED}={url} to KAFKA_OPTS",
                )
                break


def _allowed(text: str) -> list[str]:
    """The URLs that Java's options allow."""
    return [url for found in _LISTED.finditer(text) for url in found[1].split(",")]


_LEAST_GRACE = 30


@rule("KC2022", "grace-below-shutdown", WARNING)
def grace_below_shutdown(document: Running) -> Iterator[Finding]:
    """A broker has less time to stop than a controlled shutdown takes.

    On SIGTERM a broker moves its leaders to other brokers, and flushes and closes its logs. If it is
    killed before, its partitions have no leader until the controller has noticed, and it recovers all
    logs at its next start. Reported if less than 30 seconds are set.

    Bad:
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              terminationGracePeriodSeconds: 5
              containers: [{name: kafka, image: "confluentinc/cp-kafka:7.6.1"}]
    Bad: a container
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            stop_grace_period: 1s
            environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: "broker,controller"}
    Good:
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              terminationGracePeriodSeconds: 300
              containers: [{name: kafka, image: "confluentinc/cp-kafka:7.6.1"}]
    Good: the default
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            mem_limit: 4g
            environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: "broker,controller"}
    """
    for process in document.processes:
        grace = process.grace
        if process.program not in (A_BROKER, A_CONTROLLER) or grace is None:
            continue
        if grace.amount is not None and grace.amount < _LEAST_GRACE:
            several = process.replicas is not None and process.replicas.text not in ("0", "1")
            yield finding(
                process,
                f"{process} is killed {grace.text} after SIGTERM ({grace.key})"
                if not (grace.text or "").isdigit()
                else f"{process} is killed {grace.text} s after SIGTERM ({grace.key})",
                (told(process, grace, fact=True),),
                "if its controlled shutdown takes longer, its partitions are unavailable until new "
                "leaders are elected, and the next start recovers all logs",
                f"set {grace.key} to several minutes",
                WARNING if several else INFO,
            )


@rule("KC2023", "log-dirs-volume-root", WARNING)
def log_dirs_volume_root(document: Running) -> Iterator[Finding]:
    """log.dirs of a broker in a pod is the root of its claim.

    A block volume with ext4 has a directory lost+found in its root. Kafka takes each directory in
    log.dirs for a partition, and does not start with one of another name. Network file systems and XFS
    have no lost+found.

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
    """
    for resource in document.resources:
        process = resource.traits.process
        if process is None or process.program != A_BROKER or not process.mounts:
            continue
        dirs = resource.settings.get("log.dirs") or resource.image.get("log.dirs")
        for path in ((dirs.text if dirs is not None else None) or "").split(","):
            mount = covering(process.mounts, path.strip()) if path.strip() else None
            if mount is None or mount.kind not in (CLAIM, OWN_CLAIM) or not mount.whole:
                continue
            if posixpath.normpath(mount.path) == posixpath.normpath(path.strip()) and dirs:
                yield finding(
                    process,
                    f"{process} has log.dirs={dirs.text}, which is the root of {mount.kind} "
                    f"{mount.source}",
                    (told(process, dirs), told(process, mount.setting, fact=True)),
                    "if the volume has ext4, Kafka finds lost+found there and does not start (not in "
                    "the form of topic-partition)",
                    f"set log.dirs to a directory below, such as {path.strip().rstrip('/')}/logs, or "
                    "mount a subPath",
                )
                break
