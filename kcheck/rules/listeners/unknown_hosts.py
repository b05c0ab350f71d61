"""KC10: addresses whose host does not exist where the client runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kcheck import endpoints
from kcheck.graph.layout import Layout
from kcheck.graph.references import INSIDE, Asking, entries, maybe_near, near, short
from kcheck.grouping import place
from kcheck.grouping.names import (
    Asked,
    asked,
    bootstrap_settings,
    in_kubernetes,
    loopback,
    service_names,
)
from kcheck.model import (
    ALIAS,
    BROKER,
    CFK,
    INFO,
    SERVICE,
    SPOKEN,
    STRIMZI,
    WARNING,
    Finding,
    Network,
    Resource,
    Setting,
)
from kcheck.rule import rule
from kcheck.rules.shared.reference_findings import finding

#: The Services that Strimzi creates for a Kafka resource, by their suffix.
_OF_KAFKA = re.compile(r"(.+?)-kafka-(?:bootstrap|brokers|[a-z0-9-]+-bootstrap)")

_DIGITS = re.compile(r"\d+")


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
    yield from _unknown_brokers(layout)
    yield from _unknown_programs(layout)
    yield from _mirrors_in_networks(layout)


class _Kafka:
    """The brokers of an operator's resource: its name, namespace, file and Services."""

    __slots__ = ("deployer", "hosts", "name", "path", "place")

    def __init__(self, node: Resource) -> None:
        self.name = node.name
        self.path = node.path
        self.deployer = node.traits.deployer
        self.place = (node.path, node.traits.namespace)
        self.hosts = [one.host for one in node.traits.addresses]


def _unknown_brokers(layout: Layout) -> Iterator[Finding]:
    """Bootstrap servers in Kubernetes that are not Services of any Kafka resource."""
    there = [
        _Kafka(node)
        for group in layout.found.groups
        for node in group.nodes
        if node.kind == "broker" and any(one.reach == SERVICE for one in node.traits.addresses)
    ]
    if not there:
        return
    plain = {name for document in layout.found.documents for name in document.extent.hosts}
    # A user or topic of a cluster that no file has: its Kafka resource comes from elsewhere.
    labelled = {
        resource.cluster
        for document in layout.found.documents
        for resource in document.resources
        if resource.traits.deployer == STRIMZI and resource.kind in ("user", "topic")
    } - {one.name for one in there}
    told: set[tuple[object, ...]] = set()
    lost: dict[str, list[tuple[Resource, Setting, list[Asked], list[_Kafka]]]] = {}
    found: set[str] = set()
    for asker, setting, wanted in _asking_brokers(layout):
        if (setting.path, setting.at) in told:
            continue
        told.add((setting.path, setting.at))
        meant = [_without_service(one, asker, there, plain) for one in wanted]
        named = [_OF_KAFKA.fullmatch(one.host) for one in wanted]
        if all(meant) and not any(one is not None and one[1] in labelled for one in named):
            lost.setdefault(setting.path, []).append(
                (asker, setting, wanted, [one for kafkas in meant for one in kafkas])
            )
        else:
            found.add(setting.path)
    for path, members in lost.items():
        for asker, setting, wanted, kafkas in members:
            # A mirror with both clusters unknown connects clusters of other repositories.
            alone = len(members) > 1 and path not in found
            if _tied(asker, kafkas) or not (alone or place.collection(path)):
                yield _lost(setting, wanted, [kafka.hosts[0] for kafka in kafkas])


def _lost(setting: Setting, wanted: list[Asked], hosts: list[str]) -> Finding:
    """The finding for unknown bootstrap servers, with the Services that exist."""
    names = "is not a Service" if len(wanted) == 1 else "are not Services"
    hosts = list(dict.fromkeys(hosts))
    return finding(
        setting,
        f"{setting.key}={setting.text}: {', '.join(one.host for one in wanted)} {names} of a Kafka "
        f"resource in its namespace, which has {', '.join(hosts)}",
        None,
        breaks="the name does not resolve, and no broker is found (UnknownHostException)",
        fix=f"use {hosts[0]}, or deploy the missing Kafka resource",
    )


def _tied(asker: Resource, there: list[_Kafka]) -> bool:
    """Whether a client certainly runs beside the Kafka resources: by its namespace, or in one file."""
    space = asker.traits.namespace
    return any(one.path == asker.path or (space and space == one.place[1]) for one in there)


