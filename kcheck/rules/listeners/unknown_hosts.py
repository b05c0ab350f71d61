"""KC1076: addresses whose host does not exist where the client runs."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.layout import Layout
from kcheck.graph.references import INSIDE, Asking, entries, short
from kcheck.grouping.names import in_kubernetes, service_names
from kcheck.model import SPOKEN, WARNING, Finding
from kcheck.rule import rule
from kcheck.rules.listeners.unknown_brokers import (
    in_network,
    mirrors_in_networks,
    numbered,
    unknown_brokers,
)
from kcheck.rules.shared.reference_findings import finding


@rule("KC1076", "address-of-nobody", WARNING, invariants=("bootstrap-overlap",))
def address_of_nobody(layout: Layout) -> Iterator[Finding]:
    """A mirror, a client in Kubernetes or a connector uses a name that does not resolve where it runs.

    Strimzi names the Services of a cluster after its Kafka resource, Confluent for Kubernetes after
    the resource itself; containers resolve each other by the names in their compose file. Reported if
    such names are read for the namespace or file in question and none of the configured hosts is
    among them; without a namespace in the files, a folder counts as one. A warning, because another
    repository may define the name. Public DNS names are not checked.

    Bad: the target cluster of a mirror
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: reporting}
        spec:
          kafka:
            version: 4.1.0
            listeners: [{name: plain, port: 9092, type: internal, tls: false}]
        --- mirror.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaMirrorMaker2
        metadata: {name: to-reporting}
        spec:
          version: 4.1.0
          replicas: 1
          connectCluster: reporting
          clusters:
            - {alias: shop, bootstrapServers: "kafka-1.shop.example.net:9092"}
            - {alias: reporting, bootstrapServers: "target-kafka-bootstrap:9092"}
          mirrors:
            - {sourceCluster: shop, targetCluster: reporting, topicsPattern: "sales.*"}
    Bad: a mirror in a compose network
        --- docker-compose.yml
        services:
          kafka-a:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper.example.com:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka-a:9092
          mm2:
            image: confluentinc/cp-kafka:7.5.0
            command: connect-mirror-maker /etc/mm2.properties
            volumes: ["./mm2.properties:/etc/mm2.properties"]
        --- mm2.properties
        clusters=a, b
        a.bootstrap.servers=kafka-a:9092
        b.bootstrap.servers=target:9092
        a->b.enabled=true
    Bad: Schema Registry
        --- platform.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: SchemaRegistry
        metadata: {name: schemaregistry, namespace: confluent}
        spec: {replicas: 1}
        ---
        apiVersion: platform.confluent.io/v1beta1
        kind: Connect
        metadata: {name: connect, namespace: confluent}
        spec:
          replicas: 1
          dependencies:
            schemaRegistry: {url: "http://registry.confluent.svc.cluster.local:8081"}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: reporting}
        spec:
          kafka:
            version: 4.1.0
            listeners: [{name: plain, port: 9092, type: internal, tls: false}]
        --- mirror.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaMirrorMaker2
        metadata: {name: to-reporting}
        spec:
          version: 4.1.0
          replicas: 1
          connectCluster: reporting
          clusters:
            - {alias: shop, bootstrapServers: "kafka-1.shop.example.net:9092"}
            - {alias: reporting, bootstrapServers: "reporting-kafka-bootstrap:9092"}
          mirrors:
            - {sourceCluster: shop, targetCluster: reporting, topicsPattern: "sales.*"}
    Good: a Service of the project's own
        --- kafka.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Kafka
        metadata: {name: kafka, namespace: destination}
        spec: {replicas: 3, dataVolumeCapacity: 10Gi}
        --- source.yaml
        apiVersion: v1
        kind: Pod
        metadata: {name: source, labels: {app: source}}
        spec: {containers: [{name: source, image: example.com/zookeeper-kafka:3.3.1}]}
        ---
        apiVersion: v1
        kind: Service
        metadata: {name: source}
        spec: {selector: {app: source}, ports: [{port: 9092}]}
        --- link.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: ClusterLink
        metadata: {name: link, namespace: destination}
        spec:
          sourceKafkaCluster: {bootstrapEndpoint: "source.destination.svc.cluster.local:9092"}
    Good: a cluster in another namespace
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: reporting, namespace: reporting}
        spec:
          kafka:
            version: 4.1.0
            listeners: [{name: plain, port: 9092, type: internal, tls: false}]
        --- mirror.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaMirrorMaker2
        metadata: {name: to-reporting, namespace: reporting}
        spec:
          version: 4.1.0
          replicas: 1
          connectCluster: reporting
          clusters:
            - {alias: shop, bootstrapServers: "shop-kafka-bootstrap.shop.svc:9092"}
            - {alias: reporting, bootstrapServers: "reporting-kafka-bootstrap:9092"}
          mirrors:
            - {sourceCluster: shop, targetCluster: reporting, topicsPattern: "sales.*"}
    Good: another compose file has the other cluster
        --- docker-compose.yml
        services:
          kafka-a:
            image: confluentinc/cp-kafka:7.5.0
            networks: [both]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper.example.com:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka-a:9092
          mm2:
            image: confluentinc/cp-kafka:7.5.0
            networks: [both]
            command: connect-mirror-maker /etc/mm2.properties
            volumes: ["./mm2.properties:/etc/mm2.properties"]
        networks: {both: {external: true}}
        --- mm2.properties
        clusters=a, b
        a.bootstrap.servers=kafka-a:9092
        b.bootstrap.servers=target:9092
        a->b.enabled=true
    Good: a kustomization deploys several folders to one namespace
        --- kustomization.yaml
        namespace: dc1
        resources: [base.yaml, control-center.yaml, replicator]
        --- base.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Connect
        metadata: {name: connect}
        spec: {replicas: 1}
        --- control-center.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: ControlCenter
        metadata: {name: controlcenter}
        spec:
          replicas: 1
          dependencies:
            connect: [{name: replicator, url: "http://replicator:8083"}]
        --- replicator/kustomization.yaml
        resources: [connect.yaml]
        --- replicator/connect.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Connect
        metadata: {name: replicator}
        spec: {replicas: 1}
    Good: Schema Registry runs elsewhere
        --- platform.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: SchemaRegistry
        metadata: {name: schemaregistry, namespace: confluent}
        spec: {replicas: 1}
        ---
        apiVersion: platform.confluent.io/v1beta1
        kind: Connect
        metadata: {name: connect, namespace: confluent}
        spec:
          replicas: 1
          dependencies:
            schemaRegistry: {url: "https://registry.example.com"}
    Good: Debezium's connector for PostgreSQL keeps no schema history, Kafka's converter asks no registry
        --- docker-compose.yml
        services:
          broker:
            image: apache/kafka:3.9.0
            environment: {KAFKA_ADVERTISED_LISTENERS: "PLAINTEXT://broker:9092"}
          registry:
            image: confluentinc/cp-schema-registry:7.9.0
            environment: {SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: "PLAINTEXT://broker:9092"}
          connect:
            image: quay.io/debezium/connect:3.0
            environment:
              BOOTSTRAP_SERVERS: broker:9092
              KEY_CONVERTER: org.apache.kafka.connect.storage.StringConverter
              KEY_CONVERTER_SCHEMA_REGISTRY_URL: http://schema-registry:8081
        --- orders.json
        {"name": "orders", "config": {
          "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
          "topic.prefix": "shop",
          "key.converter": "org.apache.kafka.connect.json.JsonConverter",
          "key.converter.schema.registry.url": "http://schema-registry:8081",
          "database.history.kafka.bootstrap.servers": "kafka:9092"}}
    """
    yield from unknown_brokers(layout)
    yield from _unknown_programs(layout)
    yield from mirrors_in_networks(layout)


def _unknown_programs(layout: Layout) -> Iterator[Finding]:
    """URLs and brokers of connectors with unknown hosts, where a program of that kind is read."""
    references = layout.references
    for asking in references.all():
        reference, network = asking.reference, asking.network
        wanted = entries(reference)
        if asking.own or not all(one.port is not None for one in wanted):
            continue
        hosts = [one.host for one in wanted]
        if network is not None:
            there = in_network(network, reference.role, hosts)
        elif reference.role not in SPOKEN:
            continue
        else:
            there = _in_namespace(layout, asking, hosts)
        if not there:
            continue
        spoken = SPOKEN.get(reference.role, reference.role)
        setting = reference.setting
        yield finding(
            setting,
            f"{reference.asker.name} sets {setting.key}={setting.text}, but the {spoken} where it runs "
            f"is {' or '.join(there)}",
            None,
            breaks=f"the name does not resolve: requests from {reference.asker.name} fail",
            fix=f"use {there[0]}",
        )


def _in_namespace(layout: Layout, asking: Asking, hosts: list[str]) -> list[str]:
    """The programs of a role in the namespace of a reference if none of its hosts is one."""
    references = layout.references
    asker, role = asking.reference.asker, asking.reference.role
    found: list[str] = []
    for host in hosts:
        if asker.traits.deployer not in INSIDE or not (short(host) or in_kubernetes(host)):
            return []
        if host not in asking.reference.text or "_" in host:
            return []  # a placeholder in capitals, not the name of a Service
        if references.at(host, asker) or references.maybe_at(host, asker):
            return []
        (name, namespace), *_ = service_names(host)
        there = references.of_role(role, asker, namespace)
        if not there or numbered(name, there) or any(name in layout.renamed(one) for one in there):
            return []
        found = there
    return found
