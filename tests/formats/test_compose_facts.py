"""What a compose file says of a broker beside its configuration."""

from __future__ import annotations

import pytest
from composing import project, resource, service, written

BROKER = service(
    "apache/kafka:4.1.0", "KAFKA_NODE_ID=1", "KAFKA_CONTROLLER_QUORUM_VOTERS=1@kafka:9093"
)


@pytest.mark.parametrize(
    ("lines", "fact", "value", "raw"),
    [
        ("ulimits: {nofile: 1024}", "nofile", 1024, "1024"),
        ("ulimits: {nofile: {soft: 65536, hard: 90000}}", "nofile", 65536, "65536"),
        ("mem_limit: 2g", "ram", 2 << 30, "2g"),
        ("mem_limit: 512MB", "ram", 512 << 20, "512MB"),
        ("mem_limit: 1.5g", "ram", 3 << 29, "1.5g"),
        ("mem_limit: 1000", "ram", 1000, "1000"),
        ("deploy: {resources: {limits: {memory: 1024m}}}", "ram", 1 << 30, "1024m"),
        ("cpus: 2", "cores", 2, "2"),
        ("deploy: {resources: {limits: {cpus: '4.0'}}}", "cores", 4, "'4.0'"),
        ("deploy: {replicas: 3}", "deploy.replicas", 3, "3"),
        ("deploy: {replicas: 3}", "replicas", None, "3"),
        ("scale: 2", "replicas", None, "2"),
        ("sysctls: {net.core.somaxconn: 512}", "net.core.somaxconn", 512, "512"),
        ("sysctls: [net.core.somaxconn=512]", "net.core.somaxconn", 512, None),
        ("hostname: k1", "hostname", None, "k1"),
        ("network_mode: host", "network_mode", None, "host"),
    ],
)
def test_facts(lines: str, fact: str, value: int | None, raw: str | None) -> None:
    main = BROKER + f"    {lines}\n"
    found = resource(main)
    assert found.facts[fact].amount == value
    if raw is not None:
        assert written(found.facts[fact], project(main)) == raw


@pytest.mark.parametrize(
    "lines", ["mem_limit: lots", "mem_limit: ${M}", 'ulimits: {nofile: "${N}"}']
)
def test_facts_that_nobody_knows(lines: str) -> None:
    found = resource(BROKER + f"    {lines}\n")
    assert all(
        found.facts[name].amount is None for name in ("ram", "nofile") if name in found.facts
    )


@pytest.mark.parametrize(
    ("written_as", "ports"),
    [
        ("['9092:9092']", [("9092", "9092")]),
        ("['127.0.0.1:29092:9092/tcp']", [("29092", "9092")]),
        ("['[::1]:29092:9092']", [("29092", "9092")]),
        ("[9092]", [("", "9092")]),
        ("[{target: 9092, published: 19092}]", [("19092", "9092")]),
        ("['${PORT:-9092}:9092']", [("9092", "9092")]),
        ("['${PORT}:9092', '9000-9010:9000-9010']", []),
    ],
)
def test_ports(written_as: str, ports: list[tuple[str, str]]) -> None:
    assert resource(BROKER + f"    ports: {written_as}\n").traits.ports == tuple(ports)


@pytest.mark.parametrize(
    ("written_as", "volume"),
    [
        ("data:/var/lib/kafka", ("data", "/var/lib/kafka")),
        ("./data:/d:ro", ("./data", "/d")),
        ("/d", ("", "/d")),
        ("'${HERE}/x:/d:rw'", ("", "/d")),
        (r"'C:\data:/d'", ("C:\\data", "/d")),
        ("{type: bind, source: ./s, target: /d}", ("./s", "/d")),
        ("{type: bind, source: ./s, target: '${D}'}", ("./s", "/")),
        ("'${VOLUME}'", ("", "/")),
        ("'./x:${D}:ro'", ("", "/")),
    ],
)
def test_volumes(written_as: str, volume: tuple[str, str]) -> None:
    found = resource(BROKER + f"    volumes:\n    - {written_as}\n")
    assert found.traits.volumes == (volume,)


def test_the_names_of_a_service() -> None:
    found = resource(
        BROKER + "    container_name: k0\n    networks:\n      net: {aliases: [broker, bus]}\n"
    )
    assert found.traits.names == ("kafka", "k0", "broker", "bus")


def test_the_heap() -> None:
    found = resource(service("apache/kafka:4.1.0", "KAFKA_HEAP_OPTS=-Xms512m -Xmx6G"))
    assert found.facts["heap"].amount == 6 << 30
    assert "heap" not in found.settings


def test_the_image_is_a_fact_with_its_family() -> None:
    found = resource(service("docker.io/bitnami/kafka:3.7", "KAFKA_CFG_NODE_ID=1"))
    image = found.facts["image"]
    assert (image.text, image.at) == ("docker.io/bitnami/kafka:3.7", (3, 12, 3, 39))
    assert found.traits.image_family == "bitnami"
    assert found.facts["kafka_version"].at == (3, 36, 3, 39)
    assert found.traits.deployer == "compose"
