"""KC14: what the plugins of connectors demand between their own settings.

``schemas/connectors/musts.tsv`` has the rows. What is lacking is for KC1441, what excludes each other
for KC1485, a value by itself for KC1492, what is without effect for KC1494; of transformations all
that is refused is for KC1414.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kcheck import musts
from kcheck.graph.clients import Connector, Producer, Worker
from kcheck.lexicon import suggest
from kcheck.model import ABSENT, WARNING, Finding, Setting, Value
from kcheck.musts import Condition, Must
from kcheck.rule import PREVIEW, rule
from kcheck.rules.connect import topic_keys
from kcheck.rules.shared.keys_wording import evidence
from kcheck.rules.shared.transforms import STEPS, class_list

LACKING, EXCLUDED, VALUE, UNREAD = "lacking", "excluded", "value", "unread"
_FAILS = "Connect rejects the configuration, or the task fails at its start"
_REFUSES = "Connect rejects the connector: its own validation does not accept it"
_CONVERTERS = ("key.converter", "value.converter")
_SERIALIZERS = "io.confluent.kafka.serializers."
_CREATION = "topic.creation."
_BASIC = "BasicAuthSecurityRestExtension"
#: Words that a message can list.
_FEW = 8


def found(
    node: Connector | Worker | Producer, kinds: tuple[str, ...], name: str, prefix: str = ""
) -> Iterator[Finding]:
    """The findings of these kinds on the settings of the class ``name``, which stand behind ``prefix``."""
    settings: Mapping[str, Setting] = node.resource.settings
    if prefix:
        cut = len(prefix)
        settings = {key[cut:]: held for key, held in settings.items() if key.startswith(prefix)}
    for row, lacking in musts.broken(name, settings):
        first = lacking[0]
        missing = first.key not in settings or settings[first.key].text == ""
        # What another file adds is not missing.
        if (missing and node.resource.traits.partial) or (_kind(row, missing) not in kinds):
            continue
        yield _finding(node, row, lacking, settings, prefix)


def _kind(row: Must, missing: bool) -> str:
    if row.unread:
        return UNREAD
    if missing:
        return LACKING
    return EXCLUDED if row.when else VALUE


def _finding(
    node: Connector | Worker | Producer,
    row: Must,
    lacking: list[Condition],
    settings: Mapping[str, Setting],
    prefix: str,
) -> Finding:
    """The finding on one row; what a setting holds is shown only where the row tells it."""
    cause = _told([one for one in row.when if not one.negated], settings, prefix)
    absent = [one for one in lacking if one.key not in settings or settings[one.key].text == ""]
    given = [one for one in lacking if one not in absent]
    if absent:
        names = [prefix + _wanted(one) for one in absent]
        has = "does not set" if "=" in names[0] else "has no"
        message = f"{node} {has} {' and no '.join(names)}" + (
            f", but sets {cause}" if cause else ""
        )
        fix = f"set {' and '.join(names)}"
    else:
        what = _told(given, settings, prefix)
        same = given[0].values[0] if given[0].sign == "%" else ""
        why = f"beside {cause}" if cause else f"({_reason(row, given[0])})"
        why = f"as {same}" if same else why
        message = f"{node} sets {what} {why}"
        fix = _mend(given[0], settings[given[0].key].text or "", prefix, cause)
    at = next((settings[one.key] for one in given), None)
    because = [evidence(node, settings[one.key]) for one in row.when if one.key in settings]
    held = evidence(node, at) if at is not None else because.pop(0) if because else None
    return node.finding(
        message,
        at=held if held is not None else node[f"{prefix}type" if prefix else "connector.class"],
        because=(*because, *(Value(prefix + one.key, node.resource, ABSENT) for one in absent)),
        breaks=row.consequence if row.unread else _REFUSES if row.result else _FAILS,
        fix=fix,
    )


def _told(conditions: list[Condition], settings: Mapping[str, Setting], prefix: str) -> str:
    """The settings of these conditions, with their values where the conditions are about these."""
    return " and ".join(
        dict.fromkeys(
            f"{prefix}{one.key}" + (f"={settings[one.key].text}" if one.sign else "")
            for one in conditions
            if one.key in settings
        )
    )


def _wanted(condition: Condition) -> str:
    """What is to be set: a key, with its value where only one serves."""
    one_word = condition.sign in ("=", "@") and len(condition.values) == 1
    return f"{condition.key}={condition.values[0]}" if one_word else condition.key


def _reason(row: Must, condition: Condition) -> str:
    if condition.pattern is not None:
        return row.consequence.removeprefix("refused: ")
    if condition.sign in (">=", "<="):
        return f"{'less' if condition.sign == '>=' else 'more'} than {condition.values[0]}"
    if condition.sign == "#":
        return f"not as many elements as {condition.values[0]}"
    if len(condition.values) > _FEW:
        return "none of the words that it takes"
    return f"not one of {', '.join(condition.values)}"


def _mend(condition: Condition, text: str, prefix: str, cause: str) -> str:
    key = f"{prefix}{condition.key}"
    if condition.negated:
        return f"change {key} or {cause}" if condition.sign else f"remove {key} or {cause}"
    if condition.sign in (">=", "<="):
        return f"set {key}={condition.values[0]}"
    if condition.sign in ("=", "@"):
        words = {word.lower(): word for word in condition.values}
        meant = words.get(suggest.only(text.lower(), words), "")
        if meant or len(words) == 1:
            return f"set {key}={meant or condition.values[0]}"
    return f"set {key} to a valid value"


@rule(
    "KC1494",
    "connector-setting-unread",
    WARNING,
    on=(
        *_CONVERTERS,
        "connector.class",
        "rest.extension.classes",
        "key.serializer",
        "value.serializer",
    ),
    set=PREVIEW,
)
def connector_setting_unread(node: Connector | Worker | Producer) -> Iterator[Finding]:
    """A setting of a connector, a transformation or a converter has no effect, or not the intended one.

    Some settings are read only if another one allows it: Debezium sends heartbeat.action.query with
    heartbeats, Confluent's serializers use the latest schema only if they do not register their own.
    The transformation Filter drops every record that reaches it: without a predicate that is all. A
    sink reads its table of a topic only for topics that it has. The login of Connect's REST API
    requires a JAAS file with a section KafkaConnect.

    Bad: no heartbeats
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "database.hostname": "db", "database.dbname": "shop", "topic.prefix": "shop",
         "plugin.name": "pgoutput", "heartbeat.action.query": "UPDATE heartbeat SET at = now()"}}
    Bad: a filter for all records
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "rows",
         "transforms": "drop", "transforms.drop.type": "org.apache.kafka.connect.transforms.Filter"}}
    Bad: a converter
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSource", "topic": "rows",
         "value.converter": "io.confluent.connect.avro.AvroConverter",
         "value.converter.schema.registry.url": "http://registry:8081",
         "value.converter.use.latest.version": "true"}}
    Bad: the strategy of a converter without its part
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSource", "topic": "rows",
         "value.converter": "io.confluent.connect.avro.AvroConverter",
         "value.converter.schema.registry.url": "http://registry:8081",
         "value.converter.subject.name.strategy": "io.confluent.kafka.serializers.subject.RecordNameStrategy"}}
    Bad: a serializer
        --- producer.properties
        bootstrap.servers=k1.example.com:9092
        key.serializer=org.apache.kafka.common.serialization.StringSerializer
        value.serializer=io.confluent.kafka.serializers.KafkaAvroSerializer
        schema.registry.url=http://registry.example.com:8081
        use.latest.version=true
    Bad: the table of a topic that the sink does not read
        --- rows.json
        {"name": "rows", "config": {"connector.class": "com.wepay.kafka.connect.bigquery.BigQuerySinkConnector",
         "topics": "orders,returns", "project": "p", "defaultDataset": "d",
         "topic2TableMap": "orders:orders,return:returns"}}
    Bad: a login without a JAAS file
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.5.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: k1:9092
              CONNECT_GROUP_ID: etl
              CONNECT_REST_ADVERTISED_HOST_NAME: connect
              CONNECT_CONFIG_STORAGE_TOPIC: configs
              CONNECT_OFFSET_STORAGE_TOPIC: offsets
              CONNECT_STATUS_STORAGE_TOPIC: status
              CONNECT_KEY_CONVERTER: org.apache.kafka.connect.json.JsonConverter
              CONNECT_VALUE_CONVERTER: org.apache.kafka.connect.json.JsonConverter
              CONNECT_REST_EXTENSION_CLASSES: org.apache.kafka.connect.rest.basic.auth.extension.BasicAuthSecurityRestExtension
    Bad: workers that create no topics, and have no certificate
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.storage.StringConverter
        value.converter=org.apache.kafka.connect.storage.StringConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        topic.creation.enable=false
        listeners=https://0.0.0.0:8443
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSource", "topic": "rows", "file": "/rows",
         "topic.creation.default.replication.factor": "3", "topic.creation.default.partitions": "6"}}
    Good:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "database.hostname": "db", "database.dbname": "shop", "topic.prefix": "shop",
         "plugin.name": "pgoutput", "heartbeat.action.query": "UPDATE heartbeat SET at = now()",
         "heartbeat.interval.ms": "60000"}}
    Good: a filter with a predicate
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "rows",
         "transforms": "drop", "transforms.drop.type": "org.apache.kafka.connect.transforms.Filter",
         "transforms.drop.predicate": "empty", "predicates": "empty",
         "predicates.empty.type": "org.apache.kafka.connect.transforms.predicates.RecordIsTombstone"}}
    Good: no schema is registered
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSource", "topic": "rows",
         "value.converter": "io.confluent.connect.avro.AvroConverter",
         "value.converter.schema.registry.url": "http://registry:8081",
         "value.converter.use.latest.version": "true", "value.converter.auto.register.schemas": "false"}}
    """
    if isinstance(node, Producer):
        classes = (node[key].text or "" for key in ("value.serializer", "key.serializer"))
        ours = next((name for name in classes if name.startswith(_SERIALIZERS)), "")
        yield from found(node, (UNREAD,), ours)
        return
    if isinstance(node, Connector):
        yield from found(node, (UNREAD,), node["connector.class"].text or "")
        yield from topic_keys.told(node, refused=False)
        yield from _uncreated(node)
        for prefix, _ in STEPS:
            for name in class_list(node, prefix):
                kind = node[f"{prefix}{name}.type"].text or ""
                yield from found(node, (UNREAD,), kind, f"{prefix}{name}.")
    else:
        yield from _login(node)
        yield from found(node, (UNREAD,), "connect-worker")
    for converter in _CONVERTERS:
        yield from found(node, (UNREAD,), node[converter].text or "", f"{converter}.")


def _uncreated(connector: Connector) -> Iterator[Finding]:
    """The finding on settings of topics to create where no worker creates topics for connectors."""
    given = [held for key, held in connector.resource.settings.items() if key.startswith(_CREATION)]
    allowed = [worker[f"{_CREATION}enable"] for worker in connector.workers]
    if given and allowed and all((one.text or "").lower() == "false" for one in allowed):
        yield connector.finding(
            f"{connector} sets {given[0].key}, but its workers create no topics",
            at=evidence(connector, given[0]),
            because=allowed[:1],
            breaks="it has no effect: with auto.create.topics.enable the brokers create the topic with "
            "their defaults, otherwise it is missing",
            fix=f"set {_CREATION}enable=true on the workers, or remove it",
        )


def _login(worker: Worker) -> Iterator[Finding]:
    """The finding on a login of the REST API where the JVM is told no JAAS file."""
    classes = worker["rest.extension.classes"]
    if _BASIC in (classes.text or "") and worker.resource.traits.jaas_file is False:
        yield worker.finding(
            f"{worker} demands a login for its REST API, but its JVM has no JAAS file",
            at=classes,
            breaks="no request can log in: the extension looks for a section KafkaConnect in the JAAS file",
            fix="set -Djava.security.auth.login.config=FILE in KAFKA_OPTS, with a section KafkaConnect",
        )
