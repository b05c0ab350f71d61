"""KC06: the policies of topics, against what the programs need that own or write them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph.clients import Connector
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.policies import policies
from kcheck.rules.topics.topic_names import name_of
from kcheck.wording import count, in_ms, plain

COMPACT, DELETE = "compact", "delete"


class _Owned:
    """A topic of a program: its name as an expression, the owner, and what this one requires.

    ``policy`` is the cleanup policy; ``lasting`` says that another one does where nothing expires.
    ``refuses`` says that the owner fails to start on several partitions, where it needs ``one``;
    ``loses`` what happens where the policy or the retention is another one.
    """

    __slots__ = ("lasting", "loses", "name", "one", "owner", "policy", "refuses")

    def __init__(
        self,
        name: str,
        owner: str,
        policy: str,
        loses: str,
        one: bool = False,
        refuses: str = "",
        lasting: bool = False,
    ) -> None:
        self.lasting = lasting
        self.name = name
        self.owner = owner
        self.policy = policy
        self.loses = loses
        self.one = one
        self.refuses = refuses


#: Rules of their own have Kafka's compacted topics (KC0604), those of Connect (KC1401), Schema Registry (KC0620), schema histories
#: (KC1413) and changelogs (KC1512). The sources: KsqlInternalTopicUtils.ensureTopic of ksqlDB;
#: MirrorUtils.createSinglePartitionCompactedTopic; ConnectUtils and TopicAdmin of Connect, which
#: MirrorMaker runs; TopicBasedRemoteLogMetadataManager.createRemoteLogMetadataTopic (retention.ms=-1,
#: cleanup.policy=delete); ShareCoordinatorService; KafkaSqlRegistryStorage of Apicurio 2 (compact) and the
#: reference of 3 (delete, with retention.ms=-1); Strimzi's guide to the topic operator's store; Confluent's
#: reference of its licences and of its metadata service.
_OWNED = (
    _Owned(
        r"_confluent-ksql-.*_command_topic",
        "the command topic of ksqlDB",
        DELETE,
        "ksqlDB loses statements, and rebuilds its streams and tables without them",
        one=True,
        refuses="ksqlDB fails to start: invalid partition count on topic",
    ),
    _Owned(
        r"mm2-offset-syncs\..+\.internal",
        "the offset-syncs topic of MirrorMaker 2",
        COMPACT,
        "offsets of consumer groups are no longer translated for partitions that are seldom written",
        one=True,
    ),
    _Owned(
        r".+\.checkpoints\.internal",
        "the checkpoints topic of MirrorMaker 2",
        COMPACT,
        "checkpoints of consumer groups are lost, and the groups start over after a failover",
        one=True,
    ),
    _Owned(
        r"mm2-configs\..+\.internal",
        "the configuration topic of MirrorMaker 2",
        COMPACT,
        "MirrorMaker fails to start: it requires cleanup.policy=compact",
        one=True,
        refuses="MirrorMaker fails to start: it requires a single partition on this topic",
    ),
    _Owned(
        r"mm2-(?:offsets|status)\..+\.internal",
        "a storage topic of MirrorMaker 2",
        COMPACT,
        "MirrorMaker fails to start: it requires cleanup.policy=compact",
    ),
    _Owned(
        r"__remote_log_metadata",
        "the metadata of tiered storage",
        DELETE,
        "remote segments whose metadata expired are neither read nor deleted",
    ),
    _Owned(
        r"__share_group_state",
        "the state of share groups",
        DELETE,
        "share groups lose their positions",
    ),
    _Owned(
        r"kafkasql-journal",
        "the journal of Apicurio Registry",
        COMPACT,
        "the registry loses what is older than the retention with its next start",
        lasting=True,
    ),
    _Owned(
        r"__strimzi_store_topic",
        "the store of Strimzi's topic operator",
        COMPACT,
        "the operator forgets topics, and deletes or creates them anew",
        lasting=True,
    ),
    _Owned(
        r"_confluent-(?:command|license|metadata-auth)",
        "a topic of Confluent's licences and role bindings",
        COMPACT,
        "licences and role bindings that are older than the retention are lost",
        lasting=True,
    ),
)


@rule("KC0622", "owned-topic", WARNING, by_name=True)
def owned_topic(topic: Topic) -> Iterator[Finding]:
    """A topic that a program creates for itself is declared with other settings than it needs.

    ksqlDB, MirrorMaker 2, tiered storage and the coordinators create their topics with a cleanup
    policy, a retention and sometimes a single partition that they rely on. A declaration that says
    otherwise takes effect if it is applied first, or at the next reconciliation. An error if the owner
    refuses to start.

    Bad: several partitions
        --- kcheck.yaml
        topics: [{name: _confluent-ksql-default__command_topic, partitions: 6}]
    Bad: not compacted
        --- kcheck.yaml
        topics:
          - name: mm2-offset-syncs.west.internal
            partitions: 1
            config: {cleanup.policy: delete, retention.ms: 86400000}
    Bad: a finite retention
        --- kcheck.yaml
        topics: [{name: __remote_log_metadata, partitions: 50, config: {retention.ms: 86400000}}]
    Good:
        --- kcheck.yaml
        topics:
          - {name: _confluent-ksql-default__command_topic, partitions: 1, config: {retention.ms: -1}}
          - {name: mm2-offset-syncs.west.internal, partitions: 1, config: {cleanup.policy: compact}}
          - {name: __remote_log_metadata, partitions: 50, config: {cleanup.policy: delete, retention.ms: -1}}
    """
    if not (topic.name.startswith(("_", "kafkasql-")) or topic.name.endswith(".internal")):
        return  # as nearly all topics are called
    owned = next((one for one in _OWNED if re.fullmatch(one.name, topic.name)), None)
    if owned is None:
        return
    partitions, policy = topic.partitions, topic["cleanup.policy"]
    chosen = policies(topic)
    if owned.one and partitions.number > 1:
        yield topic.finding(
            f"topic {topic.name} is {owned.owner}, but has {count(partitions.number, 'partition')}",
            at=partitions,
            because=(name_of(topic),),
            breaks=owned.refuses or "only the first partition is used",
            fix=f"declare topic {topic.name} with one partition",
            severity=ERROR if owned.refuses else WARNING,
        )
    # Retention that nobody told is a week, the default.
    size = topic["retention.bytes"]
    unlimited = topic["retention.ms"].number == -1 and not (size.explicit and size.number >= 0)
    kept_for_good = owned.lasting and chosen is not None and DELETE in chosen and unlimited
    if (
        policy.explicit
        and chosen is not None
        and set(chosen) != {owned.policy}
        and not kept_for_good
    ):
        yield topic.finding(
            f"topic {topic.name} is {owned.owner}, but has {plain(policy)}",
            at=policy,
            because=(name_of(topic),),
            breaks=owned.loses,
            fix=f"set cleanup.policy={owned.policy} on topic {topic.name}",
            set_to=owned.policy,
        )
    elif owned.policy == DELETE:
        for key in ("retention.ms", "retention.bytes"):
            kept = topic[key]
            if kept.explicit and kept.number >= 0:
                yield topic.finding(
                    f"topic {topic.name} is {owned.owner}, but has "
                    + (in_ms(kept) if key == "retention.ms" else plain(kept)),
                    at=kept,
                    because=(name_of(topic),),
                    breaks=owned.loses,
                    fix=f"set {key}=-1 on topic {topic.name}",
                    set_to="-1",
                )
                return


_DAY = 86_400_000
#: How people and frameworks call such topics (Spring for Apache Kafka: NAME.DLT, NAME-dlt).
_DEAD = re.compile(
    r"(?:.*[._-])?(?:dlq|dlt|dead[._-]?letters?(?:[._-]?(?:queue|topic))?)(?:\.v?\d+)?", re.I
)
_QUEUE = "errors.deadletterqueue.topic.name"


@rule("KC0625", "dead-letters-expire", WARNING, refs=("KIP-298",), by_name=True)
def dead_letters_expire(topic: Topic) -> Iterator[Finding]:
    """A topic of dead letters is declared with a retention of less than a day.

    The records that a connector, channel or listener could not process are there alone: what expires
    before somebody looks at it is lost. A topic is one of dead letters if a connector of the cluster
    writes them there, or by its name: NAME-dlq, NAME.DLT, NAME-dead-letter.

    Bad:
        --- kcheck.yaml
        topics: [{name: orders-dlq, partitions: 3, config: {retention.ms: 3600000}}]
    Bad: by a connector
        --- kcheck.yaml
        cluster: {name: core}
        topics: [{name: failed-orders, partitions: 3, config: {retention.ms: 3600000}}]
        connectors:
          - name: search
            config:
              connector.class: io.confluent.connect.elasticsearch.ElasticsearchSinkConnector
              topics: orders
              errors.tolerance: all
              errors.deadletterqueue.topic.name: failed-orders
    Good:
        --- kcheck.yaml
        topics: [{name: orders-dlq, partitions: 3, config: {retention.ms: 1209600000}}]
    Good: another topic
        --- kcheck.yaml
        topics: [{name: orders, partitions: 3, config: {retention.ms: 3600000}}]
    Good: a topic of retries
        --- kcheck.yaml
        topics: [{name: orders-retry-dlt-0, partitions: 3, config: {retention.ms: 3600000}}]
    """
    kept = topic["retention.ms"]
    if not kept.explicit or not 0 < kept.number < _DAY or topic["cleanup.policy"].text == COMPACT:
        return
    writer = next((one for one in topic.cluster.connectors if one[_QUEUE].text == topic.name), None)
    if writer is None and _DEAD.fullmatch(topic.name) is None:
        return
    yield topic.finding(
        f"topic {topic.name} has the records that could not be processed, but keeps them for "
        f"{in_ms(kept)}",
        at=kept,
        because=(name_of(topic) if writer is None else writer[_QUEUE],),
        breaks="records that are not processed within this time are lost",
        fix=f"set retention.ms of topic {topic.name} to a week or more",
    )


#: Sources that write records without keys unless a transform makes them: the JDBC sources
#: (BulkTableQuerier and TimestampIncrementingTableQuerier pass no key) and Kafka's file source.
_KEYLESS = (
    "io.confluent.connect.jdbc.JdbcSourceConnector",
    "io.aiven.connect.jdbc.JdbcSourceConnector",
    "org.apache.kafka.connect.file.FileStreamSourceConnector",
    "FileStreamSource",
    "FileStreamSourceConnector",
)
#: Kafka's transforms that leave keys that are null as they are.
_LEAVES_KEYS = (
    r"org\.apache\.kafka\.connect\.transforms\.(?:(?:Cast|ExtractField|Flatten|HoistField|InsertField"
    r"|MaskField|ReplaceField|SetSchemaMetadata|TimestampConverter)\$Value|DropHeaders|Filter"
    r"|HeaderFrom\$\w+|InsertHeader|RegexRouter|TimestampRouter)"
)


@rule("KC0624", "keyless-into-compacted", ERROR, kafka=FAILED, on=("connector.class",))
def keyless_into_compacted(connector: Connector) -> Iterator[Finding]:
    """A connector writes records without keys to a compacted topic.

    Brokers reject records without a key in a topic whose cleanup.policy contains compact. JDBC sources
    and the file source set no key; a transform such as ValueToKey makes one.

    Bad:
        --- kcheck.yaml
        cluster: {name: core}
        topics: [{name: stock-items, partitions: 6, config: {cleanup.policy: compact}}]
        connectors:
          - name: stock
            config:
              connector.class: io.confluent.connect.jdbc.JdbcSourceConnector
              table.whitelist: items
              topic.prefix: stock-
    Good:
        --- kcheck.yaml
        cluster: {name: core}
        topics: [{name: stock-items, partitions: 6, config: {cleanup.policy: compact}}]
        connectors:
          - name: stock
            config:
              connector.class: io.confluent.connect.jdbc.JdbcSourceConnector
              table.whitelist: items
              topic.prefix: stock-
              transforms: key
              transforms.key.type: org.apache.kafka.connect.transforms.ValueToKey
              transforms.key.fields: id
    """
    kind = connector["connector.class"]
    if kind.text not in _KEYLESS or connector.resource.traits.partial:
        return
    settings = connector.resource.settings
    # Where a transform is not known, the topics are not.
    told = settings.get("transforms")
    for alias in (told.text or "").split(",") if told is not None else ():
        one = settings.get(f"transforms.{alias.strip()}.type")
        if alias.strip() and (one is None or not re.fullmatch(_LEAVES_KEYS, one.text or "")):
            return
    topics = connector.cluster.named_topics()
    for name in connector.resource.traits.writes or ():
        for topic in topics.get(name, ()):
            policy = topic["cleanup.policy"]
            if COMPACT in (policies(topic) or ()):
                yield connector.finding(
                    f"{connector} writes records without keys to topic {name}, which has "
                    f"{plain(policy)}",
                    at=policy,
                    because=(kind, connector["transforms"]),
                    breaks="the tasks fail: a compacted topic accepts no record without a key "
                    "(InvalidRecordException)",
                    fix="add a transform that sets the key, such as "
                    "org.apache.kafka.connect.transforms.ValueToKey, or use cleanup.policy=delete",
                )
                return
