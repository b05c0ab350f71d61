"""KC10: names and ports of Kubernetes Services that clients use and brokers advertise."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import endpoints
from kcheck.graph.answers import Nodes
from kcheck.graph.listeners import addresses
from kcheck.graph.nodes import Broker
from kcheck.grouping.names import Asked, asked, generic, loopback
from kcheck.grouping.names import service_names as names_of_services
from kcheck.model import (
    CFK,
    ERROR,
    HELM,
    KOPERATOR,
    KUBERNETES,
    PATTERN,
    REDPANDA,
    SERVICE,
    SET,
    STRIMZI,
    WARNING,
    Address,
    Finding,
    Resource,
    Setting,
    Value,
)
from kcheck.rule import rule

#: Deployers inside Kubernetes, where a short name is that of a Service.
_INSIDE = (STRIMZI, CFK, KOPERATOR, REDPANDA, KUBERNETES, HELM)


#: Ports that Strimzi's Services also expose, for brokers and controllers.
_REPLICATION = (9090, 9091)


#: The ports of MSK brokers for public access, and the first of those for other networks.
_OUTSIDE, _LINKED = (9194, 9196, 9198), 14_000


_ENABLE = "enable that access on the cluster (client_broker, client_authentication)"


_SHORT = re.compile(r"[a-z0-9][a-z0-9-]*")


@rule("KC1074", "service-port", ERROR, invariants=("bootstrap-overlap",))
def service_port(nodes: Nodes) -> Iterator[Finding]:
    """A client uses a port that the Kubernetes Service or managed cluster does not expose.

    A Service exposes only its own ports: Strimzi's those of spec.kafka.listeners, the Service of a
    listener of another type only that listener's port. Amazon MSK opens one port per configured
    access method: 9092 without TLS, 9094 with TLS, 9096 for SCRAM, 9098 for IAM, and 100 more for
    public access. Connections to other ports are dropped.

    Bad: Strimzi
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.1.0
            listeners: [{name: plain, port: 9092, type: internal, tls: false}]
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaConnect
        metadata: {name: sinks}
        spec:
          version: 4.1.0
          replicas: 1
          bootstrapServers: core-kafka-bootstrap:9094
          groupId: sinks
          configStorageTopic: sinks-configs
          offsetStorageTopic: sinks-offsets
          statusStorageTopic: sinks-status
    Bad: MSK without IAM access
        --- msk.tf
        resource "aws_msk_cluster" "core" {
          cluster_name           = "core"
          kafka_version          = "3.9.x"
          number_of_broker_nodes = 3
          encryption_info {
            encryption_in_transit { client_broker = "TLS" }
          }
          client_authentication {
            sasl { scram = true }
          }
        }
        --- consumer.properties
        bootstrap.servers=b-1.core.k3x9ab.c6.kafka.eu-central-1.amazonaws.com:9098
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=AWS_MSK_IAM
        sasl.jaas.config=software.amazon.msk.auth.iam.IAMLoginModule required;
        sasl.client.callback.handler.class=software.amazon.msk.auth.iam.IAMClientCallbackHandler
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.1.0
            listeners: [{name: plain, port: 9092, type: internal, tls: false}]
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaConnect
        metadata: {name: sinks}
        spec:
          version: 4.1.0
          replicas: 1
          bootstrapServers: core-kafka-bootstrap:9092
          groupId: sinks
          configStorageTopic: sinks-configs
          offsetStorageTopic: sinks-offsets
          statusStorageTopic: sinks-status
    Good: a cluster in another namespace
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core, namespace: eu}
        spec:
          kafka:
            version: 4.1.0
            listeners: [{name: plain, port: 9092, type: internal, tls: false}]
        --- consumer.properties
        bootstrap.servers=core-kafka-bootstrap.us.svc:9094
        group.id=billing
    Good: MSK access is set by a variable
        --- msk.tf
        resource "aws_msk_cluster" "core" {
          cluster_name           = "core"
          kafka_version          = "3.9.x"
          number_of_broker_nodes = 3
          client_authentication {
            sasl { iam = var.iam }
          }
        }
        --- consumer.properties
        bootstrap.servers=b-1.core.k3x9ab.c6.kafka.eu-central-1.amazonaws.com:9098
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=AWS_MSK_IAM
        sasl.jaas.config=software.amazon.msk.auth.iam.IAMLoginModule required;
        sasl.client.callback.handler.class=software.amazon.msk.auth.iam.IAMClientCallbackHandler
    """
    reaches = {a.reach for node in nodes.all for a in node.resource.traits.addresses}
    if reaches.isdisjoint((SERVICE, PATTERN)):
        return
    for client in nodes.cluster.clients:
        entries = asked(client.resource)
        missed = [_missed(one, nodes, client.resource) or _closed(one, nodes) for one in entries]
        if not missed or not all(missed):
            continue
        first, there = entries[0], missed[0]
        broker, address = there[0]
        ports = sorted({a.port for _, a in there if a.port})
        listeners = dict.fromkeys(a.listener for _, a in there if a.listener)
        kinds = "listener" if len(listeners) == 1 else "listeners"
        named = f" ({kinds} {', '.join(listeners)})" if listeners else ""
        managed = address.reach == PATTERN
        other = _ENABLE if managed else "add a listener on that port to the brokers"
        yield client.finding(
            f"{client} bootstraps from {first.text}, but "
            f"{broker if managed else f'Service {address.host} of {broker}'} has only "
            f"{'port' if len(ports) == 1 else 'ports'} {', '.join(map(str, ports))}{named}",
            at=_shown(client.resource, first.setting),
            because=_because(there),
            breaks="nothing answers there: the client times out and retries",
            fix=f"use {first.host}:{ports[0]}, or {other}",
            severity=WARNING if client.cluster.guess(client.resource) else ERROR,
        )


@rule(
    "KC1075",
    "advertised-no-service",
    WARNING,
    on=("advertised.listeners",),
    invariants=("advertised-port-reachable",),
)
def advertised_no_service(broker: Broker) -> Iterator[Finding]:
    """A broker in Kubernetes advertises a short name that is not a Service in its file.

    In a pod, a name without dots is that of a Service in the namespace. Clients connect to the broker
    through its Service, receive the advertised name in metadata, and cannot resolve it. Reported if
    the file has a Service for the broker but none of that name; a Service in another file may have it.

    Bad:
        --- kafka.yaml
        apiVersion: v1
        kind: Service
        metadata: {name: kafka-broker}
        spec: {selector: {app: kafka}, ports: [{port: 9092}]}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: kafka}
        spec:
          selector: {matchLabels: {app: kafka}}
          template:
            metadata: {labels: {app: kafka}}
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:3.9.1
                  env:
                    - {name: KAFKA_NODE_ID, value: "1"}
                    - {name: KAFKA_LISTENERS, value: "PLAINTEXT://:9092"}
                    - {name: KAFKA_ADVERTISED_LISTENERS, value: "PLAINTEXT://kafka-svc:9092"}
    Good:
        --- kafka.yaml
        apiVersion: v1
        kind: Service
        metadata: {name: kafka-broker}
        spec: {selector: {app: kafka}, ports: [{port: 9092}]}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: kafka}
        spec:
          selector: {matchLabels: {app: kafka}}
          template:
            metadata: {labels: {app: kafka}}
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:3.9.1
                  env:
                    - {name: KAFKA_NODE_ID, value: "1"}
                    - {name: KAFKA_LISTENERS, value: "PLAINTEXT://:9092"}
                    - {name: KAFKA_ADVERTISED_LISTENERS, value: "PLAINTEXT://kafka-broker:9092"}
    Good: no Service for the broker in the file
        --- kafka.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: kafka}
        spec:
          selector: {matchLabels: {app: kafka}}
          template:
            metadata: {labels: {app: kafka}}
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:3.9.1
                  env:
                    - {name: KAFKA_NODE_ID, value: "1"}
                    - {name: KAFKA_LISTENERS, value: "PLAINTEXT://:9092"}
                    - {name: KAFKA_ADVERTISED_LISTENERS, value: "PLAINTEXT://kafka-svc:9092"}
    """
    services = broker.resource.traits.services
    if not services or not addresses(broker).known:
        return
    told = broker.resource.traits.addresses
    own = list(dict.fromkeys(one.host for one in told if one.reach == SERVICE))
    pod = re.compile(re.escape(broker.name) + r"-\d+")
    for one in addresses(broker).visible:
        host = one.host.lower()
        if host in services or loopback(host) or not _SHORT.fullmatch(host) or pod.fullmatch(host):
            continue
        yield broker.finding(
            f"{broker} advertises {one}, but {host} is not a Service in this file; "
            f"{'its Service is' if len(own) == 1 else 'its Services are'} {' and '.join(own)}",
            at=broker["advertised.listeners"],
            breaks="clients bootstrap, receive a name that does not resolve, and fail to connect",
            fix=f"advertise {own[0]}",
        )
        return


def advertised_past_service(broker: Broker) -> Iterator[Finding]:
    """Advertised names of a broker's own Services with a port that none of these leads to it by.

    A Service of pods with several containers, and one whose ports are not all known, says nothing.
    """
    told = [one for one in broker.resource.traits.addresses if one.reach == SERVICE]
    known = addresses(broker)
    if broker.resource.traits.deployer != KUBERNETES or not known.known:
        return
    for one in known.visible:
        names = [name for name, _ in names_of_services(one.host.lower())]
        there = [at for at in told if at.host in names]
        ports = sorted({at.port for at in there if at.port is not None})
        listening = all(at.port is not None and at.listener for at in there)
        if not ports or not listening or one.port in ports or not one.port:
            continue
        yield broker.finding(
            f"{broker} advertises {one}, but Service {there[0].host} leads to it on port "
            f"{' and '.join(map(str, ports))}",
            at=broker["advertised.listeners"],
            because=(broker["listeners"],),
            breaks="clients receive this address in metadata and their connections fail",
            fix=f"advertise port {ports[0]}, or expose {one.port} in the Service",
            severity=WARNING,
        )


def _missed(one: Asked, nodes: Nodes, client: Resource) -> list[tuple[Broker, Address]]:
    """The Services that an entry points to if none of them has its port; empty otherwise."""
    there = nodes.at(one.host)
    if one.port is None or any(a.reach != SERVICE or a.port in (None, one.port) for _, a in there):
        return []
    if one.port in _REPLICATION and any(b.resource.traits.deployer == STRIMZI for b, _ in there):
        return []
    if client.traits.deployer in _INSIDE:
        meant = "." in one.host or all(_together(client, b.resource) for b, _ in there)
    else:
        # A generic short name may be that of another Service where the client runs.
        meant = not generic(one.host.partition(".")[0])
    return there if meant else []


def _closed(one: Asked, nodes: Nodes) -> list[tuple[Broker, Address]]:
    """The managed cluster's addresses that an entry points to if none has its port; else empty."""
    there = nodes.made(one.host)
    if one.port is None or one.port >= _LINKED or endpoints.only_port(one.host):
        return []
    if any(address.port in (None, one.port) for _, address in there):
        return []
    outside = one.port in _OUTSIDE
    same = [pair for pair in there if (pair[1].port in _OUTSIDE) == outside]
    return same or there


def _because(there: list[tuple[Broker, Address]]) -> list[Value]:
    """The evidence for the ports: the listener, or the settings of the managed cluster."""
    broker, address = there[0]
    if address.reach != PATTERN:
        listener = broker.fact(f"listeners.{address.listener}")
        return [listener] if listener.known else []
    told = dict.fromkeys(one.setting for _, one in there if one.setting is not None)
    return [_shown(broker.resource, setting) for setting in told]


def _together(client: Resource, broker: Resource) -> bool:
    """Whether both are in one namespace, as far as known."""
    spaces = {client.traits.namespace, broker.traits.namespace}
    return "" in spaces or len(spaces) == 1


def _shown(resource: Resource, setting: Setting) -> Value:
    return Value(setting.key, resource, SET, setting.text, setting.text, True, setting)
