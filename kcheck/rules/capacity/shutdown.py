"""KC20: the time that brokers have to shut down before they are killed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.model import FACT, INFO, WARNING, Finding, Running
from kcheck.model.processes import A_BROKER, A_CONTROLLER
from kcheck.rule import rule
from kcheck.rules.shared.processes import finding, told

_LEAST_GRACE = 30
#: How units of systemd say it, which stand on the hosts of all brokers, and operators and charts.
_OF_ALL = re.compile(r"Timeout(?:Stop)?Sec|.+\.terminationGracePeriodSeconds")


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
    Bad: a unit
        --- kafka.service
        [Unit]
        Description=Apache Kafka
        [Service]
        ExecStart=/opt/kafka/bin/kafka-server-start.sh /etc/kafka/server.properties
        TimeoutStopSec=10
    Good: a unit with time
        --- kafka.service
        [Service]
        ExecStart=/opt/kafka/bin/kafka-server-start.sh /etc/kafka/server.properties
        TimeoutStopSec=5min
    Bad: the pods of an operator
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: pool, labels: {strimzi.io/cluster: core}}
        spec:
          replicas: 3
          roles: [controller, broker]
          storage: {type: persistent-claim, size: 100Gi}
          template: {pod: {terminationGracePeriodSeconds: 5}}
    Bad: a chart
        --- values.yaml
        image: {repository: bitnami/kafka, tag: 3.9.0}
        controller: {replicaCount: 3, terminationGracePeriodSeconds: 10}
        kraft: {enabled: true}
        listeners: {client: {protocol: PLAINTEXT}}
    """
    for process in document.processes:
        grace = process.grace
        if process.program not in (A_BROKER, A_CONTROLLER) or grace is None:
            continue
        if grace.amount is not None and grace.amount < _LEAST_GRACE:
            several = process.replicas is not None and process.replicas.text not in ("0", "1")
            several = several or _OF_ALL.fullmatch(grace.key) is not None
            yield finding(
                process,
                f"{process} is killed {grace.text} after SIGTERM ({grace.key})"
                if not (grace.text or "").isdigit()
                else f"{process} is killed {grace.text} s after SIGTERM ({grace.key})",
                (told(process, grace, FACT),),
                "if its controlled shutdown takes longer, its partitions are unavailable until new "
                "leaders are elected, and the next start recovers all logs",
                f"set {grace.key} to several minutes",
                WARNING if several else INFO,
            )
