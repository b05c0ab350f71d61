"""KC09: the ids by which servers of ksqlDB and Schema Registry find each other."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import identities
from kcheck.graph.clients import Client
from kcheck.graph.cluster import ClusterWithClients
from kcheck.model import WARNING, Derived, Finding, Setting, Value
from kcheck.rule import PREVIEW, rule
from kcheck.rules.groups.identities import may_run_together
from kcheck.wording import plain

#: As ``kcheck.formats.servers.clients`` calls the fact.
_LEADS = "registry.leader.eligibility"


@rule("KC0962", "ksql-service-id-shared", WARNING)
def ksql_service_id_shared(cluster: ClusterWithClients) -> Iterator[Finding]:
    """ksqlDB servers with one ksql.service.id run different query files.

    ksql.service.id names the ksqlDB cluster: the ids of its queries' consumer groups, state and internal
    topics begin with it. Headless servers of one cluster share the work of one file. Servers with
    another file join the same groups with other topologies.

    Bad:
        --- docker-compose.yml
        services:
          fraud:
            image: confluentinc/ksqldb-server:0.29.0
            volumes: ["./fraud.sql:/etc/ksqldb/queries.sql:ro"]
            environment:
              KSQL_BOOTSTRAP_SERVERS: kafka:9092
              KSQL_KSQL_SERVICE_ID: cards_
              KSQL_KSQL_QUERIES_FILE: /etc/ksqldb/queries.sql
          rewards:
            image: confluentinc/ksqldb-server:0.29.0
            volumes: ["./rewards.sql:/etc/ksqldb/queries.sql:ro"]
            environment:
              KSQL_BOOTSTRAP_SERVERS: kafka:9092
              KSQL_KSQL_SERVICE_ID: cards_
              KSQL_KSQL_QUERIES_FILE: /etc/ksqldb/queries.sql
    Good: two servers of one cluster
        --- docker-compose.yml
        services:
          fraud-1:
            image: confluentinc/ksqldb-server:0.29.0
            volumes: ["./fraud.sql:/etc/ksqldb/queries.sql:ro"]
            environment:
              KSQL_BOOTSTRAP_SERVERS: kafka:9092
              KSQL_KSQL_SERVICE_ID: cards_
              KSQL_KSQL_QUERIES_FILE: /etc/ksqldb/queries.sql
          fraud-2:
            image: confluentinc/ksqldb-server:0.29.0
            volumes: ["./fraud.sql:/etc/ksqldb/queries.sql:ro"]
            environment:
              KSQL_BOOTSTRAP_SERVERS: kafka:9092
              KSQL_KSQL_SERVICE_ID: cards_
              KSQL_KSQL_QUERIES_FILE: /etc/ksqldb/queries.sql
    """
    first: dict[str, Value] = {}
    for client in cluster.clients:
        service = client.resource.traits.service_id
        queries = client.resource.traits.queries
        if service is None or queries is None or not service.text:
            continue
        told = identities.told(client.resource, queries)
        theirs = first.setdefault(service.text, told)
        if theirs.text != told.text:
            yield client.finding(
                f"ksql.service.id={service.text} runs {told.text} here, but {theirs.text} on another "
                "server of the same ksqlDB cluster",
                at=identities.told(client.resource, service),
                because=(told, theirs),
                breaks="the servers join the same consumer groups with different queries: queries of "
                "one of them stall or process partitions of the other",
                fix="set a ksql.service.id of its own for each file of queries",
            )


@rule("KC0963", "registry-group-split", WARNING)
def registry_group_split(cluster: ClusterWithClients) -> Iterator[Finding]:
    """Schema Registries share a topic but not a group, or a group but not a topic.

    The instances with one schema.registry.group.id elect a leader, which alone assigns schema ids in
    kafkastore.topic. Two groups with one topic have two leaders, which may assign one id to different
    schemas. In one group with two topics, writes are forwarded to a leader with another store.

    Bad: two leaders
        --- docker-compose.yml
        services:
          blue:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: blue
              SCHEMA_REGISTRY_SCHEMA_REGISTRY_GROUP_ID: blue
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka:9092
          green:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: green
              SCHEMA_REGISTRY_SCHEMA_REGISTRY_GROUP_ID: green
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka:9092
    Bad: two stores
        --- docker-compose.yml
        services:
          blue:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: blue
              SCHEMA_REGISTRY_KAFKASTORE_TOPIC: _schemas_blue
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka:9092
          green:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: green
              SCHEMA_REGISTRY_KAFKASTORE_TOPIC: _schemas_green
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka:9092
    Good: two instances
        --- docker-compose.yml
        services:
          blue:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: blue
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka:9092
          green:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: green
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka:9092
    Good: two registries
        --- docker-compose.yml
        services:
          blue:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: blue
              SCHEMA_REGISTRY_SCHEMA_REGISTRY_GROUP_ID: blue
              SCHEMA_REGISTRY_KAFKASTORE_TOPIC: _schemas_blue
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka:9092
          green:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: green
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka:9092
    """
    seen: list[tuple[Client, Value, Value]] = []
    for client in cluster.clients:
        if client.resource.traits.registry is None:
            continue
        group, topic = (_registry(client, one) for one in client.resource.traits.registry)
        servers = client["bootstrap.servers"].text
        if not (group.text and topic.text and servers):
            continue
        for other, its_group, its_topic in seen:
            alike = other["bootstrap.servers"].text == servers and may_run_together(client, other)
            if not alike or (group.text == its_group.text) == (topic.text == its_topic.text):
                continue
            one, two = (group, topic) if topic.text == its_topic.text else (topic, group)
            same = "topic" if one is group else "group"
            at = one if one.explicit else its_group if one is group else its_topic
            yield client.finding(
                f"{client} has {plain(one)}, but {other} with the same {two.key} has "
                f"{its_group.text if one is group else its_topic.text}",
                at=at,
                because=(two, its_group if one is group else its_topic),
                breaks="two leaders may assign one id to different schemas in the topic"
                if same == "topic"
                else "writes are forwarded to a leader that keeps its schemas in another topic",
                fix=f"set the same {one.key} for the instances of one registry, and another "
                f"{two.key} for another registry",
            )
            break
        seen.append((client, group, topic))


@rule("KC0964", "registry-without-leader", WARNING, set=PREVIEW)
def registry_without_leader(cluster: ClusterWithClients) -> Iterator[Finding]:
    """No instance of a Schema Registry may become the leader.

    Instances with leader.eligibility=false forward all writes to a leader. Where none of those with
    the same brokers, group and topic may lead, no schema can be registered. Reported only beside the
    brokers: a registry that follows one in another data centre asks brokers that are elsewhere.

    Bad:
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: "broker,controller", KAFKA_ADVERTISED_LISTENERS: "PLAINTEXT://kafka:9092"}
          registry:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: registry
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka:9092
              SCHEMA_REGISTRY_LEADER_ELIGIBILITY: "false"
    Good: another instance leads
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: "broker,controller", KAFKA_ADVERTISED_LISTENERS: "PLAINTEXT://kafka:9092"}
          registry:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: registry
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka:9092
              SCHEMA_REGISTRY_LEADER_ELIGIBILITY: "false"
          leader:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: leader
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka:9092
    Good: brokers elsewhere
        --- docker-compose.yml
        services:
          registry:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: registry
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka.elsewhere.example:9092
              SCHEMA_REGISTRY_LEADER_ELIGIBILITY: "false"
    """
    groups: dict[tuple[str | None, ...], list[Client]] = {}
    for client in cluster.clients if cluster.brokers else ():
        if client.resource.traits.registry is not None:
            told = (one.text for one in client.resource.traits.registry)
            groups.setdefault((client["bootstrap.servers"].text, *told), []).append(client)
    for members in groups.values():
        leads = [client.fact(_LEADS) for client in members]
        if all((one.text or "").lower() == "false" for one in leads):
            yield members[0].finding(
                f"{members[0]} may not become the leader, nor may another instance of its registry",
                at=leads[0],
                because=leads[1:],
                breaks="no schema can be registered: the instances know no leader to forward writes to",
                fix="set leader.eligibility=true for one of them",
            )


def _registry(client: Client, setting: Setting) -> Value:
    if type(setting) is Derived:
        return identities.given(client.resource, setting.key, setting.text or "")
    return identities.told(client.resource, setting)
