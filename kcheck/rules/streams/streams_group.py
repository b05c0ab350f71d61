"""KC15: a Streams application's id, members and clients, against others and against itself."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Consumer, Streams
from kcheck.graph.cluster import ClusterWithClients
from kcheck.graph.nodes import Node
from kcheck.model import ABSENT, WARNING, Finding, Note, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.keys_wording import key_evidence, noted
from kcheck.wording import plain

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


_LONGEST = 249


#: What Streams adds at least to an application's id: a store of one letter and its changelog.
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
    """application.id makes invalid topic names.

    The names of all changelogs and repartition topics begin with the application.id. It may hold
    a–z, A–Z, 0–9, dot, underscore and hyphen, and must leave room for what comes behind it: a topic's
    name has at most 249 characters.

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
    Good: filled in by something else
        --- kcheck.yaml
        streams: [{name: totals, config: {application.id: "totals-${COLOUR}"}}]
    """
    value = streams["application.id"]
    name = value.text or ""
    if len(name) + _ADDED > _LONGEST:
        wrong = f"has {len(name)} characters, which leaves no room for the names of its topics"
    elif not _LETTERS.issuperset(name):
        wrong = "holds a character beside a–z, A–Z, 0–9, dot, underscore and hyphen"
    else:
        return
    yield streams.finding(
        f"{streams}: {plain(value)} {wrong}",
        at=value,
        breaks="as soon as the application has a store or a repartition, its topic cannot be made "
        "(InvalidTopicException) and the application stops",
        fix="choose an id that a topic's name may begin with",
    )


@rule(
    "KC1508",
    "streams-app-id-shared",
    WARNING,
    invariants=("streams-app-id",),
)
def streams_app_id_shared(cluster: ClusterWithClients) -> Iterator[Finding]:
    """application.id is used by another application, too.

    It is the name of a group of consumers: members of a group must all run the same topology. The
    one that leads the group shares out the tasks of its own among all of them: what another
    application gets of these it cannot run, and nobody reads its own topics. Neither fails, both say
    that they run. A plain consumer with that group.id cannot join (InconsistentGroupProtocolException).

    Bad: two applications
        --- kcheck.yaml
        streams:
          - {name: totals, topics: [orders], config: {application.id: shop}}
          - {name: refunds, topics: [returns], config: {application.id: shop}}
    Bad: a consumer
        --- kcheck.yaml
        streams: [{name: totals, config: {application.id: shop}}]
        consumers: [{name: mailer, config: {group.id: shop}}]
    Good:
        --- kcheck.yaml
        streams:
          - {name: totals, topics: [orders], config: {application.id: shop-totals}}
          - {name: refunds, topics: [returns], config: {application.id: shop-refunds}}
        consumers: [{name: mailer, config: {group.id: shop}}]
    Good: settings of one program, which may have no such consumer
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
        if other.name != client.name:
            yield client.finding(
                f"{client} has {plain(identity)}, which is also that of {other}",
                at=identity,
                because=(other["application.id"],),
                breaks="unless both run the same topology, the one that leads the group shares out its "
                "own tasks: nobody reads the other's topics, nor what the other gets of these, and "
                "neither fails",
                fix="give each application an application.id of its own",
            )
    for client in cluster.clients if first else ():
        if not isinstance(client, Consumer):
            continue
        group = client["group.id"]
        owner = first.get(group.text or "")
        # One program's consumer settings are often there and used by nobody.
        if owner is not None and not _of_one_program(client, owner):
            yield client.finding(
                f"{client} has {plain(group)}, which is the application.id of {owner}",
                at=group,
                because=(owner["application.id"],),
                breaks="whoever comes second cannot join: InconsistentGroupProtocolException",
                fix=f"give {client.name} a group.id of its own",
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

    The Kafka Streams binder makes an application of each processor. Where neither the processor nor
    its input binding has an applicationId, all of them get the binder's, or the default group: they
    are one group then, and the topics of all but one are not read, without an error.

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
    Good: each has the name of its function
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

    ksql.streams.replication.factor holds for the topics of queries alone. The command topic and the
    log of processing get ksql.internal.topic.replicas, which is 1 by default; Confluent Cloud refuses
    anything but 3.

    Bad:
        --- docker-compose.yml
        services:
          ksqldb-server:
            image: confluentinc/cp-ksqldb-server:7.6.0
            environment:
              KSQL_BOOTSTRAP_SERVERS: pkc-1234.eu-west-1.aws.confluent.cloud:9092
              KSQL_KSQL_STREAMS_REPLICATION_FACTOR: 3
    Bad: a file of its own
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
    Good: brokers of one's own
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
