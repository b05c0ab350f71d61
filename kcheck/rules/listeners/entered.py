"""KC10: Kafka's tools that scripts start in the containers of brokers."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import endpoints
from kcheck.graph.listeners import Listener, addresses
from kcheck.graph.nodes import Broker
from kcheck.model import FACT, WARNING, Entered, Finding, Setting, Value
from kcheck.rule import rule
from kcheck.rules.listeners.addresses import bound_listeners, is_loopback, service_names
from kcheck.rules.shared.processes import container_of

_EVERY = ("", "0.0.0.0", "::", "[::]")
_SECURED = ("SSL", "SASL_SSL", "SASL_PLAINTEXT")


@rule("KC1019", "tool-in-container", WARNING)
def tool_in_container(broker: Broker) -> Iterator[Finding]:
    """A script creates a topic in a container of the broker by an address that does not lead to it there.

    In a container, localhost is that container, and ports are those of its listeners: what Docker
    publishes is for the host. A listener that is bound to a host name does not answer at localhost, and
    one with SSL or SASL drops tools without --command-config. Behind the first connection the tool
    uses what the listener advertises.

    Bad: a listener that is bound to the host name
        --- docker-compose.yml
        services:
          broker:
            image: apache/kafka:3.9.0
            container_name: kafka-1
            hostname: broker
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_LISTENERS: INTERNAL://broker:9092,CONTROLLER://:9093
              KAFKA_ADVERTISED_LISTENERS: INTERNAL://broker:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INTERNAL
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@broker:9093
        --- topics.sh
        docker exec kafka-1 /opt/kafka/bin/kafka-topics.sh --create --topic orders --partitions 3 --bootstrap-server localhost:9092
    Bad: the published port
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["19092:9092"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
        --- topics.sh
        docker compose exec -T kafka bash -c "kafka-topics --create --topic orders --bootstrap-server kafka:19092"
    Bad: a listener with SASL
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper.example.com:2181
              KAFKA_LISTENERS: APP://0.0.0.0:9092,BROKERS://0.0.0.0:9091
              KAFKA_ADVERTISED_LISTENERS: APP://kafka:9092,BROKERS://kafka:9091
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: APP:SASL_PLAINTEXT,BROKERS:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: BROKERS
              KAFKA_LISTENER_NAME_APP_SASL_ENABLED_MECHANISMS: PLAIN
              KAFKA_LISTENER_NAME_APP_PLAIN_SASL_JAAS_CONFIG: org.apache.kafka.common.security.plain.PlainLoginModule required user_app="secret";
        --- topics.sh
        docker exec kafka kafka-topics --create --topic orders --bootstrap-server localhost:9092
    Bad: what is advertised leads elsewhere
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9092:9094"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_LISTENERS: BROKERS://0.0.0.0:29092,HOST://0.0.0.0:9094
              KAFKA_ADVERTISED_LISTENERS: BROKERS://kafka:29092,HOST://localhost:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: BROKERS:PLAINTEXT,HOST:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: BROKERS
        --- topics.sh
        docker exec kafka kafka-topics --create --topic orders --bootstrap-server localhost:9094
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9092:9094"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_LISTENERS: BROKERS://0.0.0.0:29092,HOST://0.0.0.0:9094
              KAFKA_ADVERTISED_LISTENERS: BROKERS://kafka:29092,HOST://localhost:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: BROKERS:PLAINTEXT,HOST:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: BROKERS
        --- topics.sh
        docker exec kafka kafka-topics --create --topic orders --bootstrap-server localhost:29092
        docker exec kafka kafka-topics --create --topic bills --bootstrap-server kafka:29092
        docker exec other kafka-topics --create --topic items --bootstrap-server localhost:9094
    """
    seen: set[tuple[str | None, str | None]] = set()
    for topic in broker.cluster.topics:
        entered = topic.resource.traits.entered
        key = (
            (entered.container.text, entered.servers.text) if entered is not None else (None, None)
        )
        if entered is None or key in seen:
            continue
        seen.add(key)
        found = _judged(broker, entered)
        if found is not None:
            words, fix = found
            yield broker.finding(
                f"--bootstrap-server {entered.servers.text} in container {entered.container.text}: "
                f"{words}",
                at=_value(broker, entered.servers),
                because=(broker["listeners"],) if broker["listeners"].written else (),
                breaks="the tool times out: the topic is not created",
                fix=fix,
            )


def _judged(broker: Broker, entered: Entered) -> tuple[str, str] | None:
    """What is wrong with the address, and what to do; None where nothing is."""
    text = entered.servers.text or ""
    pairs = endpoints.split(text)
    bound = bound_listeners(broker)
    if len(pairs) != 1 or not bound:
        return None
    ((host, port),) = pairs
    own = container_of(broker, entered.container.text or "")
    here = is_loopback(host)
    if not (own if here else host in service_names(broker)):
        return None
    there = [one for one in bound if str(one.port) == port]
    if not there:
        return f"no listener of {broker} has port {port}", _advice(broker)
    one, *others = there
    if others or one.name in addresses(broker).quorum:
        return None
    if here and one.host not in _EVERY and not is_loopback(one.host):
        return (
            f"listener {one} of {broker} is bound to {one.host} alone",
            f"use {one.host}:{port}, or bind the listener to 0.0.0.0",
        )
    spoken = addresses(broker).protocols.get(one.name, "")
    if spoken in _SECURED and not entered.configured:
        return (
            f"the tool connects without TLS and login, but listener {one.name} of {broker} uses {spoken}",
            "add --command-config with security.protocol and login, or use a listener without them",
        )
    return _behind(broker, one, own, bound)


def _behind(
    broker: Broker, one: Listener, own: bool, bound: list[Listener]
) -> tuple[str, str] | None:
    """What the tool is led to behind the first connection, by what the listener advertises."""
    told = next((each for each in addresses(broker).visible if each.name == one.name), None)
    if told is None or not is_loopback(told.host):
        return None
    if own and any(each.port == told.port for each in bound):
        return None
    return (
        f"listener {one.name} of {broker} advertises {told.host}:{told.port}, where nothing listens in "
        "the container",
        _advice(broker),
    )


def _advice(broker: Broker) -> str:
    found = addresses(broker)
    for told in found.visible:
        if not is_loopback(told.host) and found.protocols.get(told.name) == "PLAINTEXT":
            return f"use {told.host}:{told.port}"
    return "use the port of a listener, and a name that means the same in the container"


def _value(broker: Broker, setting: Setting) -> Value:
    return Value(setting.key, broker.resource, FACT, setting.text, setting.text, True, setting)
