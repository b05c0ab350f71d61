"""KC118x: what compose and Kubernetes put between a client and a listener."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import WARNING, Faulty, Finding
from kcheck.rule import rule
from kcheck.rules.shared.problems import findings


@rule("KC1097", "network-not-shared", WARNING)
def network_not_shared(document: Faulty) -> Iterator[Finding]:
    """A compose service is given the name of a service that it shares no network with.

    Compose resolves names of services only within a network that both are in. A service with
    network_mode: host is in none of them. Applies to bootstrap servers, ZooKeeper and the registry.

    Bad:
        --- compose.yaml
        services:
          kafka:
            image: apache/kafka:4.0.0
            networks: [backend]
          app:
            image: registry.example.org/app:1
            environment: {KAFKA_BOOTSTRAP_SERVERS: "kafka:9092"}
            networks: [frontend]
        networks: {backend: {}, frontend: {}}
    Good:
        --- compose.yaml
        services:
          kafka:
            image: apache/kafka:4.0.0
            networks: [backend]
          app:
            image: registry.example.org/app:1
            environment: {KAFKA_BOOTSTRAP_SERVERS: "kafka:9092"}
            networks: [backend, frontend]
        networks: {backend: {}, frontend: {}}
    Bad: the network of the host
        --- compose.yaml
        services:
          kafka:
            image: apache/kafka:4.0.0
          app:
            image: registry.example.org/app:1
            network_mode: host
            environment: {KAFKA_BOOTSTRAP_SERVERS: "kafka:9092"}
    Good: two keys of one network
        --- compose.yaml
        services:
          kafka:
            image: apache/kafka:4.0.0
            networks: [backend]
          app:
            image: registry.example.org/app:1
            environment: {KAFKA_BOOTSTRAP_SERVERS: "kafka:9092"}
            networks: [shared]
        networks: {backend: {name: events}, shared: {name: events}}
    Good: the default network under a name of its own, told and not told
        --- compose.yaml
        services:
          kafka: {image: "apache/kafka:3.9.0"}
          app:
            image: example/app:1
            networks: [default, front]
            environment: {KAFKA_BOOTSTRAP_SERVERS: "kafka:9092"}
        networks:
          default: {name: platform, external: true}
          front: {}
    """
    yield from findings(document, "KC1097")


@rule("KC1098", "target-port-unnamed", WARNING)
def target_port_unnamed(document: Faulty) -> Iterator[Finding]:
    """A Service forwards to a port by a name that no container of the broker's pod has.

    Kubernetes looks up a named targetPort in the ports of the containers. Without it the Service has
    no endpoint at this port.

    Bad:
        --- kafka.yaml
        apiVersion: v1
        kind: Service
        metadata: {name: kafka}
        spec: {selector: {app: kafka}, ports: [{port: 9092, targetPort: client}]}
        ---
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          selector: {matchLabels: {app: kafka}}
          template:
            metadata: {labels: {app: kafka}}
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:4.0.0
                  ports: [{name: broker, containerPort: 9092}]
    Good:
        --- kafka.yaml
        apiVersion: v1
        kind: Service
        metadata: {name: kafka}
        spec: {selector: {app: kafka}, ports: [{port: 9092, targetPort: broker}]}
        ---
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          selector: {matchLabels: {app: kafka}}
          template:
            metadata: {labels: {app: kafka}}
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:4.0.0
                  ports: [{name: broker, containerPort: 9092}]
    """
    yield from findings(document, "KC1098")


@rule("KC1099", "probe-not-kafka", WARNING)
def probe_not_kafka(document: Faulty) -> Iterator[Finding]:
    """A probe sends an HTTP request to a Kafka listener.

    The broker takes the first four bytes of the request for its size, refuses it and closes the
    connection, so the probe fails forever.

    Bad:
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          template:
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:4.0.0
                  readinessProbe: {httpGet: {path: /, port: 9092}}
                  env: [{name: KAFKA_LISTENERS, value: "PLAINTEXT://:9092,CONTROLLER://:9093"}]
    Good:
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          template:
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:4.0.0
                  readinessProbe: {tcpSocket: {port: 9092}}
                  env: [{name: KAFKA_LISTENERS, value: "PLAINTEXT://:9092,CONTROLLER://:9093"}]
    """
    yield from findings(document, "KC1099")
