"""KC0128: what the Kafka that a floating tag has reached does not have any more."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import images
from kcheck.graph.nodes import Broker
from kcheck.lexicon.check import assay
from kcheck.lexicon.name_faults import GONE
from kcheck.model import INFO, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.rules.shared.keys_wording import key_evidence, written
from kcheck.version import Version


@rule("KC0128", "floating-tag-without-zookeeper", WARNING)
def floating_tag_without_zookeeper(broker: Broker) -> Iterator[Finding]:
    """An unpinned image tag now resolves to Kafka 4, but the configuration requires ZooKeeper.

    ``latest`` of Apache's, Bitnami's and Confluent's images is Kafka 4.0 or newer since 2025. Kafka 4
    has no ZooKeeper mode: the container fails to start once its image is pulled again. An info finding
    for other keys that these versions removed, as inter.broker.protocol.version.

    Bad:
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:latest
            environment:
              KAFKA_CFG_ZOOKEEPER_CONNECT: zookeeper:2181
    Bad: a key that 4.0 removed, an info
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:latest
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_INTER_BROKER_PROTOCOL_VERSION: "3.6"
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.9.0
            environment:
              KAFKA_CFG_ZOOKEEPER_CONNECT: zookeeper:2181
    Good: an image whose last release is Kafka 2.8
        --- docker-compose.yml
        services:
          kafka:
            image: wurstmeister/kafka
            environment:
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
    Good: an image of no known publisher
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          serviceName: broker
          replicas: 3
          selector: {matchLabels: {app: kafka}}
          template:
            metadata: {labels: {app: kafka}}
            spec:
              containers:
                - name: broker
                  image: example.org/kafka
                  command:
                    - ./bin/kafka-server-start.sh
                    - /etc/kafka/server.properties
                    - --override
                    - zookeeper.connect=zookeeper:2181
                    - --override
                    - log.dirs=/var/lib/kafka/data/topics
    """
    image = broker.fact("image")
    family = images.families().get(broker.resource.traits.image_family)
    if family is None or broker.version.known:
        return
    floor = images.floor(family, image.text)
    if not floor.known:
        return
    zookeeper = broker["zookeeper.connect"]
    if broker.sets("process.roles") or not zookeeper.written:
        yield from _removed(broker, image, floor)
        return
    yield broker.finding(
        f"{broker} runs {image.text} (now Kafka {family.latest} or newer, without ZooKeeper mode), "
        "but zookeeper.connect is set",
        at=image,
        because=(zookeeper,),
        breaks="Kafka fails to start once the image is pulled again",
        fix="pin the tag to the last Kafka 3.9 release, or configure KRaft mode",
    )


def _removed(broker: Broker, image: Value, floor: Version) -> Iterator[Finding]:
    """Keys that the Kafka of the tag has removed by now; an older one may read them."""
    told = {setting.key for setting, _ in assay(broker.resource, broker.version).names}
    for setting, name in assay(broker.resource, floor).names:
        if name.kind == GONE and setting.key not in told and setting.key != "zookeeper.connect":
            yield broker.finding(
                f"{broker} runs {image.text} (now Kafka {floor} or newer) and sets {written(setting)}, "
                f"which Kafka {name.version} removed",
                at=key_evidence(broker, setting, setting.key),
                because=(image,),
                breaks="the key has no effect once the image is pulled again",
                fix="remove it, or pin the tag to the last release that reads it",
                severity=INFO,
            )
