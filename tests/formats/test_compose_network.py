"""Who of a compose file calls which broker by which address, and what nobody here can know."""

from __future__ import annotations

from textwrap import indent

import pytest
from composing import document, project, written

from kcheck.model import Resource

BROKER = """\
services:
  kafka:
    image: apache/kafka:4.1.0
    environment:
      KAFKA_NODE_ID: 1
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
"""


def files(*services: str, broker: str = BROKER) -> str:
    return broker + "".join(indent(text, "  ") for text in services)


def broker_of(text: str) -> Resource:
    (found,) = [r for r in document(text).resources if r.kind == "broker"]
    return found


def callers(text: str) -> list[tuple[str, str, bool]]:
    """Who calls the broker: the service, the text that it is told, whether it surely reads it."""
    found = broker_of(text).traits.callers
    return [
        (caller.name, setting.text, caller.traits.certain)
        for caller in found
        for setting in caller.settings.values()
    ]


UI = "ui:\n  image: provectuslabs/kafka-ui:v0.7.2\n  environment:\n    {}\n"
APP = "app:\n  image: shop/app\n  environment:\n    {}\n"


def test_programs_that_are_known_to_read_it() -> None:
    text = files(UI.format("KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS: kafka:9092"))
    assert callers(text) == [("ui", "kafka:9092", True)]


def test_where_the_address_stands() -> None:
    text = files(UI.format("KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS: 'kafka:9092'"))
    found = broker_of(text).traits.callers
    (setting,) = found[0].settings.values()
    assert setting.name == "KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS"
    assert written(setting, project(text)).strip("'") == "kafka:9092"
    assert setting.at[0] == 11


@pytest.mark.parametrize(
    ("variable", "told"),
    [
        ("BOOTSTRAP_SERVERS: kafka:9092", "kafka:9092"),
        ("KAFKA_BROKERS: kafka:9092", "kafka:9092"),
        ("KAFKA_BROKERCONNECT: kafka:9092", "kafka:9092"),
        ("KAFKA_URL: PLAINTEXT://kafka:9092", "PLAINTEXT://kafka:9092"),
        ("spring.kafka.bootstrap-servers: localhost:9092", None),
        ("SPRING_KAFKA_BOOTSTRAP_SERVERS: localhost:9092", "localhost:9092"),
        ("KAFKA_HOST: 127.0.0.1:9092", "127.0.0.1:9092"),
        ("KAFKA_BROKERS: 'kafka:9092, kafka:9094'", "kafka:9092, kafka:9094"),
        ("KAFKA_BROKERS: 'kafka:9092,other:9092'", "kafka:9092,other:9092"),
        # Whose address that is nobody here knows.
        ("KAFKA_BROKERS: kafka.example.com:9092", None),
        ("KAFKA_BROKERS: 'kafka'", None),
        ("KAFKA_BROKERS: ${BROKERS}", None),
        ("KAFKA_BROKERS: ''", None),
        ("KAFKA_TOPIC: kafka:9092", None),
        ("DATABASE_HOST: localhost:5432", None),
    ],
)
def test_variables(variable: str, told: str | None) -> None:
    expected = [] if told is None else [("app", told, False)]
    assert callers(files(APP.format(variable))) == expected


@pytest.mark.parametrize(
    "more",
    [
        "network_mode: host",
        "network_mode: service:kafka",
        "command: socat tcp-listen:9092,fork tcp:kafka:9092",
        "entrypoint: [nginx, -g, daemon off]",
        "extra_hosts: ['localhost:172.17.0.1']",
        "extra_hosts: {localhost: host-gateway}",
        "command: ssh -L 9092:kafka:9092 jump",
    ],
)
def test_who_may_reach_another_by_localhost_is_left_out(more: str) -> None:
    text = APP.format("KAFKA_BROKERS: localhost:9092") + f"  {more}\n"
    assert callers(files(text)) == []


def test_others_that_share_the_network_of_a_caller() -> None:
    """What is at its localhost is the other's, too."""
    sidecar = "sidecar:\n  image: shop/sidecar\n  network_mode: service:app\n"
    assert callers(files(APP.format("KAFKA_BROKERS: localhost:9092"), sidecar)) == []


def test_a_command_makes_it_doubtful() -> None:
    text = UI.format("KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS: kafka:9092") + "  command: run --fast\n"
    assert callers(files(text)) == [("ui", "kafka:9092", False)]


def test_a_service_with_a_broker_of_its_own_calls_that() -> None:
    text = "both:\n  image: shop/all-in-one\n  environment:\n    KAFKA_BROKER_ID: 1\n    KAFKA_BROKERS: localhost:9092\n"
    assert callers(files(text)) == []


def test_names_that_links_and_aliases_give() -> None:
    linked = APP.format("KAFKA_BROKERS: queue:9092") + "  links: ['kafka:queue']\n"
    # The name is the one of who links, so that it is nobody's here for certain.
    assert callers(files(linked)) == []
    alias = BROKER + "    networks: {default: {aliases: [queue]}}\n"
    text = files(APP.format("KAFKA_BROKERS: queue:9092"), broker=alias)
    assert callers(text) == [("app", "queue:9092", False)]


def test_a_name_that_two_have_is_nobodys() -> None:
    alias = BROKER + "    networks: {default: {aliases: [queue]}}\n"
    other = alias.partition("services:\n")[2].replace("  kafka:", "  other:")
    text = alias + other + indent(APP.format("KAFKA_BROKERS: queue:9092"), "  ")
    brokers = [r for r in document(text).resources if r.kind == "broker"]
    assert [broker.name for broker in brokers] == ["kafka", "other"]
    assert all(not broker.traits.callers for broker in brokers)


@pytest.mark.parametrize(
    ("more", "alone"),
    [
        ("", True),
        ("app:\n  image: shop/app\n", True),
        ("app:\n  image: shop/app\n  network_mode: service:kafka\n", False),
        ("app:\n  image: shop/app\n  hostname: kafka\n", False),
    ],
)
def test_alone(more: str, alone: bool) -> None:
    assert broker_of(files(more)).traits.alone is alone


def test_nobody_is_alone_on_the_hosts_network() -> None:
    assert broker_of(BROKER + "    network_mode: host\n").traits.alone is False


def test_ports_that_others_publish() -> None:
    proxy = "proxy:\n  image: nginx\n  ports: ['9092:9092', '80:80']\n"
    assert broker_of(files(proxy)).traits.forwarded == ("9092", "80")
    unknown = "proxy:\n  image: nginx\n  ports: ['${PORT}:9092']\n"
    assert broker_of(files(unknown)).traits.forwarded is None


def test_numbers_that_its_variables_speak_of() -> None:
    """A port that nothing of Kafka's binds may be an agent's."""
    text = BROKER + '      KAFKA_OPTS: "-javaagent:/jmx.jar=7071:/jmx.yml"\n'
    spoken = broker_of(text).traits.numbers
    assert "7071" in spoken
    assert "9092" not in spoken
