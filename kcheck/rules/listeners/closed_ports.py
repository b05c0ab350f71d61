"""KC109x: what Kubernetes or a security group keeps from reaching a broker or a controller."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import WARNING, Faulty, Finding
from kcheck.rule import rule
from kcheck.rules.shared.problems import findings


@rule("KC1094", "port-closed", WARNING)
def port_closed(document: Faulty) -> Iterator[Finding]:
    """A NetworkPolicy or a security group leaves out a port that nodes or clients connect to.

    A policy that selects a pod closes all ports that it does not list: the controller listener and the
    inter-broker listener are needed by the other nodes. The brokers of Amazon MSK accept SCRAM at 9096
    and IAM at 9098. Reported only if all policies or groups that the files name are known.

    Bad: the controller port
        --- kafka.yaml
        apiVersion: networking.k8s.io/v1
        kind: NetworkPolicy
        metadata: {name: kafka}
        spec:
          podSelector: {matchLabels: {app: kafka}}
          ingress: [{ports: [{port: 9092}]}]
        ---
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          serviceName: kafka
          replicas: 3
          template:
            metadata: {labels: {app: kafka}}
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:4.0.0
                  env:
                    - {name: KAFKA_PROCESS_ROLES, value: "broker,controller"}
                    - {name: KAFKA_LISTENERS, value: "PLAINTEXT://:9092,CONTROLLER://:9093"}
                    - {name: KAFKA_CONTROLLER_LISTENER_NAMES, value: CONTROLLER}
                    - {name: KAFKA_CONTROLLER_QUORUM_VOTERS, value: "0@kafka-0.kafka:9093,1@kafka-1.kafka:9093,2@kafka-2.kafka:9093"}
    Good: among the brokers everything is open
        --- kafka.yaml
        apiVersion: networking.k8s.io/v1
        kind: NetworkPolicy
        metadata: {name: kafka}
        spec:
          podSelector: {matchLabels: {app: kafka}}
          ingress: [{ports: [{port: 9092}]}, {from: [{podSelector: {matchLabels: {app: kafka}}}]}]
        ---
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          serviceName: kafka
          replicas: 3
          template:
            metadata: {labels: {app: kafka}}
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:4.0.0
                  env:
                    - {name: KAFKA_PROCESS_ROLES, value: "broker,controller"}
                    - {name: KAFKA_LISTENERS, value: "PLAINTEXT://:9092,CONTROLLER://:9093"}
                    - {name: KAFKA_CONTROLLER_LISTENER_NAMES, value: CONTROLLER}
                    - {name: KAFKA_CONTROLLER_QUORUM_VOTERS, value: "0@kafka-0.kafka:9093,1@kafka-1.kafka:9093,2@kafka-2.kafka:9093"}
    Bad: the port for IAM
        --- msk.tf
        resource "aws_security_group" "msk" {
          ingress {
            from_port   = 9092
            to_port     = 9096
            protocol    = "tcp"
            cidr_blocks = [var.vpc_cidr]
          }
        }
        resource "aws_msk_cluster" "main" {
          cluster_name           = "main"
          number_of_broker_nodes = 3
          broker_node_group_info {
            instance_type   = "kafka.m7g.large"
            client_subnets  = var.subnets
            security_groups = [aws_security_group.msk.id]
          }
          client_authentication {
            sasl {
              iam = true
            }
          }
        }
    """
    yield from findings(document, "KC1094")


@rule("KC1095", "quorum-names-unready", WARNING)
def quorum_names_unready(document: Faulty) -> Iterator[Finding]:
    """Voters find each other by names of pods that exist only once a pod is ready.

    Kubernetes publishes the names of a headless Service for ready pods only, unless it has
    publishNotReadyAddresses: true. With a readiness probe that runs one of Kafka's tools a pod is ready
    only when the quorum has a leader: after a stop of all pods neither comes first. For the same reason
    a StatefulSet with such a probe must create its pods in parallel (podManagementPolicy).

    Bad:
        --- kafka.yaml
        apiVersion: v1
        kind: Service
        metadata: {name: kafka}
        spec: {clusterIP: None, selector: {app: kafka}, ports: [{port: 9092}]}
        ---
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          serviceName: kafka
          replicas: 3
          podManagementPolicy: Parallel
          selector: {matchLabels: {app: kafka}}
          template:
            metadata: {labels: {app: kafka}}
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:4.0.0
                  readinessProbe:
                    exec: {command: [/opt/kafka/bin/kafka-broker-api-versions.sh, --bootstrap-server, "localhost:9092"]}
                  env:
                    - {name: KAFKA_PROCESS_ROLES, value: "broker,controller"}
                    - {name: KAFKA_LISTENERS, value: "PLAINTEXT://:9092,CONTROLLER://:9093"}
                    - {name: KAFKA_CONTROLLER_LISTENER_NAMES, value: CONTROLLER}
                    - {name: KAFKA_CONTROLLER_QUORUM_VOTERS, value: "0@kafka-0.kafka:9093,1@kafka-1.kafka:9093,2@kafka-2.kafka:9093"}
    Good:
        --- kafka.yaml
        apiVersion: v1
        kind: Service
        metadata: {name: kafka}
        spec: {clusterIP: None, publishNotReadyAddresses: true, selector: {app: kafka}, ports: [{port: 9092}]}
        ---
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          serviceName: kafka
          replicas: 3
          podManagementPolicy: Parallel
          selector: {matchLabels: {app: kafka}}
          template:
            metadata: {labels: {app: kafka}}
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:4.0.0
                  readinessProbe:
                    exec: {command: [/opt/kafka/bin/kafka-broker-api-versions.sh, --bootstrap-server, "localhost:9092"]}
                  env:
                    - {name: KAFKA_PROCESS_ROLES, value: "broker,controller"}
                    - {name: KAFKA_LISTENERS, value: "PLAINTEXT://:9092,CONTROLLER://:9093"}
                    - {name: KAFKA_CONTROLLER_LISTENER_NAMES, value: CONTROLLER}
                    - {name: KAFKA_CONTROLLER_QUORUM_VOTERS, value: "0@kafka-0.kafka:9093,1@kafka-1.kafka:9093,2@kafka-2.kafka:9093"}
    Bad: one pod after the other
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          serviceName: kafka
          replicas: 3
          template:
            metadata: {labels: {app: kafka}}
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:4.0.0
                  readinessProbe:
                    exec: {command: [/opt/kafka/bin/kafka-topics.sh, --bootstrap-server, "localhost:9092", --list]}
                  env:
                    - {name: KAFKA_PROCESS_ROLES, value: "broker,controller"}
                    - {name: KAFKA_LISTENERS, value: "PLAINTEXT://:9092,CONTROLLER://:9093"}
                    - {name: KAFKA_CONTROLLER_LISTENER_NAMES, value: CONTROLLER}
                    - {name: KAFKA_CONTROLLER_QUORUM_VOTERS, value: "0@kafka-0.kafka:9093,1@kafka-1.kafka:9093,2@kafka-2.kafka:9093"}
    """
    yield from findings(document, "KC1095")
