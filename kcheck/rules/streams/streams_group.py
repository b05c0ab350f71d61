"""KC15: application.id: valid as a prefix of topic names, and used by one application."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Consumer, Streams
from kcheck.graph.cluster import ClusterWithClients
from kcheck.graph.nodes import Node
from kcheck.grouping.place import compatible, environments
from kcheck.model import ABSENT, WARNING, Finding, Note, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.keys_wording import key_evidence, noted
from kcheck.wording import plain

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


_LONGEST = 249


#: The shortest suffix that Streams adds to an application.id: the changelog of a one-letter store.
_ADDED = len("-s-changelog")


@rule(
    "KC1507",
    "streams-app-id",
    WARNING,
    kafka=FAILED,
    on=("application.id",),
    invariants=("streams-app-id", "topic-name-length-mm2-streams"),
)
def streams_app_id(streams: Streams) -> Iterator[Finding]:
    """application.id is not a valid prefix of topic names.

    The names of all changelog and repartition topics begin with the application.id. It may contain
    a–z, A–Z, 0–9, dot, underscore and hyphen, and must leave room for the suffix: a topic name has
    at most 249 characters.

    Bad:
        --- kcheck.yaml
        streams: [{name: totals, config: {application.id: "daily totals"}}]
    Bad: too long
        --- kcheck.yaml
        streams:
          - name: totals
            config:
              application.id: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    Good:
        --- kcheck.yaml
        streams: [{name: totals, config: {application.id: daily-totals_1.0}}]
    Good: a template
        --- kcheck.yaml
        streams: [{name: totals, config: {application.id: "totals-${COLOUR}"}}]
    """
    value = streams["application.id"]
    name = value.text or ""
    if len(name) + _ADDED > _LONGEST:
        wrong = f"has {len(name)} characters, so the names of its topics exceed {_LONGEST}"
    elif not _LETTERS.issuperset(name):
        wrong = "contains a character other than a–z, A–Z, 0–9, dot, underscore and hyphen"
    else:
        return
    yield streams.finding(
        f"{streams}: {plain(value)} {wrong}",
        at=value,
        breaks="the application stops when it creates its first changelog or repartition topic "
        "(InvalidTopicException)",
        fix="set application.id to a valid prefix of a topic name",
    )


@rule(
    "KC1508",
    "streams-app-id-shared",
    WARNING,
    invariants=("streams-app-id",),
)
def streams_app_id_shared(cluster: ClusterWithClients) -> Iterator[Finding]:
    """Two applications share one application.id, or a consumer uses it as group.id.

    application.id is the name of a consumer group, and all members of that group must run the same
    topology. The group leader assigns the tasks of its own topology to all members: another
    application cannot run the tasks it is assigned, and its own topics are not read. Both
    applications report RUNNING. A plain consumer with that group.id cannot join
    (InconsistentGroupProtocolException).

    Bad: two applications
        --- kcheck.yaml
        streams:
          - {name: totals, topics: [orders], config: {application.id: shop}}
          - {name: refunds, topics: [returns], config: {application.id: shop}}
    Bad: a consumer
        --- kcheck.yaml
        streams: [{name: totals, config: {application.id: shop}}]
        consumers: [{name: mailer, config: {group.id: shop}}]
    Bad: two programs that are called alike
        --- tariffs/application.properties
        quarkus.kafka-streams.bootstrap-servers=kafka-1.example.net:9092
        quarkus.kafka-streams.application-id=energy
        quarkus.kafka-streams.topics=tariffs
        --- meters/application.properties
        quarkus.kafka-streams.bootstrap-servers=kafka-1.example.net:9092
        quarkus.kafka-streams.application-id=energy
        quarkus.kafka-streams.topics=meters
    Good:
        --- kcheck.yaml
        streams:
          - {name: totals, topics: [orders], config: {application.id: shop-totals}}
          - {name: refunds, topics: [returns], config: {application.id: shop-refunds}}
        consumers: [{name: mailer, config: {group.id: shop}}]
    Good: settings of one program, which may not create the consumer
        --- application.properties
        spring.kafka.bootstrap-servers=k1:9092
        spring.kafka.streams.application-id=shop
        spring.kafka.consumer.group-id=shop
    Good: two instances of one application
        --- a/streams.properties
        bootstrap.servers=k1:9092
        application.id=shop
        --- b/streams.properties
        bootstrap.servers=k1:9092
        application.id=shop
        --- kcheck.yaml
        cluster: {name: core, brokers: 3}
    """
    first: dict[str, Streams] = {}
    for client in cluster.clients:
        identity = client["application.id"]
        if not isinstance(client, Streams) or not identity.text:
            continue
        other = first.setdefault(identity.text, client)
        if other.name != client.name or _differ(client, other):
            program = str(other) if other.name != client.name else f"that of {other.resource.path}"
            yield client.finding(
                f"{client} has {plain(identity)}, which {program} uses too",
                at=identity,
                because=(other["application.id"],),
                breaks="unless both run the same topology, the group leader assigns only its own "
                "tasks: topics of the other application, and tasks assigned to it, are not "
                "processed, without an error",
                fix="set a unique application.id for each application",
            )
    for client in cluster.clients if first else ():
        if not isinstance(client, Consumer):
            continue
        group = client["group.id"]
        owner = first.get(group.text or "")
        # A program often has consumer settings that no consumer of it uses.
        if owner is not None and not _of_one_program(client, owner):
            yield client.finding(
                f"{client} has {plain(group)}, which is the application.id of {owner}",
                at=group,
                because=(owner["application.id"],),
                breaks="the second to start cannot join the group "
                "(InconsistentGroupProtocolException)",
                fix=f"set another group.id for {client.name}",
            )


def _differ(one: Streams, other: Streams) -> bool:
    """Whether two files of one name are of two programs: neither reads the topics of the other only."""
    mine, theirs = (set(node.resource.traits.topics or ()) for node in (one, other))
    paths = one.resource.path, other.resource.path
    return (
        not (mine.issubset(theirs) or theirs.issubset(mine))
        and paths[0] != paths[1]
        and compatible(*map(environments, paths))
    )


def _of_one_program(one: Consumer, other: Streams) -> bool:
    program = one.resource.traits.application
    return program != "" and program == other.resource.traits.application


@rule(
    "KC1509",
    "streams-app-id-of-bindings",
    WARNING,
    invariants=("streams-app-id",),
)
def streams_app_id_of_bindings(note: Note, node: Node) -> Iterator[Finding]:
    """Several processors of a Spring Cloud Stream application share one application.id.

    The Kafka Streams binder creates an application for each processor. Where neither the processor
    nor its input binding has an applicationId, all of them use the binder's, or the default group:
    they form one group, and the topics of all but one are not read, without an error.

    Bad:
        --- application.yml
        spring:
          cloud:
            stream:
              default: {group: shop}
              kafka:
                streams:
                  binder: {brokers: "k1:9092"}
                  bindings:
                    totals-in-0: {consumer: {startOffset: earliest}}
                    refunds-in-0: {consumer: {startOffset: earliest}}
    Good:
        --- application.yml
        spring:
          cloud:
            stream:
              default: {group: shop}
              kafka:
                streams:
                  binder: {brokers: "k1:9092"}
                  bindings:
                    totals-in-0: {consumer: {applicationId: shop-totals}}
                    refunds-in-0: {consumer: {applicationId: shop-refunds}}
    Good: two inputs of one function
        --- application.yml
        spring:
          cloud:
            stream:
              default: {group: shop}
              kafka:
                streams:
                  binder: {brokers: "k1:9092"}
                  bindings:
                    totals-in-0: {consumer: {startOffset: earliest}}
                    totals-in-1: {consumer: {startOffset: earliest}}
    Good: each has its function's name
        --- application.yml
        spring:
          cloud:
            stream:
              kafka:
                streams:
                  binder: {brokers: "k1:9092"}
                  bindings:
                    totals-in-0: {consumer: {startOffset: earliest}}
                    refunds-in-0: {consumer: {startOffset: earliest}}
    """
    yield noted(note, node)


_REPLICAS = "ksql.internal.topic.replicas"


@rule(
    "KC1520",
    "ksql-internal-replicas",
    WARNING,
    kafka=FAILED,
    invariants=("streams-rf",),
)
def ksql_internal_replicas(note: Note, node: Node) -> Iterator[Finding]:
    """ksqlDB creates its topics with fewer replicas than min.insync.replicas.

    ksql.streams.replication.factor applies to the topics of queries only. The command topic and the
    processing log use ksql.internal.topic.replicas, which is 1 by default; Confluent Cloud rejects
    every value but 3.

    Bad:
        --- docker-compose.yml
        services:
          ksqldb-server:
            image: confluentinc/cp-ksqldb-server:7.6.0
            environment:
              KSQL_BOOTSTRAP_SERVERS: pkc-1234.eu-west-1.aws.confluent.cloud:9092
              KSQL_KSQL_STREAMS_REPLICATION_FACTOR: 3
    Bad: in ksql-server.properties
        --- ksql-server.properties
        bootstrap.servers=pkc-1234.eu-west-1.aws.confluent.cloud:9092
        ksql.internal.topic.replicas=1
        ksql.streams.replication.factor=3
    Good:
        --- docker-compose.yml
        services:
          ksqldb-server:
            image: confluentinc/cp-ksqldb-server:7.6.0
            environment:
              KSQL_BOOTSTRAP_SERVERS: pkc-1234.eu-west-1.aws.confluent.cloud:9092
              KSQL_KSQL_INTERNAL_TOPIC_REPLICAS: 3
    Good: self-managed brokers
        --- docker-compose.yml
        services:
          ksqldb-server:
            image: confluentinc/cp-ksqldb-server:7.6.0
            environment:
              KSQL_BOOTSTRAP_SERVERS: broker:9092
    """
    given = note.setting.key == _REPLICAS
    where = key_evidence(node, note.setting, note.setting.key)
    yield node.finding(
        note.message,
        at=where if given else Value(_REPLICAS, node.resource, ABSENT),
        because=[key_evidence(node, other, other.key) for other in note.others]
        if given
        else [where],
        breaks=note.consequence,
        fix=note.fix,
    )
