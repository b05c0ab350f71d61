"""KC20: what sizes the heap of a JVM, where several options could."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import FACT, INFO, WARNING, Finding, Running, Setting
from kcheck.rule import rule
from kcheck.rules.shared.processes import finding, told


@rule("KC2056", "heap-percentage-inert", WARNING)
def heap_percentage_inert(document: Running) -> Iterator[Finding]:
    """-XX:MaxRAMPercentage has no effect beside a size of the heap.

    Java uses the percentage only if the heap has no size. The start scripts of Kafka, Schema Registry,
    ksqlDB and the REST Proxy set -Xmx unless their variable for the heap (KAFKA_HEAP_OPTS) is set;
    Strimzi sets it to a part of the memory of the pod. Beside an -Xmx of one's own it is an info finding.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            replicas: 3
            jvmOptions: {"-XX": {MaxRAMPercentage: "80"}}
            resources: {limits: {memory: 8Gi}}
    Bad: the start script's default
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.6.1
            mem_limit: 8g
            environment:
              CONNECT_BOOTSTRAP_SERVERS: "kafka:9092"
              CONNECT_GROUP_ID: etl
              KAFKA_OPTS: -XX:MaxRAMPercentage=70
    Bad: both in one variable
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
                  env: [{name: SCHEMA_REGISTRY_HEAP_OPTS, value: "-Xmx1g -XX:MaxRAMPercentage=70"}]
    Good: the variable for the heap
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.6.1
            mem_limit: 8g
            environment:
              CONNECT_BOOTSTRAP_SERVERS: "kafka:9092"
              CONNECT_GROUP_ID: etl
              KAFKA_HEAP_OPTS: -XX:MaxRAMPercentage=70
    Good: no memory of which the operator could take a part
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            replicas: 3
            jvmOptions: {"-XX": {MaxRAMPercentage: "80"}}
    Good: variables from a file that is not there may set the heap
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.6.1
            env_file: connect.env
            environment: {KAFKA_OPTS: "-XX:MaxRAMPercentage=70"}
    """
    for process in document.processes:
        share, heap = process.share, process.heap
        if share is None or share.amount is None or (heap is None and not process.sized):
            continue
        evidence = [told(process, share)]
        if heap is not None and heap.key_at != share.key_at:
            evidence.append(told(process, heap, FACT))
        yield finding(
            process,
            f"{process}: -XX:MaxRAMPercentage={share.amount:g} has no effect: "
            + (_setting_it(heap) if heap is not None else process.sized),
            tuple(evidence),
            "the heap has another size than the percentage of the memory",
            "remove -XX:MaxRAMPercentage, or the size"
            if heap is not None
            else "set -Xmx to the size that the heap is to have"
            if process.sized.startswith("the operator")
            else "move -XX:MaxRAMPercentage into the variable for the heap (…_HEAP_OPTS)",
            INFO if heap is not None else WARNING,
        )


def _setting_it(heap: Setting) -> str:
    """What sets the size: a variable, or a field that is the option itself."""
    return "-Xmx is set" if heap.name == "-Xmx" else f"{heap.name} sets -Xmx"
