"""KC20: how units of systemd start programs, and the time that brokers have to shut down."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.model import ERROR, FACT, INFO, WARNING, Faulty, Finding, Running
from kcheck.model.processes import A_BROKER, A_CONTROLLER
from kcheck.rule import PREVIEW, rule
from kcheck.rules.shared.problems import findings
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


@rule("KC2040", "unit-start", ERROR, set=PREVIEW)
def unit_start(document: Faulty) -> Iterator[Finding]:
    """A unit starts one of Kafka's programs as a shell would, or as a daemon that systemd stops.

    With -daemon the start scripts leave the JVM in the background and end: a unit of Type=simple ends
    with them, and systemd stops what is left. Without it, Type=forking waits for an end that does not come.
    ExecStart knows no redirection and takes whole paths. Environment= separates assignments by blanks and
    replaces no variables (warnings).

    Bad: a daemon
        --- kafka.service
        [Service]
        Type=simple
        ExecStart=/opt/kafka/bin/kafka-server-start.sh -daemon /opt/kafka/config/server.properties
    Bad: no daemon
        --- kafka.service
        [Service]
        Type=forking
        ExecStart=/opt/kafka/bin/kafka-server-start.sh /opt/kafka/config/server.properties
    Bad: a redirection
        --- kafka-connect.service
        [Service]
        ExecStart=/opt/kafka/bin/connect-distributed.sh /opt/kafka/config/connect.properties > /var/log/connect.log 2>&1
    Bad: a relative path
        --- kafka.service
        [Service]
        WorkingDirectory=/opt/kafka
        ExecStart=bin/kafka-server-start.sh config/server.properties
    Bad: a heap without quotes
        --- kafka.service
        [Service]
        Environment=KAFKA_HEAP_OPTS=-Xms4g -Xmx4g
        ExecStart=/opt/kafka/bin/kafka-server-start.sh /opt/kafka/config/server.properties
    Bad: a variable
        --- kafka.service
        [Service]
        Environment=KAFKA_HOME=/opt/kafka
        Environment="KAFKA_LOG4J_OPTS=-Dlog4j.configuration=file:$KAFKA_HOME/config/log4j.properties"
        ExecStart=/opt/kafka/bin/kafka-server-start.sh /opt/kafka/config/server.properties
    Good:
        --- kafka.service
        [Service]
        Type=simple
        Environment="KAFKA_HEAP_OPTS=-Xms4g -Xmx4g" JMX_PORT=9999 KAFKA_LOG_DIR=/var/log/kafka
        Environment=KAFKA_OPTS="-Dsun.net.inetaddr.ttl=60 -Dcom.example.key=a"
        ExecStart=/opt/kafka/bin/kafka-server-start.sh \\
          /opt/kafka/config/server.properties
    Good: daemons that systemd follows
        --- kafka.service
        [Service]
        Type=forking
        ExecStart=/opt/kafka/bin/kafka-server-start.sh -daemon /opt/kafka/config/server.properties
        --- kafka-zookeeper.service
        [Service]
        Type=oneshot
        RemainAfterExit=yes
        ExecStart=/opt/kafka/bin/zookeeper-server-start.sh -daemon /opt/kafka/config/zookeeper.properties
    Good: a shell
        --- kafka.service
        [Service]
        ExecStart=/bin/sh -c '/opt/kafka/bin/kafka-server-start.sh /opt/kafka/config/server.properties > /var/log/kafka.log 2>&1'
    """
    yield from findings(document, "KC2040")
