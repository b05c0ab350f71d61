"""KC09: names and addresses of which each process of a client needs one of its own."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import identities
from kcheck.graph.clients import Client, Connector, Streams
from kcheck.graph.cluster import ClusterWithClients
from kcheck.graph.running import instances
from kcheck.grouping.place import compatible, environments
from kcheck.model import COMPOSE, ERROR, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.wording import count, plain

_MEMBER = identities.MEMBER
_FENCED = (
    "each member that joins fences the previous one, which stops with FencedInstanceIdException"
)


@rule(
    "KC0960",
    "static-member-shared",
    ERROR,
    refs=("KIP-345",),
)
def static_member_shared(cluster: ClusterWithClients) -> Iterator[Finding]:
    """Members of one group that run at the same time share a group.instance.id.

    A static member is known by its group.instance.id. A second member with the same id fences the
    first one. All replicas of a workload have the same file and variables, and all tasks of a sink the
    same overrides. Two consumers of one group with the same id are reported as a warning: they may not
    run at the same time. So are the tasks of a sink, which may be fewer than tasks.max.

    Bad: replicas
        --- kcheck.yaml
        consumers: [{name: billing, instances: 3, config: {group.id: billing, group.instance.id: billing-1}}]
    Bad: two consumers
        --- application.properties
        kafka.bootstrap.servers=k1:9092
        mp.messaging.incoming.orders.connector=smallrye-kafka
        mp.messaging.incoming.orders.group.id=desk
        mp.messaging.incoming.orders.group.instance.id=desk-1
        mp.messaging.incoming.returns.connector=smallrye-kafka
        mp.messaging.incoming.returns.group.id=desk
        mp.messaging.incoming.returns.group.instance.id=desk-1
    Bad: pods with the same variables
        --- app.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: app}
        spec:
          replicas: 2
          template:
            spec:
              containers:
                - name: app
                  image: example.com/app:1
                  env:
                    - {name: SPRING_KAFKA_BOOTSTRAP_SERVERS, value: "k1:9092"}
                    - {name: SPRING_KAFKA_CONSUMER_PROPERTIES_GROUP_INSTANCE_ID, value: app-1}
    Bad: the tasks of a sink
        --- kcheck.yaml
        connectors:
          - name: files
            config:
              connector.class: FileStreamSink
              topics: orders
              tasks.max: 2
              consumer.override.group.instance.id: files-1
    Good:
        --- kcheck.yaml
        consumers:
          - {name: billing, config: {group.id: billing, group.instance.id: billing-1}}
          - {name: refunds, config: {group.id: billing, group.instance.id: billing-2}}
    Good: each instance sets its own
        --- kcheck.yaml
        consumers:
          - {name: billing, instances: 3, config: {group.id: billing, group.instance.id: "billing-${HOSTNAME}"}}
    Good: another group
        --- kcheck.yaml
        consumers:
          - {name: billing, config: {group.id: billing, group.instance.id: member-1}}
          - {name: refunds, config: {group.id: refunds, group.instance.id: member-1}}
    Bad: pods that an autoscaler keeps
        --- app.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: app}
        spec:
          template:
            spec:
              containers:
                - name: app
                  image: example.com/app:1
                  env:
                    - {name: SPRING_KAFKA_BOOTSTRAP_SERVERS, value: "k1:9092"}
                    - {name: SPRING_KAFKA_CONSUMER_PROPERTIES_GROUP_INSTANCE_ID, value: app-1}
        ---
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: app}
        spec: {scaleTargetRef: {kind: Deployment, name: app}, minReplicas: 2, maxReplicas: 8}
    """
    first: dict[tuple[str, str], tuple[Client, Value]] = {}
    for client in cluster.clients:
        for member in identities.of_process(client):
            if not member.key.endswith(_MEMBER):
                continue
            processes = instances(client)
            if processes.number > 1:
                yield client.finding(
                    f"{client} runs {count(processes.number, 'instance')} with the same "
                    f"{plain(member)}",
                    at=member,
                    because=(processes,),
                    breaks=_FENCED,
                    fix=f"give each instance its own {_MEMBER}, such as the name of its pod",
                )
                continue
            group = client["application.id" if isinstance(client, Streams) else "group.id"].text
            if not group:
                continue
            other, theirs = first.setdefault((group, member.text or ""), (client, member))
            if other is not client and may_run_together(client, other):
                yield client.finding(
                    f"{client} joins group {group} with {plain(member)}, the same as another "
                    "consumer",
                    at=member,
                    because=(theirs,),
                    breaks=f"if both run at the same time, {_FENCED}",
                    fix=f"give each consumer its own {_MEMBER}, or its own group.id",
                    severity=WARNING,
                )
    for connector in cluster.connectors:
        yield from _of_tasks(connector)


def _of_tasks(connector: Connector) -> Iterator[Finding]:
    member, tasks = connector["consumer.override.group.instance.id"], connector["tasks.max"]
    if member.text and tasks.number > 1:
        yield connector.finding(
            f"{connector} gives the consumers of {plain(tasks)} the same {plain(member)}",
            at=member,
            because=(tasks,),
            breaks=f"the consumers of all tasks are in one group: {_FENCED}",
            fix="remove it, or set tasks.max=1",
            # A connector may make fewer tasks than it is allowed.
            severity=WARNING,
        )


def may_run_together(one: Client, other: Client) -> bool:
    """Whether two clients may run at the same time: no two forms of one program, by file or profile."""
    mine, theirs = one.resource, other.resource
    if mine.traits.profile or theirs.traits.profile:
        return False
    if mine.path == theirs.path:
        return True
    if one.name == other.name and mine.name != (one["group.id"].text or ""):
        return False
    alike = mine.path.rpartition("/")[2] == theirs.path.rpartition("/")[2]
    return not alike and compatible(environments(mine.path), environments(theirs.path))


#: The name of a REST Proxy, of which it makes ids of consumers (KafkaRestConfig).
_PROXY = "id"
#: By key: what breaks where several processes have the same address.
_ADDRESSES = {
    "rest.advertised.host.name": "a follower forwards requests to the leader at this address, where "
    "any of the workers answers (409 and 500 responses at random)",
    "application.server": "interactive queries for keys of another instance are sent to any of them",
    "host.name": "a follower forwards writes to the leader at this address, where any of the "
    "instances answers",
    _PROXY: "consumers that do not name themselves get ids that another instance gives, too",
    "ksql.advertised.listener": "requests that one server forwards to another reach any of them",
}


@rule("KC0961", "address-of-instances", WARNING)
def address_of_instances(client: Client) -> Iterator[Finding]:
    """Instances of a program advertise the same address to each other.

    Connect workers, Schema Registry, ksqlDB servers and Streams applications forward requests to one
    particular instance. rest.advertised.host.name, host.name, ksql.advertised.listener and
    application.server must be an address at which only that instance answers: the name of a scaled
    service or workload stands for all of them. A REST Proxy names consumers by its own id. Two services of one compose file that are members of one
    group need an address each, too.

    Bad:
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.6.1
            deploy: {replicas: 3}
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka:9092
              CONNECT_REST_ADVERTISED_HOST_NAME: connect
              CONNECT_GROUP_ID: etl
              CONNECT_CONFIG_STORAGE_TOPIC: etl-configs
              CONNECT_OFFSET_STORAGE_TOPIC: etl-offsets
              CONNECT_STATUS_STORAGE_TOPIC: etl-status
              CONNECT_KEY_CONVERTER: org.apache.kafka.connect.json.JsonConverter
              CONNECT_VALUE_CONVERTER: org.apache.kafka.connect.json.JsonConverter
    Bad: Schema Registry
        --- docker-compose.yml
        services:
          registry:
            image: confluentinc/cp-schema-registry:7.6.1
            scale: 2
            environment:
              SCHEMA_REGISTRY_HOST_NAME: registry
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka:9092
    Bad: interactive queries
        --- kcheck.yaml
        streams: [{name: totals, instances: 2, config: {application.id: totals, application.server: "totals:8080"}}]
    Bad: the id of a REST Proxy
        --- docker-compose.yml
        services:
          rest:
            image: confluentinc/cp-kafka-rest:7.6.1
            scale: 2
            environment: {KAFKA_REST_HOST_NAME: rest, KAFKA_REST_ID: rest-1, KAFKA_REST_BOOTSTRAP_SERVERS: "kafka:9092"}
    Good: one instance
        --- docker-compose.yml
        services:
          registry:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: registry
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka:9092
    Good: each instance sets its own
        --- kcheck.yaml
        streams:
          - {name: totals, instances: 2, config: {application.id: totals, application.server: "${POD_IP}:8080"}}
    Bad: two services
        --- docker-compose.yml
        services:
          registry-1:
            image: confluentinc/cp-schema-registry:7.6.1
            environment: &both
              SCHEMA_REGISTRY_HOST_NAME: registry
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka:9092
          registry-2:
            image: confluentinc/cp-schema-registry:7.6.1
            environment: *both
    Good: two services of two groups
        --- docker-compose.yml
        services:
          registry-1:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: localhost
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka-a:9092
              SCHEMA_REGISTRY_KAFKASTORE_TOPIC: _schemas_a
          registry-2:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: localhost
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka-b:9092
    """
    processes = instances(client)
    if not processes.number > 1:
        yield from _address_of_another(client)
        return
    for address in identities.of_process(client):
        breaks = _ADDRESSES.get(address.key)
        if breaks:
            yield client.finding(
                f"{client} runs {count(processes.number, 'instance')} with the same {plain(address)}",
                at=address,
                because=(processes,),
                breaks=breaks,
                fix=f"set {address.key} to {'a name' if address.key == _PROXY else 'an address'} of "
                "each instance, such as its pod's IP or host name",
            )


def _address_of_another(client: Client) -> Iterator[Finding]:
    """The finding on a member of a group whose address another service of the compose file has."""
    crew = _crew(client)
    if client.resource.traits.deployer != COMPOSE or not crew:
        return
    mine = {one.key: one for one in identities.of_process(client) if one.key in _ADDRESSES}
    for other in client.cluster.clients if mine else ():
        if other is client:
            return
        if other.resource.path != client.resource.path or _crew(other) != crew:
            continue
        for address in identities.of_process(other):
            own = mine.get(address.key)
            if own is not None and own.text == address.text:
                yield client.finding(
                    f"{client} has the same {plain(own)} as {other}",
                    at=own,
                    because=(address,),
                    breaks=_ADDRESSES[own.key],
                    fix=f"set {own.key} to an address of each service, such as its name",
                )
                return


def _crew(client: Client) -> tuple[str, ...]:
    """What the members of one group have in common; nothing where the group is not told."""
    traits, settings = client.resource.traits, client.resource.settings
    told = traits.registry or (
        *(settings.get(key) for key in ("group.id", "application.id")),
        traits.service_id,
    )
    group = [(one and one.text) or "" for one in told]
    servers = settings.get("bootstrap.servers")
    return (*group, (servers and servers.text) or "") if any(group) else ()
