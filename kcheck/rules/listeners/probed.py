"""KC109x: probes and health checks that ask a broker's own listeners with Kafka's tools."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph import listeners
from kcheck.graph.nodes import Broker
from kcheck.model import FACT, WARNING, Finding, Value
from kcheck.model.processes import Probe
from kcheck.rule import rule

#: A tool of Kafka's with the one address that it asks.
_TOOL = re.compile(
    r"\bkafka-(?:topics|broker-api-versions|configs|consumer-groups|cluster|log-dirs)(?:\.sh)?\s"
    r"[^;&|]*?--bootstrap-server[= ]+[\"']?([\w.${}()-]*):(\d{1,5})(?![\d,])"
)
#: The options by which tools get settings of a client.
_SETTINGS = re.compile(r"--(?:command-config|config|command-property)\b")


@rule("KC1096", "probe-of-secured-listener", WARNING)
def probe_of_secured_listener(broker: Broker) -> Iterator[Finding]:
    """A probe runs one of Kafka's tools against a listener that does not accept it.

    Without --command-config the tools connect without TLS and without a login: a listener with SSL or
    SASL drops them. Where no listener has the port, nothing answers. The container never becomes
    healthy, and what depends on that (service_healthy, readiness) never starts.

    Bad: a listener with SASL
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.6.1
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper.example.com:2181
              KAFKA_LISTENERS: APP://0.0.0.0:9092,BROKERS://0.0.0.0:9091
              KAFKA_ADVERTISED_LISTENERS: APP://kafka:9092,BROKERS://kafka:9091
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: APP:SASL_PLAINTEXT,BROKERS:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: BROKERS
              KAFKA_LISTENER_NAME_APP_SASL_ENABLED_MECHANISMS: PLAIN
              KAFKA_LISTENER_NAME_APP_PLAIN_SASL_JAAS_CONFIG: org.apache.kafka.common.security.plain.PlainLoginModule required user_app="secret";
            healthcheck: {test: "kafka-topics --bootstrap-server kafka:9092 --list"}
    Bad: no listener
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          template:
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:4.0.0
                  env:
                    - {name: KAFKA_NODE_ID, value: "1"}
                    - {name: KAFKA_PROCESS_ROLES, value: "broker,controller"}
                    - {name: KAFKA_LISTENERS, value: "INTERNAL://:9094,CONTROLLER://:9093"}
                    - {name: KAFKA_LISTENER_SECURITY_PROTOCOL_MAP, value: "INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT"}
                    - {name: KAFKA_INTER_BROKER_LISTENER_NAME, value: INTERNAL}
                    - {name: KAFKA_CONTROLLER_LISTENER_NAMES, value: CONTROLLER}
                    - {name: KAFKA_CONTROLLER_QUORUM_VOTERS, value: "1@kafka-0.kafka:9093"}
                    - {name: KAFKA_ADVERTISED_LISTENERS, value: "INTERNAL://kafka:9094"}
                  readinessProbe:
                    exec: {command: [/opt/kafka/bin/kafka-broker-api-versions.sh, --bootstrap-server, "localhost:9092"]}
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.6.1
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper.example.com:2181
              KAFKA_LISTENERS: APP://0.0.0.0:9092,BROKERS://0.0.0.0:9091
              KAFKA_ADVERTISED_LISTENERS: APP://kafka:9092,BROKERS://kafka:9091
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: APP:SASL_PLAINTEXT,BROKERS:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: BROKERS
              KAFKA_LISTENER_NAME_APP_SASL_ENABLED_MECHANISMS: PLAIN
              KAFKA_LISTENER_NAME_APP_PLAIN_SASL_JAAS_CONFIG: org.apache.kafka.common.security.plain.PlainLoginModule required user_app="secret";
            healthcheck: {test: "kafka-topics --bootstrap-server kafka:9091 --list"}
    Good: with settings of a client
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.6.1
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper.example.com:2181
              KAFKA_LISTENERS: APP://0.0.0.0:9092,BROKERS://0.0.0.0:9091
              KAFKA_ADVERTISED_LISTENERS: APP://kafka:9092,BROKERS://kafka:9091
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: APP:SASL_PLAINTEXT,BROKERS:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: BROKERS
              KAFKA_LISTENER_NAME_APP_SASL_ENABLED_MECHANISMS: PLAIN
              KAFKA_LISTENER_NAME_APP_PLAIN_SASL_JAAS_CONFIG: org.apache.kafka.common.security.plain.PlainLoginModule required user_app="secret";
            healthcheck: {test: "kafka-topics --command-config /etc/kafka/admin.properties --bootstrap-server kafka:9092 --list"}
    """
    process = broker.resource.traits.process
    found = listeners.addresses(broker)
    if process is None or not found.known:
        return
    for probe in process.probes:
        tool = _TOOL.search(probe.command)
        if tool is None or _SETTINGS.search(probe.command) or not _own(broker, tool[1]):
            continue
        port = int(tool[2])
        there = [one for one in found.listeners if one.port == port]
        if len(there) > 1 or any(one.name in found.quorum for one in there):
            continue
        bound = broker["listeners"]
        if not there and bound.written:
            yield broker.finding(
                f"{broker}: {probe.kind} asks port {port}, but no listener has it",
                at=_of(probe, broker),
                because=(bound,),
                breaks="nothing answers: the container never becomes healthy",
                fix="ask the port of a listener",
            )
            return
        listener = next((one.name for one in there), "")
        protocol = found.protocols.get(listener, "")
        if protocol in ("SSL", "SASL_SSL", "SASL_PLAINTEXT"):
            yield broker.finding(
                f"{broker}: {probe.kind} connects without TLS and login to listener {listener}, "
                f"which uses {protocol}",
                at=_of(probe, broker),
                because=(bound,) if bound.written else (),
                breaks="the broker drops the connection: the container never becomes healthy",
                fix="add --command-config with security.protocol and login, or ask a listener without "
                "them",
            )
            return


def _own(broker: Broker, host: str) -> bool:
    """Whether a probe asks the broker itself."""
    names = {
        *broker.resource.traits.names,
        broker.resource.name,
        "localhost",
        "127.0.0.1",
        "0.0.0.0",
    }
    return host in names or "$" in host


def _of(probe: Probe, broker: Broker) -> Value:
    setting = probe.setting
    return Value(setting.key, broker.resource, FACT, setting.text, setting.text, True, setting)
