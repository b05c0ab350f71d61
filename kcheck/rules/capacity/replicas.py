"""KC20: replicas of brokers and other servers that have the same id or address."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import images
from kcheck.model import COMPOSE, ERROR, FACT, WARNING, Derived, Finding, Resource, Running, Setting
from kcheck.model.processes import A_DEBEZIUM, A_STANDALONE, Process
from kcheck.rule import rule
from kcheck.rules.shared.processes import finding, told
from kcheck.units import whole
from kcheck.wording import count

_IDS = ("node.id", "broker.id")
_ZOOKEEPERS = ("ZOOKEEPER_SERVER_ID", "ZOO_MY_ID", "ZOO_SERVER_ID")
#: What instances of a program tell each other, and what breaks where it leads to any of them.
_HOSTS = {
    "host.name": "a follower forwards writes to the leader at this address, where any of the "
    "instances answers",
    "ksql.advertised.listener": "requests that one server forwards to another reach any of them",
}


def scaled_processes(document: Running) -> Iterator[tuple[Process, float, Setting]]:
    """The processes that run more than once at the same time, how often, and where that is written."""
    for process in document.processes:
        replicas = process.replicas
        if replicas is None:
            continue
        number = whole(replicas.text)
        if number is not None and number > 1:
            replicas.amount = number
            yield process, number, replicas


def node_of(document: Running, process: Process) -> Resource | None:
    """The broker or controller that a process is."""
    found = (one for one in document.resources if one.traits.process is process)
    return next((one for one in found if one.kind in ("broker", "controller")), None)


def severity_by_image(node: Resource | None) -> str:
    """A warning for a node of an image that is not known: its script may compute the value."""
    return ERROR if node is None or node.traits.image_family in images.families() else WARNING


def _set(resource: Resource, *keys: str) -> Setting | None:
    """The setting of one of the keys that all replicas have alike; None where each may have its own.

    What a pod has from its own name is derived from the workload's, or unknown; a shell fills in the
    rest.
    """
    for key in keys:
        setting = resource.settings.get(key)
        if setting is not None:
            own = type(setting) is Derived or setting.text is None or "$" in setting.text
            return None if own else setting
    return None


@rule("KC2018", "replicas-one-id", ERROR)
def replicas_one_id(document: Running) -> Iterator[Finding]:
    """All replicas of a broker or ZooKeeper have the same id.

    All pods of a workload, and all containers of a service, have the same variables and files. Only
    one of several brokers with one node.id registers: KRaft controllers reject the others
    (DUPLICATE_BROKER_REGISTRATION), in ZooKeeper mode the id's znode exists. A warning for images that
    are not known, whose script may compute the id.

    Bad:
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:3.9.1
                  env:
                    - {name: KAFKA_NODE_ID, value: "1"}
                    - {name: KAFKA_PROCESS_ROLES, value: broker}
    Bad: ZooKeeper
        --- docker-compose.yml
        services:
          zookeeper:
            image: confluentinc/cp-zookeeper:7.5.0
            deploy: {replicas: 3}
            environment: {ZOOKEEPER_CLIENT_PORT: 2181, ZOOKEEPER_SERVER_ID: 1}
    Good: from the pod's name
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:3.9.1
                  command: [sh, -c, "export KAFKA_NODE_ID=${HOSTNAME##*-} && exec /etc/kafka/docker/run"]
                  env:
                    - {name: KAFKA_NODE_ID, value: "1"}
                    - {name: KAFKA_PROCESS_ROLES, value: broker}
    Good: one replica
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            deploy: {replicas: 1}
            environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: "broker,controller"}
    Good: the id of a broker from the pod's name
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.3.2
                  env:
                    - name: KAFKA_BROKER_ID
                      valueFrom: {fieldRef: {fieldPath: metadata.name}}
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "zk:2181"}
    """
    for process, number, replicas in scaled_processes(document):
        node = node_of(document, process)
        if node is not None and node.traits.deployer == COMPOSE:
            continue  # a rule on the nodes of a cluster tells that of containers
        identity = _set(node, *_IDS) if node is not None else process.identity
        if identity is None or identity.key not in (*_IDS, *_ZOOKEEPERS):
            continue
        if (identity.text or "").startswith("-"):
            continue
        yield finding(
            process,
            f"{process} runs {count(number, 'replica')} with the same {identity.key}={identity.text}",
            (told(process, identity), told(process, replicas, FACT)),
            "only one of them joins the cluster; the others exit",
            f"compute {identity.name} in the command from the number in the pod's name, or declare a "
            "service for each",
            severity_by_image(node),
        )


#: Programs whose instances know nothing of each other, and what each of them does.
_ALONE = {
    A_STANDALONE: "each replica runs all connectors with offsets of its own: records are produced "
    "twice, and a replication slot serves only one of them",
    A_DEBEZIUM: "each replica captures the same changes with a position of its own: events are sent "
    "twice, or the second one fails because the replication slot or server id is in use",
}


@rule("KC2031", "replicas-of-standalone", WARNING)
def replicas_of_standalone(document: Running) -> Iterator[Finding]:
    """A standalone Connect worker or Debezium Server runs more than once.

    Their instances form no group: each runs the same connectors by itself. Distributed workers share
    connectors and tasks among their replicas.

    Bad: standalone workers
        --- connect.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: connect}
        spec:
          replicas: 2
          template:
            spec:
              containers:
                - name: connect
                  image: apache/kafka:3.9.1
                  command: [/opt/kafka/bin/connect-standalone.sh, /etc/worker.properties, /etc/rows.properties]
    Bad: Debezium Server
        --- docker-compose.yml
        services:
          cdc:
            image: quay.io/debezium/server:3.0
            deploy: {replicas: 3}
            volumes: ["offsets:/debezium/data"]
        volumes: {offsets: {}}
    Good: distributed workers
        --- connect.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: connect}
        spec:
          replicas: 2
          template:
            spec:
              containers:
                - name: connect
                  image: apache/kafka:3.9.1
                  command: [/opt/kafka/bin/connect-distributed.sh, /etc/worker.properties]
    Good: one replica
        --- docker-compose.yml
        services:
          cdc:
            image: quay.io/debezium/server:3.0
            deploy: {replicas: 1}
            volumes: ["offsets:/debezium/data"]
        volumes: {offsets: {}}
    """
    for process, number, replicas in scaled_processes(document):
        if process.program in _ALONE:
            yield finding(
                process,
                f"{process} runs {count(number, 'replica')}, which do not share its work",
                (told(process, replicas),),
                _ALONE[process.program],
                f"set {replicas.key} to 1"
                + (", or run connect-distributed" if process.program == A_STANDALONE else ""),
            )


@rule("KC2021", "replicas-one-host", WARNING)
def replicas_one_host(document: Running) -> Iterator[Finding]:
    """All pods of Schema Registry or ksqlDB advertise the same address to each other.

    The instances forward requests to one of them: Schema Registry's writes to the leader, ksqlDB's pull
    queries to the server with the state. The name of a Service leads to any of them.

    Bad:
        --- registry.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: registry}
        spec:
          replicas: 2
          template:
            spec:
              containers:
                - name: registry
                  image: confluentinc/cp-schema-registry:7.6.1
                  env: [{name: SCHEMA_REGISTRY_HOST_NAME, value: registry}]
    Good:
        --- registry.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: registry}
        spec:
          replicas: 2
          template:
            spec:
              containers:
                - name: registry
                  image: confluentinc/cp-schema-registry:7.6.1
                  env:
                    - name: SCHEMA_REGISTRY_HOST_NAME
                      valueFrom: {fieldRef: {fieldPath: status.podIP}}
    """
    clients = {id(one.traits.process) for one in document.resources}
    for process, number, replicas in scaled_processes(document):
        address = process.identity
        if address is None or address.key not in _HOSTS or id(process) in clients:
            continue
        yield finding(
            process,
            f"{process} runs {count(number, 'replica')} with the same {address.key}={address.text}",
            (told(process, address), told(process, replicas, FACT)),
            _HOSTS[address.key],
            f"set {address.name} to the pod's IP (fieldRef status.podIP)",
        )


@rule("KC2019", "replicas-one-address", ERROR)
def replicas_one_address(document: Running) -> Iterator[Finding]:
    """All replicas of a broker advertise the same address.

    Clients connect to the leader of a partition at its advertised address. The name of a Service, or of
    a scaled compose service, leads to any of the replicas: requests reach brokers that are not the
    leader, and fail with NOT_LEADER_OR_FOLLOWER on every retry. In ZooKeeper mode the second broker
    does not start, because its endpoint is registered already. A warning for images that are not
    known, whose script may compute the address.

    Bad:
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.5.3
                  command: [sh, -c, "export KAFKA_BROKER_ID=${HOSTNAME##*-} && exec /etc/confluent/docker/run"]
                  env:
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "zk:2181"}
                    - {name: KAFKA_ADVERTISED_LISTENERS, value: "PLAINTEXT://kafka.msg:9092"}
    Good: the pod's own name
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.5.3
                  command: [sh, -c, "export KAFKA_BROKER_ID=${HOSTNAME##*-} && exec /etc/confluent/docker/run"]
                  env:
                    - name: POD_NAME
                      valueFrom: {fieldRef: {fieldPath: metadata.name}}
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "zk:2181"}
                    - {name: KAFKA_ADVERTISED_LISTENERS, value: "PLAINTEXT://$(POD_NAME).kafka.msg:9092"}
    """
    for process, number, replicas in scaled_processes(document):
        node = node_of(document, process)
        address = _set(node, "advertised.listeners") if node is not None else None
        if node is None or node.kind != "broker" or address is None:
            continue
        if not any(host for host in _hosts(address.text or "")):
            continue
        yield finding(
            process,
            f"{process} runs {count(number, 'replica')} with the same {address.key}={address.text}",
            (told(process, address), told(process, replicas, FACT)),
            "clients reach any of the brokers at this address, not the leader of a partition "
            "(NOT_LEADER_OR_FOLLOWER); in ZooKeeper mode the second broker does not start",
            "advertise an address of each broker, such as its pod's name in the headless Service",
            severity_by_image(node),
        )


def _hosts(listeners: str) -> list[str]:
    """The hosts of a list of listeners; "" for those that have the one of their machine."""
    return [
        entry.partition("://")[2].rpartition(":")[0].strip("[]") for entry in listeners.split(",")
    ]
