"""KC0150: names of mechanisms, TLS versions and store types that nothing has."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import listeners
from kcheck.graph.clients import Client
from kcheck.graph.nodes import Broker, Misvalued, Node
from kcheck.lexicon import words
from kcheck.lexicon.check import assay
from kcheck.lexicon.value_faults import WORD, Fault
from kcheck.libraries import AIOKAFKA, KAFKA_PYTHON, LIBRDKAFKA
from kcheck.model import ERROR, WARNING, Finding, Setting
from kcheck.rule import FAILED, rule
from kcheck.rules.keys.keys_wording import assigned, conditional
from kcheck.rules.shared.keys_wording import evidence

#: Libraries that compare the mechanism with their own list.
_COMPARE = (LIBRDKAFKA.name, KAFKA_PYTHON.name, AIOKAFKA.name)
_MECHANISMS = ("sasl.mechanism", "sasl.mechanisms", "sasl_mechanism")
_PROTOCOL = "security.protocol"
_LIST = "sasl.enabled.mechanisms"
_BETWEEN, _TO_CONTROLLERS = (
    "sasl.mechanism.inter.broker.protocol",
    "sasl.mechanism.controller.protocol",
)


@rule("KC0150", "unknown-word", ERROR, kafka=FAILED)
def unknown_word(node: Misvalued) -> Iterator[Finding]:
    """A SASL mechanism, a TLS version or a store type has a misspelt name.

    Kafka accepts any text for them and looks them up in Java by their exact name. Names of other
    providers are not reported unless they resemble one that Kafka or the JDK has.

    Bad: a dash is missing
        --- consumer.properties
        bootstrap.servers=k1:9093
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=SCRAM-SHA512
    Bad: TLS versions of OpenSSL
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://:9093
        ssl.enabled.protocols=TLS1.2,TLS1.3
    Bad: below a prefix of a worker
        --- connect-distributed.properties
        bootstrap.servers=k1:9093
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        producer.security.protocol=SASL_SSL
        producer.sasl.mechanism=scram_sha_256
        producer.ssl.truststore.type=PKCS-12
    Bad: the mechanism of a listener
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        listener.name.sasl_ssl.sasl.enabled.mechanisms=plain
    Good:
        --- consumer.properties
        bootstrap.servers=k1:9093
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=SCRAM-SHA-512
        ssl.enabled.protocols=TLSv1.2,TLSv1.3
        ssl.truststore.type=pkcs12
    Good: brokers do not log in at each other
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=INSIDE://:9091,SASL_PLAINTEXT://:9092
        listener.security.protocol.map=INSIDE:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT
        inter.broker.listener.name=INSIDE
        sasl.enabled.mechanisms=SCRAM-SHA-512
        sasl.mechanism.inter.broker.protocol=PLAINTEXT
    Good: of other providers
        --- consumer.properties
        bootstrap.servers=k1:9098
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=AWS_MSK_IAM
        ssl.truststore.type=BCFKS
    """
    for setting, fault in assay(node.resource, node.version).values:
        if fault.kind == WORD:
            found = _finding(node, setting, fault)
            if found is not None:
                yield found


def _finding(node: Node, setting: Setting, fault: Fault) -> Finding | None:
    key, prefix = setting.key, fault.place.prefix
    told = node.resource.settings.get(f"{prefix}{_PROTOCOL}")
    side = "SASL" if key.removeprefix(prefix).startswith("sasl.") else "SSL"
    if told is not None and told.text is not None and side not in told.text.upper():
        return None
    if _logs_in_nowhere(node, key):
        return None
    condition = conditional(fault.place)
    certain = not key.endswith(_LIST) and not condition
    # The program may set the protocol that makes use of it.
    certain = certain and (told is not None or not isinstance(node, Client))
    return node.finding(
        f"{node}: {assigned(setting)} {fault.reason}",
        at=evidence(node, setting),
        breaks=f"{condition}: {fault.why}" if condition else fault.why,
        fix=f"set {key}={fault.better}",
        set_to=fault.better,
        severity=ERROR if certain else WARNING,
    )


def _logs_in_nowhere(node: Node, key: str) -> bool:
    """Whether nodes do not log in at each other, so that the mechanism for it is never looked up."""
    if not isinstance(node, Broker) or key not in (_BETWEEN, _TO_CONTROLLERS):
        return False
    protocol = listeners.between(node)[1]
    if key == _TO_CONTROLLERS:
        first = str(node["controller.listener.names"].text or "").partition(",")[0].strip()
        protocol = listeners.addresses(node).protocols.get(first.upper(), "")
    return bool(protocol) and not protocol.startswith("SASL")


@rule("KC0151", "unknown-mechanism", ERROR, kafka=FAILED, on=_MECHANISMS)
def unknown_mechanism(client: Client) -> Iterator[Finding]:
    """A client library other than Java does not have the SASL mechanism.

    librdkafka, kafka-python and aiokafka compare the name with their own list, librdkafka when the
    client is created.

    Bad:
        --- producer.conf
        # librdkafka
        bootstrap.servers=k1:9093
        security.protocol=sasl_ssl
        sasl.mechanisms=SCRAM-SHA512
        queue.buffering.max.ms=20
    Good:
        --- producer.conf
        # librdkafka
        bootstrap.servers=k1:9093
        security.protocol=sasl_ssl
        sasl.mechanisms=SCRAM-SHA-512
        queue.buffering.max.ms=20
    """
    if client.library.name not in _COMPARE:
        return
    for key in _MECHANISMS:
        setting = client.resource.settings.get(key)
        if setting is None:
            continue
        found = words.wrong("sasl.mechanism", setting.text or "")
        if found is not None:
            word, right, _, row = found
            yield client.finding(
                f"{client}: {assigned(setting)} is no {row.what} of {client.library.name}; "
                f"did you mean {right}?",
                at=evidence(client, setting),
                breaks=f"the client cannot be created: librdkafka rejects {word}"
                if client.library.name == LIBRDKAFKA.name
                else f"login fails: {client.library.name} has no mechanism {word}",
                fix=f"set {key}={right}",
                set_to=right,
            )
