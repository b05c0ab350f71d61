"""Files that hold a piece of a cluster: nobody counts its brokers by them."""

from __future__ import annotations

import pytest
from composing import document, lint

from kcheck.model import ERROR, WARNING

ZOOKEEPER = "  zookeeper:\n    image: zookeeper:3.9\n"
KRAFT = "KAFKA_PROCESS_ROLES: 'broker,controller'\n      KAFKA_CONTROLLER_QUORUM_VOTERS"


def compose(quorum: str, more: str = "", others: str = "") -> str:
    """A file with a broker that wants two replicas where there may be one broker."""
    return (
        f"services:\n{others}  kafka:\n    image: confluentinc/cp-kafka:7.5.0\n{more}"
        f"    environment:\n      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 2\n"
        f"      KAFKA_NODE_ID: 1\n{f'      {quorum}' if quorum else ''}\n"
    )


def counted(text: str, files: dict[str, str] | None = None) -> bool:
    """Whether the brokers are counted, and with them what more replicas than brokers break."""
    project = lint(text, files)
    known = {c.broker_count.known for c in project.clusters if c.brokers}
    assert (known == {True}) == ("KC0308" in [f.code for f in project.findings])
    return known == {True}


@pytest.mark.parametrize(
    ("quorum", "more", "others"),
    [
        ("KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181/kafka", "", ZOOKEEPER),
        ("KAFKA_ZOOKEEPER_CONNECT: 'zoo:2181'", "", ZOOKEEPER + "    container_name: zoo\n"),
        ("KAFKA_ZOOKEEPER_CONNECT: 'zoo:2181'", "", ZOOKEEPER + "    hostname: zoo\n"),
        ("KAFKA_ZOOKEEPER_CONNECT: 'zoo:2181'", "    links: ['zookeeper:zoo']\n", ZOOKEEPER),
        (
            "KAFKA_ZOOKEEPER_CONNECT: '10.5.0.2:2181'",
            "",
            ZOOKEEPER + "    networks: {own: {ipv4_address: 10.5.0.2}}\n",
        ),
        (
            "KAFKA_ZOOKEEPER_CONNECT: zoo",
            "",
            ZOOKEEPER + "    networks: {own: {aliases: [zoo]}}\n",
        ),
        ("KAFKA_ZOOKEEPER_CONNECT: tasks.zookeeper:2181", "", ZOOKEEPER),
        ("KAFKA_ZOOKEEPER_CONNECT: zookeeper.own:2181", "    depends_on: [zookeeper]\n", ZOOKEEPER),
        (f"{KRAFT}: 1@kafka:9093", "", ""),
        (f"{KRAFT}: 1@localhost:9093", "", ""),
        (f"{KRAFT}: 1@127.0.0.1:9093", "    extends: {service: base}\n", "  base: {image: x}\n"),
    ],
)
def test_a_whole_cluster(quorum: str, more: str, others: str) -> None:
    assert counted(compose(quorum, more, others))


@pytest.mark.parametrize(
    ("quorum", "more", "others"),
    [
        ("KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181", "", ""),
        ("KAFKA_ZOOKEEPER_CONNECT: 'zookeeper:2181,zoo2:2181'", "", ZOOKEEPER),
        ("KAFKA_ZOOKEEPER_CONNECT: 'zookeeper.prod.example:2181'", "", ZOOKEEPER),
        ("KAFKA_ZOOKEEPER_CONNECT: '${ZOOKEEPERS}'", "", ZOOKEEPER),
        ("KAFKA_ZOOKEEPER_CONNECT: '10.5.0.2:2181'", "", ZOOKEEPER),
        (f"{KRAFT}: '1@kafka:9093,2@kafka2:9093'", "", ""),
        ("", "    depends_on: [ldap]\n", ""),
        ("", "", ""),
        (f"{KRAFT}: 1@kafka:9093", "    depends_on: {ldap: {condition: service_started}}\n", ""),
        (f"{KRAFT}: 1@kafka:9093", "", "  other: {environment: {A: b}}\n"),
        (f"{KRAFT}: 1@kafka:9093", "", "  other: {extends: {file: gone.yml, service: x}}\n"),
    ],
)
def test_a_piece_of_a_cluster(quorum: str, more: str, others: str) -> None:
    assert not counted(compose(quorum, more, others))


def test_what_is_included_may_hold_more() -> None:
    text = compose(f"{KRAFT}: 1@kafka:9093")
    assert counted(text)
    assert not counted(text + "include: [brokers.yml]\n")


def test_what_the_override_file_adds_is_there() -> None:
    text = compose("KAFKA_ZOOKEEPER_CONNECT: zoo:2181")
    zookeeper = text.replace("  kafka:", "  zoo:\n    image: zookeeper:3.9\n  kafka:")
    renamed = "services:\n  zookeeper: {container_name: zoo}\n"
    assert counted(zookeeper)
    other = compose("KAFKA_ZOOKEEPER_CONNECT: zoo:2181", others=ZOOKEEPER)
    assert not counted(other)
    assert counted(other, {"docker-compose.override.yml": renamed})


def test_what_is_missing_may_stand_in_the_file_that_completes_this_one() -> None:
    def severity(text: str) -> str:
        (found,) = [f for f in lint(text).findings if f.code == "KC0124"]
        assert ("another compose file" in found.consequence) == (found.severity == WARNING)
        return found.severity

    assert severity(compose("")) == ERROR
    overlay = compose("", "    depends_on: [zookeeper]\n")
    assert severity(overlay) == WARNING
    # What is there and refused stays so.
    quorum = "KAFKA_ZOOKEEPER_CONNECT: z:2181\n      KAFKA_ADVERTISED_LISTENERS: A://:9092"
    refused = compose(f"{quorum}\n      KAFKA_ADVERTISED_PORT: 1", "    depends_on: [z]\n")
    assert severity(refused) == ERROR


def test_a_worker_that_asks_elsewhere() -> None:
    def elsewhere(bootstrap: str) -> bool:
        worker = (
            "  connect:\n    image: confluentinc/cp-kafka-connect:7.5.0\n"
            f"    environment: {{CONNECT_BOOTSTRAP_SERVERS: '{bootstrap}'}}\n"
        )
        found = document(compose(f"{KRAFT}: 1@kafka:9093", others=worker)).resources
        return any(r.traits.asks_elsewhere for r in found)

    assert elsewhere("broker.example.com:9092")
    assert not elsewhere("broker.example.com:9092,kafka:9092")
    assert not elsewhere("SASL_SSL://kafka:9092")
    assert not elsewhere("localhost:9092")
    assert elsewhere("${BROKERS}")
