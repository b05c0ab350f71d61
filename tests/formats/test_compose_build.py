"""Compose services that are built: the image that their Dockerfile builds on tells what they are."""

from __future__ import annotations

import pytest
from composing import document, resource

_BUILT = """
    services:
      kafka:
        build: {build}
        environment:
          KAFKA_BROKER_ID: 1
          KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
          KAFKA_MESSAGE_MAX_BYTES: 5
"""
_FROM = "FROM confluentinc/cp-kafka:7.5.0\n"


def _built(build: str) -> str:
    return _BUILT.replace("{build}", build)


def test_a_build_may_have_the_name_of_another_image() -> None:
    named = _built(".").replace("build: .", "image: confluentinc/cp-kafka:7.5.0\n        build: .")
    found = resource(named, {"Dockerfile": _FROM})
    assert found.facts["kafka_version"].text == "3.5" and not found.traits.by_environment
    assert resource(named.replace("        build: .\n", ""), {}).traits.by_environment


@pytest.mark.parametrize(
    ("build", "path"),
    [
        (".", "Dockerfile"),
        ("./broker", "broker/Dockerfile"),
        ("{context: broker, dockerfile: Dockerfile.kafka}", "broker/Dockerfile.kafka"),
        ("{dockerfile: docker/kafka}", "docker/kafka"),
    ],
)
def test_the_dockerfile_of_the_project_is_read(build: str, path: str) -> None:
    found = resource(_built(build), {path: "# of ours\nRUN true\n" + _FROM + "RUN true\n"})
    assert found.settings["message.max.bytes"].text == "5"
    version = found.facts["kafka_version"]
    assert (version.text, version.path, version.at[0]) == ("3.5", path, 3)
    assert not found.traits.by_environment  # steps of the build may have changed anything


@pytest.mark.parametrize(
    ("text", "build", "version"),
    [
        ("ARG TAG=7.5.0\nFROM confluentinc/cp-kafka:${TAG}\n", ".", "3.5"),
        ("ARG TAG=7.5.0\nFROM confluentinc/cp-kafka:$TAG\n", "{args: {TAG: 7.6.0}}", "3.6"),
        ("ARG TAG\nFROM confluentinc/cp-kafka:$TAG\n", "{args: [TAG=7.6.0]}", "3.6"),
        ("ARG TAG\nFROM confluentinc/cp-kafka:$TAG\n", ".", None),
        ("ARG TAG=7.5.0\nFROM confluentinc/cp-kafka:$TAG\n", "{args: [TAG]}", None),
        ("FROM confluentinc/cp-kafka@sha256:12\n", ".", None),
        (_FROM.replace("\n", " AS base\n") + "FROM alpine\nRUN a\nFROM base\n", ".", "3.5"),
        (_FROM.replace("\n", " as b\n") + "FROM alpine\n", "{target: b}", "3.5"),
        (_FROM + "FROM alpine\n", "{target: 0}", "3.5"),
        ("FROM --platform=linux/amd64 \\\n  confluentinc/cp-kafka:7.5.0\n", ".", "3.5"),
    ],
)
def test_the_version_is_that_of_the_image_below(text: str, build: str, version: str | None) -> None:
    found = resource(_built(build), {"Dockerfile": text})
    told = found.facts.get("kafka_version")
    assert (told and told.text) == version


