"""Which services of one file form a cluster, and the topics that an image creates in it."""

from __future__ import annotations

import time

import pytest
from composing import document, lint


def services(**definitions: str) -> str:
    """Services by name, each with its image and ``NAME=value`` variables parted by blanks."""
    lines = ["services:"]
    for name, definition in definitions.items():
        image, *variables = definition.split()
        lines += [f"  {name}:", f"    image: {image}", "    environment:", "    - TZ=UTC"]
        lines += [f"    - {variable}" for variable in variables]
    return "\n".join(lines) + "\n"


def clusters(text: str) -> dict[str, str | None]:
    return {r.name: r.cluster for r in document(text).resources}


CP = "confluentinc/cp-kafka:7.5.0"
ZOOKEEPER = "confluentinc/cp-zookeeper:7.5.0"
WORKER = "confluentinc/cp-kafka-connect:7.5.0"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("KAFKA_ZOOKEEPER_CONNECT=z1:2181", "KAFKA_ZOOKEEPER_CONNECT=z1:2181"),
        ("KAFKA_ZOOKEEPER_CONNECT=z1:2181,z2:2181/k", "KAFKA_ZOOKEEPER_CONNECT=z2:2181/k/"),
        ("KAFKA_ZOOKEEPER_CONNECT=z1:2181", "KAFKA_ZOOKEEPER_CONNECT=${ZOOKEEPER}"),
        ("KAFKA_ZOOKEEPER_CONNECT=z1:2181", "KAFKA_BROKER_RACK=x"),
        (
            "KAFKA_CONTROLLER_QUORUM_VOTERS=1@a:9093,2@b:9093",
            "KAFKA_CONTROLLER_QUORUM_VOTERS=2@b:9093,1@a:9093",
        ),
        (
            "KAFKA_CONTROLLER_QUORUM_VOTERS=1@a:9093",
            "KAFKA_CONTROLLER_QUORUM_BOOTSTRAP_SERVERS=a:9093",
        ),
    ],
)
def test_one_cluster(one: str, other: str) -> None:
    text = services(k1=f"{CP} {one}", k2=f"{CP} {other}")
    assert clusters(text) == {"k1": None, "k2": None}
    assert len(lint(text).clusters) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("KAFKA_ZOOKEEPER_CONNECT=z1:2181", "KAFKA_ZOOKEEPER_CONNECT=z2:2181"),
        ("KAFKA_ZOOKEEPER_CONNECT=z1:2181/a", "KAFKA_ZOOKEEPER_CONNECT=z1:2181/b"),
        ("KAFKA_CONTROLLER_QUORUM_VOTERS=1@k1:9093", "KAFKA_CONTROLLER_QUORUM_VOTERS=1@k2:9093"),
        (
            "KAFKA_CONTROLLER_QUORUM_VOTERS=1@localhost:9093 KAFKA_PROCESS_ROLES=broker,controller",
            "KAFKA_CONTROLLER_QUORUM_VOTERS=1@localhost:9093 KAFKA_PROCESS_ROLES=controller,broker",
        ),
    ],
)
def test_two_clusters(one: str, other: str) -> None:
    text = services(
        k1=f"{CP} {one}",
        k2=f"{CP} {other}",
        c2=f"{WORKER} CONNECT_BOOTSTRAP_SERVERS=k2:9092",
        c3=f"{WORKER} CONNECT_BOOTSTRAP_SERVERS=elsewhere:9092",
    )
    assert clusters(text) == {"k1": "k1", "k2": "k2", "c2": "k2", "c3": None}
    made = lint(text).clusters
    assert [len(c.brokers) for c in made] == [1, 1, 0]


@pytest.mark.parametrize(
    ("profiles", "ids", "expected"),
    [
        (("a", "b"), (1, 1), {"k1": "k1", "k2": "k2"}),
        (("a, x", "x"), (1, 1), {"k1": None, "k2": None}),
        # Other nodes, which may be started beside each other.
        (("a", "b"), (1, 2), {"k1": None, "k2": None}),
        (("a", ""), (1, 1), {"k1": None, "k2": None}),
    ],
)
def test_one_node_in_two_profiles_is_one_of_two_clusters(
    profiles: tuple[str, str], ids: tuple[int, int], expected: dict[str, str | None]
) -> None:
    text = "services:\n"
    for name, profile, own in zip(("k1", "k2"), profiles, ids, strict=True):
        told = f"KAFKA_ZOOKEEPER_CONNECT: z1:2181, KAFKA_BROKER_ID: {own}"
        text += f"  {name}: {{image: {CP}, profiles: [{profile}], environment: {{{told}}}}}\n"
    assert clusters(text) == expected


