"""KC04: listeners whose logins, mechanisms and certificates lack each other."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import listeners
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ABSENT, ERROR, INFO, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.security.broker_sasl import offered_by
from kcheck.rules.shared.completeness import operated
from kcheck.wording import plain

_JAAS, _ENABLED = "sasl.jaas.config", "sasl.enabled.mechanisms"
_LISTENER = "listener.name."
#: Their start scripts refuse a SASL listener without a JAAS file themselves.
_REQUIRE_FILE = ("confluent", "confluent-server", "confluent-enterprise")


@rule(
    "KC0463",
    "listener-without-login",
    ERROR,
    kafka=FAILED,
    on=("sasl.enabled.mechanisms", "listener.security.protocol.map"),
    broker_side=True,
)
def listener_without_login(broker: Broker | Controller) -> Iterator[Finding]:
    """A listener enables a SASL mechanism for which the broker has no login.

    Every mechanism of a SASL listener requires a login module, also those whose users are elsewhere:
    ``listener.name.<listener>.<mechanism>.sasl.jaas.config``, or a KafkaServer section in a JAAS file.
    A warning if a JAAS file may be given to the JVM elsewhere; not reported if no mechanism has its
    own key, because then there usually is one.

    Bad: a container without a JAAS file
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: INTERNAL://:9092,CLIENT://:9095,CONTROLLER://:9093
              KAFKA_ADVERTISED_LISTENERS: INTERNAL://kafka:9092,CLIENT://kafka:9095
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT,CLIENT:SASL_PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INTERNAL
              KAFKA_SASL_ENABLED_MECHANISMS: SCRAM-SHA-512
              KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
              KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: 1
              KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: 1
    Bad: one of two mechanisms
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092,SASL_SSL://:9093
        sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-512
        listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_a="${PASSWORD}";
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092,SASL_SSL://:9093
        sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-512
        listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_a="${PASSWORD}";
        listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
    Good: a JAAS file
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            environment:
              KAFKA_OPTS: -Djava.security.auth.login.config=/etc/kafka/jaas.conf
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: INTERNAL://:9092,CLIENT://:9095,CONTROLLER://:9093
              KAFKA_ADVERTISED_LISTENERS: INTERNAL://kafka:9092,CLIENT://kafka:9095
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT,CLIENT:SASL_PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INTERNAL
              KAFKA_SASL_ENABLED_MECHANISMS: SCRAM-SHA-512
              KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
              KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: 1
              KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: 1
    Bad: a JAAS file without the broker's section
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.3
            environment:
              KAFKA_OPTS: -Djava.security.auth.login.config=/etc/kafka/jaas.conf
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_LISTENERS: INSIDE://:9092,CLIENTS://:9094
              KAFKA_ADVERTISED_LISTENERS: INSIDE://kafka:9092,CLIENTS://kafka:9094
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INSIDE:PLAINTEXT,CLIENTS:SASL_PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INSIDE
              KAFKA_SASL_ENABLED_MECHANISMS: PLAIN
            volumes: ["./jaas.conf:/etc/kafka/jaas.conf"]
        --- jaas.conf
        Server {
          org.apache.kafka.common.security.plain.PlainLoginModule required user_app="${PASSWORD}";
        };
    """
    traits = broker.resource.traits
    found = listeners.addresses(broker)
    if operated(broker) or traits.jaas_file or not found.named:
        return
    # Only what starts from the environment alone says that there is none.
    certain = traits.jaas_file is False
    if certain and traits.image_family in _REQUIRE_FILE and not traits.jaas_lacks:
        return
    for name in found.names:
        if not found.protocols.get(name, "").startswith("SASL"):
            continue
        keys = {
            mechanism: f"{_LISTENER}{name.lower()}.{mechanism.lower()}.{_JAAS}"
            for mechanism in offered_by(broker, name)
        }
        lacking = [one for one, key in keys.items() if not broker.sets(key)]
        if not lacking or not (certain or len(lacking) < len(keys)):
            continue
        offered = broker.listener(name, _ENABLED)
        key = keys[lacking[0]]
        yield broker.finding(
            f"{broker} enables {' and '.join(lacking)} on listener {name} without {key}",
            at=offered if offered.written else broker["listeners"],
            because=(Value(key, broker.resource, ABSENT),),
            breaks=_unless(broker, certain)
            + "Kafka fails to start: could not find a KafkaServer entry in the JAAS configuration",
            fix=f"set {key}, or remove {lacking[0]} from {offered.key}",
            severity=ERROR if certain else WARNING,
        )
        return


def _unless(broker: Broker | Controller, certain: bool) -> str:
    """What the consequence hangs on: a file that nobody here knows, or that lacks the section."""
    file = broker.resource.traits.jaas_lacks
    if file:
        return f"{file}, which the JVM is given, has no KafkaServer section, and "
    return "" if certain else "unless a JAAS file has a KafkaServer section, "


#: By what a listener's protocol must have for it: keys that a listener alone may have.
_OF_LISTENERS = {
    "SASL": (_ENABLED, _JAAS, "connections.max.reauth.ms"),
    "SSL": (
        "ssl.client.auth",
        "ssl.keystore.location",
        "ssl.keystore.key",
        "ssl.truststore.location",
        "ssl.truststore.certificates",
        "ssl.principal.mapping.rules",
    ),
}


@rule(
    "KC0464",
    "listener-security-unused",
    WARNING,
    on=(
        "sasl.enabled.mechanisms",
        "listener.security.protocol.map",
        "ssl.client.auth",
        "ssl.keystore.location",
        "ssl.truststore.location",
        "ssl.principal.mapping.rules",
        "connections.max.reauth.ms",
    ),
    broker_side=True,
)
def listener_security_unused(broker: Broker | Controller) -> Iterator[Finding]:
    """Security settings of a listener have no effect, because its protocol or mechanisms do not use them.

    A listener reads its ssl keys only if its protocol is SSL or SASL_SSL, its sasl keys only if it is
    SASL_PLAINTEXT or SASL_SSL, and the login of a mechanism only if sasl.enabled.mechanisms contains
    the mechanism. A login must have the name of its mechanism, too. Info for settings without the prefix
    of a listener, unless client certificates are required.

    Bad: a login for a mechanism that is not enabled
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092,SASL_SSL://:9093
        sasl.enabled.mechanisms=PLAIN
        listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_a="${PASSWORD}";
        listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
    Bad: a listener without TLS
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=INTERNAL://:9092,CLIENT://:9093
        listener.security.protocol.map=INTERNAL:PLAINTEXT,CLIENT:PLAINTEXT
        inter.broker.listener.name=INTERNAL
        listener.name.client.ssl.keystore.location=/etc/kafka/k1.p12
    Bad: certificates are required of nobody
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092
        ssl.client.auth=required
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=INTERNAL://:9092,CLIENT://:9093
        listener.security.protocol.map=INTERNAL:PLAINTEXT,CLIENT:SSL
        inter.broker.listener.name=INTERNAL
        listener.name.client.ssl.keystore.location=/etc/kafka/k1.p12
        listener.name.client.ssl.client.auth=required
    Bad: a login for no mechanism
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092,SASL_SSL://:9093
        sasl.enabled.mechanisms=PLAIN
        listener.name.sasl_ssl.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_a="${PASSWORD}";
    """
    found = listeners.addresses(broker)
    if operated(broker) or not found.known or not broker["listeners"].written:
        return
    for name in found.names:
        protocol = found.protocols.get(name, "")
        if protocol in listeners.PROTOCOLS:
            unused = _unused(broker, name, protocol)
            if unused is not None:
                yield unused
                return
    asked = [*found.names, *(name.upper() for name in found.quorum)]
    spoken = [found.protocols.get(name, "") for name in asked]
    if not all(one in listeners.PROTOCOLS for one in spoken):
        return
    if listeners.malformed(broker["listeners"].text):
        return
    for part, keys in _OF_LISTENERS.items():
        if any(part in protocol for protocol in spoken):
            continue
        key = next((key for key in keys if key != _JAAS and broker.sets(key)), "")
        told = broker[key] if key else None
        if told is None or not told.text or told.text.lower() == "none":
            continue
        required = told.text == "required"
        yield broker.finding(
            f"{broker} sets {plain(told)}, but no listener uses {'TLS' if part == 'SSL' else 'SASL'}",
            at=told,
            because=(broker["listeners"],),
            breaks="no client has to present a certificate"
            if required
            else f"the broker ignores its {part.lower()} keys",
            fix=f"use {part} in the protocol of a listener, or remove the {part.lower()} keys",
            severity=WARNING if required else INFO,
        )
        return


def _unused(broker: Broker, name: str, protocol: str) -> Finding | None:
    """A setting with the prefix of a listener that its protocol or its mechanisms do not use."""
    prefix = f"{_LISTENER}{name.lower()}."
    offered = [one.lower() for one in offered_by(broker, name)]
    for key in broker.merged:
        rest = key[len(prefix) :] if key.startswith(prefix) else ""
        part = next((p for p, keys in _OF_LISTENERS.items() if rest.endswith(keys)), None)
        login = rest == _JAAS and broker[key].text != ""
        if part is None or not (login or broker[key].text):
            continue
        if part not in protocol:
            return broker.finding(
                f"{broker} sets {key}, but listener {name} uses {protocol}",
                at=broker[key],
                because=[v for v in (broker["listener.security.protocol.map"],) if v.written],
                breaks="the listener ignores it: clients connect "
                + ("unencrypted" if part == "SSL" else "without logging in"),
                fix=f"set the protocol of {name} to {_with(protocol, part)}, or remove {key}",
            )
        if login:
            others = [f"{prefix}{one}.{_JAAS}" in broker.merged for one in offered]
            if broker.resource.traits.jaas_file or (others and all(others)):
                continue
            return _nameless(broker, broker[key], prefix, offered)
        mechanism = rest.removesuffix(f".{_JAAS}")
        if rest != mechanism and offered and mechanism not in offered:
            enabled = broker.listener(name, _ENABLED)
            return broker.finding(
                f"{broker} has a login for {mechanism.upper()} on listener {name}, but "
                f"{plain(enabled)}",
                at=broker[key],
                because=(enabled,),
                breaks="the login is not used: clients with this mechanism are rejected",
                fix=f"add {mechanism.upper()} to {enabled.key}, or remove {key}",
            )
    return None


def _nameless(broker: Broker, login: Value, prefix: str, offered: list[str]) -> Finding:
    """The finding on a login without the mechanism that it is for."""
    named = offered[0] if len(offered) == 1 else "MECHANISM"
    return broker.finding(
        f"{broker} sets {login.key} without the name of a mechanism",
        at=login,
        breaks="Kafka ignores it with a warning: without a JAAS file, it fails to start (could not find "
        "a KafkaServer entry)",
        fix=f"rename it to {prefix}{named}.{_JAAS}",
    )


def _with(protocol: str, part: str) -> str:
    """A protocol with SASL or SSL added."""
    if part == "SASL":
        return "SASL_SSL" if protocol == "SSL" else "SASL_PLAINTEXT"
    return "SASL_SSL" if protocol.startswith("SASL") else "SSL"