def test_variables_of_the_image_lie_below_those_of_the_service() -> None:
    steps = (
        'ENV KAFKA_MESSAGE_MAX_BYTES=1 KAFKA_LOG_RETENTION_HOURS="2"\n'
        "ENV KAFKA_NUM_PARTITIONS 3\nENV KAFKA_LOG_DIRS=$DATA\n"
    )
    found = resource(_built("."), {"Dockerfile": _FROM + steps}).settings
    assert found["message.max.bytes"].text == "5"
    hours, partitions = found["log.retention.hours"], found["num.partitions"]
    assert (hours.text, hours.path, hours.at[0]) == ("2", "Dockerfile", 2)
    assert (partitions.text, partitions.at[0]) == ("3", 3)
    assert found["log.dirs"].text is None


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (".", _FROM + 'CMD ["sh", "-c", "kafka-server-start my.properties"]\n'),
        (".", _FROM + "ENTRYPOINT /start.sh\n"),
        (".", "FROM bitnami/kafka:3.6\nENTRYPOINT /app/entrypoint.sh\n"),
        (".", _FROM + "CMD ['sh', '/mine/etc/confluent/docker/run']\n"),
        (".", "FROM wurstmeister/kafka\nCMD my-start-kafka.sh\n"),
        (".", _FROM + "COPY kafka.properties.template /etc/confluent/docker/\n"),
        (".", _FROM + "COPY --chown=1 run /etc/confluent/docker/run\n"),
    ],
)
def test_what_something_else_starts_is_left_alone(build: str, text: str) -> None:
    assert not document(_built(build), {"Dockerfile": text}).resources


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (".", "FROM example/kafka:1\nCMD /start.sh\n"),
        (".", "# nothing\n"),
        ("{target: other}", _FROM),
        ("{target: '7'}", _FROM),
        ("${WHERE}", _FROM),
        ("https://example.com/kafka.git", _FROM),
        (".", "FROM $BASE\n"),
    ],
)
def test_variables_of_a_broker_tell_what_an_unknown_image_runs(build: str, text: str) -> None:
    found = resource(_built(build), {"Dockerfile": text})
    assert (found.kind, found.settings["message.max.bytes"].text) == ("broker", "5")
    # What the image adds, and which Kafka it is, nobody knows.
    assert found.traits.partial and not found.image and "kafka_version" not in found.facts
    assert not found.traits.by_environment


def test_variables_that_are_the_images_own() -> None:
    text = _built(".").replace("KAFKA_MESSAGE_MAX_BYTES", "KAFKA_RESTART_ATTEMPTS")
    found = resource(text, {"Dockerfile": "FROM example/kafka:1\n"})
    assert found.settings.keys() == {"broker.id", "zookeeper.connect"}
    assert not found.notes
    for name in ("KAFKA_ZOOKEEPER_CONNECT", "KAFKA_BROKER_ID"):  # one sign alone is none
        one = text.replace(f"          {name}", "          KAFKA_X")
        assert not document(one, {"Dockerfile": "FROM example/kafka:1\n"}).resources
    cfg = text.replace("KAFKA_", "KAFKA_CFG_")
    assert resource(cfg, {"Dockerfile": "FROM example/kafka:1\n"}).settings.keys() == {
        "broker.id",
        "zookeeper.connect",
    }


@pytest.mark.parametrize(
    "step",
    [
        "CMD /etc/confluent/docker/run",
        'ENTRYPOINT ["/etc/confluent/docker/run"]',
        "COPY a.jar /usr/share/java/",
        'COPY ["a b", "/opt/"]',
        "ADD 'a\n",
        "USER root",
    ],
)
def test_steps_that_leave_the_start_to_the_image(step: str) -> None:
    assert document(_built("."), {"Dockerfile": f"{_FROM}{step}\n"}).resources


@pytest.mark.parametrize(
    "text",
    [
        "FROM bitnami/kafka:3.6\nENTRYPOINT /entrypoint.sh\n",
        "FROM bitnami/kafka:3.6\nCMD cp /my/entrypoint.sh . && /entrypoint.sh\n",
        "FROM wurstmeister/kafka\nCMD start-kafka.sh\n",
        "FROM wurstmeister/kafka\nCMD exec /usr/bin/start-kafka.sh\n",
    ],
)
def test_the_start_script_of_the_image_may_have_a_path_before_its_name(text: str) -> None:
    assert document(_built("."), {"Dockerfile": text}).resources


def test_an_image_that_kcheck_knows_needs_no_dockerfile() -> None:
    text = _built(".") + "        image: confluentinc/cp-kafka:7.6.0\n"
    assert resource(text, {"Dockerfile": "FROM alpine\n"}).facts["kafka_version"].text == "3.6"


_ASKED = (
    *("BOOTSTRAP_SERVERS", "GROUP_ID", "CONFIG_STORAGE_TOPIC", "OFFSET_STORAGE_TOPIC"),
    *("STATUS_STORAGE_TOPIC", "KEY_CONVERTER", "VALUE_CONVERTER"),
)


@pytest.mark.parametrize("where", ["image: example/connect:1", "build: ."])
def test_a_worker_is_known_by_all_that_confluents_image_asks_for(where: str) -> None:
    variables = "".join(f"      CONNECT_{name}: a\n" for name in _ASKED)
    text = f"services:\n  connect:\n    {where}\n    environment:\n{variables}"
    found = resource(text)
    assert (found.kind, found.settings["group.id"].text) == ("worker", "a")
    assert "client.version" not in found.facts and not found.traits.by_environment
    assert not document(text.replace("      CONNECT_GROUP_ID: a\n", "")).resources
