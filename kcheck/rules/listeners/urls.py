"""KC10: URLs with the wrong scheme, or a port without a listener."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.layout import Layout
from kcheck.graph.references import Answering, Asking, Entry, entries
from kcheck.model import (
    ERROR,
    SPOKEN,
    WARNING,
    ZOOKEEPER,
    Finding,
    Setting,
)
from kcheck.rule import rule
from kcheck.rules.shared.reference_findings import finding

_SCHEMES = ("http", "https")
#: Ports of proxies in front of a program on its host.
_WEB = (80, 443)


@rule("KC1077", "url-scheme", ERROR)
def url_scheme(layout: Layout) -> Iterator[Finding]:
    """A URL uses http for an https listener, or https for an http listener.

    A listener of Schema Registry, Connect, ksqlDB or the REST Proxy uses the scheme of its entry in
    listeners; Confluent for Kubernetes enables TLS with spec.tls. Requests with the other scheme
    fail. An error within one compose file; a warning if something in between may change the protocol,
    or if it is unknown whether the program reads the variable.

    Bad:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper.example.com:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
          registry:
            image: confluentinc/cp-schema-registry:7.5.0
            environment:
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka:9092
              SCHEMA_REGISTRY_LISTENERS: https://0.0.0.0:8081
          rest:
            image: confluentinc/cp-kafka-rest:7.5.0
            environment:
              KAFKA_REST_BOOTSTRAP_SERVERS: kafka:9092
              KAFKA_REST_SCHEMA_REGISTRY_URL: http://registry:8081
    Bad: Control Center connects to Connect
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper.example.com:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
          connect:
            image: confluentinc/cp-kafka-connect:7.5.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka:9092
              CONNECT_GROUP_ID: c
              CONNECT_CONFIG_STORAGE_TOPIC: c
              CONNECT_OFFSET_STORAGE_TOPIC: o
              CONNECT_STATUS_STORAGE_TOPIC: s
              CONNECT_REST_ADVERTISED_HOST_NAME: connect
          control-center:
            image: confluentinc/cp-enterprise-control-center:7.5.0
            environment:
              CONTROL_CENTER_BOOTSTRAP_SERVERS: kafka:9092
              CONTROL_CENTER_CONNECT_MAIN_CLUSTER: https://connect:8083
    Bad: Confluent for Kubernetes
        --- platform.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: SchemaRegistry
        metadata: {name: schemaregistry, namespace: confluent}
        spec:
          replicas: 1
          tls: {secretRef: registry-tls}
        ---
        apiVersion: platform.confluent.io/v1beta1
        kind: Connect
        metadata: {name: connect, namespace: confluent}
        spec:
          replicas: 1
          dependencies:
            schemaRegistry: {url: "http://schemaregistry.confluent.svc.cluster.local:8081"}
    Bad: a patch of kustomize, and its base has no TLS either
        --- base/kustomization.yaml
        resources: [connect.yaml]
        --- base/connect.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Connect
        metadata: {name: connect}
        spec: {replicas: 1}
        --- dc1/kustomization.yaml
        namespace: dc1
        resources: [../base, control-center.yaml]
        patches: [{path: connect.yaml}]
        --- dc1/connect.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Connect
        metadata: {name: connect}
        spec: {replicas: 3}
        --- dc1/control-center.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: ControlCenter
        metadata: {name: controlcenter}
        spec:
          replicas: 1
          dependencies:
            connect: [{name: connect, url: "https://connect:8083"}]
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper.example.com:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
          registry:
            image: confluentinc/cp-schema-registry:7.5.0
            environment:
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka:9092
              SCHEMA_REGISTRY_LISTENERS: https://0.0.0.0:8081,http://0.0.0.0:8082
          rest:
            image: confluentinc/cp-kafka-rest:7.5.0
            environment:
              KAFKA_REST_BOOTSTRAP_SERVERS: kafka:9092
              KAFKA_REST_SCHEMA_REGISTRY_URL: http://registry:8082
    Good: Confluent for Kubernetes
        --- platform.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: SchemaRegistry
        metadata: {name: schemaregistry, namespace: confluent}
        spec:
          replicas: 1
          tls: {secretRef: registry-tls}
        ---
        apiVersion: platform.confluent.io/v1beta1
        kind: Connect
        metadata: {name: connect, namespace: confluent}
        spec:
          replicas: 1
          dependencies:
            schemaRegistry: {url: "https://schemaregistry.confluent.svc.cluster.local:8081"}
    Good: a patch of kustomize leaves out what its base has
        --- base/kustomization.yaml
        resources: [connect.yaml]
        --- base/connect.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Connect
        metadata: {name: connect}
        spec: {replicas: 1, tls: {autoGeneratedCerts: true}}
        --- dc1/kustomization.yaml
        namespace: dc1
        resources: [../base, control-center.yaml]
        patches: [{path: connect.yaml}]
        --- dc1/connect.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Connect
        metadata: {name: connect}
        spec: {replicas: 3}
        --- dc1/control-center.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: ControlCenter
        metadata: {name: controlcenter}
        spec:
          replicas: 1
          dependencies:
            connect: [{name: connect, url: "https://connect:8083"}]
    """
    for asking, entry, there in _answered(layout):
        ports = (there.ports or {}).items()
        spoken = next((scheme for port, scheme in ports if port == entry.port), "")
        if entry.scheme not in _SCHEMES or spoken not in _SCHEMES or spoken == entry.scheme:
            continue
        setting = asking.reference.setting
        host = entry.text
        yield finding(
            setting,
            f"{asking.reference.asker.name} sets {setting.key}={setting.text}, but "
            f"{SPOKEN[there.role]} {there.name} serves {spoken} at {host}"
            + ("" if there.told is not None or there.at is not None else " (default)"),
            _of(there),
            breaks="every request fails: the listener does not use TLS"
            if entry.scheme == "https"
            else "every request fails: the listener requires TLS",
            fix=f"use {spoken}://{host}",
            severity=ERROR if _certain(asking, there) else WARNING,
        )


@rule("KC1078", "url-port", ERROR)
def url_port(layout: Layout) -> Iterator[Finding]:
    """An address has a port on which ZooKeeper, Schema Registry, Connect, ksqlDB or the REST Proxy does not answer.

    A Kubernetes Service exposes its own ports, which may differ from those of its pods; a headless
    Service, as created by Confluent for Kubernetes, exposes the pods' ports. Connectors in containers
    use the container ports of other services. A warning for a host that is named in a server's own
    properties: another process may answer there. (Between containers: reference-port.)

    Bad: the port of the pod
        --- registry.yaml
        apiVersion: v1
        kind: Service
        metadata: {name: schema-registry, namespace: data}
        spec: {selector: {app: registry}, ports: [{port: 80, targetPort: 8081}]}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: registry, namespace: data}
        spec:
          selector: {matchLabels: {app: registry}}
          template:
            metadata: {labels: {app: registry}}
            spec:
              containers:
                - name: registry
                  image: confluentinc/cp-schema-registry:7.5.0
                  env:
                    - {name: SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS, value: "PLAINTEXT://kafka:9092"}
                    - {name: SCHEMA_REGISTRY_LISTENERS, value: "http://0.0.0.0:8081"}
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaConnect
        metadata: {name: sinks, namespace: data}
        spec:
          version: 4.1.0
          replicas: 1
          bootstrapServers: core-kafka-bootstrap:9092
          groupId: sinks
          configStorageTopic: sinks-configs
          offsetStorageTopic: sinks-offsets
          statusStorageTopic: sinks-status
          config:
            value.converter: io.confluent.connect.avro.AvroConverter
            value.converter.schema.registry.url: http://schema-registry:8081
    Bad: Confluent for Kubernetes
        --- platform.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Connect
        metadata: {name: connect, namespace: confluent}
        spec: {replicas: 1}
        ---
        apiVersion: platform.confluent.io/v1beta1
        kind: ControlCenter
        metadata: {name: controlcenter, namespace: confluent}
        spec:
          replicas: 1
          dependencies:
            connect: [{name: connect, url: "http://connect.confluent.svc.cluster.local:8084"}]
    Good:
        --- registry.yaml
        apiVersion: v1
        kind: Service
        metadata: {name: schema-registry, namespace: data}
        spec: {selector: {app: registry}, ports: [{port: 80, targetPort: 8081}]}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: registry, namespace: data}
        spec:
          selector: {matchLabels: {app: registry}}
          template:
            metadata: {labels: {app: registry}}
            spec:
              containers:
                - name: registry
                  image: confluentinc/cp-schema-registry:7.5.0
                  env:
                    - {name: SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS, value: "PLAINTEXT://kafka:9092"}
                    - {name: SCHEMA_REGISTRY_LISTENERS, value: "http://0.0.0.0:8081"}
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaConnect
        metadata: {name: sinks, namespace: data}
        spec:
          version: 4.1.0
          replicas: 1
          bootstrapServers: core-kafka-bootstrap:9092
          groupId: sinks
          configStorageTopic: sinks-configs
          offsetStorageTopic: sinks-offsets
          statusStorageTopic: sinks-status
          config:
            value.converter: io.confluent.connect.avro.AvroConverter
            value.converter.schema.registry.url: http://schema-registry
    Good: the Service also exposes a proxy in the pod
        --- registry.yaml
        apiVersion: v1
        kind: Service
        metadata: {name: schema-registry, namespace: data}
        spec: {selector: {app: registry}, ports: [{port: 8081}, {name: tls, port: 443, targetPort: 8443}]}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: registry, namespace: data}
        spec:
          selector: {matchLabels: {app: registry}}
          template:
            metadata: {labels: {app: registry}}
            spec:
              containers:
                - name: registry
                  image: confluentinc/cp-schema-registry:7.5.0
                  env:
                    - {name: SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS, value: "PLAINTEXT://kafka:9092"}
                    - {name: SCHEMA_REGISTRY_LISTENERS, value: "http://0.0.0.0:8081"}
                - {name: proxy, image: "nginx:1.27"}
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaConnect
        metadata: {name: sinks, namespace: data}
        spec:
          version: 4.1.0
          replicas: 1
          bootstrapServers: core-kafka-bootstrap:9092
          groupId: sinks
          configStorageTopic: sinks-configs
          offsetStorageTopic: sinks-offsets
          statusStorageTopic: sinks-status
          config:
            value.converter: io.confluent.connect.avro.AvroConverter
            value.converter.schema.registry.url: https://schema-registry
    """
    for asking, entry, there in _answered(layout):
        if asking.own or not there.ports or entry.port is None or entry.port in there.ports:
            continue
        if there.public and entry.port in _WEB:
            continue  # a proxy in front of it
        setting = asking.reference.setting
        # ZooKeeper's client tries all of a list.
        several = there.role == ZOOKEEPER and len(entries(asking.reference)) > 1
        ports = " and ".join(map(str, sorted(there.ports)))
        told = there.told is not None or there.at is not None
        yield finding(
            setting,
            f"{asking.reference.asker.name} sets {setting.key}={setting.text}, but "
            f"{SPOKEN[there.role]} {there.name} answers on port {ports}"
            + ("" if told else " (default)")
            + f", not {entry.port}",
            _of(there),
            breaks="the connection fails: nothing answers on that port",
            fix=f"use {entry.host}:{min(there.ports)}",
            severity=WARNING if there.public or several else ERROR,
        )


def _answered(layout: Layout) -> Iterator[tuple[Asking, Entry, Answering]]:
    """For each reference that is not to a broker, the first entry that points to a known program."""
    references = layout.references
    for asking in references.all():
        if asking.reference.role not in SPOKEN:
            continue
        for entry in entries(asking.reference):
            there = references.answering(asking, entry)
            if there is not None:
                yield asking, entry, there
                break


def _certain(asking: Asking, there: Answering) -> bool:
    """Whether a program in a compose file certainly connects there: the address that a worker
    advertises is used only by several workers."""
    reference = asking.reference
    return asking.own and not reference.guessed and reference.asker.name != there.name


def _of(there: Answering) -> Setting | None:
    return there.told if there.told is not None else there.at
