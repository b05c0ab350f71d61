"""KC20: programs that probes and scripts start in containers whose image does not have them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import data, images
from kcheck.graph.nodes import Broker
from kcheck.model import FACT, WARNING, Finding, Setting, Value
from kcheck.rule import rule
from kcheck.rules.shared.processes import container_of

_TOOL = re.compile(
    r"(?:(?:/opt/kafka[\w.-]*|/opt/bitnami/kafka|/kafka|/usr|/usr/local/kafka)?/bin/)?"
    r"(kafka-(?:topics|configs|broker-api-versions|console-(?:consumer|producer)|consumer-groups|acls"
    r"|metadata-quorum|cluster|log-dirs|get-offsets|storage|reassign-partitions))(\.sh)?"
)
#: A probe of one program: what stands before it, and what may stand behind it.
_FIRST = re.compile(
    r"\s*(?:(?:/bin/|/usr/bin/)?(?:ba)?sh -l?c [\"']?)?\s*(?:timeout (?:-\S+ )*\S+ )?([^\s\"';|&<>()$`]+)(?=[\s\"']|$)"
)
_OTHERWISE = re.compile(
    r"\|\|(?!\s*\(?\s*(?:exit|false|kill)\b)|;|\bcommand -v\b|\bwhich\b|\bif\b|\bPATH="
)


@rule("KC2039", "tool-missing-in-image", WARNING)
def tool_missing_in_image(broker: Broker) -> Iterator[Finding]:
    """A probe or a script starts a program in a broker's container that its image does not have.

    Images name Kafka's tools in different ways: Confluent's without .sh, Bitnami's with it, Apache's in
    /opt/kafka/bin, which is not on the path; apache/kafka-native has none. Bitnami's image has no
    nc, Apache's no curl. The probe fails each time, and the container never becomes healthy.

    Bad: not on the path
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.0
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
            healthcheck: {test: ["CMD-SHELL", "kafka-topics.sh --bootstrap-server localhost:9092 --list || exit 1"]}
    Bad: a program that the image lacks
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.9.0
            environment:
              KAFKA_CFG_NODE_ID: 0
              KAFKA_CFG_PROCESS_ROLES: controller,broker
              KAFKA_CFG_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
              KAFKA_CFG_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_CFG_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_CFG_LISTENER_SECURITY_PROTOCOL_MAP: PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
              KAFKA_CFG_CONTROLLER_QUORUM_VOTERS: 0@kafka:9093
            healthcheck: {test: nc -z localhost 9092}
    Bad: the name in other images, in a script
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
        --- topics.sh
        docker exec kafka kafka-topics.sh --create --topic orders --bootstrap-server kafka:9092
    Bad: an image without tools
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka-native:3.9.0
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
            healthcheck: {test: ["CMD", "/opt/kafka/bin/kafka-broker-api-versions.sh", "--bootstrap-server", "localhost:9092"]}
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
            healthcheck: {test: nc -z localhost 9092 || kafka-topics --bootstrap-server kafka:9092 --list}
        --- topics.sh
        docker exec kafka kafka-topics --create --topic orders --bootstrap-server kafka:9092
    Good: a script that says where the programs are
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.0
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
            healthcheck: {test: 'PATH=$$PATH:/opt/kafka/bin kafka-topics.sh --bootstrap-server localhost:9092 --list'}
        --- topics.sh
        docker exec kafka bash -c 'export PATH=$PATH:/opt/kafka/bin; kafka-topics.sh --create --topic orders --bootstrap-server kafka:9092'
    Good: a fallback
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.9.0
            environment:
              KAFKA_CFG_NODE_ID: 0
              KAFKA_CFG_PROCESS_ROLES: controller,broker
              KAFKA_CFG_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
              KAFKA_CFG_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_CFG_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_CFG_LISTENER_SECURITY_PROTOCOL_MAP: PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
              KAFKA_CFG_CONTROLLER_QUORUM_VOTERS: 0@kafka:9093
            healthcheck: {test: nc -z localhost 9092 || kafka-topics.sh --bootstrap-server localhost:9092 --list}
    """
    image = broker.resource.facts.get("image")
    # Nothing is built on an image whose variables are all that a container gets.
    if image is None or not broker.resource.traits.by_environment:
        return
    row = _row(image.text or "")
    if row is None:
        return
    for word, where, setting, breaks in _started(broker):
        right = _right(row, word)
        if right is None:
            continue
        yield broker.finding(
            f"{where} starts {word}, which image {image.text} does not have",
            at=Value(setting.key, broker.resource, FACT, setting.text, setting.text, True, setting),
            because=(Value("image", broker.resource, FACT, image.text, image.text, True, image),),
            breaks=breaks,
            fix=right,
        )
        return


def _row(image: str) -> list[str] | None:
    parts = images.split(image)[0].lower().split("/")
    names = {"/".join(parts[-2:]), parts[-1] if parts[-1].startswith("cp-") else ""}
    rows = data.rows("images/tools.tsv")
    return next((row for row in rows if names.intersection(row[0].split())), None)


def _started(broker: Broker) -> Iterator[tuple[str, str, Setting, str]]:
    """The programs that probes and scripts start: who does, the place, and what their lack means."""
    process = broker.resource.traits.process
    for probe in process.probes if process is not None else ():
        found = _FIRST.match(probe.command)
        if found is not None and not _OTHERWISE.search(probe.command):
            yield (
                found[1],
                probe.kind,
                probe.setting,
                "the probe always fails: the container never becomes healthy",
            )
    for topic in broker.cluster.topics:
        entered = topic.resource.traits.entered
        if entered is not None and container_of(broker, entered.container.text or ""):
            where = f"the command in container {entered.container.text}"
            breaks = "the command fails: the topic is not created"
            yield entered.tool.text or "", where, entered.tool, breaks


def _right(row: list[str], word: str) -> str | None:
    """What to do about a word that starts nothing in an image; None for one that does, or may."""
    _, present, instead, absent, _ = row
    if word.rpartition("/")[2] in absent.split():
        return "use one of Kafka's tools, or bash with /dev/tcp" if present else "use nc -z"
    tool = _TOOL.fullmatch(word)
    if tool is None or re.fullmatch(present.replace("TOOL", tool[1]), word):
        return None
    if not present:
        return "use nc -z for probes, or apache/kafka, which has the tools"
    return f"use {instead.replace('TOOL', tool[1])}"