def test_nodes_on_the_hosts_network_share_its_loopback() -> None:
    voters = "KAFKA_CONTROLLER_QUORUM_VOTERS=1@localhost:9093"
    text = services(
        c=f"{CP} {voters} KAFKA_PROCESS_ROLES=controller",
        b=f"{CP} {voters} KAFKA_PROCESS_ROLES=broker",
    )
    shared = text.replace("    environment:", "    network_mode: host\n    environment:")
    assert clusters(shared) == {"c": None, "b": None}


def test_two_zookeepers_of_one_ensemble() -> None:
    text = services(
        zookeeper="confluentinc/cp-zookeeper:7.5.0 ZOOKEEPER_SERVERS=z1:2888:3888;z2:2888:3888",
        k1=f"{CP} KAFKA_ZOOKEEPER_CONNECT=z1:2181",
        k2=f"{CP} KAFKA_ZOOKEEPER_CONNECT=z2:2181",
    )
    assert clusters(text) == {"k1": None, "k2": None}
    assert len(lint(text).clusters) == 1


def test_a_zookeeper_that_lists_itself_alone_is_no_ensemble() -> None:
    text = services(
        zw=f"{ZOOKEEPER} ZOOKEEPER_SERVERS=zw:2888:3888",
        ze="zookeeper:3.9 ZOO_SERVERS=server.1=ze:2888:3888;2182",
        west=f"{CP} KAFKA_ZOOKEEPER_CONNECT=zw:2181",
        east=f"{CP} KAFKA_ZOOKEEPER_CONNECT=ze:2182",
    )
    assert clusters(text) == {"west": "west", "east": "east"}
    unknown = text.replace("=ze:2888:3888;2182", "=${SERVERS}").replace("=server.1", "")
    assert clusters(unknown) == {"west": None, "east": None}


def test_two_zookeepers_on_the_network_of_the_host() -> None:
    text = services(
        zw=f"{ZOOKEEPER} ZOOKEEPER_SERVERS=localhost:2888:3888",
        ze=f"{ZOOKEEPER} ZOOKEEPER_SERVERS=localhost:12888:13888",
        west=f"{CP} KAFKA_ZOOKEEPER_CONNECT=localhost:2181",
        east=f"{CP} KAFKA_ZOOKEEPER_CONNECT=localhost:12181",
    )
    assert clusters(text) == {"west": "west", "east": "east"}


def test_two_ensembles_in_one_file() -> None:
    zookeepers = {
        f"{side}{n}": f"{ZOOKEEPER} ZOOKEEPER_SERVERS={servers}"
        for side in ("w", "e")
        for n, servers in (
            (1, f"0.0.0.0:2888:3888;{side}2:2888:3888"),
            (2, f"{side}1:2888:3888;0.0.0.0:2888:3888"),
        )
    }
    text = services(
        **zookeepers,
        k1=f"{CP} KAFKA_ZOOKEEPER_CONNECT=w1:2181",
        k2=f"{CP} KAFKA_ZOOKEEPER_CONNECT=w2:2181",
        k3=f"{CP} KAFKA_ZOOKEEPER_CONNECT=e1:2181",
        k4=f"{CP} KAFKA_ZOOKEEPER_CONNECT=e2:2181",
    )
    assert clusters(text) == {"k1": "k1", "k2": "k1", "k3": "k3", "k4": "k3"}


def test_a_node_of_no_quorum_leaves_the_others_apart_and_nobody_counted() -> None:
    text = services(
        z=ZOOKEEPER,
        k1=f"{CP} KAFKA_ZOOKEEPER_CONNECT=z:2181/a",
        k2=f"{CP} KAFKA_ZOOKEEPER_CONNECT=z:2181/b",
        k3=f"{CP} KAFKA_BROKER_ID=1",
    )
    assert clusters(text) == {"k1": "k1", "k2": "k2", "k3": None}
    assert not any(c.broker_count.known for c in lint(text).clusters)


