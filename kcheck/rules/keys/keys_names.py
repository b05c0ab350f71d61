"""KC01: unknown keys and deprecated keys."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue, services
from kcheck.graph.nodes import Misnamed, Node
from kcheck.graph.resolve import STAND_INS
from kcheck.lexicon.check import assay
from kcheck.lexicon.name_faults import UNKNOWN, Name, successors
from kcheck.lexicon.planes import TABLES, place
from kcheck.model import ERROR, INFO, WARNING, Finding, Setting
from kcheck.rule import ADVICE, REFUSED, rule
from kcheck.rules.keys.keys_wording import rewrite
from kcheck.rules.shared.keys_wording import (
    adjective,
    ignored,
    key_evidence,
    of_confluent_server,
    strict,
    written,
)
from kcheck.rules.shared.renaming import removal, renamed, replacements, take_away, unmissed


@rule(
    "KC0101",
    "unknown-key",
    WARNING,
    kafka=REFUSED,
    invariants=("unknown-key", "topic-unknown-key"),
    versions="2.8–4.4",
)
def unknown_key(node: Misnamed) -> Iterator[Finding]:
    """An unknown configuration key.

    Brokers and Connect workers silently ignore unknown keys, and clients ignore them with a line in
    the log, so with a typo the default applies. Kafka rejects unknown topic keys, which is an error.
    Since plugins and applications have their own keys in the same files, a key is reported only if it
    looks like a typo of a known key or has a prefix that only Kafka's keys have.

    Bad: the words in another order
        --- kcheck.yaml
        cluster: {name: core, config: {max.transaction.timeout.ms: 3600000}}
    Bad: not a topic key
        --- kcheck.yaml
        topics:
          - {name: orders, config: {retention.time: 86400000}}
    Bad: an extra letter
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        advertised.listeneres=PLAINTEXT://k1.example.com:9092
    Bad: with the prefix of a worker's clients
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        producer.max.request.sise=8388608
    Bad: the spelling of another library in a Java client
        --- consumer.properties
        bootstrap.servers=k1:9092
        group_id=reports
        key.deserializer=org.apache.kafka.common.serialization.StringDeserializer
        value.deserializer=org.apache.kafka.common.serialization.StringDeserializer
    Bad: a line of JSON
        --- producer.properties
        bootstrap.servers=k1:9092
        acks=all
        "max.request.size": "8388608",
        key.serializer=org.apache.kafka.common.serialization.StringSerializer
    Bad: for the consumer of a connector
        --- connectors/files.json
        {"name": "files", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "consumer.override.max.pol.records": "100"}}
    Bad: a typo of a key of the other role
        --- connectors/files.json
        {"name": "files", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "consumer.override.lingr.ms": "5"}}
    Bad: a property of Spring Boot in a map of client keys
        --- src/main/resources/application.yml
        spring.cloud.stream:
          bindings.input: {destination: claims, group: copy}
          kafka.binder.configuration: {bootstrap-servers: "k1:9092"}
    Good:
        --- kcheck.yaml
        cluster: {name: core, config: {transaction.max.timeout.ms: 3600000}}
        topics:
          - {name: orders, config: {retention.ms: 86400000, confluent.value.schema.validation: true}}
    Good: keys of plugins
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        super.users=User:admin
        opa.authorizer.url=http://opa:8181
        confluent.metrics.reporter.topic.replicas=1
        listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config=x;
        rsm.config.storage.bucket.name=tier
    Good: keys of the application
        --- producer.properties
        bootstrap.servers=k1:9092
        acks=all
        output.topic.name=orders
    Good: taken out by a mark before the key, since JSON has no comments
        --- orders-source.json
        {"name": "orders", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
         "topic.prefix": "shop-", "_key.converter": "org.apache.kafka.connect.storage.StringConverter",
         "#tasks.max": "4"}}
    Good: a container for the tools, whose scripts read the variable
        --- docker-compose.yml
        services:
          cli:
            image: confluentinc/cp-kafka:7.5.0
            environment: {KAFKA_BOOTSTRAP_SERVER: "kafka:9092"}
            tty: true
    """
    for setting, name in assay(node.resource, node.version).names:
        if name.kind == UNKNOWN and not (_confluents(node, name) or _tools(node, name)):
            yield _unknown(node, setting, name)


def _tools(node: Node, name: Name) -> bool:
    """Whether a container of Kafka's image has no key of a broker's, not even a misspelt one: it is
    there for the tools."""
    traits = node.resource.traits
    if name.right or not traits.image_family or not traits.deployer:
        return False
    return not any(key in catalogue.plane("broker") for key in node.resource.settings)


def _confluents(node: Node, name: Name) -> bool:
    """Whether an unknown key may belong to Confluent Server, whose keys are not public."""
    if of_confluent_server(node, name.key):
        return True
    if name.right or name.like or strict(name):
        return False
    return any(key.startswith("confluent.") for key in node.resource.settings)


def _unknown(node: Node, setting: Setting, name: Name) -> Finding:
    noun = f"{adjective(name.place.plane)} key"
    split = _split_by_blank(setting, name)
    right = " or ".join(name.right)
    quoted = setting.name.startswith('"')
    there = replacements(node, setting, name.right)
    if split:
        message = f"{node} sets {written(setting)}: a blank splits {split}"
        fix = f"write {split}"
    elif right and quoted:
        message = f"{node} sets {written(setting)}: the quotes are part of the key"
        fix = removal(setting, there) if there else f"write {right}=… without quotes"
    elif right:
        message = f"{node} sets the unknown {noun} {written(setting)}; did you mean {right}?"
        fix = renamed(node, setting, name.right)
    elif name.like:
        message = (
            f"{node} sets the unknown {noun} {written(setting)}; it looks like the "
            f"{adjective(name.owner)} key {name.like}"
        )
        fix = f"remove it; {name.like} is a {adjective(name.owner)} key"
    else:
        message = (
            f"{node} sets {written(setting)}, which is not a {noun} in Kafka "
            f"{catalogue.oldest()} to {catalogue.newest()}"
        )
        fix = "remove it, or correct the key"
    breaks = ignored(node, name)
    alone = len(name.right) == 1
    if alone and not strict(name):
        breaks += f"; {_remaining(node, right)}"
    found = node.finding(
        message,
        at=key_evidence(node, setting, setting.name),
        breaks=breaks,
        fix=fix,
        set_to=rewrite(setting, right) if alone and not (split or quoted or there) else None,
        severity=_weight(node, setting, name, there),
        safe=strict(name),
    )
    if there and not split:
        take_away(found, setting)
    return found


def _weight(node: Node, setting: Setting, name: Name, there: list[Setting]) -> str:
    """An error where Kafka itself refuses the key, an info for what holds anyway: librdkafka's name in a
    file for clients of both, or a slip beside the right line; also beside another name of the key that
    is meant, as scripts of Bitnami's chart have ``logs.dir`` beside ``log.dir``."""
    if strict(name):
        return ERROR if _kafka_itself(node) else WARNING
    stand_ins = STAND_INS.get(name.right[0], ()) if len(name.right) == 1 and not there else ()
    if any(
        factor == 1 and node.sets(key) and (key != "listeners" or node[key].text == setting.text)
        for key, factor in stand_ins
    ):
        return INFO
    if _by_image(node, setting.key):
        return INFO
    return INFO if unmissed(node, setting, name, there) else WARNING


