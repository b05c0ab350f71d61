"""KC20: the memory and cores of the programs that containers and units run."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.limits.format import in_size
from kcheck.model import FACT, INFO, WARNING, Finding, Running, Setting
from kcheck.model.processes import Process
from kcheck.rule import rule
from kcheck.rules.shared.processes import finding, told

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
        yield from _memory(document, process)


def _of_cluster(document: Running, process: Process) -> bool:
    """Whether the rule on the heap of brokers compares the same heap with the same limit."""
    return (
        any(
            one.traits.process is process and one.kind == "broker" and "heap" in one.facts
            for one in document.resources
        )
        and sum(one.traits.pool and one.kind == "broker" for one in document.resources) < 2
    )


def _memory(document: Running, process: Process) -> Iterator[Finding]:
    limit, heap, direct = process.memory, process.heap, process.direct
    if heap is None and process.share is not None and not process.sized:
        yield from _share(process, process.share)
        return
    size = (heap.amount if heap is not None else process.heap_default) or 0
    if limit is None or not limit.amount or not size:
        return
    beside = (direct.amount if direct is not None else 0) or 0
    most = limit.amount
    if size >= most and _of_cluster(document, process):
        return
    if heap is None:
        said = f"the default heap of {process.script} ({in_size(size)})"
    else:
        said = f"-Xmx ({in_size(size)})"
    if beside and size < most:
        said += f" and -XX:MaxDirectMemorySize ({in_size(beside)}) together exceed"
    else:
        said += " is not smaller than" if size >= most else " leaves too little of"
    over = size >= most or size + beside > most
    if size + beside <= most * _CLOSE:
        return
    if not over:
        said = said.replace(" together exceed", " together leave too little of")
    evidence = [told(process, one) for one in (heap, direct) if one is not None and one.amount]
    evidence.append(told(process, limit, FACT))
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
        (told(process, share), told(process, limit, FACT)),
        "the process is killed (OOMKilled, exit code 137) when the heap is used"
        if percent >= 100
        else "metaspace, thread stacks and buffers may not fit into the rest",
        "set -XX:MaxRAMPercentage to 75 or less",
        WARNING if percent >= 100 else INFO,
    )


def _variable(process: Process) -> str:
    if process.script == "Bitnami's chart":
        return "heapOpts"
    return {
        "ksqlDB server": "KSQL_HEAP_OPTS",
        "Schema Registry": "SCHEMA_REGISTRY_HEAP_OPTS",
        "REST Proxy": "KAFKAREST_HEAP_OPTS",
    }.get(process.program, "KAFKA_HEAP_OPTS")


#: Cores below which a JVM takes minutes to start.
_LEAST_CORES = 0.1


@rule("KC2024", "cpu-below-start", WARNING)
def cpu_below_start(document: Running) -> Iterator[Finding]:
    """The CPU limit of a JVM is so low that it takes minutes to start.

    Loading and compiling its classes costs a JVM several seconds of CPU time. Below a tenth of a core
    that takes minutes, in which probes fail and clients time out.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {replicas: 3, storage: {type: ephemeral}}
          zookeeper: {replicas: 3, storage: {type: ephemeral}}
          entityOperator:
            topicOperator: {resources: {limits: {cpu: 50m}}}
    Bad: a container
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            cpus: 0.05
            environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: "broker,controller"}
    Bad: a pod
        --- connect.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: connect}
        spec:
          template:
            spec:
              containers:
                - name: connect
                  image: confluentinc/cp-kafka-connect:7.6.1
                  resources: {limits: {cpu: 50m, memory: 2Gi}}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {replicas: 3, storage: {type: ephemeral}}
          zookeeper: {replicas: 3, storage: {type: ephemeral}}
          entityOperator:
            topicOperator: {resources: {requests: {cpu: 50m}, limits: {cpu: 500m}}}
    Good: no limit
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            cpus: 0
            environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: "broker,controller"}
    """
    for process in document.processes:
        limit = process.cpu
        if limit is not None and limit.amount and limit.amount < _LEAST_CORES:
            yield finding(
                process,
                f"{process} may use {limit.amount * 60:g} s of CPU time per minute "
                f"({limit.key}={limit.text})",
                (told(process, limit, FACT),),
                "it takes minutes to start: probes fail and restart it before it is ready",
                f"raise {limit.key} to half a core or more, or remove the limit",
            )
