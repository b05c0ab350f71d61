"""Services of compose whose command starts Kafka with overrides."""

from __future__ import annotations

import pytest
from composing import document, project, resource, written

TEXT = """\
services:
  kafka:
    image: quay.io/strimzi/kafka:0.40.0-kafka-3.7.0
    command: ["sh", "-c", "bin/kafka-server-start.sh config/server.properties --override num.partitions=$${PARTITIONS} --override 'x=y' --override advertised.listeners=$$ADVERTISED --override broker.rack=$${RACK} --override log.dirs=/a"]
    environment:
      PARTITIONS: 3
      ADVERTISED: PLAINTEXT://kafka:9092
"""


def test_a_broker_with_its_overrides() -> None:
    found = resource(TEXT)
    assert (found.kind, found.name, found.traits.deployer) == ("broker", "kafka", "compose")
    assert {key: one.text for key, one in found.settings.items()} == {
        "num.partitions": "3",
        "advertised.listeners": "PLAINTEXT://kafka:9092",
        "broker.rack": None,
        "log.dirs": "/a",
    }
    sources = project(TEXT)
    assert written(found.settings["num.partitions"], sources) == "3"
    assert written(found.settings["log.dirs"], sources) == "/a"
    assert found.facts["kafka_version"].text == "3.7.0"
    assert found.traits.partial is True


def test_a_list_of_words() -> None:
    text = (
        "services:\n  kafka:\n    image: example/kafka\n    entrypoint: bin/kafka-server-start.sh\n"
        "    command: [config/a.properties, --override, log.dirs=/a]\n"
    )
    found = resource(text)
    assert found.settings["log.dirs"].text == "/a"
    assert "kafka_version" not in found.facts


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("kafka-server-start.sh", "zookeeper-server-start.sh"),
        ("bin/kafka-server-start.sh", "bin/kafka-topics.sh"),
    ],
)
def test_another_program(old: str, new: str) -> None:
    assert document(TEXT.replace(old, new)).resources == []


def test_the_variables_of_compose_are_filled_in_before() -> None:
    text = TEXT.replace("log.dirs=/a", "log.dirs=${DIRS}")
    assert resource(text, {".env": "DIRS=/b\n"}).settings["log.dirs"].text == "/b"
    assert resource(text).settings["log.dirs"].text is None