def _by_image(node: Node, key: str) -> bool:
    """Whether Confluent's image left the key in the file that it wrote, beside what it made of it:
    ``ssl.keystore.filename`` beside ``ssl.keystore.location``."""
    store, _, kind = key.rpartition(".")
    made = {"filename": "location", "credentials": "password"}.get(kind)
    return made is not None and store.startswith("ssl.") and node.sets(f"{store}.{made}")


def _split_by_blank(setting: Setting, name: Name) -> str:
    """``key rest=value`` in a .properties file: the known key that the blank splits."""
    rest, equals, value = (setting.text or "").partition("=")
    whole = f"{name.place.key}.{rest.strip()}"
    if equals and any(whole in catalogue.plane(table) for table in TABLES[name.place.plane]):
        return f"{name.place.prefix}{whole}={value}"
    return ""


def _remaining(node: Node, key: str) -> str:
    """The value that the intended key has without the typo's line, which another unit or form of it
    may give: ``log.retention.minutes`` for ``log.retention.hours``."""
    if node.sets(key):
        return f"{key} keeps its own configured value"
    value = node[key]
    for whole, others in STAND_INS.items():
        if any(key == other and factor != 1 for other, factor in others) and node[whole].explicit:
            value = node[whole]
    if value.setting is not None:
        return f"{value.setting.name}={value.setting.text} stays in force"
    if value.text:
        return f"{key} stays at its default {value.text}"
    return f"{key} stays at its default"


def _kafka_itself(node: Node) -> bool:
    """Whether the brokers are Apache Kafka, as far as known: others have additional topic keys."""
    return not node.cluster.service or node.cluster.service in services.KAFKA


@rule(
    "KC0110",
    "deprecated-key",
    INFO,
    set=ADVICE,
    invariants=("deprecated-keys",),
    versions="by the catalogue's mark",
)
def deprecated_key(node: Node) -> Iterator[Finding]:
    """A deprecated key is set.

    It still works. Without a known version the newest version is checked.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.3", config: {log.cleaner.enable: true}}
    Good: not deprecated yet
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", config: {broker.id: 1}}
    """
    if not node.library.java:
        return
    minor = catalogue.clamp(node.version) or catalogue.newest()
    for key, setting in node.resource.settings.items():
        where = place(node.resource.plane, key)
        if where is None:
            continue
        facts = [fact for history in where.facts() for fact in history if fact.covers(minor)]
        if not facts or not all("deprecated" in fact.flags for fact in facts):
            continue
        yield node.finding(
            f"{node} sets {written(setting)}, which is deprecated",
            at=key_evidence(node, setting, key),
            breaks="a later Kafka version will ignore or reject it",
            fix=_successor(node, setting, successors(where)),
        )


def _successor(node: Node, setting: Setting, now: tuple[str, ...]) -> str:
    """What to do with a deprecated key."""
    there = replacements(node, setting, now)
    if there and len(there) == len(now):
        return removal(setting, there)
    return f"use {' and '.join(now)} instead" if now else "plan to remove it"