def _asking_brokers(layout: Layout) -> Iterator[tuple[Resource, Setting, list[Asked]]]:
    """The resources in Kubernetes that connect to brokers, each with the setting that tells and all of
    its addresses; none if templated.
    """
    for group in layout.found.groups:
        for resource in group.resources:
            if resource.traits.deployer not in INSIDE or resource.kind in ("broker", "controller"):
                continue
            by_setting: dict[int, list[Asked]] = {}
            for one in asked(resource):
                by_setting.setdefault(id(one.setting), []).append(one)
            for setting in bootstrap_settings(resource):
                found = by_setting.get(id(setting), [])
                if found and len(found) == len(endpoints.split(setting.text or "")):
                    yield resource, setting, found
    for asking in layout.references.all():
        reference = asking.reference
        if reference.role == BROKER and reference.asker.traits.deployer in INSIDE:
            made = [Asked(one.host, one.port, reference.setting) for one in entries(reference)]
            if made:
                yield reference.asker, reference.setting, made


def _without_service(
    one: Asked, asker: Resource, there: list[_Kafka], plain: set[str]
) -> list[_Kafka]:
    """The Kafka resources of the namespace if the name is not one of their Services.

    Empty if it is one of theirs or one of the ``plain`` ones of other files, or may be outside
    Kubernetes.
    """
    if "." in one.host and not in_kubernetes(one.host) and asker.traits.deployer != STRIMZI:
        return []
    for name, namespace in service_names(one.host):
        beside = [kafka for kafka in there if near(asker, kafka.place, namespace)]
        maybe = [kafka for kafka in there if maybe_near(asker, kafka.place, namespace)]
        if name.rpartition(".")[2] in plain:
            return []
        if any(name.rpartition(".")[2] in kafka.hosts for kafka in (*beside, *maybe)):
            return []
        made = _OF_KAFKA.fullmatch(name)
        if made is not None:
            mine = [kafka for kafka in beside if kafka.deployer == STRIMZI]
            if any(kafka.name == made[1] for kafka in (*mine, *maybe)):
                return []  # a listener of this resource: another rule
            return mine
        if asker.traits.deployer == CFK and in_kubernetes(one.host):
            return [kafka for kafka in beside if kafka.deployer == CFK]
    return []


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
            there = _in_network(network, reference.role, hosts)
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


def _in_network(network: Network, role: str, hosts: list[str]) -> list[str]:
    """The containers of a role in a network if none of the hosts is in it; else empty."""
    there = sorted(
        {one.name for names in network.names.values() for one in names if one.role == role}
    )
    if not hosts or any(host in network.names or _may_be_outside(host) for host in hosts):
        return []
    return [] if any(_numbered(host, there) for host in hosts) else there


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
        if not there or _numbered(name, there):
            return []
        found = there
    return found


def _mirrored(layout: Layout) -> tuple[dict[str, list[tuple[Setting, list[Asked]]]], set[int]]:
    """What the mirrors ask for each of their clusters, by file, and the ids of the settings for
    clusters of which no node is known.
    """
    mirrors: dict[str, list[tuple[Setting, list[Asked]]]] = {}
    lost: set[int] = set()
    for group in layout.found.groups:
        for resource in group.resources:
            if resource.traits.cluster_origin != ALIAS or resource.traits.deployer:
                continue
            setting = resource.settings.get("bootstrap.servers")
            found = list(asked(resource))
            if setting is not None and len(found) == len(endpoints.split(setting.text or "")):
                mirrors.setdefault(resource.path, []).append((setting, found))
                if not group.nodes:
                    lost.add(id(setting))
    return mirrors, lost