def test_a_broker_that_links_two_groups_makes_one() -> None:
    text = services(
        a=f"{CP} KAFKA_ZOOKEEPER_CONNECT=z1:2181",
        b=f"{CP} KAFKA_ZOOKEEPER_CONNECT=z2:2181",
        c=f"{CP} KAFKA_ZOOKEEPER_CONNECT=z1:2181,z2:2181",
        d=f"{CP} KAFKA_ZOOKEEPER_CONNECT=z3:2181",
    )
    assert clusters(text) == {"a": "a", "b": "a", "c": "a", "d": "d"}


def test_one_broker_is_a_development_cluster() -> None:
    one = services(z1=ZOOKEEPER, k1=f"{CP} KAFKA_ZOOKEEPER_CONNECT=z1:2181")
    assert lint(one).clusters[0].environment == "development"
    scaled = one + "    deploy: {replicas: 3}\n"
    assert lint(scaled).clusters[0].environment == "unknown"
    assert lint(scaled).clusters[0].broker_count.number == 3
    everywhere = one + "    deploy: {mode: global}\n"
    assert not lint(everywhere).clusters[0].broker_count.known


def test_created_topics() -> None:
    text = """\
        services:
          kafka:
            image: wurstmeister/kafka:2.13-2.8.1
            environment:
              KAFKA_ZOOKEEPER_CONNECT: z:2181
              KAFKA_CREATE_TOPICS: "orders:12:3, state:1:1:compact --config=retention.ms=5"
        """
    orders, state = document(text).resources[1:]
    assert (orders.kind, orders.name) == ("topic", "orders")
    assert orders.at == (6, 29, 6, 35)
    assert (orders.facts["partitions"].amount, orders.facts["replication.factor"].amount) == (12, 3)
    assert orders.facts["replication.factor"].at == (6, 39, 6, 40)
    assert {k: s.text for k, s in state.settings.items()} == {
        "cleanup.policy": "compact",
        "retention.ms": "5",
    }
    assert state.settings["cleanup.policy"].at == (6, 52, 6, 59)
    assert state.settings["retention.ms"].name == "KAFKA_CREATE_TOPICS"


def test_created_topics_with_a_separator_of_their_own() -> None:
    image = "wurstmeister/kafka:2.13-2.8.1 KAFKA_ZOOKEEPER_CONNECT=z:2181"
    made = services(k=f"{image} KAFKA_CREATE_TOPICS=a:1:1;;b:2:1; KAFKA_CREATE_TOPICS_SEPARATOR=;")
    assert [r.name for r in document(made).resources] == ["k", "a", "b"]
    unknown = services(k=f"{image} KAFKA_CREATE_TOPICS=a:1:1;b:2:1 KAFKA_CREATE_TOPICS_SEPARATOR")
    assert [r.name for r in document(unknown).resources] == ["k"]
    other = services(k=f"{CP} KAFKA_CREATE_TOPICS=a:1:1")
    assert [r.name for r in document(other).resources] == ["k"]


def test_created_topics_belong_to_their_cluster() -> None:
    image = "wurstmeister/kafka:2.13-2.8.1"
    text = services(
        k1=f"{image} KAFKA_ZOOKEEPER_CONNECT=z1:2181 KAFKA_CREATE_TOPICS=a:1:1",
        k2=f"{image} KAFKA_ZOOKEEPER_CONNECT=z2:2181 KAFKA_CREATE_TOPICS=b:1:1",
    )
    assert clusters(text) == {"k1": "k1", "k2": "k2", "a": "k1", "b": "k2"}


@pytest.mark.parametrize("piece", ["9", "server.", "-", "a:9", "server.1="])
def test_a_long_list_of_servers_takes_no_time(piece: str) -> None:
    """Quadratic, these took twenty seconds."""
    servers = piece * (100_000 // len(piece))
    began = time.process_time()
    made = document(services(zoo=f"{ZOOKEEPER} ZOOKEEPER_SERVERS={servers}", kafka=CP))
    assert time.process_time() - began < 2
    assert {resource.name for resource in made.resources} == {"kafka"}