@rule("KC1085", "loopback-in-container", WARNING)
def loopback_in_container(layout: Layout) -> Iterator[Finding]:
    """A connector or a worker in a container connects to localhost, which is that container.

    Converters, Debezium's schema history and other settings of connectors are used in the worker. In a
    container localhost is the container itself; brokers and Schema Registry in other containers have
    the names of their services. (bootstrap.servers of clients in containers: bootstrap-loopback.)

    Bad: the schema history of a connector
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
          connect:
            image: quay.io/debezium/connect:3.0
            environment: {BOOTSTRAP_SERVERS: "kafka:9092", GROUP_ID: 1, CONFIG_STORAGE_TOPIC: c, OFFSET_STORAGE_TOPIC: o, STATUS_STORAGE_TOPIC: s}
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "database.hostname": "db", "database.server.id": "7", "topic.prefix": "shop",
         "schema.history.internal.kafka.bootstrap.servers": "localhost:9092",
         "schema.history.internal.kafka.topic": "shop-history"}}
    Bad: the converter of a worker
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
              SCHEMA_REGISTRY_HOST_NAME: registry
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: kafka:9092
          connect:
            image: confluentinc/cp-kafka-connect:7.5.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka:9092
              CONNECT_GROUP_ID: etl
              CONNECT_REST_ADVERTISED_HOST_NAME: connect
              CONNECT_CONFIG_STORAGE_TOPIC: configs
              CONNECT_OFFSET_STORAGE_TOPIC: offsets
              CONNECT_STATUS_STORAGE_TOPIC: status
              CONNECT_KEY_CONVERTER: org.apache.kafka.connect.storage.StringConverter
              CONNECT_VALUE_CONVERTER: io.confluent.connect.avro.AvroConverter
              CONNECT_VALUE_CONVERTER_SCHEMA_REGISTRY_URL: http://localhost:8081
              CONNECT_PLUGIN_PATH: /usr/share/java
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
          connect:
            image: quay.io/debezium/connect:3.0
            environment: {BOOTSTRAP_SERVERS: "kafka:9092", GROUP_ID: 1, CONFIG_STORAGE_TOPIC: c, OFFSET_STORAGE_TOPIC: o, STATUS_STORAGE_TOPIC: s}
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "database.hostname": "db", "database.server.id": "7", "topic.prefix": "shop",
         "schema.history.internal.kafka.bootstrap.servers": "kafka:9092",
         "schema.history.internal.kafka.topic": "shop-history"}}
    """
    for asking in layout.references.all():
        network, reference = asking.network, asking.reference
        role = reference.role
        if network is None or (asking.own and role == BROKER) or reference.guessed:
            continue
        if reference.asker.kind in ("broker", "controller"):
            continue  # only some of Confluent's features ask, by keys that other brokers do not read
        asked = entries(reference)
        advertised = reference.setting.key.startswith("rest.")  # a worker's own address
        if advertised or not asked or not all(loopback(one.host) and one.host for one in asked):
            continue
        there = {
            one.name: host
            for host, found in network.names.items()
            for one in found
            if one.role == role
        }
        if not there or reference.asker.name in there:
            continue
        setting, names = reference.setting, sorted(there)
        sets = f"sets {setting.key}={setting.text}, which is the container it runs in"
        if reference.unset:
            sets = f"does not set {setting.key}: the default is {setting.text}, its own container"
        instead = f"use {there[names[0]]} in place of {asked[0].host}"
        if role == BROKER:
            instead = f"use the listener advertised as {there[names[0]]}"
        yield finding(
            setting,
            f"{reference.asker.name} {sets}, but "
            f"{'the broker' if role == BROKER else SPOKEN[role]} is service {' or '.join(names)}",
            None,
            breaks="the connection is refused: localhost in a container is the container itself",
            fix=f"set {setting.key} to the address of {there[names[0]]}"
            if reference.unset
            else instead,
            severity=INFO if reference.unset else "",
        )


def _mirrors_in_networks(layout: Layout) -> Iterator[Finding]:
    """Clusters of a mirror that are unknown in the network of its other clusters."""
    networks = layout.references.networks
    if not networks:
        return
    mirrors, lost = _mirrored(layout)
    elsewhere = {
        address.host
        for group in layout.found.groups
        for node in group.nodes
        for address in node.traits.addresses
    }
    for path, lists in mirrors.items():
        known = [network for where, network in networks.items() if not place.strangers(path, where)]
        reached = [one for one in known if any(_reaches(one, wanted) for _, wanted in lists)]
        if len(reached) != 1:
            continue
        (network,) = reached
        if network.shared:
            continue
        for setting, wanted in lists:
            hosts = [one.host for one in wanted]
            there = _in_network(network, BROKER, hosts)
            # A broker of another file may be started in the same network.
            there = [] if elsewhere.intersection(hosts) else there
            if not there or id(setting) not in lost:
                continue
            brokers = "its broker is" if len(there) == 1 else "its brokers are"
            yield finding(
                setting,
                f"{setting.key}={setting.text}: the compose file of the mirror's other cluster has no "
                f"container {', '.join(hosts)}; {brokers} {', '.join(there)}",
                None,
                breaks="the name does not resolve: the mirror finds no broker of this cluster",
                fix="use the name of the broker's container, or attach the mirror to the networks of "
                "both clusters",
            )


def _reaches(network: Network, wanted: Iterable[Asked]) -> bool:
    """Whether one of the addresses is a broker's of the network."""
    return any(
        container.role == BROKER
        for one in wanted
        if not _may_be_outside(one.host)
        for container in network.names.get(one.host, ())
    )


def _may_be_outside(host: str) -> bool:
    """Whether a name may be that of a machine outside a network."""
    return loopback(host) or not short(host)


def _numbered(host: str, names: list[str]) -> bool:
    """Whether a host differs from one of the names only in its number: it may be in another file."""
    bare = _DIGITS.sub("", host)
    return any(_DIGITS.search(name) and _DIGITS.sub("", name) == bare for name in names)
